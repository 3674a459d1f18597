//! Lines of strace, put together and taken apart.

use std::collections::BTreeMap;

/// One system call.
#[derive(Debug)]
pub(super) struct Call<'a> {
    pub(super) process: &'a str,
    pub(super) name: String,
    arguments: Vec<String>,
    /// Up to the first blank: a number, a descriptor with its path.
    pub(super) result: String,
}

/// Every call whose end was seen; halves that other processes came between are joined.
pub(super) fn calls(log: &str) -> Vec<Call<'_>> {
    let mut begun: BTreeMap<&str, String> = BTreeMap::new();
    let mut all = Vec::new();
    for line in log.lines() {
        let Some((process, rest)) = line.split_once(' ') else { continue };
        let rest = rest.trim_start();
        if let Some(head) = rest.strip_suffix(" <unfinished ...>") {
            begun.insert(process, head.to_owned());
            continue;
        }
        let whole = match rest.strip_prefix("<... ").and_then(|rest| rest.split_once(" resumed>")) {
            Some((_, tail)) => begun.remove(process).unwrap_or_default() + tail,
            None => rest.to_owned(),
        };
        all.extend(call(process, &whole));
    }
    all
}

fn call<'a>(process: &'a str, text: &str) -> Option<Call<'a>> {
    let (name, rest) = text.split_once('(')?;
    let mut arguments = vec![String::new()];
    let (mut depth, mut quote, mut escaped) = (0_usize, None, false);
    let mut characters = rest.char_indices();
    for (at, character) in characters.by_ref() {
        let current = arguments.last_mut().unwrap();
        match (quote, character) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(end), _) if character == end => quote = None,
            (None, '"') => quote = Some('"'),
            // The path behind a descriptor, not a comparison or an arrow.
            (None, '<') if current.ends_with(|last: char| last.is_ascii_digit() || last == 'D') => quote = Some('>'),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')') if depth == 0 => {
                let (_, result) = rest[at..].split_once("= ")?;
                return Some(Call { process, name: name.to_owned(), arguments, result: first_word(result) });
            }
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                arguments.push(String::new());
                continue;
            }
            (Some(_) | None, _) => {}
        }
        current.push(character);
    }
    None
}

/// A result's path may hold blanks.
fn first_word(result: &str) -> String {
    match result.split_once('<') {
        Some((number, rest)) if number.chars().all(|c| c.is_ascii_digit()) => {
            format!("{number}<{}>", rest.rsplit_once('>').map_or(rest, |(path, _)| path))
        }
        _ => result.split(' ').next().unwrap_or_default().to_owned(),
    }
}

impl Call<'_> {
    pub(super) fn failed(&self) -> bool {
        self.result.starts_with('-') || self.result.starts_with('?')
    }

    fn argument(&self, at: usize) -> &str {
        self.arguments.get(at).map_or("", |argument| argument.trim())
    }

    pub(super) fn flags(&self, at: usize) -> &str {
        self.argument(at)
    }

    /// A path that is relative to the process's directory.
    pub(super) fn path(&self, at: usize, here: &str) -> Option<String> {
        Some(absolute(here, &quoted(self.argument(at))?))
    }

    /// A path that follows the descriptor of a directory. Without a path, the descriptor's own file is meant.
    pub(super) fn path_at(&self, at: usize, here: &str) -> Option<String> {
        let directory = self.descriptor(at).unwrap_or_else(|| here.to_owned());
        match quoted(self.argument(at + 1)) {
            Some(text) => Some(absolute(&directory, &text)),
            None => self.descriptor(at).filter(|_| self.argument(at + 1) == "NULL"),
        }
    }

    /// The path behind a descriptor.
    pub(super) fn descriptor(&self, at: usize) -> Option<String> {
        behind(self.argument(at))
    }

    /// The file that an open call led to.
    pub(super) fn opened(&self) -> Option<String> {
        behind(&self.result)
    }

    /// The address of a connection, or the name that a resolver was asked for.
    pub(super) fn host(&self) -> Option<String> {
        let text = self.arguments.join(",");
        if text.contains(":53]>") || text.contains("htons(53)") {
            return asked(&text).map(|name| format!("name:{name}"));
        }
        let port = text.split_once("htons(")?.1.split_once(')')?.0;
        let address = text
            .split_once("inet_addr(\"")
            .or_else(|| text.split_once("inet_pton(AF_INET6, \""))
            .and_then(|(_, rest)| rest.split_once('"'))?;
        // A datagram socket without a port is how a resolver sorts addresses.
        (port != "0").then(|| address.0.to_owned())
    }
}

/// The name in a query to a name server: labels behind their lengths, after a header of twelve bytes.
fn asked(text: &str) -> Option<String> {
    let start = text.find('"')?;
    let query = bytes(&text[start + 1..]);
    let mut rest = query.get(12..)?;
    let mut labels = Vec::new();
    while let [length @ 1..=63, others @ ..] = rest {
        let (label, after) = others.split_at_checked(usize::from(*length))?;
        labels.push(String::from_utf8_lossy(label).to_lowercase());
        rest = after;
    }
    (!labels.is_empty()).then(|| labels.join("."))
}

fn behind(text: &str) -> Option<String> {
    let (_, path) = text.split_once('<')?;
    let path = String::from_utf8_lossy(&bytes(path.strip_suffix('>')?)).into_owned();
    path.starts_with('/').then(|| path.trim_end_matches(" (deleted)").to_owned())
}

fn quoted(text: &str) -> Option<String> {
    Some(String::from_utf8_lossy(&bytes(text.strip_prefix('"')?)).into_owned())
}

/// C escapes, up to the closing quote.
fn bytes(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text.bytes().peekable();
    while let Some(byte) = rest.next() {
        match byte {
            b'"' => break,
            b'\\' => match rest.next() {
                Some(digit @ b'0'..=b'7') => {
                    let mut value = u32::from(digit - b'0');
                    for _ in 0..2 {
                        let Some(digit) = rest.next_if(|next| matches!(next, b'0'..=b'7')) else { break };
                        value = value * 8 + u32::from(digit - b'0');
                    }
                    out.push(u8::try_from(value & 0xff).unwrap());
                }
                Some(b'n') => out.push(b'\n'),
                Some(b't') => out.push(b'\t'),
                Some(b'r') => out.push(b'\r'),
                Some(b'v') => out.push(0x0b),
                Some(b'f') => out.push(0x0c),
                Some(other) => out.push(other),
                None => break,
            },
            other => out.push(other),
        }
    }
    out
}

/// Without `.`, `..` and doubled slashes.
pub(super) fn absolute(directory: &str, text: &str) -> String {
    let whole = if text.starts_with('/') { text.to_owned() } else { format!("{directory}/{text}") };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

#[test]
fn the_name_in_a_query_is_found() {
    let line = r#"9 sendto(3, "\236\3\1\0\0\1\0\0\0\0\0\0\7example\3com\0\0\1\0\1", 29, 0, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("127.0.0.1")}, 16) = 29"#;
    assert_eq!(calls(line)[0].host().as_deref(), Some("name:example.com"));
}

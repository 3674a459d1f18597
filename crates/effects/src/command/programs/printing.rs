//! Programs whose output is followed, because another command may run it: `echo`, `printf`, `cat`, `base64 -d`, `tr`.

use std::iter::Peekable;
use std::str::Chars;

use crate::Certainty;
use crate::command::argument::{Arg, Arguments};
use crate::command::knowledge::Role;
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::command::write_mode::WriteMode;

use super::Call;

impl Machine<'_> {
    pub(super) fn echo(call: Call<'_>) -> Stream {
        let flags = call.rest.iter().take_while(|word| {
            let letters = word.text.strip_prefix('-').unwrap_or_default();
            word.is_exact() && !letters.is_empty() && letters.chars().all(|letter| "neE".contains(letter))
        });
        let flags: Vec<&str> = flags.map(|word| word.text.as_str()).collect();
        let words = call.rest.get(flags.len()..).unwrap_or_default();
        let set = |letter| flags.iter().any(|flag| flag.contains(letter));
        if !words.iter().all(Arg::is_exact) {
            return if words.iter().any(|word| word.likely.is_some()) {
                Stream::Likely(words.iter().map(Arg::best).collect::<Vec<_>>().join(" ") + "\n")
            } else if words.iter().all(|word| matches!(word.target().0, text if text != "**")) {
                Stream::Names(words.to_vec())
            } else {
                Stream::Unknown
            };
        }
        let mut text = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        if set('e') {
            text = unescaped(&text, Escapes::Printf);
        }
        if !set('n') {
            text.push('\n');
        }
        Stream::of(text)
    }

    pub(super) fn printf(call: Call<'_>) -> Stream {
        Self::printed(call.rest)
    }

    /// What `printf` makes of a format and values.
    pub(crate) fn printed(words: &[Arg]) -> Stream {
        let rest = match words {
            [option, others @ ..] if option.literal() == Some("--") => others,
            others => others,
        };
        let Some((format, values)) = rest.split_first() else { return Stream::nothing() };
        if !rest.iter().all(Arg::is_exact) {
            return Stream::Unknown;
        }
        formatted(&format.text, values).map_or(Stream::Unknown, Stream::of)
    }

    pub(super) fn cat(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        self.given(call.entry, call.words, &arguments, io);
        let plain = arguments.options.is_empty() && call.name != "tac";
        if !plain {
            return if arguments.operands.is_empty() { selection(io.input) } else { Stream::Unknown };
        }
        if arguments.operands.is_empty() {
            return io.input.copied();
        }
        let mut output = Stream::nothing();
        for word in &arguments.operands {
            output = output.then(match word.literal() {
                Some("-" | "/dev/stdin" | "/dev/fd/0") => io.input.copied(),
                Some("/dev/null") => Stream::nothing(),
                _ => self.process_output(word).unwrap_or_else(|| self.world.content_of(word)),
            });
        }
        output
    }

    pub(super) fn tee(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        let mode = if arguments.has(&["-a", "--append"]) { WriteMode::Append } else { WriteMode::Replace };
        for word in &arguments.operands {
            self.feed(word, io.input);
            let before = self.opened_for_output(word, mode, |machine| machine.path(Role::Write, word));
            if word.is_exact() && !word.text.starts_with("/dev/") {
                let target = self.world.locate_word(word).0;
                self.world.filled(&target, &before, io.input);
            }
        }
        let swallows = call.name == "sponge" && !arguments.operands.is_empty();
        if swallows { Stream::nothing() } else { io.input.copied() }
    }

    /// `realpath FILE`, `readlink -f FILE`: the same file, unless the name is that of a link.
    fn real_path(&self, name: &str, arguments: &Arguments) -> Option<String> {
        const FOLLOWS: &[&str] =
            &["-f", "--canonicalize", "-e", "--canonicalize-existing", "-m", "--canonicalize-missing"];
        let own = |option: &str| FOLLOWS.contains(&option) || name == "realpath" && matches!(option, "-q" | "--quiet");
        if name == "readlink" && !arguments.has(FOLLOWS) || !arguments.options.iter().all(|option| own(&option.name)) {
            return None;
        }
        let [file] = arguments.operands.as_slice() else { return None };
        let (target, certainty) = self.world.locate_word(file);
        let is_link = certainty != Certainty::Exact || !self.world.originals(&target.path, certainty).is_empty();
        let cwd = self.world.cwd().filter(|_| !file.text.starts_with(['/', '~']));
        (!is_link).then(|| cwd.map_or_else(|| format!("{}\n", file.text), |cwd| format!("{cwd}/{}\n", file.text)))
    }

    /// Filters over standard input or files that are computed where both are known.
    pub(super) fn filter(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        self.given(call.entry, call.words, &arguments, io);
        if !call.rest.iter().all(Arg::is_exact) {
            return Stream::Unknown;
        }
        let operands: Vec<&str> = arguments.operands.iter().map(|word| word.text.as_str()).collect();
        let text = match (call.name, arguments.operands.first()) {
            (
                "tr" | "seq" | "basename" | "dirname" | "numfmt" | "factor" | "realpath" | "readlink" | "wslpath"
                | "wslpath.exe",
                _,
            )
            | (_, None) => io.input.clone(),
            (_, Some(file)) if file.text == "-" => io.input.clone(),
            (_, Some(file)) => self.process_output(file).unwrap_or_else(|| self.world.content_of(file)),
        };
        let computed = match (call.name, &text) {
            ("basename", _) => base_name(&operands),
            ("dirname", _) => directory_name(&operands),
            ("realpath" | "readlink", _) => self.real_path(call.name, &arguments),
            ("wslpath" | "wslpath.exe", _) => mounted_path(call.rest),
            ("seq", _) => None,
            (_, Stream::Known(text) | Stream::Likely(text)) => match call.name {
                "tr" => translated(text, &operands, &arguments),
                "rev" => Some(
                    text.lines().fold(String::new(), |all, line| all + &line.chars().rev().collect::<String>() + "\n"),
                ),
                name => super::decoding::computed(name, text, &arguments),
            },
            _ => None,
        };
        let decodes = super::decoding::decodes(call.name, &arguments);
        if let Some(text) = computed.as_deref().filter(|_| decodes) {
            self.remember_decoded(text);
        }
        match (computed, text) {
            (Some(computed), Stream::Likely(_)) => Stream::of(computed).doubted(),
            (Some(computed), _) => Stream::of(computed),
            // Those that only lay text out mostly leave one line as it is.
            (None, text) if PASSING.contains(&call.name) => selection(&text),
            (None, text) if decodes => text.decoded(),
            (None, _) => Stream::Unknown,
        }
    }
}

const PASSING: &[&str] = &[
    "fold", "fmt", "expand", "unexpand", "column", "head", "tail", "sort", "gsort", "uniq", "iconv", "pv", "envsubst",
];

/// Some lines of a stream.
pub(super) fn selection(input: &Stream) -> Stream {
    match input {
        Stream::Names(names) => Stream::Names(names.clone()),
        Stream::Known(text) | Stream::Likely(text) => Stream::of(text.clone()).doubted(),
        Stream::Foreign(provenance) => Stream::Foreign(*provenance),
        Stream::Unknown | Stream::Unconnected => Stream::Unknown,
    }
}

fn base_name(operands: &[&str]) -> Option<String> {
    let (path, suffix) = match operands {
        [path] => (path, ""),
        [path, suffix] => (path, *suffix),
        _ => return None,
    };
    let trimmed = path.trim_end_matches('/');
    let name = trimmed.rsplit('/').next().unwrap_or(trimmed);
    let name = name.strip_suffix(suffix).filter(|short| !short.is_empty()).unwrap_or(name);
    Some(if trimmed.is_empty() { "/\n".to_owned() } else { format!("{name}\n") })
}

fn directory_name(operands: &[&str]) -> Option<String> {
    let [path] = operands else { return None };
    let trimmed = path.trim_end_matches('/');
    Some(match trimmed.rsplit_once('/') {
        Some(("", _)) => "/\n".to_owned(),
        Some((directory, _)) => format!("{}\n", directory.trim_end_matches('/')),
        None if trimmed.is_empty() && path.starts_with('/') => "/\n".to_owned(),
        None => ".\n".to_owned(),
    })
}

/// `wslpath C:\\x`: the name of a Windows file as WSL mounts it.
pub(crate) fn mounted_path(words: &[Arg]) -> Option<String> {
    let path = match words {
        [path] => path.literal()?,
        [option, path] if matches!(option.literal(), Some("-u" | "-a" | "-ua" | "-au")) => path.literal()?,
        _ => return None,
    };
    let (drive, rest) = path.split_once(':')?;
    let mut letters = drive.chars();
    let letter = letters.next().filter(char::is_ascii_alphabetic)?.to_ascii_lowercase();
    let is_rooted = letters.next().is_none() && rest.starts_with(['/', '\\']);
    is_rooted.then(|| format!("/mnt/{letter}{}\n", rest.replace('\\', "/")))
}

fn translated(text: &str, sets: &[&str], arguments: &Arguments) -> Option<String> {
    let complement = arguments.has(&["-c", "-C", "--complement", "-s", "--squeeze-repeats", "-t"]);
    if complement {
        return None;
    }
    if arguments.has(&["-d", "--delete"]) {
        let [gone] = sets else { return None };
        let gone = character_set(gone)?;
        return Some(text.chars().filter(|character| !gone.contains(character)).collect());
    }
    let [from, to] = sets else { return None };
    let (from, to) = (character_set(from)?, character_set(to)?);
    let last = to.last().copied()?;
    let replace = |character: char| match from.iter().rposition(|one| *one == character) {
        Some(at) => to.get(at).copied().unwrap_or(last),
        None => character,
    };
    Some(text.chars().map(replace).collect())
}

/// `a-z`, `[:lower:]`, `\n`.
fn character_set(text: &str) -> Option<Vec<char>> {
    match text {
        "[:lower:]" => return Some(('a'..='z').collect()),
        "[:upper:]" => return Some(('A'..='Z').collect()),
        "[:digit:]" => return Some(('0'..='9').collect()),
        _ if text.contains("[:") || text.contains("[=") || text.contains('*') && text.contains('[') => return None,
        _ => {}
    }
    let text: Vec<char> = unescaped(text, Escapes::Tr).chars().collect();
    let mut set = Vec::new();
    let mut at = 0;
    while let Some(first) = text.get(at) {
        match (text.get(at + 1), text.get(at + 2)) {
            (Some('-'), Some(last)) if first <= last && (*last as u32) < 0x300 => {
                set.extend(*first..=*last);
                at += 3;
            }
            _ => {
                set.push(*first);
                at += 1;
            }
        }
    }
    Some(set)
}

/// Standard or URL-safe base 64; `None` where it is damaged.
pub(crate) fn decoded(text: &str) -> Option<String> {
    decoded_bytes(text).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

pub(crate) fn decoded_bytes(text: &str) -> Option<Vec<u8>> {
    let (mut bits, mut count, mut bytes) = (0_u32, 0_u32, Vec::new());
    for character in text.chars().filter(|character| !character.is_whitespace()) {
        let value = match character {
            'A'..='Z' => character as u32 - 'A' as u32,
            'a'..='z' => character as u32 - 'a' as u32 + 26,
            '0'..='9' => character as u32 - '0' as u32 + 52,
            '+' | '-' => 62,
            '/' | '_' => 63,
            '=' => break,
            _ => return None,
        };
        bits = (bits << 6 | value) & 0xFF_FFFF;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from((bits >> count) & 0xFF).unwrap_or_default());
        }
    }
    Some(bytes)
}

/// `printf`: the format is reused while values remain.
fn formatted(format: &str, values: &[Arg]) -> Option<String> {
    let mut text = String::new();
    let mut values = values.iter();
    loop {
        let before = values.len();
        once(format, &mut values, &mut text)?;
        if values.len() == 0 || values.len() == before {
            return Some(text);
        }
        if text.len() > 1 << 18 {
            return None;
        }
    }
}

fn once<'a>(format: &str, values: &mut impl Iterator<Item = &'a Arg>, text: &mut String) -> Option<()> {
    let mut left = format;
    while let Some(at) = left.find('%') {
        let (plain, directive) = left.split_at_checked(at)?;
        text.push_str(&unescaped(plain, Escapes::Printf));
        let directive = directive.strip_prefix('%')?;
        let flags = directive.len() - directive.trim_start_matches(|c: char| "-+ #0123456789.".contains(c)).len();
        let (modifiers, rest) = directive.split_at_checked(flags)?;
        let kind = rest.chars().next()?;
        left = rest.get(kind.len_utf8()..)?;
        if kind == '%' {
            text.push('%');
            continue;
        }
        let value = values.next().map_or("", |word| word.text.as_str());
        match kind {
            's' | 'd' | 'i' | 'u' if modifiers.is_empty() => text.push_str(value),
            'b' if modifiers.is_empty() => text.push_str(&unescaped(value, Escapes::Printf)),
            'c' => text.extend(value.chars().next()),
            _ => return None,
        }
    }
    text.push_str(&unescaped(left, Escapes::Printf));
    Some(())
}

/// The escapes that a program knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Escapes {
    /// `tr`: characters of C, and octal numbers.
    Tr,
    /// `printf` and `echo -e`: hexadecimal numbers, `\e` and `\c`, too.
    Printf,
}

/// `\n`, `\t`, `\\`, `\0ooo`, `\ooo`, `\xhh`, `\uhhhh`.
pub(super) fn unescaped(text: &str, escapes: Escapes) -> String {
    let is_printf = escapes == Escapes::Printf;
    let mut result = String::with_capacity(text.len());
    let mut left = text.chars().peekable();
    while let Some(character) = left.next() {
        if character != '\\' {
            result.push(character);
            continue;
        }
        let Some(escape) = left.next() else {
            result.push('\\');
            break;
        };
        match escape {
            'n' => result.push('\n'),
            't' => result.push('\t'),
            'r' => result.push('\r'),
            'a' => result.push('\u{7}'),
            'b' => result.push('\u{8}'),
            'f' => result.push('\u{c}'),
            'v' => result.push('\u{b}'),
            'e' | 'E' if is_printf => result.push('\u{1b}'),
            '\\' => result.push('\\'),
            '0' => result.push(number(&mut left, None, 8, 3)),
            '1'..='7' => result.push(number(&mut left, Some(escape), 8, 2)),
            'x' if is_printf => result.push(number(&mut left, None, 16, 2)),
            'u' if is_printf => result.push(number(&mut left, None, 16, 4)),
            'U' if is_printf => result.push(number(&mut left, None, 16, 8)),
            'c' if is_printf => break,
            other => {
                result.push('\\');
                result.push(other);
            }
        }
    }
    result
}

/// The character of a number with at most `digits` digits behind `first`.
fn number(left: &mut Peekable<Chars<'_>>, first: Option<char>, radix: u32, digits: usize) -> char {
    let mut value = first.and_then(|digit| digit.to_digit(radix)).unwrap_or(0);
    let mut taken = 0;
    while taken < digits
        && let Some(digit) = left.peek().and_then(|next| next.to_digit(radix))
    {
        value = value.saturating_mul(radix).saturating_add(digit);
        left.next();
        taken += 1;
    }
    // An octal number is one byte.
    let value = if radix == 8 { value & 0xFF } else { value };
    char::from_u32(value).unwrap_or('\u{FFFD}')
}

//! Text that programs make of known text, where that is cheap to compute: decoders, `cut`, `head`, plain `sed`.

use agent_strace_shell::Provenance;

use crate::command::argument::{Arg, Arguments};
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;

use super::Call;
use super::printing::decoded;

/// The program undoes an encoding.
pub(super) fn decodes(name: &str, arguments: &Arguments) -> bool {
    match name {
        "base64" | "base32" | "basenc" => arguments.has(&["-d", "-D", "--decode", "--d", "--de", "--dec"]),
        "xxd" => arguments.has(&["-r", "-revert"]),
        "uudecode" | "hxunent" => true,
        _ => false,
    }
}

/// What the program prints if its input is `text`; `None`: that is not computed.
pub(super) fn computed(name: &str, text: &str, arguments: &Arguments) -> Option<String> {
    match name {
        "base64" if arguments.has(&["-d", "-D", "--decode", "--d", "--de", "--dec"]) => decoded(text),
        "base32" if arguments.has(&["-d", "-D", "--decode"]) => base32(text),
        "xxd" if arguments.has(&["-r", "-revert"]) && arguments.has(&["-p", "-ps", "-plain"]) => hexadecimal(text),
        "cut" => columns(text, arguments),
        "head" => start(text, arguments),
        _ => None,
    }
}

impl Machine<'_> {
    /// `openssl base64 -d`, `openssl enc -d -base64`
    pub(super) fn openssl_output(&mut self, call: Call<'_>, input: &Stream) -> Stream {
        let has = |names: &[&str]| call.rest.iter().any(|word| names.contains(&word.text.as_str()));
        let decodes = has(&["base64", "-base64", "-a"]) && has(&["-d"]) && !has(&["-in", "-out", "-k", "-pass"]);
        match input {
            Stream::Known(text) | Stream::Likely(text) if decodes => {
                let Some(text) = decoded(text) else { return input.decoded() };
                self.remember_decoded(&text);
                if matches!(input, Stream::Known(_)) { Stream::of(text) } else { Stream::Likely(text) }
            }
            _ if has(&["s_client"]) => Stream::Foreign(Provenance::Network),
            _ if has(&["-d", "-decrypt"]) => input.decoded(),
            _ => Stream::Unknown,
        }
    }

    pub(super) fn dated(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        self.given(call.entry, call.words, &arguments, io);
        Self::date(call.rest)
    }

    /// `date +TEXT` without anything about the date in it.
    fn date(words: &[Arg]) -> Stream {
        match words {
            [format] => match format.literal().and_then(|text| text.strip_prefix('+')) {
                Some(text) if !text.contains('%') => Stream::of(format!("{text}\n")),
                _ => Stream::Unknown,
            },
            _ => Stream::Unknown,
        }
    }
}

/// Pairs of digits, anything between them ignored.
pub(crate) fn hexadecimal(text: &str) -> Option<String> {
    let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(16)).collect();
    let pair = |pair: &[u32]| match pair {
        [high, low] => u8::try_from(high * 16 + low).ok(),
        _ => None,
    };
    let bytes: Option<Vec<u8>> = digits.chunks(2).map(pair).collect();
    Some(String::from_utf8_lossy(&bytes?).into_owned())
}

fn base32(text: &str) -> Option<String> {
    let (mut bits, mut count, mut bytes) = (0_u64, 0_u32, Vec::new());
    for character in text.chars().filter(|character| !character.is_whitespace()) {
        let value = match character {
            'A'..='Z' => character as u64 - 'A' as u64,
            '2'..='7' => character as u64 - '2' as u64 + 26,
            '=' => break,
            _ => return None,
        };
        bits = (bits << 5 | value) & 0xFF_FFFF;
        count += 5;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from((bits >> count) & 0xFF).ok()?);
        }
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// `cut -c1-2`, `cut -d: -f2`
fn columns(text: &str, arguments: &Arguments) -> Option<String> {
    let value = |names: &[&str]| arguments.values(names).next().and_then(|word| word.literal().map(str::to_owned));
    let list = value(&["-c", "-b", "--characters", "--bytes", "-f", "--fields"])?;
    let wanted = ranges(&list)?;
    let is_wanted = |at: usize| wanted.iter().any(|(low, high)| (*low..=*high).contains(&(at + 1)));
    let by_field = arguments.has(&["-f", "--fields"]);
    let delimiter = value(&["-d", "--delimiter"]).map_or(Some('\t'), |text| text.chars().next())?;
    let mut output = String::new();
    for line in text.lines() {
        if by_field {
            let fields = line.split(delimiter).enumerate().filter(|(at, _)| is_wanted(*at)).map(|(_, field)| field);
            output.push_str(&fields.collect::<Vec<_>>().join(&delimiter.to_string()));
        } else {
            output.extend(line.chars().enumerate().filter(|(at, _)| is_wanted(*at)).map(|(_, character)| character));
        }
        output.push('\n');
    }
    Some(output)
}

/// `1-3,5,7-`
fn ranges(list: &str) -> Option<Vec<(usize, usize)>> {
    list.split(',')
        .map(|range| match range.split_once('-') {
            Some((low, high)) => {
                let low = if low.is_empty() { 1 } else { low.parse().ok()? };
                Some((low, if high.is_empty() { usize::MAX } else { high.parse().ok()? }))
            }
            None => range.parse().ok().map(|one| (one, one)),
        })
        .collect()
}

/// `head -c2`, `head -n 1`
fn start(text: &str, arguments: &Arguments) -> Option<String> {
    let number = |names: &[&str]| arguments.values(names).next().and_then(|word| word.literal()?.parse::<usize>().ok());
    if let Some(count) = number(&["-c", "--bytes"]) {
        return text.get(..count.min(text.len())).map(str::to_owned);
    }
    let count = match number(&["-n", "--lines"]) {
        Some(count) => count,
        None if arguments.options.is_empty() => 10,
        None => return None,
    };
    Some(text.split_inclusive('\n').take(count).collect())
}

//! Secrets of forms that programs prescribe: files of passwords, options, statements, links.

use agent_strace_model::finding::RuleId;

use super::super::hit::{Confidence, Hit};
use super::exclude::is_reference;
use super::structure::hit;
use super::text::{
    FAR, Stretch, at, before, is_base64, is_space, is_url_safe, looked_at, piece, run, run_before, run_most,
    starts_word,
};
use super::value;

/// `machine host login user password secret` of a netrc file, over lines.
pub(super) fn machine(text: &str, start: usize, hits: &mut Vec<Hit>) {
    if !starts_word(text, start) {
        return;
    }
    let near = piece(text, start, super::text::floor(text, start + 400));
    let mut words = words(near);
    if words.next().is_none_or(|(_, word)| word != "machine") || words.next().is_none() {
        return;
    }
    while let Some((_, word)) = words.next() {
        match word {
            "login" | "account" | "port" => drop(words.next()),
            "password" => {
                let Some((index, secret)) = words.next() else { return };
                if !is_reference(secret) {
                    let confidence = value::of_password(secret).unwrap_or(Confidence::Low);
                    hits.push(hit(
                        start + index,
                        start + index + secret.len(),
                        RuleId::SecretPassword.as_str(),
                        "netrc",
                        confidence,
                    ));
                }
                return;
            }
            _ => return,
        }
    }
}

/// Words of a text with their locations; escaped line ends count as blanks.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut index = 0;
    std::iter::from_fn(move || {
        loop {
            index += run(text, index, |byte| byte.is_ascii_whitespace());
            if at(text, index) == b'\\' && matches!(at(text, index + 1), b'n' | b't' | b'r') {
                index += 2;
                continue;
            }
            break;
        }
        let length = run(text, index, |byte| !byte.is_ascii_whitespace() && !matches!(byte, b'\\' | b'"' | b'\''));
        let word = piece(text, index, index + length);
        let start = index;
        index += length;
        (length > 0).then_some((start, word))
    })
}

/// The stretch of a text that was read last: one value or line may hold the beginning of another.
#[derive(Default)]
pub(super) struct Read {
    /// Before it users with passwords have been found.
    user: usize,
    /// The word without quotes that was looked at last.
    word: Stretch,
    /// Before it lines of files of passwords have been looked at.
    lines: usize,
}

/// `curl -u user:password`
pub(super) fn user(text: &str, start: usize, end: usize, read: &mut Read, hits: &mut Vec<Hit>) {
    if start < read.user {
        return;
    }
    let short = is_space(at(text, start));
    if !short && is_url_safe(at(text, end)) || short && at(text, end - 1) == b'u' && is_url_safe(at(text, end)) {
        return;
    }
    let from = end + run(text, end, |byte| is_space(byte) || byte == b'=').min(2);
    let quote = at(text, from);
    let quoted = matches!(quote, b'"' | b'\'');
    let from = from + usize::from(quoted);
    let length = if quoted {
        run(text, from, |byte| byte != quote && byte != b'\n')
    } else {
        read.word.run(text, from, FAR, |byte| !is_space(byte) && !b"\"'`;&|)<>\\,".contains(&byte))
    };
    let word = piece(text, from, from + length);
    let Some((name, password)) = word.split_once(':') else { return };
    let group =
        password.bytes().all(|byte| byte.is_ascii_digit()) || password.starts_with('/') || is_reference(password);
    let drive = name.len() == 1 && password.starts_with('\\');
    if group || drive || word.contains("//") || name.contains(' ') || password.contains(' ') {
        return;
    }
    let confidence = value::of_password(password);
    if let Some(confidence) = confidence {
        let from = from + name.len() + 1;
        read.user = from + password.len();
        hits.push(hit(from, read.user, RuleId::SecretPassword.as_str(), "user-password", confidence));
    }
}

/// `IDENTIFIED BY 'secret'`.
pub(super) fn identified(text: &str, start: usize, hits: &mut Vec<Hit>) {
    let from = start + run(text, start, |byte| matches!(byte, b' ' | b'\\'));
    let quote = at(text, from);
    if !matches!(quote, b'"' | b'\'') {
        return;
    }
    let from = from + 1;
    let length = run(text, from, |byte| byte != quote && byte != b'\n' && byte != b'\\');
    let secret = piece(text, from, from + length);
    let closed = at(text, from + length) == quote;
    if let Some(confidence) = value::of_password(secret).filter(|_| closed) {
        hits.push(hit(from, from + length, RuleId::SecretPassword.as_str(), "sql-password", confidence));
    }
}

/// `?sv=…&sig=…`: the signature of a link is what opens it.
pub(super) fn shared_access(text: &str, start: usize, end: usize, hits: &mut Vec<Hit>) {
    if !matches!(before(text, start), b'&' | b'?' | b';') {
        return;
    }
    let length = run(text, end, |byte| is_base64(byte) || matches!(byte, b'%' | b'='));
    if length >= 40 {
        hits.push(hit(
            end,
            end + length,
            RuleId::SecretAuthorization.as_str(),
            "shared-access-signature",
            Confidence::High,
        ));
    }
}

/// `'user', 'password'`. Returns whether it is such a pair.
pub(super) fn pair(text: &str, start: usize, hits: &mut Vec<Hit>) -> bool {
    let Some((_, end)) = quoted(text, start) else { return false };
    let comma = end + run(text, end, is_space);
    let from = comma + 1 + run(text, comma + 1, is_space);
    let Some((password, _)) = quoted(text, from).filter(|_| at(text, comma) == b',') else { return false };
    if let Some(confidence) = value::of_password(password).filter(|_| !is_reference(password)) {
        let from = from + 1;
        let end = from + password.len();
        hits.push(hit(from, end, RuleId::SecretPassword.as_str(), "user-password", confidence));
    }
    true
}

/// The text in the quotes that open at an offset, and where it goes on behind them.
fn quoted(text: &str, start: usize) -> Option<(&str, usize)> {
    const MOST: usize = 200;
    let quote = at(text, start);
    let length = run_most(text, start + 1, MOST, |byte| byte != quote && byte != b'\n' && byte != b'\\');
    let end = start + 1 + length;
    (matches!(quote, b'"' | b'\'') && at(text, end) == quote).then(|| (piece(text, start + 1, end), end + 1))
}

/// `host:port:database:user:password` on the lines below the name of the file.
pub(super) fn password_file(text: &str, end: usize, read: &mut Read, hits: &mut Vec<Hit>) {
    const NEAR: usize = 1024;
    written(text, end, hits);
    let near = piece(text, end, super::text::floor(text, end + NEAR));
    let mut index = end;
    for line in near.split('\n') {
        // The name may stand in each line. Behind it are fields of their own; the lines below are those of all names.
        if (end + 1..read.lines).contains(&index) {
            index += line.len() + 1;
            continue;
        }
        looked_at(line.len());
        fields(line, index, hits);
        // The last line may be cut.
        read.lines = read.lines.max(index);
        index += line.len() + 1;
    }
}

/// `echo 'host:port:database:user:password' >> ~/.pgpass`: the line that is written stands before the name.
fn written(text: &str, end: usize, hits: &mut Vec<Hit>) {
    const NEAR: usize = 300;
    let first = super::text::ceil(text, end - run_before(text, end, NEAR, |byte| byte != b'\n'));
    let before = piece(text, first, end);
    let Some(arrow) = before.rfind('>') else { return };
    let mut index = first;
    for word in piece(before, 0, arrow).split([' ', '"', '\'', '>']) {
        fields(word, index, hits);
        index += word.len() + 1;
    }
}

/// Finds the password in a line of a file of passwords that starts at an offset of the text.
fn fields(line: &str, index: usize, hits: &mut Vec<Hit>) {
    let mut fields = line.splitn(5, ':');
    let is_port = |port: &str| port == "*" || !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    let port = fields.nth(1).is_some_and(is_port);
    let (true, Some(password)) = (port, fields.nth(2)) else { return };
    let password = password.trim_end();
    let from = index + line.rfind(password).unwrap_or(0);
    if let Some(confidence) = value::of_password(password).filter(|_| !password.contains(' ')) {
        hits.push(hit(from, from + password.len(), RuleId::SecretPassword.as_str(), "pgpass", confidence));
    }
}

/// `echo 'secret' | docker login --password-stdin`
pub(super) fn piped(text: &str, start: usize, hits: &mut Vec<Hit>) {
    let back = run_before(text, start, 300, |byte| byte != b'\n');
    let first = super::text::ceil(text, start - back);
    let line = piece(text, first, start);
    let said = ["echo ", "printf ", "<<< "].iter().filter_map(|word| Some(line.rfind(word)? + word.len())).max();
    let Some(said) = said else { return };
    let from = first + said + run(text, first + said, |byte| matches!(byte, b' ' | b'-' | b'n' | b'%' | b's'));
    let quote = at(text, from);
    let quoted = matches!(quote, b'"' | b'\'');
    let from = from + usize::from(quoted);
    let length =
        run(text, from, |byte| if quoted { byte != quote && byte != b'\n' } else { !is_space(byte) && byte != b'|' });
    if let Some(confidence) = value::of_password(piece(text, from, from + length)) {
        hits.push(hit(from, from + length, RuleId::SecretPassword.as_str(), "piped-password", confidence));
    }
}

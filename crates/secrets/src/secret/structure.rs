//! Secrets that are told by the form they stand in.

use agent_strace_model::finding::RuleId;

use super::super::base64;
use super::super::hit::{Confidence, Hit};
use super::exclude::{is_placeholder, is_reference};
use super::likeness::{followers, strangeness, variety};
use super::text::{Stretch, at, is_base64, is_url_safe, piece, run, run_most};
use super::value;

/// The longest body of a key, with what wraps it.
const LONGEST_KEY: usize = 16 * 1024;

pub(super) fn hit(start: usize, end: usize, rule: &'static str, kind: &'static str, confidence: Confidence) -> Hit {
    Hit { start, end, rule, kind, confidence }
}

/// PEM and PGP blocks. One without an end is secret as far as it goes: logs are cut.
pub(super) fn private_key(text: &str, start: usize, hits: &mut Vec<Hit>) {
    let label = start + "-----BEGIN".len();
    let length = run(text, label, |byte| byte == b' ' || byte.is_ascii_uppercase() || byte.is_ascii_digit());
    let name = piece(text, label, label + length);
    if length > 60 || !(name.ends_with("PRIVATE KEY") || name.ends_with("PRIVATE KEY BLOCK")) {
        return;
    }
    let from = label + length;
    let dashes = run(text, from, |byte| byte == b'-');
    let body = from + dashes;
    let limit = super::text::floor(text, body + LONGEST_KEY);
    let inside = piece(text, body, limit);
    // Whatever other mark comes first ends it, too.
    let mark = memchr::memmem::find(inside.as_bytes(), b"-----")
        .filter(|at| inside.as_bytes().get(*at..).is_some_and(|rest| rest.starts_with(b"-----END")));
    let inside =
        piece(inside, 0, mark.or_else(|| memchr::memmem::find(inside.as_bytes(), b"-----")).unwrap_or(inside.len()));
    let end = mark.map(|at| {
        let mark = body + at + "-----END".len();
        let rest = mark + run(text, mark, |byte| byte == b' ' || byte.is_ascii_uppercase() || byte.is_ascii_digit());
        (body + at, rest + run(text, rest, |byte| byte == b'-').min(5))
    });
    let (stop, whole) = end.unwrap_or_else(|| {
        let length = cut_body(inside);
        (body + length, body + length)
    });
    if dashes >= 4 && key_material(piece(text, body, stop)) {
        hits.push(hit(start, whole, RuleId::SecretPrivateKey.as_str(), "private-key", Confidence::High));
    }
}

/// How far a block goes that has no end: as long as its lines are base64, headers, or what code wraps them in.
fn cut_body(inside: &str) -> usize {
    let mut end = 0;
    let mut index = 0;
    while index < inside.len() {
        let token = run(inside, index, |byte| is_base64(byte) || byte == b'=');
        if token >= 16 {
            end = index + token;
        } else if index - end > 96 {
            break;
        }
        index += token.max(1);
    }
    super::text::floor(inside, end)
}

/// At least a piece of base64 that is no place holder.
fn key_material(body: &str) -> bool {
    let mut longest = "";
    let mut index = 0;
    while index < body.len() {
        let length = run(body, index, |byte| is_base64(byte) || byte == b'=');
        if length > longest.len() {
            longest = piece(body, index, index + length);
        }
        index += length.max(1);
    }
    longest.len() >= 24 && variety(longest) >= 12 && !is_placeholder(piece(longest, 0, 48))
}

/// Tokens without a mark of their vendor, known by how they are built.
///
/// The three parts of a web token are as long as may be, and each of them is looked at once, wherever in it a token may
/// start.
#[derive(Default)]
pub(super) struct Unmarked {
    header: Stretch,
    payload: Stretch,
    signature: Stretch,
}

impl Unmarked {
    /// The byte that tells most is looked at first.
    pub(super) fn token(&mut self, text: &str, start: usize) -> Option<Hit> {
        match at(text, start) {
            b'e' if at(text, start + 1) == b'y' => self.web_token(text, start),
            b'0'..=b'9' if at(text, start + 8) != b'-' => telegram(text, start),
            b'M' | b'N' | b'O' => discord(text, start),
            _ => None,
        }
        .or_else(|| if at(text, start + 5) == b'~' { azure(text, start) } else { None })
        .or_else(|| if at(text, start + 14) == b'.' { terraform(text, start) } else { None })
        .or_else(|| if at(text, start + 32) == b'-' { mailchimp(text, start) } else { None })
    }

    /// JSON web tokens: three base64url parts, of which the first is a JSON object.
    fn web_token(&mut self, text: &str, start: usize) -> Option<Hit> {
        // So base64 of `{"` begins.
        if !text.as_bytes().get(start..)?.starts_with(b"eyJ") {
            return None;
        }
        let header = start + self.header.run(text, start, usize::MAX, is_url_safe);
        if header - start < 12 || at(text, header) != b'.' {
            return None;
        }
        let payload = header + 1 + self.payload.run(text, header + 1, usize::MAX, is_url_safe);
        let signature = match at(text, payload) {
            b'.' => payload + 1 + self.signature.run(text, payload + 1, usize::MAX, is_url_safe),
            _ => payload,
        };
        // Five parts are an encrypted token, which gives nothing away.
        if at(text, signature) == b'.' && is_url_safe(at(text, signature + 1)) {
            return None;
        }
        // No text of base64 has one character more than a multiple of four.
        let is_base64 = (header - start) % 4 != 1;
        (is_base64 && payload - header > 8 && signature > payload + 8)
            .then(|| hit(start, signature, RuleId::SecretWebToken.as_str(), "jwt", Confidence::High))
    }
}

/// `123456789:AA…`: number of a bot and 35 characters.
fn telegram(text: &str, start: usize) -> Option<Hit> {
    let digits = run_most(text, start, 11, |byte| byte.is_ascii_digit());
    if !(8..=10).contains(&digits) || at(text, start + digits) != b':' {
        return None;
    }
    let from = start + digits + 1;
    let length = run_most(text, from, 36, is_url_safe);
    let body = piece(text, from, from + length);
    (length == 35 && body.starts_with('A') && variety(body) >= 14)
        .then(|| hit(start, from + length, RuleId::SecretVendorToken.as_str(), "telegram-token", Confidence::High))
}

/// The number of a bot in base64, a time, and a code.
fn discord(text: &str, start: usize) -> Option<Hit> {
    if !matches!(at(text, start), b'M' | b'N' | b'O') {
        return None;
    }
    let id = run_most(text, start, 29, is_url_safe);
    let time = run_most(text, start + id + 1, 7, is_url_safe);
    let from = start + id + 1 + time + 1;
    let code = run_most(text, from, 39, is_url_safe);
    let dots = at(text, start + id) == b'.' && at(text, from - 1) == b'.';
    let number = || base64::decode(piece(text, start, start + id)).is_some_and(|id| id.iter().all(u8::is_ascii_digit));
    (dots && (23..=28).contains(&id) && time == 6 && (27..=38).contains(&code) && number())
        .then(|| hit(start, from + code, RuleId::SecretVendorToken.as_str(), "discord-token", Confidence::High))
}

/// Client secrets of Entra: three characters, a digit, `Q~`, and 31 to 34 more.
fn azure(text: &str, start: usize) -> Option<Hit> {
    let accept = |byte: u8| is_url_safe(byte) || matches!(byte, b'.' | b'~');
    let mark = text.as_bytes().get(start + 3..start + 6)?;
    if !(mark.first()?.is_ascii_digit() && mark.ends_with(b"Q~")) {
        return None;
    }
    let length = run_most(text, start, 41, accept);
    (37..=40).contains(&length).then(|| {
        hit(start, start + length, RuleId::SecretVendorToken.as_str(), "azure-client-secret", Confidence::High)
    })
}

fn terraform(text: &str, start: usize) -> Option<Hit> {
    let id = run_most(text, start, 15, |byte| byte.is_ascii_alphanumeric());
    let middle = start + id;
    if id != 14 || !text.as_bytes().get(middle..)?.starts_with(b".atlasv1.") {
        return None;
    }
    let from = middle + ".atlasv1.".len();
    let length = run(text, from, is_url_safe);
    (length >= 60)
        .then(|| hit(start, from + length, RuleId::SecretVendorToken.as_str(), "terraform-token", Confidence::High))
}

/// 32 hexadecimal digits and the name of a data centre.
fn mailchimp(text: &str, start: usize) -> Option<Hit> {
    let hex = run_most(text, start, 33, |byte| byte.is_ascii_hexdigit());
    let centre = text.as_bytes().get(start + 32..start + 35)?;
    if hex != 32 || !centre.starts_with(b"-us") {
        return None;
    }
    let digits = run(text, start + 35, |byte| byte.is_ascii_digit());
    (1..=2)
        .contains(&digits)
        .then(|| hit(start, start + 35 + digits, RuleId::SecretVendorToken.as_str(), "mailchimp-key", Confidence::High))
}

/// `scheme://user:password@host`; without a password, a user that is long enough to be a token.
pub(super) fn authority(text: &str, colon: usize, hits: &mut Vec<Hit>) {
    const LONGEST: usize = 512;
    let start = colon + "://".len();
    let accept = |byte: u8| !byte.is_ascii_control() && !b" \"'<>`\\|".contains(&byte);
    let length = run_most(text, start, LONGEST, accept);
    let reach = piece(text, start, super::text::floor(text, start + length));
    // A password may hold `/` and `?` although it must not: what comes last before the host counts.
    let stop = reach.find('/').unwrap_or(reach.len());
    let Some(sign) = reach.get(..stop).and_then(|near| near.rfind('@')).or_else(|| far_sign(reach)) else { return };
    let user_info = reach.get(..sign).unwrap_or("");
    let Some((user, password)) = user_info.split_once(':') else {
        return lone_user(text, start, user_info, hits);
    };
    if password.is_empty() || is_reference(password) {
        return;
    }
    let from = start + user.len() + 1;
    let confidence = value::of_password(password);
    if let Some(confidence) = confidence {
        hits.push(hit(
            from,
            from + password.len(),
            RuleId::SecretUrlCredentials.as_str(),
            "url-credentials",
            confidence,
        ));
    }
}

/// `@` beyond a `/`: only where a host with a dot or a port follows it.
fn far_sign(reach: &str) -> Option<usize> {
    let sign = reach.find('@')?;
    let user_info = reach.get(..sign)?;
    let (_, password) = user_info.split_once(':')?;
    // `host:8080/path@x` is a place, and so is what starts with a number.
    let port = password.bytes().take_while(u8::is_ascii_digit).count();
    (port == 0 || !matches!(password.as_bytes().get(port), Some(b'/'))).then_some(())?;
    (password.len() <= 64 && !password.starts_with('/')).then_some(sign)
}

fn lone_user(text: &str, start: usize, user: &str, hits: &mut Vec<Hit>) {
    if user.len() >= 20 && user.bytes().all(is_url_safe) && strangeness(user) > 30 && !is_placeholder(user) {
        let _ = text;
        hits.push(hit(
            start,
            start + user.len(),
            RuleId::SecretUrlCredentials.as_str(),
            "url-credentials",
            Confidence::Medium,
        ));
    }
}

/// `Basic dXNlcjpwYXNz`: base64 of a user and a password.
pub(super) fn basic(text: &str, start: usize, hits: &mut Vec<Hit>) {
    let from = start + run(text, start, |byte| matches!(byte, b' ' | b'"' | b'\''));
    let length = run(text, from, |byte| is_base64(byte) || byte == b'=');
    let body = piece(text, from, from + length);
    let Some(opened) = base64::decode(body) else { return };
    let Ok(opened) = std::str::from_utf8(&opened) else { return };
    let Some((user, password)) = opened.split_once(':') else { return };
    let clean = opened.chars().all(|character| !character.is_control());
    if length < 8 || !clean || user.len() + password.len() < 5 {
        return;
    }
    let confidence = value::of_password(password).unwrap_or(Confidence::Low);
    hits.push(hit(from, from + length, RuleId::SecretAuthorization.as_str(), "basic-credentials", confidence));
}

/// `Bearer …`: what is long and drawn.
pub(super) fn bearer(text: &str, start: usize, hits: &mut Vec<Hit>) {
    let from = start + run(text, start, |byte| matches!(byte, b' ' | b'"' | b'\''));
    let length = run(text, from, |byte| is_base64(byte) || matches!(byte, b'.' | b'=' | b'~' | b'|' | b':' | b'%'));
    let body = piece(text, from, from + length).trim_end_matches(['.', ':']);
    let drawn = body.len() >= 12 && strangeness(body) > 20 && variety(body) >= 7 && followers(body) * 2 < body.len();
    if drawn && !is_placeholder(body) && !is_reference(body) {
        hits.push(hit(from, from + body.len(), RuleId::SecretAuthorization.as_str(), "bearer-token", Confidence::High));
    }
}

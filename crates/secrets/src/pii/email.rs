//! E-mail addresses: RFC 5321 and RFC 6531 as texts have them.

use agent_strace_model::finding::RuleId;

use super::context::{Context, Family};
use super::domain::{Ending, ending, is_nobodys, is_program};
use super::login;
use super::text::{Text, is_word};
use crate::hit::{Confidence, Hit};

/// RFC 5321 section 4.5.3.1: octets of a local part and of a domain.
const MOST_LOCAL: usize = 64;
const MOST_DOMAIN: usize = 255;

/// An address: where it starts, where its domain does, where it ends.
#[derive(Clone, Copy)]
pub(super) struct Address {
    pub(super) start: usize,
    pub(super) domain: usize,
    pub(super) end: usize,
}

/// Looks at an `@`.
pub(super) fn at_sign(text: &Text<'_>, at: usize, hits: &mut Vec<Hit>) {
    let (left, right) = (text.before(at), text.at(at + 1));
    if !right.is_ascii_alphanumeric() && right < 0x80 && right != b'[' || left.is_ascii_whitespace() || left == 0 {
        return;
    }
    let Some(start) = local_start(text, at) else { return };
    if login::find(text, at, hits) {
        return;
    }
    let address = Address { start, domain: at + 1, end: domain_end(text, at + 1) };
    if let Some(confidence) = judge(text, address) {
        text.hit(start..address.end, RuleId::PiiEmail.as_str(), "email", confidence, hits);
    }
}

/// The fullwidth `＠`: the whole address is written in fullwidth or half of it.
pub(super) fn wide_at_sign(text: &Text<'_>, at: usize, hits: &mut Vec<Hit>) {
    let sign = '＠'.len_utf8();
    let head = text.string(at.saturating_sub(4 * MOST_LOCAL), at);
    let head = if head.is_empty() { text.string(0, at) } else { head };
    let local: usize =
        head.chars().rev().take(MOST_LOCAL).take_while(|letter| is_address(narrow(*letter))).map(char::len_utf8).sum();
    let tail = text.whole.get(at + sign..).unwrap_or_default();
    let domain: usize =
        tail.chars().take(MOST_DOMAIN).take_while(|letter| is_address(narrow(*letter))).map(char::len_utf8).sum();
    let plain: String = text.string(at - local, at + sign + domain).chars().map(narrow).collect();
    let trimmed = plain.trim_end_matches(['.', '-', '_']);
    if trimmed.len() == plain.len() && is_address_alone(&plain) {
        text.hit(at - local..at + sign + domain, RuleId::PiiEmail.as_str(), "email", Confidence::High, hits);
    }
}

/// Unicode's fullwidth forms (U+FF01 to U+FF5E) as the ASCII they stand for.
fn narrow(letter: char) -> char {
    match letter {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(letter as u32 - 0xfee0).unwrap_or(letter),
        '。' | '｡' => '.',
        _ => letter,
    }
}

fn is_address(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '.' | '_' | '-' | '+')
}

/// Whether a text is an address and nothing else.
pub(super) fn is_address_alone(plain: &str) -> bool {
    let text = Text::new(None, plain);
    let Some(at) = plain.find('@') else { return false };
    let Some(start) = local_start(&text, at) else { return false };
    let address = Address { start, domain: at + 1, end: domain_end(&text, at + 1) };
    start == 0
        && address.end == plain.len()
        && judge(&text, address).is_some_and(|confidence| confidence >= Confidence::Medium)
}

/// Where the local part that ends at `at` starts.
fn local_start(text: &Text<'_>, at: usize) -> Option<usize> {
    let common = |byte: u8| is_word(byte) || matches!(byte, b'.' | b'_' | b'-' | b'+' | b'\'');
    let mut start = text.run_back(at, 4 * MOST_LOCAL, common);
    if start == at {
        // The signs of RFC 5322 section 3.2.3; only where nothing simpler stands before the `@`, and several of them.
        start = text.run_back(at, MOST_LOCAL, |byte| b"!#$%&'*+-/=?^_`{|}~.".contains(&byte));
        return (at - start >= 6).then_some(start);
    }
    start = after_escape(text, start, at);
    start = of_one_script(text, start, at);
    start += text.piece(start, at).iter().take_while(|byte| matches!(byte, b'\'' | b'.' | b'-' | b'+')).count();
    let long = text.string(start, at).chars().take(MOST_LOCAL + 1).count() > MOST_LOCAL;
    (start < at && !long && text.before(at) != b'\'').then_some(start)
}

/// `\n` and `\u003c` before a word are no part of it.
fn after_escape(text: &Text<'_>, start: usize, at: usize) -> usize {
    if text.before(start) != b'\\' {
        return start;
    }
    match text.at(start) {
        b'n' | b't' | b'r' => start + 1,
        b'u' if at - start > 5 && text.piece(start + 1, start + 5).iter().all(u8::is_ascii_hexdigit) => start + 5,
        _ => start,
    }
}

/// Words of scripts without spaces stand right before an address: the local part stops where such a script does.
fn of_one_script(text: &Text<'_>, start: usize, at: usize) -> usize {
    let local = text.string(start, at);
    if local.is_ascii() {
        return start;
    }
    let spaceless =
        |letter: char| letter >= '\u{2e80}' || matches!(letter, '\u{2000}'..='\u{206f}' | '\u{a0}'..='\u{bf}');
    let last = local.chars().next_back().is_some_and(spaceless);
    let kept: usize = local
        .chars()
        .rev()
        .take_while(|letter| letter.is_ascii_punctuation() || spaceless(*letter) == last)
        .map(char::len_utf8)
        .sum();
    at - kept
}

/// Where a domain ends.
fn domain_end(text: &Text<'_>, start: usize) -> usize {
    let most = text.bytes.len().min(start + MOST_DOMAIN);
    let mut end = start;
    let mut label_ascii = None;
    for letter in text.whole.get(start..).unwrap_or_default().chars() {
        let word = letter.is_ascii_alphanumeric() || letter == '-' || (letter >= '\u{c0}' && is_letter(letter));
        if !word && letter != '.' || end >= most {
            break;
        }
        if letter == '.' {
            label_ascii = None;
        } else {
            let spaceless = letter >= '\u{2e80}';
            // A label is of one script: what follows without a space is the sentence going on.
            if *label_ascii.get_or_insert(spaceless) != spaceless {
                break;
            }
        }
        end += letter.len_utf8();
    }
    end -= text.piece(start, end).iter().rev().take_while(|byte| matches!(byte, b'.' | b'-')).count();
    end
}

/// Letters, and the marks that Indic scripts write within words.
fn is_letter(letter: char) -> bool {
    letter.is_alphanumeric()
        || matches!(letter, '\u{300}'..='\u{36f}' | '\u{900}'..='\u{dff}' | '\u{e31}'..='\u{e4e}' | '\u{200c}' | '\u{200d}')
}

/// How sure it is that an address is somebody's.
pub(super) fn judge(text: &Text<'_>, address: Address) -> Option<Confidence> {
    let Address { start, domain: at, end } = address;
    let (local, domain) = (text.string(start, at - 1).to_lowercase(), text.string(at, end).to_lowercase());
    if !is_domain(&domain) || is_nobodys(&domain) || is_program(&local) || is_member(text, end) {
        return None;
    }
    let named = || Context::before(text, start).says(Family::Mail) || is_wrapped(text, start, end);
    let confidence = match ending(&domain) {
        Ending::Known => Confidence::High,
        Ending::Code if named() => Confidence::High,
        Ending::Code if domain.matches('.').count() > 1 || local.contains(['.', '+']) => Confidence::Medium,
        Ending::Code => Confidence::Low,
        Ending::Unknown if named() => Confidence::Medium,
        Ending::Unknown => return None,
    };
    (!is_authority(text, start)).then_some(confidence)
}

/// Labels with something in them, at least two, and not those of a version.
fn is_domain(domain: &str) -> bool {
    let mut labels = domain.split('.');
    let numbers = labels.clone().filter(|label| is_number(label)).count();
    let count = labels.clone().count();
    let last = labels.clone().next_back().unwrap_or_default();
    let fine =
        labels.all(|label| !label.is_empty() && label.len() <= 63 && !label.starts_with('-') && !label.ends_with('-'));
    fine && count >= 2 && numbers < 2 && !is_number(last)
}

fn is_number(label: &str) -> bool {
    let digits = label.strip_prefix('v').unwrap_or(label);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// `a@b.c(` is a call; `git@host.org:owner/name` is a place, as `scp` writes it.
fn is_member(text: &Text<'_>, end: usize) -> bool {
    match text.at(end) {
        b'(' => true,
        b':' => is_word(text.at(end + 1)) || matches!(text.at(end + 1), b'/' | b'~' | b'.'),
        _ => false,
    }
}

/// Whether the address is what stands before the host in a URL.
fn is_authority(text: &Text<'_>, start: usize) -> bool {
    let head = text.run_back(start, 80, |byte| {
        !byte.is_ascii_whitespace() && !matches!(byte, b'/' | b'"' | b'\'' | b'<' | b'>' | b'?' | b'=')
    });
    text.before(head) == b'/' && head >= 3 && text.piece(head - 3, head) == b"://"
}

fn is_wrapped(text: &Text<'_>, start: usize, end: usize) -> bool {
    text.before(start) == b'<' && text.at(end) == b'>'
}

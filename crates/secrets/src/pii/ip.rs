//! Addresses of machines on the public network. Private, local, reserved and documentation addresses tell nothing of anybody.

use std::net::{Ipv4Addr, Ipv6Addr};

use agent_strace_model::finding::RuleId;

use super::context::{Context, Family};
use super::numbers::Groups;
use super::text::{Text, is_word};
use crate::hit::{Confidence, Hit};

/// Looks at four groups with dots between; gives where they end, be they an address or not.
pub(super) fn dotted(text: &Text<'_>, groups: &Groups, hits: &mut Vec<Hit>) -> Option<usize> {
    if groups.len() < 4 || groups.lengths().take(4).any(|length| length > 3) || groups.joint(text, 4) != Some(b'.') {
        return None;
    }
    let (start, end) = (groups.spans().first()?.0, groups.end(4));
    let address: Ipv4Addr = text.string(start, end).parse().ok()?;
    let Some(confidence) = judge_v4(text, address, start, end) else { return Some(end) };
    text.hit(start..end, RuleId::PiiIp.as_str(), "v4", confidence, hits);
    Some(end)
}

fn judge_v4(text: &Text<'_>, address: Ipv4Addr, start: usize, end: usize) -> Option<Confidence> {
    if !is_public_v4(address) || is_version(text, start, end) {
        return None;
    }
    let context = Context::before(text, start);
    let named = context.says(Family::Address);
    let octets = address.octets();
    if context.nearly_ends_with(Family::Version) {
        return None;
    }
    // Small numbers, those that end in zeros and those with the common arcs of X.660 are versions and object identifiers far more often than machines.
    let arc = matches!(octets, [1, 2 | 3, ..] | [2, 5 | 16 | 23, ..]);
    let small = arc || octets.iter().filter(|octet| **octet < 32).count() >= 3 || octets.ends_with(&[0, 0]);
    if small && !named {
        return None;
    }
    let last = octets.last() == Some(&0);
    Some(if last {
        Confidence::Low
    } else if named {
        Confidence::High
    } else {
        Confidence::Medium
    })
}

/// Where a version stands rather than an address: `v1.2.3.4`, `Chrome/1.2.3.4`, `name-1.2.3.4`, `1.2.3.4-rc`.
fn is_version(text: &Text<'_>, start: usize, end: usize) -> bool {
    let left = text.before(start);
    let earlier = start.checked_sub(2).map_or(0, |at| text.at(at));
    let product = left == b'/' && (is_word(earlier) || matches!(earlier, b'.' | b'+' | b')'));
    let name = matches!(left, b'-' | b'.' | b'+') && (is_word(earlier) || earlier == b'_');
    let next = text.at(end + 1);
    let goes_on = match text.at(end) {
        b'.' | b'-' | b'+' => is_word(next),
        b'_' | b'~' => true,
        byte => is_word(byte),
    };
    let joined = (is_word(left) && !text.follows_escape(start)) || matches!(left, b'_' | b'^' | b'~');
    product || name || joined || goes_on
}

/// IANA's special-purpose registry (RFC 6890), multicast, and resolvers that everybody names.
fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, d] = address.octets();
    let special = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_documentation()
        || address.is_multicast()
        || matches!((a, b, c), (0 | 240.., ..) | (100, 64..=127, _) | (198, 18 | 19, _) | (192, 0, 0) | (192, 88, 99));
    let resolver = matches!(
        (a, b, c, d),
        (8, 8, 8, 8) | (8, 8, 4, 4) | (1, 1, 1, 1) | (1, 0, 0, 1) | (9, 9, 9, 9) | (208, 67, 222, 222)
    );
    let counted = a.checked_add(1) == Some(b) && b.checked_add(1) == Some(c) && c.checked_add(1) == Some(d);
    // 255 starts masks of networks; 1.2.3.4 and 101.102.103.104 are examples.
    !special && !counted && !resolver && a != 255
}

/// Looks at a word of hexadecimal digits beside a `:`; gives where the run of them ends.
pub(super) fn colons(text: &Text<'_>, start: usize, end: usize, hits: &mut Vec<Hit>) -> usize {
    let hex = |byte: u8| byte.is_ascii_hexdigit() || byte == b':';
    let first = text.run_back(start, 41, hex);
    let mut last = text.run(end, 41, hex);
    if last - first > 45 || memchr::memchr_iter(b':', text.piece(first, last)).take(2).count() < 2 {
        return end;
    }
    // An IPv4 tail, and a `:` that ends a sentence.
    if text.at(last) == b'.' && text.at(last + 1).is_ascii_digit() {
        last = text.run(last, 16, |byte| byte.is_ascii_digit() || byte == b'.');
    }
    let single = |at: usize| text.before(at) == b':' && at >= 2 && text.at(at - 2) != b':';
    if single(last) {
        last -= 1;
    }
    let opens =
        !is_word(text.before(first)) && !matches!(text.before(first), b'.' | b'_') || text.follows_escape(first);
    if !opens || is_word(text.at(last)) || matches!(text.at(last), b':' | b'_') {
        return end;
    }
    let piece = text.string(first, last);
    let Ok(address) = piece.parse::<Ipv6Addr>() else { return end };
    if is_public_v6(address) && looks_like_v6(piece) {
        text.hit(first..last, RuleId::PiiIp.as_str(), "v6", Confidence::Medium, hits);
    }
    last
}

/// Paths of programs (`e2e::b2`) and bytes with colons parse as addresses, too.
fn looks_like_v6(piece: &str) -> bool {
    let groups = piece.split(':').filter(|group| !group.is_empty()).count();
    if groups == 8 {
        return piece.split(':').any(|group| group.len() > 2);
    }
    let global = piece.starts_with(['2', '3']) && piece.find(':') == Some(4);
    global && groups >= 3
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, ..] = address.segments();
    let special = address.is_loopback()
        || address.is_unspecified()
        || address.is_multicast()
        || matches!(first, 0xfe80..=0xfebf | 0xfc00..=0xfdff)
        || (first, second) == (0x2001, 0xdb8)
        || (first, second) == (0x64, 0xff9b)
        // Protocol assignments (RFC 2928), and resolvers that everybody names.
        || first == 0x2001 && second < 0x200
        || matches!((first, second), (0x2001, 0x4860) | (0x2606, 0x4700) | (0x2620, 0xfe)) && address.segments().get(2..7).is_some_and(is_resolver);
    !special && address.to_ipv4_mapped().is_none()
}

/// `2001:4860:4860::8888`, `2606:4700:4700::1111`, `2620:fe::fe`: nothing between the network and the host.
fn is_resolver(middle: &[u16]) -> bool {
    middle.iter().skip(1).all(|segment| *segment == 0)
}

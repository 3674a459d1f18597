//! What keys and pointers are called in messages, and what was meant by a misspelt one.

/// A key as it stands in a JSON pointer.
pub(super) fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// `/files/read/deny/0` as people say it: `files.read.deny[0]`.
pub fn dotted(pointer: &str) -> String {
    let mut name = String::new();
    for part in pointer.split('/').skip(1) {
        push_part(&mut name, &part.replace("~1", "/").replace("~0", "~"));
    }
    name
}

/// One part more of such a name.
pub(crate) fn push_part(name: &mut String, part: &str) {
    if part.bytes().all(|byte| byte.is_ascii_digit()) {
        name.extend(["[", part, "]"]);
    } else {
        if !name.is_empty() {
            name.push('.');
        }
        name.push_str(part);
    }
}

/// The candidate a typing error away, if one is.
pub fn nearest<'a>(name: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let name: String = name.chars().take(64).collect::<String>().to_lowercase();
    candidates
        .iter()
        .map(|candidate| (distance(&name, candidate), *candidate))
        .filter(|(distance, candidate)| {
            let length = candidate.chars().count();
            let alike = name.chars().zip(candidate.chars()).take_while(|(one, other)| one == other).count();
            *distance < length && (*distance <= (length / 3).max(1) + 1 || alike >= 3 && alike + 1 >= length)
        })
        .min()
        .map(|(_, candidate)| candidate)
}

/// Edit distance.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (at, character) in left.chars().enumerate() {
        let mut next = vec![at + 1];
        for ((other, above), above_left) in right.iter().zip(row.iter().skip(1)).zip(&row) {
            let beside = next.last().copied().unwrap_or(0);
            next.push((above_left + usize::from(*other != character)).min(above + 1).min(beside + 1));
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

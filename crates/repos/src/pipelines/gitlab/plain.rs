//! Text of YAML that every reader divides into the same keys.

use super::segments::Segment;

/// Letters of a line that is looked at.
const LINE: usize = 4096;

/// Letters that end a line in YAML 1.1, and not in YAML 1.2.
pub(super) const BREAKS: [char; 3] = ['\u{85}', '\u{2028}', '\u{2029}'];

/// The lines in which readers of YAML find more lines, or fewer.
pub(in crate::pipelines) fn lines_with_odd_breaks(text: &str) -> Vec<&str> {
    let lines = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
    lines.filter(|line| line.contains('\r') || line.contains(BREAKS)).collect()
}

/// Returns true if a file has one document and nothing in it that is merged elsewhere or changes its meaning.
pub(super) fn is_plain(text: &str) -> bool {
    let is_odd = |letter: char| {
        letter.is_control() && !matches!(letter, '\n' | '\r' | '\t') || BREAKS.contains(&letter) || letter == '\u{feff}'
    };
    !text.contains(is_odd) && lines_with_odd_breaks(text).is_empty() && text.lines().all(is_plain_line)
}

fn is_plain_line(line: &str) -> bool {
    let indentation = line.len() - line.trim_start().len();
    let has_tab = line.get(..indentation).is_some_and(|blanks| blanks.contains('\t'));
    let is_marker = line.starts_with("---") || line.starts_with("...") || line.starts_with('%');
    !has_tab && !is_marker && !is_merge(line) && !has_anchor_or_tag(line)
}

/// Returns true if a line of a text may merge the keys of another value into a mapping.
pub(in crate::pipelines) fn merges_keys(text: &str) -> bool {
    text.lines().any(is_merge)
}

/// `<<:`, in quotes or not, or `? <<` with the rest on the next line.
pub(in crate::pipelines) fn is_merge(line: &str) -> bool {
    let is_between = |letter: char| "\"'".contains(letter) || letter.is_whitespace();
    let behind = line.match_indices("<<").filter_map(|(at, found)| line.get(at + found.len()..));
    let mut rests = behind.map(|rest| rest.trim_start_matches(is_between));
    rests.any(|rest| rest.is_empty() || rest.starts_with([':', '#']))
}

/// `&name` and `!tag`, where a value may begin.
fn has_anchor_or_tag(line: &str) -> bool {
    let (anchors, tags) = (values_with(line, '&', "_-"), values_with(line, '!', TAG));
    anchors.chain(tags).next().is_some()
}

/// Letters that begin a tag, beside those of words.
const TAG: &str = "<!%_";

/// `!tag`, where a value that is not in quotes may begin.
pub(in crate::pipelines) fn has_tag(line: &str) -> bool {
    values_with(line, '!', TAG).any(|before| !before.is_some_and(|before| "\"'".contains(before)))
}

/// The letters before each place where a value may begin with a letter and a name.
fn values_with<'l>(line: &'l str, asked: char, more: &'static str) -> impl Iterator<Item = Option<char>> + 'l {
    line.match_indices(asked).filter_map(move |(at, found)| {
        let before = line.get(..at)?.chars().next_back();
        let next = line.get(at + found.len()..)?.chars().next()?;
        let may_begin = before.is_none_or(|before| before.is_whitespace() || "[{,:-?\"'".contains(before));
        (may_begin && (next.is_alphanumeric() || more.contains(next))).then_some(before)
    })
}

/// Returns true if a segment that differs is a bare key with lines below it, each of which ends all that it begins. So no
/// reader takes the segments behind it for a part of it.
pub(super) fn is_plain_segment(segment: &Segment<'_>) -> bool {
    let behind = segment.text.strip_prefix(segment.key).and_then(|rest| rest.strip_prefix(':'));
    let is_bare = behind.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\r', '\n']));
    let is_below = |line: &str| line.trim().is_empty() || line.starts_with([' ', '#']);
    is_bare
        && !segment.text.contains('\t')
        && segment.text.lines().skip(1).all(is_below)
        && segment.text.lines().all(ends_what_it_begins)
}

/// Returns true if quotes and brackets with which a value may begin end on the line.
fn ends_what_it_begins(line: &str) -> bool {
    if line.trim_start().starts_with('#') {
        return true;
    }
    let letters: Vec<char> = line.chars().take(LINE + 1).collect();
    let mut last = None;
    let mut is_apart = true;
    let mut has_brackets = false;
    for (at, letter) in letters.iter().enumerate() {
        if letter.is_whitespace() {
            is_apart = true;
            continue;
        }
        let begins = match last {
            None | Some(':') => true,
            Some('-' | '?') => is_apart,
            Some('[' | '{' | ',') => has_brackets,
            _ => false,
        };
        has_brackets |= begins && matches!(letter, '[' | '{');
        let rest = letters.get(at + 1..).unwrap_or_default();
        if begins && matches!(letter, '"' | '\'') && !has_end(rest, *letter) {
            return false;
        }
        (last, is_apart) = (Some(*letter), false);
    }
    letters.len() <= LINE && (!has_brackets || has_pairs(&letters) && has_pairs(before_comment(&letters)))
}

/// The letters before ` #`, which may begin a comment.
fn before_comment(letters: &[char]) -> &[char] {
    let at = letters.windows(2).position(|pair| matches!(pair, [blank, '#'] if blank.is_whitespace()));
    letters.get(..at.unwrap_or(letters.len())).unwrap_or_default()
}

/// Returns true if a text in quotes ends.
fn has_end(rest: &[char], quote: char) -> bool {
    let mut letters = rest.iter().peekable();
    while let Some(letter) = letters.next() {
        if *letter == '\\' && quote == '"' {
            letters.next();
        } else if *letter == quote && (quote == '"' || letters.next_if_eq(&&quote).is_none()) {
            return true;
        }
    }
    false
}

/// Returns true if all brackets have their pairs, whether those in quotes count or not.
fn has_pairs(letters: &[char]) -> bool {
    let mut quote = None;
    let mut bare = Vec::new();
    for letter in letters {
        match quote {
            Some(open) if open == *letter => quote = None,
            None if matches!(letter, '"' | '\'') => quote = Some(*letter),
            None => bare.push(*letter),
            Some(_) => {}
        }
    }
    let count = |letters: &[char], asked: char| letters.iter().filter(|letter| **letter == asked).count();
    let pairs = |letters: &[char]| {
        [('[', ']'), ('{', '}')].iter().all(|(open, end)| count(letters, *open) == count(letters, *end))
    };
    quote.is_none() && pairs(letters) && pairs(&bare)
}

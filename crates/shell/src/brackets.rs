//! Bracket expressions of patterns, as POSIX and the shells read them: `[a-z]`, `[!x]`, `[[:alpha:]]`, `[[.hyphen.]]`.

/// The members of one bracket expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Brackets {
    members: Vec<Member>,
    negated: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Member {
    Range(char, char),
    Class(Class),
    /// `[=e=]`: what the locale sorts alike.
    Like(char),
    /// A name that this does not know.
    Any,
}

/// A named class of characters. What is beyond ASCII is in all of them that are about letters: locales differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Letters,
    Lower,
    Upper,
    Ascii(&'static [(char, char)]),
}

/// Names of characters that stand in `[. .]`, beside the characters themselves.
const NAMES: &[(&str, char)] = &[
    ("period", '.'),
    ("full-stop", '.'),
    ("hyphen", '-'),
    ("hyphen-minus", '-'),
    ("slash", '/'),
    ("solidus", '/'),
    ("underscore", '_'),
    ("low-line", '_'),
    ("space", ' '),
    ("comma", ','),
    ("colon", ':'),
    ("plus-sign", '+'),
    ("tilde", '~'),
];

const LETTERS: &[(char, char)] = &[('A', 'Z'), ('a', 'z')];

/// The first character that is not ASCII, and the last of all.
const FOREIGN: (char, char) = ('\u{80}', char::MAX);

impl Brackets {
    /// Reads the expression behind a `[`, and returns how many bytes it takes, its `]` included. `None`: nothing closes it.
    pub fn read(text: &str) -> Option<(Self, usize)> {
        let body = text.strip_prefix(['!', '^']).unwrap_or(text);
        let mut found = Self { members: Vec::new(), negated: body.len() != text.len() };
        let mut rest = body;
        loop {
            // A `]` in first place is a member.
            if let Some(after) = rest.strip_prefix(']').filter(|_| rest.len() != body.len()) {
                return Some((found, text.len() - after.len()));
            }
            let (first, after) = member(rest)?;
            let (next, after) = match (first, after.strip_prefix('-')) {
                (Member::Range(low, _), Some(behind)) if !behind.is_empty() && !behind.starts_with(']') => {
                    match member(behind)? {
                        (Member::Range(_, high), after) => (Member::Range(low, high), after),
                        (_, after) => (Member::Any, after),
                    }
                }
                (only, _) => (only, after),
            };
            found.members.push(next);
            rest = after;
        }
    }

    /// Whether the character is spelled, and not only in a range or a class.
    pub fn spells(&self, character: char) -> bool {
        !self.negated
            && self
                .members
                .iter()
                .any(|member| matches!(member, Member::Range(low, high) if low == high && *low == character))
    }

    pub fn has(&self, character: char) -> bool {
        self.ranges().iter().any(|(low, high)| (*low..=*high).contains(&character)) != self.negated
    }

    /// It has the same members in every locale.
    pub fn is_exact(&self) -> bool {
        self.members.iter().all(|member| matches!(member, Member::Range(..)))
    }

    pub fn is_negated(&self) -> bool {
        self.negated
    }

    /// The listed characters, negated or not. Where locales differ, so much that the whole expression matches too much rather
    /// than too little.
    pub fn ranges(&self) -> Vec<(char, char)> {
        self.members.iter().flat_map(|member| member.ranges(self.negated)).collect()
    }
}

impl Member {
    fn ranges(self, negated: bool) -> Vec<(char, char)> {
        let generous = |ranges: &[(char, char)]| {
            let foreign = Some(FOREIGN).filter(|_| !negated);
            ranges.iter().copied().chain(foreign).collect()
        };
        match self {
            Self::Range(low, high) => vec![(low, high)],
            // Where names of both cases are the same file, one case stands for the other.
            Self::Class(Class::Lower | Class::Upper) | Self::Any if negated => Vec::new(),
            Self::Class(Class::Letters | Class::Lower | Class::Upper) => generous(LETTERS),
            Self::Class(Class::Ascii(ranges)) => generous(ranges),
            Self::Like(character) if negated => vec![(character, character)],
            Self::Like(character) => generous(&[(character, character)]),
            Self::Any => vec![('\0', char::MAX)],
        }
    }
}

/// One member, and what follows it.
fn member(text: &str) -> Option<(Member, &str)> {
    for (kind, end) in [('.', ".]"), ('=', "=]"), (':', ":]")] {
        let inner = text.strip_prefix('[').and_then(|text| text.strip_prefix(kind));
        if let Some((name, after)) = inner.and_then(|inner| inner.split_once(end)).filter(|(name, _)| is_name(name)) {
            return Some((named(kind, name), after));
        }
    }
    let first = text.chars().next()?;
    Some((Member::Range(first, first), text.get(first.len_utf8()..)?))
}

/// One character, or a name; else the `[` is a member like any other.
fn is_name(name: &str) -> bool {
    name.chars().nth(1).is_none()
        || name.chars().all(|character| character.is_ascii_alphanumeric() || "-_".contains(character))
}

fn named(kind: char, name: &str) -> Member {
    let mut characters = name.chars();
    let only = characters.next().filter(|_| characters.next().is_none());
    let known = only.or_else(|| NAMES.iter().find_map(|(known, character)| (*known == name).then_some(*character)));
    match (kind, known) {
        ('.', Some(character)) => Member::Range(character, character),
        ('=', Some(character)) => Member::Like(character),
        (':', _) => class(name),
        _ => Member::Any,
    }
}

fn class(name: &str) -> Member {
    Member::Class(match name {
        "alpha" => Class::Letters,
        "lower" => Class::Lower,
        "upper" => Class::Upper,
        "digit" => Class::Ascii(&[('0', '9')]),
        "xdigit" => Class::Ascii(&[('0', '9'), ('A', 'F'), ('a', 'f')]),
        "alnum" => Class::Ascii(&[('0', '9'), ('A', 'Z'), ('a', 'z')]),
        "word" => Class::Ascii(&[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')]),
        "blank" => Class::Ascii(&[('\t', '\t'), (' ', ' ')]),
        "space" => Class::Ascii(&[('\t', '\r'), (' ', ' ')]),
        "cntrl" => Class::Ascii(&[('\0', '\u{1f}'), ('\u{7f}', '\u{7f}')]),
        "print" => Class::Ascii(&[(' ', '~')]),
        "graph" => Class::Ascii(&[('!', '~')]),
        "punct" => Class::Ascii(&[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')]),
        "ascii" => Class::Ascii(&[('\0', '\u{7f}')]),
        _ => return Member::Any,
    })
}

#[cfg(test)]
mod tests {
    use super::Brackets;

    #[test]
    fn brackets_have_what_posix_says() {
        let cases = [
            ("abc]x", "abc", "dx", 4),
            ("!a-c]", "dz", "abc", 5),
            ("^a]", "b", "a", 3),
            ("]a]", "]a", "b", 3),
            ("[:alpha:]]v", "aZé", "1.", 10),
            ("[:digit:][:punct:]]", "0.-", "a", 19),
            ("![:digit:]]", "a.", "5", 11),
            ("[=n=]]", "n", "m", 6),
            ("[.n.]-[.p.]]", "nop", "mq", 12),
            ("[.period.]]", ".", "p", 11),
            ("[:nobody:]]", "aZ0.", "", 11),
            ("a-]", "a-", "b", 3),
            ("[]", "[", "]", 2),
            ("[:a b:]]", "[:a b", "]", 7),
        ];
        for (text, members, others, length) in cases {
            let (found, taken) = Brackets::read(text).unwrap();
            assert_eq!(taken, length, "[{text}");
            assert!(members.chars().all(|member| found.has(member)), "[{text} has all of `{members}`: {found:?}");
            assert!(!others.chars().any(|other| found.has(other)), "[{text} has none of `{others}`: {found:?}");
        }
        for open in ["", "a", "!", "]", "[:alpha:]", "a-"] {
            assert_eq!(Brackets::read(open), None, "[{open}");
        }
    }
}

//! Patterns of git over paths, as `wildmatch` of git takes them: no braces, and classes by their names.

/// One step of a pattern.
#[derive(Debug)]
enum Token {
    Byte(u8),
    /// `?`
    Any,
    /// `*`
    Star,
    /// `**/`: no folder, or some.
    Folders,
    /// `**` at the end: everything below.
    Below,
    Class {
        negates: bool,
        members: Vec<Member>,
    },
}

#[derive(Debug)]
enum Member {
    Range(u8, u8),
    Named(Holds),
}

/// Whether a class holds a byte.
type Holds = fn(&u8) -> bool;

/// Classes by their names.
const NAMED: &[(&str, Holds)] = &[
    ("alnum", u8::is_ascii_alphanumeric),
    ("alpha", u8::is_ascii_alphabetic),
    ("blank", |byte| matches!(byte, b' ' | b'\t')),
    ("cntrl", u8::is_ascii_control),
    ("digit", u8::is_ascii_digit),
    ("graph", u8::is_ascii_graphic),
    ("lower", u8::is_ascii_lowercase),
    ("print", |byte| matches!(byte, b' '..=b'~')),
    ("punct", u8::is_ascii_punctuation),
    ("space", u8::is_ascii_whitespace),
    ("upper", u8::is_ascii_uppercase),
    ("xdigit", u8::is_ascii_hexdigit),
];

#[derive(Debug)]
pub(super) struct Pattern(Vec<Token>);

impl Pattern {
    /// `None`: git matches nothing by it.
    pub(super) fn of(text: &str) -> Option<Self> {
        let mut tokens = Vec::new();
        let mut rest = text.as_bytes();
        let mut is_start = true;
        while let Some((first, behind)) = rest.split_first() {
            rest = behind;
            let was_start = std::mem::replace(&mut is_start, *first == b'/');
            match first {
                b'\\' => {
                    let (escaped, behind) = rest.split_first()?;
                    rest = behind;
                    tokens.push(Token::Byte(*escaped));
                }
                b'?' => tokens.push(Token::Any),
                b'*' => {
                    let stars = rest.iter().take_while(|byte| **byte == b'*').count();
                    rest = rest.get(stars..)?;
                    match rest.split_first() {
                        Some((b'/', behind)) if was_start && stars == 1 => {
                            tokens.push(Token::Folders);
                            rest = behind;
                            is_start = true;
                        }
                        None if was_start && stars == 1 => tokens.push(Token::Below),
                        _ => tokens.push(Token::Star),
                    }
                }
                b'[' => tokens.push(class(&mut rest)?),
                byte => tokens.push(Token::Byte(*byte)),
            }
        }
        Some(Self(tokens))
    }

    pub(super) fn matches(&self, path: &str) -> bool {
        let path = path.as_bytes();
        let literal = self.0.iter().take_while(|token| matches!(token, Token::Byte(_)));
        let mut start = 0;
        for token in literal {
            if !matches!((token, path.get(start)), (Token::Byte(wanted), Some(found)) if wanted == found) {
                return false;
            }
            start += 1;
        }
        // `at[i]`: the tokens so far match the first `i` bytes.
        let mut at = vec![false; path.len() + 1];
        if let Some(cell) = at.get_mut(start) {
            *cell = true;
        }
        for token in self.0.iter().skip(start) {
            at = token.step(path, &at);
        }
        at.last().copied().unwrap_or(false)
    }
}

impl Token {
    /// The places that the token leads to.
    fn step(&self, path: &[u8], from: &[bool]) -> Vec<bool> {
        let mut to = vec![false; from.len()];
        let mut is_reached = false;
        for (index, cell) in to.iter_mut().enumerate() {
            let is_from = |at: Option<usize>| at.and_then(|at| from.get(at)).copied().unwrap_or(false);
            let before = index.checked_sub(1).and_then(|at| path.get(at));
            let is_here = is_from(Some(index));
            let takes_one = |takes: bool| takes && is_from(index.checked_sub(1));
            *cell = match self {
                Self::Byte(byte) => takes_one(before == Some(byte)),
                Self::Any => takes_one(before.is_some_and(|byte| *byte != b'/')),
                Self::Class { negates, members } => {
                    takes_one(before.is_some_and(|byte| *byte != b'/' && holds(members, *byte) != *negates))
                }
                Self::Star => {
                    is_reached = is_here || is_reached && before != Some(&b'/');
                    is_reached
                }
                Self::Folders => {
                    let is_found = is_here || is_reached && before == Some(&b'/');
                    is_reached |= is_here;
                    is_found
                }
                Self::Below => {
                    is_reached |= is_here;
                    is_reached
                }
            };
        }
        to
    }
}

fn holds(members: &[Member], byte: u8) -> bool {
    members.iter().any(|member| match member {
        Member::Range(first, last) => (*first..=*last).contains(&byte),
        Member::Named(has) => has(&byte),
    })
}

/// The class behind `[`. `None`: it does not end, or has a name that git does not know.
fn class(rest: &mut &[u8]) -> Option<Token> {
    let negates = matches!(rest.first(), Some(b'!' | b'^'));
    *rest = rest.get(usize::from(negates)..)?;
    let mut members = Vec::new();
    loop {
        let first = match rest {
            [b']', behind @ ..] if !members.is_empty() => {
                *rest = behind;
                return Some(Token::Class { negates, members });
            }
            [b'[', b':', behind @ ..] => {
                let end = behind.windows(2).position(|pair| pair == b":]")?;
                let name = behind.get(..end)?;
                let (_, has) = NAMED.iter().find(|(known, _)| known.as_bytes() == name)?;
                members.push(Member::Named(*has));
                *rest = behind.get(end + 2..)?;
                continue;
            }
            _ => one(rest)?,
        };
        let is_range = matches!(rest, [b'-', last, ..] if *last != b']');
        let last = if is_range {
            *rest = rest.get(1..)?;
            one(rest)?
        } else {
            first
        };
        members.push(Member::Range(first, last));
    }
}

fn one(rest: &mut &[u8]) -> Option<u8> {
    let (byte, behind) = match rest {
        [b'\\', byte, behind @ ..] | [byte, behind @ ..] => (*byte, behind),
        [] => return None,
    };
    *rest = behind;
    Some(byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_git_matches_them() {
        for (pattern, path, expected) in [
            ("a/*.b", "a/c.b", true),
            ("a/*.b", "a/c/d.b", false),
            ("**/b", "a/c/b", true),
            ("**/b", "b", true),
            ("a/**", "a/b/c", true),
            ("a/**/c", "a/c", true),
            ("a/**/c", "a/b/b/c", true),
            ("a**c", "a/c", false),
            ("{a,b}", "a", false),
            ("{a,b}", "{a,b}", true),
            ("[[:lower:]-]x", "-x", true),
            ("[!a-c]", "d", true),
            ("[^a]", "a", false),
            ("[]a]", "]", true),
            ("a[/]b", "a/b", false),
            ("a[b", "a[b", false),
            ("\\*a", "*a", true),
            ("????", "abcd", true),
        ] {
            let found = Pattern::of(pattern).is_some_and(|pattern| pattern.matches(path));
            assert_eq!(found, expected, "{pattern} {path}");
        }
    }
}

//! The names and paths that tests of a search spell: patterns of `find` and regular expressions as globs.

use super::find::escaped;

/// Globs that the alternatives of one regular expression make.
const MOST: usize = 16;
/// Groups inside each other.
const DEEP: usize = 8;

/// A pattern for what a search selects, in which wildcards match dots in first place and `**` any directories.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Spelled {
    /// A pattern of the last component.
    Name(String),
    /// A pattern of the whole path, as the search writes it.
    Path(String),
}

impl Spelled {
    pub(super) fn glob(&self) -> &str {
        match self {
            Self::Name(glob) | Self::Path(glob) => glob,
        }
    }

    /// `-path './src/*' -name '*.rs'`: what both let through, where one glob says so.
    pub(super) fn and(&self, other: &Self) -> Option<Self> {
        if let (Self::Name(one), Self::Name(other)) = (self, other) {
            return both(one, other).or_else(|| both(other, one)).map(Self::Name);
        }
        let (Self::Name(name), Self::Path(path)) = (self, other) else {
            return matches!((self, other), (Self::Path(_), Self::Name(_))).then(|| other.and(self)).flatten();
        };
        path.strip_suffix("/**").map(|directory| Self::Path(format!("{directory}/**/{name}")))
    }
}

/// The glob of names that match a glob and have an ending: `*key*` and `*.ts` are `*key*.ts`.
fn both(glob: &str, with_ending: &str) -> Option<String> {
    let is_plain = |text: &str| !text.contains(['*', '?', '[', ']', '\\']);
    let ending = with_ending.strip_prefix('*').filter(|ending| is_plain(ending))?;
    if is_plain(glob) {
        return glob.ends_with(ending).then(|| glob.to_owned());
    }
    let start = glob.strip_suffix('*')?;
    let last = start.rsplit('*').next().filter(|last| is_plain(last))?;
    // The ending may begin within the text before the wildcard.
    let overlaps = ending.contains(last)
        || last.char_indices().any(|(at, _)| last.get(at..).is_some_and(|tail| ending.starts_with(tail)));
    (!overlaps || last.is_empty()).then(|| format!("{glob}{ending}"))
}

/// The text that `*` of a pattern matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Star {
    /// It ends with the component.
    Component,
    /// It may cross components.
    Path,
}

/// A pattern of `find`, in which a backslash takes the meaning of what follows, as a glob.
pub(super) fn glob_of(pattern: &str, star: Star) -> String {
    let mut glob = String::with_capacity(pattern.len());
    let mut in_class = false;
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => {
                let literal = characters.next().unwrap_or('\\');
                glob.push_str(&escaped(literal.encode_utf8(&mut [0; 4])));
            }
            '*' if !in_class && star == Star::Path => any(&mut glob),
            '*' if !in_class && glob.ends_with('*') => {}
            other => {
                in_class = (in_class || other == '[') && other != ']';
                glob.push(other);
            }
        }
    }
    glob
}

/// It is more than wildcards.
pub(super) fn spells_something(glob: &str) -> bool {
    glob.contains(|character| !matches!(character, '*' | '?' | '/' | '.'))
}

/// The way in which a program writes groups and alternatives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// `\(a\|b\)`
    Basic,
    /// `(a|b)`
    Extended,
}

/// The part of a text that a regular expression has to match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Matched {
    Whole,
    /// Any part of the text, unless anchors say otherwise.
    Part,
}

/// Globs that match at least what a regular expression matches.
pub(super) fn globs_of(regex: &str, dialect: Dialect, matched: Matched) -> Vec<String> {
    let characters: Vec<char> = regex.chars().collect();
    let mut reader = Reader { left: &characters, dialect };
    let Some(globs) = reader.alternatives(0, matched) else { return vec!["**".to_owned()] };
    globs
}

struct Reader<'r> {
    left: &'r [char],
    dialect: Dialect,
}

/// A piece of a regular expression.
enum Piece {
    Literal(char),
    Any,
    Group(Vec<String>),
    Start,
    End,
    Bar,
    Close,
    /// Its alternatives are too many, or it is a group of another kind.
    Unread,
}

impl Reader<'_> {
    /// Alternatives up to the end of the group or of the text. `None`: they are too many.
    fn alternatives(&mut self, depth: usize, matched: Matched) -> Option<Vec<String>> {
        let mut done = Vec::new();
        loop {
            let (globs, goes_on) = self.alternative(depth, matched)?;
            done.extend(globs);
            if done.len() > MOST {
                return None;
            }
            if !goes_on {
                return Some(done);
            }
        }
    }

    /// One alternative, and whether another follows.
    fn alternative(&mut self, depth: usize, matched: Matched) -> Option<(Vec<String>, bool)> {
        let mut globs = vec![String::new()];
        let (mut starts, mut ends) = (matched == Matched::Whole, matched == Matched::Whole);
        let mut is_first = true;
        let mut goes_on = false;
        while let Some(piece) = self.piece(depth) {
            match piece {
                Piece::Unread => return None,
                Piece::Bar => {
                    goes_on = true;
                    break;
                }
                Piece::Close if depth > 0 => break,
                Piece::Start if is_first => starts = true,
                Piece::End if self.is_over() => ends = true,
                Piece::Start | Piece::End | Piece::Close => {}
                other => globs = self.quantified(&globs, other)?,
            }
            is_first = false;
        }
        for glob in &mut globs {
            if !starts {
                *glob = format!("**{}", glob.trim_start_matches("**"));
            }
            if !ends {
                any(glob);
            }
        }
        Some((globs, goes_on))
    }

    /// The globs so far, each with the piece and what its quantifier makes of it behind it.
    fn quantified(&mut self, globs: &[String], piece: Piece) -> Option<Vec<String>> {
        let quantifier = self.quantifier();
        let choices = match piece {
            Piece::Literal(character) => vec![escaped(character.encode_utf8(&mut [0; 4]))],
            Piece::Group(choices) => choices,
            _ => vec!["**".to_owned()],
        };
        let choices = if matches!(quantifier, Some('*' | '?' | '{')) { vec!["**".to_owned()] } else { choices };
        if globs.len().saturating_mul(choices.len()) > MOST {
            return None;
        }
        let joined = |start: &String, choice: &String| {
            let mut glob = start.clone();
            if choice.starts_with("**") && glob.ends_with("**") {
                glob.push_str(choice.trim_start_matches('*'));
            } else {
                glob.push_str(choice);
            }
            if quantifier.is_some() {
                any(&mut glob);
            }
            glob
        };
        Some(globs.iter().flat_map(|start| choices.iter().map(move |choice| joined(start, choice))).collect())
    }

    fn quantifier(&mut self) -> Option<char> {
        let first = self.left.first().copied().filter(|character| matches!(character, '*' | '+' | '?'));
        let counts = || self.left.first() == Some(&'{') && self.dialect == Dialect::Extended;
        let found = first.or_else(|| counts().then_some('{'))?;
        if found == '{' {
            while self.next().is_some_and(|character| character != '}') {}
        }
        while self.left.first().is_some_and(|character| matches!(character, '*' | '+' | '?')) {
            self.next();
        }
        Some(found)
    }

    fn next(&mut self) -> Option<char> {
        let (first, rest) = self.left.split_first()?;
        self.left = rest;
        Some(*first)
    }

    /// Nothing follows in this alternative.
    fn is_over(&self) -> bool {
        matches!(self.left, [] | ['|' | ')', ..] | ['\\', '|' | ')', ..])
    }

    fn piece(&mut self, depth: usize) -> Option<Piece> {
        let character = self.next()?;
        let is_extended = self.dialect == Dialect::Extended;
        Some(match character {
            '\\' => match self.next() {
                Some('(') if !is_extended => self.group(depth),
                Some(')') if !is_extended => Piece::Close,
                Some('|') if !is_extended => Piece::Bar,
                Some(escaped) if !escaped.is_ascii_alphanumeric() => Piece::Literal(escaped),
                _ => Piece::Any,
            },
            '(' if is_extended => self.group(depth),
            ')' if is_extended => Piece::Close,
            '|' if is_extended => Piece::Bar,
            '.' => Piece::Any,
            '[' => self.class(),
            '^' => Piece::Start,
            '$' => Piece::End,
            other => Piece::Literal(other),
        })
    }

    fn group(&mut self, depth: usize) -> Piece {
        match self.left {
            ['?', ':', rest @ ..] => self.left = rest,
            ['?', ..] => return Piece::Unread,
            _ => {}
        }
        let choices = if depth < DEEP { self.alternatives(depth + 1, Matched::Whole) } else { None };
        choices.map_or(Piece::Unread, Piece::Group)
    }

    /// A class of one character is that character.
    fn class(&mut self) -> Piece {
        let start = self.left;
        let mut length = 0;
        while let Some(character) = self.next() {
            if character == ']' && length > 0 {
                break;
            }
            length += 1;
        }
        match start {
            [only, ']', ..] if !matches!(only, '^' | ']') => Piece::Literal(*only),
            _ => Piece::Any,
        }
    }
}

/// Adds any text.
fn any(glob: &mut String) {
    if !glob.ends_with("**") {
        glob.push_str("**");
    }
}

#[cfg(test)]
mod tests {
    use super::{Dialect, Matched, Spelled, globs_of};

    #[test]
    fn two_tests_of_names_are_one_glob_where_nothing_overlaps() {
        let name = |glob: &str| Spelled::Name(glob.to_owned());
        for (one, other, both) in [
            ("*secret*", "*.ts", Some("*secret*.ts")),
            ("*.ts", "*secret*", Some("*secret*.ts")),
            ("*", "*.env", Some("*.env")),
            (".env", "*", Some(".env")),
            (".env", "*env", Some(".env")),
            // `a.ts` has both, and `*.t*.ts` does not match it.
            ("*.t*", "*.ts", None),
            ("*s*", "*.ts", None),
            ("[ab]*", "*.ts", None),
            ("a*", "b*", None),
        ] {
            assert_eq!(name(one).and(&name(other)), both.map(name), "{one} {other}");
        }
    }

    #[test]
    fn regular_expressions_spell_names() {
        for (regex, dialect, matched, globs) in [
            (r".*/\.env", Dialect::Basic, Matched::Whole, "**/.env"),
            (r"\./\(a\|b\)/.*\.ts", Dialect::Basic, Matched::Whole, "./a/**.ts ./b/**.ts"),
            (r"./secrets/.+", Dialect::Basic, Matched::Whole, "**/secrets/**"),
            (r"^\.env$", Dialect::Extended, Matched::Part, ".env"),
            ("env", Dialect::Extended, Matched::Part, "**env**"),
            (r"\.(js|ts)x?$", Dialect::Extended, Matched::Part, "**.js** **.ts**"),
            (r"[s]ecrets|[ab]{2}c", Dialect::Extended, Matched::Part, "**secrets** **c**"),
            (r"(?i)x", Dialect::Extended, Matched::Part, "**"),
            (r"a*[*]", Dialect::Extended, Matched::Whole, "**[*]"),
        ] {
            assert_eq!(globs_of(regex, dialect, matched).join(" "), globs, "{regex}");
        }
    }

    #[test]
    fn too_many_alternatives_are_any_text() {
        assert_eq!(globs_of(&"(a|b)".repeat(9), Dialect::Extended, Matched::Whole), ["**"]);
        assert_eq!(globs_of(&"(".repeat(5000), Dialect::Extended, Matched::Whole), ["**"]);
    }
}

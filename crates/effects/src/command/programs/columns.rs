//! Separators of columns, as `parallel --colsep` names them: patterns of a simple form.

/// What stands between columns.
#[derive(Debug)]
pub(super) enum Separator {
    Text(String),
    OneOf(Vec<char>),
    /// Any number of these characters.
    SeveralOf(Vec<char>),
}

impl Separator {
    /// `,`, `\t`, `\|`, `[,;]`, `\s+`; `None`: a pattern of another form.
    pub(super) fn new(pattern: &str) -> Option<Self> {
        let repeated = pattern.strip_suffix('+').filter(|one| !one.ends_with('\\'));
        let places = places(repeated.unwrap_or(pattern))?;
        match places.as_slice() {
            [letters] if repeated.is_some() => Some(Self::SeveralOf(letters.clone())),
            [letters] => Some(Self::OneOf(letters.clone())),
            [_, ..] if repeated.is_none() => {
                let text = places.iter().map(|letters| letters.first().filter(|_| letters.len() == 1));
                text.collect::<Option<String>>().map(Self::Text)
            }
            _ => None,
        }
    }

    pub(super) fn split<'t>(&self, text: &'t str) -> Vec<&'t str> {
        match self {
            Self::Text(separator) => text.split(separator.as_str()).collect(),
            Self::OneOf(letters) => text.split(letters.as_slice()).collect(),
            Self::SeveralOf(letters) => {
                let parts: Vec<&str> = text.split(letters.as_slice()).collect();
                let last = parts.len().saturating_sub(1);
                let kept =
                    move |(at, part): (usize, &'t str)| (at == 0 || at == last || !part.is_empty()).then_some(part);
                parts.into_iter().enumerate().filter_map(kept).collect()
            }
        }
    }
}

/// The characters that may stand at each place of what the pattern matches.
fn places(pattern: &str) -> Option<Vec<Vec<char>>> {
    let mut places = Vec::new();
    let mut left = pattern.chars();
    while let Some(letter) = left.next() {
        places.push(match letter {
            '\\' => escaped(left.next()?)?,
            '[' => {
                let letters: Vec<char> = left.by_ref().take_while(|letter| *letter != ']').collect();
                if letters.is_empty() || letters.iter().any(|letter| matches!(letter, '^' | '-' | '[' | '\\')) {
                    return None;
                }
                letters
            }
            '.' | '*' | '+' | '?' | '(' | ')' | '{' | '}' | '^' | '$' | '|' | ']' => return None,
            other => vec![other],
        });
    }
    Some(places)
}

fn escaped(letter: char) -> Option<Vec<char>> {
    match letter {
        't' => Some(vec!['\t']),
        'n' => Some(vec!['\n']),
        'r' => Some(vec!['\r']),
        's' => Some(vec![' ', '\t', '\n', '\r', '\u{b}', '\u{c}']),
        'a'..='z' | 'A'..='Z' | '0'..='9' => None,
        other => Some(vec![other]),
    }
}

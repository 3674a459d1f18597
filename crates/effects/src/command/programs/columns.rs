//! Patterns of a simple form, as `parallel` takes them: separators of columns, and substitutions in values.

/// The text that separates columns.
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

/// Longer texts are not made.
pub(super) const LONGEST: usize = 1 << 16;

/// Applies a program such as `s/a/b/; s/\.txt$//` to a text. `None`: the program has another form.
pub(super) fn substituted(program: &str, text: &str) -> Option<String> {
    program.split(';').map(str::trim).filter(|one| !one.is_empty()).try_fold(text.to_owned(), |text, one| {
        let rest = one.strip_prefix('s')?;
        let mark = rest.chars().next().filter(|mark| "/|,:#!@%~".contains(*mark))?;
        let parts: Vec<&str> = rest.split(mark).skip(1).collect();
        let [pattern, replacement, flags] = parts.as_slice() else { return None };
        let most = text.len().saturating_mul(replacement.len().max(1));
        // `@` and a name stand for the values of an array.
        if pattern.contains('@')
            || replacement.contains(['$', '\\', '@'])
            || !matches!(*flags, "" | "g")
            || most > LONGEST
        {
            return None;
        }
        let at_start = pattern.strip_prefix('^');
        let pattern = at_start.unwrap_or(pattern);
        let at_end = pattern.strip_suffix('$').filter(|rest| !rest.ends_with('\\'));
        let places = places(at_end.unwrap_or(pattern))?;
        let letters = places.iter().map(|letters| letters.first().filter(|_| letters.len() == 1));
        let wanted = letters.collect::<Option<String>>().filter(|wanted| !wanted.is_empty())?;
        Some(match (at_start, at_end) {
            (None, None) if *flags == "g" => text.replace(&wanted, replacement),
            (None, None) => text.replacen(&wanted, replacement, 1),
            (Some(_), None) => text.strip_prefix(&wanted).map_or(text.clone(), |rest| format!("{replacement}{rest}")),
            (None, Some(_)) => text.strip_suffix(&wanted).map_or(text.clone(), |rest| format!("{rest}{replacement}")),
            (Some(_), Some(_)) if text == wanted => (*replacement).to_owned(),
            (Some(_), Some(_)) => text,
        })
    })
}

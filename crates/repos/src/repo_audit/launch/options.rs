//! Words of a command line, with and without options.

/// What a program is called, without its folder and without the endings that Windows adds.
pub(crate) fn program(word: &str) -> String {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word).to_ascii_lowercase();
    let bare = [".exe", ".cmd", ".bat", ".ps1"].iter().find_map(|ending| name.strip_suffix(ending));
    bare.map_or_else(|| name.clone(), str::to_owned)
}

/// Arguments that are gone through from the front.
#[derive(Debug)]
pub(crate) struct Options<'w> {
    rest: &'w [String],
    /// Options that have the next word as their value.
    valued: &'static [&'static str],
}

/// One step of the arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Argument<'w> {
    Option { name: &'w str, value: Option<&'w str> },
    Operand(&'w str),
}

impl<'w> Options<'w> {
    pub(crate) fn new(words: &'w [String], valued: &'static [&'static str]) -> Self {
        Self { rest: words, valued }
    }

    /// What was not gone through yet.
    pub(crate) fn rest(&self) -> &'w [String] {
        self.rest
    }

    /// The operand that comes first, and the values of `wanted` options before it.
    pub(crate) fn operand(&mut self, wanted: &[&str]) -> (Vec<&'w str>, Option<&'w str>) {
        let mut values = Vec::new();
        for argument in self.by_ref() {
            match argument {
                Argument::Operand(operand) => return (values, Some(operand)),
                Argument::Option { name, value: Some(value) } if wanted.contains(&name) => values.push(value),
                Argument::Option { .. } => {}
            }
        }
        (values, None)
    }
}

impl<'w> Iterator for Options<'w> {
    type Item = Argument<'w>;

    fn next(&mut self) -> Option<Argument<'w>> {
        let (word, rest) = self.rest.split_first()?;
        self.rest = rest;
        if word == "--" {
            let (operand, rest) = rest.split_first()?;
            self.rest = rest;
            return Some(Argument::Operand(operand));
        }
        if !word.starts_with('-') || word == "-" {
            return Some(Argument::Operand(word));
        }
        if let Some((name, value)) = word.split_once('=') {
            return Some(Argument::Option { name, value: Some(value) });
        }
        let value = self.valued.contains(&word.as_str()).then(|| rest.split_first()).flatten();
        if let Some((_, rest)) = value {
            self.rest = rest;
        }
        Some(Argument::Option { name: word, value: value.map(|(value, _)| value.as_str()) })
    }
}

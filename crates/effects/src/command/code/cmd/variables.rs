//! Variables of cmd.exe: `%NAME%`, `%NAME:~1,2%`, `%NAME:a=b%`, `!NAME!`, `%1`, and those of loops.

use std::collections::BTreeMap;

use super::reader::{self, UNKNOWN, UNKNOWN_TEXT};

/// Bytes that variables may add to a text.
const ADDED: usize = 1 << 20;
/// The last argument that has a name: `%9`.
const ARGUMENTS: usize = 9;
/// The most characters between the marks of a reference: `NAME:~1,2`.
const NAME: usize = 256;

#[derive(Debug, Default)]
pub(super) struct Variables {
    /// The names, in lower case, with their values. The value `None` is unknown.
    known: BTreeMap<String, Option<String>>,
    /// The arguments of the batch file, `None` for one that is not known.
    arguments: Vec<Option<String>>,
    added: usize,
}

impl Variables {
    pub(super) fn new(arguments: Vec<Option<String>>) -> Self {
        Self { arguments, ..Self::default() }
    }

    /// Finds the arguments that the text gives to its own parts: `call :label ARGUMENTS…`. A part runs where it stands, so an
    /// argument that differs between the calls is not known, and none is where `shift` moves them.
    pub(super) fn find_calls(&mut self, text: &str) {
        let mut shifts = false;
        for command in text.split(['\n', '&', '|', '(', ')']) {
            shifts |= reader::after(command.trim_start_matches([' ', '\t', '@']), "shift").is_some();
            let Some(at) = command.to_ascii_lowercase().find("call :") else { continue };
            let words = reader::divide(command.get(at..).unwrap_or_default()).words;
            for (at, piece) in words.iter().skip(2).take(ARGUMENTS).enumerate() {
                let value = piece.word.literal().filter(|text| !text.contains(['%', '!'])).map(str::to_owned);
                match self.arguments.get_mut(at) {
                    Some(before) if *before == value => {}
                    Some(before) => *before = None,
                    None => self.arguments.push(value),
                }
            }
        }
        if shifts {
            self.arguments.fill(None);
        }
    }

    pub(super) fn set(&mut self, name: &str, value: Option<&str>) {
        let value = value.filter(|value| !value.contains(UNKNOWN)).map(str::to_owned);
        self.known.insert(name.to_lowercase(), value);
    }

    /// Returns whether values of variables made the text longer than the limit.
    pub(super) fn is_over(&self) -> bool {
        self.added > ADDED
    }

    fn value(&self, name: &str) -> String {
        match self.known.get(name) {
            Some(Some(value)) => return value.clone(),
            Some(None) => return UNKNOWN.to_string(),
            None => {}
        }
        match name {
            "userprofile" | "homepath" | "home" => "~".to_owned(),
            "homedrive" => String::new(),
            "cd" => ".".to_owned(),
            "comspec" => "cmd.exe".to_owned(),
            "systemroot" | "windir" => "C:\\Windows".to_owned(),
            _ => UNKNOWN.to_string(),
        }
    }

    /// Puts the values of its variables into the text.
    pub(super) fn expand(&mut self, text: &str) -> String {
        let mut expanded = String::with_capacity(text.len());
        let mut left = text;
        while let Some(at) = left.find(['%', '!']) {
            let (before, rest) = left.split_at_checked(at).unwrap_or((left, ""));
            expanded.push_str(before);
            let Some((value, behind)) = self.reference(rest).filter(|_| !self.is_over()) else {
                expanded.push_str(rest.get(..1).unwrap_or_default());
                left = rest.get(1..).unwrap_or_default();
                continue;
            };
            self.added = self.added.saturating_add(value.len());
            expanded.push_str(&value);
            left = behind;
        }
        expanded.push_str(left);
        expanded
    }

    /// Reads the reference at the start of the text; returns the value and the rest.
    fn reference<'t>(&self, text: &'t str) -> Option<(String, &'t str)> {
        if let Some(rest) = text.strip_prefix("%%") {
            return Some(("%".to_owned(), rest));
        }
        let mark = text.chars().next()?;
        let rest = text.get(1..)?;
        if mark == '%'
            && let Some(parameter) = self.parameter(rest)
        {
            return Some(parameter);
        }
        let (end, _) = rest.char_indices().take(NAME).find(|(_, c)| *c == mark || *c == '\n')?;
        let (inner, behind) = (rest.get(..end)?, rest.get(end..)?.strip_prefix(mark)?);
        let (name, change) = inner.split_once(':').map_or((inner, None), |(name, change)| (name, Some(change)));
        let name = name.to_lowercase();
        if name.is_empty() || mark == '!' && !self.known.contains_key(&name) {
            return None;
        }
        let value = self.value(&name);
        let value = match change {
            Some(_) if value.contains(UNKNOWN) => value,
            Some(change) => changed(&value, change).unwrap_or_else(|| UNKNOWN.to_string()),
            None => value,
        };
        Some((value, behind))
    }

    /// Reads an argument behind its `%`: `1`, `*`, `~dp0`.
    fn parameter<'t>(&self, text: &'t str) -> Option<(String, &'t str)> {
        if let Some(rest) = text.strip_prefix('*') {
            let all: Option<Vec<&str>> = self.arguments.iter().map(Option::as_deref).collect();
            return Some((all.map_or_else(|| UNKNOWN.to_string(), |all| all.join(" ")), rest));
        }
        let body =
            text.strip_prefix('~').map_or(text, |rest| rest.trim_start_matches(|c: char| c.is_ascii_lowercase()));
        let changes = text.len() - body.len() > 1;
        let digit = body.chars().next()?.to_digit(10)?;
        let number = usize::try_from(digit).ok()?.checked_sub(1);
        let argument = number.map(|at| self.arguments.get(at).cloned().unwrap_or(Some(String::new())));
        let value = argument.flatten().filter(|_| !changes).unwrap_or_else(|| UNKNOWN.to_string());
        Some((value, body.get(1..)?))
    }
}

/// Changes a value: `~1,2` cuts a piece out, `a=b` replaces text.
fn changed(value: &str, change: &str) -> Option<String> {
    let Some(range) = change.strip_prefix('~') else {
        let (old, new) = change.split_once('=')?;
        let plain = !old.is_empty() && !old.starts_with('*');
        let times = value.len().checked_div(old.len())?;
        return (plain && times.checked_mul(new.len())? <= ADDED).then(|| value.replace(old, new));
    };
    let length = value.chars().count();
    let (from, count) = range.split_once(',').map_or((range, None), |(from, count)| (from, Some(count)));
    let offset = |text: &str| {
        let text = text.trim();
        text.strip_prefix('-').map_or_else(|| text.parse().ok(), |back| Some(length.saturating_sub(back.parse().ok()?)))
    };
    let from = offset(from)?;
    let end = match count {
        Some(count) if count.trim().starts_with('-') => offset(count)?,
        Some(count) => from.saturating_add(count.trim().parse().ok()?),
        None => length,
    };
    Some(value.chars().take(end).skip(from).collect())
}

/// Puts the value of the variable of a loop into the body.
pub(super) fn with_value(body: &str, name: char, value: &str) -> String {
    let mut text = String::with_capacity(body.len());
    let mut left = body;
    while let Some(at) = left.find('%') {
        let (before, rest) = left.split_at_checked(at).unwrap_or((left, ""));
        text.push_str(before);
        let inner = rest.trim_start_matches('%');
        let is_reference = rest.len() - inner.len() <= 2;
        let letters = inner.strip_prefix('~').unwrap_or(inner);
        // The last letter names the variable, those before it say what is taken of it.
        let end = letters.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(letters.len());
        let word = letters.get(..end).unwrap_or_default();
        let named =
            if inner.starts_with('~') { word.find(name) } else { Some(0).filter(|_| letters.starts_with(name)) };
        if let Some(at) = named.filter(|_| is_reference) {
            let taken = word.get(..at).unwrap_or_default();
            text.push_str(if matches!(taken, "" | "f") { value } else { UNKNOWN_TEXT });
            left = letters.get(at + name.len_utf8()..).unwrap_or_default();
        } else {
            text.push_str(rest.get(..rest.len() - inner.len()).unwrap_or_default());
            left = inner;
        }
    }
    text.push_str(left);
    text
}

//! Variables of cmd.exe: `%NAME%`, `%NAME:~1,2%`, `%NAME:a=b%`, `!NAME!`, `%1`, and those of loops.

use std::collections::BTreeMap;

use super::reader::{UNKNOWN, UNKNOWN_TEXT};

/// Bytes that variables may add to a text.
const ADDED: usize = 1 << 20;
/// Characters of a name and what is done to its value.
const NAME: usize = 256;

#[derive(Debug, Default)]
pub(super) struct Variables {
    /// By their names in lower case; `None`: not known.
    known: BTreeMap<String, Option<String>>,
    /// What the file was called with; `None`: not known.
    arguments: Vec<Option<String>>,
    added: usize,
}

impl Variables {
    pub(super) fn new(arguments: Vec<Option<String>>) -> Self {
        Self { arguments, ..Self::default() }
    }

    pub(super) fn set(&mut self, name: &str, value: Option<&str>) {
        let value = value.filter(|value| !value.contains(UNKNOWN)).map(str::to_owned);
        self.known.insert(name.to_lowercase(), value);
    }

    /// Variables put more into the text than is followed.
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

    /// The text with the values of its variables.
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

    /// The value of the variable that the text starts with, and what follows it.
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

    /// `1`, `*`, `~dp0`.
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

/// `~1,2` cuts a piece out, `a=b` replaces.
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

/// The body of a loop with the value of its variable.
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

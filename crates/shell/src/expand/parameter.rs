//! `$name` and `${name…}`.

use super::Expansion;
use super::pattern::Pattern;
use crate::scope::Content;
use crate::value::{EmptyField, Fragment, Value};
use crate::{Operation, Quoting, Variable, Word};

/// What a parameter stands for.
enum Expanded {
    One(Value),
    /// `$@`, `${a[*]}`: all elements.
    All {
        elements: Vec<Value>,
        joining: Joining,
    },
}

/// The fields that all elements become between quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Joining {
    /// `@`: a field each.
    Separate,
    /// `*`: one field, with the first separator between them.
    Joined,
}

impl Joining {
    /// The parameter or subscript `@` or `*`.
    fn of(sign: &str) -> Self {
        if sign == "*" { Self::Joined } else { Self::Separate }
    }
}

impl Expansion<'_> {
    pub(super) fn variable(&mut self, variable: &Variable, out: &mut Vec<Fragment>) {
        let found = self.find(variable);
        let found = match &variable.operation {
            Operation::Length => length(found),
            Operation::Indirect => self.indirect(variable, found),
            operation => self.changed(variable, found, operation),
        };
        match found {
            Expanded::One(value) => emit(&value, variable.quoting, out),
            Expanded::All { elements, joining } => self.emit_all(&elements, joining, variable.quoting, out),
        }
    }

    fn find(&mut self, variable: &Variable) -> Expanded {
        let name = variable.name.as_str();
        match name {
            "@" | "*" => {
                return Expanded::All { elements: self.scope.parameters().to_vec(), joining: Joining::of(name) };
            }
            "#" => {
                let parameters = self.scope.parameters();
                let known = parameters.iter().all(|value| value.text().is_some());
                return Expanded::One(if known {
                    Value::known(parameters.len().to_string())
                } else {
                    Value::unknown()
                });
            }
            "0" | "_" if self.scope.content(name).is_some() => return Expanded::One(self.scope.value(name)),
            "" | "?" | "$" | "!" | "-" | "_" | "0" => return Expanded::One(Value::unknown()),
            _ => {}
        }
        if let Ok(number) = name.parse::<usize>() {
            return Expanded::One(self.parameter(number));
        }
        if name == "PWD" && self.scope.content("PWD").is_none() {
            return Expanded::One(self.runner.directory().map_or_else(Value::unknown, Value::known));
        }
        if name == "OLDPWD" && self.scope.content("OLDPWD").is_none() {
            return Expanded::One(self.scope.previous_directory().map_or_else(Value::unknown, Value::known));
        }
        match &variable.subscript {
            None => Expanded::One(self.scope.value(name)),
            Some(subscript) => self.element(name, subscript),
        }
    }

    /// `$1`: behind a parameter that is not known, its number is not known either.
    fn parameter(&self, number: usize) -> Value {
        let parameters = self.scope.parameters();
        let before = number.saturating_sub(1);
        // A word that is not known may be several, or none. A glob is at least one name.
        let known = parameters.iter().take(before).all(|value| value.best().is_some());
        match parameters.get(before) {
            Some(value) if known && (value.best().is_some() || value.is_match()) => value.clone(),
            None if known => Value::default(),
            _ => Value::unknown(),
        }
    }

    fn element(&mut self, name: &str, subscript: &Word) -> Expanded {
        if matches!(subscript.source.as_str(), "@" | "*") {
            let elements = match self.scope.content(name) {
                Some(Content::Array(elements)) => elements.clone(),
                Some(Content::Keyed { entries, .. }) => entries.iter().map(|(_, value)| value.clone()).collect(),
                Some(Content::Unset) => Vec::new(),
                Some(Content::UnknownArray | Content::Reference(_)) => vec![Value::unknown()],
                Some(Content::Scalar(value)) => vec![value.clone()],
                None => vec![self.scope.value(name)],
            };
            return Expanded::All { elements, joining: Joining::of(&subscript.source) };
        }
        let fragments = self.fragments(&subscript.parts);
        let index = Value::new(fragments);
        if let Some(text) = index.best() {
            // A subscript is an expression, so names in it are evaluated.
            for name in text.split(|c: char| c != '_' && !c.is_ascii_alphanumeric()) {
                if let Some(inner) = self.scope.value(name).best() {
                    self.evaluate(&inner);
                }
            }
        }
        Expanded::One(index.text().map_or_else(Value::unknown, |key| self.scope.element(name, key)))
    }

    fn indirect(&mut self, variable: &Variable, found: Expanded) -> Expanded {
        if let Some(subscript) = variable.subscript.as_ref().filter(|word| matches!(word.source.as_str(), "@" | "*")) {
            return self.keys(&variable.name, Joining::of(&subscript.source));
        }
        // `${!reference}` is the name a reference stands for; rare enough to leave open.
        let Expanded::One(name) = found else { return Expanded::One(Value::unknown()) };
        let Some(name) = name.text().filter(|_| variable.subscript.is_none()) else {
            return Expanded::One(Value::unknown());
        };
        let (name, subscript) = match name.strip_suffix(']').and_then(|text| text.split_once('[')) {
            Some((name, index)) => (name, Some(crate::parse::body(index))),
            None => (name, None),
        };
        if !name.bytes().all(|byte| byte == b'_' || byte == b'@' || byte.is_ascii_alphanumeric()) {
            return Expanded::One(Value::unknown());
        }
        let quoting = variable.quoting;
        self.find(&Variable { name: name.to_owned(), quoting, operation: Operation::Plain, subscript })
    }

    /// `${!name[@]}`
    fn keys(&self, name: &str, joining: Joining) -> Expanded {
        let elements = match self.scope.content(name) {
            Some(Content::Array(elements)) => (0..elements.len()).map(|at| Value::known(at.to_string())).collect(),
            Some(Content::Keyed { entries, .. }) => entries.iter().map(|(key, _)| Value::known(key.as_str())).collect(),
            _ => vec![Value::unknown()],
        };
        Expanded::All { elements, joining }
    }

    fn changed(&mut self, variable: &Variable, found: Expanded, operation: &Operation) -> Expanded {
        if let (Operation::Slice { offset, length }, Expanded::All { .. }) = (operation, &found) {
            let offset = self.number(offset);
            let length = length.as_ref().map(|word| self.number(word));
            let Expanded::All { elements, joining } = found else { return found };
            let first = i64::from(matches!(variable.name.as_str(), "@" | "*"));
            let elements = sliced(elements, first, &offset, length.as_ref()).unwrap_or_else(|| vec![Value::unknown()]);
            return Expanded::All { elements, joining };
        }
        match found {
            Expanded::One(value) => Expanded::One(self.operate(variable, value, operation)),
            Expanded::All { elements, joining } => {
                let is_whole = matches!(
                    operation,
                    Operation::Default(_) | Operation::Assign(_) | Operation::Alternative(_) | Operation::Required(_)
                );
                if is_whole {
                    let set = elements.iter().any(|value| value.text() != Some(""));
                    if set && !matches!(operation, Operation::Alternative(_)) {
                        return Expanded::All { elements, joining };
                    }
                    let probe = if set { Value::known("set") } else { Value::default() };
                    return Expanded::One(self.operate(variable, probe, operation));
                }
                let elements = elements.into_iter().map(|value| self.operate(variable, value, operation)).collect();
                Expanded::All { elements, joining }
            }
        }
    }

    fn operate(&mut self, variable: &Variable, value: Value, operation: &Operation) -> Value {
        match operation {
            Operation::Plain | Operation::Length | Operation::Indirect => value,
            Operation::Default(word) | Operation::Assign(word) => {
                let chosen = self.default(&value, word);
                if matches!(operation, Operation::Assign(_)) {
                    self.scope.assign(&variable.name, chosen.clone());
                }
                chosen
            }
            Operation::Alternative(word) => self.alternative(&value, word),
            Operation::Required(word) => {
                self.word_value(word);
                if value.text() == Some("") { Value::unknown() } else { value }
            }
            Operation::Trim { pattern, affix, length } => {
                let pattern = self.pattern(pattern);
                compute(&value, |text| pattern?.trim(text, *affix, *length))
            }
            Operation::Replace { pattern, replacement, matches } => {
                let pattern = self.pattern(pattern);
                let replacement = self.word_value(replacement);
                compute(&value, |text| pattern?.replace(text, replacement.text()?, *matches))
            }
            Operation::Slice { offset, length } => {
                let offset = self.number(offset);
                let length = length.as_ref().map(|word| self.number(word));
                let computed = || compute(&value, |text| slice(text, &offset, length.as_ref()));
                root_of(&value, &offset, length.as_ref()).unwrap_or_else(computed)
            }
            Operation::Other { name, words } => self.transformed(&value, name, words),
        }
    }

    fn alternative(&mut self, value: &Value, word: &Word) -> Value {
        let other = self.word_value(word);
        match value.text() {
            Some("") => Value::default(),
            Some(_) => other,
            None if value.is_inherited() => other,
            // An unset variable gives nothing; if it is set after all, the word.
            None if value.best().is_some_and(|text| text.is_empty()) => Value::likely(""),
            None => other.doubted(),
        }
    }

    /// A change of case is computed, others are not known.
    fn transformed(&mut self, value: &Value, name: &str, words: &[Word]) -> Value {
        for word in words {
            self.word_value(word);
        }
        if name == "@P"
            && let Some(text) = value.best()
        {
            self.evaluate(&text);
        }
        compute(value, |text| if words.is_empty() { case_change(name, text) } else { None })
    }

    fn default(&mut self, value: &Value, word: &Word) -> Value {
        match (value.text(), value.best()) {
            (Some(text), _) if !text.is_empty() => value.clone(),
            (Some(_), _) => self.word_value(word),
            // Not assigned by the text: probably unset.
            (None, Some(best)) if best.is_empty() => self.word_value(word).doubted(),
            (None, _) => {
                self.word_value(word);
                if value.best().is_some() || value.is_inherited() { value.clone() } else { value.unknown_too() }
            }
        }
    }

    fn word_value(&mut self, word: &Word) -> Value {
        Value::new(self.fragments(&word.parts))
    }

    /// An offset or a length: an expression, in which names are evaluated.
    fn number(&mut self, word: &Word) -> Value {
        let value = self.word_value(word);
        let Some(text) = value.best() else { return value };
        let text = text.trim();
        self.evaluate(text);
        for name in text.split(|c: char| c != '_' && !c.is_ascii_alphanumeric()) {
            if let Some(inner) = self.scope.value(name).best() {
                self.evaluate(&inner);
            }
        }
        let is_name = text.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic());
        if is_name && value.text().is_some() { self.scope.value(text) } else { value }
    }

    fn pattern(&mut self, word: &Word) -> Option<Pattern> {
        Pattern::new(&self.fragments(&word.parts))
    }

    fn emit_all(&mut self, elements: &[Value], joining: Joining, quoting: Quoting, out: &mut Vec<Fragment>) {
        let separator = self.scope.separators().chars().next().map_or_else(String::new, String::from);
        for (index, element) in elements.iter().enumerate() {
            if index > 0 {
                out.push(match (quoting, joining) {
                    (Quoting::Quoted, Joining::Joined) => Fragment::quoted(&separator),
                    (Quoting::Quoted, Joining::Separate) => Fragment::Break(EmptyField::Retained),
                    (Quoting::Unquoted, _) => Fragment::Break(EmptyField::Removed),
                });
            }
            emit(element, quoting, out);
        }
    }
}

fn length(found: Expanded) -> Expanded {
    Expanded::One(match found {
        Expanded::One(value) => {
            value.text().map_or_else(Value::unknown, |text| Value::known(text.chars().count().to_string()))
        }
        Expanded::All { elements, .. } if elements.iter().all(|value| value.text().is_some()) => {
            Value::known(elements.len().to_string())
        }
        Expanded::All { .. } => Value::unknown(),
    })
}

fn emit(value: &Value, quoting: Quoting, out: &mut Vec<Fragment>) {
    if quoting == Quoting::Quoted && value.fragments().is_empty() {
        out.push(Fragment::quoted(""));
    }
    out.extend(value.fragments().iter().map(|fragment| match fragment {
        Fragment::Text { text, .. } => Fragment::Text { text: text.clone(), quoting },
        // A name may hold blanks and globs: without quotes it is split and expanded again, into any names.
        Fragment::Matching(text) if quoting == Quoting::Unquoted => Fragment::Splitting(text.clone()),
        other => other.clone(),
    }));
}

/// The new text of a value that is known; of one that is likely, the new text is likely.
fn compute(value: &Value, change: impl FnOnce(&str) -> Option<String>) -> Value {
    if let Some(text) = value.text() {
        return change(text).map_or_else(Value::unknown, Value::known);
    }
    match value.best() {
        Some(best) => change(&best).map_or_else(Value::unknown, Value::likely),
        None => value.unknown_too(),
    }
}

/// Some of the elements. `first` is the number of the first one: parameters start at 1, and number 0 is the shell's
/// name.
fn sliced(elements: Vec<Value>, first: i64, offset: &Value, length: Option<&Value>) -> Option<Vec<Value>> {
    if elements.iter().any(|value| value.best().is_none()) {
        return None;
    }
    let number = |value: &Value| value.text()?.trim().parse::<i64>().ok();
    let count = i64::try_from(elements.len()).ok()?;
    let offset = match number(offset)? {
        0 if first > 0 => return None,
        offset if offset < 0 => count.checked_add(offset)?,
        offset => offset - first,
    };
    let length = match length {
        Some(length) => usize::try_from(number(length)?).ok()?,
        None => elements.len(),
    };
    Some(elements.into_iter().skip(usize::try_from(offset).ok()?).take(length).collect())
}

/// The first character of a home directory is known.
fn root_of(value: &Value, offset: &Value, length: Option<&Value>) -> Option<Value> {
    let is_first = offset.text()?.trim() == "0" && length?.text()?.trim() == "1";
    (is_first && matches!(value.fragments(), [Fragment::Tilde(_), ..])).then(|| Value::known("/"))
}

fn slice(text: &str, offset: &Value, length: Option<&Value>) -> Option<String> {
    let number = |value: &Value| value.text()?.trim().parse::<i64>().ok();
    let count = i64::try_from(text.chars().count()).ok()?;
    let from_end = |value: i64| if value < 0 { count.checked_add(value) } else { Some(value) };
    let start = from_end(number(offset)?)?.clamp(0, count);
    let end = match length {
        None => count,
        Some(length) => {
            let length = number(length)?;
            if length < 0 { count.checked_add(length)? } else { start.checked_add(length)? }
        }
    };
    let width = usize::try_from(end.clamp(start, count) - start).ok()?;
    Some(text.chars().skip(usize::try_from(start).ok()?).take(width).collect())
}

fn case_change(name: &str, text: &str) -> Option<String> {
    let first = |change: fn(char) -> String| {
        let mut rest = text.chars();
        let head = rest.next().map_or_else(String::new, change);
        head + rest.as_str()
    };
    match name {
        "^^" | "@U" => Some(text.to_uppercase()),
        ",," | "@L" => Some(text.to_lowercase()),
        "^" | "@u" => Some(first(|c| c.to_uppercase().collect())),
        "," => Some(first(|c| c.to_lowercase().collect())),
        _ => None,
    }
}

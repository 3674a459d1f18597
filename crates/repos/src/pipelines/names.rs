//! Names of checks: what a job of a workflow is called where a branch requires it.

use crate::repo_audit::{items, member, members};
use agent_strace_policy::json::{Data, Value};

/// Combinations of a matrix that one name is worked out for.
const COMBINATIONS: usize = 256;
/// Characters of a name that are compared.
const LONGEST: usize = 400;

/// A name of a check, some of whose parts only a run knows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CheckName(Vec<Part>);

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Literal(String),
    /// Any text.
    Unknown,
}

/// How one name may be another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likeness {
    /// Nothing of the name is known.
    Unknown,
    /// What is known of the two names fits.
    Fits,
}

impl CheckName {
    pub fn literal(text: impl Into<String>) -> Self {
        Self(vec![Part::Literal(text.into())])
    }

    /// The name with `…` for what is not known.
    pub fn shown(&self) -> String {
        let part = |part: &Part| match part {
            Part::Literal(text) => text.clone(),
            Part::Unknown => "…".to_owned(),
        };
        self.0.iter().map(part).collect()
    }

    fn and(mut self, other: &Self) -> Self {
        self.0.extend(other.0.iter().cloned());
        self
    }

    /// Whether nothing that has a letter or a digit is known of it.
    fn is_unknown(&self) -> bool {
        let says = |part: &Part| matches!(part, Part::Literal(text) if text.chars().any(char::is_alphanumeric));
        self.0.contains(&Part::Unknown) && !self.0.iter().any(says)
    }

    /// Whether, and how, this may be the name of another check. Case and outer blanks do not count.
    pub fn may_be(&self, other: &Self) -> Option<Likeness> {
        if self.is_unknown() {
            return Some(Likeness::Unknown);
        }
        meet(&self.symbols(), &other.symbols()).then_some(Likeness::Fits)
    }

    /// `None` stands for any text.
    fn symbols(&self) -> Vec<Option<char>> {
        let symbols = self.0.iter().flat_map(|part| match part {
            Part::Unknown => vec![None],
            Part::Literal(text) => text.to_lowercase().chars().map(Some).collect(),
        });
        let mut symbols: Vec<Option<char>> = symbols.take(LONGEST).collect();
        let is_blank = |symbol: &Option<char>| symbol.is_some_and(char::is_whitespace);
        while symbols.last().is_some_and(is_blank) {
            symbols.pop();
        }
        let start = symbols.iter().position(|symbol| !is_blank(symbol)).unwrap_or(0);
        symbols.split_off(start)
    }
}

/// Whether some text is described by both.
fn meet(left: &[Option<char>], right: &[Option<char>]) -> bool {
    // `row[j]`: the rest of `left` and `right[j..]` meet. Worked out from the ends.
    let mut below: Vec<bool> = vec![false; right.len() + 1];
    for i in (0..=left.len()).rev() {
        let mut row = vec![false; right.len() + 1];
        for j in (0..=right.len()).rev() {
            let at = |cells: &[bool], j: usize| cells.get(j).copied().unwrap_or(false);
            let value = match (left.get(i), right.get(j)) {
                (None, None) => true,
                (Some(None), None) => at(&below, j),
                (None, Some(None)) => at(&row, j + 1),
                // Any text is empty, or takes one more letter of the other side.
                (Some(None), Some(_)) | (Some(Some(_)), Some(None)) => at(&below, j) || at(&row, j + 1),
                (Some(Some(left)), Some(Some(right))) => left == right && at(&below, j + 1),
                _ => false,
            };
            if let Some(cell) = row.get_mut(j) {
                *cell = value;
            }
        }
        below = row;
    }
    below.first().copied().unwrap_or(false)
}

/// What a run knows of a workflow, as far as its text says it.
pub(super) struct Known<'v> {
    /// The name of the workflow.
    pub(super) workflow: Option<&'v str>,
    pub(super) matrix: Option<&'v Value>,
}

/// The names that a job may have by itself, without those of what it calls.
pub(super) fn of_job(key: &str, job: &Value, workflow: Option<&str>) -> Vec<CheckName> {
    let matrix = member(job, "strategy").and_then(|strategy| member(strategy, "matrix"));
    let merged = members(job).iter().filter(|(key, _)| key.name == "<<").flat_map(|(_, value)| members(value));
    let named = members(job).iter().chain(merged).filter(|(key, _)| key.name == "name");
    let given: Vec<String> =
        named.filter_map(|(_, value)| scalar(value)).filter(|name| !name.trim().is_empty()).collect();
    let texts = if given.is_empty() { vec![key.to_owned()] } else { given };
    let known = Known { workflow, matrix };
    let mut names: Vec<CheckName> = texts.iter().flat_map(|text| resolved(text, &known)).collect();
    if matrix.is_some() {
        // Where a name does not use the matrix, its values are put behind it.
        let behind = |name: &CheckName| name.clone().and(&CheckName(vec![lit(" ("), Part::Unknown, lit(")")]));
        let longer: Vec<CheckName> = names.iter().map(behind).collect();
        names.extend(longer);
    }
    names.sort();
    names.dedup();
    names
}

/// `caller / callee`.
pub(super) fn below(caller: &CheckName, callee: Option<&CheckName>) -> CheckName {
    let any = CheckName(vec![Part::Unknown]);
    caller.clone().and(&CheckName::literal(" / ")).and(callee.unwrap_or(&any))
}

fn lit(text: &str) -> Part {
    Part::Literal(text.to_owned())
}

/// A text, number or truth value as the forge writes it.
fn scalar(value: &Value) -> Option<String> {
    match &value.data {
        Data::Text(text) | Data::Number(text) => Some(text.clone()),
        Data::Bool(value) => Some(value.to_string()),
        _ => None,
    }
}

/// All names that a text with expressions may become.
fn resolved(text: &str, known: &Known<'_>) -> Vec<CheckName> {
    let mut names = vec![CheckName(Vec::new())];
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("${{") {
        let Some((expression, after)) = behind.split_once("}}") else { break };
        let values = evaluated(expression, known);
        names = names
            .into_iter()
            .flat_map(|name| {
                let name = name.and(&CheckName::literal(before));
                values.iter().map(move |value| name.clone().and(value)).collect::<Vec<_>>()
            })
            .collect();
        if names.len() > COMBINATIONS {
            return vec![CheckName(vec![Part::Unknown])];
        }
        rest = after;
    }
    names.into_iter().map(|name| name.and(&CheckName::literal(rest))).collect()
}

/// The values that an expression may have.
fn evaluated(expression: &str, known: &Known<'_>) -> Vec<CheckName> {
    let unknown = || vec![CheckName(vec![Part::Unknown])];
    let bare = expression.trim();
    if let Some(text) = quoted(bare) {
        return vec![CheckName::literal(text)];
    }
    if !bare.is_empty() && bare.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return vec![CheckName::literal(bare)];
    }
    if let Some(arguments) = call(bare, "format") {
        return formatted(&arguments, known).unwrap_or_else(unknown);
    }
    let folded = bare.to_ascii_lowercase();
    if folded == "github.workflow" {
        return known.workflow.map_or_else(unknown, |name| vec![CheckName::literal(name)]);
    }
    let Some(key) = folded.strip_prefix("matrix.") else { return unknown() };
    let values = known.matrix.map(|matrix| values_of(matrix, key)).unwrap_or_default();
    if values.is_empty() { unknown() } else { values.into_iter().map(CheckName::literal).collect() }
}

/// The values of a key of a literal matrix; none where one of them is not literal.
fn values_of(matrix: &Value, key: &str) -> Vec<String> {
    let named = |value: &Value| -> Vec<Value> {
        members(value)
            .iter()
            .filter(|(name, _)| name.name.eq_ignore_ascii_case(key))
            .map(|(_, value)| value.clone())
            .collect()
    };
    let mut values: Vec<Value> = Vec::new();
    for list in named(matrix) {
        match &list.data {
            Data::List(items) => values.extend(items.iter().cloned()),
            // A list that is worked out.
            _ => return Vec::new(),
        }
    }
    match member(matrix, "include") {
        None => {}
        Some(include) if matches!(include.data, Data::List(_)) => {
            values.extend(items(include).iter().flat_map(named));
        }
        Some(_) => return Vec::new(),
    }
    let texts: Option<Vec<String>> = values.iter().map(scalar).collect();
    let texts = texts.unwrap_or_default();
    if texts.len() > COMBINATIONS || texts.iter().any(|text| text.contains("${{")) { Vec::new() } else { texts }
}

/// `'text'`, in which `''` stands for one quote.
fn quoted(text: &str) -> Option<String> {
    let inner = text.strip_prefix('\'')?.strip_suffix('\'')?;
    let plain = inner.replace("''", "\u{0}");
    (!plain.contains('\'')).then(|| plain.replace('\u{0}', "'"))
}

/// The arguments of a call of a function.
fn call(text: &str, name: &str) -> Option<Vec<String>> {
    let (found, rest) = text.split_once('(')?;
    let inner = rest.strip_suffix(')').filter(|_| found.trim().eq_ignore_ascii_case(name))?;
    let (mut arguments, mut argument) = (Vec::new(), String::new());
    let (mut depth, mut is_quoted) = (0_u32, false);
    for letter in inner.chars() {
        match letter {
            '\'' => is_quoted = !is_quoted,
            '(' if !is_quoted => depth += 1,
            ')' if !is_quoted => depth = depth.checked_sub(1)?,
            ',' if !is_quoted && depth == 0 => {
                arguments.push(std::mem::take(&mut argument));
                continue;
            }
            _ => {}
        }
        argument.push(letter);
    }
    arguments.push(argument);
    Some(arguments)
}

/// `format('a{0}b', x)`.
fn formatted(arguments: &[String], known: &Known<'_>) -> Option<Vec<CheckName>> {
    let (pattern, values) = arguments.split_first()?;
    let pattern = quoted(pattern.trim())?;
    let values: Vec<Vec<CheckName>> = values.iter().map(|value| evaluated(value, known)).collect();
    let mut parts = Vec::new();
    let mut rest = pattern.as_str();
    let mut literal = String::new();
    while let Some(at) = rest.find(['{', '}']) {
        let (before, behind) = rest.split_at(at);
        literal.push_str(before);
        if let Some(after) = behind.strip_prefix("{{").or_else(|| behind.strip_prefix("}}")) {
            literal.push_str(behind.get(..1)?);
            rest = after;
            continue;
        }
        let (index, after) = behind.strip_prefix('{')?.split_once('}')?;
        parts.push(vec![CheckName::literal(std::mem::take(&mut literal))]);
        parts.push(values.get(index.trim().parse::<usize>().ok()?)?.clone());
        rest = after;
    }
    literal.push_str(rest);
    parts.push(vec![CheckName::literal(literal)]);
    let mut names = vec![CheckName(Vec::new())];
    for part in parts {
        names = names.iter().flat_map(|name| part.iter().map(|value| name.clone().and(value))).collect();
        if names.len() > COMBINATIONS {
            return None;
        }
    }
    Some(names)
}

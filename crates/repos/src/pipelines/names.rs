//! Names of checks: what a job of a workflow is called where a branch requires it.

use super::work::{Spent, Work};
use crate::repo_audit::{items, member, members};
use agent_strace_policy::json::{Data, Value};

/// Combinations of a matrix that one name is worked out for.
const COMBINATIONS: usize = 256;
/// Characters of a name that are compared.
const LONGEST: usize = 400;
/// Bytes of a text that is worked out.
const WRITTEN: usize = 16 << 10;
/// Calls of functions inside each other.
const NESTED: usize = 32;

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
    /// The known parts of the two names fit.
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

    pub(super) fn unknown() -> Self {
        Self(vec![Part::Unknown])
    }

    fn and(mut self, other: &Self) -> Self {
        for part in &other.0 {
            if self.len() >= LONGEST {
                // The rest is cut off: it may be any text.
                if self.0.last() != Some(&Part::Unknown) {
                    self.0.push(Part::Unknown);
                }
                break;
            }
            let is_empty = self.0.iter().all(|part| matches!(part, Part::Literal(text) if text.is_empty()));
            if is_empty && let Part::Literal(text) = part {
                // Forges show names without outer blanks.
                self.0 = vec![Part::Literal(text.trim_start().to_owned())];
                continue;
            }
            match (self.0.last_mut(), part) {
                (Some(Part::Unknown), Part::Unknown) => {}
                (Some(Part::Literal(text)), Part::Literal(more)) => text.push_str(more),
                _ => self.0.push(part.clone()),
            }
        }
        self
    }

    /// Bytes and unknown parts of it.
    fn len(&self) -> usize {
        let len = |part: &Part| match part {
            Part::Literal(text) => text.len(),
            Part::Unknown => 1,
        };
        self.0.iter().map(len).sum()
    }

    /// Whether nothing that has a letter or a digit is known of it.
    fn is_unknown(&self) -> bool {
        let says = |part: &Part| matches!(part, Part::Literal(text) if text.chars().any(char::is_alphanumeric));
        self.0.contains(&Part::Unknown) && !self.0.iter().any(says)
    }

    /// Whether, and how, this may be the name of one of other checks. Case and outer blanks do not count.
    pub(crate) fn may_be_any<'n>(
        &self,
        others: impl IntoIterator<Item = &'n Self>,
        work: &Work,
    ) -> Result<Option<Likeness>, Spent> {
        let mut found = None;
        work.spend(self.len())?;
        let own = self.symbols();
        for other in others {
            if self.is_unknown() {
                return Ok(Some(Likeness::Unknown));
            }
            work.spend(other.len())?;
            let other = other.symbols();
            let (left, right) = without_common_ends(&own, &other);
            work.spend(left.len() * right.len())?;
            if found.is_none() && meet(left, right) {
                found = Some(Likeness::Fits);
            }
        }
        Ok(found)
    }

    /// `None` stands for any text.
    fn symbols(&self) -> Vec<Option<char>> {
        let symbols = self.0.iter().flat_map(|part| match part {
            Part::Unknown => vec![None],
            Part::Literal(text) => text.to_lowercase().chars().map(Some).collect(),
        });
        let is_blank = |symbol: &Option<char>| symbol.is_some_and(char::is_whitespace);
        let mut symbols: Vec<Option<char>> = symbols.skip_while(is_blank).take(LONGEST + 1).collect();
        if symbols.len() > LONGEST {
            // The rest is cut off: it may be any text.
            symbols.truncate(LONGEST);
            symbols.push(None);
        }
        while symbols.last().is_some_and(is_blank) {
            symbols.pop();
        }
        symbols
    }
}

/// Cuts off the first and last letters that two names share; if the names differ there, one letter of each stays.
fn without_common_ends<'n>(
    mut left: &'n [Option<char>],
    mut right: &'n [Option<char>],
) -> (&'n [Option<char>], &'n [Option<char>]) {
    while let ([Some(one), rest @ ..], [Some(other), others @ ..]) = (left, right) {
        if one != other {
            return (left.get(..1).unwrap_or_default(), right.get(..1).unwrap_or_default());
        }
        (left, right) = (rest, others);
    }
    while let ([rest @ .., Some(one)], [others @ .., Some(other)]) = (left, right) {
        if one != other {
            return (left.get(left.len() - 1..).unwrap_or_default(), right.get(right.len() - 1..).unwrap_or_default());
        }
        (left, right) = (rest, others);
    }
    (left, right)
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

/// The values that a run knows of a workflow, as far as its text has them.
struct Known<'v> {
    /// The name of the workflow.
    workflow: Option<&'v str>,
    matrix: Option<&'v Value>,
    work: &'v Work,
}

/// The names that a job may have by itself, without those of what it calls.
pub(super) fn of_job(key: &str, job: &Value, workflow: Option<&str>, work: &Work) -> Result<Vec<CheckName>, Spent> {
    let matrix = member(job, "strategy").and_then(|strategy| member(strategy, "matrix"));
    let merged = members(job).iter().filter(|(key, _)| key.name == "<<").flat_map(|(_, value)| members(value));
    let named = members(job).iter().chain(merged).filter(|(key, _)| key.name == "name");
    let given: Vec<String> =
        named.filter_map(|(_, value)| scalar(value)).filter(|name| !name.trim().is_empty()).collect();
    let texts = if given.is_empty() { vec![key.to_owned()] } else { given };
    let known = Known { workflow, matrix, work };
    let mut names = Vec::new();
    for text in &texts {
        names.extend(resolved(text, &known)?);
    }
    if matrix.is_some() {
        // Where a name does not use the matrix, its values are put behind it.
        let values = CheckName(vec![lit(" ("), Part::Unknown, lit(")")]);
        let longer = joined(&names, &[values], work)?;
        names.extend(longer);
    }
    names.sort();
    names.dedup();
    Ok(names)
}

/// `caller / callee`.
pub(super) fn below(caller: &CheckName, callee: Option<&CheckName>, work: &Work) -> Result<CheckName, Spent> {
    let any = CheckName::unknown();
    let callee = callee.unwrap_or(&any);
    work.spend(caller.len() + callee.len() + 1)?;
    Ok(caller.clone().and(&CheckName::literal(" / ")).and(callee))
}

/// Each name with each of the values behind it.
fn joined(names: &[CheckName], values: &[CheckName], work: &Work) -> Result<Vec<CheckName>, Spent> {
    let mut found = Vec::new();
    for name in names {
        for value in values {
            work.spend(name.len() + value.len() + 1)?;
            found.push(name.clone().and(value));
        }
    }
    Ok(found)
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
fn resolved(text: &str, known: &Known<'_>) -> Result<Vec<CheckName>, Spent> {
    let mut names = vec![CheckName(Vec::new())];
    let mut rest = text;
    if text.len() > WRITTEN {
        return Ok(vec![CheckName::unknown()]);
    }
    while let Some((before, behind)) = rest.split_once("${{") {
        let Some((expression, after)) = behind.split_once("}}") else { break };
        names = joined(&names, &[CheckName::literal(before)], known.work)?;
        let values = evaluated(expression, known, NESTED)?;
        if names.len().saturating_mul(values.len()) > COMBINATIONS {
            return Ok(vec![CheckName::unknown()]);
        }
        names = joined(&names, &values, known.work)?;
        rest = after;
    }
    joined(&names, &[CheckName::literal(rest)], known.work)
}

/// The values that an expression may have.
fn evaluated(expression: &str, known: &Known<'_>, depth: usize) -> Result<Vec<CheckName>, Spent> {
    let unknown = || vec![CheckName::unknown()];
    known.work.spend(expression.len())?;
    let bare = expression.trim();
    if let Some(text) = quoted(bare) {
        return Ok(vec![CheckName::literal(text)]);
    }
    if !bare.is_empty() && bare.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return Ok(vec![CheckName::literal(bare)]);
    }
    if depth > 0
        && let Some(arguments) = call(bare, "format")
    {
        return Ok(formatted(&arguments, known, depth - 1)?.unwrap_or_else(unknown));
    }
    let folded = bare.to_ascii_lowercase();
    if folded == "github.workflow" {
        return Ok(known.workflow.map_or_else(unknown, |name| vec![CheckName::literal(name)]));
    }
    let Some((matrix, key)) = known.matrix.zip(folded.strip_prefix("matrix.")) else { return Ok(unknown()) };
    let values = values_of(matrix, key, known.work)?;
    Ok(if values.is_empty() { unknown() } else { values.into_iter().map(CheckName::literal).collect() })
}

/// The values of a key of a literal matrix; none where one of them is not literal.
fn values_of(matrix: &Value, key: &str, work: &Work) -> Result<Vec<String>, Spent> {
    let named = |value: &'_ Value| -> Vec<Value> {
        let members = members(value).iter().filter(|(name, _)| name.name.eq_ignore_ascii_case(key));
        members.map(|(_, value)| value.clone()).collect()
    };
    let mut values: Vec<Value> = Vec::new();
    for (_, list) in members(matrix).iter().filter(|(name, _)| name.name.eq_ignore_ascii_case(key)) {
        match &list.data {
            Data::List(items) if items.len() <= COMBINATIONS => {
                work.spend(items.len())?;
                values.extend(items.iter().cloned());
            }
            // A list that is worked out, or one that is too long.
            _ => return Ok(Vec::new()),
        }
    }
    match member(matrix, "include") {
        None => {}
        Some(include) if matches!(include.data, Data::List(_)) => {
            for item in items(include) {
                work.spend(1 + members(item).len())?;
                values.extend(named(item));
            }
        }
        Some(_) => return Ok(Vec::new()),
    }
    let texts: Option<Vec<String>> = values.iter().map(scalar).collect();
    let texts = texts.unwrap_or_default();
    work.spend(texts.iter().map(String::len).sum())?;
    let is_open = texts.len() > COMBINATIONS || texts.iter().any(|text| text.contains("${{"));
    Ok(if is_open { Vec::new() } else { texts })
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
fn formatted(arguments: &[String], known: &Known<'_>, depth: usize) -> Result<Option<Vec<CheckName>>, Spent> {
    let mut values = Vec::new();
    for value in arguments.iter().skip(1) {
        values.push(evaluated(value, known, depth)?);
    }
    let Some(parts) = arguments.first().and_then(|pattern| parts_of(&quoted(pattern.trim())?, &values)) else {
        return Ok(None);
    };
    let mut names = vec![CheckName(Vec::new())];
    for part in parts {
        if names.len().saturating_mul(part.len()) > COMBINATIONS {
            return Ok(None);
        }
        names = joined(&names, &part, known.work)?;
    }
    Ok(Some(names))
}

/// The pattern of `format` in parts, each with the values that it may have.
fn parts_of(pattern: &str, values: &[Vec<CheckName>]) -> Option<Vec<Vec<CheckName>>> {
    let mut parts = Vec::new();
    let mut rest = pattern;
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
        // No real name needs so much text.
        if parts.len() > LONGEST {
            return None;
        }
    }
    literal.push_str(rest);
    parts.push(vec![CheckName::literal(literal)]);
    Some(parts)
}

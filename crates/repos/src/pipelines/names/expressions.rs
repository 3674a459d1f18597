//! Expressions of forges in names: the texts that they may become.

use super::{CheckName, LONGEST, Part};
use crate::pipelines::work::{Spent, Work};
use crate::repo_audit::{items, member, members};
use agent_strace_policy::json::{Data, Value};

/// Combinations of a matrix that one name is worked out for.
const COMBINATIONS: usize = 256;
/// Bytes of a text that is worked out.
const WRITTEN: usize = 16 << 10;
/// Calls of functions inside each other.
const NESTED: usize = 32;
/// Functions whose values are true or false.
const TESTS: &[&str] = &["contains", "startswith", "endswith", "success", "failure", "always", "cancelled"];
/// Words of expressions that stand for no value of a run.
const CONSTANTS: &[&str] = &["format", "join", "fromjson", "tojson", "case", "true", "false", "null"];

/// The values that a run knows of a workflow, as far as its text has them.
struct Known<'v> {
    /// The name of the workflow.
    workflow: Option<&'v str>,
    matrix: Option<&'v Value>,
    work: &'v Work,
}

/// The names that a job may have by itself, without those of what it calls.
pub(in crate::pipelines) fn of_job(
    key: &str,
    job: &Value,
    workflow: Option<&str>,
    work: &Work,
) -> Result<Vec<CheckName>, Spent> {
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
        return Ok(vec![CheckName::hidden()]);
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
    known.work.spend(expression.len())?;
    let bare = expression.trim();
    let unknown = || known_of(bare);
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
    let alternatives = alternatives(bare);
    if depth > 0 && alternatives.len() > 1 {
        let mut found = Vec::new();
        for alternative in alternatives.into_iter().filter(|alternative| !is_test(alternative)).take(COMBINATIONS) {
            found.extend(evaluated(alternative, known, depth - 1)?);
        }
        return Ok(found);
    }
    let folded = bare.to_ascii_lowercase();
    if folded == "github.workflow" {
        return Ok(known.workflow.map_or_else(unknown, |name| vec![CheckName::literal(name)]));
    }
    match known.matrix.zip(folded.strip_prefix("matrix.")) {
        Some((matrix, key)) => values_of(matrix, key, known.work),
        None => Ok(unknown()),
    }
}

/// The values of a key of a matrix.
fn values_of(matrix: &Value, key: &str, work: &Work) -> Result<Vec<CheckName>, Spent> {
    let is_key = |name: &str| name.eq_ignore_ascii_case(key);
    let mut found = Vec::new();
    let mut add = |value: &Value| -> Result<(), Spent> {
        let text = scalar(value);
        work.spend(1 + text.as_ref().map_or(0, String::len))?;
        match text {
            Some(text) if text.contains("${{") => found.extend(known_of(&text)),
            Some(text) => found.push(CheckName::literal(text)),
            None => found.push(CheckName::unknown()),
        }
        Ok(())
    };
    if members(matrix).is_empty() {
        add(matrix)?;
    }
    for (_, list) in members(matrix).iter().filter(|(name, _)| is_key(&name.name)) {
        let values = if matches!(list.data, Data::List(_)) { items(list) } else { std::slice::from_ref(list) };
        values.iter().try_for_each(&mut add)?;
    }
    if let Some(include) = member(matrix, "include") {
        if !matches!(include.data, Data::List(_)) {
            add(include)?;
        }
        for item in items(include) {
            work.spend(1 + members(item).len())?;
            members(item).iter().filter(|(name, _)| is_key(&name.name)).try_for_each(|(_, value)| add(value))?;
        }
    }
    let is_open = found.is_empty() || found.len() > COMBINATIONS;
    Ok(if is_open { vec![CheckName::unknown()] } else { found })
}

/// The operands of `&&` and `||`, any of which may be the value, without the brackets around them.
fn alternatives(text: &str) -> Vec<&str> {
    let (mut found, mut start, mut depth, mut is_quoted) = (Vec::new(), 0, 0_u32, false);
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\'' => is_quoted = !is_quoted,
            '(' | '[' if !is_quoted => depth += 1,
            ')' | ']' if !is_quoted => depth = depth.saturating_sub(1),
            '|' | '&' if !is_quoted && depth == 0 && letters.peek().is_some_and(|(_, next)| *next == letter) => {
                letters.next();
                found.extend(text.get(start..at));
                start = at + 2;
            }
            _ => {}
        }
    }
    found.extend(text.get(start..));
    let mut found: Vec<&str> = found.into_iter().map(str::trim).collect();
    if let [only] = found.as_slice()
        && outside(only) == "()"
    {
        // Brackets around all of it: an alternative that says nothing keeps it going.
        found = vec!["''", only.get(1..only.len() - 1).unwrap_or_default()];
    }
    found
}

/// The letters that are in no brackets and in no quotes, and the outer brackets themselves.
fn outside(text: &str) -> String {
    let (mut found, mut depth, mut is_quoted) = (String::new(), 0_u32, false);
    for letter in text.chars() {
        match letter {
            '\'' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            '(' | '[' => {
                found.extend((depth == 0).then_some(letter));
                depth += 1;
            }
            ')' | ']' => {
                depth = depth.saturating_sub(1);
                found.extend((depth == 0).then_some(letter));
            }
            _ => found.extend((depth == 0).then_some(letter)),
        }
    }
    found
}

/// Whether the value is true or false.
fn is_test(text: &str) -> bool {
    if alternatives(text).len() > 1 {
        return false;
    }
    let name = text.split('(').next().unwrap_or_default().trim().to_lowercase();
    let plain = outside(text);
    let compares = ["==", "!=", "<", ">"].iter().any(|operator| plain.contains(operator));
    text.starts_with('!') || TESTS.contains(&name.as_str()) || compares
}

fn without_quoted(text: &str) -> String {
    text.split('\'').step_by(2).collect()
}

/// The names that an expression may become of which not all is known: any, and each text that is spelled in it. One of
/// nothing but constants hides a name that it could spell.
fn known_of(expression: &str) -> Vec<CheckName> {
    let plain = without_quoted(expression).to_lowercase();
    let mut words =
        plain.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|word| !word.is_empty());
    let is_value = |word: &str| word.starts_with(char::is_alphabetic) && !CONSTANTS.contains(&word);
    let is_constant = !expression.trim().is_empty() && !words.any(is_value);
    let mut found = vec![if is_constant { CheckName::hidden() } else { CheckName::unknown() }];
    let spelled = expression.split('\'').skip(1).step_by(2).take(COMBINATIONS).flat_map(|text| {
        // The argument of `fromJSON`.
        let of_json = text.split('"').skip(1).step_by(2).take(COMBINATIONS).map(CheckName::literal);
        [CheckName::literal(text)].into_iter().chain(of_json.collect::<Vec<_>>())
    });
    found.extend(spelled);
    found.truncate(COMBINATIONS);
    found
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

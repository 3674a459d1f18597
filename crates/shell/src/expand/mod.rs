//! Words → fields: braces, tildes, variables, substitutions, splitting and globs, in that order.

mod field;
mod parameter;
mod pattern;

pub use field::{Field, Knowledge, joined};

use super::value::{Piece, Value};
use super::{AssignedValue, Assignment, Part, Scope, Script, Word, parse};
use field::{Fields, MAX_FIELDS};

/// Bytes of text that are read or copied for the price of one step of work.
pub const BYTES_A_STEP: usize = 64;

/// Parts of all the words together that braces may make of one.
const MAX_PARTS: usize = 1 << 16;

/// Variables that hold expressions may name each other.
const MAX_EVALUATIONS: usize = 8;

/// Who runs what words contain.
pub trait Runner {
    /// Runs a substitution in a copy of `scope`; returns what it prints.
    fn substitute(&mut self, script: &Script, scope: &mut Scope) -> Printed;

    /// Starts a process substitution; returns the path it stands for.
    fn process(&mut self, script: &Script, scope: &mut Scope, writes: bool) -> Field;

    /// Counts work. `false`: the text asks for more than is done for one.
    fn may_spend(&mut self, steps: usize) -> bool;

    /// The working directory, for `$PWD`.
    fn directory(&mut self) -> Option<String> {
        None
    }
}

/// What a substitution prints, as far as that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Printed {
    Text(String),
    /// Probably this.
    Likely(String),
    /// Text that this pattern (of a [`Field`]) matches.
    Matching(String),
    Unknown,
}

/// The fields of a command's word.
pub fn expand_word(word: &Word, scope: &mut Scope, runner: &mut dyn Runner) -> Vec<Field> {
    let Some(alternatives) = alternatives(&word.parts) else {
        // Too many alternatives: what they contain runs once.
        Expansion { scope, runner, evaluations: 0 }.pieces(&word.parts);
        return vec![Field::unknown(&word.source)];
    };
    let mut fields = Fields::default();
    for parts in &alternatives {
        if alternatives.len() > 1 && !runner.may_spend(1) {
            return vec![Field::unknown(&word.source)];
        }
        let pieces =
            Expansion { scope: &mut *scope, runner: &mut *runner, evaluations: 0 }.pieces(parts.iter().copied());
        let separators = scope.separators();
        let empty_parameters = has_quoted_parameters(parts);
        if !field::collect(&pieces, &separators, &word.source, empty_parameters, &mut fields) {
            return vec![Field::unknown(&word.source)];
        }
    }
    fields.all
}

/// The one field of a word that is neither split nor a glob: an assigned value, a here-string, `case` and `[[`.
pub fn expand_text(word: &Word, scope: &mut Scope, runner: &mut dyn Runner) -> Field {
    joined(&expand_value(word, scope, runner), &word.source)
}

/// The same with all that is known of it.
pub fn expand_value(word: &Word, scope: &mut Scope, runner: &mut dyn Runner) -> Value {
    Value::new(Expansion { scope, runner, evaluations: 0 }.pieces(&word.parts))
}

/// Runs what `text` contains when a builtin takes it for an expression or for the name of an element: `let "$x"`,
/// `test -v "$x"`, `declare -i y=…`, `read "$x"` expand subscripts in it once more.
pub fn evaluate(text: &str, scope: &mut Scope, runner: &mut dyn Runner) {
    let mut expansion = Expansion { scope, runner, evaluations: 0 };
    expansion.evaluate(text);
    for name in text.split(|c: char| c != '_' && !c.is_ascii_alphanumeric()).take(MAX_FIELDS) {
        if let Some(inner) = expansion.scope.value(name).best() {
            expansion.evaluate(&inner);
        }
    }
}

/// Expands and performs an assignment.
pub fn assign(assignment: &Assignment, scope: &mut Scope, runner: &mut dyn Runner) {
    let name = assignment.name.as_str();
    match &assignment.value {
        AssignedValue::Scalar(word) => {
            let value = expand_value(word, scope, runner);
            if scope.is_integer(name)
                && let Some(text) = value.best()
            {
                evaluate(&text, scope, runner);
            }
            if assignment.append { scope.append(name, &value) } else { scope.assign(name, value) }
        }
        AssignedValue::Array(words) => {
            let keyed = words.iter().any(|word| word.source.starts_with('[') && word.source.contains("]="));
            if keyed {
                return assign_keyed(name, words, assignment.append, scope, runner);
            }
            let mut elements = Vec::new();
            for word in words {
                elements.extend(expand_word(word, scope, runner).into_iter().map(field::into_value));
            }
            if elements.len() > MAX_FIELDS {
                scope.assign_element(name, None, Value::unknown());
            } else {
                scope.assign_array(name, elements, assignment.append);
            }
        }
        AssignedValue::Element { index, value: word } => {
            let index = expand_value(index, scope, runner);
            if let Some(text) = index.best() {
                evaluate(&text, scope, runner);
            }
            let value = expand_value(word, scope, runner);
            let before = index.text().map_or_else(Value::unknown, |key| scope.element(name, key));
            let value = if assignment.append { before.appended(&value) } else { value };
            scope.assign_element(name, index.text(), value);
        }
    }
}

/// `name=([key]=value …)`; elements without a key follow the one before.
fn assign_keyed(name: &str, words: &[Word], append: bool, scope: &mut Scope, runner: &mut dyn Runner) {
    let mut elements = Vec::with_capacity(words.len());
    let mut next = 0_u64;
    for word in words {
        let value = expand_value(word, scope, runner);
        let (key, value) = match split_key(&value) {
            Some(pair) => pair,
            None if word.source.starts_with('[') => return scope.assign_element(name, None, Value::unknown()),
            None => (next.to_string(), value),
        };
        evaluate(&key, scope, runner);
        next = key.parse::<u64>().map_or(next, |number| number.saturating_add(1));
        elements.push((key, value));
    }
    scope.assign_keyed(name, elements, append);
}

/// `[key]=value`, where the key is known.
fn split_key(value: &Value) -> Option<(String, Value)> {
    let (first, rest) = value.pieces().split_first()?;
    let Piece::Text { text, .. } = first else { return None };
    let (key, text) = text.strip_prefix('[')?.split_once("]=")?;
    let start = Piece::Text { text: text.to_owned(), quoted: true };
    Some((key.to_owned(), Value::new(std::iter::once(start).chain(rest.iter().cloned()).collect())))
}

/// The words that braces make of a word; nothing if they are too many.
fn alternatives(parts: &[Part]) -> Option<Vec<Vec<&Part>>> {
    let mut all: Vec<Vec<&Part>> = vec![Vec::new()];
    for part in parts {
        let Part::Brace(items) = part else {
            for parts in &mut all {
                parts.push(part);
            }
            if all.len() > 1 && all.iter().map(Vec::len).sum::<usize>() > MAX_PARTS {
                return None;
            }
            continue;
        };
        let mut choices = Vec::new();
        for item in items {
            choices.extend(alternatives(&item.parts)?);
        }
        let count = all.len().checked_mul(choices.len())?;
        let longest = |words: &[Vec<&Part>]| words.iter().map(Vec::len).max().unwrap_or(0);
        if count > MAX_FIELDS || count.checked_mul(longest(&all) + longest(&choices))? > MAX_PARTS {
            return None;
        }
        all = all
            .iter()
            .flat_map(|before| choices.iter().map(move |choice| before.iter().chain(choice).copied().collect()))
            .collect();
    }
    Some(all)
}

fn has_quoted_parameters(parts: &[&Part]) -> bool {
    parts.iter().any(|part| match part {
        Part::Variable(variable) => {
            let all = variable.subscript.as_ref().is_some_and(|subscript| subscript.source == "@");
            variable.quoted && (variable.name == "@" || all)
        }
        _ => false,
    })
}

/// One word being expanded.
struct Expansion<'a> {
    scope: &'a mut Scope,
    runner: &'a mut dyn Runner,
    evaluations: usize,
}

impl Expansion<'_> {
    fn pieces<'p>(&mut self, parts: impl IntoIterator<Item = &'p Part>) -> Vec<Piece> {
        let mut out = Vec::new();
        for part in parts {
            let before = out.len();
            self.part(part, &mut out);
            let bytes: usize = out.iter().skip(before).map(Piece::size).sum();
            if !self.runner.may_spend(bytes / BYTES_A_STEP) {
                out.truncate(before);
                out.push(Piece::Unknown);
                break;
            }
        }
        out
    }

    fn part(&mut self, part: &Part, out: &mut Vec<Piece>) {
        match part {
            // A literal holds no separators that count: splitting concerns what expansions bring.
            Part::Literal(text) | Part::Quoted(text) => {
                let quoted = matches!(part, Part::Quoted(_));
                if quoted || !text.is_empty() {
                    out.push(Piece::Text { text: text.clone(), quoted: true });
                }
            }
            Part::Glob(text) => out.push(Piece::Glob(text.clone())),
            Part::Tilde(user) => out.push(self.tilde(user.as_deref())),
            Part::Variable(variable) => self.variable(variable, out),
            Part::Substitution { script, quoted } => match self.runner.substitute(script, self.scope) {
                Printed::Text(text) => {
                    let text = text.trim_end_matches('\n').replace('\0', "");
                    out.push(Piece::Text { text, quoted: *quoted });
                }
                Printed::Likely(text) => out.push(Piece::Likely(text.trim_end_matches('\n').replace('\0', ""))),
                Printed::Matching(pattern) => out.push(Piece::Matching(pattern)),
                Printed::Unknown => out.push(Piece::Unknown),
            },
            Part::Process { script, writes } => {
                let field = self.runner.process(script, self.scope, *writes);
                out.push(match field.knowledge {
                    Knowledge::Exact => Piece::Text { text: field.text, quoted: true },
                    Knowledge::Pattern | Knowledge::Partly | Knowledge::Unknown => Piece::Unknown,
                });
            }
            Part::Arithmetic { scripts, words, names, assigns, value, .. } => {
                self.arithmetic(scripts, words, names, *assigns);
                out.push(match value {
                    Some(value) => Piece::Text { text: value.to_string(), quoted: true },
                    None => Piece::Unknown,
                });
            }
            Part::Brace(items) => {
                // Only where braces are too many, or not active: each alternative runs, none is known.
                for item in items {
                    self.pieces(&item.parts);
                }
                out.push(Piece::Unknown);
            }
            Part::Unknown(_) => out.push(Piece::Unknown),
        }
    }

    fn tilde(&mut self, user: Option<&str>) -> Piece {
        match user {
            Some("+") => self.runner.directory().map_or(Piece::Unknown, |text| Piece::Text { text, quoted: true }),
            Some("-") => {
                self.scope.previous_directory().map_or(Piece::Unknown, |text| Piece::Text { text, quoted: true })
            }
            None => match self.scope.content("HOME") {
                Some(_) => match self.scope.known("HOME") {
                    Some(text) => Piece::Text { text, quoted: true },
                    None => Piece::Unknown,
                },
                None => Piece::Tilde(None),
            },
            Some(user) => Piece::Tilde(Some(user.to_owned())),
        }
    }

    /// Runs what an expression contains, and what the variables contain that it evaluates.
    fn arithmetic(&mut self, scripts: &[Script], words: &[Part], names: &[String], assigns: bool) {
        for script in scripts {
            self.runner.substitute(script, self.scope);
        }
        let value = Value::new(self.pieces(words));
        if let Some(text) = value.best() {
            self.evaluate(&text);
        }
        for name in names {
            if let Some(text) = self.scope.value(name).best() {
                self.evaluate(&text);
            }
        }
        if assigns {
            for name in names {
                self.scope.forget(name);
            }
        }
    }

    /// Text that the shell expands once more: `x='a[$(rm y)]'; echo $((x))` runs `rm`.
    fn evaluate(&mut self, text: &str) {
        let expands = text.contains(['$', '`']) && self.evaluations < MAX_EVALUATIONS;
        // Parsing costs more than copying.
        if !expands || !self.runner.may_spend(1 + text.len() / 8) {
            return;
        }
        self.evaluations += 1;
        let body = parse::body(text);
        self.pieces(&body.parts);
        self.evaluations -= 1;
    }
}

//! Words → fields: braces, tildes, variables, substitutions, splitting and globs, in that order.

mod field;
mod group;
mod parameter;
mod pattern;

pub use field::{Field, Knowledge, joined};

use super::value::{EmptyField, Fragment, Provenance, Value};
use super::{AssignedValue, Assignment, AssignmentOperator, Direction, Part, Quoting, Scope, Script, Word, parse};
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
    fn process(&mut self, script: &Script, scope: &mut Scope, direction: Direction) -> Field;

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
    Matching(Value),
    Unknown,
    /// Any text, from a known origin.
    Foreign(Provenance),
}

/// The fields of a command's word.
pub fn expand_word(word: &Word, scope: &mut Scope, runner: &mut dyn Runner) -> Vec<Field> {
    let Some(alternatives) = alternatives(&word.parts) else {
        // Too many alternatives: what they contain runs once.
        Expansion { scope, runner, evaluations: 0 }.fragments(&word.parts);
        return vec![Field::unknown(&word.source)];
    };
    let mut fields = Fields::default();
    for parts in &alternatives {
        if alternatives.len() > 1 && !runner.may_spend(1) {
            return vec![Field::unknown(&word.source)];
        }
        let fragments =
            Expansion { scope: &mut *scope, runner: &mut *runner, evaluations: 0 }.fragments(parts.iter().copied());
        let separators = scope.separators();
        if !field::collect(&fragments, &separators, &word.source, lone_empty_field(parts), &mut fields) {
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
    Value::new(Expansion { scope, runner, evaluations: 0 }.fragments(&word.parts))
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
            match assignment.operator {
                AssignmentOperator::Set => scope.assign(name, value),
                AssignmentOperator::Append => scope.append(name, &value),
            }
        }
        AssignedValue::Array(words) => assign_array(name, words, assignment.operator, scope, runner),
        AssignedValue::Element { index, value: word } => {
            let index = expand_value(index, scope, runner);
            if let Some(text) = index.best() {
                evaluate(&text, scope, runner);
            }
            let value = expand_value(word, scope, runner);
            let before = index.text().map_or_else(Value::unknown, |key| scope.element(name, key));
            let value = match assignment.operator {
                AssignmentOperator::Set => value,
                AssignmentOperator::Append => before.appended(&value),
            };
            scope.assign_element(name, index.text(), value);
        }
    }
}

/// `name=(value …)`
fn assign_array(name: &str, words: &[Word], operator: AssignmentOperator, scope: &mut Scope, runner: &mut dyn Runner) {
    let keyed = words.iter().any(|word| word.source.starts_with('[') && word.source.contains("]="));
    if keyed {
        return assign_keyed(name, words, operator, scope, runner);
    }
    let mut elements = Vec::new();
    for word in words {
        elements.extend(expand_word(word, scope, runner).into_iter().map(field::into_value));
    }
    if elements.len() > MAX_FIELDS {
        scope.assign_element(name, None, Value::unknown());
    } else {
        scope.assign_array(name, elements, operator);
    }
}

/// `name=([key]=value …)`; elements without a key follow the one before.
fn assign_keyed(name: &str, words: &[Word], operator: AssignmentOperator, scope: &mut Scope, runner: &mut dyn Runner) {
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
    scope.assign_keyed(name, elements, operator);
}

/// `[key]=value`, where the key is known.
fn split_key(value: &Value) -> Option<(String, Value)> {
    let (first, rest) = value.fragments().split_first()?;
    let Fragment::Text { text, .. } = first else { return None };
    let (key, text) = text.strip_prefix('[')?.split_once("]=")?;
    let start = Fragment::quoted(text);
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

/// A word whose only field is empty has one all the same, but `"$@"` without parameters is no field.
fn lone_empty_field(parts: &[&Part]) -> EmptyField {
    let is_all = |part: &&Part| match part {
        Part::Variable(variable) => {
            let all = variable.subscript.as_ref().is_some_and(|subscript| subscript.source == "@");
            variable.quoting == Quoting::Quoted && (variable.name == "@" || all)
        }
        _ => false,
    };
    if parts.iter().any(is_all) { EmptyField::Removed } else { EmptyField::Retained }
}

/// One word being expanded.
struct Expansion<'a> {
    scope: &'a mut Scope,
    runner: &'a mut dyn Runner,
    evaluations: usize,
}

impl Expansion<'_> {
    fn fragments<'p>(&mut self, parts: impl IntoIterator<Item = &'p Part>) -> Vec<Fragment> {
        let mut out = Vec::new();
        for part in parts {
            let before = out.len();
            self.part(part, &mut out);
            let bytes: usize = out.iter().skip(before).map(Fragment::size).sum();
            if !self.runner.may_spend(bytes / BYTES_A_STEP) {
                out.truncate(before);
                out.push(Fragment::Unknown);
                break;
            }
        }
        out
    }

    fn part(&mut self, part: &Part, out: &mut Vec<Fragment>) {
        match part {
            // A literal holds no separators that count: splitting concerns what expansions bring.
            Part::Literal(text) | Part::Quoted(text) => {
                let quoted = matches!(part, Part::Quoted(_));
                if quoted || !text.is_empty() {
                    out.push(Fragment::quoted(text));
                }
            }
            Part::Glob(text) => out.push(Fragment::Glob(text.clone())),
            Part::Tilde(user) => out.push(self.tilde(user.as_deref())),
            Part::Variable(variable) => self.variable(variable, out),
            Part::Substitution { script, quoting } => self.substitution(script, *quoting, out),
            Part::Process { script, direction } => {
                let field = self.runner.process(script, self.scope, *direction);
                out.push(match field.knowledge {
                    Knowledge::Exact => Fragment::quoted(field.text),
                    Knowledge::Pattern | Knowledge::Partly | Knowledge::Unknown => Fragment::Unknown,
                });
            }
            Part::Arithmetic { scripts, words, names, assigns, value, .. } => {
                self.arithmetic(scripts, words, names);
                if *assigns {
                    self.forget(names);
                }
                out.push(value.map_or(Fragment::Unknown, |value| Fragment::quoted(value.to_string())));
            }
            Part::Brace(items) => {
                // Only where braces are too many, or not active: each alternative runs, none is known.
                for item in items {
                    self.fragments(&item.parts);
                }
                out.push(Fragment::Unknown);
            }
            Part::Unknown(_) => out.push(Fragment::Unknown),
        }
    }

    fn substitution(&mut self, script: &Script, quoting: Quoting, out: &mut Vec<Fragment>) {
        // The shell drops newlines at the end, and NUL bytes anywhere.
        let text = |printed: &str| printed.trim_end_matches('\n').replace('\0', "");
        out.push(match self.runner.substitute(script, self.scope) {
            Printed::Text(printed) => Fragment::Text { text: text(&printed), quoting },
            Printed::Likely(printed) => Fragment::Likely(text(&printed)),
            Printed::Matching(value) => return out.extend_from_slice(value.fragments()),
            Printed::Unknown => Fragment::Unknown,
            Printed::Foreign(provenance) => Fragment::Foreign(provenance),
        });
    }

    fn tilde(&mut self, user: Option<&str>) -> Fragment {
        match user {
            Some("+") => self.runner.directory().map_or(Fragment::Unknown, Fragment::quoted),
            Some("-") => self.scope.previous_directory().map_or(Fragment::Unknown, Fragment::quoted),
            None => match self.scope.content("HOME") {
                Some(_) => self.scope.known("HOME").map_or(Fragment::Unknown, Fragment::quoted),
                None => Fragment::Tilde(None),
            },
            Some(user) => Fragment::Tilde(Some(user.to_owned())),
        }
    }

    /// Runs what an expression contains, and what the variables contain that it evaluates.
    fn arithmetic(&mut self, scripts: &[Script], words: &[Part], names: &[String]) {
        for script in scripts {
            self.runner.substitute(script, self.scope);
        }
        let value = Value::new(self.fragments(words));
        if let Some(text) = value.best() {
            self.evaluate(&text);
        }
        for name in names {
            if let Some(text) = self.scope.value(name).best() {
                self.evaluate(&text);
            }
        }
    }

    /// The values of these variables are not known any more.
    fn forget(&mut self, names: &[String]) {
        for name in names {
            self.scope.forget(name);
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
        self.fragments(&body.parts);
        self.evaluations -= 1;
    }
}

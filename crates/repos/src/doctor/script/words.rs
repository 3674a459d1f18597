//! Words of a command in a script, and where a command starts the program.

use agent_strace_shell::{AssignedValue, Node, Part, Redirect, RedirectKind, Script, Simple, Word};

use crate::repo_audit::program;

pub(super) const NAME: &str = "agent-strace";
/// Programs that end with the exit code of the command that they start.
const WRAPPERS: &[&str] =
    &["timeout", "gtimeout", "env", "nice", "ionice", "time", "command", "exec", "stdbuf", "nohup", "sudo", "builtin"];
/// Programs that bring the program and start it.
const BRINGERS: &[&str] =
    &["npx", "bunx", "npm", "pnpm", "yarn", "uvx", "uv", "pipx", "cargo", "docker", "podman", "nix", "mise"];
/// Options that a verdict about a change takes.
const BASES: &[&str] = &["--policy-ref", "--base", "--git-dir"];

/// A command that starts the program.
#[derive(Debug)]
pub(super) struct Start {
    /// As it is written: a name, or a path.
    pub(super) program: String,
    /// All words before it.
    pub(super) before: Vec<String>,
    /// The arguments.
    pub(super) arguments: Vec<String>,
    /// Variables that are set for it alone.
    pub(super) variables: Vec<String>,
    /// Where the command begins.
    pub(super) offset: usize,
}

/// A word without its quotes: a variable as `$NAME`, and `$(…)` for what only a run knows.
pub(super) fn shown(word: &Word) -> String {
    word.parts.iter().map(part).collect()
}

fn part(part: &Part) -> String {
    match part {
        Part::Literal(text) | Part::Quoted(text) | Part::Glob(text) | Part::Unknown(text) => text.clone(),
        Part::Tilde(user) => format!("~{}", user.as_deref().unwrap_or_default()),
        Part::Variable(variable) if variable.subscript.is_some() => format!("${{{}[]}}", variable.name),
        Part::Variable(variable) => format!("${}", variable.name),
        _ => "$(…)".to_owned(),
    }
}

pub(super) fn words(simple: &Simple) -> Vec<String> {
    simple.words.iter().map(shown).collect()
}

/// Whether a word is the program, whatever folder, package or image it is taken from.
fn is_own(word: &str) -> bool {
    program(word) == NAME || word.starts_with("agent-strace@") || word.contains("/agent-strace:")
}

/// The program that a command starts itself, or through a program that passes its exit code on.
pub(super) fn start(simple: &Simple) -> Option<Start> {
    let words = words(simple);
    let first = program(words.first()?);
    let at = if is_own(words.first()?) || is_variable(&words) {
        0
    } else if WRAPPERS.contains(&first.as_str()) {
        let at = words.iter().position(|word| is_own(word))?;
        // `timeout 9 sh -c 'agent-strace …'` and `env x y agent-strace` start something else.
        let is_between = |word: &String| {
            word.starts_with('-') || word.contains('=') || is_number(word) || WRAPPERS.contains(&program(word).as_str())
        };
        if !words.get(1..at)?.iter().all(is_between) {
            return None;
        }
        at
    } else if BRINGERS.contains(&first.as_str()) {
        words.iter().position(|word| is_own(word))?
    } else {
        return None;
    };
    let mut variables: Vec<String> = simple.assignments.iter().map(|assignment| assignment.name.clone()).collect();
    let set = words.get(..at)?.iter().filter_map(|word| word.split_once('=')).map(|(name, _)| name.to_owned());
    variables.extend(set.filter(|name| !name.starts_with('-')));
    Some(Start {
        program: words.get(at)?.clone(),
        before: words.get(..at)?.to_vec(),
        arguments: words.get(at + 1..)?.to_vec(),
        variables,
        offset: simple.span.map_or(0, agent_strace_shell::Span::start),
    })
}

/// `"$program" check --policy-ref auto`: no other program takes these arguments.
fn is_variable(words: &[String]) -> bool {
    let has_option = words.iter().any(|word| BASES.iter().any(|option| word.starts_with(option)));
    words.first().is_some_and(|word| word.starts_with('$'))
        && words.get(1).is_some_and(|word| word == "check")
        && has_option
}

/// A duration of `timeout`, or a number of `nice`.
fn is_number(word: &str) -> bool {
    word.starts_with(|letter: char| letter.is_ascii_digit())
        && word.chars().all(|letter| letter.is_ascii_digit() || ".smhd".contains(letter))
        || ["TERM", "KILL", "INT", "HUP"].contains(&word)
}

/// Calls a function for each simple command, wherever it stands: also in substitutions of an assignment.
pub(super) fn visit<'n>(node: &'n Node, act: &mut dyn FnMut(&'n Simple)) {
    match node {
        Node::Simple(simple) => {
            act(simple);
            for script in substitutions(simple) {
                visit_all(script, act);
            }
        }
        Node::Pipeline(nodes) => nodes.iter().for_each(|node| visit(node, act)),
        Node::Negated(node) | Node::Background(node) | Node::Coprocess { node, .. } | Node::Redirected { node, .. } => {
            visit(node, act);
        }
        Node::Subshell(script) | Node::Group(script) => visit_all(script, act),
        Node::AndOr { first, rest } => {
            visit(first, act);
            for (_, node) in rest {
                visit(node, act);
            }
        }
        Node::Branches { conditions, bodies } => conditions.iter().chain(bodies).for_each(|part| visit_all(part, act)),
        Node::Loop { condition, body, .. } => [condition, body].iter().for_each(|part| visit_all(part, act)),
        Node::Case { arms, .. } => arms.iter().for_each(|(_, body)| visit_all(body, act)),
        Node::Function { body, .. } => visit_all(body, act),
        Node::Test(words) => words.iter().flat_map(of_word).for_each(|script| visit_all(script, act)),
    }
}

pub(super) fn visit_all<'n>(script: &'n Script, act: &mut dyn FnMut(&'n Simple)) {
    script.nodes.iter().for_each(|node| visit(node, act));
}

fn substitutions(simple: &Simple) -> impl Iterator<Item = &Script> {
    let assigned = simple.assignments.iter().chain(&simple.declared).flat_map(|assignment| match &assignment.value {
        AssignedValue::Scalar(word) => std::slice::from_ref(word),
        AssignedValue::Array(words) => words.as_slice(),
        AssignedValue::Element { value, .. } => std::slice::from_ref(value),
    });
    simple.words.iter().chain(assigned).flat_map(of_word)
}

fn of_word(word: &Word) -> impl Iterator<Item = &Script> {
    word.parts.iter().filter_map(|part| match part {
        Part::Substitution { script, .. } | Part::Process { script, .. } => Some(script),
        _ => None,
    })
}

/// Whether a command is one assignment from a substitution: it ends with the exit code of that.
pub(super) fn assigned_from(simple: &Simple) -> Option<&Script> {
    let [assignment] = simple.assignments.as_slice() else { return None };
    let AssignedValue::Scalar(word) = &assignment.value else { return None };
    match word.parts.as_slice() {
        [Part::Substitution { script, .. }] if simple.words.is_empty() => Some(script),
        _ => None,
    }
}

/// Functions and redirections of a script.
pub(super) fn shape(script: &Script, shape: &mut super::Shape) {
    for node in &script.nodes {
        of_node(node, shape);
    }
    visit_all(script, &mut |simple| written(&simple.redirects, shape));
}

fn of_node(node: &Node, shape: &mut super::Shape) {
    match node {
        Node::Function { name, .. } => shape.functions.push(name.clone()),
        Node::Redirected { node, redirects } => {
            written(redirects, shape);
            of_node(node, shape);
        }
        Node::Group(script) | Node::Subshell(script) => script.nodes.iter().for_each(|node| of_node(node, shape)),
        Node::Pipeline(nodes) => nodes.iter().for_each(|node| of_node(node, shape)),
        Node::AndOr { first, rest } => {
            of_node(first, shape);
            for (_, node) in rest {
                of_node(node, shape);
            }
        }
        _ => {}
    }
}

fn written(redirects: &[Redirect], shape: &mut super::Shape) {
    let targets = redirects.iter().filter_map(|redirect| match &redirect.kind {
        RedirectKind::Write(word) | RedirectKind::Append(word) | RedirectKind::ReadWrite(word) => Some(shown(word)),
        _ => None,
    });
    shape.written.extend(targets);
}

/// The variables of the shell that a command sets, with their values.
pub(super) fn assigned(simple: &Simple) -> Vec<(String, String)> {
    let value = |value: &AssignedValue| match value {
        AssignedValue::Scalar(word) => shown(word),
        AssignedValue::Array(_) | AssignedValue::Element { .. } => "$(…)".to_owned(),
    };
    if simple.words.is_empty() {
        return simple.assignments.iter().map(|one| (one.name.clone(), value(&one.value))).collect();
    }
    if !simple.declares() {
        return Vec::new();
    }
    let scalar = words(simple)
        .into_iter()
        .skip(1)
        .filter_map(|word| word.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned())));
    scalar.chain(simple.declared.iter().map(|one| (one.name.clone(), value(&one.value)))).collect()
}

/// `name=$?`: the variable keeps the exit code of what ran before.
pub(super) fn keeps(node: &Node) -> Option<&str> {
    let Node::Simple(simple) = node else { return None };
    let [assignment] = simple.assignments.as_slice() else { return None };
    let AssignedValue::Scalar(word) = &assignment.value else { return None };
    (simple.words.is_empty() && shown(word) == "$?").then_some(assignment.name.as_str())
}

//! Which variables a script may assign.

use std::collections::BTreeSet;

use crate::{AssignedValue, Assignment, Node, Operation, Part, Redirect, RedirectKind, Script, Simple, Word};

/// Builtins whose operands name variables.
const NAMING: &[&str] = &[
    "declare",
    "export",
    "getopts",
    "let",
    "local",
    "mapfile",
    "printf",
    "read",
    "readarray",
    "readonly",
    "typeset",
    "unset",
];

/// Every name that `script` may assign, also in what it contains.
pub(super) fn names(script: &Script) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    of_script(script, &mut names);
    names
}

fn of_script(script: &Script, names: &mut BTreeSet<String>) {
    for node in &script.nodes {
        of_node(node, names);
    }
}

fn of_node(node: &Node, names: &mut BTreeSet<String>) {
    match node {
        Node::Simple(simple) => of_simple(simple, names),
        Node::AndOr { first, rest } => {
            of_node(first, names);
            for (_, node) in rest {
                of_node(node, names);
            }
        }
        Node::Negated(node) => of_node(node, names),
        Node::Group(script) => of_script(script, names),
        Node::Branches { conditions, bodies } => {
            conditions.iter().chain(bodies).for_each(|script| of_script(script, names));
        }
        Node::Loop { variable, condition, body } => {
            names.extend(variable.iter().map(|(name, _)| name.clone()));
            of_script(condition, names);
            of_script(body, names);
        }
        Node::Case { word, arms } => {
            of_word(word, names);
            for (_, script) in arms {
                of_script(script, names);
            }
        }
        // A function may be called by any command behind it.
        Node::Function { body, .. } => of_script(body, names),
        Node::Test(words) => words.iter().for_each(|word| of_word(word, names)),
        Node::Redirected { node, redirects } => {
            of_node(node, names);
            of_redirects(redirects, names);
        }
        Node::Coprocess { name, .. } => {
            names.insert(name.clone());
        }
        // Those run in a shell of their own.
        Node::Pipeline(_) | Node::Subshell(_) | Node::Background(_) => {}
    }
}

fn of_simple(simple: &Simple, names: &mut BTreeSet<String>) {
    simple.assignments.iter().chain(&simple.declared).for_each(|assignment| of_assignment(assignment, names));
    simple.words.iter().for_each(|word| of_word(word, names));
    of_redirects(&simple.redirects, names);
    let is_naming = simple.words.first().is_some_and(|word| NAMING.contains(&word.source.as_str()));
    if !is_naming {
        return;
    }
    names.insert("REPLY".to_owned());
    for word in simple.words.iter().skip(1) {
        let name: String = word.source.chars().take_while(|c| *c == '_' || c.is_ascii_alphanumeric()).collect();
        if !name.is_empty() {
            names.insert(name);
        }
    }
}

fn of_assignment(assignment: &Assignment, names: &mut BTreeSet<String>) {
    names.insert(assignment.name.clone());
    match &assignment.value {
        AssignedValue::Scalar(word) => of_word(word, names),
        AssignedValue::Array(words) => words.iter().for_each(|word| of_word(word, names)),
        AssignedValue::Element { index, value } => {
            of_word(index, names);
            of_word(value, names);
        }
    }
}

fn of_redirects(redirects: &[Redirect], names: &mut BTreeSet<String>) {
    for redirect in redirects {
        names.extend(redirect.variable.clone());
        match &redirect.kind {
            RedirectKind::Read(word)
            | RedirectKind::Write(word)
            | RedirectKind::Append(word)
            | RedirectKind::ReadWrite(word)
            | RedirectKind::DuplicateInput(word)
            | RedirectKind::DuplicateOutput(word)
            | RedirectKind::Here { body: word, .. } => of_word(word, names),
        }
    }
}

fn of_word(word: &Word, names: &mut BTreeSet<String>) {
    word.parts.iter().for_each(|part| of_part(part, names));
}

fn of_part(part: &Part, names: &mut BTreeSet<String>) {
    match part {
        Part::Variable(variable) => {
            if let Operation::Assign(word) = &variable.operation {
                names.insert(variable.name.clone());
                of_word(word, names);
            }
        }
        Part::Arithmetic { names: mentioned, assigns: true, .. } => names.extend(mentioned.iter().cloned()),
        Part::Brace(words) => words.iter().for_each(|word| of_word(word, names)),
        _ => {}
    }
}

//! Which variables a command mentions.

use std::collections::BTreeSet;

use crate::{
    AssignedValue, Assignment, AssignmentOperator, Node, Operation, Part, Redirect, RedirectKind, Script, Simple,
    Variable, Word,
};

/// The variables whose values decide what `node` itself does: those in its words, in its redirections, and in what it
/// substitutes. What a compound command runs decides for itself.
pub fn mentioned(node: &Node) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    match node {
        Node::Simple(simple) => of_simple(simple, &mut names),
        Node::Redirected { redirects, .. } => of_redirects(redirects, &mut names),
        Node::Loop { variable: Some((_, words)), .. } | Node::Test(words) => of_words(words, &mut names),
        _ => {}
    }
    names
}

/// The variables in the words, redirections and assignments of a simple command.
pub fn mentioned_by(simple: &Simple) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    of_simple(simple, &mut names);
    names
}

fn of_simple<'n>(simple: &'n Simple, names: &mut BTreeSet<&'n str>) {
    for assignment in simple.assignments.iter().chain(&simple.declared) {
        of_assignment(assignment, names);
    }
    of_words(&simple.words, names);
    of_redirects(&simple.redirects, names);
}

fn of_assignment<'n>(assignment: &'n Assignment, names: &mut BTreeSet<&'n str>) {
    if assignment.operator == AssignmentOperator::Append {
        names.insert(&assignment.name);
    }
    match &assignment.value {
        AssignedValue::Scalar(word) => of_word(word, names),
        AssignedValue::Array(words) => of_words(words, names),
        AssignedValue::Element { index, value } => {
            names.insert(&assignment.name);
            of_word(index, names);
            of_word(value, names);
        }
    }
}

fn of_redirects<'n>(redirects: &'n [Redirect], names: &mut BTreeSet<&'n str>) {
    for redirect in redirects {
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

fn of_words<'n>(words: &'n [Word], names: &mut BTreeSet<&'n str>) {
    for word in words {
        of_word(word, names);
    }
}

fn of_word<'n>(word: &'n Word, names: &mut BTreeSet<&'n str>) {
    word.parts.iter().for_each(|part| of_part(part, names));
}

fn of_part<'n>(part: &'n Part, names: &mut BTreeSet<&'n str>) {
    match part {
        Part::Variable(variable) => of_variable(variable, names),
        Part::Substitution { script, .. } | Part::Process { script, .. } => of_script(script, names),
        Part::Arithmetic { scripts, words, names: read, .. } => {
            names.extend(read.iter().map(String::as_str));
            for script in scripts {
                of_script(script, names);
            }
            for part in words {
                of_part(part, names);
            }
        }
        Part::Brace(words) => of_words(words, names),
        Part::Literal(_) | Part::Quoted(_) | Part::Glob(_) | Part::Tilde(_) | Part::Unknown(_) => {}
    }
}

fn of_variable<'n>(variable: &'n Variable, names: &mut BTreeSet<&'n str>) {
    names.insert(&variable.name);
    if let Some(word) = &variable.subscript {
        of_word(word, names);
    }
    match &variable.operation {
        Operation::Plain | Operation::Length | Operation::Indirect => {}
        Operation::Default(word)
        | Operation::Assign(word)
        | Operation::Alternative(word)
        | Operation::Required(word)
        | Operation::Trim { pattern: word, .. } => of_word(word, names),
        Operation::Replace { pattern, replacement, .. } => {
            of_word(pattern, names);
            of_word(replacement, names);
        }
        Operation::Slice { offset, length } => {
            of_word(offset, names);
            if let Some(word) = length {
                of_word(word, names);
            }
        }
        Operation::Other { words, .. } => of_words(words, names),
    }
}

/// Simple commands of a substitution.
fn of_script<'n>(script: &'n Script, names: &mut BTreeSet<&'n str>) {
    for node in &script.nodes {
        match node {
            Node::Simple(simple) => of_simple(simple, names),
            Node::Pipeline(nodes) => names.extend(nodes.iter().flat_map(mentioned)),
            _ => {}
        }
    }
}

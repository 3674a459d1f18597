//! A compact form of the tree, for tables.

use crate::{
    Affix, AssignedValue, Assignment, AssignmentOperator, Connector, Direction, MatchLength, Matches, Node, Operation,
    Part, Quoting, Redirect, RedirectKind, Script, Simple, Word,
};

/// Nodes joined by `; `, problems behind `!`.
pub(super) fn script(script: &Script) -> String {
    let mut text = script.nodes.iter().map(node).collect::<Vec<_>>().join("; ");
    for problem in &script.problems {
        text.push_str(" !");
        text.push_str(&problem.to_string());
    }
    text.trim_matches(' ').to_owned()
}

fn node(node: &Node) -> String {
    match node {
        Node::Simple(command) => simple(command),
        Node::Pipeline(stages) => stages.iter().map(self::node).collect::<Vec<_>>().join(" | "),
        Node::Negated(inner) => format!("! {}", self::node(inner)),
        Node::Subshell(inner) => format!("({})", script(inner)),
        Node::Group(inner) => format!("{{{}}}", script(inner)),
        Node::Coprocess { name, node: inner } => format!("{name}:{} &", self::node(inner)),
        Node::Background(inner) => format!("{} &", self::node(inner)),
        Node::AndOr { first, rest } => {
            let mut text = self::node(first);
            for (connector, next) in rest {
                text.push_str(if *connector == Connector::And { " && " } else { " || " });
                text.push_str(&self::node(next));
            }
            text
        }
        Node::Branches { conditions, bodies } => {
            let all = |scripts: &[Script]| scripts.iter().map(script).collect::<Vec<_>>().join(" / ");
            format!("if {} then {} fi", all(conditions), all(bodies))
        }
        Node::Loop { variable, condition, body } => {
            let head = match variable {
                Some((name, list)) => format!("for {name} in {}", words(list)),
                None => format!("while {}", script(condition)),
            };
            format!("{head} do {} done", script(body))
        }
        Node::Case { word, arms } => {
            let arms: Vec<String> =
                arms.iter().map(|(patterns, body)| format!("{}) {}", words(patterns), script(body))).collect();
            format!("case {} {} esac", self::word(word), arms.join(" ;; "))
        }
        Node::Function { name, body } => format!("{name}() {}", script(body)),
        Node::Test(list) => format!("[[{}]]", words(list)),
        Node::Redirected { node, redirects } => format!("{}{}", self::node(node), redirections(redirects)),
    }
}

fn simple(command: &Simple) -> String {
    let mut fields: Vec<String> = command.assignments.iter().map(assignment).collect();
    fields.extend(command.words.iter().map(word));
    fields.extend(command.declared.iter().map(|declared| format!("declared:{}", assignment(declared))));
    format!("{}{}", fields.join(" "), redirections(&command.redirects)).trim_matches(' ').to_owned()
}

fn assignment(assignment: &Assignment) -> String {
    let sign = match assignment.operator {
        AssignmentOperator::Set => "=",
        AssignmentOperator::Append => "+=",
    };
    let value = match &assignment.value {
        AssignedValue::Scalar(value) => word(value),
        AssignedValue::Array(elements) => format!("({})", words(elements)),
        AssignedValue::Element { index, value } => format!("[{}]{}", word(index), word(value)),
    };
    format!("{}{sign}{value}", assignment.name)
}

fn redirections(redirects: &[Redirect]) -> String {
    redirects.iter().fold(String::new(), |text, redirect| text + " " + &redirection(redirect))
}

fn redirection(redirect: &Redirect) -> String {
    let descriptor = redirect.descriptor.map_or_else(String::new, |number| number.to_string());
    let descriptor = redirect.variable.as_ref().map_or(descriptor, |name| format!("{{{name}}}"));
    let rest = match &redirect.kind {
        RedirectKind::Read(target) => format!("<{}", word(target)),
        RedirectKind::Write(target) => format!(">{}", word(target)),
        RedirectKind::Append(target) => format!(">>{}", word(target)),
        RedirectKind::ReadWrite(target) => format!("<>{}", word(target)),
        RedirectKind::DuplicateInput(target) => format!("<&{}", word(target)),
        RedirectKind::DuplicateOutput(target) => format!(">&{}", word(target)),
        RedirectKind::Here { body, quoted } => {
            format!("<<{}[{}]", if *quoted { "Q" } else { "" }, word(body).replace('\n', "↵"))
        }
    };
    descriptor + &rest
}

pub(super) fn words(words: &[Word]) -> String {
    words.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// Quoted text in `‹›`, active globs in `*‹›`, expansions in their own brackets.
fn word(word: &Word) -> String {
    word.parts.iter().map(part).collect()
}

fn mark(quoting: Quoting) -> &'static str {
    match quoting {
        Quoting::Quoted => "\"",
        Quoting::Unquoted => "",
    }
}

fn part(part: &Part) -> String {
    match part {
        Part::Literal(text) => text.clone(),
        Part::Quoted(text) => format!("‹{text}›"),
        Part::Glob(text) => format!("*‹{text}›"),
        Part::Tilde(user) => format!("~{}", user.as_deref().unwrap_or_default()),
        Part::Variable(variable) => {
            let subscript = variable.subscript.as_ref().map_or_else(String::new, |index| format!("[{}]", word(index)));
            let mark = mark(variable.quoting);
            format!("${mark}{}{subscript}{}", variable.name, operation(&variable.operation))
        }
        Part::Substitution { script: inner, quoting } => format!("$({}{})", mark(*quoting), script(inner)),
        Part::Process { script: inner, direction: Direction::Output } => format!("<({})", script(inner)),
        Part::Process { script: inner, direction: Direction::Input } => format!(">({})", script(inner)),
        Part::Arithmetic { scripts, words, value, .. } => {
            let inner: Vec<String> = scripts
                .iter()
                .map(|inner| format!("$({})", script(inner)))
                .chain(words.iter().map(self::part))
                .collect();
            format!("$(({}{}))", value.map_or_else(String::new, |value| value.to_string()), inner.join(" "))
        }
        Part::Brace(items) => format!("{{{}}}", items.iter().map(word).collect::<Vec<_>>().join(",")),
        Part::Unknown(text) => format!("?‹{text}›"),
    }
}

fn operation(operation: &Operation) -> String {
    match operation {
        Operation::Plain => String::new(),
        Operation::Default(value) => format!(":-({})", word(value)),
        Operation::Assign(value) => format!(":=({})", word(value)),
        Operation::Alternative(value) => format!(":+({})", word(value)),
        Operation::Required(value) => format!(":?({})", word(value)),
        Operation::Length => ":length".to_owned(),
        Operation::Indirect => ":indirect".to_owned(),
        Operation::Trim { pattern, affix, length } => {
            let sign = match (affix, length) {
                (Affix::Prefix, MatchLength::Shortest) => "#",
                (Affix::Prefix, MatchLength::Longest) => "##",
                (Affix::Suffix, MatchLength::Shortest) => "%",
                (Affix::Suffix, MatchLength::Longest) => "%%",
            };
            format!("{sign}({})", word(pattern))
        }
        Operation::Replace { pattern, replacement, matches: Matches::First } => {
            format!("/({})({})", word(pattern), word(replacement))
        }
        Operation::Replace { pattern, replacement, matches: Matches::All } => {
            format!("//({})({})", word(pattern), word(replacement))
        }
        Operation::Slice { offset, length } => {
            format!(":slice({})({})", word(offset), length.as_ref().map_or_else(String::new, word))
        }
        Operation::Other { name, words } => format!(":other {name}({})", self::words(words)),
    }
}

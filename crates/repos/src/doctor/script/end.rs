//! How commands end that run where the gate failed, and the exit code of a script that kept it in a variable.

use agent_strace_shell::{Connector, Home, Node, Script, Simple, parse_at};

use super::super::answer::Fault;
use super::flow::Functions;
use super::words::{keeps, visit, words};

/// Functions that call each other.
const DEPTH: usize = 8;
/// Commands of the action of a trap.
const STEPS: usize = 1_000;
/// Commands that succeed, or whose failure has no consequence.
const SUCCEEDING: &[&str] =
    &["true", ":", "/bin/true", "/usr/bin/true", "echo", "printf", "exit", "date", "cat", "sleep"];
/// Commands by which a trap cleans up.
const CLEANING: &[&str] =
    &["rm", "rmdir", "echo", "printf", "kill", "popd", "cd", "docker", "podman", "git", ":", "true", "wait"];

/// How a script ends after something in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Fails,
    Succeeds,
    /// As it would have ended without this.
    Kept,
    Unknown,
}

/// Whether `exit` with this operand always fails.
pub(super) fn is_failure(code: &str) -> bool {
    code.parse::<u32>().is_ok_and(|code| code % 256 != 0)
}

/// The variable of `$NAME`.
fn variable(word: &str) -> Option<&str> {
    word.strip_prefix('$')
        .filter(|name| !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_'))
}

fn simple(node: &Node) -> Option<&Simple> {
    match node {
        Node::Simple(simple) => Some(simple),
        Node::Redirected { node, .. } => self::simple(node),
        _ => None,
    }
}

/// `exit $?`, or `exit` alone.
pub(super) fn exits_with_status(node: &Node) -> bool {
    let words = simple(node).map(words).unwrap_or_default();
    matches!(words.iter().map(String::as_str).collect::<Vec<_>>().as_slice(), ["exit"] | ["exit", "$?"])
}

/// `exit ${PIPESTATUS[0]}`.
pub(super) fn exits_with_first_of_pipe(node: &Node) -> bool {
    let source = simple(node).filter(|simple| simple.words.len() == 2).and_then(|simple| simple.words.get(1));
    let is_exit = simple(node).map(words).is_some_and(|words| words.first().is_some_and(|word| word == "exit"));
    is_exit && source.is_some_and(|word| word.source.trim_matches('"') == "${PIPESTATUS[0]}")
}

/// How the commands end that stand behind `||`.
pub(super) fn of_handler(node: &Node, functions: &Functions) -> End {
    of_nodes(std::slice::from_ref(node), functions, DEPTH)
}

/// How a script ends that runs where the gate failed.
pub(super) fn of_script(script: &Script, functions: &Functions) -> End {
    of_nodes(&script.nodes, functions, DEPTH)
}

fn of_nodes(nodes: &[Node], functions: &Functions, depth: usize) -> End {
    let Some(depth) = depth.checked_sub(1) else { return End::Unknown };
    let Some((last, earlier)) = nodes.split_last() else { return End::Succeeds };
    let mut exits = false;
    for node in earlier {
        visit(node, &mut |simple| {
            exits |=
                words(simple).first().is_some_and(|word| ["exit", "exec", "return", "eval"].contains(&word.as_str()));
        });
    }
    if exits {
        return End::Unknown;
    }
    match last {
        Node::Group(script) | Node::Subshell(script) if earlier.is_empty() => of_nodes(&script.nodes, functions, depth),
        _ => match simple(last) {
            Some(simple) => of_command(&words(simple), earlier, functions, depth),
            None => End::Unknown,
        },
    }
}

fn of_command(words: &[String], earlier: &[Node], functions: &Functions, depth: usize) -> End {
    let Some((name, operands)) = words.split_first() else { return End::Unknown };
    let code = operands.first().map(String::as_str);
    match (name.as_str(), code) {
        ("false", _) => End::Fails,
        ("exit", Some(code)) if is_failure(code) => End::Fails,
        ("exit", None | Some("$?")) if earlier.is_empty() => End::Fails,
        ("exit", Some(code)) if variable(code).is_some() && variable(code) == earlier.first().and_then(keeps) => {
            End::Fails
        }
        ("exit", Some(code)) if code.contains('$') && code != "$?" => End::Unknown,
        (function, _) if functions.contains_key(function) => {
            functions.get(function).map_or(End::Unknown, |body| of_nodes(&body.nodes, functions, depth))
        }
        (name, _) if SUCCEEDING.contains(&name) => End::Succeeds,
        _ => End::Unknown,
    }
}

/// The effect of the action of a trap on the exit code.
pub(super) fn of_trap(action: &str, functions: &Functions) -> End {
    let script = parse_at(action, Home::piece(0, action.len()));
    if !script.problems.is_empty() || action.contains("$(…)") {
        return End::Unknown;
    }
    let mut left = STEPS;
    of_cleaning(&script, functions, DEPTH, &mut left)
}

fn of_cleaning(script: &Script, functions: &Functions, depth: usize, left: &mut usize) -> End {
    let Some(depth) = depth.checked_sub(1) else { return End::Unknown };
    let kept = script.nodes.first().and_then(keeps);
    let mut end = End::Kept;
    for node in &script.nodes {
        visit(node, &mut |simple| {
            let Some(rest) = left.checked_sub(1) else {
                end = End::Unknown;
                return;
            };
            *left = rest;
            let words = words(simple);
            let Some((name, operands)) = words.split_first() else { return };
            let code = operands.first().map(String::as_str);
            let found = match (name.as_str(), code) {
                ("exit", Some(code)) if variable(code).is_some() && variable(code) == kept => End::Kept,
                ("exit", Some("0")) => End::Succeeds,
                ("exit", Some(code)) if is_failure(code) => End::Fails,
                ("exit", None) if kept.is_some() || script.nodes.len() == 1 => End::Kept,
                (function, _) if functions.contains_key(function) => {
                    functions.get(function).map_or(End::Unknown, |body| of_cleaning(body, functions, depth, left))
                }
                (name, _) if CLEANING.contains(&name) => End::Kept,
                _ => End::Unknown,
            };
            if end == End::Kept {
                end = found;
            }
        });
    }
    end
}

/// Whether a script ends with the exit code that a variable keeps.
pub(super) fn ends_with(name: &str, rest: &[Node]) -> Result<(), Fault> {
    for node in rest {
        if sets(node, name) {
            return Err(Fault::unknown(
                "gate/forgiven",
                format!("`{name}` keeps the exit code of the gate and is set again: set it once"),
            ));
        }
        if hands_on(node, name) {
            return Ok(());
        }
        let mut exits = false;
        visit(node, &mut |simple| {
            exits |=
                words(simple).first().is_some_and(|word| ["exit", "exec", "return", "eval"].contains(&word.as_str()));
        });
        if exits {
            return Err(Fault::unknown(
                "gate/forgiven",
                format!(
                    "`{name}` keeps the exit code, and nothing here says that the script ends with it: add `exit ${name}`"
                ),
            ));
        }
    }
    Err(Fault::defeats(
        "gate/forgiven",
        format!("`{name}` keeps the exit code, and nothing ends with it: add `exit ${name}`"),
    ))
}

fn sets(node: &Node, name: &str) -> bool {
    let mut found = false;
    visit(node, &mut |simple| found |= simple.assignments.iter().any(|assignment| assignment.name == name));
    found
}

/// `exit $NAME`, or a test of it that ends with a failure.
fn hands_on(node: &Node, name: &str) -> bool {
    let wanted = format!("${name}");
    let is_exit = |node: &Node| {
        let words = simple(node).map(words).unwrap_or_default();
        words.len() == 2 && words.first().is_some_and(|word| word == "exit") && words.get(1) == Some(&wanted)
    };
    let fails = |node: &Node| {
        is_exit(node)
            || simple(node)
                .map(words)
                .is_some_and(|words| matches!(words.as_slice(), [exit, code] if exit == "exit" && is_failure(code)))
    };
    match node {
        Node::Branches { conditions, bodies } => {
            let ([condition], [then, otherwise]) = (conditions.as_slice(), bodies.as_slice()) else { return false };
            let [condition] = condition.nodes.as_slice() else { return false };
            let ends = |script: &Script| script.nodes.last().is_some_and(&fails);
            match tested(condition, &wanted) {
                Some(Tested::Failed) => ends(then),
                Some(Tested::Passed) => ends(otherwise),
                None => false,
            }
        }
        Node::AndOr { first, rest } => match rest.as_slice() {
            [(Connector::Or, node)] => tested(first, &wanted) == Some(Tested::Passed) && fails(node),
            [(Connector::And, node)] => tested(first, &wanted) == Some(Tested::Failed) && fails(node),
            _ => false,
        },
        node => is_exit(node),
    }
}

/// Where a test of the exit code holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tested {
    Passed,
    Failed,
}

fn tested(node: &Node, wanted: &str) -> Option<Tested> {
    let words = match node {
        Node::Test(words) => words.iter().map(|word| plain(&word.source)).collect(),
        node => words(simple(node)?),
    };
    let inner: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| !["[", "]", "test", "[[", "]]"].contains(word)).collect();
    let [left, operator, "0"] = inner.as_slice() else { return None };
    match *operator {
        _ if *left != wanted => None,
        "-ne" | "!=" | "-gt" => Some(Tested::Failed),
        "-eq" | "=" | "==" => Some(Tested::Passed),
        _ => None,
    }
}

/// A word of a test as it is written, a variable as `$NAME`.
fn plain(source: &str) -> String {
    let bare = source.trim_matches('"');
    let inner = bare.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
    let name = inner.map(|inner| inner.split([':', '-']).next().unwrap_or(inner));
    name.map_or_else(|| bare.to_owned(), |name| format!("${name}"))
}

//! The exit code of a script: whether it is that of the call that judges.
//!
//! It follows commands one after the other, `set`, `trap`, `||` and `&&`, pipelines, groups, `if`, and a variable
//! that keeps the exit code. Everything else is unknown, never good.

use std::collections::BTreeMap;
use std::sync::Arc;

use agent_strace_shell::{Connector, Node, Script, Simple};

use super::super::answer::Fault;
use super::end::{self, End};
use super::words::{self, NAME, assigned_from, keeps, start, visit};
use super::{Shell, is_verdict};
use crate::repo_audit::program;

const ID: &str = "gate/forgiven";
/// Builtins that a function or alias of the same name would replace.
const STEERING: &[&str] = &["exit", "set", "trap", "command", "exec", "eval", "return", "env", "timeout", "false", "["];

/// Traps that run where a command fails, or the script ends.
const SIGNALS: &[&str] = &["EXIT", "0", "ERR", "DEBUG", "RETURN"];

/// Commands of one script.
const STEPS: usize = 20_000;

/// Whether a command runs in every case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Runs {
    Always,
    Perhaps,
}

/// Functions that a script defines.
pub(super) type Functions = BTreeMap<String, Arc<Script>>;

/// The state of a shell between two commands.
pub(super) struct Flow {
    shell: Shell,
    functions: Functions,
    /// Commands that are still followed: functions may call each other.
    left: usize,
    /// The folder that the script went to.
    folder: Option<String>,
    /// Why nothing that runs from here on counts.
    fault: Option<Fault>,
}

/// One call that judges, and what is wrong with where it stands.
pub(super) struct Stand<'n> {
    pub(super) simple: &'n Simple,
    /// The folder that it runs in, where that is not the one of the step.
    pub(super) folder: Option<String>,
    pub(super) fault: Option<Fault>,
}

fn defeats(message: &str) -> Fault {
    Fault::defeats(ID, message)
}

fn unknown(message: &str) -> Fault {
    Fault::unknown(ID, message)
}

/// The calls of a script that judge, in order.
pub(super) fn calls(script: &Script, shell: Shell) -> Vec<Stand<'_>> {
    let mut flow = Flow { shell, functions: Functions::new(), left: STEPS, folder: None, fault: None };
    let mut found = Vec::new();
    for (at, node) in script.nodes.iter().enumerate() {
        let calls = calls_in(node);
        if calls.is_empty() {
            flow.before(node, Runs::Always);
            continue;
        }
        let rest = script.nodes.get(at + 1..).unwrap_or_default();
        let fault = flow.fault.clone().or_else(|| flow.counts(node, rest).err());
        let folder = &flow.folder;
        found.extend(calls.into_iter().map(|simple| Stand { simple, folder: folder.clone(), fault: fault.clone() }));
    }
    found
}

fn calls_in(node: &Node) -> Vec<&Simple> {
    let mut found = Vec::new();
    visit(node, &mut |simple| {
        if start(simple).is_some_and(|start| is_verdict(&start.arguments)) {
            found.push(simple);
        }
    });
    found
}

fn holds(node: &Node) -> bool {
    !calls_in(node).is_empty()
}

impl Flow {
    /// Follows what a command that is no call does to the commands after it.
    fn before(&mut self, node: &Node, runs: Runs) {
        match node {
            Node::Simple(simple) => self.command(simple, runs),
            Node::Negated(node) | Node::Redirected { node, .. } => self.before(node, runs),
            Node::Group(script) => self.all_before(script, runs),
            Node::AndOr { first, rest } => {
                self.before(first, runs);
                for (_, node) in rest {
                    self.before(node, Runs::Perhaps);
                }
            }
            Node::Branches { conditions, bodies } => {
                conditions.iter().chain(bodies).for_each(|script| self.all_before(script, Runs::Perhaps));
            }
            Node::Loop { condition, body, .. } => {
                self.all_before(condition, Runs::Perhaps);
                self.all_before(body, Runs::Perhaps);
            }
            Node::Case { arms, .. } => arms.iter().for_each(|(_, body)| self.all_before(body, Runs::Perhaps)),
            Node::Function { name, body } => self.define(name, body),
            // Their exits are not those of the script.
            Node::Subshell(_) | Node::Pipeline(_) | Node::Background(_) | Node::Coprocess { .. } | Node::Test(_) => {}
        }
    }

    fn all_before(&mut self, script: &Script, runs: Runs) {
        script.nodes.iter().for_each(|node| self.before(node, runs));
    }

    fn define(&mut self, name: &str, body: &Arc<Script>) {
        if program(name) == NAME {
            self.stop(defeats("the script defines a function with the name of the program, which runs in its place"));
        } else if STEERING.contains(&name) {
            self.stop(unknown(&format!("the script defines `{name}` anew: give the function another name")));
        }
        self.functions.insert(name.to_owned(), Arc::clone(body));
    }

    /// The first reason counts.
    fn stop(&mut self, fault: Fault) {
        self.fault.get_or_insert(fault);
    }

    fn command(&mut self, simple: &Simple, runs: Runs) {
        let Some(left) = self.left.checked_sub(1) else {
            return self.stop(unknown("the script is too long to be followed: run the gate in a step of its own"));
        };
        self.left = left;
        let mut words = words::words(simple);
        while words.len() > 1 && words.first().is_some_and(|word| word == "command" || word == "builtin") {
            words.remove(0);
        }
        let Some((name, operands)) = words.split_first() else { return };
        match name.as_str() {
            "exit" | "return" => self.exits(operands, runs),
            "cd" | "pushd" => self.folder = Some(operands.last().cloned().unwrap_or_default()),
            "exec" if !operands.is_empty() => {
                self.stop(defeats("`exec` ends the script before the gate runs: take it out"));
            }
            "set" => self.sets(operands, runs),
            "shopt" if operands.iter().any(|word| word.starts_with('-') && word.contains('o')) => {
                self.stop(unknown("`shopt -o` may let the shell go on behind a failure: use `set`"));
            }
            "trap" => self.traps(operands),
            "eval" => self.stop(unknown("`eval` may change what is run after it: write the commands out")),
            "source" | "." if !operands.first().is_some_and(|file| file.ends_with("/.cargo/env")) => {
                self.stop(unknown("what the script sources may replace the gate: run the gate in a step of its own"));
            }
            "alias" if operands.iter().any(|word| word.starts_with(NAME)) => {
                self.stop(defeats("the script defines an alias with the name of the program, which runs in its place"));
            }
            "alias" | "enable" | "hash" => {
                self.stop(unknown(&format!("`{name}` may change what is run after it: take it out")));
            }
            function => {
                // A function that calls itself is followed once.
                if let Some(body) = self.functions.remove(function) {
                    self.all_before(&body, runs);
                    self.functions.insert(function.to_owned(), body);
                }
            }
        }
    }

    fn exits(&mut self, operands: &[String], runs: Runs) {
        let code = operands.first().map(String::as_str);
        if code.is_some_and(end::is_failure) {
            return;
        }
        self.stop(match runs {
            Runs::Always => defeats("the script ends before the gate runs: take the `exit` out"),
            Runs::Perhaps => {
                unknown("the script may end with success before the gate runs: take the `exit` out, or name a code other than 0")
            }
        });
    }

    fn sets(&mut self, operands: &[String], runs: Runs) {
        let mut named = false;
        for word in operands {
            let is_on = word.starts_with('-');
            if named {
                self.option(word, operands, runs);
                named = false;
                continue;
            }
            if word.contains('$') {
                self.stop(unknown("only a run knows what `set` sets: write the options out"));
            }
            if !is_on && !word.starts_with('+') {
                continue;
            }
            named = word.contains('o');
            if word.contains('n') && is_on {
                self.stop(defeats("`set -n` reads commands and runs none: take it out"));
            }
            if word.contains('e') && (!is_on || runs == Runs::Always) {
                self.shell.stops_at_failure = is_on;
            }
        }
    }

    /// `set -o NAME`, `set +o NAME`.
    fn option(&mut self, name: &str, operands: &[String], runs: Runs) {
        let is_on = !operands.iter().any(|word| word.starts_with('+'));
        match name {
            "noexec" if is_on => self.stop(defeats("`set -o noexec` runs no command: take it out")),
            "errexit" if !is_on || runs == Runs::Always => self.shell.stops_at_failure = is_on,
            "pipefail" if !is_on || runs == Runs::Always => self.shell.fails_with_pipe = is_on,
            _ => {}
        }
    }

    fn traps(&mut self, operands: &[String]) {
        let operands = operands.strip_prefix(&["--".to_owned()]).unwrap_or(operands);
        let Some((action, signals)) = operands.split_first() else { return };
        let is_at_end =
            signals.iter().any(|name| SIGNALS.contains(&name.to_ascii_uppercase().trim_start_matches("SIG")));
        if !is_at_end || action == "-" || action.is_empty() {
            return;
        }
        match end::of_trap(action, &self.functions) {
            End::Kept => {}
            End::Succeeds => self.stop(defeats("a trap ends the script with success: take the `exit` out of it")),
            End::Fails => self.stop(defeats("a trap decides the exit code: take the `exit` out of it")),
            End::Unknown => self.stop(unknown("a trap may change the exit code: let it only clean up")),
        }
    }

    /// Whether the script fails where a call in a command fails.
    fn counts(&mut self, node: &Node, rest: &[Node]) -> Result<(), Fault> {
        match node {
            Node::Simple(simple) => self.simple_counts(simple, rest),
            Node::Redirected { node, .. } => self.counts(node, rest),
            Node::Pipeline(stages) => self.pipeline_counts(stages, rest),
            Node::Negated(_) => Err(defeats("`!` turns the exit code around: take it out")),
            Node::Group(script) | Node::Subshell(script) => {
                let at = script.nodes.iter().position(holds).unwrap_or_default();
                let (earlier, later) = script.nodes.split_at_checked(at).unwrap_or_default();
                for node in earlier {
                    self.before(node, Runs::Always);
                }
                if let Some(fault) = &self.fault {
                    return Err(fault.clone());
                }
                let Some((call, later)) = later.split_first() else { return self.is_seen(rest) };
                self.counts(call, later)?;
                self.is_seen(rest)
            }
            Node::AndOr { first, rest: list } => self.list_counts(first, list, rest),
            Node::Background(_) | Node::Coprocess { .. } => {
                Err(defeats("nothing waits for the gate: take the `&` out"))
            }
            Node::Branches { conditions, bodies } => self.branches_count(conditions, bodies, rest),
            Node::Loop { .. } | Node::Case { .. } => Err(unknown(
                "the gate is called in a loop or a `case`, which may not run: call it once, on a line of its own",
            )),
            Node::Function { .. } => {
                Err(unknown("the gate is called in a function, which may not run: call it on a line of its own"))
            }
            Node::Test(_) => Err(defeats("a test takes what the gate prints, and its exit code is lost")),
        }
    }

    fn simple_counts(&mut self, simple: &Simple, rest: &[Node]) -> Result<(), Fault> {
        if start(simple).is_some() {
            return self.is_seen(rest);
        }
        let Some(script) = assigned_from(simple) else {
            return Err(defeats("a substitution loses the exit code of the gate: call it on a line of its own"));
        };
        match script.nodes.as_slice() {
            [node] => {
                self.counts(node, &[])?;
                self.is_seen(rest)
            }
            _ => Err(unknown("the gate is called in a substitution: call it on a line of its own")),
        }
    }

    /// The last command failed: whether that fails the script.
    fn is_seen(&self, rest: &[Node]) -> Result<(), Fault> {
        let Some(next) = rest.first() else { return Ok(()) };
        if self.shell.stops_at_failure {
            return Ok(());
        }
        if let Some(name) = keeps(next) {
            return end::ends_with(name, rest.get(1..).unwrap_or_default());
        }
        if end::exits_with_status(next) {
            return Ok(());
        }
        Err(defeats("the shell goes on where the gate fails: let the gate be the last command, or take `set +e` out"))
    }

    fn pipeline_counts(&mut self, stages: &[Node], rest: &[Node]) -> Result<(), Fault> {
        let at = stages.iter().position(holds).unwrap_or_default();
        let Some(Node::Simple(_)) = stages.get(at) else {
            return Err(unknown("the gate is a part of a pipe's command: call it on a line of its own"));
        };
        let is_asked = at == 0 && rest.first().is_some_and(end::exits_with_first_of_pipe);
        if at + 1 == stages.len() || self.shell.fails_with_pipe {
            self.is_seen(rest)
        } else if is_asked && !self.shell.stops_at_failure {
            Ok(())
        } else {
            Err(defeats("the exit code of a pipe is that of its last command: add `set -o pipefail`"))
        }
    }

    fn list_counts(&mut self, first: &Node, list: &[(Connector, Node)], rest: &[Node]) -> Result<(), Fault> {
        let nodes: Vec<&Node> = std::iter::once(first).chain(list.iter().map(|(_, node)| node)).collect();
        let at = nodes.iter().position(|node| holds(node)).unwrap_or_default();
        let (earlier, later) = list.split_at_checked(at).unwrap_or_default();
        if earlier.iter().any(|(connector, _)| *connector == Connector::Or) {
            return Err(unknown("the gate runs only where another command fails: call it on a line of its own"));
        }
        nodes.iter().take(at).for_each(|node| self.before(node, Runs::Always));
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        let call = nodes.get(at).copied().unwrap_or(first);
        // A failure within a list does not end the script, except that of its last command.
        let strict = std::mem::replace(&mut self.shell.stops_at_failure, false);
        let call = self.counts(call, &[]);
        self.shell.stops_at_failure = strict;
        call?;
        match later.iter().find(|(connector, _)| *connector == Connector::Or) {
            Some((_, otherwise)) => self.otherwise(otherwise, rest),
            None if rest.is_empty() => Ok(()),
            None if later.is_empty() && at == 0 => self.is_seen(rest),
            None => Err(unknown(
                "where a part of the list with `&&` fails, the script goes on: call the gate on a line of its own",
            )),
        }
    }

    /// The command behind `||`.
    fn otherwise(&self, node: &Node, rest: &[Node]) -> Result<(), Fault> {
        if let Some(name) = keeps(node) {
            return end::ends_with(name, rest);
        }
        match end::of_handler(node, &self.functions) {
            End::Fails => Ok(()),
            End::Succeeds => {
                Err(defeats("the command behind `||` hides that the gate failed: let its exit code count"))
            }
            End::Kept | End::Unknown => Err(unknown(
                "nothing here says that the script fails where the gate fails, because of `||`: let the exit code of the gate count",
            )),
        }
    }

    fn branches_count(&mut self, conditions: &[Script], bodies: &[Script], rest: &[Node]) -> Result<(), Fault> {
        let in_condition = conditions.iter().any(|script| script.nodes.iter().any(holds));
        let fails = |script: &Script| end::of_script(script, &self.functions) == End::Fails;
        if !in_condition {
            let all = bodies.iter().all(|body| body.nodes.iter().any(holds) || fails(body));
            let each = bodies.iter().filter_map(|body| {
                let at = body.nodes.iter().position(holds)?;
                Some((body.nodes.get(at)?, body.nodes.get(at + 1..)?))
            });
            if all {
                let each: Vec<(&Node, &[Node])> = each.collect();
                for (call, later) in each {
                    self.counts(call, later)?;
                }
                return self.is_seen(rest);
            }
            return Err(unknown("the gate runs only where a condition holds: take it out of the `if`"));
        }
        let ([condition], [then, otherwise]) = (conditions, bodies) else {
            return Err(unknown("the gate is one of several conditions: call it on a line of its own"));
        };
        let failed = match condition.nodes.as_slice() {
            [Node::Negated(node)] if matches!(**node, Node::Simple(_)) => then,
            [Node::Simple(_)] => otherwise,
            _ => return Err(unknown("the gate is a part of a condition: call it on a line of its own")),
        };
        match end::of_script(failed, &self.functions) {
            End::Fails => Ok(()),
            End::Unknown => Err(unknown(
                "the gate is a condition, and nothing here says that the script fails where it does not hold: add `exit 1`",
            )),
            End::Kept | End::Succeeds => {
                Err(defeats("it is a condition, and nothing fails where it does not hold: add `exit 1`"))
            }
        }
    }
}

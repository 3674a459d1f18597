//! Lists: commands of which each runs or not by how the one before it ended.

use std::collections::BTreeSet;

use agent_strace_shell::{AssignedValue, Connector, Node, Operation, Part, Scope, Simple, Ways, Word, mentioned};

use super::machine::Machine;
use super::outcome::Outcome;
use super::stream::Stream;
use super::ways::{Before, Guard, Skipped};

/// What is left where some command of a list failed.
#[derive(Debug, Default)]
struct Failed<'n> {
    /// The shell behind each command that may have been the one.
    shells: Vec<Scope>,
    /// Variables that are empty where none failed.
    empty: BTreeSet<&'n str>,
    /// The directory of the first that only tests something.
    directory: Option<String>,
    /// One of the commands before only tests or asks something.
    tests: bool,
}

impl Machine<'_> {
    /// What follows `&&` is taken to run, as commands mostly succeed: what it changes is what it changed or what it was
    /// before. What follows `||` counts, too, and what it changes is in doubt. A `cd` did not fail for what follows it with
    /// `&&`, and did for what follows with `||`.
    pub(super) fn and_or(
        &mut self,
        first: &Node,
        rest: &[(Connector, Node)],
        scope: &mut Scope,
        input: &Stream,
    ) -> Stream {
        let outer = self.shell.failed_cd_dir.take();
        let mut outcomes = self.outcomes_of_list(rest).into_iter();
        let mut output = self.listed(first, outcomes.next(), scope, input);
        let mut failed = Failed::default();
        let mut skipped = Skipped::default();
        let mut last = first;
        for (connector, node) in rest {
            let outcome = outcomes.next();
            let failed_cd_dir = self.shell.failed_cd_dir.take();
            failed.add(last, scope, self.world.cwd());
            last = node;
            let before = Before::of(self);
            let guard = failed.guard(*connector).filter(|_| !outcome.is_some_and(|outcome| outcome.ran));
            match connector {
                Connector::And => output = output.then(self.listed(node, outcome, scope, input).doubted()),
                Connector::Or => {
                    std::mem::take(&mut skipped).restore(self);
                    let failed = std::mem::take(&mut failed).shells;
                    output =
                        output.then(self.after_failure(node, outcome, failed, failed_cd_dir.as_ref(), scope, input));
                    if leaves(node) {
                        continue;
                    }
                }
            }
            if let Some(guard) = guard {
                skipped.add(self, &before, guard);
            }
            self.shell.failed_cd_dir = self.shell.failed_cd_dir.take().or(failed_cd_dir);
        }
        skipped.restore(self);
        self.join_failed(failed, scope);
        self.shell.failed_cd_dir = self.shell.failed_cd_dir.take().or(outer);
        output
    }

    /// Joins the states in which commands of the list failed: it may have ended at any of them.
    fn join_failed(&mut self, failed: Failed<'_>, scope: &mut Scope) {
        if failed.directory.is_some() && failed.directory.as_deref() != self.world.cwd() {
            self.shell.failed_cd_dir = self.shell.failed_cd_dir.take().or(failed.directory);
        }
        if let Some(shell) = Scope::merged(failed.shells) {
            scope.merge_skipped(&shell, &failed.empty);
        }
    }

    /// The command behind `||`. It runs in one of the shells that failed commands left, and in the directory in which a `cd`
    /// failed.
    fn after_failure(
        &mut self,
        node: &Node,
        outcome: Option<Outcome>,
        failed: Vec<Scope>,
        failed_cd_dir: Option<&String>,
        scope: &mut Scope,
        input: &Stream,
    ) -> Stream {
        let before = scope.clone();
        let cwd = self.world.cwd().map(str::to_owned);
        if let Some(shell) = Scope::merged(failed) {
            *scope = shell;
        }
        if failed_cd_dir.is_some() {
            self.world.set_cwd(failed_cd_dir.cloned());
        }
        let start = self.world.cwd().map(str::to_owned);
        let output = self.listed(node, outcome, scope, input).doubted();
        if self.world.cwd() == start.as_deref() {
            self.world.set_cwd(cwd.clone());
        }
        self.rejoin(&before, cwd.as_deref(), scope, Ways::Both);
        output
    }

    /// One command of a list.
    fn listed(&mut self, node: &Node, outcome: Option<Outcome>, scope: &mut Scope, input: &Stream) -> Stream {
        let outcome = outcome.filter(|_| !scope.strictness().unsure).unwrap_or_default();
        self.with_outcome(outcome).node(node, scope, input)
    }
}

impl<'n> Failed<'n> {
    /// `node` may have failed, and left this shell.
    fn add(&mut self, node: &'n Node, scope: &Scope, cwd: Option<&str>) {
        if !succeeds(node, scope) {
            self.shells.push(scope.clone());
            self.empty.extend(tested_empty(node));
            if self.directory.is_none() && is_test(node) {
                self.directory = cwd.map(str::to_owned);
            }
            self.tests |= is_test(node) || asks(node);
        }
    }

    /// Returns the reason for which the next command may not run. `None`: it runs unless a command fails that seldom does.
    fn guard(&self, connector: Connector) -> Option<Guard> {
        (connector == Connector::Or || self.tests).then_some(Guard::Test)
    }
}

/// It can't fail: assignments of text to variables that may change.
fn succeeds(node: &Node, scope: &Scope) -> bool {
    let Node::Simple(simple) = node else { return false };
    simple.words.is_empty()
        && simple.redirects.is_empty()
        && simple.assignments.iter().all(|assignment| {
            let is_text = match &assignment.value {
                AssignedValue::Scalar(word) => is_text(word),
                AssignedValue::Array(words) => words.iter().all(is_text),
                AssignedValue::Element { .. } => false,
            };
            is_text && scope.is_writable(&assignment.name)
        })
}

/// Returns whether the shell can expand the word without running a command and without an error.
pub(super) fn is_text(word: &Word) -> bool {
    word.parts.iter().all(|part| match part {
        Part::Literal(_) | Part::Quoted(_) | Part::Glob(_) | Part::Tilde(_) => true,
        Part::Variable(variable) => matches!(variable.operation, Operation::Plain) && variable.subscript.is_none(),
        _ => false,
    })
}

/// It does nothing but succeed or fail.
fn is_test(node: &Node) -> bool {
    match node {
        Node::Simple(simple) => {
            simple.words.first().is_some_and(|word| matches!(&*word.source, "[" | "test" | "false"))
        }
        Node::Test(_) => true,
        Node::Negated(node) => is_test(node),
        _ => false,
    }
}

/// Its exit status answers a question.
fn asks(node: &Node) -> bool {
    match node {
        Node::Simple(simple) => simple.words.first().is_some_and(|word| ASKING.contains(&&*word.source)),
        Node::Negated(_) => true,
        Node::Pipeline(stages) => stages.last().is_some_and(asks),
        _ => false,
    }
}

/// Programs and builtins that are asked a question.
const ASKING: &[&str] = &["cmp", "command", "diff", "egrep", "fgrep", "grep", "pgrep", "pidof", "rg", "type", "which"];

/// The variables that `[ -z "$name" ]` finds empty.
fn tested_empty(node: &Node) -> BTreeSet<&str> {
    let words = match node {
        Node::Simple(Simple { words, .. }) if matches!(words.first().map(|word| &*word.source), Some("[" | "test")) => {
            words.get(1..).unwrap_or_default()
        }
        Node::Test(words) => words,
        _ => return BTreeSet::new(),
    };
    let tests = words.first().is_some_and(|word| word.source == "-z");
    if tests { mentioned(node) } else { BTreeSet::new() }
}

/// Nothing runs after it: `exit`, `return`, `{ echo no; exit 1; }`.
fn leaves(node: &Node) -> bool {
    match node {
        Node::Simple(simple) => simple
            .words
            .first()
            .is_some_and(|word| matches!(word.source.as_str(), "exit" | "return" | "break" | "continue")),
        Node::Negated(node) => leaves(node),
        Node::Group(script) => script.nodes.last().is_some_and(leaves),
        _ => false,
    }
}

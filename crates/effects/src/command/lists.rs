//! Lists: commands of which each runs or not by how the one before it ended.

use std::collections::BTreeSet;

use agent_strace_shell::{AssignedValue, Connector, Node, Part, Scope, Simple, Ways, Word, mentioned};

use super::machine::Machine;
use super::outcome::Outcome;
use super::stream::Stream;

/// What is left where some command of a list failed.
#[derive(Debug, Default)]
struct Failed<'n> {
    /// The shell behind each command that may have been the one.
    shells: Vec<Scope>,
    /// Variables that are empty where none failed.
    empty: BTreeSet<&'n str>,
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
        let mut last = first;
        for (connector, node) in rest {
            let outcome = outcomes.next();
            let failed_cd_dir = self.shell.failed_cd_dir.take();
            failed.add(last, scope);
            last = node;
            match connector {
                Connector::And => output = output.then(self.listed(node, outcome, scope, input).doubted()),
                Connector::Or => {
                    let cwd = self.world.cwd().map(str::to_owned);
                    let before = scope.clone();
                    if let Some(shell) = Scope::merged(std::mem::take(&mut failed).shells) {
                        *scope = shell;
                    }
                    if let Some(failed) = &failed_cd_dir {
                        self.world.set_cwd(Some(failed.clone()));
                    }
                    let start = self.world.cwd().map(str::to_owned);
                    output = output.then(self.listed(node, outcome, scope, input).doubted());
                    if self.world.cwd() == start.as_deref() {
                        self.world.set_cwd(cwd.clone());
                    }
                    self.rejoin(&before, cwd.as_deref(), scope, Ways::Both);
                    if leaves(node) {
                        continue;
                    }
                }
            }
            self.shell.failed_cd_dir = self.shell.failed_cd_dir.take().or(failed_cd_dir);
        }
        if let Some(skipped) = Scope::merged(failed.shells) {
            scope.merge_skipped(&skipped, &failed.empty);
        }
        self.shell.failed_cd_dir = self.shell.failed_cd_dir.take().or(outer);
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
    fn add(&mut self, node: &'n Node, scope: &Scope) {
        if !succeeds(node) {
            self.shells.push(scope.clone());
            self.empty.extend(tested_empty(node));
        }
    }
}

/// It can't fail: assignments of text.
fn succeeds(node: &Node) -> bool {
    let Node::Simple(simple) = node else { return false };
    let plain =
        |word: &Word| !word.parts.iter().any(|part| matches!(part, Part::Substitution { .. } | Part::Unknown(_)));
    simple.words.is_empty()
        && simple.redirects.is_empty()
        && simple.assignments.iter().all(|assignment| match &assignment.value {
            AssignedValue::Scalar(word) => plain(word),
            AssignedValue::Array(words) => words.iter().all(plain),
            AssignedValue::Element { .. } => false,
        })
}

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

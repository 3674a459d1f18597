//! Which commands ran and went well, if the call did: a log tells how the whole text ended, and nothing of its parts.
//!
//! The status of `test | tail` is that of `tail`, and `test || true` has none to speak of. So every part of a text is
//! walked with what the success of the whole says about it. Where that is nothing, nobody may take the call's status for
//! the command's. Whatever is in doubt says nothing: that a command went well has to be proven.

use crate::command::argument::Arg;
use crate::command::machine::Machine;
use agent_strace_shell::{AssignedValue, Connector, Node, Part, Scope, Script, Simple};

/// Whether the part that is being walked ran, succeeded or failed, provided that the call succeeded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Outcome {
    /// It ran, however it ended.
    pub(super) ran: bool,
    /// It ran and succeeded.
    pub(super) succeeded: bool,
    /// It ran and failed.
    failed: bool,
    /// It was reached, and the shell that runs it ended well.
    shell: bool,
    /// It runs because something else failed: `exit` alone ends the shell with that failure.
    after_failure: bool,
}

impl Outcome {
    /// The outcome of a whole text: the call is its shell.
    pub(super) fn of_call() -> Self {
        Self { ran: true, succeeded: true, shell: true, ..Self::default() }
    }

    /// The part runs in a shell of its own, and its status is the shell's.
    fn in_own_shell(self) -> Self {
        Self { ran: self.ran, succeeded: self.succeeded, shell: self.succeeded, ..Self::default() }
    }

    /// The outcome of the commands that a command runs. Its own exit status may not show whether they succeeded.
    pub(super) fn of_children(self, words: &[Arg]) -> Self {
        let name = words.first().and_then(Arg::literal).map_or("", |text| text.rsplit('/').next().unwrap_or(text));
        let detaches = name == "sudo" && words.iter().any(|word| matches!(word.text.as_str(), "-b" | "--background"));
        if detaches || !PASSING.contains(&name) {
            Self::default()
        } else if SAME_SHELL.contains(&name) {
            self
        } else {
            self.in_own_shell()
        }
    }

    /// `exit`, `exec`, `trap`: what stands behind them may not run, or not decide.
    pub(super) fn left(self, name: &str, words: &[Arg], scope: &mut Scope) {
        let operand = words.get(1);
        let fails = match operand {
            None => self.after_failure,
            Some(status) => status.literal().is_some_and(is_failure),
        };
        let strictness = scope.strictness_mut();
        match name {
            "exit" | "logout" if fails => strictness.exited = true,
            "return" if fails => strictness.returned = true,
            "exit" | "return" | "logout" | "trap" => strictness.unsure = true,
            "exec" if operand.is_some() => strictness.unsure = true,
            _ => {}
        }
    }

    /// `set -euo pipefail`: an option counts where it is surely set, and where it may be taken back.
    pub(super) fn strictly(self, option: &str, name: Option<&str>, scope: &mut Scope) {
        let sets = option.starts_with('-');
        let reached = self.shell || self.succeeded;
        let strictness = scope.strictness_mut();
        let named = |wanted: &str| option.contains('o') && name == Some(wanted);
        if option.contains('e') || named("errexit") {
            strictness.errexit = sets && (reached || strictness.errexit);
            strictness.exited |= sets;
        }
        if named("pipefail") {
            strictness.pipefail = sets && (reached || strictness.pipefail);
        }
        // Commands are read and not run.
        strictness.unsure |= option.contains('n') || named("noexec");
    }
}

/// A command's position in its pipeline. The pipeline's status is that of the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    Earlier,
    Last,
}

/// The status that `exit` without an operand passes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LastStatus {
    Failure,
    Unknown,
}

/// Programs whose status is that of what they run. Of any other nobody knows.
const PASSING: &[&str] = &[
    ".",
    "ash",
    "bash",
    "builtin",
    "bundle",
    "bunx",
    "caffeinate",
    "chrt",
    "command",
    "cross-env",
    "dash",
    "direnv",
    "doas",
    "dotenv",
    "env",
    "eval",
    "exec",
    "gtimeout",
    "hatch",
    "ionice",
    "ksh",
    "mise",
    "nice",
    "nocorrect",
    "noglob",
    "nohup",
    "npx",
    "pdm",
    "pipenv",
    "pnpx",
    "poetry",
    "rye",
    "sh",
    "source",
    "stdbuf",
    "sudo",
    "taskset",
    "time",
    "timeout",
    "uv",
    "uvx",
    "xvfb-run",
    "zsh",
];

/// Those of them that run it in the shell itself.
const SAME_SHELL: &[&str] = &[".", "builtin", "command", "eval", "exec", "nocorrect", "noglob", "source"];

impl Machine<'_> {
    /// A machine for a part of which the success of the call says this much.
    pub(super) fn with_outcome(&mut self, outcome: Outcome) -> Machine<'_> {
        self.with(self.context.with_outcome(outcome))
    }

    /// The outcome of a script's node at `index`, as far as the success of the script tells it.
    pub(super) fn outcome_in(&self, script: &Script, index: usize, scope: &Scope) -> Outcome {
        let (whole, strictness) = (self.context.outcome, scope.strictness());
        if strictness.unsure || !script.problems.is_empty() {
            return Outcome::default();
        }
        // If nobody sees where the shell ends, it may have ended before this node.
        let whole_runs = !strictness.returned && (whole.shell || !strictness.exited);
        let ran = whole.ran && (index == 0 || whole_runs);
        if Some(index) == deciding(&script.nodes) {
            return Outcome { ran: ran || whole.succeeded, after_failure: false, ..whole };
        }
        // A list that fails before its last command does not end the shell, nor does what is turned round.
        let ends = |node: &Node| {
            !matches!(node, Node::AndOr { .. } | Node::Negated(_) | Node::Background(_) | Node::Coprocess { .. })
        };
        let succeeded = whole.shell && strictness.errexit && script.nodes.get(index).is_some_and(ends);
        Outcome { ran: ran || succeeded, succeeded, shell: whole.shell, ..Outcome::default() }
    }

    /// The outcome of each command of a list, in order.
    pub(super) fn outcomes_of_list(&self, rest: &[(Connector, Node)]) -> Vec<Outcome> {
        let whole = self.context.outcome;
        let mut succeeded = whole.succeeded;
        let mut outcomes: Vec<Outcome> = Vec::with_capacity(rest.len() + 1);
        for (at, (connector, node)) in rest.iter().enumerate().rev() {
            let last = at + 1 == rest.len();
            match connector {
                Connector::And => {
                    let shell = succeeded && last;
                    outcomes.push(Outcome { ran: succeeded, succeeded, shell, ..Outcome::default() });
                }
                Connector::Or => {
                    outcomes.push(Outcome { after_failure: matches!(node, Node::Simple(_)), ..Outcome::default() });
                    // What is before it went well where nothing else lets the list, or the shell, end well.
                    let leaves = whole.shell && ends_shell(node, LastStatus::Failure);
                    succeeded = leaves || succeeded && never_succeeds(node);
                }
            }
        }
        outcomes.push(Outcome { ran: whole.ran, succeeded, ..Outcome::default() });
        outcomes.reverse();
        outcomes
    }

    /// The outcome of a stage of a pipeline.
    pub(super) fn outcome_of_stage(&self, stage: Stage, scope: &Scope) -> Outcome {
        let whole = self.context.outcome;
        let pipefail = scope.strictness().pipefail;
        let decides = stage == Stage::Last || pipefail;
        Outcome {
            failed: whole.failed && stage == Stage::Last && !pipefail,
            ..Outcome { succeeded: whole.succeeded && decides, ..whole }.in_own_shell()
        }
    }

    /// The outcome of a subshell: `( … )`.
    pub(super) fn outcome_of_subshell(&self) -> Outcome {
        let whole = self.context.outcome;
        Outcome { failed: whole.failed, ..whole.in_own_shell() }
    }

    /// The outcome of a command in the background: it was started.
    pub(super) fn outcome_of_background(&self) -> Outcome {
        Outcome { ran: self.context.outcome.ran, ..Outcome::default() }
    }

    /// The outcome of the command behind `!`.
    pub(super) fn outcome_turned(&self) -> Outcome {
        let Outcome { ran, succeeded, failed, .. } = self.context.outcome;
        Outcome { ran, succeeded: failed, failed: succeeded, ..Outcome::default() }
    }

    /// The outcome of the only condition of an `if`, if one of the bodies ends the shell with a failure.
    pub(super) fn outcome_of_condition(&self, conditions: &[Script], bodies: &[Script]) -> Outcome {
        let ([_], [holds, fails]) = (conditions, bodies) else { return Outcome::default() };
        let reached = self.context.outcome.shell || self.context.outcome.succeeded;
        let refuses =
            |body: &Script| reached && body.nodes.last().is_some_and(|node| ends_shell(node, LastStatus::Unknown));
        Outcome {
            ran: self.context.outcome.ran,
            succeeded: refuses(fails),
            failed: refuses(holds) && !refuses(fails),
            ..Outcome::default()
        }
    }

    /// The outcome of `$( … )`. It is known if the command has its status, as in `x=$(test)`.
    pub(super) fn outcome_of_substitution(&self) -> Outcome {
        let whole = self.context.outcome;
        Outcome { succeeded: self.context.assigned && whole.succeeded, ..whole }.in_own_shell()
    }
}

/// `x=$(…)`: its status is that of the substitution.
pub(super) fn is_assigned_output(simple: &Simple) -> bool {
    let ([assignment], [], []) = (simple.assignments.as_slice(), simple.words.as_slice(), simple.redirects.as_slice())
    else {
        return false;
    };
    let AssignedValue::Scalar(word) = &assignment.value else { return false };
    matches!(word.parts.as_slice(), [Part::Substitution { .. }])
}

/// The node whose status is that of the script: the last one, where that is no `exit` with the status before it.
fn deciding(nodes: &[Node]) -> Option<usize> {
    let last = nodes.len().checked_sub(1)?;
    let repeats = nodes.get(last).and_then(leaving).is_some_and(|operand| matches!(operand, "" | "$?" | "\"$?\""));
    if repeats { last.checked_sub(1) } else { Some(last) }
}

/// The status that `exit` or `return` is given, as it is written; empty if it leaves with the status before it.
fn leaving(node: &Node) -> Option<&str> {
    let Node::Simple(simple) = node else { return None };
    let program = simple.words.first()?;
    let leaves = matches!(program.source.as_str(), "exit" | "return");
    leaves.then(|| simple.words.get(1).map_or("", |word| word.source.as_str()))
}

/// It certainly ends the shell, and with a failure.
fn ends_shell(node: &Node, last: LastStatus) -> bool {
    match node {
        Node::Simple(simple) if simple.words.first().is_some_and(|word| word.source == "exit") => {
            leaving(node).is_some_and(|status| status.is_empty() && last == LastStatus::Failure || is_failure(status))
        }
        Node::Group(script) => script.nodes.last().is_some_and(|node| ends_shell(node, LastStatus::Unknown)),
        Node::Redirected { node, .. } => ends_shell(node, LastStatus::Unknown),
        _ => false,
    }
}

fn never_succeeds(node: &Node) -> bool {
    match node {
        Node::Simple(simple) if simple.words.first().is_some_and(|word| word.source == "false") => true,
        Node::Group(script) | Node::Subshell(script) => script.nodes.last().is_some_and(never_succeeds),
        _ => leaving(node).is_some_and(is_failure) || ends_shell(node, LastStatus::Failure),
    }
}

fn is_failure(status: &str) -> bool {
    status.parse::<u8>().is_ok_and(|status| status != 0)
}

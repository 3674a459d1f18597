//! Walks a script's nodes in the order in which a shell runs them.
//!
//! Everything that may run counts: both branches of an `if`, both sides of `||`. What is known about variables and
//! the working directory afterwards is only what all ways through agree on.

use crate::{About, Reason};
use agent_strace_shell::{
    BYTES_A_STEP, Node, Part, Provenance, Redirect, RedirectKind, Scope, Script, Simple, Value, Ways, Word, mentioned,
    parse_at,
};

use super::argument::{Arg, Known};
use super::builtins;
use super::context::Context;
use super::gate;
use super::lists::is_text;
use super::machine::Machine;
use super::outcome::{Outcome, Stage};
use super::stream::Stream;
use super::ways::{Before, Guard, Skipped, WAYS};

/// A loop over more words than this is walked once with an unknown variable.
const ROUNDS: usize = 64;

impl Machine<'_> {
    /// Text that a shell runs in a process of its own or, with `scope`, in this one.
    pub(crate) fn shell_text(&mut self, text: &str, scope: &mut Scope, input: &Stream) -> Stream {
        self.nested(Stream::Unknown, |machine| {
            machine.runs_decoded(text);
            if !machine.may_spend(1 + text.len() / BYTES_A_STEP) {
                return Stream::Unknown;
            }
            let home = machine.home(text);
            let script = parse_at(&text.replace("\r\n", "\n"), home);
            machine.script(&script, scope, input)
        })
    }

    pub(crate) fn script(&mut self, script: &Script, scope: &mut Scope, input: &Stream) -> Stream {
        self.nested(Stream::Unknown, |machine| machine.nodes(script, scope, input))
    }

    fn nodes(&mut self, script: &Script, scope: &mut Scope, input: &Stream) -> Stream {
        for problem in &script.problems {
            self.opaque(About::Anything, Reason::ShellText(*problem), &[]);
        }
        let mut output = Stream::nothing();
        let waits = script.nodes.iter().rposition(waits_for_all);
        for (index, node) in script.nodes.iter().enumerate() {
            let outcome = self.outcome_in(script, index, scope);
            let awaited = waits.is_some_and(|wait| wait > index);
            let printed = self.with(Context { outcome, awaited, ..self.context }).node(node, scope, input);
            output = output.then(printed);
        }
        output
    }

    pub(super) fn node(&mut self, node: &Node, scope: &mut Scope, input: &Stream) -> Stream {
        if !self.may_spend(1 + scope.take_work()) {
            return Stream::Unknown;
        }
        let mut shells = if scope.has_choices() { scope.choices(&mentioned(node)) } else { Vec::new() };
        shells.retain(|shell| !is_headless(node, shell));
        let ways = self.context.ways.saturating_mul(shells.len().max(1));
        if ways > WAYS {
            self.opaque(About::Anything, Reason::TooManyWays, &[]);
            shells.clear();
        }
        if shells.is_empty() {
            return self.with_texts(node, scope, input);
        }
        // It runs with one of the values that its variables may have.
        let mut shell = self.with(Context { ways, ..self.context.with_outcome(Outcome::default()) });
        let printed = shell.alternatives(shells.into_iter(), scope, |machine, own, scope| {
            *scope = own;
            machine.with_texts(node, scope, input)
        });
        printed.unwrap_or_else(Stream::nothing)
    }

    /// Nodes that expand words are walked with each text of the files that they look at; parts of others are nodes themselves.
    fn with_texts(&mut self, node: &Node, scope: &mut Scope, input: &Stream) -> Stream {
        let expands = match node {
            Node::Loop { variable, .. } => variable.is_some(),
            node => matches!(
                node,
                Node::Simple(_) | Node::Pipeline(_) | Node::Redirected { .. } | Node::Test(_) | Node::Case { .. }
            ),
        };
        if !expands {
            return self.of_kind(node, scope, input);
        }
        self.with_each_text(scope, &|machine, scope| machine.of_kind(node, scope, input))
    }

    fn of_kind(&mut self, node: &Node, scope: &mut Scope, input: &Stream) -> Stream {
        match node {
            Node::Simple(simple) => self.simple(simple, scope, input),
            Node::Pipeline(stages) => self.pipeline(stages, scope, input),
            Node::Negated(node) => self.with_outcome(self.outcome_turned()).node(node, scope, input),
            Node::Subshell(script) => {
                let mut shell = self.with_outcome(self.outcome_of_subshell());
                shell.forked(scope, |machine, scope| machine.script(script, scope, input))
            }
            Node::Group(script) => self.script(script, scope, input),
            Node::Background(node) => {
                let outcome = self.outcome_of_background();
                let detached = self.context.detached || !self.context.awaited;
                let before = Before::of(self);
                let mut shell = self.with(Context { outcome, detached, ..self.context });
                let printed = shell.forked(scope, |machine, scope| machine.node(node, scope, input));
                // The next command may run before it.
                self.may_have_been_skipped(&before);
                printed
            }
            Node::Coprocess { name, node } => self.coprocess(name, node, scope),
            Node::AndOr { first, rest } => self.and_or(first, rest, scope, input),
            Node::Branches { conditions, bodies } => self.branches(conditions, bodies, scope, input),
            // Nobody knows how often a body runs, and which of several does.
            Node::Loop { variable, condition, body } => {
                self.repeating().repeated(variable.as_ref(), condition, body, scope, input)
            }
            // One arm may go on with the next.
            Node::Case { word, arms } => self.repeating().case(word, arms, scope, input),
            Node::Function { name, body } => {
                if name == gate::NAME {
                    self.opaque(About::Commands, Reason::GateReplaced, &[]);
                }
                scope.define(name, std::sync::Arc::clone(body));
                Stream::nothing()
            }
            Node::Test(words) => {
                let values: Vec<Arg> = words.iter().map(|word| self.scalar(word, scope)).collect();
                Self::matched(words, &values, scope);
                Stream::nothing()
            }
            Node::Redirected { node, redirects } => self.redirected_node(node, redirects, scope, input),
        }
    }

    /// For a command that a program or a handler runs: it may do so several times.
    pub(super) fn perhaps_again(&mut self) -> Machine<'_> {
        self.with(Context { repeats: true, ..self.context })
    }

    fn repeating(&mut self) -> Machine<'_> {
        self.with(Context { repeats: true, ..self.context.with_outcome(Outcome::default()) })
    }

    fn redirected_node(&mut self, node: &Node, redirects: &[Redirect], scope: &mut Scope, input: &Stream) -> Stream {
        let before = self.shell.descriptors.clone();
        let mark = self.emitter.mark();
        let opened = self.redirects(redirects, scope);
        let ran = self.emitter.mark();
        let input = opened.input.clone().unwrap_or_else(|| input.clone());
        let fed_around = opened.fed.or(self.context.fed_around);
        let typed = if opened.input.is_some() { opened.typed } else { self.context.typed };
        let output = self.with(Context { fed_around, typed, ..self.context }).node(node, scope, &input);
        self.flows_of_command(&opened.parts(mark..ran));
        self.shell.descriptors = before;
        self.close(&opened, output)
    }

    /// Runs `inside` in a copy of the shell: assignments and `cd` don't come back.
    pub(crate) fn forked<T>(&mut self, scope: &Scope, inside: impl FnOnce(&mut Machine<'_>, &mut Scope) -> T) -> T {
        let mut fork = scope.clone();
        let (cwd, failed) = (self.world.cwd().map(str::to_owned), self.shell.failed_cd_dir.clone());
        let globbed = self.shell.globbed_dir.clone();
        let descriptors = self.shell.descriptors.clone();
        let result = inside(self, &mut fork);
        self.shell.descriptors = descriptors;
        self.world.set_cwd(cwd);
        self.shell.failed_cd_dir = failed;
        self.shell.globbed_dir = globbed;
        result
    }

    fn pipeline(&mut self, stages: &[Node], scope: &mut Scope, input: &Stream) -> Stream {
        let mut flow = input.clone();
        let mut pipe = self.context.pipe;
        let received = received(stages);
        self.shell.received.extend(received.iter().cloned());
        let mut found = self.stages();
        for (at, stage) in stages.iter().enumerate() {
            found.push(stage, self.emitter.mark());
            let position = if at + 1 == stages.len() { Stage::Last } else { Stage::Earlier };
            let outcome = self.outcome_of_stage(position, scope);
            let mut shell = self.with(Context { pipe, outcome, ..self.context });
            let printed = shell.forked(scope, |machine, scope| machine.node(stage, scope, &flow));
            flow = printed.or_passed_on(&flow);
            if !self.may_spend(flow.size() / BYTES_A_STEP) {
                break;
            }
            if received.iter().any(|file| names(stage, file)) && flow == Stream::Unknown {
                flow = Stream::Foreign(Provenance::Socket);
            }
            pipe = pipe.or_else(|| stage.first_command());
            if let Node::Simple(simple) = stage
                && flow == Stream::nothing()
                && position == Stage::Earlier
                && may_print(simple, scope)
            {
                flow = Stream::Unknown;
            }
        }
        self.shell.received.truncate(self.shell.received.len().saturating_sub(received.len()));
        self.flows_through_pipeline(&found);
        flow
    }

    /// Conditions run one after the other; bodies start from what the conditions left, and exactly one of them runs.
    fn branches(&mut self, conditions: &[Script], bodies: &[Script], scope: &mut Scope, input: &Stream) -> Stream {
        let mut output = Stream::nothing();
        let outcome = self.outcome_of_condition(conditions, bodies);
        let mut skipped = Skipped::default();
        for (index, condition) in conditions.iter().enumerate() {
            let before = Before::of(self);
            let printed = self.with_outcome(outcome).script(condition, scope, input);
            output = output.then(printed.doubted());
            if index > 0 {
                skipped.add(self, &before, Guard::Test);
            }
        }
        skipped.restore(self);
        let mut shell = self.with_outcome(Outcome::default());
        let printed =
            shell.alternatives(bodies.iter(), scope, |machine, body, scope| machine.script(body, scope, input));
        printed.map_or(output.clone(), |printed| output.then(printed))
    }

    fn repeated(
        &mut self,
        variable: Option<&(String, Vec<Word>)>,
        condition: &Script,
        body: &Script,
        scope: &mut Scope,
        input: &Stream,
    ) -> Stream {
        let mark = self.emitter.mark();
        let values = variable.map(|(_, words)| self.fields(words, scope));
        if let Some((name, _)) = variable {
            self.flows_into_loop(name, mark);
        }
        let before = scope.clone();
        let cwd = self.world.cwd().map(str::to_owned);
        let start = Before::of(self);
        if variable.is_none()
            && let Some(output) = self.loop_over_lines(condition, body, scope, input)
        {
            self.may_have_been_skipped(&start);
            self.rejoin(&before, cwd.as_deref(), scope, Ways::More);
            return output.doubted();
        }
        if let (None, Stream::Names(names)) = (variable, input)
            && !self.context.unrolls
            && (2..=ROUNDS).contains(&names.len())
        {
            return self.repeated_for_names(names, condition, body, scope);
        }
        let mut output = Stream::nothing();
        let known =
            values.filter(|values| values.len() <= ROUNDS && values.iter().all(|value| value.known != Known::Not));
        let rounds: Vec<Option<Arg>> = match known {
            Some(values) => values.into_iter().map(Some).collect(),
            None => vec![None],
        };
        let unrolls = self.context.unrolls || rounds.iter().flatten().any(|round| round.known == Known::Glob);
        let exact = variable.is_some() && rounds.iter().all(|round| round.as_ref().is_some_and(Arg::is_exact));
        for round in rounds {
            if let Some((name, _)) = variable {
                scope.assign(name, round.as_ref().map_or_else(Value::unknown, Arg::value));
            } else {
                // When the body runs again, the variables that it changes are not known.
                scope.forget_assigned(condition);
                scope.forget_assigned(body);
            }
            let mut shell = self.with(Context { unrolls, ..self.context });
            let printed = shell.script(condition, scope, input).then(shell.script(body, scope, input));
            output = output.then(if exact { printed } else { printed.doubted() });
        }
        if !exact {
            self.may_have_been_skipped(&start);
        }
        self.rejoin(&before, cwd.as_deref(), scope, Ways::More);
        output
    }

    /// `while read NAME` over the names that a lister prints, each by itself: nothing says in which order they come.
    fn repeated_for_names(&mut self, names: &[Arg], condition: &Script, body: &Script, scope: &mut Scope) -> Stream {
        for name in names {
            let name = Stream::Names(vec![name.clone()]);
            let unsure = Context { unrolls: true, ..self.context.with_outcome(Outcome::default()) };
            self.with(unsure).repeated(None, condition, body, scope, &name);
        }
        Stream::Unknown
    }

    fn case(&mut self, word: &Word, arms: &[(Vec<Word>, Script)], scope: &mut Scope, input: &Stream) -> Stream {
        self.scalar(word, scope);
        for pattern in arms.iter().flat_map(|(patterns, _)| patterns) {
            self.scalar(pattern, scope);
        }
        // No arm need match, unless one matches everything.
        let nothing = Script::default();
        let is_complete = arms.iter().flat_map(|(patterns, _)| patterns).any(|pattern| pattern.source == "*");
        let scripts = arms.iter().map(|(_, script)| script).chain((!is_complete).then_some(&nothing));
        let printed = self.alternatives(scripts, scope, |machine, arm, scope| machine.script(arm, scope, input));
        printed.unwrap_or_else(Stream::nothing)
    }
}

/// Programs that print what another host sends, and send it what they read.
const CLIENTS: &[&str] = &["nc", "ncat", "netcat", "socat", "telnet", "openssl"];

/// The tables say that the program prints nothing, but the text pipes its output.
fn may_print(simple: &Simple, scope: &Scope) -> bool {
    let Some(program) = simple.words.first().map(|word| word.source.as_str()) else { return false };
    let redirected = simple.redirects.iter().any(|redirect| {
        let writes = matches!(redirect.kind, RedirectKind::Write(_) | RedirectKind::Append(_));
        writes && redirect.descriptor.is_none_or(|descriptor| descriptor == 1)
    });
    let is_program = !QUIET.contains(&program) && !builtins::NAMES.contains(&program);
    is_program && !redirected && scope.function(program).is_none()
}

/// Programs that print what their arguments say, which may be nothing.
const QUIET: &[&str] = &[":", "true", "false", "echo", "printf", "cat", "test", "[", "sleep", "wait", "exit", "return"];

/// Functions that shells call with the words of a command that they don't find.
const HANDLERS: &[&str] = &["command_not_found_handle", "command_not_found_handler"];

/// Its name is empty, and an option follows: no shell finds a program of that name.
fn is_headless(node: &Node, scope: &Scope) -> bool {
    let Node::Simple(Simple { words, redirects, .. }) = node else { return false };
    if !redirects.is_empty() {
        return false;
    }
    let [name, option, ..] = words.as_slice() else { return false };
    let [Part::Variable(variable)] = name.parts.as_slice() else { return false };
    let is_option = option.source.starts_with('-');
    // A function may have the name of an option, or handle names that are not found.
    let runs = |name: &str| name.starts_with('-') || HANDLERS.contains(&name);
    is_option
        && words.iter().all(is_text)
        && scope.known(&variable.name).as_deref() == Some("")
        && !scope.has_function(runs)
}

/// The files into which network clients of a pipeline write, as written.
fn received(stages: &[Node]) -> Vec<String> {
    let clients = stages.iter().filter_map(|stage| match stage {
        Node::Simple(simple) => Some(simple),
        _ => None,
    });
    let clients = clients.filter(|simple| {
        let name = simple.words.first().map_or("", |word| word.source.as_str());
        CLIENTS.contains(&name.rsplit('/').next().unwrap_or(name))
    });
    let targets = clients.flat_map(|simple| &simple.redirects).filter_map(|redirect| match &redirect.kind {
        RedirectKind::Write(word) | RedirectKind::Append(word) => Some(word.source.clone()),
        _ => None,
    });
    targets.filter(|file| stages.len() > 1 && !file.starts_with("/dev/")).collect()
}

/// A command has this file as an operand.
fn names(node: &Node, file: &str) -> bool {
    matches!(node, Node::Simple(simple) if simple.words.iter().skip(1).any(|word| word.source == file))
}

/// `wait` alone: what is in the background has ended then.
fn waits_for_all(node: &Node) -> bool {
    matches!(node, Node::Simple(simple) if matches!(simple.words.as_slice(), [word] if word.source == "wait"))
}

//! Files and pipes that a shell keeps open by a number: `exec 3< file`, `exec {fd}> file`, `coproc`.

use std::collections::BTreeMap;
use std::sync::Arc;

use agent_strace_shell::{AssignmentOperator, Node, Provenance, Redirect, Scope, Value, Word};

use super::argument::Arg;
use super::context::Context;
use super::machine::Machine;
use super::redirect::Opened;
use super::stream::Stream;
use super::write_mode::WriteMode;
use crate::PathTarget;

/// The lowest number that shells give to a descriptor with a name.
const NAMED: u32 = 10;
/// Descriptors that are followed at a time. Nobody knows what is read from the others, and what is written to them.
const MOST: usize = 64;

/// Each subshell and each redirection copies them: the copies share the texts.
pub(super) type Descriptors = BTreeMap<u32, Arc<Descriptor>>;

#[derive(Debug, Clone)]
pub(super) enum Descriptor {
    /// It reads this text.
    Input(Stream),
    /// It writes to these files.
    Output(Vec<PathTarget>),
}

impl Descriptor {
    /// Joins the descriptors of two ways: the shell has one of the two.
    pub(super) fn or(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Input(one), Self::Input(other)) => Self::Input(one.clone().or(other.clone())),
            (Self::Output(one), Self::Output(other)) => {
                let new = other.iter().filter(|target| !one.contains(target));
                Self::Output(one.iter().chain(new).cloned().collect())
            }
            (Self::Output(targets), Self::Input(_)) | (Self::Input(_), Self::Output(targets)) => {
                Self::Output(targets.clone())
            }
        }
    }
}

impl Machine<'_> {
    /// A redirection opened something that is no standard stream.
    pub(super) fn keep_open(&mut self, redirect: &Redirect, descriptor: Arc<Descriptor>, scope: &mut Scope) {
        let open = &self.shell.descriptors;
        let number = match (redirect.descriptor, &redirect.variable) {
            (Some(number), _) => Some(number).filter(|number| *number > 2),
            (None, Some(name)) => {
                let number = (NAMED..).take(MOST).find(|number| !open.contains_key(number));
                let number = number.filter(|_| open.len() < MOST);
                scope.assign(name, number.map_or_else(Value::unknown, |number| Value::known(number.to_string())));
                number
            }
            (None, None) => None,
        };
        let Some(number) = number else { return };
        self.shell.descriptors.remove(&number);
        if self.shell.descriptors.len() < MOST {
            self.shell.descriptors.insert(number, descriptor);
        }
    }

    /// `<&3`: another descriptor becomes standard input, or the one of the redirection.
    pub(super) fn duplicated_input(
        &mut self,
        redirect: &Redirect,
        target: &Word,
        scope: &mut Scope,
        opened: &mut Opened,
    ) {
        let words = self.fields(std::slice::from_ref(target), scope);
        let found = words.first().and_then(number).and_then(|number| self.shell.descriptors.get(&number)).cloned();
        if redirect.variable.is_some() || !matches!(redirect.descriptor, None | Some(0)) {
            if let Some(descriptor) = found {
                self.keep_open(redirect, descriptor, scope);
            }
            return;
        }
        let text = match (found.as_deref(), words.first().and_then(Arg::literal)) {
            (Some(Descriptor::Input(text)), _) => {
                self.world.meter().charge_bytes(text.size());
                opened.is_shared = true;
                text.clone()
            }
            (None, Some("0")) => return,
            (None, Some("-")) => Stream::nothing(),
            _ if opened.socket || self.shell.has_socket => Stream::Foreign(Provenance::Socket),
            _ => Stream::Unknown,
        };
        opened.input = Some(text);
    }

    /// `>&3`: standard output goes where another descriptor goes. A variable may hold the name of a file.
    pub(super) fn duplicated_output(
        &mut self,
        redirect: &Redirect,
        target: &Word,
        scope: &mut Scope,
        opened: &mut Opened,
    ) {
        if redirect.descriptor == Some(0) {
            return self.duplicated_input(redirect, target, scope, opened);
        }
        let words = self.fields(std::slice::from_ref(target), scope);
        let Some(number) = words.first().and_then(number) else {
            for word in words.iter().filter(|word| word.literal() != Some("-")) {
                self.output_redirect(word, redirect, WriteMode::Replace, scope, opened);
            }
            return;
        };
        let Some(descriptor) = self.shell.descriptors.get(&number).cloned() else { return };
        opened.socket |= matches!(*descriptor, Descriptor::Input(Stream::Foreign(Provenance::Socket)));
        if let (Descriptor::Output(targets), None | Some(1), None) =
            (&*descriptor, redirect.descriptor, &redirect.variable)
        {
            let held = targets.iter().map(|target| (target.clone(), self.world.before_at(target)));
            opened.output = Some(held.collect());
        } else {
            self.keep_open(redirect, descriptor, scope);
        }
    }

    /// Returns the text that a descriptor reads which a path names: `/dev/fd/3`, `/proc/self/fd/3`.
    pub(super) fn descriptor_input(&self, number: usize) -> Option<Stream> {
        match &**self.shell.descriptors.get(&u32::try_from(number).ok()?)? {
            Descriptor::Input(text) => {
                self.world.meter().charge_bytes(text.size());
                Some(text.clone())
            }
            Descriptor::Output(_) => None,
        }
    }

    /// `coproc NAME { …; }`: the shell reads what it prints from a descriptor.
    pub(super) fn coprocess(&mut self, name: &str, node: &Node, scope: &mut Scope) -> Stream {
        let outcome = self.outcome_of_background();
        let detached = self.context.detached || !self.context.awaited;
        let mut shell = self.with(Context { outcome, detached, ..self.context });
        let printed = shell.forked(scope, |machine, scope| machine.node(node, scope, &Stream::Unknown));
        // Bash takes the highest numbers that are free.
        let (reads, writes) = (63, 60);
        self.shell.descriptors.insert(reads, Arc::new(Descriptor::Input(printed)));
        self.shell.descriptors.remove(&writes);
        let ends = [reads, writes].map(|number| Value::known(number.to_string()));
        scope.assign_array(name, ends.into(), AssignmentOperator::Set);
        Stream::nothing()
    }
}

/// The number in `3`, or in `3-`, which closes the descriptor as well.
fn number(word: &Arg) -> Option<u32> {
    let text = word.literal()?;
    text.strip_suffix('-').unwrap_or(text).parse().ok()
}

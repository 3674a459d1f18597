//! Files and pipes that a shell keeps open by a number: `exec 3< file`, `exec {fd}> file`, `coproc`.

use std::collections::BTreeMap;

use agent_strace_shell::{AssignmentOperator, Node, Provenance, Redirect, Scope, Value, Word};

use super::argument::Arg;
use super::context::Context;
use super::machine::Machine;
use super::redirect::Opened;
use super::stream::Stream;
use super::write_mode::WriteMode;
use crate::PathTarget;

/// The numbers that shells give to descriptors with a name, from here on.
const NAMED: u32 = 10;
/// A text that opens more is not followed.
const MOST: usize = 64;

pub(super) type Descriptors = BTreeMap<u32, Descriptor>;

#[derive(Debug, Clone)]
pub(super) enum Descriptor {
    /// What is left to read of it.
    Input(Stream),
    /// The files that it writes.
    Output(Vec<PathTarget>),
}

impl Machine<'_> {
    /// A redirection opened something that is no standard stream.
    pub(super) fn keep_open(&mut self, redirect: &Redirect, descriptor: Descriptor, scope: &mut Scope) {
        let open = &self.shell.descriptors;
        let number = match (redirect.descriptor, &redirect.variable) {
            (Some(number), _) if number > 2 => number,
            (None, Some(name)) => {
                let number = (NAMED..).take(MOST).find(|number| !open.contains_key(number)).unwrap_or(NAMED);
                scope.assign(name, Value::known(number.to_string()));
                number
            }
            _ => return,
        };
        if open.len() < MOST {
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
        let number = self.descriptor_number(target, scope);
        let found = number.and_then(|number| self.shell.descriptors.get(&number)).cloned();
        let is_input = redirect.variable.is_none() && matches!(redirect.descriptor, None | Some(0));
        match found {
            Some(Descriptor::Input(text)) if is_input => {
                opened.input = Some(text);
                opened.is_shared = true;
            }
            Some(descriptor) => self.keep_open(redirect, descriptor, scope),
            None if is_input && (opened.socket || self.shell.has_socket) => {
                opened.input = Some(Stream::Foreign(Provenance::Socket));
            }
            None => {}
        }
    }

    /// `>&3`: standard output goes where another descriptor goes. A variable may hold the name of a file.
    pub(super) fn duplicated_output(
        &mut self,
        redirect: &Redirect,
        target: &Word,
        scope: &mut Scope,
        opened: &mut Opened,
    ) {
        let words = self.fields(std::slice::from_ref(target), scope);
        let Some(number) = words.first().and_then(number) else {
            for word in words.iter().filter(|word| word.literal() != Some("-")) {
                self.output_redirect(word, redirect, WriteMode::Replace, scope, opened);
            }
            return;
        };
        if redirect.descriptor == Some(0) {
            return self.duplicated_input(redirect, target, scope, opened);
        }
        let Some(descriptor) = self.shell.descriptors.get(&number).cloned() else { return };
        if let (Descriptor::Output(targets), None | Some(1), None) =
            (&descriptor, redirect.descriptor, &redirect.variable)
        {
            let held = targets.iter().map(|target| (target.clone(), self.world.before_at(target)));
            opened.output = Some(held.collect());
        } else {
            self.keep_open(redirect, descriptor, scope);
        }
    }

    fn descriptor_number(&mut self, target: &Word, scope: &mut Scope) -> Option<u32> {
        let words = self.fields(std::slice::from_ref(target), scope);
        words.first().and_then(number)
    }

    /// What a descriptor reads that is named as a file: `/dev/fd/3`, `/proc/self/fd/3`.
    pub(super) fn descriptor_input(&self, number: usize) -> Option<Stream> {
        match self.shell.descriptors.get(&u32::try_from(number).ok()?)? {
            Descriptor::Input(text) => Some(text.clone()),
            Descriptor::Output(_) => None,
        }
    }

    /// `coproc NAME { …; }`: what it prints is read from a descriptor.
    pub(super) fn coprocess(&mut self, name: &str, node: &Node, scope: &mut Scope) -> Stream {
        let outcome = self.outcome_of_background();
        let detached = self.context.detached || !self.context.awaited;
        let mut shell = self.with(Context { outcome, detached, ..self.context });
        let printed = shell.forked(scope, |machine, scope| machine.node(node, scope, &Stream::Unknown));
        // Bash takes the highest numbers that are free.
        let (reads, writes) = (63, 60);
        self.shell.descriptors.insert(reads, Descriptor::Input(printed));
        self.shell.descriptors.remove(&writes);
        let ends = [reads, writes].map(|number| Value::known(number.to_string()));
        scope.assign_array(name, ends.into(), AssignmentOperator::Set);
        Stream::nothing()
    }
}

/// `3`, or `3-`, which closes it, too.
fn number(word: &Arg) -> Option<u32> {
    let text = word.literal()?;
    text.strip_suffix('-').unwrap_or(text).parse().ok()
}

//! Redirections: what a command opens before it runs.

use std::sync::Arc;

use crate::PathTarget;
use agent_strace_shell::{Provenance, Redirect, RedirectKind, Scope, Span, Word};

use super::argument::{Arg, Known};
use super::descriptors::Descriptor;
use super::flows::{self, Found, Parts};
use super::knowledge::Role;
use super::location::Before;
use super::machine::Machine;
use super::stream::Stream;
use super::terminals::is_terminal;
use super::write_mode::WriteMode;

/// The standard streams of a command, as its redirections leave them.
#[derive(Debug, Default)]
pub(crate) struct Opened {
    /// New standard input.
    pub input: Option<Stream>,
    /// The piece of the text that the new standard input comes from.
    pub fed: Option<Span>,
    /// Files that get the standard output instead of the next command, with their content before.
    pub output: Option<Vec<(PathTarget, Before)>>,
    /// Process substitutions that read standard output.
    sinks: Vec<Arg>,
    /// Other commands read the new standard input, too.
    pub is_shared: bool,
    /// One of the descriptors is a connection.
    pub socket: bool,
    /// The new standard input is a terminal.
    pub typed: bool,
}

impl Opened {
    /// `before`: the effects of the words and redirections of the command.
    pub(super) fn parts(&self, before: Found) -> Parts {
        Parts { before, has_socket: self.socket, is_redirected: self.socket || self.output.is_some() }
    }
}

impl Machine<'_> {
    pub(crate) fn redirects(&mut self, redirects: &[Redirect], scope: &mut Scope) -> Opened {
        let mut opened = Opened::default();
        for redirect in redirects {
            self.at_span(redirect.span, |machine| machine.redirect(redirect, scope, &mut opened));
        }
        opened
    }

    fn redirect(&mut self, redirect: &Redirect, scope: &mut Scope, opened: &mut Opened) {
        match &redirect.kind {
            RedirectKind::DuplicateInput(target) => self.duplicated_input(redirect, target, scope, opened),
            RedirectKind::DuplicateOutput(target) => self.duplicated_output(redirect, target, scope, opened),
            RedirectKind::Here { body, quoted: _ } => {
                let text = self.here(body, scope);
                self.reads(redirect, text, scope, opened);
            }
            RedirectKind::Read(word) => {
                for word in self.fields(std::slice::from_ref(word), scope) {
                    let text = self.opened(&word, Role::Read);
                    opened.typed = is_terminal(&word);
                    self.reads(redirect, text, scope, opened);
                }
            }
            RedirectKind::ReadWrite(word) => {
                for word in self.fields(std::slice::from_ref(word), scope) {
                    let text = self.opened(&word, Role::Edit);
                    opened.typed = is_terminal(&word);
                    self.reads(redirect, text, scope, opened);
                }
            }
            RedirectKind::Write(word) => self.output_redirects(redirect, word, WriteMode::Replace, scope, opened),
            RedirectKind::Append(word) => self.output_redirects(redirect, word, WriteMode::Append, scope, opened),
        }
    }

    /// Something was opened for reading, as standard input or as another descriptor.
    fn reads(&mut self, redirect: &Redirect, text: Stream, scope: &mut Scope, opened: &mut Opened) {
        opened.socket |= text == Stream::Foreign(Provenance::Socket);
        if redirect.variable.is_none() && matches!(redirect.descriptor, None | Some(0)) {
            opened.input = Some(text);
            opened.fed = match &redirect.kind {
                RedirectKind::Here { body, .. } => body.span.or(redirect.span),
                _ => redirect.span,
            };
        } else {
            self.keep_open(redirect, Arc::new(Descriptor::Input(text)), scope);
        }
    }

    /// Opens what `target` expands to for output.
    fn output_redirects(
        &mut self,
        redirect: &Redirect,
        target: &Word,
        mode: WriteMode,
        scope: &mut Scope,
        opened: &mut Opened,
    ) {
        for word in self.fields(std::slice::from_ref(target), scope) {
            self.output_redirect(&word, redirect, mode, scope, opened);
        }
    }

    pub(super) fn output_redirect(
        &mut self,
        word: &Arg,
        redirect: &Redirect,
        mode: WriteMode,
        scope: &mut Scope,
        opened: &mut Opened,
    ) {
        let is_output = redirect.variable.is_none() && matches!(redirect.descriptor, None | Some(1));
        if self.socket(word) {
            opened.socket = true;
            if is_output {
                opened.output.get_or_insert_default();
            }
            return;
        }
        let before = self.opened_for_output(word, mode, |machine| machine.redirected(Role::Write, word));
        let device = word.literal().is_some_and(|text| text.starts_with("/dev/"));
        if !is_output {
            let target = (word.is_exact() && !device).then(|| self.world.locate_word(word).0);
            // Not all that programs write to another descriptor is followed.
            if let Some(target) = &target {
                self.world.edited(target);
            }
            let descriptor = Descriptor::Output(target.into_iter().collect());
            return self.keep_open(redirect, Arc::new(descriptor), scope);
        }
        if device && word.text != "/dev/null" && self.process_output(word).is_none() {
            return;
        }
        if self.process_output(word).is_some() {
            opened.sinks.push(word.clone());
        }
        let targets = opened.output.get_or_insert_default();
        if word.is_exact() && !device {
            targets.push((self.world.locate_word(word).0, before));
        }
    }

    /// Opens a file for output with `open`. Returns the content that it keeps.
    pub(super) fn opened_for_output(
        &mut self,
        word: &Arg,
        mode: WriteMode,
        open: impl FnOnce(&mut Machine<'_>),
    ) -> Before {
        if mode == WriteMode::Replace {
            open(self);
            return Before::Other(Stream::nothing());
        }
        let before = self.world.before(word);
        let target = self.world.locate_word(word).0;
        let written = self.world.take_written(&target).unwrap_or_default();
        open(self);
        if word.is_exact() {
            self.world.put_written(&target, written);
        }
        before
    }

    /// `/dev/tcp/HOST/PORT` connects.
    fn socket(&mut self, word: &Arg) -> bool {
        let Some(rest) = word.text.strip_prefix("/dev/tcp/").or_else(|| word.text.strip_prefix("/dev/udp/")) else {
            return false;
        };
        if word.known == Known::Not {
            return false;
        }
        let scheme = if word.text.starts_with("/dev/tcp") { "tcp" } else { "udp" };
        let (host, port) = rest.split_once('/').unwrap_or((rest, ""));
        let mark = self.emitter.mark();
        self.connect_host(&word.with(host), port.parse().ok(), Some(scheme));
        self.emitter.change(mark..self.emitter.mark(), flows::sends);
        true
    }

    fn opened(&mut self, word: &Arg, role: Role) -> Stream {
        if self.socket(word) {
            return Stream::Foreign(Provenance::Socket);
        }
        if let Some(text) = self.process_output(word) {
            return text;
        }
        if matches!(word.literal(), Some("/dev/null")) {
            return Stream::nothing();
        }
        self.redirected(role, word);
        if self.shell.received.contains(&word.text) {
            return Stream::Foreign(Provenance::Socket);
        }
        self.world.content_of(word)
    }

    /// The command is done: what it printed is now in its files, or goes on.
    pub(crate) fn close(&mut self, opened: &Opened, output: Stream) -> Stream {
        let Some(targets) = &opened.output else { return output };
        for word in &opened.sinks {
            self.feed(word, &output);
        }
        for (target, before) in targets {
            self.world.filled(target, before, &output);
        }
        Stream::nothing()
    }

    /// `exec > file`: later commands print to the file, and nobody follows what.
    pub(super) fn left_open(&mut self, opened: &Opened) {
        for (target, _) in opened.output.iter().flatten() {
            self.world.edited(target);
        }
    }
}

//! Code that comes from where nobody can review it: from another host, out of an encoding, over an open connection.

use agent_strace_shell::{Provenance, Span};

use crate::{About, Reason};

use super::argument::{Arg, Known};
use super::context::Context;
use super::machine::Machine;
use super::simple::{Io, shown};

/// Characters of a command that a reason quotes.
const QUOTED: usize = 160;
/// A word that goes on for longer than this after the cut is left out.
const WORD: usize = 4_096;
/// The end of a quoted command that was longer.
const CUT: char = '…';

/// The beginning of a command, cut between words: half of a secret is one that no redaction knows.
fn quoted(command: &str) -> String {
    let Some((limit, _)) = command.char_indices().nth(QUOTED) else { return command.to_owned() };
    let (head, tail) = command.split_at(limit);
    let rest = tail.find(' ').unwrap_or(tail.len());
    let end = if head.ends_with(' ') {
        limit
    } else if rest <= WORD {
        limit + rest
    } else {
        head.rfind(' ').map_or(0, |blank| blank + 1)
    };
    if end == command.len() {
        return command.to_owned();
    }
    let shown = command.get(..end).unwrap_or_default();
    format!("{shown}{CUT}")
}

impl Machine<'_> {
    /// What comes in through a pipe runs, and this is where it comes from.
    pub(super) fn foreign_input(&mut self, provenance: Provenance) {
        let Context { span, pipe, parent, .. } = self.context;
        let whole = span.map(|at| pipe.map_or(at, |first| first.join(at)));
        // A shell reads from a connection that the program has which started it.
        let started = parent.filter(|_| provenance == Provenance::Socket).and_then(|index| self.emitter.cause(index));
        let whole = whole.map(|at| started.map_or(at, |cause| cause.join(at)));
        self.opaque_input(self.foreign_code_at(whole, provenance));
    }

    /// The command that runs now runs code of this origin.
    pub(super) fn foreign_code(&mut self, provenance: Provenance) {
        let reason = self.foreign_code_at(self.context.span, provenance);
        self.opaque(About::Anything, reason, &[]);
    }

    /// A script from a file or from standard input runs. Returns whether it is foreign code.
    pub(super) fn foreign_script(&mut self, file: &Arg, io: &Io<'_>) -> bool {
        let typed = matches!(file.literal(), Some("-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0"));
        if typed {
            let provenance = io.input.provenance();
            if let Some(provenance) = provenance {
                self.foreign_input(provenance);
            }
            return provenance.is_some();
        }
        let content = self.process_output(file).unwrap_or_else(|| self.world.content_of(file));
        let provenance = content.provenance().or_else(|| {
            let target = file.is_exact().then(|| self.world.locate_word(file).0);
            target.and_then(|target| self.world.provenance(&target))
        });
        if let Some(provenance) = provenance {
            self.foreign_code(provenance);
        }
        provenance.is_some()
    }

    /// The name of a program, or a whole command, was decoded.
    pub(super) fn runs_decoded_words(&mut self, words: &[Arg]) {
        const WORDS: usize = 64;
        if !self.emitter.awaits_decoded() {
            return;
        }
        let mut text = String::new();
        for word in words.iter().take(WORDS) {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(word.best());
            if self.emitter.was_decoded(&text) {
                self.emitter.ran_decoded();
                return self.foreign_code(Provenance::Decoded);
            }
        }
    }

    /// Why the program text `word` is opaque: `otherwise`, unless a command of it is foreign code.
    pub(super) fn code_of(&self, word: &Arg, otherwise: Reason) -> Reason {
        match word.provenance.filter(|_| runs_unknown(word)) {
            Some(provenance) => self.foreign_code_at(self.context.span, provenance),
            None => otherwise,
        }
    }

    fn foreign_code_at(&self, span: Option<Span>, provenance: Provenance) -> Reason {
        let text = span.and_then(|span| span.slice(self.text)).unwrap_or(self.text);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        Reason::ForeignCode { provenance, command: quoted(&shown(&text)) }
    }

    /// A program decoded `text`: whoever runs it runs decoded code.
    pub(super) fn remember_decoded(&mut self, text: &str) {
        self.emitter.remember_decoded(text);
    }

    /// `text` runs: it may have been decoded before.
    pub(super) fn runs_decoded(&mut self, text: &str) {
        if self.emitter.was_decoded(text) {
            self.emitter.ran_decoded();
            self.foreign_input(Provenance::Decoded);
        }
    }
}

/// A part that is not known stands where a command starts. It reads `**`.
fn runs_unknown(word: &Arg) -> bool {
    let starts = |(at, _): (usize, &str)| {
        let before = word.text.get(..at).unwrap_or_default().trim_end();
        before.is_empty() || before.ends_with([';', '|', '&', '(', '{', '\n'])
    };
    match word.known {
        Known::Exact => false,
        Known::Not => true,
        Known::Glob | Known::Partly => word.text.match_indices("**").any(starts),
    }
}

#[cfg(test)]
mod tests {
    use super::{CUT, WORD, quoted};

    #[test]
    fn a_command_is_cut_between_words() {
        let long = format!("curl https://h.example/{}/x | sh", "t".repeat(200));
        assert_eq!(quoted(&long), format!("curl https://h.example/{}/x{CUT}", "t".repeat(200)));
        let whole = format!("curl https://h.example/{}", "t".repeat(200));
        assert_eq!(quoted(&whole), whole);
        assert_eq!(quoted(&format!("curl {}", "t".repeat(WORD * 2))), format!("curl {CUT}"));
        assert_eq!(quoted("curl x | sh"), "curl x | sh");
    }
}

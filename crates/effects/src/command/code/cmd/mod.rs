//! cmd.exe and batch files: a command runs where it stands, with the values that variables have by then. Both branches of
//! `if` run, labels and `goto` are passed over, and text that is not understood is opaque.

mod commands;
mod fields;
mod loops;
mod reader;
mod variables;

use agent_strace_shell::Problem;

use super::LONGEST;
use crate::command::argument::{Arg, literals};
use crate::command::knowledge::{Language, Role};
use crate::command::machine::Machine;
use crate::command::programs::Call;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::{About, Reason};
use reader::{Terminator, UNKNOWN};
use variables::Variables;

/// Bytes of text that are one step of the budget.
const BYTES_OF_A_STEP: usize = 16;

/// The state of `cmd`, which all commands of one text read and change.
#[derive(Debug, Default)]
struct Batch {
    variables: Variables,
    /// The directories that `popd` returns to.
    left: Vec<Option<String>>,
}

impl Machine<'_> {
    /// Runs `cmd /c WORDS…`.
    pub(crate) fn cmd(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let Some(at) = call.rest.iter().position(|word| runs(&word.text)) else {
            let only_options = call.rest.iter().all(|word| word.text.starts_with('/'));
            if only_options {
                return self.program_on_input(Language::Cmd, io);
            }
            self.opaque(About::Anything, Reason::AnotherShell, &[]);
            return Stream::Unknown;
        };
        let words = call.rest.get(at + 1..).unwrap_or_default();
        let attached = call.rest.get(at).map(|word| word.text.trim_start_matches('/')).and_then(|text| text.get(1..));
        let attached = attached.filter(|text| !text.is_empty());
        let mut text = attached.map(str::to_owned).unwrap_or_default();
        for word in words {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(&spelled(word, words.len() + usize::from(attached.is_some())));
        }
        // Quotes around the whole text are taken off.
        let inner = text.trim().strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        let text = inner.filter(|inner| inner.starts_with('"') || !inner.contains('"')).unwrap_or(&text).to_owned();
        self.cmd_text(&text, &[], io)
    }

    /// Runs text of cmd.exe that is called with `arguments`.
    pub(crate) fn cmd_text(&mut self, text: &str, arguments: &[Arg], io: &mut Io<'_>) -> Stream {
        if text.len() > LONGEST {
            self.opaque(About::Anything, Reason::ShellText(Problem::TextTooLong), &[]);
            return Stream::Unknown;
        }
        if !self.may_spend(text.len() / BYTES_OF_A_STEP) {
            return Stream::Unknown;
        }
        let text = text.replace('\r', "");
        let mut batch = Batch { variables: Variables::new(literals(arguments)), ..Batch::default() };
        batch.variables.find_calls(&text);
        let cwd = self.world.cwd().map(str::to_owned);
        let output = self.nested(Stream::Unknown, |machine| machine.cmd_sequence(&text, &mut batch, io));
        self.world.set_cwd(cwd);
        output
    }

    fn cmd_sequence(&mut self, text: &str, batch: &mut Batch, io: &mut Io<'_>) -> Stream {
        let mut rest = text;
        let mut printed = Stream::nothing();
        let mut piped: Option<Stream> = None;
        loop {
            rest = rest.trim_start_matches(|c: char| c.is_whitespace() || "@;,=&|)".contains(c));
            if rest.is_empty() {
                return printed;
            }
            if let Some(behind) = rest.strip_prefix(':') {
                rest = reader::line(behind).1;
                continue;
            }
            if let Some(behind) = reader::after(rest, "rem") {
                // `rem` alone ends where any command does.
                let is_alone = behind.trim_start_matches([' ', '\t']).starts_with(['&', '|']);
                rest = if is_alone { behind } else { reader::line(behind).1 };
                continue;
            }
            if let Some(behind) = reader::after(rest, "if") {
                rest = reader::condition(behind);
                continue;
            }
            if let Some(behind) = reader::after(rest, "else") {
                rest = behind;
                continue;
            }
            let input = piped.take();
            let mut inner = Io { scope: &mut *io.scope, input: input.as_ref().unwrap_or(io.input) };
            let (output, terminator);
            (output, terminator, rest) = self.cmd_step(rest, batch, &mut inner);
            if terminator == Terminator::Pipe {
                piped = Some(output);
            } else {
                printed = printed.then(output);
            }
        }
    }

    /// Runs one command, loop or group; returns its output, its end, and the rest of the text.
    fn cmd_step<'t>(&mut self, text: &'t str, batch: &mut Batch, io: &mut Io<'_>) -> (Stream, Terminator, &'t str) {
        if let Some(behind) = reader::after(text, "for") {
            let rest = self.cmd_loop(behind, batch, io);
            return (Stream::Unknown, Terminator::Other, rest);
        }
        if let Some(behind) = text.strip_prefix('(') {
            let (inner, behind) = reader::closed(behind).unwrap_or_else(|| {
                self.opaque(About::Anything, Reason::AnotherShell, &[]);
                (behind, "")
            });
            let output = self.nested(Stream::Unknown, |machine| machine.cmd_sequence(inner, batch, io));
            if reader::after(behind.trim_start_matches([' ', '\t']), "else").is_some() {
                return (output, Terminator::Other, behind);
            }
            let (segment, terminator, rest) = reader::first(behind);
            let segment = batch.variables.expand(segment);
            let output = self.cmd_redirected(&reader::divide(&segment), output);
            return (output, terminator, rest);
        }
        let (segment, terminator, rest) = reader::first(text);
        (self.cmd_simple(segment, batch, io), terminator, rest)
    }

    /// Runs one command. The values of its variables may hold more commands.
    fn cmd_simple(&mut self, segment: &str, batch: &mut Batch, io: &mut Io<'_>) -> Stream {
        if !self.may_run() {
            return Stream::Unknown;
        }
        let expanded = batch.variables.expand(segment);
        if batch.variables.is_over() {
            self.opaque(About::Anything, Reason::TooManyItems, &[]);
        }
        let more = expanded != segment && !reader::first(&expanded).2.is_empty();
        let expanded = if more { reader::first(&expanded) } else { (expanded.as_str(), Terminator::Other, "") };
        let pieces = reader::divide(expanded.0);
        let from = pieces.inputs.iter().map(|file| self.cmd_input(file)).last();
        let mut inner = Io { scope: &mut *io.scope, input: from.as_ref().unwrap_or(io.input) };
        let output = self.cmd_command(expanded.0, &pieces, batch, &mut inner);
        let output = self.cmd_redirected(&pieces, output);
        if more {
            return self.nested(Stream::Unknown, |machine| machine.cmd_sequence(expanded.2, batch, io));
        }
        output
    }

    fn cmd_input(&mut self, file: &Arg) -> Stream {
        self.cmd_path(Role::Read, file);
        self.world.content_of(&slashed(file))
    }

    /// Writes the output to the files of its redirections. Returns what goes on to the next command.
    fn cmd_redirected(&mut self, pieces: &reader::Pieces, output: Stream) -> Stream {
        for (file, mode) in &pieces.outputs {
            let text = output.text().map(|text| text.trim_end_matches('\n'));
            self.powershell_output(&slashed(file), *mode, text);
        }
        if pieces.outputs.is_empty() { output } else { Stream::nothing() }
    }
}

/// Returns whether commands follow the option: `/c`, `/k`, `/r`, or `//c`, which users of other shells have to write.
fn runs(text: &str) -> bool {
    let letter = text.trim_start_matches('/').chars().next();
    text.starts_with('/') && letter.is_some_and(|letter| matches!(letter.to_ascii_lowercase(), 'c' | 'k' | 'r'))
}

/// Writes a word as the text of cmd.exe has it. One of several words gets quotes if it holds spaces.
fn spelled(word: &Arg, count: usize) -> String {
    let text = match (&word.likely, word.is_exact()) {
        (_, true) => word.text.clone(),
        (Some(likely), false) => format!("{UNKNOWN}{likely}"),
        (None, false) => UNKNOWN.to_string(),
    };
    let is_word = count > 1 && text.contains(' ') && !text.contains('"');
    if is_word { format!("\"{text}\"") } else { text }
}

/// Turns the backslashes of a path into slashes. Prose keeps them.
fn slashed(word: &Arg) -> Arg {
    if word.text.contains(['\n', '(', '"', '\'']) {
        word.clone()
    } else {
        Arg {
            text: word.text.replace('\\', "/"),
            readings: word.readings.iter().map(|text| text.replace('\\', "/")).collect(),
            ..word.clone()
        }
    }
}

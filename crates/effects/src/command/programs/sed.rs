//! `sed`: scripts that read, write and run.

use crate::command::argument::{Arg, Arguments, Known};
use crate::command::gate;
use crate::command::knowledge::{Entry, OptionRole, Role};
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::world::Rest;
use crate::{About, Reason};

use super::Call;
use super::sed_script::{Program, read, replaced};

/// `s/a/b/`, `3d`, `$d`, `/x/d`: more a script than the name of a file.
fn looks_like_script(text: &str) -> bool {
    let mut characters = text.chars();
    match characters.next() {
        Some('s' | 'y') => characters.next().is_some_and(|separator| "/|#,:@!".contains(separator)),
        Some('0'..='9' | '$') => true,
        Some('/') => text.ends_with(['d', 'p']) && text.ends_with("/d") | text.ends_with("/p"),
        _ => false,
    }
}

impl Machine<'_> {
    pub(super) fn sed(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = divide(call.rest);
        let mut operands = arguments.operands.iter();
        let mut scripts: Vec<Arg> = arguments.values(&["-e", "--expression"]).cloned().collect();
        let (mut from_files, mut adds_only_its_own) = (false, true);
        for file in arguments.values(&["-f", "--file"]) {
            from_files = true;
            self.path(Role::Read, file);
            let is_typed = matches!(file.literal(), Some("-" | "/dev/stdin"));
            let content = if is_typed { io.input.copied() } else { self.world.content_of(file) };
            match content.text() {
                Some(text) => scripts.push(Arg::exact(text)),
                None if self.foreign_script(file, io) => adds_only_its_own = false,
                None => {
                    adds_only_its_own = false;
                    self.runs_project(&[Arg::exact("sed"), file.clone()], Reason::SedScriptNotWritten, &["sed"], &[]);
                }
            }
        }
        // `sed -i '' SCRIPT FILE`, as BSD and macOS have it: the next word says how backups end.
        let is_bsd = arguments.has(&["-i", "-I"]) && arguments.operands.first().and_then(Arg::literal) == Some("");
        let is_script = || arguments.operands.get(1).and_then(Arg::literal).is_some_and(looks_like_script);
        if is_bsd && (!scripts.is_empty() || from_files || arguments.operands.len() > 2 && is_script()) {
            operands.next();
        }
        if scripts.is_empty() && !from_files {
            scripts.extend(operands.next().cloned());
        }
        let in_place = arguments.has(&["-i", "-I", "--in-place"]);
        let files: Vec<Arg> = operands.cloned().collect();
        let computed = self.computed_by_sed(&arguments, &scripts, &files, io.input);
        let suffix = arguments.values(&["-i", "-I", "--in-place"]).next().cloned();
        let before: Vec<Rest> = files.iter().map(|file| self.rest_before(file)).collect();
        for file in &files {
            self.path(if in_place { Role::Edit } else { Role::Read }, file);
            if let Some(suffix) = &suffix {
                self.path(Role::Write, &backup(file, suffix));
            }
        }
        let drops = scripts.iter().any(|script| gate::sed_drops(&script.text));
        if in_place && drops && files.iter().any(|file| gate::is_recipe(&file.text)) {
            self.opaque(About::Writes, Reason::GateCallRemoved, &[]);
        }
        let mut lines_only = !in_place;
        for script in scripts {
            lines_only &=
                script.text.starts_with(|c: char| c.is_ascii_digit()) && script.text.ends_with(['p', 'q', 'd']);
            let program = self.sed_script(&script, io);
            adds_only_its_own &= program.as_ref().is_some_and(Program::adds_only_its_own);
            for file in files.iter().filter(|file| in_place && file.is_exact()) {
                let (target, _) = self.world.locate_word(file);
                for text in program.iter().flat_map(|program| &program.puts) {
                    self.world.wrote_part(&target, text);
                }
            }
        }
        let edited = files.iter().zip(before).filter(|(file, _)| in_place && adds_only_its_own && file.is_exact());
        for (file, rest) in edited {
            let target = self.world.locate_word(file).0;
            self.world.knows_rest(&target, rest);
        }
        if let (Some(text), true, [file]) = (computed.text(), in_place, files.as_slice()) {
            let target = self.world.locate_word(file).0;
            self.world.wrote(&target, Some(text));
        }
        match io.input {
            Stream::Names(names) if files.is_empty() && lines_only => Stream::Names(names.clone()),
            _ if in_place => Stream::nothing(),
            _ => computed,
        }
    }

    /// The text that is left of the input or of one file, where the scripts replace plain text and do nothing else.
    fn computed_by_sed(&self, arguments: &Arguments, scripts: &[Arg], files: &[Arg], input: &Stream) -> Stream {
        let is_plain = |name: &str| matches!(name, "-e" | "--expression" | "-i" | "-I" | "--in-place" | "-E" | "-r");
        if !arguments.options.iter().all(|option| is_plain(&option.name)) {
            return Stream::Unknown;
        }
        let input = match files {
            [] => input.clone(),
            [file] => self.world.content_of(file),
            _ => return Stream::Unknown,
        };
        let replaced = |text: &str| {
            let mut scripts = scripts.iter();
            scripts.try_fold(text.to_owned(), |text, script| replaced(script.literal()?, &text))
        };
        match &input {
            Stream::Known(text) => replaced(text).map_or(Stream::Unknown, Stream::of),
            Stream::Likely(text) => replaced(text).map_or(Stream::Unknown, |text| Stream::of(text).doubted()),
            _ => Stream::Unknown,
        }
    }

    /// The text of the file that no entry of the session holds.
    fn rest_before(&self, file: &Arg) -> Rest {
        let target = self.world.locate_word(file).0;
        self.world.rest_after_edit(&target)
    }

    /// Adds the acts of the script besides editing. Returns the script if the reader understands it.
    fn sed_script(&mut self, script: &Arg, io: &mut Io<'_>) -> Option<Program> {
        let Some(text) = script.literal() else {
            self.opaque(About::Anything, Reason::UnknownSedScript, &[]);
            return None;
        };
        let Some(program) = read(text) else {
            self.opaque(About::Anything, Reason::SedScriptNotUnderstood, &[]);
            return None;
        };
        for file in &program.reads {
            self.path(Role::Read, &Arg::exact(file.as_str()));
        }
        for file in &program.writes {
            self.path(Role::Write, &Arg::exact(file.as_str()));
        }
        for command in &program.runs {
            self.command_text(&Arg::exact(command.as_str()), io);
        }
        if program.runs_input {
            self.opaque(About::Anything, Reason::SedRunsInput, &[]);
            if let Stream::Known(text) | Stream::Likely(text) = io.input.clone() {
                self.guessed(|machine| machine.command_text(&Arg::exact(text), io));
            }
        }
        Some(program)
    }
}

/// `x.bak` for the suffix `.bak`; a suffix with `*` is a template for the name.
fn backup(file: &Arg, suffix: &Arg) -> Arg {
    let (directory, name) =
        file.text.rsplit_once('/').map_or(("", file.text.as_str()), |(directory, name)| (directory, name));
    let name =
        if suffix.text.contains('*') { suffix.text.replace('*', name) } else { format!("{name}{}", suffix.text) };
    let text = if directory.is_empty() || name.contains('/') { name } else { format!("{directory}/{name}") };
    Arg { known: if suffix.is_exact() { file.known } else { Known::Partly }, text, likely: None, ..file.clone() }
}

fn divide(words: &[Arg]) -> Arguments {
    let value = |role| OptionRole { role, attached: false };
    let mut entry = Entry::named("sed");
    entry.options.insert("-e --expression".into(), value(Role::Value));
    entry.options.insert("-f --file".into(), value(Role::Value));
    entry.options.insert("-l --line-length".into(), value(Role::Value));
    entry.options.insert("-i -I --in-place".into(), OptionRole { role: Role::Value, attached: true });
    Arguments::divide(&entry, words)
}

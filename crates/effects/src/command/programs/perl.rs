//! Runs `perl`: its options, and the files that one-liners read or edit.

use std::slice::Iter;

use crate::command::argument::{Arg, Arguments};
use crate::command::knowledge::{Language, Role};
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;

use super::Call;
use super::interpreters::asks_only;

/// The command line of one call.
#[derive(Debug, Default)]
struct Options {
    code: Vec<Arg>,
    operands: Vec<Arg>,
    in_place: bool,
    /// The suffix of the files that keep what edited ones held.
    backup: Option<String>,
    /// `-n`, `-p`: the code runs for each line of the operands.
    loops: bool,
    /// `-d`: the debugger runs what it reads.
    debugs: bool,
}

impl Machine<'_> {
    pub(super) fn perl(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let options = self.perl_options(call.rest, io);
        if options.debugs {
            self.perl_debugger(io);
        }
        let program = call.words.first().map_or("perl", |word| word.text.as_str());
        if options.code.is_empty() {
            return match options.operands.split_first() {
                None if asks_only(&Arguments::divide(call.entry, call.rest)) => Stream::Unknown,
                None => self.program_on_input(Language::Perl, io),
                Some((file, _)) if file.text == "-" => self.program_on_input(Language::Perl, io),
                Some((file, rest)) => self.run_script(program, Language::Perl, file, rest, io),
            };
        }
        for text in &options.code {
            self.code_argument(Language::Perl, text, io);
        }
        // `<>` reads what the operands name.
        let reads = |text: &Arg| text.text.contains("<>") || text.text.contains("ARGV");
        if options.loops || options.in_place || options.code.iter().any(reads) {
            for file in &options.operands {
                self.path(if options.in_place { Role::Edit } else { Role::Read }, file);
                if let Some(suffix) = options.backup.as_deref().filter(|_| file.is_exact()) {
                    self.path(Role::Write, &file.with(format!("{}{suffix}", file.text)));
                }
            }
        }
        Stream::Unknown
    }

    /// What the debugger reads: `!command`, or code.
    fn perl_debugger(&mut self, io: &mut Io<'_>) {
        let Some(text) = io.input.text().map(str::to_owned) else { return };
        for line in text.lines().map(str::trim) {
            match line.strip_prefix('!') {
                Some(command) => {
                    self.command_text(&Arg::exact(command.trim_start_matches('!')), io);
                }
                None => {
                    self.code(Language::Perl, line, &[], io);
                }
            }
        }
    }

    fn perl_options(&mut self, words: &[Arg], io: &mut Io<'_>) -> Options {
        let mut options = Options::default();
        let mut left = words.iter();
        while let Some(word) = left.next() {
            let flags = word.literal().and_then(|text| text.strip_prefix('-')).filter(|flags| !flags.is_empty());
            match flags {
                None => {
                    options.operands.push(word.clone());
                    break;
                }
                Some("-") => break,
                Some(flags) => self.perl_flags(word, flags, &mut left, &mut options, io),
            }
        }
        options.operands.extend(left.cloned());
        options
    }

    /// A group of one-letter options.
    fn perl_flags(
        &mut self,
        word: &Arg,
        flags: &str,
        left: &mut Iter<'_, Arg>,
        options: &mut Options,
        io: &mut Io<'_>,
    ) {
        for (at, letter) in flags.char_indices() {
            let attached = flags.get(at + letter.len_utf8()..).unwrap_or_default();
            match letter {
                'e' | 'E' => {
                    let text = if attached.is_empty() { left.next().cloned() } else { Some(word.with(attached)) };
                    return options.code.extend(text);
                }
                'i' => {
                    options.in_place = true;
                    // `-pi -e` and `-i.bak`: what follows is a suffix, but `-pie` is a common slip for `-p -i -e`.
                    options.backup = Some(attached.to_owned()).filter(|suffix| !suffix.is_empty() && suffix != "e");
                    return;
                }
                'p' | 'n' => options.loops = true,
                // `-d:NYTProf` loads a module instead.
                'd' if attached.contains(':') => return,
                'd' => options.debugs = true,
                'M' | 'm' => {
                    // `-MList::Util=sum`, `-M-strict`
                    let module = attached.trim_start_matches('-').split('=').next().unwrap_or_default();
                    return self.code_argument(Language::Perl, &word.with(format!("use {module};")), io);
                }
                'I' | 'F' | 'D' | 'C' | 'x' => return,
                _ => {}
            }
        }
    }
}

//! Compilers: files that a source names, and programs and files that options name.

use crate::command::argument::{Arg, Arguments};
use crate::command::knowledge::Role;
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;

use super::Call;

/// Files of one source that are looked at.
const INCLUDED: usize = 1_000;

impl Machine<'_> {
    /// `cc -E -`, `rustc --emit=dep-info=FILE`: the text of the source is known where this session wrote it.
    pub(super) fn compiler(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        for wrapper in arguments.values(&["-wrapper"]) {
            let words: Vec<Arg> = wrapper.text.split(',').map(|word| wrapper.with(word)).collect();
            self.command(&words, io);
        }
        for emitted in arguments.values(&["--emit"]) {
            let files = emitted.text.split(',').filter_map(|part| part.split_once('='));
            files.for_each(|(_, file)| self.path(Role::Write, &emitted.with(file)));
        }
        self.linker(&arguments, io);
        if let Some(text) = io.input.text().map(str::to_owned) {
            self.included(&text, "");
        }
        for source in &arguments.operands {
            if let Some(text) = self.world.content_of(source).text().map(str::to_owned) {
                let directory = source.text.rsplit_once('/').map_or("", |(directory, _)| directory);
                self.included(&text, directory);
            }
        }
        let output = self.given(call.entry, call.words, &arguments, io);
        if let Some(text) = io.input.text().map(str::to_owned) {
            // A program that runs later was compiled from it: it is kept as if it were a file.
            let made = arguments.values(&["-o"]).next().cloned().unwrap_or_else(|| Arg::exact("a.out"));
            if made.is_exact() {
                let (target, _) = self.world.locate_word(&made.with(format!("{}.input.c", made.text)));
                self.world.wrote(&target, Some(&text));
            }
        }
        output
    }

    /// `rustc -C linker=PROGRAM -C link-arg=WORD`
    fn linker(&mut self, arguments: &Arguments, io: &mut Io<'_>) {
        let settings: Vec<(String, Arg)> =
            arguments.values(&["-C", "--codegen"]).filter_map(|word| word.after('=')).collect();
        let of = |wanted: &'static [&str]| settings.iter().filter(move |(name, _)| wanted.contains(&name.as_str()));
        if let Some((_, linker)) = of(&["linker"]).next() {
            let mut words = vec![linker.clone()];
            for (_, value) in of(&["link-arg", "link-args"]) {
                words.extend(Self::split_command(value));
            }
            self.command(&words, io);
        }
    }

    /// Files that a source includes, beside the source or by their whole path.
    fn included(&mut self, text: &str, directory: &str) {
        for name in self.at_most(INCLUDED, text.lines().filter_map(included_name)) {
            let is_beside = !directory.is_empty() && !name.starts_with('/');
            let path = if is_beside { format!("{directory}/{name}") } else { name.to_owned() };
            self.path(Role::Read, &Arg::exact(path));
        }
    }
}

/// `#include "NAME"`, `.incbin "NAME"`, `include_str!("NAME")`
fn included_name(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let marks: &[&str] = match line.strip_prefix('#').map(str::trim_start) {
        Some(directive) if ["include", "import", "embed"].iter().any(|name| directive.starts_with(name)) => &["#"],
        Some(_) => return None,
        None => &[".incbin", "include_str!", "include_bytes!", "include!"],
    };
    let at = marks.iter().find_map(|mark| line.find(mark))?;
    let behind = line.get(at..)?;
    let rest = behind.get(behind.find(['"', '<'])?..)?;
    let name = rest.get(1..)?.split(['"', '>']).next()?;
    (!name.is_empty()).then_some(name)
}

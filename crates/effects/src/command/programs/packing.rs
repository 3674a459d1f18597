//! Archives: what goes in is read, what comes out is written where the archive says.

use agent_strace_shell::Provenance;

use crate::command::argument::{Arg, Arguments};
use crate::command::knowledge::{Entry, OptionRole, Role};
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::{About, Reason, patch};

use super::Call;
use super::filters::{expanded, without_lists};

impl Machine<'_> {
    pub(super) fn tar(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let words = dashed(call.rest);
        let mut entry = Entry::named(call.name);
        let mut option = |names: &'static str, role| {
            entry.options.insert(names.into(), OptionRole { role, attached: false });
        };
        option("-f --file", Role::Value);
        option("-C --directory --cd", Role::Value);
        option("-T --files-from -X --exclude-from", Role::Read);
        option(
            "-I --use-compress-program --to-command --rsh-command --info-script --new-volume-script -F",
            Role::Command,
        );
        option("-g --listed-incremental --index-file", Role::Write);
        option("--checkpoint-action", Role::Value);
        option(
            "-b -H -L -N -V -K --exclude --format --owner --group --mode --mtime --transform --xform --strip-components --suffix --one-top-level --newer --label --sort --blocking-factor --level --occurrence --pax-option --include",
            Role::Value,
        );
        entry.options.insert(
            "--checkpoint --backup --one-top-level --warning --totals".into(),
            OptionRole { role: Role::Value, attached: true },
        );
        let arguments = Arguments::divide(&entry, &words);
        let cwd = self.world.cwd().map(str::to_owned);
        let has = |names: &[&str]| arguments.has(names);
        for option in &arguments.options {
            match (option.name.as_str(), &option.value) {
                ("--checkpoint-action", Some(action)) => match action.after('=') {
                    Some((name, command)) if name == "exec" => {
                        self.command_text(&command, io);
                    }
                    _ if !action.is_exact() => self.opaque(About::Anything, Reason::UnknownCommandText, &[]),
                    _ => {}
                },
                (_, Some(value)) => {
                    if let Some(role) = option.role {
                        self.role(role, value, io);
                    }
                }
                _ => {}
            }
        }
        let extracts = has(&["-x", "--extract", "--get"]);
        let lists = has(&["-t", "--list", "-d", "--diff", "--compare"]);
        for archive in arguments.values(&["-f", "--file"]) {
            if archive.text.contains(':') && !archive.text.starts_with(['.', '/']) {
                self.connect(archive);
            } else {
                self.path(if extracts || lists { Role::Read } else { Role::Write }, archive);
            }
        }
        if has(&["-T", "--files-from"]) {
            self.opaque(About::Reads, Reason::ListedPacked, &[]);
        }
        let to_output = has(&["-O", "--to-stdout", "--to-command"]);
        for directory in arguments.values(&["-C", "--directory", "--cd"]) {
            self.world.enter_word(directory);
        }
        if extracts {
            if !to_output {
                self.path(Role::WriteTree, &Arg::exact("."));
            }
            if !to_output && !has(&["--strip-components", "--transform", "--xform", "-s"]) {
                self.unpacked(&arguments.operands, &Arg::exact("."));
            }
        } else if has(&["-d", "--diff", "--compare"]) {
            self.path(Role::ReadTree, &Arg::exact("."));
        } else if !lists {
            let lists = arguments.values(&["-T", "--files-from"]);
            let named: Vec<Arg> = lists
                .filter_map(|list| self.list_of_tar(list, io).text().map(str::to_owned))
                .flat_map(|text| text.lines().filter(|line| !line.is_empty()).map(Arg::exact).collect::<Vec<_>>())
                .collect();
            for file in arguments.operands.iter().chain(&named) {
                self.path(Role::ReadTree, file);
            }
            let included: Vec<Arg> = arguments.values(&["--include"]).cloned().collect();
            self.stored(&included, &arguments.operands);
            if has(&["--remove-files"]) {
                for file in &arguments.operands {
                    self.path(Role::DeleteTree, file);
                }
            }
        }
        if has(&["-P", "--absolute-names"]) && extracts {
            self.opaque(About::Writes, Reason::ArchivePaths, &[]);
        }
        self.world.set_cwd(cwd);
        let mut archives = arguments.values(&["-f", "--file"]);
        let piped = archives.next().is_none_or(|archive| archive.literal() == Some("-"));
        match (extracts, lists || piped) {
            (true, _) if to_output && piped => io.input.decoded(),
            (true, _) if to_output => Stream::Foreign(Provenance::Decoded),
            (false, true) => Stream::Unknown,
            (true, _) | (false, false) => Stream::nothing(),
        }
    }

    pub(super) fn zip(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let mut entry = Entry { words: false, ..Entry::named(call.name) };
        let mut option = |names: &'static str, role| {
            entry.options.insert(names.into(), OptionRole { role, attached: false });
        };
        option("-TT --unzip-command", Role::Command);
        option("-O --output-file -lf", Role::Write);
        option("-b -n -P -t -tt -s -Z --password --temp-path", Role::Value);
        let (words, patterns) = without_lists(call.rest);
        let arguments = Arguments::divide(&entry, &words);
        self.options(&arguments, io);
        let Some((archive, files)) = arguments.operands.split_first() else { return Stream::Unknown };
        let deletes = arguments.has(&["-d", "--delete"]);
        self.path(if deletes { Role::Edit } else { Role::Write }, archive);
        if arguments.has(&["-TT", "--unzip-command"]) {
            self.opaque(About::Anything, Reason::ArchiveCommand, &[]);
        }
        if deletes {
            return Stream::Unknown;
        }
        let tree = arguments.has(&["-r", "--recurse-paths", "-R"]);
        for file in files {
            self.path(if tree { Role::ReadTree } else { Role::Read }, file);
            if arguments.has(&["-m", "--move"]) {
                self.path(Role::DeleteTree, file);
            }
        }
        self.stored(&patterns, files);
        if arguments.has(&["-@"]) {
            self.opaque(About::Reads, Reason::InputPacked, &[]);
        }
        Stream::Unknown
    }

    pub(super) fn unzip(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let mut entry = Entry::named(call.name);
        entry.options.insert("-d -P -x -I -O".into(), OptionRole { role: Role::Value, attached: false });
        let arguments = Arguments::divide(&entry, call.rest);
        if let Some(archive) = arguments.operands.first() {
            self.path(Role::Read, archive);
        }
        let only_reads = arguments.has(&["-l", "-v", "-t", "-p", "-c", "-z", "-Z"]);
        if !only_reads {
            let directory = arguments.values(&["-d"]).next().cloned().unwrap_or_else(|| Arg::exact("."));
            self.path(Role::WriteTree, &directory);
            self.unpacked(arguments.operands.get(1..).unwrap_or_default(), &directory);
        }
        let _ = io;
        if arguments.has(&["-p", "-c"]) { Stream::Foreign(Provenance::Decoded) } else { Stream::Unknown }
    }

    pub(super) fn seven_zip(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let operands: Vec<&Arg> = call.rest.iter().filter(|word| !word.text.starts_with('-')).collect();
        let Some((mode, rest)) = operands.split_first() else { return Stream::Unknown };
        let unpacks = matches!(mode.literal(), Some("x" | "e" | "l" | "t" | "lb" | "v"));
        for word in call.rest {
            match switch_names(word) {
                Some((_, '@', list)) => self.list_of_archiver(&list, unpacks, io),
                Some(("i", _, file)) if !unpacks => self.path(Role::ReadTree, &expanded(&file)),
                Some(("ai", _, archive)) => self.path(Role::Read, &archive),
                _ => {}
            }
        }
        let Some((archive, files)) = rest.split_first() else { return Stream::Unknown };
        match mode.literal() {
            Some("x" | "e") => {
                self.path(Role::Read, archive);
                let directory =
                    call.rest.iter().find_map(|word| word.text.strip_prefix("-o").map(|text| word.with(text)));
                self.path(Role::WriteTree, &directory.unwrap_or_else(|| Arg::exact(".")));
            }
            Some("l" | "t" | "lb" | "v") => self.path(Role::Read, archive),
            _ => {
                self.path(Role::Edit, archive);
                let deletes = call.rest.iter().any(|word| matches!(word.text.as_str(), "-sdel" | "-df"));
                for file in files {
                    if let Some(list) = file.text.strip_prefix('@') {
                        self.list_of_archiver(&file.with(list), unpacks, io);
                        continue;
                    }
                    self.path(Role::ReadTree, &expanded(file));
                    if deletes {
                        self.path(Role::DeleteTree, &expanded(file));
                    }
                }
            }
        }
        Stream::Unknown
    }

    fn list_of_tar(&self, list: &Arg, io: &Io<'_>) -> Stream {
        if list.text == "-" {
            return io.input.clone();
        }
        self.process_output(list).unwrap_or_else(|| self.world.content_of(list))
    }

    /// A list of files to pack, or of the members that are unpacked.
    fn list_of_archiver(&mut self, list: &Arg, unpacks: bool, io: &mut Io<'_>) {
        self.role(if unpacks { Role::Read } else { Role::Names }, list, io);
    }

    /// `ar rcs lib.a x.o`, `jar cf lib.jar x`: the letters say which way the files go.
    pub(super) fn ar(&mut self, call: Call<'_>) -> Stream {
        let mut operands = call.rest.iter();
        let Some(mode) = self.ar_mode(&mut operands) else { return Stream::Unknown };
        let Some(archive) = operands.next() else { return Stream::Unknown };
        if mode.text.contains('M') {
            self.opaque(About::Writes, Reason::UnknownInputProgram, &[]);
        }
        if mode.text.contains(['t', 'p']) {
            self.path(Role::Read, archive);
        } else if mode.text.contains('x') {
            self.path(Role::Read, archive);
            let members: Vec<&Arg> = operands.collect();
            for member in &members {
                self.path(Role::Write, member);
            }
            if members.is_empty() {
                self.path(Role::WriteTree, &Arg::exact("."));
            }
        } else {
            self.path(Role::Edit, archive);
            for file in operands {
                self.path(Role::Read, file);
            }
        }
        Stream::Unknown
    }

    /// The letters, behind options that are words.
    fn ar_mode<'w>(&mut self, words: &mut std::slice::Iter<'w, Arg>) -> Option<&'w Arg> {
        loop {
            let word = words.next()?;
            let (name, value) = match word.after('=') {
                Some((name, value)) => (name, Some(value)),
                None => (word.text.clone(), None),
            };
            let value = |words: &mut std::slice::Iter<'w, Arg>| value.or_else(|| words.next().cloned());
            match name.as_str() {
                "--plugin" => {
                    if let Some(plugin) = value(words) {
                        self.path(Role::Read, &plugin);
                        self.opaque(About::Anything, Reason::LoadsCode, &[]);
                    }
                }
                "--output" => {
                    if let Some(directory) = value(words) {
                        self.path(Role::WriteTree, &directory);
                    }
                }
                "--target" | "--record-libdeps" => {
                    value(words);
                }
                name if name.starts_with("--") => {}
                _ => return Some(word),
            }
        }
    }

    pub(super) fn jar(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let mut entry = Entry::named(call.name);
        entry.options.insert("-f --file".into(), OptionRole { role: Role::Value, attached: false });
        entry.options.insert("-m --manifest".into(), OptionRole { role: Role::Read, attached: false });
        entry.options.insert(
            "-e --main-class --release --module-version".into(),
            OptionRole { role: Role::Value, attached: false },
        );
        entry.options.insert("-C".into(), OptionRole { role: Role::ReadTree, attached: false });
        let words = dashed_with(call.rest, "fmeC");
        let arguments = Arguments::divide(&entry, &words);
        let extracts = arguments.has(&["-x", "--extract"]);
        let lists = arguments.has(&["-t", "--list", "-d", "--describe-module"]);
        for archive in arguments.values(&["-f", "--file"]) {
            self.path(if extracts || lists { Role::Read } else { Role::Edit }, archive);
        }
        self.options(&arguments, io);
        if extracts {
            self.path(Role::WriteTree, &Arg::exact("."));
        } else if !lists {
            for file in &arguments.operands {
                self.path(Role::ReadTree, file);
            }
        }
        Stream::Unknown
    }

    pub(super) fn patch(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let mut entry = Entry::named(call.name);
        entry.options.insert("-i --input".into(), OptionRole { role: Role::Read, attached: false });
        entry.options.insert("-o --output -r --reject-file".into(), OptionRole { role: Role::Write, attached: false });
        entry.options.insert(
            "-p --strip -F --fuzz -d --directory -B -D -Y -z -V -g".into(),
            OptionRole { role: Role::Value, attached: false },
        );
        let arguments = Arguments::divide(&entry, call.rest);
        let mut text = io.input.clone();
        for file in arguments.values(&["-i", "--input"]) {
            text = self.world.content_of(file);
        }
        self.options(&arguments, io);
        let cwd = self.world.cwd().map(str::to_owned);
        for directory in arguments.values(&["-d", "--directory"]) {
            self.world.enter_word(directory);
        }
        if arguments.has(&["--dry-run", "--check"]) {
            self.opaque(About::Reads, Reason::PatchReads, &["patch"]);
            self.world.set_cwd(cwd);
            return Stream::Unknown;
        }
        let mut operands = arguments.operands.iter();
        let named = operands.next();
        if let Some(patch) = operands.next() {
            self.path(Role::Read, patch);
            text = self.world.content_of(patch);
        }
        let strip = arguments.values(&["-p", "--strip"]).next().and_then(|word| word.text.parse().ok());
        match (named, text.text()) {
            (Some(file), _) => self.path(Role::Edit, file),
            (None, Some(text)) => self.patched(text, strip),
            (None, None) => {
                self.opaque(About::Writes, Reason::PatchWrites, &[]);
                // Unlike git, this program also writes what the patch names below `.git`.
                self.git_remotes_unknown();
            }
        }
        self.world.set_cwd(cwd);
        Stream::Unknown
    }

    /// The program that agents bring along: the patch is its one argument, or its input.
    pub(super) fn apply_patch(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let text = match call.rest.first() {
            Some(patch) => patch.literal(),
            None => io.input.text(),
        };
        match text {
            Some(text) => {
                for effect in patch::run(text, self.world) {
                    self.effect(effect);
                }
            }
            None => self.opaque(About::Writes, Reason::PatchWrites, &[]),
        }
        Stream::Unknown
    }

    /// Files that a unified diff names.
    pub(super) fn patched(&mut self, text: &str, strip: Option<usize>) {
        for effect in patch::run_unified(text, strip, self.world) {
            self.effect(effect);
        }
    }
}

/// `tar xf a` → `tar -xf a`: old-style letters, whose values follow in order.
fn dashed(words: &[Arg]) -> Vec<Arg> {
    dashed_with(words, "fbCTXgIHKLNVF")
}

fn dashed_with(words: &[Arg], valued: &str) -> Vec<Arg> {
    let Some((first, rest)) = words.split_first() else { return Vec::new() };
    let old = !first.text.starts_with('-') && first.is_exact() && !first.text.contains('/');
    if !old {
        return words.to_vec();
    }
    let mut values = rest.iter();
    let mut all = Vec::new();
    for letter in first.text.chars() {
        all.push(Arg::exact(format!("-{letter}")));
        if valued.contains(letter) {
            all.extend(values.next().cloned());
        }
    }
    all.extend(values.cloned());
    all
}

/// `-i!FILE`, `-ir@LIST`, `-x!FILE`: the name of the switch, the sign, and what stands behind it.
fn switch_names(word: &Arg) -> Option<(&'static str, char, Arg)> {
    let text = word.text.strip_prefix('-')?;
    let name = ["ai", "ax", "i", "x"].into_iter().find(|name| text.starts_with(name))?;
    let rest = text.strip_prefix(name)?.trim_start_matches(['r', 'm', '-', '0', '2']);
    let sign = rest.chars().next().filter(|sign| matches!(sign, '!' | '@'))?;
    Some((name, sign, word.with(rest.get(1..)?)))
}

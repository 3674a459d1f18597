//! Programs of the core family that need more than roles: `dd`, `chmod`, `split`, `mktemp`, `awk`, `grep`.

use crate::command::argument::{Arg, Arguments, Known};
use crate::command::code::awk;
use crate::command::knowledge::{Language, Role};
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::command::temporary;
use crate::regex::purpose_of_pattern;
use crate::{About, Certainty, Purpose, Reason};

use super::Call;
use super::printing::selection;

impl Machine<'_> {
    pub(super) fn dd(&mut self, call: Call<'_>, io: &Io<'_>) -> Stream {
        let names_file =
            |word: &Arg| word.known == Known::Not || word.text.starts_with("if=") || word.text.starts_with("of=");
        for word in call.rest {
            match word.after('=') {
                Some((key, file)) if key == "if" => self.path(Role::Read, &file),
                Some((key, file)) if key == "of" => self.path(Role::Write, &file),
                _ if word.known == Known::Not => self.path(Role::Edit, word),
                _ => {}
            }
        }
        if call.rest.iter().any(names_file) { Stream::Unknown } else { selection(io.input) }
    }

    /// `mkdir -p a/b` makes `a` where it is missing.
    pub(super) fn make_directories(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        self.given(call.entry, call.words, &arguments, io);
        if arguments.has(&["-p", "--parents"]) {
            for word in arguments.operands.iter().filter(|word| word.is_exact()) {
                let mut left = word.text.trim_end_matches('/');
                while let Some((parent, _)) = left.rsplit_once('/').filter(|(parent, _)| !parent.is_empty()) {
                    if self.is_around(parent) {
                        break;
                    }
                    self.possible_path(Role::Write, &word.with(parent));
                    left = parent;
                }
            }
        }
        Stream::nothing()
    }

    /// The directory holds the working directory or the workspace, so it is there already.
    fn is_around(&self, directory: &str) -> bool {
        let (target, certainty) = self.world.locate(directory, Certainty::Exact);
        let holds = |inner: Option<&str>| {
            let rest = inner.and_then(|inner| inner.strip_prefix(target.path.trim_end_matches('/')));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        certainty == Certainty::Exact && (target.path == "." || holds(self.world.root()) || holds(self.world.cwd()))
    }

    /// `chmod -x file`: a mode may look like an option.
    pub(super) fn attributes(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let is_mode = |word: &Arg| {
            let letters = match call.name {
                "chmod" => "rwxXstugo,",
                "chattr" => "aAcCdDeFijmsStTux",
                _ => return false,
            };
            let mode = word.text.strip_prefix('-');
            mode.is_some_and(|mode| !mode.is_empty() && mode.chars().all(|letter| letters.contains(letter)))
        };
        let mode_at = call.rest.iter().position(is_mode);
        let words: Vec<Arg> = call
            .rest
            .iter()
            .enumerate()
            .map(
                |(at, word)| {
                    if Some(at) == mode_at { word.with(word.text.replacen('-', "=", 1)) } else { word.clone() }
                },
            )
            .collect();
        let arguments = Arguments::divide(call.entry, &words);
        let by_reference = arguments.has(&["--reference"]);
        if by_reference {
            let tree = arguments.has_role(Role::Tree);
            self.options(&arguments, io);
            for word in &arguments.operands {
                self.path(if tree { Role::WriteTree } else { Role::Write }, word);
            }
            return Stream::nothing();
        }
        // Attributes change, content does not: what was known about it stays known.
        let kept: Vec<_> = arguments
            .operands
            .iter()
            .skip(1)
            .filter(|word| word.is_exact())
            .map(|word| {
                let (target, _) = self.world.locate_word(word);
                let written = self.world.take_written(&target);
                (target, written)
            })
            .collect();
        self.given(call.entry, call.words, &arguments, io);
        for (target, written) in kept {
            match written {
                Some(written) => self.world.put_written(&target, written),
                None => drop(self.world.take_written(&target)),
            }
        }
        Stream::nothing()
    }

    pub(super) fn split(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        self.options(&arguments, io);
        let mut operands = arguments.operands.iter();
        if let Some(file) = operands.next() {
            self.path(Role::Read, file);
        }
        if arguments.has_role(Role::Command) {
            return Stream::Unknown;
        }
        let prefix = arguments.values(&["-f", "--prefix"]).next().or_else(|| operands.next());
        let default = if call.name == "csplit" { "xx*" } else { "x*" };
        match prefix.and_then(Arg::literal) {
            Some(prefix) if call.name != "csplit" || arguments.has(&["-f", "--prefix"]) => {
                self.path(Role::Write, &Arg::glob(format!("{}*", super::find::escaped(prefix))));
            }
            _ => self.path(Role::Write, &Arg::glob(default)),
        }
        Stream::nothing()
    }

    pub(super) fn mktemp(&mut self, call: Call<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        let given = arguments.operands.first().or_else(|| arguments.values(&["-t"]).next());
        let directory = arguments.values(&["-p", "--tmpdir"]).next();
        let suffix = arguments.values(&["--suffix"]).next();
        if let Some(word) = [given, directory, suffix].into_iter().flatten().find(|word| !word.is_exact()) {
            let is_whole = directory.is_none() && suffix.is_none();
            let target = if is_whole { word.clone() } else { Arg::unknown(word.text.as_str()) };
            self.path(Role::Write, &target);
            return Stream::Unknown;
        }
        let template = match given.map(|word| word.text.as_str()) {
            None => "tmp.XXXXXXXXXX".to_owned(),
            Some(prefix) if !prefix.contains("XXX") && arguments.has(&["-t"]) => format!("{prefix}.XXXXXXXX"),
            Some(template) => template.to_owned(),
        };
        let own = arguments.operands.is_empty() || arguments.has(&["-p", "-t", "--tmpdir"]);
        let directory = directory.map_or("/tmp", |word| word.text.as_str());
        let template = if own { format!("{directory}/{template}") } else { template };
        // The last run of the letter is what gets replaced.
        let letters = template.rfind("XXX").map(|end| {
            let head = template.get(..end + 3).unwrap_or_default();
            (head.trim_end_matches('X').len(), end + 3)
        });
        let Some((before, after)) =
            letters.and_then(|(start, end)| Some((template.get(..start)?, template.get(end..)?)))
        else {
            self.path(Role::Write, &Arg::exact(template));
            return Stream::Unknown;
        };
        let letters = template.len() - before.len() - after.len();
        let made_up = temporary::unknown_part(self.world.temporary(), letters);
        let suffix = suffix.map_or("", |word| word.text.as_str());
        let name = format!("{before}{made_up}{after}{suffix}");
        self.path(Role::Write, &Arg::exact(name.as_str()));
        Stream::of(name + "\n")
    }

    /// Searches print names with `-l`, lines otherwise; over names on standard input they select some.
    pub(super) fn search(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let mut arguments = Arguments::divide(call.entry, call.rest);
        let files_only = call.name == "rg" && arguments.has(&["--files"]);
        if files_only {
            if arguments.operands.is_empty() {
                arguments.operands.push(Arg::exact("."));
            }
            for word in &arguments.operands {
                self.path(Role::ListTree, word);
            }
            self.options(&arguments, io);
            let spelled = super::searching::spelled_names(&arguments, &arguments.operands);
            return Stream::Names(arguments.operands.iter().map(|start| below(start, "")).chain(spelled).collect());
        }
        let replaced = arguments.has_role(Role::Pattern) || arguments.has_role(Role::PatternFile);
        self.context.purpose = searched(&arguments, replaced);
        self.given(call.entry, call.words, &arguments, io);
        let files = arguments.operands.get(usize::from(!replaced)..).unwrap_or_default();
        self.searched_names(call.name, &arguments, files);
        let names = arguments.has(&["-l", "-L", "--files-with-matches", "--files-without-match"]);
        if names {
            let targets: Vec<Arg> = if files.is_empty() {
                vec![Arg::glob("**")]
            } else {
                files.iter().flat_map(|file| [file.clone(), below(file, "")]).collect()
            };
            return Stream::Names(targets);
        }
        if files.is_empty() && !arguments.has_role(Role::Tree) { selection(io.input) } else { Stream::Unknown }
    }

    pub(super) fn awk(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let mut left = call.rest.iter();
        let (mut programs, mut files, mut from_file) = (Vec::new(), Vec::new(), false);
        let mut in_place = false;
        let mut assigned: Vec<Arg> = Vec::new();
        while let Some(word) = left.next() {
            let text = word.text.as_str();
            match word.literal() {
                Some("-f" | "--file" | "-E" | "--exec") => {
                    from_file = true;
                    if let Some(file) = left.next() {
                        self.awk_file(file, io);
                    }
                }
                Some("-i" | "--include" | "-l" | "--load") => {
                    let library = left.next();
                    if library.is_some_and(|value| value.text == "inplace") {
                        in_place = true;
                    } else {
                        self.opaque(About::Anything, Reason::LoadsLibrary, &[]);
                    }
                }
                Some("-v" | "--assign") => assigned.extend(left.next().cloned()),
                Some("-F" | "--field-separator") => {
                    left.next();
                }
                Some("-iinplace" | "--include=inplace") => in_place = true,
                Some("-e" | "--source") => programs.extend(left.next().cloned()),
                Some(_) if text.starts_with("--source=") || text.starts_with("-e") => {
                    let program = text.strip_prefix("--source=").or_else(|| text.strip_prefix("-e"));
                    programs.push(word.with(program.unwrap_or_default()));
                }
                Some(_) if text.starts_with("-v") || text.starts_with("--assign=") => {
                    let value = text.strip_prefix("--assign=").or_else(|| text.strip_prefix("-v"));
                    assigned.push(word.with(value.unwrap_or_default()));
                }
                Some(_) if ["-l", "-i", "--load=", "--include="].iter().any(|name| text.starts_with(name)) => {
                    self.opaque(About::Anything, Reason::LoadsLibrary, &[]);
                }
                Some(_) if text.starts_with("-E") || text.starts_with("--exec=") => {
                    from_file = true;
                    let file = text.strip_prefix("--exec=").or_else(|| text.strip_prefix("-E"));
                    self.awk_file(&word.with(file.unwrap_or_default()), io);
                }
                Some("--") => {
                    files.extend(left.by_ref().cloned());
                }
                Some(_) if text.starts_with("-f") => {
                    from_file = true;
                    self.awk_file(&word.with(text.trim_start_matches("-f")), io);
                }
                Some(_) if text.starts_with("--file=") => {
                    from_file = true;
                    self.awk_file(&word.with(text.trim_start_matches("--file=")), io);
                }
                Some(_) if text.starts_with('-') && text.len() > 1 => self.awk_output(word),
                _ => {
                    files.push(word.clone());
                    files.extend(left.by_ref().cloned());
                }
            }
        }
        if programs.is_empty() && !from_file && !files.is_empty() {
            programs.push(files.remove(0));
        }
        assigned.extend(files.iter().filter(|file| file.text.contains('=')).cloned());
        for program in &programs {
            self.code_argument(Language::Awk, &with_variables(program, &assigned), io);
        }
        for file in files.iter().filter(|file| file.after('=').is_none_or(|(name, _)| !super::wrappers::is_name(&name)))
        {
            self.path(if in_place { Role::Edit } else { Role::Read }, file);
        }
        match (call.rest, io.input) {
            ([program], Stream::Likely(input)) => awk_output_of(program, Some(input)).doubted(),
            ([program], input) => awk_output_of(program, input.text()),
            _ => Stream::Unknown,
        }
    }

    /// `gawk -oFILE`, `--profile=FILE`: where it writes the program, a profile or its variables.
    fn awk_output(&mut self, word: &Arg) {
        const NAMES: &[&str] = &["--pretty-print=", "--profile=", "--dump-variables=", "-o", "-p", "-d"];
        let file = NAMES.iter().find_map(|name| word.text.strip_prefix(name));
        if let Some(file) = file.filter(|file| !file.is_empty()) {
            self.path(Role::Write, &word.with(file));
        }
    }

    fn awk_file(&mut self, file: &Arg, io: &mut Io<'_>) {
        if matches!(file.literal(), Some("-" | "/dev/stdin")) {
            self.program_on_input(Language::Awk, io);
        } else {
            self.run_script("awk", Language::Awk, file, &[], io);
        }
    }

    pub(super) fn line_endings(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        if call.name == "iconv" {
            return self.given(call.entry, call.words, &arguments, io);
        }
        for file in &arguments.operands {
            self.path(Role::Edit, file);
        }
        Stream::nothing()
    }
}

/// Options with which a search shows lines that do not match.
const SHOWING_ALL: &[&str] = &[
    "-v",
    "--invert-match",
    "--files-without-match",
    "-L",
    "--passthru",
    "--passthrough",
    "-W",
    "--function-context",
    "-U",
    "--multiline",
    "--multiline-dotall",
    "-z",
    "--null-data",
];
/// Options that show lines around a match, and the lines that are still a part of a file.
const AROUND: &[&str] = &["-A", "-B", "-C", "--after-context", "--before-context", "--context"];
const CONTEXT: usize = 50;

/// Returns the purpose of a search. A pattern that is not known, or lines that do not match (`-v`), may show whole files.
pub(super) fn searched(arguments: &Arguments, replaced: bool) -> Purpose {
    let turns_around = arguments.has(SHOWING_ALL);
    let is_wide =
        |word: &Arg| word.literal().and_then(|text| text.parse::<usize>().ok()).is_none_or(|lines| lines > CONTEXT);
    let turns_around = turns_around || arguments.values(AROUND).any(is_wide);
    let operand = if replaced { None } else { arguments.operands.first() };
    let given = arguments.options.iter().filter(|option| option.role == Some(Role::Pattern));
    let patterns = given.filter_map(|option| option.value.as_ref()).chain(operand);
    let shown = patterns.map(|pattern| pattern.literal().map_or(Purpose::Whole, purpose_of_pattern)).max();
    match shown {
        Some(purpose) if !turns_around => purpose,
        _ => Purpose::Whole,
    }
}

/// An awk program that starts with the variables of its command line.
fn with_variables(program: &Arg, assigned: &[Arg]) -> Arg {
    let mut text = String::new();
    for (name, value) in assigned.iter().filter_map(|word| word.after('=')) {
        if super::wrappers::is_name(&name) && value.is_exact() {
            let value = value.text.replace('\\', "\\\\").replace('"', "\\\"");
            text.extend(["BEGIN{", name.as_str(), "=\"", value.as_str(), "\"};"]);
        }
    }
    if text.is_empty() || !program.is_exact() { program.clone() } else { program.with(text + &program.text) }
}

/// What is called so anywhere below a directory; with an empty name, everything.
pub(super) fn below(directory: &Arg, name: &str) -> Arg {
    let start = match directory.known {
        Known::Exact => super::find::escaped(&directory.text),
        Known::Glob => directory.text.clone(),
        Known::Partly | Known::Not => return directory.clone(),
    };
    let glob = format!("{}/**/{name}", start.trim_end_matches('/'));
    Arg { tilde: directory.tilde, span: directory.span, ..Arg::glob(glob.trim_end_matches('/')) }
}

/// What an awk program prints, where that is cheap to compute.
fn awk_output_of(program: &Arg, input: Option<&str>) -> Stream {
    let text = program.literal().and_then(|program| awk::printed(program, input));
    text.map_or(Stream::Unknown, Stream::of)
}

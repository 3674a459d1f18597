//! Editors and pagers: files they open, commands they are told to run.

use crate::command::argument::{Arg, Arguments};
use crate::command::knowledge::{Entry, Language, OptionRole, Role};
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::{About, Reason};

use super::Call;

/// Schemes of the places to which an editor writes over the network. It takes any other text for the name of a file.
const REMOTE_SCHEMES: &[&str] =
    &["dav", "davs", "fetch", "file", "ftp", "http", "https", "rcp", "rsync", "scp", "sftp"];

/// Commands of an editor whose argument is a file or a URL that is read.
const EX_READS: &[&str] = &[
    "r",
    "read",
    "e",
    "edit",
    "ex",
    "vi",
    "visual",
    "vie",
    "view",
    "sv",
    "sview",
    "sp",
    "split",
    "vs",
    "vsplit",
    "new",
    "vne",
    "vnew",
    "tabe",
    "tabedit",
    "tabnew",
    "ped",
    "pedit",
    "dr",
    "drop",
    "fin",
    "find",
    "sf",
    "sfind",
    "ar",
    "args",
    "arge",
    "argedit",
    "arga",
    "argadd",
    "bad",
    "badd",
    "dif",
    "diffs",
    "diffsplit",
    "diffp",
    "diffpatch",
    "Nr",
    "Nread",
    "Ns",
    "Nsource",
    "Exp",
    "Explore",
    "rv",
    "rviminfo",
    "rundo",
    "cf",
    "cfile",
    "cg",
    "cgetfile",
    "lf",
    "lfile",
    "lg",
    "lgetfile",
];
/// Commands of an editor whose argument is a file that is written.
const EX_WRITES: &[&str] = &[
    "mk",
    "mkexrc",
    "mkv",
    "mkvimrc",
    "mkvie",
    "mkview",
    "mks",
    "mksession",
    "wv",
    "wviminfo",
    "wsh",
    "wshada",
    "wundo",
    "mksp",
    "mkspell",
];

impl Machine<'_> {
    pub(super) fn vim(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let mut left = call.rest.iter();
        let mut files = Vec::new();
        while let Some(word) = left.next() {
            let text = word.text.as_str();
            match word.literal() {
                Some("-c" | "--cmd") => {
                    if let Some(command) = left.next() {
                        self.ex_commands(command, io);
                    }
                }
                Some("-S" | "-u" | "-U" | "-s" | "-i" | "-W" | "-w") => {
                    if let Some(file) = left.next().filter(|file| !matches!(file.text.as_str(), "NONE" | "NORC")) {
                        self.path(if matches!(text, "-w" | "-W") { Role::Write } else { Role::Read }, file);
                        if matches!(text, "-S" | "-u" | "-s") && !self.foreign_script(file, io) {
                            self.opaque(About::Anything, Reason::EditorScript, &[]);
                        }
                    }
                }
                Some("-l") if call.name == "nvim" => {
                    let rest = left.as_slice();
                    if let Some((script, arguments)) = rest.split_first() {
                        self.run_script("nvim", Language::Other, script, arguments, io);
                    }
                    return Stream::Unknown;
                }
                Some("-T" | "-t" | "-q" | "--servername" | "--server") => {
                    left.next();
                }
                // Keys that another editor gets: `:!command<CR>`.
                Some("--remote-send") => {
                    if let Some(keys) = left.next() {
                        self.remote_keys(keys, io);
                    }
                }
                Some("--remote-expr") => {
                    if let Some(expression) = left.next() {
                        self.ex_commands(&expression.with(format!("echo {}", expression.text)), io);
                    }
                }
                // `-V9FILE`: a level of messages and the file that gets them.
                Some(text) if text.starts_with("-V") => {
                    let file = text.trim_start_matches("-V").trim_start_matches(|letter: char| letter.is_ascii_digit());
                    if !file.is_empty() {
                        self.path(Role::Write, &word.with(file));
                    }
                }
                Some(text) if text.starts_with('+') => self.ex_commands(&word.with(text.trim_start_matches('+')), io),
                Some(text) if text.starts_with('-') && !text.starts_with("--") && text.contains('c') => {
                    let attached = text.split_once('c').map_or("", |(_, rest)| rest);
                    let command = if attached.is_empty() { left.next().cloned() } else { Some(word.with(attached)) };
                    if let Some(command) = command {
                        self.ex_commands(&command, io);
                    }
                }
                Some(text) if text.starts_with('-') => {}
                _ => files.push(word.clone()),
            }
        }
        let only_reads =
            call.name == "view" || call.rest.iter().any(|word| matches!(word.literal(), Some("-R" | "-M")));
        for file in &files {
            if file.text.contains("://") {
                self.connect(file);
                continue;
            }
            self.path(if only_reads { Role::Read } else { Role::Edit }, file);
        }
        if let Some(text) = io.input.text().map(str::to_owned) {
            for line in text.lines() {
                self.ex_commands(&Arg::exact(line), io);
            }
        }
        Stream::Unknown
    }

    fn remote_keys(&mut self, keys: &Arg, io: &mut Io<'_>) {
        if !keys.is_exact() {
            return self.ex_commands(keys, io);
        }
        for part in keys.text.split(['<', '>', '\n']) {
            self.ex_commands(&keys.with(part), io);
        }
    }

    /// `:!command`, `:r !command`, `:w file`, `:e file`, `:source file`, separated by `|`.
    fn ex_commands(&mut self, word: &Arg, io: &mut Io<'_>) {
        let Some(text) = word.literal() else {
            self.opaque(About::Anything, Reason::UnknownEditorCommand, &[]);
            return;
        };
        let text = text.trim().trim_start_matches(':');
        if let Some((before, command)) = text.split_once('!')
            && before.chars().all(|c| {
                !c.is_alphabetic()
                    || matches!(c, 'r' | 'w' | 'e' | 'a' | 'd' | 's' | 'i' | 'l' | 'n' | 't' | 'c' | 'x' | 'u')
            })
            && !matches!(before.trim(), "q" | "qa" | "wq" | "x" | "w" | "e" | "wqa" | "bd" | "cq")
        {
            self.command_text(&Arg::exact(command.trim()), io);
            return;
        }
        for one in text.split('|') {
            let one = one.trim().trim_start_matches(|c: char| {
                c == ':' || c == '%' || c == '$' || c == ',' || c == '.' || c.is_ascii_digit()
            });
            let (name, rest) = one.split_once(char::is_whitespace).unwrap_or((one, ""));
            let rest = rest.trim();
            match name.trim_end_matches('!') {
                "w" | "write" | "sav" | "saveas" | "wq" | "x" | "up" | "update" | "Nw" | "Nwrite"
                    if !rest.is_empty() && !rest.starts_with('!') =>
                {
                    if rest.split_once("://").is_some_and(|(scheme, _)| REMOTE_SCHEMES.contains(&scheme)) {
                        self.connect(&Arg::exact(rest));
                    } else {
                        self.path(Role::Write, &Arg::exact(rest));
                    }
                }
                name if EX_READS.contains(&name) && !rest.is_empty() => {
                    if let Some(command) = rest.strip_prefix('!') {
                        self.command_text(&Arg::exact(command), io);
                    } else {
                        self.opened_files(rest);
                    }
                }
                name if EX_WRITES.contains(&name) && !rest.is_empty() => {
                    self.path(Role::Write, &Arg::exact(rest));
                }
                // `redir > FILE`, `redir @a`, `hardcopy > FILE`
                "redi" | "redir" | "ha" | "hardcopy" => {
                    if let Some((_, file)) = rest.split_once('>') {
                        self.path(Role::Write, &Arg::exact(file.trim_start_matches('>').trim()));
                    }
                }
                "prof" | "profile" => {
                    if let Some(file) = rest.strip_prefix("start ") {
                        self.path(Role::Write, &Arg::exact(file.trim()));
                    }
                }
                "se" | "set" | "setlocal" | "setglobal" => {
                    for file in rest
                        .split_whitespace()
                        .filter_map(|one| one.strip_prefix("verbosefile=").or(one.strip_prefix("vfile=")))
                    {
                        self.path(Role::Write, &Arg::exact(file));
                    }
                }
                "so" | "source" => {
                    let file = Arg::exact(rest);
                    self.path(Role::Read, &file);
                    if !self.foreign_script(&file, io) {
                        self.opaque(About::Anything, Reason::EditorScript, &[]);
                    }
                }
                "call" | "lua" | "py" | "python" | "python3" | "py3" | "ruby" | "perl" | "exe" | "execute"
                | "terminal" | "ter" | "make" | "grep" | "luafile" | "shell" | "sh" | "!" => {
                    self.opaque(About::Anything, Reason::EditorCommandNotRead, &[]);
                    self.guess_commands(&Arg::exact(rest));
                }
                _ if one.contains("system(") || one.contains("jobstart(") || one.contains("writefile(") => {
                    self.opaque(About::Anything, Reason::EditorCommandNotRead, &[]);
                }
                _ if one.contains("readfile(") => self.read_by_function(one),
                _ => {}
            }
        }
    }

    /// `FILE…`, `+10 FILE`, `++ff=dos FILE`
    fn opened_files(&mut self, rest: &str) {
        // A blank behind a backslash belongs to a name.
        let is_one = rest.contains('\\');
        let words: Vec<&str> = if is_one { vec![rest] } else { rest.split_whitespace().collect() };
        for word in words.into_iter().filter(|word| !word.starts_with('+')) {
            if word.contains("://") {
                self.connect(&Arg::exact(word));
            } else {
                self.path(Role::Read, &Arg::exact(word));
            }
        }
    }

    /// `readfile("FILE")`
    fn read_by_function(&mut self, command: &str) {
        let quoted = command.split("readfile(").skip(1).map(|call| {
            let call = call.trim_start();
            let quote = call.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
            let (file, after) = call.get(1..)?.split_once(quote)?;
            (!file.contains('\\') && after.trim_start().starts_with([')', ','])).then_some(file)
        });
        if let Some(files) = quoted.collect::<Option<Vec<&str>>>() {
            for file in files {
                self.path(Role::Read, &Arg::exact(file));
            }
        } else {
            self.opaque(About::Anything, Reason::EditorCommandNotRead, &[]);
        }
    }

    pub(super) fn ed(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        for file in call.rest.iter().filter(|word| !word.text.starts_with('-')) {
            match file.text.strip_prefix('!') {
                Some(command) => {
                    self.command_text(&file.with(command), io);
                }
                None => self.path(Role::Edit, file),
            }
        }
        match io.input.clone() {
            Stream::Known(text) | Stream::Likely(text) => {
                for line in text.lines() {
                    if let Some((_, command)) = line.split_once('!') {
                        self.command_text(&Arg::exact(command), io);
                    } else if let Some(file) =
                        line.trim_start_matches(|c: char| c.is_ascii_digit() || ",$.%".contains(c)).strip_prefix("w ")
                    {
                        self.path(Role::Write, &Arg::exact(file.trim()));
                    } else if let Some(file) = line.strip_prefix("r ").or_else(|| line.strip_prefix("e ")) {
                        self.path(Role::Read, &Arg::exact(file.trim()));
                    }
                }
            }
            Stream::Unconnected => {}
            Stream::Foreign(provenance) => self.foreign_input(provenance),
            Stream::Names(_) | Stream::Unknown => {
                self.opaque_input(Reason::UnknownInputCommands);
            }
        }
        Stream::Unknown
    }

    pub(super) fn less(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let mut entry = Entry::named(call.name);
        entry
            .options
            .insert("-b -h -j -p -P -x -y -z -D -t -T".into(), OptionRole { role: Role::Value, attached: false });
        entry.options.insert("-o -O --log-file --LOG-FILE".into(), OptionRole { role: Role::Write, attached: false });
        entry.options.insert("-k --lesskey-file".into(), OptionRole { role: Role::Config, attached: false });
        let (started, rest): (Vec<Arg>, Vec<Arg>) =
            call.rest.iter().cloned().partition(|word| word.text.starts_with('+'));
        for word in &started {
            if let Some((_, command)) = word.after('!') {
                self.command_text(&command, io);
            }
        }
        let arguments = Arguments::divide(&entry, &rest);
        self.options(&arguments, io);
        for file in &arguments.operands {
            self.path(Role::Read, file);
        }
        super::printing::selection(io.input)
    }

    pub(super) fn man(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        self.options(&arguments, io);
        let is_local = arguments.has(&["-l", "--local-file"]);
        for file in arguments.operands.iter().filter(|word| is_local || word.text.contains('/')) {
            self.path(Role::Read, file);
        }
        Stream::Unknown
    }
}

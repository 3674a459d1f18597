//! The commands of cmd.exe itself, and programs of Windows.

use super::reader::{self, Piece, Pieces};
use super::{Batch, slashed};
use crate::command::argument::{Arg, Known};
use crate::command::code::powershell::{Flow, Given, table};
use crate::command::knowledge::Role;
use crate::command::machine::{Launch, Machine};
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::{About, Certainty, Reason};

const HARMLESS: &str = "rem title ver vol cls color date time prompt break exit goto shift setlocal endlocal verify pause chcp \
    path timeout choice where whoami hostname systeminfo tasklist";

/// Commands that PowerShell has under the same names.
const SHARED: &str = "type del erase rd rmdir copy move ren rename dir md mkdir";

const OWN: &str = "echo set cd chdir pushd popd call start mklink";

const UNREAD: &str = "assoc ftype doskey subst";

impl Machine<'_> {
    pub(super) fn cmd_command(&mut self, segment: &str, pieces: &Pieces, batch: &mut Batch, io: &mut Io<'_>) -> Stream {
        let (name, words) = named(&pieces.words);
        match name.as_str() {
            "echo" => {
                self.cmd_execute("echo", &words, Launch::Inert);
                let text = pieces.plain.trim_start().get(4..).unwrap_or_default();
                let text = text.get(1..).unwrap_or_default().trim_end();
                let is_known = words.iter().all(|piece| piece.word.is_exact());
                let is_switch = matches!(text.to_ascii_lowercase().as_str(), "off" | "on");
                match (is_known, is_switch) {
                    (true, true) => Stream::nothing(),
                    (true, false) => Stream::of(format!("{text}\n")),
                    (false, _) => Stream::Unknown,
                }
            }
            "set" => {
                self.cmd_execute("set", &words, Launch::Inert);
                let text = pieces.plain.trim_start().get(3..).unwrap_or_default();
                self.cmd_set(text.trim_start(), batch, io);
                // Without a value it prints variables.
                if text.contains('=') { Stream::nothing() } else { Stream::Unknown }
            }
            "call" => {
                let rest = segment.trim_start().get(4..).unwrap_or_default().trim_start();
                if rest.starts_with(':') {
                    return Stream::Unknown;
                }
                self.nested(Stream::Unknown, |machine| machine.cmd_simple(rest, batch, io))
            }
            "start" => self.cmd_start(&words, batch, io),
            _ => self.cmd_named(&name, &words, batch, io),
        }
    }

    /// Sets a variable: `set NAME=VALUE`, `set "NAME=VALUE"`, `set /a …`, `set /p NAME=PROMPT`.
    fn cmd_set(&mut self, text: &str, batch: &mut Batch, io: &mut Io<'_>) {
        let lower = text.get(..2).unwrap_or_default().to_ascii_lowercase();
        let computed = matches!(lower.as_str(), "/a" | "/p");
        let text = if computed { text.get(2..).unwrap_or_default().trim_start() } else { text };
        let text = text.strip_prefix('"').map_or(text, |text| text.rsplit_once('"').map_or(text, |(text, _)| text));
        let Some((name, value)) = text.split_once('=') else { return };
        let value = reader::word(value);
        let value = Some(value).filter(|value| value.is_exact() && !computed);
        batch.variables.set(name.trim(), value.as_ref().map(|value| value.text.as_str()));
        // Windows ignores the case of the name.
        self.exported(&Arg::exact(name.trim().to_ascii_uppercase()), value.as_ref(), io.scope);
    }

    /// Runs `start "title" /b /d DIRECTORY PROGRAM …`.
    fn cmd_start(&mut self, words: &[Piece], batch: &mut Batch, io: &mut Io<'_>) -> Stream {
        let cwd = self.world.cwd().map(str::to_owned);
        let mut left = words.iter().enumerate().peekable();
        left.next_if(|(_, piece)| piece.quoted);
        while let Some((_, piece)) = left.next_if(|(_, piece)| is_switch(&piece.word.text)) {
            if piece.word.text.eq_ignore_ascii_case("/d")
                && let Some((_, directory)) = left.next()
            {
                self.reach(&directory.word);
                self.world.enter_word(&slashed(&directory.word));
            }
        }
        let Some((at, piece)) = left.next() else { return Stream::Unknown };
        if piece.word.text.contains("://") {
            self.cmd_execute("start", words, Launch::Plain);
            self.connect(&piece.word);
            return Stream::Unknown;
        }
        let (name, words) = named(words.get(at..).unwrap_or_default());
        let output = self.nested(Stream::Unknown, |machine| machine.cmd_named(&name, &words, batch, io));
        self.world.set_cwd(cwd);
        output
    }

    fn cmd_named(&mut self, name: &str, words: &[Piece], batch: &mut Batch, io: &mut Io<'_>) -> Stream {
        let first = words.iter().map(|piece| &piece.word).find(|word| !is_switch(&word.text)).cloned();
        match name {
            "cd" | "chdir" | "pushd" => {
                self.cmd_execute(name, words, Launch::Inert);
                let Some(directory) = first else { return Stream::Unknown };
                batch.left.push(self.world.cwd().map(str::to_owned));
                self.reach(&directory);
                self.world.enter_word(&slashed(&directory));
                Stream::nothing()
            }
            "popd" => {
                self.cmd_execute(name, words, Launch::Inert);
                if let Some(cwd) = batch.left.pop() {
                    self.world.set_cwd(cwd);
                }
                Stream::nothing()
            }
            "mklink" => {
                self.cmd_execute(name, words, Launch::Plain);
                self.cmd_link(words);
                Stream::nothing()
            }
            _ if listed(HARMLESS, name) => {
                self.cmd_execute(name, words, Launch::Inert);
                Stream::Unknown
            }
            _ if listed(UNREAD, name) => {
                self.cmd_execute(name, words, Launch::Embedding);
                self.opaque(About::Anything, Reason::AnotherShell, &[]);
                Stream::Unknown
            }
            _ if listed(SHARED, name) => self.cmd_shared(if name == "rename" { "ren" } else { name }, words),
            _ => self.cmd_program(name, words, io),
        }
    }

    /// Runs a program, or a batch file that is called without its path and its extension.
    fn cmd_program(&mut self, name: &str, pieces: &[Piece], io: &mut Io<'_>) -> Stream {
        let bare = name.trim_end_matches(".exe");
        if let Some(output) = self.windows_program(bare, pieces.iter().map(|piece| piece.word.clone()).collect()) {
            return output;
        }
        let mut words: Vec<Arg> = pieces.iter().map(|piece| slashed(&piece.word)).collect();
        let program = reader::word(name);
        if let Some(likely) = program.likely.clone() {
            words.insert(0, program);
            self.execute(&words, Launch::Embedding);
            self.opaque(About::Anything, Reason::ComputedProgram, &[]);
            words.splice(..1, Self::split_command(&Arg::exact(likely)));
            return self.guessed(|machine| machine.command(&words, io));
        }
        let file = ["", ".bat", ".cmd", ".exe"].into_iter().map(|ending| format!("./{name}{ending}"));
        let written = |file: &String| self.world.written(&self.world.locate(file, Certainty::Exact).0).is_some();
        let found = if name.contains(['/', ':']) { None } else { file.into_iter().find(written) };
        let endings = [".bat", ".cmd"].into_iter().map(|ending| format!("{name}{ending}"));
        let found = found.or_else(|| endings.into_iter().find(written));
        words.insert(0, Arg::exact(found.as_deref().unwrap_or(name)));
        self.command(&words, io)
    }

    /// Runs a program of Windows that has options of its own. Returns `None` for any other program.
    pub(in crate::command::code) fn windows_program(&mut self, name: &str, words: Vec<Arg>) -> Option<Stream> {
        let program = table().programs.iter().find(|program| listed(&program.names, name))?;
        let all: Vec<Arg> = std::iter::once(Arg::exact(name)).chain(words.iter().cloned()).collect();
        self.execute(&all, Launch::Plain);
        let (flags, plain): (Vec<Arg>, Vec<Arg>) = words.into_iter().partition(|word| is_switch(&word.text));
        let plain = plain.iter().map(slashed).collect();
        self.cmdlet(program, name, &given(plain, &flags), Flow::default());
        Some(Stream::Unknown)
    }

    /// Runs a command that PowerShell has, too.
    fn cmd_shared(&mut self, name: &str, pieces: &[Piece]) -> Stream {
        self.cmd_execute(name, pieces, Launch::Plain);
        let mut plain = Vec::new();
        let mut flags = Vec::new();
        for Piece { word, quoted } in pieces {
            let switches: Vec<&str> = word.text.split('/').skip(1).collect();
            if word.text.starts_with('/') && switches.iter().all(|name| is_switch(&format!("/{name}"))) {
                flags.extend(switches.iter().map(|name| Arg::exact(format!("/{name}"))));
            } else if word.known == Known::Glob {
                plain.push(slashed(&Arg::exact(word.text.as_str())));
            } else if *quoted || !word.is_exact() {
                plain.push(slashed(word));
            } else {
                let parts = word.text.split([',', ';', '+', '=']).filter(|part| !part.is_empty());
                plain.extend(parts.map(|part| slashed(&Arg::exact(part))));
            }
        }
        if let ("copy", Some((last, sources @ [_, _, ..]))) = (name, plain.split_last()) {
            // `copy a+b c`
            for source in sources.get(1..).unwrap_or_default() {
                self.cmd_path(Role::Read, source);
            }
            plain = sources.first().into_iter().chain([last]).cloned().collect();
        }
        if let ("ren", [source, target]) = (name, plain.as_mut_slice())
            && let Some((directory, _)) = source.text.rsplit_once('/')
        {
            target.text = format!("{directory}/{}", target.text);
        }
        let Some(cmdlet) = table().commands.iter().find(|cmdlet| listed(&cmdlet.names, name)) else {
            return Stream::Unknown;
        };
        let content =
            if let ("type", [file]) = (name, plain.as_slice()) { self.world.content_of(file) } else { Stream::Unknown };
        // `rd /s` deletes all of a directory. Others look for their pattern in all directories below.
        let words =
            if matches!(name, "rd" | "rmdir") { Given::of(plain, flags_of(&flags)) } else { given(plain, &flags) };
        let flow = self.cmdlet(cmdlet, name, &words, Flow::default());
        if flow.names.is_empty() { content } else { Stream::Names(flow.names) }
    }

    /// Makes a link: `mklink [/d|/h|/j] LINK TARGET`.
    fn cmd_link(&mut self, pieces: &[Piece]) {
        let words: Vec<Arg> =
            pieces.iter().filter(|piece| !is_switch(&piece.word.text)).map(|piece| slashed(&piece.word)).collect();
        let [link, target, ..] = words.as_slice() else { return };
        self.cmd_path(Role::Write, link);
        let (alias, _) = self.world.locate_word(link);
        let (text, known) = target.target();
        self.world.link_symbolic(&alias, text, known);
    }

    pub(super) fn cmd_path(&mut self, role: Role, word: &Arg) {
        self.reach(word);
        let word = slashed(word);
        let globbed = word.is_exact() && word.text.contains(['*', '?']);
        self.path(role, &if globbed { Arg { known: Known::Glob, ..word } } else { word });
    }

    fn cmd_execute(&mut self, name: &str, pieces: &[Piece], launch: Launch) {
        let words: Vec<Arg> =
            std::iter::once(Arg::exact(name)).chain(pieces.iter().map(|piece| slashed(&piece.word))).collect();
        self.execute(&words, launch);
    }
}

/// Splits the words into the name of the command, in lower case if it is one of cmd.exe's own, and its arguments. Text that
/// follows such a name without a space is an argument: `cd..`, `echo.`, `del/q`.
fn named(pieces: &[Piece]) -> (String, Vec<Piece>) {
    let Some((first, rest)) = pieces.split_first() else { return (String::new(), Vec::new()) };
    let mut words = rest.to_vec();
    let text = first.word.likely.as_ref().map_or(first.word.text.clone(), |_| reader::marked(&first.word));
    let end = text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (head, tail) = text.split_at_checked(end).unwrap_or((&text, ""));
    let name = head.to_ascii_lowercase();
    let is_own = [SHARED, OWN, HARMLESS].iter().any(|list| listed(list, &name));
    let dotted = tail.starts_with("..") || matches!(name.as_str(), "echo" | "cd" | "chdir") && tail.starts_with('.');
    if is_own && tail.is_empty() {
        return (name, words);
    }
    if is_own && !first.quoted && (dotted || tail.starts_with(['/', '\\', ':', ',', ';', '=', '(', '+'])) {
        let tail = if tail.starts_with([',', ';', '=', '(']) { tail.get(1..).unwrap_or_default() } else { tail };
        words.insert(0, Piece { word: reader::word(tail), quoted: false });
        return (name, words);
    }
    (text.replace('\\', "/"), words)
}

/// Returns whether the word is a switch: `/s`, `/q`, `/-y`, `/a:h`.
fn is_switch(text: &str) -> bool {
    let letters = text.strip_prefix('/').map(|rest| rest.trim_start_matches('-').split(':').next().unwrap_or_default());
    letters.is_some_and(|letters| {
        (1..=4).contains(&letters.len()) && letters.chars().all(|c| c.is_ascii_alphanumeric() || c == '?')
    })
}

/// Turns words and switches into those of PowerShell's commands. With `/s`, a pattern matches names in all directories below.
fn given(mut plain: Vec<Arg>, switches: &[Arg]) -> Given {
    let mut flags = flags_of(switches);
    if flags.iter().any(|flag| flag == "-recurse") && plain.iter().any(|word| word.text.contains(['*', '?'])) {
        flags.retain(|flag| flag != "-recurse");
        for word in &mut plain {
            if word.is_exact() && word.text.contains(['*', '?']) {
                let (directory, name) = word.text.rsplit_once('/').unwrap_or((".", &word.text));
                word.text = format!("{directory}/**/{name}");
            }
        }
    }
    Given::of(plain, flags)
}

/// Turns switches into those of PowerShell's commands.
fn flags_of(switches: &[Arg]) -> Vec<String> {
    let names = switches.iter().map(|switch| switch.text.trim_start_matches('/').to_ascii_lowercase());
    names
        .map(|name| if matches!(name.as_str(), "s" | "e" | "mir") { "-recurse".to_owned() } else { format!("-{name}") })
        .collect()
}

fn listed(list: &str, name: &str) -> bool {
    list.split_whitespace().any(|one| one == name)
}

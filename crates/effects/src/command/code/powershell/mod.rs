//! PowerShell: its own commands on files and URLs as data, methods with literal arguments, programs as in any shell;
//! everything else is opaque.

mod blocks;
mod cmdlets;
mod constants;
mod expression;
mod flow;
mod methods;
mod objects;
mod parameters;
mod strings;
mod text;
mod value;
mod variables;

use agent_strace_shell::{Problem, Provenance};

use crate::command::argument::Arg;
use crate::command::knowledge::{Language, Role};
use crate::command::machine::{Launch, Machine};
use crate::command::programs::Call;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::command::write_mode::WriteMode;
use crate::{About, Reason};
pub(in crate::command::code) use cmdlets::table;
pub(in crate::command::code) use flow::Flow;
pub(in crate::command::code) use parameters::Given;

use flow::Pipes;
use variables::drive_path;

use super::LONGEST;

impl Machine<'_> {
    pub(crate) fn powershell(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let mut left = call.rest.iter();
        while let Some(word) = left.next() {
            let option = word.text.to_ascii_lowercase();
            match parameter(&option) {
                Some("command") => return self.powershell_words(left.as_slice(), io),
                Some("encodedcommand") => {
                    match left.next().and_then(|word| encoded(word.literal()?)) {
                        Some(text) => self.powershell_text(&text, io),
                        None => self.opaque(About::Anything, Reason::EncodedCommands, &[]),
                    }
                    return Stream::Unknown;
                }
                Some("file") => return self.powershell_file(call, left.as_slice(), io),
                Some(_) => {
                    left.next();
                }
                None if word.literal() == Some("-") => return self.program_on_input(Language::Powershell, io),
                None if option.starts_with('-') => {}
                None => {
                    let words = call.rest.get(call.rest.len() - left.len() - 1..).unwrap_or_default();
                    return if option.rsplit_once('.').is_some_and(|(_, extension)| extension == "ps1") {
                        self.powershell_file(call, words, io)
                    } else {
                        self.powershell_words(words, io)
                    };
                }
            }
        }
        self.program_on_input(Language::Powershell, io)
    }

    /// `-File FILE ARGUMENTS…`
    fn powershell_file(&mut self, call: Call<'_>, words: &[Arg], io: &mut Io<'_>) -> Stream {
        let Some((file, _)) = words.split_first() else { return Stream::Unknown };
        if file.literal() == Some("-") {
            return self.program_on_input(Language::Powershell, io);
        }
        self.path(Role::Read, file);
        let program = call.words.first().map_or("pwsh", |word| word.text.as_str()).to_owned();
        self.run_file(file, Some(Language::Powershell), &[], &[&program, &file.text], io)
    }

    /// `-Command WORDS…`: they are joined; `-` alone is standard input.
    fn powershell_words(&mut self, words: &[Arg], io: &mut Io<'_>) -> Stream {
        if matches!(words, [only] if only.literal() == Some("-")) {
            return self.program_on_input(Language::Powershell, io);
        }
        if let Some(word) = words.iter().find(|word| !word.is_exact()) {
            self.opaque(About::Anything, self.code_of(word, Reason::UnknownCommandText), &[]);
        }
        let text: Vec<&str> = words.iter().map(Arg::best).collect();
        self.powershell_text(&text.join(" "), io);
        Stream::Unknown
    }

    /// PowerShell text. Its commands are recorded as written.
    pub(crate) fn powershell_text(&mut self, text: &str, io: &mut Io<'_>) {
        if text.len() > LONGEST {
            return self.opaque(About::Anything, Reason::ShellText(Problem::TextTooLong), &[]);
        }
        let program = text::read(text);
        if program.too_deep {
            self.opaque(About::Anything, Reason::CommandsNestedTooDeeply, &[]);
        }
        if !self.may_spend(program.read / BYTES_OF_A_STEP) {
            return;
        }
        let mut pipes = Pipes::default();
        for command in &program.commands {
            if !self.may_run() {
                return;
            }
            let flow = pipes.take(command);
            let flow = self.powershell_command(&pipes.fill(command), flow, io);
            for (file, mode) in &command.outputs {
                self.powershell_output(file, *mode, flow.text.as_deref());
            }
            pipes.put(command, flow);
        }
    }

    pub(in crate::command::code) fn powershell_output(&mut self, file: &Arg, mode: WriteMode, text: Option<&str>) {
        self.reach(file);
        let file = &slashed(file);
        let (target, _) = self.world.locate_word(file);
        let before = self.world.take_written(&target).filter(|_| mode == WriteMode::Append);
        self.path(Role::Write, file);
        if !file.is_exact() {
            return;
        }
        match (before, text) {
            (Some(before), text) => {
                self.world.put_written(&target, before);
                match text {
                    Some(text) => self.world.appended(&target, &format!("{text}\n")),
                    None => self.world.edited(&target),
                }
            }
            (None, Some(text)) if mode == WriteMode::Append => self.world.appended(&target, &format!("{text}\n")),
            (None, text) => self.world.wrote(&target, text),
        }
    }

    fn powershell_command(&mut self, command: &text::Command, flow: Flow, io: &mut Io<'_>) -> Flow {
        let mut words = command.words.as_slice();
        let mut called = false;
        while let [first, rest @ ..] = words {
            let name = first.text.to_ascii_lowercase();
            if matches!(name.as_str(), "&" | ".") {
                called = true;
            } else if let Some(variable) = name.strip_prefix("=$") {
                if let Some(file) = drive_path(variable) {
                    let text = rest.first().and_then(Arg::literal);
                    self.powershell_output(&Arg::exact(file), WriteMode::Replace, text);
                } else if let Some(variable) = name.strip_prefix("=$env:") {
                    // On Windows names differ in nothing but their case.
                    self.exported(&Arg::exact(variable.to_ascii_uppercase()), rest.first(), io.scope);
                }
            } else if name.starts_with('$') && rest.first().is_some_and(|word| word.text.eq_ignore_ascii_case("in")) {
                // `foreach ($file in Get-ChildItem)`
            } else if !listed(KEYWORDS, &name) {
                break;
            } else if name == "switch"
                && let Some(at) = rest.iter().position(|word| word.text.eq_ignore_ascii_case("-file"))
                && let Some(file) = rest.get(at + 1)
            {
                // It goes through the lines of the file.
                self.object_file(Role::Read, file);
            }
            words = rest;
        }
        let Some(first) = words.first() else { return Flow::default() };
        if !called {
            self.cast(first);
        }
        if command.valued || command.quoted && !called && words.len() <= 1 && first.is_exact() {
            return Flow::of(words.iter().cloned());
        }
        if first.is_exact() && first.text.ends_with("()") {
            self.powershell_method(first, words.get(1..).unwrap_or_default(), &flow.objects, io);
            return Flow::default();
        }
        if !called
            && (!first.is_exact()
                || first.text.starts_with(['[', '-', '!', '+', '*', '/', '=', '"', '?']) && first.text != "?")
            || first.text.chars().all(|c| c.is_ascii_digit() || c == '.')
        {
            // An expression: values alone do nothing.
            return Flow { provenance: first.provenance, ..Flow::default() };
        }
        if !first.is_exact() {
            self.execute(words, Launch::Embedding);
            self.opaque(About::Anything, self.code_of(first, Reason::ComputedProgram), &[]);
            return Flow::default();
        }
        let taken = command.words.len() - words.len() + 1;
        let lists: Vec<usize> = command.lists.iter().filter_map(|at| at.checked_sub(taken)).collect();
        self.powershell_named(words, &lists, flow, io)
    }

    fn powershell_named(&mut self, words: &[Arg], lists: &[usize], flow: Flow, io: &mut Io<'_>) -> Flow {
        let name = words.first().map_or_else(String::new, |word| word.text.to_ascii_lowercase());
        let name = name.strip_suffix(".exe").unwrap_or(&name);
        let cmdlet = table().commands.iter().find(|cmdlet| listed(&cmdlet.names, name));
        let own = cmdlet.map_or_else(|| own(name), cmdlets::Cmdlet::parameters);
        let operands = words.get(1..).unwrap_or_default();
        let without = without_switches(name, operands);
        let given = match &without {
            Some(operands) => Given::divide(operands, &[], &own),
            None => Given::divide(operands, lists, &own),
        };
        if let Some(cmdlet) = cmdlet {
            self.execute(words, Launch::Plain);
            self.environment_item(cmdlet, &given, io);
            let provenance = fetches(words);
            return Flow { provenance, ..self.cmdlet(cmdlet, name, &given, flow) };
        }
        if listed(&table().harmless, name) {
            self.execute(words, Launch::Inert);
            if matches!(name, "write-output" | "echo" | "write") {
                return Flow::of(given.plain.into_iter());
            }
            if matches!(name, "set-alias" | "sal" | "new-alias" | "nal") {
                given.set_alias(io.scope);
            }
            return Flow { text: None, ..flow };
        }
        match name {
            "set-location" | "sl" | "cd" | "chdir" | "push-location" | "pushd" => {
                self.execute(words, Launch::Inert);
                match given.first(&["-path", "-literalpath"]) {
                    Some(directory) => {
                        self.reach(directory);
                        self.world.enter_word(directory);
                    }
                    None => self.world.set_cwd(None),
                }
            }
            "new-object" => {
                self.execute(words, Launch::Inert);
                self.new_object(&given);
            }
            "foreach-object" | "foreach" | "%" => {
                self.execute(words, Launch::Inert);
                if let Some((member, arguments)) = given.plain.split_first() {
                    self.object_method(&member.text.to_lowercase(), &flow.names, arguments);
                }
                return Flow { text: None, ..flow };
            }
            "invoke-expression" | "iex" => {
                self.execute(words, Launch::Plain);
                let word = given.first(&["-command"]);
                let provenance = word.and_then(|word| word.provenance).or(flow.provenance);
                match (word.and_then(Arg::literal).map(str::to_owned).or(flow.text), provenance) {
                    (Some(text), _) => self.nested((), |machine| machine.powershell_text(&text, io)),
                    (None, Some(provenance)) => self.foreign_code(provenance),
                    (None, None) => self.opaque(About::Anything, Reason::UnknownCommandText, &[]),
                }
            }
            "setx" => {
                self.execute(words, Launch::Plain);
                if let Some((name, value)) = given.plain.split_first() {
                    self.exported(name, value.first(), io.scope);
                }
            }
            "import-module" | "ipmo" if given.first(&["-name"]).is_some_and(is_module_file) => {
                self.execute(words, Launch::Plain);
                if let Some(file) = given.first(&["-name"]).map(slashed) {
                    self.path(Role::Read, &file);
                    self.run_file(&file, Some(Language::Powershell), &[], &[name, &file.text], io);
                }
            }
            "start-process" | "saps" | "start" => {
                self.execute(words, Launch::Embedding);
                let program = given.first(&["-filepath"]).cloned();
                for file in given.named.iter().filter(|(option, _)| option.starts_with("-r")) {
                    let role = if matches!(file.0.as_str(), "-rsi" | "-redirectstandardinput") {
                        Role::Read
                    } else {
                        Role::Write
                    };
                    self.object_file(role, &file.1);
                }
                let skip = usize::from(given.value(&["-filepath"]).is_none());
                let named = given.named.iter().filter(|(option, _)| option == "-argumentlist" || option == "-args");
                let rest = named.map(|(_, value)| value.clone()).chain(given.plain.iter().skip(skip).cloned());
                let line: Vec<Arg> =
                    program.into_iter().chain(rest).flat_map(|word| Self::split_command(&word)).collect();
                self.command(&line, io);
            }
            _ if io.scope.aliased(&aliased(name)).is_some() => {
                let program = io.scope.aliased(&aliased(name)).unwrap_or_default();
                let words: Vec<Arg> =
                    std::iter::once(Arg::exact(program)).chain(words.iter().skip(1).cloned()).collect();
                return self.nested(Flow::default(), |machine| machine.powershell_named(&words, lists, flow, io));
            }
            _ if listed(WINDOWS, name) || name == "fc" && words.first().is_some_and(|word| word.text.len() > 2) => {
                self.windows_program(name, words.get(1..).unwrap_or_default().to_vec());
            }
            _ if self.knowledge.entry(name).is_some() && !name.contains('-') => {
                self.command(words, io);
            }
            _ if words.first().is_some_and(|word| word.text.contains('/')) => {
                self.command(words, io);
            }
            _ => {
                self.execute(words, Launch::Embedding);
                let vouchers = words.first().map_or("", |word| word.text.as_str());
                self.opaque(About::Anything, Reason::UnknownPowerShellCommand, &[vouchers]);
                self.possible_operands(words);
            }
        }
        Flow::default()
    }
}

/// The operands without the switches of cmd, if a command of cmd has some before others: to PowerShell they are one
/// operand too many, and nothing runs.
fn without_switches(name: &str, operands: &[Arg]) -> Option<Vec<Arg>> {
    let is_switch = |word: &Arg| matches!(word.text.as_bytes(), [b'/', letter] | [b'/', letter, b':', ..] if letter.is_ascii_alphabetic());
    let (switches, others): (Vec<&Arg>, Vec<&Arg>) = operands.iter().partition(|word| is_switch(word));
    let are_switches = listed(OF_CMD, name) && !switches.is_empty() && !others.is_empty();
    are_switches.then(|| others.into_iter().cloned().collect())
}

/// Commands of cmd that are aliases here.
const OF_CMD: &str = "del erase rd rmdir copy move dir type ren md mkdir";

/// A module that is named by its file.
fn is_module_file(word: &Arg) -> bool {
    let text = word.text.to_ascii_lowercase();
    let extension = text.rsplit_once('.').map_or("", |(_, extension)| extension);
    text.contains(['/', '\\']) || matches!(extension, "psm1" | "ps1")
}

/// Aliases of PowerShell are none of a shell.
fn aliased(name: &str) -> String {
    format!("pwsh {name}")
}

/// Parameters of commands that have functions of their own.
fn own(name: &str) -> Vec<(&str, &str)> {
    let names = match name {
        "invoke-expression" | "iex" => "-command",
        "invoke-command" | "icm" => "-scriptblock -filepath -computername -argumentlist",
        "start-process" | "saps" | "start" => {
            "-filepath -argumentlist -args -redirectstandardoutput -redirectstandarderror -redirectstandardinput \
             -rso -rse -rsi -workingdirectory -windowstyle -verb"
        }
        "new-object" => "-typename -comobject -argumentlist -args",
        _ => "-path -literalpath -pspath -lp",
    };
    names.split_whitespace().map(|name| (name, name)).collect()
}

/// Programs of Windows that no other system has.
const WINDOWS: &str = "xcopy robocopy findstr";

/// Bytes of text that are one step of the budget.
const BYTES_OF_A_STEP: usize = 16;

/// The parameter of `pwsh` that `option` names or abbreviates, where it takes a value or the program.
fn parameter(option: &str) -> Option<&'static str> {
    let name = option.strip_prefix("--").or(option.strip_prefix(['-', '/'])).filter(|name| !name.is_empty())?;
    let short = match name {
        "ec" => "encodedcommand",
        "cwa" | "commandwithargs" => "command",
        "ep" => "executionpolicy",
        "wd" => "workingdirectory",
        "v" => return None,
        _ => {
            let all = ["command", "encodedcommand", "executionpolicy", "file", "windowstyle", "workingdirectory"];
            let more =
                ["configurationname", "custompipename", "inputformat", "outputformat", "settingsfile", "version"];
            return all.into_iter().chain(more).find(|parameter| parameter.starts_with(name));
        }
    };
    Some(short)
}

/// Where the output of a command comes from that fetches or decodes it.
fn fetches(words: &[Arg]) -> Option<Provenance> {
    let (first, rest) = words.split_first()?;
    let name = first.text.to_ascii_lowercase();
    if let Some(method) = name.strip_suffix("()") {
        let method = method.rsplit([':', '.']).next().unwrap_or(method);
        return match method {
            "downloadstring" | "downloaddata" | "getstringasync" | "getasync" => Some(Provenance::Network),
            "frombase64string" => Some(Provenance::Decoded),
            _ => first.provenance.max(rest.iter().filter_map(|word| word.provenance).max()),
        };
    }
    let name = name.strip_suffix(".exe").unwrap_or(&name);
    let client = table().commands.iter().find(|cmdlet| listed(&cmdlet.names, name));
    let saves = rest.iter().any(|word| word.text.get(..2).is_some_and(|option| option.eq_ignore_ascii_case("-o")));
    client.filter(|cmdlet| cmdlet.fetches() && !saves).map(|_| Provenance::Network)
}

/// It runs blocks for what it reads.
fn runs_blocks(name: &str) -> bool {
    matches!(name, "%" | "foreach-object" | "foreach" | "?" | "where-object" | "where")
}

pub(super) const KEYWORDS: &str = "if elseif else foreach for while do until switch try catch finally begin process end return throw \
    in not -not break continue param function filter exit default";

/// A path with the separators of other systems.
fn slashed(word: &Arg) -> Arg {
    Arg { text: word.text.replace('\\', "/"), ..word.clone() }
}

fn listed(list: &str, name: &str) -> bool {
    list.split_whitespace().any(|one| one == name)
}

/// Base64 of UTF-16, as `-EncodedCommand` takes it.
fn encoded(text: &str) -> Option<String> {
    let bytes = super::decode::base64_bytes(text)?;
    let units: Vec<u16> =
        bytes.chunks_exact(2).filter_map(|pair| Some(u16::from_le_bytes(pair.try_into().ok()?))).collect();
    String::from_utf16(&units).ok()
}

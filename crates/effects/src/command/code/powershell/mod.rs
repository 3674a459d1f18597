//! PowerShell: its own commands on files and URLs as data, methods with literal arguments, programs as in any shell;
//! everything else is opaque.

mod cmdlets;
mod methods;
mod text;

use crate::command::argument::Arg;
use crate::command::knowledge::{self, Role};
use crate::command::machine::{Launch, Machine};
use crate::command::programs::Call;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::command::write_mode::WriteMode;
use crate::{About, Reason};
use cmdlets::table;

impl Machine<'_> {
    pub(crate) fn powershell(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let mut left = call.rest.iter();
        while let Some(word) = left.next() {
            let option = word.text.to_ascii_lowercase();
            match option.as_str() {
                "-c" | "-command" | "/c" | "/command" => {
                    let rest: Vec<&str> = left.by_ref().map(Arg::best).collect();
                    self.powershell_text(&rest.join(" "), io);
                    return Stream::Unknown;
                }
                "-e" | "-enc" | "-ec" | "-encodedcommand" | "-encoded" => {
                    match left.next().and_then(|word| encoded(word.literal()?)) {
                        Some(text) => self.powershell_text(&text, io),
                        None => self.opaque(About::Anything, Reason::EncodedCommands, &[]),
                    }
                    return Stream::Unknown;
                }
                "-f" | "-file" => {
                    if let Some(file) = left.next() {
                        self.path(Role::Read, file);
                        let program = call.words.first().map_or("pwsh", |word| word.text.as_str()).to_owned();
                        return self.run_file(
                            &file.clone(),
                            Some(knowledge::Language::Powershell),
                            &[],
                            &[&program, &file.text],
                            io,
                        );
                    }
                }
                "-executionpolicy" | "-ex" | "-ep" | "-version" | "-windowstyle" | "-inputformat" | "-outputformat"
                | "-configurationname" | "-workingdirectory" | "-wd" => {
                    left.next();
                }
                _ if option.starts_with('-') => {}
                _ => {
                    let rest: Vec<&str> = std::iter::once(word).chain(left.by_ref()).map(Arg::best).collect();
                    self.powershell_text(&rest.join(" "), io);
                    return Stream::Unknown;
                }
            }
        }
        self.unread_input(io)
    }

    /// PowerShell text. Its commands are recorded as written.
    pub(crate) fn powershell_text(&mut self, text: &str, io: &mut Io<'_>) {
        let program = text::read(text);
        if program.too_deep {
            self.opaque(About::Anything, Reason::CommandsNestedTooDeeply, &[]);
        }
        let mut flow = Flow::default();
        for command in &program.commands {
            if !self.may_run() {
                return;
            }
            if !command.piped {
                flow = Flow::default();
            }
            flow = self.powershell_command(command, flow, io);
            for (file, mode) in &command.outputs {
                self.powershell_output(file, *mode, flow.text.as_deref());
            }
        }
    }

    fn powershell_output(&mut self, file: &Arg, mode: WriteMode, text: Option<&str>) {
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
            } else if name.strip_prefix("=$").is_some() {
                if let Some(variable) = name.strip_prefix("=$env:") {
                    // On Windows names differ in nothing but their case.
                    self.exported(&Arg::exact(variable.to_ascii_uppercase()), rest.first(), io.scope);
                }
            } else if !listed(KEYWORDS, &name) {
                break;
            }
            words = rest;
        }
        let Some(first) = words.first() else { return Flow::default() };
        if command.quoted && !called && words.len() <= 1 && first.is_exact() {
            return Flow { text: Some(first.text.clone()), ..Flow::default() };
        }
        if first.is_exact() && first.text.ends_with("()") {
            self.powershell_method(first, words.get(1..).unwrap_or_default(), io);
            return Flow::default();
        }
        if !called
            && (!first.is_exact()
                || first.text.starts_with(['[', '-', '!', '+', '*', '/', '=', '"', '?']) && first.text != "?")
            || first.text.chars().all(|c| c.is_ascii_digit() || c == '.')
        {
            // An expression: values alone do nothing.
            return Flow::default();
        }
        if !first.is_exact() {
            self.execute(words, Launch::Embedding);
            self.opaque(About::Anything, Reason::ComputedProgram, &[]);
            return Flow::default();
        }
        self.powershell_named(words, flow, io)
    }

    fn powershell_named(&mut self, words: &[Arg], flow: Flow, io: &mut Io<'_>) -> Flow {
        let name = words.first().map_or_else(String::new, |word| word.text.to_ascii_lowercase());
        let name = name.strip_suffix(".exe").unwrap_or(&name);
        let given = Given::divide(words.get(1..).unwrap_or_default());
        if let Some(cmdlet) = table().commands.iter().find(|cmdlet| listed(&cmdlet.names, name)) {
            self.execute(words, Launch::Plain);
            return self.cmdlet(cmdlet, name, &given, flow);
        }
        if listed(&table().harmless, name) {
            self.execute(words, Launch::Inert);
            let said = matches!(name, "write-output" | "echo" | "write");
            let text = given.plain.iter().map(|word| word.literal()).collect::<Option<Vec<_>>>();
            return Flow { text: text.filter(|_| said).map(|words| words.join("\n")), names: flow.names };
        }
        match name {
            "set-location" | "sl" | "cd" | "chdir" | "push-location" | "pushd" => {
                self.execute(words, Launch::Inert);
                match given.first(&["-path", "-literalpath"]) {
                    Some(directory) => self.world.enter_word(directory),
                    None => self.world.set_cwd(None),
                }
            }
            "foreach-object" | "foreach" | "%" => self.execute(words, Launch::Inert),
            "invoke-expression" | "iex" => {
                self.execute(words, Launch::Plain);
                let text = given.first(&["-command"]).and_then(Arg::literal).map(str::to_owned).or(flow.text);
                match text {
                    Some(text) => self.nested((), |machine| machine.powershell_text(&text, io)),
                    None => self.opaque(About::Anything, Reason::UnknownCommandText, &[]),
                }
            }
            "start-process" | "saps" | "start" => {
                self.execute(words, Launch::Embedding);
                let program = given.first(&["-filepath"]).cloned();
                let named = given.named.iter().filter(|(option, _)| option == "-argumentlist" || option == "-args");
                let rest = named.map(|(_, value)| value.clone()).chain(given.plain.iter().skip(1).cloned());
                let line: Vec<Arg> =
                    program.into_iter().chain(rest).flat_map(|word| Self::split_command(&word)).collect();
                self.command(&line, io);
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

const KEYWORDS: &str = "if elseif else foreach for while do until switch try catch finally begin process end return throw \
    in not -not break continue param function filter exit default";

/// What one command hands to the next.
#[derive(Debug, Default)]
struct Flow {
    /// Files that it names.
    names: Vec<Arg>,
    text: Option<String>,
}

/// Values without a name, parameters with a value, and flags.
#[derive(Debug, Default)]
struct Given {
    plain: Vec<Arg>,
    named: Vec<(String, Arg)>,
    flags: Vec<String>,
}

impl Given {
    fn divide(words: &[Arg]) -> Self {
        let mut given = Self::default();
        let mut left = words.iter().peekable();
        while let Some(word) = left.next() {
            if !word.is_exact() || !word.text.starts_with('-') || word.text.len() < 2 {
                given.plain.push(word.clone());
                continue;
            }
            let option = word.text.to_ascii_lowercase();
            let (option, attached) = option.split_once(':').map_or((option.as_str(), None), |(name, _)| {
                (name, word.text.split_once(':').map(|(_, value)| Arg::exact(value)))
            });
            let is_flag = listed(&table().flags, option);
            let value = attached
                .filter(|value| !value.text.is_empty())
                .or_else(|| left.next_if(|next| !(is_flag || next.is_exact() && next.text.starts_with('-'))).cloned());
            match value {
                Some(value) if !is_flag => given.named.push((option.to_owned(), value)),
                _ => given.flags.push(option.to_owned()),
            }
        }
        given
    }

    fn first(&self, options: &[&str]) -> Option<&Arg> {
        let named = self.named.iter().find(|(option, _)| options.contains(&option.as_str()));
        named.map(|(_, value)| value).or(self.plain.first())
    }
}

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

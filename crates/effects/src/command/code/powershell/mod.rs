//! PowerShell: its own commands on files and URLs as data, methods with literal arguments, programs as in any shell;
//! everything else is opaque.

mod text;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;

use crate::command::argument::Arg;
use crate::command::knowledge::{self, Role};
use crate::command::machine::{Launch, Machine};
use crate::command::programs::Call;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::{About, Argument, Certainty, Execution, Kind, Reason};

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
            for (file, adds) in &command.outputs {
                self.powershell_output(file, *adds, flow.text.as_deref());
            }
        }
    }

    fn powershell_output(&mut self, file: &Arg, adds: bool, text: Option<&str>) {
        let file = &slashed(file);
        let (target, _) = self.world.locate_word(file);
        let before = self.world.take_written(&target).filter(|_| adds);
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
            (None, Some(text)) if adds => self.world.appended(&target, &format!("{text}\n")),
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

    fn cmdlet(&mut self, cmdlet: &Cmdlet, name: &str, given: &Given, flow: Flow) -> Flow {
        let recursive = given.flags.iter().any(|flag| flag.starts_with("-rec") || flag == "-r");
        let roles: Vec<&str> = cmdlet.operands.split(' ').collect();
        let first = roles.first().copied().unwrap_or("value").trim_end_matches('*');
        let subject =
            if first == "value" { roles.get(1).copied().unwrap_or("value").trim_end_matches('*') } else { first };
        let mut targets: Vec<(&str, Arg)> = Vec::new();
        let named_subject = given.named.iter().any(|(option, _)| is_subject(option));
        let named_pattern = given.named.iter().any(|(option, _)| option == "-pattern");
        let skip = usize::from(named_subject || named_pattern && first == "value");
        for (at, word) in given.plain.iter().enumerate() {
            let role = roles.get(at + skip).or(roles.last()).copied().unwrap_or("value");
            targets.push((role.trim_end_matches('*'), word.clone()));
        }
        for (option, value) in &given.named {
            match cmdlet.options.get(option) {
                Some(role) => targets.push((role.as_str(), value.clone())),
                None if is_subject(option) => targets.push((subject, value.clone())),
                None => {}
            }
        }
        let reached = targets.iter().any(|(role, _)| *role != "value");
        if !reached {
            targets.extend(flow.names.iter().map(|word| (subject, word.clone())));
        }
        if !reached && flow.names.is_empty() && subject == "list" {
            targets.push(("list", Arg::exact(".")));
        }
        self.like(cmdlet, &targets, recursive);
        let writes = matches!(
            name,
            "set-content" | "sc" | "add-content" | "ac" | "out-file" | "tee-object" | "tee" | "new-item" | "ni"
        );
        let adds = name.starts_with('a') || given.flags.iter().any(|flag| flag == "-append");
        let value = given
            .named
            .iter()
            .find(|(option, _)| option == "-value" || option == "-inputobject")
            .map(|(_, value)| value);
        let value = value.or_else(|| targets.iter().find(|(role, _)| *role == "value").map(|(_, value)| value));
        let text = value.map_or(flow.text, |value| value.literal().map(str::to_owned));
        let contents: Vec<Option<String>> =
            targets.iter().map(|(_, word)| self.world.content_of(&slashed(word)).text().map(str::to_owned)).collect();
        let mut names = Vec::new();
        for (role, word) in &targets {
            match *role {
                "write" if writes => self.powershell_output(word, adds, text.as_deref()),
                "url" => self.connect(word),
                "host" => self.connect_host(word, None, None),
                role => self.file_role(role, word, recursive),
            }
            if *role == "list" {
                names.push(if recursive && word.is_exact() {
                    Arg::glob(format!("{}/**", word.text))
                } else {
                    word.clone()
                });
            }
        }
        let source = targets.iter().zip(contents).find(|((role, _), _)| matches!(*role, "read" | "delete"));
        let place = targets.iter().find(|(role, word)| *role == "write" && word.is_exact());
        if let (Some(((_, source), content)), Some((_, place))) = (source, place)
            && source.is_exact()
        {
            let (original, copy) =
                (self.world.locate_word(&slashed(source)).0, self.world.locate_word(&slashed(place)).0);
            self.world.copied(&copy, &original);
            if content.is_some() {
                self.world.wrote(&copy, content.as_deref());
            }
        }
        Flow { names, text: None }
    }

    fn file_role(&mut self, role: &str, word: &Arg, recursive: bool) {
        let word = &slashed(word);
        let globbed = word.is_exact() && word.text.contains(['*', '?']);
        let word =
            if globbed { Arg { known: crate::command::argument::Known::Glob, ..word.clone() } } else { word.clone() };
        let role = match (role, recursive) {
            ("read", false) => Role::Read,
            ("read", true) => Role::ReadTree,
            ("write", false) => Role::Write,
            ("write" | "write-tree", _) => Role::WriteTree,
            ("delete", false) => Role::Delete,
            ("delete", true) => Role::DeleteTree,
            ("list", false) => Role::List,
            ("list", true) => Role::ListTree,
            _ => return,
        };
        self.path(role, &word);
    }

    /// A policy that denies `rm` means what does the same.
    fn like(&mut self, cmdlet: &Cmdlet, targets: &[(&str, Arg)], recursive: bool) {
        let Some(program) = &cmdlet.like else { return };
        let argument = |word: &Arg| Argument { text: word.shown().to_owned(), known: word.is_exact() };
        let flag = recursive.then(|| Argument { text: "-r".to_owned(), known: true });
        let words = targets.iter().filter(|(role, _)| *role != "value").map(|(_, word)| argument(word));
        let argv = std::iter::once(Argument { text: program.clone(), known: true }).chain(flag).chain(words).collect();
        self.emit(Kind::Execute(Execution { argv, inert: true, embeds: false }), Certainty::Possible, "command");
    }

    /// `[IO.File]::WriteAllText(…)`, `….DownloadFile(…)`.
    fn powershell_method(&mut self, method: &Arg, arguments: &[Arg], io: &mut Io<'_>) {
        let whole = method.text.trim_end_matches("()").to_ascii_lowercase();
        let (holder, name) = whole.rsplit_once([':', '.']).unwrap_or(("", &whole));
        let directory = holder.contains("directory");
        let argument = |at: usize| arguments.get(at).cloned().unwrap_or_else(|| Arg::unknown("argument"));
        match name {
            "readalltext" | "readalllines" | "readallbytes" | "readlines" | "openread" | "opentext" => {
                self.path(Role::Read, &argument(0));
            }
            "writealltext" | "writealllines" | "writeallbytes" | "createtext" | "create" | "openwrite"
            | "createdirectory" => {
                let text = arguments.get(1).and_then(Arg::literal).map(str::to_owned);
                self.powershell_output(&argument(0), false, text.as_deref());
            }
            "appendalltext" | "appendalllines" | "appendtext" => {
                let text = arguments.get(1).and_then(Arg::literal).map(str::to_owned);
                self.powershell_output(&argument(0), true, text.as_deref());
            }
            "delete" => self.path(if directory { Role::DeleteTree } else { Role::Delete }, &argument(0)),
            "copy" | "move" | "replace" if holder.contains("file") || directory => {
                self.path(if name == "copy" { Role::ReadTree } else { Role::DeleteTree }, &argument(0));
                self.path(Role::WriteTree, &argument(1));
            }
            "getfiles" | "getdirectories" | "enumeratefiles" | "getfilesystementries" => {
                self.path(Role::ListTree, &argument(0));
            }
            "downloadfile" | "uploadfile" => {
                self.connect(&argument(0));
                self.path(if name == "downloadfile" { Role::Write } else { Role::Read }, &argument(1));
            }
            "downloadstring" | "downloaddata" | "uploadstring" | "getasync" | "getstringasync" => {
                self.connect(&argument(0));
            }
            "start" if holder.contains("process") => {
                let words: Vec<Arg> = arguments.iter().flat_map(Self::split_command).collect();
                self.command(&words, io);
            }
            _ if listed(PURE_METHODS, name) || PURE_TYPES.iter().any(|pure| holder.contains(pure)) => {}
            _ => self.opaque(About::Anything, Reason::UnknownPowerShellMethod, &[]),
        }
    }
}

const KEYWORDS: &str = "if elseif else foreach for while do until switch try catch finally begin process end return throw \
    in not -not break continue param function filter exit default";

const PURE_METHODS: &str = "tostring trim trimstart trimend split substring contains startswith endswith tolower toupper \
    indexof lastindexof gettype join add remove insert exists combine getfilename getextension getdirectoryname \
    getfullpath getrandomfilename gettempfilename isnullorempty isnullorwhitespace format parse frombase64string \
    tobase64string getbytes getstring matches match ismatch new containskey addhours adddays now replace equals \
    getenvironmentvariable padleft padright toarray count where first last max min round";

const PURE_TYPES: &[&str] = &["math", "convert", "encoding", "datetime", "guid", "regex", "[string]", "[int]", "path]"];

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

fn is_subject(option: &str) -> bool {
    matches!(option, "-path" | "-literalpath" | "-filepath" | "-pspath" | "-lp" | "-fullname")
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

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(rename = "about")]
    _about: String,
    flags: String,
    commands: Vec<Cmdlet>,
    harmless: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cmdlet {
    names: String,
    operands: String,
    #[serde(default)]
    options: BTreeMap<String, String>,
    #[serde(default)]
    like: Option<String>,
}

/// A test loads the data; were it broken, every command would be unknown, and so opaque.
fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| load().unwrap_or_default())
}

fn load() -> Result<Table, serde_json::Error> {
    serde_json::from_str(include_str!("cmdlets.json"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_cmdlets_load() {
        assert!(!super::load().unwrap().commands.is_empty());
    }
}

//! Runs PowerShell's own commands on files and URLs; a table says what each does with its words.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;

use super::flow::listed;
use super::{Flow, Given, slashed};
use crate::command::argument::{Arg, Known};
use crate::command::knowledge::Role;
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::write_mode::WriteMode;
use crate::{Argument, Certainty, Execution, Kind, Reach};

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::command::code) struct Table {
    #[serde(rename = "about")]
    _about: String,
    pub(super) flags: String,
    pub(super) values: String,
    pub(in crate::command::code) commands: Vec<Cmdlet>,
    /// Programs of Windows.
    pub(in crate::command::code) programs: Vec<Cmdlet>,
    pub(super) harmless: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::command::code) struct Cmdlet {
    pub(in crate::command::code) names: String,
    operands: String,
    #[serde(default)]
    options: BTreeMap<String, String>,
    #[serde(default)]
    like: Option<String>,
}

/// A test loads the data; were it broken, every command would be unknown, and so opaque.
pub(in crate::command::code) fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| load().unwrap_or_default())
}

fn load() -> Result<Table, serde_json::Error> {
    serde_json::from_str(include_str!("cmdlets.json"))
}

impl Table {
    /// Returns whether a command or a program has this name.
    pub(in crate::command::code) fn has(&self, name: &str) -> bool {
        let all = self.commands.iter().chain(&self.programs);
        all.flat_map(|command| command.names.split(' ')).any(|one| one == name)
    }
}

impl Cmdlet {
    /// Its parameters that matter, with their roles.
    pub(super) fn parameters(&self) -> Vec<(&str, &str)> {
        let own = self.options.iter().map(|(name, role)| (name.as_str(), role.as_str()));
        PATHS.iter().map(|name| (*name, self.subject())).chain(own).collect()
    }

    /// The role of the files or hosts that it is about.
    fn subject(&self) -> &str {
        let mut roles = self.operands.split(' ').map(|role| role.trim_end_matches('*'));
        let first = roles.next().unwrap_or("value");
        if first == "value" { roles.next().unwrap_or("value") } else { first }
    }

    /// The name of the command that `alias` stands for: names follow the command that they are short for.
    fn whole_name(&self, alias: &str) -> Option<&str> {
        let mut whole = None;
        for name in self.names.split(' ') {
            whole = if name.contains('-') { Some(name) } else { whole };
            if name == alias {
                return whole.filter(|whole| *whole != alias);
            }
        }
        None
    }

    /// It prints what another host sends.
    pub(super) fn fetches(&self) -> bool {
        self.like.as_deref() == Some("curl")
    }

    /// Words with the roles they have here. Without any that matters, `names` are the files that are meant.
    fn targets(&self, given: &Given, flow: &Flow) -> Vec<(&str, Arg)> {
        let roles: Vec<&str> = self.operands.split(' ').collect();
        let first = roles.first().copied().unwrap_or("value").trim_end_matches('*');
        let subject = self.subject();
        let mut targets: Vec<(&str, Arg)> = Vec::new();
        let named_subject = given.named.iter().any(|(option, _)| is_subject(option));
        let named_pattern = given.named.iter().any(|(option, _)| option == "-pattern");
        let skip = usize::from(named_subject || named_pattern && first == "value");
        for (at, word) in given.placed() {
            let role = roles.get(at + skip).or(roles.last()).copied().unwrap_or("value");
            targets.push((role.trim_end_matches('*'), word.clone()));
        }
        for (option, value) in &given.named {
            match self.options.get(option) {
                Some(role) => targets.push((role.as_str(), value.clone())),
                None if is_subject(option) => targets.push((subject, value.clone())),
                None => {}
            }
        }
        // What a printing command is handed is text, unless its text is given.
        let prints = subject == "write" && given.value(&["-value"]).is_none();
        if let Some(name) = given.value(&["-name"]).filter(|_| self.names.contains("new-item ")) {
            let inside = |word: &Arg| word.with(format!("{}/{}", word.text.trim_end_matches('/'), name.text));
            let below: Vec<_> =
                targets.iter().filter(|(role, _)| *role == "write").map(|(role, word)| (*role, inside(word))).collect();
            targets.extend(if below.is_empty() { vec![("write", name.clone())] } else { below });
        }
        let reached = prints && flow.text.is_none() && !targets.is_empty()
            || targets.iter().any(|(role, _)| *role == subject && *role != "value")
            || subject == "value" && targets.iter().any(|(role, _)| *role != "value");
        // Text is what a search reads, and no name of a file.
        if !reached && (first != "value" || flow.text.is_none()) {
            targets.extend(flow.names.iter().map(|word| (subject, word.clone())));
        }
        if !reached && flow.names.is_empty() && subject == "list" {
            targets.push(("list", Arg::exact(".")));
        }
        targets
    }
}

/// They name what lies in a directory.
const LISTERS: &[&str] = &["get-childitem", "gci", "dir", "ls"];

/// Hidden files are meant, too.
fn is_hidden(given: &Given) -> bool {
    given.flags.iter().any(|flag| matches!(flag.as_str(), "-force" | "-fo" | "-hidden" | "-ah" | "-h"))
        || given.value(&["-attributes"]).is_some_and(|value| value.text.to_lowercase().contains("hidden"))
}

/// The cmdlet puts what it is given into a file.
fn prints(name: &str) -> bool {
    matches!(name, "set-content" | "sc" | "add-content" | "ac" | "out-file" | "tee-object" | "tee" | "new-item" | "ni")
}

fn write_mode(name: &str, given: &Given) -> WriteMode {
    let appends = name.starts_with('a') || given.flags.iter().any(|flag| flag == "-append");
    if appends { WriteMode::Append } else { WriteMode::Replace }
}

/// Parameters of the files that a command is about.
const PATHS: &[&str] = &["-path", "-literalpath", "-pspath", "-lp"];

fn is_subject(option: &str) -> bool {
    PATHS.contains(&option) || matches!(option, "-filepath" | "-fullname")
}

impl Machine<'_> {
    /// Runs a command of PowerShell itself; returns what it hands on.
    pub(in crate::command::code) fn cmdlet(&mut self, cmdlet: &Cmdlet, name: &str, given: &Given, flow: Flow) -> Flow {
        let lists = cmdlet.subject() == "list";
        let is_recursive =
            given.flags.iter().any(|flag| flag.starts_with("-rec") || flag == "-r" || flag == "-s" && lists);
        let reach = if is_recursive { Reach::Subtree } else { Reach::Itself };
        let targets = cmdlet.targets(given, &flow);
        self.like(cmdlet, &targets, given, reach);
        self.whole(cmdlet, name, given);
        for word in &given.doubtful {
            self.doubtful(cmdlet.subject(), word, reach);
        }
        let value = given
            .named
            .iter()
            .find(|(option, _)| option == "-value" || option == "-inputobject")
            .map(|(_, value)| value);
        let value = value.or_else(|| targets.iter().find(|(role, _)| *role == "value").map(|(_, value)| value));
        let text = value.map_or(flow.text, |value| value.literal().map(str::to_owned));
        let contents: Vec<Option<String>> =
            targets.iter().map(|(_, word)| self.world.content_of(&slashed(word)).text().map(str::to_owned)).collect();
        let mode = write_mode(name, given);
        let mut names = Vec::new();
        for (role, word) in &targets {
            match *role {
                "write" if prints(name) => self.powershell_output(word, mode, text.as_deref()),
                "url" => self.connect(word),
                "host" => self.connect_host(word, None, None),
                role => self.access(role, word, reach),
            }
            if *role == "list" && LISTERS.contains(&name) {
                let pattern = given.value(&["-filter", "-include"]);
                names.extend(listed(&slashed(word), is_recursive, is_hidden(given), pattern));
            } else if *role == "list" {
                names.push(word.clone());
            }
        }
        for (_, file) in targets.iter().filter(|(role, _)| cmdlet.fetches() && *role == "write") {
            self.world.fetched(&slashed(file));
        }
        self.new_link(name, given, &targets);
        self.copied_content(&targets, contents);
        Flow { names, ..Flow::default() }
    }

    /// `New-Item -ItemType SymbolicLink -Path LINK -Target FILE`
    fn new_link(&mut self, name: &str, given: &Given, targets: &[(&str, Arg)]) {
        let kind = given.value(&["-itemtype", "-type"]).and_then(Arg::literal).map(str::to_lowercase);
        let is_link = matches!(kind.as_deref(), Some("symboliclink" | "hardlink" | "junction"));
        let Some(original) =
            given.value(&["-target", "-value"]).filter(|_| is_link && matches!(name, "new-item" | "ni"))
        else {
            return;
        };
        for (_, word) in targets.iter().filter(|(role, _)| *role == "write") {
            let (alias, certainty) = self.world.locate_word(&slashed(word));
            if certainty == Certainty::Exact {
                let (original, _) = self.world.locate_word(&slashed(original));
                self.world.link(&alias, &original);
            }
        }
    }

    /// `Set-Item Env:NAME VALUE`
    pub(super) fn environment_item(&mut self, cmdlet: &Cmdlet, given: &Given, io: &mut Io<'_>) {
        let item = given.first(PATHS).and_then(Arg::literal).map(str::to_lowercase);
        let Some(name) = item.as_deref().and_then(|item| item.strip_prefix("env:")) else { return };
        if cmdlet.subject() == "write" {
            let name = name.trim_start_matches(['/', '\\']).to_uppercase();
            let value = given.value(&["-value"]).or(given.plain.get(1));
            self.exported(&Arg::exact(name), value, io.scope);
        }
    }

    /// The file that was written holds what the one that was read or moved held; `contents` are those of all targets.
    fn copied_content(&mut self, targets: &[(&str, Arg)], contents: Vec<Option<String>>) {
        let source = targets.iter().zip(contents).find(|((role, _), _)| matches!(*role, "read" | "delete"));
        let target = targets.iter().find(|(role, word)| *role == "write" && word.is_exact());
        if let (Some(((_, source), content)), Some((_, target))) = (source, target)
            && source.is_exact()
        {
            let (original, copy) =
                (self.world.locate_word(&slashed(source)).0, self.world.locate_word(&slashed(target)).0);
            self.world.copied(&copy, &original);
            if content.is_some() {
                self.world.wrote(&copy, content.as_deref());
            }
        }
    }

    /// Emits the access that the data calls `role`: reads, writes or deletes `word`.
    fn access(&mut self, role: &str, word: &Arg, reach: Reach) {
        let Some(role) = file_role(role, reach) else { return };
        self.reach(word);
        let word = &slashed(word);
        let globbed = word.is_exact() && word.text.contains(['*', '?', '[']);
        let word = if globbed { Arg { known: Known::Glob, ..word.clone() } } else { word.clone() };
        self.path(role, &word);
        if let Some(hidden) = word.hidden().filter(|_| globbed) {
            self.path(role, &hidden);
        }
    }

    /// The value of a parameter that is not known may be what the command is about.
    fn doubtful(&mut self, subject: &str, word: &Arg, reach: Reach) {
        match file_role(subject, reach) {
            Some(role) => self.possible_path(role, &slashed(word)),
            None if word.text.contains("://") => self.possible_connection(word),
            None => {}
        }
    }

    /// A policy that denies a command by its whole name means it by its short ones, too.
    fn whole(&mut self, cmdlet: &Cmdlet, name: &str, given: &Given) {
        let Some(whole) = cmdlet.whole_name(name) else { return };
        let argument = |word: &Arg| Argument { text: word.shown().to_owned(), known: word.is_exact() };
        let plain = |text: &str| Argument { text: text.to_owned(), known: true };
        let flags = given.flags.iter().map(|flag| plain(if flag == "-r" { "-recurse" } else { flag }));
        let named = given.named.iter().flat_map(|(name, value)| [plain(name), argument(value)]);
        let values = given.doubtful.iter().chain(&given.plain).map(argument);
        let argv = std::iter::once(plain(whole)).chain(flags).chain(named).chain(values).collect();
        self.emit(Kind::Execute(Execution { argv, inert: true, embeds: false }), Certainty::Possible, "command");
    }

    /// A policy that denies `rm` means what does the same.
    fn like(&mut self, cmdlet: &Cmdlet, targets: &[(&str, Arg)], given: &Given, reach: Reach) {
        let Some(program) = &cmdlet.like else { return };
        let forced = given.flags.iter().any(|flag| matches!(flag.as_str(), "-force" | "-fo" | "-f"));
        let argument = |word: &Arg| Argument { text: word.shown().to_owned(), known: word.is_exact() };
        let flag = |text: &str| Argument { text: text.to_owned(), known: true };
        let tree = (reach == Reach::Subtree).then(|| flag("-r"));
        let force = forced.then(|| flag("-f"));
        let words = targets
            .iter()
            .filter(|(role, _)| *role != "value")
            .map(|(_, word)| word)
            .chain(&given.doubtful)
            .map(argument);
        let argv = std::iter::once(Argument { text: program.clone(), known: true })
            .chain(tree)
            .chain(force)
            .chain(words)
            .collect();
        self.emit(Kind::Execute(Execution { argv, inert: true, embeds: false }), Certainty::Possible, "command");
    }
}

fn file_role(role: &str, reach: Reach) -> Option<Role> {
    Some(match (role, reach) {
        ("read", Reach::Itself) => Role::Read,
        ("read", Reach::Subtree) | ("read-tree", _) => Role::ReadTree,
        ("write", Reach::Itself) => Role::Write,
        ("write" | "write-tree", _) => Role::WriteTree,
        ("delete", Reach::Itself) => Role::Delete,
        ("delete", Reach::Subtree) => Role::DeleteTree,
        ("list", Reach::Itself) => Role::List,
        ("list", Reach::Subtree) => Role::ListTree,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_cmdlets_load() {
        assert!(!super::load().unwrap().commands.is_empty());
    }
}

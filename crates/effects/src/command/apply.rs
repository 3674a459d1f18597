//! An entry of the knowledge base applied to a command: roles → effects.

use std::borrow::Cow;

use agent_strace_shell::Provenance;

use crate::{About, Reason, hosts};

use super::argument::{Arg, Arguments, Given};
use super::knowledge::{Entry, Meaning, Print, Role, Special, Subject, Unproven, purpose_of};
use super::machine::{Launch, Machine};
use super::operands::{Flags, adapted, assign, names, removed};
use super::programs::{self, Call};
use super::simple::Io;
use super::stream::Stream;

impl Machine<'_> {
    /// A program with an entry.
    pub(crate) fn known(&mut self, entry: &Entry, name: &str, words: &[Arg], io: &mut Io<'_>) -> Stream {
        if !entry.inert && is_question(words) && entry.special != Some(Special::Agent) {
            self.execute(words, Launch::Plain);
            return Stream::Unknown;
        }
        let mark = self.emitter.mark();
        let cwd = self.world.cwd().map(str::to_owned);
        let purpose = std::mem::replace(&mut self.context.purpose, purpose_of(self.knowledge.canonical_name(name)));
        self.execute(words, if entry.inert { Launch::Inert } else { Launch::Plain });
        let output = if let Some(special) = entry.special {
            let call = Call { entry, name, words, rest: words.get(1..).unwrap_or_default() };
            programs::run(special, self, call, io)
        } else {
            self.data(entry, words, 1, io)
        };
        // Recipes may come from what this session wrote, and for build tools from their input and arguments.
        if self.world.has_written() || entry.special == Some(Special::Build) {
            self.project_scripts(name, words, io);
        }
        self.catch_words(entry, words, mark);
        self.context.purpose = purpose;
        if !entry.subcommands.is_empty() && self.world.cwd() != cwd.as_deref() {
            // An option of the program said where its subcommand works.
            self.world.set_cwd(cwd);
        }
        output
    }

    /// Effects of a command by data alone; `at` words belong to the program's and subcommands' names.
    pub(crate) fn data(&mut self, entry: &Entry, words: &[Arg], at: usize, io: &mut Io<'_>) -> Stream {
        let rest = words.get(at..).unwrap_or_default();
        if !entry.subcommands.is_empty() || entry.otherwise.is_some() {
            return self.subcommand(entry, words, rest, at, io);
        }
        let arguments = Arguments::divide(entry, rest);
        self.given(entry, words, &arguments, io)
    }

    fn subcommand(&mut self, entry: &Entry, words: &[Arg], rest: &[Arg], at: usize, io: &mut Io<'_>) -> Stream {
        let count = global_options(entry, rest);
        let (globals, others) = rest.split_at_checked(count).unwrap_or((rest, &[]));
        let Some(name) = others.first() else { return self.without_subcommand(entry, words, globals, io) };
        // Without the global options, the leading words are the names that a policy speaks of.
        let words = if globals.is_empty() {
            Cow::Borrowed(words)
        } else {
            let mut given = Arguments::divide(entry, globals);
            // Of a directory with a project, nothing runs unless the subcommand runs something.
            let runs = name.literal().and_then(|name| entry.subcommand(name)).or(entry.otherwise.as_deref());
            let runs = runs.is_some_and(|sub| sub.unproven.is_some());
            given.options.retain(|option| runs || option.role != Some(Role::Project));
            self.options(&given, io);
            Cow::Owned(words.iter().take(at).chain(others).cloned().collect())
        };
        let (words, at) = (words.as_ref(), at + 1);
        let listed = name.literal().and_then(|name| entry.subcommand(name));
        match listed.or(entry.otherwise.as_deref()) {
            Some(sub) => {
                let Some(special) = sub.special else { return self.data(sub, words, at, io) };
                // The execution of the program itself is recorded already.
                let name = words.first().and_then(|word| word.text.rsplit('/').next()).unwrap_or_default();
                let name = self.knowledge.bare(name);
                let rest = words.get(at..).unwrap_or_default();
                if special.takes_global_options() {
                    let rest = [globals, rest].concat();
                    return programs::run(special, self, Call { entry: sub, name: &name, words, rest: &rest }, io);
                }
                programs::run(special, self, Call { entry: sub, name: &name, words, rest }, io)
            }
            // A word that is no subcommand is an operand (`rtk proxy CMD`, `rtk CMD`).
            None if !entry.operands.is_empty() => self.given(entry, words, &Arguments::divide(entry, others), io),
            None => {
                let vouchers = leading(words, 2);
                self.opaque(About::Anything, Reason::UnknownSubcommand, &borrowed(&vouchers));
                self.possible_operands(words);
                Stream::Unknown
            }
        }
    }

    /// `npm`, `yarn`, `cargo --list`: the program alone.
    fn without_subcommand(&mut self, entry: &Entry, words: &[Arg], globals: &[Arg], io: &mut Io<'_>) -> Stream {
        let global = Arguments::divide(entry, globals);
        self.options(&global, io);
        match entry.otherwise.as_deref() {
            // `NAME --help`, where the subcommands share the option.
            Some(otherwise) if Arguments::divide(otherwise, globals).has_role(Role::Harmless) => Stream::Unknown,
            Some(otherwise) => self.given(otherwise, words, &Arguments::default(), io),
            None => Stream::Unknown,
        }
    }

    /// An option that neither the knowledge base nor the policy lists may do anything.
    fn unknown_options(&mut self, entry: &Entry, words: &[Arg], arguments: &Arguments) {
        let mut names = words.iter().map(|word| word.text.as_str());
        let program = names.next().map_or("", |name| name.rsplit('/').next().unwrap_or(name));
        let added = self.knowledge.addition(program);
        let of_subcommand = added.zip(names.next()).and_then(|(own, sub)| own.subcommand(sub));
        let is_declared = |name| [added, of_subcommand].into_iter().flatten().any(|own| own.option(name).is_some());
        if entry.lists(program) && arguments.unknown().any(|name| !is_declared(name)) {
            self.opaque(About::Anything, Reason::UnknownOption, &borrowed(&leading(words, 2)));
        }
    }

    /// Effects of divided arguments.
    pub(crate) fn given(&mut self, entry: &Entry, words: &[Arg], arguments: &Arguments, io: &mut Io<'_>) -> Stream {
        let cwd = self.world.cwd().map(str::to_owned);
        self.options(arguments, io);
        if entry.output == Print::Network {
            let files = arguments.options.iter().filter(|option| option.role == Some(Role::Write));
            files.filter_map(|option| option.value.as_ref()).for_each(|file| self.world.fetched(file));
        }
        self.unknown_options(entry, words, arguments);
        let harmless = arguments.has_role(Role::Harmless);
        let mut output = self.operands(entry, arguments, io);
        if !arguments.command.is_empty() {
            output = self.command(&arguments.command, io);
        }
        let placed = [Role::Write, Role::WriteTree, Role::WriteInto].iter().any(|role| arguments.has_role(*role));
        if let Some((role, path)) = entry.writes.as_deref().filter(|_| !harmless && !placed).and_then(target) {
            self.own_path(role, &path);
        }
        let chosen = [Role::Read, Role::Edit].iter().any(|role| arguments.has_role(*role));
        if let Some((role, path)) = entry.reads.as_deref().filter(|_| !harmless && !chosen).and_then(target) {
            self.own_path(role, &path);
        }
        if !harmless {
            self.always(entry);
            self.connections(entry, arguments);
        }
        if let Some(unproven) = entry.unproven.as_ref().filter(|_| !harmless) {
            self.unproven_of(unproven, words, arguments);
        }
        if self.world.cwd() != cwd.as_deref() {
            self.world.set_cwd(cwd);
        }
        match entry.output {
            Print::Unknown => output,
            Print::Nothing => Stream::nothing(),
            Print::Network => Stream::Foreign(Provenance::Network),
            Print::Decoded => io.input.decoded(),
            Print::Names => names(arguments),
            Print::Lines => match io.input {
                Stream::Names(names) if arguments.operands.is_empty() => Stream::Names(names.clone()),
                Stream::Known(text) | Stream::Likely(text) if arguments.operands.is_empty() => {
                    Stream::of(text.clone()).doubted()
                }
                _ => Stream::Unknown,
            },
        }
    }

    /// Effects of options.
    pub(crate) fn options(&mut self, arguments: &Arguments, io: &mut Io<'_>) {
        let harmless = arguments.has_role(Role::Harmless);
        for Given { role, value, .. } in &arguments.options {
            match (role, value) {
                (Some(Role::Unproven), _) if !harmless => {
                    self.opaque(About::Anything, Reason::SurprisingOption, &[]);
                }
                (Some(role), Some(value)) => {
                    self.role(adapted(*role, Flags { harmless, ..Flags::default() }), value, io);
                }
                _ => {}
            }
        }
    }

    /// Adds the effects of one word in its role.
    pub(crate) fn role(&mut self, role: Role, word: &Arg, io: &mut Io<'_>) {
        match role {
            Role::Value
            | Role::Text
            | Role::Pattern
            | Role::Tree
            | Role::InPlace
            | Role::Remove
            | Role::Unproven
            | Role::Harmless
            | Role::Argv => {}
            Role::Code => {
                self.opaque(About::Anything, Reason::ProgramTextNotRead, &[]);
                self.guess_commands(word);
            }
            Role::Directory => {
                self.path(Role::List, word);
                self.world.enter_word(word);
            }
            Role::Host | Role::Source if hosts::is_address(&word.text) => self.connect(word),
            Role::Host => self.connect_host(word, None, None),
            Role::Url | Role::Registry => self.connect(word),
            Role::Package => self.package(word),
            Role::NodePackage => self.node_package(word),
            Role::Image => self.image_operand(Role::ReadTree, word),
            Role::ImageTarget => self.image_operand(Role::WriteTree, word),
            Role::Project => self.project_code(word),
            Role::PossibleTree => {
                self.possible_operand(word);
                if !word.text.contains(':') {
                    self.possible_path(Role::ReadTree, word);
                }
            }
            Role::Command => {
                self.command_text(word, io);
            }
            Role::Program => {
                let words = Self::split_command(word);
                self.command(&words, io);
            }
            Role::Toolchain => self.toolchain(word, io),
            Role::Possible => {
                self.possible_operand(word);
                if word.text.contains(char::is_whitespace) {
                    self.guess_commands(word);
                }
            }
            Role::Source => self.path(Role::Read, word),
            Role::Names => self.listed_files(word, io),
            Role::Hosts => self.listed_hosts(word, io),
            Role::Page => self.page(word),
            Role::Script => {
                self.path(Role::Read, word);
                if !self.foreign_script(word, io) {
                    self.opaque(About::Anything, Reason::ProgramTextNotRead, &[]);
                }
            }
            Role::AtFile => {
                if let Some(path) = word.text.strip_prefix('@') {
                    self.path(Role::Read, &word.with(path));
                }
            }
            Role::Config => {
                self.foreign_script(word, io);
                self.opaque(About::Anything, Reason::ArbitrarySettings, &[]);
                self.guess_commands(word);
            }
            Role::Built => self.path(Role::Write, word),
            Role::Read
            | Role::ReadTree
            | Role::PatternFile
            | Role::Write
            | Role::WriteTree
            | Role::Edit
            | Role::Delete
            | Role::DeleteTree
            | Role::List
            | Role::ListTree
            | Role::WriteInto => self.path(role, word),
        }
    }

    /// Shell text given as an argument.
    pub(crate) fn command_text(&mut self, word: &Arg, io: &mut Io<'_>) -> Stream {
        let text = if let Some(text) = word.literal() {
            text.to_owned()
        } else {
            self.opaque(About::Anything, self.code_of(word, Reason::UnknownCommandText), &[]);
            match &word.likely {
                Some(likely) => likely.clone(),
                None => return Stream::Unknown,
            }
        };
        let input = io.input.clone();
        let mut child = io.scope.child();
        let cwd = self.world.cwd().map(str::to_owned);
        let output = self.at_word(word, |machine| machine.perhaps_again().shell_text(&text, &mut child, &input));
        self.world.set_cwd(cwd);
        output
    }

    /// `less -R`: a program with arguments in one word.
    pub(crate) fn split_command(word: &Arg) -> Vec<Arg> {
        match word.literal() {
            Some(text) => text.split_whitespace().map(Arg::exact).collect(),
            None => vec![word.clone()],
        }
    }

    fn operands(&mut self, entry: &Entry, arguments: &Arguments, io: &mut Io<'_>) -> Stream {
        let flags = Flags::of(arguments);
        let removes = arguments.has_role(Role::Remove) && !flags.harmless;
        let mut output = Stream::Unknown;
        let assigned = assign(entry, arguments);
        let mut touched = false;
        for (role, word, rest) in &assigned {
            if *role == Role::Argv {
                return self.perhaps_again().command(rest, io);
            }
            if flags.in_place && *role == Role::ReadTree {
                self.role(Role::ReadTree, word, io);
            }
            let role = adapted(*role, flags);
            touched |= !matches!(role, Role::Value | Role::Text | Role::Pattern);
            self.role(role, word, io);
            if removes && let Some(role) = removed(role) {
                self.path(role, word);
            }
        }
        if !touched {
            self.default_target(entry, flags, io);
        }
        output = if entry.output == Print::Unknown { output } else { Stream::Unknown };
        output
    }

    /// Emits the effects that the program has whatever its arguments are, for a function that only reads the arguments.
    pub(crate) fn unproven(&mut self, entry: &Entry, words: &[Arg]) {
        if let Some(unproven) = &entry.unproven {
            let vouchers = leading(words, unproven.vouch);
            self.opaque(about(unproven.about), unproven.into(), &borrowed(&vouchers));
        }
    }

    /// Adds the acts of a program that its arguments do not show.
    fn unproven_of(&mut self, unproven: &Unproven, words: &[Arg], arguments: &Arguments) {
        let vouchers = leading(&without_values(words, arguments), unproven.vouch);
        if unproven.about == Subject::Project {
            let directories = arguments.options.iter().filter(|option| option.role == Some(Role::Directory));
            directories.filter_map(|option| option.value.as_ref()).for_each(|word| self.project_code(word));
        }
        if self.installs_locked(unproven, words, arguments) {
            self.runs_project(words, Reason::InstallsLocked, &borrowed(&vouchers), &[]);
        } else if unproven.about == Subject::Project {
            let words = without_built(words, arguments);
            self.runs_project(&words, unproven.into(), &borrowed(&vouchers), &[]);
        } else {
            self.opaque(about(unproven.about), unproven.into(), &borrowed(&vouchers));
        }
    }

    /// The target of a command without operands.
    fn default_target(&mut self, entry: &Entry, flags: Flags, io: &mut Io<'_>) {
        let default = entry.tree_default.as_deref().filter(|_| flags.tree).or(entry.default.as_deref());
        let instead = entry.input_instead && io.input.is_connected();
        if let Some((role, path)) = default.filter(|_| !instead).and_then(target) {
            if role == Role::Hosts {
                return self.role(role, &path, io);
            }
            if flags.in_place && role == Role::ReadTree {
                self.path(Role::ReadTree, &path);
            }
            self.own_path(adapted(role, Flags { tree: false, ..flags }), &path);
        }
    }

    /// Adds the effects that a program has whatever its arguments are.
    fn always(&mut self, entry: &Entry) {
        for (role, path) in entry.always.iter().filter_map(|text| target(text)) {
            self.own_path(role, &path);
        }
    }

    fn connections(&mut self, entry: &Entry, arguments: &Arguments) {
        if arguments.has_role(Role::Registry) {
            return;
        }
        for host in &entry.connect {
            self.connect_to(Some(host), None);
        }
    }
}

fn about(subject: Subject) -> About {
    match subject {
        Subject::Anything => About::Anything,
        Subject::Reads => About::Reads,
        Subject::Writes => About::Writes,
        Subject::Commands => About::Commands,
        Subject::Network => About::Network,
        Subject::Project => About::Project,
    }
}

/// Counts the words before the subcommand that are options and their values.
fn global_options(entry: &Entry, words: &[Arg]) -> usize {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let is_option = word.is_exact() && word.text.starts_with(['-', '+']) && entry.subcommand(&word.text).is_none();
        if !is_option {
            break;
        }
        let takes_value =
            matches!(entry.meaning(&word.text), Meaning::Role(spec) if !spec.attached && !spec.role.is_flag());
        at += if takes_value { 2 } else { 1 };
    }
    at.min(words.len())
}

/// `--version`, `--help` and nothing else.
fn is_question(words: &[Arg]) -> bool {
    let [_, question] = words else { return false };
    matches!(question.literal(), Some("--version" | "--help"))
}

/// The command asks for help about a subcommand: `NAME sub --help`.
pub(crate) fn is_question_of_part(words: &[Arg]) -> bool {
    let Some((question, [_, parts @ ..])) = words.split_last() else { return false };
    let is_name = |text: &str| text.starts_with(char::is_alphabetic) && !text.contains(['/', '.', '=', ':', '\\']);
    matches!(question.literal(), Some("--version" | "--help"))
        && parts.len() <= 2
        && parts.iter().all(|part| part.literal().is_some_and(is_name))
}

/// The first `count` words that are no options: what a policy entry has to cover.
pub(crate) fn leading(words: &[Arg], count: usize) -> Vec<String> {
    let program = words.first().into_iter();
    let others = words.iter().skip(1).filter(|word| !word.text.starts_with('-') && word.is_exact());
    program.chain(others).take(count).map(|word| word.text.clone()).collect()
}

pub(crate) fn borrowed(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).collect()
}

/// A role and a path, as the data have them.
fn target(text: &str) -> Option<(Role, Arg)> {
    let (role, path) = text.split_once(' ')?;
    Some((Role::named(role)?, Arg::exact(path)))
}

/// Words that are no values of options: what names the command. A word that is also an operand stays.
fn without_values(words: &[Arg], arguments: &Arguments) -> Vec<Arg> {
    let is_value = |word: &&Arg| {
        let values = arguments.options.iter().filter(|option| option.value.as_ref() == Some(word)).count();
        values > 0 && words.iter().filter(|other| other == word).count() <= values
    };
    words.iter().filter(|word| !is_value(word)).cloned().collect()
}

/// The words without the programs that a compiler makes: where those lie says nothing of the code that it builds.
fn without_built(words: &[Arg], arguments: &Arguments) -> Vec<Arg> {
    let built = arguments.options.iter().filter(|option| option.role == Some(Role::Built));
    let built: Vec<&Arg> = built.filter_map(|option| option.value.as_ref()).collect();
    words.iter().filter(|word| !built.iter().any(|value| value.text == word.text)).cloned().collect()
}

//! Simple commands: assignments, then words, then redirections, then the program.

use agent_strace_shell::{AssignedValue, Function, Scope, Simple, Value};

use super::apply::is_question_of_part;
use super::argument::Arg;
use super::context::Context;
use super::knowledge::{Role, fronts};
use super::machine::{Launch, Machine};
use super::outcome::{Outcome, is_assigned_output};
use super::stream::Stream;
use crate::{About, Certainty, Reason};

/// Words that a command is given for the price of one step of work.
const WORDS_A_STEP: usize = 2;

/// The shell's state and the input with which a command runs.
#[derive(Debug)]
pub(crate) struct Io<'a> {
    pub scope: &'a mut Scope,
    pub input: &'a Stream,
}

impl Machine<'_> {
    pub(crate) fn simple(&mut self, simple: &Simple, scope: &mut Scope, input: &Stream) -> Stream {
        if !self.may_run() {
            return Stream::Unknown;
        }
        self.at_span(simple.span, |machine| machine.parts(simple, scope, input))
    }

    fn parts(&mut self, simple: &Simple, scope: &mut Scope, input: &Stream) -> Stream {
        let mark = self.emitter.mark();
        let mut expanding = self.reading(input);
        let words = expanding.words(simple, scope);
        // `exec` alone keeps what it opened, and so does `{fd}>` for every command.
        let keeps = is_bare_exec(&words);
        let is_named = simple.redirects.iter().any(|redirect| redirect.variable.is_some());
        let restores = !keeps && !is_named && !simple.redirects.is_empty();
        let before = restores.then(|| expanding.shell.descriptors.clone());
        let opened = expanding.redirects(&simple.redirects, scope);
        expanding.shell.has_socket |= opened.socket && keeps;
        let names = simple.assignments.iter().map(|assignment| assignment.name.as_str());
        let variables = (!words.is_empty()).then(|| scope.saved(names));
        expanding.assignments(simple, &words, scope);
        let ran = self.emitter.mark();
        let output = if words.is_empty() {
            // `$(< file)` is the file's content.
            let reads = self.context.substituted && simple.assignments.is_empty() && opened.output.is_none();
            opened.input.clone().filter(|_| reads).unwrap_or_else(Stream::nothing)
        } else {
            let fresh_input = opened.input.is_some() && !opened.is_shared || self.context.condition_reads;
            let mut io = Io { scope: &mut *scope, input: opened.input.as_ref().unwrap_or(input) };
            // What the command runs itself may read on from its input.
            let fed_around = self.context.fed.or(self.context.fed_around);
            let typed = if opened.input.is_some() { opened.typed } else { self.context.typed };
            let mut command = self.with(Context { fed: opened.fed, fed_around, fresh_input, typed, ..self.context });
            command.nested(Stream::Unknown, |machine| machine.dispatch(&words, &mut io))
        };
        self.flows_of_command(&opened.parts(mark..ran));
        self.flows_of_variables(simple, mark);
        if let Some(last) = words.last() {
            scope.assign("_", last.literal().map_or_else(Value::unknown, Value::known));
        }
        self.declarations(simple, scope);
        if let Some(variables) = variables {
            scope.restore(variables);
        }
        if let Some(before) = before {
            self.shell.descriptors = before;
        }
        let output = self.close(&opened, output);
        if keeps {
            self.left_open(&opened);
        }
        output
    }

    /// `declare a=(…)` is a word to the builtin; its elements are expanded here.
    fn declarations(&mut self, simple: &Simple, scope: &mut Scope) {
        for assignment in &simple.declared {
            self.assigned(&assignment.name, &assignment.value, scope);
            self.assign(assignment, scope);
        }
        for name in std::mem::take(&mut self.shell.fixing) {
            scope.make_readonly(&name);
        }
    }

    /// The assignments before the words of a command; without words they last.
    fn assignments(&mut self, simple: &Simple, words: &[Arg], scope: &mut Scope) {
        let lasting = words.is_empty();
        for assignment in &simple.assignments {
            if lasting {
                self.persistent_assignment(&assignment.name, scope);
            } else if !stays_in_shell(words) {
                self.environment(&Arg::exact(assignment.name.as_str()), Certainty::Exact);
                if let AssignedValue::Scalar(value) = &assignment.value {
                    self.catch_variable(&assignment.name, value.literal().as_deref());
                }
            }
            self.assigned(&assignment.name, &assignment.value, scope);
            let assigned = lasting && is_assigned_output(simple);
            self.with(Context { assigned, ..self.context }).assign(assignment, scope);
        }
    }

    /// Runs a command that another one starts; its words are expanded.
    pub(crate) fn command(&mut self, words: &[Arg], io: &mut Io<'_>) -> Stream {
        let mut outcome = self.context.outcome;
        let output = self.nested(Stream::Unknown, |machine| {
            let mut command = machine.at_words(words);
            let output = command.dispatch(words, io);
            outcome = command.context.outcome;
            output
        });
        // The command that started it may have stopped earlier.
        self.context.outcome = outcome;
        output
    }

    fn dispatch(&mut self, words: &[Arg], io: &mut Io<'_>) -> Stream {
        let Some(program) = words.first() else { return Stream::nothing() };
        if !self.may_spend(words.len() / WORDS_A_STEP) {
            return Stream::Unknown;
        }
        let Some(text) = program.literal() else { return self.unknown_name(words, io) };
        if text.is_empty() {
            return Stream::nothing();
        }
        self.runs_decoded_words(words);
        if let Some(alias) = io.scope.aliased(text) {
            // One of the two runs.
            self.context.outcome = Outcome::default();
            self.with(Context { perhaps: true, ..self.context }).through_alias(&alias, words, io);
        }
        if let Some(function) = io.scope.function(text) {
            return self.function_or_program(&function, text, words, io);
        }
        self.found_program(text, words, io)
    }

    /// A function, and where it is in doubt the program that runs without it.
    fn function_or_program(&mut self, function: &Function, text: &str, words: &[Arg], io: &mut Io<'_>) -> Stream {
        if !function.is_doubtful() {
            self.execute_function(words);
            return self.function(function, words, io);
        }
        // One of the two runs.
        let unsure = Context { outcome: Outcome::default(), ..self.context };
        let mut called = self.with(Context { perhaps: true, ..unsure });
        called.execute_function(words);
        let printed = called.function(function, words, io).doubted();
        let program = self.with(unsure).found_program(text, words, io).doubted();
        printed.then(program)
    }

    /// A builtin or a program.
    fn found_program(&mut self, text: &str, words: &[Arg], io: &mut Io<'_>) -> Stream {
        self.context.shadowed = self.world.is_shadowed(io.scope);
        let outcome = self.context.outcome;
        let output = match self.builtin(text, words, io) {
            Some(output) => output,
            None => self.program_or_stand_in(text, words, io),
        };
        outcome.left(text, words, io.scope);
        output
    }

    fn program_or_stand_in(&mut self, text: &str, words: &[Arg], io: &mut Io<'_>) -> Stream {
        self.written_programs(text, words, io);
        let mark = self.emitter.mark();
        let output = self.program(text, words, io);
        self.programs_before(mark, io);
        self.conversation(words, io);
        output
    }

    /// The first word is not known: neither is what runs.
    fn unknown_name(&mut self, words: &[Arg], io: &mut Io<'_>) -> Stream {
        self.execute(words, Launch::Embedding);
        let reason = words.first().map_or(Reason::ComputedProgram, |word| self.code_of(word, Reason::ComputedProgram));
        self.opaque(About::Anything, reason, &[]);
        // An unset variable alone leaves no field: the next word is the program then.
        let likely = words
            .first()
            .and_then(|program| program.likely.clone())
            .filter(|text| !text.trim().is_empty() || words.get(1).is_some_and(|word| self.names_program(word)));
        if let Some(likely) = likely {
            let mut guess: Vec<Arg> = likely.split_whitespace().map(Arg::exact).collect();
            guess.extend(words.iter().skip(1).cloned());
            self.command(&guess, io);
        } else {
            self.possible_operands(words);
        }
        Stream::Unknown
    }

    fn program(&mut self, text: &str, words: &[Arg], io: &mut Io<'_>) -> Stream {
        let Some(name) = self.identity(text) else { return self.own_program(words, io) };
        // `git-push` is `git push`.
        if let Some(sub) = name.strip_prefix("git-").filter(|_| self.knowledge.entry(&name).is_none()) {
            let rest = words.iter().skip(1).cloned();
            let command: Vec<Arg> = [Arg::exact("git"), Arg::exact(sub)].into_iter().chain(rest).collect();
            return self.command(&command, io);
        }
        let Some(entry) = self.knowledge.entry(&name) else {
            let Some(front) = fronts::words(&name) else { return self.unknown(&name, words, io) };
            self.execute(words, Launch::Plain);
            let command: Vec<Arg> = front.map(Arg::exact).chain(words.iter().skip(1).cloned()).collect();
            return self.command(&command, io);
        };
        let name = self.knowledge.canonical_name(&name);
        let output = self.known(entry, name, words, io);
        if let Some(addition) = self.knowledge.addition(name) {
            self.data(addition, words, 1, io);
        }
        output
    }

    /// The word is a program that the knowledge base lists.
    pub(super) fn names_program(&self, word: &Arg) -> bool {
        word.literal().is_some_and(|text| self.knowledge.lists(text))
    }

    /// A program nobody told us about.
    fn unknown(&mut self, bare: &str, words: &[Arg], io: &mut Io<'_>) -> Stream {
        if is_question_of_part(words) && self.is_installed(bare, io) {
            self.execute(words, Launch::Plain);
            return Stream::Unknown;
        }
        self.execute(words, Launch::Embedding);
        let name = words.first().map_or("", |word| word.text.as_str());
        self.opaque(About::Anything, Reason::UnknownProgram(short_name(name)), &[name]);
        self.application_code(words, io);
        if self.world.has_written() {
            self.project_scripts(bare, words, io);
        }
        let handlers = ["command_not_found_handle", "command_not_found_handler"];
        let handlers: Vec<Function> = handlers.iter().filter_map(|handler| io.scope.function(handler)).collect();
        for handler in handlers {
            let unsure = Context { outcome: Outcome::default(), ..self.context };
            self.with(unsure).function(&handler, &[&[Arg::exact("handler")], words].concat(), io);
        }
        // Typed into a pager or an editor, it runs what is behind the mark.
        if let Some(command) =
            name.strip_prefix(":!").or_else(|| name.strip_prefix('!')).filter(|name| !name.is_empty())
        {
            let command: Vec<Arg> = std::iter::once(Arg::exact(command)).chain(words.iter().skip(1).cloned()).collect();
            self.guessed(|machine| machine.command(&command, io));
        }
        self.possible_operands(words);
        self.catch_texts(words);
        Stream::Unknown
    }

    /// Nothing of the session can stand for the program: no file of that name, no directory of programs into which something
    /// unpacked or copied files, no start-up file, no way to programs, no handler.
    fn is_installed(&self, bare: &str, io: &Io<'_>) -> bool {
        let handlers = ["command_not_found_handle", "command_not_found_handler"];
        let is_handled = || handlers.iter().any(|handler| io.scope.function(handler).is_some());
        let is_made = || self.world.has_written() && (self.world.has_written_called(bare) || self.world.may_stand_in());
        !self.context.shadowed && !bare.starts_with(['!', ':']) && !is_handled() && !is_made()
    }

    /// Operands of a program that may do anything with them.
    pub(crate) fn possible_operands(&mut self, words: &[Arg]) {
        for word in words.iter().skip(1) {
            match word.after('=') {
                Some((option, value)) if option.starts_with('-') => self.possible_operand(&value),
                _ => self.possible_operand(word),
            }
        }
    }

    /// A word that may name a file or a URL.
    pub(crate) fn possible_operand(&mut self, word: &Arg) {
        if word.text.contains("://") {
            for url in word.text.split_whitespace().filter(|part| part.contains("://")) {
                self.possible_connection(&word.with(url));
            }
        } else if looks_like_path(&word.text) {
            self.possible_path(Role::Read, word);
            self.possible_path(Role::Write, word);
        }
    }

    /// The bare name, where it stands for a program of the system; `None`: a file of its own.
    fn identity(&self, text: &str) -> Option<String> {
        let slashed = text.replace('\\', "/");
        if !slashed.contains('/') {
            return Some(self.knowledge.bare(text));
        }
        let (target, _) = self.world.locate(&slashed, crate::Certainty::Exact);
        let (directory, name) = target.path.rsplit_once('/')?;
        let is_windows = directory.as_bytes().get(1) == Some(&b':');
        let is_system = SYSTEM_DIRECTORIES.contains(&directory)
            || is_of_bundle(directory)
            || is_windows && slashed.to_ascii_lowercase().ends_with(".exe");
        is_system.then(|| self.knowledge.bare(name))
    }

    /// A script or binary by its path.
    pub(super) fn own_program(&mut self, words: &[Arg], io: &mut Io<'_>) -> Stream {
        self.execute(words, Launch::Embedding);
        let Some(program) = words.first() else { return Stream::Unknown };
        if program.literal().is_some_and(is_settings_command) {
            // Text that is typed into a terminal may reach an agent there.
            self.possible_path(Role::Write, &Arg::exact(".claude/settings.json"));
        }
        // A link to a program, or a copy of one, does what the program does.
        let (target, certainty) = self.world.locate_word(program);
        let original = self.world.originals(&target.path, certainty).into_iter().find_map(|name| {
            let (directory, _) = name.path.rsplit_once('/')?;
            (SYSTEM_DIRECTORIES.contains(&directory) && name.certainty == Certainty::Exact).then_some(name.path)
        });
        if let Some(original) = original {
            let command: Vec<Arg> =
                std::iter::once(Arg::exact(original)).chain(words.iter().skip(1).cloned()).collect();
            return self.command(&command, io);
        }
        let rest: Vec<Arg> = words.iter().skip(1).cloned().collect();
        self.possible_operands(words);
        let output = self.run_file(program, None, &rest, &[program.text.as_str()], io);
        self.application_code(words, io);
        if self.world.has_written() {
            // Projects hold runners of their own: `./gradlew`.
            let name = program.text.rsplit('/').next().unwrap_or_default().to_owned();
            self.project_scripts(&name, words, io);
        }
        output
    }
}

const SYSTEM_DIRECTORIES: &[&str] = &[
    "/bin",
    "/sbin",
    "/usr/bin",
    "/usr/sbin",
    "/usr/local/bin",
    "/usr/local/sbin",
    "/opt/homebrew/bin",
    "/opt/local/bin",
    "/run/current-system/sw/bin",
    "/snap/bin",
    "/usr/lib/git-core",
    "/usr/libexec/git-core",
    "/usr/local/opt/coreutils/libexec/gnubin",
];

/// `/Applications/NAME.app/Contents/…/bin` holds programs of an installed application.
fn is_of_bundle(directory: &str) -> bool {
    let inside = directory.strip_prefix("/Applications/").and_then(|rest| rest.split_once(".app/Contents/"));
    inside.is_some_and(|(name, inside)| !name.contains('/') && (inside == "MacOS" || inside.ends_with("bin")))
}

/// `/permissions`: a command of agents that changes what the agent may do, or what runs beside it.
pub(crate) fn is_settings_command(text: &str) -> bool {
    const NAMES: &[&str] = &[
        "hooks",
        "mcp",
        "permissions",
        "allowed-tools",
        "config",
        "settings",
        "plugin",
        "plugins",
        "add-dir",
        "approvals",
        "approval-mode",
        "trust",
        "yolo",
        "extensions",
        "sandbox",
    ];
    text.strip_prefix('/').is_some_and(|name| NAMES.contains(&name))
}

/// `exec` without a command.
fn is_bare_exec(words: &[Arg]) -> bool {
    let words = words.iter().map(|word| word.text.as_str());
    let mut words = words.skip_while(|word| matches!(*word, "command" | "builtin"));
    words.next() == Some("exec") && words.all(|option| option.starts_with('-'))
}

/// A name for messages, whole or not at all: part of a name may be half of a secret, and a line of a key looks like a long one.
fn short_name(name: &str) -> String {
    const LONGEST: usize = 40;
    if name.chars().nth(LONGEST).is_some() { "…".to_owned() } else { shown(name) }
}

/// Text for messages, on one line.
pub(crate) fn shown(name: &str) -> String {
    name.chars().map(|character| if character.is_control() { '?' } else { character }).collect()
}

/// A word that could name a file.
pub(crate) fn looks_like_path(text: &str) -> bool {
    if text.is_empty() || text.starts_with('-') {
        return false;
    }
    let dotted = |text: &str| {
        text.rsplit_once('.').is_some_and(|(_, extension)| {
            !extension.is_empty() && extension.len() <= 8 && extension.chars().all(|c| c.is_ascii_alphanumeric())
        })
    };
    // No file system takes a longer name: the word is prose.
    let prose = text.split('/').any(|name| name.len() > 255);
    !prose && (text.contains('/') || text.starts_with(['.', '~']) || dotted(text))
}

/// A builtin that starts no program: what is assigned before it, nobody else sees.
fn stays_in_shell(words: &[Arg]) -> bool {
    matches!(
        words.first().and_then(Arg::literal),
        Some(
            "read"
                | "mapfile"
                | "readarray"
                | "getopts"
                | "cd"
                | "pushd"
                | "popd"
                | "echo"
                | "printf"
                | "test"
                | "["
                | ":"
                | "true"
                | "false"
                | "let"
                | "set"
                | "shift"
                | "unset"
                | "declare"
                | "typeset"
                | "local"
                | "readonly"
                | "export"
                | "wait"
                | "alias"
                | "unalias"
                | "return"
                | "exit"
        )
    )
}

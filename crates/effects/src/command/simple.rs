//! Simple commands: assignments, then words, then redirections, then the program.

use crate::{About, Certainty, Kind, Reason};
use agent_strace_shell::{AssignedValue, Scope, Simple};

use super::argument::Arg;
use super::context::Context;
use super::knowledge::Role;
use super::machine::{Launch, Machine};
use super::outcome::{Outcome, is_assigned_output};
use super::steering;
use super::stream::Stream;

/// What a command runs in.
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
        let mut expanding = self.reading(input);
        let words = expanding.words(simple, scope);
        let opened = expanding.redirects(&simple.redirects, scope);
        let before = (!words.is_empty() && !simple.assignments.is_empty()).then(|| scope.clone());
        expanding.assignments(simple, &words, scope);
        let output = if words.is_empty() {
            // `$(< file)` is the file's content.
            let reads = self.context.substituted && simple.assignments.is_empty() && opened.output.is_none();
            opened.input.clone().filter(|_| reads).unwrap_or_else(Stream::nothing)
        } else {
            let fresh_input = opened.input.is_some() || self.context.condition_reads;
            let mut io = Io { scope: &mut *scope, input: opened.input.as_ref().unwrap_or(input) };
            let mut command = self.with(Context { fresh_input, ..self.context });
            command.nested(Stream::Unknown, |machine| machine.dispatch(&words, &mut io))
        };
        // `declare a=(…)` is a word to the builtin; its elements are expanded here.
        for assignment in &simple.declared {
            self.assigned(&assignment.name, &assignment.value, scope);
            self.assign(assignment, scope);
        }
        if let Some(before) = before {
            scope.restore_variables(&before, simple.assignments.iter().map(|assignment| assignment.name.as_str()));
        }
        self.close(&opened, output)
    }

    /// The assignments before the words of a command; without words they last.
    fn assignments(&mut self, simple: &Simple, words: &[Arg], scope: &mut Scope) {
        let lasting = words.is_empty();
        for assignment in &simple.assignments {
            if lasting {
                self.persistent_assignment(&assignment.name, scope);
            } else if !stays_in_shell(words) {
                self.environment(&Arg::exact(assignment.name.as_str()), Certainty::Exact);
            }
            self.assigned(&assignment.name, &assignment.value, scope);
            let assigned = lasting && is_assigned_output(simple);
            self.with(Context { assigned, ..self.context }).assign(assignment, scope);
        }
    }

    /// Programs get a variable in their environment.
    pub(crate) fn environment(&mut self, name: &Arg, certainty: Certainty) {
        let (text, found) = name.target();
        let (name, certainty) = match found {
            // No name holds a separator, so one `*` says it all.
            Certainty::Pattern => (text.replace("**", "*"), Certainty::Pattern),
            Certainty::Exact | Certainty::Possible => (text.to_owned(), certainty),
        };
        self.emit(Kind::Env { name }, certainty, "assignment");
    }

    /// `X=1` alone: later programs see it if it is exported, here or before the shell started.
    fn persistent_assignment(&mut self, name: &str, scope: &Scope) {
        if scope.exports(name) || matches!(name, "PATH" | "HOME") {
            self.environment(&Arg::exact(name), Certainty::Exact);
        } else if steers(name) {
            self.environment(&Arg::exact(name), Certainty::Possible);
        }
    }

    /// A variable that programs get, and what it makes them do.
    pub(crate) fn exported(&mut self, name: &Arg, value: Option<&Arg>, scope: &mut Scope) {
        self.environment(name, Certainty::Exact);
        self.env_injection(&name.text, value, scope);
    }

    /// Assignments that decide what later programs run.
    fn assigned(&mut self, name: &str, value: &AssignedValue, scope: &mut Scope) {
        if !steers(name) && !places_scratch(name) && !names_proxy(name) {
            return;
        }
        let value = match value {
            AssignedValue::Scalar(word) => Some(self.scalar(word, scope)),
            AssignedValue::Array(_) | AssignedValue::Element { .. } => None,
        };
        self.env_injection(name, value.as_ref(), scope);
    }

    /// `name` is one of the variables that decide what programs run.
    pub(crate) fn env_injection(&mut self, name: &str, value: Option<&Arg>, scope: &mut Scope) {
        if let Some(directory) = value.filter(|_| places_scratch(name)) {
            // Programs that sort, edit or compile may put files there.
            return self.possible_path(Role::WriteTree, directory);
        }
        if let Some(proxy) = value.filter(|value| names_proxy(name) && !value.text.is_empty()) {
            // Clients send everything there, whatever host their arguments name.
            return self.connect(proxy);
        }
        if !steers(name) {
            return;
        }
        let harmless = value.and_then(Arg::literal).is_some_and(|text| is_harmless(name, text));
        if harmless {
            return;
        }
        self.opaque(About::Anything, Reason::SteeringVariable(name.to_owned()), &[]);
        if let Some(file) = value.filter(|_| matches!(name, "BASH_ENV" | "ENV" | "PYTHONSTARTUP")) {
            self.start_up_file(file, &mut Io { scope, input: &Stream::Unknown });
        }
        for text in value.and_then(Arg::literal).into_iter().flat_map(|text| steering::commands(name, text)) {
            let mut child = scope.clone();
            self.guessed(|machine| machine.shell_text(&text, &mut child, &Stream::Unknown));
        }
        if let Some(text) = value.and_then(Arg::literal).filter(|_| holds_command(name)) {
            self.forked(scope, |machine, scope| machine.shell_text(text, scope, &Stream::Unknown));
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
        let Some(text) = program.literal() else { return self.unknown_name(words, io) };
        if text.is_empty() {
            return Stream::nothing();
        }
        if let Some(alias) = io.scope.aliased(text) {
            // One of the two runs.
            self.context.outcome = Outcome::default();
            self.through_alias(&alias, words, io);
        }
        if let Some(body) = io.scope.function(text) {
            self.execute_function(words);
            return self.function(&body, words, io);
        }
        self.context.shadowed = self.world.is_shadowed(io.scope);
        let outcome = self.context.outcome;
        let output = match self.builtin(text, words, io) {
            Some(output) => output,
            None => self.program(text, words, io),
        };
        outcome.left(text, words, io.scope);
        output
    }

    /// The first word is not known: neither is what runs.
    fn unknown_name(&mut self, words: &[Arg], io: &mut Io<'_>) -> Stream {
        self.execute(words, Launch::Embedding);
        self.opaque(About::Anything, Reason::ComputedProgram, &[]);
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
        let Some(entry) = self.knowledge.entry(&name) else { return self.unknown(words) };
        let name = self.knowledge.canonical_name(&name);
        let output = self.known(entry, name, words, io);
        if let Some(addition) = self.knowledge.addition(name) {
            self.data(addition, words, 1, io);
        }
        output
    }

    /// The word is a program that the knowledge base lists.
    fn names_program(&self, word: &Arg) -> bool {
        word.literal().is_some_and(|text| self.knowledge.entry(text.rsplit('/').next().unwrap_or(text)).is_some())
    }

    /// A program nobody told us about.
    fn unknown(&mut self, words: &[Arg]) -> Stream {
        self.execute(words, Launch::Embedding);
        let name = words.first().map_or("", |word| word.text.as_str());
        self.opaque(About::Anything, Reason::UnknownProgram(shown(name)), &[name]);
        self.possible_operands(words);
        Stream::Unknown
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
        let is_system =
            SYSTEM_DIRECTORIES.contains(&directory) || is_windows && slashed.to_ascii_lowercase().ends_with(".exe");
        is_system.then(|| self.knowledge.bare(name))
    }

    /// A script or binary by its path.
    fn own_program(&mut self, words: &[Arg], io: &mut Io<'_>) -> Stream {
        self.execute(words, Launch::Embedding);
        let Some(program) = words.first() else { return Stream::Unknown };
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
        self.run_file(program, None, &rest, &[program.text.as_str()], io)
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

/// A name for messages: short, one line.
pub(crate) fn shown(name: &str) -> String {
    name.chars().take(40).map(|character| if character.is_control() { '?' } else { character }).collect()
}

/// A word that could name a file.
fn looks_like_path(text: &str) -> bool {
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

/// Variables that say where programs put scratch files.
fn places_scratch(name: &str) -> bool {
    matches!(name, "TMPDIR" | "TMP" | "TEMP")
}

/// Variables that name a host between clients and the hosts they talk to.
fn names_proxy(name: &str) -> bool {
    ["http_proxy", "https_proxy", "all_proxy", "ftp_proxy"].iter().any(|proxy| name.eq_ignore_ascii_case(proxy))
}

/// Variables that make programs run other code than their arguments say.
fn steers(name: &str) -> bool {
    matches!(
        name,
        "BASH_ENV"
            | "ENV"
            | "PATH"
            | "LD_PRELOAD"
            | "LD_LIBRARY_PATH"
            | "LD_AUDIT"
            | "PAGER"
            | "EDITOR"
            | "VISUAL"
            | "NODE_OPTIONS"
            | "NODE_PATH"
            | "PYTHONSTARTUP"
            | "PYTHONPATH"
            | "PYTHONHOME"
            | "PERL5OPT"
            | "PERL5LIB"
            | "PERL5DB"
            | "RUBYOPT"
            | "RUBYLIB"
            | "PROMPT_COMMAND"
            | "SHELL"
            | "BROWSER"
            | "LESSOPEN"
            | "LESSCLOSE"
            | "MANPAGER"
            | "BAT_PAGER"
            | "SSH_ASKPASS"
            | "SUDO_ASKPASS"
            | "RUSTC_WRAPPER"
            | "RUSTC"
            | "RUSTC_WORKSPACE_WRAPPER"
            | "JAVA_TOOL_OPTIONS"
            | "_JAVA_OPTIONS"
            | "MAVEN_OPTS"
            | "GRADLE_OPTS"
            | "PYTHONINSPECT"
            | "PYTHONBREAKPOINT"
            | "RIPGREP_CONFIG_PATH"
            | "PS4"
            | "TAR_OPTIONS"
            | "RSYNC_RSH"
            | "MAKEFLAGS"
            | "SHELLOPTS"
            | "BASHOPTS"
            | "ZDOTDIR"
    ) || name.starts_with("DYLD_")
        || name.starts_with("GIT_CONFIG")
        || name.starts_with("BASH_FUNC_")
        || name.starts_with("GIT_SSH")
        || name.starts_with("CARGO_BUILD_RUSTC")
        || steering::names_tool(name)
        || name.starts_with("CARGO_TARGET_") && (name.ends_with("_RUNNER") || name.ends_with("_LINKER"))
        || matches!(
            name,
            "GIT_EXTERNAL_DIFF"
                | "GIT_PAGER"
                | "GIT_EDITOR"
                | "GIT_SEQUENCE_EDITOR"
                | "GIT_ASKPASS"
                | "GIT_PROXY_COMMAND"
                | "GIT_EXEC_PATH"
                | "GIT_TEMPLATE_DIR"
                | "GIT_DIR"
                | "GIT_WORK_TREE"
                | "GIT_INDEX_FILE"
                | "GIT_OBJECT_DIRECTORY"
                | "GIT_COMMON_DIR"
                | "HGEDITOR"
                | "GH_PAGER"
                | "GH_EDITOR"
        )
}

/// Its value is a command.
fn holds_command(name: &str) -> bool {
    matches!(
        name,
        "PAGER"
            | "EDITOR"
            | "VISUAL"
            | "GIT_PAGER"
            | "GIT_EDITOR"
            | "GIT_SEQUENCE_EDITOR"
            | "GIT_EXTERNAL_DIFF"
            | "GIT_SSH_COMMAND"
            | "MANPAGER"
            | "BAT_PAGER"
            | "PROMPT_COMMAND"
            | "GH_PAGER"
            | "GH_EDITOR"
            | "RSYNC_RSH"
            | "GIT_PROXY_COMMAND"
            | "HGEDITOR"
            | "BROWSER"
    )
}

/// Values that agents set so that no pager or editor opens.
fn is_harmless(name: &str, value: &str) -> bool {
    let idle =
        matches!(value, "" | "cat" | "true" | ":" | "/bin/true" | "/usr/bin/true" | "/bin/cat" | "less" | "more");
    match name {
        "NODE_OPTIONS" => value.split_whitespace().all(|option| {
            option.starts_with("--max-old-space-size")
                || option.starts_with("--no-")
                || option == "--enable-source-maps"
        }),
        "GIT_SSH_COMMAND" | "PATH" | "LD_PRELOAD" | "LD_LIBRARY_PATH" => false,
        _ if steering::names_tool(name) => steering::is_plain_tool(name, value),
        "GIT_CONFIG_NOSYSTEM" | "GIT_CONFIG_GLOBAL" | "GIT_CONFIG_SYSTEM" => matches!(value, "1" | "/dev/null"),
        "MAKEFLAGS" => value.split_whitespace().all(|flag| flag.starts_with("-j")),
        _ => idle && holds_command(name),
    }
}

//! The machine that walks a script: the effects it finds, the world it changes, and the context of what it walks.

use crate::{
    About, Argument, Certainty, Connection, Effect, Execution, Kind, Origin, PathTarget, Reason, World, hosts,
};

use agent_strace_shell::{BYTES_A_STEP, Value};

use super::argument::{Arg, Known};
use super::context::Context;
use super::descriptors::Descriptors;
use super::emitter::{Emitter, opaque};
use super::flows::Found;
use super::gate;
use super::knowledge::{Knowledge, Role};
use super::outcome::Outcome;
use super::reached::Reached;
use super::stream::Stream;
use super::touched::kinds;
use super::words::Pipe;

/// The `via` of effects on the name of a new link. A write of that name is no write of the file that the link leads to.
pub(crate) const LINK: &str = "link";

/// The depth to which parts of a text may be nested, and the texts that they run: groups, branches, substitutions,
/// functions, wrappers, shells and calls in programs of all languages together. A walk of that depth, with a text that is
/// parsed at its end, fits the stack of a thread that nobody gave a larger one.
pub(crate) const DEPTH: usize = 128;

static UNCONNECTED: Stream = Stream::Unconnected;

/// Walks a part of a script. What it shares with the rest of the walk is borrowed; its context is its own, so a nested
/// part gets a machine of its own with a changed copy.
#[derive(Debug)]
pub(crate) struct Machine<'w> {
    pub world: &'w mut World,
    pub knowledge: &'w Knowledge,
    pub(super) emitter: &'w mut Emitter,
    pub(super) shell: &'w mut Shell,
    /// The call's text, which spans are counted in.
    pub(super) text: &'w str,
    /// Standard input of the shell that expands words.
    pub(super) input: &'w Stream,
    pub(super) context: Context,
}

/// State of a shell that its commands change, in addition to variables and the working directory.
#[derive(Debug, Default)]
pub(super) struct Shell {
    /// The directory of the shell if the last `cd` failed.
    pub(super) failed_cd_dir: Option<String>,
    /// The glob of the directory that the shell is in, where a `cd` named it so and the working directory is not known.
    pub(super) globbed_dir: Option<String>,
    /// The output of each process substitution, by its number.
    pub(super) pipes: Vec<Pipe>,
    /// The values that a declaration (`export a=$b`) assigns, with their names.
    pub(super) declaring: Vec<(String, Value)>,
    /// The variables that the running declaration makes read-only, once they have their values.
    pub(super) fixing: Vec<String>,
    /// Wildcards match dots in first place, too (`shopt -s dotglob`).
    pub(super) matches_dots: bool,
    /// A descriptor of the shell is a connection (`exec 3<>/dev/tcp/…`).
    pub(super) has_socket: bool,
    /// Files of the session that run now in the place of a program.
    pub(super) standing_in: Vec<String>,
    /// The directory of the program that runs now in an interpreter.
    pub(super) program_directory: Option<String>,
    /// The descriptors above the standard ones that are open.
    pub(super) descriptors: Descriptors,
    /// The files of the session where the command started that is walked again for other texts of files.
    pub(super) outermost: Option<World>,
    /// Files that hold what a network client of the same pipeline received: `cat f | sh | nc host 1 > f`.
    pub(super) received: Vec<String>,
    /// The names that the last substitution prints, where no single pattern matches all of them.
    pub(super) listed: Option<Vec<Arg>>,
    /// Variables that hold what commands read, with the effects of these commands.
    pub(super) held: Vec<(String, Found)>,
    /// The reads behind the variables that commands mentioned so far.
    pub(super) mentioned: Vec<Found>,
}

/// The part of a command's acts that its words show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Launch {
    /// It only prints or computes what its arguments say, or what it runs has an entry of its own.
    Inert,
    Plain,
    /// The program is unknown and may run any suffix of its arguments as a command.
    Embedding,
}

/// Walks a text with what `inside` does, and returns its effects.
pub(crate) fn walk(
    text: &str,
    world: &mut World,
    knowledge: &Knowledge,
    context: Context,
    inside: impl FnOnce(&mut Machine<'_>),
) -> Vec<Effect> {
    let mut emitter = Emitter::within(world.meter().start(text.len()));
    walk_on(text, world, knowledge, context, &mut emitter, inside);
    world.meter().spend(emitter.steps() + world.meter().take());
    emitter.into_effects()
}

/// Walks a text with an emitter that may have seen others.
pub(crate) fn walk_on(
    text: &str,
    world: &mut World,
    knowledge: &Knowledge,
    context: Context,
    emitter: &mut Emitter,
    inside: impl FnOnce(&mut Machine<'_>),
) {
    let mut shell = Shell::default();
    inside(&mut Machine { world, knowledge, emitter, shell: &mut shell, text, input: &UNCONNECTED, context });
}

impl Machine<'_> {
    /// A machine for a part that has a context of its own.
    pub(super) fn with(&mut self, context: Context) -> Machine<'_> {
        Machine {
            world: self.world,
            knowledge: self.knowledge,
            emitter: self.emitter,
            shell: self.shell,
            text: self.text,
            input: self.input,
            context,
        }
    }

    /// A machine that expands words for a command with this standard input.
    pub(super) fn reading<'m>(&'m mut self, input: &'m Stream) -> Machine<'m> {
        Machine { input, ..self.with(self.context) }
    }

    /// Counts a simple command. `false`: the text is too long to be followed, and says so in its effects.
    pub(crate) fn may_run(&mut self) -> bool {
        self.emitter.may_run(|| self.context.origin(self.world))
    }

    /// Counts work. `false`: the text asks for more than is done for one, and says so in its effects.
    pub(crate) fn may_spend(&mut self, steps: usize) -> bool {
        let steps = steps.saturating_add(self.world.meter().take());
        self.emitter.may_spend(steps, || self.context.origin(self.world))
    }

    /// Runs `inside` one level deeper, unless that is too deep.
    pub(crate) fn nested<T>(&mut self, otherwise: T, inside: impl FnOnce(&mut Machine<'_>) -> T) -> T {
        if self.context.depth >= DEPTH {
            self.opaque(About::Anything, Reason::CommandsNestedTooDeeply, &[]);
            return otherwise;
        }
        inside(&mut self.with(Context { depth: self.context.depth + 1, ..self.context }))
    }

    /// Walks parts of a program that share this machine, one level deeper. `None`: they are nested too deeply.
    pub(crate) fn deeper<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.context.depth >= DEPTH {
            return None;
        }
        self.context.depth += 1;
        let result = inside(self);
        self.context.depth -= 1;
        Some(result)
    }

    /// Walks what is known of a program of which the rest is not: an opaque effect has to be there for that.
    pub(crate) fn guessed<T>(&mut self, inside: impl FnOnce(&mut Machine<'_>) -> T) -> T {
        inside(&mut self.with(Context { guessed: true, ..self.context }))
    }

    /// Effects of `inside` come from `source`, where they do not come from another one already.
    pub(crate) fn through<T>(
        &mut self,
        source: impl FnOnce() -> String,
        inside: impl FnOnce(&mut Machine<'_>) -> T,
    ) -> T {
        let via = self.context.via.or_else(|| self.emitter.source(source()));
        inside(&mut self.with(Context { via, ..self.context }))
    }

    /// The origin of the effects of this part.
    pub(super) fn origin(&self) -> Origin {
        self.context.origin(self.world)
    }

    pub(crate) fn emit(&mut self, kind: Kind, certainty: Certainty, via: &'static str) {
        self.emit_indexed(kind, certainty, via);
    }

    /// Adds an effect of which only a word of the command is known.
    pub(super) fn mention(&mut self, kind: Kind) {
        let via = self.emitter.via(self.context.via, "argument");
        let origin = Origin { ran: false, told: false, named: true, ..self.origin() };
        self.emitter.emit(Effect { origin, ..Effect::new(kind, Certainty::Possible, via) });
    }

    /// Emits an effect, and returns its index.
    pub(super) fn emit_indexed(&mut self, kind: Kind, certainty: Certainty, via: &'static str) -> Option<u32> {
        let via = self.emitter.via(self.context.via, via);
        let unsure = self.context.guessed || self.context.perhaps;
        let certainty = if unsure { certainty.guessed() } else { certainty };
        self.emitter.emit(Effect { origin: self.origin(), ..Effect::new(kind, certainty, via) })
    }

    pub(crate) fn opaque(&mut self, about: About, reason: Reason, vouched_by: &[&str]) {
        self.opaque_indexed(about, reason, vouched_by);
    }

    /// Adds an opaque effect that entries with either of two texts vouch for.
    pub(crate) fn opaque_by(&mut self, about: About, reason: Reason, vouched_by: &[&str], or_by: &[&str]) {
        if self.context.guessed {
            return;
        }
        let mut effect = opaque(about, reason, vouched_by);
        if let Kind::Opaque(opaque) = &mut effect.kind {
            opaque.or_by = or_by.iter().map(|word| (*word).to_owned()).collect();
        }
        self.add_opaque(effect);
    }

    fn opaque_indexed(&mut self, about: About, reason: Reason, vouched_by: &[&str]) -> Option<u32> {
        if self.context.guessed {
            return None;
        }
        self.add_opaque(opaque(about, reason, vouched_by))
    }

    /// Equal commands are different acts where they run in other directories or read another input.
    fn add_opaque(&mut self, mut effect: Effect) -> Option<u32> {
        if let Kind::Opaque(opaque) = &mut effect.kind {
            opaque.directory = self.world.directory_below_root();
            opaque.input = self.context.input();
        }
        self.emitter.add(Effect { origin: self.origin(), ..effect })
    }

    /// One simple command ran, and causes what follows. The first command of a text is never inert.
    pub(crate) fn execute(&mut self, argv: &[Arg], launch: Launch) {
        let first = !self.context.substituted && self.emitter.lead();
        let unknown = argv.first().is_some_and(|program| !program.is_exact());
        let words = argv
            .iter()
            .map(|word| Argument { text: word.shown().to_owned(), known: word.is_exact() || word.is_address() });
        let execution = Execution {
            argv: words.collect(),
            inert: launch == Launch::Inert && !first,
            embeds: launch == Launch::Embedding,
        };
        let certainty = if unknown { Certainty::Pattern } else { Certainty::Exact };
        let index = self.emit_indexed(Kind::Execute(execution), certainty, "command");
        if let Some(index) = index.filter(|_| self.world.works_elsewhere(argv)) {
            self.emitter.mark_elsewhere(index);
        }
        self.context.parent = index.or(self.context.parent);
        if let Some(reason) = gate::act(argv) {
            self.opaque(About::Commands, reason, &[]);
        }
        self.context.outcome = self.context.outcome.of_children(argv);
    }

    /// A function of the script was called: it needs no entry of its own, its commands have theirs.
    pub(crate) fn execute_function(&mut self, argv: &[Arg]) {
        if !self.context.substituted {
            self.emitter.lead();
        }
        // Its name proves nothing, its commands do.
        let mut call = self.with(self.context.with_outcome(Outcome::default()));
        call.execute(argv, Launch::Inert);
        self.context.parent = call.context.parent;
    }

    /// An effect on a file or directory. Roles that are not about files have none.
    pub(crate) fn path(&mut self, role: Role, word: &Arg) {
        let listed = word.unsplit();
        // Blanks and wildcards in a name lead elsewhere. Only the session may have made such names on purpose.
        if listed.is_none() || self.world.has_odd_names() {
            self.at_word(word, |machine| machine.path_by(role, word, "argument", None));
        }
        for reading in word.readings() {
            self.possible_path(role, &reading);
        }
        if let Some(pattern) = listed {
            self.at_word(word, |machine| machine.path_by(role, &pattern, "argument", None));
        }
    }

    /// A place that the program knows without being given it. In a directory of its own it finds only what it made;
    /// the working directory is not its own.
    pub(super) fn own_path(&mut self, role: Role, word: &Arg) {
        if word.text == "." || !word.is_exact() {
            return self.path(role, word);
        }
        self.at_word(word, |machine| {
            let (target, certainty) = machine.world.locate_word(word);
            let subtree = target.subtree || matches!(role, Role::ReadTree | Role::WriteTree | Role::ListTree);
            machine.touch(role, &PathTarget { subtree, ..target }, certainty, "argument", Reached::Named);
        });
    }

    /// At most so many of the items; of more, the rest stays unresolved.
    pub(crate) fn at_most<T>(&mut self, most: usize, items: impl Iterator<Item = T>) -> Vec<T> {
        let mut taken: Vec<T> = items.take(most.saturating_add(1)).collect();
        if taken.len() > most {
            taken.truncate(most);
            self.opaque(About::Anything, Reason::TooManyItems, &[]);
        }
        taken
    }

    /// Adds the effects on a path that the program may not touch at all.
    pub(crate) fn possible_path(&mut self, role: Role, word: &Arg) {
        self.at_word(word, |machine| machine.path_by(role, word, "argument", Some(Certainty::Possible)));
    }

    /// A link takes the place of what has its name, and the file that it leads to stays as it is.
    pub(super) fn link_name(&mut self, word: &Arg, certainty: Option<Certainty>) {
        self.at_word(word, |machine| machine.path_by(Role::Write, word, LINK, certainty));
        for reading in word.readings() {
            self.possible_path(Role::Write, &reading);
        }
    }

    pub(crate) fn redirected(&mut self, role: Role, word: &Arg) {
        let listed = word.unsplit();
        if listed.is_none() || self.world.has_odd_names() {
            self.path_by(role, word, "redirect", None);
        }
        if let Some(pattern) = listed {
            self.path_by(role, &pattern, "redirect", None);
        }
        for reading in word.readings() {
            self.path_by(role, &reading, "redirect", Some(Certainty::Possible));
        }
    }

    /// The program of the gate under an unknown path: `$(which agent-strace)`.
    fn gate_program(&mut self, role: Role, word: &Arg, via: &'static str) {
        let Some(path) = word.likely.as_deref().filter(|_| !word.is_exact()).map(str::trim_end) else { return };
        if path.ends_with("/bin/agent-strace") {
            self.touch(role, &PathTarget::new(path), Certainty::Possible, via, Reached::Named);
        }
    }

    fn path_by(&mut self, role: Role, word: &Arg, via: &'static str, certainty: Option<Certainty>) {
        if word.literal().is_some_and(is_device) || !self.may_spend(1 + word.text.len() / BYTES_A_STEP) {
            return;
        }
        let (mut target, found) = self.world.locate_word(word);
        target.subtree |=
            matches!(role, Role::ReadTree | Role::WriteTree | Role::DeleteTree | Role::ListTree | Role::WriteInto);
        let certainty = certainty.unwrap_or(found);
        self.gate_program(role, word, via);
        let reached = self.way_to(role, word, &target, certainty);
        if target.subtree && certainty == Certainty::Exact && looks_like_file(&target.path) {
            // Most likely a file, whose subtree is itself; were it a directory, its content would count, too.
            let file = PathTarget { subtree: false, ..target.clone() };
            self.touch(role, &file, certainty, via, Reached::Named);
            self.touch(role, &target, Certainty::Possible, via, Reached::Named);
        } else {
            self.touch(role, &target, certainty, via, reached);
        }
        if certainty == found {
            self.touch_start(role, word);
        }
        self.touch_in_globbed(role, word, &target, via);
        if let Some(directory) = self.shell.failed_cd_dir.clone() {
            self.touch_after_failed_cd(role, word, &target, directory, via);
        }
    }

    /// `cd build; rm -r x` removes `x`, should there be no `build`.
    fn touch_after_failed_cd(
        &mut self,
        role: Role,
        word: &Arg,
        meant: &PathTarget,
        directory: String,
        via: &'static str,
    ) {
        let here = self.world.cwd().map(str::to_owned);
        self.world.set_cwd(Some(directory));
        let (mut target, certainty) = self.world.locate_word(word);
        self.world.set_cwd(here);
        target.subtree = meant.subtree;
        let reads = matches!(role, Role::Read | Role::ReadTree | Role::List | Role::ListTree);
        let reached = if word.known == Known::Glob { Reached::Anywhere } else { Reached::Named };
        match certainty {
            _ if target == *meant => {}
            Certainty::Pattern if reads => {}
            Certainty::Pattern => self.touch(role, &target, Certainty::Pattern, via, reached),
            Certainty::Exact | Certainty::Possible => self.touch(role, &target, Certainty::Possible, via, reached),
        }
    }

    pub(super) fn touch(
        &mut self,
        role: Role,
        target: &PathTarget,
        certainty: Certainty,
        via: &'static str,
        reached: Reached,
    ) {
        let makes = matches!(role, Role::Write | Role::WriteTree | Role::WriteInto);
        if makes && (target.subtree || certainty == Certainty::Pattern) {
            self.world.made_unknown_names();
        }
        match role {
            Role::Edit | Role::Write | Role::WriteTree if certainty == Certainty::Pattern => {
                self.world.edited_matching(&target.path);
            }
            Role::Edit => self.world.edited(target),
            // A guess takes no content away.
            Role::Write | Role::WriteTree if certainty == Certainty::Possible && !target.subtree => {
                self.world.edited(target);
            }
            Role::WriteTree if target.subtree => {
                self.world.wrote(target, None);
                self.world.edited_below(&target.path);
            }
            Role::Write | Role::WriteTree => self.world.wrote(target, None),
            _ => {}
        }
        for kind in kinds(role) {
            let kind = kind(target.clone());
            // A command's operand that is only listed shows no content; policies judge it less strictly than a tool's argument.
            let via = if matches!(kind, Kind::List(_)) { "command" } else { via };
            match reached {
                Reached::Named => self.emit(kind, certainty, via),
                Reached::Anywhere | Reached::Inside => self.emit_gathered(kind, certainty, via, reached),
            }
        }
    }

    /// An effect that was worked out elsewhere.
    pub(crate) fn effect(&mut self, effect: Effect) {
        if let Kind::Opaque(opaque) = effect.kind {
            let words: Vec<&str> = opaque.vouched_by.iter().map(String::as_str).collect();
            self.opaque(opaque.about, opaque.reason, &words);
        } else {
            self.emit(effect.kind, effect.certainty, "patch");
        }
    }

    /// A URL, or whatever a client takes for one.
    pub(crate) fn connect(&mut self, word: &Arg) {
        let opened = word.literal().map(hosts::opened).filter(|url| *url != word.text);
        if let Some(url) = opened {
            return self.connect(&word.with(url));
        }
        let (text, certainty) = word.target();
        if let Some(path) = word.literal().filter(|text| text.starts_with("file:")) {
            self.path(Role::Read, &Arg::exact(path));
        } else if let Some((connection, certainty)) = hosts::connection(text, certainty) {
            self.at_word(word, |machine| machine.emit(Kind::Connect(connection), certainty, "argument"));
        }
        for reading in word.readings() {
            self.possible_connection(&reading);
        }
    }

    /// A host by name.
    pub(crate) fn connect_host(&mut self, word: &Arg, port: Option<u16>, scheme: Option<&str>) {
        let (text, certainty) = word.target();
        let (mut connection, certainty) = hosts::host(text, certainty);
        connection.port = port.or(connection.port);
        connection.scheme = scheme.map(str::to_owned).or(connection.scheme);
        self.at_word(word, |machine| machine.emit(Kind::Connect(connection), certainty, "argument"));
    }

    /// A host by its canonical name or registry symbol; `None`: some host.
    pub(crate) fn connect_to(&mut self, host: Option<&str>, scheme: Option<&str>) {
        let certainty = match host {
            Some(host) if !host.contains('*') => Certainty::Exact,
            _ => Certainty::Pattern,
        };
        let connection = Connection { host: host.map(str::to_owned), port: None, scheme: scheme.map(str::to_owned) };
        self.emit(Kind::Connect(connection), certainty, "argument");
    }

    /// It may connect to what the word names.
    pub(crate) fn possible_connection(&mut self, word: &Arg) {
        let (text, certainty) = word.target();
        if let Some((connection, _)) = hosts::connection(text, certainty) {
            self.at_word(word, |machine| machine.emit(Kind::Connect(connection), Certainty::Possible, "argument"));
        }
    }

    /// Adds the effect of a command on another host and returns its index. The command ran and connected, but its files are
    /// not files of this machine.
    pub(crate) fn remote(&mut self, effect: Effect, via: &'static str) -> Option<u32> {
        match effect.kind {
            Kind::Execute(_) | Kind::Connect(_) => self.emit_indexed(effect.kind, effect.certainty, via),
            Kind::Opaque(opaque) => {
                let words: Vec<&str> = opaque.vouched_by.iter().map(String::as_str).collect();
                self.opaque_indexed(About::Commands, opaque.reason, &words)
            }
            _ => None,
        }
    }

    pub(crate) fn spawn(&mut self, agent: &str) {
        self.emit(Kind::Spawn { agent: Some(agent.to_owned()) }, Certainty::Exact, "command");
    }
}

/// The last component has an extension.
pub(crate) fn looks_like_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.trim_start_matches('.').rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty()
            && (1..=5).contains(&extension.len())
            && extension.chars().all(|c| c.is_ascii_alphanumeric())
            && extension != "d"
    })
}

/// Paths that stand for the process's own descriptors, or for nothing.
pub(super) fn is_device(path: &str) -> bool {
    matches!(
        path,
        "/dev/null"
            | "/dev/stdin"
            | "/dev/stdout"
            | "/dev/stderr"
            | "/dev/tty"
            | "/dev/zero"
            | "/dev/random"
            | "/dev/urandom"
            | "/dev/full"
            | "NUL"
            | "nul"
            | "-"
    ) || path
        .strip_prefix("/dev/fd/")
        .or_else(|| path.strip_prefix("/proc/self/fd/"))
        .is_some_and(|descriptor| !descriptor.is_empty() && descriptor.chars().all(|digit| digit.is_ascii_digit()))
}

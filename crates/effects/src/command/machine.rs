//! The machine that walks a script: its limits, and the one place where effects come from.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::{
    About, Argument, Certainty, Connection, Effect, Execution, Kind, Opaque, Origin, PathTarget, Reason, World, hosts,
};

use agent_strace_shell::{Span, Value};

use super::argument::{Arg, Known};
use super::knowledge::{Knowledge, Role};
use super::outcome::Outcome;
use super::stream::Stream;
use super::temporary;
use super::words::Pipe;

/// Nested shells, functions, wrappers and substitutions.
pub(crate) const DEPTH: usize = 64;
/// Simple commands one text may run.
const COMMANDS: usize = 20_000;
/// Effects one text may have.
const EFFECTS: usize = 50_000;
/// Work one text may cost: nodes walked, fields expanded, texts read. Loops in loops and values that name each other
/// ask for any amount of it.
pub(crate) const STEPS: usize = 1 << 18;

/// Walks a script and collects effects.
#[derive(Debug)]
pub(crate) struct Machine<'w> {
    pub world: &'w mut World,
    pub knowledge: &'w Knowledge,
    /// The call's text, which spans are counted in.
    pub(super) text: &'w str,
    /// The piece of it that is being walked.
    pub(super) at: Option<Span>,
    /// The first command of the pipeline that is being walked.
    pub(super) pipe: Option<Span>,
    /// The command that is running: its place among the effects.
    pub(super) parent: Option<u32>,
    /// What the success of the call says of what is being walked.
    pub(super) outcome: Outcome,
    /// The next substitution is all that is assigned: the assignment's status is its own.
    pub(super) assigned: bool,
    /// What the words of a declaration (`export a=$b`) assign, by their names.
    pub(super) declaring: Vec<(String, Value)>,
    /// How much text was searched for where nested texts come from.
    pub(super) searched: usize,
    /// The place of the effect that was added last, or found to be there already.
    pub(super) last: Option<u32>,
    effects: Vec<Effect>,
    /// The hash of each effect, and its place.
    seen: HashMap<u64, u32>,
    commands: usize,
    steps: usize,
    /// How deep the walk is in nested programs.
    pub depth: usize,
    /// How deep the walk is in substitutions.
    pub substitutions: usize,
    /// The first command of the text was seen: from now on, commands that only print need no entry in a policy.
    led: bool,
    /// Where effects come from, if not from the call itself (`script src/x.sh`).
    pub via: Option<String>,
    exhausted: bool,
    /// Where the shell still is, if the `cd` that came last failed.
    pub(super) astray: Option<String>,
    /// More than 0: what is walked may be only a part of what runs, and an opaque effect stands for the rest.
    guesses: usize,
    /// The search path was set so that another program may be found.
    pub(super) shadowed: bool,
    /// What is walked runs in the background, and nothing waits for it.
    pub(super) detached: bool,
    /// The script waits for what it put in the background.
    pub(super) awaited: bool,
    /// What process substitutions print, by their number.
    pub(super) pipes: Vec<Pipe>,
    /// Standard input of the shell that expands words.
    pub(super) input: Stream,
    /// The command's standard input is its own: nobody read from it before.
    pub(super) fresh: bool,
    /// The condition of a loop reads the next line.
    pub(super) condition_reads: bool,
}

impl<'w> Machine<'w> {
    pub(crate) fn new(text: &'w str, world: &'w mut World, knowledge: &'w Knowledge) -> Self {
        Self {
            world,
            knowledge,
            text,
            at: Span::new(0, text.len()),
            pipe: None,
            parent: None,
            outcome: Outcome::default(),
            assigned: false,
            declaring: Vec::new(),
            searched: 0,
            last: None,
            effects: Vec::new(),
            seen: HashMap::new(),
            commands: 0,
            steps: 0,
            depth: 0,
            substitutions: 0,
            led: false,
            via: None,
            exhausted: false,
            astray: None,
            guesses: 0,
            shadowed: false,
            detached: false,
            awaited: false,
            pipes: Vec::new(),
            input: Stream::Unconnected,
            fresh: false,
            condition_reads: false,
        }
    }

    pub(crate) fn into_effects(self) -> Vec<Effect> {
        self.effects
    }

    /// Counts a simple command. `false`: the text is too long to be followed, and says so in its effects.
    pub(crate) fn may_run(&mut self) -> bool {
        self.commands += 1;
        if self.commands > COMMANDS {
            self.exhaust(Reason::TooManyCommands);
        }
        !self.exhausted
    }

    /// Counts work. `false`: the text asks for more than is done for one, and says so in its effects.
    pub(crate) fn may_spend(&mut self, steps: usize) -> bool {
        self.steps = self.steps.saturating_add(steps);
        if self.steps > STEPS {
            self.exhaust(Reason::TooMuchWork);
        }
        !self.exhausted
    }

    #[cfg(test)]
    pub(crate) fn steps(&self) -> usize {
        self.steps
    }

    /// Runs `inside` one level deeper, unless that is too deep.
    pub(crate) fn nested<T>(&mut self, otherwise: T, inside: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= DEPTH {
            self.opaque(About::Anything, Reason::CommandsNestedTooDeeply, &[]);
            return otherwise;
        }
        self.depth += 1;
        let result = inside(self);
        self.depth -= 1;
        result
    }

    /// Walks what is known of a program of which the rest is not: an opaque effect has to stand beside it.
    pub(crate) fn guessed<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        self.guesses += 1;
        let result = inside(self);
        self.guesses -= 1;
        result
    }

    fn exhaust(&mut self, reason: Reason) {
        if !self.exhausted {
            self.exhausted = true;
            let effect = Effect { origin: self.origin(), ..opaque(About::Anything, reason, &[]) };
            self.effects.push(effect);
        }
    }

    /// Where what happens now comes from.
    fn origin(&self) -> Origin {
        let Outcome { ran, succeeded, .. } = self.outcome;
        let sure = self.guesses == 0;
        Origin {
            span: self.at,
            parent: self.parent,
            ran: ran && sure,
            told: succeeded && sure,
            detached: self.detached,
            elsewhere: self.world.is_astray(),
            shadowed: self.shadowed,
        }
    }

    pub(crate) fn emit(&mut self, kind: Kind, certainty: Certainty, via: &'static str) {
        if self.effects.len() >= EFFECTS {
            self.exhaust(Reason::TooManyEffects);
            return;
        }
        let via = self.via.as_ref().map_or(Cow::Borrowed(via), |via| Cow::Owned(via.clone()));
        let certainty = if self.guesses > 0 { certainty.guessed() } else { certainty };
        self.add(Effect { kind, certainty, via, origin: self.origin() });
    }

    /// Of equal effects the first one stays. Should two that differ ever have the same hash, both stay.
    fn add(&mut self, effect: Effect) {
        let effect = temporary::generalised(effect);
        let mut hasher = DefaultHasher::new();
        effect.hash(&mut hasher);
        let hash = hasher.finish();
        let known = self.seen.get(&hash).copied();
        if let Some(place) = known.filter(|place| self.effects.get(*place as usize) == Some(&effect)) {
            if let Some(known) = self.effects.get_mut(place as usize) {
                known.origin.ran |= effect.origin.ran;
                known.origin.told |= effect.origin.told;
                known.origin.detached |= effect.origin.detached;
                known.origin.elsewhere |= effect.origin.elsewhere;
                known.origin.shadowed |= effect.origin.shadowed;
                if let (Kind::Opaque(known), Kind::Opaque(again)) = (&mut known.kind, &effect.kind) {
                    known.class = known.class.max(again.class);
                }
            }
            self.last = Some(place);
            return;
        }
        self.last = u32::try_from(self.effects.len()).ok();
        if let Some(place) = self.last.filter(|_| known.is_none()) {
            self.seen.insert(hash, place);
        }
        self.effects.push(effect);
    }

    pub(crate) fn opaque(&mut self, about: About, reason: Reason, vouched_by: &[&str]) {
        if self.guesses == 0 {
            self.add(Effect { origin: self.origin(), ..opaque(about, reason, vouched_by) });
        }
    }

    /// One simple command ran, and causes what follows. The first command of a text is never inert.
    pub(crate) fn execute(&mut self, argv: &[Arg], inert: bool, embeds: bool) {
        let first = !self.led && self.substitutions == 0;
        if self.substitutions == 0 {
            self.led = true;
        }
        let unknown = argv.first().is_some_and(|program| !program.is_exact());
        let words = argv.iter().map(|word| Argument { text: word.shown().to_owned(), known: word.is_exact() });
        let execution = Execution { argv: words.collect(), inert: inert && !first, embeds };
        let certainty = if unknown { Certainty::Pattern } else { Certainty::Exact };
        self.last = None;
        self.emit(Kind::Execute(execution), certainty, "command");
        if self.works_elsewhere(argv)
            && let Some(effect) = self.last.and_then(|place| self.effects.get_mut(place as usize))
        {
            effect.origin.elsewhere = true;
        }
        self.parent = self.last.or(self.parent);
        self.outcome_of_children(argv);
    }

    /// A function of the script was called: it needs no entry of its own, its commands have theirs.
    pub(crate) fn execute_function(&mut self, argv: &[Arg]) {
        self.led |= self.substitutions == 0;
        // Its name proves nothing, its commands do.
        let outcome = std::mem::take(&mut self.outcome);
        self.execute(argv, true, false);
        self.outcome = outcome;
    }

    /// Where a word points.
    pub(crate) fn locate(&self, word: &Arg) -> (PathTarget, Certainty) {
        let (text, certainty) = word.target();
        match word.known {
            Known::Partly | Known::Not => self.world.locate_unknown(text),
            Known::Exact | Known::Glob if text.starts_with('~') && !word.tilde => {
                self.world.locate(&format!("./{text}"), certainty)
            }
            Known::Exact | Known::Glob => self.world.locate(text, certainty),
        }
    }

    /// An effect on a file or directory. Roles that are not about files have none.
    pub(crate) fn path(&mut self, role: Role, word: &Arg) {
        self.at_word(word, |machine| machine.path_by(role, word, "argument", None));
    }

    /// The same for what may not happen at all.
    pub(crate) fn possible_path(&mut self, role: Role, word: &Arg) {
        self.at_word(word, |machine| machine.path_by(role, word, "argument", Some(Certainty::Possible)));
    }

    pub(crate) fn redirected(&mut self, role: Role, word: &Arg) {
        self.path_by(role, word, "redirect", None);
    }

    fn path_by(&mut self, role: Role, word: &Arg, via: &'static str, certainty: Option<Certainty>) {
        if word.literal().is_some_and(is_device) {
            return;
        }
        let (mut target, found) = self.locate(word);
        target.subtree |=
            matches!(role, Role::ReadTree | Role::WriteTree | Role::DeleteTree | Role::ListTree | Role::WriteInto);
        let certainty = certainty.unwrap_or(found);
        if target.subtree && certainty == Certainty::Exact && looks_like_file(&target.path) {
            // Most likely a file, whose subtree is itself; were it a directory, its content would count, too.
            let file = PathTarget { subtree: false, ..target.clone() };
            self.touch(role, &file, certainty, via);
            self.touch(role, &target, Certainty::Possible, via);
        } else {
            self.touch(role, &target, certainty, via);
        }
        if let Some(directory) = self.astray.clone() {
            self.touch_astray(role, word, &target, directory, via);
        }
    }

    /// `cd build; rm -r x` removes `x`, should there be no `build`.
    fn touch_astray(&mut self, role: Role, word: &Arg, meant: &PathTarget, directory: String, via: &'static str) {
        let here = self.world.cwd().map(str::to_owned);
        self.world.set_cwd(Some(directory));
        let (mut target, certainty) = self.locate(word);
        self.world.set_cwd(here);
        target.subtree = meant.subtree;
        let reads = matches!(role, Role::Read | Role::ReadTree | Role::List | Role::ListTree);
        match certainty {
            _ if target == *meant => {}
            Certainty::Pattern if reads => {}
            Certainty::Pattern => self.touch(role, &target, Certainty::Pattern, via),
            Certainty::Exact | Certainty::Possible => self.touch(role, &target, Certainty::Possible, via),
        }
    }

    fn touch(&mut self, role: Role, target: &PathTarget, certainty: Certainty, via: &'static str) {
        match role {
            Role::Edit | Role::Write | Role::WriteTree if certainty == Certainty::Pattern => {
                self.world.edited_matching(&target.path);
            }
            Role::Edit => self.world.edited(target),
            Role::WriteTree if target.subtree => {
                self.world.wrote(target, None);
                self.world.edited_below(&target.path);
            }
            Role::Write | Role::WriteTree => self.world.wrote(target, None),
            _ => {}
        }
        let kinds: &[fn(PathTarget) -> Kind] = match role {
            Role::Read | Role::ReadTree | Role::Script | Role::PatternFile => &[Kind::Read],
            Role::Write | Role::WriteTree | Role::WriteInto => &[Kind::Write],
            Role::Edit => &[Kind::Read, Kind::Write],
            Role::Delete | Role::DeleteTree => &[Kind::Delete],
            Role::List | Role::ListTree | Role::Directory => &[Kind::List],
            _ => &[],
        };
        for kind in kinds {
            let kind = kind(target.clone());
            // A command's operand that is only listed shows no content; policies judge it less strictly than a tool's argument.
            let via = if matches!(kind, Kind::List(_)) { "command" } else { via };
            self.emit(kind, certainty, via);
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
        let (text, certainty) = word.target();
        if let Some(path) = word.literal().filter(|text| text.starts_with("file:")) {
            self.path(Role::Read, &Arg::exact(path));
        } else if let Some((connection, certainty)) = hosts::connection(text, certainty) {
            self.at_word(word, |machine| machine.emit(Kind::Connect(connection), certainty, "argument"));
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

    /// What a command on another host did: it ran and connected, but its files are not ours.
    pub(crate) fn remote(&mut self, effect: Effect, via: &'static str) {
        match effect.kind {
            Kind::Execute(_) | Kind::Connect(_) => self.emit(effect.kind, effect.certainty, via),
            Kind::Opaque(opaque) => {
                let words: Vec<&str> = opaque.vouched_by.iter().map(String::as_str).collect();
                self.opaque(About::Commands, opaque.reason, &words);
            }
            _ => {}
        }
    }

    pub(crate) fn spawn(&mut self, agent: &str) {
        self.emit(Kind::Spawn { agent: Some(agent.to_owned()) }, Certainty::Exact, "command");
    }
}

fn opaque(about: About, reason: Reason, vouched_by: &[&str]) -> Effect {
    let vouched_by = vouched_by.iter().map(|word| (*word).to_owned()).collect();
    Effect::new(Kind::Opaque(Opaque::new(about, reason, vouched_by)), Certainty::Possible, "command")
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
fn is_device(path: &str) -> bool {
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

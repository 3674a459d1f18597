//! Walks a session in order and turns each call into effects.

mod manifests;
mod programs;
mod siblings;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use agent_strace_model::{Access, Dialect, Event, EventKind, FileEvent, Session, Shell, Status, ToolCall};

use super::command::knowledge::Knowledge;
use super::jobs::Jobs;
use super::settle::{self, Ran, Results, Shown, Trust};
use super::world::{Left, System};
use super::{
    Certainty, Class, Effect, Effects, Kind, Memo, PathTarget, Repository, Roots, World, command, paths, tools,
};
use programs::Programs;

/// Symlinks that are part of the repository: path from the workspace root → target as stored, relative to the link's
/// directory or absolute.
pub type Links = BTreeMap<String, String>;

/// The one way from calls to effects.
#[derive(Debug)]
pub struct Tracker {
    world: World,
    dialect: &'static Dialect,
    /// The last directory that a record named: a call that names none runs there.
    base: Option<String>,
    /// The directory of the agent's shell, if it keeps that between calls.
    shell: Option<String>,
    /// The directory in which earlier calls may have left a shell that lives on, whatever the records say.
    moved: Option<String>,
    jobs: Jobs,
    committed: Committed,
    programs: Programs,
    /// Lines of files that nobody may read.
    shown: Shown,
    /// Directories in which the session starts again, the next one last.
    restarts: Vec<(u32, String)>,
    /// The command text of the last event.
    text: Option<Arc<str>>,
    /// The whole command of the last event, as its call names it.
    raw: Option<Arc<str>>,
}

/// The judged repository, and the directory from which its paths count.
#[derive(Debug)]
struct Committed {
    repository: Arc<Repository>,
    top: String,
}

impl Committed {
    fn of(roots: &Roots) -> Self {
        let top = roots.top().unwrap_or(".").to_owned();
        Self { repository: Arc::clone(roots.shared_repository()), top }
    }

    /// The name that the session has for a file of the repository.
    fn place(&self, file: &str, world: &World) -> PathTarget {
        world.locate_from(&self.top, file).0
    }
}

impl Tracker {
    /// `roots`: what the paths of the session count from.
    pub fn new(session: &Session<'_>, roots: &Roots) -> Self {
        let mut world = World::new(roots.first()).on(System::of(session));
        if let Some(cwd) = session.root.as_deref().and_then(paths::root) {
            world.set_cwd(Some(cwd));
        }
        for (link, target) in &roots.repository().links {
            let (alias, _) = world.locate_from(roots.top().unwrap_or("."), link);
            world.link_symbolic(&alias, target, Certainty::Exact);
        }
        let base = world.cwd().map(str::to_owned);
        Self {
            world,
            dialect: session.dialect,
            shell: base.clone(),
            moved: base.clone(),
            base,
            jobs: Jobs::default(),
            committed: Committed::of(roots),
            programs: Programs::default(),
            shown: Shown::default(),
            restarts: session
                .evidence
                .restarts
                .iter()
                .rev()
                .map(|start| (start.event, start.directory.to_string()))
                .collect(),
            text: None,
            raw: None,
        }
    }

    /// Takes over what a policy says of programs.
    pub fn with_programs(self, programs: &Arc<Knowledge>) -> Self {
        Self { world: self.world.with_knowledge(programs), ..self }
    }

    /// Results of commands may be taken from there: the same results, sooner.
    pub fn with_memo(self, memo: &Arc<Memo>) -> Self {
        Self { world: self.world.with_memo(memo), ..self }
    }

    /// Takes over what earlier sessions of the run left behind, in their order.
    pub fn after<'l>(mut self, earlier: impl IntoIterator<Item = &'l Left>) -> Self {
        earlier.into_iter().for_each(|left| self.world.inherit(left));
        self
    }

    /// What the session has left behind so far.
    pub fn left(&self) -> Left {
        self.world.left()
    }

    /// Files that ran, and that the session may not have written, by their names on the whole machine.
    pub fn asked_for(&self) -> Vec<String> {
        self.world.asked_for()
    }

    #[cfg(test)]
    pub(crate) fn spend(&self, steps: usize) {
        self.world.meter().spend(steps);
    }

    /// The text that spans of the last event's effects are counted in.
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Works out the effects of an event for a caller that owns them.
    pub fn take_text(&mut self) -> Option<Arc<str>> {
        self.text.take()
    }

    /// The text of the last event's whole command, where its call names one.
    pub fn take_raw(&mut self) -> Option<Arc<str>> {
        self.raw.take()
    }

    /// Effects of one event; empty for events that do nothing. Call it for every event, in order.
    pub fn effects(&mut self, event: &Event<'_>) -> Vec<Effect> {
        self.step(event).into_vec()
    }

    /// Works out the effects of an event for a caller that need not own them.
    pub fn step(&mut self, event: &Event<'_>) -> Effects {
        self.step_with(event, &Results::default())
    }

    /// Works out the effects of an event, settled by the results of the session.
    pub fn step_with(&mut self, event: &Event<'_>, results: &Results<'_>) -> Effects {
        (self.text, self.raw) = (None, None);
        self.start_again(event.number);
        let mut effects = match &event.kind {
            // It changed what later calls find, whichever session it counts for.
            EventKind::Call(call) | EventKind::Copied(call) => {
                let before = self.base.clone();
                let (shell, effects) = (self.shell.clone(), self.call(call));
                let mut effects = self.settled(call, effects, results, shell.or(before));
                self.shown.testify(call, self.dialect.agent, &mut effects, results, &self.world);
                self.programs.name(&mut effects, &self.committed, &self.world);
                manifests::locate(&mut effects, &self.committed, &self.world);
                if call.status != Status::Denied {
                    self.programs.note(&effects);
                    self.world.note_preparation(&effects);
                    self.world.note_code_of_others(&effects);
                }
                effects
            }
            EventKind::File(file) => self.file(file).into(),
            EventKind::Hook { command } => self.hook(command).into(),
            EventKind::Start
            | EventKind::End(_)
            | EventKind::Failure(_)
            | EventKind::Decision(_)
            | EventKind::Prompt(_)
            | EventKind::Command(_)
            | EventKind::Instruction(_)
            | EventKind::Message(_)
            | EventKind::Reasoning(_)
            | EventKind::Repeat(_)
            | EventKind::Result(_)
            | EventKind::Offer(_)
            | EventKind::Notice
            | EventKind::Other => return Effects::default(),
        };
        self.jobs.go_on(&mut effects, &self.world);
        self.with_siblings(effects)
    }

    /// A session that its user resumes in a directory beside the repository works on another work tree of it.
    fn start_again(&mut self, event: u32) {
        while let Some((_, directory)) = self.restarts.pop_if(|(first, _)| *first <= event) {
            let (tree, certainty) = self.world.locate(&directory, Certainty::Exact);
            let is_near = self.world.root().is_some_and(|root| paths::is_beside(&tree.path, root));
            if is_near && certainty == Certainty::Exact {
                self.world.checked_out(&tree, &PathTarget::new("."));
            }
        }
    }

    fn call(&mut self, call: &ToolCall<'_>) -> Effects {
        self.start(call);
        // An attempt that was refused leaves nothing behind.
        let refused = call.status == Status::Denied;
        let before = refused.then(|| (self.world.clone(), self.shell.clone(), self.moved.clone()));
        // An edit that failed left the file as it was, or is half done.
        let failed = call.status == Status::Error && tools::only_writes(&call.tool);
        let unedited = failed.then(|| self.world.clone());
        // A sub-agent has a shell of its own, which starts where its record says.
        let own = call.subagent.is_none();
        let stays = self.shell_stays() && own && tools::keeps_directory(&call.tool);
        self.world.set_cwd(if stays { self.shell.clone() } else { self.base.clone() });
        let here = self.world.cwd().map(str::to_owned);
        let lives = own && tools::may_live_on(call, self.dialect.shell);
        self.world.set_lives(lives);
        let effects = if lives { self.in_either_directory(call) } else { self.run(call) };
        self.world.set_lives(false);
        if let Some(unedited) = unedited {
            let before = unedited.clone();
            self.world.join(&unedited, &before);
        }
        if stays {
            self.shell = self.world.cwd().map(str::to_owned);
        }
        if let Some((world, shell, moved)) = before {
            (self.world, self.shell, self.moved) = (world, shell, moved);
        } else if let Some(text) = &self.text {
            self.jobs.started(text, here, &effects);
        }
        effects
    }

    /// The effects of a call, as far as its result settles them.
    fn settled(&self, call: &ToolCall<'_>, effects: Effects, results: &Results<'_>, before: Option<String>) -> Effects {
        if !effects.iter().any(|effect| effect.gathered.is_some()) {
            return effects;
        }
        // A shell that lives on may have functions in the place of programs.
        let lives = tools::may_live_on(call, self.dialect.shell);
        let trust = if lives { Trust::Accuses } else { results.trust() };
        let cwd = if self.shell_stays() && call.cwd.is_none() { before } else { self.base.clone() };
        let ran = Ran { call, agent: self.dialect.agent, command: self.raw.as_deref(), cwd, trust };
        settle::settle(effects.into_vec(), &ran, results, &self.world).into()
    }

    /// Takes over the directory that the call's record names.
    fn start(&mut self, call: &ToolCall<'_>) {
        let Some(cwd) = &call.cwd else { return };
        self.world.set_cwd(Some(cwd.clone().into_owned()));
        let named = self.world.cwd();
        // The record of a host that follows its shell changes with it. One that stays the same tells nothing of the shell.
        if named != self.base.as_deref() {
            self.base = named.map(str::to_owned);
            self.moved.clone_from(&self.base);
        }
        self.shell.clone_from(&self.base);
    }

    /// Runs the call where the records say, and once more where earlier calls may have left its shell.
    fn in_either_directory(&mut self, call: &ToolCall<'_>) -> Effects {
        let moved = self.moved.take().filter(|moved| Some(moved.as_str()) != self.world.cwd());
        let Some(moved) = moved else {
            let effects = self.run(call);
            self.moved = self.world.cwd().map(str::to_owned);
            return effects;
        };
        let before = self.world.clone();
        let mut there = before.clone();
        there.set_cwd(Some(moved));
        let mut effects = self.run(call);
        let done = tools::run(&call.tool, &call.arguments, self.dialect.scripts, &mut there);
        add_possible(&mut effects, done.effects);
        self.moved = there.cwd().map(str::to_owned);
        self.world.learn(&there, &before);
        effects
    }

    fn run(&mut self, call: &ToolCall<'_>) -> Effects {
        let done = tools::run(&call.tool, &call.arguments, self.dialect.scripts, &mut self.world);
        (self.text, self.raw) = (done.text, done.raw);
        done.effects
    }

    /// Whether `cd` in one call moves the next one.
    fn shell_stays(&self) -> bool {
        self.dialect.shell == Shell::Stays
    }

    fn file(&mut self, file: &FileEvent<'_>) -> Vec<Effect> {
        self.world.set_cwd(self.base.clone());
        let (target, certainty) = self.world.locate(&file.target, Certainty::Exact);
        let kind = match file.access {
            Access::Read => Kind::Read(target),
            Access::Write => {
                self.world.wrote(&target, None);
                Kind::Write(target)
            }
            Access::Delete => Kind::Delete(target),
        };
        vec![Effect::new(kind, certainty, "record")]
    }

    /// The agent's host runs hooks, not the agent: a deny may match, an allow list need not name them.
    fn hook(&mut self, text: &str) -> Vec<Effect> {
        let mut world = World::new(self.world.root()).with_knowledge(self.world.knowledge());
        self.text = Some(text.into());
        let mut commands = Vec::new();
        let mut indices = Vec::new();
        for effect in command::run(text, &mut world).into_vec() {
            let runs = matches!(effect.kind, Kind::Execute(_));
            indices.push(if runs { u32::try_from(commands.len()).ok() } else { None });
            if runs {
                let origin = effect.origin.moved(&indices);
                commands.push(Effect { certainty: Certainty::Possible, via: "hook".into(), origin, ..effect });
            }
        }
        commands
    }
}

/// Adds what else a call does if its shell is in another directory. The shell may not be there, so no allow list has to
/// name these effects.
fn add_possible(effects: &mut Effects, others: Effects) {
    let mut places: HashMap<Kind, usize> = HashMap::new();
    for (place, effect) in effects.iter().enumerate() {
        places.entry(effect.kind.clone()).or_insert(place);
    }
    let classes = effects.iter().filter_map(|effect| match &effect.kind {
        Kind::Opaque(opaque) => Some(opaque.class),
        _ => None,
    });
    let open: HashSet<Class> = classes.collect();
    let mut indices = Vec::new();
    for effect in others.into_vec() {
        let place = match places.get(&effect.kind) {
            Some(place) => Some(*place),
            // What is open here is open there in the same way.
            None if matches!(&effect.kind, Kind::Opaque(opaque) if open.contains(&opaque.class)) => None,
            None => {
                let origin = effect.origin.moved(&indices);
                let certainty = effect.certainty.guessed();
                places.insert(effect.kind.clone(), effects.len());
                effects.to_mut().push(Effect { certainty, origin, ..effect });
                Some(effects.len() - 1)
            }
        };
        indices.push(place.and_then(|place| u32::try_from(place).ok()));
    }
}

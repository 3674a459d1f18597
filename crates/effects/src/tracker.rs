//! Walks a session in order and turns each call into effects.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use agent_strace_model::{Access, Dialect, Event, EventKind, FileEvent, Session, Shell, Status, ToolCall};

use super::command::LINK;
use super::command::knowledge::Knowledge;
use super::jobs::Jobs;
use super::settle::{self, Ran, Results, Trust};
use super::world::{AliasKind, Left, Name, System, Within};
use super::{
    About, Certainty, Class, Effect, Effects, Kind, Memo, Opaque, PathTarget, Reason, Roots, World, command, glob,
    paths, tools,
};

/// Siblings one effect may get through aliases.
const SIBLINGS: usize = 64;
/// Aliases below a directory or behind a glob that are looked at for one effect.
const ALIASES: usize = 256;
/// Aliases that are looked at for all effects of one call, and siblings that these may get together.
const LOOKS: usize = 1 << 15;
/// Looks for the price of one step of work.
const LOOKS_A_STEP: usize = 8;

/// How an act on a file of a work tree touches the file of the repository.
const WORKTREE: &str = "worktree";

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
    /// Directories in which the session starts again, the next one last.
    restarts: Vec<(u32, String)>,
    /// The command text of the last event.
    text: Option<Arc<str>>,
    /// The whole command of the last event, as its call names it.
    raw: Option<Arc<str>>,
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
            restarts: session.restarts.iter().rev().map(|start| (start.event, start.directory.to_string())).collect(),
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
                let effects = self.settled(call, effects, results, shell.or(before));
                if call.status != Status::Denied {
                    self.world.note_preparation(&effects);
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

    /// Adds what the same act does under other names: through aliases, and to the workspace below an outer directory.
    fn with_siblings(&self, effects: Effects) -> Effects {
        let meter = self.world.meter();
        let most = LOOKS.min(meter.left().max(LOOKS / 64) * LOOKS_A_STEP);
        let mut looks = Looks { left: most, told: HashSet::new() };
        let siblings: Vec<Vec<Effect>> = effects.iter().map(|effect| self.siblings(effect, &mut looks)).collect();
        meter.spend((most - looks.left) / LOOKS_A_STEP + meter.take());
        if siblings.iter().all(Vec::is_empty) {
            return effects;
        }
        let mut all: Vec<Effect> = Vec::with_capacity(effects.len());
        // The new index of each effect.
        let mut indices = Vec::with_capacity(effects.len());
        for (mut effect, siblings) in effects.into_vec().into_iter().zip(siblings) {
            effect.origin = effect.origin.moved(&indices);
            let start = all.len();
            let origin = effect.origin;
            indices.push(u32::try_from(start).ok());
            // The file is one of the repository: that is the name which an allow list has to know. A tree beside the
            // repository is a place of it, too, so there the file has no other name.
            let is_ours = siblings.iter().any(|one| one.via == WORKTREE && one.certainty == effect.certainty);
            if is_ours {
                effect.certainty = effect.certainty.guessed();
            }
            if !is_ours || !self.is_in_near_tree(&effect) {
                all.push(effect);
            }
            for sibling in siblings {
                if !all.iter().skip(start).any(|known| *known == sibling) {
                    all.push(Effect { origin, ..sibling });
                }
            }
        }
        all.into()
    }

    /// The file lies in a work tree beside the repository.
    fn is_in_near_tree(&self, effect: &Effect) -> bool {
        let (Some(target), Some(root)) = (effect.kind.path(), self.world.root()) else { return false };
        let names = self.world.originals(&target.path, effect.certainty);
        let mut trees = names.iter().filter(|name| name.alias_kind == AliasKind::Checkout);
        trees.any(|name| paths::is_beside(&name.alias, root))
    }

    fn siblings(&self, effect: &Effect, looks: &mut Looks) -> Vec<Effect> {
        let mut siblings = Vec::new();
        if let Some(target) = effect.kind.path() {
            siblings.extend(self.below_outer(effect, target));
            siblings.extend(self.absolute(effect, target));
            siblings.extend(checked_out(effect, target));
            if self.world.has_aliases() {
                self.aliased(effect, target, looks, &mut siblings);
                looks.left = looks.left.saturating_sub(siblings.len());
            }
        }
        siblings
    }

    /// `/home`, `~` or `/*` with all below holds the workspace, too.
    fn below_outer(&self, effect: &Effect, target: &PathTarget) -> Option<Effect> {
        let root = self.world.root()?;
        let open = target.path.ends_with("/**");
        if !target.subtree && !open {
            return None;
        }
        let outer = target.path.strip_suffix("/**").unwrap_or(&target.path).trim_end_matches('/');
        let holds = match effect.certainty {
            _ if outer.is_empty() => target.path.starts_with('/'),
            Certainty::Pattern => above(root).any(|above| glob::matches(outer, above)),
            Certainty::Exact | Certainty::Possible => above(root).any(|above| above == outer),
        };
        let home = matches!(target.path.as_str(), "~" | "~/**") && paths::is_below_home(root);
        (holds || home).then(|| {
            let root = PathTarget { path: ".".to_owned(), subtree: true };
            effect.like(at(&effect.kind, root), exact(effect.certainty), effect.via.clone())
        })
    }

    /// Where the workspace is the whole disk, `etc/x` is `/etc/x` to whoever wrote the policy.
    fn absolute(&self, effect: &Effect, target: &PathTarget) -> Option<Effect> {
        let inside = !target.path.starts_with(['/', '~', '*']) && target.path != ".";
        (self.world.root() == Some("/") && inside).then(|| {
            let target = PathTarget { path: format!("/{}", target.path), subtree: target.subtree };
            let certainty = match effect.certainty {
                Certainty::Pattern => Certainty::Pattern,
                Certainty::Exact | Certainty::Possible => Certainty::Possible,
            };
            effect.like(at(&effect.kind, target), certainty, effect.via.clone())
        })
    }

    fn aliased(&self, effect: &Effect, target: &PathTarget, looks: &mut Looks, siblings: &mut Vec<Effect>) {
        if looks.left == 0 {
            siblings.extend(looks.too_many(effect));
            return;
        }
        for name in self.world.originals(&target.path, effect.certainty) {
            siblings.extend(sibling(effect, &name, target));
        }
        let prefix = match effect.certainty {
            Certainty::Pattern => before_glob(&target.path),
            Certainty::Exact | Certainty::Possible if target.subtree && target.path == "." => "",
            Certainty::Exact | Certainty::Possible if target.subtree => target.path.as_str(),
            Certainty::Exact | Certainty::Possible => return,
        };
        for (count, alias) in self.world.aliases_from(prefix).enumerate() {
            looks.left = looks.left.saturating_sub(1);
            if count >= ALIASES || siblings.len() >= SIBLINGS || looks.left == 0 {
                siblings.extend(looks.too_many(effect));
                return;
            }
            let covered = match effect.certainty {
                Certainty::Pattern => glob::matches(&target.path, alias) || glob::matches(&target.shown(), alias),
                Certainty::Exact | Certainty::Possible => {
                    target.path == "." || alias.strip_prefix(&target.path).is_some_and(|rest| rest.starts_with('/'))
                }
            };
            if covered {
                let names = self.world.originals(alias, Certainty::Exact);
                siblings.extend(names.iter().filter_map(|name| sibling(effect, name, target)));
            }
        }
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

/// Agents' own tools make work trees of the repository there: what is below one of them is a file of the repository.
fn checked_out(effect: &Effect, target: &PathTarget) -> Option<Effect> {
    let (tree, path) = target.path.strip_prefix(".claude/worktrees/")?.split_once('/')?;
    let certainty = if tree.contains("**") { Certainty::Pattern } else { effect.certainty };
    let target = PathTarget { path: path.to_owned(), subtree: target.subtree };
    Some(effect.like(at(&effect.kind, target), certainty, WORKTREE.into()))
}

/// The effect on `target` under another name.
fn sibling(effect: &Effect, name: &Name, target: &PathTarget) -> Option<Effect> {
    let same = match effect.kind {
        Kind::Read(_) | Kind::List(_) => true,
        // A new link takes a name, and leaves the file that it leads to.
        Kind::Write(_) if name.within == Within::Itself && matches!(effect.via, Cow::Borrowed(LINK)) => false,
        // A work tree that is made or removed leaves the files of the others.
        Kind::Write(_) | Kind::Delete(_) if name.alias_kind == AliasKind::Checkout => name.within == Within::Directory,
        Kind::Write(_) => name.alias_kind == AliasKind::Same,
        // Deleting a link leaves the original; deleting below a linked directory does not.
        Kind::Delete(_) => name.alias_kind == AliasKind::Same && name.within == Within::Directory,
        _ => false,
    };
    let certainty = match (effect.certainty, name.certainty) {
        (_, Certainty::Pattern) => Certainty::Pattern,
        (Certainty::Possible, _) => Certainty::Possible,
        _ => Certainty::Exact,
    };
    same.then(|| {
        let kind = at(&effect.kind, PathTarget { path: name.path.clone(), subtree: target.subtree });
        let is_checked_out = name.alias_kind == AliasKind::Checkout && name.within == Within::Directory;
        let via = if is_checked_out { WORKTREE.into() } else { format!("alias {}", name.alias).into() };
        effect.like(kind, certainty, via)
    })
}

/// What a call may still look at, and what it has told of the rest.
struct Looks {
    left: usize,
    told: HashSet<About>,
}

impl Looks {
    /// The session made more links than are followed. A call says so once for reading and once for writing.
    fn too_many(&mut self, effect: &Effect) -> Option<Effect> {
        let about = match effect.kind {
            Kind::Write(_) | Kind::Delete(_) => About::Writes,
            _ => About::Reads,
        };
        let opaque = Opaque::new(about, Reason::TooManyLinks, Vec::new());
        self.told.insert(about).then(|| effect.like(Kind::Opaque(opaque), Certainty::Possible, "alias".into()))
    }
}

/// Every directory above the root, and the root.
fn above(root: &str) -> impl Iterator<Item = &str> {
    let shorter = root.match_indices('/').filter_map(|(at, _)| root.get(..at)).filter(|path| !path.is_empty());
    shorter.chain([root])
}

fn exact(certainty: Certainty) -> Certainty {
    match certainty {
        Certainty::Possible => Certainty::Possible,
        Certainty::Exact | Certainty::Pattern => Certainty::Exact,
    }
}

/// The part of a glob before its first metacharacter, up to a whole component.
fn before_glob(pattern: &str) -> &str {
    let literal = pattern.find(['*', '?', '[']).map_or(pattern, |at| pattern.get(..at).unwrap_or(""));
    literal.rfind('/').map_or("", |at| literal.get(..=at).unwrap_or(""))
}

/// The same act on another path.
fn at(kind: &Kind, target: PathTarget) -> Kind {
    match kind {
        Kind::Write(_) => Kind::Write(target),
        Kind::Delete(_) => Kind::Delete(target),
        Kind::List(_) => Kind::List(target),
        _ => Kind::Read(target),
    }
}

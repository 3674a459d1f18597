//! The result of a search as a witness: which of the files that the program gathered did it read?
//!
//! A complete result of a search that is understood settles the effect: the set is only listed, and the files that the rows
//! name are read. Any other result can only speak against the call: a row that names a file of the set shows that it was
//! read. Results never settle anything but searches. A line of a denied file in a result accuses any call that leaves open what
//! it read.

mod denied;
mod dialects;
mod lines;
mod rows;
mod searches;
mod shown;
mod sight;
mod tracked;
mod work_tree;

use std::collections::{BTreeSet, HashMap};

use agent_strace_model::{EventKind, RawText, Session, ToolCall};

use crate::command::knowledge::purpose_of;
use crate::{About, Certainty, Effect, Kind, Opaque, PathTarget, Purpose, Reason, World, glob};
pub use denied::{Denied, DeniedLines, ReadPolicy};
use searches::Search;
pub(crate) use shown::Shown;
pub use sight::{Approval, Proof, Sight, Sighted};
pub use tracked::{Contents, TrackedSearch};
pub use work_tree::{ExistingFile, Look, LookedAt, WorkTree};

/// Bytes of a result that are looked at for the price of one step of work.
const BYTES_A_STEP: usize = 256;
/// Names in results that are compared with the sets of a call, at most.
const LOOKS: usize = 1 << 17;

/// The results of a session by the calls that they answer.
#[derive(Debug, Default)]
pub struct Results<'s> {
    /// Several results that answer one call settle nothing, and each of them accuses.
    texts: HashMap<&'s str, Vec<&'s RawText<'s>>>,
    trust: Trust,
    /// The files whose lines in a result speak against its call.
    denied: Option<Denied<'s>>,
}

/// The weight of results.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Trust {
    /// They settle searches.
    #[default]
    Settles,
    /// They only speak against calls: the policy demands better evidence than the log is.
    Accuses,
}

impl<'s> Results<'s> {
    pub fn of(session: &'s Session<'_>, trust: Trust) -> Self {
        let mut texts: HashMap<&str, Vec<&RawText<'_>>> = HashMap::new();
        for event in &session.events {
            let EventKind::Result(result) = &event.kind else { continue };
            let (Some(id), Some(text)) = (result.call_id.as_deref(), &result.text) else { continue };
            texts.entry(id).or_default().push(text);
        }
        Self { texts, trust, denied: None }
    }

    /// Lines of these files in a result speak against its call.
    #[must_use]
    pub fn against(self, denied: Option<Denied<'s>>) -> Self {
        Self { denied, ..self }
    }

    fn denied(&self) -> Option<Denied<'s>> {
        self.denied
    }

    pub(crate) fn trust(&self) -> Trust {
        self.trust
    }

    fn of_call(&self, call: &ToolCall<'_>) -> &[&'s RawText<'s>] {
        call.call_id.as_deref().map_or(&[], |id| self.texts_of(id))
    }

    /// The results that answer the call of this id.
    fn texts_of(&self, id: &str) -> &[&'s RawText<'s>] {
        self.texts.get(id).map_or(&[], Vec::as_slice)
    }
}

/// The call whose effects are settled, and where it ran.
pub(crate) struct Ran<'c> {
    pub(crate) call: &'c ToolCall<'c>,
    /// The agent that made the call, as the format names it.
    pub(crate) agent: &'static str,
    /// The text of the whole command, where the call runs one.
    pub(crate) command: Option<&'c str>,
    /// The directory in which the call started.
    pub(crate) cwd: Option<String>,
    pub(crate) trust: Trust,
}

/// Settles the searches among the effects of a call by its result.
pub(crate) fn settle(effects: Vec<Effect>, ran: &Ran<'_>, results: &Results<'_>, world: &World) -> Vec<Effect> {
    let is_search = |effect: &Effect| is_of_search(effect, &effects, ran);
    let Some(first) = effects.iter().find(|effect| is_search(effect)) else { return effects };
    let texts: Vec<_> = results.of_call(ran.call).iter().map(|text| text.decode()).collect();
    if texts.is_empty() {
        return effects;
    }
    world.meter().spend(texts.iter().map(|text| text.len()).sum::<usize>() / BYTES_A_STEP);
    let bases = bases(ran);
    let sets: Vec<&PathTarget> =
        effects.iter().filter(|effect| is_search(effect)).filter_map(|e| e.kind.path()).collect();
    let in_sets = |row: &str| located(row, &bases, &sets, world);
    if let [text] = texts.as_slice()
        && let Some(files) = complete(text, &effects, ran, world, in_sets)
    {
        return read_only(effects, &files);
    }
    let form = if prints_names(ran) { rows::Printed::Names } else { rows::Printed::Lines };
    let named: BTreeSet<&str> =
        texts.iter().flat_map(|text| rows::named(without_head(text, ran.agent), form)).collect();
    if named.len().saturating_mul(sets.len()) > LOOKS {
        let opaque = Opaque::new(About::Reads, Reason::TooMuchWork, Vec::new());
        let more = first.like(Kind::Opaque(opaque), Certainty::Possible, "result".into());
        return effects.iter().cloned().chain([Effect { gathered: None, ..more }]).collect();
    }
    let accused: BTreeSet<PathTarget> = named.into_iter().flat_map(in_sets).collect();
    let shown = accused.into_iter().map(|file| first.of_result(file, Certainty::Possible));
    effects.iter().cloned().chain(shown).collect()
}

/// The search prints names alone: a row that is no more than a name is one of a file.
fn prints_names(ran: &Ran<'_>) -> bool {
    let given = ran.call.arguments.members();
    let is_tool = &*ran.call.tool == "Grep";
    let mode = given.as_ref().and_then(|given| given.text("output_mode"));
    let has = |option: &str| ran.command.is_some_and(|text| text.split_whitespace().any(|word| word == option));
    is_tool && matches!(mode.as_deref(), None | Some("files_with_matches"))
        || ["-l", "-rl", "-lr", "-rln", "--files-with-matches", "--files-without-match", "-L"]
            .iter()
            .any(|name| has(name))
}

/// The rows behind what Codex says of the command.
fn without_head<'t>(text: &'t str, agent: &str) -> &'t str {
    let rows = text.split_once("\nOutput:\n").filter(|_| agent == "codex");
    rows.map_or(text, |(_, rows)| rows)
}

/// A search that shows lines of a pattern, or one that may show any line.
fn is_of_search(effect: &Effect, effects: &[Effect], ran: &Ran<'_>) -> bool {
    let by_program = || {
        let parent = effects.get(effect.origin.parent? as usize)?;
        let Kind::Execute(execution) = &parent.kind else { return None };
        let name = execution.argv.first()?.text.rsplit('/').next()?;
        Some(purpose_of(name) == Purpose::Search)
    };
    let is_shown = match effect.gathered {
        Some(Purpose::Search) => true,
        Some(Purpose::Whole) => &*ran.call.tool == "Grep" || by_program() == Some(true),
        Some(Purpose::Check) | None => false,
    };
    is_shown && matches!(effect.kind, Kind::Read(_))
}

/// The files that a complete result names. Only a search for a pattern is settled by it.
fn complete(
    text: &str,
    effects: &[Effect],
    ran: &Ran<'_>,
    world: &World,
    in_sets: impl Fn(&str) -> BTreeSet<PathTarget>,
) -> Option<BTreeSet<PathTarget>> {
    let is_open = effects.iter().any(|effect| effect.gathered == Some(Purpose::Whole));
    if ran.trust == Trust::Accuses || is_open {
        return None;
    }
    let search = Search::of(ran, effects, world)?;
    let rows = search.files(text)?;
    if !rows.iter().all(|row| rows::is_unambiguous(row)) {
        return None;
    }
    let files: Option<Vec<_>> = rows.iter().map(|row| Some(in_sets(row)).filter(|files| !files.is_empty())).collect();
    let files: BTreeSet<PathTarget> = files?.into_iter().flatten().collect();
    files.iter().all(|file| search.lets_in(&file.path)).then_some(files)
}

/// The search read these files and no others of the sets.
fn read_only(effects: Vec<Effect>, files: &BTreeSet<PathTarget>) -> Vec<Effect> {
    let mut reads = Vec::new();
    let mut settled = Vec::with_capacity(effects.len() + files.len());
    for effect in effects {
        match effect.kind {
            Kind::Read(target) if effect.gathered == Some(Purpose::Search) => {
                let effect = Effect { kind: Kind::List(target), via: "result".into(), ..effect };
                if reads.is_empty() {
                    reads.extend(files.iter().map(|file| effect.of_result(file.clone(), Certainty::Exact)));
                }
                settled.push(effect);
            }
            kind => settled.push(Effect { kind, ..effect }),
        }
    }
    settled.append(&mut reads);
    settled
}

impl Effect {
    /// A result shows that this act touched the file.
    fn of_result(&self, file: PathTarget, certainty: Certainty) -> Self {
        Self { gathered: None, ..self.like(Kind::Read(file), certainty, "result".into()) }
    }
}

/// The directories that rows may count from.
fn bases(ran: &Ran<'_>) -> Vec<String> {
    let named = ran.call.arguments.members().and_then(|given| given.text("workdir").or_else(|| given.text("cwd")));
    let own = ran.cwd.clone();
    named.map(std::borrow::Cow::into_owned).into_iter().chain(own).collect()
}

/// The file that a row names, under each directory in which it is one of the sets.
fn located(row: &str, bases: &[String], sets: &[&PathTarget], world: &World) -> BTreeSet<PathTarget> {
    let row = row.replace('\\', "/");
    let from = |base: &String| world.locate_from(base, &row).0;
    let found =
        if bases.is_empty() { vec![world.locate(&row, Certainty::Exact).0] } else { bases.iter().map(from).collect() };
    found.into_iter().filter(|file| sets.iter().any(|set| holds(set, &file.path))).collect()
}

fn holds(set: &PathTarget, file: &str) -> bool {
    if file.is_empty() || file == "." {
        return false;
    }
    if set.path == "." && set.subtree {
        return !file.starts_with(['/', '~']);
    }
    let below = || file.strip_prefix(set.path.trim_end_matches('/')).is_some_and(|rest| rest.starts_with('/'));
    file == set.path || set.subtree && below() || glob::matches(&set.shown(), file)
}

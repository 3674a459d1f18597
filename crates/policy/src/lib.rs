//! `.agent-scope.json` → a validated policy that judges effects, or diagnostics that point into the file.
//!
//! Reading: [`json`] keeps locations, [`parse`] turns values into lists and collects every fault. Judging: deny wins,
//! then an allow list that is not empty must include, else the effect is allowed, or unruled where the policy does not
//! speak of its kind. A deny compares generously (folded, any spelling, any overlap), an allow exactly (all of it
//! proven). The floor and the sensitive list hold without any policy file.
//!
//! This crate must not know logs, rules that look at whole sessions, or reports. Start with [`Policy`], `parse` and `judge`;
//! [`config`] reads the other settings files.
//!
//! # Deviations from version 1 as other tools read it
//!
//! What they deny is denied here, except:
//! - an absolute path below the root is compared relative to it;
//! - an address or a command inside provable data (a commit message, a search pattern) is no connection and no command;
//! - a bare name (`.env`) does not forbid to search a directory that may hold such a file: it counts at the root only.
//!
//! What they allow is refused where it was not the same thing: another case, a program of the same name elsewhere, the
//! second command of a line. Patterns that could never match, unknown keys and wrong types are faults.
//!
//! # Version 2
//!
//! The same evaluator with more to say; what only it knows is a fault in a file of version 1.
//! - Decisions: deny, then ask, then allow, then what a list that is not empty or `defaults.decision` demands. There are no
//!   priorities: order and names change no verdict. What is asked for is a finding (`scope/approval`): no log proves that
//!   a person approved, an exception says so.
//! - Paths are read component by component (`*`, `**`, a leading `/` for the root, `~/`, `//`). `!x` takes something out of
//!   its own list, again in any order. There it is the other way round: what a deny leaves out has to be proven to be
//!   `x`, what an allow leaves out may only look like it.
//! - Commands are words, part by part: program, subcommand behind global options, flags in any order. A deny takes any
//!   option for a global one, an allow only those that are known ([`globals`]).
//! - Rules (`rules`) join the lists of their kind. A rule that only warns hides nothing: what its kind says without such
//!   rules is judged, too, and the stricter answer counts.
//! - Parts for some agents ([`agents`]) and floors ([`extends`]) narrow: the strictest answer of all counts. A base is
//!   read into the policy, list by list, before anything is judged.
//! - Budgets and sequences look at a whole session; they are rules of the crate `agent-strace-rules` with what is parsed here.
//! - Exceptions ([`waivers`]) change no judgement. They cover findings, afterwards.
//!
//! Files that a policy is read from are part of the floor of whoever is judged by it.
//!
//! # Programs
//!
//! `programs` is a key that other readers of version 1 ignore. It changes effects, not verdicts: [`Policy::programs`] is
//! handed to whoever works out effects, before the first one is. The policy comes from the base branch and is trusted;
//! a slip in it must still not open the gate. So an entry
//! - stands for itself where nothing is known about the program: what it does not list is data;
//! - corrects a tool of projects (build tools, linters, package managers, clouds) part by part; what runs other programs, what is
//!   not proven and what has a grammar of its own stays;
//! - only adds effects to any other built-in program, and is a fault where it would add nothing.
//!
//! Its examples are worked out like the commands of a session when the policy is read; one that does not hold is a fault.
//!
//! # What can't be resolved
//!
//! An effect that can't be resolved is never allowed. How much it weighs depends on what the policy demands proof for:
//!
//! | what is unknown | the policy has | level |
//! |---|---|---|
//! | reads, writes, commands or hosts | an allow list of that kind (for hosts: `network.deny_all`) | error |
//! | reads, writes, commands or hosts | only denies of that kind, or nothing | warning: it may be a denied one |
//! | anything: an unknown program, script or variable that decides what runs | an allow list of any kind, or `network.deny_all` | error |
//! | anything | only denies | warning |
//! | the project's own code, run by a known runner (`npm test`, `make`) | an allow list for commands, and no entry that vouches | error |
//! | the project's own code | no allow list for commands | note |
//! | code that the session altered in a way that is not known | an allow list for commands, or `network.deny_all` | error |
//! | files of another revision | `files.write.allow` that leaves out parts of the workspace | warning |
//! | files of another revision | the same, and the change touches nothing outside of it | allowed |
//! | files of another revision | only denies, or `/**` in `files.write.allow` | note |
//! | hidden code: computed, decoded or downloaded | | error |
//! | anything but hidden code that an entry of `commands.allow` vouches for | | allowed |
//!
//! The absence of a list counts for something in two places: who lists no commands lets every command run that no deny
//! names, and a test suite or another revision is what its repository says. An unknown program is not, because no
//! source says what it does; nor is a runner outside of the workspace, or one that is pointed outside of it. `--fail-on warning` makes a
//! policy that only denies as strict as one with allow lists, and lets runners pass.

mod agent_files;
pub mod agents;
pub mod budgets;
pub mod builtin;
mod command;
mod compiled;
pub mod config;
mod covers;
mod diagnostics;
pub mod edit;
mod entries;
mod env;
pub mod evidence;
mod extends;
pub mod file;
mod floor;
mod fold;
pub mod format;
mod glob;
mod globals;
pub mod grammar;
pub mod hooks;
mod host;
mod inline_tests;
pub mod json;
mod judge;
mod load;
mod name;
mod own_places;
mod parse;
mod parts;
mod path;
pub mod prices;
pub mod provenance;
mod ran;
mod sensitive;
pub mod sequences;
pub mod sessions;
mod stated;
mod waivers;
mod words;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use agent_strace_effects::knowledge::Knowledge;
use agent_strace_effects::{Effect, Guarded, PathTarget, Roots, Sight, TrackedSearch};
use agent_strace_model::finding::{Level, PolicyLocation, PolicyRule, RuleId};
use agent_strace_model::prices::Table;

pub use agent_files::{AgentFile, of_path as agent_file};
use agents::Selected;
pub use agents::{Actor, Holds};
use budgets::Budgets;
use compiled::CompiledLists;
pub use diagnostics::{Colour, Diagnostics, quoted};
pub use entries::{EntryTexts, EntryView, Subject};
use evidence::EvidenceRules;
pub use extends::Extended;
use extends::{Assembled, Reader};
pub use floor::{globs as floor_globs, lies_below as floor_above, of_path as floor_of};
pub use glob::{Answer as GlobAnswer, Glob};
pub use globals::takes_value;
use hooks::HookPolicy;
pub(crate) use inline_tests::InlineTest;
pub use inline_tests::{Answer, Caller, TestCall};
pub use load::{load_file, read_text, read_text_from, text};
pub use own_places::OwnPlaces;
pub use parse::{Parser, dotted, nearest};
pub use parts::Parts;
pub use path::FirstName;
use sequences::Sequence;
use sessions::Conditions;
use waivers::Names;
pub use waivers::{Excepted, Origin as WaiverOrigin, Waiver, WaiverCandidate, covered_by};
pub use words::split as words_of;

/// A validated policy.
#[derive(Debug)]
pub struct Policy {
    identity: Option<PolicyIdentity>,
    /// What the file itself states.
    lists: CompiledLists,
    /// What holds beside it, and only narrows it: the strictest judgement counts.
    narrowing: Vec<Narrowing>,
    /// Every entry, in the order of the file.
    entries: Vec<EntryView>,
    /// The same with the members of built-in lists in the place of the entries that name them.
    members: Vec<EntryView>,
    /// What programs do, with what this policy says of them.
    programs: Arc<Knowledge>,
    evidence: EvidenceRules,
    sessions: Conditions,
    budgets: Budgets,
    /// What manifests of agent runtimes forbid beside it.
    hooks: HookPolicy,
    /// What models cost, where that is not what this build knows.
    prices: Option<Arc<Table>>,
    sequences: Vec<Sequence>,
    tests: Vec<InlineTest>,
    examples: usize,
    /// Exceptions of the policy, then what was added to them.
    waivers: Vec<Waiver>,
    /// What exceptions and suppressions can be from.
    names: Names,
    labels: BTreeMap<String, Vec<String>>,
}

/// Which policy judged.
#[derive(Debug, Clone)]
pub struct PolicyIdentity {
    pub path: String,
    /// The revision it was read from, where it came from git.
    pub revision: Option<String>,
    /// Hex digest of its bytes.
    pub sha256: String,
    pub version: u32,
    /// The files that it extends, over all levels.
    pub extends: Vec<Extended>,
}

/// Lists that hold beside those of the policy itself, always or for some agents only.
#[derive(Debug)]
struct Narrowing {
    lists: CompiledLists,
    /// Who they are for; `None`: everybody.
    selected: Option<Selected>,
}

impl Narrowing {
    fn holds(&self, actor: &Actor<'_>) -> Holds {
        self.selected.as_ref().map_or(Holds::Yes, |selected| selected.selector.holds(actor))
    }

    /// A reason of theirs, and for whom it is one.
    fn said(&self, reason: &str, holds: Holds) -> String {
        let Some(selected) = &self.selected else { return reason.to_owned() };
        match holds {
            Holds::Perhaps(why) => format!("{reason} (for `{}`, which may hold: {why})", selected.text),
            Holds::No | Holds::Yes => format!("{reason} (for `{}`)", selected.text),
        }
    }
}

/// What a judgement needs to know beside the effect.
#[derive(Debug, Clone, Copy, Default)]
pub struct Context<'a> {
    /// The session's workspace root: entries below it mean the files relative to it.
    pub root: Option<&'a str>,
    /// Where else paths of the session may count from: what is forbidden there is forbidden.
    pub roots: Option<&'a Roots>,
    /// The text of the whole shell command, given with the first command of a call: what a version 1 deny matched
    /// there is denied still.
    pub raw_command: Option<&'a str>,
    /// Who acts.
    pub actor: Actor<'a>,
    /// The server and the name of the tool that the call uses, where no registry knows what it does.
    pub tool: Option<(Option<&'a str>, &'a str)>,
    pub detail: JudgementDetail,
    /// What the files are called under the most likely root, where they are judged under another one.
    pub first: Option<FirstName<'a>>,
    pub change: ChangeReach,
    /// The search that gathers the files, where the contents of committed files are known.
    pub search: Option<&'a TrackedSearch<'a>>,
    /// All effects of the call: commands among them led to others.
    pub effects: &'a [Effect],

    /// A look at the files of the work tree, where the session runs or ran in one.
    pub sight: Option<&'a Sight<'a>>,
}

/// The files that a session left in the change which is judged with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ChangeReach {
    /// There is no change, or it does not show what the session left behind.
    #[default]
    Unknown,
    /// The session pushed nothing else, and an agent may write every file of the change.
    Writable,
}

/// The detail that a caller needs of a judgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum JudgementDetail {
    #[default]
    Everything,
    /// Only the decision, not whether a sensitive file was touched.
    Decision,
}

/// What the policy says about one effect.
#[derive(Debug, Clone)]
pub struct Judgement {
    pub decision: Decision,
    /// The rule a finding would carry (`scope/read`, `floor/policy`, `scope/unresolved`).
    pub rule: RuleId,
    pub level: Level,
    pub basis: Basis,
    /// `denied by files.read.deny`, `not in files.read.allow`, `no file read policy`, …
    pub reason: String,
    pub location: Option<PolicyLocation>,
    /// The rule of the policy that decided, where it has a name of its own.
    pub policy_rule: Option<Arc<PolicyRule>>,
    /// What the files are called under the root that decided, where that is not the most likely one.
    pub target: Option<PathTarget>,
    /// The effect touched a file on the always-on sensitive list.
    pub sensitive: bool,
    /// The effect changed what agents read as instructions, or what runs by itself.
    pub instructs: bool,
    /// An entry that forbids may speak of one of the files, and that weighs no more than a note.
    pub left_open: Option<Box<LeftOpen>>,
    /// The entry (`!x`) that takes the files out of the allow list that decided.
    pub taken_out_by: Option<Box<PolicyLocation>>,
    /// An entry that allows names the sensitive file, which another one forbids.
    pub is_listed: bool,
    /// The file of the work tree that decided.
    pub seen: Option<String>,
    /// Files of the work tree that an entry denies, and that the effect may have changed.
    pub watched: Vec<String>,
}

/// The entry that may speak of one of the files of an effect, and why that is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOpen {
    pub reason: String,
    pub location: PolicyLocation,
    pub policy_rule: Option<Arc<PolicyRule>>,
}

impl Judgement {
    /// The effect as it is called under the root that decided.
    pub fn effect<'e>(&self, effect: &'e Effect) -> Cow<'e, Effect> {
        match &self.target {
            Some(target) => Cow::Owned(effect.on(target.clone(), effect.certainty)),
            None => Cow::Borrowed(effect),
        }
    }

    /// It is worth reporting.
    pub fn matters(&self) -> bool {
        !matches!(self.decision, Decision::Allowed | Decision::Unruled)
            || self.sensitive
            || self.instructs
            || self.left_open.is_some()
    }
}

/// The part of a policy that a decision rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// An entry of a list matches the effect.
    Entry,
    /// A list as a whole, a default or the built-in floor decides.
    Whole,
    /// No part of the policy speaks about this kind of effect.
    NoPolicy,
}

/// The stricter, the later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Decision {
    /// No part of the policy speaks about this kind of effect.
    Unruled,
    Allowed,
    /// It was not proven allowed: opaque, or a pattern that no allow entry includes.
    Unresolved,
    /// A person has to approve it, and no log records reliably that one did.
    Asked,
    Denied,
}

impl Decision {
    /// In the contract of reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unruled => "unruled",
            Self::Allowed => "allowed",
            Self::Unresolved => "unresolved",
            Self::Asked => "asked",
            Self::Denied => "denied",
        }
    }
}

impl Policy {
    /// No policy file: the floor and the sensitive list only.
    pub fn none() -> Self {
        Self {
            identity: None,
            lists: CompiledLists::default(),
            narrowing: Vec::new(),
            entries: Vec::new(),
            members: Vec::new(),
            programs: Arc::default(),
            evidence: EvidenceRules::default(),
            sessions: Conditions::default(),
            budgets: Budgets::default(),
            hooks: HookPolicy::default(),
            prices: None,
            sequences: Vec::new(),
            tests: Vec::new(),
            examples: 0,
            waivers: Vec::new(),
            names: Names::default(),
            labels: BTreeMap::new(),
        }
    }

    /// `shown`: the file as users know it. `revision`: where it was read from git.
    pub fn from_bytes(shown: &str, revision: Option<String>, bytes: &[u8]) -> Result<Self, Diagnostics> {
        Self::from_source(shown, revision, bytes, &|_| Err("there is nothing to read it from".to_owned()))
    }

    /// The same, with the files that it extends; `read_file` reads them.
    pub fn from_source(
        shown: &str,
        revision: Option<String>,
        bytes: &[u8],
        read_file: Reader<'_>,
    ) -> Result<Self, Diagnostics> {
        let Assembled { own: mut document, floors, extended } = extends::assemble(shown, bytes, read_file)?;
        let mut entries = entries::of(&document.rulebook);
        let mut narrowing = Vec::new();
        for floor in floors {
            entries.extend(entries::of(&floor.rulebook));
            narrowing.push(Narrowing { lists: CompiledLists::new(&floor.rulebook), selected: None });
            document.agents.extend(floor.agents);
            document.sequences.extend(floor.sequences);
            Arc::make_mut(&mut document.programs).merge_base(&floor.programs);
            document.evidence.narrow(&floor.evidence);
            document.sessions.narrow(floor.sessions);
            document.budgets.narrow(floor.budgets);
            document.waivers.extend(floor.waivers);
        }
        for part in document.agents {
            entries.extend(entries::of(&part.rulebook));
            narrowing.push(Narrowing { lists: CompiledLists::new(&part.rulebook), selected: Some(part.selected) });
        }
        let files = extended.iter().map(|file| file.path.as_str()).chain([shown]);
        let lists = CompiledLists::new(&document.rulebook).guarding(files);
        Ok(Self {
            identity: Some(PolicyIdentity {
                path: shown.to_owned(),
                revision,
                sha256: digest(bytes),
                version: document.version.number(),
                extends: extended,
            }),
            lists,
            narrowing,
            entries: entries::by_place(&entries),
            members: entries,
            programs: document.programs,
            evidence: document.evidence,
            sessions: document.sessions,
            budgets: document.budgets,
            hooks: HookPolicy::default(),
            prices: None,
            sequences: document.sequences,
            tests: document.tests,
            examples: document.examples,
            waivers: document.waivers,
            names: document.names,
            labels: document.labels,
        })
    }

    /// What this policy has to answer to, by its own account.
    pub fn tests(&self) -> &[InlineTest] {
        &self.tests
    }

    /// How many examples its rules have: each was checked when the policy was read.
    pub fn examples(&self) -> usize {
        self.examples
    }

    /// Which of the parts that are for some agents only hold for this one: all that judgements depend on of who acts.
    pub fn parts_for(&self, actor: &Actor<'_>) -> Vec<Holds> {
        self.narrowing.iter().filter(|part| part.selected.is_some()).map(|part| part.holds(actor)).collect()
    }

    /// What programs do, with what this policy says of them: effects are worked out with it.
    pub fn programs(&self) -> &Arc<Knowledge> {
        &self.programs
    }

    /// Directories, from the top of the repository, that entries against reading or changing files name.
    pub fn guarded(&self) -> Guarded {
        let forbids = |entry: &&EntryView| matches!(entry.decision, Decision::Denied | Decision::Asked);
        let is_of_files = |entry: &&EntryView| {
            matches!(entry.subject, Subject::Read | Subject::Write | Subject::Delete | Subject::List)
        };
        let entries = self.entries.iter().filter(forbids).filter(is_of_files).flat_map(|entry| {
            let of_builtin = entry.builtin.and_then(builtin::builtin).map(|list| list.entries.as_slice());
            of_builtin.unwrap_or(std::slice::from_ref(&entry.text)).iter().map(String::as_str)
        });
        let labels = self.labels.values().flatten().map(String::as_str);
        Guarded::of(entries.chain(labels))
    }

    /// What missing evidence weighs.
    pub fn evidence(&self) -> &EvidenceRules {
        &self.evidence
    }

    /// Which sessions may be at all.
    pub fn sessions(&self) -> &Conditions {
        &self.sessions
    }

    /// What may not follow each other.
    pub fn sequences(&self) -> &[Sequence] {
        &self.sequences
    }

    /// What a session may spend.
    pub fn budgets(&self) -> &Budgets {
        &self.budgets
    }

    /// What manifests of agent runtimes forbid.
    pub fn hooks(&self) -> &HookPolicy {
        &self.hooks
    }

    /// The same policy, with what judges the agent on this machine: the agent may not change it.
    pub fn guarding(mut self, places: &OwnPlaces) -> Self {
        let identity = self.identity.as_ref();
        let extended = identity.into_iter().flat_map(|identity| &identity.extends).map(|file| file.path.as_str());
        let files = places.files(identity.map(|identity| identity.path.as_str()).into_iter().chain(extended));
        self.lists = self.lists.with_own(files);
        self
    }

    /// The same policy with what manifests forbid.
    pub fn hooked(mut self, hooks: HookPolicy) -> Self {
        self.hooks.add(hooks);
        self
    }

    /// What models cost, where it is not what the table of this build says.
    pub fn prices(&self) -> Option<&Table> {
        self.prices.as_deref()
    }

    /// The same policy with other prices.
    pub fn priced_by(mut self, prices: Arc<Table>) -> Self {
        self.prices = Some(prices);
        self
    }

    /// Exceptions and suppressions: what may be although a rule forbids it.
    pub fn waivers(&self) -> &[Waiver] {
        &self.waivers
    }

    /// What exceptions and suppressions can be from.
    fn names(&self) -> &Names {
        &self.names
    }

    /// The same policy with suppressions beside its exceptions.
    pub fn suppressing(mut self, suppressions: Vec<Waiver>) -> Self {
        self.waivers.extend(suppressions);
        self
    }

    /// `None` when no file judged.
    pub fn identity(&self) -> Option<&PolicyIdentity> {
        self.identity.as_ref()
    }
}

/// A pattern of effects, which names paths, and what lies below them where that is meant, too.
#[derive(Debug)]
pub struct PathPattern {
    glob: Glob,
    below: Option<Glob>,
}

impl PathPattern {
    pub fn new(pattern: &str, subtree: bool) -> Self {
        let below = subtree.then(|| Glob::shell(&format!("{pattern}/**")));
        Self { glob: Glob::shell(pattern), below }
    }

    pub fn matches(&self, path: &str) -> bool {
        self.glob.matches(path) || self.below.as_ref().is_some_and(|below| below.matches(path))
    }
}

/// Hex digest of a file's bytes.
pub fn digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Lower-case hex digits.
pub fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

#[cfg(test)]
mod tests;

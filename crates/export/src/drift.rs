//! Finds acts that an agent's settings let pass although a policy refuses them.
//!
//! Both sides give examples: each entry that allows something in the settings is tried against the policy, and each entry
//! that the policy denies or asks about is tried against the settings. What an engine can't refuse in any settings is no
//! drift: the answer of an export of the policy is the measure. Where no example decides, an entry has to be covered by an
//! entry of the policy word for word; what can't be shown to be covered may allow more.

use std::collections::BTreeSet;

use agent_strace_engine::Entry as Judged;
use agent_strace_model::finding::{Finding, Level, PolicyLocation, RuleId};
use agent_strace_policy::{Decision, EntryView, Policy, Subject};

use super::act::Act;
use super::answer::Answer;
use super::example::{self, Example};
use super::exported_policy::{ExportedPolicy, ROOT, Trouble, judged_call};
use super::granted;
use super::import::{Agent, Entry, Grant, Imported, Kind, Owner, Place, SettingsFile};
use super::paths::{self, Side};
use super::script::{self, Shape};
use super::{Engine, Export};

/// Examples of one entry with a `*` in the middle: a person compares an entry that would need more of them.
const MOST_FILLED: usize = 100;

/// How much more the settings let pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Excess {
    /// The example runs without a question.
    Allows,
    /// Nothing shows that the policy allows all of it.
    MayAllow,
    /// The agent's user is asked, and the policy refuses.
    Asks,
}

impl Excess {
    pub fn name(self) -> &'static str {
        match self {
            Self::Allows => "allows",
            Self::MayAllow => "may-allow",
            Self::Asks => "asks",
        }
    }
}

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drift {
    pub excess: Excess,
    /// The entry of the settings that lets it pass; `None`: no entry names it.
    pub settings: Option<(Place, String)>,
    /// Examples, in words, of acts that one entry of the policy refuses.
    pub acts: Vec<String>,
    /// Why the policy refuses it.
    pub reason: String,
    /// The line and JSON pointer of the policy that refuses it.
    pub policy: Option<(u32, String)>,
}

impl Drift {
    pub fn level(&self) -> Level {
        match self.excess {
            Excess::Allows | Excess::MayAllow => Level::Error,
            Excess::Asks => Level::Warning,
        }
    }

    /// Makes a finding. It points to the entry of the settings that lets the acts pass; without one, to the entry of the policy.
    pub fn finding(&self, agent: Agent) -> Finding {
        const SHOWN: usize = 3;
        let rule = RuleId::PolicySettingsDrift;
        let verb = match self.excess {
            Excess::Allows => "allow",
            Excess::MayAllow => "may allow",
            Excess::Asks => "only ask before they allow",
        };
        let more = self.acts.len().saturating_sub(SHOWN);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let first = self.acts.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
        let message = format!("the settings of {} {verb} to {first}{more}: {}", agent.name(), self.reason);
        let entry = self.settings.as_ref().map_or("", |(_, entry)| entry.as_str());
        let parts = [("rule", rule.as_str()), ("agent", agent.name()), ("entry", entry), ("message", &message)];
        let of_settings = self.settings.as_ref().map(|(place, _)| PolicyLocation {
            pointer: String::new(),
            line: place.line,
            column: place.column,
            file: Some(place.file.as_str().into()),
        });
        let of_policy = || {
            let (line, pointer) = self.policy.clone()?;
            Some(PolicyLocation { pointer, line, column: 1, file: None })
        };
        let fingerprint = agent_strace_engine::fingerprint_of(&parts);
        Finding { policy: of_settings.or_else(of_policy), ..Finding::of_rule(rule, self.level(), message, fingerprint) }
    }
}

/// Compares settings with a policy.
pub fn drift(agent: Agent, imported: &Imported, policy: &Policy) -> Vec<Drift> {
    let export = &super::export(policy, agent.target());
    let said = entries_of(agent, export);
    let mut comparison =
        Comparison { imported, policy, exported: ExportedPolicy::new(policy), export, said, rows: Vec::new() };
    for grant in &imported.grants {
        if grant.decision == Answer::Allow {
            comparison.allowed(grant);
        }
    }
    for (place, entry, reason) in &imported.open {
        let settings = Some((place.clone(), entry.clone()));
        let act = format!("do what `{entry}` lets pass");
        let (excess, reason) = (Excess::MayAllow, (*reason).to_owned());
        comparison.rows.push(Drift { excess, settings, acts: vec![act], reason, policy: None });
    }
    comparison.refused();
    comparison.unlisted();
    folded(comparison.rows)
}

/// One row for each entry of the settings and of the policy that refuses what it lets pass.
fn folded(mut rows: Vec<Drift>) -> Vec<Drift> {
    rows.sort_by(|one, other| (key(one), &one.acts).cmp(&(key(other), &other.acts)));
    let mut all: Vec<Drift> = Vec::new();
    for row in rows {
        match all.last_mut().filter(|last| key(last) == key(&row)) {
            Some(last) => {
                let new: Vec<String> = row.acts.into_iter().filter(|act| !last.acts.contains(act)).collect();
                last.acts.extend(new);
            }
            None => all.push(row),
        }
    }
    all
}

/// The parts that rows of one cause have in common.
fn key(row: &Drift) -> (Excess, Option<&Place>, Option<&str>, Option<&str>, &str) {
    let place = row.settings.as_ref().map(|(place, _)| place);
    let entry = row.settings.as_ref().map(|(_, entry)| entry.as_str());
    let pointer = row.policy.as_ref().map(|(_, pointer)| pointer.as_str());
    (row.excess, place, entry, pointer, &row.reason)
}

struct Comparison<'c> {
    imported: &'c Imported,
    policy: &'c Policy,
    exported: ExportedPolicy<'c>,
    /// The policy in the language of the agent.
    export: &'c Export,
    /// The entries that the export allows, word for word.
    said: BTreeSet<String>,
    rows: Vec<Drift>,
}

/// The entries that the exported file allows, in its own words.
fn entries_of(agent: Agent, export: &Export) -> BTreeSet<String> {
    let path = if agent == Agent::Gemini { "scope.toml" } else { "scope" };
    let file = SettingsFile { path: path.to_owned(), text: export.text.clone(), owner: Owner::Project };
    let read = super::import::import(agent, &[file]);
    let grants = read.map(|imported| imported.grants).unwrap_or_default();
    grants.into_iter().filter(|grant| grant.decision == Answer::Allow).map(|grant| grant.entry).collect()
}

/// The strictest judgement of a call.
struct Verdict {
    answer: Answer,
    strictest: Option<Judged>,
}

impl Comparison<'_> {
    fn judge(&self, example: &Example) -> Verdict {
        let judged = judged_call(self.policy, &example.tool, &example.input);
        let strictest = judged.into_iter().max_by_key(Answer::of);
        Verdict { answer: strictest.as_ref().map_or(Answer::Allow, Answer::of), strictest }
    }

    fn row(&mut self, excess: Excess, grant: Option<&Grant>, act: String, verdict: Option<&Judged>, reason: &str) {
        let reason = verdict.map_or_else(|| reason.to_owned(), |judged| judged.reason.clone());
        let location = verdict.and_then(|judged| judged.location.as_ref());
        self.rows.push(Drift {
            excess,
            settings: grant.map(|grant| (grant.place.clone(), grant.entry.clone())),
            acts: vec![act],
            reason,
            policy: location.map(|location| (location.line, location.pointer.clone())),
        });
    }

    /// An entry of the settings that allows.
    fn allowed(&mut self, grant: &Grant) {
        let examples = granted::examples(grant);
        let filled = self.filled(grant);
        if filled.len() > MOST_FILLED {
            return self.by_eye(grant);
        }
        for example in examples.iter().chain(&filled) {
            let verdict = self.judge(example);
            if verdict.answer > Answer::Allow && self.passes(example) && !self.is_measured(example, Answer::Allow) {
                return self.row(Excess::Allows, Some(grant), example.shown(), verdict.strictest.as_ref(), "");
            }
        }
        if examples.is_empty() && self.said.contains(&grant.entry) {
            return;
        }
        if examples.is_empty() {
            return self.by_eye(grant);
        }
        if !examples.iter().any(|example| self.passes(example)) {
            return self.unshown(grant, &examples);
        }
        match grant.kind {
            Kind::Command => self.arguments(grant),
            Kind::Read | Kind::Edit | Kind::Fetch => self.pattern(grant),
            Kind::WebSearch | Kind::Mcp | Kind::Agent => {}
        }
    }

    fn by_eye(&mut self, grant: &Grant) {
        let act = format!("do what `{}` names", grant.entry);
        let reason = "no example of it can be made: compare it with the policy by eye";
        self.row(Excess::MayAllow, Some(grant), act, None, reason);
    }

    /// An entry of which no example is known to pass: another entry takes it back, or the agent may compare in another way.
    fn unshown(&mut self, grant: &Grant, examples: &[Example]) {
        // The agent may have no tool for the act, which shows nothing.
        let stopped = |example: &&Example| settings_answer(&self.imported.engine, example).is_some();
        let open = examples.iter().filter(stopped).filter(|example| !self.is_taken_back(grant, example));
        let open: Vec<&Example> = open.collect();
        for example in &open {
            let verdict = self.judge(example);
            if verdict.answer > Answer::Allow && !self.is_measured(example, Answer::Allow) {
                let known = verdict.strictest.as_ref();
                return self.row(Excess::MayAllow, Some(grant), example.shown(), known, "");
            }
        }
        let Some(example) = open.first() else { return };
        if grant.kind == Kind::Command {
            let readable = !matches!(&example.act, Act::Shell(text) if script::read(text).shape == Shape::Unparsed);
            if readable && granted::are_its_own(grant) {
                return self.arguments(grant);
            }
            self.by_eye(grant);
        }
    }

    /// An entry of the settings that is as strong denies or asks about it.
    fn is_taken_back(&self, grant: &Grant, example: &Example) -> bool {
        self.imported.grants.iter().filter(|other| other.kind == grant.kind && other.rank >= grant.rank).any(|other| {
            other.decision > Answer::Allow && (other.entry == grant.entry || other.names(&example.act, ROOT))
        })
    }

    /// Commands that the policy refuses and that a pattern with a `*` in the middle names.
    fn filled(&self, grant: &Grant) -> Vec<Example> {
        let refused = || self.exported.about(Subject::Command).filter(|entry| entry.decision != Decision::Allowed);
        let words = || refused().flat_map(|entry| self.exported.patterns(entry));
        let of = |pattern: &String| {
            words().filter_map(|words| granted::filled_with(pattern, &example::command(&words)?)).collect::<Vec<_>>()
        };
        grant.said.spelled.iter().flat_map(of).take(MOST_FILLED + 1).collect()
    }

    /// A command runs with any arguments: the policy may refuse some of them.
    fn arguments(&mut self, grant: &Grant) {
        let listed = grant.said.narrower.iter().filter_map(|entry| match entry {
            Entry::Listed(words) if words != "*" => Some(words.as_str()),
            _ => None,
        });
        let listed = listed.filter(|words| granted::of_words(words).iter().any(|example| self.passes(example)));
        let spelled = grant.said.spelled.iter().filter_map(|pattern| Some(pattern.split_once('*')?.0.trim_end()));
        for words in listed.chain(spelled).map(str::to_owned).collect::<Vec<_>>() {
            let troubles = self.exported.troubles(&words);
            let worst = troubles.into_iter().filter(|trouble| *trouble != Trouble::Arguments).max();
            let Some(trouble) = worst else { continue };
            let act = format!("run `{words}` with any arguments");
            self.row(Excess::MayAllow, Some(grant), act, None, why(trouble));
        }
    }

    /// A pattern whose examples pass has to be covered by an entry of the policy, where the policy has a list.
    fn pattern(&mut self, grant: &Grant) {
        let subject = match grant.kind {
            Kind::Read => Subject::Read,
            Kind::Edit => Subject::Write,
            _ => Subject::Network,
        };
        let speaks = self.exported.limited(subject).is_some() && self.is_limitable(grant.kind);
        if !speaks || self.said.contains(&grant.entry) {
            return;
        }
        let allowed: Vec<String> =
            self.exported.entries(subject, Decision::Allowed).flat_map(|entry| self.exported.patterns(entry)).collect();
        let is_covered = |entry: &Entry| match entry {
            Entry::Listed(text) => allowed.iter().any(|wide| grant.kind.covers(wide, text)),
            _ => false,
        };
        let wider = grant.said.wider.as_deref().unwrap_or_default();
        let covered = !wider.is_empty() && wider.iter().all(is_covered)
            || !grant.said.narrower.is_empty() && grant.said.narrower.iter().all(is_covered);
        if !covered {
            let reason = format!("no entry of the policy's list of {} covers it", subject.name());
            let act = format!("do what `{}` names", grant.entry);
            self.row(Excess::MayAllow, Some(grant), act, None, &reason);
        }
    }

    /// Entries of the policy that deny or ask.
    fn refused(&mut self) {
        let listed: Vec<EntryView> =
            self.exported.listed().chain(self.exported.tools().map(|(entry, _)| entry)).cloned().collect();
        for entry in listed.iter().filter(|entry| entry.decision != Decision::Allowed) {
            for example in self.examples_of(entry) {
                self.against(&example, &format!("{} of the policy", entry.name), Some(entry));
            }
        }
        let floor: Vec<Example> = agent_strace_policy::floor_globs()
            .filter(|glob| !glob.contains(['[', '{', '*']))
            .map(Example::edit)
            .collect();
        for example in floor {
            self.only_if_allowed(&example, "files that decide about the agent are not its own to write");
        }
    }

    fn examples_of(&self, entry: &EntryView) -> Vec<Example> {
        let texts = self.exported.patterns(entry);
        let texts = texts.iter().filter(|text| !text.starts_with('!'));
        let files = |make: fn(&str) -> Example| -> Vec<Example> {
            let version = self.exported.version;
            let patterns = texts.clone().filter_map(|text| paths::of(text, version, Side::Narrower)).flatten();
            patterns.flat_map(|pattern| example::paths(&pattern)).map(|path| make(&path)).collect()
        };
        match entry.subject {
            Subject::Read => files(Example::read),
            Subject::Write | Subject::Delete => files(Example::edit),
            Subject::Command => {
                texts.filter_map(|text| example::command(text)).map(|text| Example::command(&text)).collect()
            }
            // It is what holds where no entry speaks, which is looked at for all kinds.
            Subject::Network if entry.location.pointer.ends_with("/deny_all") => Vec::new(),
            Subject::Network => {
                texts.filter_map(|text| example::host(text)).map(|host| Example::fetch(&host)).collect()
            }
            Subject::Tool => {
                let server =
                    entry.location.pointer.split('/').nth(3).map(|name| name.replace("~1", "/").replace("~0", "~"));
                let tools = texts.filter_map(|text| example::command(text));
                server
                    .into_iter()
                    .flat_map(|server| tools.clone().map(move |tool| Example::tool(&server, &tool)))
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// An example that an entry of the policy refuses.
    fn against(&mut self, example: &Example, reason: &str, entry: Option<&EntryView>) {
        let verdict = self.judge(example);
        let Some(answer) = settings_answer(&self.imported.engine, example) else { return };
        if answer >= verdict.answer || self.is_measured(example, answer) {
            return;
        }
        let excess = if answer == Answer::Allow { Excess::Allows } else { Excess::Asks };
        let grant = self.granting(example).cloned();
        let known = verdict.strictest.as_ref();
        self.row(excess, grant.as_ref().filter(|_| excess == Excess::Allows), example.shown(), known, reason);
        // The entry itself says where the policy speaks, also where its judgement names a list.
        if let (Some(row), Some(entry)) = (self.rows.last_mut(), entry)
            && row.policy.is_none()
        {
            row.policy = Some((entry.location.line, entry.location.pointer.clone()));
        }
    }

    fn only_if_allowed(&mut self, example: &Example, reason: &str) {
        let verdict = self.judge(example);
        if verdict.answer > Answer::Allow && self.passes(example) && !self.is_measured(example, Answer::Allow) {
            let grant = self.granting(example).cloned();
            self.row(Excess::Allows, grant.as_ref(), example.shown(), verdict.strictest.as_ref(), reason);
        }
    }

    /// Acts that no entry of the settings names, where the policy has a list.
    fn unlisted(&mut self) {
        let examples = [
            Example::command("unlisted-program x1"),
            Example::read("/unlisted/x1"),
            Example::edit("unlisted/x1"),
            Example::edit("/unlisted/x1"),
            Example::fetch("unlisted.example"),
            Example::tool("unlisted", "x1"),
            Example::search(),
        ];
        for example in &examples {
            self.only_if_allowed(example, "");
        }
    }

    /// The settings let the example pass without a question.
    fn passes(&self, example: &Example) -> bool {
        settings_answer(&self.imported.engine, example) == Some(Answer::Allow)
    }

    /// An export of the policy lets it pass as far: the agent's language can't say more.
    fn is_measured(&self, example: &Example, answer: Answer) -> bool {
        let best = settings_answer(&self.export.engine, example);
        best.is_some_and(|best| best <= answer)
    }

    /// Returns true if the agent's language can refuse what a list does not hold.
    fn is_limitable(&self, kind: Kind) -> bool {
        let example = match kind {
            Kind::Read => Example::read("/unlisted/x1"),
            Kind::Edit => Example::edit("/unlisted/x1"),
            _ => Example::fetch("unlisted.example"),
        };
        settings_answer(&self.export.engine, &example).is_some_and(|answer| answer > Answer::Allow)
    }

    /// The entry of the settings that lets an act pass.
    fn granting(&self, example: &Example) -> Option<&Grant> {
        let allowing = self.imported.grants.iter().filter(|grant| grant.decision == Answer::Allow);
        allowing.filter(|grant| grant.names(&example.act, ROOT)).max_by_key(|grant| grant.rank)
    }
}

fn settings_answer(engine: &Engine, example: &Example) -> Option<Answer> {
    super::verify::answer(engine, &example.act, ROOT, &[]).map(|(answer, _)| answer)
}

fn why(trouble: Trouble) -> &'static str {
    match trouble {
        Trouble::Reads => "its arguments may name files that the policy keeps from being read",
        Trouble::Writes => "its arguments may name files that the policy keeps from being written",
        Trouble::Connects => "its arguments may name hosts that the policy refuses",
        Trouble::Runs => "it runs what its arguments say, and the policy vouches for none of that",
        Trouble::Arguments => "the policy refuses some of its arguments",
    }
}

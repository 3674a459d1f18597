//! `policy test --mutate`: what the denies of a policy let through when the act is disguised, as text and as JSON (version 1,
//! additive changes only).

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::escape::{shorten, terminal};
use super::paint::Paint;
use super::table::columns;
use super::text::counted;
use super::{Colour, json};
use agent_strace_engine::FailOn;
use agent_strace_engine::policy_testing::lint::shown;
use agent_strace_engine::policy_testing::{FAMILIES, Fragility, MutantCounts, MutantFamily, SurvivingMutant, total};
use agent_strace_model::finding::Level;
use agent_strace_policy::{Decision, TestCall};
use agent_strace_secrets::redact;

/// Disguises of one entry that text shows.
const MOST_SHOWN: usize = 10;
/// Longest call that text shows.
const MOST_CALL: usize = 300;

/// Every entry of one policy that forbids or asks, disguised.
pub struct MutantsReport<'a> {
    pub policy: &'a str,
    pub entries: &'a [Fragility],
    pub fail_on: FailOn,
}

impl MutantsReport<'_> {
    /// 1 where a disguise is let through at or above the level that fails.
    pub fn exit_code(&self) -> u8 {
        let counts = self.counts();
        let heaviest = if counts.passed > 0 || self.entries.iter().any(|entry| entry.dead.is_some()) {
            Some(Level::Error)
        } else {
            (counts.warned > 0).then_some(Level::Warning)
        };
        match self.fail_on {
            FailOn::Never => 0,
            FailOn::Level(level) => u8::from(heaviest.is_some_and(|heaviest| heaviest >= level)),
        }
    }

    fn counts(&self) -> MutantCounts {
        total(self.entries.iter().map(Fragility::counts))
    }

    pub fn text(&self, colour: Colour) -> String {
        let paint = Paint(colour);
        let mut lines = Vec::new();
        for entry in self.entries {
            of_entry(entry, &paint, &mut lines);
        }
        let mut text = if lines.is_empty() { String::new() } else { lines.join("\n") + "\n\n" };
        text.push_str(&families_table(self.entries));
        text.push_str(&self.summary(&paint));
        text
    }

    fn summary(&self, paint: &Paint) -> String {
        let (policy, counts) = (terminal(self.policy), self.counts());
        if self.entries.is_empty() {
            return format!("{policy}: no entry forbids or asks, so nothing was disguised\n");
        }
        let mut said = Vec::new();
        if counts.tried > 0 {
            let families = match of_families(self.entries).len() {
                1 => "1 family".to_owned(),
                families => format!("{families} families"),
            };
            let (refused, tried) = (counts.refused(), counted(counts.tried, "disguise"));
            let unresolved = match counts.unresolved {
                0 => String::new(),
                unresolved => format!(", {unresolved} of them because they could not be resolved"),
            };
            said.push(format!("{refused} of {tried} in {families} refused{unresolved}"));
        }
        if counts.warned > 0 {
            said.push(format!("{} only warned about", counts.warned));
        }
        if counts.passed > 0 {
            said.push(format!("{} let through", counts.passed));
        }
        let dead = self.entries.iter().filter(|entry| entry.dead.is_some()).count();
        if dead > 0 {
            said.push(format!("{} not refused in plain words", counted_entries(dead)));
        }
        let untried = self.entries.iter().filter(|entry| entry.families.is_empty() && entry.dead.is_none()).count();
        if untried > 0 {
            said.push(format!("{} not tried, as no example can be made of the pattern", counted_entries(untried)));
        }
        let word = if self.exit_code() == 0 { paint.good("ok") } else { paint.error("FAILED") };
        format!("{word} {policy}: {}\n", said.join("; "))
    }

    pub fn json(&self) -> String {
        let counts = self.counts();
        json::to_text(&Document {
            schema_version: 1,
            exit_code: self.exit_code(),
            policy: self.policy,
            disguises: Counts::of(counts),
            families: of_families(self.entries)
                .into_iter()
                .map(|(family, counts)| FamilyOfDisguises {
                    family: family.id,
                    name: family.name,
                    about: family.about,
                    counts: Counts::of(counts),
                })
                .collect(),
            entries: self.entries.iter().map(DisguisedEntry::new).collect(),
        })
    }
}

fn counted_entries(count: usize) -> String {
    if count == 1 { "1 entry".to_owned() } else { format!("{count} entries") }
}

/// The families that were tried, with what became of their disguises.
pub(super) fn of_families(entries: &[Fragility]) -> Vec<(&'static MutantFamily, MutantCounts)> {
    let mut all: BTreeMap<&str, MutantCounts> = BTreeMap::new();
    for (family, counts) in entries.iter().flat_map(|entry| &entry.families) {
        all.entry(family).or_default().add(*counts);
    }
    FAMILIES.iter().filter_map(|family| Some((family, *all.get(family.id)?))).collect()
}

fn families_table(entries: &[Fragility]) -> String {
    let families = of_families(entries);
    if families.is_empty() {
        return String::new();
    }
    let head = ["families of disguises", "tried", "denied", "not resolved", "warned", "let through", "how it is done"];
    let mut rows = vec![head.map(str::to_owned)];
    rows.extend(families.into_iter().map(|(family, counts)| {
        let MutantCounts { tried, caught, unresolved, warned, passed } = counts;
        let [tried, caught, unresolved, warned, passed] =
            [tried, caught, unresolved, warned, passed].map(|count| count.to_string());
        [format!("{} {}", family.id, family.name), tried, caught, unresolved, warned, passed, family.about.to_owned()]
    }));
    columns(&rows) + "\n"
}

/// Nothing for an entry that refuses everything that was tried.
fn of_entry(found: &Fragility, paint: &Paint, lines: &mut Vec<String>) {
    let entry = &found.entry;
    let name = |text: &str| terminal(redact(text).as_str());
    let head =
        |what: String| format!("{} `{}` (line {}) {what}", name(&entry.name), name(&entry.text), entry.location.line);
    if let Some(dead) = &found.dead {
        let what = format!("does not even refuse {}: say it so that this is refused, or remove it", quoted(dead));
        lines.push(head(what));
    }
    if found.survivors.is_empty() {
        return;
    }
    let counts = found.counts();
    lines.push(head(format!("refuses {} of {}", counts.refused(), counted(counts.tried, "disguise"))));
    let mut survivors: Vec<&SurvivingMutant> = found.survivors.iter().collect();
    survivors.sort_by_key(|survivor| survivor.warned);
    for survivor in survivors.iter().take(MOST_SHOWN) {
        let word = if survivor.warned { paint.warning("warned") } else { paint.error("let through") };
        lines.push(format!("  {word} {} {}: {}", survivor.family, survivor.what, quoted(&survivor.calls)));
        lines.extend(survivor.advice.iter().map(|advice| format!("    help: {}", name(advice))));
    }
    let more = survivors.len().saturating_sub(MOST_SHOWN);
    if more > 0 {
        lines.push(format!("  {more} more; `--format json` lists all"));
    }
}

fn quoted(calls: &[TestCall]) -> String {
    shorten(&terminal(redact(shown(calls)).as_str()), MOST_CALL)
}

/// What `agent-strace policy test --mutate` found.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(title = "agent-strace policy test --mutate, version 1"))]
pub(super) struct Document<'a> {
    schema_version: u32,
    exit_code: u8,
    policy: &'a str,
    /// Over all entries and families.
    disguises: Counts,
    /// The families that were tried.
    families: Vec<FamilyOfDisguises>,
    /// Every entry and rule of the policy itself that denies or asks.
    entries: Vec<DisguisedEntry<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Disguises"))]
struct Counts {
    tried: usize,
    /// An entry forbids them.
    denied: usize,
    /// They are refused because they can't be resolved.
    unresolved: usize,
    /// They are reported at a level that does not fail.
    warned: usize,
    /// They pass without a word.
    let_through: usize,
}

impl Counts {
    fn of(counts: MutantCounts) -> Self {
        let MutantCounts { tried, caught, unresolved, warned, passed } = counts;
        Self { tried, denied: caught, unresolved, warned, let_through: passed }
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct FamilyOfDisguises {
    /// `F01` and so on.
    family: &'static str,
    name: &'static str,
    /// How it is done, in one sentence.
    about: &'static str,
    #[serde(flatten)]
    counts: Counts,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct DisguisedEntry<'a> {
    /// `commands.deny[0]`, or the id of a rule.
    entry: String,
    pattern: String,
    /// `deny` or `ask`.
    effect: &'static str,
    pointer: &'a str,
    line: u32,
    /// `null`, or an example that is not even refused in plain words.
    not_refused: Option<String>,
    disguises: Counts,
    families: Vec<OfFamily>,
    slips: Vec<Slip<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OfFamily {
    family: &'static str,
    #[serde(flatten)]
    counts: Counts,
}

/// A disguise that the gate lets through.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "LetThrough"))]
struct Slip<'a> {
    family: &'static str,
    what: &'a str,
    /// The calls in one line, for people.
    shown: String,
    calls: Vec<Call>,
    /// It is reported, at a level that does not fail.
    warned: bool,
    /// Changes of the policy that refuse it.
    help: Vec<String>,
}

/// A call, as a test of a policy states it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "DisguisedCall"))]
struct Call {
    tool: String,
    input: Value,
}

impl<'a> DisguisedEntry<'a> {
    fn new(found: &'a Fragility) -> Self {
        let entry = &found.entry;
        let text = |text: &str| redact(text).as_str().to_owned();
        Self {
            entry: text(&entry.name),
            pattern: text(&entry.text),
            effect: if entry.decision == Decision::Asked { "ask" } else { "deny" },
            pointer: &entry.location.pointer,
            line: entry.location.line,
            not_refused: found.dead.as_ref().map(|calls| text(&shown(calls))),
            disguises: Counts::of(found.counts()),
            families: found
                .families
                .iter()
                .map(|(family, counts)| OfFamily { family, counts: Counts::of(*counts) })
                .collect(),
            slips: found.survivors.iter().map(Slip::new).collect(),
        }
    }
}

impl<'a> Slip<'a> {
    fn new(survivor: &'a SurvivingMutant) -> Self {
        let text = |text: &str| redact(text).as_str().to_owned();
        let call = |call: &TestCall| {
            let arguments = text(&call.arguments);
            Call {
                tool: call.tool.clone(),
                input: serde_json::from_str(&arguments).unwrap_or(Value::String(arguments)),
            }
        };
        Self {
            family: survivor.family,
            what: survivor.what,
            shown: text(&shown(&survivor.calls)),
            calls: survivor.calls.iter().map(call).collect(),
            warned: survivor.warned,
            help: survivor.advice.iter().map(|advice| text(advice)).collect(),
        }
    }
}

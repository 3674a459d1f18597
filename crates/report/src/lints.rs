//! `policy lint`: what is unwise in a policy, and what its denies let through, as text and as JSON (version 1, additive
//! changes only).

use serde::Serialize;

use super::escape::{shorten, terminal};
use super::mutants::of_families;
use super::paint::Paint;
use super::table::columns;
use super::{Colour, json};
use agent_strace_engine::policy_testing::lint::{CODES, Code, Lint, Lints, shown};
use agent_strace_engine::policy_testing::{Fragility, MutantCounts, MutantFamily, total};
use agent_strace_model::finding::Level;
use agent_strace_secrets::redact;

/// Slips of one deny that text shows.
const MOST_SLIPS: usize = 5;

/// Longest name of a deny in the table, which fits 80 columns then.
const MOST_NAME: usize = 48;

/// The lints of some policies.
pub struct LintReport {
    /// Each with the file as it was named.
    pub files: Vec<(String, Lints)>,
}

impl LintReport {
    /// The heaviest of all lints.
    pub fn heaviest(&self) -> Option<Level> {
        self.files.iter().flat_map(|(_, lints)| &lints.found).map(|lint| lint.level).max()
    }

    pub fn text(&self, colour: Colour) -> String {
        let paint = Paint(colour);
        let mut text = String::new();
        for (file, lints) in &self.files {
            let file = terminal(file);
            for lint in &lints.found {
                text.push_str(&line(lint, &file, &paint));
                let deny = lints.denies.iter().find(|deny| deny.entry.location == lint.location);
                if let Some(deny) = deny.filter(|_| lint.code.id == "POL004") {
                    text.push_str(&slips(deny));
                }
            }
            if !lints.found.is_empty() {
                text.push('\n');
            }
            text.push_str(&scores(&lints.denies));
            text.push_str(&summary(&file, lints, &paint));
        }
        text
    }

    pub fn json(&self) -> String {
        json::to_text(&Document { schema_version: 1, files: self.files.iter().map(document).collect() })
    }
}

/// One code, or all in a table.
pub fn lint_codes(code: Option<&Code>) -> String {
    match code {
        Some(code) => format!("{} ({}): {}\n\n{}\n", code.id, code.name, code.summary, code.text),
        None => columns(
            &CODES
                .iter()
                .map(|code| [code.id.to_owned(), code.name.to_owned(), code.summary.to_owned()])
                .collect::<Vec<_>>(),
        ),
    }
}

pub(super) fn line(lint: &Lint, file: &str, paint: &Paint) -> String {
    let location = &lint.location;
    let help = lint.help.as_ref().map_or_else(String::new, |help| format!("  help: {}\n", shown_of_policy(help)));
    let level = paint.level(lint.level);
    format!(
        "{level}  {} {file}:{}:{}: {}\n{help}",
        lint.code.id,
        location.line,
        location.column,
        shown_of_policy(&lint.message)
    )
}

/// Text of a policy for a terminal: a policy is committed, and an entry may hold a token all the same.
fn shown_of_policy(text: &str) -> String {
    terminal(redact(text).as_str())
}

fn slips(deny: &Fragility) -> String {
    let mut text = String::new();
    for slip in deny.survivors.iter().take(MOST_SLIPS) {
        let warned = if slip.warned { "  (a warning)" } else { "" };
        text.push_str(&format_slip(slip.family, slip.what, &shown(&slip.calls), warned));
    }
    let more = deny.survivors.len().saturating_sub(MOST_SLIPS);
    if more > 0 {
        text.push_str(&format_more(more));
    }
    text
}

fn format_slip(family: &str, what: &str, calls: &str, warned: &str) -> String {
    format!("    {family} {what}: {}{warned}\n", shown_of_policy(calls))
}

fn format_more(more: usize) -> String {
    format!("    {more} more; `--format json` lists all\n")
}

fn scores(denies: &[Fragility]) -> String {
    let mut rows =
        vec![["denies in disguise".to_owned(), "refused".to_owned(), "of".to_owned(), "not resolved".to_owned()]];
    for deny in denies {
        let name = format!("  {} {}", shown_of_policy(&deny.entry.name), shown_of_policy(&deny.entry.text));
        let name = shorten(&name, MOST_NAME);
        let counts = deny.counts();
        if counts.tried == 0 {
            rows.push([name, "no example".to_owned(), String::new(), String::new()]);
        } else {
            rows.push([name, counts.refused().to_string(), counts.tried.to_string(), counts.unresolved.to_string()]);
        }
    }
    if rows.len() == 1 { String::new() } else { columns(&rows) + &families(denies) }
}

/// The families that were tried, with how many disguises of each were refused.
fn families(denies: &[Fragility]) -> String {
    let families = of_families(denies);
    if families.is_empty() {
        return String::new();
    }
    let one = |(family, counts): &(&MutantFamily, MutantCounts)| {
        format!("{} {} {}/{}", family.id, family.name, counts.refused(), counts.tried)
    };
    format!("disguises refused/tried: {}\n", families.iter().map(one).collect::<Vec<_>>().join(", "))
}

fn summary(file: &str, lints: &Lints, paint: &Paint) -> String {
    let count = |level| lints.found.iter().filter(|lint| lint.level == level).count();
    let counts = [(Level::Error, "error"), (Level::Warning, "warning"), (Level::Note, "note")];
    let counts: Vec<String> = counts
        .into_iter()
        .map(|(level, name)| (count(level), name))
        .filter(|(count, _)| *count > 0)
        .map(|(count, name)| format!("{count} {name}{}", if count == 1 { "" } else { "s" }))
        .collect();
    let found = if counts.is_empty() { paint.good("nothing to say") } else { counts.join(", ") };
    let counts = total(lints.denies.iter().map(Fragility::counts));
    let families = of_families(&lints.denies).len();
    let tried = match counts.tried {
        0 => String::new(),
        tried => format!(
            "; denies refuse {} of {tried} disguises in the {families} families tried (`policy test --mutate`)",
            counts.refused()
        ),
    };
    format!("{file}: {found}{tried}\n")
}

fn document((path, lints): &(String, Lints)) -> File<'_> {
    File {
        path,
        lints: lints.found.iter().map(One::new).collect(),
        refused: lints.denies.iter().map(|deny| deny.counts().refused()).sum(),
        tried: lints.denies.iter().map(|deny| deny.counts().tried).sum(),
        families: of_families(&lints.denies)
            .into_iter()
            .map(|(family, counts)| FamilyCounts {
                family: family.id,
                name: family.name,
                refused: counts.refused(),
                tried: counts.tried,
            })
            .collect(),
        denies: lints.denies.iter().map(deny_document).collect(),
    }
}

fn deny_document(deny: &Fragility) -> Deny {
    let counts = deny.counts();
    Deny {
        entry: redact(&deny.entry.name).as_str().to_owned(),
        line: deny.entry.location.line,
        tried: counts.tried,
        denied: counts.caught,
        unresolved: counts.unresolved,
        slips: deny
            .survivors
            .iter()
            .map(|slip| Slip {
                family: slip.family,
                what: slip.what,
                calls: redact(shown(&slip.calls)).as_str().to_owned(),
                warned: slip.warned,
            })
            .collect(),
    }
}

/// What `agent-strace policy lint` found.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(title = "agent-strace policy lint, version 1"))]
pub(super) struct Document<'a> {
    schema_version: u32,
    files: Vec<File<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct File<'a> {
    path: &'a str,
    lints: Vec<One<'a>>,
    /// Disguises of everything that is denied that the gate refuses.
    refused: usize,
    tried: usize,
    /// The families that were tried.
    families: Vec<FamilyCounts>,
    denies: Vec<Deny>,
}

/// How many disguises of a family were tried.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct FamilyCounts {
    /// `F01` and so on.
    family: &'static str,
    name: &'static str,
    refused: usize,
    tried: usize,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct One<'a> {
    /// `POL001` and so on: `policy lint --explain CODE` says what it means.
    code: &'static str,
    name: &'static str,
    /// `error`, `warning` or `note`.
    level: &'static str,
    message: String,
    help: Option<String>,
    pointer: &'a str,
    line: u32,
    column: u32,
}

impl<'a> One<'a> {
    pub(super) fn new(lint: &'a Lint) -> Self {
        Self {
            code: lint.code.id,
            name: lint.code.name,
            level: lint.level.name(),
            message: redact(&lint.message).as_str().to_owned(),
            help: lint.help.as_ref().map(|help| redact(help).as_str().to_owned()),
            pointer: &lint.location.pointer,
            line: lint.location.line,
            column: lint.location.column,
        }
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Deny {
    entry: String,
    line: u32,
    /// Disguises of what it forbids; 0 where no example could be made.
    tried: usize,
    /// Those that an entry forbids.
    denied: usize,
    /// Those that are refused because they can't be resolved.
    unresolved: usize,
    slips: Vec<Slip>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Slip {
    /// `F01` and so on.
    family: &'static str,
    what: &'static str,
    calls: String,
    /// It is reported, at a level that does not fail.
    warned: bool,
}

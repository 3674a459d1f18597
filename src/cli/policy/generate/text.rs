//! A generated policy for people: what it allows and why, what it leaves to them, and the policy itself.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::GenerateReport;
use agent_strace_effects::{Effect, Kind};
use agent_strace_engine::generate::{self, Basis, HeldOut, Probed, Review, Seen, Slot, Verdict, Written};
use agent_strace_report::terminal;

/// Lines of one reason.
const MOST: usize = 12;
/// Characters of one effect.
const LONGEST: usize = 100;

pub(super) fn text(told: &GenerateReport<'_>) -> String {
    let sessions = told.observed.sessions.len();
    let mut text = format!("Policy suggestion from {}:\n", counted(sessions, "session"));
    sections(&mut text, &told.draft.entries);
    review(&mut text, &told.draft.review);
    probed(&mut text, told.probed);
    if let Some(held_out) = told.held_out {
        measured(&mut text, told, held_out);
    }
    match told.written {
        Some(file) => {
            let shown = terminal(&file.display().to_string());
            let _ = writeln!(text, "\nPolicy written to {shown}");
            let _ = writeln!(text, "Next: review it, commit it, and let `agent-strace check` judge by it.");
        }
        None if told.draft.entries.is_empty() => {
            let _ = writeln!(text, "\nNothing is added: the policy stays as it is.");
        }
        None => {
            let _ = write!(text, "\nGenerated policy (dry run):\n{}", printable(&told.draft.text));
        }
    }
    text
}

/// The policy is data from logs: no character of it moves the cursor. JSON has escapes for all of them.
fn printable(text: &str) -> String {
    text.lines().fold(String::with_capacity(text.len()), |shown, line| shown + &terminal(line) + "\n")
}

fn sections(text: &mut String, entries: &[Written]) {
    type Holds = fn(&Slot) -> bool;
    const TITLES: [(&str, Holds); 8] = [
        ("Files read (allow)", |slot| *slot == Slot::Read),
        ("Files written (allow)", |slot| *slot == Slot::Write),
        ("Files deleted (allow)", |slot| *slot == Slot::Delete),
        ("Commands (allow)", |slot| *slot == Slot::Commands),
        ("Network hosts (allow)", |slot| *slot == Slot::Network),
        ("MCP tools (allow)", |slot| matches!(slot, Slot::Mcp(_))),
        ("Environment variables (allow)", |slot| *slot == Slot::Env),
        ("Sub-agents (allow)", |slot| *slot == Slot::Spawn),
    ];
    for (title, holds) in TITLES {
        // What every policy has comes from no session.
        let is_shown = |entry: &&Written| entry.seen.calls > 0 || entry.basis == Basis::Except;
        let of_slot: Vec<&Written> = entries.iter().filter(|entry| holds(&entry.slot)).filter(is_shown).collect();
        if of_slot.is_empty() {
            continue;
        }
        let _ = writeln!(text, "\n{title}:");
        let is_own = |basis| matches!(basis, Basis::Seen | Basis::Stranger | Basis::Builtin(_));
        for entry in of_slot.iter().filter(|entry| is_own(entry.basis)) {
            let shown = match &entry.slot {
                Slot::Mcp(server) => format!("{server}: {}", entry.text),
                _ => entry.text.clone(),
            };
            let _ = writeln!(text, "  {:<40} {}", terminal(&shown), seen(&entry.seen));
        }
        families(text, &of_slot);
        let except: Vec<&str> =
            of_slot.iter().filter(|entry| entry.basis == Basis::Except).map(|entry| entry.text.as_str()).collect();
        if !except.is_empty() {
            let _ = writeln!(text, "  but not: {}", terminal(&except.join(", ")));
        }
    }
}

fn families(text: &mut String, entries: &[&Written]) {
    let mut names: Vec<&str> = Vec::new();
    for entry in entries {
        if let Basis::Family(name) | Basis::Kin(name) = entry.basis
            && !names.contains(&name)
        {
            names.push(name);
        }
    }
    for name in names {
        let is_member = |entry: &&&Written| [Basis::Family(name), Basis::Kin(name)].contains(&entry.basis);
        let members: Vec<&&Written> = entries.iter().filter(is_member).collect();
        let Some(first) = members.first() else { continue };
        let _ = writeln!(text, "  {name}, {}:", seen(&first.seen));
        let listed = members.iter().map(|entry| entry.text.as_str()).collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "    {}", terminal(&listed));
    }
}

fn review(text: &mut String, review: &[Review]) {
    if review.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "\nDone in these sessions and not allowed ({}); what you want agents to do, allow by hand:",
        review.len()
    );
    let mut at = review.iter().peekable();
    while let Some(first) = at.peek() {
        let reason = first.reason.text();
        let mut count = 0_usize;
        let _ = writeln!(text, "  {}", terminal(agent_strace_secrets::redact(&reason).as_str()));
        while let Some(item) = at.next_if(|item| item.reason.text() == reason) {
            count += 1;
            if count <= MOST {
                let _ = writeln!(text, "    {:<60} {}", shown(&item.effect), seen(&item.seen));
            }
        }
        if count > MOST {
            let _ = writeln!(text, "    … and {} more; `--format json` lists all", count - MOST);
        }
    }
}

/// The effect in one line that may be shown.
pub(super) fn shown(effect: &Effect) -> String {
    let line = match &effect.kind {
        Kind::Execute(execution) => {
            let words = execution.argv.iter().map(|argument| argument.text.as_str());
            let words: Vec<String> =
                agent_strace_secrets::redact_words(words).iter().map(|word| word.as_str().to_owned()).collect();
            format!("run {}", words.join(" "))
        }
        _ => agent_strace_secrets::redact(generate::described(effect)).as_str().to_owned(),
    };
    let line = terminal(&line);
    if line.chars().nth(LONGEST).is_none() {
        return line;
    }
    line.chars().take(LONGEST).chain(['…']).collect()
}

fn probed(text: &mut String, probed: &[Probed]) {
    let _ = writeln!(
        text,
        "\nActs that no session did: {} of those that were tried are allowed (each kind weighs the same):",
        tenths(tenths_over(probed))
    );
    let kinds: Vec<String> = probed
        .iter()
        .filter(|one| one.asked > 0)
        .map(|one| format!("{} {} of {}", one.kind, one.allowed, one.asked))
        .collect();
    let _ = writeln!(text, "  {}", kinds.join(", "));
}

const SAID: [(Verdict, &str); 3] = [
    (Verdict::Denied, "refused for nothing: the policy would allow it had it seen it; more sessions make it wider"),
    (
        Verdict::HeldBack,
        "refused on purpose: sensitive files, and what destroys, publishes or gives rights; people allow it by hand",
    ),
    (
        Verdict::Unresolved,
        "refused as not known: the log does not show what they do; an entry by hand can vouch for the command",
    ),
];

fn measured(text: &mut String, told: &GenerateReport<'_>, held_out: &[HeldOut]) {
    let sum = |of: &dyn Fn(&HeldOut) -> usize| held_out.iter().map(of).sum::<usize>();
    let calls = sum(&|one| one.calls);
    let sessions = held_out.iter().filter(|one| one.calls > 0).count();
    let _ = writeln!(
        text,
        "\nEach session was judged by a policy made from the others ({}, {}):",
        counted(sessions, "session"),
        counted(calls, "call")
    );
    for (verdict, said) in SAID {
        let part = sum(&|one| one.refused(verdict));
        let _ = writeln!(text, "  {part:>5} {:>7}  {said}", share(part, calls));
    }
    let clean = held_out.iter().filter(|one| one.calls > 0 && one.refused(Verdict::Denied) == 0).count();
    let _ = writeln!(text, "  In {clean} of the sessions nothing is refused for nothing.");
    for one in held_out.iter().filter(|one| one.calls > 0) {
        let id = told.observed.sessions.get(one.session as usize).map_or("", |session| session.id.as_str());
        let _ = writeln!(
            text,
            "  {:<40} {:>4} calls: {} refused for nothing, {} on purpose, {} as not known",
            terminal(agent_strace_secrets::redact(id).as_str()),
            one.calls,
            one.refused(Verdict::Denied),
            one.refused(Verdict::HeldBack),
            one.refused(Verdict::Unresolved)
        );
    }
    effects(text, held_out, Verdict::Denied, "Refused for nothing");
    effects(text, held_out, Verdict::HeldBack, "Refused on purpose");
}

/// The effects with one verdict over all sessions, the most frequent first.
fn effects(text: &mut String, held_out: &[HeldOut], verdict: Verdict, title: &str) {
    let mut calls: BTreeMap<(&str, Option<String>), usize> = BTreeMap::new();
    for one in held_out.iter().flat_map(|one| &one.effects).filter(|one| one.verdict == verdict) {
        let reason = one.reason.as_ref().map(|reason| agent_strace_secrets::redact(reason.text()).as_str().to_owned());
        *calls.entry((&one.described, reason)).or_default() += one.calls;
    }
    let mut all: Vec<((&str, Option<String>), usize)> = calls.into_iter().collect();
    all.sort_by_key(|(_, calls)| std::cmp::Reverse(*calls));
    if !all.is_empty() {
        let _ = writeln!(text, "  {title}, the most frequent first:");
    }
    for ((effect, reason), calls) in all.iter().take(MOST) {
        let shown = terminal(agent_strace_secrets::redact(*effect).as_str());
        let shown: String = shown.chars().take(LONGEST).collect();
        let reason = reason.as_ref().map_or_else(String::new, |reason| format!(": {}", terminal(reason)));
        let _ = writeln!(text, "    {shown:<60} {}{reason}", counted(*calls, "call"));
    }
    if all.len() > MOST {
        let _ = writeln!(text, "    … and {} more; `--format json` lists all", all.len() - MOST);
    }
}

fn seen(seen: &Seen) -> String {
    let mut text = format!("{} in {}", counted(seen.calls, "call"), counted(seen.sessions, "session"));
    if let (Some(first), Some(last)) = (seen.first, seen.last) {
        let day = |time: jiff::Timestamp| time.to_string().chars().take(10).collect::<String>();
        let (first, last) = (day(first), day(last));
        let _ = if first == last { write!(text, ", {first}") } else { write!(text, ", {first} to {last}") };
    }
    text
}

pub(super) fn counted(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// In percent, with one digit, rounded up: nothing is made better than it is.
fn share(part: usize, whole: usize) -> String {
    tenths(tenths_of(part, whole))
}

fn tenths(tenths: usize) -> String {
    format!("{}.{} %", tenths / 10, tenths % 10)
}

fn tenths_of(part: usize, whole: usize) -> usize {
    (part * 1000).div_ceil(whole.max(1))
}

/// The same as a number.
pub(super) fn percent(part: usize, whole: usize) -> f64 {
    number(tenths_of(part, whole))
}

fn number(tenths: usize) -> f64 {
    f64::from(u32::try_from(tenths).unwrap_or(u32::MAX)) / 10.0
}

/// Programs are many, and hosts are few: each kind weighs the same.
pub(super) fn over_permission(probed: &[Probed]) -> f64 {
    number(tenths_over(probed))
}

fn tenths_over(probed: &[Probed]) -> usize {
    let asked = || probed.iter().filter(|one| one.asked > 0);
    asked().map(|one| tenths_of(one.allowed, one.asked)).sum::<usize>().div_ceil(asked().count().max(1))
}

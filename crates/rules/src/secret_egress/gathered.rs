//! Files that a program gathered, and that an entry may deny, were sent to another host: by the call that gathered them, or
//! from a file in which an earlier call packed them.

use std::collections::{BTreeSet, HashMap};

use agent_strace_effects::knowledge::COUNTING;
use agent_strace_effects::{Certainty, Effect, Kind, Purpose};
use agent_strace_model::finding::{Level, RuleId};
use agent_strace_policy::Decision;

use super::{Act, Hit, RULE, egress, happened};

/// Files of one call that packed files are followed through: `tar c . > a; base64 a > b; curl -T b HOST`.
const ROUNDS: usize = 8;

/// Programs that search, their options that show names or counts alone, and short options that may stand in one word with
/// those because they take no value.
const SEARCHING: &[(&[&str], &str, &str)] = &[
    (&["egrep", "fgrep", "ggrep", "git", "grep"], "clL", "EFGHIPhinoqrswx"),
    (&["rg", "ripgrep"], "cl", "FHPINinoqswx"),
];
const WITHOUT_LINES: &[&str] = &["--count", "--files-with-matches", "--files-without-match", "--name-only"];

/// Files that a call gathered, and the reason why one of them may be denied.
#[derive(Debug, Clone)]
struct Gathered {
    event: u32,
    files: String,
    reason: String,
}

/// The reads of a call that an entry may deny, by the way that their content goes.
#[derive(Debug, Default)]
struct Sources {
    /// The shell passes it on to a connection.
    sent: Option<Gathered>,
    /// The shell passes it on to a file.
    stored: Option<Gathered>,
    /// One program reads it and does more: by the command.
    of_programs: HashMap<u32, Gathered>,
}

pub(super) fn check(acts: &[Act<'_>], hits: &mut Vec<Hit>) {
    let mut packed: HashMap<&str, Gathered> = HashMap::new();
    let mut from = 0;
    while let Some(first) = acts.get(from) {
        let length = acts.iter().skip(from).take_while(|act| act.event == first.event).count();
        let call = acts.get(from..from + length).unwrap_or_default();
        let sources = pack(call, &mut packed);
        send(call, from, &sources, hits);
        from += length;
    }
}

/// Reports the first connection to each host that gets what the call gathered.
fn send(call: &[Act<'_>], from: usize, sources: &Sources, hits: &mut Vec<Hit>) {
    let mut reported = BTreeSet::new();
    for (at, act) in call.iter().enumerate() {
        // A connection that the policy denies is an error without this.
        let host = egress(act).filter(|_| act.judgement.decision != Decision::Denied);
        let Some(host) = host else { continue };
        let passed = sources.sent.as_ref().filter(|_| act.effect.origin.sent);
        let Some(found) = passed.or_else(|| sources.of_program(act.effect)) else { continue };
        if !reported.insert(host.clone()) {
            continue;
        }
        let Gathered { event, files, reason } = found;
        let is_earlier = *event != act.event;
        let when = if is_earlier { format!(", which event {event} packed") } else { String::new() };
        let message = format!("sends files of `{files}` to {host}{when}: {reason}");
        let since = if is_earlier { vec![(*event, format!("packs files of `{files}`"))] } else { Vec::new() };
        hits.push(Hit { since, ..Hit::at(from + at, &RULE, Level::Error, message) });
    }
}

/// Remembers the files in which the call stores what it gathered, and forgets those that it replaced or deleted.
fn pack<'a>(call: &[Act<'a>], packed: &mut HashMap<&'a str, Gathered>) -> Sources {
    let event = call.first().map_or(0, |act| act.event);
    let mut sources = Sources::of(call, packed);
    for _ in 0..ROUNDS {
        let known = packed.len();
        for (act, path) in call.iter().filter_map(|act| Some((act, written(act)?))) {
            let passed = sources.stored.as_ref().filter(|_| act.effect.origin.stored);
            if let Some(found) = passed.or_else(|| sources.of_program(act.effect)) {
                packed.entry(path).or_insert_with(|| found.clone());
            }
        }
        if packed.len() == known {
            break;
        }
        sources = Sources::of(call, packed);
    }
    for (act, path) in call.iter().filter_map(|act| Some((act, written(act)?))) {
        let is_kept = act.effect.origin.stored && sources.stored.is_some() || sources.of_program(act.effect).is_some();
        // It may not have run.
        if !is_kept && act.effect.origin.ran && packed.get(path).is_some_and(|found| found.event < event) {
            packed.remove(path);
        }
    }
    sources
}

/// The file that an act writes or deletes for sure.
fn written<'a>(act: &Act<'a>) -> Option<&'a str> {
    let (Kind::Write(target) | Kind::Delete(target)) = &act.effect.kind else { return None };
    let is_sure = happened(act) && act.effect.certainty == Certainty::Exact && !target.subtree;
    is_sure.then_some(target.path.as_str())
}

impl Sources {
    fn of(call: &[Act<'_>], packed: &HashMap<&str, Gathered>) -> Self {
        let mut all = Self::default();
        for act in call {
            let Some(found) = source(act, call, packed) else { continue };
            let origin = act.effect.origin;
            if origin.sent {
                all.sent.get_or_insert_with(|| found.clone());
            }
            if origin.stored {
                all.stored.get_or_insert_with(|| found.clone());
            }
            if let Some(parent) = origin.parent {
                all.of_programs.entry(parent).or_insert(found);
            }
        }
        all
    }

    /// What the program read that did this, too: it is not the shell that connects the two.
    fn of_program(&self, effect: &Effect) -> Option<&Gathered> {
        self.of_programs.get(&effect.origin.parent?)
    }
}

/// What an act read that an entry may deny: files that its program gathered, or a file in which they were packed.
fn source(act: &Act<'_>, call: &[Act<'_>], packed: &HashMap<&str, Gathered>) -> Option<Gathered> {
    let Kind::Read(target) = &act.effect.kind else { return None };
    if !happened(act) || act.effect.origin.named || shows_no_content(act, call) {
        return None;
    }
    let is_open = act.judgement.decision == Decision::Unresolved
        && act.judgement.rule == RuleId::ScopeUnresolved
        && act.judgement.level < Level::Error;
    let open = act.judgement.left_open.as_ref().map(|open| &open.reason);
    let is_gathered = matches!(act.effect.gathered, Some(Purpose::Search | Purpose::Whole));
    let reason = open.or_else(|| is_open.then_some(&act.judgement.reason)).filter(|_| is_gathered);
    match reason {
        Some(reason) => Some(Gathered { event: act.event, files: target.shown().into_owned(), reason: reason.clone() }),
        None => packed.get(target.path.as_str()).cloned(),
    }
}

/// The program shows numbers or names, which are no content.
fn shows_no_content(act: &Act<'_>, call: &[Act<'_>]) -> bool {
    let parent = act.effect.origin.parent.and_then(|parent| call.get(parent as usize));
    let Some(Kind::Execute(execution)) = parent.map(|parent| &parent.effect.kind) else { return false };
    let mut words = execution.argv.iter().map(|word| word.text.as_str());
    let name = words.next().map_or("", |program| program.rsplit('/').next().unwrap_or(program));
    if COUNTING.contains(&name) {
        return true;
    }
    let Some((_, short, beside)) = SEARCHING.iter().find(|(names, ..)| names.contains(&name)) else { return false };
    let is_known = |word: &str| {
        let letters = word.strip_prefix('-').unwrap_or_default();
        !letters.is_empty() && letters.chars().all(|letter| short.contains(letter) || beside.contains(letter))
    };
    // Behind any other option the word may be its value, and behind a pattern an operand.
    let options = words.skip_while(|word| name == "git" && *word != "grep").skip(usize::from(name == "git"));
    let mut options = options.take_while(|word| is_known(word) || WITHOUT_LINES.contains(word));
    options.any(|word| WITHOUT_LINES.contains(&word) || word.contains(|letter| short.contains(letter)))
}

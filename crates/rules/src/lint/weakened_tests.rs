//! Tests that were deleted or switched off before the agent said that it succeeded.

use std::collections::{BTreeMap, HashMap};

use super::calls::Called;
use super::context::{LintContext, LintEvent};
use super::edits::name;
use super::{edits, lint, vocabulary};
use crate::Hit;
use agent_strace_effects::patch::PatchedFile as Edit;
use agent_strace_effects::{Certainty, Effect, Kind};
use agent_strace_model::EventKind;

lint!(
    WEAKENED_TESTS = LintWeakenedTests,
    "weakened-tests",
    Warning,
    "tests were deleted or switched off, and then success was claimed",
    [],
    look
);

/// A test that is gone.
struct Weakened {
    event: u32,
    path: String,
    how: &'static str,
}

/// How a file of the session began.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Began {
    /// It was there: it was read, or a piece of it replaced.
    There,
    /// The session itself wrote it: it may take it back.
    Here,
}

fn look(context: &LintContext<'_>, hits: &mut Vec<Hit>) {
    // Most sessions touch no tests, and need not be gone through.
    if !context.calls.list.iter().any(may_weaken) {
        return;
    }
    let mut began: BTreeMap<&str, Began> = BTreeMap::new();
    let mut weakened: Vec<Weakened> = Vec::new();
    let mut claimed = None;
    for event in context.events() {
        match event {
            LintEvent::Call(call) if !call.was_refused() && !call.failed() => {
                let edits = edits_of_tests(call);
                weakened.extend(deleted(call, &began));
                weakened.extend(switched_off(call, &edits, &began));
                note(call, &edits, &mut began);
            }
            // What is said before anything was weakened claims nothing that matters.
            LintEvent::Message(event) if !weakened.is_empty() && context.is_main(event) => {
                if let EventKind::Message(text) = &event.kind
                    && vocabulary::claims_success(&text.decode())
                {
                    claimed = Some(event.number);
                }
            }
            _ => {}
        }
    }
    for Weakened { event, path, how } in weakened {
        if let Some(claim) = claimed.filter(|claim| *claim > event) {
            let message = format!("{how} `{path}`, and event {claim} says that the work succeeded");
            hits.push(context.hit(event..=claim, message, vec![("path", path), ("how", how.to_owned())]));
        }
    }
}

/// It deletes something, or writes a test.
fn may_weaken(call: &Called<'_>) -> bool {
    call.done().any(|effect| matches!(effect.kind, Kind::Delete(_)) || writes_test(effect))
}

fn writes_test(effect: &Effect) -> bool {
    matches!(&effect.kind, Kind::Write(target) if vocabulary::is_test(&target.path))
}

/// What a call puts into tests, and takes from them; other calls need not be read.
fn edits_of_tests(call: &Called<'_>) -> Vec<Edit> {
    if call.done().any(writes_test) { edits::of(call.call) } else { Vec::new() }
}

/// What a call says about how files began.
fn note<'a>(call: &Called<'a>, edits: &[Edit], began: &mut BTreeMap<&'a str, Began>) {
    let whole = edits.iter().all(|edit| edit.old.is_none());
    for effect in call.done() {
        let (path, how) = match &effect.kind {
            Kind::Read(target) => (&target.path, Began::There),
            Kind::Write(target) => (&target.path, if whole { Began::Here } else { Began::There }),
            _ => continue,
        };
        began.entry(path).or_insert(how);
    }
}

/// What is renamed is no loss, unless it is put where no test runner looks.
fn deleted(call: &Called<'_>, began: &BTreeMap<&str, Began>) -> Vec<Weakened> {
    let keeps = |effect: &Effect| {
        let Kind::Write(target) = &effect.kind else { return false };
        let tests = vocabulary::is_test(&target.path) || target.subtree && vocabulary::are_tests(&target.path);
        tests && effect.certainty != Certainty::Possible && !vocabulary::is_put_aside(&target.path)
    };
    let moves = || call.done().any(keeps);
    let gone = call.done().filter_map(|effect| match &effect.kind {
        Kind::Delete(target) if effect.certainty == Certainty::Exact && !target.subtree => {
            Some(target.path.as_str()).filter(|path| vocabulary::is_test(path))
        }
        Kind::Delete(target) if effect.certainty != Certainty::Possible => {
            Some(target.path.as_str()).filter(|path| vocabulary::are_tests(path))
        }
        _ => None,
    });
    let ours = |path: &&str| began.get(path) != Some(&Began::Here);
    // What lies outside of the workspace is no test of this project.
    let inside = |path: &&str| !path.starts_with(['/', '~']);
    let how = if call.done().any(is_move) { "moves away the test" } else { "deletes the test" };
    let weakened = |path: &str| Weakened { event: call.event, path: path.to_owned(), how };
    let gone: Vec<Weakened> = gone.filter(ours).filter(inside).map(weakened).collect();
    if gone.is_empty() || moves() { Vec::new() } else { gone }
}

/// `mv x y`, `git mv x y`
fn is_move(effect: &Effect) -> bool {
    let Kind::Execute(execution) = &effect.kind else { return false };
    let mut words = execution.argv.iter().map(|word| word.text.as_str());
    match words.next().map(|program| program.rsplit('/').next().unwrap_or(program)) {
        Some("mv") => true,
        Some("git") => words.any(|word| word == "mv"),
        _ => false,
    }
}

fn switched_off(call: &Called<'_>, edits: &[Edit], began: &BTreeMap<&str, Began>) -> Vec<Weakened> {
    let mut weakened = Vec::new();
    let written: HashMap<&str, &str> = call.written().rev().map(|path| (name(path), path)).collect();
    for edit in edits {
        let more = edit.old.as_deref().is_some_and(|old| vocabulary::skips(&edit.new) > vocabulary::skips(old));
        let path = written.get(name(&edit.path)).filter(|path| more && began.get(*path) != Some(&Began::Here));
        if let Some(path) = path {
            weakened.push(Weakened { event: call.event, path: (*path).to_owned(), how: "switches tests off in" });
        }
    }
    weakened
}

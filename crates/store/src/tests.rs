//! What is imported reads as its log does; nothing overwrites anything else; nothing leaves the store.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agent_strace_testing::corpus::data;
use rayon::prelude::*;

use super::json::compact;
use super::{Change, Imported, Origin, Run, Secrets, Written, directory, import};
use agent_strace_effects::{Roots, Tracker};
use agent_strace_engine::{Entries, judge_guarded};
use agent_strace_ingest::discover::{Selection, Source, select};
use agent_strace_ingest::{Log, Reading};
use agent_strace_model::evidence::Chain;
use agent_strace_model::finding::Finding;
use agent_strace_model::{Arguments, EventKind, RawText, Session};
use agent_strace_policy::Policy;

const POLICY: &str = r#"{
  "files": {"read": {"allow": ["src/**"], "deny": [".env", "*.pem"]}, "write": {"allow": ["src/**"], "deny": [".github/**"]}},
  "commands": {"allow": ["cargo test", "git diff", "cat", "ls"], "deny": ["curl", "git push", "rm -rf"]},
  "network": {"deny_all": true, "allow": ["localhost"]}
}"#;

fn store_all(store: &Path, log: &Log, reading: &Reading<'_>, secrets: Secrets) -> Vec<Written> {
    let name = log.shown.rsplit('/').next().unwrap();
    let write = |(at, session)| {
        let source = Origin { name, bytes: log.bytes(), session: at };
        import(store, &Imported { session, gaps: &reading.gaps, source, secrets }, Run::Real).unwrap()
    };
    reading.sessions.iter().enumerate().map(write).collect()
}

/// The log of a session in the store.
fn stored(store: &Path, written: &Written) -> Log {
    let found = select(store, std::slice::from_ref(&written.directory), Selection::All).unwrap();
    assert!(found.gaps.is_empty(), "{:?}", found.gaps);
    assert_eq!(found.sources.len(), 1);
    found.sources[0].load().unwrap()
}

fn plain(text: &RawText<'_>) -> String {
    match text {
        RawText::Json(json) if !json.trim_start().starts_with('"') => compact(json, Secrets::Keep),
        other => other.decode().into_owned(),
    }
}

/// Everything a session says, a line each; ids of calls only where `ids` has them.
fn told(session: &Session<'_>, ids: &[bool]) -> Vec<String> {
    let mut lines = vec![format!(
        "root={:?} parent={:?} filed={:?} agent={} format={} unknown={} {:?} {:?} {:?}",
        session.root,
        session.parent,
        session.filed_under,
        session.agent,
        session.dialect.name,
        session.unknown_records,
        session.usage,
        session.attribution,
        session.streams,
    )];
    let mut evidence = session.evidence.clone();
    evidence.subagents.iter_mut().for_each(|subagent| subagent.event = 0);
    evidence.restarts.iter_mut().for_each(|restart| restart.event = 0);
    // The digests are not imported: only that one was wrong is still known.
    if !matches!(evidence.chain, Chain::Broken(_)) {
        evidence.chain = Chain::None;
    }
    lines.push(format!("{evidence:?}"));
    let events = session.events.iter().enumerate().filter(|(at, event)| is_told(session, *at, &event.kind));
    for (index, (at, event)) in events.enumerate() {
        let mut line = format!("{:?} {:?} ", event.time, event.origin);
        match &event.kind {
            EventKind::Call(call) => {
                let arguments = match &call.arguments {
                    Arguments::Json(json) => format!("json {}", compact(json, Secrets::Keep)),
                    other => format!("{other:?}"),
                };
                let id = call.call_id.as_deref().filter(|_| ids.get(index).copied().unwrap_or(true));
                write!(
                    line,
                    "call {id:?} {} {:?} {:?} {:?} {arguments}",
                    call.tool, call.status, call.cwd, call.subagent
                )
                .unwrap();
            }
            EventKind::Result(result) => {
                let text = result.text.as_ref().map(plain);
                let id = result.call_id.as_deref().filter(|_| ids.get(index).copied().unwrap_or(true));
                write!(line, "result {id:?} {} {text:?}", result.is_error).unwrap();
            }
            EventKind::Prompt(words) => write!(line, "prompt {}", plain(words)).unwrap(),
            EventKind::Message(words) => write!(line, "message {}", plain(words)).unwrap(),
            EventKind::Failure(words) => write!(line, "failure {}", plain(words)).unwrap(),
            EventKind::Decision(words) => write!(line, "decision {}", plain(words)).unwrap(),
            EventKind::Reasoning(words) => write!(line, "reasoning {}", plain(words)).unwrap(),
            EventKind::Command(words) => write!(line, "command {}", plain(words)).unwrap(),
            EventKind::Instruction(words) => write!(line, "instruction {}", plain(words)).unwrap(),
            EventKind::Repeat(call) => {
                let EventKind::Call(call) = &session.events[*call].kind else { panic!("a repeat of no call") };
                write!(line, "repeat {}", call.tool).unwrap();
            }
            other => write!(line, "{other:?}").unwrap(),
        }
        for (_, label) in session.labels.iter().filter(|(position, _)| *position == at) {
            write!(line, " {label:?}").unwrap();
        }
        lines.push(line);
    }
    for cost in &session.spent {
        let before = session.events.iter().take(cost.after).enumerate();
        let after = before.filter(|(at, event)| is_told(session, *at, &event.kind)).count();
        lines.push(format!(
            "{after} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
            cost.origin, cost.time, cost.message, cost.model, cost.tier, cost.usage, cost.window
        ));
    }
    lines
}

/// Starts and ends frame a session; what says nothing is not stored.
fn is_told(session: &Session<'_>, at: usize, kind: &EventKind<'_>) -> bool {
    let labelled = || session.labels.iter().any(|(position, _)| *position == at);
    !matches!(kind, EventKind::Start | EventKind::End(_)) && (!matches!(kind, EventKind::Other) || labelled())
}

/// Which events have an id of their own for their call: the store gives one to those that have none.
fn ids(session: &Session<'_>) -> Vec<bool> {
    let told = session.events.iter().enumerate().filter(|(at, event)| is_told(session, *at, &event.kind));
    told.map(|(_, event)| match &event.kind {
        EventKind::Call(call) => call.call_id.is_some(),
        EventKind::Result(result) => result.call_id.is_some(),
        _ => true,
    })
    .collect()
}

/// What the gate sees and says.
fn judged(session: &Session<'_>) -> Vec<String> {
    let policy = Policy::from_bytes("policy", None, POLICY.as_bytes()).unwrap();
    let roots = Roots::only(session.root.as_deref());
    let mut tracker = Tracker::new(session, &roots).with_programs(policy.programs());
    let effects = session.events.iter().flat_map(|event| tracker.effects(event));
    let mut lines: Vec<_> = effects.map(|effect| format!("{:?}", effect.view())).collect();
    let outcome = judge_guarded(session, Vec::new(), &policy, Entries::Drop, &Arc::default());
    // Where several events of a log have one number, what they share is reported once: in the store each has its own.
    let shown = |finding: &Finding| format!("{} {:?} {}", finding.rule, finding.level, finding.fingerprint);
    let findings: BTreeSet<_> = outcome.findings.iter().map(shown).collect();
    lines.extend(findings);
    lines
}

/// Round trips of all logs in a folder: how many sessions, and what differs.
fn round_trips(folder: &Path) -> (usize, Vec<String>) {
    let found = select(Path::new("/nonexistent"), &[folder.to_string_lossy().into_owned()], Selection::All).unwrap();
    let trip = |source: &Source| {
        let mut wrong = Vec::new();
        let logs = source.logs().0;
        let sessions: usize = logs.iter().map(|log| round_trip(Path::new(&log.shown), log, &mut wrong)).sum();
        (sessions, wrong)
    };
    let trips: Vec<_> = found.sources.par_iter().map(trip).collect();
    (trips.iter().map(|(sessions, _)| sessions).sum(), trips.into_iter().flat_map(|(_, wrong)| wrong).collect())
}

/// Imports one log, reads what is stored, and says what differs.
fn round_trip(path: &Path, log: &Log, wrong: &mut Vec<String>) -> usize {
    let store = tempfile::tempdir().unwrap();
    let reading = log.read();
    let written = store_all(store.path(), log, &reading, Secrets::Keep);
    for (session, written) in reading.sessions.iter().zip(&written) {
        let again = stored(store.path(), written);
        let back = again.read();
        let name = format!("{} {}", path.display(), session.id);
        let [imported] = back.sessions.as_slice() else {
            wrong.push(format!("{name}: {} sessions: {:?}", back.sessions.len(), back.gaps));
            continue;
        };
        if back.gaps.len() != reading.gaps.len() {
            wrong.push(format!("{name}: gaps {:?} became {:?}", reading.gaps, back.gaps));
        }
        let ids = ids(session);
        let mut imported = imported.clone();
        // Of several sessions in one log nobody says whose records there were.
        if session.evidence.records == 0 {
            imported.evidence.records = 0;
        }
        differ(&name, &told(session, &ids), &told(&imported, &ids), wrong);
        differ(&name, &judged(session), &judged(&imported), wrong);
    }
    let before = files(store.path());
    for written in store_all(store.path(), log, &reading, Secrets::Keep) {
        if written.change != Change::Unchanged {
            wrong.push(format!("{}: again, {:?}", path.display(), written));
        }
    }
    if before != files(store.path()) {
        wrong.push(format!("{}: importing it again changed files", path.display()));
    }
    written.len()
}

fn differ(name: &str, before: &[String], after: &[String], wrong: &mut Vec<String>) {
    if before.len() != after.len() {
        wrong.push(format!("{name}: {} lines became {}", before.len(), after.len()));
    }
    if let Some((before, after)) = before.iter().zip(after).find(|(before, after)| before != after) {
        let cut = |text: &str| text.chars().take(600).collect::<String>();
        wrong.push(format!("{name}:\n  {}\n  {}", cut(before), cut(after)));
    }
}

/// Every file of a store, with its text.
fn files(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            found.extend(files(&entry));
        } else {
            found.push((entry.clone(), fs::read_to_string(&entry).unwrap()));
        }
    }
    found.sort();
    found
}

#[test]
fn fixtures_come_back_as_they_were() {
    let (sessions, wrong) =
        round_trips(&Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("fixtures/logs"));
    assert!(sessions > 40, "only {sessions} sessions");
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn real_logs_come_back_as_they_were() {
    for data in data() {
        let (sessions, wrong) = round_trips(&data.corpus());
        assert!(sessions > data.either(25, 150), "only {sessions} sessions");
        assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    }
}

/// Imports a text as the log `name`.
fn put(store: &Path, name: &str, text: &str) -> Vec<Written> {
    let log = Log::new(name, text.as_bytes().to_vec());
    let reading = log.read();
    store_all(store, &log, &reading, Secrets::Keep)
}

fn claude(session: &str, commands: &[&str]) -> String {
    let line = |(at, command): (usize, &&str)| {
        serde_json::json!({
            "type": "assistant", "sessionId": session, "uuid": format!("u{at}"), "timestamp": "2026-11-01T10:00:00.000Z",
            "cwd": "/home/dana/rates",
            "message": {"role": "assistant", "content": [
                {"type": "tool_use", "id": format!("t{at}"), "name": "Bash", "input": {"command": command}}]},
        })
        .to_string()
    };
    commands.iter().enumerate().map(line).collect::<Vec<_>>().join("\n") + "\n"
}

#[test]
fn a_log_that_has_grown_takes_the_place_of_what_it_was() {
    let store = tempfile::tempdir().unwrap();
    let change = |text: &str| put(store.path(), "s.jsonl", text)[0].change;
    assert_eq!(change(&claude("s", &["ls"])), Change::Added);
    assert_eq!(change(&claude("s", &["ls", "cat a"])), Change::Updated);
    assert_eq!(change(&claude("s", &["ls", "cat a"])), Change::Unchanged);
    // An older copy takes nothing away.
    assert_eq!(change(&claude("s", &["ls"])), Change::Kept);
    // Nor does one that was written anew with more in it.
    let anew = claude("s", &["ls", "cat a", "cat b"]).replace("u0", "other");
    assert_eq!(change(&anew), Change::Updated);
    assert_eq!(fs::read_dir(store.path()).unwrap().count(), 1);
}

#[test]
fn two_logs_with_one_session_id_are_two_sessions() {
    let store = tempfile::tempdir().unwrap();
    let first = claude("s", &["ls"]);
    let second = claude("s", &["rm -rf x"]);
    let names = |text: &str| put(store.path(), "s.jsonl", text)[0].clone();
    assert_eq!(names(&first).directory, "s");
    assert_eq!(names(&second).directory, "s.2");
    let before = files(store.path());
    assert_eq!(names(&second), Written { directory: "s.2".into(), change: Change::Unchanged });
    assert_eq!(names(&first), Written { directory: "s".into(), change: Change::Unchanged });
    assert_eq!(before, files(store.path()));
}

#[test]
fn what_others_recorded_is_never_touched() {
    let store = tempfile::tempdir().unwrap();
    let folder = store.path().join("s");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("events.ndjson"), "{\"event_type\":\"session_start\",\"event_id\":\"a\"}\n").unwrap();
    assert_eq!(put(store.path(), "s.jsonl", &claude("s", &["ls"]))[0].directory, "s.2");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
}

#[test]
fn hostile_ids_stay_in_the_store() {
    let world = tempfile::tempdir().unwrap();
    let store = world.path().join("store");
    let ids = [
        "..",
        "../x",
        "/etc/x",
        "a/b",
        "a\\b",
        ".hidden",
        "-rf",
        "con",
        "COM1.x",
        "x.",
        "a b",
        "\u{202e}x",
        "workspaces",
        "a\0b",
        "c:x",
        "\u{1f600}",
        "~",
        "$HOME",
        "x\ny",
        &"l".repeat(300),
    ];
    let mut names = BTreeSet::new();
    for id in ids {
        let written = put(&store, "log.jsonl", &claude(id, &[&format!("echo {}", names.len())]));
        let name = &written[0].directory;
        assert!(name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(letter)), "{name}");
        assert!(name.len() <= 100 && !name.starts_with('.') && names.insert(name.clone()), "{id:?}: {name}");
        assert!(store.join(name).join("meta.json").is_file(), "{id:?}");
    }
    assert_eq!(fs::read_dir(world.path()).unwrap().count(), 1);
    assert_eq!(directory("019977aa-0000.x_Y"), "019977aa-0000.x_Y");
}

#[cfg(unix)]
#[test]
fn links_are_not_written_through() {
    let world = tempfile::tempdir().unwrap();
    let (store, outside) = (world.path().join("store"), world.path().join("outside"));
    fs::create_dir(&store).unwrap();
    fs::create_dir(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, store.join("s")).unwrap();
    assert_eq!(put(&store, "s.jsonl", &claude("s", &["ls"]))[0].directory, "s.2");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
}

#[test]
fn secrets_can_be_left_out() {
    let store = tempfile::tempdir().unwrap();
    let secret = format!("ghp_{}", "a1B2".repeat(9));
    let log =
        Log::new("s.jsonl", claude("s", &[&format!("curl -H 'token: {secret}' https://example.com")]).into_bytes());
    let reading = log.read();
    let change = |secrets| store_all(store.path(), &log, &reading, secrets)[0].change;
    assert_eq!(change(Secrets::Keep), Change::Added);
    assert!(files(store.path()).iter().any(|(_, text)| text.contains(&secret)));
    assert_eq!(change(Secrets::Redact), Change::Updated);
    assert!(files(store.path()).iter().all(|(_, text)| !text.contains(&secret)));
    assert_eq!(change(Secrets::Redact), Change::Unchanged);
    let found = select(store.path(), &[], Selection::All).unwrap();
    let log = found.sources[0].load().unwrap();
    assert!(log.read().gaps.is_empty());
}

#[test]
fn an_incomplete_log_stays_incomplete() {
    let store = tempfile::tempdir().unwrap();
    let text = claude("s", &["ls"]) + "{\"type\":\"assistant\",\"mess";
    let written = put(store.path(), "s.jsonl", &text);
    let log = stored(store.path(), &written[0]);
    let reading = log.read();
    assert_eq!(reading.gaps.len(), 1, "{:?}", reading.gaps);
    assert!(reading.sessions[0].evidence.truncated);
    // When the log is whole again, so is the session.
    put(store.path(), "s.jsonl", &claude("s", &["ls", "cat a"]));
    assert!(stored(store.path(), &written[0]).read().gaps.is_empty());
}

//! Every fixture against its snapshot; hostile bytes; the corpus.

mod contradictions;
mod corpus;
mod databases;
mod facts;
mod formats;
mod hostile;
mod mutations;
mod overlooked;
mod ran;
mod restarts;
mod scan;
mod speakers;
mod texts;
mod unended;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use super::discover::{Selection, select};
use super::{Log, Reading};
use agent_strace_model::{Access, Arguments, EventKind, Session};

/// Longer texts are cut in snapshots.
const SHOWN: usize = 100;

fn fixtures() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("fixtures/logs")
}

/// Logs and store entries of `fixtures/logs/<dialect>/`, sorted.
fn logs() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for dialect in fs::read_dir(fixtures()).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        for entry in fs::read_dir(dialect).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "snap") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn fixtures_read_as_their_snapshots_say() {
    let update = std::env::var_os("UPDATE_SPECS").is_some();
    let mut wrong = Vec::new();
    for path in logs() {
        let got = snapshot(&path);
        let expected_path = PathBuf::from(format!("{}.snap", path.display()));
        if update {
            fs::write(&expected_path, &got).unwrap();
        } else if fs::read_to_string(&expected_path).unwrap_or_default() != got {
            wrong.push(format!("{}:\n{got}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "differ (UPDATE_SPECS=1 rewrites them):\n{}", wrong.join("\n"));
}

#[test]
fn every_fixture_is_explained_and_every_snapshot_has_its_log() {
    let readme = fs::read_to_string(fixtures().join("README.md")).unwrap();
    let logs = logs();
    assert!(logs.len() > 40, "only {} fixtures", logs.len());
    for path in &logs {
        let name = path.strip_prefix(fixtures()).unwrap().to_string_lossy().into_owned();
        assert!(readme.contains(&format!("`{name}`")), "`{name}` is not in fixtures/logs/README.md");
    }
}

fn snapshot(path: &Path) -> String {
    let found = select(Path::new("/nonexistent"), &[path.to_string_lossy().into_owned()], Selection::All).unwrap();
    let mut text = String::new();
    for gap in &found.gaps {
        writeln!(text, "gap {:?} {}", gap.line, gap.kind).unwrap();
    }
    for source in &found.sources {
        let (logs, gaps) = source.logs();
        for gap in gaps {
            writeln!(text, "gap {} {}", gap.file, gap.kind).unwrap();
        }
        // A database holds one log for each of its sessions.
        for log in logs {
            text.push_str(&show(&log.read()));
        }
    }
    let folder = format!("{}/", path.parent().unwrap().display());
    text.replace(&folder, "")
}

pub(super) fn show(reading: &Reading<'_>) -> String {
    let mut text = String::new();
    for session in &reading.sessions {
        show_session(&mut text, session);
    }
    for gap in &reading.gaps {
        let line = gap.line.map_or_else(|| "-".to_owned(), |line| line.to_string());
        writeln!(text, "gap {} line {line}: {}", gap.file, gap.kind).unwrap();
    }
    text
}

fn show_session(text: &mut String, session: &Session<'_>) {
    writeln!(text, "session {} agent={} format={}", session.id, session.agent, session.dialect.name).unwrap();
    writeln!(text, "  root={:?} parent={:?} unknown={}", session.root, session.parent, session.unknown_records)
        .unwrap();
    let usage = session.usage;
    writeln!(
        text,
        "  usage requests={} input={} output={} cache={}+{}",
        usage.requests, usage.input, usage.output, usage.cache_read, usage.cache_write
    )
    .unwrap();
    for count in &session.evidence.counts {
        writeln!(text, "  {} stated={} recorded={}", count.what.name(), count.stated, count.recorded).unwrap();
    }
    for credential in &session.evidence.credentials {
        writeln!(text, "  credential {credential}").unwrap();
    }
    for event in &session.events {
        let what = match &event.kind {
            EventKind::Start => "start".to_owned(),
            EventKind::End(ending) => {
                let said = [ending.status.as_deref(), ending.reason.as_deref()].into_iter().flatten();
                let error = if ending.is_error { " error" } else { "" };
                let code = ending.exit_code.map(|code| format!(" {code}")).unwrap_or_default();
                said.fold(format!("end{error}{code}"), |line, word| format!("{line} {}", cut(word)))
            }
            EventKind::Failure(words) => format!("failure {}", cut(&words.decode())),
            EventKind::Decision(words) => format!("decision {}", cut(&words.decode())),
            EventKind::Prompt(words) => format!("prompt {}", cut(&words.decode())),
            EventKind::Command(words) => format!("command {}", cut(&words.decode())),
            EventKind::Instruction(words) => format!("instruction {}", cut(&words.decode())),
            EventKind::Message(words) => format!("message {}", cut(&words.decode())),
            EventKind::Reasoning(words) => format!("reasoning {}", cut(&words.decode())),
            EventKind::Call(call) => {
                let arguments = match &call.arguments {
                    Arguments::Json(json) => format!("json {}", cut(json)),
                    Arguments::Text(words) => format!("text {}", cut(words)),
                    Arguments::Missing => "missing".to_owned(),
                };
                let cwd = call.cwd.as_deref().map(|cwd| format!(" cwd={cwd}")).unwrap_or_default();
                let agent = call.subagent.as_deref().map(|agent| format!(" subagent={agent}")).unwrap_or_default();
                format!("call {} {}{cwd}{agent} {arguments}", call.tool, call.status.name())
            }
            EventKind::Offer(offer) => format!("offer {} of {} {}", offer.what.name(), offer.server, cut(&offer.json)),
            EventKind::Result(result) => {
                let words = result.text.as_ref().map(|words| cut(&words.decode())).unwrap_or_default();
                let error = if result.is_error { " error" } else { "" };
                format!("result of={}{error} {words}", result.call_id.as_deref().unwrap_or("-"))
            }
            EventKind::File(file) => {
                let access = match file.access {
                    Access::Read => "read",
                    Access::Write => "write",
                    Access::Delete => "delete",
                };
                format!("file {access} {}", file.target)
            }
            EventKind::Hook { command } => format!("hook {}", cut(command)),
            EventKind::Repeat(of) => format!("repeat of event {}", of + 1),
            EventKind::Copied(call) => format!("copy of a call of {}", call.tool),
            EventKind::Notice => "notice".to_owned(),
            EventKind::Other => "other".to_owned(),
        };
        let number = format!("{}@{}", event.number, event.line);
        writeln!(text, "  {number} {what}").unwrap();
    }
}

fn cut(text: &str) -> String {
    let flat = text.replace('\n', "\\n");
    if flat.chars().count() <= SHOWN { flat } else { flat.chars().take(SHOWN).collect::<String>() + "…" }
}

fn read(text: &str) -> String {
    show(&Log::new("log", text.as_bytes().to_vec()).read())
}

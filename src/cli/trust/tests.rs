//! Cases of rules about changes, each in a repository that it describes, judged by the program as a job of CI calls it.

use agent_strace_testing::specs;
use std::collections::{BTreeMap, BTreeSet};

use git2::{Repository, Signature, Time};
use serde_json::{Value, json};

use agent_strace_rules::Check;

/// What a case describes.
#[derive(Default)]
struct Case {
    /// Path → mode and content, of the first commit of the repository.
    first: BTreeMap<String, (i32, Vec<u8>)>,
    base: BTreeMap<String, (i32, Vec<u8>)>,
    head: BTreeMap<String, (i32, Vec<u8>)>,
    author: Option<String>,
    message: Option<String>,
    /// The address of the remote `origin`.
    repository: Option<String>,
    options: Vec<String>,
}

const FILE: i32 = 0o100_644;
const LINK: i32 = 0o120_000;
const SUBMODULE: i32 = 0o160_000;

impl Case {
    fn read(lines: &[&str]) -> Self {
        let mut case = Self::default();
        let mut rest = lines;
        while let Some((line, after)) = rest.split_first() {
            let length = after.iter().take_while(|line| line.starts_with('|')).count();
            let (content, after) = after.split_at(length);
            let bare = |line: &&str| line.trim_start_matches('|').strip_prefix(' ').unwrap_or_default().to_owned();
            case.add(line, &content.iter().map(bare).collect::<Vec<_>>());
            rest = after;
        }
        case
    }

    fn add(&mut self, line: &str, content: &[String]) {
        let (word, value) = line.split_once(' ').unwrap_or_else(|| panic!("no value in `{line}`"));
        let text = content.iter().fold(String::new(), |text, line| text + line + "\n").into_bytes();
        match word {
            "first" | "base" => {
                if word == "first" {
                    self.first.insert(value.to_owned(), (FILE, text.clone()));
                }
                self.base.insert(value.to_owned(), (FILE, text.clone()));
                self.head.insert(value.to_owned(), (FILE, text));
            }
            "head" => {
                self.head.insert(value.to_owned(), (FILE, text));
            }
            "append" => self.head.get_mut(value).unwrap().1.extend(text),
            "delete" => {
                let below = format!("{value}/");
                self.head.retain(|path, _| path != value && !path.starts_with(&below));
            }
            "link" => {
                let (path, target) = value.split_once(' ').unwrap();
                self.head.insert(path.to_owned(), (LINK, target.as_bytes().to_vec()));
            }
            "repository" => self.repository = Some(value.to_owned()),
            "submodule" => {
                let [side, path, commit] = value.split(' ').collect::<Vec<_>>()[..] else { panic!("`{line}`") };
                let entry = (SUBMODULE, commit.as_bytes().to_vec());
                if side == "base" {
                    self.base.insert(path.to_owned(), entry.clone());
                }
                self.head.insert(path.to_owned(), entry);
            }
            "author" => self.author = Some(value.to_owned()),
            "message" => self.message = Some(format!("{value}\n\n{}", String::from_utf8(text).unwrap())),
            "earlier" => {
                let files = session(value, content);
                self.base.extend(files.clone());
                self.head.extend(files);
            }
            "session" => self.head.extend(session(value, content)),
            "option" => self.options.extend(value.split(' ').map(str::to_owned)),
            _ => panic!("what is `{line}`?"),
        }
    }

    /// The document that the gate prints, and its exit code.
    fn judged(&self) -> (Value, u8) {
        let folder = tempfile::tempdir().unwrap();
        let repository = Repository::init_bare(folder.path()).unwrap();
        if let Some(address) = &self.repository {
            repository.remote("origin", address).unwrap();
        }
        let dana = "Dana <dana@example.com>";
        let first = (!self.first.is_empty()).then(|| commit(&repository, &self.first, (dana, "first"), None));
        let base = commit(&repository, &self.base, (dana, "before"), first.as_deref());
        let author = self.author.as_deref().unwrap_or(dana);
        let head = commit(&repository, &self.head, (author, self.message.as_deref().unwrap_or("change")), Some(&base));
        let git_dir = folder.path().to_string_lossy().into_owned();
        let mut args = vec!["agent-strace", "check", "--git-dir", &git_dir, "--base", &base, "--head", &head];
        args.extend(["--format", "json", "--now", "2026-03-01T12:00:00Z"]);
        args.extend(self.options.iter().map(String::as_str));
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let code = crate::run(args.iter().map(Into::into), &mut std::io::empty(), &mut out, &mut err);
        let document = serde_json::from_slice(&out);
        (document.unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&err))), code)
    }
}

/// `ID AGENT` or `ID AGENT REPOSITORY`, and its calls.
fn session(named: &str, calls: &[String]) -> Vec<(String, (i32, Vec<u8>))> {
    let (id, agent) = named.split_once(' ').unwrap();
    let (agent, repository) = agent.split_once(' ').map_or((agent, None), |(agent, address)| (agent, Some(address)));
    let mut meta = json!({"session_id": id, "started_at": 1_790_000_000.0, "agent_name": agent,
        "attribution": {"working_dir": "/home/dana/rates"}});
    if let Some(address) = repository {
        meta["attribution"]["git_repo"] = json!(address);
    }
    let events: String = calls.iter().enumerate().fold(String::new(), |events, (at, call)| {
        let data = call_of(call);
        let event = json!({"event_type": "tool_call", "timestamp": 1_790_000_001.0, "event_id": format!("{at:012x}"),
            "session_id": id, "data": data});
        events + &event.to_string() + "\n"
    });
    let folder = format!(".agent-traces/{id}");
    vec![
        (format!("{folder}/events.ndjson"), (FILE, events.into_bytes())),
        (format!("{folder}/meta.json"), (FILE, meta.to_string().into_bytes())),
    ]
}

fn call_of(line: &str) -> Value {
    let (verb, rest) = line.split_once(' ').unwrap();
    let plain = |text: &str| text.replace("\\n", "\n");
    match verb {
        "$" => json!({"tool_name": "Bash", "arguments": {"command": rest}}),
        "write" => {
            let (path, content) = rest.split_once(' ').unwrap();
            json!({"tool_name": "Write", "arguments": {"file_path": path, "content": plain(content)}})
        }
        "edit" => {
            let (path, pieces) = rest.split_once(' ').unwrap();
            let (old, new) = pieces.split_once(" => ").unwrap();
            json!({"tool_name": "Edit",
                "arguments": {"file_path": path, "old_string": plain(old), "new_string": plain(new)}})
        }
        _ => panic!("what is `{line}`?"),
    }
}

/// Its name in hex.
fn commit(
    repository: &Repository,
    files: &BTreeMap<String, (i32, Vec<u8>)>,
    (author, message): (&str, &str),
    parent: Option<&str>,
) -> String {
    let (name, email) = author.trim_end_matches('>').split_once(" <").unwrap();
    let person = Signature::new(name, email, &Time::new(1_790_000_000, 0)).unwrap();
    let tree = repository.find_tree(tree(repository, files, "")).unwrap();
    let parent = parent.map(|id| repository.find_commit(id.parse().unwrap()).unwrap());
    let parents: Vec<_> = parent.iter().collect();
    repository.commit(None, &person, &person, message, &tree, &parents).unwrap().to_string()
}

fn tree(repository: &Repository, files: &BTreeMap<String, (i32, Vec<u8>)>, folder: &str) -> git2::Oid {
    let mut builder = repository.treebuilder(None).unwrap();
    let mut folders = BTreeSet::new();
    for (path, (mode, content)) in files.iter().filter(|(path, _)| path.starts_with(folder)) {
        let inside = path.strip_prefix(folder).unwrap();
        match inside.split_once('/') {
            Some((name, _)) => {
                folders.insert(name);
            }
            None if *mode == SUBMODULE => {
                builder.insert(inside, str::from_utf8(content).unwrap().parse().unwrap(), *mode).unwrap();
            }
            None => {
                builder.insert(inside, repository.blob(content).unwrap(), *mode).unwrap();
            }
        }
    }
    for name in folders {
        builder.insert(name, tree(repository, files, &format!("{folder}{name}/")), 0o040_000).unwrap();
    }
    builder.write().unwrap()
}

/// One line of a finding.
fn shown(finding: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let level = if finding["incomplete"] == true { "incomplete".to_owned() } else { text(&finding["level"]) };
    let location = &finding["place"];
    let hidden = |message: String| {
        // What a commit is called depends on when it was made.
        let mut words: Vec<&str> = message.split(' ').collect();
        for word in &mut words {
            if word.len() == 12 && word.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                *word = "(a commit)";
            }
        }
        words.join(" ")
    };
    format!(
        "{level} {} {}:{}: {}",
        text(&finding["rule"]),
        text(&location["file"])
            .rsplit_once(":.")
            .map_or_else(|| text(&location["file"]), |(_, path)| format!(".{path}")),
        location["line"],
        hidden(text(&finding["message"]))
    )
}

/// The spec with its findings as they are now, and whether its rule was among them.
fn with_findings(text: &str, id: &str) -> (String, bool) {
    let mut fires = false;
    let written = specs::rewritten(text, "change", |lines| {
        let (document, code) = Case::read(lines).judged();
        let findings = document["findings"].as_array().unwrap();
        fires |= findings.iter().any(|finding| finding["rule"] == id);
        let later = document["change"].get("after_merge").map(|later| format!("after the merge: {later}"));
        let code = format!("exit code {code}");
        findings.iter().map(shown).chain(later).chain([code]).collect()
    });
    (written, fires)
}

#[test]
fn every_case_of_every_spec_reports_what_it_says() {
    specs::hold(
        agent_strace_rules::all()
            .iter()
            .filter(|rule| matches!(rule.check, Check::Change(_)))
            .map(|rule| rule.id.as_str()),
        with_findings,
    );
}

/// Each thing that git may say has a hint of its own.
#[test]
fn what_git_refuses_has_a_hint_that_helps() {
    use agent_strace_git::GitError;
    let gone = |revision: &str| GitError::NoRevision(revision.to_owned());
    for (what, revision, error, wanted) in [
        ("base", "origin/main", GitError::Owner, "safe.directory"),
        ("policy", "origin/main", GitError::Owner, "safe.directory"),
        ("head", "HEAD", GitError::Sha256, "SHA-256"),
        ("base", "origin/HEAD", gone("origin/HEAD"), "git remote set-head origin --auto"),
        ("base", "refs/remotes/origin/HEAD", gone("refs/remotes/origin/HEAD"), "git remote set-head origin --auto"),
        ("base", "origin/main", gone("origin/main"), "the base that a change is judged by has to be fetched first"),
        ("head", "topic", gone("topic"), "what is judged has to be fetched first"),
        ("base", "main", GitError::NoRepository(".".to_owned()), "in the repository"),
        ("base", "main", GitError::Broken("an index".to_owned()), "nothing is judged"),
    ] {
        let hint = super::remedy(what, revision, &error);
        assert!(hint.contains(wanted), "{what} {revision} {error}: {hint}");
        assert_eq!(
            hint.contains("fetched first"),
            matches!(error, GitError::NoRevision(_)) && !revision.ends_with("HEAD")
        );
    }
}

//! Sessions of another repository account for nothing in a change; sessions of the same repository account for what they did,
//! however their logs spell its address.

use serde_json::{Value, json};

use crate::repository::Repository;
use crate::world::World;

const ADDRESS: &str = "https://forge.example/acme/rates.git";
const OTHER: &str = "https://forge.example/acme/other";
const PLACE: &str = "/home/dana/rates";
const STARTED: u32 = 1_771_588_000;
const CONTENT: &str = "RATE = 1\n";

/// A change that a session wrote, and where that session says that it ran.
struct Case {
    name: &'static str,
    /// Of the clone that judges, with their addresses.
    remotes: Vec<(&'static str, &'static str)>,
    /// Variables of the CI job.
    variables: Vec<(&'static str, &'static str)>,
    /// `evidence.repositories` at the base, and at the head.
    listed: (Value, Value),
    /// Keys of `meta.json`, and of `attribution` in it.
    meta: Value,
    attribution: Value,
    /// Data of the event `session_start`.
    start: Value,
    place: &'static str,
    /// `attribution.git_commit` is the first so many digits of the base.
    digits: usize,
}

fn case(name: &'static str, attribution: Value) -> Case {
    Case {
        name,
        remotes: vec![("origin", ADDRESS)],
        variables: Vec::new(),
        listed: (json!([]), json!([])),
        meta: json!({}),
        attribution,
        start: json!({}),
        place: PLACE,
        digits: 0,
    }
}

fn at(name: &'static str, address: &str) -> Case {
    case(name, json!({"git_repo": address}))
}

fn add(to: &mut Value, more: &Value) {
    for (key, value) in more.as_object().unwrap() {
        to[key] = value.clone();
    }
}

fn policy(listed: &Value) -> String {
    json!({"version": 2, "evidence": {"repositories": listed,
        "rules": {"coverage/unexplained-change": "error", "coverage/no-session": "error"}}})
    .to_string()
}

/// The exit code, and what `coverage/foreign-session` says.
fn judged(case: &Case) -> (i32, Vec<String>) {
    let world = World::empty();
    let repository = Repository::new(&world, "r");
    for (name, address) in &case.remotes {
        repository.git(&["remote", "add", name, address]);
    }
    repository.file(".agent-scope.json", &policy(&case.listed.0)).commit("base");
    let base = repository.git(&["rev-parse", "HEAD"]);
    repository.git(&["checkout", "-q", "-b", "topic"]);
    if case.listed.1 != json!([]) {
        repository.file(".agent-scope.json", &policy(&case.listed.1));
    }
    let mut start = json!({"cwd": case.place});
    add(&mut start, &case.start);
    let write = json!({"tool_name": "Write",
        "arguments": {"file_path": format!("{}/src/b.py", case.place), "content": CONTENT}});
    world.session(
        "s1",
        STARTED,
        &[
            ("session_start", start),
            ("tool_call", write),
            ("tool_result", json!({"tool_name": "Write", "result": "done"})),
        ],
    );
    let mut meta = json!({"session_id": "s1", "started_at": STARTED, "agent_name": "claude-code",
        "attribution": {"working_dir": case.place}});
    add(&mut meta["attribution"], &case.attribution);
    if case.digits > 0 {
        meta["attribution"]["git_commit"] = json!(base[..case.digits]);
    }
    add(&mut meta, &case.meta);
    let events = world.read(".agent-traces/s1/events.ndjson");
    repository.file(".agent-traces/s1/events.ndjson", &events).file(".agent-traces/s1/meta.json", &meta.to_string());
    repository.file("src/b.py", CONTENT).commit("Work\n\nCo-Authored-By: Claude <noreply@anthropic.com>");
    let args = ["check", "--base", "main", "--head", "topic", "--format", "json"];
    let answer = world.spawn("r", &args, &case.variables, "");
    let report: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{}: {answer:?}", case.name));
    let found = report["findings"].as_array().unwrap().iter();
    let said = found.filter(|finding| finding["rule"] == "coverage/foreign-session");
    (answer.code, said.map(|finding| finding["message"].as_str().unwrap().to_owned()).collect())
}

fn forged() -> Vec<Case> {
    let imported = json!({"import": {"format": "agent-strace", "attribution": {"user": "dana"}}});
    vec![
        at("another name", OTHER),
        case("repository", json!({"repository": OTHER})),
        case("repository_url", json!({"repository_url": OTHER})),
        case("repo_url", json!({"repo_url": OTHER})),
        case("repo", json!({"repo": "other"})),
        case("remote", json!({"remote": "git@forge.example:acme/other.git"})),
        case("remote_url", json!({"remote_url": OTHER})),
        case("git_remote", json!({"git_remote": OTHER})),
        case("origin", json!({"origin": "https://forge.example/acme/other.git"})),
        at("a name that begins with a dot", ".dotfiles"),
        at("a short host of ssh's settings", "g:acme/other"),
        case("an object", json!({"repository": {"full_name": "acme/other", "id": 1}})),
        Case { meta: json!({"repository": OTHER}), ..case("beside the attribution", json!({})) },
        Case { meta: json!({"repo_url": OTHER}), ..case("an address beside the attribution", json!({})) },
        Case { start: json!({"git_repo": OTHER}), ..case("in the first event", json!({})) },
        Case { start: json!({"repository": {"url": OTHER}}), ..case("an object in the first event", json!({})) },
        Case { start: imported, ..at("an imported log that leaves it out", OTHER) },
        at("git@", "git@forge.example:acme/other.git"),
        at("ssh", "ssh://git@forge.example:2222/acme/other.git"),
        at("a name that ends alike", "https://forge.example/acme/exchange-rates"),
        at("a name that begins alike", "https://forge.example/acme/rates-old.git"),
        at("the wiki", "https://forge.example/acme/rates.wiki.git"),
        at("the name of the owner", "https://forge.example/rates/other"),
        at("the name of the host", "https://rates/acme/other"),
        at("the name of the user", "https://rates@forge.example/acme/other"),
        at("the name in the query", "https://forge.example/acme/other?of=/rates"),
        at("the name in the fragment", "https://forge.example/acme/other#/rates"),
        Case { digits: 6, ..at("too few digits of a commit", OTHER) },
        case("a commit that is not here", json!({"git_repo": OTHER, "git_commit": "0123456789abcdef"})),
        case("a commit that is no name", json!({"git_repo": OTHER, "git_commit": ""})),
        Case { listed: (json!([]), json!([OTHER])), ..at("listed by the change itself", OTHER) },
        Case { listed: (json!(["acme/others"]), json!([])), ..at("another one is listed", OTHER) },
        Case { meta: json!({"started_at": 0}), ..at("of 1970", ADDRESS) },
        Case { meta: json!({"started_at": 4_000_000_000_u32}), ..at("of 2096", ADDRESS) },
    ]
}

fn honest() -> Vec<Case> {
    let fork = vec![("origin", "git@forge.example:dana/rates-fork.git"), ("upstream", ADDRESS)];
    let github = vec![("GITHUB_SERVER_URL", "https://forge.example"), ("GITHUB_REPOSITORY", "acme/rates")];
    vec![
        case("nothing is said", json!({})),
        at("https", "https://forge.example/acme/rates"),
        at("https with .git", ADDRESS),
        at("a slash at the end", "https://forge.example/acme/rates/"),
        at("git@", "git@forge.example:acme/rates.git"),
        at("a host of ssh's settings", "forge-of-work:acme/rates"),
        at("ssh", "ssh://git@forge.example/acme/rates.git"),
        at("ssh with a port", "ssh://git@forge.example:2222/acme/rates.git"),
        at("https with a port", "https://forge.example:8443/scm/acme/rates.git"),
        at("another case", "https://Forge.Example/Acme/Rates.git"),
        at("credentials", "https://dana:token@forge.example/acme/rates.git"),
        at("a mirror", "https://mirror.example/pub/rates"),
        at("a fork", "git@forge.example:dana/rates.git"),
        at("blanks", " https://forge.example/acme/rates\n"),
        case("a name and its owner", json!({"repository": "acme/rates"})),
        case("the name of a remote", json!({"remote": "origin", "origin": "cli"})),
        case("names of remotes", json!({"git_remote": "origin", "remote_url": "origin"})),
        case(
            "where the session came from",
            json!({"origin": "https://agents.example/code", "remote": "wsl://Ubuntu/home"}),
        ),
        Case {
            remotes: vec![("agent1", "/home/dana/agents/agent1"), ("origin", ADDRESS)],
            ..at("a folder of the same name beside another folder", "/home/dana/rates")
        },
        at("a clone of a folder", "/srv/mirrors/rates-2026"),
        Case { remotes: Vec::new(), ..at("no remote is known", OTHER) },
        Case { remotes: vec![("origin", "/srv/git/r.git")], ..at("the judged clone is one of a folder", ADDRESS) },
        Case { remotes: fork.clone(), ..at("a renamed fork", "git@forge.example:dana/rates-fork.git") },
        Case { remotes: fork, ..at("what a renamed fork is of", ADDRESS) },
        Case { remotes: vec![("forge", ADDRESS)], ..at("another name of the remote", ADDRESS) },
        Case { remotes: vec![("origin", "/srv/r.git")], variables: github, ..at("named by the job", ADDRESS) },
        Case {
            listed: (json!(["https://forge.example/acme/exchange"]), json!([])),
            ..at("renamed, and listed", "git@forge.example:acme/exchange.git")
        },
        Case { listed: (json!(["exchange"]), json!([])), ..at("listed by its name alone", "acme/Exchange") },
        Case { digits: 40, ..at("renamed, from the base on", "https://forge.example/acme/exchange") },
        Case { digits: 7, ..at("renamed, from the base on, in short", "https://forge.example/acme/exchange") },
        Case { place: "/home/dana/worktrees/topic", ..at("a work tree elsewhere", ADDRESS) },
        Case { place: "/home/dana/all/vendor/rates", ..at("a submodule of another repository", ADDRESS) },
        Case { place: "/", ..at("a container", ADDRESS) },
    ]
}

#[test]
fn sessions_of_other_repositories_account_for_nothing() {
    let mut wrong = Vec::new();
    for case in forged() {
        let (code, said) = judged(&case);
        if code != 1 || said.len() != 1 {
            wrong.push(format!("{}: exit {code}, {said:?}", case.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn sessions_of_the_same_repository_account_for_what_they_did() {
    let mut wrong = Vec::new();
    for case in honest() {
        let (code, said) = judged(&case);
        if code != 0 || !said.is_empty() {
            wrong.push(format!("{}: exit {code}, {said:?}", case.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_finding_says_both_repositories_without_credentials_and_what_to_do() {
    let address = "https://dana:hunter2@forge.example/acme/other.git";
    let remotes = vec![("origin", "https://x-access-token:hunter3@forge.example/acme/rates")];
    let (_, said) = judged(&Case { remotes, ..at("", address) });
    assert_eq!(
        said,
        [
            "it does not account for the change: its log names the repository `https://forge.example/acme/other.git`, and the \
         change is of `https://forge.example/acme/rates`; if both are one repository, add the first name to \
         `evidence.repositories` of the policy"
        ]
    );
}

//! Commits of content that no tool wrote: `coverage/no-session` where git or a generator brought the files. The repositories,
//! and what git prints, are real.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::repository::{DATE_SECONDS, Repository};
use crate::world::World;

const ROOT: &str = "/home/dana/rates";
const MARK: &str = "Co-Authored-By: Claude <noreply@anthropic.com>";

/// One step in the making of a change.
enum Step {
    /// The agent runs a command, and the record holds what it printed.
    Runs(&'static str),
    /// The agent runs a command, and the record does not hold its output.
    RunsUnseen(&'static str),
    /// The agent runs a program that is not here; the script does what it would do.
    Generates { command: &'static str, script: &'static str },
    /// A person, or an agent whose record is not here, runs a command.
    Aside(&'static str),
    /// The record says that a command ran, and how it ended.
    Claims { command: &'static str, output: &'static str, end: End },
    /// The agent writes a file.
    Writes { path: &'static str, content: &'static str },
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Ok,
    Error,
    Open,
    Refused,
}

use Step::{Aside, Claims, Generates, Runs, RunsUnseen, Writes};

struct Case {
    name: &'static str,
    steps: Vec<Step>,
    agent: &'static str,
    /// Seconds from the first call to the commits.
    earlier: i64,
    repository: Option<&'static str>,
}

fn case(name: &'static str, steps: Vec<Step>) -> Case {
    Case { name, steps, agent: "claude-code", earlier: 60, repository: None }
}

/// `-M` in a command adds the mark of an agent to a message.
fn spelled(command: &str) -> String {
    let marked = format!("-m '{MARK}'");
    command.replace("-M", &marked)
}

/// A session, as the native store keeps it.
struct Log {
    lines: String,
    events: usize,
    started: i64,
}

impl Log {
    fn add(&mut self, kind: &str, parent: Option<usize>, data: &Value) -> usize {
        let at = self.events;
        let time = self.started + i64::try_from(at).unwrap();
        let mut event = json!({"event_type": kind, "event_id": format!("{at:012x}"), "session_id": "s1",
            "timestamp": time, "data": data});
        if let Some(parent) = parent {
            event["parent_id"] = json!(format!("{parent:012x}"));
        }
        writeln!(self.lines, "{event}").unwrap();
        self.events += 1;
        at
    }

    fn call(&mut self, command: &str, output: &str, end: End) {
        let data = json!({"tool_name": "Bash", "arguments": {"command": command}});
        let call = self.add("tool_call", None, &data);
        match end {
            End::Ok => {
                self.add("tool_result", Some(call), &json!({"tool_name": "Bash", "result": output}));
            }
            End::Error | End::Refused => {
                let mut data = json!({"tool_name": "Bash", "result": output, "is_error": true, "exit_code": 1});
                if end == End::Refused {
                    data["recorded"] = json!({"status": "denied"});
                }
                self.add("tool_result", Some(call), &data);
            }
            End::Open => {}
        }
    }
}

fn play(case: &Case, repository: &Repository<'_>) -> String {
    let mut log = Log { lines: String::new(), events: 0, started: DATE_SECONDS - case.earlier };
    log.add("session_start", None, &json!({"cwd": ROOT}));
    for step in &case.steps {
        match step {
            Runs(command) | RunsUnseen(command) => {
                let (is_ok, output) = repository.sh(&spelled(command));
                assert!(is_ok, "{}: `{command}`: {output}", case.name);
                let output = if matches!(step, Runs(_)) { output.as_str() } else { "done" };
                log.call(&spelled(command), output, End::Ok);
            }
            Generates { command, script } => {
                let (is_ok, output) = repository.sh(&spelled(script));
                assert!(is_ok, "{}: `{script}`: {output}", case.name);
                log.call(&spelled(command), &output, End::Ok);
            }
            Aside(command) => {
                let (is_ok, output) = repository.sh(&spelled(command));
                assert!(is_ok, "{}: `{command}`: {output}", case.name);
            }
            Claims { command, output, end } => log.call(&spelled(command), output, *end),
            Writes { path, content } => {
                repository.file(path, content);
                let arguments = json!({"file_path": format!("{ROOT}/{path}"), "content": content});
                let call = log.add("tool_call", None, &json!({"tool_name": "Write", "arguments": arguments}));
                log.add("tool_result", Some(call), &json!({"tool_name": "Write", "result": "done"}));
            }
        }
    }
    log.lines
}

/// The findings of the rule, and the exit code.
fn judged(case: &Case) -> (i32, Vec<String>) {
    let world = World::empty();
    let repository = Repository::new(&world, "r");
    repository.git(&["remote", "add", "origin", "https://forge.example/acme/rates.git"]);
    repository.file(".agent-scope.json", "{}").file("src/a.py", "A = 1\n").file("src/b.py", "B = 1\n");
    repository.commit("base").file("src/a.py", "A = 2\n").commit("Raise A");
    repository.git(&["checkout", "-q", "-b", "other"]);
    repository.file("src/o.py", "O = 1\n").commit("Add o").file("src/p.py", "P = 1\n");
    repository.commit(&format!("Add p\n\n{MARK}"));
    repository.git(&["checkout", "-q", "main"]);
    repository.git(&["checkout", "-q", "-b", "topic"]);
    let lines = play(case, &repository);
    let started = DATE_SECONDS - case.earlier;
    let mut meta = json!({"session_id": "s1", "started_at": started, "agent_name": case.agent,
        "attribution": {"working_dir": ROOT}});
    if let Some(address) = case.repository {
        meta["attribution"]["git_repo"] = json!(address);
    }
    repository.file(".agent-traces/s1/events.ndjson", &lines).file(".agent-traces/s1/meta.json", &meta.to_string());
    repository.commit("Record");
    let answer = world.run_in("r", &["check", "--base", "main", "--head", "topic", "--format", "json"]);
    let report: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{}: {answer:?}", case.name));
    let found = report["findings"].as_array().unwrap().iter();
    let found = found.filter(|finding| finding["level"] == "error" || finding["rule"] == "coverage/no-session");
    let text =
        |finding: &Value| format!("{}: {}", finding["rule"].as_str().unwrap(), finding["message"].as_str().unwrap());
    (answer.code, found.map(text).collect())
}

const GENERATES: Step = Generates { command: "npm run generate", script: "echo 'G = 1' > src/g.py" };
const COMMITS: Step = Runs("git add -A && git commit -m 'Add g' -M");

fn honest() -> Vec<Case> {
    let generated = |command| Generates { command, script: "mkdir -p gen && echo 'G = 1' > gen/g.snap" };
    let generators = [
        "npx jest -u",
        "python manage.py makemigrations",
        "npm run generate",
        "cargo insta accept",
        "go generate ./...",
        "make gen",
        "protogen src/g.proto",
    ];
    let mut cases: Vec<Case> =
        generators.into_iter().map(|command| case(command, vec![generated(command), COMMITS])).collect();
    cases.extend([
        case("git revert", vec![Runs("git revert --no-commit HEAD && git commit -m 'Lower A' -M")]),
        case("git revert, amended", vec![
            Runs("git revert --no-edit HEAD"),
            Runs("git commit --amend --no-edit --trailer 'Co-Authored-By: Claude <noreply@anthropic.com>'"),
        ]),
        case("git cherry-pick", vec![Runs("git cherry-pick other")]),
        case("git cherry-pick that names a parent, unseen", vec![RunsUnseen("git cherry-pick -m 1 other")]),
        case("git cherry-pick of two", vec![Runs("git cherry-pick other~1 other")]),
        case("git cherry-pick, unseen", vec![RunsUnseen("git cherry-pick other")]),
        case("git merge --squash", vec![Runs("git merge --squash other"), Runs("git commit -m 'Add o and p' -M")]),
        case("git stash pop", vec![
            Aside("echo 'B = 2' > src/b.py && git stash"),
            Runs("git stash pop && git commit -am 'Raise B' -M"),
        ]),
        case("git apply", vec![
            Aside("echo 'B = 2' > src/b.py && git diff > ../p && git checkout src/b.py"),
            Runs("git apply ../p"),
            Runs("git commit -am 'Raise B' -M"),
        ]),
        case("git am", vec![
            Aside("git format-patch -q -1 other -o .."),
            Runs("git am ../0001-Add-p.patch && rm ../0001-Add-p.patch"),
        ]),
        case("git reset --soft", vec![
            Aside("echo 'B = 2' > src/b.py && git commit -qam one && echo 'B = 3' > src/b.py && git commit -qam two"),
            Runs("git reset --soft HEAD~2"),
            Runs("git commit -m 'Raise B' -M"),
        ]),
        case("a submodule", vec![
            Aside("git init -q ../lib && cd ../lib && git commit -q --allow-empty -m lib"),
            Aside("git clone -q ../lib lib"),
            Claims { command: "git submodule update --remote lib", output: "", end: End::Ok },
            Runs("git add lib 2>&1 && git commit -m 'Update lib' -M"),
        ]),
        case("a message in a file", vec![
            GENERATES,
            Runs("printf 'Add g\\n\\nCo-Authored-By: Claude <noreply@anthropic.com>\\n' > ../m"),
            Runs("git add -A && git commit -F ../m"),
        ]),
        case("a message in a file, unseen", vec![
            GENERATES,
            Runs("printf 'Add g\\n\\nCo-Authored-By: Claude <noreply@anthropic.com>\\n' > ../m"),
            RunsUnseen("git add -A && git commit -q -F ../m"),
        ]),
        case("a message from a heredoc", vec![
            GENERATES,
            RunsUnseen("git add -A && git commit -q -m \"$(cat <<'E'\nAdd g\n\nCo-Authored-By: Claude <noreply@anthropic.com>\nE\n)\""),
        ]),
        case("a quiet commit", vec![GENERATES, Runs("git add -A && git commit -qm 'Add g' -M")]),
        case("a commit whose output is cut", vec![GENERATES, Runs("git add -A; git commit -m 'Add g' -M | tail -2")]),
        case("a quiet commit that is listed", vec![
            GENERATES,
            Runs("git add -A; git commit -qm 'Add g' -M; git log --oneline -1"),
        ]),
        case("a commit before a push that fails", vec![
            GENERATES,
            Aside("git add -A && git commit -qm 'Add g' -M"),
            Claims {
                command: "git add -A && git commit -m 'Add g' -M && git push",
                output: "[topic 0000000] Add g\n 1 file changed, 1 insertion(+)\nfatal: no upstream",
                end: End::Error,
            },
        ]),
        case("the last call", vec![
            GENERATES,
            Aside("git add -A && git commit -qm 'Add g' -M"),
            Claims { command: "git add -A && git commit -m 'Add g' -M", output: "", end: End::Open },
        ]),
        case("rebased by a person", vec![
            GENERATES,
            COMMITS,
            Aside("git reset -q --hard HEAD && git commit -q --amend -m 'Add g' -m 'More words.' -M"),
        ]),
        case("two commits", vec![
            GENERATES,
            COMMITS,
            Generates { command: "npm run generate", script: "echo 'H = 1' > src/h.py" },
            Runs("git add -A && git commit -m 'Add h' -M"),
        ]),
        case("two commits in one call", vec![
            Generates { command: "npm run generate", script: "echo 'G = 1' > src/g.py; echo 'H = 1' > src/h.py" },
            Runs("git add src/g.py && git commit -m 'Add g' -M && git add src/h.py && git commit -m 'Add h' -M"),
        ]),
        case("another directory of the repository", vec![
            GENERATES,
            Runs("git add -A && git -C . commit -m 'Add g' -M"),
        ]),
        case("what was written", vec![Writes { path: "src/g.py", content: "G = 1\n" }, Aside("git add -A && git commit -qm x -M")]),
    ]);
    cases
}

/// Commands that bring no files which could be committed.
const BRINGS_NOTHING: &[&str] = &[
    "ls -la && cat src/a.py && rg A src",
    "export RATES=1",
    "gh pr view 12",
    "gh api repos/acme/rates",
    "git fetch origin",
    "git pull",
    "git push",
    "git stash",
    "git stash list",
    "git checkout -b x",
    "git switch main",
    "git reset",
    "git reset HEAD src/a.py",
    "git reset --hard HEAD~1",
    "git rebase main",
    "git merge other",
    "git submodule status",
    "git submodule update --init",
    "git am --abort",
    "git revert --abort",
    "git revert --continue",
    "git cherry-pick --quit",
    "git cherry-pick --skip",
    "git merge --squash --abort",
    "git apply --check p",
    "git apply --stat p",
    "git reset HEAD^0",
    "git reset --soft HEAD~0",
    "git log --oneline -3",
    "git show HEAD~1",
    "git diff > /tmp/p",
];

/// A session that ran a command, and then committed what a person had changed.
fn brings_nothing(command: &'static str) -> Case {
    let add = Aside("echo 'E = 1' > src/e.py");
    let ran = Claims { command, output: "", end: End::Ok };
    case(command, vec![add, ran, Runs("git add -A && git commit -m 'Add e' -M")])
}

fn forged() -> Vec<Case> {
    const ADDS: Step = Aside("echo 'E = 1' > src/e.py && git add -A && git commit -qm 'Add e' -M");
    let claims = |command, output, end| Claims { command, output, end };
    let done = |command| claims(command, "done", End::Ok);
    let tested = || done("npm test");
    vec![
        case("nothing", vec![ADDS]),
        case("git status", vec![tested(), done("git status"), ADDS]),
        case("tests alone", vec![tested(), ADDS]),
        case("an empty commit", vec![tested(), ADDS, done("git commit --allow-empty -m 'Add e' -M")]),
        case(
            "an empty commit of another subject",
            vec![tested(), ADDS, Runs("git commit --allow-empty -m 'Add f' -M")],
        ),
        case(
            "a commit and nothing that brings files",
            vec![
                Aside("echo 'E = 1' > src/e.py"),
                Runs("git status && git diff && git add -A && git commit -m 'Add e' -M"),
            ],
        ),
        case(
            "a commit on a new branch and nothing that brings files",
            vec![
                Aside("echo 'E = 1' > src/e.py"),
                Runs("git checkout -q -b x && git checkout -q topic && git add -A && git commit -m 'Add e' -M"),
            ],
        ),
        case(
            "a commit that had nothing to commit",
            vec![
                tested(),
                ADDS,
                claims(
                    "git commit -m 'Add e' -M; git log -1 --oneline",
                    "On branch topic\nnothing to commit, working tree clean\n0000000 Add e",
                    End::Ok,
                ),
            ],
        ),
        case("another subject", vec![tested(), ADDS, done("git commit -am 'Add f' -M")]),
        case("a refused commit", vec![tested(), ADDS, claims("git commit -am 'Add e' -M", "denied", End::Refused)]),
        case(
            "a refused generator",
            vec![claims("npm run generate", "denied", End::Refused), ADDS, done("git commit -am 'Add e' -M")],
        ),
        case("a failed commit", vec![tested(), ADDS, claims("git commit -am 'Add e' -M", "hook failed", End::Error)]),
        case(
            "a commit that another command hides",
            vec![
                tested(),
                ADDS,
                claims("git commit -am 'Add e' -M; echo done", "nothing to commit, working tree clean\ndone", End::Ok),
            ],
        ),
        case("a dry run", vec![tested(), ADDS, done("git commit --dry-run -am 'Add e' -M")]),
        case("an aborted pick", vec![tested(), ADDS, done("git cherry-pick --abort")]),
        case("a pick that commits nothing", vec![ADDS, done("git cherry-pick -n other")]),
        case("a rebase", vec![tested(), ADDS, done("git rebase main")]),
        case("a pull", vec![ADDS, done("git pull")]),
        case("a merge", vec![ADDS, done("git merge other")]),
        case("another directory", vec![tested(), ADDS, done("cd /home/dana/other && git commit -am 'Add e' -M")]),
        case("another directory of git", vec![tested(), ADDS, done("git -C /home/dana/other commit -am 'Add e' -M")]),
        case("another repository", vec![tested(), ADDS, done("git --git-dir=/tmp/x/.git commit -am 'Add e' -M")]),
        case("another machine", vec![tested(), ADDS, done("ssh web1 \"git commit -am 'Add e'\"")]),
        case(
            "a generator in another directory",
            vec![
                done("cd /home/dana/other && npm run generate"),
                ADDS,
                done("cd /home/dana/rates && git commit -am 'Add e' -M"),
            ],
        ),
        case("a generator after the commit", vec![ADDS, done("git commit -am 'Add e' -M"), tested()]),
        case("one commit for two", vec![GENERATES, Runs("git add -A && git commit -m 'Add e' -M"), ADDS]),
        case("one commit for two, unseen", vec![GENERATES, RunsUnseen("git add -A && git commit -m 'Add e' -M"), ADDS]),
        case(
            "one nameless commit for two",
            vec![
                GENERATES,
                RunsUnseen(
                    "git add -A && git commit -q -F /dev/stdin <<'E'\nAdd g\n\nCo-Authored-By: Claude <noreply@anthropic.com>\nE",
                ),
                ADDS,
            ],
        ),
        case("one pick for two", vec![RunsUnseen("git cherry-pick other"), ADDS]),
        case("one pick that names a parent for two", vec![RunsUnseen("git cherry-pick -m 1 other"), ADDS]),
        case("the work of a person on top", vec![Writes { path: "src/g.py", content: "G = 1\n" }, COMMITS, ADDS]),
        Case { agent: "codex", ..case("another agent", vec![tested(), ADDS, done("git commit -am 'Add e' -M")]) },
        Case { earlier: 40 * 86_400, ..case("another time", vec![tested(), ADDS, done("git commit -am 'Add e' -M")]) },
        Case { earlier: -40 * 86_400, ..case("a later time", vec![tested(), ADDS, done("git commit -am 'Add e' -M")]) },
        Case {
            earlier: 3_600,
            ..case("a nameless commit at another time", vec![tested(), ADDS, done("git commit -F m")])
        },
        Case {
            repository: Some("https://forge.example/acme/other"),
            ..case("a session of another repository", vec![tested(), ADDS, done("git commit -am 'Add e' -M")])
        },
    ]
}

#[test]
fn sessions_account_for_the_commits_that_they_made() {
    let mut wrong = Vec::new();
    for case in honest() {
        let (code, found) = judged(&case);
        if code != 0 {
            wrong.push(format!("{}: exit {code}, {found:?}", case.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn sessions_account_for_no_commits_that_others_made() {
    let mut wrong = Vec::new();
    for case in forged().into_iter().chain(BRINGS_NOTHING.iter().copied().map(brings_nothing)) {
        let (code, found) = judged(&case);
        if code != 1 || found.len() != 1 || !found[0].starts_with("coverage/no-session") {
            wrong.push(format!("{}: exit {code}, {found:?}", case.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

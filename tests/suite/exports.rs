//! Exported policies: held against the scope on the case corpus, and read by parsers that are not ours.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use agent_strace_testing::corpus::{Data, data};
use serde_json::Value;

use crate::world::{Answer, in_process, project, skipped, update};

const TARGETS: [&str; 7] = ["claude-code", "codex", "gemini", "opencode", "cursor", "vscode", "copilot"];

/// Which calls an engine would decide in another way than the scope: every number is in `tests/exports.tsv`, and
/// for the cases of this repository in `tests/exports-shipped.tsv`.
#[test]
fn exported_files_agree_with_the_scope() {
    for data in data() {
        hold(&data);
    }
}

fn hold(data: &Data) {
    let cases = data.cases().join("scope-dev.jsonl");
    let mut policies = vec![("cases".to_owned(), data.cases().join("scope-policy.json"))];
    // One that only denies, one that only lists, one that does both with labels.
    for name in ["default", "strict", "web-app"] {
        policies.push((name.to_owned(), project().join(format!("policies/{name}.json"))));
    }
    let mut table =
        "policy\tengine\tagree\tstricter\tweaker, listed\tweaker, not listed\trefused by the scope, but run\tno such tool\n".to_owned();
    let mut open = Vec::new();
    for (name, policy) in &policies {
        for target in TARGETS {
            let policy = policy.to_str().unwrap();
            let Answer { code, stdout: text, .. } =
                export(&["--to", target, "--policy", policy, "--format", "json", "--verify", cases.to_str().unwrap()]);
            let report: Value = serde_json::from_str(&text).unwrap();
            let count = |key: &str| report["agreement"][key].as_u64().unwrap();
            let keys = ["agree", "stricter", "weaker_listed", "weaker_unlisted", "refused_but_run", "no_such_tool"];
            let counts: Vec<String> = keys.iter().map(|key| count(key).to_string()).collect();
            writeln!(table, "{name}\t{target}\t{}", counts.join("\t")).unwrap();
            if count("weaker_unlisted") > 0 || code != 0 {
                let differences = report["agreement"]["differences"].as_array().unwrap();
                open.extend(
                    differences
                        .iter()
                        .filter(|difference| difference["listed"] == false)
                        .map(|difference| format!("{name} {target}: {difference}")),
                );
            }
        }
    }
    assert!(open.is_empty(), "weaker than the scope, and not listed:\n{}", open.join("\n"));
    let path = project().join(data.either("tests/exports-shipped.tsv", "tests/exports.tsv"));
    if update() {
        fs::write(&path, &table).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), table, "UPDATE_SPECS=1 writes what happened");
}

/// Codex's rules are Starlark, of which Python reads what is used here.
#[test]
#[expect(clippy::disallowed_methods, reason = "the suite asks another program")]
fn exported_rules_are_read_by_python() {
    let script = "import ast,sys\n\
        for node in ast.parse(sys.stdin.read()).body:\n\
        \x20   call = node.value\n\
        \x20   assert call.func.id == 'prefix_rule' and not call.args\n\
        \x20   rule = {word.arg: ast.literal_eval(word.value) for word in call.keywords}\n\
        \x20   assert sorted(rule) == ['decision', 'justification', 'match', 'pattern'], rule\n\
        \x20   assert rule['decision'] in ('allow', 'prompt', 'forbidden') and rule['justification'].strip()\n\
        \x20   for example in rule['match']:\n\
        \x20       for want, word in zip(rule['pattern'], example):\n\
        \x20           assert word == want or word in want, rule\n";
    if Command::new("python3").arg("--version").output().is_err() {
        skipped("exported rules are not read by Python: python3 is not there");
        return;
    }
    let world = tempfile::tempdir().unwrap();
    let hostile = world.path().join("hostile.json");
    let words = ["a\"b", "a)", "x],[y", "#x", "${b}", "é", "{2}", "a,b", "%s", "{{x}}"];
    let entries: Vec<String> = words.iter().map(|word| format!("rm {word}")).collect();
    fs::write(&hostile, serde_json::json!({ "commands": { "deny": entries } }).to_string()).unwrap();
    let mut policies: Vec<_> = shipped().iter().map(|name| project().join(format!("policies/{name}.json"))).collect();
    policies.push(hostile);
    for policy in policies {
        let text = export(&["--to", "codex", "--policy", policy.to_str().unwrap()]).stdout;
        let input = world.path().join("input");
        fs::write(&input, &text).unwrap();
        let output =
            Command::new("python3").args(["-c", script]).stdin(fs::File::open(&input).unwrap()).output().unwrap();
        assert!(output.status.success(), "{}:\n{}\n{text}", policy.display(), String::from_utf8_lossy(&output.stderr));
    }
}

fn shipped() -> Vec<String> {
    let files = fs::read_dir(project().join("policies")).unwrap();
    let mut names: Vec<String> = files
        .filter_map(|entry| Some(entry.unwrap().file_name().to_str()?.strip_suffix(".json")?.to_owned()))
        .collect();
    names.sort();
    names
}

fn export(arguments: &[&str]) -> Answer {
    in_process(&[&["policy", "export"], arguments].concat())
}

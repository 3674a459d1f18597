//! What tells of tools: commits, files, endpoints; and what of it is approved.

use super::{json, rules, sweep, tools};
use crate::repository::Repository;
use crate::world::World;

#[test]
fn trailers_bodies_authors_and_committers_are_read() {
    // "at-trailers"
    let world = World::empty();
    let repository = Repository::new(&world, "r");
    for trailer in [
        "Co-Authored-By: Claude <noreply@anthropic.com>",
        "Co-authored-by: Copilot <175728472+Copilot@users.noreply.github.com>",
        "Co-authored-by: ChatGPT <noreply@openai.com>",
        "Co-authored-by: Cursor <cursoragent@cursor.com>",
        "Co-authored-by: aider (gpt-4o) <aider@aider.chat>",
    ] {
        repository.commit(&format!("fix the parser\n\nWhy.\n\n{trailer}"));
    }
    for author in [
        "Dana Moreau (aider) <dana@example.com>",
        "copilot-swe-agent[bot] <198982749+Copilot@users.noreply.github.com>",
        "devin-ai-integration[bot] <158243242+devin-ai-integration[bot]@users.noreply.github.com>",
        "google-labs-jules[bot] <161369871+google-labs-jules[bot]@users.noreply.github.com>",
    ] {
        repository.git(&["commit", "-q", "--allow-empty", "-m", "change", &format!("--author={author}")]);
    }
    let (row, code) = json(&world, &["--repo", "r"]);
    assert_eq!(code, 0, "nobody said what is approved: {row}");
    for tool in ["aider", "claude-code", "codex", "copilot", "cursor", "devin", "jules"] {
        let found = row["tools"].as_array().unwrap().iter().find(|found| found["id"] == tool);
        let found = found.unwrap_or_else(|| panic!("{tool} is missing: {row}"));
        assert_eq!(found["confidence"], "confirmed", "{found}");
        assert!(found["evidence"][0]["commit"].is_string() && found["evidence"][0]["author"].is_string(), "{found}");
    }
    // Both ways to read the history say the same.
    let (library, _) = json(&world, &["--repo", "r", "--git", "library"]);
    assert_eq!(library, row);
}

#[test]
fn files_of_every_tool_are_seen_wherever_they_lie() {
    // "at-files"
    let world = World::empty();
    let repository = Repository::new(&world, "r");
    for path in [
        "AGENTS.md",
        "GEMINI.md",
        ".gemini/settings.json",
        ".codex/config.toml",
        ".mcp.json",
        ".vscode/mcp.json",
        ".kiro/steering/product.md",
        ".clinerules",
        ".roo/rules/a.md",
        ".continue/config.yaml",
        ".junie/guidelines.md",
        ".amazonq/rules/a.md",
        ".augment/rules/a.md",
        ".windsurf/rules/a.md",
        "opencode.json",
        "services/api/CLAUDE.md",
        ".cursor/rules/a.mdc",
        ".github/copilot-instructions.md",
        ".aider.conf.yml",
        ".goosehints",
        ".openhands/microagents/repo.md",
        ".factory/droids/a.md",
        ".zed/settings.json",
    ] {
        let text = match path.rsplit('.').next() {
            Some("json") => "{}",
            Some("toml" | "yaml" | "yml") => "",
            _ => "Be brief.\n",
        };
        repository.file(path, text);
    }
    repository.commit("settings");
    let (row, code) = json(&world, &["--repo", "r", "--approved", ""]);
    assert_eq!(code, 1);
    let found = tools(&row);
    for tool in [
        "agents-md",
        "aider",
        "amazon-q",
        "augment",
        "claude-code",
        "cline",
        "codex",
        "continue",
        "copilot",
        "cursor",
        "droid",
        "gemini-cli",
        "goose",
        "junie",
        "kiro",
        "opencode",
        "openhands",
        "roo-code",
        "windsurf",
        "zed",
    ] {
        assert!(found.iter().any(|found| found == tool), "{tool} is missing in {found:?}");
    }
    let first =
        row["findings"].as_array().unwrap().iter().find(|found| found["message"].as_str().unwrap().contains("Claude"));
    assert_eq!(first.unwrap()["file"], "services/api/CLAUDE.md");
}

#[test]
fn what_is_not_approved_fails_and_names_have_aliases() {
    // "at-approved"
    let world = World::empty();
    let repository = Repository::new(&world, "r");
    repository
        .file(".github/copilot-instructions.md", "Be brief.\n")
        .file(".cursorrules", "Be brief.\n")
        .commit("settings");
    let code = |approved: &str| sweep(&world, &["--repo", "r", "--approved", approved]).code;
    assert_eq!(code("cursor,copilot"), 0);
    assert_eq!(code("Cursor, GitHub Copilot"), 0);
    assert_eq!(code("cursor"), 1);
    assert_eq!(code(""), 1);
    let answer = sweep(&world, &["--repo", "r", "--approved", "cursr"]);
    assert_eq!(answer.code, 2);
    assert!(answer.stderr.contains("did you mean `cursor`?"), "{}", answer.stderr);
    // A repository says for itself, with a reason and an end.
    repository.file(
        ".agent-strace.yaml",
        "approved:\n  - copilot\n  - {tool: cursor, reason: review 7, until: 2026-02-28}\n",
    );
    repository.commit("approvals");
    let (row, code) = json(&world, &["--repo", "r"]);
    assert_eq!((code, rules(&row)), (1, vec!["repo/approval-expired".to_owned(), "repo/unapproved-tool".to_owned()]));
    repository.file("fleet.yaml", "approved:\n  - copilot\n  - {tool: cursr, reason: x}\n");
    let answer = sweep(&world, &["--repo", "r", "--config", "r/fleet.yaml"]);
    assert_eq!(answer.code, 2);
    assert!(answer.stderr.contains("line 3") && answer.stderr.contains("did you mean `cursor`?"), "{}", answer.stderr);
    // What the command line says counts instead.
    assert_eq!(sweep(&world, &["--repo", "r", "--approved", "cursor,copilot"]).code, 0);
    // What is not committed approves nothing.
    repository.file(".agent-strace.yaml", "approved: [copilot, cursor]\n");
    assert_eq!(sweep(&world, &["--repo", "r"]).code, 1);
}

#[test]
fn every_endpoint_counts_wherever_it_stands() {
    // "at-endpoint-mask", "at-endpoint-where"
    let world = World::empty();
    let repository = Repository::new(&world, "r");
    let env = "A=https://api.anthropic.com\nB=https://openrouter.ai/api/v1\nC=https://api.groq.com/openai/v1\nD=https://api.deepseek.com\nE=https://api.x.ai/v1\n";
    repository.file(".env", env).commit("keys");
    repository.file(".env", "").file("svc/.env.production", "OPENAI_BASE_URL=https://relay.corp-models.io/v1\n");
    repository.file("src/a.py", "URL = 'https://api.mistral.ai/v1'\n").commit("move");
    let (row, code) = json(&world, &["--repo", "r"]);
    assert_eq!(code, 0, "{row}");
    let found: Vec<String> = row["endpoints"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|endpoint| Some(format!("{} {}", endpoint["host"].as_str()?, endpoint["origin"].as_str()?)))
        .collect();
    for wanted in [
        "api.mistral.ai head",
        "relay.corp-models.io head",
        "api.anthropic.com history",
        "openrouter.ai history",
        "api.groq.com history",
        "api.deepseek.com history",
        "api.x.ai history",
    ] {
        assert!(found.iter().any(|found| found == wanted), "{wanted} is missing in {found:?}");
    }
    assert_eq!(rules(&row), ["repo/unknown-endpoint"]);
    let (row, code) = json(&world, &["--repo", "r", "--approved", "host:anthropic,host:mistral"]);
    assert_eq!(code, 1);
    let unapproved = rules(&row).iter().filter(|rule| *rule == "repo/unapproved-endpoint").count();
    assert_eq!(unapproved, 5, "four hosts, and the variable that names a provider: {row}");
}

#[test]
fn people_and_their_addresses_are_no_findings() {
    // "at-name-fp", "at-pii-fp"
    let world = World::empty();
    let repository = Repository::new(&world, "r");
    repository
        .file("CODEOWNERS", "* dana.moreau@riverbend-labs.io\n")
        .file("AUTHORS", "Claude Dupont <claude@riverbend-labs.io>\n");
    repository.commit("reported by Claude Dupont").commit("cursor generated column");
    let (row, code) = json(&world, &["--repo", "r", "--approved", "", "--fail-on", "note"]);
    assert_eq!((code, tools(&row), rules(&row)), (0, Vec::new(), Vec::new()), "{row}");
    // Data about people is one, with its place.
    repository.file("data/customers.csv", "name,mail\nDana,dana.moreau@riverbend-labs.io\n").commit("data");
    let (row, _) = json(&world, &["--repo", "r"]);
    let finding = &row["findings"][0];
    assert_eq!(
        (&finding["rule"], &finding["file"], &finding["line"]),
        (&"pii/email".into(), &"data/customers.csv".into(), &2.into())
    );
}

#[test]
fn what_is_no_repository_is_an_error() {
    // "at-nogit"
    let world = World::empty();
    world.write("plain/file.txt", "x");
    for path in ["plain", "missing"] {
        let answer = sweep(&world, &["--repo", path]);
        assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{path}");
        assert!(answer.stderr.contains("not in a git repository"), "{}", answer.stderr);
    }
    // Among others it doesn't stop them.
    Repository::new(&world, "r").file("CLAUDE.md", "x\n").commit("one");
    let answer = sweep(&world, &["--repo", "missing", "--repo", "r", "--format", "ndjson"]);
    assert_eq!(answer.code, 3, "{answer:?}");
    assert!(
        answer.stdout.contains("\"verdict\":\"broken\"") && answer.stdout.contains("claude-code"),
        "{}",
        answer.stdout
    );
    assert_eq!(sweep(&world, &["--repo", "missing", "--repo", "r", "--approved", ""]).code, 1);
    assert_eq!(sweep(&world, &["--repo", "missing", "--repo", "plain"]).code, 2);
}

//! Repositories of every form, parts of their history, and many of them at once.

use serde_json::Value;

use super::{NOW, json, rules, sweep, tools};
use crate::repository::{DATE, Repository, git};
use crate::sarif_check;
use crate::world::World;

#[test]
fn history_counts_and_a_work_tree_confirms_nothing() {
    // "at-shallow"
    let world = World::empty();
    let repository = Repository::new(&world, "r");
    repository.file("CLAUDE.md", "x\n").commit("one");
    repository.git(&["rm", "-q", "CLAUDE.md"]);
    repository.commit("two").commit("three");
    repository.file(".cursorrules", "not committed\n");
    std::fs::create_dir(world.path().join("r/.windsurf")).unwrap();
    let (row, _) = json(&world, &["--repo", "r"]);
    assert_eq!(tools(&row), ["claude-code", "cursor"]);
    assert_eq!(row["tools"][0]["confidence"], "confirmed");
    assert_eq!(row["tools"][0]["evidence"][0]["origin"], "history");
    assert_eq!(
        (&row["tools"][1]["confidence"], &row["tools"][1]["evidence"][0]["origin"]),
        (&"likely".into(), &"worktree".into())
    );
    // Nor does it matter that it is ignored, where it is what a tool leaves.
    repository.file(".git/info/exclude", ".claude/\nnode_modules/\n");
    repository.file("app/.claude/settings.local.json", "{}").file("node_modules/x/.cursorrules", "theirs\n");
    let (row, _) = json(&world, &["--repo", "r", "--no-history"]);
    assert_eq!(tools(&row), ["claude-code", "cursor"]);
    assert_eq!(row["tools"][1]["evidence"].as_array().map(Vec::len), Some(1), "{row}");
    // A clone without its history does not say that there is none.
    let source = format!("file://{}", world.path().join("r").display());
    git(world.path(), DATE, &["clone", "-q", "--depth", "1", &source, "shallow"]);
    let (row, code) = json(&world, &["--repo", "shallow"]);
    assert_eq!((code, row["verdict"].as_str()), (3, Some("incomplete")), "{row}");
    assert!(row["gaps"][0]["reason"].as_str().unwrap().contains("shallow"), "{row}");
    let (row, code) = json(&world, &["--repo", "shallow", "--no-history"]);
    assert_eq!((code, row["commits"].as_u64()), (0, Some(0)), "{row}");
}

#[test]
fn bare_repositories_worktrees_and_submodules_are_swept() {
    let world = World::empty();
    let repository = Repository::new(&world, "r");
    repository.file("CLAUDE.md", "x\n").commit("one");
    git(world.path(), DATE, &["clone", "-q", "--bare", "r", "bare.git"]);
    assert_eq!(tools(&json(&world, &["--repo", "bare.git"]).0), ["claude-code"]);
    repository.git(&["worktree", "add", "-q", "../linked", "-b", "other"]);
    assert_eq!(tools(&json(&world, &["--repo", "linked"]).0), ["claude-code"]);
    let outer = Repository::new(&world, "outer");
    outer.commit("start");
    outer.git(&["submodule", "--quiet", "add", "../r", "lib"]);
    outer.commit("with a library");
    let (row, _) = json(&world, &["--repo", "outer"]);
    assert_eq!(
        (tools(&row), &row["submodules"]),
        (Vec::new(), &serde_json::json!(["lib"])),
        "what is in it is its own"
    );
    let plain = |args: &[&str]| git(world.path(), DATE, args);
    plain(&["init", "-q", "-b", "main", "--object-format=sha256", "long"]);
    world.write("long/CLAUDE.md", "x\n").write("long/.agent-strace.yaml", "approved: [cursor]\n");
    let long = Repository { world: &world, folder: "long".to_owned() };
    long.commit("one");
    let (row, code) = json(&world, &["--repo", "long"]);
    assert_eq!((code, tools(&row)), (1, vec!["claude-code".to_owned()]), "{row}");
    let empty = Repository::new(&world, "empty");
    empty.git(&["status"]);
    let (row, code) = json(&world, &["--repo", "empty"]);
    assert_eq!((code, &row["head"]), (0, &Value::Null), "{row}");
}

#[test]
fn ranges_and_dates_say_which_commits() {
    let world = World::empty();
    let repository = Repository::new(&world, "r");
    let claude = "x\n\nCo-Authored-By: Claude <noreply@anthropic.com>";
    let old = |args: &[&str]| git(&world.path().join("r"), "2020-01-01T00:00:00Z", args);
    old(&["commit", "-q", "--allow-empty", "-m", claude]);
    repository.commit("now");
    let found = |args: &[&str]| tools(&json(&world, &[&["--repo", "r"], args].concat()).0);
    assert!(found(&[]).is_empty());
    assert!(found(&["--since", "90 days ago"]).is_empty());
    assert_eq!(found(&["--since", "2019-12-31"]), ["claude-code"]);
    assert_eq!(found(&["--all"]), ["claude-code"]);
    assert_eq!(found(&["--range", "HEAD"]), ["claude-code"]);
    assert!(found(&["--range", "HEAD~1..HEAD"]).is_empty());
    // A commit that claims to be old hides nothing that lies before it.
    repository.commit("y\n\nCo-authored-by: Cursor <cursoragent@cursor.com>");
    old(&["commit", "-q", "--allow-empty", "-m", "backdated"]);
    assert_eq!(found(&[]), ["cursor"]);
    // "ms-badpat"
    for args in [
        ["--since", "garbage"],
        ["--range", "nowhere"],
        ["--config", "missing.yaml"],
        ["--baseline", "missing.json"],
        ["--repos-from", "missing.txt"],
    ] {
        let answer = sweep(&world, &[&["--repo", "r"], args.as_slice()].concat());
        assert_eq!(answer.code, 2, "{args:?}: {answer:?}");
    }
}

#[test]
fn suppressions_and_baselines_hold_here_too() {
    let world = World::empty();
    let repository = Repository::new(&world, "r");
    repository.file("CLAUDE.md", "x\n").file(".cursorrules", "x\n");
    let suppression =
        "  - {rule: repo/unapproved-tool, match: {tool: claude-code}, reason: known, owner: ana, until: 2026-12-31}\n";
    repository.file(".agent-strace.yaml", &format!("approved: []\nsuppressions:\n{suppression}"));
    repository.commit("one");
    let (row, code) = json(&world, &["--repo", "r"]);
    assert_eq!(
        (code, rules(&row), row["suppressed"].as_u64()),
        (1, vec!["repo/unapproved-tool".to_owned()], Some(1)),
        "{row}"
    );
    let answer = sweep(&world, &["--repo", "r", "--write-baseline", "known.json"]);
    assert_eq!(answer.code, 1);
    let (row, code) = json(&world, &["--repo", "r", "--baseline", "known.json"]);
    assert_eq!((code, row["baselined"].as_u64()), (0, Some(1)), "{row}");
    repository.file("GEMINI.md", "x\n").commit("two");
    assert_eq!(json(&world, &["--repo", "r", "--baseline", "known.json"]).1, 1);
    assert_eq!(sweep(&world, &["--repo", "r", "--write-baseline", "known.json"]).code, 2, "it is there already");
}

/// Five repositories: two with findings, one without, one that is broken, one with a server.
pub(crate) fn fleet(world: &World) {
    Repository::new(world, "fleet/a").file("CLAUDE.md", "x\n").commit("one");
    Repository::new(world, "fleet/b").file(".cursorrules", "x\n").file("GEMINI.md", "x\n").commit("one");
    Repository::new(world, "fleet/c").file("README.md", "x\n").commit("one");
    Repository::new(world, "fleet/d")
        .file(".mcp.json", "{\"mcpServers\": {\"files\": {\"command\": \"npx\", \"args\": [\"files\"]}}}")
        .commit("one");
    Repository::new(world, "fleet/group/e").file(".aider.conf.yml", "model: x\n").commit("one");
    let names = ["a", "b", "c", "missing", "d", "group/e"].map(|name| format!("fleet/{name}"));
    world.write("list.txt", &format!("# all of them\n\n{}\n", names.join("\n")));
}

#[test]
fn a_folder_of_clones_is_a_fleet() {
    let world = World::empty();
    fleet(&world);
    let answer = sweep(&world, &["--repo", "fleet", "--approved", "claude-code"]);
    assert_eq!(answer.code, 1);
    for part in ["Repo:  fleet/group/e", "Tool × repository", "FAIL: ", "in 5 repositories"] {
        assert!(answer.stdout.contains(part), "{part}: {}", answer.stdout);
    }
    let csv = sweep(&world, &["--repo", "fleet", "--approved", "claude-code", "--format", "csv"]).stdout;
    assert!(csv.starts_with("repository,verdict,") && csv.contains("fleet/b,fail,"), "{csv}");
    let markdown = sweep(&world, &["--repo", "fleet", "--approved", "claude-code", "--format", "markdown"]).stdout;
    assert!(markdown.contains("### Tool × repository") && markdown.contains("gemini"), "{markdown}");
}

#[test]
fn shards_that_are_merged_are_the_whole_run() {
    let world = World::empty();
    fleet(&world);
    let list = ["--repos-from", "list.txt", "--approved", "claude-code,cursor"];
    for of in [1, 2, 4, 9] {
        let mut files = Vec::new();
        for number in 1..=of {
            let (shard, file) = (format!("{number}/{of}"), format!("part-{of}-{number}.ndjson"));
            let args = [list.as_slice(), &["--shard", &shard, "--format", "ndjson", "--output", &file]].concat();
            let answer = sweep(&world, &args);
            assert!(answer.stdout.is_empty(), "{answer:?}");
            files.push(file);
        }
        files.reverse();
        for format in ["ndjson", "json", "text", "markdown", "csv", "sarif"] {
            let whole = sweep(&world, &[list.as_slice(), &["--format", format]].concat());
            let mut args = vec!["audit-tools", "merge", "--format", format];
            args.extend(files.iter().map(String::as_str));
            assert_eq!(world.run(&args), whole, "{of} shards as {format}");
        }
    }
    // What is not all of one run is refused.
    let merge = |files: &[&str]| world.run(&[["audit-tools", "merge"].as_slice(), files].concat());
    let missing = merge(&["part-2-1.ndjson"]);
    assert!(missing.code == 2 && missing.stderr.contains("2 shards, and 1 files"), "{missing:?}");
    assert_eq!(merge(&["part-2-1.ndjson", "part-2-1.ndjson"]).code, 2);
    assert_eq!(merge(&["part-2-1.ndjson", "part-4-2.ndjson"]).code, 2);
    let half = world.read("part-2-2.ndjson");
    world.write("half.ndjson", half.lines().next().unwrap());
    let cut = merge(&["part-2-1.ndjson", "half.ndjson"]);
    assert!(cut.code == 2 && cut.stderr.contains("summary"), "{cut:?}");
    let other =
        sweep(&world, &["--repos-from", "list.txt", "--shard", "2/2", "--format", "ndjson", "-o", "other.ndjson"]);
    assert!(other.stdout.is_empty());
    assert!(merge(&["part-2-1.ndjson", "other.ndjson"]).stderr.contains("different runs"));
}

#[test]
fn a_report_is_the_same_on_any_number_of_threads() {
    let world = World::empty();
    fleet(&world);
    let run = |threads: &str| {
        let args = ["audit-tools", "--now", NOW, "--repos-from", "list.txt", "--format", "ndjson"];
        world.run_with(&args, &[("RAYON_NUM_THREADS", threads)], "").stdout
    };
    assert_eq!(run("1"), run("4"));
}

#[test]
fn sarif_of_repositories_is_accepted() {
    let world = World::empty();
    fleet(&world);
    for args in [vec!["--repo", "fleet/b", "--approved", ""], vec!["--repos-from", "list.txt", "--approved", ""]] {
        let answer = sweep(&world, &[args.as_slice(), &["--format", "sarif"]].concat());
        assert_eq!(answer.code, 1);
        assert_eq!(sarif_check::problems(&answer.stdout), Vec::<String>::new());
    }
}

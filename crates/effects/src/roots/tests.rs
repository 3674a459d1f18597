//! Tests which directories may be the top of a repository, and which of them is most likely.

use std::sync::Arc;

use agent_strace_model::{Arguments, Dialect, Event, EventKind, Origin, Session, Status, ToolCall};

use super::{Guarded, Repository, Roots, Standing};
use crate::{Certainty, PathTarget};

static DIALECT: Dialect = Dialect::new("one-shell", "a");

fn session(cwd: Option<&'static str>, paths: &[&str]) -> Session<'static> {
    let call = |path: &&str| {
        EventKind::Call(ToolCall {
            call_id: None,
            tool: "Write".into(),
            arguments: Arguments::Json(format!(r#"{{"file_path":"{path}"}}"#).into()),
            cwd: None,
            status: Status::Ok,
            subagent: None,
        })
    };
    let event = |kind| Event { number: 1, id: None, line: 1, time: None, origin: Origin::default(), kind };
    let events = paths.iter().map(call).map(event).collect();
    Session { root: cwd.map(Into::into), events, ..Session::new(&DIALECT, "log") }
}

fn repository(files: &[&str]) -> Repository {
    Repository::default().with_files(files.iter().map(|file| (*file).to_owned()))
}

fn roots(session: &Session<'_>, repository: Repository, guarded: &[&str]) -> Vec<String> {
    let roots = Roots::of(session, &Arc::new(repository), &Guarded::of(guarded.iter().copied()));
    let others = roots.places.others.iter().map(|other| other.root.as_deref());
    [roots.first()].into_iter().chain(others).map(|root| root.unwrap_or("-").to_owned()).collect()
}

#[test]
fn ancestors_whose_path_to_the_start_is_a_directory_are_candidates() {
    let tree = ["infra/main.tf", "src/a.py", "requests/api.py", "README.md", "a/b/x", "b/y"];
    for (cwd, paths, expected) in [
        ("/home/d/rates", vec!["/home/d/rates/src/a.py"], vec!["/home/d/rates"]),
        ("/home/d/rates/infra", vec!["/home/d/rates/infra/main.tf"], vec!["/home/d/rates", "/home/d/rates/infra"]),
        ("/home/d/rates/infra", vec!["main.tf"], vec!["/home/d/rates", "/home/d/rates/infra"]),
        ("/home/d/rates/infra", vec!["new.tf"], vec!["/home/d/rates", "/home/d/rates/infra"]),
        // Nothing speaks for another directory than that of the start.
        ("/home/d/rates/infra", vec![], vec!["/home/d/rates/infra", "/home/d/rates"]),
        ("/home/d/src", vec!["deep/new/x.py"], vec!["/home/d/src", "/home/d"]),
        ("/home/d/src", vec!["NOTES.md"], vec!["/home/d/src", "/home/d"]),
        ("/home/d/src", vec!["b/new/x.py"], vec!["/home/d/src", "/home/d"]),
        ("C:\\rates\\INFRA", vec![], vec!["C:/rates/INFRA", "C:/rates"]),
        ("\\\\srv\\share\\rates\\infra", vec!["new.tf"], vec!["//srv/share/rates", "//srv/share/rates/infra"]),
        // A repository whose folder is called like one in it.
        ("/home/d/requests", vec!["/home/d/requests/README.md"], vec!["/home/d/requests", "/home/d"]),
        ("/home/d/requests", vec!["requests/api.py"], vec!["/home/d/requests", "/home/d"]),
        // The longer way down is less likely to be there by chance.
        ("/r/a/b", vec![], vec!["/r", "/r/a/b", "/r/a"]),
        ("/r/.claude", vec![], vec!["/r", "/r/.claude"]),
        ("/r/.git/hooks", vec!["pre-push"], vec!["/r", "/r/.git/hooks"]),
        ("/infra", vec![], vec!["/infra"]),
    ] {
        assert_eq!(roots(&session(Some(cwd), &paths), repository(&tree), &[]), expected, "{cwd} {paths:?}");
    }
}

#[test]
fn a_directory_that_the_policy_guards_counts_whatever_the_session_shows() {
    let tree = ["src/a.py"];
    let found = |cwd, paths: &[&str]| roots(&session(Some(cwd), paths), repository(&tree), &["secrets/**", "build"]);
    assert_eq!(found("/srv/rates/secrets", &["/srv/rates/secrets/prod.yml"]), ["/srv/rates/secrets", "/srv/rates"]);
    assert_eq!(found("/srv/rates/secrets", &["src/a.py"]), ["/srv/rates/secrets", "/srv/rates"]);
    assert_eq!(found("/home/d/build/rates", &["/home/d/build/rates/src/a.py"]), ["/home/d/build/rates", "/home/d"]);
}

#[test]
fn what_may_be_meant_is_judged_path_by_path() {
    use Standing::{Doubtful, Plausible};
    let tree = ["src/a.py", "src/b.py", "infra/main.tf", "docs/x/y.md"];
    let guarded = Guarded::of(["infra/**", "secrets/**"]);
    for (cwd, mentioned, path, expected) in [
        // A repository that is called like what the policy guards.
        ("/h/secrets", vec![], "src/new/x.py", vec![]),
        ("/h/u/secrets", vec![], "src/new/x.py", vec![]),
        ("/h/u/secrets/rates", vec![], "notes/z.txt", vec![("secrets/rates/notes/z.txt", Plausible)]),
        ("/h/secrets", vec!["src/a.py"], "prod.yml", vec![("secrets/prod.yml", Plausible)]),
        (
            "/h/secrets/rates",
            vec!["src/a.py", "src/b.py"],
            "notes/z.txt",
            vec![("secrets/rates/notes/z.txt", Doubtful)],
        ),
        ("/h/rates/secrets/x", vec![], "/h/rates/secrets/prod.yml", vec![("secrets/prod.yml", Plausible)]),
        // The checkout lies below the start, beside it, or above it.
        ("/h", vec![], "rates/infra/main.tf", vec![("infra/main.tf", Plausible)]),
        ("/", vec![], "h/rates/infra/main.tf", vec![("infra/main.tf", Plausible)]),
        ("/tmp/x", vec!["src/a.py"], "/h/rates/infra/main.tf", vec![("infra/main.tf", Plausible)]),
        ("/h/rates/scratch", vec![], "/h/rates/infra/main.tf", vec![("infra/main.tf", Plausible)]),
        ("/h/rates/scratch", vec![], "/h/rates/secrets/new.yml", vec![("secrets/new.yml", Plausible)]),
        ("/h", vec!["rates/src/a.py"], "rates/secrets/new.yml", vec![("secrets/new.yml", Plausible)]),
        // Another project, of a session that shows its own.
        ("/h/rates", vec!["src/a.py", "src/b.py"], "/h/other/infra/main.tf", vec![("infra/main.tf", Doubtful)]),
        ("/h/rates", vec!["src/a.py", "src/b.py"], "/h/secrets/x", vec![]),
        ("/h/u/rates", vec!["src/a.py", "src/b.py"], "/h/u/secrets/x", vec![("secrets/x", Doubtful)]),
        ("/h/rates", vec!["src/a.py", "src/b.py"], "/h/other/x/y.md", vec![]),
        ("/h/rates", vec!["src/a.py"], "docs/new/src/a.py", vec![]),
    ] {
        let session = session(Some(cwd), &mentioned);
        let roots = Roots::of(&session, &Arc::new(repository(&tree)), &guarded);
        let moved = roots.moved(&PathTarget::new(path), Certainty::Exact);
        let found: Vec<_> = moved.iter().map(|moved| (moved.target.path.as_str(), moved.standing)).collect();
        assert_eq!(found, expected, "{cwd} {mentioned:?} {path}");
    }
}

#[test]
fn what_the_caller_states_or_the_place_of_the_judge_decides_alone() {
    let tree = ["infra/main.tf", "requests/api.py"];
    let stated = || repository(&tree).with_stated(["/w/requests", "/w"]);
    assert_eq!(roots(&session(Some("/w/requests"), &[]), stated(), &[]), ["/w/requests"]);
    assert_eq!(roots(&session(Some("/w/x/infra"), &[]), stated(), &[]), ["/w"]);
    // Elsewhere it says nothing against the usual candidates.
    assert_eq!(roots(&session(Some("/v/infra"), &[]), stated(), &[]), ["/v/infra", "/v", "/w/requests", "/w"]);
    let here = || repository(&tree).at(Some("/w/requests"));
    assert_eq!(roots(&session(Some("/w/requests/infra"), &[]), here(), &[]), ["/w/requests"]);
    assert_eq!(roots(&session(None, &["/w/requests/x.py"]), here(), &[]), ["/w/requests", "-"]);
    assert_eq!(roots(&session(None, &["/v/x.py"]), here(), &[]), ["-"]);
}

#[test]
fn files_of_a_session_without_a_directory_show_the_one_that_holds_them() {
    for (paths, expected) in [
        (vec!["/project/pyproject.toml", "/project/tests/b.py"], "/project"),
        (vec!["/Users/x/app/README.md", "/Users/x/app/src/b.ts", "/Users/x/.config/tmux.conf"], "/Users/x/app"),
        (vec!["C:\\\\app\\\\LICENSE", "C:\\\\app\\\\b\\\\c.cs"], "C:/app"),
        // No file of the kind that lies at the top of a repository shows where its top is.
        (vec!["/project/a.py", "/project/tests/b.py"], "-"),
        // One file lies in many directories.
        (vec!["/Users/x/app/a.ts"], "-"),
        // A home directory and those of the system are no repositories.
        (vec!["/home/x/a/b", "/home/x/c/d"], "-"),
        (vec!["/home/x/.ssh/a", "/home/x/.ssh/b"], "-"),
        (vec!["/etc/cron.d/a", "/etc/cron.d/b"], "-"),
        (vec!["/project/a", "/srv/b"], "-"),
        (vec!["/project/../etc/a", "/project/../etc/b"], "-"),
    ] {
        let roots = roots(&session(None, &paths), Repository::default(), &[]);
        assert_eq!(roots[0], expected, "{paths:?}");
        // A policy's denies hold in any directory.
        assert!(roots.contains(&"-".to_owned()), "{paths:?}");
    }
}

#[test]
fn a_claim_of_the_log_ranks_and_removes_nothing() {
    let claimed = Session { top: Some("/r".into()), ..session(Some("/r/a/b"), &[]) };
    assert_eq!(roots(&claimed, repository(&["b/y"]), &[]), ["/r", "/r/a/b", "/r/a"]);
}

#[test]
fn the_paths_of_a_policy_in_a_directory_count_from_there() {
    let tree = || repository(&["services/a/src/x.py"]).with_policy_in("services/a");
    let below = session(Some("/m/services/a"), &[]);
    assert_eq!(roots(&below, tree(), &[]), ["/m/services/a", "/m"]);
    assert_eq!(roots(&session(Some("/m"), &[]), tree(), &[]), ["/m"]);
}

#[test]
fn a_file_of_the_change_is_known_in_any_checkout() {
    let repository = repository(&["src/a.py"]).with_change(["infra/main.tf", "README.md"]);
    let roots = Roots::of(&session(Some("/r"), &["src/a.py"]), &Arc::new(repository), &Guarded::default());
    let moved = |path: &str| {
        let moved = roots.moved(&PathTarget::new(path), Certainty::Exact);
        moved.into_iter().map(|moved| moved.target.path).collect::<Vec<_>>()
    };
    assert_eq!(moved("/tmp/wt/infra/main.tf"), ["infra/main.tf"]);
    assert_eq!(moved("home/r/infra/main.tf"), ["infra/main.tf"]);
    for other in ["infra/main.tf", "src/infra/main.tf", "/tmp/README.md", "/tmp/xinfra/main.tf", "/tmp/wt/infra/b.tf"] {
        assert!(moved(other).is_empty(), "{other}");
    }
}

#[test]
fn targets_move_to_the_other_roots() {
    let repository = Arc::new(repository(&["infra/main.tf"]));
    let roots = Roots::of(&session(Some("/r/infra"), &["main.tf"]), &repository, &Guarded::default());
    let moved = |path: &str, subtree, certainty| {
        let target = PathTarget { path: path.to_owned(), subtree };
        let moved = roots.moved(&target, certainty);
        moved.into_iter().map(|moved| moved.target.shown().into_owned()).collect::<Vec<_>>()
    };
    assert_eq!(roots.first(), Some("/r"));
    assert_eq!(moved("infra/main.tf", false, Certainty::Exact), ["main.tf"]);
    assert_eq!(moved("infra/*.tf", false, Certainty::Pattern), ["*.tf"]);
    assert_eq!(moved("infra", true, Certainty::Exact), [PathTarget { path: ".".to_owned(), subtree: true }.shown()]);
    assert!(moved("src/x", false, Certainty::Exact).is_empty());
    assert!(moved("/etc/passwd", false, Certainty::Exact).is_empty());
}

//! What ordinary repositories are made of.

use std::ops::ControlFlow;
use std::path::Path;

use super::world::{Owned, Script, World, both, file, one, range, since, texts};
use crate::commits::MAX_DEPTH;
use crate::commits::batch::MOST_CHANGES;
use crate::repository::Repository;
use crate::{Backend, Change, GitError, Id, Revisions, Status};

/// Two branches, an evil merge, an octopus, a second root, tags and notes.
fn zoo() -> World {
    let world = World::new();
    let elsewhere = format!("M 160000 {} vendor", "1".repeat(40));
    let moved = format!("M 160000 {} vendor", "2".repeat(40));
    let script = Script::default()
        .commit(
            1,
            "main",
            100,
            b"1",
            &[],
            &[
                &file("100644", "a", "1"),
                &file("100755", "dir/b", "1"),
                &file("120000", "link", "a"),
                &file("100644", "dir.txt", "x"),
                &file("100644", "plain", "x"),
            ],
        )
        .commit(
            2,
            "main",
            200,
            b"2",
            &[1],
            &[
                &file("120000", "a", "dir"),
                "D link",
                &file("100755", "plain", "x"),
                "D dir/b",
                "D dir",
                &file("100644", "dir", "a file now"),
            ],
        )
        .commit(3, "main", 300, b"3", &[2], &[&elsewhere, &file("100644", "\"\\377\\376.txt\"", "odd")])
        .commit(4, "main", 400, b"4 caf\xe9", &[3], &[&moved])
        .commit(5, "side", 500, b"5", &[2], &[&file("100644", "side", "1"), &file("100644", "plain", "side")])
        .commit(
            6,
            "main",
            600,
            b"6",
            &[4, 5],
            &[&file("100644", "side", "1"), &file("100644", "plain", "neither"), &file("100644", "evil", "1")],
        )
        .commit(7, "other", 700, b"7", &[], &[&file("100644", "other/root", "1")])
        .commit(8, "third", 800, b"8", &[5], &[&file("100644", "third", "1")])
        .commit(
            9,
            "main",
            900,
            b"9",
            &[6, 7, 8],
            &[&file("100644", "other/root", "1"), &file("100644", "third", "1"), &file("100644", "vendor", "none")],
        )
        .commit(10, "lost", 1000, b"10\n", &[1], &[])
        .commit(11, "pull", 1100, b"11", &[1], &[&file("100644", "pull", "1")]);
    world.import(&script);
    world.git(&["update-ref", "refs/pull/1/head", "pull"]);
    world.git(&["update-ref", "-d", "refs/heads/pull"]);
    world.git(&["tag", "-a", "-m", "inner", "inner", "lost"]);
    world.git(&["tag", "-a", "-m", "outer", "outer", "inner"]);
    world.git(&["branch", "-D", "lost"]);
    world.git(&["tag", "-d", "inner"]);
    world.git(&["tag", "file", "main:evil"]);
    world.git(&["tag", "-a", "-m", "tree", "tree", "main^{tree}"]);
    world.git(&["notes", "add", "-m", "a note", "main"]);
    world.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/none"]);
    world
}

fn changes(commits: &[Owned], text: &str) -> Vec<String> {
    commits.iter().find(|commit| commit.text() == text).unwrap().paths()
}

#[test]
fn all_references_are_walked_and_each_kind_of_change_is_told() {
    let world = zoo();
    let (found, cut) = both(world.path(), &Revisions::All);
    assert_eq!((found.len(), cut), (12, None));
    assert_eq!(changes(&found, "1"), ["A a", "A dir.txt", "A dir/b", "A link", "A plain"]);
    assert_eq!(changes(&found, "2"), ["T a", "A dir", "D dir/b", "D link", "M plain"]);
    assert_eq!(changes(&found, "3"), ["A vendor", "A \u{fffd}\u{fffd}.txt"]);
    assert_eq!(changes(&found, "4 caf\u{fffd}"), ["M vendor"]);
    assert_eq!(changes(&found, "6"), ["A evil", "M plain"]);
    // The others have no `vendor`, so a file in its place is told against the first parent.
    assert_eq!(changes(&found, "9"), ["T vendor"]);
    assert!(changes(&found, "10").is_empty());
    let gone = found.iter().flat_map(|commit| &commit.changes).filter(|change| change.0 == Status::Deleted);
    assert!(gone.clone().count() == 2 && gone.clone().all(|change| change.2 == 0 && change.3.is_zero()));
    let latin = found.iter().find(|commit| commit.text().starts_with('4')).unwrap();
    assert_eq!(
        (latin.message.as_slice(), latin.encoding.as_deref()),
        (b"4 caf\xe9".as_slice(), Some(&b"iso-8859-1"[..]))
    );
    assert_eq!((latin.parents, latin.seconds), (1, 400));
    assert_eq!(latin.author, (b"Some Body".to_vec(), b"author@example.com".to_vec()));
    let odd = found.iter().find(|commit| commit.text() == "3").unwrap();
    assert_eq!(
        odd.changes.iter().map(|change| change.4.clone()).collect::<Vec<_>>(),
        [&b"vendor"[..], b"\xff\xfe.txt"]
    );
}

#[test]
fn ranges_leave_out_what_the_left_side_has() {
    let world = zoo();
    let start = world.path();
    assert_eq!(texts(start, &range("side..main")), ["3", "4 caf\u{fffd}", "6", "7", "8", "9"]);
    assert_eq!(texts(start, &range("main~1...third")), ["8"]);
    assert_eq!(texts(start, &range("main..")), Vec::<String>::new());
    assert_eq!(texts(start, &range("..outer")), ["10"]);
    assert_eq!(texts(start, &range("side")), ["1", "2", "5"]);
    for wrong in ["nowhere", "main..nowhere", "--all", "main\nside", "file", "main:evil", "-n1", "^main", "main^{tree}"]
    {
        for backend in [Backend::Binary, Backend::Library] {
            let error = one(start, &range(wrong), backend).unwrap_err();
            assert!(matches!(error, GitError::NoRevision(_)), "{wrong}: {error}");
        }
    }
}

#[test]
fn a_forged_date_hides_nothing() {
    let world = World::new();
    let script = Script::default()
        .commit(1, "main", 1000, b"1 old", &[], &[])
        .commit(2, "side", 1100, b"2 old", &[1], &[])
        .commit(3, "main", 5000, b"3 new", &[1], &[])
        .commit(4, "main", 10, b"4 forged", &[3], &[])
        .commit(5, "main", 20, b"5 forged", &[4, 2], &[]);
    world.import(&script);
    assert_eq!(texts(world.path(), &since(4000)), ["3 new", "4 forged", "5 forged"]);
    assert_eq!(texts(world.path(), &since(5000)), ["3 new", "4 forged", "5 forged"]);
    assert_eq!(texts(world.path(), &since(5001)), Vec::<String>::new());
    assert_eq!(texts(world.path(), &since(0)).len(), 5);
    let later = jiff::Timestamp::new(5000, 1).unwrap();
    assert_eq!(texts(world.path(), &Revisions::Since(later)), Vec::<String>::new());
}

#[test]
fn every_kind_of_repository_is_read() {
    let world = zoo();
    let everything = texts(world.path(), &Revisions::All);
    let bare = World::with(&["clone", "--quiet", "--mirror", &world.url(), "."]);
    assert_eq!(texts(bare.path(), &Revisions::All), everything);
    let linked = world.path().join("linked");
    world.git(&["worktree", "add", "--quiet", "--detach", "linked", "side"]);
    assert_eq!(texts(&linked, &since(0)), ["1", "2", "5"]);
    std::fs::create_dir(linked.join("folder")).unwrap();
    assert_eq!(texts(&linked.join("folder"), &Revisions::All), everything);
    world.git(&["checkout", "--quiet", "--detach", "outer"]);
    assert_eq!(texts(world.path(), &since(0)), ["1", "10"]);
    let facts = Repository::open(&linked).unwrap().facts().unwrap();
    assert_eq!(facts.head, Some(world.git(&["rev-parse", "side"])));
    assert_eq!(facts.worktree.unwrap().canonicalize().unwrap(), linked.canonicalize().unwrap());
    assert!(!facts.bare && !facts.shallow && Repository::open(bare.path()).unwrap().facts().unwrap().bare);
}

#[test]
fn where_there_is_no_commit_yet_there_are_none() {
    let world = World::new();
    for revisions in [since(0), Revisions::All] {
        assert_eq!(texts(world.path(), &revisions), Vec::<String>::new());
    }
    assert!(matches!(one(world.path(), &range("HEAD"), Backend::Binary), Err(GitError::NoRevision(_))));
    assert_eq!(Repository::open(world.path()).unwrap().facts().unwrap().head, None);
    std::fs::write(world.path().join(".git/refs/heads/main"), "garbage\n").unwrap();
    for backend in [Backend::Binary, Backend::Library] {
        assert!(one(world.path(), &since(0), backend).is_err(), "{backend:?}");
    }
}

#[test]
fn a_shallow_clone_says_so_where_the_range_reaches_its_end() {
    let world = World::new();
    let mut script = Script::default();
    for mark in 1..=5 {
        let parents: Vec<usize> = (1..mark).rev().take(1).collect();
        let text = mark.to_string();
        let seconds = i64::try_from(mark).unwrap() * 100;
        script = script.commit(mark, "main", seconds, text.as_bytes(), &parents, &[&file("100644", &text, "x")]);
    }
    world.import(&script);
    let clone = World::with(&["clone", "--quiet", "--depth=3", &world.url(), "."]);
    let (found, cut) = both(clone.path(), &Revisions::All);
    assert_eq!(changes(&found, "3"), ["A 1", "A 2", "A 3"]);
    assert_eq!((found.len(), changes(&found, "4")), (3, vec!["A 4".to_owned()]));
    let told = "the clone is shallow and the parents of 1 commit are not here; fetch them (`git fetch --unshallow`)";
    assert_eq!(cut.as_deref(), Some(told));
    assert_eq!(both(clone.path(), &range("HEAD~1..HEAD")).1, None);
    assert_eq!(both(clone.path(), &since(400)).1, None);
    assert!(both(clone.path(), &since(300)).1.is_some());
    assert!(Repository::open(clone.path()).unwrap().facts().unwrap().shallow);
}

#[test]
fn a_walk_ends_when_it_is_told_to() {
    let world = zoo();
    for backend in [Backend::Auto, Backend::Binary, Backend::Library] {
        let mut seen = 0;
        let history = Repository::open(world.path()).unwrap().commits(&Revisions::All, backend, &mut |_| {
            seen += 1;
            if seen == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!((history.unwrap().commits, seen), (2, 2));
    }
}

#[test]
fn a_commit_of_very_many_paths_comes_in_parts() {
    let world = World::new();
    let mut lines = vec![file("100644", "first", "1")];
    lines.extend((0..MOST_CHANGES + 10).map(|number| format!("M 160000 {} {}/{number}", "3".repeat(40), number / 500)));
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    world.import(&Script::default().commit(1, "main", 1, b"1", &[], &lines));
    for backend in [Backend::Binary, Backend::Library] {
        let mut parts = Vec::new();
        let history = Repository::open(world.path()).unwrap().commits(&Revisions::All, backend, &mut |commit| {
            parts.push((commit.continued, commit.changes.len(), commit.message.to_vec()));
            ControlFlow::Continue(())
        });
        assert_eq!(history.unwrap().commits, 1);
        assert_eq!(parts, [(false, MOST_CHANGES, b"1".to_vec()), (true, 11, b"1".to_vec())]);
    }
    assert_eq!(both(world.path(), &Revisions::All).0.len(), 1);
}

#[test]
fn trees_references_and_files_are_read() {
    let world = zoo();
    let repository = Repository::open(world.path()).unwrap();
    let names: Vec<String> = repository.references().unwrap().into_iter().map(|(name, _)| name).collect();
    let listed = world.git(&["for-each-ref", "--format=%(refname)"]);
    assert_eq!(names, listed.lines().collect::<Vec<_>>());
    assert!(names.contains(&"refs/pull/1/head".to_owned()));
    let files = repository.paths("main~1").unwrap();
    let shown: Vec<_> = files.iter().map(|file| (String::from_utf8_lossy(&file.path), file.mode)).collect();
    let plain = 0o100_644;
    let expected = [("a", 0o120_000), ("dir", plain), ("dir.txt", plain), ("evil", plain), ("plain", plain)];
    assert_eq!(shown[..5], expected.map(|(path, mode)| (path.into(), mode)));
    assert!(matches!(repository.paths("nowhere"), Err(GitError::NoRevision(_))));
    let (objects, evil) = (repository.objects().unwrap(), files[3].id);
    assert_eq!(objects.read(&evil, 1).unwrap(), Some(b"1".to_vec()));
    assert_eq!(objects.read(&evil, 0).unwrap(), None);
    assert!(matches!(objects.read(&Id::zero(), 10), Err(GitError::Missing(_))));
    world.git(&["symbolic-ref", "HEAD", "refs/heads/side"]);
    world.git(&["update-ref", "--no-deref", "HEAD", "main~1"]);
    let head = repository.facts().unwrap().head.unwrap();
    assert!(repository.paths(&head).unwrap().iter().any(|file| file.path == b"vendor" && file.mode == 0o160_000));
}

#[test]
fn the_depth_of_folders_is_bounded() {
    let world = World::new();
    let nested = |depth: usize| file("100644", &format!("{}file", "d/".repeat(depth)), "x");
    world.import(&Script::default().commit(1, "main", 1, b"1", &[], &[&nested(MAX_DEPTH - 1)]));
    assert_eq!(both(world.path(), &Revisions::All).0[0].changes.len(), 1);
    world.import(&Script::default().commit(1, "main", 1, b"1", &[], &[&nested(MAX_DEPTH + 2)]));
    assert!(one(world.path(), &Revisions::All, Backend::Library).is_err());
    assert!(Repository::open(world.path()).unwrap().paths("main").is_err());
}

#[test]
fn nothing_is_told_of_a_place_that_is_no_repository() {
    let outside = tempfile::tempdir().unwrap();
    assert!(matches!(Repository::open(outside.path()), Err(GitError::NoRepository(_))));
    assert!(matches!(Repository::open(Path::new("/nowhere/at/all")), Err(GitError::NoRepository(_))));
    // Nothing of a change is on the heap by itself.
    assert!(size_of::<Change<'_>>() <= 64);
}

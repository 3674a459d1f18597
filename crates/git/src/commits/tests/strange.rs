//! Commits that git itself does not write, objects that are missing, and repositories of other kinds.

use super::world::{Owned, Script, World, both, file, one, range, since};
use crate::commits::program::failure;
use crate::commits::raw::MOST;
use crate::repository::Repository;
use crate::{Backend, GitError, Revisions};

/// The id of the empty tree.
const EMPTY: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

fn empty() -> World {
    let world = World::new();
    world.git_with(&["mktree"], b"");
    world
}

/// A commit as both backends deliver it.
fn delivered(header: &str, message: &[u8]) -> Owned {
    let world = empty();
    let mut bytes = format!("tree {EMPTY}\n{header}").into_bytes();
    bytes.extend(message);
    world.literally("main", &bytes);
    let (mut found, _) = both(world.path(), &Revisions::All);
    assert_eq!(found.len(), 1);
    // A range that is worked out by dates finds it as well.
    assert!(both(world.path(), &since(i64::from(i32::MIN))).0.len() == 1);
    assert!(both(world.path(), &range("main")).0 == found);
    found.remove(0)
}

#[test]
fn headers_that_are_malformed_hide_nothing() {
    let cases: &[(&str, &str, &str, i64)] = &[
        ("author A <a@b> 1 +0000\ncommitter C <c@d> 5 +0000\n\n", "A", "a@b", 5),
        ("author <a@b> 1 +0000\ncommitter <> 5\n\n", "", "a@b", 5),
        ("author nobody at all\ncommitter C <c@d>\n\n", "nobody at all", "", 0),
        ("author A <a@b\ncommitter C <c@d> 99999999999999999999 +0000\n\n", "A", "a@b", i64::MAX),
        ("author A <a> <b@c>> 1 +0000\ncommitter C <<c@d>> x5\n\n", "A", "a", 0),
        ("author \ncommitter C <c@d> 5 +0000\n\n", "", "", 5),
        ("committer C <c@d> 5 +0000\n\n", "", "", 5),
        ("\n", "", "", 0),
        ("", "", "", 0),
    ];
    for (header, name, email, seconds) in cases {
        let commit = delivered(header, b"trailer: x");
        assert_eq!(commit.author, (name.as_bytes().to_vec(), email.as_bytes().to_vec()), "{header}");
        assert_eq!(commit.seconds, *seconds, "{header}");
        let message: &[u8] = if header.is_empty() { b"" } else { b"trailer: x" };
        assert_eq!(commit.message, message, "{header}");
    }
}

#[test]
fn messages_come_as_they_are_stored() {
    let header = "author A <a@b> 1 +0000\ncommitter C <c@d> 5 +0000\nencoding utf-16\n\n";
    for message in [&b""[..], b"\n", b"\n\n  \n", b"before\0behind\n", b"\0", b"\xff\xfe\x00", b"no end", b"\r\n\r\n"] {
        let commit = delivered(header, message);
        assert_eq!(commit.message, message);
        assert_eq!(commit.encoding.as_deref(), Some(&b"utf-16"[..]));
    }
    let mut huge = b"x".repeat(MOST + 5000);
    assert_eq!(delivered(header, &huge).message.len(), MOST);
    huge.truncate(MOST);
    assert_eq!(delivered(header, &huge).message, huge);
    let long = format!("author A <a@b> 1 +0000\ncommitter C <c@d> 5 +0000\ngpgsig {}\n\n", "y".repeat(2 * MOST));
    assert_eq!(delivered(&long, b"still here").message, b"still here");
}

fn three() -> World {
    let world = World::new();
    let script = Script::default()
        .commit(1, "main", 100, b"1", &[], &[&file("100644", "d/a", "1")])
        .commit(2, "main", 200, b"2", &[1], &[&file("100644", "d/a", "2")])
        .commit(3, "main", 300, b"3", &[2], &[&file("100644", "d/a", "3")]);
    world.import(&script);
    world.git(&["config", "gc.auto", "0"]);
    world
}

#[test]
fn what_is_missing_is_never_passed_over() {
    for lost in ["main~1", "main~1^{tree}", "main~1:d", "main~2"] {
        let world = three();
        let id = world.git(&["rev-parse", lost]);
        // Objects that stand by themselves can be lost by themselves.
        let pack = std::fs::read_dir(world.path().join(".git/objects/pack")).unwrap();
        let packs: Vec<_> = pack.map(|entry| entry.unwrap().path()).collect();
        for path in packs {
            let bytes = std::fs::read(&path).unwrap();
            std::fs::remove_file(&path).unwrap();
            if path.extension().is_some_and(|extension| extension == "pack") {
                world.git_with(&["unpack-objects", "-q"], &bytes);
            }
        }
        std::fs::remove_file(world.stored(&id)).unwrap();
        for revisions in [Revisions::All, since(0), range("main")] {
            for backend in [Backend::Binary, Backend::Library] {
                let error = one(world.path(), &revisions, backend).unwrap_err();
                assert!(matches!(error, GitError::Missing(_)), "{lost} {backend:?}: {error}");
            }
        }
    }
}

#[test]
fn replacements_and_grafts_hide_nothing() {
    let world = three();
    let all = both(world.path(), &range("main")).0;
    let (newest, oldest) = (world.git(&["rev-parse", "main"]), world.git(&["rev-parse", "main~2"]));
    world.git(&["replace", "main", "main~2"]);
    std::fs::create_dir_all(world.path().join(".git/info")).unwrap();
    std::fs::write(world.path().join(".git/info/grafts"), format!("{newest} {oldest}\n{newest}\n")).unwrap();
    assert_eq!(both(world.path(), &range("main")).0, all);
    assert_eq!(both(world.path(), &Revisions::All).0, all);
}

#[test]
fn repositories_that_libgit2_cannot_open_are_read_through_git() {
    let world = World::with(&["init", "--quiet", "--object-format=sha256", "--initial-branch=main", "."]);
    assert_eq!(one(world.path(), &since(0), Backend::Auto).unwrap().0.len(), 0);
    let script = Script::default().commit(1, "main", 100, b"1", &[], &[&file("100644", "d/a", "one")]).commit(
        2,
        "main",
        200,
        b"2",
        &[1],
        &[&file("100644", "b", "2")],
    );
    world.import(&script);
    let (found, history) = one(world.path(), &since(150), Backend::Auto).unwrap();
    assert_eq!((history.backend, found.len()), ("git", 1));
    assert_eq!(found[0].paths(), ["A b"]);
    assert_eq!(found[0].id.to_string(), world.git(&["rev-parse", "main"]));
    assert!(matches!(one(world.path(), &since(0), Backend::Library), Err(GitError::Unsupported(_))));
    let repository = Repository::open(&world.path().join(".git")).unwrap();
    assert_eq!(repository.references().unwrap(), [("refs/heads/main".to_owned(), found[0].id.to_string())]);
    let files = repository.paths("main~1").unwrap();
    assert_eq!((files.len(), files[0].path.as_slice()), (1, &b"d/a"[..]));
    let objects = repository.objects().unwrap();
    assert_eq!(objects.read(&files[0].id, 2).unwrap(), None);
    assert_eq!(objects.read(&files[0].id, 3).unwrap(), Some(b"one".to_vec()));
    assert!(matches!(objects.read(&found[0].id, 3), Err(GitError::Broken(_))));
    let facts = Repository::open(world.path()).unwrap().facts().unwrap();
    assert_eq!(facts.worktree.unwrap().canonicalize().unwrap(), world.path().canonicalize().unwrap());
    let without = Repository::open_with(world.path(), None);
    assert!(matches!(without, Err(GitError::Unsupported(_))));
}

#[test]
fn complaints_become_errors() {
    let owner = b"fatal: detected dubious ownership in repository at '/x'\nTo add an exception\n";
    assert!(matches!(failure(owner), GitError::Owner));
    assert!(matches!(failure(b"error: Could not read 12\nfatal: bad object 12\n"), GitError::Missing(_)));
    assert_eq!(failure(b"warning: x\nfatal: odd\x1b[1m\n").to_string(), "the repository can't be read: odd [1m");
    assert_eq!(failure(b"").to_string(), "the repository can't be read: git gives no reason");
}

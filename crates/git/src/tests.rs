use std::fs;
use std::path::Path;

use git2::{Repository, Signature};

use super::{Blobs, GitError, layout, read_blob, remotes, subject, trailers};

/// A repository with one commit that holds a policy at the top and in a folder, and a link.
fn repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let repository = Repository::init(folder.path()).unwrap();
    fs::create_dir(folder.path().join("sub")).unwrap();
    fs::write(folder.path().join("scope.json"), "{}").unwrap();
    fs::write(folder.path().join("sub/scope.json"), "{\"sub\":1}").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("scope.json", folder.path().join("link.json")).unwrap();
    let mut index = repository.index().unwrap();
    index.add_all(["*"], git2::IndexAddOption::DEFAULT, None).unwrap();
    let tree = repository.find_tree(index.write_tree().unwrap()).unwrap();
    let author = Signature::new("a", "a@example.com", &git2::Time::new(1, 0)).unwrap();
    repository.commit(Some("refs/heads/base"), &author, &author, "one", &tree, &[]).unwrap();
    folder
}

fn message(start: &Path, revision: &str, path: &str) -> String {
    read_blob(start, revision, path).unwrap_err().to_string()
}

#[test]
fn the_committed_file_is_read_not_the_one_on_disk() {
    let folder = repository();
    fs::write(folder.path().join("scope.json"), "weakened").unwrap();
    assert_eq!(read_blob(folder.path(), "base", "scope.json").unwrap().bytes, b"{}");
    assert_eq!(read_blob(&folder.path().join("sub"), "base", "scope.json").unwrap().bytes, b"{\"sub\":1}");
    assert_eq!(read_blob(&folder.path().join("sub"), "base", "../scope.json").unwrap().bytes, b"{}");
}

#[test]
fn what_cannot_be_trusted_is_an_error() {
    let folder = repository();
    let outside = tempfile::tempdir().unwrap();
    assert_eq!(message(folder.path(), "nope", "scope.json"), "the revision `nope` is not in the repository");
    assert_eq!(message(folder.path(), "base", "no.json"), "the revision `base` has no file `no.json`");
    assert!(message(folder.path(), "base", "sub").contains("not a plain file"));
    assert!(message(folder.path(), "base", "../../etc/passwd").contains("leaves the repository"));
    #[cfg(unix)]
    assert!(message(folder.path(), "base", "link.json").contains("not a plain file"));
    assert!(matches!(read_blob(outside.path(), "base", "scope.json"), Err(GitError::NoRepository(_))));
}

#[cfg(unix)]
#[test]
fn committed_links_are_named_from_the_folder_of_the_search() {
    let folder = repository();
    let found = layout(folder.path(), "base", false).unwrap();
    let shown: Vec<_> = found.links.iter().map(|(path, target)| (path.as_str(), target.as_str())).collect();
    assert_eq!(shown, [("link.json", "scope.json")]);
    assert!(found.files.iter().any(|file| file == "scope.json"));
    let below = layout(&folder.path().join("sub"), "base", false).unwrap();
    assert_eq!((below.links.len(), below.files), (0, vec!["scope.json".to_owned()]));
    assert!(matches!(layout(folder.path(), "nowhere", false), Err(GitError::NoRevision(_))));
}

#[test]
fn a_range_of_a_shallow_clone_is_never_taken_for_whole() {
    let folder = repository();
    let repository = Repository::open(folder.path()).unwrap();
    let author = Signature::new("a", "a@example.com", &git2::Time::new(2, 0)).unwrap();
    let mut parent = repository.find_reference("refs/heads/base").unwrap().peel_to_commit().unwrap();
    let tree = parent.tree().unwrap();
    let mut commits = Vec::new();
    for message in ["one\n\nKey: 1", "two\n\nKey: 2", "three\n\nKey: 3"] {
        let id = repository.commit(Some("refs/heads/topic"), &author, &author, message, &tree, &[&parent]);
        // The first commit of a branch has no branch to stand on yet.
        parent = repository.find_commit(id.unwrap()).unwrap();
        commits.push(parent.id().to_string());
    }
    let values = |range: &str| trailers(folder.path(), range, "key").map(|found| found.into_keys().collect::<Vec<_>>());
    assert_eq!(values("base..topic").unwrap(), ["1", "2", "3"]);
    fs::write(repository.path().join("shallow"), format!("{}\n", commits[1])).unwrap();
    assert!(matches!(values("base..topic"), Err(GitError::Shallow(_))));
    assert_eq!(values("topic~1..topic").unwrap(), ["3"]);
    // Of one revision only as much is asked as is here.
    assert_eq!(values("topic").unwrap(), ["2", "3"]);
}

#[test]
fn paths_of_the_head_are_known_however_they_are_written() {
    let folder = repository();
    let repository = Repository::open(folder.path()).unwrap();
    let base = repository.revparse_single("base").unwrap().peel_to_commit().unwrap();
    let mut tree = repository.treebuilder(Some(&base.tree().unwrap())).unwrap();
    tree.insert("module", base.id(), 0o160_000).unwrap();
    let tree = repository.find_tree(tree.write().unwrap()).unwrap();
    let author = base.author();
    repository.commit(Some("refs/heads/head"), &author, &author, "two", &tree, &[&base]).unwrap();
    let blobs = Blobs::of_change(folder.path(), None, "head").unwrap();
    let known = [
        "sub/scope.json",
        "./sub//scope.json",
        "/home/x/sub/./scope.json",
        "../o/sub/scope.json",
        "a/../sub/scope.json",
    ];
    for path in known.into_iter().chain(["scope.json", "module/logs/a.jsonl", "./module/a.jsonl"]) {
        assert!(blobs.have_path(path), "{path}");
    }
    for path in ["sub/other.json", "/tmp/scope.json", "modules/a.jsonl", "/tmp/module/a.jsonl"] {
        assert!(!blobs.have_path(path), "{path}");
    }
}

#[test]
fn contents_are_known_whether_they_are_kept_or_streamed() {
    let folder = repository();
    let repository = Repository::open(folder.path()).unwrap();
    let long = b"line\r\n\x00\xff".repeat(50_000);
    let mut tree = repository.treebuilder(None).unwrap();
    tree.insert("long", repository.blob(&long).unwrap(), 0o100_644).unwrap();
    tree.insert("short", repository.blob(b"short").unwrap(), 0o100_644).unwrap();
    tree.insert("empty", repository.blob(b"").unwrap(), 0o100_644).unwrap();
    let tree = repository.find_tree(tree.write().unwrap()).unwrap();
    let author = repository.revparse_single("base").unwrap().peel_to_commit().unwrap().author().to_owned();
    repository.commit(Some("refs/heads/long"), &author, &author, "two", &tree, &[]).unwrap();
    let blobs = Blobs::of_change(folder.path(), None, "long").unwrap();
    let streamed = |bytes: &[u8]| blobs.hold_stream(&mut &*bytes, bytes.len() as u64).unwrap();
    for known in [&long[..], b"short"] {
        assert!(blobs.hold(known) && streamed(known));
    }
    for other in [&long[1..], b"shor", b"short\n", b""] {
        assert!(!blobs.hold(other) && !streamed(other));
    }
    assert!(!blobs.hold_stream(&mut &b"short"[..], 6).unwrap(), "a file that was cut is another one");
}

#[test]
fn remotes_are_listed_all_or_none() {
    let folder = repository();
    let set = |name: &str, value: &str| {
        Repository::open(folder.path()).unwrap().config().unwrap().set_str(name, value).unwrap();
    };
    assert_eq!(remotes(folder.path()).unwrap(), Vec::<String>::new());
    set("remote.origin.url", "https://forge.example/acme/rates.git");
    set("remote.fork.url", "https://forge.example/dana/rates.git");
    let both = ["https://forge.example/dana/rates.git", "https://forge.example/acme/rates.git"];
    assert_eq!(remotes(folder.path()).unwrap(), both);
    set("remote.fork.fetch", "+refs/heads/*:refs/remotes/fork");
    assert!(matches!(remotes(folder.path()), Err(GitError::Broken(_))));
    assert!(matches!(remotes(tempfile::tempdir().unwrap().path()), Err(GitError::NoRepository(_))));
}

#[test]
fn a_subject_is_the_first_paragraph_of_a_message() {
    let (long, kept) = ("\u{e9}".repeat(3_000), "\u{e9}".repeat(500));
    for (message, expected) in [
        ("", ""),
        ("Add b", "Add b"),
        ("\n \n  Add b  \n\nbody\n", "Add b"),
        ("Add b\nand c\r\n\r\nbody", "Add b and c"),
        (long.as_str(), kept.as_str()),
    ] {
        assert_eq!(subject(message.as_bytes()), expected, "{message:?}");
    }
}

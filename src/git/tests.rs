use std::fs;
use std::path::Path;

use git2::{Repository, Signature};

use super::{GitError, links, read_blob};

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
    let found = links(folder.path(), "base").unwrap();
    let shown: Vec<_> = found.iter().map(|(path, target)| (path.as_str(), target.as_str())).collect();
    assert_eq!(shown, [("link.json", "scope.json")]);
    assert_eq!(links(&folder.path().join("sub"), "base").unwrap().len(), 0);
    assert!(matches!(links(folder.path(), "nowhere"), Err(GitError::NoRevision(_))));
}

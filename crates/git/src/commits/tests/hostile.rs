//! A repository that would like something to be run.

use std::ffi::OsString;
use std::path::Path;

use super::world::{Script, World, both, file, one, since};
use crate::commits::Program;
use crate::repository::Repository;
use crate::{Backend, GitError, Revisions};

/// Writes a program that leaves a mark.
#[cfg(unix)]
fn trap(path: &Path, mark: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::write(path, format!("#!/bin/sh\ntouch '{}'\necho git version 9.9.9\n", mark.display())).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(unix)]
#[test]
fn nothing_that_the_repository_names_is_run() {
    let world = World::new();
    let (trapped, mark) = (world.path().join("trap"), world.path().join("mark"));
    trap(&trapped, &mark);
    let script = Script::default()
        .commit(
            1,
            "main",
            100,
            b"1",
            &[],
            &[&file("100644", ".gitattributes", "* diff=evil filter=evil merge=evil\n"), &file("100644", "a", "1")],
        )
        .commit(2, "main", 200, b"2", &[1], &[&file("100644", "a", "2")]);
    world.import(&script);
    std::fs::write(world.path().join(".gitattributes"), "* diff=evil filter=evil\n").unwrap();
    std::fs::write(world.path().join(".git/info/attributes"), "* diff=evil filter=evil\n").unwrap();
    let folder = world.path().join(".git/hooks");
    std::fs::create_dir_all(&folder).unwrap();
    for hook in ["post-checkout", "reference-transaction", "fsmonitor-watchman", "pre-auto-gc", "post-index-change"] {
        trap(&folder.join(hook), &mark);
    }
    let path = trapped.display();
    let included = world.path().join(".git/included");
    std::fs::write(&included, format!("[core]\n\tpager = {path}\n\tfsmonitor = {path}\n")).unwrap();
    let keys = [
        "core.fsmonitor",
        "core.pager",
        "core.sshCommand",
        "core.alternateRefsCommand",
        "core.editor",
        "core.askPass",
        "core.gitProxy",
        "diff.external",
        "diff.evil.textconv",
        "diff.evil.command",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "gpg.program",
        "gpg.ssh.program",
        "pager.log",
        "pager.rev-list",
        "pager.diff-tree",
        "pager.cat-file",
        "credential.helper",
        "uploadpack.packObjectsHook",
        "trailer.x.command",
        "sequence.editor",
        "remote.origin.uploadpack",
        "interactive.diffFilter",
    ];
    for key in keys {
        world.git(&["config", key, &path.to_string()]);
    }
    for name in ["log", "rev-list", "diff-tree", "cat-file", "for-each-ref", "rev-parse", "ls-tree", "symbolic-ref"] {
        world.git(&["config", &format!("alias.{name}"), &format!("!{path}")]);
    }
    world.git(&["config", "log.showSignature", "true"]);
    world.git(&["config", "core.hooksPath", &folder.display().to_string()]);
    world.git(&["config", "diff.ignoreSubmodules", "all"]);
    world.git(&["config", "include.path", &included.display().to_string()]);
    let tree = world.git(&["rev-parse", "main^{tree}"]);
    let signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----";
    let people = "author A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000";
    world.literally("signed", format!("tree {tree}\n{people}\n{signature}\n\nsigned\n").as_bytes());
    // What was set above may have set it off.
    let _ = std::fs::remove_file(&mark);
    assert_eq!(both(world.path(), &Revisions::All).0.len(), 3);
    assert_eq!(both(world.path(), &since(150)).0.len(), 1);
    let repository = Repository::open(world.path()).unwrap();
    assert_eq!(repository.references().unwrap().len(), 2);
    assert_eq!(repository.paths("main").unwrap().len(), 2);
    repository.facts().unwrap();
    assert!(!mark.exists());
    // It is one that goes off. (As a filter it ends git.)
    world.git(&["config", "--unset", "filter.evil.process"]);
    world.git(&["log", "-p", "-1", "--ext-diff"]);
    assert!(mark.exists());
}

/// What is missing in a partial clone is fetched by whatever the repository says, unless git is kept from it.
#[cfg(unix)]
#[test]
fn nothing_is_fetched() {
    let world = World::new();
    let (trapped, mark) = (world.path().join("trap"), world.path().join("mark"));
    trap(&trapped, &mark);
    let script = Script::default().commit(1, "main", 100, b"1", &[], &[&file("100644", "a", "1")]).commit(
        2,
        "main",
        200,
        b"2",
        &[1],
        &[&file("100644", "a", "2")],
    );
    world.import(&script);
    world.git(&["config", "uploadpack.allowFilter", "true"]);
    let clone = World::with(&["clone", "--quiet", "--no-checkout", "--filter=tree:0", &world.url(), "."]);
    let path = trapped.display();
    for url in [format!("ext::{path}"), format!("ssh://{path}"), world.url()] {
        clone.git(&["config", "remote.origin.url", &url]);
        clone.git(&["config", "remote.origin.uploadpack", &path.to_string()]);
        clone.git(&["config", "core.sshCommand", &path.to_string()]);
        for name in ["ext", "ssh", "file"] {
            clone.git(&["config", &format!("protocol.{name}.allow"), "always"]);
        }
        for backend in [Backend::Binary, Backend::Library] {
            let error = one(clone.path(), &Revisions::All, backend).unwrap_err();
            assert!(matches!(error, GitError::Missing(_)), "{backend:?}: {error}");
        }
        assert!(!mark.exists(), "{url}");
    }
    let clone = World::with(&["clone", "--quiet", "--no-checkout", "--filter=blob:none", &world.url(), "."]);
    clone.git(&["config", "remote.origin.uploadpack", &path.to_string()]);
    let (found, cut) = both(clone.path(), &Revisions::All);
    assert_eq!((found.len(), cut), (2, None));
    let objects = Repository::open(clone.path()).unwrap().objects().unwrap();
    assert!(matches!(objects.read(&found[0].changes[0].3, 10), Err(GitError::Missing(_))));
    assert!(!mark.exists());
}

#[cfg(unix)]
#[test]
fn a_program_of_the_repository_is_not_taken_for_git() {
    let world = World::new();
    let (folder, mark) = (world.path().join("bin"), world.path().join("mark"));
    std::fs::create_dir(&folder).unwrap();
    trap(&folder.join("git"), &mark);
    let elsewhere = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(folder.join("git"), elsewhere.path().join("git")).unwrap();
    let search = |folders: &[&Path]| std::env::join_paths(folders).unwrap();
    for folders in
        [&[folder.as_path()][..], &[Path::new("bin")], &[Path::new("")], &[Path::new(".")], &[elsewhere.path()]]
    {
        assert_eq!(Program::find(Some(&search(folders)), &[world.path()]), None, "{folders:?}");
    }
    assert!(!mark.exists());
    let repository = Repository::open_with(world.path(), Some(search(&[&folder]))).unwrap();
    let answer = repository.commits(&Revisions::All, Backend::Binary, &mut |_| std::ops::ControlFlow::Continue(()));
    assert!(matches!(answer, Err(GitError::NoProgram)));
    let answer = repository.commits(&Revisions::All, Backend::Auto, &mut |_| std::ops::ControlFlow::Continue(()));
    assert_eq!(answer.unwrap().backend, "libgit2");
    assert_eq!(Program::find(None, &[]), None);
    let real: Option<OsString> = std::env::var_os("PATH");
    assert!(Program::find(real.as_deref(), &[world.path()]).unwrap().is_absolute());
}

/// An old version is passed over for a newer one behind it.
#[cfg(unix)]
#[test]
fn the_version_counts() {
    let (old, new) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mark = old.path().join("mark");
    trap(&old.path().join("git"), &mark);
    let text = std::fs::read_to_string(old.path().join("git")).unwrap();
    std::fs::write(old.path().join("git"), text.replace("9.9.9", "2.29.2")).unwrap();
    trap(&new.path().join("git"), &mark);
    let search = std::env::join_paths([old.path(), new.path()]).unwrap();
    assert_eq!(Program::find(Some(&search), &[]), Some(new.path().join("git")));
}

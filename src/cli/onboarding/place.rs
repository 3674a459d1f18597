//! Where a file of a repository goes: below the repository, and not through a link that leads out of it.

use std::path::{Component, Path, PathBuf};

use super::super::failure::{Failure, reason};

/// The place of a file in a repository. `name` is relative to the repository.
pub(in crate::cli) fn place_in(repository: &Path, name: &Path) -> Result<PathBuf, Failure> {
    let shown = repository.display();
    match repository.metadata() {
        Ok(found) if found.is_dir() => {}
        Ok(_) => return Err(Failure::new(format!("`{shown}` is no directory"))),
        Err(error) => return Err(Failure::new(format!("`{shown}` can't be read: {}", reason(&error)))),
    }
    let is_below = name.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if !is_below || name.file_name().is_none() {
        return Err(Failure::new(format!("`{}` is no path below each repository", name.display()))
            .hint("`--output NAME` is relative to each repository, such as `.agent-scope.json`"));
    }
    let place = if repository == Path::new(".") { name.to_owned() } else { repository.join(name) };
    let unreadable = |error: &std::io::Error| Failure::new(format!("`{shown}` can't be read: {}", reason(error)));
    let top = repository.canonicalize().map_err(|error| unreadable(&error))?;
    // The nearest folder that is there decides: the others are made by us.
    let folders = name.ancestors().skip(1).map(|folder| repository.join(folder));
    let nearest = folders.into_iter().find(|folder| folder.symlink_metadata().is_ok());
    let real = nearest.unwrap_or_else(|| repository.to_owned()).canonicalize().map_err(|error| unreadable(&error))?;
    if real.starts_with(&top) {
        return Ok(place);
    }
    Err(Failure::new(format!("`{}` would be written outside of the repository", place.display()))
        .hint("a folder on the way is a link: remove the link, or name another place with `--output`"))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::place_in;

    #[test]
    fn files_stay_below_their_repository() {
        let folder = tempfile::tempdir().unwrap();
        let repository = folder.path().join("app");
        fs::create_dir_all(repository.join("inner")).unwrap();
        fs::create_dir_all(folder.path().join("elsewhere")).unwrap();
        fs::write(repository.join("file"), "").unwrap();
        for name in ["scope.json", "./scope.json", "inner/scope.json", "new/folder/scope.json"] {
            assert_eq!(place_in(&repository, Path::new(name)).unwrap(), repository.join(name), "{name}");
        }
        for name in ["../scope.json", "inner/../../scope.json", "/scope.json", "", "."] {
            assert!(place_in(&repository, Path::new(name)).is_err(), "{name}");
        }
        assert!(place_in(&repository.join("file"), Path::new("scope.json")).is_err());
        assert!(place_in(&repository.join("missing"), Path::new("scope.json")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_leads_nowhere() {
        let folder = tempfile::tempdir().unwrap();
        let repository = folder.path().join("app");
        fs::create_dir_all(repository.join("inner")).unwrap();
        fs::create_dir_all(folder.path().join("elsewhere")).unwrap();
        let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, repository.join(name)).unwrap();
        link("../elsewhere", "out");
        link("inner", "within");
        link("../nowhere", "broken");
        assert!(place_in(&repository, Path::new("within/scope.json")).is_ok());
        for name in ["out/scope.json", "out/new/scope.json", "broken/scope.json"] {
            assert!(place_in(&repository, Path::new(name)).is_err(), "{name}");
        }
    }
}

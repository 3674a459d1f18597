//! Paths that were touched → the entries that allow them: literal, or a directory that three files are below, narrowed
//! to their ending where all have the same.

use std::collections::{BTreeMap, BTreeSet};

use agent_strace_effects::{Certainty, PathTarget};

/// So many files below a directory become the directory, where two entries at least stand side by side in it.
const TOGETHER: usize = 3;

/// A path that was touched, by the index of its observation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Touched<'a> {
    pub(super) index: usize,
    pub(super) target: &'a PathTarget,
    pub(super) certainty: Certainty,
}

/// An entry of a list of paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PathEntry {
    pub(super) text: String,
    /// The observations it is made of.
    pub(super) support: BTreeSet<usize>,
}

/// A directory that entries could become.
#[derive(Debug, Clone, Copy)]
pub(super) struct Collapse<'a> {
    /// Relative to the root; never the root itself.
    pub(super) folder: &'a str,
}

/// The treatment of paths outside of the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outside {
    /// Three files of one project below a home become its directory, for the homes of all users.
    Together,
    /// Each path has an entry of its own.
    AsSeen,
}

/// `may`: whether a directory may stand for what is below it.
pub(super) fn entries<'a>(
    touched: impl IntoIterator<Item = Touched<'a>>,
    elsewhere: Outside,
    may: &dyn Fn(Collapse<'_>) -> bool,
) -> Vec<PathEntry> {
    let (mut root, mut outside) = (Folder::default(), Folder::default());
    let mut others: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for one in touched {
        let path = one.target.path.as_str();
        let literal = one.certainty != Certainty::Pattern;
        if literal && is_below_root(path) {
            root.add(path, one.index, one.target.subtree);
        } else if literal && elsewhere == Outside::Together && !one.target.subtree && is_of_project(path) {
            outside.add(path.trim_start_matches('/'), one.index, one.target.subtree);
        } else {
            others.entry(text_of(one.target, one.certainty)).or_default().insert(one.index);
        }
    }
    let mut entries: Vec<PathEntry> = root.entries("", may).into_iter().map(|item| item.entry).collect();
    let deep = |collapse: Collapse<'_>| is_deep(collapse.folder) && may(collapse);
    entries.extend(outside.entries("/", &deep).into_iter().map(|item| of_any_user(item.entry)));
    entries.extend(others.into_iter().map(|(text, support)| PathEntry { text, support }));
    entries.sort_by(|left, right| left.text.cmp(&right.text));
    entries
}

pub(super) fn is_below_root(path: &str) -> bool {
    let drive = path.get(1..3) == Some(":/");
    !path.starts_with(['/', '~']) && !drive && path != "."
}

/// The folders that hold homes.
const HOMES: &[&str] = &["home/", "Users/", "C:/Users/", "D:/Users/"];

/// The part of a path that follows the home of a user.
fn below_home(path: &str) -> Option<&str> {
    let path = path.trim_start_matches('/');
    let of_user = HOMES.iter().find_map(|homes| path.strip_prefix(homes)?.split_once('/'));
    of_user.map(|(_, rest)| rest).or_else(|| path.strip_prefix("~/"))
}

/// A file of another project below a home, and none that a program keeps there.
fn is_of_project(path: &str) -> bool {
    let is_kept = |part: &str| part.starts_with('.') || matches!(part, "Library" | "AppData" | "snap");
    below_home(path).is_some_and(|rest| rest.contains('/') && !rest.split('/').any(is_kept))
}

/// A folder below a home that is one project, and not where many of them are.
fn is_deep(folder: &str) -> bool {
    below_home(folder).is_some_and(|rest| rest.contains('/'))
}

/// A path below the home of one user, for all of them: a policy is for everybody who works on the repository.
fn of_any_user(entry: PathEntry) -> PathEntry {
    let text = entry.text.strip_prefix("//").unwrap_or(&entry.text);
    let found = HOMES.iter().find_map(|homes| Some((homes, text.strip_prefix(homes)?.split_once('/')?.1)));
    match found {
        Some((homes, rest)) => PathEntry { text: format!("//{homes}*/{rest}"), ..entry },
        None => entry,
    }
}

/// One path or pattern of an effect as an entry.
fn text_of(target: &PathTarget, certainty: Certainty) -> String {
    let path = target.path.as_str();
    let pattern = if certainty == Certainty::Pattern { path.to_owned() } else { literal(path) };
    let pattern = match (target.subtree, path) {
        (true, ".") => "**".to_owned(),
        (true, _) => format!("{}/**", pattern.trim_end_matches('/')),
        (false, _) => pattern,
    };
    anchored(&pattern)
}

/// As it stands in a list: without a directory a name would count in all of them, and `/` alone means the root.
pub(super) fn anchored(pattern: &str) -> String {
    if pattern.starts_with("//") {
        return pattern.to_owned();
    }
    if pattern.starts_with('/') || pattern.get(1..3) == Some(":/") {
        return if pattern.starts_with('/') { format!("/{pattern}") } else { format!("//{pattern}") };
    }
    let special = pattern.starts_with('!') || pattern.starts_with("label:");
    if pattern != "**" && (special || !pattern.contains('/')) && !pattern.starts_with('~') {
        return format!("/{pattern}");
    }
    pattern.to_owned()
}

/// A path that stands for itself.
pub(super) fn literal(path: &str) -> String {
    let mut pattern = String::with_capacity(path.len());
    for character in path.chars() {
        match character {
            '*' | '?' | '[' | '{' => pattern.extend(['[', character, ']']),
            _ => pattern.push(character),
        }
    }
    pattern
}

/// What is below one directory.
#[derive(Debug, Default)]
struct Folder {
    files: BTreeMap<String, BTreeSet<usize>>,
    folders: BTreeMap<String, Folder>,
    /// All of it was touched at once.
    whole: BTreeSet<usize>,
}

/// An entry on its way up.
struct Item {
    entry: PathEntry,
    /// The ending of all that it stands for.
    extension: Option<String>,
    files: usize,
}

impl Folder {
    fn add(&mut self, path: &str, index: usize, subtree: bool) {
        match path.split_once('/') {
            Some((folder, rest)) => self.folders.entry(folder.to_owned()).or_default().add(rest, index, subtree),
            None if subtree => {
                self.folders.entry(path.to_owned()).or_default().whole.insert(index);
            }
            None => {
                self.files.entry(path.to_owned()).or_default().insert(index);
            }
        }
    }

    fn entries(self, path: &str, may: &dyn Fn(Collapse<'_>) -> bool) -> Vec<Item> {
        let below = |name: &str| match path {
            "" => name.to_owned(),
            // A home and a drive are the beginning of a path as they are.
            "/" if name == "~" || name.ends_with(':') => name.to_owned(),
            "/" => format!("/{name}"),
            _ => format!("{path}/{name}"),
        };
        let mut items: Vec<Item> = Vec::new();
        for (name, support) in self.files {
            let entry = PathEntry { text: anchored(&literal(&below(&name))), support };
            items.push(Item { entry, extension: extension(&name).map(str::to_owned), files: 1 });
        }
        for (name, folder) in self.folders {
            items.extend(folder.entries(&below(&name), may));
        }
        if !self.whole.is_empty() {
            return vec![together(path, None, items, self.whole)];
        }
        let files: usize = items.iter().map(|item| item.files).sum();
        if path.is_empty() || path == "/" || items.len() < 2 || files < TOGETHER {
            return items;
        }
        let shared = shared_extension(&items);
        if !may(Collapse { folder: path }) {
            return items;
        }
        vec![together(path, shared, items, BTreeSet::new())]
    }
}

/// Everything below `path`, or everything with one ending.
fn together(path: &str, extension: Option<String>, items: Vec<Item>, mut support: BTreeSet<usize>) -> Item {
    let files = items.iter().map(|item| item.files).sum::<usize>().max(1);
    support.extend(items.into_iter().flat_map(|item| item.entry.support));
    let is_absolute = path.starts_with('/') || path.get(1..3) == Some(":/");
    let folder = if is_absolute { anchored(&literal(path)) } else { literal(path) };
    let text = match &extension {
        Some(extension) => format!("{folder}/**/*.{}", literal(extension)),
        None => format!("{folder}/**"),
    };
    Item { entry: PathEntry { text, support }, extension, files }
}

fn shared_extension(items: &[Item]) -> Option<String> {
    let first = items.first()?.extension.as_ref()?;
    items.iter().all(|item| item.extension.as_ref() == Some(first)).then(|| first.clone())
}

/// What comes behind the last dot of a name that does not begin with it.
pub(super) fn extension(name: &str) -> Option<&str> {
    name.rsplit_once('.').filter(|(stem, extension)| !stem.is_empty() && !extension.is_empty()).map(|(_, end)| end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collapsed(paths: &[&str]) -> Vec<String> {
        let targets: Vec<PathTarget> = paths
            .iter()
            .map(|path| match path.strip_suffix("/**") {
                Some(folder) => PathTarget { path: folder.to_owned(), subtree: true },
                None => PathTarget::new(*path),
            })
            .collect();
        let touched =
            targets.iter().enumerate().map(|(index, target)| Touched { index, target, certainty: Certainty::Exact });
        entries(touched, Outside::Together, &|collapse| collapse.folder != "kept")
            .into_iter()
            .map(|entry| entry.text)
            .collect()
    }

    #[test]
    fn three_side_by_side_become_their_directory() {
        assert_eq!(collapsed(&["src/a.rs", "src/b.rs"]), ["src/a.rs", "src/b.rs"]);
        assert_eq!(collapsed(&["src/a.rs", "src/b.rs", "src/c.rs"]), ["src/**/*.rs"]);
        assert_eq!(collapsed(&["src/a.rs", "src/b.rs", "src/c.toml"]), ["src/**"]);
        assert_eq!(collapsed(&["src/x/a.rs", "src/y/b.rs", "src/z/c.rs"]), ["src/**/*.rs"]);
        assert_eq!(collapsed(&["src/a.rs", "src/b.rs", "src/c.rs", "docs/x/y.md"]), ["docs/x/y.md", "src/**/*.rs"]);
        assert_eq!(collapsed(&["src/x/a.rs", "src/x/b.rs", "src/y.rs"]), ["src/**/*.rs"]);
        assert_eq!(collapsed(&["kept/a", "kept/b", "kept/c"]), ["kept/a", "kept/b", "kept/c"]);
    }

    #[test]
    fn the_root_and_what_is_outside_stay_literal() {
        assert_eq!(collapsed(&["a.md", "b.md", "c.md", "d.md"]), ["/a.md", "/b.md", "/c.md", "/d.md"]);
        assert_eq!(collapsed(&["/tmp/a", "/tmp/b", "/tmp/c", "~/d"]), ["//tmp/a", "//tmp/b", "//tmp/c", "~/d"]);
        assert_eq!(collapsed(&["src/**", "src/a.rs"]), ["src/**"]);
    }

    #[test]
    fn another_project_is_read_below_all_homes_and_nothing_else_is() {
        let project = ["/home/ana/code/lib/a.ts", "/home/ana/code/lib/b.ts", "/home/ana/code/lib/c/d.md"];
        assert_eq!(collapsed(&project), ["//home/*/code/lib/**"]);
        for kept in [
            ["/home/ana/.config/a/x", "/home/ana/.config/b/x", "/home/ana/.config/c/x"],
            ["/Users/ana/Library/a/x", "/Users/ana/Library/b/x", "/Users/ana/Library/c/x"],
            ["/usr/local/bin/a", "/usr/local/bin/b", "/usr/local/bin/c"],
            ["/mnt/c/Users/ana/a", "/mnt/c/Users/ana/b", "/mnt/c/Users/ana/c"],
        ] {
            assert_eq!(collapsed(&kept), kept.map(|path| format!("/{path}")));
        }
        let many = ["/home/ana/a/x", "/home/ana/b/x", "/home/ana/c/x"];
        assert_eq!(collapsed(&many), ["//home/*/a/x", "//home/*/b/x", "//home/*/c/x"]);
        assert_eq!(collapsed(&["/home/ana/**"]), ["//home/ana/**"]);
    }

    #[test]
    fn a_literal_name_matches_itself() {
        assert_eq!(collapsed(&["app/[id]/page.tsx", "!x", "a*"]), ["/!x", "/a[*]", "app/[[]id]/page.tsx"]);
    }
}

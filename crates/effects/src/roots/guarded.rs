//! The directories that a policy speaks of in what it forbids. A session that was started in a directory of such a name may
//! have been started below the top, even if the repository does not hold that directory.

use std::sync::Arc;

use super::super::{glob, paths};

/// Names of directories, from the top of a repository.
#[derive(Debug, Clone, Default)]
pub struct Guarded(Arc<[Entry]>);

/// The way in which an entry of the policy covers a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cover {
    /// The entry names the directory, or files below it.
    Named,
    /// The entry names a directory above it.
    Below,
}

/// The components of an entry, up to its end or to a `**`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    components: Vec<String>,
    /// More directories may follow.
    is_open: bool,
}

impl Guarded {
    /// The directories of entries as a policy writes them.
    pub fn of<'e>(entries: impl IntoIterator<Item = &'e str>) -> Self {
        let mut entries: Vec<Entry> = entries.into_iter().filter_map(Entry::new).collect();
        entries.sort();
        entries.dedup();
        Self(entries.into())
    }

    /// Says how the entries cover the directory `tail`, which counts from the top.
    pub(super) fn covers(&self, tail: &str) -> Option<Cover> {
        let tail = paths::fold_for_deny(tail);
        let tail: Vec<&str> = tail.split('/').collect();
        let covers = self.0.iter().filter_map(|entry| entry.covers(&tail));
        covers.fold(None, |found, cover| if found == Some(Cover::Named) { found } else { Some(cover) })
    }
}

impl Entry {
    fn new(entry: &str) -> Option<Self> {
        let entry = paths::fold_for_deny(entry.trim_start_matches("./").trim_start_matches('/'));
        let entry = entry.strip_prefix("**/").unwrap_or(&entry).trim_end_matches('/');
        let named = entry.strip_suffix("/**").unwrap_or(entry);
        let components = || named.split('/').take_while(|component| *component != "**");
        let is_open = components().count() < named.split('/').count();
        let components: Vec<String> = components().map(str::to_owned).collect();
        let says_nothing = components.iter().all(|component| is_wild(component));
        (!says_nothing && !entry.starts_with(['~', '!']) && !entry.contains(':'))
            .then_some(Self { components, is_open })
    }

    fn covers(&self, tail: &[&str]) -> Option<Cover> {
        let pairs = || self.components.iter().zip(tail);
        let is_pattern = |component: &String| component.contains(['*', '?', '[']);
        let fits = |(component, name): (&String, &&str)| {
            if is_pattern(component) { glob::matches(component, name) } else { component == name }
        };
        // A directory that only a `*` takes for its own is any directory.
        if !pairs().all(fits) || pairs().all(|(component, _)| is_wild(component)) {
            return None;
        }
        let is_below = !self.is_open && tail.len() > self.components.len();
        Some(if is_below { Cover::Below } else { Cover::Named })
    }
}

fn is_wild(component: &str) -> bool {
    component.chars().all(|character| matches!(character, '*' | '?'))
}

#[cfg(test)]
mod tests {
    use super::{Cover, Guarded};

    #[test]
    fn an_entry_covers_the_directories_on_its_way_and_below() {
        for (entry, tail, expected) in [
            ("secrets/**", "secrets", Some(Cover::Named)),
            ("/secrets/", "secrets", Some(Cover::Named)),
            ("secrets/**", "secrets/prod", Some(Cover::Below)),
            ("secrets/prod/*.yml", "secrets", Some(Cover::Named)),
            ("**/secrets/**", "secrets", Some(Cover::Named)),
            ("secret*/**", "secrets", Some(Cover::Named)),
            ("secret?", "secrets", Some(Cover::Named)),
            ("[st]ecrets/**", "secrets", Some(Cover::Named)),
            ("*/secrets/**", "app/secrets", Some(Cover::Named)),
            ("a/**/secrets/**", "a/b", Some(Cover::Named)),
            ("secrets/**", "SECRETS", Some(Cover::Named)),
            ("Infra/**", "infra", Some(Cover::Named)),
            ("secrets/**", "src", None),
            ("secrets/**", "src/secrets", None),
            ("*/secrets/**", "app", None),
            ("*", "app", None),
            ("**", "app", None),
            ("~/secrets", "secrets", None),
            ("!secrets/**", "secrets", None),
            ("C:/secrets", "secrets", None),
        ] {
            assert_eq!(Guarded::of([entry]).covers(tail), expected, "{entry} {tail}");
        }
    }
}

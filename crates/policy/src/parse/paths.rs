//! Path patterns of version 2: where they count, and what they leave out.

use std::collections::BTreeMap;

use crate::builtin::Holds;
use crate::glob::{Answer, Glob};
use crate::path::{Anchor, PathPattern, PathSet};

use super::{Fault, Version, builtins, nearest, quoted, suspicious};

/// Name → what it stands for.
pub(super) type Labels = BTreeMap<String, PathSet>;

pub(crate) const LABEL: &str = "label:";

/// An entry of a list.
pub(super) fn read(text: &str, labels: &Labels) -> Result<PathSet, Fault> {
    let (excluded, rest) = excluded(text)?;
    let set = match (rest.strip_prefix(LABEL), builtins::named(Version::Two, rest, Holds::Paths)?) {
        (Some(name), _) => labelled(name, labels)?.clone(),
        (None, Some(list)) => list.paths().clone(),
        (None, None) => PathSet::of(pattern(rest)?),
    };
    if !excluded {
        return Ok(set);
    }
    if !set.except.is_empty() {
        let message = format!("{} can't be left out: it leaves something out itself", quoted(rest));
        return Err((message, Some("name its patterns here".to_owned())));
    }
    Ok(PathSet { any_of: Vec::new(), except: set.any_of })
}

fn labelled<'a>(name: &str, labels: &'a Labels) -> Result<&'a PathSet, Fault> {
    labels.get(name).ok_or_else(|| {
        let known: Vec<&str> = labels.keys().map(String::as_str).collect();
        let help = match (nearest(name, &known), known.is_empty()) {
            (Some(near), _) => format!("did you mean `{LABEL}{near}`?"),
            (None, true) => "add it to `labels` at the root of the policy".to_owned(),
            (None, false) => format!(
                "known here: {}",
                known.iter().map(|name| quoted(&format!("{LABEL}{name}"))).collect::<Vec<_>>().join(", ")
            ),
        };
        (format!("there is no label {}", quoted(name)), Some(help))
    })
}

/// Whether the entry takes away from its list, and what it names.
pub(super) fn excluded(text: &str) -> Result<(bool, &str), Fault> {
    let Some(rest) = text.strip_prefix('!') else { return Ok((false, text)) };
    let rest = rest.trim_start();
    if rest.is_empty() || rest.starts_with('!') {
        let help = "one `!` in front of a pattern takes what it names away from its list".to_owned();
        return Err((format!("{} names nothing", quoted(text)), Some(help)));
    }
    Ok((true, rest))
}

/// Whether this pattern names a path.
pub(crate) fn is_named(text: &str, path: &str) -> bool {
    pattern(text).is_ok_and(|pattern| pattern.names(path))
}

/// A pattern without `!`.
pub(super) fn pattern(text: &str) -> Result<PathPattern, Fault> {
    if text.contains('\\') {
        let help = "folders stand behind `/`; a `*` that is meant literally is `[*]`".to_owned();
        return Err((format!("{} has a backslash, which no path has", quoted(text)), Some(help)));
    }
    let plain = suspicious::outside_classes(text);
    let has_choice = plain.split_once('{').is_some_and(|(_, rest)| rest.contains(',') && rest.contains('}'));
    if has_choice {
        let help = "write one entry for each; a `{` that is meant literally is `[{]`".to_owned();
        return Err((format!("{} has alternatives in braces, which are not read", quoted(text)), Some(help)));
    }
    suspicious::path(text)?;
    let (anchor, path) = anchored(text);
    possible(text, &path)?;
    if path.split('/').skip(1).any(str::is_empty) || path.is_empty() {
        let help = "an absolute path starts with `//`, one below the repository's root with `/`".to_owned();
        return Err((format!("{} can never match: a folder without a name", quoted(text)), Some(help)));
    }
    let compiled = PathPattern::version_2(anchor, &path);
    if compiled.exact().meets(&Glob::effect("**")) == Answer::No {
        return Err((
            format!("{} can never match", quoted(text)),
            Some("a class such as `[z-a]` has no members".to_owned()),
        ));
    }
    Ok(compiled)
}

/// Where the pattern counts, and the path from there; of a place, the whole path.
fn anchored(text: &str) -> (Anchor, String) {
    if let Some(absolute) = text.strip_prefix("//") {
        let drive = absolute.get(1..3) == Some(":/");
        return (Anchor::Absolute, if drive { absolute.to_owned() } else { format!("/{absolute}") });
    }
    let mut rest = text;
    let mut at_root = false;
    while let Some(below) = rest.strip_prefix("./").or_else(|| rest.strip_prefix('/').filter(|_| !at_root)) {
        (rest, at_root) = (below, true);
    }
    let anchor = if at_root {
        Anchor::Root
    } else if super::super::path::is_anchored(rest) {
        Anchor::Absolute
    } else if !rest.contains('/') || rest.starts_with("**/") && !rest.trim_start_matches("**/").contains('/') {
        Anchor::Anywhere
    } else {
        Anchor::Root
    };
    let path = if anchor == Anchor::Anywhere { rest.trim_start_matches("**/") } else { rest };
    (anchor, path.to_owned())
}

/// What no path is like, in any version. `text`: as written.
pub(super) fn possible(text: &str, path: &str) -> Result<(), Fault> {
    let never = || format!("{} can never match", quoted(text));
    if path.split('/').any(|component| component == "..") {
        let help = "paths are compared after `..` is resolved; name the path itself".to_owned();
        return Err((never(), Some(help)));
    }
    if path.len() > 1 && path.ends_with('/') {
        let help = format!("paths have no `/` at their end; for all below it write {}", quoted(&format!("{text}**")));
        return Err((never(), Some(help)));
    }
    Ok(())
}

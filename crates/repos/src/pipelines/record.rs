//! Files of git that keep sessions out of commits, or out of sight: `.gitignore` and `.gitattributes`.

use super::gate::GateFiles;
use super::ignored;
use super::touches::Changed;
use super::tree::Content;
use agent_strace_git::change_set::Part;

/// Attributes by which git changes content when it is committed.
const REWRITING: &[&str] = &["filter", "working-tree-encoding", "ident"];
/// Attributes by which forges do not show a difference, archives leave a file out, or merges drop a side.
const HIDING: &[&str] =
    &["diff", "binary", "linguist-generated", "linguist-vendored", "gitlab-generated", "export-ignore", "merge"];
/// Files of a session.
const FILES: &[&str] = &["events.ndjson", "meta.json"];
/// How recorders name sessions, with `x` for a digit of any value: 8, 12, 16 and 32 hexadecimal digits, UUIDs, times.
const SHAPES: &[&str] = &[
    "xxxxxxxx",
    "xxxxxxxxxxxx",
    "xxxxxxxxxxxxxxxx",
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx",
    // UUIDs of version 7 begin with the time: these begin with years from 2022 on.
    "018xxxxx-xxxx-7xxx-8xxx-xxxxxxxxxxxx",
    "019xxxxx-xxxx-7xxx-8xxx-xxxxxxxxxxxx",
    "01axxxxx-xxxx-7xxx-8xxx-xxxxxxxxxxxx",
    "20261129-18043x-xxxxxx",
    "20271129-18043x-xxxxxx",
    "20281129-18043x-xxxxxx",
    "2026-11-29T18-04-3x-xxxxxx",
    "2027-11-29T18-04-3x-xxxxxx",
    "2028-11-29T18-04-3x-xxxxxx",
    "session",
];
/// Sessions of the repository whose names are tried.
const SESSIONS: usize = 64;

/// Paths that sessions have, or may get: a pattern that fits one of them hides sessions.
pub(super) fn paths(changed: &Changed<'_>) -> Vec<String> {
    let Some(store) = changed.store else { return Vec::new() };
    let below = format!("{store}/");
    let own = changed.paths.iter().filter(|changed| !changed.is_gone).map(|changed| changed.path);
    let known = own.chain(changed.base.paths().iter().rev().map(String::as_str));
    let known =
        known.filter(|path| path.starts_with(&below)).filter(|path| FILES.iter().any(|name| path.ends_with(name)));
    let mut found: Vec<String> = known.take(SESSIONS).map(str::to_owned).collect();
    for digit in "0123456789abcdef".chars() {
        let names = SHAPES.iter().map(|shape| shape.replace('x', &digit.to_string()));
        found.extend(names.flat_map(|name| FILES.iter().map(move |file| format!("{store}/{name}/{file}"))));
    }
    found.sort();
    found.dedup();
    found
}

/// The part that a file of git has in keeping the record.
pub(super) fn part(changed: &Changed<'_>, gate: &GateFiles, records: &[String], path: &str) -> Option<Part> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    if !matches!(name, ".gitignore" | ".gitattributes") {
        return None;
    }
    let within = |path: &String| -> Option<String> {
        if folder.is_empty() { Some(path.clone()) } else { path.strip_prefix(&format!("{folder}/")).map(str::to_owned) }
    };
    let mut paths: Vec<String> = records.iter().filter_map(within).collect();
    if name == ".gitattributes" {
        let judging = gate.runs.iter().cloned().chain([".agent-scope.json".to_owned()]);
        paths.extend(judging.filter_map(|path| within(&path)));
    }
    if paths.is_empty() {
        return None;
    }
    let after = match changed.head.read_lossily(path) {
        Content::Text(text) => text,
        Content::Missing => String::new(),
        Content::Unreadable(reason) => return Some(Part::UnreadableRecord { reason }),
    };
    // A text before the change that can't be read excuses nothing that is there now.
    let before = match changed.before.read_lossily(path) {
        Content::Text(text) => text,
        Content::Missing | Content::Unreadable(_) => String::new(),
    };
    if name == ".gitignore" {
        return ignored::Records::of(&paths).are_hidden(&before, &after).then_some(Part::IgnoresRecord);
    }
    of_attributes(&before, &after, &paths)
}

/// The worst effect of new attributes on files of the record and of the gate.
fn of_attributes(before: &str, after: &str, paths: &[String]) -> Option<Part> {
    let (before, after) = (ignored::Attributes::of(before), ignored::Attributes::of(after));
    let mut hidden = None;
    for path in paths {
        let known = before.at(path);
        for (name, attribute) in after.at(path).into_iter().filter(|(name, new)| known.get(name) != Some(new)) {
            if REWRITING.contains(&name) && !attribute.starts_with(['-', '!']) {
                return Some(Part::RewritesRecord { attribute: attribute.to_owned() });
            }
            if HIDING.contains(&name) && hides(attribute) {
                hidden = Some(Part::HidesRecord { attribute: attribute.to_owned() });
            }
        }
    }
    hidden
}

/// `-diff`, `binary`, `linguist-generated`, `merge=ours`, and not the other way round.
fn hides(attribute: &str) -> bool {
    let is_off = attribute.starts_with(['-', '!']) || attribute.ends_with("=false");
    match attribute.trim_start_matches(['-', '!']).split('=').next() {
        Some("diff") => attribute == "-diff",
        Some("merge") => attribute == "-merge" || attribute.contains('='),
        _ => !is_off,
    }
}

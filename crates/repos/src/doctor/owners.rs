//! Code owners: which paths have one. Of GitHub and of GitLab, whose sections have owners for lines without any.

use globset::{GlobBuilder, GlobMatcher};

use super::{Check, Forge, State};

/// A pattern, and whether somebody is named for it.
struct Line {
    number: u32,
    pattern: GlobMatcher,
    is_owned: bool,
}

/// The file that the forge reads.
pub(super) fn of_forge(files: &[(String, String)], forge: Forge) -> Option<&(String, String)> {
    forge.owners().iter().find_map(|place| files.iter().find(|(path, _)| path == place))
}

/// Whether each path has an owner, by the file that the forge reads.
pub(super) fn checks(read_by_forge: Option<&(String, String)>, paths: &[String]) -> Vec<Check> {
    let Some((file, text)) = read_by_forge else {
        let message = "no owner has to review what judges changes: no CODEOWNERS names an owner of the policy and the \
                       workflow";
        return vec![Check::new("owners/there", State::Weak, message)];
    };
    let lines = read(text);
    let mut checks = Vec::new();
    for path in paths {
        // The last line that matches decides, also where it names no owner.
        let owner = lines.iter().rev().find(|line| line.pattern.is_match(path));
        checks.push(match owner {
            Some(line) if line.is_owned => {
                Check::new("owners/covers", State::Good, format!("`{path}` has an owner")).at(file, line.number)
            }
            Some(line) => Check::new("owners/covers", State::Weak, format!("`{path}` has no owner by this line"))
                .at(file, line.number),
            None => Check::new("owners/covers", State::Weak, format!("`{path}` has no owner: add a line for it"))
                .at(file, 1),
        });
    }
    checks
}

fn read(text: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut inherited = false;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(section) = line.strip_prefix('[') {
            inherited = names_owner(section.split_once(']').map_or("", |(_, rest)| rest));
            continue;
        }
        // An optional section requires no approval. A negation is no pattern here.
        if line.starts_with("^[") || line.starts_with('!') {
            inherited = inherited && !line.starts_with("^[");
            continue;
        }
        let (pattern, owners) = split(line);
        let is_owned = names_owner(owners) || inherited && owners.split('#').next().unwrap_or("").trim().is_empty();
        lines.extend(globs(&pattern).into_iter().map(|pattern| Line { number, pattern, is_owned }));
    }
    lines
}

/// The pattern, in which a blank stands behind a backslash, and what is behind it.
fn split(line: &str) -> (String, &str) {
    let mut escaped = false;
    for (at, letter) in line.char_indices() {
        if letter.is_whitespace() && !escaped {
            let (pattern, owners) = line.split_at(at);
            return (pattern.replace("\\ ", " "), owners);
        }
        escaped = letter == '\\' && !escaped;
    }
    (line.replace("\\ ", " "), "")
}

fn names_owner(owners: &str) -> bool {
    let said = owners.split('#').next().unwrap_or("");
    said.split_whitespace()
        .any(|word| word.starts_with('@') && word.len() > 1 || word.contains('@') && word.contains('.'))
}

/// As in a file of what git ignores, without negation and without sets of letters.
fn globs(pattern: &str) -> Vec<GlobMatcher> {
    let anchored = pattern.trim_end_matches('/').contains('/');
    let bare = pattern.trim_start_matches('/').trim_end_matches('/');
    if bare.is_empty() || bare.contains(['[', ']', '{', '}']) {
        return Vec::new();
    }
    let from = if anchored || bare.starts_with("**/") { bare.to_owned() } else { format!("**/{bare}") };
    let mut globs = Vec::new();
    if !pattern.ends_with('/') {
        globs.push(from.clone());
    }
    // The line of a folder counts for all below it; `docs/*` says something of what is directly in it.
    if !(anchored && (bare.ends_with("/*") || bare == "*")) {
        globs.push(format!("{from}/**"));
    }
    let matcher =
        |glob: &String| GlobBuilder::new(glob).literal_separator(true).build().ok().map(|glob| glob.compile_matcher());
    globs.iter().filter_map(matcher).collect()
}

//! A path entry of a policy, taken apart: where it starts, and what it says from there on.
//!
//! In the result `*` and `?` stay within a component and `**` crosses, whatever version the policy has.

/// Where a pattern counts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// The workspace root.
    Root,
    /// Every directory: it is a name.
    Anywhere,
    Home,
    /// The root of the file system.
    Absolute,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern {
    pub(super) start: Start,
    /// Without a slash at its start.
    pub(super) body: String,
}

/// How the pattern may differ from the entry where the two languages do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// It may match more: a deny.
    Wider,
    /// It may match less: an allow.
    Narrower,
}

/// The patterns that say the entry together; `None`: it holds what a rule of another engine can't hold.
pub(super) fn of(entry: &str, version: u32, side: Side) -> Option<Vec<Pattern>> {
    let entry = entry.trim();
    if entry.is_empty() || entry.chars().any(|character| character.is_control() || "()\\".contains(character)) {
        return None;
    }
    let (start, body) = start(entry, version);
    if body.is_empty() {
        return None;
    }
    let bodies = if version < 2 { crossing(body, side) } else { vec![body.to_owned()] };
    Some(bodies.into_iter().map(|body| Pattern { start, body }).collect())
}

fn start(entry: &str, version: u32) -> (Start, &str) {
    if let Some(body) = entry.strip_prefix("~/") {
        return (Start::Home, body);
    }
    if let Some(body) = entry.strip_prefix("//").filter(|_| version >= 2) {
        return (Start::Absolute, body);
    }
    if let Some(body) = entry.strip_prefix('/') {
        return (if version >= 2 { Start::Root } else { Start::Absolute }, body);
    }
    let name = entry.trim_start_matches("**/");
    if !name.contains('/') && name != "**" && !name.starts_with('~') {
        return (Start::Anywhere, name);
    }
    (Start::Root, entry)
}

/// In version 1 a `*` crosses components: `src/*.rs` is also `src/a/b.rs`.
pub(super) fn crossing(body: &str, side: Side) -> Vec<String> {
    let (folders, name) = body.rsplit_once('/').map_or((None, body), |(folders, name)| (Some(folders), name));
    let Some(folders) = folders else { return vec![body.to_owned()] };
    if name == "*" {
        return vec![format!("{folders}/**")];
    }
    let plain = body.to_owned();
    if side == Side::Narrower || !body.replace("**", "").contains('*') {
        return vec![plain];
    }
    // Each star that crosses, one at a time and all at once: more than the entry says is as good for a deny.
    let all: Vec<String> = body.split('/').map(crossed).collect();
    vec![plain, all.join("/")]
}

fn crossed(component: &str) -> String {
    if component == "**" || !component.contains('*') {
        return component.to_owned();
    }
    component.replace('*', "*/**/*").trim_start_matches("*/").trim_end_matches("/*").to_owned()
}

#[cfg(test)]
mod tests {
    use super::{Pattern, Side, Start, of};

    #[test]
    fn entries_are_taken_apart() {
        let one = |start, body: &str| Some(vec![Pattern { start, body: body.to_owned() }]);
        assert_eq!(of(".env", 1, Side::Wider), one(Start::Anywhere, ".env"));
        assert_eq!(of("**/*.pem", 1, Side::Wider), one(Start::Anywhere, "*.pem"));
        assert_eq!(of("secrets/**", 1, Side::Wider), one(Start::Root, "secrets/**"));
        assert_eq!(of("~/.ssh/**", 1, Side::Wider), one(Start::Home, ".ssh/**"));
        assert_eq!(of("/etc/**", 1, Side::Wider), one(Start::Absolute, "etc/**"));
        assert_eq!(of("/etc/**", 2, Side::Wider), one(Start::Root, "etc/**"));
        assert_eq!(of("//etc/**", 2, Side::Wider), one(Start::Absolute, "etc/**"));
        assert_eq!(of("src/*", 1, Side::Narrower), one(Start::Root, "src/**"));
        assert_eq!(of("src/*.rs", 1, Side::Narrower), one(Start::Root, "src/*.rs"));
        let bodies: Vec<String> =
            of("src/*.rs", 1, Side::Wider).unwrap().into_iter().map(|pattern| pattern.body).collect();
        assert_eq!(bodies, ["src/*.rs", "src/**/*.rs"]);
        assert_eq!(of("a(b", 1, Side::Wider), None, "a parenthesis would end a rule");
    }
}

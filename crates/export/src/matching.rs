//! Patterns of other engines as regular expressions: emulators match with them, in linear time.

use regex::Regex;

/// `*` matches any text, blanks and line ends, too.
pub(super) fn wildcard(text: &str) -> Option<Regex> {
    let parts: Vec<String> = text.split('*').map(regex::escape).collect();
    compile(&parts.join(".*"))
}

/// A path pattern as `.gitignore` has them, from the start of a path on: `*` within a component, `**` across, a class;
/// what it names and everything below.
pub(super) fn path(body: &str) -> Option<Regex> {
    let mut pattern = String::new();
    let mut rest = body;
    while let Some(character) = rest.chars().next() {
        let taken = if let Some(after) = rest.strip_prefix("**/") {
            pattern.push_str("(?:.*/)?");
            rest.len() - after.len()
        } else if rest.starts_with("**") {
            pattern.push_str(".*");
            2
        } else {
            match character {
                '*' => pattern.push_str("[^/]*"),
                '?' => pattern.push_str("[^/]"),
                '[' => {
                    if let Some((class, length)) = class(rest) {
                        pattern.push_str(&class);
                        rest = rest.get(length..).unwrap_or_default();
                        continue;
                    }
                    pattern.push_str("\\[");
                }
                other => pattern.push_str(&regex::escape(other.encode_utf8(&mut [0; 4]))),
            }
            character.len_utf8()
        };
        rest = rest.get(taken..).unwrap_or_default();
    }
    compile(&format!("{pattern}(?:/.*)?"))
}

/// A class at the start of the text, and its length.
fn class(text: &str) -> Option<(String, usize)> {
    let inner = text.strip_prefix('[')?;
    let negated = inner.starts_with(['!', '^']);
    let members = if negated { inner.get(1..)? } else { inner };
    let end = members.find(']').filter(|end| *end > 0)?;
    let escaped = members.get(..end)?.replace('\\', "\\\\").replace('[', "\\[").replace("&&", "&").replace("~~", "~");
    let length = 1 + usize::from(negated) + end + 1;
    Some((format!("[{}{escaped}]", if negated { "^" } else { "" }), length))
}

fn compile(pattern: &str) -> Option<Regex> {
    Regex::new(&format!("(?s)^(?:{pattern})$")).ok()
}

/// A path without `.` and `..`, absolute where it is below the root.
pub(super) fn absolute(path: &str, root: &str) -> String {
    let joined = if path.starts_with(['/', '~']) { path.to_owned() } else { format!("{root}/{path}") };
    let mut parts: Vec<&str> = Vec::new();
    for part in joined.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            other => parts.push(other),
        }
    }
    if joined.starts_with('~') { parts.join("/") } else { format!("/{}", parts.join("/")) }
}

#[cfg(test)]
mod tests {
    use super::{absolute, path, wildcard};

    #[test]
    fn patterns_match_as_documented() {
        let meets = |pattern: &str, text: &str| path(pattern).unwrap().is_match(text);
        assert!(meets("src/**/*.ts", "src/a.ts") && meets("src/**/*.ts", "src/a/b.ts"));
        assert!(!meets("src/*.ts", "src/a/b.ts"));
        assert!(meets("secrets", "secrets/key"), "a directory is all below it");
        assert!(meets("[ab].rs", "a.rs") && !meets("[!ab].rs", "a.rs"));
        assert!(!meets(".env", "x.env"));
        assert!(wildcard("git * main").unwrap().is_match("git push origin main"));
        assert_eq!(absolute("src/../.env", "/repo"), "/repo/.env");
        assert_eq!(absolute("~/.ssh/../x", "/repo"), "~/x");
    }
}

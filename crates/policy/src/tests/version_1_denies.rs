//! What version 1 has always denied stays denied, over random patterns: held against a second reading of its rules,
//! which shares nothing with ours.
//!
//! `AGENT_STRACE_PAIRS` says how many pairs of a pattern and what it denies are tried.

use super::*;

/// Python's `fnmatch.fnmatchcase`: `*` and `?` cross `/`, `[…]` is a class, `[!…]` its opposite.
fn fnmatch(name: &[char], pattern: &[char]) -> bool {
    let Some((first, rest)) = pattern.split_first() else { return name.is_empty() };
    match first {
        '*' => (0..=name.len()).any(|from| fnmatch(&name[from..], rest)),
        '?' => !name.is_empty() && fnmatch(&name[1..], rest),
        '[' => {
            let negated = rest.first() == Some(&'!');
            let from = usize::from(negated);
            // A `]` that comes first is a member.
            let Some(end) = (from + 1..rest.len()).find(|at| rest[*at] == ']') else {
                return name.first() == Some(&'[') && fnmatch(&name[1..], rest);
            };
            let Some(character) = name.first() else { return false };
            is_member(*character, &rest[from..end]) != negated && fnmatch(&name[1..], &rest[end + 1..])
        }
        literal => name.first() == Some(literal) && fnmatch(&name[1..], rest),
    }
}

fn is_member(character: char, class: &[char]) -> bool {
    let mut at = 0;
    while at < class.len() {
        if at + 2 < class.len() && class[at + 1] == '-' {
            if (class[at]..=class[at + 2]).contains(&character) {
                return true;
            }
            at += 3;
        } else if class[at] == character {
            return true;
        } else {
            at += 1;
        }
    }
    false
}

fn matches(text: &str, pattern: &str) -> bool {
    let characters = |text: &str| text.chars().collect::<Vec<_>>();
    fnmatch(&characters(text), &characters(pattern))
}

fn components(path: &[&str], pattern: &[&str]) -> bool {
    match (path.split_first(), pattern.split_first()) {
        (_, None) => path.is_empty(),
        (None, Some(_)) => pattern.iter().all(|part| *part == "**"),
        (Some((_, below)), Some((&"**", rest))) => components(path, rest) || components(below, pattern),
        (Some((name, below)), Some((part, rest))) => matches(name, part) && components(below, rest),
    }
}

fn path_is_denied(path: &str, pattern: &str) -> bool {
    let split = |text| str::split(text, '/').collect::<Vec<_>>();
    matches(path, pattern)
        || matches(path.rsplit('/').next().unwrap(), pattern)
        || pattern.contains("**") && components(&split(path), &split(pattern))
}

fn command_is_denied(command: &str, pattern: &str) -> bool {
    let (command, pattern) = (command.to_lowercase(), pattern.to_lowercase());
    command == pattern || command.starts_with(&format!("{pattern} ")) || matches(&command, &pattern)
}

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    fn text(&mut self, of: &[&str], most: usize) -> String {
        (0..=self.below(most)).map(|_| self.one(of)).collect()
    }
}

const IN_PATTERNS: &[&str] =
    &["a", "b", "A", ".", "-", "*", "**", "?", "[ab]", "[!a]", "[a-c]", "[", "]", "!", "é", "{a,b}"];
const IN_PATHS: &[&str] = &["a", "b", "A", "c", ".", "-", "é", "[", "]", "!", "{a,b}"];

fn path_pattern(numbers: &mut Numbers) -> String {
    let parts: Vec<String> = (0..=numbers.below(3))
        .map(|_| if numbers.below(4) == 0 { "**".to_owned() } else { numbers.text(IN_PATTERNS, 3) })
        .collect();
    parts.join("/")
}

/// A path that the pattern may well match.
fn near(numbers: &mut Numbers, pattern: &str) -> String {
    let mut path = String::new();
    for character in pattern.chars() {
        match character {
            '*' => path.push_str(&numbers.text(&["a", "b", "/", ""], 3)),
            '?' | '[' => path.push_str(numbers.one(IN_PATHS)),
            '!' | ']' if numbers.below(2) == 0 => {}
            other => path.push(other),
        }
    }
    path
}

fn tidy(path: &str) -> Option<String> {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    (!parts.is_empty() && !parts.contains(&"..") && parts[0] != "~").then(|| parts.join("/"))
}

fn pairs() -> usize {
    std::env::var("AGENT_STRACE_PAIRS")
        .ok()
        .map_or(20_000, |text| text.parse().expect("AGENT_STRACE_PAIRS is a number"))
}

#[test]
fn files_that_version_1_denied_are_denied() {
    let (mut numbers, mut tried, mut refused_patterns) = (Numbers(1), 0, 0);
    while tried < pairs() {
        let pattern = path_pattern(&mut numbers);
        let text =
            serde_json::json!({"files": {"read": {"deny": [pattern]}, "write": {"deny": [pattern]}}}).to_string();
        // What can never match is refused when it is read: nothing is judged by it.
        let Ok(policy) = Policy::from_bytes("scope.json", None, text.as_bytes()) else {
            refused_patterns += 1;
            assert!(refused_patterns < 1_000 + tried, "`{pattern}`");
            continue;
        };
        for _ in 0..40 {
            let path = if numbers.below(3) == 0 {
                (0..=numbers.below(3)).map(|_| numbers.text(IN_PATHS, 3)).collect::<Vec<_>>().join("/")
            } else {
                near(&mut numbers, &pattern)
            };
            let Some(path) = tidy(&path).filter(|path| path_is_denied(path, &pattern)) else { continue };
            tried += 1;
            for kind in ["read", "write", "delete"] {
                let found = decide(&policy, &file_effect(&format!("{kind} {path}")), Some("/repo"));
                assert_eq!(found.decision, Decision::Denied, "`{pattern}` denies to {kind} `{path}`: {}", found.reason);
            }
        }
    }
}

#[test]
fn commands_that_version_1_denied_are_denied() {
    const WORDS: &[&str] =
        &["git", "Git", "push", "rm", "-rf", "a", "--force", "origin", "x*", "?", "*", "[ab]", "main"];
    const ARGUMENTS: &[&str] = &["git", "push", "rm", "RM", "-rf", "-f", "a", "b", "--force", "origin", "xy", "main"];
    let (mut numbers, mut tried) = (Numbers(2), 0);
    while tried < pairs() {
        let pattern = (0..=numbers.below(3)).map(|_| numbers.one(WORDS)).collect::<Vec<_>>().join(" ");
        let text = serde_json::json!({"commands": {"deny": [pattern]}}).to_string();
        let Ok(policy) = Policy::from_bytes("scope.json", None, text.as_bytes()) else { continue };
        for _ in 0..40 {
            let own = pattern
                .split(' ')
                .map(|word| if word.contains(['*', '?', '[']) { numbers.one(ARGUMENTS) } else { word });
            let mut words: Vec<&str> = own.collect();
            for _ in 0..numbers.below(3) {
                let at = if numbers.below(2) == 0 { words.len() } else { numbers.below(words.len() + 1) };
                words.insert(at, numbers.one(ARGUMENTS));
            }
            let line = words.join(" ");
            if !command_is_denied(&line, &pattern) {
                continue;
            }
            tried += 1;
            let found = decide(&policy, &command(&line), Some("/repo"));
            assert_eq!(found.decision, Decision::Denied, "`{pattern}` denies `{line}`: {}", found.reason);
        }
    }
}

#[test]
fn hosts_that_version_1_denied_are_denied() {
    let (mut numbers, mut tried) = (Numbers(3), 0);
    let parts = &["a", "b", "example", "com", "*", "?", "a*", "[ab]"];
    while tried < pairs() {
        let pattern = (0..=numbers.below(3)).map(|_| numbers.one(parts)).collect::<Vec<_>>().join(".");
        let text = serde_json::json!({"network": {"deny_all": true, "allow": [pattern]}}).to_string();
        let Ok(policy) = Policy::from_bytes("scope.json", None, text.as_bytes()) else { continue };
        for _ in 0..40 {
            let name = (0..=numbers.below(3)).map(|_| numbers.one(&["a", "b", "ab", "example", "com"]));
            let name = name.collect::<Vec<_>>().join(".");
            if matches(&name, &pattern) {
                continue;
            }
            tried += 1;
            let found = decide(&policy, &host(&name), None);
            assert_eq!(found.decision, Decision::Denied, "`{pattern}` does not allow `{name}`: {}", found.reason);
        }
    }
}

//! Files that only people allow: those of the built-in list of sensitive files, and those that every generated policy
//! denies. No proposal names one of them.

use std::sync::LazyLock;

use agent_strace_effects::{Certainty, Effect, Kind, PathTarget};
use agent_strace_policy::{Context, Diagnostics, Policy};

use super::compose::template;
use super::plan::forbids;

/// The name of the policy in diagnostics.
const SHOWN: &str = "template";

/// `None`: it can't be read, and then all files are for people to allow.
static TEMPLATE_POLICY: LazyLock<Option<Policy>> = LazyLock::new(|| template_policy().ok());
static BUILT_IN: LazyLock<Policy> = LazyLock::new(Policy::none);

/// Returns true if an entry for this path, in which stars are wildcards, would allow sensitive files. A directory that may hold
/// one among others, such as `src/**`, is not sensitive. `kind`: of the effect.
pub fn is_for_people(kind: &str, path: &str) -> bool {
    // A file that is not to be written is not to be deleted either.
    let kinds = if kind == "delete" { &["delete", "write"][..] } else { &[kind] };
    kinds.iter().any(|kind| is_sensitive(kind, path))
}

fn is_sensitive(kind: &str, path: &str) -> bool {
    let Some(template) = TEMPLATE_POLICY.as_ref() else { return true };
    let member = member_of(path);
    let pattern = PathTarget { path: path.to_owned(), subtree: false };
    let judged = |policy: &Policy, effect: Effect| policy.judge(&effect, &Context::default());
    judged(&BUILT_IN, effect(kind, pattern, Certainty::Pattern)).sensitive
        || [&*BUILT_IN, template].iter().any(|policy| {
            let target = PathTarget { path: member.clone(), subtree: false };
            forbids(&judged(policy, effect(kind, target, Certainty::Exact)))
        })
}

fn template_policy() -> Result<Policy, Diagnostics> {
    Policy::from_bytes(SHOWN, None, template().as_bytes())
}

fn effect(kind: &str, target: PathTarget, certainty: Certainty) -> Effect {
    let kind = match kind {
        "write" => Kind::Write(target),
        "delete" => Kind::Delete(target),
        _ => Kind::Read(target),
    };
    Effect::new(kind, certainty, "proposal")
}

/// A file that the pattern covers, with a name that says nothing: `secrets/**` → `secrets/x`.
fn member_of(path: &str) -> String {
    let mut member = String::with_capacity(path.len());
    for character in path.chars() {
        match character {
            '*' if member.ends_with('x') => {}
            '*' | '?' => member.push('x'),
            other => member.push(other),
        }
    }
    member
}

#[cfg(test)]
mod tests {
    use super::is_for_people;

    #[test]
    fn directories_of_secrets_are_for_people() {
        for (kind, path, expected) in [
            ("read", ".env.production/**", true),
            ("read", "secrets/**", true),
            ("write", "secrets/token.txt", true),
            ("read", "secrets/*", true),
            ("read", ".env", true),
            ("read", "config/*.pem", true),
            ("read", ".env*", true),
            ("read", "~/.ssh/**", true),
            ("read", "/home/dana/.aws/**", true),
            ("write", ".github/workflows/**", true),
            ("read", ".github/workflows/**", false),
            ("read", "src/**", false),
            ("read", "src/secrets.rs", false),
            ("write", "~/x/**", false),
            ("read", "docs/index.md", false),
            ("read", "tests/*/test*.py", false),
            ("read", "/tmp/tmp.a1/**", false),
        ] {
            assert_eq!(is_for_people(kind, path), expected, "{kind} {path}");
        }
    }
}

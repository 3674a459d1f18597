//! The branches that may judge a change. Everybody who can push to a branch can write the policy at its tip, and the author
//! of a change chooses its base branch: only the default branch, and branches that the workflow names, are taken for the
//! base.

use globset::{Glob, GlobBuilder, GlobMatcher};

use super::super::failure::Failure;

/// Wildcards in patterns of branches.
const WILDCARDS: &[char] = &['*', '[', ']'];
/// Characters that GitHub's filters read differently than a glob, or that no name of a branch may contain.
const REFUSED: &[char] = &['?', '+', '!', '{', '}', '\\', ' '];

/// A branch, or a pattern of branches, that a workflow names: `*` stays within one component, `**` does not.
#[derive(Debug, Clone)]
pub(in crate::cli) struct BaseBranch {
    name: String,
    pattern: GlobMatcher,
}

impl std::fmt::Display for BaseBranch {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.name)
    }
}

impl BaseBranch {
    /// For the command line.
    pub(in crate::cli) fn parse(text: &str) -> Result<Self, String> {
        let name = text.strip_prefix("refs/heads/").unwrap_or(text);
        if name.chars().all(|letter| letter == '*' || letter == '/') {
            return Err("it names every branch, and the author of a change picks the branch; name those that only \
                        reviewed changes get into, e.g. `release/**`"
                .to_owned());
        }
        if name.contains(REFUSED) {
            return Err(
                "expected the name of a branch, with `*` for a part of one component and `**` for any number of \
                        them, e.g. `release/**`"
                    .to_owned(),
            );
        }
        if !name.contains(WILDCARDS) && !agent_strace_git::is_branch_name(name) {
            return Err("this is no name of a branch".to_owned());
        }
        if name.split('/').any(|component| component.contains("**") && component != "**") {
            return Err("`**` is a component of its own, e.g. `release/**`".to_owned());
        }
        if name.contains(WILDCARDS) && !has_literal_part(name) {
            return Err(
                "it names nearly every branch, and the author of a change picks the branch; begin or end the pattern \
                        with two letters or more that only reviewed branches have, e.g. `release/**`"
                    .to_owned(),
            );
        }
        let pattern = glob(name).map_err(|error| error.kind().to_string())?;
        Ok(Self { name: name.to_owned(), pattern: pattern.compile_matcher() })
    }
}

/// The pattern begins or ends with letters that a branch has to have: two or more of them, or one and a digit (`v[0-9]*`).
fn has_literal_part(name: &str) -> bool {
    let is_enough = |part: &str| part.chars().filter(|letter| letter.is_alphanumeric()).count() >= 2;
    let front = name.split(WILDCARDS).next().unwrap_or_default();
    let back = name.rsplit(WILDCARDS).next().unwrap_or_default();
    // Only a set of a few letters or digits stands behind a short name: `v[12]`.
    let rest = name.strip_prefix(front).unwrap_or_default();
    let is_set = rest.starts_with("[0-9]") || rest.strip_prefix('[').is_some_and(is_digits);
    is_enough(front) || is_enough(back) || front.chars().any(char::is_alphanumeric) && is_set
}

/// The set that ends here has digits only.
fn is_digits(set: &str) -> bool {
    set.split_once(']')
        .is_some_and(|(digits, _)| !digits.is_empty() && digits.chars().all(|digit| digit.is_ascii_digit()))
}

fn glob(name: &str) -> Result<Glob, globset::Error> {
    GlobBuilder::new(name).literal_separator(true).build()
}

/// The branches that may judge in one run.
#[derive(Debug, Clone, Copy)]
pub(super) struct BaseBranches<'a> {
    pub(super) named: &'a [BaseBranch],
}

impl BaseBranches<'_> {
    /// Whether the branch may judge; `default`: the default branch of the repository that it is in, as the forge tells it.
    pub(super) fn admit(self, branch: &str, default: Option<&str>) -> Result<(), Failure> {
        if Some(branch) == default || self.named.iter().any(|named| named.pattern.is_match(branch)) {
            return Ok(());
        }
        let others: Vec<String> =
            default.into_iter().chain(self.named.iter().map(|named| named.name.as_str())).map(quoted).collect();
        let others = if others.is_empty() {
            "as nothing says which branch is the default branch".to_owned()
        } else {
            format!("only {} may", others.join(", "))
        };
        Err(Failure::new(format!(
            "the base branch `{branch}` may not judge, {others}: everybody who can push to a branch can write its policy"
        ))
        .hint(
            "if only reviewed changes get into that branch, name it in the workflow: `--base-branch NAME`, or \
             `base-branches` of the action",
        )
        .hint("else merge into the default branch: a pull request that gets another base is judged by that"))
    }
}

fn quoted(name: &str) -> String {
    format!("`{name}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_branch_and_those_that_are_named_may_judge() {
        let cases: &[(&[&str], &[&str], &[&str])] = &[
            (&[], &["main"], &["Main", "main2", "helper", "main/x", "x/main"]),
            (&["release"], &["main", "release"], &["release/1", "releases", "prerelease"]),
            (&["refs/heads/next"], &["next"], &["refs/heads/next"]),
            (&["release/*"], &["release/1", "release/1.2-x"], &["release", "release/1/x", "a/release/1"]),
            (&["release/**"], &["release/1", "release/1/x"], &["release", "prerelease/1"]),
            (&["*-stable", "v[12]"], &["9-stable", "v1", "v2"], &["a/9-stable", "v3", "v[12]"]),
            (&["**/lts"], &["lts", "a/lts", "a/b/lts"], &["a/lts/b"]),
        ];
        for (named, admitted, refused) in cases {
            let named: Vec<BaseBranch> = named.iter().map(|name| BaseBranch::parse(name).unwrap()).collect();
            let branches = BaseBranches { named: &named };
            for branch in *admitted {
                assert!(branches.admit(branch, Some("main")).is_ok(), "{named:?} {branch}");
            }
            for branch in *refused {
                let refusal = branches.admit(branch, Some("main")).unwrap_err();
                assert!(refusal.summary().contains(&format!("`{branch}` may not judge")), "{refusal:?}");
            }
            assert!(branches.admit("main", None).is_err(), "nothing says that `main` is the default branch");
        }
    }

    #[test]
    fn what_names_every_branch_or_none_is_refused() {
        let every = ["*", "**", "**/*", "*/**", "", "/"];
        let nearly_every =
            ["[^m]*", "[a-z]*", "[!m]*", "*a*", "m*", "*n", "**/*a", "a*/**", "*/[a-z]*", "[a-z]*/**", "*[a-z]"];
        for wrong in nearly_every {
            assert!(
                BaseBranch::parse(wrong).is_err_and(|why| why.contains("every branch") || why.contains("expected")),
                "{wrong}"
            );
        }
        for right in ["release-*", "v[0-9]*", "v[12]", "release/[0-9]*", "**/lts", "*-stable"] {
            assert!(BaseBranch::parse(right).is_ok(), "{right}");
        }
        let none = ["!main", "a?", "v+", "{a,b}", "a b", "a..b", "release/**-x", "a**", "v[1", "main.lock", "a\\b"];
        for wrong in every.into_iter().chain(none) {
            assert!(BaseBranch::parse(wrong).is_err(), "{wrong}");
        }
    }
}

//! Whether what a server is started from stays the same from one start to the next.
//!
//! An exact version of a package does, a commit of git does, the digest of an image does. A tag, a range, a branch and
//! nothing at all do not: whoever may publish decides what runs next time.

mod image;
mod node;
mod others;
mod python;
#[cfg(test)]
mod tests;

use crate::repo_audit::launch::{Launch, program};

pub(crate) use image::risks;

/// What a server is started from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pin {
    Pinned {
        package: String,
        version: String,
    },
    /// `why`: lower case, behind a package's name.
    Floating {
        package: String,
        why: &'static str,
    },
    /// `why` as above; `None` where a digest names it.
    Image {
        image: String,
        why: Option<&'static str>,
    },
    /// A file or folder of this machine.
    Local(String),
    /// Another machine runs it.
    Remote,
    /// A program that is there already, or something else.
    NotAPackage,
}

const NO_VERSION: &str = "without a version";
const MOVED: &str = "by a tag, which can be moved";
const RANGE: &str = "by a range of versions";
const VARIABLE: &str = "by a version that is not written there";
const BRANCH: &str = "by a branch or a tag of git, which can be moved";
const ARCHIVE: &str = "from an archive, which can be replaced at its address";

impl Pin {
    pub fn of(launch: &Launch) -> Self {
        let Some((first, rest)) = launch.words.split_first() else { return Self::NotAPackage };
        let name = program(first);
        match name.as_str() {
            "npx" | "bunx" | "pnpx" | "npm" | "pnpm" | "yarn" | "bun" => node::of(&name, rest),
            "uvx" | "uv" | "pipx" => python::of(&name, rest),
            "docker" | "podman" | "nerdctl" | "container" => image::of(rest),
            "deno" | "go" | "cargo" | "nix" | "nix-shell" | "dnx" | "dotnet" => others::of(&name, rest),
            _ => local(first, &name, rest),
        }
    }

    fn floating(package: &str, why: &'static str) -> Self {
        Self::Floating { package: package.to_owned(), why }
    }

    fn pinned(package: &str, version: &str) -> Self {
        Self::Pinned { package: package.to_owned(), version: version.to_owned() }
    }
}

/// Programs that run a file that they are given.
const RUNNERS: &[&str] =
    &["node", "tsx", "ts-node", "python", "java", "ruby", "php", "perl", "bash", "sh", "zsh", "pwsh", "powershell"];

/// A file that something runs, or the program itself where its path says where it lies.
fn local(first: &str, name: &str, rest: &[String]) -> Pin {
    let bare = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    if RUNNERS.contains(&bare) {
        let module = rest.iter().any(|word| word == "-m");
        let file = rest.iter().find(|word| !word.starts_with('-'));
        return match file {
            Some(file) if !module => Pin::Local(file.clone()),
            _ => Pin::NotAPackage,
        };
    }
    if is_path(first) { Pin::Local(first.to_owned()) } else { Pin::NotAPackage }
}

fn is_path(word: &str) -> bool {
    let drive = word.as_bytes().get(1) == Some(&b':') && word.starts_with(|letter: char| letter.is_ascii_alphabetic());
    word.starts_with(['.', '/', '~', '\\']) || word.starts_with("file:") || word.starts_with("link:") || drive
}

/// By the ending of its name.
fn is_file(word: &str, ending: &str) -> bool {
    word.rsplit_once('.').is_some_and(|(_, found)| found.eq_ignore_ascii_case(ending))
}

/// `${input:version}`, `$VERSION`, `%VERSION%`, `{{version}}`.
fn is_variable(word: &str) -> bool {
    word.contains("${") || word.starts_with('$') || word.contains("{{") || word.starts_with('%') && word.ends_with('%')
}

/// A commit is named whole, by SHA-1 or SHA-256: a short name may become another's.
fn is_commit(word: &str) -> bool {
    matches!(word.len(), 40 | 64) && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// `1.2.3`, with what may follow: exactly one version.
fn is_exact(version: &str) -> bool {
    let version = version.strip_prefix('=').unwrap_or(version);
    let version = version.strip_prefix('v').unwrap_or(version);
    let numbers = version.split(['-', '+']).next().unwrap_or(version);
    let parts: Vec<&str> = numbers.split('.').collect();
    let rest = version.get(numbers.len()..).unwrap_or_default();
    parts.len() == 3
        && parts.iter().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
        && rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.'))
        && rest.len() != 1
}

/// Why a version that is not exact floats.
fn why(version: &str) -> &'static str {
    if is_variable(version) {
        VARIABLE
    } else if version.starts_with(|first: char| first.is_ascii_digit() || "^~<>=*!".contains(first)) || version == "x" {
        RANGE
    } else {
        MOVED
    }
}

//! Packages that uv and pipx bring.

use super::{ARCHIVE, BRANCH, NO_VERSION, Pin, RANGE, VARIABLE, is_commit, is_file, is_path, is_variable, why};
use crate::repo_audit::launch::Options;

const VALUED: &[&str] = &[
    "--from",
    "--with",
    "--with-editable",
    "--with-requirements",
    "--spec",
    "-p",
    "--python",
    "-i",
    "--index-url",
    "--index",
    "--default-index",
    "--extra-index-url",
    "-f",
    "--find-links",
    "--directory",
    "--project",
    "--cache-dir",
    "--config-file",
    "--env-file",
    "--extra",
    "--group",
    "--refresh-package",
    "-P",
    "--upgrade-package",
    "-C",
    "--pip-args",
    "--suffix",
    "--prerelease",
    "--resolution",
    "--index-strategy",
    "--link-mode",
    "--color",
    "-m",
    "--module",
    "--preinstall",
    "--no-build-package",
    "--no-binary-package",
    "--exclude-newer",
    "-w",
];
const FROM: &[&str] = &["--from", "--spec"];
const WITH: &[&str] = &["--with", "-w"];

pub(super) fn of(name: &str, words: &[String]) -> Pin {
    let mut options = Options::new(words, VALUED);
    match name {
        "uvx" => tool(words),
        "pipx" => match options.operand(&[]).1 {
            Some("run") => tool(options.rest()),
            _ => Pin::NotAPackage,
        },
        _ => match options.operand(&[]).1 {
            Some("tool") if options.operand(&[]).1 == Some("run") => tool(options.rest()),
            Some("run") => project(options.rest()),
            _ => Pin::NotAPackage,
        },
    }
}

/// The package, or the one that its command is from.
fn tool(words: &[String]) -> Pin {
    let (from, operand) = Options::new(words, VALUED).operand(FROM);
    from.first().copied().or(operand).map_or(Pin::NotAPackage, specified)
}

/// `uv run`: the repository's own project, with packages that are brought beside it.
fn project(words: &[String]) -> Pin {
    let (with, operand) = Options::new(words, VALUED).operand(WITH);
    let floats =
        with.iter().flat_map(|list| list.split(',')).map(specified).find(|pin| matches!(pin, Pin::Floating { .. }));
    match (floats, operand) {
        (Some(pin), _) => pin,
        (None, Some(file)) if is_path(file) || file.contains(['.', '/']) => Pin::Local(file.to_owned()),
        _ => Pin::NotAPackage,
    }
}

/// `name[extra]==1.2`, `name@1.2`, `name @ git+https://…@commit`, an address, a path.
fn specified(word: &str) -> Pin {
    let word = word.split(';').next().unwrap_or(word).trim();
    if is_path(word) || is_file(word, "whl") && !word.contains("://") {
        return Pin::Local(word.to_owned());
    }
    if let Some((name, address)) = word.split_once(" @ ").or_else(|| word.split_once("@git+")) {
        return match source(address.trim()) {
            Pin::Pinned { version, .. } => Pin::pinned(name.trim(), &version),
            other => other,
        };
    }
    if word.contains("://") || word.starts_with("git+") {
        return source(word);
    }
    if is_variable(word) && !word.contains(['=', '@']) {
        return Pin::floating(word, VARIABLE);
    }
    let Some(at) = word.find(['=', '<', '>', '!', '~', '@']) else { return Pin::floating(word, NO_VERSION) };
    let (name, rest) = word.split_at_checked(at).unwrap_or((word, ""));
    let exact = rest.strip_prefix("===").or_else(|| rest.strip_prefix("==")).or_else(|| rest.strip_prefix('@'));
    match exact.map(str::trim) {
        Some(version) if is_version(version) => Pin::pinned(name.trim(), version),
        Some("") => Pin::floating(name, NO_VERSION),
        Some(version) if version.contains(['*', ',']) => Pin::floating(name, RANGE),
        Some(version) => Pin::floating(name, why(version)),
        None => Pin::floating(name, RANGE),
    }
}

/// In Python `1.2` is a version and no range.
fn is_version(version: &str) -> bool {
    version.starts_with(|first: char| first.is_ascii_digit())
        && version.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'+' | b'!' | b'-' | b'_'))
}

fn source(address: &str) -> Pin {
    let bare = address.split('#').next().unwrap_or(address);
    let git = address.starts_with("git+") || address.starts_with("git@");
    if !git {
        return Pin::floating(bare, ARCHIVE);
    }
    let tail = bare.rfind('/').unwrap_or(0);
    let at = bare.get(tail..).and_then(|rest| rest.rfind('@')).map(|at| at + tail);
    match at.and_then(|at| bare.get(..at).zip(bare.get(at + 1..))) {
        Some((repository, commit)) if is_commit(commit) => Pin::pinned(repository, commit),
        Some((repository, _)) => Pin::floating(repository, BRANCH),
        None => Pin::floating(bare, BRANCH),
    }
}

//! Entries of lists: each in its comparable form, or why it can't mean anything.

use crate::policy::glob::{self, Answer, Glob};
use crate::policy::words;

use super::{Dialect, Fault, quoted};

/// The entry in its comparable form, or why it can't mean anything.
pub(super) fn check(text: &str, dialect: Dialect) -> Result<String, Fault> {
    if text.trim().is_empty() {
        return Err((
            "this pattern is empty".to_owned(),
            Some("an empty pattern matches nothing; remove it".to_owned()),
        ));
    }
    if text.chars().count() > glob::LONGEST {
        return Err((format!("this pattern is longer than {} characters", glob::LONGEST), None));
    }
    if text.chars().any(char::is_control) {
        return Err(("this pattern holds a control character".to_owned(), None));
    }
    match dialect {
        Dialect::Path => check_path(text),
        Dialect::Command => words::split(text).map(|_| text.trim().to_owned()).ok_or_else(|| {
            (format!("the quotes in {} are not closed", quoted(text)), Some("write a quote as `\\\\'`".to_owned()))
        }),
        Dialect::Host => check_host(text),
        Dialect::Value => Ok(text.trim().to_owned()),
    }
}

fn check_path(text: &str) -> Result<String, Fault> {
    let mut path = text.replace('\\', "/");
    while let Some(rest) = path.strip_prefix("./") {
        path = rest.to_owned();
    }
    while path.contains("//") {
        path = path.replace("//", "/");
    }
    let never = || format!("{} can never match", quoted(text));
    if path.split('/').any(|component| component == "..") {
        let help = "paths are compared after `..` is resolved; name the path itself".to_owned();
        return Err((never(), Some(help)));
    }
    if path.len() > 1 && path.ends_with('/') {
        let help = format!("paths have no `/` at their end; for all below it write {}", quoted(&format!("{path}**")));
        return Err((never(), Some(help)));
    }
    if Glob::path(&path).meets(&Glob::effect("**")) == Answer::No {
        return Err((never(), Some("a class such as `[z-a]` has no members".to_owned())));
    }
    Ok(path)
}

pub(super) fn check_host(text: &str) -> Result<String, Fault> {
    let host = text.trim();
    if host.contains('/') || host.contains('@') {
        let rest = host.split_once("://").map_or(host, |(_, rest)| rest);
        let authority = rest.split('/').next().unwrap_or(rest);
        let bare = authority.rsplit('@').next().unwrap_or(authority);
        let message = format!("{} can never match: hosts are compared without scheme, user and path", quoted(text));
        return Err((message, (!bare.is_empty()).then(|| format!("write {}", quoted(bare)))));
    }
    if host.contains(char::is_whitespace) {
        return Err((format!("{} can never match: a host has no spaces", quoted(text)), None));
    }
    Ok(host.to_lowercase())
}

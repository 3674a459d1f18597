//! Hosts as entries name them.

use super::{Fault, quoted};

pub(super) fn of_version_1(text: &str) -> Result<String, Fault> {
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

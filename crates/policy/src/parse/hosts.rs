//! Hosts as entries name them.

use std::net::IpAddr;

use crate::host::{Addresses, HostPattern, NoAddresses, is_remote};

use super::{Fault, quoted};

pub(super) fn of_version_1(text: &str) -> Result<String, Fault> {
    let host = text.trim();
    if host.split_once('/').is_some_and(|(start, _)| start.parse::<IpAddr>().is_ok()) {
        let message = format!("{} can never match: networks of addresses need version 2", quoted(text));
        return Err((message, Some("add `\"version\": 2`, or name the addresses".to_owned())));
    }
    if (host.contains('/') || host.contains('@')) && !is_remote(host) {
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

/// A host, `*.` and a host, `*`, an address or a network of addresses, each with `:port` or without.
pub(super) fn of_version_2(text: &str) -> Result<HostPattern, Fault> {
    let never = |why: &str| format!("{} can never match: {why}", quoted(text));
    if let Some((start, _)) = text.split_once('/')
        && start.parse::<IpAddr>().is_ok()
    {
        return Ok(HostPattern::addresses(addresses(text)?, None));
    }
    let host = of_version_1(text)?;
    let (name, port) = ported(text, &host)?;
    if let Ok(addresses) = Addresses::parse(name) {
        return Ok(HostPattern::addresses(addresses, port));
    }
    let bare = name.strip_prefix("*.").unwrap_or(name);
    if name == "*" || name == "remote:*" || name.starts_with("registry:") {
        return Ok(HostPattern::named(name, port));
    }
    if is_remote(name) {
        let plain = |character: char| character.is_ascii_alphanumeric() || "-_./".contains(character);
        if name.chars().skip("remote:".len()).all(plain) {
            return Ok(HostPattern::named(name, None));
        }
        return Err((never("no remote is called that"), Some("`remote:*` matches all remotes".to_owned())));
    }
    if bare.contains(['*', '?', '[']) {
        let help = "a `*` stands alone or in front of a dot: `*.example.com`".to_owned();
        return Err((never("no wildcard stands inside of a name"), Some(help)));
    }
    let plain = |character: char| character.is_alphanumeric() || matches!(character, '-' | '_' | '.');
    if !bare.chars().all(plain) || bare.starts_with('.') || bare.contains("..") || bare.is_empty() {
        let help = bare.strip_prefix('.').filter(|rest| !rest.is_empty());
        let help = help.map(|rest| format!("for all below {rest} write {}", quoted(&format!("*.{rest}"))));
        return Err((never("no host is called that"), help));
    }
    let numeric = bare.split('.').all(|label| label.bytes().all(|byte| byte.is_ascii_digit()));
    if numeric {
        let help = "write all four numbers, or a network such as `10.0.0.0/8`".to_owned();
        return Err((never("this is part of an address"), Some(help)));
    }
    Ok(HostPattern::named(name.trim_end_matches('.'), port))
}

/// The host, and the port behind it.
fn ported<'a>(text: &str, host: &'a str) -> Result<(&'a str, Option<u16>), Fault> {
    if host.parse::<IpAddr>().is_ok() || host.starts_with("registry:") || is_remote(host) {
        return Ok((host, None));
    }
    let (name, port) = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((name, _)) if name.parse::<IpAddr>().is_err() => {
            let message = format!("{} can never match: brackets stand around an address", quoted(text));
            return Err((message, Some("leave them out".to_owned())));
        }
        Some((name, "")) => return Ok((name, None)),
        Some((name, port)) => (name, port.strip_prefix(':').unwrap_or(port)),
        None => match host.split_once(':') {
            Some((name, port)) => (name, port),
            None => return Ok((host, None)),
        },
    };
    let number = Some(port).filter(|port| port.bytes().all(|byte| byte.is_ascii_digit()));
    match number.and_then(|port| port.parse::<u16>().ok()) {
        Some(0) | None => {
            let message = format!("{} is no port", quoted(port));
            Err((message, Some(format!("ports go from 1 to 65535; without one, {} counts for all", quoted(text)))))
        }
        Some(port) => Ok((name, Some(port))),
    }
}

fn addresses(text: &str) -> Result<Addresses, Fault> {
    Addresses::parse(text).map_err(|fault| match fault {
        NoAddresses::NotAnAddress => (format!("{} is no network of addresses", quoted(text)), None),
        NoAddresses::TooManyBits(most) => (
            format!("{} is no network of addresses", quoted(text)),
            Some(format!("behind the `/` stand 0 to {most} bits")),
        ),
        NoAddresses::NotTheFirst(network) => (
            format!("{} has bits behind its prefix", quoted(text)),
            Some(format!("the network it is in is {}", quoted(&network))),
        ),
    })
}

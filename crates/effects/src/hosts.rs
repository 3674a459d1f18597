//! URLs and host names as a log wrote them → where a client would really connect.

use url::{Host, Url};

use super::{Certainty, Connection};

/// Schemes that name no other host.
const LOCAL_SCHEMES: &[&str] =
    &["file", "data", "about", "javascript", "blob", "chrome", "view-source", "mailto", "urn"];
/// Schemes of clients that accept `scheme:host:port` (socat, openssl, message brokers).
const SOCKET_SCHEMES: &[&str] = &["tcp", "udp", "sctp", "ssl", "tls", "openssl", "socks", "proxy", "dccp"];

/// The address that a browser opens for one such as `view-source:file:///etc/passwd`.
pub(crate) fn opened(url: &str) -> &str {
    let mut url = url;
    while let Some((scheme, inner)) = url.split_once(':') {
        let is = |known: &str| scheme.trim().eq_ignore_ascii_case(known);
        // `feed:8080` may be a host and its port.
        let holds_address = inner.contains("://") || inner.split_once(':').is_some_and(|(inner, _)| is_local(inner));
        let wraps = is("view-source") || holds_address && ["jar", "blob", "filesystem", "feed"].into_iter().any(is);
        if !wraps {
            break;
        }
        url = inner;
    }
    url
}

fn is_local(scheme: &str) -> bool {
    LOCAL_SCHEMES.iter().any(|known| known.eq_ignore_ascii_case(scheme))
}

/// The word of a program that takes files and addresses is an address.
pub(crate) fn is_address(text: &str) -> bool {
    text.contains("://") || opened(text).len() < text.len()
}

/// What a URL, `host[:port][/path]`, `user@host:path` or `tcp:host:port` connects to. `None` when it names no host by
/// design (`file:`, `data:`). A host that can't be determined is `None` in the connection, with
/// [`Certainty::Pattern`]. With [`Certainty::Pattern`] `text` is a glob in which `**` stands for unknown text.
pub(crate) fn connection(text: &str, certainty: Certainty) -> Option<(Connection, Certainty)> {
    let text: String = text.trim().chars().filter(|character| !matches!(character, '\t' | '\n' | '\r')).collect();
    let (scheme, rest) = split_scheme(&text);
    let scheme = scheme.map(str::to_ascii_lowercase);
    if scheme.as_deref().is_some_and(is_local) {
        return None;
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let (scheme, authority) = match (scheme, remote_path(&text, authority)) {
        (None, Some(host)) => (Some("ssh".to_owned()), host),
        (scheme, _) => (scheme, authority),
    };
    let (host, port, certainty) = endpoint(authority, certainty);
    let port = port.or_else(|| scheme.as_deref().and_then(default_port));
    Some((Connection { host, port, scheme }, certainty))
}

/// A host name or address by itself (`dig NAME`, `nc HOST`): unknown text in it can't hide another host behind `@` or
/// `/`, so a glob keeps its known part.
pub(crate) fn host(text: &str, certainty: Certainty) -> (Connection, Certainty) {
    let text = text.trim();
    if certainty == Certainty::Pattern && text.contains(['*', '?']) {
        let glob = text.trim_end_matches('.').to_lowercase();
        let known = glob.chars().any(|character| !matches!(character, '*' | '?' | '.'));
        return (Connection { host: known.then_some(glob), port: None, scheme: None }, Certainty::Pattern);
    }
    let bare = match text.matches(':').count() {
        // An IPv6 address without brackets.
        2.. if !text.starts_with('[') => format!("[{text}]"),
        _ => text.to_owned(),
    };
    let (host, port, certainty) = endpoint(&bare, certainty);
    (Connection { host, port, scheme: None }, certainty)
}

/// A host as connections name it: in lower case, letters of other scripts encoded.
pub fn canonical_host(name: &str) -> Option<String> {
    Host::parse(name).ok().map(|host| host.to_string())
}

/// Every `http(s)` URL in a text for humans or models.
pub(crate) fn url_in_text(text: &str) -> Vec<(Connection, Certainty)> {
    let mut found: Vec<(Connection, Certainty)> = Vec::new();
    for word in text.split(|character: char| character.is_whitespace() || "\"'`<>|".contains(character)) {
        for (at, _) in word.match_indices("://") {
            let (before, _) = word.split_at_checked(at).unwrap_or((word, ""));
            let scheme = ["https", "http"].into_iter().find(|scheme| ends_with_ignoring_case(before, scheme));
            let Some(scheme) = scheme else { continue };
            let url = word.get(at - scheme.len()..).unwrap_or_default();
            let url = url.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '}']);
            if let Some(connection) = connection(url, Certainty::Exact)
                && !found.contains(&connection)
            {
                found.push(connection);
            }
        }
    }
    found
}

fn ends_with_ignoring_case(text: &str, end: &str) -> bool {
    let tail = text.len().checked_sub(end.len()).and_then(|start| text.get(start..));
    tail.is_some_and(|tail| tail.eq_ignore_ascii_case(end))
}

/// `https://x` → (`https`, `x`); `https:/x` likewise; `tcp:x:1` for socket schemes; else no scheme.
fn split_scheme(text: &str) -> (Option<&str>, &str) {
    let Some((scheme, rest)) = text.split_once(':') else { return (None, text) };
    let proper = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.chars().all(|character| character.is_ascii_alphanumeric() || "+-.".contains(character));
    if !proper {
        return (None, text);
    }
    if let Some(rest) = rest.strip_prefix("//") {
        return (Some(scheme), rest.trim_start_matches(['/', '\\']));
    }
    let lower = scheme.to_ascii_lowercase();
    let family = lower.trim_end_matches(['4', '6']);
    let family = family.strip_suffix("-connect").unwrap_or(family).trim_end_matches(['4', '6']);
    if SOCKET_SCHEMES.contains(&family) && !rest.is_empty() {
        return (Some(scheme), rest.split(',').next().unwrap_or(rest));
    }
    let lenient = matches!(lower.as_str(), "http" | "https" | "ftp" | "ws" | "wss") && rest.starts_with(['/', '\\']);
    if lenient {
        return (Some(scheme), rest.trim_start_matches(['/', '\\']));
    }
    if LOCAL_SCHEMES.contains(&lower.as_str()) && !rest.chars().all(|character| character.is_ascii_digit()) {
        return (Some(scheme), rest);
    }
    (None, text)
}

/// `user@host:path` and `host:path` of scp, rsync and git: the part before the path.
fn remote_path<'t>(text: &'t str, authority: &'t str) -> Option<&'t str> {
    if text.contains("://") || authority.starts_with('[') {
        return None;
    }
    let (host, path) = authority.split_once(':')?;
    let numeric = !path.is_empty() && path.chars().all(|character| character.is_ascii_digit());
    let plain = !host.is_empty() && !path.contains('@') && !host.contains(['*', '?']);
    (plain && !numeric && !path.starts_with(':')).then_some(host)
}

/// Host, port and how well they are known, of the authority part of a URL.
fn endpoint(authority: &str, certainty: Certainty) -> (Option<String>, Option<u16>, Certainty) {
    let unknown = (None, None, Certainty::Pattern);
    if certainty == Certainty::Pattern && authority.contains(['*', '?']) {
        return glob_endpoint(authority).unwrap_or(unknown);
    }
    // Clients disagree on a backslash: some end the host there, some take what follows `@` for the host.
    if authority.contains(['\\', '$', '{', '}', '`', '(']) {
        return unknown;
    }
    let without_user = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let without_zone = match (without_user.find('%'), without_user.find(']')) {
        (Some(zone), Some(end)) if zone < end && without_user.starts_with('[') => {
            let (before, _) = without_user.split_at_checked(zone).unwrap_or((without_user, ""));
            let (_, after) = without_user.split_at_checked(end).unwrap_or(("", ""));
            format!("{before}{after}")
        }
        _ => without_user.to_owned(),
    };
    let Ok(url) = Url::parse(&format!("http://{without_zone}/")) else {
        return named_badly(&without_zone).unwrap_or(unknown);
    };
    // The parser hides a port that is `http`'s default.
    let port = url.port().or_else(|| without_zone.ends_with(":80").then_some(80));
    match url.host() {
        Some(host) => (canonical(&host), port, certainty_of_literal(certainty)),
        None => unknown,
    }
}

fn certainty_of_literal(certainty: Certainty) -> Certainty {
    match certainty {
        Certainty::Exact | Certainty::Pattern => Certainty::Exact,
        Certainty::Possible => Certainty::Possible,
    }
}

/// A glob in the place of a host. Unknown text (`**`) may bring its own `@` or `/`, so nothing is left of the host.
fn glob_endpoint(authority: &str) -> Option<(Option<String>, Option<u16>, Certainty)> {
    if authority.contains("**") {
        return None;
    }
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let (host, port) = match host.rsplit_once(':') {
        Some((host, port)) => (host, port.parse().ok()),
        None => (host, None),
    };
    Some((Some(host.trim_end_matches('.').to_lowercase()), port, Certainty::Pattern))
}

/// Names that the URL standard rejects but resolvers take (`my_host`), and ports out of range.
fn named_badly(host: &str) -> Option<(Option<String>, Option<u16>, Certainty)> {
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) => (name, port.parse().ok()),
        None => (host, None),
    };
    let name = name.trim_end_matches('.');
    let plain = |character: char| character.is_ascii_alphanumeric() || "-_.".contains(character);
    let usable = !name.is_empty() && name.chars().all(plain) && name.chars().any(|c| c.is_ascii_alphabetic());
    usable.then(|| (Some(name.to_ascii_lowercase()), port, Certainty::Exact))
}

fn canonical(host: &Host<&str>) -> Option<String> {
    match host {
        Host::Domain(name) => {
            let name = name.trim_end_matches('.');
            (!name.is_empty()).then(|| name.to_lowercase())
        }
        Host::Ipv4(address) => Some(address.to_string()),
        Host::Ipv6(address) => {
            Some(address.to_ipv4_mapped().map_or_else(|| address.to_string(), |mapped| mapped.to_string()))
        }
    }
}

fn default_port(scheme: &str) -> Option<u16> {
    Some(match scheme {
        "http" | "ws" | "git+http" => 80,
        "https" | "wss" | "git+https" => 443,
        "ftp" => 21,
        "ftps" => 990,
        "ssh" | "sftp" | "scp" | "git+ssh" | "ssh+git" | "rsync+ssh" => 22,
        "git" => 9418,
        "rsync" => 873,
        "telnet" => 23,
        "ldap" => 389,
        "ldaps" => 636,
        "smtp" => 25,
        "smtps" => 465,
        "imap" => 143,
        "imaps" => 993,
        "redis" => 6379,
        "postgres" | "postgresql" => 5432,
        "mysql" => 3306,
        "mongodb" => 27017,
        _ => return None,
    })
}

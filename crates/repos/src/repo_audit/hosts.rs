//! Which addresses stay on this machine or next to it.

use std::net::IpAddr;

use url::{Host, Url};

/// Names by which containers reach their own machine.
const OWN: &[&str] = &["localhost", "host.docker.internal", "gateway.docker.internal", "host.containers.internal"];

/// Whether what goes to this address stays on this machine or in a private network. An address that is not one (a
/// variable, a blank) is nobody's.
pub(crate) fn is_local_url(address: &str) -> bool {
    let parsed = Url::parse(address.trim());
    parsed.is_ok_and(|url| match url.host() {
        Some(Host::Domain(name)) => is_local_name(name),
        Some(Host::Ipv4(address)) => is_private(address.into()),
        Some(Host::Ipv6(address)) => is_private(address.into()),
        None => true,
    })
}

/// A name without a dot is one of a private network: a service of a compose file, a machine of an office.
pub(crate) fn is_local_name(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    if let Ok(address) = name.trim_matches(['[', ']']).parse::<IpAddr>() {
        return is_private(address);
    }
    let ends = [".localhost", ".local", ".internal", ".lan", ".test"];
    OWN.contains(&name.as_str()) || !name.contains('.') || ends.iter().any(|end| name.ends_with(end))
}

fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(four) => four.is_loopback() || four.is_private() || four.is_link_local() || four.is_unspecified(),
        IpAddr::V6(six) => six.is_loopback() || six.is_unspecified() || six.is_unique_local(),
    }
}

/// Whether it is an address without encryption, to a machine that is not next to this one.
pub(crate) fn is_open(address: &str) -> bool {
    let parsed = Url::parse(address.trim());
    parsed.is_ok_and(|url| matches!(url.scheme(), "http" | "ws") && url.host().is_some()) && !is_local_url(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_next_to_this_one_are_told_from_others() {
        for near in
            ["http://localhost:3000/mcp", "http://127.0.0.1", "http://[::1]:8000", "http://10.1.2.3/x", "http://mcp:80"]
        {
            assert!(is_local_url(near) && !is_open(near), "{near}");
        }
        for far in ["http://mcp.example.com/sse", "ws://203.0.113.9/", "http://user@example.org:8080"] {
            assert!(is_open(far), "{far}");
        }
        for other in ["https://example.com", "${input:address}", "http://", "stdio"] {
            assert!(!is_open(other), "{other}");
        }
    }
}

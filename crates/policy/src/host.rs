//! Host entries against connections.

use std::borrow::Cow;
use std::net::IpAddr;

use agent_strace_effects::{Certainty, Connection, canonical_host};
use agent_strace_model::finding::PolicyLocation;

use super::command::Match;
use super::glob::{Answer, Glob};
use super::parse::{List, Stated};

#[derive(Debug, Clone, Default)]
pub(super) struct HostList {
    pub(super) rules: Vec<HostRule>,
}

impl HostList {
    pub(super) fn new(list: Option<&List<HostPattern>>) -> Self {
        let Some(list) = list else { return Self::default() };
        let rules =
            list.entries.iter().map(|entry| HostRule { stated: entry.stated.clone(), pattern: entry.pattern.clone() });
        Self { rules: rules.collect() }
    }

    /// Without the entries that are less than an error.
    pub(super) fn drop_mild(&mut self) {
        self.rules.retain(|rule| rule.stated.is_firm());
    }

    /// Without one entry.
    pub(super) fn drop_location(&mut self, location: &PolicyLocation) {
        self.rules.retain(|rule| rule.stated.location != *location);
    }

    /// A rule with a name of its own.
    pub(super) fn add(&mut self, stated: &Stated, pattern: &HostPattern) {
        self.rules.push(HostRule { stated: stated.clone(), pattern: pattern.clone() });
        self.rules.sort_by_key(|rule| rule.stated.rank());
    }

    /// The entry that speaks of the connection, and the one that may.
    pub(super) fn strictest(
        &self,
        connection: &Connection,
        certainty: Certainty,
    ) -> (Option<&HostRule>, Option<&HostRule>) {
        let mut perhaps = None;
        for rule in &self.rules {
            match rule.pattern.touches(connection, certainty) {
                Match::Yes => return (Some(rule), None),
                Match::Maybe => perhaps = perhaps.or(Some(rule)),
                Match::No => {}
            }
        }
        (None, perhaps)
    }
}

/// One entry that names hosts.
#[derive(Debug, Clone)]
pub(super) struct HostRule {
    pub(super) stated: Stated,
    pub(super) pattern: HostPattern,
}

/// What an entry names.
#[derive(Debug, Clone)]
pub(super) struct HostPattern {
    target: Target,
    /// `None`: any port.
    port: Option<u16>,
    /// It is no symbol.
    names_hosts: bool,
}

#[derive(Debug, Clone)]
enum Target {
    Named(Glob),
    Addresses(Addresses),
}

impl HostPattern {
    pub(super) fn version_1(text: &str) -> Self {
        let (host, port) = split_port(text);
        Self::named(host, port)
    }

    /// `name`: in lower case, with no wildcards but `*` or `*.` in front.
    pub(super) fn named(name: &str, port: Option<u16>) -> Self {
        let names_hosts = !is_remote(name) && !name.starts_with("registry:");
        Self { target: Target::Named(Glob::fnmatch(&encoded(name))), port, names_hosts }
    }

    pub(super) fn addresses(addresses: Addresses, port: Option<u16>) -> Self {
        Self { target: Target::Addresses(addresses), port, names_hosts: true }
    }

    pub(super) fn includes(&self, connection: &Connection, certainty: Certainty) -> bool {
        let port = self.port.is_none() || self.port == connection.port;
        let host = connection.host.as_deref().is_some_and(|host| match (&self.target, certainty) {
            (Target::Named(name), Certainty::Pattern) => {
                Glob::fnmatch(&host.to_lowercase()).within(&[name]) == Answer::Yes
            }
            (Target::Named(name), _) => name.matches(&host.to_lowercase()),
            (Target::Addresses(_), Certainty::Pattern) => false,
            (Target::Addresses(addresses), _) => addresses.have(host),
        });
        port && host
    }

    /// Whether the connection may be to what the entry names: a port that nobody knows may be any.
    pub(super) fn touches(&self, connection: &Connection, certainty: Certainty) -> Match {
        if let (Some(port), Some(wanted)) = (connection.port, self.port)
            && port != wanted
        {
            return Match::No;
        }
        let Some(host) = &connection.host else { return Match::Maybe };
        let host = host.to_lowercase();
        let same = match (&self.target, certainty) {
            (Target::Named(name), Certainty::Pattern) => Glob::fnmatch(&host).meets(name) != Answer::No,
            (Target::Named(name), _) => name.matches(&host),
            // A pattern whose last label has letters of names only is no address.
            (Target::Addresses(_), Certainty::Pattern) => {
                return if host.rsplit('.').next().is_some_and(|label| label.contains(|c: char| c.is_ascii_alphabetic()))
                {
                    Match::No
                } else {
                    Match::Maybe
                };
            }
            (Target::Addresses(addresses), _) if host == "localhost" => {
                addresses.have("127.0.0.1") || addresses.have("::1")
            }
            (Target::Addresses(addresses), _) => addresses.have(&host),
        };
        // The owner of the repository configures the remote, so its host is not known here.
        let may_lead_there = !same && self.names_hosts && is_remote(&host);
        if same {
            Match::Yes
        } else if may_lead_there {
            Match::Maybe
        } else {
            Match::No
        }
    }
}

/// The name as connections have it: `bücher.example` is `xn--bcher-kva.example` there.
fn encoded(name: &str) -> Cow<'_, str> {
    if name.is_ascii() {
        return Cow::Borrowed(name);
    }
    let other = |label: &str| canonical_host(label).filter(|_| !label.is_ascii());
    let label = |label: &str| other(label).unwrap_or_else(|| label.to_owned());
    Cow::Owned(name.split('.').map(label).collect::<Vec<_>>().join("."))
}

/// Addresses that start with the same bits. IPv4 addresses inside of IPv6 are IPv4 addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Addresses {
    first: IpAddr,
    bits: u32,
}

/// Why a text names no addresses.
pub(super) enum NoAddresses {
    /// It does not look like one.
    NotAnAddress,
    TooManyBits(u32),
    /// There are bits behind the prefix; the network it is in.
    NotTheFirst(String),
}

impl Addresses {
    /// `10.0.0.0/8`, `10.1.2.3`, `fd00::/8`.
    pub(super) fn parse(text: &str) -> Result<Self, NoAddresses> {
        let (address, bits) = text.split_once('/').map_or((text, None), |(address, bits)| (address, Some(bits)));
        let address: IpAddr = address.parse().map_err(|_| NoAddresses::NotAnAddress)?;
        let canonical = address.to_canonical();
        let widest = if canonical.is_ipv4() { 32 } else { 128 };
        let given = if address.is_ipv4() { 32 } else { 128 };
        let bits = match bits {
            None => widest,
            Some(bits) => {
                let number = bits.parse::<u32>().ok().filter(|number| number.to_string() == bits);
                let bits = number.ok_or(NoAddresses::TooManyBits(given))?;
                let bits = if bits > given { None } else { (bits + widest).checked_sub(given) };
                bits.ok_or(NoAddresses::TooManyBits(given))?
            }
        };
        let all = Self { first: canonical, bits };
        let first = all.masked(canonical);
        if first == Self::number(canonical) {
            return Ok(all);
        }
        let network = if widest == 32 {
            u32::try_from(first).map(|first| std::net::Ipv4Addr::from(first).to_string()).unwrap_or_default()
        } else {
            std::net::Ipv6Addr::from(first).to_string()
        };
        Err(NoAddresses::NotTheFirst(format!("{network}/{bits}")))
    }

    fn have(self, host: &str) -> bool {
        let Ok(address) = host.parse::<IpAddr>() else { return false };
        let address = address.to_canonical();
        address.is_ipv4() == self.first.is_ipv4() && self.masked(address) == self.masked(self.first)
    }

    fn number(address: IpAddr) -> u128 {
        match address {
            IpAddr::V4(address) => u128::from(u32::from(address)),
            IpAddr::V6(address) => u128::from(address),
        }
    }

    fn masked(self, address: IpAddr) -> u128 {
        let width: u32 = if address.is_ipv4() { 32 } else { 128 };
        let free = width.saturating_sub(self.bits);
        let number = Self::number(address);
        number.checked_shr(free).and_then(|kept| kept.checked_shl(free)).unwrap_or(0)
    }
}

/// The symbol of a remote of the repository, as its owner configured it: `remote:origin`, or `remote:*` for all of them. A
/// number is the port of a host that is called `remote`.
pub(super) fn is_remote(text: &str) -> bool {
    text.strip_prefix("remote:").is_some_and(|name| !name.is_empty() && name.parse::<u16>().is_err())
}

/// `host:443` and `[::1]:443`; `registry:npm`, `remote:origin` and `::1` have no port.
pub(super) fn split_port(text: &str) -> (&str, Option<u16>) {
    if is_remote(text) {
        return (text, None);
    }
    // Other brackets are classes of a pattern.
    if let Some((host, after)) = text.strip_prefix('[').and_then(|rest| rest.split_once(']'))
        && host.contains(':')
    {
        match after.strip_prefix(':').map(str::parse) {
            Some(Ok(port)) => return (host, Some(port)),
            None if after.is_empty() => return (host, None),
            Some(Err(_)) | None => return (text, None),
        }
    }
    match text.split_once(':') {
        Some((host, port)) if !port.contains(':') => match port.parse() {
            Ok(port) => (host, Some(port)),
            Err(_) if port == "*" => (host, None),
            Err(_) => (text, None),
        },
        _ => (text, None),
    }
}

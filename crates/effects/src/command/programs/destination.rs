//! Finds the machine that a client of `ssh` reaches: this one, another one, or an unknown one.

use std::net::IpAddr;

use crate::command::argument::{Arg, Arguments, Known};
use crate::command::knowledge::Role;
use crate::{Certainty, hosts};

/// The side on which commands run and files lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Here,
    /// A tunnel, a virtual machine or a container may be behind the address, or this machine.
    Unknown,
    Elsewhere,
}

/// The relay, if any, between the client and the host that it names.
#[derive(Debug)]
enum Way {
    Direct,
    /// Hosts that the connection goes through.
    Hops(Vec<Arg>),
    /// The program that makes the connection.
    Proxy(Arg),
}

/// The route of a connection, as the client's options describe it.
#[derive(Debug, Default)]
pub(super) struct Route {
    host_name: Option<Arg>,
    port: Option<u16>,
    way: Option<Way>,
    /// A file of settings, or a value that is not known, may say more.
    unclear: bool,
}

impl Route {
    pub(super) fn of(arguments: &Arguments) -> Self {
        let mut route = Self::default();
        for option in &arguments.options {
            let Some(value) = &option.value else { continue };
            match option.name.as_str() {
                "-p" | "-P" => route.port = route.port.or(value.text.parse().ok()),
                "-F" => route.unclear |= !matches!(value.text.as_str(), "none" | "/dev/null"),
                "-o" => match setting(value) {
                    Some((name, value)) => route.set(&name, &value),
                    None => route.unclear = true,
                },
                "-J" | "-proxycmd" if option.role == Some(Role::Command) => route.set("proxycommand", value),
                "-J" => route.set("proxyjump", value),
                _ => {}
            }
        }
        route
    }

    /// The first value of a setting counts, and so does the first of those that say what stands between.
    fn set(&mut self, name: &str, value: &Arg) {
        let is_none = value.text.eq_ignore_ascii_case("none");
        match name {
            "hostname" if self.host_name.is_none() && !value.text.is_empty() => self.host_name = Some(value.clone()),
            "port" => self.port = self.port.or(value.text.parse().ok()),
            "proxycommand" | "proxyjump" if self.way.is_some() => {}
            "proxycommand" | "proxyjump" if is_none => self.way = Some(Way::Direct),
            "proxycommand" => self.way = Some(Way::Proxy(value.clone())),
            "proxyjump" => {
                let hops = divided(value).map(uncertain_hop);
                let hops = hops.filter(|hop| !hop.is_exact() || !is_this_machine(&hop.text));
                self.way = Some(Way::Hops(hops.collect()));
            }
            _ => {}
        }
    }

    pub(super) fn port(&self) -> Option<u16> {
        self.port
    }

    /// `HOST`, `USER@HOST`, `ssh://HOST:PORT`
    pub(super) fn side(&self, host: &str) -> Side {
        let (address, port) = address(host);
        let address = self
            .host_name
            .as_ref()
            .and_then(Arg::literal)
            .map_or(address.to_owned(), |name| name.replace("%h", address));
        let is_known = self.host_name.as_ref().is_none_or(|name| name.is_exact() && !address.contains('%'));
        let is_here = is_this_machine(&address) || !is_known;
        let port = self.port.or(port).unwrap_or(22);
        match &self.way {
            Some(Way::Hops(hops)) if hops.iter().any(Arg::is_exact) => Side::Elsewhere,
            Some(Way::Hops(hops)) if is_here && !hops.is_empty() => Side::Unknown,
            Some(Way::Proxy(proxy)) if is_here && !ends_elsewhere(proxy) || names_this_machine(&proxy.text) => {
                Side::Unknown
            }
            Some(Way::Proxy(_)) => Side::Elsewhere,
            _ if !is_here => Side::Elsewhere,
            _ if self.unclear || !is_known || port != 22 => Side::Unknown,
            _ => Side::Here,
        }
    }

    /// The side of `HOST:PATH` or `scheme://HOST:PORT/PATH`. A daemon of rsync has names of its own for directories.
    pub(super) fn side_of_file(&self, text: &str) -> Side {
        let host = match text.split_once("://") {
            Some((_, rest)) => rest.split('/').next().unwrap_or(rest),
            None => split_host(text).0,
        };
        match self.side(host) {
            Side::Here if is_of_daemon(text) => Side::Unknown,
            side => side,
        }
    }
}

/// The hosts that a connection goes through.
pub(super) fn hops(arguments: &Arguments) -> impl Iterator<Item = Arg> {
    let given = arguments.options.iter().filter_map(|option| match (option.name.as_str(), option.value.as_ref()?) {
        ("-J", value) if option.role != Some(Role::Command) => Some(value.clone()),
        ("-o", value) => setting(value).filter(|(name, _)| name == "proxyjump").map(|(_, value)| value),
        _ => None,
    });
    let given = given.filter(|value| !value.text.eq_ignore_ascii_case("none"));
    given.flat_map(|value| divided(&value).collect::<Vec<_>>())
}

/// `HOST,USER@HOST:PORT`
fn divided(hops: &Arg) -> impl Iterator<Item = Arg> {
    hops.text.split(',').map(str::trim).filter(|hop| !hop.is_empty()).map(|hop| hops.with(hop))
}

/// The value of a setting without its quotes and the comment behind it. It is not known if the client may read it otherwise.
fn plain(value: &Arg) -> Arg {
    let text = value.text.split(" #").next().unwrap_or_default().trim();
    let quoted = ['"', '\''].iter().find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote));
    let plain = value.with(quoted.unwrap_or(text));
    let is_plain = !plain.text.contains(['"', '\'', '\\', ' ', '\t', '#']);
    Arg { known: if is_plain { plain.known } else { Known::Not }, ..plain }
}

/// A shell and the client itself may make another host of a hop with such characters.
fn uncertain_hop(hop: Arg) -> Arg {
    let is_plain = !hop.text.contains(['"', '\'', '\\', '%', '$', '`', ' ', '#']);
    Arg { known: if is_plain { hop.known } else { Known::Not }, ..hop }
}

/// Returns whether the command of `ProxyCommand` connects to another machine: `nc HOST PORT`.
fn ends_elsewhere(proxy: &Arg) -> bool {
    let words: Vec<&str> = proxy.text.split_whitespace().collect();
    let is_plain = proxy.is_exact() && !proxy.text.contains(|letter: char| "$`;&|<>(){}'\"\\%".contains(letter));
    let [program, host, port] = words.as_slice() else { return false };
    let name = ["/usr/bin/", "/bin/"].iter().find_map(|folder| program.strip_prefix(folder)).unwrap_or(program);
    let is_netcat = matches!(name, "nc" | "ncat" | "netcat");
    is_plain && is_netcat && !host.starts_with('-') && !is_this_machine(host) && port.parse::<u16>().is_ok()
}

/// Returns whether a word of the command is an address of this machine.
fn names_this_machine(command: &str) -> bool {
    let words = command.split(|letter: char| letter.is_whitespace() || "'\"".contains(letter));
    words.filter(|word| !word.is_empty()).any(|word| {
        is_this_machine(word) || word.split([':', ',', '=']).filter(|part| !part.is_empty()).any(is_this_machine)
    })
}

/// A daemon of rsync has names of its own for directories: `rsync://HOST/NAME`, `HOST::NAME`.
pub(super) fn is_of_daemon(text: &str) -> bool {
    text.starts_with("rsync://")
        || !text.starts_with('[') && text.split_once(':').is_some_and(|(_, rest)| rest.starts_with(':'))
}

/// `-o NAME=VALUE`, `-o 'NAME VALUE'`, with the name in lower case.
pub(super) fn setting(given: &Arg) -> Option<(String, Arg)> {
    if given.known == Known::Not {
        return None;
    }
    let (name, value) = given.text.trim_start().split_once(['=', ' ', '\t'])?;
    let (name, value) = (name.to_ascii_lowercase(), given.with(value.trim_start_matches([' ', '\t', '='])));
    let value = if name == "hostname" { plain(&value) } else { value };
    Some((name, value))
}

/// Host and port of `HOST`, `USER@HOST`, `ssh://HOST:PORT`.
pub(super) fn address(host: &str) -> (&str, Option<u16>) {
    let name = host.strip_prefix("ssh://").unwrap_or(host).trim_end_matches('/');
    let name = name.rsplit('@').next().unwrap_or(name);
    match name.rsplit_once(':') {
        Some((name, port)) if !name.contains(':') || name.ends_with(']') => (name, port.parse().ok()),
        _ => (name, None),
    }
}

/// `localhost`, `127.0.0.1`, `127.1`, `[::1]`.
fn is_this_machine(host: &str) -> bool {
    const NAMES: &[&str] =
        &["localhost", "localhost4", "localhost6", "localhost.localdomain", "ip6-localhost", "ip6-loopback"];
    let (name, _) = address(host);
    let (connection, _) = hosts::host(name.trim_matches(['[', ']']), Certainty::Exact);
    let name = connection.host.unwrap_or_default();
    let name = name.trim_matches(['[', ']']).trim_end_matches('.');
    let is_loopback = |address: IpAddr| {
        let address = address.to_canonical();
        address.is_loopback() || address.is_unspecified()
    };
    NAMES.contains(&name) || name.ends_with(".localhost") || name.parse().is_ok_and(is_loopback)
}

/// `host:path`, `user@host:path`, `rsync://host/…`.
pub(super) fn is_remote(word: &Arg) -> bool {
    if word.known == Known::Not {
        return false;
    }
    let text = word.text.as_str();
    if text.contains("://") {
        return true;
    }
    let Some((host, path)) = text.split_once(':') else { return false };
    let drive = host.chars().count() == 1 && path.starts_with(['/', '\\']);
    !host.contains('/') && !host.is_empty() && !drive
}

/// `HOST` and `PATH` of `HOST:PATH`, `[HOST]:PATH` and `scheme://HOST/PATH`.
pub(super) fn split_host(text: &str) -> (&str, &str) {
    if let Some((_, rest)) = text.split_once("://") {
        let (host, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
        // `scp://host//absolute`, `rsync://host/module`
        return (host.split(':').next().unwrap_or(host), path.strip_prefix('/').unwrap_or(path));
    }
    match text.split_once("]:") {
        Some((host, path)) => (host, path),
        None => text.split_once(':').map_or((text, ""), |(host, path)| (host, path.trim_start_matches(':'))),
    }
}

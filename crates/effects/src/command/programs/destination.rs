//! Where clients of `ssh` lead: to this machine, to another one, or to one of which that is not known.

use crate::command::argument::{Arg, Arguments, Known};
use crate::command::knowledge::Role;

/// The side on which commands run and files lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Here,
    /// A tunnel, a virtual machine or a container may be behind the address, or this machine.
    Unknown,
    Elsewhere,
}

/// What the options of a client say about where its connection ends.
#[derive(Debug, Default)]
pub(super) struct Route {
    host_name: Option<String>,
    port: Option<u16>,
    /// The program that makes the connection.
    proxy: Option<String>,
    /// Another host stands between.
    jumps: bool,
    /// A file of settings, or a value that is not known, may say more.
    unclear: bool,
}

impl Route {
    pub(super) fn of(arguments: &Arguments) -> Self {
        let mut route = Self { jumps: hops(arguments).any(|hop| !is_this_machine(&hop.text)), ..Self::default() };
        for option in &arguments.options {
            let Some(value) = &option.value else { continue };
            match option.name.as_str() {
                "-p" | "-P" => route.port = route.port.or(value.text.parse().ok()),
                "-F" => route.unclear |= !matches!(value.text.as_str(), "none" | "/dev/null"),
                "-o" => match setting(value) {
                    Some((name, value)) => route.set(&name, &value),
                    None => route.unclear = true,
                },
                "-J" | "-proxycmd" if option.role == Some(Role::Command) => route.proxy = Some(value.text.clone()),
                _ => {}
            }
        }
        route
    }

    /// The first value of a setting counts.
    fn set(&mut self, name: &str, value: &Arg) {
        let text = || Some(value.text.clone()).filter(|text| !text.eq_ignore_ascii_case("none"));
        match name {
            "hostname" => self.host_name = self.host_name.take().or_else(text),
            "port" => self.port = self.port.or(value.text.parse().ok()),
            "proxycommand" => self.proxy = self.proxy.take().or_else(text),
            _ => {}
        }
    }

    pub(super) fn port(&self) -> Option<u16> {
        self.port
    }

    /// `HOST`, `USER@HOST`, `ssh://HOST:PORT`
    pub(super) fn side(&self, host: &str) -> Side {
        let (address, port) = address(host);
        let address = self.host_name.as_ref().map_or(address.to_owned(), |name| name.replace("%h", address));
        let is_here = is_this_machine(&address);
        let leads_here =
            |proxy: &String| is_here && proxy.contains("%h") || proxy.split([' ', ':', ',', '=']).any(is_this_machine);
        let port = self.port.or(port).unwrap_or(22);
        match &self.proxy {
            _ if self.jumps => Side::Elsewhere,
            Some(proxy) if leads_here(proxy) => Side::Unknown,
            Some(_) => Side::Elsewhere,
            None if !is_here => Side::Elsewhere,
            None if self.unclear || port != 22 => Side::Unknown,
            None => Side::Here,
        }
    }

    /// The side of `HOST:PATH` or `scheme://HOST:PORT/PATH`. A daemon of rsync has names of its own for directories.
    pub(super) fn side_of_file(&self, text: &str) -> Side {
        let of_daemon = text.starts_with("rsync://")
            || !text.starts_with('[') && text.split_once(':').is_some_and(|(_, rest)| rest.starts_with(':'));
        let host = match text.split_once("://") {
            Some((_, rest)) => rest.split('/').next().unwrap_or(rest),
            None => split_host(text).0,
        };
        match self.side(host) {
            Side::Here if of_daemon => Side::Unknown,
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
    given.flat_map(|value| value.text.split(',').map(|hop| value.with(hop)).collect::<Vec<_>>())
}

/// `-o NAME=VALUE`, `-o 'NAME VALUE'`, with the name in lower case.
pub(super) fn setting(given: &Arg) -> Option<(String, Arg)> {
    if given.known == Known::Not {
        return None;
    }
    let (name, value) = given.text.trim_start().split_once(['=', ' ', '\t'])?;
    Some((name.to_ascii_lowercase(), given.with(value.trim_start_matches([' ', '\t', '=']))))
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

/// `localhost`, `127.0.0.1`, `[::1]`.
fn is_this_machine(host: &str) -> bool {
    let (name, _) = address(host);
    let name = name.trim_matches(['[', ']']).trim_end_matches('.').to_ascii_lowercase();
    let is_loopback = |address: std::net::IpAddr| address.is_loopback() || address.is_unspecified();
    name == "localhost" || name.ends_with(".localhost") || name.parse().is_ok_and(is_loopback)
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

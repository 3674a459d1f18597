//! Programs that talk to another host: `ssh`, `scp`, `rsync`, `nc`, `socat`, `dig`.

use agent_strace_shell::Provenance;

use crate::command::argument::{Arg, Arguments};
use crate::command::context::Context;
use crate::command::knowledge::Role;
use crate::command::machine::{Machine, walk_on};
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::command::terminals::asks_for_terminal;
use crate::world::Terminal;
use crate::{About, Certainty, Effect, Kind, Reach, Reason};

use super::Call;
use super::destination::{Route, Side, address, hops, is_of_daemon, is_remote, setting, split_host};
use super::filters::{included, included_filter, merged_filter};

/// What the remote side does touches no file here.
const REMOTE: &str = "a command that runs on another host";

/// A program that reaches files on the other side, by its name, and where it leads.
#[derive(Debug)]
struct Client<'c> {
    name: &'c str,
    route: Route,
}

impl Machine<'_> {
    pub(super) fn ssh(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        self.options(&arguments, io);
        let route = Route::of(&arguments);
        self.ssh_route(&arguments, arguments.operands.first(), io);
        for forward in arguments.values(&["-L", "-R", "-W"]) {
            self.forwarded(forward);
        }
        let Some((host, command)) = arguments.operands.split_first() else { return Stream::Unknown };
        self.ssh_host(host, route.port().or(Some(22)));
        let side = route.side(&host.text);
        // Options may follow the host.
        let skip = command.iter().take_while(|word| word.text.starts_with('-')).count();
        let command = command.get(skip..).unwrap_or_default();
        if command.is_empty() {
            let input = io.input.clone();
            match input {
                Stream::Known(text) => {
                    self.text_on(side, &text, io);
                }
                Stream::Unconnected => {}
                _ => self.opaque(About::Commands, Reason::RemoteInputCommands, &[]),
            }
            return Stream::Unknown;
        }
        let text: Vec<&str> = command.iter().map(Arg::best).collect();
        if !command.iter().all(Arg::is_exact) {
            self.opaque(About::Commands, Reason::UnknownCommandText, &[]);
        }
        let text = text.join(" ");
        let before = self.world.terminal();
        if arguments.has(&["-n", "-f"]) {
            self.world.replace_terminal(Terminal::None);
        } else if !asks_for_terminal(&arguments) {
            self.world.replace_terminal(before.input());
        }
        let output = self.text_on(side, &text, io);
        self.world.replace_terminal(before);
        output
    }

    /// Commands for a shell on that side.
    fn text_on(&mut self, side: Side, text: &str, io: &mut Io<'_>) -> Stream {
        if side == Side::Here {
            return self.text_at_home(text, io);
        }
        self.remote_text(text, io);
        if side == Side::Unknown {
            self.guessed(|machine| machine.text_at_home(text, io));
        }
        Stream::Foreign(Provenance::Network)
    }

    /// Commands that another login of the user on this machine runs: they start in the home directory.
    fn text_at_home(&mut self, text: &str, io: &mut Io<'_>) -> Stream {
        let cwd = self.world.cwd().map(str::to_owned);
        self.world.set_cwd(Some("~".to_owned()));
        let output = self.shell_text(text, &mut io.scope.child(), &Stream::Unknown);
        self.world.set_cwd(cwd);
        output
    }

    /// A file of this machine under a name that says `localhost:PATH`; a relative path starts in the home directory.
    fn named_through_host(&mut self, role: Role, word: &Arg) {
        let (_, path) = split_host(&word.text);
        let cwd = self.world.cwd().map(str::to_owned);
        self.world.set_cwd(Some("~".to_owned()));
        self.path(role, &word.with(if path.is_empty() { "." } else { path }));
        self.world.set_cwd(cwd);
    }

    /// `[BIND:]PORT:HOST:PORT` and `HOST:PORT`: connections go on to that host.
    fn forwarded(&mut self, forward: &Arg) {
        let Some((rest, port)) = forward.text.rsplit_once(':') else { return };
        let host = rest.rsplit(':').next().unwrap_or(rest);
        if !host.is_empty() && !host.contains('/') && !host.chars().all(|letter| letter.is_ascii_digit()) {
            self.connect_host(&forward.with(host), port.parse().ok(), Some("tcp"));
        }
    }

    fn ssh_host(&mut self, host: &Arg, port: Option<u16>) {
        let (name, own) = address(&host.text);
        self.connect_host(&host.with(name), own.or(port), Some("ssh"));
    }

    /// Emits the effects of settings, and connects to the hosts on the route.
    fn ssh_route(&mut self, arguments: &Arguments, host: Option<&Arg>, io: &mut Io<'_>) {
        for hop in hops(arguments) {
            self.ssh_host(&hop, Some(22));
        }
        for setting in arguments.values(&["-o"]) {
            self.ssh_setting(setting, host, io);
        }
    }

    fn ssh_setting(&mut self, given: &Arg, host: Option<&Arg>, io: &mut Io<'_>) {
        let Some((name, value)) = setting(given) else { return };
        match name.as_str() {
            "proxycommand" | "localcommand" | "knownhostscommand" if !value.text.eq_ignore_ascii_case("none") => {
                let host = host.map_or("host", |host| host.text.rsplit('@').next().unwrap_or(&host.text));
                let text = value.text.replace("%h", host).replace("%p", "22").replace("%r", "user");
                self.command_text(&value.with(text), io);
            }
            "hostname" => self.connect_host(&value, Some(22), Some("ssh")),
            "setenv" => {
                let name = value.text.split('=').next().unwrap_or_default();
                self.environment(&value.with(name), Certainty::Exact);
            }
            "identityfile" => self.path(Role::Read, &value),
            "userknownhostsfile" => self.path(Role::Write, &value),
            _ => {}
        }
    }

    /// Commands on another host: they count as executed, their files are not ours.
    pub(super) fn remote_text(&mut self, text: &str, io: &mut Io<'_>) {
        let mut elsewhere = self.world.elsewhere();
        let Context { span, depth, ways, .. } = self.context;
        let context = Context { span, ways, depth: depth + 1, ..Context::default() };
        let mut emitter = self.emitter.continued();
        // What is typed reaches a command that has the terminal.
        let input = if elsewhere.terminal() == Terminal::None { &Stream::Unknown } else { io.input };
        walk_on(self.text, &mut elsewhere, self.knowledge, context, &mut emitter, |remote| {
            remote.shell_text(text, &mut io.scope.child(), input);
        });
        self.emitter.charge(&emitter);
        self.adopt(emitter.into_effects(), |machine, effect| machine.remote(effect, REMOTE));
    }

    pub(super) fn scp(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        self.options(&arguments, io);
        self.ssh_route(&arguments, None, io);
        let client = Client { name: call.name, route: Route::of(&arguments) };
        if call.name.ends_with("sftp") {
            if let Some(host) = arguments.operands.first() {
                self.connect_remote(host, &client, Role::ListTree);
                self.opaque(About::Anything, Reason::InteractiveClient, &[call.name]);
            }
            return Stream::Unknown;
        }
        let reach = if arguments.has(&["-r"]) { Reach::Subtree } else { Reach::Itself };
        self.copy_remote(&arguments.operands, reach, &client);
        Stream::Unknown
    }

    fn copy_remote(&mut self, operands: &[Arg], reach: Reach, client: &Client<'_>) {
        let Some((last, sources)) = operands.split_last() else { return };
        for source in sources {
            let role = if reach == Reach::Subtree { Role::ReadTree } else { Role::Read };
            if is_remote(source) {
                self.connect_remote(source, client, role);
            } else {
                self.path(role, source);
            }
        }
        if is_remote(last) {
            self.connect_remote(last, client, Role::WriteTree);
        } else if !sources.is_empty() {
            let directory =
                reach == Reach::Subtree || sources.len() > 1 || last.text.ends_with('/') || last.text == ".";
            self.path(if directory { Role::WriteTree } else { Role::Write }, last);
            self.received(sources, last);
        } else {
            self.path(Role::ListTree, last);
        }
    }

    /// Files of another host arrived as `last`, or in that directory.
    fn received(&mut self, sources: &[Arg], last: &Arg) {
        for source in sources.iter().filter(|source| is_remote(source)) {
            let (_, path) = source.text.rsplit_once(':').unwrap_or(("", &source.text));
            let name = base_name(&source.with(path)).to_owned();
            let inside = last.with(format!("{}/{name}", last.text.trim_end_matches('/')));
            let is_directory = last.text.ends_with('/') || matches!(last.text.as_str(), "." | "..");
            if !is_directory {
                self.world.fetched(last);
            }
            if source.is_exact() && !name.is_empty() {
                self.world.fetched(&inside);
            }
        }
    }

    /// A file on another host; on this machine, it is one of ours in this role.
    fn connect_remote(&mut self, word: &Arg, client: &Client<'_>, role: Role) {
        match client.route.side_of_file(&word.text) {
            Side::Here => self.named_through_host(role, word),
            Side::Unknown if is_of_daemon(&word.text) => {
                let about = if role == Role::WriteTree { About::Writes } else { About::Reads };
                self.opaque(about, Reason::PerhapsHere, &[client.name]);
            }
            Side::Unknown => self.guessed(|machine| machine.named_through_host(role, word)),
            Side::Elsewhere => {}
        }
        if word.text.contains("://") {
            self.connect(word);
            return;
        }
        let (host, _) = split_host(&word.text);
        let host = host.rsplit('@').next().unwrap_or(host);
        self.connect_host(&word.with(host), None, Some("ssh"));
    }

    /// The client that `rsync -e 'ssh -p 2222'` starts.
    fn remote_shell<'c>(&self, call: Call<'c>, arguments: &Arguments) -> Client<'c> {
        let words = arguments.values(&["-e", "--rsh"]).last().map(Self::split_command).unwrap_or_default();
        let route = words.split_first().and_then(|(program, rest)| {
            let name = self.knowledge.bare(program.text.rsplit('/').next()?);
            Some(Route::of(&Arguments::divide(self.knowledge.entry(&name)?, rest)))
        });
        Client { name: call.name, route: route.unwrap_or_default() }
    }

    pub(super) fn rsync(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        self.options(&arguments, io);
        for file in arguments.values(&["-f", "--filter"]).filter_map(merged_filter) {
            self.path(Role::Read, &file);
        }
        let dry = arguments.has(&["-n", "--dry-run"]);
        let client = self.remote_shell(call, &arguments);
        let Some((last, sources)) = arguments.operands.split_last() else { return Stream::Unknown };
        let local: Vec<Arg> = sources.iter().filter(|source| !is_remote(source)).cloned().collect();
        let rules = arguments.values(&["--include"]).filter_map(|rule| included(&rule.text));
        let rules = rules.chain(arguments.values(&["-f", "--filter"]).filter_map(included_filter));
        self.let_in(&rules.collect::<Vec<_>>(), &local);
        for source in sources {
            if is_remote(source) {
                self.connect_remote(source, &client, Role::ReadTree);
            } else {
                self.path(Role::ReadTree, source);
                if arguments.has(&["--remove-source-files"]) {
                    self.path(Role::DeleteTree, source);
                }
            }
        }
        if is_remote(last) {
            self.connect_remote(last, &client, if dry { Role::ListTree } else { Role::WriteTree });
        } else if sources.is_empty() || dry {
            self.path(Role::ListTree, last);
        } else {
            self.path(Role::WriteTree, last);
            self.received(sources, last);
            for source in sources.iter().filter(|source| source.is_exact() && last.is_exact() && !is_remote(source)) {
                let original = self.world.locate_word(source).0;
                let inside = last.with(format!("{}/{}", last.text.trim_end_matches('/'), base_name(source)));
                for target in [last, &inside] {
                    let copy = self.world.locate_word(target).0;
                    self.world.copied(&copy, &original);
                }
            }
            let deletes = arguments.options.iter().any(|option| option.name.starts_with("--del"));
            if deletes {
                self.path(Role::DeleteTree, last);
            }
        }
        Stream::Unknown
    }

    pub(super) fn nc(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        // A command that it starts reads what the other side types.
        let typed = Stream::Foreign(Provenance::Socket);
        let mark = self.emitter.mark();
        self.options(&arguments, &mut Io { scope: io.scope, input: &typed });
        let is_foreign = |effect: &Effect| matches!(&effect.kind, Kind::Opaque(opaque) if matches!(opaque.reason, Reason::ForeignCode { .. }));
        // A shell is reported as one.
        if arguments.has_role(Role::Command) && !self.emitter.since(mark).any(is_foreign) {
            self.opaque(About::Anything, Reason::ConnectedProgram, &[]);
        }
        let listens = arguments.has(&["-l", "--listen"]);
        let socket = arguments.has(&["-U", "--unixsock"]);
        match arguments.operands.as_slice() {
            [host, port, ..] if !listens => self.connect_host(host, port.text.parse().ok(), Some("tcp")),
            [host] if !listens && !socket => self.connect_host(host, None, Some("tcp")),
            [path, ..] if socket => self.path(Role::Edit, path),
            _ if listens => self.opaque(About::Network, Reason::WaitsForConnections, &[]),
            _ => {}
        }
        for proxy in arguments.values(&["-x"]) {
            self.connect(proxy);
        }
        Stream::Foreign(Provenance::Network)
    }

    pub(super) fn socat(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let words = call.rest.iter().filter(|word| !word.text.starts_with('-') || word.text == "-");
        let sides: Vec<Arg> = words.flat_map(|word| word.text.split("!!").map(|side| word.with(side))).collect();
        let typed = Stream::Foreign(Provenance::Socket);
        let is_remote = sides.iter().any(|side| is_socket(&side.text));
        let input = if is_remote { &typed } else { io.input };
        for side in &sides {
            self.socat_address(side, &mut Io { scope: io.scope, input });
        }
        if is_remote { Stream::Foreign(Provenance::Network) } else { Stream::Unknown }
    }

    fn socat_address(&mut self, word: &Arg, io: &mut Io<'_>) {
        let Some((kind, rest)) = word.after(':') else {
            if word.literal() == Some("SHELL") {
                self.command(&[Arg::exact("sh")], io);
                return;
            }
            let plain = matches!(word.literal(), Some("-" | "STDIO" | "STDIN" | "STDOUT" | "STDERR" | "PTY" | "PIPE"));
            if !plain {
                self.path(Role::Edit, word);
            }
            return;
        };
        let target = rest.with(rest.text.split(',').next().unwrap_or_default());
        match kind.to_ascii_uppercase().as_str() {
            // Quotes and backslashes are undone before the program starts.
            "EXEC" => {
                self.command_text(&target.with(target.text.replace('\\', "")), io);
            }
            "SYSTEM" | "SHELL" => {
                self.command_text(&target, io);
            }
            "OPEN" | "FILE" | "GOPEN" | "CREATE" | "CREAT" | "PIPE" | "UNIX" | "UNIX-CONNECT" | "UNIX-CLIENT"
            | "ABSTRACT" => self.path(Role::Edit, &target),
            kind if kind.contains("LISTEN") || kind.contains("RECV") => {
                self.opaque(About::Network, Reason::WaitsForConnections, &[]);
            }
            "FD" | "STDIO" => {}
            _ => {
                let (host, port) = target.text.rsplit_once(':').unwrap_or((&target.text, ""));
                self.connect_host(&target.with(host), port.parse().ok(), Some("tcp"));
            }
        }
    }

    pub(super) fn dig(&mut self, call: Call<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        for word in arguments.values(&["-q"]).chain(&arguments.operands) {
            let text = word.text.as_str();
            if let Some(server) = text.strip_prefix('@') {
                self.connect_host(&word.with(server), Some(53), Some("dns"));
            } else if !(is_record_type(text) || text.starts_with('+')) {
                self.connect_host(word, None, Some("dns"));
            }
        }
        for file in arguments.values(&["-f"]) {
            self.path(Role::Read, file);
            self.connect_to(None, Some("dns"));
        }
        Stream::Foreign(Provenance::Network)
    }
}

/// An address of `socat` whose other side is another program, most likely on another host.
fn is_socket(address: &str) -> bool {
    let kind = address.split(':').next().unwrap_or_default().to_ascii_uppercase();
    ["TCP", "UDP", "SCTP", "OPENSSL", "SSL", "PROXY", "SOCKS", "DTLS", "DCCP", "VSOCK", "WS", "WSS"]
        .iter()
        .any(|family| kind.starts_with(family))
}

fn is_record_type(text: &str) -> bool {
    matches!(
        text.to_ascii_uppercase().as_str(),
        "A" | "AAAA"
            | "MX"
            | "NS"
            | "TXT"
            | "SOA"
            | "CNAME"
            | "PTR"
            | "SRV"
            | "ANY"
            | "AXFR"
            | "CAA"
            | "DS"
            | "DNSKEY"
            | "IN"
            | "CH"
    )
}

fn base_name(source: &Arg) -> &str {
    source.text.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
}

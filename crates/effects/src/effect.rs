//! What an effect is.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};

use agent_strace_model::finding::EffectView;
use agent_strace_shell::Span;

use crate::Opaque;

/// One thing a call did, or may have done.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Effect {
    pub kind: Kind,
    pub certainty: Certainty,
    /// How the call did it: `argument`, `command`, `redirect`, `patch`, `script src/x.sh`, `alias src/cfg`.
    pub via: Cow<'static, str>,
    /// A program gathered the files itself, below a directory or by a glob, for this purpose. `None`: the call names each
    /// of them, or leaves open which they are.
    pub gathered: Option<Purpose>,
    /// The program gathered them below a directory that is known to lie in the workspace: wildcards match no other place.
    pub inside: bool,
    pub origin: Origin,
}

/// The use that a program makes of files which it gathers itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Purpose {
    /// It checks, formats, compiles or packs them for a build.
    Check,
    /// It shows lines that match a pattern, or counts and sums.
    Search,
    /// It shows, copies or sends whole files, or changes them.
    #[default]
    Whole,
}

/// What in a call led to an effect. It explains the effect and is no part of what it is: effects that differ in nothing
/// else are equal, and the first one stays.
#[derive(Debug, Clone, Copy, Default)]
pub struct Origin {
    /// The piece of the call's command text that it comes from.
    pub span: Option<Span>,
    /// The command that caused it: the index of an earlier `execute` among the call's effects.
    pub parent: Option<u32>,
    /// If the call went well, the command ran, however it ended.
    pub ran: bool,
    /// If the call went well, the command ran and went well: the call's status tells. Of `x | y` it tells nothing of `x`.
    pub told: bool,
    /// It may go on after the call has ended: it was put in the background.
    pub detached: bool,
    /// It was done in a directory that is not of the workspace, or that nobody knows.
    pub elsewhere: bool,
    /// Another program of its name may have run: the search path was set.
    pub shadowed: bool,
    /// All that is known is that a word of the command names it, and that nothing shows the word to be mere data.
    pub named: bool,
    /// The shell passes what was read on to a connection of the call, or passes it to this connection.
    pub sent: bool,
    /// The shell passes what was read on to a file that the call writes, or passes it to this file.
    pub stored: bool,
}

impl Origin {
    /// The same where each effect of the call stands at another place, or nowhere.
    pub fn moved(self, indices: &[Option<u32>]) -> Self {
        let parent = self.parent.and_then(|parent| indices.get(parent as usize).copied().flatten());
        Self { parent, ..self }
    }
}

impl PartialEq for Origin {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Origin {}

impl Hash for Origin {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// How well a target is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Certainty {
    /// The target is literal.
    Exact,
    /// The target is a pattern: a glob, or text of which a part is unknown. Judged by intersection for deny, by
    /// inclusion for allow.
    Pattern,
    /// It may not happen at all (a guess about an unknown program's operand). It can match a deny; it never has to be
    /// in an allow list, because an opaque effect stands beside it for that.
    Possible,
}

impl Certainty {
    /// The same, where it is not sure that it happens at all.
    pub fn guessed(self) -> Self {
        if self == Self::Pattern { Self::Pattern } else { Self::Possible }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Pattern => "pattern",
            Self::Possible => "possible",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Content was read.
    Read(PathTarget),
    /// Content was created, changed or replaced, or its attributes were.
    Write(PathTarget),
    Delete(PathTarget),
    /// Names were read, no content.
    List(PathTarget),
    /// One simple command, after quoting and expansion; wrappers yield one for themselves and one for what they run.
    Execute(Execution),
    Connect(Connection),
    /// An MCP tool (`server` known) or any other tool without a registry entry.
    Tool {
        server: Option<String>,
        tool: String,
    },
    Spawn {
        agent: Option<String>,
    },
    /// A variable that programs get in their environment. Of a variable that only the shell sees there is no effect.
    Env {
        /// As written. With [`Certainty::Pattern`] a glob.
        name: String,
    },
    Opaque(Opaque),
}

impl Kind {
    /// Its name in the JSON contract.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Read(_) => "read",
            Self::Write(_) => "write",
            Self::Delete(_) => "delete",
            Self::List(_) => "list",
            Self::Execute(_) => "execute",
            Self::Connect(_) => "connect",
            Self::Tool { .. } => "tool",
            Self::Spawn { .. } => "spawn",
            Self::Env { .. } => "env",
            Self::Opaque(_) => "opaque",
        }
    }

    /// The file or directory that it touches.
    pub fn path(&self) -> Option<&PathTarget> {
        match self {
            Self::Read(target) | Self::Write(target) | Self::Delete(target) | Self::List(target) => Some(target),
            _ => None,
        }
    }

    pub(crate) fn path_mut(&mut self) -> Option<&mut PathTarget> {
        match self {
            Self::Read(target) | Self::Write(target) | Self::Delete(target) | Self::List(target) => Some(target),
            _ => None,
        }
    }
}

/// A file or directory, normalised lexically.
///
/// Inside the workspace root the path is relative to it (`src/a.rs`, `.` for the root itself); elsewhere it is absolute
/// (`/etc/passwd`, `C:/x`) or below a home directory (`~/…`, `~user/…`). `/` separates components on every platform.
/// With [`Certainty::Pattern`] it is a glob as shells read them: `*` matches within a component, `**` across components,
/// `?` one character, `[…]` a bracket expression; a literal metacharacter stands in brackets of its own (`[*]`). An unknown
/// part is `**`. At the start of a component `*`, `?` and brackets match no dot; `**`, and brackets that spell the dot, do.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathTarget {
    pub path: String,
    /// The directory's whole subtree is meant, too.
    pub subtree: bool,
}

/// How far below a path an access reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    Itself,
    Subtree,
}

/// A command that ran.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Execution {
    /// Program as written (`rm`, `/bin/rm`) and arguments.
    pub argv: Vec<Argument>,
    /// It only prints what its arguments say, and it is not the first command of its text (`date` in
    /// `echo "$(date)"`): it needs no entry in an allow list, but a deny still matches.
    pub inert: bool,
    /// The program is unknown and may run any suffix of its arguments as a command (`direnv exec . rm x`): a deny
    /// may match at any of them.
    pub embeds: bool,
}

/// One word of a command after expansion.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Argument {
    /// The value; where `known` is false, the word as written or a glob.
    pub text: String,
    pub known: bool,
}

/// A connection to another host.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Connection {
    /// Lower case, without user info or brackets; an IP address in canonical form; `registry:npm` and the like for a
    /// package manager's default registry. `None` when the host is not known. With [`Certainty::Pattern`] a glob.
    pub host: Option<String>,
    pub port: Option<u16>,
    pub scheme: Option<String>,
}

/// The `via` of a connection from a tool of an MCP server to the service behind that server.
pub const SERVICE: &str = "service";

/// The `via` of a connection that the provider of the model makes from its own machines, to a page that a tool asked for.
pub const PROVIDER: &str = "provider";

/// The `via` of an effect that says how the path of the effect before it starts, where the rest is not known: `secrets/$f`.
/// The rest may lead elsewhere (`..`), so only entries that forbid every path with this start speak of it.
pub const START: &str = "start of the path";

/// The `via` of an effect on a path of which redaction took a part out of the log.
pub const REDACTED: &str = "redacted";

/// The `via` of a read of which nothing is known but that the output of the call shows a line of the file.
pub const SHOWN_LINE: &str = "line of the output";

impl Effect {
    /// An effect of the call itself, of no command in it.
    pub fn new(kind: Kind, certainty: Certainty, via: impl Into<Cow<'static, str>>) -> Self {
        Self { kind, certainty, via: via.into(), gathered: None, inside: false, origin: Origin::default() }
    }

    /// The same act on or as something else.
    pub fn like(&self, kind: Kind, certainty: Certainty, via: Cow<'static, str>) -> Self {
        Self { kind, certainty, via, gathered: self.gathered, inside: self.inside, origin: self.origin }
    }

    /// Returns this act on another file or directory.
    pub fn on(&self, target: PathTarget, certainty: Certainty) -> Self {
        let mut moved = self.like(self.kind.clone(), certainty, self.via.clone());
        if let Some(path) = moved.kind.path_mut() {
            *path = target;
        }
        moved
    }

    /// Start and end of the piece of the call's text that it comes from.
    pub fn span(&self) -> Option<[usize; 2]> {
        self.origin.span.map(|span| [span.start(), span.end()])
    }

    /// The parts that reports show.
    pub fn view(&self) -> EffectView {
        let mut view = EffectView {
            kind: self.kind.name(),
            path: None,
            argv: None,
            has_unknown_words: false,
            host: None,
            port: None,
            scheme: None,
            server: None,
            tool: None,
            agent: None,
            name: None,
            reason: None,
            class: None,
            vouched_by: Vec::new(),
            certainty: Some(if self.gathered.is_some() { "set" } else { self.certainty.name() }),
            via: Some(self.via.clone()),
            span: self.span(),
            parent: self.origin.parent,
        };
        match &self.kind {
            Kind::Read(target) | Kind::Write(target) | Kind::Delete(target) | Kind::List(target) => {
                view.path = Some(target.shown().into_owned());
            }
            Kind::Execute(execution) => {
                view.has_unknown_words = execution.argv.iter().any(|argument| !argument.known);
                view.argv = Some(execution.argv.iter().map(|argument| argument.text.clone()).collect());
            }
            Kind::Connect(connection) => {
                view.host.clone_from(&connection.host);
                view.port = connection.port;
                view.scheme.clone_from(&connection.scheme);
            }
            Kind::Tool { server, tool } => {
                view.server.clone_from(server);
                view.tool = Some(tool.clone());
            }
            Kind::Spawn { agent } => view.agent.clone_from(agent),
            Kind::Env { name } => view.name = Some(name.clone()),
            Kind::Opaque(opaque) => {
                view.reason = Some(opaque.reason.to_string());
                view.class = Some(opaque.class.name());
                view.vouched_by.clone_from(&opaque.vouched_by);
                view.certainty = None;
                view.via = None;
            }
        }
        view
    }
}

/// Appends the effects of one more part of a call: their parents are among them.
pub fn append(all: &mut Vec<Effect>, more: Vec<Effect>) {
    let before = u32::try_from(all.len()).ok();
    all.extend(more.into_iter().map(|mut effect| {
        effect.origin.parent = effect.origin.parent.and_then(|parent| parent.checked_add(before?));
        effect
    }));
}

impl PathTarget {
    pub fn new(path: impl Into<String>) -> Self {
        Self { path: path.into(), subtree: false }
    }

    /// As shown to users: a subtree ends in `/**`.
    pub fn shown(&self) -> Cow<'_, str> {
        match (self.subtree, self.path.as_str()) {
            (false, path) => Cow::Borrowed(path),
            (true, ".") => Cow::Borrowed("**"),
            (true, path) => Cow::Owned(format!("{}/**", path.trim_end_matches('/'))),
        }
    }
}

/// The compact form of the literate tables: `read src/a.py`, `write? **/x` (pattern), `delete?? x` (possible),
/// `execute cat <$X>` (unknown word), `connect https://h:443`, `opaque writes: reason`.
impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Kind::Opaque(opaque) = &self.kind {
            return opaque.fmt(f);
        }
        f.write_str(self.kind.name())?;
        match self.certainty {
            _ if self.gathered.is_some() => {
                f.write_str(match self.gathered {
                    Some(Purpose::Check) => "(check)",
                    Some(Purpose::Search) => "(search)",
                    Some(Purpose::Whole) | None => "(set)",
                })?;
            }
            Certainty::Exact => {}
            Certainty::Pattern if self.via == START => f.write_str("(start)")?,
            Certainty::Pattern => f.write_str("?")?,
            Certainty::Possible if self.origin.named => f.write_str("(named)")?,
            Certainty::Possible => f.write_str("??")?,
        }
        match &self.kind {
            Kind::Read(target) | Kind::Write(target) | Kind::Delete(target) | Kind::List(target) => {
                write!(f, " {}", Word(&target.shown()))
            }
            Kind::Execute(execution) => execution.fmt(f),
            Kind::Connect(connection) => write!(f, " {connection}"),
            Kind::Tool { server: Some(server), tool } => write!(f, " {server}/{tool}"),
            Kind::Tool { server: None, tool } => write!(f, " {tool}"),
            Kind::Spawn { agent } => write!(f, " {}", agent.as_deref().unwrap_or("-")),
            Kind::Env { name } => write!(f, " {}", Word(name)),
            Kind::Opaque(_) => Ok(()),
        }
    }
}

impl fmt::Display for Execution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.inert, self.embeds) {
            (true, _) => f.write_str("(inert)")?,
            (false, true) => f.write_str("(embeds)")?,
            (false, false) => {}
        }
        for argument in &self.argv {
            if argument.known {
                write!(f, " {}", Word(&argument.text))?;
            } else {
                write!(f, " <{}>", argument.text.escape_debug())?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(scheme) = &self.scheme {
            write!(f, "{scheme}://")?;
        }
        match &self.host {
            Some(host) if host.parse::<std::net::Ipv6Addr>().is_ok() => write!(f, "[{host}]")?,
            Some(host) => f.write_str(host)?,
            None => f.write_str("<host>")?,
        }
        match self.port {
            Some(port) => write!(f, ":{port}"),
            None => Ok(()),
        }
    }
}

/// A text in a table cell: quoted where it would not read as one word.
struct Word<'a>(&'a str);

impl fmt::Display for Word<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = |character: char| !character.is_whitespace() && !character.is_control() && character != '"';
        if !self.0.is_empty() && self.0.chars().all(plain) {
            f.write_str(self.0)
        } else {
            f.write_str("\"")?;
            for character in self.0.chars() {
                match character {
                    '\'' => f.write_str("'")?,
                    other => write!(f, "{}", other.escape_debug())?,
                }
            }
            f.write_str("\"")
        }
    }
}

//! A policy as exporters look at it: its entries by subject, and what an allow of it would let through elsewhere.

use std::borrow::Cow;
use std::sync::Arc;

use agent_strace_effects::{About, Kind};
use agent_strace_engine::{Entries, Entry};
use agent_strace_model::{Arguments, Dialect, Event, EventKind, Origin, Session, Status, ToolCall};
use agent_strace_policy::{Decision, EntryView, Policy, Subject};

use super::answer::Answer;

pub(super) struct ExportedPolicy<'a> {
    pub(super) policy: &'a Policy,
    pub(super) version: u32,
    /// Those that stand in a list of paths, commands or hosts, and what lists can say of rules that forbid.
    listed: Vec<Cow<'a, EntryView>>,
}

/// A pattern that no rule of any engine holds.
const UNKNOWN: &str = "()";

/// What may stand behind the words of an allow: anything, and options that commonly run, read or write something.
const CONTINUATIONS: &[&str] = &[
    "",
    " $ANYTHING",
    " $ONE $OTHER",
    " -c $ONE",
    " -e $ONE",
    " -x $ONE",
    " -o $ONE",
    " -f $ONE",
    " -i $ONE",
    " -exec $ONE ';'",
    " -delete",
    " --exec $ONE",
    " --pre $ONE",
    " --output=$ONE",
];

/// What goes wrong where an engine lets a command run with any arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Trouble {
    /// It reads whatever its arguments name.
    Reads,
    Writes,
    /// It connects to whatever its arguments name.
    Connects,
    /// It runs whatever its arguments say.
    Runs,
    /// Some arguments are refused by a deny of the same program.
    Arguments,
}

impl<'a> ExportedPolicy<'a> {
    pub(super) fn new(policy: &'a Policy) -> Self {
        let version = policy.identity().map_or(1, |identity| identity.version);
        let lists = ["/files/", "/commands/", "/network/"];
        let mut listed = Vec::new();
        for entry in policy.members() {
            if lists.iter().any(|list| entry.location.pointer.starts_with(list)) {
                listed.push(Cow::Borrowed(entry));
            } else if entry.location.pointer.starts_with("/rules/") && entry.decision != Decision::Allowed {
                let said = |form: &String| Cow::Owned(EntryView { text: form.clone(), ..entry.clone() });
                listed.extend(entry.forms.iter().map(said));
            }
        }
        Self { policy, version, listed }
    }

    pub(super) fn listed(&self) -> impl Iterator<Item = &EntryView> {
        self.listed.iter().map(Cow::as_ref)
    }

    /// Those of one subject, whatever they decide.
    pub(super) fn about(&self, subject: Subject) -> impl Iterator<Item = &EntryView> {
        self.listed().filter(move |entry| entry.subject == subject)
    }

    /// The patterns of an entry: those of the label or built-in list that it names.
    pub(super) fn patterns(&self, entry: &EntryView) -> Vec<String> {
        let (not, text) = entry.text.strip_prefix('!').map_or(("", entry.text.as_str()), |text| ("!", text));
        match self.policy.members_of(entry) {
            Some(patterns) => patterns.iter().map(|pattern| format!("{not}{pattern}")).collect(),
            // Another file has labels of its own.
            None if text.starts_with("label:") => vec![UNKNOWN.to_owned()],
            None => vec![entry.text.clone()],
        }
    }

    pub(super) fn entries(&self, subject: Subject, decision: Decision) -> impl Iterator<Item = &EntryView> {
        self.about(subject).filter(move |entry| entry.decision == decision)
    }

    /// Entries about tools of MCP servers, each with the name of its server.
    pub(super) fn tools(&self) -> impl Iterator<Item = (&EntryView, String)> {
        let of_server = |entry: &'a EntryView| {
            let name = entry.location.pointer.strip_prefix("/mcp/servers/")?.split('/').next()?;
            Some((entry, name.replace("~1", "/").replace("~0", "~")))
        };
        self.policy.members().filter(|entry| entry.subject == Subject::Tool).filter_map(of_server)
    }

    /// The first entry of an allow list: what the list does not hold is refused.
    pub(super) fn limited(&self, subject: Subject) -> Option<&EntryView> {
        let allowed = || self.entries(subject, Decision::Allowed);
        // An entry for everything limits nothing: it stands there so that others can vouch.
        if allowed().any(|entry| matches!(entry.text.as_str(), "*" | "**")) {
            return None;
        }
        allowed().next()
    }

    pub(super) fn deny_all(&self) -> Option<&EntryView> {
        self.entries(Subject::Network, Decision::Denied).find(|entry| entry.location.pointer.ends_with("/deny_all"))
    }

    /// The effects that the policy refuses and that would pass if every command with these first words ran.
    pub(super) fn troubles(&self, words: &str) -> Vec<Trouble> {
        let mut troubles: Vec<Trouble> = CONTINUATIONS
            .iter()
            .flat_map(|rest| judged(self.policy, &format!("{words}{rest}")))
            .filter(|entry| Answer::of(entry) > Answer::Allow)
            .map(|entry| trouble(&entry))
            .collect();
        troubles.sort_unstable();
        troubles.dedup();
        troubles
    }
}

fn trouble(entry: &Entry) -> Trouble {
    match &entry.effect.kind {
        Kind::Read(_) | Kind::List(_) => Trouble::Reads,
        Kind::Write(_) | Kind::Delete(_) => Trouble::Writes,
        Kind::Connect(_) => Trouble::Connects,
        Kind::Execute(_) if entry.effect.origin.parent.is_none() => Trouble::Arguments,
        Kind::Opaque(opaque) => match opaque.about {
            About::Reads => Trouble::Reads,
            About::Writes => Trouble::Writes,
            About::Network => Trouble::Connects,
            About::Anything | About::Elsewhere | About::Commands | About::Project => Trouble::Runs,
        },
        Kind::Execute(_) | Kind::Tool { .. } | Kind::Spawn { .. } | Kind::Env { .. } => Trouble::Runs,
    }
}

/// The hosts that a command reaches and that the policy does not let pass.
pub(super) fn refused_hosts(policy: &Policy, command: &str) -> Vec<String> {
    let refused = judged(policy, command).into_iter().filter(|entry| Answer::of(entry) > Answer::Allow);
    refused
        .filter_map(|entry| match entry.effect.kind {
            Kind::Connect(connection) => connection.host,
            _ => None,
        })
        .collect()
}

/// One command, judged by the one evaluator.
fn judged(policy: &Policy, command: &str) -> Vec<Entry> {
    judged_call(policy, "Bash", &serde_json::json!({ "command": command }))
}

/// One call, judged by the one evaluator.
pub(super) fn judged_call(policy: &Policy, tool: &str, input: &serde_json::Value) -> Vec<Entry> {
    let call = ToolCall {
        call_id: None,
        tool: Cow::Borrowed(tool),
        arguments: Arguments::Json(Cow::Owned(input.to_string())),
        cwd: Some(Cow::Borrowed(ROOT)),
        status: Status::Missing,
        subagent: None,
    };
    let event =
        Event { number: 1, id: None, line: 1, time: None, origin: Origin::default(), kind: EventKind::Call(call) };
    let session = Session { root: Some(Cow::Borrowed(ROOT)), events: vec![event], ..Session::new(&PROBE, "-") };
    agent_strace_engine::judge_guarded(&session, Vec::new(), policy, Entries::Keep, &Arc::default()).entries
}

/// No project lies there: what a command names is inside or outside of it, never by chance.
pub(super) const ROOT: &str = "/workspace";
static PROBE: Dialect = Dialect::new("command line", "-");

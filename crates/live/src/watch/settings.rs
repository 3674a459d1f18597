//! The file of `watch --config`: limits beside those of the command line. Its keys are those of the Python tool of this name.

use super::condition::Action;
use super::read::value;
use agent_strace_model::finding::PolicyLocation;
use agent_strace_policy::config;
use agent_strace_policy::json::{Data, Key, Value};
use agent_strace_policy::{Diagnostics, Glob, Parser, nearest, quoted};

const ROOT: &[&str] = &["watchers", "webhook", "operation_rules", "max_context_pct"];
const WATCHERS: &[&str] = &["retry", "cost", "duration", "loop", "scope"];
const OPERATION: &[&str] = &["tool", "pattern", "action", "reason"];

/// What the file says; `None`: nothing.
#[derive(Debug, Default)]
pub struct Settings {
    pub retries: Option<u64>,
    /// As it is written: a number of dollars.
    pub dollars: Option<String>,
    /// As it is written.
    pub minutes: Option<String>,
    pub repeats: Option<Repeats>,
    pub policy: Option<String>,
    pub webhook: Option<String>,
    pub operations: Vec<Operation>,
    /// In percent.
    pub context: Option<u64>,
}

/// So many calls in a row, so often one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repeats {
    pub calls: usize,
    pub times: usize,
}

/// A call that is not wanted.
#[derive(Debug)]
pub struct Operation {
    /// Without case; `None`: any.
    pub tool: Option<String>,
    /// Over the command or the path, without case.
    pub pattern: Glob,
    pub written: String,
    pub action: Action,
    pub reason: Option<String>,
    pub location: PolicyLocation,
}

/// `file`: as users know it; one that ends in `.json` is JSON, any other YAML.
pub fn read(file: &str, bytes: &[u8]) -> Result<Settings, Diagnostics> {
    let text = config::text(file, bytes)?;
    let mut parser = Parser::of_configuration(file, text);
    let mut settings = Settings::default();
    match value(file, text) {
        Ok(root) => settings.root(&mut parser, &root),
        Err(error) => parser.refuse(error),
    }
    parser.finish(settings)
}

type Members<'v> = Vec<(&'v Key, &'v Value)>;

fn members<'v>(parser: &mut Parser<'_>, value: &'v Value, pointer: &str, keys: &[&str]) -> Members<'v> {
    let members = parser.object(value, pointer, keys).unwrap_or_default();
    parser.keys_beside(&members, pointer, keys, &[]);
    members
}

impl Settings {
    fn root(&mut self, parser: &mut Parser<'_>, root: &Value) {
        for (key, value) in members(parser, root, "", ROOT) {
            match key.name.as_str() {
                "watchers" => self.watchers(parser, value),
                "webhook" => {
                    for (_, value) in members(parser, value, "/webhook", &["url"]) {
                        self.webhook = text(parser, value, "/webhook/url");
                    }
                }
                "operation_rules" => self.operations(parser, value),
                "max_context_pct" => self.context = whole(parser, value, "/max_context_pct", 100),
                _ => {}
            }
        }
    }

    fn watchers(&mut self, parser: &mut Parser<'_>, value: &Value) {
        for (key, value) in members(parser, value, "/watchers", WATCHERS) {
            let pointer = format!("/watchers/{}", key.name);
            let known: &[&str] = match key.name.as_str() {
                "retry" => &["max"],
                "cost" => &["max_dollars"],
                "duration" => &["max_minutes"],
                "loop" => &["sequence_length", "max_repeats"],
                "scope" => &["policy"],
                _ => continue,
            };
            let is_loop = key.name == "loop";
            let mut repeats = Repeats { calls: 3, times: 3 };
            for (key, value) in members(parser, value, &pointer, known) {
                let pointer = format!("{pointer}/{}", key.name);
                let count = |parser: &mut Parser<'_>| {
                    whole(parser, value, &pointer, 1_000).and_then(|count| usize::try_from(count).ok())
                };
                match key.name.as_str() {
                    "max" => self.retries = whole(parser, value, &pointer, u64::MAX),
                    "max_dollars" => self.dollars = number(parser, value, &pointer),
                    "max_minutes" => self.minutes = number(parser, value, &pointer),
                    "sequence_length" => repeats.calls = count(parser).map_or(0, |count| count.max(1)),
                    "max_repeats" => repeats.times = count(parser).map_or(0, |count| count.max(2)),
                    "policy" => self.policy = text(parser, value, &pointer),
                    _ => {}
                }
            }
            self.repeats = is_loop.then_some(repeats).or(self.repeats);
        }
    }

    fn operations(&mut self, parser: &mut Parser<'_>, value: &Value) {
        const POINTER: &str = "/operation_rules";
        let Data::List(items) = &value.data else { return parser.wrong_type(value, POINTER, "a list of rules") };
        for (at, item) in items.iter().enumerate() {
            let pointer = format!("{POINTER}/{at}");
            let members = members(parser, item, &pointer, OPERATION);
            let mut field = |name: &str| {
                let (_, value) = members.iter().find(|(key, _)| key.name == name)?;
                Some((*value, text(parser, value, &format!("{pointer}/{name}"))?))
            };
            let (tool, pattern, action, reason) = (field("tool"), field("pattern"), field("action"), field("reason"));
            let Some((_, written)) = pattern else {
                let help = Some("write `\"pattern\": \"*rm -rf*\"`".to_owned());
                parser.fault(item, &pointer, "`pattern` is missing".to_owned(), help);
                continue;
            };
            let action = match action {
                None => Some(Action::Alert),
                Some((value, text)) => self::action(parser, value, &text, &format!("{pointer}/action")),
            };
            let Some(action) = action else { continue };
            let location = parser.location(item, &pointer);
            let tool = tool.map(|(_, tool)| tool.to_lowercase()).filter(|tool| tool != "*");
            let reason = reason.map(|(_, reason)| reason);
            let pattern = Glob::fnmatch(&written.to_lowercase());
            self.operations.push(Operation { tool, pattern, written, action, reason, location });
        }
    }
}

fn action(parser: &mut Parser<'_>, value: &Value, text: &str, pointer: &str) -> Option<Action> {
    if let Some((_, action)) = Action::ALL.iter().find(|(name, _)| *name == text) {
        return Some(*action);
    }
    let names: Vec<&str> = Action::ALL.iter().map(|(name, _)| *name).collect();
    let help = match nearest(text, &names) {
        _ if text == "block" => {
            "who watches sees a call when it runs: `hook --enforce` keeps it from running; here write `kill`, `pause` or `alert`"
                .to_owned()
        }
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known here: {}", config::listed(&names)),
    };
    parser.fault(value, pointer, format!("{} is no action", quoted(text)), Some(help));
    None
}

fn text(parser: &mut Parser<'_>, value: &Value, pointer: &str) -> Option<String> {
    match &value.data {
        Data::Text(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
        _ => {
            parser.wrong_type(value, pointer, "a text with something in it");
            None
        }
    }
}

fn number(parser: &mut Parser<'_>, value: &Value, pointer: &str) -> Option<String> {
    match &value.data {
        Data::Number(text) if super::Amount::read(text).is_some() => Some(text.clone()),
        _ => {
            parser.wrong_type(value, pointer, "a number from 0 on");
            None
        }
    }
}

fn whole(parser: &mut Parser<'_>, value: &Value, pointer: &str, most: u64) -> Option<u64> {
    let number = match &value.data {
        Data::Number(text) => text.parse::<u64>().ok().filter(|number| *number <= most),
        _ => None,
    };
    if number.is_none() {
        let wanted =
            if most == u64::MAX { "a whole number".to_owned() } else { format!("a whole number up to {most}") };
        parser.wrong_type(value, pointer, &wanted);
    }
    number
}

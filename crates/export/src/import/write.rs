//! The text of an imported policy: each entry in its list, with a comment of where it comes from.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use agent_strace_policy::format::{Comments, format};
use serde_json::{Value, json};

use super::builder::is_taken;
use super::grant::{Entry, Kind};
use crate::answer::Answer;

/// A list of a policy that holds allows, denies and questions.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Section {
    Read,
    Write,
    Commands,
    Network,
    /// A server of `mcp.servers`.
    Server(String),
}

/// An entry, and where it comes from.
#[derive(Debug, Clone)]
pub(super) struct Line {
    text: String,
    from: String,
}

impl Line {
    pub(super) fn new(text: String, from: &str) -> Self {
        Self { text, from: from.to_owned() }
    }
}

/// A rule, and where it comes from.
#[derive(Debug, Clone)]
struct Rule {
    effect: Answer,
    matches: Value,
    from: String,
}

#[derive(Debug)]
pub(super) struct Draft {
    lists: BTreeMap<Section, BTreeMap<Answer, Vec<Line>>>,
    rules: Vec<Rule>,
    pub(super) decision: Answer,
    pub(super) mcp: Answer,
}

impl Default for Draft {
    fn default() -> Self {
        Self { lists: BTreeMap::new(), rules: Vec::new(), decision: Answer::Ask, mcp: Answer::Ask }
    }
}

const REFUSED: &str = "a policy does not take these words";
/// How effects call the search that a provider of models runs.
const WEB_SEARCH: &str = "provider:web-search";

impl Draft {
    pub(super) fn add(&mut self, section: Section, decision: Answer, line: Line) {
        let lines = self.lists.entry(section).or_default().entry(decision).or_default();
        if !lines.iter().any(|known| known.text == line.text) {
            lines.push(line);
        }
    }

    /// Adds an entry to the list of its kind, where a policy takes it.
    pub(super) fn entry(
        &mut self,
        kind: Kind,
        decision: Answer,
        entry: &Entry,
        from: &str,
    ) -> Result<(), &'static str> {
        let (section, keys): (Section, &[&str]) = match kind {
            Kind::Command => (Section::Commands, &["commands", "allow"]),
            Kind::Read => (Section::Read, &["files", "read", "allow"]),
            Kind::Edit => (Section::Write, &["files", "write", "allow"]),
            Kind::Fetch => (Section::Network, &["network", "allow"]),
            Kind::WebSearch => {
                self.add(Section::Server(WEB_SEARCH.to_owned()), decision, Line::new("*".to_owned(), from));
                return Ok(());
            }
            Kind::Mcp => return self.tool(decision, entry, from),
            Kind::Agent => {
                let Entry::Listed(name) = entry else { return Err(REFUSED) };
                return self.rule(decision, json!({ "spawn": [name] }), from);
            }
        };
        match entry {
            Entry::Listed(text) if is_taken(keys, &json!(text)) => {
                self.add(section, decision, Line::new(text.clone(), from));
                Ok(())
            }
            Entry::Exact(words) => self.rule(decision, json!({ "exec": exact(words) }), from),
            Entry::Flags { program, flags } => {
                self.rule(decision, json!({ "exec": { "program": program, "any_flag": flags } }), from)
            }
            Entry::With { first, anywhere } => self.rule(decision, json!({ "exec": with(first, anywhere) }), from),
            _ => Err(REFUSED),
        }
    }

    fn tool(&mut self, decision: Answer, entry: &Entry, from: &str) -> Result<(), &'static str> {
        let Entry::Tool { server, tool } = entry else { return Err(REFUSED) };
        if !is_taken(&["mcp", "servers", server, "allow"], &json!(tool)) {
            return Err(REFUSED);
        }
        self.add(Section::Server(server.clone()), decision, Line::new(tool.clone(), from));
        Ok(())
    }

    fn rule(&mut self, effect: Answer, matches: Value, from: &str) -> Result<(), &'static str> {
        let rule = json!({ "id": "RULE", "effect": effect.name(), "match": matches });
        if !is_taken(&["rules"], &rule) {
            return Err(REFUSED);
        }
        if !self.rules.iter().any(|known| known.effect == effect && known.matches == matches) {
            self.rules.push(Rule { effect, matches, from: from.to_owned() });
        }
        Ok(())
    }

    /// The words of commands that may run.
    pub(super) fn allowed_commands(&self) -> impl Iterator<Item = &str> {
        let lines = self.lists.get(&Section::Commands).and_then(|lists| lists.get(&Answer::Allow));
        let listed = lines.into_iter().flatten().map(|line| line.text.as_str());
        let ruled = self.rules.iter().filter(|rule| rule.effect == Answer::Allow);
        let ruled = ruled.filter_map(|rule| rule.matches.get("exec")?.get("all_flags")?.get(0)?.as_str());
        listed.chain(ruled)
    }

    fn list(&self, section: &Section, text: &mut String) {
        let Some(lists) = self.lists.get(section) else { return };
        let lists = [Answer::Allow, Answer::Ask, Answer::Deny].into_iter().filter_map(|decision| {
            let lines = lists.get(&decision)?;
            Some((decision, lines))
        });
        for (decision, lines) in lists {
            let _ = writeln!(text, "{}: [", json!(decision.name()));
            let mut above = "";
            for line in lines {
                // Entries of one origin stand below one comment.
                if line.from != above {
                    let _ = writeln!(text, "// {}", one_line(&line.from));
                }
                above = &line.from;
                let _ = writeln!(text, "{},", json!(line.text));
            }
            text.push_str("],\n");
        }
    }

    fn has(&self, section: &Section) -> bool {
        self.lists.contains_key(section)
    }
}

/// All words of a command, in any order, and no others.
fn exact(words: &[String]) -> Value {
    let (program, rest) = words.split_first().map_or(("", &[][..]), |(program, rest)| (program.as_str(), rest));
    let (flags, operands): (Vec<&String>, Vec<&String>) = rest.iter().partition(|word| crate::spelling::is_flag(word));
    json!({ "program": program, "all_flags": rest, "only_flags": flags, "operands": operands })
}

fn with(first: &[String], anywhere: &[String]) -> Value {
    let (program, rest) = first.split_first().map_or(("*", &[][..]), |(program, rest)| (program.as_str(), rest));
    let mut exec = json!({ "program": program });
    if let Some(members) = exec.as_object_mut() {
        if !rest.is_empty() {
            members.insert("subcommand".to_owned(), json!(rest.join(" ")));
        }
        if !anywhere.is_empty() {
            members.insert("all_flags".to_owned(), json!(anywhere));
        }
    }
    exec
}

/// The policy in the one style that policies have.
pub(super) fn policy(draft: &Draft) -> String {
    let mut text = String::from("{\n\"version\": 2,\n");
    let _ = writeln!(text, "\"defaults\": {{ \"decision\": {} }},", json!(draft.decision.name()));
    if draft.has(&Section::Read) || draft.has(&Section::Write) {
        text.push_str("\"files\": {\n");
        for (name, section) in [("read", Section::Read), ("write", Section::Write)] {
            if draft.has(&section) {
                let _ = writeln!(text, "\"{name}\": {{");
                draft.list(&section, &mut text);
                text.push_str("},\n");
            }
        }
        text.push_str("},\n");
    }
    for (name, section) in [("commands", Section::Commands), ("network", Section::Network)] {
        if draft.has(&section) {
            let _ = writeln!(text, "\"{name}\": {{");
            draft.list(&section, &mut text);
            text.push_str("},\n");
        }
    }
    servers(draft, &mut text);
    rules(draft, &mut text);
    text.push_str("}\n");
    // Trailing commas stand in it until the one style is applied.
    format("imported", &without_trailing_commas(&text), Comments::Keep).unwrap_or(text)
}

fn servers(draft: &Draft, text: &mut String) {
    let _ = writeln!(text, "\"mcp\": {{ \"default\": {},", json!(draft.mcp.name()));
    let servers = draft.lists.keys().filter_map(|section| match section {
        Section::Server(name) => Some((name, section)),
        _ => None,
    });
    let mut servers = servers.peekable();
    if servers.peek().is_some() {
        text.push_str("\"servers\": {\n");
        for (name, section) in servers {
            let _ = writeln!(text, "{}: {{", json!(name));
            draft.list(section, text);
            text.push_str("},\n");
        }
        text.push_str("},\n");
    }
    text.push_str("},\n");
}

fn rules(draft: &Draft, text: &mut String) {
    if draft.rules.is_empty() {
        return;
    }
    text.push_str("\"rules\": [\n");
    for (rule, number) in draft.rules.iter().zip(1..) {
        let from = one_line(&rule.from);
        let (id, effect) = (format!("IMPORTED-{number}"), rule.effect.name());
        let _ = writeln!(text, "{{ \"id\": {}, \"effect\": {},", json!(id), json!(effect));
        let _ = writeln!(text, "\"reason\": {}, \"match\": {} }},", json!(from), rule.matches);
    }
    text.push_str("],\n");
}

fn one_line(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') { ' ' } else { c })
        .take(300)
        .collect()
}

/// Takes a comma away that only a closing bracket follows.
fn without_trailing_commas(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut kept = String::with_capacity(text.len());
    for (at, line) in lines.iter().enumerate() {
        let next = lines.get(at + 1).copied().unwrap_or_default();
        let closes = next.starts_with(['}', ']']);
        let line = if closes && !line.starts_with("//") { line.strip_suffix(',').unwrap_or(line) } else { line };
        kept.push_str(line);
        kept.push('\n');
    }
    kept
}

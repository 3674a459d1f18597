//! Gemini CLI's settings and policy files → permissions.
//!
//! Read for this on 2026-12-01: `docs/reference/policy-engine.md`, `docs/reference/configuration.md` and
//! `packages/core/src/policy/{config,toml-loader}.ts` of google-gemini/gemini-cli. Settings stand among a user's rules:
//! servers that are excluded (2.9), tools that are excluded (2.4), allowed (2.3), servers that are trusted (2.2) or allowed
//! (2.1). A rule of a file has its number within its tier. `tools.core` switches all other built-in tools off.

use std::collections::BTreeMap;
use std::path::Path;

use agent_strace_policy::json::{Data, Value};
use agent_strace_repos::repo_audit::{Language, items, member, members, text};

use super::{Condition, Rule, Rules, Verdict};
use crate::answer::Answer;
use crate::import::{
    Builder, Imported, Kind, Matcher, Order, Owner, Place, Said, SettingsFault, SettingsFile, SettingsReader,
};
use crate::import::{Source, Unlisted, Weight, expression, say, unknown_permissions};

const SHELL: &str = "run_shell_command";
/// Names of built-in tools, also as classes are called, and what they are about.
const TOOLS: &[(&str, &[&str], Kind)] = &[
    (SHELL, &["ShellTool"], Kind::Command),
    ("read_file", &["ReadFileTool"], Kind::Read),
    ("read_many_files", &["ReadManyFilesTool"], Kind::Read),
    ("grep_search", &["search_file_content", "GrepTool"], Kind::Read),
    ("write_file", &["WriteFileTool"], Kind::Edit),
    ("replace", &["EditTool"], Kind::Edit),
    ("web_fetch", &["WebFetchTool"], Kind::Fetch),
    ("google_web_search", &["WebSearchTool"], Kind::WebSearch),
];
/// Tools that a policy does not judge.
const OTHERS: &[&str] = &["glob", "list_directory", "save_memory", "write_todos", "activate_skill", "ask_user"];
const DECISIONS: &[(&str, Verdict)] = &[("allow", Verdict::Allow), ("deny", Verdict::Deny), ("ask_user", Verdict::Ask)];
const TOP: &[&str] = &["tools", "mcp", "security", "general", "allowedMcpServers", "excludeMcpServers"];
/// Keys with which a rule holds in some sessions only.
const CONDITIONAL: &[&str] = &["modes", "subagent", "interactive", "toolAnnotations"];
/// The tools that write files.
const WRITERS: [&str; 2] = ["write_file", "replace"];
const EXCLUDED: u16 = 2_400;
const ALLOWED: u16 = 2_300;
const WORKSPACE: u16 = 1_000;
const USER: u16 = 2_000;

pub(crate) fn read(files: &[SettingsFile]) -> Result<Imported, SettingsFault> {
    let mut import = Import { builder: Builder::new(Unlisted::asking()), rules: Vec::new(), writers: BTreeMap::new() };
    for file in files {
        let is_policy = Path::new(&file.path).extension().is_some_and(|ending| ending == "toml");
        if is_policy { import.rules(file)? } else { import.settings(file)? }
    }
    let Import { mut builder, mut rules, writers } = import;
    if let (1, Some((tool, place))) = (writers.len(), writers.first_key_value()) {
        let reason = "an allow of one of the tools that write files: a policy does not tell them apart";
        builder.left_out(place.clone(), tool, Weight::Narrower, reason);
    }
    builder.order = Order::Rank;
    let edits = builder.first(Kind::Edit, Answer::Allow);
    if let Some((place, entry)) = edits {
        let reason =
            "the agent asks where a command writes into a file that its tools may write: a policy sees a write";
        builder.left_out(place, &entry, Weight::Missing, reason);
    }
    rules.sort_by(|one, other| other.priority.cmp(&one.priority).then_with(|| other.verdict.cmp(&one.verdict)));
    for words in super::emulate::READING {
        builder.built_in(words);
    }
    for form in super::emulate::READING_GIT {
        builder.built_in(&format!("git {form}"));
    }
    Ok(builder.finish(crate::Engine::Gemini(super::Engine::new(&Rules(rules)))))
}

struct Import {
    builder: Builder,
    /// The file, as the emulator reads it.
    rules: Vec<Rule>,
    /// Tools that write, and that are allowed: a policy does not tell them apart.
    writers: BTreeMap<String, Place>,
}

/// The acts that a rule names, and the policy's answer to them.
struct Named {
    kind: Kind,
    said: Option<(Matcher, Said)>,
}

impl Import {
    fn settings(&mut self, file: &SettingsFile) -> Result<(), SettingsFault> {
        let settings = SettingsReader::read(file, Language::Json)?;
        let root = settings.root();
        for key in unknown_permissions(root, TOP) {
            self.builder.unknown(settings.place_of_key(key), &key.name);
        }
        let none = Value { span: 0..0, data: Data::Null };
        let tools = settings.object(root, "tools")?.unwrap_or(&none);
        for key in unknown_permissions(tools, &["core", "exclude", "allowed", "autoAccept", "approvalMode", "sandbox"])
        {
            self.builder.unknown(settings.place_of_key(key), &format!("tools.{}", key.name));
        }
        let of = |value: &Value, names: &[&str]| -> Result<Vec<(String, Place)>, SettingsFault> {
            let mut found = Vec::new();
            for name in names {
                found.extend(settings.texts(value, name)?.into_iter().map(|(text, place)| (text.to_owned(), place)));
            }
            Ok(found)
        };
        for (tool, place) in of(tools, &["exclude"])?.into_iter().chain(of(root, &["excludeTools"])?) {
            self.tool(&tool, Verdict::Deny, EXCLUDED, place);
        }
        for (tool, place) in of(tools, &["allowed"])?.into_iter().chain(of(root, &["allowedTools"])?) {
            self.tool(&tool, Verdict::Allow, ALLOWED, place);
        }
        let core: Vec<(String, Place)> = of(tools, &["core"])?.into_iter().chain(of(root, &["coreTools"])?).collect();
        self.core(&core);
        self.mode(&settings, root, tools, file.owner)?;
        self.servers(&settings, root)
    }

    /// A tool by its name, and of the shell also the words that its command starts with.
    fn tool(&mut self, tool: &str, verdict: Verdict, priority: u16, place: Place) {
        let parts = tool.split_once('(').and_then(|(name, rest)| Some((name, rest.strip_suffix(')')?)));
        let (name, prefix) = parts.map_or((tool, None), |(name, prefix)| (name, Some(prefix)));
        let condition = prefix.map_or(Condition::None, |prefix| Condition::Prefix(prefix.to_owned()));
        self.rule(
            &[name.to_owned()],
            None,
            &condition,
            verdict,
            &Source { place, entry: tool, rank: i64::from(priority) },
        );
    }

    fn core(&mut self, core: &[(String, Place)]) {
        let Some((_, place)) = core.first() else { return };
        for (name, aliases, kind) in TOOLS {
            let named = |tool: &str| tool == *name || aliases.contains(&tool);
            let words = |tool: &str| {
                tool.split_once('(').map(|(name, rest)| (name.to_owned(), rest.trim_end_matches(')').to_owned()))
            };
            if core.iter().any(|(tool, _)| named(tool)) {
                continue;
            }
            let prefixes: Vec<&(String, Place)> =
                core.iter().filter(|(tool, _)| words(tool).is_some_and(|(name, _)| named(&name))).collect();
            if prefixes.is_empty() {
                let source = Source { place: place.clone(), entry: "tools.core", rank: i64::from(EXCLUDED) };
                self.rule(&[(*name).to_owned()], None, &Condition::None, Verdict::Deny, &source);
            } else if *kind == Kind::Command {
                // Only these commands are left, and each is still asked about.
                self.builder.unlisted.command = Answer::Deny;
                let reason = "the shell is left for these commands alone: a policy asks about none of them";
                self.builder.left_out(place.clone(), "tools.core", Weight::Narrower, reason);
            }
        }
    }

    fn mode(
        &mut self,
        settings: &SettingsReader<'_>,
        root: &Value,
        tools: &Value,
        owner: Owner,
    ) -> Result<(), SettingsFault> {
        let none = Value { span: 0..0, data: Data::Null };
        let general = settings.object(root, "general")?.unwrap_or(&none);
        let modes = &["default", "auto_edit", "autoEdit", "auto-edit", "plan", "yolo"];
        for (value, key) in [(tools, "approvalMode"), (general, "defaultApprovalMode")] {
            let Some((mode, place)) = settings.word(value, key, modes)? else { continue };
            match mode {
                "yolo" if owner == Owner::Project => {
                    let reason = "this mode is only taken from the command line";
                    self.builder.left_out(place, mode, Weight::Idle, reason);
                }
                "auto_edit" | "autoEdit" | "auto-edit" => {
                    let source = Source { place, entry: mode, rank: 15 };
                    let names = ["write_file".to_owned(), "replace".to_owned()];
                    self.rule(&names, None, &Condition::None, Verdict::Allow, &source);
                }
                _ => {}
            }
        }
        if settings.switch(tools, "autoAccept")? == Some(true) {
            let place = member(tools, "autoAccept").map(|found| settings.place(found));
            if let Some(place) = place {
                let reason = "it lets calls that only read pass, which they do anyway";
                self.builder.left_out(place, "tools.autoAccept", Weight::Idle, reason);
            }
        }
        Ok(())
    }

    fn servers(&mut self, settings: &SettingsReader<'_>, root: &Value) -> Result<(), SettingsFault> {
        let none = Value { span: 0..0, data: Data::Null };
        let mcp = settings.object(root, "mcp")?.unwrap_or(&none);
        let all = || ["*".to_owned()];
        for (server, place) in settings.texts(mcp, "excluded")? {
            let source = Source { place, entry: server, rank: 2_900 };
            self.rule(&all(), Some(server), &Condition::None, Verdict::Deny, &source);
        }
        for (server, place) in settings.texts(mcp, "allowed")? {
            let source = Source { place, entry: server, rank: 2_100 };
            self.rule(&all(), Some(server), &Condition::None, Verdict::Allow, &source);
        }
        for (name, server) in settings.object(root, "mcpServers")?.map(members).unwrap_or_default() {
            if settings.switch(server, "trust")? == Some(true) {
                let source = Source { place: settings.place_of_key(name), entry: &name.name, rank: 2_200 };
                self.rule(&all(), Some(&name.name), &Condition::None, Verdict::Allow, &source);
            }
            for (key, verdict) in [("includeTools", None), ("excludeTools", Some(Verdict::Deny))] {
                for (tool, place) in settings.texts(server, key)? {
                    let Some(verdict) = verdict else { continue };
                    let source = Source { place, entry: tool, rank: i64::from(EXCLUDED) };
                    self.rule(&[tool.to_owned()], Some(&name.name), &Condition::None, verdict, &source);
                }
            }
        }
        Ok(())
    }

    fn rules(&mut self, file: &SettingsFile) -> Result<(), SettingsFault> {
        let settings = SettingsReader::read(file, Language::Toml)?;
        let tier = if file.owner == Owner::Project { WORKSPACE } else { USER };
        let rules = member(settings.root(), "rule").map(items).unwrap_or_default();
        for rule in rules {
            self.toml_rule(&settings, rule, tier)?;
        }
        Ok(())
    }

    fn toml_rule(&mut self, settings: &SettingsReader<'_>, rule: &Value, tier: u16) -> Result<(), SettingsFault> {
        let names: Vec<&str> = DECISIONS.iter().map(|(word, _)| *word).collect();
        let Some((decision, place)) = settings.word(rule, "decision", &names)? else {
            return Err(settings.fault(rule, "a rule needs a `decision`".to_owned(), None));
        };
        let verdict =
            DECISIONS.iter().find(|(word, _)| *word == decision).map_or(Verdict::Ask, |(_, verdict)| *verdict);
        let priority = match member(rule, "priority").map(|found| &found.data) {
            Some(Data::Number(number)) => number.parse::<u16>().unwrap_or_default().min(999),
            _ => 0,
        };
        let tools = texts(rule, "toolName");
        let tools = if tools.is_empty() { vec!["*".to_owned()] } else { tools };
        let entry = format!("{} {decision}", tools.join(", "));
        let server = member(rule, "mcpName").and_then(text);
        let conditions = conditions(rule);
        if CONDITIONAL.iter().any(|key| member(rule, key).is_some()) {
            let reason =
                "a condition of the rule is not read: the policy takes an allow for none, and a deny for always";
            self.builder.left_out(place.clone(), &entry, Weight::Narrower, reason);
            if verdict == Verdict::Allow {
                // For the emulator the rule holds: it may.
                for condition in &conditions {
                    self.emulated(&tools, server, condition, verdict, tier + priority);
                }
                return Ok(());
            }
        }
        for condition in conditions {
            let entry = match &condition {
                Condition::None => entry.clone(),
                Condition::Arguments(text) | Condition::Prefix(text) | Condition::Command(text) => {
                    format!("{entry}: {text}")
                }
            };
            let source = Source { place: place.clone(), entry: &entry, rank: i64::from(tier + priority) };
            self.rule(&tools, server, &condition, verdict, &source);
        }
        Ok(())
    }

    fn emulated(
        &mut self,
        tools: &[String],
        server: Option<&str>,
        condition: &Condition,
        verdict: Verdict,
        priority: u16,
    ) {
        self.rules.push(Rule {
            priority,
            verdict,
            tools: tools.to_vec(),
            server: server.map(str::to_owned),
            condition: condition.clone(),
            why: String::new(),
        });
    }

    fn rule(
        &mut self,
        tools: &[String],
        server: Option<&str>,
        condition: &Condition,
        verdict: Verdict,
        source: &Source<'_>,
    ) {
        let priority = u16::try_from(source.rank).unwrap_or_default();
        let canonical: Vec<String> = tools.iter().map(|tool| canonical(tool)).collect();
        self.emulated(&canonical, server, condition, verdict, priority);
        let decision = match verdict {
            Verdict::Allow => Answer::Allow,
            Verdict::Ask => Answer::Ask,
            Verdict::Deny => Answer::Deny,
        };
        for tool in &canonical {
            for named in self.named(tool, server, condition, decision, source) {
                let source = Source { place: source.place.clone(), entry: source.entry, rank: source.rank };
                self.builder.add(decision, named.kind, named.said, &source);
            }
        }
    }

    /// The policy's answer to a rule about one tool.
    fn named(
        &mut self,
        tool: &str,
        server: Option<&str>,
        condition: &Condition,
        decision: Answer,
        source: &Source<'_>,
    ) -> Vec<Named> {
        let own = tool.split_once("__").filter(|_| server.is_none());
        if let Some((server, tool)) = server.map(|server| (server, tool)).or(own) {
            let server = server.strip_prefix("mcp_").unwrap_or(server);
            return vec![Named { kind: Kind::Mcp, said: narrowed(say::tool(server, tool), condition) }];
        }
        if tool == "*" {
            let kinds = [Kind::Command, Kind::Read, Kind::Edit, Kind::Fetch, Kind::WebSearch, Kind::Mcp];
            return kinds
                .into_iter()
                .map(|kind| Named { kind, said: narrowed(all_of(kind, decision), condition) })
                .collect();
        }
        let Some((_, _, kind)) = TOOLS.iter().find(|(name, _, _)| *name == tool) else {
            if !OTHERS.contains(&tool) {
                self.builder.unsaid(
                    decision,
                    source.place.clone(),
                    source.entry,
                    "a policy has no entries for this tool",
                );
            }
            return Vec::new();
        };
        if *kind == Kind::Edit && decision == Answer::Allow && *condition == Condition::None {
            self.writers.insert(tool.to_owned(), source.place.clone());
            if !WRITERS.iter().all(|tool| self.writers.contains_key(*tool)) {
                return Vec::new();
            }
        }
        let said = match (kind, condition) {
            (Kind::Command, Condition::Prefix(prefix)) => {
                Matcher::command(&format!("{prefix} *")).map(|matcher| (matcher, say::prefix(prefix)))
            }
            (Kind::Command, Condition::Command(pattern)) => expression(&format!("^{pattern}")),
            (kind, condition) => narrowed(all_of(*kind, decision), condition),
        };
        vec![Named { kind: *kind, said }]
    }
}

/// A text, or a list of them.
fn texts(rule: &Value, key: &str) -> Vec<String> {
    let Some(value) = member(rule, key) else { return Vec::new() };
    let of_list = || items(value).iter().filter_map(text).map(str::to_owned).collect();
    text(value).map_or_else(of_list, |text| vec![text.to_owned()])
}

/// The parts of a call that the rule compares, each by itself.
fn conditions(rule: &Value) -> Vec<Condition> {
    let prefixes = texts(rule, "commandPrefix").into_iter().map(Condition::Prefix);
    let commands = texts(rule, "commandRegex").into_iter().map(Condition::Command);
    let arguments = texts(rule, "argsPattern").into_iter().map(Condition::Arguments);
    let found: Vec<Condition> = prefixes.chain(commands).chain(arguments).collect();
    if found.is_empty() { vec![Condition::None] } else { found }
}

/// Every use of a tool.
fn all_of(kind: Kind, decision: Answer) -> Option<(Matcher, Said)> {
    let text = match kind {
        Kind::Read | Kind::Edit if decision == Answer::Allow => "/**",
        Kind::Read | Kind::Edit => "**",
        Kind::Mcp => return say::tool("*", "*").map(|(_, said)| (Matcher::Any, said)),
        _ => "*",
    };
    Some((Matcher::Any, Said::listed(text)))
}

/// A pattern over arguments can't be said: an allow is left out, and a deny would be one of the whole tool.
fn narrowed(said: Option<(Matcher, Said)>, condition: &Condition) -> Option<(Matcher, Said)> {
    const WHY: &str = "a pattern over the arguments of a tool: a policy names commands, paths and hosts";
    if *condition == Condition::None {
        return said;
    }
    let never = regex::Regex::new("$^x").ok().map(Matcher::Text)?;
    Some((never, Said { lacks: Some(WHY), ..Said::default() }))
}

fn canonical(tool: &str) -> String {
    let known = TOOLS.iter().find(|(name, aliases, _)| tool == *name || aliases.contains(&tool));
    known.map_or(tool, |(name, _, _)| name).to_owned()
}

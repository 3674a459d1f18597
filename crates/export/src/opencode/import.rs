//! OpenCode's configuration → permissions.

use agent_strace_policy::json::{Data, Key, Value};
use agent_strace_policy::nearest;
use agent_strace_repos::repo_audit::{Language, member, members};

use crate::answer::Answer;
use crate::import::{Builder, Entry, Imported, Kind, Matcher, Order, Place, Said, SettingsFault, SettingsFile};
use crate::import::{SettingsReader, Source, Split, Unlisted, Weight, say, unknown_permissions};
use crate::matching;
use crate::paths::Start;

/// Permissions of built-in tools, and what they are about.
const KINDS: &[(&str, &[Kind])] = &[
    ("read", &[Kind::Read]),
    ("edit", &[Kind::Edit]),
    ("write", &[Kind::Edit]),
    ("patch", &[Kind::Edit]),
    ("multiedit", &[Kind::Edit]),
    ("bash", &[Kind::Command]),
    ("webfetch", &[Kind::Fetch]),
    ("websearch", &[Kind::WebSearch]),
    ("codesearch", &[Kind::WebSearch]),
    ("task", &[Kind::Agent]),
];
/// Permissions that decide nothing a policy judges.
const OTHERS: &[&str] = &[
    "glob",
    "grep",
    "list",
    "lsp",
    "skill",
    "question",
    "todowrite",
    "todoread",
    "doom_loop",
    "plan_enter",
    "plan_exit",
    "invalid",
];
const ALL: &[Kind] = &[Kind::Read, Kind::Edit, Kind::Command, Kind::Fetch, Kind::WebSearch, Kind::Mcp, Kind::Agent];
const ANSWERS: &[(&str, Answer)] = &[("allow", Answer::Allow), ("ask", Answer::Ask), ("deny", Answer::Deny)];

pub(crate) fn read(files: &[SettingsFile]) -> Result<Imported, SettingsFault> {
    let builder = Builder::new(Unlisted {
        command: Answer::Allow,
        read: Answer::Allow,
        edit: Answer::Allow,
        fetch: Answer::Allow,
        search: Answer::Allow,
        mcp: Answer::Allow,
        agent: Answer::Allow,
        outside: Answer::Ask,
    });
    let mut import = Import { builder, rank: 0 };
    import.built_in();
    for file in files {
        import.file(file)?;
    }
    import.builder.order = Order::Rank;
    let engine = import.builder.engine(Split::Commands);
    Ok(import.builder.finish(crate::Engine::Grants(engine)))
}

struct Import {
    builder: Builder,
    /// The last entry that matches decides.
    rank: i64,
}

impl Import {
    /// Files of variables are asked about unless the configuration says otherwise.
    fn built_in(&mut self) {
        for (pattern, decision) in [("*.env", Answer::Ask), ("*.env.*", Answer::Ask), ("*.env.example", Answer::Allow)]
        {
            let place = Place { file: "built in".to_owned(), line: 1, column: 1 };
            self.pattern(Kind::Read, pattern, decision, &format!("read {pattern}"), place);
        }
    }

    fn file(&mut self, file: &SettingsFile) -> Result<(), SettingsFault> {
        let settings = SettingsReader::read(file, Language::Json)?;
        let root = settings.root();
        for key in unknown_permissions(root, &["permission"]) {
            self.builder.unknown(settings.place_of_key(key), &key.name);
        }
        for (key, value) in member(root, "tools").map(members).unwrap_or_default() {
            let Data::Bool(on) = value.data else { return Err(settings.wrong_type(value, &key.name, "true or false")) };
            let decision = if on { Answer::Allow } else { Answer::Deny };
            self.permission(&settings, key, None, decision);
        }
        if let Some(permission) = member(root, "permission") {
            self.permissions(&settings, permission)?;
        }
        for name in ["agent", "mode"] {
            for (key, agent) in member(root, name).map(members).unwrap_or_default() {
                for inner in ["permission", "tools"] {
                    if let Some(found) = member(agent, inner) {
                        let entry = format!("{name}.{}.{inner}", key.name);
                        let reason = "permissions of one agent stand before those of all, and are not read";
                        self.builder.open(settings.place(found), &entry, reason);
                    }
                }
            }
        }
        Ok(())
    }

    fn permissions(&mut self, settings: &SettingsReader<'_>, value: &Value) -> Result<(), SettingsFault> {
        if let Data::Text(_) = &value.data {
            let decision = answer(settings, value, "permission")?;
            self.all(decision, "permission", &settings.place(value));
            return Ok(());
        }
        let Data::Object(entries) = &value.data else {
            return Err(settings.wrong_type(value, "permission", "an action, or an object"));
        };
        for (key, value) in entries {
            if let Data::Object(patterns) = &value.data {
                for (pattern, value) in patterns {
                    let decision = answer(settings, value, &pattern.name)?;
                    self.permission(settings, key, Some(pattern), decision);
                }
            } else {
                let decision = answer(settings, value, &key.name)?;
                self.permission(settings, key, None, decision);
            }
        }
        Ok(())
    }

    fn all(&mut self, decision: Answer, entry: &str, place: &Place) {
        for kind in ALL {
            self.any(*kind, decision, entry, place.clone());
        }
    }

    fn any(&mut self, kind: Kind, decision: Answer, entry: &str, place: Place) {
        self.rank += 1;
        let text = match kind {
            Kind::Read | Kind::Edit => "/**",
            _ => "*",
        };
        let said = match kind {
            Kind::Mcp => Said::same(vec![Entry::Tool { server: "*".to_owned(), tool: "*".to_owned() }]),
            // A question or a deny holds outside of the workspace, too.
            Kind::Read | Kind::Edit if decision != Answer::Allow => Said::listed("**"),
            _ => Said::listed(text),
        };
        let source = Source { place, entry, rank: self.rank };
        self.builder.add(decision, kind, Some((Matcher::Any, said)), &source);
    }

    fn permission(&mut self, settings: &SettingsReader<'_>, key: &Key, pattern: Option<&Key>, decision: Answer) {
        let place = settings.place_of_key(pattern.unwrap_or(key));
        let text = pattern.map_or("*", |pattern| pattern.name.as_str());
        let entry = format!("{}: {text}", key.name);
        let known = KINDS.iter().find(|(name, _)| *name == key.name);
        match key.name.as_str() {
            "*" => self.all(decision, &entry, &place),
            "external_directory" => self.outside(text, decision, &entry, place),
            "write" | "patch" | "multiedit" if decision == Answer::Allow => {
                let reason = "`edit` decides about all tools that write files";
                self.builder.left_out(place, &entry, Weight::Idle, reason);
            }
            name if OTHERS.contains(&name) => {
                let reason = "it decides nothing that a policy judges";
                if decision != Answer::Allow {
                    self.builder.left_out(place, &entry, Weight::Idle, reason);
                }
            }
            _ => match known {
                Some((_, kinds)) => {
                    for kind in *kinds {
                        self.pattern(*kind, text, decision, &entry, place.clone());
                    }
                }
                None => self.tool(&key.name, decision, &entry, place),
            },
        }
    }

    fn pattern(&mut self, kind: Kind, text: &str, decision: Answer, entry: &str, place: Place) {
        if text == "*" || text == "**" {
            return self.any(kind, decision, entry, place);
        }
        self.rank += 1;
        let said = match kind {
            Kind::Command => Matcher::command(text).map(|matcher| (matcher, say::command(text))),
            Kind::Read | Kind::Edit => path(text),
            Kind::Fetch => address(text),
            _ => Matcher::wildcard(text).map(|matcher| (matcher, Said::listed(text))),
        };
        self.builder.add(decision, kind, said, &Source { place, entry, rank: self.rank });
    }

    /// A tool of an MCP server: its name stands behind that of the server.
    fn tool(&mut self, name: &str, decision: Answer, entry: &str, place: Place) {
        self.rank += 1;
        let splits = name.match_indices('_').filter_map(|(at, _)| name.split_at_checked(at));
        let entries: Vec<Entry> = splits
            .map(|(server, tool)| (server, tool.trim_start_matches('_')))
            .filter(|(server, tool)| !server.is_empty() && !tool.is_empty())
            .map(|(server, tool)| Entry::Tool { server: server.to_owned(), tool: tool.to_owned() })
            .collect();
        let lacks = entries.is_empty().then_some("this is no tool of a server, and no tool that is known");
        let wider = (!entries.is_empty()).then(|| entries.clone());
        let said = Said { narrower: entries, wider, lacks, ..Said::default() };
        let matcher = matching::wildcard(name).map(Matcher::Joined);
        let source = Source { place, entry, rank: self.rank };
        self.builder.add(decision, Kind::Mcp, matcher.map(|matcher| (matcher, said)), &source);
    }

    /// Directories outside of the workspace.
    fn outside(&mut self, text: &str, decision: Answer, entry: &str, place: Place) {
        if text == "*" || text == "**" {
            self.builder.unlisted.outside = decision;
            return;
        }
        self.pattern(Kind::Read, text, decision, entry, place.clone());
        if decision != Answer::Allow {
            self.pattern(Kind::Edit, text, decision, entry, place);
        }
    }
}

fn answer(settings: &SettingsReader<'_>, value: &Value, name: &str) -> Result<Answer, SettingsFault> {
    let Data::Text(text) = &value.data else { return Err(settings.wrong_type(value, name, "an action")) };
    if let Some((_, answer)) = ANSWERS.iter().find(|(word, _)| word == text) {
        return Ok(*answer);
    }
    let words: Vec<&str> = ANSWERS.iter().map(|(word, _)| *word).collect();
    let help = match nearest(text, &words) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "known here: `allow`, `ask`, `deny`".to_owned(),
    };
    Err(settings.fault(value, format!("{} is no action", agent_strace_policy::quoted(text)), Some(help)))
}

/// Relative to the work tree, at home, or from the root of the machine; `*` crosses directories.
fn path(text: &str) -> Option<(Matcher, Said)> {
    let home = text.strip_prefix("~/").or_else(|| text.strip_prefix("$HOME/"));
    if let Some(body) = home {
        return say::crossing(Start::Home, body);
    }
    match text.strip_prefix('/') {
        Some(body) => say::crossing(Start::Absolute, body),
        None => say::crossing(Start::Root, text.strip_prefix("./").unwrap_or(text)),
    }
}

/// An address: its host alone stands in a policy.
fn address(text: &str) -> Option<(Matcher, Said)> {
    const WHY: &str = "a policy names hosts, and this pattern names a part of one";
    let behind = text.split_once("://").map_or(text, |(_, rest)| rest);
    let (host, path) = behind.split_once('/').map_or((behind, None), |(host, path)| (host, Some(path)));
    let (matcher, said) = say::host(host)?;
    let whole = matches!(path, None | Some("*" | "**"));
    let narrower = if whole { said.narrower } else { Vec::new() };
    Some((matcher, Said { narrower, lacks: (!whole).then_some(WHY), ..said }))
}

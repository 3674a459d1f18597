//! Codex's configuration and rules → permissions.
//!
//! Read for this on 2026-12-01: "Permissions" and "Configuration" of its documentation (developers.openai.com/codex/permissions,
//! …/config-reference), `codex-rs/execpolicy/{README.md,src/parser.rs}` of openai/codex, and what 0.169.0 accepts.

use std::collections::BTreeMap;
use std::path::Path;

use agent_strace_policy::json::{Data, Value};
use agent_strace_repos::repo_audit::{Language, member, members, text};

use super::starlark::{self, Call, Literal};
use super::{Access, Codex, Network, PrefixRule, Profile, Verdict};
use crate::answer::Answer;
use crate::import::{Builder, Imported, Kind, Matcher, Place, Said, SettingsFault, SettingsFile, SettingsReader};
use crate::import::{Source, Unlisted, Weight, say, unknown_permissions};
use crate::paths::Start;

const KNOWN: &[&str] = &[
    "approval_policy",
    "sandbox_mode",
    "sandbox_workspace_write",
    "default_permissions",
    "permissions",
    "allow_login_shell",
    "approvals_reviewer",
    "projects",
];
const MODES: &[&str] = &["read-only", "workspace-write", "danger-full-access"];
const DECISIONS: &[(&str, Verdict)] =
    &[("allow", Verdict::Allow), ("prompt", Verdict::Prompt), ("forbidden", Verdict::Forbidden)];

pub(crate) fn read(files: &[SettingsFile]) -> Result<Imported, SettingsFault> {
    let network = Network { domains: BTreeMap::new() };
    let profile = Profile { elsewhere: BTreeMap::new(), roots: BTreeMap::new(), network, web_search: true };
    let mut import = Import {
        builder: Builder::new(Unlisted {
            // Commands run in the sandbox, which keeps them from writing elsewhere and from the network.
            command: Answer::Allow,
            read: Answer::Allow,
            edit: Answer::Allow,
            fetch: Answer::Deny,
            search: Answer::Allow,
            mcp: Answer::Allow,
            agent: Answer::Allow,
            outside: Answer::Ask,
        }),
        codex: Codex { rules: Vec::new(), profile },
        reads_everywhere: true,
    };
    // Codex asks about these itself where no rule names them.
    for words in ["rm -f", "rm -rf", "sudo rm -f", "sudo rm -rf"] {
        let source = Source { place: Place { file: "built in".to_owned(), line: 1, column: 1 }, entry: words, rank: 0 };
        let matcher = Matcher::command(&format!("{words} *"));
        let said = matcher.map(|matcher| (matcher, say::prefix(words)));
        import.builder.add(Answer::Ask, Kind::Command, said, &source);
    }
    for file in files {
        if Path::new(&file.path).extension().is_some_and(|ending| ending == "rules") {
            import.rules(file)?;
        } else {
            import.config(file)?;
        }
    }
    if import.reads_everywhere {
        let place = Place { file: "built in".to_owned(), line: 1, column: 1 };
        import.grant(Answer::Allow, Kind::Read, "**", "the sandbox reads every file", place);
    }
    let engine = crate::Engine::Codex(super::Engine::new(import.codex));
    Ok(import.builder.finish(engine))
}

struct Import {
    builder: Builder,
    codex: Codex,
    reads_everywhere: bool,
}

impl Import {
    fn grant(&mut self, decision: Answer, kind: Kind, text: &str, entry: &str, place: Place) {
        let said = match (kind, text) {
            (Kind::Read | Kind::Edit, "**" | "/**") => Some((Matcher::Any, Said::listed(text))),
            (Kind::Read | Kind::Edit, text) => {
                let (start, body) = if let Some(body) = text.strip_prefix("~/") {
                    (Start::Home, body)
                } else if let Some(body) = text.strip_prefix('/') {
                    (Start::Absolute, body)
                } else {
                    (Start::Root, text)
                };
                say::gitignore(&say::PathText { start, body })
            }
            _ => say::host(text),
        };
        self.builder.add(decision, kind, said, &Source { place, entry, rank: 0 });
    }

    fn config(&mut self, file: &SettingsFile) -> Result<(), SettingsFault> {
        let settings = SettingsReader::read(file, Language::Toml)?;
        let root = settings.root();
        for key in unknown_permissions(root, KNOWN) {
            self.builder.unknown(settings.place_of_key(key), &key.name);
        }
        self.approvals(&settings, root);
        if member(root, "web_search").and_then(text) == Some("disabled") {
            self.codex.profile.web_search = false;
            self.builder.unlisted.search = Answer::Deny;
        }
        match settings.word(root, "sandbox_mode", MODES)? {
            Some(("read-only", _)) => {
                self.builder.unlisted.edit = Answer::Ask;
                self.codex.profile.roots.insert(".".to_owned(), Access::Read);
            }
            Some(("danger-full-access", place)) => self.everything("sandbox_mode", &place),
            Some(_) => self.workspace(&settings, root)?,
            None => self.profile(&settings, root)?,
        }
        for (name, server) in settings.object(root, "mcp_servers")?.map(members).unwrap_or_default() {
            self.server(&settings, &name.name, server)?;
        }
        Ok(())
    }

    fn approvals(&mut self, settings: &SettingsReader<'_>, root: &Value) {
        let Some(found) = member(root, "approval_policy") else { return };
        if text(found) == Some("untrusted") {
            let reason = "Codex 0.169.0 does not start with this value any more: remove it";
            self.builder.left_out(settings.place(found), "approval_policy", Weight::Idle, reason);
        }
        if let Data::Object(_) = found.data {
            let reason = "which requests are shown to the user decides nothing about what runs in the sandbox";
            self.builder.left_out(settings.place(found), "approval_policy", Weight::Idle, reason);
        }
    }

    /// No sandbox: everything runs.
    fn everything(&mut self, entry: &str, place: &Place) {
        self.builder.unlisted = Unlisted::all(Answer::Allow);
        self.grant(Answer::Allow, Kind::Edit, "**", entry, place.clone());
        self.codex.profile.elsewhere.insert("/**".to_owned(), Access::Write);
        self.codex.profile.network.domains.insert("*".to_owned(), true);
    }

    fn workspace(&mut self, settings: &SettingsReader<'_>, root: &Value) -> Result<(), SettingsFault> {
        let Some(table) = settings.object(root, "sandbox_workspace_write")? else { return Ok(()) };
        for (folder, place) in settings.texts(table, "writable_roots")? {
            self.codex.profile.elsewhere.insert(folder.to_owned(), Access::Write);
            self.grant(Answer::Allow, Kind::Edit, &format!("{}/**", folder.trim_end_matches('/')), folder, place);
        }
        if settings.switch(table, "network_access")? == Some(true) {
            self.codex.profile.network.domains.insert("*".to_owned(), true);
            self.builder.unlisted.fetch = Answer::Allow;
        }
        Ok(())
    }

    /// The permission profile that `default_permissions` names.
    fn profile(&mut self, settings: &SettingsReader<'_>, root: &Value) -> Result<(), SettingsFault> {
        let Some(chosen) = member(root, "default_permissions") else { return Ok(()) };
        let name = text(chosen).unwrap_or_default();
        let profiles = settings.object(root, "permissions")?;
        let own = profiles.and_then(|profiles| member(profiles, name));
        let base = own.and_then(|own| member(own, "extends")).and_then(text).unwrap_or(name);
        match base {
            ":read-only" => {
                self.builder.unlisted.edit = Answer::Ask;
                self.codex.profile.roots.insert(".".to_owned(), Access::Read);
            }
            ":danger-full-access" => self.everything("default_permissions", &settings.place(chosen)),
            ":workspace" => {}
            _ if own.is_none() => {
                let names: Vec<&str> =
                    profiles.map(members).unwrap_or_default().iter().map(|(key, _)| key.name.as_str()).collect();
                let help = agent_strace_policy::nearest(name, &names).map(|near| format!("did you mean `{near}`?"));
                return Err(settings.fault(chosen, format!("no profile is called `{name}`"), help));
            }
            _ => {
                // A profile of its own starts with nothing: neither reading nor writing.
                self.builder.unlisted.edit = Answer::Ask;
                self.reads_everywhere = false;
            }
        }
        match own {
            Some(own) => {
                self.filesystem(settings, own)?;
                self.network(settings, own)
            }
            None => Ok(()),
        }
    }

    fn filesystem(&mut self, settings: &SettingsReader<'_>, own: &Value) -> Result<(), SettingsFault> {
        for (path, value) in settings.object(own, "filesystem")?.map(members).unwrap_or_default() {
            match &value.data {
                Data::Object(inner) => {
                    for (path, value) in inner {
                        self.path(settings, &path.name, value, settings.place_of_key(path))?;
                    }
                }
                Data::Number(_) => {}
                _ if path.name.starts_with(':') => {
                    self.builder.unknown(settings.place_of_key(path), &path.name);
                }
                _ => self.path(settings, &path.name, value, settings.place_of_key(path))?,
            }
        }
        Ok(())
    }

    fn path(
        &mut self,
        settings: &SettingsReader<'_>,
        path: &str,
        value: &Value,
        place: Place,
    ) -> Result<(), SettingsFault> {
        let access = match text(value) {
            Some("read") => Access::Read,
            Some("write") => Access::Write,
            Some("deny" | "none") => Access::Deny,
            _ => {
                let help = Some("known here: `read`, `write`, `deny`".to_owned());
                return Err(settings.fault(value, "this is no access to files".to_owned(), help));
            }
        };
        let body = path.strip_prefix("./").unwrap_or(path);
        let list = if path.starts_with(['/', '~']) {
            &mut self.codex.profile.elsewhere
        } else {
            &mut self.codex.profile.roots
        };
        list.insert(path.to_owned(), access);
        let entry = format!("{path} = {}", access.name());
        let pattern = if body == "." { "/**".to_owned() } else { body.to_owned() };
        match access {
            Access::Deny => {
                self.grant(Answer::Deny, Kind::Read, &pattern, &entry, place.clone());
                self.grant(Answer::Deny, Kind::Edit, &pattern, &entry, place);
            }
            // The workspace as a whole may not be written, but for what follows.
            Access::Read if body == "." => self.builder.unlisted.edit = Answer::Ask,
            Access::Read => self.grant(Answer::Deny, Kind::Edit, &pattern, &entry, place),
            Access::Write => {
                // A directory: what has an ending is taken for a file.
                let is_folder = !pattern.rsplit('/').next().unwrap_or(&pattern).contains(['.', '*']);
                let pattern = if is_folder { format!("{pattern}/**") } else { pattern };
                self.grant(Answer::Allow, Kind::Edit, &pattern, &entry, place);
            }
        }
        Ok(())
    }

    fn network(&mut self, settings: &SettingsReader<'_>, own: &Value) -> Result<(), SettingsFault> {
        let Some(network) = settings.object(own, "network")? else { return Ok(()) };
        if settings.switch(network, "enabled")? != Some(true) {
            return Ok(());
        }
        let domains = settings.object(network, "domains")?.map(members).unwrap_or_default();
        if domains.is_empty() {
            self.builder.unlisted.fetch = Answer::Allow;
            self.codex.profile.network.domains.insert("*".to_owned(), true);
        }
        for (host, value) in domains {
            let allowed = text(value) == Some("allow");
            self.codex.profile.network.domains.insert(host.name.clone(), allowed);
            let decision = if allowed { Answer::Allow } else { Answer::Deny };
            self.grant(decision, Kind::Fetch, &host.name, &host.name, settings.place_of_key(host));
        }
        Ok(())
    }

    fn server(&mut self, settings: &SettingsReader<'_>, name: &str, server: &Value) -> Result<(), SettingsFault> {
        for (key, decision) in [("enabled_tools", Answer::Allow), ("disabled_tools", Answer::Deny)] {
            for (tool, place) in settings.texts(server, key)? {
                let said = say::tool(name, tool);
                self.builder.add(decision, Kind::Mcp, said, &Source { place, entry: tool, rank: 0 });
            }
        }
        Ok(())
    }

    fn rules(&mut self, file: &SettingsFile) -> Result<(), SettingsFault> {
        crate::import::check_size(file)?;
        for call in starlark::read(file)? {
            match call.name.as_str() {
                "prefix_rule" => self.prefix_rule(&call)?,
                "host_executable" => {
                    let reason = "which programs a name stands for is not read: a policy compares names";
                    self.builder.left_out(call.place.clone(), &call.name, Weight::Narrower, reason);
                }
                _ => self.builder.unknown(call.place.clone(), &call.name),
            }
        }
        Ok(())
    }

    fn prefix_rule(&mut self, call: &Call) -> Result<(), SettingsFault> {
        let pattern = pattern(call)?;
        let verdict = verdict(call)?;
        let decision = match verdict {
            Verdict::Allow => Answer::Allow,
            Verdict::Prompt => Answer::Ask,
            Verdict::Forbidden => Answer::Deny,
        };
        let words = products(&pattern).or_else(|| {
            // Fewer words name more, which only a rule that forbids may do.
            let first = pattern.iter().take(1).cloned().collect::<Vec<_>>();
            products(&first).filter(|_| decision != Answer::Allow)
        });
        let Some(words) = words else {
            let reason = "it has more alternatives than a policy should list";
            self.builder.left_out(call.place.clone(), &call.name, Weight::Narrower, reason);
            return Ok(());
        };
        for words in words {
            let text = words.join(" ");
            let said = say::prefix(&text);
            let matcher = Matcher::command(&format!("{text} *"));
            let source = Source { place: call.place.clone(), entry: &text, rank: 0 };
            self.builder.add(decision, Kind::Command, matcher.map(|matcher| (matcher, said)), &source);
        }
        let why = call.text("justification").unwrap_or_default().to_owned();
        self.codex.rules.push(PrefixRule { pattern, verdict, why });
        Ok(())
    }
}

fn fault(call: &Call, message: &str) -> SettingsFault {
    SettingsFault { place: call.place.clone(), message: message.to_owned(), help: None }
}

/// The words of a rule, each with its alternatives.
fn pattern(call: &Call) -> Result<Vec<Vec<String>>, SettingsFault> {
    let Some(Literal::List(words)) = call.argument("pattern") else {
        return Err(fault(call, "a rule needs a `pattern`, which is a list of words"));
    };
    let text = |word: &Literal| match word {
        Literal::Text(text) => Some(text.clone()),
        _ => None,
    };
    let alternatives = |word: &Literal| match word {
        Literal::List(words) => words.iter().map(text).collect(),
        word => text(word).map(|text| vec![text]),
    };
    let pattern: Option<Vec<Vec<String>>> = words.iter().map(alternatives).collect();
    pattern.ok_or_else(|| fault(call, "the words of a `pattern` are strings, or lists of them"))
}

fn verdict(call: &Call) -> Result<Verdict, SettingsFault> {
    let name = call.text("decision").unwrap_or("allow");
    let found = DECISIONS.iter().find(|(word, _)| *word == name).map(|(_, verdict)| *verdict);
    found.ok_or_else(|| {
        let names: Vec<&str> = DECISIONS.iter().map(|(word, _)| *word).collect();
        let help = agent_strace_policy::nearest(name, &names).map(|near| format!("did you mean `{near}`?"));
        SettingsFault { help, ..fault(call, &format!("`decision` has no value `{}`", name.escape_default())) }
    })
}

/// Each way to choose one of the alternatives of every word; `None`: there are too many.
fn products(pattern: &[Vec<String>]) -> Option<Vec<Vec<String>>> {
    const MOST: usize = 256;
    let mut all = vec![Vec::new()];
    for alternatives in pattern {
        if all.len() * alternatives.len() > MOST {
            return None;
        }
        let longer = |words: &Vec<String>| -> Vec<Vec<String>> {
            alternatives.iter().map(|word| words.iter().cloned().chain([word.clone()]).collect()).collect()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all.retain(|words: &Vec<String>| !words.is_empty());
    Some(all)
}

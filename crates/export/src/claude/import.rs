//! Claude Code's settings → permissions.
//!
//! Read for this on 2026-12-01: "Configure permissions", "Settings" and "Permission modes" of the Claude Code documentation
//! (code.claude.com/docs/en/permissions, …/settings-reference, …/permission-modes) and the keys of 2.1.332. Beside what the
//! module says:
//! - `Bash(git push:*)` is `Bash(git push *)`; a pattern without a star at its end is the whole command;
//! - `/x` counts from the project of the settings file, in a user's file from the folder of that file; `//x` is absolute;
//!   `x` and `./x` count from the directory that the agent runs in, and a name without a slash stands in any directory;
//! - only `Read(…)` and `Edit(…)` rules are asked about files: a path behind `Write`, `NotebookEdit`, `MultiEdit`, `Glob`
//!   or `Grep` is accepted and decides nothing;
//! - `mcp__server`, `mcp__server__*` and `mcp__server__tool`; an allow needs the name of the server;
//! - `bypassPermissions` and `auto` take no effect from the files of a project.

use agent_strace_policy::json::{Data, Value};
use agent_strace_repos::repo_audit::{Language, member};

use super::{Engine, Mode, Settings};
use crate::answer::Answer;
use crate::import::{
    Builder, Imported, Kind, Matcher, Owner, Place, Said, SettingsFault, SettingsFile, SettingsReader, Source,
};
use crate::import::{Unlisted, Weight, say, unknown_permissions};
use crate::paths::Start;

const MODES: &[&str] =
    &["default", "manual", "acceptEdits", "plan", "dontAsk", "auto", "bypassPermissions", "delegate"];
const LISTS: &[(&str, Answer)] = &[("deny", Answer::Deny), ("ask", Answer::Ask), ("allow", Answer::Allow)];
/// Keys of `permissions` that are understood, or that change no verdict.
const KNOWN: &[&str] = &[
    "allow",
    "ask",
    "deny",
    "defaultMode",
    "additionalDirectories",
    "disableBypassPermissionsMode",
    "disableAutoMode",
    "denyInsteadOfPrompting",
];
/// Keys of the file that look like permissions and are read, or that decide nothing about calls.
const TOP: &[&str] = &[
    "permissions",
    "sandbox",
    "skipDangerousModePermissionPrompt",
    "skipAutoPermissionPrompt",
    "allowManagedHooksOnly",
    "allowManagedPermissionRulesOnly",
    "cleanupPeriodDays",
];

pub(crate) fn read(files: &[SettingsFile]) -> Result<Imported, SettingsFault> {
    let mut import = RuleImport::new();
    for file in files {
        import.file(file)?;
    }
    Ok(import.finish())
}

fn unlisted(rest: Answer) -> Unlisted {
    Unlisted {
        command: rest,
        read: Answer::Allow,
        edit: rest,
        fetch: rest,
        search: rest,
        mcp: rest,
        agent: Answer::Allow,
        outside: rest,
    }
}

/// Rules as Claude Code has them, of one agent that has them.
pub(crate) struct RuleImport {
    builder: Builder,
    /// The rules, as the emulator reads them.
    rules: Settings,
}

impl RuleImport {
    pub(crate) fn new() -> Self {
        Self {
            builder: Builder::new(unlisted(Answer::Ask)),
            rules: Settings { mode: Mode::Ask, allow: Vec::new(), ask: Vec::new(), deny: Vec::new() },
        }
    }

    pub(crate) fn finish(self) -> Imported {
        let Self { mut builder, rules } = self;
        for words in super::emulate::READING {
            builder.built_in(words);
        }
        for form in super::emulate::READING_GIT {
            builder.built_in(&format!("git {form}"));
        }
        // `find` runs without a rule unless it runs or deletes something.
        let decision = match rules.mode {
            Mode::Ask => Answer::Ask,
            Mode::Refuse => Answer::Deny,
            Mode::Pass => Answer::Allow,
        };
        if decision > Answer::Allow {
            let flags = super::emulate::FIND_ACTIONS.iter().map(|flag| (*flag).to_owned()).collect();
            builder.built_in_flags("find", flags, decision);
        }
        builder.finish(crate::Engine::Claude(Engine::new(&rules)))
    }

    pub(crate) fn unknown(&mut self, place: Place, key: &str) {
        self.builder.unknown(place, key);
    }

    pub(crate) fn left_out(&mut self, place: Place, entry: &str, weight: Weight, reason: &'static str) {
        self.builder.left_out(place, entry, weight, reason);
    }

    fn file(&mut self, file: &SettingsFile) -> Result<(), SettingsFault> {
        let settings = SettingsReader::read(file, Language::Json)?;
        let root = settings.root();
        for key in unknown_permissions(root, TOP) {
            self.builder.unknown(settings.place_of_key(key), &key.name);
        }
        self.hooks(&settings, root);
        self.sandbox(&settings, root)?;
        let Some(permissions) = settings.object(root, "permissions")? else { return Ok(()) };
        for key in unknown_permissions(permissions, KNOWN) {
            self.builder.unknown(settings.place_of_key(key), &format!("permissions.{}", key.name));
        }
        for (name, decision) in LISTS {
            for (rule, place) in settings.texts(permissions, name)? {
                self.rule(*decision, rule.trim(), place, file.owner);
            }
        }
        self.mode(&settings, permissions, file.owner)?;
        for (folder, place) in settings.texts(permissions, "additionalDirectories")? {
            self.folder(folder, place);
        }
        Ok(())
    }

    fn mode(&mut self, settings: &SettingsReader<'_>, value: &Value, owner: Owner) -> Result<(), SettingsFault> {
        let Some((mode, place)) = settings.word(value, "defaultMode", MODES)? else { return Ok(()) };
        let everything = matches!(mode, "bypassPermissions" | "auto");
        if everything && owner == Owner::Project {
            let reason = "this mode takes no effect from the files of a project";
            self.builder.left_out(place, mode, Weight::Idle, reason);
            return Ok(());
        }
        self.enter(mode, mode, place);
        Ok(())
    }

    /// A permission mode holds.
    pub(crate) fn enter(&mut self, mode: &str, entry: &str, place: Place) {
        match mode {
            "dontAsk" => {
                self.rules.mode = Mode::Refuse;
                self.builder.unlisted = unlisted(Answer::Deny);
            }
            "acceptEdits" => {
                self.rules.allow.push("Edit(/**)".to_owned());
                self.grant(Answer::Allow, Kind::Edit, Some((Matcher::Any, Said::listed("/**"))), entry, place);
            }
            "bypassPermissions" => {
                self.rules.mode = Mode::Pass;
                self.builder.unlisted = Unlisted { outside: Answer::Allow, ..unlisted(Answer::Allow) };
                let all = ["Bash", "Edit", "Read", "WebFetch", "WebSearch", "mcp__*"];
                self.rules.allow.extend(all.map(str::to_owned));
            }
            "auto" => {
                let reason = "a model decides in this mode: a policy asks where no entry allows";
                self.builder.left_out(place, entry, Weight::Narrower, reason);
                self.rules.allow.extend(["Bash", "Edit"].map(str::to_owned));
            }
            _ => {}
        }
    }

    fn grant(&mut self, decision: Answer, kind: Kind, said: Option<(Matcher, Said)>, entry: &str, place: Place) {
        self.builder.add(decision, kind, said, &Source { place, entry, rank: 0 });
    }

    pub(crate) fn rule(&mut self, decision: Answer, rule: &str, place: Place, owner: Owner) {
        let list = match decision {
            Answer::Allow => &mut self.rules.allow,
            Answer::Ask => &mut self.rules.ask,
            Answer::Deny => &mut self.rules.deny,
        };
        let parts = rule.split_once('(').and_then(|(tool, rest)| Some((tool, rest.strip_suffix(')')?)));
        let Some((tool, specifier)) = parts else {
            if rule.contains(['(', ')']) {
                let reason = "it is no rule: a rule is a tool, or a tool and its pattern in parentheses";
                return self.builder.left_out(place, rule, Weight::Idle, reason);
            }
            list.push(rule.to_owned());
            return self.tool(decision, rule, place);
        };
        list.push(absolute(tool, specifier, owner));
        match tool {
            "Bash" | "PowerShell" => {
                let pattern = specifier.strip_suffix(":*").map_or(specifier.to_owned(), |words| format!("{words} *"));
                let said = Matcher::command(&pattern).map(|matcher| (matcher, say::command(&pattern)));
                self.grant(decision, Kind::Command, said, rule, place);
            }
            "Read" => self.path(decision, &[Kind::Read], specifier, rule, &place, owner),
            "Edit" => self.path(decision, &[Kind::Edit], specifier, rule, &place, owner),
            "Write" | "NotebookEdit" | "MultiEdit" | "Update" => {
                self.unasked(decision, Kind::Edit, specifier, rule, &place, owner);
            }
            "Glob" | "Grep" | "LS" | "NotebookRead" => {
                self.unasked(decision, Kind::Read, specifier, rule, &place, owner);
            }
            "WebFetch" => {
                let host = specifier.strip_prefix("domain:").and_then(say::host);
                self.grant(decision, Kind::Fetch, host, rule, place);
            }
            "Task" | "Agent" => {
                let said = Matcher::wildcard(specifier).map(|matcher| (matcher, Said::listed(specifier)));
                self.grant(decision, Kind::Agent, said, rule, place);
            }
            _ => self.builder.unsaid(decision, place, rule, "a policy has no entries for this tool"),
        }
    }

    /// A rule without a pattern: every use of a tool.
    fn tool(&mut self, decision: Answer, rule: &str, place: Place) {
        let all = |text: &str| Some((Matcher::Any, Said::listed(text)));
        match rule {
            "Bash" | "PowerShell" => self.grant(decision, Kind::Command, all("*"), rule, place),
            "Read" => self.grant(decision, Kind::Read, all("**"), rule, place),
            "Write" | "MultiEdit" | "NotebookEdit" if decision == Answer::Allow => {
                let reason = "an allow of this tool alone: a policy does not tell tools that write files apart";
                self.builder.left_out(place, rule, Weight::Narrower, reason);
            }
            "Edit" | "Write" | "MultiEdit" | "NotebookEdit" => {
                self.grant(decision, Kind::Edit, all("**"), rule, place);
            }
            "Glob" | "Grep" | "LS" | "NotebookRead" if decision == Answer::Allow => {
                let reason = "searching in the workspace needs no rule";
                self.builder.left_out(place, rule, Weight::Idle, reason);
            }
            "WebFetch" => self.grant(decision, Kind::Fetch, all("*"), rule, place),
            "WebSearch" => self.grant(decision, Kind::WebSearch, all("*"), rule, place),
            "Task" | "Agent" => self.grant(decision, Kind::Agent, all("*"), rule, place),
            _ => match rule.strip_prefix("mcp__") {
                Some(name) => {
                    let (server, tool) = name.split_once("__").unwrap_or((name, "*"));
                    if decision == Answer::Allow && server.contains('*') {
                        let reason = "an allow has to name its server: this rule lets nothing pass";
                        return self.builder.left_out(place, rule, Weight::Idle, reason);
                    }
                    self.grant(decision, Kind::Mcp, say::tool(server, tool), rule, place);
                }
                None => self.builder.unsaid(decision, place, rule, "a policy has no entries for this tool"),
            },
        }
    }

    /// A path behind a tool that has no rules.
    fn unasked(&mut self, decision: Answer, kind: Kind, specifier: &str, rule: &str, place: &Place, owner: Owner) {
        let reason = "only `Read(…)` and `Edit(…)` rules are asked about files: the agent passes over this one";
        self.builder.left_out(place.clone(), rule, Weight::Idle, reason);
        if decision != Answer::Allow {
            self.path(decision, &[kind], specifier, rule, place, owner);
        }
    }

    fn path(&mut self, decision: Answer, kinds: &[Kind], specifier: &str, rule: &str, place: &Place, owner: Owner) {
        let text = anchored(specifier, owner);
        // A file that may not be read may not be edited either.
        let also = kinds == [Kind::Read] && decision == Answer::Deny;
        for kind in kinds.iter().copied().chain(also.then_some(Kind::Edit)) {
            self.grant(decision, kind, say::gitignore(&parts(&text)), rule, place.clone());
        }
    }

    fn folder(&mut self, folder: &str, place: Place) {
        let text = match folder {
            folder if folder.starts_with('/') => format!("/{folder}/**"),
            folder if folder.starts_with("~/") => format!("{folder}/**"),
            _ => {
                let reason =
                    "a policy names directories outside of the workspace by `~/` or from the root of the machine";
                return self.builder.left_out(place, folder, Weight::Narrower, reason);
            }
        };
        self.rules.allow.push(format!("Read({text})"));
        self.grant(Answer::Allow, Kind::Read, say::gitignore(&parts(&text)), folder, place);
    }

    fn hooks(&mut self, settings: &SettingsReader<'_>, root: &Value) {
        let Some(hooks) = member(root, "hooks") else { return };
        for name in ["PreToolUse", "PermissionRequest"] {
            if let Some(found) = member(hooks, name) {
                let reason = "a hook may refuse or allow calls, too: what it decides is not read";
                self.builder.left_out(settings.place(found), &format!("hooks.{name}"), Weight::Narrower, reason);
            }
        }
    }

    fn sandbox(&mut self, settings: &SettingsReader<'_>, root: &Value) -> Result<(), SettingsFault> {
        let Some(sandbox) = settings.object(root, "sandbox")? else { return Ok(()) };
        if settings.switch(sandbox, "enabled")? != Some(true) {
            return Ok(());
        }
        let automatic = settings.switch(sandbox, "autoAllowBashIfSandboxed")?.unwrap_or(true);
        if automatic {
            let said =
                Said { lacks: Some("a command runs without a question where the sandbox holds it"), ..Said::default() };
            self.rules.allow.push("Bash".to_owned());
            let place = settings.place(sandbox);
            self.grant(
                Answer::Allow,
                Kind::Command,
                Some((Matcher::Any, said)),
                "sandbox.autoAllowBashIfSandboxed",
                place,
            );
        }
        if let Some(network) = settings.object(sandbox, "network")? {
            for (host, place) in settings.texts(network, "allowedDomains")? {
                let reason = "the sandbox lets commands reach this host, and a policy does not tell them from a fetch";
                self.builder.left_out(place, host, Weight::Narrower, reason);
            }
            for (host, place) in settings.texts(network, "deniedDomains")? {
                self.grant(Answer::Deny, Kind::Fetch, say::host(host), host, place);
            }
        }
        if let Some((Data::Object(_), found)) = member(sandbox, "filesystem").map(|found| (&found.data, found)) {
            let reason = "what the sandbox keeps commands from is not read: rules for files are";
            self.builder.left_out(settings.place(found), "sandbox.filesystem", Weight::Narrower, reason);
        }
        Ok(())
    }
}

/// The path as it counts from the project: `/x` of a user's file counts from the folder of that file.
fn anchored(specifier: &str, owner: Owner) -> String {
    let text = specifier.strip_prefix("./").unwrap_or(specifier);
    match text.strip_prefix('/') {
        Some(below) if owner == Owner::User && !below.starts_with('/') => format!("~/.claude/{below}"),
        _ => text.to_owned(),
    }
}

fn absolute(tool: &str, specifier: &str, owner: Owner) -> String {
    match tool {
        "Read" | "Edit" => {
            let text = anchored(specifier, owner);
            // The emulator's rules count from the start of a path, so that a name needs its directories.
            let is_name = !text.trim_end_matches('/').contains('/');
            if is_name { format!("{tool}(/**/{text})") } else { format!("{tool}({text})") }
        }
        _ => format!("{tool}({specifier})"),
    }
}

fn parts(text: &str) -> say::PathText<'_> {
    if let Some(body) = text.strip_prefix("//") {
        say::PathText { start: Start::Absolute, body }
    } else if let Some(body) = text.strip_prefix("~/") {
        say::PathText { start: Start::Home, body }
    } else if let Some(body) = text.strip_prefix('/') {
        say::PathText { start: Start::Root, body }
    } else {
        say::PathText { start: Start::Anywhere, body: text }
    }
}

//! Copilot CLI's saved approvals and its options → permissions.

use agent_strace_policy::json::Value;
use agent_strace_repos::repo_audit::{Language, items, member, members, text};

use crate::answer::Answer;
use crate::import::{Builder, Imported, Kind, Matcher, Place, Said, SettingsFault, SettingsFile};
use crate::import::{SettingsReader, Source, Split, Unlisted, Weight, check_size, say, unknown_permissions};
use crate::paths::Start;

pub(crate) fn read(files: &[SettingsFile]) -> Result<Imported, SettingsFault> {
    let mut import = Import { builder: Builder::new(Unlisted::asking()) };
    for file in files {
        check_size(file)?;
        if file.text.trim_start().starts_with(['{', '/']) {
            import.approvals(file)?;
        } else {
            import.options(file);
        }
    }
    let engine = import.builder.engine(Split::Commands);
    Ok(import.builder.finish(crate::Engine::Grants(engine)))
}

struct Import {
    builder: Builder,
}

impl Import {
    /// `permissions-config.json`: what users approved in a directory; it only allows.
    fn approvals(&mut self, file: &SettingsFile) -> Result<(), SettingsFault> {
        let settings = SettingsReader::read(file, Language::Json)?;
        let root = settings.root();
        for key in unknown_permissions(root, &["locations", "trustedFolders", "trusted_folders"]) {
            self.builder.unknown(settings.place_of_key(key), &key.name);
        }
        for (_, location) in settings.object(root, "locations")?.map(members).unwrap_or_default() {
            let Some(approvals) = member(location, "tool_approvals") else { continue };
            for approval in items(approvals) {
                self.approval(&settings, approval)?;
            }
            for (folder, place) in settings.texts(location, "allowed_directories")? {
                let body = folder.trim_start_matches('/');
                let said = say::gitignore(&say::PathText { start: Start::Absolute, body: &format!("{body}/**") });
                self.builder.add(Answer::Allow, Kind::Read, said, &Source { place, entry: folder, rank: 0 });
            }
        }
        Ok(())
    }

    fn approval(&mut self, settings: &SettingsReader<'_>, approval: &Value) -> Result<(), SettingsFault> {
        let kinds = &[
            "commands",
            "read",
            "write",
            "mcp",
            "mcp-sampling",
            "memory",
            "custom-tool",
            "url",
            "extension-management",
            "extension-permission-access",
        ];
        let Some((kind, place)) = settings.word(approval, "kind", kinds)? else {
            return Err(settings.fault(approval, "an approval needs a `kind`".to_owned(), None));
        };
        let all = |text: &str| Some((Matcher::Any, Said::listed(text)));
        let source = |entry| Source { place: place.clone(), entry, rank: 0 };
        match kind {
            "commands" => {
                for (command, place) in settings.texts(approval, "commandIdentifiers")? {
                    self.command(Answer::Allow, command, command, place);
                }
            }
            "write" => self.builder.add(Answer::Allow, Kind::Edit, all("/**"), &source("write")),
            "mcp" => {
                let name = |key: &str| member(approval, key).and_then(text);
                let server = name("serverName").unwrap_or_default();
                let said = say::tool(server, name("toolName").unwrap_or("*"));
                self.builder.add(Answer::Allow, Kind::Mcp, said, &source(server));
            }
            "read" => {}
            other => {
                let reason = "a policy has no entries for this kind of approval";
                self.builder.left_out(place, other, Weight::Narrower, reason);
            }
        }
        Ok(())
    }

    /// Options of the command line, one a line: `--deny-tool=shell(git push)`.
    fn options(&mut self, file: &SettingsFile) {
        for (line, number) in file.text.lines().zip(1..) {
            let text = line.trim().trim_end_matches('\\').trim();
            let place = Place { file: file.path.clone(), line: number, column: 1 };
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let (name, value) = text.split_once(['=', ' ']).map_or((text, ""), |(name, value)| (name, value.trim()));
            let value = value.trim_matches(['\'', '"']);
            match name {
                "--allow-tool" => self.tool(Answer::Allow, value, text, place),
                "--deny-tool" => self.tool(Answer::Deny, value, text, place),
                "--allow-url" => self.url(Answer::Allow, value, text, place),
                "--deny-url" => self.url(Answer::Deny, value, text, place),
                "--allow-all-tools" | "--allow-all" | "--yolo" | "--allow-all-urls" | "--allow-all-paths" => {
                    self.all(name);
                }
                _ => self.builder.unknown(place, text),
            }
        }
    }

    fn all(&mut self, name: &str) {
        let allow = Answer::Allow;
        let everything = matches!(name, "--allow-all" | "--yolo");
        let unlisted = &mut self.builder.unlisted;
        if everything || name == "--allow-all-tools" {
            *unlisted = Unlisted { command: allow, edit: allow, search: allow, mcp: allow, agent: allow, ..*unlisted };
        }
        if everything || name == "--allow-all-urls" {
            unlisted.fetch = allow;
        }
        if everything || name == "--allow-all-paths" {
            unlisted.outside = allow;
        }
    }

    fn tool(&mut self, decision: Answer, tool: &str, entry: &str, place: Place) {
        let parts = tool.split_once('(').and_then(|(name, rest)| Some((name, rest.strip_suffix(')')?)));
        let (name, inner) = parts.unwrap_or((tool, ""));
        let all = |text: &str| Some((Matcher::Any, Said::listed(text)));
        let source = Source { place: place.clone(), entry, rank: 0 };
        match (name, inner) {
            ("shell", "" | "*") => self.builder.add(decision, Kind::Command, all("*"), &source),
            ("shell", command) => self.command(decision, command, entry, place),
            ("write" | "edit", "") => {
                let text = if decision == Answer::Allow { "/**" } else { "**" };
                self.builder.add(decision, Kind::Edit, all(text), &source);
            }
            ("write" | "edit", path) => self.builder.add(decision, Kind::Edit, file(path), &source),
            ("read", "") => self.builder.add(decision, Kind::Read, all("**"), &source),
            ("read", path) => self.builder.add(decision, Kind::Read, file(path), &source),
            ("url", "") => self.builder.add(decision, Kind::Fetch, all("*"), &source),
            ("url", address) => self.url(decision, address, entry, place),
            ("memory", _) => {}
            (server, tool) => {
                let said = say::tool(server, if tool.is_empty() { "*" } else { tool });
                self.builder.add(decision, Kind::Mcp, said, &source);
            }
        }
    }

    fn url(&mut self, decision: Answer, address: &str, entry: &str, place: Place) {
        let behind = address.split_once("://").map_or(address, |(_, rest)| rest);
        let said = say::host(behind.split('/').next().unwrap_or(behind));
        self.builder.add(decision, Kind::Fetch, said, &Source { place, entry, rank: 0 });
    }

    fn command(&mut self, decision: Answer, command: &str, entry: &str, place: Place) {
        let words = command.strip_suffix(":*").or_else(|| command.strip_suffix('*')).unwrap_or(command).trim();
        let pattern = format!("{} *", words.replace(':', " "));
        let said = Matcher::command(&pattern).map(|matcher| (matcher, say::command(&pattern)));
        self.builder.add(decision, Kind::Command, said, &Source { place, entry, rank: 0 });
    }
}

fn file(path: &str) -> Option<(Matcher, Said)> {
    let (start, body) = if let Some(body) = path.strip_prefix("~/") {
        (Start::Home, body)
    } else if let Some(body) = path.strip_prefix('/') {
        (Start::Absolute, body)
    } else {
        (Start::Anywhere, path.strip_prefix("./").unwrap_or(path))
    };
    say::gitignore(&say::PathText { start, body })
}

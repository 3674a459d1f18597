//! Cursor's permissions → permissions of a policy.

use agent_strace_repos::repo_audit::Language;

use crate::answer::Answer;
use crate::import::{Builder, Imported, Kind, Matcher, Owner, Place, Said, SettingsFault, SettingsFile};
use crate::import::{SettingsReader, Source, Split, Unlisted, Weight, say, unknown_permissions};
use crate::paths::Start;

const LISTS: &[(&str, Answer)] = &[("deny", Answer::Deny), ("allow", Answer::Allow)];

pub(crate) fn read(files: &[SettingsFile]) -> Result<Imported, SettingsFault> {
    let mut import = Import { builder: Builder::new(Unlisted { search: Answer::Ask, ..Unlisted::asking() }) };
    for file in files {
        import.file(file)?;
    }
    let engine = import.builder.engine(Split::Commands);
    Ok(import.builder.finish(crate::Engine::Grants(engine)))
}

struct Import {
    builder: Builder,
}

impl Import {
    fn file(&mut self, file: &SettingsFile) -> Result<(), SettingsFault> {
        let settings = SettingsReader::read(file, Language::Json)?;
        let root = settings.root();
        let known = &["permissions", "terminalAllowlist", "mcpAllowlist", "autoRun", "approvalMode"];
        for key in unknown_permissions(root, known) {
            self.builder.unknown(settings.place_of_key(key), &key.name);
        }
        for (entry, place) in settings.texts(root, "terminalAllowlist")? {
            let words = entry.replace(':', " ");
            let words = words.strip_suffix(" *").unwrap_or(&words);
            let pattern = format!("{words} *");
            self.add(Answer::Allow, Kind::Command, &pattern, entry, place);
        }
        for (entry, place) in settings.texts(root, "mcpAllowlist")? {
            let (server, tool) = entry.split_once(':').unwrap_or((entry, "*"));
            let said = say::tool(server, tool);
            self.builder.add(Answer::Allow, Kind::Mcp, said, &Source { place, entry, rank: 0 });
        }
        if let Some((mode, place)) =
            settings.word(root, "approvalMode", &["allowlist", "unrestricted", "auto-review"])?
        {
            self.mode(mode, place, file.owner);
        }
        let Some(permissions) = settings.object(root, "permissions")? else { return Ok(()) };
        for key in unknown_permissions(permissions, &["allow", "deny"]) {
            self.builder.unknown(settings.place_of_key(key), &format!("permissions.{}", key.name));
        }
        for (name, decision) in LISTS {
            for (token, place) in settings.texts(permissions, name)? {
                self.token(*decision, token.trim(), place);
            }
        }
        Ok(())
    }

    /// Only permissions count in a project's file.
    fn mode(&mut self, mode: &str, place: Place, owner: Owner) {
        if owner == Owner::Project {
            let reason = "only permissions count in the file of a project";
            self.builder.left_out(place, mode, Weight::Idle, reason);
        } else if mode == "unrestricted" {
            self.builder.unlisted = Unlisted::all(Answer::Allow);
        } else if mode == "auto-review" {
            self.builder.open(place, mode, "a model decides in this mode");
        }
    }

    fn token(&mut self, decision: Answer, token: &str, place: Place) {
        let Some((tool, inner)) = token.split_once('(').and_then(|(tool, rest)| Some((tool, rest.strip_suffix(')')?)))
        else {
            let reason = "it is no token: one is a kind and its pattern in parentheses";
            return self.builder.left_out(place, token, Weight::Idle, reason);
        };
        let inner = inner.trim();
        match tool {
            "Shell" => {
                let pattern = match inner.split_once(':') {
                    Some((program, "*" | "**" | "")) => format!("{program} *"),
                    Some((program, arguments)) => format!("{program} {arguments}"),
                    None if inner.chars().all(|c| c == '*') => "*".to_owned(),
                    None => format!("{inner} *"),
                };
                self.add(decision, Kind::Command, &pattern, token, place);
            }
            "Read" => self.path(decision, Kind::Read, inner, token, place),
            "Write" => self.path(decision, Kind::Edit, inner, token, place),
            "WebFetch" => {
                self.builder.add(decision, Kind::Fetch, say::host(inner), &Source { place, entry: token, rank: 0 });
            }
            "Mcp" => {
                let (server, tool) = inner.split_once([':', ',']).unwrap_or((inner, "*"));
                let said = say::tool(server.trim(), tool.trim());
                self.builder.add(decision, Kind::Mcp, said, &Source { place, entry: token, rank: 0 });
            }
            _ => self.builder.unsaid(decision, place, token, "a policy has no entries for this kind of token"),
        }
    }

    fn add(&mut self, decision: Answer, kind: Kind, pattern: &str, entry: &str, place: Place) {
        let said = if pattern == "*" {
            Some((Matcher::Any, Said::listed("*")))
        } else {
            Matcher::command(pattern).map(|matcher| (matcher, say::command(pattern)))
        };
        self.builder.add(decision, kind, said, &Source { place, entry, rank: 0 });
    }

    fn path(&mut self, decision: Answer, kind: Kind, text: &str, entry: &str, place: Place) {
        let (start, body) = if let Some(body) = text.strip_prefix("~/") {
            (Start::Home, body)
        } else if let Some(body) = text.strip_prefix('/') {
            (Start::Absolute, body)
        } else {
            // A deny of a name holds in every directory, an allow at the top alone: the documentation does not say which.
            let start = if decision == Answer::Allow { Start::Root } else { Start::Anywhere };
            (start, text.strip_prefix("./").unwrap_or(text))
        };
        let said = say::gitignore(&say::PathText { start, body });
        self.builder.add(decision, kind, said, &Source { place, entry, rank: 0 });
    }
}

//! VS Code's settings for agents → permissions.

use agent_strace_policy::json::{Data, Value};
use agent_strace_repos::repo_audit::{Language, member, members};

use crate::answer::Answer;
use crate::import::{Builder, Imported, Kind, Matcher, Order, Place, Said, SettingsFault, SettingsFile};
use crate::import::{SettingsReader, Source, Split, Unlisted, Weight, expression, say, unknown_permissions};
use crate::paths::Start;

const TERMINAL: &str = "chat.tools.terminal.autoApprove";
const EDITS: &str = "chat.tools.edits.autoApprove";
const URLS: &str = "chat.tools.urls.autoApprove";
const ALL: &[&str] = &["chat.tools.global.autoApprove", "chat.tools.autoApprove"];
const KNOWN: &[&str] = &[
    TERMINAL,
    EDITS,
    URLS,
    "chat.tools.global.autoApprove",
    "chat.tools.autoApprove",
    "chat.tools.terminal.enableAutoApprove",
    "chat.tools.terminal.ignoreDefaultAutoApproveRules",
    "chat.permissions.default",
    "chat.tools.eligibleForAutoApproval",
];
/// Commands that the default settings approve.
const READING: &[&str] =
    &["cd", "echo", "ls", "pwd", "cat", "head", "tail", "wc", "which", "git status", "git log", "git show", "git diff"];
/// Files that the default settings ask about.
const ASKED: &[&str] = &["**/.vscode/*.json", "**/.git/**"];

pub(crate) fn read(files: &[SettingsFile]) -> Result<Imported, SettingsFault> {
    let mut import = Import {
        builder: Builder::new(Unlisted {
            command: Answer::Ask,
            read: Answer::Allow,
            edit: Answer::Allow,
            fetch: Answer::Ask,
            search: Answer::Ask,
            mcp: Answer::Ask,
            agent: Answer::Allow,
            outside: Answer::Ask,
        }),
        rank: 0,
    };
    for pattern in ASKED {
        let place = Place { file: "built in".to_owned(), line: 1, column: 1 };
        import.edit(pattern, Answer::Ask, place);
    }
    for file in files {
        import.file(file)?;
    }
    for words in READING {
        import.builder.built_in(words);
    }
    import.builder.order = Order::Rank;
    let engine = import.builder.engine(Split::AskOutside);
    Ok(import.builder.finish(crate::Engine::Grants(engine)))
}

struct Import {
    builder: Builder,
    rank: i64,
}

impl Import {
    fn file(&mut self, file: &SettingsFile) -> Result<(), SettingsFault> {
        let settings = SettingsReader::read(file, Language::Json)?;
        let root = settings.root();
        let chat = unknown_permissions(root, KNOWN)
            .filter(|key| ["chat.", "github.copilot"].iter().any(|start| key.name.starts_with(start)));
        for key in chat {
            self.builder.unknown(settings.place_of_key(key), &key.name);
        }
        for name in ALL {
            if settings.switch(root, name)? == Some(true) {
                let place = member(root, name).map(|found| settings.place(found));
                self.everything(name, place);
            }
        }
        let default = "chat.permissions.default";
        if let Some((level, place)) = settings.word(root, default, &["default", "autoApprove", "autopilot"])?
            && level != "default"
        {
            self.everything(default, Some(place));
        }
        let off = settings.switch(root, "chat.tools.terminal.enableAutoApprove")? == Some(false);
        for (key, value) in settings.object(root, TERMINAL)?.map(members).unwrap_or_default() {
            let place = settings.place_of_key(key);
            if off {
                self.builder.left_out(place, &key.name, Weight::Idle, "automatic approvals of commands are off");
                continue;
            }
            self.command(&settings, &key.name, value, place)?;
        }
        for (key, value) in settings.object(root, EDITS)?.map(members).unwrap_or_default() {
            if let Some(decision) = approval(&settings, value, "approve", EDITS)? {
                self.edit(&key.name, decision, settings.place_of_key(key));
            }
        }
        for (key, value) in settings.object(root, URLS)?.map(members).unwrap_or_default() {
            if let Some(decision) = approval(&settings, value, "approveRequest", URLS)? {
                self.address(&key.name, decision, settings.place_of_key(key));
            }
        }
        Ok(())
    }

    /// Every tool runs without a question.
    fn everything(&mut self, name: &str, place: Option<Place>) {
        self.builder.unlisted = Unlisted::all(Answer::Allow);
        if let Some(place) = place {
            self.builder.left_out(
                place,
                name,
                Weight::Narrower,
                "every tool runs without a question, files are still listed",
            );
        }
    }

    fn command(
        &mut self,
        settings: &SettingsReader<'_>,
        key: &str,
        value: &Value,
        place: Place,
    ) -> Result<(), SettingsFault> {
        let Some(decision) = approval(settings, value, "approve", TERMINAL)? else { return Ok(()) };
        let whole_line = matches!(member(value, "matchCommandLine").map(|found| &found.data), Some(Data::Bool(true)));
        let inner = key.strip_prefix('/').and_then(|rest| rest.rsplit_once('/'));
        let said = match inner {
            Some((pattern, flags)) if flags.chars().all(|c| "dgimsuvy".contains(c)) => {
                expression(&if flags.contains('i') { format!("(?i){pattern}") } else { pattern.to_owned() })
                    .map(|(matcher, said)| (matcher, if flags.contains('i') { expression_of(pattern) } else { said }))
            }
            _ => Matcher::command(&format!("{key} *")).map(|matcher| (matcher, say::prefix(key))),
        };
        // An expression over the whole line lets pass whatever commands stand in it.
        let said = said.map(|(matcher, said)| {
            if whole_line && decision == Answer::Allow {
                let lacks = Some("it is compared with the whole line, and a policy judges every command of it");
                return (matcher, Said { narrower: Vec::new(), lacks, ..said });
            }
            (matcher, said)
        });
        // A command that has to be approved stands before one that need not.
        let rank = if decision == Answer::Allow { 1 } else { 2 };
        self.builder.add(decision, Kind::Command, said, &Source { place, entry: key, rank });
        Ok(())
    }

    /// The last pattern that matches decides.
    fn edit(&mut self, pattern: &str, decision: Answer, place: Place) {
        self.rank += 1;
        let (start, body) = match pattern.strip_prefix('/') {
            Some(body) => (Start::Absolute, body),
            None => (Start::Root, pattern),
        };
        let said = if matches!(pattern, "**" | "**/*") {
            let wide = if decision == Answer::Allow { "/**" } else { "**" };
            Some((Matcher::Any, Said::listed(wide)))
        } else {
            say::gitignore(&say::PathText { start, body })
        };
        self.builder.add(decision, Kind::Edit, said, &Source { place, entry: pattern, rank: self.rank });
    }

    fn address(&mut self, pattern: &str, decision: Answer, place: Place) {
        let behind = pattern.split_once("://").map_or(pattern, |(_, rest)| rest);
        let (host, path) = behind.split_once('/').map_or((behind, ""), |(host, path)| (host, path));
        let said = say::host(host).map(|(matcher, said)| match path {
            "" | "*" | "**" => (matcher, said),
            _ => {
                let lacks = Some("a policy names hosts, and this pattern names a part of one");
                (matcher, Said { narrower: Vec::new(), lacks, ..said })
            }
        });
        let rank = if decision == Answer::Allow { 1 } else { 2 };
        self.builder.add(decision, Kind::Fetch, said, &Source { place, entry: pattern, rank });
    }
}

fn expression_of(pattern: &str) -> Said {
    expression(pattern).map(|(_, said)| said).unwrap_or_default()
}

/// `true`, `false` (the user is asked), nothing, or an object with one of them.
fn approval(
    settings: &SettingsReader<'_>,
    value: &Value,
    inner: &str,
    name: &str,
) -> Result<Option<Answer>, SettingsFault> {
    let of = |on: bool| Some(if on { Answer::Allow } else { Answer::Ask });
    match &value.data {
        Data::Bool(on) => Ok(of(*on)),
        Data::Null => Ok(None),
        Data::Object(_) => Ok(settings.switch(value, inner)?.and_then(of)),
        _ => Err(settings.wrong_type(value, name, "true, false, null or an object")),
    }
}

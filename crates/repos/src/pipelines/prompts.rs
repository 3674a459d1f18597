//! Skills, commands and agents that are texts: whether a change lets them run something, or gives them rights.

use std::collections::BTreeSet;

use super::resolve::has_ending;
use super::touches::Changed;
use super::tree::{Content, Contents};
use crate::repo_audit::{Document, Language, front_matter, items, member, members, text};
use agent_strace_git::change_set::Part;
use agent_strace_policy::json::{Data, Key, Value};
use agent_strace_policy::{AgentFile, agent_file};

/// Endings of texts. A file of another kind beside them is code or settings.
const TEXTS: &[&str] = &[".md", ".mdc", ".markdown", ".txt"];
/// Commands of Gemini and of its forks are texts in TOML.
const COMMANDS: &[&str] = &[".gemini/commands/", ".qwen/commands/", ".iflow/commands/"];

/// Folders of texts in which a command runs without a blank before it.
const ANYWHERE: &[&str] = &[".opencode/"];

/// Keys of front matter by which a text runs something or gets rights, without `-`, `_` and in lower case.
const GRANTS: &[&str] = &[
    "hooks",
    "mcpservers",
    "mcp",
    "permissionmode",
    "permissions",
    "permission",
    "allowedtools",
    "tools",
    "autoapprove",
    "alwaysallow",
    "autoapprovetools",
    "approvalpolicy",
    "approvalmode",
    "sandboxmode",
    "sandbox",
    "dangerouslyskippermissions",
    "yolo",
    "command",
    "commands",
    "script",
    "scripts",
    "shell",
    "run",
    "env",
    "groups",
];
/// Values that give nothing beyond reading and asking.
const HARMLESS: &[&str] = &[
    "read",
    "grep",
    "glob",
    "ls",
    "view",
    "search",
    "codebase",
    "list",
    "todowrite",
    "todoread",
    "task",
    "agent",
    "skill",
    "default",
    "plan",
    "ask",
    "deny",
    "false",
    "none",
    "readonly",
    "askuserquestion",
    "exitplanmode",
    "notebookread",
    "usages",
    "problems",
    "changes",
    "readfile",
    "listdirectory",
    "searchfilecontent",
];

/// The part of a text that agents take: with new rights, or as nothing but a text. `None`: it is no such text.
pub(super) fn part(changed: &Changed<'_>, path: &str) -> Option<Part> {
    let folded = path.to_lowercase();
    let is_command = has_ending(path, "toml") && COMMANDS.iter().any(|folder| folded.contains(folder));
    let is_text = is_command || TEXTS.iter().any(|ending| folded.ends_with(ending));
    if !is_text || agent_file(path) != Some(AgentFile::Rights) {
        return None;
    }
    let grants = |side: &dyn Contents| match side.read(path) {
        Content::Missing => Some(BTreeSet::new()),
        Content::Text(text) => Some(if is_command { of_command(&text) } else { of_text(&folded, &text) }),
        Content::Unreadable(_) => None,
    };
    let after = grants(changed.head)?;
    let before = grants(changed.before).unwrap_or_default();
    Some(match after.difference(&before).next() {
        Some(grant) => Part::GivesRights { by: grant.by.clone() },
        None => Part::Instructs,
    })
}

/// One thing in a text that runs, or that gives rights.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Grant {
    by: String,
    /// The value that it gives.
    value: String,
}

/// `folded`: the path in lower case.
fn of_text(folded: &str, text: &str) -> BTreeSet<Grant> {
    let is_below = |folder: &str| folded.starts_with(folder) || folded.contains(&format!("/{folder}"));
    let runs_anywhere = ANYWHERE.iter().any(|folder| is_below(folder));
    let starts = |before: &str| runs_anywhere || before.is_empty() || before.ends_with(char::is_whitespace);
    let mut found: BTreeSet<Grant> = inline(text, &starts).into_iter().collect();
    let inherited = |keys: Option<&[(Key, Value)]>| {
        let by = super::inherited::all_tools(folded, keys)?;
        Some(Grant { by: by.to_owned(), value: String::new() })
    };
    let Some(matter) = front_matter(text) else {
        found.extend(inherited(None));
        return found;
    };
    match Document::read(Language::Yaml, &matter) {
        Ok(document) => {
            let keys = members(&document.root);
            found.extend(keys.iter().filter_map(|(key, value)| of_key(&key.name, value)));
            found.extend(inherited(Some(keys)));
        }
        Err(_) => drop(found.insert(Grant { by: "front matter that is not YAML".to_owned(), value: matter })),
    }
    found
}

/// Without `-`, `_` and in lower case.
fn folded_key(name: &str) -> String {
    name.to_lowercase().chars().filter(|letter| letter.is_alphanumeric()).collect()
}

fn of_key(name: &str, value: &Value) -> Option<Grant> {
    if !GRANTS.contains(&folded_key(name).as_str()) {
        return None;
    }
    let shown: String = name.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_')).collect();
    let mut texts = Vec::new();
    leaves(value, &mut texts);
    // Rules, each with its effect.
    let effects: Option<Vec<&str>> = items(value).iter().map(|rule| member(rule, "effect").and_then(text)).collect();
    let denies = effects.is_some_and(|effects| !effects.is_empty() && effects.iter().all(|effect| is_harmless(effect)));
    let gives = !denies && texts.iter().any(|text| !is_harmless(text));
    gives.then(|| Grant { by: format!("`{shown}` in its front matter"), value: texts.join("\n") })
}

/// All texts of a value; of members also their names, where they are switched on.
fn leaves(value: &Value, found: &mut Vec<String>) {
    match &value.data {
        Data::Text(text) | Data::Number(text) => found.push(text.clone()),
        Data::Bool(value) => found.push(value.to_string()),
        Data::List(items) => items.iter().for_each(|item| leaves(item, found)),
        Data::Object(members) => members.iter().for_each(|(key, value)| match value.data {
            Data::Bool(false) => {}
            Data::Bool(true) => found.push(key.name.clone()),
            _ => {
                let before = found.len();
                leaves(value, found);
                if found.iter().skip(before).any(|text| !is_harmless(text)) {
                    found.push(key.name.clone());
                }
            }
        }),
        Data::Null => {}
    }
}

/// Names of tools may be separated by commas or blanks: `Read, Grep`.
fn is_harmless(text: &str) -> bool {
    let bare = |word: &str| word.to_lowercase().chars().filter(|letter| letter.is_alphanumeric()).collect::<String>();
    let mut words = text.split([',', ' ']).filter(|word| !word.is_empty());
    words.all(|word| !word.contains(['(', '*', '/']) && HARMLESS.contains(&bare(word).as_str()))
}

/// Lines that run while the text is put together: `` !`command` ``, and blocks that begin with `` ```! ``.
///
/// `starts`: whether a command may stand behind a text.
fn inline(text: &str, starts: &dyn Fn(&str) -> bool) -> Vec<Grant> {
    let runs = |line: &str| {
        let inside = line.match_indices("!`").any(|(at, _)| {
            line.get(..at).is_some_and(starts) && line.get(at + 2..).is_some_and(|rest| rest.contains('`'))
        });
        inside || line.trim_start().starts_with("```!")
    };
    let by = "a line that runs when it is used";
    text.lines()
        .filter(|line| runs(line))
        .map(|line| Grant { by: by.to_owned(), value: line.trim().to_owned() })
        .collect()
}

/// `!{command}` in a command of Gemini.
fn of_command(text: &str) -> BTreeSet<Grant> {
    let runs = text.lines().filter(|line| line.contains("!{"));
    let by = "a command that runs when it is used";
    runs.map(|line| Grant { by: by.to_owned(), value: line.trim().to_owned() }).collect()
}

//! Files of settings in which projects keep commands: TOML tables, INI sections, and lines that start with a key.

use super::recipes::{Recipe, Recipes};
use crate::Reason;

/// Tables of commands: `[tasks]`, `[tool.poe.tasks]`, `[tool.pdm.scripts]`, each also by the name of one command.
pub(super) fn toml(text: &str) -> Recipes {
    let mut recipes = Recipes::default();
    let mut section: Vec<String> = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let trimmed = line.trim();
        if let Some(header) = trimmed.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            section = header.0.trim_matches('[').split('.').map(unquoted).collect();
            continue;
        }
        let Some((key, value)) = trimmed.split_once('=').filter(|_| !trimmed.starts_with('#')) else { continue };
        let mut value = value.trim().to_owned();
        let mut open = Open::default();
        open.read(&value);
        while open.goes_on(&value) {
            let Some(next) = lines.next() else { break };
            open.read(next);
            value.push('\n');
            value.push_str(next);
        }
        let key = unquoted(key);
        let holds = |name: Option<&String>| name.is_some_and(|name| matches!(name.as_str(), "tasks" | "scripts"));
        let above = section.len().checked_sub(2).and_then(|at| section.get(at));
        let (name, commands) = match section.last() {
            Some(name) if holds(above) && COMMANDS.contains(&key.as_str()) => (name.clone(), texts(&value)),
            last if holds(last) && value.starts_with('{') => {
                let commands = inline(&value);
                if commands.is_none() {
                    recipes.unread = Some(Reason::ScriptsUnreadable);
                }
                (key, commands.unwrap_or_default())
            }
            last if holds(last) => (key, texts(&value)),
            _ => continue,
        };
        let recipe = recipes.by_name.entry(name).or_default();
        recipe.lines.extend(commands.iter().map(|command| super::recipes::unknown_braces(command)));
    }
    recipes
}

/// Keys whose values are commands.
const COMMANDS: &[&str] = &["run", "cmd", "shell", "script", "command", "sequence", "composite"];

/// Whether a text or a list goes on in the next line. Each line is looked at once.
#[derive(Default)]
struct Open {
    double: bool,
    single: bool,
    closes: bool,
}

impl Open {
    fn read(&mut self, line: &str) {
        self.double ^= line.matches("\"\"\"").count() % 2 == 1;
        self.single ^= line.matches("'''").count() % 2 == 1;
        let line = line.trim_end();
        self.closes = if line.is_empty() { self.closes } else { line.ends_with(']') };
    }

    fn goes_on(&self, value: &str) -> bool {
        self.double || self.single || value.starts_with('[') && !self.closes
    }
}

/// Keys that one table may have, of those that hold commands.
const KEYS: usize = 64;

/// The commands of `{ cmd = "…", env = … }`; `None`: they are too many.
fn inline(value: &str) -> Option<Vec<String>> {
    let behind = |key: &&str| {
        let rests = value.match_indices(*key).filter_map(|(at, key)| value.get(at + key.len()..));
        rests.filter_map(|rest| rest.trim_start().strip_prefix('=')).collect::<Vec<_>>()
    };
    let found: Vec<&str> = COMMANDS.iter().flat_map(behind).take(KEYS + 1).collect();
    if found.len() > KEYS {
        return None;
    }
    let found = found.into_iter().flat_map(|value| {
        if value.trim_start().starts_with('[') { texts(value) } else { texts(value).into_iter().take(1).collect() }
    });
    Some(found.collect())
}

/// The quoted texts of a value.
pub(super) fn texts(value: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut left = value;
    while let Some(at) = left.find(['"', '\'']) {
        let Some((text, behind)) = quoted(left.get(at..).unwrap_or_default()) else { break };
        found.push(text);
        left = behind;
        if left.trim_start().starts_with(']') {
            break;
        }
    }
    found
}

/// The quoted text that a value begins with.
pub(super) fn text_at_start(value: &str) -> Option<String> {
    quoted(value).map(|(text, _)| text)
}

/// The text in the quotes that `rest` begins with, and what follows.
fn quoted(rest: &str) -> Option<(String, &str)> {
    let long = ["\"\"\"", "'''"].into_iter().find(|mark| rest.starts_with(mark));
    let mark = long.unwrap_or_else(|| rest.get(..1).unwrap_or_default());
    let body = rest.get(mark.len()..).unwrap_or_default();
    let end = closing(body, mark)?;
    let text = body.get(..end).unwrap_or_default();
    let text = if mark.starts_with('"') { text.replace("\\\"", "\"") } else { text.to_owned() };
    Some((text, body.get(end + mark.len()..).unwrap_or_default()))
}

/// Where the quote closes; `\"` does not close.
fn closing(text: &str, mark: &str) -> Option<usize> {
    let escapes = mark.starts_with('"');
    let mut ends = text.match_indices(mark).map(|(at, _)| at);
    ends.find(|at| !escapes || !text.get(..*at).is_some_and(|before| before.ends_with('\\')))
}

fn unquoted(text: &str) -> String {
    text.trim().trim_matches(['"', '\'']).to_owned()
}

/// `commands` of the sections of `tox.ini`, which run whatever the environment is.
pub(super) fn tox(text: &str) -> Recipes {
    let mut recipes = Recipes::default();
    let mut inside = false;
    for line in text.lines() {
        let goes_on = line.starts_with([' ', '\t']);
        let value = match line.split_once('=') {
            Some((key, value)) if !goes_on => {
                inside = key.trim().starts_with("commands");
                value
            }
            _ => line,
        };
        inside &= goes_on || line.contains('=');
        if inside && !value.trim().is_empty() {
            recipes
                .always
                .push(value.trim().trim_start_matches("- ").replace("{posargs}", "").replace(['{', '}'], "$"));
        }
    }
    recipes
}

/// `command = …` of the rules of `build.ninja`.
pub(super) fn ninja(text: &str) -> Recipes {
    let commands = text.lines().filter_map(|line| line.trim().strip_prefix("command")?.trim_start().strip_prefix('='));
    Recipes { always: commands.map(|command| command.trim().to_owned()).collect(), ..Recipes::default() }
}

/// `name: command` of a `Procfile`.
pub(super) fn procfile(text: &str) -> Recipes {
    let mut recipes = Recipes::default();
    for (name, command) in text.lines().filter_map(|line| line.split_once(':')) {
        let recipe = Recipe { before: Vec::new(), lines: vec![command.trim().to_owned()] };
        recipes.by_name.insert(name.trim().to_owned(), recipe);
    }
    recipes
}

/// What stands behind `COMMAND` in `CMakeLists.txt`.
pub(super) fn cmake(text: &str) -> Recipes {
    const ENDS: &[&str] = &[
        "COMMAND",
        "WORKING_DIRECTORY",
        "DEPENDS",
        "COMMENT",
        "VERBATIM",
        "BYPRODUCTS",
        "RESULT_VARIABLE",
        "OUTPUT_VARIABLE",
        "ERROR_VARIABLE",
        "OUTPUT_STRIP_TRAILING_WHITESPACE",
        "COMMAND_ERROR_IS_FATAL",
        "TIMEOUT",
    ];
    let mut recipes = Recipes::default();
    for command in text.split("COMMAND").skip(1).filter(|rest| rest.starts_with(char::is_whitespace)) {
        let command = command.split(')').next().unwrap_or(command);
        let words = command.split_whitespace().take_while(|word| !ENDS.contains(word));
        recipes.always.push(words.collect::<Vec<_>>().join(" "));
    }
    recipes
}

#[cfg(test)]
mod tests {
    #[test]
    fn commands_of_tables_are_found() {
        let lines = |text: &str, goal: &str| super::toml(text).lines_of(&[goal.to_owned()]);
        assert_eq!(lines("[tasks.x]\nrun = \"rm a\"\nenv = { A = \"b\" }\n", "x"), ["rm a"]);
        assert_eq!(lines("[tasks]\nx = \"rm \\\"a\\\"\"\ny = 'z'\n", "x"), ["rm \"a\""]);
        assert_eq!(lines("[tool.poe.tasks]\nx = { cmd = \"rm a\", help = \"no\" }\n", "x"), ["rm a"]);
        assert_eq!(
            lines("[tool.poe.tasks.x]\nsequence = [\n  \"rm a\",\n  \"rm b\",\n]\nhelp = \"no\"\n", "x"),
            ["rm a", "rm b"]
        );
        assert_eq!(lines("[tasks.x]\nrun = '''\nrm a\nrm b\n'''\n", "x"), ["\nrm a\nrm b\n"]);
        assert_eq!(lines("[tasks]\nx = { help = \"run it\", run = \"rm a\" }\n", "x"), ["rm a"]);
        assert_eq!(lines("[tool.ruff]\nx = \"rm a\"\n", "x"), [""; 0]);
        assert_eq!(
            super::tox("[testenv]\ndeps = a\ncommands =\n  rm a\n  pytest {posargs}\n[x]\ny = z\n").always,
            ["rm a", "pytest "]
        );
        assert_eq!(super::ninja("rule x\n  command = rm $in\n").always, ["rm $in"]);
        assert_eq!(
            super::cmake("execute_process(COMMAND rm a WORKING_DIRECTORY b)\nadd(COMMAND c COMMAND d)").always,
            ["rm a", "c", "d"]
        );
    }
}

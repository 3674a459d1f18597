//! Searches whose output is understood: which row has which form, and when is a result complete?

use std::collections::BTreeSet;

use agent_strace_model::Status;
use agent_strace_shell::{Home, Node, Simple, parse_at};

use super::Ran;
use super::rows;
use crate::tools::globs::alternatives;
use crate::{Effect, Kind, World, glob, paths};

/// Hosts cut longer results, and say so in many ways.
const LONGEST: usize = 12_000;
/// Hosts show no more rows unless they are asked to.
const MOST: usize = 90;

/// A search whose rows have one form.
#[derive(Debug, Clone)]
pub(super) struct Search {
    form: Form,
    host: Host,
    /// Globs of the names that it looks into, if it has any.
    includes: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Numbered,
    Names,
    Counts,
}

/// The host that prints the rows. Each host adds text of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Host {
    /// Claude Code's own search: `Found 3 files`, `No matches found`.
    ClaudeSearch,
    /// Claude Code's shell: nothing.
    Claude,
    /// Codex's shell: a head with the exit code, then `Output:`.
    Codex,
}

/// Options of `grep`, `rg` and `git grep` that leave rows in their default form, without and with a value.
const FLAGS: &str = "-n --line-number -i --ignore-case -w --word-regexp -F --fixed-strings -E --extended-regexp -P \
    --perl-regexp -r -R --recursive -S --smart-case -l --files-with-matches -c --count";
const VALUED: &str =
    "-e --regexp -A -B -C --after-context --before-context --context -g --glob -t --type --include --exclude";

impl Search {
    /// The search that a call is, if it is one and nothing else.
    pub(super) fn of(ran: &Ran<'_>, effects: &[Effect], world: &World) -> Option<Self> {
        let goes_on = || Some(ran.call.arguments.members()?.json("run_in_background")? != "false");
        if ran.call.status != Status::Ok || goes_on() == Some(true) {
            return None;
        }
        match (ran.agent, &*ran.call.tool, ran.command) {
            ("claude-code", "Grep", _) => Self::of_tool(ran, world),
            ("claude-code", "Bash", Some(text)) => Self::of_shell(text, Host::Claude, effects, world),
            ("codex", "exec_command", Some(text)) => Self::of_shell(text, Host::Codex, effects, world),
            _ => None,
        }
    }

    fn of_tool(ran: &Ran<'_>, world: &World) -> Option<Self> {
        if world.has_written_named(IGNORE_FILES) {
            return None;
        }
        let given = ran.call.arguments.members()?;
        if ["head_limit", "offset", "multiline"].iter().any(|name| given.json(name).is_some()) {
            return None;
        }
        let form = match given.text("output_mode").as_deref() {
            None | Some("files_with_matches") => Form::Names,
            Some("content") if given.json("-n").is_none_or(|shown| shown == "true") => Form::Numbered,
            Some("count") => Form::Counts,
            Some(_) => return None,
        };
        let includes =
            given.text("glob").iter().filter(|glob| !glob.starts_with('!')).map(ToString::to_string).collect();
        Some(Self { form, host: Host::ClaudeSearch, includes })
    }

    /// One command in the foreground, with options that are known, and nothing of the session's in its way.
    fn of_shell(text: &str, host: Host, effects: &[Effect], world: &World) -> Option<Self> {
        let script = parse_at(text, Home::piece(0, text.len()));
        let ([Node::Simple(simple)], []) = (script.nodes.as_slice(), script.problems.as_slice()) else { return None };
        let words = literal_words(simple)?;
        let mut words = words.iter().map(String::as_str);
        let program = words.next()?;
        let name =
            if program == "git" { words.next().filter(|sub| *sub == "grep").map(|_| "git grep")? } else { program };
        let runs = effects.iter().filter(|effect| matches!(effect.kind, Kind::Execute(_))).count();
        let is_open = effects.iter().any(|effect| matches!(effect.kind, Kind::Opaque(_) | Kind::Write(_)));
        if !matches!(name, "grep" | "rg" | "git grep") || runs != 1 || is_open || is_misled(program, world) {
            return None;
        }
        // For ripgrep, `-r` replaces what it shows.
        let mut words = words.peekable();
        let (form, includes) = form(name, &mut words)?;
        Some(Self { form, host, includes })
    }

    /// The names in the rows; `None`: the result is not complete, or a row has another form.
    pub(super) fn files<'t>(&self, text: &'t str) -> Option<Vec<&'t str>> {
        let rows = self.rows(text)?;
        let names: Option<Vec<&'t str>> = match self.form {
            Form::Numbered => return Self::numbered(&rows),
            Form::Names => rows.iter().map(|line| rows::whole(line)).collect(),
            Form::Counts => rows.iter().map(|line| rows::counted(line)).collect(),
        };
        // Words of a host are rows of no file.
        names.filter(|names| names.len() <= MOST && !names.iter().any(|name| name.contains(char::is_whitespace)))
    }

    /// The filters of the search let the file in. A row of any other file was printed by something else.
    pub(super) fn lets_in(&self, file: &str) -> bool {
        let name = file.rsplit('/').next().unwrap_or(file);
        let matches = |glob: &String| {
            let glob = paths::dotted(glob.trim_start_matches("./").trim_start_matches('/'));
            if glob.contains('/') {
                glob::matches(&glob, file) || glob::matches(&format!("**/{glob}"), file)
            } else {
                glob::matches(&glob, name)
            }
        };
        self.includes.is_empty() || self.includes.iter().flat_map(|glob| alternatives(glob)).any(|glob| matches(&glob))
    }

    /// A line around a match is one of a file of which a row shows the match.
    fn numbered<'t>(rows: &[&'t str]) -> Option<Vec<&'t str>> {
        let names: BTreeSet<&str> = rows.iter().filter_map(|line| rows::matching(line)).collect();
        let is_around = |line: &str| names.iter().any(|name| line.strip_prefix(name).is_some_and(rows::is_context));
        let is_row = |line: &&str| *line == "--" || rows::matching(line).is_some() || is_around(line);
        let is_complete = names.len() <= MOST && rows.iter().all(is_row);
        is_complete.then(|| names.into_iter().collect())
    }

    /// The rows without what the host adds.
    fn rows<'t>(&self, text: &'t str) -> Option<Vec<&'t str>> {
        if text.len() > LONGEST {
            return None;
        }
        match self.host {
            Host::Claude => (!text.trim().is_empty()).then(|| text.lines().collect()),
            Host::ClaudeSearch => self.rows_of_tool(text),
            Host::Codex => {
                let (head, rows) = text.split_once("\nOutput:\n")?;
                let ended = |code: &str| head.lines().any(|line| line == code);
                let is_over = ended("Process exited with code 0") || ended("Process exited with code 1");
                (is_over && !rows.starts_with("Total output lines:")).then(|| rows.lines().collect())
            }
        }
    }

    fn rows_of_tool<'t>(&self, text: &'t str) -> Option<Vec<&'t str>> {
        if matches!(text, "No matches found" | "No files found") {
            return Some(Vec::new());
        }
        match self.form {
            Form::Names => {
                let (head, rows) = text.split_once('\n')?;
                let count = head.strip_prefix("Found ")?.trim_end_matches('s').strip_suffix(" file")?;
                let rows: Vec<&str> = rows.lines().collect();
                (count.parse() == Ok(rows.len())).then_some(rows)
            }
            Form::Counts => {
                let (rows, foot) = text.split_once("\n\nFound ")?;
                let rows: Vec<&str> = rows.lines().collect();
                let files = foot.split_once(" across ")?.1.split(' ').next()?;
                (files.parse() == Ok(rows.len())).then_some(rows)
            }
            Form::Numbered => Some(text.lines().collect()),
        }
    }
}

/// Another program may have run, or settings of the session may change what it prints.
fn is_misled(program: &str, world: &World) -> bool {
    !world.stand_ins(program).is_empty()
        || world.has_written_named(SETTINGS)
        || world.has_written_named(IGNORE_FILES)
        || world.may_have_prepared_shells()
}

/// Files in which a session can say what a search does and prints, and what the shell runs in its place.
const SETTINGS: &[&str] = &[
    ".bash_aliases",
    ".bash_profile",
    ".bashrc",
    ".gitconfig",
    ".profile",
    ".ripgreprc",
    ".zprofile",
    ".zshenv",
    ".zshrc",
    "config",
    "config.fish",
    "ripgreprc",
    "settings.json",
    "settings.local.json",
];

/// Files that say which files a search leaves out, and with which options it runs.
const IGNORE_FILES: &[&str] = &[".gitignore", ".ignore", ".rgignore", ".ripgreprc", "ripgreprc"];

/// The words of a command without redirections, and with no variable that changes what it does.
fn literal_words(simple: &Simple) -> Option<Vec<String>> {
    let is_idle = |name: &str| name.starts_with("LC_") || matches!(name, "LANG" | "TZ" | "NO_COLOR");
    if !simple.redirects.is_empty() || !simple.assignments.iter().all(|assignment| is_idle(&assignment.name)) {
        return None;
    }
    simple.words.iter().map(|word| word.literal().map(std::borrow::Cow::into_owned)).collect()
}

/// The form of the rows and the names that are looked into; `None`: some option is not known to leave the form as it is.
fn form<'w>(program: &str, words: &mut impl Iterator<Item = &'w str>) -> Option<(Form, Vec<String>)> {
    let (mut numbers, mut form, mut includes) = (false, None, Vec::new());
    while let Some(word) = words.next() {
        let (name, attached) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
        match name {
            "--" => break,
            _ if !name.starts_with('-') => {}
            _ if listed(VALUED, name) => {
                let value = attached.or_else(|| words.next())?;
                if matches!(name, "-g" | "--glob" | "--include") && !value.starts_with('!') {
                    includes.push(value.to_owned());
                }
            }
            _ if attached.is_some() => return None,
            _ if program == "rg" && replaces(name) => return None,
            _ if listed(FLAGS, name) || name.starts_with("--") => note(name, &mut numbers, &mut form)?,
            // `-rn`: letters together.
            _ => name.chars().skip(1).try_for_each(|letter| note(&format!("-{letter}"), &mut numbers, &mut form))?,
        }
    }
    // A row without a number may be anything that the host prints.
    Some((form.or(numbers.then_some(Form::Numbered))?, includes))
}

fn replaces(option: &str) -> bool {
    !option.starts_with("--") && option.contains(['r', 'R'])
}

fn note(name: &str, numbers: &mut bool, form: &mut Option<Form>) -> Option<()> {
    match name {
        "-n" | "--line-number" => *numbers = true,
        "-l" | "--files-with-matches" => *form = Some(Form::Names),
        "-c" | "--count" => *form = Some(Form::Counts),
        _ if listed(FLAGS, name) => {}
        _ => return None,
    }
    Some(())
}

fn listed(names: &str, name: &str) -> bool {
    names.split_whitespace().any(|known| known == name)
}

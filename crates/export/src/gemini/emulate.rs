//! Gemini CLI's answer to a call, as its documentation and its engine's source describe it, in a trusted folder and its
//! default mode. Where they are silent, the weaker reading counts.

use regex::Regex;

use super::super::act::Act;
use super::super::answer::Answer;
use super::super::escape;
use super::super::script::{self, Reading, Shape};
use super::{Condition, Rule, Rules, Verdict};

/// Commands that run without a rule.
pub(super) const READING: &[&str] = &[
    "cat", "cd", "cut", "echo", "expr", "false", "grep", "head", "id", "ls", "nl", "paste", "pwd", "rev", "seq",
    "stat", "tail", "tr", "true", "uname", "uniq", "wc", "which", "whoami",
];
pub(super) const READING_GIT: &[&str] = &["status", "log", "diff", "show", "branch"];
/// A wrapper is taken off again and again, but not for ever.
const DEPTH: u32 = 8;

impl Engine {
    pub(in super::super) fn new(rules: &Rules) -> Self {
        Self { rules: rules.0.iter().map(|rule| (rule.clone(), compiled(rule))).collect() }
    }

    /// `None`: Gemini CLI has no such tool.
    pub(in super::super) fn answer(&self, act: &Act) -> Option<Answer> {
        let strictest = |tool: &str, paths: &[String], unlisted: Answer| {
            let one = |path: &String| self.tool(tool, None, &file_arguments(path), unlisted);
            paths.iter().map(one).max().unwrap_or(unlisted)
        };
        Some(match act {
            Act::Shell(text) => self.shell(text, DEPTH),
            Act::Read(paths) => strictest("read_file", paths, Answer::Allow),
            Act::Edit(paths) => strictest("write_file", paths, Answer::Ask),
            Act::Search(path) => self.tool("grep_search", None, &format!("{{\"path\":{}}}", json(path)), Answer::Allow),
            Act::Fetch(url) => self.tool("web_fetch", None, &format!("{{\"prompt\":{}}}", json(url)), Answer::Ask),
            Act::WebSearch => self.tool("google_web_search", None, "{}", Answer::Allow),
            Act::Mcp { server, tool } => self.tool(tool, Some(server), "{}", Answer::Ask),
            Act::Other => return None,
        })
    }
}

/// As sorted JSON: the content comes before the path.
fn file_arguments(path: &str) -> String {
    format!("{{\"content\":\"\",\"file_path\":{}}}", json(path))
}

fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Rules with their patterns compiled.
pub(in super::super) struct Engine {
    /// By priority, the highest first.
    rules: Vec<(Rule, Option<Regex>)>,
}

/// As the loader makes a pattern of the shorthands.
fn compiled(rule: &Rule) -> Option<Regex> {
    let pattern = match &rule.condition {
        Condition::None => return None,
        Condition::Arguments(pattern) => pattern.clone(),
        Condition::Prefix(prefix) => format!("\"command\":\"{}([\\s\"]|\\\\\")", escape::pattern(prefix)),
        Condition::Command(pattern) => format!("\"command\":\"{pattern}"),
    };
    // The escapes that JavaScript has and this engine has not, both for themselves.
    Regex::new(&pattern.replace("\\/", "/").replace("\\\"", "\"")).ok()
}

impl Engine {
    fn first(&self, tool: &str, server: Option<&str>, arguments: &str) -> Option<&Rule> {
        let found = self.rules.iter().find(|(rule, pattern)| {
            let named = match (&rule.server, server) {
                (Some(wanted), Some(server)) => wanted == server,
                (None, None) => true,
                _ => false,
            };
            let tool = rule.tools.iter().any(|name| name == "*" || name == tool);
            // A rule whose pattern can't be compiled is dropped.
            let met = match &rule.condition {
                Condition::None => true,
                _ => pattern.as_ref().is_some_and(|pattern| pattern.is_match(arguments)),
            };
            named && tool && met
        });
        found.map(|(rule, _)| rule)
    }

    fn tool(&self, tool: &str, server: Option<&str>, arguments: &str, unlisted: Answer) -> Answer {
        self.first(tool, server, arguments).map_or(unlisted, |rule| of(rule.verdict))
    }

    fn shell(&self, text: &str, depth: u32) -> Answer {
        let reading = script::read(text);
        let rule = self.first("run_shell_command", None, &format!("{{\"command\":{}}}", json(text)));
        let base = rule.map_or_else(|| unlisted(&reading), |rule| of(rule.verdict));
        if base == Answer::Deny {
            return Answer::Deny;
        }
        if reading.shape == Shape::Unparsed || reading.pieces.is_empty() || depth == 0 {
            return Answer::Ask;
        }
        let redirected = reading.pieces.iter().any(|piece| piece.redirected);
        let mut answer = if redirected { base.max(Answer::Ask) } else { base };
        for piece in &reading.pieces {
            if let Some(inner) = unwrapped(&piece.words) {
                answer = answer.max(self.shell(inner, depth - 1));
            }
            if piece.whole.trim() != text.trim() && !piece.text.is_empty() {
                answer = answer.max(self.shell(piece.whole.trim(), depth - 1));
            }
        }
        answer
    }
}

fn of(verdict: Verdict) -> Answer {
    match verdict {
        Verdict::Allow => Answer::Allow,
        Verdict::Ask => Answer::Ask,
        Verdict::Deny => Answer::Deny,
    }
}

/// One plain command that is known to read only runs, the rest is asked about.
fn unlisted(reading: &Reading) -> Answer {
    let [piece] = reading.pieces.as_slice() else { return Answer::Ask };
    let words = piece.literals();
    let known = match words.as_slice() {
        ["git", form, ..] => READING_GIT.contains(form),
        ["find", rest @ ..] => {
            !rest.iter().any(|word| word.starts_with("-exec") || *word == "-delete" || word.starts_with("-ok"))
        }
        ["rg", rest @ ..] => !rest.iter().any(|word| word.starts_with("--pre") || *word == "-z"),
        ["sed", "-n", ..] => true,
        [program, ..] => READING.contains(program),
        [] => false,
    };
    if known { Answer::Allow } else { Answer::Ask }
}

/// The text that a shell runs: `bash -c TEXT`.
fn unwrapped(words: &[Option<String>]) -> Option<&str> {
    let words: Vec<&str> = words.iter().map_while(Option::as_deref).collect();
    match words.as_slice() {
        [shell, "-c" | "-lc", text, ..] if matches!(shell.rsplit('/').next(), Some("bash" | "sh" | "zsh")) => {
            // The words outlive the list of them.
            Some(*text)
        }
        _ => None,
    }
}

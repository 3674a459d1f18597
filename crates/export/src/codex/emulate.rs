//! Codex's answer to a call: rules for the text, and the sandbox for what it does. The weaker reading counts.

use std::collections::BTreeMap;

use regex::Regex;

use agent_strace_effects::{Kind, PathTarget};
use agent_strace_engine::Entry;

use super::super::act::Act;
use super::super::answer::Answer;
use super::super::matching;
use super::super::script::{self, Piece, Shape};
use super::{Access, Codex, Verdict};

/// Rules and profile, with the patterns of the profile compiled.
pub(in super::super) struct Engine {
    codex: Codex,
    /// Below the workspace; the longest pattern is the narrowest.
    roots: Vec<(usize, Regex, Access)>,
    elsewhere: Vec<(usize, Regex, Access)>,
}

impl Engine {
    pub(in super::super) fn new(codex: Codex) -> Self {
        let compile = |paths: &BTreeMap<String, Access>| {
            let one = |(path, access): (&String, &Access)| {
                let pattern = if path == "." { "**" } else { path.trim_start_matches('/') };
                Some((path.len(), matching::path(pattern)?, *access))
            };
            paths.iter().filter_map(one).collect()
        };
        Self { roots: compile(&codex.profile.roots), elsewhere: compile(&codex.profile.elsewhere), codex }
    }

    /// What the engine says, and the entries whose effects the sandbox stops. `None`: Codex has no such tool.
    pub(in super::super) fn answer(&self, act: &Act, root: &str, entries: &[Entry]) -> Option<(Answer, Vec<usize>)> {
        let sandbox = Sandbox { engine: self, root };
        match act {
            Act::Shell(text) => Some(shell(&self.codex, text, &sandbox, entries)),
            Act::Edit(paths) => {
                let answers = paths.iter().map(|path| if sandbox.writes(path) { Answer::Allow } else { Answer::Ask });
                Some((answers.max().unwrap_or(Answer::Ask), Vec::new()))
            }
            Act::WebSearch => {
                let answer = if self.codex.profile.web_search { Answer::Allow } else { Answer::Deny };
                Some((answer, Vec::new()))
            }
            // Its servers decide by their own settings.
            Act::Mcp { .. } => Some((Answer::Allow, Vec::new())),
            Act::Read(_) | Act::Search(_) | Act::Fetch(_) | Act::Other => None,
        }
    }
}

fn shell(codex: &Codex, text: &str, sandbox: &Sandbox<'_>, entries: &[Entry]) -> (Answer, Vec<usize>) {
    let commands = commands(text);
    let verdicts: Vec<Option<Verdict>> = commands.iter().map(|words| rule(codex, words)).collect();
    let fallback = |words: &[String]| if is_dangerous(words) { Verdict::Prompt } else { Verdict::Allow };
    let strictest =
        commands.iter().zip(&verdicts).map(|(words, verdict)| verdict.unwrap_or_else(|| fallback(words))).max();
    let answer = match strictest.unwrap_or(Verdict::Prompt) {
        Verdict::Forbidden => Answer::Deny,
        Verdict::Prompt => Answer::Ask,
        Verdict::Allow => Answer::Allow,
    };
    let outside = !verdicts.is_empty() && verdicts.iter().all(|verdict| *verdict == Some(Verdict::Allow));
    let stopped = if outside { Vec::new() } else { sandbox.stopped(entries) };
    (answer, stopped)
}

/// The commands of a text of plain words, else the shell with the text.
fn commands(text: &str) -> Vec<Vec<String>> {
    let reading = script::read(text);
    let plain = |piece: &Piece| {
        let quoted = piece.text.starts_with(['"', '\'', '\\']);
        piece.all_literal() && piece.assigned.is_empty() && !piece.redirected && !quoted && !piece.words.is_empty()
    };
    let words = |piece: &Piece| piece.literals().into_iter().map(str::to_owned).collect::<Vec<String>>();
    if reading.shape == Shape::Plain && !reading.detached && !text.contains('#') && reading.pieces.iter().all(plain) {
        return reading.pieces.iter().map(words).collect();
    }
    if let [piece] = reading.pieces.as_slice()
        && piece.heredoc
        && piece.written.is_empty()
        && piece.all_literal()
        && reading.shape == Shape::Plain
    {
        return vec![words(piece)];
    }
    vec![vec!["bash".to_owned(), "-lc".to_owned(), text.to_owned()]]
}

/// The strictest rule that matches: by the program as written, else by its name.
fn rule(codex: &Codex, words: &[String]) -> Option<Verdict> {
    let program = words.first()?;
    let matching = |name: &str| {
        let rules = codex.rules.iter().filter(|rule| {
            rule.pattern.len() <= words.len()
                && rule.pattern.iter().zip(words).enumerate().all(|(at, (alternatives, word))| {
                    let word = if at == 0 { name } else { word };
                    alternatives.iter().any(|alternative| alternative == word)
                })
        });
        rules.map(|rule| rule.verdict).max()
    };
    matching(program).or_else(|| {
        let name = program.rsplit('/').next().filter(|_| program.starts_with('/'))?;
        matching(name)
    })
}

fn is_dangerous(words: &[String]) -> bool {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["sudo", rest @ ..] => is_dangerous(&rest.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()),
        ["rm", flag, ..] => matches!(*flag, "-f" | "-rf"),
        _ => false,
    }
}

struct Sandbox<'a> {
    engine: &'a Engine,
    root: &'a str,
}

impl Sandbox<'_> {
    fn stopped(&self, entries: &[Entry]) -> Vec<usize> {
        let stopped = entries.iter().enumerate().filter(|(_, entry)| self.stops(&entry.effect.kind));
        stopped.map(|(at, _)| at).collect()
    }

    fn stops(&self, kind: &Kind) -> bool {
        match kind {
            Kind::Read(target) => !self.reads(target),
            Kind::Write(target) | Kind::Delete(target) => !is_pattern(target) && !self.writes(&target.path),
            Kind::Connect(connection) => !self.reaches(connection.host.as_deref()),
            _ => false,
        }
    }

    fn reads(&self, target: &PathTarget) -> bool {
        is_pattern(target) || target.subtree || self.access(&target.path) != Some(Access::Deny)
    }

    fn writes(&self, path: &str) -> bool {
        let absolute = matching::absolute(path, self.root);
        let inside = absolute.strip_prefix(self.root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        let temporary = absolute.starts_with("/tmp/") || absolute == "/dev/null";
        match self.access(path) {
            Some(Access::Read | Access::Deny) => temporary,
            Some(Access::Write) => true,
            None => temporary || inside,
        }
    }

    /// What the narrowest entry says; a deny before all.
    fn access(&self, path: &str) -> Option<Access> {
        let absolute = matching::absolute(path, self.root);
        let below = absolute.strip_prefix(self.root).map(|rest| rest.trim_start_matches('/'));
        let roots =
            self.engine.roots.iter().filter(|(_, pattern, _)| below.is_some_and(|below| pattern.is_match(below)));
        let from_top = absolute.trim_start_matches('/');
        let elsewhere = self.engine.elsewhere.iter().filter(|(_, pattern, _)| pattern.is_match(from_top));
        let mut found: Vec<(usize, Access)> =
            roots.chain(elsewhere).map(|(length, _, access)| (*length, *access)).collect();
        found.sort_by_key(|(length, access)| (*access == Access::Deny, *length));
        found.last().map(|(_, access)| *access)
    }

    fn reaches(&self, host: Option<&str>) -> bool {
        let Some(host) = host else { return false };
        let meets = |pattern: &str| match pattern.strip_prefix("*.") {
            Some(parent) => host.strip_suffix(parent).is_some_and(|rest| rest.ends_with('.')),
            None => pattern == "*" || pattern == host,
        };
        let found: Vec<bool> = self
            .engine
            .codex
            .profile
            .network
            .domains
            .iter()
            .filter(|(pattern, _)| meets(pattern))
            .map(|(_, allowed)| *allowed)
            .collect();
        !found.is_empty() && found.iter().all(|allowed| *allowed)
    }
}

fn is_pattern(target: &PathTarget) -> bool {
    target.path.contains(['*', '?', '['])
}

//! Claude Code's answer to a call, as its documentation describes it. Where it is silent, the weaker reading counts:
//! an emulator that is stricter than the engine would hide what an export lets through.

use regex::Regex;

use super::super::act::Act;
use super::super::answer::Answer;
use super::super::matching;
use super::super::paths::Start;
use super::super::place::{PathMatcher, is_inside};
use super::super::script::{self, Piece, Reading, Shape};
use super::{Mode, Settings};

/// Commands that run without a rule.
pub(super) const READING: &[&str] =
    &["ls", "cat", "echo", "pwd", "head", "tail", "grep", "find", "wc", "which", "diff", "stat", "du", "cd"];
/// Forms of git that only read.
pub(super) const READING_GIT: &[&str] =
    &["status", "log", "diff", "show", "blame", "ls-files", "rev-parse", "describe"];
/// Commands whose operands are compared with `Read` and `Edit` rules.
const FILE_COMMANDS: &[&str] = &["cat", "head", "tail", "sed"];
const WRAPPERS: &[&str] = &["timeout", "time", "nice", "nohup", "stdbuf", "command", "builtin", "noglob", "xargs"];
/// A prefix rule does not cover them.
const RUNNERS: &[&str] = &["watch", "setsid", "ionice", "flock"];
pub(super) const FIND_ACTIONS: &[&str] =
    &["-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprintf", "-fls"];
/// Assignments that an allow rule matches past.
const SAFE_VARIABLES: &[&str] = &["NODE_ENV", "RUST_LOG", "RUST_BACKTRACE", "LANG", "LC_ALL", "TZ", "NO_COLOR", "CI"];

/// Settings with their patterns compiled.
pub(in super::super) struct Engine {
    mode: Mode,
    allow: Vec<Rule>,
    ask: Vec<Rule>,
    deny: Vec<Rule>,
}

struct Rule {
    tool: String,
    pattern: Pattern,
}

enum Pattern {
    /// Every use of a tool; the tool's name may be a pattern itself.
    Tool(Option<Regex>),
    Command {
        whole: Regex,
        /// Where the pattern ends in ` *`: without it.
        bare: Option<Regex>,
    },
    Path(PathMatcher),
    /// A pattern, or the end of a host below a domain.
    Domain(Option<Regex>, String),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum List {
    Allow,
    Ask,
    Deny,
}

impl Rule {
    /// `None`: a rule that matches nothing.
    fn new(text: &str) -> Option<Self> {
        let Some((tool, specifier)) =
            text.split_once('(').and_then(|(tool, rest)| Some((tool, rest.strip_suffix(')')?)))
        else {
            let pattern = if text.contains('*') { Some(matching::wildcard(text)?) } else { None };
            return Some(Self { tool: text.to_owned(), pattern: Pattern::Tool(pattern) });
        };
        let pattern = match tool {
            "Bash" => command(specifier)?,
            "Read" | "Edit" => path(specifier)?,
            "WebFetch" => domain(specifier.strip_prefix("domain:")?)?,
            _ => return None,
        };
        Some(Self { tool: tool.to_owned(), pattern })
    }
}

fn command(specifier: &str) -> Option<Pattern> {
    let text = specifier.strip_suffix(":*").map_or_else(|| specifier.to_owned(), |prefix| format!("{prefix} *"));
    let bare = text.strip_suffix(" *").and_then(matching::wildcard);
    Some(Pattern::Command { whole: matching::wildcard(&text)?, bare })
}

/// From the file system's root, from home, or from the project.
fn path(specifier: &str) -> Option<Pattern> {
    let (start, body) = if let Some(body) = specifier.strip_prefix("//") {
        (Start::Absolute, body)
    } else if let Some(body) = specifier.strip_prefix("~/") {
        (Start::Home, body)
    } else {
        (Start::Root, specifier.strip_prefix('/').unwrap_or(specifier))
    };
    Some(Pattern::Path(PathMatcher::new(start, matching::path(body)?)))
}

/// A star crosses dots only at the front.
fn domain(text: &str) -> Option<Pattern> {
    let text = text.trim_end_matches('.').to_lowercase();
    if text == "*" {
        return Some(Pattern::Domain(None, String::new()));
    }
    if let Some(parent) = text.strip_prefix("*.") {
        return Some(Pattern::Domain(None, format!(".{parent}")));
    }
    Some(Pattern::Domain(Some(matching::path(&text.replace('.', "/"))?), String::new()))
}

impl Engine {
    pub(in super::super) fn new(settings: &Settings) -> Self {
        let rules = |list: &[String]| list.iter().filter_map(|rule| Rule::new(rule)).collect();
        Self {
            mode: settings.mode,
            allow: rules(&settings.allow),
            ask: rules(&settings.ask),
            deny: rules(&settings.deny),
        }
    }

    /// `None`: Claude Code has no such tool.
    pub(in super::super) fn answer(&self, act: &Act, root: &str) -> Option<Answer> {
        let engine = Session { engine: self, root };
        Some(match act {
            Act::Shell(text) => engine.shell(text),
            Act::Read(paths) => engine.strictest(paths, |path| engine.read(path)),
            Act::Search(path) => engine.read(path),
            Act::Edit(paths) => engine.strictest(paths, |path| engine.edit(path)),
            Act::Fetch(url) => engine.fetch(url),
            Act::WebSearch => engine.named("WebSearch"),
            Act::Mcp { server, tool } => engine.named(&format!("mcp__{server}__{tool}")),
            Act::Other => return None,
        })
    }

    fn rules<'s>(&'s self, list: List, tool: &'s str) -> impl Iterator<Item = &'s Pattern> {
        let rules = match list {
            List::Allow => &self.allow,
            List::Ask => &self.ask,
            List::Deny => &self.deny,
        };
        rules.iter().filter(move |rule| rule.tool == tool).map(|rule| &rule.pattern)
    }
}

/// The engine in a project.
struct Session<'a> {
    engine: &'a Engine,
    root: &'a str,
}

impl Session<'_> {
    fn unlisted(&self) -> Answer {
        match self.engine.mode {
            Mode::Ask => Answer::Ask,
            Mode::Refuse => Answer::Deny,
            Mode::Pass => Answer::Allow,
        }
    }

    fn strictest(&self, paths: &[String], answer: impl Fn(&str) -> Answer) -> Answer {
        paths.iter().map(|path| answer(path)).max().unwrap_or_else(|| self.unlisted())
    }

    /// A tool that is compared by its name.
    fn named(&self, name: &str) -> Answer {
        let has = |rules: &[Rule]| {
            rules.iter().any(|rule| match &rule.pattern {
                Pattern::Tool(Some(pattern)) => pattern.is_match(name),
                Pattern::Tool(None) => {
                    name.strip_prefix(rule.tool.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with("__"))
                }
                _ => false,
            })
        };
        self.decide(has(&self.engine.deny), has(&self.engine.ask), has(&self.engine.allow))
    }

    fn decide(&self, denied: bool, asked: bool, allowed: bool) -> Answer {
        match (denied, asked, allowed) {
            (true, _, _) => Answer::Deny,
            // `dontAsk` refuses whatever would be asked.
            (_, true, _) => self.unlisted(),
            (_, _, true) => Answer::Allow,
            _ => self.unlisted(),
        }
    }

    fn matches_path(&self, list: List, tool: &str, path: &str) -> bool {
        self.engine.rules(list, tool).any(|pattern| match pattern {
            Pattern::Path(pattern) => pattern.is_match(path, self.root),
            pattern => matches!(pattern, Pattern::Tool(_)),
        })
    }

    fn read(&self, path: &str) -> Answer {
        let inside = is_inside(path, self.root);
        let has = |list| self.matches_path(list, "Read", path);
        self.decide(has(List::Deny), has(List::Ask), inside || has(List::Allow))
    }

    fn edit(&self, path: &str) -> Answer {
        let has = |list| self.matches_path(list, "Edit", path);
        // A file that may not be read may not be written, either.
        let unreadable = self.matches_path(List::Deny, "Read", path);
        self.decide(unreadable || has(List::Deny), has(List::Ask), has(List::Allow))
    }

    fn fetch(&self, url: &str) -> Answer {
        let host = url::Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_lowercase)).unwrap_or_default();
        let host = host.trim_end_matches('.');
        let has = |list| {
            self.engine.rules(list, "WebFetch").any(|pattern| match pattern {
                Pattern::Domain(Some(pattern), _) => pattern.is_match(&host.replace('.', "/")),
                Pattern::Domain(None, end) => host.ends_with(end.as_str()),
                pattern => matches!(pattern, Pattern::Tool(_)),
            })
        };
        self.decide(has(List::Deny), has(List::Ask), has(List::Allow))
    }

    fn shell(&self, text: &str) -> Answer {
        let reading = script::read(text);
        let outside = || reading.pieces.iter().filter(|piece| piece.outside);
        let answer = outside().map(|piece| self.piece(piece)).max().unwrap_or(Answer::Ask);
        // What can't be taken apart is asked about; a part that is denied is denied.
        let known = reading.shape == Shape::Plain && !asks_for_cd(&reading);
        if known { answer } else { answer.max(self.unlisted()) }
    }

    fn piece(&self, piece: &Piece) -> Answer {
        let command = stripped(&piece.text);
        let bare = Some(command).filter(|command| *command != piece.text);
        let has = |list| {
            let meets = |text: &str| self.engine.rules(list, "Bash").any(|pattern| is_command(pattern, text));
            meets(&piece.text) || bare.is_some_and(meets)
        };
        let words: Vec<&str> = command.split_whitespace().collect();
        let safe = piece.assigned.iter().all(|name| SAFE_VARIABLES.contains(&name.as_str()));
        let runner = words.first().is_some_and(|word| RUNNERS.contains(word))
            || words.first() == Some(&"find") && words.iter().any(|word| FIND_ACTIONS.contains(word));
        let allowed = safe && (self.is_reading(piece, &words) || has(List::Allow) && !runner);
        let command = self.decide(has(List::Deny), has(List::Ask), allowed || words.is_empty());
        command.max(self.written(piece)).max(self.operands(&words))
    }

    /// It runs without a rule.
    fn is_reading(&self, piece: &Piece, words: &[&str]) -> bool {
        let Some((program, arguments)) = words.split_first() else { return false };
        let outside = arguments.iter().any(|word| !word.starts_with('-') && !is_inside(word, self.root));
        let known = match *program {
            "git" => arguments.first().is_some_and(|word| READING_GIT.contains(word)),
            "find" => !arguments.iter().any(|word| FIND_ACTIONS.contains(word)),
            program => READING.contains(&program),
        };
        let globs = piece.globs && matches!(*program, "find" | "git");
        known && !globs && !outside
    }

    /// The files that the command's output goes to.
    fn written(&self, piece: &Piece) -> Answer {
        let answers = piece.written.iter().map(|target| match target.as_deref() {
            Some("/dev/null") => Answer::Allow,
            Some(target) if !target.starts_with('~') => self.edit(target),
            _ => self.unlisted(),
        });
        answers.max().unwrap_or(Answer::Allow)
    }

    /// The files of a command whose operands are compared with rules: only a deny or ask counts.
    fn operands(&self, words: &[&str]) -> Answer {
        let Some((program, arguments)) = words.split_first() else { return Answer::Allow };
        if !FILE_COMMANDS.contains(program) {
            return Answer::Allow;
        }
        let denied = |path: &str| {
            let path = path.trim_matches(['"', '\'']);
            let read = self.matches_path(List::Deny, "Read", path);
            read || *program == "sed" && self.matches_path(List::Deny, "Edit", path)
        };
        if arguments.iter().any(|word| denied(word)) { Answer::Deny } else { Answer::Allow }
    }
}

fn is_command(pattern: &Pattern, text: &str) -> bool {
    match pattern {
        Pattern::Command { whole, bare } => {
            whole.is_match(text) || bare.as_ref().is_some_and(|bare| bare.is_match(text))
        }
        pattern => matches!(pattern, Pattern::Tool(_)),
    }
}

/// The command behind wrappers, as written.
fn stripped(text: &str) -> &str {
    let mut rest = text.trim();
    while let Some((program, after)) = rest.split_once(char::is_whitespace).filter(|(word, _)| WRAPPERS.contains(word))
    {
        let after = after.trim_start();
        let has_options = after.starts_with('-');
        if has_options && matches!(program, "command" | "xargs") {
            return rest;
        }
        rest = skip_options(after);
        if program == "timeout" {
            rest = rest.split_once(char::is_whitespace).map_or("", |(_, after)| after.trim_start());
        }
    }
    rest
}

fn skip_options(text: &str) -> &str {
    let mut rest = text;
    while rest.starts_with('-') {
        let Some((option, after)) = rest.split_once(char::is_whitespace) else { return "" };
        rest = after.trim_start();
        // `nice -n 5` and `timeout -k 5`: the value is a word of its own.
        if matches!(option, "-n" | "-k" | "-s") {
            rest = rest.split_once(char::is_whitespace).map_or("", |(_, after)| after.trim_start());
        }
    }
    rest
}

/// `cd` into another directory before git, or before a redirection.
fn asks_for_cd(reading: &Reading) -> bool {
    let runs = |name: &str| reading.pieces.iter().any(|piece| piece.literals().first() == Some(&name));
    runs("cd") && (runs("git") || reading.pieces.iter().any(|piece| !piece.written.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::super::super::act::Act;
    use super::super::super::answer::Answer;
    use super::super::{Mode, Settings};
    use super::Engine;

    fn settings(allow: &[&str], deny: &[&str]) -> Settings {
        let owned = |list: &[&str]| list.iter().map(|rule| (*rule).to_owned()).collect();
        Settings { mode: Mode::Ask, allow: owned(allow), ask: Vec::new(), deny: owned(deny) }
    }

    fn shell(settings: &Settings, text: &str) -> Answer {
        Engine::new(settings).answer(&Act::Shell(text.to_owned()), "/repo").unwrap()
    }

    /// The examples of the documentation.
    #[test]
    fn commands_are_answered_as_documented() {
        let rules =
            settings(&["Bash(npm run test *)", "Bash(ls *)", "Bash(watch *)"], &["Bash(rm *)", "Read(//**/.env)"]);
        for (text, expected) in [
            ("npm run test", Answer::Allow),
            ("npm run test -- --watch", Answer::Allow),
            ("npm run tests", Answer::Ask),
            ("npm run test && rm x", Answer::Deny),
            ("timeout 30 npm run test", Answer::Allow),
            ("NODE_ENV=test npm run test", Answer::Allow),
            ("SECRET=x npm run test", Answer::Ask),
            ("FOO=bar rm -rf tmp/", Answer::Deny),
            ("xargs rm x", Answer::Deny),
            ("lsof", Answer::Ask),
            ("watch ls", Answer::Ask),
            ("find . -exec cat {} +", Answer::Ask),
            ("cat README.md", Answer::Allow),
            ("cat .env", Answer::Deny),
            ("cat /etc/passwd", Answer::Ask),
            ("cat $(echo x)", Answer::Ask),
            ("ls > out.txt", Answer::Ask),
            ("ls > /dev/null", Answer::Allow),
            ("cd x && git status", Answer::Ask),
        ] {
            assert_eq!(shell(&rules, text), expected, "{text}");
        }
    }

    #[test]
    fn files_and_hosts_are_answered_as_documented() {
        let rules = settings(
            &["Edit(/src/**)", "WebFetch(domain:*.example.com)", "mcp__github__get_*"],
            &["Read(~/.ssh/**)", "Edit(//**/*.lock)"],
        );
        let answer = |act: Act| Engine::new(&rules).answer(&act, "/repo").unwrap();
        let edit = |path: &str| answer(Act::Edit(vec![path.to_owned()]));
        assert_eq!(edit("src/a.rs"), Answer::Allow);
        assert_eq!(edit("/repo/src/a.rs"), Answer::Allow);
        assert_eq!(edit("src/Cargo.lock"), Answer::Deny);
        assert_eq!(edit("src/../ci.yml"), Answer::Ask);
        assert_eq!(answer(Act::Read(vec!["/root/.ssh/id".to_owned()])), Answer::Deny);
        assert_eq!(answer(Act::Fetch("https://a.b.example.com/x".to_owned())), Answer::Allow);
        assert_eq!(answer(Act::Fetch("https://example.com".to_owned())), Answer::Ask);
        let mcp = |tool: &str| answer(Act::Mcp { server: "github".to_owned(), tool: tool.to_owned() });
        assert_eq!((mcp("get_issue"), mcp("delete")), (Answer::Allow, Answer::Ask));
    }
}

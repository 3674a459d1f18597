//! Every form of a text: in words, and with texts that show it.

use super::Syntax;
use crate::glob;

/// A form, and texts that show it.
#[derive(Clone, Copy)]
pub(crate) struct Form {
    /// In words.
    pub about: &'static str,
    /// Texts that every reader takes, the first one the best to start from.
    pub good: &'static [&'static str],
    /// Texts that reader and schema refuse.
    pub refused: &'static [&'static str],
    /// The most characters.
    pub longest: Option<usize>,
}

const fn form(about: &'static str, good: &'static [&'static str], refused: &'static [&'static str]) -> Form {
    Form { about, good, refused, longest: None }
}

const fn up_to(longest: usize, form: Form) -> Form {
    Form { longest: Some(longest), ..form }
}

const PATTERN: usize = glob::LONGEST;

/// Texts of a form that people are shown.
const SHOWN: usize = 6;

impl Form {
    /// The first texts that are taken.
    pub(crate) fn shown(&self) -> &'static [&'static str] {
        self.good.get(..SHOWN).unwrap_or(self.good)
    }
}

impl Syntax {
    pub(crate) fn form(self) -> Form {
        let found = FORMS.iter().find(|(syntax, _)| *syntax == self);
        // A test holds that every form has a row.
        found.map_or(form("a text", &[], &[]), |(_, form)| *form)
    }
}

/// Every form with its texts.
const FORMS: &[(Syntax, Form)] = &[
    (Syntax::Free, form("a text", &["text", ""], &[])),
    (Syntax::Said, form("a text", &["text"], &["", "  "])),
    (Syntax::Line, up_to(500, form("one line", &["one line"], &["", " ", "two\nlines"]))),
    (Syntax::Line1, form("one line", &["one line"], &["", " ", "two\nlines"])),
    (Syntax::MaybeEmpty, form("one line", &["one line", ""], &["two\nlines"])),
    (Syntax::Reason, up_to(200, form("one line", &["it asks a server"], &["", " ", "two\nlines"]))),
    (Syntax::Pattern, up_to(PATTERN, form("a pattern", &["claude-*"], &["", " ", "two\nlines"]))),
    (Syntax::Word, up_to(PATTERN, form("a word", &["push"], &["", " ", "two\nlines"]))),
    (Syntax::Path, up_to(PATTERN, form("a path pattern", GOOD_PATHS, REFUSED_PATHS))),
    (
        Syntax::LabelPath,
        up_to(
            PATTERN,
            form("a path pattern of its own", &["config/prod/**"], &["label:other", "builtin:secrets", "../x"]),
        ),
    ),
    (Syntax::Command, up_to(PATTERN, form("a command", GOOD_COMMANDS, REFUSED_COMMANDS))),
    (Syntax::Host, up_to(PATTERN, form("a host", GOOD_HOSTS, REFUSED_HOSTS))),
    (
        Syntax::ProgramHost,
        form(
            "a host without a port",
            &["example.com", "registry:npm"],
            &["", "https://example.com/a", "example.com:443", "a b"],
        ),
    ),
    (Syntax::Name, up_to(PATTERN, form("a name", &["code-*"], &["", "!x", "a b"]))),
    (Syntax::Tool, up_to(PATTERN, form("a tool", &["get_*"], &["", "!x", "a b", "mcp__github__get_me"]))),
    (
        Syntax::Variable,
        up_to(
            200,
            form(
                "a variable",
                &["LD_PRELOAD", "GIT_*", "builtin:harmless-variables"],
                &["", "LD PRELOAD", "$HOME", "PATH=/bin", "builtin:secrets"],
            ),
        ),
    ),
    (
        Syntax::Step,
        form(
            "a step",
            &["read .env", "net", "net example.com", "exec git push", "mcp github/delete_*", "env PATH"],
            &["", "read", "fetch x", "exec"],
        ),
    ),
    (
        Syntax::Day,
        form("a day", &["2026-12-31", "2028-02-29"], &["", "2026-02-30", "2026-13-01", "31.12.2026", "20261231"]),
    ),
    (Syntax::Duration, form("a duration", &["1h 30m", "90m", "PT1H"], &["", "soon", "5", "1d"])),
    (Syntax::Digest, form("64 hex digits", &[DIGEST], &["", "0123", "sha256:00"])),
    (Syntax::Fingerprint, form("32 hex digits", &[FINGERPRINT], &["", "0123", "0123456789ABCDEF0123456789ABCDEF"])),
    (Syntax::RuleName, up_to(100, form("an id", &["CMD-PUSH"], &["", "a b", "scope/x", "ü"]))),
    (Syntax::RuleReference, up_to(500, form("a rule", &["scope/network"], &["", "two\nlines"]))),
    (Syntax::RuleOrFamily, form("a rule, or a family", &["scope/", "scope/network", "scope/*"], &["", "text"])),
    (Syntax::Program, form("a program", &["docker"], &["", "a b", "bin/x"])),
    (Syntax::Act, form("an act", &["git push origin main"], &[])),
    (Syntax::ExampleCommand, form("a command", &["deploy-tool up"], &[])),
    (
        Syntax::RelativeFile,
        form(
            "a relative path",
            &[".github/org-scope.json"],
            &["", "/etc/scope.json", "~/scope.json", "https://example.com/scope.json", "C:/scope.json"],
        ),
    ),
    (Syntax::File, form("a path", &["baseline.json"], &["", " ", "two\nlines"])),
    (Syntax::LogFile, form("a log", &["retention.log"], &["", "notes.sh", "../retention.log", "a\n.log"])),
    (
        Syntax::AbsoluteDirectory,
        form("an absolute directory", &["/srv/repo", "C:/repo", "C:\\repo"], &["", "repo", "~/repo"]),
    ),
    (
        Syntax::Always,
        form(
            "a role and a path",
            &["read deploy.toml", "write-tree dist"],
            &["", "read", "open deploy.toml", "read *.toml"],
        ),
    ),
    (Syntax::AnyName, form("a name", &["name"], &[])),
    (Syntax::LabelName, form("letters, digits, `-`, `_` and `.`", &["secrets"], &["", "a b", "ü"])),
    (Syntax::Server, form("the name of a server", &["github", "*"], &["", " ", "mcp__github"])),
    (
        Syntax::Selector,
        form(
            "the agents that a part is for",
            &["main", "subagent:*", "agent:codex", "mode:plan"],
            &["", "mine", "subagent:", "agents:x"],
        ),
    ),
    (Syntax::Programs, form("names of programs", &["deploy-tool", "a b"], &["", " ", "bin/x", "-x", "a|b"])),
    (Syntax::Options, form("names of options", &["-o --output"], &["", " ", "output", "-o=x", "--"])),
    (Syntax::Subcommands, form("names of subcommands", &["push", "up down"], &["", " "])),
];

const DIGEST: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
const FINGERPRINT: &str = "0123456789abcdef0123456789abcdef";

const GOOD_PATHS: &[&str] = &[
    "src/**",
    ".env",
    "!docs/*.md",
    "//etc/**",
    "~/.ssh/**",
    "builtin:secrets",
    "! docs/*.md",
    "!//tmp/**",
    "/Cargo.toml",
    "**/*.pem",
    "a[!b]/[[]x",
    "[]a]",
    "[|]",
    "[!]|]",
    "[{]a",
    "a[{]b,c}",
    "{a[,]}",
    "a b",
    "//C:/Users/**",
    "größe/*",
    "a{b}",
];
const REFUSED_PATHS: &[&str] = &[
    "",
    " ",
    "!",
    "!!x",
    "src\\secret\\**",
    "C:\\Users\\**",
    "src/[a",
    "src/{a,b",
    "src/{a,b}",
    "../other/**",
    "a/../b",
    "src/",
    "a//b",
    "$HOME/x",
    "${HOME}/x",
    "Read(.env)",
    "\".env\"",
    "a|b",
    "builtin:secret",
    "builtin:harmless-variables",
    "two\nlines",
    "^src$",
    "re:src",
];

const GOOD_COMMANDS: &[&str] = &[
    "cargo test *",
    "git push --force",
    "builtin:viewers",
    "jq '{name,version}'",
    "*",
    "npm:cowsay",
    "awk '{print $1,$2}'",
    "docker run -e X=",
    "sh -c 'a | b'",
    "find . -exec rm {} +",
    "[ -f x ]",
];
const REFUSED_COMMANDS: &[&str] = &[
    "",
    " ",
    "!git push",
    "Bash(git push:*)",
    "cat x | sh",
    "a && b",
    "сurl",
    "mcp__github__get_me",
    "-rf",
    "rm -- x",
    "rm:*",
    "X=1 make",
    "$CMD",
    "builtin:secrets",
    "two\nlines",
];

const GOOD_HOSTS: &[&str] = &[
    "example.com",
    "*.example.com:443",
    "registry:npm",
    "remote:origin",
    "10.0.0.0/8",
    "*",
    "remote:*",
    "127.0.0.1",
    "::1",
    "[::1]:8080",
    "fe80::/10",
    "localhost:65535",
    "münchen.example",
    "EXAMPLE.com.",
    "[fe80::1]",
];
const REFUSED_HOSTS: &[&str] = &[
    "",
    " ",
    "https://github.com/a",
    "api.*.com",
    "localhost:99999",
    "localhost:0",
    "10.0.0.0/40",
    "10.0.0",
    "a b",
    ".example.com",
    "a.com,b.com",
    "user:secret@github.com",
    "label:hosts",
    "WebFetch(domain:a.com)",
    "remotes:origin",
    "[example.com]",
    "example.com:+443",
    "10.0.0.0/08",
];

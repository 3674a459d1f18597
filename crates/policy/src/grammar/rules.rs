//! Rules with names of their own, exceptions from rules, sequences and tests.

use super::policy::PATHS_OF_RULE;
use super::{Key, Keys, Length, Object, Rule as Together, Shape, Syntax, UNBOUNDED, listed, words};
use crate::Answer;
use crate::parse::{DECISIONS, SEVERITIES};
use crate::waivers::Subject;

const LINE: Shape = Shape::Text(Syntax::Line);
const SOME_WORDS: Shape = Shape::OneOrMore(&Shape::Text(Syntax::Word), Length::SOME);
const WORDS: Shape = Shape::OneOrMore(&Shape::Text(Syntax::Word), Length::ANY);
const ABOUT_SEVERITY: &str = "The level of a finding; without the key an error. A rule that allows has none.";
const ABOUT_OWNER: &str = "The person or team that answers for it.";

pub(crate) static RULE: Object = Object {
    name: "Rule",
    about: "An entry with a name, an owner and a reason of its own, and with examples that prove it.",
    example: r#"{"id": "CMD-PUSH", "effect": "deny", "reason": "releases are cut by CI", "match": {"exec": {"program": "git", "subcommand": "push"}}}"#,
    keys: Keys::Listed(&[
        Key::new(
            "id",
            Shape::Text(Syntax::RuleName),
            "The name in findings, exceptions and tests: up to 100 letters, digits, `-` and `_`.",
        )
        .required(),
        Key::new("effect", Shape::Word(|| words(DECISIONS)), "The answer to an act that the rule matches.").required(),
        Key::new("severity", Shape::Word(|| words(SEVERITIES)), ABOUT_SEVERITY),
        Key::new("owner", LINE, ABOUT_OWNER),
        Key::new("reason", LINE, "The reason for the rule, and the way to go instead: findings show it."),
        Key::new("match", Shape::Object(&MATCH), "The acts that the rule is about: one kind of them.").required(),
        Key::new(
            "examples",
            Shape::Object(&EXAMPLES),
            "Acts that the rule has to match, and acts that it must not match.",
        ),
    ]),
    rule: Together::Free,
};

pub(crate) static MATCH: Object = Object {
    name: "Match",
    about: "Exactly one kind of act.",
    example: r#"{"write": ["migrations/**"]}"#,
    keys: Keys::Listed(&[
        Key::new("exec", Shape::Object(&EXEC), "Commands that are run."),
        Key::new("read", PATHS_OF_RULE, "Files whose content is read."),
        Key::new("write", PATHS_OF_RULE, "Files that are written."),
        Key::new("delete", PATHS_OF_RULE, "Files that are deleted."),
        Key::new("list", PATHS_OF_RULE, "Files and folders whose names are listed."),
        Key::new("net", Shape::OneOrMore(&Shape::Text(Syntax::Host), Length::SOME), "Hosts that are contacted."),
        Key::new("mcp", Shape::Object(&TOOLS), "Tools of MCP servers."),
        Key::new(
            "spawn",
            Shape::OneOrMore(&Shape::Text(Syntax::Name), Length::SOME),
            "Types of sub-agents that are started.",
        ),
        Key::new(
            "env",
            Shape::OneOrMore(&Shape::Text(Syntax::Variable), Length::SOME),
            "Environment variables that programs are given.",
        ),
    ]),
    rule: Together::OneOf(&["exec", "read", "write", "delete", "list", "net", "mcp", "spawn", "env"]),
};

pub(crate) static EXEC: Object = Object {
    name: "Exec",
    about: "A command part by part. Everything that is stated has to hold.",
    example: r#"{"program": "git", "subcommand": ["push", "remote add"], "any_flag": ["--force"]}"#,
    keys: Keys::Listed(&[
        Key::new("program", SOME_WORDS, "One of these programs; `*` is any.").required(),
        Key::new("subcommand", WORDS, "One of these subcommands, behind global options: `push`, `remote add`."),
        Key::new(
            "any_flag",
            WORDS,
            "One of these flags, in any spelling; an entry without a dash is a pattern of an operand (`+*`).",
        ),
        Key::new("all_flags", WORDS, "All of these flags, in any spelling."),
        Key::new("only_flags", WORDS, "No other flags than these."),
        Key::new(
            "operands",
            WORDS,
            "To deny or to ask: one operand is one of these. To allow: every operand is one of these.",
        ),
    ]),
    rule: Together::Free,
};

pub(crate) static TOOLS: Object = Object {
    name: "Tools",
    about: "Tools of MCP servers: without `server` of any server, without `tools` all of its tools.",
    example: r#"{"server": "github", "tools": ["delete_*"]}"#,
    keys: Keys::Listed(&[
        Key::new("server", Shape::Text(Syntax::Said), "The name of a server, with `*` for any text."),
        Key::new(
            "tools",
            Shape::OneOrMore(&Shape::Text(Syntax::Name), Length::SOME),
            "The names of tools, with `*` for any text.",
        ),
    ]),
    rule: Together::Free,
};

pub(crate) static EXAMPLES: Object = Object {
    name: "Examples",
    about: "Commands, paths, hosts, tools (`server/tool`), agents or names of variables. They are checked whenever the \
            policy is read.",
    example: r#"{"not_match": ["git status"]}"#,
    keys: Keys::Listed(&[
        Key::new(
            "match",
            Shape::List(&Shape::Text(Syntax::Act), Length::ANY),
            "The rule matches each of these, and nothing else decides otherwise.",
        ),
        Key::new("not_match", Shape::List(&Shape::Text(Syntax::Free), Length::ANY), "The rule matches none of these."),
    ]),
    rule: Together::Free,
};

pub(crate) static EXCEPTION: Object = Object {
    name: "Exception",
    about: "An act that may be although a rule forbids it.",
    example: r#"{"rule": "scope/network", "match": {"host": "example.com"}, "reason": "INC-42: the mirror is down", "owner": "@platform", "until": "2026-12-31"}"#,
    keys: Keys::Listed(&[
        Key::new(
            "rule",
            Shape::Text(Syntax::RuleReference),
            "The rule it is an exception from: an entry of the policy (`files.read.deny[0]`), the id of one of its rules, \
             or a built-in rule (`scope/network`).",
        )
        .required(),
        Key::new(
            "match",
            Shape::Object(&SUBJECTS),
            "The acts it is about: all keys have to hold, and of a list one entry. Without the key the whole rule is off, \
             which is a finding.",
        ),
        Key::new("reason", LINE, "The reason for the exception.").required(),
        Key::new("owner", LINE, ABOUT_OWNER).required(),
        Key::new("until", Shape::Text(Syntax::Day), "The last day it holds, in UTC.").required(),
        Key::new("max_uses", Shape::Whole(1, u32::MAX as u64), "The most findings of a run that it covers."),
    ]),
    rule: Together::Free,
};

pub(crate) static SUBJECTS: Object = Object {
    name: "ExceptionMatch",
    about: "The subject of the finding.",
    example: r#"{"path": ["docs/**"]}"#,
    keys: Keys::Named(subjects),
    rule: Together::Free,
};

fn subjects() -> Vec<Key> {
    Subject::ALL
        .iter()
        .map(|subject| {
            let (syntax, about): (&'static Shape, _) = match subject {
                Subject::Agent => (&Shape::Text(Syntax::Pattern), "The agent of the session."),
                Subject::Command => (&Shape::Text(Syntax::Command), "The command, as in lists of commands."),
                Subject::Env => (&Shape::Text(Syntax::Pattern), "The environment variable."),
                Subject::Fingerprint => {
                    (&Shape::Text(Syntax::Fingerprint), "The fingerprint of the finding, as reports have it.")
                }
                Subject::Host => (&Shape::Text(Syntax::Host), "The host, as in lists of hosts."),
                Subject::Path => (&Shape::Text(Syntax::Path), "The path, as in lists of paths."),
                Subject::Session => (&Shape::Text(Syntax::Pattern), "The id of the session."),
                Subject::Target => {
                    (&Shape::Text(Syntax::Pattern), "The path, host, command or tool that the finding names.")
                }
                Subject::Tool => (&Shape::Text(Syntax::Pattern), "The tool that was called."),
            };
            Key::new(subject.name(), Shape::OneOrMore(syntax, Length::SOME), about)
        })
        .collect()
}

pub(crate) static SEQUENCE: Object = Object {
    name: "Sequence",
    about: "Acts that may not follow each other.",
    example: r#"{"id": "SEQ-1", "deny": ["read .env", "net"], "within": "session"}"#,
    keys: Keys::Listed(&[
        Key::new("id", LINE, "The name in findings and exceptions.").required(),
        Key::new(
            "deny",
            Shape::List(&Shape::Text(Syntax::Step), Length { least: 2, most: Some(8) }),
            "Steps in order: `read`, `write`, `delete` or `list` with a path, `exec` with a command, `net` with a host or \
             alone, `mcp` with `SERVER/TOOL`, `env` with the name of a variable.",
        )
        .required(),
        Key::new(
            "within",
            Shape::Either(&[Shape::Word(|| vec!["session".to_owned()]), Shape::Whole(1, u32::MAX as u64)]),
            "`session`, as without the key, or how many calls it may take from the first step to the last.",
        ),
        Key::new("severity", Shape::Word(|| words(SEVERITIES)), ABOUT_SEVERITY),
        Key::new("reason", LINE, "The reason for the rule."),
        Key::new("owner", LINE, ABOUT_OWNER),
    ]),
    rule: Together::Free,
};

pub(crate) static TEST: Object = Object {
    name: "Test",
    about: "A call, or several calls of one session, and the answer of the policy: the strictest answer counts.",
    example: r#"{"tool": "Bash", "input": {"command": "git push --force"}, "expect": "deny"}"#,
    keys: Keys::Listed(&[
        Key::new("name", Shape::Text(Syntax::Said), "The name in reports."),
        Key::new(
            "tool",
            Shape::Text(Syntax::Said),
            "The name of the tool: `Bash`, `Read`, `mcp__github__create_issue`.",
        ),
        Key::new("input", Shape::Anything, "The arguments of the tool, as a session log has them."),
        Key::new(
            "seq",
            Shape::List(&Shape::Tuple(&[Shape::Text(Syntax::Free), Shape::Anything]), Length::SOME),
            "Several calls of one session, each a list of a tool and its arguments.",
        ),
        Key::new(
            "cwd",
            Shape::Text(Syntax::Said),
            "The directory of the agent, relative to the root of the workspace.",
        ),
        Key::new("agent", Shape::Text(Syntax::Said), "The agent of the session: `claude-code`."),
        Key::new("subagent", Shape::Text(Syntax::Said), "The type of the sub-agent that calls."),
        Key::new("mode", Shape::Text(Syntax::Said), "The permission mode of the session."),
        Key::new("expect", Shape::Word(|| listed(Answer::NAMES)), "The answer that the policy has to give.").required(),
        Key::new(
            "rule",
            Shape::Text(Syntax::Said),
            "The entry or rule that has to decide: `commands.deny[2]`, an id, or a built-in one such as `floor/policy`.",
        ),
    ]),
    rule: Together::Groups(&[&["tool", "input"], &["seq"]]),
};

/// A number of dollars, calls or uses without an upper bound.
pub(super) const ANY_COUNT: Shape = Shape::Whole(0, UNBOUNDED);

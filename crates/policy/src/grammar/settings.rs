//! Settings of the gate: `.agent-strace.yaml`.

use super::{EXCEPTION, Empty, Format, Key, Keys, Length, Object, Rule, Shape, Syntax, Versions, listed};
use crate::config::{FOREIGN, LEVELS, private, retention};

pub(super) const FORMAT: Format = Format {
    file: ".agent-strace.yaml",
    command: "config",
    title: "agent-strace.yaml",
    name: "agent-strace",
    root: &CONFIGURATION,
    note: "Another name of the file is `.agent-strace.yml`. The examples are JSON, which is YAML, too.",
    empty: Empty::Taken,
    foreign: FOREIGN,
    versions: Versions::One,
};

static WAIVED: Shape = Shape::Object(&EXCEPTION);
static KEPT: Shape = Shape::Object(&RETENTION);
static HELD: Shape = Shape::Object(&HOLD);
static APPROVED: Shape = Shape::Either(&[Shape::Text(Syntax::Line1), Shape::Object(&APPROVAL)]);

const LIMITS: [Key; 5] = [
    Key::new("max_age_days", Shape::Whole(1, 36_500), "Sessions that started longer ago are deleted."),
    Key::new("max_sessions", Shape::Whole(1, u32::MAX as u64), "Only so many of the most recent sessions are kept."),
    Key::new(
        "max_size_mb",
        Shape::NumberAbove(0.0, 1e12),
        "The oldest sessions are deleted until all of them take no more than this (in units of 1024 × 1024 bytes).",
    ),
    Key::new("on_delete", Shape::Word(|| listed(retention::ON_DELETE)), "Log deletions, or be silent about them."),
    Key::new(
        "log_path",
        Shape::Text(Syntax::LogFile),
        "The log of deletions, relative to this file; without the key `retention.log` in the store.",
    ),
];

/// The names of the limits of retention, which may stand at the top of the file, too.
pub(crate) fn limits() -> Vec<&'static str> {
    LIMITS.iter().map(|key| key.name).collect()
}

pub(crate) static CONFIGURATION: Object = Object {
    name: "Configuration",
    about: "Settings of the gate, and findings that are passed over: for a reason, on the word of an owner, until a day.",
    example: r#"{"fail_on": "warning"}"#,
    keys: Keys::Named(|| {
        let own = [
            Key::new("suppressions", Shape::List(&WAIVED, Length::up_to(1_000)), "Findings that are passed over."),
            Key::new("fail_on", Shape::Word(|| listed(LEVELS)), "The lowest level that fails; `--fail-on` wins."),
            Key::new(
                "baseline",
                Shape::Text(Syntax::File),
                "Findings that are known, relative to this file; `--baseline` wins.",
            ),
            Key::new(
                "retention",
                Shape::OrNull(&KEPT),
                "The time that sessions are kept: `retention` deletes older ones, and `check` reports them.",
            ),
            Key::new(
                private::SECTION,
                Shape::Object(&PRIVATE),
                "The secrets and personal data that `check` searches logs for.",
            ),
            Key::new(
                "approved",
                Shape::List(&APPROVED, Length::ANY),
                "The AI tools, MCP servers and hosts that may be in the repository: `audit-tools` fails for any other.",
            ),
            Key::new(
                "roots",
                Shape::List(&Shape::Text(Syntax::AbsoluteDirectory), Length::ANY),
                "Absolute directories that are the top of the repository where agents run: paths of sessions that ran in \
                 one of them count from there, as with `--root`.",
            ),
        ];
        own.into_iter().chain(LIMITS).collect()
    }),
    rule: Rule::Free,
};

pub(crate) static RETENTION: Object = Object {
    name: "Retention",
    about: "Limits for the sessions that are kept. Age counts first, then number, then size.",
    example: r#"{"max_age_days": 90, "max_sessions": 1000}"#,
    keys: Keys::Named(|| {
        let about = "Sessions that are kept whatever the limits say.";
        let hold = Key::new("hold", Shape::List(&HELD, Length::ANY), about);
        LIMITS.into_iter().chain([hold]).collect()
    }),
    rule: Rule::Free,
};

pub(crate) static HOLD: Object = Object {
    name: "Hold",
    about: "Sessions that are kept whatever the limits say.",
    example: r#"{"session": "3f9a*", "reason": "CASE-7"}"#,
    keys: Keys::Listed(&[
        Key::new("session", Shape::Text(Syntax::Line1), "The id of a session, or a pattern with `*` and `?`.")
            .required(),
        Key::new("reason", Shape::Text(Syntax::Line1), "The reason for which they are kept.").required(),
    ]),
    rule: Rule::Free,
};

pub(crate) static PRIVATE: Object = Object {
    name: "PrivateData",
    about: "The secrets and personal data that `check` searches logs for.",
    example: r#"{"pii/*": true}"#,
    keys: Keys::Named(|| {
        let about = "`true`: logs are searched for it; `false`: they are not.";
        private::names().into_iter().map(|name| Key::new(name, Shape::Switch, about)).collect()
    }),
    rule: Rule::Free,
};

pub(crate) static APPROVAL: Object = Object {
    name: "Approval",
    about: "An AI tool, MCP server or host that may be in the repository, with reason, end and paths. A text alone is a \
            name: `cursor`, `mcp:github`, `host:llm.example.com`.",
    example: r#"{"tool": "cursor", "reason": "review of 2026-03", "until": "2026-12-31"}"#,
    keys: Keys::Listed(&[
        Key::new("tool", Shape::Text(Syntax::Line1), "A tool by its id, its name or an alias."),
        Key::new("mcp", Shape::Text(Syntax::Line1), "MCP servers by their name, with `*` and `?`."),
        Key::new("host", Shape::Text(Syntax::Line1), "Hosts, with `*` and `?`, or the id of a provider."),
        Key::new("reason", Shape::Text(Syntax::Line1), "The reason for which it may be there.").required(),
        Key::new("until", Shape::Text(Syntax::Day), "The last day it holds, in UTC."),
        Key::new(
            "paths",
            Shape::OneOrMore(&Shape::Text(Syntax::Line1), Length::SOME),
            "Files it holds for, as globs from the top of the repository; without the key all files.",
        ),
    ]),
    rule: Rule::OneOf(&["tool", "mcp", "host"]),
};

//! The policy file as a whole: `.agent-scope.json`.

use agent_strace_effects::Class;

use super::{
    BUDGETS, COMMANDS, ENV, EVIDENCE, EXCEPTION, Empty, FILES, Format, Key, Keys, Length, MCP, NETWORK, Object,
    PROGRAM, RULE, Rule, SEQUENCE, SESSIONS, Shape, Syntax, TEST, Versions, words,
};
use crate::parse::{CLASSES as CLASS_LIST, DECISIONS, ROLES, UNKNOWN_TOOLS, UNRESOLVED};

pub(super) const FORMAT: Format = Format {
    file: ".agent-scope.json",
    command: "agent-scope",
    title: "agent-scope",
    name: "agent-scope",
    root: &ROOT,
    note: "Comments and, in version 2, commas behind the last member are read.",
    empty: Empty::Refused,
    foreign: &[],
    versions: Versions::Both,
};

const OBJECT: Shape = Shape::Map(Syntax::AnyName, &Shape::Anything);

pub(crate) static ROOT: Object = Object {
    name: "Policy",
    about: "The policy for an AI coding agent: what it may read, write, run and contact. Deny wins; an allow list that is \
            not empty allows nothing else.",
    example: r#"{"version": 2, "files": {"write": {"allow": ["src/**"]}}}"#,
    keys: Keys::Listed(&[
        Key::new("$schema", Shape::Text(Syntax::Free), "The address of this schema, for editors."),
        Key::new("version", Shape::Whole(1, 2), "The version of this format: 1, as without the key, or 2."),
        Key::new(
            "extends",
            Shape::List(&Shape::Object(&EXTENSION), Length::ANY),
            "Files of the repository that this policy builds on.",
        )
        .of_version_2(),
        Key::new("defaults", Shape::Object(&DEFAULTS), "The answer where no entry speaks.").of_version_2(),
        Key::new(
            "labels",
            Shape::Map(Syntax::LabelName, &Shape::Entries(&Shape::Text(Syntax::LabelPath), Length::SOME)),
            "Name → path patterns. `label:NAME` may stand wherever a path pattern may.",
        )
        .of_version_2(),
        Key::new("files", Shape::Object(&FILES), "The files that may be read, written and deleted."),
        Key::new("commands", Shape::Object(&COMMANDS), "The commands that may be run."),
        Key::new("network", Shape::Object(&NETWORK), "The hosts that may be contacted."),
        Key::new("mcp", Shape::Object(&MCP), "The tools of MCP servers that may be used.").of_version_2(),
        Key::new("env", Shape::Object(&ENV), "The environment variables that may be set for programs.").of_version_2(),
        Key::new(
            "agents",
            Shape::Map(Syntax::Selector, &Shape::Object(&PART)),
            "Parts that are for some agents only: `main`, or `subagent:TYPE`, `agent:NAME` and `mode:PERMISSION-MODE` \
             with `*` for any text in the name. They judge beside the rest of the policy, and the strictest judgement counts.",
        )
        .of_version_2(),
        Key::new(
            "budgets",
            Shape::Object(&BUDGETS),
            "The limits of what a session may spend. The first unit above a limit breaks it.",
        )
        .of_version_2(),
        Key::new(
            "sequences",
            Shape::List(&Shape::Object(&SEQUENCE), Length::ANY),
            "Acts that may not follow each other.",
        )
        .of_version_2(),
        Key::new(
            "rules",
            Shape::List(&Shape::Object(&RULE), Length::up_to(2_000)),
            "Entries with a name, an owner and a reason of their own, and with examples that prove them.",
        )
        .of_version_2(),
        Key::new(
            "exceptions",
            Shape::List(&Shape::Object(&EXCEPTION), Length::up_to(1_000)),
            "Acts that may be although a rule forbids them.",
        )
        .of_version_2(),
        Key::new(
            "tests",
            Shape::List(&Shape::Object(&TEST), Length::up_to(10_000)),
            "Calls, and what the policy has to answer; `agent-strace policy test` runs them.",
        )
        .of_version_2(),
        Key::new(
            "provenance",
            OBJECT,
            "Earlier versions wrote here where entries come from, and no version reads it any more. \
             `.agent-scope.provenance.json` has it now.",
        )
        .of_version_2(),
        Key::new(
            "programs",
            Shape::Map(Syntax::Programs, &Shape::Object(&PROGRAM)),
            "Name of a program, or several separated by blanks → its description. An entry of an unknown \
             program describes all of it, one of a tool of projects corrects the built-in description, and one of any \
             other built-in program only adds to it.",
        ),
        Key::new("evidence", Shape::Object(&EVIDENCE), "The evidence that a log has to give, and the weight of evidence that is missing."),
        Key::new(
            "sessions",
            Shape::Object(&SESSIONS),
            "Conditions for sessions, by what their logs say about who ran them, where and how.",
        ),
    ]),
    rule: Rule::Free,
};

pub(crate) static EXTENSION: Object = Object {
    name: "Extension",
    about: "A file of the repository that this policy builds on, pinned by its digest.",
    example: r#"{"path": ".github/org-scope.json", "sha256": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "role": "floor"}"#,
    keys: Keys::Listed(&[
        Key::new("path", Shape::Text(Syntax::RelativeFile), "The file, relative to the folder of this one.").required(),
        Key::new("sha256", Shape::Text(Syntax::Digest), "The SHA-256 digest of its bytes, in hex.").required(),
        Key::new(
            "role",
            Shape::Word(|| super::listed(ROLES)),
            "`floor`: that file judges, too, and the stricter judgement counts. `base`: what this policy does not state \
             is what that file states.",
        )
        .required(),
    ]),
    rule: Rule::Free,
};

pub(crate) static DEFAULTS: Object = Object {
    name: "Defaults",
    about: "The answer where no entry speaks.",
    example: r#"{"decision": "deny", "unknown_tool": "ask"}"#,
    keys: Keys::Listed(&[
        Key::new(
            "decision",
            Shape::Word(|| words(DECISIONS)),
            "For a kind of act that has no allow list: what no entry names may be done (`allow`, as without this key), \
             needs an approval (`ask`), or is out of scope (`deny`).",
        ),
        Key::new(
            "unresolved",
            Shape::Either(&[LEVEL, Shape::Object(&CLASSES)]),
            "The level of acts that cannot be resolved: an error (`deny`), a warning (`warn`) or a note. One level for all \
             acts, or one for each class of them.",
        ),
        Key::new(
            "unknown_tool",
            Shape::Word(|| words(UNKNOWN_TOOLS)),
            "The answer for a tool that belongs to no server and that no table describes.",
        ),
    ]),
    rule: Rule::Free,
};

const LEVEL: Shape = Shape::Word(|| words(UNRESOLVED));

pub(crate) static CLASSES: Object = Object {
    name: "Classes",
    about: "A level for each class of acts that cannot be resolved.",
    example: r#"{"delegated": "warn", "hidden": {"level": "warn", "reason": "the wrapper is reviewed in platform/wrapper"}}"#,
    keys: Keys::Named(classes),
    rule: Rule::Free,
};

static HIDDEN_LEVEL: Shape = Shape::Either(&[Shape::Word(|| vec!["deny".to_owned()]), Shape::Object(&HIDDEN)]);

/// One key for each class of acts that can't be resolved.
fn classes() -> Vec<Key> {
    CLASS_LIST
        .iter()
        .map(|class| {
            let (shape, about) = match class {
                Class::Delegated => (LEVEL, "Code of the project or of an installed package runs."),
                Class::State => (LEVEL, "Files of another revision take the place of those in the work tree."),
                Class::Changed => (LEVEL, "Code of the project runs that the session altered."),
                Class::Unknown => (LEVEL, "No table describes the program or tool."),
                Class::Hidden => {
                    (HIDDEN_LEVEL, "The gate cannot see which code runs. A level below error needs a reason.")
                }
            };
            Key::new(class.name(), shape, about)
        })
        .collect()
}

pub(crate) static HIDDEN: Object = Object {
    name: "Hidden",
    about: "A lower level for acts that the gate cannot see, with the reason.",
    example: r#"{"level": "warn", "reason": "the wrapper is reviewed in platform/wrapper"}"#,
    keys: Keys::Listed(&[
        Key::new("level", LEVEL, "The level.").required(),
        Key::new("reason", Shape::Text(Syntax::Said), "The reason for the lower level.").required(),
    ]),
    rule: Rule::Free,
};

pub(crate) static PART: Object = Object {
    name: "Part",
    about: "A part of a policy that is for some agents only.",
    example: r#"{"files": {"write": {"allow": ["docs/**"]}}}"#,
    keys: Keys::Listed(&[
        Key::new("files", Shape::Object(&FILES), "The files that may be read, written and deleted."),
        Key::new("commands", Shape::Object(&COMMANDS), "The commands that may be run."),
        Key::new("network", Shape::Object(&NETWORK), "The hosts that may be contacted."),
        Key::new("mcp", Shape::Object(&MCP), "The tools of MCP servers that may be used."),
        Key::new("env", Shape::Object(&ENV), "The environment variables that may be set for programs."),
    ]),
    rule: Rule::Free,
};

/// A list of paths that a rule names, alone or as one pattern.
pub(super) const PATHS_OF_RULE: Shape =
    Shape::Either(&[Shape::Text(Syntax::Path), Shape::Entries(&Shape::Text(Syntax::Path), Length::SOME)]);

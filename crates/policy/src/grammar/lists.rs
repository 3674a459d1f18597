//! The lists that judge: files, commands, hosts, tools of MCP servers and variables.

use super::{Key, Keys, Length, Object, Rule, Shape, Syntax, words};
use crate::parse::DECISIONS;

const ABOUT_ALLOW: &str = "An allow list that is not empty allows nothing else.";
const ABOUT_DENY: &str = "A deny wins over every allow.";
const ABOUT_ASK: &str = "A person has to approve these.";

pub(super) const PATH_LIST: Shape = Shape::Entries(&Shape::Text(Syntax::Path), Length::ANY);
const COMMAND_LIST: Shape = Shape::Entries(&Shape::Text(Syntax::Command), Length::ANY);
const HOST_LIST: Shape = Shape::List(&Shape::Text(Syntax::Host), Length::ANY);
const TOOL_LIST: Shape = Shape::List(&Shape::Text(Syntax::Tool), Length::ANY);
const VARIABLE_LIST: Shape = Shape::List(&Shape::Text(Syntax::Variable), Length::ANY);

pub(crate) static FILES: Object = Object {
    name: "Files",
    about: "Paths relative to the root of the repository, absolute ones (`//etc/**`) or those below the home directory \
            (`~/.ssh/**`). A name without `/` counts in every directory. In version 1 `*` crosses `/`, and a pattern with \
            `**` is compared component by component. In version 2 `*` stays within a component, and a deny that names a \
            directory covers everything below it.",
    example: r#"{"read": {"deny": [".env"]}, "write": {"allow": ["src/**"]}}"#,
    keys: Keys::Listed(&[
        Key::new("read", Shape::Object(&PATHS), "The files whose content may be read."),
        Key::new(
            "write",
            Shape::Object(&PATHS),
            "The files that may be written, and, without `delete`, the files that may be deleted.",
        ),
        Key::new("delete", Shape::Object(&PATHS), "The files that may be deleted.").of_version_2(),
    ]),
    rule: Rule::Free,
};

pub(crate) static PATHS: Object = Object {
    name: "Paths",
    about: "Lists of path patterns. An entry with `!` takes away from its own list; `label:NAME` and `builtin:NAME` name \
            sets of paths.",
    example: r#"{"allow": ["src/**", "docs/**"], "deny": ["docs/secret/**"]}"#,
    keys: Keys::Listed(&[
        Key::new("allow", PATH_LIST, ABOUT_ALLOW),
        Key::new("deny", PATH_LIST, ABOUT_DENY),
        Key::new("ask", PATH_LIST, ABOUT_ASK).of_version_2(),
    ]),
    rule: Rule::Free,
};

pub(crate) static COMMANDS: Object = Object {
    name: "Commands",
    about: "Commands by the words that must lead them, with `*` for any text. An allow list also vouches for the code of \
            the project that an entry names: `npm test`.",
    example: r#"{"allow": ["cargo *", "git status"], "deny": ["git push --force"]}"#,
    keys: Keys::Listed(&[
        Key::new(
            "allow",
            Shape::Entries(
                &Shape::Either(&[Shape::Text(Syntax::Command), Shape::OfVersion2(&Shape::Object(&COMMAND_ENTRY))]),
                Length::ANY,
            ),
            ABOUT_ALLOW,
        ),
        Key::new("deny", COMMAND_LIST, ABOUT_DENY),
        Key::new("ask", COMMAND_LIST, ABOUT_ASK).of_version_2(),
    ]),
    rule: Rule::Free,
};

pub(crate) static COMMAND_ENTRY: Object = Object {
    name: "CommandEntry",
    about: "A command with what the entry vouches for (version 2).",
    example: r#"{"command": "npm test", "even_if_changed": true}"#,
    keys: Keys::Listed(&[
        Key::new("command", Shape::Text(Syntax::Command), "The command.").required(),
        Key::new(
            "even_if_changed",
            Shape::Switch,
            "The entry also vouches for code of the repository that the command runs and that the session changed in a \
             way that no log shows. Without it, running such code is an error.",
        ),
    ]),
    rule: Rule::Free,
};

pub(crate) static NETWORK: Object = Object {
    name: "Network",
    about: "Hosts, with `*.` for all hosts below one and `:port` for one port; `registry:npm` and the like for the default \
            registries of package managers, `remote:origin` for a remote of the repository as its owner configured it.",
    example: r#"{"deny_all": true, "allow": ["registry:npm", "*.example.com:443"]}"#,
    keys: Keys::Listed(&[
        Key::new(
            "deny_all",
            Shape::Switch,
            "Only hosts in `allow` may be contacted. Where neither this key nor `defaults.decision` refuses other hosts, `allow` \
             decides nothing; a policy of version 2 that does not say which is meant is refused.",
        ),
        Key::new("allow", HOST_LIST, "The hosts that may be contacted in spite of `deny_all`."),
        Key::new("deny", HOST_LIST, ABOUT_DENY).of_version_2(),
        Key::new("ask", HOST_LIST, ABOUT_ASK).of_version_2(),
    ]),
    rule: Rule::Free,
};

pub(crate) static MCP: Object = Object {
    name: "Mcp",
    about: "The tools of MCP servers that may be used. A tool is judged by the entries of its server, and a server that \
            is not listed by `default`.",
    example: r#"{"default": "deny", "servers": {"github": {"allow": ["get_*"]}}}"#,
    keys: Keys::Listed(&[
        Key::new(
            "default",
            Shape::Word(|| words(DECISIONS)),
            "The answer for servers and tools that no entry names. Without it, `defaults.decision` counts.",
        ),
        Key::new(
            "servers",
            Shape::Map(Syntax::Server, &Shape::Object(&SERVER)),
            "Name of a server, with `*` for any text → its tools.",
        ),
    ]),
    rule: Rule::Free,
};

pub(crate) static SERVER: Object = Object {
    name: "Server",
    about: "Lists of tools, by their names without the server and with `*` for any text.",
    example: r#"{"allow": ["get_*", "search"], "deny": ["delete_*"]}"#,
    keys: Keys::Listed(&[
        Key::new("allow", TOOL_LIST, ABOUT_ALLOW),
        Key::new("deny", TOOL_LIST, ABOUT_DENY),
        Key::new("ask", TOOL_LIST, ABOUT_ASK).of_version_2(),
    ]),
    rule: Rule::Free,
};

pub(crate) static ENV: Object = Object {
    name: "Env",
    about: "The environment variables that may be set for programs: names in any case, with `*` for any part of a name.",
    example: r#"{"deny_set": ["LD_PRELOAD", "GIT_*"]}"#,
    keys: Keys::Listed(&[
        Key::new("deny_set", VARIABLE_LIST, "Variables that may not be set."),
        Key::new("allow_set", VARIABLE_LIST, "The only variables that may be set."),
    ]),
    rule: Rule::Free,
};

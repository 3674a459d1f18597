//! Descriptions of programs in a policy.

use super::{Key, Keys, Length, Object, Rule, Shape, Syntax};
use crate::parse::{operand_roles, option_roles};

const LONGEST_LIST: Length = Length::up_to(200);
const TEXTS: Shape = Shape::List(&Shape::Text(Syntax::Free), LONGEST_LIST);
const OPTION_ROLE: Shape = Shape::Word(|| marked(&option_roles(), '?'));
const OPERAND_ROLE: Shape = Shape::Word(|| marked(&operand_roles(), '*'));

/// Each name as it is, and each with a mark.
fn marked(names: &[&str], mark: char) -> Vec<String> {
    let all = names.iter().map(|name| (*name).to_owned());
    all.chain(names.iter().map(|name| format!("{name}{mark}"))).collect()
}

static DESCRIBED: Shape = Shape::Object(&SUBCOMMAND);

const LIKE: Key = Key::new(
    "like",
    Shape::Text(Syntax::Program),
    "The program that this is another name of. Only `examples` may stand beside it.",
);
const OPTIONS: Key = Key::new(
    "options",
    Shape::Map(Syntax::Options, &OPTION_ROLE),
    "Names of options, separated by blanks, up to 200 → the role of their value. With `?` the value is only ever attached \
     (`--color=auto`).",
);
const OPERANDS: Key = Key::new(
    "operands",
    Shape::List(&OPERAND_ROLE, LONGEST_LIST),
    "The role of each operand; with `*` any number of operands.",
);
const STOPS: Key = Key::new("stops", Shape::Switch, "Options end at the first operand.");
const WORDS: Key =
    Key::new("words", Shape::Switch, "One dash begins a whole word (`-out FILE`), not several options of one letter.");
const ALWAYS: Key = Key::new(
    "always",
    Shape::List(&Shape::Text(Syntax::Always), LONGEST_LIST),
    "Role and path of each file that it touches whatever its arguments are: `read deploy.toml`, `write-tree dist`.",
);
const CONNECT: Key = Key::new(
    "connect",
    Shape::List(&Shape::Text(Syntax::ProgramHost), LONGEST_LIST),
    "Hosts it always talks to, and symbols such as `registry:npm`.",
);
const UNPROVEN: Key = Key::new(
    "unproven",
    Shape::Text(Syntax::Reason),
    "Further acts that no argument shows, in words; `commands.allow` has to vouch for them.",
);
const SUBCOMMANDS: Key = Key::new(
    "subcommands",
    Shape::Map(Syntax::Subcommands, &DESCRIBED),
    "Names of subcommands, separated by blanks → their description.",
);
const OTHERWISE: Key = Key::new(
    "otherwise",
    Shape::Object(&SUBCOMMAND),
    "The description of all subcommands that are not listed; without it, they are not resolved.",
);
const EXAMPLES: Key = Key::new(
    "examples",
    Shape::Map(Syntax::ExampleCommand, &TEXTS),
    "Command → its effects besides executions, as `agent-strace effects` names them. They are checked whenever the policy \
     is read.",
);

/// Each subcommand has operands of its own.
const BESIDE_SUBCOMMANDS: (&str, &[&str]) = ("subcommands", &["operands", "unproven"]);
const OTHERWISE_NEEDS: (&str, &str) = ("otherwise", "subcommands");

pub(crate) static PROGRAM: Object = Object {
    name: "Program",
    about: "A description of what a program does with its arguments. An argument that is not listed is data.",
    example: r#"{"options": {"-o --output": "write"}, "operands": ["read*"]}"#,
    keys: Keys::Named(|| {
        vec![LIKE, OPTIONS, OPERANDS, STOPS, WORDS, ALWAYS, CONNECT, UNPROVEN, SUBCOMMANDS, OTHERWISE, EXAMPLES]
    }),
    rule: Rule::Beside {
        apart: &[
            (
                "like",
                &["options", "operands", "stops", "words", "always", "connect", "unproven", "subcommands", "otherwise"],
            ),
            BESIDE_SUBCOMMANDS,
        ],
        needs: &[OTHERWISE_NEEDS],
    },
};

pub(crate) static SUBCOMMAND: Object = Object {
    name: "Subcommand",
    about: "A description of what a subcommand does with its arguments.",
    example: r#"{"operands": ["write"]}"#,
    keys: Keys::Named(|| {
        vec![OPTIONS, OPERANDS, STOPS, WORDS, ALWAYS, CONNECT, UNPROVEN, SUBCOMMANDS, OTHERWISE, EXAMPLES]
    }),
    rule: Rule::Beside { apart: &[BESIDE_SUBCOMMANDS], needs: &[OTHERWISE_NEEDS] },
};

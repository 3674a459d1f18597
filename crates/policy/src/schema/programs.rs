//! What a policy says of programs.

use super::*;

/// What a program does with its arguments. What is not listed is data.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct Program {
    /// The program that this is another name of. Nothing but `examples` can stand beside it.
    like: Option<String>,
    /// Names of options, separated by blanks → what their value is for. With `?` the value is only ever attached
    /// (`--color=auto`).
    options: Option<BTreeMap<String, OptionRole>>,
    /// What each operand is for; with `*` any number of operands.
    operands: Option<Vec<OperandRole>>,
    /// Options end at the first operand.
    stops: Option<bool>,
    /// Options are whole words behind one dash (`-out FILE`).
    words: Option<bool>,
    /// Role and path of what it touches whatever its arguments are: `read deploy.toml`, `write-tree dist`.
    always: Option<Vec<Always>>,
    /// Hosts it always talks to, and symbols such as `registry:npm`.
    connect: Option<Vec<Pattern>>,
    /// What it does besides that nobody can tell; `commands.allow` has to vouch for it.
    unproven: Option<Reason>,
    /// Names of subcommands, separated by blanks → what they do.
    subcommands: Option<BTreeMap<String, Subcommand>>,
    /// What subcommands that are not listed do; without it, they are not resolved.
    otherwise: Option<Box<Subcommand>>,
    /// Command → its effects besides executions, as `agent-strace effects` names them. They are checked whenever the
    /// policy is read.
    examples: Option<BTreeMap<String, Vec<String>>>,
}

/// The same for a subcommand.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct Subcommand {
    options: Option<BTreeMap<String, OptionRole>>,
    operands: Option<Vec<OperandRole>>,
    stops: Option<bool>,
    words: Option<bool>,
    always: Option<Vec<Always>>,
    connect: Option<Vec<Pattern>>,
    unproven: Option<Reason>,
    subcommands: Option<BTreeMap<String, Subcommand>>,
    otherwise: Option<Box<Subcommand>>,
    examples: Option<BTreeMap<String, Vec<String>>>,
}

#[derive(JsonSchema)]
#[schemars(transparent)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct Always(String);

#[derive(JsonSchema)]
#[schemars(transparent)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct Reason(#[schemars(length(min = 1, max = 200))] String);

#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct OptionRole(String);
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct OperandRole(String);

impl JsonSchema for OptionRole {
    fn schema_name() -> Cow<'static, str> {
        "OptionRole".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        one_of(&parse::option_roles(), Some("?"))
    }
}

impl JsonSchema for OperandRole {
    fn schema_name() -> Cow<'static, str> {
        "OperandRole".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        one_of(&parse::operand_roles(), Some("*"))
    }
}

//! Rules with names of their own, and tests.

use super::*;

/// `tool` and `input`, or `seq`: the strictest answer counts.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct Test {
    name: Option<String>,
    /// The name of the tool, such as `Bash`, `Read` or `mcp__github__create_issue`.
    tool: Option<String>,
    /// Its arguments, as a session log has them.
    input: Option<serde_json::Value>,
    /// Several calls of one session, each a list of tool and input.
    seq: Option<Vec<(String, serde_json::Value)>>,
    /// Where the agent is, relative to the workspace root.
    cwd: Option<String>,
    agent: Option<String>,
    subagent: Option<String>,
    /// The permission mode.
    mode: Option<String>,
    expect: Expectation,
    /// The entry or rule that has to decide: `commands.deny[2]`, an id, or a built-in one such as `floor/policy`.
    rule: Option<String>,
}

#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct Expectation(String);

impl JsonSchema for Expectation {
    fn schema_name() -> Cow<'static, str> {
        "Expectation".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        one_of(crate::Answer::NAMES, None)
    }
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct Rule {
    /// What findings, exceptions and tests call it: letters, digits, `-` and `_`.
    id: String,
    effect: DefaultDecision,
    /// What a finding weighs: an error, if it is not said.
    severity: Option<RuleSeverity>,
    owner: Option<String>,
    /// Why it is there, and what to do instead: findings show it.
    reason: Option<String>,
    /// One kind of act.
    #[schemars(rename = "match")]
    matches: Match,
    examples: Option<Examples>,
}

/// Exactly one of these.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct Match {
    exec: Option<Exec>,
    /// Paths whose content is read.
    read: Option<Texts>,
    write: Option<Texts>,
    delete: Option<Texts>,
    /// Paths whose names are listed.
    list: Option<Texts>,
    /// Hosts that are contacted.
    net: Option<Texts>,
    mcp: Option<Tools>,
    /// Sub-agents that are started.
    spawn: Option<Texts>,
    /// Names of variables that programs are given.
    env: Option<Texts>,
}

/// All that is said has to hold.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct Exec {
    /// One of these programs.
    program: Texts,
    /// One of these, behind global options: `push`, `remote add`.
    subcommand: Option<Texts>,
    /// One of these flags, in any spelling; without a dash, a pattern of an operand (`+*`).
    any_flag: Option<Texts>,
    all_flags: Option<Texts>,
    /// No other flags than these.
    only_flags: Option<Texts>,
    /// To deny or ask: one of its operands is one of these. To allow: all of them are.
    operands: Option<Texts>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct Tools {
    server: Option<Pattern>,
    tools: Option<Texts>,
}

/// Commands, paths, hosts, tools (`server/tool`), agents or names of variables: checked whenever the policy is read.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct Examples {
    /// The rule matches these, and nothing else decides otherwise.
    #[schemars(rename = "match")]
    matches: Option<Vec<String>>,
    not_match: Option<Vec<String>>,
}

/// One text, or several.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) enum Texts {
    One(Pattern),
    Several(Vec<Pattern>),
}

words!(RuleSeverity, parse::SEVERITIES);

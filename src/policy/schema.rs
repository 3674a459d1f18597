//! The published JSON Schema of the policy file, from types that mirror what [`super::parse`] reads.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::JsonSchema;

use super::evidence::{DEFAULTS, Grade, NEVER_OPEN, Weight};
use super::parse;
use super::sessions::Field;

/// One of the words that the reader knows.
macro_rules! words {
    ($name:ident, $words:expr) => {
        struct $name;

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                one_of(&$words.iter().map(|(word, _)| *word).collect::<Vec<_>>(), None)
            }
        }
    };
}

/// The scope of an AI coding agent: what it may read, write, run and contact. Deny wins; an allow list that is not empty
/// allows nothing else.
#[derive(JsonSchema)]
#[schemars(title = "agent-scope", deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct Scope {
    #[schemars(rename = "$schema")]
    schema: Option<String>,
    /// The version of this format.
    version: Option<Version>,
    /// Files of the repository that this policy builds on.
    extends: Option<Vec<Extension>>,
    /// What holds where no entry speaks (version 2).
    defaults: Option<Defaults>,
    /// Name → path patterns that it stands for: `label:NAME` wherever a path pattern may stand (version 2).
    labels: Option<BTreeMap<String, Vec<Pattern>>>,
    files: Option<Files>,
    commands: Option<Commands>,
    network: Option<Network>,
    /// Which tools of which MCP servers may be used (version 2).
    mcp: Option<Mcp>,
    /// Entries with a name, an owner and a reason of their own, and with examples that prove them (version 2).
    rules: Option<Vec<Rule>>,
    /// Name of a program, or several separated by blanks → what it does with its arguments. An entry of a program that
    /// nobody knew stands for itself, one of a tool of projects corrects what is built in, one of any other built-in
    /// program only adds to it.
    programs: Option<BTreeMap<String, Program>>,
    /// Which environment variables may be set for programs (version 2).
    env: Option<Env>,
    /// Parts that are for some agents only (version 2): `main`, `subagent:TYPE`, `agent:NAME` or `mode:PERMISSION-MODE`, each
    /// with `*` for any text. They judge beside the rest of the policy, and the strictest judgement counts.
    #[schemars(extend("propertyNames" = { "pattern": "^(main|(subagent|agent|mode):.+)$" }))]
    agents: Option<BTreeMap<String, Part>>,
    /// What may be although a rule forbids it: version 2 only.
    exceptions: Option<Vec<super::Exception>>,
    /// Acts that may not follow each other (version 2).
    sequences: Option<Vec<Sequence>>,
    /// How much a session may spend (version 2). A limit is broken by the first unit above it.
    budgets: Option<Budgets>,
    /// What a log has to prove, and what it weighs if it does not.
    evidence: Option<Evidence>,
    /// Which sessions may be at all, by what their logs say about who ran them, where and how.
    sessions: Option<Sessions>,
    /// Calls, and what the policy has to answer; `agent-strace policy test` runs them (version 2).
    tests: Option<Vec<Test>>,
    /// JSON pointer of an entry → where it comes from (version 2). `agent-strace policy` writes it; nothing judges by it.
    provenance: Option<BTreeMap<String, Provenance>>,
}

/// `tool` and `input`, or `seq`: the strictest answer counts.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct Test {
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
struct Expectation(String);

impl JsonSchema for Expectation {
    fn schema_name() -> Cow<'static, str> {
        "Expectation".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        one_of(super::Answer::NAMES, None)
    }
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct Extension {
    /// Relative to the folder of this file.
    path: String,
    /// The SHA-256 digest of its bytes, in hex.
    #[schemars(regex(pattern = "^[0-9a-fA-F]{64}$"))]
    sha256: String,
    /// `floor`: it judges, too, and the stricter one counts. `base`: what this policy does not state is what that one
    /// states.
    role: ExtensionRole,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
#[expect(dead_code, reason = "only its schema is used")]
enum ExtensionRole {
    Floor,
    Base,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct Defaults {
    /// Of a kind of effect that has no allow list: what no entry names may be done (`allow`, as without this key), needs an
    /// approval (`ask`), or is out of scope (`deny`).
    decision: Option<DefaultDecision>,
    /// What it weighs that something could not be resolved: an error (`deny`), a warning (`warn`) or a note.
    unresolved: Option<DefaultUnresolved>,
    /// Of a tool of no server that nobody knows.
    unknown_tool: Option<DefaultTool>,
}

/// A tool is judged by the entries of its server; a server that is not here by `default`.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct Mcp {
    /// Of servers and tools that no entry names; without it `defaults.decision` counts.
    default: Option<DefaultDecision>,
    /// Name of a server, with `*` → its tools.
    servers: Option<BTreeMap<String, Pair>>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct Rule {
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
struct Match {
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
}

/// All that is said has to hold.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct Exec {
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
struct Tools {
    server: Option<Pattern>,
    tools: Option<Texts>,
}

/// Commands, paths, hosts, tools (`server/tool`) or agents: checked whenever the policy is read.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct Examples {
    /// The rule matches these, and nothing else decides otherwise.
    #[schemars(rename = "match")]
    matches: Option<Vec<String>>,
    not_match: Option<Vec<String>>,
}

/// One text, or several.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum Texts {
    One(Pattern),
    Several(Vec<Pattern>),
}

words!(RuleSeverity, parse::SEVERITIES);
words!(DefaultDecision, parse::DECISIONS);
words!(DefaultUnresolved, parse::UNRESOLVED);
words!(DefaultTool, parse::UNKNOWN_TOOLS);

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct Provenance {
    /// How many sessions did what the entry allows.
    sessions: Option<u64>,
    /// In how many calls.
    calls: Option<u64>,
    /// When the first one of them was made, as its log says.
    first: Option<String>,
    /// And the last one.
    last: Option<String>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct Evidence {
    /// The least level that every log has to have: `E0` whoever wrote the change may have written the log, `E1` its chain
    /// of digests is intact, `E2` a job of the same run produced it.
    minimum: Option<Minimum>,
    /// Rule → what it weighs. `incomplete`: the verdict is no pass, whatever `--fail-on` says.
    rules: Option<Weights>,
}

/// Field → patterns. `*` matches any text.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct Sessions {
    /// Every recorded value has to match; a session that does not record the field is refused.
    allow: Option<Fields>,
    /// No recorded value may match.
    deny: Option<Fields>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct Env {
    /// Names of variables that may not be set, in any case. `*` matches any part of a name.
    deny_set: Option<Vec<Pattern>>,
    /// The only variables that may be set.
    allow_set: Option<Vec<Pattern>>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct Part {
    files: Option<Files>,
    commands: Option<Commands>,
    network: Option<Network>,
    mcp: Option<Mcp>,
    env: Option<Env>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct Sequence {
    id: Reason,
    /// Steps in order: `read`, `write`, `delete` or `list` with a path, `exec` with a command, `net` with a host or alone,
    /// `mcp` with `SERVER/TOOL`, `env` with the name of a variable.
    #[schemars(length(min = 2, max = 8))]
    deny: Vec<Pattern>,
    /// `session`, or how many calls it may take from the first step to the last.
    within: Option<Within>,
    /// Of the finding: `error` where it is left out.
    severity: Option<Severity>,
    reason: Option<Reason>,
    owner: Option<Reason>,
}

struct Within;

impl JsonSchema for Within {
    fn schema_name() -> Cow<'static, str> {
        "Within".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "oneOf": [{ "const": "session" }, { "type": "integer", "minimum": 1 }] })
    }
}

struct Severity;

impl JsonSchema for Severity {
    fn schema_name() -> Cow<'static, str> {
        "Severity".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        one_of(&["error", "warning", "note"], None)
    }
}

struct Budgets;

impl JsonSchema for Budgets {
    fn schema_name() -> Cow<'static, str> {
        "Budgets".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let number = serde_json::json!({ "type": "number", "minimum": 0 });
        let limit = |key: &str| match key {
            "duration" => serde_json::json!({ "type": "string" }),
            "cost_usd" => number.clone(),
            _ => serde_json::json!({ "type": "integer", "minimum": 0 }),
        };
        let limits = |keys: Vec<&'static str>| object(keys.into_iter().map(|key| (key.to_owned(), limit(key))));
        let prices = object(parse::RATES.iter().map(|rate| ((*rate).to_owned(), number.clone())));
        object(parse::budget_keys().into_iter().map(|key| {
            let schema = match key {
                "per_subagent" => limits(parse::subagent_budget_keys()).to_value(),
                "usd_per_million_tokens" => prices.clone().to_value(),
                key => limit(key),
            };
            (key.to_owned(), schema)
        }))
    }
}

#[expect(dead_code, reason = "only its schema is used")]
struct Minimum(String);
struct Weights;
struct Fields;

impl JsonSchema for Minimum {
    fn schema_name() -> Cow<'static, str> {
        "Minimum".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        one_of(Grade::NAMES, None)
    }
}

impl JsonSchema for Weights {
    fn schema_name() -> Cow<'static, str> {
        "Weights".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let weights = |rule: &&str| {
            if NEVER_OPEN.contains(rule) { one_of(&["error", "incomplete"], None) } else { one_of(Weight::NAMES, None) }
        };
        object(DEFAULTS.iter().map(|(rule, _)| ((*rule).to_owned(), weights(rule).to_value())))
    }
}

impl JsonSchema for Fields {
    fn schema_name() -> Cow<'static, str> {
        "Fields".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let pattern = generator.subschema_for::<Pattern>();
        let list = serde_json::json!({ "type": "array", "items": pattern, "minItems": 1 });
        object(Field::ALL.iter().map(|field| (field.name().to_owned(), list.clone())))
    }
}

fn object(properties: impl Iterator<Item = (String, serde_json::Value)>) -> schemars::Schema {
    let properties: serde_json::Map<_, _> = properties.collect();
    schemars::json_schema!({ "type": "object", "properties": properties, "additionalProperties": false })
}

/// What a program does with its arguments. What is not listed is data.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct Program {
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
struct Subcommand {
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
struct Always(String);

#[derive(JsonSchema)]
#[schemars(transparent)]
#[expect(dead_code, reason = "only its schema is used")]
struct Reason(#[schemars(length(min = 1, max = 200))] String);

#[expect(dead_code, reason = "only its schema is used")]
struct OptionRole(String);
#[expect(dead_code, reason = "only its schema is used")]
struct OperandRole(String);

/// One of the names, as it is or with a mark.
fn one_of(names: &[&str], mark: Option<&str>) -> schemars::Schema {
    let marked = mark.into_iter().flat_map(|mark| names.iter().map(move |name| format!("{name}{mark}")));
    let all: Vec<String> = names.iter().map(|name| (*name).to_owned()).chain(marked).collect();
    schemars::json_schema!({ "type": "string", "enum": all })
}

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

#[derive(JsonSchema)]
#[schemars(transparent)]
#[expect(dead_code, reason = "only its schema is used")]
struct Version(#[schemars(range(min = 1, max = 2))] u8);

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct Files {
    /// What may be read: paths relative to the root, absolute or below `~/`. `*` crosses `/`; a name without `/` counts in
    /// every directory; with `**` a pattern is compared component by component.
    read: Option<Pair>,
    /// What may be written, and deleted where `delete` does not stand here.
    write: Option<Pair>,
    /// What may be deleted (version 2).
    delete: Option<Pair>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct Pair {
    allow: Option<Vec<Pattern>>,
    deny: Option<Vec<Pattern>>,
    /// What a person has to approve (version 2).
    ask: Option<Vec<Pattern>>,
}

/// What may be run: words that must lead the command, or a pattern with `*` over all of it.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct Commands {
    allow: Option<Vec<Pattern>>,
    deny: Option<Vec<Pattern>>,
    /// What a person has to approve (version 2).
    ask: Option<Vec<Pattern>>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct Network {
    /// Only hosts in `allow` may be contacted. Without it `allow` decides nothing.
    deny_all: Option<bool>,
    /// Hosts, with `*`, and with `:port` where one port is meant; `registry:npm` and the like for default registries.
    allow: Option<Vec<Pattern>>,
    /// What may not be contacted, whatever else is allowed (version 2).
    deny: Option<Vec<Pattern>>,
    /// What a person has to approve (version 2).
    ask: Option<Vec<Pattern>>,
}

#[derive(JsonSchema)]
#[schemars(transparent)]
#[expect(dead_code, reason = "only its schema is used")]
struct Pattern(#[schemars(length(min = 1, max = 1024))] String);

/// An optional key may be left out; it may not be null.
pub(crate) fn without_null(schema: &mut schemars::Schema) {
    schemars::transform::transform_subschemas(&mut without_null, schema);
    let Some(object) = schema.as_object_mut() else { return };
    if let Some(serde_json::Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [one] = types.as_slice() {
            let one = one.clone();
            object.insert("type".to_owned(), one);
        }
    }
    if let Some(serde_json::Value::Array(choices)) = object.get_mut("anyOf") {
        choices.retain(|choice| choice["type"] != "null");
        if let [serde_json::Value::Object(one)] = choices.as_slice() {
            let one = one.clone();
            object.remove("anyOf");
            object.extend(one);
        }
    }
}

#[test]
fn the_published_schema_is_what_is_read() {
    let mut schema = schemars::schema_for!(Scope);
    schemars::transform::transform_subschemas(&mut without_null, &mut schema);
    let mut text = serde_json::to_string_pretty(&schema).unwrap();
    text.push('\n');
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas/agent-scope.schema.json");
    if std::env::var_os("UPDATE_SPECS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap_or_default(), text, "UPDATE_SPECS=1 rewrites it");

    let value = schema.as_value();
    let keys = |pointer: &str| {
        let object = value.pointer(pointer).and_then(serde_json::Value::as_object);
        let mut keys: Vec<String> = object.unwrap_or_else(|| panic!("{pointer}")).keys().cloned().collect();
        keys.sort();
        keys
    };
    let sorted = |keys: &[&str]| {
        let mut keys: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
        keys.sort();
        keys
    };
    assert_eq!(keys("/properties"), sorted(parse::judged_v2().as_slice()));
    assert_eq!(keys("/$defs/Test/properties"), sorted(parse::TEST));
    assert_eq!(keys("/$defs/Defaults/properties"), sorted(parse::DEFAULTS));
    assert_eq!(keys("/$defs/Mcp/properties"), sorted(parse::MCP));
    assert_eq!(keys("/$defs/Rule/properties"), sorted(parse::RULE));
    assert_eq!(keys("/$defs/Match/properties"), sorted(parse::MATCH));
    assert_eq!(keys("/$defs/Exec/properties"), sorted(parse::EXEC));
    assert_eq!(keys("/$defs/Tools/properties"), sorted(parse::TOOLS));
    assert_eq!(keys("/$defs/Examples/properties"), sorted(parse::EXAMPLES));
    assert_eq!(keys("/$defs/Files/properties"), sorted(parse::FILES_V2));
    assert_eq!(keys("/$defs/Pair/properties"), sorted(parse::PAIR_V2));
    assert_eq!(keys("/$defs/Commands/properties"), sorted(parse::PAIR_V2));
    assert_eq!(keys("/$defs/Network/properties"), sorted(parse::NETWORK_V2));
    assert_eq!(keys("/$defs/Provenance/properties"), sorted(parse::PROVENANCE));
    assert_eq!(keys("/$defs/Env/properties"), sorted(parse::ENV));
    assert_eq!(keys("/$defs/Sequence/properties"), sorted(parse::SEQUENCE));
    assert_eq!(keys("/$defs/Part/properties"), sorted(parse::PART));
    assert_eq!(keys("/$defs/Evidence/properties"), sorted(parse::EVIDENCE));
    assert_eq!(keys("/$defs/Sessions/properties"), sorted(parse::PAIR));
    assert_eq!(keys("/$defs/Program/properties"), sorted(parse::PROGRAM));
    assert_eq!(keys("/$defs/Subcommand/properties"), sorted(parse::SUBCOMMAND));
}

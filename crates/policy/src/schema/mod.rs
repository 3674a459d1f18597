//! The published JSON Schema of the policy file, from types that mirror what [`super::parse`] reads.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::JsonSchema;

use super::evidence::{DEFAULTS, Grade, NEVER_OPEN, Weight};
use super::parse;
use super::sessions::Field;
use programs::{Program, Reason};
use rules::{Rule, Test};
use sessions::{Budgets, Evidence, Sequence, Sessions};

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

mod programs;
mod rules;
mod sessions;

/// The policy for an AI coding agent: what it may read, write, run and contact. Deny wins; an allow list that is not empty
/// allows nothing else.
#[derive(JsonSchema)]
#[schemars(title = "agent-scope", deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct Document {
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
    /// Earlier versions wrote here where entries come from; nothing reads it. The file `.agent-scope.provenance.json` has it
    /// now.
    provenance: Option<BTreeMap<String, serde_json::Value>>,
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
    /// The level of an unresolved act: an error (`deny`), a warning (`warn`) or a note. For all acts, or
    /// for each class of them.
    unresolved: Option<Unresolved>,
    /// Of a tool of no server that nobody knows.
    unknown_tool: Option<DefaultTool>,
}

#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum Unresolved {
    All(DefaultUnresolved),
    Classes(Classes),
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct Classes {
    /// Code of the project or of an installed package runs.
    delegated: Option<DefaultUnresolved>,
    /// Files of another revision take the place of those in the work tree.
    state: Option<DefaultUnresolved>,
    /// Code of the project runs that the session altered.
    changed: Option<DefaultUnresolved>,
    /// The tables do not hold the program or tool.
    unknown: Option<DefaultUnresolved>,
    /// The gate cannot see what runs. A level below error needs a reason.
    hidden: Option<Hidden>,
}

#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum Hidden {
    Error(Deny),
    Lowered(Lowered),
}

#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
#[expect(dead_code, reason = "only its schema is used")]
enum Deny {
    Deny,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct Lowered {
    level: DefaultUnresolved,
    #[schemars(length(min = 1))]
    reason: String,
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
words!(DefaultDecision, parse::DECISIONS);
words!(DefaultUnresolved, parse::UNRESOLVED);
words!(DefaultTool, parse::UNKNOWN_TOOLS);

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

fn object(properties: impl Iterator<Item = (String, serde_json::Value)>) -> schemars::Schema {
    let properties: serde_json::Map<_, _> = properties.collect();
    schemars::json_schema!({ "type": "object", "properties": properties, "additionalProperties": false })
}

/// One of the names, as it is or with a mark.
fn one_of(names: &[&str], mark: Option<&str>) -> schemars::Schema {
    let marked = mark.into_iter().flat_map(|mark| names.iter().map(move |name| format!("{name}{mark}")));
    let all: Vec<String> = names.iter().map(|name| (*name).to_owned()).chain(marked).collect();
    schemars::json_schema!({ "type": "string", "enum": all })
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
    /// every directory; with `**` a pattern is compared component by component. In version 2 `*` stays within a component,
    /// and a deny that names a directory covers what is below it.
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
    allow: Option<Vec<AllowedCommand>>,
    deny: Option<Vec<Pattern>>,
    /// What a person has to approve (version 2).
    ask: Option<Vec<Pattern>>,
}

/// A command that may be run.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum AllowedCommand {
    Words(Pattern),
    Vouched(CommandEntry),
}

/// A command with what the entry vouches for (version 2).
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct CommandEntry {
    command: Pattern,
    /// The entry also vouches for code of the repository that the command runs and that the session changed in a way that no log
    /// shows. Without it, such code is an error.
    even_if_changed: Option<bool>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct Network {
    /// Only hosts in `allow` may be contacted. Without it `allow` decides nothing.
    deny_all: Option<bool>,
    /// Hosts, with `*`, and with `:port` where one port is meant; `registry:npm` and the like for default registries,
    /// `remote:origin` for a remote of the repository as its owner configured it.
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
    let mut schema = schemars::schema_for!(Document);
    schemars::transform::transform_subschemas(&mut without_null, &mut schema);
    let mut text = serde_json::to_string_pretty(&schema).unwrap();
    text.push('\n');
    let path =
        std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("schemas/agent-scope.schema.json");
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
    assert_eq!(keys("/properties"), sorted(parse::ROOT_V2));
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
    assert_eq!(keys("/$defs/CommandEntry/properties"), sorted(parse::COMMAND_ENTRY));
    assert_eq!(keys("/$defs/Network/properties"), sorted(parse::NETWORK_V2));
    assert_eq!(keys("/$defs/Env/properties"), sorted(parse::ENV));
    assert_eq!(keys("/$defs/Sequence/properties"), sorted(parse::SEQUENCE));
    assert_eq!(keys("/$defs/Part/properties"), sorted(parse::PART));
    assert_eq!(keys("/$defs/Evidence/properties"), sorted(parse::EVIDENCE));
    assert_eq!(keys("/$defs/Sessions/properties"), sorted(parse::PAIR));
    assert_eq!(keys("/$defs/Program/properties"), sorted(parse::PROGRAM));
    assert_eq!(keys("/$defs/Subcommand/properties"), sorted(parse::SUBCOMMAND));
}

//! Hook policies of agent runtimes: `.claw-policy.json`, `.codex-policy.json` and `.claw-hooks.json`.
//!
//! Read like the policy: what their runtimes pass over in silence (a trailing comma, a misspelt key, a number in quotes)
//! is a fault with its location here, because a manifest that is not read forbids nothing.

use crate::budgets::{DOLLAR, Limit, Measure};
use crate::hooks::{Denied, Form, HookPolicy, Manifest};
use crate::json::{Data, Key, Value};
use crate::prices::amount;
use crate::{Diagnostics, Parser, digest, quoted};

/// The names of manifests, in the order in which a directory is looked through.
pub const NAMES: &[&str] = &[".claw-policy.json", ".codex-policy.json", ".claw-hooks.json"];

/// A key in both of its spellings.
type Spelled = (&'static str, &'static str);

const ROOT: &[Spelled] = &[
    ("trusted", "trusted"),
    ("managedSettings", "managed_settings"),
    ("safeEnv", "safe_env"),
    ("denyTools", "deny_tools"),
    ("denyToolPrefixes", "deny_tool_prefixes"),
    ("hooks", "hooks"),
    ("budget", "budget"),
];
const HOOKS: &[Spelled] = &[
    ("beforePrompt", "before_prompt"),
    ("afterTurn", "after_turn"),
    ("beforeTool", "before_tool"),
    ("afterTool", "after_tool"),
];
/// In the order in which runtimes check them.
const BUDGET: &[(Spelled, Measure)] = &[
    (("maxTotalTokens", "max_total_tokens"), Measure::TotalTokens),
    (("maxInputTokens", "max_input_tokens"), Measure::InputTokens),
    (("maxOutputTokens", "max_output_tokens"), Measure::OutputTokens),
    (("maxReasoningTokens", "max_reasoning_tokens"), Measure::ReasoningTokens),
    (("maxTotalCostUsd", "max_total_cost_usd"), Measure::CostUsd),
    (("maxToolCalls", "max_tool_calls"), Measure::ToolCalls),
    (("maxDelegatedTasks", "max_delegated_tasks"), Measure::DelegatedTasks),
    (("maxModelCalls", "max_model_calls"), Measure::ModelCalls),
    (("maxSessionTurns", "max_session_turns"), Measure::ModelTurns),
];

/// `file`: as users know it.
pub fn read(file: &str, bytes: &[u8]) -> Result<HookPolicy, Diagnostics> {
    let text = super::text(file, bytes)?;
    let mut parser = Parser::of_configuration(file, text);
    let mut read = HookPolicy::default();
    if let Some(value) = parser.strict_json(text) {
        root(&mut parser, &value, &mut read);
    }
    read.manifests.push(Manifest { path: file.to_owned(), sha256: digest(bytes) });
    parser.finish(read)
}

fn root(parser: &mut Parser<'_>, value: &Value, read: &mut HookPolicy) {
    if !matches!(value.data, Data::Object(_)) {
        let message = format!("the manifest is {}, not an object", value.data.name());
        return parser.fault(value, "", message, Some("write `{\"denyTools\": […], \"budget\": {…}}`".to_owned()));
    }
    for (name, value, pointer) in members(parser, value, "", ROOT) {
        match name {
            "trusted" if !matches!(value.data, Data::Bool(_)) => parser.wrong_type(value, &pointer, "true or false"),
            "managedSettings" if !matches!(value.data, Data::Object(_)) => {
                parser.wrong_type(value, &pointer, "an object");
            }
            "safeEnv" => {
                texts(parser, value, &pointer);
            }
            "denyTools" => denied(parser, value, &pointer, Form::Name, read),
            "denyToolPrefixes" => denied(parser, value, &pointer, Form::Prefix, read),
            "hooks" => hooks(parser, value, &pointer),
            "budget" => budget(parser, value, &pointer, read),
            _ => {}
        }
    }
}

/// The members of an object by the first of their two spellings.
fn members<'v>(
    parser: &mut Parser<'_>,
    value: &'v Value,
    above: &str,
    keys: &[Spelled],
) -> Vec<(&'static str, &'v Value, String)> {
    let camel: Vec<&str> = keys.iter().map(|(camel, _)| *camel).collect();
    let known: Vec<&str> = keys.iter().flat_map(|(camel, snake)| [*camel, *snake]).collect();
    let Some(members) = parser.object(value, above, &camel) else { return Vec::new() };
    // Suggestions come in one spelling.
    let strange: Vec<(&Key, &Value)> =
        members.iter().filter(|(key, _)| !known.contains(&key.name.as_str())).copied().collect();
    parser.keys_beside(&strange, above, &camel, &[]);
    let mut found: Vec<(&'static str, &Value, String)> = Vec::new();
    for (key, value) in members {
        let Some((name, _)) = keys.iter().find(|(camel, snake)| key.name == *camel || key.name == *snake) else {
            continue;
        };
        let pointer = format!("{above}/{}", key.name);
        if found.iter().any(|(known, _, _)| known == name) {
            let message = format!("{} stands here in another spelling, too", quoted(&key.name));
            parser.fault(value, &pointer, message, Some("keep one of the two".to_owned()));
        }
        found.push((name, value, pointer));
    }
    found
}

fn denied(parser: &mut Parser<'_>, value: &Value, pointer: &str, form: Form, read: &mut HookPolicy) {
    for (text, item, pointer) in texts(parser, value, pointer) {
        let location = parser.location(item, &pointer);
        read.denied.push(Denied::new(form, text, location));
    }
}

/// A list of texts, none of them empty: the start of every name would be one.
fn texts<'v>(parser: &mut Parser<'_>, value: &'v Value, pointer: &str) -> Vec<(String, &'v Value, String)> {
    let Data::List(items) = &value.data else {
        parser.wrong_type(value, pointer, "a list of names");
        return Vec::new();
    };
    let mut texts = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let below = format!("{pointer}/{index}");
        match &item.data {
            Data::Text(text) if text.trim().is_empty() => {
                parser.fault(item, &below, "this name is empty".to_owned(), Some("remove it".to_owned()));
            }
            Data::Text(text) => texts.push((text.trim().to_owned(), item, below)),
            _ => parser.wrong_type(item, &below, "a string"),
        }
    }
    texts
}

/// What hooks say to the model is not judged; that it is written as hooks are is.
fn hooks(parser: &mut Parser<'_>, value: &Value, pointer: &str) {
    for (name, value, pointer) in members(parser, value, pointer, HOOKS) {
        match (name, &value.data) {
            ("beforeTool" | "afterTool", Data::Object(tools)) => {
                for (key, value) in tools {
                    messages(parser, value, &format!("{pointer}/{}", key.name.replace('~', "~0").replace('/', "~1")));
                }
            }
            ("beforeTool" | "afterTool", _) => parser.wrong_type(value, &pointer, "an object of tools"),
            _ => messages(parser, value, &pointer),
        }
    }
}

fn messages(parser: &mut Parser<'_>, value: &Value, pointer: &str) {
    match &value.data {
        Data::Text(_) => {}
        Data::List(_) => {
            texts(parser, value, pointer);
        }
        _ => parser.wrong_type(value, pointer, "a string or a list of strings"),
    }
}

fn budget(parser: &mut Parser<'_>, value: &Value, pointer: &str, read: &mut HookPolicy) {
    let keys: Vec<Spelled> = BUDGET.iter().map(|(key, _)| *key).collect();
    let mut own = HookPolicy::default();
    for (name, value, pointer) in members(parser, value, pointer, &keys) {
        let Some((_, measure)) = BUDGET.iter().find(|((camel, _), _)| *camel == name) else { continue };
        let Data::Number(text) = &value.data else {
            // Runtimes write `null` for no limit.
            if !matches!(value.data, Data::Null) {
                parser.wrong_type(value, &pointer, "a number");
            }
            continue;
        };
        let most = match measure {
            Measure::CostUsd => amount(text).map(|dollars| dollars * (DOLLAR / 1_000_000)),
            _ => text.parse::<u64>().ok().map(u128::from),
        };
        let Some(most) = most else {
            let help = match measure {
                Measure::CostUsd => "write dollars from 0 on with at most six decimals",
                _ => "write a whole number from 0 on",
            };
            let message = format!("{} is no amount that can be limited", quoted(text));
            parser.fault(value, &pointer, message, Some(help.to_owned()));
            continue;
        };
        let location = parser.location(value, &pointer);
        own.limits.push(Limit { measure: *measure, most, location, prices: None });
    }
    read.add(own);
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::budgets::Measure;

    fn faults(text: &str) -> String {
        read(".claw-policy.json", text.as_bytes()).map_or_else(|faults| faults.to_string(), |_| String::new())
    }

    #[test]
    fn both_spellings_are_read_and_limits_stand_in_the_order_of_the_runtime() {
        let text = r#"{
            "trusted": false, "safeEnv": ["LANG"], "managed_settings": {"a": 1},
            "deny_tools": ["Bash"], "denyToolPrefixes": ["write_"],
            "hooks": {"beforePrompt": "be kind", "afterTool": {"*": ["look", "again"]}},
            "budget": {"max_session_turns": 3, "maxTotalTokens": 100, "maxTotalCostUsd": 0.5, "maxModelCalls": null}
        }"#;
        let policy = read(".claw-policy.json", text.as_bytes()).unwrap_or_else(|faults| panic!("{faults}"));
        let limits: Vec<(Measure, u128)> = policy.limits.iter().map(|limit| (limit.measure, limit.most)).collect();
        let wanted = [(Measure::TotalTokens, 100), (Measure::CostUsd, 500_000_000_000), (Measure::ModelTurns, 3)];
        assert_eq!(limits, wanted);
        for (tool, denied) in [("bash", true), ("BASH", true), ("write_file", true), ("Write_", true), ("ba", false)] {
            assert_eq!(policy.denies(tool).is_some(), denied, "{tool}");
        }
    }

    #[test]
    fn the_strictest_limit_counts_and_of_equal_ones_that_of_the_nearest_manifest() {
        let policy = |file: &str, text: &str| read(file, text.as_bytes()).unwrap_or_else(|faults| panic!("{faults}"));
        let mut near = policy("near", r#"{"budget": {"maxToolCalls": 5, "maxModelCalls": 7}, "denyTools": ["a"]}"#);
        near.add(policy("far", r#"{"budget": {"maxToolCalls": 99, "maxModelCalls": 7}, "denyTools": ["A", "b"]}"#));
        near.add(policy("farther", r#"{"budget": {"maxToolCalls": 4, "maxTotalTokens": 1}}"#));
        let limits: Vec<(Measure, u128, Option<&str>)> =
            near.limits.iter().map(|limit| (limit.measure, limit.most, limit.location.file.as_deref())).collect();
        let wanted = [
            (Measure::TotalTokens, 1, Some("farther")),
            (Measure::ToolCalls, 4, Some("farther")),
            (Measure::ModelCalls, 7, Some("near")),
        ];
        assert_eq!(limits, wanted);
        let file = |tool: &str| near.denies(tool).and_then(|denied| denied.location.file.as_deref());
        assert_eq!((file("a"), file("B"), file("c")), (Some("near"), Some("far"), None));
    }

    #[test]
    fn names_are_compared_in_lower_case_as_runtimes_do() {
        let text = r#"{"denyTools": ["Écrire", "İnit", "ΟΔΟΣ"], "denyToolPrefixes": ["ÄNDERN_"]}"#;
        let policy = read(".claw-policy.json", text.as_bytes()).unwrap_or_else(|faults| panic!("{faults}"));
        for tool in ["écrire", "ÉCRIRE", "i\u{307}nit", "οδος", "ändern_x", "Ändern_"] {
            assert!(policy.denies(tool).is_some(), "{tool}");
        }
        for tool in ["ecrire", "init", "ändern", "x_ändern_"] {
            assert!(policy.denies(tool).is_none(), "{tool}");
        }
    }

    #[test]
    fn a_manifest_is_read_whole_or_not_at_all() {
        let long = format!("{{}}{}]", " ".repeat(1 << 20));
        assert!(faults(&long).contains("it is larger than 1048576 bytes"), "{}", faults(&long));
    }

    #[test]
    fn what_runtimes_pass_over_is_a_fault() {
        for (text, said) in [
            (r#"{"denyTools": ["bash"],}"#, "a trailing comma behind the last member"),
            ("{\"denyTools\": [\"bash\"] // no shell\n}", ".claw-policy.json:1:24: a comment or a byte order mark"),
            ("{/* none */}", "a comment or a byte order mark is no JSON"),
            ("\u{feff}{}", "a comment or a byte order mark is no JSON"),
            ("{} // none", "a comment or a byte order mark is no JSON"),
            (r#"{"denyTools": ["bash"]"#, ".claw-policy.json:1:"),
            ("[]", "the manifest is a list, not an object"),
            (r#"{"denyTool": ["bash"]}"#, "did you mean `denyTools`?"),
            (r#"{"denyTools": "bash"}"#, "`denyTools` is a string, not a list"),
            (r#"{"denyTools": [""]}"#, "this name is empty"),
            (r#"{"denyTools": [], "deny_tools": []}"#, "stands here in another spelling"),
            (r#"{"trusted": "yes"}"#, "`trusted` is a string, not true or false"),
            (r#"{"budget": {"maxToolCalls": "5"}}"#, "`budget.maxToolCalls` is a string, not a number"),
            (r#"{"budget": {"maxToolCalls": true}}"#, "is a boolean"),
            (r#"{"budget": {"maxToolCalls": -1}}"#, "`-1` is no amount"),
            (r#"{"budget": {"maxToolCalls": 1.5}}"#, "`1.5` is no amount"),
            (r#"{"budget": {"maxToolCall": 1}}"#, "did you mean `maxToolCalls`?"),
            (r#"{"hooks": {"beforeTool": "x"}}"#, "not an object of tools"),
            (r#"{"hooks": {"beforePrompt": 5}}"#, "not a string or a list of strings"),
        ] {
            assert!(faults(text).contains(said), "{text}: {}", faults(text));
        }
        assert_eq!(faults("{}"), "");
    }
}

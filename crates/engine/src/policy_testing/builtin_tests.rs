//! The examples of built-in lists, tried as the gate would judge them.

use agent_strace_policy::builtin::{BUILTIN, BuiltinList, Holds, MadeFor, builtin, builtins, ecosystems};
use agent_strace_policy::{Answer, Caller, Policy, TestCall};
use serde_json::json;

use super::tried;

fn policy(section: &serde_json::Value) -> Policy {
    let mut policy = json!({ "version": 2 });
    policy.as_object_mut().unwrap().extend(section.as_object().unwrap().clone());
    Policy::from_bytes("scope.json", None, policy.to_string().as_bytes()).unwrap_or_else(|faults| panic!("{faults}"))
}

/// The answer to an act, by a policy that allows all of the list and nothing else of its kind, or denies it.
fn answer(list: &BuiltinList, decision: &str, act: &str) -> Answer {
    let named = |name: &str| format!("{BUILTIN}{}", name.to_lowercase());
    // A command of one ecosystem starts those of others.
    let rules = ecosystems().iter().flat_map(|ecosystem| &ecosystem.rules);
    let usual: Vec<&str> = rules.filter(|rule| !rule.is.is_refused()).map(|rule| rule.id.as_str()).collect();
    let is_usual = usual.iter().any(|id| id.to_lowercase() == list.name);
    if is_usual && decision == "allow" {
        return judged(list, decision, &usual.into_iter().map(named).collect(), act);
    }
    judged(list, decision, &json!([named(&list.name)]), act)
}

fn judged(list: &BuiltinList, decision: &str, entries: &serde_json::Value, act: &str) -> Answer {
    let others = if decision == "deny" { "allow" } else { "deny" };
    let (section, call) = match list.holds {
        Holds::Paths => {
            (json!({ "files": { "read": { decision: entries } } }), TestCall::new("Read", &json!({ "file_path": act })))
        }
        Holds::Commands => (json!({ "commands": { decision: entries } }), TestCall::shell(act)),
        Holds::Variables => {
            (json!({ "env": { format!("{decision}_set"): entries } }), TestCall::shell(&format!("{act}=1 ls")))
        }
        Holds::Names => (
            json!({ "mcp": { "default": others, "servers": { "one": { decision: entries } } } }),
            TestCall::new(&format!("mcp__one__{act}"), &json!({})),
        ),
    };
    tried(&policy(&section), &[call], &Caller::default()).answer
}

#[test]
fn lists_speak_of_their_examples_and_of_nothing_else() {
    for list in builtins() {
        let is_for_allows = list.made_for == MadeFor::Allow;
        for act in &list.examples {
            if is_for_allows && list.holds != Holds::Paths {
                assert!(answer(list, "allow", act) <= Answer::Unresolved, "{} does not allow {act}", list.name);
            }
            if !is_for_allows || list.holds == Holds::Paths {
                assert_eq!(answer(list, "deny", act), Answer::Deny, "{} does not deny {act}", list.name);
            }
        }
        for act in &list.counterexamples {
            if is_for_allows {
                assert_ne!(answer(list, "allow", act), Answer::Allow, "{} allows {act}", list.name);
            }
            // The built-in list of sensitive files denies some of them.
            let without = judged(list, "deny", &json!([]), act);
            assert_eq!(answer(list, "deny", act), without, "{} denies {act}", list.name);
        }
    }
}

#[test]
fn all_lists_are_read() {
    let count = |holds| builtins().filter(|list| list.holds == holds).count();
    assert!(count(Holds::Paths) >= 6 && count(Holds::Variables) >= 1 && count(Holds::Names) >= 2);
    let of_rules: usize = ecosystems().iter().map(|ecosystem| ecosystem.rules.len()).sum();
    assert!(count(Holds::Commands) >= of_rules + 10, "two lists have one name");
    for list in builtins() {
        assert!(!list.entries.is_empty() && !list.summary.is_empty(), "{}", list.name);
        // An entry that is not read would be missing without a word.
        assert_eq!(list.read(), list.entries.len(), "{}", list.name);
        if list.holds == Holds::Commands {
            let entries = json!([format!("{BUILTIN}{}", list.name)]);
            let policy = policy(&json!({ "commands": { "deny": entries } }));
            assert_eq!(policy.members().count(), list.entries.len(), "{}", list.name);
        }
    }
    assert!(builtin("viewers").is_some() && builtin("cargo-packages").is_some() && builtin("CARGO").is_none());
}

//! A policy that several repositories share: each of them extends a copy of it, and states only what differs.
//!
//! It is extended as a `base`, not as a `floor`. A floor judges everything beside the policy, so that no repository could
//! allow its own commands under a shared `"decision": "deny"`. What a floor is good for holds here by the way in which
//! policies are written: none of them states a list of denies that the base states, because such a list would replace
//! that of the base. A deny of one repository alone is a rule, and rules join those of the base.

use serde_json::{Value, json};

use agent_strace_policy::{Diagnostics, Parts, Policy, digest};

use super::compose::escaped;
use super::plan::{Planned, Slot};
use super::purpose::purpose;
use super::tables::RISKY;
use super::{compose, joins, samples};

/// The policy that all repositories share.
#[derive(Debug)]
pub struct SharedBase {
    name: String,
    text: String,
    policy: Policy,
    /// Its lists and rules as plain values.
    parts: Parts,
}

impl SharedBase {
    /// `name`: how the policies beside a copy of it name the copy. `shown`: the file as users know it.
    pub fn new(name: &str, shown: &str, text: &str) -> Result<Self, Diagnostics> {
        let policy = Policy::from_bytes(shown, None, text.as_bytes())?;
        let parts = Parts::read(text)
            .ok_or_else(|| Diagnostics::whole_file(shown, "it can't be taken apart into its lists".to_owned(), None))?;
        let base = Self { name: name.to_owned(), text: text.to_owned(), policy, parts };
        // A policy of version 1 is no base: its patterns have another meaning.
        let child = format!("{{ \"version\": 2, \"extends\": {} }}", base.extension());
        base.read(shown, &child)?;
        Ok(base)
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The name that policies have for a copy of it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The value of `extends` in a policy that extends it.
    pub fn extension(&self) -> Value {
        json!([{ "path": self.name, "sha256": digest(self.text.as_bytes()), "role": "base" }])
    }

    /// Reads a policy that lies beside a copy of it.
    pub fn read(&self, shown: &str, text: &str) -> Result<Policy, Diagnostics> {
        let beside =
            shown.rsplit_once('/').map_or_else(|| self.name.clone(), |(folder, _)| format!("{folder}/{}", self.name));
        let read_file = |path: &str| {
            if path == beside || path == self.name {
                Ok(self.text.clone().into_bytes())
            } else {
                Err("only the shared base can be extended".to_owned())
            }
        };
        Policy::from_source(shown, None, text.as_bytes(), &read_file)
    }

    /// It has rules, or a place for them.
    pub fn takes_rules(&self) -> bool {
        self.states(&["rules"])
    }

    /// It states the value at these keys.
    pub(super) fn states(&self, keys: &[&str]) -> bool {
        self.value(keys).is_some()
    }

    pub(super) fn refuses_other_hosts(&self) -> bool {
        self.value(&["network", "deny_all"]).is_some_and(|value| *value == Value::Bool(true))
    }

    /// The entries of a list, each as the base spells it. A list that a policy states replaces that of its base.
    pub(super) fn entries(&self, keys: &[&str]) -> &[Value] {
        self.value(keys).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// The labels that these entries name, each with its patterns. Labels of a base count in the base alone.
    pub(super) fn labels_of<'b>(&'b self, entries: &[Value]) -> Vec<(&'b str, &'b [Value])> {
        let Some(Value::Object(labels)) = self.value(&["labels"]) else { return Vec::new() };
        let names = |entry: &Value, name: &str| {
            entry
                .as_str()
                .is_some_and(|text| text.trim().trim_start_matches('!').trim_start() == format!("label:{name}"))
        };
        let named = labels.iter().filter(|(name, _)| entries.iter().any(|entry| names(entry, name)));
        named.map(|(name, patterns)| (name.as_str(), patterns.as_array().map_or(&[][..], Vec::as_slice))).collect()
    }

    /// The base has a rule with this id, in any case.
    pub(super) fn names_rule(&self, id: &str) -> bool {
        let of = |rule: &Value| rule["id"].as_str().is_some_and(|own| own.eq_ignore_ascii_case(id));
        self.entries(&["rules"]).iter().any(of)
    }

    /// The name, or one with a number behind it, that no rule of the base has.
    pub(super) fn free_id(&self, name: &str) -> String {
        let mut names = std::iter::once(name.to_owned()).chain((2_usize..).map(|number| format!("{name}-{number}")));
        names.find(|id| !self.names_rule(id)).unwrap_or_else(|| name.to_owned())
    }

    fn value(&self, keys: &[&str]) -> Option<&Value> {
        self.parts.value(&keys.iter().fold(String::new(), |pointer, key| format!("{pointer}/{}", escaped(key))))
    }
}

const HEADER: [&str; 4] = [
    "What all repositories share that extend this policy. Each of them has a copy of it, pinned by its digest: change",
    "the original, then write copies and policies anew. A list that a repository states replaces the list of this file,",
    "so a deny of one repository alone is best written as a rule there: rules join those of this file.",
    "`builtin:NAME` names a list: `agent-strace policy builtins NAME` shows it.",
];

/// The base of generated policies: what each of them has, whatever sessions did.
pub fn base_text() -> Result<String, Diagnostics> {
    let mut entries: Vec<Planned> = Vec::new();
    joins::complete(&mut entries, &[]);
    entries.sort_by(|one, other| (&one.slot, &one.text).cmp(&(&other.slot, &other.text)));
    let mut denies = compose::denied();
    for (_, list) in RISKY {
        let deny = (Slot::Commands, format!("builtin:{list}"));
        if !denies.contains(&deny) {
            denies.push(deny);
        }
    }
    let placed: Vec<compose::Placed<'_>> =
        entries.iter().map(|entry| compose::Placed { entry, purpose: purpose(entry, false) }).collect();
    let header = HEADER.map(str::to_owned);
    let fresh = |tests: &[String]| compose::fresh(&header, &placed, &denies, tests, None).text;
    let policy = Policy::from_bytes(SHOWN, None, fresh(&[]).as_bytes())?;
    let text = fresh(&samples::refused_tests(&policy));
    agent_strace_policy::format::format(SHOWN, &text, agent_strace_policy::format::Comments::Keep)
}

const SHOWN: &str = "the shared policy";

#[cfg(test)]
mod tests {
    use super::super::{Slot, compose};
    use super::{SharedBase, base_text};

    /// The text of a policy without entries of its own that has these denies, and its reading.
    fn child(base: &str, denies: &[&str]) -> String {
        let base = SharedBase::new("base.json", "base.json", base).unwrap();
        let denies: Vec<(Slot, String)> = denies.iter().map(|text| (Slot::Commands, (*text).to_owned())).collect();
        let text = compose::fresh(&[], &[], &denies, &[], Some(&base)).text;
        let policy = base.read("scope.json", &text).unwrap_or_else(|faults| panic!("{faults}\n{text}"));
        for deny in &denies {
            let is_stated = policy.entries().any(|entry| entry.text.contains(deny.1.as_str()));
            assert!(is_stated, "{deny:?} is lost: {text}");
        }
        text
    }

    #[test]
    fn the_base_of_generated_policies_is_a_base() {
        SharedBase::new("base.json", "base.json", &base_text().unwrap()).unwrap();
    }

    #[test]
    fn denies_join_those_of_the_base() {
        let base = r#"{ "version": 2, "commands": { "deny": ["terraform apply"] } }"#;
        let rules = child(base, &["git branch -D"]);
        assert!(rules.contains("RISK-1") && !rules.contains("terraform"), "{rules}");
        let restated = child(base, &["builtin:dangerous", "git branch -D"]);
        assert!(restated.contains("terraform apply") && !restated.contains("RISK"), "{restated}");
        let own = child(r#"{ "version": 2 }"#, &["git branch -D"]);
        assert!(own.contains(r#""deny": ["git branch -D"]"#), "{own}");
    }
}

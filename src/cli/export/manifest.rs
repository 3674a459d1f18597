//! What was replaced, in numbers: no values.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;

use super::ExportArgs;
use super::options::Prepared;
use agent_strace_secrets::anonymize::{Anonymized, described};

/// `anonymization` of an export.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(title = "anonymization"))]
pub(super) struct Manifest {
    version: u32,
    /// The id of the key; `null`: it was thrown away, and nobody can go back.
    key_id: Option<String>,
    /// Within which equal values have equal pseudonyms.
    scope: Scope,
    /// Domains that addresses kept.
    kept_domains: Vec<String>,
    /// Places, by what was there.
    counts: BTreeMap<String, u64>,
    /// Places, by rule of the configuration.
    rules: Vec<RuleCount>,
}

#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
enum Scope {
    /// Every export with this key.
    Key,
    /// Exports of this session with this key.
    Session,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct RuleCount {
    /// From 1, in the order of the configuration.
    rule: usize,
    description: Option<String>,
    count: u64,
}

impl Manifest {
    pub(super) fn new(prepared: &Prepared, anonymized: &Anonymized, args: &ExportArgs) -> Self {
        let mut counts = anonymized.counts.clone();
        let of_rule = |at: usize| format!("rule-{at}");
        let rules = prepared.descriptions.iter().enumerate().map(|(at, description)| RuleCount {
            rule: at + 1,
            description: description.clone(),
            count: counts.remove(&of_rule(at + 1)).unwrap_or(0),
        });
        let rules = rules.collect();
        Self {
            version: 1,
            key_id: prepared.key().filter(|_| prepared.is_kept).map(|key| key.id().to_owned()),
            scope: if args.per_session { Scope::Session } else { Scope::Key },
            kept_domains: args.keep_domains.clone(),
            counts,
            rules,
        }
    }

    /// Nothing was replaced.
    pub(super) fn is_empty(&self) -> bool {
        self.counts.is_empty() && self.rules.iter().all(|rule| rule.count == 0)
    }

    pub(super) fn json(&self) -> String {
        agent_strace_report::to_json(self)
    }

    /// For people, in the words of the Python tool.
    pub(super) fn told(&self, session: &str, verb: &str) -> String {
        let shown: String = session.chars().take(16).collect();
        let mut text = format!("Anonymizing session {}...\n\n", agent_strace_report::terminal(&shown));
        if self.is_empty() {
            text.push_str("Nothing to anonymize.\n");
            return text;
        }
        let mut rows: Vec<(String, u64)> =
            self.counts.iter().map(|(class, count)| (described(class), *count)).collect();
        rows.extend(self.rules.iter().filter(|rule| rule.count > 0).map(|rule| (rule.name(), rule.count)));
        rows.sort();
        let _ = writeln!(text, "{verb}");
        for (words, count) in rows {
            let _ = writeln!(text, "  {count:>3} {}", agent_strace_report::terminal(&words));
        }
        text
    }
}

impl RuleCount {
    fn name(&self) -> String {
        self.description.clone().unwrap_or_else(|| format!("by rule {} of the configuration", self.rule))
    }
}

/// The class of something that is left.
pub(super) fn described_rule(class: &str) -> String {
    match class.strip_prefix("rule-") {
        Some(number) => format!("what rule {number} of the configuration finds"),
        None => described(class),
    }
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::{Serialize, Serializer};

    use super::Manifest;
    use agent_strace_testing::schemas::{AnyJson, keep, written};

    /// What `export --anonymize` writes.
    #[derive(Serialize, JsonSchema)]
    #[schemars(title = "export")]
    struct Exported {
        session_id: String,
        /// What the session adds up to.
        meta: Json,
        anonymized: bool,
        anonymization: Manifest,
        /// As the store has them.
        events: Vec<Json>,
    }

    #[derive(JsonSchema)]
    #[schemars(inline)]
    struct Json(AnyJson);

    impl Serialize for Json {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_unit()
        }
    }

    #[test]
    fn the_schema_is_that_of_the_types() {
        keep("export.v1", &written::<Exported>());
    }
}

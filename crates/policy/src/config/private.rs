//! `private_data` of `.agent-strace.yaml`: for which secrets and personal data logs are searched.

use std::collections::BTreeMap;

use crate::json::{Data, Value};
use crate::{Parser, nearest};
use agent_strace_model::finding::{Family, RuleId};

/// The key of the section.
pub(crate) const SECTION: &str = "private_data";
/// What stands for all rules of a family.
pub(super) const FAMILIES: &[&str] = &["secret/*", "pii/*"];
/// A rule of the family that looks at something else.
const OTHERS: &[RuleId] = &[RuleId::SecretLogSettings];

/// What the file says of rules.
#[derive(Debug, Default)]
pub struct Private(BTreeMap<String, bool>);

impl Private {
    /// Whether a rule looks; `None`: the file says nothing of it. What names the rule stands over what names its family.
    pub fn says(&self, rule: RuleId) -> Option<bool> {
        let family = || format!("{}/*", rule.family().name());
        self.0.get(rule.as_str()).or_else(|| self.0.get(&family())).copied()
    }

    pub(super) fn section(&mut self, parser: &mut Parser<'_>, value: &Value) {
        let above = format!("/{SECTION}");
        let known = names();
        let Some(members) = parser.object(value, &above, &[]) else { return };
        for (key, value) in members {
            let pointer = format!("{above}/{}", key.name.replace('~', "~0").replace('/', "~1"));
            match &value.data {
                _ if !known.contains(&key.name.as_str()) => {
                    let help = match nearest(&key.name, &known) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => "rules about private data begin with `secret/` or `pii/`".to_owned(),
                    };
                    let message = format!("`{}` is no rule about private data", key.name);
                    parser.fault(value, &pointer, message, Some(help));
                }
                Data::Bool(looks) => {
                    self.0.insert(key.name.clone(), *looks);
                }
                _ => parser.wrong_type(value, &pointer, "true or false"),
            }
        }
    }
}

/// Everything that the section may name.
pub(crate) fn names() -> Vec<&'static str> {
    let private = |rule: &&RuleId| matches!(rule.family(), Family::Pii | Family::Secret) && !OTHERS.contains(rule);
    FAMILIES.iter().copied().chain(RuleId::ALL.iter().filter(private).map(|rule| rule.as_str())).collect()
}

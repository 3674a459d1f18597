//! `private_data` of `.agent-strace.yaml`: for which secrets and personal data logs are searched.

use std::collections::BTreeMap;

use crate::json::{Data, Value};
use crate::{BUILT_IN, Parser, nearest};

/// The key of the section.
pub(super) const SECTION: &str = "private_data";
/// What stands for all rules of a family.
pub(super) const FAMILIES: &[&str] = &["secret/*", "pii/*"];
/// A rule of the family that looks at something else.
const OTHERS: &[&str] = &["secret/log-settings"];

/// What the file says of rules.
#[derive(Debug, Default)]
pub struct Private(BTreeMap<String, bool>);

impl Private {
    /// Whether a rule looks; `None`: the file says nothing of it. What names the rule stands over what names its family.
    pub fn says(&self, rule: &str) -> Option<bool> {
        let family = || rule.split_once('/').map(|(family, _)| format!("{family}/*"));
        self.0.get(rule).or_else(|| self.0.get(&family()?)).copied()
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
pub(super) fn names() -> Vec<&'static str> {
    let private = |rule: &&str| (rule.starts_with("secret/") || rule.starts_with("pii/")) && !OTHERS.contains(rule);
    FAMILIES.iter().copied().chain(BUILT_IN.iter().copied().filter(private)).collect()
}

//! The rules that there are: built in, and of a policy.

use std::collections::BTreeMap;

use crate::json::{Data, Value};
use crate::parse::{nearest, push_part};
use agent_strace_model::finding::{Family, Level, RuleId};

use super::Origin;

/// Finds a built-in rule that an exception can name: missing evidence and faults of exceptions cannot be excepted.
pub(crate) fn built_in(rule: &str) -> Option<RuleId> {
    RuleId::find(rule).filter(|rule| can_be_excepted(*rule))
}

/// The ids of all rules that [`built_in`] finds, sorted.
pub(crate) fn built_in_ids() -> Vec<&'static str> {
    RuleId::ALL.iter().filter(|rule| can_be_excepted(**rule)).map(|rule| rule.as_str()).collect()
}

fn can_be_excepted(rule: RuleId) -> bool {
    !matches!(rule.family(), Family::Evidence | Family::Policy)
}

/// The gate's own foundations, and files that hold credentials: only an exception of the policy covers them.
fn needs_the_policy(rule: RuleId) -> bool {
    matches!(rule.family(), Family::Floor | Family::Gate) || rule == RuleId::ScopeSensitive
}

/// The weakest waiver that covers findings of a built-in rule; `None`: no waiver does.
pub fn covered_by(rule: RuleId) -> Option<Origin> {
    let origin = if needs_the_policy(rule) { Origin::Exception } else { Origin::Suppression };
    can_be_excepted(rule).then_some(origin)
}

/// Keys of a policy whose parts are rules.
const JUDGING: &[&str] =
    &["files", "commands", "network", "mcp", "env", "agents", "budgets", "sequences", "rules", "sessions", "defaults"];

/// The rules of a policy by name, with their levels: its entries, its lists, and what has an id.
#[derive(Debug, Default)]
pub(crate) struct Names(BTreeMap<String, Level>);

/// What is wrong with a name, and what to do about it.
type Fault = (String, Option<String>);

impl Names {
    /// Of a policy as it was read.
    pub(crate) fn of(root: &Value) -> Self {
        let mut names = Self::default();
        let Data::Object(members) = &root.data else { return names };
        for (key, value) in members.iter().filter(|(key, _)| JUDGING.contains(&key.name.as_str())) {
            names.collect(value, &mut key.name.clone(), Level::Error);
        }
        names
    }

    /// `name`: of the value, as people say it.
    fn collect(&mut self, value: &Value, name: &mut String, above: Level) {
        let length = name.len();
        let mut level = above;
        match &value.data {
            Data::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    push_part(name, &index.to_string());
                    self.collect(item, name, level);
                    name.truncate(length);
                }
            }
            Data::Object(members) => {
                let text = |name: &str| {
                    members.iter().find_map(|(key, value)| match &value.data {
                        Data::Text(text) if key.name == name => Some(text.as_str()),
                        _ => None,
                    })
                };
                level = match text("severity") {
                    Some("warning") => Level::Warning,
                    Some("note") => Level::Note,
                    _ => level,
                };
                self.0.extend(text("id").map(|id| (id.to_owned(), level)));
                for (key, value) in members {
                    push_part(name, &key.name);
                    self.collect(value, name, level);
                    name.truncate(length);
                }
            }
            _ => {}
        }
        // An object is no rule, unless it stands in a list of rules.
        let named = !matches!(value.data, Data::Object(_)) || name.ends_with(']');
        if named {
            self.0.insert(name.clone(), level);
        }
    }

    /// With those of a base.
    pub(crate) fn inherit(&mut self, base: Self) {
        for (name, level) in base.0 {
            self.0.entry(name).or_insert(level);
        }
    }

    /// The level of a rule of the policy; an error for one that is built in, of which others know.
    pub(crate) fn level(&self, rule: &str, origin: Origin) -> Result<Level, Fault> {
        if let Some(level) = self.0.get(rule) {
            return Ok(*level);
        }
        if let Some(known) = built_in(rule) {
            return match origin {
                Origin::Suppression if needs_the_policy(known) => Err((
                    format!("`{rule}` can't be suppressed here"),
                    Some("only an exception of the policy covers it: `exceptions` of `.agent-scope.json`".to_owned()),
                )),
                _ => Ok(Level::Error),
            };
        }
        Err(match Family::of(rule) {
            Some(Family::Evidence) => (
                format!("`{rule}` can't be excepted: what is missing was not judged"),
                Some("`evidence.rules` of the policy says what missing evidence weighs".to_owned()),
            ),
            Some(Family::Policy) => (
                format!("`{rule}` can't be excepted: it is about exceptions"),
                Some("remove or renew the exception".to_owned()),
            ),
            _ => (format!("there is no rule {}", crate::diagnostics::quoted(rule)), Some(self.suggestion(rule))),
        })
    }

    fn suggestion(&self, rule: &str) -> String {
        let own = self.0.keys().map(String::as_str);
        let candidates: Vec<&str> = own.chain(built_in_ids()).collect();
        match nearest(rule, &candidates) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "a rule is an entry of the policy (`files.read.deny[0]`), the id of one of its rules, or built in \
                     (`agent-strace rules` lists those)"
                .to_owned(),
        }
    }
}

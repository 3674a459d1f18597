//! The keys `evidence` and `sessions`: what a log has to prove, and which sessions may be at all.

use crate::evidence::{DEFAULTS, EvidenceRules, Grade, NEVER_OPEN, Weight};
use crate::grammar;
use crate::sessions::{Conditions, Field};

use super::{Data, Key, List, Parser, Value, escaped, nearest, quoted};
use agent_strace_model::finding::Family;

impl Parser<'_> {
    pub(super) fn evidence(&mut self, value: &Value) -> EvidenceRules {
        let mut rules = EvidenceRules::default();
        let Some(members) = self.members(value, "/evidence", &grammar::EVIDENCE) else { return rules };
        for (key, value) in members {
            match key.name.as_str() {
                "minimum" => self.minimum(value, &mut rules),
                "repositories" => self.repositories(value, &mut rules),
                "rules" => self.weights(value, &mut rules),
                _ => {}
            }
        }
        rules
    }

    fn minimum(&mut self, value: &Value, rules: &mut EvidenceRules) {
        let pointer = "/evidence/minimum";
        let Data::Text(text) = &value.data else { return self.wrong_type(value, pointer, "an evidence level") };
        if let Some(grade) = Grade::named(text) {
            rules.minimum = Some((grade, self.locator.location(value.span.start, pointer)));
        } else {
            let message = format!("{} is no evidence level", quoted(text));
            self.faults.push(value.span.clone(), pointer, message, Some(suggestion(text, Grade::NAMES)));
        }
    }

    fn repositories(&mut self, value: &Value, rules: &mut EvidenceRules) {
        let list: Option<List<()>> = self.list(value, "/evidence/repositories");
        rules.repositories = list.into_iter().flat_map(|list| list.entries).map(|entry| entry.text).collect();
    }

    fn weights(&mut self, value: &Value, rules: &mut EvidenceRules) {
        let known = grammar::WEIGHTS.keys(self.version);
        let Some(members) = self.object(value, "/evidence/rules", &known) else { return };
        for (key, value) in members {
            let pointer = format!("/evidence/rules/{}", escaped(&key.name));
            let Some((rule, _)) = DEFAULTS.iter().find(|(rule, _)| rule.as_str() == key.name) else {
                self.unknown_rule(key, &pointer, &known);
                continue;
            };
            let Data::Text(text) = &value.data else {
                self.wrong_type(value, &pointer, &listed(Weight::NAMES));
                continue;
            };
            let fault = match Weight::named(text) {
                None => (format!("{} is no weight", quoted(text)), suggestion(text, Weight::NAMES)),
                Some(weight) if NEVER_OPEN.contains(rule) && !weight.closes() => (
                    format!("`{rule}` can't be {}: what nobody could read, nobody judged", quoted(text)),
                    "write `incomplete` or `error`".to_owned(),
                ),
                Some(weight) => {
                    rules.weights.insert(*rule, (weight, self.locator.location(value.span.start, &pointer)));
                    continue;
                }
            };
            self.faults.push(value.span.clone(), &pointer, fault.0, Some(fault.1));
        }
    }

    fn unknown_rule(&mut self, key: &Key, pointer: &str, known: &[&str]) {
        let of_evidence = DEFAULTS.iter().filter(|(rule, _)| rule.family() == Family::Evidence);
        let bare: Vec<&str> = of_evidence.map(|(rule, _)| rule.short()).collect();
        let help = match nearest(&key.name, known) {
            Some(near) => format!("did you mean `{near}`?"),
            // People leave the family out.
            None => nearest(key.name.trim_start_matches("evidence/"), &bare).map_or_else(
                || format!("known here: {}", listed(known)),
                |near| format!("did you mean `evidence/{near}`?"),
            ),
        };
        let message = format!("unknown rule {}", quoted(&key.name));
        self.faults.push(key.span.clone(), pointer, message, Some(help));
    }

    pub(super) fn sessions(&mut self, value: &Value) -> Conditions {
        let mut conditions = Conditions::default();
        let Some(members) = self.members(value, "/sessions", &grammar::SESSIONS) else { return conditions };
        for (key, value) in members {
            let pointer = format!("/sessions/{}", escaped(&key.name));
            match key.name.as_str() {
                "allow" => {
                    for (field, list) in self.fields(value, &pointer) {
                        conditions.allow(field, &list);
                    }
                }
                "deny" => {
                    for (field, list) in self.fields(value, &pointer) {
                        conditions.deny(field, &list);
                    }
                }
                _ => {}
            }
        }
        conditions
    }

    fn fields(&mut self, value: &Value, pointer: &str) -> Vec<(Field, List<()>)> {
        let Some(members) = self.members(value, pointer, &grammar::FIELDS) else { return Vec::new() };
        let mut fields = Vec::new();
        for (key, value) in members {
            let pointer = format!("{pointer}/{}", escaped(&key.name));
            let Some(field) = Field::ALL.iter().find(|field| field.name() == key.name) else { continue };
            let Some(list) = self.list(value, &pointer) else { continue };
            if matches!(&value.data, Data::List(items) if items.is_empty()) {
                let message = "this list is empty: it would demand nothing".to_owned();
                self.faults.push(value.span.clone(), &pointer, message, Some("remove it, or name values".to_owned()));
            }
            fields.push((*field, list));
        }
        fields
    }
}

fn suggestion(text: &str, known: &[&str]) -> String {
    match nearest(text, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known here: {}", listed(known)),
    }
}

fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

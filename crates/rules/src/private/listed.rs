//! Findings by rule and way: beyond a number of them they are counted.

use std::collections::BTreeMap;

use super::Way;
use super::exposed::SessionValues;
use super::hits::{PrivateHit, rule};
use agent_strace_model::Event;
use agent_strace_model::finding::{Level, RuleId};

#[derive(Default)]
pub(super) struct Listed<'a> {
    hits: Vec<PrivateHit<'a>>,
    counts: BTreeMap<(RuleId, Way), Count<'a>>,
}

#[derive(Default)]
struct Count<'a> {
    all: usize,
    /// The first hit that is counted but not listed.
    first: Option<First<'a>>,
}

struct First<'a> {
    event: Option<&'a Event<'a>>,
    line: u32,
    level: Level,
}

impl<'a> Listed<'a> {
    /// `hit` runs only for listed hits and for the first one that is not.
    pub(super) fn add(&mut self, id: &str, way: Way, hit: impl FnOnce() -> Option<PrivateHit<'a>>) {
        let Some((rule, words)) = rule(id) else { return };
        let count = self.counts.entry((rule, way)).or_default();
        if count.first.is_some() {
            count.all += 1;
            return;
        }
        let Some(hit) = hit() else { return };
        count.all += 1;
        if count.all <= words.weight.most() {
            self.hits.push(hit);
        } else {
            count.first = Some(First { event: hit.event, line: hit.line, level: hit.level });
        }
    }

    pub(super) fn finish(self, session_values: &SessionValues) -> Vec<PrivateHit<'a>> {
        let Self { mut hits, counts } = self;
        for ((id, way), count) in counts {
            let (Some((rule, words)), Some(First { event, line, level })) = (rule(id.as_str()), count.first) else {
                continue;
            };
            let how = match way {
                Way::Written => "are written to files",
                Way::Sent => "are sent to other hosts",
                Way::Logged => "stand in the log",
            };
            let least = if session_values.beyond.contains_key(rule.as_str()) { "at least " } else { "" };
            let more = count.all - words.weight.most();
            let about = vec![("rule", rule.to_string()), ("way", way.name().to_owned()), ("more", String::new())];
            let message =
                format!("{least}{more} more {} {how}: `agent-strace redact --check` lists them", words.plural);
            hits.push(PrivateHit { rule, level, message, event, line, pointer: None, effect: None, about });
        }
        hits
    }
}

//! Findings by rule and way: beyond a number of them they are counted.

use std::collections::BTreeMap;

use super::Way;
use super::found::Share;
use super::told::{Told, rule};
use agent_strace_model::Event;
use agent_strace_model::finding::{Level, RuleId};

#[derive(Default)]
pub(super) struct Listed<'a> {
    told: Vec<Told<'a>>,
    counts: BTreeMap<(RuleId, Way), Count<'a>>,
}

#[derive(Default)]
struct Count<'a> {
    all: usize,
    /// The first of those that are not told of.
    first: Option<First<'a>>,
}

struct First<'a> {
    event: Option<&'a Event<'a>>,
    line: u32,
    level: Level,
}

impl<'a> Listed<'a> {
    /// `told` is asked only for what is told of, and for the first that is not.
    pub(super) fn add(&mut self, id: &str, way: Way, told: impl FnOnce() -> Option<Told<'a>>) {
        let Some((id, words)) = rule(id) else { return };
        let count = self.counts.entry((id, way)).or_default();
        if count.first.is_some() {
            count.all += 1;
            return;
        }
        let Some(told) = told() else { return };
        count.all += 1;
        if count.all <= words.weight.most() {
            self.told.push(told);
        } else {
            count.first = Some(First { event: told.event, line: told.line, level: told.level });
        }
    }

    pub(super) fn finish(self, share: &Share) -> Vec<Told<'a>> {
        let Self { mut told, counts } = self;
        for ((id, way), count) in counts {
            let (Some((rule, words)), Some(First { event, line, level })) = (rule(id), count.first) else { continue };
            let how = match way {
                Way::Written => "are written to files",
                Way::Sent => "are sent to other hosts",
                Way::Logged => "stand in the log",
            };
            let least = if share.beyond.contains_key(rule) { "at least " } else { "" };
            let more = count.all - words.weight.most();
            let about = vec![("rule", rule.to_owned()), ("way", way.name().to_owned()), ("more", String::new())];
            let message =
                format!("{least}{more} more {} {how}: `agent-strace redact --check` lists them", words.plural);
            told.push(Told { rule, level, message, event, line, pointer: None, effect: None, about });
        }
        told
    }
}

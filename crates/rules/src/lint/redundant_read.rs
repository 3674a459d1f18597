//! The same piece of the same file, read again and again although nobody changed it.

use std::collections::BTreeMap;

use super::context::LintContext;
use super::lint;
use crate::Hit;
use agent_strace_metrics::Reread;
use agent_strace_policy::config::lint::{Parameter, Unit};

const THRESHOLD: Parameter = Parameter { key: "threshold", default: Some(3.0), unit: Unit::Count };

lint!(
    REDUNDANT_READ = LintRedundantRead,
    "redundant-read",
    Note,
    "the same piece of an unchanged file was read several times",
    [THRESHOLD],
    look
);

fn look(context: &LintContext<'_>, hits: &mut Vec<Hit>) {
    // Each read that is repeated, with the last of its repetitions.
    let mut last: BTreeMap<(u32, &str), &Reread> = BTreeMap::new();
    for again in &context.log.measured.files().rereads {
        last.insert((again.of, &again.path), again);
    }
    for ((first, path), again) in last {
        if again.times >= context.count(&THRESHOLD) {
            let message = format!("\"{path}\" read {} times in this session, unchanged: consider caching", again.times);
            hits.push(context.hit(first..=again.event, message, vec![("path", path.to_owned())]));
        }
    }
}

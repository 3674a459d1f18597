//! The same act in other words: what a deny means, disguised in the ways agents and attackers have been seen to.
//!
//! The ways are data (`mutations.json`), by family: templates of commands and calls with placeholders for the act. Each says
//! which programs, paths or hosts it makes sense for; what a template needs and an act does not have leaves it out.

mod encode;
mod families;
mod fill;
mod sample;

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use agent_strace_policy::{EntryView, Parts, TestCall};

pub use families::{FAMILIES, MutantFamily};
use fill::Values;

/// One way to say it.
#[derive(Debug, Clone)]
pub(crate) struct Variant {
    /// `F13`.
    pub family: &'static str,
    /// What the family is, in a few words.
    pub what: &'static str,
    pub calls: Vec<TestCall>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    family: String,
    what: String,
    /// What is disguised: the name of a subject.
    of: String,
    only: Option<Only>,
    #[serde(default)]
    texts: Vec<String>,
    #[serde(default)]
    calls: Vec<Vec<(String, Value)>>,
}

/// For what a template makes sense.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Only {
    /// Commands of git.
    Git,
    /// Commands of more than one word, none of which needs quotes.
    Words,
    /// Programs that are named without a path.
    Named,
    /// Paths in the workspace.
    Workspace,
    /// Hosts with a name.
    Name,
    /// Hosts that are an address.
    Address,
}

/// A test loads the data; were it broken, there would be nothing to try, and lint says that nothing was tried.
static GROUPS: LazyLock<Vec<Group>> = LazyLock::new(|| load().unwrap_or_default());

fn load() -> Result<Vec<Group>, serde_json::Error> {
    serde_json::from_str(include_str!("mutations.json"))
}

/// What an entry means, as calls: the plain act first, then everything else that does the same.
pub(crate) struct Acts {
    pub plain: Vec<TestCall>,
    pub(crate) variants: Vec<Variant>,
}

/// One for each example of the entry; none where no example can be made of its pattern.
pub(crate) fn acts(entry: &EntryView, parts: &Parts) -> Vec<Acts> {
    sample::samples(entry, parts).iter().map(of_sample).collect()
}

/// Examples of what an entry means, each in plain words.
pub(crate) fn examples(entry: &EntryView, parts: &Parts) -> Vec<Vec<TestCall>> {
    sample::samples(entry, parts).iter().map(|sample| Values::new(sample).plain()).collect()
}

fn of_sample(sample: &sample::Sample) -> Acts {
    let values = Values::new(sample);
    let plain = values.plain();
    let groups =
        GROUPS.iter().filter(|group| group.of == sample.subject() && group.only.is_none_or(|only| sample.is(only)));
    let variants = groups.flat_map(|group| {
        let texts = group.texts.iter().filter_map(|text| Some(vec![TestCall::shell(&values.text(text)?)]));
        let calls = group.calls.iter().filter_map(|calls| {
            calls.iter().map(|(tool, input)| Some(TestCall::new(&values.text(tool)?, &values.value(input)?))).collect()
        });
        texts.chain(calls).map(|calls| Variant { family: &group.family, what: &group.what, calls }).collect::<Vec<_>>()
    });
    Acts { plain, variants: variants.collect() }
}

#[cfg(test)]
#[test]
fn the_data_is_read() {
    let groups = load().unwrap();
    let count = |group: &Group| group.texts.len() + group.calls.len();
    assert!(groups.iter().map(count).sum::<usize>() > 500);
}

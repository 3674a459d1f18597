//! What the end of a run says that each model used in all, side models and sub-agents included.
//!
//! Records come first: only what the end tells beyond them is added, model by model, and where it tells less, nothing. Of
//! several ends the largest counts, because later ones repeat what earlier ones told.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use crate::assembly::Assembly;
use crate::gaps::Gaps;
use crate::json::{Counts, Raw, fields, object, record};
use agent_strace_model::attribution::note_each;
use agent_strace_model::{Usage, naming};

record! {
    struct Used {
        input = "inputTokens",
        output = "outputTokens",
        cache_read = "cacheReadInputTokens",
        cache_write = "cacheCreationInputTokens",
    }
}

#[derive(Debug, Default)]
pub(super) struct Totals<'a> {
    /// By the model's name, with the one that it was told by.
    models: BTreeMap<String, (Cow<'a, str>, Usage)>,
    /// Of the conversation itself.
    whole: Usage,
}

impl<'a> Totals<'a> {
    /// `line`: where the end stands. What it says of a model and can't be read may have cost anything.
    pub(super) fn note(&mut self, whole: Option<Usage>, models: Option<Raw<'a>>, line: u32, gaps: &mut Gaps) {
        let more = whole.unwrap_or_default().beyond(&self.whole);
        self.whole.add(&more);
        let Some(models) = models else { return };
        let Some(models) = fields(models.get()) else {
            return gaps.malformed(line, "what each model used is not an object");
        };
        // One end may tell of a model by several names.
        let mut told: BTreeMap<String, (Cow<'a, str>, Usage)> = BTreeMap::new();
        for (name, used) in models {
            let Some(used) = object::<Used<'_>>(Some(used)) else {
                gaps.malformed(line, "what a model used is not an object");
                continue;
            };
            let (_, sum) = told
                .entry(naming::canonical(&name).into_owned())
                .or_insert_with(|| (without_size(name), Usage::default()));
            let mut counts = Counts::default();
            sum.add(&Usage {
                input: counts.needed(used.input),
                output: counts.needed(used.output),
                cache_read: counts.of(used.cache_read),
                cache_write: counts.of(used.cache_write),
                partial: counts.is_partial,
                ..Usage::default()
            });
        }
        for (model, (name, used)) in told {
            let (_, known) = self.models.entry(model).or_insert((name, Usage::default()));
            let more = used.beyond(known);
            known.add(&more);
        }
    }

    /// Adds what no record tells.
    pub(super) fn add(self, assembly: &mut Assembly<'a>) {
        if self.models.is_empty() {
            return self.add_whole(assembly);
        }
        let told = assembly.told(|name| naming::canonical(name).into_owned());
        if told.keys().any(|model| !self.models.contains_key(model)) {
            return self.add_in_all(&told, assembly);
        }
        for (model, (name, total)) in self.models {
            let beyond = total.beyond(&told.get(&model).copied().unwrap_or_default());
            if beyond != Usage::default() {
                note_each(&mut assembly.session.attribution.models, Some(name.clone()));
                assembly.unasked(Some(name), beyond);
            }
        }
    }

    /// Where the end of a run doesn't tell its models apart.
    fn add_whole(self, assembly: &mut Assembly<'a>) {
        let beyond = self.whole.beyond(&assembly.told_in_all(|stream| stream == 0));
        if beyond != Usage::default() {
            assembly.unasked(None, beyond);
        }
    }

    /// Where a record names a model that no end knows, one model has two names, and what each used can't be compared: by
    /// model it might be counted twice. What all used together can: the rest is one of those that no record names.
    fn add_in_all(self, told: &HashMap<String, Usage>, assembly: &mut Assembly<'a>) {
        let total: Usage = self.models.values().map(|(_, usage)| usage).sum();
        let beyond = total.beyond(&told.values().sum());
        if beyond == Usage::default() {
            return;
        }
        let named = |told_too: bool| {
            let models = self.models.iter().filter(move |(model, _)| told.contains_key(*model) == told_too);
            models.map(|(_, (name, _))| &**name).collect::<Vec<&str>>()
        };
        let names = Some(named(false)).filter(|names| !names.is_empty()).unwrap_or_else(|| named(true));
        assembly.unasked(Some(Cow::Owned(names.join(" or "))), beyond);
    }
}

fn without_size(name: Cow<'_, str>) -> Cow<'_, str> {
    match name {
        Cow::Borrowed(name) => Cow::Borrowed(naming::without_size(name)),
        Cow::Owned(name) => Cow::Owned(naming::without_size(&name).to_owned()),
    }
}

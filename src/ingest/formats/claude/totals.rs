//! What the end of a run says that each model used in all, side models and sub-agents included.
//!
//! Records come first: only what the end tells beyond them is added, model by model, and where it tells less, nothing. Of
//! several ends the largest counts, because later ones repeat what earlier ones told.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::ingest::assembly::Assembly;
use crate::ingest::gaps::Gaps;
use crate::ingest::json::{Raw, count, fields, object, record};
use crate::model::Usage;
use crate::model::attribution::note_each;

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
    /// By the plain name of the model, with the one that it was told by.
    models: BTreeMap<String, (Cow<'a, str>, Usage)>,
    /// Of the conversation itself.
    whole: Usage,
}

impl<'a> Totals<'a> {
    /// `line`: where the end stands. What it says of a model and can't be read may have cost anything.
    pub(super) fn note(&mut self, whole: Option<Usage>, models: Option<Raw<'a>>, line: u32, gaps: &mut Gaps) {
        self.whole = whole.unwrap_or(self.whole);
        let Some(models) = models else { return };
        let Some(models) = fields(models.get()) else {
            return gaps.push(Some(line), "what each model used is not an object");
        };
        // One end may tell of a model by several names.
        let mut told: BTreeMap<String, (Cow<'a, str>, Usage)> = BTreeMap::new();
        for (name, used) in models {
            let Some(used) = object::<Used<'_>>(Some(used)) else {
                gaps.push(Some(line), "what a model used is not an object");
                continue;
            };
            let (_, sum) = told.entry(plain(&name)).or_insert_with(|| (bare(name), Usage::default()));
            sum.add(&Usage {
                input: count(used.input),
                output: count(used.output),
                cache_read: count(used.cache_read),
                cache_write: count(used.cache_write),
                ..Usage::default()
            });
        }
        for (model, (name, used)) in told {
            let (_, known) = self.models.entry(model).or_insert((name, Usage::default()));
            let more = used.beyond(known);
            known.add(&more);
        }
    }

    /// Adds what no record tells. Where a record names a model that no end knows, names can't be compared, and nothing is
    /// added: it might be counted twice.
    pub(super) fn add(self, assembly: &mut Assembly<'a>) {
        let told = assembly.told(plain);
        if told.is_empty() && self.models.is_empty() && self.whole != Usage::default() {
            // Only the result of the run is recorded.
            return assembly.unasked(None, self.whole);
        }
        if told.keys().any(|model| !self.models.contains_key(model)) {
            return;
        }
        for (model, (name, total)) in self.models {
            let beyond = total.beyond(&told.get(&model).copied().unwrap_or_default());
            if beyond != Usage::default() {
                note_each(&mut assembly.session.attribution.models, Some(name.clone()));
                assembly.unasked(Some(name), beyond);
            }
        }
    }
}

/// Without what says how much of a context was asked for (`claude-sonnet-4-5[1m]`).
fn bare(name: Cow<'_, str>) -> Cow<'_, str> {
    match name.split_once('[') {
        Some((bare, _)) => Cow::Owned(bare.to_owned()),
        None => name,
    }
}

/// The name that a model has whoever offers it: `us.anthropic.claude-x-20250929-v1:0`, `claude-x`.
fn plain(name: &str) -> String {
    let name = name.split_once('[').map_or(name, |(bare, _)| bare).to_ascii_lowercase();
    let name = name.find("claude-").and_then(|at| name.get(at..)).unwrap_or(&name);
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let name = name.split_once(':').map_or(name, |(name, _)| name);
    let name = name.rsplit_once("-v").filter(|(_, number)| digits(number)).map_or(name, |(name, _)| name);
    let day = |(_, day): &(&str, &str)| day.len() == 8 && digits(day);
    name.rsplit_once(['-', '@']).filter(day).map_or(name, |(name, _)| name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn a_model_has_one_name_whoever_offers_it() {
        for name in [
            "claude-sonnet-4-5",
            "claude-sonnet-4-5[1m]",
            "claude-sonnet-4-5-20250929",
            "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
            "anthropic/claude-sonnet-4-5@20250929",
        ] {
            assert_eq!(plain(name), "claude-sonnet-4-5", "{name}");
        }
        assert_eq!(plain("claude-haiku-4-5"), "claude-haiku-4-5");
        assert_eq!(plain("glm-4.6"), "glm-4.6");
    }
}

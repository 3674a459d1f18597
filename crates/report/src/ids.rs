//! Short names of findings: the start of the fingerprint, as long as it has to be to name one act.

use std::collections::{BTreeMap, BTreeSet};

/// Digits that are always shown.
const SHORTEST: usize = 8;

/// How many digits tell a fingerprint from all others of the report, where more than the usual ones are needed.
#[derive(Debug, Default)]
pub(super) struct ShortIds(BTreeMap<String, usize>);

impl ShortIds {
    pub(super) fn new<'f>(fingerprints: impl Iterator<Item = &'f str>) -> Self {
        let sorted: BTreeSet<&str> = fingerprints.collect();
        let mut lengths: BTreeMap<String, usize> = BTreeMap::new();
        for (left, right) in sorted.iter().zip(sorted.iter().skip(1)) {
            let common = left.bytes().zip(right.bytes()).take_while(|(one, other)| one == other).count();
            if common >= SHORTEST {
                for name in [left, right] {
                    let length = lengths.entry((*name).to_owned()).or_default();
                    *length = (*length).max(common + 1);
                }
            }
        }
        Self(lengths)
    }

    /// The name of the finding with this fingerprint.
    pub(super) fn of<'f>(&self, fingerprint: &'f str) -> &'f str {
        let length = self.0.get(fingerprint).copied().unwrap_or(SHORTEST);
        fingerprint.get(..length).unwrap_or(fingerprint)
    }
}

#[cfg(test)]
mod tests {
    use super::ShortIds;

    #[test]
    fn an_id_names_one_act_of_the_report() {
        let all = ["0123456789ab", "0123456789cd", "0123456700ff", "fedcba9876", "short"];
        let ids = ShortIds::new(all.into_iter().chain(["fedcba9876"]));
        let shown = all.map(|fingerprint| ids.of(fingerprint));
        assert_eq!(shown, ["0123456789a", "0123456789c", "012345670", "fedcba98", "short"]);
        for (index, id) in shown.iter().enumerate() {
            let named = all.iter().filter(|fingerprint| fingerprint.starts_with(id)).count();
            assert_eq!(named, 1, "{index}: {id}");
        }
    }
}

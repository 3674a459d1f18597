//! Whether one entry of a policy speaks of everything that another one does: for who says what a change means.
//!
//! It never says so without proof. Where versions read patterns differently, only what holds in both is used.

use super::Decision;
use super::entries::EntryView;
use super::fold::fold;
use super::glob::{Answer, Glob};
use super::path;

/// Characters that are not what they look like in a pattern.
const SPECIAL: [char; 4] = ['*', '?', '[', '!'];

impl EntryView {
    /// Whatever `other` matches, this one does, too.
    pub fn covers(&self, other: &Self) -> bool {
        let (wide, narrow) = (self.text.as_str(), other.text.as_str());
        if self.subject != other.subject || self.policy_rule.is_some() || other.policy_rule.is_some() {
            return false;
        }
        let vouches_less = self.decision == Decision::Allowed && !self.even_if_changed;
        if other.even_if_changed && vouches_less {
            return false;
        }
        if wide == narrow {
            return true;
        }
        match self.subject.name() {
            "read" | "write" | "delete" => covers_path(wide, narrow),
            "command" => covers_command(wide, narrow),
            "network" => covers_host(wide, narrow),
            _ => false,
        }
    }
}

fn covers_path(wide: &str, narrow: &str) -> bool {
    // A bare name is looked for at the root alone where only a directory is known.
    let is_bare = |text: &str| !text.contains('/');
    if narrow.starts_with('!') || wide.starts_with('!') || is_bare(wide) || path::is_anchored(wide) {
        return false;
    }
    let (Some(folder), Some(below)) = (wide.strip_suffix("/**"), narrow.split_once('/')) else { return false };
    if folder.is_empty() || folder.contains(SPECIAL) || below.0.contains(SPECIAL) {
        return false;
    }
    let within = |narrow: &str, wide: &str| Glob::path(narrow).within(&[&Glob::path(wide)]) == Answer::Yes;
    within(narrow, wide) && within(&fold(narrow), &fold(wide))
}

/// The same first words: what follows them may be anything.
fn covers_command(wide: &str, narrow: &str) -> bool {
    let is_plain = |text: &str| !text.contains(SPECIAL) && !text.contains(['\'', '"', '\\']);
    let (wide_words, narrow_words) = (wide.split_whitespace(), narrow.split_whitespace());
    is_plain(wide) && is_plain(narrow) && narrow_words.take(wide_words.clone().count()).eq(wide_words)
}

/// `*.example.com` for hosts below it, at any port.
fn covers_host(wide: &str, narrow: &str) -> bool {
    let Some(domain) = wide.strip_prefix('*').filter(|domain| domain.starts_with('.')) else { return false };
    let host = narrow.rsplit_once(':').filter(|(host, _)| !host.contains(':')).map_or(narrow, |(host, _)| host);
    let plain = |text: &str| !text.contains(SPECIAL) && !text.contains([':', '/']);
    plain(domain) && plain(host) && host.len() > domain.len() && host.ends_with(domain)
}

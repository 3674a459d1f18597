//! Compares two entries: does one say everything that the other says? Reports of changes and lints ask this.
//!
//! The answer is yes only with proof. Where versions read patterns differently, only what holds in both is used.

use super::Decision;
use super::builtin::{BuiltinList, builtin};
use super::entries::{EntryView, Subject};
use super::fold::fold;
use super::glob::{Answer, Glob};
use super::path;

/// Characters that are not what they look like in a pattern.
const SPECIAL: [char; 4] = ['*', '?', '[', '!'];

impl EntryView {
    /// Everything that `other` decides, this entry decides in the same way. An entry that allows a command also vouches for code
    /// that the command starts, and a longer one vouches for more: only the same words say as much.
    pub fn covers(&self, other: &Self) -> bool {
        let vouches_less = self.decision == Decision::Allowed && !self.even_if_changed;
        if other.even_if_changed && vouches_less {
            return false;
        }
        let has_member = |list: &BuiltinList| self.is_of_a_list_with(other) && list.has_command(&other.text);
        if self.builtin.and_then(builtin).is_some_and(has_member) {
            return true;
        }
        match other.subject {
            Subject::Command if other.decision == Decision::Allowed => {
                self.speaks_as(other) || self.is_family_of(other)
            }
            // Several words are also looked for in the text of other commands, a single one is not.
            Subject::Command => self.names_all_of(other) && (self.text == other.text || self.has_several_words()),
            _ => self.names_all_of(other),
        }
    }

    /// This entry, which forbids, leaves nothing of what `other` allows or asks for.
    pub fn overrules(&self, other: &Self) -> bool {
        // Who may write or read every file of the workspace may also do what is not known to stay in it.
        let is_of_workspace = matches!(other.text.as_str(), "/**" | "**");
        let is_rival = self.names_all_of(other) && !(is_of_workspace && other.decision == Decision::Allowed);
        match (other.subject, other.decision) {
            (Subject::Command, Decision::Asked) => is_rival && (self.text == other.text || self.has_several_words()),
            _ => is_rival,
        }
    }

    /// `npm run *` also vouches for what `npm run build` vouches for.
    fn is_family_of(&self, other: &Self) -> bool {
        let is_plain = |text: &str| !text.contains(SPECIAL) && !text.contains(['\'', '"', '\\', '-']);
        let family = self.text.strip_suffix(" *").filter(|words| is_plain(words) && is_plain(&other.text));
        let names = |words: &str| other.text.strip_prefix(words).is_some_and(|rest| rest.starts_with(' '));
        self.is_of_a_list_with(other) && family.is_some_and(names)
    }

    fn speaks_as(&self, other: &Self) -> bool {
        self.is_of_a_list_with(other) && self.text == other.text
    }

    /// Whatever `other` matches, this one matches, too.
    pub fn names_all_of(&self, other: &Self) -> bool {
        let (wide, narrow) = (self.text.as_str(), other.text.as_str());
        if !self.is_of_a_list_with(other) {
            return false;
        }
        if wide == narrow {
            return true;
        }
        match self.subject {
            Subject::Read | Subject::Write | Subject::Delete => covers_path(wide, narrow),
            Subject::Command => covers_command(wide, narrow),
            Subject::Network => covers_host(wide, narrow),
            Subject::Env | Subject::Tool | Subject::List | Subject::Spawn => false,
        }
    }

    /// Both are entries of lists about the same subject.
    fn is_of_a_list_with(&self, other: &Self) -> bool {
        self.subject == other.subject && self.policy_rule.is_none() && other.policy_rule.is_none()
    }

    fn has_several_words(&self) -> bool {
        self.text.split_whitespace().nth(1).is_some()
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

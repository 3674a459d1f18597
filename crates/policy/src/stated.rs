//! What a policy states, beside its judgements: its entries, the lists that they name, and its defaults.

use super::builtin::{BUILTIN, Holds, builtin};
use super::entries::EntryView;
use super::parse::LABEL;
use super::{Decision, Policy};

impl Policy {
    /// Every entry that can decide, in the order of subjects and lists.
    pub fn entries(&self) -> impl Iterator<Item = &EntryView> {
        self.entries.iter()
    }

    /// Every entry, with each command or name of a built-in list as an entry of its own.
    pub fn members(&self) -> impl Iterator<Item = &EntryView> {
        self.members.iter()
    }

    /// The decision about acts that no entry names, where the policy states one.
    pub fn default_decision(&self) -> Option<Decision> {
        self.lists.defaults.decision.as_ref().map(|(decision, _)| *decision)
    }

    /// The decision about MCP tools that no entry names, where the policy states one.
    pub fn default_of_tools(&self) -> Option<Decision> {
        self.lists.tools.default.as_ref().map(|(decision, _)| *decision)
    }

    /// The decision about tools that nothing is known of, where the policy states one.
    pub fn default_of_unknown_tools(&self) -> Option<Decision> {
        self.lists.defaults.unknown_tool.as_ref().map(|(decision, _)| *decision)
    }

    /// The policy states how much an act weighs that can't be resolved.
    pub fn weighs_unresolved(&self) -> bool {
        self.lists.defaults.weighs_unresolved()
    }

    /// The patterns that a label stands for, as they are written.
    pub fn label(&self, name: &str) -> &[String] {
        self.labels.get(name).map_or(&[], Vec::as_slice)
    }

    /// The patterns of the label or built-in list of paths that an entry names, `!` included; `None`: it names neither, or a
    /// label of another file.
    pub fn members_of(&self, entry: &EntryView) -> Option<&[String]> {
        let text = entry.text.strip_prefix('!').unwrap_or(&entry.text);
        if let Some(label) = text.strip_prefix(LABEL) {
            return entry.location.file.is_none().then(|| self.label(label));
        }
        let list = text.strip_prefix(BUILTIN).and_then(builtin);
        list.filter(|list| list.holds == Holds::Paths).map(|list| list.entries.as_slice())
    }
}

//! The entry of a policy that a finding rests on.

use super::escape::shorten;
use agent_strace_model::finding::{PolicyEntry, PolicyLocation, PolicyRule};
use agent_strace_policy::dotted;
use agent_strace_secrets::{Redacted, redact};

/// Longest entry of a policy that is quoted.
const ENTRY: usize = 80;

/// The entry of a policy that decided.
#[derive(Debug)]
pub(crate) struct ShownLocation {
    /// Where it is not the policy itself.
    pub(super) file: Option<Redacted>,
    pub(super) pointer: String,
    pub(super) line: u32,
    pub(super) column: u32,
    /// The words of the entry, where one entry decided and not a list as a whole.
    pub(super) entry: Option<Redacted>,
    /// The pattern that matched, of an entry that names a label.
    pub(super) pattern: Option<Redacted>,
    pub(super) id: Option<Redacted>,
    pub(super) owner: Option<Redacted>,
    pub(super) reason: Option<Redacted>,
}

impl ShownLocation {
    pub(super) fn new(location: &PolicyLocation, rule: Option<&PolicyRule>) -> Self {
        Self {
            file: location.file.as_deref().map(redact),
            pointer: location.pointer.clone(),
            line: location.line,
            column: location.column,
            entry: None,
            pattern: None,
            id: rule.map(|rule| redact(&rule.id)),
            owner: rule.and_then(|rule| rule.owner.as_deref()).map(redact),
            reason: rule.and_then(|rule| rule.reason.as_deref()).map(redact),
        }
    }

    pub(super) fn of_entry(self, entry: Option<&PolicyEntry>) -> Self {
        let pattern = entry.and_then(|entry| entry.pattern.as_deref()).map(redact);
        Self { entry: entry.map(|entry| redact(&entry.text)), pattern, ..self }
    }

    /// `"secrets/**"`, or `"label:secret" ("secrets/**")`.
    pub(super) fn quoted(&self) -> Option<String> {
        let entry = self.entry.as_ref()?;
        let pattern = self.pattern.as_ref().map(|pattern| format!(" (\"{}\")", shorten(pattern.as_str(), ENTRY)));
        Some(format!("\"{}\"{}", shorten(entry.as_str(), ENTRY), pattern.unwrap_or_default()))
    }

    /// The list or the rule that it is an entry of, as messages name it.
    pub(super) fn name(&self) -> String {
        match (&self.id, self.pointer.rsplit_once('/')) {
            (Some(id), _) => id.as_str().to_owned(),
            (None, Some((list, index))) if index.bytes().all(|byte| byte.is_ascii_digit()) => dotted(list),
            _ => dotted(&self.pointer),
        }
    }

    /// The file it stands in; `policy`: that of the policy itself.
    pub(super) fn file<'a>(&'a self, policy: &'a str) -> &'a str {
        self.file.as_ref().map_or(policy, Redacted::as_str)
    }

    /// `rule CMD-PUSH of @platform: Releases go through CI`, where the entry has a name of its own.
    pub(super) fn named(&self) -> Option<String> {
        let id = self.id.as_ref()?;
        let owner = self.owner.as_ref().map(|owner| format!(" of {}", owner.as_str()));
        let reason = self.reason.as_ref().map(|reason| format!(": {}", reason.as_str()));
        Some(format!("rule {}{}{}", id.as_str(), owner.unwrap_or_default(), reason.unwrap_or_default()))
    }
}

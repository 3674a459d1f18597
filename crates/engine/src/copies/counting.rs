//! Makes sessions count only what they do not repeat.

use std::collections::{BTreeMap, BTreeSet};

use agent_strace_model::{EventKind, Session, Usage};

use super::Copies;

impl Copies {
    /// Makes the session count only what it does not repeat.
    pub fn apply(&self, session: &mut Session<'_>) {
        for index in &self.calls {
            let Some(event) = session.events.get_mut(*index) else { continue };
            let kind = std::mem::replace(&mut event.kind, EventKind::Other);
            event.kind = match kind {
                EventKind::Call(call) => EventKind::Copied(call),
                kind => kind,
            };
        }
        if !self.answers.is_empty() {
            self.take_answers(session);
        }
    }

    /// Takes out every record of the answers, and what each of them used by its last record.
    fn take_answers(&self, session: &mut Session<'_>) {
        let indices: BTreeSet<usize> = self.answers.iter().copied().collect();
        let first = indices.iter().filter_map(|index| session.spent.get(*index));
        let messages: BTreeSet<String> =
            first.filter_map(|spent| spent.message.as_deref()).map(str::to_owned).collect();
        let mut used: BTreeMap<Option<String>, Usage> = BTreeMap::new();
        let mut index = 0;
        session.spent.retain(|spent| {
            let at = index;
            index += 1;
            match spent.message.as_deref().filter(|message| messages.contains(*message)) {
                Some(message) => _ = used.insert(Some(message.to_owned()), spent.usage),
                None if indices.contains(&at) => used.entry(None).or_default().add(&spent.usage),
                None => return true,
            }
            false
        });
        let gone: Usage = used.values().sum();
        let partial = session.usage.partial && (!gone.partial || session.spent.iter().any(|spent| spent.usage.partial));
        session.usage = Usage { partial, ..session.usage.beyond(&gone) };
    }
}

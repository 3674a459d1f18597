//! Makes sessions count only what they do not repeat, and reports what a copy did once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use agent_strace_model::finding::{Finding, Level, RuleId};
use agent_strace_model::{Copied, EventKind, Holder, Session, Usage};

use super::super::SessionOutcome;
use super::Copies;

impl Copies {
    /// Makes the session count only what it does not repeat.
    pub fn apply(&self, session: &mut Session<'_>) {
        for (index, holder, number) in &self.calls {
            let Some(event) = session.events.get_mut(*index) else { continue };
            let kind = std::mem::replace(&mut event.kind, EventKind::Other);
            event.kind = match kind {
                EventKind::Call(call) => EventKind::Copied(Copied { call, holder: Arc::clone(holder), event: *number }),
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

/// Removes the findings about copies that the sessions in which the calls count have, too.
pub(crate) fn drop_repeated(sessions: &mut [SessionOutcome]) {
    if sessions.iter().all(|session| session.copied.is_empty()) {
        return;
    }
    let holders = sessions.iter().flat_map(|session| session.copied.values());
    let holders: BTreeSet<Holder> = holders.map(|(holder, _)| (**holder).clone()).collect();
    let mut known: BTreeMap<(Holder, u32, RuleId, String), (Level, bool)> = BTreeMap::new();
    for session in sessions.iter() {
        let holder = Holder { id: session.id.clone(), source: session.source.clone() };
        for finding in session.findings.iter().filter(|_| holders.contains(&holder)) {
            let key = (holder.clone(), finding.event, finding.rule, finding.fingerprint.clone());
            let known = known.entry(key).or_insert((finding.level, finding.is_covered()));
            *known = (finding.level.max(known.0), finding.is_covered() && known.1);
        }
    }
    for session in sessions.iter_mut().filter(|session| !session.copied.is_empty()) {
        let copied = &session.copied;
        let is_repeated = |finding: &Finding| {
            let Some((holder, event)) = copied.get(&finding.event) else { return false };
            let key = ((**holder).clone(), *event, finding.rule, finding.fingerprint.clone());
            let same = known.get(&key);
            same.is_some_and(|(level, covered)| *level >= finding.level && (finding.is_covered() || !covered))
        };
        session.findings.retain(|finding| !is_repeated(finding));
    }
}

//! What is known of the sessions that are watched, as news come in.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::limits::Judges;
use super::{News, SessionState};
use agent_strace_live::watch::{Breach, SessionSnapshot, Spending};

#[derive(Default)]
pub(in crate::cli) struct KnownSessions {
    sessions: BTreeMap<String, (PathBuf, SessionSnapshot)>,
    /// The one that something was heard of last.
    last: Option<String>,
    pub(in crate::cli) spending: Option<Spending>,
    gaps: BTreeMap<String, Vec<String>>,
    /// What was broken already, by session.
    fired: BTreeSet<(Option<String>, String)>,
}

/// Something new that was broken.
pub(in crate::cli) type Broken = (Option<String>, Breach);

impl KnownSessions {
    /// What of the news was not known to be broken.
    pub(in crate::cli) fn hear(&mut self, news: News) -> Vec<Broken> {
        let (session, breaches) = match news {
            News::Elsewhere(_) => return Vec::new(),
            News::Spending { spending, breaches } => {
                self.spending = Some(spending);
                (None, breaches)
            }
            News::Session(seen) => {
                let SessionState { directory, folder, breaches, snapshot, gaps, .. } = *seen;
                self.gaps.insert(directory.clone(), gaps);
                self.last = Some(directory.clone());
                // What can't be read now could be read before.
                let entry = self.sessions.entry(directory.clone()).or_default();
                entry.0 = folder;
                if snapshot.session().is_some() {
                    entry.1 = snapshot;
                }
                (Some(directory), breaches)
            }
        };
        let new = breaches.into_iter().filter(|breach| self.fired.insert((session.clone(), breach.key.clone())));
        let new: Vec<Breach> = new.collect();
        new.into_iter().map(|breach| (session.clone(), breach)).collect()
    }

    /// A clock says so. `false`: it did before.
    pub(in crate::cli) fn fire(&mut self, breach: &Breach) -> bool {
        self.fired.insert((None, breach.key.clone()))
    }

    pub(in crate::cli) fn is_empty(&self) -> bool {
        self.sessions.is_empty()
    }

    /// Where the post-mortem belongs, and what it is of: the session that broke something, else the latest.
    pub(in crate::cli) fn snapshot(&self, session: Option<&str>, store: &Path) -> (PathBuf, SessionSnapshot) {
        let named = session.or(self.last.as_deref()).and_then(|session| self.sessions.get(session));
        named.cloned().unwrap_or_else(|| (store.to_owned(), SessionSnapshot::default()))
    }

    /// What was asked for and nobody recorded.
    pub(in crate::cli) fn lacking(&self, judges: &Judges) -> Vec<String> {
        let (watch, mut said) = (&judges.watch, Vec::new());
        let asked = watch.asks_sessions() || judges.has_policy;
        if !asked {
            return said;
        }
        if self.is_empty() {
            let what = if watch.asks_sessions() { "all others were" } else { "the policy was" };
            said.push(format!("no session was recorded: only time limits held, {what} not judged"));
            return said;
        }
        let spending = self.spending.as_ref();
        let why = |told: Option<Option<&String>>| match told {
            Some(None) => None,
            Some(Some(why)) => Some(why.clone()),
            None => Some("nobody told the usage".to_owned()),
        };
        if let Some(why) = why(spending.map(|spending| spending.unknown.as_ref())).filter(|_| watch.asks_cost()) {
            said.push(format!("cost not known: {why}: the cost limit was not judged"));
        }
        let unmeasured = why(spending.map(|spending| spending.unmeasured.as_ref()));
        if let Some(why) = unmeasured.filter(|_| watch.asks_context()) {
            said.push(format!("context not known: {why}: the limit was not judged"));
        }
        for (session, gaps) in &self.gaps {
            said.extend(gaps.first().map(|gap| format!("session {session} was not judged whole: {gap}")));
        }
        said
    }
}

//! Looks at the work tree once more when a call has ended: files may have come while it ran, or changed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::super::Streams;
use super::super::args::GateArgs;
use super::super::failure::Failure;
use super::super::recording::EnforceArgs;
use super::judge::{self, PendingCall};
use super::{Hook, Recorded};
use agent_strace_engine::Moment;
use agent_strace_live::hook_events::{self, What};
use agent_strace_model::{Access, EventKind, FileEvent, Status};
use agent_strace_store::live::{Fact, Live, Stage, Watched};

/// Files whose digests are taken, at most, and the largest of them.
const MOST: usize = 64;
const LARGEST: u64 = 4 << 20;

impl Hook<'_> {
    /// Records what a look shows that the look before the call did not: a denied file of a set that was settled then counts as
    /// read, and one that has another content now as written.
    pub(super) fn look_again(
        &self,
        root: &Path,
        recorded: Recorded<'_>,
        streams: &mut Streams<'_>,
    ) -> Result<(), Failure> {
        let Recorded { mut live, event, called, time } = recorded;
        let Some(watched) = live.take_watched(&called.event_id) else { return Ok(()) };
        let What::After(after) = &event.what else { return Ok(()) };
        if after.status == Status::Denied {
            return Ok(());
        }
        let unrecorded = |error: &dyn std::fmt::Display| Failure::new(format!("not recorded: {error}"));
        let text = live.text().map_err(|error| unrecorded(&error))?;
        let line = hook_events::line(&live, event, &after.call, &called, time);
        let (directory, folder) = (live.directory().to_owned(), live.folder().to_owned());
        // What was taken is not looked at twice.
        live.keep(&Stage::Running).map_err(|error| unrecorded(&error))?;
        let left = live.leave();
        let call = PendingCall { root, session: &folder, recorded: text, number: called.event, line: &line };
        let by = EnforceArgs::of_policy(watched.policy.clone(), watched.policy_ref.clone());
        let gate = GateArgs::of_call(&by, true, Some(time));
        let looked = judge::look(&gate, call, Moment::Ended, self.environment, streams)?;
        let found = found(root, &folder, &watched, &looked.outcome.seen, &looked.outcome.watched);
        if found.is_empty() {
            return Ok(());
        }
        let store = folder.parent().unwrap_or(root);
        let mut live = Live::come_back(store, &event.session, &left).map_err(|error| unrecorded(&error))?;
        if live.directory() == directory {
            for file in found {
                live.append(time, &Fact::Event(&EventKind::File(file))).map_err(|error| unrecorded(&error))?;
            }
        }
        live.finish(&Stage::Running).map_err(|error| unrecorded(&error))
    }
}

/// The files that were read, and those that were changed, made or deleted.
fn found(
    root: &Path,
    session: &Path,
    watched: &Watched,
    seen: &BTreeSet<String>,
    at_risk: &BTreeSet<String>,
) -> Vec<FileEvent<'static>> {
    let event = |access, file: &str| FileEvent { access, target: root.join(file).display().to_string().into() };
    let now = digests(root, session, watched.files.keys().chain(at_risk).map(String::as_str));
    let changed = watched.files.iter().filter_map(|(file, before)| match now.get(file) {
        Some(after) => (after != before).then(|| event(Access::Write, file)),
        None => (!root.join(file).exists()).then(|| event(Access::Delete, file)),
    });
    // A list that was cut says nothing of what is not in it.
    let is_whole = watched.files.len() < MOST;
    let made = now.keys().filter(|file| is_whole && !watched.files.contains_key(*file));
    let made = made.map(|file| event(Access::Write, file));
    let read = seen.difference(&watched.seen);
    read.map(|file| event(Access::Read, file)).chain(changed).chain(made).collect()
}

/// The digests of files that exist. The size and the time of the last change stand for a content that is too large or can't be
/// read.
pub(super) fn digests<'f>(
    root: &Path,
    session: &Path,
    files: impl Iterator<Item = &'f str>,
) -> BTreeMap<String, String> {
    let files: BTreeSet<&str> = files.take(2 * MOST).collect();
    let digest = |file: &str| {
        let path = root.join(file);
        let found = fs::metadata(&path).ok()?;
        let is_small = found.is_file() && found.len() <= LARGEST;
        let content = if is_small { fs::read(&path).ok() } else { None };
        let content = content.unwrap_or_else(|| format!("{} {:?}", found.len(), found.modified().ok()).into_bytes());
        // The same content has another digest in another session: a short secret can't be looked up by it.
        let mut hasher = Sha256::new();
        hasher.update(session.as_os_str().as_encoded_bytes());
        hasher.update([0]);
        hasher.update(&content);
        Some(agent_strace_policy::hex(hasher.finalize().get(..16).unwrap_or_default()))
    };
    files.into_iter().filter_map(|file| Some((file.to_owned(), digest(file)?))).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{LARGEST, digests};

    #[test]
    fn a_large_file_that_grows_has_another_digest() {
        let folder = tempfile::tempdir().unwrap();
        let digest = || digests(folder.path(), Path::new("s"), ["large", "missing"].into_iter());
        let size = usize::try_from(LARGEST).unwrap() + 1;
        fs::write(folder.path().join("large"), vec![b'a'; size]).unwrap();
        let before = digest();
        fs::write(folder.path().join("large"), vec![b'a'; size + 1]).unwrap();
        let after = digest();
        assert_eq!(before.keys().collect::<Vec<_>>(), ["large"]);
        assert_ne!(before, after);
    }
}

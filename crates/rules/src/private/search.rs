//! Looks through texts and says what private values they hold.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;

use super::Wanted;
use agent_strace_secrets::stream::{self, Detector, Finding, Sink};
use agent_strace_secrets::{Confidence, Hit};

/// Finds what the gate counts.
pub(super) struct Search<'w> {
    wanted: &'w Wanted,
    /// By their digests, where somebody has to know them.
    values: Option<RefCell<BTreeMap<String, String>>>,
}

impl<'w> Search<'w> {
    pub(super) fn new(wanted: &'w Wanted) -> Self {
        Self { wanted, values: None }
    }

    pub(super) fn keeping_values(wanted: &'w Wanted) -> Self {
        Self { wanted, values: Some(RefCell::default()) }
    }

    /// Calls `found` for everything that counts, in order.
    pub(super) fn run(&self, mut bytes: &[u8], found: impl FnMut(&Finding<'_>)) -> io::Result<()> {
        stream::search(&mut bytes, self, &mut Each { wanted: self.wanted, found })
    }

    pub(super) fn into_values(self) -> BTreeMap<String, String> {
        self.values.map(RefCell::into_inner).unwrap_or_default()
    }
}

impl Detector for Search<'_> {
    fn find(&self, name: Option<&str>, text: &str) -> Vec<Hit> {
        let mut hits = match (self.wanted.secrets, self.wanted.personal) {
            (true, true) => agent_strace_secrets::find(name, text),
            (true, false) => agent_strace_secrets::secrets(name, text),
            (false, _) => agent_strace_secrets::personal(name, text),
        };
        hits.retain(|hit| hit.confidence >= Confidence::Medium && self.wanted.has(hit.rule));
        hits
    }

    fn private(&self, text: &str) -> Vec<Hit> {
        agent_strace_secrets::find(None, text)
    }

    fn fingerprint(&self, hit: &Hit, value: &str) -> String {
        let fingerprint = agent_strace_secrets::fingerprint(None, hit.rule, value);
        if let Some(values) = &self.values {
            values.borrow_mut().entry(fingerprint.clone()).or_insert_with(|| value.to_owned());
        }
        fingerprint
    }
}

struct Each<'w, F> {
    wanted: &'w Wanted,
    found: F,
}

impl<F: FnMut(&Finding<'_>)> Sink for Each<'_, F> {
    fn bytes(&mut self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn found(&mut self, finding: &Finding<'_>) -> io::Result<()> {
        // What a log makes impossible to decide goes by the name of no rule.
        if finding.hit.confidence >= Confidence::Medium && self.wanted.has(finding.hit.rule) {
            (self.found)(finding);
        }
        Ok(())
    }
}

/// A series of documents, to be searched at once. A search takes memory, and most texts are short.
#[derive(Default)]
pub(super) struct Documents<T> {
    bytes: Vec<u8>,
    lines: u64,
    /// The line that each begins on, and whose it is.
    starts: Vec<(u64, T)>,
}

impl<T: Copy> Documents<T> {
    pub(super) fn new() -> Self {
        Self { bytes: Vec::new(), lines: 0, starts: Vec::new() }
    }

    /// Any JSON.
    pub(super) fn json(&mut self, owner: T, json: &str) {
        self.starts.push((self.lines + 1, owner));
        self.bytes.push(b'[');
        self.bytes.extend_from_slice(json.as_bytes());
        self.bytes.extend_from_slice(b"]\n");
        self.lines += memchr::memchr_iter(b'\n', json.as_bytes()).count() as u64 + 1;
    }

    pub(super) fn text(&mut self, owner: T, text: &str) {
        self.json(owner, &serde_json::Value::String(text.to_owned()).to_string());
    }

    /// Calls `found` with whose it is.
    pub(super) fn search(&self, search: &Search<'_>, mut found: impl FnMut(T, &Finding<'_>)) -> io::Result<()> {
        search.run(&self.bytes, |finding| {
            let at = self.starts.partition_point(|(line, _)| *line <= finding.line);
            if let Some((_, owner)) = at.checked_sub(1).and_then(|at| self.starts.get(at)) {
                found(*owner, finding);
            }
        })
    }
}

/// A text without anything private in it, to be shown.
pub fn masked(text: &str) -> String {
    stream::name(&All, text).unwrap_or_else(|| text.to_owned())
}

/// Finds everything, also what is only likely and what the gate does not count.
struct All;

impl Detector for All {
    fn find(&self, name: Option<&str>, text: &str) -> Vec<Hit> {
        agent_strace_secrets::find(name, text)
    }

    fn private(&self, text: &str) -> Vec<Hit> {
        agent_strace_secrets::find(None, text)
    }

    fn fingerprint(&self, hit: &Hit, value: &str) -> String {
        agent_strace_secrets::fingerprint(None, hit.rule, value)
    }
}

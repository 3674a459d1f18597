//! Sessions without who they are about.
//!
//! Identities are found out from the session itself ([`survey`]), from the configuration and from this machine, never
//! assumed: who exports a session is often not who recorded it. Each is replaced wherever it stands and however it is
//! written ([`finder`], [`views`]) by a pseudonym: equal values get equal ones, across files that share a key, and
//! nobody finds the value without the key ([`key`]). Secrets are replaced as `redact` replaces them, and a value that
//! was a secret once is one everywhere.
//!
//! A home folder becomes `‹home:…›` and its tail stays: `~` would make the homes of two users one, and the tail is what
//! a reader of the trace needs.
//!
//! The rewriting repeats until nothing changes, so that doing it again changes nothing. Then the finished bytes are
//! searched in another way ([`residual`]): not by undoing encodings, but for every encoding of every value.

mod canonical;
mod class;
mod encoded;
mod finder;
mod key;
mod matcher;
mod residual;
mod secrets;
mod spellings;
mod survey;
mod table;
#[cfg(test)]
mod tests;
mod token;
mod vault;
mod views;

use std::collections::BTreeMap;
use std::io;

use regex::Regex;

pub use class::{Class, described};
use finder::Finder;
pub use finder::MOST_RULES;
pub use key::{Key, LENGTH as KEY_LENGTH};
pub use residual::Residue;
pub use spellings::hexadecimal;
use survey::{Known, Survey};
pub use table::Keep;
use table::Table;
pub use vault::Vault;

use crate::stream::{self, Finding, Sink};

/// Times that a session is rewritten until nothing changes.
const ROUNDS: usize = 6;

/// What is replaced beside what a session shows.
#[derive(Debug, Default)]
pub struct Options {
    /// `None`: secrets alone are replaced.
    pub pseudonyms: Option<Pseudonyms>,
    /// Domains of addresses that stay.
    pub keep_domains: Vec<String>,
    pub rules: Vec<Rule>,
    /// Of the configuration and of this machine.
    pub identities: Vec<(Class, String)>,
    /// What is nobody's.
    pub keep: Vec<String>,
}

/// Where pseudonyms come from.
#[derive(Debug)]
pub struct Pseudonyms {
    pub key: Key,
    /// Equal values have equal pseudonyms within it; empty: wherever the key is used.
    pub scope: String,
}

/// A pattern, and the text that takes its place as it is.
#[derive(Debug, Clone)]
pub struct Rule {
    pub pattern: Regex,
    pub replacement: String,
}

impl Options {
    fn identities(&self) -> bool {
        self.pseudonyms.is_some()
    }

    fn pseudonyms(&self) -> Option<(&Key, &str)> {
        self.pseudonyms.as_ref().map(|pseudonyms| (&pseudonyms.key, pseudonyms.scope.as_str()))
    }
}

/// A session that can be shown.
pub struct Anonymized {
    pub bytes: Vec<u8>,
    /// Places by the name of their class; `secret` for all secrets, `rule-1` for the first rule of the configuration.
    pub counts: BTreeMap<String, u64>,
    /// What each pseudonym stands for.
    pub originals: BTreeMap<String, String>,
    known: Known,
}

/// Why a session can't be shown.
#[derive(Debug, thiserror::Error)]
pub enum Unfinished {
    #[error("it still changes after {ROUNDS} rounds: a rule of the configuration may find what another one writes")]
    Unsettled,
    #[error("it names more people, machines or secrets than can be looked for at once")]
    TooMany,
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// Rewrites lines of JSON: one document a line, and as many lines come out.
///
/// `fields`: what fields of the session's summary hold, by name.
pub fn anonymize(options: &Options, lines: &[u8], fields: &[(String, String)]) -> Result<Anonymized, Unfinished> {
    let mut known = Known { table: start(options, fields), ..Known::default() };
    let (mut bytes, mut counts, mut originals) = (lines.to_vec(), BTreeMap::new(), BTreeMap::new());
    for _ in 0..ROUNDS {
        let survey = Survey::new(known, options.identities());
        stream::search(&mut bytes.as_slice(), &survey, &mut Output::default())?;
        known = survey.known();
        let finder = Finder::new(options, known.clone()).map_err(|_| Unfinished::TooMany)?;
        bytes = finder.without_forged_marks(bytes);
        let mut output = Output::default();
        stream::rewrite(&mut bytes.as_slice(), &finder, &mut output)?;
        for (token, original) in finder.done().originals {
            originals.entry(token).or_insert(original);
        }
        for (class, count) in output.counts {
            *counts.entry(class).or_default() += count;
        }
        if output.bytes == bytes {
            return Ok(Anonymized { bytes, counts, originals, known });
        }
        bytes = output.bytes;
    }
    Err(Unfinished::Unsettled)
}

impl Anonymized {
    /// What of it is left in bytes that are about to be written, anywhere and in any spelling.
    pub fn residue(&self, options: &Options, finished: &[u8]) -> Result<Vec<Residue>, Unfinished> {
        residual::search(options, &self.known, finished)
    }
}

fn start(options: &Options, fields: &[(String, String)]) -> Table {
    let mut table = Table::new(options.keep.iter().map(String::as_str));
    if !options.identities() {
        return table;
    }
    for (class, value) in &options.identities {
        table.add(*class, value);
    }
    for (name, value) in fields {
        if let Some(class) = survey::class_of_meta(name) {
            table.add(class, value);
        }
    }
    table
}

#[derive(Default)]
struct Output {
    bytes: Vec<u8>,
    counts: BTreeMap<String, u64>,
}

impl Sink for Output {
    fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn found(&mut self, finding: &Finding<'_>) -> io::Result<()> {
        *self.counts.entry(class_of_rule(finding.hit.rule).to_owned()).or_default() += 1;
        Ok(())
    }
}

/// What a hit counts as.
fn class_of_rule(rule: &'static str) -> &'static str {
    match rule.split_once('/') {
        Some(("secret", _)) => "secret",
        Some((_, name)) => name,
        None => rule,
    }
}

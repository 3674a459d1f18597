//! Providers that are known: their hosts and the variables that their documentation names.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};
use serde::Deserialize;

use agent_strace_policy::Glob;

/// A provider of language models.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Provider {
    /// Lower case.
    pub id: String,
    pub name: String,
    /// Names or patterns: `*` stands for any text.
    hosts: Vec<String>,
    /// Of hosts that serve something else, too: what has to stand in the path.
    #[serde(default)]
    paths: Vec<String>,
    /// Names of variables of the environment.
    #[serde(default)]
    env: Vec<String>,
}

/// All of them, ready to be looked for.
#[derive(Debug)]
pub(crate) struct Providers {
    all: Vec<Provider>,
    /// Literal pieces of hosts.
    pieces: AhoCorasick,
    /// By piece: the index of the provider, and the pattern of the host.
    hosts: Vec<(usize, Glob)>,
    variables: BTreeMap<String, usize>,
}

static PROVIDERS: LazyLock<Result<Providers, String>> =
    LazyLock::new(|| Providers::new(include_str!("../providers.json")));

pub(crate) fn providers() -> Result<&'static Providers, String> {
    PROVIDERS.as_ref().map_err(Clone::clone)
}

impl Providers {
    fn new(text: &str) -> Result<Self, String> {
        let all: Vec<Provider> = serde_json::from_str(text).map_err(|error| format!("the providers: {error}"))?;
        let (mut pieces, mut hosts, mut variables) = (Vec::new(), Vec::new(), BTreeMap::new());
        for (at, provider) in all.iter().enumerate() {
            for host in &provider.hosts {
                let piece = host.split('*').max_by_key(|piece| piece.len()).unwrap_or_default();
                pieces.push(piece.to_owned());
                hosts.push((at, Glob::fnmatch(host)));
            }
            for name in &provider.env {
                variables.entry(name.clone()).or_insert(at);
            }
        }
        let built =
            AhoCorasickBuilder::new().ascii_case_insensitive(true).match_kind(MatchKind::Standard).build(pieces);
        let pieces = built.map_err(|error| format!("the hosts of providers: {error}"))?;
        Ok(Self { all, pieces, hosts, variables })
    }

    /// What people call a provider.
    pub(super) fn name(&'static self, id: &str) -> Option<&'static str> {
        self.all.iter().find(|provider| provider.id == id).map(|provider| provider.name.as_str())
    }

    /// Known hosts that stand in a text: the provider, the host, and the byte at which it starts.
    pub(super) fn hosts<'t>(
        &'static self,
        text: &'t str,
    ) -> impl Iterator<Item = (&'static str, String, usize)> + use<'t> {
        self.pieces.find_overlapping_iter(text).filter_map(move |hit| {
            let (provider, pattern) = self.hosts.get(hit.pattern().as_usize())?;
            let provider = self.all.get(*provider)?;
            let (start, end) = around(text, hit.start(), hit.end());
            let host = text.get(start..end)?.to_ascii_lowercase();
            let path = text.get(end..).unwrap_or_default();
            let is_asked = provider.paths.is_empty() || provider.paths.iter().any(|wanted| has_path(path, wanted));
            // An e-mail address of a provider is no endpoint.
            let is_mail = text.get(..start).is_some_and(|before| before.ends_with('@'));
            (pattern.matches(&host) && is_asked && !is_mail).then_some((provider.id.as_str(), host, start))
        })
    }

    /// Whether a host is one of a provider's.
    pub(super) fn is_known(&self, host: &str) -> bool {
        self.hosts.iter().any(|(_, pattern)| pattern.matches(host))
    }

    /// Variables of providers in a text, as whole words.
    pub(super) fn variables<'t>(
        &'static self,
        text: &'t str,
    ) -> impl Iterator<Item = (&'static str, String, usize)> + use<'t> {
        words(text).filter_map(|(at, word)| {
            let provider = self.all.get(*self.variables.get(word)?)?;
            Some((provider.id.as_str(), word.to_owned(), at))
        })
    }

    pub(super) fn is_variable(&self, name: &str) -> bool {
        self.variables.contains_key(name)
    }
}

/// Names in capitals, as variables of the environment are.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_word = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at + bytes.get(at..)?.iter().position(|byte| is_word(*byte))?;
            let length = bytes.get(start..)?.iter().take_while(|byte| is_word(**byte)).count();
            at = start + length;
            let inside =
                start.checked_sub(1).and_then(|before| bytes.get(before)).is_some_and(u8::is_ascii_alphanumeric);
            let goes_on = bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
            if length > 3 && !inside && !goes_on {
                return text.get(start..at).map(|word| (start, word));
            }
        }
    })
}

/// All of the host around a piece of it.
fn around(text: &str, start: usize, end: usize) -> (usize, usize) {
    let is_host = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    let bytes = text.as_bytes();
    let before = bytes.get(..start).unwrap_or_default().iter().rev().take_while(|byte| is_host(byte)).count();
    let after = bytes.get(end..).unwrap_or_default().iter().take_while(|byte| is_host(byte)).count();
    let end = end + after;
    // A full stop ends the sentence, not the host.
    let stops = bytes.get(start..end).unwrap_or_default().iter().rev().take_while(|byte| **byte == b'.').count();
    (start - before, end - stops)
}

fn has_path(rest: &str, wanted: &str) -> bool {
    let end = rest.find(|character: char| character.is_whitespace() || "\"'`<>)".contains(character));
    rest.get(..end.unwrap_or(rest.len())).is_some_and(|path| path.contains(wanted))
}

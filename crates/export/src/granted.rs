//! Acts that an entry of an agent's settings lets pass.

use std::collections::BTreeSet;

use super::example::{self, Example};
use super::import::{Entry, Grant, Kind, Matcher};
use super::paths::{self, Side};

/// Acts that an entry of the settings allows.
pub(super) fn examples(grant: &Grant) -> Vec<Example> {
    if matches!(grant.matcher, Matcher::Any) && grant.kind != Kind::Mcp {
        return match grant.kind {
            Kind::Command => vec![Example::command("unlisted-program x1")],
            Kind::Read => vec![Example::read("x1"), Example::read("x1/x2")],
            Kind::Edit => vec![Example::edit("x1"), Example::edit("x1/x2")],
            Kind::Fetch => vec![Example::fetch("unlisted.example")],
            Kind::WebSearch => vec![Example::search()],
            Kind::Mcp | Kind::Agent => Vec::new(),
        };
    }
    let own = grant.said.spelled.iter().flat_map(|pattern| of_spelled(pattern));
    let entries = match grant.said.wider.as_deref() {
        Some(wider) if grant.said.narrower.is_empty() && grant.said.spelled.is_empty() => wider,
        _ => &grant.said.narrower,
    };
    let mut seen = BTreeSet::new();
    let all = own.chain(entries.iter().flat_map(|entry| of_entry(grant.kind, entry)));
    all.filter(|example| seen.insert(example.shown())).collect()
}

/// Returns true if the examples of the entry are acts that it names itself, and not only acts that are like them.
pub(super) fn are_its_own(grant: &Grant) -> bool {
    matches!(grant.matcher, Matcher::Any) || !grant.said.narrower.is_empty() || !grant.said.spelled.is_empty()
}

/// Commands that a pattern names as it spells them: `*` is any text, and ` *` at the end is also nothing.
fn of_spelled(pattern: &str) -> Vec<Example> {
    let filled = |text: &str| Example::command(&text.replace('*', example::NAME));
    let bare = pattern.strip_suffix(" *").map(filled);
    bare.into_iter().chain([filled(pattern)]).collect()
}

/// Commands that begin as the words do, and that a pattern with a `*` in front of other text names.
pub(super) fn filled_with(pattern: &str, words: &str) -> Option<Example> {
    let pattern = pattern.strip_suffix(" *").unwrap_or(pattern);
    let (first, rest) = pattern.split_once('*')?;
    let named = words.starts_with(first) && words.len() > first.len();
    named.then(|| Example::command(&format!("{words}{}", rest.replace('*', example::NAME))))
}

fn of_entry(kind: Kind, entry: &Entry) -> Vec<Example> {
    let files = |text: &str, make: fn(&str) -> Example| -> Vec<Example> {
        let patterns =
            if text == "**" { paths::of("//**", 2, Side::Narrower) } else { paths::of(text, 2, Side::Narrower) };
        patterns.unwrap_or_default().iter().flat_map(example::paths).map(|path| make(&path)).collect()
    };
    match (kind, entry) {
        (Kind::Command, Entry::Listed(words)) => of_words(words),
        (Kind::Command, Entry::Exact(words)) => vec![Example::command(&words.join(" "))],
        (Kind::Command, Entry::With { first, anywhere }) => {
            let words = first.iter().chain(anywhere).cloned().collect::<Vec<_>>().join(" ");
            example::command(&words).iter().map(|text| Example::command(text)).collect()
        }
        (Kind::Read, Entry::Listed(text)) => files(text, Example::read),
        (Kind::Edit, Entry::Listed(text)) => files(text, Example::edit),
        (Kind::Fetch, Entry::Listed(text)) => example::host(text).iter().map(|host| Example::fetch(host)).collect(),
        (Kind::Mcp, Entry::Tool { server, tool }) => {
            let (server, tool) = (server.replace('*', "x1"), tool.replace('*', "x1"));
            vec![Example::tool(&server, &tool)]
        }
        _ => Vec::new(),
    }
}

/// Commands that begin with these words.
pub(super) fn of_words(words: &str) -> Vec<Example> {
    let text = example::command(words);
    text.iter().flat_map(|text| [Example::command(text), Example::command(&format!("{text} x1"))]).collect()
}

//! What an act did, part by part.

use super::markup::{Html, code, element, text};
use crate::escape::shorten;
use crate::view::ShownEffect;
use agent_strace_secrets::Redacted;

/// Longest path, word or reason that is shown, and the most words of a command.
const LONGEST: usize = 1_000;
const WORDS: usize = 100;

type Row = (&'static str, Option<Html>);

pub(super) fn rows(effect: Option<&ShownEffect>) -> Vec<Row> {
    let Some(effect) = effect else { return Vec::new() };
    vec![
        ("What was done", Some(text(kind(effect.kind)))),
        ("File", value(effect.path.as_ref())),
        ("Command", effect.argv.as_deref().map(command)),
        ("Host", effect.host.as_ref().map(|host| address(host, effect))),
        ("Server", value(effect.server.as_ref())),
        ("Tool", value(effect.tool.as_ref())),
        ("Agent", value(effect.agent.as_ref())),
        ("Variable", value(effect.name.as_ref())),
        ("Not resolved because", effect.reason.as_ref().map(|reason| text(&shorten(reason.as_str(), LONGEST)))),
        ("How certain", effect.certainty.map(|certainty| text(certainty_in_words(certainty)))),
    ]
}

fn kind(kind: &'static str) -> &'static str {
    match kind {
        "read" => "a file was read",
        "write" => "a file was written",
        "delete" => "a file was deleted",
        "list" => "names of files were listed",
        "execute" => "a command ran",
        "connect" => "a connection was made",
        "spawn" => "a sub-agent was started",
        "env" => "a variable was set for programs",
        "tool" => "a tool was called",
        "opaque" => "it can't be told",
        other => other,
    }
}

fn certainty_in_words(certainty: &'static str) -> &'static str {
    match certainty {
        "exact" => "exactly this",
        "pattern" => "something that this pattern describes",
        "possible" => "possibly: it may not have happened",
        other => other,
    }
}

fn value(part: Option<&Redacted>) -> Option<Html> {
    part.map(|part| code(&shorten(part.as_str(), LONGEST)))
}

/// Word by word, so that `rm "a b"` is not taken for `rm a b`.
fn command(argv: &[Redacted]) -> Html {
    let words = argv.iter().take(WORDS).map(|word| {
        let word = code(&shorten(word.as_str(), LONGEST));
        [word, text(" ")].into_iter().collect()
    });
    let more = argv.len().checked_sub(WORDS).filter(|more| *more > 0);
    let more = more.map(|more| text(&format!("… and {more} more words")));
    element("span", &[("class", "words")], words.chain(more))
}

fn address(host: &Redacted, effect: &ShownEffect) -> Html {
    let port = effect.port.map(|port| format!(":{port}")).unwrap_or_default();
    let host = code(&format!("{}{port}", shorten(host.as_str(), LONGEST)));
    let scheme = effect.scheme.as_ref().map(|scheme| text(&format!(" by {}", shorten(scheme.as_str(), LONGEST))));
    std::iter::once(host).chain(scheme).collect()
}

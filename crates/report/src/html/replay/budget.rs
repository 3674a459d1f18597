//! How much of what events say is in a page: so much of each, and so much in all. What is left out is told.

use serde::Serialize;

use super::close::{Act, BEYOND, CloseEvent, SHOWN};
use super::quote::Quotes;
use crate::actions::action;
use crate::escape::{shorten, terminal};
use agent_strace_policy::Decision;
use agent_strace_secrets::redact;

/// Bytes of what all events say and did.
pub(super) const TOTAL: usize = 16 << 20;
/// Longest reason of a ruling.
const REASON: usize = 300;

/// What one event says in full and did.
#[derive(Debug, Default, Serialize)]
pub(super) struct Detail {
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// How many characters the log has, where it is more than the text has.
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    did: Vec<Did>,
    /// How much else it did, and kinds of it.
    #[serde(skip_serializing_if = "is_none")]
    more: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    kinds: Vec<&'static str>,
    /// There was no room for it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    omitted: bool,
}

/// One effect.
#[derive(Debug, Serialize)]
struct Did {
    kind: &'static str,
    what: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    sure: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The entry that decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<usize>,
    /// It is always taken for sensitive.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    sensitive: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_none(count: &usize) -> bool {
    *count == 0
}

/// Room for details.
#[derive(Debug)]
pub(super) struct Budget {
    left: usize,
    /// Events for which there was none.
    pub(super) omitted: usize,
    /// Events that are shown in part.
    pub(super) cut: usize,
}

impl Budget {
    pub(super) fn new(bytes: usize) -> Self {
        Self { left: bytes, omitted: 0, cut: 0 }
    }

    pub(super) fn detail(&mut self, event: &CloseEvent, quotes: Option<&mut Quotes<'_>>) -> Detail {
        if self.left == 0 {
            let omitted = event.text.is_some() || !event.acts.is_empty();
            self.omitted += usize::from(omitted);
            return Detail { kinds: event.kinds.clone(), omitted, ..Detail::default() };
        }
        let (text, of) = text(event);
        self.cut += usize::from(of.is_some());
        let mut quotes = quotes;
        let did: Vec<Did> = event.acts.iter().map(|act| Did::new(act, quotes.as_deref_mut())).collect();
        let bytes = text.as_ref().map_or(0, String::len) + did.iter().map(Did::bytes).sum::<usize>();
        self.left = self.left.saturating_sub(bytes);
        let kinds = if event.more > 0 { event.kinds.clone() } else { Vec::new() };
        Detail { text, of, did, more: event.more, kinds, omitted: false }
    }
}

impl Did {
    fn new(act: &Act, quotes: Option<&mut Quotes<'_>>) -> Self {
        let ruling = act.ruling.as_ref();
        // Where no part of the policy speaks of it there is nothing to say.
        let ruled = ruling.filter(|ruling| ruling.decision != Decision::Unruled);
        let location = ruling.and_then(|ruling| ruling.location.as_ref());
        Self {
            kind: act.effect.kind,
            what: action(&act.effect),
            sure: act.effect.certainty.filter(|certainty| *certainty != "exact"),
            decision: ruling.map(|ruling| ruling.decision.name()),
            reason: ruled.map(|ruling| terminal(&shorten(ruling.reason.as_str(), REASON))),
            by: location.zip(quotes).and_then(|(location, quotes)| quotes.quote(location)),
            sensitive: ruling.is_some_and(|ruling| ruling.sensitive),
        }
    }

    /// About as long as it is written.
    fn bytes(&self) -> usize {
        const NAMES: usize = 80;
        self.what.len() + self.reason.as_ref().map_or(0, String::len) + NAMES
    }
}

/// The beginning of what an event says, and how long all of it is where that is more.
fn text(event: &CloseEvent) -> (Option<String>, Option<usize>) {
    let Some(full) = &event.text else { return (None, None) };
    let redacted = redact(&full.text);
    let whole = redacted.as_str();
    let is_whole = full.text.chars().count() == full.characters;
    let most = if is_whole { SHOWN } else { SHOWN.min(whole.len().saturating_sub(BEYOND)) };
    let shown = head(whole, most);
    let cut = !is_whole || shown.len() < whole.len();
    (Some(visible(shown)), cut.then_some(full.characters))
}

/// Not more than so many bytes.
fn head(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    text.get(..end.unwrap_or(0)).unwrap_or_default()
}

/// Line by line: nothing in it that a reader would not see, and nothing that a build log would obey.
pub(super) fn visible(text: &str) -> String {
    text.lines().map(terminal).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::{BEYOND, Budget, SHOWN, text, visible};
    use crate::html::replay::close::CloseEvent;
    use agent_strace_session_view::events::Full;

    fn said(text: &str, characters: usize) -> CloseEvent {
        CloseEvent::new(Some(Full { text: text.to_owned(), characters }), Vec::new())
    }

    #[test]
    fn what_is_cut_is_told() {
        for (length, characters, shown, of) in [
            (10, 10, 10, None),
            (SHOWN, SHOWN, SHOWN, None),
            (SHOWN + 1, SHOWN + 1, SHOWN, Some(SHOWN + 1)),
            (SHOWN + BEYOND, 1_000_000, SHOWN, Some(1_000_000)),
        ] {
            let (text, told) = text(&said(&"x".repeat(length), characters));
            assert_eq!((text.unwrap().len(), told), (shown, of), "{length} of {characters}");
        }
    }

    #[test]
    fn a_secret_that_was_cut_off_does_not_show() {
        let key = format!("-----BEGIN RSA PRIVATE KEY-----\n{}", "MIIEpAIBAAKCAQEA7\n".repeat(300));
        let long = format!("{}{key}", "word ".repeat((SHOWN + BEYOND - 5000) / 5));
        let (text, of) = text(&said(long.get(..SHOWN + BEYOND - 100).unwrap(), 90_000));
        let text = text.unwrap();
        assert!(!text.contains("MIIE") && of == Some(90_000), "{text}");
    }

    #[test]
    fn what_has_no_room_is_counted() {
        let mut budget = Budget::new(10);
        let first = budget.detail(&said("0123456789", 10), None);
        let second = budget.detail(&said("more", 4), None);
        let third = budget.detail(&CloseEvent::default(), None);
        assert_eq!((first.omitted, second.omitted, third.omitted, budget.omitted), (false, true, false, 1));
        assert_eq!(second.text, None);
    }

    #[test]
    fn text_stays_on_its_lines_and_hides_nothing() {
        assert_eq!(visible("a\n\u{202e}b\u{2028}c\n::error x"), "a\n\\u{202e}b\\u{2028}c\n\\u003a:error x");
    }
}

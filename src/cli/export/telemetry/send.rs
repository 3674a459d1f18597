//! What is sent in pieces, and what the server took of it.

use serde::Deserialize;

use super::super::super::Streams;
use super::super::super::failure::Failure;
use super::super::super::http::{Answer, Target};
use super::super::super::output;

/// What was sent so far.
#[derive(Debug, Default)]
pub(super) struct Sent {
    /// Spans, points or scores.
    pub(super) items: usize,
    pub(super) rejected: u64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Response {
    partial_success: Option<Partial>,
    errors: Vec<serde_json::Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Partial {
    rejected_spans: Option<Count>,
    rejected_data_points: Option<Count>,
    error_message: Option<String>,
}

/// Protobuf's JSON writes large numbers as text.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Count {
    Number(i64),
    Text(String),
}

impl Count {
    /// What is no number is not nothing.
    fn rejected(&self) -> u64 {
        let number = match self {
            Self::Number(number) => Some(*number),
            Self::Text(text) => text.parse().ok(),
        };
        number.map_or(1, i64::unsigned_abs)
    }
}

impl Sent {
    /// Posts one piece. A refusal is a failure, what was refused of it is counted.
    pub(super) fn post(
        &mut self,
        target: &Target,
        path: &str,
        json: &str,
        items: usize,
        streams: &mut Streams<'_>,
    ) -> Result<(), Failure> {
        let answer = target.post(path, json)?;
        let shown = target.shown(path);
        let response = understood(target, &shown, &answer).map_err(|failure| self.so_far(failure))?;
        self.items += items;
        if let Some(partial) = response.partial_success {
            let counts = [&partial.rejected_spans, &partial.rejected_data_points];
            let rejected = counts.into_iter().flatten().map(Count::rejected).fold(0, u64::saturating_add);
            self.rejected = self.rejected.saturating_add(rejected);
            let said = partial.error_message.filter(|said| !said.is_empty()).map(|said| excerpt(target, &said));
            let line = match (rejected, said) {
                (0, None) => return Ok(()),
                (0, Some(said)) => format!("warning: {shown} took everything and says: {said}"),
                (rejected, said) => {
                    let said = said.map(|said| format!(": {said}")).unwrap_or_default();
                    format!("error: {shown} took all but {rejected} of {items}{said}")
                }
            };
            output::note(streams.stderr, &agent_strace_report::terminal(&line));
        }
        Ok(())
    }

    fn so_far(&self, failure: Failure) -> Failure {
        match self.items {
            0 => failure,
            items => failure.hint(format!("{items} before it were accepted; sending them again changes nothing")),
        }
    }
}

fn understood(target: &Target, shown: &str, answer: &Answer) -> Result<Response, Failure> {
    let body = String::from_utf8_lossy(&answer.body);
    let refused = |why: String| Failure::new(format!("{shown} did not accept it: {why}"));
    match answer.status {
        200..=299 => {}
        300..=399 => {
            return Err(refused(format!("it sends on to another address ({})", answer.status))
                .hint("give that address itself: headers are sent nowhere else"));
        }
        status => {
            let said = excerpt(target, &body);
            let said = if said.is_empty() || answer.is_html { String::new() } else { format!(": {said}") };
            let failure = refused(format!("status {status}{said}"));
            return Err(match status {
                401 | 403 => failure.hint("it wants other credentials: `--header`"),
                404 | 405 => failure.hint("is that an OTLP endpoint? `/v1/…` is added to the address"),
                429 | 502..=504 => failure.hint("try again later: sending a session again gives the same trace"),
                _ => failure,
            });
        }
    }
    if answer.is_html {
        return Err(refused("it answers with a page for people".to_owned()).hint("is that an OTLP endpoint?"));
    }
    if body.trim().is_empty() || !body.trim_start().starts_with('{') {
        // Some servers say nothing, or `ok`.
        return Ok(Response::default());
    }
    let response: Response = serde_json::from_str(&body)
        .map_err(|_| refused("its answer can't be read, so nobody knows what it took".to_owned()))?;
    match response.errors.first() {
        None => Ok(response),
        Some(first) => Err(refused(format!(
            "{} of it {}: {}",
            response.errors.len(),
            if response.errors.len() == 1 { "was refused" } else { "were refused" },
            excerpt(target, &first.to_string())
        ))),
    }
}

/// What a server said, in one short line.
fn excerpt(target: &Target, text: &str) -> String {
    const MOST: usize = 300;
    let text = target.clean(text.trim());
    let mut shown: String = text.chars().take(MOST).collect();
    if text.chars().nth(MOST).is_some() {
        shown.push('…');
    }
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

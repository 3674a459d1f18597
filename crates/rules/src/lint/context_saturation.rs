//! A request that filled most of what its model can take.

use super::context::LintContext;
use super::lint;
use crate::Hit;
use agent_strace_metrics::Request;
use agent_strace_policy::config::lint::{Parameter, Unit};

const THRESHOLD: Parameter = Parameter { key: "threshold", default: Some(0.8), unit: Unit::Share };
const WINDOW: Parameter = Parameter { key: "context_window", default: None, unit: Unit::Count };

lint!(
    CONTEXT_SATURATION = LintContextSaturation,
    "context-saturation",
    Note,
    "a request filled most of its model's context window",
    [THRESHOLD, WINDOW],
    look
);

fn look(context: &LintContext<'_>, hits: &mut Vec<Hit>) {
    let threshold = context.number(&THRESHOLD).unwrap_or(1.0);
    let requests = context.log.measured.requests();
    let mut judged = requests.iter().any(|request| request.is_main);
    for request in requests.iter().filter(|request| request.is_main) {
        let (Some(prompt), Some(window)) = (request.prompt, window(context, request)) else {
            judged = false;
            continue;
        };
        if share(prompt, window) >= threshold {
            let percent = threshold * 100.0;
            let message = format!(
                "input tokens exceeded {percent:.0}% of the model's context window: {prompt} of {window} tokens in one request"
            );
            hits.push(context.hit(request.event..=request.event, message, Vec::new()));
            return;
        }
    }
    if !judged {
        let is_told = |request: &Request| !request.is_main || request.prompt.is_some();
        let why = if !requests.is_empty() && requests.iter().all(is_told) {
            "the context window of its model is not known: state `context_window`"
        } else {
            "the log does not record what single requests sent"
        };
        context.cannot_judge(why, hits);
    }
}

fn window(context: &LintContext<'_>, request: &Request) -> Option<u64> {
    let stated = context.number(&WINDOW).map(|_| context.count(&WINDOW) as u64);
    stated.or(request.window).filter(|window| *window > 0)
}

#[expect(clippy::cast_precision_loss, reason = "a share of tokens, of which there are far fewer than 2^52")]
fn share(prompt: u64, window: u64) -> f64 {
    prompt as f64 / window as f64
}

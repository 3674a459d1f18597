//! Programs that keep a terminal. Keys that are typed later come in calls of another tool, which some hosts run without
//! asking any hook.

use super::names;
use super::registry::{Entry, REGISTRY};
use super::run::Run;
use super::value::{Object, Value};
use crate::command::takes_commands;
use crate::{About, Effect, Kind, Reason};

/// The call has what it starts keep a terminal.
fn has_terminal(entry: &Entry, given: &Object) -> bool {
    let is_terminal = |key: &str| REGISTRY.is(entry, "terminal", &names::plain(key));
    let is_no = |value: &Value| match value {
        Value::Text(text) => matches!(text.to_lowercase().as_str(), "" | "false" | "no" | "0"),
        value => matches!(value, Value::Null | Value::Bool(false)),
    };
    given.iter().any(|(key, value)| is_terminal(key) && !is_no(value))
}

/// Nothing says what is going to be typed into a program that was started since the effect `before`. What a program that
/// is known asks for, other than commands, is its own affair.
pub(super) fn judge(run: &mut Run<'_>, entry: &Entry, given: &Object, before: usize) {
    if !has_terminal(entry, given) {
        return;
    }
    let started = run.effects.get(before..).unwrap_or_default();
    let is_said = started.iter().any(|effect| is_opaque(effect, &Reason::UnknownInputCommands));
    if !is_said && started.iter().any(starts_conversation) {
        run.opaque(About::Anything, Reason::UnknownInputCommands);
    } else if started.iter().any(starts_unknown) {
        run.opaque(About::Anything, Reason::UnknownConversation);
    }
}

fn is_opaque(effect: &Effect, reason: &Reason) -> bool {
    matches!(&effect.kind, Kind::Opaque(opaque) if opaque.reason == *reason)
}

fn starts_conversation(effect: &Effect) -> bool {
    let Kind::Execute(execution) = &effect.kind else { return false };
    let words: Vec<&str> = execution.argv.iter().map(|word| word.text.as_str()).collect();
    takes_commands(&words).is_some()
}

fn starts_unknown(effect: &Effect) -> bool {
    matches!(&effect.kind, Kind::Opaque(opaque) if matches!(opaque.reason, Reason::UnknownProgram(_)))
}

//! Programs that keep a terminal and take commands of their own from it. Keys that are typed later come in calls of another
//! tool, which some hosts run without asking any hook.

use super::names;
use super::registry::{Conversation, Entry, REGISTRY};
use super::run::Run;
use super::value::{Object, Value};
use crate::{About, Argument, Kind, Reason};

/// The call has what it starts keep a terminal.
fn has_terminal(entry: &Entry, given: &Object) -> bool {
    let is_terminal = |key: &str| REGISTRY.is(entry, "terminal", &names::plain(key));
    given.iter().any(|(key, value)| is_terminal(key) && matches!(value, Value::Bool(true)))
}

/// Nothing says what is going to be typed into a program that was started since the effect `before`.
pub(super) fn judge(run: &mut Run<'_>, entry: &Entry, given: &Object, before: usize) {
    if !has_terminal(entry, given) {
        return;
    }
    let started = run.effects.get(before..).unwrap_or_default().iter().filter_map(|effect| match &effect.kind {
        Kind::Execute(execution) => Some(execution.argv.as_slice()),
        _ => None,
    });
    if started.into_iter().any(takes_commands) {
        run.opaque(About::Anything, Reason::UnknownInputCommands);
    }
}

fn takes_commands(argv: &[Argument]) -> bool {
    let Some((program, rest)) = argv.split_first() else { return false };
    let name = program.text.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.strip_suffix(".exe").unwrap_or(name);
    let is_told = |conversation: &Conversation| {
        let is_option = |word: &Argument| conversation.unless.iter().any(|option| is(option, &word.text));
        let operands = rest.iter().filter(|word| !word.text.starts_with('-')).count();
        rest.iter().any(is_option) || conversation.operands.is_some_and(|most| operands > most)
    };
    let mut known = REGISTRY.vocabulary.conversations.iter();
    known.any(|conversation| conversation.programs.iter().any(|program| program == name) && !is_told(conversation))
}

/// `-c`, `-cTEXT`, `--command` and `--command=TEXT`.
fn is(option: &str, word: &str) -> bool {
    let Some(rest) = word.strip_prefix(option) else { return false };
    rest.is_empty() || rest.starts_with('=') || !option.starts_with("--")
}

//! The identity of an act that could not be resolved.
//!
//! Its reason says why it is not resolved, and many acts share one reason. A reader who accepts one of them must not accept
//! the others, so an act is known by its command, by the code that it comes from, or by its tool.

use agent_strace_effects::{Effect, Kind};

use super::replay::Step;

/// The part of an unresolved act by which it differs from another of the same reason. It holds no place, time or session.
pub(super) fn act(effect: &Effect, step: &Step<'_>) -> Vec<(&'static str, String)> {
    if !matches!(effect.kind, Kind::Opaque(_)) {
        return Vec::new();
    }
    let command = effect.origin.parent.and_then(|parent| step.effects.get(parent as usize));
    let mut parts: Vec<(&'static str, String)> = Vec::new();
    if let Some(Kind::Execute(execution)) = command.map(|command| &command.kind) {
        parts.extend(execution.argv.iter().map(|word| ("command", word.text.clone())));
    }
    parts.extend(code(effect, command, step).map(|code| ("code", code)));
    if parts.is_empty() {
        parts.extend(step.event.tool().map(|tool| ("of-tool", tool.to_owned())));
    }
    parts
}

/// The text that the act comes from, where the words of its command do not hold it: code on standard input, or a text that
/// runs no command that is known. Line breaks and indentation are no part of it.
fn code(effect: &Effect, command: Option<&Effect>, step: &Step<'_>) -> Option<String> {
    let text = step.text.as_deref()?;
    let own = effect.origin.span;
    let is_in_command = |command: &Effect| match (command.origin.span, own) {
        (Some(command), Some(own)) => command.contains(own),
        _ => true,
    };
    if command.is_some_and(is_in_command) {
        return None;
    }
    let text = own.map_or(Some(text), |own| own.slice(text))?;
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The part of the identity that equal effects of equal shell commands do not share: the tool, and the text that is no
/// shell command.
pub(super) fn beyond_command<'s>(step: &'s Step<'_>) -> Option<(&'s str, Option<&'s str>)> {
    let is_unresolved = step.effects.iter().any(|effect| matches!(effect.kind, Kind::Opaque(_)));
    if !is_unresolved {
        return None;
    }
    let text = if step.raw.is_some() { None } else { step.text.as_deref() };
    Some((step.event.tool().unwrap_or_default(), text))
}

//! The identity of an act that could not be resolved.
//!
//! Its reason says why it is not resolved, and many acts share one reason. A reader who accepts one of them must not accept
//! the others, so an act is known by its command, where it ran and what fed it, by the code that it comes from, or by its
//! tool. Where a word of the command is not known, any part of the call may decide what it is, so all of its text counts.

use std::borrow::Cow;

use serde_json::Value;

use agent_strace_effects::{Argument, Certainty, Class, Effect, Execution, Kind, Opaque};
use agent_strace_model::Arguments;

use super::findings::digest;
use super::replay::Step;

/// Longer input of a command is known by the whole text of its call, which is hashed once. Stages of a pipeline have all that
/// comes before them as their input, so a text can repeat much of it.
const LONGEST_PIPELINE: usize = 512;
const LONGEST_REDIRECTED: usize = 8 * 1024;

/// The part of an unresolved act by which it differs from another of the same reason. It holds no place, time or session.
/// `root`: where the checkout of the session lies, which is no part of it either.
pub(super) fn act(effect: &Effect, step: &Step<'_>, root: Option<&str>) -> Vec<(&'static str, String)> {
    let opaque = match &effect.kind {
        Kind::Opaque(opaque) => Some(opaque),
        kind if effect.certainty == Certainty::Pattern && is_unknown_target(kind) => None,
        _ => return Vec::new(),
    };
    let parent = effect.origin.parent.and_then(|parent| step.effects.get(parent as usize));
    let command = parent.and_then(|parent| match &parent.kind {
        Kind::Execute(execution) => Some(execution),
        _ => None,
    });
    let mut parts: Vec<(&'static str, String)> = Vec::new();
    if let Some(execution) = command {
        parts.extend(execution.argv.iter().map(|word| ("command", word.text.clone())));
    }
    parts.extend(code(effect, parent, step).map(|code| ("code", code)));
    if parts.is_empty() {
        parts.extend(step.event.tool().map(|tool| ("of-tool", tool.to_owned())));
        // Any use of a tool that is not known is one act, for which a policy vouches by the name of the tool.
        let shows_act = opaque.is_none_or(|opaque| opaque.class == Class::Hidden);
        parts.extend(arguments(step).filter(|_| shows_act).map(|text| ("arguments", without_breaks(&values_in(text)))));
    }
    if let Some(opaque) = opaque {
        parts.extend(opaque.directory.iter().map(|directory| ("in", directory.clone())));
        parts.extend(input(opaque, effect, step, root).map(|input| ("input", input)));
    }
    if let Some(root) = root {
        for (_, text) in &mut parts {
            *text = below(root, text);
        }
    }
    if command.is_some_and(has_unknown_word) || is_directory_unknown(opaque) {
        parts.extend(whole_text(step, root).map(|digest| ("call", digest.to_owned())));
    }
    parts
}

/// Nothing of the file or the host is known.
fn is_unknown_target(kind: &Kind) -> bool {
    match kind {
        Kind::Connect(connection) => connection.host.is_none(),
        kind => kind.path().is_some_and(|target| target.path.starts_with("**")),
    }
}

fn is_directory_unknown(opaque: Option<&Opaque>) -> bool {
    opaque.and_then(|opaque| opaque.directory.as_deref()).is_some_and(|directory| directory.contains('*'))
}

/// Returns true if a word may stand for any text. A glob does not, unless a part of it stands for unknown text.
fn has_unknown_word(execution: &Execution) -> bool {
    let is_glob = |text: &str| text.contains(['*', '?', '[']) && !text.contains("**") && !text.contains(['$', '`']);
    execution.argv.iter().any(|Argument { text, known }| !known && !is_glob(text))
}

/// Returns the text that feeds the command's standard input, as the call spells it.
fn input(opaque: &Opaque, effect: &Effect, step: &Step<'_>, root: Option<&str>) -> Option<String> {
    let span = opaque.input?;
    let is_before = effect.origin.span.is_some_and(|own| span.start() < own.start());
    let most = if is_before { LONGEST_PIPELINE } else { LONGEST_REDIRECTED };
    let text = span.slice(step.text.as_deref()?)?;
    if text.len() > most {
        return whole_text(step, root).map(str::to_owned);
    }
    // Blanks beside these change nothing for a shell.
    Some(without_breaks(&text.replace('<', " < ").replace('|', " | ")))
}

/// The arguments of the call as recorded.
fn arguments<'s>(step: &'s Step<'_>) -> Option<&'s str> {
    match &step.event.call()?.arguments {
        Arguments::Json(text) | Arguments::Text(text) => Some(text),
        Arguments::Missing => None,
    }
}

/// The text without the blanks and escapes in which two writers of the same JSON differ. A JSON string is its text.
fn values_in(text: &str) -> Cow<'_, str> {
    match serde_json::from_str(text) {
        Ok(Value::String(text)) => Cow::Owned(text),
        Ok(value) => Cow::Owned(value.to_string()),
        Err(_) => Cow::Borrowed(text),
    }
}

/// The digest of the whole text of the call.
fn whole_text<'s>(step: &'s Step<'_>, root: Option<&str>) -> Option<&'s str> {
    let text = step.text.as_deref()?;
    let of_text = || {
        let text = without_breaks(text);
        digest(&[("text", root.map(|root| below(root, &text)).as_deref().unwrap_or(&text))])
    };
    Some(step.digest.get_or_init(of_text))
}

/// The text on one line. Line breaks and indentation are no part of an act.
fn without_breaks(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text with paths that count from the root: `/home/dana/rates/scripts/a.sh` → `scripts/a.sh`, and the root itself → `.`.
/// Folders beside it that share the beginning of its name are others.
pub(super) fn below(root: &str, text: &str) -> String {
    let root = root.trim_end_matches('/');
    if root.is_empty() {
        return text.to_owned();
    }
    let is_of_name = |character: char| character.is_alphanumeric() || "-_.~/".contains(character);
    let mut shown = String::with_capacity(text.len());
    let mut done = 0;
    for (start, _) in text.match_indices(root) {
        let (before, after) = (text.get(done..start).unwrap_or_default(), start + root.len());
        let tail = text.get(after..).unwrap_or_default();
        let is_own = !text.get(..start).unwrap_or_default().ends_with(is_of_name);
        if !is_own || !tail.starts_with('/') && tail.starts_with(is_of_name) {
            continue;
        }
        shown.push_str(before);
        let path = tail.trim_start_matches('/');
        if !path.starts_with(is_of_name) {
            shown.push('.');
        }
        done = after + (tail.len() - path.len());
    }
    shown.push_str(text.get(done..).unwrap_or_default());
    shown
}

/// The text that the act comes from, where the words of its command do not hold it: code on standard input, or a text that
/// runs no command that is known.
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
    Some(without_breaks(text))
}

/// The part of the identity that equal effects of equal shell commands do not share: the tool, and the text that is no
/// shell command.
pub(super) fn beyond_command<'s>(step: &'s Step<'_>) -> Option<(&'s str, Option<&'s str>)> {
    let is_unresolved = step
        .effects
        .iter()
        .any(|effect| matches!(effect.kind, Kind::Opaque(_)) || effect.certainty == Certainty::Pattern);
    if !is_unresolved {
        return None;
    }
    let text = if step.raw.is_some() { None } else { step.text.as_deref().or_else(|| arguments(step)) };
    Some((step.event.tool().unwrap_or_default(), text))
}

#[cfg(test)]
mod tests {
    use super::below;

    #[test]
    fn a_path_counts_from_the_root() {
        for (text, expected) in [
            ("/home/dana/rates/scripts/a.sh", "scripts/a.sh"),
            ("/home/dana/rates", "."),
            ("/home/dana/rates/", "."),
            ("--in=/home/dana/rates/x", "--in=x"),
            ("make -C /home/dana/rates x && /home/dana/rates/a", "make -C . x && a"),
            ("/home/dana/rates2/x", "/home/dana/rates2/x"),
            ("/mnt/home/dana/rates/x", "/mnt/home/dana/rates/x"),
            ("./a.sh", "./a.sh"),
        ] {
            assert_eq!(below("/home/dana/rates", text), expected);
            assert_eq!(below("/home/dana/rates/", text), expected);
        }
        assert_eq!(below("/", "/a"), "/a");
    }
}

//! The identity of an act that could not be resolved.
//!
//! Its reason says why it is not resolved, and many acts share one reason. A reader who accepts one of them must not accept
//! the others, so an act is known by its command, by the code that it comes from, or by its tool.

use agent_strace_effects::{Effect, Kind};

use super::replay::Step;

/// The part of an unresolved act by which it differs from another of the same reason. It holds no place, time or session.
/// `root`: where the checkout of the session lies, which is no part of it either.
pub(super) fn act(effect: &Effect, step: &Step<'_>, root: Option<&str>) -> Vec<(&'static str, String)> {
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
    if let Some(root) = root {
        for (_, text) in &mut parts {
            *text = below(root, text);
        }
    }
    parts
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

//! Names that `mktemp` makes up: inside of a session each is a name of its own, outside only their pattern is known.
//!
//! `f=$(mktemp); … > "$f"; sh "$f"` is about one file whatever its name. Where such a name leaves the machine, the part
//! that nobody knows becomes `*`.

use std::borrow::Cow;

use crate::{Argument, Certainty, Effect, Kind, PathTarget};

/// Encloses the number that stands for the unknown part. No keyboard types it.
const MARK: char = '\u{E000}';

/// Stands for the `XXXXXX` of a template.
pub(super) fn unknown_part(number: usize) -> String {
    format!("{MARK}{number}{MARK}")
}

/// The effect as the world may see it.
pub(super) fn generalised(mut effect: Effect) -> Effect {
    if effect.via.contains(MARK) {
        effect.via = Cow::Owned(pattern(&effect.via, str::to_owned));
    }
    match &mut effect.kind {
        Kind::Read(target) | Kind::Write(target) | Kind::Delete(target) | Kind::List(target) => {
            path(target, &mut effect.certainty);
        }
        Kind::Execute(execution) => execution.argv.iter_mut().for_each(word),
        Kind::Opaque(opaque) => {
            if let Some(name) = opaque.reason.quoted_mut().filter(|name| name.contains(MARK)) {
                *name = pattern(name, str::to_owned);
            }
        }
        _ => {}
    }
    effect
}

fn path(target: &mut PathTarget, certainty: &mut Certainty) {
    if target.path.contains(MARK) {
        let is_pattern = *certainty == Certainty::Pattern;
        let literal = |text: &str| if is_pattern { text.to_owned() } else { crate::paths::escaped(text) };
        target.path = pattern(&target.path, literal);
        if *certainty == Certainty::Exact {
            *certainty = Certainty::Pattern;
        }
    }
}

fn word(argument: &mut Argument) {
    if argument.text.contains(MARK) {
        argument.text = pattern(&argument.text, str::to_owned);
        argument.known = false;
    }
}

/// `*` in the place of what two marks enclose.
fn pattern(text: &str, literal: impl Fn(&str) -> String) -> String {
    let parts = text.split(MARK).enumerate();
    parts.map(|(at, part)| if at % 2 == 0 { literal(part) } else { "*".to_owned() }).collect()
}

//! Names that `mktemp` makes up: inside of a session each is a name of its own, outside only their pattern is known.
//!
//! `f=$(mktemp); … > "$f"; sh "$f"` is about one file whatever its name. Where such a name leaves the machine, its template
//! stands for it: a name of that many random characters is none that a policy spells. A few characters may be any name, so
//! each of them becomes the class of letters and digits. Either way the made-up part holds no dot, and so no ending.

use std::borrow::Cow;

use crate::{Argument, Certainty, Effect, Kind, PathTarget};

/// Encloses the number that stands for the unknown part. No keyboard types it.
const MARK: char = '\u{E000}';

/// Between the number of a made-up part and its length.
const TIMES: char = 'x';

/// The characters that `mktemp` puts in the place of an `X`.
const LETTER: &str = "[0-9A-Za-z]";

/// So many random characters spell no name that somebody meant.
const FRESH: usize = 6;

/// No template is longer.
const LONGEST: usize = 64;

/// Stands for the `letters` times `X` of a template.
pub(super) fn unknown_part(number: usize, letters: usize) -> String {
    format!("{MARK}{number}{TIMES}{letters}{MARK}")
}

/// The effect as the world may see it.
pub(super) fn generalised(mut effect: Effect) -> Effect {
    if effect.via.contains(MARK) {
        effect.via = Cow::Owned(starred(&effect.via));
    }
    match &mut effect.kind {
        Kind::Read(target) | Kind::Write(target) | Kind::Delete(target) | Kind::List(target) => {
            path(target, &mut effect.certainty);
        }
        Kind::Execute(execution) => execution.argv.iter_mut().for_each(word),
        Kind::Opaque(opaque) => {
            if let Some(name) = opaque.reason.quoted_mut().filter(|name| name.contains(MARK)) {
                *name = starred(name);
            }
            if let Some(directory) = opaque.directory.as_mut().filter(|directory| directory.contains(MARK)) {
                *directory = starred(directory);
            }
        }
        _ => {}
    }
    effect
}

fn path(target: &mut PathTarget, certainty: &mut Certainty) {
    if !target.path.contains(MARK) {
        return;
    }
    let was_pattern = *certainty == Certainty::Pattern;
    if *certainty == Certainty::Exact && made_up(&target.path).any(|part| !is_fresh(part)) {
        *certainty = Certainty::Pattern;
    }
    let is_pattern = *certainty == Certainty::Pattern;
    let literal = |text: &str| if is_pattern && !was_pattern { crate::paths::escaped(text) } else { text.to_owned() };
    target.path = replaced(&target.path, literal, letters);
}

fn word(argument: &mut Argument) {
    if argument.text.contains(MARK) {
        argument.text = starred(&argument.text);
        argument.known = false;
    }
}

/// `*` in the place of what two marks enclose: for texts that people read.
fn starred(text: &str) -> String {
    replaced(text, str::to_owned, |_| "*".to_owned())
}

fn replaced(text: &str, literal: impl Fn(&str) -> String, made_up: impl Fn(&str) -> String) -> String {
    let parts = text.split(MARK).enumerate();
    parts.map(|(at, part)| if at % 2 == 0 { literal(part) } else { made_up(part) }).collect()
}

fn made_up(text: &str) -> impl Iterator<Item = &str> {
    text.split(MARK).skip(1).step_by(2)
}

/// Returns the length of a made-up part; `None` for a text that only looks like one.
fn count(part: &str) -> Option<usize> {
    let (_, count) = part.split_once(TIMES)?;
    count.parse().ok().filter(|count| *count <= LONGEST)
}

fn is_fresh(part: &str) -> bool {
    count(part).is_some_and(|count| count >= FRESH)
}

/// Returns the pattern that a made-up part matches.
fn letters(part: &str) -> String {
    match count(part) {
        Some(count) if count >= FRESH => "X".repeat(count),
        Some(count) => LETTER.repeat(count),
        None => "*".to_owned(),
    }
}

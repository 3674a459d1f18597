//! The effects of one event as a tree: each below the command that caused it.

use super::actions::{action, command};
use super::effects::{Ruling, Traced};
use super::escape::{shorten, terminal};
use super::paint::Paint;
use super::view::ShownEffect;
use agent_strace_model::finding::Level;
use agent_strace_policy::{Basis, Decision};
use agent_strace_secrets::Redacted;

/// Longest piece of a command text in one line.
const PIECE: usize = 120;
/// A longer piece ends where the command starts that it runs.
const SHORT: usize = 40;
/// Deeper levels are numbered, not indented.
const LEVELS: usize = 12;

/// What branches are drawn with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Glyphs {
    Ascii,
    Unicode,
}

impl Glyphs {
    /// Before one of several, before the last one, and below each of these.
    pub(super) fn of(self) -> [&'static str; 4] {
        match self {
            Self::Ascii => ["|- ", "`- ", "|  ", "   "],
            Self::Unicode => ["├─ ", "└─ ", "│  ", "   "],
        }
    }
}

/// `policy`: the name of its file, where it is to be shown.
pub(super) fn lines(effects: &[Traced], policy: Option<&str>, paint: &Paint, glyphs: Glyphs) -> Vec<String> {
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); effects.len()];
    let mut roots = Vec::new();
    for (index, effect) in effects.iter().enumerate() {
        match effect.cause.and_then(|cause| below.get_mut(cause)) {
            Some(below) => below.push(index),
            None => roots.push(index),
        }
    }
    let [middle, last, bar, gap] = glyphs.of();
    let mut lines = Vec::with_capacity(effects.len());
    // What is still to be written, the next at the end: the effect, its level, its line's start and that of those below.
    let mut rest: Vec<(usize, usize, String, String)> =
        roots.into_iter().rev().map(|index| (index, 0, root(effects.get(index)), "  ".to_owned())).collect();
    while let Some((index, level, start, under)) = rest.pop() {
        let Some(effect) = effects.get(index) else { continue };
        let number = if level > LEVELS { format!("(level {level}) ") } else { String::new() };
        let children = below.get(index).map_or(&[][..], Vec::as_slice);
        let around = effect.cause.and_then(|cause| effects.get(cause));
        let inside = children.iter().filter_map(|child| effects.get(*child));
        let act = act(effect, around, inside);
        lines.push(format!("{start}{number}{act}{}", remarks(effect, policy, paint)));
        let stem = if children.is_empty() { gap } else { bar };
        let notes = effect.entry_decisions.iter().flat_map(|entry_decisions| entry_decisions.lines(policy, paint));
        let advice = effect.advice.iter().map(|advice| format!("to change that: {}", terminal(advice.as_str())));
        lines.extend(notes.chain(advice).map(|note| format!("{under}{stem}  {note}")));
        for (at, child) in children.iter().enumerate().rev() {
            let (mark, more) = if at + 1 == children.len() { (last, gap) } else { (middle, bar) };
            let deeper = level < LEVELS;
            let below = if deeper { format!("{under}{more}") } else { under.clone() };
            let mark = if deeper { mark } else { "" };
            rest.push((*child, level + 1, format!("{under}{mark}"), below));
        }
    }
    lines
}

/// As `bash -x` would print it: no line starts with text of a log.
fn root(effect: Option<&Traced>) -> String {
    if effect.is_some_and(|effect| effect.effect.kind == "execute") { "+ ".to_owned() } else { String::new() }
}

/// How sure, and what the policy says.
fn remarks(effect: &Traced, policy: Option<&str>, paint: &Paint) -> String {
    let ruling = effect.ruling.as_ref().map(|ruling| format!("  -> {}", said(ruling, effect, policy, paint)));
    format!("{}{}", manner(effect), ruling.unwrap_or_default())
}

/// A command as it was written, and as it ran where that says more; everything else in the words of `audit`.
fn act<'a>(effect: &Traced, around: Option<&Traced>, mut inside: impl Iterator<Item = &'a Traced>) -> String {
    let Some(piece) = effect.piece.as_ref().map(Redacted::as_str).filter(|_| effect.effect.kind == "execute") else {
        return action(&effect.effect);
    };
    let ran = command(&effect.effect);
    // The command around stands in the line above: where both come from one piece, that says nothing about this one.
    if around.and_then(|around| around.piece.as_ref()).is_some_and(|around| around.as_str() == piece) {
        return ran;
    }
    if says_more(&ran, piece) {
        return format!("{}  (runs {ran})", shorten(&terminal(piece), PIECE));
    }
    // What a long command runs stands in the lines below.
    let cut = inside.find_map(|inside| first_part(effect, piece, inside));
    match cut.filter(|_| around.is_some() && piece.chars().count() > SHORT) {
        Some(cut) => format!("{} …", terminal(cut)),
        None => shorten(&terminal(piece), PIECE),
    }
}

/// The piece up to where a command inside it starts.
fn first_part<'a>(effect: &Traced, piece: &'a str, inside: &Traced) -> Option<&'a str> {
    let ([start, end], [from, _]) = (effect.effect.span?, inside.effect.span?);
    let unchanged = piece.len() == end.checked_sub(start)?;
    let head = piece.get(..from.checked_sub(start)?).filter(|_| unchanged && inside.effect.kind == "execute")?;
    Some(head.trim_end_matches([' ', '"', '\''])).filter(|head| !head.is_empty())
}

/// Without quotes, `ran` is no part of `written`.
fn says_more(ran: &str, written: &str) -> bool {
    let plain = |text: &str| -> String {
        text.chars().filter(|character| !character.is_whitespace() && !"'\"\\".contains(*character)).collect()
    };
    !plain(&terminal(written)).contains(plain(ran).trim_end_matches('…'))
}

/// How sure, in plain words.
fn manner(effect: &Traced) -> String {
    let shown = &effect.effect;
    let mut said = Vec::new();
    match (shown.certainty, shown.kind) {
        (Some("pattern"), "read" | "write" | "delete" | "list") => said.push("whatever matches".to_owned()),
        (Some("pattern"), "execute") => said.push("which program is not known".to_owned()),
        (Some("possible"), _) => said.push("it may not happen".to_owned()),
        _ => {}
    }
    if let Some((how, name)) = shown.via.as_ref().and_then(|via| via.as_str().split_once(' ')) {
        let name = terminal(name);
        match how {
            "script" => said.push(format!("in the script {name}")),
            "alias" => said.push(format!("by its other name {name}")),
            _ => {}
        }
    }
    if effect.ruling.is_none() {
        said.extend(vouched(shown));
    }
    if said.is_empty() { String::new() } else { format!("  ({})", said.join("; ")) }
}

/// The command that a policy can vouch for, where none judged. How it does depends on its lists.
fn vouched(effect: &ShownEffect) -> Option<String> {
    let words: Vec<&str> = effect.vouched_by.iter().map(Redacted::as_str).collect();
    let is_possible = effect.class != Some("hidden") && !words.is_empty();
    is_possible.then(|| format!("a policy can vouch for `{}`", shorten(&terminal(&words.join(" ")), PIECE)))
}

/// The policy's answer.
fn said(ruling: &Ruling, effect: &Traced, policy: Option<&str>, paint: &Paint) -> String {
    let why = reason(ruling, policy);
    let answer = match ruling.decision {
        Decision::Allowed if effect.effect.kind == "opaque" => paint.good(&why),
        Decision::Allowed => paint.good("allowed"),
        Decision::Unruled if ruling.basis == Basis::NoPolicy => "no rule".to_owned(),
        Decision::Unruled => format!("no rule: {why}"),
        Decision::Denied | Decision::Asked => paint.error(&why),
        // Its reason is what the line says already.
        Decision::Unresolved if effect.effect.kind == "opaque" => {
            unresolved(ruling, "refused: it is not proven to be allowed", "", paint)
        }
        Decision::Unresolved => {
            unresolved(ruling, &format!("not resolved: {why}"), &format!(", not resolved: {why}"), paint)
        }
    };
    if ruling.sensitive { format!("{answer}; {}", paint.error("a sensitive file")) } else { answer }
}

fn unresolved(ruling: &Ruling, refused: &str, detail: &str, paint: &Paint) -> String {
    match ruling.level {
        Level::Error => paint.error(refused),
        Level::Warning => paint.warning(&format!("a warning{detail}")),
        Level::Note => format!("a note{detail}"),
    }
}

/// `denied by files.read.deny[0] (.agent-scope.json:3)`
fn reason(ruling: &Ruling, policy: Option<&str>) -> String {
    let reason = terminal(ruling.reason.as_str());
    let Some(location) = &ruling.location else { return reason };
    let entry = entry(&location.pointer);
    let words: Vec<&str> = reason
        .split(' ')
        .map(|word| if word.contains('.') && entry.starts_with(word) { entry.as_str() } else { word })
        .collect();
    let named = location.named().map(|named| format!("; {}", terminal(&named))).unwrap_or_default();
    format!("{} ({}:{}){named}", words.join(" "), terminal(location.file(policy.unwrap_or("policy"))), location.line)
}

/// `/files/read/deny/0` as people write it.
fn entry(pointer: &str) -> String {
    let mut path = String::new();
    for part in pointer.split('/').skip(1) {
        if !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()) {
            path.push('[');
            path.push_str(part);
            path.push(']');
        } else {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(&terminal(part));
        }
    }
    path
}

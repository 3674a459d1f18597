//! Everything that an event says, for who looks at one: all arguments of a call, all of a result.

use std::fmt::Write as _;

use agent_strace_model::{Arguments, EventKind, Members, characters, decode_json};

use super::detail;

/// All that an event says, or its beginning. Raw log text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Full {
    pub text: String,
    /// How many characters all of it has.
    pub characters: usize,
}

/// `most`: bytes that are kept. `None`: it says nothing.
pub fn full(kind: &EventKind<'_>, most: usize) -> Option<Full> {
    let text = match kind {
        EventKind::Call(call) | EventKind::Copied(call) => match &call.arguments {
            Arguments::Missing => return None,
            Arguments::Text(text) => text.clone().into_owned(),
            Arguments::Json(json) => of_json(json),
        },
        EventKind::Prompt(text)
        | EventKind::Instruction(text)
        | EventKind::Command(text)
        | EventKind::Message(text)
        | EventKind::Reasoning(text)
        | EventKind::Failure(text)
        | EventKind::Decision(text) => text.decode().into_owned(),
        EventKind::Result(result) => result.text.as_ref()?.decode().into_owned(),
        EventKind::File(file) => file.target.clone().into_owned(),
        EventKind::Hook { command } => command.clone().into_owned(),
        EventKind::End(_) => detail::ended(kind)?,
        EventKind::Offer(offer) => format!("{} of {}\n{}", offer.what.name(), offer.server, offer.json),
        EventKind::Start | EventKind::Repeat(_) | EventKind::Notice | EventKind::Other => return None,
    };
    if text.trim().is_empty() {
        return None;
    }
    let characters = characters(&text);
    Some(Full { text: start(text, most), characters })
}

/// Arguments as `name: value`: what a secret is called stays beside it, and texts keep their lines.
fn of_json(json: &str) -> String {
    let Some(members) = Members::of(json) else { return decode_json(json).into_owned() };
    let mut text = String::new();
    for (name, json) in members.iter() {
        let value = decode_json(json);
        let apart = if value.contains('\n') { "\n" } else { " " };
        let _ = writeln!(text, "{name}:{apart}{value}");
    }
    text.truncate(text.trim_end().len());
    text
}

fn start(mut text: String, most: usize) -> String {
    if text.len() > most {
        let end = (0..=most).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        text.truncate(end);
        text.shrink_to_fit();
    }
    text
}

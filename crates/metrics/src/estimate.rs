//! Tokens of logs that record none, from the length of what was said.

use agent_strace_model::{Arguments, EventKind, Session, Usage, characters};

/// Characters that stand for a token.
const CHARACTERS: u64 = 4;

/// Everything that was said in a session, each text once. A request sends the whole conversation again, so more was paid
/// for than this.
pub(super) fn session(session: &Session<'_>) -> Usage {
    let mut said = Usage::default();
    session.events.iter().for_each(|event| add(&mut said, &event.kind));
    said
}

pub(super) fn add(said: &mut Usage, kind: &EventKind<'_>) {
    match kind {
        EventKind::Prompt(text) | EventKind::Instruction(text) => said.input += tokens(text.characters()),
        EventKind::Result(result) => said.input += result.text.as_ref().map_or(0, |text| tokens(text.characters())),
        EventKind::Message(text) | EventKind::Reasoning(text) => said.output += tokens(text.characters()),
        EventKind::Call(call) => {
            said.output += match &call.arguments {
                Arguments::Json(text) | Arguments::Text(text) => tokens(characters(text)),
                Arguments::Missing => 0,
            };
        }
        _ => {}
    }
}

fn tokens(characters: usize) -> u64 {
    u64::try_from(characters).unwrap_or(u64::MAX).div_ceil(CHARACTERS)
}

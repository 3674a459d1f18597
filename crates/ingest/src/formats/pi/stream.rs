//! The events of `pi --mode json` that sessions do not have. They say again what messages say: each call counts once.

use super::{Entry, STARTERS};
use crate::assembly::{self, Assembly, RecordLocation};
use crate::blocks::{self, Around, NewCall, Part, identity};
use crate::gaps::Gaps;
use crate::json::{elements, filled, is_true, object, record};
use agent_strace_model::{EventKind, Status};

/// A call that begins to run.
pub(super) fn start<'a>(assembly: &mut Assembly<'a>, location: &RecordLocation<'a>, record: &Entry<'a>) {
    let around = Around { starters: STARTERS, ..Around::of(None) };
    let call = NewCall {
        id: identity(record.call_id),
        tool: filled(record.tool).unwrap_or_default(),
        arguments: assembly::arguments(record.args),
    };
    blocks::add_call(assembly, location, call, &around);
}

/// How a call ended; its result follows as a message.
pub(super) fn end<'a>(assembly: &mut Assembly<'a>, location: RecordLocation<'a>, record: &Entry<'a>) {
    let status = if is_true(record.is_error) { Status::Error } else { Status::Ok };
    assembly.settle(status, identity(record.call_id));
    assembly.push(location, EventKind::Other);
}

record! {
    struct Message { role = "role", content = "content", call_id = "toolCallId", is_error = "isError" }
}

/// Messages once more, when a turn or a run has ended: only what was not recorded before is new.
pub(super) fn summary<'a>(
    assembly: &mut Assembly<'a>,
    location: &RecordLocation<'a>,
    record: &Entry<'a>,
    gaps: &mut Gaps,
) {
    assembly.push(location.clone(), EventKind::Other);
    for raw in elements(record.messages).into_iter().chain(elements(record.results)) {
        let Some(message) = object::<Message<'a>>(Some(raw)) else {
            gaps.malformed(location.line, "a message that is not an object");
            continue;
        };
        if let Some(id) = identity(message.call_id) {
            let status = if is_true(message.is_error) { Status::Error } else { Status::Ok };
            assembly.settle(status, Some(id));
            continue;
        }
        let around = Around { starters: STARTERS, ..Around::of(message.role) };
        for part in blocks::parts(message.content, location.line, gaps) {
            if let Part::Block(block) = part
                && block.name.is_some()
                && identity(block.id).is_some()
            {
                blocks::add_block(assembly, location, &block, &around);
            }
        }
    }
}

//! Hooks run code, too: the commands that the host says it ran.

use super::envelope::Envelope;
use super::ran::{self, Anew};
use crate::assembly::{Assembly, RecordLocation};
use crate::json::{Raw, elements, filled, is, object, record};
use agent_strace_model::{EventKind, RecordRole};

record! {
    struct Hook { command = "command", kind = "type", data = "data" }
}

/// An attachment: mostly context for the model, sometimes the record of a hook.
pub(super) fn attachment<'a>(
    assembly: &mut Assembly<'a>,
    location: RecordLocation<'a>,
    record: &Envelope<'a>,
) -> Option<Anew<'a>> {
    assembly.origin.role = RecordRole::Aside;
    let open = ran::printed(&location, record.attachment).and_then(|told| ran::asked_anew(assembly, told));
    let hook = object::<Hook<'a>>(record.attachment).unwrap_or_default();
    if is(hook.kind, "structured_output") {
        ran::handed_over(assembly, hook.data);
    }
    assembly.push(location, filled(hook.command).map_or(EventKind::Other, |command| EventKind::Hook { command }));
    open
}

/// The hooks that ran when a turn stopped; `false`: there were none.
pub(super) fn summary<'a>(assembly: &mut Assembly<'a>, location: &RecordLocation<'a>, infos: Option<Raw<'a>>) -> bool {
    let infos = elements(infos);
    let any = !infos.is_empty();
    for info in infos {
        let hook = object::<Hook<'a>>(Some(info)).and_then(|hook| filled(hook.command));
        assembly.push(location.clone(), hook.map_or(EventKind::Notice, |command| EventKind::Hook { command }));
    }
    any
}

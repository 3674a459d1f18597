//! Calls as the provider has them, beside the actions that the agent made of them.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::assembly::{Assembly, arguments};
use crate::json::{Nested, Raw, elements, filled, object, record};
use agent_strace_model::Arguments;

record! {
    struct Action { command = "command", call_id = "tool_call_id" }
}

record! {
    struct Call { id = "id", call_id = "call_id", arguments = "arguments", function: Nested<Function<'a>> = "function" }
}

record! {
    struct Function { arguments = "arguments" }
}

record! {
    struct Choice { message: Nested<Message<'a>> = "message" }
}

record! {
    struct Message { calls = "tool_calls" }
}

/// Calls that no action repeats: nothing came of them, or the log says two things.
#[derive(Debug, Default)]
pub(super) struct Asked<'a> {
    unrepeated: Vec<(Option<Cow<'a, str>>, Raw<'a>)>,
    /// Ids of calls that have a result.
    answered: HashSet<Cow<'a, str>>,
    /// A result came where no action was without one.
    is_more_answered: bool,
}

impl<'a> Asked<'a> {
    /// Notes the calls of an answer, in whichever place the provider keeps them. A call that an action repeats is that
    /// action.
    pub(super) fn note(&mut self, assembly: &mut Assembly<'a>, places: [Option<Raw<'a>>; 3], actions: Raw<'a>) {
        let actions = elements(Some(actions)).into_iter().filter_map(|raw| object::<Action<'a>>(Some(raw)));
        let ran: HashSet<_> = actions.filter_map(|it| Some((filled(it.command)?, filled(it.call_id)))).collect();
        for raw in places.into_iter().flat_map(elements) {
            let choice = object::<Choice<'a>>(Some(raw)).unwrap_or_default();
            let Some(message) = choice.message.object() else {
                self.note_call(assembly, raw, &ran);
                continue;
            };
            for raw in elements(message.calls) {
                self.note_call(assembly, raw, &ran);
            }
        }
    }

    fn note_call(&mut self, assembly: &mut Assembly<'a>, raw: Raw<'a>, ran: &Ran<'a>) {
        let call = object::<Call<'a>>(Some(raw)).unwrap_or_default();
        let id = filled(call.call_id).or_else(|| filled(call.id));
        let given = call.function.object().map_or(call.arguments, |function| function.arguments);
        let command = match arguments(given) {
            Arguments::Json(json) => object::<Action<'_>>(Some(Raw::new(&json)))
                .and_then(|action| filled(action.command))
                .map(|command| Cow::Owned(command.into_owned())),
            _ => None,
        };
        let is_repeated = command.is_some_and(|command: Cow<'a, str>| {
            let any = (command, None);
            ran.contains(&any) || ran.contains(&(any.0, id.clone()))
        });
        if is_repeated {
            assembly.pass(Some(raw));
        } else {
            self.unrepeated.push((id, raw));
        }
    }

    /// A result that tells how a command ended. `is_expected`: an action had none yet.
    pub(super) fn answered(&mut self, id: Option<Cow<'a, str>>, is_expected: bool) {
        self.answered.extend(id);
        self.is_more_answered |= !is_expected;
    }

    /// Passes over the calls that became no action and that nothing answered: they did not run.
    pub(super) fn pass(&mut self, assembly: &mut Assembly<'a>) {
        for (id, raw) in std::mem::take(&mut self.unrepeated) {
            let is_answered = id.map_or(self.is_more_answered, |id| self.answered.contains(&id));
            if !is_answered {
                assembly.pass(Some(raw));
            }
        }
    }
}

/// The commands that ran, with the ids of their calls where they are known.
type Ran<'a> = HashSet<(Cow<'a, str>, Option<Cow<'a, str>>)>;

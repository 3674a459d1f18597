//! Hooks of the host: what they made of a call before it ran.

use std::borrow::Cow;

use super::{Envelope, Events};
use crate::assembly::{RecordLocation, arguments};
use crate::gaps::Gaps;
use crate::json::{Raw, elements, fields, filled, object, record, text};
use agent_strace_model::{Arguments, EventKind, RecordRole, Status, ToolCall};

record! {
    struct Hook { id = "hookInvocationId", kind = "hookType", input = "input", output = "output" }
}

record! {
    struct Input { tool = "toolName", arguments = "toolArgs", calls = "toolCalls" }
}

record! {
    struct Asked { id = "id", name = "name", arguments = "args" }
}

record! {
    struct Output {
        modified = "modifiedArgs",
        updated = "updatedInput",
        updated_camel = "modifiedInput",
        specific = "hookSpecificOutput",
    }
}

/// Requests of one message that a hook may be asked about: others are not looked for, so that time stays linear.
const AT_ONCE: usize = 64;

/// A call that a hook was asked about.
#[derive(Debug, Clone)]
pub(super) struct Asking<'a> {
    id: Option<Cow<'a, str>>,
    tool: Cow<'a, str>,
}

/// What a hook says that a call shall run with instead.
#[derive(Debug)]
pub(super) struct Rewrite<'a> {
    location: RecordLocation<'a>,
    tool: Cow<'a, str>,
    arguments: Arguments<'a>,
}

impl<'a> Events<'a> {
    pub(super) fn hook_started(&mut self, location: RecordLocation<'a>, envelope: &Envelope<'a>) {
        let hook = object::<Hook<'a>>(envelope.data).unwrap_or_default();
        if let (Some(id), true) = (filled(hook.id), is_before(hook.kind)) {
            let input = object::<Input<'a>>(hook.input).unwrap_or_default();
            // The call that the hook is asked about may be refused, and then nothing else tells of it.
            let asked = (input.tool, input.arguments);
            if self.asked.iter().rev().take(AT_ONCE).any(|id| self.requests.get(id).is_some_and(|it| it.is_of(asked))) {
                self.assembly.pass(input.arguments);
            }
            let several = elements(input.calls).into_iter().filter_map(|raw| object::<Asked<'a>>(Some(raw)));
            let several = several.map(|asked| (filled(asked.id), filled(asked.name)));
            let one = input.tool.map(|tool| (None, filled(Some(tool))));
            let asked = several.chain(one).map(|(id, tool)| Asking { id, tool: tool.unwrap_or_default() });
            self.hooks.insert(id, asked.collect());
        }
        self.assembly.push(location, EventKind::Other);
    }

    /// A hook's output may give a call other arguments: for the call that it was asked about, or by the ids of calls.
    pub(super) fn hook_ended(&mut self, location: RecordLocation<'a>, envelope: &Envelope<'a>, gaps: &mut Gaps) {
        let hook = object::<Hook<'a>>(envelope.data).unwrap_or_default();
        let asked = filled(hook.id).and_then(|id| self.hooks.get(&id)).cloned().unwrap_or_default();
        self.assembly.pass(hook.output);
        let known = self.rewrites.len();
        if let Some(changed) = modified(hook.output) {
            for asking in &asked {
                self.rewrites.push(Rewrite {
                    location: location.clone(),
                    tool: asking.tool.clone(),
                    arguments: arguments(Some(changed)),
                });
            }
        }
        let by_id = hook.output.and_then(|output| fields(output.get())).unwrap_or_default();
        for (id, said) in by_id {
            let asking = asked.iter().find(|asking| asking.id.as_ref() == Some(&id));
            if let (Some(asking), Some(changed)) = (asking, modified(Some(said))) {
                self.rewrites.push(Rewrite {
                    location: location.clone(),
                    tool: asking.tool.clone(),
                    arguments: arguments(Some(changed)),
                });
            }
        }
        if says_anew(hook.output) && self.rewrites.len() == known {
            gaps.contradiction(location.line, UNNAMED);
        }
        self.assembly.push(location, EventKind::Other);
    }

    /// What a hook prints proves nothing by itself. Unless a call ran just so, it is judged beside the call.
    pub(super) fn rewritten(&mut self) {
        self.assembly.origin.role = RecordRole::Aside;
        for Rewrite { location, tool, arguments } in std::mem::take(&mut self.rewrites) {
            // A call that was refused did not run.
            let ran =
                |call: &ToolCall<'_>| call.tool == tool && call.arguments == arguments && call.status != Status::Denied;
            if !self.assembly.session.calls().any(|(_, call)| ran(call)) {
                let cwd = self.cwd.clone();
                let call = ToolCall { call_id: None, tool, arguments, cwd, status: Status::Missing, subagent: None };
                self.assembly.call(location, call, None);
            }
        }
    }
}

const UNNAMED: &str = "a hook gives other arguments to a call that it does not name, or in words that are not read";

fn is_before(kind: Option<Raw<'_>>) -> bool {
    text(kind).is_some_and(|kind| kind.eq_ignore_ascii_case("preToolUse"))
}

/// Whether an output speaks of other arguments, in whichever form.
fn says_anew(output: Option<Raw<'_>>) -> bool {
    const WORDS: [&str; 3] = ["modifiedArgs", "updatedInput", "modifiedInput"];
    output.is_some_and(|output| WORDS.iter().any(|word| output.get().contains(word)))
}

fn modified(output: Option<Raw<'_>>) -> Option<Raw<'_>> {
    let output = object::<Output<'_>>(output)?;
    let direct = output.modified.or(output.updated).or(output.updated_camel);
    direct.or_else(|| {
        let inner = object::<Output<'_>>(output.specific)?;
        inner.modified.or(inner.updated).or(inner.updated_camel)
    })
}

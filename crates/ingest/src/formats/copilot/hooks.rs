//! Hooks of the host: what they made of a call before it ran.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};

use serde_json::Value;

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

/// A hook that was started.
#[derive(Debug)]
pub(super) struct Run<'a> {
    /// The requests that it was asked about, until it ended.
    asked: Vec<Asking<'a>>,
    /// Its output: `null` for an end without one.
    ended: Option<&'a str>,
}

/// The end of a hook.
enum End<'a> {
    /// With the calls that the hook was asked about.
    First(Vec<Asking<'a>>),
    /// The log tells of it twice.
    Again,
    /// It ended before, with other words.
    Other,
}

/// A call that a hook was asked about.
#[derive(Debug)]
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
            self.hooks.insert(id, Run { asked: asked.collect(), ended: None });
        }
        self.assembly.push(location, EventKind::Other);
    }

    /// A hook's output may give a call other arguments: for the call that it was asked about, or by the ids of calls.
    pub(super) fn hook_ended(&mut self, location: RecordLocation<'a>, envelope: &Envelope<'a>, gaps: &mut Gaps) {
        let hook = object::<Hook<'a>>(envelope.data).unwrap_or_default();
        let asked = match self.end(&hook) {
            End::First(asked) => asked,
            End::Again => return self.assembly.push(location, EventKind::Other),
            End::Other => {
                gaps.contradiction(location.line, TWO_ENDS);
                return self.assembly.push(location, EventKind::Other);
            }
        };
        let known = self.rewrites.len();
        if let Some(changed) = modified(hook.output) {
            let tools: BTreeSet<_> = asked.iter().map(|asking| &asking.tool).collect();
            if tools.len() > AT_ONCE {
                gaps.limit(location.line, MANY_TOOLS);
            }
            for tool in tools.into_iter().take(AT_ONCE) {
                self.rewrite(&location, tool.clone(), changed);
            }
        }
        let by_id = hook.output.and_then(|output| fields(output.get())).unwrap_or_default();
        let tools: HashMap<_, _> =
            asked.iter().rev().filter_map(|asking| Some((asking.id.as_deref()?, &asking.tool))).collect();
        for (id, said) in by_id {
            if let (Some(tool), Some(changed)) = (tools.get(&*id), modified(Some(said))) {
                self.rewrite(&location, (*tool).clone(), changed);
            }
        }
        let is_after = asked.is_empty() && comes_after(hook.kind);
        if !is_after && says_anew(hook.output) && self.rewrites.len() == known {
            gaps.contradiction(location.line, UNNAMED);
        }
        self.assembly.push(location, EventKind::Other);
    }

    fn end(&mut self, hook: &Hook<'a>) -> End<'a> {
        let told = hook.output.map_or("null", Raw::get);
        let Some(run) = filled(hook.id).and_then(|id| self.hooks.get_mut(&id)) else { return End::First(Vec::new()) };
        match run.ended.replace(told) {
            None => End::First(std::mem::take(&mut run.asked)),
            Some(before) if before == told => End::Again,
            Some(_) => End::Other,
        }
    }

    fn rewrite(&mut self, location: &RecordLocation<'a>, tool: Cow<'a, str>, changed: Raw<'a>) {
        // Any other part of an output may be a call of its own.
        self.assembly.pass(Some(changed));
        let location = location.clone();
        self.rewrites.push(Rewrite { location, tool, arguments: arguments(Some(changed)) });
    }

    /// What a hook prints proves nothing by itself. Unless a call ran just so, it is judged beside the call.
    pub(super) fn rewritten(&mut self) {
        self.assembly.origin.role = RecordRole::Aside;
        let rewrites = std::mem::take(&mut self.rewrites);
        // A call that was refused did not run.
        let ran = self.assembly.session.calls().map(|(_, call)| call).filter(|call| call.status != Status::Denied);
        let mut known: HashSet<_> = ran.map(|call| content(&call.tool, &call.arguments)).collect();
        let is_new: Vec<_> = rewrites.iter().map(|it| known.insert(content(&it.tool, &it.arguments))).collect();
        let new = rewrites.into_iter().zip(is_new).filter_map(|(rewrite, is_new)| is_new.then_some(rewrite));
        for Rewrite { location, tool, arguments } in new {
            let cwd = self.cwd.clone();
            let call = ToolCall { call_id: None, tool, arguments, cwd, status: Status::Missing, subagent: None };
            self.assembly.call(location, call, None);
        }
    }
}

/// The tool and its arguments, as a text or as JSON: two calls with the same ones are the same.
fn content<'s>(tool: &'s str, arguments: &'s Arguments<'_>) -> (&'s str, Option<&'s str>, Option<&'s str>) {
    match arguments {
        Arguments::Json(json) => (tool, None, Some(json)),
        Arguments::Text(text) => (tool, Some(text), None),
        Arguments::Missing => (tool, None, None),
    }
}

const TWO_ENDS: &str = "a hook ended twice, with other words each time";
const MANY_TOOLS: &str = "a hook gives other arguments to calls of more tools than are compared";
const UNNAMED: &str = "a hook gives other arguments to a call that it does not name, or in words that are not read";

fn is_before(kind: Option<Raw<'_>>) -> bool {
    text(kind).is_some_and(|kind| kind.eq_ignore_ascii_case("preToolUse"))
}

/// The hooks that the host asks about no call, or about one that ran: it takes no arguments from them.
const AFTER: &[&str] = &[
    "postToolUse",
    "postToolUseFailure",
    "sessionStart",
    "sessionEnd",
    "userPromptSubmitted",
    "agentStop",
    "subagentStop",
    "errorOccurred",
];

fn comes_after(kind: Option<Raw<'_>>) -> bool {
    text(kind).is_some_and(|kind| AFTER.iter().any(|after| kind.eq_ignore_ascii_case(after)))
}

/// Returns whether an output gives other arguments, in whichever form: as a value, or in a text that holds JSON.
fn says_anew(output: Option<Raw<'_>>) -> bool {
    const WORDS: [&str; 3] = ["modifiedArgs", "updatedInput", "modifiedInput"];
    fn gives(value: &Value) -> bool {
        match value {
            Value::Object(fields) => {
                fields.iter().any(|(key, value)| WORDS.contains(&&**key) && !value.is_null() || gives(value))
            }
            Value::Array(list) => list.iter().any(gives),
            Value::String(text) => text.contains('{') && WORDS.iter().any(|word| text.contains(word)),
            _ => false,
        }
    }
    let Some(output) = output.filter(|output| WORDS.iter().any(|word| output.get().contains(word))) else {
        return false;
    };
    serde_json::from_str(output.get()).map_or(true, |value| gives(&value))
}

fn modified(output: Option<Raw<'_>>) -> Option<Raw<'_>> {
    let output = object::<Output<'_>>(output)?;
    let direct = output.modified.or(output.updated).or(output.updated_camel);
    direct.or_else(|| {
        let inner = object::<Output<'_>>(output.specific)?;
        inner.modified.or(inner.updated).or(inner.updated_camel)
    })
}

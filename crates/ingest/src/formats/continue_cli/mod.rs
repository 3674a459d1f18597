//! Continue: one document per session. A message asks for calls; beside it stands what became of each.

use std::borrow::Cow;

use super::{Base, Detect, Format, Home, Input};
use crate::assembly::{Assembly, Numbering, RecordLocation, arguments};
use crate::blocks::identity;
use crate::chat::{self, Manner, Message};
use crate::gaps::Gaps;
use crate::json::{Counts, Raw, elements, filled, is, object, raw_text, record, text};
use crate::reader::{Item, LineCounter, Reader};
use agent_strace_model::{Arguments, Dialect, Session, Status, ToolCall, ToolResult, Usage};

/// Sessions of Continue's command line and of its editor extension (`~/.continue/sessions/*.json`).
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("continue", "continue"),
    detect: Detect::Record(|head| {
        head.is_string("sessionId")
            && head.is_array("history")
            && head.is_string("workspaceDirectory")
            && !super::kiro::is_of_ide(head)
    }),
    read,
    homes: &[Home {
        variables: &["CONTINUE_GLOBAL_DIR"],
        base: Base::Home,
        folder: ".continue",
        logs: "sessions/*.json",
    }],
};

record! {
    struct Document { id = "sessionId", root = "workspaceDirectory", history = "history", usage = "usage" }
}

record! {
    struct Turn { message = "message", states = "toolCallStates", state = "toolCallState" }
}

record! {
    struct State { id = "toolCallId", call = "toolCall", status = "status", parsed = "parsedArgs", output = "output" }
}

record! {
    struct Call { id = "id", function = "function" }
}

record! {
    struct Function { name = "name", arguments = "arguments" }
}

record! {
    struct Tokens { input = "promptTokens", output = "completionTokens", details = "promptTokensDetails" }
}

record! {
    struct Details { read = "cachedTokens", write = "cacheWriteTokens" }
}

fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut sessions = Vec::new();
    let mut reader = Reader::new(input.text, input.shape);
    while let Some(item) = reader.next::<Document<'a>>(gaps) {
        let (line, document) = (item.line, &item.record);
        if let Some(key) = document.duplicate {
            gaps.twice(line, key, "a session");
        }
        let mut assembly = Assembly::new(&FORMAT.dialect, &input.log.shown, Numbering::Ordinal);
        assembly.id(filled(document.id));
        assembly.root(filled(document.root));
        match document.history.filter(|history| history.get().starts_with('[')) {
            Some(history) => {
                let start = LineCounter::new(item.json, line).line_of(history.get());
                let mut turns = Reader::nested(history.get(), start);
                while let Some(turn) = turns.next::<Turn<'a>>(gaps) {
                    add(&mut assembly, &turn, gaps);
                }
            }
            None => gaps.malformed(line, "a session whose history is not a list"),
        }
        // Of all answers together.
        if let Some(usage) = usage(document.usage) {
            assembly.together(None, usage);
        }
        sessions.push(assembly.finish());
    }
    sessions
}

fn add<'a>(assembly: &mut Assembly<'a>, turn: &Item<'a, Turn<'a>>, gaps: &mut Gaps) {
    let (line, record) = (turn.line, &turn.record);
    let location = RecordLocation { line, id: None, time: None };
    if let Some(key) = record.duplicate {
        gaps.twice(line, key, "a turn");
    }
    let states: Vec<Raw<'a>> = elements(record.states).into_iter().chain(record.state).collect();
    // The state of a call repeats what the model asked for.
    let known: Vec<_> = states.iter().filter_map(|state| object::<State<'a>>(Some(*state))?.call).map(asked).collect();
    match object::<Message<'a>>(record.message) {
        Some(mut message) => {
            // What became of the calls is known: only those that ran are calls.
            if !states.is_empty() {
                let listed = elements(message.calls.or(message.calls_camel));
                for call in listed.into_iter().filter(|call| known.contains(&asked(*call))) {
                    assembly.pass(Some(call));
                }
                (message.calls, message.calls_camel) = (None, None);
            }
            chat::add(assembly, &location, &message, &Manner::default(), gaps);
        }
        None => gaps.malformed(line, "a turn without a readable message"),
    }
    for raw in states {
        match object::<State<'a>>(Some(raw)) {
            Some(state) => ended(assembly, &location, &state, gaps),
            None => gaps.malformed(line, "the state of a call that is not an object"),
        }
    }
}

/// The fields that tell a call of the model from others.
fn asked(raw: Raw<'_>) -> [Option<Cow<'_, str>>; 3] {
    let call = object::<Call<'_>>(Some(raw)).unwrap_or_default();
    let function = object::<Function<'_>>(call.function).unwrap_or_default();
    [call.id, function.name, function.arguments].map(text)
}

fn ended<'a>(assembly: &mut Assembly<'a>, location: &RecordLocation<'a>, state: &State<'a>, gaps: &mut Gaps) {
    if let Some(key) = state.duplicate {
        gaps.twice(location.line, key, "a call");
    }
    let status = match text(state.status).as_deref() {
        Some("done") => Status::Ok,
        Some("errored") => Status::Error,
        // The same word for a refusal and for a stop half-way.
        Some("canceled") => Status::Interrupted,
        // Still written, or waiting for approval: nothing has run.
        Some("generating" | "generated") => return assembly.pass(state.call),
        _ => Status::Missing,
    };
    let call = object::<Call<'a>>(state.call).unwrap_or_default();
    let function = object::<Function<'a>>(call.function).unwrap_or_default();
    let id = identity(state.id).or_else(|| identity(call.id));
    let tool = filled(function.name).unwrap_or(Cow::Borrowed(""));
    let given = match arguments(function.arguments) {
        Arguments::Missing => arguments(state.parsed),
        given => given,
    };
    if !assembly.repeats(id.as_deref(), &tool, &given) {
        let call = ToolCall { call_id: id.clone(), tool, arguments: given, cwd: None, status, subagent: None };
        assembly.call(location.clone(), call, id.clone());
    }
    if state.output.is_some() {
        let is_error = is(state.status, "errored");
        let result = ToolResult { call_id: id.clone(), text: raw_text(state.output), is_error };
        assembly.result(location.clone(), result, status, id);
    }
}

/// Cached tokens are counted apart.
fn usage(value: Option<Raw<'_>>) -> Option<Usage> {
    let tokens = object::<Tokens<'_>>(value)?;
    let details = object::<Details<'_>>(tokens.details).unwrap_or_default();
    let mut counts = Counts::default();
    Some(Usage {
        input: counts.needed(tokens.input),
        output: counts.needed(tokens.output),
        cache_read: counts.of(details.read),
        cache_write: counts.of(details.write),
        partial: counts.is_partial,
        ..Usage::default()
    })
}

//! Augment's command line: one document per session. A turn is an exchange: nodes of the request answer the calls that the
//! nodes of the response before it made.

use std::borrow::Cow;

use super::{Base, Detect, Format, Home, Input};
use crate::assembly::{Assembly, RecordLocation, arguments};
use crate::blocks::{self, Around, NewCall, Speaker, identity};
use crate::gaps::Gaps;
use crate::json::{Nested, Raw, elements, filled, is_array, is_true, object, raw_text, record};
use crate::reader::{Item, Reader};
use agent_strace_model::{Dialect, EventKind, Session, Status, ToolResult};

/// Sessions of Augment's command line (`~/.augment/sessions/*.json`).
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("augment", "augment"),
    detect: Detect::Record(|head| {
        head.is_array("chatHistory") && (head.has("agentState") || head.is_string("sessionId"))
    }),
    read,
    homes: &[Home { variables: &[], base: Base::Home, folder: ".augment", logs: "sessions/*.json" }],
};

record! {
    struct Document {
        id = "sessionId",
        created = "created",
        state: Nested<State<'a>> = "agentState",
        history = "chatHistory",
    }
}

record! {
    struct State { model = "modelId" }
}

record! {
    struct Turn { exchange: Nested<Exchange<'a>> = "exchange", finished = "finishedAt" }
}

record! {
    struct Exchange {
        id = "request_id",
        model = "model_id",
        asked = "request_message",
        answered = "response_text",
        requests = "request_nodes",
        responses = "response_nodes",
    }
}

record! {
    struct Node {
        ide = "ide_state_node",
        result = "tool_result_node",
        call = "tool_use",
        usage = "token_usage",
    }
}

record! {
    struct Answer { call = "tool_use_id", content = "content", is_error = "is_error" }
}

record! {
    struct Called { id = "tool_use_id", name = "tool_name", input = "input_json", server = "mcp_server_name" }
}

record! {
    struct Ide { folders = "workspace_folders" }
}

record! {
    struct Folder { root = "repository_root", folder = "folder_root" }
}

fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut sessions = Vec::new();
    input.records("a session", gaps, |item: &Item<'a, Document<'a>>, gaps| {
        let Item { line, record, json } = item;
        let mut assembly = input.session(&FORMAT.dialect);
        assembly.id(filled(record.id).or(Some(Cow::Borrowed(input.log.name()))));
        assembly.model(record.state.object().and_then(|state| filled(state.model)));
        assembly.push(RecordLocation { line: *line, id: None, time: filled(record.created) }, EventKind::Start);
        match record.history.filter(|list| is_array(Some(*list))) {
            Some(list) => {
                let mut reader = Reader::of_field(json, *line, list);
                while let Some(turn) = reader.next::<Turn<'a>>(gaps) {
                    add(&mut assembly, &turn, gaps);
                }
            }
            None => gaps.malformed(*line, "a session whose turns are not a list"),
        }
        sessions.push(assembly.finish());
    });
    sessions
}

fn add<'a>(assembly: &mut Assembly<'a>, turn: &Item<'a, Turn<'a>>, gaps: &mut Gaps) {
    if let Some(key) = turn.record.duplicate {
        gaps.twice(turn.line, key, "a turn");
    }
    let Some(exchange) = turn.record.exchange.object() else {
        return gaps.malformed(turn.line, "a turn without a readable exchange");
    };
    if let Some(key) = exchange.duplicate {
        gaps.twice(turn.line, key, "an exchange");
    }
    let location = RecordLocation { line: turn.line, id: filled(exchange.id), time: filled(turn.record.finished) };
    assembly.model(filled(exchange.model));
    if let Some(text) = filled(exchange.asked).and(exchange.asked) {
        blocks::words(assembly, &location, text, &around(Speaker::User));
    }
    let mut is_counted = false;
    for (list, speaker) in [(exchange.requests, Speaker::User), (exchange.responses, Speaker::Agent)] {
        if list.is_some() && !is_array(list) {
            gaps.malformed(turn.line, "the nodes of an exchange are not a list");
        }
        for raw in elements(list) {
            let Some(node) = object::<Node<'a>>(Some(raw)) else {
                gaps.malformed(turn.line, "a node of an exchange that is not an object");
                continue;
            };
            if let Some(key) = node.duplicate {
                gaps.twice(turn.line, key, "a node");
            }
            // Nodes may repeat what the request used.
            let usage = blocks::usage(node.usage).filter(|_| !is_counted);
            if let Some(usage) = usage {
                is_counted = true;
                assembly.usage(location.id.clone(), usage);
            }
            if !add_node(assembly, &location, &node, speaker) {
                gaps.malformed(turn.line, "a node whose call or result can't be read");
            }
        }
    }
    if let Some(text) = filled(exchange.answered).and(exchange.answered) {
        blocks::words(assembly, &location, text, &around(Speaker::Agent));
    }
    if !is_counted {
        assembly.untold(location.id);
    }
}

fn around<'a>(speaker: Speaker) -> Around<'a> {
    Around { speaker, ..Around::of(None) }
}

/// Adds what a node says; `false`: it can't be read.
fn add_node<'a>(assembly: &mut Assembly<'a>, location: &RecordLocation<'a>, node: &Node<'a>, speaker: Speaker) -> bool {
    if let Some(answer) = object::<Answer<'a>>(node.result) {
        let is_error = is_true(answer.is_error);
        let status = if is_error { Status::Error } else { Status::Ok };
        let id = identity(answer.call);
        let result = ToolResult { call_id: id.clone(), text: raw_text(answer.content), is_error };
        assembly.result(location.clone(), result, status, id);
        return true;
    }
    if let Some(called) = object::<Called<'a>>(node.call) {
        let name = filled(called.name).unwrap_or_default();
        let tool = match filled(called.server) {
            Some(server) => Cow::Owned(format!("mcp__{server}__{name}")),
            None => name,
        };
        let call = NewCall { id: identity(called.id), tool, arguments: arguments(called.input) };
        blocks::add_call(assembly, location, call, &around(speaker));
        return true;
    }
    if let Some(state) = object::<Ide<'a>>(node.ide) {
        assembly.root(elements(state.folders).into_iter().find_map(directory));
    }
    assembly.push(location.clone(), EventKind::Other);
    node.result.is_none() && node.call.is_none()
}

/// The directory of a workspace's folder.
fn directory(folder: Raw<'_>) -> Option<Cow<'_, str>> {
    let folder = object::<Folder<'_>>(Some(folder))?;
    filled(folder.folder).or_else(|| filled(folder.root))
}

//! Messages of the second generation as the export has them: a row holds a message with its contents.

use crate::database::{List, Object, Row};
use crate::json::{Raw, elements, filled, object, parse, record, text};
use agent_strace_model::GapKind;

record! {
    struct Stored {
        text = "text",
        content = "content",
        model = "model",
        tokens = "tokens",
        time = "time",
        command = "command",
        output = "output",
        exit = "exit",
        call = "callID",
        shell = "shellID",
        location = "location",
    }
}

record! {
    struct Model { id = "id" }
}

record! {
    struct Place { directory = "directory" }
}

record! {
    struct Content { kind = "type", id = "id", name = "name", text = "text", state = "state", time = "time" }
}

record! {
    struct State {
        status = "status",
        input = "input",
        content = "content",
        result = "result",
        error = "error",
        metadata = "metadata",
        structured = "structured",
    }
}

record! {
    struct Fault { message = "message" }
}

/// One message with its parts; `None` where the row can't be read.
pub(super) fn message(row: &Row, session: &str, flaws: &mut Vec<GapKind>) -> Option<String> {
    let Some(kind) = row.text("type") else {
        flaws.push(row.flaw("a message without a type"));
        return None;
    };
    let json = crate::database::json(row, "data", flaws)?;
    let Some(stored) = parse::<Stored<'_>>(json) else {
        flaws.push(row.flaw("`data` is not an object"));
        return None;
    };
    if let Some(key) = stored.duplicate {
        flaws.push(GapKind::DuplicateKey { key: key.to_owned(), holder: "a message" });
    }
    let mut info = Object::new();
    info.column("id", row, "id", flaws).text("sessionID", session).text("role", kind);
    put(&mut info, "tokens", stored.tokens);
    put(&mut info, "time", stored.time);
    let model = object::<Model<'_>>(stored.model).and_then(|model| model.id);
    put(&mut info, "modelID", model);
    if let Some(directory) = object::<Place<'_>>(stored.location).and_then(|place| place.directory) {
        info.raw("path", &Object::new().raw("cwd", directory.get()).finish());
    }
    if !matches!(kind, "assistant" | "shell") && row.text("data").is_some_and(crate::overlooked::holds_call) {
        flaws.push(row.flaw(&format!("a message of the type `{}` that holds a call", kind.escape_default())));
    }
    let parts = parts(kind, &stored, row, flaws).finish();
    Some(Object::new().raw("info", &info.finish()).raw("parts", &parts).finish())
}

fn parts(kind: &str, stored: &Stored<'_>, row: &Row, flaws: &mut Vec<GapKind>) -> List {
    let mut list = List::default();
    match kind {
        "user" => list.push(&words("text", stored.text).finish()),
        "synthetic" | "system" | "skill" => {
            list.push(&words("text", stored.text).raw("synthetic", "true").finish());
        }
        "assistant" => {
            for raw in elements(stored.content) {
                match object::<Content<'_>>(Some(raw)) {
                    Some(content) => list.push(&part(&content, flaws)),
                    None => flaws.push(row.flaw("a part of a message that is not an object")),
                }
            }
            if stored.content.is_none() {
                flaws.push(row.flaw("an answer without contents"));
            }
        }
        "shell" => list.push(&command(stored)),
        "compaction" => list.push(r#"{"type":"compaction"}"#),
        "agent-switched" | "model-switched" | "location-switched" | "idle" => {}
        // Nothing is known of it: the reader counts a part of this type as unknown.
        other => {
            list.push(&Object::new().text("type", other).raw("text", stored.text.map_or("null", Raw::get)).finish());
        }
    }
    list
}

fn words(kind: &str, text: Option<Raw<'_>>) -> Object {
    let mut object = Object::new();
    object.text("type", kind).raw("text", text.map_or("null", Raw::get));
    object
}

fn part(content: &Content<'_>, flaws: &mut Vec<GapKind>) -> String {
    if let Some(key) = content.duplicate {
        flaws.push(GapKind::DuplicateKey { key: key.to_owned(), holder: "a part of a message" });
    }
    let kind = filled(content.kind).unwrap_or_default();
    if kind != "tool" {
        let mut part = words(&kind, content.text);
        put(&mut part, "id", content.id);
        return part.finish();
    }
    let mut part = Object::new();
    part.text("type", "tool");
    put(&mut part, "callID", content.id);
    put(&mut part, "tool", content.name);
    put(&mut part, "time", content.time);
    let Some(state) = object::<State<'_>>(content.state) else {
        put(&mut part, "state", content.state);
        return part.finish();
    };
    if let Some(key) = state.duplicate {
        flaws.push(GapKind::DuplicateKey { key: key.to_owned(), holder: "a call" });
    }
    let mut given = Object::new();
    // While the model writes the arguments they are a text that is not whole.
    let status = text(state.status).map(|status| if status == "streaming" { "pending".into() } else { status });
    if let Some(status) = status {
        given.text("status", &status);
    }
    put(&mut given, "input", state.input);
    put(&mut given, "output", state.content.or(state.result));
    let error = object::<Fault<'_>>(state.error).and_then(|fault| fault.message).or(state.error);
    put(&mut given, "error", error);
    put(&mut given, "metadata", state.metadata.or(state.structured));
    part.raw("state", &given.finish()).finish()
}

/// A command that the user ran in the session.
fn command(stored: &Stored<'_>) -> String {
    let mut input = Object::new();
    put(&mut input, "command", stored.command);
    let mut state = Object::new();
    state.text("status", "completed").raw("input", &input.finish());
    put(&mut state, "output", stored.output);
    if let Some(exit) = stored.exit {
        state.raw("metadata", &Object::new().raw("exit", exit.get()).finish());
    }
    let mut part = Object::new();
    part.text("type", "tool").text("tool", "bash");
    put(&mut part, "callID", stored.call.or(stored.shell));
    part.raw("state", &state.finish()).finish()
}

fn put(object: &mut Object, key: &str, value: Option<Raw<'_>>) {
    if let Some(value) = value {
        object.raw(key, value.get());
    }
}

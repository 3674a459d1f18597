//! Crush's database, which lies in the project: the rows of a session as one document.

use std::collections::BTreeMap;
use std::path::Path;

use crate::database::{Child, Database, Document, Holds, List, Object, Output, Rows, Tables, of_rows, quoted};
use crate::formats::{Base, Home, Index};
use crate::json::{elements, filled, is_array, object, parse, record};
use agent_strace_model::GapKind;

pub(in crate::formats) static DATABASE: Database = Database {
    what: "Crush's",
    agent: "crush",
    marks: &[
        ("sessions", &["id", "prompt_tokens", "completion_tokens", "cost"]),
        ("messages", &["session_id", "role", "parts"]),
    ],
    holds: Holds::Sessions { read, copied: None },
    homes: &[Home { variables: &[], base: Base::Project, folder: ".crush", logs: "crush.db" }],
};

/// Projects may keep it elsewhere, and lie below the one that is looked at.
pub(in crate::formats) static INDEX: Index = Index {
    database: &DATABASE,
    home: Home { variables: &["CRUSH_GLOBAL_DATA"], base: Base::Data, folder: "crush", logs: "projects.json" },
    projects,
    name: "crush.db",
};

record! {
    struct Listed { projects = "projects" }
}

record! {
    struct Project { path = "path", folder = "data_dir" }
}

fn projects(json: &str) -> Option<Vec<(String, String)>> {
    let list = parse::<Listed<'_>>(json)?.projects.filter(|list| list.get() != "null");
    if list.is_some() && !is_array(list) {
        return None;
    }
    let each = |raw| {
        let project = object::<Project<'_>>(Some(raw))?;
        Some((filled(project.path)?.into_owned(), filled(project.folder)?.into_owned()))
    };
    elements(list).into_iter().map(each).collect()
}

static SESSIONS: Child = Child {
    table: "sessions",
    key: "id",
    needed: &["message_count"],
    optional: &["parent_session_id", "created_at", "summary_message_id"],
    order: &[],
};

static MESSAGES: Child = Child {
    table: "messages",
    key: "session_id",
    needed: &["id", "role", "parts"],
    optional: &["model", "provider", "created_at", "finished_at", "is_summary_message"],
    order: &["created_at"],
};

/// What files held before and after the agent's changes.
static FILES: Child = Child {
    table: "files",
    key: "session_id",
    needed: &["path", "version"],
    optional: &["created_at"],
    order: &["created_at"],
};

fn read(tables: &Tables<'_>, output: &mut dyn Output) -> Result<(), GapKind> {
    let mut children = vec![&SESSIONS, &MESSAGES];
    if tables.has(FILES.table, &["session_id", "path", "version"])? {
        children.push(&FILES);
    }
    let started = started(tables)?;
    let project = tables.path.and_then(project).map(|project| project.to_string_lossy().into_owned());
    of_rows(tables, &children, output, &mut |rows| {
        let started = started.get(&rows.id).map(Vec::as_slice).unwrap_or_default();
        document(rows, started).map(|document| Document { project: project.clone(), ..document })
    })
}

/// The sessions that each session started.
fn started(tables: &Tables<'_>) -> Result<BTreeMap<String, Vec<String>>, GapKind> {
    let table = SESSIONS.open(tables)?;
    let mut started: BTreeMap<String, Vec<String>> = BTreeMap::new();
    if !table.has("parent_session_id") {
        return Ok(started);
    }
    let parents = table.by("parent_session_id")?.rows;
    let parents: BTreeMap<i64, String> =
        parents.into_iter().flat_map(|(parent, rows)| rows.into_iter().map(move |row| (row, parent.clone()))).collect();
    for (id, rows) in table.by("id")?.rows {
        for parent in rows.iter().filter_map(|row| parents.get(row)) {
            started.entry(parent.clone()).or_default().push(id.clone());
        }
    }
    Ok(started)
}

/// The directory whose `.crush` holds the database.
fn project(database: &Path) -> Option<&Path> {
    let folder = database.parent().filter(|folder| folder.file_name().is_some_and(|name| name == ".crush"))?;
    folder.parent()
}

fn document(mut rows: Rows, started: &[String]) -> Option<Document> {
    let is_empty = !rows.has_any([1, 2]);
    let own = rows.own(0);
    if is_empty {
        let stated = own.as_ref().and_then(|own| own.number("message_count")).unwrap_or_default();
        if stated <= 0.0 {
            return None;
        }
        rows.flaws.push(GapKind::missing(
            "the session says that it has messages, but the database holds none: they were deleted",
        ));
    }
    let mut object = Object::new();
    object.text("crush_session", &rows.id);
    if let Some(own) = &own {
        object.columns(own, &["parent_session_id", "created_at", "message_count"], &mut rows.flaws);
    }
    let started: Vec<String> = started.iter().map(|id| quoted(id)).collect();
    object.raw("started", &format!("[{}]", started.join(",")));
    let mut messages = List::default();
    for row in rows.of(1) {
        let mut message = Object::new();
        message.columns(&row, &["id", "role", "model", "created_at", "is_summary_message"], &mut rows.flaws).json(
            "parts",
            &row,
            "parts",
            &mut rows.flaws,
        );
        messages.push(&message.finish());
    }
    let mut files = List::default();
    for row in rows.of(2) {
        let mut file = Object::new();
        files.push(&file.columns(&row, &["path", "version", "created_at"], &mut rows.flaws).finish());
    }
    let text = object.raw("messages", &messages.finish()).raw("files", &files.finish()).finish();
    Some(rows.document(text))
}

//! Zed's database: each row holds a thread, packed or plain.

use crate::database::{Child, Database, Document, Holds, Object, Output, Row, Tables, one_each};
use crate::discover::{Packing, unpacked};
use crate::formats::{Base, Home};
use crate::scan::is_json;
use agent_strace_model::GapKind;

pub(in crate::formats) static DATABASE: Database = Database {
    what: "Zed's",
    agent: "zed",
    marks: &[("threads", &["id", "data_type", "data"])],
    holds: Holds::Sessions { read, copied: None },
    homes: &[
        Home { variables: &[], base: Base::Data, folder: "zed", logs: "threads/threads.db" },
        Home { variables: &[], base: Base::Data, folder: "Zed", logs: "threads/threads.db" },
    ],
};

static THREADS: Child = Child {
    table: "threads",
    key: "id",
    needed: &["data_type", "data"],
    optional: &["parent_id", "folder_paths", "created_at", "updated_at"],
    order: &[],
};

fn read(tables: &Tables<'_>, output: &mut dyn Output) -> Result<(), GapKind> {
    one_each(tables, &THREADS, output, document)
}

fn document(id: &str, row: &Row, flaws: &mut Vec<GapKind>) -> Option<Document> {
    let thread = match thread(row) {
        Ok(thread) => thread,
        Err(kind) => {
            flaws.push(kind);
            return None;
        }
    };
    let mut object = Object::new();
    object
        .text("zed_thread", id)
        .columns(row, &["parent_id", "folder_paths", "created_at", "updated_at"], flaws)
        .raw("thread", &thread);
    Some(Document { id: id.to_owned(), text: object.finish(), ..Document::default() })
}

fn thread(row: &Row) -> Result<String, GapKind> {
    let bytes = row.bytes("data").ok_or_else(|| row.flaw("a thread without data"))?;
    let bytes = match row.text("data_type") {
        Some("zstd") => unpacked(bytes, Packing::Zstd)?,
        Some("json") => bytes.to_vec(),
        _ => return Err(row.flaw("a thread whose data is of a type that is not known")),
    };
    match String::from_utf8(bytes) {
        Ok(text) if is_json(&text) => Ok(text),
        Ok(_) => Err(GapKind::InvalidJson(format!("row {} of `threads`: `data` is not JSON", row.id).into())),
        Err(_) => Err(row.flaw("`data` is not UTF-8")),
    }
}

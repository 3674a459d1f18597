//! Command Code: messages of the Vercel AI SDK, each with the session's id. `<id>.meta.json` beside them names the project.

use super::{Base, Detect, Format, Home, Input};
use crate::assembly::RecordLocation;
use crate::blocks::{self, Around};
use crate::gaps::Gaps;
use crate::json::{filled, parse, record, scalar};
use crate::reader::Item;
use agent_strace_model::attribution::note_each;
use agent_strace_model::{Dialect, Session};

record! {
    struct Message {
        session = "sessionId",
        role = "role",
        content = "content",
        time = "timestamp",
        branch = "gitBranch",
        model = "model",
    }
}

record! {
    struct Meta { project = "projectPath", cwd = "cwd" }
}

/// Sessions of Command Code (`~/.commandcode/projects/*/*.jsonl`).
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("command-code", "command-code"),
    detect: Detect::Record(|head| {
        head.has_all(&["sessionId", "role", "timestamp"])
            && head.is_array("content")
            && !head.has("type")
            && !head.has("message")
    }),
    read,
    homes: &[Home { variables: &[], base: Base::Home, folder: ".commandcode", logs: "projects/*/*.jsonl" }],
};

fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut assembly = input.session(&FORMAT.dialect);
    if let Some(side) = input.log.side("*.meta.json") {
        match parse::<Meta<'a>>(side.text.trim()) {
            Some(meta) => assembly.root(filled(meta.cwd).or_else(|| filled(meta.project))),
            None => gaps.damage_of(side, "it is not an object that can be read"),
        }
    }
    input.records("a message", gaps, |item: &Item<'a, Message<'a>>, gaps| {
        let Item { line, record, .. } = item;
        assembly.id(filled(record.session));
        assembly.model(filled(record.model));
        note_each(&mut assembly.session.attribution.branches, filled(record.branch));
        let location = RecordLocation { line: *line, id: None, time: scalar(record.time) };
        let around = Around { ended: blocks::sdk_status, ..Around::of(record.role) };
        blocks::add(&mut assembly, &location, record.content, &around, gaps);
    });
    vec![assembly.finish()]
}

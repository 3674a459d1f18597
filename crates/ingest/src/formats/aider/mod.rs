//! Aider's chat history, Markdown for people. It says which files were edited and which commands ran, in lines that
//! quoted text may look like; it does not say what was read, or how commands ended.

use std::borrow::Cow;

use super::{Base, Detect, Format, Home, Input};
use crate::assembly::{Assembly, Numbering, RecordLocation};
use crate::gaps::Gaps;
use agent_strace_model::attribution::{note, note_each};
use agent_strace_model::dialect::Carries;
use agent_strace_model::{Access, Arguments, Dialect, EventKind, FileEvent, RawText, Session, Status, ToolCall};

pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("aider-history", "aider")
        .carrying(Carries::SomeCalls("what was read and how commands ended is not recorded")),
    detect: Detect::Text(|text| text.starts_with(START)),
    read,
    homes: &[Home {
        variables: &["AIDER_CHAT_HISTORY_FILE"],
        base: Base::Project,
        folder: ".",
        logs: ".aider.chat.history.md",
    }],
};

const START: &str = "# aider chat started at ";

/// One session for each start of the program.
fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut sessions: Vec<Assembly<'a>> = Vec::new();
    for (line, number) in input.text.lines().zip(1..) {
        let location = RecordLocation { line: number, ..RecordLocation::default() };
        if let Some(time) = line.strip_prefix(START) {
            let mut assembly = Assembly::new(&FORMAT.dialect, &input.log.shown, Numbering::Ordinal);
            let time = time.trim();
            assembly.id(Some(Cow::Owned(format!("aider {time}"))));
            assembly.push(RecordLocation { time: Some(Cow::Borrowed(time)), ..location }, EventKind::Start);
            gaps.count_record();
            sessions.push(assembly);
        } else if let Some(assembly) = sessions.last_mut() {
            told(assembly, location, line, gaps);
        }
    }
    sessions.into_iter().map(Assembly::finish).collect()
}

/// `#### ` what the user said, `> ` what the program says it did.
fn told<'a>(assembly: &mut Assembly<'a>, location: RecordLocation<'a>, line: &'a str, gaps: &mut Gaps) {
    if let Some(words) = line.strip_prefix("#### ") {
        gaps.count_record();
        return assembly.push(location, EventKind::Prompt(RawText::Plain(Cow::Borrowed(words.trim_end()))));
    }
    let Some(said) = line.strip_prefix("> ").map(str::trim_end) else { return };
    gaps.count_record();
    if let Some(path) = said.strip_prefix("Applied edit to ").or_else(|| said.strip_prefix("Created ")) {
        let target = Cow::Borrowed(path.trim());
        assembly.push(location, EventKind::File(FileEvent { access: Access::Write, target }));
    } else if let Some(command) = said.strip_prefix("Running ") {
        let call = ToolCall {
            call_id: None,
            tool: Cow::Borrowed("shell"),
            arguments: Arguments::Text(Cow::Borrowed(command)),
            cwd: None,
            status: Status::Missing,
            subagent: None,
        };
        assembly.call(location, call, None);
    } else {
        let attribution = &mut assembly.session.attribution;
        if let Some(version) = said.strip_prefix("Aider v") {
            note(&mut attribution.version, Some(Cow::Borrowed(version)));
        } else if let Some((_, model)) = said.split_once("odel: ").filter(|(what, _)| what.len() < 12) {
            note_each(&mut attribution.models, model.split_whitespace().next().map(Cow::Borrowed));
        }
        assembly.push(location, EventKind::Other);
    }
}

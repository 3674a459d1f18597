//! The transcripts as plain text: blocks of `user:` and `assistant:`, in which a call is a line with its tool and
//! indented lines with its arguments.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::TEXT;
use crate::assembly::{Assembly, Numbering, RecordLocation};
use crate::formats::Input;
use crate::gaps::Gaps;
use agent_strace_model::{Arguments, EventKind, RawText, Session, Status, ToolCall};

pub(super) fn begins(text: &str) -> bool {
    let first = text.lines().next().map(str::trim_end);
    matches!(first, Some("user:" | "assistant:"))
        && text.lines().nth(1).is_some_and(|line| line.starts_with(['<', '[']) || line.trim().is_empty())
}

const TWICE: &str = "a call names an argument twice: one may be part of another one's text";
const FOLLOWS: &str = "words right after a call: they may be part of its last argument";

/// Whose words follow, or what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Block {
    User,
    Assistant,
    Thinking,
    Result,
}

pub(super) fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let assembly = Assembly::new(&TEXT.dialect, &input.log.shown, Numbering::Ordinal);
    let mut transcript =
        Transcript { assembly, block: Block::User, start: 1, words: String::new(), call: None, doubtful: Vec::new() };
    for (at, line) in input.text.lines().enumerate() {
        transcript.line(u32::try_from(at + 1).unwrap_or(u32::MAX), line);
        gaps.count_record();
    }
    transcript.flush();
    for (line, reason) in transcript.doubtful {
        gaps.malformed(line, reason);
    }
    vec![transcript.assembly.finish()]
}

struct Transcript<'a> {
    assembly: Assembly<'a>,
    block: Block,
    /// The line that the current words or the current call start on.
    start: u32,
    words: String,
    call: Option<(&'a str, Vec<(&'a str, String)>)>,
    /// Where nobody can tell what belongs to a call.
    doubtful: Vec<(u32, &'static str)>,
}

impl<'a> Transcript<'a> {
    fn line(&mut self, number: u32, line: &'a str) {
        let block = match line.trim_end() {
            "user:" => Some(Block::User),
            "assistant:" => Some(Block::Assistant),
            marker if marker.starts_with("[Thinking]") => Some(Block::Thinking),
            marker if marker.starts_with("[Tool result]") => Some(Block::Result),
            _ => None,
        };
        if let Some(block) = block {
            self.flush();
            (self.block, self.start) = (block, number);
            let rest = line.trim_end().strip_prefix("[Thinking]").unwrap_or("");
            self.words.push_str(rest.trim_start());
        } else if let Some(tool) = line.strip_prefix("[Tool call] ") {
            self.flush();
            (self.block, self.start) = (Block::Assistant, number);
            self.call = Some((tool.trim(), Vec::new()));
        } else if self.call.is_some() && !self.argument(line) {
            if !self.ended() {
                self.doubtful.push((number, FOLLOWS));
            }
            self.flush();
            self.start = number;
            self.say(line);
        } else if self.call.is_none() {
            self.say(line);
        }
    }

    /// Whether an empty line closed the current call.
    fn ended(&self) -> bool {
        let last = self.call.as_ref().and_then(|(_, arguments)| arguments.last());
        last.is_none_or(|(_, value)| value.ends_with('\n'))
    }

    fn say(&mut self, line: &str) {
        if self.words.is_empty() && line.trim().is_empty() {
            return;
        }
        self.words.push_str(line);
        self.words.push('\n');
    }

    /// A line of the current call; `false` when the call is over.
    fn argument(&mut self, line: &'a str) -> bool {
        let Some((_, arguments)) = &mut self.call else { return false };
        let indented = line.strip_prefix("  ");
        if let Some((key, value)) = indented.and_then(pair) {
            arguments.push((key, value.to_owned()));
            return true;
        }
        // A value goes on after its line, unless nothing was said before or the words of the agent follow.
        match arguments.last_mut() {
            Some((_, value)) if indented.is_some() || line.is_empty() => {
                value.push('\n');
                value.push_str(indented.unwrap_or(line));
                true
            }
            _ => false,
        }
    }

    fn flush(&mut self) {
        let location = RecordLocation { line: self.start, id: None, time: None };
        if let Some((tool, arguments)) = self.call.take() {
            let mut values = Map::new();
            for (key, value) in arguments {
                if values.insert(key.to_owned(), Value::from(value.trim_end())).is_some() {
                    self.doubtful.push((location.line, TWICE));
                }
            }
            let values = Value::Object(values).to_string();
            let call = ToolCall {
                call_id: None,
                tool: Cow::Borrowed(tool),
                arguments: Arguments::Json(Cow::Owned(values)),
                cwd: None,
                status: Status::Missing,
                subagent: None,
            };
            self.assembly.call(location, call, None);
            return;
        }
        let words = std::mem::take(&mut self.words);
        if words.trim().is_empty() {
            return;
        }
        let words = RawText::Plain(Cow::Owned(words.trim_end().to_owned()));
        let event = match self.block {
            Block::User => EventKind::Prompt(words),
            Block::Assistant => EventKind::Message(words),
            Block::Thinking => EventKind::Reasoning(words),
            Block::Result => EventKind::Other,
        };
        self.assembly.push(location, event);
    }
}

/// `key: value`, as a call's arguments are written.
fn pair(line: &str) -> Option<(&str, &str)> {
    let at = line.find([':', '='])?;
    let (key, value) = (line.get(..at)?, line.get(at + 1..)?);
    let named = key.starts_with(|first: char| first.is_ascii_alphabetic())
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let apart = value.is_empty() || value.starts_with(' ') || line.as_bytes().get(at) == Some(&b'=');
    (named && apart).then(|| (key, value.trim_start()))
}

//! Which tools were used, how often and how long.

use std::collections::BTreeMap;

use jiff::Timestamp;

use agent_strace_model::{EventKind, Session, Status, moment};

/// By the tool's name as recorded.
pub type Tools = BTreeMap<String, ToolUse>;

/// What is counted of one tool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ToolUse {
    pub calls: usize,
    pub failed: usize,
    /// Calls whose start and end have a time.
    pub timed: u64,
    /// What these took together, in milliseconds.
    pub milliseconds: u64,
}

impl ToolUse {
    /// What a call took on average, in milliseconds.
    pub fn mean(&self) -> Option<u64> {
        self.milliseconds.checked_div(self.timed)
    }
}

pub(super) fn tools(session: &Session<'_>) -> Tools {
    let mut tools = Tools::new();
    let mut open: BTreeMap<&str, (&str, Timestamp)> = BTreeMap::new();
    for event in &session.events {
        let time = event.time.as_deref().and_then(moment);
        match &event.kind {
            EventKind::Call(call) => {
                if !tools.contains_key(&*call.tool) {
                    tools.insert(call.tool.clone().into_owned(), ToolUse::default());
                }
                if let Some(tool) = tools.get_mut(&*call.tool) {
                    tool.calls += 1;
                    tool.failed += usize::from(call.status == Status::Error);
                }
                if let (Some(id), Some(time)) = (call.call_id.as_deref(), time) {
                    open.insert(id, (&call.tool, time));
                }
            }
            EventKind::Result(result) => {
                let Some((name, start)) = result.call_id.as_deref().and_then(|id| open.remove(id)) else { continue };
                let took = time.and_then(|time| u64::try_from(time.duration_since(start).as_millis()).ok());
                if let (Some(tool), Some(took)) = (tools.get_mut(name), took) {
                    tool.timed += 1;
                    tool.milliseconds = tool.milliseconds.saturating_add(took);
                }
            }
            _ => {}
        }
    }
    tools
}

//! Which line each event of a session gets, and which call a result belongs to.

use std::collections::{BTreeMap, HashMap};

use agent_strace_model::{EventKind, Label, Session, ToolCall};

/// Of each event, the line it will have, counted from 1; of one that is not written, the line before it.
#[derive(Debug)]
pub(super) struct Plan<'a> {
    lines: Vec<u32>,
    /// Calls by their id, in order.
    calls: HashMap<&'a str, Vec<usize>>,
    labels: BTreeMap<usize, Vec<&'a Label<'a>>>,
}

impl<'a> Plan<'a> {
    pub(super) fn of(session: &'a Session<'a>) -> Self {
        let mut labels: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (position, label) in &session.labels {
            labels.entry(*position).or_default().push(label);
        }
        let mut plan = Self { lines: Vec::with_capacity(session.events.len()), calls: HashMap::new(), labels };
        let mut spent = session.spent.iter().peekable();
        // The start of the session.
        let mut line = 1_u32;
        for (position, event) in session.events.iter().enumerate() {
            while spent.next_if(|cost| cost.after <= position).is_some() {
                line = line.saturating_add(1);
            }
            line = line.saturating_add(u32::from(plan.is_written(position, &event.kind)));
            plan.lines.push(line);
            if let Some(ToolCall { call_id: Some(id), .. }) = event.call() {
                plan.calls.entry(id).or_default().push(position);
            }
        }
        plan
    }

    /// Whether an event says anything.
    pub(super) fn is_written(&self, position: usize, kind: &EventKind<'_>) -> bool {
        !matches!(kind, EventKind::Other) || self.labels.contains_key(&position)
    }

    /// The call that a result at `position` belongs to: the last one before it, else the first after it.
    pub(super) fn call_of(&self, id: Option<&str>, position: usize) -> Option<usize> {
        let calls = self.calls.get(id?)?;
        let before = calls.partition_point(|call| *call < position);
        calls.get(before.saturating_sub(1)).or_else(|| calls.first()).copied()
    }

    pub(super) fn line(&self, position: usize) -> u32 {
        self.lines.get(position).copied().unwrap_or_default()
    }

    pub(super) fn labels(&self, position: usize) -> &[&'a Label<'a>] {
        self.labels.get(&position).map_or(&[], Vec::as_slice)
    }
}

//! Which decision is about which call.

use std::collections::{BTreeMap, VecDeque};

use agent_strace_store::live::Decided;

use super::super::record::OWN;
use super::logged::{Asked, Inputs, LoggedCall, LoggedSession};

/// Decisions by tool, and by arguments or command.
type ByTool<'a> = BTreeMap<String, BTreeMap<&'a str, VecDeque<usize>>>;

/// Decisions under one id that are looked through.
const LOOKED_THROUGH: usize = 64;

/// The decisions about a family of sessions, and which of them have found their call.
pub(super) struct Pairs<'a> {
    /// The last decision about each call, in the order of the calls.
    asked: Vec<&'a Asked>,
    is_used: Vec<bool>,
    /// The calls that decisions were found by ids for, in the logs before.
    found: BTreeMap<usize, (String, Inputs)>,
    /// By the agent's id. The same id may be given to several calls.
    by_id: BTreeMap<&'a str, VecDeque<usize>>,
    /// Decisions about calls without an id of the agent.
    by_inputs: ByTool<'a>,
    by_command: ByTool<'a>,
    /// Decisions about calls out of which a secret was taken.
    redacted: BTreeMap<String, Vec<usize>>,
}

impl<'a> Pairs<'a> {
    pub(super) fn new(asked: &'a [Asked]) -> Self {
        let mut last: BTreeMap<(&str, u32, &str), usize> = BTreeMap::new();
        for (at, Asked { decided, .. }) in asked.iter().enumerate() {
            last.insert((&decided.event_id, decided.event, &decided.tool_use_id), at);
        }
        let mut last: Vec<usize> = last.into_values().collect();
        last.sort_unstable();
        let asked: Vec<&Asked> = last.into_iter().filter_map(|at| asked.get(at)).collect();
        let mut pairs = Self {
            is_used: vec![false; asked.len()],
            found: BTreeMap::new(),
            asked,
            by_id: BTreeMap::new(),
            by_inputs: BTreeMap::new(),
            by_command: BTreeMap::new(),
            redacted: BTreeMap::new(),
        };
        for (at, Asked { decided, inputs }) in pairs.asked.iter().copied().enumerate() {
            let tool = plain(&decided.tool_name);
            match inputs {
                _ if !decided.tool_use_id.starts_with(OWN) => {
                    pairs.by_id.entry(&decided.tool_use_id).or_default().push_back(at);
                }
                // The recording of the call is lost: no call is known to be the one that was decided about.
                None => {}
                Some(inputs @ Inputs { all, command }) => {
                    if inputs.has_mark() {
                        pairs.redacted.entry(tool.clone()).or_default().push(at);
                    }
                    if let Some(command) = command {
                        pairs.by_command.entry(tool.clone()).or_default().entry(command).or_default().push_back(at);
                    }
                    pairs.by_inputs.entry(tool).or_default().entry(all).or_default().push_back(at);
                }
            }
        }
        pairs
    }

    /// The decision about each call of a session, but for those out of which a secret was taken. A parent's log may repeat
    /// the calls of its sub-agents with their ids, so an id is looked up anew in each log; another call under an id that a
    /// log before has was not decided about.
    pub(super) fn of(&mut self, session: &LoggedSession) -> Vec<Option<usize>> {
        let mut by_id = self.by_id.clone();
        let mut found: Vec<Option<usize>> = vec![None; session.calls.len()];
        // Several calls of one log may have one id: a decision is about the call that the hook was asked about.
        for is_its in [Self::is_about as fn(&Self, usize, &LoggedCall) -> bool, Self::may_be_about] {
            for (call, found) in session.calls.iter().zip(&mut found).filter(|(_, found)| found.is_none()) {
                let Some(queue) = call.call_id.as_deref().and_then(|id| by_id.get_mut(id)) else { continue };
                let place = queue.iter().take(LOOKED_THROUGH).position(|at| is_its(self, *at, call));
                *found = place.and_then(|place| queue.remove(place)).filter(|at| self.is_the_same(*at, call));
            }
        }
        for (call, found) in session.calls.iter().zip(&mut found) {
            *found = found.or_else(|| self.without_id(call)).inspect(|at| self.uses(*at));
        }
        found
    }

    /// The decision about a call out of which a secret was taken, once every call is joined that can be joined without.
    /// Agents may write the mark of such a secret themselves: that call is found by what it is, and this one by what is left
    /// of it.
    pub(super) fn of_redacted(&mut self, call: &LoggedCall) -> Option<usize> {
        self.redacted(call).inspect(|at| self.uses(*at))
    }

    pub(super) fn decision(&self, at: usize) -> Option<&'a Decided> {
        self.asked.get(at).map(|asked| &asked.decided)
    }

    fn uses(&mut self, at: usize) {
        if let Some(is_used) = self.is_used.get_mut(at) {
            *is_used = true;
        }
    }

    /// Returns whether the hook recorded the arguments of this call with the decision.
    fn is_about(&self, at: usize, call: &LoggedCall) -> bool {
        let recorded = self.asked.get(at).and_then(|asked| asked.inputs.as_ref());
        recorded.is_some_and(|recorded| {
            *recorded == call.inputs
                || recorded.command.is_some() && recorded.command == call.inputs.command
                || recorded.has_mark() && recorded.is_redacted_form_of(&call.inputs)
        })
    }

    /// Agents may spell the arguments of a call in another way in their logs: then the id says which call it is.
    fn may_be_about(&self, at: usize, _: &LoggedCall) -> bool {
        at < self.asked.len()
    }

    fn is_the_same(&mut self, at: usize, call: &LoggedCall) -> bool {
        let this = || (call.tool.clone(), call.inputs.clone());
        let (tool, inputs) = self.found.entry(at).or_insert_with(this);
        *tool == call.tool && *inputs == call.inputs
    }

    fn without_id(&mut self, call: &LoggedCall) -> Option<usize> {
        let tool = plain(&call.tool);
        let (all, command) = (call.inputs.all.as_str(), call.inputs.command.as_deref());
        let Self { is_used, by_inputs, by_command, .. } = self;
        let same = next(by_inputs.get_mut(&tool).and_then(|queues| queues.get_mut(all)), is_used);
        same.or_else(|| next(by_command.get_mut(&tool)?.get_mut(command?), is_used))
    }

    fn redacted(&self, call: &LoggedCall) -> Option<usize> {
        let is_its = |at: &usize| {
            let inputs = self.asked.get(*at).and_then(|asked| asked.inputs.as_ref());
            self.is_free(*at) && inputs.is_some_and(|inputs| inputs.is_redacted_form_of(&call.inputs))
        };
        self.redacted.get(&plain(&call.tool))?.iter().copied().find(is_its)
    }

    fn is_free(&self, at: usize) -> bool {
        self.is_used.get(at).is_some_and(|is_used| !is_used)
    }

    /// How many decisions have found no call. Hosts leave out of their logs what was denied: it did not run.
    pub(super) fn unused(&self) -> usize {
        let is_denied = |asked: &Asked| asked.decided.enforced && asked.decided.decision == "deny";
        self.asked.iter().zip(&self.is_used).filter(|(asked, is_used)| !**is_used && !is_denied(asked)).count()
    }
}

/// The oldest that has not found its call.
fn next(queue: Option<&mut VecDeque<usize>>, is_used: &[bool]) -> Option<usize> {
    let queue = queue?;
    std::iter::from_fn(|| queue.pop_front()).find(|at| is_used.get(*at) == Some(&false))
}

/// The name of a tool in a form that all steps and logs of an agent share: agents spell tools of MCP servers
/// `mcp__server__tool`, `mcp_server_tool` and `server-tool`.
fn plain(tool: &str) -> String {
    let own = tool.strip_prefix("mcp__").or_else(|| tool.strip_prefix("mcp_")).unwrap_or(tool);
    own.replace("__", "_").replace('-', "_")
}

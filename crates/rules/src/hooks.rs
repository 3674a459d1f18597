//! What hook policies forbid, beside their limits: those are budgets.

use super::{Check, Hit, Log, Rule, Site};
use agent_strace_model::Status;
use agent_strace_model::finding::{Level, RuleId, VerdictImpact};
use agent_strace_policy::hooks::Form;

pub(super) static DENIED_TOOL: Rule = Rule {
    id: RuleId::HooksDeniedTool,
    level: Level::Error,
    summary: "a tool was called that a hook policy denies",
    spec: include_str!("../specs/hooks-denied-tool.md"),
    check: Check::Acts(denied_tool),
};

fn denied_tool(log: &Log<'_>, hits: &mut Vec<Hit>) {
    let hooks = log.policy.hooks();
    if hooks.denied.is_empty() {
        return;
    }
    for (event, call) in log.session.recorded_calls() {
        let Some(denied) = hooks.denies(&call.tool) else { continue };
        let file = denied.location.file.as_deref().unwrap_or("the hook policy");
        let entry = match denied.form {
            Form::Name => format!("`{}`", denied.text),
            Form::Prefix => format!("every tool whose name starts with `{}`", denied.text),
        };
        // Where the runtime refused it, the policy did its work: that it was tried is worth knowing.
        let (level, attempt) = match call.status {
            Status::Denied => (Level::Note, "attempt: "),
            _ => (Level::Error, ""),
        };
        hits.push(Hit {
            site: Site::Event(event.number),
            until: None,
            level,
            message: format!("{attempt}calls the tool `{}`: {file} denies {entry}", call.tool),
            rule: DENIED_TOOL.id,
            location: Some(denied.location.clone()),
            policy_rule: None,
            impact: VerdictImpact::ByLevel,
            about: vec![("tool", call.tool.to_ascii_lowercase())],
            since: Vec::new(),
        });
    }
}

//! Sessions of the store by their ids.

use super::super::failure::Failure;
use super::super::measured::{Measured, measure};
use super::super::pipeline::{Inputs, select_failure};
use super::ServerContext;
use super::reply::{SHORT, ToolError, shown};
use agent_strace_ingest::discover::{self, Selection};
use agent_strace_metrics::{Pricing, Profile};
use agent_strace_model::Gap;
use agent_strace_policy::prices::shipped;

/// The log of one session of the store. Clients name sessions, never files.
pub(super) fn inputs(context: &ServerContext, id: &str) -> Result<Inputs, ToolError> {
    let unknown = || {
        ToolError::new(format!(
            "no session `{}` is in the trace store: list_sessions shows those that are",
            shown(id, SHORT)
        ))
    };
    let is_name = !id.is_empty() && id != "-" && !id.contains(['/', '\\', ':', '\0']);
    if !is_name {
        return Err(unknown());
    }
    let folder = discover::session_folder(&context.trace_dir, id).map_err(|error| select_failure(&error))?;
    let name = folder.as_deref().and_then(|folder| folder.file_name()).and_then(|name| name.to_str());
    let name = name.ok_or_else(unknown)?.to_owned();
    let inputs = context.with(|environment| {
        Inputs::select(&context.trace_dir, &[name], Selection::All, environment, &mut std::io::empty())
    });
    Ok(inputs?)
}

/// The totals of a session.
pub(super) fn profile(context: &ServerContext, id: &str) -> Result<(Profile, Vec<Gap>), ToolError> {
    let inputs = inputs(context, id)?;
    let measured = context.with(|environment| measure(inputs, Pricing::Table(shipped()), environment));
    let Measured { mut profiles, gaps, .. } = measured?;
    match (profiles.pop(), profiles.is_empty()) {
        (Some(profile), true) => Ok((profile, gaps)),
        _ => Err(unreadable(&gaps)),
    }
}

/// A session that is there and can't be read.
pub(super) fn unreadable(gaps: &[Gap]) -> ToolError {
    let why = super::reply::gaps(gaps).join("; ");
    Failure::new(format!("the session can't be read: {why}")).into()
}

//! What was found, by what is approved and by what sessions used.

use std::collections::{BTreeMap, BTreeSet};

use super::approval::Approvals;
use super::endpoints::{Endpoint, provider_name};
use super::hit::{Location, Origin, RepositoryHit};
use super::mcp::Server;
use super::repository::{Declared, Located, RepositoryAudit, Settings};
use super::tables::Confidence;
use super::traces::{Detected, Evidence};
use agent_strace_model::finding::Level;
use agent_strace_rules::repository as rules;

/// Adds what the rules about approvals, endpoints and the use of servers say, and orders everything.
pub(super) fn judge(audit: &mut RepositoryAudit, settings: &Settings<'_>) {
    let approvals = settings.approvals;
    let mut hits = std::mem::take(&mut audit.hits);
    for declared in &mut audit.servers {
        declared.approved = approvals.covers_server(&declared.server.name, &declared.server.file);
        declared.used = settings.used.map(|used| used.keys().any(|name| is_called(&declared.server, name)));
    }
    for located in &mut audit.endpoints {
        let file = located.location.file.as_deref().unwrap_or_default();
        located.approved = approvals.covers_host(located.endpoint.provider, located.endpoint.host.as_deref(), file);
    }
    if approvals.judges_tools() {
        hits.extend(audit.tools.iter().filter_map(unapproved_tool));
    }
    if approvals.judges_servers() {
        hits.extend(audit.servers.iter().filter_map(unapproved_server));
    }
    hits.extend(audit.endpoints.iter().filter_map(|located| unapproved_endpoint(located, approvals)));
    if let Some(used) = settings.used {
        hits.extend(uses(&audit.servers, used));
    }
    hits.extend(expired(approvals, settings.approved_in));
    audit.hits = ordered(hits);
    audit.endpoints.sort_by(|left, right| {
        let rank = |located: &Located| rank(&located.location.origin);
        (rank(left), &left.location, &left.endpoint).cmp(&(rank(right), &right.location, &right.endpoint))
    });
    let mut known = BTreeSet::new();
    audit.endpoints.retain(|Located { endpoint, location, .. }| {
        known.insert((endpoint.provider, endpoint.host.clone(), endpoint.variable.clone(), location.file.clone()))
    });
    audit.servers.sort_by(|left, right| {
        let key =
            |declared: &Declared| (declared.server.file.clone(), declared.server.line, declared.server.name.clone());
        (key(left), &left.origin).cmp(&(key(right), &right.origin))
    });
    audit.gaps.sort();
    audit.gaps.dedup();
}

/// One remark for each thing: where it is now counts before where it was.
fn ordered(mut hits: Vec<RepositoryHit>) -> Vec<RepositoryHit> {
    hits.sort_by(|left, right| {
        let origin = |hit: &RepositoryHit| rank(&hit.location.origin);
        (origin(left), &left.location, left.rule.id, &left.message).cmp(&(
            origin(right),
            &right.location,
            right.rule.id,
            &right.message,
        ))
    });
    let mut known = BTreeSet::new();
    hits.retain(|hit| known.insert(hit.fingerprint()));
    hits
}

fn rank(origin: &Origin) -> u8 {
    match origin {
        Origin::Head => 0,
        Origin::Worktree => 1,
        Origin::Reference(_) => 2,
        Origin::Commit(_) => 3,
        Origin::Sessions => 4,
    }
}

fn unapproved_tool(detected: &Detected) -> Option<RepositoryHit> {
    let unapproved: Vec<&Evidence> = detected.evidence.iter().filter(|evidence| !evidence.approved).collect();
    let best = unapproved.first()?;
    let name = &detected.tool.name;
    let elsewhere = if detected.evidence.iter().any(|evidence| evidence.approved) { " here" } else { "" };
    let more = match unapproved.len() - 1 {
        0 => String::new(),
        1 => " and one more trace".to_owned(),
        more => format!(" and {more} more traces"),
    };
    let message = format!(
        "{name} is not approved{elsewhere}, and is in use ({}): {} `{}`{more}",
        best.confidence.name(),
        best.signal,
        best.text
    );
    // A hint alone fails nobody.
    let level = if best.confidence == Confidence::Weak { Level::Note } else { rules::UNAPPROVED_TOOL.level };
    let hit = RepositoryHit::of(&rules::UNAPPROVED_TOOL, best.location.clone(), message);
    Some(hit.about("tool", detected.tool.id.clone()).at(level))
}

fn unapproved_server(Declared { server, origin, approved, .. }: &Declared) -> Option<RepositoryHit> {
    if server.disabled || *approved {
        return None;
    }
    let message = format!("the MCP server `{}` is not approved, and is declared", server.name);
    let location = Location { origin: origin.clone(), ..Location::head(&server.file, server.line) };
    Some(
        RepositoryHit::of(&rules::UNAPPROVED_SERVER, location, message)
            .about("server", server.name.clone())
            .about("file", server.file.clone()),
    )
}

/// A host that no approval names, where hosts are approved; a host of nobody we know in any case.
fn unapproved_endpoint(located: &Located, approvals: &Approvals) -> Option<RepositoryHit> {
    let Located { endpoint, location, approved } = located;
    let file = location.file.as_deref().unwrap_or_default();
    let host = endpoint.host.as_deref();
    let subject = host.or(endpoint.variable.as_deref())?;
    if *approved {
        return None;
    }
    let about = |hit: RepositoryHit| hit.about("endpoint", subject).about("file", file);
    match endpoint.provider {
        Some(provider) if approvals.judges_hosts() => {
            let name = provider_name(provider);
            let message = format!("{name} is not approved, and its {} `{subject}` stands in a file", what(endpoint));
            Some(about(RepositoryHit::of(&rules::UNAPPROVED_ENDPOINT, location.clone(), message)))
        }
        Some(_) => None,
        None => {
            let message =
                format!("`{subject}` looks like an endpoint of a language model, and is of no provider we know");
            let level = if approvals.judges_hosts() { Level::Error } else { rules::UNKNOWN_ENDPOINT.level };
            Some(about(RepositoryHit::of(&rules::UNKNOWN_ENDPOINT, location.clone(), message)).at(level))
        }
    }
}

fn what(endpoint: &Endpoint) -> &'static str {
    if endpoint.host.is_some() { "host" } else { "variable" }
}

/// Servers that sessions used and nobody declares, and the other way round.
fn uses(servers: &[Declared], used: &BTreeMap<String, BTreeSet<String>>) -> Vec<RepositoryHit> {
    let is_declared = |name: &str| servers.iter().any(|declared| is_called(&declared.server, name));
    let undeclared = used.iter().filter(|(name, _)| !is_declared(name)).map(|(name, tools)| {
        let tools: Vec<&str> = tools.iter().take(5).map(String::as_str).collect();
        let message = format!(
            "sessions used the MCP server `{name}` ({}), and no file of the repository declares it",
            tools.join(", ")
        );
        let location = Location { file: None, line: None, origin: Origin::Sessions };
        RepositoryHit::of(&rules::SERVER_UNDECLARED, location, message).about("server", name.clone())
    });
    let unused = servers.iter().filter(|declared| !declared.server.disabled && declared.used == Some(false));
    let unused = unused.map(|Declared { server, .. }| {
        let message = format!("the MCP server `{}` is declared, and no session at hand used it", server.name);
        let hit = RepositoryHit::of(&rules::SERVER_UNUSED, Location::head(&server.file, server.line), message);
        hit.about("server", server.name.clone())
    });
    undeclared.chain(unused).collect()
}

fn is_called(server: &Server, name: &str) -> bool {
    plain(&server.name) == plain(name)
}

/// Agents write names of servers in their own ways: `my-server` is `my_server` in names of tools.
fn plain(name: &str) -> String {
    name.chars()
        .map(|character| if character.is_alphanumeric() { character.to_ascii_lowercase() } else { '_' })
        .collect()
}

fn expired<'a>(approvals: &'a Approvals, file: Option<&'a str>) -> impl Iterator<Item = RepositoryHit> {
    approvals.expired.iter().map(move |expired| {
        let message =
            format!("the approval of `{}` ended on {}: renew it, or take it out", expired.name, expired.until);
        let location = Location { file: file.map(str::to_owned), line: Some(expired.line), origin: Origin::Head };
        RepositoryHit::of(&rules::APPROVAL_EXPIRED, location, message).about("of", expired.name.clone())
    })
}

//! Hosts of language models that files name, and variables that hold their keys.
//!
//! Known providers are data (`providers.json`). An endpoint of nobody we know is told by its shape: the path of a protocol
//! that many servers speak, a variable that says where the model is, a host that calls itself after one.

mod providers;
mod shape;

use std::collections::BTreeSet;

use super::document::line_at;
use super::{contents, mcp, settings};

use providers::providers;

/// What a host is named in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Env,
    Ci,
    /// Settings of agents and editors.
    Settings,
    Source,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Env => "env",
            Self::Ci => "ci",
            Self::Settings => "settings",
            Self::Source => "source",
        }
    }

    /// `None`: what such a file names is talked about, not talked to.
    pub(super) fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        if is_env(&name) {
            return Some(Self::Env);
        }
        if contents::is_ci(path) {
            return Some(Self::Ci);
        }
        if settings::is_settings(path) || mcp::is_config(path) {
            return Some(Self::Settings);
        }
        let is_prose =
            PROSE.contains(&extension) || matches!(name.as_str(), "license" | "changelog" | "authors" | "readme");
        (!is_prose && super::private::is_searched(path)).then_some(Self::Source)
    }
}

/// What such files name is talked about, not talked to.
const PROSE: &[&str] = &[
    "md", "mdx", "mdc", "markdown", "rst", "txt", "adoc", "html", "htm", "ipynb", "svg", "css", "map", "lock", "po",
    "pdf",
];

/// `.env`, `.env.production`, `prod.env`, `.envrc`; in lower case.
fn is_env(name: &str) -> bool {
    let mut parts = name.split('.').skip(1);
    name == ".envrc" || parts.any(|part| part == "env")
}

/// One endpoint in one file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Endpoint {
    /// The id of a known provider.
    pub provider: Option<&'static str>,
    /// Lower case.
    pub host: Option<String>,
    /// A variable that holds a key or an address.
    pub variable: Option<String>,
    pub kind: Kind,
    /// 1-based.
    pub line: u32,
}

/// What people call a provider.
pub(crate) fn provider_name(id: &'static str) -> &'static str {
    providers().ok().and_then(|known| known.name(id)).unwrap_or(id)
}

/// Endpoints of a file, each once, at its first line.
pub(super) fn endpoints(kind: Kind, text: &str) -> Result<Vec<Endpoint>, String> {
    let known = providers()?;
    let mut found = BTreeSet::new();
    for (provider, host, at) in known.hosts(text) {
        // The rest of the name is put together elsewhere.
        let host = if host.starts_with(['.', '-']) { format!("*{host}") } else { host };
        found.insert((Some(provider), Some(host), None, line_at(text, at)));
    }
    if matches!(kind, Kind::Env | Kind::Ci | Kind::Settings) {
        for (provider, variable, at) in known.variables(text) {
            found.insert((Some(provider), None, Some(variable), line_at(text, at)));
        }
    }
    for (host, at) in shape::unknown(known, kind, text) {
        found.insert((None, Some(host), None, line_at(text, at)));
    }
    let mut seen = BTreeSet::new();
    let mut endpoints: Vec<Endpoint> = found
        .into_iter()
        .map(|(provider, host, variable, line)| Endpoint { provider, host, variable, kind, line })
        .collect();
    endpoints.sort_by(|left, right| (left.line, left).cmp(&(right.line, right)));
    endpoints.retain(|endpoint| seen.insert((endpoint.provider, endpoint.host.clone(), endpoint.variable.clone())));
    Ok(endpoints)
}

#[cfg(test)]
mod tests;

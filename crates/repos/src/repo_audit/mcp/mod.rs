//! MCP servers, by the settings of every tool that has some: which there are, what starts them, and what of that is
//! dangerous. No server is started, and no address is looked up.

mod entry;
mod formats;
mod hits;
mod label;
mod offered;
mod pins;
mod special;
#[cfg(test)]
mod tests;
mod tools;

use std::collections::BTreeMap;

use crate::repo_audit::document::{self, Document, Fault, Language, member, members};
use crate::repo_audit::front_matter;
use crate::repo_audit::launch::Launch;
use crate::repo_audit::lookup::{self, Spot};
use agent_strace_policy::json::{Data, Value};

use formats::{Dialect, Format, Kind};

pub(crate) use hits::hits;
pub use label::label;
pub use offered::offered;
pub use pins::Pin;
pub(crate) use tools::ToolDescription;

/// A server that a tool would start or speak to. All texts are the repository's: hostile, and maybe secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    pub name: String,
    /// The id of the tool whose settings name it; `mcp` where any tool may read the file.
    pub tool: &'static str,
    pub file: String,
    /// 1-based.
    pub line: u32,
    pub transport: Transport,
    /// Names of variables that it is given, never values.
    pub environment: Vec<String>,
    /// Names of headers that it is sent.
    pub headers: Vec<String>,
    pub pinned: Pin,
    pub disabled: bool,
    /// Tools that run without a question; `*` are all.
    pub approved: Vec<String>,
    pub tools: Vec<ToolDescription>,
    /// What it says of itself.
    pub texts: Vec<String>,
    /// What runs in the end, behind wrappers.
    launch: Launch,
}

/// How one speaks to a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transport {
    Stdio {
        command: String,
        args: Vec<String>,
    },
    Http {
        url: String,
    },
    Sse {
        url: String,
    },
    /// The entry says nothing that is understood.
    Unknown,
}

impl Default for Server {
    fn default() -> Self {
        Self {
            name: String::new(),
            tool: "mcp",
            file: String::new(),
            line: 1,
            transport: Transport::Unknown,
            environment: Vec::new(),
            headers: Vec::new(),
            pinned: Pin::NotAPackage,
            disabled: false,
            approved: Vec::new(),
            tools: Vec::new(),
            texts: Vec::new(),
            launch: Launch::default(),
        }
    }
}

impl Server {
    fn without_start(self) -> Self {
        Self { transport: Transport::Unknown, launch: Launch::default(), pinned: Pin::NotAPackage, ..self }
    }
}

/// The servers of a file that another one names, whatever it is called.
pub(crate) fn servers_named(path: &str, text: &str) -> Result<Vec<Server>, Fault> {
    let servers = servers(".mcp.json", text)?;
    Ok(servers.into_iter().map(|server| Server { file: path.to_owned(), ..server }).collect())
}

/// Whether a file may have servers in it, by its path.
pub(crate) fn is_config(path: &str) -> bool {
    formats::is_known(path)
}

/// All servers that a file names, in its order.
pub(crate) fn servers(path: &str, text: &str) -> Result<Vec<Server>, Fault> {
    if let Some(kind) = formats::described(path) {
        return described(kind, path, text);
    }
    let formats: Vec<&Format> = formats::of(path).into_iter().filter(|format| format.fits(text)).collect();
    if formats.is_empty() {
        return Ok(Vec::new());
    }
    let front;
    let (language, text) = match Language::of(path) {
        Some(language) => (language, text),
        None => match front_matter::of(text) {
            Some(found) => {
                front = found;
                (Language::Yaml, front.as_str())
            }
            None => return Ok(Vec::new()),
        },
    };
    let document = Document::read(language, text)?;
    let mut found = Found::new();
    for format in &formats {
        for spot in lookup::at(&document.root, format.keys) {
            listed(&document, format, &spot, &mut found)?;
        }
    }
    if found.is_empty() && formats.iter().any(|format| format.kind == Kind::Own) {
        bare(&document, &formats, &mut found)?;
    }
    // A name that others have, too, and entries that start nothing and speak to nobody: these are no servers.
    let is_sure = formats.iter().any(|format| format.is_sure());
    let servers = found.into_values().filter(|server| is_sure || server.transport != Transport::Unknown);
    Ok(servers.map(|server| Server { file: path.to_owned(), ..server }).collect())
}

/// Files that a file names instead of servers, from the top of the repository: a plugin of Claude Code may.
pub(crate) fn referenced(path: &str, text: &str) -> Vec<String> {
    let Some(format) = formats::of(path).into_iter().find(|format| format.glob.ends_with("plugin.json")) else {
        return Vec::new();
    };
    let Ok(document) = Document::read(Language::Json, text) else { return Vec::new() };
    let spots = lookup::at(&document.root, format.keys);
    let own = spots.iter().filter_map(|spot| document::text(spot.value));
    let listed = spots.iter().flat_map(|spot| document::items(spot.value));
    let named = own.chain(listed.filter_map(document::text));
    // The folder of the plugin is the one above `.claude-plugin`.
    let top = path.rsplit_once(".claude-plugin/").map_or("", |(top, _)| top);
    let plain = |file: &str| file.trim_start_matches("${CLAUDE_PLUGIN_ROOT}/").trim_start_matches("./").to_owned();
    named.map(plain).filter(|file| !file.contains("..")).map(|file| format!("{top}{file}")).collect()
}

impl Format {
    fn fits(&self, text: &str) -> bool {
        match self.kind {
            Kind::If(wanted) => text.contains(wanted),
            Kind::Own | Kind::Settings => true,
        }
    }

    fn is_sure(&self) -> bool {
        !matches!(self.kind, Kind::If(_))
    }
}

/// By their indices: two rows may find the same entry.
type Found = BTreeMap<usize, Server>;

/// The servers of one map or list.
fn listed(document: &Document<'_>, format: &Format, spot: &Spot<'_>, found: &mut Found) -> Result<(), Fault> {
    let each = match &spot.value.data {
        Data::Object(_) | Data::List(_) => lookup::each(spot.value),
        // A path, or nothing.
        Data::Text(_) | Data::Null => return Ok(()),
        _ if !format.is_sure() => return Ok(()),
        other => {
            let key = format.keys.join(".");
            let reason = format!("`{key}` is {}, not a map of MCP servers: write one", other.name());
            return Err(Fault::at(document.text, spot.value.span.start, reason));
        }
    };
    let list = matches!(spot.value.data, Data::List(_));
    for (position, server) in each.iter().enumerate() {
        let name = server.name();
        let own = ["name", "id"].iter().find_map(|key| member_text(server.value, key));
        // A list has names inside of its entries, or entries of one member: the name.
        if list && own.is_none() && members(server.value).len() == 1 && is_map(server.value) {
            for spot in lookup::each(server.value) {
                push(document, format, &spot, spot.name(), found);
            }
        } else if list && document::text(server.value).is_some_and(|text| !text.contains("://")) {
            // The name of a server that is described elsewhere.
        } else {
            let numbered = format!("{}", position + 1);
            let name = if name.is_empty() { own.unwrap_or(&numbered) } else { name };
            push(document, format, server, name, found);
        }
    }
    Ok(())
}

fn member_text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    member(value, key).and_then(document::text)
}

fn is_map(value: &Value) -> bool {
    members(value).iter().all(|(_, value)| matches!(value.data, Data::Object(_)))
}

fn push(document: &Document<'_>, format: &Format, spot: &Spot<'_>, name: &str, found: &mut Found) {
    // A tool of a workflow has its server one level deeper in older files.
    let deeper = member(spot.value, "mcp").filter(|_| format.dialect == Dialect::Workflow);
    let value = deeper.unwrap_or(spot.value);
    if !entry::is_server(value, format.dialect) {
        return;
    }
    let span = spot.span();
    found.entry(span.start).or_insert_with(|| {
        let server = entry::server(name, value, format.dialect);
        Server { tool: format.tool, line: document.line(&span), ..server }
    });
}

/// A file of servers without the key that they stand under: as a plugin may have it, or not understood.
fn bare(document: &Document<'_>, formats: &[&Format], found: &mut Found) -> Result<(), Fault> {
    let Some(format) = formats.first() else { return Ok(()) };
    let root = &document.root;
    let keys: Vec<&str> = members(root).iter().map(|(key, _)| key.name.as_str()).collect();
    let known = |key: &&&str| key.starts_with('$') || matches!(**key, "inputs" | "mcpServers" | "servers" | "version");
    let others = keys.iter().filter(|key| !known(key)).count();
    if matches!(root.data, Data::Null) || !keys.is_empty() && others == 0 || is_empty(root) {
        return Ok(());
    }
    let start =
        |value: &Value| ["command", "url", "httpUrl", "serverUrl"].iter().any(|key| member(value, key).is_some());
    if !keys.is_empty() && members(root).iter().all(|(_, value)| start(value)) {
        for spot in lookup::each(root) {
            push(document, format, &spot, spot.name(), found);
        }
        return Ok(());
    }
    let reason = format!("no MCP servers are under `{}`: write a map of servers there", format.keys.join("."));
    Err(Fault::at(document.text, root.span.start, reason))
}

fn is_empty(value: &Value) -> bool {
    matches!(&value.data, Data::Object(members) if members.is_empty())
}

fn described(kind: &str, path: &str, text: &str) -> Result<Vec<Server>, Fault> {
    let (language, tool) =
        if kind == formats::SMITHERY { (Language::Yaml, "smithery") } else { (Language::Json, "mcp") };
    if language == Language::Json && !special::is_registry(text) {
        return Ok(Vec::new());
    }
    let document = Document::read(language, text)?;
    let found = match language {
        Language::Yaml => special::smithery(&document).into_iter().collect(),
        _ => special::registry(&document),
    };
    let whole = |(server, span)| Server { tool, file: path.to_owned(), line: document.line(&span), ..server };
    Ok(found.into_iter().map(whole).collect())
}

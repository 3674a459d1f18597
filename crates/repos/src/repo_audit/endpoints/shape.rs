//! Endpoints of nobody we know, told by their shape.

use std::net::IpAddr;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use url::{Host, Url};

use super::Kind;
use super::providers::Providers;

/// Paths of protocols that servers of models speak.
const PATHS: &[&str] = &[
    "/chat/completions",
    "/v1/completions",
    "/v1/messages",
    "/v1/responses",
    "/v1/embeddings",
    ":generatecontent",
    ":streamgeneratecontent",
    "/api/generate",
    "/api/chat",
    "/openai/deployments/",
];
/// What such servers are called.
const LABELS: &[&str] = &[
    "llm",
    "llms",
    "litellm",
    "ollama",
    "vllm",
    "openai",
    "anthropic",
    "claude",
    "gpt",
    "chatgpt",
    "llm-gateway",
    "llm-proxy",
    "llmproxy",
    "ai-gateway",
    "ai-proxy",
    "openai-proxy",
    "openrouter",
    "lmstudio",
    "text-generation-inference",
    "litellm-proxy",
];
/// How variables end that say where a model is.
const ADDRESSES: &[&str] = &["_BASE_URL", "_API_BASE", "_BASE", "_ENDPOINT", "_HOST", "_API_URL", "_URL", "_PROXY"];

static SCHEMES: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| AhoCorasick::new(["https://", "http://"]).ok());

/// Hosts that look like those of models, with the byte at which their URL starts.
pub(super) fn unknown(known: &Providers, kind: Kind, text: &str) -> Vec<(String, usize)> {
    let Some(schemes) = SCHEMES.as_ref() else { return Vec::new() };
    let mut found = Vec::new();
    for hit in schemes.find_iter(text) {
        let written = url_at(text, hit.start());
        let Ok(url) = Url::parse(written) else { continue };
        let Some(host) = public_host(&url).filter(|host| !known.is_known(host)) else { continue };
        if has_path(&url) && is_api(&host, &url)
            || has_label(&host) && matches!(kind, Kind::Env | Kind::Ci)
            || is_address(known, kind, text, hit.start())
        {
            found.push((host, hit.start()));
        }
    }
    found
}

/// The text of a URL, to where a quote or a blank ends it.
fn url_at(text: &str, start: usize) -> &str {
    const LONGEST: usize = 2_000;
    let rest = text.get(start..).unwrap_or_default();
    let is_end = |character: char| {
        character.is_whitespace() || character.is_control() || "\"'`<>()[]{}|\\,;".contains(character)
    };
    let end = rest
        .char_indices()
        .find(|(at, character)| *at >= LONGEST || is_end(*character))
        .map_or(rest.len(), |(at, _)| at);
    rest.get(..end).unwrap_or_default().trim_end_matches(['.', ':', '!', '?'])
}

/// Names for documentation (RFC 2606).
const EXAMPLES: &[&str] = &["example.com", "example.org", "example.net"];

/// A host that is not this machine, and no example.
fn public_host(url: &Url) -> Option<String> {
    match url.host()? {
        Host::Domain(name) => {
            let name = name.trim_end_matches('.').to_ascii_lowercase();
            let is_example = EXAMPLES.iter().any(|example| name == *example || name.ends_with(&format!(".{example}")));
            let is_here = name == "localhost" || name.ends_with(".localhost") || name == "host.docker.internal";
            let is_reserved = [".example", ".test", ".invalid"].iter().any(|end| name.ends_with(end));
            (!is_example && !is_here && !is_reserved && name.contains('.')).then_some(name)
        }
        Host::Ipv4(address) => is_elsewhere(IpAddr::V4(address)).then(|| address.to_string()),
        Host::Ipv6(address) => is_elsewhere(IpAddr::V6(address)).then(|| format!("[{address}]")),
    }
}

fn is_elsewhere(address: IpAddr) -> bool {
    !address.is_loopback() && !address.is_unspecified()
}

fn has_path(url: &Url) -> bool {
    let path = url.path().to_ascii_lowercase();
    PATHS.iter().any(|wanted| path.contains(wanted))
}

/// Pages about a protocol have its path in their address, too.
fn is_api(host: &str, url: &Url) -> bool {
    let is_page = ["docs.", "doc.", "developer.", "developers.", "www.", "github.com", "gitlab.com", "platform."];
    !is_page.iter().any(|start| host.starts_with(start))
        && !url.path().contains("/docs/")
        && !url.path().contains("/reference/")
}

fn has_label(host: &str) -> bool {
    let labels: Vec<&str> = host.split('.').collect();
    // The last two are whose host it is.
    let own = labels.len().saturating_sub(2);
    labels.iter().take(own).any(|label| LABELS.contains(label))
}

/// `OPENAI_BASE_URL=https://…`: what a variable of a provider says, or one that is called like those.
fn is_address(known: &Providers, kind: Kind, text: &str, start: usize) -> bool {
    if kind == Kind::Source {
        return false;
    }
    let before = text.get(..start).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    let name = line.trim_end_matches([' ', '=', ':', '"', '\'']);
    let is_name = |character: char| character.is_ascii_uppercase() || character.is_ascii_digit() || character == '_';
    let from = name.rfind(|character: char| !is_name(character)).map_or(0, |at| at + 1);
    let Some(name) = name.get(from..).filter(|name| name.len() > 3) else { return false };
    let speaks_of_models =
        ["LLM", "OPENAI", "ANTHROPIC", "CLAUDE", "GEMINI", "OLLAMA", "GPT"].iter().any(|word| name.contains(word));
    ADDRESSES.iter().any(|end| name.ends_with(end)) && (known.is_variable(name) || speaks_of_models)
}

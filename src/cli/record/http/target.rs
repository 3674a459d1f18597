//! Where a request goes: the address of the server with the path that the client asks for.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use hyper::Uri;
use hyper::http::uri::PathAndQuery;
use url::{Position, Url};

#[derive(Debug, Clone)]
pub(super) struct Target {
    /// `https://mcp.example.com:8443`.
    origin: String,
    /// The path of the server's address, without a `/` at its end.
    path: String,
    /// Paths that the server itself told the client: they count from the top.
    told: Arc<Mutex<BTreeSet<String>>>,
}

/// A server tells one for each of its streams, mostly the same.
const MOST_TOLD: usize = 1_000;

impl Target {
    pub(super) fn new(url: &Url) -> Self {
        let origin = format!("{}://{}", url.scheme(), &url[Position::BeforeHost..Position::AfterPort]);
        let path = url.path().trim_end_matches('/').to_owned();
        Self { origin, path, told: Arc::default() }
    }

    /// `/` stands for the path of the address; what begins with that path is whole already, and so is what the server told;
    /// anything else counts from there.
    pub(super) fn of(&self, asked: Option<&PathAndQuery>) -> Result<Uri, hyper::http::uri::InvalidUri> {
        let path = asked.map_or("/", PathAndQuery::path);
        let query = asked.and_then(PathAndQuery::query).map(|query| format!("?{query}")).unwrap_or_default();
        let is_below = path.strip_prefix(&self.path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        let is_told = || self.told.lock().unwrap_or_else(PoisonError::into_inner).contains(path);
        let whole = if self.path.is_empty() || (is_below && path != "/") || is_told() {
            path.to_owned()
        } else if path == "/" {
            self.path.clone()
        } else {
            format!("{}{path}", self.path)
        };
        format!("{}{whole}{query}", self.origin).parse()
    }

    /// Remembers where the server wants messages; `false`: with somebody else.
    pub(super) fn learn(&self, endpoint: &str) -> bool {
        let Ok(base) = Url::parse(&format!("{}{}/", self.origin, self.path)) else { return false };
        let Ok(url) = base.join(endpoint) else { return false };
        let is_absolute = Url::parse(endpoint).is_ok() || endpoint.starts_with("//");
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if endpoint.starts_with('/') && told.len() < MOST_TOLD {
            told.insert(url.path().to_owned());
        }
        !is_absolute
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(url: &str, asked: &str) -> String {
        let target = Target::new(&Url::parse(url).unwrap());
        target.of(Some(&asked.parse().unwrap())).unwrap().to_string()
    }

    #[test]
    fn paths_and_queries_are_kept() {
        for (url, asked, wanted) in [
            ("https://mcp.example.com", "/", "https://mcp.example.com/"),
            ("https://mcp.example.com", "/message?session_id=1", "https://mcp.example.com/message?session_id=1"),
            ("https://mcp.example.com/", "/mcp/%7E?a=b%20c", "https://mcp.example.com/mcp/%7E?a=b%20c"),
            ("https://mcp.example.com/mcp", "/", "https://mcp.example.com/mcp"),
            ("https://mcp.example.com/mcp", "/?x=1", "https://mcp.example.com/mcp?x=1"),
            ("https://mcp.example.com/mcp", "/mcp", "https://mcp.example.com/mcp"),
            ("https://mcp.example.com/mcp/", "/mcp/", "https://mcp.example.com/mcp/"),
            ("https://mcp.example.com/mcp", "/mcpx", "https://mcp.example.com/mcp/mcpx"),
            ("https://mcp.example.com/api", "/sse", "https://mcp.example.com/api/sse"),
            ("http://127.0.0.1:8000", "/sse", "http://127.0.0.1:8000/sse"),
            ("http://[::1]:8000/x", "/sse", "http://[::1]:8000/x/sse"),
        ] {
            assert_eq!(target(url, asked), wanted, "{url} {asked}");
        }
    }

    #[test]
    fn what_the_server_told_counts_from_the_top() {
        let target = Target::new(&Url::parse("https://mcp.example.com/api/sse").unwrap());
        assert!(target.learn("/api/messages/?session_id=7"));
        let asked = "/api/messages/?session_id=7".parse().unwrap();
        assert_eq!(target.of(Some(&asked)).unwrap(), "https://mcp.example.com/api/messages/?session_id=7");
        assert!(!target.learn("https://other.example/messages"));
        assert!(!target.learn("//other.example/messages"));
    }
}

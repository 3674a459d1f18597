//! The target of telemetry: an address, the headers of requests, and the answers.

use std::time::Duration;

use ureq::Agent;
use ureq::http::{HeaderName, HeaderValue};
use url::Url;

use super::super::failure::Failure;
use super::{agent, reason, wrong_address};

/// For all of one request, the answer included.
const TIMEOUT: Duration = Duration::from_mins(1);
/// Bytes of an answer.
const ANSWER: u64 = 64 << 10;
/// Shorter values of headers are words like `4`, which give nothing away.
const SHORTEST: usize = 6;

/// Where to, and with which headers.
pub(in crate::cli) struct Target {
    base: Url,
    headers: Vec<(HeaderName, HeaderValue)>,
    /// What may not be shown.
    private: Vec<String>,
    agent: Agent,
}

/// What a server answered.
pub(in crate::cli) struct Answer {
    pub(in crate::cli) status: u16,
    pub(in crate::cli) is_html: bool,
    pub(in crate::cli) body: Vec<u8>,
}

impl Target {
    /// `what`: where the address stands, for who has to correct it.
    pub(in crate::cli) fn new(what: &str, address: &str) -> Result<Self, Failure> {
        let like = "http://localhost:4318";
        let base = super::address(what, address, like)?;
        if !base.username().is_empty() || base.password().is_some() {
            let why = "credentials belong in a `--header`, not in the address";
            return Err(wrong_address(what, why, like));
        }
        Ok(Self { base, headers: Vec::new(), private: Vec::new(), agent: agent(TIMEOUT) })
    }

    /// `what`: where the header stands; its value is never shown.
    pub(in crate::cli) fn header(&mut self, what: &str, name: &str, value: &str) -> Result<(), Failure> {
        const OURS: &[&str] = &["content-type", "content-length", "transfer-encoding", "host", "connection"];
        let wrong = |why: &str| Failure::new(format!("{what} can't be used: {why}")).hint("a header is `Name: value`");
        let name: HeaderName = name.trim().parse().map_err(|_| wrong("its name is no name of a header"))?;
        if OURS.contains(&name.as_str()) {
            return Err(wrong(&format!("`{name}` is set by the request itself")));
        }
        let value = value.trim();
        let mut sent = HeaderValue::from_str(value).map_err(|_| wrong("its value holds what no header can"))?;
        sent.set_sensitive(true);
        // `Bearer x`, `Basic x`: the part that is secret, too.
        let parts = std::iter::once(value).chain(value.split_whitespace());
        self.private.extend(parts.filter(|part| part.len() >= SHORTEST).map(str::to_owned));
        self.headers.push((name, sent));
        Ok(())
    }

    /// Headers go to it as they are, over a network.
    pub(in crate::cli) fn is_open(&self) -> bool {
        let is_here = match self.base.host() {
            Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            Some(url::Host::Ipv4(address)) => address.is_loopback(),
            Some(url::Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        };
        self.base.scheme() == "http" && !is_here && !self.headers.is_empty()
    }

    /// With `path` behind it, unless it ends so already.
    fn address(&self, path: &str) -> Url {
        let mut address = self.base.clone();
        let base = address.path().trim_end_matches('/').to_owned();
        if !base.ends_with(path) {
            address.set_path(&format!("{base}{path}"));
        }
        address.set_fragment(None);
        address
    }

    /// For people: queries may hold a key.
    pub(in crate::cli) fn shown(&self, path: &str) -> String {
        let mut address = self.address(path);
        address.set_query(None);
        address.to_string()
    }

    pub(in crate::cli) fn post(&self, path: &str, json: &str) -> Result<Answer, Failure> {
        let failed = |error: &ureq::Error| {
            Failure::new(format!("nothing was accepted by {}: {}", self.shown(path), self.clean(&reason(error))))
        };
        let mut request = self.agent.post(self.address(path).as_str()).header("content-type", "application/json");
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let mut answer = request.send(json.as_bytes()).map_err(|error| failed(&error))?;
        let kind = answer.headers().get("content-type").and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let is_html = kind.contains("html");
        let status = answer.status().as_u16();
        let body = answer.body_mut().with_config().limit(ANSWER).read_to_vec();
        let body = match body {
            Ok(body) => body,
            // What is too long to be read says the same by its status.
            Err(ureq::Error::BodyExceedsLimit(_)) if !(200..300).contains(&status) => Vec::new(),
            Err(error) => return Err(failed(&error)),
        };
        Ok(Answer { status, is_html, body })
    }

    /// Text of a server, without what was sent to it in confidence.
    pub(in crate::cli) fn clean(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for value in &self.private {
            text = text.replace(value, "[REDACTED:header]");
        }
        agent_strace_secrets::redact(text).as_str().to_owned()
    }
}

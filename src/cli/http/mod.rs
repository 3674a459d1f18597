//! Requests to the addresses that the user gave, and nowhere else: `export --endpoint`, `watch --stream-to`, `--webhook`.
//!
//! Redirects are not followed: what is sent is meant for that address. What a server answers is bounded, and shown without
//! what was sent in headers.

#[cfg(feature = "telemetry")]
mod target;

use std::time::Duration;

use ureq::Agent;
use url::Url;

use super::failure::Failure;
#[cfg(feature = "telemetry")]
pub(super) use target::{Answer, Target};

const CONNECT: Duration = Duration::from_secs(15);

/// `what`: where the address stands, for who has to correct it. `like`: one that could stand there.
pub(super) fn address(what: &str, text: &str, like: &str) -> Result<Url, Failure> {
    let url = Url::parse(text.trim()).map_err(|error| wrong_address(what, &error.to_string(), like))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
        return Err(wrong_address(what, "it is no address of http or https", like));
    }
    Ok(url)
}

fn wrong_address(what: &str, why: &str, like: &str) -> Failure {
    Failure::new(format!("{what} can't be used: {why}")).hint(format!("an address is like `{like}`"))
}

/// `timeout`: for all of one request, the answer included.
pub(super) fn agent(timeout: Duration) -> Agent {
    let builder = Agent::config_builder()
        .timeout_global(Some(timeout))
        .timeout_connect(Some(timeout.min(CONNECT)))
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .user_agent(concat!("agent-strace/", env!("CARGO_PKG_VERSION")));
    builder.build().into()
}

/// In one line, without names of types.
pub(super) fn reason(error: &ureq::Error) -> String {
    match error {
        ureq::Error::Io(error) => match error.kind() {
            std::io::ErrorKind::ConnectionRefused => "nothing listens there".to_owned(),
            _ => error.to_string(),
        },
        ureq::Error::Timeout(_) => "it took too long".to_owned(),
        ureq::Error::HostNotFound => "the host is not known".to_owned(),
        ureq::Error::BodyExceedsLimit(_) => "the answer is too long".to_owned(),
        error => error.to_string(),
    }
}

//! The options of `record` and `record-http`.

use std::ffi::OsString;

use clap::Args;
use url::Url;

use super::super::failure::Failure;
use super::super::recording::{EnforceArgs, PrivateArgs};
use super::status_printer::Verbosity;

pub(in crate::cli) const EXAMPLES: &str = "\
Examples:
  agent-strace record -- npx -y @modelcontextprotocol/server-filesystem /tmp
  agent-strace record --name filesystem -- npx -y @modelcontextprotocol/server-filesystem /tmp
  agent-strace record --mask -- uvx mcp-server-fetch        without personal data, too
  agent-strace record --enforce -- uvx mcp-server-fetch     calls that the policy denies are refused

In the settings of an agent (`.mcp.json`, `.cursor/mcp.json`, …) the server's own command and
arguments go behind `record --name NAME --`. Every byte is passed on as it is, in both directions;
what was said is recorded as one session of the store. The server's exit code is that of the command
(128 + n where signal n ended it).

A message that can't be followed becomes a gap in the recording, and a session with gaps is never a
pass. Where the recording itself fails, one line on standard error says so and the traffic goes on,
unless --enforce --fail-closed refuses the calls.";

pub(in crate::cli) const HTTP_EXAMPLES: &str = "\
Examples:
  agent-strace record-http https://mcp.example.com
  agent-strace record-http https://mcp.example.com/mcp --port 3100 --name example
  agent-strace record-http https://mcp.example.com --mask
  agent-strace record-http https://mcp.example.com --enforce --fail-closed

The agent connects to http://127.0.0.1:3100 instead of the server. Requests are passed on with their
path and query (`/` stands for the path of URL), with all of their headers, and answers as they come.
Redirects are passed on, not followed. Only programs of this machine are listened to, and web pages
only where they come from this machine. No header is recorded: what authorizes a request is in none
of the events.

Ctrl-C or SIGTERM ends the session.";

/// What both proxies take.
#[derive(Debug, Args)]
pub(super) struct CaptureArgs {
    /// What the server is called: its tools are recorded as `mcp__NAME__TOOL` [default: what its command or address says].
    #[arg(long, value_name = "NAME")]
    pub(super) name: Option<String>,

    #[command(flatten)]
    pub(super) private: PrivateArgs,

    /// Tell of every message on standard error.
    #[arg(long, short, conflicts_with = "quiet")]
    pub(super) verbose: bool,

    /// Only tell of what goes wrong.
    #[arg(long, short)]
    pub(super) quiet: bool,

    #[command(flatten)]
    pub(super) by: EnforceArgs,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct RecordArgs {
    #[command(flatten)]
    pub(super) capture: CaptureArgs,

    /// The server's command.
    #[arg(value_name = "COMMAND", last = true, required = true)]
    pub(super) command: Vec<OsString>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct RecordHttpArgs {
    /// The server's address.
    #[arg(value_name = "URL", required_unless_present = "named", conflicts_with = "named")]
    url: Option<String>,

    /// The same.
    #[arg(id = "named", long = "url", value_name = "URL")]
    named: Option<String>,

    /// Where the agent connects to, on 127.0.0.1; 0: any port that is free.
    #[arg(long, value_name = "PORT", default_value_t = 3100)]
    pub(super) port: u16,

    #[command(flatten)]
    pub(super) capture: CaptureArgs,
}

impl CaptureArgs {
    pub(super) fn verbosity(&self) -> Verbosity {
        match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Quiet,
            (false, true) => Verbosity::Verbose,
            (false, false) => Verbosity::Usual,
        }
    }
}

impl RecordHttpArgs {
    /// An error about the address does not show it, since it may hold a password.
    pub(super) fn url(&self) -> Result<Url, Failure> {
        let url = self.url.as_deref().or(self.named.as_deref()).unwrap_or_default();
        address(url).map_err(|reason| Failure::new(format!("the address of the server can't be used: {reason}")))
    }
}

/// An address that something can be passed on to.
fn address(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| format!("{error}: an address begins with `https://` or `http://`"))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err("an address begins with `https://` or `http://`".to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("a name or password does not belong in an address: let the agent send it in a header".to_owned());
    }
    if url.fragment().is_some() || url.query().is_some() {
        return Err("the address of a server has neither `?` nor `#` in it: these are the agent's to send".to_owned());
    }
    Ok(url)
}

/// What a server is called in the names of its tools: letters, digits, `_` and `-`, and never two `_` in a row, which end
/// a server's name.
pub(super) fn plain_name(name: &str) -> String {
    let mut plain = String::new();
    for letter in name.chars() {
        let letter = if letter.is_ascii_alphanumeric() || letter == '_' { letter } else { '-' };
        if letter.is_ascii_alphanumeric() || !plain.ends_with(letter) {
            plain.push(letter);
        }
    }
    let plain = plain.trim_matches(['-', '_']);
    if plain.is_empty() { "server".to_owned() } else { plain.chars().take(64).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_servers_fit_into_names_of_tools() {
        for (name, wanted) in [
            ("filesystem", "filesystem"),
            ("my server", "my-server"),
            ("a__b", "a_b"),
            ("@scope/pkg", "scope-pkg"),
            ("__", "server"),
            ("wörter", "w-rter"),
        ] {
            assert_eq!(plain_name(name), wanted);
        }
    }

    #[test]
    fn addresses_hold_no_credentials() {
        for bad in ["mcp.example.com", "ftp://a", "https://u:p@a/", "https://a/?k=v", "https://a/#x", "file:///x"] {
            let fault = address(bad).unwrap_err();
            assert!(!fault.contains('\n'), "{fault}");
        }
        assert!(address("https://mcp.example.com/mcp").is_ok());
        assert!(address("http://127.0.0.1:8080").is_ok());
    }
}

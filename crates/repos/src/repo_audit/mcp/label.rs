//! What a server is called by whoever starts it without giving it a name.

use super::Pin;
use crate::repo_audit::launch::{Launch, program};

/// Of the words that start it: its package, its file or its program, without where these come from.
pub fn label(words: &[String]) -> String {
    let launch = Launch::of(words);
    let named = match Pin::of(&launch) {
        Pin::Pinned { package, .. } | Pin::Floating { package, .. } => last(&package).to_owned(),
        Pin::Image { image, .. } => {
            let image = last(&image);
            image.split(['@', ':']).next().unwrap_or(image).to_owned()
        }
        Pin::Local(file) => program(last(&file)),
        Pin::Remote | Pin::NotAPackage => {
            let words = if launch.words.is_empty() { words } else { &launch.words };
            let module = words.iter().skip_while(|word| *word != "-m").nth(1);
            module.cloned().unwrap_or_else(|| words.first().map(|word| program(word)).unwrap_or_default())
        }
    };
    let bare = named.rsplit_once('.').filter(|(_, ending)| ENDINGS.contains(ending)).map(|(name, _)| name.to_owned());
    bare.unwrap_or(named)
}

const ENDINGS: &[&str] = &["js", "mjs", "cjs", "ts", "py", "rb", "sh", "exe", "jar", "php", "pl"];

fn last(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

#[test]
fn servers_are_called_after_what_starts_them() {
    for (line, wanted) in [
        ("npx -y @modelcontextprotocol/server-filesystem /tmp", "server-filesystem"),
        ("npx -y @modelcontextprotocol/server-filesystem@2025.11.25 /tmp", "server-filesystem"),
        ("uvx mcp-server-fetch", "mcp-server-fetch"),
        ("docker run -i --rm mcp/fetch:1.0", "fetch"),
        ("node dist/notes.js --verbose", "notes"),
        ("python3 -m mcp_server_git", "mcp_server_git"),
        ("python3 /opt/x/weather.py", "weather"),
        ("./server", "server"),
        ("/usr/bin/github-mcp-server stdio", "github-mcp-server"),
        ("env A=1 npx -y some-server", "some-server"),
    ] {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        assert_eq!(label(&words), wanted, "{line}");
    }
}

//! What tools and arguments are called: agents spell the same name in many ways.

use std::borrow::Cow;

/// `Read_File`, `readFile`, `read-file` → `readfile`.
pub(super) fn plain(name: &str) -> Cow<'_, str> {
    if name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) {
        return Cow::Borrowed(name);
    }
    if name.is_ascii() {
        let plain = name.chars().filter(char::is_ascii_alphanumeric);
        return Cow::Owned(plain.map(|character| character.to_ascii_lowercase()).collect());
    }
    Cow::Owned(name.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect())
}

/// Whether a name is the one that is plainly spelled so.
pub(super) fn is(name: &str, plain: &str) -> bool {
    if name.is_ascii() {
        let letters = name.bytes().filter(u8::is_ascii_alphanumeric);
        return letters.map(|letter| letter.to_ascii_lowercase()).eq(plain.bytes());
    }
    self::plain(name) == plain
}

/// The name without what hosts put around it: `functions.shell`, `default_api:read_file`, `bash_20250124`,
/// `copilot_readFile`.
pub(super) fn unwrapped(name: &str) -> &str {
    let mut name = name.trim();
    for prefix in
        ["functions.", "functions:", "default_api.", "default_api:", "tools.", "native.", "copilot_", "builtin_"]
    {
        let head = name.get(..prefix.len());
        if head.is_some_and(|head| head.eq_ignore_ascii_case(prefix)) {
            name = name.get(prefix.len()..).unwrap_or(name);
        }
    }
    match name.rsplit_once(['_', ':']) {
        Some((stem, date)) if date.len() == 8 && date.bytes().all(|byte| byte.is_ascii_digit()) => stem,
        _ => name,
    }
}

/// Lower-case words of a name: `readTextFile`, `read_text_file` → `read`, `text`, `file`.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut fresh = true;
    let mut lower_before = false;
    for character in name.chars() {
        if !character.is_alphanumeric() {
            fresh = true;
            continue;
        }
        if fresh || (character.is_uppercase() && lower_before) {
            words.push(String::new());
        }
        fresh = false;
        lower_before = character.is_lowercase();
        if let Some(word) = words.last_mut() {
            word.extend(character.to_lowercase());
        }
    }
    words
}

/// Server and tool of an MCP name: `mcp__server__tool` (also with `.`, `/` or `:` before the tool), `mcp_server_tool`,
/// `server__tool`, `server.tool`, `server/tool`, and `server-tool` and `server_tool` for servers that are known by that
/// name. Where `_` may end the server's name in several places, a known server decides.
pub(super) fn mcp(name: &str, servers: &[String]) -> Option<(String, String)> {
    if let Some(rest) = name.strip_prefix("mcp__") {
        let cut = ["__", ".", "/", ":"].iter().find_map(|separator| rest.split_once(separator));
        return Some(owned(cut.unwrap_or((rest, ""))));
    }
    if let Some(rest) = name.strip_prefix("mcp_").or_else(|| name.strip_prefix("mcp.")) {
        let cut = ["__", ".", "/", ":"].iter().find_map(|separator| rest.split_once(separator));
        let cut = cut.or_else(|| of_known(rest, servers)).or_else(|| rest.split_once('_'));
        return Some(owned(cut.unwrap_or((rest, ""))));
    }
    let whole = |(server, tool): &(&str, &str)| !server.is_empty() && !tool.is_empty() && !server.contains(' ');
    let cut = ["__", ".", "/"].iter().find_map(|separator| name.split_once(separator).filter(whole));
    cut.or_else(|| of_known(name, servers)).map(owned)
}

/// `server-tool` or `server_tool` with a server among `servers`, the longest name first.
fn of_known<'n>(name: &'n str, servers: &[String]) -> Option<(&'n str, &'n str)> {
    servers.iter().find_map(|server| {
        let (head, rest) = name.split_at_checked(server.len())?;
        let same = head
            .chars()
            .zip(server.chars())
            .all(|(own, known)| own.eq_ignore_ascii_case(&known) || matches!((own, known), ('_' | '-', '_' | '-')));
        let tool = rest.strip_prefix(['-', '_', '.', '/', ':']).filter(|tool| same && !tool.is_empty())?;
        Some((head, tool))
    })
}

fn owned((server, tool): (&str, &str)) -> (String, String) {
    (server.to_owned(), tool.to_owned())
}

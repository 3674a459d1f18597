//! What a pattern means, by example.

use std::net::Ipv4Addr;

use serde_json::Value;

use super::Only;
use super::encode::needs_no_quotes;
use agent_strace_policy::builtin::{BUILTIN, Holds, builtin};
use agent_strace_policy::{EntryView, Parts, words_of};

/// Where patterns of home directories lead in the examples.
const HOME: &str = "/root/";
/// Examples of one entry.
const MOST: usize = 4;

/// One act that an entry forbids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sample {
    Command(Vec<String>),
    /// `read`, `write` or `delete`, and a path: below the workspace, or absolute.
    File(&'static str, String),
    Host(String),
    Mcp {
        server: String,
        tool: String,
    },
    Variable(String),
}

impl Sample {
    pub(super) fn subject(&self) -> &str {
        match self {
            Self::Command(_) => "command",
            Self::File(access, _) => access,
            Self::Host(_) => "network",
            Self::Mcp { .. } => "mcp",
            Self::Variable(_) => "env",
        }
    }

    pub(super) fn is(&self, only: Only) -> bool {
        match (self, only) {
            (Self::Command(argv), Only::Git) => argv.first().is_some_and(|program| program == "git") && argv.len() > 1,
            (Self::Command(argv), Only::Words) => argv.len() > 1 && argv.iter().all(|word| needs_no_quotes(word)),
            (Self::Command(argv), Only::Named) => argv.first().is_some_and(|program| !program.contains('/')),
            (Self::File(_, path), Only::Workspace) => !path.starts_with('/'),
            (Self::Host(host), Only::Name) => host.parse::<Ipv4Addr>().is_err(),
            (Self::Host(host), Only::Address) => host.parse::<Ipv4Addr>().is_ok(),
            _ => false,
        }
    }
}

/// Examples of an entry.
pub(super) fn samples(entry: &EntryView, parts: &Parts) -> Vec<Sample> {
    let pointer = &entry.location.pointer;
    if pointer.starts_with("/rules/") && parts.value(pointer).is_some_and(Value::is_object) {
        return of_rule(pointer, parts);
    }
    let texts: Vec<String> = match (entry.text.strip_prefix("label:"), entry.builtin.and_then(builtin)) {
        (Some(label), _) => strings(parts.value(&format!("/labels/{}", label.replace('~', "~0").replace('/', "~1")))),
        // Some of its commands have conditions that no entry of words has.
        (None, Some(list)) if list.holds == Holds::Commands => list.examples.clone(),
        (None, Some(list)) => list.entries.clone(),
        (None, None) => vec![entry.text.clone()],
    };
    let version_2 = parts.value("/version").and_then(Value::as_u64) == Some(2);
    let texts = texts.iter().filter(|text| !text.starts_with('!'));
    texts.filter_map(|text| of_text(entry.subject.name(), text, pointer, version_2)).take(MOST).collect()
}

fn of_text(subject: &str, text: &str, pointer: &str, version_2: bool) -> Option<Sample> {
    match subject {
        "command" => command(text),
        "read" => path(text, version_2).map(|path| Sample::File("read", path)),
        "write" => path(text, version_2).map(|path| Sample::File("write", path)),
        "delete" => path(text, version_2).map(|path| Sample::File("delete", path)),
        "network" => host(text).map(Sample::Host),
        "env" => literal(text).map(Sample::Variable),
        "mcp" => {
            let mut steps = pointer.split('/').skip_while(|step| *step != "servers").skip(1);
            Some(Sample::Mcp { server: literal(steps.next()?)?, tool: literal(text)? })
        }
        _ => None,
    }
}

/// Of a rule its own examples say best what it means; else what it matches.
fn of_rule(pointer: &str, parts: &Parts) -> Vec<Sample> {
    let at = |key: &str| parts.value(&format!("{pointer}/{key}"));
    let examples = strings(at("examples/match"));
    let exec = at("match/exec");
    let mut samples: Vec<Sample> = Vec::new();
    if exec.is_some() {
        samples.extend(examples.iter().filter_map(|text| command(text)));
        if samples.is_empty() {
            samples.extend(of_exec(pointer, parts));
        }
    }
    for (key, subject) in
        [("read", "read"), ("write", "write"), ("delete", "delete"), ("net", "network"), ("env", "env")]
    {
        let texts = strings(at(&format!("match/{key}"))).into_iter().flat_map(members).collect::<Vec<_>>();
        let texts = texts.iter().filter(|text| !text.starts_with('!'));
        samples.extend(texts.filter_map(|text| of_text(subject, text, "", true)));
    }
    let server = at("match/mcp/server").and_then(Value::as_str);
    let tools = strings(at("match/mcp/tools"));
    samples
        .extend(tools.iter().filter_map(|tool| Some(Sample::Mcp { server: literal(server?)?, tool: literal(tool)? })));
    samples.truncate(MOST);
    samples
}

/// The entries of a built-in list in the place of its name.
fn members(text: String) -> Vec<String> {
    match text.strip_prefix(BUILTIN).and_then(builtin) {
        Some(list) => list.entries.clone(),
        None => vec![text],
    }
}

fn of_exec(pointer: &str, parts: &Parts) -> Option<Sample> {
    let at = |key: &str| strings(parts.value(&format!("{pointer}/match/exec/{key}")));
    let flags = at("all_flags").into_iter().chain(at("any_flag").into_iter().take(1));
    let words = at("program").into_iter().take(1).chain(at("subcommand").into_iter().take(1)).chain(flags);
    let words: Option<Vec<String>> = words.map(|word| literal(&word)).collect();
    words.filter(|words| !words.is_empty()).map(Sample::Command)
}

/// One string, or those of a list.
fn strings(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

fn command(text: &str) -> Option<Sample> {
    let mut words = words_of(text)?;
    // What may follow need not.
    while words.len() > 1 && words.last().is_some_and(|word| word == "*") {
        words.pop();
    }
    let words: Option<Vec<String>> = words.iter().map(|word| literal(word)).collect();
    words.filter(|words| words.first().is_some_and(|program| program != "a")).map(Sample::Command)
}

/// A path that the pattern matches.
fn path(text: &str, version_2: bool) -> Option<String> {
    let text = text.trim_end_matches('/');
    let text = match (text.strip_prefix("~/"), version_2) {
        (Some(home), _) => format!("{HOME}{home}"),
        (None, true) if text.starts_with("//") => format!("/{}", text.trim_start_matches('/')),
        (None, true) => text.trim_start_matches('/').to_owned(),
        (None, false) => text.to_owned(),
    };
    let components: Option<Vec<String>> = text
        .split('/')
        .enumerate()
        .filter(|(at, component)| *at > 0 || *component != "**")
        .map(|(_, component)| {
            if component == "**" {
                Some("deep".to_owned())
            } else {
                literal(component).or_else(|| component.is_empty().then(String::new))
            }
        })
        .collect();
    Some(components?.join("/")).filter(|path| !path.is_empty())
}

fn host(text: &str) -> Option<String> {
    let (text, prefix) = text.split_once('/').map_or((text, None), |(text, prefix)| (text, Some(prefix)));
    if text.starts_with("registry:") || text.starts_with("remote:") || text.starts_with('[') {
        return None;
    }
    let text = text.rsplit_once(':').map_or(text, |(host, _)| host);
    match (text.parse::<Ipv4Addr>(), prefix) {
        (Ok(address), Some(prefix)) if prefix != "32" => Some(Ipv4Addr::from(u32::from(address) | 1).to_string()),
        (Ok(address), _) => Some(address.to_string()),
        (Err(_), Some(_)) => None,
        (Err(_), None) if text == "*" => Some("elsewhere.example".to_owned()),
        (Err(_), None) => literal(text),
    }
}

/// A text that the pattern matches; `None` where a class has no end.
fn literal(pattern: &str) -> Option<String> {
    let mut text = String::new();
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        match character {
            '*' | '?' => text.push('a'),
            '[' => {
                let member = characters.next().filter(|member| !matches!(member, '!' | '^'))?;
                characters.by_ref().find(|character| *character == ']')?;
                text.push(member);
            }
            other => text.push(other),
        }
    }
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
#[test]
fn examples_match_their_patterns() {
    let paths = [
        (".env", ".env"),
        ("secrets/**", "secrets/deep"),
        ("**/*.pem", "a.pem"),
        ("~/.ssh/**", "/root/.ssh/deep"),
        ("a/**/b", "a/deep/b"),
        ("x[0-9].k?y", "x0.kay"),
        ("/etc/**", "/etc/deep"),
    ];
    for (pattern, expected) in paths {
        assert_eq!(path(pattern, false).as_deref(), Some(expected), "{pattern}");
    }
    assert_eq!(path("/etc/x", true).as_deref(), Some("etc/x"));
    assert_eq!(path("//etc/x", true).as_deref(), Some("/etc/x"));
    let hosts = [
        ("evil.example:443", "evil.example"),
        ("*.corp.example", "a.corp.example"),
        ("10.0.0.0/8", "10.0.0.1"),
        ("*", "elsewhere.example"),
    ];
    for (pattern, expected) in hosts {
        assert_eq!(host(pattern).as_deref(), Some(expected), "{pattern}");
    }
    assert_eq!(command("git push *"), Some(Sample::Command(vec!["git".to_owned(), "push".to_owned()])));
    assert_eq!(command("*"), None);
}

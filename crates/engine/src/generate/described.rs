//! An act in plain words, for people who decide about it.

use agent_strace_effects::{Certainty, Effect, Kind, PathTarget, Purpose};

/// `may write src/a.rs`. The text may hold secrets: the caller redacts it.
pub fn described(effect: &Effect) -> String {
    match &effect.kind {
        Kind::Read(target) => file("read", target, effect),
        Kind::Write(target) => file("write", target, effect),
        Kind::Delete(target) => file("delete", target, effect),
        Kind::List(target) => file("list", target, effect),
        Kind::Execute(execution) => {
            let words: Vec<&str> = execution.argv.iter().map(|word| word.text.as_str()).collect();
            format!("{}run {}", may(effect), words.join(" "))
        }
        Kind::Connect(connection) => format!("{}connect to {connection}", may(effect)),
        Kind::Tool { server: Some(server), tool } => format!("use the tool {tool} of the server {server}"),
        Kind::Tool { server: None, tool } => format!("use the tool {tool}"),
        Kind::Spawn { agent } => format!("start the sub-agent {}", agent.as_deref().unwrap_or("without a name")),
        Kind::Env { name } => format!("set the variable {name}"),
        Kind::Opaque(opaque) => format!("not known: {}", opaque.reason),
    }
}

fn file(verb: &str, target: &PathTarget, effect: &Effect) -> String {
    let path = target.shown();
    match (effect.gathered, effect.certainty) {
        (Some(Purpose::Search), _) => format!("search in {path}"),
        (Some(Purpose::Check), _) => format!("check {path}"),
        (Some(Purpose::Whole), _) => format!("{verb} all of {path}"),
        (None, Certainty::Pattern) => format!("{verb} what matches {path}"),
        (None, _) => format!("{}{verb} {path}", may(effect)),
    }
}

fn may(effect: &Effect) -> &'static str {
    if effect.certainty == Certainty::Possible { "may " } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acts_are_said_in_words() {
        let path = || PathTarget { path: "src/a.rs".to_owned(), subtree: false };
        let said = |kind, certainty| described(&Effect::new(kind, certainty, "argument"));
        assert_eq!(said(Kind::Write(path()), Certainty::Exact), "write src/a.rs");
        assert_eq!(said(Kind::Write(path()), Certainty::Possible), "may write src/a.rs");
        assert_eq!(said(Kind::Read(path()), Certainty::Pattern), "read what matches src/a.rs");
        assert_eq!(said(Kind::Spawn { agent: None }, Certainty::Exact), "start the sub-agent without a name");
        let tool = Kind::Tool { server: Some("db".to_owned()), tool: "query".to_owned() };
        assert_eq!(said(tool, Certainty::Exact), "use the tool query of the server db");
    }
}

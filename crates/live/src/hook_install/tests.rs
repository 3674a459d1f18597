use super::{File, FolderTrust, TrustFile};
use crate::hook_events::agent;

/// Parsers of the libraries call themselves.
#[test]
fn settings_that_nest_too_deep_are_refused() {
    let kimi = agent("kimi").unwrap();
    let header = format!("[{}a]\n", "a.".repeat(100_000));
    for text in [format!("x = {}", "[".repeat(100_000)), header, format!("x.{}y = 1", "a.".repeat(100_000))] {
        assert!(File::read(&text, kimi).is_err_and(|why| why.contains("deep")));
        assert!(TrustFile::read(&text).is_err());
    }
    let nested = "[".repeat(100_000);
    assert!(FolderTrust::List.with(&nested, "/a").is_err());
}

#[test]
fn settings_of_another_kind_are_refused() {
    let kimi = agent("kimi").unwrap();
    for text in ["hooks = 1", "[hooks]\na = 1", "hooks = [1]", "hooks = [", "\u{0}"] {
        assert!(File::read(text, kimi).is_err(), "{text}");
    }
    for text in ["hooks = 1", "hooks.state = []", "projects = \"x\""] {
        let mut file = TrustFile::read(text).unwrap();
        let hook = super::HookTrust::of(
            "/a",
            &File::read(
                r#"{"hooks": {"Stop": [{"hooks": [{"command": "agent-strace hook stop"}]}]}}"#,
                agent("codex").unwrap(),
            )
            .unwrap()
            .installed(),
        );
        let (hook, folder) = (file.trust(&hook[0]), file.trust_folder("/a"));
        assert!(hook.is_err() || folder.is_err(), "{text}");
    }
}

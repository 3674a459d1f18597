mod files;

use proptest::prelude::*;

use super::{File, FolderTrust, HookOptions, HookTrust, Standing, TrustFile};
use crate::hook_events::{AGENTS, Agent, agent};
use files::Choices;

fn options(agent: &'static Agent) -> HookOptions {
    let program = "agent-strace".to_owned();
    HookOptions { agent, program, options: Vec::new(), of_calls: Vec::new(), fail_closed: true }
}

fn read(text: &str, agent: &Agent) -> File {
    File::read(text, agent).unwrap_or_else(|why| panic!("{why}: {text:?}"))
}

/// Sets the hooks in a file, twice, and takes them out.
fn set_and_taken_out(text: &str, agent: &'static Agent) -> (String, Option<String>) {
    let options = options(agent);
    let set = read(text, agent).with(&options).text();
    let file = read(&set, agent);
    assert!(file.standing(&options).iter().all(|(_, standing)| *standing == Standing::Set), "{set}");
    assert_eq!(file.installed().len(), agent.hooks.len(), "{set}");
    assert_eq!(file.with(&options).text(), set, "set twice");
    let enforcing = HookOptions { of_calls: vec!["--enforce".to_owned()], ..options };
    let enforced = read(&set, agent).with(&enforcing).text();
    let left = |set: &str| read(set, agent).without(agent).map(|file| file.text());
    assert_eq!(left(&enforced), left(&set), "set with other options");
    (set.clone(), left(&set))
}

proptest! {
    #[test]
    fn a_file_is_the_same_after_its_hooks_are_taken_out(
        agent in proptest::sample::select(AGENTS.iter().collect::<Vec<_>>()),
        choices in proptest::collection::vec(any::<u8>(), 0..160),
    ) {
        let mut choices = Choices(choices);
        let text = if agent.name == "kimi" { choices.toml() } else { choices.json() };
        let (set, left) = set_and_taken_out(&text, agent);
        prop_assert_eq!(left.as_deref(), Some(text.as_str()), "{}: {:?}", agent.name, set);
    }

    #[test]
    fn trust_is_taken_back_whole(choices in proptest::collection::vec(any::<u8>(), 0..160)) {
        let text = Choices(choices).toml();
        let hooks = HookTrust::of("/a/hooks.json", &new_file("codex").installed());
        let mut file = TrustFile::read(&text).unwrap();
        let trusted: Result<(), String> = hooks.iter().try_for_each(|hook| file.trust(hook));
        // `hooks` are a list here, as Kimi Code has them.
        prop_assert_eq!(trusted.is_err(), text.contains("hooks"), "{}", text);
        if trusted.is_ok() {
            prop_assert!(hooks.iter().all(|hook| TrustFile::read(&file.text()).unwrap().trusts(hook)));
            let left = hooks.iter().try_fold(file, TrustFile::without);
            prop_assert_eq!(left.map(|file| file.text()), Some(text));
        }
    }
}

fn new_file(name: &str) -> File {
    let agent = agent(name).unwrap();
    File::absent(agent).with(&options(agent))
}

#[test]
fn nothing_is_left_of_a_file_that_was_made() {
    for agent in AGENTS {
        let text = new_file(agent.name).text();
        assert!(!text.starts_with(char::is_whitespace) && text.ends_with(['}', '"', '\n']), "{text}");
        assert!(read(&text, agent).without(agent).is_none(), "{text}");
        let (_, left) = set_and_taken_out(&text, agent);
        assert_eq!(left, None, "{}", agent.name);
    }
    let hooks = HookTrust::of("/a", &new_file("codex").installed());
    let mut file = TrustFile::absent();
    for hook in &hooks {
        file.trust(hook).unwrap();
    }
    assert!(hooks.iter().try_fold(file, TrustFile::without).is_none());
}

/// A change that another program makes to the file meanwhile.
type Change = Box<dyn Fn(&str) -> String>;

/// A program or a person wrote the file anew or changed it, between setting the hooks and taking them out.
#[test]
fn what_others_wrote_meanwhile_stays() {
    let claude = agent("claude-code").unwrap();
    let anew = |text: &str| {
        let value: serde_json::Value = serde_json::from_str(text).unwrap();
        serde_json::to_string_pretty(&value).unwrap()
    };
    let same = |text: &str| text.to_owned();
    let edit = |from: &'static str, to: &'static str| move |text: &str| text.replacen(from, to, 1);
    let stop = "{ \"hooks\": [{ \"type\": \"command\", \"command\": \"agent-strace hook stop\" }] }";
    let theirs = format!("[{stop}, {{\"hooks\": []}}]");
    let cases: Vec<(&str, Change, Option<&str>)> = vec![
        ("{\n  \"a\": 1\n}", Box::new(anew), Some("{\n  \"a\": 1\n}")),
        ("{}", Box::new(anew), None),
        ("{\"hooks\": {}}", Box::new(anew), None),
        ("{}", Box::new(edit("{\n", "{\n  \"b\": 2,\n")), Some("{\n  \"b\": 2\n}")),
        ("{}", Box::new(edit("{\n", "{ // theirs\n")), Some("{ // theirs\n}")),
        ("{\"a\": 1}\n", Box::new(edit("\"a\": 1, ", "")), None),
        ("{\"a\": 1}\n", Box::new(edit("}\n", ", \"b\": 2}\n")), Some("{\"a\": 1, \"b\": 2}\n")),
        (
            "{\n  \"a\": 1\n}\n",
            Box::new(edit("\"hooks\"", "// theirs\n  \"hooks\"")),
            Some("{\n  \"a\": 1\n  // theirs\n}\n"),
        ),
        (
            "{\"a\": 1}",
            Box::new(move |text: &str| text.replacen(&format!("[{stop}]"), &theirs, 1)),
            Some("{\"a\": 1, \"hooks\": { \"Stop\": [ {\"hooks\": []}]}}"),
        ),
        (
            "{\"a\": 1}",
            Box::new(edit("hook stop\" }]", "hook stop\" }, {\"command\": \"mine\"}]")),
            Some("{\"a\": 1, \"hooks\": { \"Stop\": [{ \"hooks\": [ {\"command\": \"mine\"}] }]}}"),
        ),
        ("{\"a\": 1}", Box::new(same), Some("{\"a\": 1}")),
    ];
    for (text, change, left) in cases {
        let set = change(&read(text, claude).with(&options(claude)).text());
        let taken = read(&set, claude).without(claude).map(|file| file.text());
        assert_eq!(taken.as_deref(), left, "{text}: {set}");
    }
}

/// A name that is there twice decides about hooks once, and agents differ about which.
#[test]
fn names_that_are_there_twice_are_found() {
    let claude = agent("claude-code").unwrap();
    for (text, name) in [
        (r#"{"hooks": {}, "hooks": {}}"#, Some("hooks")),
        (r#"{"hooks": {"Stop": [], "Stop": []}}"#, Some("Stop")),
        (r#"{"hooks": {"Stop": [{"hooks": [{"command": "x", "command": "y"}]}]}}"#, Some("command")),
        (r#"{"model": 1, "model": 2, "hooks": {"Stop": [{"a": 1}, {"a": 1}]}}"#, None),
    ] {
        assert_eq!(read(text, claude).twice().as_deref(), name, "{text}");
    }
}

/// Tables that are written within another value can't be added to under a header.
#[test]
fn trust_is_refused_whole_where_it_does_not_fit() {
    let hook = &HookTrust::of("/a", &new_file("codex").installed())[0];
    for (text, name) in [
        ("hooks = {}", "hooks"),
        ("hooks = { state = { x = { enabled = true } } }", "hooks"),
        ("hooks.state.x.enabled = true", "hooks"),
        ("[hooks]\nstate = {}", "hooks.state"),
        ("[hooks]\nstate.x.enabled = true", "hooks.state"),
        ("hooks = []", "hooks"),
        ("[[hooks]]", "hooks"),
    ] {
        let why = TrustFile::read(text).unwrap().trust(hook).unwrap_err();
        assert!(why.contains(&format!("`{name}` is no table")) && why.contains(&format!("[{name}]")), "{text}: {why}");
    }
    for text in ["[hooks]", "[hooks.state]", "[hooks.state.x]\nenabled = true", "[hooks.other]\nx = 1\n[a]"] {
        let mut file = TrustFile::read(text).unwrap();
        file.trust(hook).unwrap();
        assert!(TrustFile::read(&file.text()).unwrap().trusts(hook), "{}", file.text());
        assert_eq!(file.without(hook).map(|file| file.text()).as_deref(), Some(text));
    }
    let folder = ["/x".to_owned()];
    for text in
        ["[projects.\"/x\"] # mine\r\ntrust_level = \"untrusted\" # so\r\n", "[projects.\"/x\"]\n", "[projects.\"/x\"]"]
    {
        let mut file = TrustFile::read(text).unwrap();
        file.trust_folder("/x").unwrap();
        assert!(TrustFile::read(&file.text()).unwrap().trusts_folder(&folder), "{}", file.text());
        assert_eq!(file.text().contains("\r\n"), text.contains("\r\n"));
    }
    assert!(TrustFile::read("projects = { \"/x\" = {} }").unwrap().trust_folder("/x").is_err());
}

/// Files that list folders keep their form.
#[test]
fn a_trusted_folder_is_one_more_element() {
    for (trust, text, after) in [
        (FolderTrust::List, "", "{\n  \"trustedFolders\": [\n    \"/x\"\n  ]\n}\n"),
        (FolderTrust::List, "{\"trustedFolders\": [\"/a\"]}", "{\"trustedFolders\": [\"/a\", \"/x\"]}"),
        (
            FolderTrust::List,
            "\u{feff}{\r\n\t\"trustedFolders\": [\r\n\t\t\"/a\"\r\n\t]\r\n}",
            "\u{feff}{\r\n\t\"trustedFolders\": [\r\n\t\t\"/a\",\r\n\t\t\"/x\"\r\n\t]\r\n}",
        ),
        (FolderTrust::Levels, "{\n  // mine\n}", "{ \"/x\": \"TRUST_FOLDER\"\n  // mine\n}"),
        (FolderTrust::Levels, "{\"/x\": \"DO_NOT_TRUST\", \"/y\": 1}", "{\"/x\": \"TRUST_FOLDER\", \"/y\": 1}"),
    ] {
        assert_eq!(trust.with(text, "/x").as_deref(), Ok(after));
    }
    for text in ["{\"/x\": 1, \"/x\": 2}", "[]"] {
        assert!(FolderTrust::Levels.with(text, "/x").is_err(), "{text}");
    }
    assert!(FolderTrust::List.with("{\"trustedFolders\": {}}", "/x").is_err());
}

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
        let hook = HookTrust::of(
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

use std::collections::BTreeSet;

use super::*;

#[test]
fn every_table_is_read_and_in_the_list() {
    let tables = tables().unwrap();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/repo_audit/tools");
    let there: BTreeSet<String> =
        folder.read_dir().unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let listed: BTreeSet<String> = tables.tools().iter().map(|tool| format!("{}.json", tool.id)).collect();
    assert_eq!(there, listed);
    let readers: Vec<&String> = tables.tools().iter().flat_map(|tool| &tool.read_by).collect();
    assert!(readers.iter().all(|reader| tables.tools().iter().any(|tool| tool.id == **reader)), "{readers:?}");
    assert!(!tables.tools().iter().any(|tool| tool.vendor.trim().is_empty()));
}

#[test]
fn needles_stand_in_everything_that_is_to_be_found() {
    for tool in tables().unwrap().tools() {
        for signal in &tool.signals {
            let (Form::Trailer { needle, .. }
            | Form::Identity { needle, .. }
            | Form::Message { needle, .. }
            | Form::Ignored { needle, .. }) = &signal.form
            else {
                continue;
            };
            assert!(needle.len() >= 3 && *needle == needle.to_ascii_lowercase(), "{}: {needle}", tool.id);
            for plant in &signal.plants {
                assert!(plant.to_lowercase().contains(needle.as_str()), "{}: `{needle}` is not in `{plant}`", tool.id);
            }
        }
    }
}

#[test]
fn every_signal_has_an_example() {
    let (mut signals, mut spares) = (0, 0);
    for tool in tables().unwrap().tools() {
        for signal in &tool.signals {
            assert!(!signal.plants.is_empty(), "{}: {:?}", tool.id, signal.form);
            signals += 1;
            spares += signal.spares.len();
        }
    }
    assert!(signals >= 150 && spares >= 100, "{signals} signals, {spares} look-alikes");
}

#[test]
fn names_are_compared_without_case_and_marks() {
    let tables = tables().unwrap();
    for (name, id) in [
        ("cursor", "cursor"),
        ("copilot", "copilot"),
        ("GitHub Copilot", "copilot"),
        ("claude_code", "claude-code"),
        ("Codex / ChatGPT", "codex"),
        ("gemini", "gemini-cli"),
        ("Amazon Q", "amazon-q"),
    ] {
        assert_eq!(tables.named(name).map(|tool| tool.id.as_str()), Some(id), "{name}");
    }
    assert!(tables.named("curser").is_none());
}

use super::*;

fn fixtures() -> std::path::PathBuf {
    std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("fixtures/policies")
}

#[test]
fn broken_policies_are_explained_all_at_once() {
    let update = std::env::var_os("UPDATE_SPECS").is_some();
    let mut names: Vec<_> = fixtures().read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    names.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    names.sort();
    assert!(!names.is_empty());
    for path in names {
        let shown = path.file_name().unwrap().to_string_lossy();
        let faults = Policy::from_bytes(&shown, None, &std::fs::read(&path).unwrap()).unwrap_err();
        let mut found = faults.to_string();
        let pointers: Vec<&str> = faults.list.iter().map(|fault| fault.location.pointer.as_str()).collect();
        found = format!("{found}pointers: {}\n\n{}", pointers.join(" "), faults.fancy(Colour::Never, 100));
        assert!(!found.contains(|c: char| c.is_control() && c != '\n'), "{shown} shows control characters");
        let expected = path.with_extension("txt");
        if update {
            std::fs::write(&expected, &found).unwrap();
        }
        assert_eq!(std::fs::read_to_string(&expected).unwrap_or_default(), found, "{shown}");
    }
}

#[test]
fn a_missing_policy_is_a_fault_that_names_the_file_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(".agent-scope.json"), "{}").unwrap();
    let faults = load_file(&folder.path().join(".agent-scop.json")).unwrap_err().to_string();
    assert!(faults.contains("no such policy file") && faults.contains(".agent-scope.json`?"), "{faults}");
    assert!(load_file(&folder.path().join(".agent-scope.json")).is_ok());
    assert!(load_file(folder.path()).is_err());
}

#[test]
fn comments_a_byte_order_mark_and_a_schema_are_welcome() {
    let text =
        "\u{feff}{ // scope\n\"$schema\": \"x\", \"version\": 1, /* … */ \"files\": {\"read\": {\"deny\": [\"a\"]}}}";
    let scope = policy(text);
    let found = decide(&scope, &file_effect("read a"), None);
    assert_eq!(found.location.map(|location| (location.line, location.column)), Some((2, 67)));
    let identity = scope.identity().unwrap();
    assert_eq!((identity.version, identity.sha256.len()), (1, 64));
}

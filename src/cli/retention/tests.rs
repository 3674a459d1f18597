//! The question that is asked where somebody is there to answer it.

use crate::cli::Environment;

fn run(store: &std::path::Path, interactive: bool, stdin: &str) -> (u8, String) {
    let store = store.to_str().unwrap();
    let args = ["agent-strace", "--trace-dir", store, "retention", "clean", "--max-age-days", "30", "--config"];
    let config = std::path::Path::new(store).join("empty.yaml");
    std::fs::write(&config, "").unwrap();
    let args = args.into_iter().chain([config.to_str().unwrap(), "--now", "2026-06-15T12:00:00Z"]);
    let (mut stdin, mut stdout, mut stderr) = (stdin.as_bytes(), Vec::new(), Vec::new());
    let environment = Environment { interactive, ..Environment::default() };
    let code = crate::run_in(environment, args.map(Into::into), &mut stdin, &mut stdout, &mut stderr);
    (code, String::from_utf8(stderr).unwrap())
}

#[test]
fn only_a_yes_deletes() {
    for (interactive, stdin, code, left) in [
        (true, "y\n", 0, false),
        (true, "YES\nno\n", 0, false),
        (true, "\n", 2, true),
        (true, "", 2, true),
        (true, "yep\n", 2, true),
        (true, "n\ny\n", 2, true),
        (false, "y\n", 2, true),
    ] {
        let store = tempfile::tempdir().unwrap();
        let session = store.path().join("old");
        std::fs::create_dir(&session).unwrap();
        std::fs::write(session.join("meta.json"), r#"{"started_at": 1700000000, "ended_at": 1700000060}"#).unwrap();
        let (found, said) = run(store.path(), interactive, stdin);
        assert_eq!((found, session.exists()), (code, left), "{stdin:?}: {said}");
        assert_eq!(said.contains("Delete 1 session(s) (0.0 MB)? [y/N]"), interactive, "{said}");
    }
}

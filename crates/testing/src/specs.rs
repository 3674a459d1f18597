//! Specs are held against what rules really say: `UPDATE_SPECS=1` writes them.

use std::fmt::Write as _;
use std::path::PathBuf;

/// Where they are.
pub fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("crates/rules/specs")
}

/// The spec with its findings as they are now: `judge` gets the lines of a case, which stands in a block called `case`, and
/// gives the lines of its findings.
pub fn rewritten(text: &str, case: &str, mut judge: impl FnMut(&[&str]) -> Vec<String>) -> String {
    let mut written = String::new();
    let mut block: Option<&str> = None;
    let mut lines = Vec::new();
    for line in text.lines() {
        match (block, line.strip_prefix("```")) {
            (None, Some(kind)) if kind == case || kind == "findings" => {
                block = Some(kind);
                if kind == "findings" {
                    written.push_str("```findings\n");
                    for found in judge(&lines) {
                        writeln!(written, "{found}").unwrap();
                    }
                    continue;
                }
                lines.clear();
            }
            (Some(_), Some("")) => block = None,
            (Some("findings"), _) => continue,
            (Some(_), _) => lines.push(line),
            (None, _) => {}
        }
        written.push_str(line);
        written.push('\n');
    }
    written
}

/// Every spec of these rules has to say what its cases lead to, and one of them has to lead to its rule.
/// `with_findings`: the spec with its findings as they are now, and whether the rule itself was among them.
pub fn hold(rules: impl IntoIterator<Item = &'static str>, with_findings: impl Fn(&str, &str) -> (String, bool)) {
    let update = std::env::var_os("UPDATE_SPECS").is_some();
    let mut wrong = String::new();
    for id in rules {
        let path = folder().join(id.replace('/', "-") + ".md");
        let text = std::fs::read_to_string(&path).unwrap();
        let (expected, fires) = with_findings(&text, id);
        if expected != text {
            if update {
                std::fs::write(&path, expected).unwrap();
            } else {
                writeln!(wrong, "--- {}: found\n{expected}", path.display()).unwrap();
            }
        }
        assert!(fires, "no case of {id} reports it");
    }
    assert!(wrong.is_empty(), "specs differ (UPDATE_SPECS=1 rewrites them):\n{wrong}");
}

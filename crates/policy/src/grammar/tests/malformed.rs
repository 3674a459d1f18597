//! `malformed.md`: files that people write by mistake, with the faults that the reader finds and the answer of the schema.

use std::path::Path;

use crate::json;
use agent_strace_testing::specs::rewritten;

use super::{FORMATS, validator};

/// The heading above cases that only the reader refuses.
const READER_ONLY: &str = "## Only the reader sees the fault";

/// The faults of the reader, one in each line, and the answer of the schema.
fn answers(text: &str) -> (Vec<String>, bool) {
    let faults = crate::parse::parse("policy", text, None).err().map(|faults| faults.to_string());
    let faults = faults.iter().flat_map(|faults| faults.lines()).map(str::to_owned).collect();
    let value = json::read(text).ok().and_then(|file| serde_json::from_str(&json::plain(&file.root)).ok());
    (faults, value.is_some_and(|value| validator(&FORMATS[0]).is_valid(&value)))
}

#[test]
fn malformed_policies_are_refused() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/grammar/tests/malformed.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let mut verdicts = Vec::new();
    let expected = rewritten(&text, "policy", |lines| {
        let (mut findings, is_valid) = answers(&lines.join("\n"));
        verdicts.push((lines.join("\n"), findings.is_empty(), is_valid));
        findings.push(format!("schema: {}", if is_valid { "valid" } else { "refused" }));
        findings
    });
    if std::env::var_os("UPDATE_SPECS").is_some() {
        std::fs::write(&path, &expected).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), expected, "UPDATE_SPECS=1 rewrites it");
    let agreeing = text.split(READER_ONLY).next().unwrap().matches("```policy").count();
    let (both, reader_only) = verdicts.split_at(agreeing);
    for (case, reads, is_valid) in both {
        assert_eq!(reads, is_valid, "reader and schema differ: {case}");
    }
    for (case, reads, is_valid) in reader_only {
        assert!(!reads && *is_valid, "the reader has to refuse it, and the schema has to accept it: {case}");
    }
}

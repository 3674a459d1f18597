//! The knowledge base as a whole, and the literate table of commands.

use super::knowledge;

#[test]
fn the_knowledge_base_parses_and_names_each_program_once() {
    let mut seen = std::collections::BTreeMap::new();
    let mut twice = Vec::new();
    for (family, entries) in knowledge::families() {
        let entries = entries.unwrap_or_else(|error| panic!("{family}.json: {error}"));
        for entry in &entries {
            for name in entry.names.split(' ') {
                if let Some(first) = seen.insert(name.to_owned(), family) {
                    twice.push(format!("{name}: {first} and {family}"));
                }
            }
        }
    }
    assert!(twice.is_empty(), "{twice:#?}");
}

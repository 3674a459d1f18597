//! Our own commands: data files beside the template, one `$` line a command, continued by `>` lines.

use std::fs;

use super::judge::Text;
use crate::world::project;

/// Every command of `tests/oracle/*.txt`.
pub(super) fn own() -> Vec<Text> {
    let mut files: Vec<_> = fs::read_dir(project().join("tests/oracle"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    files.sort();
    files
        .iter()
        .flat_map(|path| {
            let source = format!("own: {}", path.file_stem().unwrap().to_str().unwrap());
            let content = fs::read_to_string(path).unwrap();
            parse(&content).into_iter().map(move |text| Text::ours(&source, text))
        })
        .collect()
}

pub(super) fn parse(content: &str) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    for line in content.lines() {
        if let Some(text) = line.strip_prefix("$ ") {
            texts.push(text.to_owned());
        } else if let Some(more) = line.strip_prefix('>') {
            let text = texts.last_mut().expect("a continued line follows a command");
            text.push('\n');
            text.push_str(more.strip_prefix(' ').unwrap_or(more));
        } else {
            assert!(line.is_empty() || line.starts_with('#'), "`{line}` is neither a command nor a remark");
        }
    }
    texts
}

#[test]
fn a_command_goes_on_in_lines_that_start_with_an_arrow() {
    assert_eq!(parse("# words\n$ cat <<E\n> x\n>\n> E\n\n$ ls\n"), ["cat <<E\nx\n\nE", "ls"]);
}

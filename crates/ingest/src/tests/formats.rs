//! The list of formats: complete, and of one mind about every log.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::logs;
use crate::detect::claimants;
use crate::formats::FORMATS;
use crate::gaps::Gaps;
use crate::head::Head;
use crate::reader::{Reader, Shape};

#[test]
fn every_folder_of_a_format_is_in_the_list() {
    let list = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/formats/mod.rs")).unwrap();
    let mut forgotten = Vec::new();
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/formats")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !list.contains(&format!("&{name}::")) {
            forgotten.push(name);
        }
    }
    assert!(forgotten.is_empty(), "not in FORMATS: {forgotten:?}");
}

#[test]
fn names_of_formats_are_unique() {
    let names: BTreeSet<_> = FORMATS.iter().map(|format| format.dialect.name).collect();
    assert_eq!(names.len(), FORMATS.len());
}

#[test]
fn no_record_is_claimed_twice() {
    let mut wrong = BTreeSet::new();
    for path in logs() {
        let Ok(bytes) = fs::read(&path) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim_start_matches('\u{feff}');
        if !text.trim_start().starts_with(['{', '[']) {
            continue;
        }
        let mut reader = Reader::new(text, Shape::of(text));
        while let Some(item) = reader.next::<Head<'_>>(&mut Gaps::new("")) {
            let mut head = item.record;
            head.listed = text.trim_start().starts_with('[');
            let names: Vec<_> = claimants(&head).map(|format| format.dialect.name).collect();
            // The stream is the native transcript in another envelope: it is asked first.
            if names.len() > 1 && names != ["claude-stream-json", "claude-code"] {
                wrong.insert(format!("{}: {}", path.display(), names.join(", ")));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn users_are_told_every_format() {
    let readme =
        fs::read_to_string(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("README.md")).unwrap();
    let untold: Vec<_> = FORMATS
        .iter()
        .map(|format| format.dialect.name)
        .filter(|name| !readme.contains(&format!("`{name}`")))
        .collect();
    assert!(untold.is_empty(), "not in README.md: {untold:?}");
}

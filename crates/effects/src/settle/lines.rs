//! Lines of files, as far as they tell one file from another.

use std::collections::HashMap;

/// Characters that a line has at least.
const SHORTEST: usize = 16;
/// Letters and digits that it has at least, and how many of them differ. Rulers and frames have fewer.
const LETTERS: usize = 8;
const DIFFERENT: usize = 5;
/// A value that identifies a file has at least so many characters.
const LONG: usize = 12;
/// Files that are compared, and bytes of their contents. Beyond them, nothing is proven.
const FILES: usize = 64;
const BYTES: usize = 1 << 20;

/// Starts of lines that many files have, in lower case and without the marks of comments: frames of keys, licences, heads of
/// scripts, modules and documents. Hosts add the last ones to results.
const COMMON: &[&str] = &[
    "begin ",
    "end ",
    "!/",
    "include",
    "import ",
    "export * from",
    "package ",
    "\"use strict\"",
    "'use strict'",
    "copyright",
    "spdx-license-identifier",
    "licensed under",
    "all rights reserved",
    "apiversion:",
    "kind:",
    "\"$schema\"",
    "?xml",
    "!doctype",
    "shell cwd was reset",
    "command running in background",
    "system-reminder",
];

/// The lines of some files that say something.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    files: Vec<String>,
    /// The files that hold each line, by their index.
    holders: HashMap<Box<str>, Vec<usize>>,
    bytes: usize,
}

impl Lines {
    /// Adds the lines of a file, which may have been added with another content before. Returns whether there was room for it.
    pub(super) fn add(&mut self, file: &str, content: &str) -> bool {
        let known = self.files.iter().position(|known| known == file);
        if self.bytes + content.len() > BYTES || known.is_none() && self.files.len() == FILES {
            return false;
        }
        self.bytes += content.len();
        let index = known.unwrap_or_else(|| {
            self.files.push(file.to_owned());
            self.files.len() - 1
        });
        for line in content.lines().filter_map(telling) {
            let holders = self.holders.entry(line.into()).or_default();
            if holders.last() != Some(&index) && !holders.contains(&index) {
                holders.push(index);
            }
        }
        true
    }

    pub(super) fn is_empty(&self) -> bool {
        self.holders.is_empty()
    }

    pub(super) fn has(&self, line: &str) -> bool {
        self.holders.contains_key(line)
    }

    /// The files that hold the line.
    pub(super) fn files_with(&self, line: &str) -> impl Iterator<Item = &str> {
        let holders = self.holders.get(line).into_iter().flatten();
        holders.filter_map(|index| self.files.get(*index).map(String::as_str))
    }
}

/// The lines of a text that are long enough to be compared.
pub(super) fn long(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| line.len() >= SHORTEST)
}

/// The line without blanks around it, if it says something.
fn telling(line: &str) -> Option<&str> {
    let line = line.trim();
    line.chars().nth(SHORTEST - 1)?;
    let mut letters: Vec<char> = line.chars().filter(|character| character.is_alphanumeric()).collect();
    if letters.len() < LETTERS || is_common(line) {
        return None;
    }
    letters.sort_unstable();
    letters.dedup();
    (letters.len() >= DIFFERENT).then_some(line)
}

/// Returns true if the line holds a long piece of mixed letters and digits, such as a key. Such a line identifies its file.
pub(super) fn has_value(line: &str) -> bool {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "+_-".contains(letter);
    let is_value = |piece: &str| {
        let digits = piece.chars().filter(char::is_ascii_digit).count();
        piece.len() >= LONG && digits >= 2 && piece.chars().any(|letter| letter.is_ascii_alphabetic())
    };
    line.split(|letter: char| !is_part(letter)).any(is_value)
}

fn is_common(line: &str) -> bool {
    let text = line.trim_start_matches(['/', '*', '#', ';', '-', '<', ' ']);
    let starts = |start: &&str| text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start));
    COMMON.iter().any(starts) || text.starts_with("from ") && text.contains(" import ")
}

#[cfg(test)]
mod tests {
    use super::{BYTES, FILES, Lines, telling};

    #[test]
    fn lines_that_many_files_have_say_nothing() {
        for line in [
            "KEY=1",
            "----------------------------------------",
            "| -- | -- | -- | -- | -- | a |",
            "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "-----BEGIN PRIVATE KEY-----",
            "-----END OPENSSH PRIVATE KEY-----",
            "#!/usr/bin/env bash",
            "#include <stdio.h>",
            "import React from 'react';",
            "from pathlib import Path",
            " * Copyright (c) 2024 The Authors",
            "// SPDX-License-Identifier: MIT",
            "apiVersion: apps/v1",
            "kind: Deployment",
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
            "Shell cwd was reset to /home/u/wks/cli",
        ] {
            assert_eq!(telling(line), None, "{line}");
        }
        for line in [
            "API_TOKEN=0123456789abcdef",
            "  password: swordfish-and-chips\r",
            "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC",
            "from: the desk of a colleague",
            "пароль: рыба-меч и картошка",
        ] {
            assert_eq!(telling(line), Some(line.trim()), "{line}");
        }
    }

    #[test]
    fn so_many_files_and_bytes_are_compared() {
        let mut lines = Lines::default();
        for file in 0..=FILES {
            assert_eq!(lines.add(&file.to_string(), &format!("the secret number {file}")), file < FILES);
        }
        assert!(lines.add("0", "another secret line") && lines.has("another secret line"));
        assert_eq!(lines.files_with("the secret number 1").collect::<Vec<_>>(), ["1"]);
        assert!(!lines.has("the secret number 64"));
        assert!(!Lines::default().add("x", &"a line of text\n".repeat(BYTES / 8)));
    }
}

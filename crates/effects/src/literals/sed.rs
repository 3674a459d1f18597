//! `sed -i` with a script that only replaces one literal text by another, or only takes lines away.

use std::borrow::Cow;

use agent_strace_shell::Word;

use super::Content;

/// The files that `sed` writes in place.
pub(super) fn writes(words: &[Word], add: &mut dyn FnMut(Option<Cow<'_, str>>, Content)) {
    let words: Vec<Option<Cow<'_, str>>> = words.iter().skip(1).map(Word::literal).collect();
    let Some(called) = Called::of(&words) else {
        if words.iter().any(|word| may_write(word.as_deref())) {
            add(None, Content::Unknown);
        }
        return;
    };
    for file in called.files {
        add(file.clone(), called.content.clone());
    }
}

/// The word may be the option to write in place, alone or among others.
fn may_write(word: Option<&str>) -> bool {
    word.is_none_or(|word| word.starts_with('-') && word.contains('i'))
}

/// A call that writes in place.
struct Called<'w> {
    content: Content,
    files: &'w [Option<Cow<'w, str>>],
}

impl<'w> Called<'w> {
    /// `None`: it is called in another way.
    fn of(words: &'w [Option<Cow<'w, str>>]) -> Option<Self> {
        let (mut script, mut at, mut is_extended, mut is_in_place) = (None, 0, false, false);
        while let Some(word) = words.get(at) {
            match word.as_deref()? {
                "-i" | "--in-place" => {
                    is_in_place = true;
                    // BSD takes the ending of a copy as the next word.
                    at += usize::from(words.get(at + 1).is_some_and(|next| next.as_deref() == Some("")));
                }
                "-E" | "-r" | "--regexp-extended" => is_extended = true,
                "-e" if script.is_none() => {
                    at += 1;
                    script = Some(words.get(at)?.as_deref()?);
                }
                option if option.starts_with('-') => return None,
                _ => break,
            }
            at += 1;
        }
        if script.is_none() {
            script = Some(words.get(at)?.as_deref()?);
            at += 1;
        }
        let content = content(script?, is_extended).unwrap_or(Content::Unknown);
        is_in_place.then_some(Self { content, files: words.get(at..)? })
    }
}

/// The content that a script makes. `None`: it is not known.
fn content(script: &str, is_extended: bool) -> Option<Content> {
    if script.contains(['\\', '\n', ';']) {
        return None;
    }
    let command = without_address(script)?;
    if command == "d" {
        return Some(Content::Fewer);
    }
    let rest = command.strip_prefix('s')?;
    let delimiter = rest.chars().next().filter(char::is_ascii_punctuation)?;
    let parts: Vec<&str> = rest.split(delimiter).skip(1).collect();
    let [old, new, "" | "g"] = parts.as_slice() else { return None };
    let is_special = |letter: char| ".*[]^$".contains(letter) || is_extended && "+?(){}|".contains(letter);
    let is_literal = !old.is_empty() && !old.contains(is_special) && !new.contains('&');
    is_literal.then(|| Content::Replaced { old: (*old).to_owned(), new: (*new).to_owned() })
}

/// The command behind `5`, `2,$`, `/text/` and the like.
fn without_address(script: &str) -> Option<&str> {
    let mut rest = script.trim_start();
    loop {
        rest = match rest.chars().next()? {
            '0'..='9' => rest.trim_start_matches(|letter: char| letter.is_ascii_digit()),
            '$' => rest.get(1..)?,
            '/' => rest.get(1..)?.split_once('/')?.1,
            _ => return Some(rest),
        };
        match rest.strip_prefix(',') {
            Some(second) => rest = second,
            None => return Some(rest.trim_start()),
        }
    }
}

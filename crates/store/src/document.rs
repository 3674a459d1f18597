//! A session of the store as one document: what it adds up to, and its events.

use super::{Content, Imported, name};

/// The document of a session that is not in the store: as if it were imported.
pub fn document(imported: &Imported<'_>) -> String {
    let content = Content::of(imported, &name::directory(&imported.session.id));
    document_of(&content.meta, &content.events)
}

/// Both files of a session that is not in the store, as if it were imported: `meta.json` and `events.ndjson`.
pub fn files(imported: &Imported<'_>) -> (String, String) {
    let content = Content::of(imported, &name::directory(&imported.session.id));
    (content.meta, content.events)
}

/// The document of both files of a session. Lines that are no JSON are left out: they were told as gaps.
pub fn document_of(meta: &str, events: &str) -> String {
    let is_json = |json: &&str| serde_json::from_str::<serde::de::IgnoredAny>(json).is_ok();
    let mut json = format!("{{\"session\":{},\"events\":[", Some(meta).filter(is_json).unwrap_or("null"));
    for (at, line) in events.lines().filter(is_json).enumerate() {
        if at > 0 {
            json.push(',');
        }
        json.push_str(line);
    }
    json.push_str("]}");
    indented(&json)
}

/// The same JSON with two spaces for every level.
pub fn indented(json: &str) -> String {
    let mut text = String::with_capacity(json.len() * 2);
    let (mut depth, mut quoted, mut escaped, mut opened) = (0_usize, false, false, false);
    let line = |text: &mut String, depth: usize| {
        text.push('\n');
        text.extend(std::iter::repeat_n("  ", depth));
    };
    for character in json.chars() {
        if quoted {
            quoted = character != '"' || escaped;
            escaped = character == '\\' && !escaped;
            text.push(character);
            continue;
        }
        if character.is_ascii_whitespace() {
            continue;
        }
        let closes = matches!(character, '}' | ']');
        if opened && !closes {
            line(&mut text, depth);
        }
        if closes {
            depth = depth.saturating_sub(1);
            if !opened {
                line(&mut text, depth);
            }
        }
        opened = matches!(character, '{' | '[');
        depth += usize::from(opened);
        quoted = character == '"';
        text.push(character);
        match character {
            ',' => line(&mut text, depth),
            ':' => text.push(' '),
            _ => {}
        }
    }
    text
}

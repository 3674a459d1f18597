//! What holds for every log.

use std::fmt::Write as _;

use proptest::prelude::*;
use serde_json::Value;

use super::{Drops, Nothing, Out, Plain, run};
use crate::MARK;
use crate::stream::rewrite;

/// Documents with secrets in some strings and keys.
fn document() -> impl Strategy<Value = Value> {
    let secret = prop_oneof!["key-[a-z0-9]{20,30}"];
    let words = "[a-z \"\\\\\n\u{fc}\u{1F600}\t/~]{0,12}";
    let text =
        (words, proptest::option::weighted(0.3, secret), words).prop_map(|(before, secret, after)| match secret {
            Some(secret) => format!("{before} {secret} {after}"),
            None => before,
        });
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        text.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 5, move |inner| {
        let nested = inner.clone().prop_map(|value| Value::from(value.to_string()));
        prop_oneof![
            nested,
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::vec((text.clone(), inner), 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Containers of a document and how much each holds.
fn shape(value: &Value) -> String {
    match value {
        Value::Array(elements) => format!("[{}]", elements.iter().map(shape).collect::<String>()),
        Value::Object(members) => format!("{{{}}}", members.values().map(shape).collect::<String>()),
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(inner) if inner.is_array() || inner.is_object() => format!("<{}>", shape(&inner)),
            _ => "s".to_owned(),
        },
        Value::Number(_) => "n".to_owned(),
        _ => "l".to_owned(),
    }
}

fn ascii(json: &str) -> String {
    let mut shown = String::new();
    for character in json.chars() {
        if character.is_ascii() {
            shown.push(character);
        } else {
            for unit in character.encode_utf16(&mut [0; 2]).iter() {
                write!(shown, "\\u{unit:04x}").unwrap();
            }
        }
    }
    shown
}

/// Values at pointers, with keys as they were: a key that holds a secret is not in the pointer.
fn at<'v>(value: &'v Value, pointer: &str) -> Option<&'v Value> {
    let Some(rest) = pointer.strip_prefix('/') else { return Some(value) };
    let (part, rest) = rest.find('/').map_or((rest, ""), |slash| rest.split_at(slash));
    match value {
        Value::Array(elements) => at(elements.get(part.parse::<usize>().ok()?)?, rest),
        Value::Object(members) => at(members.get(&part.replace("~1", "/").replace("~0", "~"))?, rest),
        _ => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn bytes_in_which_nothing_is_found_stay(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let mut out = Out::default();
        rewrite(&mut &bytes[..], &Nothing, &mut out).unwrap();
        prop_assert_eq!(out.bytes, bytes);
    }

    #[test]
    fn how_bytes_arrive_changes_nothing(
        text in "([\\[\\]{}:,\"\\\\\n \u{fc}a]|\"a\":|key-[a-z]{20}|\\\\u00fc|\\{\"a\":\"x\"\\}|=[a-z]{9}){0,60}",
        sizes in proptest::collection::vec(1_usize..9, 1..5),
    ) {
        let whole = run(text.as_bytes());
        let mut dropped = Out::default();
        rewrite(&mut Drops { bytes: text.as_bytes(), sizes: sizes.iter().cycle() }, &Plain, &mut dropped).unwrap();
        prop_assert_eq!(&whole, &dropped);
        // Nothing is left of a secret, and nothing is found in what is left.
        let again = run(&whole.bytes);
        prop_assert_eq!(&again.bytes, &whole.bytes);
        prop_assert!(again.rows.is_empty());
        let left = String::from_utf8_lossy(&whole.bytes).into_owned();
        for row in &whole.rows {
            prop_assert!(!left.contains(&row.value) || !row.value.starts_with("key-"), "{}", left);
        }
    }

    #[test]
    fn documents_keep_their_shape(document in document(), pretty in any::<bool>(), escaped in any::<bool>()) {
        let json = if pretty { serde_json::to_string_pretty(&document).unwrap() } else { document.to_string() };
        let json = if escaped { ascii(&json) } else { json };
        let line = format!("{json}\n");
        let out = run(line.as_bytes());
        let output = String::from_utf8(out.bytes).unwrap();
        if document.is_array() || document.is_object() {
            let after: Value = serde_json::from_str(&output).unwrap();
            prop_assert_eq!(shape(&after).len(), shape(&document).len());
            for row in out.rows.iter().filter(|row| !row.pointer.contains(MARK)) {
                let leaf = at(&document, &row.pointer).unwrap();
                let taken: String = leaf.as_str().unwrap().chars().skip(usize::try_from(row.start).unwrap())
                    .take(usize::try_from(row.end - row.start).unwrap()).collect();
                prop_assert!(taken.contains(&row.value) || taken.contains('\\'), "{} {:?}", taken, row);
                prop_assert!(!output.contains(&row.value));
            }
        }
        prop_assert_eq!(&run(output.as_bytes()).bytes, &output.clone().into_bytes());
        prop_assert!(!output.contains("key-") || !output.split("key-").skip(1).any(|rest|
            rest.bytes().take_while(u8::is_ascii_alphanumeric).count() >= 20));
    }
}

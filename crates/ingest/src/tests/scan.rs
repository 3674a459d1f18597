//! The scanner accepts what `serde_json` accepts, and cuts values where it does.

use proptest::prelude::*;
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::gaps::Gaps;
use crate::json::{Raw, beginning, elements, fields, record};
use crate::reader::{Reader, Shape};
use crate::scan::is_json;

const TEXTS: &[&str] = &[
    "",
    " ",
    "0",
    "-0",
    "01",
    "-",
    "1.",
    "1.5",
    ".5",
    "1e",
    "1e5",
    "1E+5",
    "1e-",
    "1e999",
    "--1",
    "+1",
    "1 2",
    "true",
    "tru",
    "truex",
    "null",
    "nul",
    "nullnull",
    "false",
    "falsey",
    "\"\"",
    "\"a",
    "\"\\\"",
    "\"\\n\"",
    "\"\\x\"",
    "\"\\u12\"",
    "\"\\u12ag\"",
    "\"\\ud83d\"",
    "\"\\ud83d\\ude00\"",
    "\"\\",
    "\"a\tb\"",
    "\"a\nb\"",
    "\"\u{1}\"",
    "\"\u{7f}\"",
    "\"é😀\"",
    "\"0123456789012345678901234567890123456789012345678901234567890123456789\\n0123456789\"",
    "\"01234567890123456789012345678901234567890123456789012345678901234567890123456789\t\"",
    "[]",
    "[1]",
    "[1,]",
    "[,1]",
    "[1 2]",
    "[[]",
    "[]]",
    "[1}",
    "{}",
    "{\"a\":1}",
    "{\"a\":1,}",
    "{,}",
    "{\"a\"}",
    "{\"a\":}",
    "{\"a\" : [ { } , null ] }",
    "{a:1}",
    "{1:1}",
    "{\"a\":1]",
    "{\"a\":1 \"b\":2}",
    "\u{feff}{}",
    "{}\u{a0}",
    "{}x",
    "'a'",
    "[\"\\\\\",\"\\\\\\\"\"]",
    "{\"\\ud83d\":1}",
    "\u{b}1",
];

fn agrees(text: &str) -> bool {
    is_json(text) == serde_json::from_str::<IgnoredAny>(text).is_ok()
}

#[test]
fn the_same_texts_are_json() {
    for text in TEXTS {
        assert!(agrees(text), "{text:?}");
        let inside = format!("{{\"key\":[{text},{text}]}}");
        assert!(agrees(&inside), "{inside:?}");
    }
    assert!(TEXTS.iter().filter(|text| is_json(text)).count() > 15);
}

#[test]
fn any_depth_is_tracked() {
    for depth in [1, 2, 63, 64, 65, 127, 128, 129, 200, 5_000] {
        let open = "[{\"a\":".repeat(depth);
        let close = "}]".repeat(depth);
        assert!(is_json(&format!("{open}1{close}")), "{depth}");
        for wrong in
            [format!("{open}1{close}]"), format!("{open}1}}{close}"), format!("{open}1]{}", close.replace("}]", "]}"))]
        {
            assert!(!is_json(&wrong), "{depth}");
        }
    }
}

record! {
    struct Pair { first = "first", second = "second" }
}

#[test]
fn an_escaped_key_is_the_key_it_spells() {
    let mut gaps = Gaps::new("");
    let mut reader = Reader::new(r#"{"f\u0069rst":1,"second":null,"third":2,"first":3}"#, Shape::Lines);
    let pair = reader.next::<Pair<'_>>(&mut gaps).unwrap().record;
    assert_eq!(pair.first.map(Raw::get), Some("3"));
    assert!(pair.second.is_none());
    assert_eq!((pair.duplicate, pair.others), (Some("first"), 1));
}

#[test]
fn a_record_above_the_limit_is_a_gap_and_the_next_one_is_read() {
    let large = format!("{{\"first\":\"{}\"}}", "x".repeat(100));
    for (shape, text) in [
        (Shape::Lines, format!("{large}\n{{\"first\":1}}\n")),
        (Shape::Document, format!("[{large},\n{{\"first\":1}}]")),
    ] {
        for (limit, expected) in [(large.len(), 2), (large.len() - 1, 1)] {
            let mut gaps = Gaps::new("");
            let mut reader = Reader::new(&text, shape).limited(limit);
            let read = std::iter::from_fn(|| reader.next::<Pair<'_>>(&mut gaps)).count();
            let gaps = gaps.finish();
            assert_eq!((read, gaps.len()), (expected, 2 - expected), "{shape:?} {limit}");
            assert!(
                gaps.iter().all(|gap| gap.line == Some(1) && gap.reason().contains("larger than 64 MiB")),
                "{gaps:?}"
            );
        }
    }
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,90}".prop_map(Value::from),
        "[a-z\\n\"\\\\ é]{0,90}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::btree_map("[a-z\"é]{0,12}", inner, 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn damage_is_seen_wherever_it_is(value in value(), pretty in any::<bool>(), at in any::<prop::sample::Index>(), with in prop::sample::select(b"\"\\{}[],:0 \t\x01tu-e.".to_vec())) {
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
        prop_assert!(is_json(&text));
        let mut bytes = text.clone().into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = with;
        if let Ok(changed) = String::from_utf8(bytes) {
            prop_assert!(agrees(&changed), "{changed:?}");
        }
        prop_assert!(text.get(..at).is_none_or(agrees));
    }

    #[test]
    fn values_are_cut_where_they_end(values in proptest::collection::vec(value(), 0..6)) {
        let text = serde_json::to_string_pretty(&values).unwrap();
        let cut: Vec<Value> =
            elements(Some(Raw::new(&text))).into_iter().map(|raw| serde_json::from_str(raw.get()).unwrap()).collect();
        prop_assert_eq!(&cut, &serde_json::from_str::<Vec<Value>>(&text).unwrap());
        let object: serde_json::Map<String, Value> = cut.into_iter().enumerate().map(|(at, value)| (format!("k\"{at}"), value)).collect();
        let text = serde_json::to_string(&object).unwrap();
        let read = fields(&text).unwrap();
        prop_assert_eq!(read.len(), object.len());
        for (key, raw) in read {
            prop_assert_eq!(&serde_json::from_str::<Value>(raw.get()).unwrap(), &serde_json::from_str::<serde_json::Map<String, Value>>(&text).unwrap()[&*key]);
        }
    }
}

proptest! {
    #[test]
    fn the_beginning_of_a_text_is_its_beginning(text in "[\"\\\\\n\u{1}éx😀]{0,40}", ascii: bool, length in 0_usize..50) {
        let mut json = serde_json::to_string(&text).unwrap();
        if ascii {
            let escape = |unit: u16| match u8::try_from(unit) {
                Ok(byte @ ..128) => char::from(byte).to_string(),
                _ => format!("\\u{unit:04x}"),
            };
            json = json.encode_utf16().map(escape).collect();
        }
        let start = beginning(Some(Raw::new(&json)), length).unwrap();
        // Half of a surrogate pair may be the last thing that is read.
        let read = start.text.trim_end_matches('\u{fffd}');
        prop_assert!(text.starts_with(read), "{text:?} {:?}", start.text);
        prop_assert!(read.len() * 6 + 12 >= length.min(json.len() - 2), "{text:?} {read:?}");
        prop_assert!(start.is_cut || start.text == text);
    }
}

//! Every example of `examples.tsv`, and what holds for any text.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::find;
use super::text::rows;
use crate::hit::Hit;

struct Example {
    wanted: Option<String>,
    text: String,
    span: Option<(usize, usize)>,
    key: Option<&'static str>,
}

fn examples() -> Vec<Example> {
    rows(include_str!("examples.tsv"))
        .map(|row| {
            let mut fields = row.split('\t');
            let wanted = fields.next().filter(|wanted| *wanted != "-").map(str::to_owned);
            let marked = unescape(fields.next().expect("a text"));
            let span = marked.find('«').zip(marked.find('»')).map(|(start, end)| (start, end - '«'.len_utf8()));
            assert_eq!(wanted.is_some(), span.is_some(), "{row}");
            Example { wanted, span, text: marked.replace(['«', '»'], ""), key: fields.next() }
        })
        .collect()
}

fn unescape(text: &str) -> String {
    text.replace("\\\\", "\u{0}").replace("\\n", "\n").replace("\\t", "\t").replace('\u{0}', "\\")
}

fn hits(key: Option<&str>, text: &str) -> Vec<Hit> {
    let mut hits = Vec::new();
    find(key, text, &mut hits);
    hits
}

#[test]
fn examples_are_found_and_nothing_else() {
    let mut wrong = String::new();
    for Example { wanted, text, span, key } in examples() {
        let found: Vec<(String, (usize, usize))> =
            hits(key, &text).iter().map(|hit| (format!("{}/{}", hit.rule, hit.kind), (hit.start, hit.end))).collect();
        let right = match wanted.clone().zip(span) {
            Some(wanted) => found.contains(&wanted),
            None => found.is_empty(),
        };
        if !right {
            writeln!(wrong, "{text:?}: wanted {wanted:?} at {span:?}, found {found:?}").expect("a string takes text");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn every_rule_has_examples() {
    let named: Vec<String> = examples().into_iter().filter_map(|example| example.wanted).collect();
    for rule in
        ["email", "phone", "card", "iban", "national-id", "ip", "mac", "cloud-account", "home-path", "user-name"]
    {
        let count = named.iter().filter(|wanted| wanted.starts_with(&format!("pii/{rule}/"))).count();
        assert!(count >= 3, "{rule} has {count} examples");
    }
}

/// A table with a row that cannot be read would find less without a word.
#[test]
fn every_row_of_the_tables_is_read() {
    assert!(super::needles::is_built());
    assert_eq!(super::phone::codes(), rows(include_str!("tables/calling_codes.tsv")).count());
    assert_eq!(super::national::count(), rows(include_str!("tables/national_ids.tsv")).count());
    assert_eq!(super::card::count(), rows(include_str!("tables/cards.tsv")).count());
    assert_eq!(super::iban::count(), rows(include_str!("tables/iban.txt")).flat_map(|row| row.split(' ')).count());
    assert_eq!(
        super::context::count(),
        rows(include_str!("tables/context.tsv")).flat_map(|row| row.split(' ')).count()
    );
    for row in rows(include_str!("tables/keys.tsv")) {
        let keys: Vec<&str> = row.split('\t').collect();
        assert_eq!(keys.len(), 5, "{row}");
        for key in keys.last().unwrap().split(' ') {
            assert!(super::is_name(key) && super::is_name(&key.to_uppercase()), "{key}");
        }
    }
}

/// Tables that are searched by halves are in order.
#[test]
fn top_level_domains_are_sorted() {
    let domains: Vec<_> = rows(include_str!("tables/top_level_domains.txt")).collect();
    assert!(domains.is_sorted());
}

/// What starts a grammar, again and again: no grammar may read far from each of them.
#[test]
fn repetition_finds_nothing_and_ends() {
    for piece in [
        "@",
        "1",
        "+1",
        "/home/",
        "a@",
        "1 ",
        "1.",
        "1-",
        "0:",
        "%40",
        "%2B%40",
        "rw-",
        "~a",
        "-by: a<",
        "a@b.",
        "00 1",
        "\\Users\\",
        "A1/",
    ] {
        assert!(hits(None, &piece.repeat(100_000 / piece.len())).is_empty(), "{piece}");
    }
}

fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<String>(),
        "[0-9 ()+./x-]{0,20}",
        "[a-fA-F0-9:.-]{0,24}",
        "[@~+%＠\\\\/nUsershom-]{0,12}",
        proptest::sample::select(vec![
            "/home/",
            "\\Users\\",
            "%2Fhome%2F",
            "-Users-",
            "USER=",
            "user.name ",
            "-by: ",
            "-rw-r--r--",
            ":x:",
            "uid=",
            "%40",
            "＠",
            "subscriptions/",
            "phone ",
            "ssn ",
            "é",
            "吧",
            "\\n",
            "arn:aws:iam::",
            "DE62",
            "@a.com",
            "ssh ",
        ])
        .prop_map(str::to_owned),
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn spans_are_parts_of_the_text(text in pieces(), key in proptest::option::of("[a-z_]{0,12}")) {
        for hit in hits(key.as_deref(), &text) {
            prop_assert!(hit.start < hit.end);
            prop_assert!(text.get(hit.start..hit.end).is_some());
        }
    }
}

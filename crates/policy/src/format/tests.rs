use proptest::prelude::*;

use super::*;

fn formatted(text: &str) -> String {
    format("scope.json", text, Comments::Keep).unwrap_or_else(|faults| panic!("{faults}"))
}

#[test]
fn entries_that_share_a_line_stay_together() {
    let text = "{\n  \"commands\": {\n    \"allow\": [\n      // look\n      \"cat\", \"ls\",   \"head\",\n      \"tail\", // all\n      \"wc\"\n    ]\n  }\n}\n";
    let laid_out = format("x", text, Comments::Keep).unwrap();
    assert_eq!(laid_out, text.replace("\"ls\",   ", "\"ls\", "));
    let long: Vec<String> = (0..30).map(|number| format!("\"entry-{number}\"")).collect();
    let laid_out = format("x", &format!("{{\"a\": [\n{}]}}", long.join(", ")), Comments::Keep).unwrap();
    assert!(laid_out.lines().all(|line| line.len() <= 100) && laid_out.lines().count() < 12, "{laid_out}");
    assert_eq!(format("x", &laid_out, Comments::Keep).unwrap(), laid_out);
}

#[test]
fn a_policy_is_laid_out() {
    let text = r#"// What agents may do here.
{"files":{"read":{"allow":["src/**"],   // sources
"deny":[".env", // secrets
/* certificates */ "*.pem" ]}},


/* Nothing
     * is sent. */
"network": {"deny_all":true,"allow":[]}, "commands": {"allow": ["cargo test","cargo build","cargo clippy --all-targets","git status","git diff","git log"],
"deny": [ // never
] }, "version" : 1 // of the language
// the end
}
// after
"#;
    let expected = r#"// What agents may do here.
{
  "version": 1, // of the language
  "files": {
    "read": {
      "allow": ["src/**"], // sources
      "deny": [
        ".env", // secrets
        /* certificates */
        "*.pem"
      ]
    }
  },
  "commands": {
    "allow": [
      "cargo test",
      "cargo build",
      "cargo clippy --all-targets",
      "git status",
      "git diff",
      "git log"
    ],
    "deny": [
      // never
    ]
  },

  /* Nothing
   * is sent. */
  "network": { "deny_all": true, "allow": [] }
  // the end
}
// after
"#;
    assert_eq!(formatted(text), expected);
    let plain = format("x", text, Comments::Strip).unwrap();
    assert!(!plain.contains("//") && !plain.contains("/* "), "{plain}");
    serde_json::from_str::<serde_json::Value>(&plain).unwrap();
}

#[test]
fn spelling_is_nobodys_business() {
    for (text, expected) in [
        ("{}", "{}\n"),
        ("{ \n }", "{}\n"),
        ("\u{feff}{\"a\":\"\\u00e9\\/\",\r\n\"b\":1.0e+2}", "{\n  \"a\": \"\\u00e9\\/\",\n  \"b\": 1.0e+2\n}\n"),
        ("{\"a\" /* x */ : // y\n 1}", "{\n  /* x */\n  // y\n  \"a\": 1\n}\n"),
        ("[1, /* of 2 */ 2 /* behind 2 */]", "[\n  1,\n  /* of 2 */\n  2 /* behind 2 */\n]\n"),
        ("[1 // one\n, // two\n 2]", "[\n  1, // one\n  // two\n  2\n]\n"),
        ("{\"a\": {}, \"b\": [ ]}", "{\n  \"a\": {},\n  \"b\": []\n}\n"),
    ] {
        assert_eq!(formatted(text), expected, "{text}");
    }
}

#[test]
fn what_is_no_json_is_a_fault_with_its_place() {
    let faults = format("scope.json", "{\"a\": ]", Comments::Keep).unwrap_err().to_string();
    assert!(faults.starts_with("scope.json:1:7: "), "{faults}");
}

fn comment() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => Just(" ".to_owned()),
        1 => Just("\n".to_owned()),
        1 => Just("\r\n\n".to_owned()),
        1 => "//[a-z *\"{,]{0,6}\n",
        1 => "/\\*[a-z \n*\"\\[,]{0,6} \\*/",
    ]
}

/// A document with blanks and comments wherever they may stand.
fn document() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("-1.5e3".to_owned()),
        "\"([a-z/*#]|\\\\\"|\\\\\\\\){0,6}\"",
        Just("true".to_owned()),
    ];
    let value = leaf.prop_recursive(4, 40, 5, |inner| {
        let list = proptest::collection::vec((comment(), inner.clone(), comment()), 0..5).prop_map(|items| {
            let items: Vec<String> = items.into_iter().map(|(before, item, after)| before + &item + &after).collect();
            format!("[{}]", items.join(","))
        });
        let key = prop_oneof![Just("\"files\"".to_owned()), Just("\"version\"".to_owned()), "\"[a-z]{1,30}\""];
        let member = (comment(), key, comment(), comment(), inner, comment());
        let object = proptest::collection::vec(member, 0..5).prop_map(|members| {
            let members: Vec<String> = members
                .into_iter()
                .map(|(before, key, behind, middle, value, after)| {
                    format!("{before}{key}{behind}:{middle}{value}{after}")
                })
                .collect();
            format!("{{{}}}", members.join(","))
        });
        prop_oneof![list, object]
    });
    (comment(), value, comment()).prop_map(|(before, value, after)| format!("{before}{value}{after}"))
}

/// The comments of a text without their blanks, in no order.
fn comments(text: &str) -> Vec<String> {
    let of = |token: &tokens::Token<'_>| matches!(token.kind, tokens::Kind::LineComment | tokens::Kind::BlockComment);
    let found = tokens::tokens(text).into_iter().filter(of);
    let mut found: Vec<String> = found.map(|token| token.text.split_whitespace().collect()).collect();
    found.sort();
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn formatting_keeps_values_and_comments_and_is_done_once(text in document()) {
        let once = formatted(&text);
        prop_assert_eq!(&formatted(&once), &once);
        prop_assert_eq!(comments(&once), comments(&text));
        let plain = format("x", &text, Comments::Strip).unwrap();
        prop_assert_eq!(comments(&plain), Vec::<String>::new());
        prop_assert!(json::same(&json::read(&text).unwrap().root, &json::read(&plain).unwrap().root));
        prop_assert_eq!(&format("x", &plain, Comments::Strip).unwrap(), &plain);
        // A comment in the plain text would have been an error here.
        prop_assert!(serde_json::from_str::<serde_json::Value>(&plain).is_ok());
    }
}

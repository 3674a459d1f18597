//! What holds for every session: nothing is left, nothing else changes, and equal things stay equal.

#![allow(clippy::string_slice, reason = "a test fails loudly")]

use std::fmt::Write as _;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::base64;
use super::{Anonymized, Class, Key, Options, Pseudonyms, Rule, Vault, anonymize};

fn options(secret: u8) -> Options {
    let pseudonyms = Pseudonyms { key: Key::new(&[secret; super::KEY_LENGTH]), scope: String::new() };
    Options { pseudonyms: Some(pseudonyms), ..Options::default() }
}

fn fields() -> Vec<(String, String)> {
    let field = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    vec![
        field("os_user", "zorawski"),
        field("hostname", "kestrel-77"),
        field("git_repo", "git@github.com:tarnfield/quiet-harbour.git"),
        field("git_branch", "zorawski/fix-tides-9"),
        field("user_email", "z.orawski@tarnfield-mail.io"),
        field("git_author", "Zofia Orawski"),
        field("working_dir", "/home/zorawski/quiet-harbour"),
    ]
}

fn run(options: &Options, text: &str) -> Anonymized {
    anonymize(options, text.as_bytes(), &fields()).unwrap()
}

fn line(value: &Value) -> String {
    format!("{value}\n")
}

fn text_of(anonymized: &Anonymized) -> String {
    String::from_utf8(anonymized.bytes.clone()).unwrap()
}

/// An invented token in the form of a vendor's.
fn token() -> String {
    ["ghp", "x7Qm2LrT9vBnC4kWz8HsY1pDfG6jE3aR5uXo"].join("_")
}

/// Values that a session must not show, whoever exports it.
const PLANTED: &[&str] = &[
    "/home/zorawski",
    "/Users/zorawski",
    "C:\\Users\\zorawski",
    "z.orawski@tarnfield-mail.io",
    "kestrel-77",
    "kestrel-77.tarnfield.internal",
    "tarnfield/quiet-harbour",
    "zorawski/fix-tides-9",
    "Zofia Orawski",
    "zorawski",
];

fn percent(text: &str) -> String {
    text.bytes().fold(String::new(), |mut all, byte| {
        if byte.is_ascii_alphanumeric() {
            all.push(char::from(byte));
        } else {
            write!(all, "%{byte:02X}").unwrap();
        }
        all
    })
}

/// One value as programs write it.
fn spelled(value: &str, how: usize) -> String {
    let each = |write: &dyn Fn(u32) -> String| value.chars().map(|letter| write(u32::from(letter))).collect::<String>();
    match how {
        0 => value.to_owned(),
        1 => value.to_uppercase(),
        2 => percent(value),
        3 => percent(&percent(value)),
        4 => base64::encode(value.as_bytes()),
        5 => base64::encode(format!("-{value} y").as_bytes()),
        6 => base64::encode(format!(", {value} z").as_bytes()).replace('+', "-").replace('/', "_").replace('=', ""),
        7 => super::hexadecimal(value.as_bytes()),
        8 => each(&|code| format!("&#{code};")),
        9 => each(&|code| format!("&#x{code:X};")),
        10 => each(&|code| format!("\\u{code:04x}")),
        11 => value.replace('\\', "\\\\").replace('/', "\\/"),
        12 => base64::encode(&value.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()),
        13 => value.chars().flat_map(|letter| [letter, '\0']).collect(),
        14 => value.chars().flat_map(|letter| [letter, '\u{200b}']).collect(),
        15 => serde_json::to_string(&json!({ value: [value] })).unwrap(),
        16 => serde_json::to_string(&json!(serde_json::to_string(&json!({"a": value})).unwrap())).unwrap(),
        _ => {
            value
                .chars()
                .map(|letter| {
                    if letter.is_ascii_graphic() { char::from_u32(u32::from(letter) + 0xfee0).unwrap() } else { letter }
                })
                .collect()
        }
    }
}

const SPELLINGS: usize = 18;

/// Everything of a JSON value but the texts: what may not change.
fn shape(value: &Value) -> String {
    match value {
        Value::Object(members) => format!("{{{}}}", members.values().map(shape).collect::<Vec<_>>().join(",")),
        Value::Array(items) => format!("[{}]", items.iter().map(shape).collect::<Vec<_>>().join(",")),
        Value::String(_) => "s".to_owned(),
        other => other.to_string(),
    }
}

/// Every value in every spelling, on its own and in prose: independent of what the program thinks a spelling is.
#[test]
fn nothing_is_left_in_any_spelling() {
    let options = options(1);
    let mut left = Vec::new();
    for value in PLANTED {
        let spellings: Vec<String> = (0..SPELLINGS).map(|how| spelled(value, how)).collect();
        let lines =
            spellings.iter().map(|text| line(&json!({"data": {"a": text, "b": format!("see {text} here"), "n": 7}})));
        let anonymized = run(&options, &lines.collect::<String>());
        assert!(anonymized.residue(&options, &anonymized.bytes).unwrap().is_empty(), "{value}");
        let text = text_of(&anonymized);
        assert_eq!(text.lines().count(), SPELLINGS);
        for (line, (how, spelling)) in text.lines().zip(spellings.iter().enumerate()) {
            let decoded = serde_json::from_str::<Value>(line).unwrap()["data"].clone();
            let shown = |name: &str| decoded[name].as_str().unwrap().contains(spelling.as_str());
            if line.to_lowercase().contains(&value.to_lowercase()) || shown("a") || shown("b") {
                left.push(format!("{value} as {how}: {line}"));
            }
        }
    }
    assert!(left.is_empty(), "{}", left.join("\n"));
}

/// The scan of finished bytes looks for itself: a rewriting that missed something would be found out.
#[test]
fn the_residual_scan_finds_every_spelling_by_itself() {
    let options = options(1);
    let clean = run(&options, &line(&json!({"data": {"token": token(), "a": "/Users/zorawski/x"}})));
    assert!(clean.residue(&options, &clean.bytes).unwrap().is_empty());
    for value in PLANTED.iter().filter(|value| value.len() > 7) {
        let lines = (0..SPELLINGS).map(|how| line(&json!({"fine": 1})) + &line(&json!({"x": spelled(value, how)})));
        let residue = clean.residue(&options, lines.collect::<String>().as_bytes()).unwrap();
        for at in 1..=2 * SPELLINGS as u64 {
            let is_told = residue.iter().any(|one| one.line == at);
            assert_eq!(is_told, at % 2 == 0, "{value} as {}: {residue:?}", at / 2);
        }
    }
    // Pieces of a secret of at least 12 signs.
    let piece = &token()[9..22];
    let residue = clean.residue(&options, format!("plain text with {piece} in it").as_bytes()).unwrap();
    assert!(residue.iter().any(|one| one.class == "secret"), "{residue:?}");
    let short = &token()[9..16];
    assert!(clean.residue(&options, format!("plain text with {short} in it").as_bytes()).unwrap().is_empty());
}

#[test]
fn pseudonyms_depend_on_the_key_the_class_and_the_value_alone() {
    let lines = |text: &str| line(&json!({"data": {"a": text}}));
    let of = |secret: u8, text: &str| text_of(&run(&options(secret), &lines(text)));
    let same = [
        "mail z.orawski@tarnfield-mail.io.",
        "mail Z.Orawski@TARNFIELD-mail.io.",
        "mail z.orawski%40tarnfield-mail.io.",
    ];
    assert!(same.iter().all(|text| of(1, text) == of(1, same[0])), "{:?}", same.map(|text| of(1, text)));
    assert_ne!(of(1, same[0]), of(2, same[0]));
    assert_ne!(of(1, "mail a.b@tarnfield-mail.io."), of(1, same[0]));
    // `/home/x2` is not `/home/x` with something behind it.
    assert_ne!(of(1, "/home/zorawski2/a"), of(1, "/home/zorawski/a"));
    let windows = ["C:\\Users\\zorawski\\a", "c:/Users/zorawski\\a", "/mnt/c/Users/zorawski\\a"];
    assert!(windows.iter().all(|text| of(1, text) == of(1, windows[0])), "{:?}", windows.map(|text| of(1, text)));
    let mut session = options(1);
    session.pseudonyms.as_mut().unwrap().scope = "one session".to_owned();
    assert_ne!(text_of(&run(&session, &lines(same[0]))), of(1, same[0]));
    let mut kept = options(1);
    kept.keep_domains = vec!["tarnfield-mail.io".to_owned()];
    let text = text_of(&run(&kept, &lines(same[1])));
    assert!(text.contains("›@tarnfield-mail.io."), "{text}");
    let run_of_it = run(&kept, &text);
    assert_eq!(text_of(&run_of_it), text);
}

#[test]
fn names_of_roles_and_examples_stay() {
    let same = json!({"data": {
        "a": "the root of it, /home/runner/work, /root/.bashrc, /Users/Shared/x, vscode, noreply@anthropic.com",
        "b": "someone@example.com localhost main 127.0.0.1",
        "user_prompt": "the session ends, an event of type tool_call",
    }});
    let mut options = options(1);
    options.identities = vec![
        (Class::User, "root".to_owned()),
        (Class::Home, "/root".to_owned()),
        (Class::Home, "/home/runner".to_owned()),
        (Class::Host, "localhost".to_owned()),
        // A user who is called as the format calls something.
        (Class::User, "event".to_owned()),
        // Too short for a word.
        (Class::User, "of".to_owned()),
        (Class::Branch, "main".to_owned()),
    ];
    assert_eq!(text_of(&run(&options, &line(&same))), line(&same));
    let path = line(&json!({"data": {"a": "/home/of/x and the end of it", "os_user": "of"}}));
    let text = text_of(&run(&options, &path));
    assert!(text.contains("›/x and the end of it") && !text.contains("\"of\""), "{text}");
    // What is kept by the configuration.
    options.keep = vec!["kestrel-77".to_owned(), "z.orawski@tarnfield-mail.io".to_owned()];
    let text = text_of(&run(&options, &line(&json!({"a": "kestrel-77 z.orawski@tarnfield-mail.io zorawski"}))));
    assert!(text.contains("kestrel-77 z.orawski@tarnfield-mail.io ‹user:"), "{text}");
}

/// Identities that nobody configured and no field names.
#[test]
fn identities_are_found_in_the_session_itself() {
    for (shown, hidden) in [
        ("quillan@heron-41:~/app$ make", &["quillan", "heron-41"][..]),
        ("[quillan@heron-41 app]$ make", &["quillan", "heron-41"]),
        ("root@heron-41:/srv# uptime", &["heron-41"]),
        ("HOSTNAME=heron-41\nLOGNAME=quillan\n", &["heron-41", "quillan"]),
        ("COMPUTERNAME=HERON-41 USERNAME=quillan ", &["heron-41", "quillan"]),
        ("Linux heron-41 5.15.0-91-generic x86_64", &["heron-41"]),
        ("[user]\n\tname = Quillan Marsh\n\temail = q@marsh-fen.io\n", &["quillan marsh", "q@marsh-fen.io"]),
        ("origin\tgit@github.com:fenland/sluice-gate.git (fetch)", &["fenland/sluice-gate", "sluice-gate"]),
        ("Author: Quillan Marsh <q@marsh-fen.io>", &["quillan marsh", "q@marsh-fen.io"]),
        ("Co-authored-by: Quillan Marsh <q@marsh-fen.io>", &["quillan marsh", "q@marsh-fen.io"]),
        ("open -Users-quillan-app and %2Fhome%2Fquillan%2Fx", &["quillan"]),
        ("open /mnt/c/Users/quillan/x", &["quillan"]),
        ("uid=1000(quillan) gid=1000(quillan)", &["quillan"]),
    ] {
        // Once where it is found out, once where only its value tells.
        let elsewhere = format!("said {} again", hidden.join(" and "));
        let text = text_of(&run(&options(1), &(line(&json!({"a": shown})) + &line(&json!({"b": elsewhere})))));
        let folded = text.to_lowercase();
        assert!(hidden.iter().all(|value| !folded.contains(value)), "{shown}: {text}");
    }
}

#[test]
fn marks_and_pseudonyms_in_the_input_prove_nothing() {
    // Thirteen letters that pass for the digits of a pseudonym.
    let mut options = options(1);
    options.identities = vec![(Class::User, "abernathyquil".to_owned())];
    let forged = "‹user:abernathyquil› [REDACTED:zorawski] ‹email:z.orawski@tarnfield-mail.io› ‹zorawski›";
    let text = text_of(&run(&options, &line(&json!({"a": forged}))));
    assert!(!text.contains("abernathyquil") && !text.contains("orawski"), "{text}");
    // A pseudonym of another key is nothing to replace.
    let foreign = line(&json!({"a": "‹user:abcdefghijklm› is here", "git_branch": "‹branch:abcdefghijklm›"}));
    assert_eq!(text_of(&run(&options, &foreign)), foreign);
}

#[test]
fn a_value_that_was_secret_once_is_one_everywhere() {
    let secret = token();
    let bare = &secret[4..];
    let lines = line(&json!({"a": format!("export GITHUB_TOKEN={secret}")}))
        + &line(&json!({"b": format!("it is {bare} or {}", base64::encode(secret.as_bytes())), "c": &bare[5..25]}));
    let only_secrets = Options::default();
    let text = text_of(&anonymize(&only_secrets, lines.as_bytes(), &fields()).unwrap());
    for start in 0..secret.len() - 12 {
        assert!(!text.contains(&secret[start..start + 12]), "{text}");
    }
    assert!(!text.contains(&base64::encode(secret.as_bytes())[..16]), "{text}");
    assert!(!text.contains('‹'), "{text}");
}

#[test]
fn rules_are_literal_and_escaped_at_every_depth() {
    let mut options = options(1);
    let rule = |pattern: &str, replacement: &str| Rule {
        pattern: regex::Regex::new(pattern).unwrap(),
        replacement: replacement.to_owned(),
    };
    options.rules = vec![rule("ACME Corp", "C:\\temp \"$1\"")];
    let inner = json!({"ACME Corp": "of ACME Corp"}).to_string();
    let deeper = json!({"a": inner, "b": ["ACME Corp"]}).to_string();
    let text = text_of(&run(&options, &line(&json!({"x": deeper, "y": "ACME Corp"}))));
    let outer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(outer["y"], "C:\\temp \"$1\"");
    let middle: Value = serde_json::from_str(outer["x"].as_str().unwrap()).unwrap();
    assert_eq!(middle["b"][0], "C:\\temp \"$1\"");
    let inner: Value = serde_json::from_str(middle["a"].as_str().unwrap()).unwrap();
    assert_eq!(inner["C:\\temp \"$1\""], "of C:\\temp \"$1\"");
}

#[test]
fn only_the_key_opens_a_vault() {
    let anonymized =
        run(&options(1), &line(&json!({"a": "/home/zorawski/x", "b": "{\"p\":\"C:\\\\Users\\\\zorawski\\\\y\"}"})));
    let (key, other) = (Key::new(&[1; super::KEY_LENGTH]), Key::new(&[2; super::KEY_LENGTH]));
    let sealed = Vault::new(anonymized.originals.clone()).seal(&key).unwrap();
    assert!(!sealed.contains("zorawski"));
    // The same vault gives the same bytes.
    assert_eq!(sealed, Vault::new(anonymized.originals.clone()).seal(&key).unwrap());
    let opened = Vault::open(sealed.as_bytes(), &key).unwrap();
    let revealed = opened.reveal(&anonymized.bytes).unwrap();
    let text = String::from_utf8(revealed.bytes).unwrap();
    assert_eq!((revealed.known, revealed.unknown), (2, 0));
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["a"], "/home/zorawski/x");
    let inner: Value = serde_json::from_str(value["b"].as_str().unwrap()).unwrap();
    assert_eq!(inner["p"], "C:\\Users\\zorawski\\y");
    for (bytes, key) in [(sealed.clone(), &other), (sealed.replace('a', "b"), &key), ("{}".to_owned(), &key)] {
        assert!(Vault::open(bytes.as_bytes(), key).is_err());
    }
    // Another key that says that it is this one.
    let lying = sealed.replace(key.id(), other.id());
    assert!(matches!(Vault::open(lying.as_bytes(), &other), Err(super::vault::VaultError::Sealed)));
}

fn texts() -> impl Strategy<Value = String> {
    let planted = (0..PLANTED.len(), 0..SPELLINGS).prop_map(|(value, how)| spelled(PLANTED[value], how));
    let piece = prop_oneof![
        3 => planted,
        2 => "[ -~]{0,12}",
        1 => "\\PC{0,6}",
        1 => Just(token()),
        1 => Just("‹user:abcdefghijklm›".to_owned()),
        1 => Just("[REDACTED:secret]".to_owned()),
    ];
    prop::collection::vec((piece, prop_oneof![Just(" "), Just("\n"), Just("/"), Just(", "), Just("=")]), 0..4)
        .prop_map(|pieces| pieces.into_iter().map(|(piece, end)| piece + end).collect())
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        4 => texts().prop_map(Value::from),
        1 => (-1000_i32..1000).prop_map(Value::from),
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec(("[a-z]{1,4}", inner.clone()), 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
            inner.prop_map(|value| Value::from(value.to_string())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    /// Properties 1 to 4, 7 and 8 on documents of any shape.
    #[test]
    fn every_document_is_clean_keeps_its_shape_and_stays_as_it_is(value in values()) {
        let options = options(1);
        let lines = line(&json!({"data": value}));
        let anonymized = run(&options, &lines);
        let text = text_of(&anonymized);
        let after: Value = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(shape(&json!({"data": value})), shape(&after));
        prop_assert!(!text.to_lowercase().contains("orawski"), "{}", text);
        prop_assert!(!text.contains(&token()[4..16]), "{}", text);
        prop_assert!(anonymized.residue(&options, &anonymized.bytes).unwrap().is_empty(), "{}", text);
        let again = run(&options, &text);
        prop_assert_eq!(text_of(&again), text);
        prop_assert!(again.counts.is_empty(), "{:?}", again.counts);
        prop_assert_eq!(&run(&options, &lines).bytes, &anonymized.bytes);
    }

    /// Keys that become one another stay apart.
    #[test]
    fn keys_stay_distinct(how in prop::collection::btree_set(0..4_usize, 1..4)) {
        let members: serde_json::Map<String, Value> =
            how.iter().map(|how| (spelled("kestrel-77", *how), Value::from(*how))).collect();
        let count = members.len();
        let text = text_of(&run(&options(1), &line(&Value::Object(members))));
        prop_assert_eq!(serde_json::from_str::<Value>(&text).unwrap().as_object().unwrap().len(), count);
        prop_assert!(!text.to_lowercase().contains("kestrel"), "{}", text);
    }

    /// Whatever bytes a log holds: no panic, and the same as before where nothing is found.
    #[test]
    fn any_bytes_pass(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let result = anonymize(&options(1), &bytes, &[]);
        if let Ok(anonymized) = result && anonymized.counts.is_empty() {
            prop_assert_eq!(anonymized.bytes, bytes);
        }
    }
}

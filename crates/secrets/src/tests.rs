use proptest::prelude::*;

use super::{find, personal, redact, redact_words, secrets};

/// Texts and what becomes of them. Values are made up; prefixes are glued on so that no scanner mistakes this file.
#[test]
fn secrets_are_replaced_and_the_rest_is_kept() {
    let body = "0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX2yZ3";
    let cases = [
        (format!("token is gh{}_{body} ok", "p"), "token is [REDACTED:github-token] ok".to_owned()),
        (format!("x='sk{}{body}_tail-end'", "-ant-"), "x='[REDACTED:anthropic-key]'".to_owned()),
        (
            "task-abcdefghijklmnopqrstuvwxyzabcdefghijkl".to_owned(),
            "task-abcdefghijklmnopqrstuvwxyzabcdefghijkl".to_owned(),
        ),
        ("AKI".to_owned() + "AQ7XD3FTW5YK2VJ6B", "[REDACTED:aws-access-key]".to_owned()),
        (
            "https://bob:hunter2@example.com/x".to_owned(),
            "https://bob:[REDACTED:url-credentials]@example.com/x".to_owned(),
        ),
        ("ssh://git@example.com/x".to_owned(), "ssh://git@example.com/x".to_owned()),
        ("postgres://app:pw@db:5432/x".to_owned(), "postgres://app:[REDACTED:url-credentials]@db:5432/x".to_owned()),
        ("https://a:$PW@example.com".to_owned(), "https://a:$PW@example.com".to_owned()),
        (
            "curl -H 'Authorization: Bearer abc.def' x".to_owned(),
            "curl -H 'Authorization: Bearer [REDACTED:secret]' x".to_owned(),
        ),
        (
            r#"{"authorization":"Basic dXNlcjpwdw=="}"#.to_owned(),
            r#"{"authorization":"Basic [REDACTED:secret]"}"#.to_owned(),
        ),
        ("Bearer tokens in the docs".to_owned(), "Bearer tokens in the docs".to_owned()),
        ("login --password hunter2 --v".to_owned(), "login --password [REDACTED:password] --v".to_owned()),
        ("login --password=hunter2".to_owned(), "login --password=[REDACTED:password]".to_owned()),
        ("login --token \"$TOKEN\"".to_owned(), "login --token \"$TOKEN\"".to_owned()),
        ("curl -u bob:hunter2 x".to_owned(), "curl -u bob:[REDACTED:user-password] x".to_owned()),
        ("docker run -u 1000:1000 x".to_owned(), "docker run -u 1000:1000 x".to_owned()),
        ("export DB_PASSWORD=hunter2; x".to_owned(), "export DB_PASSWORD=[REDACTED:password]; x".to_owned()),
        ("AWS_SECRET_ACCESS_KEY='a b'".to_owned(), "AWS_SECRET_ACCESS_KEY='[REDACTED:secret]'".to_owned()),
        (r#"{"api_key": "abc"}"#.to_owned(), r#"{"api_key": "[REDACTED:secret]"}"#.to_owned()),
        (r#"{\"client_secret\":\"abc\"}"#.to_owned(), r#"{\"client_secret\":\"[REDACTED:secret]\"}"#.to_owned()),
        ("the token: see below".to_owned(), "the token: see below".to_owned()),
        (
            "a 0f3b2c1d4e5f60718293a4b5c6d7e8f901234567 commit".to_owned(),
            "a 0f3b2c1d4e5f60718293a4b5c6d7e8f901234567 commit".to_owned(),
        ),
        (
            format!("a -----BEGIN RSA PRIVATE{} KEY-----\n{body}MIIplokm\n-----END RSA PRIVATE KEY----- b", ""),
            "a [REDACTED:private-key] b".to_owned(),
        ),
        (
            format!("a -----BEGIN ENCRYPTED PRIVATE{} KEY-----\n{body}\ncut", ""),
            "a [REDACTED:private-key]\ncut".to_owned(),
        ),
        (
            "-----BEGIN PUBLIC KEY-----\nMII\n-----END".to_owned(),
            "-----BEGIN PUBLIC KEY-----\nMII\n-----END".to_owned(),
        ),
        (["see ey", "JhbGciOiJIUzI1NiJ9.ey", "JzdWIiOiIxIn0.c2lnbmF0dXJl"].concat(), "see [REDACTED:jwt]".to_owned()),
    ];
    for (text, expected) in cases {
        assert_eq!(redact(&text).as_str(), expected, "{text}");
    }
}

#[test]
fn words_of_a_command_give_each_other_away() {
    let shown: Vec<String> = redact_words(["mysql", "--password", "hunter2", "-u", "bob:pw", "a b"])
        .iter()
        .map(|word| word.as_str().to_owned())
        .collect();
    assert_eq!(shown, ["mysql", "--password", "[REDACTED:password]", "-u", "bob:[REDACTED:user-password]", "a b"]);
}

proptest! {
    #[test]
    fn redacting_twice_changes_nothing(text in "\\PC{0,80}") {
        let once = redact(&text);
        prop_assert_eq!(redact(once.as_str()), once);
    }

    #[test]
    fn redacting_twice_changes_nothing_in_texts_that_look_like_secrets(parts in prop::collection::vec(part(), 0..12)) {
        let text = parts.concat();
        let once = redact(&text);
        prop_assert_eq!(redact(once.as_str()), once);
    }

    #[test]
    fn a_planted_token_never_survives(before in "[a-z /=:\"']{0,20}", after in "[ /\"'\\n]{0,5}[a-z]{0,9}") {
        let secret = format!("gh{}_{}", "o", "Zy9Xw8Vu7Ts6Rq5Po4Nm3Lk2Ji1Hg0Fe9Dc8");
        let text = format!("{before} {secret}{}{after}", if after.is_empty() { "" } else { " " });
        prop_assert!(!redact(&text).as_str().contains("Zy9Xw8Vu7"));
    }
}

fn part() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("[REDACTED:".to_owned()),
        Just("]".to_owned()),
        Just("password".to_owned()),
        Just("--token ".to_owned()),
        Just("Authorization: Bearer ".to_owned()),
        Just("://".to_owned()),
        Just("a:b@".to_owned()),
        Just("-u ".to_owned()),
        Just("eyJhbGciOiJI".to_owned()),
        Just(".".to_owned()),
        Just("-----BEGIN PRIVATE KEY-----".to_owned()),
        Just("-----END".to_owned()),
        Just("sk-ant-".to_owned()),
        "[a-zA-Z0-9_\\-=:\"'\\\\ ]{0,24}".prop_map(|text| text),
    ]
}

/// Ids of records and times are passed over at once; under a key that makes them private they are looked at.
#[test]
fn ids_and_times_are_private_by_their_key_only() {
    let id = "6078784b-372c-4eba-8eed-1bfee0ebc703";
    for text in [id, "2026-03-26T04:52:16.414Z", "2026-03-26T04:52:16Z", "2026-03-26T04:52:16.414123456Z"] {
        for name in [None, Some("uuid"), Some("timestamp"), Some("password"), Some("customer_id"), Some("dob")] {
            let found = find(name, text);
            assert_eq!(found.is_empty(), secrets(name, text).is_empty() && personal(name, text).is_empty(), "{name:?}");
        }
    }
    assert_eq!(find(Some("db_password"), id).len(), 1);
    assert_eq!(find(Some("customerId"), id).len(), 1);
    for near in [&format!("{id}x"), "2026-03-26T04:52:16.4155550199Z7", "192.0.2.1-784b-372c-4eba-8eed-1bfee0"] {
        let (found, apart) = (find(None, near), [secrets(None, near), personal(None, near)].concat());
        assert_eq!(found.len(), apart.len(), "{near}");
    }
}

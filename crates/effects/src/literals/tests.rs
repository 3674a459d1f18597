use super::*;

fn writes(text: &str) -> Vec<(String, Content)> {
    let found = literal_writes(text).unwrap_or_else(|| panic!("{text}: not read"));
    found.into_iter().map(|write| (write.path, write.content)).collect()
}

fn whole(text: &str) -> Content {
    Content::Whole(text.to_owned())
}

fn added(text: &str) -> Content {
    Content::Added(text.to_owned())
}

#[test]
fn words_that_hold_the_text_of_a_file_are_read() {
    for (text, path, content) in [
        (": > f", "f", whole("")),
        ("> f", "f", whole("")),
        ("true >| f", "f", whole("")),
        ("echo > f", "f", whole("\n")),
        ("echo GOOD = 1 > f", "f", whole("GOOD = 1\n")),
        ("echo 'a  b' \"c\" > src/f", "src/f", whole("a  b c\n")),
        ("echo x >> f", "f", added("x\n")),
        ("echo x >> 'my file'", "my file", added("x\n")),
        ("cd web && echo x > f", "f", whole("x\n")),
        ("printf 'a\\n\\tb\\n' > f", "f", whole("a\n\tb\n")),
        ("printf '%s\\n' 'a b' c > f", "f", whole("a b\nc\n")),
        ("cat > f <<'E'\na $b \\c\nE", "f", whole("a $b \\c\n")),
        ("cat <<E > f\na\nb\nE", "f", whole("a\nb\n")),
        ("cat <<-E >> f\n\ta\n\tE", "f", added("a\n")),
        ("cat > f <<E\nE", "f", whole("")),
        ("cat - > f <<< 'a b'", "f", whole("a b\n")),
        ("cat > f <<'E' && git add f\nx\nE", "f", whole("x\n")),
        ("echo x | cat > f", "f", whole("x\n")),
        ("if [ ! -f f ]; then echo x > f; fi", "f", whole("x\n")),
        ("( echo x > f )", "f", whole("x\n")),
    ] {
        assert_eq!(writes(text), [(path.to_owned(), content)], "{text}");
    }
}

#[test]
fn what_the_words_do_not_say_is_unknown() {
    for text in [
        "echo $x > f",
        "echo \"$(date)\" > f",
        "echo 'a\\nb' > f",
        "echo -n x > f",
        "echo -e x > f",
        "echo =ls > f",
        "echo *.py > f",
        "echo ~ > f",
        "printf x > f",
        "printf '%d\\n' 1 > f",
        "printf 'a\\x41\\n' > f",
        "printf 'a\\n' b > f",
        "printf -v x 'a\\n' > f",
        "cat > f <<E\n$x\nE",
        "cat > f <<E\n`date`\nE",
        "cat a > f",
        "cat - a > f <<< x",
        "cat > f",
        "cat > f < a",
        "date > f",
        "make 2> f",
        "> f <<E\na\nE",
        "echo $'a' > f",
        "echo x > f 2>&1",
        "echo x <> f",
        "{ echo a; echo b; } > f",
        "for x in a b; do echo a >> f; done",
        "while true; do echo a > f; done",
        "g() { echo a > f; }; g",
        "cat > f <<'E'\nkey = [REDACTED]\nE",
    ] {
        assert_eq!(writes(text), [("f".to_owned(), Content::Unknown)], "{text}");
    }
    for text in [
        "echo x > $f",
        "echo x > \"$d/f\"",
        "echo x > a/../f",
        "x=$(echo a > f)",
        "echo \"$(echo a > f)\"",
        "cat <(echo a > f)",
        "cat() { x; }; cat > f <<< a",
        "echo 'a",
        "bash -c 'echo b >> f'; echo a > f",
        "echo a > f; eval 'echo b >> f'",
        "X='echo b >> f'; echo a > f; $X",
        "echo a > f; bash <<'E'\necho b >> f\nE",
        "echo a > f; bash <<< 'echo b >> f'",
        "echo a > f; bash < x",
        "echo 'echo b >> f' | bash; echo a > f",
        "cat <<'E' | bash; echo a > f\necho b >> f\nE",
        "{ cat <<'E'\necho b >> f\nE\n} | bash; echo a > f",
        "echo b | xargs -I{} sh -c 'echo {} >> f'; echo a > f",
        "echo a > f; make | while read x; do $x; done",
    ] {
        assert_eq!(literal_writes(text), None, "{text}");
    }
}

#[test]
fn all_redirections_are_listed_in_order() {
    let contents = |text| writes(text).into_iter().map(|(_, content)| content).collect::<Vec<_>>();
    let found = contents("echo a > f; cd x; echo b >> ./f; cargo test 2>&1 | tail; echo c > /dev/null; sort g > f");
    assert_eq!(found, [whole("a\n"), added("b\n"), Content::Unknown]);
    assert_eq!(writes("echo a > src//./f"), [("src/f".to_owned(), whole("a\n"))]);
    assert_eq!(contents("echo a > f > g"), [Content::Unknown, Content::Unknown]);
    assert_eq!(contents("echo 'a -> <b>' > f; python3 x.py"), [whole("a -> <b>\n")]);
}

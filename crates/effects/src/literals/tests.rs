use super::*;

fn writes(text: &str) -> Vec<(Option<String>, Content)> {
    let found = literal_writes(text).unwrap_or_else(|| panic!("{text}: not read"));
    found.writes.into_iter().map(|write| (write.path, write.content)).collect()
}

fn whole(text: &str) -> Content {
    Content::Whole(text.to_owned())
}

fn added(text: &str) -> Content {
    Content::Added(text.to_owned())
}

fn replaced(old: &str, new: &str) -> Content {
    Content::Replaced { old: old.to_owned(), new: new.to_owned() }
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
        ("tee f <<'E'\nx\nE", "f", whole("x\n")),
        ("tee -a f > /dev/null <<'E'\nx\nE", "f", added("x\n")),
        ("echo x | tee -a f", "f", added("x\n")),
        ("cat <<'E' | tee f\nx\nE", "f", whole("x\n")),
        ("echo x | cat > f", "f", whole("x\n")),
        ("if [ ! -f f ]; then echo x > f; fi", "f", whole("x\n")),
        ("( echo x > f )", "f", whole("x\n")),
        ("sed -i 's/limit = 10/limit = 20/' src/a.py", "src/a.py", replaced("limit = 10", "limit = 20")),
        ("sed -i '' -e 's|a/b|c/d|g' f", "f", replaced("a/b", "c/d")),
        ("sed -i 's/f(x)/g(x)/' f", "f", replaced("f(x)", "g(x)")),
        ("sed -i '3s/a/b/' f", "f", replaced("a", "b")),
        ("sed -i '/AUTH/d' f", "f", Content::Fewer),
        ("sed -i '2,$d' f", "f", Content::Fewer),
        ("sed -i 5d f", "f", Content::Fewer),
    ] {
        assert_eq!(writes(text), [(Some(path.to_owned()), content)], "{text}");
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
        "echo x > f 2>&1",
        "echo x <> f",
        "{ echo a; echo b; } > f",
        "for x in a b; do echo a >> f; done",
        "while true; do echo a > f; done",
        "g() { echo a > f; }; g",
        "cat > f <<'E'\nkey = [REDACTED]\nE",
        "sort <<< x | tee f",
        "echo x | sort | tee f",
        "tee -p f <<< x",
        "sed -i 's/a.c/b/' f",
        "sed -i 's/a/&b/' f",
        "sed -i 's/a/b/e' f",
        "sed -i 's/a/b/w x' f",
        "sed -E -i 's/a+/b/' f",
        "sed -i 's/a/b/;s/c/d/' f",
        "sed -i 's/a\\/b/c/' f",
        "sed -i '1i x' f",
        "sed -i 'y/a/b/' f",
        "sed -i 's//b/' f",
    ] {
        assert_eq!(writes(text), [(Some("f".to_owned()), Content::Unknown)], "{text}");
    }
    for text in ["echo x > $f", "echo x > \"$d/f\"", "sed -i -f s f", "sed -i $s f", "sed -n -i 's/a/b/' f"] {
        assert_eq!(writes(text), [(None, Content::Unknown)], "{text}");
    }
    for text in
        ["x=$(echo a > f)", "echo \"$(echo a > f)\"", "cat <(echo a > f)", "cat() { x; }; cat > f <<< a", "echo 'a"]
    {
        assert_eq!(literal_writes(text), None, "{text}");
    }
}

#[test]
fn several_writes_stay_in_order_and_doubts_are_kept() {
    let found = literal_writes("echo a > f; cd x; echo b >> f; exit; echo c > /dev/null; sort g > f").unwrap();
    assert!(found.may_stop && found.changes_directory);
    let contents: Vec<Content> = found.writes.into_iter().map(|write| write.content).collect();
    assert_eq!(contents, [whole("a\n"), added("b\n"), Content::Unknown]);
    assert!(!literal_writes("echo a > f && git add f").unwrap().may_stop);
    assert!(literal_writes("$x; echo a > f").unwrap().may_stop);
    assert_eq!(
        writes("echo a > f > g"),
        [(Some("f".to_owned()), Content::Unknown), (Some("g".to_owned()), Content::Unknown)]
    );
}

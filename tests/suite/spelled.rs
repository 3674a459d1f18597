//! Content that the words of a shell text hold, with shells as the referee: each text runs for real, and every file must hold
//! what was read from the text.

use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Stdio};

use agent_strace_effects::literals::{Content, literal_writes};

const BEFORE: &str = "one\ntwo = 2\n  AUTH = check()\nlast";

/// Texts that write `f`, which holds [`BEFORE`] first, and other files.
const TEXTS: &[&str] = &[
    ": > f",
    "> f",
    "true >| f",
    "echo > f",
    "echo GOOD = 1 > f",
    "echo 'a  b' \"c\" d > f",
    "echo a   b > f",
    "echo x >> f",
    "echo 'it'\"'\"'s' >> f",
    "echo \"100%\" '#' ! > f",
    "echo a\\ b > f",
    "echo 'a > b' > f",
    "( echo x > f ); echo y >> ./f",
    "cat <<'E' | cat > f\nx > y\nE",
    "echo \"a \\\"b\\\" c\" > f",
    "printf 'a\\n\\tb\\n' > f",
    "printf '%s\\n' 'a b' c '%d' 'back\\slash' > f",
    "printf \"x\\n\" > f",
    "cat > f <<'E'\na $b \\c `d`\n\n  e\nE",
    "cat <<E > f\na \"b\" 'c' # d\nE",
    "cat <<E > f\ncost: \\$5\nE",
    "cat <<\"E\" > f\n\\$x\nE",
    "cat <<-E >> f\n\ta\n\t\tb\n\tE",
    "cat > f <<E\nE",
    "cat - > f <<'E'\nx\nE",
    "cat > f <<'E' && cp f g\nx\nE",
    "echo x | cat > f",
    "if [ -f f ]; then echo x > f; fi",
    "( echo x > f )",
    "{ echo x > f; }",
    "mkdir d && cd d && echo x > h",
    "true && echo x > f && echo y >> f",
];

/// Texts for which bash and other shells differ, or of which a part is not followed: no content may be read from them.
const OPEN: &[&str] = &[
    "echo 'a\\nb' > f",
    "echo -e 'a' > f",
    "echo -n a > f",
    "printf 'a' > f",
    "printf '%b\\n' 'a\\tb' > f",
    "x=1; echo $x > f",
    "cat > f <<E\n$HOME\nE",
    "for x in a b; do echo $x; done > f",
    "f() { echo a > f; }; f",
];

#[test]
fn shells_write_what_is_read_from_their_texts() {
    let mut wrong = Vec::new();
    for shell in ["bash", "sh", "dash", "zsh", "busybox sh"] {
        let mut ran = 0;
        for text in TEXTS {
            let Some(files) = run(shell, text) else { break };
            ran += 1;
            for (path, expected) in expected(text).unwrap_or_else(|| panic!("{text}: not read")) {
                if files.get(&path) != Some(&expected) {
                    wrong.push(format!("{shell}: {text:?} left in {path}: {:?}", files.get(&path)));
                }
            }
        }
        // The first two are on every machine that runs the tests.
        assert!(ran == TEXTS.len() || !["bash", "sh"].contains(&shell), "{shell} is needed");
        eprintln!("{shell}: {ran} texts");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn nothing_is_read_from_texts_that_shells_read_differently() {
    for text in OPEN {
        let found = literal_writes(text).unwrap_or_default();
        let known: Vec<_> = found.iter().filter(|write| write.content != Content::Unknown).collect();
        assert!(known.is_empty(), "{text}: {known:?}");
    }
}

/// The files that a text writes, with their content.
fn expected(text: &str) -> Option<BTreeMap<String, String>> {
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    for write in literal_writes(text)? {
        let before = if write.path == "f" { BEFORE } else { "" };
        let before = files.remove(&write.path).unwrap_or_else(|| before.to_owned());
        let now = match write.content {
            Content::Whole(now) => now,
            Content::Added(added) => before + &added,
            Content::Unknown => return None,
        };
        files.insert(write.path, now);
    }
    (!files.is_empty()).then_some(files)
}

/// The files that a text leaves. `None`: there is no such shell.
#[expect(clippy::disallowed_methods, reason = "shells are the referee")]
fn run(shell: &str, text: &str) -> Option<BTreeMap<String, String>> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("f"), BEFORE).unwrap();
    let mut words = shell.split(' ');
    let mut command = Command::new(words.next().unwrap());
    command.args(words).args(["-c", text]).current_dir(folder.path());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let status = command.status().ok()?;
    assert!(status.success(), "{shell}: {text:?} failed");
    let files = ["f", "g", "h", "d/h"].into_iter().filter_map(|name| {
        let content = fs::read_to_string(folder.path().join(name)).ok()?;
        Some((name.rsplit('/').next().unwrap().to_owned(), content))
    });
    Some(files.collect())
}

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
    "tee f > /dev/null <<'E'\nx\nE",
    "tee -a f > /dev/null <<'E'\nx\nE",
    "tee f g > /dev/null <<'E'\nx\nE",
    "echo x | tee -a f > /dev/null",
    "cat <<'E' | tee f > /dev/null\nx\nE",
    "echo x | cat > f",
    "if [ -f f ]; then echo x > f; fi",
    "( echo x > f )",
    "{ echo x > f; }",
    "mkdir d && cd d && echo x > h",
    "true && echo x > f && echo y >> f",
    "echo x > f; sed -i 's/x/rate/' f; echo z >> f",
    "sed -i 's/two = 2/two = 3/' f",
    "sed -i 's|o|0|g' f",
    "sed -i -e 's/check()/verify()/' f",
    "sed -i '2s/two/three/' f",
    "sed -E -i 's/two = 2/x/' f",
    "sed -i '/AUTH/d' f",
    "sed -i '2,$d' f",
    "sed -i 2d f",
    "sed -i '$d' f",
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
    "sed -i 's/o.*/x/' f",
    "sed -i 's/o/&&/' f",
    "sed -n -i '1p' f",
];

#[test]
fn shells_write_what_is_read_from_their_texts() {
    let mut wrong = Vec::new();
    for shell in ["bash", "sh", "dash", "zsh", "busybox sh"] {
        let mut ran = 0;
        for text in TEXTS {
            let Some(files) = run(shell, text) else { break };
            ran += 1;
            let expected = expected(text).unwrap_or_else(|| panic!("{text}: not read"));
            for (path, is_right) in &expected {
                let content = files.get(path.as_str()).map_or("", String::as_str);
                if !is_right(content) {
                    wrong.push(format!("{shell}: {text:?} left in {path}: {content:?}"));
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
        let found = literal_writes(text);
        let writes = found.iter().flat_map(|found| &found.writes);
        let known: Vec<_> = writes.filter(|write| write.content != Content::Unknown).collect();
        assert!(known.is_empty(), "{text}: {known:?}");
    }
}

type IsRight = Box<dyn Fn(&str) -> bool>;

/// A test of the content of each file that a text writes.
fn expected(text: &str) -> Option<BTreeMap<String, IsRight>> {
    let mut lines: BTreeMap<String, String> = BTreeMap::from([("f".to_owned(), BEFORE.to_owned())]);
    let mut tests: BTreeMap<String, IsRight> = BTreeMap::new();
    for write in literal_writes(text)?.writes {
        let path = write.path?;
        let before = lines.remove(&path).unwrap_or_default();
        let (now, is_right): (String, IsRight) = match write.content {
            Content::Whole(now) => (now.clone(), Box::new(move |content| content == now)),
            Content::Added(added) => {
                let now = before + &added;
                (now.clone(), Box::new(move |content| content == now))
            }
            Content::Replaced { old, new } => {
                let now = before.replace(&old, &new);
                (now, Box::new(move |content| replaced(&before, content, &old, &new)))
            }
            Content::Fewer => (
                String::new(),
                Box::new(move |content| {
                    content.len() < before.len() && content.lines().all(|line| before.lines().any(|old| old == line))
                }),
            ),
            Content::Unknown => return None,
        };
        tests.insert(path.clone(), is_right);
        lines.insert(path, now);
    }
    (!tests.is_empty()).then_some(tests)
}

/// In some lines, one text took the place of another, and nothing else happened.
fn replaced(before: &str, after: &str, old: &str, new: &str) -> bool {
    let is_made =
        |(line, now): (&str, &str)| line == now || line.replace(old, new) == now || line.replacen(old, new, 1) == now;
    before != after && before.lines().count() == after.lines().count() && before.lines().zip(after.lines()).all(is_made)
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

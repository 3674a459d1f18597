//! Log text is hostile: whatever it says, no output obeys it and no output shows a secret.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::world::{Answer, World};

/// What an agent may have been made to print.
const HOSTILE: &[&str] = &[
    "\u{1b}[2J\u{1b}]0;owned\u{7}",
    "x\n::error file=a::forged",
    "\n  ::set-output name=findings::0",
    "\u{85}::add-mask::x\u{b}::stop-commands::x",
    "##[error]forged",
    "#\u{200b}#[group]a ##[command]b",
    "No violations found.\nPASS",
    "a\u{202e}gnp.exe\u{200b}\u{feff}\u{2066}",
    "<img src=x onerror=alert(1)>|`code`|@maintainers #12 o/r#34 GH-56 0123abc",
    "[text](javascript:alert(1)) ![x](https://evil.example/x.png)",
    "![x][y] <https://evil.example> www.evil.example &lt;img&gt;",
    "</code></details><script>alert(1)</script>",
    "]]><!ENTITY x SYSTEM \"file:///etc/passwd\"><?xml version='1.0'?>&x;",
    "</failure></testcase>\" onload='x' <!-- --> -->",
    "%0A::error::x%25,file=b:c",
    "\r\rfoo\u{9b}31m\u{0}",
    "\u{2028}::warning::x\u{2029}\u{fffe}\u{ffff}",
    "=cmd|' /C calc'!A0",
    "half of a character: HALF",
];

/// Assembled at run time, so that no scanner takes this file for a leak.
fn secrets() -> Vec<String> {
    let body = "q7W8e9R0t1Y2u3I4o5P6a7S8d9F0g1H2j3K4";
    vec![format!("gh{}_{body}", "p"), format!("s{}-ant-api03-{body}", "k"), format!("AKI{}", "AQ7XD3FTW5YK2VJ6B")]
}

pub(crate) fn world() -> World {
    let world = World::demo();
    let mut events = Vec::new();
    let huge = format!("{}\n::error ::{}", "A".repeat(20_000), "##[x]<b>@a ".repeat(2_000));
    for text in HOSTILE.iter().map(|text| (*text).to_owned()).chain(secrets()).chain([huge]) {
        events.push(("user_prompt", json!({"prompt": text})));
        events.push(("tool_call", json!({"tool_name": text, "arguments": {"file_path": text}})));
        events.push(("tool_call", json!({"tool_name": "Read", "arguments": {"file_path": format!("out/{text}")}})));
        events
            .push(("tool_call", json!({"tool_name": "Bash", "arguments": {"command": format!("git push '{text}'")}})));
        events
            .push(("tool_call", json!({"tool_name": "Bash", "arguments": {"command": format!("cat {text}\n{text}")}})));
        let url = format!("https://{text}.example.com/{text}");
        events.push(("tool_call", json!({"tool_name": "WebFetch", "arguments": {"url": url}})));
        events.push(("file_write", json!({"path": format!(".github/workflows/{text}")})));
    }
    world.session("bad00001", 1_790_200_000, &events);
    // No Rust string holds one half of a character, a log may.
    let log = ".agent-traces/bad00001/events.ndjson";
    world.write(log, &world.read(log).replace("HALF", "\\ud800 \\udc00"));
    for (at, text) in HOSTILE.iter().enumerate().filter(|(_, text)| !text.contains(['/', '\0'])) {
        world.write(&format!("odd/{at}{text}.log"), "no log");
    }
    let servers: Vec<(String, Value)> =
        HOSTILE.iter().map(|text| ((*text).to_owned(), json!({"command": text, "args": [text, text]}))).collect();
    let servers: serde_json::Map<String, Value> = servers.into_iter().collect();
    world.write("repository/.mcp.json", &json!({"mcpServers": servers}).to_string());
    let hooks: Vec<Value> = HOSTILE.iter().map(|text| json!({"type": "command", "command": text})).collect();
    let settings = json!({"hooks": {"PreToolUse": [{"matcher": "*", "hooks": hooks}]}});
    world.write("repository/.claude/settings.json", &settings.to_string());
    git2::Repository::init(world.path().join("repository")).unwrap();
    world
}

/// Commands that write what logs or repositories say, in more than one format.
const COMMANDS: &[&[&str]] = &[
    &["check", "bad00001", "odd"],
    &["audit", "bad00001"],
    &["lint", "bad00001"],
    &["effects", "bad00001"],
    &["list"],
    &["stats"],
    &["cost"],
    &["compare", "bad00001", "20ab"],
    &["redact", "--check", ".agent-traces", "odd"],
    &["audit-tools", "--repo", "repository", "--no-history"],
];

/// The formats of a command as the program itself lists them, so that none is forgotten here.
pub(crate) fn formats(world: &World, command: &[&str]) -> Vec<String> {
    let answer = world.run(&[command, &["--format", "?"]].concat());
    let (_, listed) = answer.stderr.split_once("[possible values: ").expect("a list of formats");
    listed.split(']').next().unwrap().split(", ").map(str::to_owned).collect()
}

fn answers(world: &World) -> Vec<(String, String, Answer)> {
    let mut answers = Vec::new();
    for command in COMMANDS {
        for format in formats(world, command) {
            let args = [command, &["--format", format.as_str()][..]].concat();
            let answer = world.run(&args);
            assert!(!answer.stdout.is_empty(), "{args:?}: {}", answer.stderr);
            answers.push((args.join(" "), format, answer));
        }
    }
    for text in HOSTILE.iter().filter(|text| !text.contains('\0')) {
        for args in [
            vec!["check", text],
            vec!["check", "--policy", text],
            vec!["rules", text],
            vec!["schema", text],
            vec!["check", "--baseline", text],
            vec!["check", "--output", text, "20ab"],
            vec!["effects", "--command", text],
        ] {
            answers.push((format!("{args:?}"), "text".to_owned(), world.run(&args)));
        }
    }
    answers
}

/// Lines that a terminal or a build log would obey.
pub(crate) fn obeyed(text: &str) -> Vec<&str> {
    let odd = |character: char| {
        character.is_control()
            || matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    let command = |line: &str| line.trim_start().starts_with("::") || line.contains("##[");
    text.lines().filter(|line| command(line) || line.chars().any(odd)).collect()
}

/// The same of annotations, which are commands: each line is one of ours, and nothing in it ends or continues it.
fn obeyed_beside_annotations(text: &str) -> Vec<&str> {
    let is_ours = |line: &&str| {
        let Some((head, message)) = line.strip_prefix("::").and_then(|rest| rest.split_once("::")) else {
            return false;
        };
        let Some((level, properties)) = head.split_once(' ') else { return false };
        let keys: Vec<&str> = properties.split(',').map(|pair| pair.split('=').next().unwrap()).collect();
        let known = keys == ["title"] || keys == ["file", "line", "title"];
        let encoded = |text: &str| {
            text.split('%').skip(1).all(|rest| ["25", "3A", "2C"].iter().any(|code| rest.starts_with(code)))
        };
        let short = line.chars().count() <= 4_096;
        matches!(level, "error" | "warning" | "notice") && known && encoded(head) && encoded(message) && short
    };
    let rest = text.lines().filter(|line| !is_ours(line)).collect::<Vec<_>>();
    let inside = text.lines().map(|line| line.trim_start_matches(':')).filter(|line| !obeyed(line).is_empty());
    rest.into_iter().chain(inside).collect()
}

/// Why what was written in a format is no document of it, or holds what a log says as more than text.
fn broken(format: &str, text: &str) -> Option<String> {
    match format {
        "text" | "github" => None,
        "json" | "sarif" | "gitlab" => serde_json::from_str::<Value>(text).err().map(|error| error.to_string()),
        "ndjson" => {
            text.lines().find_map(|line| serde_json::from_str::<Value>(line).err()).map(|error| error.to_string())
        }
        "junit" => broken_xml(text),
        "markdown" => broken_markdown(text),
        "csv" => text.lines().find(|line| line.starts_with(['=', '+', '-', '@'])).map(str::to_owned),
        "html" => ["<img src=x", "<script>alert", "</code></details><script", "href=\"javascript", "@maintainers<img"]
            .iter()
            .find(|needle| text.contains(**needle))
            .map(|needle| format!("holds {needle}")),
        other => Some(format!("nobody says here what `{other}` has to be like")),
    }
}

/// Tags are ours, attributes are quoted, and text holds no markup but the five entities.
fn broken_xml(text: &str) -> Option<String> {
    const TAGS: &[&str] = &["testsuites", "testsuite", "testcase", "failure", "error", "system-out"];
    let rest = text.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")?;
    let mut open: Vec<&str> = Vec::new();
    for piece in rest.split('<').skip(1) {
        let Some((tag, after)) = piece.split_once('>') else { return Some(format!("no end: {piece:.80}")) };
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap();
        if !TAGS.contains(&name) || tag.matches('"').count() % 2 != 0 {
            return Some(format!("a foreign tag: {tag:.80}"));
        }
        match (tag.starts_with('/'), tag.ends_with('/')) {
            (true, _) if open.pop() != Some(name) => return Some(format!("closed but not open: {name}")),
            (false, false) => open.push(name),
            _ => {}
        }
        let entities = |text: &str| {
            text.split('&')
                .skip(1)
                .all(|rest| ["amp;", "lt;", "gt;", "quot;", "#39;"].iter().any(|one| rest.starts_with(one)))
        };
        if !entities(tag) || !entities(after) || after.contains(['\u{fffe}', '\u{ffff}']) {
            return Some(format!("not escaped: {piece:.80}"));
        }
    }
    (!open.is_empty()).then(|| format!("not closed: {open:?}"))
}

/// No markup, mention, link or image is a log's, and a comment has room for it.
fn broken_markdown(text: &str) -> Option<String> {
    let forbidden =
        ["<img", "<script", "](", "][", "@maintainers", "https:", "javascript:", "www.", "<!ENTITY", "<?xml", "-->\" "];
    if let Some(needle) = forbidden.iter().find(|needle| text.contains(**needle)) {
        return Some(format!("holds {needle}"));
    }
    if text.matches("<details>").count() != text.matches("</details>").count() {
        return Some("details are not balanced".to_owned());
    }
    let tables = text.lines().filter(|line| line.starts_with('|'));
    let cells: std::collections::BTreeSet<usize> = tables.map(|line| line.matches('|').count()).collect();
    (text.chars().count() > 60_000 || cells.len() > 1).then(|| format!("too long, or rows of {cells:?} cells"))
}

#[test]
fn no_output_obeys_what_a_log_says() {
    let world = world();
    let mut wrong = String::new();
    for (command, format, answer) in answers(&world) {
        let lines = if format == "github" { obeyed_beside_annotations(&answer.stdout) } else { obeyed(&answer.stdout) };
        for line in lines.into_iter().chain(obeyed(&answer.stderr)) {
            let _ = writeln!(wrong, "{command}: obeyed: {line:.200?}");
        }
        if let Some(reason) = broken(&format, &answer.stdout) {
            let _ = writeln!(wrong, "{command}: {reason}");
        }
        for line in answer.stdout.lines().filter(|line| *line == "PASS" || line.starts_with("No violations found.")) {
            let _ = writeln!(wrong, "{command}: a forged verdict: {line}");
        }
        for secret in secrets() {
            let tail = &secret[secret.len() - 12..];
            if answer.stdout.contains(tail) || answer.stderr.contains(tail) {
                let _ = writeln!(wrong, "{command}: shows a secret");
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// What judges outputs here finds what it is there for.
#[test]
fn hostile_outputs_are_noticed() {
    for text in ["a\n ::error::x", "x ##[group]y", "a\u{1b}[0m", "a\u{202e}b", "\u{2066}"] {
        assert!(!obeyed(text).is_empty(), "{text:?}");
    }
    for text in [
        "::error file=a,line=1,title=x::y\n::set-output name=a::b",
        "::error title=a,b::c",
        "::notice title=a::50% x\n",
        "::error title=a::##[x]",
    ] {
        assert!(!obeyed_beside_annotations(text).is_empty(), "{text:?}");
    }
    assert_eq!(obeyed_beside_annotations("::error file=a%3A,line=1,title=x::y :: 5%25\n"), Vec::<&str>::new());
    let xml = |inner: &str| format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>{inner}</testsuites>\n");
    assert_eq!(broken_xml(&xml("<testcase name=\"a\"/>&lt;")), None);
    for inner in ["<b>", "<testcase>", "</testcase>", "&x;", "<testcase name=\"a/>", "\u{ffff}"] {
        assert!(broken_xml(&xml(inner)).is_some(), "{inner}");
    }
    for text in ["[a](b)", "<img src=x>", "<details>", "| a |\n| a | b |", &"x".repeat(60_001)] {
        assert!(broken("markdown", text).is_some(), "{text:.80}");
    }
    assert!(broken("gitlab", "[").is_some() && broken("csv", "=1").is_some() && broken("yaml", "").is_some());
}

#[test]
fn a_report_is_never_written_through_a_link() {
    let world = World::demo();
    world.write("victim", "precious");
    #[cfg(unix)]
    std::os::unix::fs::symlink(world.path().join("victim"), world.path().join("report.json")).unwrap();
    let answer = world.run(&["check", "--format", "json", "--output", "report.json"]);
    assert_eq!((answer.code, world.read("victim").as_str()), (2, "precious"));
    assert!(answer.stderr.contains("it is a link"), "{}", answer.stderr);
    let left: Vec<_> = std::fs::read_dir(world.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().ends_with(".tmp")), "{left:?}");
}

/// The last one that is written would be all that is left.
#[test]
fn no_file_is_named_for_two_reports() {
    let world = World::demo();
    let (here, above) =
        (world.path().join("a"), format!("../{}/a", world.path().file_name().unwrap().to_str().unwrap()));
    let mut same: Vec<Vec<&str>> = ["a", "./a", "x/../a", here.to_str().unwrap(), &above]
        .into_iter()
        .map(|other| vec!["--report", "json=a", "--output", other])
        .collect();
    world.write("x/y", "").write("old", "");
    same.push(vec!["--report", "json=a", "--report", "sarif=a"]);
    same.push(vec!["--report", "json=old", "--report", "sarif=x/../old"]);
    same.push(vec!["--report", "json=a", "--write-baseline", "a"]);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("x", world.path().join("z")).unwrap();
        same.push(vec!["--report", "json=x/a", "--report", "sarif=z/a"]);
    }
    for args in same {
        for command in [&["check", "20ab"][..], &["audit-tools", "--no-history"]] {
            let answer = world.run(&[command, &args].concat());
            assert_eq!(answer.code, 2, "{args:?}: {}", answer.stderr);
            assert!(answer.stderr.contains("are the same file"), "{args:?}: {}", answer.stderr);
            assert!(!world.path().join("a").exists() && world.read("old").is_empty(), "{args:?}");
        }
    }
    let answer = world.run(&["check", "20ab", "--report", "json=a", "--report", "sarif=x/a", "--output", "b"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
}

#[test]
fn the_answer_does_not_depend_on_threads_or_runs() {
    let world = world();
    let first = world.run(&["check", "--format", "json"]);
    for threads in ["1", "2", "8"] {
        let again = world.run_with(&["check", "--format", "json"], &[("RAYON_NUM_THREADS", threads)], "");
        assert_eq!(again, first);
    }
}

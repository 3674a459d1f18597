//! One action: a text for the shell, unless it is exactly one of the agent's own commands with plain words.
//!
//! Whatever could mean more to a shell (a second command, an expansion, a glob) is left to it, as shell text.

use std::borrow::Cow;

use agent_strace_model::Arguments;
use serde_json::Value;

/// The file that the editor shows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shown<'t> {
    pub(super) path: Option<&'t str>,
    /// Its first and last marked line, which an edit replaces that names none.
    pub(super) marked: Option<(u64, u64)>,
}

/// What words after a command are: its arguments in order, or one path that may be left out.
#[derive(Debug, Clone, Copy)]
enum Words {
    Named(&'static [&'static str]),
    /// It changes the file that the editor shows.
    Edit,
    Insert,
    /// One path of a file that starts with one empty line.
    Create,
    /// The command's own command, a path, and options.
    Editor,
    /// Nothing it says can touch anything.
    Any,
}

/// Command, tool, and what its words are.
const COMMANDS: &[(&str, &str, Words)] = &[
    ("open", "open", Words::Named(&["path", "line_number"])),
    ("create", "create", Words::Create),
    ("edit", "edit", Words::Edit),
    ("insert", "insert", Words::Insert),
    ("goto", "goto_line", Words::Named(&["line_number"])),
    ("scroll_up", "scroll_up", Words::Named(&[])),
    ("scroll_down", "scroll_down", Words::Named(&[])),
    ("set_cursors", "set_cursors", Words::Named(&["start_line", "end_line"])),
    ("find_file", "find_file", Words::Named(&["pattern", "directory"])),
    ("search_dir", "search_dir", Words::Named(&["pattern", "directory"])),
    ("search_file", "search_file", Words::Named(&["pattern", "path"])),
    ("filemap", "filemap", Words::Named(&["path"])),
    ("view_image", "view_image", Words::Named(&["path"])),
    ("decompile", "decompile", Words::Named(&["path", "option", "function_name"])),
    ("disassemble", "disassemble", Words::Named(&["path", "option", "function_name"])),
    ("str_replace_editor", "str_replace_editor", Words::Editor),
    ("open_site", "open_site", Words::Named(&["url"])),
    ("submit", "submit", Words::Any),
    ("exit_forfeit", "exit_forfeit", Words::Any),
    ("exit_cost", "exit_cost", Words::Any),
    ("exit_context", "exit_context", Words::Any),
    ("exit_format", "exit_format", Words::Any),
    ("exit_error", "exit_error", Words::Any),
];

/// The tool an action calls, and its arguments.
pub(super) fn call<'a>(text: &Cow<'a, str>, shown: Shown<'_>) -> (Cow<'a, str>, Arguments<'a>) {
    own(text, shown).unwrap_or_else(|| {
        let command = serde_json::Value::from(text.as_ref());
        (Cow::Borrowed("bash"), Arguments::Json(Cow::Owned(format!("{{\"command\":{command}}}"))))
    })
}

/// The agent's own command that an action calls.
pub(super) fn command(text: &str) -> &str {
    text.trim().split([' ', '\t', '\n']).next().unwrap_or_default()
}

/// The file that the editor shows once this action has run.
pub(super) fn opens(text: &str) -> Option<String> {
    let mut words = words(text.trim())?.into_iter();
    let command = words.next()?;
    if command == "open" || command == "create" { words.next() } else { None }
}

/// The lines that are marked once this action has run. A new file has one line.
pub(super) fn marks(text: &str) -> Option<(u64, u64)> {
    let words = words(text.trim())?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["create", _] => Some((1, 1)),
        ["set_cursors", first, last] => Some((first.parse().ok()?, last.parse().ok()?)),
        _ => None,
    }
}

/// The agent's own command says that it changed the file as it was asked to. `None`: no command of that kind ran.
pub(super) fn succeeded(text: &str, observation: &str) -> Option<bool> {
    let shows_file = observation.starts_with("[File: ");
    Some(match command(text) {
        "create" => shows_file && observation.lines().next().is_some_and(|line| line.contains("(1 lines total)]")),
        "edit" | "insert" => {
            shows_file && observation.contains("File updated.")
                || observation.starts_with("Text replaced.")
                || shows_file && observation.contains("Text inserted.")
        }
        _ => return None,
    })
}

fn own<'a>(text: &str, shown: Shown<'_>) -> Option<(Cow<'a, str>, Arguments<'a>)> {
    let text = text.trim();
    let name = command(text);
    let (_, tool, kind) = COMMANDS.iter().find(|(command, ..)| *command == name)?;
    let mut arguments: Vec<(&str, Value)> = Vec::new();
    let texts = |named: Vec<(&'static str, String)>| named.into_iter().map(|(key, text)| (key, Value::from(text)));
    match kind {
        Words::Edit | Words::Insert => {
            // Without a file nobody knows what was edited, and no path says so.
            arguments.extend(shown.path.map(|path| ("path", path.into())));
            arguments.extend(match kind {
                Words::Insert => inserted(text)?,
                _ => edited(text, shown.marked)?,
            });
        }
        Words::Create => {
            arguments.extend(texts(named(&["path"], words(text)?)?));
            arguments.push(("content", "\n".into()));
        }
        Words::Named(names) => arguments.extend(texts(named(names, words(text)?)?)),
        Words::Editor => arguments.extend(texts(editor(words(text)?)?)),
        Words::Any => arguments.push(("message", message(text.get(name.len()..)?.trim())?.into())),
    }
    let fields: serde_json::Map<_, _> = arguments.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    Some((Cow::Borrowed(tool), Arguments::Json(Cow::Owned(Value::Object(fields).to_string()))))
}

/// `edit FIRST:LAST` and a block, or `edit OLD NEW` with quoted texts.
fn edited(text: &str, marked: Option<(u64, u64)>) -> Option<Vec<(&'static str, Value)>> {
    let Some((first, body)) = block(text) else {
        let words = words(text)?;
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        return Some(match words.as_slice() {
            [_, old, new] => vec![("old_str", (*old).into()), ("new_str", (*new).into())],
            words => vec![("text", words.join(" ").into())],
        });
    };
    let range = match first.as_slice() {
        [_] => marked,
        [_, range, ..] => {
            range.split_once(':').and_then(|(first, last)| Some((first.parse().ok()?, last.parse().ok()?)))
        }
        [] => None,
    };
    let range = range.map(|(first, last): (u64, u64)| [("first_line", first.into()), ("last_line", last.into())]);
    Some(range.into_iter().flatten().chain([("text", body.into())]).collect())
}

/// `insert LINE` and a block, or `insert TEXT LINE` with a quoted text.
fn inserted(text: &str) -> Option<Vec<(&'static str, Value)>> {
    let (line, body) = if let Some((first, body)) = block(text) {
        (first.get(1).cloned(), body)
    } else {
        let words = words(text)?;
        (words.get(2).cloned(), words.get(1).cloned().unwrap_or_default())
    };
    let line = line.and_then(|line| line.parse::<u64>().ok()).map(|line| ("insert_line", line.into()));
    Some(line.into_iter().chain([("text", body.into())]).collect())
}

/// With these a shell runs something, or the words end.
const RUNS: &[char] = &['$', '`', ';', '&', '|', '<', '>', '(', ')', '#', '\n', '\r', '\'', '"'];

/// Words in which a shell runs nothing, whatever names and braces it expands in them.
fn message(text: &str) -> Option<String> {
    if let Some(words) = words(text) {
        return Some(words.join(" "));
    }
    (!text.contains(RUNS)).then(|| text.to_owned())
}

/// Words by their index, and those behind `--NAME` by that name, wherever they stand.
fn named(names: &[&'static str], words: Vec<String>) -> Option<Vec<(&'static str, String)>> {
    let mut arguments: Vec<(&'static str, String)> = Vec::new();
    let mut operands = Vec::new();
    let mut words = words.into_iter().skip(1);
    while let Some(word) = words.next() {
        let name = word.strip_prefix("--").and_then(|option| names.iter().copied().find(|name| *name == option));
        match name {
            Some(name) => arguments.push((name, words.next()?)),
            None => operands.push(word),
        }
    }
    let free = names.iter().copied().filter(|name| !arguments.iter().any(|(known, _)| known == name));
    let free: Vec<&'static str> = free.collect();
    if operands.len() > free.len() {
        return None;
    }
    arguments.extend(free.into_iter().zip(operands));
    Some(arguments)
}

/// `str_replace_editor COMMAND PATH --old_str TEXT …`.
fn editor(words: Vec<String>) -> Option<Vec<(&'static str, String)>> {
    const OPTIONS: &[&str] = &["file_text", "view_range", "old_str", "new_str", "insert_line"];
    let mut words = words.into_iter().skip(1);
    let mut arguments = vec![("command", words.next()?), ("path", words.next()?)];
    let mut option = None;
    for word in words {
        match word.strip_prefix("--").and_then(|name| OPTIONS.iter().find(|known| **known == name)) {
            Some(name) => option = Some(*name),
            // A range is two words.
            None => arguments.push((option?, word)),
        }
    }
    Some(arguments)
}

/// A command whose text ends with a line of its own: nothing may follow that line, since a shell would run it.
/// Returns the words before it, and the text.
fn block(text: &str) -> Option<(Vec<String>, String)> {
    let (first, rest) = text.split_once('\n')?;
    let mut body = Vec::new();
    let mut lines = rest.lines();
    for line in lines.by_ref() {
        if matches!(line.trim(), "end_of_edit" | "end_of_insert") {
            let words = words(first)?;
            let plain = words.len() <= 3;
            return (plain && lines.all(|line| line.trim().is_empty())).then(|| (words, body.join("\n")));
        }
        body.push(line);
    }
    None
}

/// Words that mean the same to every shell: plain ones and quoted ones. `None` for anything else.
fn words(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            ' ' | '\t' => words.extend(word.take()),
            '\'' => quoted(&mut characters, '\'', word.get_or_insert_default())?,
            '"' => quoted(&mut characters, '"', word.get_or_insert_default())?,
            '#' if word.is_none() => return None,
            '\n' | '\r' | ';' | '&' | '|' | '<' | '>' | '(' | ')' | '`' | '$' | '*' | '?' | '[' | '{' | '\\' | '!' => {
                return None;
            }
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    Some(words)
}

/// Up to the closing quote. Within double quotes a shell expands some characters: they are left to it.
fn quoted(characters: &mut std::str::Chars<'_>, quote: char, word: &mut String) -> Option<()> {
    for character in characters.by_ref() {
        match character {
            _ if character == quote => return Some(()),
            '$' | '`' | '\\' | '!' if quote == '"' => return None,
            _ => word.push(character),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::{Shown, call, marks, succeeded};
    use agent_strace_model::Arguments;

    const SHOWN: Shown<'_> = Shown { path: Some("a.py"), marked: None };

    fn shown(text: &str) -> String {
        match call(&Cow::Borrowed(text), SHOWN) {
            (tool, Arguments::Json(json)) => format!("{tool} {json}"),
            _ => String::new(),
        }
    }

    #[test]
    fn only_plain_commands_of_the_agent_are_its_tools() {
        let cases = [
            ("open \"src/a b.py\" 14", r#"open {"line_number":"14","path":"src/a b.py"}"#),
            ("create x.py\n", r#"create {"content":"\n","path":"x.py"}"#),
            (
                "edit 1:2\nrm -rf /\nend_of_edit\n",
                r#"edit {"first_line":1,"last_line":2,"path":"a.py","text":"rm -rf /"}"#,
            ),
            ("edit\nx\nend_of_edit\n", r#"edit {"path":"a.py","text":"x"}"#),
            ("edit 'a' 'b\n$c'", r#"edit {"new_str":"b\n$c","old_str":"a","path":"a.py"}"#),
            ("edit 'a' 'b' replace-all", r#"edit {"path":"a.py","text":"edit a b replace-all"}"#),
            ("insert 'x y' 3", r#"insert {"insert_line":3,"path":"a.py","text":"x y"}"#),
            ("insert 'x y'", r#"insert {"path":"a.py","text":"x y"}"#),
            ("goto 12", r#"goto_line {"line_number":"12"}"#),
            (
                "str_replace_editor view /r/a.py --view_range 1 9",
                r#"str_replace_editor {"command":"view","path":"/r/a.py","view_range":"9"}"#,
            ),
            ("submit", r#"submit {"message":""}"#),
            ("submit flag{b3low}", r#"submit {"message":"flag{b3low}"}"#),
        ];
        for (text, expected) in cases {
            assert_eq!(shown(text), expected, "{text}");
        }
        for text in [
            "create x.py; rm -rf /",
            "create x.py\nrm -rf /",
            "edit 1:1\nx\nend_of_edit\nrm -rf /",
            "edit 1:1 $(rm -rf /)\nx\nend_of_edit",
            "edit 1:1\nrm -rf /",
            "open $HOME/x",
            "open *.py",
            "open a b c",
            "submit \"$(cat /etc/passwd)\"",
            "submit `id`",
            "submit && id",
            "submit flag{$(id)}",
            "str_replace_editor create",
            "str_replace_editor create x --other y",
            "ls -F",
        ] {
            assert!(shown(text).starts_with("bash {\"command\":"), "{text}: {}", shown(text));
        }
    }

    #[test]
    fn marked_lines_are_those_of_an_edit_that_names_none() {
        let marked = marks("create x.py\n");
        let (_, arguments) = call(&Cow::Borrowed("edit\nx\nend_of_edit"), Shown { path: Some("x.py"), marked });
        let expected = r#"{"first_line":1,"last_line":1,"path":"x.py","text":"x"}"#;
        assert!(matches!(arguments, Arguments::Json(json) if json == expected));
        assert_eq!(marks("set_cursors 3 5"), Some((3, 5)));
        for text in ["open x.py", "create x.py; ls", "set_cursors 3", "goto 3", "edit\nx\nend_of_edit"] {
            assert_eq!(marks(text), None, "{text}");
        }
    }

    #[test]
    fn only_the_answer_of_its_own_command_says_that_a_file_changed() {
        let cases = [
            ("create x.py", "[File: /r/x.py (1 lines total)]\n1:\n", Some(true)),
            ("create x.py", "Error: File 'x.py' already exists.\n[File: /r/x.py (1 lines total)]", Some(false)),
            ("create x.py", "[File: /r/x.py (9 lines total)]", Some(false)),
            ("edit 1:1\nx\nend_of_edit", "[File: /r/x.py (1 lines total)]\n1:x\nFile updated. Please", Some(true)),
            ("edit 1:1\nx\nend_of_edit", "Your proposed edit has introduced new syntax error(s).", Some(false)),
            ("edit 1:1\nx\nend_of_edit", "", Some(false)),
            ("edit a b", "Text replaced. Please review", Some(true)),
            ("python x.py", "[File: /r/x.py (1 lines total)]\nFile updated.", None),
        ];
        for (text, observation, expected) in cases {
            assert_eq!(succeeded(text, observation), expected, "{text}: {observation}");
        }
    }

    #[test]
    fn options_of_commands_are_no_paths() {
        let called = |text: &'static str| match call(&Cow::Borrowed(text), Shown { path: None, marked: None }) {
            (tool, Arguments::Json(json)) => format!("{tool} {json}"),
            (tool, other) => format!("{tool} {other:?}"),
        };
        for text in ["decompile --function_name FUN_1 rock", "decompile rock --function_name FUN_1"] {
            assert_eq!(called(text), r#"decompile {"function_name":"FUN_1","path":"rock"}"#);
        }
        assert_eq!(called("decompile rock"), r#"decompile {"path":"rock"}"#);
        assert_eq!(called("search_dir x src"), r#"search_dir {"directory":"src","pattern":"x"}"#);
        // What can't be read as one of its own commands is a line for the shell.
        assert!(called("decompile a b c d").starts_with("bash "));
    }
}

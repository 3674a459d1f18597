//! One action: a text for the shell, unless it is exactly one of the agent's own commands with plain words.
//!
//! Whatever could mean more to a shell (a second command, an expansion, a glob) is left to it, as shell text.

use std::borrow::Cow;

use agent_strace_model::Arguments;

/// What words after a command are: its arguments in order, or one path that may be left out.
#[derive(Debug, Clone, Copy)]
enum Words {
    Named(&'static [&'static str]),
    /// All of it is text about the file that the editor shows.
    Shown,
    /// The command's own command, a path, and options.
    Editor,
    /// Nothing it says can touch anything.
    Any,
}

/// Command, tool, and what its words are.
const COMMANDS: &[(&str, &str, Words)] = &[
    ("open", "open", Words::Named(&["path", "line_number"])),
    ("create", "create", Words::Named(&["path"])),
    ("edit", "edit", Words::Shown),
    ("insert", "insert", Words::Shown),
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

/// The tool an action calls, and its arguments. `shown` is the file that the editor shows.
pub(super) fn call<'a>(text: &Cow<'a, str>, shown: Option<&str>) -> (Cow<'a, str>, Arguments<'a>) {
    own(text, shown).unwrap_or_else(|| {
        let command = serde_json::Value::from(text.as_ref());
        (Cow::Borrowed("bash"), Arguments::Json(Cow::Owned(format!("{{\"command\":{command}}}"))))
    })
}

/// The file that the editor shows once this action has run.
pub(super) fn opens(text: &str) -> Option<String> {
    let mut words = words(text.trim())?.into_iter();
    let command = words.next()?;
    if command == "open" || command == "create" { words.next() } else { None }
}

fn own<'a>(text: &str, shown: Option<&str>) -> Option<(Cow<'a, str>, Arguments<'a>)> {
    let text = text.trim();
    let name = text.split([' ', '\t', '\n']).next()?;
    let (_, tool, kind) = COMMANDS.iter().find(|(command, ..)| *command == name)?;
    let mut arguments = Vec::new();
    match kind {
        Words::Shown => {
            let body = block(text).or_else(|| words(text).map(|words| words.join(" ")))?;
            // Without a file nobody knows what was edited, and no path says so.
            arguments.extend(shown.map(|path| ("path", path.to_owned())));
            arguments.push(("text", body));
        }
        Words::Named(names) => {
            arguments.extend(named(names, words(text)?)?);
        }
        Words::Editor => arguments = editor(words(text)?)?,
        Words::Any => arguments.push(("message", message(text.get(name.len()..)?.trim())?)),
    }
    Some((Cow::Borrowed(tool), Arguments::Json(Cow::Owned(object(&arguments)))))
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

fn object(arguments: &[(&str, String)]) -> String {
    let fields: serde_json::Map<_, _> =
        arguments.iter().map(|(key, value)| ((*key).to_owned(), value.as_str().into())).collect();
    serde_json::Value::Object(fields).to_string()
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
fn block(text: &str) -> Option<String> {
    let (first, rest) = text.split_once('\n')?;
    let mut body = Vec::new();
    let mut lines = rest.lines();
    for line in lines.by_ref() {
        if matches!(line.trim(), "end_of_edit" | "end_of_insert") {
            let words = words(first)?;
            let plain = words.len() <= 3;
            return (plain && lines.all(|line| line.trim().is_empty())).then(|| body.join("\n"));
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

    use super::call;
    use agent_strace_model::Arguments;

    fn shown(text: &str) -> String {
        match call(&Cow::Borrowed(text), Some("a.py")) {
            (tool, Arguments::Json(json)) => format!("{tool} {json}"),
            _ => String::new(),
        }
    }

    #[test]
    fn only_plain_commands_of_the_agent_are_its_tools() {
        let cases = [
            ("open \"src/a b.py\" 14", r#"open {"line_number":"14","path":"src/a b.py"}"#),
            ("create x.py\n", r#"create {"path":"x.py"}"#),
            ("edit 1:2\nrm -rf /\nend_of_edit\n", r#"edit {"path":"a.py","text":"rm -rf /"}"#),
            ("edit 'a' 'b\n$c'", r#"edit {"path":"a.py","text":"edit a b\n$c"}"#),
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
    fn options_of_commands_are_no_paths() {
        let called = |text: &'static str| match call(&Cow::Borrowed(text), None) {
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

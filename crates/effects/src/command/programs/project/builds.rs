//! Build files that are no lists of recipes: commands and files that they name, whatever the goal is.

use super::recipes::Recipes;
use super::tables::{text_at_start, texts};

/// Lines that one statement may take.
const LINES: usize = 20;

fn always(lines: Vec<String>) -> Recipes {
    Recipes { always: lines, ..Recipes::default() }
}

/// Words as a shell command.
fn command(words: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let quoted = words.into_iter().map(|word| format!("'{}'", word.as_ref().replace('\'', r"'\''")));
    quoted.collect::<Vec<_>>().join(" ")
}

/// `commandLine 'x', 'y'`, `executable 'x'` with `args 'y'`, `delete 'x'` and `"x y".execute()` of Gradle.
pub(super) fn gradle(text: &str) -> Recipes {
    let mut found = Vec::new();
    let mut program: Vec<String> = Vec::new();
    for statement in statements(text) {
        let name = statement.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
        let words = || texts(statement);
        match name {
            "commandLine" | "setCommandLine" => found.push(command(words())),
            "executable" | "setExecutable" => program = words(),
            "args" | "setArgs" if !program.is_empty() => {
                found.push(command(program.iter().cloned().chain(words())));
                program.clear();
            }
            "delete" => found.push(command(["rm".to_owned(), "-rf".to_owned()].into_iter().chain(words()))),
            _ => {}
        }
        if let Some((before, _)) = statement.split_once(".execute(") {
            let words = texts(before);
            let is_list = before.trim_end().ends_with(']');
            found.extend(if is_list { Some(command(words)) } else { words.last().cloned() });
        }
    }
    if !program.is_empty() {
        found.push(command(program));
    }
    always(found)
}

/// Statements of a Groovy or Kotlin text: they end with a line, `;` or a brace outside of quotes and brackets.
fn statements(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut start, mut open, mut lines) = (0, 0_usize, 0);
    let mut quote = None;
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (Some(mark), _) if mark == letter => quote = None,
            (None, '"' | '\'') => quote = Some(letter),
            (None, '(' | '[') => open += 1,
            (None, ')' | ']') => open = open.saturating_sub(1),
            (_, '\n') => {
                lines += 1;
                if open == 0 || lines > LINES {
                    found.push(text.get(start..at).unwrap_or_default().trim());
                    (start, open, lines, quote) = (at + 1, 0, 0, None);
                }
            }
            (None, ';' | '{' | '}') => {
                found.push(text.get(start..at).unwrap_or_default().trim());
                (start, open, lines) = (at + 1, 0, 0);
            }
            _ => {}
        }
    }
    found.push(text.get(start..).unwrap_or_default().trim());
    found
}

/// Tasks of Ant, and what plugins of Maven run.
pub(super) fn xml(text: &str) -> Recipes {
    let mut found = Vec::new();
    let mut program: Option<Vec<String>> = None;
    for tag in text.split('<').skip(1) {
        let (tag, content) = tag.split_once('>').unwrap_or((tag, ""));
        let name = tag.split(|letter: char| letter.is_whitespace() || letter == '/' && !tag.starts_with('/')).next();
        let value = |names: &[&str]| names.iter().find_map(|name| attribute(tag, name));
        match name.unwrap_or_default() {
            "exec" | "java" => {
                found.extend(value(&["command"]));
                program = value(&["executable"]).map(|program| vec![program]);
            }
            "executable" => program = Some(vec![content.trim().to_owned()]),
            "arg" | "argument" | "commandlineArgs" => {
                let Some(words) = &mut program else { continue };
                words.extend(value(&["value", "file", "path"]));
                if let Some(line) = value(&["line"]) {
                    words.extend(line.split_whitespace().map(str::to_owned));
                }
                words.extend(content.split_whitespace().map(str::to_owned));
            }
            "/exec" | "/configuration" | "/java" => found.extend(program.take().map(command)),
            "delete" => found.extend(value(&["dir", "file"]).map(|path| command(["rm", "-rf", &path]))),
            "loadfile" | "property" | "loadproperties" => {
                found.extend(value(&["srcFile", "file"]).map(|path| command(["cat", &path])));
            }
            "echo" | "touch" | "mkdir" => {
                found.extend(value(&["file", "dir"]).map(|path| command(["touch", &path])));
            }
            "copy" | "move" => {
                let program = if name == Some("copy") { "cp" } else { "mv" };
                let from = value(&["file", "dir"]);
                let to = value(&["tofile", "todir"]);
                found.extend(from.zip(to).map(|(from, to)| command([program, "-r", &from, &to])));
            }
            "get" => found.extend(value(&["src"]).map(|url| command(["curl", &url]))),
            _ => {}
        }
        if tag.ends_with('/') && tag.starts_with("exec") {
            found.extend(program.take().map(command));
        }
    }
    found.extend(program.map(command));
    always(found)
}

/// The value of an attribute of a tag.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let found = tag.match_indices(name).find_map(|(at, name)| {
        let starts = tag.get(..at).is_some_and(|before| before.ends_with(char::is_whitespace));
        tag.get(at + name.len()..)?.trim_start().strip_prefix('=').filter(|_| starts)
    })?;
    let found = found.trim_start();
    let quote = found.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let value = found.get(1..)?.split(quote).next()?;
    Some(
        value
            .replace("&quot;", "\"")
            .replace("&apos;", "'")
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&amp;", "&"),
    )
}

/// `cmd = "…"` of rules of Bazel.
pub(super) fn bazel(text: &str) -> Recipes {
    let keys = ["cmd", "cmd_bash", "cmd_bat", "cmd_ps", "bash"];
    let values = text.match_indices('=').filter_map(|(at, _)| {
        let name = text.get(..at)?.trim_end();
        let name = name.rsplit(|letter: char| !letter.is_alphanumeric() && letter != '_').next()?;
        let value = text.get(at + 1..)?.trim_start();
        (keys.contains(&name) && value.starts_with(['"', '\''])).then_some(value)
    });
    always(values.filter_map(text_at_start).map(|text| text.replace("$$", "$")).collect())
}

/// Programs that cargo starts: runners, linkers and wrappers of the compiler.
pub(super) fn cargo(text: &str) -> Recipes {
    let keys =
        ["runner", "linker", "rustc-wrapper", "rustc-workspace-wrapper", "rustc", "rustdoc", "credential-provider"];
    let settings = text.lines().filter_map(|line| line.split_once('='));
    let settings = settings.filter(|(key, _)| keys.contains(&key.trim().rsplit('.').next().unwrap_or_default()));
    let lines = settings.filter_map(|(_, value)| {
        let words = texts(value);
        if value.trim_start().starts_with('[') { Some(command(words)) } else { words.into_iter().next() }
    });
    always(lines.collect())
}

#[cfg(test)]
mod tests {
    #[test]
    fn commands_of_build_files_are_found() {
        assert_eq!(super::gradle("task x(type: Exec) { commandLine 'rm', \"a b\" }").always, ["'rm' 'a b'"]);
        assert_eq!(super::gradle("exec {\n  executable 'rm'\n  args '-r',\n 'a'\n}").always, ["'rm' '-r'"]);
        assert_eq!(super::gradle("exec { commandLine(\n 'rm',\n 'a') }").always, ["'rm' 'a'"]);
        assert_eq!(super::gradle("x { 'rm a'.execute(); ['rm', 'b'].execute() }").always, ["rm a", "'rm' 'b'"]);
        assert_eq!(super::gradle("doLast { delete 'a', 'b' }").always, ["'rm' '-rf' 'a' 'b'"]);
        let ant = "<exec executable=\"rm\"><arg value=\"-r\"/><arg line=\"a b\"/></exec><exec executable='c'/>";
        assert_eq!(super::xml(ant).always, ["'rm' '-r' 'a' 'b'", "'c'"]);
        assert_eq!(super::xml("<delete dir=\"a\"/><property file='b'/>").always, ["'rm' '-rf' 'a'", "'cat' 'b'"]);
        let maven =
            "<configuration><executable>rm</executable><arguments><argument>a</argument></arguments></configuration>";
        assert_eq!(super::xml(maven).always, ["'rm' 'a'"]);
        assert_eq!(super::bazel("genrule(name = \"x\", cmd = \"rm $$a\")").always, ["rm $a"]);
        let cargo = "[target.x]\nrunner = [\"rm\", \"a\"]\n[build]\nrustc-wrapper = \"b c\"\njobs = \"d\"\n";
        assert_eq!(super::cargo(cargo).always, ["'rm' 'a'", "b c"]);
    }
}

//! The program of the hooks, as shells take it: the words of its command, and what keeps it from starting.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::super::failure::Failure;
use super::quoted;
use agent_strace_report::terminal;

/// A kernel reads no longer line that names an interpreter.
const LONGEST: u64 = 256;

/// The command as it is written into settings: a path with spaces is quoted.
pub(super) fn command(given: &str) -> Result<String, Failure> {
    if !agent_strace_live::hook_install::is_program_of_ours(given) {
        let failure = Failure::new(format!("`--program` does not name `agent-strace`: `{}`", terminal(given)));
        return Err(failure.hint("by that name `setup` finds its hooks again; a link or a script of that name will do"));
    }
    let has_spaces = given.contains(char::is_whitespace);
    let starts =
        || words(given, &from_environment).is_ok_and(|words| words.first().is_some_and(|word| found(word).is_some()));
    let is_path = given.contains(['/', '\\']) && !given.contains(['"', '\'', '$']);
    let is_one_word = is_path && has_spaces && (Path::new(given).exists() || !starts());
    Ok(if is_one_word { quoted(given) } else { given.to_owned() })
}

/// Why a shell can't start the command. `value_of` knows the variables of the environment.
pub(super) fn fault(command: &str, value_of: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let words = match words(command, value_of) {
        Ok(words) => words,
        Err(why) => return Some(format!("`{}` can't be checked: {why}", terminal(command))),
    };
    let Some((program, rest)) = words.split_first() else { return Some("the program has no name".to_owned()) };
    let Some(path) = found(program) else { return Some(not_found(program)) };
    let script = rest.first().filter(|word| word.contains('/') && !word.starts_with('-'));
    if let Some(script) = script.filter(|script| !Path::new(script).is_file()) {
        return Some(format!("`{}` is no file", terminal(script)));
    }
    missing_interpreter(&path)
}

fn not_found(program: &str) -> String {
    let shown = terminal(program);
    if program.contains(['/', '\\']) {
        format!("`{shown}` is no program that can be run")
    } else {
        format!("`{shown}` is not in the search path")
    }
}

/// The interpreter in the first line of a script, where it is not there.
fn missing_interpreter(path: &Path) -> Option<String> {
    let mut start = Vec::new();
    File::open(path).ok()?.take(LONGEST).read_to_end(&mut start).ok()?;
    let text = String::from_utf8_lossy(start.strip_prefix(b"#!")?).into_owned();
    let line = text.split('\n').next().unwrap_or_default();
    let mut words = line.split([' ', '\t']).filter(|word| !word.is_empty());
    let interpreter = words.next()?;
    let is_env = Path::new(interpreter).file_name().is_some_and(|name| name == "env");
    let named = words.find(|word| !word.starts_with('-') && !word.contains('='));
    let missing =
        [Some(interpreter), named.filter(|_| is_env)].into_iter().flatten().find(|name| found(name).is_none())?;
    Some(format!("`{}` needs `{}`, which is not there", terminal(&path.to_string_lossy()), terminal(missing)))
}

/// The file that a shell would run.
fn found(program: &str) -> Option<PathBuf> {
    if program.contains(['/', '\\']) {
        return Some(PathBuf::from(program)).filter(|path| is_program(path));
    }
    let folders = std::env::var_os("PATH")?;
    let names = [program.to_owned(), format!("{program}.exe")];
    let files = std::env::split_paths(&folders).flat_map(|folder| names.clone().map(|name| folder.join(name)));
    files.into_iter().find(|path| is_program(path))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_file())
}

pub(super) fn from_environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The words of a simple command, as a POSIX shell splits and expands them. The error says why the command is more than that.
pub(super) fn words(text: &str, value_of: &dyn Fn(&str) -> Option<String>) -> Result<Vec<String>, String> {
    let (mut words, mut word) = (Vec::new(), None::<String>);
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let after = rest.get(letter.len_utf8()..).unwrap_or_default();
        let (piece, length) = match letter {
            ' ' | '\t' => {
                words.extend(word.take());
                rest = after;
                continue;
            }
            '\'' => {
                let end = after.find('\'').ok_or("a quote is not closed")?;
                (after.get(..end).unwrap_or_default().to_owned(), end + 2)
            }
            '"' => double_quoted(after, value_of).map(|(piece, length)| (piece, length + 1))?,
            '\\' if cfg!(not(windows)) => {
                let next = after.chars().next().ok_or("it ends in a backslash")?;
                (next.to_string(), 1 + next.len_utf8())
            }
            '$' => variable(after, value_of).map(|(piece, length)| (piece, length + 1))?,
            '~' if word.is_none() && (after.is_empty() || after.starts_with('/')) => {
                (value_of("HOME").ok_or("`HOME` is not set")?, 1)
            }
            _ if "|&;<>()`*?[#\n\r".contains(letter) => return Err(format!("it holds `{}`", letter.escape_default())),
            plain => (plain.to_string(), plain.len_utf8()),
        };
        word.get_or_insert_default().push_str(&piece);
        rest = rest.get(length..).unwrap_or_default();
    }
    words.extend(word);
    Ok(words)
}

/// The value of a text up to the closing quote, and the length with that quote.
fn double_quoted(text: &str, value_of: &dyn Fn(&str) -> Option<String>) -> Result<(String, usize), String> {
    let (mut value, mut at) = (String::new(), 0);
    loop {
        let rest = text.get(at..).unwrap_or_default();
        match rest.chars().next().ok_or("a quote is not closed")? {
            '"' => return Ok((value, at + 1)),
            '`' => return Err("it holds ```".to_owned()),
            '$' => {
                let (piece, length) = variable(rest.get(1..).unwrap_or_default(), value_of)?;
                value += &piece;
                at += 1 + length;
            }
            '\\' if rest.get(1..).is_some_and(|next| next.starts_with(['"', '\\', '$', '`'])) => {
                value += rest.get(1..2).unwrap_or_default();
                at += 2;
            }
            letter => {
                value.push(letter);
                at += letter.len_utf8();
            }
        }
    }
}

/// The value of the variable whose name or braces a text begins with, and their length.
fn variable(text: &str, value_of: &dyn Fn(&str) -> Option<String>) -> Result<(String, usize), String> {
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let braced = text.strip_prefix('{').and_then(|text| text.split_once('}')).map(|(name, _)| (name, name.len() + 2));
    let end = text.find(|letter| !is_name(letter)).unwrap_or(text.len());
    let (name, length) = braced.unwrap_or((text.get(..end).unwrap_or_default(), end));
    if name.is_empty() || !name.chars().all(is_name) {
        return Err("it holds `$`".to_owned());
    }
    let value = value_of(name).ok_or_else(|| format!("`{name}` is not set"))?;
    Ok((value, length))
}

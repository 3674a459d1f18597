//! Programs in languages that are compiled: calls with literal arguments that start programs, touch files or connect.
//!
//! The text is not read as a program. A call counts where its name stands outside of comments, and only its literal
//! arguments do.

use crate::command::argument::Arg;
use crate::command::knowledge::Role;
use crate::command::machine::Machine;
use crate::command::simple::Io;

/// Names of calls that are looked at in one text.
const CALLS: usize = 5_000;
/// Characters of a line that are looked at before a call.
const LINE: usize = 1_000;
/// Bytes that the arguments of one call may take.
const ARGUMENTS: usize = 4_096;

/// The use that a call has for its literal arguments.
#[derive(Debug, Clone, Copy)]
enum Act {
    /// They are the words of a command.
    Words,
    /// The same, but the second one is only a name.
    Renamed,
    /// They are the words of a command, with those of the calls behind it: `.arg("x")`.
    Builder,
    /// They are shell text.
    Text,
    /// The first one is in this role.
    First(Role),
    /// The first two are in these roles.
    Both(Role, Role),
    /// A file that is relative to the source.
    Included,
    /// A file, and how it is opened.
    Opened,
}

const CALLED: &[(&str, Act)] = &[
    ("Command::new(", Act::Builder),
    ("exec.Command(", Act::Words),
    ("exec.CommandContext(", Act::Words),
    ("syscall.Exec(", Act::Words),
    ("os.StartProcess(", Act::Words),
    ("ProcessBuilder(", Act::Words),
    ("System.cmd(", Act::Words),
    ("System.shell(", Act::Text),
    ("Process.Start(", Act::Text),
    ("getRuntime().exec(", Act::Text),
    ("system(", Act::Text),
    ("popen(", Act::Text),
    ("execl(", Act::Renamed),
    ("execlp(", Act::Renamed),
    ("commandLine(", Act::Words),
    ("fs::read(", Act::First(Role::Read)),
    ("fs::read_to_string(", Act::First(Role::Read)),
    ("File::open(", Act::First(Role::Read)),
    ("File::create(", Act::First(Role::Write)),
    ("fs::write(", Act::First(Role::Write)),
    ("fs::remove_file(", Act::First(Role::Delete)),
    ("fs::remove_dir_all(", Act::First(Role::DeleteTree)),
    ("fs::copy(", Act::Both(Role::Read, Role::Write)),
    ("fs::rename(", Act::Both(Role::DeleteTree, Role::WriteTree)),
    ("include_str!(", Act::Included),
    ("include_bytes!(", Act::Included),
    ("os.ReadFile(", Act::First(Role::Read)),
    ("ioutil.ReadFile(", Act::First(Role::Read)),
    ("os.Open(", Act::First(Role::Read)),
    ("os.OpenFile(", Act::First(Role::Edit)),
    ("os.WriteFile(", Act::First(Role::Write)),
    ("ioutil.WriteFile(", Act::First(Role::Write)),
    ("os.Create(", Act::First(Role::Write)),
    ("os.Remove(", Act::First(Role::Delete)),
    ("os.RemoveAll(", Act::First(Role::DeleteTree)),
    ("os.Rename(", Act::Both(Role::DeleteTree, Role::WriteTree)),
    ("fopen(", Act::Opened),
    ("unlink(", Act::First(Role::Delete)),
    ("Files.readString(", Act::First(Role::Read)),
    ("Files.readAllBytes(", Act::First(Role::Read)),
    ("Files.readAllLines(", Act::First(Role::Read)),
    ("Files.writeString(", Act::First(Role::Write)),
    ("Files.write(", Act::First(Role::Write)),
    ("Files.delete(", Act::First(Role::Delete)),
    ("Files.deleteIfExists(", Act::First(Role::Delete)),
    ("FileReader(", Act::First(Role::Read)),
    ("FileInputStream(", Act::First(Role::Read)),
    ("FileWriter(", Act::First(Role::Write)),
    ("FileOutputStream(", Act::First(Role::Write)),
    ("File.ReadAllText(", Act::First(Role::Read)),
    ("File.ReadAllBytes(", Act::First(Role::Read)),
    ("File.ReadAllLines(", Act::First(Role::Read)),
    ("File.WriteAllText(", Act::First(Role::Write)),
    ("File.Delete(", Act::First(Role::Delete)),
    ("Directory.Delete(", Act::First(Role::DeleteTree)),
    ("File.read!(", Act::First(Role::Read)),
    ("File.write!(", Act::First(Role::Write)),
    ("File.rm!(", Act::First(Role::Delete)),
    ("File.rm_rf!(", Act::First(Role::DeleteTree)),
    ("File.rm_rf(", Act::First(Role::DeleteTree)),
    ("TcpStream::connect(", Act::First(Role::Host)),
    ("reqwest::get(", Act::First(Role::Url)),
    ("reqwest::blocking::get(", Act::First(Role::Url)),
    ("ureq::get(", Act::First(Role::Url)),
    ("http.Get(", Act::First(Role::Url)),
    ("http.Post(", Act::First(Role::Url)),
];

impl Machine<'_> {
    /// Judges the calls of a source as acts of the program that it becomes.
    pub(crate) fn compiled_text(&mut self, file: &Arg, text: &str, io: &mut Io<'_>) {
        let found =
            CALLED.iter().flat_map(|(name, act)| text.match_indices(name).map(move |(at, _)| (at, *name, *act)));
        for (at, name, act) in self.at_most(CALLS, found) {
            if is_call(text, at) {
                let behind = text.get(at + name.len()..).unwrap_or_default();
                let literals = arguments(behind, act);
                self.guessed(|machine| {
                    machine.through_script(file, |machine| machine.compiled_call(file, act, &literals, io));
                });
            }
        }
        for directive in text.lines().filter_map(|line| line.trim_start().strip_prefix("//go:")) {
            self.guessed(|machine| machine.through_script(file, |machine| machine.directive(directive, io)));
        }
    }

    fn compiled_call(&mut self, file: &Arg, act: Act, literals: &[String], io: &mut Io<'_>) {
        let Some(first) = literals.first() else { return };
        let words = || literals.iter().map(|word| Arg { tilde: false, ..Arg::exact(word.as_str()) });
        match act {
            Act::Words | Act::Builder => {
                self.command(&words().collect::<Vec<_>>(), io);
            }
            Act::Renamed => {
                self.command(&words().take(1).chain(words().skip(2)).collect::<Vec<_>>(), io);
            }
            Act::Text => {
                self.command_text(&Arg::exact(literals.join(" ")), io);
            }
            Act::First(role) => self.role(role, &Arg::exact(first.as_str()), io),
            Act::Both(one, two) => {
                for (role, word) in [one, two].into_iter().zip(literals) {
                    self.role(role, &Arg::exact(word.as_str()), io);
                }
            }
            Act::Included => {
                let directory = file.text.rsplit_once('/').map_or(".", |(directory, _)| directory);
                self.role(Role::Read, &Arg::exact(format!("{directory}/{first}")), io);
            }
            Act::Opened => {
                let writes = literals.get(1).is_some_and(|mode| mode.contains(['w', 'a', '+']));
                self.role(if writes { Role::Write } else { Role::Read }, &Arg::exact(first.as_str()), io);
            }
        }
    }

    /// `//go:generate COMMAND`, `//go:embed FILES`
    fn directive(&mut self, directive: &str, io: &mut Io<'_>) {
        if let Some(command) = directive.strip_prefix("generate ") {
            self.command_text(&Arg::exact(command), io);
        } else if let Some(files) = directive.strip_prefix("embed ") {
            for file in files.split_whitespace() {
                self.role(Role::Read, &Arg::exact(file), io);
            }
        }
    }
}

/// The name is a whole one, and surely stands in no comment.
fn is_call(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let is_part = before.chars().next_back().is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
    let line = before.char_indices().rev().take(LINE).take_while(|(_, letter)| *letter != '\n').last();
    !is_part && !is_comment(line.and_then(|(start, _)| before.get(start..)).unwrap_or_default())
}

/// The text before a call on its line opens a comment. Where it could be code, it is code.
fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    let is_star = line.starts_with("* ") || line.starts_with("/*");
    let is_hash = line.starts_with("# ") && !line.contains("define");
    let trails = line.find(" //").and_then(|at| line.get(..at));
    line.starts_with("//")
        || is_hash
        || is_star && !["*/", "=", ";"].iter().any(|mark| line.contains(mark))
        || trails.is_some_and(|code| !code.contains(['"', '\'', '`']))
}

/// The literal texts among the arguments of a call.
fn arguments(behind: &str, act: Act) -> Vec<String> {
    let mut literals = Vec::new();
    let mut left = group(behind, &mut literals);
    while let (Act::Builder, Some(rest)) = (act, left.trim_start().strip_prefix('.')) {
        let Some((name, rest)) = rest.split_once('(') else { break };
        let mut more = Vec::new();
        left = group(rest, &mut more);
        if matches!(name.trim(), "arg" | "args") {
            literals.append(&mut more);
        }
    }
    literals
}

/// Takes the literal texts up to the parenthesis that closes, and returns what is behind it.
fn group<'t>(text: &'t str, literals: &mut Vec<String>) -> &'t str {
    let mut depth = 1_usize;
    let mut letters = text.char_indices().take_while(|(at, _)| *at < ARGUMENTS);
    while let Some((at, letter)) = letters.next() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            '"' | '`' => {
                let mut literal = String::new();
                while let Some((_, next)) = letters.next() {
                    match next {
                        next if next == letter => break,
                        '\\' if letter == '"' => literal.extend(letters.next().map(|(_, escaped)| escaped)),
                        next => literal.push(next),
                    }
                }
                literals.push(literal);
            }
            // An escaped quote: the call is itself in a text.
            '\\' => return "",
            _ => {}
        }
        if depth == 0 {
            return text.get(at + 1..).unwrap_or_default();
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    #[test]
    fn only_what_is_surely_a_comment_is_one() {
        for line in ["// ", "  // x ", "* ", "/* x ", "# ", "let a = 1; // "] {
            assert!(super::is_comment(line), "{line}");
        }
        for line in
            ["/* */ ", "* p = ", "* p; ", "# define X ", "let x = \" //\"; ", "let c = '\"'; let x = \" //\"; ", ""]
        {
            assert!(!super::is_comment(line), "{line}");
        }
    }
}

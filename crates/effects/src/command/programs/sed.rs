//! `sed`: scripts that read, write and run.

use crate::command::argument::{Arg, Arguments, Known};
use crate::command::gate;
use crate::command::knowledge::{Entry, OptionRole, Role};
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::{About, Reason};

use super::Call;

/// What a script does besides editing its input.
#[derive(Debug, Default, PartialEq, Eq)]
struct Program {
    reads: Vec<String>,
    writes: Vec<String>,
    runs: Vec<String>,
    /// The input itself, or what a substitution makes of it, runs as commands.
    runs_input: bool,
    /// Text that it puts into its output.
    puts: Vec<String>,
}

/// `s/a/b/`, `3d`, `$d`, `/x/d`: more a script than the name of a file.
fn looks_like_script(text: &str) -> bool {
    let mut characters = text.chars();
    match characters.next() {
        Some('s' | 'y') => characters.next().is_some_and(|separator| "/|#,:@!".contains(separator)),
        Some('0'..='9' | '$') => true,
        Some('/') => text.ends_with(['d', 'p']) && text.ends_with("/d") | text.ends_with("/p"),
        _ => false,
    }
}

impl Machine<'_> {
    pub(super) fn sed(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = divide(call.rest);
        let mut operands = arguments.operands.iter();
        let mut scripts: Vec<Arg> = arguments.values(&["-e", "--expression"]).cloned().collect();
        let mut from_files = false;
        for file in arguments.values(&["-f", "--file"]) {
            from_files = true;
            self.path(Role::Read, file);
            let is_typed = matches!(file.literal(), Some("-" | "/dev/stdin"));
            let content = if is_typed { io.input.copied() } else { self.world.content_of(file) };
            match content.text() {
                Some(text) => scripts.push(Arg::exact(text)),
                None if self.foreign_script(file, io) => {}
                None => {
                    self.runs_project(&[Arg::exact("sed"), file.clone()], Reason::SedScriptNotWritten, &["sed"], &[]);
                }
            }
        }
        // `sed -i '' SCRIPT FILE`, as BSD and macOS have it: the next word says how backups end.
        let is_bsd = arguments.has(&["-i", "-I"]) && arguments.operands.first().and_then(Arg::literal) == Some("");
        let is_script = || arguments.operands.get(1).and_then(Arg::literal).is_some_and(looks_like_script);
        if is_bsd && (!scripts.is_empty() || from_files || arguments.operands.len() > 2 && is_script()) {
            operands.next();
        }
        if scripts.is_empty() && !from_files {
            scripts.extend(operands.next().cloned());
        }
        let in_place = arguments.has(&["-i", "-I", "--in-place"]);
        let files: Vec<Arg> = operands.cloned().collect();
        let computed = self.computed_by_sed(&arguments, &scripts, &files, io.input);
        let suffix = arguments.values(&["-i", "-I", "--in-place"]).next().cloned();
        for file in &files {
            self.path(if in_place { Role::Edit } else { Role::Read }, file);
            if let Some(suffix) = &suffix {
                self.path(Role::Write, &backup(file, suffix));
            }
        }
        let drops = scripts.iter().any(|script| gate::sed_drops(&script.text));
        if in_place && drops && files.iter().any(|file| gate::is_recipe(&file.text)) {
            self.opaque(About::Writes, Reason::GateCallRemoved, &[]);
        }
        let mut lines_only = !in_place;
        for script in scripts {
            lines_only &=
                script.text.starts_with(|c: char| c.is_ascii_digit()) && script.text.ends_with(['p', 'q', 'd']);
            let puts = self.sed_script(&script, io);
            for file in files.iter().filter(|file| in_place && file.is_exact()) {
                let (target, _) = self.world.locate_word(file);
                for text in &puts {
                    self.world.wrote_part(&target, text);
                }
            }
        }
        if let (Some(text), true, [file]) = (computed.text(), in_place, files.as_slice()) {
            let target = self.world.locate_word(file).0;
            self.world.wrote(&target, Some(text));
        }
        match io.input {
            Stream::Names(names) if files.is_empty() && lines_only => Stream::Names(names.clone()),
            _ if in_place => Stream::nothing(),
            _ => computed,
        }
    }

    /// The text that is left of the input or of one file, where the scripts replace plain text and do nothing else.
    fn computed_by_sed(&self, arguments: &Arguments, scripts: &[Arg], files: &[Arg], input: &Stream) -> Stream {
        let is_plain = |name: &str| matches!(name, "-e" | "--expression" | "-i" | "-I" | "--in-place" | "-E" | "-r");
        if !arguments.options.iter().all(|option| is_plain(&option.name)) {
            return Stream::Unknown;
        }
        let input = match files {
            [] => input.clone(),
            [file] => self.world.content_of(file),
            _ => return Stream::Unknown,
        };
        let replaced = |text: &str| {
            let mut scripts = scripts.iter();
            scripts.try_fold(text.to_owned(), |text, script| replaced(script.literal()?, &text))
        };
        match &input {
            Stream::Known(text) => replaced(text).map_or(Stream::Unknown, Stream::of),
            Stream::Likely(text) => replaced(text).map_or(Stream::Unknown, |text| Stream::of(text).doubted()),
            _ => Stream::Unknown,
        }
    }

    /// What the script does besides editing; returns what it puts into the text.
    fn sed_script(&mut self, script: &Arg, io: &mut Io<'_>) -> Vec<String> {
        let Some(text) = script.literal() else {
            self.opaque(About::Anything, Reason::UnknownSedScript, &[]);
            return Vec::new();
        };
        let Some(program) = read(text) else {
            self.opaque(About::Anything, Reason::SedScriptNotUnderstood, &[]);
            return Vec::new();
        };
        for file in &program.reads {
            self.path(Role::Read, &Arg::exact(file.as_str()));
        }
        for file in &program.writes {
            self.path(Role::Write, &Arg::exact(file.as_str()));
        }
        for command in &program.runs {
            self.command_text(&Arg::exact(command.as_str()), io);
        }
        if program.runs_input {
            self.opaque(About::Anything, Reason::SedRunsInput, &[]);
            if let Stream::Known(text) | Stream::Likely(text) = io.input.clone() {
                self.guessed(|machine| machine.command_text(&Arg::exact(text), io));
            }
        }
        program.puts
    }
}

/// `x.bak` for the suffix `.bak`; a suffix with `*` is a template for the name.
fn backup(file: &Arg, suffix: &Arg) -> Arg {
    let (directory, name) =
        file.text.rsplit_once('/').map_or(("", file.text.as_str()), |(directory, name)| (directory, name));
    let name =
        if suffix.text.contains('*') { suffix.text.replace('*', name) } else { format!("{name}{}", suffix.text) };
    let text = if directory.is_empty() || name.contains('/') { name } else { format!("{directory}/{name}") };
    Arg { known: if suffix.is_exact() { file.known } else { Known::Partly }, text, likely: None, ..file.clone() }
}

fn divide(words: &[Arg]) -> Arguments {
    let value = |role| OptionRole { role, attached: false };
    let mut entry = Entry::named("sed");
    entry.options.insert("-e --expression".into(), value(Role::Value));
    entry.options.insert("-f --file".into(), value(Role::Value));
    entry.options.insert("-l --line-length".into(), value(Role::Value));
    entry.options.insert("-i -I --in-place".into(), OptionRole { role: Role::Value, attached: true });
    Arguments::divide(&entry, words)
}

/// Reads a script; `None`: it uses what we do not know.
fn read(text: &str) -> Option<Program> {
    let mut program = Program::default();
    let mut reader = Reader { left: text };
    while reader.command(&mut program)? {}
    Some(program)
}

struct Reader<'a> {
    left: &'a str,
}

/// `s/plain text/other text/g;…` applied to each line; `None`: the script has something else in it, or asks for much work.
fn replaced(script: &str, text: &str) -> Option<String> {
    if text.len() > MOST_REPLACED {
        return None;
    }
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut reader = Reader { left: script };
    for _ in 0..=MOST_COMMANDS {
        reader.skip(|character| character.is_whitespace() || character == ';');
        match reader.bump() {
            None => {
                let end = if text.ends_with('\n') { "\n" } else { "" };
                return Some(lines.join("\n") + end);
            }
            Some('s') => {}
            Some(_) => return None,
        }
        let delimiter = reader.bump()?;
        let (pattern, replacement) = (plain_pattern(&reader.until(delimiter)?)?, reader.until(delimiter)?);
        let everywhere = reader.peek() == Some('g');
        reader.skip(|character| character == 'g');
        if !matches!(reader.peek(), None | Some(';' | '\n' | ' ')) || replacement.contains(['\\', '&']) {
            return None;
        }
        let most = if everywhere { usize::MAX } else { 1 };
        let longer = |line: &String| line.len() + line.matches(&pattern).take(most).count() * replacement.len();
        if lines.iter().map(longer).sum::<usize>() > MOST_REPLACED {
            return None;
        }
        for line in &mut lines {
            *line = line.replacen(&pattern, &replacement, most);
        }
    }
    None
}

/// Longer text is not computed, nor is what longer scripts make of it.
const MOST_REPLACED: usize = 64 * 1024;
const MOST_COMMANDS: usize = 64;

/// The text that a pattern without wildcards matches.
fn plain_pattern(pattern: &str) -> Option<String> {
    let mut text = String::new();
    let mut left = pattern.chars();
    while let Some(character) = left.next() {
        match character {
            '\\' => text.push(left.next().filter(|next| matches!(next, '.' | '*' | '$' | '^' | '[' | ']' | '/'))?),
            '.' | '*' | '[' | ']' | '^' | '$' | '+' | '?' | '(' | ')' | '{' | '}' | '|' => return None,
            other => text.push(other),
        }
    }
    (!text.is_empty()).then_some(text)
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.left.chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let mut characters = self.left.chars();
        let character = characters.next();
        self.left = characters.as_str();
        character
    }

    fn skip(&mut self, wanted: impl Fn(char) -> bool) {
        self.left = self.left.trim_start_matches(wanted);
    }

    fn line(&mut self) -> String {
        let (line, rest) = self.left.split_once('\n').unwrap_or((self.left, ""));
        let line = line.to_owned();
        self.left = rest;
        line
    }

    /// One command; `Some(false)` at the end.
    fn command(&mut self, program: &mut Program) -> Option<bool> {
        self.skip(|character| character.is_whitespace() || character == ';' || character == '}');
        if self.peek().is_none() {
            return Some(false);
        }
        self.addresses()?;
        self.skip(|character| character.is_whitespace() || character == '!');
        match self.bump() {
            Some('{' | '}' | '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' | 'F') => {}
            Some('#') => {
                self.line();
            }
            Some('a' | 'i' | 'c') => program.puts.push(self.text()),
            Some(':' | 'b' | 't' | 'T' | 'v' | 'l' | 'L' | 'q' | 'Q') => {
                self.skip(|character| !matches!(character, ';' | '\n' | '}'));
            }
            Some('r' | 'R') => program.reads.push(self.line().trim().to_owned()),
            Some('w' | 'W') => program.writes.push(self.line().trim().to_owned()),
            Some('e') => {
                let command = self.line().trim().to_owned();
                if command.is_empty() { program.runs_input = true } else { program.runs.push(command) }
            }
            Some('s') => self.substitution(program)?,
            Some('y') => {
                let delimiter = self.bump()?;
                self.until(delimiter)?;
                self.until(delimiter)?;
            }
            None | Some(_) => return None,
        }
        Some(true)
    }

    /// `1,20`, `/re/I`, `$`, `0~4`, `\%re%`, `+5`.
    fn addresses(&mut self) -> Option<()> {
        loop {
            match self.peek() {
                Some('/') => {
                    self.bump();
                    self.until('/')?;
                    self.skip(|character| matches!(character, 'I' | 'M'));
                }
                Some('\\') => {
                    self.bump();
                    let delimiter = self.bump()?;
                    self.until(delimiter)?;
                    self.skip(|character| matches!(character, 'I' | 'M'));
                }
                Some('0'..='9' | '$' | ',' | '~' | '+' | ' ') => {
                    self.bump();
                }
                _ => return Some(()),
            }
        }
    }

    /// Text of `a`, `i`, `c`: to the end of a line that does not end in a backslash.
    fn text(&mut self) -> String {
        let mut text = String::new();
        loop {
            let line = self.line();
            let (part, goes_on) = line.strip_suffix('\\').map_or((line.as_str(), false), |part| (part, true));
            text.push_str(part.trim_start());
            text.push('\n');
            if !goes_on || self.left.is_empty() {
                return text;
            }
        }
    }

    fn until(&mut self, delimiter: char) -> Option<String> {
        let (mut text, mut class) = (String::new(), false);
        loop {
            match self.bump()? {
                '\\' => {
                    let next = self.bump()?;
                    if next != delimiter {
                        text.push('\\');
                    }
                    text.push(next);
                }
                '[' if delimiter != '[' => {
                    class = true;
                    text.push('[');
                }
                ']' => {
                    class = false;
                    text.push(']');
                }
                // Inside a class the delimiter is plain in some implementations and ends the pattern in others.
                character if character == delimiter && !(class && self.closes_class(delimiter)) => return Some(text),
                character => text.push(character),
            }
        }
    }

    /// A `]` follows before the next delimiter: `[^/]`.
    fn closes_class(&self, delimiter: char) -> bool {
        let close = self.left.find(']');
        let end = self.left.find(delimiter);
        matches!((close, end), (Some(close), Some(end)) if close < end)
    }

    fn substitution(&mut self, program: &mut Program) -> Option<()> {
        let delimiter = self.bump()?;
        self.until(delimiter)?;
        let replacement = self.until(delimiter)?;
        program.puts.push(replacement.replace("\\n", "\n"));
        loop {
            match self.peek() {
                Some('g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9') => {
                    self.bump();
                }
                Some('e') => {
                    self.bump();
                    program.runs_input = true;
                    program.runs.push(replacement.clone());
                }
                Some('w') => {
                    self.bump();
                    program.writes.push(self.line().trim().to_owned());
                    return Some(());
                }
                None | Some(';' | '\n' | '}' | '#') => return Some(()),
                Some(character) if character.is_whitespace() => {
                    self.bump();
                }
                Some(_) => return None,
            }
        }
    }
}

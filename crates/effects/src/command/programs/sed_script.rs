//! The language of `sed`.

/// The acts of a script besides editing its input.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Program {
    pub(super) reads: Vec<String>,
    pub(super) writes: Vec<String>,
    pub(super) runs: Vec<String>,
    /// The input itself, or what a substitution makes of it, runs as commands.
    pub(super) runs_input: bool,
    /// Text that it puts into its output.
    pub(super) puts: Vec<String>,
    /// It makes other letters of those that were there: no text says what comes out.
    pub(super) transliterates: bool,
}

impl Program {
    /// Returns true if the script itself holds all the text that it adds to a file.
    pub(super) fn adds_only_its_own(&self) -> bool {
        self.reads.is_empty() && self.runs.is_empty() && !self.runs_input && !self.transliterates
    }
}

/// Reads a script; `None`: it uses what we do not know.
pub(super) fn read(text: &str) -> Option<Program> {
    let mut program = Program::default();
    let mut reader = Reader { left: text };
    while reader.command(&mut program)? {}
    Some(program)
}

struct Reader<'a> {
    left: &'a str,
}

/// `s/plain text/other text/g;…` applied to each line; `None`: the script has something else in it, or asks for much work.
pub(super) fn replaced(script: &str, text: &str) -> Option<String> {
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
                program.transliterates = true;
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

//! What is wrong with a policy file: every fault at once, each with its location.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use agent_strace_model::finding::PolicyLocation;
use agent_strace_secrets::redact;

/// One fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    pub location: PolicyLocation,
    pub message: String,
    pub help: Option<String>,
    span: Range<usize>,
}

/// All faults of one file, in its order. Never empty.
#[derive(Debug, Clone)]
pub struct Diagnostics {
    pub file: String,
    pub list: Vec<Diagnostic>,
    /// `None` when the file could not be read.
    text: Option<String>,
}

impl Diagnostics {
    pub(super) fn new(file: &str, text: &str) -> Self {
        Self { file: file.to_owned(), list: Vec::new(), text: Some(text.to_owned()) }
    }

    /// For a file that could not be read at all.
    pub fn whole_file(file: &str, message: String, help: Option<String>) -> Self {
        let mut all = Self { file: file.to_owned(), list: Vec::new(), text: None };
        all.push(0..0, "", message, help);
        all
    }

    /// Why the file could not be read at all.
    pub fn of_whole_file(&self) -> Option<&Diagnostic> {
        self.list.first().filter(|_| self.text.is_none())
    }

    /// The first fault in one line, where there is no room for more.
    pub fn in_one_line(&self) -> String {
        let more = match self.list.len() {
            0 | 1 => String::new(),
            count => format!(" (and {} more)", count - 1),
        };
        let first = self.list.first().map(|first| format!("line {}: {}", first.location.line, first.message));
        format!("{}: {}{more}", self.file, first.unwrap_or_default())
    }

    pub(super) fn push(&mut self, span: Range<usize>, pointer: &str, message: String, help: Option<String>) {
        // A renderer wraps long lines, and no detector knows a secret with a line break in it.
        let clean = |text: String| redact(without_passwords(&text)).as_str().to_owned();
        let pointer = clean(one_line(pointer));
        let location = Locator::new(self.text.as_deref().unwrap_or_default()).location(span.start, &pointer);
        let (message, help) = (clean(message), help.map(clean));
        self.list.push(Diagnostic { location, message, help, span });
    }

    pub(super) fn sort(&mut self) {
        self.list.sort_by(|left, right| {
            (left.span.start, left.span.end, &left.message).cmp(&(right.span.start, right.span.end, &right.message))
        });
    }

    /// With the lines of the file and a mark under each fault. `colour`: how the terminal is to be painted.
    pub fn fancy(&self, colour: Colour, width: usize) -> String {
        let Some(text) = &self.text else { return self.to_string() };
        let theme = match colour {
            Colour::Never => miette::GraphicalTheme::unicode_nocolor(),
            Colour::Ansi => miette::GraphicalTheme::unicode(),
        };
        let handler = miette::GraphicalReportHandler::new_themed(theme).with_width(width.max(40)).with_links(false);
        let mut rendered = String::new();
        for diagnostic in &self.list {
            let report = Report {
                diagnostic,
                source: miette::NamedSource::new(self.file.clone(), without_passwords(&inert(text))),
            };
            if handler.render_report(&mut rendered, &report).is_err() {
                return self.to_string();
            }
        }
        rendered
    }
}

/// Whether the report may use escape sequences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    Never,
    Ansi,
}

/// One line a fault: `file:line:column: message`.
impl fmt::Display for Diagnostics {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for diagnostic in &self.list {
            let location = &diagnostic.location;
            write!(formatter, "{}:", inert(&self.file))?;
            if self.text.is_some() {
                write!(formatter, "{}:{}:", location.line, location.column)?;
            }
            write!(formatter, " {}", diagnostic.message)?;
            if let Some(help) = &diagnostic.help {
                write!(formatter, "; {help}")?;
            }
            writeln!(formatter)?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

/// Finds lines and columns; fast for locations asked for in ascending order.
#[derive(Debug)]
pub(super) struct Locator<'a> {
    text: &'a str,
    at: usize,
    line: u32,
    column: u32,
    /// How locations name the file, where it is not the policy itself.
    file: Option<Arc<str>>,
}

impl<'a> Locator<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, line: 1, column: 1, file: None }
    }

    pub(super) fn of_file(self, file: Option<Arc<str>>) -> Self {
        Self { file, ..self }
    }

    pub(super) fn location(&mut self, at: usize, pointer: &str) -> PolicyLocation {
        if at < self.at {
            (self.at, self.line, self.column) = (0, 1, 1);
        }
        for character in self.text.get(self.at..at.min(self.text.len())).unwrap_or_default().chars() {
            match character {
                '\n' => (self.line, self.column) = (self.line.saturating_add(1), 1),
                '\u{feff}' => {}
                _ => self.column = self.column.saturating_add(1),
            }
        }
        self.at = at;
        PolicyLocation { pointer: pointer.to_owned(), line: self.line, column: self.column, file: self.file.clone() }
    }
}

/// Text of the file inside a message: short, on one line, without characters that hide or move text. It is redacted before it
/// is cut, because half of a secret is one that no detector knows.
pub fn quoted(text: &str) -> String {
    let line = redact(one_line(text));
    let shown: String = line.as_str().chars().take(60).collect();
    let more = if line.as_str().chars().nth(60).is_some() { "…" } else { "" };
    format!("`{shown}{more}`")
}

/// Characters that could move the cursor or hide text become `?`, each byte one, so that spans stay right.
fn inert(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        let hostile = character.is_control() && !matches!(character, '\n' | '\t' | '\r')
            || matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
        if hostile {
            safe.extend(std::iter::repeat_n('?', character.len_utf8()));
        } else {
            safe.push(character);
        }
    }
    safe
}

/// The text with stars for what stands before the `@` of a host, as in `user:token@host`. Each byte stays one, so that spans
/// stay right.
fn without_passwords(text: &str) -> String {
    let is_word = |letter: char| !letter.is_whitespace() && !matches!(letter, '"' | '/' | '@' | '`' | '\'');
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('@') {
        let start = before
            .rfind(|letter| !is_word(letter))
            .map_or(0, |at| at + before.get(at..).and_then(|tail| tail.chars().next()).map_or(1, char::len_utf8));
        let (kept, user) = before.split_at(start);
        shown.push_str(kept);
        match user.split_once(':').filter(|(name, password)| !name.is_empty() && !password.is_empty()) {
            Some((name, password)) => {
                shown.push_str(name);
                shown.push(':');
                shown.extend(std::iter::repeat_n('*', password.len()));
            }
            None => shown.push_str(user),
        }
        shown.push('@');
        rest = behind;
    }
    shown + rest
}

fn one_line(text: &str) -> String {
    inert(text).chars().map(|character| if character.is_control() { '?' } else { character }).collect()
}

/// One fault as miette renders it.
#[derive(Debug)]
struct Report<'a> {
    diagnostic: &'a Diagnostic,
    source: miette::NamedSource<String>,
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.diagnostic.message)
    }
}

impl std::error::Error for Report<'_> {}

impl miette::Diagnostic for Report<'_> {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.diagnostic.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        Some(&self.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = miette::LabeledSpan> + '_>> {
        let label = (!self.diagnostic.location.pointer.is_empty()).then(|| self.diagnostic.location.pointer.clone());
        let span = miette::LabeledSpan::new_with_span(label, self.diagnostic.span.clone());
        Some(Box::new(std::iter::once(span)))
    }
}

#[cfg(test)]
mod tests {
    use super::without_passwords;

    #[test]
    fn passwords_before_a_host_are_masked_in_place() {
        for (text, shown) in [
            (r#"["user:ghp_012@github.com", "a@b"]"#, r#"["user:*******@github.com", "a@b"]"#),
            ("https://x:y@h/p@q", "https://x:*@h/p@q"),
            ("ü:ßß@h a:@b :c@d", "ü:****@h a:@b :c@d"),
            ("@@", "@@"),
            ("no host: at all", "no host: at all"),
        ] {
            assert_eq!(without_passwords(text), shown);
            assert_eq!(without_passwords(text).len(), text.len());
        }
    }
}

//! The code of a script: its text with everything blanked out that is not code, at the same places.

/// Words after which `/` begins a pattern.
const BEFORE_PATTERNS: [&str; 12] =
    ["return", "typeof", "case", "of", "in", "await", "else", "do", "void", "delete", "yield", "instanceof"];

/// Characters of a line that are looked at: scripts may be one long line.
const LINE: usize = 4096;

/// The script with the contents of its strings, patterns and comments blanked out; what a template computes is code.
///
/// `None`: where its strings and comments end can't be told, so that something could hide in them.
pub(super) fn code(source: &str) -> Option<String> {
    // Old forms of comments, of which only the newest hosts know nothing.
    if source.starts_with("#!") || source.contains("<!--") || source.contains("-->") {
        return None;
    }
    let mut mask = Mask { rest: source, code: String::with_capacity(source.len()), open: Vec::new() };
    while !mask.rest.is_empty() {
        mask.next()?;
    }
    mask.open.is_empty().then_some(mask.code)
}

/// A script that is being masked.
struct Mask<'s> {
    rest: &'s str,
    code: String,
    /// Braces that are open: `true` for those of a template's `${`.
    open: Vec<bool>,
}

impl Mask<'_> {
    fn next(&mut self) -> Option<()> {
        let first = self.rest.chars().next()?;
        match first {
            '"' | '\'' => self.string(first),
            '`' => {
                self.keep(1);
                self.template()
            }
            '{' => {
                self.open.push(false);
                self.keep(1)
            }
            '}' => {
                let is_template = self.open.pop()?;
                self.keep(1)?;
                if is_template { self.template() } else { Some(()) }
            }
            '/' if self.rest.starts_with("//") => {
                let end = self.rest.find(ends_line).unwrap_or(self.rest.len());
                self.blank(end)
            }
            '/' if self.rest.starts_with("/*") => {
                let end = self.rest.get(2..)?.find("*/")?;
                self.blank(end + 4)
            }
            '/' if self.begins_pattern()? => self.pattern(),
            _ => self.keep(first.len_utf8()),
        }
    }

    /// A string in one line: one that has no end there is no script.
    fn string(&mut self, quote: char) -> Option<()> {
        let end = end_of(self.rest.get(1..)?, |character| character == quote)?;
        self.keep(1)?;
        self.blank(end)?;
        self.keep(1)
    }

    /// The text of a template, up to its end or to the next thing that it computes.
    fn template(&mut self) -> Option<()> {
        let mut escaped = false;
        for (at, character) in self.rest.char_indices() {
            let computes = || self.rest.get(at..).is_some_and(|rest| rest.starts_with("${"));
            match character {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '`' => {
                    self.blank(at)?;
                    return self.keep(1);
                }
                '$' if computes() => {
                    self.blank(at)?;
                    self.open.push(true);
                    return self.keep(2);
                }
                _ => {}
            }
        }
        None
    }

    fn pattern(&mut self) -> Option<()> {
        let mut in_class = false;
        let end = end_of(self.rest.get(1..)?, |character| {
            in_class = (in_class || character == '[') && character != ']';
            character == '/' && !in_class
        })?;
        self.keep(1)?;
        self.blank(end)?;
        self.keep(1)
    }

    /// Returns whether `/` begins a pattern here, and is no division. `None`: nothing tells, and it would make a
    /// difference.
    fn begins_pattern(&self) -> Option<bool> {
        let before = self.code.trim_end();
        let Some(last) = before.chars().next_back() else { return Some(true) };
        if super::is_word(last) {
            let word = before.rsplit(|character| !super::is_word(character)).next().unwrap_or_default();
            return Some(BEFORE_PATTERNS.contains(&word));
        }
        match last {
            ']' | '"' | '\'' | '`' => Some(false),
            // The end of a condition or a block, or of something that has a value.
            ')' | '}' => {
                let mut line = self.rest.chars().take(LINE).take_while(|character| !ends_line(*character));
                let is_short = self.rest.len() <= LINE || self.rest.chars().take(LINE).any(ends_line);
                (is_short && !line.any(|character| matches!(character, '"' | '\'' | '`'))).then_some(false)
            }
            // `a++ / b`
            '+' | '-' => None,
            _ => Some(true),
        }
    }

    fn keep(&mut self, length: usize) -> Option<()> {
        let (kept, rest) = self.rest.split_at_checked(length)?;
        self.code.push_str(kept);
        self.rest = rest;
        Some(())
    }

    fn blank(&mut self, length: usize) -> Option<()> {
        let (blanked, rest) = self.rest.split_at_checked(length)?;
        self.code.extend(std::iter::repeat_n(' ', blanked.len()));
        self.rest = rest;
        Some(())
    }
}

pub(super) fn ends_line(character: char) -> bool {
    matches!(character, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

/// Where a literal of one line ends.
fn end_of(text: &str, mut is_end: impl FnMut(char) -> bool) -> Option<usize> {
    let mut escaped = false;
    for (at, character) in text.char_indices() {
        match character {
            '\n' | '\r' if !escaped => return None,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if is_end(character) => return Some(at),
            _ => {}
        }
    }
    None
}

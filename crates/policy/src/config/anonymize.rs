//! `.agent-strace/anonymize.yaml` → what else identifies somebody, and what does not.
//!
//! The file is that of the Python tool of this name, whose texts in double quotes are taken as they stand: `"\d+"` is a
//! pattern and `"C:\temp"` a path, although YAML would refuse the one and read a tab in the other. So in this file a
//! backslash in double quotes is a backslash; `\\` and `\"` are what YAML says.

use std::ops::Range;

use regex::{Regex, RegexBuilder};

use super::yaml;
use crate::grammar;
use crate::json::{Data, SyntaxError, Value};
use crate::{Diagnostics, Parser, nearest, quoted};

/// The names it may have, the first one counts.
pub const NAMES: &[&str] = &[".agent-strace/anonymize.yaml", ".agent-strace/anonymize.yml"];

/// What an identity may be; without a class it is `named`.
pub(crate) const CLASSES: &[&str] = &["home", "user", "host", "email", "person", "repository", "branch", "named"];

/// What takes the place of a match where a rule does not say: as the Python tool has it.
const REPLACEMENT: &str = "<REDACTED>";
/// Of one compiled pattern.
const LARGEST_PATTERN: usize = 1 << 20;
pub(crate) const MOST_RULES: usize = 256;

/// What the file says.
#[derive(Debug, Default)]
pub struct Anonymizing {
    pub rules: Vec<Rule>,
    pub identities: Vec<Identity>,
    /// Values that identify nobody.
    pub keep: Vec<String>,
}

#[derive(Debug)]
pub struct Rule {
    pub pattern: Regex,
    /// Taken as it is.
    pub replacement: String,
    pub description: Option<String>,
}

#[derive(Debug)]
pub struct Identity {
    /// One of [`CLASSES`].
    pub class: String,
    pub value: String,
}

/// `file`: as users know it.
pub fn read(file: &str, bytes: &[u8]) -> Result<Anonymizing, Diagnostics> {
    let text = super::text(file, bytes)?;
    let mut parser = Parser::of_configuration(file, text);
    let mut read = Anonymizing::default();
    let plain = Plain::of(text);
    match yaml::read(&plain.text) {
        Ok(Value { data: Data::Null, .. }) => {}
        Ok(root) => members(&mut parser, &plain.value(root), &mut read),
        Err(SyntaxError { span, message, help }) => {
            parser.refuse(SyntaxError { span: plain.span(span), message, help });
        }
    }
    parser.finish(read)
}

fn members(parser: &mut Parser<'_>, root: &Value, read: &mut Anonymizing) {
    let Some(members) = parser.members(root, "", &grammar::ANONYMIZING) else { return };
    for (key, value) in members {
        match key.name.as_str() {
            "rules" => read.rules = rules(parser, value),
            "identities" => read.identities = list(parser, value, "/identities", identity),
            "keep" => read.keep = list(parser, value, "/keep", kept),
            _ => {}
        }
    }
    settled(parser, root, &read.rules);
}

fn rules(parser: &mut Parser<'_>, value: &Value) -> Vec<Rule> {
    let rules = list(parser, value, "/rules", rule);
    if rules.len() > MOST_RULES {
        let message = format!("{} rules are more than the {MOST_RULES} that are taken", rules.len());
        parser.fault(value, "/rules", message, Some("join patterns with `|`".to_owned()));
    }
    rules
}

/// An empty list may be left out.
fn list<T>(
    parser: &mut Parser<'_>,
    value: &Value,
    pointer: &str,
    one: impl Fn(&mut Parser<'_>, &Value, &str) -> Option<T>,
) -> Vec<T> {
    match &value.data {
        Data::Null => Vec::new(),
        Data::List(items) => {
            let items = items.iter().enumerate();
            items.filter_map(|(at, item)| one(parser, item, &format!("{pointer}/{at}"))).collect()
        }
        _ => {
            parser.wrong_type(value, pointer, "a list");
            Vec::new()
        }
    }
}

fn rule(parser: &mut Parser<'_>, value: &Value, pointer: &str) -> Option<Rule> {
    let members = parser.members(value, pointer, &grammar::PATTERN_RULE)?;
    let field = |name: &str| members.iter().find(|(key, _)| key.name == name).map(|(_, value)| *value);
    let replacement = field("replacement").map(|value| text(parser, value, &format!("{pointer}/replacement"), true));
    let description = field("description").map(|value| text(parser, value, &format!("{pointer}/description"), false));
    let Some(found) = field("pattern") else {
        let help = Some("write `pattern: 'what is to go'`".to_owned());
        parser.fault(value, pointer, "`pattern` is missing".to_owned(), help);
        return None;
    };
    let pointer = format!("{pointer}/pattern");
    let pattern = text(parser, found, &pointer, false)?;
    let pattern = compiled(parser, found, &pointer, &pattern)?;
    let replacement = replacement.unwrap_or_else(|| Some(REPLACEMENT.to_owned()))?;
    Some(Rule { pattern, replacement, description: description.flatten() })
}

fn compiled(parser: &mut Parser<'_>, value: &Value, pointer: &str, pattern: &str) -> Option<Regex> {
    let (message, help) = match RegexBuilder::new(pattern).size_limit(LARGEST_PATTERN).build() {
        Ok(built) if built.is_match("") => (
            "this pattern finds the empty text, which is everywhere".to_owned(),
            "ask for one character at least: `+` for `*`",
        ),
        Ok(built) => return Some(built),
        Err(regex::Error::CompiledTooBig(_)) => (
            "this pattern takes too much to search for".to_owned(),
            "bound its repetitions: `{1,100}` for `{1,100000}`",
        ),
        Err(error) => {
            let said = error.to_string();
            let reason = said.lines().last().unwrap_or_default();
            let reason = reason.strip_prefix("error: ").unwrap_or(reason);
            (
                format!("this is no pattern: {reason}"),
                "patterns are regular expressions without look-around and back-references",
            )
        }
    };
    parser.fault(value, pointer, message, Some(help.to_owned()));
    None
}

fn identity(parser: &mut Parser<'_>, value: &Value, pointer: &str) -> Option<Identity> {
    if let Data::Text(_) = &value.data {
        return Some(Identity { class: "named".to_owned(), value: text(parser, value, pointer, false)? });
    }
    let members = parser.members(value, pointer, &grammar::IDENTITY)?;
    let field = |name: &str| members.iter().find(|(key, _)| key.name == name).map(|(_, value)| *value);
    let class = match field("class") {
        None => "named".to_owned(),
        Some(found) => {
            let pointer = format!("{pointer}/class");
            let class = text(parser, found, &pointer, false)?;
            if !CLASSES.contains(&class.as_str()) {
                let help = match nearest(&class, CLASSES) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("known are {}", CLASSES.join(", ")),
                };
                parser.fault(found, &pointer, format!("{} is no class of identities", quoted(&class)), Some(help));
                return None;
            }
            class
        }
    };
    let Some(found) = field("value") else {
        parser.fault(value, pointer, "`value` is missing".to_owned(), None);
        return None;
    };
    Some(Identity { class, value: text(parser, found, &format!("{pointer}/value"), false)? })
}

fn kept(parser: &mut Parser<'_>, value: &Value, pointer: &str) -> Option<String> {
    let members = parser.members(value, pointer, &grammar::KEEP)?;
    let mut field = |name: &str| {
        let found = members.iter().find(|(key, _)| key.name == name);
        let Some((_, found)) = found else {
            let help = Some("what stays visible, and why: `value: buildbot` and `reason: …`".to_owned());
            parser.fault(value, pointer, format!("`{name}` is missing"), help);
            return None;
        };
        text(parser, found, &format!("{pointer}/{name}"), false)
    };
    let (kept, reason) = (field("value"), field("reason"));
    reason.and(kept)
}

fn text(parser: &mut Parser<'_>, value: &Value, pointer: &str, may_be_empty: bool) -> Option<String> {
    let Data::Text(text) = &value.data else {
        parser.wrong_type(value, pointer, "a text");
        return None;
    };
    if text.trim().is_empty() && !may_be_empty || text.contains(char::is_control) {
        let help = Some("write one line".to_owned());
        parser.fault(value, pointer, "this text is empty or not one line".to_owned(), help);
        return None;
    }
    Some(text.clone())
}

/// A rule that finds what a rule writes would go on for ever, or change what is anonymised already.
fn settled(parser: &mut Parser<'_>, root: &Value, rules: &[Rule]) {
    let Data::Object(members) = &root.data else { return };
    let Some((_, Value { data: Data::List(items), .. })) = members.iter().find(|(key, _)| key.name == "rules") else {
        return;
    };
    // With a rule that was not read, indices in both lists differ; its own fault is told.
    if items.len() != rules.len() {
        return;
    }
    for (item, (at, rule)) in items.iter().zip(rules.iter().enumerate()) {
        let Some(finder) = rules.iter().position(|other| other.pattern.is_match(&rule.replacement)) else { continue };
        let message =
            format!("rule {} finds what this rule writes: anonymizing twice would not be the same", finder + 1);
        let help = "make the pattern narrower, or write something that it does not find";
        parser.fault(item, &format!("/rules/{at}"), message, Some(help.to_owned()));
    }
}

/// The text with every backslash in double quotes written as YAML wants it.
struct Plain {
    text: String,
    /// Where backslashes were put in, in `text`.
    added: Vec<usize>,
}

impl Plain {
    fn of(text: &str) -> Self {
        let mut plain = Self { text: String::with_capacity(text.len()), added: Vec::new() };
        let mut quote = None;
        // What stands before, on this line: a quote begins a text only where a value may.
        let (mut last, mut after_blank) = ('\n', true);
        let mut letters = text.chars().peekable();
        while let Some(letter) = letters.next() {
            plain.text.push(letter);
            match (quote, letter) {
                (Some('"'), '\\') => {
                    if let Some('\\' | '"') = letters.peek() {
                        plain.text.extend(letters.next());
                    } else {
                        plain.added.push(plain.text.len());
                        plain.text.push('\\');
                    }
                }
                (Some(open), close) if open == close => quote = None,
                (None, '"' | '\'') if matches!(last, '\n' | ':' | '-' | ',' | '[' | '{') => quote = Some(letter),
                (None, '#') if after_blank => {
                    while letters.peek().is_some_and(|next| *next != '\n') {
                        plain.text.extend(letters.next());
                    }
                }
                _ => {}
            }
            after_blank = matches!(letter, ' ' | '\t' | '\n');
            if quote.is_none() && !matches!(letter, ' ' | '\t' | '\r') {
                last = letter;
            }
        }
        plain
    }

    fn offset(&self, at: usize) -> usize {
        at - self.added.partition_point(|added| *added < at)
    }

    fn span(&self, span: Range<usize>) -> Range<usize> {
        self.offset(span.start)..self.offset(span.end)
    }

    /// With the locations that it has in the file.
    fn value(&self, value: Value) -> Value {
        let data = match value.data {
            Data::List(items) => Data::List(items.into_iter().map(|item| self.value(item)).collect()),
            Data::Object(members) => Data::Object(
                members
                    .into_iter()
                    .map(|(mut key, value)| {
                        key.span = self.span(key.span);
                        (key, self.value(value))
                    })
                    .collect(),
            ),
            other => other,
        };
        Value { span: self.span(value.span), data }
    }
}

#[cfg(test)]
mod tests {
    use super::Plain;

    #[test]
    fn backslashes_in_double_quotes_are_themselves() {
        for (text, plain) in [
            (r#"a: "\\d \d \" \t" # "\x" "#, r#"a: "\\d \\d \" \\t" # "\x" "#),
            (r#"a: '"\d"' # it's"#, r#"a: '"\d"' # it's"#),
            (r#"- {p: "\d", q: it's "\d"}"#, r#"- {p: "\\d", q: it's "\d"}"#),
            ("a: x#y \"\\d\"\nb: \"\\s\"", "a: x#y \"\\d\"\nb: \"\\\\s\""),
        ] {
            let read = Plain::of(text);
            assert_eq!(read.text, plain);
            // Every location leads back to the file.
            for (at, byte) in plain.bytes().enumerate() {
                if !read.added.contains(&at) {
                    assert_eq!(text.as_bytes()[read.offset(at)], byte, "{at} in {plain}");
                }
            }
        }
    }
}

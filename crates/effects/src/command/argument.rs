//! Words of a command after expansion, and how they divide into options and operands.

use std::borrow::Cow;

use crate::{Certainty, paths};
use agent_strace_shell::{Field, Knowledge, Provenance, Span, Value};

use super::knowledge::{Entry, Meaning, OptionRole, Role};

/// How well a word is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Known {
    Exact,
    /// A glob: `*` within a component, `**` across components.
    Glob,
    /// A part is unknown text, written `**`.
    Partly,
    /// The text is only how the word was written.
    Not,
}

/// One word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Arg {
    pub text: String,
    pub known: Known,
    /// What an unknown word probably is (unset variables taken as empty).
    pub likely: Option<String>,
    /// Texts that the script assigned, of which the unknown word may be one.
    pub readings: Vec<String>,
    /// The pattern that the unknown word matches unless blanks split it.
    pub unsplit: Option<String>,
    /// A leading `~` stands for a home directory.
    pub tilde: bool,
    /// Where the word stands in the call's text.
    pub span: Option<Span>,
    /// Where a part of the text comes from that is not known.
    pub provenance: Option<Provenance>,
}

impl Arg {
    pub(crate) fn exact(text: impl Into<String>) -> Self {
        let text = text.into();
        let tilde = text.starts_with('~');
        Self {
            text,
            known: Known::Exact,
            likely: None,
            readings: Vec::new(),
            unsplit: None,
            tilde,
            span: None,
            provenance: None,
        }
    }

    pub(crate) fn glob(text: impl Into<String>) -> Self {
        Self { known: Known::Glob, ..Self::exact(text) }
    }

    /// Any text at all.
    pub(crate) fn unknown(source: impl Into<String>) -> Self {
        Self { known: Known::Not, tilde: false, ..Self::exact(source) }
    }

    /// Another text that is known as well as this one.
    pub(crate) fn with(&self, text: impl Into<String>) -> Self {
        let text = text.into();
        let tilde = text.starts_with('~');
        Self { known: self.known, tilde, span: self.span, provenance: self.provenance, ..Self::exact(text) }
    }

    pub(crate) fn is_exact(&self) -> bool {
        self.known == Known::Exact
    }

    /// The text, where all of it is known.
    pub(crate) fn literal(&self) -> Option<&str> {
        self.is_exact().then_some(self.text.as_str())
    }

    /// `https://host/page?name=value`, `http://[::1]:8080/`: no file is called so, and the shell passes the word on as it is.
    pub(crate) fn is_address(&self) -> bool {
        let host = || self.text.split_once("://").map(|(_, rest)| rest.split_once('/').map_or(rest, |(host, _)| host));
        let is_literal = |host: &str| !behind_address(host).contains(['*', '?', '[']);
        self.known == Known::Glob && host().is_some_and(is_literal)
    }

    /// The text, or what it probably is.
    pub(crate) fn best(&self) -> &str {
        match (&self.likely, self.known) {
            (Some(likely), Known::Partly | Known::Not) => likely,
            _ => &self.text,
        }
    }

    /// The glob of the hidden names that the shell adds where wildcards match a leading dot.
    pub(crate) fn hidden(&self) -> Option<Self> {
        let pattern = matches!(self.known, Known::Glob | Known::Partly).then(|| paths::hidden(&self.text)).flatten()?;
        Some(Self { text: pattern, likely: None, ..self.clone() })
    }

    /// How reports and policies see the word: its text, its glob, what it probably is, or how it was written.
    pub(crate) fn shown(&self) -> &str {
        match &self.likely {
            Some(likely) if self.known == Known::Not && !likely.is_empty() => likely,
            _ => &self.text,
        }
    }

    /// The certainty of a target named by this word, and the glob or text to name it by.
    pub(crate) fn target(&self) -> (&str, Certainty) {
        match self.known {
            Known::Exact => (&self.text, Certainty::Exact),
            Known::Glob | Known::Partly => (&self.text, Certainty::Pattern),
            Known::Not => ("**", Certainty::Pattern),
        }
    }

    /// The texts that an unknown word may be, each as a word.
    pub(crate) fn readings(&self) -> Vec<Self> {
        self.readings.iter().map(|text| Self { span: self.span, ..Self::exact(text) }).collect()
    }

    /// Returns the pattern that matches the word's names; `None` for a word that is not known.
    pub(crate) fn pattern(&self) -> Option<Cow<'_, str>> {
        match self.known {
            _ if self.tilde => None,
            Known::Exact => Some(Cow::Owned(paths::escaped(&self.text))),
            Known::Glob => Some(Cow::Borrowed(&self.text)),
            Known::Partly | Known::Not => None,
        }
    }

    /// The word as the value of a variable. A glob is some name that it matches.
    pub(crate) fn value(&self) -> Value {
        match (self.literal(), self.known) {
            (Some(text), _) => Value::known(text),
            (None, Known::Glob) if self.tilde => Value::matching_in_home(&self.text),
            (None, Known::Glob) => Value::matching(self.text.as_str()),
            _ => Value::unknown(),
        }
    }

    /// The word as it is if no blank splits it.
    pub(crate) fn unsplit(&self) -> Option<Self> {
        self.unsplit.as_ref().map(|pattern| Self { span: self.span, ..Self::glob(pattern) })
    }

    /// The part after the first `separator`, as well known as the whole.
    pub(crate) fn after(&self, separator: char) -> Option<(String, Self)> {
        if self.known == Known::Not {
            return None;
        }
        let (before, after) = self.text.split_once(separator)?;
        Some((before.to_owned(), self.with(after)))
    }
}

impl From<Field> for Arg {
    fn from(field: Field) -> Self {
        let known = match field.knowledge {
            Knowledge::Exact => Known::Exact,
            Knowledge::Partly => Known::Partly,
            Knowledge::Pattern => Known::Glob,
            Knowledge::Unknown => Known::Not,
        };
        Self {
            text: field.text,
            known,
            likely: field.likely,
            readings: field.readings,
            unsplit: field.unsplit,
            tilde: field.tilde,
            span: None,
            provenance: field.provenance,
        }
    }
}

/// The words as parameters of a batch file; `None` for one that is not known.
pub(crate) fn literals(words: &[Arg]) -> Vec<Option<String>> {
    words.iter().map(|word| word.literal().map(str::to_owned)).collect()
}

/// The words as parameters of a shell.
pub(crate) fn parameters(words: &[Arg]) -> Vec<Value> {
    words.iter().map(Arg::value).collect()
}

/// An option as given.
#[derive(Debug, Clone)]
pub(crate) struct Given {
    /// With its dashes.
    pub name: String,
    /// `None`: the knowledge base does not say what it is for; it takes no value.
    pub role: Option<Role>,
    pub value: Option<Arg>,
    /// The program has no option of this name.
    pub unknown: bool,
}

/// Options and operands of one command.
#[derive(Debug, Clone, Default)]
pub(crate) struct Arguments {
    pub options: Vec<Given>,
    pub operands: Vec<Arg>,
    /// The command behind an option that takes all words after it (`nix develop -c make all`).
    pub command: Vec<Arg>,
}

impl Arguments {
    /// Divides what follows the program's name.
    pub(crate) fn divide(entry: &Entry, words: &[Arg]) -> Self {
        let mut all = Self::default();
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            let text = word.text.as_str();
            let option = word.known != Known::Not && text.len() > 1 && text.starts_with(['-', '+']);
            if text == "--" && word.is_exact() {
                all.operands.extend(rest.cloned());
                break;
            }
            if option && entry.listed_option(text).is_some_and(|spec| spec.role == Role::Argv) {
                all.command = rest.cloned().collect();
                break;
            }
            if !option || (text.starts_with('+') && entry.listed_option(text).is_none()) {
                all.operands.push(word.clone());
                if entry.stops {
                    all.operands.extend(rest.cloned());
                    break;
                }
            } else if entry.words || text.starts_with("--") {
                all.long(entry, word, &mut rest);
            } else {
                all.cluster(entry, word, &mut rest);
            }
        }
        all
    }

    /// `--name`, `--name=value`, `--name value`; `-name value` where options are words.
    fn long(&mut self, entry: &Entry, word: &Arg, rest: &mut std::slice::Iter<'_, Arg>) {
        let (name, attached) = match word.after('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word.text.clone(), None),
        };
        let meaning = entry.meaning(&name);
        let value = match (attached, meaning) {
            (Some(value), _) => Some(value),
            (None, Meaning::Role(OptionRole { role, attached: false })) if !role.is_flag() => rest.next().cloned(),
            // The next word is an operand, too, if the option is a flag.
            (None, Meaning::Either(OptionRole { role, attached: false })) if !role.is_flag() => {
                rest.as_slice().first().filter(|word| !word.text.starts_with('-')).cloned()
            }
            _ => None,
        };
        let is_certain = !matches!(meaning, Meaning::Either(_));
        let name = if is_certain { entry.whole_option(&name).to_owned() } else { name };
        let unknown = meaning == Meaning::Unknown;
        self.options.push(Given { name, role: meaning.role().map(|spec| spec.role), value, unknown });
    }

    /// `-abc`, `-ovalue`, `-o value`.
    fn cluster(&mut self, entry: &Entry, word: &Arg, rest: &mut std::slice::Iter<'_, Arg>) {
        let Some((sign, letters)) = word.text.split_at_checked(1) else { return };
        if let Some(whole) = entry.listed_option(&word.text).filter(|_| letters.chars().count() > 1) {
            let value = if whole.attached || whole.role.is_flag() { None } else { rest.next().cloned() };
            self.options.push(Given { name: word.text.clone(), role: Some(whole.role), value, unknown: false });
            return;
        }
        // `-fplugin=x.so`: a whole word behind one dash, with its value.
        if let Some((name, value)) = word.after('=').filter(|(name, _)| name.chars().count() > 2)
            && let Some(OptionRole { role, .. }) = entry.listed_option(&name).filter(|spec| !spec.role.is_flag())
        {
            self.options.push(Given { name, role: Some(role), value: Some(value), unknown: false });
            return;
        }
        let mut left = letters.chars();
        while let Some(letter) = left.next() {
            let name = format!("{sign}{letter}");
            let meaning = entry.meaning(&name);
            let Some(OptionRole { role, attached }) = meaning.role() else {
                self.options.push(Given { name, role: None, value: None, unknown: meaning == Meaning::Unknown });
                continue;
            };
            if role.is_flag() && !attached {
                self.options.push(Given { name, role: Some(role), value: None, unknown: false });
                continue;
            }
            let joined = left.as_str();
            let value = match (joined.is_empty(), attached) {
                // `-d=` has its value, the sign itself.
                (false, _) => {
                    Some(word.with(joined.strip_prefix('=').filter(|rest| !rest.is_empty()).unwrap_or(joined)))
                }
                (true, true) => None,
                (true, false) => rest.next().cloned(),
            };
            self.options.push(Given { name, role: Some(role), value, unknown: false });
            break;
        }
    }

    /// One of `names` was given.
    pub(crate) fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|option| names.contains(&option.name.as_str()))
    }

    /// Options that the program does not have. Letters differ between systems too often to say so of them.
    pub(crate) fn unknown(&self) -> impl Iterator<Item = &str> {
        let names = self.options.iter().filter(|option| option.unknown).map(|option| option.name.as_str());
        names.filter(|name| name.starts_with("--") && name.len() > 2)
    }

    pub(crate) fn has_role(&self, role: Role) -> bool {
        // `--noEmit false`: the next word takes the flag back.
        if role == Role::Harmless && self.operands.iter().any(|word| word.text == "false") {
            return false;
        }
        self.options.iter().any(|option| option.role == Some(role))
    }

    /// Values of the options called one of `names`.
    pub(crate) fn values<'a>(&'a self, names: &'a [&str]) -> impl Iterator<Item = &'a Arg> {
        self.options
            .iter()
            .filter(|option| names.contains(&option.name.as_str()))
            .filter_map(|option| option.value.as_ref())
    }
}

/// Returns the rest of a host behind its address in brackets, or all of the host if it has no such address.
fn behind_address(host: &str) -> &str {
    let bracketed = host.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    bracketed.filter(|(address, _)| address.parse::<std::net::Ipv6Addr>().is_ok()).map_or(host, |(_, rest)| rest)
}

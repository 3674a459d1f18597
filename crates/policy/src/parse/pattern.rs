//! Entries of lists: what each is a pattern of, or why it can't mean anything.

use crate::builtin::Holds;
use crate::command::CommandPattern;
use crate::glob::{self, Answer, Glob};
use crate::grammar::{self, Object};
use crate::host::HostPattern;
use crate::name::NamePattern;
use crate::path::{PathPattern, PathSet};
use crate::words;

use super::{Fault, Parser, Version, builtins, commands, hosts, paths, quoted, suspicious};

/// What the entries of a list can be read as.
pub(super) trait Pattern: Sized {
    /// Entries of an allow list vouch for code, and say for which in an object.
    const VOUCHES: bool = false;
    /// The lists of such entries: allow, deny and ask.
    const LISTS: &Object;

    fn read(parser: &Parser<'_>, text: &str) -> Result<Self, Fault>;

    /// The entries that a text stands for, each with its own text: one, or those of a built-in list.
    fn members(parser: &Parser<'_>, text: &str) -> Result<Vec<(String, Self)>, Fault> {
        Ok(vec![(text.to_owned(), Self::read(parser, text)?)])
    }

    /// It only takes away from its list.
    fn is_exclusion(&self) -> bool {
        false
    }

    /// The same, also for code that the session changed. `None`: such entries vouch for no code.
    fn even_if_changed(&self) -> Option<Self> {
        None
    }
}

/// What holds for every entry; the text without blanks at its ends.
pub(super) fn readable(text: &str) -> Result<&str, Fault> {
    if text.trim().is_empty() {
        return Err((
            "this pattern is empty".to_owned(),
            Some("an empty pattern matches nothing; remove it".to_owned()),
        ));
    }
    if text.chars().count() > glob::LONGEST {
        return Err((format!("this pattern is longer than {} characters", glob::LONGEST), None));
    }
    if text.chars().any(char::is_control) {
        return Err(("this pattern holds a control character".to_owned(), None));
    }
    Ok(text.trim())
}

impl Pattern for PathSet {
    const LISTS: &Object = &grammar::PATHS;

    fn read(parser: &Parser<'_>, text: &str) -> Result<Self, Fault> {
        match parser.version {
            Version::One => {
                builtins::named(parser.version, text, Holds::Paths)?;
                Ok(Self::of(PathPattern::version_1(&path_of_version_1(text)?)))
            }
            Version::Two => paths::read(text.trim(), &parser.labels),
        }
    }

    fn is_exclusion(&self) -> bool {
        Self::is_exclusion(self)
    }
}

impl Pattern for CommandPattern {
    const VOUCHES: bool = true;
    const LISTS: &Object = &grammar::COMMANDS;

    fn members(parser: &Parser<'_>, text: &str) -> Result<Vec<(String, Self)>, Fault> {
        match builtins::named(parser.version, text, Holds::Commands)? {
            Some(list) => Ok(list.commands()),
            None => Ok(vec![(text.to_owned(), Self::read(parser, text)?)]),
        }
    }

    fn read(parser: &Parser<'_>, text: &str) -> Result<Self, Fault> {
        if builtins::named(parser.version, text, Holds::Commands)?.is_some() {
            let help = Some("write a command".to_owned());
            return Err((format!("{} names a list of commands, and one command belongs here", quoted(text)), help));
        }
        let words = words::split(text).ok_or_else(|| {
            (format!("the quotes in {} are not closed", quoted(text)), Some("write a quote as `\\\\'`".to_owned()))
        })?;
        suspicious::command(text.trim(), &words)?;
        match parser.version {
            Version::One => {
                suspicious::option(text.trim(), &words)?;
                Ok(Self::version_1(text.trim(), words))
            }
            Version::Two => {
                suspicious::option(text.trim(), &words)?;
                suspicious::program(text.trim(), &words)?;
                suspicious::subcommand(text, &words)?;
                commands::of_words(text, words)
            }
        }
    }

    fn even_if_changed(&self) -> Option<Self> {
        Self::even_if_changed(self)
    }
}

impl Pattern for HostPattern {
    const LISTS: &Object = &grammar::NETWORK;

    fn read(parser: &Parser<'_>, text: &str) -> Result<Self, Fault> {
        builtins::none_of(text)?;
        suspicious::host(text, &parser.symbols)?;
        match parser.version {
            Version::One => Ok(Self::version_1(&hosts::of_version_1(text)?)),
            Version::Two => hosts::of_version_2(text),
        }
    }
}

impl Pattern for NamePattern {
    const LISTS: &Object = &grammar::SERVER;

    fn members(parser: &Parser<'_>, text: &str) -> Result<Vec<(String, Self)>, Fault> {
        match builtins::named(parser.version, text, Holds::Names)? {
            Some(list) => Ok(list.entries.iter().map(|name| (name.clone(), Self::new(name))).collect()),
            None => Ok(vec![(text.to_owned(), Self::read(parser, text)?)]),
        }
    }

    fn read(_: &Parser<'_>, text: &str) -> Result<Self, Fault> {
        builtins::none_of(text)?;
        if text.contains(char::is_whitespace) {
            return Err((format!("{} can never match: a name has no spaces", quoted(text)), None));
        }
        if text.starts_with('!') {
            let help = "lists of names leave nothing out; write what is meant".to_owned();
            return Err((format!("{} can never match: no name starts with `!`", quoted(text)), Some(help)));
        }
        Ok(Self::new(text))
    }
}

/// What a log says of a session: compared as it is.
impl Pattern for () {
    const LISTS: &Object = &grammar::SESSIONS;

    fn read(_: &Parser<'_>, _: &str) -> Result<Self, Fault> {
        Ok(())
    }
}

fn path_of_version_1(text: &str) -> Result<String, Fault> {
    let mut path = text.replace('\\', "/");
    while let Some(rest) = path.strip_prefix("./") {
        path = rest.to_owned();
    }
    while path.contains("//") {
        path = path.replace("//", "/");
    }
    suspicious::foreign_path(text.trim())?;
    paths::possible(text, &path)?;
    if Glob::path(&path).meets(&Glob::effect("**")) == Answer::No {
        return Err((
            format!("{} can never match", quoted(text)),
            Some("a class such as `[z-a]` has no members".to_owned()),
        ));
    }
    Ok(path)
}

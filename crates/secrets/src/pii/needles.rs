//! Fixed strings that start a grammar, looked for in one pass.

use std::sync::LazyLock;

use super::text::Text;
use super::{cloud, encoded, home, person};
use crate::hit::Hit;
use crate::words::{Choice, Words};

/// What stands after or around a needle.
#[derive(Debug, Clone, Copy)]
enum Start {
    /// A user's folder, whose separator is the last of the needle.
    Home(home::Style),
    /// `NAME=` of an environment.
    Variable,
    GitUser,
    /// `Author: Name <address>` and trailers.
    Author,
    /// Permissions as `ls -l` prints them.
    Permissions,
    /// `name:x:1000:` of `/etc/passwd`: ids below 1000 are nobody's.
    Password,
    /// `uid=1000(name)`.
    Id,
    /// `@` as JSON or HTML has it, and the kind of such an address.
    EncodedAt(&'static str),
    Subscription,
}

/// Each has at least four bytes: the longer the shortest of them is, the fewer places have to be looked at.
const NEEDLES: &[(&str, Start)] = &[
    ("/home/", Start::Home(home::Style::Slash)),
    ("/Users/", Start::Home(home::Style::Slash)),
    ("/users/", Start::Home(home::Style::Drive)),
    ("\\Users\\", Start::Home(home::Style::Backslash)),
    ("\\users\\", Start::Home(home::Style::Backslash)),
    ("\\USERS\\", Start::Home(home::Style::Backslash)),
    ("\\home\\", Start::Home(home::Style::Backslash)),
    ("ments and Settings\\", Start::Home(home::Style::Backslash)),
    ("/home\\/", Start::Home(home::Style::EscapedSlash)),
    ("/Users\\/", Start::Home(home::Style::EscapedSlash)),
    ("2Fhome%2F", Start::Home(home::Style::Percent)),
    ("2fhome%2f", Start::Home(home::Style::Percent)),
    ("2FUsers%2F", Start::Home(home::Style::Percent)),
    ("2fUsers%2f", Start::Home(home::Style::Percent)),
    ("5CUsers%5C", Start::Home(home::Style::Percent)),
    ("5cUsers%5c", Start::Home(home::Style::Percent)),
    ("2Fhome%252F", Start::Home(home::Style::Percent)),
    ("2FUsers%252F", Start::Home(home::Style::Percent)),
    ("-Users-", Start::Home(home::Style::Slug)),
    ("-home-", Start::Home(home::Style::Slug)),
    ("USER=", Start::Variable),
    ("USERNAME=", Start::Variable),
    ("LOGNAME=", Start::Variable),
    ("user.name", Start::GitUser),
    ("uthor: ", Start::Author),
    ("ommitter: ", Start::Author),
    ("-by: ", Start::Author),
    ("-By: ", Start::Author),
    ("uthor:     ", Start::Author),
    ("ommit:     ", Start::Author),
    ("rw-r", Start::Permissions),
    ("rw--", Start::Permissions),
    ("rwxr", Start::Permissions),
    ("rwx-", Start::Permissions),
    ("--rw", Start::Permissions),
    ("-r--r--", Start::Permissions),
    ("r-xr-x", Start::Permissions),
    (":x:1", Start::Password),
    (":x:2", Start::Password),
    (":x:3", Start::Password),
    (":x:4", Start::Password),
    (":x:5", Start::Password),
    (":x:6", Start::Password),
    (":x:7", Start::Password),
    (":x:8", Start::Password),
    (":x:9", Start::Password),
    ("uid=", Start::Id),
    ("\\u0040", Start::EncodedAt("escaped-email")),
    ("&#64;", Start::EncodedAt("escaped-email")),
    ("&#x40;", Start::EncodedAt("escaped-email")),
    ("subscriptions/", Start::Subscription),
];

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let needles: Vec<&str> = NEEDLES.iter().map(|(needle, _)| *needle).collect();
    Words::new(Choice::Longest, &needles)
});

pub(super) fn find(text: &Text<'_>, hits: &mut Vec<Hit>) {
    let mut done = 0;
    for found in WORDS.find(text.bytes) {
        let Some((_, start)) = NEEDLES.get(found.pattern().as_usize()) else { continue };
        let (from, to) = (found.start(), found.end());
        match start {
            Start::Home(style) => home::find(text, *style, from..to, hits),
            Start::Variable => person::variable(text, from, to, hits),
            Start::GitUser => person::git_user(text, to, hits),
            Start::Author => person::author(text, to, hits),
            Start::Permissions if from >= done => done = person::permissions(text, from, hits),
            Start::Permissions => {}
            Start::Password => person::password_line(text, from, hits),
            Start::Id => person::id(text, to, hits),
            Start::EncodedAt(kind) => encoded::at_sign(text, from..to, kind, hits),
            Start::Subscription => cloud::subscription(text, to, hits),
        }
    }
}

#[cfg(test)]
pub(super) fn is_built() -> bool {
    WORDS.is_built()
}

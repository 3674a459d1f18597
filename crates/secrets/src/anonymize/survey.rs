//! Finds out who a session is about: identities and secrets as the session itself shows them.

use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use agent_strace_model::finding::RuleId;
use regex::Regex;

use super::class::Class;
use super::secrets::Secrets;
use super::table::Table;
use super::{token, views};
use crate::stream::Detector;
use crate::{Confidence, Hit, mark};

/// A text of this length is a window of a longer one: names at its ends may be cut, and are whole in the next window.
const WINDOW: usize = 512 << 10;
/// Encodings inside of encodings.
pub(super) const DEEPEST: u32 = 3;

/// What was found so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Known {
    pub(super) table: Table,
    pub(super) secrets: Secrets,
}

/// Looks at every text and replaces nothing.
pub(super) struct Survey {
    known: Mutex<Known>,
    /// Identities are asked for, not only secrets.
    identities: bool,
}

impl Survey {
    pub(super) fn new(known: Known, identities: bool) -> Self {
        Self { known: Mutex::new(known), identities }
    }

    pub(super) fn known(self) -> Known {
        self.known.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Detector for Survey {
    fn find(&self, name: Option<&str>, text: &str) -> Vec<Hit> {
        let mut known = self.lock();
        if self.identities {
            of_field(name, text, &mut known.table);
        }
        // Pseudonyms are nobody's, and no secrets.
        for text in token::around(text) {
            for hit in crate::secrets(name, text).iter().filter(|hit| hit.confidence >= Confidence::Medium) {
                known.secrets.add(text.get(hit.start..hit.end).unwrap_or_default(), &mark(hit));
            }
            if self.identities {
                deep(name, text, 0, &mut known.table);
            }
        }
        Vec::new()
    }

    /// It may be cut within a name, and nobody is called by half of one.
    fn of_beginning(&self, _: Option<&str>, _: &str) -> Vec<Hit> {
        Vec::new()
    }

    fn private(&self, _: &str) -> Vec<Hit> {
        Vec::new()
    }

    fn fingerprint(&self, _: &Hit, _: &str) -> String {
        String::new()
    }
}

fn deep(name: Option<&str>, text: &str, depth: u32, table: &mut Table) {
    of_text(name, text, table);
    if depth < DEEPEST {
        for view in views::all(text).iter().filter(|view| view.text.len() >= 8) {
            deep(name, &view.text, depth + 1, table);
        }
    }
}

/// Fields of events that hold one identity and nothing else.
fn of_field(name: Option<&str>, text: &str, table: &mut Table) {
    let Some(class) = name.and_then(class_of_field) else { return };
    if !text.contains('\n') {
        table.add(class, text);
    }
}

/// What fields of this name hold, whoever wrote them.
pub(super) fn class_of_field(name: &str) -> Option<Class> {
    let plain: String = name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    Some(match plain.as_str() {
        "osuser" | "username" | "logname" | "login" => Class::User,
        "hostname" | "computername" | "oshost" => Class::Host,
        "gitrepo" | "repositoryurl" | "remoteurl" | "giturl" | "originurl" => Class::Repository,
        "gitbranch" => Class::Branch,
        "gitauthor" | "authorname" | "committername" | "fullname" | "realname" => Class::Person,
        "gitemail" | "useremail" | "authoremail" | "committeremail" => Class::Email,
        _ => return None,
    })
}

/// What fields of the summary of a session (`meta`) hold beside those.
pub(super) fn class_of_meta(name: &str) -> Option<Class> {
    Some(match name {
        "user" => Class::User,
        "host" | "machine" => Class::Host,
        "repo" | "repository" => Class::Repository,
        "branch" => Class::Branch,
        "author" => Class::Person,
        "email" => Class::Email,
        other => return class_of_field(other),
    })
}

struct Form {
    pattern: Regex,
    classes: &'static [Class],
}

/// Texts around identities that the detectors of personal data do not look at: one group for each class.
static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| {
    let table: &[(&str, &'static [Class])] = &[
        (r"\b(?:HOSTNAME|COMPUTERNAME)=[\x22']?([A-Za-z0-9][A-Za-z0-9._-]{1,62})", &[Class::Host]),
        (r"\b(?:LOGNAME|USERNAME|USER)=[\x22']?([A-Za-z_][A-Za-z0-9._-]{0,31})(?:[\s\x22';]|$)", &[Class::User]),
        (r"\b(?:Linux|Darwin) ([A-Za-z0-9][A-Za-z0-9.-]{1,62}) [0-9]+\.[0-9]+", &[Class::Host]),
        (
            r"([A-Za-z_][A-Za-z0-9._-]{0,31})@([A-Za-z0-9][A-Za-z0-9.-]{0,62}):[~/][^\s$#%]{0,200} ?[$#%](?:\s|$)",
            &[Class::User, Class::Host],
        ),
        (
            r"\[([A-Za-z_][A-Za-z0-9._-]{0,31})@([A-Za-z0-9][A-Za-z0-9.-]{0,62}) [^\]\n]{1,80}\][$#](?:\s|$)",
            &[Class::User, Class::Host],
        ),
        (r"\borigin\s+(\S{3,200}) \((?:fetch|push)\)", &[Class::Repository]),
        (r"(?m)^\[remote \x22origin\x22\]\n\s*url = (\S{3,200})$", &[Class::Repository]),
        (r"(?m)^\[user\]\n(?:\s+email = .{1,120}\n)?\s+name = ([^\n]{2,80})$", &[Class::Person]),
        (r"\b(?:Static|Transient) hostname: ([A-Za-z0-9][A-Za-z0-9.-]{1,62})", &[Class::Host]),
    ];
    let form =
        |(pattern, classes): &(&str, &'static [Class])| Some(Form { pattern: Regex::new(pattern).ok()?, classes });
    table.iter().filter_map(form).collect()
});

fn of_text(name: Option<&str>, text: &str, table: &mut Table) {
    let is_cut = |start: usize, end: usize| text.len() >= WINDOW && (start == 0 || end == text.len());
    for Form { pattern, classes } in FORMS.iter() {
        for found in pattern.captures_iter(text) {
            for (class, group) in classes.iter().zip(found.iter().skip(1)) {
                if let Some(group) = group.filter(|group| !is_cut(group.start(), group.end())) {
                    table.add(*class, group.as_str());
                }
            }
        }
    }
    for hit in crate::personal(name, text).into_iter().filter(|hit| !is_cut(hit.start, hit.end)) {
        let Some(value) = text.get(hit.start..hit.end) else { continue };
        match RuleId::find(hit.rule) {
            Some(RuleId::PiiEmail) if value.contains('@') => table.add(Class::Email, value),
            Some(RuleId::PiiHomePath) => table.add(Class::Home, value),
            Some(RuleId::PiiUserName) => user_name(hit.kind, value, table),
            _ => {}
        }
    }
}

/// `user@host`, the name of an account or that of a person.
fn user_name(kind: &str, value: &str, table: &mut Table) {
    match value.split_once('@') {
        Some((user, host)) => {
            table.add(Class::User, user);
            table.add(Class::Host, host);
        }
        None if matches!(kind, "git-user" | "git-author") || value.contains(' ') => table.add(Class::Person, value),
        None => table.add(Class::User, value),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_form_is_a_pattern() {
        assert_eq!(super::FORMS.len(), 9);
    }
}

//! What kind of identity something is, and how it is called.

/// What a pseudonym stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// The home folder of a person.
    Home,
    /// An account on a machine.
    User,
    Host,
    Email,
    /// The name of a person.
    Person,
    Repository,
    Branch,
    /// Whatever the configuration names.
    Named,
    /// Other personal data, by the rule that finds it: `pii/phone`.
    Personal(&'static str),
}

impl Class {
    /// As pseudonyms and the manifest have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Home => "home",
            Self::User => "user",
            Self::Host => "host",
            Self::Email => "email",
            Self::Person => "person",
            Self::Repository => "repository",
            Self::Branch => "branch",
            Self::Named => "named",
            Self::Personal(rule) => rule.strip_prefix("pii/").unwrap_or(rule),
        }
    }

    /// As hits have it.
    pub(super) fn rule(self) -> &'static str {
        match self {
            Self::Home => "anonymize/home",
            Self::User => "anonymize/user",
            Self::Host => "anonymize/host",
            Self::Email => "anonymize/email",
            Self::Person => "anonymize/person",
            Self::Repository => "anonymize/repository",
            Self::Branch => "anonymize/branch",
            Self::Named => "anonymize/named",
            Self::Personal(rule) => rule,
        }
    }

    /// What the configuration calls it.
    pub fn of_name(name: &str) -> Option<Self> {
        let all = [
            Self::Home,
            Self::User,
            Self::Host,
            Self::Email,
            Self::Person,
            Self::Repository,
            Self::Branch,
            Self::Named,
        ];
        all.into_iter().find(|class| class.name() == name)
    }
}

/// What people read beside a count: the words of the Python tool where it has any.
pub fn described(name: &str) -> String {
    let words = match name {
        "home" => "home directory paths",
        "user" => "usernames",
        "host" => "hostnames",
        "email" => "email addresses",
        "person" => "names of persons",
        "repository" => "repositories",
        "branch" => "branches",
        "named" => "names of the configuration",
        "secret" => "secrets",
        other => return format!("{} ({other})", "personal data"),
    };
    words.to_owned()
}

//! Secrets and personal data in everything that a log holds: what there is, where it stands, and which way it went.
//!
//! The log itself is searched, byte by byte, as `redact` does it: also keys, metadata, what the model thought, and records
//! that no event was made of. A value that is found is looked for in the calls of the session. One that a call puts into
//! a file of the workspace, or hands to another host, has left the machine or is about to; what only stands in the log
//! has not. Each value is reported once for each way it went, however often the log repeats it.
//!
//! No value goes any further: findings carry digests, see [`hits`].

mod call;
mod exposed;
mod hits;
mod listed;
mod locations;
mod search;
mod transfers;

use super::{Check, Rule};
use agent_strace_effects::Effect;
use agent_strace_model::finding::{Family, Level, RuleId};
use agent_strace_model::{Event, Status};
use agent_strace_policy::config::private::Private;

pub use exposed::Exposed;
pub use hits::{PrivateHit, look};
pub use search::masked;

/// What makes a rule one about private values.
#[derive(Debug)]
pub struct Kind {
    /// With its article.
    noun: &'static str,
    /// More than one of them.
    plural: &'static str,
    weight: Weight,
}

/// What it means that such a value is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weight {
    /// Who knows it can use it.
    Secret,
    /// About a person or an account.
    Personal,
    /// About the machine that the agent ran on, mostly: logs are full of it, and it is looked for only where the
    /// configuration says so.
    Machine,
}

/// Which way a value went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    /// Into a file of the workspace.
    Written,
    /// To another host.
    Sent,
    /// No further than into the log.
    Logged,
}

impl Way {
    fn name(self) -> &'static str {
        match self {
            Self::Written => "written",
            Self::Sent => "sent",
            Self::Logged => "logged",
        }
    }
}

impl Weight {
    fn level(self, way: Way) -> Level {
        match (self, way) {
            (Self::Secret, Way::Written | Way::Sent) => Level::Error,
            (Self::Secret, Way::Logged) | (Self::Personal, Way::Written | Way::Sent) => Level::Warning,
            (Self::Personal, Way::Logged) | (Self::Machine, _) => Level::Note,
        }
    }

    /// The maximum number of values of one rule and way that are reported one by one; the others are counted.
    fn most(self) -> usize {
        match self {
            Self::Secret => 100,
            Self::Personal => 10,
            Self::Machine => 3,
        }
    }
}

/// One event with its effects.
#[derive(Debug, Clone, Copy)]
pub struct EventEffects<'a> {
    pub event: &'a Event<'a>,
    /// `None`: the event is not a call.
    pub status: Option<Status>,
    pub effects: &'a [Effect],
    /// The text that the spans of the effects refer to.
    pub text: Option<&'a str>,
}

/// The rules to search for.
#[derive(Debug)]
pub struct Wanted {
    rules: Vec<RuleId>,
    secrets: bool,
    personal: bool,
}

impl Wanted {
    /// `None`: nothing is looked for. `counted`: rules whose findings somebody counts, so that they have to look.
    pub fn new<'n>(configured: &Private, counted: impl Iterator<Item = &'n str>) -> Option<Self> {
        let counted: Vec<&str> = counted.collect();
        let wanted = |rule: &&&'static Rule| {
            let looks = |kind: &Kind| configured.says(rule.id).unwrap_or(kind.weight != Weight::Machine);
            kind(rule).is_some_and(|kind| counted.contains(&rule.id.as_str()) || looks(kind))
        };
        let rules: Vec<RuleId> = super::all().iter().filter(wanted).map(|rule| rule.id).collect();
        let any = |family: Family| rules.iter().any(|rule| rule.family() == family);
        let (secrets, personal) = (any(Family::Secret), any(Family::Pii));
        (secrets || personal).then_some(Self { rules, secrets, personal })
    }

    fn has(&self, rule: &str) -> bool {
        self.rules.iter().any(|wanted| wanted.as_str() == rule)
    }
}

/// What one value of a rule is called; `None`: the rule is about something else, or about machines.
pub fn noun(rule: &Rule) -> Option<&'static str> {
    kind(rule).filter(|kind| kind.weight != Weight::Machine).map(|kind| kind.noun)
}

/// `None`: the rule is about something else.
fn kind(rule: &Rule) -> Option<&'static Kind> {
    match rule.check {
        Check::Private(kind) => Some(kind),
        _ => None,
    }
}

/// Declares a rule: its id, its spec in `specs/`, its level and weight, and the nouns for one and several values.
macro_rules! private {
    ($($name:ident = $rule:ident, $spec:literal, $level:ident, $weight:ident, $noun:literal, $plural:literal;)*) => {$(
        pub(crate) static $name: Rule = Rule {
            id: RuleId::$rule,
            level: Level::$level,
            summary: concat!($noun, " is written to a file, sent to a host, or stands in the log"),
            spec: include_str!(concat!("../../specs/", $spec, ".md")),
            check: Check::Private(&Kind { noun: $noun, plural: $plural, weight: Weight::$weight }),
        };
    )*};
}

private! {
    CARD = PiiCard, "pii-card", Note, Personal, "the number of a payment card", "numbers of payment cards";
    CLOUD_ACCOUNT = PiiCloudAccount, "pii-cloud-account", Note, Personal, "an account of a cloud", "accounts of clouds";
    EMAIL = PiiEmail, "pii-email", Note, Personal, "an e-mail address", "e-mail addresses";
    HOME_PATH = PiiHomePath, "pii-home-path", Note, Machine, "the home folder of a user", "home folders of users";
    IBAN = PiiIban, "pii-iban", Note, Personal, "the number of a bank account", "numbers of bank accounts";
    IP = PiiIp, "pii-ip", Note, Machine, "an IP address", "IP addresses";
    MAC = PiiMac, "pii-mac", Note, Machine, "a hardware address", "hardware addresses";
    NATIONAL_ID = PiiNationalId, "pii-national-id", Note, Personal, "a national identity number", "national identity numbers";
    PERSONAL = PiiPersonal, "pii-personal", Note, Personal, "something about a person", "things about persons";
    PHONE = PiiPhone, "pii-phone", Note, Personal, "a telephone number", "telephone numbers";
    USER_NAME = PiiUserName, "pii-user-name", Note, Machine, "the login name of a user", "login names of users";
    AUTHORIZATION = SecretAuthorization, "secret-authorization", Error, Secret, "the credential of a request", "credentials of requests";
    KEYED_SECRET = SecretKeyedSecret, "secret-keyed-secret", Error, Secret, "a value that its name calls a secret", "values that their names call secrets";
    PASSWORD = SecretPassword, "secret-password", Error, Secret, "a password", "passwords";
    PRIVATE_KEY = SecretPrivateKey, "secret-private-key", Error, Secret, "a private key", "private keys";
    URL_CREDENTIALS = SecretUrlCredentials, "secret-url-credentials", Error, Secret, "a password in a URL", "passwords in URLs";
    VENDOR_TOKEN = SecretVendorToken, "secret-vendor-token", Error, Secret, "a token", "tokens";
    WEB_TOKEN = SecretWebToken, "secret-web-token", Error, Secret, "a web token (JWT)", "web tokens (JWT)";
}

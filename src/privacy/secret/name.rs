//! Names of what is secret: `DB_PASSWORD`, `clientSecret`, `x-api-key`.

/// How strongly a name says that its value is secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    /// A word for secrets is there, but what the name names may be something about them.
    Faint,
    Weak,
    Strong,
    /// Nothing but a password goes by this name.
    Password,
}

const PASSWORDS: &[&str] =
    &["password", "passwd", "pwd", "pass", "passphrase", "passcode", "psw", "pw", "passwort", "psk"];
const SECRETS: &[&str] = &[
    "secret",
    "secrets",
    "token",
    "tokens",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "authtoken",
    "accesstoken",
    "nkey",
    "xkey",
    "otp",
    "totp",
    "pat",
    "clientsecret",
    "authkey",
    "apitoken",
    "apisecret",
    "jwt",
    "credential",
    "credentials",
    "creds",
    "cred",
    "mnemonic",
    "ticket",
    "masterkey",
];
const WEAK: &[&str] = &["key", "keys", "auth", "authorization", "cookie", "seed", "salt", "authentication"];
/// What makes a `key` one that is secret.
const OF_KEYS: &[&str] = &[
    "api",
    "access",
    "private",
    "secret",
    "auth",
    "encryption",
    "encrypt",
    "signing",
    "account",
    "storage",
    "license",
    "master",
    "shared",
    "session",
    "app",
    "application",
    "subscription",
    "service",
    "hmac",
    "aes",
    "jwt",
    "client",
    "consumer",
    "server",
    "admin",
    "deploy",
    "write",
    "read",
    "ingest",
    "integration",
    "dev",
    "recaptcha",
    "webhook",
    "cipher",
    "crypto",
    "crypt",
    "rest",
    "sdk",
    "record",
    "developer",
    "preshared",
    "project",
    "stream",
    "instrumentation",
    "pass",
    "security",
];
/// What may follow without changing what a name names.
const ALSO: &[&str] = &[
    "value",
    "val",
    "data",
    "prod",
    "production",
    "dev",
    "test",
    "testing",
    "staging",
    "live",
    "base64",
    "b64",
    "hex",
    "raw",
    "str",
    "string",
    "text",
    "env",
    "default",
    "confirmation",
    "confirm",
    "repeat",
    "again",
    "new",
    "old",
    "current",
    "main",
    "primary",
    "secondary",
    "base",
    "plain",
    "bytes",
    "content",
    "v1",
    "v2",
    "root",
    "admin",
    "user",
    "master",
    "backup",
    "local",
    "ci",
    "pem",
    "header",
    "param",
    "bot",
    "app",
    "api",
    "literal",
    "expected",
];
/// What makes a name one of something about a secret.
const ABOUT: &[&str] = &[
    "file",
    "files",
    "filename",
    "path",
    "paths",
    "dir",
    "directory",
    "url",
    "uri",
    "endpoint",
    "name",
    "names",
    "id",
    "ids",
    "type",
    "types",
    "length",
    "len",
    "size",
    "count",
    "min",
    "max",
    "limit",
    "policy",
    "field",
    "fields",
    "input",
    "label",
    "hint",
    "prompt",
    "placeholder",
    "regex",
    "pattern",
    "format",
    "expiry",
    "expires",
    "expiration",
    "ttl",
    "timeout",
    "validity",
    "reset",
    "required",
    "enabled",
    "disabled",
    "manager",
    "provider",
    "service",
    "store",
    "factory",
    "class",
    "error",
    "errors",
    "message",
    "messages",
    "list",
    "map",
    "usage",
    "budget",
    "bucket",
    "index",
    "kind",
    "code",
    "codes",
    "event",
    "events",
    "handler",
    "callback",
    "function",
    "validator",
    "strength",
    "strategy",
    "method",
    "scheme",
    "algorithm",
    "alg",
    "version",
    "status",
    "state",
    "time",
    "date",
    "at",
    "column",
    "table",
    "ref",
    "reference",
    "refs",
    "selector",
    "source",
    "sources",
    "option",
    "options",
    "config",
    "settings",
    "vault",
    "arn",
    "alias",
    "usages",
    "window",
    "rule",
    "rules",
    "prefix",
    "suffix",
    "separator",
    "encoding",
    "character",
    "characters",
    "press",
    "down",
    "up",
    "code",
    "board",
    "word",
    "words",
    "frame",
    "frames",
    "ring",
    "chain",
    "space",
    "stroke",
    "usage",
    "title",
    "description",
    "desc",
    "info",
    "detail",
    "details",
    "icon",
    "button",
    "link",
    "form",
    "page",
    "view",
    "model",
    "request",
    "response",
    "issuer",
    "audience",
    "scope",
    "scopes",
    "owner",
    "group",
    "exists",
    "valid",
    "invalid",
    "check",
    "hash",
    "hashed",
    "digest",
    "sha",
    "md",
    "checksum",
    "fingerprint",
    "signature",
    "thumbprint",
    "oid",
];

/// What makes a token or a key one that anybody may see.
const NEVER: &[&str] = &[
    "public",
    "pub",
    "pubkey",
    "encrypted",
    "hashed",
    "page",
    "next",
    "continuation",
    "cancellation",
    "cursor",
    "resource",
    "resourcekey",
    "cache",
    "primary",
    "foreign",
    "sort",
    "partition",
    "object",
    "idempotency",
    "invalid",
    "author",
    "authors",
    "max",
    "min",
    "total",
    "prompt",
    "completion",
    "budget",
    "csrf",
    "xsrf",
    "input",
    "output",
    "batch",
    "ephemeral",
    "sha256",
    "hash",
];

/// Lower-case words of a name, at most eight from its end.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut current = String::new();
    let bytes = name.as_bytes();
    for (place, byte) in bytes.iter().enumerate() {
        let lower_before =
            place > 0 && bytes.get(place - 1).is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
        let starts_word = byte.is_ascii_uppercase()
            && (lower_before
                || (bytes.get(place + 1).is_some_and(u8::is_ascii_lowercase)
                    && place > 0
                    && bytes.get(place - 1).is_some_and(u8::is_ascii_uppercase)));
        if (!byte.is_ascii_alphanumeric() || starts_word) && !current.is_empty() {
            words.push(std::mem::take(&mut current));
        }
        if byte.is_ascii_alphanumeric() {
            current.push(char::from(byte.to_ascii_lowercase()));
        }
    }
    if !current.is_empty() {
        words.push(current);
    }
    let skipped = words.len().saturating_sub(8);
    words.split_off(skipped)
}

/// `None`: nothing secret goes by this name.
pub(super) fn strength(name: &str) -> Option<Strength> {
    let words = words(name);
    if words.iter().any(|word| NEVER.contains(&word.as_str())) {
        return None;
    }
    let mut rest = words.as_slice();
    while let Some((last, before)) = rest.split_last() {
        let digits = last.bytes().all(|byte| byte.is_ascii_digit());
        let bare = last.trim_end_matches(|character: char| character.is_ascii_digit());
        if let Some(strength) = word_strength(bare, before.last().map(String::as_str)) {
            return Some(strength);
        }
        if digits || ALSO.contains(&bare) {
            rest = before;
            continue;
        }
        if ABOUT.contains(&bare) {
            return None;
        }
        // An unknown word after one for secrets.
        return before
            .iter()
            .any(|word| word_strength(word, None).is_some_and(|strength| strength > Strength::Weak))
            .then_some(Strength::Faint);
    }
    None
}

fn word_strength(word: &str, before: Option<&str>) -> Option<Strength> {
    const ENDS: &[&str] = &["password", "passwd", "passphrase", "pwd"];
    const SECRET_ENDS: &[&str] =
        &["secret", "token", "apikey", "accesskey", "secretkey", "privatekey", "authkey", "credential", "credentials"];
    if PASSWORDS.contains(&word) || ENDS.iter().any(|end| word.ends_with(end)) {
        return Some(Strength::Password);
    }
    if SECRETS.contains(&word) || SECRET_ENDS.iter().any(|end| word.ends_with(end)) {
        return Some(Strength::Strong);
    }
    if word == "key"
        && before.is_some_and(|before| {
            OF_KEYS.contains(&before.trim_end_matches(|character: char| character.is_ascii_digit()))
        })
    {
        return Some(Strength::Strong);
    }
    (WEAK.contains(&word) || word.ends_with("key")).then_some(Strength::Weak)
}

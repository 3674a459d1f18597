//! Spellings of one identity → one text, so that they get one pseudonym.

use unicode_normalization::UnicodeNormalization;

use super::class::Class;

/// What equal values of a class have in common.
pub(super) fn of(class: Class, value: &str) -> String {
    match class {
        Class::Home => home(value),
        Class::Email => email(value),
        Class::Host => host(value),
        Class::Repository => repository(value),
        Class::Personal(_) => value.chars().filter(|letter| letter.is_alphanumeric()).nfkc().collect::<String>(),
        Class::User | Class::Person | Class::Branch | Class::Named => folded(value),
    }
}

/// A value as people write it: without encodings, with single separators.
pub(super) fn shown(class: Class, value: &str) -> String {
    if class != Class::Home {
        return value.to_owned();
    }
    let mut text = unescaped(value).replace("\\/", "/");
    while text.contains("\\\\") {
        text = text.replace("\\\\", "\\");
    }
    text
}

/// Composed, without compatibility forms, in lower case, with single blanks.
pub(super) fn folded(value: &str) -> String {
    let plain: String = value.nfkc().flat_map(char::to_lowercase).nfkc().collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The domain in the form of the name system (punycode).
fn email(value: &str) -> String {
    let value = folded(&unescaped(value));
    let Some((local, domain)) = value.rsplit_once('@') else { return value };
    let domain = match url::Host::parse(domain) {
        Ok(host) => host.to_string(),
        Err(_) => domain.to_owned(),
    };
    format!("{local}@{}", domain.trim_end_matches('.'))
}

/// Its first label: a machine is the same with its domain behind it.
fn host(value: &str) -> String {
    let value = folded(value);
    value.split('.').next().unwrap_or_default().to_owned()
}

/// `owner/name` of an address, else the text itself.
pub(super) fn repository(value: &str) -> String {
    let value = folded(value);
    let path = match value.split_once("://") {
        Some((_, rest)) => rest.split_once('/').map_or("", |(_, path)| path),
        None => match value.split_once(':') {
            Some((host, path)) if host.contains('@') => path,
            _ => &value,
        },
    };
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    if path.is_empty() { value } else { path.to_owned() }
}

/// With `/` between its parts, whatever wrote it: `c:/users/x` is also `/mnt/c/Users/x`, `/c/Users/x` and
/// `C--Users-x`.
fn home(value: &str) -> String {
    let value = folded(&unescaped(value)).replace(['\\', '/'], "/");
    let mut parts: Vec<&str> = value.split('/').filter(|part| !part.is_empty()).collect();
    if let [slug] = parts.as_slice() {
        parts = slug_parts(slug);
    }
    let (name, before) = match parts.split_last() {
        Some((name, before)) => (*name, before),
        None => return value,
    };
    let before: Vec<&str> = match before {
        ["mnt" | "cygdrive", drive, rest @ ..] if drive.len() == 1 => [&[*drive][..], rest].concat(),
        before => before.to_vec(),
    };
    let before = before.iter().map(|part| part.trim_end_matches(':')).collect::<Vec<_>>().join("/");
    // Slugs write every sign of a name alike.
    let name: String = name.chars().map(|letter| if letter.is_alphanumeric() { letter } else { '-' }).collect();
    format!("{before}/{name}")
}

/// The folders and the name of a path whose separators are `-`.
fn slug_parts(slug: &str) -> Vec<&str> {
    for root in ["home", "users"] {
        let Some((before, name)) = slug.split_once(&format!("{root}-")) else { continue };
        let Some(end) = before.len().checked_add(root.len()) else { continue };
        let root = slug.get(before.len()..end).unwrap_or(root);
        return before.split('-').filter(|part| !part.is_empty()).chain([root, name]).collect();
    }
    vec![slug]
}

/// Without percent encoding (at most twice) and without escaped separators.
fn unescaped(value: &str) -> String {
    let mut text = value.to_owned();
    for _ in 0..2 {
        if let Some(view) = super::views::percent(&text) {
            text = view.text;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::of;
    use crate::anonymize::class::Class;

    #[test]
    fn spellings_of_one_identity_are_one() {
        let groups: &[(Class, &[&str])] = &[
            (Class::Home, &["/home/alice", "-home-alice", "%2Fhome%2Falice", "%252Fhome%252Falice", "\\/home\\/alice"]),
            (
                Class::Home,
                &[
                    "C:\\Users\\Alice",
                    "c:/Users/alice",
                    "C:\\\\Users\\\\alice",
                    "/mnt/c/Users/alice",
                    "/c/Users/alice",
                    "C--Users-alice",
                    "-mnt-c-Users-alice",
                    "%5CC%3A%5CUsers%5Calice",
                ],
            ),
            (Class::Email, &["Alice@Corp.io", "alice%40corp.io", "ＡLICE@corp.io"]),
            (Class::Email, &["jörg@bücher.io", "JÖRG@xn--bcher-kva.io", "jo\u{308}rg@BÜCHER.io"]),
            (Class::Host, &["devbox", "DEVBOX", "devbox.corp.internal"]),
            (
                Class::Repository,
                &[
                    "git@github.com:acme/secret-app.git",
                    "https://github.com/acme/secret-app",
                    "acme/secret-app",
                    "ssh://git@github.com/Acme/secret-app.git",
                ],
            ),
            (Class::Person, &["Alice  Smith", "alice smith"]),
        ];
        let mut seen = std::collections::BTreeSet::new();
        for (class, values) in groups {
            let all: Vec<String> = values.iter().map(|value| of(*class, value)).collect();
            assert!(all.iter().all(|one| *one == all[0]), "{values:?}: {all:?}");
            assert!(seen.insert((*class, all[0].clone())), "{values:?}");
        }
    }
}

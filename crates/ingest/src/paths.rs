//! Compares names of files. Hosts resolve the path that a call names, and spell it in their own way.

use std::borrow::Cow;

/// Returns whether a path needs no directory to count from.
pub(super) fn is_rooted(path: &str) -> bool {
    path.starts_with(['/', '\\', '~']) || has_drive(path)
}

fn has_drive(path: &str) -> bool {
    path.chars().nth(1) == Some(':')
}

/// A path that may be written as a URL.
pub(super) fn of_url(path: Cow<'_, str>) -> Cow<'_, str> {
    let Some(local) = path.strip_prefix("file://") else { return path };
    let local = local.strip_prefix("localhost").unwrap_or(local);
    let mut bytes = Vec::with_capacity(local.len());
    let mut rest = local.as_bytes();
    while let [first, left @ ..] = rest {
        let code = match left {
            [high, low, ..] if *first == b'%' => hex(*high).zip(hex(*low)),
            _ => None,
        };
        if let Some((high, low)) = code {
            bytes.push(high * 16 + low);
            rest = left.get(2..).unwrap_or_default();
        } else {
            bytes.push(*first);
            rest = left;
        }
    }
    let path = String::from_utf8_lossy(&bytes).into_owned();
    // `/C:/work`
    let is_drive = path.as_bytes().get(2) == Some(&b':');
    Cow::Owned(if is_drive { path.trim_start_matches('/').to_owned() } else { path })
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// A path in one of its spellings: with `/`, without dots, links of macOS and the marks of Windows.
pub(super) fn plain(path: &str) -> String {
    let path = path.replace('\\', "/");
    let path = path.strip_prefix("//?/").unwrap_or(&path);
    let is_rooted = is_rooted(path);
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if is_rooted || parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    if let ["private", "tmp" | "var" | "etc", ..] = parts.as_slice() {
        parts.remove(0);
    }
    let is_windows = parts.first().is_some_and(|first| first.ends_with(':'));
    let path = parts.join("/");
    if is_windows { path.to_lowercase() } else { path }
}

/// Returns whether both name one file, counted from this directory where one is relative. Without a directory, what a
/// relative name says has to be the end of the other one.
pub(super) fn is_same(cwd: Option<&str>, one: &str, other: &str) -> bool {
    // A log that was written on Windows may tell of directories as WSL does, and the other way round.
    let is_of = |cwd: &&str| [one, other].iter().all(|path| !is_rooted(path) || has_drive(path) == has_drive(cwd));
    let cwd = cwd.filter(is_of);
    let whole = |path: &str| match cwd {
        _ if is_rooted(path) => Some(plain(path)),
        Some(cwd) => Some(plain(&format!("{cwd}/{path}"))),
        None => None,
    };
    if let (Some(one), Some(other)) = (whole(one), whole(other)) {
        let (one, other) = (beside(&one, &other), beside(&other, &one));
        return one == other || is_in_home(&one, &other) || is_in_home(&other, &one);
    }
    let (one, other) = (plain(one), plain(other));
    ends_with(&one, &other) || ends_with(&other, &one)
}

/// The relation of the host's name of a file to the name that a call gave it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Told {
    Same,
    /// The call's name can lead there, from a directory that the log does not tell: what the host names is judged, too.
    Elsewhere,
    Other,
}

/// Compares the name that a call gave a file with the host's own, counted from the directory of the call. A `cd` that the
/// log does not show may have moved it deeper, any directory may be the home, and hosts take away blanks.
pub(super) fn told(cwd: Option<&str>, asked: &str, told: &str) -> Told {
    if is_same(cwd, asked, told) {
        return Told::Same;
    }
    let trimmed = asked.trim();
    if trimmed != asked && is_same(cwd, trimmed, told) || is_rooted(told) && leads(trimmed, &plain(told)) {
        Told::Elsewhere
    } else {
        Told::Other
    }
}

/// Returns whether a name that counts from some directory or from the home can be that of a whole path.
fn leads(name: &str, whole: &str) -> bool {
    let below = name.strip_prefix("~/").or_else(|| name.strip_prefix("~\\"));
    if below.is_none() && is_rooted(name) {
        return false;
    }
    let below = plain(below.unwrap_or(name));
    let below = if has_drive(whole) { below.to_lowercase() } else { below };
    // A path that leads up may leave the repository.
    !below.is_empty() && !below.starts_with("..") && ends_with(whole, &below)
}

/// A plain path as it reads beside one with a drive: Git Bash, Cygwin and WSL name drives as directories.
fn beside<'a>(path: &'a str, other: &str) -> Cow<'a, str> {
    let inner = path.strip_prefix("mnt/").or_else(|| path.strip_prefix("cygdrive/")).unwrap_or(path);
    let (drive, rest) = inner.split_once('/').unwrap_or((inner, ""));
    let is_drive =
        other.split_once(':').is_some_and(|(letter, _)| letter.len() == 1 && drive.eq_ignore_ascii_case(letter));
    if is_drive { Cow::Owned(plain(&format!("{drive}:/{rest}"))) } else { Cow::Borrowed(path) }
}

fn ends_with(long: &str, short: &str) -> bool {
    let short = short.trim_start_matches("../").trim_start_matches("..");
    long == short || short.is_empty() || long.strip_suffix(short).is_some_and(|rest| rest.ends_with('/'))
}

/// Returns whether a path names with `~` what the other one names wholly.
fn is_in_home(short: &str, whole: &str) -> bool {
    let Some(rest) = short.strip_prefix('~') else { return false };
    let Some(home) = whole.strip_suffix(rest) else { return false };
    let parts: Vec<&str> = home.split('/').collect();
    matches!(parts.as_slice(), ["root" | ""] | ["home" | "Users", _] | [_, "users", _])
}

#[cfg(test)]
mod tests {
    use super::{Told, is_same, told};

    #[test]
    fn a_file_has_many_names_and_no_other_file_has_them() {
        for (cwd, one, other) in [
            (Some("/w"), "key", "/w/key"),
            (Some("/w"), "a/../key", "./key"),
            (Some("/w/app"), "../key", "/w/key"),
            (Some("/w"), "~/key", "/home/ann/key"),
            (Some("C:\\w"), "Src\\a.rs", "c:/w/src/a.rs"),
            (Some("/tmp/x"), "a", "/private/tmp/x/a"),
            (Some("/w"), "src\\a", "C:/w/src/a"),
            (Some("C:\\w"), "/c/w/A", "C:\\w\\a"),
            (Some("/w"), "/mnt/c/w/a", "C:\\w\\a"),
            (Some("/w"), "/cygdrive/C/w/a", "c:/w/a"),
            (None, "src/a", "/home/ann/app/src/a"),
            (None, "../src/a", "/home/ann/src/a"),
        ] {
            assert!(is_same(cwd, one, other) && is_same(cwd, other, one), "{cwd:?} {one} {other}");
        }
        for (cwd, one, other) in [
            (Some("/w"), "key", "/w/secrets/key"),
            (Some("/w"), "x/key", "/w/secrets/x/key"),
            (Some("/w"), "/w/a/../ok", "/w/secrets/key"),
            (Some("/w"), "b/../key", "secrets/key"),
            (Some("/w"), ".", "/w/secrets/key"),
            (Some("/w"), "~/key", "/srv/ann/key"),
            (Some("/w"), "/c/w/a", "D:\\w\\a"),
            (Some("/w"), "/c/w/a", "/mnt/c/w/a"),
            (None, "rc/a", "/home/ann/src/a"),
        ] {
            assert!(!is_same(cwd, one, other) && !is_same(cwd, other, one), "{cwd:?} {one} {other}");
        }
    }

    #[test]
    fn a_relative_name_can_lead_to_what_ends_with_it() {
        for (asked, ran, expected) in [
            ("key", "/w/key", Told::Same),
            ("key", "/w/secrets/key", Told::Elsewhere),
            ("./a/../x/key", "/w/secrets/x/key", Told::Elsewhere),
            ("../key", "/w/a/key", Told::Other),
            ("key", "/w/secrets/monkey", Told::Other),
            ("x/key", "/w/secrets/key", Told::Other),
            ("/key", "/w/secrets/key", Told::Other),
            ("~/key", "/var/home/ann/key", Told::Elsewhere),
            ("~/key", "/github/home/key", Told::Elsewhere),
            ("~/key", "/home/ann/key", Told::Same),
            (" /w/key", "/w/key", Told::Elsewhere),
            ("Src\\a", "C:\\w\\x\\src\\a", Told::Elsewhere),
            ("~/key", "/home/ann/monkey", Told::Other),
            ("~", "/w/key", Told::Other),
            ("key", "secrets/key", Told::Other),
            (".", "/w/secrets/key", Told::Other),
            ("..", "/w/secrets/key", Told::Other),
        ] {
            assert_eq!(told(Some("/w"), asked, ran), expected, "{asked} {ran}");
        }
    }
}

//! A path as written, component by component, until nothing is left to resolve.

use std::borrow::Cow;

use super::{Certainty, Cwd, PathBase, escaped};

/// What the components of a path hang on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Anchor {
    /// `/`
    Slash,
    /// `C:`, upper case.
    Drive(char),
    /// `\\server\share`: the server; the share is the first component.
    Server(String),
    /// `~` or `~user`.
    Home(String),
    /// The workspace root, where its absolute path is not known.
    Workspace,
    /// Any directory.
    Unknown,
}

#[derive(Debug, Clone)]
pub(super) struct Resolved {
    pub(super) anchor: Anchor,
    pub(super) components: Vec<String>,
}

/// `None` when not even the start of the path can be told.
pub(super) fn resolve(base: PathBase<'_>, text: &str, certainty: Certainty) -> Option<Resolved> {
    let text = without_file_scheme(text);
    let text = unified(base, &text, certainty);
    // `//x` is `/x` to everything but Windows.
    let network = text.strip_prefix(r"\\").or_else(|| text.strip_prefix("//").filter(|_| is_windows(base)));
    let (start, rest) = match network.and_then(server) {
        Some(found) => found,
        None => anchored(base, &text, certainty)?,
    };
    Some(walk(base, start, rest, certainty))
}

/// `file:///x`, `file://localhost/x`, `file:/x` → `/x`; `file://server/x` → `//server/x`.
fn without_file_scheme(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once(':') else { return text.to_owned() };
    if !scheme.eq_ignore_ascii_case("file") || !rest.starts_with('/') {
        return text.to_owned();
    }
    let rest = rest.split(['?', '#']).next().unwrap_or(rest);
    let path = match rest.strip_prefix("//") {
        None => rest.to_owned(),
        Some(rest) => match rest.split_once('/') {
            Some((host, path)) if host.is_empty() || host.eq_ignore_ascii_case("localhost") => format!("/{path}"),
            Some((host, path)) if !drive_like(host) => format!("\\\\{host}/{path}"),
            _ => rest.to_owned(),
        },
    };
    let path = percent_decoded(&path);
    match path.strip_prefix('/') {
        Some(below) if starts_with_drive(below) => below.to_owned(),
        _ => path,
    }
}

/// Decodes `%41`; what is not valid stays as written.
fn percent_decoded(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        if let (b'%', [high, low, after @ ..]) = (first, tail)
            && let (Some(high), Some(low)) = (hex(*high), hex(*low))
        {
            bytes.push(high * 16 + low);
            rest = after;
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

fn hex(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// Windows separators become `/` where the path or the workspace is a Windows one.
fn unified(base: PathBase<'_>, text: &str, certainty: Certainty) -> String {
    let verbatim = text.strip_prefix(r"\\?\").or_else(|| text.strip_prefix(r"\\.\"));
    let text = match verbatim {
        Some(rest) => match rest.get(..4) {
            Some(unc) if unc.eq_ignore_ascii_case(r"UNC\") => format!(r"\\{}", rest.get(4..).unwrap_or_default()),
            _ => rest.to_owned(),
        },
        None => text.to_owned(),
    };
    // A backslash in a glob may be an escape; elsewhere a log without a root may come from either platform.
    let foreign = base.root.is_none() && certainty != Certainty::Pattern;
    if let Some(local) = shared_drive(&text) {
        local
    } else if let Some(network) = text.strip_prefix(r"\\") {
        format!(r"\\{}", network.replace('\\', "/"))
    } else if starts_with_drive(&text) || is_windows(base) || foreign {
        text.replace('\\', "/")
    } else {
        text
    }
}

/// `\\localhost\c$\x` is `c:/x`: the share of a drive of this machine.
fn shared_drive(text: &str) -> Option<String> {
    const HERE: [&str; 5] = ["localhost", "127.0.0.1", "::1", "--1.ipv6-literal.net", "."];
    let (host, rest) =
        text.strip_prefix([r"\\", "//"].into_iter().find(|start| text.starts_with(start))?)?.split_once(['\\', '/'])?;
    let (share, path) = rest.split_once(['\\', '/']).unwrap_or((rest, ""));
    let drive = share
        .strip_suffix('$')
        .filter(|drive| drive.len() == 1 && drive.starts_with(|c: char| c.is_ascii_alphabetic()))?;
    HERE.iter().any(|here| here.eq_ignore_ascii_case(host)).then(|| format!("{drive}:/{}", path.replace('\\', "/")))
}

fn is_windows(base: PathBase<'_>) -> bool {
    base.root.is_some_and(|root| starts_with_drive(root) || root.starts_with("//"))
}

/// `C:/` or `C:\`.
fn starts_with_drive(text: &str) -> bool {
    let mut characters = text.chars();
    let (letter, colon, slash) = (characters.next(), characters.next(), characters.next());
    letter.is_some_and(|letter| letter.is_ascii_alphabetic()) && colon == Some(':') && matches!(slash, Some('/' | '\\'))
}

pub(super) fn drive_like(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(|letter| letter.is_ascii_alphabetic())
        && characters.next() == Some(':')
        && characters.next().is_none()
}

/// `server/share…`
fn server(text: &str) -> Option<(Resolved, &str)> {
    let (server, rest) = text.split_once('/').unwrap_or((text, ""));
    let named = !matches!(server, "" | "." | "..");
    named.then(|| (Resolved { anchor: Anchor::Server(server.to_lowercase()), components: Vec::new() }, rest))
}

/// The place a path starts from, and what follows.
fn anchored<'t>(base: PathBase<'_>, text: &'t str, certainty: Certainty) -> Option<(Resolved, &'t str)> {
    if starts_with_drive(text) {
        let letter = text.chars().next()?.to_ascii_uppercase();
        return Some((drive(base, letter), text.get(2..)?));
    }
    if text.starts_with('/') {
        return Some((Resolved { anchor: Anchor::Slash, components: Vec::new() }, text));
    }
    if text.starts_with('~') {
        let (home, rest) = text.split_once('/').unwrap_or((text, ""));
        if home.chars().skip(1).all(|character| character.is_alphanumeric() || "._-".contains(character)) {
            return Some((home_directory(base, home, certainty), rest));
        }
    }
    let Cwd::Known(cwd) = base.cwd else {
        return Some((Resolved { anchor: Anchor::Unknown, components: Vec::new() }, text));
    };
    Some((parsed(cwd, certainty), text))
}

/// `C:` as this workspace names it: below `/mnt/c` or `/c` where the root is.
fn drive(base: PathBase<'_>, letter: char) -> Resolved {
    let mount = base.root.and_then(|root| {
        let mut components = root.strip_prefix('/')?.split('/');
        let first = components.next()?;
        let small = letter.to_ascii_lowercase().to_string();
        if first.eq_ignore_ascii_case(&small) {
            return Some(vec![first.to_owned()]);
        }
        let second = components.next()?;
        let mounted = matches!(first, "mnt" | "cygdrive") && second.eq_ignore_ascii_case(&small);
        mounted.then(|| vec![first.to_owned(), second.to_owned()])
    });
    match mount {
        Some(components) => Resolved { anchor: Anchor::Slash, components },
        None => Resolved { anchor: Anchor::Drive(letter), components: Vec::new() },
    }
}

/// The home directory: spelled out if the workspace lies in it, else `~`.
fn home_directory(base: PathBase<'_>, home: &str, certainty: Certainty) -> Resolved {
    let of_root = base.root.and_then(|root| {
        let inside = parsed(root, certainty);
        let count = home_length(&inside)?;
        let user = inside.components.get(count.checked_sub(1)?)?.clone();
        (home == "~" || home.strip_prefix('~') == Some(user.as_str())).then_some((inside, count))
    });
    match of_root {
        Some((mut inside, count)) => {
            inside.components.truncate(count);
            inside
        }
        None => Resolved { anchor: Anchor::Home(home.to_owned()), components: Vec::new() },
    }
}

/// Whether `~` is a directory above this one.
pub(crate) fn is_below_home(root: &str) -> bool {
    home_length(&parsed(root, Certainty::Exact)).is_some()
}

/// The path below `~` of what lies in somebody's home directory. Containers run as `root`, and logs rarely say whose home
/// is meant, so `/root/x`, `/home/u/x` and `/Users/u/x` are names of `~/x` where files that programs start with are kept.
pub(crate) fn in_home(path: &str) -> Cow<'_, str> {
    let below = path.strip_prefix("/root/").or_else(|| {
        let homes = ["/home/", "/Users/", "/usr/home/", "/var/home/"];
        let of_user = homes.iter().find_map(|home| path.strip_prefix(home))?;
        of_user.split_once('/').map(|(_, below)| below)
    });
    below.map_or(Cow::Borrowed(path), |below| Cow::Owned(format!("~/{below}")))
}

/// Returns the number of leading components that make a home directory (`/home/u`, `/Users/u`, `/usr/home/u`, `/root`, `C:/Users/u`).
fn home_length(resolved: &Resolved) -> Option<usize> {
    let first = resolved.components.first()?;
    match &resolved.anchor {
        Anchor::Slash if first == "root" => Some(1),
        Anchor::Slash if matches!(first.as_str(), "home" | "Users") => resolved.components.get(1).map(|_| 2),
        Anchor::Slash if matches!(first.as_str(), "usr" | "var") => match resolved.components.get(1..3) {
            Some([home, _]) if home == "home" => Some(3),
            _ => None,
        },
        Anchor::Drive(_) if first.eq_ignore_ascii_case("users") => resolved.components.get(1).map(|_| 2),
        _ => None,
    }
}

/// Reads back what `written` wrote.
pub(super) fn parsed(path: &str, certainty: Certainty) -> Resolved {
    let (anchor, rest) = if starts_with_drive(path) {
        let letter = path.chars().next().unwrap_or('C');
        (Anchor::Drive(letter.to_ascii_uppercase()), path.get(2..).unwrap_or_default())
    } else if let Some(rest) = path.strip_prefix("//") {
        let (server, rest) = rest.split_once('/').unwrap_or((rest, ""));
        (Anchor::Server(server.to_owned()), rest)
    } else if path.starts_with('~') {
        let (home, rest) = path.split_once('/').unwrap_or((path, ""));
        (Anchor::Home(home.to_owned()), rest)
    } else if path.starts_with('/') {
        (Anchor::Slash, path)
    } else {
        (Anchor::Workspace, path)
    };
    let components = rest.split('/').filter(|component| !matches!(*component, "" | "."));
    let components = match certainty {
        Certainty::Pattern => components.map(escaped).collect(),
        Certainty::Exact | Certainty::Possible => components.map(str::to_owned).collect(),
    };
    Resolved { anchor, components }
}

/// Follows the components one by one, so that `..` after `/proc/self/cwd` climbs from the right place.
fn walk(base: PathBase<'_>, start: Resolved, rest: &str, certainty: Certainty) -> Resolved {
    let mut resolved = start;
    for component in rest.split('/') {
        match component {
            "" | "." => {}
            ".." => climb(&mut resolved, certainty),
            name => {
                resolved.components.push(name.to_owned());
                follow_magic_link(base, &mut resolved, certainty);
            }
        }
    }
    mounted_drive(base, &mut resolved);
    without_private(&mut resolved);
    temporary(&mut resolved);
    resolved
}

fn climb(resolved: &mut Resolved, certainty: Certainty) {
    let unknown = certainty == Certainty::Pattern && resolved.components.last().is_some_and(|last| last.contains("**"));
    if unknown {
        // `a/**/..` may be `a`'s parent or anything below it.
        while resolved.components.last().is_some_and(|last| last.contains("**")) {
            resolved.components.pop();
        }
        if resolved.components.pop().is_none() {
            give_up(resolved);
        }
        resolved.components.push("**".to_owned());
        return;
    }
    if resolved.components.pop().is_none() {
        give_up(resolved);
    }
}

/// Above an anchor whose parent is not known nothing is.
fn give_up(resolved: &mut Resolved) {
    if matches!(resolved.anchor, Anchor::Home(_) | Anchor::Workspace) {
        resolved.anchor = Anchor::Unknown;
    }
}

/// `/proc/self/cwd` and `/proc/self/root` are other names for directories.
fn follow_magic_link(base: PathBase<'_>, resolved: &mut Resolved, certainty: Certainty) {
    if resolved.anchor != Anchor::Slash || resolved.components.first().is_none_or(|first| first != "proc") {
        return;
    }
    let names: Vec<&str> = resolved.components.iter().map(String::as_str).collect();
    let (process, link) = match names.as_slice() {
        [_, process, link] | [_, process, "task", _, link] => (*process, *link),
        _ => return,
    };
    let own = matches!(process, "self" | "thread-self");
    match (link, base.cwd) {
        ("root", _) => resolved.components.clear(),
        ("cwd", Cwd::Known(cwd)) if own => *resolved = parsed(cwd, certainty),
        ("cwd", _) => *resolved = Resolved { anchor: Anchor::Unknown, components: Vec::new() },
        _ => {}
    }
}

/// Unix-like names of drives (`/mnt/c`, `/cygdrive/c`, `/c`) in a Windows workspace.
fn mounted_drive(base: PathBase<'_>, resolved: &mut Resolved) {
    if resolved.anchor != Anchor::Slash || !is_windows(base) {
        return;
    }
    let first = resolved.components.first().map(String::as_str);
    let second = resolved.components.get(1).map(String::as_str);
    let (letter, count) = match (first, second) {
        (Some("mnt" | "cygdrive"), Some(letter)) => (letter, 2),
        (Some(letter), _) => (letter, 1),
        _ => return,
    };
    let mut letters = letter.chars();
    if let (Some(letter), None) = (letters.next(), letters.next())
        && letter.is_ascii_alphabetic()
    {
        resolved.anchor = Anchor::Drive(letter.to_ascii_uppercase());
        resolved.components.drain(..count);
    }
}

/// macOS: `/private/tmp`, `/private/var` and `/private/etc` are what `/tmp`, `/var` and `/etc` point to.
fn without_private(resolved: &mut Resolved) {
    let names: Vec<&str> = resolved.components.iter().take(2).map(String::as_str).collect();
    if resolved.anchor == Anchor::Slash && matches!(names.as_slice(), ["private", "tmp" | "var" | "etc"]) {
        resolved.components.remove(0);
    }
}

/// A user's own directory for temporary files is `/tmp`, as Git for Windows mounts it and as programs on macOS use it.
fn temporary(resolved: &mut Resolved) {
    let names: Vec<String> = resolved.components.iter().take(5).map(|name| name.to_ascii_lowercase()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let count = match (&resolved.anchor, names.as_slice()) {
        (Anchor::Drive(_), ["users", _, "appdata", "local", "temp"])
        | (Anchor::Slash, ["var", "folders", _, _, "t"]) => 5,
        (Anchor::Home(_), ["appdata", "local", "temp", ..]) => 3,
        _ => return,
    };
    resolved.anchor = Anchor::Slash;
    resolved.components.splice(..count, ["tmp".to_owned()]);
}

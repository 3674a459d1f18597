//! Paths as a log wrote them → the form that [`PathTarget`] documents. Purely lexical: no file system is asked.

use unicode_normalization::UnicodeNormalization;

use super::{Certainty, PathTarget};

/// The directories a path is resolved against.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ground<'a> {
    /// The workspace root, absolute and normalised; `None` when the log recorded none.
    pub(crate) root: Option<&'a str>,
    pub(crate) cwd: Cwd<'a>,
}

/// The working directory as far as it is known.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Cwd<'a> {
    /// Absolute; or, where the root is not known, relative to it.
    Known(&'a str),
    Unknown,
}

/// What the components of a path hang on.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Anchor {
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
struct Resolved {
    anchor: Anchor,
    components: Vec<String>,
}

/// Resolves a path as written. The result is inside the workspace exactly if its lexical form is.
pub(crate) fn locate(ground: Ground<'_>, text: &str, certainty: Certainty) -> (PathTarget, Certainty) {
    let Some(resolved) = resolve(ground, text, certainty) else {
        return (PathTarget::new("**"), Certainty::Pattern);
    };
    present(ground, resolved, certainty)
}

/// The absolute form of a directory (relative to the root where that is not known); `None` when it is not one place.
pub(crate) fn directory(ground: Ground<'_>, text: &str) -> Option<String> {
    let resolved = resolve(ground, text, Certainty::Exact)?;
    if resolved.anchor == Anchor::Unknown {
        return None;
    }
    Some(written(&resolved))
}

/// The root of a workspace from the working directory a log recorded.
pub(crate) fn root(text: &str) -> Option<String> {
    let ground = Ground { root: None, cwd: Cwd::Unknown };
    directory(ground, text).filter(|root| !root.is_empty())
}

fn resolve(ground: Ground<'_>, text: &str, certainty: Certainty) -> Option<Resolved> {
    let text = without_file_scheme(text);
    let text = unified(ground, &text, certainty);
    // `//x` is `/x` to everything but Windows.
    let network = text.strip_prefix(r"\\").or_else(|| text.strip_prefix("//").filter(|_| is_windows(ground)));
    let (start, rest) = match network.and_then(server) {
        Some(found) => found,
        None => anchored(ground, &text, certainty)?,
    };
    Some(walk(ground, start, rest, certainty))
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
pub(crate) fn percent_decoded(text: &str) -> String {
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
fn unified(ground: Ground<'_>, text: &str, certainty: Certainty) -> String {
    let verbatim = text.strip_prefix(r"\\?\").or_else(|| text.strip_prefix(r"\\.\"));
    let text = match verbatim {
        Some(rest) => match rest.get(..4) {
            Some(unc) if unc.eq_ignore_ascii_case(r"UNC\") => format!(r"\\{}", rest.get(4..).unwrap_or_default()),
            _ => rest.to_owned(),
        },
        None => text.to_owned(),
    };
    // A backslash in a glob may be an escape; elsewhere a log without a root may come from either platform.
    let foreign = ground.root.is_none() && certainty != Certainty::Pattern;
    if let Some(network) = text.strip_prefix(r"\\") {
        format!(r"\\{}", network.replace('\\', "/"))
    } else if starts_with_drive(&text) || is_windows(ground) || foreign {
        text.replace('\\', "/")
    } else {
        text
    }
}

fn is_windows(ground: Ground<'_>) -> bool {
    ground.root.is_some_and(|root| starts_with_drive(root) || root.starts_with("//"))
}

/// `C:/` or `C:\`.
fn starts_with_drive(text: &str) -> bool {
    let mut characters = text.chars();
    let (letter, colon, slash) = (characters.next(), characters.next(), characters.next());
    letter.is_some_and(|letter| letter.is_ascii_alphabetic()) && colon == Some(':') && matches!(slash, Some('/' | '\\'))
}

fn drive_like(text: &str) -> bool {
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
fn anchored<'t>(ground: Ground<'_>, text: &'t str, certainty: Certainty) -> Option<(Resolved, &'t str)> {
    if starts_with_drive(text) {
        let letter = text.chars().next()?.to_ascii_uppercase();
        return Some((drive(ground, letter), text.get(2..)?));
    }
    if text.starts_with('/') {
        return Some((Resolved { anchor: Anchor::Slash, components: Vec::new() }, text));
    }
    if text.starts_with('~') {
        let (home, rest) = text.split_once('/').unwrap_or((text, ""));
        if home.chars().skip(1).all(|character| character.is_alphanumeric() || "._-".contains(character)) {
            return Some((home_directory(ground, home, certainty), rest));
        }
    }
    let Cwd::Known(cwd) = ground.cwd else {
        return Some((Resolved { anchor: Anchor::Unknown, components: Vec::new() }, text));
    };
    Some((parsed(cwd, certainty), text))
}

/// `C:` as this workspace names it: below `/mnt/c` or `/c` where the root is.
fn drive(ground: Ground<'_>, letter: char) -> Resolved {
    let mount = ground.root.and_then(|root| {
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
fn home_directory(ground: Ground<'_>, home: &str, certainty: Certainty) -> Resolved {
    let of_root = ground.root.and_then(|root| {
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

/// How many leading components make a home directory (`/home/u`, `/Users/u`, `/root`, `C:/Users/u`).
fn home_length(place: &Resolved) -> Option<usize> {
    let first = place.components.first()?;
    match &place.anchor {
        Anchor::Slash if first == "root" => Some(1),
        Anchor::Slash if matches!(first.as_str(), "home" | "Users") => place.components.get(1).map(|_| 2),
        Anchor::Drive(_) if first.eq_ignore_ascii_case("users") => place.components.get(1).map(|_| 2),
        _ => None,
    }
}

/// Reads back what [`written`] wrote.
fn parsed(place: &str, certainty: Certainty) -> Resolved {
    let (anchor, rest) = if starts_with_drive(place) {
        let letter = place.chars().next().unwrap_or('C');
        (Anchor::Drive(letter.to_ascii_uppercase()), place.get(2..).unwrap_or_default())
    } else if let Some(rest) = place.strip_prefix("//") {
        let (server, rest) = rest.split_once('/').unwrap_or((rest, ""));
        (Anchor::Server(server.to_owned()), rest)
    } else if place.starts_with('~') {
        let (home, rest) = place.split_once('/').unwrap_or((place, ""));
        (Anchor::Home(home.to_owned()), rest)
    } else if place.starts_with('/') {
        (Anchor::Slash, place)
    } else {
        (Anchor::Workspace, place)
    };
    let components = rest.split('/').filter(|component| !matches!(*component, "" | "."));
    let components = match certainty {
        Certainty::Pattern => components.map(escaped).collect(),
        Certainty::Exact | Certainty::Possible => components.map(str::to_owned).collect(),
    };
    Resolved { anchor, components }
}

/// Follows the components one by one, so that `..` after `/proc/self/cwd` climbs from the right place.
fn walk(ground: Ground<'_>, start: Resolved, rest: &str, certainty: Certainty) -> Resolved {
    let mut place = start;
    for component in rest.split('/') {
        match component {
            "" | "." => {}
            ".." => climb(&mut place, certainty),
            name => {
                place.components.push(name.to_owned());
                follow_magic_link(ground, &mut place, certainty);
            }
        }
    }
    mounted_drive(ground, &mut place);
    without_private(&mut place);
    place
}

fn climb(place: &mut Resolved, certainty: Certainty) {
    let unknown = certainty == Certainty::Pattern && place.components.last().is_some_and(|last| last.contains("**"));
    if unknown {
        // `a/**/..` may be `a`'s parent or anything below it.
        while place.components.last().is_some_and(|last| last.contains("**")) {
            place.components.pop();
        }
        if place.components.pop().is_none() {
            give_up(place);
        }
        place.components.push("**".to_owned());
        return;
    }
    if place.components.pop().is_none() {
        give_up(place);
    }
}

/// Above an anchor whose parent is not known nothing is.
fn give_up(place: &mut Resolved) {
    if matches!(place.anchor, Anchor::Home(_) | Anchor::Workspace) {
        place.anchor = Anchor::Unknown;
    }
}

/// `/proc/self/cwd` and `/proc/self/root` are other names for directories.
fn follow_magic_link(ground: Ground<'_>, place: &mut Resolved, certainty: Certainty) {
    if place.anchor != Anchor::Slash || place.components.first().is_none_or(|first| first != "proc") {
        return;
    }
    let names: Vec<&str> = place.components.iter().map(String::as_str).collect();
    let (process, link) = match names.as_slice() {
        [_, process, link] => (*process, *link),
        [_, process, "task", _, link] => (*process, *link),
        _ => return,
    };
    let own = matches!(process, "self" | "thread-self");
    match (link, ground.cwd) {
        ("root", _) => place.components.clear(),
        ("cwd", Cwd::Known(cwd)) if own => *place = parsed(cwd, certainty),
        ("cwd", _) => *place = Resolved { anchor: Anchor::Unknown, components: Vec::new() },
        _ => {}
    }
}

/// Unix-like names of drives (`/mnt/c`, `/cygdrive/c`, `/c`) in a Windows workspace.
fn mounted_drive(ground: Ground<'_>, place: &mut Resolved) {
    if place.anchor != Anchor::Slash || !is_windows(ground) {
        return;
    }
    let first = place.components.first().map(String::as_str);
    let second = place.components.get(1).map(String::as_str);
    let (letter, count) = match (first, second) {
        (Some("mnt" | "cygdrive"), Some(letter)) => (letter, 2),
        (Some(letter), _) => (letter, 1),
        _ => return,
    };
    let mut letters = letter.chars();
    if let (Some(letter), None) = (letters.next(), letters.next())
        && letter.is_ascii_alphabetic()
    {
        place.anchor = Anchor::Drive(letter.to_ascii_uppercase());
        place.components.drain(..count);
    }
}

/// macOS: `/private/tmp`, `/private/var` and `/private/etc` are what `/tmp`, `/var` and `/etc` point to.
fn without_private(place: &mut Resolved) {
    let names: Vec<&str> = place.components.iter().take(2).map(String::as_str).collect();
    if place.anchor == Anchor::Slash && matches!(names.as_slice(), ["private", "tmp" | "var" | "etc"]) {
        place.components.remove(0);
    }
}

/// A resolved place in the form that users and policies see.
fn present(ground: Ground<'_>, place: Resolved, certainty: Certainty) -> (PathTarget, Certainty) {
    if place.anchor == Anchor::Unknown {
        return unknown_directory(&place, certainty);
    }
    let Some(root) = ground.root else {
        return settled(written(&place), certainty);
    };
    let root = parsed(root, certainty);
    let folds = matches!(root.anchor, Anchor::Drive(_) | Anchor::Server(_))
        || root.components.first().is_some_and(|first| first == "Users");
    match relation(&place, &root, folds, certainty) {
        Relation::Inside => {
            let below = place.components.get(root.components.len()..).unwrap_or_default();
            settled(joined(below), certainty)
        }
        Relation::Maybe { below } => {
            let below = place.components.get(below..).unwrap_or_default();
            let path = if below.is_empty() { "**".to_owned() } else { format!("**/{}", below.join("/")) };
            (PathTarget::new(path), Certainty::Pattern)
        }
        Relation::Outside => settled(outside(place), certainty),
    }
}

fn unknown_directory(place: &Resolved, certainty: Certainty) -> (PathTarget, Certainty) {
    let mut path = "**".to_owned();
    for component in &place.components {
        path.push('/');
        match certainty {
            Certainty::Pattern => path.push_str(component),
            Certainty::Exact | Certainty::Possible => path.push_str(&escaped(component)),
        }
    }
    (PathTarget::new(path), Certainty::Pattern)
}

enum Relation {
    Inside,
    Outside,
    /// A glob that may name a file of the workspace: its components from `below` on.
    Maybe {
        below: usize,
    },
}

fn relation(place: &Resolved, root: &Resolved, folds: bool, certainty: Certainty) -> Relation {
    let same_server = place.anchor == root.anchor;
    if !same_server {
        return Relation::Outside;
    }
    let mut maybe = false;
    for (at, expected) in root.components.iter().enumerate() {
        let Some(component) = place.components.get(at) else { return Relation::Outside };
        if certainty == Certainty::Pattern && component.contains("**") {
            return Relation::Maybe { below: at + 1 };
        }
        let equal = component == expected || (folds && component.to_lowercase() == expected.to_lowercase());
        if !equal {
            if certainty != Certainty::Pattern || !has_metacharacters(component) {
                return Relation::Outside;
            }
            maybe = true;
        }
    }
    match maybe {
        false => Relation::Inside,
        // It names the root itself, or a neighbour.
        true if place.components.len() == root.components.len() => Relation::Outside,
        true => Relation::Maybe { below: root.components.len() },
    }
}

/// Outside the workspace: absolute.
fn outside(place: Resolved) -> String {
    let text = written(&place);
    if text.is_empty() { ".".to_owned() } else { text }
}

fn written(place: &Resolved) -> String {
    let below = place.components.join("/");
    match &place.anchor {
        Anchor::Slash => format!("/{below}"),
        Anchor::Drive(letter) => format!("{letter}:/{below}"),
        Anchor::Server(server) if below.is_empty() => format!("//{server}"),
        Anchor::Server(server) => format!("//{server}/{below}"),
        Anchor::Home(home) if below.is_empty() => home.clone(),
        Anchor::Home(home) => format!("{home}/{below}"),
        Anchor::Workspace if below.is_empty() => ".".to_owned(),
        Anchor::Workspace => below,
        Anchor::Unknown if below.is_empty() => "**".to_owned(),
        Anchor::Unknown => format!("**/{below}"),
    }
}

fn joined(components: &[String]) -> String {
    if components.is_empty() { ".".to_owned() } else { components.join("/") }
}

/// A pattern that turns out to be literal is exact.
fn settled(path: String, certainty: Certainty) -> (PathTarget, Certainty) {
    if certainty != Certainty::Pattern {
        return (PathTarget::new(path), certainty);
    }
    match literal(&path) {
        Some(literal) => (PathTarget::new(literal), Certainty::Exact),
        None => (PathTarget::new(path), Certainty::Pattern),
    }
}

/// A literal text as a pattern: metacharacters get a class of their own.
pub(crate) fn escaped(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '*' | '?' | '[') {
            pattern.extend(['[', character, ']']);
        } else {
            pattern.push(character);
        }
    }
    pattern
}

/// The one text a pattern stands for, if it is only one.
pub(crate) fn literal(pattern: &str) -> Option<String> {
    let mut text = String::with_capacity(pattern.len());
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        match character {
            '*' | '?' => return None,
            '[' => {
                let mut class = characters.as_str().chars();
                match (class.next(), class.next()) {
                    (Some(only), Some(']')) if !matches!(only, '!' | '^' | ']' | '/') => {
                        text.push(only);
                        characters = class;
                    }
                    // A bracket that is not closed within its component is literal.
                    _ if characters.as_str().split('/').next().is_some_and(|rest| rest.contains(']')) => return None,
                    _ => text.push('['),
                }
            }
            other => text.push(other),
        }
    }
    Some(text)
}

pub(crate) fn has_metacharacters(pattern: &str) -> bool {
    literal(pattern).is_none()
}

/// One spelling for everything a file system or a reader may take for the same name. For denies only: it makes
/// different files equal on purpose. Works on paths and on path patterns.
pub(crate) fn fold_for_deny(path: &str) -> String {
    let visible: String = path.chars().filter(|character| !is_invisible(*character)).collect();
    let lower: String = visible.nfkc().flat_map(char::to_lowercase).nfc().collect();
    let folded: Vec<&str> = lower.split('/').map(fold_component).collect();
    let folded = folded.join("/");
    home_spelled_short(&folded).unwrap_or(folded)
}

/// Windows drops trailing dots and spaces and opens `x::$data` as `x`.
fn fold_component(component: &str) -> &str {
    if matches!(component, "." | "..") {
        return component;
    }
    let component = component.strip_suffix("::$data").unwrap_or(component);
    let trimmed = component.trim_end_matches(['.', ' ']);
    if trimmed.is_empty() { component } else { trimmed }
}

fn home_spelled_short(folded: &str) -> Option<String> {
    let mut parts = folded.split('/');
    let home = match (parts.next()?, parts.next()?) {
        ("", "root") => true,
        ("", "home" | "users") => parts.next().is_some_and(|user| !user.is_empty()),
        (drive, "users") if drive_like(drive) => parts.next().is_some_and(|user| !user.is_empty()),
        _ => false,
    };
    let below: Vec<&str> = parts.collect();
    match (home, below.is_empty()) {
        (false, _) => None,
        (true, true) => Some("~".to_owned()),
        (true, false) => Some(format!("~/{}", below.join("/"))),
    }
}

/// Format characters (general category Cf and relatives) that change how a name looks, not what it says.
fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}')
}

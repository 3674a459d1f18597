//! Images of containers, and what a container is given of its machine.

use super::{MOVED, NO_VERSION, Pin, VARIABLE, is_variable};
use crate::repo_audit::launch::program;

/// Options of `run` without a value; all others have one.
const BARE: &[&str] = &[
    "--rm",
    "--init",
    "--privileged",
    "--read-only",
    "--interactive",
    "--tty",
    "--detach",
    "--publish-all",
    "--no-healthcheck",
    "--oom-kill-disable",
    "--sig-proxy",
    "--disable-content-trust",
    "--quiet",
    "--replace",
    "--use-api-socket",
    "--no-hosts",
    "--no-hostname",
    "--rmi",
    "--remove",
];
/// Letters of options without a value.
const BARE_LETTERS: &str = "itdPq";

/// One option of `docker run`, or the image, behind which all is the program's own.
enum Part<'w> {
    Option { name: &'w str, value: &'w str },
    Image(&'w str),
}

pub(super) fn of(words: &[String]) -> Pin {
    let image = parts(words).into_iter().find_map(|part| match part {
        Part::Image(image) => Some(image),
        Part::Option { .. } => None,
    });
    image.map_or(Pin::NotAPackage, |image| Pin::Image { image: image.to_owned(), why: floats(image) })
}

/// Of the name of an image; `None`: a digest says which.
pub(crate) fn floats(image: &str) -> Option<&'static str> {
    if let Some((_, digest)) = image.split_once("@sha256:") {
        let whole = digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
        return (!whole).then_some("by a digest that is not whole");
    }
    let last = image.rsplit('/').next().unwrap_or(image);
    match last.split_once(':') {
        None if is_variable(image) => Some(VARIABLE),
        Some((_, tag)) if is_variable(tag) => Some(VARIABLE),
        None => Some(NO_VERSION),
        Some(_) => Some(MOVED),
    }
}

/// Nothing but `docker run` and `docker container run` brings an image.
fn parts(words: &[String]) -> Vec<Part<'_>> {
    let at = words.iter().position(|word| !word.starts_with('-')).unwrap_or(words.len());
    let mut rest = words.get(at..).unwrap_or_default();
    if rest.first().is_some_and(|word| word == "container") {
        rest = rest.get(1..).unwrap_or_default();
    }
    let Some((verb, mut rest)) = rest.split_first() else { return Vec::new() };
    if verb != "run" && verb != "create" {
        return Vec::new();
    }
    let mut parts = Vec::new();
    while let Some((word, after)) = rest.split_first() {
        rest = after;
        if word == "--" || word.is_empty() {
            continue;
        }
        if !word.starts_with('-') {
            parts.push(Part::Image(word));
            break;
        }
        let (name, value, takes) = option(word);
        let next = rest.first().map_or("", String::as_str);
        parts.push(Part::Option { name, value: if takes { next } else { value } });
        if takes {
            rest = rest.get(1..).unwrap_or_default();
        }
    }
    parts
}

/// Its name, its value where the word has one, and whether the next word is its value.
fn option(word: &str) -> (&str, &str, bool) {
    if word.starts_with("--") {
        return match word.split_once('=') {
            Some((name, value)) => (name, value, false),
            None => (word, "", !BARE.contains(&word)),
        };
    }
    let letters = word.get(1..).unwrap_or_default();
    let at = letters.find(|letter| !BARE_LETTERS.contains(letter));
    let Some(at) = at else { return (word, "", false) };
    let option = letters.get(at..).unwrap_or_default();
    let length = option.chars().next().map_or(0, char::len_utf8);
    let value = option.get(length..).unwrap_or_default();
    (option.get(..length).unwrap_or_default(), value.strip_prefix('=').unwrap_or(value), value.is_empty())
}

/// What gives a container the machine that it runs on.
pub(crate) fn risks(words: &[String]) -> Vec<&'static str> {
    let Some((first, rest)) = words.split_first() else { return Vec::new() };
    if !matches!(program(first).as_str(), "docker" | "podman" | "nerdctl") {
        return Vec::new();
    }
    let mut found: Vec<&'static str> = parts(rest).iter().filter_map(risk).collect();
    found.dedup();
    found
}

fn risk(part: &Part<'_>) -> Option<&'static str> {
    let Part::Option { name, value } = part else { return None };
    match *name {
        "--privileged" if *value != "false" => Some("runs its container with all rights: take `--privileged` out"),
        "-v" | "v" | "--volume" => mounted(value.split(':').next().unwrap_or_default()),
        "--mount" => {
            let source =
                value.split(',').find_map(|pair| pair.strip_prefix("source=").or_else(|| pair.strip_prefix("src=")));
            mounted(source.unwrap_or_default())
        }
        "--pid" if *value == "host" => Some("lets its container see the processes of the machine: take `--pid` out"),
        "--cap-add" if matches!(value.to_ascii_uppercase().as_str(), "ALL" | "SYS_ADMIN" | "CAP_SYS_ADMIN") => {
            Some("lets its container administrate the machine: take `--cap-add` out")
        }
        _ => None,
    }
}

fn mounted(source: &str) -> Option<&'static str> {
    if source.ends_with("docker.sock") || source.ends_with("podman.sock") {
        return Some(
            "gives its container the socket of the container engine, and by it the machine: take the volume out",
        );
    }
    let root =
        !source.is_empty() && source.chars().all(|letter| letter == '/' || letter == '.') && source.starts_with('/');
    let drive = matches!(source.to_ascii_uppercase().as_str(), "C" | "C:\\" | "//C");
    (root || drive).then_some("gives its container all files of the machine: name the folders that it needs")
}

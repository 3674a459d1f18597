//! What the kernel sees and no gate need name. Each line is a hole in the referee, so each says why it is there.

use std::fs;

use super::jail::{HOME, Jail, WORKSPACE};
use super::trace::{Act, ObservedAct};

/// Programs, libraries, what they are configured with, and the kernel's own files: reading them is how programs start.
const SYSTEM: &[&str] =
    &["/usr/", "/bin/", "/sbin/", "/lib/", "/lib64/", "/lib32/", "/proc/", "/dev/", "/sys/", "/run/"];

/// What the C library and a program's start-up read before the program does anything.
const LIBRARY: &[&str] = &[
    "/etc/ld.so.cache",
    "/etc/ld.so.preload",
    "/etc/nsswitch.conf",
    "/etc/passwd",
    "/etc/group",
    "/etc/hosts",
    "/etc/host.conf",
    "/etc/resolv.conf",
    "/etc/gai.conf",
    "/etc/services",
    "/etc/protocols",
    "/etc/localtime",
    "/etc/ssl/",
    "/etc/alternatives/",
    "/etc/inputrc",
    "/etc/magic",
    "/etc/mime.types",
    "/etc/terminfo/",
    "/etc/python3",
    "/etc/perl/",
];

/// A program's own settings and memory: program, what it is, where. `**/` starts anywhere below the workspace.
const OWN: &[(&str, Own, &str)] = &[
    // Git reads its settings and keeps its objects; hooks and settings that are written do count.
    ("git", Own::Read, "~/.gitconfig"),
    ("git", Own::Read, "~/.config/git/"),
    ("git", Own::Read, "/etc/gitconfig"),
    ("git", Own::Read, "**/.git/"),
    ("git", Own::Read, "**/.git"),
    ("git", Own::Read, "**/.gitignore"),
    ("git", Own::Read, "**/.gitattributes"),
    ("git", Own::Read, "**/.gitmodules"),
    ("git", Own::Read, "**/.mailmap"),
    ("git", Own::Keep, "**/.git/"),
    // Searchers leave out what the project ignores.
    ("rg", Own::Read, "**/.gitignore"),
    ("rg", Own::Read, "**/.ignore"),
    ("rg", Own::Read, "**/.rgignore"),
    ("rg", Own::Read, "**/.git/"),
    ("rg", Own::Read, "~/.config/git/"),
    ("rg", Own::Read, "~/.gitconfig"),
    // Clients read their settings; what they send is theirs to say.
    ("ssh", Own::Read, "~/.ssh/"),
    ("ssh", Own::Keep, "~/.ssh/known_hosts"),
    ("ssh", Own::Keep, "~/.ssh"),
    ("scp", Own::Read, "~/.ssh/"),
    ("wget", Own::Read, "~/.wgetrc"),
    ("wget", Own::Keep, "~/.wget-hsts"),
    ("curl", Own::Read, "~/.curlrc"),
    // A terminal multiplexer keeps its sockets; package managers ask git who the user is.
    ("tmux", Own::Keep, "/tmp/tmux-1000/"),
    ("node", Own::Read, "~/.gitconfig"),
    // Editors, shells of data bases and package managers remember what was done.
    ("vim.basic", Own::Keep, "~/.viminfo"),
    ("sqlite", Own::Keep, "~/.sqlite_history"),
    ("npm", Own::Keep, "~/.npm/"),
    ("node", Own::Keep, "~/.npm/"),
    ("node", Own::Read, "~/.npmrc"),
    ("node", Own::Read, "**/package.json"),
    ("java", Own::Keep, "/tmp/hsperfdata_agent/"),
    ("javac", Own::Keep, "/tmp/hsperfdata_agent/"),
    ("python", Own::Keep, "~/.python_history"),
    // Bash reads nothing when it runs a text, but a login shell reads its start files.
    ("bash", Own::Read, "~/.bash_profile"),
    ("bash", Own::Read, "~/.bash_login"),
    ("bash", Own::Read, "~/.profile"),
    ("bash", Own::Read, "~/.bash_logout"),
    ("bash", Own::Read, "/etc/profile"),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Own {
    Read,
    /// Written and deleted as the program sees fit.
    Keep,
}

/// Programs that a program brings along and runs itself: `git` its parts, a compiler its stages.
const PARTS: &[&str] = &["/usr/lib/", "/usr/libexec/", "/usr/local/libexec/", "/usr/local/lib/"];

/// Programs that are stages of another one's work.
const STAGES: &[(&str, &str)] = &[
    ("tar", "gzip bzip2 xz zstd lzma compress"),
    ("gcc", "as ld collect2 cc1"),
    ("cc", "as ld collect2 cc1"),
    ("unzip", "zipinfo"),
    ("scp", "ssh"),
    ("sftp", "ssh"),
    ("apt", "dpkg"),
    ("apt-get", "dpkg"),
];

/// Whether an observed act needs no effect.
pub(super) fn ignored(observed: &ObservedAct, text: &str, jail: &Jail, template: &Jail) -> bool {
    let target = observed.target.as_str();
    match observed.act {
        Act::Connect => false,
        Act::Execute => is_part(observed),
        Act::Read => {
            compared(observed, text, jail, template)
                || within(SYSTEM, target)
                || within(LIBRARY, target)
                || own(observed, false, jail, template)
                || itself(observed)
                || is_directory(target, jail, template)
                || passing(target, text, jail, template)
        }
        Act::Write | Act::Delete => {
            within(&["/proc/", "/dev/", "/sys/"], target)
                || own(observed, true, jail, template)
                || passing(target, text, jail, template)
        }
    }
}

fn within(prefixes: &[&str], target: &str) -> bool {
    prefixes.iter().any(|prefix| target.starts_with(prefix))
}

fn own(observed: &ObservedAct, keeps: bool, jail: &Jail, template: &Jail) -> bool {
    let target = observed.target.as_str();
    let guarded =
        target.contains("/.git/hooks/") || target.ends_with("/.git/config") && settings_changed(target, jail, template);
    OWN.iter().any(|(program, own, place)| {
        let fits = observed.by.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') == *program
            || *program == "git" && observed.by.starts_with("git-");
        let allowed = (*own == Own::Keep && !guarded) || !keeps;
        let there = match (place.strip_prefix("~/"), place.strip_prefix("**/")) {
            (Some(below), _) => place_fits(target, &format!("{}/{below}", jail.home())),
            (_, Some(name)) if name.ends_with('/') => target.contains(&format!("/{name}")),
            (_, Some(name)) => target.ends_with(&format!("/{name}")),
            _ => place_fits(target, place),
        };
        fits && allowed && there
    })
}

fn place_fits(target: &str, place: &str) -> bool {
    target == place.trim_end_matches('/') || place.ends_with('/') && target.starts_with(place)
}

/// What a program runs to do its work, whatever its arguments say.
fn is_part(observed: &ObservedAct) -> bool {
    let name = observed.target.rsplit('/').next().unwrap_or_default();
    // A shell that a program starts is how the program runs commands: those count.
    let shell = matches!(name, "sh" | "bash" | "dash") && !is_shell(&observed.by);
    // A program of the system that is a script is made of other programs.
    let of_git = observed.by.starts_with("git-") || observed.by == "git" && name.starts_with("git-");
    let script = || fs::read(format!("/usr/bin/{}", observed.by)).is_ok_and(|content| content.starts_with(b"#!"));
    let stage =
        STAGES.iter().any(|(program, stages)| *program == observed.by && stages.split(' ').any(|one| one == name));
    // What a hook runs counts.
    let hook = observed.by == "git" && observed.target.contains("/hooks/");
    hook || within(PARTS, &observed.target) || shell || stage || of_git || script()
}

/// A script is read by what runs it, and that it runs is an effect.
fn itself(observed: &ObservedAct) -> bool {
    observed.target.rsplit('/').next() == Some(observed.by.as_str())
}

pub(super) fn is_shell(program: &str) -> bool {
    matches!(program, "" | "sh" | "bash" | "dash")
}

/// What `git diff`, `git add -A` and the like look into without being told a name: files of the project, and
/// nothing of them leaves it that way. A policy that denies one of them does not mean every `git diff` by it.
fn compared(observed: &ObservedAct, text: &str, jail: &Jail, template: &Jail) -> bool {
    let name = observed.target.rsplit('/').next().unwrap_or_default();
    let known = template.exists(&in_template(&observed.target, jail));
    observed.by == "git" && known && !text.contains(name) && !text.contains("grep") && !text.contains("no-index")
}

/// Which branch follows which is git's own; everything else in a repository's settings is not.
fn settings_changed(target: &str, jail: &Jail, template: &Jail) -> bool {
    let settings = |path| {
        let text = fs::read_to_string(path).unwrap_or_default();
        let mut kept = String::new();
        let mut branch = false;
        for line in text.lines() {
            branch = if line.starts_with('[') { line.starts_with("[branch ") } else { branch };
            if !branch {
                kept.push_str(line);
            }
        }
        kept
    };
    settings(jail.host_path(target)) != settings(template.host_path(&in_template(target, jail)))
}

/// Opening a directory lists it; that reads no content.
fn is_directory(target: &str, jail: &Jail, template: &Jail) -> bool {
    jail.host_path(target).is_dir() || template.host_path(&in_template(target, jail)).is_dir()
}

/// Files that were not there before, are not there afterwards, and have a name that nobody gave: `sed -i`, `sort`,
/// here-documents. Nobody else ever sees them.
fn passing(target: &str, text: &str, jail: &Jail, template: &Jail) -> bool {
    let name = target.rsplit('/').next().unwrap_or_default();
    !text.contains(name) && !jail.exists(target) && !template.exists(&in_template(target, jail))
}

/// The same file before the text ran.
pub(super) fn in_template(target: &str, jail: &Jail) -> String {
    let before = [(jail.directory(), WORKSPACE), (jail.home(), HOME)];
    let found = before.iter().find_map(|(now, before)| Some(format!("{before}{}", target.strip_prefix(now)?)));
    found.unwrap_or_else(|| target.to_owned())
}

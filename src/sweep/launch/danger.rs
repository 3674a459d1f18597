//! What a text for a shell does that nobody can look at beforehand: it runs what it downloads, or sends what it finds.

use super::options::program;
use super::script::{Command, commands};
use super::wrappers::{self, What};
use crate::sweep::hosts;

/// What is dangerous about a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Danger {
    /// What comes from an address is run without a look.
    RunsDownload,
    /// Something leaves the machine.
    Sends,
    /// It is decoded first, so that nobody reads it.
    Decodes,
}

const DOWNLOADS: &[&str] =
    &["curl", "wget", "fetch", "aria2c", "http", "https", "iwr", "irm", "invoke-webrequest", "invoke-restmethod"];
const INTERPRETERS: &[&str] = &[
    "sh",
    "bash",
    "zsh",
    "dash",
    "ksh",
    "fish",
    "ash",
    "python",
    "python3",
    "node",
    "perl",
    "ruby",
    "php",
    "deno",
    "bun",
    "pwsh",
    "powershell",
    "iex",
    "invoke-expression",
    "osascript",
    "eval",
    "source",
    ".",
];
/// They send what they are given, wherever it goes.
const SENDERS: &[&str] = &["nc", "ncat", "netcat", "telnet", "scp", "sftp", "rsync", "ftp", "tftp", "sendmail", "mail"];
/// Options by which a client sends a body.
const BODIES: &[&str] = &[
    "-d",
    "--data",
    "--data-raw",
    "--data-binary",
    "--data-urlencode",
    "--data-ascii",
    "--json",
    "-F",
    "--form",
    "-T",
    "--upload-file",
    "--post-file",
    "--post-data",
    "--body-file",
    "--body-data",
    "-body",
    "-infile",
];

/// All of them, each once.
pub(crate) fn dangers(text: &str) -> Vec<Danger> {
    let commands: Vec<Command> = commands(text).into_iter().map(unwrapped).collect();
    let mut found = Vec::new();
    if runs_download(&commands) || power_shell_download(text) {
        found.push(Danger::RunsDownload);
    }
    if commands.iter().any(sends) {
        found.push(Danger::Sends);
    }
    if runs_output(&commands, decodes) {
        found.push(Danger::Decodes);
    }
    // What another shell is given is text of its own.
    for text in commands.iter().filter_map(|command| scripted(&command.words)) {
        if text.len() < MOST {
            found.extend(dangers(&text));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Longer texts inside of texts are not read again.
const MOST: usize = 1 << 16;

fn scripted(words: &[String]) -> Option<String> {
    match wrappers::inner(words)?.what {
        What::Script(text) => Some(text),
        What::Words(_) => None,
    }
}

fn unwrapped(mut command: Command) -> Command {
    for _ in 0..super::DEEPEST {
        match wrappers::inner(&command.words) {
            Some(wrappers::Inner { what: What::Words(words), .. }) => command.words = words,
            _ => break,
        }
    }
    command
}

fn named(command: &Command, names: &[&str]) -> bool {
    command.words.first().is_some_and(|word| {
        let name = program(word);
        let bare = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
        names.contains(&name.as_str()) || names.contains(&bare)
    })
}

fn runs_download(commands: &[Command]) -> bool {
    runs_output(commands, |command| named(command, DOWNLOADS)) || runs_file(commands)
}

/// `curl … | sh`, `bash <(curl …)`, `sh -c "$(curl …)"`.
fn runs_output(commands: &[Command], brings: impl Fn(&Command) -> bool) -> bool {
    // By pipeline: the first stage that brings something. They come in order, so that one pass is enough.
    let mut brought: Option<(usize, usize)> = None;
    for command in commands {
        if brings(command) {
            if brought.is_none_or(|(pipeline, _)| pipeline != command.pipeline) {
                brought = Some((command.pipeline, command.stage));
            }
            let user = command.within.and_then(|at| commands.get(at));
            if user.is_some_and(|user| named(user, INTERPRETERS)) {
                return true;
            }
        } else if brought.is_some_and(|(pipeline, stage)| pipeline == command.pipeline && stage < command.stage)
            && named(command, INTERPRETERS)
        {
            return true;
        }
    }
    false
}

/// `curl -o x … && sh x`, `wget … ; chmod +x …`.
fn runs_file(commands: &[Command]) -> bool {
    let mut files: Vec<String> = Vec::new();
    for command in commands {
        let runs = named(command, INTERPRETERS) || named(command, &["chmod"]);
        let mut used = command.words.iter().skip(usize::from(runs)).take(if runs { usize::MAX } else { 1 });
        if used.any(|word| files.iter().any(|file| same_file(file, word))) {
            return true;
        }
        if named(command, DOWNLOADS) && files.len() < 16 {
            files.extend(saved(command));
        }
    }
    false
}

fn same_file(file: &str, word: &str) -> bool {
    let bare = |text: &str| text.trim_start_matches("./").trim_matches('"').to_owned();
    !file.is_empty() && bare(file) == bare(word)
}

/// Where a download ends up: behind `-o`, `-O` and `>`, or by the name in its address.
fn saved(command: &Command) -> Vec<String> {
    let options = ["-o", "--output", "-O", "--output-document", "-OutFile"];
    let behind = command.words.windows(2).filter_map(|pair| match pair {
        [option, file] if options.contains(&option.as_str()) || option.ends_with('o') && option.starts_with('-') => {
            Some(file.clone())
        }
        _ => None,
    });
    let of_address = command.words.iter().filter(|word| word.contains("://")).filter_map(|word| {
        let path = word.split(['?', '#']).next().unwrap_or(word);
        path.rsplit('/').next().filter(|name| !name.is_empty()).map(str::to_owned)
    });
    behind.chain(of_address).chain(command.written.iter().cloned()).collect()
}

/// `iex (iwr …)`: not a grammar of ours, but its words are plain.
fn power_shell_download(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let words = |names: &[&str]| {
        let mut words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-');
        words.any(|word| names.contains(&word))
    };
    words(&["iex", "invoke-expression"])
        && words(&["iwr", "irm", "invoke-webrequest", "invoke-restmethod", "downloadstring"])
}

fn sends(command: &Command) -> bool {
    let arguments = command.words.get(1..).unwrap_or_default();
    if named(command, SENDERS) {
        return leaves(command, arguments);
    }
    named(command, DOWNLOADS) && arguments.iter().any(|word| is_body(word)) && !stays(arguments)
}

/// What copies files sends them where one side is another machine.
fn leaves(command: &Command, arguments: &[String]) -> bool {
    if named(command, &["scp", "sftp", "rsync"]) {
        return arguments.iter().any(|word| !word.starts_with('-') && word.contains(':') && !word.contains(":\\"));
    }
    let listens = arguments.iter().any(|word| word.starts_with('-') && word.contains('l') || word == "-z");
    !listens && arguments.iter().any(|word| !word.starts_with('-') && !hosts::is_local_name(word))
}

fn is_body(word: &str) -> bool {
    let name = word.split_once('=').map_or(word, |(name, _)| name);
    BODIES.contains(&name)
        || BODIES.contains(&name.to_ascii_lowercase().as_str())
        || word.starts_with("-d@")
        || word.starts_with("-F") && word.contains('=')
}

/// All addresses are of this machine. What no address is seen of may go anywhere.
fn stays(arguments: &[String]) -> bool {
    let mut addresses = arguments.iter().filter(|word| word.contains("://")).peekable();
    if addresses.peek().is_some() {
        return addresses.all(|word| hosts::is_local_url(word));
    }
    let host = |word: &String| word.split([':', '/']).next().unwrap_or(word).to_owned();
    arguments.iter().map(host).any(|name| name == "localhost" || name.starts_with("127."))
}

fn decodes(command: &Command) -> bool {
    let has = |names: &[&str]| command.words.iter().any(|word| names.contains(&word.as_str()));
    named(command, &["base64"]) && has(&["-d", "-D", "--decode"])
        || named(command, &["xxd"]) && has(&["-r", "-rp", "-p"])
        || named(command, &["openssl"]) && has(&["-d"])
}

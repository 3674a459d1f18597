//! Programs that run another one: what they run.

use super::options::{Argument, Options, program};

/// What a wrapper runs.
pub(super) struct Inner {
    pub(super) what: What,
    pub(super) elevated: bool,
}

pub(super) enum What {
    Words(Vec<String>),
    /// Text for a shell.
    Script(String),
}

/// Wrappers that take options and then the command: their names, words that must follow, options with a value.
type Row = (&'static str, &'static [&'static str], &'static [&'static str]);

const PLAIN: &[Row] = &[
    ("nohup", &[], &[]),
    ("exec", &[], &["-a"]),
    ("command", &[], &[]),
    ("time", &[], &["-f", "-o"]),
    ("nice", &[], &["-n"]),
    ("stdbuf", &[], &["-i", "-o", "-e"]),
    ("setsid", &[], &[]),
    ("xvfb-run", &[], &["-s", "-n", "-e", "-f", "-p", "-w"]),
    ("unbuffer", &[], &[]),
    ("wsl", &[], &["-d", "--distribution", "-u", "--user", "--cd"]),
    ("start", &[], &[]),
    ("dotenv", &["run"], &["-f", "--file"]),
    ("dotenv", &[], &["-e", "-f", "-v", "-p", "-c"]),
    ("dotenvx", &["run"], &["-f", "--env-file", "-e", "--env"]),
    ("doppler", &["run"], &["-p", "--project", "-c", "--config", "-t", "--token"]),
    ("infisical", &["run"], &["--env", "--path", "--projectId", "--token"]),
    ("varlock", &["run"], &[]),
    ("teller", &["run"], &[]),
    ("chamber", &["exec"], &[]),
    ("asdf", &["exec"], &[]),
    ("rtx", &["exec"], &[]),
    ("op", &["run"], &["--env-file", "--account"]),
];

/// Wrappers whose own operands stand before `--`.
const DASHED: &[(&str, &str)] = &[
    ("mise", "exec"),
    ("mise", "x"),
    ("aws-vault", "exec"),
    ("chamber", "exec"),
    ("teleport", "exec"),
    ("devbox", "run"),
    ("flox", "activate"),
    ("nvm", "exec"),
];

/// Shells that read a text behind an option.
const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "ksh", "fish", "ash"];
/// Programs that bring what they run from outside.
const BRINGS: &[&str] = &[
    "npx", "bunx", "pnpx", "pnpm", "yarn", "npm", "bun", "uvx", "uv", "pipx", "docker", "podman", "nerdctl", "deno",
    "go", "nix", "dnx", "curl", "wget",
];

/// Whether a command starts something that comes from outside, whatever wraps it.
pub(super) fn brings(words: &[String]) -> bool {
    let mut words = words.to_vec();
    for _ in 0..super::DEEPEST {
        match inner(&words) {
            Some(Inner { what: What::Words(next), .. }) => words = next,
            Some(Inner { what: What::Script(_), .. }) => return true,
            None => break,
        }
    }
    words.first().is_some_and(|word| BRINGS.contains(&program(word).as_str()))
}

/// `None`: it wraps nothing.
pub(super) fn inner(words: &[String]) -> Option<Inner> {
    let (first, rest) = words.split_first()?;
    let name = program(first);
    let words = |words: &[String]| (!words.is_empty()).then(|| What::Words(words.to_vec()));
    let elevated = matches!(name.as_str(), "sudo" | "doas" | "pkexec" | "gsudo");
    let what = match name.as_str() {
        "sudo" | "doas" | "pkexec" | "gsudo" => {
            words(behind(rest, &["-u", "-g", "-h", "-p", "-C", "--user", "--group"]))
        }
        "env" => environment(rest),
        "timeout" => words(behind(rest, &["-k", "-s"])).and_then(|what| match what {
            What::Words(found) => words(found.get(1..)?),
            What::Script(_) => None,
        }),
        "direnv" if rest.first().is_some_and(|word| word == "exec") => words(rest.get(2..)?),
        "cmd" => command_prompt(rest),
        "powershell" | "pwsh" => power_shell(rest),
        name if SHELLS.contains(&name) => shell(rest),
        name => wrapped(name, rest).and_then(words),
    };
    what.map(|what| Inner { what, elevated })
}

fn wrapped<'w>(name: &str, rest: &'w [String]) -> Option<&'w [String]> {
    let second = rest.first().map(String::as_str);
    if DASHED.iter().any(|(program, verb)| *program == name && second == Some(*verb)) {
        let at = rest.iter().position(|word| word == "--")?;
        return rest.get(at + 1..);
    }
    let fits = |row: &&Row| row.0 == name && row.1.first().is_none_or(|verb| second == Some(*verb));
    let (_, verbs, valued) = PLAIN.iter().find(fits)?;
    Some(behind(rest.get(verbs.len()..)?, valued))
}

/// What stands behind the options.
fn behind<'w>(words: &'w [String], valued: &'static [&'static str]) -> &'w [String] {
    let mut options = Options::new(words, valued);
    loop {
        let before = options.rest();
        match options.next() {
            Some(Argument::Option { .. }) => {}
            Some(Argument::Operand(_)) => {
                let dashed = before.first().is_some_and(|word| word == "--");
                return before.get(usize::from(dashed)..).unwrap_or_default();
            }
            None => return &[],
        }
    }
}

/// `env -i A=1 npx …`, and `env -S "npx …"`.
fn environment(rest: &[String]) -> Option<What> {
    let mut rest = rest;
    if let Some(at) = rest.iter().position(|word| word == "-S" || word == "--split-string").filter(|at| *at < 3) {
        return rest.get(at + 1).map(|text| What::Script(text.clone()));
    }
    rest = behind(rest, &["-u", "--unset", "-C", "--chdir"]);
    let names = rest.iter().take_while(|word| word.contains('=') && !word.starts_with('=')).count();
    let rest = rest.get(names..)?;
    (!rest.is_empty()).then(|| What::Words(rest.to_vec()))
}

/// `cmd /d /s /c npx …`: the words behind `/c` are one line.
fn command_prompt(rest: &[String]) -> Option<What> {
    let at = rest.iter().position(|word| matches!(word.to_ascii_lowercase().as_str(), "/c" | "/k"))?;
    match rest.get(at + 1..)? {
        [] => None,
        [line] if line.contains(char::is_whitespace) => Some(What::Script(line.clone())),
        words => Some(What::Words(words.to_vec())),
    }
}

fn power_shell(rest: &[String]) -> Option<What> {
    let names = ["-command", "-c"];
    let at = rest.iter().position(|word| names.contains(&word.to_ascii_lowercase().as_str()))?;
    match rest.get(at + 1..)? {
        [] => None,
        words => Some(What::Script(words.join(" "))),
    }
}

/// `bash -lc "…"`, `sh -c …`.
fn shell(rest: &[String]) -> Option<What> {
    let reads = |word: &String| {
        word.strip_prefix('-').is_some_and(|letters| {
            letters.contains('c') && letters.len() <= 5 && letters.chars().all(|letter| letter.is_ascii_alphabetic())
        })
    };
    let at = rest.iter().take_while(|word| word.starts_with('-')).position(reads)?;
    rest.get(at + 1).map(|text| What::Script(text.clone()))
}

//! Programs that run others: `sudo`, `ssh`, `docker exec`.

/// Which options of a program have a value that is a word of its own.
enum Valued {
    /// These letters.
    Letters(&'static str),
    /// All but these letters, and long ones that [`SWITCHES`] lists.
    AllBut(&'static str),
}

struct Wrapper {
    names: &'static [&'static str],
    /// One of these follows.
    subcommands: &'static [&'static str],
    valued: Valued,
    /// How many operands stand before the program.
    operands: usize,
}

const fn wrapper(names: &'static [&'static str], letters: &'static str, operands: usize) -> Wrapper {
    Wrapper { names, subcommands: &[], valued: Valued::Letters(letters), operands }
}

static WRAPPERS: &[Wrapper] = &[
    wrapper(&["sudo", "doas"], "ugphCTrtUDR", 0),
    wrapper(&["env"], "uCS", 0),
    wrapper(&["timeout", "flock", "chroot"], "sk", 1),
    wrapper(&["nice", "ionice"], "nc", 0),
    wrapper(&["xargs", "parallel"], "InPLdasEj", 0),
    wrapper(&["nohup", "setsid", "unbuffer", "npx", "bunx", "uvx", "winpty", "proxychains", "watch"], "np", 0),
    wrapper(&["time", "exec", "command", "builtin", "stdbuf", "strace"], "aofioe", 0),
    wrapper(&["ssh"], "pilocLRDFJbEeImOQSWwB", 1),
    Wrapper {
        names: &["docker", "podman", "nerdctl", "docker-compose", "podman-compose"],
        subcommands: &["exec", "run"],
        valued: Valued::AllBut("ditPqT"),
        operands: 1,
    },
    Wrapper {
        names: &["poetry", "pipenv", "pipx", "uv", "bundle", "pnpm", "yarn", "npm"],
        subcommands: &["run", "exec", "dlx"],
        valued: Valued::Letters(""),
        operands: 0,
    },
];

/// Long options without a value, of those programs most of whose options have one.
const SWITCHES: &[&str] = &[
    "--detach",
    "--interactive",
    "--tty",
    "--rm",
    "--privileged",
    "--init",
    "--read-only",
    "--publish-all",
    "--quiet",
    "--no-healthcheck",
    "--oom-kill-disable",
    "--no-deps",
    "--no-TTY",
    "--build",
    "--service-ports",
    "--use-aliases",
    "--remove-orphans",
    "--sig-proxy",
    "--latest",
    "--replace",
];

/// Long options with a value, of the others.
const LONG: &[&str] = &[
    "--user",
    "--group",
    "--host",
    "--prompt",
    "--chdir",
    "--signal",
    "--kill-after",
    "--adjustment",
    "--max-args",
    "--max-procs",
    "--replace",
    "--unset",
    "--package",
];

/// Words of shells and of documents after which a command starts.
const OPENERS: &[&str] = &[
    "do", "then", "else", "elif", "if", "while", "until", "!", "{", "$", "#", ">", "%", "-", "*", "RUN", "CMD", "and",
];
const SHELLS: &[&str] = &[
    "sh",
    "bash",
    "zsh",
    "dash",
    "ksh",
    "fish",
    "ash",
    "su",
    "cmd",
    "powershell",
    "pwsh",
    "script",
    "busybox",
    "runuser",
];
/// Programs for which the words behind `--` are paths or patterns.
const OF_FILES: &[&str] =
    &["git", "grep", "rg", "ls", "cat", "rm", "cp", "mv", "mkdir", "touch", "tar", "find", "head", "tail", "chmod"];

/// Whether a shell would run the word that follows these.
pub(super) fn leaves_a_program(words: &[&str]) -> bool {
    let mut rest = words;
    while let Some((first, behind)) = rest.split_first() {
        let name = first.rsplit(['/', '\\']).next().unwrap_or_default();
        if is_assignment(first) || OPENERS.contains(first) || first.ends_with(':') {
            rest = behind;
        } else if SHELLS.contains(&name.trim_end_matches(".exe"))
            && behind.last().is_some_and(|word| takes_command(word))
        {
            return true;
        } else if let Some(wrapper) = WRAPPERS.iter().find(|wrapper| wrapper.names.contains(&name)) {
            let Some(left) = wrapper.behind(behind) else { return false };
            rest = left;
        } else {
            let dashes = behind.iter().position(|word| *word == "--").filter(|_| !OF_FILES.contains(&name));
            let Some(left) = dashes.and_then(|at| behind.get(at + 1..)) else { return false };
            rest = left;
        }
    }
    true
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

/// `-c`, `-lc`, `/c`, `-Command`.
fn takes_command(option: &str) -> bool {
    let option = option.to_ascii_lowercase();
    matches!(option.as_str(), "/c" | "-command" | "--command") || option.starts_with('-') && option.ends_with('c')
}

impl Wrapper {
    /// The rest behind its options and operands. `None`: these aren't complete.
    fn behind<'w, 't>(&self, words: &'w [&'t str]) -> Option<&'w [&'t str]> {
        let mut rest = words;
        if !self.subcommands.is_empty() {
            let at = rest.iter().position(|word| self.subcommands.contains(word))?;
            rest = rest.get(at + 1..)?;
        }
        let mut operands = self.operands;
        loop {
            match rest.split_first() {
                Some((&"--", behind)) => rest = behind,
                Some((word, behind)) if word.starts_with('-') => {
                    rest = if self.is_valued(word) { behind.get(1..)? } else { behind };
                }
                Some((_, behind)) if operands > 0 => {
                    operands -= 1;
                    rest = behind;
                }
                _ => return (operands == 0).then_some(rest),
            }
        }
    }

    fn is_valued(&self, option: &str) -> bool {
        if option.starts_with("--") {
            return !option.contains('=')
                && match self.valued {
                    Valued::Letters(_) => LONG.contains(&option),
                    Valued::AllBut(_) => !SWITCHES.contains(&option),
                };
        }
        let letters = option.trim_start_matches('-');
        match self.valued {
            Valued::Letters(valued) => letters.len() == 1 && valued.contains(letters),
            // More than one letter: switches together, or a value that is glued to its option.
            Valued::AllBut(switches) => letters.len() == 1 && !switches.contains(letters),
        }
    }
}

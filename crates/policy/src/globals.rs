//! What programs' options are: those that stand before a subcommand and take the next word, and what single letters mean.

use agent_strace_effects::Argument;

/// Program → its global options with a separate value. A program that stands here is strict about its other options:
/// they take no value.
const TABLE: &[(&str, &[&str])] = &[
    (
        "git",
        &["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--attr-source"],
    ),
    (
        "docker",
        &["-c", "--context", "-H", "--host", "-l", "--log-level", "--config", "--tlscacert", "--tlscert", "--tlskey"],
    ),
    ("podman", &["-c", "--connection", "--url", "--log-level", "--root", "--runroot", "--storage-driver"]),
    (
        "kubectl",
        &[
            "-n",
            "--namespace",
            "--context",
            "--cluster",
            "--user",
            "--kubeconfig",
            "-s",
            "--server",
            "--as",
            "--as-group",
            "--token",
            "--request-timeout",
            "--cache-dir",
            "-v",
        ],
    ),
    ("helm", &["-n", "--namespace", "--kube-context", "--kubeconfig", "--registry-config", "--repository-config"]),
    ("npm", &["--prefix", "-w", "--workspace", "--registry", "--loglevel", "--userconfig", "-C", "--cache", "--tag"]),
    ("pnpm", &["-C", "--dir", "--filter", "-F", "--loglevel", "--reporter"]),
    ("yarn", &["--cwd", "--registry", "--cache-folder"]),
    ("cargo", &["--color", "--config", "-C", "-Z", "--manifest-path", "--target-dir"]),
    ("gh", &["-R", "--repo", "--hostname"]),
    (
        "gcloud",
        &["--project", "--account", "--configuration", "--format", "--verbosity", "--impersonate-service-account"],
    ),
    ("aws", &["--profile", "--region", "--output", "--endpoint-url", "--query", "--ca-bundle", "--color"]),
    ("systemctl", &["-H", "--host", "-M", "--machine", "-t", "--type", "-p", "--property"]),
    ("pip", &["--python", "--log", "--proxy", "--cache-dir", "--timeout", "--retries"]),
    ("uv", &["--directory", "--project", "--config-file", "--cache-dir", "--color", "--python"]),
    ("rm", &[]),
    ("chmod", &[]),
    ("chown", &[]),
    ("mv", &[]),
    ("cp", &[]),
];

pub(super) enum Globals {
    /// These options take a value.
    Known(&'static [&'static str]),
    /// Any option may.
    Unknown,
}

pub(super) fn of(program: &str) -> Globals {
    TABLE.iter().find(|(name, _)| *name == program).map_or(Globals::Unknown, |(_, options)| Globals::Known(options))
}

/// The option stands before a subcommand, and takes the next word as its value.
pub fn takes_value(program: &str, option: &str) -> bool {
    TABLE.iter().any(|(name, options)| *name == program && options.contains(&option))
}

/// Long names of one-letter flags that mean the same wherever they exist.
const LONG: &[(char, &[&str])] = &[
    ('r', &["--recursive"]),
    ('R', &["--recursive"]),
    ('f', &["--force"]),
    ('a', &["--all"]),
    ('n', &["--dry-run"]),
    ('d', &["--delete"]),
    ('D', &["--delete"]),
    ('m', &["--message", "--move"]),
    ('u', &["--set-upstream"]),
    ('y', &["--yes"]),
    ('g', &["--global"]),
    ('q', &["--quiet"]),
    ('v', &["--verbose"]),
];

fn long_names(flag: char) -> &'static [&'static str] {
    LONG.iter().find(|(short, _)| *short == flag).map_or(&[], |(_, names)| names)
}

/// One-letter flags of a program, and of some of its subcommands.
struct Letters {
    program: &'static str,
    /// Empty: wherever they stand.
    subcommands: &'static [&'static str],
    long: &'static [(char, &'static str)],
    /// What follows these in the same word is a value.
    valued: &'static str,
}

/// What the table above does not know, or knows otherwise, from the programs' own manuals.
const OWN: &[Letters] = &[
    Letters {
        program: "git",
        subcommands: &["commit"],
        long: &[('n', "--no-verify"), ('S', "--gpg-sign"), ('F', "--file"), ('C', "--reuse-message")],
        valued: "mFCct",
    },
    Letters { program: "git", subcommands: &["am"], long: &[('n', "--no-verify")], valued: "" },
    Letters { program: "git", subcommands: &["clean"], long: &[('x', "--ignored")], valued: "e" },
    Letters {
        program: "curl",
        subcommands: &[],
        long: &[
            ('k', "--insecure"),
            ('d', "--data"),
            ('F', "--form"),
            ('T', "--upload-file"),
            ('o', "--output"),
            ('O', "--remote-name"),
            ('X', "--request"),
            ('x', "--proxy"),
            ('K', "--config"),
            ('H', "--header"),
            ('u', "--user"),
            ('L', "--location"),
        ],
        valued: "dFToXxKHu",
    },
    Letters {
        program: "wget",
        subcommands: &[],
        long: &[('O', "--output-document"), ('i', "--input-file"), ('P', "--directory-prefix"), ('e', "--execute")],
        valued: "OiPe",
    },
    Letters { program: "sed", subcommands: &[], long: &[('i', "--in-place"), ('e', "--expression")], valued: "ie" },
    Letters { program: "tar", subcommands: &[], long: &[('x', "--extract"), ('c', "--create")], valued: "fC" },
    Letters { program: "rsync", subcommands: &[], long: &[('e', "--rsh")], valued: "e" },
    Letters {
        program: "docker",
        subcommands: &["run", "create"],
        long: &[('v', "--volume"), ('e', "--env"), ('p', "--publish"), ('P', "--publish-all")],
        valued: "vepw",
    },
    Letters {
        program: "podman",
        subcommands: &["run", "create"],
        long: &[('v', "--volume"), ('e', "--env"), ('p', "--publish"), ('P', "--publish-all")],
        valued: "vepw",
    },
    Letters {
        program: "kubectl",
        subcommands: &[],
        long: &[('f', "--filename"), ('A', "--all-namespaces"), ('n', "--namespace"), ('k', "--kustomize")],
        valued: "fnkl",
    },
    Letters {
        program: "pip",
        subcommands: &[],
        long: &[('r', "--requirement"), ('e', "--editable"), ('i', "--index-url"), ('t', "--target")],
        valued: "reit",
    },
];

/// The flag's long names for this program, where its arguments are these.
pub(super) fn own_long_names<'a>(
    program: &'a str,
    arguments: &'a [Argument],
    flag: char,
) -> impl Iterator<Item = &'static str> {
    let stands = move |row: &&Letters| {
        let named = |argument: &Argument| argument.known && row.subcommands.contains(&argument.text.as_str());
        row.program == program && (row.subcommands.is_empty() || arguments.iter().any(named))
    };
    let own = OWN.iter().filter(stands).flat_map(|row| row.long).filter(move |(short, _)| *short == flag);
    long_names(flag).iter().copied().chain(own.map(|(_, long)| *long))
}

/// The letters of `-abc` that are flags: a value may stand behind one of them.
pub(super) fn letters<'f>(flag: &'f str, program: &str, arguments: &[Argument]) -> impl Iterator<Item = char> + 'f {
    // A subcommand that stands elsewhere may be the value of another option.
    let first = arguments.first().filter(|argument| argument.known).map_or("", |argument| argument.text.as_str());
    let own =
        |row: &&Letters| row.program == program && (row.subcommands.is_empty() || row.subcommands.contains(&first));
    let valued = OWN.iter().find(own).map_or("", |row| row.valued);
    let mut ended = false;
    flag.chars().skip(1).take_while(move |letter| !std::mem::replace(&mut ended, valued.contains(*letter)))
}

/// Programs whose options have one dash and many letters: `-delete` is one option there, not six flags.
const ONE_DASH: &[&str] =
    &["find", "java", "javac", "go", "terraform", "tofu", "openssl", "gcc", "clang", "ffmpeg", "convert"];

pub(super) fn has_one_dash_options(program: &str) -> bool {
    ONE_DASH.contains(&program)
}

/// What stands behind an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    Nothing,
    Value,
}

/// Program → global options that choose where or how loudly it works, and no more: an allow looks through them. With a
/// `=` they take a value. What can bring configuration along (`git -c`, `cargo --config`) is not here.
const HARMLESS: &[(&str, &[&str])] = &[
    ("git", &["-C=", "--git-dir=", "--work-tree=", "--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs"]),
    ("docker", &["-c=", "--context=", "-l=", "--log-level=", "-D", "--debug"]),
    ("podman", &["-c=", "--connection=", "--log-level="]),
    ("kubectl", &["-n=", "--namespace=", "--context=", "--cluster=", "--request-timeout=", "-v="]),
    ("helm", &["-n=", "--namespace=", "--kube-context=", "--debug"]),
    ("npm", &["--prefix=", "-w=", "--workspace=", "--loglevel=", "-C=", "-s", "--silent", "-q", "--quiet"]),
    (
        "pnpm",
        &[
            "-C=",
            "--dir=",
            "--filter=",
            "-F=",
            "--loglevel=",
            "--reporter=",
            "-r",
            "--recursive",
            "-w",
            "-s",
            "--silent",
        ],
    ),
    ("yarn", &["--cwd=", "-s", "--silent"]),
    (
        "cargo",
        &[
            "--color=",
            "-C=",
            "--manifest-path=",
            "-q",
            "--quiet",
            "-v",
            "-vv",
            "--verbose",
            "--locked",
            "--offline",
            "--frozen",
        ],
    ),
    ("gh", &["-R=", "--repo=", "--hostname="]),
    ("gcloud", &["--project=", "--format=", "--verbosity=", "-q", "--quiet"]),
    ("aws", &["--region=", "--output=", "--query=", "--color=", "--no-cli-pager"]),
    ("systemctl", &["-t=", "--type=", "-p=", "--property=", "--no-pager", "-q", "--quiet", "--user"]),
    ("node", &["--input-type=", "--no-warnings", "--trace-warnings", "--enable-source-maps"]),
    ("python", &["-B", "-E", "-I", "-O", "-S", "-q", "-s", "-u"]),
    ("python3", &["-B", "-E", "-I", "-O", "-S", "-q", "-s", "-u"]),
    ("pip", &["--timeout=", "--retries=", "-q", "--quiet", "-v", "--verbose"]),
    ("uv", &["--directory=", "--project=", "--color=", "-q", "--quiet", "-v", "--verbose", "--offline"]),
];

/// Whether the option may stand in front of a subcommand that is allowed, and what stands behind it.
pub(super) fn harmless(program: &str, option: &str) -> Option<Takes> {
    if program == "cargo" && option.starts_with('+') {
        return Some(Takes::Nothing);
    }
    let (_, options) = HARMLESS.iter().find(|(name, _)| *name == program)?;
    let name = option.split('=').next().unwrap_or(option);
    let attached = name.len() < option.len();
    options.iter().find_map(|known| match known.strip_suffix('=') {
        Some(known) if known == name => Some(if attached { Takes::Nothing } else { Takes::Value }),
        None if *known == option => Some(Takes::Nothing),
        _ => None,
    })
}

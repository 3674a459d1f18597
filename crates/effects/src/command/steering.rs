//! Variables of the environment that decide what programs run, by their names and values.

use super::knowledge::{Language, Role, names};

/// Variables that name the tools of a build, or what runs them.
const TOOLS: &[&str] = &[
    "CC",
    "CXX",
    "CPP",
    "LD",
    "AR",
    "AS",
    "FC",
    "RUSTFLAGS",
    "CARGO_ENCODED_RUSTFLAGS",
    "GCONV_PATH",
    "LD_DEBUG_OUTPUT",
    "LD_PROFILE",
    "GIT_ASKPASS",
    "SSH_ASKPASS",
];

pub(super) fn names_tool(name: &str) -> bool {
    TOOLS.contains(&name)
}

/// Where systems keep their compilers.
const OF_COMPILERS: &[&str] = &["/usr/bin/", "/bin/", "/usr/local/bin/"];

/// A compiler by its bare name or in a folder of the system, flags that choose no program: what developers set every day.
pub(super) fn is_plain_tool(name: &str, value: &str) -> bool {
    match name {
        "RUSTFLAGS" | "CARGO_ENCODED_RUSTFLAGS" => {
            !["linker=", "plugin", "runner", "-Zcodegen-backend"].iter().any(|option| value.contains(option))
        }
        "GCONV_PATH" | "LD_DEBUG_OUTPUT" | "LD_PROFILE" => value.is_empty(),
        "GIT_ASKPASS" | "SSH_ASKPASS" => {
            matches!(value, "" | "true" | "echo" | "/bin/true" | "/bin/echo" | "/usr/bin/true")
        }
        _ => {
            let program = value.split_whitespace().next().unwrap_or_default();
            let program = OF_COMPILERS.iter().find_map(|place| program.strip_prefix(place)).unwrap_or(program);
            [
                "cc", "c++", "gcc", "g++", "clang", "clang++", "cpp", "ld", "lld", "mold", "ar", "as", "musl-gcc",
                "ccache", "sccache",
            ]
            .iter()
            .any(|known| program.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '-' | '.')) == *known)
                || program.is_empty()
        }
    }
}

/// Shell text that a value makes other programs run.
pub(super) fn commands(name: &str, value: &str) -> Vec<String> {
    match name {
        // Expanded each time a prompt or a traced line is shown.
        "PS0" | "PS1" | "PS2" | "PS4" => vec![format!(": \"{}\"", value.replace('"', "\\\""))],
        "TAR_OPTIONS" => value
            .split_once("exec=")
            .map(|(_, command)| command.trim_matches(['"', '\'']).to_owned())
            .into_iter()
            .collect(),
        "MAKEFLAGS" | "GNUMAKEFLAGS" => {
            let calls = value.split("$(shell ").skip(1).take(16);
            calls.map(|call| call.split(')').next().unwrap_or_default().to_owned()).collect()
        }
        "LESSOPEN" | "LESSCLOSE" => vec![value.trim_start_matches(['|', '-']).to_owned()],
        "GIT_ASKPASS"
        | "SSH_ASKPASS"
        | "SUDO_ASKPASS"
        | "GIT_SSH"
        | "RUSTC_WRAPPER"
        | "RUSTC"
        | "RUSTC_WORKSPACE_WRAPPER"
        | "CC"
        | "CXX"
        | "LD"
        | "BROWSER" => vec![value.to_owned()],
        _ if name.starts_with("GIT_CONFIG_VALUE") => vec![value.trim_start_matches('!').to_owned()],
        _ if name.starts_with("BASH_FUNC_") => {
            value.trim_start().strip_prefix("()").map(str::trim).map(str::to_owned).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Modules that options in a variable make interpreters load.
pub(super) fn preloads<'v>(name: &str, value: &'v str) -> Vec<(Language, &'v str)> {
    let (language, options): (_, &[&str]) = match name {
        "NODE_OPTIONS" => (Language::Javascript, &["--require", "--import", "--loader", "--experimental-loader", "-r"]),
        "RUBYOPT" => (Language::Ruby, &["-r"]),
        "PERL5OPT" => (Language::Perl, &["-M", "-m"]),
        _ => return Vec::new(),
    };
    let mut found = Vec::new();
    let mut words = value.split_whitespace();
    while let Some(word) = words.next() {
        let Some(rest) = options.iter().find_map(|option| word.strip_prefix(option)) else { continue };
        let module = if rest.is_empty() { words.next() } else { Some(rest.trim_start_matches('=')) };
        found.extend(module.map(|module| (language, module)));
    }
    found
}

/// Variables that say where programs put scratch files.
pub(super) fn places_scratch(name: &str) -> bool {
    matches!(name, "TMPDIR" | "TMP" | "TEMP")
}

/// Variables that name a host between clients and the hosts they talk to.
pub(super) fn names_proxy(name: &str) -> bool {
    ["http_proxy", "https_proxy", "all_proxy", "ftp_proxy"].iter().any(|proxy| name.eq_ignore_ascii_case(proxy))
}

/// Variables that make programs run other code than their arguments say.
const STEERING: &[&str] = &[
    "BASH_ENV",
    "ENV",
    "PATH",
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "LD_AUDIT",
    "PAGER",
    "EDITOR",
    "VISUAL",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PYTHONSTARTUP",
    "PYTHONPATH",
    "PYTHONHOME",
    "PERL5OPT",
    "PERL5LIB",
    "PERL5DB",
    "RUBYOPT",
    "RUBYLIB",
    "PROMPT_COMMAND",
    "SHELL",
    "BROWSER",
    "LESSOPEN",
    "LESSCLOSE",
    "MANPAGER",
    "BAT_PAGER",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "RUSTC_WRAPPER",
    "RUSTC",
    "RUSTC_WORKSPACE_WRAPPER",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "MAVEN_OPTS",
    "GRADLE_OPTS",
    "PYTHONINSPECT",
    "PYTHONBREAKPOINT",
    "RIPGREP_CONFIG_PATH",
    "PS0",
    "PS1",
    "PS2",
    "PS4",
    "TAR_OPTIONS",
    "RSYNC_RSH",
    "MAKEFLAGS",
    "SHELLOPTS",
    "BASHOPTS",
    "ZDOTDIR",
];

/// Variables of version control that do so.
const STEERING_VCS: &[&str] = &[
    "GIT_EXTERNAL_DIFF",
    "GIT_PAGER",
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "GIT_ASKPASS",
    "GIT_PROXY_COMMAND",
    "GIT_EXEC_PATH",
    "GIT_TEMPLATE_DIR",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_COMMON_DIR",
    "HGEDITOR",
    "GH_PAGER",
    "GH_EDITOR",
];

pub(super) fn steers(name: &str) -> bool {
    let prefixes = ["DYLD_", "GIT_CONFIG", "BASH_FUNC_", "GIT_SSH", "CARGO_BUILD_RUSTC"];
    STEERING.contains(&name)
        || STEERING_VCS.contains(&name)
        || names_tool(name)
        || prefixes.iter().any(|prefix| name.starts_with(prefix))
        || name.starts_with("CARGO_TARGET_") && (name.ends_with("_RUNNER") || name.ends_with("_LINKER"))
        || names::variable(name).is_some_and(Role::runs)
}

/// Variables of these lists that name files which programs also write.
const WRITTEN: &[&str] = &["JULIA_DEPOT_PATH", "LD_DEBUG_OUTPUT", "LD_PROFILE", "ZDOTDIR"];

/// A variable that decides what programs run names a program or a folder of code: they read or run it, and write it never.
pub(super) fn is_only_run(name: &str) -> bool {
    let may_be_written = WRITTEN.contains(&name) || name.starts_with("GIT_CONFIG");
    let is_of_vcs = STEERING_VCS.contains(&name) && !holds_command(name) && name != "GIT_ASKPASS";
    steers(name) && !may_be_written && !is_of_vcs
}

/// Places of software that was installed before any session: of systems and their package managers, and folders of tools
/// below a home directory.
const INSTALLED: &[&str] =
    &["/usr/", "/bin/", "/sbin/", "/opt/", "/nix/", "/snap/", "/Library/", "/Applications/", "/System/", "~/."];

/// The folder or program lies where people install software.
pub(super) fn is_installed(path: &str) -> bool {
    INSTALLED.iter().any(|place| path.starts_with(place))
}

/// Its value is a command.
pub(super) fn holds_command(name: &str) -> bool {
    matches!(
        name,
        "PAGER"
            | "EDITOR"
            | "VISUAL"
            | "GIT_PAGER"
            | "GIT_EDITOR"
            | "GIT_SEQUENCE_EDITOR"
            | "GIT_EXTERNAL_DIFF"
            | "GIT_SSH_COMMAND"
            | "MANPAGER"
            | "BAT_PAGER"
            | "PROMPT_COMMAND"
            | "GH_PAGER"
            | "GH_EDITOR"
            | "RSYNC_RSH"
            | "GIT_PROXY_COMMAND"
            | "HGEDITOR"
            | "BROWSER"
    ) || names::variable(name) == Some(Role::Command)
}

/// What programs that know the variable do with the file or host that it names.
pub(super) fn names_target(name: &str) -> Option<Role> {
    names::variable(name).filter(|role| !role.runs())
}

/// The files or hosts that a variable names, each in its role.
pub(super) fn targets(role: Role, value: &str) -> Vec<(Role, String)> {
    if matches!(value, "" | "0" | "1" | "2" | "true" | "false" | "on" | "off" | "yes" | "no" | "none" | "direct") {
        return Vec::new();
    }
    if role.is_of_files() {
        let several = matches!(role, Role::Read) && !value.contains("://") && value.as_bytes().get(1) != Some(&b':');
        let parts = value.split(|character| several && character == ':').filter(|part| !part.is_empty());
        return parts.map(|part| (role, part.to_owned())).collect();
    }
    let is_local = |part: &str| {
        part.is_empty()
            || part.starts_with(['/', '.'])
            || ["unix:", "npipe:", "fd:"].iter().any(|it| part.starts_with(it))
    };
    let parts = value.split([',', '|', ' ']).filter(|part| !is_local(part) && !matches!(*part, "direct" | "off"));
    parts.map(|part| (if part.contains("://") { Role::Url } else { Role::Host }, part.to_owned())).collect()
}

/// Values that agents set so that no pager or editor opens.
pub(super) fn is_harmless(name: &str, value: &str) -> bool {
    let idle =
        matches!(value, "" | "cat" | "true" | ":" | "/bin/true" | "/usr/bin/true" | "/bin/cat" | "less" | "more");
    match name {
        "NODE_OPTIONS" => value.split_whitespace().all(|option| {
            option.starts_with("--max-old-space-size")
                || option.starts_with("--no-")
                || option == "--enable-source-maps"
        }),
        "GIT_SSH_COMMAND" | "PATH" | "LD_PRELOAD" | "LD_LIBRARY_PATH" => false,
        _ if names_tool(name) => is_plain_tool(name, value),
        "GIT_CONFIG_NOSYSTEM" | "GIT_CONFIG_GLOBAL" | "GIT_CONFIG_SYSTEM" => matches!(value, "1" | "/dev/null"),
        "PS0" | "PS1" | "PS2" => !value.contains("$(") && !value.contains('`'),
        "MAKEFLAGS" => value.split_whitespace().all(|flag| flag.starts_with("-j")),
        _ => idle && holds_command(name),
    }
}

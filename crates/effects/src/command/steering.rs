//! Variables of the environment that name tools or hold commands in a form of their own.

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

/// A compiler by its bare name, flags that choose no program: what developers set every day.
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
        "PS4" | "PS1" => vec![format!(": \"{}\"", value.replace('"', "\\\""))],
        "TAR_OPTIONS" => value
            .split_once("exec=")
            .map(|(_, command)| command.trim_matches(['"', '\'']).to_owned())
            .into_iter()
            .collect(),
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

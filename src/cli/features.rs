//! Parts of the program that a build may leave out, and the error of such a build for commands that need them.

use clap::error::{ContextKind, ContextValue};

use super::failure::Failure;

/// The commands that need a Cargo feature of this package, with its name. Releases are built with all features.
const COMMANDS: &[(&str, &str)] = &[
    ("gaps", "live"),
    ("guard", "live"),
    ("hook", "live"),
    ("mcp", "mcp"),
    ("record", "live"),
    ("record-http", "live"),
    ("setup", "live"),
    ("watch", "live"),
];

/// Whether `word` is a command of a build with all features only.
pub(super) fn has_command(word: &str) -> bool {
    COMMANDS.iter().any(|(command, _)| *command == word)
}

/// Explains a command line that names a command which this build was made without.
pub(super) fn left_out(error: &clap::Error) -> Option<Failure> {
    let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidSubcommand) else { return None };
    COMMANDS.iter().find(|(command, _)| command == name).map(|(command, feature)| missing(command, feature))
}

/// The answer to a request for `what`.
pub(super) fn missing(what: &str, feature: &str) -> Failure {
    Failure::new(format!("`{what}` is not part of this build: it needs the feature `{feature}`"))
        .hint(format!("releases have all features; `cargo install agent-strace --features {feature}` builds this one"))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::super::args::Cli;
    use super::COMMANDS;
    use crate::run;

    fn is_built(feature: &str) -> bool {
        match feature {
            "live" => cfg!(feature = "live"),
            "mcp" => cfg!(feature = "mcp"),
            "telemetry" => cfg!(feature = "telemetry"),
            other => panic!("{other} is not a feature"),
        }
    }

    fn answer(words: &[&str]) -> (u8, String) {
        let (mut out, mut error) = (Vec::new(), Vec::new());
        let words = std::iter::once("agent-strace").chain(words.iter().copied()).map(Into::into);
        let code = run(words, &mut std::io::empty(), &mut out, &mut error);
        (code, String::from_utf8(error).unwrap())
    }

    #[test]
    fn help_lists_the_commands_of_this_build() {
        let mut command = Cli::command();
        let help = command.render_help().to_string();
        for (name, feature) in COMMANDS {
            assert_eq!(help.contains(&format!("\n  {name} ")), is_built(feature), "{name}: {help}");
        }
    }

    #[test]
    fn a_command_of_another_build_names_its_feature() {
        for (name, feature) in COMMANDS.iter().filter(|(_, feature)| !is_built(feature)) {
            let expected = format!("error: `{name}` is not part of this build: it needs the feature `{feature}`\n");
            for words in [&[*name][..], &[*name, "--help"], &["--trace-dir", "store", *name, "--", "true"]] {
                let (code, error) = answer(words);
                // An agent takes exit code 2 of its hook for a refusal.
                let refused = if *name == "hook" { 1 } else { 2 };
                assert!(
                    code == refused && error.starts_with(&expected) && error.contains("hint: "),
                    "{words:?}: {error}"
                );
            }
        }
    }

    #[test]
    fn telemetry_of_another_build_names_its_feature() {
        if is_built("telemetry") {
            return;
        }
        for words in [&["--format", "otlp"][..], &["--metrics"], &["--endpoint", "http://localhost:4318"]] {
            let (code, error) = answer(&[&["export"], words].concat());
            assert!(code == 2 && error.contains("needs the feature `telemetry`"), "{words:?}: {error}");
        }
        let mut command = Cli::command();
        command.build();
        let help = command.find_subcommand_mut("export").unwrap().render_long_help().to_string();
        assert!(!help.to_ascii_lowercase().contains("otlp") && !help.contains("--endpoint"), "{help}");
    }
}

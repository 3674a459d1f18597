//! What is left of an agent that was killed: its post-mortem, and the command that is run with it.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::super::Streams;
use super::super::failure::Failure;
use super::super::output;
use super::super::redact::{PersonalData, Redactor, clean_text};
use super::alerts::Alerts;
use agent_strace_live::watch::{Death, PostMortem, SessionSnapshot};

const NAME: &str = "watchdog-postmortem.json";
/// What stands for the path in a command.
const PLACE: &str = "{post_mortem_path}";

/// Writes it beside the recording, or into the store where nothing was recorded.
pub(in crate::cli) fn write(folder: &Path, snapshot: &SessionSnapshot, death: &Death<'_>) -> Result<PathBuf, Failure> {
    let text = PostMortem::new(snapshot, death).text();
    let clean = clean_text(&Redactor::of_recorder(&[], PersonalData::Keep, false)?, &text)?;
    let path = folder.join(NAME);
    output::write_with_folder(&path, &clean)?;
    Ok(path)
}

/// Runs the command. The path is handed to the shell as a parameter: whatever it is called, it is never read as a command.
pub(in crate::cli) fn run(command: &str, path: &Path, alerts: &Alerts, streams: &mut Streams<'_>) {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let said = match shell(command).arg(&path).status() {
        Ok(status) => match status.code() {
            Some(0) => "the command of --on-death ended well".to_owned(),
            Some(code) => format!("the command of --on-death ended with exit code {code}"),
            None => "the command of --on-death was ended by a signal".to_owned(),
        },
        Err(error) => format!("the command of --on-death can't be run: {}", super::super::failure::reason(&error)),
    };
    alerts.note(&said, streams);
}

#[cfg(not(windows))]
#[expect(clippy::disallowed_methods, reason = "the command is the user's own, from the command line")]
fn shell(command: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(with_parameter(command)).arg("on-death");
    shell
}

#[cfg(windows)]
#[expect(clippy::disallowed_methods, reason = "the command is the user's own, from the command line")]
fn shell(command: &str) -> Command {
    let mut shell = Command::new("powershell");
    shell.args(["-NoProfile", "-Command"]).arg(format!("& {{ {} }}", command.replace(PLACE, "$args[0]")));
    shell
}

/// The path as the shell's first parameter. Quotes around its place would end ours.
#[cfg(not(windows))]
fn with_parameter(command: &str) -> String {
    let bare = [format!("'{PLACE}'"), format!("\"{PLACE}\"")]
        .iter()
        .fold(command.to_owned(), |command, quoted| command.replace(quoted.as_str(), PLACE));
    bare.replace(PLACE, "\"$1\"")
}

#[cfg(all(test, not(windows)))]
mod tests {
    use super::*;

    #[test]
    fn the_path_is_a_parameter_however_its_place_is_quoted() {
        for (command, expected) in [
            ("cat {post_mortem_path}", "cat \"$1\""),
            ("cat '{post_mortem_path}' >x", "cat \"$1\" >x"),
            ("cat \"{post_mortem_path}\"", "cat \"$1\""),
            ("true", "true"),
        ] {
            assert_eq!(with_parameter(command), expected);
        }
    }
}

//! The shell of a step: whether it runs the script, and what it does where a command fails.

use super::{Workflow, words};
use crate::doctor::answer::Fault;
use crate::doctor::script::Shell;
use crate::repo_audit::{member, program, text};
use agent_strace_policy::json::Value;

const ID: &str = "gate/shell";
/// Options without an effect on what is run and on the exit code.
const PLAIN: &[&str] = &["--noprofile", "--norc", "--login", "--posix"];

impl Workflow<'_> {
    /// The shell that a step, its job or its workflow names.
    pub(super) fn named_shell<'v>(&'v self, step: &'v Value, job: &'v Value) -> Option<&'v Value> {
        self.of_run(step, job, "shell")
    }

    /// A setting of a step with a script.
    pub(super) fn of_run<'v>(&'v self, step: &'v Value, job: &'v Value, name: &str) -> Option<&'v Value> {
        let by_default = |of: &'v Value| {
            let run = member(of, "defaults").and_then(|defaults| member(defaults, "run"));
            run.and_then(|run| member(run, name))
        };
        member(step, name).or_else(|| by_default(job)).or_else(|| by_default(&self.document.root))
    }

    /// The shell of a step that judges, or why its exit code can't be followed, and where.
    pub(super) fn shell<'v>(&'v self, step: &'v Value, job: &'v Value) -> Result<Shell, (Fault, &'v Value)> {
        let Some(named) = self.named_shell(step, job) else {
            let runners = member(job, "runs-on").map(words).unwrap_or_default();
            let is_windows = runners.iter().any(|label| label.to_ascii_lowercase().contains("windows"));
            if is_windows && !is_one_call(step) {
                let message =
                    "the script runs in PowerShell, which is not followed here: add `shell: bash`, or use the action";
                return Err((Fault::unknown(ID, message), step));
            }
            return Ok(Shell::PLAIN);
        };
        if matches!(text(named), Some("pwsh" | "powershell")) && is_one_call(step) {
            return Ok(Shell::BARE);
        }
        of(text(named).unwrap_or_default()).map_err(|fault| (fault, named))
    }
}

/// PowerShell ends with the exit code of the last program: a script of one plain call is followed there, too.
fn is_one_call(step: &Value) -> bool {
    let script = member(step, "run").and_then(text).unwrap_or_default().trim();
    let name = script.split_whitespace().next().unwrap_or_default();
    program(name) == "agent-strace" && !script.contains(['\n', ';', '|', '&', '`', '{', '('])
}

fn of(said: &str) -> Result<Shell, Fault> {
    match said {
        "bash" => return Ok(Shell::STRICT),
        "sh" => return Ok(Shell::PLAIN),
        _ => {}
    }
    let unknown =
        || Fault::unknown(ID, format!("nothing here says what the shell `{said}` makes of the script: use `bash`"));
    let words: Vec<&str> = said.split_whitespace().collect();
    let Some((first, options)) = words.split_first() else { return Err(unknown()) };
    if !["bash", "sh", "dash"].contains(&program(first).as_str()) || first.contains('/') && !first.starts_with('/') {
        return Err(unknown());
    }
    let mut shell = Shell::BARE;
    let mut rest = options.iter();
    let mut has_script = false;
    while let Some(option) = rest.next() {
        match *option {
            "{0}" => has_script = true,
            plain if PLAIN.contains(&plain) => {}
            letters if letters.starts_with('-') && letters.chars().skip(1).all(|letter| "euxolvi".contains(letter)) => {
                shell.stops_at_failure |= letters.contains('e');
                if letters.contains('o') {
                    match rest.next().copied() {
                        Some("pipefail") => shell.fails_with_pipe = true,
                        Some("errexit") => shell.stops_at_failure = true,
                        Some("nounset" | "xtrace") => {}
                        _ => return Err(unknown()),
                    }
                }
            }
            letters if letters.starts_with('-') && !letters.starts_with("--") && letters.contains(['n', 'c']) => {
                let message = format!("the shell `{said}` does not run the script: use `bash`");
                return Err(Fault::defeats(ID, message));
            }
            _ => return Err(unknown()),
        }
    }
    if has_script { Ok(shell) } else { Err(unknown()) }
}

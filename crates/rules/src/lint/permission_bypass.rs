//! The agent ran, or started another one, without anybody who could say no.

use std::collections::BTreeSet;

use super::context::LintContext;
use super::lint;
use crate::Hit;
use agent_strace_effects::{Kind, knowledge};

lint!(
    PERMISSION_BYPASS = LintPermissionBypass,
    "permission-bypass",
    Warning,
    "an agent ran in a mode that asks nobody for permission",
    [],
    look
);

/// Modes and sandboxes of agents in which nothing is asked and nothing is held back, as logs name them.
const MODES: &[&str] = &[
    // Claude Code.
    "bypassPermissions",
    // Codex: its sandbox, and what it calls the mode that has neither.
    "danger-full-access",
    "dangerFullAccess",
    // Gemini CLI, Qwen Code, Kimi.
    "yolo",
    // Copilot.
    "allow-all",
    // Droid.
    "auto-high",
    "skip-permissions-unsafe",
    // Goose.
    "auto",
];

/// Agents in which a mode of the same name means less.
const HARMLESS: &[(&str, &str)] = &[("codex", "auto"), ("claude-code", "auto"), ("amp", "auto"), ("cursor", "auto")];

/// Flags that start an agent in such a mode.
const FLAGS: &[&str] = &[
    "--dangerously-skip-permissions",
    "--allow-dangerously-skip-permissions",
    "--dangerously-bypass-approvals-and-sandbox",
    "--yolo",
    "--allow-all-tools",
    "--allow-all",
    "--skip-permissions-unsafe",
    "--dangerously-allow-all",
    "--trust-all-tools",
    "--yes-always",
];

/// The same of some agents only: their own short forms, and options with what they are set to.
const OF_AGENTS: &[(&[&str], &[&str])] = &[
    (&["claude"], &["--permission-mode=bypassPermissions"]),
    (&["codex"], &["-s=danger-full-access", "--sandbox=danger-full-access", "sandbox_mode=danger-full-access"]),
    (&["gemini", "qwen"], &["-y", "--approval-mode=yolo"]),
    (&["cursor-agent"], &["--force", "-f"]),
    (&["droid"], &["--auto=high"]),
    (&["crush", "kimi"], &["-y"]),
];

/// Programs that run packages.
const RUNNERS: &[&str] = &["npx", "bunx", "pnpx"];

/// Programs that are agents.
const AGENTS: &[&str] = &[
    "claude",
    "codex",
    "gemini",
    "qwen",
    "copilot",
    "cursor-agent",
    "droid",
    "amp",
    "goose",
    "opencode",
    "aider",
    "q",
    "kiro-cli",
    "kimi",
    "crush",
    "cline",
];

fn look(context: &LintContext<'_>, hits: &mut Vec<Hit>) {
    let session = context.session();
    let who = &session.attribution;
    let is_bypass = |mode: &str| {
        let harmless = HARMLESS.iter().any(|(agent, name)| *name == mode && session.agent.starts_with(agent));
        MODES.iter().any(|known| known.eq_ignore_ascii_case(mode)) && !harmless
    };
    let modes: BTreeSet<&str> = who
        .permission_modes
        .iter()
        .chain(who.sandboxes.iter())
        .map(AsRef::as_ref)
        .filter(|mode| is_bypass(mode))
        .collect();
    for mode in modes {
        let message = format!("the session ran in the mode `{mode}`: nobody was asked for permission");
        hits.push(context.whole(message, vec![("mode", mode.to_owned())]));
    }
    for call in &context.calls.list {
        for effect in call.done() {
            let Kind::Execute(execution) = &effect.kind else { continue };
            let words: Vec<&str> = execution.argv.iter().map(|word| word.text.as_str()).collect();
            if let Some((name, flag)) = bypass(&words) {
                let message = format!("starts `{name}` with `{flag}`: nobody is asked for permission");
                let about = vec![("program", name.to_owned()), ("flag", flag)];
                hits.push(context.hit(call.event..=call.event, message, about));
            }
        }
    }
}

/// The agent that a command starts without anybody who could say no, and the words that make it so.
pub fn bypass(words: &[&str]) -> Option<(&'static str, String)> {
    let (name, options) = agent(words)?;
    Some((name, flag(name, &options)?))
}

/// The agent that a command starts, and what it is started with.
fn agent<'w>(words: &[&'w str]) -> Option<(&'static str, Vec<&'w str>)> {
    let mut words = words.iter().copied();
    let program = words.next()?;
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    let name = [".exe", ".cmd"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
    if RUNNERS.contains(&name) {
        // What stands in front of the package is for the runner: its `-y` is no `-y` of the agent.
        let package = words.by_ref().find(|word| !word.starts_with('-'))?;
        return knowledge::agent_of_package(package).map(|agent| (agent, words.collect()));
    }
    AGENTS.iter().find(|known| **known == name).map(|agent| (*agent, words.collect()))
}

/// What of the options switches permissions off, as it is written.
fn flag(agent: &str, options: &[&str]) -> Option<String> {
    let own: Vec<&str> =
        OF_AGENTS.iter().filter(|(agents, _)| agents.contains(&agent)).flat_map(|(_, flags)| *flags).copied().collect();
    let mut pairs = options.iter().enumerate().map(|(index, word)| (*word, options.get(index + 1).copied()));
    pairs.find_map(|(word, next)| {
        let (option, value) = word.split_once('=').unwrap_or((word, "true"));
        let quoted = |text: &str| text.replace(['"', '\''], "");
        let apart = next.map(|next| format!("{word}={}", quoted(next)));
        if apart.is_some_and(|apart| own.contains(&apart.as_str())) {
            return next.map(|next| format!("{word} {next}"));
        }
        let is_set = FLAGS.contains(&option) && value != "false" || own.contains(&quoted(word).as_str());
        is_set.then(|| word.to_owned())
    })
}

//! The agent ran, or started another one, without anybody who could say no.

use std::collections::BTreeSet;

use super::lint;
use super::scene::Scene;
use crate::effects::Kind;
use crate::rules::Hit;

lint!(
    PERMISSION_BYPASS,
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

fn look(scene: &Scene<'_>, hits: &mut Vec<Hit>) {
    let session = scene.session();
    let who = &session.attribution;
    let is_bypass = |mode: &str| {
        let harmless = HARMLESS.iter().any(|(agent, name)| *name == mode && session.agent.starts_with(agent));
        MODES.iter().any(|known| known.eq_ignore_ascii_case(mode)) && !harmless
    };
    let modes: BTreeSet<&str> =
        who.permission_modes.iter().chain(&who.sandboxes).map(AsRef::as_ref).filter(|mode| is_bypass(mode)).collect();
    for mode in modes {
        let message = format!("the session ran in the mode `{mode}`: nobody was asked for permission");
        hits.push(scene.whole(message, vec![("mode", mode.to_owned())]));
    }
    for call in &scene.calls.list {
        for effect in call.done() {
            let Kind::Execute(execution) = &effect.kind else { continue };
            let Some(program) = execution.argv.first() else { continue };
            let name = program.text.rsplit('/').next().unwrap_or_default();
            let flag = execution.argv.iter().skip(1).find(|word| FLAGS.contains(&word.text.as_str()));
            if let (true, Some(flag)) = (AGENTS.contains(&name), flag) {
                let message = format!("starts `{name}` with `{}`: nobody is asked for permission", flag.text);
                let about = vec![("program", name.to_owned()), ("flag", flag.text.clone())];
                hits.push(scene.hit((call.event, call.event), message, about));
            }
        }
    }
}

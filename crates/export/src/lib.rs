//! A policy in the languages of agents' own engines, and an honest account of what these can't say.
//!
//! An export is a translation, and no other engine sees what the gate sees: they compare texts of commands and names of
//! files, where the policy judges what a call touches. So every target has three parts: the file, a list of what it can't
//! say ([`Residual`]), and an emulator of the engine as its documentation describes it. [`verify`] asks policy and
//! emulator about the same calls: wherever the engine would be weaker, the list has to say so.
//!
//! Two rules keep an export from opening anything: a deny may become wider, an allow only narrower; and an allow of a
//! command is written only where the policy would refuse no arguments of it, which the one evaluator says.
//!
//! This crate must not write files. Start with [`verify`] and one engine, such as `gemini`.

mod act;
mod answer;
mod claude;
mod codex;
mod copilot;
mod cursor;
mod drift;
mod escape;
mod example;
mod exported_policy;
mod gemini;
mod granted;
mod import;
mod matching;
mod opencode;
mod paths;
mod place;
mod qwen;
mod residual;
mod script;
mod spelling;
mod tokens;
mod verify;
mod vscode;

#[cfg(test)]
mod drift_tests;
#[cfg(test)]
mod fixture_tests;
#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod tests;

use agent_strace_policy::Policy;

pub use drift::{Drift, Excess, drift};
use exported_policy::ExportedPolicy;
pub use import::{Agent, Imported, LeftOut, Owner, Place, SettingsFault, SettingsFile, Weight, import};
pub use residual::{Of, Residual};
pub use verify::{Agreement, Compared, Difference, compare};

/// Whose language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    ClaudeCode,
    /// Rules of the execution policy.
    Codex,
    /// The permission profile that the rules are made for.
    CodexConfig,
    Gemini,
    /// `permission` of `opencode.json`.
    OpenCode,
    /// `permissions` of `.cursor/cli.json`.
    Cursor,
    /// Approvals in `settings.json` of VS Code.
    VsCode,
    /// Options of Copilot CLI.
    Copilot,
}

/// A file for an engine.
pub struct Export {
    /// What the file holds.
    pub text: String,
    pub residuals: Vec<Residual>,
    engine: Engine,
}

/// The emulator of the engine, with the rules that were written.
enum Engine {
    Claude(claude::Engine),
    Codex(codex::Engine),
    Gemini(gemini::Engine),
    Grants(import::GrantEngine),
}

/// Programs whose only purpose is the network.
const NETWORK_PROGRAMS: &[&str] =
    &["curl", "wget", "nc", "ncat", "netcat", "socat", "telnet", "ftp", "sftp", "ssh", "scp", "rsync"];

pub fn export(policy: &Policy, target: Target) -> Export {
    let exported = ExportedPolicy::new(policy);
    let mut export = translated(&exported, target);
    let reason = "where code comes from shows only in what the commands do together";
    let instead = "a command that may run may run such code";
    export.residuals.push(Residual { of: Of::ForeignCode, ways: residual::EVERY_WAY, reason, instead });
    if exported.version >= 2 {
        let reason = "defaults, variables, agents, budgets, sequences, rules and exceptions are not exported";
        let instead = "only the gate judges them";
        export.residuals.push(Residual { of: Of::Rest, ways: residual::EVERY_WAY, reason, instead });
    }
    export.residuals = residual::once(export.residuals);
    export
}

fn translated(exported: &ExportedPolicy<'_>, target: Target) -> Export {
    match target {
        Target::ClaudeCode => {
            let (settings, residuals) = claude::export(exported);
            Export { text: settings.text(), residuals, engine: Engine::Claude(claude::Engine::new(&settings)) }
        }
        Target::Codex | Target::CodexConfig => {
            let (codex, residuals) = codex::export(exported);
            let text = if target == Target::Codex { codex.rules_text() } else { codex.config_text() };
            Export { text, residuals, engine: Engine::Codex(codex::Engine::new(codex)) }
        }
        Target::Gemini => {
            let (rules, residuals) = gemini::export(exported);
            Export { text: rules.text(), residuals, engine: Engine::Gemini(gemini::Engine::new(&rules)) }
        }
        Target::OpenCode => read_back(Agent::OpenCode, "opencode.json", opencode::export(exported)),
        Target::Cursor => read_back(Agent::Cursor, ".cursor/cli.json", cursor::export(exported)),
        Target::VsCode => read_back(Agent::VsCode, ".vscode/settings.json", vscode::export(exported)),
        Target::Copilot => read_back(Agent::Copilot, "options", copilot::export(exported)),
    }
}

/// The file with the engine that reads it: what is emulated is what was written.
fn read_back(agent: Agent, path: &str, (text, tokens): (String, tokens::Tokens)) -> Export {
    let file = SettingsFile { path: path.to_owned(), text, owner: Owner::Project };
    let engine = import(agent, std::slice::from_ref(&file)).map(|imported| imported.engine);
    // A file that can't be read back lets nothing pass: it is a defect that tests find.
    let engine = engine.unwrap_or_else(|_| Engine::Grants(import::GrantEngine::refusing()));
    Export { text: file.text, residuals: tokens.residuals, engine }
}

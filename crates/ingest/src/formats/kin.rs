//! Agents that write another agent's format at a place of their own, and often say nowhere in it who they are.

use super::{Base, Format, Home, claude, codebuddy, codex, kimi, pi};
use agent_strace_model::{Dialect, Session};

/// An agent, the format that it shares, and where it keeps its logs.
#[derive(Debug)]
pub(crate) struct Kin {
    pub(crate) agent: &'static str,
    pub(crate) format: &'static Format,
    pub(crate) homes: &'static [Home],
}

pub(crate) static KIN: &[Kin] = &[
    Kin {
        agent: "openclaw",
        format: &pi::FORMAT,
        homes: &[
            Home {
                variables: &["OPENCLAW_STATE_DIR"],
                base: Base::Home,
                folder: ".openclaw",
                logs: "agents/*/sessions/*.jsonl*",
            },
            Home {
                variables: &["CLAWDBOT_STATE_DIR"],
                base: Base::Home,
                folder: ".clawdbot",
                logs: "agents/*/sessions/*.jsonl*",
            },
        ],
    },
    Kin { agent: "qclaw", format: &pi::FORMAT, homes: &[at_home(".qclaw", "agents/*/sessions/*.jsonl*")] },
    Kin { agent: "oh-my-pi", format: &pi::FORMAT, homes: &[at_home(".omp/agent", "sessions/**/*.jsonl")] },
    Kin { agent: "prime", format: &pi::FORMAT, homes: &[at_home(".prime/agent", "sessions/**/*.jsonl")] },
    Kin { agent: "iflow", format: &claude::FORMAT, homes: &[at_home(".iflow", "projects/**/*.jsonl")] },
    Kin { agent: "openclaude", format: &claude::FORMAT, homes: &[at_home(".openclaude", "projects/**/*.jsonl")] },
    Kin { agent: "qoder", format: &claude::FORMAT, homes: &[at_home(".qoder", "projects/**/*.jsonl")] },
    Kin { agent: "qoderwork", format: &claude::FORMAT, homes: &[at_home(".qoderwork", "projects/**/*.jsonl")] },
    Kin {
        agent: "claude-cowork",
        format: &claude::FORMAT,
        homes: &[Home {
            variables: &[],
            base: Base::Config,
            folder: "Claude/local-agent-mode-sessions",
            logs: "*/*/*/.claude/projects/**/*.jsonl",
        }],
    },
    Kin {
        agent: "traex",
        format: &codex::FORMAT,
        homes: &[
            at_home(".trae/cli", "sessions/**/rollout-*.jsonl*"),
            at_home(".trae/cli", "archived_sessions/**/rollout-*.jsonl*"),
        ],
    },
    Kin { agent: "workbuddy", format: &codebuddy::FORMAT, homes: &[at_home(".workbuddy", "projects/**/*.jsonl")] },
    Kin { agent: "kimi-work", format: &kimi::FORMAT, homes: &[at_home(".kimi-work", "sessions/**/wire.jsonl")] },
];

const fn at_home(folder: &'static str, logs: &'static str) -> Home {
    Home { variables: &[], base: Base::Home, folder, logs }
}

/// Names the agents of sessions whose log names none: by the place of the log, or of the work.
pub(crate) fn name(sessions: &mut [Session<'_>], shown: &str) {
    for session in sessions.iter_mut().filter(|session| session.agent == session.dialect.agent) {
        // OpenClaw works in a folder of its own home; others may have worked in anybody's.
        let workspace = session.root.as_deref().filter(|_| session.dialect.name == pi::FORMAT.dialect.name);
        let places = [Some(shown), workspace];
        let named = places.into_iter().flatten().find_map(|place| of_place(place, session.dialect));
        if let Some(agent) = named {
            session.agent = agent.into();
        }
    }
}

/// The agent in whose folder a path lies.
fn of_place(path: &str, dialect: &Dialect) -> Option<&'static str> {
    let path = format!("/{}/", path.replace('\\', "/"));
    let lies_in = |home: &Home| path.contains(&format!("/{}/", home.folder));
    let kin = KIN.iter().filter(|kin| kin.format.dialect.name == dialect.name);
    kin.filter(|kin| kin.homes.iter().any(lies_in)).map(|kin| kin.agent).next()
}

#[cfg(test)]
mod tests {
    use super::of_place;
    use crate::formats::{claude, pi};

    #[test]
    fn places_name_their_agents() {
        for (path, dialect, expected) in [
            ("/home/ann/.openclaw/agents/main/sessions/a.jsonl", &pi::FORMAT.dialect, Some("openclaw")),
            ("C:\\Users\\ann\\.openclaw\\workspace", &pi::FORMAT.dialect, Some("openclaw")),
            ("home.zip/.omp/agent/sessions/x/a.jsonl", &pi::FORMAT.dialect, Some("oh-my-pi")),
            (".iflow/projects/p/session-1.jsonl", &claude::FORMAT.dialect, Some("iflow")),
            ("/home/ann/.openclaw/agents/main/sessions/a.jsonl", &claude::FORMAT.dialect, None),
            ("/home/ann/x.openclaw/a.jsonl", &pi::FORMAT.dialect, None),
        ] {
            assert_eq!(of_place(path, dialect), expected, "{path}");
        }
    }
}

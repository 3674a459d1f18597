//! agent-strace: the gate between AI coding agents and your main branch.
//!
//! It reads what an agent *did* (session logs of any agent), works out every file, command, host and tool each
//! call touched, judges that by the policy committed in the repository, and fails the build when something stepped
//! outside. It proves what it judged and says what it could not judge.
//!
//! # Map
//!
//! ```text
//! bytes ─ingest→ Session + Gaps ─effects→ Effects ─engine(policy, rules)→ Outcome ─secrets→ Report ─report→ bytes
//!                                                                             └──────────────→ exit code
//! ```
//!
//! This package is the command line: arguments, files, exit codes. The libraries are in `crates/`, one for each idea, and
//! each starts with a paragraph that says what it is for, what it must not know, and where to begin reading. They depend on
//! each other in one direction only, which Cargo enforces; from the bottom up:
//!
//! | crate | what it is for |
//! |---|---|
//! | [`agent_strace_model`] | plain data: sessions, calls, gaps, findings, prices |
//! | `agent_strace_shell` | shell text to commands: grammar and expansion, not what a program means |
//! | [`agent_strace_secrets`] | secrets and personal data: detection, redaction, anonymization |
//! | [`agent_strace_git`] | git objects, commits and change sets |
//! | [`agent_strace_ingest`] | bytes of a log to sessions and gaps, one folder for each format |
//! | [`agent_strace_effects`] | a tool call to the files, commands, hosts and tools that it touched |
//! | [`agent_strace_session_view`] | a session as its user saw it: conversations, turns, steps, tools, billing |
//! | [`agent_strace_policy`] | `.agent-scope.json` and the other settings to a policy that judges effects, or to diagnostics |
//! | [`agent_strace_metrics`] | everything that is counted of one session |
//! | [`agent_strace_rules`] | checks with a memory: a static, a function and a Markdown document for each; lint and eval |
//! | [`agent_strace_engine`] | applies policy and rules; order, counts, verdict; policy tests, backtests, generated policies |
//! | [`agent_strace_store`] | the native store of sessions, and how long they are kept |
//! | [`agent_strace_live`] | hooks, MCP traffic and rules for sessions that still run (feature `live`) |
//! | [`agent_strace_telemetry`] | sessions as OpenTelemetry messages (feature `telemetry`) |
//! | [`agent_strace_export`] | policies in the formats of agents' own engines |
//! | [`agent_strace_repos`] | repositories: AI tools, MCP servers and endpoints in use, and the gate in CI |
//! | [`agent_strace_report`] | renders an outcome, one file for each format, one escaping step for each target |
//!
//! # Invariants
//!
//! 1. A pass is printed only when every input in scope was read and judged. What can't be read is a
//!    [`Gap`](agent_strace_model::Gap); what can't be understood is an opaque effect. Both are counted in every report.
//! 2. One evaluator: every command that gives an opinion goes through [`agent_strace_effects`] and [`agent_strace_policy`].
//! 3. Same bytes in, same bytes out: no clock, no hash-map order, no thread order, no locale.
//! 4. A finding names two places: the act, and the policy line that judged it.
//! 5. Log text is hostile: it reaches an output only through one redacting and one escaping step.
//! 6. Nothing that a repository or a log names is executed, fetched or followed out of the store. Histories may be read by
//!    the `git` program of the machine, which is kept from starting anything itself. Two commands send what they read,
//!    to addresses that their user gave: `export` (`--endpoint`, `--backend`) and `watch` (`--stream-to`, `--webhook`),
//!    both through `cli::http`. `record-http` passes requests on to the server that its user named.
//! 7. Policy is order-free: deny > ask > allow > default.
//! 8. Rules don't print, renderers don't judge, ingest doesn't guess. Only this package, `agent_strace_ingest::discover`,
//!    `agent_strace_policy::load_file`, `agent_strace_repos::repo_audit`, [`agent_strace_store`] and [`agent_strace_git`]
//!    touch the outside world. The user names what `record` starts or connects to.
//!
//! # Where this departs from the usual
//!
//! - **Its own shell parser.** A parser crate was measured: nested `${x:-` and braces hang it, and repeated `time`
//!   overflows its stack, either of which a log can contain. Ours is bounded in depth and time, and is held against an
//!   independent parser and, through what bash really does, against strace.
//! - **Its own pattern automata.** A policy needs matching, intersection (does a deny touch this glob?) and inclusion
//!   (does an allow prove it?), and the three must agree, so they are one mechanism. Glob libraries only match.
//! - **Its own scanner for log records.** It validates what `serde_json` validates (a property test compares them) and
//!   leaves values as slices of the log; reading the native store that way takes about half the time. Everything else
//!   is (de)serialised by `serde_json`, which also words the reason when a record is refused.
//! - **Its own SARIF types.** No maintained library writes the part that code scanning reads; the suite checks what
//!   is written.
//! - **A push to the default branch is judged by what was there before it.** Its policy may have been weakened in the same
//!   push. What it does to the gate is a warning then: it is on the branch, and can be told but not kept out.
//! - **What sessions have to account for is weighed under `evidence.rules`** beside missing evidence: both say how much is
//!   held against a change because something is not there.
//! - **Names of telemetry are written down here.** Those of generative AI have left the crate of the conventions for a
//!   repository of their own, which no crate is made from; all in it are deprecated there.
//! - **Attestations (E3) are verified by the caller**, who has the network and the identities; the gate takes its word, as it
//!   does for where logs came from.
//! - **YAML is read as the policy is.** A library bounds it and says where values stand; what they may be is checked by
//!   the reader of the policy, so that both files have the same faults and the same help.

mod cli;

use std::ffi::OsString;
use std::io::{Read, Write};

pub use cli::{Environment, Machine};

/// Runs one command line, reading `-` from `stdin`, and returns the exit code:
/// 0 judged and clean, 1 findings, 2 could not judge, 3 evidence missing or incomplete.
pub fn run(
    args: impl IntoIterator<Item = OsString>,
    stdin: &mut dyn Read,
    stdout: &mut dyn Write,
    stderr: &mut dyn Write,
) -> u8 {
    run_in(Environment::default(), args, stdin, stdout, stderr)
}

/// As [`run`], in an environment that changes what is said (colours) or asked for (in CI), or on a machine to look into.
pub fn run_in(
    environment: Environment<'_>,
    args: impl IntoIterator<Item = OsString>,
    stdin: &mut dyn Read,
    stdout: &mut dyn Write,
    stderr: &mut dyn Write,
) -> u8 {
    cli::run(args, environment, cli::Streams { stdin, stdout, stderr })
}

//! agent-strace: the gate between AI coding agents and your main branch.
//!
//! It reads what an agent *did* (session logs of any agent), works out every file, command, host and tool each
//! call touched, judges that by the scope committed in the repository, and fails the build when something stepped
//! outside. It proves what it judged and says what it could not judge.
//!
//! # Map
//!
//! ```text
//! bytes ─ingest→ Session + Gaps ─effects→ Effects ─engine(policy, rules)→ Outcome ─privacy→ Report ─report→ bytes
//!                                                                             └──────────────→ exit code
//! ```
//!
//! | module | what it is for | may use |
//! |---|---|---|
//! | [`model`] | what a session is once all agents' dialects are gone | – |
//! | [`finding`] | what a finding is, and what rules are called | – |
//! | [`shell`] | which commands a piece of shell text runs: real grammar, constant propagation | – |
//! | [`privacy`] | turns log text into text that may be shown | – |
//! | [`scrub`] | rewrites logs of any format byte by byte, without what is private | privacy |
//! | [`proxy`] | bytes between an MCP client and its server → messages, and what they mean | – |
//! | [`anonymize`] | sessions without who they are about: pseudonyms, and proof that nothing is left | privacy, scrub |
//! | [`git`] | files of a revision and commits of a history as git objects | – |
//! | [`change`] | what the head of a change has that its base hasn't, as data | git |
//! | [`ingest`] | bytes of a log → sessions and gaps, one folder per dialect | model, git |
//! | [`effects`] | a tool call → what it did to files, processes, network | model, shell, finding |
//! | [`prices`] | what models cost and how much they take at once: a dated table | model |
//! | [`policy`] | `.agent-scope.json` → a validated policy, or diagnostics that point into the file | effects, finding, git, prices |
//! | [`measures`] | everything that is counted of one session, in one place | model, effects, prices |
//! | [`config`] | the other files: settings, suppressions, lint rules, how long sessions are kept → settings, or diagnostics | policy, finding |
//! | [`rules`] | checks that need memory across events: a static, a function, a Markdown spec | model, effects, policy, config, finding, measures, prices, privacy, scrub, git, change |
//! | [`generate`] | what sessions did → a policy that allows it and nothing more | model, effects, policy, finding, privacy |
//! | [`eval`] | how a session measures up to `.agent-evals.yaml` | model, effects, policy, rules, finding, measures, prices, config |
//! | [`compare`] | two sessions beside each other, and sessions of now beside those of before | measures |
//! | [`engine`] | applies policy, rules and evals; owns order, counts and verdict | model, effects, policy, config, rules, finding, measures, eval, change |
//! | [`lab`] | tries a policy out: its tests, its lints, what its denies let through | model, effects, policy, engine, finding |
//! | [`backtest`] | sessions of the past by a policy, and what another one would change | model, effects, policy, rules, engine, finding |
//! | [`export`] | a scope in the languages of agents' own engines, and what these can't say | model, shell, effects, policy, engine, finding |
//! | [`triage`] | a session as its user lived it: conversations, turns, steps, tools, what was paid, and event by event | model |
//! | [`sweep`] | what a repository gives away about the AI tools, MCP servers and endpoints in it | model, effects, policy, config, rules, finding, git, privacy, scrub |
//! | [`doctor`] | what a commit says about the gate in CI: which strength is in force, and what defeats it | policy, sweep |
//! | [`report`] | renders an outcome, one file per format, one escaping step per target | model, finding, policy, rules, engine, backtest, privacy, measures, prices, sweep, change, doctor, triage |
//! | [`telemetry`] | sessions in the language of OpenTelemetry: traces and gauges, as messages that nothing sends | model, measures, prices |
//! | [`store`] | writes sessions into the native store, whole or while they run, and deletes those that were kept long enough | model, privacy |
//! | [`capture`] | what agents tell their hooks → events of the store, and answers they understand | model, store |
//! | [`setup`] | agents' settings with our hooks in them, and without | capture |
//! | [`watch`] | rules of what a session may not do while it runs, and whether it did | model, effects, policy, config, finding, measures, prices |
//! | [`cli`] | arguments, files, exit codes; the only module that prints | everything |
//!
//! The table is enforced by `tests/suite/architecture.rs`.
//!
//! # Invariants
//!
//! 1. A pass is printed only when every input in scope was read and judged. What can't be read is a
//!    [`model::Gap`]; what can't be understood is an opaque effect. Both are counted in every report.
//! 2. One evaluator: every command that gives an opinion goes through [`effects`] and [`policy`].
//! 3. Same bytes in, same bytes out: no clock, no hash-map order, no thread order, no locale.
//! 4. A finding names two places: the act, and the policy line that judged it.
//! 5. Log text is hostile: it reaches an output only through one redacting and one escaping step.
//! 6. Nothing that a repository or a log names is executed, fetched or followed out of the store. Histories may be read by
//!    the `git` program of the machine, which is kept from starting anything itself. Nothing is sent anywhere but by
//!    `export`, to the address that its user gave (`--endpoint`, `--backend`), and only `cli::export::telemetry::http`
//!    can.
//! 7. Policy is order-free: deny > allow > default.
//! 8. Rules don't print, renderers don't judge, ingest doesn't guess. Only [`cli`], `ingest::discover`,
//!    `policy::load`, `sweep::worktree`, [`store`] and [`git`] touch the outside world. What `cli::record` starts or
//!    connects to is named by whoever runs it.
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

#![allow(
    rustdoc::private_intra_doc_links,
    reason = "the map is for whoever works on the crate, all but `run` is private"
)]

mod anonymize;
mod backtest;
mod capture;
mod change;
mod cli;
mod compare;
mod config;
mod doctor;
mod effects;
mod engine;
mod eval;
mod export;
mod finding;
mod generate;
mod git;
mod ingest;
mod lab;
mod measures;
mod model;
mod policy;
mod prices;
mod privacy;
mod proxy;
mod report;
mod rules;
#[cfg(test)]
mod schemas;
mod scrub;
mod setup;
mod shell;
mod store;
mod sweep;
mod telemetry;
mod triage;
mod watch;

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

//! `setup`: agents are told to run `hook` at each step of a session.

mod active;
mod place;
mod program;
mod target;

use clap::Args;

use super::Streams;
use super::environment::Environment;
use super::failure::Failure;
use super::output;
use super::recording::{EnforceArgs, PrivateArgs};
use agent_strace_live::hook_events::{AGENTS, Agent, agent};
use agent_strace_live::hook_install::HookOptions;
use place::{Place, Scope};
use target::Target;

pub(super) const EXAMPLES: &str = "\
Examples:
  agent-strace setup                             print what belongs in .claude/settings.json
  agent-strace setup --write                     put it there, beside what is there already
  agent-strace setup --write --agent all         for every agent whose hooks are known
  agent-strace setup --write --agent codex --enforce --fail-closed
                                                 deny what the policy denies, and what can't be judged
  agent-strace setup --write --global            for all projects of this user
  agent-strace setup --redact-pattern 'ATTESTATION_KEY=[A-Fa-f0-9]{64}'
  agent-strace setup --write --trust --agent codex
                                                 and let Codex trust them: it runs no others
  agent-strace setup --verify --agent all        check that they are set and run: exit code 1 where one is not
  agent-strace setup --remove --agent all        remove them again

Agents: claude-code, codex, gemini-cli, cursor, copilot-cli, qwen-code, kimi (with --global only), or
`all`. What else is in their settings stays as it is. Codex runs only hooks that its user trusts, and
Codex, Copilot, Cursor and Gemini CLI run the hooks of a project only in folders that their user trusts.
Where Cursor keeps that is not known.
Secrets are taken out before anything is written; --redact is the default.";

const ALL: &str = "all";

#[derive(Debug, Args)]
pub(super) struct SetupArgs {
    /// Whose settings: claude-code, codex, gemini-cli, cursor, copilot-cli, qwen-code, kimi, or all; repeatable.
    #[arg(long = "agent", value_name = "AGENT", default_value = "claude-code")]
    agents: Vec<String>,

    /// Put the hooks into the agent's settings, beside what is there already.
    #[arg(long, conflicts_with_all = ["verify", "remove"])]
    write: bool,

    /// Let the agent trust the hooks and this folder, where it runs only what its user trusts.
    #[arg(long, requires = "write")]
    trust: bool,

    /// Say whether the hooks are there as they are wanted, and whether the agent runs them.
    #[arg(long, conflicts_with = "remove")]
    verify: bool,

    /// Take the hooks out of the agent's settings.
    #[arg(long)]
    remove: bool,

    /// The settings of this user, for all projects.
    #[arg(long)]
    global: bool,

    #[command(flatten)]
    by: EnforceArgs,

    #[command(flatten)]
    private: PrivateArgs,

    /// How shells find this program: a name, a path, or a command that ends in one of them.
    #[arg(long, value_name = "COMMAND", default_value = "agent-strace")]
    program: String,
}

pub(super) fn run(args: &SetupArgs, environment: Environment, streams: &mut Streams<'_>) -> Result<u8, Failure> {
    // A pattern that is none would make every hook fail.
    args.private.wanted(environment.colour)?;
    let agents = args.agents()?;
    if !args.write && !args.verify && !args.remove {
        return print(args, &agents, environment, streams);
    }
    let mut missing = false;
    if args.agents.iter().any(|name| name == ALL) {
        for agent in AGENTS.iter().filter(|agent| !args.has_file(agent)) {
            let text =
                format!("{}: left out: it has no project hooks; `--global` sets those of its user\n", agent.name);
            output::print(streams.stdout, &text)?;
        }
    }
    for agent in agents {
        let place = args.place(agent, environment)?;
        let options = args.options(agent)?;
        let target = Target { place: &place, options: &options, scope: args.scope(), trust: args.trust, environment };
        missing |= match (args.verify, args.remove) {
            (true, _) => !target.verify(streams)?,
            (_, true) => target.remove(streams)?,
            _ => target.write(streams)?,
        };
    }
    Ok(u8::from(args.verify && missing))
}

/// As other tools of this name do: the settings on standard output, and what to do with them beside it.
fn print(
    args: &SetupArgs,
    agents: &[&'static Agent],
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let [agent] = agents else {
        return Err(Failure::new("the settings of several agents are no one document")
            .hint("`--write` puts them where they belong; `--agent` prints those of one"));
    };
    let text = args.options(agent)?.snippet();
    output::print(streams.stdout, &text)?;
    let file = args.place(agent, environment)?.shown;
    output::note(
        streams.stderr,
        &format!("note: this belongs in `{file}` of {}; `agent-strace setup --write` puts it there", agent.title),
    );
    Ok(0)
}

impl SetupArgs {
    fn agents(&self) -> Result<Vec<&'static Agent>, Failure> {
        if self.agents.iter().any(|name| name == ALL) {
            return Ok(AGENTS.iter().filter(|agent| self.has_file(agent)).collect());
        }
        let find = |name: &String| {
            agent(name).ok_or_else(|| {
                let names: Vec<&str> = AGENTS.iter().map(|agent| agent.name).chain([ALL]).collect();
                let failure = Failure::new(format!("`{name}` is not an agent with known hooks"));
                failure.did_you_mean(name, &names).hint(format!("known agents: {}", names.join(", ")))
            })
        };
        self.agents.iter().map(find).collect()
    }

    fn options(&self, agent: &'static Agent) -> Result<HookOptions, Failure> {
        let mut options = Vec::new();
        if self.private.no_redact {
            options.push("--no-redact".to_owned());
        }
        if self.private.mask {
            options.push("--mask".to_owned());
        }
        options.extend(self.private.patterns.iter().map(|pattern| format!("--redact-pattern {}", quoted(pattern))));
        let mut of_calls = Vec::new();
        if self.by.enforce {
            of_calls.push("--enforce".to_owned());
        }
        if self.by.fail_closed {
            of_calls.push("--fail-closed".to_owned());
        }
        of_calls.extend(self.by.policy.iter().map(|file| format!("--policy {}", quoted(file))));
        of_calls.extend(self.by.policy_ref.iter().map(|revision| format!("--policy-ref {}", quoted(revision))));
        let program = program::command(&self.program)?;
        Ok(HookOptions { agent, program, options, of_calls, fail_closed: self.by.fail_closed })
    }

    fn has_file(&self, agent: &Agent) -> bool {
        self.global || agent.project.is_some()
    }

    fn scope(&self) -> Scope {
        if self.global { Scope::User } else { Scope::Project }
    }

    fn place(&self, agent: &Agent, environment: Environment) -> Result<Place, Failure> {
        if self.global {
            return Place::of_user(agent, agent.user, environment);
        }
        let none = || {
            Failure::new(format!("{} has no project hooks", agent.title))
                .hint("`--global` sets those of its user, for all projects")
        };
        agent.project.map(Place::of_project).ok_or_else(none)
    }
}

/// As shells take a word. What is plain stays as it is.
fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./=:@%+,".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

//! `setup`: agents are told to run `hook` at each step of a session.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use super::Streams;
use super::environment::{Environment, IdentityKind};
use super::failure::{Failure, reason};
use super::output;
use super::recording::{EnforceArgs, PrivateArgs};
use agent_strace_live::hook_events::{AGENTS, Agent, agent};
use agent_strace_live::hook_install::{File, HookOptions, Standing};
use agent_strace_report::terminal;

pub(super) const EXAMPLES: &str = "\
Examples:
  agent-strace setup                             print what belongs into .claude/settings.json
  agent-strace setup --write                     put it there, beside what is there already
  agent-strace setup --write --agent all         for every agent whose hooks are known
  agent-strace setup --write --agent codex --enforce --fail-closed
                                                 deny what the policy denies, and what can't be judged
  agent-strace setup --write --global            for all projects of this user
  agent-strace setup --redact-pattern 'ATTESTATION_KEY=[A-Fa-f0-9]{64}'
  agent-strace setup --verify --agent all        say whether they are there: exit code 1 where one is not
  agent-strace setup --remove --agent all        take them out again

Agents: claude-code, codex, gemini-cli, cursor, copilot-cli, or `all`. What else is in their settings
stays as it is. Codex and Cursor run the hooks of a project only where its user trusts it.
Secrets are taken out before anything is written; --redact is the default.";

/// Real ones are a few kilobytes.
const LARGEST: u64 = 4 << 20;
const ALL: &str = "all";

#[derive(Debug, Args)]
pub(super) struct SetupArgs {
    /// Whose settings: claude-code, codex, gemini-cli, cursor, copilot-cli, or all; repeatable.
    #[arg(long = "agent", value_name = "AGENT", default_value = "claude-code")]
    agents: Vec<String>,

    /// Put the hooks into the agent's settings, beside what is there already.
    #[arg(long, conflicts_with_all = ["verify", "remove"])]
    write: bool,

    /// Say whether the hooks are there as they are wanted.
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

    /// How shells find this program.
    #[arg(long, value_name = "COMMAND", default_value = "agent-strace")]
    program: String,
}

pub(super) fn run(args: &SetupArgs, environment: Environment, streams: &mut Streams<'_>) -> Result<u8, Failure> {
    // A pattern that is none would make every hook fail.
    args.private.wanted(environment.colour)?;
    let agents = args.agents()?;
    if !args.write && !args.verify && !args.remove {
        return print(args, &agents, streams);
    }
    let mut missing = false;
    for agent in agents {
        let (path, shown) = args.target(agent, environment)?;
        let options = args.options(agent);
        let target = Target { path: &path, shown: &shown, options: &options, is_global: args.global };
        missing |= match (args.verify, args.remove) {
            (true, _) => !target.verify(streams)?,
            (_, true) => target.remove(streams)?,
            _ => target.write(streams)?,
        };
    }
    Ok(u8::from(args.verify && missing))
}

/// As other tools of this name do: the settings on standard output, and what to do with them beside it.
fn print(args: &SetupArgs, agents: &[&'static Agent], streams: &mut Streams<'_>) -> Result<u8, Failure> {
    let [agent] = agents else {
        return Err(Failure::new("the settings of several agents are no one document")
            .hint("`--write` puts them where they belong; `--agent` prints those of one"));
    };
    let text = args.options(agent).snippet().map_err(Failure::new)?;
    output::print(streams.stdout, &text)?;
    let file = if args.global { format!("~/{}", agent.user) } else { agent.project.to_owned() };
    output::note(
        streams.stderr,
        &format!("note: this belongs into `{file}` of {}; `agent-strace setup --write` puts it there", agent.title),
    );
    Ok(0)
}

impl SetupArgs {
    fn agents(&self) -> Result<Vec<&'static Agent>, Failure> {
        if self.agents.iter().any(|name| name == ALL) {
            return Ok(AGENTS.iter().collect());
        }
        let find = |name: &String| {
            agent(name).ok_or_else(|| {
                let names: Vec<&str> = AGENTS.iter().map(|agent| agent.name).chain([ALL]).collect();
                let failure = Failure::new(format!("`{name}` is no agent whose hooks are known"));
                failure.did_you_mean(name, &names).hint(format!("known are {}", names.join(", ")))
            })
        };
        self.agents.iter().map(find).collect()
    }

    fn options(&self, agent: &'static Agent) -> HookOptions {
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
        let program = self.program.clone();
        HookOptions { agent, program, options, of_calls, fail_closed: self.by.fail_closed }
    }

    /// The file, and what it is called in messages.
    fn target(&self, agent: &Agent, environment: Environment) -> Result<(PathBuf, String), Failure> {
        if !self.global {
            return Ok((PathBuf::from(agent.project), agent.project.to_owned()));
        }
        let people = environment.machine.map(|machine| machine.people.as_slice()).unwrap_or_default();
        let home = people.iter().find(|(named, _)| *named == IdentityKind::Home).map(|(_, home)| home);
        let home = home.ok_or_else(|| Failure::new("there is no home folder: `HOME` is not set"))?;
        Ok((Path::new(home).join(agent.user), format!("~/{}", agent.user)))
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

/// One file of settings.
struct Target<'t> {
    path: &'t Path,
    shown: &'t str,
    options: &'t HookOptions,
    is_global: bool,
}

impl Target<'_> {
    fn read(&self) -> Result<Option<(String, File)>, Failure> {
        let unusable = |why: String| Failure::new(format!("`{}` can't be edited: {why}", terminal(self.shown)));
        let text = match fs::metadata(self.path) {
            Ok(found) if found.len() > LARGEST => {
                return Err(unusable(format!("it is larger than {} MiB", LARGEST >> 20)));
            }
            Ok(_) => fs::read_to_string(self.path).map_err(|error| unusable(reason(&error)))?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unusable(reason(&error))),
        };
        let file = File::read(&text).map_err(unusable)?;
        Ok(Some((text, file)))
    }

    fn put(&self, text: &str) -> Result<(), Failure> {
        // Users keep their own settings elsewhere at times; what a project links to is not followed.
        let real = if self.is_global { self.path.canonicalize().ok() } else { None };
        let path = real.as_deref().unwrap_or(self.path);
        let permissions = fs::metadata(path).ok().map(|found| found.permissions());
        output::write_with_folder(path, text)?;
        match permissions.map(|permissions| fs::set_permissions(path, permissions)) {
            Some(Err(error)) => {
                Err(Failure::new(format!("`{}` has new permissions now: {}", self.shown, reason(&error))))
            }
            _ => Ok(()),
        }
    }

    fn tell(&self, what: &str, streams: &mut Streams<'_>) -> Result<(), Failure> {
        output::print(streams.stdout, &format!("{}: {}: {what}\n", self.options.agent.name, terminal(self.shown)))
    }

    fn write(&self, streams: &mut Streams<'_>) -> Result<bool, Failure> {
        let read = self.read()?;
        let before = read.as_ref().map(|(text, _)| text.clone());
        let file = match read {
            Some((_, file)) => file,
            None => File::read("").map_err(Failure::new)?,
        };
        let text = file.with(self.options).text();
        if before.as_deref() == Some(text.as_str()) {
            self.tell("the hooks are there already", streams)?;
            return Ok(false);
        }
        self.put(&text)?;
        let count = self.options.agent.hooks.len();
        let shared = if self.is_global { "" } else { "commit this file and, with the work, `.agent-traces`; " };
        self.tell(&format!("{count} hooks are set; {shared}`agent-strace setup --remove` takes them out"), streams)?;
        Ok(false)
    }

    fn remove(&self, streams: &mut Streams<'_>) -> Result<bool, Failure> {
        let Some((_, file)) = self.read()? else {
            self.tell("there is no such file", streams)?;
            return Ok(false);
        };
        let count = file.ours();
        if count == 0 {
            self.tell("no hooks of ours are there", streams)?;
            return Ok(false);
        }
        let file = file.without(self.options.agent);
        // A file of our own that says nothing any more.
        if file.is_empty() && self.options.agent.project.ends_with("agent-strace.json") {
            fs::remove_file(self.path)
                .map_err(|error| Failure::new(format!("`{}` can't be removed: {}", self.shown, reason(&error))))?;
        } else {
            self.put(&file.text())?;
        }
        self.tell(&format!("{count} hooks are taken out"), streams)?;
        Ok(false)
    }

    fn verify(&self, streams: &mut Streams<'_>) -> Result<bool, Failure> {
        let Some((_, file)) = self.read()? else {
            self.tell("no hooks: there is no such file", streams)?;
            return Ok(false);
        };
        let standing = file.standing(self.options);
        let named = |wanted: Standing| {
            let events = standing.iter().filter(|(_, standing)| *standing == wanted).map(|(event, _)| *event);
            events.collect::<Vec<_>>().join(", ")
        };
        let (missing, differ) = (named(Standing::Missing), named(Standing::Differs));
        let mut said = Vec::new();
        if !missing.is_empty() {
            said.push(format!("missing for {missing}"));
        }
        if !differ.is_empty() {
            said.push(format!("other than asked for at {differ}"));
        }
        let is_found = is_found(&self.options.program);
        if !is_found {
            said.push(format!("`{}` is not in the search path", terminal(&self.options.program)));
        }
        let whole = said.is_empty();
        let text = if whole { format!("all {} hooks are set", standing.len()) } else { said.join("; ") };
        self.tell(&text, streams)?;
        Ok(whole)
    }
}

/// Shells would find it.
fn is_found(program: &str) -> bool {
    if program.contains(['/', '\\']) {
        return Path::new(program).is_file();
    }
    let folders =
        std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect::<Vec<_>>()).unwrap_or_default();
    folders.iter().any(|folder| folder.join(program).is_file() || folder.join(format!("{program}.exe")).is_file())
}

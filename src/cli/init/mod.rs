//! `init`: a policy to start from, and the job that judges by it.

mod ci;
mod ecosystems;
mod many;

use std::path::{Path, PathBuf};

use clap::Args;

use super::Streams;
use super::args::PlainFormat;
use super::environment::Environment;
use super::failure::Failure;
use super::output;

use ci::{Platform, Strength};

/// Where a policy is looked for.
const POLICY: &str = ".agent-scope.json";

pub(super) const EXAMPLES: &str = "\
Examples:
  agent-strace init                       .agent-scope.json for everyday work
  agent-strace init --list                which policies there are
  agent-strace init --policy library --output .github/org-scope.json
  agent-strace init app infra ~/clones/tools                 one for each repository, with a summary
  agent-strace init --repos-from list.txt --base org.json    on a base that all of them share
  agent-strace init --ci github --action OWNER/agent-strace@COMMIT
  agent-strace init --ci gitlab

A file that is there is only replaced with --force. Rules for the ecosystems that tracked files speak
for (Cargo, npm, Python, …) are added. `agent-strace policy` makes a policy from what sessions did instead.";

#[derive(Debug, Args)]
pub(super) struct InitArgs {
    /// Repositories, or folders of repositories: a policy for each of them, and a summary [default: the current directory].
    #[arg(value_name = "REPOSITORY", conflicts_with_all = ["ci", "list"])]
    repositories: Vec<PathBuf>,

    /// Repositories from a file, one path a line (`#` starts a comment); `-` is standard input.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["ci", "list"])]
    repos_from: Option<String>,

    /// A policy that all of them share: each gets a copy of it and a policy that extends the copy. A FILE that is there is
    /// used as it is; else it is written, from the policy of `--policy`.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["ci", "list"])]
    base: Option<PathBuf>,

    /// With `--base`: give the repositories whose policies extend the base its present text. Of a policy only the digest of
    /// the base changes.
    #[arg(long, requires = "base", conflicts_with_all = ["ci", "list", "force"])]
    repin: bool,

    /// Which one: default, strict, read-only, library, web-app or monorepo.
    #[arg(long, value_name = "NAME", default_value = "default")]
    policy: String,

    /// Where to write it, in each repository [default: .agent-scope.json, or where the forge looks for it].
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Replace the file, if it is there.
    #[arg(long)]
    force: bool,

    /// Show the policies, and write nothing.
    #[arg(long)]
    list: bool,

    /// Write the job that judges pull or merge requests, not a policy.
    #[arg(long, value_name = "FORGE", conflicts_with_all = ["policy", "list"])]
    ci: Option<Platform>,

    /// Who can change the job that judges a change.
    #[arg(long, value_name = "STRENGTH", default_value = "visible", requires = "ci")]
    strength: Strength,

    /// With `--ci github`: the action, pinned by all digits of a commit.
    #[arg(long, value_name = "OWNER/REPOSITORY@COMMIT", requires = "ci")]
    action: Option<String>,

    /// With `--ci github`: the branch that changes are merged into [default: that of `origin/HEAD`, else a usual name such as `main` that is
    /// here, else that of `HEAD`].
    #[arg(long, value_name = "NAME", requires = "ci")]
    branch: Option<String>,

    /// With REPOSITORY, `--repos-from` or `--base`: how the summary is written.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: PlainFormat,
}

impl InitArgs {
    /// It ends with a summary.
    fn is_for_many(&self) -> bool {
        !self.repositories.is_empty() || self.repos_from.is_some() || self.base.is_some()
    }
}

/// A policy that is part of the program.
struct Shipped {
    name: &'static str,
    text: &'static str,
}

const SHIPPED: &[Shipped] = &[
    Shipped { name: "default", text: include_str!("../../../policies/default.json") },
    Shipped { name: "strict", text: include_str!("../../../policies/strict.json") },
    Shipped { name: "read-only", text: include_str!("../../../policies/read-only.json") },
    Shipped { name: "library", text: include_str!("../../../policies/library.json") },
    Shipped { name: "web-app", text: include_str!("../../../policies/web-app.json") },
    Shipped { name: "monorepo", text: include_str!("../../../policies/monorepo.json") },
];

impl Shipped {
    /// Its first sentence.
    fn summary(&self) -> String {
        let comments = self.text.lines().map_while(|line| line.strip_prefix("//"));
        let text = comments.map(str::trim).collect::<Vec<_>>().join(" ");
        text.split_once(". ").map_or(text.as_str(), |(first, _)| first).trim_end_matches('.').to_owned()
    }
}

pub(super) fn run(args: &InitArgs, environment: Environment, streams: &mut Streams<'_>) -> Result<u8, Failure> {
    match args.ci {
        Some(platform) => ci::run(platform, args, streams),
        None if args.list => list(streams),
        None if args.is_for_many() => many::run(args, environment, streams),
        None if args.format != PlainFormat::Text => {
            Err(Failure::new("`--format json` is the summary of several repositories")
                .hint("name the repository: `agent-strace init --format json .`"))
        }
        None => write_policy(args, streams),
    }
}

fn list(streams: &mut Streams<'_>) -> Result<u8, Failure> {
    let lines = SHIPPED.iter().map(|shipped| format!("{:10} {}\n", shipped.name, shipped.summary()));
    output::print(streams.stdout, &lines.collect::<String>())?;
    Ok(0)
}

/// The policy that `--policy` names.
fn shipped(args: &InitArgs) -> Result<&'static Shipped, Failure> {
    let names: Vec<&str> = SHIPPED.iter().map(|shipped| shipped.name).collect();
    SHIPPED.iter().find(|shipped| shipped.name == args.policy).ok_or_else(|| {
        let failure = Failure::new(format!("there is no policy `{}`", args.policy));
        failure.did_you_mean(&args.policy, &names).hint(format!("there are {}", names.join(", ")))
    })
}

/// `text` with what the ecosystems need, and what was added. `base`: the policy that `text` extends, if it extends one.
fn start(
    shipped: &Shipped,
    text: &str,
    base: Option<&str>,
    found: &[ecosystems::Found],
) -> Result<(String, Option<ecosystems::Added>), Failure> {
    let scope = if shipped.name == "strict" { ecosystems::Scope::Work } else { ecosystems::Scope::Everyday };
    let added = ecosystems::added(text, base, found, scope)?;
    Ok((added.as_ref().map_or(text, |added| added.text.as_str()).to_owned(), added))
}

/// What is there was written by somebody.
fn refuse_to_replace(file: &Path, force: bool) -> Result<(), Failure> {
    if force || file.symlink_metadata().is_err() {
        return Ok(());
    }
    let shown = agent_strace_report::terminal(&file.to_string_lossy());
    Err(Failure::new(format!("`{shown}` is there already")).hint("`--force` replaces it"))
}

fn write_policy(args: &InitArgs, streams: &mut Streams<'_>) -> Result<u8, Failure> {
    let shipped = shipped(args)?;
    let file = args.output.clone().unwrap_or_else(|| PathBuf::from(POLICY));
    let shown = agent_strace_report::terminal(&file.to_string_lossy());
    refuse_to_replace(&file, args.force)?;
    let found = ecosystems::found_in(Path::new("."));
    let (text, added) = start(shipped, shipped.text, None, &found)?;
    let is_replaced = file.symlink_metadata().is_ok();
    output::write(&file, &text)?;
    if is_replaced {
        forget_provenance(&file)?;
    }
    let policy = if shown == POLICY { String::new() } else { format!(" --policy {shown}") };
    let told = ecosystems::told(&found, added.as_ref());
    let text = format!(
        "wrote {shown}: {}\n{told}  next: 1. read it, then `agent-strace policy test {shown}` shows that it does what it says\n        \
         2. judge what agents did here so far: `agent-strace check --discover{policy}`, or `agent-strace check LOG{policy}`\n        \
         3. record sessions from now on: `agent-strace setup --write`; commit `.agent-traces`, and pull requests bring them\n        \
         4. judge every pull request: `agent-strace init --ci github`, or `--ci gitlab`\n",
        lower(&shipped.summary())
    );
    output::print(streams.stdout, &text)?;
    if let Some(note) = super::policy_file::note_below_top(&file) {
        output::note(streams.stderr, &note);
    }
    if let Some((name, why)) = suggestion(Path::new(".")).filter(|(name, _)| *name != args.policy) {
        let hint = format!("note: `{why}` looks like another one may fit: `agent-strace init --policy {name} --force`");
        output::note(streams.stderr, &hint);
    }
    Ok(0)
}

/// The policy that was replaced took its evidence with it: later, entries that the file knows would count as removed by people.
fn forget_provenance(policy: &Path) -> Result<(), Failure> {
    let file = agent_strace_policy::provenance::file_of(policy);
    if file.symlink_metadata().is_ok_and(|found| found.is_file()) {
        let shown = agent_strace_report::terminal(&file.display().to_string());
        std::fs::remove_file(&file)
            .map_err(|error| Failure::new(format!("can't remove `{shown}`: {}", super::failure::reason(&error))))?;
    }
    Ok(())
}

fn lower(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_lowercase().collect::<String>() + characters.as_str())
}

/// Which one the files of a directory speak for, and the file that does.
fn suggestion(folder: &Path) -> Option<(&'static str, &'static str)> {
    const MONOREPO: &[&str] = &["pnpm-workspace.yaml", "turbo.json", "nx.json", "lerna.json", "rush.json", "go.work"];
    const WEB: &[&str] = &[
        "next.config.js",
        "next.config.mjs",
        "next.config.ts",
        "nuxt.config.ts",
        "svelte.config.js",
        "vite.config.ts",
        "manage.py",
        "artisan",
        "config/routes.rb",
        "vercel.json",
        "fly.toml",
    ];
    const LIBRARY: &[&str] = &["src/lib.rs", "pyproject.toml", "setup.py"];
    let there = |name: &&&str| folder.join(**name).is_file();
    let holds = |name: &str, text: &str| {
        let file = output::read_small(&folder.join(name));
        file.is_some_and(|file| String::from_utf8_lossy(&file).contains(text))
    };
    if let Some(name) = MONOREPO.iter().find(|name| there(name)) {
        return Some(("monorepo", *name));
    }
    if holds("Cargo.toml", "[workspace]") {
        return Some(("monorepo", "Cargo.toml"));
    }
    if holds("package.json", "\"workspaces\"") {
        return Some(("monorepo", "package.json"));
    }
    if let Some(name) = WEB.iter().find(|name| there(name)) {
        return Some(("web-app", *name));
    }
    LIBRARY.iter().find(|name| there(name)).map(|name| ("library", *name))
}

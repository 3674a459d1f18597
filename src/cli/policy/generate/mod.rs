//! `policy`: a policy from what was seen.

pub(in crate::cli) mod args;
mod json;
mod many;
mod text;

use std::path::Path;

use super::super::Streams;
use super::super::args::PlainFormat;
use super::super::environment::Environment;
use super::super::failure::Failure;
use super::super::gate;
use super::super::onboarding::Mode;
use super::super::output;
use super::super::pipeline::Inputs;
use super::super::policy_file;
use super::super::session_filter::SessionFilter;
use super::super::trust::TrustBase;
use agent_strace_engine::generate::{
    self, Draft, HeldOut, KnownEntries, Observed, Probed, Settings, SharedBase, Start,
};
use agent_strace_ingest::discover::Selection;
use agent_strace_model::Gap;
use agent_strace_policy::{Diagnostics, Extended, Policy, nearest, provenance};
use args::GenerateArgs;

/// Everything that is told about a generated policy.
struct GenerateReport<'t> {
    observed: &'t Observed,
    draft: &'t Draft,
    probed: &'t [Probed],
    held_out: Option<&'t [HeldOut]>,
    /// Where it was written.
    written: Option<&'t Path>,
}

/// `commands`: what may stand after `policy`, for who misspells one.
pub(super) fn run(
    trace_dir: &Path,
    args: &GenerateArgs,
    commands: &[String],
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let wanted = SessionFilter::new(&args.wanted, args.now, environment)?;
    if args.is_for_many() {
        return many::run(trace_dir, args, &wanted, environment, streams);
    }
    args.refuse_without_file()?;
    // What can't be written is told before anything is read.
    let base = match &args.output {
        Some(file) => base(file, args.mode())?,
        None => None,
    };
    let inputs = Inputs::select(trace_dir, &args.sessions, Selection::All, environment, streams.stdin)
        .map_err(|failure| misspelt(failure, &args.sessions, commands))?
        .only(wanted);
    let start = base.as_ref().map_or(Start::Nothing, Before::start);
    let (repository, gap) = gate::repository(TrustBase::at(None));
    let none = Policy::none();
    let judges = start.policy().unwrap_or(&none);
    let (parts, mut gaps) = inputs.all(|session| Observed::of_session(session, judges, &repository));
    gaps.extend(gap);
    for line in agent_strace_report::gap_lines(&gaps) {
        output::note(streams.stderr, &line);
    }
    let observed = joined(parts, args);
    let settings = Settings { seen_in: args.seen_in as usize, start };
    made(&observed, &settings, args, &gaps, streams)
}

/// Makes the policy, writes it and says so. `gaps`: what could not be read.
fn made(
    observed: &Observed,
    settings: &Settings<'_>,
    args: &GenerateArgs,
    gaps: &[Gap],
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let draft = match drafted(observed, settings, args)? {
        Ok(draft) => draft,
        Err(lack) => {
            output::note(streams.stderr, &format!("error: {}", lack.reason));
            if let Some(draft) = lack.draft {
                tell(args, observed, &draft, None, streams)?;
            }
            return Ok(3);
        }
    };
    let held_out = if args.held_out {
        Some(generate::held_out(observed, settings).map_err(|faults| own_fault(&faults))?)
    } else {
        None
    };
    if let Some(file) = args.output.as_deref().filter(|_| !draft.entries.is_empty() && !args.dry_run) {
        write(file, &draft, args.mode())?;
        if let Some(note) = policy_file::note_below_top(file) {
            output::note(streams.stderr, &note);
        }
    }
    tell(args, observed, &draft, held_out.as_deref(), streams)?;
    if !gaps.is_empty() {
        output::note(streams.stderr, "warning: not everything could be read: what is missing is not in this policy");
    }
    Ok(if gaps.is_empty() { 0 } else { 3 })
}

fn joined(parts: Vec<Observed>, args: &GenerateArgs) -> Observed {
    let mut observed = Observed::default();
    for part in parts {
        observed.append(part);
    }
    args.last.map_or(observed.clone(), |last| observed.latest(last as usize))
}

/// Why no policy is made, and what it would have been.
struct Lack {
    reason: String,
    draft: Option<Draft>,
}

/// The policy, or why there is nothing to make one of.
fn drafted(
    observed: &Observed,
    settings: &Settings<'_>,
    args: &GenerateArgs,
) -> Result<Result<Draft, Box<Lack>>, Failure> {
    let lacking = |reason: String, draft| Ok(Err(Box::new(Lack { reason, draft })));
    if observed.all().next().is_none() {
        let sessions = text::counted(observed.sessions.len(), "session");
        return lacking(format!("nothing was observed in {sessions}: an empty policy is never written"), None);
    }
    if let Some(reason) = lack(observed, args.min_sessions) {
        return lacking(reason, None);
    }
    let draft = generate::draft(observed, settings).map_err(|faults| own_fault(&faults))?;
    let is_added = matches!(settings.start, Start::Added { .. });
    if draft.entries.iter().all(|entry| entry.seen.calls == 0) && !is_added {
        let reason = "nothing that was seen can be allowed: an empty policy is never written".to_owned();
        return lacking(reason, Some(draft));
    }
    Ok(Ok(draft))
}

/// Writes the policy, and beside it the file that says where its entries come from.
fn write(file: &Path, draft: &Draft, mode: Mode) -> Result<(), Failure> {
    // The file beside the policy is looked at before the policy changes.
    output::refuse_what_is_no_file(&provenance::file_of(file))?;
    let beside = provenance_text(file, &draft.provenance, mode)?;
    output::write(file, &draft.text)?;
    output::write(&provenance::file_of(file), &beside)
}

/// The file beside the policy. Where entries were added to a policy, what is known of the others stays.
fn provenance_text(policy: &Path, new: &str, mode: Mode) -> Result<String, Failure> {
    let old = if mode == Mode::Add { text_beside(policy)? } else { None };
    old.map_or_else(
        || Ok(new.to_owned()),
        |old| generate::merged_provenance(&old, new).map_err(|error| unmergeable(policy, &error)),
    )
}

/// The text of the file beside a policy, where there is one.
fn text_beside(policy: &Path) -> Result<Option<String>, Failure> {
    let file = provenance::file_of(policy);
    if file.symlink_metadata().is_err() {
        return Ok(None);
    }
    let text = output::read_small(&file)
        .ok_or_else(|| "it is no plain file of a size to read at once".to_owned())
        .and_then(|bytes| String::from_utf8(bytes).map_err(|error| error.to_string()));
    text.map(Some).map_err(|error| unmergeable(policy, &error))
}

fn unmergeable(policy: &Path, error: &str) -> Failure {
    let shown = agent_strace_report::terminal(&provenance::file_of(policy).display().to_string());
    Failure::new(format!("`{shown}` can't be added to: {error}")).hint("remove it, or mend it; nothing was written")
}

/// Too little was seen. A session in which nothing ran shows nothing.
fn lack(observed: &Observed, min_sessions: u32) -> Option<String> {
    let seen = observed.sessions.iter().filter(|session| session.calls > 0).count();
    let wanted = min_sessions as usize;
    (seen < wanted).then(|| {
        let sessions = text::counted(seen, "session");
        format!("something ran in {sessions} only, and --min-sessions asks for {wanted}: no policy is made")
    })
}

fn tell(
    args: &GenerateArgs,
    observed: &Observed,
    draft: &Draft,
    held_out: Option<&[HeldOut]>,
    streams: &mut Streams<'_>,
) -> Result<(), Failure> {
    let probed = generate::probe(observed, &draft.policy);
    let written = args.output.as_deref().filter(|_| !args.dry_run && !draft.entries.is_empty());
    let told = GenerateReport { observed, draft, probed: &probed, held_out, written };
    let text = match args.format {
        PlainFormat::Text => text::text(&told),
        PlainFormat::Json => json::json(&told),
    };
    output::print(streams.stdout, &text)
}

/// A policy that is added to.
struct Before {
    text: String,
    policy: Policy,
    /// The file that it extends.
    base: Option<SharedBase>,
    known: KnownEntries,
}

impl Before {
    fn read(file: &Path) -> Result<Self, Failure> {
        let shown = file.display().to_string();
        let unusable = |faults: Diagnostics| unusable(&shown, &faults);
        let text = agent_strace_policy::read_text(file).map_err(unusable)?;
        let policy = agent_strace_policy::load_file(file).map_err(unusable)?;
        let extended = policy.identity().map(|identity| identity.extends.as_slice()).unwrap_or_default();
        let beside = |one: &Extended| {
            let name = Path::new(&one.path).file_name()?.to_str()?;
            let is_there =
                file.with_file_name(name).canonicalize().ok()? == Path::new(&one.path).canonicalize().ok()?;
            (is_there && !one.is_floor()).then(|| name.to_owned())
        };
        let base = match (extended, extended.first().and_then(beside)) {
            ([], _) => None,
            ([one], Some(name)) => {
                let text = agent_strace_policy::read_text(Path::new(&one.path)).map_err(unusable)?;
                Some(SharedBase::new(&name, &one.path, &text).map_err(unusable)?)
            }
            _ => {
                let error = format!(
                    "nothing can be added to the policy `{shown}`: it extends other files than one base beside it"
                );
                return Err(Failure::new(error).hint("`agent-strace policy --dry-run` prints what sessions did"));
            }
        };
        let known = match text_beside(file)? {
            Some(text) => KnownEntries::read(&text).map_err(|error| unmergeable(file, &error))?,
            None => KnownEntries::default(),
        };
        Ok(Self { text, policy, base, known })
    }

    fn start(&self) -> Start<'_> {
        Start::Added { text: &self.text, policy: &self.policy, base: self.base.as_ref(), known: &self.known }
    }
}

/// The policy that is added to.
fn base(file: &Path, mode: Mode) -> Result<Option<Before>, Failure> {
    let there = file.symlink_metadata().is_ok();
    let beside = provenance::file_of(file);
    if !there && beside.symlink_metadata().is_ok() && !matches!(mode, Mode::Replace | Mode::DryRun) {
        let shown = agent_strace_report::terminal(&beside.display().to_string());
        return Err(
            Failure::new(format!("`{shown}` is there already, and its policy is not")).hint("`--force` replaces it")
        );
    }
    if mode == Mode::Add && there {
        let shown = file.display().to_string();
        let before = Before::read(file)?;
        if before.policy.identity().is_none_or(|identity| identity.version < 2) {
            return Err(Failure::new(format!(
                "`{shown}` is a policy of version 1, and entries of version 2 can't be added to it"
            ))
            .hint(
                "its patterns mean something else in version 2: `agent-strace policy` without --merge prints a new one",
            ));
        }
        return Ok(Some(before));
    }
    if there && mode == Mode::Keep {
        return Err(Failure::new(format!(
            "`{}` is there already, and a policy is never overwritten by accident",
            file.display()
        ))
        .hint("`--merge` adds to it, `--force` replaces it, `--dry-run` only prints"));
    }
    Ok(None)
}

fn unusable(shown: &str, faults: &Diagnostics) -> Failure {
    Failure::new(format!("nothing can be added to the policy `{shown}`")).details(faults.to_string())
}

fn own_fault(faults: &Diagnostics) -> Failure {
    Failure::new("internal error: the generated policy can't be read; please report it").details(faults.to_string())
}

/// `policy backtst` is no session.
fn misspelt(failure: Failure, sessions: &[String], commands: &[String]) -> Failure {
    let commands: Vec<&str> = commands.iter().map(String::as_str).collect();
    let Some(near) = sessions.first().and_then(|word| nearest(word, &commands)) else { return failure };
    failure.hint(format!("did you mean the command `{near}`?"))
}

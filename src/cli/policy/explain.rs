//! `policy explain`: which lines of a policy judge each effect of a call.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use super::super::Streams;
use super::super::args::PlainFormat;
use super::super::effects::{directory, explained_event, glyphs, session_of};
use super::super::environment::Environment;
use super::super::failure::Failure;
use super::super::pipeline::Inputs;
use super::super::trust::TrustBase;
use super::super::{configuration, gate, output, policy_file};
use super::args::ExplainArgs;
use agent_strace_effects::Repository;
use agent_strace_engine::policy_testing::{self, Explained, SingleEntryPolicies};
use agent_strace_ingest::discover::Selection;
use agent_strace_model::Session;
use agent_strace_policy::{Answer, Parts, Policy, provenance, read_text};
use agent_strace_report::{Colour, Explanation, terminal};

pub(super) fn run(
    trace_dir: &Path,
    args: &ExplainArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let coloured = environment.colour && !args.no_color;
    let file = policy_file::named_or_found(args.policy.as_deref());
    let file = file.as_str();
    let policy = policy_file::read_named(file).map_err(|faults| policy_file::unusable(file, &faults, coloured))?;
    let policy = configuration::suppressing(args.config.as_deref(), policy, coloured)?;
    let single =
        SingleEntryPolicies::new(&policy, |other| Parts::read(&read_text(Path::new(other.unwrap_or(file))).ok()?));
    let judge = Judge { file, policy: &policy, single: &single };
    let explanations = match call(args)? {
        Some((tool, arguments)) => {
            let cwd = directory(args.cwd.as_deref())?;
            let here = args.cwd.is_none();
            let repository = if here { gate::repository_by(&policy, TrustBase::at(None)).0 } else { Arc::default() };
            let root = if here { policy_file::workspace(&policy, &cwd) } else { cwd.clone() };
            let mut session = session_of(&tool, arguments, &cwd);
            session.root = Some(Cow::Borrowed(&root));
            vec![judge.explain(&session, &repository, 1)]
        }
        None => judge.of_sessions(trace_dir, args, environment, streams)?,
    };
    let (explanations, deciding): (Vec<Explanation>, Vec<Vec<String>>) = explanations.into_iter().flatten().unzip();
    let colour = if coloured { Colour::Ansi } else { Colour::Plain };
    let text = match args.format {
        PlainFormat::Text => {
            let explained = agent_strace_report::explanations_text(&explanations, colour, glyphs(environment));
            explained + &evidence(file, &policy, &deciding.concat(), streams)
        }
        PlainFormat::Json => agent_strace_report::explanations_json(&explanations),
    };
    output::print(streams.stdout, &text)?;
    Ok(0)
}

/// The call that stands on the command line: a tool and the JSON text of its arguments.
fn call(args: &ExplainArgs) -> Result<Option<(String, String)>, Failure> {
    if let Some(command) = &args.command {
        return Ok(Some(("Bash".to_owned(), serde_json::json!({ "command": command }).to_string())));
    }
    let (Some(tool), Some(input)) = (&args.tool, &args.input) else { return Ok(None) };
    serde_json::from_str::<serde_json::Value>(input).map_err(|error| {
        Failure::new(format!("the input of the tool is not JSON: {error}"))
            .hint("write it as a log would have it: --input '{\"file_path\": \".env\"}'")
    })?;
    Ok(Some((tool.clone(), input.clone())))
}

/// An explanation, and the entries that decided.
type Decided = (Explanation, Vec<String>);

struct Judge<'p> {
    file: &'p str,
    policy: &'p Policy,
    single: &'p SingleEntryPolicies,
}

impl Judge<'_> {
    /// `None`: there is no such event.
    fn explain(&self, session: &Session<'_>, repository: &Arc<Repository>, number: u32) -> Option<Decided> {
        let explained = self.single.explain(self.policy, session, repository, number);
        let (answer, decided_by) = strictest(&explained);
        let event = explained_event(session, self.policy, repository, number, &explained)?;
        let deciding = decided_by.clone();
        Some((Explanation::new(self.file, &session.id, answer, decided_by, event), deciding))
    }

    fn of_sessions(
        &self,
        trace_dir: &Path,
        args: &ExplainArgs,
        environment: Environment,
        streams: &mut Streams<'_>,
    ) -> Result<Vec<Option<Decided>>, Failure> {
        let requests: Vec<String> = args.session.iter().cloned().collect();
        let (repository, _) = gate::repository_by(self.policy, TrustBase::at(None));
        let inputs = Inputs::select(trace_dir, &requests, Selection::Latest, environment, streams.stdin)?;
        let (found, gaps) = inputs.all(|session| {
            let numbers = match args.event {
                Some(number) => vec![number],
                None => policy_testing::refused(self.policy, session, &repository),
            };
            numbers.into_iter().map(|number| self.explain(session, &repository, number)).collect::<Vec<_>>()
        });
        for line in agent_strace_report::gap_lines(&gaps) {
            output::note(streams.stderr, &line);
        }
        let found: Vec<Option<Decided>> = found.into_iter().flatten().collect();
        if found.iter().all(Option::is_none) {
            return Err(match args.event {
                Some(number) => Failure::new(format!("no event {number} did anything in that session"))
                    .hint("`agent-strace effects SESSION` shows the numbers of the events"),
                None => Failure::new("nothing in that session is refused")
                    .hint("name the number of an event; `agent-strace effects SESSION` shows them"),
            });
        }
        Ok(found)
    }
}

/// The sessions behind the entries that decided, one line for each: a generated policy has a file beside it that says so.
fn evidence(file: &str, policy: &Policy, deciding: &[String], streams: &mut Streams<'_>) -> String {
    let beside = provenance::file_of(Path::new(file));
    let Some(bytes) = output::read_small(&beside) else { return String::new() };
    let shown = terminal(&beside.display().to_string());
    let records = std::str::from_utf8(&bytes).map_err(|error| error.to_string()).and_then(provenance::read);
    let records = match records {
        Ok(records) => records,
        Err(error) => {
            output::note(streams.stderr, &format!("note: `{shown}` can't be read, and nothing judges by it: {error}"));
            return String::new();
        }
    };
    let mut text = String::new();
    for entry in policy.entries().filter(|entry| deciding.contains(&entry.name)) {
        let list = entry.location.pointer.rsplit_once('/').map_or("", |(list, _)| list).trim_start_matches('/');
        let list = list.replace("~1", "/").replace("~0", "~");
        if let Some(record) = records.iter().find(|record| record.list == list && record.entry == entry.text) {
            let day = |time: &Option<String>| time.as_ref().and_then(|time| time.get(..10)).map(terminal);
            let from = match (day(&record.first), day(&record.last)) {
                (Some(first), Some(last)) => format!(", {first} to {last}"),
                _ => String::new(),
            };
            let (sessions, calls) = (counted(record.sessions, "session"), counted(record.calls, "call"));
            let _ = writeln!(text, "{} comes from {sessions} ({calls}{from}), says {shown}", entry.name);
        }
    }
    text
}

fn counted(number: u64, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// What the effects come to, and which entries say so.
fn strictest(explained: &[Explained]) -> (Answer, Vec<String>) {
    let entries: Vec<&_> = explained.iter().map(|explained| &explained.judged).collect();
    policy_testing::answer_of(&entries)
}

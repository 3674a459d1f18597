//! `init REPOSITORY…`: a policy to start from for each of many repositories, on a base that they share or each by itself.

use std::collections::BTreeMap;

use agent_strace_policy::Policy;
use agent_strace_policy::format::{self, Comments};

use super::super::Streams;
use super::super::environment::Environment;
use super::super::failure::Failure;
use super::super::onboarding::{self, About, BaseFile, Mode, Outcome, Row, Summary, Written, place_in};
use super::super::targets::{self, Target};
use super::{InitArgs, Shipped, ecosystems, start, suggestion};

pub(super) fn run(args: &InitArgs, environment: Environment, streams: &mut Streams<'_>) -> Result<u8, Failure> {
    let shipped = super::shipped(args)?;
    let targets = targets::targets(&args.repositories, args.repos_from.as_deref(), streams.stdin)?;
    let mode = if args.force { Mode::Replace } else { Mode::Keep };
    let name = onboarding::policy_name(args.output.as_deref());
    onboarding::refuse_own_policy(args.base.as_deref(), &targets, &name)?;
    if let Some(file) = args.base.as_deref().filter(|file| args.repin && file.symlink_metadata().is_err()) {
        let shown = agent_strace_report::terminal(&file.display().to_string());
        return Err(Failure::new(format!("there is no base `{shown}` to give to the repositories"))
            .hint("without `--repin`, `--base` writes a base that is not there yet"));
    }
    let base = match &args.base {
        Some(file) => Some(BaseFile::open(file, &name, mode, || Ok(shipped.text.to_owned()))?),
        None => None,
    };
    let mut summary = Summary::new(About::Ecosystems, base.as_ref());
    let mut fitting: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    onboarding::each(&targets, &mut summary, environment, &mut |target: &Target| {
        let place = place_in(&target.path, &name)?;
        if let Some(base) = base.as_ref().filter(|_| args.repin) {
            return repinned(target, &place, base);
        }
        let row = policy_of(shipped, target, &place, base.as_ref(), mode)?;
        if let Some((name, _)) = suggestion(&target.path).filter(|(name, _)| *name != shipped.name) {
            fitting.entry(name).or_default().push(target.shown.clone());
        }
        Ok(row)
    });
    let is_done = |row: &Row| matches!(row.outcome, Outcome::Written | Outcome::Unchanged);
    if summary.rows.iter().any(is_done) {
        summary.next = next(base.as_ref());
        if base.as_ref().is_some_and(|base| !base.base.takes_rules()) {
            summary.next.push(
                "the base has no `rules`, so nothing was added for the ecosystems: `\"rules\": []` in the base asks for it"
                    .to_owned(),
            );
        }
        for (name, repositories) in fitting {
            summary.next.push(format!(
                "`--policy {name}` may fit the files of these repositories better: {}",
                repositories.join(", ")
            ));
        }
    }
    onboarding::finish(&summary, args.format, streams)
}

fn repinned(target: &Target, place: &std::path::Path, base: &BaseFile) -> Result<Row, Failure> {
    let (outcome, text) = onboarding::repin(place, base)?;
    let policy = base.base.read("policy", &text);
    let policy =
        policy.map_err(|faults| Failure::new(format!("internal error: the policy can't be read: {faults}")))?;
    let mut row = Row::new(&target.shown, outcome);
    row.policy = Some(place.display().to_string());
    Ok(row.holding(&policy, &text))
}

fn policy_of(
    shipped: &Shipped,
    target: &Target,
    place: &std::path::Path,
    base: Option<&BaseFile>,
    mode: Mode,
) -> Result<Row, Failure> {
    let found = ecosystems::found_in(&target.path);
    let base_text = base.map(|base| base.base.text());
    let (text, added) = match base {
        None => start(shipped, shipped.text, None, &found)?,
        Some(base) => start(shipped, &extending(base, RULES_AND_TESTS)?, base_text, &found)?,
    };
    let text = match base {
        Some(base) if added.is_none() => extending(base, "")?,
        _ => text,
    };
    let own_fault = |faults| Failure::new(format!("internal error: the policy can't be read: {faults}"));
    let policy = match base {
        Some(base) => base.base.read("policy", &text),
        None => Policy::from_bytes("policy", None, text.as_bytes()),
    };
    let policy = policy.map_err(own_fault)?;
    let is_replaced = mode == Mode::Replace && place.symlink_metadata().is_ok();
    let outcome = onboarding::write(&Written { place, text: &text }, base, mode)?;
    if is_replaced {
        super::forget_provenance(place)?;
    }
    let mut row = Row::new(&target.shown, outcome);
    row.policy = Some(place.display().to_string());
    row.ecosystems = Some(found.iter().map(|found| found.name().to_owned()).collect());
    if outcome == Outcome::Kept {
        row.reason = Some(format!("`{}` is there already", place.display()));
        row.hints = vec!["`--force` replaces policies that are there".to_owned()];
        if base.is_some() {
            row.hints
                .push("`--repin` gives those that extend the base its present text, and keeps the rest".to_owned());
        }
        return Ok(row);
    }
    Ok(row.holding(&policy, &text))
}

/// Where rules and tests are added.
const RULES_AND_TESTS: &str = ", \"rules\": [\n], \"tests\": [\n]";

/// A policy that states nothing of its own yet. `lists`: empty lists that it has.
fn extending(base: &BaseFile, lists: &str) -> Result<String, Failure> {
    let name = base.base.name();
    let text = format!(
        "// What agents may do in this repository beyond `{name}`, the copy of a base that several repositories share.\n\
         // A list that is stated here replaces that of the base. To allow or to deny one thing more, add a rule: rules join\n\
         // those of the base.\n\
         {{ \"version\": 2, \"extends\": {}{lists} }}\n",
        base.base.extension()
    );
    let own_fault = |faults| Failure::new(format!("internal error: the policy can't be read: {faults}"));
    format::format("the policy", &text, Comments::Keep).map_err(own_fault)
}

fn next(base: Option<&BaseFile>) -> Vec<String> {
    let (commit, test) = match base {
        Some(_) => (
            "read the base and what the policies add to it, and commit each policy together with its copy of the base",
            "`agent-strace policy test FILE` shows that the base, and each policy with tests of its own, does what it says",
        ),
        None => (
            "read the policies, and commit them",
            "in each repository, `agent-strace policy test` shows that the policy does what it says",
        ),
    };
    [
        commit,
        test,
        "judge what agents did there so far: `agent-strace check --discover`",
        "judge every pull request: `agent-strace init --ci github`, or `--ci gitlab`",
    ]
    .map(str::to_owned)
    .to_vec()
}

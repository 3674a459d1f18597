//! One call of the program: what its options say about what judges, and what is judged.

use super::super::answer::Fault;
use super::super::scene::Scene;
use super::super::{sides, sources};
use super::words::Start;
use agent_strace_git::change_set::from_top;

/// The part of a judgement that an option decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bears {
    /// How the verdict is shown.
    Nothing,
    Base,
    BaseBranch,
    Head,
    GitDir,
    Level,
    Reviewed,
    Policy,
    Store,
    Source,
    /// Settings that take findings back.
    Settings,
    /// Some sessions only, or others than those of the change.
    Sessions,
    /// Findings that are not counted.
    Known,
    Clock,
    NoPolicy,
    /// It is shown how to call the program, and nothing is judged.
    Help,
}

/// Whether the next word is its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Value {
    Takes,
    None,
}

/// All options of `check` and `audit`: another one is not understood.
const OPTIONS: &[(&str, Value, Bears)] = &[
    ("--all-findings", Value::None, Bears::Nothing),
    ("--format", Value::Takes, Bears::Nothing),
    ("--output", Value::Takes, Bears::Nothing),
    ("-o", Value::Takes, Bears::Nothing),
    ("--report", Value::Takes, Bears::Nothing),
    ("--quiet", Value::None, Bears::Nothing),
    ("-q", Value::None, Bears::Nothing),
    ("--no-color", Value::None, Bears::Nothing),
    ("--no-suppressions", Value::None, Bears::Nothing),
    ("--root", Value::Takes, Bears::Nothing),
    ("--lint", Value::None, Bears::Nothing),
    ("--lint-config", Value::Takes, Bears::Nothing),
    ("--evals", Value::Takes, Bears::Nothing),
    ("--verdicts", Value::Takes, Bears::Nothing),
    ("--hooks", Value::Takes, Bears::Nothing),
    ("--prices", Value::Takes, Bears::Nothing),
    ("--write-baseline", Value::Takes, Bears::Nothing),
    ("--force", Value::None, Bears::Nothing),
    ("--all", Value::None, Bears::Nothing),
    ("--policy-ref", Value::Takes, Bears::Base),
    ("--base", Value::Takes, Bears::Base),
    ("--base-branch", Value::Takes, Bears::BaseBranch),
    ("--head", Value::Takes, Bears::Head),
    ("--git-dir", Value::Takes, Bears::GitDir),
    ("--fail-on", Value::Takes, Bears::Level),
    ("--tampering-reviewed", Value::Takes, Bears::Reviewed),
    ("--policy", Value::Takes, Bears::Policy),
    ("--trace-dir", Value::Takes, Bears::Store),
    ("--source", Value::Takes, Bears::Source),
    ("--config", Value::Takes, Bears::Settings),
    ("--discover", Value::None, Bears::Sessions),
    ("--work-tree", Value::Takes, Bears::Nothing),
    ("--agent", Value::Takes, Bears::Sessions),
    ("--since", Value::Takes, Bears::Sessions),
    ("--project", Value::Takes, Bears::Sessions),
    ("--baseline", Value::Takes, Bears::Known),
    ("--now", Value::Takes, Bears::Clock),
    ("--allow-no-policy", Value::None, Bears::NoPolicy),
    ("--help", Value::None, Bears::Help),
    ("-h", Value::None, Bears::Help),
    ("--version", Value::None, Bears::Help),
    ("-V", Value::None, Bears::Help),
];
const LEVELS: &[&str] = &["error", "warning", "note"];

/// A call that gives a verdict.
#[derive(Debug, Default)]
pub(in crate::doctor) struct Verdict {
    /// The file that it names as its policy.
    pub(in crate::doctor) policy: Option<String>,
    /// How far it believes logs.
    pub(in crate::doctor) source: Option<String>,
    pub(in crate::doctor) faults: Vec<Fault>,
}

/// Whether arguments ask for a verdict about sessions and a change.
pub(super) fn is_verdict(arguments: &[String]) -> bool {
    matches!(command(arguments), Some("check" | "audit"))
}

/// The command: the first word that is no global option and no value of one.
fn command(arguments: &[String]) -> Option<&str> {
    let mut words = arguments.iter().map(String::as_str);
    while let Some(word) = words.next() {
        match word {
            "--trace-dir" => drop(words.next()),
            // It separates the arguments of a program that starts the gate from those of the gate.
            "--" => {}
            _ if word.starts_with("--trace-dir=") => {}
            _ => return Some(word),
        }
    }
    None
}

/// Options with their values, and operands.
struct Arguments<'a> {
    options: Vec<(Bears, &'a str, &'a str)>,
    operands: Vec<&'a str>,
    faults: Vec<Fault>,
}

fn read(words: &[String]) -> Arguments<'_> {
    let mut found = Arguments { options: Vec::new(), operands: Vec::new(), faults: Vec::new() };
    let mut rest = words.iter().map(String::as_str);
    let mut is_operand = false;
    while let Some(word) = rest.next() {
        if word == "--" {
            is_operand = !found.operands.is_empty();
        } else if is_operand || !word.starts_with('-') || word == "-" {
            found.operands.push(word);
        } else {
            let (name, joined) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
            match OPTIONS.iter().find(|(known, ..)| *known == name) {
                Some((_, Value::Takes, bears)) => {
                    found.options.push((*bears, name, joined.or_else(|| rest.next()).unwrap_or_default()));
                }
                Some((_, Value::None, bears)) => found.options.push((*bears, name, "")),
                None => found.faults.push(Fault::unknown(
                    "gate/options",
                    format!("`{name}` is no option of the gate that is known here: take it out"),
                )),
            }
        }
    }
    // The first operand is the command.
    found.operands.drain(..found.operands.len().min(1));
    found
}

pub(super) fn verdict(start: &Start, scene: &Scene<'_>) -> Verdict {
    let arguments = read(&start.arguments);
    let mut verdict = Verdict { faults: arguments.faults, ..Verdict::default() };
    let has = |wanted: Bears| arguments.options.iter().any(|(bears, ..)| *bears == wanted);
    if !has(Bears::Base) {
        let message = "it is judged by the policy that the change brings: add `--policy-ref auto`, or the base branch";
        verdict.faults.push(Fault::defeats("gate/base", message));
    }
    if command(&start.arguments) == Some("audit") && !start.arguments.iter().any(|word| word == "--all") {
        verdict.faults.push(Fault::defeats("gate/sessions", "`audit` judges the latest session only: use `check`"));
    }
    for (bears, name, value) in &arguments.options {
        of_option(*bears, name, &scene.resolved(value), scene, &mut verdict);
    }
    let operands: Vec<String> = arguments.operands.iter().map(|operand| scene.resolved(operand)).collect();
    verdict.faults.extend(sources::of_sessions(&operands, scene));
    let values = |wanted: Bears| {
        let options = arguments.options.iter().filter(move |(bears, ..)| *bears == wanted);
        options.map(|(.., value)| scene.resolved(value)).collect::<Vec<_>>()
    };
    let reads_commits = has(Bears::Head) || has(Bears::GitDir);
    if operands.is_empty() {
        verdict.faults.extend(sides::of_checkout(&values(Bears::Base), reads_commits, scene));
    }
    if has(Bears::GitDir) && !has(Bears::Head) && !values(Bears::Base).iter().any(|base| base == "auto") {
        let message =
            "nothing here says which commit of `--git-dir` is judged: name it with `--head`, or judge by `auto`";
        verdict.faults.push(Fault::unknown("gate/head", message));
    }
    verdict.faults.extend(scene.moves.fault(reads_commits));
    verdict.faults.extend(sources::of_program(&start.program, &start.before, scene));
    verdict.faults.extend(sources::of_version(&start.program, &start.before));
    verdict.faults.extend(start.variables.iter().filter_map(|name| sources::of_variable(name)));
    verdict
}

/// A call in a folder below the top of the repository reads the policy and the sessions there.
pub(super) fn elsewhere(start: &Start, folder: Option<&str>, scene: &Scene<'_>) -> Option<Fault> {
    let folder = folder.or(scene.folder.as_deref())?;
    let reads_repository = start.arguments.iter().any(|word| word.starts_with("--git-dir"));
    let bare = folder.trim_start_matches("./").trim_end_matches('/');
    let is_top = matches!(bare, "" | "." | "$GITHUB_WORKSPACE" | "$CI_PROJECT_DIR")
        || bare.replace(' ', "") == "${{github.workspace}}"
        || scene.checkouts.iter().any(|path| path == bare);
    (!reads_repository && !is_top).then(|| {
        let message = format!(
            "it runs in `{folder}`, and reads the policy and the sessions there: run it at the top of the repository"
        );
        Fault::unknown("gate/folder", message)
    })
}

fn of_option(bears: Bears, name: &str, value: &str, scene: &Scene<'_>, verdict: &mut Verdict) {
    let fault = match bears {
        Bears::Nothing | Bears::GitDir => None,
        Bears::Base => sides::of_base(value, scene),
        Bears::BaseBranch => sides::of_branches(value),
        Bears::Head => sides::of_head(value, scene),
        Bears::Level => of_level(value),
        Bears::Reviewed => (!value.contains('$') && !value.is_empty()).then(|| {
            let message = format!("it says of every change that `{value}` reviewed what it does to the gate");
            Fault::defeats("gate/reviewed", message)
        }),
        Bears::Policy if value.contains('$') => {
            Some(Fault::limits("gate/policy", "nothing here says which policy judges: write its path out"))
        }
        Bears::Policy => {
            verdict.policy = Some(value.trim_start_matches("./").to_owned());
            None
        }
        Bears::Store => of_store(value, scene),
        Bears::Source => {
            verdict.source = Some(value.to_owned());
            None
        }
        Bears::Settings => of_settings(value),
        Bears::Sessions => {
            Some(Fault::defeats("gate/sessions", format!("`{name}` leaves out sessions of the change: take it out")))
        }
        Bears::Known | Bears::Clock | Bears::NoPolicy | Bears::Help => of_verdict(bears, name, value),
    };
    verdict.faults.extend(fault);
}

/// Options that take something from the verdict.
fn of_verdict(bears: Bears, name: &str, value: &str) -> Option<Fault> {
    match bears {
        Bears::Known => Some(Fault::unknown(
            "gate/known",
            format!(
                "the findings in `{value}` are not counted, and nothing here reads them: take `--baseline` out, or name it in `.agent-strace.yaml`"
            ),
        )),
        Bears::Clock => {
            Some(Fault::limits("gate/clock", "exceptions that ended hold on at a fixed time: take `--now` out"))
        }
        Bears::NoPolicy => {
            Some(Fault::weak("gate/no-policy", "without a policy it judges all the same: take `--allow-no-policy` out"))
        }
        Bears::Help => {
            Some(Fault::defeats("gate/forgiven", format!("`{name}` shows a text, and nothing is judged: take it out")))
        }
        _ => None,
    }
}

fn of_level(level: &str) -> Option<Fault> {
    match level {
        // The rule about settings finds it, too, and says the same.
        "never" => Some(Fault::defeats(
            "gate/forgiven",
            "`--fail-on never` lets no finding fail the gate: name the level that does",
        )),
        _ if LEVELS.contains(&level) => None,
        _ => {
            Some(Fault::defeats("gate/forgiven", format!("nothing here says which findings fail the gate: `{level}`")))
        }
    }
}

fn of_store(folder: &str, scene: &Scene<'_>) -> Option<Fault> {
    let is_store = from_top("", folder.trim_end_matches('/')).as_deref() == Some(scene.held.store.as_str());
    (!is_store)
        .then(|| Fault::defeats("gate/store", format!("no session is recorded in `{folder}`: leave `--trace-dir` out")))
}

fn of_settings(file: &str) -> Option<Fault> {
    let bare = file.trim_start_matches("./");
    (!super::super::SETTINGS.contains(&bare)).then(|| {
        let message = format!(
            "the settings in `{file}` may take findings back, and nothing here reads them: take `--config` out, and name \
             the file `.agent-strace.yaml`"
        );
        Fault::unknown("gate/settings", message)
    })
}

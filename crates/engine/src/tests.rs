use agent_strace_testing::specs;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use super::session::{Judging, judge_session};
use super::*;
use agent_strace_effects::Repository;
use agent_strace_model::attribution::note_each;
use agent_strace_model::dialect::Carries;
use agent_strace_model::evidence::{Chain, Count, Counted, Subagent};
use agent_strace_model::finding::{Family, Level, PolicyLocation, VerdictImpact};
use agent_strace_model::{
    Arguments, Dialect, Ending, Event, EventKind, GapKind, Origin, RawText, Session, Speaker, Spent, ToolCall,
    ToolResult, Usage,
};
use agent_strace_policy::Policy;
use agent_strace_policy::config::lint::Lints;
use agent_strace_policy::config::private::Private;
use agent_strace_policy::config::{evals, hooks};
use agent_strace_policy::hooks::HookPolicy;
use agent_strace_rules::eval::{Baseline, Demands, Verdicts};
use agent_strace_rules::mcp::Offer;
use agent_strace_rules::retention::{Exceeded, Overdue};
use agent_strace_rules::{Source, private};

/// The lines of a session block. Calls: `$ cmd`, `read path`, `write path`, `edit path`, `fetch url`, after `refused ` if
/// it never ran, `failed ` if it failed, `unanswered ` if no result is recorded, `by ID ` if the sub-agent made it; `spawn KIND`; `call TOOL JSON`.
/// Words: `prompt`, `say` (the model), `summary` (the host), `failure`, `result` (of the last call; a text, or a JSON literal), `end STATUS`.
/// `lint JSON` is the lint file. `search RULE`: the log is searched for that, too. What the log
/// proves and says: see [`fact`]. `today DAY` is the day of the run. `overdue …`: the store should not hold the
/// session any more. `session ID [of PARENT]` begins another session of
/// the run.
#[derive(Debug)]
struct Block {
    sessions: Vec<(Session<'static>, Vec<Gap>)>,
    source: Source,
    today: Option<jiff::civil::Date>,
    lints: Option<Lints>,
    /// Rules about private data that look beside those that always do.
    searched: Vec<String>,
    /// Of the session at the index.
    overdue: Vec<(usize, Overdue)>,
    offers: Vec<(usize, Offer)>,
}

fn block(lines: &[&str]) -> Block {
    let mut block = Block {
        sessions: vec![(named("session"), Vec::new())],
        source: Source::default(),
        today: None,
        lints: None,
        searched: Vec::new(),
        overdue: Vec::new(),
        offers: Vec::new(),
    };
    for line in lines {
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        match verb {
            "session" => {
                let (id, parent) = rest.split_once(" of ").map_or((rest, None), |(id, parent)| (id, Some(parent)));
                let parent = parent.map(|parent| Cow::Owned(parent.to_owned()));
                block.sessions.push((Session { parent, ..named(id) }, Vec::new()));
            }
            "offer" => block.offers.push((block.sessions.len() - 1, offer(rest))),
            "overdue" => block.overdue.push((block.sessions.len() - 1, overdue(rest))),
            "lint" => block.lints = Some(lints(rest)),
            "search" => block.searched.push(rest.to_owned()),
            "today" => block.today = Some(rest.parse().unwrap()),
            "source" => {
                let sources = [Source::Runner, Source::Artifact, Source::PullRequest, Source::Attested];
                block.source = sources.into_iter().find(|source| source.name() == rest).unwrap();
            }
            _ => {
                let (session, gaps) = block.sessions.last_mut().unwrap();
                if !fact(session, gaps, verb, rest) {
                    let number = u32::try_from(session.events.len()).unwrap() + 1;
                    session.events.push(event(line, number));
                }
            }
        }
    }
    block
}

/// `age DAY LIMIT`, `count LIMIT`, `size LIMIT` or `unknown`.
/// `offer EVENT TIME SERVER TOOL DIGEST [LEVEL REASONS]`: how a server described a tool.
fn offer(line: &str) -> Offer {
    let mut words = line.splitn(7, ' ');
    let mut word = || words.next();
    let (event, time) = (word().unwrap().parse().unwrap(), word().unwrap().parse().unwrap());
    let (server, tool, digest) = (word().unwrap(), word().unwrap(), word().unwrap());
    let level = word().map(|level| if level == "error" { Level::Error } else { Level::Warning });
    Offer {
        at: (event, event),
        time: Some(time),
        server: (server.to_owned(), String::new()),
        tool: Some(tool.to_owned()),
        shown: format!("the tool `{tool}` of the server `{server}`"),
        digest: digest.to_owned(),
        poison: level.map(|level| (level, word().unwrap().to_owned())),
    }
}

fn overdue(line: &str) -> Overdue {
    let words: Vec<&str> = line.split(' ').collect();
    let (exceeds, key) = match words.as_slice() {
        ["age", began, days] => {
            let (began, days) = (began.parse().unwrap(), days.parse().unwrap());
            (Exceeded::Age { began, days }, "max_age_days")
        }
        ["count", most] => (Exceeded::Count { most: most.parse().unwrap() }, "max_sessions"),
        ["size", megabytes] => (Exceeded::Size { megabytes: megabytes.parse().unwrap() }, "max_size_mb"),
        _ => (Exceeded::Unknown, "max_age_days"),
    };
    let file = Some(".agent-strace.yaml".into());
    Overdue { exceeds, location: PolicyLocation { pointer: format!("/retention/{key}"), line: 2, column: 17, file } }
}

fn named(id: &str) -> Session<'static> {
    Session {
        id: Cow::Owned(id.to_owned()),
        root: Some(Cow::Borrowed("/repo")),
        ..Session::new(&DIALECT, &format!("{id}.jsonl"))
    }
}

pub(super) fn session(lines: &[&str]) -> Session<'static> {
    block(lines).sessions.remove(0).0
}

static DIALECT: Dialect = Dialect::new("claude-code", "claude-code").shell_stays();
static SOME: Dialect = Dialect::new("cursor", "cursor").carrying(Carries::SomeCalls("deleted files are not in it"));
static REQUESTS: Dialect = Dialect::new("firewall-audit", "gh-aw").carrying(Carries::Requests);
static AUTHORSHIP: Dialect = Dialect::new("git-ai", "git-ai").carrying(Carries::Authorship);

/// What a line says about the log or about who ran the session; `false` if it says nothing of that kind.
fn fact(session: &mut Session<'static>, gaps: &mut Vec<Gap>, verb: &str, rest: &str) -> bool {
    let value = || Cow::Owned(rest.to_owned());
    let count = || rest.parse().unwrap_or(1);
    let (evidence, who) = (&mut session.evidence, &mut session.attribution);
    match verb {
        "gap" => {
            gaps.push(Gap { file: session.source.clone(), line: Some(1), kind: GapKind::malformed(rest.to_owned()) });
        }
        "truncated" => evidence.truncated = true,
        "compacted" => evidence.compactions = count(),
        "rewound" => evidence.rewinds = count(),
        "removed" => evidence.removed = count(),
        "counts" => {
            let (what, stated) = rest.split_once(' ').unwrap();
            let known = [Counted::ToolCalls, Counted::Errors, Counted::Steps];
            let what = known.into_iter().find(|known| known.name() == what).unwrap();
            let calls = session.events.iter().filter(|event| matches!(event.kind, EventKind::Call(_))).count();
            let recorded = if what == Counted::ToolCalls { u64::try_from(calls).unwrap() } else { 0 };
            evidence.counts.push(Count { what, stated: stated.parse().unwrap(), recorded });
        }
        "credential" => evidence.credentials.push(value()),
        "unknown" => session.unknown_records = count(),
        "chain" if rest == "intact" => evidence.chain = Chain::Intact,
        "chain" if rest == "late" => evidence.chain = Chain::Late,
        "chain" => evidence.chain = Chain::Broken(rest.strip_prefix("broken ").unwrap().parse().unwrap()),
        "carries" => {
            session.dialect = match rest {
                "some" => &SOME,
                "requests" => &REQUESTS,
                _ => &AUTHORSHIP,
            };
        }
        "subagent" => {
            let (id, calls) = rest.split_once(' ').map_or((rest, None), |(id, calls)| (id, Some(calls)));
            let id = (id != "-").then(|| Cow::Owned(id.to_owned()));
            let event = u32::try_from(session.events.len()).unwrap().max(1);
            let calls = calls.map(|calls| calls.parse().unwrap());
            evidence.subagents.push(Subagent { event, id, call_id: None, kind: Some(Cow::Borrowed("Explore")), calls });
        }
        "starts" => {
            let (status, id) = rest.split_once(' ').unwrap();
            let status = if status == "refused" { Status::Denied } else { Status::Missing };
            let call_id = Some(value());
            let number = u32::try_from(session.events.len()).unwrap() + 1;
            let mut started = event("read a", number);
            if let EventKind::Call(call) = &mut started.kind {
                (call.call_id, call.tool, call.status) = (call_id.clone(), Cow::Borrowed("Task"), status);
                call.arguments = Arguments::Json(Cow::Borrowed(r#"{"prompt":"look"}"#));
            }
            session.events.push(started);
            let id = Some(Cow::Owned(id.to_owned()));
            evidence.subagents.push(Subagent { event: number, id, call_id, kind: None, calls: None });
        }
        "time" => session.events.last_mut().unwrap().time = Some(value()),
        "prompt" => tell(session, EventKind::Prompt(RawText::Plain(value()))),
        "skill" | "reminder" | "feedback" => {
            let speaker = match verb {
                "skill" => Speaker::Skill,
                "feedback" => Speaker::HookFeedback,
                _ => Speaker::Reminder,
            };
            tell(session, EventKind::Prompt(RawText::Plain(value())));
            session.events.last_mut().unwrap().origin.speaker = speaker;
        }
        "say" => tell(session, EventKind::Message(RawText::Plain(value()))),
        "summary" => tell(session, EventKind::Instruction(RawText::Plain(value()))),
        "failure" => tell(session, EventKind::Failure(RawText::Plain(value()))),
        "end" => {
            let status = (!rest.is_empty()).then(value);
            tell(session, EventKind::End(Ending { status, ..Ending::default() }));
        }
        "result" => {
            let id = format!("call-{}", session.events.len());
            if let Some(Event { kind: EventKind::Call(call), .. }) = session.events.last_mut() {
                call.call_id = Some(Cow::Owned(id.clone()));
            }
            // A literal holds several lines.
            let text = serde_json::from_str(rest).map_or_else(|_| value(), Cow::Owned);
            let text = Some(RawText::Plain(text));
            tell(session, EventKind::Result(ToolResult { call_id: Some(Cow::Owned(id)), text, is_error: false }));
        }
        "used" => spend(session, rest),
        "agent" => session.agent = value(),
        "user" => who.user = Some(value()),
        "host" => who.host = Some(value()),
        "version" => who.version = Some(value()),
        "model" => note_each(&mut who.models, Some(value())),
        "permission" => note_each(&mut who.permission_modes, Some(value())),
        "sandbox" => note_each(&mut who.sandboxes, Some(value())),
        "branch" => note_each(&mut who.branches, Some(value())),
        "commit" => who.commit = Some(value()),
        _ => return false,
    }
    true
}

fn tell(session: &mut Session<'static>, kind: EventKind<'static>) {
    let number = u32::try_from(session.events.len()).unwrap() + 1;
    let origin = Origin { row: number, ..Origin::default() };
    session.events.push(Event { origin, kind, ..event("read a", number) });
}

/// A lint file.
fn lints(text: &str) -> Lints {
    Lints::read("lint.json", text.as_bytes(), &agent_strace_rules::lint::declared())
        .unwrap_or_else(|faults| panic!("{faults}"))
}

/// `MESSAGE INPUT OUTPUT`
fn spend(session: &mut Session<'static>, line: &str) {
    let mut words = line.split(' ');
    let message = words.next().map(|word| Cow::Owned(word.to_owned()));
    let mut count = || words.next().unwrap().parse().unwrap();
    let usage = Usage { requests: 1, input: count(), output: count(), ..Usage::default() };
    if !session.spent.iter().any(|spent| spent.message == message) {
        session.usage.requests += 1;
        session.usage.input += usage.input;
        session.usage.output += usage.output;
    }
    let after = session.events.len();
    let origin = Origin::default();
    session.spent.push(Spent { after, origin, time: None, message, model: None, tier: None, usage, window: None });
}

fn event(line: &str, number: u32) -> Event<'static> {
    let (status, line) = match line.split_once(' ') {
        Some(("refused", rest)) => (Status::Denied, rest),
        Some(("unanswered", rest)) => (Status::Missing, rest),
        Some(("failed", rest)) => (Status::Error, rest),
        _ => (Status::Ok, line),
    };
    let (subagent, line) = match line.strip_prefix("by ").and_then(|rest| rest.split_once(' ')) {
        Some((id, rest)) => (Some(Cow::Owned(id.to_owned())), rest),
        None => (None, line),
    };
    let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
    let (tool, arguments) = match verb {
        "$" => ("Bash", serde_json::json!({"command": rest})),
        "read" => ("Read", serde_json::json!({"file_path": rest})),
        "write" => ("Write", serde_json::json!({"file_path": rest, "content": ""})),
        "edit" => ("Edit", serde_json::json!({"file_path": rest, "old_string": "a", "new_string": "b"})),
        "spawn" => ("Task", serde_json::json!({"subagent_type": rest, "prompt": ""})),
        "fetch" => ("WebFetch", serde_json::json!({"url": rest, "prompt": ""})),
        "call" => {
            let (tool, json) = rest.split_once(' ').unwrap();
            (tool, serde_json::from_str(json).unwrap_or_else(|error| panic!("{json}: {error}")))
        }
        tool if tool.starts_with("mcp__") => (tool, serde_json::from_str(rest).unwrap()),
        other => panic!("`{other}` is not a verb of a session block"),
    };
    let call = ToolCall {
        call_id: None,
        tool: Cow::Owned(tool.to_owned()),
        arguments: Arguments::Json(Cow::Owned(arguments.to_string())),
        cwd: None,
        status,
        subagent,
    };
    Event { number, id: None, line: number, time: None, origin: Origin::default(), kind: EventKind::Call(call) }
}

pub(super) fn policy(text: &str) -> Policy {
    Policy::from_bytes("scope.json", None, text.as_bytes()).unwrap_or_else(|faults| panic!("{faults}"))
}

fn judge(policy: &Policy, lines: &[&str]) -> SessionOutcome {
    judge_session(&session(lines), Vec::new(), by(policy, &Arc::default()))
}

/// By the policy alone.
fn by<'a>(policy: &'a Policy, repository: &'a Arc<Repository>) -> Judging<'a> {
    Judging {
        policy,
        repository,
        lines: Box::leak(Box::default()),
        earlier: &[],
        entries: Entries::Drop,
        demands: None,
        lints: None,
        exposed: None,
        change: None,
        pending_call: None,
        work_tree: None,
    }
}

/// A log that such a session might come from: each event on its line.
fn log(session: &Session<'_>) -> String {
    let line = |event: &Event<'_>| match &event.kind {
        EventKind::Call(call) => match &call.arguments {
            Arguments::Json(json) => format!("{{\"input\":{json}}}\n"),
            _ => "{}\n".to_owned(),
        },
        EventKind::Prompt(text) | EventKind::Message(text) | EventKind::Instruction(text) => {
            format!("{}\n", serde_json::json!({"text": text.decode()}))
        }
        EventKind::Result(ToolResult { text: Some(text), .. }) => {
            format!("{}\n", serde_json::json!({"output": text.decode()}))
        }
        _ => "{}\n".to_owned(),
    };
    session.events.iter().map(line).collect()
}

/// All sessions of a block, concluded.
pub(super) fn conclude_block(policy: &Policy, lines: &[&str], settings: &Settings) -> Outcome {
    let Block { sessions, source, today, lints, searched, overdue, offers } = block(lines);
    let repository = Arc::default();
    let judging = Judging { lints: lints.as_ref(), demands: settings.demands.as_deref(), ..by(policy, &repository) };
    let wanted = private::Wanted::new(&Private::default(), searched.iter().map(String::as_str)).unwrap();
    let judge = |(session, gaps)| {
        let one = std::slice::from_ref(&session);
        let exposed = private::Exposed::of(&wanted, log(&session).as_bytes(), None, one).unwrap();
        judge_session(&session, gaps, Judging { exposed: Some(Share { exposed: &exposed, at: 0 }), ..judging })
    };
    let mut judged: Vec<SessionOutcome> = sessions.into_iter().map(judge).collect();
    for (index, overdue) in overdue {
        judged[index].account.overdue = Some(overdue);
    }
    for (index, offer) in offers {
        judged[index].account.offers.push(offer);
    }
    conclude(policy, judged, Vec::new(), &Settings { today, source, ..settings.clone() })
}

fn demands(text: &str) -> Demands {
    let evals = evals::read(".agent-evals.yaml", text.as_bytes()).unwrap_or_else(|faults| panic!("{faults}"));
    Demands { evals, baseline: None, verdicts: Verdicts::default() }
}

fn manifest(text: &str) -> HookPolicy {
    hooks::read(".claw-policy.json", text.as_bytes()).unwrap_or_else(|faults| panic!("{faults}"))
}

fn based(demands: Arc<Demands>, text: &str) -> Arc<Demands> {
    let Demands { evals, verdicts, .. } = Arc::into_inner(demands).unwrap();
    let baseline = Baseline::read(text, &evals).unwrap_or_else(|fault| panic!("{fault}"));
    Arc::new(Demands { evals, baseline: Some((baseline, 0.0)), verdicts })
}

#[test]
fn every_case_of_every_spec_reports_what_it_says() {
    // Those about repositories and settings have no sessions: the crates that report them run their cases. Those about changes take a repository, too.
    use agent_strace_rules::Check::{Change, Repository, Settings};
    specs::hold(
        agent_strace_rules::all()
            .iter()
            .filter(|rule| !matches!(rule.check, Repository | Change(_) | Settings))
            .map(|rule| rule.id.as_str()),
        with_findings,
    );
}

/// The spec with its findings blocks as they are now, and whether the rule itself was among them.
fn with_findings(text: &str, id: &str) -> (String, bool) {
    let (mut written, mut fires) = (String::new(), false);
    let mut block: Option<&str> = None;
    let (mut scope, mut acts, mut settings) = ("{}", Vec::new(), Settings::default());
    let mut hooks = HookPolicy::default();
    for line in text.lines() {
        match (block, line) {
            (None, "```session" | "```findings") => {
                block = Some(line);
                if line == "```session" {
                    acts.clear();
                    settings = Settings::default();
                    hooks = HookPolicy::default();
                } else {
                    written.push_str("```findings\n");
                    let mut lines = acts.clone();
                    // A lint rule is told of alone, by its defaults, unless a case says otherwise.
                    let alone = alone(id);
                    if let Some(alone) =
                        alone.as_deref().filter(|_| !acts.iter().any(|act: &&str| act.starts_with("lint ")))
                    {
                        lines.insert(0, alone);
                    }
                    let outcome = conclude_block(&policy(scope).hooked(hooks.clone()), &lines, &settings);
                    for (session, finding) in told(&outcome) {
                        fires |= finding.rule.as_str() == id;
                        // Findings of other families about the same calls are not listed.
                        if Family::of(id) == Some(Family::Lint) && finding.rule.family() != Family::Lint {
                            continue;
                        }
                        writeln!(written, "{}", in_words(session, finding)).unwrap();
                    }
                    for finding in &outcome.remarks {
                        fires |= finding.rule.as_str() == id;
                        writeln!(written, "run: {} {}: {}", finding.level.name(), finding.rule, finding.message)
                            .unwrap();
                    }
                    continue;
                }
            }
            (Some(_), "```") => block = None,
            (Some("```findings"), _) => continue,
            (Some(_), _) => match line.split_once(' ') {
                Some(("policy", text)) => scope = text,
                Some(("hooks", text)) => hooks.add(manifest(text)),
                Some(("evals", text)) => settings.demands = Some(Arc::new(demands(text))),
                Some(("baseline", text)) => settings.demands = settings.demands.map(|demands| based(demands, text)),
                _ => acts.push(line),
            },
            (None, _) => {}
        }
        written.push_str(line);
        written.push('\n');
    }
    (written, fires)
}

/// A lint file that leaves only this rule on; `None`: it is no lint rule.
fn alone(id: &str) -> Option<String> {
    let name = id.strip_prefix("lint/")?;
    let others = agent_strace_rules::lint::declared().into_iter().filter(|rule| rule.name != name);
    let others: Vec<String> = others.map(|rule| format!(r#""{}": {{"enabled": false}}"#, rule.name)).collect();
    Some(format!("lint {{{}}}", others.join(", ")))
}

pub(super) fn told(outcome: &Outcome) -> impl Iterator<Item = (&SessionOutcome, &Finding)> {
    outcome.sessions.iter().flat_map(|session| session.findings.iter().map(move |finding| (session, finding)))
}

/// `3: error scope/read: …`; with the session's id where it is not the first one.
fn in_words(session: &SessionOutcome, finding: &Finding) -> String {
    let other = if session.id == "session" { String::new() } else { format!("{} ", session.id) };
    let location = if finding.event == 0 { format!("{other}session") } else { format!("{other}{}", finding.event) };
    let level = match finding.impact {
        VerdictImpact::ByLevel => finding.level.name(),
        VerdictImpact::Incomplete => "incomplete",
    };
    format!("{location}: {level} {}: {}", finding.rule, finding.message)
}

#[test]
fn rules_are_sorted_and_each_has_one_spec_with_the_four_headings() {
    let ids: Vec<&str> = agent_strace_rules::all().iter().map(|rule| rule.id.as_str()).collect();
    let mut sorted = ids.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(ids, sorted);
    let listed: BTreeSet<String> = ids.iter().map(|id| id.replace('/', "-") + ".md").collect();
    let there: BTreeSet<String> =
        specs::folder().read_dir().unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(listed, there, "the slice and the folder of specs");
    for rule in agent_strace_rules::all() {
        let headings: Vec<&str> = rule.spec.lines().filter(|line| line.starts_with('#')).collect();
        let title = format!("# `{}`", rule.id);
        let wanted = [&title, "## What it does", "## Why it matters", "## How to fix", "## Cases"];
        assert_eq!(headings, wanted, "{}", rule.id);
        assert!(rule.summary.starts_with(char::is_lowercase) && !rule.summary.ends_with('.'), "{}", rule.id);
    }
}

#[test]
fn attempts_are_notes() {
    let outcome = judge(&policy(r#"{"files": {"read": {"deny": ["x"]}}}"#), &["refused read x"]);
    assert_eq!(outcome.attempts, 1);
    let finding = outcome.findings.first().unwrap();
    assert_eq!(
        (finding.level, finding.message.as_str()),
        (Level::Note, "attempt: reads `x`: denied by files.read.deny")
    );
}

#[test]
fn the_verdict_follows_threshold_gaps_and_baseline() {
    let scope = policy(r#"{"files": {"read": {"deny": ["x"]}}}"#);
    let gap = || Gap::of_file("a", GapKind::malformed("cut"));
    let run = |lines: &[&str], gaps: Vec<Gap>, settings: &Settings| {
        let judged = judge_session(&session(lines), gaps, by(&scope, &Arc::default()));
        conclude(&scope, vec![judged], Vec::new(), settings).verdict
    };
    let usual = Settings::default();
    assert_eq!(run(&["read y"], vec![], &usual), Verdict::Pass);
    assert_eq!(run(&["read y"], vec![gap()], &usual), Verdict::Incomplete);
    assert_eq!(run(&["read x"], vec![gap()], &usual), Verdict::Fail);
    assert_eq!(run(&["refused read x"], vec![], &usual), Verdict::Pass);
    let strict = Settings { fail_on: FailOn::Level(Level::Note), ..Settings::default() };
    assert_eq!(run(&["refused read x"], vec![], &strict), Verdict::Fail);
    let never = Settings { fail_on: FailOn::Never, ..Settings::default() };
    assert_eq!(run(&["read x"], vec![], &never), Verdict::Pass);
    assert_eq!(run(&["read x"], vec![gap()], &never), Verdict::Incomplete);
    let known = judge(&scope, &["read x"]).findings.iter().map(|finding| finding.fingerprint.clone()).collect();
    let based = Settings { baseline: known, ..Settings::default() };
    assert_eq!(run(&["read x"], vec![], &based), Verdict::Pass);
    assert_eq!(
        run(&["edit a", "read x"], vec![], &based),
        Verdict::Pass,
        "a finding keeps its fingerprint when it moves"
    );
    assert_eq!(conclude(&scope, vec![], vec![], &usual).verdict, Verdict::Incomplete);
}

#[test]
fn missing_evidence_decides_as_the_policy_says_whatever_the_order() {
    let verdict = |scope: &str, lines: &[&str], fail_on: FailOn| {
        let settings = Settings { fail_on, ..Settings::default() };
        conclude_block(&policy(scope), lines, &settings).verdict
    };
    let error = FailOn::Level(Level::Error);
    let weight = |weight: &str| format!(r#"{{"evidence": {{"rules": {{"evidence/missing-subagent": "{weight}"}}}}}}"#);
    let short = ["read a", "subagent x 2"];
    assert_eq!(verdict("{}", &short, error), Verdict::Incomplete);
    assert_eq!(verdict("{}", &short, FailOn::Never), Verdict::Incomplete);
    assert_eq!(verdict("{}", &short, FailOn::Level(Level::Note)), Verdict::Incomplete);
    assert_eq!(verdict(&weight("error"), &short, error), Verdict::Fail);
    for passing in ["off", "note", "warning"] {
        assert_eq!(verdict(&weight(passing), &short, error), Verdict::Pass, "{passing}");
    }
    let whole = ["read a", "subagent x 2", "session agent-x of session", "read b", "read c"];
    let other_way = ["session agent-x of session", "read b", "read c", "session s", "read a", "subagent x 2"];
    assert_eq!(verdict("{}", &whole, error), Verdict::Pass);
    assert_eq!(verdict("{}", &other_way, error), Verdict::Pass);
    // What takes nothing away from the evidence does not disturb a pass, unless the policy wants it to.
    let harmless = ["read a", "rewound", "compacted 3", "unknown 2", "unanswered read b"];
    assert_eq!(verdict("{}", &harmless, FailOn::Level(Level::Note)), Verdict::Pass);
    let strict = r#"{"evidence": {"rules": {"evidence/rewound": "note"}}}"#;
    assert_eq!(verdict(strict, &harmless, error), Verdict::Pass);
    assert_eq!(verdict(strict, &harmless, FailOn::Level(Level::Note)), Verdict::Fail);
}

#[test]
fn a_run_of_logs_that_hold_no_calls_never_passes() {
    let scope = policy(r#"{"evidence": {"rules": {"evidence/no-calls": "off"}}}"#);
    let run = |lines: &[&str]| conclude_block(&scope, lines, &Settings::default()).verdict;
    assert_eq!(run(&["carries nothing"]), Verdict::Incomplete);
    assert_eq!(run(&["carries nothing", "session other", "read a"]), Verdict::Pass);
    // What a firewall saw takes nothing away from an agent's log, and replaces none.
    assert_eq!(run(&["carries requests", "read a"]), Verdict::Incomplete);
    let both = ["carries requests", "read a", "session other", "read a"];
    assert_eq!(conclude_block(&policy("{}"), &both, &Settings::default()).verdict, Verdict::Pass);
}

#[test]
fn a_baseline_knows_no_missing_evidence() {
    let scope = policy("{}");
    let lines = ["read a", "subagent x 2"];
    let first = conclude_block(&scope, &lines, &Settings::default());
    let baseline = told(&first).map(|(_, finding)| finding.fingerprint.clone()).collect();
    let again = conclude_block(&scope, &lines, &Settings { baseline, ..Settings::default() });
    assert_eq!((again.verdict, again.waived.len()), (Verdict::Incomplete, 0));
}

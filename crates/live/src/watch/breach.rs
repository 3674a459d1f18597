//! Rules and limits → what a session broke of them.

use std::time::Duration;

use super::condition::{Action, Amount, Condition, Metric, Rule};
use super::settings::{Operation, Repeats};
use super::spending::Spending;
use agent_strace_effects::{Certainty, Kind};
use agent_strace_metrics::{Measured, TimedEffect, series};
use agent_strace_model::finding::PolicyLocation;
use agent_strace_model::{Arguments, Session, Status, ToolCall};
use agent_strace_policy::config::evals::{Commands, test_commands};
use agent_strace_policy::{Context, Decision};

/// Everything that is watched but for time.
#[derive(Debug)]
pub struct Watch {
    pub rules: Vec<Rule>,
    /// Of `--config`.
    pub operations: Vec<Operation>,
    pub repeats: Option<Repeats>,
    /// Parts of a dollar.
    pub budget: Option<u128>,
    /// The same call again after it failed.
    pub retries: Option<u64>,
    /// In tenths of a percent.
    pub context: Option<u64>,
    pub timeout: Option<Duration>,
    /// What is done where a limit is broken; rules say it themselves.
    pub on_limit: Action,
    tests: Commands,
}

/// Something that was broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breach {
    /// What tells it from others: each is acted on once.
    pub key: String,
    /// In one line, `CostWatcher: $5.0200 spent, $5.0000 allowed`. Raw log text may be in it.
    pub reason: String,
    pub action: Action,
    /// The rule of a file that was broken.
    pub location: Option<PolicyLocation>,
    /// It ran too long.
    pub is_time: bool,
    /// Who is to be told, as the rule says.
    pub notify: Option<String>,
}

/// When something is done where nothing else happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deadline {
    pub after: Duration,
    pub breach: Breach,
}

impl Watch {
    /// The error is a fault of our own.
    pub fn new(rules: Vec<Rule>, on_limit: Action) -> Result<Self, String> {
        Ok(Self {
            rules,
            operations: Vec::new(),
            repeats: None,
            budget: None,
            retries: None,
            context: None,
            timeout: None,
            on_limit,
            tests: test_commands()?,
        })
    }

    /// Whether anything is done that needs a process.
    pub fn acts(&self) -> bool {
        let limits = self.budget.is_some() || self.retries.is_some() || self.context.is_some();
        let of_limits = (limits || self.timeout.is_some() || self.repeats.is_some()) && self.on_limit > Action::Alert;
        let of_rules = self.rules.iter().map(|rule| rule.action).chain(self.operations.iter().map(|rule| rule.action));
        of_limits || of_rules.max() > Some(Action::Alert)
    }

    /// Whether anything is watched that only a recording tells.
    pub fn asks_sessions(&self) -> bool {
        let is_time =
            |rule: &Rule| matches!(&rule.condition, Condition::Number { metric: Metric::DurationMinutes, .. });
        self.asks_cost()
            || self.retries.is_some()
            || self.context.is_some()
            || self.repeats.is_some()
            || !self.operations.is_empty()
            || self.rules.iter().any(|rule| !is_time(rule))
    }

    pub fn asks_cost(&self) -> bool {
        let is_cost = |rule: &Rule| matches!(&rule.condition, Condition::Number { metric: Metric::CostUsd, .. });
        self.budget.is_some() || self.rules.iter().any(is_cost)
    }

    pub fn asks_context(&self) -> bool {
        self.context.is_some()
    }

    /// The soonest first.
    pub fn deadlines(&self) -> Vec<Deadline> {
        let mut deadlines: Vec<Deadline> = self.timeout.iter().map(|after| self.timeout(*after)).collect();
        for (at, rule) in self.rules.iter().enumerate() {
            let Condition::Number { metric: Metric::DurationMinutes, most, .. } = &rule.condition else { continue };
            // Longer than any clock goes.
            let Some(after) = most.minutes() else { continue };
            let reason = Metric::DurationMinutes.words(*most);
            deadlines.push(Deadline { after, breach: Breach { is_time: true, ..broken(at, rule, &reason) } });
        }
        deadlines.sort_by_key(|deadline| (deadline.after, std::cmp::Reverse(deadline.breach.action)));
        deadlines
    }

    fn timeout(&self, after: Duration) -> Deadline {
        let reason = format!("DurationWatcher: {}s elapsed", after.as_secs_f64());
        let breach = Breach {
            key: "timeout".to_owned(),
            reason,
            action: self.on_limit,
            location: None,
            is_time: true,
            notify: None,
        };
        Deadline { after, breach }
    }

    /// What was spent against what may be. `spending`: of all sessions that are watched together.
    pub fn costs(&self, spending: &Spending) -> Vec<Breach> {
        let spent = spending.amount;
        let words = || Metric::CostUsd.words(Amount(spent));
        let budget = self.budget.filter(|most| spent > *most).map(|most| {
            self.limit(
                "budget",
                format!("CostWatcher: {}, ${} allowed", words(), agent_strace_model::prices::Dollars(most)),
            )
        });
        let rules = self.numbers(Metric::CostUsd).filter(|(_, _, most)| most.is_passed_by(Amount(spent)));
        let rules = rules.map(|(at, rule, _)| broken(at, rule, &words()));
        let context = self.context.zip(spending.fullest).filter(|(most, fullest)| fullest.0 >= *most);
        let context = context.map(|(most, fullest)| {
            let percent = |tenths: u64| format!("{}.{} %", tenths / 10, tenths % 10);
            let (fullest, most) = (percent(fullest.0), percent(most));
            self.limit(
                "context",
                format!("ContextWatcher: a request took {fullest} of what its model takes, {most} allowed"),
            )
        });
        budget.into_iter().chain(rules).chain(context).collect()
    }

    /// What one session broke.
    pub fn look(&self, session: &Session<'_>, measured: &Measured<'_>) -> Vec<Breach> {
        let whole = measured.whole();
        let mut found = Vec::new();
        let counts = [
            (Metric::FilesModified, series::files(&whole).total()),
            (Metric::ConsecutiveTestFailures, self.test_failures(session, &whole.effects)),
        ];
        for (metric, count) in counts {
            let count = Amount::count(count);
            let passed = self.numbers(metric).filter(|(_, _, most)| most.is_passed_by(count));
            found.extend(passed.map(|(at, rule, _)| broken(at, rule, &metric.words(count))));
        }
        found.extend(self.paths(session, &whole.effects));
        found.extend(self.unwanted(session, &whole.effects));
        found.extend(self.repeated(session));
        let most = measured.retries().iter().max_by_key(|retry| retry.times);
        if let Some(retry) = most.filter(|retry| self.retries.is_some_and(|most| retry.times as u64 > most)) {
            let reason = format!("RetryWatcher: {} was called again {} times after it failed", retry.tool, retry.times);
            found.push(self.limit("retries", reason));
        }
        found
    }

    fn limit(&self, key: &str, reason: String) -> Breach {
        Breach { key: key.to_owned(), reason, action: self.on_limit, location: None, is_time: false, notify: None }
    }

    fn numbers(&self, wanted: Metric) -> impl Iterator<Item = (usize, &Rule, Most)> {
        self.rules.iter().enumerate().filter_map(move |(at, rule)| match &rule.condition {
            Condition::Number { metric, most, includes } if *metric == wanted => {
                Some((at, rule, Most { most: *most, includes: *includes }))
            }
            _ => None,
        })
    }

    fn paths(&self, session: &Session<'_>, effects: &[TimedEffect<'_>]) -> Vec<Breach> {
        let root = session.root.as_deref();
        let done = || effects.iter().filter(|timed| happened(timed));
        let rules = self.rules.iter().enumerate().filter_map(|(at, rule)| {
            let Condition::Path(paths) = &rule.condition else { return None };
            let (event, path) = done().find_map(|timed| Some((timed.event, paths.changed(timed.effect, root)?)))?;
            Some(broken(at, rule, &format!("`{path}` was changed in event {event}")))
        });
        rules.collect()
    }

    /// The longest row of runs that failed. One whose end says nothing of its tests does not count.
    fn test_failures(&self, session: &Session<'_>, effects: &[TimedEffect<'_>]) -> u128 {
        if self.numbers(Metric::ConsecutiveTestFailures).next().is_none() {
            return 0;
        }
        let root = session.root.as_deref();
        let is_test = |timed: &&TimedEffect<'_>| {
            matches!(timed.effect.kind, Kind::Execute(_)) && {
                let context = Context { root, ..Context::default() };
                self.tests.proven.judge(timed.effect, &context).decision == Decision::Allowed
            }
        };
        let (mut row, mut longest, mut last) = (0_u128, 0, 0);
        for timed in effects.iter().filter(|timed| timed.effect.certainty != Certainty::Possible).filter(is_test) {
            // One call that runs tests twice is one run.
            if timed.event == last {
                continue;
            }
            match timed.status {
                Some(Status::Error) => row += 1,
                Some(Status::Ok) if timed.effect.origin.told => row = 0,
                _ => continue,
            }
            last = timed.event;
            longest = longest.max(row);
        }
        longest
    }

    fn unwanted(&self, session: &Session<'_>, effects: &[TimedEffect<'_>]) -> Vec<Breach> {
        let mut found = Vec::new();
        for (at, rule) in self.operations.iter().enumerate() {
            let hit = session.calls().find(|(event, call)| {
                let named = rule.tool.as_ref().is_none_or(|tool| *tool == call.tool.to_lowercase());
                let matches = |text: &str| rule.pattern.matches(&text.to_lowercase());
                named
                    && call.status != Status::Denied
                    && (words(call).any(|text| matches(&text)) || {
                        let of_call = effects.iter().filter(|timed| timed.event == event.number);
                        of_call.filter_map(path).any(matches)
                    })
            });
            let Some((event, call)) = hit else { continue };
            let why = rule.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
            let (number, tool, written) = (event.number, &call.tool, &rule.written);
            let reason = format!("OperationWatcher: {tool} in event {number} is one of `{written}`{why}");
            let (key, location) = (format!("operation {at}"), Some(rule.location.clone()));
            found.push(Breach { key, reason, action: rule.action, location, is_time: false, notify: None });
        }
        found
    }

    fn repeated(&self, session: &Session<'_>) -> Option<Breach> {
        let Repeats { calls, times } = self.repeats?;
        let all: Vec<(&str, &Arguments<'_>)> =
            session.calls().map(|(_, call)| (&*call.tool, &call.arguments)).collect();
        let pairs = all.iter().zip(all.iter().skip(calls));
        let mut row = 0;
        let is_loop = pairs.into_iter().any(|(earlier, later)| {
            row = if earlier == later { row + 1 } else { 0 };
            row >= calls * times.saturating_sub(1)
        });
        let reason = || format!("LoopWatcher: the same {calls} calls were made {times} times in a row");
        is_loop.then(|| self.limit("loop", reason()))
    }
}

/// A threshold.
#[derive(Debug, Clone, Copy)]
struct Most {
    most: Amount,
    includes: bool,
}

impl Most {
    fn is_passed_by(self, amount: Amount) -> bool {
        amount > self.most || self.includes && amount == self.most
    }
}

fn broken(at: usize, rule: &Rule, what: &str) -> Breach {
    let reason = format!("RuleWatcher: {}: {what}", rule.name);
    let (key, location, notify) = (format!("rule {at}"), Some(rule.location.clone()), rule.notify.clone());
    Breach { key, reason, action: rule.action, location, is_time: false, notify }
}

/// It was not refused, and is more than a guess.
fn happened(timed: &TimedEffect<'_>) -> bool {
    timed.status != Some(Status::Denied) && timed.effect.certainty != Certainty::Possible
}

fn path<'e>(timed: &TimedEffect<'e>) -> Option<&'e str> {
    match &timed.effect.kind {
        Kind::Read(target) | Kind::Write(target) | Kind::Delete(target) | Kind::List(target) => Some(&target.path),
        _ => None,
    }
}

/// What a call is asked to do, where it says so in a word of its own.
fn words<'c>(call: &'c ToolCall<'_>) -> impl Iterator<Item = String> + 'c {
    let members = call.arguments.members();
    let text = match &call.arguments {
        Arguments::Text(text) => Some(text.clone().into_owned()),
        _ => None,
    };
    let named = ["command", "cmd", "file_path", "path"].into_iter().filter_map(move |name| {
        members.as_ref().and_then(|members| members.text(name).map(std::borrow::Cow::into_owned))
    });
    named.chain(text)
}

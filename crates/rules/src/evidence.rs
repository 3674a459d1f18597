//! What a log does not prove: each kind of missing evidence is a rule, and the policy says what it weighs.

use super::{Account, Check, Rule, SessionHit, Source, Whole};
use agent_strace_model::dialect::Carries;
use agent_strace_model::evidence::{Chain, Counted};
use agent_strace_model::finding::{Level, RuleId};
use agent_strace_policy::evidence::Grade;

macro_rules! evidence {
    ($name:ident, $id:expr, $spec:literal, $level:ident, $check:ident, $summary:literal) => {
        pub(super) static $name: Rule = Rule {
            id: $id,
            level: Level::$level,
            summary: $summary,
            spec: include_str!(concat!("../specs/evidence-", $spec, ".md")),
            check: Check::Session($check),
        };
    };
}

evidence!(CHAIN, RuleId::EvidenceChain, "chain", Error, chain, "the chain of digests in a log is broken");
evidence!(COMPACTED, RuleId::EvidenceCompacted, "compacted", Note, compacted, "the conversation was summarised");
evidence!(COUNTS, RuleId::EvidenceCounts, "counts", Warning, counts, "a total in a log is not that of what it holds");
evidence!(LEVEL, RuleId::EvidenceLevel, "level", Error, level, "a log proves less than the policy demands");
evidence!(
    MISSING_SUBAGENT,
    RuleId::EvidenceMissingSubagent,
    "missing-subagent",
    Warning,
    missing_subagent,
    "a sub-agent made calls that are not recorded"
);
evidence!(NO_CALLS, RuleId::EvidenceNoCalls, "no-calls", Warning, no_calls, "the format of a log can't hold all calls");
evidence!(
    REDACTED,
    RuleId::EvidenceRedacted,
    "redacted",
    Warning,
    redacted,
    "redaction took names of files out of a log"
);
evidence!(
    REMOVED,
    RuleId::EvidenceRemoved,
    "removed",
    Warning,
    removed,
    "the agent's host removed messages from a log"
);
evidence!(REWOUND, RuleId::EvidenceRewound, "rewound", Note, rewound, "the conversation was taken back");
evidence!(TRUNCATED, RuleId::EvidenceTruncated, "truncated", Warning, truncated, "a log ends inside a record");
evidence!(UNANSWERED, RuleId::EvidenceUnanswered, "unanswered", Note, unanswered, "calls have no recorded result");
evidence!(
    UNKNOWN_RECORDS,
    RuleId::EvidenceUnknownRecords,
    "unknown-records",
    Note,
    unknown_records,
    "a log holds records of an unknown type"
);
evidence!(
    UNREADABLE,
    RuleId::EvidenceUnreadable,
    "unreadable",
    Warning,
    unreadable,
    "parts of a log could not be read"
);

fn chain(whole: &Whole<'_>, hits: &mut Vec<SessionHit>) {
    if let Chain::Broken(line) = whole.account.evidence.chain {
        let message =
            "this record does not carry the digest of the one before it: the log was changed after it was written";
        hits.push(SessionHit { at: Some((0, line)), ..SessionHit::whole(message) });
    }
}

fn compacted(whole: &Whole<'_>, hits: &mut Vec<SessionHit>) {
    let count = whole.account.evidence.compactions;
    if count > 0 {
        hits.push(SessionHit::whole(format!(
            "the conversation was summarised {}: what came before it is on record",
            times(count)
        )));
    }
}

/// Formats of agents that count the calls of earlier runs again whenever they resume a session.
const COUNT_AGAIN: &[&str] = &["claw-code-agent"];

fn counts(whole: &Whole<'_>, hits: &mut Vec<SessionHit>) {
    for count in whole.account.evidence.counts.iter().filter(|count| count.stated != count.recorded) {
        let (stated, recorded) = (usize::try_from(count.stated), usize::try_from(count.recorded));
        let stated = counted(stated.unwrap_or(usize::MAX), count.what.noun());
        let recorded = recorded.unwrap_or(usize::MAX);
        let verb = if recorded == 1 { "is" } else { "are" };
        let message = format!("the log says {stated}, {recorded} {verb} recorded: what is recorded counts");
        // Where more is recorded than was counted, nothing is missing; a count of errors does not count calls.
        let is_short = count.recorded < count.stated
            && count.what != Counted::Errors
            && !COUNT_AGAIN.contains(&whole.account.format);
        let level = if is_short { None } else { Some(Level::Warning) };
        hits.push(SessionHit { level, ..SessionHit::whole(message) });
    }
}

fn level(whole: &Whole<'_>, hits: &mut Vec<SessionHit>) {
    let Some((minimum, location)) = whole.policy.evidence().minimum() else { return };
    let grade = whole.account.grade();
    if grade < minimum {
        let reason = reason(whole.account, minimum);
        let message = format!("its evidence is {} ({reason}), the policy demands {}", grade.name(), minimum.name());
        hits.push(SessionHit { location: Some(location.clone()), ..SessionHit::whole(message) });
    }
}

/// Why a level is no higher.
fn reason(account: &Account, minimum: Grade) -> String {
    let claimed = account.claimed.name();
    match (account.source, account.evidence.chain) {
        (source, Chain::Broken(_)) => source.name().to_owned(),
        (Source::PullRequest, _) if account.claimed != Source::PullRequest => {
            format!("pull-request: the change holds this log, so it is no {claimed}")
        }
        (Source::Runner, _) if minimum == Grade::Produced => {
            "runner: the agent of this job could have changed it; upload the log, and judge it in a job of its own with \
             `--source artifact`"
                .to_owned()
        }
        (source, _) => source.name().to_owned(),
    }
}

fn missing_subagent(whole: &Whole<'_>, hits: &mut Vec<SessionHit>) {
    for started in &whole.account.started {
        let traced = whole.run.trace(whole.account, started);
        if !traced.is_short() {
            continue;
        }
        let kind = started.kind.as_deref().map(|kind| format!(" ({kind})")).unwrap_or_default();
        let name = started.id.as_deref().map(|id| format!(" `{id}`")).unwrap_or_default();
        let message = match (traced.declared, traced.recorded) {
            (None, _) => format!("the sub-agent{name}{kind} was started, but nothing that it did is recorded"),
            (Some(declared), recorded) => {
                let recorded = recorded.unwrap_or(0);
                let missing = declared.saturating_sub(recorded);
                format!(
                    "the sub-agent{name}{kind} made {}: {recorded} recorded, {missing} missing",
                    counted(declared, "call")
                )
            }
        };
        hits.push(SessionHit { at: Some(started.at), ..SessionHit::whole(message) });
    }
}

fn no_calls(whole: &Whole<'_>, hits: &mut Vec<SessionHit>) {
    let message = match whole.account.carries {
        Carries::Calls | Carries::Requests => return,
        Carries::SomeCalls(missing) => format!("this format does not hold every call: {missing}"),
        Carries::Authorship => {
            "this format says who wrote something, not what was done: it is no evidence of calls".to_owned()
        }
    };
    hits.push(SessionHit::whole(message));
}

fn redacted(whole: &Whole<'_>, hits: &mut Vec<SessionHit>) {
    let count = whole.account.redacted;
    if count > 0 {
        let calls = counted(count, "call");
        let message =
            format!("{calls} touched files whose names redaction took out of the log: the policy may deny them");
        hits.push(SessionHit::whole(message));
    }
}

fn removed(whole: &Whole<'_>, hits: &mut Vec<SessionHit>) {
    let count = whole.account.evidence.removed;
    if count > 0 {
        let message = format!("the agent's host removed {} from the log", counted(count as usize, "message"));
        hits.push(SessionHit::whole(message));
    }
}

fn rewound(whole: &Whole<'_>, hits: &mut Vec<SessionHit>) {
    let count = whole.account.evidence.rewinds;
    if count > 0 {
        let message =
            format!("the conversation was taken back {}: what was taken back had run, and was judged", times(count));
        hits.push(SessionHit::whole(message));
    }
}

fn truncated(whole: &Whole<'_>, hits: &mut Vec<SessionHit>) {
    if whole.account.evidence.truncated {
        hits.push(SessionHit::whole("the log ends inside a record: what came after it is not known"));
    }
}

fn unanswered(whole: &Whole<'_>, hits: &mut Vec<SessionHit>) {
    let count = whole.account.calls.saturating_sub(whole.account.answered);
    if count > 0 {
        let what = if count == 1 { "1 call has" } else { &format!("{count} calls have") };
        hits.push(SessionHit::whole(format!("{what} no recorded result: judged as run")));
    }
}

fn unknown_records(whole: &Whole<'_>, hits: &mut Vec<SessionHit>) {
    let count = whole.account.unknown_records;
    if count > 0 {
        let what = counted(count as usize, "record");
        hits.push(SessionHit::whole(format!("{what} of a type that this version does not know")));
    }
}

fn unreadable(whole: &Whole<'_>, hits: &mut Vec<SessionHit>) {
    let count = whole.account.gaps;
    if count > 0 {
        hits.push(SessionHit::whole(format!("{} of this log could not be read", counted(count, "part"))));
    }
}

fn times(count: u32) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

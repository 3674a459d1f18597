//! Numbers of whole sessions.

use std::collections::BTreeSet;

use super::money::Unpriced;
use super::{ActorActivity, Basis, Pricing, Profile, series};
use agent_strace_model::Dialect;
use agent_strace_model::{
    Arguments, Ending, Event, EventKind, Origin, RawText, Session, Span, Speaker, Spent, Status, ToolCall, Usage,
};
use agent_strace_policy::prices::shipped;

static DIALECT: Dialect = Dialect::new("test", "test");

fn event(number: u32, time: &'static str, kind: EventKind<'static>) -> Event<'static> {
    let time = Some(time.into());
    Event { number, id: None, line: number, time, origin: Origin::default(), kind }
}

fn prompt(text: &'static str) -> EventKind<'static> {
    EventKind::Prompt(RawText::Plain(text.into()))
}

fn by(speaker: Speaker, event: Event<'static>) -> Event<'static> {
    Event { origin: Origin { speaker, ..event.origin }, ..event }
}

fn message(text: &'static str) -> EventKind<'static> {
    EventKind::Message(RawText::Plain(text.into()))
}

/// After `after` events the answer `message` of `model` is told to have used `input` and `output`.
fn spent(
    (after, message): (usize, &'static str),
    model: Option<&'static str>,
    (input, output): (u64, u64),
) -> Spent<'static> {
    let usage = Usage { requests: 1, input, output, ..Usage::default() };
    let (message, model) = (Some(message.into()), model.map(Into::into));
    Spent { after, origin: Origin::default(), time: None, message, model, tier: None, usage, window: None }
}

fn session(events: Vec<Event<'static>>, spent: Vec<Spent<'static>>) -> Session<'static> {
    let mut session = Session::new(&DIALECT, "log.jsonl");
    let mut last = std::collections::BTreeMap::new();
    for told in &spent {
        last.insert(told.message.clone(), told.usage);
    }
    for usage in last.values() {
        session.usage.add(usage);
    }
    (session.events, session.spent) = (events, spent);
    session
}

fn profile(session: &Session<'_>) -> Profile {
    super::Measured::new(session, Vec::new(), Pricing::Table(shipped())).into_profile()
}

fn two_phases() -> Vec<Event<'static>> {
    vec![
        event(1, "2026-07-01T10:00:09Z", EventKind::Start),
        event(2, "2026-07-01T10:00:00Z", prompt("fix it\nnow")),
        event(3, "2026-07-01T10:00:30Z", message("done")),
        event(4, "2026-07-01T10:10:00Z", prompt("more")),
        event(5, "2026-07-01T10:09:00Z", message("ok")),
    ]
}

#[test]
fn requests_are_priced_by_their_own_model_and_each_counts_once() {
    let model = Some("claude-opus-4-6");
    let told = vec![
        spent((3, "a"), model, (1000, 1)),
        spent((3, "a"), model, (1000, 100)),
        spent((5, "b"), Some("claude-haiku-4-5-20251001"), (2000, 10)),
    ];
    let profile = profile(&session(two_phases(), told));
    assert_eq!(profile.requests.len(), 2);
    // 1000 × 5 + 100 × 25, and 2000 × 1 + 10 × 5, for a million each.
    assert_eq!(profile.cost.amount, 7_500_000_000 + 2_050_000_000);
    assert_eq!(profile.cost.basis, Basis::Recorded);
    let phases: Vec<u128> = profile.phases.iter().map(|phase| phase.cost.amount).collect();
    assert_eq!(phases, [7_500_000_000, 2_050_000_000]);
}

#[test]
fn a_model_without_a_price_costs_neither_nothing_nor_what_another_one_costs() {
    let told = vec![spent((3, "a"), Some("claude-opus-4-6"), (1000, 0)), spent((5, "b"), Some("gpt-9"), (1000, 0))];
    let profile = profile(&session(two_phases(), told));
    assert_eq!(profile.cost.complete(), None);
    assert_eq!(profile.cost.amount, 5_000_000_000);
    assert_eq!(profile.cost.why, BTreeSet::from([Unpriced::UnknownModel("gpt-9".to_owned())]));
}

#[test]
fn a_running_total_is_priced_where_one_model_is_named() {
    let mut session = session(two_phases(), Vec::new());
    session.usage = Usage { requests: 3, input: 1_000_000, ..Usage::default() };
    assert_eq!(profile(&session).cost.why, BTreeSet::from([Unpriced::NoModel]));
    session.attribution.models = ["<synthetic>".into(), "gpt-5".into()].into_iter().collect();
    assert_eq!(profile(&session).cost.complete(), Some(1_250_000_000_000));
}

#[test]
fn without_recorded_usage_the_cost_is_an_estimate_by_what_was_said() {
    let mut session = session(two_phases(), Vec::new());
    let unnamed = profile(&session).cost;
    assert_eq!((unnamed.complete(), unnamed.why), (None, BTreeSet::from([Unpriced::NoUsage])));
    session.attribution.models = ["gpt-5".into()].into_iter().collect();
    let profile = profile(&session);
    assert_eq!(profile.cost.basis, Basis::Estimated);
    // 3 + 1 tokens in, 1 + 1 out.
    assert_eq!(profile.cost.amount, 4 * 1_250_000 + 2 * 10_000_000);
    let phases: u128 = profile.phases.iter().map(|phase| phase.cost.amount).sum();
    assert_eq!(phases, profile.cost.amount);
}

#[test]
fn times_are_the_earliest_and_the_latest_and_phases_go_from_prompt_to_prompt() {
    let profile = profile(&session(two_phases(), Vec::new()));
    assert_eq!(profile.duration(), Some(600_000));
    let phases: Vec<(&str, u32, u32)> =
        profile.phases.iter().map(|phase| (phase.label.as_str(), phase.from, phase.to)).collect();
    assert_eq!(phases, [("fix it", 1, 3), ("more", 4, 5)]);
    assert_eq!(profile.turns, 2);
}

#[test]
fn limits_and_profiles_know_one_duration() {
    let told = |time: &'static str| (!time.is_empty()).then(|| time.into());
    let at = |second: &'static str| event(1, second, prompt("a"));
    let call = |time: &'static str| Event {
        time: told(time),
        ..event(
            2,
            "",
            EventKind::Call(ToolCall {
                call_id: None,
                tool: "Read".into(),
                arguments: Arguments::Missing,
                cwd: None,
                status: Status::Ok,
                subagent: None,
            }),
        )
    };
    let (early, middle, late) = ("2026-07-01T10:00:00Z", "2026-07-01T10:00:30Z", "2026-07-01T10:01:00Z");
    for (events, started, ended, wanted) in [
        (vec![at(middle), call(late)], "", "", (30_000, true)),
        (vec![at(middle)], early, late, (60_000, true)),
        (vec![at(early), call(late)], middle, middle, (60_000, true)),
        (vec![call("")], early, late, (60_000, true)),
        (vec![at(middle), call("")], early, "", (30_000, false)),
        (vec![call(""), at(middle)], "", late, (30_000, false)),
        (vec![call(""), at(middle)], early, "", (30_000, true)),
        (vec![call("")], "", "", (0, false)),
    ] {
        let mut session = session(events, Vec::new());
        session.span = Span { started: told(started), ended: told(ended) };
        let series = series::duration(&ActorActivity::whole(&session, &[]), &session);
        assert_eq!((series.total(), series.recorded), wanted, "{started} {ended} {:?}", session.events);
        assert_eq!(profile(&session).duration().map_or(0, u128::from), wanted.0, "{started} {ended}");
    }
}

#[test]
fn what_the_host_says_in_its_users_name_is_no_prompt() {
    let events = vec![
        by(Speaker::Command, event(1, "2026-07-01T10:00:00Z", prompt("Caveat: …"))),
        event(2, "2026-07-01T10:00:01Z", prompt("<command-name>/clear</command-name>")),
        event(3, "2026-07-01T10:00:02Z", prompt("<objective>\nsort it out\n</objective>")),
        event(4, "2026-07-01T10:00:03Z", message("done")),
        by(Speaker::Notice, event(5, "2026-07-01T10:00:04Z", prompt("[Request interrupted by user]"))),
        event(6, "2026-07-01T10:00:05Z", prompt("<command-name>/init</command-name>")),
        event(7, "2026-07-01T10:00:06Z", message("done")),
    ];
    let profile = profile(&session(events, Vec::new()));
    let phases: Vec<(&str, u32, u32)> =
        profile.phases.iter().map(|phase| (phase.label.as_str(), phase.from, phase.to)).collect();
    assert_eq!(phases, [("sort it out", 1, 5), ("/init", 6, 7)]);
    assert_eq!(profile.turns, 3);
}

#[test]
fn a_prompt_is_what_one_request_sent() {
    let told = vec![spent((3, "a"), Some("gpt-4o"), (60_000, 1)), spent((5, "b"), Some("gpt-4o"), (65_000, 1))];
    let profile = profile(&session(two_phases(), told));
    let sent: Vec<_> = profile.requests.iter().map(|request| (request.prompt, request.window)).collect();
    assert_eq!(sent, [(Some(60_000), Some(128_000)), (Some(65_000), Some(128_000))]);
    assert_eq!(profile.resets, 1);
}

#[test]
fn an_ending_tells_of_a_failure_by_a_mark_a_code_or_its_words() {
    let ended = |ending: Ending<'static>| {
        let mut events = two_phases();
        events.push(event(6, "2026-07-01T10:10:01Z", EventKind::End(ending)));
        let profile = profile(&session(events, Vec::new()));
        (profile.ended.name() == "failed", profile.errors())
    };
    let text = |text: &'static str| Some(text.into());
    let cases = [
        (Ending::default(), false),
        (Ending { status: text("completed"), ..Ending::default() }, false),
        (Ending { reason: text("error: model overloaded"), ..Ending::default() }, true),
        (Ending { status: text("error_max_turns"), ..Ending::default() }, true),
        (Ending { reason: text("prompt_input_exit"), ..Ending::default() }, false),
        (Ending { exit_code: Some(1), ..Ending::default() }, true),
        (Ending { exit_code: Some(0), is_error: true, ..Ending::default() }, true),
    ];
    for (ending, failed) in cases {
        assert_eq!(ended(ending.clone()), (failed, usize::from(failed)), "{ending:?}");
    }
}

#[test]
fn what_a_cache_keeps_for_an_hour_and_prompts_above_a_limit_have_prices_of_their_own() {
    let cost = |model: &'static str, usage: Usage| {
        let told = Spent { usage: Usage { requests: 1, ..usage }, ..spent((3, "a"), Some(model), (0, 0)) };
        profile(&session(two_phases(), vec![told])).cost.complete().map(|amount| amount / 1_000_000)
    };
    let written = |tokens, hour| Usage { cache_write: tokens, cache_write_1h: hour, ..Usage::default() };
    assert_eq!(cost("claude-opus-4-6", written(1000, 0)), Some(6250));
    assert_eq!(cost("claude-opus-4-6", written(1000, 600)), Some(400 * 25 / 4 + 6000));
    assert_eq!(cost("claude-opus-4-6", written(1000, 9000)), Some(10_000));
    let sent = |input, cache_read| Usage { input, cache_read, ..Usage::default() };
    assert_eq!(cost("gpt-5.4", sent(1000, 271_000)), Some(2500 + 67_750));
    assert_eq!(cost("gpt-5.4", sent(1000, 271_001)), Some(5000 + 135_500));
}

#[test]
fn what_is_served_otherwise_than_usual_is_not_priced_as_usual() {
    let cost = |model: &'static str, tier: &'static str, input: u64| {
        let told = Spent { tier: Some(tier.into()), ..spent((3, "a"), Some(model), (input, 0)) };
        profile(&session(two_phases(), vec![told])).cost
    };
    // Its row is that of the model in any of its forms.
    for model in ["claude-opus-4-6", "anthropic/claude-opus-4.6"] {
        let fast = cost(model, "fast", 1_000_000);
        assert_eq!(fast.complete(), Some(30_000_000_000_000));
        assert_eq!(fast.prices.into_iter().next().map(|(row, _)| row).as_deref(), Some("claude-opus-4-6-fast"));
    }
    let unknown = cost("claude-opus-4-6", "priority", 1000);
    assert_eq!((unknown.complete(), unknown.amount), (None, 0));
    assert_eq!(
        unknown.why,
        BTreeSet::from([Unpriced::UnknownTier("claude-opus-4-6".to_owned(), "priority".to_owned())])
    );
    assert!(unknown.prices.is_empty());
    assert_eq!(cost("gpt-9", "fast", 1).why, BTreeSet::from([Unpriced::UnknownModel("gpt-9".to_owned())]));
}

#[test]
fn a_prompt_longer_than_the_row_knows_has_no_price() {
    let cost = |message: Option<&'static str>, model: &'static str, input: u64| {
        let mut told = spent((3, "a"), Some(model), (input, 0));
        told.message = message.map(Into::into);
        let mut session = session(two_phases(), vec![told]);
        session.usage.input = input;
        profile(&session).cost
    };
    assert_eq!(cost(Some("a"), "claude-sonnet-4-5", 200_000).complete(), Some(600_000_000_000));
    let long = cost(Some("a"), "claude-sonnet-4-5", 200_001);
    assert_eq!(long.why, BTreeSet::from([Unpriced::LongPrompt("claude-sonnet-4-5".to_owned())]));
    // A row may say what long prompts cost, and a total of no message is no prompt.
    assert!(cost(Some("a"), "gemini-2.5-pro", 2_000_000).complete().is_some());
    assert!(cost(None, "claude-sonnet-4-5", 900_000).complete().is_some());
}

#[test]
fn what_several_answers_used_together_is_no_long_prompt_and_counts_once() {
    let told = |after, input| {
        let one = spent((after, "running total"), Some("gpt-5.6"), (input, 0));
        Spent { usage: Usage { requests: 0, ..one.usage }, ..one }
    };
    let profile = profile(&session(two_phases(), vec![told(3, 150_000), told(5, 300_000)]));
    // At the rates of usual prompts, and of no phase.
    assert_eq!((profile.cost.amount, profile.cost.basis), (300_000 * 5_000_000, Basis::Recorded));
    assert!(profile.requests.is_empty() && profile.phases.iter().all(|phase| phase.cost.amount == 0));
    let mut whole = session(two_phases(), vec![told(3, 150_000)]);
    whole.events.truncate(3);
    let whole = self::profile(&whole);
    assert_eq!(whole.phases.iter().map(|phase| phase.cost.amount).collect::<Vec<_>>(), [whole.cost.amount]);
}

#[test]
fn what_was_spent_event_by_event_is_what_all_of_it_cost() {
    let model = Some("claude-opus-4-6");
    let priced = session(two_phases(), vec![spent((3, "a"), model, (1000, 100)), spent((5, "b"), model, (2000, 10))]);
    let half = session(two_phases(), vec![spent((3, "a"), model, (1000, 0)), spent((5, "b"), Some("gpt-9"), (9, 0))]);
    let mut said = session(two_phases(), Vec::new());
    said.attribution.models = ["gpt-5".into()].into_iter().collect();
    let unknown = session(two_phases(), Vec::new());
    for (session, events, bases) in [
        (priced, vec![3, 5], vec![Basis::Recorded; 2]),
        (half, vec![3, 5], vec![Basis::Recorded, Basis::Incomplete]),
        (said, vec![2, 3, 4, 5], vec![Basis::Estimated; 4]),
        (unknown, vec![2, 3, 4, 5], vec![Basis::Incomplete; 4]),
    ] {
        let measured = super::Measured::new(&session, Vec::new(), Pricing::Table(shipped()));
        let charges = measured.charges();
        assert_eq!(charges.iter().map(|charge| charge.event).collect::<Vec<_>>(), events);
        assert_eq!(charges.iter().map(|charge| charge.basis).collect::<Vec<_>>(), bases);
        assert_eq!(charges.iter().map(|charge| charge.amount).sum::<u128>(), measured.cost().amount);
    }
}

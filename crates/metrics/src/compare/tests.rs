use std::collections::BTreeMap;

use proptest::prelude::*;

use super::distance::{common, divergence, edits};
use super::drift::{Fingerprint, LEAST, drift};
use super::pair::{Better, Pair};
use super::phases::align;
use crate::{Basis, Pricing, Profile};
use agent_strace_model::{Arguments, Dialect, Event, EventKind, Origin, RawText, Session, Status, ToolCall};
use agent_strace_policy::prices::shipped;

static DIALECT: Dialect = Dialect::new("test", "test");

fn session(id: &str, lines: &[&str]) -> Session<'static> {
    let mut session = Session { id: id.to_owned().into(), ..Session::new(&DIALECT, id) };
    for (at, line) in lines.iter().enumerate() {
        let number = u32::try_from(at).unwrap() + 1;
        let (verb, rest) = line.split_once(' ').unwrap();
        let text = RawText::Plain(rest.to_owned().into());
        let kind = match verb {
            "prompt" => EventKind::Prompt(text),
            "decide" => EventKind::Decision(text),
            tool => EventKind::Call(ToolCall {
                call_id: None,
                tool: tool.to_owned().into(),
                arguments: Arguments::Json(serde_json::json!({"file_path": rest}).to_string().into()),
                cwd: None,
                status: if rest == "bad" { Status::Error } else { Status::Ok },
                subagent: None,
            }),
        };
        let time = Some(format!("2026-01-01T10:00:{at:02}Z").into());
        session.events.push(Event { number, id: None, line: number, time, origin: Origin::default(), kind });
    }
    session
}

fn profile(id: &str, lines: &[&str]) -> Profile {
    crate::Measured::new(&session(id, lines), Vec::new(), Pricing::Table(shipped())).into_profile()
}

#[test]
fn the_verdict_names_what_was_better() {
    let (slow, fast) = (profile("a", &["Read x", "Read bad", "Read y", "Read z"]), profile("b", &["Read x", "Read y"]));
    let pair = Pair { first: &slow, second: &fast };
    assert_eq!((pair.better(), Pair { first: &fast, second: &slow }.better()), (Better::Second, Better::First));
    let words: Vec<String> = pair.wins().into_iter().map(|win| win.words).collect();
    assert_eq!(words, ["67% faster", "1 error fewer"]);
    assert_eq!(Pair { first: &slow, second: &slow }.better(), Better::Neither);
}

/// A cost that is not known whole is neither lower nor higher than another one.
#[test]
fn costs_that_are_not_known_decide_nothing() {
    let (mut known, mut unknown) = (profile("a", &["Read x"]), profile("b", &["Read x"]));
    (known.cost.basis, known.cost.amount) = (Basis::Recorded, 5);
    (unknown.cost.basis, unknown.cost.amount) = (Basis::Incomplete, 1);
    let pair = Pair { first: &known, second: &unknown };
    assert_eq!((pair.wins(), pair.better()), (Vec::new(), Better::Neither));
    assert!(pair.incomparable().unwrap().contains("one is recorded, the other not known whole"));
    unknown.cost.basis = Basis::Recorded;
    assert_eq!(Pair { first: &known, second: &unknown }.wins().first().unwrap().words, "80% cheaper");
}

#[test]
fn phases_with_the_same_prompt_belong_together() {
    let one = profile("a", &["prompt look", "Read x", "prompt Build", "Read y", "prompt end", "Read z"]);
    let other = profile("b", &["prompt build", "Read bad", "prompt more", "Read x", "prompt end", "Read z"]);
    let aligned = align(&one, &other);
    let labels: Vec<(Option<&str>, Option<&str>)> = aligned
        .iter()
        .map(|phase| (phase.first.map(|phase| &*phase.label), phase.second.map(|phase| &*phase.label)))
        .collect();
    let wanted =
        [(Some("look"), None), (Some("Build"), Some("build")), (None, Some("more")), (Some("end"), Some("end"))];
    assert_eq!(labels, wanted);
    let same: Vec<bool> = aligned.iter().map(super::Aligned::is_same).collect();
    assert_eq!(same, [false, false, false, true]);
}

#[test]
fn decisions_are_counted_where_they_differ() {
    let (one, other) = (profile("a", &["decide x", "decide y"]), profile("b", &["decide x", "decide z", "decide w"]));
    assert_eq!(Pair { first: &one, second: &other }.decision_divergence(), 2);
}

/// Sessions that behave alike, whatever they are called.
fn alike(count: usize, tool: &str) -> Fingerprint {
    let line = format!("{tool} x");
    let profiles: Vec<Profile> = (0..count).map(|at| profile(&at.to_string(), &[&line, &line])).collect();
    Fingerprint::of(&profiles.iter().collect::<Vec<_>>())
}

#[test]
fn too_few_sessions_are_no_evidence() {
    for (before, now) in [(0, 9), (LEAST - 1, 9), (9, LEAST - 1), (9, 0)] {
        assert_eq!(drift(&alike(before, "Read"), &alike(now, "Read")).overall, None);
    }
    assert_eq!(drift(&alike(LEAST, "Read"), &alike(LEAST, "Read")).overall, Some(0.0));
    let other = drift(&alike(LEAST, "Read"), &alike(LEAST, "Bash"));
    assert_eq!((other.overall, other.dimensions.first().unwrap().score), (Some(0.286), Some(1.0)));
}

/// A number that few sessions record is not a score.
#[test]
fn a_dimension_that_is_not_recorded_does_not_count() {
    let mut profiles: Vec<Profile> = (0..LEAST).map(|at| profile(&at.to_string(), &["Read x"])).collect();
    profiles.iter_mut().skip(1).for_each(|profile| profile.first = None);
    let print = Fingerprint::of(&profiles.iter().collect::<Vec<_>>());
    let drift = drift(&print, &alike(LEAST, "Read"));
    let duration = drift.dimensions.iter().find(|dimension| dimension.name == "session_duration_s").unwrap();
    assert_eq!((duration.score, drift.overall), (None, Some(0.0)));
}

#[test]
fn a_fingerprint_is_read_as_it_was_written() {
    let print = alike(7, "Read");
    let text = serde_json::to_string(&print).unwrap();
    assert!(text.len() < 2048, "{}", text.len());
    assert_eq!(Fingerprint::read(&text).unwrap(), print);
    for (from, to, wanted) in [
        ("\"version\":1", "\"version\":2", "it has version 2"),
        ("blast_radius", "blast", "it lacks the dimension `blast_radius`"),
        ("\"Read\":1.0", "\"Read\":7.0", "not between 0 and 1"),
        ("\"sessions\":7", "\"sessions\":-7", "it is no fingerprint"),
    ] {
        let fault = Fingerprint::read(&text.replace(from, to)).unwrap_err().to_string();
        assert!(fault.contains(wanted), "{fault}");
    }
}

proptest! {
    #[test]
    fn a_divergence_is_a_distance(one in shares(), other in shares()) {
        let between = divergence(&one, &other);
        prop_assert!((0.0..=1.0).contains(&between));
        prop_assert!((between - divergence(&other, &one)).abs() < 1e-9);
        prop_assert!(divergence(&one, &one).abs() < 1e-9);
    }

    #[test]
    fn edits_are_a_distance(one in letters(), other in letters(), third in letters()) {
        prop_assert_eq!(edits(&one, &other), edits(&other, &one));
        prop_assert_eq!(edits(&one, &other) == 0, one == other);
        prop_assert!(edits(&one, &third) <= edits(&one, &other) + edits(&other, &third));
        prop_assert!(edits(&one, &other) <= one.len().max(other.len()));
    }

    #[test]
    fn what_is_common_stands_in_both_in_order(one in letters(), other in letters()) {
        let pairs = common(&one, &other);
        prop_assert!(pairs.iter().all(|(left, right)| one[*left] == other[*right]));
        prop_assert!(pairs.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1));
        // Insertions and deletions alone make one the other.
        prop_assert!(edits(&one, &other) <= one.len() + other.len() - 2 * pairs.len());
        prop_assert_eq!(pairs.len(), common(&other, &one).len());
    }
}

fn shares() -> impl Strategy<Value = BTreeMap<String, f64>> {
    proptest::collection::btree_map("[a-e]", 0.0..5.0_f64, 1..5)
}

fn letters() -> impl Strategy<Value = Vec<char>> {
    proptest::collection::vec(prop_oneof![Just('a'), Just('b'), Just('c')], 0..12)
}

use proptest::prelude::*;

use super::*;

fn path() -> impl Strategy<Value = String> {
    "[ab.]{1,3}(/[ab.]{1,3}){0,3}"
}

fn pattern() -> impl Strategy<Value = String> {
    "(\\*\\*|[ab*?.]{1,3})(/(\\*\\*|[ab*?.]{1,3})){0,3}"
}

fn scope(allow: &[String], deny: &[String]) -> Option<Policy> {
    let text = serde_json::json!({"files": {"read": {"allow": allow, "deny": deny}}}).to_string();
    Policy::from_bytes("scope.json", None, text.as_bytes()).ok()
}

fn read(path: &str, certainty: Certainty, subtree: bool) -> Effect {
    effect(Kind::Read(PathTarget { path: path.to_owned(), subtree }), certainty)
}

fn reported(policy: &Policy, effect: &Effect) -> bool {
    matches!(decide(policy, effect, Some("/repo")).decision, Decision::Denied | Decision::Unresolved)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = Policy::from_bytes("x", None, &bytes).map_err(|faults| faults.fancy(Colour::Never, 80));
    }

    #[test]
    fn any_text_like_json_never_panics(text in "[{}\\[\\]\",:/* \\\\\nuefiles0-9é]{0,80}") {
        let _ = Policy::from_bytes("x", None, text.as_bytes()).map_err(|faults| faults.fancy(Colour::Never, 80));
    }

    #[test]
    fn an_added_allow_never_adds_a_finding(
        mut allow in proptest::collection::vec(pattern(), 1..4),
        more in pattern(),
        deny in proptest::collection::vec(pattern(), 0..3),
        path in pattern(),
        subtree: bool,
        exact: bool,
    ) {
        let certainty = if exact { Certainty::Exact } else { Certainty::Pattern };
        let effect = read(&path, certainty, subtree);
        let before = scope(&allow, &deny);
        allow.push(more);
        if let (Some(before), Some(after)) = (before, scope(&allow, &deny)) {
            prop_assert!(!reported(&after, &effect) || reported(&before, &effect));
        }
    }

    #[test]
    fn the_order_of_entries_changes_nothing(
        allow in proptest::collection::vec(pattern(), 0..4),
        deny in proptest::collection::vec(pattern(), 0..4),
        path in path(),
    ) {
        let reversed = |list: &[String]| list.iter().rev().cloned().collect::<Vec<_>>();
        let effect = read(&path, Certainty::Exact, false);
        if let (Some(one), Some(other)) = (scope(&allow, &deny), scope(&reversed(&allow), &reversed(&deny))) {
            let (one, other) = (decide(&one, &effect, None), decide(&other, &effect, None));
            prop_assert_eq!((one.decision, one.reason), (other.decision, other.reason));
        }
    }

    /// What version 1 denied is denied.
    #[test]
    fn folding_never_loses_a_deny(pattern in "[!aAb*?.\\[\\]/-]{1,8}", path in "[aAb.!]{1,3}(/[aAb.]{1,3}){0,2}") {
        if let Some(policy) = scope(&[], std::slice::from_ref(&pattern)) {
            let denied = reported(&policy, &read(&path, Certainty::Exact, false));
            prop_assert!(denied || !crate::glob::Glob::path(&pattern).matches(&path));
        }
    }

    /// A pattern effect is never judged more kindly than a file it may stand for.
    #[test]
    fn what_a_pattern_may_reach_is_judged_with_it(
        allow in proptest::collection::vec(pattern(), 1..4),
        effect_pattern in "[ab*]{1,3}(/[ab*]{1,3}){0,2}",
        path in "[ab]{1,3}(/[ab]{1,3}){0,2}",
    ) {
        let stands_for = crate::glob::Glob::effect(&effect_pattern).matches(&path);
        if let (true, Some(policy)) = (stands_for, scope(&allow, &[])) {
            let wide = reported(&policy, &read(&effect_pattern, Certainty::Pattern, false));
            prop_assert!(wide || !reported(&policy, &read(&path, Certainty::Exact, false)));
        }
    }

    #[test]
    fn inclusion_and_intersection_agree_with_matching(inner in pattern(), outer in pattern(), path in path()) {
        use crate::glob::{Answer, Glob};
        let (inner, outer) = (Glob::effect(&inner), Glob::path(&outer));
        if inner.matches(&path) {
            prop_assert!(outer.matches(&path) || inner.within(&[&outer]) != Answer::Yes);
            prop_assert!(!outer.matches(&path) || inner.meets(&outer) == Answer::Yes);
        }
    }

    #[test]
    fn commands_never_panic(pattern in "[a-c *\\-'?\\[\\]/]{1,12}", words in proptest::collection::vec("[a-c\\-*/$]{0,4}", 0..5)) {
        let text = serde_json::json!({"commands": {"allow": [pattern], "deny": [pattern]}}).to_string();
        if let Ok(policy) = Policy::from_bytes("x", None, text.as_bytes()) {
            let _ = decide(&policy, &command(&words.join(" ")), None);
        }
    }
}

//! Histories that nobody thought of.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::world::{Script, World, file, range, since, texts};
use crate::Revisions;

/// Paths of which some are folders of others.
const PATHS: &[&str] = &["a", "a/b", "a/b/c", "a.b", "a-b", "ab/c", "z"];

#[derive(Debug, Clone)]
struct Plan {
    parents: Vec<prop::sample::Index>,
    seconds: i64,
    writes: Vec<(usize, Option<u8>, bool)>,
}

fn plan() -> impl Strategy<Value = Plan> {
    let write = (0..PATHS.len(), prop::option::weighted(0.75, 0_u8..3), any::<bool>());
    let parents = prop_oneof![
        1 => Just(0_usize), 6 => Just(1), 3 => Just(2), 1 => Just(3)
    ]
    .prop_flat_map(|count| prop::collection::vec(any::<prop::sample::Index>(), count));
    (parents, 1_i64..9, prop::collection::vec(write, 0..4)).prop_map(|(parents, seconds, writes)| Plan {
        parents,
        seconds,
        writes,
    })
}

/// Writes the history and returns the parents of each commit. Commits count from 1 and have a branch each.
fn write(world: &World, plans: &[Plan]) -> Vec<Vec<usize>> {
    let mut script = Script::default();
    let mut all = Vec::new();
    for (before, plan) in plans.iter().enumerate() {
        let mut parents = Vec::new();
        for parent in plan.parents.iter().filter(|_| before > 0).map(|index| index.index(before) + 1) {
            if !parents.contains(&parent) {
                parents.push(parent);
            }
        }
        let lines = plan.writes.iter().map(|(path, content, link)| match content {
            Some(content) => file(if *link { "120000" } else { "100644" }, PATHS[*path], &content.to_string()),
            None => format!("D {}", PATHS[*path]),
        });
        let lines: Vec<String> = lines.collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let (mark, branch) = (before + 1, format!("b{}", before + 1));
        script = script.commit(mark, &branch, plan.seconds, mark.to_string().as_bytes(), &parents, &lines);
        all.push(parents);
    }
    world.import(&script);
    world.git(&["symbolic-ref", "HEAD", &format!("refs/heads/b{}", plans.len())]);
    all
}

fn history(parents: &[Vec<usize>], commit: usize) -> BTreeSet<usize> {
    let mut found = BTreeSet::from([commit]);
    for parent in &parents[commit - 1] {
        found.extend(history(parents, *parent));
    }
    found
}

fn sorted(commits: impl IntoIterator<Item = usize>) -> Vec<String> {
    let mut texts: Vec<String> = commits.into_iter().map(|commit| commit.to_string()).collect();
    texts.sort();
    texts
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn both_backends_deliver_what_the_definition_says(
        plans in prop::collection::vec(plan(), 1..12),
        moment in 1_i64..10,
        sides in any::<(prop::sample::Index, prop::sample::Index)>(),
    ) {
        let world = World::new();
        let parents = write(&world, &plans);
        let start = world.path();
        prop_assert_eq!(texts(start, &Revisions::All), sorted(1..=plans.len()));
        let head = history(&parents, plans.len());
        let is_new = |commit: &usize| history(&parents, *commit).iter().any(|one| plans[one - 1].seconds >= moment);
        prop_assert_eq!(texts(start, &since(moment)), sorted(head.iter().copied().filter(is_new)));
        let (left, right) = (sides.0.index(plans.len()) + 1, sides.1.index(plans.len()) + 1);
        let (has, had) = (history(&parents, right), history(&parents, left));
        let added = sorted(has.difference(&had).copied());
        prop_assert_eq!(texts(start, &range(&format!("b{left}..b{right}"))), added.clone());
        prop_assert_eq!(texts(start, &range(&format!("b{left}...b{right}"))), added);
        prop_assert_eq!(texts(start, &range(&format!("b{right}"))), sorted(has));
    }
}

//! The session's memory has limits, and what goes beyond them must not look unwritten.

use crate::{Certainty, PathTarget, World};

#[test]
fn what_is_forgotten_is_not_unwritten() {
    let mut world = World::new(Some("/repo"));
    let file = |at: usize| PathTarget::new(format!("f{at}"));
    assert_eq!(world.written(&file(1)), None);
    for at in 0..10_001 {
        world.wrote(&file(at), Some("x"));
    }
    assert_eq!(world.written(&file(0)), Some(Some("x")));
    assert_eq!(world.written(&file(10_000)), Some(None));
    assert_eq!(world.written(&file(20_000)), Some(None));
}

#[test]
fn links_in_a_circle_end() {
    let mut world = World::new(Some("/repo"));
    for (one, other) in [("a", "b"), ("b", "c"), ("c", "a"), ("d", "d/d")] {
        world.link(&PathTarget::new(one), &PathTarget::new(other));
    }
    assert!(world.originals("a/x", Certainty::Exact).len() <= 16);
    assert!(world.originals("d", Certainty::Exact).len() <= 16);
}

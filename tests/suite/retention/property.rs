//! What holds for every store.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::{DAY, NOW_SECONDS, clean, retention, session, sessions, unfinished};
use crate::world::World;

/// Everything below a folder but the store, with its bytes.
fn outside(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        if name == ".agent-traces" {
            continue;
        }
        if entry.file_type().unwrap().is_dir() {
            found.extend(outside(&entry.path()));
        } else {
            found.push((entry.path().display().to_string(), fs::read(entry.path()).unwrap()));
        }
    }
    found.sort();
    found
}

/// What a made-up session is: its age in days, its size, whether it is finished, and its file of metadata.
type Made = (i64, usize, bool, u8);

fn make(world: &World, number: usize, (days, bytes, finished, meta): Made) {
    let id = format!("s{number}");
    if finished {
        session(world, &id, days, bytes);
    } else {
        unfinished(world, &id, days, NOW_SECONDS - days * DAY);
    }
    let text = match meta {
        0 => json!({"session_id": "../victim", "started_at": NOW_SECONDS - days * DAY, "ended_at": NOW_SECONDS})
            .to_string(),
        1 => "broken".to_owned(),
        2 => json!({"session_id": ".", "ended_at": 1}).to_string(),
        _ => return,
    };
    world.write(&format!(".agent-traces/{id}/meta.json"), &text);
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 24, failure_persistence: None, ..Default::default() })]

    /// Nothing outside of the store changes; what is clean stays clean and passes; what stays is what the limits allow.
    #[test]
    fn what_is_cleaned_is_clean(
        made in proptest::collection::vec((0_i64..80, 0_usize..4000, proptest::bool::ANY, 0_u8..6), 0..8),
        days in 1_u32..60, most in 1_usize..8, kilobytes in 1_u32..16,
    ) {
        let world = World::empty();
        world.write("victim/precious", "x").write(".agent-traces/.gitignore", "*\n");
        for (number, made) in made.iter().enumerate() {
            make(&world, number, *made);
        }
        let before = outside(world.path());
        let size = format!("{}", f64::from(kilobytes) / 1024.0);
        let (age, count) = (days.to_string(), most.to_string());
        let limits = ["--max-age-days", &age, "--max-sessions", &count, "--max-size-mb", &size];
        let answer = clean(&world, &limits);
        proptest::prop_assert_eq!(answer.code, 0, "{:?}", answer);
        proptest::prop_assert_eq!(outside(world.path()), before);
        let check = retention(&world, &[&["check"], &limits[..]].concat());
        proptest::prop_assert_eq!(check.code, 0, "{:?}", check);
        let left = sessions(&world);
        let again = clean(&world, &limits);
        proptest::prop_assert!(again.stdout.starts_with("Nothing to delete"), "{:?}", again);
        proptest::prop_assert_eq!(sessions(&world), left.clone());
        let running = made.iter().filter(|(days, _, finished, _)| !finished && *days <= 1).count();
        proptest::prop_assert!(left.len() <= most + running, "{:?}", left);
    }
}

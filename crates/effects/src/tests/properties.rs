//! Tests properties of paths and hosts that hold for any text.

use proptest::prelude::*;

use crate::paths::{self, Cwd, PathBase};
use crate::{Certainty, hosts};

fn messy_path() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("..".to_owned()),
        Just(".".to_owned()),
        Just(String::new()),
        Just("repo".to_owned()),
        Just("~".to_owned()),
        Just("*".to_owned()),
        Just("**".to_owned()),
        Just("[".to_owned()),
        Just("[/]".to_owned()),
        Just("proc/self/cwd".to_owned()),
        Just("C:".to_owned()),
        Just("\\".to_owned()),
        Just("%2e%2e".to_owned()),
        "\\PC{0,4}",
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.join("/"))
}

fn messy_certainty() -> impl Strategy<Value = Certainty> {
    prop_oneof![Just(Certainty::Exact), Just(Certainty::Pattern), Just(Certainty::Possible)]
}

/// An independent reading of a plain Unix path: how deep below `/` it ends.
fn reference(cwd: &str, text: &str) -> Vec<String> {
    let base = if text.starts_with('/') { "" } else { cwd };
    let mut stack: Vec<String> = Vec::new();
    for part in base.split('/').chain(text.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                stack.pop();
            }
            name => stack.push(name.to_owned()),
        }
    }
    stack
}

proptest! {
    #[test]
    fn locating_never_panics_and_is_idempotent(text in messy_path(), certainty in messy_certainty()) {
        for root in [Some("/repo"), Some("/home/u/repo"), Some("C:/repo"), None] {
            for cwd in [Cwd::Known(root.unwrap_or(".")), Cwd::Unknown] {
                let (once, first) = paths::locate(PathBase { root, cwd }, &text, certainty);
                // A literal `~` or `C:` below the root can't be told from a home or a drive once it is relative.
                let ambiguous = once.path.starts_with('~') || once.path.contains(':') || once.path.contains('\\') || once.path.starts_with("//");
                if ambiguous {
                    continue;
                }
                let from_root = Cwd::Known(root.unwrap_or("."));
                let (twice, second) = paths::locate(PathBase { root, cwd: from_root }, &once.path, first);
                prop_assert_eq!(&once.path, &twice.path);
                prop_assert_eq!(first, second);
            }
        }
    }

    #[test]
    fn inside_is_relative_and_outside_absolute(
        parts in prop::collection::vec(prop_oneof![Just(".."), Just("."), Just("repo"), Just("a"), Just("")], 0..9),
    ) {
        let text = parts.join("/");
        let expected = reference("/repo/a", &text);
        let base = PathBase { root: Some("/repo"), cwd: Cwd::Known("/repo/a") };
        let (target, certainty) = paths::locate(base, &text, Certainty::Exact);
        prop_assert_eq!(certainty, Certainty::Exact);
        match expected.split_first() {
            Some((first, rest)) if first == "repo" => {
                let rest = rest.join("/");
                prop_assert_eq!(target.path, if rest.is_empty() { ".".to_owned() } else { rest });
            }
            _ => prop_assert_eq!(target.path, format!("/{}", expected.join("/"))),
        }
    }

    #[test]
    fn hosts_never_panic(text in "\\PC{0,40}", certainty in messy_certainty()) {
        let _ = hosts::connection(&text, certainty);
        let _ = hosts::host(&text, certainty);
        let _ = hosts::url_in_text(&text);
    }

    #[test]
    fn folding_is_idempotent(text in messy_path()) {
        let once = paths::fold_for_deny(&text);
        prop_assert_eq!(paths::fold_for_deny(&once), once);
    }
}

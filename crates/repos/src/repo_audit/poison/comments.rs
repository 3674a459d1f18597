//! Comments of HTML: a page does not show them, a model reads them.

use super::{Indicator, Strength, wording};
use crate::repo_audit::launch::dangers;

/// Longer comments are looked at up to here.
const LONGEST: usize = 1 << 16;

/// The comments of a text, and where they begin.
fn comments(text: &str) -> Vec<(usize, &str)> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some((start, rest)) =
        text.get(at..).and_then(|rest| rest.split_once("<!--")).map(|(before, rest)| (at + before.len(), rest))
    {
        let comment = rest.split_once("-->").map_or(rest, |(comment, _)| comment);
        super::count(start - at + comment.len());
        at = start + "<!--".len() + comment.len();
        found.push((start, comment.get(..comment.floor_char_boundary(LONGEST)).unwrap_or(comment)));
    }
    found
}

/// Of an instructions file, where comments have honest uses: those that say what an agent must not do openly.
pub(crate) fn in_comments(text: &str) -> Vec<Indicator> {
    let hostile = |(at, comment): (usize, &str)| {
        let worst = wording::indicators(comment)
            .into_iter()
            .filter(|found| found.strength == Strength::Strong)
            .min_by_key(|found| found.at);
        let what = match worst {
            Some(found) => format!("has a comment that no reader sees and that {}", found.what),
            None if comment.lines().any(|line| !dangers(line).is_empty()) => {
                "has a comment that no reader sees, with a command that runs a download or sends data".to_owned()
            }
            None => return None,
        };
        Some(Indicator::strong(at, what))
    };
    comments(text).into_iter().filter_map(hostile).collect()
}

/// Of a description of a tool, where nobody writes comments: those that tell the model anything.
pub(super) fn any(text: &str) -> Vec<Indicator> {
    let tells = |comment: &str| {
        let comment = comment.to_lowercase();
        let mut words = comment.split(|letter: char| !letter.is_alphanumeric());
        words.any(|word| {
            matches!(
                word,
                "must"
                    | "always"
                    | "never"
                    | "ignore"
                    | "send"
                    | "read"
                    | "call"
                    | "execute"
                    | "assistant"
                    | "ai"
                    | "llm"
                    | "model"
                    | "agent"
                    | "secretly"
                    | "instructions"
                    | "include"
                    | "pass"
            )
        })
    };
    let found = comments(text).into_iter().filter(|(_, comment)| tells(comment));
    found.map(|(at, _)| Indicator::strong(at, "has instructions in a comment that no reader sees")).collect()
}

//! Rules about repositories. What they look at is no session: [`crate::sweep`] applies them.

use super::{Check, Rule};
use crate::finding::Level;

macro_rules! repository {
    ($name:ident, $id:literal, $spec:literal, $level:ident, $summary:literal) => {
        pub(crate) static $name: Rule = Rule {
            id: $id,
            level: Level::$level,
            summary: $summary,
            spec: include_str!(concat!("../../fixtures/rules/repo-", $spec, ".md")),
            check: Check::Repository,
        };
    };
}

//! The table, as it is compared with a file.

use std::sync::LazyLock;

use crate::repo_audit::document::{items, members, text};
use crate::repo_audit::hit::{Location, RepositoryHit};
use crate::repo_audit::lookup::{self, EACH, Paths, Spot};
use crate::repo_audit::shown::shown;
use agent_strace_model::finding::Level;
use agent_strace_policy::json::{Data, Value};
use agent_strace_rules::repository::{GATE_DISABLED, PERMISSION_BYPASS, WIDE_ALLOW};

use super::File;
use super::rows::{ROWS, Row, Test};

pub(super) static PATHS: LazyLock<Paths> = LazyLock::new(|| Paths::new(globs()));

pub(super) fn globs() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|row| row.files)
}

pub(super) fn hits(file: &File<'_>, found: &mut Vec<RepositoryHit>) {
    for row in PATHS.matching(file.path).into_iter().filter_map(|at| ROWS.get(at)) {
        let spots = lookup::at(&file.document.root, row.keys);
        found.extend(spots.iter().filter(|spot| row.test.holds(spot.value)).map(|spot| row.hit(file, spot)));
    }
    if file.path.to_ascii_lowercase().ends_with(".codex/config.toml") {
        codex(file, found);
    }
}

impl Row {
    fn hit(&self, file: &File<'_>, spot: &Spot<'_>) -> RepositoryHit {
        let key = self.keys.iter().filter(|key| **key != EACH).copied().collect::<Vec<_>>().join(".");
        let location = Location::head(file.path, file.document.line(&spot.span()));
        let what = if std::ptr::eq(self.rule, &raw const GATE_DISABLED) && key == "fail_on" {
            "lets no finding fail a run: name the level that does"
        } else {
            self.what
        };
        let message = format!("`{key}: {}` {what}", value_in_words(spot.value));
        RepositoryHit::new(self.rule, location, message).about("setting", key).at(self.level)
    }
}

impl Test {
    fn holds(self, value: &Value) -> bool {
        let is = |wanted: &[&str], value: &Value| {
            text(value).is_some_and(|text| wanted.iter().any(|wanted| wanted.eq_ignore_ascii_case(text.trim())))
        };
        match self {
            Self::Is(wanted) => matches!(value.data, Data::Bool(found) if found == wanted),
            Self::Text(wanted) => is(wanted, value),
            Self::Has(wanted) => items(value).iter().any(|item| is(wanted, item)),
            Self::AllowsAll => members(value).iter().any(|(key, value)| is_everything(&key.name) && allows(value)),
        }
    }
}

/// A glob or an expression that every text matches.
fn is_everything(pattern: &str) -> bool {
    if let Some((expression, flags)) = pattern.strip_prefix('/').and_then(|rest| rest.rsplit_once('/')) {
        let bare = expression.trim_start_matches('^').trim_end_matches('$');
        let flagged = flags.chars().all(|flag| flag.is_ascii_alphabetic());
        return flagged && matches!(bare, ".*" | ".+" | "" | "." | "[\\s\\S]*" | "(.*)" | ".*?");
    }
    matches!(pattern, "*" | "**" | "**/*" | "https://*" | "http://*" | "https://**")
}

fn allows(value: &Value) -> bool {
    match &value.data {
        Data::Bool(value) => *value,
        Data::Text(text) => text == "allow",
        Data::Object(members) => {
            members.iter().any(|(key, value)| key.name.starts_with("approve") && matches!(value.data, Data::Bool(true)))
        }
        _ => false,
    }
}

/// Short, and without what may be secret.
fn value_in_words(value: &Value) -> String {
    match &value.data {
        Data::Bool(value) => value.to_string(),
        Data::Text(text) => shown(text).trim_matches('`').to_owned(),
        Data::List(_) => "[…]".to_owned(),
        _ => "{…}".to_owned(),
    }
}

/// No question and no sandbox are harmless each; both together are everything.
fn codex(file: &File<'_>, found: &mut Vec<RepositoryHit>) {
    let root = &file.document.root;
    let profiles = lookup::at(root, &["profiles", EACH]);
    let tables = std::iter::once(root).chain(profiles.iter().map(|spot| spot.value));
    for table in tables {
        let never = lookup::at(table, &["approval_policy"]).into_iter().find(|spot| text(spot.value) == Some("never"));
        let sandbox = lookup::at(table, &["sandbox_mode"]);
        let open = sandbox.into_iter().find(|spot| text(spot.value) == Some("danger-full-access"));
        let Some(open) = open else { continue };
        let location = Location::head(file.path, file.document.line(&open.span()));
        let hit = if never.is_some() {
            let message = "`sandbox_mode: danger-full-access` with `approval_policy: never` lets the agent do everything without a question: take one of the two out";
            RepositoryHit::new(&PERMISSION_BYPASS, location, message).at(Level::Error)
        } else {
            let message =
                "`sandbox_mode: danger-full-access` lets commands do everything: keep them in `workspace-write`";
            RepositoryHit::new(&WIDE_ALLOW, location, message)
        };
        found.push(hit.about("setting", "sandbox_mode"));
    }
}

//! The ecosystems of a repository: found by files that every project of theirs has, and turned into rules that vouch for their
//! usual commands. What there is to know about them is data, with examples that tests try.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::Failure;
use agent_strace_policy::builtin::{Ecosystem, Rule, Use, ecosystems};
use agent_strace_policy::format::{self, Comments};

/// Folders below the current one that are looked into.
const MAX_DEPTH: usize = 5;
/// Files and folders that are looked at where git does not say which files there are.
const MAX_ENTRIES: usize = 20_000;
/// Folders whose files are other people's, or only look like a project.
const FOREIGN: &[&str] = &["node_modules", "vendor", "third_party", "testdata", "fixtures", "target", "dist"];

/// An ecosystem, and the file that speaks for it.
#[derive(Debug)]
pub(super) struct Found {
    ecosystem: &'static Ecosystem,
    file: String,
}

impl Found {
    pub(super) fn name(&self) -> &str {
        &self.ecosystem.name
    }
}

/// The ecosystems of the tracked files in a folder, or of all files where nothing is tracked.
pub(super) fn found_in(folder: &Path) -> Vec<Found> {
    let tracked = agent_strace_git::tracked(folder).unwrap_or_default().unwrap_or_default();
    let mut files: Vec<String> = if tracked.is_empty() {
        let mut walk = Walk { files: Vec::new(), entries: 0 };
        walk.folder(folder, "", 0);
        walk.files
    } else {
        let is_there = |path: &String| folder.join(path).symlink_metadata().is_ok_and(|found| found.is_file());
        tracked.into_iter().filter(|path| is_own(path) && is_there(path)).collect()
    };
    files.sort_by(|left, right| (left.matches('/').count(), left).cmp(&(right.matches('/').count(), right)));
    ecosystems().iter().filter_map(|ecosystem| find(ecosystem, &files)).collect()
}

fn is_own(path: &str) -> bool {
    path.matches('/').count() <= MAX_DEPTH && !path.split('/').any(|part| FOREIGN.contains(&part))
}

struct Walk {
    files: Vec<String>,
    entries: usize,
}

impl Walk {
    fn folder(&mut self, folder: &Path, prefix: &str, depth: usize) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        let mut entries: Vec<_> = entries.flatten().take(MAX_ENTRIES).collect();
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            self.entries += 1;
            if self.entries > MAX_ENTRIES {
                return;
            }
            let (Ok(kind), Ok(name)) = (entry.file_type(), entry.file_name().into_string()) else { continue };
            if kind.is_file() {
                self.files.push(format!("{prefix}{name}"));
            } else if kind.is_dir() && depth < MAX_DEPTH && !name.starts_with('.') && !FOREIGN.contains(&name.as_str())
            {
                self.folder(&entry.path(), &format!("{prefix}{name}/"), depth + 1);
            }
        }
    }
}

fn find(ecosystem: &'static Ecosystem, files: &[String]) -> Option<Found> {
    let named = |wanted: &str| {
        files.iter().find(|path| {
            let name = path.rsplit('/').next().unwrap_or_default();
            wanted.strip_prefix('*').map_or(name == wanted, |end| name.ends_with(end))
        })
    };
    let or = || {
        let fallback = ecosystem.or.as_ref()?;
        named(&fallback.file).filter(|_| !fallback.without.iter().any(|other| named(other).is_some()))
    };
    let file = ecosystem.files.iter().find_map(|wanted| named(wanted)).or_else(or).cloned()?;
    Some(Found { ecosystem, file })
}

/// A policy with rules for what was found, and what these allow.
pub(super) struct Added {
    pub(super) text: String,
    allows: String,
}

/// Which commands a policy takes from the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// Building, testing and formatting.
    Work,
    /// Also starting what was made, and fetching packages.
    Everyday,
}

/// A policy that vouches for the usual commands of what was found: rules and tests are added to it, and nothing is taken away.
/// `base`: the policy that `text` extends. A rule of the base stays as it is, and a base without `rules` takes none: it may be
/// meant for agents that run nothing.
pub(super) fn added(text: &str, base: Option<&str>, found: &[Found], scope: Scope) -> Result<Option<Added>, Failure> {
    let whole = plain(base.unwrap_or(text))?;
    let is_stated = |id: &str| base.is_some() && states_rule(&whole, id);
    let is_taken = |rule: &Rule| {
        (scope == Scope::Everyday || !matches!(rule.is, Use::Run | Use::Packages)) && !is_stated(&rule.id)
    };
    let entries = || found.iter().flat_map(|found| found.ecosystem.rules.iter().map(move |rule| (found, rule)));
    let entries: Vec<(&Found, &Rule)> = entries().filter(|(_, rule)| is_taken(rule)).collect();
    if whole.get("rules").is_none() || !text.contains(RULES) || entries.is_empty() {
        return Ok(None);
    }
    let (mut rules, tests) = rules_and_tests(found, &entries);
    let mut allows = match scope {
        Scope::Work => "building, testing and formatting with them (`rules` names the commands)".to_owned(),
        Scope::Everyday => "their usual commands (`rules` names them)".to_owned(),
    };
    let registries = registries(found);
    // Where other hosts are refused, the list of those that are not stays as its author made it.
    if whole.pointer("/network/deny_all") == Some(&Value::Bool(true)) {
        let missing: Vec<&str> = registries.iter().copied().filter(|registry| !lists_host(&whole, registry)).collect();
        if !missing.is_empty() {
            let _ = write!(allows, "; `network.allow` does not list {}", missing.join(", "));
        }
    } else if !registries.is_empty() && !is_stated(REGISTRIES) {
        let _ = write!(allows, ", and {}", registries.iter().copied().collect::<Vec<_>>().join(", "));
        let rule = json!({"id": REGISTRIES, "effect": "allow", "reason": "packages of these ecosystems come from there",
            "match": {"net": registries}});
        let _ = writeln!(rules, "{rule},");
    }
    let mut text = text.to_owned();
    if entries.iter().any(|(_, rule)| rule.id == "NPM-PACKAGES") {
        text = text.replacen(UNRESOLVED, &UNRESOLVED.replace("unresolved", "allow"), 1);
    }
    text = text.replacen(RULES, &format!("{RULES}\n{rules}"), 1).replacen(TESTS, &format!("{TESTS}\n{tests}"), 1);
    let own_fault = |faults| Failure::new(format!("internal error: the policy can't be read: {faults}"));
    let text = format::format("the policy", &text, Comments::Keep).map_err(own_fault)?;
    Ok(Some(Added { text, allows }))
}

/// Lines of the lists `rules` and `tests`.
fn rules_and_tests(found: &[Found], entries: &[(&Found, &Rule)]) -> (String, String) {
    let names: Vec<&str> = found.iter().map(Found::name).collect();
    let mut rules = format!(
        "// Found here: {}. Their usual commands run code of the project: these rules vouch for it.\n",
        names.join(", ")
    );
    let mut tests = String::new();
    for (found, rule) in entries {
        let _ = writeln!(rules, "{},", json_of(rule, found.name()));
        let expected = effect(rule.is);
        if let Some(command) = rule.examples.first().filter(|_| rule.is != Use::Packages) {
            let _ = writeln!(tests, "{},", json!({"tool": "Bash", "input": {"command": command}, "expect": expected}));
        }
    }
    (rules, tests)
}

fn states_rule(policy: &Value, id: &str) -> bool {
    let mut rules = policy.get("rules").and_then(Value::as_array).into_iter().flatten();
    rules.any(|rule| rule.get("id").and_then(Value::as_str).is_some_and(|stated| stated.eq_ignore_ascii_case(id)))
}

fn lists_host(policy: &Value, host: &str) -> bool {
    let mut hosts = policy.pointer("/network/allow").and_then(Value::as_array).into_iter().flatten();
    hosts.any(|listed| listed.as_str() == Some(host))
}

/// The rule that allows the registries of packages.
const REGISTRIES: &str = "REGISTRIES";
const RULES: &str = "\"rules\": [";
const TESTS: &str = "\"tests\": [";
/// A test of the default policy that holds only as long as no rule vouches for packages.
const UNRESOLVED: &str = r#"{ "command": "npm install left-pad" }, "expect": "unresolved""#;

/// What a policy states.
fn plain(text: &str) -> Result<Value, Failure> {
    let plain = format::format("the policy", text, Comments::Strip).map_err(|faults| faults.to_string());
    let plain = plain.and_then(|text| serde_json::from_str(&text).map_err(|error| error.to_string()));
    plain.map_err(|error| Failure::new(format!("the policy can't be read: {error}")))
}

fn effect(purpose: Use) -> &'static str {
    if purpose.is_refused() { "deny" } else { "allow" }
}

fn json_of(rule: &Rule, name: &str) -> Value {
    json!({"id": rule.id, "effect": effect(rule.is), "reason": rule.summary(name), "match": {"exec": rule.exec},
        "examples": {"match": rule.examples}})
}

fn registries(found: &[Found]) -> BTreeSet<&str> {
    found.iter().flat_map(|found| &found.ecosystem.registries).map(String::as_str).collect()
}

/// Describes the ecosystems that were found, and what the policy allows because of them.
pub(super) fn told(found: &[Found], added: Option<&Added>) -> String {
    if found.is_empty() {
        return String::new();
    }
    let names =
        found.iter().map(|found| format!("{} ({})", found.ecosystem.name, agent_strace_report::terminal(&found.file)));
    let names = names.collect::<Vec<_>>().join(", ");
    let allows = added.map_or_else(
        || "this policy allows none of their commands".to_owned(),
        |added| format!("allows: {}; refuses: the commands in `rules` that publish or deploy", added.allows),
    );
    format!("  found: {names}\n  {allows}\n")
}

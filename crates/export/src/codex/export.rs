//! A policy → rules and a profile, and what they can't say.

use std::collections::BTreeMap;

use agent_strace_policy::{Decision, EntryView, Subject};

use super::super::exported_policy::ExportedPolicy;
use super::super::paths::{self, Pattern, Side, Start};
use super::super::residual::{EVERY_WAY, Of, Residual, Way};
use super::super::spelling;
use super::{Access, Codex, Network, PrefixRule, Profile, Verdict};

pub(in super::super) fn export(exported: &ExportedPolicy<'_>) -> (Codex, Vec<Residual>) {
    let profile = Profile {
        elsewhere: BTreeMap::new(),
        roots: BTreeMap::new(),
        network: Network { domains: BTreeMap::new() },
        web_search: exported.deny_all().is_none(),
    };
    let mut writer = Writer { exported, codex: Codex { rules: Vec::new(), profile }, residuals: Vec::new() };
    writer.writes();
    writer.reads();
    writer.floor();
    writer.commands();
    writer.network();
    let Writer { mut codex, residuals, .. } = writer;
    codex.rules.sort_by(|one, other| (&one.pattern, other.verdict).cmp(&(&other.pattern, one.verdict)));
    codex.rules.dedup_by(|one, other| (&one.pattern, one.verdict) == (&other.pattern, other.verdict));
    (codex, residuals)
}

struct Writer<'s, 'p> {
    exported: &'s ExportedPolicy<'p>,
    codex: Codex,
    residuals: Vec<Residual>,
}

/// A tool of another kind, and what a command does that leaves the sandbox or that it does not hold.
const BEYOND: &[Way] = &[Way::Tool, Way::Program, Way::Hidden, Way::Earlier, Way::Redirect];

impl Writer<'_, '_> {
    fn residual(&mut self, of: Of, ways: &'static [Way], reason: &'static str, instead: &'static str) {
        self.residuals.push(Residual { of, ways, reason, instead });
    }

    fn reads(&mut self) {
        for entry in self.exported.entries(Subject::Read, Decision::Denied) {
            self.path(entry, Access::Deny);
            let reason = "a profile holds for sandboxed commands, below the workspace and in this spelling";
            self.residual(Of::entry(entry), BEYOND, reason, "a command that rules allow, or another tool, reads it");
        }
        for entry in self.exported.entries(Subject::Read, Decision::Asked) {
            self.residual(Of::entry(entry), EVERY_WAY, "reading is never asked about", "it is read");
        }
        if let Some(first) = self.exported.limited(Subject::Read) {
            let reason = "a list of what may be read would keep tools from their own files";
            self.residual(Of::list(first), EVERY_WAY, reason, "what no deny names is read");
        }
    }

    fn writes(&mut self) {
        let subjects = [Subject::Write, Subject::Delete];
        for subject in subjects {
            for entry in self.exported.entries(subject, Decision::Denied) {
                self.path(entry, Access::Read);
                let reason = "a profile keeps directories from being written, in this spelling, no patterns of names";
                self.residual(Of::entry(entry), BEYOND, reason, "it is written where the workspace may be written");
            }
            for entry in self.exported.entries(subject, Decision::Asked) {
                let reason = "writing in the workspace is never asked about";
                self.residual(Of::entry(entry), EVERY_WAY, reason, "it is written");
            }
            if let Some(first) = self.exported.limited(subject) {
                let reason = "a command that rules allow runs outside of the sandbox";
                self.residual(Of::list(first), BEYOND, reason, "it writes what it likes");
            }
        }
        if self.exported.limited(Subject::Write).is_none() {
            return;
        }
        self.codex.profile.roots.insert(".".to_owned(), Access::Read);
        for entry in self.exported.entries(Subject::Write, Decision::Allowed) {
            let texts = self.exported.patterns(entry);
            let patterns = texts.iter().filter_map(|text| paths::of(text, self.exported.version, Side::Narrower));
            let folders: Vec<(Start, String)> = patterns.flatten().filter_map(|pattern| writable(&pattern)).collect();
            if folders.is_empty() {
                let reason = "a profile opens directories for writing, no patterns";
                self.residual(Of::entry(entry), &[], reason, "it can't be written");
            }
            let profile = &mut self.codex.profile;
            for (start, folder) in folders {
                match start {
                    Start::Home => drop(profile.elsewhere.insert(format!("~/{folder}"), Access::Write)),
                    Start::Absolute => drop(profile.elsewhere.insert(format!("/{folder}"), Access::Write)),
                    Start::Root | Start::Anywhere => drop(profile.roots.insert(folder, Access::Write)),
                }
            }
        }
    }

    /// A deny: of reading by any pattern, of writing by directory or name at the root.
    fn path(&mut self, entry: &EntryView, access: Access) {
        let texts = self.exported.patterns(entry);
        // What a list leaves out stays denied: nothing is opened for it.
        let texts = texts.iter().filter(|text| !text.starts_with('!'));
        for pattern in texts.filter_map(|text| paths::of(text, self.exported.version, Side::Wider)).flatten() {
            let folder = folder(&pattern);
            let profile = &mut self.codex.profile;
            match (pattern.start, access) {
                (Start::Anywhere, Access::Deny) => {
                    profile.roots.insert(format!("**/{}", pattern.body), access);
                }
                (Start::Root, _) => {
                    let key = folder.or_else(|| (access == Access::Deny).then(|| pattern.body.clone()));
                    // What is denied altogether stays so.
                    if let Some(key) = key {
                        strictest(&mut profile.roots, key, access);
                    }
                }
                (Start::Home | Start::Absolute, Access::Deny) if folder.is_some() => {
                    let start = if pattern.start == Start::Home { "~/" } else { "/" };
                    let below = folder.unwrap_or_default();
                    profile.elsewhere.insert(format!("{start}{below}"), access);
                }
                _ => {}
            }
        }
    }

    fn floor(&mut self) {
        for glob in agent_strace_policy::floor_globs() {
            let name = glob.strip_suffix("/**").unwrap_or(glob);
            if !name.contains('*') {
                strictest(&mut self.codex.profile.roots, name.to_owned(), Access::Read);
            }
        }
        let reason = "the floor is kept at the root of the workspace, without patterns";
        self.residual(Of::Floor, BEYOND, reason, "a command that rules allow writes it");
    }

    fn commands(&mut self) {
        for entry in self.exported.about(Subject::Command) {
            match entry.decision {
                Decision::Allowed => self.allowed(entry),
                Decision::Asked => self.refused(entry, Verdict::Prompt),
                _ => self.refused(entry, Verdict::Forbidden),
            }
        }
        if let Some(first) = self.exported.limited(Subject::Command) {
            let reason = "rules name what is refused, they can't refuse the rest";
            let instead = "it runs in the sandbox without a question";
            self.residual(Of::list(first), EVERY_WAY, reason, instead);
        }
        let reason = "what a command does is not looked at";
        let instead = "it runs in the sandbox, or outside where rules allow it";
        self.residual(Of::Unresolved, EVERY_WAY, reason, instead);
    }

    fn allowed(&mut self, entry: &EntryView) {
        let words = spelling::words(&entry.text).filter(|words| words.iter().all(|word| !is_pattern(word)));
        let proven = self.exported.troubles(&entry.text).is_empty();
        if let Some(words) = words.filter(|_| proven) {
            let why = why(entry);
            let pattern = words.into_iter().map(|word| vec![word]).collect();
            self.codex.rules.push(PrefixRule { pattern, verdict: Verdict::Allow, why });
        } else {
            let reason = "an allow would run it outside of the sandbox with any arguments";
            self.residual(Of::entry(entry), &[], reason, "it runs in the sandbox");
        }
    }

    fn refused(&mut self, entry: &EntryView, verdict: Verdict) {
        let words = spelling::words(&entry.text).unwrap_or_default();
        let literal = words.iter().take_while(|word| !is_pattern(word)).count();
        let Some(words) = words.get(..literal).filter(|words| !words.is_empty()).map(<[String]>::to_vec) else {
            self.residual(Of::entry(entry), EVERY_WAY, "rules hold no pattern of a program", "the entry is left out");
            return;
        };
        let whole = literal == spelling::words(&entry.text).map_or(0, |words| words.len());
        let why = why(entry);
        let flag = words.iter().position(|word| spelling::is_flag(word));
        if let Some(at) = flag.filter(|at| *at > 0) {
            // In another order the rule does not match: somebody has to look.
            let pattern = words.iter().take(at).map(|word| vec![word.clone()]).collect();
            self.codex.rules.push(PrefixRule { pattern, verdict: Verdict::Prompt, why: why.clone() });
        }
        let pattern = words.iter().map(|word| alternatives(word)).collect();
        let verdict = if whole { verdict } else { Verdict::Prompt };
        self.codex.rules.push(PrefixRule { pattern, verdict, why });
        let reason = "rules compare words from the first one on, of texts of plain words: other spellings are not seen";
        let instead = "it runs in the sandbox";
        let ways: &'static [Way] =
            if whole && flag.is_none() { &[Way::Hidden, Way::Earlier, Way::Tool, Way::Plain] } else { EVERY_WAY };
        self.residual(Of::entry(entry), ways, reason, instead);
    }

    fn network(&mut self) {
        let reason = "hosts are compared by the sandbox's proxy, without ports, ranges of addresses and registries";
        let instead = "a command that rules allow, or another tool, reaches any host";
        let Some(all) = self.exported.deny_all() else {
            for entry in self.exported.about(Subject::Network) {
                self.residual(Of::entry(entry), BEYOND, reason, instead);
            }
            return;
        };
        for entry in self.exported.about(Subject::Network).filter(|entry| entry.location != all.location) {
            let plain = entry.text.chars().all(|c| c.is_ascii_alphanumeric() || ".-*".contains(c));
            if plain && entry.decision != Decision::Asked && !entry.text.starts_with("**") {
                let allowed = entry.decision == Decision::Allowed;
                self.codex
                    .profile
                    .network
                    .domains
                    .entry(entry.text.clone())
                    .and_modify(|known| *known &= allowed)
                    .or_insert(allowed);
            }
            self.residual(Of::entry(entry), BEYOND, reason, instead);
        }
        if !self.codex.profile.network.domains.values().any(|allowed| *allowed) {
            self.codex.profile.network.domains.clear();
        }
        self.residual(Of::entry(all), BEYOND, reason, instead);
        let above = Of::Entry {
            pointer: "/network".to_owned(),
            name: "network".to_owned(),
            line: all.location.line,
            text: String::new(),
        };
        self.residual(above, BEYOND, reason, instead);
        if let Some(first) = self.exported.limited(Subject::Network) {
            self.residual(Of::list(first), BEYOND, reason, instead);
        }
    }
}

fn strictest(paths: &mut BTreeMap<String, Access>, path: String, access: Access) {
    paths
        .entry(path)
        .and_modify(|known| {
            if *known != Access::Deny {
                *known = access;
            }
        })
        .or_insert(access);
}

/// A directory that may be written, and where its name counts from; `.` is the workspace.
fn writable(pattern: &Pattern) -> Option<(Start, String)> {
    if pattern.start == Start::Root && pattern.body == "**" {
        return Some((Start::Root, ".".to_owned()));
    }
    // A file by its name is a directory for a profile: it would open what lies below it, too, and there is nothing.
    folder(pattern).map(|folder| (pattern.start, folder))
}

/// A directory, or a file by its name.
fn folder(pattern: &Pattern) -> Option<String> {
    let body = pattern.body.strip_suffix("/**").unwrap_or(&pattern.body);
    let plain = !is_pattern(body) && !body.is_empty();
    (plain && pattern.start != Start::Anywhere).then(|| body.to_owned())
}

fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

/// The spellings of one word: `-rf` is `-fr`.
fn alternatives(word: &str) -> Vec<String> {
    let letters: Vec<char> = word.chars().skip(1).collect();
    match letters.as_slice() {
        [one, other] if spelling::is_flag(word) && one.is_ascii_alphabetic() && other.is_ascii_alphabetic() => {
            vec![word.to_owned(), format!("-{other}{one}")]
        }
        _ => vec![word.to_owned()],
    }
}

fn why(entry: &EntryView) -> String {
    let reason =
        entry.policy_rule.as_ref().and_then(|rule| rule.reason.clone()).filter(|reason| !reason.trim().is_empty());
    reason.unwrap_or_else(|| format!("{} of the policy", entry.name))
}

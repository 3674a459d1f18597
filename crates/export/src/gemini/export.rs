//! A policy → rules, and what they can't say.

use agent_strace_policy::{Decision, EntryView, Subject};

use super::super::NETWORK_PROGRAMS;
use super::super::exported_policy::{ExportedPolicy, Trouble};
use super::super::paths::{self, Side};
use super::super::residual::{EVERY_WAY, Of, Residual, Way};
use super::super::spelling;
use super::pattern::{self, Case, Reach};
use super::{Condition, Rule, Rules, Verdict};

const SHELL: &str = "run_shell_command";
/// A deny stands above a question, that above an allow, that above what is not listed.
const GUARD: u16 = 990;
const DENY: u16 = 900;
const ASK: u16 = 500;
const ALLOW: u16 = 100;
const REST: u16 = 50;

/// What commands do, and searches through many files.
const BEYOND: &[Way] = &[Way::Tool, Way::Program, Way::Hidden, Way::Earlier, Way::Redirect];

pub(in super::super) fn export(exported: &ExportedPolicy<'_>) -> (Rules, Vec<Residual>) {
    let mut writer = Writer { exported, rules: Vec::new(), residuals: Vec::new() };
    writer.floor();
    writer.files(Subject::Read, &["read_file"]);
    writer.files(Subject::Write, &["write_file", "replace"]);
    writer.files(Subject::Delete, &["write_file", "replace"]);
    writer.commands();
    writer.network();
    writer.tools();
    let Writer { mut rules, residuals, .. } = writer;
    rules.sort_by(|one, other| other.priority.cmp(&one.priority).then_with(|| one.cmp(other)));
    rules.dedup_by(|one, other| {
        (one.priority, &one.tools, &one.server, &one.condition)
            == (other.priority, &other.tools, &other.server, &other.condition)
    });
    (Rules(rules), residuals)
}

struct Writer<'s, 'p> {
    exported: &'s ExportedPolicy<'p>,
    rules: Vec<Rule>,
    residuals: Vec<Residual>,
}

impl Writer<'_, '_> {
    fn residual(&mut self, of: Of, ways: &'static [Way], reason: &'static str, instead: &'static str) {
        self.residuals.push(Residual { of, ways, reason, instead });
    }

    fn rule(&mut self, decision: Decision, tools: &[&str], condition: Condition, why: String) {
        let (priority, verdict) = rank(decision);
        self.raw(priority, verdict, tools, condition, why);
    }

    fn raw(&mut self, priority: u16, verdict: Verdict, tools: &[&str], condition: Condition, why: String) {
        let tools = tools.iter().map(|tool| (*tool).to_owned()).collect();
        self.rules.push(Rule { priority, verdict, tools, server: None, condition, why });
    }

    fn floor(&mut self) {
        let tools = ["write_file", "replace"];
        for glob in agent_strace_policy::floor_globs() {
            let pattern = paths::Pattern { start: paths::Start::Anywhere, body: glob.to_owned() };
            if let Some(pattern) = pattern::path(&pattern, Case::Folded, Reach::Itself) {
                let why = "what decides about the agent is not the agent's to write".to_owned();
                self.rule(Decision::Denied, &tools, Condition::Arguments(pattern), why);
            }
        }
        let reason = "files that decide about the agent are only kept from its file tools";
        self.residual(Of::Floor, BEYOND, reason, "a command that may run may write them");
        // A path that is not written plainly is no path that a pattern can judge.
        let why = "paths are written without `..`, `.` and doubled slashes".to_owned();
        let plain = "\"file_path\":\"([^\"]*/|)(\\.\\./|\\./|/)[^\"]".to_owned();
        let tools = ["read_file", "write_file", "replace"];
        self.raw(
            GUARD,
            Verdict::Deny,
            &tools,
            Condition::Arguments(plain.replace("([^\"]*/|)", "[^\"]*/")),
            why.clone(),
        );
        self.raw(GUARD, Verdict::Deny, &tools, Condition::Arguments("\"file_path\":\"\\.\\./".to_owned()), why);
    }

    fn files(&mut self, subject: Subject, tools: &[&str]) {
        for entry in self.exported.about(subject) {
            for text in self.exported.patterns(entry) {
                self.file(entry, &text, tools);
            }
        }
        let Some(first) = self.exported.limited(subject) else { return };
        let why = format!("not in {} of the policy", first.name.split('[').next().unwrap_or_default());
        let any = Condition::Arguments("\"file_path\":".to_owned());
        self.raw(REST, Verdict::Deny, tools, any, why);
        let reason = "only the tools for one file are compared with a list";
        self.residual(Of::list(first), BEYOND, reason, "searches and commands that may run reach other files");
    }

    fn file(&mut self, entry: &EntryView, text: &str, tools: &[&str]) {
        let allows = entry.decision == Decision::Allowed;
        let excluded = text.starts_with('!');
        let text = text.trim_start_matches('!');
        let side = if allows && !excluded { Side::Narrower } else { Side::Wider };
        let case = if allows && !excluded { Case::Exact } else { Case::Folded };
        let reach = if self.exported.version >= 2 && side == Side::Wider { Reach::Below } else { Reach::Itself };
        let patterns = paths::of(text, self.exported.version, side).filter(|_| !excluded || allows);
        let patterns: Option<Vec<String>> =
            patterns.and_then(|patterns| patterns.iter().map(|pattern| pattern::path(pattern, case, reach)).collect());
        if excluded && !allows {
            let reason = "a deny has no exceptions: what `!` takes out of the list is refused, too";
            self.residual(Of::entry(entry), &[], reason, "the other patterns of the entry are written, and stay wider");
            return;
        }
        let Some(patterns) = patterns else {
            let ways: &'static [Way] = if allows { &[] } else { EVERY_WAY };
            self.residual(Of::entry(entry), ways, "the pattern can't stand in a rule", "the pattern is left out");
            return;
        };
        let decision = if excluded { Decision::Denied } else { entry.decision };
        for pattern in patterns {
            self.rule(decision, tools, Condition::Arguments(pattern), why(entry));
        }
        if !allows {
            let reason = "only the tools for one file are compared with patterns";
            self.residual(Of::entry(entry), BEYOND, reason, "searches and commands that may run reach it");
        }
    }

    fn commands(&mut self) {
        for entry in self.exported.about(Subject::Command) {
            if entry.decision == Decision::Allowed {
                self.allowed(entry);
            } else {
                self.refused(entry);
            }
        }
        if let Some(first) = self.exported.limited(Subject::Command) {
            let any = Condition::Arguments("\"command\":".to_owned());
            self.raw(REST, Verdict::Deny, &[SHELL], any, "not in commands.allow of the policy".to_owned());
            let reason = "a command is compared by the text it starts with";
            let instead = "what an allowed command runs is not seen";
            self.residual(Of::list(first), &[Way::Hidden, Way::Earlier, Way::Tool], reason, instead);
        }
        let reason = "what a command does with its arguments is not looked at";
        let instead = "a command that rules allow, or that is known to read only, runs";
        self.residual(Of::Unresolved, EVERY_WAY, reason, instead);
    }

    fn allowed(&mut self, entry: &EntryView) {
        let words =
            spelling::words(&entry.text).filter(|words| !words.iter().any(|word| word.contains(['*', '?', '['])));
        let troubles = self.exported.troubles(&entry.text);
        let harmless = troubles.iter().all(|trouble| *trouble == Trouble::Arguments);
        if let Some(words) = words.filter(|_| harmless) {
            self.rule(Decision::Allowed, &[SHELL], Condition::Prefix(words.join(" ")), why(entry));
        } else {
            let reason = "an allow would let its arguments reach what the policy refuses";
            self.residual(Of::entry(entry), &[], reason, "it is refused like a command that is not listed");
        }
    }

    fn refused(&mut self, entry: &EntryView) {
        let Some(patterns) = pattern::command(&entry.text) else {
            self.residual(Of::entry(entry), EVERY_WAY, "the pattern can't stand in a rule", "the entry is left out");
            return;
        };
        for pattern in patterns {
            self.rule(entry.decision, &[SHELL], Condition::Command(pattern), why(entry));
        }
        let reason =
            "commands are compared as text: other spellings, and commands that other programs run, are not seen";
        let instead = "it is asked about or refused, unless a rule allows what stands in front";
        self.residual(Of::entry(entry), &[Way::Hidden, Way::Earlier, Way::Tool], reason, instead);
    }

    fn tools(&mut self) {
        let tools: Vec<(EntryView, String)> =
            self.exported.tools().map(|(entry, server)| (entry.clone(), server)).collect();
        for (entry, server) in tools {
            let plain = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "-.".contains(c));
            // Names of servers with `_` are not matched, and a tool is a name or all of them.
            if !plain(&server)
                || entry.text != "*" && !entry.text.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c))
            {
                let ways: &'static [Way] = if entry.decision == Decision::Allowed { &[] } else { EVERY_WAY };
                self.residual(
                    Of::entry(&entry),
                    ways,
                    "a rule names a server and its tool plainly",
                    "the entry is left out",
                );
                continue;
            }
            let (priority, verdict) = rank(entry.decision);
            let (tools, why) = (vec![entry.text.clone()], why(&entry));
            self.rules.push(Rule { priority, verdict, tools, server: Some(server), condition: Condition::None, why });
        }
    }

    fn network(&mut self) {
        let reason = "a fetch is asked about, its hosts are not compared with a list; commands are not looked at";
        let instead = "a command that may run reaches any host";
        for entry in self.exported.about(Subject::Network) {
            if entry.decision != Decision::Allowed {
                self.residual(Of::entry(entry), EVERY_WAY, reason, instead);
            }
            let plain = entry.text.chars().all(|c| c.is_ascii_alphanumeric() || ".-".contains(c));
            if entry.decision != Decision::Allowed && plain {
                let host = format!("://([^/\"\\s]*@|){}[/:\"\\s]", super::super::escape::pattern(&entry.text));
                self.rule(entry.decision, &["web_fetch"], Condition::Arguments(host), why(entry));
            }
        }
        let Some(all) = self.exported.deny_all() else { return };
        self.rule(Decision::Denied, &["google_web_search"], Condition::None, why(all));
        if let Some(first) = self.exported.limited(Subject::Network) {
            self.residual(Of::list(first), EVERY_WAY, reason, instead);
        } else {
            self.rule(Decision::Denied, &["web_fetch"], Condition::None, why(all));
            for program in NETWORK_PROGRAMS {
                let patterns = pattern::command(program).unwrap_or_default();
                for pattern in patterns {
                    self.rule(Decision::Denied, &[SHELL], Condition::Command(pattern), why(all));
                }
            }
        }
        let above = Of::Entry {
            pointer: "/network".to_owned(),
            name: "network".to_owned(),
            line: all.location.line,
            text: String::new(),
        };
        self.residual(above, EVERY_WAY, reason, instead);
    }
}

fn rank(decision: Decision) -> (u16, Verdict) {
    match decision {
        Decision::Denied => (DENY, Verdict::Deny),
        Decision::Asked => (ASK, Verdict::Ask),
        _ => (ALLOW, Verdict::Allow),
    }
}

fn why(entry: &EntryView) -> String {
    let reason =
        entry.policy_rule.as_ref().and_then(|rule| rule.reason.clone()).filter(|reason| !reason.trim().is_empty());
    reason.unwrap_or_else(|| format!("{} of the policy", entry.name))
}

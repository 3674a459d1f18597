//! A policy → permission rules, and what they can't say.

use agent_strace_policy::{Decision, EntryView, Subject};

use super::super::exported_policy::{ExportedPolicy, Trouble};
use super::super::paths::{self, Pattern, Side, Start};
use super::super::residual::{EVERY_WAY, Of, Residual, Way};
use super::super::{NETWORK_PROGRAMS, spelling};
use super::emulate::{READING, READING_GIT};
use super::{Mode, Settings};

pub(super) fn settings(exported: &ExportedPolicy<'_>) -> (Settings, Vec<Residual>) {
    let mode = mode(exported);
    let settings = Settings { mode, allow: Vec::new(), ask: Vec::new(), deny: Vec::new() };
    let mut writer = Writer { exported, settings, residuals: Vec::new() };
    writer.floor();
    writer.files(Subject::Read, "Read");
    writer.files(Subject::Write, "Edit");
    writer.files(Subject::Delete, "Edit");
    writer.commands();
    writer.network();
    writer.tools();
    let Writer { mut settings, residuals, .. } = writer;
    for list in [&mut settings.allow, &mut settings.ask, &mut settings.deny] {
        list.sort_unstable();
        list.dedup();
    }
    (settings, residuals)
}

/// Unlisted calls are refused only where the policy says so, and the user cannot be asked then.
fn mode(exported: &ExportedPolicy<'_>) -> Mode {
    let asks = exported.listed().any(|entry| entry.decision == Decision::Asked);
    if exported.limited(Subject::Command).is_some() && !asks { Mode::Refuse } else { Mode::Ask }
}

struct Writer<'s, 'p> {
    exported: &'s ExportedPolicy<'p>,
    settings: Settings,
    residuals: Vec<Residual>,
}

impl Writer<'_, '_> {
    fn list(&mut self, decision: Decision) -> &mut Vec<String> {
        match decision {
            Decision::Denied => &mut self.settings.deny,
            Decision::Asked => &mut self.settings.ask,
            _ => &mut self.settings.allow,
        }
    }

    fn residual(&mut self, of: Of, ways: &'static [Way], reason: &'static str, instead: &'static str) {
        self.residuals.push(Residual { of, ways, reason, instead });
    }

    /// Files that no agent may write under any policy.
    fn floor(&mut self) {
        self.settings.deny.extend(agent_strace_policy::floor_globs().map(|glob| format!("Edit(//**/{glob})")));
        self.residual(
            Of::Floor,
            &[Way::Program, Way::Redirect, Way::Earlier, Way::Tool],
            "files that decide about the agent are only kept from its file tools, in this spelling",
            "a command that may run may write them",
        );
    }

    fn files(&mut self, subject: Subject, tool: &str) {
        for decision in [Decision::Denied, Decision::Asked, Decision::Allowed] {
            let entries: Vec<&EntryView> = self.exported.entries(subject, decision).collect();
            for entry in entries {
                for text in self.exported.patterns(entry) {
                    self.file(entry, &text, tool);
                }
            }
        }
        if let Some(first) = self.exported.limited(subject) {
            let asks = self.settings.mode != Mode::Refuse;
            let (reason, instead, ways) = match subject {
                Subject::Read => {
                    ("reading inside of the working directory can't be limited to a list", READS_RUN, EVERY_WAY)
                }
                // `dontAsk` would refuse commands that the policy does not list, too.
                _ if asks => ("what no rule names is asked about, and the user may say yes", WRITES_RUN, EVERY_WAY),
                _ => ("a command's own writes are not compared with a list", WRITES_RUN, BY_COMMAND),
            };
            self.residual(Of::list(first), ways, reason, instead);
        } else if subject == Subject::Write && self.settings.mode == Mode::Refuse {
            self.settings.allow.push("Edit(/**)".to_owned());
        }
    }

    fn file(&mut self, entry: &EntryView, text: &str, tool: &str) {
        let excluded = text.starts_with('!');
        let text = text.trim_start_matches('!');
        let allows = entry.decision == Decision::Allowed;
        let side = if allows && !excluded { Side::Narrower } else { Side::Wider };
        let patterns = paths::of(text, self.exported.version, side);
        // A deny has no exceptions; an allow has those of a deny.
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
        let rules = patterns.iter().map(|pattern| format!("{tool}({})", specifier(pattern, side)));
        self.list(decision).extend(rules);
        if !allows {
            let instead = if tool == "Read" { READS_RUN } else { WRITES_RUN };
            let reason = "rules hold for file tools, redirections, `cat`, `head`, `tail` and `sed`, in this spelling";
            self.residual(Of::entry(entry), UNSEEN, reason, instead);
        }
    }

    fn commands(&mut self) {
        let entries: Vec<&EntryView> = self.exported.about(Subject::Command).collect();
        for entry in &entries {
            if entry.decision == Decision::Allowed {
                self.allowed_command(entry);
            } else {
                self.refused_command(entry);
            }
        }
        if let Some(first) = self.exported.limited(Subject::Command) {
            self.unlisted_commands(first);
        }
        self.residual(
            Of::Unresolved,
            &[Way::Hidden, Way::Program, Way::Earlier, Way::Plain, Way::Tool, Way::Redirect],
            "what a command does with its arguments is not looked at",
            "a command that a rule or the built-in list allows runs",
        );
    }

    fn refused_command(&mut self, entry: &EntryView) {
        let Some(spellings) = spelling::of(&entry.text) else {
            self.residual(Of::entry(entry), EVERY_WAY, "the pattern can't stand in a rule", "the entry is left out");
            return;
        };
        let rules: Vec<String> = spellings.iter().map(|text| format!("Bash({text})")).collect();
        self.list(entry.decision).extend(rules);
        self.residual(
            Of::entry(entry),
            &[Way::Hidden, Way::Earlier, Way::Tool],
            "commands are compared as text: other spellings, and commands that other programs run, are not seen",
            "it is asked about or refused, unless a rule or the built-in list allows what stands in front",
        );
    }

    fn allowed_command(&mut self, entry: &EntryView) {
        let words = entry.text.as_str();
        let built_in = READING.contains(&words) || is_reading_git(words);
        if built_in {
            return;
        }
        let troubles = self.exported.troubles(words);
        let harmless = troubles.iter().all(|trouble| *trouble == Trouble::Arguments);
        match spelling::allowed(words).filter(|_| harmless) {
            Some(text) => self.settings.allow.push(format!("Bash({text})")),
            None => self.residual(Of::entry(entry), &[], left_out(&troubles), "it is asked about or refused"),
        }
    }

    /// Commands of the built-in list run although the policy does not list them.
    fn unlisted_commands(&mut self, first: &EntryView) {
        let listed = |command: &str| {
            self.exported.entries(Subject::Command, Decision::Allowed).any(|entry| {
                let words = entry.text.as_str();
                words.contains(['*', '?', '['])
                    || command == words
                    || command.strip_prefix(words).is_some_and(|rest| rest.starts_with(' '))
                    || words.strip_prefix(command).is_some_and(|rest| rest.starts_with(' '))
            })
        };
        let git = READING_GIT.iter().map(|form| format!("git {form}"));
        let commands = READING.iter().map(|command| (*command).to_owned()).chain(git);
        let denied: Vec<String> =
            commands.filter(|command| !listed(command)).map(|command| format!("Bash({command} *)")).collect();
        self.settings.deny.extend(denied);
        let reason = "the built-in list of commands that run without a rule is only known in part";
        let instead = "a command of that list runs; any other is refused, or asked about where the policy asks";
        self.residual(Of::list(first), &[Way::Plain, Way::Hidden, Way::Earlier, Way::Program], reason, instead);
    }

    fn network(&mut self) {
        let hosts: Vec<&EntryView> = self.exported.about(Subject::Network).collect();
        for entry in hosts.iter().filter(|entry| !entry.location.pointer.ends_with("/deny_all")) {
            self.host(entry);
        }
        let Some(all) = self.exported.deny_all() else {
            if self.settings.mode == Mode::Refuse {
                self.settings.allow.extend(["WebFetch".to_owned(), "WebSearch".to_owned()]);
            }
            return;
        };
        self.settings.deny.push("WebSearch".to_owned());
        if self.exported.limited(Subject::Network).is_none() {
            self.settings.deny.push("WebFetch".to_owned());
            self.settings.deny.extend(NETWORK_PROGRAMS.iter().map(|program| format!("Bash({program} *)")));
        }
        let reason = "hosts are compared for WebFetch alone, and it fetches some documentation sites without a rule";
        self.residual(Of::entry(all), EVERY_WAY, reason, "a command that may run reaches any host");
        if let Some(first) = self.exported.limited(Subject::Network) {
            self.residual(Of::list(first), EVERY_WAY, reason, "a command that may run reaches any host");
        }
        let network = Of::Entry {
            pointer: "/network".to_owned(),
            name: "network".to_owned(),
            line: all.location.line,
            text: String::new(),
        };
        self.residual(network, EVERY_WAY, reason, "a command that may run reaches any host");
    }

    fn tools(&mut self) {
        for (entry, server) in self.exported.tools() {
            let plain = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "_-*".contains(c));
            // A server by a pattern is refused in an allow, and a tool by one stands behind its server alone.
            let can = plain(&server) && plain(&entry.text) && !server.contains('*');
            if can {
                let rule = format!("mcp__{server}__{}", entry.text);
                self.list(entry.decision).push(rule);
            } else {
                let ways: &'static [Way] = if entry.decision == Decision::Allowed { &[] } else { EVERY_WAY };
                self.residual(
                    Of::entry(entry),
                    ways,
                    "a rule names a server and its tool plainly",
                    "the entry is left out",
                );
            }
        }
    }

    fn host(&mut self, entry: &EntryView) {
        let is_host = |character: char| character.is_ascii_alphanumeric() || ".-*".contains(character);
        if !entry.text.chars().all(is_host) {
            let ways: &'static [Way] = if entry.decision == Decision::Allowed { &[] } else { EVERY_WAY };
            let reason = "a rule holds a host without port, address range or registry";
            self.residual(Of::entry(entry), ways, reason, "the entry is left out");
            return;
        }
        let rule = format!("WebFetch(domain:{})", entry.text);
        self.list(entry.decision).push(rule);
        if entry.decision != Decision::Allowed {
            let reason = "hosts are compared for WebFetch alone";
            self.residual(Of::entry(entry), UNSEEN, reason, "a command that may run reaches any host");
        }
    }
}

/// Ways that no path rule sees for sure.
const UNSEEN: &[Way] = &[Way::Program, Way::Hidden, Way::Earlier, Way::Tool, Way::Redirect];
const BY_COMMAND: &[Way] = &[Way::Program, Way::Hidden, Way::Earlier];
const READS_RUN: &str = "what no deny names is read without a question";
const WRITES_RUN: &str = "a command that may run may write it";

fn is_reading_git(words: &str) -> bool {
    words.strip_prefix("git ").is_some_and(|form| READING_GIT.contains(&form))
}

/// Why a command is not allowed although the policy lists it.
fn left_out(troubles: &[Trouble]) -> &'static str {
    match troubles.iter().max() {
        None => "the pattern can't stand in a rule",
        Some(Trouble::Reads) => "an allow would let it read what the policy refuses: its operands are not compared",
        Some(Trouble::Writes) => "an allow would let it write what the policy refuses: its operands are not compared",
        Some(Trouble::Connects) => "an allow would let it reach hosts that the policy refuses",
        Some(Trouble::Runs | Trouble::Arguments) => "an allow would let it run whatever its arguments say",
    }
}

fn specifier(pattern: &Pattern, side: Side) -> String {
    let body = &pattern.body;
    match (pattern.start, side) {
        (Start::Root, _) => format!("/{body}"),
        // A file of that name counts outside of the project, too.
        (Start::Anywhere, Side::Wider) => format!("//**/{body}"),
        (Start::Anywhere, Side::Narrower) => format!("/**/{body}"),
        (Start::Home, _) => format!("~/{body}"),
        (Start::Absolute, _) => format!("//{body}"),
    }
}

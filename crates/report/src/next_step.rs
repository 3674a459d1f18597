//! Advice about one finding: one line that fits its rule, the entry that decided, and the act.
//!
//! `policy explain` and `policy test` answer what would change a judgement; this is for readers of a report, who also have
//! people, suppressions and the agent at hand. Texts hold log text, redacted, which a renderer escapes.

use std::collections::BTreeSet;

use agent_strace_engine::generate::{Form, form};
use agent_strace_model::finding::{Family, Level, RuleId};
use agent_strace_policy::dotted;
use agent_strace_secrets::Redacted;

use super::escape::shorten;
use super::sarif::catalogue::document;
use super::view::{Report, ShownEffect, ShownFinding, ShownLocation, ShownSession};

/// Longest name in a text.
const NAME: usize = 120;
/// A text of a rule is cut after the sentence that reaches this length. The first sentence is always whole.
const REMEDY: usize = 300;
/// Hosts that are named.
const NAMED: usize = 4;

/// The way out where no edit helps.
const EXCEPTION: &str = "an exception with an end date";

/// The part of a policy that decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decider {
    /// An entry that forbids.
    Deny,
    /// An entry that wants a person's approval.
    Ask,
    /// A list in which the act is missing.
    Unlisted,
    DenyAll,
    /// `defaults.decision`.
    Default,
    Other,
}

impl Decider {
    fn of(finding: &ShownFinding, location: &ShownLocation) -> Self {
        let name = dotted(&location.pointer);
        let list = name.rsplit('.').next().unwrap_or_default();
        let list = list.split('[').next().unwrap_or_default();
        match list {
            "rules" if finding.rule == RuleId::ScopeApproval => Self::Ask,
            "deny" | "deny_set" | "rules" => Self::Deny,
            "ask" => Self::Ask,
            "allow" | "allow_set" => Self::Unlisted,
            "deny_all" => Self::DenyAll,
            "decision" => Self::Default,
            _ => Self::Other,
        }
    }
}

/// One line: a command or an edit that helps, or who has to look at it.
pub(super) fn next_step(report: &Report, finding: &ShownFinding) -> String {
    own_step(report, finding).unwrap_or_else(|| remedy_of(finding))
}

/// Returns true if the only advice is the text of the rule.
pub(super) fn is_of_rule(report: &Report, finding: &ShownFinding) -> bool {
    own_step(report, finding).is_none()
}

/// Returns advice that fits this finding better than the text of its rule.
fn own_step(report: &Report, finding: &ShownFinding) -> Option<String> {
    if finding.message.as_str().starts_with("attempt: ") {
        return Some("nothing, the call was refused before it ran".to_owned());
    }
    match finding.rule.family() {
        Family::Gate => Some(tampering(report, finding)),
        Family::Floor if finding.level == Level::Note => {
            Some("read the change as you would read code: it tells agents what to do, or runs by itself".to_owned())
        }
        Family::Floor => Some(format!(
            "revert it, and let a person make the change in a reviewed commit; what an agent has to do here takes \
             {EXCEPTION} (`{}`)",
            finding.rule
        )),
        Family::Scope => of_scope(report, finding),
        _ => None,
    }
}

/// Returns one advice for all findings of one cause.
pub(super) fn next_step_of(report: &Report, findings: &[(Option<&ShownSession>, &ShownFinding)]) -> String {
    let Some((_, first)) = findings.first() else { return String::new() };
    let is_attempt = first.message.as_str().starts_with("attempt: ");
    let effects: Vec<&ShownEffect> = findings.iter().filter_map(|(_, finding)| finding.effect.as_deref()).collect();
    let is_of_policy = first.rule.family() == Family::Scope && !is_attempt;
    let several = if is_of_policy { step_of_several(report, first, &effects) } else { None };
    several.unwrap_or_else(|| next_step(report, first))
}

/// One edit for acts on several targets.
fn step_of_several(report: &Report, first: &ShownFinding, effects: &[&ShownEffect]) -> Option<String> {
    let (effect, location) = (first.effect.as_deref()?, first.policy.as_ref());
    if effect.kind == "opaque" {
        let is_vouched = |effect: &&&ShownEffect| !effect.vouched_by.is_empty() && effect.class != Some("hidden");
        let entries: BTreeSet<String> =
            effects.iter().filter(is_vouched).map(|effect| vouching_words(effect)).collect();
        let is_plain = effect.class != Some("changed") && entries.len() > 1;
        return is_plain
            .then(|| format!("put those that you trust into commands.allow to vouch for them: {}", named(&entries)));
    }
    let targets: BTreeSet<String> = effects.iter().filter_map(|effect| target(report, effect)).collect();
    let location = location.filter(|_| targets.len() > 1 && first.rule != RuleId::ScopeUnresolved)?;
    let list = list_of(location);
    match (Decider::of(first, location), effect.kind) {
        (Decider::DenyAll, _) => Some(allow_hosts(&targets)),
        (Decider::Unlisted, "execute") if !matches!(program_form(effect), Some((_, Form::Code | Form::Commands))) => {
            Some(format!("add those that the work needs to {list}: {}", named(&targets)))
        }
        (Decider::Deny, "read" | "write" | "delete" | "list") if location.id.is_none() => Some(format!(
            "no allow overrides a deny: narrow the entry in {list} for such paths ({}), or add {EXCEPTION}",
            named(&targets)
        )),
        (Decider::Unlisted, "read" | "write" | "delete" | "list") => Some(format!(
            "add a pattern to {list} that holds such paths ({}), or let the agent do without",
            target(report, effect)?
        )),
        _ => None,
    }
}

/// `npm test`, as an entry of `commands.allow` says it.
fn vouching_words(effect: &ShownEffect) -> String {
    let words: Vec<&str> = effect.vouched_by.iter().map(Redacted::as_str).collect();
    quoted(&words.join(" "))
}

/// The first names, and how many more there are.
fn named(names: &BTreeSet<String>) -> String {
    let shown: Vec<&str> = names.iter().take(NAMED).map(String::as_str).collect();
    let more = names.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

/// `network.allow: ["a.example", "b.example"]`, for those that the work needs.
fn allow_hosts(hosts: &BTreeSet<String>) -> String {
    let named: Vec<String> = hosts.iter().take(NAMED).map(|host| host.replace('`', "\"")).collect();
    let more = hosts.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    format!("allow the hosts that the work needs: `network.allow: [{}]`{more}", named.join(", "))
}

fn tampering(report: &Report, finding: &ShownFinding) -> String {
    let file = report.file_of(finding);
    let file = if file.is_empty() { "the change".to_owned() } else { quoted(file) };
    if finding.level == Level::Note {
        return format!("nothing, people looked at {file}");
    }
    format!(
        "a code owner has to review {file}, in a pull request of its own; then the workflow says who did (`reviewed-by` of the \
         action, `--tampering-reviewed` of the program), or the policy at the base gets {EXCEPTION} for the path"
    )
}

fn of_scope(report: &Report, finding: &ShownFinding) -> Option<String> {
    match finding.rule {
        RuleId::ScopeRemoteCode => Some(format!(
            "let the agent download the file, compare its digest with a committed one, and run it then; an installer that \
             you want needs {EXCEPTION}"
        )),
        RuleId::ScopeDecodedCode => {
            Some(format!("let the agent write the script out or commit it, so that it can be judged; else {EXCEPTION}"))
        }
        RuleId::ScopeRemoteShell => {
            Some(format!("stop the agent and look at its session; nothing but {EXCEPTION} allows it"))
        }
        RuleId::ScopeSensitive => Some(sensitive(report, finding)),
        RuleId::ScopeUnresolved => unresolved(report, finding),
        _ => by_policy(report, finding),
    }
}

/// The policy allows it already, or a list has to name the file.
fn sensitive(report: &Report, finding: &ShownFinding) -> String {
    if finding.level == Level::Warning {
        return format!("rotate what was exposed; a file that agents need for their work takes {EXCEPTION}");
    }
    let entry = finding.effect.as_deref().and_then(|effect| target(report, effect));
    let list = finding.effect.as_deref().and_then(|effect| section(effect)).unwrap_or("files.read");
    let entry = entry.unwrap_or_else(|| "the file".to_owned());
    format!("rotate what was exposed; if the access is part of the task, add {entry} to {list}.allow, or {EXCEPTION}")
}

/// An act that an entry forbids or that no entry allows.
fn by_policy(report: &Report, finding: &ShownFinding) -> Option<String> {
    let (effect, location) = (finding.effect.as_deref()?, finding.policy.as_ref()?);
    let list = list_of(location);
    Some(match Decider::of(finding, location) {
        Decider::Deny => denied(report, effect, location),
        Decider::Ask => format!("a person has to look at it: {EXCEPTION} in the policy approves it"),
        Decider::Unlisted => match program_form(effect) {
            Some((program, Form::Code)) => match script(effect) {
                Some(script) => format!(
                    "add {} to {list}, or let the agent do without: an entry for `{program}` alone allows any code",
                    quoted(&format!("{program} {script}"))
                ),
                None => format!(
                    "let the agent run the command itself, without `{program}`: an entry for `{program}` in {list} allows \
                     code that is not always seen"
                ),
            },
            Some((program, Form::Commands)) => {
                format!("add `{program}` to {list}: the commands that it starts are judged by themselves")
            }
            _ => format!("add {} to {list}, or let the agent do without", target(report, effect)?),
        },
        Decider::DenyAll => allow_host(effect)?,
        Decider::Default => format!(
            "add {} to {}.allow: `defaults.decision` denies what no entry allows",
            target(report, effect)?,
            section(effect)?
        ),
        Decider::Other => return None,
    })
}

/// The program of a command, and how far an entry for it reaches.
fn program_form(effect: &ShownEffect) -> Option<(&str, Form)> {
    let program = effect.argv.as_ref()?.first()?.as_str();
    is_plain(program).then(|| (bare(program), form(program)))
}

fn bare(program: &str) -> &str {
    program.rsplit(['/', '\\']).next().unwrap_or(program)
}

/// A name from a log that an entry would read as a pattern is not proposed: it would allow other things, too.
fn is_plain(name: &str) -> bool {
    !name.contains(['*', '?', '[', '{'])
}

/// The file that an interpreter is given, where it is the first word behind its name.
fn script(effect: &ShownEffect) -> Option<&str> {
    let word = effect.argv.as_ref()?.get(1)?.as_str();
    let is_file =
        !word.is_empty() && !word.starts_with('-') && word.contains(['.', '/']) && !word.contains(char::is_whitespace);
    is_file.then_some(word)
}

/// Returns advice for an act that an entry denies: an allow entry does not help.
fn denied(report: &Report, effect: &ShownEffect, location: &ShownLocation) -> String {
    let list = list_of(location);
    let wins = "no allow overrides a deny";
    if list.ends_with("deny_set") {
        return format!("do without the variable, take it out of {list}, or add {EXCEPTION}");
    }
    let is_version_2 = report.policy.as_ref().is_some_and(|policy| policy.version >= 2);
    match (path_entry(report, effect), &location.id) {
        (_, Some(id)) => format!("{wins}: narrow the rule {}, or add {EXCEPTION}", shorten(id.as_str(), NAME)),
        (Some(path), None) if is_version_2 => {
            format!("{wins}: narrow the deny with {} in {list}, or add {EXCEPTION}", quoted(&format!("!{path}")))
        }
        (Some(_), None) => {
            format!("{wins}: narrow the entry in {list} (`!pattern` takes a policy of version 2), or add {EXCEPTION}")
        }
        (None, None) => format!("{wins}: narrow the entry in {list}, or add {EXCEPTION}"),
    }
}

fn allow_host(effect: &ShownEffect) -> Option<String> {
    let host = shorten(effect.host.as_ref()?.as_str(), NAME);
    is_plain(&host).then(|| format!("allow the host: `network.allow: [\"{host}\"]`"))
}

/// An act that the log does not show in full.
fn unresolved(report: &Report, finding: &ShownFinding) -> Option<String> {
    let effect = finding.effect.as_deref()?;
    if effect.kind == "opaque" {
        return Some(vouching(effect, finding.tool.as_ref().map(Redacted::as_str)));
    }
    let exactly = if effect.kind == "connect" { "the host" } else { "what it touches" };
    let Some(location) = &finding.policy else {
        return Some(format!("let the agent name {exactly} exactly, or add {EXCEPTION}"));
    };
    let list = list_of(location);
    Some(match Decider::of(finding, location) {
        Decider::Deny | Decider::Ask => format!(
            "let the agent name {exactly} exactly, so that it can be judged; if the act is right, narrow the entry in \
             {list}, or add {EXCEPTION}"
        ),
        Decider::Unlisted => match target(report, effect) {
            Some(entry) => {
                format!("let the agent name {exactly} exactly, or add an entry to {list} that holds all of {entry}")
            }
            None => format!("let the agent name {exactly} exactly, or add {EXCEPTION}"),
        },
        Decider::DenyAll => {
            format!("let the agent name the host exactly and add it to network.allow, or add {EXCEPTION}")
        }
        Decider::Default | Decider::Other => format!("let the agent name {exactly} exactly, or add {EXCEPTION}"),
    })
}

/// The entry that vouches for it, or what helps where none does.
pub(super) fn vouching(effect: &ShownEffect, tool: Option<&str>) -> String {
    let words: Vec<&str> = effect.vouched_by.iter().map(Redacted::as_str).collect();
    let words = shorten(&words.join(" "), NAME);
    match (effect.class, words.as_str()) {
        (Some("hidden"), _) => {
            format!("no entry vouches for hidden code: let the agent write the command out, or add {EXCEPTION}")
        }
        (Some("changed"), "") => format!(
            "the session changed what runs: allow the command with `\"even_if_changed\": true` in commands.allow (version \
             2), or add {EXCEPTION}"
        ),
        (Some("changed"), words) => format!(
            "the session changed what runs: put `{{\"command\": \"{words}\", \"even_if_changed\": true}}` into \
             commands.allow (version 2) to vouch for it"
        ),
        (_, "") => match tool.and_then(tool_entry) {
            Some(entry) => format!("add {entry} to vouch for the tool, or add {EXCEPTION}"),
            None => format!("let the agent write out what it does, so that it can be judged, or add {EXCEPTION}"),
        },
        (_, words) => match effect.vouched_by.as_slice() {
            [program] if matches!(form(program.as_str()), Form::Code | Form::Commands) => format!(
                "let the agent run the command itself: an entry for `{}` in commands.allow would vouch for any code",
                bare(program.as_str())
            ),
            _ => format!("put `{words}` into commands.allow to vouch for it"),
        },
    }
}

/// `mcp__github__get_issue` → the entry that allows it.
fn tool_entry(tool: &str) -> Option<String> {
    let (server, name) = tool.strip_prefix("mcp__")?.split_once("__")?;
    let [server, name] = [server, name].map(|part| shorten(part, NAME));
    Some(format!("`\"mcp\": {{\"servers\": {{\"{server}\": {{\"allow\": [\"{name}\"]}}}}}}`"))
}

/// The list that decided, as people write it.
fn list_of(location: &ShownLocation) -> String {
    let name = dotted(&location.pointer);
    let list = name.rfind('[').filter(|_| name.ends_with(']')).and_then(|end| name.get(..end));
    shorten(list.unwrap_or(&name), NAME)
}

/// The section of a policy that speaks of such effects.
fn section(effect: &ShownEffect) -> Option<&'static str> {
    Some(match effect.kind {
        "read" | "list" => "files.read",
        "write" => "files.write",
        "delete" => "files.delete",
        "execute" => "commands",
        "connect" => "network",
        _ => return None,
    })
}

/// Returns the text of an entry that covers the target of an effect.
fn target(report: &Report, effect: &ShownEffect) -> Option<String> {
    if let Some(path) = path_entry(report, effect) {
        return Some(quoted(&path));
    }
    let text = match effect.kind {
        "execute" => command_entry(effect)?,
        "connect" => effect.host.as_ref().map(Redacted::as_str).filter(|host| is_plain(host))?.to_owned(),
        "tool" => effect.tool.as_ref()?.as_str().to_owned(),
        "spawn" => effect.agent.as_ref()?.as_str().to_owned(),
        "env" => effect.name.as_ref()?.as_str().to_owned(),
        _ => return None,
    };
    Some(quoted(&text))
}

/// In version 2, a path begins with `//` where it is absolute, and with `/` where it is a name at the root.
fn path_entry(report: &Report, effect: &ShownEffect) -> Option<String> {
    let path = effect.path.as_ref()?.as_str();
    let is_version_2 = report.policy.as_ref().is_some_and(|policy| policy.version >= 2);
    let is_anchored = path.starts_with('~') || path.get(1..3) == Some(":/");
    let is_pattern = effect.certainty == Some("pattern");
    // Nothing but stars would allow, or take out of a deny, every path.
    if !path.contains(|letter: char| letter.is_alphanumeric()) {
        return None;
    }
    // Names of routes such as `[id]` stand for themselves. Stars are those of effects that cover more than one file.
    let entry = if is_pattern { path.to_owned() } else { path.replace('[', "[[]") };
    Some(match path.strip_prefix('/') {
        Some(_) if is_version_2 => format!("/{entry}"),
        None if is_version_2 && !is_anchored && !path.contains('/') => format!("/{entry}"),
        _ => entry,
    })
}

/// The program, and its subcommand where the next word is one.
fn command_entry(effect: &ShownEffect) -> Option<String> {
    let mut words = effect.argv.as_ref()?.iter().map(Redacted::as_str);
    let program = words.next().filter(|program| !program.is_empty() && is_plain(program))?;
    let is_name = |word: &&str| {
        word.starts_with(|first: char| first.is_ascii_lowercase())
            && word.chars().all(|character| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | ':'))
    };
    Some(match words.next().filter(is_name) {
        Some(subcommand) if form(program) == Form::Subcommands => format!("{program} {subcommand}"),
        _ => program.to_owned(),
    })
}

fn quoted(text: &str) -> String {
    format!("`{}`", shorten(text, NAME))
}

/// Returns the advice of the rule as one sentence.
fn remedy_of(finding: &ShownFinding) -> String {
    let text = remedy(finding.rule.as_str()).unwrap_or_default();
    let sentences = text.trim_end_matches('.').split(". ").map(|sentence| {
        let mut characters = sentence.chars();
        let first: String = characters.next().into_iter().flat_map(char::to_lowercase).collect();
        format!("{first}{}", characters.as_str())
    });
    let mut told = String::new();
    for sentence in sentences {
        if !told.is_empty() && told.chars().count() + sentence.chars().count() > REMEDY {
            break;
        }
        let separator = if told.is_empty() { "" } else { "; " };
        told.push_str(separator);
        told.push_str(&sentence);
    }
    told
}

/// The first words of a rule about how to fix it: plain text, with names between backticks.
pub(super) fn remedy(id: &str) -> Option<String> {
    let (_, remedy) = document(agent_strace_rules::find(id)?.spec).split_once("## How to fix\n\n")?;
    let paragraph = remedy.split("\n\n").next()?;
    Some(paragraph.split_whitespace().collect::<Vec<_>>().join(" "))
}

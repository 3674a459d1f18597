//! Examples of rules: each goes the way of every act of a session.

use crate::compiled::CompiledLists;
use crate::host::split_port;
use crate::{Context, Decision, Judgement};
use agent_strace_effects::knowledge::Knowledge;
use agent_strace_effects::{Certainty, Connection, Effect, Kind, PathTarget};
use agent_strace_secrets::redact;

use super::document::{Document, Matches, Rule};
use super::rules::{RuleExample, Wanted};
use super::{Fault, Parser, quoted};

/// Examples of one policy: each is judged whenever the policy is read.
const MOST: usize = 2_000;

impl Parser<'_> {
    pub(super) fn rule_examples_hold(&mut self, document: &Document) {
        let examples = std::mem::take(&mut self.rule_examples);
        if examples.is_empty() {
            return;
        }
        let all = CompiledLists::new(&document.rulebook);
        for (number, example) in examples.into_iter().enumerate() {
            let Some(rule) = document.rulebook.rules.get(example.rule) else { continue };
            let fault = if number >= MOST {
                Some((format!("there are more than {MOST} examples"), None))
            } else {
                fault(&example, rule, &all, &document.programs)
            };
            if let Some((message, help)) = fault {
                self.faults.push(example.span, &example.pointer, message, help);
            }
        }
    }
}

/// Why the example does not hold.
fn fault(
    example: &RuleExample,
    rule: &Rule,
    all: &CompiledLists,
    programs: &std::sync::Arc<Knowledge>,
) -> Option<Fault> {
    let acts = acts(&example.text, &rule.matches, programs);
    let alone = CompiledLists::of_rule(rule);
    let context = Context { root: Some("/repo"), ..Context::default() };
    let judged = acts.iter().map(|act| (alone.judge(act, &context), act));
    // A rule without a name of its own does not exist; other parts of the evaluator have a say in no example.
    let own: Vec<(Judgement, &Effect)> = judged.filter(|(found, _)| found.policy_rule.is_some()).collect();
    let shown = quoted(&example.text);
    match example.matches {
        Wanted::NoMatch => {
            let (found, _) = own.first()?;
            let verb = if found.decision == Decision::Unresolved { "may match" } else { "matches" };
            let help = "narrow the rule, or move the example to `match`".to_owned();
            Some((format!("the rule {verb} {shown}, which it must not"), Some(help)))
        }
        Wanted::Match => {
            let Some((_, act)) = own.iter().find(|(found, _)| found.decision == rule.effect) else {
                let runs: Vec<String> = acts.iter().take(4).map(|act| format!("`{act}`")).collect();
                // What surrounds a secret gives it away, and an act has less around it.
                let is_private = redact(example.text.as_str()).as_str() != example.text;
                let help = (!is_private).then(|| format!("what it does: {}", runs.join(", ")));
                return Some((format!("the rule does not match {shown}"), help));
            };
            let found = all.judge(act, &context);
            (found.decision != rule.effect).then(|| {
                (format!("the rule matches {shown}, but does not decide"), Some(format!("it is {}", found.reason)))
            })
        }
    }
}

/// What the example does, as far as the rule is about it.
fn acts(text: &str, matches: &Matches, programs: &std::sync::Arc<Knowledge>) -> Vec<Effect> {
    let path = |kind: fn(PathTarget) -> Kind| {
        let path = text.strip_prefix("./").unwrap_or(text);
        let (path, subtree) = path.strip_suffix("/**").map_or((path, false), |folder| (folder, true));
        kind(PathTarget { path: path.to_owned(), subtree })
    };
    let kind = match matches {
        Matches::Exec(_) => return agent_strace_effects::of_command(text, programs),
        Matches::Read(_) => path(Kind::Read),
        Matches::Write(_) => path(Kind::Write),
        Matches::Delete(_) => path(Kind::Delete),
        Matches::List(_) => path(Kind::List),
        Matches::Net(_) => {
            let (host, port) = split_port(text);
            Kind::Connect(Connection { host: Some(host.to_lowercase()), port, scheme: None })
        }
        Matches::Mcp { .. } => {
            match text.strip_prefix("mcp__").and_then(|name| name.split_once("__")).or(text.split_once('/')) {
                Some((server, tool)) => Kind::Tool { server: Some(server.to_owned()), tool: tool.to_owned() },
                None => Kind::Tool { server: None, tool: text.to_owned() },
            }
        }
        Matches::Spawn(_) => Kind::Spawn { agent: Some(text.to_owned()) },
        Matches::Env(_) => Kind::Env { name: text.to_owned() },
    };
    vec![Effect::new(kind, Certainty::Exact, "example")]
}

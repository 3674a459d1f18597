//! What spans of agents and workflows say was used: the sum of the requests in them, which mostly have spans of their own.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::attributes::Attributes;
use crate::assembly::Assembly;
use agent_strace_model::Usage;

/// The sums of one session, and what their spans are parts of.
#[derive(Debug, Default)]
pub(super) struct Sums<'a> {
    list: Vec<Sum<'a>>,
    /// Where the sum of a span stands in `list`.
    indices: HashMap<Cow<'a, str>, usize>,
    /// The span that a span is part of.
    parents: HashMap<Cow<'a, str>, Cow<'a, str>>,
}

#[derive(Debug)]
struct Sum<'a> {
    span: Option<Cow<'a, str>>,
    model: Option<Cow<'a, str>>,
    usage: Usage,
}

/// Whether a span is about several requests together.
pub(super) fn is_sum(given: &Attributes<'_>) -> bool {
    let operation = given.get("gen_ai.operation.name");
    matches!(operation.as_deref(), Some("invoke_agent" | "create_agent" | "invoke_workflow"))
        || ["AGENT", "CHAIN"].iter().any(|kind| given.is("openinference.span.kind", kind))
        || ["agent", "workflow", "task"].iter().any(|kind| given.is("traceloop.span.kind", kind))
}

impl<'a> Sums<'a> {
    /// A span, and what it is part of.
    pub(super) fn span(&mut self, span: Option<Cow<'a, str>>, parent: Option<Cow<'a, str>>) {
        if let (Some(span), Some(parent)) = (span, parent) {
            self.parents.insert(span, parent);
        }
    }

    pub(super) fn note(&mut self, span: Option<Cow<'a, str>>, model: Option<Cow<'a, str>>, usage: Usage) {
        let new = self.list.len();
        let index = span.clone().map_or(new, |span| *self.indices.entry(span).or_insert(new));
        // A span that is exported again says the same, or more.
        match self.list.get_mut(index) {
            Some(known) => *known = Sum { span, model, usage },
            None => self.list.push(Sum { span, model, usage }),
        }
    }

    /// Adds what no request of its own tells.
    pub(super) fn add(self, assembly: &mut Assembly<'a>) {
        let outer = self.outer();
        let total: Usage = outer.iter().map(|sum| &sum.usage).sum();
        let beyond = total.beyond(&assembly.told_in_all(|_| true));
        if beyond != Usage::default() {
            let model = outer.first().and_then(|sum| sum.model.clone());
            assembly.unasked(model.filter(|model| outer.iter().all(|sum| sum.model.as_ref() == Some(model))), beyond);
        }
    }

    /// Sums that are part of no other one. Spans that are parts of each other have no outer one: then all of them count.
    fn outer(&self) -> Vec<&Sum<'a>> {
        let sums: HashSet<&str> = self.list.iter().filter_map(|sum| sum.span.as_deref()).collect();
        let mut known: HashMap<&str, bool> = HashMap::new();
        let is_outer =
            |sum: &&Sum<'a>| !sum.span.as_deref().is_some_and(|span| self.is_inside(span, &sums, &mut known));
        let outer: Vec<&Sum<'a>> = self.list.iter().filter(is_outer).collect();
        if outer.is_empty() { self.list.iter().collect() } else { outer }
    }

    /// Whether a span is part of one of `sums`. Each span is gone through once for all questions.
    fn is_inside<'s>(&'s self, span: &str, sums: &HashSet<&str>, known: &mut HashMap<&'s str, bool>) -> bool {
        let mut path = Vec::new();
        let mut at = self.parents.get(span);
        let is_inside = loop {
            let Some(parent) = at.map(|parent| &**parent) else { break false };
            if sums.contains(parent) {
                break true;
            }
            // One that is met again on the same path is inside of itself, and of nothing else.
            if let Some(known) = known.get(parent) {
                break *known;
            }
            known.insert(parent, false);
            path.push(parent);
            at = self.parents.get(parent);
        };
        known.extend(path.into_iter().map(|span| (span, is_inside)));
        is_inside
    }
}

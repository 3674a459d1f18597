//! Values that calls took somewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use super::call::{Call, Went, leads_somewhere};
use super::place::add_arguments;
use super::search::{Documents, Search};
use super::{EventEffects, Wanted, Way};
use agent_strace_model::{EventKind, Status};

/// A value, the first call that took it one way, and how many did.
pub(super) struct Taken<'a> {
    pub(super) step: &'a EventEffects<'a>,
    pub(super) went: Went<'a>,
    pub(super) rule: &'static str,
    pub(super) kind: &'static str,
    pub(super) fingerprint: String,
    /// In the call's arguments.
    pub(super) pointer: String,
    pub(super) calls: usize,
}

/// A value among the arguments of a call.
struct Given<'a> {
    step: &'a EventEffects<'a>,
    rule: &'static str,
    kind: &'static str,
    fingerprint: String,
    pointer: String,
}

/// What tells two ways of a value apart; the last one: the calls were refused.
type Course = (String, Way, Option<String>, bool);

/// Everything that calls took somewhere, each value once for each way.
pub(super) fn taken<'a>(wanted: &Wanted, events: &'a [EventEffects<'a>]) -> io::Result<Vec<Taken<'a>>> {
    let search = Search::keeping_values(wanted);
    let given = given(&search, events)?;
    let values = search.into_values();
    let mut taken: Vec<Taken<'_>> = Vec::new();
    let mut known: BTreeMap<Course, usize> = BTreeMap::new();
    for of_call in given.chunk_by(|one, other| one.step.event.number == other.step.event.number) {
        let Some(Given { step, .. }) = of_call.first() else { continue };
        let mut call = Call::new(step);
        for Given { rule, kind, fingerprint, pointer, .. } in of_call {
            let Some(value) = values.get(fingerprint) else { continue };
            for went in call.ways(value) {
                let host = went.target.host().map(str::to_owned);
                let denied = step.status == Some(Status::Denied);
                let course = (fingerprint.clone(), went.target.way(), host, denied);
                let place = *known.entry(course).or_insert(taken.len());
                match taken.get_mut(place) {
                    Some(known) => known.calls += 1,
                    None => taken.push(Taken {
                        step,
                        went,
                        rule,
                        kind,
                        fingerprint: fingerprint.clone(),
                        pointer: pointer.clone(),
                        calls: 1,
                    }),
                }
            }
        }
    }
    Ok(taken)
}

/// The values among the arguments of calls that may take them somewhere, each once for each call.
fn given<'a>(search: &Search<'_>, events: &'a [EventEffects<'a>]) -> io::Result<Vec<Given<'a>>> {
    let mut documents = Documents::new();
    for step in events.iter().filter(|step| leads_somewhere(step)) {
        if let EventKind::Call(call) = &step.event.kind {
            add_arguments(&mut documents, step, &call.arguments);
        }
    }
    let mut given = Vec::new();
    let mut seen = BTreeSet::new();
    documents.search(search, |step, finding| {
        if seen.insert((step.event.number, finding.fingerprint.to_owned())) {
            given.push(Given {
                step,
                rule: finding.hit.rule,
                kind: finding.hit.kind,
                fingerprint: finding.fingerprint.to_owned(),
                pointer: finding.pointer.to_owned(),
            });
        }
    })?;
    Ok(given)
}

//! Private values that calls write to a file or send to a host.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use super::call::{Call, Went, leads_somewhere};
use super::locations::add_arguments;
use super::search::{Documents, Search};
use super::{EventEffects, Wanted, Way};
use agent_strace_model::Status;

/// A value with the first call that transferred it one way, and the number of such calls.
pub(super) struct Transfer<'a> {
    pub(super) step: &'a EventEffects<'a>,
    pub(super) went: Went<'a>,
    pub(super) rule: &'static str,
    pub(super) kind: &'static str,
    pub(super) fingerprint: String,
    /// JSON pointer into the call's arguments.
    pub(super) pointer: String,
    pub(super) calls: usize,
}

/// A value in the arguments of a call.
struct ArgumentValue<'a> {
    step: &'a EventEffects<'a>,
    rule: &'static str,
    kind: &'static str,
    fingerprint: String,
    pointer: String,
}

/// Identifies one way of a value: fingerprint, way, host, and whether the calls were denied.
type TransferKey = (String, Way, Option<String>, bool);

/// All transfers of private values, each value once for each way.
pub(super) fn transfers<'a>(wanted: &Wanted, events: &'a [EventEffects<'a>]) -> io::Result<Vec<Transfer<'a>>> {
    let search = Search::keeping_values(wanted);
    let given = given(&search, events)?;
    let values = search.into_values();
    let mut transfers: Vec<Transfer<'_>> = Vec::new();
    let mut known: BTreeMap<TransferKey, usize> = BTreeMap::new();
    for of_call in given.chunk_by(|one, other| one.step.event.number == other.step.event.number) {
        let Some(ArgumentValue { step, .. }) = of_call.first() else { continue };
        let mut call = Call::new(step);
        for ArgumentValue { rule, kind, fingerprint, pointer, .. } in of_call {
            let Some(value) = values.get(fingerprint) else { continue };
            for went in call.ways(value) {
                let host = went.target.host().map(str::to_owned);
                let denied = step.status == Some(Status::Denied);
                let course = (fingerprint.clone(), went.target.way(), host, denied);
                let index = *known.entry(course).or_insert(transfers.len());
                match transfers.get_mut(index) {
                    Some(known) => known.calls += 1,
                    None => transfers.push(Transfer {
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
    Ok(transfers)
}

/// The values in the arguments of calls that may transfer them, each once for each call.
fn given<'a>(search: &Search<'_>, events: &'a [EventEffects<'a>]) -> io::Result<Vec<ArgumentValue<'a>>> {
    let mut documents = Documents::new();
    for step in events.iter().filter(|step| leads_somewhere(step)) {
        if let Some(call) = step.event.call() {
            add_arguments(&mut documents, step, &call.arguments);
        }
    }
    let mut given = Vec::new();
    let mut seen = BTreeSet::new();
    documents.search(search, |step, finding| {
        if seen.insert((step.event.number, finding.fingerprint.to_owned())) {
            given.push(ArgumentValue {
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

//! The requests of a chat and the parts of their responses, as they are and as they once were.

use std::borrow::Cow;
use std::collections::HashMap;

use super::Entry;
use crate::assembly::Assembly;
use crate::gaps::Gaps;
use crate::json::{Raw, Record, elements, filled, is_object, object, record};
use crate::reader::{LineCounter, Reader};
use crate::scan::Scanner;
use agent_strace_model::attribution::{note, note_each, without_credentials};

record! {
    pub(super) struct Fields {
        id = "requestId",
        timestamp = "timestamp",
        message = "message",
        response = "response",
        result = "result",
        model = "modelId",
        agent = "agent",
        repository = "repoData",
    }
}

record! {
    pub(super) struct Part {
        kind = "kind",
        value = "value",
        base = "baseUri",
        tool = "toolId",
        call = "toolCallId",
        confirmed = "isConfirmed",
        complete = "isComplete",
        data = "toolSpecificData",
        details = "resultDetails",
        error = "resultError",
        subagent = "subAgentInvocationId",
        uri = "uri",
        original = "originalUri",
        edits = "edits",
        edit_kind = "editKind",
    }
}

record! {
    struct Repository { remote = "remoteUrl", branch = "localBranch", commit = "localHeadCommit" }
}

/// One request with everything that was ever part of it.
#[derive(Debug, Default)]
pub(super) struct Request<'a> {
    pub(super) line: u32,
    pub(super) fields: Fields<'a>,
    /// Every part there ever was, with the line that brought it.
    pub(super) parts: Vec<(u32, Part<'a>)>,
    /// Positions in `parts` of those that are there now.
    pub(super) now: Vec<usize>,
    /// Every result there ever was.
    pub(super) results: Vec<(u32, Raw<'a>)>,
}

/// A chat that is being replayed.
pub(super) struct Chat<'a> {
    pub(super) assembly: Assembly<'a>,
    /// Every request there ever was, in order of appearance.
    pub(super) requests: Vec<Request<'a>>,
    by_id: HashMap<Cow<'a, str>, usize>,
    /// Positions in `requests` of those that are there now.
    now: Vec<usize>,
}

/// A step of the way to what a change is about.
enum Step<'a> {
    Key(Cow<'a, str>),
    Index(usize),
}

/// What a change does.
#[derive(Clone, Copy)]
enum Change<'a> {
    Set(Raw<'a>),
    Delete,
    /// Keeps so many elements and adds others.
    Push(Option<Raw<'a>>, Option<usize>),
}

const NULL: &str = "null";
const LOST: &str = "a change of something that is not there: it can't be replayed";
const DEEP: &str = "a change inside a value that is only ever replaced as a whole: it can't be replayed";

impl<'a> Chat<'a> {
    pub(super) fn new(assembly: Assembly<'a>) -> Self {
        Self { assembly, requests: Vec::new(), by_id: HashMap::new(), now: Vec::new() }
    }

    pub(super) fn entry(&mut self, line: u32, json: &'a str, entry: &Entry<'a>, gaps: &mut Gaps) {
        let Some(kind) = entry.kind else { return self.whole(line, json, entry, gaps) };
        let change = match (kind.get(), entry.value) {
            ("0", Some(chat)) => {
                return match object::<Entry<'a>>(Some(chat)) {
                    Some(whole) => self.whole(line, chat.get(), &whole, gaps),
                    None => gaps.malformed(line, "a chat that is not an object"),
                };
            }
            ("1", Some(value)) => Change::Set(value),
            ("1" | "3", _) => Change::Delete,
            ("2", values) => Change::Push(values, entry.at.and_then(|at| at.get().parse().ok())),
            _ => return gaps.malformed(line, "a change of a kind that can't be replayed"),
        };
        let Some(path) = steps(entry.path) else {
            return gaps.malformed(line, "a change that does not say what it changes");
        };
        self.change(line, &path, change, gaps);
    }

    /// The whole chat. Written again, it replaces what was there.
    fn whole(&mut self, line: u32, json: &'a str, chat: &Entry<'a>, gaps: &mut Gaps) {
        self.assembly.id(filled(chat.session));
        self.repository(chat.repository);
        self.now.clear();
        match chat.requests {
            Some(list) if list.get().starts_with('[') => {
                let start = LineCounter::new(json, line).line_of(list.get());
                self.add_requests(start, list, gaps);
            }
            Some(_) => gaps.malformed(line, "the requests of the chat are not a list"),
            None => {}
        }
    }

    fn repository(&mut self, data: Option<Raw<'a>>) {
        let data = object::<Repository<'a>>(data).unwrap_or_default();
        let attribution = &mut self.assembly.session.attribution;
        note(&mut attribution.repository, filled(data.remote).map(without_credentials));
        note(&mut attribution.commit, filled(data.commit));
        note_each(&mut attribution.branches, filled(data.branch));
    }

    fn add_requests(&mut self, line: u32, list: Raw<'a>, gaps: &mut Gaps) {
        let mut reader = Reader::nested(list.get(), line);
        while let Some(item) = reader.next::<Fields<'a>>(gaps) {
            let at = self.request(item.line, item.json, item.record, gaps);
            self.now.push(at);
        }
    }

    /// The index of a request; one that was there before keeps what it had.
    fn request(&mut self, line: u32, json: &'a str, fields: Fields<'a>, gaps: &mut Gaps) -> usize {
        if let Some(key) = fields.duplicate {
            gaps.twice(line, key, "a request");
        }
        let id = filled(fields.id);
        let known = id.as_ref().and_then(|id| self.by_id.get(id).copied());
        let at = known.unwrap_or(self.requests.len());
        if known.is_none() {
            self.requests.push(Request { line, ..Request::default() });
            self.by_id.extend(id.map(|id| (id, at)));
        }
        if let Some(request) = self.requests.get_mut(at) {
            let response = fields.response;
            request.results.extend(fields.result.map(|result| (line, result)));
            request.fields = fields;
            request.now.clear();
            if let Some(list) = response {
                let start = LineCounter::new(json, line).line_of(list.get());
                request.add_parts(start, list, gaps);
            }
        }
        at
    }

    fn change(&mut self, line: u32, path: &[Step<'a>], change: Change<'a>, gaps: &mut Gaps) {
        let [Step::Key(key), rest @ ..] = path else {
            return gaps.malformed(line, "a change of the whole chat that can't be replayed");
        };
        match (&**key, rest) {
            ("requests", []) => self.change_requests(line, change, gaps),
            ("requests", [Step::Index(at), rest @ ..]) => self.change_request(line, *at, rest, change, gaps),
            ("requests", _) => gaps.malformed(line, LOST),
            ("sessionId", []) => {
                if let Change::Set(id) = change {
                    self.assembly.id(filled(Some(id)));
                }
            }
            ("repoData", []) => {
                if let Change::Set(data) = change {
                    self.repository(Some(data));
                }
            }
            // What the user is typing, titles, requests that wait: nothing of it ran.
            _ => {}
        }
    }

    fn change_requests(&mut self, line: u32, change: Change<'a>, gaps: &mut Gaps) {
        let (values, keep) = match change {
            Change::Set(values) => (Some(values), Some(0)),
            Change::Delete => (None, Some(0)),
            Change::Push(values, keep) => (values, keep),
        };
        if let Some(keep) = keep {
            if keep > self.now.len() {
                gaps.malformed(line, LOST);
            }
            if keep < self.now.len() {
                // Taken back to an earlier point. What was there had run.
                let evidence = &mut self.assembly.session.evidence;
                evidence.rewinds = evidence.rewinds.saturating_add(1);
            }
            self.now.truncate(keep);
        }
        match values {
            Some(list) if list.get().starts_with('[') => self.add_requests(line, list, gaps),
            Some(_) => gaps.malformed(line, "the requests of the chat are not a list"),
            None => {}
        }
    }

    fn change_request(&mut self, line: u32, at: usize, rest: &[Step<'a>], change: Change<'a>, gaps: &mut Gaps) {
        if rest.is_empty() {
            let Change::Set(value) = change else { return gaps.malformed(line, LOST) };
            let Some(fields) = object::<Fields<'a>>(Some(value)) else {
                return gaps.malformed(line, "a request that is not an object");
            };
            let index = self.request(line, value.get(), fields, gaps);
            if !put(&mut self.now, at, index) {
                gaps.malformed(line, LOST);
            }
            return;
        }
        let request = self.now.get(at).and_then(|index| self.requests.get_mut(*index));
        match request {
            Some(request) => request.change(line, rest, change, gaps),
            None => self.orphan(line, change, gaps),
        }
    }

    /// A change of a request that is not there, because its record was lost: a call in it still ran.
    fn orphan(&mut self, line: u32, change: Change<'a>, gaps: &mut Gaps) {
        gaps.malformed(line, LOST);
        let values = match change {
            Change::Set(value) => vec![value],
            Change::Push(values, _) => elements(values),
            Change::Delete => Vec::new(),
        };
        let mut request = Request { line, ..Request::default() };
        for raw in values {
            if raw.get().starts_with('[') {
                request.add_parts(line, raw, gaps);
            } else if let Some(part) = object::<Part<'a>>(Some(raw)) {
                request.parts.push((line, part));
                request.results.push((line, raw));
            }
        }
        self.requests.push(request);
    }
}

impl<'a> Request<'a> {
    fn add_parts(&mut self, line: u32, list: Raw<'a>, gaps: &mut Gaps) {
        if !list.get().starts_with('[') {
            return gaps.malformed(line, "the response to a request is not a list");
        }
        let mut reader = Reader::nested(list.get(), line);
        while let Some(item) = reader.next::<Part<'a>>(gaps) {
            if let Some(key) = item.record.duplicate {
                gaps.twice(item.line, key, "a part of a response");
            }
            self.now.push(self.parts.len());
            self.parts.push((item.line, item.record));
        }
    }

    fn change(&mut self, line: u32, path: &[Step<'a>], change: Change<'a>, gaps: &mut Gaps) {
        let [Step::Key(key), rest @ ..] = path else { return gaps.malformed(line, LOST) };
        match (&**key, rest, change) {
            ("response", [], Change::Set(list)) => {
                self.now.clear();
                self.add_parts(line, list, gaps);
            }
            ("response", [], Change::Delete) => self.now.clear(),
            ("response", [], Change::Push(values, keep)) => {
                if keep.is_some_and(|keep| keep > self.now.len()) {
                    gaps.malformed(line, LOST);
                }
                self.now.truncate(keep.unwrap_or(usize::MAX));
                if let Some(list) = values {
                    self.add_parts(line, list, gaps);
                }
            }
            ("response", [Step::Index(at), rest @ ..], change) => self.change_part(line, *at, rest, change, gaps),
            ("result", [], Change::Set(result)) => self.results.push((line, result)),
            ("result", [], Change::Delete) => {}
            ("result" | "response", ..) => gaps.malformed(line, DEEP),
            (key, [], Change::Set(value)) => set(&mut self.fields, key, value),
            // The words of a prompt, the files it names, what the user did with an edit.
            _ => {}
        }
    }

    /// A part as it was stays known: the change makes another one of it.
    fn change_part(&mut self, line: u32, at: usize, rest: &[Step<'a>], change: Change<'a>, gaps: &mut Gaps) {
        let known = self.now.get(at).and_then(|index| self.parts.get(*index)).map(|(_, part)| part.clone());
        let part = match (rest, change, known) {
            ([], Change::Set(value), _) => object::<Part<'a>>(Some(value)),
            ([Step::Key(key)], Change::Set(value), Some(mut part)) => {
                set(&mut part, key, value);
                Some(part)
            }
            ([Step::Key(key)], Change::Delete, Some(mut part)) => {
                set(&mut part, key, Raw::new(NULL));
                Some(part)
            }
            ([_, _, ..], _, Some(_)) => return gaps.malformed(line, DEEP),
            _ => None,
        };
        let Some(part) = part else { return gaps.malformed(line, LOST) };
        let index = self.parts.len();
        self.parts.push((line, part));
        if !put(&mut self.now, at, index) {
            gaps.malformed(line, LOST);
        }
    }
}

/// Puts an element into a list, or right behind its end. `false`: something before it is missing.
fn put(list: &mut Vec<usize>, at: usize, element: usize) -> bool {
    let follows = at <= list.len();
    match list.get_mut(at) {
        Some(known) => *known = element,
        None => list.push(element),
    }
    follows
}

/// Sets one field of a record.
fn set<'a, R: Record<'a>>(record: &mut R, key: &str, value: Raw<'a>) {
    let read = record.field(key, &mut Scanner::of_value(value.get()));
    debug_assert!(read.is_some(), "a raw value was scanned before");
}

fn steps(path: Option<Raw<'_>>) -> Option<Vec<Step<'_>>> {
    let list = path.filter(|path| path.get().starts_with('['))?;
    elements(Some(list))
        .into_iter()
        .map(|step| match filled(Some(step)) {
            Some(key) => Some(Step::Key(key)),
            None => step.get().parse().ok().map(Step::Index),
        })
        .collect()
}

/// A path out of the parts of a URI, as the editor writes one.
pub(super) fn path(uri: Option<Raw<'_>>) -> Option<Cow<'_, str>> {
    record! {
        struct Uri { external = "external", file = "fsPath", path = "path" }
    }
    if !is_object(uri) {
        return filled(uri);
    }
    let uri = object::<Uri<'_>>(uri)?;
    filled(uri.file)
        .or_else(|| filled(uri.external).filter(|uri| uri.starts_with("file:")))
        .or_else(|| filled(uri.path))
}

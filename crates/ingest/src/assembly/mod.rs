//! Puts a session together: numbers events, links results to calls, counts usage once per API message.

mod spending;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::json::{Raw, text};
use super::scan::is_json;
use super::speaker;
use agent_strace_model::attribution::note_each;
use agent_strace_model::evidence::{Count, Counted};
use agent_strace_model::{
    Arguments, Dialect, Event, EventKind, Label, Origin, Session, ShellLanguage, Speaker, Spent, Status, Stream,
    ToolCall, ToolResult, Usage,
};

/// Where and when a record was written.
#[derive(Debug, Clone, Default)]
pub(super) struct RecordLocation<'a> {
    pub(super) line: u32,
    pub(super) id: Option<Cow<'a, str>>,
    pub(super) time: Option<Cow<'a, str>>,
}

/// How events get their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Numbering {
    /// The line of the record.
    Line,
    /// 1-based position in the session.
    Ordinal,
}

/// A session that is being read.
#[derive(Debug)]
pub(super) struct Assembly<'a> {
    pub(super) session: Session<'a>,
    /// Of the events that are added next.
    pub(super) origin: Origin,
    numbering: Numbering,
    /// Link of a call (its id, and the id of its record) → the latest event with that link.
    calls: HashMap<Cow<'a, str>, usize>,
    streams: HashMap<Stream<'a>, u16>,
    /// Results that came before their call, by their links: how the call ended, and the index of the last of them.
    early: HashMap<Cow<'a, str>, (Status, usize)>,
    /// Records of how calls failed that are no results of them.
    pub(super) failures: usize,
    /// Requests in words that became no call, so that nothing ran.
    unreadable: HashSet<Cow<'a, str>>,
    /// API message → its index in `usages`.
    messages: HashMap<Cow<'a, str>, usize>,
    usages: Vec<Usage>,
    /// What came back in the session's own conversation so far, and the last answer of it: its index in `spent`, and the
    /// message.
    told_output: u64,
    last_answer: Option<(usize, Cow<'a, str>)>,
    /// Of the answers that are told of next.
    model: Option<Cow<'a, str>>,
    /// How the next answer that is told of was served.
    tier: Option<Cow<'a, str>>,
    /// Answers whose usage the log does not tell.
    untold: Vec<Spent<'a>>,
    /// Sums that logs of the agent give, as a recorder found them there last, by the session that they are about.
    sums: BTreeMap<Cow<'a, str>, Usage>,
    /// How many events come before the last of them.
    summed: usize,
    /// API message → the request that it answers, where that is told, too.
    asked: HashMap<Cow<'a, str>, Option<Cow<'a, str>>>,
}

impl<'a> Assembly<'a> {
    pub(super) fn new(dialect: &'static Dialect, source: &str, numbering: Numbering) -> Self {
        Self {
            session: Session::new(dialect, source),
            origin: Origin::default(),
            numbering,
            calls: HashMap::new(),
            streams: HashMap::from([(Stream::Main, 0)]),
            early: HashMap::new(),
            failures: 0,
            unreadable: HashSet::new(),
            messages: HashMap::new(),
            usages: Vec::new(),
            told_output: 0,
            last_answer: None,
            model: None,
            tier: None,
            untold: Vec::new(),
            sums: BTreeMap::new(),
            summed: 0,
            asked: HashMap::new(),
        }
    }

    pub(super) fn push(&mut self, location: RecordLocation<'a>, kind: EventKind<'a>) {
        let ordinal = u32::try_from(self.session.events.len()).unwrap_or(u32::MAX).saturating_add(1);
        let number = match self.numbering {
            Numbering::Line => location.line,
            Numbering::Ordinal => ordinal,
        };
        let RecordLocation { line, id, time } = location;
        let mut origin = self.origin;
        match &kind {
            EventKind::Prompt(text) if origin.speaker.is_user() => origin.speaker = speaker::of(text),
            EventKind::Prompt(_) => {}
            _ => origin.speaker = Speaker::User,
        }
        self.session.events.push(Event { number, id, line, time, origin, kind });
    }

    /// Adds words. `speaker`: says them, as a mark of their record shows. As what a host says them, the words may tell more
    /// exactly.
    pub(super) fn say(&mut self, location: RecordLocation<'a>, kind: EventKind<'a>, speaker: Option<Speaker>) {
        let said = match &kind {
            EventKind::Prompt(text) => {
                speaker.map(|said| if said.is_user() { said } else { speaker::of_marked(text).unwrap_or(said) })
            }
            _ => None,
        };
        self.push(location, kind);
        if let (Some(said), Some(event)) = (said, self.session.events.last_mut()) {
            event.origin.speaker = said;
        }
    }

    /// What the record says beside the event that is added next.
    pub(super) fn label(&mut self, label: Label<'a>) {
        self.session.labels.push((self.session.events.len(), label));
    }

    /// The number of a conversation, which is new or the same as before.
    pub(super) fn stream(&mut self, stream: Stream<'a>) -> u16 {
        let (known, streams) = (self.origin.stream, &mut self.session.streams);
        if streams.get(usize::from(known)) == Some(&stream) {
            return known;
        }
        // More conversations than any session has end up in one.
        let next = u16::try_from(streams.len()).unwrap_or(u16::MAX);
        let at = *self.streams.entry(stream.clone()).or_insert(next);
        if usize::from(at) == streams.len() {
            streams.push(stream);
        }
        at
    }

    /// Adds a call that results may link to by any of `links`.
    pub(super) fn call(
        &mut self,
        location: RecordLocation<'a>,
        mut call: ToolCall<'a>,
        links: impl IntoIterator<Item = Cow<'a, str>>,
    ) {
        let at = self.session.events.len();
        for link in links {
            if !self.early.is_empty()
                && let Some((status, result)) = self.early.remove(&link)
            {
                call.status = settle(call.status, status);
                if let Some(EventKind::Result(result)) =
                    self.session.events.get_mut(result).map(|event| &mut event.kind)
                {
                    result.call_id = call.call_id.clone().or(result.call_id.take());
                }
            }
            self.calls.insert(link, at);
        }
        self.push(location, EventKind::Call(call));
    }

    /// The model asked for something under this id in words that are no call. The host answers that with an error.
    pub(super) fn unreadable(&mut self, id: Option<Cow<'a, str>>) {
        self.unreadable.extend(id);
    }

    /// The call recorded last under this id.
    pub(super) fn call_of(&self, link: &str) -> Option<&ToolCall<'a>> {
        match &self.session.events.get(*self.calls.get(link)?)?.kind {
            EventKind::Call(call) => Some(call),
            _ => None,
        }
    }

    /// Adds the record of a call that was recorded before.
    pub(super) fn repeat(&mut self, location: RecordLocation<'a>, link: &str) {
        if let Some(call) = self.calls.get(link) {
            self.push(location, EventKind::Repeat(*call));
        }
    }

    /// Whether a call was recorded before. The same id with another tool or other arguments is another call.
    pub(super) fn repeats(&self, id: Option<&str>, tool: &str, arguments: &Arguments<'_>) -> bool {
        id.and_then(|id| self.call_of(id)).is_some_and(|known| known.tool == tool && known.arguments == *arguments)
    }

    fn call_at(&mut self, event: usize) -> Option<&mut ToolCall<'a>> {
        match &mut self.session.events.get_mut(event)?.kind {
            EventKind::Call(call) => Some(call),
            _ => None,
        }
    }

    /// Gives the call at this index the id under which the host tells of it.
    pub(super) fn identify(&mut self, event: usize, id: Option<Cow<'a, str>>) -> Option<&mut ToolCall<'a>> {
        if let Some(id) = &id {
            self.calls.insert(id.clone(), event);
        }
        let call = self.call_at(event)?;
        if id.is_some() {
            call.call_id = id;
        }
        Some(call)
    }

    /// Records how the call at this index ended.
    pub(super) fn end(&mut self, event: usize, status: Status) {
        if let Some(call) = self.call_at(event) {
            call.status = status;
        }
    }

    /// Puts a fuller record of a call in the place of the one at this index.
    pub(super) fn replace(&mut self, event: usize, call: ToolCall<'a>) {
        if let Some(known) = self.call_at(event) {
            *known = call;
        }
    }

    fn call_mut(&mut self, link: &str) -> Option<&mut ToolCall<'a>> {
        match &mut self.session.events.get_mut(*self.calls.get(link)?)?.kind {
            EventKind::Call(call) => Some(call),
            _ => None,
        }
    }

    /// Adds a result and settles the call it belongs to: the first of `links` that names one.
    pub(super) fn result(
        &mut self,
        location: RecordLocation<'a>,
        mut result: ToolResult<'a>,
        status: Status,
        links: impl IntoIterator<Item = Cow<'a, str>>,
    ) {
        let is_of_none = result.call_id.as_ref().is_some_and(|id| self.unreadable.contains(id));
        match self.settle(status, links) {
            Some(call_id) => result.call_id = Some(call_id),
            None if is_of_none && status == Status::Error => result.call_id = None,
            None => {}
        }
        self.push(location, EventKind::Result(result));
    }

    /// Records how the call under the first known of `links` ended, and returns that call's id.
    pub(super) fn settle(
        &mut self,
        status: Status,
        links: impl IntoIterator<Item = Cow<'a, str>>,
    ) -> Option<Cow<'a, str>> {
        let mut unknown = None;
        for link in links {
            if let Some(call) = self.call_mut(&link) {
                call.status = settle(call.status, status);
                return call.call_id.clone();
            }
            unknown = Some(link);
        }
        if let Some(link) = unknown {
            let before = self.early.get(&link).map_or(Status::Missing, |(status, _)| *status);
            self.early.insert(link, (settle(before, status), self.session.events.len()));
        }
        None
    }

    /// The host's final word that a call was refused. A recorded success still stands: it ran. `false`: no such call.
    pub(super) fn deny(&mut self, link: &str) -> bool {
        let Some(call) = self.call_mut(link) else { return false };
        if call.status != Status::Ok {
            call.status = Status::Denied;
        }
        true
    }

    /// The model that answers from here on; a record that names none changes nothing.
    pub(super) fn model(&mut self, model: Option<Cow<'a, str>>) {
        if let Some(model) = model {
            if self.model.as_ref() != Some(&model) {
                self.model = Some(model.clone());
            }
            note_each(&mut self.session.attribution.models, Some(model));
        }
    }

    /// Sets the workspace root, a path or a URL, unless an earlier record did.
    pub(super) fn root(&mut self, root: Option<Cow<'a, str>>) {
        if self.session.root.is_none() {
            self.session.root = root.map(crate::paths::of_url).filter(|path| !path.is_empty());
        }
    }

    /// Sets the session's id unless an earlier record did.
    pub(super) fn id(&mut self, id: Option<Cow<'a, str>>) {
        if self.session.id.is_empty()
            && let Some(id) = id
        {
            self.session.id = id;
        }
    }

    /// Notes a total that stands in the log. `is_whole`: the log had ended when it was written; before that a total may
    /// lag behind.
    pub(super) fn stated(&mut self, what: Counted, stated: Option<u64>, recorded: usize, is_whole: bool) {
        let recorded = u64::try_from(recorded).unwrap_or(u64::MAX);
        if let Some(stated) = stated.filter(|stated| is_whole || *stated >= recorded) {
            self.session.evidence.counts.push(Count { what, stated, recorded });
        }
    }

    /// Nothing in this value is a call of its own: it was compared with one, a tool answered so, or the log tells of the
    /// calls in it elsewhere.
    pub(super) fn pass(&mut self, value: Option<Raw<'a>>) {
        self.session.passed.extend(value.map(Raw::get));
    }

    /// This object is no call of its own; what it holds may be one.
    pub(super) fn pass_around(&mut self, object: Option<Raw<'a>>) {
        self.session.passed.extend(object.and_then(|object| object.get().get(..1)));
    }

    /// A record of a type this version does not know.
    pub(super) fn unknown(&mut self, location: RecordLocation<'a>) {
        self.count_unknown();
        self.push(location, EventKind::Other);
    }

    /// The languages of the shells that a text of the host names.
    pub(super) fn shells(&mut self, languages: &[ShellLanguage]) {
        for language in languages {
            if !self.session.shells.contains(language) {
                self.session.shells.push(*language);
            }
        }
    }

    /// Takes over the shells that the contexts of the host name.
    fn note_shells(&mut self) {
        let contexts = self.session.events.iter().filter(|event| event.origin.speaker == Speaker::Context);
        let mut found = Vec::new();
        for event in contexts {
            if let EventKind::Prompt(text) = &event.kind
                && text.start().trim_start().starts_with(['<', 'T'])
            {
                let text = text.decode();
                found.extend(speaker::shell_of_context(&text));
                found.extend(speaker::shells_of_introduction(&text));
            }
        }
        self.shells(&found);
    }

    /// A record of a type this version does not know is read as what it looks like.
    pub(super) fn count_unknown(&mut self) {
        self.session.unknown_records = self.session.unknown_records.saturating_add(1);
    }

    pub(super) fn finish(mut self) -> Session<'a> {
        self.note_shells();
        let told = self.usages.len();
        self.add_untold();
        let used = self.used(told);
        self.session.usage.add(&used);
        self.tell_models();
        self.session
    }

    /// Some logs name the model only at their end, or beside every answer but one: where a session knows one model, that
    /// one was asked.
    fn tell_models(&mut self) {
        let [only] = &*self.session.attribution.models else { return };
        for spent in self.session.spent.iter_mut().filter(|spent| spent.model.is_none()) {
            spent.model = Some(only.clone());
        }
    }
}

/// A call's arguments, which some agents write as JSON and some as a text that holds JSON.
pub(super) fn arguments(value: Option<Raw<'_>>) -> Arguments<'_> {
    let Some(raw) = value else { return Arguments::Missing };
    match text(value) {
        Some(text) if text.is_empty() => Arguments::Missing,
        Some(text) if is_json(&text) => Arguments::Json(text),
        Some(text) => Arguments::Text(text),
        None => Arguments::Json(Cow::Borrowed(raw.get())),
    }
}

/// A record that a call ran outweighs one that it was refused; of two that it ran, the later one counts.
fn settle(before: Status, now: Status) -> Status {
    match (before, now) {
        (_, Status::Missing) | (Status::Ok | Status::Error | Status::Interrupted, Status::Denied) => before,
        _ => now,
    }
}

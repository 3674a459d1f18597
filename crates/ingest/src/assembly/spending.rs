//! What answers of the model used, as records tell it: each message once, in part, together, or only as a total.

use std::borrow::Cow;
use std::collections::HashMap;

use super::Assembly;
use agent_strace_model::{Event, EventKind, Origin, RecordRole, Spent, Stream, Usage, Window};

impl<'a> Assembly<'a> {
    /// How the answer was served that is told of next, in the provider's own word. What is usual is none.
    pub(crate) fn served(&mut self, tier: Option<Cow<'a, str>>) {
        self.tier = tier.filter(|tier| !matches!(&**tier, "standard" | "default" | "auto"));
    }

    /// Notes what an API message cost. Logs repeat a message's usage on each of its records: the last one counts.
    pub(crate) fn usage(&mut self, message: Option<Cow<'a, str>>, usage: Usage) {
        let window = Window {
            fresh_input: usage.input,
            cache_creation: usage.cache_write,
            cache_read: usage.cache_read,
            output: usage.output,
        };
        self.spend(None, message, usage, Some(window));
    }

    /// As [`Self::usage`], from a record with a time of its own that may count the conversation another way.
    pub(crate) fn spend(
        &mut self,
        time: Option<Cow<'a, str>>,
        message: Option<Cow<'a, str>>,
        usage: Usage,
        window: Option<Window>,
    ) {
        self.charge(time, message, Usage { requests: 1, ..usage }, window);
    }

    /// Notes what several answers cost together: of none of them it is known how much it was asked. A running total has
    /// the same `message` wherever it is told.
    pub(crate) fn together(&mut self, message: Option<Cow<'a, str>>, usage: Usage) {
        self.charge(None, message, Usage { requests: 0, ..usage }, None);
    }

    /// Notes usage that a recorder took from the log of the agent, or of one of its sub-agents.
    pub(crate) fn recorded(&mut self, spent: Spent<'a>, subagent: Option<Cow<'a, str>>) {
        let of_others = self.origin.stream;
        self.origin.stream = subagent.map_or(0, |subagent| self.stream(Stream::Sidechain(subagent)));
        self.model(spent.model);
        self.tier = spent.tier;
        self.charge(spent.time, spent.message, spent.usage, spent.window);
        self.origin.stream = of_others;
    }

    /// Notes the sum that a log of the agent gives of a session. It outranks the records of single answers. A later one that
    /// is less, as of a log that was begun anew, takes nothing back.
    pub(crate) fn recorded_sum(&mut self, session: Cow<'a, str>, sum: Usage) {
        let known = self.sums.entry(session).or_insert(sum);
        let partial = sum.partial;
        *known = Usage { partial, ..more(*known, sum) };
        self.summed = self.session.events.len();
    }

    /// All that was used, as far as it is known: by the sums or, where that is more, by the answers.
    pub(super) fn used(&self, told: usize) -> Usage {
        let (before, since) = self.usages.split_at_checked(told).unwrap_or((&self.usages, &[]));
        let mut all = before.iter().sum();
        if !self.sums.is_empty() {
            let sums: Usage = self.sums.values().sum();
            all = Usage { partial: sums.partial, ..more(sums, all) };
        }
        all.add(&since.iter().sum());
        all
    }

    /// The recorder took usage from the agent's own log when the agent waited: what answers used after that is not in it.
    pub(crate) fn untold_since_sum(&mut self) {
        if !self.sums.is_empty() && self.session.events.iter().skip(self.summed).any(is_answer) {
            self.untold(None);
        }
    }

    fn charge(
        &mut self,
        time: Option<Cow<'a, str>>,
        message: Option<Cow<'a, str>>,
        usage: Usage,
        window: Option<Window>,
    ) {
        // Every request sends something.
        let sent = usage.input.saturating_add(usage.cache_read).saturating_add(usage.cache_write);
        let usage = Usage { partial: usage.partial || sent == 0 && usage.output > 0, ..usage };
        let spent = Spent { time, window, ..self.spent(message.clone(), usage) };
        self.session.spent.push(spent);
        let Some(message) = message else { return self.usages.push(usage) };
        if self.origin.stream == 0 {
            let before =
                self.messages.get(&message).and_then(|at| self.usages.get(*at)).map_or(0, |usage| usage.output);
            self.told_output = self.told_output.saturating_sub(before).saturating_add(usage.output);
            self.last_answer = Some((self.session.spent.len() - 1, message.clone()));
        }
        if let Some(known) = self.messages.get(&message).and_then(|at| self.usages.get_mut(*at)) {
            *known = usage;
        } else {
            self.messages.insert(message, self.usages.len());
            self.usages.push(usage);
        }
    }

    /// What is told next to the events so far.
    fn spent(&mut self, message: Option<Cow<'a, str>>, usage: Usage) -> Spent<'a> {
        let (after, origin, model) = (self.session.events.len(), self.origin, self.model.clone());
        Spent { after, origin, time: None, message, model, tier: self.tier.take(), usage, window: None }
    }

    /// What a message is called whose id some hosts give to several: the same id for another request, or with another
    /// prompt, is another message.
    pub(crate) fn message_of(
        &mut self,
        id: Cow<'a, str>,
        request: Option<Cow<'a, str>>,
        usage: &Usage,
    ) -> Cow<'a, str> {
        let sent = |usage: &Usage| [usage.input, usage.cache_read, usage.cache_write];
        let told = self.messages.get(&id).and_then(|at| self.usages.get(*at));
        let is_same_size = told.is_none_or(|told| sent(told) == sent(usage));
        let is_same = match self.asked.get(&id) {
            Some(Some(known)) => request.as_ref().map_or(is_same_size, |request| known == request),
            Some(None) => request.is_none() && is_same_size,
            None => true,
        };
        if is_same {
            self.asked.entry(id.clone()).or_insert(request);
            return id;
        }
        let [input, read, written] = sent(usage);
        match request {
            Some(request) => Cow::Owned(format!("{id} of {request}")),
            None => Cow::Owned(format!("{id} of {input}+{read}+{written}")),
        }
    }

    /// Notes an answer whose record tells no usage. In a log that tells none at all that says nothing.
    pub(crate) fn untold(&mut self, message: Option<Cow<'a, str>>) {
        if !self.knows(message.as_deref()) {
            let spent = self.spent(message, Usage { requests: 1, partial: true, ..Usage::default() });
            self.untold.push(spent);
        }
    }

    /// Where records of usage stand behind their answers, as the first one does: notes an answer that none stands behind.
    pub(crate) fn untold_at_end(&mut self) {
        let [Some(first), Some(last)] = [self.session.spent.first(), self.session.spent.last()] else { return };
        let events = self.session.events.iter();
        if events.clone().take(first.after).any(is_answer) && events.skip(last.after).any(is_answer) {
            self.untold(None);
        }
    }

    /// Whether usage of this message was told.
    pub(crate) fn knows(&self, message: Option<&str>) -> bool {
        message.is_some_and(|message| self.messages.contains_key(message))
    }

    /// A total tells all of what answers used since the first `from` records of usage.
    pub(crate) fn told_whole(&mut self, from: usize) {
        for spent in self.session.spent.iter_mut().skip(from) {
            spent.usage.partial = false;
            let known = spent.message.as_ref().and_then(|message| self.messages.get(message));
            if let Some(usage) = known.and_then(|at| self.usages.get_mut(*at)) {
                usage.partial = false;
            }
        }
    }

    /// What all answers used, those included that don't tell it. Less than what is told in all says nothing.
    pub(crate) fn in_all(&mut self, total: &Usage) {
        let told = self.told_in_all(|_| true);
        let missing = Usage { requests: 0, partial: false, ..told.beyond(total) };
        if total.partial || missing != Usage::default() {
            return;
        }
        self.untold.clear();
        self.told_whole(0);
        let beyond = total.beyond(&told);
        if beyond != Usage::default() {
            self.unasked(None, beyond);
        }
    }

    /// What answers used that told only a part of it.
    pub(crate) fn told_in_part(&self) -> Usage {
        self.usages.iter().filter(|usage| usage.partial).sum()
    }

    /// What came back in all so far, at the least. Streams tell of an answer when it begins: what they left out is put on
    /// the last one of the session's own conversation.
    pub(crate) fn outweigh(&mut self, output: u64) {
        let more = output.saturating_sub(self.told_output);
        let Some((index, message)) = self.last_answer.clone().filter(|_| more > 0) else { return };
        self.told_output = output;
        let in_total = self.messages.get(&message).and_then(|at| self.usages.get_mut(*at));
        let told = self.session.spent.get_mut(index).map(|spent| &mut spent.usage);
        for usage in [in_total, told].into_iter().flatten() {
            usage.output = usage.output.saturating_add(more);
        }
    }

    /// What records tell of each model so far, by its plain name.
    pub(crate) fn told(&self, plain: fn(&str) -> String) -> HashMap<String, Usage> {
        let mut told: HashMap<String, Usage> = HashMap::new();
        for spent in self.each_told() {
            told.entry(plain(spent.model.as_deref().unwrap_or(""))).or_default().add(&spent.usage);
        }
        told
    }

    /// What records tell so far of the conversations that `counts`, by their index, says yes to.
    pub(crate) fn told_in_all(&self, counts: fn(u16) -> bool) -> Usage {
        self.each_told().into_iter().filter(|spent| counts(spent.origin.stream)).map(|spent| &spent.usage).sum()
    }

    /// Of the records that repeat what a message used the last one.
    fn each_told(&self) -> Vec<&Spent<'a>> {
        let mut messages: HashMap<&str, usize> = HashMap::new();
        let mut told: Vec<&Spent<'a>> = Vec::new();
        for spent in self.session.spent.iter().filter(|spent| spent.usage != Usage::default()) {
            let new = told.len();
            let index = spent.message.as_deref().map_or(new, |message| *messages.entry(message).or_insert(new));
            match told.get_mut(index) {
                Some(known) => *known = spent,
                None => told.push(spent),
            }
        }
        told
    }

    /// What a model used in answers that no record is of.
    pub(crate) fn unasked(&mut self, model: Option<Cow<'a, str>>, usage: Usage) {
        let spent = Spent { origin: Origin::default(), model, ..self.spent(None, usage) };
        self.session.spent.push(spent);
        self.usages.push(usage);
    }

    /// What a record says about the size of the conversation, and nothing about what it cost.
    pub(crate) fn window(&mut self, time: Option<Cow<'a, str>>, window: Window) {
        let spent = Spent { time, window: Some(window), ..self.spent(None, Usage::default()) };
        self.session.spent.push(spent);
    }

    /// Where other answers tell their usage, those that don't used some, too.
    pub(super) fn add_untold(&mut self) {
        let untold = std::mem::take(&mut self.untold);
        if self.usages.iter().all(|usage| Usage { requests: 0, ..*usage } == Usage::default()) {
            return;
        }
        for usage in &mut self.usages {
            // It tells that there was an answer, and nothing of it.
            usage.partial |= *usage == Usage { requests: 1, ..Usage::default() };
        }
        for spent in &mut self.session.spent {
            spent.usage.partial |= spent.usage == Usage { requests: 1, ..Usage::default() };
        }
        for spent in untold {
            if spent.message.as_ref().is_none_or(|message| !self.messages.contains_key(message)) {
                self.usages.push(spent.usage);
                self.messages.extend(spent.message.clone().map(|message| (message, self.usages.len() - 1)));
                self.session.spent.push(spent);
            }
        }
        self.session.spent.sort_by_key(|spent| spent.after);
    }
}

fn is_answer(event: &Event<'_>) -> bool {
    let said = matches!(event.kind, EventKind::Message(_) | EventKind::Reasoning(_) | EventKind::Call(_));
    said && event.origin.role == RecordRole::Primary
}

/// The one that has more tokens.
fn more(first: Usage, second: Usage) -> Usage {
    let tokens = |usage: &Usage| {
        [usage.input, usage.output, usage.cache_read, usage.cache_write].into_iter().fold(0, u64::saturating_add)
    };
    if tokens(&second) > tokens(&first) { second } else { first }
}

//! Messages → what happened: which question an answer belongs to, and what both are about.
//!
//! Each side numbers its own questions, and may use a number again when it was answered. Several clients of one proxy may use
//! the same numbers at once: they differ by their session, or by the exchange that brought the question.

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};

use serde::Deserialize;
use serde_json::value::RawValue;

use super::message::{Id, Message, Outcome, Side};

/// Questions without an answer that are remembered. Those that never get one are forgotten, the oldest first.
const MOST_WAITING: usize = 10_000;

/// The way a message came.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Way {
    /// The session in the protocol's own sense, where its transport has one.
    pub session: Option<String>,
    /// The request of HTTP that brought it.
    pub exchange: Option<u64>,
}

/// What a question is about. Parts are JSON texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    Tool(String),
    /// A resource, by its address.
    Resource(String),
    /// The server's question to the client's model.
    Sampling,
    /// Who the server is: of `initialize`, and of `server/discover` since 2026-07-28.
    Initialize,
    ToolList,
    /// Any other method.
    Other(String),
}

/// A question that was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// No other one has it.
    pub number: u64,
    pub asked_by: Side,
    pub id: Id,
    pub subject: Subject,
    way: Way,
}

/// What a message means.
#[derive(Debug, PartialEq, Eq)]
pub enum Sense<'m> {
    Asked {
        question: Question,
        params: Option<&'m str>,
    },
    /// Told without asking for an answer.
    Told {
        /// Counted with the questions.
        number: u64,
        method: Cow<'m, str>,
        params: Option<&'m str>,
    },
    Answered {
        /// `None`: nobody asked, or long ago.
        question: Option<Question>,
        id: Id,
        outcome: Outcome<'m>,
    },
}

/// Both sides of a conversation, as far as questions wait for answers.
#[derive(Debug, Default)]
pub struct Talk {
    asked: u64,
    waiting: BTreeMap<(Side, Id), VecDeque<Question>>,
    /// How many those are.
    count: usize,
}

impl Talk {
    /// What a message of `from` means. Call it for every message, in order.
    pub fn hear<'m>(&mut self, from: Side, way: &Way, message: &Message<'m>) -> Sense<'m> {
        match message {
            Message::Request { id, method, params } => {
                let question = Question {
                    number: self.next(),
                    asked_by: from,
                    id: id.clone(),
                    subject: subject(from, method, *params),
                    way: way.clone(),
                };
                self.wait(question.clone());
                Sense::Asked { question, params: *params }
            }
            Message::Notification { method, params } => {
                Sense::Told { number: self.next(), method: method.clone(), params: *params }
            }
            Message::Answer { id, outcome } => {
                let question = self.answered(from.other(), id, way);
                Sense::Answered { question, id: id.clone(), outcome: *outcome }
            }
        }
    }

    fn next(&mut self) -> u64 {
        self.asked = self.asked.saturating_add(1);
        self.asked
    }

    /// Nobody will answer this question.
    pub fn forget(&mut self, question: &Question) {
        let key = (question.asked_by, question.id.clone());
        let queue = self.waiting.get(&key);
        let index = queue.and_then(|queue| queue.iter().position(|other| other.number == question.number));
        if let Some(index) = index {
            self.take(&key, index);
        }
    }

    fn wait(&mut self, question: Question) {
        if self.count >= MOST_WAITING {
            let oldest = self.waiting.iter().filter_map(|(key, queue)| Some((queue.front()?.number, key)));
            if let Some(key) = oldest.min().map(|(_, key)| key.clone()) {
                self.take(&key, 0);
            }
        }
        self.count = self.count.saturating_add(1);
        self.waiting.entry((question.asked_by, question.id.clone())).or_default().push_back(question);
    }

    fn take(&mut self, key: &(Side, Id), index: usize) -> Option<Question> {
        let queue = self.waiting.get_mut(key)?;
        let question = queue.remove(index);
        if queue.is_empty() {
            self.waiting.remove(key);
        }
        self.count = self.count.saturating_sub(usize::from(question.is_some()));
        question
    }

    /// The question of this side that an answer is to: of the same request of HTTP, else of the same session, and the one
    /// that has waited longest.
    fn answered(&mut self, asked_by: Side, id: &Id, way: &Way) -> Option<Question> {
        let key = (asked_by, id.clone());
        let queue = self.waiting.get(&key)?;
        let by = |fits: &dyn Fn(&Question) -> bool| queue.iter().position(fits);
        let same_exchange = way.exchange.and_then(|_| by(&|question| question.way.exchange == way.exchange));
        let index = same_exchange.or_else(|| by(&|question| question.way.session == way.session))?;
        self.take(&key, index)
    }
}

#[derive(Deserialize)]
struct Call<'m> {
    #[serde(borrow)]
    name: Option<Cow<'m, str>>,
    #[serde(borrow)]
    arguments: Option<&'m RawValue>,
}

/// The arguments of a call, as they were written; `None`: it has none.
pub fn arguments(params: Option<&str>) -> Option<&str> {
    serde_json::from_str::<Call<'_>>(params?).ok()?.arguments.map(RawValue::get)
}

#[derive(Deserialize)]
struct Read<'m> {
    #[serde(borrow)]
    uri: Cow<'m, str>,
}

/// What a question is about.
pub fn subject(from: Side, method: &str, params: Option<&str>) -> Subject {
    let of = params.unwrap_or("{}");
    match (from, method) {
        // A call that names no tool is still one.
        (Side::Client, "tools/call") => {
            let name = serde_json::from_str::<Call<'_>>(of).ok().and_then(|call| call.name);
            Subject::Tool(name.map_or_else(String::new, Cow::into_owned))
        }
        (Side::Client, "resources/read") => match serde_json::from_str::<Read<'_>>(of) {
            Ok(read) => Subject::Resource(read.uri.into_owned()),
            Err(_) => Subject::Resource(String::new()),
        },
        (Side::Client, "initialize" | "server/discover") => Subject::Initialize,
        (Side::Client, "tools/list") => Subject::ToolList,
        (Side::Server, "sampling/createMessage") => Subject::Sampling,
        (_, method) => Subject::Other(method.to_owned()),
    }
}

/// How a tool's result says that it went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    Well,
    Badly,
}

#[derive(Deserialize)]
struct ToolResult {
    #[serde(rename = "isError", default)]
    is_error: Option<bool>,
}

/// A failure of the tool is a result to the protocol. What can't be read of it did not end well.
pub fn ended(outcome: &Outcome<'_>) -> Ended {
    match outcome {
        Outcome::Error(_) => Ended::Badly,
        Outcome::Result(result) => match serde_json::from_str::<ToolResult>(result) {
            Ok(ToolResult { is_error: None | Some(false) }) => Ended::Well,
            _ => Ended::Badly,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proxy::message::Parcel;

    fn hear(talk: &mut Talk, from: Side, way: &Way, text: &str) -> Option<(u64, Subject)> {
        let Ok(Parcel::One(message)) = Parcel::read(text) else { panic!("{text}") };
        match talk.hear(from, way, &message) {
            Sense::Asked { question, .. } => Some((question.number, question.subject)),
            Sense::Answered { question, .. } => question.map(|question| (question.number, question.subject)),
            Sense::Told { .. } => None,
        }
    }

    fn call(id: &str, tool: &str) -> String {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{{}}}}}}"#)
    }

    fn tool(number: u64, name: &str) -> (u64, Subject) {
        (number, Subject::Tool(name.to_owned()))
    }

    #[test]
    fn answers_find_their_questions() {
        let (talk, way) = (&mut Talk::default(), &Way::default());
        let (client, server) = (Side::Client, Side::Server);
        assert_eq!(hear(talk, client, way, &call("1", "a")), Some(tool(1, "a")));
        assert_eq!(hear(talk, client, way, &call("\"1\"", "b")), Some(tool(2, "b")));
        // The server has numbers of its own.
        let sampling = r#"{"id":1,"method":"sampling/createMessage","params":{}}"#;
        assert_eq!(hear(talk, server, way, sampling), Some((3, Subject::Sampling)));
        assert_eq!(hear(talk, server, way, r#"{"id":"1","result":{}}"#), Some(tool(2, "b")));
        assert_eq!(hear(talk, client, way, r#"{"id":1,"result":{}}"#), Some((3, Subject::Sampling)));
        assert_eq!(hear(talk, server, way, r#"{"id":1,"error":{}}"#), Some(tool(1, "a")));
        assert_eq!(hear(talk, server, way, r#"{"id":1,"result":{}}"#), None);
        // A number may be used again.
        assert_eq!(hear(talk, client, way, &call("1", "c")), Some(tool(4, "c")));
        assert_eq!(hear(talk, client, way, &call("1", "d")), Some(tool(5, "d")));
        assert_eq!(hear(talk, server, way, r#"{"id":1,"result":{}}"#), Some(tool(4, "c")));
        assert_eq!(hear(talk, server, way, r#"{"id":1,"result":{}}"#), Some(tool(5, "d")));
        assert_eq!((talk.count, talk.waiting.len()), (0, 0));
    }

    #[test]
    fn clients_that_use_the_same_numbers_are_told_apart() {
        let talk = &mut Talk::default();
        let way =
            |session: Option<&str>, exchange| Way { session: session.map(str::to_owned), exchange: Some(exchange) };
        for (number, (way, name)) in
            (1..).zip([(way(Some("s"), 1), "a"), (way(Some("t"), 2), "b"), (way(None, 3), "c"), (way(None, 4), "d")])
        {
            assert_eq!(hear(talk, Side::Client, &way, &call("0", name)), Some(tool(number, name)));
        }
        let answer = r#"{"id":0,"result":{}}"#;
        assert_eq!(hear(talk, Side::Server, &way(None, 4), answer), Some(tool(4, "d")));
        // On a stream of its own, which another request of the session opened.
        assert_eq!(hear(talk, Side::Server, &way(Some("t"), 9), answer), Some(tool(2, "b")));
        assert_eq!(hear(talk, Side::Server, &way(Some("s"), 9), answer), Some(tool(1, "a")));
        assert_eq!(hear(talk, Side::Server, &way(None, 9), answer), Some(tool(3, "c")));
    }

    #[test]
    fn questions_that_nobody_answers_take_no_room_for_ever() {
        let talk = &mut Talk::default();
        for number in 0..=MOST_WAITING {
            let _ = hear(talk, Side::Client, &Way::default(), &call(&number.to_string(), "a"));
        }
        assert_eq!(talk.count, MOST_WAITING);
        assert_eq!(hear(talk, Side::Server, &Way::default(), r#"{"id":0,"result":{}}"#), None);
        assert_eq!(hear(talk, Side::Server, &Way::default(), r#"{"id":1,"result":{}}"#), Some(tool(2, "a")));
    }

    #[test]
    fn results_say_how_they_ended() {
        for (result, wanted) in [
            ("{}", Ended::Well),
            (r#"{"structuredContent":{"isError":true}}"#, Ended::Well),
            (r#"{"isError":false}"#, Ended::Well),
            (r#"{"isError":true}"#, Ended::Badly),
            (r#"{"isError":"yes"}"#, Ended::Badly),
            ("null", Ended::Badly),
        ] {
            assert_eq!(ended(&Outcome::Result(result)), wanted, "{result}");
        }
        assert_eq!(ended(&Outcome::Error("{}")), Ended::Badly);
    }
}

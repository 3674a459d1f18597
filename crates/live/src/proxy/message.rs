//! JSON texts → JSON-RPC messages, with their parts as they were written.

use std::borrow::Cow;

use serde::de::{Deserializer, IgnoredAny};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Who wrote a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    Client,
    Server,
}

impl Side {
    pub fn other(self) -> Self {
        match self {
            Self::Client => Self::Server,
            Self::Server => Self::Client,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Server => "server",
        }
    }
}

/// One JSON-RPC message. Parts are JSON texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message<'m> {
    Request { id: Id, method: Cow<'m, str>, params: Option<&'m str> },
    Notification { method: Cow<'m, str>, params: Option<&'m str> },
    Answer { id: Id, outcome: Outcome<'m> },
}

impl<'m> Message<'m> {
    /// The same under the id and the method of another one.
    pub fn called_as(self, other: &Message<'m>) -> Self {
        match (self, other) {
            (Self::Request { params, .. }, Self::Request { id, method, .. }) => {
                Self::Request { id: id.clone(), method: method.clone(), params }
            }
            (Self::Notification { params, .. }, Self::Notification { method, .. }) => {
                Self::Notification { method: method.clone(), params }
            }
            (Self::Answer { outcome, .. }, Self::Answer { id, .. }) => Self::Answer { id: id.clone(), outcome },
            (own, _) => own,
        }
    }
}

/// What an answer holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome<'m> {
    Result(&'m str),
    Error(&'m str),
}

/// An id as its side wrote it: `1` and `"1"` are two.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Id(String);

impl Id {
    /// As JSON.
    pub fn json(&self) -> &str {
        &self.0
    }

    /// `None`: it is neither a text nor a number, nor `null`, which answers to nobody have.
    fn of(json: &str) -> Option<Self> {
        match json.as_bytes().first()? {
            // One text may be written in many ways.
            b'"' => serde_json::to_string(&serde_json::from_str::<String>(json).ok()?).ok().map(Self),
            b'{' | b'[' | b't' | b'f' => None,
            _ => Some(Self(json.to_owned())),
        }
    }
}

/// Why a text is no message, behind "a message".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    NotJson,
    NotAMessage,
}

impl Fault {
    pub fn reason(self) -> &'static str {
        match self {
            Self::NotJson => "is not JSON",
            Self::NotAMessage => "is JSON, but no JSON-RPC message that can be understood",
        }
    }
}

/// A message, or several that were sent as one.
#[derive(Debug, PartialEq, Eq)]
pub enum Parcel<'m> {
    One(Message<'m>),
    /// Each, or why it is none.
    Batch(Vec<Result<Message<'m>, Fault>>),
}

impl<'m> Parcel<'m> {
    pub fn read(text: &'m str) -> Result<Self, Fault> {
        if text.trim_start().starts_with('[') {
            let parts: Vec<&'m RawValue> = serde_json::from_str(text).map_err(|_| Fault::NotJson)?;
            return Ok(Self::Batch(parts.into_iter().map(|part| message(part.get())).collect()));
        }
        message(text).map(Self::One)
    }

    pub fn messages(&self) -> impl Iterator<Item = Result<&Message<'m>, Fault>> {
        let (one, batch) = match self {
            Self::One(message) => (Some(Ok(message)), &[] as &[_]),
            Self::Batch(batch) => (None, batch.as_slice()),
        };
        one.into_iter().chain(batch.iter().map(|message| message.as_ref().map_err(|fault| *fault)))
    }
}

/// Serde refuses a key that stands twice: two readers might each take another one.
#[derive(Deserialize)]
struct Wire<'m> {
    #[serde(borrow, default, deserialize_with = "there")]
    id: Option<&'m RawValue>,
    #[serde(borrow)]
    method: Option<Cow<'m, str>>,
    #[serde(borrow, default, deserialize_with = "there")]
    params: Option<&'m RawValue>,
    #[serde(borrow, default, deserialize_with = "there")]
    result: Option<&'m RawValue>,
    #[serde(borrow, default, deserialize_with = "there")]
    error: Option<&'m RawValue>,
}

/// A `null` that is there is another thing than nothing.
fn there<'de: 'm, 'm, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'m RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

fn message(text: &str) -> Result<Message<'_>, Fault> {
    let wire: Wire<'_> = serde_json::from_str(text).map_err(|_| {
        let is_json = serde_json::from_str::<IgnoredAny>(text).is_ok();
        if is_json { Fault::NotAMessage } else { Fault::NotJson }
    })?;
    let id = wire.id.map(|id| Id::of(id.get()).ok_or(Fault::NotAMessage)).transpose()?;
    let params = wire.params.map(RawValue::get);
    match (wire.method, id, wire.result, wire.error) {
        (Some(method), Some(id), None, None) => Ok(Message::Request { id, method, params }),
        (Some(method), None, None, None) => Ok(Message::Notification { method, params }),
        (None, Some(id), Some(result), None) => Ok(Message::Answer { id, outcome: Outcome::Result(result.get()) }),
        (None, Some(id), _, Some(error)) => Ok(Message::Answer { id, outcome: Outcome::Error(error.get()) }),
        _ => Err(Fault::NotAMessage),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(json: &str) -> Id {
        Id(json.to_owned())
    }

    #[test]
    fn messages_are_told_apart() {
        let request = |id, method: &'static str, params| Message::Request { id, method: method.into(), params };
        let cases: Vec<(&str, Result<Message<'_>, Fault>)> = vec![
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, Ok(request(id("1"), "ping", None))),
            (r#"{"id":"1","method":"ping","params":{}}"#, Ok(request(id("\"1\""), "ping", Some("{}")))),
            (r#"{"id":"\u0031","method":"p\u0069ng"}"#, Ok(request(id("\"1\""), "ping", None))),
            (r#"{"method":"n","params":null}"#, Ok(Message::Notification { method: "n".into(), params: Some("null") })),
            (r#"{"id":1,"result":null}"#, Ok(Message::Answer { id: id("1"), outcome: Outcome::Result("null") })),
            (
                r#"{"id":1,"error":{"code":1}}"#,
                Ok(Message::Answer { id: id("1"), outcome: Outcome::Error("{\"code\":1}") }),
            ),
            (r#"{"id":null,"error":{}}"#, Ok(Message::Answer { id: id("null"), outcome: Outcome::Error("{}") })),
            (r#"{"id":1,"method":"a","method":"tools/call"}"#, Err(Fault::NotAMessage)),
            (r#"{"id":1,"method":"a","\u006dethod":"tools/call"}"#, Err(Fault::NotAMessage)),
            (r#"{"id":{},"method":"a"}"#, Err(Fault::NotAMessage)),
            (r#"{"id":1}"#, Err(Fault::NotAMessage)),
            (r#"{"result":1}"#, Err(Fault::NotAMessage)),
            (r#"{"id":1,"method":"a","result":1}"#, Err(Fault::NotAMessage)),
            (r#"{"id":1,"method":7}"#, Err(Fault::NotAMessage)),
            ("3", Err(Fault::NotAMessage)),
            (r#"{"id":1,"method":"a"} {"id":2}"#, Err(Fault::NotJson)),
            ("{", Err(Fault::NotJson)),
        ];
        for (text, wanted) in cases {
            assert_eq!(message(text), wanted, "{text}");
        }
    }

    #[test]
    fn batches_keep_what_can_be_understood() {
        let parcel = Parcel::read(r#" [{"id":1,"method":"a"}, 7, {"method":"b"}]"#).unwrap();
        let methods: Vec<_> = parcel
            .messages()
            .map(|message| match message {
                Ok(Message::Request { method, .. } | Message::Notification { method, .. }) => Ok(method.to_string()),
                Ok(Message::Answer { .. }) => panic!("no answer is among them"),
                Err(fault) => Err(fault),
            })
            .collect();
        assert_eq!(methods, [Ok("a".to_owned()), Err(Fault::NotAMessage), Ok("b".to_owned())]);
        assert_eq!(Parcel::read("[1,"), Err(Fault::NotJson));
        assert_eq!(Parcel::read("[]"), Ok(Parcel::Batch(Vec::new())));
    }
}

//! Extracts messages from a copy of a body.

use std::io::Write as _;

use flate2::write::{MultiGzDecoder, ZlibDecoder};

use super::super::LARGEST;
use super::super::message_loop::MessageLoop;
use super::target::Target;
use agent_strace_live::proxy::framing::{CUT_OFF, Frame, Framing, TOO_LARGE};
use agent_strace_live::proxy::message::{Parcel, Side};
use agent_strace_live::proxy::sse::{Event, Events};
use agent_strace_live::proxy::talk::Way;

const ENCODED: &str = "is encoded in a way that the recorder does not read";

/// The content of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// One message, or several in a list.
    Message,
    /// Like `Message`, but ignored if it is not a message: the body of an HTTP error.
    Perhaps,
    Events,
}

pub(super) struct Tap {
    reader: Reader,
    decoder: Decoder,
    sink: MessageSink,
}

/// Passes messages of one exchange to the recorder.
pub(super) struct MessageSink {
    pub(super) messages: MessageLoop,
    pub(super) side: Side,
    pub(super) way: Way,
    pub(super) target: Target,
}

enum Reader {
    Whole {
        bytes: Vec<u8>,
        is_sure: bool,
    },
    Events(Events),
    /// The body could not be followed, which was reported.
    Lost,
}

enum Decoder {
    None,
    Gzip(Box<MultiGzDecoder<Vec<u8>>>),
    Deflate(Box<ZlibDecoder<Vec<u8>>>),
    Unknown,
}

impl Tap {
    /// `encoding`: as its header says.
    pub(super) fn new(kind: Kind, encoding: Option<&str>, sink: MessageSink) -> Self {
        let decoder = match encoding.map(str::trim).map(str::to_ascii_lowercase).as_deref() {
            None | Some("" | "identity") => Decoder::None,
            Some("gzip" | "x-gzip") => Decoder::Gzip(Box::new(MultiGzDecoder::new(Vec::new()))),
            Some("deflate") => Decoder::Deflate(Box::new(ZlibDecoder::new(Vec::new()))),
            Some(_) => Decoder::Unknown,
        };
        let reader = match kind {
            Kind::Events => Reader::Events(Events::new(LARGEST)),
            Kind::Message | Kind::Perhaps => Reader::Whole { bytes: Vec::new(), is_sure: kind == Kind::Message },
        };
        Self { reader, decoder, sink }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        let decoded = match &mut self.decoder {
            Decoder::None => return self.reader.push(bytes, &mut self.sink),
            // In steps, so that the decompressed body is never in memory as a whole.
            Decoder::Gzip(decoder) => bytes.chunks(STEP).try_for_each(|chunk| {
                decoder.write_all(chunk).and_then(|()| decoder.flush())?;
                self.reader.push(&std::mem::take(decoder.get_mut()), &mut self.sink);
                Ok::<(), std::io::Error>(())
            }),
            Decoder::Deflate(decoder) => bytes.chunks(STEP).try_for_each(|chunk| {
                decoder.write_all(chunk).and_then(|()| decoder.flush())?;
                self.reader.push(&std::mem::take(decoder.get_mut()), &mut self.sink);
                Ok(())
            }),
            Decoder::Unknown => return self.reader.lose(ENCODED, &self.sink),
        };
        if decoded.is_err() {
            self.reader.lose(ENCODED, &self.sink);
        }
    }

    /// The body is whole.
    pub(super) fn finish(mut self) {
        match &mut self.reader {
            Reader::Whole { bytes, is_sure } => {
                let (body, is_sure) = (std::mem::take(bytes), *is_sure);
                if is_sure || std::str::from_utf8(&body).is_ok_and(|text| Parcel::read(text).is_ok()) {
                    self.sink.message(body);
                }
            }
            Reader::Events(events) => {
                if events.end().is_some() {
                    self.sink.lose(TOO_LARGE);
                }
            }
            Reader::Lost => {}
        }
    }

    /// The rest of the body never comes. A stream of events ends like that.
    pub(super) fn cut_off(self) {
        match &self.reader {
            Reader::Whole { bytes, is_sure: true } if !bytes.is_empty() => self.sink.lose(CUT_OFF),
            _ => {}
        }
    }
}

/// Bytes that are decompressed at once.
const STEP: usize = 1 << 10;

impl Reader {
    fn push(&mut self, more: &[u8], sink: &mut MessageSink) {
        match self {
            Self::Whole { bytes, .. } if bytes.len().saturating_add(more.len()) > LARGEST => self.lose(TOO_LARGE, sink),
            Self::Whole { bytes, .. } => bytes.extend_from_slice(more),
            Self::Events(events) => events.push(more).into_iter().for_each(|event| sink.event(event)),
            Self::Lost => {}
        }
    }

    fn lose(&mut self, reason: &'static str, sink: &MessageSink) {
        match std::mem::replace(self, Self::Lost) {
            Self::Lost | Self::Whole { is_sure: false, .. } => {}
            Self::Whole { .. } | Self::Events(_) => sink.lose(reason),
        }
    }
}

impl MessageSink {
    fn message(&self, body: Vec<u8>) {
        if body.trim_ascii().is_empty() {
            return;
        }
        let piece = Frame::Message { body, framing: Framing::Line };
        self.messages.record(self.side, &self.way, piece);
    }

    fn lose(&self, reason: &'static str) {
        self.messages.record(self.side, &self.way, Frame::Lost(reason));
    }

    fn event(&mut self, event: Event) {
        match event {
            Event::TooLarge => self.lose(TOO_LARGE),
            // The older transport names the address for messages; the events of its stream answer these.
            Event::Data { kind, data } if kind == "endpoint" => {
                let endpoint = String::from_utf8_lossy(&data).into_owned();
                if !self.target.learn(&endpoint) {
                    self.messages
                        .status
                        .warn("the server sends the agent to another address: what is said there is not recorded");
                    self.lose("goes to an address that the recorder does not see");
                }
                if self.way.session.is_none() {
                    self.way.session = endpoint.split_once('?').map(|(_, query)| query.to_owned());
                }
            }
            Event::Data { data, .. } => self.message(data),
        }
    }
}

//! A copy of a body → the messages in it.

use std::io::Write as _;

use flate2::write::{MultiGzDecoder, ZlibDecoder};

use super::super::LARGEST;
use super::super::desk::Desk;
use super::target::Target;
use agent_strace_live::proxy::framing::{CUT_OFF, Framing, Piece, TOO_LARGE};
use agent_strace_live::proxy::message::{Parcel, Side};
use agent_strace_live::proxy::sse::{Event, Events};
use agent_strace_live::proxy::talk::Way;

const ENCODED: &str = "is encoded in a way that the recorder does not read";

/// What a body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// One message, or several in a list.
    Message,
    /// The same where it is a message, and of no interest where it is none: what failures of HTTP come with.
    Perhaps,
    Events,
}

pub(super) struct Tap {
    reader: Reader,
    decoder: Decoder,
    ear: Ear,
}

/// Where messages go.
pub(super) struct Ear {
    pub(super) desk: Desk,
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
    /// It could not be followed, which was told.
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
    pub(super) fn new(kind: Kind, encoding: Option<&str>, ear: Ear) -> Self {
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
        Self { reader, decoder, ear }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        let decoded = match &mut self.decoder {
            Decoder::None => return self.reader.push(bytes, &mut self.ear),
            // In steps, so that what it unfolds to is never all there at once.
            Decoder::Gzip(decoder) => bytes.chunks(STEP).try_for_each(|chunk| {
                decoder.write_all(chunk).and_then(|()| decoder.flush())?;
                self.reader.push(&std::mem::take(decoder.get_mut()), &mut self.ear);
                Ok::<(), std::io::Error>(())
            }),
            Decoder::Deflate(decoder) => bytes.chunks(STEP).try_for_each(|chunk| {
                decoder.write_all(chunk).and_then(|()| decoder.flush())?;
                self.reader.push(&std::mem::take(decoder.get_mut()), &mut self.ear);
                Ok(())
            }),
            Decoder::Unknown => return self.reader.lose(ENCODED, &self.ear),
        };
        if decoded.is_err() {
            self.reader.lose(ENCODED, &self.ear);
        }
    }

    /// The body is whole.
    pub(super) fn finish(mut self) {
        match &mut self.reader {
            Reader::Whole { bytes, is_sure } => {
                let (body, is_sure) = (std::mem::take(bytes), *is_sure);
                if is_sure || std::str::from_utf8(&body).is_ok_and(|text| Parcel::read(text).is_ok()) {
                    self.ear.hear(body);
                }
            }
            Reader::Events(events) => {
                if events.end().is_some() {
                    self.ear.lose(TOO_LARGE);
                }
            }
            Reader::Lost => {}
        }
    }

    /// The rest of the body never comes. A stream of events ends like that.
    pub(super) fn cut_off(self) {
        match &self.reader {
            Reader::Whole { bytes, is_sure: true } if !bytes.is_empty() => self.ear.lose(CUT_OFF),
            _ => {}
        }
    }
}

/// Bytes that are unfolded at once.
const STEP: usize = 1 << 10;

impl Reader {
    fn push(&mut self, more: &[u8], ear: &mut Ear) {
        match self {
            Self::Whole { bytes, .. } if bytes.len().saturating_add(more.len()) > LARGEST => self.lose(TOO_LARGE, ear),
            Self::Whole { bytes, .. } => bytes.extend_from_slice(more),
            Self::Events(events) => events.push(more).into_iter().for_each(|event| ear.event(event)),
            Self::Lost => {}
        }
    }

    fn lose(&mut self, reason: &'static str, ear: &Ear) {
        match std::mem::replace(self, Self::Lost) {
            Self::Lost | Self::Whole { is_sure: false, .. } => {}
            Self::Whole { .. } | Self::Events(_) => ear.lose(reason),
        }
    }
}

impl Ear {
    fn hear(&self, body: Vec<u8>) {
        if body.trim_ascii().is_empty() {
            return;
        }
        let piece = Piece::Message { body, framing: Framing::Line };
        self.desk.hear(self.side, &self.way, piece);
    }

    fn lose(&self, reason: &'static str) {
        self.desk.hear(self.side, &self.way, Piece::Lost(reason));
    }

    fn event(&mut self, event: Event) {
        match event {
            Event::TooLarge => self.lose(TOO_LARGE),
            // Where the older transport says that messages go; what comes on its stream answers these.
            Event::Data { kind, data } if kind == "endpoint" => {
                let endpoint = String::from_utf8_lossy(&data).into_owned();
                if !self.target.learn(&endpoint) {
                    self.desk
                        .voice
                        .warn("the server sends the agent to another address: what is said there is not recorded");
                    self.lose("goes to an address that the recorder does not see");
                }
                if self.way.session.is_none() {
                    self.way.session = endpoint.split_once('?').map(|(_, query)| query.to_owned());
                }
            }
            Event::Data { data, .. } => self.hear(data),
        }
    }
}

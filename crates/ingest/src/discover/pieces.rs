//! Sessions that an agent keeps in many files, a message or a part of one in each: the files of one session are one log.

use std::collections::BTreeMap;

use super::{Source, Transcript};

/// A file of `OpenCode`'s storage, by its place.
enum Piece<'p> {
    Session { session: &'p str },
    Message { session: &'p str, message: &'p str },
    Part { message: &'p str },
}

impl<'p> Piece<'p> {
    /// The folder of the storage, and what the file at a path holds.
    fn of(path: &'p str) -> Option<(&'p str, Self)> {
        let (storage, place) = path.rsplit_once("/storage/")?;
        if !storage.split('/').any(|folder| folder == "opencode") {
            return None;
        }
        let names: Vec<&str> = place.strip_suffix(".json")?.split('/').collect();
        // Older versions kept all of it below `session`.
        let piece = match names.as_slice() {
            ["message", session, message] | ["session", "message", session, message] => {
                Self::Message { session, message }
            }
            ["part", message, _] | ["session", "part", _, message, _] => Self::Part { message },
            ["session", _, session] => Self::Session { session },
            _ => return None,
        };
        Some((storage, piece))
    }
}

/// Puts the files of each session together: the session, then each message with its parts. Names grow with time.
pub(super) fn join(sources: &mut Vec<Source>) {
    let mut messages: BTreeMap<(String, String), String> = BTreeMap::new();
    for source in sources.iter().filter(|source| source.is_one_file()) {
        if let Some((storage, Piece::Message { session, message })) = Piece::of(&source.shown) {
            messages.insert((storage.to_owned(), message.to_owned()), session.to_owned());
        }
    }
    if messages.is_empty() {
        return;
    }
    let mut sessions: BTreeMap<(String, String), BTreeMap<(String, String), Transcript>> = BTreeMap::new();
    let mut others = Vec::new();
    for mut source in std::mem::take(sources) {
        let place = Piece::of(&source.shown).filter(|_| source.is_one_file()).and_then(|(storage, piece)| {
            let (session, message) = match piece {
                Piece::Session { session } => (session, ""),
                Piece::Message { session, message } => (session, message),
                Piece::Part { message } => (messages.get(&(storage.to_owned(), message.to_owned()))?.as_str(), message),
            };
            // A message comes before its parts: `message/…` before `part/…`.
            Some(((storage.to_owned(), session.to_owned()), (message.to_owned(), source.shown.clone())))
        });
        match place {
            Some((session, order)) => {
                let pieces = sessions.entry(session).or_default();
                pieces.extend(source.transcripts.pop().map(|transcript| (order, transcript)));
            }
            None => others.push(source),
        }
    }
    let joined = sessions.into_values().filter_map(|pieces| Transcript::of_pieces(pieces.into_values()));
    others.extend(joined.map(|transcript| Source::of(vec![transcript], None)));
    *sources = others;
}

impl Source {
    /// It is nothing but one file outside of the store.
    fn is_one_file(&self) -> bool {
        let [transcript] = self.transcripts.as_slice() else { return false };
        self.entry.is_none() && transcript.parts.len() == 1 && transcript.beside.is_empty()
    }
}

impl Transcript {
    fn of_pieces(pieces: impl Iterator<Item = Self>) -> Option<Self> {
        pieces.reduce(|mut whole, piece| {
            whole.size = whole.size.saturating_add(piece.size);
            whole.parts.extend(piece.parts);
            whole.flaws.extend(piece.flaws);
            whole
        })
    }
}

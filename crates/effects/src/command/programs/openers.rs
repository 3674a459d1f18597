//! Programs that open a file or a page with the program that its user prefers.

use crate::command::argument::{Arg, Arguments};
use crate::command::knowledge::Role;
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;

use super::Call;

impl Machine<'_> {
    /// A browser opens a page, and a viewer a document. Any other operand may start any program.
    pub(super) fn open(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        let shows = arguments.options.is_empty() && !arguments.operands.is_empty();
        let is_shown = |word: &Arg| is_page(word) || is_document(word) && !self.may_be_another_file(word);
        if !shows || !arguments.operands.iter().all(is_shown) {
            return self.given(call.entry, call.words, &arguments, io);
        }
        for word in &arguments.operands {
            if is_page(word) {
                self.connect(word);
            } else {
                self.path(Role::Read, word);
            }
        }
        Stream::nothing()
    }

    /// The session made the file a link or a copy, or wrote it without a record: its name says nothing of what it is.
    fn may_be_another_file(&self, word: &Arg) -> bool {
        let (target, certainty) = self.world.locate_word(word);
        let is_link = !self.world.originals(&target.path, certainty).is_empty();
        is_link || self.world.is_written(&target) && self.world.content_of(word).text().is_none()
    }
}

/// Endings of files that systems show and do not run, whichever program their user prefers.
const DOCUMENTS: &[&str] = &[
    "avif", "csv", "gif", "ico", "jpeg", "jpg", "json", "log", "m4a", "md", "mov", "mp3", "mp4", "pdf", "png", "tiff",
    "tsv", "txt", "wav", "webm", "webp",
];

fn is_document(word: &Arg) -> bool {
    let name = word.literal().filter(|text| !text.contains(':'));
    let ending = name.and_then(|text| text.rsplit(['/', '\\']).next()?.rsplit_once('.'));
    ending.is_some_and(|(stem, ending)| !stem.is_empty() && DOCUMENTS.contains(&ending.to_ascii_lowercase().as_str()))
}

fn is_page(word: &Arg) -> bool {
    word.literal().is_some_and(|text| text.starts_with("http://") || text.starts_with("https://"))
}

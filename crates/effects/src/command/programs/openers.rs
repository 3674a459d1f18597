//! Programs that open a file or a page with the program that its user prefers.

use crate::command::argument::{Arg, Arguments};
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;

use super::Call;

impl Machine<'_> {
    /// A browser opens a page. Any other operand may start any program.
    pub(super) fn open(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        let shows_pages = arguments.options.is_empty() && !arguments.operands.is_empty();
        if !shows_pages || !arguments.operands.iter().all(is_page) {
            return self.given(call.entry, call.words, &arguments, io);
        }
        for page in &arguments.operands {
            self.connect(page);
        }
        Stream::nothing()
    }
}

fn is_page(word: &Arg) -> bool {
    word.literal().is_some_and(|text| text.starts_with("http://") || text.starts_with("https://"))
}

//! Files that list what is touched: names of files, hosts, pages.

use super::argument::Arg;
use super::knowledge::Role;
use super::machine::Machine;
use super::simple::Io;
use super::stream::Stream;
use crate::{About, Reason};

/// Names of one list that are looked at.
const MOST: usize = 1_000;

impl Machine<'_> {
    /// `wc --files0-from LIST`: the files that the list names are read.
    pub(super) fn listed_files(&mut self, list: &Arg, io: &Io<'_>) {
        match self.list(list, io) {
            Stream::Known(text) => {
                for name in self.at_most(MOST, names(&text)) {
                    self.path(Role::Read, &Arg::exact(name));
                }
            }
            Stream::Names(names) => names.iter().for_each(|name| self.path(Role::Read, name)),
            _ => self.opaque(About::Reads, Reason::ListedFiles, &[]),
        }
    }

    /// `nmap -iL LIST`: the hosts and URLs that the list names are contacted.
    pub(super) fn listed_hosts(&mut self, list: &Arg, io: &mut Io<'_>) {
        match self.list(list, io) {
            Stream::Known(text) => {
                for name in self.at_most(MOST, names(&text)) {
                    self.role(Role::Host, &Arg::exact(name), io);
                }
            }
            _ => self.connect_to(None, None),
        }
    }

    fn list(&mut self, list: &Arg, io: &Io<'_>) -> Stream {
        if list.text == "-" {
            return io.input.clone();
        }
        if let Some(printed) = self.process_output(list) {
            return printed;
        }
        self.path(Role::Read, list);
        self.world.content_of(list)
    }

    /// `lynx PAGE`: a URL, or a file. A browser takes a name without a scheme for a file, if there is one.
    pub(super) fn page(&mut self, page: &Arg) {
        let text = page.text.as_str();
        let is_url = text.contains("://");
        let ending = text.rsplit_once('.').map_or("", |(_, ending)| ending);
        let is_file = !is_url && (text.starts_with(['.', '/', '~']) || matches!(ending, "html" | "htm"));
        if !is_file {
            self.connect(page);
        }
        if is_file {
            self.path(Role::Read, page);
        } else if !is_url {
            self.possible_path(Role::Read, page);
        }
    }
}

fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(['\0', '\n']).map(str::trim).filter(|name| !name.is_empty())
}

//! Build runners, and `openssl`.

use crate::command::argument::Known;
use crate::command::knowledge::Role;
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::{About, Certainty, Reason};

use super::Call;
use super::wrappers::is_name;

impl Machine<'_> {
    /// `make`, `just` and the like: the project says what runs; a file named by option is read, too.
    pub(super) fn build(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let program = call.words.first().map_or("", |word| word.text.as_str()).to_owned();
        if matches!(call.name, "make" | "gmake") {
            let home = self.world.cwd().map(str::to_owned);
            for pair in call.rest.windows(2) {
                if let [option, directory] = pair
                    && matches!(option.literal(), Some("-C" | "--directory"))
                {
                    self.world.enter_word(directory);
                }
            }
            for pair in call.rest.windows(2) {
                if let [option, value] = pair
                    && matches!(option.literal(), Some("-f" | "--file" | "--makefile"))
                {
                    self.path(Role::Read, value);
                }
            }
            self.world.set_cwd(home);
            for word in call.rest {
                let Some((name, value)) = word.after('=').filter(|(name, _)| is_name(name)) else { continue };
                // What recipes run gets the variables of the command line.
                self.environment(&word.with(name.as_str()), Certainty::Exact);
                if name == "SHELL" {
                    self.env_injection("SHELL", Some(&value), io.scope);
                }
            }
        }
        let about = self.world.about_project(call.words);
        self.opaque(about, Reason::RunsBuild, &[&program]);
        Stream::Unknown
    }

    pub(super) fn openssl(&mut self, call: Call<'_>, io: &Io<'_>) -> Stream {
        let mut left = call.rest.iter();
        let sub = left.next().map_or("", |word| word.text.as_str());
        let mut read_any = false;
        while let Some(word) = left.next() {
            match word.literal() {
                Some(
                    "-in" | "-inkey" | "-CAfile" | "-CA" | "-CAkey" | "-key" | "-cert" | "-config" | "-extfile"
                    | "-passin" | "-kfile" | "-verify" | "-signature" | "-sign" | "-prverify" | "-certfile" | "-rand"
                    | "-untrusted" | "-CApath" | "-pass" | "-passout",
                ) => {
                    let Some(value) = left.next() else { break };
                    let is_pass = word.text.starts_with("-pass");
                    match value.after(':') {
                        Some((kind, file)) if is_pass && kind == "file" => self.path(Role::Read, &file),
                        _ if is_pass => {}
                        _ => self.path(Role::Read, value),
                    }
                }
                Some("-out" | "-keyout" | "-CAserial" | "-writerand" | "-sigout") => {
                    if let Some(value) = left.next() {
                        self.path(Role::Write, value);
                    }
                }
                Some("-connect" | "-host" | "-proxy") => {
                    if let Some(value) = left.next() {
                        let (host, port) = value.text.rsplit_once(':').unwrap_or((&value.text, ""));
                        self.connect_host(&value.with(host), port.parse().ok(), Some("tls"));
                    }
                }
                Some("-provider" | "-engine" | "-provider-path") => {
                    left.next();
                    self.opaque(About::Anything, Reason::LoadsCode, &[]);
                }
                Some(text) if text.starts_with('-') => {}
                _ if matches!(sub, "dgst" | "sha1" | "sha256" | "sha512" | "md5" | "verify" | "base64")
                    || word.known != Known::Exact =>
                {
                    read_any = true;
                    self.path(Role::Read, word);
                }
                _ => {}
            }
        }
        if read_any { Stream::Unknown } else { Self::openssl_output(call, io.input) }
    }
}

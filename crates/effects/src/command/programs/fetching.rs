//! `curl`, `wget` and other clients that fetch URLs.

use agent_strace_shell::Provenance;

use crate::command::argument::{Arg, Arguments, Given};
use crate::command::knowledge::{Entry, OptionRole, Role};
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::{About, Reason};

use super::Call;

const CURL_VALUES: &str = "-A --user-agent -e --referer -X --request -u --user -m --max-time --connect-timeout --retry \
--retry-delay --retry-max-time -r --range -y -Y -z --time-cond --limit-rate --max-filesize --cert-type --key-type \
--ciphers --interface --keepalive-time --local-port --max-redirs -P --ftp-port --ftp-method --proto --proto-default --pass -Q --quote \
--resolve --data-raw --oauth2-bearer --aws-sigv4 --tls-max --tls13-ciphers --dns-servers --happy-eyeballs-timeout-ms -U --proxy-user \
--noproxy -t --telnet-option --tftp-blksize --create-file-mode --expect100-timeout --form-string --json-raw --parallel-max --rate \
--login-options --mail-from --mail-rcpt --service-name --speed-limit --speed-time --url-query --variable -C --continue-at --engine";

impl Machine<'_> {
    pub(super) fn curl(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(&curl_options(), call.rest);
        let directory = arguments.values(&["--output-dir"]).next();
        for option in &arguments.options {
            let Some(value) = &option.value else { continue };
            let is_placed = directory.is_some() && matches!(option.name.as_str(), "-o" | "--output");
            if !is_placed {
                self.curl_option(option, value, io);
            }
        }
        for url in &arguments.operands {
            self.curl_url(url);
        }
        if let Some(directory) = directory {
            self.path(Role::WriteTree, directory);
            let named = arguments.values(&["-o", "--output"]).cloned();
            let placed = named.chain(arguments.operands.iter().filter_map(remote_file));
            placed.for_each(|file| self.world.fetched(&inside(directory, &file)));
        } else if arguments.has(&["-O", "--remote-name", "--remote-name-all", "-J", "--remote-header-name"]) {
            for url in &arguments.operands {
                self.remote_name(url);
                if arguments.has(&["-J", "--remote-header-name"]) {
                    // The server may name the file.
                    self.path(Role::Write, &Arg::glob("*"));
                }
            }
        }
        if arguments.has(&["-L", "--location", "--location-trusted"]) {
            self.connect_to(None, None);
        }
        let printed = match directory {
            Some(_) => arguments.values(&["-o", "--output"]).any(is_standard_output),
            None => self.fetched(&arguments, &["-o", "--output"]),
        };
        let named = arguments.has(&["-o", "--output", "-O", "--remote-name", "--remote-name-all"]);
        if named && !printed { Stream::nothing() } else { Stream::Foreign(Provenance::Network) }
    }

    fn curl_option(&mut self, option: &Given, value: &Arg, io: &mut Io<'_>) {
        match option.name.as_str() {
            "--data-urlencode" | "--url-query" | "--variable" => {
                // `NAME@FILE`; what follows `=` is content.
                if let Some((_, file)) = value.after('@').filter(|(name, _)| !name.contains('=')) {
                    self.path(Role::Read, &file);
                }
            }
            "-F" | "--form" => self.form(value),
            "-b" | "--cookie" if !value.text.contains('=') => self.path(Role::Read, value),
            "-K" | "--config" => {
                self.path(Role::Read, value);
                self.opaque(About::Anything, Reason::OptionsFile, &[]);
            }
            "--connect-to" | "--resolve" => self.redirected_host(value, 2),
            _ => {
                if let Some(role) = option.role {
                    self.role(role, value, io);
                }
            }
        }
    }

    /// The files that these options name hold what came from another host. Returns whether one is standard output.
    fn fetched(&mut self, arguments: &Arguments, names: &[&str]) -> bool {
        let mut printed = false;
        for file in arguments.values(names) {
            if is_standard_output(file) {
                printed = true;
            } else {
                self.world.fetched(file);
            }
        }
        printed
    }

    /// curl expands `{a,b}` and `[1-9]` itself.
    fn curl_url(&mut self, url: &Arg) {
        let authority = url.text.split("://").last().unwrap_or_default().split('/').next().unwrap_or_default();
        let expands = url.is_exact() && (authority.contains('{') || authority.contains('[') && authority.contains('-'));
        if expands {
            self.connect_to(None, None);
        } else {
            self.connect(url);
        }
    }

    /// `name=@file;type=…`, `name=<file`.
    fn form(&mut self, value: &Arg) {
        let Some((_, content)) = value.after('=') else { return };
        if let Some(files) = content.text.strip_prefix(['@', '<']) {
            let files = files.split(';').next().unwrap_or(files);
            for file in files.split(',') {
                self.path(Role::Read, &value.with(file.trim_matches('"')));
            }
        } else if content.text.starts_with('@') {
            self.path(Role::Read, &content);
        }
    }

    /// `HOST:PORT:HOST2:PORT2`, `HOST:PORT:ADDRESS`.
    fn redirected_host(&mut self, value: &Arg, skip: usize) {
        let text = value.text.as_str();
        let host = match (text.rfind('['), text.rfind(']')) {
            (Some(start), Some(end)) if start < end && end + 1 >= text.len() => {
                text.get(start + 1..end).unwrap_or_default()
            }
            _ => text.split(':').nth(skip).unwrap_or_default(),
        };
        for host in host.split(',').filter(|host| !host.is_empty()) {
            self.connect_host(&value.with(host), None, None);
        }
    }

    /// The file has the name of the last part of the URL.
    fn remote_name(&mut self, url: &Arg) {
        let target = remote_file(url).unwrap_or_else(|| Arg::glob("*"));
        self.path(Role::Write, &target);
        self.world.fetched(&target);
    }

    /// `aria2c -d DIRECTORY URL`
    pub(super) fn aria2(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        let cwd = self.world.cwd().map(str::to_owned);
        for directory in arguments.values(&["-d", "--dir"]) {
            self.path(Role::List, directory);
            self.world.enter_word(directory);
        }
        let output = self.given(call.entry, call.words, &arguments, io);
        if arguments.has_role(Role::Write) {
            self.fetched(&arguments, &["-o", "--out", "--output"]);
        } else {
            arguments.operands.iter().for_each(|url| self.remote_name(url));
        }
        self.world.set_cwd(cwd);
        output
    }

    pub(super) fn wget(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        self.options(&arguments, io);
        for file in arguments.values(&["-i", "--input-file"]) {
            if file.text != "-" {
                self.path(Role::Read, file);
            }
            self.connect_to(None, None);
        }
        for setting in arguments.values(&["-e", "--execute"]) {
            match setting.after('=') {
                Some((name, url)) if name.contains("proxy") => self.connect(&url.with(url.text.trim())),
                _ => self.opaque(About::Anything, Reason::ArbitrarySettings, &[]),
            }
        }
        for url in &arguments.operands {
            self.connect(url);
        }
        let named = arguments.has(&["-O", "--output-document", "-P", "--directory-prefix", "--spider"]);
        if !named {
            let recursive = arguments.has(&["-r", "--recursive", "-m", "--mirror", "-p", "--page-requisites"]);
            for url in &arguments.operands {
                if recursive { self.path(Role::WriteTree, &Arg::exact(".")) } else { self.remote_name(url) }
            }
        }
        for directory in arguments.values(&["-P", "--directory-prefix"]) {
            let files = arguments.operands.iter().filter_map(remote_file);
            files.for_each(|file| self.world.fetched(&inside(directory, &file)));
        }
        // It follows redirections unless it is told not to.
        let stays = arguments.values(&["--max-redirect"]).any(|value| value.text == "0");
        if !stays && !arguments.operands.is_empty() {
            self.connect_to(None, None);
        }
        let printed = self.fetched(&arguments, &["-O", "--output-document"]);
        if printed { Stream::Foreign(Provenance::Network) } else { Stream::nothing() }
    }

    pub(super) fn httpie(&mut self, call: Call<'_>) -> Stream {
        let mut url_seen = false;
        let mut left = call.rest.iter();
        while let Some(word) = left.next() {
            match word.literal() {
                Some("-o" | "--output" | "--session") => {
                    if let Some(file) = left.next() {
                        self.path(Role::Write, file);
                        self.world.fetched(file);
                    }
                }
                Some("-a" | "--auth" | "-A" | "--timeout" | "--verify" | "--cert") => {
                    left.next();
                }
                Some("--proxy") => {
                    if let Some(proxy) = left.next() {
                        self.connect_to(None, None);
                        let _ = proxy;
                    }
                }
                Some("--follow" | "-F") => self.connect_to(None, None),
                Some(text) if text.starts_with('-') => {}
                Some("GET" | "POST" | "PUT" | "DELETE" | "PATCH" | "HEAD" | "OPTIONS") => {}
                _ if !url_seen => {
                    url_seen = true;
                    let local = word.text.starts_with(':');
                    if local {
                        self.connect_host(&Arg::exact("localhost"), None, Some("http"));
                    } else {
                        self.connect(word);
                    }
                }
                _ => {
                    if let Some((_, file)) = word.after('@') {
                        self.path(Role::Read, &file);
                    }
                }
            }
        }
        Stream::Foreign(Provenance::Network)
    }
}

/// The file that a client names after the last part of the URL.
fn remote_file(url: &Arg) -> Option<Arg> {
    let path = url.text.split("://").last().unwrap_or_default();
    let path = path.split(['?', '#']).next().unwrap_or(path);
    let name = path.split_once('/')?.1.rsplit('/').next()?;
    (!name.is_empty()).then(|| url.with(name))
}

fn is_standard_output(file: &Arg) -> bool {
    matches!(file.literal(), Some("-" | "/dev/stdout" | "/dev/fd/1"))
}

/// A file in a directory; unknown where one of them is.
fn inside(directory: &Arg, file: &Arg) -> Arg {
    let path = format!("{}/{}", directory.text.trim_end_matches('/'), file.text);
    if file.is_exact() { directory.with(path) } else { file.with(path) }
}

fn curl_options() -> Entry {
    let mut entry = Entry::named("curl");
    let mut option = |names: &'static str, role| {
        entry.options.insert(names.into(), OptionRole { role, attached: false });
    };
    option(CURL_VALUES, Role::Value);
    option("--url", Role::Url);
    option(
        "-o --output -D --dump-header -c --cookie-jar --trace --trace-ascii --stderr --etag-save --hsts --alt-svc --libcurl",
        Role::Write,
    );
    option(
        "-T --upload-file -E --cert --key --cacert --capath --netrc-file --etag-compare --crlfile --pubkey --proxy-cacert",
        Role::Read,
    );
    option(
        "-H --header -w --write-out --proxy-header -d --data --data-ascii --data-binary --data-urlencode --json",
        Role::AtFile,
    );
    option("-b --cookie -F --form --output-dir --unix-socket --abstract-unix-socket", Role::Value);
    option("-K --config", Role::Value);
    option("-x --proxy --socks4 --socks4a --socks5 --socks5-hostname --preproxy --doh-url", Role::Url);
    option("--connect-to", Role::Value);
    entry
}

//! Runs objects of .NET that open a file or a connection when they are made.

use super::{Given, slashed};
use crate::command::argument::Arg;
use crate::command::knowledge::Role;
use crate::command::machine::Machine;
use crate::command::write_mode::WriteMode;

/// Types whose arguments are only values.
const VALUES: &[&str] = &[
    "uri",
    "version",
    "guid",
    "datetime",
    "timespan",
    "random",
    "string",
    "collections",
    "generic",
    "regex",
    "text.",
    "xml",
    "psobject",
    "pscredential",
    "securestring",
    "int",
    "bool",
    "hashtable",
    "fileinfo",
    "directoryinfo",
    "webclient",
    "httpclient",
    "processstartinfo",
    "exception",
    "smtpclient",
    "ipaddress",
    "ipendpoint",
    "networkcredential",
];

impl Machine<'_> {
    /// `New-Object TYPE ARGUMENTS…`
    pub(super) fn new_object(&mut self, given: &Given) {
        let named = given.value(&["-typename", "-comobject"]);
        let skip = usize::from(named.is_none());
        let Some(kind) = named.or(given.plain.first()).and_then(Arg::literal).map(str::to_ascii_lowercase) else {
            return;
        };
        let listed = given.named.iter().filter(|(name, _)| name == "-argumentlist" || name == "-args");
        let arguments: Vec<Arg> =
            listed.map(|(_, value)| value.clone()).chain(given.plain.iter().skip(skip).cloned()).collect();
        // `New-Object IO.StreamReader('x')` calls nothing: the brackets hold the arguments.
        self.constructed(kind.trim_end_matches("()"), &arguments);
    }

    /// `[TYPE]::new(…)`, `[TYPE]'…'`: what the object opens.
    pub(super) fn constructed(&mut self, kind: &str, arguments: &[Arg]) {
        let [first, rest @ ..] = arguments else { return };
        let word = |at: usize| rest.get(at).and_then(Arg::literal).unwrap_or_default().to_ascii_lowercase();
        match kind.rsplit('.').next().unwrap_or(kind) {
            "streamreader" | "stringcontentreader" | "xmltextreader" => self.object_file(Role::Read, first),
            "streamwriter" | "xmltextwriter" => self.powershell_output(first, WriteMode::Replace, None),
            "filestream" => {
                if word(0) != "open" || !matches!(word(1).as_str(), "" | "read") {
                    self.powershell_output(first, WriteMode::Append, None);
                }
                if matches!(word(0).as_str(), "" | "open" | "openorcreate" | "3" | "4") {
                    self.object_file(Role::Read, first);
                }
            }
            "tcpclient" | "udpclient" if !rest.is_empty() => self.connect_host(first, port(rest), None),
            "webproxy" => self.possible_connection(first),
            _ if VALUES.iter().any(|pure| kind.contains(pure)) => {}
            _ => {
                for argument in arguments {
                    self.possible_operand(&slashed(argument));
                }
            }
        }
    }

    /// `[TYPE]'…'` as one word.
    pub(super) fn cast(&mut self, word: &Arg) {
        let Some((kind, value)) = word.text.strip_prefix('[').and_then(|text| text.split_once(']')) else { return };
        if !value.is_empty() {
            self.constructed(&kind.to_ascii_lowercase(), &[word.with(value)]);
        }
    }

    /// The method of files that a lister named; `false`: it does nothing to them that is known, or there are none.
    pub(super) fn object_method(&mut self, name: &str, objects: &[Arg], arguments: &[Arg]) -> bool {
        let (role, to) = match name {
            "delete" => (Role::DeleteTree, None),
            "moveto" => (Role::Delete, Some(Role::Write)),
            "copyto" | "replace" => (Role::Read, Some(Role::Write)),
            "opentext" | "openread" | "open" => (Role::Read, None),
            "openwrite" | "appendtext" | "createtext" | "create" | "setaccesscontrol" => (Role::Write, None),
            "getfiles" | "getdirectories" | "getfilesysteminfos" | "enumeratefiles" => (Role::ListTree, None),
            _ => return false,
        };
        for object in objects {
            self.path(role, &slashed(object));
        }
        if let (Some(role), Some(word)) = (to, arguments.first().filter(|_| !objects.is_empty())) {
            self.path(role, &slashed(word));
        }
        !objects.is_empty()
    }

    /// A file that a method opens, or a URL in its place.
    pub(super) fn object_file(&mut self, role: Role, word: &Arg) {
        if word.text.contains("://") {
            return self.connect(word);
        }
        self.reach(word);
        self.path(role, &slashed(word));
    }

    /// A path of another host (`\\host\share\x`) connects to it.
    pub(in crate::command::code) fn reach(&mut self, word: &Arg) {
        let text = word.text.replace('\\', "/");
        let Some((host, share)) = text.strip_prefix("//").and_then(|text| text.split_once('/')) else { return };
        let is_local =
            matches!(host.to_ascii_lowercase().as_str(), "." | "?" | "" | "wsl$" | "wsl.localhost" | "localhost");
        if word.is_exact() && !is_local && !share.starts_with('/') {
            self.connect_host(&Arg::exact(host.split('@').next().unwrap_or(host)), Some(445), Some("smb"));
        }
    }
}

fn port(words: &[Arg]) -> Option<u16> {
    words.first()?.literal()?.parse().ok()
}

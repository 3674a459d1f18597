//! Runs the methods of .NET that PowerShell text calls with literal arguments.

use super::{listed, slashed};
use crate::command::argument::Arg;
use crate::command::knowledge::Role;
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::write_mode::WriteMode;
use crate::{About, Reason};

const PURE_METHODS: &str = "tostring trim trimstart trimend split substring contains startswith endswith tolower toupper \
    indexof lastindexof gettype join add remove insert exists combine getfilename getextension getdirectoryname \
    getfullpath getrandomfilename gettempfilename isnullorempty isnullorwhitespace format parse frombase64string \
    tobase64string getbytes getstring matches match ismatch containskey addhours adddays now replace equals \
    getenvironmentvariable padleft padright toarray readtoend readtoendasync readline close dispose flush write writeline count where first last max min round";

const PURE_TYPES: &[&str] = &["math", "convert", "encoding", "datetime", "guid", "regex", "[string]", "[int]", "path]"];

impl Machine<'_> {
    /// `[IO.File]::WriteAllText(…)`, `….DownloadFile(…)`.
    pub(super) fn powershell_method(&mut self, method: &Arg, arguments: &[Arg], objects: &[Arg], io: &mut Io<'_>) {
        let whole = method.text.trim_end_matches("()").to_ascii_lowercase();
        let (holder, name) = whole.rsplit_once([':', '.']).unwrap_or(("", &whole));
        if self.object_method(name, objects, arguments) {
            return;
        }
        let directory = holder.contains("directory");
        let argument = |at: usize| arguments.get(at).cloned().unwrap_or_else(|| Arg::unknown("argument"));
        match name {
            "create" | "newscriptblock" | "invokescript" if runs_text(holder, name) => {
                let text = argument(0);
                match text.literal().map(str::to_owned) {
                    Some(text) => self.nested((), |machine| machine.powershell_text(&text, io)),
                    None => self.opaque(About::Anything, self.code_of(&text, Reason::UnknownCommandText), &[]),
                }
            }
            "new" => self.constructed(holder.trim_start_matches('[').trim_end_matches([':', ']']), arguments),
            "readalltext" | "readalllines" | "readallbytes" | "readlines" | "openread" | "opentext" => {
                self.object_file(Role::Read, &argument(0));
            }
            "create" if holder.contains("webrequest") => self.connect(&argument(0)),
            "connect" | "connectasync" | "beginconnect" | "gethostaddresses" | "gethostentry"
                if !arguments.is_empty() =>
            {
                self.connect_host(&argument(0), None, None);
            }
            "writealltext" | "writealllines" | "writeallbytes" | "createtext" | "create" | "openwrite"
            | "createdirectory" => {
                let text = arguments.get(1).and_then(Arg::literal).map(str::to_owned);
                self.powershell_output(&argument(0), WriteMode::Replace, text.as_deref());
            }
            "appendalltext" | "appendalllines" | "appendtext" => {
                let text = arguments.get(1).and_then(Arg::literal).map(str::to_owned);
                self.powershell_output(&argument(0), WriteMode::Append, text.as_deref());
            }
            "setenvironmentvariable" => self.exported(&argument(0), arguments.get(1), io.scope),
            "delete" => self.path(if directory { Role::DeleteTree } else { Role::Delete }, &argument(0)),
            "copy" | "move" | "replace" if holder.contains("file") || directory => {
                self.path(if name == "copy" { Role::ReadTree } else { Role::DeleteTree }, &argument(0));
                self.path(Role::WriteTree, &argument(1));
            }
            "getfiles" | "getdirectories" | "enumeratefiles" | "getfilesystementries" => {
                self.path(Role::ListTree, &argument(0));
            }
            "downloadfile" | "uploadfile" => {
                self.connect(&argument(0));
                self.path(if name == "downloadfile" { Role::Write } else { Role::Read }, &argument(1));
            }
            "downloadstring" | "downloaddata" | "uploadstring" | "getasync" | "getstringasync" => {
                self.connect(&argument(0));
            }
            "start" if holder.contains("process") => {
                let words: Vec<Arg> = arguments.iter().flat_map(Self::split_command).collect();
                self.command(&words, io);
            }
            _ if listed(PURE_METHODS, name) || PURE_TYPES.iter().any(|pure| holder.contains(pure)) => {}
            _ => {
                self.opaque(About::Anything, Reason::UnknownPowerShellMethod, &[]);
                for argument in arguments {
                    self.possible_operand(&slashed(argument));
                }
            }
        }
    }
}

/// The method makes a program of its first argument.
fn runs_text(holder: &str, name: &str) -> bool {
    name != "create" || holder.contains("scriptblock")
}

//! Programs that pack or unpack single files: `gzip`, `xz`, `zstd`, `lz4`.

use agent_strace_shell::Provenance;

use crate::command::argument::{Arg, Arguments, Known};
use crate::command::knowledge::Role;
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::{About, Reason};

use super::Call;

impl Machine<'_> {
    pub(super) fn compress(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        let tree = arguments.has(&["-r", "--recursive"]);
        let only_reads = only_reads(call.name, &arguments);
        let named = arguments.has_role(Role::Write) || arguments.has_role(Role::WriteTree);
        let removes = removes_input(call.name, &arguments);
        self.options(&arguments, io);
        if arguments.has_role(Role::Names) && !only_reads {
            self.opaque(About::Writes, Reason::ListedFiles, &[]);
        }
        let (files, output) = output_operand(call.name, &arguments);
        if let Some(output) = output.filter(|_| !only_reads) {
            self.path(Role::Write, output);
        }
        let named = named || output.is_some();
        for file in files {
            self.path(if tree { Role::ReadTree } else { Role::Read }, file);
            if only_reads {
                continue;
            }
            if !named {
                let (other, known) = partner(call.name, file);
                let other = if tree { file.clone() } else { Arg { text: other, known, ..file.clone() } };
                let from_elsewhere = self.world.content_of(file).provenance() == Some(Provenance::Network);
                self.path(if tree { Role::WriteTree } else { Role::Write }, &other);
                if from_elsewhere && !tree {
                    self.world.fetched(&other);
                }
                if tree {
                    let (text, known) = partner(call.name, file);
                    self.path(Role::Write, &Arg { text, known, ..file.clone() });
                }
            }
            if removes {
                self.path(if tree { Role::DeleteTree } else { Role::Delete }, file);
            }
        }
        let unpacks = call.name.starts_with("un")
            || call.name.ends_with("cat")
            || ["gunzip", "bunzip2", "pbunzip2", "lunzip"].contains(&call.name)
            || arguments.has(&["-d", "--decompress", "--uncompress"]);
        if unpacks {
            return if arguments.operands.is_empty() {
                io.input.decoded()
            } else {
                Stream::Foreign(Provenance::Decoded)
            };
        }
        Stream::Unknown
    }
}

/// Divides the operands into those that are packed or unpacked and the one that is written to: `lz4 FILE OUTPUT`.
fn output_operand<'a>(program: &str, arguments: &'a Arguments) -> (&'a [Arg], Option<&'a Arg>) {
    let several = arguments.has(&["-m", "--multiple", "-r"]);
    match arguments.operands.as_slice() {
        [file, output] if matches!(program, "lz4" | "unlz4") && !several => (std::slice::from_ref(file), Some(output)),
        files => (files, None),
    }
}

/// It prints, tests or lists. To some of them these letters mean other things.
fn only_reads(program: &str, arguments: &Arguments) -> bool {
    let letters: &[&str] = match program {
        "lrzip" | "lrunzip" => &["-t", "-i", "--info"],
        "lz4" | "unlz4" | "pbzip2" => &["-c", "-t"],
        _ => &["-c", "-t", "-l"],
    };
    arguments.has(&["--stdout", "--to-stdout", "--test", "--list"]) || arguments.has(letters)
}

/// What it packs or unpacks goes or stays, as the last option about it says.
fn removes_input(program: &str, arguments: &Arguments) -> bool {
    let removing: &[&str] = match program {
        "lrzip" | "lrunzip" => &["-D", "--delete"],
        "lzop" => &["-U", "--delete"],
        _ => &["--rm", "-j"],
    };
    let last = |names: &[&str]| arguments.options.iter().rposition(|option| names.contains(&option.name.as_str()));
    match (last(removing), last(&["-k", "--keep"])) {
        (Some(removed), Some(kept)) => removed > kept,
        (Some(_), None) => true,
        (None, Some(_)) => false,
        (None, None) => {
            !matches!(program, "zstd" | "unzstd" | "lz4" | "unlz4" | "brotli" | "lzop" | "zopfli" | "lrzip" | "lrunzip")
        }
    }
}

/// The file on the other side: `x` ↔ `x.gz`.
fn partner(program: &str, file: &Arg) -> (String, Known) {
    let endings = [".gz", ".bz2", ".xz", ".lzma", ".zst", ".lz4", ".br", ".Z", ".tgz", ".lz", ".lzo", ".bz3", ".lrz"];
    let stripped = endings.iter().find_map(|ending| file.text.strip_suffix(ending));
    let text = match (stripped, program) {
        (Some(stem), _) => stem.to_owned(),
        (None, "gzip" | "pigz" | "zopfli") => format!("{}.gz", file.text),
        (None, "bzip2" | "pbzip2") => format!("{}.bz2", file.text),
        (None, "xz" | "pxz") => format!("{}.xz", file.text),
        (None, "zstd") => format!("{}.zst", file.text),
        (None, "lz4") => format!("{}.lz4", file.text),
        (None, "brotli") => format!("{}.br", file.text),
        (None, "lzma") => format!("{}.lzma", file.text),
        (None, "compress") => format!("{}.Z", file.text),
        (None, "bzip3") => format!("{}.bz3", file.text),
        (None, "lzip") => format!("{}.lz", file.text),
        (None, "lzop") => format!("{}.lzo", file.text),
        (None, "lrzip") => format!("{}.lrz", file.text),
        (None, _) => file.text.clone(),
    };
    (text, file.known)
}

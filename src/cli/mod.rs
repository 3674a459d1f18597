//! Arguments, files, exit codes. The only module that prints.

use std::ffi::OsString;
use std::io::{Read, Write};

pub(crate) fn run(
    args: impl IntoIterator<Item = OsString>,
    stdin: &mut dyn Read,
    stdout: &mut dyn Write,
    stderr: &mut dyn Write,
) -> u8 {
    let _ = (args.into_iter().count(), stdin, stdout, stderr);
    2
}

//! Reads the policy file. With [`mod@file`] the only part of `policy` that touches the file system.

use std::io::{self, Read as _};
use std::path::Path;

use super::diagnostics::quoted;
use super::file;
use super::parse::nearest;
use super::{Diagnostics, Policy};

/// A policy of a thousand patterns takes a tenth of it.
const LARGEST: u64 = 4 * 1024 * 1024;

/// Reads a policy that was asked for: that it is not there is a fault.
pub fn load_file(path: &Path) -> Result<Policy, Diagnostics> {
    let beside = |path: &str| match read_file(Path::new(path)) {
        Ok(bytes) => Ok(bytes),
        Err(faults) => Err(faults.of_whole_file().map_or_else(String::new, |fault| fault.message.clone())),
    };
    Policy::from_source(&shown(path), None, &read_file(path)?, &beside)
}

/// The text of a policy file, whatever stands in it.
pub fn read_text(path: &Path) -> Result<String, Diagnostics> {
    text(&shown(path), &read_file(path)?).map(str::to_owned)
}

/// The same from standard input.
pub fn read_text_from(input: &mut dyn io::Read) -> Result<String, Diagnostics> {
    text("-", &read_limited("-", input)?).map(str::to_owned)
}

/// Bytes of a policy as text.
pub fn text<'a>(shown: &str, bytes: &'a [u8]) -> Result<&'a str, Diagnostics> {
    std::str::from_utf8(bytes).map_err(|error| {
        let message = format!("byte {} is not UTF-8 text", error.valid_up_to() + 1);
        Diagnostics::whole_file(shown, message, Some("save the policy as UTF-8".to_owned()))
    })
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

fn read_file(path: &Path) -> Result<Vec<u8>, Diagnostics> {
    let shown = shown(path);
    match file::open(path) {
        Ok(mut file) => read_limited(&shown, &mut file),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let help = near_file(path).map(|near| format!("did you mean {}?", quoted(&near)));
            Err(Diagnostics::whole_file(&shown, "there is no such policy file".to_owned(), help))
        }
        Err(error) => Err(unreadable(&shown, &error)),
    }
}

fn read_limited(shown: &str, input: &mut dyn io::Read) -> Result<Vec<u8>, Diagnostics> {
    let mut bytes = Vec::new();
    match input.take(LARGEST + 1).read_to_end(&mut bytes) {
        Ok(_) if bytes.len() as u64 > LARGEST => {
            Err(Diagnostics::whole_file(shown, format!("the policy is larger than {LARGEST} bytes"), None))
        }
        Ok(_) => Ok(bytes),
        Err(error) => Err(unreadable(shown, &error)),
    }
}

fn unreadable(shown: &str, error: &io::Error) -> Diagnostics {
    Diagnostics::whole_file(shown, format!("can't read the policy: {}", file::reason(error)), None)
}

/// A file of the same folder that is called almost like it.
fn near_file(path: &Path) -> Option<String> {
    let wanted = path.file_name()?.to_string_lossy().into_owned();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut names: Vec<String> = folder
        .read_dir()
        .ok()?
        .take(10_000)
        .filter_map(Result::ok)
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let candidates: Vec<&str> = names.iter().map(String::as_str).collect();
    nearest(&wanted, &candidates).map(|name| path.with_file_name(name).to_string_lossy().into_owned())
}

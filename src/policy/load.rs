//! Reads the policy file. The only part of `policy` that touches the file system.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use super::diagnostics::quoted;
use super::parse::nearest;
use super::{Diagnostics, Policy};

/// A policy of a thousand patterns takes a tenth of it.
const LARGEST: u64 = 4 * 1024 * 1024;

/// Reads a policy that was asked for: that it is not there is a fault.
pub(crate) fn load_file(path: &Path) -> Result<Policy, Diagnostics> {
    let shown = path.to_string_lossy().replace('\\', "/");
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes));
    match read {
        Ok(_) if bytes.len() as u64 > LARGEST => {
            Err(Diagnostics::whole_file(&shown, format!("the policy is larger than {LARGEST} bytes"), None))
        }
        Ok(_) => Policy::from_bytes(&shown, None, &bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let help = near_file(path).map(|near| format!("did you mean {}?", quoted(&near)));
            Err(Diagnostics::whole_file(&shown, "there is no such policy file".to_owned(), help))
        }
        Err(error) => Err(Diagnostics::whole_file(&shown, format!("can't read the policy: {}", error.kind()), None)),
    }
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

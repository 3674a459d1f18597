//! `reveal`: an export with what its pseudonyms stand for, for who has the key.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use clap::Args;

use super::super::Streams;
use super::super::failure::{Failure, reason};
use super::super::output;
use super::{key_file, options};

pub(in crate::cli) const EXAMPLES: &str = "\
Examples:
  agent-strace reveal --key-file team.key trace-anon.json                    with trace-anon.json.vault
  agent-strace reveal --key-file team.key --vault team.vault notes.md --output notes-plain.md

Any text works: an answer to a trace that was sent away has its pseudonyms in it, too. Each becomes the
value that it stands for, in its plain spelling; secrets stay what they are, nobody kept them.

Exit code 3: pseudonyms are left that the vault does not hold.";

/// Bytes of a text with pseudonyms in it.
const LARGEST: u64 = 1 << 30;

#[derive(Debug, Args)]
pub(in crate::cli) struct RevealArgs {
    /// What has pseudonyms in it, or `-`.
    #[arg(value_name = "PATH")]
    path: PathBuf,

    /// The key that they were made with.
    #[arg(long, value_name = "FILE")]
    key_file: PathBuf,

    /// What `export --reversible` or `--vault` wrote [default: PATH.vault].
    #[arg(long, value_name = "FILE")]
    vault: Option<PathBuf>,

    /// Where to write [default: standard output].
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(in crate::cli) fn run(args: &RevealArgs, streams: &mut Streams<'_>) -> Result<u8, Failure> {
    let key = key_file::read(&args.key_file)?;
    let is_stdin = args.path.as_os_str() == "-";
    let vault = match &args.vault {
        Some(path) => path.clone(),
        None if is_stdin => return Err(Failure::new("`-` has no vault beside it").hint("`--vault FILE` names it")),
        None => options::beside(&args.path),
    };
    let vault = options::open_vault(&vault, &key)?;
    let bytes = read(&args.path, streams)?;
    let revealed = vault.reveal(&bytes).map_err(|error| unreadable(&args.path, &error))?;
    let Ok(text) = String::from_utf8(revealed.bytes) else {
        return Err(Failure::new(format!("`{}` is no text", args.path.display())));
    };
    match &args.output {
        Some(path) => output::write(path, &text)?,
        None => output::print(streams.stdout, &text)?,
    }
    let found = if revealed.known == 1 { "1 place".to_owned() } else { format!("{} places", revealed.known) };
    let unknown = match revealed.unknown {
        0 => String::new(),
        1 => "; 1 pseudonym is not in this vault".to_owned(),
        count => format!("; {count} pseudonyms are not in this vault"),
    };
    output::note(streams.stderr, &format!("revealed {found}{unknown}"));
    Ok(if revealed.unknown == 0 { 0 } else { 3 })
}

fn read(path: &Path, streams: &mut Streams<'_>) -> Result<Vec<u8>, Failure> {
    let too_large = || Failure::new(format!("`{}` is no plain file, or too large to be an export", path.display()));
    let failed = |error: std::io::Error| unreadable(path, &error);
    if path.as_os_str() != "-" {
        let found = path.metadata().map_err(failed)?;
        let is_fit = found.is_file() && found.len() <= LARGEST;
        return if is_fit { std::fs::read(path).map_err(failed) } else { Err(too_large()) };
    }
    let mut bytes = Vec::new();
    std::io::Read::take(&mut *streams.stdin, LARGEST + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > LARGEST { Err(too_large()) } else { Ok(bytes) }
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("can't read `{}`: {}", path.display(), reason(error)))
}

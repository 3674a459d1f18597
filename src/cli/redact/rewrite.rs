//! `redact`: writes logs without their private data.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, ErrorKind, Read, Write};
use std::path::{Component, Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use rayon::prelude::*;

use super::super::Streams;
use super::super::failure::{Failure, reason};
use super::super::output;
use super::RedactArgs;
use super::detector::Redactor;
use super::open::{self, Carrier, Opened, unreadable};
use super::row::Counts;
use super::targets::{Source, Target, Targets, shown};
use agent_strace_report::terminal;
use agent_strace_secrets::stream::{self, Finding, Sink};

/// The destination of a log.
enum Destination {
    Stdout,
    /// A new file, or an old one that may be overwritten.
    File(PathBuf),
    /// The same in a folder, which nothing may leave.
    Below(PathBuf, PathBuf),
    /// The file itself.
    Same(PathBuf),
}

/// The outcome for one log.
struct RewrittenLog {
    counts: Counts,
    carrier: Carrier,
}

pub(super) fn run(
    targets: &Targets,
    wanted: &Redactor,
    args: &RedactArgs,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let destinations = destinations(targets, wanted, args)?;
    let pairs: Vec<(&Target, Destination)> = targets.files.iter().zip(destinations).collect();
    let at_once =
        |(target, destination): &(&Target, Destination)| one(target, destination, args.force, wanted, None, None);
    let results: Vec<Result<RewrittenLog, String>> =
        if pairs.iter().any(|(target, destination)| is_stream(target, destination)) {
            pairs
                .iter()
                .map(|(target, destination)| {
                    one(target, destination, args.force, wanted, Some(&mut *streams.stdin), Some(&mut *streams.stdout))
                })
                .collect()
        } else {
            pairs.par_iter().map(at_once).collect()
        };
    Ok(tell(targets, &pairs, &results, streams))
}

fn is_stream(target: &Target, destination: &Destination) -> bool {
    target.source == Source::Stdin || matches!(destination, Destination::Stdout)
}

/// Where everything goes, decided before anything is written.
fn destinations(targets: &Targets, wanted: &Redactor, args: &RedactArgs) -> Result<Vec<Destination>, Failure> {
    if args.in_place {
        return targets.files.iter().map(in_place).collect();
    }
    let Some(output) = &args.output else {
        if targets.several {
            return Err(Failure::new("several logs need a place to go to")
                .hint("`--output DIR` writes them into a folder, `--in-place` replaces the files themselves"));
        }
        return Ok(targets.files.iter().map(|_| Destination::Stdout).collect());
    };
    if !targets.several && !output.is_dir() {
        return Ok(vec![Destination::File(output.clone())]);
    }
    if output.symlink_metadata().is_ok_and(|found| !found.is_dir()) {
        return Err(Failure::new(format!("`{}` is no folder, and several logs don't go into a file", shown(output))));
    }
    let mut taken = BTreeSet::new();
    let destination = |target: &Target| {
        let below = distinct(&redacted(wanted, &target.below), &mut taken);
        Destination::Below(output.clone(), output.join(below))
    };
    Ok(targets.files.iter().map(destination).collect())
}

fn in_place(target: &Target) -> Result<Destination, Failure> {
    let Source::File(path) = &target.source else {
        return Err(Failure::new("`-` has no place: standard input can't be replaced"));
    };
    match path.symlink_metadata() {
        Ok(found) if found.is_symlink() => {
            Err(Failure::new(format!("`{}` is a link: it is not replaced", shown(path)))
                .hint("name the file that it leads to"))
        }
        Ok(_) => Ok(Destination::Same(path.clone())),
        Err(error) => Err(Failure::new(format!("can't read `{}`: {}", shown(path), reason(&error)))),
    }
}

/// Redacts names of files, which may hold private data, too.
fn redacted(wanted: &Redactor, below: &Path) -> PathBuf {
    let parts = below.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name),
        _ => None,
    });
    let shown = parts.map(|name| match name.to_str() {
        Some(text) => stream::name(wanted, text).map_or_else(|| name.to_owned(), Into::into),
        // A name that is not UTF-8 is searched as lossy text. If something is found, the lossy text is used.
        None => stream::name(wanted, &name.to_string_lossy()).map_or_else(|| name.to_owned(), Into::into),
    });
    shown.collect()
}

/// Keeps names distinct that become equal by redaction.
fn distinct(path: &Path, taken: &mut BTreeSet<PathBuf>) -> PathBuf {
    let mut candidate = path.to_path_buf();
    let mut number = 2;
    while !taken.insert(candidate.clone()) {
        let (stem, extension) = (path.file_stem().unwrap_or_default(), path.extension());
        let mut name = stem.to_owned();
        name.push(format!("-{number}"));
        if let Some(extension) = extension {
            name.push(".");
            name.push(extension);
        }
        candidate = path.with_file_name(name);
        number += 1;
    }
    candidate
}

fn one(
    target: &Target,
    destination: &Destination,
    force: bool,
    wanted: &Redactor,
    stdin: Option<&mut dyn Read>,
    stdout: Option<&mut dyn Write>,
) -> Result<RewrittenLog, String> {
    let (opened, permissions) = match &target.source {
        Source::Stdin => (open::stream(stdin.ok_or("standard input is not here")?)?, None),
        Source::File(path) => {
            let found = path.metadata().map_err(|error| unreadable(&error))?;
            (open::file(path)?, Some(found.permissions()))
        }
    };
    if opened.carrier == Carrier::Zstd {
        return Err("compressed with zstd, which is read but not written: unpack it first".to_owned());
    }
    let (path, may_exist) = match destination {
        Destination::Stdout => {
            let stdout = stdout.ok_or("standard output is not here")?;
            return pass(opened, wanted, BufWriter::with_capacity(256 << 10, stdout)).map(|(written, _)| written);
        }
        Destination::File(path) => (path, force),
        Destination::Below(folder, path) => {
            refuse_to_leave(folder, path)?;
            (path, force)
        }
        Destination::Same(path) => (path, true),
    };
    refuse_to_overwrite(path, may_exist)?;
    let temporary = Temporary::beside(path)?;
    let (written, file) = pass(opened, wanted, BufWriter::with_capacity(256 << 10, temporary.file()?))?;
    drop(file);
    if matches!(destination, Destination::Same(_)) && written.counts.sum() == 0 {
        return Ok(written);
    }
    temporary.become_file(path, permissions)?;
    Ok(written)
}

/// Copies a log through the redactor.
fn pass<W: Write>(opened: Opened<'_>, wanted: &Redactor, out: W) -> Result<(RewrittenLog, W), String> {
    let Opened { carrier, mut reader } = opened;
    let (counts, mut out) = if carrier == Carrier::Gzip {
        let packer = GzEncoder::new(out, Compression::default());
        let (counts, packer) = Rewritten::fill(packer, &mut *reader, wanted)?;
        (counts, packer.finish().map_err(|error| unwritable(&error))?)
    } else {
        Rewritten::fill(out, &mut *reader, wanted)?
    };
    out.flush().map_err(|error| unwritable(&error))?;
    Ok((RewrittenLog { counts, carrier }, out))
}

struct Rewritten<W> {
    out: W,
    counts: Counts,
    /// It was the writer that failed, not the reader.
    is_broken: bool,
}

impl<W: Write> Rewritten<W> {
    fn fill(out: W, reader: &mut dyn Read, wanted: &Redactor) -> Result<(Counts, W), String> {
        let mut sink = Self { out, counts: Counts::default(), is_broken: false };
        match stream::rewrite(reader, wanted, &mut sink) {
            Ok(()) => Ok((sink.counts, sink.out)),
            Err(error) if sink.is_broken => Err(unwritable(&error)),
            Err(error) => Err(unreadable(&error)),
        }
    }
}

impl<W: Write> Sink for Rewritten<W> {
    fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        let written = self.out.write_all(bytes);
        self.is_broken |= written.is_err();
        written
    }

    fn found(&mut self, finding: &Finding<'_>) -> io::Result<()> {
        self.counts.count(finding);
        Ok(())
    }
}

fn unwritable(error: &io::Error) -> String {
    format!("can't be written: {}", reason(error))
}

fn refuse_to_overwrite(path: &Path, may_exist: bool) -> Result<(), String> {
    match path.symlink_metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(unwritable(&error)),
        Ok(found) if found.is_symlink() => {
            Err(format!("`{}` is a link, and nothing is written through one", shown(path)))
        }
        Ok(found) if !found.is_file() => Err(format!("`{}` is there and is no file", shown(path))),
        Ok(_) if may_exist => Ok(()),
        Ok(_) => Err(format!("`{}` exists: `--force` overwrites it", shown(path))),
    }
}

/// No folder on the way to a file may be a link to another one.
fn refuse_to_leave(folder: &Path, path: &Path) -> Result<(), String> {
    let between = path.ancestors().skip(1).take_while(|ancestor| *ancestor != folder);
    let linked = between.into_iter().find(|path| path.symlink_metadata().is_ok_and(|found| found.is_symlink()));
    match linked {
        Some(path) => Err(format!("`{}` is a link, and nothing is written through one", shown(path))),
        None => Ok(()),
    }
}

/// A file under a hidden name that takes its place when it is complete, and goes when it is not.
struct Temporary {
    path: PathBuf,
}

impl Temporary {
    fn beside(path: &Path) -> Result<Self, String> {
        const TRIES: u32 = 100;
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder).map_err(|error| unwritable(&error))?;
        }
        let name = path.file_name().ok_or("the output names no file")?.to_string_lossy();
        for attempt in 0..TRIES {
            let path = path.with_file_name(format!(".{name}.{}-{attempt}.tmp", std::process::id()));
            let mut options = OpenOptions::new();
            options.write(true).create_new(true);
            // Only the owner may read it until its permissions are set.
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            match options.open(&path) {
                Ok(_) => return Ok(Self { path }),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(unwritable(&error)),
            }
        }
        Err("no name for a temporary file is free".to_owned())
    }

    fn file(&self) -> Result<File, String> {
        OpenOptions::new().write(true).open(&self.path).map_err(|error| unwritable(&error))
    }

    fn become_file(self, path: &Path, permissions: Option<Permissions>) -> Result<(), String> {
        let result = self.file().and_then(|file| {
            let permitted = permissions.map_or(Ok(()), |permissions| file.set_permissions(permissions));
            permitted.and_then(|()| file.sync_all()).map_err(|error| unwritable(&error))
        });
        result.and_then(|()| fs::rename(&self.path, path).map_err(|error| unwritable(&error)))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // After a rename the file does not exist. If it can't be removed, it holds no private data.
        let _ = fs::remove_file(&self.path);
    }
}

/// Reports the replacements by rule, and the logs that were not rewritten.
fn tell(
    targets: &Targets,
    pairs: &[(&Target, Destination)],
    results: &[Result<RewrittenLog, String>],
    streams: &mut Streams<'_>,
) -> u8 {
    let (mut counts, mut changed, mut failed) = (Counts::default(), 0, 0);
    for ((target, _), result) in pairs.iter().zip(results) {
        match result {
            Ok(written) => {
                changed += usize::from(written.counts.sum() > 0);
                counts.add(&written.counts);
                if written.carrier == Carrier::Gzip {
                    output::note(
                        streams.stderr,
                        &terminal(&format!("note: {}: compressed with gzip again", target.shown())),
                    );
                }
            }
            Err(reason) => {
                failed += 1;
                let line = format!("error: {}: {reason}; it was not rewritten", target.shown());
                output::note(streams.stderr, &terminal(&line));
            }
        }
    }
    for gap in &targets.gaps {
        failed += 1;
        output::note(streams.stderr, &terminal(&format!("error: {}: {}; it was not rewritten", gap.file, gap.kind)));
    }
    let places = if counts.sum() == 1 { "place" } else { "places" };
    let files = if results.len() == 1 { "file" } else { "files" };
    let list = if counts.sum() == 0 { String::new() } else { format!(": {}", counts.by_rule()) };
    let line = format!("redacted {} {places} in {changed} of {} {files}{list}", counts.sum(), results.len());
    output::note(streams.stderr, &line);
    if failed > 0 { 2 } else { 0 }
}

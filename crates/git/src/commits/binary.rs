//! Commits through the `git` program.
//!
//! ```text
//! rev-list ──ids→ lister ─┬→ feeder ──ids→ diff-tree ──changes→ ┐
//!                         └→ feeder ──ids→ cat-file ──commits→  reader → each
//! ```
//!
//! All three programs work at the same time. The lister never waits for anything but `rev-list`, so neither of the
//! others waits for ids that are stuck behind what nobody reads yet: the ids queue up here, 41 bytes a commit. Commits
//! come from `cat-file` since `git log` ends a message at its first NUL and re-encodes it.

use std::io::{self, BufRead, BufReader, PipeWriter, Write};
use std::ops::ControlFlow;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use super::Id;
use super::batch::{Batch, Delivery};
use super::output::{self, token};
use super::program::{Program, cannot_run, complaints, failure};
use super::range::{Graph, Rule, Selection};
use super::raw::Raw;
use crate::GitError;

/// Bytes of ids that are passed on at once.
const PORTION: usize = 8 << 10;

const LIST: &[&str] = &["rev-list", "--stdin", "--timestamp", "--parents", "--"];
const CHANGES: &[&str] = &[
    "diff-tree",
    "--stdin",
    "--always",
    "--root",
    "-c",
    "-r",
    "-z",
    "--raw",
    "--no-abbrev",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-notes",
    "--ignore-submodules=none",
    "--",
];
const BYTES: &[&str] = &["cat-file", "--batch", "--buffer"];

pub(super) fn commits(
    program: &Program,
    selection: Selection,
    delivery: &mut Delivery<'_, '_>,
) -> Result<(), GitError> {
    if selection.starts.is_empty() {
        return Ok(());
    }
    let (complaining, complaint) = io::pipe().map_err(|error| cannot_run(&error))?;
    let mut running = Running::default();
    let (list, listed) = running.start(program, LIST, &complaint)?;
    let (compare, changes) = running.start(program, CHANGES, &complaint)?;
    let (ask, bytes) = running.start(program, BYTES, &complaint)?;
    drop(complaint);
    let (read, ended, complaints) = thread::scope(|scope| {
        let complaints = scope.spawn(move || complaints(complaining));
        let (ids, (first, second)) = ([channel(), channel()], (compare, ask));
        let [(to_compare, compared), (to_ask, asked)] = ids;
        scope.spawn(move || feed(&compared, first));
        scope.spawn(move || feed(&asked, second));
        scope.spawn(move || lister(&selection, list, listed, &[to_compare, to_ask]));
        let read = read(BufReader::with_capacity(1 << 16, changes), BufReader::with_capacity(1 << 16, bytes), delivery);
        // Whatever happened, nobody waits for anybody after this, and the threads end.
        let ended = if matches!(read, Ok(ControlFlow::Continue(()))) { running.end() } else { running.stop() };
        (read, ended, complaints.join().unwrap_or_default())
    });
    match read {
        Ok(ControlFlow::Break(())) => Ok(()),
        Ok(ControlFlow::Continue(())) if ended => Ok(()),
        Ok(ControlFlow::Continue(())) => Err(failure(&complaints)),
        Err(_) if !complaints.is_empty() => Err(failure(&complaints)),
        Err(error) => Err(GitError::Broken(format!("the `git` program says something unexpected: {error}"))),
    }
}

/// Programs that are stopped when this goes away.
#[derive(Default)]
struct Running(Vec<Child>);

impl Running {
    fn start(
        &mut self,
        program: &Program,
        arguments: &[&str],
        complaint: &PipeWriter,
    ) -> Result<(ChildStdin, ChildStdout), GitError> {
        let complaint = complaint.try_clone().map_err(|error| cannot_run(&error))?;
        let mut command = program.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(complaint);
        let mut child = command.spawn().map_err(|error| cannot_run(&error))?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        self.0.push(child);
        pipes.ok_or_else(|| GitError::Broken("the `git` program has no pipes".to_owned()))
    }

    /// Waits for all of them and says whether all succeeded.
    fn end(&mut self) -> bool {
        let statuses: Vec<_> = self.0.iter_mut().map(Child::wait).collect();
        self.0.clear();
        statuses.into_iter().all(|status| status.is_ok_and(|status| status.success()))
    }

    fn stop(&mut self) -> bool {
        for child in &mut self.0 {
            // One that has ended already can't be stopped, and needn't be.
            let _ = child.kill();
        }
        self.end()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop();
    }
}

type Portion = Arc<Vec<u8>>;

/// Writes ids to a program as they come, and closes its input behind the last one.
fn feed(ids: &Receiver<Portion>, mut program: ChildStdin) {
    for portion in ids {
        // A program that ends early says why in its status.
        if program.write_all(&portion).is_err() {
            return;
        }
    }
}

/// Says where to start, and passes on the ids that are asked for.
fn lister(selection: &Selection, mut list: ChildStdin, listed: ChildStdout, to: &[Sender<Portion>]) {
    let mut text = Vec::new();
    for id in &selection.starts {
        id.write_hex(&mut text);
        text.push(b'\n');
    }
    // If it ends early, or says what it must not, then what is left out here is seen by its status or the reader.
    let _ = list.write_all(&text);
    drop(list);
    let mut ids = Ids { portion: Vec::new(), to };
    let mut graph = Graph::default();
    let mut from = BufReader::with_capacity(1 << 16, listed);
    let mut line = Vec::new();
    while let Ok(true) = {
        line.clear();
        token(&mut from, b'\n', &mut line)
    } {
        let mut words = line.split(|byte| *byte == b' ');
        let seconds = words.next().map_or(0, number);
        let id = words.next().unwrap_or_default();
        if selection.rule.is_certain(seconds) {
            ids.pass(id);
        }
        if selection.rule != Rule::All
            && let Some(id) = Id::from_hex(id)
        {
            graph.add(id, seconds, words.filter_map(Id::from_hex));
        }
    }
    let mut digits = Vec::new();
    for id in graph.wanted(&selection.rule) {
        digits.clear();
        id.write_hex(&mut digits);
        ids.pass(&digits);
    }
    ids.send();
}

fn number(digits: &[u8]) -> i64 {
    digits
        .iter()
        .fold(0, |number: i64, byte| number.saturating_mul(10).saturating_add(i64::from(byte.wrapping_sub(b'0') % 10)))
}

struct Ids<'t> {
    portion: Vec<u8>,
    to: &'t [Sender<Portion>],
}

impl Ids<'_> {
    fn pass(&mut self, id: &[u8]) {
        self.portion.extend_from_slice(id);
        self.portion.push(b'\n');
        if self.portion.len() >= PORTION {
            self.send();
        }
    }

    fn send(&mut self) {
        let portion = Arc::new(std::mem::take(&mut self.portion));
        for to in self.to {
            // Nobody listens any more where the reader has given up.
            let _ = to.send(Arc::clone(&portion));
        }
    }
}

/// Puts both outputs together: they tell of the same commits in the same order.
fn read(
    mut changes: impl BufRead,
    mut bytes: impl BufRead,
    delivery: &mut Delivery<'_, '_>,
) -> io::Result<ControlFlow<()>> {
    let (mut raw, mut batch) = (Raw::default(), Batch::default());
    let (mut digits, mut line) = (Vec::new(), Vec::new());
    loop {
        digits.clear();
        if !token(&mut changes, 0, &mut digits)? {
            break;
        }
        let id = Id::from_hex(&digits).ok_or_else(|| output::unexpected("a commit has no id"))?;
        if !output::commit(&mut bytes, &mut line, &mut raw)? || !line.starts_with(&digits) {
            return Err(output::unexpected("a commit is not in its place"));
        }
        let mut continued = false;
        while output::change(&mut changes, &mut line, &mut batch)? {
            if batch.is_full() {
                if delivery.give(id, &raw, &mut batch, continued).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
                continued = true;
            }
        }
        if delivery.give(id, &raw, &mut batch, continued).is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    // One that still has commits to tell of was not compared to its end.
    let whole = bytes.fill_buf()?.is_empty();
    if whole { Ok(ControlFlow::Continue(())) } else { Err(output::unexpected("commits were left out")) }
}

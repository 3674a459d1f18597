//! Work on many files at once, with what they print in their order and in bounded memory.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A piece that is passed on before its file is done.
const PIECE: usize = 1 << 20;
/// What may wait for its turn.
const WAITING: usize = 16 << 20;

/// Takes what one file prints.
pub(super) struct Page<'p> {
    pages: Option<(&'p Pages, usize)>,
    direct: Option<&'p mut dyn Write>,
    text: Vec<u8>,
}

#[derive(Default)]
struct Pages {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Whose pieces are printed now.
    turn: usize,
    /// Pieces by file, and whether the last one is among them.
    pieces: BTreeMap<usize, (Vec<u8>, bool)>,
    waiting: usize,
    /// Nobody reads any more.
    broken: bool,
}

impl Write for Page<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.extend_from_slice(bytes);
        if self.text.len() >= PIECE {
            self.pass(false)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Page<'_> {
    fn pass(&mut self, is_last: bool) -> io::Result<()> {
        let text = std::mem::take(&mut self.text);
        if let Some(direct) = &mut self.direct {
            return direct.write_all(&text);
        }
        match self.pages {
            Some((pages, file)) => pages.put(file, &text, is_last),
            None => Ok(()),
        }
    }
}

impl Pages {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, file: usize, text: &[u8], is_last: bool) -> io::Result<()> {
        let mut state = self.lock();
        // Whose turn it is never waits for room that only its own pieces free.
        while !state.broken && state.waiting > WAITING && (state.turn != file || state.pieces.contains_key(&file)) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.broken {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        state.waiting += text.len();
        let (pieces, done) = state.pieces.entry(file).or_default();
        pieces.extend_from_slice(text);
        *done |= is_last;
        drop(state);
        self.changed.notify_all();
        Ok(())
    }

    /// Prints pieces of `files` files in their order.
    fn print(&self, files: usize, out: &mut dyn Write) -> io::Result<()> {
        let mut state = self.lock();
        while state.turn < files {
            let turn = state.turn;
            let Some((text, done)) = state.pieces.remove(&turn) else {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            state.waiting -= text.len();
            state.turn += usize::from(done);
            drop(state);
            self.changed.notify_all();
            let written = out.write_all(&text);
            state = self.lock();
            if written.is_err() {
                state.broken = true;
                self.changed.notify_all();
                return written;
            }
        }
        Ok(())
    }
}

/// Works on all items one after the other: one of them is not to be read twice, or there is but one.
pub(super) fn one_by_one<T, R>(
    items: &[T],
    out: &mut dyn Write,
    mut work: impl FnMut(&T, &mut Page<'_>) -> R,
) -> io::Result<Vec<R>> {
    let mut results = Vec::with_capacity(items.len());
    for item in items {
        let mut page = Page { pages: None, direct: Some(&mut *out), text: Vec::new() };
        results.push(work(item, &mut page));
        page.pass(true)?;
    }
    Ok(results)
}

/// Works on many items at once; results and what is printed are in the order of the items.
pub(super) fn at_once<T: Sync, R: Send>(
    items: &[T],
    out: &mut dyn Write,
    work: impl Fn(&T, &mut Page<'_>) -> R + Sync,
) -> io::Result<Vec<R>> {
    let (pages, next, results) = (Pages::default(), AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let worker = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { return };
            let mut page = Page { pages: Some((&pages, at)), direct: None, text: Vec::new() };
            let result = work(item, &mut page);
            results.lock().unwrap_or_else(PoisonError::into_inner).insert(at, result);
            if page.pass(true).is_err() {
                return;
            }
        }
    };
    let printed = rayon::in_place_scope(|scope| {
        for _ in 0..rayon::current_num_threads() {
            scope.spawn(|_| worker());
        }
        pages.print(items.len(), out)
    });
    printed?;
    Ok(results.into_inner().unwrap_or_else(PoisonError::into_inner).into_values().collect())
}

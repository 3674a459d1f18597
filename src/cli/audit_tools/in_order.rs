//! Processes items in parallel and takes the results in order, with a bounded number of waiting results.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Results that may wait for their turn, for each worker.
const WAITING: usize = 16;

struct State<R> {
    /// The index of the next result.
    turn: usize,
    ready: BTreeMap<usize, R>,
    /// No more results are taken.
    closed: bool,
}

/// Results that wait for those before them.
struct OrderedQueue<R> {
    state: Mutex<State<R>>,
    changed: Condvar,
}

impl<R> OrderedQueue<R> {
    fn lock(&self) -> MutexGuard<'_, State<R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'g>(&self, guard: MutexGuard<'g, State<R>>) -> MutexGuard<'g, State<R>> {
        self.changed.wait(guard).unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a result, after waiting until at most `room` results are ahead of it.
    fn put(&self, at: usize, result: R, room: usize) {
        let mut state = self.lock();
        while at > state.turn + room && !state.closed {
            state = self.wait(state);
        }
        state.ready.insert(at, result);
        drop(state);
        self.changed.notify_all();
    }

    /// Sets the flag under the lock, so that a thread that is about to wait sees it.
    fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    fn next(&self) -> R {
        let mut state = self.lock();
        loop {
            let turn = state.turn;
            if let Some(result) = state.ready.remove(&turn) {
                state.turn += 1;
                drop(state);
                self.changed.notify_all();
                return result;
            }
            state = self.wait(state);
        }
    }
}

/// Processes all items on all threads, and takes the results on this one. Stops at the first error.
pub(super) fn each<T: Sync, R: Send, E>(
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
    mut take: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let queue = OrderedQueue {
        state: Mutex::new(State { turn: 0, ready: BTreeMap::new(), closed: false }),
        changed: Condvar::new(),
    };
    let next = AtomicUsize::new(0);
    let workers = rayon::current_num_threads();
    let worker = || {
        while !queue.lock().closed {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { return };
            queue.put(at, work(item), WAITING * workers);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..workers.min(items.len()) {
            scope.spawn(worker);
        }
        let taken = items.iter().try_for_each(|_| take(queue.next()));
        queue.close();
        taken
    })
}

#[cfg(test)]
mod tests {
    use super::each;

    #[test]
    fn results_come_in_order_whatever_takes_how_long() {
        let items: Vec<u64> = (0..200).collect();
        let mut taken = Vec::new();
        let work = |item: &u64| {
            std::thread::sleep(std::time::Duration::from_micros(if item.is_multiple_of(7) { 900 } else { 10 }));
            *item
        };
        each(&items, work, |item| {
            taken.push(item);
            Ok::<(), ()>(())
        })
        .unwrap();
        assert_eq!(taken, items);
    }

    #[test]
    fn the_first_error_ends_it() {
        let items: Vec<u64> = (0..10_000).collect();
        let mut taken = 0;
        let ended = each(
            &items,
            |item| *item,
            |item| {
                taken += 1;
                if item == 3 { Err("enough") } else { Ok(()) }
            },
        );
        assert_eq!((ended, taken), (Err("enough"), 4));
    }
}

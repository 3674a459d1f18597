//! Work that code counts while it is tested. A test that something is fast compares counted steps and never asks a
//! clock: on a busy machine a clock measures the machine.

use std::cell::Cell;

thread_local! {
    static STEPS: Cell<u64> = const { Cell::new(0) };
}

/// Adds steps to the work of this thread. Product code calls it under `cfg(test)` where it loops.
#[inline]
pub fn count(steps: usize) {
    STEPS.with(|counted| counted.set(counted.get().saturating_add(steps as u64)));
}

/// The steps that `run` takes on this thread.
pub fn of(run: impl FnOnce()) -> u64 {
    let before = STEPS.with(Cell::get);
    run();
    STEPS.with(Cell::get) - before
}

/// Asserts that twice the input takes at most about twice the steps. `run` works on an input of the given size; `name` is
/// the name of the input in messages.
///
/// # Panics
///
/// If the work grows faster, or if nothing was counted.
pub fn assert_linear(name: &str, size: usize, run: impl Fn(usize)) {
    let [once, twice] = [size, 2 * size].map(|size| of(|| run(size)));
    assert!(once > 0, "{name}: no step was counted");
    // A limit that is reached behind the first size alone adds its own part.
    assert!(twice <= once * 5 / 2 + 1_000, "{name}: {once} steps for {size}, {twice} for twice as much");
}

//! Bytes per second of CPU time that reading alone takes:
//!
//! ```text
//! AGENT_STRACE_SPEED=<folder of logs> cargo test --release --lib ingest::tests::speed -- --ignored --nocapture
//! ```

use std::fs;
use std::io::Write as _;
use std::path::Path;

use crate::ingest::discover::{Selection, select};

/// More than this of the folder tells nothing new.
const ENOUGH: u64 = 300 << 20;

/// Nanoseconds this thread has spent on a CPU, which other processes do not distort as they do wall time.
fn cpu() -> u64 {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split(' ').next().unwrap().parse().unwrap()
}

#[test]
#[ignore = "a measurement: run it in release mode on a large folder"]
fn reading_alone() {
    let Some(folder) = std::env::var_os("AGENT_STRACE_SPEED") else {
        writeln!(std::io::stderr(), "SKIPPED: the measurement needs AGENT_STRACE_SPEED (a folder of logs)").unwrap();
        return;
    };
    let request = folder.to_string_lossy().into_owned();
    let found = select(Path::new("/nonexistent"), &[request], Selection::All).unwrap();
    let mut best = (u64::MAX, u64::MAX);
    let mut bytes = 0;
    for _ in 0..5 {
        bytes = 0;
        let (mut load, mut read) = (0, 0);
        for source in &found.sources {
            let start = cpu();
            let log = source.load().unwrap();
            let loaded = cpu();
            let reading = log.read();
            read += cpu() - loaded;
            load += loaded - start;
            drop(reading);
            bytes += source.size;
            if bytes > ENOUGH {
                break;
            }
        }
        best = (best.0.min(load), best.1.min(read));
    }
    let speed = |time: u64| bytes * 1_000 / time.max(1);
    writeln!(
        std::io::stderr(),
        "{} MB: load {} MB/s, read {} MB/s, both {} MB/s",
        bytes / 1_000_000,
        speed(best.0),
        speed(best.1),
        speed(best.0 + best.1)
    )
    .unwrap();
}

//! How fast logs are read, on one core, in process: what `list` costs beside what `serde_json` takes to find out that the
//! same lines are JSON.
//!
//!     cargo bench --bench reading -- FOLDER…
//!
//! Each folder holds copies of real logs, 100 MB or more: the project's own fixtures are too small to be timed.
#![allow(clippy::print_stdout, clippy::cast_precision_loss, clippy::unwrap_used, reason = "a bench talks and stops")]

mod cpu;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use cpu::spent;
use serde::de::IgnoredAny;

/// The cheapest of so many runs counts.
const RUNS: usize = 7;

fn main() {
    let folders: Vec<PathBuf> =
        std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).map(PathBuf::from).collect();
    if folders.is_empty() {
        return println!("nothing was read: name folders with real logs, `cargo bench --bench reading -- FOLDER…`");
    }
    println!("{:40} {:>8} {:>10} {:>14} {:>8}", "folder", "MB", "list MB/s", "is JSON MB/s", "ratio");
    for folder in folders {
        let logs = logs(&folder);
        let size: usize = logs.iter().map(Vec::len).sum();
        let read = cheapest(|| list(&folder));
        let scanned = cheapest(|| lines_of_json(&logs));
        let speed = |took: Duration| size as f64 / took.as_secs_f64() / 1e6;
        println!(
            "{:40} {:>8.1} {:>10.0} {:>14.0} {:>8.2}",
            folder.display(),
            size as f64 / 1e6,
            speed(read),
            speed(scanned),
            speed(read) / speed(scanned)
        );
    }
}

fn cheapest(mut work: impl FnMut()) -> Duration {
    let runs = (0..RUNS).map(|_| {
        let started = spent();
        work();
        spent().saturating_sub(started)
    });
    runs.min().unwrap()
}

fn list(folder: &Path) {
    let args = [OsString::from("agent-strace"), "list".into(), folder.into()];
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let code = agent_strace::run(args, &mut std::io::empty(), &mut stdout, &mut stderr);
    // Some logs of a collection are damaged: 3 says so.
    assert!(matches!(code, 0 | 3) && !stdout.is_empty(), "{}", String::from_utf8_lossy(&stderr));
}

fn lines_of_json(logs: &[Vec<u8>]) {
    let lines = logs.iter().flat_map(|log| log.split(|byte| *byte == b'\n'));
    let json = lines.filter(|line| serde_json::from_slice::<IgnoredAny>(line).is_ok()).count();
    assert!(json > 0, "no line is JSON");
}

fn logs(folder: &Path) -> Vec<Vec<u8>> {
    let mut logs = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            logs.extend(self::logs(&path));
        } else if path.extension().is_some_and(|extension| extension == "jsonl" || extension == "json") {
            logs.push(std::fs::read(path).unwrap());
        }
    }
    logs
}

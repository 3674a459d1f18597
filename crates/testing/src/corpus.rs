//! Real logs and labelled cases. A small set is part of the repository (`fixtures/real`), so that every clone runs the
//! same tests; `AGENT_STRACE_ACCEPTANCE` names a folder with more of both, which is not.

use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The origin of the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    Shipped,
    Outside,
}

/// A folder with `corpus/` (logs, by agent) and `cases/`.
#[derive(Debug, Clone)]
pub struct Data {
    pub source: Source,
    pub folder: PathBuf,
}

impl Data {
    pub fn corpus(&self) -> PathBuf {
        self.folder.join("corpus")
    }

    pub fn cases(&self) -> PathBuf {
        self.folder.join("cases")
    }

    /// A value that depends on whose data it is: how much of something there has to be at least.
    pub fn either<T>(&self, shipped: T, outside: T) -> T {
        match self.source {
            Source::Shipped => shipped,
            Source::Outside => outside,
        }
    }

    /// The logs below `corpus/` in their order, without the files beside the folders of agents.
    pub fn logs(&self) -> Vec<PathBuf> {
        let mut folders: Vec<PathBuf> = entries(&self.corpus()).into_iter().filter(|path| path.is_dir()).collect();
        let mut logs = Vec::new();
        while let Some(folder) = folders.pop() {
            let (inner, files): (Vec<_>, Vec<_>) = entries(&folder).into_iter().partition(|path| path.is_dir());
            folders.extend(inner);
            logs.extend(files);
        }
        logs.sort();
        logs
    }

    /// The name of a log: its path below `corpus/`.
    pub fn name(&self, log: &Path) -> String {
        log.strip_prefix(self.corpus()).unwrap().to_string_lossy().into_owned()
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// The data of this repository.
pub fn shipped() -> Data {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/real");
    Data { source: Source::Shipped, folder: folder.canonicalize().unwrap() }
}

/// The data outside of it; without any, it says that `skipped` is not tested.
pub fn outside(skipped: &str) -> Option<Data> {
    let Some(data) = named() else {
        // The test runner hides what a passing test prints the usual way.
        writeln!(std::io::stderr(), "SKIPPED: {skipped}: AGENT_STRACE_ACCEPTANCE is not set").unwrap();
        return None;
    };
    Some(data)
}

/// The data that the environment names.
fn named() -> Option<Data> {
    let folder = PathBuf::from(std::env::var_os("AGENT_STRACE_ACCEPTANCE")?);
    assert!(folder.is_absolute(), "AGENT_STRACE_ACCEPTANCE is an absolute path: tests run in different directories");
    Some(Data { source: Source::Outside, folder })
}

/// All data that is here: the repository's own, and what lies outside.
pub fn data() -> Vec<Data> {
    std::iter::once(shipped()).chain(named()).collect()
}

/// Shell text of every call in the logs of Claude Code and Codex.
pub fn commands() -> Vec<String> {
    let mut found = Vec::new();
    let of_agents = |path: &PathBuf| path.iter().any(|part| part == "claude-code" || part == "codex");
    for log in data().iter().flat_map(Data::logs).filter(of_agents) {
        let text = String::from_utf8_lossy(&std::fs::read(log).unwrap()).into_owned();
        for line in text.lines() {
            if let Ok(value) = serde_json::from_str::<serde_json::Value>(line) {
                collect(&value, &mut found);
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

fn collect(value: &serde_json::Value, found: &mut Vec<String>) {
    match value {
        serde_json::Value::Object(fields) => {
            for (key, inner) in fields {
                match inner.as_str() {
                    Some(text) if key == "command" || key == "cmd" => found.push(text.to_owned()),
                    // Codex keeps arguments as JSON inside a string.
                    Some(text) if key == "arguments" => {
                        if let Ok(inner) = serde_json::from_str(text) {
                            collect(&inner, found);
                        }
                    }
                    _ => collect(inner, found),
                }
            }
        }
        serde_json::Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        _ => {}
    }
}

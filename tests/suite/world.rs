//! A throw-away folder with the demo in it, and the program run there with nothing else around it.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Once;

use crate::sarif_check;

/// What a run printed, and its exit code.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "compare the output or the exit code"]
pub(crate) struct Answer {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: i32,
}

pub(crate) struct World {
    folder: tempfile::TempDir,
}

impl World {
    /// Nothing in it.
    pub(crate) fn empty() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// A copy of `fixtures/demo`.
    pub(crate) fn demo() -> Self {
        let world = Self::empty();
        copy(&project().join("fixtures/demo"), world.path());
        world
    }

    /// A folder of the project, at the same place.
    pub(crate) fn copy_project(&self, folder: &str) {
        copy(&project().join(folder), &self.path().join(folder));
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, path: &str, text: &str) -> &Self {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path().join(path)).unwrap()
    }

    /// A native session; `events` are the lines after the start, without their common keys: `(event_type, data)`.
    pub(crate) fn session(&self, id: &str, started: u32, events: &[(&str, serde_json::Value)]) -> &Self {
        let meta = serde_json::json!({
            "session_id": id, "started_at": f64::from(started), "agent_name": "claude-code",
            "attribution": {"working_dir": "/home/dana/rates"},
        });
        self.write(&format!(".agent-traces/{id}/meta.json"), &meta.to_string());
        let lines: Vec<String> = events
            .iter()
            .enumerate()
            .map(|(at, (kind, data))| {
                let time = f64::from(started) + f64::from(u32::try_from(at).unwrap());
                serde_json::json!({
                    "event_type": kind, "timestamp": time, "event_id": format!("{at:012x}"), "session_id": id,
                    "data": data,
                })
                .to_string()
            })
            .collect();
        self.write(&format!(".agent-traces/{id}/events.ndjson"), &(lines.join("\n") + "\n"))
    }

    pub(crate) fn run(&self, args: &[&str]) -> Answer {
        self.run_with(args, &[], "")
    }

    pub(crate) fn run_with(&self, args: &[&str], variables: &[(&str, &str)], stdin: &str) -> Answer {
        self.spawn(".", args, variables, stdin)
    }

    /// In a folder of the world.
    pub(crate) fn run_in(&self, folder: &str, args: &[&str]) -> Answer {
        self.spawn(folder, args, &[], "")
    }

    /// The program at work in a folder of the world; whoever started it talks to it and waits for it.
    pub(crate) fn start(&self, folder: &str, args: &[&str], variables: &[(&str, &str)]) -> Child {
        #[expect(clippy::disallowed_methods, reason = "the suite runs the program itself")]
        let mut command = Command::new(env!("CARGO_BIN_EXE_agent-strace"));
        command.args(args).current_dir(self.path().join(folder)).env_clear().envs(variables.iter().copied());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    pub(crate) fn spawn(&self, folder: &str, args: &[&str], variables: &[(&str, &str)], stdin: &str) -> Answer {
        let mut child = self.start(folder, args, variables);
        // A run that does not read its input closes it; that is its right.
        let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
        let output = child.wait_with_output().unwrap();
        let answer = Answer {
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            code: output.status.code().expect("ended by a signal"),
        };
        self.hold_sarif(folder, args, &answer.stdout);
        answer
    }

    /// Every SARIF that the suite makes is one that code scanning takes, and is kept for other validators in the folder
    /// that `AGENT_STRACE_SARIF_OUT` names.
    fn hold_sarif(&self, folder: &str, args: &[&str], stdout: &str) {
        let is_sarif = |text: &str| text.starts_with('{') && text.contains("json.schemastore.org/sarif-");
        let named = args.iter().flat_map(|arg| [*arg, arg.rsplit('=').next().unwrap_or(arg)]);
        // An argument may name anything, devices and logs of hundreds of megabytes, too.
        let plain = |path: &PathBuf| fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() < 64 << 20);
        let paths = named.map(|name| self.path().join(folder).join(name)).filter(plain);
        let files = paths.filter_map(|path| fs::read_to_string(path).ok());
        for text in files.chain([stdout.to_owned()]).filter(|text| is_sarif(text)) {
            assert_eq!(sarif_check::problems(&text), Vec::<String>::new(), "{args:?}");
            if let Some(kept) = std::env::var_os("AGENT_STRACE_SARIF_OUT") {
                let mut hasher = DefaultHasher::new();
                text.hash(&mut hasher);
                fs::write(Path::new(&kept).join(format!("{:016x}.sarif", hasher.finish())), text).unwrap();
            }
        }
    }
}

/// The program without a process of its own: `args` follow its name.
pub(crate) fn in_process(args: &[&str]) -> Answer {
    outside_of_the_repository();
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let args = std::iter::once("agent-strace").chain(args.iter().copied()).map(Into::into);
    let code = agent_strace::run(args, &mut std::io::empty(), &mut stdout, &mut stderr);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Answer { stdout: text(stdout), stderr: text(stderr), code: code.into() }
}

/// Every run lists the files of the repository that it starts in. This one has hundreds, and no test needs them. All runs
/// share one empty folder, since nothing would delete a folder of their own.
fn outside_of_the_repository() {
    static MOVED: Once = Once::new();
    MOVED.call_once(|| {
        let folder = std::env::temp_dir().join("agent-strace-suite");
        fs::create_dir_all(&folder).unwrap();
        assert!(fs::read_dir(&folder).unwrap().next().is_none(), "{} is not empty", folder.display());
        std::env::set_current_dir(folder).unwrap();
    });
}

pub(crate) fn project() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Says loudly that something was not tested. The test runner hides what a passing test prints the usual way.
pub(crate) fn skipped(what: &str) {
    let mut stderr = std::io::stderr();
    writeln!(stderr, "SKIPPED: {what}").unwrap();
}

/// Whether a program can be run here.
pub(crate) fn there(program: &str) -> bool {
    #[expect(clippy::disallowed_methods, reason = "tools of other people read what we write")]
    let mut command = Command::new(program);
    command.arg("--help").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// `UPDATE_SPECS=1` rewrites what is generated or expected.
pub(crate) fn update() -> bool {
    std::env::var_os("UPDATE_SPECS").is_some()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

//! A throw-away machine: a file system of its own, no network but the loopback, no processes but its own.
//!
//! Commands of real logs run here, and they are other people's: nothing of the host is writable, its home directories
//! and its environment are not there, and what does not end in time is ended.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Where the agent is at home.
pub(super) const HOME: &str = "/home/agent";
/// Where the workspace is, unless the text was recorded elsewhere.
pub(super) const WORKSPACE: &str = "/repo";

const LONGEST: Duration = Duration::from_secs(6);

/// Parts of the host's configuration that programs need to start or to connect.
const CONFIGURATION: &[&str] = &[
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ssl",
    "/etc/perl",
    "/etc/python3",
    "/etc/python3.11",
    "/etc/mime.types",
    "/etc/magic",
];

/// System calls that touch files, processes or the network; a `?` marks those that not every machine has.
const CALLS: &str = "?open,openat,?openat2,?creat,truncate,ftruncate,?mkdir,mkdirat,?mknod,mknodat,?link,linkat,?symlink,\
                     symlinkat,?rename,?renameat,renameat2,?unlink,unlinkat,?rmdir,?chmod,fchmod,fchmodat,?chown,?lchown,\
                     fchown,fchownat,?utime,?utimes,?futimesat,utimensat,setxattr,fallocate,chdir,fchdir,execve,?execveat,\
                     clone,?clone3,?fork,?vfork,exit_group,connect,sendto,sendmsg,?sendmmsg";

/// A file system to run one text in.
pub(super) struct Jail {
    root: TempDir,
    outside: TempDir,
    directory: String,
    home: String,
}

/// How a run ended.
pub(super) struct Ran {
    pub(super) log: String,
    /// `None`: it was ended, or a signal did.
    pub(super) code: Option<i32>,
}

impl Jail {
    /// Whether commands can be jailed and traced here, or why not.
    pub(super) fn possible() -> Result<(), String> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        for program in ["bwrap", "strace", "bash"] {
            if !std::env::split_paths(&path).any(|folder| folder.join(program).is_file()) {
                return Err(format!("{program} is not installed"));
            }
        }
        let jail = Self::bare();
        jail.prepare("true").map_err(|complaint| format!("bwrap makes no jail here ({})", complaint.trim()))?;
        if jail.run("true").log.contains("execve(") { Ok(()) } else { Err("strace may not trace here".to_owned()) }
    }

    /// Nothing but what every system has.
    pub(super) fn bare() -> Self {
        let root = folder();
        for directory in ["dev", "proc", "usr", "tmp", "etc", "var/tmp", "home/agent", "repo", "srv", "opt"] {
            fs::create_dir_all(root.path().join(directory)).unwrap();
        }
        for name in merged() {
            symlink(format!("usr/{name}"), root.path().join(name)).unwrap();
        }
        let outside = folder();
        fs::write(outside.path().join("log"), "").unwrap();
        Self { root, outside, directory: WORKSPACE.to_owned(), home: HOME.to_owned() }
    }

    /// A copy, with the workspace at `directory`, and the home where a workspace there says it is.
    pub(super) fn copy(&self, directory: &str) -> Self {
        let (directory, home) = (directory.to_owned(), home_above(directory).unwrap_or(HOME).to_owned());
        let copy = Self { root: folder(), outside: folder(), directory, home };
        fs::write(copy.outside.path().join("log"), "").unwrap();
        copy_below(self.root.path(), copy.root.path());
        copy.moved(HOME, &copy.home);
        copy.moved(WORKSPACE, &copy.directory);
        copy
    }

    fn moved(&self, from: &str, to: &str) {
        if from == to {
            return;
        }
        let (from, to) = (self.host_path(from), self.host_path(to));
        fs::create_dir_all(&to).unwrap();
        copy_below(&from, &to);
        fs::remove_dir_all(from).unwrap();
    }

    pub(super) fn home(&self) -> &str {
        &self.home
    }

    pub(super) fn directory(&self) -> &str {
        &self.directory
    }

    /// Where a path of the jail is on the host.
    pub(super) fn host_path(&self, path: &str) -> PathBuf {
        self.root.path().join(path.trim_start_matches('/'))
    }

    pub(super) fn exists(&self, path: &str) -> bool {
        self.host_path(path).symlink_metadata().is_ok()
    }

    pub(super) fn write(&self, path: &str, text: &str) {
        let target = self.host_path(path);
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::write(target, text).unwrap();
    }

    /// Runs a shell text under strace.
    pub(super) fn run(&self, text: &str) -> Ran {
        let limited = "ulimit -t 10 -f 131072 -c 0; exec strace -f --seccomp-bpf -yy -qq -s 400 -e signal=none \
                       -e trace=\"$1\" -o /.trace/log bash -c \"$2\"";
        let mut child = self.start(&["bash", "-c", limited, "jail", CALLS, text], Stdio::null(), Stdio::null());
        let code = ended(&mut child);
        let bytes = fs::read(self.outside.path().join("log")).unwrap();
        Ran { log: String::from_utf8_lossy(&bytes).into_owned(), code }
    }

    /// Runs a shell text that prepares the jail; says what it complained about.
    pub(super) fn prepare(&self, text: &str) -> Result<(), String> {
        let mut child = self.start(&["bash", "-euc", text], Stdio::null(), Stdio::piped());
        let code = ended(&mut child);
        let mut complaint = String::new();
        std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut complaint).unwrap();
        if code == Some(0) { Ok(()) } else { Err(format!("{code:?}: {complaint}")) }
    }

    fn start(&self, argv: &[&str], output: Stdio, complaints: Stdio) -> Child {
        #[expect(clippy::disallowed_methods, reason = "the oracle runs commands, in a jail")]
        let mut command = Command::new("bwrap");
        command.args(["--unshare-all", "--die-with-parent", "--new-session", "--hostname", "jail", "--clearenv"]);
        command.args(["--unshare-user", "--uid", "1000", "--gid", "1000"]);
        command.arg("--bind").arg(self.root.path()).arg("/");
        command.arg("--bind").arg(self.outside.path()).arg("/.trace");
        command.args(["--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev"]);
        for directory in ["bin", "sbin", "lib", "lib32", "lib64"] {
            let path = format!("/{directory}");
            if Path::new(&path).is_dir() && !Path::new(&path).is_symlink() {
                command.args(["--ro-bind", &path, &path]);
            }
        }
        for path in CONFIGURATION {
            command.args(["--ro-bind-try", path, path]);
        }
        // Nobody waits here: a pause is as good as none.
        command.args(["--ro-bind", "/usr/bin/true", "/usr/bin/sleep"]);
        for (name, value) in [
            ("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"),
            ("HOME", self.home.as_str()),
            ("USER", "agent"),
            ("LC_ALL", "C.UTF-8"),
            ("TERM", "dumb"),
        ] {
            command.args(["--setenv", name, value]);
        }
        command.args(["--chdir", &self.directory, "--"]).args(argv);
        command.stdin(Stdio::null()).stdout(output).stderr(complaints).spawn().unwrap()
    }
}

/// A folder that is thrown away: in memory, where programs may run from there.
fn folder() -> TempDir {
    static MEMORY: OnceLock<bool> = OnceLock::new();
    let in_memory = MEMORY.get_or_init(|| {
        let Ok(folder) = TempDir::new_in("/dev/shm") else { return false };
        let program = folder.path().join("true");
        #[expect(clippy::disallowed_methods, reason = "asks whether a program may run from there")]
        let runs = |program: &Path| Command::new(program).status().is_ok_and(|status| status.success());
        fs::copy("/usr/bin/true", &program).is_ok() && runs(&program)
    });
    if *in_memory { TempDir::new_in("/dev/shm").unwrap() } else { TempDir::new().unwrap() }
}

/// The home directory that a directory lies in.
fn home_above(directory: &str) -> Option<&str> {
    let below = directory.strip_prefix("/home/").or_else(|| directory.strip_prefix("/Users/"))?;
    let user = below.split('/').next().filter(|user| !user.is_empty())?;
    directory.get(..directory.len() - below.len() + user.len())
}

/// Waits, but not for ever.
fn ended(child: &mut Child) -> Option<i32> {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        if started.elapsed() > LONGEST {
            // Its jail dies with it.
            child.kill().unwrap();
            child.wait().unwrap();
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Directories of the root that are only names for those below `/usr`.
fn merged() -> impl Iterator<Item = &'static str> {
    ["bin", "sbin", "lib", "lib32", "lib64"].into_iter().filter(|name| Path::new("/").join(name).is_symlink())
}

fn copy_below(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type().unwrap();
        if kind.is_symlink() {
            symlink(fs::read_link(source).unwrap(), target).unwrap();
        } else if kind.is_dir() {
            fs::create_dir_all(&target).unwrap();
            copy_below(&source, &target);
        } else {
            // Git looks into every file whose time is another one.
            let time = entry.metadata().unwrap().modified().unwrap();
            fs::copy(source, &target).unwrap();
            fs::File::open(target).unwrap().set_modified(time).unwrap();
        }
    }
}

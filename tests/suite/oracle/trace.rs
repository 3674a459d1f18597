//! Reads the output of strace as acts: files read, written and deleted, hosts connected to, programs run.

use std::collections::BTreeMap;

use super::ignored::is_shell;
use super::line::{Call, calls};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Act {
    Read,
    Write,
    Delete,
    Connect,
    Execute,
}

/// One act that strace observed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ObservedAct {
    pub(super) act: Act,
    /// An absolute path without `.` and `..`, or a host (`127.0.7.1`, `name:example.com`).
    pub(super) target: String,
    /// The file that the path led to, where that is another one.
    pub(super) real: Option<String>,
    /// The program that did it.
    pub(super) by: String,
    /// The file was opened so that it could be written, and kept what it held.
    pub(super) unsure: bool,
}

#[derive(Debug, Clone)]
struct Process {
    directory: String,
    program: String,
}

/// Every act of a trace that started in `directory`. The first program is the shell that runs the text.
pub(super) fn observed_acts(log: &str, directory: &str) -> Vec<ObservedAct> {
    let calls = calls(log);
    let parents: BTreeMap<&str, &str> =
        calls.iter().filter(|call| is_fork(&call.name)).map(|call| (call.result.as_str(), call.process)).collect();
    let first = Process { directory: directory.to_owned(), program: String::new() };
    let mut processes: BTreeMap<&str, Process> = BTreeMap::new();
    let mut found = Vec::new();
    for call in &calls {
        let mut process = processes
            .get(call.process)
            .or_else(|| processes.get(parents.get(call.process)?))
            .cloned()
            .unwrap_or_else(|| first.clone());
        if !call.failed() || call.name == "connect" || call.name.starts_with("send") {
            step(call, &mut process, &mut found);
        }
        if is_fork(&call.name) && !processes.contains_key(call.result.as_str()) {
            processes.insert(&call.result, process.clone());
        }
        processes.insert(call.process, process);
    }
    found.sort();
    found.dedup();
    found
}

fn is_fork(name: &str) -> bool {
    matches!(name, "clone" | "clone3" | "fork" | "vfork")
}

fn step(call: &Call<'_>, process: &mut Process, found: &mut Vec<ObservedAct>) {
    let here = process.directory.clone();
    let by = process.program.clone();
    let unsure =
        call.name.starts_with("open") && !call.flags(1).contains("O_TRUNC") && !call.flags(2).contains("O_TRUNC");
    let mut add = |act, target: Option<String>, real: Option<String>| {
        if let Some(target) = target {
            let real = real.filter(|real| *real != target);
            found.push(ObservedAct { act, target, real, by: by.clone(), unsure });
        }
    };
    match call.name.as_str() {
        "chdir" => process.directory = call.path(0, &here).unwrap_or(here),
        "fchdir" => process.directory = call.descriptor(0).unwrap_or(here),
        "execve" | "execveat" => {
            let at = if call.name == "execve" { call.path(0, &here) } else { call.path_at(0, &here) };
            // The first program is the shell that runs the text.
            let by_shell = !by.is_empty();
            let name = at.as_deref().and_then(|path| path.rsplit('/').next()).unwrap_or_default();
            // What a program lets a shell do, the program does.
            if is_shell(&by) || !is_shell(name) {
                name.clone_into(&mut process.program);
            }
            add(Act::Execute, at.filter(|_| by_shell), None);
        }
        "open" => add(opened(call.flags(1)).unwrap_or(Act::Read), kept(call, 1, call.path(0, &here)), call.opened()),
        "openat" | "openat2" => {
            add(opened(call.flags(2)).unwrap_or(Act::Read), kept(call, 2, call.path_at(0, &here)), call.opened());
        }
        "creat" | "truncate" | "mkdir" | "mknod" | "chmod" | "chown" | "lchown" | "utime" | "utimes" | "setxattr" => {
            add(Act::Write, call.path(0, &here), None);
        }
        "mkdirat" | "mknodat" | "fchmodat" | "fchownat" | "utimensat" | "futimesat" => {
            add(Act::Write, call.path_at(0, &here), None);
        }
        "ftruncate" | "fchmod" | "fchown" | "fallocate" => add(Act::Write, call.descriptor(0), None),
        "unlink" | "rmdir" => add(Act::Delete, call.path(0, &here), None),
        "unlinkat" => add(Act::Delete, call.path_at(0, &here), None),
        "rename" => {
            add(Act::Delete, call.path(0, &here), None);
            add(Act::Write, call.path(1, &here), None);
        }
        "renameat" | "renameat2" => {
            add(Act::Delete, call.path_at(0, &here), None);
            add(Act::Write, call.path_at(2, &here), None);
        }
        "link" | "symlink" => add(Act::Write, call.path(1, &here), None),
        "linkat" => add(Act::Write, call.path_at(2, &here), None),
        "symlinkat" => add(Act::Write, call.path_at(1, &here), None),
        "connect" | "sendto" | "sendmsg" | "sendmmsg" => add(Act::Connect, call.host(), None),
        _ => {}
    }
}

/// Opening a directory lists names, a path alone opens nothing, and a file without a name is nobody's.
fn kept(call: &Call<'_>, flags: usize, path: Option<String>) -> Option<String> {
    let flags = call.flags(flags);
    path.filter(|_| !["O_DIRECTORY", "O_PATH", "O_TMPFILE"].iter().any(|flag| flags.contains(flag)))
}

fn opened(flags: &str) -> Option<Act> {
    ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC"].iter().any(|flag| flags.contains(flag)).then_some(Act::Write)
}

#[test]
fn calls_of_several_processes_become_deeds() {
    let log = "\
7 execve(\"/usr/bin/bash\", [\"bash\"], 0x1 /* 3 vars */) = 0
7 chdir(\"sub dir\") = 0
7 clone(child_stack=NULL, flags=SIGCHLD <unfinished ...>
8 unlink(\"a.txt\") = 0
7 <... clone resumed>, child_tidptr=0x7) = 8
8 openat(AT_FDCWD</repo/sub dir>, \"\\303\\251 x\", O_RDONLY <unfinished ...>
7 openat(AT_FDCWD</repo/sub dir>, \"../l\", O_WRONLY|O_CREAT, 0666) = 3</repo/real>
8 <... openat resumed>) = 3</repo/sub dir/\\303\\251 x>
8 openat(AT_FDCWD</repo/sub dir>, \"gone\", O_RDONLY) = -1 ENOENT (No such file or directory)
8 renameat2(AT_FDCWD</repo/sub dir>, \"a\", 4</tmp>, \"b\", 0) = 0
8 connect(3<socket:[1]>, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr(\"127.0.7.1\")}, 16) = -1 ECONNREFUSED (no)
";
    let shown: Vec<String> = observed_acts(log, "/repo")
        .iter()
        .map(|observed| format!("{:?} {} {:?}", observed.act, observed.target, observed.real))
        .collect();
    assert_eq!(
        shown,
        [
            "Read /repo/sub dir/é x None",
            "Write /repo/l Some(\"/repo/real\")",
            "Write /tmp/b None",
            "Delete /repo/sub dir/a None",
            "Delete /repo/sub dir/a.txt None",
            "Connect 127.0.7.1 None",
        ]
    );
}

//! Truth, not opinion: bash under strace is the referee.
//!
//! Every command of a table runs for real in a throw-away folder, alone and in several disguises. Each file below the
//! folder that the kernel saw being read, written or deleted must be covered by an effect that the gate reported for
//! the same text, or the gate must have said that it could not resolve the text.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::world::skipped;

/// Harmless commands over the tree that [`plant`] makes.
const COMMANDS: &[&str] = &[
    "cat a.txt",
    "cat a.txt src/b.txt > out.txt",
    "cat < a.txt",
    "cat a.* | sort > sorted.txt",
    "head -n 1 a.txt",
    "tail -n 1 src/b.txt",
    "wc -l a.txt src/*.txt",
    "sort -o a.txt a.txt",
    "sort -u a.txt -o src/s.txt",
    "uniq a.txt u.txt",
    "cut -d: -f1 a.txt",
    "tr a b < a.txt > t.txt",
    "tee one.txt two.txt < a.txt",
    "echo x | tee -a a.txt",
    "echo x >> a.txt",
    "echo x >| a.txt",
    "echo x &> both.txt",
    "> empty.txt",
    "exec 3>three.txt",
    "printf '%s' hi > p.txt",
    "cp a.txt c.txt",
    "cp a.txt src/b.txt deep",
    "cp -t deep a.txt",
    "cp -r src copy",
    "cp --target-directory=deep a.txt",
    "mv a.txt m.txt",
    "mv a.txt deep/",
    "mv -t deep a.txt src/b.txt",
    "rm a.txt",
    "rm -rf src",
    "rm -- -odd",
    "rmdir empty",
    "unlink a.txt",
    "mkdir new",
    "mkdir -p new/er/est",
    "touch a.txt new.txt",
    "ln -s a.txt link.txt && cat link.txt",
    "ln a.txt hard.txt && cat hard.txt",
    "ln -s ../a.txt src/up.txt; cat src/up.txt",
    "truncate -s 0 a.txt",
    "dd if=a.txt of=d.txt status=none",
    "install -m 644 a.txt i.txt",
    "install -d made",
    "sed -n 1p a.txt",
    "sed -i s/a/b/ a.txt",
    "sed -i.bak s/a/b/ a.txt",
    "sed -n 'w w.txt' a.txt",
    "sed 's/a/b/w ws.txt' a.txt",
    "sed -e s/a/b/ -e 'w we.txt' a.txt src/b.txt",
    "sed -f prog.sed a.txt",
    "awk '{print $1}' a.txt",
    "awk '{print > \"awk.txt\"}' a.txt",
    "awk -f prog.awk a.txt",
    "awk 'BEGIN { while ((getline line < \"a.txt\") > 0) print line }'",
    "grep -n a a.txt",
    "grep -rn a src",
    "grep -f patterns.txt a.txt",
    "grep a < a.txt",
    "find . -name '*.txt' -delete",
    "find src -type f -exec cat {} +",
    "find src -type f -exec cp {} deep \\;",
    "find . -maxdepth 1 -name a.txt -fprint found.txt",
    "find src -name b.txt | xargs cat",
    "echo a.txt | xargs rm",
    "ls | xargs -I{} echo {}",
    "xargs -a list.txt cat",
    "tar -cf out.tar src",
    "tar cf out.tar a.txt src/b.txt",
    "tar -czf out.tgz -C src b.txt",
    "gzip -k a.txt",
    "gzip a.txt",
    "gzip -c a.txt > a.gz",
    "diff a.txt src/b.txt",
    "cmp a.txt src/b.txt",
    "comm a.txt src/b.txt",
    "paste a.txt src/b.txt",
    "join a.txt src/b.txt",
    "od -c a.txt",
    "base64 a.txt > a.b64",
    "sha256sum a.txt",
    "split -l 1 a.txt part-",
    "csplit -s a.txt 2",
    "shuf a.txt -o shuffled.txt",
    "tac a.txt",
    "nl a.txt",
    "fold a.txt",
    "chmod 600 a.txt",
    "chmod -R u+w src",
    "file=a.txt; cat \"$file\"",
    "d=src; cat $d/b.txt",
    "for f in a.txt src/b.txt; do cat \"$f\"; done",
    "for f in src/*; do cp \"$f\" deep; done",
    "while read -r line; do echo \"$line\"; done < a.txt",
    "f() { rm \"$1\"; }; f a.txt",
    "set -- a.txt; cat \"$1\"",
    "cd src; cat b.txt",
    "cd src && cd .. && cat a.txt",
    "(cd src; rm b.txt); cat a.txt",
    "pushd src >/dev/null; cat b.txt; popd >/dev/null; cat a.txt",
    "cat $(echo a.txt)",
    "cat \"$(cat list.txt | head -1)\"",
    "cat <(cat a.txt)",
    "cat {a,list}.txt",
    "cat a.[t]xt",
    "cat ./src/../a.txt",
    "cat 'a'.t\"xt\"",
    "cat a\\.txt",
    "cat $'a\\x2etxt'",
    "source lib.sh",
    ". ./lib.sh",
    "bash lib.sh",
    "bash -x lib.sh",
    "bash < lib.sh",
    "cat lib.sh | bash",
    "echo 'rm a.txt' | sh",
    "echo 'cat a.txt' > gen.sh; sh gen.sh",
    "sh -c 'cat \"$1\"' x a.txt",
    "bash <<'EOF'\nrm a.txt\nEOF",
    "cat > here.txt <<EOF\n$(cat a.txt)\nEOF",
    "cat <<EOF > h2.txt\nplain\nEOF",
    "eval 'cat a.txt'",
    "x='rm a.txt'; $x",
    "x='rm a.txt'; eval \"$x\"",
    "env A=1 cat a.txt",
    "env -i cat a.txt",
    "env -S 'cat a.txt'",
    "command cat a.txt",
    "builtin echo x > b.txt",
    "nohup cat a.txt > n.txt 2>&1",
    "timeout 5 cat a.txt",
    "nice -n 5 cat a.txt",
    "stdbuf -oL cat a.txt",
    "setsid cat a.txt",
    "time cat a.txt",
    "! cat a.txt",
    "trap 'rm a.txt' EXIT",
    "coproc cat a.txt; wait",
    "cat a.txt & wait",
    "[[ -n $(cat a.txt) ]]",
    "(( $(wc -l < a.txt) > 0 ))",
    "case $(cat list.txt) in *) cat a.txt;; esac",
    "if grep -q a a.txt; then rm src/b.txt; fi",
    "true || rm a.txt",
    "a=(a.txt src/b.txt); cat \"${a[@]}\"",
    "n=a; cat ${n}.txt",
    "n=a.txt; m=n; cat ${!m}",
    "n=a.txt.bak; cat ${n%.bak}",
    "n=X.txt; cat ${n/X/a}",
    "mapfile -t lines < a.txt",
    "read -r line < a.txt",
    "printf -v name a.txt; cat $name",
    "python3 -c \"open('py.txt', 'w').write('x')\"",
    "python3 -c \"print(open('a.txt').read())\"",
    "python3 -c \"import os; os.remove('a.txt')\"",
    "python3 -c \"import os; os.system('rm a.txt')\"",
    "python3 -c \"import shutil; shutil.rmtree('src')\"",
    "python3 prog.py",
    "python3 - <<'EOF'\nopen('p2.txt','w').write('x')\nEOF",
    "perl -pi -e s/a/b/ a.txt",
    "perl -e 'unlink \"a.txt\"'",
    "perl -ne print a.txt",
    "ed -s a.txt <<< w",
    "git init -q repo && cd repo && echo x > f && git add f",
    "git init -q . && git add a.txt && git rm -q --cached a.txt",
    "git diff --no-index a.txt src/b.txt",
    "git init -q . && git add a.txt && rm a.txt && git checkout -- a.txt",
    "rg -n a src",
    "jq . data.json",
    "make -f Makefile.x",
];

/// Ways to hide a command from a gate that looks at text.
const DISGUISES: &[&str] = &["{}", "( {} )", "{ {}\n}", "if true; then {}\nfi", "for i in 1; do {}\ndone"];

#[test]
fn what_really_happened_is_covered_by_effects() {
    if !have("strace") || !have("bash") {
        skipped("effects are not compared with what really happens: strace or bash is missing");
        return;
    }
    let folder = TempDir::new().unwrap();
    plant(folder.path());
    if run_for_real(folder.path(), "cat a.txt").is_empty() {
        skipped("effects are not compared with what really happens: strace may not trace here (ptrace is refused)");
        return;
    }
    let (mut judged, mut opaque, mut missed) = (0, 0, Vec::new());
    for command in COMMANDS {
        for disguise in DISGUISES {
            let text = disguise.replace("{}", command);
            if disguise.len() > 2 && command.contains("<<") && !command.ends_with('\n') && disguise.starts_with('(') {
                continue; // a heredoc must end on a line of its own
            }
            let folder = TempDir::new().unwrap();
            plant(folder.path());
            let truth = run_for_real(folder.path(), &text);
            let said = effects(folder.path(), &text);
            judged += 1;
            if said.opaque {
                opaque += 1;
                continue;
            }
            missed.extend(truth.iter().filter(|act| !said.cover(act)).map(|act| format!("{act:?} of `{text}`")));
        }
    }
    eprintln!("oracle: {judged} texts, {opaque} of them opaque, {} acts missed", missed.len());
    assert!(missed.is_empty(), "real acts without an effect:\n{}", missed.join("\n"));
    assert!(opaque * 4 < judged, "{opaque} of {judged} texts are opaque: the gate says too little");
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Act {
    kind: &'static str,
    path: String,
}

/// What the gate said of a text.
struct Said {
    effects: Vec<(String, String)>,
    opaque: bool,
}

impl Said {
    fn cover(&self, act: &Act) -> bool {
        self.effects.iter().any(|(kind, path)| {
            // A program that empties a directory opens it first.
            let emptied = act.kind == "read" && kind == "delete" && path.strip_suffix("/**") == Some(&act.path);
            let fits = kind == act.kind || emptied || (act.kind == "delete" && kind == "write" && path == &act.path);
            fits && (path == &act.path || matches(path, &act.path))
        })
    }
}

/// The pattern dialect of reports: `*` within a component, `**` across, `?`, `[…]`; a subtree covers its directory.
fn matches(pattern: &str, path: &str) -> bool {
    let (pattern_text, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), path.chars().collect());
    fits(&pattern_text, &text) || pattern.strip_suffix("/**").is_some_and(|directory| directory == path)
}

fn fits(pattern: &[char], text: &[char]) -> bool {
    match pattern {
        [] => text.is_empty(),
        ['*', '*', '/', rest @ ..] if fits(rest, text) => true,
        ['*', '*', rest @ ..] => (0..=text.len()).any(|at| fits(rest, &text[at..])),
        ['*', rest @ ..] => {
            let end = text.iter().position(|character| *character == '/').unwrap_or(text.len());
            (0..=end).any(|at| fits(rest, &text[at..]))
        }
        ['?', rest @ ..] => text.first().is_some_and(|character| *character != '/') && fits(rest, &text[1..]),
        ['[', rest @ ..] => {
            let Some(end) = rest.iter().skip(1).position(|character| *character == ']') else { return false };
            let class = &rest[..=end];
            text.first().is_some_and(|character| class.contains(character)) && fits(&rest[end + 2..], &text[1..])
        }
        [literal, rest @ ..] => text.first() == Some(literal) && fits(rest, &text[1..]),
    }
}

fn effects(folder: &Path, text: &str) -> Said {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let cwd = folder.to_str().unwrap();
    let args = ["agent-strace", "effects", "--command", text, "--cwd", cwd, "--format", "json"];
    agent_strace::run(args.map(Into::into), &mut std::io::empty(), &mut out, &mut err);
    let report: serde_json::Value = serde_json::from_slice(&out).unwrap();
    let all = report["sessions"][0]["events"][0]["effects"].as_array().unwrap();
    let effects = all
        .iter()
        .filter_map(|effect| Some((effect["kind"].as_str()?.to_owned(), effect["path"].as_str()?.to_owned())))
        .collect();
    Said { effects, opaque: all.iter().any(|effect| effect["kind"] == "opaque") }
}

fn plant(folder: &Path) {
    let files: &[(&str, &str)] = &[
        ("a.txt", "a b\nc d\ne f\n"),
        ("src/b.txt", "a x\nb y\n"),
        ("-odd", "x\n"),
        ("list.txt", "a.txt\n"),
        ("patterns.txt", "a\n"),
        ("data.json", "{}\n"),
        ("prog.sed", "s/a/b/\n"),
        ("prog.awk", "{ print $1 }\n"),
        ("prog.py", "open('from-prog.txt', 'w').write('x')\n"),
        ("lib.sh", "cat a.txt > from-lib.txt\n"),
        ("Makefile.x", "all:\n\ttouch made-by-make\n"),
    ];
    for directory in ["src", "deep", "empty", "home"] {
        fs::create_dir(folder.join(directory)).unwrap();
    }
    for (name, content) in files {
        fs::write(folder.join(name), content).unwrap();
    }
}

/// Runs `text` under strace and returns what was done to files below `folder`.
fn run_for_real(folder: &Path, text: &str) -> BTreeSet<Act> {
    let trace = TempDir::new().unwrap();
    let log = trace.path().join("log");
    #[expect(clippy::disallowed_methods, reason = "the oracle runs its own harmless table")]
    Command::new("strace")
        .args(["-f", "-y", "-qq", "-s", "4096", "-e", "trace=%file,fchdir", "-e", "signal=none", "-o"])
        .arg(&log)
        .args(["bash", "-c", text])
        .current_dir(folder)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", folder.join("home"))
        .env("LC_ALL", "C")
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    let root = folder.canonicalize().unwrap();
    let text = fs::read_to_string(&log).unwrap_or_default();
    let mut directories = BTreeMap::new();
    text.lines().flat_map(|line| acts_of(line, &root, &mut directories)).collect()
}

/// `directories` holds each process's working directory, as far as strace has shown it.
fn acts_of(line: &str, root: &Path, directories: &mut BTreeMap<String, PathBuf>) -> Vec<Act> {
    let process = line.split(' ').next().unwrap_or_default();
    if let Some((_, after)) = line.split_once("AT_FDCWD<")
        && let Some((directory, _)) = after.split_once('>')
    {
        directories.insert(process.to_owned(), PathBuf::from(directory));
    }
    let here = directories.get(process).cloned().unwrap_or_else(|| root.to_owned());
    if let Some((_, after)) = line.split_once("chdir(\"")
        && let Some((target, rest)) = after.split_once('"')
        && rest.contains("= 0")
    {
        directories.insert(process.to_owned(), normal(&here.join(target)));
        return Vec::new();
    }
    if let Some((_, after)) = line.split_once(" fchdir(")
        && let Some((target, rest)) = after.split_once('<').and_then(|(_, after)| after.split_once('>'))
    {
        if rest.contains("= 0") {
            directories.insert(process.to_owned(), PathBuf::from(target));
        }
        return Vec::new();
    }
    let Some((call, result)) = line.rsplit_once(") ") else { return Vec::new() };
    let Some((head, arguments)) = call.split_once('(') else { return Vec::new() };
    if result.trim_start().starts_with("= -1") || result.contains("= ?") {
        return Vec::new();
    }
    let name = head.rsplit(' ').next().unwrap_or_default();
    let paths = operands(arguments, &here);
    let act = |kind, at: usize| {
        let path = paths.get(at)?.strip_prefix(root).ok()?.to_str()?.to_owned();
        // The home folder is outside what a text is judged for: programs keep their own state there.
        (!path.is_empty() && !path.starts_with("home")).then_some(Act { kind, path })
    };
    let acts = match name {
        "open" | "openat" if arguments.contains("O_DIRECTORY") => vec![],
        "open" | "openat" if arguments.contains("O_RDWR") => vec![act("write", 0)],
        "open" | "openat" if arguments.contains("O_WRONLY") || arguments.contains("O_CREAT") => vec![act("write", 0)],
        "open" | "openat" => vec![act("read", 0)],
        "creat" | "truncate" | "mkdir" | "mkdirat" | "chmod" | "fchmodat" | "utimensat" => vec![act("write", 0)],
        "unlink" | "unlinkat" | "rmdir" => vec![act("delete", 0)],
        "rename" | "renameat" | "renameat2" => vec![act("delete", 0), act("write", 1)],
        "link" | "linkat" | "symlink" | "symlinkat" => vec![act("write", 1)],
        _ => vec![],
    };
    // Git's own bookkeeping is one effect on the repository, not one per object; temporary names that a program makes
    // and renames itself are covered by the effect on the final name.
    acts.into_iter().flatten().filter(|act| !act.path.contains(".git") && !temporary(&act.path)).collect()
}

/// Names that `sed -i`, `sort`, `mktemp` and here-documents make up.
fn temporary(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    (name.starts_with("sed") && name.len() == 9) || name.starts_with("sh-thd") || name.starts_with("XX")
}

/// The quoted paths of a system call, each resolved against the directory that strace printed before it.
fn operands(arguments: &str, here: &Path) -> Vec<PathBuf> {
    let (mut directory, mut found, mut rest) = (here.to_owned(), Vec::new(), arguments);
    while let Some(at) = rest.find(['<', '"']) {
        let quote = rest.as_bytes()[at];
        let after = &rest[at + 1..];
        let Some(end) = after.find(if quote == b'<' { '>' } else { '"' }) else { break };
        let text = &after[..end];
        rest = &after[end + 1..];
        match quote {
            b'<' => directory = PathBuf::from(text),
            _ => found.push(normal(&directory.join(text))),
        }
    }
    found
}

fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => {
                out.pop();
            }
            std::path::Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}

fn have(program: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(program).is_file()))
}

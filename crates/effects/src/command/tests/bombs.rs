//! Text that is meant to cost more than it is worth: it ends, and it says that it was not followed to its end.

use std::sync::Arc;

use crate::command::context::Context;
use agent_strace_testing::work;

use crate::command::emitter::Emitter;
use crate::command::machine::walk_on;
use crate::command::stream::Stream;
use crate::{Certainty, Kind, World};
use agent_strace_shell::Scope;

/// Steps that a text may cost here: less than elsewhere, so that bombs end sooner.
const STEPS: usize = 1 << 14;

/// Steps of work, those among them that only tests count, and whether something is in doubt.
fn work(text: &str) -> (usize, bool) {
    let mut cost = (0, false);
    let counted = work::of(|| cost = within(text, STEPS));
    (cost.0 + usize::try_from(counted / 16).unwrap(), cost.1)
}

fn within(text: &str, limit: usize) -> (usize, bool) {
    let mut world = World::new(Some("/repo"));
    let knowledge = Arc::clone(world.knowledge());
    let mut emitter = Emitter::within(limit);
    walk_on(text, &mut world, &knowledge, Context::new(text), &mut emitter, |machine| {
        machine.shell_text(text, &mut Scope::default(), &Stream::Unconnected);
    });
    let steps = emitter.steps();
    let doubted = emitter.into_effects().iter().any(|effect| match &effect.kind {
        Kind::Opaque(_) => true,
        Kind::Execute(execution) => execution.argv.iter().any(|word| !word.known),
        _ => effect.certainty == Certainty::Pattern,
    });
    (steps, doubted)
}

/// `text` so many times, `#` standing for the number.
fn numbered(count: usize, text: &str) -> String {
    (0..count).map(|number| text.replace('#', &number.to_string())).collect()
}

fn loops(count: usize, body: &str) -> String {
    let heads = numbered(count, "for i# in {1..60}; do ");
    format!("{heads}{body}{}", "; done".repeat(count))
}

fn python(body: &str, head: &str) -> String {
    format!("python3 - <<'E'\n{head}\n{body}\nE\n")
}

/// Each variable holds the one before it twice; `pair` says how. The last one is removed.
fn doubled(pair: &str) -> String {
    let lines = (0..40).map(|at| format!("a{}={}\n", at + 1, pair.replace('@', &format!("a{at}"))));
    format!("a0='{}'\n{}os.remove(a40)", "x".repeat(50), lines.collect::<String>())
}

/// A call with the variables of so many loops in each other.
fn nested_loops(count: usize) -> String {
    let heads = (0..count).map(|at| format!("{}for i{at} in l:\n", " ".repeat(at)));
    let names = (0..count).map(|at| format!("i{at}")).collect::<Vec<_>>().join(",");
    format!("{}{}shutil.copy({names})", heads.collect::<String>(), " ".repeat(count))
}

#[test]
fn bombs_end_and_say_so() {
    let bombs = [
        ("commands", "true; ".repeat(30_000)),
        ("nested shells", format!("{}true{}", "bash -c \"$(echo ".repeat(40), ")\"".repeat(40))),
        ("a function that calls itself", "f() { f; }; f".to_owned()),
        ("a function that calls itself twice", "f() { f; f; }; f".to_owned()),
        ("loops of tests", loops(8, "[[ x ]]")),
        ("loops of cases", loops(8, "case x in $(f() { :; }) ) ;; esac")),
        ("loops of subshells", loops(8, "( while [[ x ]]; do [[ y ]]; done )")),
        ("a value that names itself", format!("x='{}'; echo $((x))", "$((x))".repeat(50))),
        ("a subscript that names itself", format!("x='{}'; echo ${{a[x]}}", "${a[x]}".repeat(50))),
        ("a long value many times", format!("x={}; echo {}", "a".repeat(60_000), "\"$x\"".repeat(1_000))),
        ("a long value in many words", format!("x={}; echo {}", "a".repeat(60_000), "$x ".repeat(1_000))),
        ("parameters many times", format!("set -- {{1..900}}; echo {}", "$@".repeat(5_000))),
        ("braces in braces", format!("echo {}", "{a,b}".repeat(300))),
        ("braces and many parts", format!("echo {}{}", "{a,b}".repeat(12), "'x'y".repeat(20_000))),
        ("braces and long text", format!("echo {}{}", "{a,b}".repeat(12), "x".repeat(100_000))),
        ("functions that pass values on", {
            let chain = |at| format!("f{at}() {{ x && v{at}=a; f{} $v{at}; }}; ", at + 1);
            format!("{}f0", (0..40).map(chain).collect::<String>())
        }),
        ("sequences", "echo {1..999}\n".repeat(1_000)),
        ("sequences in a word", format!("echo {}", "{1..999}".repeat(2_000))),
        ("words of a loop", loops(3, "echo {1..900}")),
        ("lists of a program that double", python(&doubled("[@,@]"), "import os")),
        ("texts of a program that double", python(&doubled("@+@"), "import os")),
        ("loops of a program", python(&nested_loops(6), "import shutil; l=['x','y','z','u','v','w','s','t']")),
        ("texts of a loop", format!("x='{}'; {}", "echo a;".repeat(2_000), loops(3, "eval \"[[ $x ]]\""))),
    ];
    for (name, text) in bombs {
        let (steps, doubted) = work(&text);
        assert!(doubted, "{name}: nothing is in doubt");
        assert!(steps < 4 * STEPS, "{name}: {steps} steps");
    }
}

/// Twice the text is twice the work.
#[test]
fn work_is_linear_in_the_text() {
    let nested = |open: &str, close: &str, depth: usize| format!("{}cat x{}", open.repeat(depth), close.repeat(depth));
    let texts: [(&str, &dyn Fn(usize) -> String); 14] = [
        ("commands", &|n| numbered(n * 50, "cat f#; ")),
        ("lists", &|n| vec!["git status"; n * 50].join(" && ")),
        ("pipelines", &|n| vec!["cat"; n * 50].join(" | ")),
        ("words", &|n| format!("cat {}", "x ".repeat(n * 500))),
        ("one word", &|n| format!("cat {}", "x".repeat(n * 5_000))),
        ("variables", &|n| numbered(n * 50, "v#=#; cat $v#; ")),
        ("subshells", &|n| "(cat x; y=1); ".repeat(n * 50)),
        ("appended files", &|n| "echo line >> log; ".repeat(n * 50)),
        ("heredoc", &|n| format!("cat <<E\n{}E\n", "a line of $text\n".repeat(n * 50))),
        ("$(…)", &|n| nested("echo $(", ")", n)),
        ("(…)", &|n| nested("( ", " )", n)),
        ("{ …; }", &|n| nested("{ ", "; }", n)),
        ("if", &|n| nested("if true; then ", "; fi", n)),
        ("quotes", &|n| nested("echo \"$(", ")\"", n)),
    ];
    assert_linear(&texts);
}

fn assert_linear(texts: &[(&str, &dyn Fn(usize) -> String)]) {
    for &(name, text) in texts {
        assert_one_linear(name, text);
    }
}

fn assert_one_linear(name: &str, text: &dyn Fn(usize) -> String) {
    let (half, whole) = (work(&text(20)).0, work(&text(40)).0);
    assert!(whole > 0 && whole * 10 <= half * 23 + 1_000, "{name}: {half} steps, then {whole}");
}

/// Copies of a shell, and branches that change it, cost what they change.
#[test]
fn work_on_a_shell_with_many_variables_is_linear() {
    let many = |n: usize, text: &str| format!("{}{text}", numbered(n * 20, "v#=1; "));
    let texts: [(&str, &dyn Fn(usize) -> String); 12] = [
        ("subshells", &|n| many(n, &"(v0=2); ".repeat(n * 20))),
        ("branches", &|n| many(n, &"if x; then v0=2; fi; ".repeat(n * 20))),
        ("arms of a case", &|n| many(n, &format!("case $x in {} esac", numbered(n * 20, "a#) v#=2;; ")))),
        ("elif", &|n| many(n, &format!("if a; then b; {} fi", numbered(n * 20, "elif c; then v#=2; ")))),
        ("alternatives", &|n| many(n, &"x || v0=2; ".repeat(n * 20))),
        ("loops", &|n| many(n, &numbered(n * 20, "while read w#; do x#=$w#; done; "))),
        ("values of many variables", &|n| numbered(n * 20, "v#=1; x && v#=2; cat $v#; ")),
        ("values of one variable", &|n| numbered(n * 20, "x && v=#; cat $v; ")),
        ("values of one command", &|n| format!("{}cat {}", numbered(n, "x && v#=1; "), numbered(n, "$v# "))),
        ("commands that may fail", &|n| format!("{}x", numbered(n * 20, "v#=$(x) && "))),
        ("assignments of a command", &|n| many(n, &"v0=2 true; ".repeat(n * 20))),
        ("functions", &|n| format!("{}{}", numbered(n * 20, "f#() { :; }; "), "(g() { :; }); ".repeat(n * 20))),
    ];
    assert_linear(&texts);
}

/// Files that the ways through a text write, and values that each of them leaves.
#[test]
fn work_where_ways_meet_is_linear() {
    let chosen = |n: usize| numbered(n, "v#=a; x && v#=b; ");
    let texts: [(&str, &dyn Fn(usize) -> String); 9] = [
        ("files of branches", &|n| numbered(n * 20, "if x; then echo a > f#; else echo b > f#; fi; ")),
        ("one file of branches", &|n| numbered(n * 20, "if x; then echo # > f; else echo b > f; fi; ")),
        ("one file of tests", &|n| numbered(n * 20, "[ x ] && echo # > f; bash f; ")),
        ("files of arms", &|n| format!("case $x in {} esac", numbered(n * 20, "a#) echo # > f;; "))),
        ("files of lists", &|n| numbered(n * 20, "echo a > f#; [ x ] && echo b > f#; ")),
        ("files of one list", &|n| format!("[ x ] && {}x", numbered(n * 20, "echo # > f# && "))),
        ("one file of one list", &|n| format!("[ x ] && {}x", numbered(n * 20, "echo # > f && "))),
        ("descriptors", &|n| "if x; then exec 3<<< a; else exec 3<<< b; fi; ".repeat(n * 20)),
        ("choices of nested functions", &|n| {
            let calls: Vec<String> = (0..n).map(|at| format!("f{at}() {{ f{} $v{at}; }}; ", at + 1)).collect();
            format!("{}{}f0", chosen(n), calls.concat())
        }),
    ];
    assert_linear(&texts);
}

/// Programs in other languages, with brackets that nothing closes and names that nothing defines.
#[test]
fn work_on_programs_is_linear() {
    let run = |command: &str, text: String| format!("{command} <<'E'\n{text}\nE\n");
    let python = |text: String| run("python3 -", text);
    let node = |text: String| run("node -", text);
    let texts: [(&str, &dyn Fn(usize) -> String); 22] = [
        ("calls", &|n| python(numbered(n * 10, "open('f#')\n"))),
        ("open brackets", &|n| python("[".repeat(n * 50))),
        ("open calls", &|n| python("open(".repeat(n * 50))),
        ("results that are called", &|n| python("f()()".repeat(n * 20))),
        ("definitions without an end", &|n| python("def f(a, ".repeat(n * 20))),
        ("lambda", &|n| python("lambda x ".repeat(n * 20))),
        ("named arguments", &|n| python(format!("f({}1)", "a=".repeat(n * 50)))),
        ("sums", &|n| python(format!("open({}'b')", "'a'+".repeat(n * 10)))),
        ("imports", &|n| python(numbered(n * 10, "import m#\n"))),
        ("all names of modules", &|n| {
            python(format!("{}{}", numbered(n * 5, "from m# import *\n"), "f(1)\n".repeat(n * 5)))
        }),
        ("loops", &|n| python("for a in (".repeat(n * 20))),
        ("methods", &|n| python(format!("open('x'{})", ".replace('x', 'y')".repeat(n * 10)))),
        ("imports of a script", &|n| node("import ".repeat(n * 50))),
        ("destructuring", &|n| node("const {a, ".repeat(n * 20))),
        ("arrows", &|n| node("a)=>".repeat(n * 20))),
        ("templates", &|n| node("`${".repeat(n * 20))),
        ("new", &|n| node("new ".repeat(n * 50))),
        ("Perl", &|n| run("perl -", "open(F, '<x'); system(q{cat x}); qx{cat x};\n".repeat(n * 2))),
        ("Ruby", &|n| run("ruby -", "File.read('x'); puts %x(cat x); \"#{x}\"\n".repeat(n * 2))),
        ("PHP", &|n| run("php", format!("<?php\n{}", "file_get_contents('x'); `cat x`;\n".repeat(n * 2)))),
        ("awk", &|n| format!("awk '{{ {} }}' x", "print > \"f\"; system(\"cat x\"); ".repeat(n * 2))),
        ("sed", &|n| format!("sed '{}' x", "s/a/b/; w f\n".repeat(n * 5))),
    ];
    assert_linear(&texts);
}

#[test]
fn work_on_powershell_is_linear() {
    let run = |text: String| format!("pwsh -Command '{text}'");
    let texts: [(&str, &dyn Fn(usize) -> String); 8] = [
        ("commands", &|n| run(numbered(n * 10, "gc f#; "))),
        ("open blocks", &|n| run("{".repeat(n * 20))),
        ("open brackets", &|n| run("(".repeat(n * 20))),
        ("substitutions", &|n| run("\"$(".repeat(n * 20))),
        ("tables", &|n| run("@{".repeat(n * 20))),
        ("sums", &|n| run(format!("$a = {}\"z\"; gc $a", "\"y\" + ".repeat(n * 10)))),
        ("variables", &|n| run(numbered(n * 10, "$v# = \"f\"; gc $v#; "))),
        ("text that grows", &|n| run(format!("$a = \"x\"; {}", "$a += \"y\"; ".repeat(n * 10)))),
    ];
    assert_linear(&texts);
}

/// Files that a session writes for a program that reads them.
#[test]
fn work_on_files_of_projects_is_linear() {
    type File<'f> = (&'f str, &'f str, &'f str, &'f dyn Fn(usize) -> String);
    let files: [File<'_>; 11] = [
        ("makefile", "Makefile", "make a1", &|n| numbered(n * 5, "a#:\n\tcat f#\n")),
        ("variables of make", "Makefile", "make", &|n| format!("{}all:\n\tcat $(A)\n", "A += x\n".repeat(n * 10))),
        ("targets of one rule", "Makefile", "make a1", &|n| {
            format!("{}:\n{}", numbered(n, "a# "), "\tcat f\n".repeat(n))
        }),
        ("justfile", "justfile", "just a1", &|n| numbered(n * 5, "a#:\n  cat f#\n")),
        ("one program of just", "justfile", "just a", &|n| format!("a:\n  #!/bin/sh\n{}", "  cat f\n".repeat(n * 5))),
        ("scripts of npm", "package.json", "npm run z", &|n| {
            format!("{{\"scripts\":{{{}\"z\":\"ls\"}}}}", numbered(n * 5, "\"a#\":\"ls\","))
        }),
        ("open lists of JSON", "package.json", "npm test", &|n| "[".repeat(n * 50)),
        ("tasks", "Taskfile.yml", "task a1", &|n| {
            format!("tasks:\n{}", numbered(n * 5, "  a#:\n    cmds:\n      - cat f\n"))
        }),
        ("open lists of YAML", "Taskfile.yml", "task a1", &|n| "[".repeat(n * 50)),
        ("tables of TOML", "pyproject.toml", "poe x", &|n| {
            format!("[tool.poe.tasks]\nx = {{{}", "run=[\"a\",".repeat(n * 5))
        }),
        ("settings of git", ".git/config", "git a1", &|n| format!("[alias]\n{}", numbered(n * 5, "a# = !cat f#\n"))),
    ];
    for (name, file, command, content) in files {
        assert_one_linear(name, &|n| format!("cat > {file} <<'E'\n{}\nE\n{command}", content(n)));
    }
    assert_one_linear("patches", &|n| {
        format!("git apply <<'E'\n{}E\n", numbered(n * 5, "--- a/f#\n+++ b/f#\n@@ -1 +1 @@\n-a\n+b\n"))
    });
}

/// Words of a command, however many and however long, and commands that pass them on.
#[test]
fn work_on_words_is_linear() {
    let texts: [(&str, &dyn Fn(usize) -> String); 16] = [
        ("URLs", &|n| format!("curl {}", numbered(n * 10, "http://h#.example/x "))),
        ("options", &|n| format!("git {}push", "--f ".repeat(n * 20))),
        ("globs", &|n| format!("cat {}", "*[a-z]?".repeat(n * 20))),
        ("open classes", &|n| format!("cat {}", "[[:alpha:]".repeat(n * 20))),
        ("groups of globs", &|n| format!("cat {}b{}", "@(a|".repeat(n), ")".repeat(n))),
        ("braces", &|n| format!("echo {}", "{a,b} ".repeat(n * 10))),
        ("braces in braces", &|n| format!("echo {}b{}", "{a,".repeat(n), "}".repeat(n))),
        ("heredocs", &|n| numbered(n * 5, "cat <<A#\n$x\nA#\n")),
        ("heredocs of one command", &|n| format!("cat {}\n{}", numbered(n, "<<A# "), numbered(n, "x\nA#\n"))),
        ("wrappers", &|n| format!("{}cat x", "env ".repeat(n * 50))),
        ("items of xargs", &|n| format!("echo {} | xargs cat", "a ".repeat(n * 5))),
        ("filters", &|n| format!("echo {}{} | sh", "cat ".repeat(n * 5), "| rev ".repeat(n))),
        ("statements", &|n| format!("psql -c '{}'", "select 1; ".repeat(n * 10))),
        ("filters of jq", &|n| format!("jq '{}.' x", ".a | ".repeat(n * 10))),
        ("links", &|n| numbered(n * 5, "ln -s a# b#; cat b#; ")),
        ("commands on another host", &|n| format!("ssh h '{}'", "cat x; ".repeat(n * 10))),
    ];
    assert_linear(&texts);
}

/// A text that is too large is unresolved, and nothing that was found before the limit is lost.
#[test]
fn what_exceeds_a_budget_is_hidden() {
    let evaluated = |open: &str, close: &str| {
        let mut text = String::new();
        let mut inner = "rm secrets/key".to_owned();
        for at in 0..30 {
            let body = format!("{}{inner}{}", open.repeat(50), close.repeat(50));
            text.extend(["v", &at.to_string(), "='", &body, "'\n"]);
            inner = format!("eval \"$v{at}\"");
        }
        format!("rm first\n{text}{inner}")
    };
    let texts = [
        evaluated("( ", " )"),
        evaluated("{ ", "; }"),
        evaluated("if a; then ", "; fi"),
        evaluated("echo $(", ")"),
        format!("rm first; ssh h \"{}\"", "cat x; ".repeat(30_000)),
        format!("rm first; {}", loops(8, "ssh h \"cat x\"")),
        format!("rm first; echo {} | xargs -I{{}} cat {}", "a ".repeat(4_000), "{} ".repeat(4_000)),
        format!("rm first\n{}", python(&format!("f({}1)", "a=".repeat(100_000)), "")),
        format!("rm first\n{}", python(&"open(".repeat(100_000), "")),
        format!("rm first\n{}", python(&"[".repeat(100_000), "")),
    ];
    for text in texts {
        let effects = crate::command::run(&text, &mut World::new(Some("/repo"))).into_vec();
        let start: String = text.chars().take(60).collect();
        let hidden = |effect: &crate::Effect| matches!(&effect.kind, Kind::Opaque(opaque) if opaque.class == crate::Class::Hidden);
        assert!(effects.iter().any(hidden), "{start:?}: nothing is hidden");
        let deletes = |effect: &crate::Effect| matches!(&effect.kind, Kind::Delete(target) if target.path == "first");
        assert!(effects.iter().any(deletes), "{start:?}: what came before is lost");
    }
}

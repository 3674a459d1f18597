//! Text that is meant to cost more than it is worth: it ends, and it says that it was not followed to its end.

use std::sync::Arc;

use crate::command::context::Context;
use crate::command::emitter::{Emitter, STEPS};
use crate::command::machine::walk_on;
use crate::command::stream::Stream;
use crate::{Certainty, Kind, World};
use agent_strace_shell::Scope;

/// Steps of work, and whether something is in doubt.
fn work(text: &str) -> (usize, bool) {
    let mut world = World::new(Some("/repo"));
    let knowledge = Arc::clone(world.knowledge());
    let mut emitter = Emitter::default();
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
    for (name, text) in texts {
        let (half, whole) = (work(&text(20)).0, work(&text(40)).0);
        assert!(whole > half && whole * 10 <= half * 23, "{name}: {half} steps, then {whole}");
    }
}

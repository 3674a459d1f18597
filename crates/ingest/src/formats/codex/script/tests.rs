//! Scripts and what is understood of them.

use super::{Argument, read};

/// Calls as `name:argument`, and `!` when the script may do more.
fn show(source: &str) -> String {
    let script = read(source);
    let mut shown: Vec<_> = script
        .calls
        .into_iter()
        .map(|call| match call.argument {
            Argument::Json(json) => format!("{}:{json}", call.tool),
            Argument::Text(text) => format!("{}:text {text}", call.tool),
            Argument::Unresolved => format!("{}:?", call.tool),
        })
        .collect();
    if !script.understood {
        shown.push("!".to_owned());
    }
    shown.join(" ")
}

#[test]
fn scripts() {
    let cases = [
        (r#"const r = await tools.exec_command({"cmd":"ls"}); text(r.output)"#, r#"exec_command:{"cmd":"ls"}"#),
        (
            r"await tools.exec_command({cmd:'a\'b', n: 1_000, ok: true,})",
            r#"exec_command:{"cmd":"a'b","n":1000,"ok":true}"#,
        ),
        ("await tools.exec_command({cmd:`two\nlines`})", r#"exec_command:{"cmd":"two\nlines"}"#),
        ("await tools.exec_command({cmd:`ls ${x}`})", "exec_command:?"),
        (
            "const patch = \"*** Begin\\n\" + \"*** End\";\nawait tools.apply_patch(patch)",
            "apply_patch:text *** Begin\n*** End",
        ),
        (r#"const cmd = "ls"; await tools.exec_command({cmd})"#, r#"exec_command:{"cmd":"ls"}"#),
        // The parameter hides the constant.
        (r#"const cmd = "ls"; ["rm"].forEach(cmd => tools.exec_command({cmd}))"#, "exec_command:?"),
        (r#"const c = "ls" , d = 1; tools.exec_command({cmd: c})"#, "exec_command:?"),
        (r#"const c = "ls".replace("l", "m"); tools.exec_command({cmd: c})"#, "exec_command:?"),
        (r#"let c = "ls"; tools.exec_command({cmd: c})"#, "exec_command:?"),
        (r#"for (const f of files) await tools.exec_command({cmd: "cat " + f})"#, "exec_command:?"),
        ("await Promise.all([tools.a({x:1}), tools.b()])", r#"a:{"x":1} b:{}"#),
        (r#"tools.exec_command({cmd:"echo tools.x("})"#, r#"exec_command:{"cmd":"echo tools.x("}"#),
        (r#"tools["exec_command"]({cmd:"id"})"#, "!"),
        (r#"const t = tools; t.exec_command({cmd:"id"})"#, "!"),
        (r#"globalThis["to" + "ols"].exec_command({})"#, "!"),
        (r"t\u006fols.exec_command({})", "!"),
        ("text(1 + 1)", ""),
        ("tools.exec_command({...spread})", "exec_command:?"),
        (r#"tools.exec_command({cmd:"id"}, more)"#, "exec_command:?"),
        ("tools.exec_command(/* why */ {cmd: // what\n 'ls'})", r#"exec_command:{"cmd":"ls"}"#),
        ("tools.exec_command({cmd:\"a", "exec_command:?"),
    ];
    for (source, expected) in cases {
        assert_eq!(show(source), expected, "{source}");
    }
}

#[test]
fn a_constant_can_not_grow_a_script_beyond_measure() {
    let long = "x".repeat(10_000);
    let uses = "a, ".repeat(10_000);
    let source = format!("const a = \"{long}\";\ntools.t([{uses}])");
    assert_eq!(show(&source), "t:?");
    let failing = format!("const a = \"{long}\" + x;\n{}", "tools.t(a);".repeat(10_000));
    assert!(show(&failing).starts_with("t:? t:? "));
    let comments = "tools.t(/*".repeat(9_000);
    assert!(show(&comments).starts_with("t:? t:? "));
    let deep = format!("tools.t({}1{})", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(show(&deep), "t:?");
}

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
        // Strings and comments without an end are no script, and what looks like one may hide code.
        ("tools.exec_command({cmd:\"a", "!"),
        ("tools.exec_command({cmd:'ls' // a\u{2028} + ' x'\n})", r#"exec_command:{"cmd":"ls x"}"#),
        ("/*'*/ const t = tools; t.exec_command({cmd:'id'}) /*'*/", "!"),
        ("const q = /['\"]/; const t = tools; t.exec_command({cmd:'id'}) // \"", "!"),
        ("text(r.split(/'/)[0]); await tools.exec_command({cmd:'ls'})", r#"exec_command:{"cmd":"ls"}"#),
        ("if (r) /'/; globalThis.tools /'/", "!"),
        ("<!-- ' \n globalThis.tools // '", "!"),
        ("text(`a ${globalThis.tools} b`)", "!"),
        ("text('see tools.x(')", ""),
        // Names of members that are computed.
        (r#"[]["filter"]["const" + "ructor"]("return tools")()"#, "!"),
        (r#"const k = "constructor"; const f = [][k]; f(f)"#, "!"),
        (r#"const { ["const" + "ructor"]: f } = x; f(1)"#, "!"),
        ("for (let i = 0; i < f.length; i++) { await tools.exec_command({cmd: f[i]}) }", "exec_command:?"),
        ("for (let i = 0; i < 2; i ||= 'constructor') { f[i][i]('x')() }", "!"),
        ("const r = await Promise.all([tools.a()]); text(r[0].output)", "a:{}"),
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
    assert_eq!(show(&"tools.t(/*".repeat(9_000)), "!");
    assert!(show(&"tools.t(/**/".repeat(9_000)).starts_with("t:? t:? "));
    for hostile in ["a)/", "[", "${", "`${", "/", "text(JSON.stringify(", "catch (a) ", "let a = 0;"] {
        show(&hostile.repeat(100_000));
    }
    let deep = format!("tools.t({}1{})", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(show(&deep), "t:?");
}

#[test]
fn only_the_host_can_have_written_what_some_scripts_print() {
    let call = "await tools.exec_command({cmd: 'cat a'})";
    let caught = format!("try {{ text(JSON.stringify({call})) }} catch (error) {{ text(String(error)) }}");
    for (source, speaks) in [
        (caught.clone(), true),
        (format!("{caught};\n{caught}\ntext(JSON.stringify({call}));"), true),
        (format!("const r = {call}; text(JSON.stringify(r))"), true),
        (format!("try {{ text(JSON.stringify({call})); }} catch (e) {{ text(e); }}"), true),
        (format!("for (let i = 0; i < 2; i++) {{ {caught} }}"), false),
        (caught.replace("'cat a'", "'cat ' + f"), false),
        (format!("const r = {call}; text(r.output)"), false),
        (format!("const r = {call}; text(JSON.stringify(r).slice(1))"), false),
        (format!("const r = {call}; text(JSON.stringify(s))"), false),
        (format!("await Promise.all([{call}])"), false),
        (format!("try {{ {call} }} catch (e) {{ text(e) }} text('x')"), false),
        (format!("try {{ text(JSON.stringify({call})) }} catch (e) {{ text(f) }}"), false),
        (format!("try {{ text(JSON.stringify({call})) }} catch (text) {{ text(text) }}"), false),
        (format!("const JSON = {call}; text(JSON.stringify({call}))"), false),
        (format!("const r = {call}; const o = {{ catch(e) {{ text(e) }} }}; o.catch(r.output)"), false),
        (format!("const r = {call}; const o = {{ \"then\"(a, b) {{ b(r.output) }} }}; await o"), false),
        (format!("const t = tools; {call}"), false),
    ] {
        assert_eq!(read(&source).host_speaks, speaks, "{source}");
    }
}

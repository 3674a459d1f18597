//! Codex: items, notices and outputs.

use super::*;

const META: &str = r#"{"type":"session_meta","payload":{"id":"a","cwd":"/w"}}"#;

fn item(payload: &str) -> String {
    format!(r#"{{"type":"response_item","payload":{payload}}}"#)
}

fn notice(payload: &str) -> String {
    format!(r#"{{"type":"event_msg","payload":{payload}}}"#)
}

fn codex(records: &[String]) -> (Vec<String>, Vec<String>) {
    let lines: Vec<String> = std::iter::once(META.to_owned()).chain(records.iter().cloned()).collect();
    read("codex.jsonl", &lines)
}

fn function(id: &str, tool: &str, arguments: &str) -> String {
    let arguments = serde_json::Value::from(arguments);
    item(&format!(r#"{{"type":"function_call","name":"{tool}","arguments":{arguments},"call_id":"{id}"}}"#))
}

fn output(id: &str, text: &str) -> String {
    let text = serde_json::Value::from(text);
    item(&format!(r#"{{"type":"function_call_output","call_id":"{id}","output":{text}}}"#))
}

fn completed(item: &str) -> String {
    notice(&format!(r#"{{"type":"item_completed","item":{item}}}"#))
}

fn ran(id: &str, line: &str, cwd: &str, code: i32) -> String {
    let command = serde_json::json!(["/bin/bash", "-lc", line]);
    completed(&format!(
        r#"{{"type":"CommandExecution","id":"{id}","command":{command},"cwd":"{cwd}","exit_code":{code},"status":"completed"}}"#
    ))
}

#[test]
fn codex_judges_what_the_host_says_that_ran() {
    let other = "the host reports another command, or another directory, than the call asked for";
    for (asked, told, calls, gaps) in [
        (r#"{"cmd":"ls"}"#, ran("k", "ls", "file:///w", 0), 1, &[][..]),
        (r#"{"cmd":"ls","workdir":"src"}"#, ran("k", "ls", "/w/./src/", 0), 1, &[]),
        (r#"{"cmd":"ls","workdir":"/tmp/a"}"#, ran("k", "ls", "/private/tmp/a", 0), 1, &[]),
        (r#"{"cmd":"ls"}"#, ran("k", "ls", "file:///w/%73rc", 0), 2, &[other]),
        (r#"{"cmd":"ls"}"#, ran("k", "rm x", "/w", 0), 2, &[other]),
    ] {
        let (got, found) = codex(&[function("k", "exec_command", asked), told.clone()]);
        assert_eq!(
            (got.len(), found.as_slice()),
            (calls, &gaps.iter().map(|gap| (*gap).to_owned()).collect::<Vec<_>>()[..]),
            "{told}"
        );
    }
    // Only a notice tells of it, or it was begun and never ended.
    assert_eq!(codex(&[ran("n", "rm x", "/w", 0)]).0, [r#"shell ok {"command":["/bin/bash","-lc","rm x"]}"#]);
    let begun = notice(r#"{"type":"patch_apply_begin","call_id":"p","changes":{"/w/x":{"type":"add"}}}"#);
    assert_eq!(codex(&[begun]).0, [r"apply_patch missing *** Begin Patch\n*** Add File: /w/x\n*** End Patch"]);
}

#[test]
fn codex_names_a_patch_that_changed_another_file() {
    let patch = |path: &str| {
        let text = serde_json::Value::from(format!("*** Begin Patch\n*** Add File: {path}\n*** End Patch"));
        item(&format!(r#"{{"type":"custom_tool_call","name":"apply_patch","input":{text},"call_id":"p"}}"#))
    };
    let told = |path: &str| {
        completed(&format!(
            r#"{{"type":"FileChange","id":"p","changes":{{"{path}":{{"type":"add"}}}},"status":"completed"}}"#
        ))
    };
    for (asked, changed, gaps) in [
        ("src/a", "/w/src/a", 0),
        ("./src/../a", "/w/a", 0),
        ("/w/a", "/w/a", 0),
        (r"src\a", "C:/w/src/a", 0),
        ("src/a", "/w/.github/a", 1),
    ] {
        assert_eq!(codex(&[patch(asked), told(changed)]).1.len(), gaps, "{asked} {changed}");
    }
}

#[test]
fn codex_ends_of_calls_are_what_the_host_records() {
    let server = |error: bool| {
        completed(&format!(
            r#"{{"type":"McpToolCall","id":"k","server":"s","tool":"t","arguments":{{}},"status":"completed","result":{{"content":[],"isError":{error}}}}}"#
        ))
    };
    let call = || function("k", "mcp__s__t", "{}");
    let status = |records: &[String]| codex(records).0[0].split(' ').nth(1).unwrap().to_owned();
    assert_eq!(status(&[call(), server(true), output("k", "Wall time: 1\nOutput:\nno")]), "error");
    assert_eq!(status(&[call(), server(false), output("k", "Wall time: 1\nOutput:\nyes")]), "ok");
    let image = || function("k", "view_image", r#"{"path":"a.png"}"#);
    assert_eq!(status(&[image(), output("k", "unable to locate image at `a.png`")]), "error");
    assert_eq!(status(&[image(), output("k", "attached local image path")]), "ok");
}

#[test]
fn codex_refusals_are_proven_by_the_form_of_their_record() {
    let status = |records: &[String]| codex(records).0[0].split(' ').nth(1).unwrap().to_owned();
    let words = "Command blocked by PreToolUse hook: no. Command: rm x";
    let tool = "Tool call blocked by PreToolUse hook: no. Tool: mcp__s__t";
    let command = || function("k", "exec_command", r#"{"cmd":"rm x"}"#);
    assert_eq!(status(&[command(), output("k", words)]), "denied");
    let printed = format!("Chunk ID: 1\nProcess exited with code 0\nOutput:\n{words}");
    assert_eq!(status(&[command(), output("k", &printed)]), "ok");
    assert_eq!(status(&[command(), ran("k", "rm x", "/w", 0), output("k", words)]), "ok");
    // A server could have answered with these words.
    let server = || function("k", "mcp__s__t", "{}");
    assert_eq!(status(&[server(), output("k", tool)]), "missing");
    assert_eq!(status(&[server(), output("k", tool), ran("n", "ls", "/w", 0)]), "denied");
    let told = completed(r#"{"type":"McpToolCall","id":"k","server":"s","tool":"t","status":"completed","result":{}}"#);
    assert_eq!(status(&[server(), told, output("k", tool)]), "ok");
}

#[test]
fn codex_scripts_are_joined_to_what_they_ran() {
    let script = |source: &str| {
        let source = serde_json::Value::from(source);
        item(&format!(r#"{{"type":"custom_tool_call","name":"exec","input":{source},"call_id":"e"}}"#))
    };
    let ended = |texts: &[&str]| {
        let parts: Vec<_> = texts.iter().map(|text| serde_json::json!({"type": "input_text", "text": text})).collect();
        let parts = serde_json::Value::from(parts);
        item(&format!(r#"{{"type":"custom_tool_call_output","call_id":"e","output":{parts}}}"#))
    };
    let turn = || notice(r#"{"type":"task_complete"}"#);
    let calls = |records: &[String]| codex(records).0.split_off(1);
    let (spelled, computed) =
        ("await tools.exec_command({cmd:'ls'})", "for (const x of f) { await tools.exec_command({cmd:`cat ${x}`}) }");
    let done = || ended(&["Script completed\nOutput:\n", "x"]);
    assert_eq!(calls(&[script(spelled), ran("exec-1", "ls", "/w", 3), done()]), [r#"exec_command error {"cmd":"ls"}"#]);
    let both = [script(computed), ran("exec-1", "cat a", "/w", 0), ran("exec-2", "cat b", "/w", 0), done()];
    let (a, b) = (r#"exec_command ok {"cmd":"cat a"}"#, r#"exec_command ok {"cmd":"cat b"}"#);
    assert_eq!(calls(&[&both[..], &[turn()]].concat()), [a, b]);
    // Without the end of a turn it may have started more.
    assert_eq!(calls(&both), [a, b, "exec_command missing -"]);
    assert_eq!(calls(&[script(computed), done(), turn()]), ["exec_command missing -"]);
    let blocked = "Script error:\nCommand blocked by PreToolUse hook: no. Command: cat b";
    let failed = || ended(&["Script failed\nOutput:\n", blocked]);
    assert_eq!(
        calls(&[script(computed), ran("exec-1", "cat a", "/w", 0), failed(), turn()]),
        [a, r#"exec_command denied {"cmd":"cat b"}"#]
    );
    // A script that raises errors itself can write these words.
    let raises = format!("{computed}; throw new Error('x')");
    assert_eq!(calls(&[script(&raises), failed(), turn()]), ["exec_command error -"]);
    // The result objects that a script prints tell how commands ended.
    let printed = r#"{"wall_time_seconds":0.6,"exit_code":127,"output":"no"}"#;
    assert_eq!(
        calls(&[script(spelled), ended(&["Script completed\nOutput:\n", printed])]),
        [r#"exec_command error {"cmd":"ls"}"#]
    );
    assert_eq!(calls(&[script(spelled), done()]), [r#"exec_command missing {"cmd":"ls"}"#]);
}

#[test]
fn codex_scripts_beside_each_other_each_have_what_they_ran() {
    let script = |id: &str, source: &str| {
        let source = serde_json::Value::from(source);
        item(&format!(r#"{{"type":"custom_tool_call","name":"exec","input":{source},"call_id":"{id}"}}"#))
    };
    let ended = |id: &str, words: &str, printed: &str| {
        let parts = serde_json::json!([{"type": "input_text", "text": words}, {"type": "input_text", "text": printed}]);
        item(&format!(r#"{{"type":"custom_tool_call_output","call_id":"{id}","output":{parts}}}"#))
    };
    let done = |id: &str, printed: &str| ended(id, "Script completed\nOutput:\n", printed);
    let calls = |records: &[String]| {
        let all = codex(records).0;
        all.into_iter().filter(|call| !call.starts_with("exec ")).collect::<Vec<_>>()
    };
    let (turn, said) = (notice(r#"{"type":"task_complete"}"#), completed(r#"{"type":"UserMessage","id":"u"}"#));
    let computed =
        |file: &str| format!("text(JSON.stringify(await tools.exec_command({{cmd: 'cat ' + ['{file}'].join('')}})))");
    let spelled = "text(JSON.stringify(await tools.exec_command({cmd: 'ls'})))";
    let (a, b, ls) =
        (r#"exec_command ok {"cmd":"cat a"}"#, r#"exec_command ok {"cmd":"cat b"}"#, r#"exec_command ok {"cmd":"ls"}"#);
    let beside = [script("1", &computed("a")), script("2", &computed("b")), script("3", spelled)];
    let ran = [ran("x1", "cat a", "/w", 0), ran("x2", "cat b", "/w", 0), ran("x3", "ls", "/w", 0)];
    let outputs = [done("1", "{}"), done("2", "{}"), done("3", "{}"), turn.clone()];
    assert_eq!(calls(&[&beside[..], &ran[..], &outputs[..]].concat()), [a, b, ls]);
    // A script that runs on, and that is waited for.
    let cell = ended("1", "Script running with cell ID 7\nOutput:\n", "");
    let wait = function("w", "wait", r#"{"cell_id":"7"}"#);
    let waited = output("w", "Script completed\nOutput:\n");
    let late = [script("1", &computed("a")), cell, wait, ran[0].clone(), waited, turn.clone()];
    assert_eq!(calls(&late), [a, "wait ok {\"cell_id\":\"7\"}"]);
    // Refusals that a script prints, where it can print nothing else.
    let caught =
        |call: &str| format!("try {{ text(JSON.stringify(await {call})) }} catch (error) {{ text(String(error)) }}");
    let blocked = "Command blocked by PreToolUse hook: no. Command: rm x";
    let command =
        |source: &str, printed: &str| calls(&[said.clone(), script("1", source), done("1", printed), turn.clone()]);
    let (rm, computed_rm) = ("tools.exec_command({cmd: 'rm x'})", "tools.exec_command({cmd: ['rm', 'x'].join(' ')})");
    let denied = [r#"exec_command denied {"cmd":"rm x"}"#];
    assert_eq!(command(&caught(rm), blocked), denied);
    // What was computed may have been anything.
    assert!(command(&caught(computed_rm), blocked).iter().all(|call| !call.contains(" denied ")));
    let twice = format!("for (let i = 0; i < 2; i++) {{ {} }}", caught(rm));
    assert!(command(&twice, blocked).iter().all(|call| !call.contains(" denied ")));
    assert_eq!(
        command(&format!("const r = await {rm}; text(r.output)"), blocked),
        [r#"exec_command missing {"cmd":"rm x"}"#]
    );
    let server = "tools.mcp__s__t({})";
    let tool = "Tool call blocked by PreToolUse hook: no. Tool: mcp__s__t";
    assert_eq!(command(&caught(server), tool), ["mcp__s__t denied {}"]);
    // The host tells later that it tells of calls, or it does not.
    let early = [script("1", &caught(server)), done("1", tool)];
    assert_eq!(calls(&[&early[..], std::slice::from_ref(&said)].concat()), ["mcp__s__t denied {}"]);
    assert_eq!(calls(&early), ["mcp__s__t ok {}"]);
    assert_eq!(calls(&[script("1", &caught(rm)), done("1", blocked)]), denied);
    // A server could answer for a command, and for another server.
    let both = format!("{rm}; {}", caught(server));
    assert_eq!(command(&both, blocked), [r#"exec_command missing {"cmd":"rm x"}"#, "mcp__s__t missing {}"]);
    let other = format!("tools.mcp__r__t({{}}); {}", caught(server));
    assert_eq!(command(&other, tool), ["mcp__r__t missing {}", "mcp__s__t missing {}"]);
    // It ran, whatever is printed.
    let told = codex(&[
        said.clone(),
        script("1", &caught(rm)),
        self::ran("x", "rm x", "/w", 0),
        done("1", blocked),
        turn.clone(),
    ])
    .0;
    assert!(told.contains(&r#"exec_command ok {"cmd":"rm x"}"#.to_owned()), "{told:?}");
    let patch = "tools.apply_patch('*** Begin Patch\\n*** Add File: a\\n*** End Patch')";
    let failed = "apply_patch verification failed: no";
    let missing = command(&caught(patch), "{}");
    assert!(
        command(&caught(patch), failed)[0].starts_with("apply_patch error ")
            && missing[0].starts_with("apply_patch missing ")
    );
}

#[test]
fn codex_records_of_unknown_kinds_that_look_like_calls_are_not_passed_over() {
    let call =
        item(r#"{"type":"shell_call_2","name":"shell","arguments":"{\"command\":[\"rm\",\"x\"]}","call_id":"k"}"#);
    assert_eq!(codex(&[call]).0, [r#"shell missing {"command":["rm","x"]}"#]);
    for unnamed in [
        item(r#"{"type":"remote_shell_call","action":{"command":["rm"]},"call_id":"k"}"#),
        notice(r#"{"type":"remote_exec","command":["rm"]}"#),
        completed(r#"{"type":"RemoteExecution","id":"x","command":["rm"]}"#),
    ] {
        assert_eq!(codex(std::slice::from_ref(&unnamed)).1.len(), 1, "{unnamed}");
    }
    for side in [
        notice(r#"{"type":"agent_message","message":"hi"}"#),
        completed(r#"{"type":"AgentMessage","id":"x","content":[]}"#),
        item(r#"{"type":"additional_tools","role":"developer","tools":[]}"#),
    ] {
        assert_eq!(codex(std::slice::from_ref(&side)).1, Vec::<String>::new(), "{side}");
    }
}

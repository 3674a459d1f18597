//! What ran, how it ended and whether it was refused, as the host's own records say it.

use super::*;

/// The calls of a log, each `tool status arguments`, and the reasons of its gaps.
fn read(name: &str, lines: &[String]) -> (Vec<String>, Vec<String>) {
    let log = Log::new(name, lines.join("\n").into_bytes());
    let reading = log.read();
    let [session] = reading.sessions.as_slice() else { panic!("{name}: {} sessions", reading.sessions.len()) };
    let arguments = |arguments: &Arguments<'_>| match arguments {
        Arguments::Json(text) | Arguments::Text(text) => text.replace('\n', "\\n"),
        Arguments::Missing => "-".to_owned(),
    };
    let calls =
        session.calls().map(|(_, call)| format!("{} {} {}", call.tool, call.status.name(), arguments(&call.arguments)));
    (calls.collect(), reading.gaps.iter().map(agent_strace_model::Gap::reason).collect())
}

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

/// Status of each call.
fn statuses(name: &str, lines: &[&str]) -> Vec<String> {
    let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    let (calls, _) = read(name, &lines);
    calls.iter().map(|call| call.split(' ').nth(1).unwrap().to_owned()).collect()
}

#[test]
fn gemini_takes_the_end_of_a_call_from_the_hosts_own_fields() {
    for (status, response, wanted) in [
        (
            "success",
            r#"{"output":"<untrusted_context>\nOutput: x\nExit Code: 3\nProcess Group PGID: 1\n</untrusted_context>"}"#,
            "error",
        ),
        ("success", r#"{"output":"Output: Exit Code: 3\nfine"}"#, "ok"),
        ("success", r#"{"output":"Output: x\nError: (none)\nExit Code: 0\nSignal: 0\nBackground PIDs: (none)"}"#, "ok"),
        ("error", r#"{"error":"Tool execution blocked: no"}"#, "denied"),
        ("error", r#"{"error":"Error: Tool execution blocked: no"}"#, "error"),
        ("error", r#"{"output":"x","error":"Tool execution blocked: no"}"#, "error"),
        ("cancelled", r#"{"error":"[Operation Cancelled] Reason: User did not allow tool call"}"#, "denied"),
        ("cancelled", r#"{"output":"Command was cancelled by user.\nUser denied execution"}"#, "interrupted"),
    ] {
        let call = format!(
            r#"{{"id":"m","type":"gemini","toolCalls":[{{"id":"c","name":"run_shell_command","args":{{"command":"x"}},"status":"{status}","result":[{{"functionResponse":{{"id":"c","name":"run_shell_command","response":{response}}}}}]}}]}}"#
        );
        assert_eq!(statuses("gemini.jsonl", &[&call]), [wanted], "{response}");
    }
}

#[test]
fn gemini_finds_the_project_that_a_session_belongs_to() {
    let root = |lines: &[&str]| {
        let log = Log::new("gemini.jsonl", lines.join("\n").into_bytes());
        let reading = log.read();
        reading.sessions[0].root.as_deref().unwrap_or("-").to_owned()
    };
    // SHA-256 of `/w/app`.
    let found = "ece9371bedcbc1139e32f73cc67f0e41d989923d6c820725b6bc0a499922f610";
    let head = format!(r#"{{"sessionId":"g","projectHash":"{found}","startTime":"t"}}"#);
    let call = r#"{"id":"m","type":"gemini","toolCalls":[{"id":"c","name":"read_file","args":{"file_path":"/w/app/src/a"},"status":"success"}]}"#;
    assert_eq!(root(&[&head, call]), "/w/app");
    let listed = r#"{"sessionId":"g","projectHash":"0","startTime":"t","directories":["/w/b"]}"#;
    assert_eq!(root(&[listed, call]), "/w/b");
    let introduced = r#"{"id":"u","type":"user","content":[{"text":"<session_context>\n- **Workspace Directories:**\n  - /w/c\n- **Directory\n</session_context>"}]}"#;
    assert_eq!(root(&[r#"{"sessionId":"g","projectHash":"0","startTime":"t"}"#, introduced]), "/w/c");
}

#[test]
fn logs_name_the_top_of_the_repository() {
    let copilot = r#"{"type":"session.start","id":"1","timestamp":"2026-05-01T10:00:00Z","data":{"sessionId":"c","producer":"copilot-agent","copilotVersion":"1.0.0","context":{"cwd":"/w/app/infra","gitRoot":"/w/app"}}}"#;
    let open_code = r#"{"info":{"id":"ses_1","directory":"/w/app/infra","projectID":"p"},"messages":[{"info":{"id":"m","role":"assistant","sessionID":"ses_1","path":{"cwd":"/w/app/infra","root":"/w/app"}},"parts":[]}]}"#;
    for (name, text) in [("copilot.jsonl", copilot), ("opencode.json", open_code)] {
        let log = Log::new(name, text.as_bytes().to_vec());
        let reading = log.read();
        let found = (reading.sessions[0].root.as_deref(), reading.sessions[0].top.as_deref());
        assert_eq!(found, (Some("/w/app/infra"), Some("/w/app")), "{name}");
    }
}

#[test]
fn kimi_joins_the_pieces_of_a_calls_arguments() {
    let record =
        |kind: &str, payload: &str| format!(r#"{{"timestamp":1.0,"message":{{"type":"{kind}","payload":{payload}}}}}"#);
    let call = |id: &str, arguments: &str| {
        let arguments = serde_json::Value::from(arguments);
        record(
            "ToolCall",
            &format!(r#"{{"type":"function","id":"{id}","function":{{"name":"Shell","arguments":{arguments}}}}}"#),
        )
    };
    let piece =
        |text: &str| record("ToolCallPart", &format!(r#"{{"arguments_part":{}}}"#, serde_json::Value::from(text)));
    let result = |id: &str| {
        record("ToolResult", &format!(r#"{{"tool_call_id":"{id}","return_value":{{"is_error":false,"output":""}}}}"#))
    };
    let inside = |event: &str| {
        let event = event.split_once(r#""message":"#).unwrap().1.strip_suffix('}').unwrap();
        record("SubagentEvent", &format!(r#"{{"parent_tool_call_id":"t","event":{event}}}"#))
    };
    let start = r#"{"type":"metadata","protocol_version":"1.3"}"#.to_owned();
    let (one, two) = (r#"Shell ok {"command":"rm a"}"#, r#"Shell missing {"command":"ls"}"#);
    // Results and calls of other agents come between.
    let lines = [
        start.clone(),
        call("t1", r#"{"command":"r"#),
        piece("m "),
        inside(&call("t2", r#"{"command""#)),
        result("t1"),
        piece("a\"}"),
        inside(&piece(r#":"ls"}"#)),
    ];
    let (calls, gaps) = read("wire.jsonl", &lines);
    assert_eq!((calls, gaps.len()), (vec![one.to_owned(), two.to_owned()], 0));
    let apart = [start, call("t1", r#"{"command":"ls"}"#), piece("x")];
    assert_eq!(read("wire.jsonl", &apart).1.len(), 1);
}

#[test]
fn kimi_counts_a_request_that_is_recorded_before_its_step_once() {
    let usage = r#"{"inputOther":10,"output":5,"inputCacheRead":3,"inputCacheCreation":0}"#;
    let recorded = format!(r#"{{"type":"usage.record","usage":{usage},"time":1}}"#);
    let step = |id: &str| {
        format!(
            r#"{{"type":"context.append_loop_event","event":{{"type":"step.end","uuid":"{id}","usage":{usage},"messageId":"{id}"}},"time":1}}"#
        )
    };
    let used = |lines: &[&str]| {
        let log = Log::new("wire.jsonl", lines.join("\n").into_bytes());
        let reading = log.read();
        (reading.sessions[0].usage.requests, reading.sessions[0].usage.input)
    };
    assert_eq!(used(&[&recorded, &step("a"), &recorded, &step("b")]), (2, 20));
    assert_eq!(used(&[&step("a"), &recorded, &step("b"), &recorded]), (2, 20));
    // One outside the steps.
    assert_eq!(used(&[&recorded, &step("a"), &recorded]), (2, 20));
}

#[test]
fn qwen_counts_other_agents_requests_and_repeated_records_once() {
    let telemetry = |uuid: &str, event: &str| {
        format!(
            r#"{{"uuid":"{uuid}","sessionId":"s","type":"system","subtype":"ui_telemetry","cwd":"/w","systemPayload":{{"uiEvent":{event}}}}}"#
        )
    };
    let answer = |uuid: &str, prompt: &str| {
        telemetry(
            uuid,
            &format!(
                r#"{{"event.name":"qwen-code.api_response","response_id":"{uuid}","input_token_count":100,"output_token_count":7,"total_token_count":107,"prompt_id":"{prompt}"}}"#
            ),
        )
    };
    let call = |uuid: &str, extra: &str| {
        telemetry(
            uuid,
            &format!(
                r#"{{"event.name":"qwen-code.tool_call","function_name":"read_file","function_args":{{"file_path":"a"}},"status":"success"{extra},"prompt_id":"s#general-1#0"}}"#
            ),
        )
    };
    let read = |lines: &[String]| {
        let log = Log::new("qwen.jsonl", lines.join("\n").into_bytes());
        let reading = log.read();
        (reading.sessions[0].calls().count(), reading.sessions[0].usage.input)
    };
    assert_eq!(read(&[answer("a", "s########0"), answer("b", "s#general-1#0"), call("c", "")]), (1, 100));
    assert_eq!(read(&[call("c", ""), call("c", ""), answer("b", "s#g-1#0"), answer("b", "s#g-1#0")]), (1, 100));
    // The agent has a log of its own, which tells what it used.
    assert_eq!(read(&[answer("b", "s#general-1#0"), call("c", r#","call_id":"k""#)]), (1, 0));
}

#[test]
fn cursor_judges_what_the_end_of_a_call_says_that_ran() {
    let start = r#"{"type":"system","subtype":"init","cwd":"/w","session_id":"u"}"#;
    let call = |subtype: &str, args: &str, result: &str| {
        format!(
            r#"{{"type":"tool_call","subtype":"{subtype}","call_id":"c","tool_call":{{"shellToolCall":{{"args":{args}{result}}}}},"session_id":"u"}}"#
        )
    };
    let ended = |args: &str, success: &str| call("completed", args, &format!(r#","result":{{"success":{success}}}"#));
    let (ls, rm) = (r#"{"command":"ls","workingDirectory":""}"#, r#"{"command":"rm x"}"#);
    for (lines, calls, gaps) in [
        (vec![call("started", ls, ""), ended(ls, r#"{"command":"ls","workingDirectory":"/w","exitCode":0}"#)], 1, 0),
        (vec![ended(ls, r#"{"command":"rm x","exitCode":0}"#)], 2, 1),
        (vec![call("started", rm, ""), ended(ls, r#"{"exitCode":0}"#)], 2, 1),
    ] {
        let end = r#"{"type":"result","subtype":"success","is_error":false,"session_id":"u"}"#;
        let lines: Vec<String> = std::iter::once(start.to_owned()).chain(lines).chain([end.to_owned()]).collect();
        let (read, found) = read("cursor.jsonl", &lines);
        assert_eq!((read.len(), found.len()), (calls, gaps), "{read:?}");
    }
}

#[test]
fn copilot_judges_what_hooks_and_the_host_made_of_a_call() {
    let event = |kind: &str, data: &str| {
        format!(r#"{{"type":"{kind}","data":{data},"id":"{kind}","timestamp":"2026-03-02T09:00:01Z"}}"#)
    };
    let start = event("session.start", r#"{"sessionId":"p","context":{"cwd":"/w"}}"#);
    let asked = event(
        "hook.start",
        r#"{"hookInvocationId":"h","hookType":"preToolUse","input":{"toolName":"bash","toolArgs":{"command":"ls"}}}"#,
    );
    let changed = event(
        "hook.end",
        r#"{"hookInvocationId":"h","hookType":"preToolUse","output":{"modifiedArgs":{"command":"rm x"}}}"#,
    );
    let call = |tool: &str, arguments: &str| {
        event("tool.execution_start", &format!(r#"{{"toolCallId":"c","toolName":"{tool}","arguments":{arguments}}}"#))
    };
    let ended = |more: &str| {
        event(
            "tool.execution_complete",
            &format!(r#"{{"toolCallId":"c","success":true,"result":{{"content":"x"}}{more}}}"#),
        )
    };
    let calls = |records: &[String]| {
        let lines: Vec<String> = std::iter::once(start.clone()).chain(records.iter().cloned()).collect();
        read("events.jsonl", &lines)
    };
    let (ls, rm) = (r#"{"command":"ls"}"#, r#"{"command":"rm x"}"#);
    let both = calls(&[asked.clone(), changed.clone(), call("bash", ls), ended("")]).0;
    assert_eq!(both, [r#"bash ok {"command":"ls"}"#, r#"bash missing {"command":"rm x"}"#]);
    assert_eq!(calls(&[asked, changed, call("bash", rm), ended("")]).0, [r#"bash ok {"command":"rm x"}"#]);
    let failed = r#","shellExecution":{"exitCode":3}"#;
    assert_eq!(calls(&[call("bash", ls), ended(failed)]).0, [r#"bash error {"command":"ls"}"#]);
    let edit = |path: &str| {
        calls(&[
            call("create", r#"{"path":"/w/a.py"}"#),
            ended(&format!(r#","fileEdits":[{{"path":"{path}","kind":"create"}}]"#)),
        ])
        .1
        .len()
    };
    assert_eq!((edit("/w/a.py"), edit("/w/.github/x.yml")), (0, 1));
    let many = |prefix: &str| (0..2_000).map(|at| format!("{prefix}d/f{at}")).collect::<Vec<_>>();
    let heads: Vec<_> = many(r"*** Add File: ").iter().map(|head| format!(r"{head}\n+x\n")).collect();
    let patch = format!(r#"{{"input":"*** Begin Patch\n{}*** End Patch"}}"#, heads.concat());
    let edits: Vec<_> = many("/w/").iter().map(|path| format!(r#"{{"path":"{path}","kind":"create"}}"#)).collect();
    let edits = ended(&format!(r#","fileEdits":[{}]"#, edits.join(",")));
    assert!(calls(&[call("apply_patch", &patch), edits]).1.is_empty());
}

#[test]
fn what_may_be_a_call_is_not_passed_over() {
    let said = |name: &str, lines: &[&str]| {
        let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        let (calls, gaps) = read(name, &lines);
        (calls.len(), gaps.len())
    };
    let qwen = |part: &str| {
        format!(
            r#"{{"uuid":"u","sessionId":"s","type":"assistant","cwd":"/w","message":{{"role":"model","parts":[{part}]}}}}"#
        )
    };
    assert_eq!(said("qwen.jsonl", &[&qwen(r#"{"toolCall":{"id":"c","name":"x","args":{}}}"#)]), (0, 1));
    assert_eq!(
        said("qwen.jsonl", &[&qwen(r#"{"inlineData":{"mimeType":"image/png"}},{"text":"x","thoughtSignature":"s"}"#)]),
        (0, 0)
    );
    let gemini = |part: &str| format!(r#"{{"id":"m","type":"gemini","content":[{part}]}}"#);
    assert_eq!(said("gemini.jsonl", &[&gemini(r#"{"functionCall":{"id":"c","name":"x","args":{}}}"#)]), (1, 0));
    assert_eq!(said("gemini.jsonl", &[&gemini(r#"{"executableCode":{"code":"x"}}"#)]), (0, 1));
    let copilot = |kind: &str, data: &str| {
        format!(r#"{{"type":"{kind}","data":{data},"id":"i","timestamp":"2026-03-02T09:00:01Z"}}"#)
    };
    let call = r#"{"callId":"c","name":"bash","arguments":{"command":"ls"}}"#;
    assert_eq!(said("events.jsonl", &[&copilot("assistant.tool_call", call)]), (1, 0));
    let asked = [copilot("assistant.tool_call", call), copilot("tool.user_requested", call)];
    assert_eq!(said("events.jsonl", &[&asked[0], &asked[1]]), (1, 0));
    let cursor = r#"{"type":"tool_call","subtype":"completed","call_id":"c","tool_call":{"readToolCall":{"args":{"path":"a"}},"shellToolCall":{"args":{"command":"rm x"}}},"session_id":"u"}"#;
    assert_eq!(said("cursor.jsonl", &[cursor]), (2, 1));
}

#[test]
fn reports_of_one_item_that_differ_are_both_judged() {
    let item = |event: &str, command: &str, status: &str| {
        format!(
            r#"{{"type":"item.{event}","item":{{"id":"i","type":"command_execution","command":"{command}","status":"{status}"}}}}"#
        )
    };
    let read = |ended: &str| {
        let lines = [
            r#"{"type":"thread.started","thread_id":"t"}"#.to_owned(),
            item("started", "ls", "in_progress"),
            item("completed", ended, "completed"),
        ];
        let (calls, gaps) = read("exec.jsonl", &lines);
        (calls.len(), gaps.len())
    };
    assert_eq!((read("ls"), read("rm x")), ((1, 0), (2, 1)));
}

//! What ran, how it ended and whether it was refused, as the host's own records say it.

mod codex;

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

const REFUSAL: &str = "agent-strace: the scope of this repository does not allow this call: reads `.env`";

#[test]
fn kimi_gives_the_gates_refusal_as_the_error_of_a_call() {
    let event = |event: &str| {
        format!(r#"{{"type":"context.append_loop_event","agentId":"main","event":{event},"time":1780304400000}}"#)
    };
    let call = |id: &str, tool: &str| {
        event(&format!(
            r#"{{"type":"tool.call","uuid":"u{id}","toolCallId":"{id}","name":"{tool}","args":{{"command":"cat .env"}}}}"#
        ))
    };
    let result = |id: &str, output: &str, more: &str| {
        let output = serde_json::Value::from(output);
        event(&format!(
            r#"{{"type":"tool.result","parentUuid":"u{id}","toolCallId":"{id}","result":{{"output":{output},"isError":true{more}}}}}"#
        ))
    };
    let status = |lines: &[String]| {
        let start = r#"{"type":"metadata","protocol_version":"1.5","created_at":1780304400000}"#.to_owned();
        let lines: Vec<String> = std::iter::once(start).chain(lines.iter().cloned()).collect();
        let (calls, _) = read("wire.jsonl", &lines);
        calls.last().unwrap().split(' ').nth(1).unwrap().to_owned()
    };
    let duration = r#","durationMs":1"#;
    let (bash, server) = (call("k", "Bash"), call("k", "mcp__s__t"));
    assert_eq!(status(&[bash.clone(), result("k", REFUSAL, duration)]), "denied");
    // A command can print it, but the host adds how it ended; a server can answer with it, and older hosts tell less.
    let printed = format!("{REFUSAL}\nCommand failed with exit code: 1.");
    assert_eq!(status(&[bash.clone(), result("k", &printed, duration)]), "error");
    assert_eq!(status(&[server, result("k", REFUSAL, duration)]), "error");
    assert_eq!(status(&[bash.clone(), result("k", REFUSAL, "")]), "error");
    // The agent may end a command in its own words.
    assert_eq!(status(&[call("s", "TaskStop"), bash, result("k", REFUSAL, duration)]), "error");
}

#[test]
fn qwen_gives_the_gates_refusal_as_the_error_of_a_sub_agents_call() {
    let record = |kind: &str, role: &str, part: &str, more: &str| {
        format!(
            r#"{{"uuid":"{kind}","sessionId":"s","timestamp":"2026-06-01T09:00:00Z","type":"{kind}","cwd":"/w","version":"0.24.4","agentId":"a-1","isSidechain":true,"message":{{"role":"{role}","parts":[{part}]}}{more}}}"#
        )
    };
    let status = |tool: &str, error: &str, outcome: &str| {
        let call = format!(r#"{{"functionCall":{{"id":"k","name":"{tool}","args":{{"command":"cat .env"}}}}}}"#);
        let error = serde_json::Value::from(error);
        let answer = format!(r#"{{"functionResponse":{{"id":"k","name":"{tool}","response":{{"error":{error}}}}}}}"#);
        let more = format!(r#","toolCallResult":{{"callId":"k"{outcome}}}"#);
        let lines = [record("assistant", "model", &call, ""), record("tool_result", "user", &answer, &more)];
        let (calls, _) = read("agent.jsonl", &lines);
        calls[0].split(' ').nth(1).unwrap().to_owned()
    };
    assert_eq!(status("run_shell_command", REFUSAL, ""), "denied");
    assert_eq!(status("run_shell_command", &format!("Command: cat x\nOutput: {REFUSAL}"), ""), "error");
    assert_eq!(status("mcp__s__t", REFUSAL, ""), "error");
    // Where the host says how it ended, that counts.
    assert_eq!(status("run_shell_command", REFUSAL, r#","status":"error""#), "error");
}

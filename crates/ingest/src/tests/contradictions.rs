//! Compares the host's record of a call with the call.

use crate::Log;
use agent_strace_model::{Access, EventKind, Status};

/// The calls of a log that did not end as refused, and the kinds of its gaps.
fn read(records: &[String]) -> (usize, Vec<&'static str>) {
    let log = Log::new("a.jsonl", records.join("\n").into_bytes());
    let reading = log.read();
    let calls = reading.sessions.iter().flat_map(|session| session.calls().map(|(_, call)| call.status));
    let kinds = reading.gaps.iter().map(|gap| gap.kind.name()).collect();
    (calls.filter(|status| *status != Status::Denied).count(), kinds)
}

/// The files that a log tells of outside of calls.
fn files(records: &[String]) -> Vec<(Access, String)> {
    let log = Log::new("a.jsonl", records.join("\n").into_bytes());
    let reading = log.read();
    let events = reading.sessions.iter().flat_map(|session| &session.events);
    let files = events.filter_map(|event| match &event.kind {
        EventKind::File(file) => Some((file.access, file.target.clone().into_owned())),
        _ => None,
    });
    files.collect()
}

const CURSOR_END: &str = r#"{"type":"result","subtype":"success","session_id":"c"}"#;

const OTHER: &str = "contradiction";

/// A call of Claude Code and its result, with these fields beside the message of the result.
fn claude(name: &str, input: &str, beside: &str) -> Vec<String> {
    let head = r#""sessionId":"s","cwd":"/w""#;
    vec![
        format!(
            r#"{{"type":"assistant","uuid":"a",{head},"message":{{"role":"assistant","content":[{{"type":"tool_use","id":"t","name":"{name}","input":{input}}}]}}}}"#
        ),
        format!(
            r#"{{"type":"user","uuid":"r",{head},{beside},"message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t","content":"ok"}}]}}}}"#
        ),
    ]
}

#[test]
fn claude_tells_of_another_file_or_command() {
    for (name, input, told, is_other) in [
        ("Write", r#"{"file_path":"x/key"}"#, r#"{"filePath":"/w/x/key"}"#, false),
        ("Write", r#"{"file_path":"x/key"}"#, r#"{"filePath":"/w/secrets/key"}"#, true),
        ("Write", r#"{"file_path":"/w/a/../ok"}"#, r#"{"filePath":"/w/ok"}"#, false),
        ("Write", r#"{"file_path":"/w/a/../ok"}"#, r#"{"filePath":"/w/secrets/key"}"#, true),
        ("NotebookEdit", r#"{"notebook_path":"a"}"#, r#"{"filePath":"/w/b"}"#, true),
        ("NotebookEdit", r#"{"notebook_path":"/w/a"}"#, r#"{"notebook_path":"/w/a","new_source":""}"#, false),
        ("NotebookEdit", r#"{"notebook_path":"/w/a"}"#, r#"{"notebook_path":"/w/b","new_source":""}"#, true),
        ("Bash", r#"{"command":"ls"}"#, r#"{"command":"ls ","stdout":""}"#, false),
        ("Bash", r#"{"command":"ls"}"#, r#"{"command":"id","stdout":""}"#, true),
    ] {
        let (_, gaps) = read(&claude(name, input, &format!(r#""toolUseResult":{told}"#)));
        assert_eq!(gaps == [OTHER], is_other, "{input} {told} {gaps:?}");
    }
}

/// A `cd` that the log does not show may have led a call elsewhere: the file that the host names is an access of its own.
#[test]
fn a_relative_path_that_leads_elsewhere_is_judged_where_the_host_says() {
    let cursor = |tool: &str, told: &str| {
        let start = r#"{"type":"system","subtype":"init","cwd":"/w","session_id":"c"}"#.to_owned();
        let call = format!(
            r#"{{"type":"tool_call","subtype":"completed","call_id":"k","tool_call":{{"{tool}":{{"args":{{"path":"key"}},"result":{{"success":{{"path":"{told}"}}}}}}}},"session_id":"c"}}"#
        );
        vec![start, call, CURSOR_END.to_owned()]
    };
    let claude = |tool: &str, told: &str| {
        claude(tool, r#"{"file_path":"key"}"#, &format!(r#""toolUseResult":{{"filePath":"{told}"}}"#))
    };
    for (records, access) in [
        (claude("Read", "/w/sub/key"), Access::Read),
        (claude("Edit", "/w/sub/key"), Access::Write),
        (cursor("readToolCall", "/w/sub/key"), Access::Read),
        (cursor("editToolCall", "/w/sub/key"), Access::Write),
        (cursor("deleteToolCall", "/w/sub/key"), Access::Delete),
    ] {
        assert_eq!(read(&records), (1, vec![]), "{records:?}");
        assert_eq!(files(&records), [(access, "/w/sub/key".to_owned())], "{records:?}");
    }
    for records in [claude("Read", "/w/key"), cursor("readToolCall", "/w/./key")] {
        assert!(files(&records).is_empty(), "{records:?}");
    }
}

#[test]
fn other_input_is_read_as_well_wherever_claude_tells_of_it() {
    let call = claude("Bash", r#"{"command":"ls"}"#, r#""x":1"#);
    let output = r#"{\"hookSpecificOutput\":{\"updatedInput\":{\"command\":\"id\"}}}"#;
    let hook = |printed: &str| {
        format!(
            r#"{{"type":"attachment","sessionId":"s","uuid":"h","attachment":{{"type":"hook_success","toolUseID":"t",{printed}}}}}"#
        )
    };
    for printed in [
        format!(r#""stdout":"{output}""#),
        format!(r#""content":"{output}""#),
        format!(r#""stdout":"note\n{output}""#),
        format!(r#""stdout":"note\n{}""#, output.replace(":{", r":\n{")),
    ] {
        let [asked, result] = call.as_slice() else { panic!("a call and its result") };
        for records in
            [[asked.clone(), hook(&printed), result.clone()], [hook(&printed), asked.clone(), result.clone()]]
        {
            assert_eq!(read(&records), (2, vec![]), "{printed}");
        }
    }
    let decided = claude(
        "Bash",
        r#"{"command":"ls"}"#,
        r#""permissionDecision":{"decision":"accept","updatedInput":{"command":"id"}}"#,
    );
    assert_eq!(read(&decided), (2, vec![]));
    let answer = |input: &str| {
        format!(
            r#"{{"type":"control_response","sessionId":"s","response":{{"behavior":"allow","updatedInput":{input}}}}}"#
        )
    };
    let with = |input: &str| read(&[call.clone(), vec![answer(input)]].concat()).1;
    assert!(with(r#"{"command":"ls"}"#).is_empty());
    assert_eq!(with(r#"{"command":"id"}"#), ["unknown_record"]);
}

/// Events of Copilot CLI between the start of a session and its end.
fn copilot(events: &[(&str, &str)]) -> (usize, Vec<&'static str>) {
    let start = ("session.start", r#""sessionId":"c","version":1,"context":{"cwd":"/w"}"#);
    let end = ("session.shutdown", r#""shutdownType":"routine""#);
    let all = [&[start][..], events, &[end]].concat();
    let record = |(at, (kind, data)): (usize, &(&str, &str))| {
        format!(r#"{{"type":"{kind}","data":{{{data}}},"id":"e{at}","timestamp":"t"}}"#)
    };
    read(&all.iter().enumerate().map(record).collect::<Vec<_>>())
}

#[test]
fn copilot_tells_of_another_file() {
    let create = r#""toolCallId":"a","toolName":"create","arguments":{"path":"key","file_text":"name"}"#;
    let done = |path: &str| {
        let done =
            format!(r#""toolCallId":"a","success":true,"result":{{"content":"ok"}},"fileEdits":[{{"path":"{path}"}}]"#);
        copilot(&[("tool.execution_start", create), ("tool.execution_complete", &done)]).1
    };
    assert!(done("/w/key").is_empty());
    assert_eq!(done("/w/secrets/key"), [OTHER]);
    assert_eq!(done("/w/secrets/name"), [OTHER]);
}

#[test]
fn copilot_hooks_give_other_arguments_in_many_forms() {
    let run = |id: &str, command: &str| {
        format!(r#""toolCallId":"{id}","toolName":"bash","arguments":{{"command":"{command}"}}"#)
    };
    let (ls, id) = (run("a", "ls"), run("z", "id"));
    let start = r#""hookInvocationId":"h","hookType":"PreToolUse","input":{"toolName":"bash","toolArgs":"{\"command\":\"ls\"}"}"#;
    let ended = |output: &str| format!(r#""hookInvocationId":"h","hookType":"preToolUse","output":{output}"#);
    let end = ended(r#"{"modifiedArgs":{"command":"id"}}"#);
    let text = ended(r#""{\"modifiedArgs\":{\"command\":\"id\"}}""#);
    let call = ("tool.execution_start", ls.as_str());
    assert_eq!(copilot(&[("hook.start", start), ("hook.end", &end), call]), (2, vec![]));
    assert_eq!(copilot(&[("hook.start", start), ("hook.end", &end), ("hook.end", &end), call]).1, Vec::<&str>::new());
    assert_eq!(copilot(&[("hook.end", &end), call]).1, [OTHER]);
    assert_eq!(copilot(&[("hook.start", start), ("hook.end", &text), call]).1, [OTHER]);
    // Each of two ends gives other arguments.
    let other = ended(r#"{"modifiedArgs":{"command":"rm x"}}"#);
    assert_eq!(copilot(&[("hook.start", start), ("hook.end", &end), ("hook.end", &other), call]), (2, vec![OTHER]));
    // A call that was refused did not run with these arguments.
    let refused = r#""requestId":"r","toolCallId":"z","result":{"kind":"denied-by-rules"}"#;
    let twin = [("tool.execution_start", id.as_str()), ("permission.completed", refused)];
    assert_eq!(copilot(&[&twin[..], &[("hook.start", start), ("hook.end", &end), call]].concat()).0, 2);
}

#[test]
fn copilot_hooks_about_many_calls_are_read_in_one_pass() {
    let count = 2_000;
    let calls = |tool: &dyn Fn(usize) -> String| {
        let calls: Vec<_> = (0..count).map(|at| format!(r#"{{"id":"k{at}","name":"{}"}}"#, tool(at))).collect();
        format!(r#""hookInvocationId":"h","hookType":"preToolUse","input":{{"toolCalls":[{}]}}"#, calls.join(","))
    };
    let end = |output: &str| format!(r#""hookInvocationId":"h","hookType":"preToolUse","output":{output}"#);
    let one = end(r#"{"modifiedArgs":{"command":"id"}}"#);
    let each: Vec<_> = (0..count).map(|at| format!(r#""k{at}":{{"modifiedArgs":{{"command":"{at}"}}}}"#)).collect();
    let each = end(&format!("{{{}}}", each.join(",")));
    let (same, named) = (calls(&|_| "bash".to_owned()), calls(&|at| format!("t{at}")));
    let mut ends = vec![("hook.start", same.as_str())];
    ends.extend(vec![("hook.end", one.as_str()); count]);
    assert_eq!(copilot(&ends), (1, vec![]));
    assert_eq!(copilot(&[("hook.start", &same), ("hook.end", &each)]), (count, vec![]));
    assert_eq!(copilot(&[("hook.start", &named), ("hook.end", &one)]).1, ["limit_reached"]);
}

#[test]
fn copilot_hooks_that_only_speak_of_arguments_give_none() {
    let run = r#""toolCallId":"a","toolName":"bash","arguments":{"command":"ls"}"#;
    let gaps = |kind: &str, output: &str| {
        let start = format!(
            r#""hookInvocationId":"h","hookType":"{kind}","input":{{"toolName":"bash","toolArgs":{{"command":"ls"}}}}"#
        );
        let end = format!(r#""hookInvocationId":"h","hookType":"{kind}","output":{output}"#);
        copilot(&[("hook.start", &start), ("hook.end", &end), ("tool.execution_start", run)]).1
    };
    let object = r#"{"x":{"updatedInput":{"command":"id"}}}"#;
    let text = r#"{"stdout":"{\"updatedInput\":{\"command\":\"id\"}}"}"#;
    for (kind, output) in [
        ("preToolUse", r#"{"permissionDecision":"allow","modifiedArgs":null}"#),
        ("preToolUse", r#"{"additionalContext":"set updatedInput to change"}"#),
        ("postToolUse", r#"{"additionalContext":"set updatedInput to change"}"#),
        ("sessionStart", text),
    ] {
        assert_eq!(gaps(kind, output), Vec::<&str>::new(), "{kind} {output}");
    }
    for (kind, output) in [("preToolUse", object), ("preToolUse", text), ("unknown", object), ("unknown", text)] {
        assert_eq!(gaps(kind, output), [OTHER], "{kind} {output}");
    }
}

#[test]
fn openhands_tells_what_came_of_a_call_that_became_no_action() {
    let event = |kind: &str, more: &str| {
        format!(r#"{{"id":"{kind}","timestamp":"t","source":"agent","kind":"{kind}","tool_name":"terminal",{more}}}"#)
    };
    let asked = event(
        "ActionEvent",
        r#""action":null,"tool_call_id":"c","tool_call":{"id":"c","name":"terminal","arguments":"{\"command\":\"id\"}"}"#,
    );
    let observed = |links: &str| {
        let more = format!(r#""observation":{{"kind":"TerminalObservation","content":[],"exit_code":0}},{links}"#);
        event("ObservationEvent", &more)
    };
    let error = event("AgentErrorEvent", r#""tool_call_id":"c","error":"no such tool""#);
    assert_eq!(read(&[asked.clone(), error]), (0, vec![]));
    for links in [r#""tool_call_id":"c""#, r#""action_id":"ActionEvent""#, r#""tool_call_id":"c","action_id":"x""#] {
        assert_eq!(read(&[asked.clone(), observed(links)]), (1, vec![OTHER]), "{links}");
    }
    assert_eq!(read(&[observed(r#""tool_call_id":"c""#), asked]), (0, vec!["missing"]));
}

#[test]
fn mini_swe_agent_tells_what_came_of_a_call_that_became_no_action() {
    let log = |actions: &str, calls: &str, result: &str| {
        read(&[format!(
            r#"{{"trajectory_format":"mini-swe-agent-1.1","info":{{}},"messages":[{{"role":"assistant","content":"x",{calls},"extra":{{"actions":[{actions}]}}}},{result}]}}"#
        )])
    };
    let call = r#"{"id":"a","type":"function","function":{"name":"bash","arguments":"{\"command\":\"id\"}"}}"#;
    let output =
        r#""output":[{"type":"function_call","call_id":"a","name":"bash","arguments":"{\"command\":\"id\"}"}]"#;
    let (ran, refused) = (
        r#"{"role":"tool","content":"o","tool_call_id":"a","extra":{"returncode":0}}"#,
        r#"{"role":"user","content":"Use the tool.","extra":{"interrupt_type":"FormatError"}}"#,
    );
    let repeated = r#"{"command":"id","tool_call_id":"a"}"#;
    for calls in [format!(r#""tool_calls":[{call}]"#), output.to_owned()] {
        assert_eq!(log("", &calls, refused), (0, vec![]), "{calls}");
        assert_eq!(log("", &calls, ran), (0, vec!["unknown_record"]), "{calls}");
        assert_eq!(log(repeated, &calls, ran), (1, vec![]), "{calls}");
        assert_eq!(log(r#"{"command":"id"}"#, &calls, ran), (1, vec![]), "{calls}");
        assert_eq!(log(r#"{"command":"ls","tool_call_id":"a"}"#, &calls, ran), (1, vec!["unknown_record"]), "{calls}");
    }
    let unnamed = format!(r#""tool_calls":[{}]"#, call.replace(r#""id":"a","#, ""));
    assert_eq!(log("", &unnamed, ran).1, ["unknown_record"]);
    assert_eq!(log("", &unnamed, refused).1, Vec::<&str>::new());
}

#[test]
fn cursor_tells_of_another_file_or_of_two_ends() {
    let run = |args: &str, result: &str, key: &str| {
        let start = r#"{"type":"system","subtype":"init","cwd":"/w","session_id":"c"}"#.to_owned();
        let call = format!(
            r#"{{"type":"tool_call","subtype":"completed","call_id":"k","tool_call":{{"{key}":{{"args":{args},"result":{result}}}}},"session_id":"c"}}"#
        );
        read(&[start, call, CURSOR_END.to_owned()]).1
    };
    let read_key =
        |path: &str| run(r#"{"path":"key"}"#, &format!(r#"{{"success":{{"path":"{path}"}}}}"#), "readToolCall");
    assert!(read_key("/w/key").is_empty());
    assert_eq!(read_key("/w/secrets/monkey"), [OTHER]);
    assert_eq!(read_key("secrets/key"), [OTHER]);
    let both = r#"{"rejected":{"reason":"x"},"success":{"exitCode":0}}"#;
    assert_eq!(run(r#"{"command":"id"}"#, both, "shellToolCall"), [OTHER]);
}

#[test]
fn what_stands_beside_the_end_of_a_cursor_call_is_no_end() {
    let ended = |result: &str| {
        let start = r#"{"type":"system","subtype":"init","cwd":"/w","session_id":"c"}"#.to_owned();
        let call = format!(
            r#"{{"type":"tool_call","subtype":"completed","call_id":"k","tool_call":{{"shellToolCall":{{"args":{{"command":"id"}},"result":{result}}}}},"session_id":"c"}}"#
        );
        let log = Log::new("a.jsonl", [start, call, CURSOR_END.to_owned()].join("\n").into_bytes());
        let reading = log.read();
        let status =
            reading.sessions.iter().flat_map(agent_strace_model::Session::calls).map(|(_, call)| call.status).next();
        (status.unwrap(), reading.gaps.len())
    };
    let beside = r#""isBackground":false,"sandboxPolicy":{"type":"x"},"zone":{"name":"x"}"#;
    for (end, status) in [
        (r#""success":{"exitCode":0}"#, Status::Ok),
        (r#""failure":{"exitCode":1}"#, Status::Error),
        (r#""rejected":{"command":"id"}"#, Status::Denied),
        (r#""timeout":{}"#, Status::Interrupted),
    ] {
        assert_eq!(ended(&format!("{{{end},{beside}}}")), (status, 0), "{end}");
    }
    for (result, status) in [
        (r#"{"rejected":{},"zone":{"exitCode":0}}"#, Status::Error),
        (r#"{"rejected":{},"success":{"exitCode":0}}"#, Status::Ok),
        (r#"{"halted":{},"zone":{}}"#, Status::Error),
    ] {
        assert_eq!(ended(result), (status, 1), "{result}");
    }
}

#[test]
fn codex_tells_of_another_command_or_of_none() {
    let log = |command: &str| {
        let start = r#"{"type":"session_meta","payload":{"id":"a","cwd":"/w"}}"#.to_owned();
        let call = r#"{"type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"ls\"}","call_id":"k"}}"#;
        let end = format!(
            r#"{{"type":"event_msg","payload":{{"type":"exec_command_end","call_id":"k","command":{command},"exit_code":0}}}}"#
        );
        read(&[start, call.to_owned(), end]).1
    };
    assert!(log(r#"["bash","-lc","ls"]"#).is_empty());
    // A name that ends like that of a shell is not enough.
    assert_eq!(log(r#"["ssh","host","-c","ls"]"#), [OTHER]);
    assert_eq!(log("5"), [OTHER]);
}

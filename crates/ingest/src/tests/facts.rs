//! What logs say about sessions as wholes: who ran them, which agents they started, what their logs prove.

use super::*;
use agent_strace_model::evidence::Chain;

fn read(name: &str, text: &str) -> String {
    let log = Log::new(name, text.as_bytes().to_vec());
    let reading = log.read();
    let [session] = reading.sessions.as_slice() else { panic!("{name}: {} sessions", reading.sessions.len()) };
    let who = &session.attribution;
    let one = |fact: &Option<std::borrow::Cow<'_, str>>| fact.as_deref().unwrap_or("-").to_owned();
    let mut text = format!(
        "{} {} {} {} {}\n{:?} {:?} {:?} {:?}\n",
        one(&who.version),
        one(&who.entrypoint),
        one(&who.user),
        one(&who.repository),
        one(&who.commit),
        who.models,
        who.permission_modes,
        who.sandboxes,
        who.branches
    );
    let evidence = &session.evidence;
    for subagent in &evidence.subagents {
        let call = subagent.call_id.as_deref().unwrap_or("-");
        let (id, kind) = (one(&subagent.id), one(&subagent.kind));
        writeln!(text, "{}: {call} {id} {kind} {:?}", subagent.event, subagent.calls).unwrap();
    }
    write!(text, "{} {} {}", evidence.compactions, evidence.rewinds, evidence.removed).unwrap();
    text
}

const REFUSAL: &str = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a \
                       file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the \
                       user to tell you how to proceed.";

#[test]
fn claude_names_versions_modes_branches_and_agents() {
    let call = |id: &str, kind: &str| {
        format!(
            r#"{{"type":"assistant","uuid":"a{id}","sessionId":"s","version":"2.1.9","entrypoint":"cli","gitBranch":"topic","cwd":"/w","message":{{"id":"m{id}","role":"assistant","model":"claude-x","content":[{{"type":"tool_use","id":"{id}","name":"Agent","input":{{"subagent_type":"{kind}","prompt":"go"}}}}]}}}}"#
        )
    };
    let result = |id: &str, error: bool, content: &str, structured: &str| {
        format!(
            r#"{{"type":"user","uuid":"r{id}","sessionId":"s","gitBranch":"main","permissionMode":"plan","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{id}","is_error":{error},"content":"{content}"}}]}},"toolUseResult":{structured}}}"#
        )
    };
    let lines = [
        r#"{"type":"permission-mode","permissionMode":"default","sessionId":"s"}"#.to_owned(),
        call("t1", "Explore"),
        result("t1", false, "done", r#"{"status":"completed","agentId":"7f","totalToolUseCount":4}"#),
        call("t2", "Plan"),
        result("t2", false, "launched", r#"{"status":"async_launched","agentId":"8a"}"#),
        call("t3", "Nobody"),
        result("t3", true, "<tool_use_error>no such agent</tool_use_error>", r#""Error: no such agent""#),
        call("t4", "Refused"),
        result("t4", true, REFUSAL, r#""User rejected tool use""#),
        call("t5", "Explore"),
        r#"{"type":"system","subtype":"compact_boundary","sessionId":"s","uuid":"c"}"#.to_owned(),
    ];
    assert_eq!(
        read("claude.jsonl", &lines.join("\n")),
        "2.1.9 cli - - -\n[\"claude-x\"] [\"default\", \"plan\"] [] [\"topic\", \"main\"]\n\
         2: t1 7f Explore Some(4)\n4: t2 8a Plan None\n10: t5 - Explore None\n1 0 0"
    );
}

#[test]
fn codex_names_policies_of_turns_and_threads() {
    let lines = [
        r#"{"timestamp":"t","type":"session_meta","payload":{"id":"c1","cwd":"/w","originator":"codex_exec","cli_version":"0.120.0","git":{"commit_hash":"abc","branch":"topic","repository_url":"https://u:p@git.example.com/a.git"}}}"#,
        r#"{"timestamp":"t","type":"turn_context","payload":{"cwd":"/w","approval_policy":"never","sandbox_policy":{"type":"workspace-write"},"model":"gpt-x"}}"#,
        r#"{"timestamp":"t","type":"turn_context","payload":{"cwd":"/w","approval_policy":{"granular":{}},"sandbox_policy":{"mode":"read-only"},"model":"gpt-x"}}"#,
        r#"{"timestamp":"t","type":"response_item","payload":{"type":"function_call","name":"spawn_agent","arguments":"{\"message\":\"go\"}","call_id":"k1"}}"#,
        r#"{"timestamp":"t","type":"event_msg","payload":{"type":"collab_agent_spawn_end","call_id":"k1","new_thread_id":"c2","new_agent_role":"worker"}}"#,
        r#"{"timestamp":"t","type":"response_item","payload":{"type":"function_call_output","call_id":"k1","output":"{\"agent_id\":\"c2\"}"}}"#,
        r#"{"timestamp":"t","type":"response_item","payload":{"type":"function_call","name":"spawn_agent","arguments":"{}","call_id":"k2"}}"#,
        r#"{"timestamp":"t","type":"response_item","payload":{"type":"function_call_output","call_id":"k2","output":"too many agents"}}"#,
        r#"{"timestamp":"t","type":"response_item","payload":{"type":"function_call","name":"spawn_agent","arguments":"{\"message\":\"more\"}","call_id":"k3"}}"#,
        r#"{"timestamp":"t","type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":1}}"#,
        r#"{"timestamp":"t","type":"compacted","payload":{"message":"short"}}"#,
    ];
    assert_eq!(
        read("codex.jsonl", &lines.join("\n")),
        "0.120.0 codex_exec - https://git.example.com/a.git abc\n\
         [\"gpt-x\"] [\"never\", \"granular\"] [\"workspace-write\", \"read-only\"] [\"topic\"]\n\
         5: k1 c2 worker None\n9: k3 - - None\n1 1 0"
    );
}

#[test]
fn chains_of_digests_are_verified() {
    let chain = |text: &str| Log::new("events.ndjson", text.as_bytes().to_vec()).read().sessions[0].evidence.chain;
    let text = |name: &str| fs::read_to_string(fixtures().join("native").join(name)).unwrap();
    let chained = text("chained.ndjson");
    assert_eq!(chain(&chained), Chain::Intact);
    assert_eq!(chain(&text("chain-broken.ndjson")), Chain::Broken(3));
    assert_eq!(chain(&text("file-events.ndjson")), Chain::None);
    let lines: Vec<&str> = chained.lines().collect();
    assert_eq!(chain(&lines[1..].join("\n")), Chain::Broken(1), "the first record is gone");
    assert_eq!(chain(&[lines[0], lines[2]].join("\n")), Chain::Broken(2), "a record is gone");
    assert_eq!(chain(&lines[..2].join("\n")), Chain::Intact, "a missing end can't be seen");
    let stripped = lines[3].split(", \"prev_hash\"").next().unwrap().to_owned() + "}";
    assert_eq!(chain(&[lines[0], lines[1], lines[2], &stripped].join("\n")), Chain::Broken(4));
}

/// Usage by model, `-` where none is named, as records and the ends of runs tell it.
fn spent_by_model(text: &str) -> Vec<String> {
    let log = Log::new("stream.jsonl", text.as_bytes().to_vec());
    let reading = log.read();
    let [session] = reading.sessions.as_slice() else { panic!("{} sessions", reading.sessions.len()) };
    let used = session.usage;
    let all = format!("all {} {} {} {} {}", used.requests, used.input, used.output, used.cache_read, used.cache_write);
    let each = session.spent.iter().map(|spent| {
        let (model, usage) = (spent.model.as_deref().unwrap_or("-"), spent.usage);
        format!(
            "{model} {} {} {} {} {}",
            usage.requests, usage.input, usage.output, usage.cache_read, usage.cache_write
        )
    });
    each.chain([all]).collect()
}

#[test]
fn the_end_of_a_stream_adds_what_no_record_tells_and_counts_nothing_twice() {
    let answer = |id: &str, model: &str, parent: &str, input: u32, output: u32| {
        format!(
            r#"{{"type":"assistant","session_id":"s","parent_tool_use_id":{parent},"message":{{"id":"{id}","role":"assistant","model":"{model}","content":[],"usage":{{"input_tokens":{input},"output_tokens":{output},"cache_read_input_tokens":100}}}}}}"#
        )
    };
    let end = |output: u32, models: &str| {
        format!(
            r#"{{"type":"result","subtype":"success","session_id":"s","usage":{{"input_tokens":10,"output_tokens":{output}}},"modelUsage":{models}}}"#
        )
    };
    let used = |input: i64, output: i64| {
        format!(
            r#"{{"inputTokens":{input},"outputTokens":{output},"cacheReadInputTokens":100,"cacheCreationInputTokens":7,"costUSD":1.5}}"#
        )
    };
    let (main, side) = ("claude-sonnet-4-6", "claude-haiku-4-5-20251001");
    let first = answer("m1", main, "null", 10, 2);
    let models = |entries: &[(&str, String)]| {
        let entries: Vec<String> = entries.iter().map(|(name, used)| format!(r#""{name}":{used}"#)).collect();
        format!("{{{}}}", entries.join(","))
    };
    // Repeated records of one message, more output than they tell, a cache write and a side model that nothing else tells.
    let whole = [first.clone(), first.clone(), end(20, &models(&[(main, used(10, 25)), (side, used(5, 3))]))];
    assert_eq!(
        spent_by_model(&whole.join("\n")),
        [
            "claude-sonnet-4-6 1 10 2 100 0",
            "claude-sonnet-4-6 1 10 20 100 0",
            "claude-haiku-4-5-20251001 0 5 3 100 7",
            "claude-sonnet-4-6 0 0 5 0 7",
            "all 1 15 28 200 14"
        ]
    );
    // A second end repeats what the first one told. A sub-agent's own records are records.
    let parts = [models(&[(main, used(10, 20))]), models(&[("claude-sonnet-4-6[1m]", used(15, 29))])];
    let two = [first.clone(), end(20, &parts[0]), answer("m2", main, r#""t1""#, 5, 9), end(20, &parts[1])];
    assert_eq!(
        spent_by_model(&two.join("\n")),
        [
            "claude-sonnet-4-6 1 10 20 100 0",
            "claude-sonnet-4-6 1 5 9 100 0",
            "claude-sonnet-4-6 0 0 0 0 7",
            "all 2 15 29 200 7"
        ]
    );
    // Less than the records tell, and numbers that are none.
    for models in [models(&[(main, used(1, 1))]), models(&[(main, used(-5, -1))])] {
        let told = spent_by_model(&[first.clone(), end(2, &models)].join("\n"));
        assert_eq!(told.len(), 3, "{told:?}");
        assert!(told.last().is_some_and(|all| all.starts_with("all 1 10 2 100 ")), "{told:?}");
    }
    // Names that can't be compared: what is more in all is one of those that no record names.
    for (models, beyond) in [
        (models(&[("gateway-3", used(50, 50))]), "gateway-3 0 40 48 0 7"),
        (
            models(&[("gateway-3", used(10, 2)), (side, used(5, 3))]),
            "claude-haiku-4-5-20251001 or gateway-3 0 5 3 100 14",
        ),
    ] {
        let told = spent_by_model(&[first.clone(), end(2, &models)].join("\n"));
        assert_eq!(told.get(1).map(String::as_str), Some(beyond), "{told:?}");
    }
    // What can't be read may have cost anything.
    for (models, told) in [("{}", 0), ("null", 0), ("[1]", 1), (r#"{"claude-sonnet-4-6":7}"#, 1)] {
        let log = Log::new("stream.jsonl", [first.clone(), end(2, models)].join("\n").into_bytes());
        let gaps = log.read().gaps;
        assert_eq!(gaps.iter().filter(|gap| gap.reason().contains(" used is not an object")).count(), told, "{gaps:?}");
    }
    // Only the result was recorded.
    assert_eq!(spent_by_model(&end(20, "{}")), ["- 0 10 20 0 0", "all 0 10 20 0 0"]);
}

#[test]
fn what_copilot_says_of_several_models_at_the_end_is_each_models_own() {
    let start = r#"{"type":"session.start","id":"e1","timestamp":"2026-01-01T00:00:00Z","parentId":null,"data":{"sessionId":"s","version":1,"producer":"copilot-agent","copilotVersion":"1"}}"#;
    let says = |model: &str| {
        format!(
            r#"{{"type":"assistant.message","id":"e2","timestamp":"2026-01-01T00:00:01Z","parentId":"e1","data":{{"messageId":"m1","content":"x","outputTokens":5,"model":"{model}"}}}}"#
        )
    };
    let total = |input: u32, output: u32| {
        format!(
            r#"{{"requests":{{"count":2}},"usage":{{"inputTokens":{input},"outputTokens":{output},"cacheReadTokens":10}}}}"#
        )
    };
    let end = format!(
        r#"{{"type":"session.shutdown","id":"e3","timestamp":"2026-01-01T00:00:02Z","parentId":"e2","data":{{"shutdownType":"routine","modelMetrics":{{"claude-haiku-4.5":{},"gpt-5":{}}}}}}}"#,
        total(30, 4),
        total(110, 9)
    );
    let told = spent_by_model(&[start, &says("gpt-5"), &end].join("\n"));
    assert_eq!(told, ["gpt-5 1 0 5 0 0", "claude-haiku-4.5 0 20 4 10 0", "gpt-5 0 100 4 10 0", "all 4 120 13 20 0"]);
    // A name that the end does not have: whose the rest is can't be told.
    let told = spent_by_model(&[start, &says("auto"), &end].join("\n"));
    assert_eq!(told, ["auto 1 0 5 0 0", "all 4 120 13 20 0"]);
}

#[test]
fn how_an_answer_was_served_is_kept_where_it_is_not_as_usual() {
    let tier = |usage: &str| {
        let line = format!(
            r#"{{"type":"assistant","uuid":"u","sessionId":"s","timestamp":"2026-01-01T00:00:00Z","message":{{"id":"m","role":"assistant","model":"claude-opus-4-6","content":[],"usage":{{"input_tokens":1{usage}}}}}}}"#
        );
        let log = Log::new("s.jsonl", line.into_bytes());
        let reading = log.read();
        reading.sessions[0].spent[0].tier.as_deref().map(str::to_owned)
    };
    for (usage, wanted) in [
        ("", None),
        (r#","service_tier":"standard","speed":"standard""#, None),
        (r#","service_tier":null"#, None),
        (r#","service_tier":"priority","speed":"standard""#, Some("priority")),
        (r#","service_tier":"standard","speed":"fast""#, Some("fast")),
        (r#","service_tier":"batch""#, Some("batch")),
    ] {
        assert_eq!(tier(usage).as_deref(), wanted, "{usage}");
    }
}

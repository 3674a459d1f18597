//! Reads the payload that an agent gives a hook, in the form of any agent.

use std::borrow::Cow;

use jiff::Timestamp;

use super::HookStep;
use agent_strace_model::{Access, Arguments, FileEvent, Members, RawText, Status, exit_code, moment};

/// One hook call of an agent: a step of a session.
#[derive(Debug)]
pub struct HookEvent<'a> {
    /// The agent's own id of the session.
    pub session: Cow<'a, str>,
    pub cwd: Option<Cow<'a, str>>,
    /// The time that the agent states.
    pub time: Option<Timestamp>,
    pub model: Option<Cow<'a, str>>,
    /// The version of the agent.
    pub version: Option<Cow<'a, str>>,
    /// The agent's permission mode, in its own words.
    pub permissions: Option<Cow<'a, str>>,
    /// The agent's own log of the session, on this machine.
    pub transcript: Option<Cow<'a, str>>,
    /// Set if a sub-agent acted.
    pub subagent: Option<Cow<'a, str>>,
    /// The session that started this one, where sub-agents have sessions of their own.
    pub parent: Option<Cow<'a, str>>,
    pub what: What<'a>,
}

/// What happened.
#[derive(Debug)]
pub enum What<'a> {
    /// The reason, in the agent's own words (`startup`, `resume`).
    Began(Option<Cow<'a, str>>),
    Prompt(RawText<'a>),
    Before(Before<'a>),
    After(After<'a>),
    /// A file was changed by an unknown call.
    File(FileEvent<'a>),
    Said(RawText<'a>),
    Thought(RawText<'a>),
    /// The agent waits for its user; this was its last message.
    Waits(Option<RawText<'a>>),
    Failed(RawText<'a>),
    Ended(Option<Cow<'a, str>>),
    Nothing,
}

/// A call that is about to run.
#[derive(Debug)]
pub struct Before<'a> {
    pub tool: Cow<'a, str>,
    pub arguments: Arguments<'a>,
    /// The agent's id of the call.
    pub call: Option<Cow<'a, str>>,
    /// The step is for some tools only: the agent reports the call at another step, too, if it has one.
    pub(crate) is_told_twice: bool,
}

/// A call that ran or was blocked.
#[derive(Debug)]
pub struct After<'a> {
    pub call: Before<'a>,
    pub status: Status,
    pub text: Option<RawText<'a>>,
}

/// Longer texts are cut: the agent's own log is complete.
const LONGEST_RESULT: usize = 256 << 10;

impl<'a> HookEvent<'a> {
    /// Reads what an agent gave a hook. `stated`: the step, as the command line has it; the agent's own word outranks it.
    pub fn read(json: &'a str, stated: Option<HookStep>) -> Result<Self, String> {
        let members = Members::of(json).ok_or_else(|| match json.trim() {
            "" => "there is nothing on standard input".to_owned(),
            _ => "standard input is not a JSON object".to_owned(),
        })?;
        let text = |names: &[&str]| names.iter().find_map(|name| members.text(name).filter(|text| !text.is_empty()));
        let named = text(&["hook_event_name", "hookEventName"]);
        let own = named.as_deref().and_then(HookStep::of_agent);
        let Some(step) = own.or(stated) else {
            return Err(match named {
                Some(name) => format!("the agent's step `{}` is not known", name.escape_default()),
                None => "neither the command nor the agent says which step this is".to_owned(),
            });
        };
        let session = text(&["session_id", "sessionId", "conversation_id", "conversationId"])
            .ok_or("the agent does not say which session this is")?;
        let cwd = text(&["cwd", "workingDirectory"]).or_else(|| first_root(&members));
        let about = About { members: &members, event: named.as_deref().unwrap_or_default() };
        Ok(Self {
            time: text(&["timestamp"]).as_deref().or_else(|| members.json("timestamp")).and_then(moment),
            model: text(&["model"]),
            version: text(&["cursor_version", "version", "cli_version"]),
            permissions: text(&["permission_mode", "permissionMode"]),
            transcript: text(&["transcript_path", "transcriptPath"]),
            subagent: text(&["agent_id", "agentId"]),
            parent: text(&["parentAgentId"]).filter(|parent| *parent != session),
            what: about.what(step),
            session,
            cwd,
        })
    }
}

/// Cursor leaves `cwd` empty at times.
fn first_root<'a>(members: &Members<'a>) -> Option<Cow<'a, str>> {
    let roots: Vec<&str> = serde_json::from_str::<Vec<&serde_json::value::RawValue>>(members.json("workspace_roots")?)
        .ok()?
        .into_iter()
        .map(serde_json::value::RawValue::get)
        .collect();
    roots.first().map(|root| agent_strace_model::decode_json(root))
}

struct About<'m, 'a> {
    members: &'m Members<'a>,
    /// The agent's name of the step.
    event: &'m str,
}

impl<'a> About<'_, 'a> {
    fn text(&self, names: &[&str]) -> Option<Cow<'a, str>> {
        names.iter().find_map(|name| self.members.text(name).filter(|text| !text.is_empty()))
    }

    fn raw(&self, names: &[&str]) -> Option<RawText<'a>> {
        let json = names.iter().find_map(|name| self.members.json(name).filter(|json| !is_nothing(json)))?;
        Some(RawText::Json(json))
    }

    fn what(&self, moment: HookStep) -> What<'a> {
        let or_nothing =
            |text: Option<RawText<'a>>, make: fn(RawText<'a>) -> What<'a>| text.map_or(What::Nothing, make);
        match moment {
            HookStep::SessionStart => What::Began(self.text(&["source", "trigger"])),
            HookStep::UserPrompt => or_nothing(self.raw(&["prompt", "userPrompt"]), What::Prompt),
            HookStep::PreTool => What::Before(self.call()),
            HookStep::PostTool | HookStep::PostToolFailure => self.after(moment),
            HookStep::Response => or_nothing(self.raw(&["text", "response"]), What::Said),
            HookStep::Thought => or_nothing(self.raw(&["text", "thought"]), What::Thought),
            // It was said before; what comes now was asked for by another hook.
            HookStep::Stop if self.members.json("stop_hook_active") == Some("true") => What::Waits(None),
            HookStep::Stop => What::Waits(self.raw(&["last_assistant_message", "prompt_response"])),
            HookStep::Failure => or_nothing(self.raw(&["error", "message", "error_message"]), What::Failed),
            HookStep::SessionEnd => What::Ended(self.text(&["reason", "trigger", "status"])),
            HookStep::SubagentStart | HookStep::SubagentStop | HookStep::Other => What::Nothing,
        }
    }

    fn is_step(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.event.eq_ignore_ascii_case(name))
    }

    fn call(&self) -> Before<'a> {
        // Qwen Code gives its own id, too, which its log does not have.
        let call = self.text(&["tool_call_id", "toolCallId", "tool_use_id", "toolUseId"]);
        let named = self.text(&["tool_name", "toolName"]);
        if self.is_step(&["beforeShellExecution", "afterShellExecution"]) {
            let command = self.members.json("command").unwrap_or("null");
            let arguments = Arguments::Json(Cow::Owned(format!("{{\"command\":{command}}}")));
            return Before { tool: Cow::Borrowed("Shell"), arguments, call, is_told_twice: true };
        }
        if self.is_step(&["beforeReadFile"]) {
            let path = self.members.json("file_path").unwrap_or("null");
            let arguments = Arguments::Json(Cow::Owned(format!("{{\"path\":{path}}}")));
            return Before { tool: Cow::Borrowed("Read"), arguments, call, is_told_twice: true };
        }
        let given = ["tool_input", "toolArgs", "toolInput", "arguments"];
        let arguments = given.iter().find_map(|name| self.members.json(name)).map_or(Arguments::Missing, arguments);
        let is_told_twice = self.is_step(&["beforeMCPExecution", "afterMCPExecution"]);
        let tool = named.map_or(Cow::Borrowed(""), |name| mcp_name(name, is_told_twice));
        Before { tool, arguments, call, is_told_twice }
    }

    fn after(&self, moment: HookStep) -> What<'a> {
        if self.is_step(&["afterFileEdit"]) {
            let Some(target) = self.text(&["file_path"]) else { return What::Nothing };
            return What::File(FileEvent { access: Access::Write, target });
        }
        let call = self.call();
        let results =
            ["tool_response", "tool_result", "toolResult", "tool_output", "toolOutput", "output", "result_json"];
        let failures = ["error_message", "error"];
        let failed = moment == HookStep::PostToolFailure;
        let text = if failed { self.raw(&failures).or_else(|| self.raw(&results)) } else { self.raw(&results) };
        let status =
            if failed { self.failure() } else { text.as_ref().map_or(Status::Ok, |text| status_of(&call.tool, text)) };
        What::After(After { call, status, text: text.map(shortened) })
    }

    fn failure(&self) -> Status {
        if self.members.json("is_interrupt") == Some("true") {
            return Status::Interrupted;
        }
        match self.text(&["failure_type", "failureType"]).as_deref() {
            Some("permission_denied") => Status::Denied,
            _ => Status::Error,
        }
    }
}

fn is_nothing(json: &str) -> bool {
    matches!(json, "null" | "\"\"")
}

/// Arguments are an object, or a text that holds one.
fn arguments(json: &str) -> Arguments<'_> {
    if json == "null" {
        return Arguments::Missing;
    }
    if !json.starts_with('"') {
        return Arguments::Json(Cow::Borrowed(json));
    }
    let text = agent_strace_model::decode_json(json);
    if Members::of(&text).is_some() { Arguments::Json(text) } else { Arguments::Text(text) }
}

/// Cursor writes `MCP:server:tool`, or in the steps for MCP alone the tool's bare name.
fn mcp_name(name: Cow<'_, str>, is_mcp: bool) -> Cow<'_, str> {
    let Some(rest) = name.strip_prefix("MCP:") else {
        return if is_mcp && !name.contains("__") { Cow::Owned(format!("mcp__cursor__{name}")) } else { name };
    };
    let (server, tool) = rest.trim().split_once(':').unwrap_or(("cursor", rest.trim()));
    Cow::Owned(format!("mcp__{}__{}", server.trim(), tool.trim()))
}

/// Whether a result says by itself how the call ended.
fn status_of(tool: &str, text: &RawText<'_>) -> Status {
    let RawText::Json(json) = text else { return Status::Ok };
    let Some(members) = Members::of(json) else { return Status::Ok };
    let is = |name: &str, value: &str| members.json(name) == Some(value);
    if let Some(kind) = ["resultType", "result_type"].iter().find_map(|name| members.text(name)) {
        return match &*kind {
            // A command that failed is a success there.
            "success" if states_failure(tool, &members) => Status::Error,
            "success" => Status::Ok,
            "denied" | "rejected" => Status::Denied,
            _ => Status::Error,
        };
    }
    if is("interrupted", "true") {
        return Status::Interrupted;
    }
    let exit = members.json("exit_code").or_else(|| members.json("exitCode"));
    let exited = exit.is_some_and(|code| code != "0" && code != "null");
    let error = members.json("error").is_some_and(|error| !is_nothing(error) && error != "false");
    let failed = ["is_error", "isError"].iter().any(|name| is(name, "true")) || is("success", "false");
    if failed || error || exited || states_failure(tool, &members) { Status::Error } else { Status::Ok }
}

/// Whether the host states in the text of a result that the command ended with another exit code than 0.
fn states_failure(tool: &str, result: &Members<'_>) -> bool {
    let code = match tool {
        "run_shell_command" => result.text("llmContent").and_then(|text| exit_code::below_output(&text)),
        "bash" | "powershell" => result.text("textResultForLlm").and_then(|text| exit_code::in_closing_mark(&text)),
        _ => None,
    };
    code.is_some_and(|code| code != 0)
}

fn shortened(text: RawText<'_>) -> RawText<'_> {
    let RawText::Json(json) = &text else { return text };
    if json.len() <= LONGEST_RESULT {
        return text;
    }
    let whole = text.decode();
    let mut end = LONGEST_RESULT.min(whole.len());
    while !whole.is_char_boundary(end) {
        end -= 1;
    }
    let (kept, cut) = whole.split_at_checked(end).unwrap_or((&whole, ""));
    RawText::Plain(Cow::Owned(format!("{kept}… ({} bytes more were not recorded)", cut.len())))
}

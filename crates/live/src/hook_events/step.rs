//! The steps of a session at which agents run hooks.

/// A step of a session at which an agent runs a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookStep {
    SessionStart,
    UserPrompt,
    PreTool,
    PostTool,
    PostToolFailure,
    /// The agent sent a message to its user.
    Response,
    Thought,
    /// The agent waits for its user.
    Stop,
    SubagentStart,
    SubagentStop,
    /// Something failed outside of any call.
    Failure,
    SessionEnd,
    /// Known, but irrelevant for a recording.
    Other,
}

/// The names of the steps on the command line.
const WORDS: &[(&str, HookStep)] = &[
    ("session-start", HookStep::SessionStart),
    ("user-prompt", HookStep::UserPrompt),
    ("pre-tool", HookStep::PreTool),
    ("post-tool", HookStep::PostTool),
    ("post-tool-failure", HookStep::PostToolFailure),
    ("response", HookStep::Response),
    ("thought", HookStep::Thought),
    ("stop", HookStep::Stop),
    ("subagent-start", HookStep::SubagentStart),
    ("subagent-stop", HookStep::SubagentStop),
    ("error", HookStep::Failure),
    ("session-end", HookStep::SessionEnd),
    ("other", HookStep::Other),
];

/// The agents' names of the steps, in lower case and without separators. Cursor's steps for single tools are also
/// [`HookStep::PreTool`] and [`HookStep::PostTool`].
const NAMES: &[(&str, HookStep)] = &[
    ("sessionstart", HookStep::SessionStart),
    ("userpromptsubmit", HookStep::UserPrompt),
    ("userpromptsubmitted", HookStep::UserPrompt),
    ("beforesubmitprompt", HookStep::UserPrompt),
    ("beforeagent", HookStep::UserPrompt),
    ("pretooluse", HookStep::PreTool),
    ("beforetool", HookStep::PreTool),
    ("beforeshellexecution", HookStep::PreTool),
    ("beforemcpexecution", HookStep::PreTool),
    ("beforereadfile", HookStep::PreTool),
    ("posttooluse", HookStep::PostTool),
    ("aftertool", HookStep::PostTool),
    ("aftershellexecution", HookStep::PostTool),
    ("aftermcpexecution", HookStep::PostTool),
    ("afterfileedit", HookStep::PostTool),
    ("posttoolusefailure", HookStep::PostToolFailure),
    ("afteragentresponse", HookStep::Response),
    ("afteragent", HookStep::Stop),
    ("afteragentthought", HookStep::Thought),
    ("stop", HookStep::Stop),
    ("agentstop", HookStep::Stop),
    ("stopfailure", HookStep::Failure),
    ("erroroccurred", HookStep::Failure),
    ("subagentstart", HookStep::SubagentStart),
    ("subagentstop", HookStep::SubagentStop),
    ("sessionend", HookStep::SessionEnd),
    ("permissionrequest", HookStep::Other),
    ("permissionresult", HookStep::Other),
    ("userpromptqueued", HookStep::Other),
    ("userpromptexpansion", HookStep::Other),
    ("messagedisplay", HookStep::Other),
    ("posttoolbatch", HookStep::Other),
    ("turnstarted", HookStep::Other),
    ("taskstarted", HookStep::Other),
    ("interrupt", HookStep::Other),
    ("sessionheartbeat", HookStep::Other),
    ("sessiondelete", HookStep::Other),
    ("permissiondenied", HookStep::Other),
    ("notification", HookStep::Other),
    ("precompact", HookStep::Other),
    ("postcompact", HookStep::Other),
    ("precompress", HookStep::Other),
    ("beforemodel", HookStep::Other),
    ("aftermodel", HookStep::Other),
    ("beforetoolselection", HookStep::Other),
];

impl HookStep {
    /// The step with this name on the command line, or with this name of an agent.
    pub fn named(name: &str) -> Option<Self> {
        let word = WORDS.iter().find(|(word, _)| *word == name).map(|(_, step)| *step);
        word.or_else(|| Self::of_agent(name))
    }

    /// The step with this name of an agent.
    pub(super) fn of_agent(name: &str) -> Option<Self> {
        let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
        let plain = plain.to_ascii_lowercase();
        NAMES.iter().find(|(name, _)| *name == plain).map(|(_, step)| *step)
    }

    /// The word for it on the command line.
    pub fn word(self) -> &'static str {
        WORDS.iter().find(|(_, step)| *step == self).map_or("other", |(word, _)| word)
    }

    /// The words of the command line.
    pub fn words() -> impl Iterator<Item = &'static str> {
        WORDS.iter().map(|(word, _)| *word)
    }
}

//! When in a session an agent runs a hook.

/// A step of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    SessionStart,
    UserPrompt,
    PreTool,
    PostTool,
    PostToolFailure,
    /// The agent said something to its user.
    Response,
    Thought,
    /// The agent waits for its user.
    Stop,
    SubagentStart,
    SubagentStop,
    /// Something failed outside of any call.
    Failure,
    SessionEnd,
    /// Known, and of no meaning for a recording.
    Other,
}

/// What the step is called on the command line.
const WORDS: &[(&str, Moment)] = &[
    ("session-start", Moment::SessionStart),
    ("user-prompt", Moment::UserPrompt),
    ("pre-tool", Moment::PreTool),
    ("post-tool", Moment::PostTool),
    ("post-tool-failure", Moment::PostToolFailure),
    ("response", Moment::Response),
    ("thought", Moment::Thought),
    ("stop", Moment::Stop),
    ("subagent-start", Moment::SubagentStart),
    ("subagent-stop", Moment::SubagentStop),
    ("error", Moment::Failure),
    ("session-end", Moment::SessionEnd),
    ("other", Moment::Other),
];

/// What agents call the step, without case and separators. The steps that Cursor has for some tools beside those for all
/// tools are [`Moment::PreTool`] and [`Moment::PostTool`], too.
const NAMES: &[(&str, Moment)] = &[
    ("sessionstart", Moment::SessionStart),
    ("userpromptsubmit", Moment::UserPrompt),
    ("userpromptsubmitted", Moment::UserPrompt),
    ("beforesubmitprompt", Moment::UserPrompt),
    ("beforeagent", Moment::UserPrompt),
    ("pretooluse", Moment::PreTool),
    ("beforetool", Moment::PreTool),
    ("beforeshellexecution", Moment::PreTool),
    ("beforemcpexecution", Moment::PreTool),
    ("beforereadfile", Moment::PreTool),
    ("posttooluse", Moment::PostTool),
    ("aftertool", Moment::PostTool),
    ("aftershellexecution", Moment::PostTool),
    ("aftermcpexecution", Moment::PostTool),
    ("afterfileedit", Moment::PostTool),
    ("posttoolusefailure", Moment::PostToolFailure),
    ("afteragentresponse", Moment::Response),
    ("afteragent", Moment::Stop),
    ("afteragentthought", Moment::Thought),
    ("stop", Moment::Stop),
    ("agentstop", Moment::Stop),
    ("stopfailure", Moment::Failure),
    ("erroroccurred", Moment::Failure),
    ("subagentstart", Moment::SubagentStart),
    ("subagentstop", Moment::SubagentStop),
    ("sessionend", Moment::SessionEnd),
    ("permissionrequest", Moment::Other),
    ("permissiondenied", Moment::Other),
    ("notification", Moment::Other),
    ("precompact", Moment::Other),
    ("postcompact", Moment::Other),
    ("precompress", Moment::Other),
    ("beforemodel", Moment::Other),
    ("aftermodel", Moment::Other),
    ("beforetoolselection", Moment::Other),
];

impl Moment {
    /// Of a word of the command line, or of an agent's name for the step.
    pub fn named(name: &str) -> Option<Self> {
        let word = WORDS.iter().find(|(word, _)| *word == name).map(|(_, moment)| *moment);
        word.or_else(|| Self::of_agent(name))
    }

    /// Of an agent's name for the step.
    pub(super) fn of_agent(name: &str) -> Option<Self> {
        let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
        let plain = plain.to_ascii_lowercase();
        NAMES.iter().find(|(name, _)| *name == plain).map(|(_, moment)| *moment)
    }

    /// The word for it on the command line.
    pub fn word(self) -> &'static str {
        WORDS.iter().find(|(_, moment)| *moment == self).map_or("other", |(word, _)| word)
    }

    /// The words of the command line.
    pub fn words() -> impl Iterator<Item = &'static str> {
        WORDS.iter().map(|(word, _)| *word)
    }
}

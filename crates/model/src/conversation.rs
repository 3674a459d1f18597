//! The conversation that an event belongs to, and what its record adds: turns and steps are built from both.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// The position of an event in its log and its conversation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Index of its record among those that were read, from 0.
    pub row: u32,
    /// Index in the list that its record holds (blocks of a message, thoughts, calls), from 0.
    pub part: u32,
    /// Its conversation in [`Session::streams`](super::Session::streams).
    pub stream: u16,
    #[serde(rename = "telling")]
    pub role: RecordRole,
    /// Of a prompt: who says it.
    #[serde(default, skip_serializing_if = "Speaker::is_user")]
    pub speaker: Speaker,
}

/// Who says a text that stands where users speak.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    #[default]
    User,
    /// The host, with the text of a skill.
    Skill,
    /// The host, with what a command of its own printed.
    Command,
    /// The host, of something that happened: a task ended, the user stopped the agent.
    Notice,
    /// The host, to remind the model of something.
    Reminder,
    /// A hook.
    HookFeedback,
    /// The host, with instructions of files and facts about the system.
    Context,
    /// Another agent.
    Subagent,
    /// The model, with a summary of what was said before.
    Summary,
}

impl Speaker {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    pub fn is_user(&self) -> bool {
        *self == Self::User
    }

    /// How a sentence about the text begins.
    pub fn says(self) -> &'static str {
        match self {
            Self::User => "the user asks",
            Self::Skill => "a skill says",
            Self::Command => "a command of the host printed",
            Self::Notice => "the host notes",
            Self::Reminder => "the host reminds the model",
            Self::HookFeedback => "a hook says",
            Self::Context => "the host says",
            Self::Subagent => "another agent says",
            Self::Summary => "a summary says",
        }
    }
}

/// The name of the skill whose text this is, where it begins as hosts begin it.
pub fn skill_name(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let folder = text.strip_prefix("Base directory for this skill:").and_then(|rest| rest.lines().next());
    let folder = folder.map(|folder| folder.trim().trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next());
    let tagged =
        || text.strip_prefix("<skill>")?.split_once("<name>")?.1.split_once("</name>").map(|(name, _)| name.trim());
    folder.flatten().or_else(tagged).filter(|name| !name.is_empty())
}

/// Whether an event is part of the ordered text of its conversation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum RecordRole {
    #[default]
    #[serde(rename = "Told")]
    Primary,
    /// A second record of something that another record holds (a sub-agent's progress, a notice, a script taken apart), or one
    /// that the agent keeps out of its conversation.
    Aside,
}

/// A conversation of a session.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Stream<'a> {
    Main,
    /// A sub-agent that runs inside the session, by its id.
    Sidechain(Cow<'a, str>),
    /// A sub-agent with a session of its own, by its type.
    Subagent(Cow<'a, str>),
}

/// A fact in a record in addition to its event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Label<'a> {
    /// The agent whose work a result is.
    Agent(Cow<'a, str>),
    /// The tool's name as the record has it, where the call carries a fuller one.
    Name(Cow<'a, str>),
    /// What users see as the tool's name.
    Shown(Cow<'a, str>),
    /// The input of a call that can't be judged by it.
    Input(Cow<'a, str>),
    /// The command of the call goes on in the background under this name.
    Background(Cow<'a, str>),
    /// An agent of this type starts here.
    Starts(Cow<'a, str>),
}

/// The size of a conversation as one record tells it, in tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Window {
    pub fresh_input: u64,
    pub cache_creation: u64,
    pub cache_read: u64,
    /// With reasoning on top where the record counts it apart.
    pub output: u64,
}

//! How a span ended: its status, and the exception where it failed.

use super::names::{ERROR_TYPE, EXCEPTION_MESSAGE, EXCEPTION_TYPE};
use opentelemetry_proto::tonic::trace::v1::span::Event;
use opentelemetry_proto::tonic::trace::v1::{Status, status::StatusCode};

use super::attributes::{Attributes, beginning};

/// Characters of a status.
const MESSAGE: usize = 200;
/// Characters of an exception.
const EXCEPTION: usize = 1_000;

/// Why something failed.
#[derive(Debug, Clone)]
pub(super) struct Failed {
    /// A class of few: `tool_error`, `denied`, `interrupted`, `agent_error`.
    pub(super) class: &'static str,
    /// What was said of it.
    pub(super) said: Option<String>,
}

impl Failed {
    /// `None`: the call did not fail, as far as anybody knows.
    pub(super) fn of_call(status: agent_strace_model::Status, said: Option<String>) -> Option<Self> {
        let class = match status {
            agent_strace_model::Status::Error => "tool_error",
            agent_strace_model::Status::Denied => "denied",
            agent_strace_model::Status::Interrupted => "interrupted",
            agent_strace_model::Status::Ok | agent_strace_model::Status::Missing => return None,
        };
        Some(Self { class, said })
    }

    pub(super) fn outside(said: Option<String>) -> Self {
        Self { class: "agent_error", said }
    }

    pub(super) fn status(&self) -> Status {
        let said = self.said.as_deref().and_then(|said| said.lines().map(str::trim).find(|line| !line.is_empty()));
        Status { message: beginning(said.unwrap_or(self.class), MESSAGE).into_owned(), code: StatusCode::Error.into() }
    }

    pub(super) fn note(&self, attributes: &mut Attributes) {
        attributes.text(ERROR_TYPE, self.class);
    }

    /// As the conventions have it.
    pub(super) fn exception(&self, time_unix_nano: u64) -> Event {
        let mut attributes = Attributes::default();
        attributes.text(EXCEPTION_TYPE, self.class);
        let said = self.said.as_deref().map(|said| beginning(said, EXCEPTION));
        attributes.text_if_any(EXCEPTION_MESSAGE, said.as_deref());
        let (attributes, dropped_attributes_count) = attributes.finish();
        Event { time_unix_nano, name: "exception".to_owned(), attributes, dropped_attributes_count }
    }
}

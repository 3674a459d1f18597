//! A session as its user saw it: conversations with turns, turns with steps, steps with tool calls.
//!
//! The rules are those of agtrace's engine, including the derived ids, so that both outputs can be compared: where a rule
//! loses something (a result that comes a turn later, tokens of two answers in one step), the document loses it, too.
//! Nothing is judged by it; [`billing`] counts the cost.
//!
//! This crate must not know effects or policies: it shows a session and judges nothing. Start with [`document`] and
//! [`events`].

mod arrange;
mod billing;
mod billing_report;
mod conversations;
mod document;
pub mod events;
mod identity;
mod outline;
mod step;
mod time;
mod timeline;
mod tools;
mod turn;
pub mod why;

pub use arrange::{SessionView, arrange};
pub use billing::Bill;
pub use billing_report::BillingReport;
pub use conversations::session_views;
pub use document::{Conversation, StreamId};
pub use outline::outline;

#[cfg(test)]
mod tests {
    use super::Conversation;

    /// One conversation is its document, several are a list of them.
    #[derive(schemars::JsonSchema)]
    #[schemars(title = "session", untagged)]
    #[expect(dead_code, reason = "only its schema is used")]
    enum Document {
        One(Box<Conversation>),
        Several(Vec<Conversation>),
    }

    #[test]
    fn the_schema_is_that_of_the_types() {
        agent_strace_testing::schemas::keep("session", &agent_strace_testing::schemas::written::<Document>());
    }
}

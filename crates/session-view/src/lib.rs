//! A session as its user lived it: conversations, in them turns, in them steps, in them the tools that ran.
//!
//! The rules are those of agtrace's engine, down to the ids it derives, so that what is built here can be held against
//! what was built there: where a rule of its loses something (a result that comes a turn later, tokens of two answers
//! in one step), the document loses it, too. Nothing is judged by it; [`billing`] counts what was paid.
//!
//! This crate must not know effects or policies: it shows a session and judges nothing. Start with [`document`] and
//! [`events`].

mod beat;
mod billing;
mod billing_report;
mod document;
pub mod events;
mod family;
mod identity;
mod moment;
mod outline;
mod step;
mod story;
mod tools;
mod turn;
pub mod why;

pub use billing::Bill;
pub use billing_report::BillingReport;
pub use document::{Conversation, StreamId};
pub use family::{Told, arrange};
pub use outline::outline;
pub use story::tell;

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

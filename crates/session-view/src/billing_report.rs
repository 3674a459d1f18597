//! The JSON document of `inspect --view billing`, version 1.

use serde::Serialize;

use crate::{Bill, SessionView, StreamId};

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(title = "billing"))]
pub struct BillingReport<'a> {
    schema_version: u32,
    sessions: Vec<Paid<'a>>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Paid<'a> {
    session_id: String,
    stream_id: &'a StreamId,
    agent: &'a str,
    source: &'a str,
    #[serde(flatten)]
    bill: &'a Bill,
}

impl<'a> BillingReport<'a> {
    pub fn of(views: &'a [SessionView]) -> Self {
        let sessions = views.iter().map(|view| Paid {
            session_id: view.conversation.session_id.to_string(),
            stream_id: &view.conversation.stream_id,
            agent: &view.agent,
            source: &view.source,
            bill: &view.bill,
        });
        Self { schema_version: 1, sessions: sessions.collect() }
    }
}

#[cfg(test)]
mod tests {
    use agent_strace_testing::schemas;

    #[test]
    fn the_schema_is_that_of_the_types() {
        schemas::keep("billing.v1", &schemas::written::<super::BillingReport<'static>>());
    }
}

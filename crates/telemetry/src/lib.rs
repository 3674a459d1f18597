//! Sessions in the language of OpenTelemetry: a session is a trace, a call with its result one span, and what a session
//! adds up to a gauge.
//!
//! The messages are those of `opentelemetry-proto`, the names of attributes those of the semantic conventions. Ids are
//! derived: exporting a session again gives the same trace. Times are those that were recorded, to the nanosecond; a
//! session that recorded none has no trace, and an event without a time stands at the one before it and says so.
//!
//! This crate must not know policies, findings, files or connections, and it redacts nothing: its caller hands over a
//! session that may be shown, and sends the messages.
//!
//! Start with [`mod@trace`] and `metrics`.

mod agents;
mod attributes;
mod events;
mod ids;
mod metrics;
mod names;
mod outcome;
mod provider;
mod requests;
mod times;
mod tools;
mod trace;

pub use ids::trace_id;
pub use metrics::{Score, metrics};
pub use trace::{Traced, trace};

use opentelemetry_proto::tonic::common::v1::InstrumentationScope;
use opentelemetry_proto::tonic::resource::v1::Resource;

use attributes::Attributes;

/// Which names spans have, and what becomes of requests to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// `tool/NAME`; requests to the model are events of the root span.
    Plain,
    /// `gen_ai.tool.call/NAME`; requests to the model are spans with their usage.
    GenAi,
}

/// What is exported, and as what.
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    pub naming: Naming,
    /// `service.name`.
    pub service: &'a str,
    /// It was taken out who the session is about.
    pub anonymized: bool,
    /// Trace-level attributes of Langfuse.
    pub langfuse: bool,
}

fn scope() -> InstrumentationScope {
    InstrumentationScope {
        name: "agent-strace".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        ..InstrumentationScope::default()
    }
}

fn resource(attributes: Attributes) -> Resource {
    let (attributes, dropped_attributes_count) = attributes.finish();
    Resource { attributes, dropped_attributes_count, ..Resource::default() }
}

//! What could not be read, as documents list it.

use serde::Serialize;

use super::view::ShownGap;
use agent_strace_model::Gap;

/// Something that could not be read.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Missing {
    file: String,
    line: Option<u32>,
    kind: &'static str,
    reason: String,
}

/// Everything that could not be read.
pub(super) fn missing(gaps: &[Gap]) -> Vec<Missing> {
    let shown = gaps.iter().map(ShownGap::new);
    shown
        .map(|gap| Missing {
            file: gap.file.as_str().to_owned(),
            line: gap.line,
            kind: gap.kind,
            reason: gap.reason.as_str().to_owned(),
        })
        .collect()
}

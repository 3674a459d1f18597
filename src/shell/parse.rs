//! Text → tree. The only file that knows the parser crate.

use super::{Problem, Script};

/// Parses `text` as bash. Never fails: what is not understood is listed in [`Script::problems`].
pub(crate) fn parse(text: &str) -> Script {
    let _ = text;
    Script { nodes: Vec::new(), problems: vec![Problem { reason: "not parsed".to_owned() }] }
}

//! Shell text → effects: walks the syntax tree in execution order, with the command knowledge base as data.

use super::{About, Certainty, Effect, Kind, Opaque, World};

/// Effects of running `text` as a shell program, in order; `world` ends up as the program leaves it.
pub(crate) fn run(text: &str, world: &mut World) -> Vec<Effect> {
    let _ = (text, world);
    vec![Effect {
        kind: Kind::Opaque(Opaque {
            reason: "shell text is not analysed".to_owned(),
            about: About::Anything,
            vouched_by: Vec::new(),
        }),
        certainty: Certainty::Possible,
        via: "command".into(),
    }]
}

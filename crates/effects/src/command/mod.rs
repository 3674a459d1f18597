//! Shell text → effects: walks the syntax tree in execution order, with the command knowledge base as data.
//!
//! | file | what it is for |
//! |---|---|
//! | `emitter` | the effects found so far, and the limits of what is done for one text |
//! | `context` | what holds for the part that is being walked, passed down by value |
//! | `machine` | walks a part: borrows the emitter and the world, has a context of its own |
//! | `origin` | where in the call's text they come from |
//! | `outcome` | what the call's success says of each of its commands |
//! | `walk`, `simple`, `redirect`, `builtins`, `declarations`, `reading`, `words` | the shell language |
//! | `environment`, `steering` | variables of the environment, and what they make programs do |
//! | `knowledge`, `apply` | what programs do with their options and operands, as data, and how it becomes effects |
//! | `packages` | packages that a command names |
//! | `programs` | programs that data can't describe |
//! | `code` | one-liners and scripts in other languages |
//! | `net` | words of a command that nothing else explains |
//! | `location` | what words name in the session's file system |
//! | `temporary` | names that `mktemp` makes up |
//! | `whereabouts` | commands that are told to work on another project |
//! | `search` | where programs are looked for |
//! | `stream` | what is known about text between commands |
//! | `write_mode` | whether a write replaces a file or appends to it |

mod apply;
mod argument;
mod builtins;
mod code;
mod context;
mod declarations;
mod emitter;
mod environment;
pub mod knowledge;
mod location;
mod machine;
mod net;
mod origin;
mod outcome;
mod packages;
mod programs;
mod provenance;
mod reading;
mod redirect;
mod search;
mod simple;
mod steering;
mod stream;
mod temporary;
#[cfg(test)]
mod tests;
mod walk;
mod whereabouts;
mod words;
mod write_mode;

use std::sync::Arc;

use agent_strace_shell::Scope;

use super::edited::Edited;
use super::world::LivingShell;
use super::{About, Effect, Effects, Reason, World};
use argument::Arg;
use context::Context;
use emitter::Emitter;
use machine::{walk, walk_on};
pub(crate) use net::named_commands;
use outcome::Outcome;
pub(crate) use simple::looks_like_path;
use stream::Stream;

/// Effects of running `text` as a shell program, in order; `world` ends up as the program leaves it.
pub(crate) fn run(text: &str, world: &mut World) -> Effects {
    if let Some(living) = world.living() {
        let known = living.clone();
        return in_living_shell(text, &known, world).into();
    }
    match world.memo() {
        Some(memo) => memo.run(text, world, worked_out),
        None => worked_out(text, world).into(),
    }
}

/// Runs a text with the functions and positional parameters that earlier texts may have left to its shell.
fn in_living_shell(text: &str, known: &LivingShell, world: &mut World) -> Vec<Effect> {
    let mut scope = Scope::default();
    for earlier in known.texts().iter() {
        let mut before = world.clone();
        walked_on(earlier, &mut before, &mut scope, &mut Emitter::default());
    }
    scope.doubt_functions();
    let before = scope.clone();
    let edited = Edited::new(text, "\r\n", "\n");
    let mut emitter = Emitter::default();
    walked_on(edited.as_ref().map_or(text, |edited| &edited.text), world, &mut scope, &mut emitter);
    if let Some(living) = world.living().filter(|_| scope.defines_more_than(&before)) {
        living.keep(text, emitter.steps());
    }
    let mut effects = emitter.into_effects();
    if let Some(edited) = edited {
        edited.restore(&mut effects);
    }
    if world.living().is_some_and(|living| living.is_full()) {
        let knowledge = Arc::clone(world.knowledge());
        effects.extend(walk("", world, &knowledge, Context::new(""), |machine| {
            machine.opaque(About::Commands, Reason::TooManyItems, &[]);
        }));
    }
    effects
}

fn worked_out(text: &str, world: &mut World) -> Vec<Effect> {
    let Some(edited) = Edited::new(text, "\r\n", "\n") else { return walked(text, world) };
    let mut effects = walked(&edited.text, world);
    edited.restore(&mut effects);
    effects
}

/// The same for PowerShell text.
pub(crate) fn run_powershell(text: &str, world: &mut World) -> Effects {
    let knowledge = Arc::clone(world.knowledge());
    let effects = walk(text, world, &knowledge, Context::new(text), |machine| {
        let mut scope = Scope::default();
        machine.powershell_text(text, &mut simple::Io { scope: &mut scope, input: &Stream::Unconnected });
    });
    effects.into()
}

/// The effects of a variable that a program is given beside its command line.
pub(crate) fn environment(name: &str, value: Option<&str>, world: &mut World) -> Vec<Effect> {
    let knowledge = Arc::clone(world.knowledge());
    let value = value.map_or_else(|| Arg::unknown(name), Arg::exact);
    let mut effects = walk("", world, &knowledge, Context::new(""), |machine| {
        machine.exported(&Arg::exact(name), Some(&value), &mut Scope::default());
    });
    for effect in &mut effects {
        effect.origin.span = None;
    }
    effects
}

fn walked(text: &str, world: &mut World) -> Vec<Effect> {
    let mut emitter = Emitter::default();
    walked_on(text, world, &mut Scope::default(), &mut emitter);
    emitter.into_effects()
}

fn walked_on(text: &str, world: &mut World, scope: &mut Scope, emitter: &mut Emitter) {
    let knowledge = Arc::clone(world.knowledge());
    let context = Context::new(text).with_outcome(Outcome::of_call());
    walk_on(text, world, &knowledge, context, emitter, |machine| {
        if let Some(reason) = misleading(text) {
            machine.opaque(About::Commands, reason, &[]);
        }
        machine.shell_text(text, scope, &Stream::Unconnected);
    });
}

/// Text that readers and shells take for different things.
fn misleading(text: &str) -> Option<Reason> {
    let line = |character: char| matches!(character, '\u{2028}' | '\u{2029}' | '\u{85}');
    let direction = |character: char| matches!(character, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    if text.contains(line) {
        Some(Reason::LineSeparator)
    } else if text.contains(direction) {
        Some(Reason::ReadingDirection)
    } else {
        None
    }
}

//! Shell text → effects: walks the syntax tree in execution order, with the command knowledge base as data.
//!
//! | file | what it is for |
//! |---|---|
//! | `emitter` | the effects found so far, and the limits of what is done for one text |
//! | `context` | what holds for the part that is being walked, passed down by value |
//! | `machine` | walks a part: borrows the emitter and the world, has a context of its own |
//! | `origin` | where in the call's text they come from |
//! | `outcome` | what the call's success says of each of its commands |
//! | `ways` | what is left where several ways through a text meet |
//! | `walk`, `lists`, `simple`, `redirect`, `builtins`, `declarations`, `reading`, `words` | the shell language |
//! | `descriptors` | files and pipes that a shell keeps open by a number |
//! | `name_lists` | files that list what a command works on |
//! | `environment`, `option_variables`, `steering` | variables of the environment, and what they make programs do |
//! | `knowledge`, `operands`, `apply` | what programs do with their options and operands, as data, and how it becomes effects |
//! | `packages` | packages that a command names |
//! | `programs` | programs that data can't describe |
//! | `code` | one-liners and scripts in other languages |
//! | `net` | words of a command that nothing else explains |
//! | `location` | what words name in the session's file system |
//! | `temporary` | names that `mktemp` makes up |
//! | `whereabouts` | commands that are told to work on another project |
//! | `gate` | acts on the program that judges the agent |
//! | `search` | where programs are looked for |
//! | `stream` | what is known about text between commands |
//! | `write_mode` | whether a write replaces a file or appends to it |

mod apply;
mod argument;
mod builtins;
mod code;
mod context;
mod conversations;
mod declarations;
mod descriptors;
mod emitter;
mod environment;
mod flows;
pub(crate) mod gate;
mod globbed;
pub mod knowledge;
mod lists;
mod location;
mod machine;
mod name_lists;
mod net;
mod operands;
mod option_variables;
mod origin;
mod outcome;
mod packages;
mod programs;
mod provenance;
mod reached;
mod reading;
mod redirect;
mod search;
mod simple;
mod steering;
mod stream;
mod temporary;
mod terminals;
#[cfg(test)]
mod tests;
mod touched;
mod walk;
mod ways;
mod whereabouts;
mod words;
mod write_mode;

use std::sync::Arc;

use agent_strace_shell::Scope;

use super::edited::Edited;
use super::{About, Effect, Effects, Reason, World};
use argument::Arg;
pub(crate) use code::is_of_windows;
use context::Context;
pub(crate) use machine::LINK;
use machine::walk;
pub(crate) use net::named_commands;
use outcome::Outcome;
pub use programs::{CalledRecipes, RecipeFiles};
pub(crate) use simple::{is_settings_command, looks_like_path};
use stream::Stream;

/// What one text may hold, as reasons name it.
#[cfg(test)]
#[derive(Debug)]
pub(crate) struct Limits {
    pub(crate) commands: usize,
    pub(crate) effects: usize,
    pub(crate) depth: usize,
}

#[cfg(test)]
pub(crate) const LIMITS: Limits =
    Limits { commands: emitter::COMMANDS, effects: emitter::EFFECTS, depth: machine::DEPTH };

/// Effects of running `text` as a shell program, in order; `world` ends up as the program leaves it.
pub(crate) fn run(text: &str, world: &mut World) -> Effects {
    if let Some(living) = world.living() {
        let before = living.scope();
        return in_living_shell(text, &before, world).into();
    }
    match world.memo() {
        Some(memo) => memo.run(text, world, worked_out),
        None => worked_out(text, world).into(),
    }
}

/// Runs a text with what earlier texts may have left to its shell: functions, positional parameters, aliases, variables.
fn in_living_shell(text: &str, before: &Scope, world: &mut World) -> Vec<Effect> {
    let mut scope = before.clone();
    let edited = Edited::new(text, "\r\n", "\n");
    let mut effects = walked(edited.as_ref().map_or(text, |edited| &edited.text), world, &mut scope);
    if let Some(left) = scope.left_since(before)
        && let Some(living) = world.living()
    {
        living.keep(left);
    }
    if let Some(edited) = edited {
        edited.restore(&mut effects);
    }
    effects
}

fn worked_out(text: &str, world: &mut World) -> Vec<Effect> {
    let Some(edited) = Edited::new(text, "\r\n", "\n") else { return walked(text, world, &mut Scope::default()) };
    let mut effects = walked(&edited.text, world, &mut Scope::default());
    edited.restore(&mut effects);
    effects
}

/// The same for PowerShell text.
pub(crate) fn run_powershell(text: &str, world: &mut World) -> Effects {
    let knowledge = Arc::clone(world.knowledge());
    let effects = walk(text, world, &knowledge, Context::new(text), |machine| {
        machine.with_each_text(&mut Scope::default(), &|machine, scope| {
            machine.powershell_text(text, &mut simple::Io { scope, input: &Stream::Unconnected });
            Stream::Unknown
        });
    });
    effects.into()
}

/// Works out the effects of a text of cmd.exe.
pub(crate) fn run_cmd(text: &str, world: &mut World) -> Effects {
    let knowledge = Arc::clone(world.knowledge());
    let effects = walk(text, world, &knowledge, Context::new(text), |machine| {
        machine.with_each_text(&mut Scope::default(), &|machine, scope| {
            machine.cmd_text(text, &[], &mut simple::Io { scope, input: &Stream::Unconnected })
        });
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

fn walked(text: &str, world: &mut World, scope: &mut Scope) -> Vec<Effect> {
    let knowledge = Arc::clone(world.knowledge());
    let context = Context::new(text).with_outcome(Outcome::of_call());
    walk(text, world, &knowledge, context, |machine| {
        if let Some(reason) = misleading(text) {
            machine.opaque(About::Commands, reason, &[]);
        }
        machine.shell_text(text, scope, &Stream::Unconnected);
    })
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

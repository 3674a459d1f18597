//! The roles of operands: by their place, and as flags of the command change them.

use super::argument::{Arg, Arguments};
use super::knowledge::{Entry, OperandRole, Role};
use super::machine::looks_like_file;
use super::stream::Stream;

/// The role of a file that is read or written, as flags change it.
pub(super) fn removed(role: Role) -> Option<Role> {
    match role {
        Role::Read | Role::Write | Role::Edit => Some(Role::Delete),
        Role::ReadTree | Role::WriteTree => Some(Role::DeleteTree),
        _ => None,
    }
}

/// Flags that change the role of every operand of a command.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Flags {
    pub(super) tree: bool,
    pub(super) in_place: bool,
    pub(super) harmless: bool,
}

impl Flags {
    pub(super) fn of(arguments: &Arguments) -> Self {
        let harmless = arguments.has_role(Role::Harmless);
        Self {
            tree: arguments.has_role(Role::Tree),
            in_place: arguments.has_role(Role::InPlace) && !harmless,
            harmless,
        }
    }
}

/// The role of an operand under the flags of its command.
pub(super) fn adapted(role: Role, flags: Flags) -> Role {
    match (role, flags.tree, flags.in_place) {
        (Role::Write | Role::Edit, _, _) if flags.harmless => Role::Read,
        (Role::Read, _, true) => Role::Edit,
        (Role::WriteTree, _, _) if flags.harmless => Role::ReadTree,
        (Role::Read, true, false) => Role::ReadTree,
        (Role::ReadTree, _, true) | (Role::Write, true, _) => Role::WriteTree,
        (Role::Delete, true, _) => Role::DeleteTree,
        (Role::List, true, _) => Role::ListTree,
        (other, _, _) => other,
    }
}

/// Each operand with its role; for [`Role::Argv`] the words from there on.
pub(super) fn assign<'a>(entry: &Entry, arguments: &'a Arguments) -> Vec<(Role, &'a Arg, &'a [Arg])> {
    let replaced = arguments.has_role(Role::Pattern) || arguments.has_role(Role::PatternFile);
    let into = arguments.has_role(Role::WriteInto);
    let changed: Vec<OperandRole>;
    let spec = if replaced || into {
        let kept = entry.operands.iter().copied().filter(|operand| !(replaced && operand.role == Role::Pattern));
        let mut kept: Vec<OperandRole> = kept.collect();
        if into {
            kept.pop();
        }
        changed = kept;
        changed.as_slice()
    } else {
        entry.operands.as_slice()
    };
    let count = arguments.operands.len();
    let star = spec.iter().position(|operand| operand.many).unwrap_or(spec.len());
    let after = spec.len().saturating_sub(star + 1);
    let last = spec.last().map_or(Role::Value, |operand| operand.role);
    let mut assigned = Vec::with_capacity(count);
    for (at, word) in arguments.operands.iter().enumerate() {
        let from_end = count - at;
        let role = if at < star {
            spec.get(at).map_or(last, |operand| operand.role)
        } else if from_end <= after && count > star + usize::from(after > 0) {
            spec.get(spec.len() - from_end).map_or(last, |operand| operand.role)
        } else {
            spec.get(star).map_or(last, |operand| operand.role)
        };
        let rest = arguments.operands.get(at..).unwrap_or_default();
        assigned.push((role, word, rest));
        if role == Role::Argv {
            break;
        }
    }
    assigned
}

/// Options with which a lister prints more than names, or names in another form.
const MORE_THAN_NAMES: &[&str] = &[
    "-l",
    "-g",
    "-o",
    "-n",
    "-s",
    "-i",
    "-Z",
    "-Q",
    "-b",
    "-F",
    "-p",
    "--long",
    "--format",
    "--time-style",
    "--inode",
    "--size",
    "--quoting-style",
    "--hyperlink",
    "--classify",
    "--indicator-style",
    "--full-time",
    "--context",
];

/// Names that `ls` and its like print: the operands themselves, or the names of the entries of those that are directories.
pub(super) fn names(arguments: &Arguments) -> Stream {
    if arguments.has(MORE_THAN_NAMES) {
        return Stream::Unknown;
    }
    let deep = arguments.has_role(Role::Tree);
    let mut names: Vec<Arg> = arguments.operands.clone();
    let itself = arguments.has(&["-d", "--directory", "--list-dirs"]) && !names.is_empty();
    if !itself && (names.is_empty() || deep || !names.iter().all(|name| looks_like_file(&name.text))) {
        names.push(Arg::glob(if deep { "**" } else { "*" }));
        if arguments.has(&["-a", "-A", "--all", "--almost-all"]) {
            names.push(Arg::glob(".*"));
        }
    }
    Stream::Names(names)
}

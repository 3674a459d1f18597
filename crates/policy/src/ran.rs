//! What was run, prepared for comparison with many denies.

use std::borrow::Cow;

use agent_strace_effects::{Argument, Execution};

use super::command::other_names;

/// What was run, prepared for many denies.
#[derive(Debug)]
pub(super) struct Ran<'a> {
    /// The whole text of the call, in lower case.
    pub(super) raw: Option<String>,
    /// The command, and every suffix of it where it may run one; each also in the words that say the same.
    pub(super) commands: Vec<Spelled<'a>>,
    /// There are suffixes that nobody looked at.
    pub(super) cut: bool,
}

#[derive(Debug)]
pub(super) struct Spelled<'a> {
    pub(super) program: Cow<'a, Argument>,
    pub(super) arguments: Cow<'a, [Argument]>,
    /// The program's bare name.
    pub(super) name: String,
    /// All words, in lower case, where all are known.
    pub(super) joined: Option<String>,
}

impl<'a> Ran<'a> {
    pub(super) fn new(execution: &'a Execution, raw: Option<&str>) -> Self {
        let all = if execution.embeds { execution.argv.len() } else { 1 };
        let suffixes = (0..all.min(MOST_SUFFIXES)).filter_map(|at| execution.argv.get(at..));
        Self {
            raw: raw.map(|raw| raw.trim().to_lowercase()),
            commands: suffixes.filter_map(Spelled::new).flat_map(Spelled::with_synonyms).collect(),
            cut: all > MOST_SUFFIXES,
        }
    }
}

/// Wrappers have few words of their own; the bound keeps the work linear.
const MOST_SUFFIXES: usize = 256;

impl<'a> Spelled<'a> {
    fn new(argv: &'a [Argument]) -> Option<Self> {
        let (program, arguments) = argv.split_first()?;
        Some(Self::of(Cow::Borrowed(program), Cow::Borrowed(arguments)))
    }

    fn of(program: Cow<'a, Argument>, arguments: Cow<'a, [Argument]>) -> Self {
        let name = basename(&program.text);
        let joined = (program.known && arguments.iter().all(|argument| argument.known)).then(|| {
            let mut joined = name.clone();
            for argument in arguments.iter() {
                joined.push(' ');
                joined.push_str(&argument.text.to_lowercase());
            }
            joined
        });
        Self { program, arguments, name, joined }
    }

    /// It, and the same command in other words.
    fn with_synonyms(self) -> impl Iterator<Item = Self> {
        let others = if self.program.known { other_names(&self.name, &self.arguments) } else { Vec::new() };
        let others = others.into_iter().map(|(program, arguments)| {
            Self::of(Cow::Owned(Argument { text: program, known: true }), Cow::Owned(arguments))
        });
        std::iter::once(self).chain(others)
    }
}

/// `/usr/bin/../bin/RM.exe` → `rm`.
pub(super) fn basename(program: &str) -> String {
    let program = program.replace('\\', "/").to_lowercase();
    let name = program.rsplit('/').find(|component| !component.is_empty()).unwrap_or(&program);
    for ending in [".exe", ".cmd", ".bat", ".com"] {
        if let Some(stem) = name.strip_suffix(ending).filter(|stem| !stem.is_empty()) {
            return stem.to_owned();
        }
    }
    name.to_owned()
}

//! The languages that a shell text may be written in, and how its readings in several languages become one.

use std::collections::{HashMap, HashSet};

use agent_strace_model::ShellLanguage;

use super::clues::{has_heredoc, may_be_of_windows};
use super::names;
use super::registry::{Entry, REGISTRY};
use super::run::{Run, texts};
use super::value::{Object, Value};
use crate::world::{Platform, World, is_on_windows};
use crate::{Class, Effect, Effects, Kind, Reason};

/// How a text is read: as the text of a shell, or with the backslashes in its words taken for separators of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Shell(ShellLanguage),
    /// The call names `cmd.exe` as its shell: the text is read as a text for it.
    CmdProgram,
    /// POSIX text as somebody meant it who writes paths of Windows.
    Slashed,
}

const WINDOWS: &[ShellLanguage] = &[ShellLanguage::PowerShell, ShellLanguage::Cmd, ShellLanguage::Posix];

/// The ways to read the texts of a call. `own`: the language of the tool, where it has one.
pub(super) fn modes(world: &World, entry: &Entry, given: &Object, own: Option<ShellLanguage>) -> Vec<Mode> {
    let named = given.iter().filter(|(key, _)| REGISTRY.is(entry, "shell", &names::plain(key)));
    let named: Vec<&Value> = named.map(|(_, value)| value).collect();
    let mut modes: Vec<Mode> = named.iter().filter_map(|value| of_shell(value)).map(Mode::named).collect();
    // Where the tool is known to have an argument for the shell, a shell of the system decides. Any other tool may pass
    // over the argument: the model writes it, and it must not choose how the text is read.
    let decides = entry.arguments.contains_key("shell") && named.iter().all(|value| is_of_system(value));
    let commands = texts(given, entry, "command").texts;
    if modes.is_empty() || !decides {
        let directories = texts(given, entry, "cwd").texts;
        let is_posix = entry.posix && !world.bash_is_any();
        let own = own.or_else(|| is_posix.then_some(ShellLanguage::Posix));
        let own = own.map_or_else(|| of_session(world, &commands, &directories), |own| vec![own]);
        modes.splice(0..0, own.into_iter().map(Mode::Shell));
    }
    read_in(world, &modes, &commands)
}

/// The ways to read a text that no tool's entry describes.
pub(super) fn modes_of_text(world: &World, text: &str) -> Vec<Mode> {
    let modes: Vec<Mode> = of_session(world, &[text], &[]).into_iter().map(Mode::Shell).collect();
    read_in(world, &modes, &[text])
}

/// The languages in which the session's shell tools take their texts.
fn of_session(world: &World, commands: &[&str], directories: &[&str]) -> Vec<ShellLanguage> {
    // That a shell is a POSIX one rules nothing out where nothing else shows a POSIX system.
    let mut languages = world.shells().to_vec();
    let is_told = languages.iter().any(|language| *language != ShellLanguage::Posix);
    match world.platform() {
        // A shell of another system runs nothing in such a directory.
        Platform::Posix => languages.insert(0, ShellLanguage::Posix),
        Platform::Windows | Platform::Unknown if is_told => {}
        Platform::Windows => languages.extend(WINDOWS),
        Platform::Unknown => {
            languages.push(ShellLanguage::Posix);
            let directories = directories.iter().any(|directory| is_on_windows(directory));
            if directories || commands.iter().any(|text| may_be_of_windows(text)) {
                languages.extend(WINDOWS);
            }
        }
    }
    languages
}

/// The ways, each once, and those that the texts ask for or rule out.
fn read_in(world: &World, wanted: &[Mode], commands: &[&str]) -> Vec<Mode> {
    let posix = Mode::Shell(ShellLanguage::Posix);
    let is_open = wanted.contains(&posix) && world.platform() != Platform::Posix;
    let posix_alone = is_open && commands.iter().any(|text| has_heredoc(text));
    let mut modes: Vec<Mode> = Vec::new();
    for mode in wanted.iter().filter(|mode| !posix_alone || **mode == posix) {
        if !modes.contains(mode) {
            modes.push(*mode);
        }
    }
    if is_open && commands.iter().any(|text| slashed(text).is_some()) {
        modes.push(Mode::Slashed);
    }
    modes
}

impl Mode {
    fn named(language: ShellLanguage) -> Self {
        if language == ShellLanguage::Cmd { Self::CmdProgram } else { Self::Shell(language) }
    }
}

/// Folders whose shells are what their names say.
const SYSTEM: &[&str] = &[
    "/bin/",
    "/usr/bin/",
    "/usr/local/bin/",
    "/opt/homebrew/bin/",
    "/opt/microsoft/powershell/",
    "/usr/local/microsoft/powershell/",
    "/snap/bin/",
    "/run/current-system/sw/bin/",
    "c:/windows/",
    "c:/program files/powershell/",
    "c:/program files/git/",
];

/// A name without a path, or a path in a folder of the system.
fn is_of_system(value: &Value) -> bool {
    let Value::Text(shell) = value else { return false };
    let shell = shell.trim().to_lowercase().replace('\\', "/");
    let (is_elsewhere, name) = match SYSTEM.iter().find_map(|folder| shell.strip_prefix(folder)) {
        Some(rest) => (rest.contains(".."), rest),
        None => (shell.contains('/'), shell.as_str()),
    };
    !is_elsewhere && !name.contains(char::is_whitespace)
}

fn of_shell(value: &Value) -> Option<ShellLanguage> {
    if let Value::Text(shell) = value { ShellLanguage::of_shell(shell) } else { None }
}

/// The text with slashes for the backslashes that POSIX shells drop between the names of a path; `None`: it has none.
pub(super) fn slashed(text: &str) -> Option<String> {
    let mut slashed = String::with_capacity(text.len());
    let mut quote = None;
    let mut changed = false;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let next = characters.peek().copied();
        match (character, quote) {
            ('\\', None) if next == Some('\\') && is_start(&slashed) => {
                // `\\server`: an escaped backslash is one.
                characters.next();
                let is_server = characters.peek().is_some_and(|next| next.is_alphanumeric());
                changed |= is_server;
                slashed.push_str(if is_server { r"\\\\" } else { r"\\" });
            }
            ('\\', None) if next.is_some_and(names_a_part) && !is_start(&slashed) => {
                changed = true;
                slashed.push('/');
            }
            ('\\', None | Some('"')) => {
                slashed.push(character);
                slashed.extend(characters.next());
            }
            ('"' | '\'', None) => {
                quote = Some(character);
                slashed.push(character);
            }
            _ => {
                quote = quote.filter(|quote| *quote != character);
                slashed.push(character);
            }
        }
    }
    changed.then_some(slashed)
}

/// A character that a name in a path may begin with.
fn names_a_part(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '.' | '~' | '$' | '%' | '-')
}

/// A word may begin behind the text.
fn is_start(text: &str) -> bool {
    text.chars().next_back().is_none_or(|last| last.is_whitespace() || "|&;()<>=`".contains(last))
}

/// Reads a text in each of several ways, each from the same state, and unites what it does.
pub(super) fn in_each(run: &mut Run<'_>, modes: &[Mode], read: &mut dyn FnMut(&mut Run<'_>, Mode)) {
    if let [only] = modes {
        return read(run, *only);
    }
    let before = run.world.clone();
    let so_far = std::mem::take(&mut run.effects);
    let mut readings = Vec::new();
    for (at, mode) in modes.iter().enumerate() {
        let first = (at > 0).then(|| std::mem::replace(run.world, before.clone()));
        read(run, *mode);
        readings.push(Reading { mode: *mode, effects: std::mem::take(&mut run.effects).into_vec() });
        if let Some(first) = first {
            let there = std::mem::replace(run.world, first);
            run.world.learn(&there, &before);
        }
    }
    run.effects = so_far;
    run.effects.append(united(readings));
}

#[derive(Debug)]
struct Reading {
    mode: Mode,
    effects: Vec<Effect>,
}

impl Reading {
    /// All of the text is understood. The reader of cmd takes nearly any text.
    fn is_sure(&self) -> bool {
        let can_tell = matches!(self.mode, Mode::Shell(ShellLanguage::Posix | ShellLanguage::PowerShell));
        can_tell && !self.effects.is_empty() && !self.effects.iter().any(is_unread)
    }

    /// What the reading does not understand of commands that are understood in another language, and what it guesses of
    /// them. Everything else stays.
    fn without_doubts(&mut self, understood: &HashSet<String>) {
        let is_forgiven = |effect: &Effect| match &effect.kind {
            Kind::Execute(execution) => execution.argv.first().is_some_and(|program| {
                !program.known || execution.embeds && understood.contains(&program_name(&program.text))
            }),
            _ => false,
        };
        let forgiven: Vec<bool> = self.effects.iter().map(is_forgiven).collect();
        let of_forgiven = |effect: &Effect| {
            effect.origin.parent.is_some_and(|parent| forgiven.get(parent as usize).copied().unwrap_or(false))
        };
        self.keep(|effect, at| {
            let guess = effect.certainty != crate::Certainty::Exact;
            let dropped = forgiven.get(at).copied().unwrap_or(false)
                || matches!(&effect.kind, Kind::Opaque(opaque) if is_unreadable(&opaque.reason))
                || of_forgiven(effect) && (guess || matches!(effect.kind, Kind::Opaque(_)));
            !dropped
        });
    }

    fn keep(&mut self, keeps: impl Fn(&Effect, usize) -> bool) {
        let mut indices = Vec::with_capacity(self.effects.len());
        let mut kept: Vec<Effect> = Vec::with_capacity(self.effects.len());
        for (at, mut effect) in std::mem::take(&mut self.effects).into_iter().enumerate() {
            let stays = keeps(&effect, at);
            effect.origin = effect.origin.moved(&indices);
            indices.push(if stays { u32::try_from(kept.len()).ok() } else { None });
            if stays {
                kept.push(effect);
            }
        }
        self.effects = kept;
    }
}

fn program_name(program: &str) -> String {
    let name = program.to_lowercase();
    name.strip_suffix(".exe").map_or(name.clone(), str::to_owned)
}

fn is_unreadable(reason: &Reason) -> bool {
    matches!(reason, Reason::ShellText(_) | Reason::ComputedProgram)
}

/// The acts of a program of the project are unknown in any language.
fn is_unread(effect: &Effect) -> bool {
    match &effect.kind {
        Kind::Opaque(opaque) => matches!(opaque.class, Class::Unknown | Class::Hidden),
        Kind::Execute(execution) => execution.argv.first().is_some_and(|program| !program.known),
        _ => false,
    }
}

/// Unites several readings of one text: each effect stands once.
fn united(mut readings: Vec<Reading>) -> Effects {
    let sure = readings.iter().filter(|reading| reading.is_sure());
    let understood: HashSet<String> = sure.flat_map(|reading| &reading.effects).filter_map(program_of).collect();
    if !understood.is_empty() {
        readings
            .iter_mut()
            .filter(|reading| !reading.is_sure())
            .for_each(|reading| reading.without_doubts(&understood));
    }
    if readings.iter().any(|reading| reading.mode == Mode::Slashed) {
        doubt_dropped_backslashes(&mut readings);
    }
    let mut union = Union::default();
    for reading in readings {
        union.add(reading.effects);
    }
    union.effects.into()
}

/// The effects of all readings, each once.
#[derive(Debug, Default)]
struct Union {
    effects: Vec<Effect>,
    places: HashMap<Kind, u32>,
    /// Commands of which a reading said that their program is not known.
    unknown: HashSet<u32>,
}

impl Union {
    fn add(&mut self, reading: Vec<Effect>) {
        let mut indices = Vec::with_capacity(reading.len());
        let mut unknown = Vec::new();
        for mut effect in reading {
            effect.origin = effect.origin.moved(&indices);
            let parent = effect.origin.parent;
            let is_unknown = matches!(&effect.kind, Kind::Opaque(opaque) if opaque.class == Class::Unknown);
            if is_unknown && parent.is_some_and(|parent| self.unknown.contains(&parent)) {
                indices.push(None);
                continue;
            }
            unknown.extend(parent.filter(|_| is_unknown));
            indices.push(Some(self.put(effect)));
        }
        self.unknown.extend(unknown);
    }

    /// Adds an effect, or what is new in it where an equal one is there; returns its place.
    fn put(&mut self, effect: Effect) -> u32 {
        let place = self.places.get(&effect.kind).copied();
        if let Some(place) = place
            && let Some(known) = self.effects.get_mut(place as usize)
        {
            known.certainty = surer(known.certainty, effect.certainty);
            known.origin.told &= effect.origin.told;
            known.origin.ran &= effect.origin.ran;
            return place;
        }
        let place = u32::try_from(self.effects.len()).unwrap_or(u32::MAX);
        self.places.insert(effect.kind.clone(), place);
        self.effects.push(effect);
        place
    }
}

fn program_of(effect: &Effect) -> Option<String> {
    let Kind::Execute(execution) = &effect.kind else { return None };
    execution.argv.first().filter(|program| program.known).map(|program| program_name(&program.text))
}

fn surer(one: crate::Certainty, other: crate::Certainty) -> crate::Certainty {
    if one == crate::Certainty::Possible { other } else { one }
}

/// A POSIX shell drops backslashes, and a writer of such a text hardly meant the name that is left: it is no more than
/// possible where no other reading has it.
fn doubt_dropped_backslashes(readings: &mut [Reading]) {
    let is_posix = |reading: &Reading| reading.mode == Mode::Shell(ShellLanguage::Posix);
    let others = || readings.iter().filter(|reading| !is_posix(reading)).flat_map(|reading| &reading.effects);
    let elsewhere: HashSet<Kind> = others().map(|effect| effect.kind.clone()).collect();
    let lines: HashSet<(String, usize)> = others().filter_map(line_of).collect();
    for reading in readings.iter_mut().filter(|reading| is_posix(reading)) {
        for effect in reading.effects.iter_mut().filter(|effect| effect.kind.path().is_some()) {
            if !elsewhere.contains(&effect.kind) {
                effect.certainty = effect.certainty.guessed();
            }
        }
        // The same command with other words is no second one.
        let is_same = |effect: &Effect| {
            !elsewhere.contains(&effect.kind) && line_of(effect).is_some_and(|line| lines.contains(&line))
        };
        let same: Vec<bool> = reading.effects.iter().map(is_same).collect();
        let is_at = |at: usize| same.get(at).copied().unwrap_or(false);
        reading.keep(|effect, at| {
            let of_same = effect.origin.parent.is_some_and(|parent| is_at(parent as usize));
            let is_unknown = matches!(&effect.kind, Kind::Opaque(opaque) if opaque.class == Class::Unknown);
            !(is_at(at) || of_same && is_unknown)
        });
    }
}

/// The program of a command and the count of its words.
fn line_of(effect: &Effect) -> Option<(String, usize)> {
    let Kind::Execute(execution) = &effect.kind else { return None };
    Some((program_of(effect)?, execution.argv.len()))
}

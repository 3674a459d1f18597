//! One entry of `programs`: options, operands, subcommands, hosts, and what the arguments do not say.
//!
//! What is said about a program that nobody knew stands for itself. What is said about a tool of projects corrects the
//! built-in entry part by part, but takes nothing away that runs or hides other effects. What is said about any other
//! built-in program comes on top of its own effects.

use agent_strace_effects::knowledge::{self, Entry, OperandRole, OptionRole, ROLES, Role, Unproven};

use super::{Data, Parser, Value, escaped, nearest, quoted};
use crate::grammar::{self, Object};

/// Subcommands below subcommands.
const DEEPEST: usize = 4;
/// Options and operands of one entry.
const MOST_WORDS: usize = 200;
/// Characters of a reason.
const LONGEST_REASON: usize = 200;

/// One string of a list.
pub(super) struct Item<'v> {
    pub(super) text: &'v str,
    value: &'v Value,
    pointer: String,
}

/// What an entry starts from.
#[derive(Clone, Copy)]
pub(super) enum Base<'b> {
    New,
    /// The built-in entry, of which parts are replaced.
    Corrected(&'b Entry),
    /// Nothing: what is said comes on top of the built-in entry.
    Added,
}

/// What an entry is about.
#[derive(Clone, Copy)]
pub(super) struct Topic<'b> {
    /// `deploy-tool push`.
    pub(super) shown: &'b str,
    /// How many words name it.
    pub(super) words: usize,
    pub(super) base: Base<'b>,
    /// The names of the program.
    pub(super) names: &'b [String],
}

impl Topic<'_> {
    /// The built-in entry that keeps what is not said.
    fn corrected(&self) -> Option<&Entry> {
        match self.base {
            Base::Corrected(builtin) => Some(builtin),
            Base::New | Base::Added => None,
        }
    }

    fn described_by(&self) -> &'static Object {
        if self.words == 1 { &grammar::PROGRAM } else { &grammar::SUBCOMMAND }
    }
}

impl Parser<'_> {
    pub(super) fn entry(&mut self, value: &Value, pointer: &str, topic: &Topic<'_>) -> Entry {
        let mut entry = topic.corrected().cloned().unwrap_or_default();
        let Some(members) = self.members(value, pointer, topic.described_by()) else { return entry };
        for (key, value) in &members {
            let pointer = format!("{pointer}/{}", escaped(&key.name));
            if let Some((message, help)) = misplaced(&key.name, &members, topic) {
                self.faults.push(key.span.clone(), &pointer, message, Some(help));
                continue;
            }
            match key.name.as_str() {
                "options" => self.options(value, &pointer, topic, &mut entry),
                "operands" => self.operands(value, &pointer, topic, &mut entry),
                "stops" => entry.stops = self.switch(value, &pointer),
                "words" => entry.words = self.switch(value, &pointer),
                "always" => self.always(value, &pointer, &mut entry),
                "connect" => self.connect(value, &pointer, topic, &mut entry),
                "unproven" => entry.unproven = self.unproven(value, &pointer, topic),
                "subcommands" => self.subcommands(value, &pointer, topic, &mut entry),
                "otherwise" => {
                    // The word that stands where a subcommand is expected is part of what it goes by.
                    let others = Topic { words: topic.words + 1, ..*topic };
                    entry.otherwise = Some(Box::new(self.entry(value, &pointer, &others)));
                }
                "examples" => self.examples(value, &pointer, topic.names),
                _ => {}
            }
        }
        if members.is_empty() && !matches!(topic.base, Base::New) {
            let message = format!("nothing is said about {}", quoted(topic.shown));
            self.faults.push(value.span.clone(), pointer, message, Some("remove it".to_owned()));
        }
        handed_down(&mut entry, topic);
        entry
    }

    fn options(&mut self, value: &Value, pointer: &str, topic: &Topic<'_>, entry: &mut Entry) {
        let mut seen = std::collections::BTreeSet::new();
        for (key, value) in self.object(value, pointer, &[]).unwrap_or_default() {
            let pointer = format!("{pointer}/{}", escaped(&key.name));
            let role = self.option_role(value, &pointer, topic);
            if key.name.trim().is_empty() {
                self.faults.push(key.span.clone(), &pointer, "this name is empty".to_owned(), None);
            }
            for name in key.name.split_whitespace() {
                let fault = if name.len() < 2 || name == "--" || !name.starts_with(['-', '+']) || name.contains('=') {
                    let help = "options start with `-` and are written without their value".to_owned();
                    Some((format!("{} is no option", quoted(name)), help))
                } else if !seen.insert(name.to_owned()) {
                    Some((format!("the option {} stands here twice", quoted(name)), "merge the two".to_owned()))
                } else if seen.len() > MOST_WORDS {
                    let help = format!("an entry lists up to {MOST_WORDS} of them");
                    Some((format!("the option {} is one too many", quoted(name)), help))
                } else {
                    role.and_then(|role| kept(name, role, topic))
                };
                match (fault, role) {
                    (Some((message, help)), _) => self.faults.push(key.span.clone(), &pointer, message, Some(help)),
                    (None, Some(role)) => entry.set_option(name, role),
                    (None, None) => {}
                }
            }
        }
    }

    /// `Some(None)`: a flag, which takes no value and does nothing.
    #[expect(clippy::option_option, reason = "a fault, a flag and a role are three answers")]
    fn option_role(&mut self, value: &Value, pointer: &str, topic: &Topic<'_>) -> Option<Option<OptionRole>> {
        let Data::Text(text) = &value.data else {
            self.wrong_type(value, pointer, "a role");
            return None;
        };
        let role = if text == FLAG { None } else { OptionRole::try_from(text.as_str()).ok() };
        if role.map_or(text != FLAG, |role| is_of_languages(role.role)) {
            self.unknown_role(value, pointer, text.trim_end_matches('?'), &option_roles());
            return None;
        }
        if matches!(topic.base, Base::Added) && !role.is_some_and(|role| role.role.has_effects()) {
            self.adds_nothing(value, pointer, text, topic);
            return None;
        }
        Some(role)
    }

    fn operands(&mut self, value: &Value, pointer: &str, topic: &Topic<'_>, entry: &mut Entry) {
        if topic.corrected().is_some_and(|builtin| builtin.operands.iter().any(|operand| operand.role.runs())) {
            let message = format!("{} runs its operands: that can't be changed", quoted(topic.shown));
            self.faults.push(value.span.clone(), pointer, message, None);
            return;
        }
        entry.operands.clear();
        let mut many = 0_usize;
        for Item { text, value, pointer } in self.texts(value, pointer) {
            let role = OperandRole::try_from(text).ok();
            let Some(operand) = role.filter(|operand| operand.role.is_of_operands() && !is_of_languages(operand.role))
            else {
                self.unknown_role(value, &pointer, text.trim_end_matches('*'), &operand_roles());
                continue;
            };
            many += usize::from(operand.many);
            let message = if matches!(topic.base, Base::Added) && !operand.role.has_effects() {
                self.adds_nothing(value, &pointer, text, topic);
                continue;
            } else if entry.operands.iter().any(|before| before.role == Role::Argv) {
                "what follows `argv` belongs to the command that it starts"
            } else if many > 1 {
                "only one operand can stand for any number of them"
            } else {
                entry.operands.push(operand);
                continue;
            };
            self.faults.push(value.span.clone(), &pointer, message.to_owned(), None);
        }
    }

    fn switch(&mut self, value: &Value, pointer: &str) -> bool {
        let Data::Bool(on) = &value.data else {
            self.wrong_type(value, pointer, "`true` or `false`");
            return false;
        };
        *on
    }

    /// `read deploy.toml`: a role and a path.
    fn always(&mut self, value: &Value, pointer: &str, entry: &mut Entry) {
        for Item { text, value, pointer } in self.texts(value, pointer) {
            let (role, path) = text.split_once(' ').unwrap_or((text, ""));
            let known = Role::named(role).is_some_and(Role::is_of_files);
            let message = if !known {
                self.unknown_role(value, &pointer, role, &file_roles());
                continue;
            } else if path.trim().is_empty() || path.contains(char::is_control) {
                format!("{} names no path", quoted(text))
            } else if path.contains(['*', '?', '[']) {
                format!("{} is a pattern, not a path", quoted(path))
            } else {
                entry.always.push(text.to_owned().into());
                continue;
            };
            let help = "write a role and a path, such as `read deploy.toml` or `write-tree dist`".to_owned();
            self.faults.push(value.span.clone(), &pointer, message, Some(help));
        }
    }

    fn connect(&mut self, value: &Value, pointer: &str, topic: &Topic<'_>, entry: &mut Entry) {
        let hosts = self.texts(value, pointer);
        if hosts.is_empty() && topic.corrected().is_some() {
            let message = format!("an empty list takes no host away from {}", quoted(topic.shown));
            self.faults.push(value.span.clone(), pointer, message, Some("name the hosts".to_owned()));
        }
        entry.connect.clear();
        for Item { text, value, pointer } in hosts {
            let symbol = text.strip_prefix("registry:");
            let is_odd = symbol.map_or_else(|| text.contains(':'), |name| name.is_empty() || name.contains(','));
            let checked = if is_odd || text.trim().is_empty() {
                let help = "write a host without scheme, port and path, or a symbol such as `registry:npm`".to_owned();
                Err((format!("{} is no host", quoted(text)), Some(help)))
            } else {
                super::hosts::of_version_1(text)
            };
            match checked {
                Ok(host) => entry.connect.push(host.into()),
                Err((message, help)) => self.faults.push(value.span.clone(), &pointer, message, help),
            }
        }
    }

    fn unproven(&mut self, value: &Value, pointer: &str, topic: &Topic<'_>) -> Option<Unproven> {
        let Data::Text(reason) = &value.data else {
            self.wrong_type(value, pointer, "a string that says what is not known");
            return None;
        };
        if reason.trim().is_empty() || reason.chars().count() > LONGEST_REASON || reason.contains(char::is_control) {
            let message = format!("this reason is empty, longer than {LONGEST_REASON} characters, or not one line");
            self.faults.push(value.span.clone(), pointer, message, None);
        }
        Some(Unproven {
            reason: reason.clone().into(),
            about: knowledge::Subject::default(),
            class: None,
            vouch: topic.words,
            locked: None,
        })
    }

    fn subcommands(&mut self, value: &Value, pointer: &str, topic: &Topic<'_>, entry: &mut Entry) {
        let mut seen = std::collections::BTreeSet::new();
        for (key, value) in self.object(value, pointer, &[]).unwrap_or_default() {
            let pointer = format!("{pointer}/{}", escaped(&key.name));
            let names: Vec<&str> = key.name.split_whitespace().collect();
            let builtin = topic.corrected();
            let known = names.iter().find_map(|name| builtin.and_then(|builtin| builtin.subcommand(name)));
            let twice = names.iter().find(|name| !seen.insert((**name).to_owned()));
            let shown = format!("{} {}", topic.shown, names.first().unwrap_or(&""));
            let message = if names.is_empty() || key.name.contains(char::is_control) {
                "this name is empty or not one line".to_owned()
            } else if topic.words > DEEPEST {
                format!("subcommands are nested deeper than {DEEPEST} levels")
            } else if let Some(name) = twice {
                format!("{} is described twice", quoted(name))
            } else if known.is_some() && names.len() > 1 {
                format!("one of {} is built in: it needs an entry of its own", quoted(&key.name))
            } else if known.is_some_and(Entry::is_code) {
                format!("{} is built in and can't be changed", quoted(&shown))
            } else {
                let base = match (topic.base, known) {
                    (_, Some(known)) => Base::Corrected(known),
                    (Base::Added, None) => Base::Added,
                    (Base::New | Base::Corrected(_), None) => Base::New,
                };
                let below = Topic { shown: &shown, words: topic.words + 1, base, names: topic.names };
                let mut sub = self.entry(value, &pointer, &below);
                sub.names = names.join(" ").into();
                entry.set_subcommand(sub);
                continue;
            };
            self.faults.push(key.span.clone(), &pointer, message, None);
        }
    }

    /// The strings of a list, each with its pointer.
    pub(super) fn texts<'v>(&mut self, value: &'v Value, pointer: &str) -> Vec<Item<'v>> {
        let Data::List(items) = &value.data else {
            self.wrong_type(value, pointer, "a list of strings");
            return Vec::new();
        };
        let mut texts = Vec::with_capacity(items.len());
        for (index, value) in items.iter().enumerate() {
            let pointer = format!("{pointer}/{index}");
            match &value.data {
                Data::Text(text) if index < MOST_WORDS => texts.push(Item { text, value, pointer }),
                Data::Text(_) => {
                    let message = format!("this list has more than {MOST_WORDS} entries");
                    self.faults.push(value.span.clone(), &pointer, message, None);
                    break;
                }
                _ => self.wrong_type(value, &pointer, "a string"),
            }
        }
        texts
    }

    fn unknown_role(&mut self, value: &Value, pointer: &str, text: &str, known: &[&str]) {
        let help = match nearest(text, known) {
            Some(near) if near != text => format!("did you mean `{near}`?"),
            _ => format!("known here: {}", known.iter().map(|role| format!("`{role}`")).collect::<Vec<_>>().join(", ")),
        };
        self.faults.push(value.span.clone(), pointer, format!("{} is not a role here", quoted(text)), Some(help));
    }

    fn adds_nothing(&mut self, value: &Value, pointer: &str, text: &str, topic: &Topic<'_>) {
        let message = format!("{} adds nothing to {}", quoted(text), quoted(topic.shown));
        let help =
            "a program of the system keeps its effects, and can only be given more: `read`, `write`, …".to_owned();
        self.faults.push(value.span.clone(), pointer, message, Some(help));
    }
}

/// Why a key can't stand where it stands.
fn misplaced(key: &str, members: &[(&super::Key, &Value)], topic: &Topic<'_>) -> Option<(String, String)> {
    let beside = members.iter().any(|(other, _)| other.name == "subcommands");
    let shown = quoted(topic.shown);
    match (key, topic.base) {
        ("stops" | "words" | "otherwise", Base::Added | Base::Corrected(_)) => {
            Some((format!("`{key}` of {shown} is built in and can't be changed"), "remove it".to_owned()))
        }
        ("unproven", Base::Corrected(builtin)) if builtin.unproven.is_some() => {
            let message = format!("what {shown} does besides is not proven, and that can't be changed");
            Some((message, "`commands.allow` can vouch for it".to_owned()))
        }
        ("subcommands", Base::Corrected(builtin)) if builtin.subcommands.is_empty() => {
            Some((format!("{shown} is not known to have subcommands, and can't be given any"), "remove it".to_owned()))
        }
        ("operands" | "unproven" | "always" | "connect", Base::Corrected(builtin))
            if !builtin.subcommands.is_empty() =>
        {
            Some((format!("`{key}` of {shown} never counts: it has subcommands"), "say it of one of them".to_owned()))
        }
        ("operands" | "unproven", _) if beside => {
            let help = "say it of each, or of those that are not listed: `otherwise`".to_owned();
            Some((format!("`{key}` beside `subcommands` never counts"), help))
        }
        ("otherwise", _) if !beside => {
            Some(("`otherwise` without `subcommands` never counts".to_owned(), "say it of the program".to_owned()))
        }
        _ => None,
    }
}

/// Why the built-in meaning of an option stays.
fn kept(name: &str, role: Option<OptionRole>, topic: &Topic<'_>) -> Option<(String, String)> {
    let builtin = topic.corrected()?;
    let shown = quoted(topic.shown);
    let runs = builtin.listed_option(name).is_some_and(|known| known.role.runs() && Some(known) != role);
    if runs {
        let message = format!("what the option {} of {shown} runs can't be changed", quoted(name));
        return Some((message, "remove it".to_owned()));
    }
    let hides = role.is_some_and(|role| role.role == Role::Harmless);
    hides.then(|| {
        let message = format!("`harmless` would hide what {shown} does");
        (message, "say what the option is: `flag`, `value`, …".to_owned())
    })
}

/// What is said beside subcommands holds for each of them.
fn handed_down(entry: &mut Entry, topic: &Topic<'_>) {
    if entry.subcommands.is_empty() || topic.corrected().is_some() {
        return;
    }
    let (always, connect) = (std::mem::take(&mut entry.always), std::mem::take(&mut entry.connect));
    for sub in entry.subcommands.iter_mut().chain(entry.otherwise.as_deref_mut()) {
        sub.inherit(&always, &connect);
    }
}

/// Only the built-in data names languages.
fn is_of_languages(role: Role) -> bool {
    matches!(role, Role::Script | Role::Code)
}

/// An option that is known to take no value.
const FLAG: &str = "flag";

fn roles(wanted: impl Fn(Role) -> bool) -> Vec<&'static str> {
    ROLES.iter().filter(|(_, role)| wanted(*role) && !is_of_languages(*role)).map(|(name, _)| *name).collect()
}

pub(crate) fn option_roles() -> Vec<&'static str> {
    let mut names = roles(|_| true);
    names.push(FLAG);
    names
}

pub(crate) fn operand_roles() -> Vec<&'static str> {
    roles(Role::is_of_operands)
}

pub(crate) fn file_roles() -> Vec<&'static str> {
    roles(Role::is_of_files)
}

//! What the actions of tools share: finding arguments by role, and emitting effects.

use std::sync::Arc;

use super::registry::{Entry, REGISTRY};
use super::value::{Object, Value};
use super::{Given, mentions, names};
use crate::edited::Edited;
use crate::{
    About, Certainty, Connection, Effect, Effects, Kind, Opaque, PathTarget, Purpose, REDACTED, Reach, Reason, START,
    World, append, command, hosts, paths,
};
use agent_strace_model::Scripts;

/// One call while it is turned into effects.
pub(super) struct Run<'w> {
    pub(super) world: &'w mut World,
    /// Shell text → effects.
    pub(super) shells: Shells,
    /// The first shell text of the call: spans are counted in it.
    pub(super) text: Option<Arc<str>>,
    pub(super) scripts: Scripts,
    pub(super) effects: Effects,
}

/// What turns text of each language into effects.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shells {
    pub(super) posix: Shell,
    pub(super) powershell: Shell,
    pub(super) cmd: Shell,
}

/// What turns shell text into effects.
pub(super) type Shell = fn(&str, &mut World) -> Effects;

/// Which effect a path gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
    Delete,
    List,
}

/// Values of one role.
#[derive(Debug, Default)]
pub(super) struct RoleValues<'v> {
    pub(super) texts: Vec<&'v str>,
    /// A value of the role is neither text, nor a list of texts, nor null.
    pub(super) malformed: bool,
}

impl Run<'_> {
    pub(super) fn emit(&mut self, kind: Kind, certainty: Certainty) {
        self.emit_as("argument", kind, certainty);
    }

    pub(super) fn emit_as(&mut self, via: &'static str, kind: Kind, certainty: Certainty) {
        self.effects.to_mut().push(Effect::new(kind, certainty, via));
    }

    /// No allow list has to name what the last effect touched; an entry that forbids it still counts.
    pub(super) fn needs_no_entry(&mut self) {
        if let Some(effect) = self.effects.to_mut().last_mut() {
            effect.certainty = effect.certainty.guessed();
        }
    }

    /// The last effect is on files that the tool gathers itself.
    fn gathers(&mut self, purpose: Purpose) {
        if let Some(effect) = self.effects.to_mut().last_mut() {
            effect.gathered = Some(purpose);
        }
    }

    pub(super) fn opaque(&mut self, about: About, reason: Reason) {
        let opaque = Opaque::new(about, reason, Vec::new());
        self.effects.to_mut().push(Effect::new(Kind::Opaque(opaque), Certainty::Possible, "argument"));
    }

    /// A path as the tool got it, literally.
    pub(super) fn path(&mut self, access: Access, text: &str, reach: Reach) -> PathTarget {
        let unwrapped = unwrapped(text);
        self.located(access, &unwrapped, reach, Certainty::Exact)
    }

    pub(super) fn located(&mut self, access: Access, text: &str, reach: Reach, given: Certainty) -> PathTarget {
        let (mut target, certainty) = match elision(text) {
            Some(marker) => self.world.locate_unknown(&paths::escaped(text).replace(&paths::escaped(marker), "**")),
            None => self.world.locate(text, given),
        };
        target.subtree = reach == Reach::Subtree;
        let kind = touched(access, target.clone());
        let is_known = elision(text).is_none();
        let is_glob = given == Certainty::Pattern && certainty == Certainty::Pattern;
        let is_gathered = is_known && access != Access::Delete && (target.subtree || is_glob);
        self.emit(kind, certainty);
        if let Some(effect) = self.effects.to_mut().last_mut().filter(|_| !is_known) {
            effect.via = REDACTED.into();
            self.touch_start(access, text);
        }
        if is_gathered {
            self.gathers(Purpose::Whole);
            let is_inside = self.world.starts_inside(text);
            if let Some(effect) = self.effects.to_mut().last_mut() {
                effect.inside = is_inside;
            }
        }
        if access == Access::Write && certainty == Certainty::Exact {
            self.world.wrote(&target, None);
        }
        target
    }

    /// `secrets/REDACTED` starts in `secrets`, whatever was there.
    fn touch_start(&mut self, access: Access, text: &str) {
        let Some((start, marker)) = elision(text).and_then(|marker| Some((text.split(marker).next()?, marker))) else {
            return;
        };
        if start.contains('/') && !start.trim_matches('/').is_empty() && access != Access::List {
            let pattern = paths::escaped(text).replace(&paths::escaped(marker), "**");
            let (target, certainty) = self.world.locate(&pattern, Certainty::Pattern);
            self.effects.to_mut().push(Effect::new(touched(access, target), certainty, START));
        }
    }

    /// A search for content below a directory, or by a glob.
    pub(super) fn searched(&mut self, text: &str, reach: Reach, certainty: Certainty, purpose: Purpose) {
        let unwrapped = unwrapped(text);
        self.located(Access::Read, &unwrapped, reach, certainty);
        if self.effects.last().is_some_and(|effect| effect.gathered.is_some()) {
            self.gathers(purpose);
        }
    }

    /// A connection, or a read of a `file:` URL.
    pub(super) fn connect(&mut self, url: &str) {
        let url = hosts::opened(url);
        mentions::file_of_uri(self, url);
        let found = match elision(url) {
            Some(marker) => hosts::connection(&url.replace(marker, "**"), Certainty::Pattern),
            None => hosts::connection(url, Certainty::Exact),
        };
        match found {
            Some((connection, certainty)) => self.emit(Kind::Connect(connection), certainty),
            None if is_file_url(url) => {
                self.path(Access::Read, url, Reach::Itself);
            }
            None if holds_script(url) => self.opaque(About::Network, Reason::PageScript),
            // `about:blank`: nothing is reached.
            None => {}
        }
    }

    pub(super) fn connect_anywhere(&mut self) {
        let connection = Connection { host: None, port: None, scheme: Some("https".to_owned()) };
        self.emit(Kind::Connect(connection), Certainty::Pattern);
    }

    pub(super) fn shell(&mut self, text: &str) {
        let before = self.effects.len();
        self.shell_effects(text);
        if **self.text.get_or_insert_with(|| text.into()) != *text {
            self.clear_spans(before);
        }
    }

    fn clear_spans(&mut self, before: usize) {
        if self.effects.len() > before {
            self.effects.to_mut().iter_mut().skip(before).for_each(|effect| effect.origin.span = None);
        }
    }

    fn shell_effects(&mut self, text: &str) {
        // What was cut out of the record is a value that nobody knows.
        let effects = match elision(text).and_then(|marker| Edited::new(text, marker, "${ELIDED}")) {
            Some(edited) => {
                let mut effects = (self.shells.posix)(&edited.text, self.world);
                edited.restore(effects.to_mut());
                effects
            }
            None => (self.shells.posix)(text, self.world),
        };
        self.effects.append(effects);
    }

    /// Shell text that was made for the call: no piece of it is one of the call's text.
    pub(super) fn shell_made(&mut self, text: &str) {
        let before = self.effects.len();
        self.shell_effects(text);
        self.clear_spans(before);
    }

    /// Whatever ran since then, the call's status is not how it ended.
    pub(super) fn untell(&mut self, before: usize) {
        if self.effects.iter().skip(before).any(|effect| effect.origin.told) {
            self.effects.to_mut().iter_mut().skip(before).for_each(|effect| effect.origin.told = false);
        }
    }

    /// What ran since then may go on after the call, and was not seen to be reached but for the first command.
    pub(super) fn detach(&mut self, before: usize) {
        self.untell(before);
        let mut first = true;
        for effect in self.effects.to_mut().iter_mut().skip(before) {
            let leads = first && matches!(effect.kind, Kind::Execute(_));
            first &= !leads;
            effect.origin.ran &= leads;
            effect.origin.detached = true;
        }
    }

    /// A variable that the call's program gets. Without a value that is known, it may be any.
    pub(super) fn variable(&mut self, name: &str, value: Option<&str>) {
        let effects = command::environment(name, value.filter(|value| elision(value).is_none()), self.world);
        append(self.effects.to_mut(), effects);
    }

    /// PowerShell text; its pieces are not told apart.
    pub(super) fn powershell(&mut self, text: &str) {
        self.other_shell(text, self.shells.powershell, "$ELIDED");
    }

    /// Text of cmd; its pieces are not told apart.
    pub(super) fn cmd(&mut self, text: &str) {
        self.other_shell(text, self.shells.cmd, "%ELIDED%");
    }

    /// `unknown`: how the shell spells a value that nobody knows.
    fn other_shell(&mut self, text: &str, shell: Shell, unknown: &str) {
        let text = match elision(text) {
            Some(marker) => text.replace(marker, unknown),
            None => text.to_owned(),
        };
        let before = self.effects.len();
        let effects = shell(&text, self.world);
        self.effects.append(effects);
        self.clear_spans(before);
    }

    pub(super) fn argv(&mut self, argv: &[String]) {
        let quoted: Vec<String> = argv.iter().map(|word| quoted(word)).collect();
        self.shell_made(&quoted.join(" "));
    }
}

/// A word that the shell takes literally, except for what was cut out of the record.
pub(super) fn quoted(word: &str) -> String {
    if elision(word).is_none() {
        return format!("'{}'", word.replace('\'', r"'\''"));
    }
    let mut text = String::from("\"");
    for character in word.chars() {
        if matches!(character, '"' | '\\' | '$' | '`') {
            text.push('\\');
        }
        text.push(character);
    }
    text.push('"');
    text
}

fn touched(access: Access, target: PathTarget) -> Kind {
    match access {
        Access::Read => Kind::Read(target),
        Access::Write => Kind::Write(target),
        Access::Delete => Kind::Delete(target),
        Access::List => Kind::List(target),
    }
}

/// What redaction and trimming of logs leave in place of a value.
const ELISIONS: &[&str] = &["[REDACTED]", "[trimmed for fixture]", "REDACTED"];

/// The marker of a part that the record no longer holds.
pub(crate) fn elision(text: &str) -> Option<&'static str> {
    ELISIONS.iter().find(|marker| text.contains(**marker)).copied()
}

/// The address is a script, or a page that may hold one.
fn holds_script(url: &str) -> bool {
    let has = |scheme: &str| url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    has("javascript:") || has("data:text/html") || has("data:application/xhtml") || has("data:image/svg")
}

pub(super) fn is_file_url(text: &str) -> bool {
    text.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"))
}

/// Some logs hold JSON string literals as values.
fn unwrapped(text: &str) -> String {
    let quoted = text.len() > 1 && text.starts_with('"') && text.ends_with('"');
    match quoted.then(|| serde_json::from_str::<String>(text)) {
        Some(Ok(inner)) => inner,
        _ => text.to_owned(),
    }
}

/// The texts that an entry's arguments hold for a role, also within lists and in containers such as `edits`.
pub(super) fn texts<'v>(given: &'v Object, entry: &Entry, role: &str) -> RoleValues<'v> {
    let mut found = RoleValues::default();
    collect(given, &|key| REGISTRY.is(entry, role, key), &mut found);
    found
}

fn collect<'v>(object: &'v Object, wanted: &dyn Fn(&str) -> bool, found: &mut RoleValues<'v>) {
    // The depth of a value is bounded by its parser.
    for (key, value) in object {
        let key = names::plain(key);
        if wanted(&key) {
            take(value, wanted, found);
        } else if REGISTRY.is_container(&key) {
            for inner in objects(value) {
                collect(inner, wanted, found);
            }
        }
    }
}

fn take<'v>(value: &'v Value, wanted: &dyn Fn(&str) -> bool, found: &mut RoleValues<'v>) {
    match value {
        Value::Null => {}
        Value::Text(text) => found.texts.push(text),
        Value::List(items) => {
            for item in items {
                take(item, wanted, found);
            }
        }
        Value::Object(inner) => {
            let before = found.texts.len();
            collect(inner, wanted, found);
            found.malformed |= found.texts.len() == before;
        }
        Value::Bool(_) | Value::Number(_) => found.malformed = true,
    }
}

/// The objects that a container holds.
pub(super) fn objects(value: &Value) -> Vec<&Object> {
    match value {
        Value::Object(object) => vec![object],
        Value::List(items) => items
            .iter()
            .filter_map(|item| match item {
                Value::Object(object) => Some(object),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}

pub(super) fn is_true(given: &Object, entry: &Entry, role: &str) -> bool {
    given.iter().any(|(key, value)| {
        let set = matches!(value, Value::Bool(true)) || matches!(value, Value::Text(text) if text == "true");
        set && REGISTRY.is(entry, role, &names::plain(key))
    })
}

/// A directory that a glob is relative to, as a literal piece of a pattern.
pub(super) fn literal_base(base: &str) -> String {
    paths::escaped(&unwrapped(base))
}

impl Given {
    pub(super) fn object(&self) -> Option<&Object> {
        match self {
            Self::Object(object) => Some(object),
            Self::Text(_) | Self::Nothing => None,
        }
    }
}

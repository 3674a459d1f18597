//! Remembers what the session wrote into files, so that a script that is run later is known.

use std::sync::Arc;

use agent_strace_shell::Provenance;

use super::aliases::{AliasKind, HOPS, Name};
use super::{ENTRIES, World, glob, paths};
use crate::{Certainty, PathTarget};

/// Bytes of one written file that are kept, and of all of them together.
const CONTENT: usize = 256 * 1024;
const CONTENTS: usize = 64 * 1024 * 1024;

/// Characters with a meaning for shells.
const ODD: &str = "*?$`'\"\\;&|<>";

/// Texts that a file may hold instead of the first one.
const OTHERS: usize = 7;
/// The most texts that an entry keeps of a file whose whole text is not known. The gate judges each of them.
const PARTS: usize = 64;

/// The text of a file that the session did not write as a whole.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Rest {
    #[default]
    Unknown,
    /// The text that was there before the session. All that the session put into it is recorded.
    Before,
}

/// The content of a file, as far as the session wrote it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Written {
    whole: Option<String>,
    /// Other texts. The file holds one of them or the one in `whole`.
    others: Vec<String>,
    /// The file may also hold a text that the session did not write.
    is_uncertain: bool,
    /// Texts that are in it, if the whole is not known.
    parts: Vec<String>,
    /// Bytes of all of it: a file that is edited a thousand times has a thousand parts.
    length: usize,
    /// It was made a link or copy of another file, and not written since.
    follows: bool,
    /// The origin of the text in it that is not known.
    provenance: Option<Provenance>,
    rest: Rest,
}

impl Written {
    /// The rest of the file after an edit whose texts are recorded, and whose place is not.
    pub(crate) fn rest_after_edit(&self) -> Rest {
        let is_all_recorded = self.whole.is_some() && !self.is_uncertain;
        if is_all_recorded { Rest::Before } else { self.rest }
    }

    pub(crate) fn knows_text(&self) -> bool {
        self.whole.is_some()
    }

    /// A link or copy of another file.
    pub(super) fn following() -> Self {
        Self { follows: true, ..Self::default() }
    }

    fn in_parts(mut self) -> Self {
        self.parts.extend(self.whole.take());
        self.parts.append(&mut self.others);
        self.follows = false;
        self.rest = Rest::Unknown;
        self
    }

    /// Joins the entries of a file on two ways: it holds a text of one of them. `None`: the session did not write the file on
    /// the other way.
    pub(super) fn or(&self, other: Option<&Self>) -> Self {
        let Some(other) = other else {
            let is_uncertain = self.is_uncertain || self.rest == Rest::Unknown;
            return Self { is_uncertain, ..self.clone() };
        };
        let is_uncertain = self.is_uncertain || other.is_uncertain;
        if self.whole.is_none() || other.whole.is_none() {
            return self.or_in_parts(other);
        }
        let mut either = Self { is_uncertain, follows: false, ..self.clone() };
        for text in other.whole.iter().chain(&other.others) {
            if either.whole.as_ref() == Some(text) || either.others.contains(text) {
                continue;
            }
            if either.others.len() == OTHERS {
                return self.or_in_parts(other);
            }
            either.length += text.len();
            either.others.push(text.clone());
        }
        either
    }

    /// Joins two entries as `or` does, but keeps only parts of the texts: an entry does not hold its whole text, or both hold
    /// more texts than an entry can.
    fn or_in_parts(&self, other: &Self) -> Self {
        let (own_rest, other_rest) = (self.rest_after_edit(), other.rest_after_edit());
        let rest = if own_rest == other_rest { own_rest } else { Rest::Unknown };
        let mut either = Self { rest, ..self.clone().in_parts() };
        for text in other.clone().in_parts().parts {
            if either.parts.contains(&text) {
                continue;
            }
            if either.parts.len() == PARTS {
                either.rest = Rest::Unknown;
                break;
            }
            either.length += text.len();
            either.parts.push(text);
        }
        either.provenance = either.provenance.max(other.provenance);
        either
    }

    /// Iterates over all texts, whole or not, that the file may hold.
    pub(super) fn texts(&self) -> impl Iterator<Item = &String> {
        self.whole.iter().chain(&self.others).chain(&self.parts)
    }

    /// Other texts that the file may hold.
    pub(super) fn others(&self) -> &[String] {
        &self.others
    }

    /// Returns the entry of a file that holds the first of these texts and no other.
    pub(super) fn settled(&self) -> Self {
        let length = self.whole.as_ref().map_or(0, String::len);
        Self { others: Vec::new(), length, ..self.clone() }
    }

    /// Returns the entry of a file that holds `text`, which is one of these texts, and no other.
    pub(super) fn holding(&self, text: &str) -> Self {
        Self { whole: Some(text.to_owned()), others: Vec::new(), length: text.len(), ..self.clone() }
    }

    /// Returns the entry of a file that may also hold a text that the session did not write.
    pub(super) fn uncertain(&self) -> Self {
        Self { is_uncertain: true, ..self.clone() }
    }

    pub(super) fn follows(&self) -> bool {
        self.follows
    }

    pub(super) fn length(&self) -> usize {
        self.length
    }
}

impl World {
    /// The call wrote `target`; `content` where it is known.
    pub fn wrote(&mut self, target: &PathTarget, content: Option<&str>) {
        let length = content.map_or(0, str::len);
        self.put_written(target, Written { whole: content.map(str::to_owned), length, ..Written::default() });
    }

    /// The session put a file or directory of which it does not know all into the workspace, or may have. Files whose names
    /// have one of these endings do not count.
    pub(crate) fn has_unread_files_but(&self, endings: &[&str]) -> bool {
        self.note(|queries| {
            queries.any_written = Some(!self.written.is_empty());
            queries.unrepeatable |= !self.written.is_empty();
        });
        self.meter.charge_bytes(self.written.len());
        let is_unread = |written: &Written| written.whole.is_none() && written.rest != Rest::Before;
        let counts = |path: &str| {
            let ending = path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map(|(_, ending)| ending);
            !path.starts_with(['/', '~']) && !ending.is_some_and(|ending| endings.contains(&ending))
        };
        self.forgetful || self.written.iter().any(|(path, written)| counts(path) && is_unread(written))
    }

    /// The call wrote text of this origin to `target`.
    pub(crate) fn wrote_from(&mut self, target: &PathTarget, provenance: Provenance) {
        self.put_written(target, Written { provenance: Some(provenance), ..Written::default() });
    }

    /// The origin of the content of a file that the session wrote, if nobody knows the content.
    pub(crate) fn provenance(&self, target: &PathTarget) -> Option<Provenance> {
        self.written_entry(target)?.provenance
    }

    /// `text` is in the file now, and what was there may be, too (an edit or an appended line whose place is not known).
    pub(crate) fn wrote_part(&mut self, target: &PathTarget, text: &str) {
        let mut written = self.take_written(target).unwrap_or_default().in_parts();
        written.length += text.len();
        written.parts.push(text.to_owned());
        self.put_written(target, written);
    }

    /// `text` follows what the file held.
    pub fn appended(&mut self, target: &PathTarget, text: &str) {
        let before = self.take_written(target);
        match before {
            Some(Written { whole: Some(whole), others, is_uncertain, .. }) => {
                let whole = whole + text;
                let others: Vec<String> = others.into_iter().map(|other| other + text).collect();
                let length = whole.len() + others.iter().map(String::len).sum::<usize>();
                let written = Written { whole: Some(whole), others, length, is_uncertain, ..Written::default() };
                self.put_written(target, written);
            }
            other => {
                let mut written = other.unwrap_or_default().in_parts();
                written.length += text.len();
                match written.parts.last_mut() {
                    Some(last) => last.push_str(text),
                    None => written.parts.push(text.to_owned()),
                }
                self.put_written(target, written);
            }
        }
    }

    /// Applies an edit to each text of the file. Where the edit does not fit a text, the file becomes uncertain. Returns `None`
    /// where the edit fits none of the texts, or where the session knows no text.
    pub(crate) fn rewritten(&self, target: &PathTarget, change: impl Fn(&str) -> Option<String>) -> Option<Written> {
        let written = self.written_entry(target)?;
        self.meter.charge_bytes(written.length);
        let before: Vec<&String> = written.whole.iter().chain(&written.others).collect();
        let mut others: Vec<String> = before.iter().filter_map(|text| change(text)).collect();
        let is_uncertain = written.is_uncertain || others.len() < before.len();
        let length = others.iter().map(String::len).sum();
        let whole = (!others.is_empty()).then(|| others.remove(0))?;
        Some(Written { whole: Some(whole), others, length, is_uncertain, ..Written::default() })
    }

    /// The file changed in place, in a way that is not known.
    pub fn edited(&mut self, target: &PathTarget) {
        let written = self.take_written(target).unwrap_or_default().in_parts();
        self.put_written(target, written);
    }

    /// Remembers the origin of the text in a file that is not in the parts of its entry.
    pub(crate) fn knows_rest(&mut self, target: &PathTarget, rest: Rest) {
        if let Some(written) = self.take_written(target) {
            self.put_written(target, Written { rest, ..written });
        }
    }

    /// The rest of a file after an edit whose texts are recorded. A file that the session did not write is as it was before.
    pub(crate) fn rest_after_edit(&self, target: &PathTarget) -> Rest {
        let is_unread = || if self.forgetful { Rest::Unknown } else { Rest::Before };
        self.written_entry(target).map_or_else(is_unread, Written::rest_after_edit)
    }

    /// The session put only recorded texts into a file that was there before. Follows aliases.
    pub(crate) fn is_recorded(&self, target: &PathTarget) -> bool {
        self.written_entry(target).is_some_and(|written| written.rest == Rest::Before && !written.is_uncertain)
    }

    /// Files below a directory may have changed.
    pub(crate) fn edited_below(&mut self, directory: &str) {
        let home = paths::in_home(directory);
        let directory = home.as_ref();
        let below =
            |path: &str| directory == "." || path.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'));
        self.edited_from(if directory == "." { "" } else { directory }, below);
    }

    /// One of the files that match a pattern may have changed. A pattern that says nothing about names says too little.
    pub(crate) fn edited_matching(&mut self, pattern: &str) {
        if !pattern.trim_matches(['*', '/']).is_empty() {
            let literal = pattern.find(['*', '?', '[']).and_then(|at| pattern.get(..at)).unwrap_or(pattern);
            let pattern = glob::Pattern::new(pattern);
            self.edited_from(literal, |path| pattern.matches(path));
        }
    }

    fn edited_from(&mut self, prefix: &str, changed: impl Fn(&str) -> bool) {
        self.note(|queries| queries.unrepeatable = true);
        let near = self.written.starting_with(prefix).map(|(path, _)| path).inspect(|_| self.meter.charge(1));
        let paths: Vec<String> = near.filter(|path| changed(path)).map(str::to_owned).collect();
        for path in paths {
            if let Some(written) = self.take_at(&path) {
                self.put_at(&path, written.in_parts());
            }
        }
    }

    /// Forgets what was written to the file, and returns it; for callers that put it back changed.
    pub(crate) fn take_written(&mut self, target: &PathTarget) -> Option<Written> {
        self.note(|queries| queries.unrepeatable = true);
        if self.written.is_empty() {
            return None;
        }
        self.paths(target).iter().rev().find_map(|path| self.take_at(path))
    }

    pub(crate) fn put_written(&mut self, target: &PathTarget, written: Written) {
        let mut paths = self.paths(target);
        let linked = !paths.contains(&target.path);
        let last = paths.pop();
        for path in paths {
            self.put_at(&path, written.clone());
        }
        if let Some(last) = last {
            self.put_at(&last, written);
        }
        if linked {
            self.put_at(&target.path, Written::following());
        }
    }

    /// The name under which the content of a file is kept: the one that its links lead to.
    fn paths(&self, target: &PathTarget) -> Vec<String> {
        let same = |path: &str| {
            let names = self.originals(path, Certainty::Exact).into_iter();
            names
                .filter(|name| name.alias_kind == AliasKind::Same && name.certainty == Certainty::Exact)
                .map(|name| name.path)
        };
        let ends: Vec<String> = same(&target.path).filter(|path| same(path).next().is_none()).collect();
        if ends.is_empty() { vec![target.path.clone()] } else { ends }
    }

    fn take_at(&mut self, path: &str) -> Option<Written> {
        let path = paths::in_home(path);
        if !self.written.contains_key(path.as_ref()) {
            return None;
        }
        let written = self.written.remove(path.as_ref())?;
        self.held = self.held.saturating_sub(written.length);
        Some(Arc::unwrap_or_clone(written))
    }

    pub(super) fn put_at(&mut self, path: &str, mut written: Written) {
        self.note(|queries| queries.unrepeatable = true);
        self.take_at(path);
        if self.written.len() >= ENTRIES {
            self.forgetful = true;
            return;
        }
        if written.length > CONTENT || self.held + written.length > CONTENTS {
            written = Written::default();
        }
        self.held += written.length;
        self.odd_names |= path.contains(|character: char| character.is_whitespace() || ODD.contains(character));
        self.stands_in(path);
        self.written.insert(&paths::in_home(path), Arc::new(written));
    }

    #[expect(clippy::option_option, reason = "unwritten, unknown content and known content are three answers")]
    /// `None`: not written in this session. `Some(None)`: written, content not known. Follows aliases.
    pub fn written(&self, target: &PathTarget) -> Option<Option<&str>> {
        match self.written_entry(target) {
            Some(written) => {
                self.meter.charge_bytes(written.length);
                Some(written.whole.as_deref())
            }
            None if self.forgetful => Some(None),
            None => None,
        }
    }

    /// The known texts of a file, whole or in parts. Follows aliases.
    pub(crate) fn texts_of(&self, target: &PathTarget) -> impl Iterator<Item = &str> {
        self.written_entry(target).into_iter().flat_map(Written::texts).map(String::as_str)
    }

    /// The known texts of all files that the session wrote, with the file of each.
    pub(crate) fn all_texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.written.iter().flat_map(|(path, written)| written.texts().map(move |text| (path, text.as_str())))
    }

    /// The session made files whose names are not known.
    pub(crate) fn made_unknown_names(&mut self) {
        self.note(|queries| queries.unrepeatable = true);
        self.odd_names = true;
    }

    /// The session made links whose names or targets are not known.
    pub(crate) fn made_unknown_links(&mut self) {
        self.note(|queries| queries.unrepeatable = true);
        self.unknown_links = true;
    }

    /// Returns true if the session made names that an unquoted variable takes for several names, or may have.
    pub(crate) fn has_odd_names(&self) -> bool {
        self.note(|queries| {
            queries.no_odd_names = true;
            queries.unrepeatable |= self.odd_names;
        });
        self.odd_names || self.forgetful
    }

    /// The file may be one that the session did not write. Follows aliases.
    pub(crate) fn is_uncertain(&self, target: &PathTarget) -> bool {
        self.written_entry(target).is_some_and(|written| written.is_uncertain)
    }

    /// The file was written in this session, or may have been. Follows aliases.
    pub(crate) fn is_written(&self, target: &PathTarget) -> bool {
        self.written_entry(target).is_some() || self.forgetful
    }

    /// Returns true if the session wrote the file and the tracker remembers it. Follows aliases.
    pub(crate) fn has_entry(&self, target: &PathTarget) -> bool {
        self.written_entry(target).is_some()
    }

    /// The session wrote all of the file, and it is not empty. Follows aliases.
    pub(crate) fn holds_text(&self, target: &PathTarget) -> bool {
        let whole = self.written_entry(target).and_then(|written| written.whole.as_ref());
        whole.is_some_and(|text| !text.is_empty())
    }

    /// Files that match a pattern, with the known texts in them.
    pub(crate) fn written_matching(&self, pattern: &str) -> Vec<(String, String)> {
        let read = glob::Pattern::new(pattern);
        self.note(|queries| {
            queries.unrepeatable |= self.written.iter().any(|(path, _)| read.matches(path));
            queries.ask_matching(pattern);
        });
        let texts = self.written.iter().filter(|(path, _)| read.matches(path));
        self.meter.charge_bytes(self.written.len() * pattern.len());
        let texts = texts.flat_map(|(path, written)| {
            self.meter.charge_bytes(written.length);
            written.texts().map(move |text| (path.to_owned(), text.clone()))
        });
        texts.take(HOPS).collect()
    }

    /// The session wrote a file of this name in some directory.
    pub(crate) fn has_written_called(&self, name: &str) -> bool {
        let found = self.written.iter().any(|(path, _)| path.rsplit('/').next() == Some(name));
        self.note(|queries| {
            queries.any_written = Some(!self.written.is_empty());
            queries.unrepeatable |= !self.written.is_empty();
        });
        self.meter.charge_bytes(self.written.len());
        found || self.forgetful
    }

    /// Files with one of these endings, with the known texts in them.
    pub(crate) fn written_with_extension(&self, extensions: &[&str]) -> Vec<(String, String)> {
        const SOURCES: usize = 64;
        self.note(|queries| {
            queries.any_written = Some(!self.written.is_empty());
            queries.unrepeatable |= !self.written.is_empty();
        });
        self.meter.charge_bytes(self.written.len());
        let has = |path: &str| path.rsplit_once('.').is_some_and(|(_, extension)| extensions.contains(&extension));
        let texts = self.written.iter().filter(|(path, _)| has(path)).flat_map(|(path, written)| {
            self.meter.charge_bytes(written.length);
            written.texts().map(move |text| (path.to_owned(), text.clone()))
        });
        texts.take(SOURCES).collect()
    }

    /// The session wrote something.
    pub(crate) fn has_written(&self) -> bool {
        self.note(|queries| queries.any_written = Some(!self.written.is_empty()));
        !self.written.is_empty() || self.forgetful
    }

    /// Texts that the session put into a file of which it does not know the rest. Follows aliases.
    pub fn parts(&self, target: &PathTarget) -> &[String] {
        let Some(written) = self.written_entry(target) else { return &[] };
        self.meter.charge_bytes(written.length);
        &written.parts
    }

    /// The session wrote the file, under this name.
    pub(super) fn holds(&self, path: &str) -> bool {
        self.written.contains_key(paths::in_home(path).as_ref())
    }

    fn written_entry(&self, target: &PathTarget) -> Option<&Written> {
        self.note(|queries| {
            queries.unrepeatable |= self.holds(&target.path);
            queries.ask_written(&target.path);
        });
        if self.written.is_empty() {
            return None;
        }
        let kept = |path: &str| self.written.get(paths::in_home(path).as_ref()).map(Arc::as_ref);
        let own = kept(&target.path).inspect(|written| self.look_at(&target.path, written));
        if own.is_some_and(|written| !written.follows) || self.aliases.is_empty() {
            return own;
        }
        let others = self.originals(&target.path, Certainty::Exact);
        let mut others = others.iter().filter(|name| name.certainty == Certainty::Exact);
        let followed = |name: &Name| {
            let written = kept(&name.path).filter(|written| !written.follows)?;
            self.look_at(&name.path, written);
            Some(written)
        };
        others.find_map(followed).or(own)
    }
}

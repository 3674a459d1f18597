//! Accuses a call whose result shows a line of a denied file.
//!
//! It accuses only calls whose effects leave open what they read. The files that other calls name explain their output. A line
//! proves nothing if the session could know it without the denied file: the call itself spells it, the session wrote it into
//! an allowed file or read it there, or a committed file that is allowed holds it. The gate compares a bounded number of
//! committed files, and neither prompts nor other machines.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use agent_strace_model::{Arguments, Members, Status, ToolCall, decode_json};

use super::lines::{self, Lines};
use super::{BYTES_A_STEP, Denied, Results, holds, without_head};
use crate::effect::SHOWN_LINE;
use crate::{About, Certainty, Effect, Effects, Kind, PathTarget, World, glob, tools};

/// Bytes in which a session looks for lines elsewhere. Beyond them, every line counts.
const COMPARED: usize = 16 << 20;
/// Lines of one file that are no coincidence, though each of them may stand elsewhere.
const SEVERAL: usize = 5;
/// Acts of earlier calls that a tool may show the output of.
const RUNNING: usize = 8;
/// Programs that show a file as it is, sorted.
const SHOWING: &[&str] = &["bat", "batcat", "cat", "get-content", "head", "less", "more", "tail", "type"];

/// The lines of denied files that a session knows, and where else it saw them.
#[derive(Debug)]
pub(crate) struct Shown {
    /// Lines that the session wrote into denied files, or that a read of one of them showed.
    recorded: Lines,
    /// Calls whose results show files that may be read. Results of the first ones were looked through.
    explained: Vec<String>,
    looked_through: usize,
    /// Lines of denied files in those results.
    read_elsewhere: HashSet<String>,
    /// Lines that were looked for in committed files, and whether one that may be read holds them.
    committed_elsewhere: HashMap<String, bool>,
    /// Acts of the latest calls that leave open what they read.
    running: Vec<Effect>,
    /// Bytes that are still compared.
    left: usize,
}

impl Default for Shown {
    fn default() -> Self {
        Self {
            recorded: Lines::default(),
            explained: Vec::new(),
            looked_through: 0,
            read_elsewhere: HashSet::new(),
            committed_elsewhere: HashMap::new(),
            running: Vec::new(),
            left: COMPARED,
        }
    }
}

/// A call that ran, with its results.
struct Answered<'c> {
    call: &'c ToolCall<'c>,
    agent: &'c str,
    /// Most results are never compared, and stay as the log has them.
    texts: OnceCell<Vec<Cow<'c, str>>>,
    denied: Denied<'c>,
    results: &'c Results<'c>,
    world: &'c World,
}

impl Answered<'_> {
    fn has_texts(&self) -> bool {
        !self.results.of_call(self.call).is_empty()
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        let decoded = || self.results.of_call(self.call).iter().map(|text| text.decode()).collect();
        self.texts.get_or_init(decoded).iter().map(|text| without_head(text, self.agent))
    }
}

impl Shown {
    /// Adds to the effects of a call the denied files of which its output shows a line, and keeps what it shows and writes.
    pub(crate) fn testify(
        &mut self,
        call: &ToolCall<'_>,
        agent: &str,
        effects: &mut Effects,
        results: &Results<'_>,
        world: &World,
    ) {
        let Some(denied) = results.denied().filter(|_| call.status != Status::Denied) else { return };
        let answered = Answered { call, agent, texts: OnceCell::new(), denied, results, world };
        let open: Vec<Effect> = effects.iter().filter(|effect| is_open(effect)).cloned().collect();
        let accused = if open.is_empty() && tools::shows_output(&call.tool) {
            self.accused(&self.running.clone(), effects, &answered)
        } else {
            self.accused(&open, effects, &answered)
        };
        if !accused.is_empty() {
            effects.to_mut().extend(accused);
        } else if open.is_empty() && answered.has_texts() {
            self.keep_read(effects, &answered);
        }
        self.keep_written(effects, &answered);
        self.running.extend(open.into_iter().map(Effect::of_earlier_call));
        self.running.drain(..self.running.len().saturating_sub(RUNNING));
    }

    /// A read of each denied file that one of the open acts may have read, and of which the output shows a line.
    fn accused(&mut self, open: &[Effect], effects: &[Effect], answered: &Answered<'_>) -> Vec<Effect> {
        if open.is_empty() || !answered.has_texts() {
            return Vec::new();
        }
        let committed = answered.denied.lines();
        if committed.is_empty() && self.recorded.is_empty() {
            return Vec::new();
        }
        let bytes: usize = answered.texts().map(str::len).sum();
        answered.world.meter().spend(bytes / BYTES_A_STEP);
        let shown = answered.texts().flat_map(lines::long);
        let mut shown: BTreeSet<&str> = shown.filter(|line| committed.has(line) || self.recorded.has(line)).collect();
        self.remove_known(&mut shown, effects, answered);
        self.remove_common(&mut shown, answered);
        let mut accused: BTreeMap<&str, Effect> = BTreeMap::new();
        for line in shown {
            let files = committed.files_with(line).chain(self.recorded.files_with(line));
            let suspects: Vec<(&str, &Effect)> =
                files.filter_map(|file| Some((file, open.iter().find(|act| may_read(act, file))?))).collect();
            let is_told = |file: &str| accused.contains_key(file) || effects.iter().any(|effect| names(effect, file));
            let Some((file, act)) = suspects.first().filter(|_| !suspects.iter().any(|(file, _)| is_told(file))) else {
                continue;
            };
            accused.insert(file, act.shown_line_of(file));
        }
        accused.into_values().collect()
    }

    /// Removes the lines that many files could have, such as common settings. One line with a long mixed value identifies a
    /// file, and so do several other lines of it.
    fn remove_common(&self, shown: &mut BTreeSet<&str>, answered: &Answered<'_>) {
        let committed = answered.denied.lines();
        let files = |line: &str| -> Vec<String> {
            committed.files_with(line).chain(self.recorded.files_with(line)).map(str::to_owned).collect()
        };
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for file in shown.iter().flat_map(|line| files(line)) {
            *counts.entry(file).or_default() += 1;
        }
        let is_known = |file: &String| counts.get(file).is_some_and(|count| *count >= SEVERAL);
        let kept: BTreeSet<&str> =
            shown.iter().copied().filter(|line| lines::has_value(line) || files(line).iter().any(is_known)).collect();
        *shown = kept;
    }

    /// Removes the lines that the session could know without a read of a denied file.
    fn remove_known(&mut self, shown: &mut BTreeSet<&str>, effects: &[Effect], answered: &Answered<'_>) {
        if shown.is_empty() {
            return;
        }
        let own = spelled(answered.call);
        if self.affords(own.len().saturating_mul(shown.len())) {
            shown.retain(|line| !own.contains(line));
        }
        self.look_through(answered);
        shown.retain(|line| !self.read_elsewhere.contains(*line));
        for (path, text) in answered.world.all_texts() {
            if shown.is_empty() || !self.affords(text.len()) {
                break;
            }
            if !answered.denied.has(&PathTarget::new(path)) {
                for line in lines::long(text) {
                    shown.remove(line);
                }
            }
        }
        self.remove_committed(shown, effects, answered);
    }

    /// Looks for lines of denied files in results that files explain which may be read.
    fn look_through(&mut self, answered: &Answered<'_>) {
        let committed = answered.denied.lines();
        while let Some(call) = self.explained.get(self.looked_through) {
            let texts: Vec<_> = answered.results.texts_of(call).iter().map(|text| text.decode()).collect();
            if !self.affords(texts.iter().map(|text| text.len()).sum()) {
                return;
            }
            self.looked_through += 1;
            let found = texts.iter().flat_map(|text| text.lines()).map(unnumbered);
            let found = found.filter(|line| committed.has(line) || self.recorded.has(line)).map(str::to_owned);
            self.read_elsewhere.extend(found);
        }
    }

    fn remove_committed(&mut self, shown: &mut BTreeSet<&str>, effects: &[Effect], answered: &Answered<'_>) {
        let unknown: BTreeSet<&str> =
            shown.iter().copied().filter(|line| !self.committed_elsewhere.contains_key(*line)).collect();
        if let Some(line) = unknown.first() {
            let committed = answered.denied.lines();
            let near = committed.files_with(line).chain(self.recorded.files_with(line)).next().unwrap_or_default();
            let first: Vec<&str> = effects.iter().filter_map(exact_read).map(|file| file.path.as_str()).collect();
            let mut left = unknown.clone();
            answered.denied.remove_readable(&mut left, &first, near);
            for line in &unknown {
                self.committed_elsewhere.insert((*line).to_owned(), !left.contains(line));
            }
        }
        shown.retain(|line| self.committed_elsewhere.get(*line) != Some(&true));
    }

    /// Keeps what a call shows that read known files alone.
    fn keep_read(&mut self, effects: &[Effect], answered: &Answered<'_>) {
        let mut read = effects.iter().filter_map(exact_read);
        let denied = read.clone().find(|file| answered.denied.has(file));
        let id = answered.call.call_id.as_deref();
        match (denied, id) {
            (None, Some(id)) if read.next().is_some() => self.explained.push(id.to_owned()),
            (Some(file), _) if read.count() == 1 && answered.call.status == Status::Ok => {
                let is_tool = !effects.iter().any(|effect| matches!(effect.kind, Kind::Execute(_)));
                if !is_tool && !shows_one_file(effects) {
                    return;
                }
                for text in answered.texts() {
                    // A tool adds words of its own to the lines that it numbers.
                    let lines = text.lines().filter(|line| !is_tool || unnumbered(line) != line.trim());
                    let content: Vec<&str> = lines.map(|line| if is_tool { unnumbered(line) } else { line }).collect();
                    self.record(&file.path, &content.join("\n"));
                }
            }
            _ => {}
        }
    }

    /// Keeps what the call wrote into denied files.
    fn keep_written(&mut self, effects: &[Effect], answered: &Answered<'_>) {
        let is_plain = |effect: &&Effect| effect.certainty == Certainty::Exact && effect.gathered.is_none();
        for effect in effects.iter().filter(is_plain) {
            let Kind::Write(target) = &effect.kind else { continue };
            if !answered.denied.has(target) {
                continue;
            }
            for text in answered.world.texts_of(target) {
                answered.world.meter().spend(text.len() / BYTES_A_STEP);
                self.record(&target.path, text);
            }
        }
    }

    fn record(&mut self, file: &str, content: &str) {
        self.recorded.add(file, content);
        // Earlier results may hold the new lines.
        self.looked_through = 0;
    }

    fn affords(&mut self, bytes: usize) -> bool {
        let rest = self.left.checked_sub(bytes);
        self.left = rest.unwrap_or(0);
        rest.is_some()
    }
}

impl Effect {
    /// The output of this act shows a line of the file.
    fn shown_line_of(&self, file: &str) -> Self {
        let kind = Kind::Read(PathTarget::new(file));
        Self { origin: self.origin, ..Self::new(kind, Certainty::Possible, SHOWN_LINE) }
    }

    /// The act as one of an earlier call: nothing in the text of another call led to it.
    fn of_earlier_call(mut self) -> Self {
        (self.origin.span, self.origin.parent) = (None, None);
        self
    }
}

/// The act leaves open which files it read.
fn is_open(effect: &Effect) -> bool {
    match &effect.kind {
        Kind::Read(_) => effect.gathered.is_some() || effect.certainty == Certainty::Pattern,
        Kind::Opaque(opaque) => !matches!(opaque.about, About::Writes | About::Network),
        _ => false,
    }
}

/// The open act may have read the file.
fn may_read(effect: &Effect, file: &str) -> bool {
    let Kind::Read(target) = &effect.kind else { return true };
    holds(target, file) || glob::matches(&target.shown(), file)
}

/// The file that the effect reads for sure.
fn exact_read(effect: &Effect) -> Option<&PathTarget> {
    let is_exact = effect.certainty == Certainty::Exact && effect.gathered.is_none();
    effect.kind.path().filter(|_| is_exact && matches!(effect.kind, Kind::Read(_)))
}

/// The effect says of this very file that it is read.
fn names(effect: &Effect, file: &str) -> bool {
    let is_named = effect.gathered.is_none() && effect.certainty != Certainty::Pattern;
    is_named && matches!(&effect.kind, Kind::Read(target) if target.path == file)
}

/// One command ran, and it shows a file as it is.
fn shows_one_file(effects: &[Effect]) -> bool {
    let mut commands = effects.iter().filter_map(|effect| match &effect.kind {
        Kind::Execute(execution) => Some(execution),
        _ => None,
    });
    let (Some(only), None) = (commands.next(), commands.next()) else { return false };
    let program = only.argv.first().and_then(|word| word.text.rsplit('/').next()).unwrap_or_default();
    SHOWING.binary_search(&program.to_ascii_lowercase().as_str()).is_ok()
}

/// The line without the number that tools put before it.
fn unnumbered(line: &str) -> &str {
    let line = line.trim();
    let rest = line.trim_start_matches(|digit: char| digit.is_ascii_digit());
    let text = rest.strip_prefix(['\t', '→']).filter(|_| rest.len() < line.len());
    text.map_or(line, str::trim)
}

/// The texts of the call itself.
fn spelled<'c>(call: &'c ToolCall<'_>) -> Cow<'c, str> {
    match &call.arguments {
        Arguments::Text(text) => Cow::Borrowed(text),
        Arguments::Json(json) => {
            let members = call.arguments.members();
            let texts = members.iter().flat_map(Members::iter).filter(|(_, json)| json.starts_with('"'));
            let texts: Vec<Cow<'_, str>> = texts.map(|(_, json)| decode_json(json)).collect();
            if members.is_some() { Cow::Owned(texts.join("\n")) } else { Cow::Borrowed(json) }
        }
        Arguments::Missing => Cow::Borrowed(""),
    }
}

#[cfg(test)]
mod tests {
    use super::{SHOWING, unnumbered};

    #[test]
    fn programs_that_show_files_are_sorted() {
        assert!(SHOWING.is_sorted());
    }

    #[test]
    fn numbers_of_lines_are_taken_off() {
        for (line, text) in [
            ("     1\u{2192}KEY=1", "KEY=1"),
            ("  12\tKEY=1", "KEY=1"),
            ("12 KEY=1", "12 KEY=1"),
            ("\u{2192}KEY=1", "\u{2192}KEY=1"),
            ("KEY=1\r", "KEY=1"),
        ] {
            assert_eq!(unnumbered(line), text, "{line}");
        }
    }
}

//! An export to a language of lists: for each kind of act patterns that allow, ask or deny.
//!
//! A language says how it spells a pattern and what it can't spell; what goes into the file, and what is listed as not said,
//! is decided here.

use agent_strace_policy::{Decision, EntryView, Subject};

use super::answer::Answer;
use super::exported_policy::{ExportedPolicy, Trouble};
use super::import::Kind;
use super::paths::{self, Pattern, Side, Start};
use super::residual::{EVERY_WAY, Of, Residual, Way};
use super::{NETWORK_PROGRAMS, spelling};

/// One pattern of a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) decision: Answer,
    pub(crate) text: String,
}

/// What a kind of act does where no pattern names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rest {
    pub(crate) kind: Kind,
    pub(crate) answer: Answer,
}

/// How a language spells what a policy says. Each function gives patterns that together name no less where they forbid, and
/// no more where they allow; none of what it can't spell.
pub(crate) struct Language {
    pub(crate) path: fn(Subject, &Pattern, Side) -> Vec<String>,
    pub(crate) command: fn(&[String], Side) -> Vec<String>,
    pub(crate) host: fn(&str) -> Vec<String>,
    pub(crate) tool: fn(&str, &str) -> Vec<String>,
    /// The strictest that a pattern can be.
    pub(crate) strictest: Answer,
    /// The strictest that unlisted acts of the kind can be.
    pub(crate) rest: fn(Kind) -> Answer,
}

pub(crate) struct Tokens {
    pub(crate) list: Vec<Token>,
    /// In the order of kinds.
    pub(crate) rests: Vec<Rest>,
    pub(crate) residuals: Vec<Residual>,
}

const COMMANDS_BESIDE: &[Way] = &[Way::Program, Way::Hidden, Way::Earlier, Way::Tool, Way::Redirect];
const SPELLED: &str = "patterns are compared with the paths of file tools, in this spelling";
const RUNS: &str = "a command that may run may do it";
const TEXT: &str = "commands are compared as text: other spellings, and commands that other programs run, are not seen";
const ASKED: &str = "the language has no denies: the user is asked";
const ASKS: &str = "the user is asked, and may say yes";
const LEFT_OUT: &str = "the language can't spell the pattern";

pub(crate) fn export(exported: &ExportedPolicy<'_>, language: &Language) -> Tokens {
    let out = Tokens { list: Vec::new(), rests: Vec::new(), residuals: Vec::new() };
    let mut writer = Writer { exported, language, out };
    writer.files(Subject::Read, Kind::Read);
    writer.files(Subject::Write, Kind::Edit);
    writer.files(Subject::Delete, Kind::Edit);
    writer.floor();
    writer.commands();
    writer.network();
    writer.tools();
    let Writer { mut out, .. } = writer;
    out.list.sort();
    out.list.dedup();
    out
}

struct Writer<'s, 'p> {
    exported: &'s ExportedPolicy<'p>,
    language: &'s Language,
    out: Tokens,
}

impl Writer<'_, '_> {
    fn residual(&mut self, of: Of, ways: &'static [Way], reason: &'static str, instead: &'static str) {
        self.out.residuals.push(Residual { of, ways, reason, instead });
    }

    /// Adds the patterns; whether there are any.
    fn add(&mut self, kind: Kind, decision: Answer, texts: Vec<String>) -> bool {
        let decision = decision.min(self.language.strictest);
        let some = !texts.is_empty();
        self.out.list.extend(texts.into_iter().map(|text| Token { kind, decision, text }));
        some
    }

    fn rest(&mut self, kind: Kind, wanted: Answer) -> Answer {
        let answer = wanted.min((self.language.rest)(kind));
        self.out.rests.retain(|rest| rest.kind != kind || rest.answer > answer);
        if !self.out.rests.iter().any(|rest| rest.kind == kind) {
            self.out.rests.push(Rest { kind, answer });
        }
        answer
    }

    /// An entry that forbids, and what the language lacks to say it in full.
    fn forbids(&mut self, entry: &EntryView, written: bool, reason: &'static str, instead: &'static str) {
        if !written {
            self.residual(Of::entry(entry), EVERY_WAY, LEFT_OUT, "the entry is left out");
        } else if self.language.strictest < answer(entry.decision) {
            self.residual(Of::entry(entry), EVERY_WAY, ASKED, ASKS);
        } else {
            self.residual(Of::entry(entry), COMMANDS_BESIDE, reason, instead);
        }
    }

    fn files(&mut self, subject: Subject, kind: Kind) {
        let exported = self.exported;
        for entry in exported.about(subject) {
            let allows = entry.decision == Decision::Allowed;
            // The engine does not distinguish deletes from writes: an entry that allows a delete must not allow a write.
            if allows && subject == Subject::Delete {
                self.residual(Of::entry(entry), &[], "deletes are not told apart from writes", "the entry is left out");
                continue;
            }
            for text in exported.patterns(entry) {
                self.file(entry, &text, kind, allows);
            }
        }
        let limited = exported.limited(subject);
        if subject == Subject::Delete {
            if let Some(first) = limited {
                let reason = "deletes are not told apart from writes";
                self.residual(Of::list(first), EVERY_WAY, reason, "what may be written may be deleted");
            }
            return;
        }
        let wanted = if limited.is_some() { Answer::Deny } else { Answer::Allow };
        let rest = self.rest(kind, wanted);
        if let Some(first) = limited {
            let ways = if rest < Answer::Deny { EVERY_WAY } else { COMMANDS_BESIDE };
            let reason = if rest < Answer::Deny { "what no pattern names can't be refused" } else { SPELLED };
            let instead = if rest == Answer::Allow { "it passes without a question" } else { RUNS };
            self.residual(Of::list(first), ways, reason, instead);
        }
    }

    fn file(&mut self, entry: &EntryView, text: &str, kind: Kind, allows: bool) {
        let (excluded, text) = text.strip_prefix('!').map_or((false, text), |text| (true, text));
        if excluded && !allows {
            // The pattern that it is taken out of stays whole.
            let reason = "a deny has no exceptions: what `!` takes out of the list is refused, too";
            self.residual(Of::entry(entry), &[], reason, "the deny stays wider");
            return;
        }
        let side = if allows && !excluded { Side::Narrower } else { Side::Wider };
        let patterns = paths::of(text, self.exported.version, side).unwrap_or_default();
        let texts: Vec<String> =
            patterns.iter().flat_map(|pattern| (self.language.path)(entry.subject, pattern, side)).collect();
        let decision = if excluded { Answer::Deny } else { answer(entry.decision) };
        let written = self.add(kind, decision, texts);
        if !allows {
            self.forbids(entry, written, SPELLED, RUNS);
        } else if !written && excluded {
            self.residual(Of::list(entry), EVERY_WAY, "an exception of the list can't be spelled", "it may be written");
        } else if !written {
            self.residual(Of::entry(entry), &[], LEFT_OUT, "it is asked about or refused");
        }
    }

    /// Files that no agent may write under any policy.
    fn floor(&mut self) {
        let globs = agent_strace_policy::floor_globs();
        let patterns = globs.map(|glob| Pattern { start: Start::Anywhere, body: glob.to_owned() });
        let mut all = true;
        for pattern in patterns.collect::<Vec<_>>() {
            let texts = (self.language.path)(Subject::Write, &pattern, Side::Wider);
            all &= self.add(Kind::Edit, Answer::Deny, texts);
        }
        let ways = if all && self.language.strictest == Answer::Deny { COMMANDS_BESIDE } else { EVERY_WAY };
        let reason = "files that decide about the agent are only kept from its file tools, as far as patterns go";
        self.residual(Of::Floor, ways, reason, RUNS);
    }

    fn commands(&mut self) {
        let exported = self.exported;
        for entry in exported.about(Subject::Command) {
            let words = spelling::words(&entry.text);
            if entry.decision == Decision::Allowed {
                let plain = words.filter(|words| !words.iter().any(|word| word.contains(['*', '?', '['])));
                let troubles = exported.troubles(&entry.text);
                let harmless = troubles.iter().all(|trouble| *trouble == Trouble::Arguments);
                let texts = plain.filter(|_| harmless).map(|words| (self.language.command)(&words, Side::Narrower));
                if !self.add(Kind::Command, Answer::Allow, texts.unwrap_or_default()) {
                    let reason = "an allow would let its arguments reach what the policy refuses, or can't be spelled";
                    self.residual(Of::entry(entry), &[], reason, "it is asked about or refused");
                }
                continue;
            }
            let texts = words.map(|words| (self.language.command)(&words, Side::Wider)).unwrap_or_default();
            let written = self.add(Kind::Command, answer(entry.decision), texts);
            self.forbids(entry, written, TEXT, RUNS);
        }
        let limited = exported.limited(Subject::Command);
        let forbids = exported.listed().any(|entry| entry.decision != Decision::Allowed);
        let wanted = match limited {
            Some(_) => Answer::Deny,
            // What is forbidden has more spellings than patterns see: a person looks at the others.
            None if forbids => Answer::Ask,
            None => Answer::Allow,
        };
        let rest = self.rest(Kind::Command, wanted);
        if let Some(first) = limited {
            let ways: &'static [Way] =
                if rest < Answer::Deny { EVERY_WAY } else { &[Way::Hidden, Way::Earlier, Way::Tool, Way::Program] };
            self.residual(
                Of::list(first),
                ways,
                "a command is compared by its text",
                "what an allowed command runs is not seen",
            );
        }
        self.residual(Of::Unresolved, EVERY_WAY, "what a command does with its arguments is not looked at", RUNS);
    }

    fn network(&mut self) {
        const WHY: &str = "hosts are compared for the tool that fetches pages alone";
        const REACHED: &str = "a command that may run reaches any host";
        let exported = self.exported;
        let hosts: Vec<&EntryView> =
            exported.about(Subject::Network).filter(|entry| !entry.location.pointer.ends_with("/deny_all")).collect();
        for entry in hosts {
            let written = self.add(Kind::Fetch, answer(entry.decision), (self.language.host)(&entry.text));
            if entry.decision != Decision::Allowed {
                self.forbids(entry, written, WHY, REACHED);
            } else if !written {
                self.residual(Of::entry(entry), &[], LEFT_OUT, "it is asked about or refused");
            }
        }
        let Some(all) = exported.deny_all() else {
            self.rest(Kind::Fetch, Answer::Allow);
            self.rest(Kind::WebSearch, Answer::Allow);
            return;
        };
        self.rest(Kind::Fetch, Answer::Deny);
        self.rest(Kind::WebSearch, Answer::Deny);
        if exported.limited(Subject::Network).is_none() {
            for program in NETWORK_PROGRAMS {
                let texts = (self.language.command)(&[(*program).to_owned()], Side::Wider);
                self.add(Kind::Command, Answer::Deny, texts);
            }
        }
        self.residual(Of::entry(all), EVERY_WAY, WHY, REACHED);
        let above = Of::Entry {
            pointer: "/network".to_owned(),
            name: "network".to_owned(),
            line: all.location.line,
            text: String::new(),
        };
        self.residual(above, EVERY_WAY, WHY, REACHED);
        if let Some(first) = exported.limited(Subject::Network) {
            self.residual(Of::list(first), EVERY_WAY, WHY, REACHED);
        }
    }

    fn tools(&mut self) {
        for (entry, server) in self.exported.tools() {
            let texts = (self.language.tool)(&server, &entry.text);
            self.add(Kind::Mcp, answer(entry.decision), texts);
        }
        self.rest(Kind::Mcp, Answer::Ask);
    }
}

fn answer(decision: Decision) -> Answer {
    match decision {
        Decision::Denied => Answer::Deny,
        Decision::Asked => Answer::Ask,
        _ => Answer::Allow,
    }
}

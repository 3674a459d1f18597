//! Secrets that programs take as options, operands or input: `clients.tsv`.

use agent_strace_model::finding::RuleId;

use super::super::hit::{Confidence, Hit};
use super::commands::{Commands, Mark, Seen};
use super::exclude::is_reference;
use super::name::{self, Strength};
use super::programs::{Form, NAMES, OptionName, Place, Row, Value, rows};
use super::shell::{Word, is_program, unquoted, word_end, words};
use super::structure::hit;
use super::text::{at, before, ceil, floor, is_space, looked_at, piece, run, run_before};
use super::value;

/// The options that come before the name of a setting.
const FEW: usize = 4;
/// The most bytes of the name of a program.
const FAR: usize = 64;
/// The most bytes that are glued to it, as in `mysql:8.4@sha256:…`.
const GLUED: usize = 128;
/// Shorter values are numbers of ports, groups or levels.
const SHORTEST: usize = 4;
/// The name of its kind in marks.
const OF_CLIENT: &str = "client-password";
const OF_USER: &str = "user-password";

pub(super) fn search(text: &str, hits: &mut Vec<Hit>) {
    let mut search =
        Search { text, commands: Commands::of(text), unbroken: Unbroken::default(), found: Vec::new(), hits };
    for names in &*NAMES {
        for found in names.find(text.as_bytes()) {
            search.name(found.start());
        }
    }
}

/// Whether a byte belongs to the same word.
fn goes_on(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')
}

struct Search<'t, 'h> {
    text: &'t str,
    commands: Commands<'t>,
    unbroken: Unbroken,
    /// The part of a text that one word holds.
    found: Vec<Hit>,
    hits: &'h mut Vec<Hit>,
}

/// The name of a program, or of something else.
struct Name {
    start: usize,
    end: usize,
    /// Worked out where it matters.
    is_program: Option<bool>,
}

impl Search<'_, '_> {
    /// Looks at what may be the name of a program, or the ending of one.
    fn name(&mut self, found: usize) {
        let start = match at(self.text, found) {
            b'.' => found - run_before(self.text, found, FAR, |byte| goes_on(byte) && byte != b'.'),
            _ => found,
        };
        // It is the name of a program, or ends the path of one.
        if goes_on(before(self.text, start)) {
            return;
        }
        let end = start + run(self.text, start, goes_on);
        let Some(rows) = rows(piece(self.text, start, end)) else { return };
        // A quote that ends the name.
        let quote = matches!(at(self.text, end), b'"' | b'\'') && is_space(at(self.text, end + 1));
        let end = end + usize::from(quote);
        let limit = floor(self.text, end + GLUED);
        if limit < self.text.len() && word_end(self.text, end, limit) == limit {
            return;
        }
        self.commands.begin(end);
        let mut name = Name { start, end, is_program: None };
        for row in rows {
            self.row(row, &mut name);
        }
    }

    /// Looks at the words behind a name.
    fn row(&mut self, row: &Row, name: &mut Name) {
        let Some(first) = self.behind(row) else { return };
        match &row.place {
            Place::Input => {
                if let Some(word) = input(self.text, name.start, name.end, &mut self.unbroken) {
                    row.secret(&word, Confidence::Low, &mut self.found);
                    self.report(row, name);
                }
            }
            Place::Operand(number) => {
                let mut words = (first..).map_while(|number| Some((number, self.commands.word(number)?)));
                let operand = words.by_ref().filter(|(_, word)| !word.is_option()).nth(number.saturating_sub(1));
                if let Some((number, _)) = operand {
                    self.word(row, number, name);
                }
            }
            Place::LastOperand => {
                let mut words = (first..self.commands.count()).rev();
                let is_operand = |number: &usize| self.commands.word(*number).is_some_and(|word| !word.is_option());
                if let Some(number) = words.find(is_operand) {
                    self.word(row, number, name);
                }
            }
            Place::Operands if row.form == Form::Named && self.asks(first) => {}
            Place::Operands | Place::Options(_) => {
                for number in first..self.commands.count() {
                    self.word(row, number, name);
                }
            }
        }
    }

    /// The number of the word behind the subcommands. Before and between these are options, which may have values.
    fn behind(&mut self, row: &Row) -> Option<usize> {
        let mut number = 0;
        for subcommand in &row.subcommands {
            let mut may_be_value = false;
            loop {
                let word = self.commands.word(number)?;
                number += 1;
                if word.text == *subcommand {
                    break;
                }
                if !word.is_option() && !may_be_value {
                    return None;
                }
                may_be_value = word.is_option();
            }
        }
        row.with.is_none_or(|with| self.holds(with)).then_some(number)
    }

    /// Returns true if a word of the command holds a text.
    fn holds(&mut self, with: &str) -> bool {
        let mut words = (0..).map_while(|number| self.commands.word(number));
        with.is_empty() || words.any(|word| word.text.contains(with))
    }

    /// Whether options or subcommands read or remove a setting: what follows its name is no value.
    fn asks(&mut self, first: usize) -> bool {
        (first..first + FEW).any(|number| self.commands.word(number).is_some_and(|word| asks(word.text)))
    }

    /// Looks at a word for a row, which does so once, whatever names stand before it; and once more behind the name of a
    /// program where it is in doubt.
    fn word(&mut self, row: &Row, number: usize, name: &mut Name) {
        let mark = Mark::of(row);
        match self.commands.seen(number, mark) {
            Seen::All => return,
            Seen::IfProgram if !name.is_program(self.text) => return,
            Seen::IfProgram | Seen::Not => {}
        }
        let Some(word) = self.commands.word(number) else { return };
        looked_at(0);
        let next = self.commands.word(number + 1);
        row.look(&word, next.as_ref(), &mut self.found);
        let seen = self.report(row, name);
        // The next name may look further.
        if next.is_some() || self.commands.ends_with(number) {
            self.commands.note(number, mark, seen);
        }
    }

    /// Reports what was found. Where the name may also be that of a host, a file or a database, a value counts only if it
    /// can't be a name, too.
    fn report(&mut self, row: &Row, name: &mut Name) -> Seen {
        let mut seen = Seen::All;
        for hit in self.found.drain(..) {
            if row.is_sure(self.text, &hit) || name.is_program(self.text) {
                self.hits.push(hit);
            } else {
                seen = Seen::IfProgram;
            }
        }
        seen
    }
}

impl Name {
    fn is_program(&mut self, text: &str) -> bool {
        *self.is_program.get_or_insert_with(|| is_program(text, self.start))
    }
}

impl Row {
    /// Whether a value is a secret whatever the name is that of.
    fn is_sure(&self, text: &str, hit: &Hit) -> bool {
        let value = piece(text, hit.start, hit.end);
        !value::is_name(value) || self.tells(text, hit.start) && !value.bytes().all(|byte| byte.is_ascii_digit())
    }

    /// Whether a value is one of a program even where this may be no command: a subcommand or the option it is glued to
    /// says so.
    fn tells(&self, text: &str, value: usize) -> bool {
        let quotes = usize::from(matches!(before(text, value), b'"' | b'\''));
        let is_glued = !is_space(before(text, value - quotes));
        is_glued || matches!(self.place, Place::Options(_)) && !self.subcommands.is_empty()
    }

    /// Finds what is secret of a word, or of the next one.
    fn look(&self, word: &Word<'_>, next: Option<&Word<'_>>, hits: &mut Vec<Hit>) {
        match &self.place {
            Place::Options(options) => options.iter().for_each(|option| self.option(option, word, next, hits)),
            Place::Operands if self.form == Form::Named => named(word, next, hits),
            _ => self.secret(word, Confidence::Medium, hits),
        }
    }

    fn option(&self, option: &OptionName, word: &Word<'_>, next: Option<&Word<'_>>, hits: &mut Vec<Hit>) {
        let Some(value) = word.text.strip_prefix(option.name) else { return };
        if value.is_empty() {
            if let Some(next) = next.filter(|_| option.value != Value::Glued) {
                self.secret(next, Confidence::Low, hits);
            }
        } else if value.starts_with('=') {
            self.secret(&word.from(value, 1), Confidence::Low, hits);
        } else if option.value != Value::NextWord {
            self.secret(&word.from(value, 0), Confidence::Low, hits);
        }
    }

    /// Reports what is secret of a value. Where words of prose may stand, it has to look like a secret.
    fn secret(&self, word: &Word<'_>, least: Confidence, hits: &mut Vec<Hit>) {
        match self.form {
            Form::Word | Form::Named => password(word, OF_CLIENT, least, hits),
            Form::Behind(mark) => {
                // `//` starts a URL, which has a detector of its own.
                if let Some(at) =
                    word.text.find(mark).filter(|at| !word.text.contains("//") && !is_file(word.text, *at))
                {
                    password(&word.from(word.text.get(at..).unwrap_or_default(), 1), OF_USER, least, hits);
                }
            }
            Form::Cookie => {
                let mut rest = word.text;
                while !rest.is_empty() {
                    let pair = rest.split(';').next().unwrap_or_default();
                    let start = word.start + word.text.len() - rest.len();
                    behind_equals(&Word { start, text: pair }, Confidence::Medium, hits);
                    rest = rest.get(pair.len() + 1..).unwrap_or_default();
                }
            }
            Form::Pair => behind_equals(word, Confidence::Medium, hits),
            Form::Login => login(word, hits),
            Form::Drawn => drawn(word, hits),
            Form::Typed => {
                if let Some(typed) = word.text.trim_end_matches(['"', '\'']).strip_suffix(r"\r") {
                    drawn(&Word { start: word.start, text: typed }, hits);
                }
            }
            Form::Source => {
                if let Some(value) = word.text.strip_prefix("pass:") {
                    password(&word.from(value, 0), OF_CLIENT, least, hits);
                }
            }
        }
    }
}

/// How much of a command is looked at before and behind the name of a program that reads its standard input.
const NEAR: usize = 300;

/// The text before the name of a program in which no command ends. Who asks again behind it does not look at it once more.
#[derive(Debug, Clone, Copy, Default)]
struct Unbroken {
    from: usize,
    to: usize,
}

impl Unbroken {
    /// Where the text before a name starts.
    fn start(&mut self, text: &str, name: usize) -> usize {
        let new = name.checked_sub(self.to).filter(|new| *new < NEAR);
        let length = run_before(text, name, new.unwrap_or(NEAR), |byte| !b"\n|;&".contains(&byte));
        let from = if new == Some(length) { self.from } else { name - length };
        *self = Self { from, to: name };
        from
    }
}

/// The text on the standard input of a program: from `echo … |` or `printf '%s' … |` before it, or from `<<< …` behind it.
fn input<'t>(text: &'t str, start: usize, end: usize, unbroken: &mut Unbroken) -> Option<Word<'t>> {
    let from = unbroken.start(text, start);
    if before(text, from) == b'|' && start - from < NEAR {
        let pipe = from - 1;
        let line = pipe - run_before(text, pipe, NEAR, |byte| !b"\n;&|(".contains(&byte));
        let mut said = words(text, ceil(text, line));
        let program = said.next().filter(|word| matches!(word.text, "echo" | "printf"))?;
        return said
            .take_while(|word| word.start < start)
            .filter(|word| !word.is_option())
            .last()
            .filter(|_| program.start < start);
    }
    let behind = piece(text, end, floor(text, end + NEAR));
    let at = behind.split('\n').next().unwrap_or_default().find("<<<")?;
    words(text, end + at + "<<<".len()).next()
}

/// `C:\certs\client.pem`, `pkcs11:object=…`.
fn is_file(word: &str, colon: usize) -> bool {
    let (name, rest) = word.split_at_checked(colon).unwrap_or_default();
    name == "pkcs11" || name.len() == 1 && rest.starts_with([':']) && matches!(at(rest, 1), b'\\' | b'/')
}

/// `user:password@host/path`. A password without a scheme may as well be a part of a path or a revision, and has to look like
/// one.
fn login(word: &Word<'_>, hits: &mut Vec<Hit>) {
    let near = word.text.split('/').next().unwrap_or_default();
    let Some((user_info, host)) = near.rsplit_once('@') else { return };
    let Some((user, _)) = user_info.split_once(':') else { return };
    let is_host = host.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '[');
    if is_host && !user_info.contains(char::is_whitespace) {
        let given = piece(word.text, user.len() + 1, user_info.len());
        password(&Word { start: word.start + user.len() + 1, text: given }, OF_USER, Confidence::Medium, hits);
    }
}

/// A value that is neither a name nor a switch nor prose.
fn drawn(word: &Word<'_>, hits: &mut Vec<Hit>) {
    let is_prose = word.text.contains(char::is_whitespace) || word.text.starts_with('/');
    if !is_prose && !value::is_name(word.text) {
        password(word, OF_CLIENT, Confidence::Medium, hits);
    }
}

fn behind_equals(word: &Word<'_>, least: Confidence, hits: &mut Vec<Hit>) {
    if let Some(at) = word.text.find('=') {
        password(&word.from(word.text.get(at..).unwrap_or_default(), 1), OF_CLIENT, least, hits);
    }
}

/// Options and subcommands that read or remove a setting: what follows its name is no value.
fn asks(word: &str) -> bool {
    const LONG: &[&str] = &["--get", "--unset", "--rename", "--remove", "--list"];
    matches!(word, "get" | "unset" | "list" | "delete") || LONG.iter().any(|option| word.starts_with(option))
}

/// The value of a setting whose name says that it is secret.
fn named(name: &Word<'_>, value: Option<&Word<'_>>, hits: &mut Vec<Hit>) {
    let is_alias = name.text.starts_with("alias.");
    if let Some(value) = value.filter(|_| !is_alias && is_strong(name.text)) {
        password(value, OF_CLIENT, Confidence::Low, hits);
    }
}

fn is_strong(name: &str) -> bool {
    name::strength(name).is_some_and(|strength| strength >= Strength::Strong)
}

/// `8080:80`, `127.0.0.1:3306:3306`, `80,443`.
fn is_ports(value: &str) -> bool {
    let is_mark = |byte: u8| matches!(byte, b':' | b',' | b'.');
    value.bytes().any(is_mark) && value.bytes().all(|byte| is_mark(byte) || byte.is_ascii_digit())
}

fn password(word: &Word<'_>, kind: &'static str, least: Confidence, hits: &mut Vec<Hit>) {
    // The value that is glued to an option has quotes of its own.
    let word = unquoted(word.text, word.start);
    if word.text.len() < SHORTEST || word.is_option() || is_reference(word.text) || is_ports(word.text) {
        return;
    }
    if let Some(confidence) = value::of_password(word.text).filter(|confidence| *confidence >= least) {
        let end = word.start + word.text.len();
        hits.push(hit(word.start, end, RuleId::SecretPassword.as_str(), kind, confidence));
    }
}

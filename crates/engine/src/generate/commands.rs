//! A command that ran → the entry that allows it, and no more than it has to.
//!
//! A program is allowed by its name and its subcommand: what it reads, writes and connects to is judged by the other
//! lists. What runs other code is never cut short: an interpreter keeps its script, a wrapper all its own words and the
//! entry of what it wraps. What destroys or publishes is left to people.

use agent_strace_effects::knowledge::{self, Entry, Knowledge, Language, Role};
use agent_strace_effects::{Argument, Execution};

use super::risks::{RISKS, Risk, SHOWING, What};
use super::tables::{IDENTITY, SHOWS_SETTINGS, SUBCOMMANDS, TARGETS, WRAPPERS};
use super::targets;

/// Why no entry is made for a command.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Unlisted {
    Risky(What),
    /// Its program, or another word that decides what runs, is not known.
    Unknown,
    /// Nobody knows the program.
    Stranger,
    /// The program or script stands outside of the workspace.
    Outside,
    /// No entry can say it.
    Inexpressible,
    /// The program alone: an entry would allow all of its subcommands.
    Bare,
}

/// The longest command that is kept word by word.
const LONGEST: usize = 200;
/// The longest program text.
const LONGEST_TEXT: usize = 80;
/// Commands inside commands.
const DEEPEST: usize = 4;

/// What is known of one command.
#[derive(Debug, Clone, Copy)]
pub(super) struct Command<'a> {
    pub(super) execution: &'a Execution,
    /// Where the command starts that it runs.
    pub(super) inner: Option<usize>,
    /// The words that vouch for what it does besides.
    pub(super) vouched: &'a [String],
    pub(super) besides: Besides,
}

/// The acts of a command or tool besides running, such as those of a program text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Besides {
    /// All of it is known. Other lists judge that.
    Known,
    /// Some of it is not known.
    Unknown,
}

/// The words of the entry that allows the command.
pub(super) fn entry(command: Command<'_>, programs: &Knowledge) -> Result<Vec<String>, Unlisted> {
    let known = Known { programs, besides: command.besides };
    let mut words = words(&command.execution.argv, command.inner, known, 0)?;
    // A runner is opaque unless all these words are in its entry.
    let missing = command.vouched.len() > words.iter().filter(|word| !is_flag(word)).count();
    if missing && !words.iter().any(|word| is_flag(word)) && command.vouched.starts_with(&words) {
        words = command.vouched.to_vec();
    }
    Ok(words)
}

/// The knowledge about programs, and about the acts of the command.
#[derive(Debug, Clone, Copy)]
struct Known<'k> {
    programs: &'k Knowledge,
    besides: Besides,
}

fn words(argv: &[Argument], inner: Option<usize>, known: Known<'_>, depth: usize) -> Result<Vec<String>, Unlisted> {
    let Known { programs, besides } = known;
    let (program, arguments) = argv.split_first().ok_or(Unlisted::Unknown)?;
    if !program.known {
        return Err(Unlisted::Unknown);
    }
    let name = basename(&program.text);
    let bare = programs.bare(name);
    if programs.canonical_name(&bare) == "git"
        && let Some(words) = settings(arguments)
    {
        return Ok(words);
    }
    if let Some(form) = showing(programs.canonical_name(&bare), arguments) {
        let shown = shown(&program.text).ok_or(Unlisted::Outside)?;
        return Ok(std::iter::once(shown).chain(form).collect());
    }
    if let Some(risk) = RISKS.iter().find(|risk| risk.is_taken(programs.canonical_name(&bare), arguments)) {
        return Err(Unlisted::Risky(risk.what));
    }
    let shown = shown(&program.text).ok_or(Unlisted::Outside)?;
    if let Some(inner) = inner.filter(|_| depth < DEEPEST) {
        return wrapper(&shown, argv, inner, known, depth);
    }
    let Some(entry) = programs.entry(&bare) else {
        // A script of the project is what the repository says; a word is a program that nobody described.
        let is_own = shown.contains('/') || knowledge::is_of_the_shell(name);
        return if is_own { Ok(vec![shown]) } else { Err(Unlisted::Stranger) };
    };
    if let Some((program, groups)) = SUBCOMMANDS.iter().find(|(program, _)| *program == programs.canonical_name(&bare))
    {
        return grouped(&shown, program, groups, arguments);
    }
    if let Some(language) = entry.language {
        return interpreter(&shown, arguments, entry, Program { language, besides });
    }
    if entry.operands.iter().any(|operand| operand.role.runs()) || WRAPPERS.contains(&programs.canonical_name(&bare)) {
        // Nothing is known of what it ran.
        return Err(Unlisted::Risky(What::Escapes));
    }
    let told = subcommand(entry, arguments);
    if told.runs {
        return exactly(&shown, arguments);
    }
    let is_grouped = RISKS.iter().any(|risk| risk.program == programs.canonical_name(&bare) && !risk.words.is_empty());
    if told.words.is_empty() && is_grouped {
        return without_subcommand(&shown, arguments);
    }
    let mut words = vec![shown];
    words.extend(told.words);
    if words.len() == 1 && TARGETS.contains(&programs.canonical_name(&bare)) {
        words.extend(targets::target(arguments, Some(entry))?);
    }
    Ok(words)
}

/// Somebody described the program.
pub(super) fn is_known(execution: &Execution, programs: &Knowledge) -> bool {
    let program = execution.argv.first().filter(|program| program.known);
    program.is_some_and(|program| programs.entry(&programs.bare(basename(&program.text))).is_some())
}

/// `git config` where it only shows what is set, or says who commits. What decides what runs is never among it.
fn settings(arguments: &[Argument]) -> Option<Vec<String>> {
    let (first, rest) = arguments.split_first().filter(|(first, _)| first.text == "config")?;
    if !first.known || !rest.iter().all(|argument| argument.known) {
        return None;
    }
    let shows = rest.iter().find(|argument| SHOWS_SETTINGS.contains(&argument.text.as_str()));
    let names = || rest.first().filter(|name| IDENTITY.contains(&name.text.as_str()) && rest.len() == 2);
    shows.or_else(names).map(|word| vec!["git".to_owned(), "config".to_owned(), word.text.clone()])
}

/// The words that make a command of a risky program one that only shows what is there.
fn showing(program: &str, arguments: &[Argument]) -> Option<Vec<String>> {
    let (_, forms) = SHOWING.iter().find(|(name, _)| *name == program)?;
    let (flags, operands): (Vec<&Argument>, Vec<&Argument>) =
        arguments.iter().partition(|argument| is_flag(&argument.text));
    let taken = |form: &&str| {
        let (wanted, words): (Vec<&str>, Vec<&str>) = form.split(' ').partition(|word| is_flag(word));
        let given = operands.get(..words.len())?;
        let fits = |(word, operand): (&&str, &&Argument)| operand.known && is_of(word, &operand.text);
        let is_flagged = wanted.iter().all(|flag| flags.iter().any(|given| given.known && given.text == *flag));
        let is_taken = is_flagged && words.iter().zip(given).all(fits);
        is_taken.then(|| given.iter().map(|operand| operand.text.as_str()).chain(wanted).map(str::to_owned).collect())
    };
    forms.iter().find_map(taken)
}

/// The word itself, any word (`*`), or one that begins so (`list-*`).
fn is_of(word: &str, text: &str) -> bool {
    word.strip_suffix('*').map_or(word == text, |beginning| text.starts_with(beginning))
}

/// What is left to people, and an entry of a program or subcommand would allow: `git branch -D` beside `git branch`.
pub(crate) fn risks_beside(entry: &str) -> Vec<String> {
    let (flags, words): (Vec<&str>, Vec<&str>) = entry.split(' ').partition(|word| is_flag(word));
    let Some((program, leading)) = words.split_first() else { return Vec::new() };
    // An option may stand beside another one: `git branch --all -d`.
    let is_beside = |risk: &&Risk| {
        if flags.is_empty() { risk.words.starts_with(leading) } else { risk.words == leading && !risk.flags.is_empty() }
    };
    let beside = RISKS.iter().filter(|risk| risk.program == *program).filter(is_beside);
    beside.flat_map(Risk::texts).collect()
}

impl Risk {
    /// As entries of a list. Where the program itself is the risk, no entry of it is made.
    fn texts(&self) -> Vec<String> {
        let leading = std::iter::once(self.program).chain(self.words.iter().copied()).collect::<Vec<_>>().join(" ");
        if self.flags.is_empty() {
            return vec![leading];
        }
        self.flags.iter().filter(|flag| **flag != "--").map(|flag| format!("{leading} {flag}")).collect()
    }

    fn is_taken(&self, program: &str, arguments: &[Argument]) -> bool {
        if self.program != program {
            return false;
        }
        let operands: Vec<&str> =
            arguments.iter().map(|argument| argument.text.as_str()).filter(|text| !is_flag(text)).collect();
        // Options of the program may stand before the subcommand, with values: whatever follows them counts, too.
        let named = self.words.is_empty()
            || operands.windows(self.words.len()).take(GLOBALS).any(|operands| operands == self.words);
        named
            && (self.flags.is_empty()
                || arguments.iter().any(|argument| self.flags.iter().any(|flag| gives(argument, flag))))
    }
}

/// Operands among which a subcommand is looked for.
const GLOBALS: usize = 4;

/// The option itself, with a value, or in a cluster of letters.
fn gives(argument: &Argument, flag: &str) -> bool {
    let text = argument.text.as_str();
    if text == flag || text.strip_prefix(flag).is_some_and(|rest| rest.starts_with('=')) {
        return true;
    }
    let mut letters = flag.chars().skip(1);
    let (Some(letter), None) = (letters.next(), letters.next()) else { return false };
    flag.starts_with('-') && letter != '-' && text.starts_with('-') && !text.starts_with("--") && text.contains(letter)
}

/// `/usr/bin/git` is `git`; a path in the workspace stays; `None`: it stands elsewhere.
pub(super) fn shown(program: &str) -> Option<String> {
    const SYSTEM: &[&str] =
        &["/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/usr/local/bin/", "/usr/local/sbin/", "/opt/homebrew/bin/"];
    let system = SYSTEM.iter().find_map(|folder| program.strip_prefix(folder)).filter(|name| !name.contains('/'));
    if let Some(name) = system {
        return Some(name.to_owned());
    }
    (!is_outside(program)).then(|| program.to_owned())
}

fn is_outside(path: &str) -> bool {
    path.starts_with(['/', '~', '$']) || path.split(['/', '\\']).any(|part| part == "..") || path.get(1..2) == Some(":")
}

fn basename(program: &str) -> &str {
    program.rsplit(['/', '\\']).next().unwrap_or(program)
}

pub(super) fn is_flag(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-')
}

/// The subcommand behind the options of the program, and what it is of.
fn grouped(shown: &str, program: &str, groups: &[&str], arguments: &[Argument]) -> Result<Vec<String>, Unlisted> {
    let mut words = vec![shown.to_owned()];
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let text = argument.text.as_str();
        if !argument.known {
            // Behind a group any of its commands may stand.
            return Err(Unlisted::Unknown);
        }
        if is_flag(text) {
            if matches!(text, "-c" | "--config-env" | "--exec-path") && program == "git" {
                return exactly(shown, arguments);
            }
            if agent_strace_policy::takes_value(program, text) {
                rest.next();
            }
            continue;
        }
        words.push(text.to_owned());
        if !(words.len() == 2 && groups.contains(&text)) {
            break;
        }
    }
    if words.len() == 1 { without_subcommand(shown, arguments) } else { Ok(words) }
}

/// `git --version` is no reason to allow `git push`.
fn without_subcommand(shown: &str, arguments: &[Argument]) -> Result<Vec<String>, Unlisted> {
    if arguments.is_empty() { Err(Unlisted::Bare) } else { exactly(shown, arguments) }
}

/// What the arguments of a known program say about its subcommand.
struct SubcommandWords {
    words: Vec<String>,
    /// An option was given whose value runs, or decides what runs.
    runs: bool,
}

fn subcommand(known: &Entry, arguments: &[Argument]) -> SubcommandWords {
    let mut told = SubcommandWords { words: Vec::new(), runs: false };
    let (mut at, mut chosen) = (known, false);
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let text = argument.text.as_str();
        if is_flag(text) && argument.known {
            let name = text.split('=').next().unwrap_or(text);
            let role = at.option(name).or_else(|| known.option(name));
            told.runs |= role.is_some_and(|role| role.role.runs() && role.role != Role::Unproven);
            if role.is_some_and(|role| !role.attached && !role.role.is_flag()) && !text.contains('=') {
                rest.next();
            }
            continue;
        }
        if chosen || at.subcommands.is_empty() {
            chosen = true;
            continue;
        }
        if !argument.known {
            // Any subcommand may stand here.
            told.runs = true;
            return told;
        }
        told.words.push(text.to_owned());
        match at.subcommand(text) {
            Some(below) => at = below,
            None => chosen = true,
        }
        told.runs |= at.operands.iter().any(|operand| operand.role.runs()) || at.language.is_some();
    }
    told
}

/// The language of an interpreter, and the knowledge about the acts of its text.
#[derive(Debug, Clone, Copy)]
struct Program {
    language: Language,
    besides: Besides,
}

impl Program {
    /// Its text is understood, and an entry for the interpreter allows no text of this language that is not.
    fn is_judged_by_its_acts(self) -> bool {
        let is_read = matches!(self.language, Language::Javascript | Language::Python | Language::Shell);
        self.besides == Besides::Known && is_read
    }
}

/// An interpreter with its script or module. Program text is left to the lists that judge its acts, or kept whole.
fn interpreter(program: &str, arguments: &[Argument], known: &Entry, what: Program) -> Result<Vec<String>, Unlisted> {
    let language = what.language;
    let mut words = vec![program.to_owned()];
    let mut rest = arguments.iter();
    let reads_input = what.is_judged_by_its_acts() && language != Language::Shell;
    if arguments.is_empty() && reads_input {
        return Ok(vec![program.to_owned(), "-".to_owned()]);
    }
    // Program text stands on the command line. Otherwise it comes from standard input, and nobody knows it.
    let mut is_told = false;
    while let Some(argument) = rest.next() {
        let text = argument.text.as_str();
        if !argument.known {
            return Err(Unlisted::Unknown);
        }
        if !is_flag(text) {
            if text == "-" && reads_input {
                return Ok(vec![program.to_owned(), text.to_owned()]);
            }
            if language == Language::Awk || text == "-" {
                is_told = language == Language::Awk;
                break;
            }
            // Subcommands (`deno run`, `bun run`) say what the next word is.
            let below = known.subcommand(text);
            words.push(text.to_owned());
            if let Some(below) = below.filter(|below| !below.operands.iter().any(|operand| operand.role == Role::Argv))
            {
                let next = rest.clone().find(|next| !is_flag(&next.text));
                words.extend(next.filter(|next| next.known && below_runs(below)).map(|next| next.text.clone()));
                return Ok(words);
            }
            return if is_outside(text) { Err(Unlisted::Outside) } else { Ok(words) };
        }
        let role = known.option(text.split('=').next().unwrap_or(text)).map(|role| role.role);
        match role {
            _ if language == Language::Shell && gives_commands(text) => {
                let whole = || exactly(program, arguments);
                let option = || Ok(vec![program.to_owned(), text.to_owned()]);
                return if what.is_judged_by_its_acts() { option() } else { whole() };
            }
            _ if text == "-m" && language == Language::Python => {
                let module = rest.next().filter(|module| module.known).ok_or(Unlisted::Unknown)?;
                words.extend([text.to_owned(), module.text.clone()]);
                return Ok(words);
            }
            Some(Role::Code) if what.is_judged_by_its_acts() => {
                let option = text.split('=').next().unwrap_or(text);
                return Ok(vec![program.to_owned(), option.to_owned()]);
            }
            Some(role) if role.runs() => {
                is_told = true;
                break;
            }
            Some(role) if !role.is_flag() && !text.contains('=') => {
                words.push(text.to_owned());
                words.extend(rest.next().map(|value| value.text.clone()));
            }
            _ => words.push(text.to_owned()),
        }
    }
    if !is_told {
        return Err(Unlisted::Risky(What::Escapes));
    }
    let words = exactly(program, arguments)?;
    let length: usize = words.iter().map(|word| word.chars().count() + 1).sum();
    if length <= LONGEST_TEXT { Ok(words) } else { Err(Unlisted::Inexpressible) }
}

/// `-c`, alone or behind other letters (`-lc`).
fn gives_commands(flag: &str) -> bool {
    let letters = flag.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
    letters.is_some_and(|letters| letters.ends_with('c') && letters.chars().all(|letter| letter.is_ascii_alphabetic()))
}

/// Its first operand says what runs.
fn below_runs(below: &Entry) -> bool {
    below.unproven.is_some() || below.operands.iter().any(|operand| operand.role.runs())
}

/// All words.
fn exactly(program: &str, arguments: &[Argument]) -> Result<Vec<String>, Unlisted> {
    if arguments.iter().any(|argument| !argument.known) {
        return Err(Unlisted::Unknown);
    }
    let words: Vec<String> =
        std::iter::once(program.to_owned()).chain(arguments.iter().map(|argument| argument.text.clone())).collect();
    let length: usize = words.iter().map(|word| word.chars().count() + 1).sum();
    let plain = words.iter().all(|word| !word.chars().any(char::is_control));
    if plain && length <= LONGEST { Ok(words) } else { Err(Unlisted::Inexpressible) }
}

/// A wrapper keeps its own words; what it runs is as wide as it would be by itself.
fn wrapper(
    program: &str,
    argv: &[Argument],
    inner: usize,
    known: Known<'_>,
    depth: usize,
) -> Result<Vec<String>, Unlisted> {
    let own = argv.get(1..inner).unwrap_or_default();
    // An entry can't hold `--`. The command behind it is judged by itself.
    if let Some((_, own)) = own.split_last().filter(|(last, rest)| last.text == "--" && !rest.is_empty()) {
        return exactly(program, own);
    }
    let (outer, inner) = (exactly(program, own)?, argv.get(inner..).unwrap_or_default());
    let mut words = outer;
    words.extend(self::words(inner, None, known, depth + 1)?);
    Ok(words)
}

/// The words as one entry of `commands`.
pub(crate) fn text(words: &[String]) -> String {
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// A word that stands for itself: wildcards in classes of their own, quotes where a blank would end it.
fn quoted(word: &str) -> String {
    let mut literal = String::with_capacity(word.len());
    for character in word.chars() {
        match character {
            '*' | '?' | '[' => literal.extend(['[', character, ']']),
            _ => literal.push(character),
        }
    }
    let plain = |character: char| !character.is_whitespace() && !matches!(character, '"' | '\'' | '\\');
    if !literal.is_empty() && literal.chars().all(plain) {
        return literal;
    }
    format!("\"{}\"", literal.replace('\\', "\\\\").replace('"', "\\\""))
}

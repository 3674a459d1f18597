//! A command that is written in another way has the same effects: a flag, `--`, a wrapper, quotes, a backslash or a
//! variable of the environment takes no effect from the examples of all programs.
//!
//! `fixtures/sweeps.md` lists the flags that do take an effect, in groups that say why that is right.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::OnceLock;

use crate::command::knowledge::{self, Entry, Meaning, git};
use crate::{Effect, Kind, Purpose, World};

/// A command of the fixtures: its words, as they were written, and the effects but what it runs.
struct Example {
    words: Vec<String>,
    acts: BTreeSet<String>,
}

/// Examples that a flag is tried on.
const TRIES: usize = 2;

/// One of so many flags, and of the forms of a command, is tried at a time; `UPDATE_SPECS=1` tries all.
const SAMPLE: u64 = 8;

/// The sample that this text is in, the same each time.
pub(super) fn is_tried(text: &str) -> bool {
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    is_whole() || (hash >> 20) % SAMPLE == 0
}

/// All is tried, so a name that was listed and is not found has to go.
pub(super) fn is_whole() -> bool {
    std::env::var_os("UPDATE_SPECS").is_some()
}

const WRAPPERS: &[&str] =
    &["env", "env X=1", "nice", "nice -n 5", "timeout 5", "command", "exec", "sudo", "nohup", "time", "setsid", "X=1"];

/// Builtins, which no other program can run.
const OF_THE_SHELL: &[&str] = &["bind", "compgen", "enable", "fc", "jobs", "wait", "cd", "pushd", "popd"];

/// Programs whose first word holds letters that say what they do, and where `--` is none.
const OF_LETTERS: &[&str] = &["ar", "jar", "llvm-ar", "tar"];

fn acts(text: &str) -> BTreeSet<String> {
    let effects: Vec<Effect> = super::super::run(&format!("true; {text}"), &mut World::new(Some("/repo"))).into_vec();
    let acts = effects.into_iter().filter(|effect| !matches!(effect.kind, Kind::Execute(_)));
    // A flag may change the use that a program makes of files, and the files stay those.
    let acts = acts.map(|effect| Effect { gathered: effect.gathered.map(|_| Purpose::Whole), ..effect });
    acts.map(|effect| effect.to_string()).collect()
}

fn is_doubt(act: &str) -> bool {
    act.starts_with("opaque")
}

/// The effects of the example that another form of it does not have. One doubt is as good as another.
fn lost(example: &Example, form: &str) -> Vec<String> {
    let found = acts(form);
    let doubted = found.iter().any(|act| is_doubt(act));
    example.acts.difference(&found).filter(|act| !(doubted && is_doubt(act))).cloned().collect()
}

/// The examples that are one command without operators, expansions and comments: quotes change nothing in these.
fn examples() -> &'static [Example] {
    static EXAMPLES: OnceLock<Vec<Example>> = OnceLock::new();
    EXAMPLES.get_or_init(|| {
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("fixtures");
        let families = knowledge::FAMILIES.iter().map(|(family, _)| format!("programs/{family}.md"));
        let files = families.chain(["commands.md".to_owned()]);
        let texts: Vec<String> = files.map(|file| std::fs::read_to_string(folder.join(file)).unwrap()).collect();
        let commands = texts.iter().flat_map(|text| text.lines()).filter_map(|line| line.strip_prefix("$ "));
        let commands: BTreeSet<&str> = commands.collect();
        let examples = commands.into_iter().filter_map(words).filter(|words| knowledge::builtin(&words[0]).is_some());
        let examples = examples.map(|words| Example { acts: acts(&words.join(" ")), words });
        examples.filter(|example| !example.acts.is_empty()).collect()
    })
}

/// The words as they were written, where only quotes have a meaning to the shell.
fn words(text: &str) -> Option<Vec<String>> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for letter in text.chars() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (Some('"'), '$' | '`' | '\\') => return None,
            (None, '\'' | '"') => quote = Some(letter),
            (None, ' ') => {
                words.push(String::new());
                continue;
            }
            (None, _) if "|&;<>()$`\\*?[{}~#!\n".contains(letter) => return None,
            _ => {}
        }
        words.last_mut()?.push(letter);
    }
    Some(words).filter(|words| quote.is_none() && words.iter().all(|word| !word.is_empty()))
}

/// The entry of the subcommand that the words name, and how many words that takes.
fn entry(words: &[String]) -> (&'static Entry, usize) {
    let mut entry = knowledge::builtin(&words[0]).unwrap();
    let mut count = 1;
    if let ("git", Some(sub)) = (words[0].as_str(), words.get(1).filter(|word| !word.starts_with('-'))) {
        let (whole, nested) = (git::options(sub, None), git::options(sub, words.get(2).map(String::as_str)));
        return (nested, if std::ptr::eq(whole, nested) { 2 } else { 3 });
    }
    while let Some(sub) = words.get(count).and_then(|word| entry.subcommand(word)) {
        (entry, count) = (sub, count + 1);
    }
    (entry, count)
}

/// The words, with another one behind those that name the subcommand.
fn with(words: &[String], count: usize, word: &str) -> String {
    let (head, tail) = words.split_at(count);
    [head, &[word.to_owned()], tail].concat().join(" ")
}

/// Flags that take an effect from an example, but not those that take a word of it as their value.
pub(super) fn telling_flags() -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for (subject, (option, tried)) in flags() {
        let loses = |(example, count): &&(&Example, usize)| {
            !lost(example, &with(&example.words, *count, option)).is_empty()
                && !lost(example, &with(&example.words, *count, &format!("{option} 1"))).is_empty()
        };
        if tried.iter().any(|place| loses(&place)) {
            all.insert(subject);
        }
    }
    all
}

/// A flag, and examples of its program with the place where it goes.
type Tried = (&'static str, Vec<(&'static Example, usize)>);

/// Name, subcommand and flag → the flag, and examples of it with the place where it goes.
fn flags() -> BTreeMap<String, Tried> {
    let mut all: BTreeMap<String, Tried> = BTreeMap::new();
    for example in examples() {
        let (entry, count) = entry(&example.words);
        if OF_LETTERS.contains(&example.words[0].as_str()) && !example.words[1].starts_with('-') {
            continue;
        }
        let mut is_first = true;
        for option in entry.all_options().into_iter().filter(|option| option.starts_with('-')) {
            let is_plain = entry.meaning(option) == Meaning::Flag;
            let is_flag = is_plain || entry.listed_option(option).is_some_and(|listed| listed.role.is_flag());
            // If only data divide the words, one flag stands for all others of which nothing is known.
            let counts = is_flag && (!is_plain || example.is_special(entry) || std::mem::take(&mut is_first));
            let subject = format!("{} {option}", example.words[..count].join(" "));
            if counts && is_tried(&subject) {
                let (_, tried) = all.entry(subject).or_insert((option, Vec::new()));
                if tried.len() < TRIES {
                    tried.push((example, count));
                }
            }
        }
    }
    all
}

impl Example {
    fn is_special(&self, entry: &Entry) -> bool {
        self.words[0] == "git" || entry.special.is_some()
    }

    /// The same command in other words.
    fn forms(&self) -> Vec<String> {
        let is_quoted = |word: &str| word.contains(['\'', '"']);
        let written = |mark: &str, end: &str| {
            let quoted =
                self.words.iter().map(|word| if is_quoted(word) { word.clone() } else { format!("{mark}{word}{end}") });
            quoted.collect::<Vec<_>>().join(" ")
        };
        let mut forms = vec![written("'", "'"), written("\"", "\""), written("\\", ""), self.words.join(" \\\n ")];
        let text = self.words.join(" ");
        if !OF_THE_SHELL.contains(&self.words[0].as_str()) {
            forms.extend(WRAPPERS.iter().map(|wrapper| format!("{wrapper} {text}")));
            forms.push(format!("/usr/bin/{text}"));
        }
        forms
    }

    /// `--` in front of the operands, where no option stands among them.
    fn with_dashes(&self) -> Option<String> {
        let (_, count) = entry(&self.words);
        let operands = &self.words[count..];
        let takes = !operands.is_empty() && operands.iter().all(|word| !word.starts_with('-'));
        takes.then(|| with(&self.words, count, "--"))
    }
}

#[test]
fn the_same_command_in_other_words_has_its_effects() {
    assert!(examples().len() > 1500, "the examples are not found");
    let mut wrong = Vec::new();
    for example in examples() {
        for form in example.forms().into_iter().filter(|form| is_tried(form)) {
            let lost = lost(example, &form);
            if !lost.is_empty() {
                wrong.push(format!("{form}: {lost:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "effects are lost:\n{}", wrong.join("\n"));
}

/// Programs that take `--` for something else, or to which the words behind it mean something else.
const OTHER_DASHES: &[&str] = &[
    // No option of it is a word with two dashes.
    "apply_patch",
    "ar",
    "jar",
    "tar",
    "openssl",
    "nvm",
    "workmux",
    // Its first word is a subcommand of another program.
    "git lfs",
    // The words behind it are paths, and no revisions.
    "git checkout",
    "git diff",
    "git show",
    "git grep",
    // Its options end at its own subcommand.
    "git submodule",
    "git lfs",
];

#[test]
fn dashes_before_operands_take_no_effect_away() {
    let mut wrong = Vec::new();
    for example in examples() {
        let text = example.words.join(" ");
        let is_other = OTHER_DASHES.iter().any(|other| text.starts_with(&format!("{other} ")));
        if let Some(form) = example.with_dashes().filter(|_| !is_other) {
            let lost = lost(example, &form);
            if !lost.is_empty() {
                wrong.push(format!("{form}: {lost:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "effects are lost:\n{}", wrong.join("\n"));
}

//! `xargs`: one command for many items.

use crate::command::argument::{Arg, Arguments};
use crate::command::knowledge::{Entry, OptionRole, Role};
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::{About, Reason};

use agent_strace_shell::BYTES_A_STEP;

use super::Call;
use super::find::filled;
use super::inserted;
use super::printing::{Escapes, unescaped};

/// More items than this are taken as unknown ones.
pub(super) const ITEMS: usize = 256;
/// Words that a wrapper may take before the command it runs: options, their values, operands.
const WRAPPED: usize = 3;

impl Machine<'_> {
    pub(super) fn xargs(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(&xargs_options(), call.rest);
        let mut input = io.input.clone();
        for file in arguments.values(&["-a", "--arg-file"]) {
            input = self.source(file);
        }
        // The last one of these counts.
        let last = |names: &[&str]| arguments.options.iter().rposition(|option| names.contains(&option.name.as_str()));
        let is_one = arguments.values(&["-n", "--max-args"]).all(|count| count.text == "1");
        let counts =
            if is_one { &["-L", "--max-lines", "-l"][..] } else { &["-n", "--max-args", "-L", "--max-lines", "-l"] };
        let replacing = last(&["-I", "-i", "--replace", "-J"]);
        let replacing = replacing.is_some_and(|at| last(counts).is_none_or(|counted| counted < at));
        let mark = arguments.values(&["-I", "-i", "--replace", "-J"]).next().map_or("{}", |word| word.text.as_str());
        let usual = if replacing { ItemFormat::Lines } else { ItemFormat::QuotedWords };
        let format = ItemFormat::given(&arguments).unwrap_or(usual);
        let items = items(&input, format);
        let mut command = or_echo(&arguments.operands);
        let inner_input = Stream::nothing();
        let mut inner = Io { scope: &mut *io.scope, input: &inner_input };
        if format == ItemFormat::Unknown {
            self.guess_items(&command, &input, &mut inner);
        }
        if replacing {
            for item in &items {
                let Some(words) = self.filled_words(&command, mark, item) else { break };
                self.command(&words, &mut inner);
            }
            return Stream::Unknown;
        }
        if let [item] = items.as_slice()
            && !item.is_exact()
            && command.first().is_some_and(|program| self.runs_arguments(program))
        {
            // Some of the items may be the wrapper's own, those after them a command.
            command.extend(std::iter::repeat_n(item.clone(), WRAPPED));
        }
        command.extend(items);
        self.command(&command, &mut inner)
    }

    /// The items, if they are words as they are without options.
    fn guess_items(&mut self, command: &[Arg], input: &Stream, io: &mut Io<'_>) {
        let likely = [command, &items(input, ItemFormat::QuotedWords)].concat();
        self.guessed(|machine| machine.command(&likely, io));
    }

    /// The words of a command with an item in the place of `mark`; `None`: they ask for too much work.
    pub(super) fn filled_words(&mut self, command: &[Arg], mark: &str, item: &Arg) -> Option<Vec<Arg>> {
        let bytes = command.len().saturating_mul(size_of::<Arg>() + item.text.len());
        self.may_spend(bytes / BYTES_A_STEP).then(|| self.inserted(command, mark, item))
    }

    /// The words with a name in the place of `mark`. In the text of a shell it is a parameter, unless the session made names
    /// that a shell reads otherwise.
    pub(super) fn inserted(&mut self, command: &[Arg], mark: &str, item: &Arg) -> Vec<Arg> {
        let text = if self.world.has_odd_names() { None } else { inserted::as_parameter(command, mark, item) };
        if let (Some(_), Some(shell)) = (&text, command.first()) {
            self.opaque(About::Project, Reason::NamesInText, &[&shell.text]);
        }
        let words = text.as_deref().unwrap_or(command);
        words.iter().map(|word| filled(word, mark, item)).collect()
    }

    /// The program runs some of its arguments as a command.
    fn runs_arguments(&self, program: &Arg) -> bool {
        let entry = program.literal().and_then(|name| self.knowledge.entry(name.rsplit('/').next().unwrap_or(name)));
        entry.is_some_and(|entry| entry.operands.iter().any(|operand| operand.role == Role::Argv))
    }

    /// The text of a file, or of what stands for one, that lists items.
    pub(super) fn source(&mut self, file: &Arg) -> Stream {
        if let Some(printed) = self.process_output(file) {
            return printed;
        }
        self.path(Role::Read, file);
        self.world.content_of(file)
    }
}

/// The command, or `echo` in its place.
fn or_echo(command: &[Arg]) -> Vec<Arg> {
    if command.is_empty() { vec![Arg::exact("echo")] } else { command.to_vec() }
}

/// The format in which an input lists its items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemFormat {
    /// One a line, without the blanks before it.
    Lines,
    /// Between white space, with quotes that are taken away: what `xargs` expects by itself.
    QuotedWords,
    /// Each item ends with this character, and quotes in it mean nothing. With a NUL, so do line breaks.
    Delimited(char),
    /// The separator of items is not known.
    Unknown,
}

impl ItemFormat {
    /// The separator that the last of `-0` and `-d` chooses. `None`: neither is given.
    pub(super) fn given(arguments: &Arguments) -> Option<Self> {
        let said = |name: &str| matches!(name, "-0" | "--null" | "-d" | "--delimiter");
        let last = arguments.options.iter().rfind(|option| said(&option.name))?;
        Some(match last.name.as_str() {
            "-0" | "--null" => Self::Delimited('\0'),
            _ => last.value.as_ref().and_then(delimiter).map_or(Self::Unknown, Self::Delimited),
        })
    }
}

pub(super) fn items(input: &Stream, format: ItemFormat) -> Vec<Arg> {
    match input {
        Stream::Known(text) => {
            let split: Vec<Arg> = match format {
                ItemFormat::Unknown => return vec![Arg::unknown("items of standard input")],
                ItemFormat::Lines => {
                    text.lines().map(str::trim_start).filter(|line| !line.is_empty()).map(Arg::exact).collect()
                }
                ItemFormat::QuotedWords => {
                    text.split_whitespace().map(|word| Arg::exact(word.replace(['\'', '"', '\\'], ""))).collect()
                }
                ItemFormat::Delimited(delimiter) => {
                    let also = if delimiter == '\0' { '\n' } else { delimiter };
                    let items = text.split([delimiter, also]).map(|item| item.trim_end_matches('\n'));
                    items.filter(|item| !item.is_empty()).map(Arg::exact).collect()
                }
            };
            if split.len() > ITEMS { vec![Arg::unknown("items of standard input")] } else { split }
        }
        Stream::Names(names) => names.clone(),
        Stream::Foreign(provenance) => {
            vec![Arg { provenance: Some(*provenance), ..Arg::unknown("items of standard input") }]
        }
        Stream::Likely(_) | Stream::Unknown | Stream::Unconnected => vec![Arg::unknown("items of standard input")],
    }
}

/// The character that `-d` names, by itself or as C writes it: `,`, `\n`, `\012`, `\x0a`.
fn delimiter(word: &Arg) -> Option<char> {
    let text = unescaped(word.literal()?, Escapes::Printf);
    let mut letters = text.chars();
    match (letters.next(), letters.next()) {
        (None, _) => Some('\0'),
        (letter, None) => letter,
        _ => None,
    }
}

fn xargs_options() -> Entry {
    let mut entry = Entry { stops: true, ..Entry::named("xargs") };
    let value = OptionRole { role: Role::Value, attached: false };
    entry.options.insert("-a --arg-file -d --delimiter -E -I -J -R -L --max-lines -n --max-args -P --max-procs -s --max-chars --process-slot-var".into(), value);
    entry.options.insert("-i --replace -l -e --eof".into(), OptionRole { role: Role::Value, attached: true });
    entry
}

//! `parallel` and `hyperfine`: commands with marks that values replace.

use crate::command::argument::{Arg, Arguments};
use crate::command::knowledge::{Entry, Language, OptionRole, Role};
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::{About, Reason};

use super::Call;
use super::columns::{LONGEST, Separator, substituted};
use super::find::filled;
use super::several::{ITEMS, ItemFormat, items};

/// Parts of a value that a mark of `parallel` stands for: `{1.}` is the first value without its ending.
const PARTS: &[&str] = &["", ".", "/", "//", "/."];
const VALUES: &str = "-j --jobs -P --max-procs --process-slot-var -n --max-args -N --max-replace-args -L -I -d --delimiter \
-E --timeout --delay --sshdelay --ssh-delay --tmpdir --tempdir --retries --halt --halt-on-error --tagstring --tag-string \
--ctagstring --memfree --memsuspend --load --nice --workdir --wd --colsep -C --header --env --profile -J -s --max-chars \
-S --sshlogin -a --arg-file --arg-sep --argsep --arg-file-sep --argfilesep --block --block-size --block-timeout --bt \
--recstart --recend --group-by --groupby --shard --bin --trc --trim --parens --termseq --rsync-opts \
--semaphore-name --semaphorename --id --semaphore-timeout --semaphoretimeout --st --sql --sqlmaster --sqlworker \
--sqlandworker --minversion --parset";
/// Options without a value, whose names others begin with or other programs use for a value.
const FLAGS: &str = "--group --color --color-failed --cf --tag --ctag --semaphore --sem --transfer --tollef --compress";
/// Options that make further texts marks, whose values are not worked out.
const OTHER_MARKS: &[&str] = &[
    "--rpl",
    "--er",
    "--extensionreplace",
    "--bnr",
    "--basenamereplace",
    "--dnr",
    "--dirnamereplace",
    "--bner",
    "--basenameextensionreplace",
    "--seqreplace",
];
/// A value whose columns are not known counts as this many unknown columns.
const COLUMNS: usize = 9;

/// The values that one run of the command gets.
type Row = Vec<Arg>;

/// The values of all runs, and the names that marks may use for them.
#[derive(Debug, Default)]
struct Table {
    names: Vec<String>,
    rows: Vec<Row>,
}

/// The values of each source.
#[derive(Debug)]
struct Columns {
    values: Vec<Vec<Arg>>,
    /// Values at the same place belong together.
    linked: bool,
}

/// The kind of a source of values: `:::` or `::::`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    Values,
    /// Files that list values.
    Files,
}

/// The words that start sources; `+` behind one links the source to the one before.
#[derive(Debug)]
struct SourceMarks {
    values: String,
    files: String,
}

impl SourceMarks {
    fn new(arguments: &Arguments) -> Self {
        let chosen = |names: &[&str], usual: &str| {
            arguments.values(names).next().map_or(usual, |word| word.text.as_str()).to_owned()
        };
        Self {
            values: chosen(&["--arg-sep", "--argsep"], ":::"),
            files: chosen(&["--arg-file-sep", "--argfilesep"], "::::"),
        }
    }

    fn source(&self, word: &Arg) -> Option<Source> {
        let text = word.literal()?;
        let is = |mark: &str| text.strip_prefix(mark).is_some_and(|rest| matches!(rest, "" | "+"));
        match (is(&self.values), is(&self.files)) {
            (true, _) => Some(Source::Values),
            (_, true) => Some(Source::Files),
            _ => None,
        }
    }
}

/// The marks of a command of `parallel`, which values replace.
#[derive(Debug)]
struct Marks {
    /// The mark that `parallel` replaces with the whole value.
    whole: String,
    /// Names of columns.
    names: Vec<String>,
    /// Marks whose values this module does not compute.
    computed: Vec<String>,
}

impl Marks {
    fn new(arguments: &Arguments, names: Vec<String>) -> Self {
        let whole = arguments.values(&["-I"]).next().map_or("{}", |word| word.text.as_str()).to_owned();
        let others = arguments.values(OTHER_MARKS).filter_map(|word| word.text.split_whitespace().next());
        Self { whole, names, computed: others.map(str::to_owned).collect() }
    }

    /// Returns every mark that `parallel` replaces with column `at` of `count`, or with the `part` of it: `{1}`, `{-1}`,
    /// `{NAME}`.
    fn of_column(&self, at: usize, count: usize, part: &str) -> Vec<String> {
        let numbers = [format!("{{{}{part}}}", at + 1), format!("{{-{}{part}}}", count - at)];
        numbers.into_iter().chain(self.names.get(at).map(|name| format!("{{{name}{part}}}"))).collect()
    }

    fn is_computed(&self, word: &Arg) -> bool {
        word.text.contains("{=") || self.computed.iter().any(|mark| word.text.contains(mark.as_str()))
    }

    /// Replaces each `{= PROGRAM =}` with what the program makes of the value. The word is unknown where a program can't be
    /// evaluated.
    fn computed_from(&self, word: &Arg, row: &[Arg]) -> Arg {
        let is_known = word.is_exact() && row.iter().all(Arg::is_exact);
        let others = self.computed.iter().any(|mark| word.text.contains(mark.as_str()));
        let text = computed_text(&word.text, row).filter(|_| is_known && !others);
        text.map_or_else(|| Arg::unknown(&word.text), |text| word.with(text))
    }

    fn is_in(&self, word: &Arg) -> bool {
        let named = |name: &String| PARTS.iter().any(|part| word.text.contains(&format!("{{{name}{part}}}")));
        has_mark(&word.text, &self.whole) || self.is_computed(word) || self.names.iter().any(named)
    }
}

impl Machine<'_> {
    pub(super) fn parallel(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(&parallel_options(call.name), call.rest);
        let cwd = self.world.cwd().map(str::to_owned);
        self.options(&arguments, io);
        for host in arguments.values(&["-S", "--sshlogin"]) {
            self.connect_host(host, Some(22), Some("ssh"));
        }
        let starts = SourceMarks::new(&arguments);
        let end = arguments.operands.iter().position(|word| starts.source(word).is_some());
        let end = end.unwrap_or(arguments.operands.len());
        let (command, sources) = arguments.operands.split_at_checked(end).unwrap_or((&arguments.operands, &[]));
        let columns = self.columns(&arguments, &starts, sources, io);
        let Table { names, rows } = self.table(&arguments, columns);
        for directory in arguments.values(&["--workdir", "--wd"]) {
            self.world.enter_word(directory);
        }
        // Parts of the input are the input of each run.
        let pipes = arguments.has(&["--pipe", "--pipe-part", "--pipepart", "--spreadstdin"]) && !command.is_empty();
        if pipes && sources.is_empty() {
            self.joined(command, io);
        } else {
            let input = if pipes { io.input.clone() } else { Stream::nothing() };
            let mut inner = Io { scope: &mut *io.scope, input: &input };
            self.each_row(command, &Marks::new(&arguments, names), &rows, &mut inner);
        }
        self.world.set_cwd(cwd);
        Stream::Unknown
    }

    /// Runs the command once for each row; without a command, each value is one.
    fn each_row(&mut self, command: &[Arg], marks: &Marks, rows: &[Row], io: &mut Io<'_>) {
        if command.is_empty() {
            for value in rows.iter().flatten() {
                self.command_text(value, io);
            }
            return;
        }
        for word in command.iter().filter(|word| word.text.contains("{=")) {
            self.mark_program(word, io);
        }
        let has_mark = command.iter().any(|word| marks.is_in(word));
        for row in rows {
            let Some(mut words) = self.row_words(command, marks, row) else { break };
            if !has_mark {
                words.extend(row.iter().cloned());
            }
            self.joined(&words, io);
        }
    }

    /// `{= s/a/b/ =}`: a program in Perl, run on the value. A program that can't be evaluated may give one of the texts in it.
    fn mark_program(&mut self, word: &Arg, io: &mut Io<'_>) {
        for part in self.at_most(ITEMS, word.text.split("{=").skip(1)) {
            let text = part.split("=}").next().unwrap_or(part);
            let program = word.with(text.trim_start_matches(|letter: char| letter.is_ascii_digit()));
            self.code_argument(Language::Perl, &program, io);
            if substituted(&program.text, "").is_none() {
                let texts =
                    program.text.split(|letter: char| letter.is_whitespace() || "\"'(){}[],;=|!#".contains(letter));
                for text in self.at_most(ITEMS, texts.filter(|text| !text.is_empty())) {
                    self.possible_operand(&program.with(text));
                }
            }
        }
    }

    /// The values for each run.
    fn table(&mut self, arguments: &Arguments, mut columns: Columns) -> Table {
        let header = arguments.values(&["--header"]).next();
        let first = |column: &Vec<Arg>| column.first().and_then(Arg::literal).map(str::to_owned);
        let mut names: Vec<String> =
            header.map(|_| columns.values.iter().filter_map(first).collect()).unwrap_or_default();
        // Another pattern may match less than the first line.
        if header.is_some_and(|pattern| matches!(pattern.literal(), Some(":" | ".*\\n"))) {
            columns.values.iter_mut().filter(|column| !column.is_empty()).for_each(|column| {
                column.remove(0);
            });
        }
        let count = columns.values.len();
        let Some(mut rows) = combined(&columns) else {
            self.opaque(About::Anything, Reason::TooManyItems, &[]);
            return Table { names, rows: vec![vec![Arg::unknown("{}"); count]] };
        };
        if let Some(separator) = arguments.values(&["--colsep", "-C"]).next() {
            let divided = |row: &Row| row.iter().flat_map(|value| split(value, separator)).collect();
            rows = rows.iter().map(divided).collect();
            let divided = names.iter().flat_map(|name| split(&Arg::exact(name), separator));
            names = divided.map(|name| name.text).collect();
        }
        // Marks of further columns are not filled in.
        names = self.at_most(ITEMS, names.into_iter());
        if rows.iter().any(|row| row.len() > ITEMS) {
            self.opaque(About::Anything, Reason::TooManyItems, &[]);
        }
        let together = arguments.values(&["-N", "-n", "--max-args", "--max-replace-args"]);
        let mut together = together.filter_map(|count| count.text.parse::<usize>().ok());
        if let Some(count) = together.next().filter(|count| *count > 1 && rows.iter().all(|row| row.len() == 1)) {
            rows = rows.chunks(count).map(<[Row]>::concat).collect();
        }
        Table { names, rows }
    }

    /// The values of each source.
    fn columns(&mut self, arguments: &Arguments, starts: &SourceMarks, sources: &[Arg], io: &Io<'_>) -> Columns {
        let format = ItemFormat::given(arguments).unwrap_or(ItemFormat::Lines);
        let mut columns: Vec<Vec<Arg>> = Vec::new();
        for file in arguments.values(&["-a", "--arg-file"]) {
            columns.push(items(&self.source(file), format));
        }
        let mut linked = arguments.has(&["--link", "--xapply"]);
        let mut kind = Source::Values;
        for word in sources {
            if let Some(started) = starts.source(word) {
                linked |= word.text.ends_with('+');
                kind = started;
                columns.push(Vec::new());
                continue;
            }
            let listed = match kind {
                Source::Values => vec![word.clone()],
                Source::Files => items(&self.source(word), format),
            };
            columns.last_mut().unwrap_or(&mut Vec::new()).extend(listed);
        }
        if columns.is_empty() {
            columns.push(items(io.input, format));
        }
        Columns { values: columns, linked }
    }

    /// The words of the command with the values in the place of its marks; `None`: they ask for too much work.
    fn row_words(&mut self, command: &[Arg], marks: &Marks, row: &[Arg]) -> Option<Vec<Arg>> {
        let mut words = Vec::with_capacity(command.len());
        for word in command {
            if word.text == marks.whole {
                words.extend(row.iter().cloned());
            } else if marks.is_computed(word) {
                words.push(marks.computed_from(word, row));
            } else {
                words.push(word.clone());
            }
        }
        let all = joined(row);
        for part in PARTS {
            let name = if part.is_empty() { marks.whole.clone() } else { format!("{{{part}}}") };
            words = self.filled_words(&words, &name, &part_of(&all, part))?;
            for (at, value) in row.iter().enumerate().take(ITEMS) {
                for mark in marks.of_column(at, row.len(), part) {
                    words = self.filled_words(&words, &mark, &part_of(value, part))?;
                }
            }
        }
        Some(words.iter().map(|word| filled(word, "{#}", &Arg::exact("1"))).collect())
    }

    /// `hyperfine -L NAME VALUES 'COMMAND {NAME}'`
    pub(super) fn hyperfine(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let mut rest: Vec<Arg> = Vec::new();
        let mut parameters: Vec<(String, Vec<Arg>)> = Vec::new();
        let mut left = call.rest.iter();
        while let Some(word) = left.next() {
            let listed = matches!(word.literal(), Some("-L" | "--parameter-list"));
            if !listed && !matches!(word.literal(), Some("-P" | "--parameter-scan")) {
                rest.push(word.clone());
                continue;
            }
            let (Some(name), Some(values)) = (left.next(), left.next()) else { break };
            if !listed {
                left.next();
            }
            parameters.push((format!("{{{}}}", name.text), split(values, &Arg::exact(","))));
        }
        let names: Vec<String> = parameters.iter().map(|(name, _)| name.clone()).collect();
        let Some(rows) =
            combined(&Columns { values: parameters.into_iter().map(|(_, values)| values).collect(), linked: false })
        else {
            self.opaque(About::Anything, Reason::TooManyItems, &[]);
            return Stream::Unknown;
        };
        for row in &rows {
            let mut words = Some(rest.clone());
            for (name, value) in names.iter().zip(row) {
                words = words.and_then(|words| self.filled_words(&words, name, value));
            }
            let Some(words) = words else { break };
            self.given(call.entry, call.words, &Arguments::divide(call.entry, &words), io);
        }
        Stream::Unknown
    }
}

fn parallel_options(name: &str) -> Entry {
    let mut entry = Entry { stops: true, ..Entry::named(name) };
    let mut option = |names: &'static str, role| {
        entry.options.insert(names.into(), OptionRole { role, attached: false });
    };
    option(VALUES, Role::Value);
    option(FLAGS, Role::Harmless);
    for name in OTHER_MARKS {
        option(name, Role::Value);
    }
    option("--joblog", Role::Write);
    option("--results --res --return", Role::WriteTree);
    option("--sshloginfile --slf --basefile --bf --transferfile --tf", Role::Read);
    option("--limit", Role::Command);
    option("--ssh --compress-program --compressprogram --decompress-program --decompressprogram", Role::Program);
    option("--filter", Role::Code);
    option("--rpl", Role::Code);
    entry
}

/// Every combination of the values, or one row for each place in all lists; `None`: too many.
fn combined(Columns { values: columns, linked }: &Columns) -> Option<Vec<Row>> {
    if *linked {
        let longest = columns.iter().map(Vec::len).max().unwrap_or(0);
        let at = |index: usize, column: &Vec<Arg>| column.get(index.checked_rem(column.len())?).cloned();
        let rows = (0..longest).map(|index| columns.iter().filter_map(|column| at(index, column)).collect());
        return (longest <= ITEMS).then(|| rows.collect());
    }
    let mut rows: Vec<Row> = vec![Row::new()];
    for column in columns {
        if rows.len().saturating_mul(column.len()) > ITEMS {
            return None;
        }
        rows = rows
            .iter()
            .flat_map(|row| column.iter().map(|value| [row.as_slice(), std::slice::from_ref(value)].concat()))
            .collect();
    }
    Some(rows)
}

/// The columns of a value, between the matches of a pattern.
fn split(value: &Arg, separator: &Arg) -> Vec<Arg> {
    match separator.literal().and_then(Separator::new).filter(|_| value.is_exact()) {
        Some(separator) => separator.split(&value.text).into_iter().map(|column| value.with(column)).collect(),
        None => vec![Arg::unknown(&value.text); COLUMNS],
    }
}

/// The text with what `{= s/a/b/ =}` and `{=2 s/a/b/ =}` make of the values; `None`: a program does something else.
fn computed_text(text: &str, row: &[Arg]) -> Option<String> {
    let mut parts = text.split("{=");
    let mut text = parts.next()?.to_owned();
    for part in parts {
        let (program, after) = part.split_once("=}")?;
        let program_text = program.trim_start_matches(|letter: char| letter.is_ascii_digit());
        let (number, _) = program.split_at_checked(program.len() - program_text.len())?;
        let values = match number {
            "" => row,
            _ if !program_text.starts_with(' ') => return None,
            number => std::slice::from_ref(row.get(number.parse::<usize>().ok()?.checked_sub(1)?)?),
        };
        let made: Option<Vec<String>> = values.iter().map(|value| substituted(program_text, &value.text)).collect();
        text.push_str(&made?.join(" "));
        text.push_str(after);
        if text.len() > LONGEST {
            return None;
        }
    }
    Some(text)
}

fn joined(row: &[Arg]) -> Arg {
    match row {
        [value] => value.clone(),
        values if values.iter().all(Arg::is_exact) => {
            Arg::exact(values.iter().map(|value| value.text.as_str()).collect::<Vec<_>>().join(" "))
        }
        _ => Arg::unknown("{}"),
    }
}

/// What `{.}`, `{/}`, `{//}` and `{/.}` leave of a value.
fn part_of(value: &Arg, part: &str) -> Arg {
    if !value.is_exact() {
        return value.clone();
    }
    let (directory, name) = value.text.rsplit_once('/').unwrap_or((".", &value.text));
    let whole = if part == "." { value.text.as_str() } else { name };
    let stem = match whole.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() && !ending.contains('/') => stem,
        _ => whole,
    };
    match part {
        "." | "/." => value.with(stem),
        "/" => value.with(name),
        "//" => value.with(directory),
        _ => value.clone(),
    }
}

/// The text holds a mark that values replace.
fn has_mark(text: &str, mark: &str) -> bool {
    let is_mark = |inner: &str| {
        let part = inner.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '-');
        PARTS.contains(&part) || inner.starts_with('=')
    };
    text.contains(mark)
        || text.match_indices('{').any(|(at, _)| {
            let behind = text.get(at + 1..).unwrap_or_default();
            behind.split_once('}').is_some_and(|(inner, _)| is_mark(inner))
        })
}

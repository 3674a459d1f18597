//! `parallel` and `hyperfine`: commands with marks that values replace.

use crate::command::argument::{Arg, Arguments};
use crate::command::knowledge::{Entry, OptionRole, Role};
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::{About, Reason};

use super::Call;
use super::find::filled;
use super::several::{ITEMS, ItemFormat, items};

/// Parts of a value that a mark of `parallel` stands for: `{1.}` is the first value without its ending.
const PARTS: &[&str] = &["", ".", "/", "//", "/."];
const VALUES: &str = "-j --jobs -n --max-args -N -L -I -d --delimiter --timeout --delay --tmpdir --retries --halt \
--tagstring --memfree --load --workdir --wd --colsep -C --env --profile -J -s --max-chars -S --sshlogin -a --arg-file";

/// The values that one run of the command gets.
type Row = Vec<Arg>;

impl Machine<'_> {
    pub(super) fn parallel(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(&parallel_options(call.name), call.rest);
        self.options(&arguments, io);
        let is_mark = |word: &Arg| matches!(word.literal(), Some(":::" | "::::" | ":::+" | "::::+"));
        let end = arguments.operands.iter().position(is_mark).unwrap_or(arguments.operands.len());
        let (command, sources) = arguments.operands.split_at_checked(end).unwrap_or((&arguments.operands, &[]));
        for host in arguments.values(&["-S", "--sshlogin"]) {
            self.connect_host(host, Some(22), Some("ssh"));
        }
        let rows = self.rows(&arguments, sources, io);
        let inner_input = Stream::nothing();
        let mut inner = Io { scope: &mut *io.scope, input: &inner_input };
        if command.is_empty() {
            for value in rows.iter().flatten() {
                self.command_text(value, &mut inner);
            }
            return Stream::Unknown;
        }
        let mark = arguments.values(&["-I"]).next().map_or("{}", |word| word.text.as_str());
        let has_mark = command.iter().any(|word| has_mark(&word.text, mark));
        for row in &rows {
            let Some(mut words) = self.row_words(command, mark, row) else { break };
            if !has_mark {
                words.extend(row.iter().cloned());
            }
            self.joined(&words, &mut inner);
        }
        Stream::Unknown
    }

    /// The values for each run.
    fn rows(&mut self, arguments: &Arguments, sources: &[Arg], io: &Io<'_>) -> Vec<Row> {
        let mut columns: Vec<Vec<Arg>> = Vec::new();
        for file in arguments.values(&["-a", "--arg-file"]) {
            columns.push(items(&self.source(file), ItemFormat::Lines));
        }
        let mut linked = arguments.has(&["--link", "--xapply"]);
        let mut files = false;
        for word in sources {
            match word.literal() {
                Some(mark @ (":::" | ":::+" | "::::" | "::::+")) => {
                    linked |= mark.ends_with('+');
                    files = mark.starts_with("::::");
                    columns.push(Vec::new());
                }
                _ if files => {
                    let listed = items(&self.source(word), ItemFormat::Lines);
                    columns.last_mut().unwrap_or(&mut Vec::new()).extend(listed);
                }
                _ => columns.last_mut().unwrap_or(&mut Vec::new()).push(word.clone()),
            }
        }
        if columns.is_empty() {
            columns.push(items(io.input, ItemFormat::Lines));
        }
        let count = columns.len();
        let Some(mut rows) = combined(&columns, linked) else {
            self.opaque(About::Anything, Reason::TooManyItems, &[]);
            return vec![vec![Arg::unknown("{}"); count]];
        };
        if let Some(separator) = arguments.values(&["--colsep", "-C"]).next() {
            rows = rows
                .into_iter()
                .map(|row| row.iter().flat_map(|value| split(value, &separator.text)).collect())
                .collect();
        }
        let together = arguments.values(&["-N", "-n", "--max-args"]).find_map(|count| count.text.parse::<usize>().ok());
        match together.filter(|count| *count > 1 && rows.iter().all(|row| row.len() == 1)) {
            Some(count) => rows.chunks(count).map(<[Row]>::concat).collect(),
            None => rows,
        }
    }

    /// The words of the command with the values in the place of its marks; `None`: they ask for too much work.
    fn row_words(&mut self, command: &[Arg], mark: &str, row: &[Arg]) -> Option<Vec<Arg>> {
        let mut words = Vec::with_capacity(command.len());
        for word in command {
            if word.text == mark {
                words.extend(row.iter().cloned());
            } else {
                words.push(word.clone());
            }
        }
        let all = joined(row);
        for part in PARTS {
            let name = if part.is_empty() { mark.to_owned() } else { format!("{{{part}}}") };
            words = self.filled_words(&words, &name, &part_of(&all, part))?;
            for (at, value) in row.iter().enumerate().take(ITEMS) {
                words = self.filled_words(&words, &format!("{{{}{part}}}", at + 1), &part_of(value, part))?;
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
            parameters.push((format!("{{{}}}", name.text), split(values, ",")));
        }
        let names: Vec<String> = parameters.iter().map(|(name, _)| name.clone()).collect();
        let Some(rows) = combined(&parameters.into_iter().map(|(_, values)| values).collect::<Vec<_>>(), false) else {
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
    option("--joblog", Role::Write);
    option("--results --return", Role::WriteTree);
    option("--sshloginfile --slf --basefile --bf --transferfile --tf", Role::Read);
    entry
}

/// Every combination of the values, or one row for each place in all lists; `None`: too many.
fn combined(columns: &[Vec<Arg>], linked: bool) -> Option<Vec<Row>> {
    if linked {
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

/// The columns of a value.
fn split(value: &Arg, separator: &str) -> Vec<Arg> {
    let separator = separator.trim_start_matches('\\');
    let separator = if separator == "t" { "\t" } else { separator };
    if separator.is_empty() || !value.is_exact() {
        return vec![value.clone()];
    }
    value.text.split(separator).map(|column| value.with(column)).collect()
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

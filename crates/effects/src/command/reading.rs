//! Builtins that put text into variables: `read`, `mapfile`, `printf -v`.

use crate::{About, Reason};
use agent_strace_shell::{AssignmentOperator, Node, Scope, Script, Value, Word};

use super::argument::Arg;
use super::context::Context;
use super::knowledge::Role;
use super::machine::{Launch, Machine};
use super::simple::Io;
use super::stream::Stream;

/// A loop over more lines than this is walked once with variables that are not known.
const LINES: usize = 64;

/// Options and names of `read` and `mapfile`.
#[derive(Debug, Default)]
struct Request<'a> {
    names: Vec<&'a Arg>,
    /// `read -a NAME`
    array: Option<&'a Arg>,
    /// `read -r`, `mapfile -t`
    raw: bool,
    strips: bool,
    /// `-n 5` and the like: the text that is read is not known.
    unusual: bool,
    /// `-d ''`: all of the text is one line.
    whole: bool,
    /// `-d :`: the character ends a line instead of a newline.
    delimiter: Option<char>,
    /// `-u 3`: the path of the descriptor that is read instead of standard input.
    descriptor: Option<String>,
    callback: Option<&'a Arg>,
}

impl<'a> Request<'a> {
    fn new(words: &'a [Arg]) -> Self {
        let mut request = Self::default();
        let is_read = words.first().is_some_and(|name| name.text == "read");
        let mut left = words.iter().skip(1);
        while let Some(word) = left.next() {
            let Some(flags) = word.literal().and_then(|text| text.strip_prefix('-')).filter(|text| !text.is_empty())
            else {
                request.names.push(word);
                continue;
            };
            for (at, flag) in flags.char_indices() {
                match flag {
                    'r' => request.raw = true,
                    't' if !is_read => request.strips = true,
                    'e' | 's' if is_read => {}
                    _ => {
                        let attached = flags.get(at + 1..).unwrap_or_default();
                        let value = if attached.is_empty() { left.next() } else { None };
                        request.option(flag, attached, value);
                        break;
                    }
                }
            }
        }
        request
    }

    fn option(&mut self, flag: char, attached: &str, value: Option<&'a Arg>) {
        match flag {
            'a' => self.array = value,
            'C' => self.callback = value,
            'd' if attached.is_empty() && value.is_some_and(|value| value.literal() == Some("")) => self.whole = true,
            'd' => {
                let text = Some(attached).filter(|text| !text.is_empty()).or_else(|| value.and_then(Arg::literal));
                self.delimiter = text.and_then(|text| text.chars().next());
                self.unusual |= self.delimiter.is_none();
            }
            'u' => {
                let text = Some(attached).filter(|text| !text.is_empty()).or_else(|| value.and_then(Arg::literal));
                self.descriptor = text.map(|number| format!("/dev/fd/{number}"));
                self.unusual |= self.descriptor.is_none();
            }
            'p' | 'i' | 't' | 'c' => {}
            _ => self.unusual = true,
        }
    }
}

impl Machine<'_> {
    /// `read NAME…`
    pub(super) fn read_line(&mut self, words: &[Arg], io: &mut Io<'_>) {
        self.execute(words, Launch::Inert);
        let request = Request::new(words);
        let other = self.other_input(&request);
        let is_own = other.is_none();
        let io = &mut Io { scope: &mut *io.scope, input: other.as_ref().unwrap_or(io.input) };
        let line = match io.input {
            Stream::Known(text) | Stream::Likely(text) if !request.unusual => {
                let text = match request.delimiter {
                    _ if request.whole => text.as_str(),
                    Some(delimiter) => text.split(delimiter).next().unwrap_or_default(),
                    None => text.lines().next().unwrap_or_default(),
                };
                (request.raw || !text.contains('\\')).then(|| text.to_owned())
            }
            _ => None,
        };
        // Somebody may have read the first line before, unless the input was opened for this command.
        let certain = is_own && self.context.fresh_input && matches!(io.input, Stream::Known(_));
        let listed = if request.unusual { None } else { io.input.matching() };
        if let Some(array) = request.array {
            let fields = line.map(|line| split(&line, &io.scope.separators(), usize::MAX));
            assign_array(io.scope, array, fields.filter(|_| certain));
            return;
        }
        let name = |word: &Arg| word.literal().map(str::to_owned);
        let names: Option<Vec<String>> = request.names.iter().map(|word| name(word)).collect();
        let Some(names) = names else { return io.scope.forget_all() };
        let (names, fields) = match (names.is_empty(), line) {
            (true, line) => (vec!["REPLY".to_owned()], line.map(|line| vec![line])),
            (false, line) => {
                let fields = line.map(|line| split(&line, &io.scope.separators(), names.len()));
                (names, fields)
            }
        };
        let unknown = match io.input {
            Stream::Foreign(provenance) => Value::foreign(*provenance),
            _ => Value::unknown(),
        };
        for (at, name) in names.iter().enumerate() {
            let value = match (&fields, &listed) {
                (Some(fields), _) => {
                    let text = fields.get(at).map_or("", String::as_str);
                    if certain { Value::known(text) } else { Value::likely(text) }
                }
                (None, Some(listed)) if names.len() == 1 => listed.clone(),
                _ => unknown.clone(),
            };
            put(io.scope, name, value);
        }
    }

    /// Returns the text that is read instead of standard input.
    fn other_input(&self, request: &Request<'_>) -> Option<Stream> {
        let path = request.descriptor.as_deref()?;
        Some(self.process_output(&Arg::exact(path)).unwrap_or(Stream::Unknown))
    }

    /// `mapfile NAME`, `readarray NAME`
    pub(super) fn read_lines(&mut self, words: &[Arg], io: &mut Io<'_>) {
        self.execute(words, Launch::Inert);
        let request = Request::new(words);
        if let Some(callback) = request.callback {
            self.command_text(callback, io);
        }
        let is_plain = request.descriptor.is_none() && !request.unusual && !request.whole;
        let end = request.delimiter.unwrap_or('\n');
        let stripped = |line: &str| line.strip_suffix(end).map(str::to_owned);
        let lines = match io.input {
            Stream::Known(text) if self.context.fresh_input && is_plain => Some(
                text.split_inclusive(end)
                    .map(|line| stripped(line).filter(|_| request.strips).unwrap_or_else(|| line.to_owned()))
                    .collect(),
            ),
            _ => None,
        };
        let default = Arg::exact("MAPFILE");
        let array = request.names.first().copied().unwrap_or(&default);
        assign_array(io.scope, array, lines);
    }

    /// `[[ TEXT =~ REGEX ]]` leaves the text that its group matched.
    pub(super) fn matched(words: &[Word], values: &[Arg], scope: &mut Scope) {
        let Some(at) = words.iter().position(|word| word.source == "=~") else { return };
        let side = |at: Option<usize>| at.and_then(|at| values.get(at)).and_then(Arg::literal);
        let (text, regex) = (side(at.checked_sub(1)), side(at.checked_add(1)));
        let captured = text.zip(regex).and_then(|(text, regex)| Some((text, captured(text, regex)?)));
        match captured {
            Some((text, group)) => {
                let values = vec![Value::likely(text), Value::likely(group)];
                scope.assign_array("BASH_REMATCH", values, AssignmentOperator::Set);
            }
            None => assign_array(scope, &Arg::exact("BASH_REMATCH"), None),
        }
    }

    /// `printf -v NAME FORMAT…` after the text is worked out.
    pub(super) fn print_to(words: &[Arg], io: &mut Io<'_>) {
        let [_, _, name, format @ ..] = words else { return };
        let value = match Self::printed(format) {
            Stream::Known(text) => Value::known(text),
            Stream::Likely(text) => Value::likely(text),
            _ => Value::unknown(),
        };
        match name.literal() {
            Some(name) => put(io.scope, name, value),
            None => io.scope.forget_all(),
        }
    }

    /// `while read NAME; do …; done` over text that is known: each line in turn. `None`: not such a loop.
    pub(super) fn loop_over_lines(
        &mut self,
        condition: &Script,
        body: &Script,
        scope: &mut Scope,
        input: &Stream,
    ) -> Option<Stream> {
        let (Stream::Known(text) | Stream::Likely(text)) = input else { return None };
        let is_read = match condition.nodes.as_slice() {
            [Node::Simple(simple)] => {
                let plain = ["-u", "-d", "-n", "-N"];
                simple.words.first().is_some_and(|word| word.source == "read")
                    && !simple.words.iter().any(|word| plain.iter().any(|option| word.source.starts_with(option)))
                    && simple.redirects.is_empty()
            }
            _ => false,
        };
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        if !is_read || lines.len() > LINES || lines.is_empty() {
            return None;
        }
        let certain = matches!(input, Stream::Known(_));
        let mut output = Stream::nothing();
        for (at, line) in lines.iter().enumerate() {
            let rest = Stream::of(lines.get(at + 1..).unwrap_or_default().concat());
            // The body may read lines, too; then these are not the ones that the loop sees.
            let line = Stream::of((*line).to_owned());
            let line = if certain && at == 0 { line } else { line.doubted() };
            let condition_reads = matches!(line, Stream::Known(_));
            self.with(Context { condition_reads, ..self.context }).script(condition, scope, &line);
            let rest = if certain && at == 0 { rest } else { rest.doubted() };
            output = output.then(self.script(body, scope, &rest));
        }
        Some(output)
    }

    /// Builtins whose operands are commands or change what names stand for.
    pub(super) fn unusual_builtin(&mut self, name: &str, words: &[Arg], io: &mut Io<'_>) {
        self.execute(words, if name == "enable" { Launch::Plain } else { Launch::Inert });
        let value = |flag: &str| words.windows(2).find(|pair| pair.iter().next().is_some_and(|word| word.text == flag));
        match name {
            "compgen" | "complete" => {
                if let Some([_, command]) = value("-C") {
                    let command = command.clone();
                    self.command_text(&command, io);
                }
                if let Some([_, function]) = value("-F").filter(|_| name == "compgen") {
                    self.command(std::slice::from_ref(function), io);
                }
                if let Some([_, text]) = value("-W").filter(|_| name == "compgen")
                    && let Some(text) = text.literal()
                {
                    agent_strace_shell::evaluate(text, io.scope, self);
                }
            }
            "bind" => {
                if let Some([_, binding]) = value("-x") {
                    let command = binding.after(':').map_or_else(|| binding.clone(), |(_, command)| command);
                    self.command_text(&command, io);
                }
                if let Some([_, file]) = value("-f") {
                    self.path(Role::Read, file);
                }
            }
            "enable" if words.iter().any(|word| word.text.starts_with("-f")) => {
                self.opaque(About::Anything, Reason::LoadsBuiltin, &[]);
            }
            "hash" => {
                if let [_, _, path, name, ..] = words
                    && value("-p").is_some()
                {
                    self.found_at(&name.text, &path.text, io.scope);
                }
            }
            "fc" if !words.iter().any(|word| matches!(word.literal(), Some("-l" | "-ln" | "-nl"))) => {
                self.opaque(About::Anything, Reason::History, &[]);
                if let Some([_, editor]) = value("-e") {
                    let editor = editor.clone();
                    self.command_text(&editor, io);
                }
            }
            _ => {}
        }
    }
}

impl Machine<'_> {
    /// The shell runs the program at `path` where `name` stands (`hash -p`, `BASH_CMDS[name]=path`).
    pub(super) fn found_at(&mut self, name: &str, path: &str, scope: &mut Scope) {
        let home = agent_strace_shell::Home::Within(self.context.span);
        let body = agent_strace_shell::parse_at(&format!("{path} \"$@\""), home);
        scope.define(name, std::sync::Arc::new(body));
    }
}

/// `name` or `name[key]` gets a value.
fn put(scope: &mut Scope, name: &str, value: Value) {
    match name.strip_suffix(']').and_then(|text| text.split_once('[')) {
        Some((array, key)) => scope.assign_element(array, Some(key), value),
        None => scope.assign(name, value),
    }
}

/// Returns the text that the only group of a regular expression matches, if plain text stands before and behind it.
fn captured<'t>(text: &'t str, regex: &str) -> Option<&'t str> {
    let (before, rest) = regex.split_once('(')?;
    let (group, behind) = rest.split_once(')')?;
    let (before, behind) = (before.trim_start_matches('^'), behind.trim_end_matches('$'));
    let is_plain = |text: &str| !text.contains(['.', '*', '+', '?', '[', '(', '{', '|', '\\', '^', '$']);
    if !is_plain(before) || !is_plain(behind) || group.contains('(') {
        return None;
    }
    let start = text.find(before)? + before.len();
    let rest = text.get(start..)?;
    let end = if behind.is_empty() { rest.len() } else { rest.rfind(behind)? };
    rest.get(..end)
}

fn assign_array(scope: &mut Scope, name: &Arg, elements: Option<Vec<String>>) {
    match (name.literal(), elements) {
        (Some(name), Some(elements)) => {
            scope.assign_array(name, elements.into_iter().map(Value::known).collect(), AssignmentOperator::Set);
        }
        (Some(name), None) => {
            scope.assign_array(name, Vec::new(), AssignmentOperator::Set);
            scope.assign_element(name, None, Value::unknown());
        }
        (None, _) => scope.forget_all(),
    }
}

/// Fields of a line; the last of `count` holds all that is left.
fn split(line: &str, separators: &str, count: usize) -> Vec<String> {
    let is_blank = |c: char| c.is_ascii_whitespace() && separators.contains(c);
    let mut fields = Vec::new();
    let mut left = line.trim_start_matches(is_blank);
    while !left.is_empty() {
        if fields.len() + 1 == count {
            fields.push(left.trim_end_matches(is_blank).to_owned());
            break;
        }
        let end = left.find(|c| separators.contains(c)).unwrap_or(left.len());
        let (field, rest) = left.split_at_checked(end).unwrap_or((left, ""));
        fields.push(field.to_owned());
        let rest = rest.trim_start_matches(is_blank);
        let mark = rest.chars().next().filter(|c| separators.contains(*c));
        left = mark.map_or(rest, |mark| rest.get(mark.len_utf8()..).unwrap_or_default().trim_start_matches(is_blank));
    }
    fields
}

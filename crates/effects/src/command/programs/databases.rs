//! Works out what database programs touch: the files of `sqlite3` and `duckdb`, statements that reach for other files, and clients of servers.

use crate::command::argument::{Arg, Arguments};
use crate::command::knowledge::{Entry, OptionRole, Role};
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::{About, Reason};

use super::{Call, sql};

/// Options of clients that take statements.
const STATEMENTS: &[&str] = &["-c", "--command", "-e", "--execute", "-q", "--query", "--eval"];

/// Clients whose operands are one command, or start with one.
const KEY_CLIENTS: &[&str] = &["keydb-cli", "redis-cli", "valkey-cli"];

/// Commands of those that change nothing, and run nothing. A line of two words holds for that subcommand alone.
const KEY_READS: &[&str] = &[
    "bitcount",
    "client getname",
    "client id",
    "client info",
    "client list",
    "command",
    "config get",
    "dbsize",
    "echo",
    "exists",
    "get",
    "getrange",
    "hexists",
    "hget",
    "hgetall",
    "hkeys",
    "hlen",
    "hmget",
    "hscan",
    "hvals",
    "info",
    "keys",
    "lastsave",
    "latency history",
    "latency latest",
    "lindex",
    "llen",
    "lrange",
    "memory stats",
    "memory usage",
    "mget",
    "object encoding",
    "object freq",
    "object idletime",
    "ping",
    "pttl",
    "pubsub channels",
    "randomkey",
    "role",
    "scan",
    "scard",
    "sismember",
    "slowlog get",
    "slowlog len",
    "smembers",
    "sscan",
    "strlen",
    "time",
    "ttl",
    "type",
    "xinfo stream",
    "xlen",
    "xrange",
    "xrevrange",
    "zcard",
    "zcount",
    "zrange",
    "zrank",
    "zrevrange",
    "zscan",
    "zscore",
];

/// Options of those with which they do more than send the command.
const KEY_ACTS: &[&str] = &["--cluster", "--eval", "--functions-rdb", "--pipe", "--rdb", "-X", "-x"];

/// Clients that send the text of an option as SQL.
const SQL_CLIENTS: &[&str] = &["mariadb", "mysql", "psql"];

impl Machine<'_> {
    pub(super) fn sqlite(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let mut entry = Entry { words: true, ..Entry::named(call.name) };
        let mut option = |names: &'static str, role| {
            entry.options.insert(names.into(), OptionRole { role, attached: false });
        };
        option("-cmd --cmd -c -s", Role::Value);
        option("-init --init -f -file", Role::Script);
        option(
            "-separator -newline -nullvalue -mmap -maxsize -vfs -lookaside -pagecache -escape -storage-version",
            Role::Value,
        );
        option("-A", Role::Config);
        let arguments = Arguments::divide(&entry, call.rest);
        self.options(&arguments, io);
        let database = arguments.operands.first();
        let input = io.input.text().map(Arg::exact);
        let named = arguments.values(&["-cmd", "--cmd", "-c", "-s"]);
        let statements: Vec<Arg> = arguments.operands.iter().skip(1).chain(named).cloned().chain(input).collect();
        let lines = statements.iter().flat_map(lines);
        let mut only_reads = !statements.is_empty();
        for line in lines {
            only_reads &= self.statement(call.name, &line, io);
        }
        if let Some(database) = database.filter(|word| word.text != ":memory:") {
            // DuckDB makes the file of a database that it opens.
            let read_only = only_reads && call.name != "duckdb" || arguments.has(&["-readonly", "--readonly", "-safe"]);
            let database = database.with(of_uri(&database.text));
            self.path(if read_only { Role::Read } else { Role::Edit }, &database);
        }
        if !only_reads {
            let program = call.words.first().map_or("sqlite3", |word| word.text.as_str());
            self.opaque(About::Writes, Reason::DatabaseStatements, &[program]);
        }
        Stream::Unknown
    }

    /// Clients of database servers.
    pub(super) fn database(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        let is_sql = SQL_CLIENTS.contains(&call.name);
        for option in arguments.values(STATEMENTS) {
            // A string of a query is neither a file nor a command.
            if !(is_sql && option.literal().is_some_and(sql::only_selects)) {
                self.client_command(&option.text, io);
            }
        }
        self.client_input(io);
        if !arguments.has(&["-h", "--host"]) {
            let option = || arguments.values(&["-u"]).find(|word| word.text.contains("://"));
            match arguments.operands.iter().find(|word| word.text.contains("://")) {
                Some(url) => self.connect(url),
                // The option names the host itself.
                None if option().is_some() => {}
                None => self.connect_to(Some("localhost"), None),
            }
        }
        let mut statements = arguments.values(STATEMENTS).peekable();
        let only_asks = is_sql
            && statements.peek().is_some()
            && statements.all(|statement| statement.literal().is_some_and(sql::only_selects))
            && !arguments.has(&["-f", "--file", "-v", "--set", "--variable", "--init-command"]);
        if only_asks || KEY_CLIENTS.contains(&call.name) && only_reads_keys(&arguments) {
            // The host is judged. A table is no file of this machine.
            self.options(&arguments, io);
            return Stream::Unknown;
        }
        self.given(call.entry, call.words, &arguments, io)
    }

    /// One statement or dot command; says whether it only reads the database.
    fn statement(&mut self, program: &str, line: &Arg, io: &mut Io<'_>) -> bool {
        let Some(text) = line.literal() else {
            self.opaque(About::Anything, Reason::UnknownStatements, &[]);
            return false;
        };
        let (command, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let lower = text.to_ascii_lowercase();
        if command.starts_with('.') {
            let command = command.to_ascii_lowercase();
            let mut only_reads = true;
            for command in dot_commands(&command) {
                only_reads &= self.dot_command(command, rest.trim(), io);
            }
            return only_reads;
        }
        let directories = arguments_of(&lower, text, "fsdir");
        for directory in &directories {
            self.path(Role::ReadTree, &Arg::exact(*directory));
        }
        let reaches = ["writefile", "readfile", "load_extension", "edit(", "fts3_tokenizer"];
        // DuckDB opens whatever file or URL a statement names.
        let opens = program == "duckdb" && (text.contains(['\'', '"']) || lower.contains("from read_"));
        let lists = lower.matches("fsdir").count() > directories.len();
        if opens || lists || reaches.iter().any(|name| lower.contains(name)) {
            self.opaque(About::Anything, Reason::StatementFile, &[]);
            self.statement_files(text);
            self.guess_strings(text);
        }
        let mut quoted = rest.split(['\'', '"']).skip(1).step_by(2).filter(|file| !matches!(*file, "" | ":memory:"));
        if command.eq_ignore_ascii_case("attach") {
            if let Some(file) = quoted.next() {
                self.path(Role::Edit, &Arg::exact(of_uri(file)));
            }
        } else if command.eq_ignore_ascii_case("vacuum") {
            // `VACUUM "schema" INTO 'file'`
            quoted.for_each(|file| self.path(Role::Write, &Arg::exact(of_uri(file))));
        }
        matches!(command.to_ascii_lowercase().as_str(), "select" | "explain" | "describe" | "show")
            || lower.starts_with("pragma") && !lower.contains('=')
    }

    fn dot_command(&mut self, command: &str, rest: &str, io: &mut Io<'_>) -> bool {
        let words: Vec<Arg> = split(rest).into_iter().map(Arg::exact).collect();
        let last = words.last();
        match command {
            ".shell" | ".system" => {
                self.command_text(&Arg::exact(rest), io);
            }
            ".read" => self.dot_read(rest, last, io),
            ".output" | ".once" | ".log" | ".trace" => self.dot_output(rest, last, io),
            ".backup" | ".save" | ".clone" => self.dot_file(Role::Write, last),
            ".restore" | ".open" => {
                self.dot_file(Role::Edit, last);
                return false;
            }
            ".import" => {
                let file = words.iter().find(|word| !word.text.starts_with('-'));
                match piped(rest) {
                    Some(_) => self.opaque(About::Anything, Reason::DatabaseCommandNotRead, &[]),
                    None => self.dot_file(Role::Read, file),
                }
                return false;
            }
            ".load" => self.opaque(About::Anything, Reason::LoadsCode, &[]),
            ".cd" | ".archive" | ".ar" | ".excel" | ".www" | ".edit" | ".e" => {
                self.opaque(About::Anything, Reason::DatabaseCommandFile, &[]);
            }
            _ => {}
        }
        true
    }

    fn dot_file(&mut self, role: Role, file: Option<&Arg>) {
        if let Some(file) = file {
            self.path(role, file);
        }
    }

    /// `.read FILE`, `.read '|COMMAND'`.
    fn dot_read(&mut self, rest: &str, file: Option<&Arg>, io: &mut Io<'_>) {
        if let Some(command) = piped(rest) {
            self.command_text(&Arg::exact(command), io);
            self.opaque(About::Anything, Reason::UnknownStatements, &[]);
        } else if let Some(file) = file {
            self.role(Role::Script, file, io);
        }
    }

    /// `.output FILE`, `.output '|COMMAND'`.
    fn dot_output(&mut self, rest: &str, file: Option<&Arg>, io: &mut Io<'_>) {
        if let Some(command) = piped(rest) {
            self.command_text(&Arg::exact(command), io);
        } else {
            self.dot_file(
                Role::Write,
                file.filter(|file| !matches!(file.text.as_str(), "stdout" | "stderr" | "off" | "on")),
            );
        }
    }
}

/// The command is known, and changes nothing.
fn only_reads_keys(arguments: &Arguments) -> bool {
    let words: Option<Vec<String>> =
        arguments.operands.iter().take(2).map(|word| word.literal().map(str::to_ascii_lowercase)).collect();
    let Some(words) = words else { return false };
    let reads = match words.as_slice() {
        [] => arguments.has(&["--scan"]),
        [one] => KEY_READS.contains(&one.as_str()),
        [one, two, ..] => KEY_READS.contains(&one.as_str()) || KEY_READS.contains(&format!("{one} {two}").as_str()),
    };
    reads && !arguments.has(KEY_ACTS)
}

/// The dot commands that a word may mean: any prefix stands for a command.
fn dot_commands(word: &str) -> Vec<&str> {
    const TOUCHING: &[&str] = &[
        ".shell", ".system", ".read", ".output", ".once", ".log", ".backup", ".save", ".clone", ".restore", ".open",
        ".import", ".load", ".archive", ".excel", ".www",
    ];
    let named = |command: &&&str| word.len() > 1 && command.starts_with(word);
    let found: Vec<&str> = TOUCHING.iter().filter(named).copied().collect();
    if found.is_empty() || TOUCHING.contains(&word) { vec![word] } else { found }
}

/// The path in `file:PATH?mode=ro`.
fn of_uri(text: &str) -> &str {
    let Some(path) = text.strip_prefix("file:") else { return text };
    let path = path.split(['?', '#']).next().unwrap_or(path);
    path.strip_prefix("//localhost").or_else(|| path.strip_prefix("//")).unwrap_or(path)
}

/// The quoted texts with which calls of `function` begin.
fn arguments_of<'t>(lower: &str, text: &'t str, function: &str) -> Vec<&'t str> {
    let behind = lower.match_indices(function).filter_map(|(at, _)| text.get(at + function.len()..));
    let inside = behind.filter_map(|text| text.trim_start().strip_prefix('('));
    inside.filter_map(|text| text.trim_start().strip_prefix(['\'', '"'])?.split(['\'', '"']).next()).collect()
}

/// The command of `|COMMAND`, quoted or not.
fn piped(rest: &str) -> Option<&str> {
    let quote = rest.chars().next().filter(|quote| matches!(quote, '\'' | '"'));
    let bare = quote.map_or(rest, |quote| rest.trim_matches(quote));
    bare.strip_prefix('|')
}

/// Statements and dot commands of a text.
fn lines(text: &Arg) -> Vec<Arg> {
    let Some(literal) = text.literal() else { return vec![text.clone()] };
    let mut all = Vec::new();
    for line in literal.lines() {
        if line.trim_start().starts_with('.') {
            all.push(text.with(line.trim()));
        } else {
            all.extend(line.split(';').map(str::trim).filter(|one| !one.is_empty()).map(|one| text.with(one)));
        }
    }
    all
}

/// Words of a dot command; quotes hold them together.
fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    for character in text.chars() {
        match quote {
            Some(open) if open == character => quote = None,
            None if matches!(character, '\'' | '"') => quote = Some(character),
            None if character.is_whitespace() => words.extend((!word.is_empty()).then(|| std::mem::take(&mut word))),
            _ => word.push(character),
        }
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

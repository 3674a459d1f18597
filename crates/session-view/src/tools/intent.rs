//! What a command looks like by its first word. Only for showing: `cat a; rm b` looks like reading.

/// What a command seems to be for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Intent {
    Search,
    Read,
    Run,
}

pub(super) fn of(command: &str) -> Intent {
    let Some(command) = unwrapped(command.trim()) else { return Intent::Run };
    let has = |option| command.split_whitespace().any(|word| is_option(word, option));
    let lists = || has("--files") || has("-l") || has("--files-with-matches");
    match first_word(command) {
        "rg" if lists() => Intent::Read,
        "grep" | "rg" | "ag" | "ack" => Intent::Search,
        "cat" | "head" | "tail" | "less" | "more" | "ls" | "find" | "tree" | "fd" | "wc" | "diff" | "stat" | "file" => {
            Intent::Read
        }
        "sed" if !(has("-i") || has("--in-place")) => Intent::Read,
        "awk" if !command.contains('>') => Intent::Read,
        _ => Intent::Run,
    }
}

/// What a search looks for.
pub(super) fn pattern(command: &str) -> Option<String> {
    let command = unwrapped(command.trim())?;
    let name = first_word(command);
    if !matches!(name, "grep" | "rg" | "ag" | "ack") {
        return None;
    }
    let mut rest = command.strip_prefix(name)?.trim();
    loop {
        rest = rest.trim_start_matches(' ');
        if !rest.starts_with('-') {
            break;
        }
        rest = rest.find(' ').and_then(|end| rest.get(end..)).unwrap_or("");
    }
    let rest = rest.trim();
    for quote in ['"', '\''] {
        if let Some(quoted) = rest.strip_prefix(quote) {
            return Some(quoted.split_once(quote)?.0.to_owned());
        }
    }
    rest.split_whitespace().next().map(str::to_owned)
}

/// The file that a command reads.
pub(super) fn file(command: &str) -> Option<String> {
    let command = unwrapped(command.trim())?;
    let mut words = command.split_whitespace();
    let found = match first_word(command) {
        "cat" | "head" | "tail" | "less" | "more" | "wc" | "file" => words.rfind(|word| !word.starts_with('-')),
        "sed" => words.rfind(|word| !word.starts_with('-') && !word.contains(',') && *word != "sed"),
        "grep" | "rg" | "ag" | "ack" => words.nth(2),
        _ => None,
    };
    found.map(str::to_owned)
}

fn first_word(command: &str) -> &str {
    command.split_whitespace().next().unwrap_or("")
}

/// The command that `bash -lc` or `bash -c` runs; `None` when bash runs something else.
fn unwrapped(mut command: &str) -> Option<&str> {
    while first_word(command) == "bash" {
        let inner = command.split_once("-lc").or_else(|| command.split_once("-c"));
        command = inner?.1.trim();
    }
    Some(command)
}

/// `-i` or `-i.bak`, not `-in`.
fn is_option(word: &str, option: &str) -> bool {
    word.strip_prefix(option).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

//! Entries that look right and can never match: the syntax of other tools, letters that are others than they seem, words
//! with a typing error.

use agent_strace_effects::{Brackets, knowledge};

use super::{Fault, nearest, quoted};

/// Letters and dashes of other scripts that look like one of ASCII.
pub(crate) const LOOK_ALIKES: &[(&str, &str)] = &[
    ("аеорсухіјѕһԁԛԝӏАВЕКМНОРСТХІЈЅ", "aeopcyxijshdqwlABEKMHOPCTXIJS"),
    ("ονανιρυΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ovavipuABEZHIKMNOPTYX"),
    ("‐‑‒–—−﹣－", "--------"),
];

/// The default registries of package managers, without `registry:`.
const REGISTRIES: [&str; 19] = [
    "alpine",
    "arch",
    "cargo",
    "conda",
    "cpan",
    "debian",
    "docker",
    "flathub",
    "go",
    "homebrew",
    "luarocks",
    "maven",
    "npm",
    "packagist",
    "pypi",
    "rpm",
    "rubygems",
    "rust",
    "snap",
];

/// What a command entry of any version can't be.
pub(super) fn command(text: &str, words: &[String]) -> Result<(), Fault> {
    let never = |why: &str| format!("{} can never match: {why}", quoted(text));
    if text.starts_with('!') {
        let help =
            "a list of commands leaves nothing out; narrow the entry that says too much, or use a rule".to_owned();
        return Err((never("no command starts with `!`"), Some(help)));
    }
    if let Some((tool, inner)) = called(text) {
        return Err((
            never(&format!("{} is how another tool writes it", quoted(&format!("{tool}(…)")))),
            Some(meant(tool, inner)),
        ));
    }
    let Some(program) = words.first() else { return Ok(()) };
    if let Some(plain) = program.strip_suffix(":*").filter(|plain| !plain.is_empty()) {
        return Err((never("`:*` is how another tool writes it"), Some(format!("write {}", quoted(plain)))));
    }
    other_syntax(text, words)?;
    if program.starts_with("mcp__") {
        let help = "name the server in `mcp.servers`".to_owned();
        return Err((never("it is a tool of an MCP server, not a command"), Some(help)));
    }
    let is_whole = |word: &String| {
        !word
            .chars()
            .any(|character| character.is_alphanumeric() && plain(character).is_none() && !character.is_ascii())
    };
    for (at, word) in words.iter().enumerate() {
        let seems = seeming(word).or_else(|| (at == 0 && is_whole(word)).then(|| plainly(word)).flatten());
        if let Some(seems) = seems {
            return Err(not_what_it_seems(text, word, &seems));
        }
    }
    Ok(())
}

/// What is meant by `Bash(rm:*)`, `Read(.env)` or `WebFetch(domain:example.com)`.
fn meant(tool: &str, inner: &str) -> String {
    let plain = inner.trim_end_matches('*').trim_end_matches([':', ' ']);
    let list = match tool {
        "Read" | "Glob" | "Grep" => "files.read",
        _ if FILE_TOOLS.contains(&tool) => "files.write",
        "WebFetch" | "WebSearch" => {
            let host = inner.strip_prefix("domain:").unwrap_or(inner);
            return format!("write {} into a list of `network`", quoted(host));
        }
        _ if plain.is_empty() => return "`*` is every command".to_owned(),
        _ => return format!("write {}", quoted(plain)),
    };
    format!("write {} into a list of `{list}`", quoted(inner))
}

/// Refuses an entry that starts with an option.
pub(super) fn option(text: &str, words: &[String]) -> Result<(), Fault> {
    if !words.first().is_some_and(|program| program.len() > 1 && program.starts_with('-')) {
        return Ok(());
    }
    let help = format!("write the program in front of it, or {} for any program", quoted(&format!("* {text}")));
    Err((format!("{} can never match: no program starts with `-`", quoted(text)), Some(help)))
}

/// Refuses an entry of version 2 whose first word is the name of no program. Entries of version 1 are compared with the text
/// of the whole call as well, which may start with a variable.
pub(super) fn program(text: &str, words: &[String]) -> Result<(), Fault> {
    let Some(program) = words.first() else { return Ok(()) };
    let never = |why: &str, help: String| Err((format!("{} can never match: {why}", quoted(text)), Some(help)));
    if program.starts_with(['$', '`']) {
        return never("an entry is not evaluated", "write the words of the command; `*` is any text".to_owned());
    }
    match program.split_once(':') {
        Some((scheme, _)) if PACKAGE_SCHEMES.contains(&scheme) => Ok(()),
        Some((tool, plain)) if tool.len() > 1 && !plain.is_empty() && !plain.starts_with(['/', '\\']) => {
            never("no program has a `:` in its name", format!("write {}", quoted(plain)))
        }
        _ => Ok(()),
    }
}

/// Schemes in front of a package that a runner such as `deno run` executes: `npm:cowsay`.
const PACKAGE_SCHEMES: &[&str] = &["npm", "jsr"];

/// The syntax of regular expressions and of choices: an entry is one command, word by word. With a wildcard, an entry of
/// version 1 is compared with the text of the whole line as well, where `|` may stand.
fn other_syntax(text: &str, words: &[String]) -> Result<(), Fault> {
    let never =
        |why: &str, help: &str| Err((format!("{} can never match: {why}", quoted(text)), Some(help.to_owned())));
    let Some(program) = words.first().filter(|_| !text.contains(['*', '?'])) else { return Ok(()) };
    let is_slashed = program.len() > 2 && program.starts_with('/') && program.ends_with('/');
    if program.starts_with(['^', '(']) || program.starts_with("re:") || program.starts_with("regex:") || is_slashed {
        return never("an entry is no regular expression", "write the words of the command; `*` is any text");
    }
    if program.contains(['|', ',']) || words.iter().any(|word| has_choice(word) && !is_quoted(text, word)) {
        return never("it names several commands at once", "write one entry for each of them");
    }
    // With words behind it, or as the value of an option (`-e X=`), the empty value is meant.
    if let [.., before, word] = words
        && word.ends_with('=')
        && (word.starts_with('-') || !before.starts_with('-'))
    {
        let help = if word.starts_with('-') { word.trim_end_matches('=').to_owned() } else { format!("{word}*") };
        let message = format!("{} never matches a command that gives {} a value", quoted(text), quoted(word));
        return Err((message, Some(format!("write {}", quoted(&help)))));
    }
    Ok(())
}

/// A quoted word is one word, whatever is in it: `jq '{name,version}'`.
fn is_quoted(text: &str, word: &str) -> bool {
    ['\'', '"'].iter().any(|quote| text.contains(&format!("{quote}{word}{quote}")))
}

/// `{a,b}`: a shell makes several words of it.
fn has_choice(word: &str) -> bool {
    let inner = word.split_once('{').and_then(|(_, behind)| behind.split_once('}')).map(|(inner, _)| inner);
    inner.is_some_and(|inner| inner.contains(',') && !inner.contains([':', '"', ' ']))
}

/// The second word of a command is a subcommand with two letters that changed places, or one letter too few or too many.
pub(super) fn subcommand(text: &str, words: &[String]) -> Result<(), Fault> {
    let [program, word, ..] = words else { return Ok(()) };
    let known = knowledge::subcommands(program);
    if known.is_empty() || known.contains(&word.as_str()) || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Ok(());
    }
    match known.iter().find(|known| is_slip(word, known)) {
        Some(near) => {
            let message = format!("{} can never match: {program} has no {}", quoted(text), quoted(word));
            Err((message, Some(format!("did you mean `{near}`?"))))
        }
        None => Ok(()),
    }
}

/// The least letters of a word whose typing errors are told from other words.
const LONG_ENOUGH: usize = 4;

fn is_slip(word: &str, known: &str) -> bool {
    let sorted = |text: &str| {
        let mut letters: Vec<char> = text.chars().collect();
        letters.sort_unstable();
        letters
    };
    let is_part = word.starts_with(known) || known.starts_with(word);
    if word.len().min(known.len()) < LONG_ENOUGH || is_part {
        return false;
    }
    let dropped = |long: &str, short: &str| {
        long.len() == short.len() + 1
            && (0..long.len()).any(|at| {
                let rest = [long.get(..at), long.get(at + 1..)];
                rest.into_iter().flatten().collect::<String>() == short
            })
    };
    sorted(word) == sorted(known) || dropped(known, word)
}

/// A host, or a symbol for one.
pub(super) fn host(text: &str, symbols: &[String]) -> Result<(), Fault> {
    let never = |why: &str, help: String| Err((format!("{} can never match: {why}", quoted(text)), Some(help)));
    if let Some((tool, inner)) = called(text) {
        let host = inner.strip_prefix("domain:").unwrap_or(inner);
        let why = format!("{} is how another tool writes it", quoted(&format!("{tool}(…)")));
        return never(&why, format!("write {}", quoted(host)));
    }
    if text.contains(',') {
        return never("it names several hosts at once", "write one entry for each of them".to_owned());
    }
    if let Some(rest) = text.trim().strip_prefix('.').filter(|rest| !rest.is_empty()) {
        return never(
            "no host starts with a dot",
            format!("for all below {rest} write {}", quoted(&format!("*.{rest}"))),
        );
    }
    let label = text.trim().strip_prefix("label:");
    if let Some(name) = label.filter(|name| !name.bytes().all(|byte| byte.is_ascii_digit())) {
        return never("labels stand for paths", format!("write the hosts that {} means", quoted(name)));
    }
    let host = text.trim().to_lowercase();
    if let Some(name) = host.strip_prefix("registry:")
        && !name.contains('*')
        && !REGISTRIES.contains(&name)
        && !symbols.contains(&host)
    {
        let help = match nearest(name, &REGISTRIES) {
            Some(near) => format!("did you mean `registry:{near}`?"),
            None => format!("known here: {}", REGISTRIES.map(|known| format!("`registry:{known}`")).join(", ")),
        };
        return Err((format!("{} can never match: no package manager has this registry", quoted(text)), Some(help)));
    }
    remote(text, &host)?;
    let label = host.split(['.', ':']).find_map(|label| seeming(label).map(|seems| (label, seems)));
    label.map_or(Ok(()), |(label, seems)| Err(not_what_it_seems(text, label, &seems)))
}

/// `remotes:origin`, `remote:orgin` and the like, where `remote:origin` is meant.
fn remote(text: &str, host: &str) -> Result<(), Fault> {
    let name = match host.split_once([':', '/']) {
        Some(("remote", name)) if host.contains(':') => nearest(name, &["origin"]).filter(|near| *near != name),
        Some(("remote" | "remotes" | "git" | "repo" | "repository", name)) => {
            Some(name).filter(|name| !name.is_empty() && !name.bytes().all(|byte| byte.is_ascii_digit()))
        }
        _ => None,
    };
    let Some(name) = name else { return Ok(()) };
    let message = format!("{} can never match: a remote of the repository is `remote:` and its name", quoted(text));
    Err((message, Some(format!("did you mean `remote:{name}`?"))))
}

/// The syntax of other tools, which no path of any version has.
pub(super) fn foreign_path(text: &str) -> Result<(), Fault> {
    let never = |why: &str, help: String| Err((format!("{} can never match: {why}", quoted(text)), Some(help)));
    if let Some((tool, inner)) = called(text).filter(|(tool, _)| FILE_TOOLS.contains(tool)) {
        let help = format!("write {} in the list for what may be done with it", quoted(inner));
        return never(&format!("`{tool}(…)` is how another tool writes it"), help);
    }
    variable(text, |name| VARIABLES.contains(&name))?;
    let is_quoted = |quote: char| text.len() > 1 && text.starts_with(quote) && text.ends_with(quote);
    if ['\'', '"'].into_iter().any(is_quoted) {
        let help = format!("write {}", quoted(text.trim_matches(['\'', '"'])));
        return never("the quotes are part of the name", help);
    }
    let is_regex =
        text.starts_with('^') && text.ends_with('$') || text.starts_with("re:") || text.starts_with("regex:");
    if is_regex {
        return never(
            "an entry is no regular expression",
            "write a glob; `*` is any text, `**` any folders".to_owned(),
        );
    }
    if let Some(seems) = text.split('/').find_map(|component| seeming(component).map(|seems| (component, seems))) {
        return Err(not_what_it_seems(text, seems.0, &seems.1));
    }
    Ok(())
}

/// A path that starts with one of these variables.
fn variable(text: &str, is_known: impl Fn(&str) -> bool) -> Result<(), Fault> {
    let Some(name) = text.strip_prefix('$').and_then(|rest| rest.split('/').next()) else { return Ok(()) };
    let bare = name.strip_prefix('{').and_then(|name| name.strip_suffix('}')).unwrap_or(name);
    if !is_known(bare) {
        return Ok(());
    }
    let rest = text.get(1 + name.len()..).unwrap_or_default();
    let help =
        if bare == "HOME" { format!("write {}", quoted(&format!("~{rest}"))) } else { "write the path".to_owned() };
    Err((format!("{} can never match: variables are not expanded", quoted(text)), Some(help)))
}

/// A path of version 2.
pub(super) fn path(text: &str) -> Result<(), Fault> {
    foreign_path(text)?;
    variable(text, |name| MORE_VARIABLES.contains(&name) || name.starts_with("XDG_"))?;
    if text.starts_with("${") {
        let message = format!("{} can never match: variables are not expanded", quoted(text));
        return Err((message, Some("write the path".to_owned())));
    }
    if outside_classes(text).contains('|') {
        let message = format!("{} can never match: it names several files at once", quoted(text));
        return Err((
            message,
            Some("write one entry for each of them; a `|` that is meant literally is `[|]`".to_owned()),
        ));
    }
    for component in text.split('/') {
        brackets(text, component)?;
    }
    if outside_classes(text).split_once('{').is_some_and(|(_, rest)| !rest.contains('}')) {
        let help = "a `{` that is meant literally is `[{]`".to_owned();
        return Err((format!("{} has a `{{` that is not closed", quoted(text)), Some(help)));
    }
    Ok(())
}

/// Variables that shells and CI set. A folder of another name may really start with a dollar sign.
const VARIABLES: &[&str] = &[
    "HOME",
    "PWD",
    "OLDPWD",
    "USER",
    "USERPROFILE",
    "TMPDIR",
    "GITHUB_WORKSPACE",
    "CI_PROJECT_DIR",
    "CLAUDE_PROJECT_DIR",
    "XDG_CONFIG_HOME",
];

/// Variables that a path of version 2 may not start with either. In version 1, they may be names of folders.
const MORE_VARIABLES: &[&str] = &["WORKSPACE", "REPO_ROOT", "RUNNER_TEMP", "APPDATA", "LOCALAPPDATA", "TEMP", "TMP"];

const FILE_TOOLS: &[&str] = &["Read", "Edit", "Write", "MultiEdit", "NotebookEdit", "Glob", "Grep"];

/// The text of a path outside of its character classes, which end within a component.
pub(super) fn outside_classes(text: &str) -> String {
    let plain = |component: &str| {
        let (mut found, mut rest) = (String::new(), component);
        while let Some((before, after)) = rest.split_once('[') {
            let Some((_, length)) = Brackets::read(after) else { break };
            found.push_str(before);
            rest = after.get(length..).unwrap_or_default();
        }
        found + rest
    };
    text.split('/').map(plain).collect::<Vec<_>>().join("/")
}

fn brackets(text: &str, component: &str) -> Result<(), Fault> {
    let mut rest = component;
    while let Some((_, after)) = rest.split_once('[') {
        let Some((found, length)) = Brackets::read(after) else {
            let help = "a `[` that is meant literally is `[[]`".to_owned();
            return Err((format!("{} has a `[` that is not closed", quoted(text)), Some(help)));
        };
        if !found.is_exact() || after.starts_with("[.") {
            let help = "write the characters, such as `[a-z]`".to_owned();
            return Err((format!("{} has a named class, which is not read", quoted(text)), Some(help)));
        }
        if after.starts_with('^') && found.is_negated() {
            let help = "write `[!…]` for any other character".to_owned();
            return Err((format!("{} has `[^`, which is read in two ways", quoted(text)), Some(help)));
        }
        rest = after.get(length..).unwrap_or_default();
    }
    Ok(())
}

/// `Bash(rm:*)`: a name, and what stands in its parentheses.
fn called(text: &str) -> Option<(&str, &str)> {
    let (name, inner) = text.strip_suffix(')')?.split_once('(')?;
    let is_name =
        !name.is_empty() && name.chars().all(|character| character.is_ascii_alphanumeric() || character == '_');
    is_name.then_some((name, inner))
}

fn not_what_it_seems(text: &str, word: &str, seems: &str) -> Fault {
    let message = format!("{} can never match: {} has letters of another script", quoted(text), quoted(word));
    (message, Some(format!("did you mean `{seems}`?")))
}

/// The word in ASCII, if it mixes letters of ASCII with some that only look so.
fn seeming(word: &str) -> Option<String> {
    if word.is_ascii() {
        return None;
    }
    let has_ascii = word.chars().any(|character| character.is_ascii_alphanumeric());
    if has_ascii { plainly(word) } else { None }
}

/// The word in ASCII, if all of it looks so.
fn plainly(word: &str) -> Option<String> {
    if word.is_ascii() {
        return None;
    }
    word.chars().map(|character| if character.is_ascii() { Some(character) } else { plain(character) }).collect()
}

fn plain(character: char) -> Option<char> {
    if ('\u{ff01}'..='\u{ff5e}').contains(&character) {
        return char::from_u32(u32::from(character) - 0xfee0);
    }
    LOOK_ALIKES.iter().find_map(|(foreign, ascii)| {
        let at = foreign.chars().position(|known| known == character)?;
        ascii.chars().nth(at)
    })
}

#[cfg(test)]
mod tests {
    use super::{LOOK_ALIKES, command, is_slip, plainly};
    use crate::words;

    #[test]
    fn look_alikes_come_in_pairs() {
        for (foreign, ascii) in LOOK_ALIKES {
            assert_eq!(foreign.chars().count(), ascii.chars().count(), "{ascii}");
            assert!(ascii.is_ascii() && !foreign.chars().any(|character| character.is_ascii()));
        }
        assert_eq!(plainly("сurl").as_deref(), Some("curl"));
        assert_eq!(plainly("ｒｍ").as_deref(), Some("rm"));
        assert_eq!(plainly("größe"), None);
    }

    #[test]
    fn typing_errors_are_told_from_other_names() {
        assert!(is_slip("psuh", "push") && is_slip("comit", "commit") && is_slip("tset", "test"));
        for (word, known) in [("lg", "log"), ("pushf", "push"), ("st", "stash"), ("amend", "add"), ("unstage", "stage")]
        {
            assert!(!is_slip(word, known), "{word} {known}");
        }
    }

    #[test]
    fn words_that_only_look_like_another_syntax_are_no_faults() {
        for text in [
            "docker run -e X=",
            "env A= make",
            "git log --format= --name-only",
            "jq '{name,version}'",
            "awk '{print $1,$2}'",
            "docker ps --format '{{.Names}},{{.Status}}'",
            "find . -exec rm {} +",
            "git show stash@{0}",
        ] {
            let words = words::split(text).unwrap();
            assert!(command(text, &words).is_ok(), "{text}");
        }
    }
}

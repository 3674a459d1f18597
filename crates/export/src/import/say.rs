//! What patterns of agents are in a policy: entries that name no more, and entries that name no less.

use super::grant::{Entry, Matcher, Said};
use crate::matching;
use crate::paths::{self, Side, Start};
use crate::place::PathMatcher;

const NO_ARGUMENTS: &str = "an entry of a policy can't say that a program gets no arguments";
const MIDDLE: &str =
    "a command of a policy goes on behind its words: a pattern that goes on in the middle can't stand there";
const NOT_PLAIN: &str = "the words of the command are not plain: quotes, variables or operators stand in them";

/// A command pattern in which `*` is any text and ` *` at the end is also nothing.
pub(crate) fn command(pattern: &str) -> Said {
    let pattern = pattern.trim();
    if pattern.chars().all(|character| character == '*') {
        return Said::listed("*");
    }
    let Some((first, behind)) = pattern.split_once('*') else { return exact(pattern) };
    if behind.is_empty() && !first.starts_with(' ') {
        return open_ended(first);
    }
    Said { wider: around(pattern), ..spelled(pattern, MIDDLE) }
}

/// Words that a command starts with, whatever follows.
pub(crate) fn prefix(words: &str) -> Said {
    match plain(words) {
        Some(words) => Said::listed(&words.join(" ")),
        None => Said { wider: leading(words), ..spelled(&format!("{} *", words.trim()), NOT_PLAIN) },
    }
}

/// `git push *`: the words are whole; `npm run test*`: the last one may go on.
fn open_ended(first: &str) -> Said {
    let Some(words) = first.strip_suffix(' ') else {
        let Some(words) = plain(first) else {
            return Said { wider: leading(first), ..spelled(&format!("{first}*"), NOT_PLAIN) };
        };
        return Said::listed(&format!("{}*", words.join(" ")));
    };
    prefix(words)
}

/// A command that only the pattern itself spells.
fn spelled(pattern: &str, lacks: &'static str) -> Said {
    Said { lacks: Some(lacks), spelled: vec![pattern.trim().to_owned()], ..Said::default() }
}

/// Exactly this command.
pub(crate) fn exact(text: &str) -> Said {
    let Some(words) = plain(text) else {
        return Said { wider: leading(text), ..spelled(text, NOT_PLAIN) };
    };
    let wider = Some(vec![Entry::Listed(words.join(" "))]);
    if !words.iter().skip(1).any(|word| !crate::spelling::is_flag(word)) {
        return Said { wider, lacks: Some(NO_ARGUMENTS), ..Said::default() };
    }
    Said { narrower: vec![Entry::Exact(words)], wider, ..Said::default() }
}

/// The words of a pattern with `*` in the middle: those before the first one, and the others anywhere.
fn around(pattern: &str) -> Option<Vec<Entry>> {
    let words: Vec<&str> = pattern.split_whitespace().collect();
    let at = words.iter().position(|word| word.contains('*'))?;
    let (first, rest) = words.split_at_checked(at)?;
    let is_plain = |words: &[&str]| words.iter().all(|word| is_plain(&word.replace('*', "x")));
    if !is_plain(&words) {
        return leading(pattern);
    }
    // A star inside of a word may also cross a blank: only the ends of the word are sure to be there.
    let anywhere: Vec<String> = rest
        .iter()
        .flat_map(|word| match word.split_once('*') {
            None => vec![(*word).to_owned()],
            Some((start, end)) => {
                let start = (!start.is_empty()).then(|| format!("{start}*"));
                let end = end.rsplit('*').next().filter(|end| !end.is_empty()).map(|end| format!("*{end}"));
                start.into_iter().chain(end).collect()
            }
        })
        .collect();
    let first: Vec<String> = first.iter().map(|word| (*word).to_owned()).collect();
    if first.is_empty() {
        return Some(vec![Entry::With { first: vec!["*".to_owned()], anywhere }]);
    }
    Some(vec![Entry::With { first, anywhere }])
}

/// The plain words at the front, which name more than the whole.
fn leading(text: &str) -> Option<Vec<Entry>> {
    let words: Vec<&str> = text.split_whitespace().take_while(|word| is_plain(word)).collect();
    (!words.is_empty()).then(|| vec![Entry::Listed(words.join(" "))])
}

fn plain(text: &str) -> Option<Vec<String>> {
    let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    (!words.is_empty() && words.iter().all(|word| is_plain(word))).then_some(words)
}

/// A word that means itself for a shell and for a policy, and that no policy refuses.
fn is_plain(word: &str) -> bool {
    let assigns = word
        .split_once('=')
        .is_some_and(|(name, _)| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'));
    word != "--"
        && !assigns
        && !word.starts_with(['!', '#', '[', '~'])
        && word.chars().all(|c| !c.is_control() && !"*?[]{}()<>|&;\"'`$\\".contains(c))
}

/// A pattern as `.gitignore` has them; the text behind what says where it starts.
pub(crate) struct PathText<'t> {
    pub(crate) start: Start,
    pub(crate) body: &'t str,
}

/// The matcher and the entries of such a pattern; `None`: it is no pattern.
pub(crate) fn gitignore(text: &PathText<'_>) -> Option<(Matcher, Said)> {
    let body = text.body.trim_end_matches('/');
    if body.is_empty() && text.body.is_empty() {
        return None;
    }
    // Without a slash in the middle it is a name in any directory.
    let is_name = text.start == Start::Anywhere && !body.contains('/');
    let shown = if is_name && !body.is_empty() { format!("**/{body}") } else { body.to_owned() };
    let matcher = Matcher::Path(PathMatcher::new(text.start, matching::path(&shown)?));
    Some((matcher, said_path(text.start, &shown)))
}

/// Entries for a pattern that names a file or directory, and everything below it.
fn said_path(start: Start, body: &str) -> Said {
    const WHY: &str = "the pattern holds what a policy's paths can't hold";
    let all = matches!(body, "" | "*" | "**" | "**/*" | "**/**");
    let from = match start {
        Start::Home => "~/",
        Start::Absolute => "//",
        Start::Root | Start::Anywhere => "/",
    };
    if all {
        // What starts at the root of the machine is every file there is.
        let text = if start == Start::Absolute { "**".to_owned() } else { format!("{from}**") };
        return Said::listed(&text);
    }
    if body.chars().any(|c| c.is_control() || "\\{}!".contains(c)) || body.split('/').any(|part| part == "..") {
        return Said { lacks: Some(WHY), ..Said::default() };
    }
    let text = format!("{from}{body}");
    let name = body.strip_prefix("**/").filter(|name| !name.contains('/') && start != Start::Home);
    let wider = name.map_or_else(|| text.trim_end_matches("/**").to_owned(), str::to_owned);
    let mut narrower = vec![Entry::Listed(text.clone())];
    // What has an ending is a file; a name without one may be a directory, and all below it is meant.
    if !body.rsplit('/').next().unwrap_or(body).contains(['*', '.']) {
        narrower.push(Entry::Listed(format!("{text}/**")));
    }
    Said { narrower, wider: Some(vec![Entry::Listed(wider)]), ..Said::default() }
}

/// A path pattern in which `*` also crosses directories, and which names no more than it matches.
pub(crate) fn crossing(start: Start, body: &str) -> Option<(Matcher, Said)> {
    let pattern = body.split('*').map(regex::escape).collect::<Vec<_>>().join(".*").replace("\\?", ".");
    let matcher = Matcher::Path(PathMatcher::new(start, regex::Regex::new(&format!("(?s)^(?:{pattern})$")).ok()?));
    let from = match start {
        Start::Home => "~/",
        Start::Absolute => "//",
        Start::Root | Start::Anywhere => "/",
    };
    if body.chars().any(|c| c.is_control() || "\\{}![]".contains(c)) || body.is_empty() {
        let lacks = Some("the pattern holds what a policy's paths can't hold");
        return Some((matcher, Said { lacks, ..Said::default() }));
    }
    if body.chars().all(|c| c == '*') {
        let all = if start == Start::Absolute { "**".to_owned() } else { format!("{from}**") };
        return Some((matcher, Said::listed(&all)));
    }
    let listed = |side| -> Vec<Entry> {
        let texts = paths::crossing(body, side).into_iter().map(|text| format!("{from}{text}"));
        texts.map(Entry::Listed).collect()
    };
    let mut wider = listed(Side::Wider);
    // `*.env` and `**/x` name a file in any directory.
    if let Some(name) = body.trim_start_matches("**/").strip_prefix('*').filter(|rest| !rest.contains('/')) {
        wider.push(Entry::Listed(format!("*{}", name.trim_start_matches('*'))));
    }
    Some((matcher, Said { narrower: listed(Side::Narrower), wider: Some(wider), ..Said::default() }))
}

/// A host, or `*.` and the domain that hosts stand below.
pub(crate) fn host(text: &str) -> Option<(Matcher, Said)> {
    let text = text.trim().trim_end_matches('.').to_lowercase();
    let plain = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || ".-".contains(c));
    if text == "*" {
        return Some((Matcher::Any, Said::listed("*")));
    }
    if let Some(domain) = text.strip_prefix("*.") {
        let regex = regex::Regex::new(&format!("^.*\\.{}$", regex::escape(domain))).ok()?;
        let said = if plain(domain) { Said::listed(&text) } else { Said::default() };
        return Some((Matcher::Text(regex), said));
    }
    let pattern: String = text.split('*').map(regex::escape).collect::<Vec<_>>().join("[^.]*");
    let regex = regex::Regex::new(&format!("^{pattern}$")).ok()?;
    let said = if plain(&text) {
        Said::listed(&text)
    } else {
        // A star inside of a label: the labels behind it say more.
        let wider = text.rsplit_once('*').and_then(|(_, rest)| rest.split_once('.')).map(|(_, domain)| domain);
        let wider = wider.filter(|domain| plain(domain)).map(|domain| vec![Entry::Listed(format!("*.{domain}"))]);
        Said { wider, lacks: Some("a host of a policy has no `*` but at its front"), ..Said::default() }
    };
    Some((Matcher::Text(regex), said))
}

/// A tool of a server, both by name; `*` is any text.
pub(crate) fn tool(server: &str, tool: &str) -> Option<(Matcher, Said)> {
    let matcher = Matcher::Tool(matching::wildcard(server)?, matching::wildcard(tool)?);
    let said = Said::same(vec![Entry::Tool { server: server.to_owned(), tool: tool.to_owned() }]);
    Some((matcher, said))
}

#[cfg(test)]
mod tests {
    use super::{Entry, Said, command, exact};

    fn texts(said: &Said) -> (String, String) {
        let shown = |entries: &[Entry]| entries.iter().map(|entry| format!("{entry:?}")).collect::<Vec<_>>().join(" ");
        (shown(&said.narrower), said.wider.as_deref().map_or("-".to_owned(), shown))
    }

    #[test]
    fn commands_are_said_by_their_words() {
        for (pattern, narrower, wider) in [
            ("git push *", "Listed(\"git push\")", "Listed(\"git push\")"),
            ("npm run test*", "Listed(\"npm run test*\")", "Listed(\"npm run test*\")"),
            ("npm run build", "Exact([\"npm\", \"run\", \"build\"])", "Listed(\"npm run build\")"),
            ("make", "", "Listed(\"make\")"),
            ("git * --force", "", "With { first: [\"git\"], anywhere: [\"--force\"] }"),
            ("git push*--force", "", "With { first: [\"git\"], anywhere: [\"push*\", \"*--force\"] }"),
            ("echo \"a\" *", "", "Listed(\"echo\")"),
            ("cd x && rm *", "", "Listed(\"cd x\")"),
            ("$X *", "", "-"),
            ("*", "Listed(\"*\")", "Listed(\"*\")"),
        ] {
            assert_eq!(texts(&command(pattern)), (narrower.to_owned(), wider.to_owned()), "{pattern}");
        }
        assert_eq!(texts(&exact("ls --all")).0, "", "no operand says where the command ends");
    }
}

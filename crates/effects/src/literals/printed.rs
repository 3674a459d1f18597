//! Text that a command prints, where all shells and systems print it alike.

use std::borrow::Cow;

use agent_strace_shell::{Part, RedirectKind, Simple, Word};

use crate::tools;

/// The text that a command prints, with the text that a pipe gives it. `None`: it is not known, or its last line has no end.
pub(super) fn text(simple: &Simple, given: Option<&str>) -> Option<String> {
    let Some((program, arguments)) = simple.words.split_first() else {
        // Without a command, zsh runs `cat`.
        return (simple.redirects.len() == 1).then(String::new);
    };
    let text = match &*program.literal()? {
        ":" | "true" => String::new(),
        "cat" => {
            let is_input = arguments.iter().all(|word| word.literal().as_deref() == Some("-"));
            input(simple, given).filter(|_| is_input && arguments.len() <= 1)?
        }
        "echo" => echoed(arguments)?,
        "printf" => formatted(arguments)?,
        _ => return None,
    };
    is_whole(&text).then_some(text)
}

/// The text is complete, and redaction has left it as it was.
fn is_whole(text: &str) -> bool {
    (text.is_empty() || text.ends_with('\n')) && !text.contains('\0') && tools::elision(text).is_none()
}

/// The text that a command reads: that of its redirections, else the one that a pipe gives it.
fn input(simple: &Simple, given: Option<&str>) -> Option<String> {
    let of_input = simple.redirects.iter().rev().find(|redirect| {
        let is_read = matches!(
            redirect.kind,
            RedirectKind::Read(_)
                | RedirectKind::ReadWrite(_)
                | RedirectKind::DuplicateInput(_)
                | RedirectKind::Here { .. }
        );
        is_read && matches!(redirect.descriptor, None | Some(0))
    });
    let Some(of_input) = of_input else { return given.map(str::to_owned) };
    let RedirectKind::Here { body, .. } = &of_input.kind else { return None };
    let body = literal(body)?;
    // A here-string gets its newline from the shell.
    let end = if body.is_empty() || body.ends_with('\n') { "" } else { "\n" };
    Some(format!("{body}{end}"))
}

fn literal(word: &Word) -> Option<Cow<'_, str>> {
    let is_empty = word.parts.iter().all(|part| matches!(part, Part::Literal(text) if text.is_empty()));
    if is_empty { Some(Cow::Borrowed("")) } else { word.literal() }
}

/// Shells differ in what they do with options and backslashes.
fn echoed(arguments: &[Word]) -> Option<String> {
    let words: Vec<Cow<'_, str>> = arguments.iter().map(plain).collect::<Option<_>>()?;
    let is_option = words.first().is_some_and(|first| first.starts_with('-'));
    let line = words.join(" ") + "\n";
    (!is_option && !line.contains('\\')).then_some(line)
}

/// In zsh, a word that begins with `=` is the path of a program. Not every shell knows `$'…'` and `$"…"`.
fn plain(word: &Word) -> Option<Cow<'_, str>> {
    let is_odd = word.source.contains("$'") || word.source.contains("$\"");
    word.literal().filter(|text| !is_odd && (!word.source.starts_with('=') || text == "="))
}

/// `printf 'line\n'` and `printf '%s\n' line …`.
fn formatted(arguments: &[Word]) -> Option<String> {
    let (format, values) = arguments.split_first()?;
    let format = plain(format)?;
    if format == "%s\\n" {
        let values: Vec<Cow<'_, str>> = values.iter().map(plain).collect::<Option<_>>()?;
        return (!values.is_empty()).then(|| values.iter().flat_map(|value| [value, "\n"]).collect());
    }
    if format.contains('%') || format.starts_with('-') || !values.is_empty() {
        return None;
    }
    let mut pieces = format.split('\\');
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (escaped, rest) = piece.split_at_checked(1)?;
        text.push(match escaped {
            "n" => '\n',
            "t" => '\t',
            _ => return None,
        });
        text.push_str(rest);
    }
    Some(text)
}

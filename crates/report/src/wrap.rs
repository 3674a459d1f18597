//! Breaks long sentences for a terminal, with their lines below each other.
//!
//! A name between backticks or quotes is never broken, and a line that holds a command or a piece of a log stays as it is:
//! readers copy them, and a terminal that breaks a line itself does not spoil the copy.

/// Terminals that are narrower get the lines as they are.
const NARROWEST: usize = 40;
/// The words with which sentences begin that are broken: levels and states, and marks of a list.
const LEVELS: &[&str] = &["error", "warning", "note", "incomplete", "unknown", "defeated", "weak", "good", "unseen"];
const MARKS: &[&str] = &["fix:", "help:", "-"];
/// The start of a line that holds a verdict and its meaning.
const HEADING: &str = "gate in CI: ";

/// The text for a terminal of this width.
pub fn wrapped(text: &str, width: usize) -> String {
    broken(text, width, sentence)
}

/// Wraps text about a policy, of which every line is a sentence or the row of a table.
pub fn wrapped_rows(text: &str, width: usize) -> String {
    broken(text, width, |line| Some(sentence(line).unwrap_or_else(|| continuation(line, width))))
}

/// `indent`: the column at which a line continues; `None`: it stays whole.
fn broken(text: &str, width: usize, indent: impl Fn(&str) -> Option<usize>) -> String {
    if width < NARROWEST {
        return text.to_owned();
    }
    let mut shown = String::with_capacity(text.len() + text.len() / 16);
    for line in text.split_inclusive('\n') {
        let long = visible(line) > width;
        match if long { indent(line) } else { None } {
            Some(indent) => push_wrapped(line, indent, width, &mut shown),
            None => shown.push_str(line),
        }
    }
    shown
}

/// The column at which the last column of a row begins, if the terminal has room for words there, else two more than the line
/// is indented.
fn continuation(line: &str, width: usize) -> usize {
    let plain = plain(line);
    let indent = plain.chars().take_while(|character| *character == ' ').count();
    let characters: Vec<char> = plain.trim_end().chars().collect();
    let begins =
        |at: &usize| matches!(characters.get(at.saturating_sub(2)..=*at), Some([' ', ' ', word]) if *word != ' ');
    let columns: Vec<usize> = (indent + 2..characters.len()).filter(begins).collect();
    match columns.as_slice() {
        [_, _, .., last] if last + NARROWEST / 2 <= width => *last,
        _ => indent + 2,
    }
}

/// The column at which the sentence of a line continues; `None`: the line is no sentence.
fn sentence(line: &str) -> Option<usize> {
    let plain = plain(line);
    let rest = plain.trim_start();
    let indent = plain.chars().count() - rest.chars().count();
    let first = rest.split_whitespace().next()?;
    if plain.starts_with(HEADING) {
        return Some(HEADING.len());
    }
    if LEVELS.contains(&first) {
        // Reports pad levels with blanks, so that the texts behind them begin in one column.
        let after = rest.strip_prefix(first)?;
        let padding = after.chars().take_while(|character| *character == ' ').count();
        return (padding > 1).then(|| indent + first.chars().count() + padding);
    }
    (indent > 0 && MARKS.contains(&first)).then(|| indent + first.chars().count() + 1)
}

fn push_wrapped(line: &str, indent: usize, width: usize, shown: &mut String) {
    let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
    let body = line.trim_start();
    let mut column = visible(line) - visible(body);
    shown.extend(std::iter::repeat_n(' ', column));
    let mut is_first = true;
    for word in words(body) {
        let length = visible(word.trim_end());
        if !is_first && column + length > width && column > indent {
            shown.truncate(shown.trim_end_matches(' ').len());
            shown.push('\n');
            shown.extend(std::iter::repeat_n(' ', indent));
            column = indent;
        }
        shown.push_str(word);
        column += visible(word);
        is_first = false;
    }
    shown.push_str(end);
}

/// Pieces that stay whole, each with the blanks behind it.
fn words(text: &str) -> Vec<&str> {
    let (mut words, mut start, mut inside) = (Vec::new(), 0, None);
    let mut characters = text.char_indices().peekable();
    while let Some((_, character)) = characters.next() {
        match (inside, character) {
            (None, '`' | '"') => inside = Some(character),
            (Some(open), close) if open == close => inside = None,
            (None, ' ') => {
                if let Some((next, _)) = characters.peek().filter(|(_, next)| *next != ' ') {
                    words.extend(text.get(start..*next));
                    start = *next;
                }
            }
            _ => {}
        }
    }
    words.extend(text.get(start..));
    words
}

/// The characters that a terminal shows: none for colours.
fn visible(text: &str) -> usize {
    plain(text.trim_end_matches('\n')).chars().count()
}

fn plain(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, escape)) = rest.split_once('\u{1b}') {
        shown.push_str(before);
        rest = escape.split_once('m').map_or("", |(_, after)| after);
    }
    shown + rest
}

#[cfg(test)]
mod tests {
    use super::{wrapped, wrapped_rows};

    #[test]
    fn rows_continue_in_their_last_column() {
        let text = "F01 compound commands  21  20  0  the command stands behind another one, or in a loop\nBlocks 1 call of `a name that is longer than what is left`, by an entry\n    help: list what is needed, or refuse what is not known\n";
        let expected = "F01 compound commands  21  20  0  the command stands behind\n                                  another one, or in a loop\nBlocks 1 call of `a name that is longer than what is left`,\n  by an entry\n    help: list what is needed, or refuse what is not known\n";
        assert_eq!(wrapped_rows(text, 60), expected);
        assert_eq!(wrapped_rows(text, 200), text);
        assert_eq!(wrapped(text, 60), text);
    }

    #[test]
    fn sentences_are_broken_between_words_alone() {
        let text = "  > a command of a log that is much longer than forty columns is left alone\n    \u{1b}[1merror  \u{1b}[0m  scope/read  reads `a file/with blanks.txt`: denied by an entry\n             fix: let the agent do without this file, or not\nplain words of a heading that are longer than forty columns\n";
        let expected = "  > a command of a log that is much longer than forty columns is left alone\n    \u{1b}[1merror  \u{1b}[0m  scope/read  reads\n             `a file/with blanks.txt`:\n             denied by an entry\n             fix: let the agent do\n                  without this file, or\n                  not\nplain words of a heading that are longer than forty columns\n";
        assert_eq!(wrapped(text, 40), expected);
        assert_eq!(wrapped(text, 200), text);
        assert_eq!(wrapped(text, 10), text);
    }

    #[test]
    fn lines_of_a_table_of_states_are_broken() {
        let text =
            "gate in CI: none (no change has to pass the gate)\n  defeated  gate/there        no job judges changes\n";
        let expected = "gate in CI: none (no change has to pass\n            the gate)\n  defeated  gate/there        no job\n            judges changes\n";
        assert_eq!(wrapped(text, 40), expected);
    }

    #[test]
    fn what_is_copied_stays_whole() {
        let name = "x".repeat(90);
        let text = format!("    error    scope/read  reads `{name}`: denied\n");
        let shown = wrapped(&text, 60);
        assert!(shown.contains(&format!("`{name}`")), "{shown}");
        assert_eq!(shown.split_whitespace().collect::<Vec<_>>(), text.split_whitespace().collect::<Vec<_>>());
    }
}

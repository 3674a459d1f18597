//! Recipes in languages that nothing here evaluates: the commands that their lines spell.

use crate::command::machine::Machine;

/// Lines of a recipe that are looked at, and the places in each where a command may begin.
const LINES: usize = 2_000;
const PLACES: usize = 16;

impl Machine<'_> {
    /// What a line spells as a command may run: behind a key or a keyword, as a quoted text, or as a list of words.
    pub(super) fn guess_recipe(&mut self, text: &str) {
        for line in text.lines().take(LINES).map(str::trim).filter(|line| !is_comment(line)) {
            let pieces = pieces(line);
            for (at, piece) in pieces.iter().enumerate() {
                let listed = piece.quoted && !piece.text.contains(char::is_whitespace);
                let list = pieces.get(at..).unwrap_or_default().iter().take_while(|next| listed && next.quoted);
                let list: Vec<&str> = list.map(|next| next.text).collect();
                if list.len() > 1 {
                    self.guess_text(&list.join(" "));
                } else {
                    self.guess_piece(piece);
                }
            }
        }
    }

    fn guess_piece(&mut self, piece: &Piece<'_>) {
        let text = piece.text.trim();
        // A program alone is a word like others.
        if !text.contains(char::is_whitespace) {
            return;
        }
        self.guess_text(text);
        if piece.quoted {
            return;
        }
        if let Some((_, behind)) = text.split_once(char::is_whitespace) {
            self.guess_text(behind.trim());
        }
        for (at, _) in text.match_indices(['=', ':', '!', '|', '>', '[', '{', '(']).take(PLACES) {
            let behind = text.get(at + 1..).unwrap_or_default().trim_end_matches([']', '}', ')', ';', ',']).trim();
            if behind.contains(char::is_whitespace) {
                self.guess_text(behind);
            }
        }
    }
}

fn is_comment(line: &str) -> bool {
    line.is_empty() || ["#", "//", "--", "<!--", "*", ";"].iter().any(|mark| line.starts_with(mark))
}

#[derive(Debug, PartialEq)]
struct Piece<'t> {
    text: &'t str,
    quoted: bool,
}

/// The texts of a line, quoted or not. The content of an element counts as quoted, its tags only separate.
fn pieces(line: &str) -> Vec<Piece<'_>> {
    let mut pieces = vec![Piece { text: line, quoted: false }];
    let mut rest = line;
    let mut marks = vec!['"', '\'', '`', '>'];
    while let Some(at) = rest.find(marks.as_slice()).filter(|_| pieces.len() <= 4 * PLACES) {
        let mark = rest.get(at..at + 1).unwrap_or_default();
        let behind = rest.get(at + 1..).unwrap_or_default();
        let end = if mark == ">" { "<" } else { mark };
        if let Some((text, after)) = behind.split_once(end) {
            if !text.trim().is_empty() {
                pieces.push(Piece { text: text.trim(), quoted: true });
            }
            rest = after;
        } else {
            // No later one has a partner either; looking again would take quadratic time.
            marks.retain(|other| !mark.starts_with(*other));
            rest = behind;
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::pieces;

    #[test]
    fn quotes_and_tags_divide_a_line() {
        let texts = |line| pieces(line).into_iter().skip(1).map(|piece| piece.text.to_owned()).collect::<Vec<_>>();
        assert_eq!(texts("run('sudo', \"id\")"), ["sudo", "id"]);
        assert_eq!(texts("<a>sudo</a><b><c>id</c></b>"), ["sudo", "id"]);
        assert_eq!(texts("<exec executable='sudo'><arg value='id'/></exec>"), ["sudo", "id"]);
        assert_eq!(texts("it's"), Vec::<String>::new());
    }
}

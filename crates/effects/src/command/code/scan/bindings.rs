//! Names that a program binds without an assignment to one name.

use super::super::lexer::Token;
use super::Scan;
use super::tokens::name_of;

impl Scan<'_> {
    /// Finds the names that get values in other ways than `name = …`: parameters, loops, several at once.
    pub(super) fn bound_elsewhere<'t>(&self, tokens: &'t [Token]) -> Vec<&'t str> {
        let mut bound = Vec::new();
        for (at, token) in tokens.iter().enumerate() {
            let behind = tokens.get(at + 1..).unwrap_or_default();
            let before = tokens.get(..at).unwrap_or_default();
            match token {
                Token::Name(word) if matches!(word.as_str(), "def" | "function" | "sub") => {
                    let list = behind.iter().take(2).position(|token| *token == Token::Mark('('));
                    let parameters = list.map(|open| self.looks.group(behind.get(open..).unwrap_or_default()).0);
                    let parameters = parameters.unwrap_or_default();
                    bound.extend(names(parameters));
                }
                Token::Name(word) if word == "lambda" => {
                    bound.extend(names(self.looks.until(behind, |token| *token == Token::Mark(':'))));
                }
                Token::Name(word) if matches!(word.as_str(), "for" | "foreach") => {
                    let is_end =
                        |token: &Token| matches!(token, Token::Name(word) if matches!(word.as_str(), "in" | "of"));
                    let targets = self.looks.until(behind.get(..12.min(behind.len())).unwrap_or_default(), is_end);
                    bound.extend(names(targets).skip(1));
                }
                // `a => …`, `(a, b) => …`, `|a|`
                Token::Mark('=') if matches!(behind.first(), Some(Token::Mark('>'))) => {
                    let list = match before.last() {
                        Some(Token::Mark(')')) => {
                            let back = self.looks.back(before, |token| *token == Token::Mark('('));
                            before.get(before.len() - back.map_or(0, |back| back + 1)..).unwrap_or_default()
                        }
                        Some(_) => before.get(at - 1..).unwrap_or_default(),
                        None => &[],
                    };
                    bound.extend(names(list));
                }
                Token::Mark('|') => bound.extend(names(
                    self.looks.until(behind.get(..6.min(behind.len())).unwrap_or_default(), |token| {
                        *token == Token::Mark('|')
                    }),
                )),
                // `a, b = …`
                Token::Mark('=') if !matches!(behind.first(), Some(Token::Mark('='))) => {
                    let start = before
                        .iter()
                        .rposition(|token| matches!(token, Token::End | Token::Mark('=')))
                        .map_or(0, |at| at + 1);
                    let targets = before.get(start..).unwrap_or_default();
                    let is_list = targets.contains(&Token::Mark(','))
                        && !targets.iter().any(|token| matches!(token, Token::Text(_)));
                    // Within a call it names an argument.
                    let opens = targets.iter().filter(|token| matches!(token, Token::Mark('('))).count();
                    let closes = targets.iter().filter(|token| matches!(token, Token::Mark(')'))).count();
                    if is_list && opens == closes && targets.len() <= 64 {
                        bound.extend(names(targets));
                    }
                }
                _ => {}
            }
        }
        bound
    }
}

fn names(tokens: &[Token]) -> impl Iterator<Item = &str> {
    tokens.iter().filter_map(|token| name_of(Some(token)))
}

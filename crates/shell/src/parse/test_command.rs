//! `[[ … ]]`.

use super::Parser;
use super::word::Context;
use crate::{Node, Part, Problem, Word};

const OPERATORS: &[&str] = &["&&", "||", "(", ")", "<", ">"];

/// Operators whose operands are expressions, and those whose operand names a variable or an element.
const NUMERIC: &[&str] = &["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];
const NAMING: &[&str] = &["-v", "-R"];

/// `[[ $x -eq 1 ]]` evaluates what `x` holds as an expression.
fn evaluate_numbers(words: &mut [Word]) {
    let operators: Vec<String> = words.iter().map(|word| word.source.clone()).collect();
    for (index, word) in words.iter_mut().enumerate() {
        let before = index.checked_sub(1).and_then(|at| operators.get(at)).map_or("", String::as_str);
        let behind = operators.get(index + 1).map_or("", String::as_str);
        if NUMERIC.contains(&before) || NUMERIC.contains(&behind) || NAMING.contains(&before) {
            let parts = std::mem::take(&mut word.parts);
            word.parts = vec![super::arithmetic::part(parts, &word.source)];
        }
    }
}

impl Parser<'_> {
    pub(super) fn test_command(&mut self) -> Node {
        let mut words = Vec::new();
        let mut context = Context::Plain;
        loop {
            self.skip_lines();
            if self.plain_word() == "]]" {
                self.pos += 2;
                break;
            }
            if self.at_end() {
                self.problem(Problem::TestNotClosed);
                break;
            }
            let Some(word) = self.test_word(context) else {
                self.problem(Problem::TestNotUnderstood);
                break;
            };
            context = if word.source == "=~" { Context::Regex } else { Context::Plain };
            words.push(word);
        }
        evaluate_numbers(&mut words);
        Node::Test(words)
    }

    fn test_word(&mut self, context: Context) -> Option<Word> {
        if context == Context::Plain && !self.starts_with("<(") && !self.starts_with(">(") {
            for operator in OPERATORS {
                let start = self.pos;
                if self.eat(operator) {
                    let source = (*operator).to_owned();
                    let span = self.span_since(start);
                    return Some(Word { parts: vec![Part::Literal(source.clone())], source, span });
                }
            }
        }
        self.word(context)
    }
}

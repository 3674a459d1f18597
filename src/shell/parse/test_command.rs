//! `[[ … ]]`.

use super::Parser;
use super::word::Context;
use crate::shell::{Node, Part, Word};

const OPERATORS: &[&str] = &["&&", "||", "(", ")", "<", ">"];

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
                self.problem("a test is not closed");
                break;
            }
            match self.test_word(context) {
                Some(word) => {
                    context = if word.source == "=~" { Context::Regex } else { Context::Plain };
                    words.push(word);
                }
                None => {
                    self.problem("a test that is not understood");
                    break;
                }
            }
        }
        Node::Test(words)
    }

    fn test_word(&mut self, context: Context) -> Option<Word> {
        if context == Context::Plain && !self.starts_with("<(") && !self.starts_with(">(") {
            for operator in OPERATORS {
                if self.eat(operator) {
                    let source = (*operator).to_owned();
                    return Some(Word { parts: vec![Part::Literal(source.clone())], source });
                }
            }
        }
        self.word(context)
    }
}

//! Compound commands.

use std::sync::Arc;

use super::Parser;
use super::command::plain_text;
use super::word::Context;
use crate::{Node, Operation, Part, Problem, Quoting, Script, Variable, Word};

impl Parser<'_> {
    /// The compound command that starts here.
    pub(super) fn compound(&mut self) -> Option<Node> {
        match self.peek()? {
            b'(' => return Some(self.parentheses()),
            b'[' | b'{' | b'a'..=b'z' => {}
            _ => return None,
        }
        let word = self.plain_word();
        let known =
            matches!(word, "{" | "[[" | "if" | "while" | "until" | "for" | "select" | "case" | "function" | "coproc");
        if !known {
            return None;
        }
        self.pos += word.len();
        Some(match word {
            "{" => self.group(),
            "[[" => self.test_command(),
            "if" => self.if_command(),
            "while" | "until" => self.while_command(),
            "for" => self.for_command(),
            "select" => self.for_words(),
            "case" => self.case_command(),
            "function" => self.function_command(),
            _ => self.coproc(),
        })
    }

    /// `(( … ))` or `( … )`.
    fn parentheses(&mut self) -> Node {
        let start = self.pos;
        if self.byte(1) == Some(b'(')
            && let Some(end) = self.arithmetic_end(self.pos + 2)
        {
            self.pos += 2;
            let part = self.arithmetic(end);
            self.pos = self.pos.max(end + 2);
            return Node::Test(vec![Word {
                parts: vec![part],
                source: self.since(start).to_owned(),
                span: self.span_since(start),
            }]);
        }
        self.pos += 1;
        let script = self.script();
        if !self.eat(")") {
            self.problem(Problem::SubshellNotClosed);
        }
        Node::Subshell(Box::new(script))
    }

    fn group(&mut self) -> Node {
        let script = self.script();
        self.expect_word("}");
        Node::Group(Box::new(script))
    }

    fn if_command(&mut self) -> Node {
        let mut conditions = vec![self.script()];
        let mut bodies = Vec::new();
        loop {
            self.expect_word("then");
            bodies.push(self.script());
            if !self.eat_word("elif") {
                break;
            }
            conditions.push(self.script());
        }
        bodies.push(if self.eat_word("else") { self.script() } else { Script::default() });
        self.expect_word("fi");
        Node::Branches { conditions, bodies }
    }

    fn while_command(&mut self) -> Node {
        let condition = Box::new(self.script());
        let body = Box::new(self.do_body());
        Node::Loop { variable: None, condition, body }
    }

    /// `do … done`, or the old `{ …; }`.
    fn do_body(&mut self) -> Script {
        self.skip_lines();
        let braces = self.eat_word("{");
        if !braces {
            self.expect_word("do");
        }
        let body = self.script();
        self.expect_word(if braces { "}" } else { "done" });
        body
    }

    fn for_command(&mut self) -> Node {
        self.skip_blanks();
        if !self.starts_with("((") {
            return self.for_words();
        }
        let start = self.pos;
        let Some(end) = self.arithmetic_end(self.pos + 2) else {
            self.problem(Problem::CompoundIncomplete);
            self.pos += 2;
            return Node::Group(Box::new(self.script()));
        };
        self.pos += 2;
        let part = self.arithmetic(end);
        self.pos = self.pos.max(end + 2);
        let test = Node::Test(vec![Word {
            parts: vec![part],
            source: self.since(start).to_owned(),
            span: self.span_since(start),
        }]);
        self.skip_blanks();
        self.eat(";");
        let body = Box::new(self.do_body());
        Node::Loop { variable: None, condition: Box::new(Script { nodes: vec![test], problems: Vec::new() }), body }
    }

    /// `for name in words; do … done`, and `select`.
    fn for_words(&mut self) -> Node {
        self.skip_blanks();
        let name = self.operand(Context::Plain).source;
        self.skip_lines();
        let words = if self.eat_word("in") {
            let mut words = Vec::new();
            loop {
                self.skip_blanks();
                self.skip_comment();
                match self.word(Context::Command) {
                    Some(word) => words.push(word),
                    None => break words,
                }
            }
        } else {
            vec![all_parameters()]
        };
        self.skip_blanks();
        self.eat(";");
        let body = Box::new(self.do_body());
        Node::Loop { variable: Some((name, words)), condition: Box::default(), body }
    }

    fn case_command(&mut self) -> Node {
        self.skip_blanks();
        let word = self.operand(Context::Plain);
        self.skip_lines();
        self.expect_word("in");
        let mut arms = Vec::new();
        loop {
            self.skip_lines();
            if self.eat_word("esac") {
                break;
            }
            let before = self.pos;
            let patterns = self.patterns();
            let body = self.script();
            arms.push((patterns, body));
            if !(self.eat(";;&") || self.eat(";;") || self.eat(";&")) {
                self.expect_word("esac");
                break;
            }
            if self.pos == before {
                break;
            }
        }
        Node::Case { word, arms }
    }

    /// `a | b)`.
    fn patterns(&mut self) -> Vec<Word> {
        self.eat("(");
        let mut patterns = Vec::new();
        loop {
            self.skip_blanks();
            patterns.extend(self.word(Context::Plain));
            self.skip_blanks();
            if self.eat(")") {
                return patterns;
            }
            if !self.eat("|") {
                self.problem(Problem::CasePatternNotClosed);
                return patterns;
            }
        }
    }

    /// `function name [()] body`.
    fn function_command(&mut self) -> Node {
        self.skip_blanks();
        let name = plain_text(&self.operand(Context::Plain));
        self.skip_blanks();
        if self.eat("(") {
            self.skip_blanks();
            if !self.eat(")") {
                self.problem(Problem::FunctionNotUnderstood);
            }
        }
        self.function_body(name)
    }

    pub(super) fn function_body(&mut self, name: String) -> Node {
        self.skip_lines();
        let body = self.deeper(|parser| {
            let nodes: Vec<Node> = parser.command().into_iter().collect();
            if nodes.is_empty() {
                parser.problem(Problem::FunctionWithoutBody);
            }
            Script { nodes, problems: Vec::new() }
        });
        Node::Function { name, body: Arc::new(body) }
    }

    /// `coproc [name] command`: a name counts only before a compound command.
    fn coproc(&mut self) -> Node {
        self.skip_blanks();
        let start = self.pos;
        let name = self.plain_word();
        if !name.is_empty() {
            self.pos += name.len();
            self.skip_blanks();
            let compound = self.peek() == Some(b'(')
                || matches!(self.plain_word(), "{" | "[[" | "if" | "while" | "until" | "for" | "select" | "case");
            let is_keyword = matches!(name, "{" | "[[" | "if" | "while" | "until" | "for" | "select" | "case");
            if is_keyword || !compound {
                self.pos = start;
            }
        }
        let name = if self.pos == start { "COPROC" } else { name }.to_owned();
        let node = self.deeper(Self::command);
        if node.is_none() {
            self.problem(Problem::CompoundIncomplete);
        }
        Node::Coprocess { name, node: Box::new(node.unwrap_or_else(|| Node::Group(Box::default()))) }
    }
}

/// `"$@"`
fn all_parameters() -> Word {
    let variable =
        Variable { name: "@".to_owned(), quoting: Quoting::Quoted, operation: Operation::Plain, subscript: None };
    Word { parts: vec![Part::Variable(Box::new(variable))], source: "\"$@\"".to_owned(), span: None }
}

//! Lists: `;`, newlines, `&`, `&&`, `||`, and pipelines.

use super::Parser;
use crate::{Connector, Node, Problem, Script};

/// Words that end a list where a command could start.
const CLOSING: &[&str] = &["then", "else", "elif", "fi", "do", "done", "esac", "}"];

impl Parser<'_> {
    /// Commands up to the end or to something that closes: `)`, `;;`, `}`, `fi` and the like.
    pub(super) fn list(&mut self, nodes: &mut Vec<Node>) {
        loop {
            self.skip_lines();
            if self.at_closing() {
                return;
            }
            let before = self.pos;
            if let Some(node) = self.and_or() {
                nodes.push(self.terminated(node));
            }
            if self.pos == before {
                self.problem(Problem::StrayCharacter);
                self.bump();
            }
        }
    }

    /// A list one level down: a body, a condition. Its heredocs may have their bodies behind it
    /// (`if cat <<E; then …`), so they and its problems belong to the script around it.
    pub(super) fn script(&mut self) -> Script {
        self.deeper(|parser| {
            let mut nodes = Vec::new();
            parser.list(&mut nodes);
            Script { nodes, problems: Vec::new() }
        })
    }

    fn at_closing(&self) -> bool {
        match self.peek() {
            None | Some(b')') => true,
            Some(b';') => matches!(self.byte(1), Some(b';' | b'&')),
            Some(b't' | b'e' | b'f' | b'd' | b'}') => CLOSING.contains(&self.plain_word()),
            Some(_) => false,
        }
    }

    /// Steps over a closing token that nothing waits for.
    pub(super) fn skip_stray(&mut self) {
        let word = self.plain_word().len();
        if word > 0 {
            self.pos += word;
        } else {
            self.bump();
        }
    }

    /// Reads what ends a command: `;`, `&`, or nothing (a newline is the list's).
    fn terminated(&mut self, node: Node) -> Node {
        self.skip_blanks();
        match (self.peek(), self.byte(1)) {
            (Some(b'&'), _) => {
                self.pos += 1;
                Node::Background(Box::new(node))
            }
            (Some(b';'), Some(b';' | b'&')) => node,
            (Some(b';'), _) => {
                self.pos += 1;
                node
            }
            _ => node,
        }
    }

    fn and_or(&mut self) -> Option<Node> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            self.skip_blanks();
            let connector = if self.eat("&&") {
                Connector::And
            } else if self.eat("||") {
                Connector::Or
            } else {
                break;
            };
            self.skip_lines();
            match self.pipeline() {
                Some(node) => rest.push((connector, node)),
                None => self.problem(Problem::OperatorWithoutCommand),
            }
        }
        if rest.is_empty() { Some(first) } else { Some(Node::AndOr { first: Box::new(first), rest }) }
    }

    fn pipeline(&mut self) -> Option<Node> {
        let negated = self.pipeline_prefix();
        let mut stages = vec![self.command()?];
        loop {
            self.skip_blanks();
            if self.starts_with("||") || !(self.eat("|&") || self.eat("|")) {
                break;
            }
            self.skip_lines();
            match self.command() {
                Some(node) => stages.push(node),
                None => self.problem(Problem::OperatorWithoutCommand),
            }
        }
        let node = if stages.len() == 1 { stages.pop()? } else { Node::Pipeline(stages) };
        Some(if negated { Node::Negated(Box::new(node)) } else { node })
    }
}

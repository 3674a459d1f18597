//! Tokens → containers, with every comment at what it is about.

use std::iter::Peekable;
use std::vec::IntoIter;

use super::tokens::{Apart, Kind, Token, tokens};

/// A comment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Comment<'a> {
    pub(super) text: &'a str,
    /// An empty line stands before it.
    pub(super) set_off: bool,
    /// It takes the rest of its line.
    ends_line: bool,
}

/// A value with its key, if it is a member of an object.
#[derive(Debug)]
pub(super) struct Node<'a> {
    /// On lines of their own before it.
    pub(super) before: Vec<Comment<'a>>,
    /// An empty line stands before it.
    pub(super) set_off: bool,
    /// It is in the line of what is before it.
    pub(super) beside: bool,
    pub(super) key: Option<&'a str>,
    pub(super) value: Value<'a>,
    /// Behind it, in its last line.
    pub(super) behind: Vec<Comment<'a>>,
}

#[derive(Debug)]
pub(super) enum Value<'a> {
    Scalar(&'a str),
    Container(Container<'a>),
}

#[derive(Debug)]
pub(super) struct Container<'a> {
    pub(super) is_object: bool,
    pub(super) members: Vec<Node<'a>>,
    /// Behind the last member, on lines of their own.
    pub(super) end: Vec<Comment<'a>>,
}

/// The whole text, as the one member of a list without brackets.
pub(super) fn read(text: &str) -> Container<'_> {
    Reader { tokens: tokens(text).into_iter().peekable() }.members(false)
}

struct Reader<'a> {
    tokens: Peekable<IntoIter<Token<'a>>>,
}

impl<'a> Reader<'a> {
    /// Up to the closing bracket, which is taken, too. Depth is limited by whoever checked that this is JSON.
    fn members(&mut self, is_object: bool) -> Container<'a> {
        let mut members: Vec<Node<'a>> = Vec::new();
        let mut waiting = Vec::new();
        while let Some(token) = self.tokens.next() {
            match token.kind {
                Kind::Close => break,
                Kind::LineComment | Kind::BlockComment => {
                    let comment = comment(token);
                    match members.last_mut() {
                        Some(last) if waiting.is_empty() && self.is_behind(token, last) => last.behind.push(comment),
                        _ => waiting.push(comment),
                    }
                }
                Kind::Open | Kind::Scalar => {
                    let before = std::mem::take(&mut waiting);
                    members.push(self.member(token, before, is_object));
                }
                Kind::Comma | Kind::Colon => {}
            }
        }
        Container { is_object, members, end: waiting }
    }

    /// Whether a comment belongs to the member in front of it.
    fn is_behind(&mut self, token: Token<'_>, last: &Node<'_>) -> bool {
        let next = self.tokens.peek();
        // `"a", /* of b */ "b"`: what follows in the same line is what it is about.
        let leads = token.kind == Kind::BlockComment
            && next.is_some_and(|next| {
                next.apart == Apart::Beside && matches!(next.kind, Kind::Open | Kind::Scalar | Kind::BlockComment)
            });
        token.apart == Apart::Beside && !leads && last.behind.iter().all(|comment| !comment.ends_line)
    }

    fn member(&mut self, first: Token<'a>, mut before: Vec<Comment<'a>>, is_object: bool) -> Node<'a> {
        let key = is_object.then_some(first.text);
        let mut value = first;
        if is_object {
            // A comment between key and value has no better place than before both.
            for token in self.tokens.by_ref() {
                match token.kind {
                    Kind::LineComment | Kind::BlockComment => before.push(comment(token)),
                    Kind::Colon | Kind::Comma | Kind::Close => {}
                    Kind::Open | Kind::Scalar => {
                        value = token;
                        break;
                    }
                }
            }
        }
        let value = match value.kind {
            Kind::Open => Value::Container(self.members(value.text == "{")),
            _ => Value::Scalar(value.text),
        };
        let (set_off, beside) = (first.apart == Apart::BlankLine, first.apart == Apart::Beside);
        Node { before, set_off, beside, key, value, behind: Vec::new() }
    }
}

fn comment(token: Token<'_>) -> Comment<'_> {
    Comment { text: token.text, set_off: token.apart == Apart::BlankLine, ends_line: token.kind == Kind::LineComment }
}

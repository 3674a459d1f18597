//! Heredocs: the operator comes first, the body behind the line's end.

use std::sync::Arc;
use std::vec::IntoIter;

use super::Parser;
use super::word::Context;
use crate::{Home, Node, Part, Problem, Redirect, RedirectKind, Script, Word};

/// A heredoc whose body has not been read yet.
pub(super) struct Pending {
    delimiter: String,
    quoted: bool,
    tabs: LeadingTabs,
}

/// The tabs that lines of a heredoc start with count, or they do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LeadingTabs {
    /// `<<`
    Kept,
    /// `<<-`
    Stripped,
}

/// A body as read.
pub(super) struct Body {
    word: Word,
    quoted: bool,
}

impl Pending {
    pub(super) fn empty(self) -> Body {
        Body { word: Word::default(), quoted: self.quoted }
    }
}

impl Parser<'_> {
    /// Reads the delimiter behind `<<`; the body is put in place when the script is complete.
    pub(super) fn heredoc(&mut self, tabs: LeadingTabs) -> RedirectKind {
        self.skip_blanks();
        let start = self.pos;
        // The delimiter is never expanded: the word is read for its extent only, and so are its problems.
        let known = self.problems.len();
        self.parts(Context::Delimiter);
        self.problems.truncate(known);
        let raw = self.since(start);
        if raw.is_empty() {
            self.problem(Problem::HeredocWithoutDelimiter);
        }
        let quoted = raw.contains(['\'', '"', '\\']);
        self.pending.push(Pending { delimiter: unquote(raw), quoted, tabs });
        RedirectKind::Here { body: Word::default(), quoted }
    }

    /// Reads the bodies that start here, behind a newline.
    pub(super) fn read_heredocs(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            let mut body = String::new();
            let start = self.pos;
            if !self.read_body(&pending, &mut body) {
                self.problem(Problem::HeredocNotClosed);
            }
            // Without its tabs it is no piece of the text any more.
            let end = start.saturating_add(body.len());
            let as_written = self.text.get(start..end) == Some(body.as_str());
            let span = self.home.span(start, if as_written { end } else { self.pos });
            let home = if as_written { self.home.at(start) } else { Home::Within(span) };
            let parts =
                if pending.quoted { vec![Part::Quoted(body.clone())] } else { self.expanding_body(&body, home) };
            self.bodies.push(Body { word: Word { parts, source: body, span }, quoted: pending.quoted });
        }
    }

    /// Lines up to the delimiter; false if it never comes. Without quotes a backslash joins a line with the next, also
    /// where that would be the delimiter.
    fn read_body(&mut self, pending: &Pending, body: &mut String) -> bool {
        let mut joined = String::new();
        let mut line_start = 0;
        while !self.at_end() {
            let line = self.rest().split_inclusive('\n').next().unwrap_or_default();
            self.pos += line.len();
            let line = match pending.tabs {
                LeadingTabs::Kept => line,
                LeadingTabs::Stripped => line.trim_start_matches('\t'),
            };
            let plain = line.strip_suffix('\n').unwrap_or(line);
            body.push_str(line);
            let backslashes = plain.len() - plain.trim_end_matches('\\').len();
            if !pending.quoted && backslashes % 2 == 1 {
                joined.push_str(plain.strip_suffix('\\').unwrap_or(plain));
                continue;
            }
            joined.push_str(plain);
            if joined == pending.delimiter {
                body.truncate(line_start);
                return true;
            }
            joined.clear();
            line_start = body.len();
        }
        false
    }

    fn expanding_body(&mut self, body: &str, home: Home) -> Vec<Part> {
        let (parts, problems) = self.within(body, home, |inner| {
            let parts = inner.parts(Context::HereBody);
            (parts, std::mem::take(&mut inner.problems))
        });
        for problem in problems {
            self.problem(problem);
        }
        parts
    }
}

/// The delimiter without its quotes.
fn unquote(raw: &str) -> String {
    let mut text = String::new();
    let mut quote = None;
    let mut characters = raw.chars();
    while let Some(character) = characters.next() {
        match (character, quote) {
            ('\'' | '"', None) => quote = Some(character),
            (_, Some(open)) if open == character => quote = None,
            ('\\', None | Some('"')) => text.extend(characters.next().filter(|next| *next != '\n')),
            _ => text.push(character),
        }
    }
    text
}

/// Puts the bodies into the heredocs of `nodes`, both in the order of the text.
pub(super) fn place(nodes: &mut [Node], bodies: &mut IntoIter<Body>) {
    if bodies.len() == 0 {
        return;
    }
    for node in nodes {
        place_in(node, bodies);
    }
}

fn place_in(node: &mut Node, bodies: &mut IntoIter<Body>) {
    match node {
        Node::Simple(simple) => place_redirects(&mut simple.redirects, bodies),
        Node::Pipeline(stages) => place(stages, bodies),
        Node::AndOr { first, rest } => {
            place_in(first, bodies);
            for (_, node) in rest {
                place_in(node, bodies);
            }
        }
        Node::Subshell(script) | Node::Group(script) => place_script(script, bodies),
        Node::Background(node) | Node::Coprocess { node, .. } | Node::Negated(node) => place_in(node, bodies),
        Node::Branches { conditions, bodies: scripts } => {
            // In the text a condition stands before its body; the last body may be that of `else`.
            let mut conditions = conditions.iter_mut();
            for script in scripts {
                if let Some(condition) = conditions.next() {
                    place_script(condition, bodies);
                }
                place_script(script, bodies);
            }
        }
        Node::Loop { condition, body, .. } => {
            place_script(condition, bodies);
            place_script(body, bodies);
        }
        Node::Case { arms, .. } => {
            for (_, script) in arms {
                place_script(script, bodies);
            }
        }
        Node::Function { body, .. } => {
            if let Some(script) = Arc::get_mut(body) {
                place_script(script, bodies);
            }
        }
        Node::Test(_) => {}
        Node::Redirected { node, redirects } => {
            place_in(node, bodies);
            place_redirects(redirects, bodies);
        }
    }
}

fn place_script(script: &mut Script, bodies: &mut IntoIter<Body>) {
    place(&mut script.nodes, bodies);
}

fn place_redirects(redirects: &mut [Redirect], bodies: &mut IntoIter<Body>) {
    for redirect in redirects {
        if let RedirectKind::Here { body, quoted } = &mut redirect.kind
            && body.source.is_empty()
            && let Some(read) = bodies.next()
        {
            *body = read.word;
            *quoted = read.quoted;
        }
    }
}

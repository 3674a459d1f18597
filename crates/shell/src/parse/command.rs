//! Commands: words, assignments and redirections.

use super::Parser;
use super::heredoc::LeadingTabs;
use super::word::{Context, is_name};
use crate::{
    AssignedValue, Assignment, AssignmentOperator, Node, Part, Problem, Quoting, Redirect, RedirectKind, Simple, Word,
};

impl Parser<'_> {
    /// `time` and `!` in front of a pipeline; whether its status is turned round. Behind `|` bash takes `time` for a
    /// program.
    pub(super) fn pipeline_prefix(&mut self) -> bool {
        let mut negated = false;
        loop {
            self.skip_blanks();
            let start = self.pos;
            if self.eat_word("time") {
                self.skip_blanks();
                for option in ["-p", "--"] {
                    if self.starts_with(option) && self.byte(2).is_none_or(super::is_word_end) {
                        self.pos += 2;
                        self.skip_blanks();
                    }
                }
                // The program of that name has other options; a shell without the keyword runs it.
                if self.starts_with("-") {
                    self.pos = start;
                    return negated;
                }
            } else if self.eat_word("!") {
                negated = !negated;
            } else {
                return negated;
            }
        }
    }

    /// One stage of a pipeline. Nothing if no command starts here.
    pub(super) fn command(&mut self) -> Option<Node> {
        self.skip_blanks();
        let Some(left) = self.commands.checked_sub(1) else {
            self.problem(Problem::TooManyCommands);
            self.pos = self.end;
            return None;
        };
        self.commands = left;
        match self.compound() {
            Some(node) => Some(self.redirected(node)),
            None => self.simple(),
        }
    }

    /// Redirections behind a compound command.
    fn redirected(&mut self, node: Node) -> Node {
        let mut redirects = Vec::new();
        loop {
            self.skip_blanks();
            match self.redirect() {
                Some(redirect) => redirects.push(redirect),
                None => break,
            }
        }
        if redirects.is_empty() { node } else { Node::Redirected { node: Box::new(node), redirects } }
    }

    /// A simple command, or a function definition that looks like one at first.
    fn simple(&mut self) -> Option<Node> {
        let start = self.pos;
        let mut end = start;
        let mut simple = Simple {
            assignments: Vec::new(),
            words: Vec::new(),
            declared: Vec::new(),
            redirects: Vec::new(),
            span: None,
        };
        loop {
            self.skip_blanks();
            if let Some(redirect) = self.redirect() {
                simple.redirects.push(redirect);
            } else if let Some(assignment) = self.assignment_at(&simple) {
                self.add_assignment(&mut simple, assignment);
            } else if let Some(word) = self.command_word(&simple) {
                simple.words.push(word);
                if let Some(function) = self.function_behind(&simple) {
                    return Some(function);
                }
            } else if self.peek() == Some(b'(') && self.pos > start {
                self.stray_parenthesis(&mut simple);
            } else {
                break;
            }
            end = self.pos;
        }
        simple.span = self.home.span(start, end);
        (end > start).then_some(Node::Simple(simple))
    }

    fn command_word(&mut self, simple: &Simple) -> Option<Word> {
        match self.peek()? {
            b'#' => {
                self.skip_comment();
                None
            }
            b'\r' if matches!(self.byte(1), None | Some(b'\n')) && simple.words.is_empty() => {
                self.pos += 1;
                None
            }
            _ => self.word(Context::Command),
        }
    }

    /// An assignment where one may stand: before the first word, or as `a=(…)` behind a declaring builtin.
    fn assignment_at(&mut self, simple: &Simple) -> Option<(usize, Assignment)> {
        let start = self.pos;
        let declares = simple.declares();
        if !simple.words.is_empty() && !declares {
            return None;
        }
        let rest = self.rest();
        let length = rest.bytes().take_while(|b| *b == b'_' || b.is_ascii_alphanumeric()).count();
        super::count(length);
        let name = rest.get(..length).filter(|name| is_name(name))?.to_owned();
        self.pos += length;
        // The subscript is found before it is read: reading twice would double the work at each level.
        let index_end = if self.peek() == Some(b'[') { self.subscript_end(self.pos + 1) } else { None };
        let after = index_end.map_or(self.pos, |end| end + 1);
        let sign = self.text.get(after..self.end).unwrap_or("");
        let append = sign.starts_with("+=");
        let is_assignment = (append || sign.starts_with('=')) && (!declares || array_sign(sign));
        if !is_assignment {
            self.pos = start;
            return None;
        }
        let index = index_end.map(|end| self.index(end));
        let (width, operator) = if append { (2, AssignmentOperator::Append) } else { (1, AssignmentOperator::Set) };
        self.pos = after + width;
        let value = match (index, self.peek()) {
            (_, Some(b'(')) => AssignedValue::Array(self.array()),
            (Some(index), _) => AssignedValue::Element { index, value: self.operand(Context::Assignment) },
            (None, _) => AssignedValue::Scalar(self.operand(Context::Assignment)),
        };
        Some((start, Assignment { name, operator, value }))
    }

    fn add_assignment(&mut self, simple: &mut Simple, (start, assignment): (usize, Assignment)) {
        if simple.words.is_empty() {
            simple.assignments.push(assignment);
            return;
        }
        let source = self.since(start).to_owned();
        let span = self.span_since(start);
        simple.words.push(Word { parts: vec![Part::Literal(source.clone())], source, span });
        simple.declared.push(assignment);
    }

    /// The elements of `(…)`, over lines and comments.
    fn array(&mut self) -> Vec<Word> {
        self.pos += 1;
        self.deeper(|parser| {
            let mut elements = Vec::new();
            loop {
                parser.skip_lines();
                if parser.eat(")") {
                    return elements;
                }
                if parser.at_end() {
                    parser.problem(Problem::ArrayNotClosed);
                    return elements;
                }
                if let Some(word) = parser.word(Context::Command) {
                    elements.push(word);
                } else {
                    parser.problem(Problem::OperatorInArray);
                    parser.bump();
                }
            }
        })
    }

    /// `name ()` and its body.
    fn function_behind(&mut self, simple: &Simple) -> Option<Node> {
        let [word] = simple.words.as_slice() else { return None };
        if !simple.assignments.is_empty() || !simple.redirects.is_empty() {
            return None;
        }
        let start = self.pos;
        self.skip_blanks();
        if !self.eat("(") {
            self.pos = start;
            return None;
        }
        self.skip_blanks();
        if !self.eat(")") {
            self.pos = start;
            return None;
        }
        Some(self.function_body(plain_text(word)))
    }

    /// `echo (rm x)`: bash refuses the text; the commands inside are kept.
    fn stray_parenthesis(&mut self, simple: &mut Simple) {
        self.problem(Problem::StrayParenthesis);
        self.pos += 1;
        let start = self.pos;
        let script = self.script();
        self.eat(")");
        let source = self.since(start).to_owned();
        let span = self.span_since(start);
        simple.words.push(Word {
            parts: vec![Part::Substitution { script, quoting: Quoting::Unquoted }],
            source,
            span,
        });
    }

    pub(super) fn redirect(&mut self) -> Option<Redirect> {
        if !matches!(self.peek(), Some(b'<' | b'>' | b'&' | b'{' | b'0'..=b'9')) {
            return None;
        }
        let start = self.pos;
        let (descriptor, variable) = self.descriptor();
        let Some(kind) = self.redirect_kind() else {
            self.pos = start;
            return None;
        };
        Some(Redirect { kind, descriptor, variable, span: self.span_since(start) })
    }

    /// `2` or `{name}` right before an operator.
    fn descriptor(&mut self) -> (Option<u32>, Option<String>) {
        let rest = self.rest();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 {
            self.pos += digits;
            return (rest.get(..digits).and_then(|digits| digits.parse().ok()), None);
        }
        let named = rest.strip_prefix('{').and_then(|named| named.get(..named.floor_char_boundary(64)));
        let name = named.and_then(|named| named.split_once('}')).map(|(name, _)| name).filter(|name| is_name(name));
        let name = name.map(str::to_owned);
        self.pos += name.as_ref().map_or(0, |name| name.len() + 2);
        (None, name)
    }

    fn redirect_kind(&mut self) -> Option<RedirectKind> {
        if self.starts_with("<(") || self.starts_with(">(") {
            return None;
        }
        let here_string = self.eat("<<<");
        if here_string {
            return Some(RedirectKind::Here { body: self.target(), quoted: false });
        }
        if self.eat("<<-") {
            return Some(self.heredoc(LeadingTabs::Stripped));
        }
        if self.eat("<<") {
            return Some(self.heredoc(LeadingTabs::Kept));
        }
        if self.eat("&>>") || self.eat(">>") {
            return Some(RedirectKind::Append(self.target()));
        }
        if self.eat(">&") {
            return Some(duplicate_output(self.target()));
        }
        if self.eat("<&") {
            return Some(RedirectKind::DuplicateInput(self.target()));
        }
        if self.eat("<>") {
            return Some(RedirectKind::ReadWrite(self.target()));
        }
        if self.eat("&>") || self.eat(">|") || self.eat(">") {
            return Some(RedirectKind::Write(self.target()));
        }
        self.eat("<").then(|| RedirectKind::Read(self.target()))
    }

    fn target(&mut self) -> Word {
        self.skip_blanks();
        let word = self.word(Context::Command);
        if word.is_none() {
            self.problem(Problem::RedirectionWithoutTarget);
        }
        word.unwrap_or_default()
    }
}

/// The word without its quotes and line continuations.
pub(super) fn plain_text(word: &Word) -> String {
    let mut text = String::new();
    for part in &word.parts {
        match part {
            Part::Literal(part) | Part::Quoted(part) | Part::Glob(part) => text.push_str(part),
            _ => return word.source.clone(),
        }
    }
    text
}

/// `=(` or `+=(`
fn array_sign(sign: &str) -> bool {
    sign.strip_prefix('+').unwrap_or(sign).starts_with("=(")
}

/// `>&2`, `>&-` and `>&3-` move descriptors, and so may a target that is expanded first; other targets are files.
fn duplicate_output(target: Word) -> RedirectKind {
    let is_file = target.literal().is_some_and(|text| {
        let digits = text.strip_suffix('-').unwrap_or(&text);
        !digits.bytes().all(|byte| byte.is_ascii_digit())
    });
    if is_file { RedirectKind::Write(target) } else { RedirectKind::DuplicateOutput(target) }
}

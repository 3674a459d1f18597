//! Shell text as the engines take it apart: into simple commands, with what tells them apart from plain ones.
//!
//! It is the project's own grammar. How an engine joins the parts again is that engine's emulator's.

use agent_strace_shell::{Home, Node, Part, Redirect, RedirectKind, Script, Simple, Word};

/// How the commands of a text are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shape {
    /// Simple commands with `&&`, `||`, `;`, `|`, `&` and newlines between them.
    Plain,
    /// Something else is in it: a substitution, a loop, a subshell.
    Compound,
    /// The grammar does not cover it.
    Unparsed,
}

#[derive(Debug)]
pub(super) struct Reading {
    pub(super) shape: Shape,
    /// `&`: something runs on beside the text.
    pub(super) detached: bool,
    pub(super) pieces: Vec<Piece>,
}

/// One simple command.
#[derive(Debug)]
pub(super) struct Piece {
    /// From its first word to its last, as written.
    pub(super) text: String,
    /// The same with the assignments before it.
    pub(super) whole: String,
    /// Its words after quote removal; `None` where something is left to expand.
    pub(super) words: Vec<Option<String>>,
    /// Names of variables that are set for it.
    pub(super) assigned: Vec<String>,
    /// Files that its output goes to; `None` where the name is not literal.
    pub(super) written: Vec<Option<String>>,
    pub(super) redirected: bool,
    pub(super) heredoc: bool,
    /// An unquoted `*`, `?` or `[`.
    pub(super) globs: bool,
    /// It stands in the text itself, not inside of a substitution, a loop or a subshell.
    pub(super) outside: bool,
}

impl Piece {
    /// Its literal words, up to the first that is none.
    pub(super) fn literals(&self) -> Vec<&str> {
        self.words.iter().map_while(Option::as_deref).collect()
    }

    pub(super) fn all_literal(&self) -> bool {
        self.words.iter().all(Option::is_some)
    }
}

pub(super) fn read(text: &str) -> Reading {
    let script = agent_strace_shell::parse_at(text, Home::piece(0, text.len()));
    let mut walk = Walk { text, shape: Shape::Plain, detached: false, pieces: Vec::new() };
    walk.script(&script, true);
    if !script.problems.is_empty() {
        walk.shape = Shape::Unparsed;
    }
    Reading { shape: walk.shape, detached: walk.detached, pieces: walk.pieces }
}

struct Walk<'a> {
    text: &'a str,
    shape: Shape,
    detached: bool,
    pieces: Vec<Piece>,
}

impl Walk<'_> {
    fn script(&mut self, script: &Script, outside: bool) {
        for node in &script.nodes {
            self.node(node, outside);
        }
    }

    fn inside(&mut self, script: &Script) {
        self.shape = self.shape.max(Shape::Compound);
        self.script(script, false);
    }

    fn node(&mut self, node: &Node, outside: bool) {
        match node {
            Node::Simple(simple) => self.simple(simple, outside),
            Node::Pipeline(nodes) => {
                for node in nodes {
                    self.node(node, outside);
                }
            }
            Node::Negated(node) => self.node(node, outside),
            Node::AndOr { first, rest } => {
                self.node(first, outside);
                for (_, node) in rest {
                    self.node(node, outside);
                }
            }
            Node::Background(node) | Node::Coprocess { node, .. } => {
                self.detached = true;
                self.node(node, outside);
            }
            Node::Subshell(script) | Node::Group(script) => self.inside(script),
            Node::Function { body, .. } => self.inside(body),
            Node::Branches { conditions, bodies } => {
                for script in conditions.iter().chain(bodies) {
                    self.inside(script);
                }
            }
            Node::Loop { variable, condition, body } => {
                for word in variable.iter().flat_map(|(_, words)| words) {
                    self.word(word);
                }
                self.inside(condition);
                self.inside(body);
            }
            Node::Case { word, arms } => {
                self.word(word);
                for (_, script) in arms {
                    self.inside(script);
                }
            }
            Node::Test(words) => {
                self.shape = self.shape.max(Shape::Compound);
                for word in words {
                    self.word(word);
                }
            }
            Node::Redirected { node, redirects } => {
                self.shape = self.shape.max(Shape::Compound);
                for redirect in redirects {
                    self.target(redirect);
                }
                self.node(node, false);
            }
        }
    }

    fn simple(&mut self, simple: &Simple, outside: bool) {
        for word in &simple.words {
            self.word(word);
        }
        for redirect in &simple.redirects {
            self.target(redirect);
        }
        let assigned = simple.assignments.iter().map(|assignment| assignment.name.clone()).collect();
        let span = simple.words.iter().filter_map(|word| word.span).reduce(agent_strace_shell::Span::join);
        let joined = || simple.words.iter().map(|word| word.source.as_str()).collect::<Vec<_>>().join(" ");
        let text = span.and_then(|span| span.slice(self.text)).map_or_else(joined, str::to_owned);
        let from = simple.span.and_then(|all| agent_strace_shell::Span::new(all.start(), span?.end()));
        let whole = from.and_then(|span| span.slice(self.text)).unwrap_or(&text).to_owned();
        let kinds = || simple.redirects.iter().map(|redirect| &redirect.kind);
        self.pieces.push(Piece {
            whole,
            words: simple.words.iter().map(|word| word.literal().map(std::borrow::Cow::into_owned)).collect(),
            assigned,
            written: kinds().filter_map(written).collect(),
            redirected: kinds()
                .any(|kind| !matches!(kind, RedirectKind::DuplicateInput(_) | RedirectKind::DuplicateOutput(_))),
            heredoc: kinds().any(|kind| matches!(kind, RedirectKind::Here { .. })),
            globs: simple.words.iter().flat_map(|word| &word.parts).any(|part| matches!(part, Part::Glob(_))),
            outside,
            text,
        });
    }

    fn target(&mut self, redirect: &Redirect) {
        match &redirect.kind {
            RedirectKind::Read(word)
            | RedirectKind::Write(word)
            | RedirectKind::Append(word)
            | RedirectKind::ReadWrite(word)
            | RedirectKind::DuplicateInput(word)
            | RedirectKind::DuplicateOutput(word)
            | RedirectKind::Here { body: word, .. } => self.word(word),
        }
    }

    /// Looks for commands inside of a word.
    fn word(&mut self, word: &Word) {
        for part in &word.parts {
            match part {
                Part::Substitution { script, .. } | Part::Process { script, .. } => self.inside(script),
                Part::Arithmetic { scripts, .. } => scripts.iter().for_each(|script| self.inside(script)),
                Part::Brace(words) => words.iter().for_each(|word| self.word(word)),
                Part::Unknown(_) => self.shape = self.shape.max(Shape::Compound),
                Part::Literal(_) | Part::Quoted(_) | Part::Glob(_) | Part::Tilde(_) | Part::Variable(_) => {}
            }
        }
    }
}

#[expect(clippy::option_option, reason = "no file, one that is not known, and a name are three answers")]
fn written(kind: &RedirectKind) -> Option<Option<String>> {
    match kind {
        RedirectKind::Write(word) | RedirectKind::Append(word) | RedirectKind::ReadWrite(word) => {
            Some(word.literal().map(std::borrow::Cow::into_owned))
        }
        RedirectKind::Read(_)
        | RedirectKind::DuplicateInput(_)
        | RedirectKind::DuplicateOutput(_)
        | RedirectKind::Here { .. } => None,
    }
}

//! Text for a shell → the commands in it, wherever in its grammar they stand.

use crate::shell::{Home, Node, Part, Redirect, RedirectKind, Script, Simple, Word, parse_at};

/// Commands in scripts in commands: deeper ones are not looked at, and the parser has its own bound.
const DEEPEST: usize = 64;

/// One simple command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Command {
    /// As far as they are literal; else as written.
    pub(crate) words: Vec<String>,
    /// Files that its output goes to.
    pub(crate) written: Vec<String>,
    /// The pipeline it stands in, and its place there.
    pub(crate) pipeline: usize,
    pub(crate) stage: usize,
    /// The place, among all, of the command whose words it is computed for: `bash <(curl …)`, `eval "$(curl …)"`.
    pub(crate) within: Option<usize>,
}

/// All commands of a text, those of substitutions behind the command that uses them.
pub(crate) fn commands(text: &str) -> Vec<Command> {
    let mut walk = Walk::default();
    walk.script(&parse_at(text, Home::piece(0, text.len())), None, 0);
    walk.found
}

#[derive(Default)]
struct Walk {
    found: Vec<Command>,
    pipelines: usize,
}

impl Walk {
    fn script(&mut self, script: &Script, within: Option<usize>, depth: usize) {
        for node in &script.nodes {
            self.pipelines += 1;
            self.node(node, (self.pipelines, 0), within, depth + 1);
        }
    }

    fn scripts<'s>(&mut self, scripts: impl IntoIterator<Item = &'s Script>, within: Option<usize>, depth: usize) {
        scripts.into_iter().for_each(|script| self.script(script, within, depth));
    }

    fn node(&mut self, node: &Node, place: (usize, usize), within: Option<usize>, depth: usize) {
        if depth > DEEPEST {
            return;
        }
        match node {
            Node::Simple(simple) => self.simple(simple, place, within, depth),
            Node::Pipeline(stages) => {
                self.pipelines += 1;
                let pipeline = self.pipelines;
                for (stage, node) in stages.iter().enumerate() {
                    self.node(node, (pipeline, stage), within, depth + 1);
                }
            }
            Node::Negated(node) | Node::Background(node) => self.node(node, place, within, depth + 1),
            // What stands in brackets is fed by what is before them, as each command in them may be.
            Node::Subshell(script) | Node::Group(script) => {
                for node in &script.nodes {
                    self.node(node, place, within, depth + 1);
                }
            }
            Node::AndOr { first, rest } => {
                self.node(first, place, within, depth + 1);
                for (_, node) in rest {
                    self.pipelines += 1;
                    self.node(node, (self.pipelines, 0), within, depth + 1);
                }
            }
            Node::Redirected { node, redirects } => {
                self.node(node, place, within, depth + 1);
                for redirect in redirects {
                    self.redirect(redirect, within, depth);
                }
            }
            other => self.compound(other, within, depth),
        }
    }

    /// What has scripts and words of its own.
    fn compound(&mut self, node: &Node, within: Option<usize>, depth: usize) {
        match node {
            Node::Branches { conditions, bodies } => self.scripts(conditions.iter().chain(bodies), within, depth),
            Node::Loop { variable, condition, body } => {
                let words = variable.iter().flat_map(|(_, words)| words);
                self.words(words, within, depth);
                self.scripts([&**condition, &**body], within, depth);
            }
            Node::Case { word, arms } => {
                self.word(word, within, depth);
                self.scripts(arms.iter().map(|(_, script)| script), within, depth);
            }
            Node::Function { body, .. } => self.script(body, within, depth),
            Node::Test(words) => self.words(words, within, depth),
            _ => {}
        }
    }

    fn words<'w>(&mut self, words: impl IntoIterator<Item = &'w Word>, within: Option<usize>, depth: usize) {
        for word in words {
            self.word(word, within, depth);
        }
    }

    fn simple(&mut self, simple: &Simple, (pipeline, stage): (usize, usize), within: Option<usize>, depth: usize) {
        let words: Vec<String> = simple.words.iter().map(plain).collect();
        let written = simple.redirects.iter().filter_map(target).map(plain).collect();
        let own = self.found.len();
        self.found.push(Command { words, written, pipeline, stage, within });
        for word in &simple.words {
            self.word(word, Some(own), depth);
        }
        for redirect in &simple.redirects {
            self.redirect(redirect, Some(own), depth);
        }
        for assignment in &simple.assignments {
            if let crate::shell::AssignedValue::Scalar(word) = &assignment.value {
                self.word(word, Some(own), depth);
            }
        }
        // Assignments alone start nothing.
        if self.found.get(own).is_some_and(|command| command.words.is_empty()) && self.found.len() == own + 1 {
            self.found.pop();
        }
    }

    fn word(&mut self, word: &Word, within: Option<usize>, depth: usize) {
        for part in &word.parts {
            match part {
                Part::Substitution { script, .. } | Part::Process { script, .. } => {
                    self.script(script, within, depth + 1);
                }
                Part::Arithmetic { scripts, .. } => self.scripts(scripts, within, depth + 1),
                _ => {}
            }
        }
    }

    fn redirect(&mut self, redirect: &Redirect, within: Option<usize>, depth: usize) {
        match &redirect.kind {
            RedirectKind::Read(word)
            | RedirectKind::Write(word)
            | RedirectKind::Append(word)
            | RedirectKind::ReadWrite(word)
            | RedirectKind::Here { body: word, .. } => self.word(word, within, depth),
            RedirectKind::Duplicate => {}
        }
    }
}

fn target(redirect: &Redirect) -> Option<&Word> {
    match &redirect.kind {
        RedirectKind::Write(word) | RedirectKind::Append(word) => Some(word),
        _ => None,
    }
}

fn plain(word: &Word) -> String {
    word.literal().map_or_else(|| word.source.clone(), std::borrow::Cow::into_owned)
}

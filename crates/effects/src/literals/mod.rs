//! Content that a shell text puts into files, where its own words hold all of it.
//!
//! Nothing is expanded: a content is known where every word that leads to it is literal and where all shells do the same.
//! Any other write of the text is listed, too, with [`Content::Unknown`], so that nobody takes the known ones for all of them.

mod printed;
mod sed;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use agent_strace_shell::{
    AssignedValue, Assignment, Home, Node, Part, Redirect, RedirectKind, Script, Simple, Word, parse_at,
};

/// What a text writes.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct LiteralWrites {
    /// In the order of the text.
    pub writes: Vec<LiteralWrite>,
    /// A command may end the shell before its last line, or change what its commands do.
    pub may_stop: bool,
    /// The text changes its directory: one relative path may be several files.
    pub changes_directory: bool,
}

/// One write of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiteralWrite {
    /// As written; `None`: it is not known.
    pub path: Option<String>,
    pub by: Writer,
    pub content: Content,
}

/// The part of a command that writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writer {
    Redirect,
    Sed,
    Tee,
}

/// The content that comes into a file. Texts are empty or end with a newline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// It takes the place of all that was there.
    Whole(String),
    /// It comes behind what was there.
    Added(String),
    /// In some or all lines one text takes the place of another.
    Replaced {
        old: String,
        new: String,
    },
    /// Lines go, and none comes.
    Fewer,
    Unknown,
}

/// Commands after which the rest of a text may not run, or not as it says.
const STOPS: &[&str] =
    &["exit", "return", "break", "continue", "exec", "trap", "set", "kill", "alias", "eval", "source", "."];
const DIRECTORIES: &[&str] = &["cd", "pushd", "popd", "chdir"];
/// Commands whose content is known by their names: a function of such a name does something else.
const KNOWN: &[&str] = &["cat", "echo", "printf", "tee", "sed", "true", ":"];

/// Lists the writes of a text. `None`: it can't be read, or a part of it that is not followed may write.
pub fn literal_writes(text: &str) -> Option<LiteralWrites> {
    let script = parse_at(text, Home::piece(0, text.len()));
    if !script.problems.is_empty() {
        return None;
    }
    let mut walk = Walk::default();
    walk.script(&script, Runs::Once)?;
    Some(walk.found)
}

/// How often a command runs with the words that stand there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Runs {
    Once,
    /// Often, or elsewhere than where it stands.
    Otherwise,
}

#[derive(Debug, Default)]
struct Walk {
    found: LiteralWrites,
}

impl Walk {
    fn script(&mut self, script: &Script, runs: Runs) -> Option<()> {
        if !script.problems.is_empty() {
            return None;
        }
        script.nodes.iter().try_for_each(|node| self.node(node, runs))
    }

    fn node(&mut self, node: &Node, runs: Runs) -> Option<()> {
        match node {
            Node::Simple(simple) => self.simple(simple, None, runs),
            Node::Pipeline(stages) => self.pipeline(stages, runs),
            Node::Negated(node) | Node::Background(node) => self.node(node, runs),
            Node::Subshell(script) | Node::Group(script) => self.script(script, runs),
            Node::AndOr { first, rest } => {
                self.node(first, runs)?;
                rest.iter().try_for_each(|(_, node)| self.node(node, runs))
            }
            Node::Coprocess { node, .. } => self.node(node, Runs::Otherwise),
            Node::Branches { conditions, bodies } => {
                conditions.iter().chain(bodies).try_for_each(|script| self.script(script, runs))
            }
            Node::Loop { variable, condition, body } => {
                variable.iter().flat_map(|(_, words)| words).try_for_each(is_silent)?;
                self.script(condition, Runs::Otherwise)?;
                self.script(body, Runs::Otherwise)
            }
            Node::Case { word, arms } => {
                is_silent(word)?;
                arms.iter().try_for_each(|(_, script)| self.script(script, runs))
            }
            Node::Function { name, body } => {
                if KNOWN.contains(&name.as_str()) {
                    return None;
                }
                self.script(body, Runs::Otherwise)
            }
            Node::Test(words) => words.iter().try_for_each(is_silent),
            Node::Redirected { node, redirects } => {
                self.node(node, runs)?;
                redirects.iter().try_for_each(|redirect| self.opened(redirect))
            }
        }
    }

    /// The first command of a pipeline may give the last one its text.
    fn pipeline(&mut self, stages: &[Node], runs: Runs) -> Option<()> {
        if let [Node::Simple(first), Node::Simple(second)] = stages {
            self.simple(first, None, runs)?;
            let is_free = !first.redirects.iter().any(|redirect| !matches!(redirect.kind, RedirectKind::Here { .. }));
            let given = if is_free { printed::text(first, None) } else { None };
            return self.simple(second, given.as_deref(), runs);
        }
        stages.iter().try_for_each(|stage| self.node(stage, runs))
    }

    fn simple(&mut self, simple: &Simple, given: Option<&str>, runs: Runs) -> Option<()> {
        simple.words.iter().try_for_each(is_silent)?;
        simple.assignments.iter().chain(&simple.declared).try_for_each(is_silent_assignment)?;
        let program = simple.words.first().and_then(Word::literal);
        let program = program.as_deref().map(|name| name.rsplit('/').next().unwrap_or(name));
        self.found.may_stop |= program.is_none_or(|name| STOPS.contains(&name)) && !simple.words.is_empty();
        self.found.changes_directory |= program.is_some_and(|name| DIRECTORIES.contains(&name));
        self.redirected(simple, given, runs)?;
        match program {
            Some("sed") => sed::writes(&simple.words, &mut |path, content| self.add(path, Writer::Sed, content, runs)),
            Some("tee") => {
                let input = printed::input(simple, given);
                printed::tee(&simple.words, input.as_deref(), &mut |path, content| {
                    self.add(path, Writer::Tee, content, runs);
                });
            }
            _ => {}
        }
        Some(())
    }

    /// Files that get the output of a command.
    fn redirected(&mut self, simple: &Simple, given: Option<&str>, runs: Runs) -> Option<()> {
        let outputs = simple.redirects.iter().filter(|redirect| is_output(redirect)).count();
        let is_moved = |redirect: &Redirect| matches!(redirect.kind, RedirectKind::DuplicateOutput(_));
        let is_plain = outputs == 1 && !simple.redirects.iter().any(is_moved);
        for redirect in &simple.redirects {
            if !is_plain || !is_output(redirect) {
                self.opened(redirect)?;
                continue;
            }
            let text = printed::text(simple, given);
            let (target, content) = match (&redirect.kind, text) {
                (RedirectKind::Write(target), Some(text)) => (target, Content::Whole(text)),
                (RedirectKind::Append(target), Some(text)) => (target, Content::Added(text)),
                (RedirectKind::Write(target) | RedirectKind::Append(target), None) => (target, Content::Unknown),
                _ => continue,
            };
            is_silent(target)?;
            self.add(target.literal(), Writer::Redirect, content, runs);
        }
        Some(())
    }

    /// A file that is opened for content which is not followed.
    fn opened(&mut self, redirect: &Redirect) -> Option<()> {
        match &redirect.kind {
            RedirectKind::Write(target) | RedirectKind::Append(target) | RedirectKind::ReadWrite(target) => {
                is_silent(target)?;
                self.add(target.literal(), Writer::Redirect, Content::Unknown, Runs::Once);
                Some(())
            }
            RedirectKind::DuplicateOutput(target)
            | RedirectKind::DuplicateInput(target)
            | RedirectKind::Read(target) => is_silent(target),
            RedirectKind::Here { body, .. } => is_silent(body),
        }
    }

    fn add(&mut self, path: Option<Cow<'_, str>>, by: Writer, content: Content, runs: Runs) {
        if path.as_deref() == Some("/dev/null") {
            return;
        }
        let content = if runs == Runs::Once && path.is_some() { content } else { Content::Unknown };
        self.found.writes.push(LiteralWrite { path: path.map(Cow::into_owned), by, content });
    }
}

/// The redirection takes standard output.
fn is_output(redirect: &Redirect) -> bool {
    let is_write = matches!(redirect.kind, RedirectKind::Write(_) | RedirectKind::Append(_));
    is_write && redirect.variable.is_none() && matches!(redirect.descriptor, None | Some(1))
}

/// `None`: the word runs commands, which may write.
fn is_silent(word: &Word) -> Option<()> {
    let runs = |part: &Part| !matches!(part, Part::Literal(_) | Part::Quoted(_) | Part::Glob(_) | Part::Tilde(_));
    (!word.source.contains('>') || !word.parts.iter().any(runs)).then_some(())
}

fn is_silent_assignment(assignment: &Assignment) -> Option<()> {
    match &assignment.value {
        AssignedValue::Scalar(word) => is_silent(word),
        AssignedValue::Array(words) => words.iter().try_for_each(is_silent),
        AssignedValue::Element { index, value } => is_silent(index).and(is_silent(value)),
    }
}

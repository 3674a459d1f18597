//! Content that redirections of a shell text put into files, where its own words hold all of it.
//!
//! Nothing is expanded: a content is known where every word that leads to it is literal and where all shells do the same.
//! Every other redirection of the text is listed, too, with [`Content::Unknown`].

mod printed;
#[cfg(test)]
mod tests;

use agent_strace_shell::{
    AssignedValue, Assignment, Home, Node, Part, Redirect, RedirectKind, Script, Simple, Word, parse_at,
};

/// One write of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiteralWrite {
    /// The path as the text spells it, without empty components and `.`.
    pub path: String,
    pub content: Content,
}

/// The content that comes into a file. Texts are empty or end with a newline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// It takes the place of all that was there.
    Whole(String),
    /// It comes behind what was there.
    Added(String),
    Unknown,
}

/// Commands whose output is known by their names: a function of such a name does something else.
const KNOWN: &[&str] = &["cat", "echo", "printf", "true", ":"];

/// Lists the redirections of a text into files, in its order. `None`: it can't be read, one of them leads to a file that is
/// not known, or a word of it may be the text of another shell that redirects.
pub fn literal_writes(text: &str) -> Option<Vec<LiteralWrite>> {
    let script = parse_at(text, Home::piece(0, text.len()));
    let mut walk = Walk::default();
    walk.script(&script, Runs::AsWritten)?;
    Some(walk.found)
}

/// How often a command runs, and with which words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Runs {
    /// At most once, with the words that stand there.
    AsWritten,
    Otherwise,
}

#[derive(Debug, Default)]
struct Walk {
    found: Vec<LiteralWrite>,
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
            Node::Test(words) => words.iter().try_for_each(runs_nothing_that_writes),
            Node::Redirected { node, redirects } => {
                self.node(node, runs)?;
                redirects.iter().try_for_each(|redirect| self.opened(redirect))
            }
        }
    }

    /// The first of two commands may give the second one its text. Any other command may be a shell that runs its input.
    fn pipeline(&mut self, stages: &[Node], runs: Runs) -> Option<()> {
        let stages: Vec<&Simple> = stages
            .iter()
            .map(|stage| if let Node::Simple(simple) = stage { Some(simple) } else { None })
            .collect::<Option<_>>()?;
        if !stages.iter().all(|stage| prints_its_words(stage)) {
            stages.iter().try_for_each(|stage| is_all_silent(stage))?;
        }
        let mut given = None;
        for stage in &stages {
            self.simple(stage, given.as_deref(), runs)?;
            let is_here = |redirect: &Redirect| matches!(redirect.kind, RedirectKind::Here { .. });
            given = printed::text(stage, given.as_deref()).filter(|_| stage.redirects.iter().all(is_here));
        }
        Some(())
    }

    fn simple(&mut self, simple: &Simple, given: Option<&str>, runs: Runs) -> Option<()> {
        let is_known = prints_its_words(simple);
        let is_word_fine = if is_known { runs_nothing_that_writes } else { is_silent };
        simple.words.iter().try_for_each(is_word_fine)?;
        simple.assignments.iter().chain(&simple.declared).try_for_each(is_silent_assignment)?;
        let outputs = simple.redirects.iter().filter(|redirect| is_output(redirect)).count();
        let is_moved = |redirect: &Redirect| matches!(redirect.kind, RedirectKind::DuplicateOutput(_));
        let is_plain = outputs == 1 && !simple.redirects.iter().any(is_moved) && runs == Runs::AsWritten;
        for redirect in &simple.redirects {
            match &redirect.kind {
                RedirectKind::Here { body: word, .. } | RedirectKind::Read(word) if is_known => {
                    runs_nothing_that_writes(word)?;
                }
                _ if is_plain && is_output(redirect) => self.printed(redirect, printed::text(simple, given))?,
                _ => self.opened(redirect)?,
            }
        }
        Some(())
    }

    /// A file gets the output of a command.
    fn printed(&mut self, redirect: &Redirect, text: Option<String>) -> Option<()> {
        match (&redirect.kind, text) {
            (RedirectKind::Write(target), Some(text)) => self.add(target, Content::Whole(text)),
            (RedirectKind::Append(target), Some(text)) => self.add(target, Content::Added(text)),
            _ => self.opened(redirect),
        }
    }

    /// A redirection whose content is not followed.
    fn opened(&mut self, redirect: &Redirect) -> Option<()> {
        match &redirect.kind {
            RedirectKind::Write(target) | RedirectKind::Append(target) | RedirectKind::ReadWrite(target) => {
                self.add(target, Content::Unknown)
            }
            RedirectKind::DuplicateOutput(word) | RedirectKind::DuplicateInput(word) => is_silent(word),
            RedirectKind::Here { body, .. } => is_silent(body),
            // A shell may run it.
            RedirectKind::Read(_) => None,
        }
    }

    fn add(&mut self, target: &Word, content: Content) -> Option<()> {
        let path = clean(&target.literal()?)?;
        if path != "/dev/null" {
            self.found.push(LiteralWrite { path, content });
        }
        Some(())
    }
}

fn prints_its_words(simple: &Simple) -> bool {
    let program = simple.words.first().and_then(Word::literal);
    simple.words.is_empty() || program.is_some_and(|name| KNOWN.contains(&&*name))
}

/// `None`: a command holds the text of a shell that redirects, or gives it to one.
fn is_all_silent(simple: &Simple) -> Option<()> {
    let bodies = simple.redirects.iter().filter_map(|redirect| match &redirect.kind {
        RedirectKind::Here { body, .. } => Some(body),
        _ => None,
    });
    simple.words.iter().chain(bodies).try_for_each(is_silent)
}

/// `None`: the path leads up, or names no file.
fn clean(path: &str) -> Option<String> {
    let parts: Vec<&str> = path.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    let root = if path.starts_with('/') { "/" } else { "" };
    (!parts.is_empty() && !parts.contains(&"..")).then(|| format!("{root}{}", parts.join("/")))
}

/// The redirection takes standard output.
fn is_output(redirect: &Redirect) -> bool {
    let is_write = matches!(redirect.kind, RedirectKind::Write(_) | RedirectKind::Append(_));
    is_write && redirect.variable.is_none() && matches!(redirect.descriptor, None | Some(1))
}

/// `None`: the word may be the text of a shell that redirects.
fn is_silent(word: &Word) -> Option<()> {
    (!word.source.contains('>')).then_some(())
}

/// `None`: the word runs commands that may redirect.
fn runs_nothing_that_writes(word: &Word) -> Option<()> {
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

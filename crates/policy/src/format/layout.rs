//! Containers → lines.

use crate::grammar;
use crate::parse::Version;

use super::Comments;
use super::tree::{Comment, Container, Node, Value};

/// Columns of a line, where a container can be broken.
const WIDTH: usize = 100;
/// Containers inside each other that may share a line.
const NESTED: usize = 2;
const STEP: &str = "  ";

/// The whole file, ending in a line break.
pub(super) fn document(whole: &Container<'_>, comments: Comments) -> String {
    let mut lines = Lines { text: String::new(), indent: String::new(), comments };
    lines.members(whole, Level::Whole);
    lines.text
}

/// Which container is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    /// The file itself: one value without brackets around it.
    Whole,
    /// The sections of the policy.
    Root,
    Below,
}

struct Lines {
    text: String,
    indent: String,
    comments: Comments,
}

impl Lines {
    fn members(&mut self, container: &Container<'_>, level: Level) {
        let mut nodes: Vec<&Node<'_>> = container.members.iter().collect();
        if level == Level::Root && container.is_object {
            nodes.sort_by_key(|node| section(node.key));
        }
        let count = nodes.len();
        // The author of a list in one line chose no lines for its entries.
        let has_lines = nodes.iter().any(|node| !node.beside);
        let mut joinable = false;
        for (at, node) in nodes.into_iter().enumerate() {
            let comma = if at + 1 < count { "," } else { "" };
            if joinable && self.joins(node, comma) {
                joinable = self.kept(&node.behind).is_empty();
                continue;
            }
            joinable = has_lines && is_entry(node) && self.kept(&node.behind).is_empty();
            let mut set_off = at > 0 && self.is_set_off(node);
            for comment in self.kept(&node.before) {
                self.own_line(comment, set_off || at > 0 && comment.set_off);
                set_off = false;
            }
            self.start_line(set_off);
            self.node(node, comma, level);
        }
        for (at, comment) in self.kept(&container.end).iter().enumerate() {
            self.own_line(comment, comment.set_off && count + at > 0);
        }
    }

    /// Puts an entry behind the one before it where its author did, as long as the line is short enough.
    fn joins(&mut self, node: &Node<'_>, comma: &str) -> bool {
        let Value::Scalar(text) = &node.value else { return false };
        let start = self.text.trim_end_matches('\n').rfind('\n').map_or(0, |end| end + 1);
        let used = self.text.get(start..).map_or(0, |line| line.trim_end().chars().count());
        let fits = used + 1 + text.chars().count() + comma.len() <= WIDTH;
        if !(is_entry(node) && node.beside && fits && self.kept(&node.before).is_empty()) {
            return false;
        }
        self.text.truncate(self.text.trim_end().len());
        self.text.push(' ');
        self.node(node, comma, Level::Below);
        true
    }

    /// Where comments are stripped, an empty line before the comment stays with what it was about.
    fn is_set_off(&self, node: &Node<'_>) -> bool {
        match (self.comments, node.before.first()) {
            (Comments::Keep, Some(_)) => false,
            (Comments::Strip, Some(first)) => first.set_off,
            (_, None) => node.set_off,
        }
    }

    fn kept<'c, 'a>(&self, comments: &'c [Comment<'a>]) -> &'c [Comment<'a>] {
        if self.comments == Comments::Keep { comments } else { &[] }
    }

    fn node(&mut self, node: &Node<'_>, comma: &str, level: Level) {
        if let Some(key) = node.key {
            self.text.push_str(key);
            self.text.push_str(": ");
        }
        let used = self.indent.chars().count() + node.key.map_or(0, |key| key.chars().count() + 2) + comma.len();
        match &node.value {
            Value::Scalar(text) => self.text.push_str(text),
            Value::Container(container) => match self.flat(container, NESTED) {
                Some(flat) if flat.len() == 2 || level != Level::Whole && used + flat.chars().count() <= WIDTH => {
                    self.text.push_str(&flat);
                }
                _ => self.broken(container, if level == Level::Whole { Level::Root } else { Level::Below }),
            },
        }
        self.text.push_str(comma);
        for comment in self.kept(&node.behind) {
            self.text.push(' ');
            self.comment(comment.text);
        }
        self.text.push('\n');
    }

    /// One line each.
    fn broken(&mut self, container: &Container<'_>, level: Level) {
        let (open, close) = if container.is_object { ('{', '}') } else { ('[', ']') };
        self.text.push(open);
        self.text.push('\n');
        self.indent.push_str(STEP);
        self.members(container, level);
        self.indent.truncate(self.indent.len() - STEP.len());
        self.text.push_str(&self.indent);
        self.text.push(close);
    }

    /// In one line, however long; `None` where it is nested too deeply or a comment would be lost.
    fn flat(&self, container: &Container<'_>, deepest: usize) -> Option<String> {
        let comments = |node: &Node<'_>| !self.kept(&node.before).is_empty() || !self.kept(&node.behind).is_empty();
        if deepest == 0 || !self.kept(&container.end).is_empty() || container.members.iter().any(comments) {
            return None;
        }
        let members: Option<Vec<String>> = container
            .members
            .iter()
            .map(|node| {
                let value = match &node.value {
                    Value::Scalar(text) => (*text).to_owned(),
                    Value::Container(inner) => self.flat(inner, deepest - 1)?,
                };
                Some(node.key.map_or_else(|| value.clone(), |key| format!("{key}: {value}")))
            })
            .collect();
        let members = members?.join(", ");
        Some(match (container.is_object, members.is_empty()) {
            (true, true) => "{}".to_owned(),
            (true, false) => format!("{{ {members} }}"),
            (false, _) => format!("[{members}]"),
        })
    }

    fn start_line(&mut self, set_off: bool) {
        if set_off {
            self.text.push('\n');
        }
        self.text.push_str(&self.indent);
    }

    fn own_line(&mut self, comment: &Comment<'_>, set_off: bool) {
        self.start_line(set_off);
        self.comment(comment.text);
        self.text.push('\n');
    }

    /// Lines of a block that start with a star stand below its first one; others stay as they are.
    fn comment(&mut self, text: &str) {
        for (at, line) in text.lines().enumerate() {
            if at > 0 {
                self.text.push('\n');
            }
            let inner = line.trim_start();
            if at > 0 && inner.starts_with('*') {
                self.text.push_str(&self.indent);
                self.text.push(' ');
                self.text.push_str(inner.trim_end());
            } else {
                self.text.push_str(line.trim_end());
            }
        }
    }
}

/// A scalar in a list.
fn is_entry(node: &Node<'_>) -> bool {
    node.key.is_none() && matches!(node.value, Value::Scalar(_))
}

/// Where a section stands in the language; what is not known stays behind what is.
fn section(key: Option<&str>) -> usize {
    let name = key.unwrap_or_default().trim_matches('"');
    grammar::ROOT.keys(Version::Two).iter().position(|known| *known == name).unwrap_or(usize::MAX)
}

//! `replay --tree`: sessions below the ones that started them, a line each.

use std::collections::BTreeSet;

use super::super::measured::grouped;
use super::super::text::counted;
use super::super::tree::Glyphs;
use super::family::{Depth, Family};
use super::terminal::{cut, seconds};
use super::{ReplayReport, ShownEvents};

const ID: usize = 12;
const NAME: usize = 40;

impl ReplayReport {
    /// The trees of these sessions, by their indices.
    pub fn tree(&self, roots: &[usize], glyphs: Glyphs) -> String {
        let family = Family::of(self);
        let mut shown = BTreeSet::new();
        let mut text = String::new();
        for root in family.tops_first(roots) {
            if shown.contains(&root) {
                continue;
            }
            if !text.is_empty() {
                text.push('\n');
            }
            let before = shown.clone();
            self.lines(root, &family, glyphs, &mut shown, &mut text);
            let of_tree: Vec<&ShownEvents> =
                shown.difference(&before).filter_map(|index| self.sessions.get(*index)).collect();
            if of_tree.len() > 1 {
                text.push_str(&total(&of_tree));
            }
        }
        text
    }

    /// A session and all below it, each once.
    fn lines(&self, root: usize, family: &Family, glyphs: Glyphs, shown: &mut BTreeSet<usize>, text: &mut String) {
        let [middle, last, bar, gap] = glyphs.of();
        // What is still to be written, the next at the end: the session, its depth, and how its line and those below start.
        let mut rest = vec![(root, 0, String::new(), String::new())];
        while let Some((index, depth, start, under)) = rest.pop() {
            let Some(session) = self.sessions.get(index) else { continue };
            let again = !shown.insert(index);
            text.push_str(&start);
            text.push_str(&row(session));
            text.push_str(if again { "  (shown above)\n" } else { "\n" });
            if again {
                continue;
            }
            let below = family.below(index);
            let deeper = depth < Depth::MOST.0;
            for (at, (line, child)) in below.iter().enumerate().rev() {
                let (mark, more) = if at + 1 == below.len() { (last, gap) } else { (middle, bar) };
                let starter = line.and_then(|line| session.lines.get(line)).map(|line| format!("#{} ", line.number));
                // Deeper ones are numbered, not indented.
                let (start, under) = if deeper {
                    (format!("{under}{mark}{}", starter.unwrap_or_default()), format!("{under}{more}"))
                } else {
                    (format!("{under}(level {}) ", depth + 1), under.clone())
                };
                rest.push((*child, depth + 1, start, under));
            }
        }
    }
}

fn row(session: &ShownEvents) -> String {
    let parts = [
        cut(&session.id, NAME).chars().take(ID).collect(),
        cut(&session.agent, NAME),
        seconds(session.first, session.last),
        counted(session.calls, "call"),
        tokens(session.tokens),
        counted(session.errors, "error"),
    ];
    let findings = session.findings.len() + session.lines.iter().map(|line| line.findings.len()).sum::<usize>();
    let findings = (findings > 0).then(|| counted(findings, "finding"));
    parts.into_iter().chain(findings).collect::<Vec<_>>().join("  ")
}

fn tokens(tokens: u64) -> String {
    if tokens == 0 { "no tokens recorded".to_owned() } else { format!("{} tokens", grouped(tokens)) }
}

fn total(sessions: &[&ShownEvents]) -> String {
    let sum = |of: fn(&ShownEvents) -> usize| sessions.iter().map(|session| of(session)).sum::<usize>();
    let all = sessions.iter().fold(0_u64, |all, session| all.saturating_add(session.tokens));
    format!(
        "{}, {}, {}, {}\n",
        counted(sessions.len(), "session"),
        counted(sum(|session| session.calls), "call"),
        tokens(all),
        counted(sum(|session| session.errors), "error"),
    )
}

//! Takes our hooks out of settings in JSON.
//!
//! A list, `hooks` or a file that was made for them goes, too. Setup writes a hook in one line into a file that was there,
//! and in many lines into a new file. Another program that writes the file anew also uses many lines: the file then does not
//! show what was there before, so everything that is empty goes.

use jsonc_parser::ast::{Object, ObjectProp, Value as Node};

use super::brackets::{Brackets, Edit};
use super::is_ours;
use super::json::{JsonFile, needs_version, version_of_ours};
use super::tree::{members, of_array, of_object, parse, serde};
use crate::hook_events::Agent;

/// How our hooks are written in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// One line each.
    Lines,
    /// Many lines each.
    Spread,
}

/// The rest of a file that our hooks are taken out of.
enum Left {
    Text(String),
    Nothing,
}

impl JsonFile {
    /// Returns the settings without our hooks, or `None` if that leaves nothing.
    #[must_use]
    pub(super) fn without(self, agent: &Agent) -> Option<Self> {
        let mut file = self;
        let Some(layout) = file.layout() else { return Some(file) };
        while let Some(left) = file.taken_out(agent, layout) {
            match left {
                Left::Nothing => return None,
                Left::Text(text) => file.text = text,
            }
        }
        Some(file)
    }

    /// `None`: no hooks of ours are there.
    fn layout(&self) -> Option<Layout> {
        let root = parse(&self.text).ok()?;
        let path = last_of_ours(&self.text, root.as_object()?)?;
        let (list, index) = path.last()?;
        let is_spread = self.text.get(list.elements.get(*index)?.clone())?.contains('\n');
        Some(if is_spread { Layout::Spread } else { Layout::Lines })
    }

    /// Takes out the last hook of ours. Returns `None` if the settings hold no hook of ours.
    fn taken_out(&self, agent: &Agent, layout: Layout) -> Option<Left> {
        let root = parse(&self.text).ok()?;
        let root = root.as_object()?;
        let Some(mut path) = last_of_ours(&self.text, root) else {
            let at = root.properties.iter().position(|property| self.is_version_of_ours(property))?;
            let is_ours = needs_version(agent) && layout == Layout::Lines;
            return is_ours.then(|| self.without_member(&of_object(&self.text, root), at, layout));
        };
        loop {
            let (brackets, index) = path.pop()?;
            if path.is_empty() {
                let mut others = root.properties.iter().enumerate().filter(|(other, _)| *other != index);
                let is_alone = others.all(|(_, property)| property.name.as_str() == "version");
                if is_alone && needs_version(agent) && layout == Layout::Spread {
                    return Some(self.nothing(&brackets, index));
                }
                return Some(self.without_member(&brackets, index, layout));
            }
            let was_there = layout == Layout::Lines && brackets.were_empty();
            if brackets.elements.len() > 1 || was_there {
                return Some(self.without_element(&brackets, index));
            }
        }
    }

    fn is_version_of_ours(&self, property: &ObjectProp<'_>) -> bool {
        self.text.get(property.range.start..property.range.end) == Some(&version_of_ours())
    }

    fn without_element(&self, brackets: &Brackets<'_>, index: usize) -> Left {
        Left::Text(Edit::apply(&self.text, brackets.without(index)))
    }

    /// Without a member of the settings.
    fn without_member(&self, whole: &Brackets<'_>, index: usize, layout: Layout) -> Left {
        let was_there = layout == Layout::Lines && whole.were_empty();
        if whole.elements.len() > 1 || was_there {
            return self.without_element(whole, index);
        }
        let (before, after) = self.around(whole);
        let is_bare = whole.lead().trim().is_empty() && self.tail(whole).trim().is_empty();
        match whole.lead().matches('\n').count() {
            2 if layout == Layout::Lines && is_bare && before.is_empty() && after.trim().is_empty() => {
                Left::Text(after.to_owned())
            }
            1 if layout == Layout::Lines && is_bare => Left::Text(format!("{before}{{}}{after}")),
            _ => self.nothing(whole, index),
        }
    }

    fn around(&self, whole: &Brackets<'_>) -> (&str, &str) {
        let before = self.text.get(..whole.range.start).unwrap_or_default();
        (before, self.text.get(whole.range.end..).unwrap_or_default())
    }

    /// The text between the last member and the closing bracket.
    fn tail(&self, whole: &Brackets<'_>) -> &str {
        let last = whole.elements.last().map_or(whole.range.start + 1, |last| last.end);
        self.text.get(last..whole.range.end - 1).unwrap_or_default()
    }

    /// Settings whose members are all ours; comments that somebody wrote there stay.
    fn nothing(&self, whole: &Brackets<'_>, index: usize) -> Left {
        let members = whole.elements.iter().cloned().map(Edit::remove);
        let left = Edit::apply(&self.text, members.collect());
        let is_nothing = left.chars().all(|letter| letter.is_whitespace() || "{},".contains(letter));
        if is_nothing { Left::Nothing } else { self.without_element(whole, index) }
    }
}

/// The brackets around the last hook of ours, from the outermost ones, each with the place in them.
fn last_of_ours<'t>(text: &'t str, root: &Object<'_>) -> Option<Vec<(Brackets<'t>, usize)>> {
    let named = root.properties.iter().enumerate().rev().filter(|(_, property)| property.name.as_str() == "hooks");
    for (at, hooks) in named {
        let Some(hooks) = hooks.value.as_object() else { continue };
        for (step, property) in hooks.properties.iter().enumerate().rev() {
            let Some(list) = property.value.as_array() else { continue };
            for (index, element) in list.elements.iter().enumerate().rev() {
                let part = match Ours::of(text, element) {
                    Ours::Nothing => continue,
                    Ours::Whole => None,
                    Ours::Part(list, hook) => Some((list, hook)),
                };
                let outer =
                    [(of_object(text, root), at), (of_object(text, hooks), step), (of_array(text, list), index)];
                return Some(outer.into_iter().chain(part).collect());
            }
        }
    }
    None
}

/// The part of an element that is ours.
enum Ours<'t> {
    Nothing,
    Whole,
    /// One hook of a group, at this place in its list.
    Part(Brackets<'t>, usize),
}

impl<'t> Ours<'t> {
    fn of(text: &'t str, element: &Node<'_>) -> Self {
        if is_ours(&serde(element)) {
            return Self::Whole;
        }
        let mut hooks = element.as_object().into_iter().flat_map(|group| members(group, "hooks"));
        let Some(hooks) = hooks.find_map(|hooks| hooks.value.as_array()) else { return Self::Nothing };
        let ours: Vec<bool> = hooks.elements.iter().map(|hook| is_ours(&serde(hook))).collect();
        match ours.iter().rposition(|is_ours| *is_ours) {
            None => Self::Nothing,
            Some(_) if ours.iter().all(|is_ours| *is_ours) => Self::Whole,
            Some(last) => Self::Part(of_array(text, hooks), last),
        }
    }
}

//! Variables of which each way through a part of the text leaves another value: all of these values are known.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::map::Difference;
use super::{Content, ENVIRONMENT, Fixed, Positional, Scope, Variable};

/// Values of one variable that are told apart, and shells that a command is judged in.
const MAX_CHOICES: usize = 8;
/// Elements and stretches of text in all values of one variable.
const MAX_ITEMS: usize = 64;

/// Which values a variable may have where two ways through a text meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ways {
    /// Those that it has on the two ways.
    Both,
    /// Others, too: a loop may end after any round.
    More,
}

/// Contents of which a variable has one; none: its content says what is known.
pub(super) type Choices = Option<Arc<[Content]>>;

impl Scope {
    /// This shell once for each value that the named variables may have; none if they don't have several.
    pub fn choices(&self, names: &BTreeSet<&str>) -> Vec<Self> {
        let mut shells = vec![self.clone()];
        for name in names {
            let name = self.resolve(name);
            let Some(variable) = self.variables.get(name) else { continue };
            let Some(choices) = variable.choices.as_deref() else { continue };
            // What remains is judged as text that may be any of these.
            if shells.len() * choices.len() > MAX_CHOICES {
                continue;
            }
            self.work.add(shells.len() * choices.len());
            let shells_of = |shell: &Self| choices.iter().map(|choice| shell.with(name, choice)).collect::<Vec<_>>();
            shells = shells.iter().flat_map(shells_of).collect();
        }
        if shells.len() > 1 { shells } else { Vec::new() }
    }

    /// Whether a variable may have several known values.
    pub fn has_choices(&self) -> bool {
        self.has_choices
    }

    fn with(&self, name: &str, choice: &Content) -> Self {
        let mut shell = self.clone();
        shell.change(name, |variable| {
            variable.content = choice.clone();
            variable.choices = None;
        });
        shell
    }

    /// Takes over what differs in a shell in which the last part of the text did not run. A variable that only this part
    /// set is not set there, if it is none of those in `tested`: the part ran because they are empty.
    pub fn merge_skipped(&mut self, skipped: &Self, tested: &BTreeSet<&str>) {
        self.merge_frames(skipped);
        let differences = self.variables.differences(&skipped.variables);
        self.work.add(differences.len());
        let unset = Variable::new(Content::Unset);
        let merged = differences.into_iter().filter_map(|Difference { name, here, there }| {
            let is_given = ENVIRONMENT.contains(&&**name) || **name == *"HOME" || tested.contains(&**name);
            if here == there || there.is_none() && is_given {
                return None;
            }
            let merged = either(here.map(Arc::as_ref), Some(there.map_or(&unset, Arc::as_ref)), Ways::Both)?;
            Some((Arc::clone(name), merged))
        });
        let merged: Vec<(Arc<str>, Arc<Variable>)> = merged.collect();
        for (name, variable) in merged {
            self.put_merged(name, variable);
        }
        self.merge_redefined(skipped);
        if self.positional != skipped.positional {
            self.positional = Positional::unknown();
        }
    }

    pub(super) fn put_merged(&mut self, name: Arc<str>, variable: Arc<Variable>) {
        self.has_choices |= variable.choices.is_some();
        self.variables.insert(name, variable);
    }
}

impl Variable {
    /// All contents that it may have, where they are known.
    fn known(&self) -> Option<Vec<Content>> {
        if let Some(choices) = &self.choices {
            return Some(choices.to_vec());
        }
        self.content.is_known().then(|| vec![self.content.clone()])
    }
}

impl Content {
    fn is_known(&self) -> bool {
        match self {
            Self::Scalar(value) => value.is_known(),
            Self::Array(elements) => elements.iter().all(crate::Value::is_known),
            Self::Unset => true,
            Self::Keyed { .. } | Self::UnknownArray | Self::Reference(_) => false,
        }
    }
}

/// A variable that is one of two; without one there is none.
pub(super) fn either(here: Option<&Variable>, there: Option<&Variable>, ways: Ways) -> Option<Arc<Variable>> {
    let one = here.or(there)?;
    let fixed = |variable: Option<&Variable>| variable.map_or(Fixed::No, |variable| variable.fixed);
    let content = super::doubt::one_of(here, there);
    let fixed = fixed(here).merged(fixed(there));
    let choices = here.zip(there).filter(|_| ways == Ways::Both).and_then(|(here, there)| both(here, there));
    Some(Arc::new(Variable { content, exported: one.exported, integer: one.integer, fixed, choices }))
}

fn both(here: &Variable, there: &Variable) -> Choices {
    let mut all = here.known()?;
    for content in there.known()? {
        if !all.contains(&content) {
            all.push(content);
        }
    }
    let items: usize = all.iter().map(Content::items).sum();
    (all.len() <= MAX_CHOICES && items <= MAX_ITEMS).then(|| all.into())
}

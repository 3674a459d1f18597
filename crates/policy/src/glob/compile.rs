//! Pattern dialects → steps.

use super::set::Set;
use super::{Glob, Pairs, Step};

/// One character's worth of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    One(Set),
    Star,
}

impl Glob {
    /// The text itself and nothing else.
    #[cfg(test)]
    pub(super) fn literal(text: &str) -> Self {
        Self::new(text.chars().map(|character| Step::One(Set::one(character))).collect())
    }

    /// Python's `fnmatch`: `*` and `?` cross `/`, classes may be negated with `!`, nothing escapes.
    pub fn fnmatch(pattern: &str) -> Self {
        let mut steps = Vec::new();
        push_component(&mut steps, &tokens(pattern), &Set::any());
        Self::new(steps)
    }

    /// A path pattern of version 1: the whole path, or the last component, or component-wise where it has a `**`.
    pub fn path(pattern: &str) -> Self {
        let parsed = tokens(pattern);
        let mut alternatives = Vec::new();
        let mut whole = Vec::new();
        push_component(&mut whole, &parsed, &Set::any());
        alternatives.push(whole);
        // A name has no `/`, but a class that has one may match another character of it.
        let is_slash = |token: &Token| matches!(token, Token::One(set) if set.single() == Some('/'));
        if !parsed.iter().any(is_slash) {
            let mut last = vec![Step::Fork(3), Step::Many(Set::any()), Step::One(Set::one('/'))];
            push_component(&mut last, &parsed, &Set::not_slash());
            alternatives.push(last);
        }
        if pattern.contains("**") {
            alternatives.push(component_wise(pattern, push_named_component));
        }
        let (prefix, suffix) = common_ends(&alternatives);
        let pairs = alternatives.iter().map(|steps| Pairs::of_steps(steps)).reduce(Pairs::common).unwrap_or_default();
        Self { covers: covered(&parsed), ..Self::with_ends(any_of(alternatives), prefix, suffix, pairs) }
    }

    /// A path pattern of version 1, but `*` stays within a component.
    pub(crate) fn component_wise(pattern: &str) -> Self {
        Self::new(component_wise(pattern, push_named_component))
    }

    /// The same below the root alone: no path that is absolute or below a home directory.
    pub fn rooted(pattern: &str) -> Self {
        let covers =
            pattern.strip_suffix("**").filter(|start| start.ends_with('/') && !start.contains(['*', '?', '[']));
        Self { covers: covers.map(str::to_owned), ..Self::new(rooted(pattern)) }
    }

    /// The texts of the pattern that are relative paths.
    pub(crate) fn relative(&self) -> Self {
        Self::new(starting_relative(self.body()))
    }

    /// A path of the product's own tables: `*` stays within a component, `**` crosses, `?` is one character.
    pub fn effect(pattern: &str) -> Self {
        Self::new(component_wise(pattern, push_own_component))
    }

    /// A directory that is named, and everything below it.
    pub fn folder(path: &str) -> Self {
        let mut steps: Vec<Step> = path.chars().map(|character| Step::One(Set::one(character))).collect();
        push_below(&mut steps);
        let below = Some(format!("{path}/"));
        Self { below, ..Self::with_ends(steps, path.to_owned(), String::new(), Pairs::of_text(path)) }
    }

    /// The same for directories of a pattern.
    pub fn subtree(folder: &Self) -> Self {
        let mut steps = folder.body();
        let is_literal = steps.iter().all(|step| matches!(step, Step::One(set) if set.single().is_some()));
        push_below(&mut steps);
        let subtree = Self::new(steps);
        let below = is_literal.then(|| format!("{}/", subtree.prefix));
        Self { below, ..subtree }
    }

    /// Every path relative to the workspace root.
    pub(crate) fn anything_relative() -> Self {
        Self::new(rooted("**"))
    }

    /// The pattern's texts after a literal.
    pub fn after(prefix: &str, rest: &Self) -> Self {
        let mut steps: Vec<Step> = prefix.chars().map(|character| Step::One(Set::one(character))).collect();
        append(&mut steps, rest.body());
        Self::new(steps)
    }

    /// The pattern's texts, and the same below any directory.
    pub fn anywhere(rest: &Self) -> Self {
        let mut steps = vec![Step::Fork(3), Step::Many(Set::any()), Step::One(Set::one('/'))];
        append(&mut steps, rest.body());
        Self::new(steps)
    }

    /// The texts of any of the patterns.
    pub fn union<'a>(patterns: impl IntoIterator<Item = &'a Self>) -> Self {
        Self::new(any_of(patterns.into_iter().map(Self::body).collect()))
    }

    fn body(&self) -> Vec<Step> {
        let mut steps = self.steps.clone();
        steps.pop();
        steps
    }
}

/// What lies below a directory, or nothing.
fn push_below(steps: &mut Vec<Step>) {
    let end = steps.len() + 3;
    steps.extend([Step::Fork(end), Step::One(Set::one('/')), Step::Many(Set::any())]);
}

/// The literal in front of nothing but stars.
fn covered(tokens: &[Token]) -> Option<String> {
    let literal = |token: &Token| match token {
        Token::One(set) => set.single(),
        Token::Star => None,
    };
    let text: String = tokens.iter().map_while(literal).collect();
    let rest = tokens.get(text.chars().count()..).filter(|rest| !rest.is_empty())?;
    rest.iter().all(|token| *token == Token::Star).then_some(text)
}

/// What every text of the steps starts and ends with.
pub(super) fn literal_ends(steps: &[Step]) -> (String, String) {
    let single = |step: &Step| match step {
        Step::One(set) => set.single(),
        _ => None,
    };
    let prefix: String = steps.iter().map_while(single).collect();
    // Before a step that others jump to, the text is no longer certain.
    let entered = steps
        .iter()
        .filter_map(|step| match step {
            Step::Fork(target) | Step::Jump(target) => Some(*target),
            _ => None,
        })
        .max()
        .unwrap_or(0);
    let tail = steps.get(entered.min(steps.len())..).unwrap_or_default();
    let mut suffix: Vec<char> = tail.iter().rev().map_while(single).collect();
    suffix.reverse();
    (prefix, suffix.into_iter().collect())
}

/// What all programs agree on at both ends.
fn common_ends(programs: &[Vec<Step>]) -> (String, String) {
    let mut ends = programs.iter().map(|program| literal_ends(program));
    let Some((mut prefix, mut suffix)) = ends.next() else { return (String::new(), String::new()) };
    for (other_prefix, other_suffix) in ends {
        prefix = prefix.chars().zip(other_prefix.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a).collect();
        let mut common: Vec<char> =
            suffix.chars().rev().zip(other_suffix.chars().rev()).take_while(|(a, b)| a == b).map(|(a, _)| a).collect();
        common.reverse();
        suffix = common.into_iter().collect();
    }
    (prefix, suffix)
}

fn append(steps: &mut Vec<Step>, more: Vec<Step>) {
    let offset = steps.len();
    steps.extend(more.into_iter().map(|step| match step {
        Step::Fork(target) => Step::Fork(target + offset),
        Step::Jump(target) => Step::Jump(target + offset),
        other => other,
    }));
}

/// One program for several; every program's end is the step after its last.
fn any_of(programs: Vec<Vec<Step>>) -> Vec<Step> {
    if programs.is_empty() {
        return vec![Step::One(Set::from_ranges(Vec::new()))];
    }
    let total: usize = programs.iter().map(|program| program.len() + 2).sum();
    let mut steps = Vec::with_capacity(total);
    let last = programs.len().saturating_sub(1);
    for (index, program) in programs.into_iter().enumerate() {
        if index == last {
            // The last program runs into the end by itself; padding keeps `total` the address of the end.
            append(&mut steps, program);
            steps.push(Step::Jump(total));
            steps.push(Step::Jump(total));
            continue;
        }
        let next = steps.len() + program.len() + 2;
        steps.push(Step::Fork(next));
        append(&mut steps, program);
        steps.push(Step::Jump(total));
    }
    steps
}

pub(super) fn component_wise(pattern: &str, push: fn(&mut Vec<Step>, &str)) -> Vec<Step> {
    let mut components: Vec<&str> = pattern.split('/').collect();
    components.dedup_by(|next, previous| *next == "**" && *previous == "**");
    let mut steps = Vec::with_capacity(pattern.len() + 4);
    let last = components.len().saturating_sub(1);
    let mut owes_slash = false;
    for (index, component) in components.iter().enumerate() {
        if *component != "**" {
            if owes_slash {
                steps.push(Step::One(Set::one('/')));
            }
            push(&mut steps, component);
            owes_slash = true;
            continue;
        }
        let here = steps.len();
        match (index == last, owes_slash) {
            (true, false) => steps.push(Step::Many(Set::any())),
            (true, true) => {
                steps.extend([Step::Fork(here + 3), Step::One(Set::one('/')), Step::Many(Set::any())]);
            }
            (false, true) => steps.extend([
                Step::One(Set::one('/')),
                Step::Fork(here + 4),
                Step::Many(Set::any()),
                Step::One(Set::one('/')),
            ]),
            (false, false) => {
                steps.extend([Step::Fork(here + 3), Step::Many(Set::any()), Step::One(Set::one('/'))]);
            }
        }
        owes_slash = false;
    }
    steps
}

/// Of a path below the root, the first character is neither of these.
fn first_characters() -> Set {
    Set::from_ranges(vec![(u32::from('/'), u32::from('/')), (u32::from('~'), u32::from('~'))]).negated()
}

fn rooted(pattern: &str) -> Vec<Step> {
    starting_relative(component_wise(pattern, push_named_component))
}

/// The texts of the steps that start with the first character of a relative path.
fn starting_relative(steps: Vec<Step>) -> Vec<Step> {
    let first = first_characters();
    if matches!(steps.first(), Some(Step::One(set)) if set.single().is_some_and(|single| first.contains(single))) {
        return steps;
    }
    let starts = starts(&steps);
    let body = starts.len() * 3 + 1;
    let mut all = Vec::with_capacity(body + steps.len());
    for (set, next) in starts {
        let other = all.len() + 3;
        all.extend([Step::Fork(other), Step::One(set.intersection(&first)), Step::Jump(body + next)]);
    }
    all.push(Step::One(Set::from_ranges(Vec::new())));
    append(&mut all, steps);
    all
}

/// What the first character may be, and where the steps go on behind it.
fn starts(steps: &[Step]) -> Vec<(Set, usize)> {
    let (mut open, mut seen, mut starts) = (vec![0], std::collections::BTreeSet::new(), Vec::new());
    while let Some(at) = open.pop() {
        if !seen.insert(at) {
            continue;
        }
        match steps.get(at) {
            Some(Step::One(set)) => starts.push((set.clone(), at + 1)),
            Some(Step::Many(set)) => {
                starts.push((set.clone(), at));
                open.push(at + 1);
            }
            Some(Step::Fork(target)) => open.extend([at + 1, *target]),
            Some(Step::Jump(target)) => open.push(*target),
            Some(Step::Accept) | None => {}
        }
    }
    starts
}

fn push_component(steps: &mut Vec<Step>, tokens: &[Token], alphabet: &Set) {
    for token in tokens {
        match token {
            Token::One(set) => steps.push(Step::One(set.intersection(alphabet))),
            Token::Star => {
                let step = Step::Many(alphabet.clone());
                if steps.last() != Some(&step) {
                    steps.push(step);
                }
            }
        }
    }
}

/// A component of an entry of a policy.
fn push_named_component(steps: &mut Vec<Step>, component: &str) {
    push_component(steps, &tokens(component), &Set::not_slash());
}

/// A component of the product's own tables.
fn push_own_component(steps: &mut Vec<Step>, component: &str) {
    let (alphabet, tokens) = (Set::not_slash(), tokens(component));
    let mut rest = tokens.as_slice();
    while let Some((token, after)) = rest.split_first() {
        rest = after;
        match token {
            Token::One(set) => steps.push(Step::One(set.intersection(&alphabet))),
            Token::Star => {
                let stars = 1 + rest.iter().take_while(|token| **token == Token::Star).count();
                rest = rest.get(stars - 1..).unwrap_or_default();
                steps.push(Step::Many(if stars > 1 { Set::any() } else { alphabet.clone() }));
            }
        }
    }
}

/// `?` and `*`, classes and characters, as Python's `fnmatch` reads them. A `[` that is never closed is a character.
fn tokens(pattern: &str) -> Vec<Token> {
    let characters: Vec<char> = pattern.chars().collect();
    let mut tokens = Vec::with_capacity(characters.len());
    let mut at = 0;
    while let Some(&character) = characters.get(at) {
        at += 1;
        tokens.push(match character {
            '*' => Token::Star,
            '?' => Token::One(Set::any()),
            '[' => match class(characters.get(at..).unwrap_or_default()) {
                Some((set, length)) => {
                    at += length;
                    Token::One(set)
                }
                None => Token::One(Set::one('[')),
            },
            other => Token::One(Set::one(other)),
        });
    }
    tokens
}

/// The class after a `[`, and how many characters it takes including its `]`.
fn class(characters: &[char]) -> Option<(Set, usize)> {
    let negated = characters.first() == Some(&'!');
    let start = usize::from(negated);
    // A `]` in first place is a member.
    let length = characters.iter().skip(start + 1).position(|&character| character == ']')? + start + 1;
    let members = characters.get(start..length)?;
    let mut ranges = Vec::new();
    let mut rest = members;
    while let Some((&low, after)) = rest.split_first() {
        let (high, others) = if let ['-', high, others @ ..] = after { (*high, others) } else { (low, after) };
        ranges.push((u32::from(low), u32::from(high)));
        rest = others;
    }
    let set = Set::from_ranges(ranges);
    Some((if negated { set.negated() } else { set }, length + 1))
}

//! The dialect of effects: globs as shells read them.

use agent_strace_effects::Brackets;

use super::set::Set;
use super::{Glob, Step, compile};

impl Glob {
    /// A path that the effects could not pin down: `*` stays within a component, `**` crosses, `?` is one character. At the
    /// start of a component only `**`, and brackets that spell the dot, match a dot.
    pub fn shell(pattern: &str) -> Self {
        Self::new(compile::component_wise(pattern, push_component))
    }
}

/// One part of a component.
enum Token {
    One(Set),
    /// A `*`, or more of them.
    Stars(usize),
}

fn push_component(steps: &mut Vec<Step>, component: &str) {
    let hidden = component.starts_with('.') || component.starts_with("**");
    let mut tokens = tokens(component).into_iter().peekable();
    if !hidden {
        push_start(steps, &mut tokens);
    }
    for token in tokens {
        steps.push(match token {
            Token::One(set) => Step::One(set),
            Token::Stars(1) => Step::Many(Set::not_slash()),
            Token::Stars(_) => Step::Many(Set::any()),
        });
    }
}

/// The wildcards that a component starts with: what they match does not start with a dot.
fn push_start(steps: &mut Vec<Step>, tokens: &mut std::iter::Peekable<std::vec::IntoIter<Token>>) {
    match tokens.next_if(|token| matches!(token, Token::One(_) | Token::Stars(1))) {
        Some(Token::One(set)) => steps.push(Step::One(set)),
        Some(Token::Stars(_)) => {
            // With a dot behind it, or with nothing, the `*` takes a character; else it may take none.
            let takes = match tokens.peek() {
                None => true,
                Some(Token::One(next)) => next.single() == Some('.'),
                Some(Token::Stars(_)) => false,
            };
            if !takes {
                steps.push(Step::Fork(steps.len() + 3));
            }
            steps.extend([Step::One(visible()), Step::Many(Set::not_slash())]);
        }
        None => {}
    }
}

/// What a name starts with that is not hidden.
fn visible() -> Set {
    let dot_and_slash = vec![(u32::from('.'), u32::from('/'))];
    Set::from_ranges(dot_and_slash).negated()
}

fn tokens(component: &str) -> Vec<Token> {
    let mut tokens = Vec::with_capacity(component.len());
    let mut rest = component;
    while let Some(first) = rest.chars().next() {
        let is_start = rest.len() == component.len();
        rest = rest.get(first.len_utf8()..).unwrap_or_default();
        tokens.push(match first {
            '*' => {
                let more = rest.trim_start_matches('*');
                let stars = 1 + rest.len() - more.len();
                rest = more;
                Token::Stars(stars)
            }
            '?' if is_start => Token::One(visible()),
            '?' => Token::One(Set::not_slash()),
            '[' => match Brackets::read(rest) {
                Some((brackets, length)) => {
                    rest = rest.get(length..).unwrap_or_default();
                    Token::One(set(&brackets, is_start))
                }
                None => Token::One(Set::one('[')),
            },
            other => Token::One(Set::one(other)),
        });
    }
    tokens
}

fn set(brackets: &Brackets, is_start: bool) -> Set {
    let ranges = brackets.ranges().into_iter().map(|(low, high)| (u32::from(low), u32::from(high))).collect();
    let listed = Set::from_ranges(ranges);
    let set = if brackets.is_negated() { listed.negated() } else { listed };
    set.intersection(&if is_start && !brackets.spells('.') { visible() } else { Set::not_slash() })
}

//! Which command an effect belongs to: the one that caused it, or else the innermost one around its piece of the text.

use super::{Effect, Kind};
use agent_strace_shell::Span;

/// For each effect of one call the index of the command it belongs to. A redirection and a substitution stand inside
/// the command that they are written in, although they come before it runs. No effect belongs to itself, over however
/// many steps.
pub fn causes(effects: &[&Effect]) -> Vec<Option<usize>> {
    let mut causes: Vec<Option<usize>> =
        effects.iter().map(|effect| effect.origin.parent.map(|parent| parent as usize)).collect();
    let mut order: Vec<(Option<u32>, Span, usize)> = effects
        .iter()
        .enumerate()
        .filter_map(|(index, effect)| Some((effect.origin.parent, effect.origin.span?, index)))
        .collect();
    // Those of one command together; what holds others comes before them.
    order.sort_by_key(|(parent, span, index)| (*parent, span.start(), std::cmp::Reverse(span.end()), *index));
    // Commands around the item at hand, each strictly inside the one before it.
    let mut around: Vec<(Option<u32>, Span, usize)> = Vec::new();
    for (parent, span, index) in order {
        while around.pop_if(|(outer, whole, _)| *outer != parent || !whole.contains(span)).is_some() {}
        let same = around.last().is_some_and(|(_, whole, _)| *whole == span);
        let holder = around.iter().rev().nth(usize::from(same));
        if let (Some((.., holder)), Some(cause)) = (holder, causes.get_mut(index)) {
            *cause = Some(*holder);
        }
        if !same && effects.get(index).is_some_and(|effect| matches!(effect.kind, Kind::Execute(_))) {
            around.push((parent, span, index));
        }
    }
    causes
}

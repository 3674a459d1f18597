//! Bounds how far a program's tokens are looked through, so that brackets that nothing closes can't make that quadratic.

use std::cell::Cell;

use super::super::count;
use super::super::lexer::Token;
use super::tokens::group;

/// Looks for each token of the program, and for the shortest one.
const A_TOKEN: usize = 16;
const LEAST: usize = 4096;

/// How many tokens may still be looked at besides the one pass through all of them.
#[derive(Debug)]
pub(super) struct Looks {
    left: Cell<usize>,
    spent: Cell<bool>,
}

impl Looks {
    pub(super) fn for_tokens(count: usize) -> Self {
        Self { left: Cell::new(count.saturating_mul(A_TOKEN).saturating_add(LEAST)), spent: Cell::new(false) }
    }

    /// Something was not looked at: the program is not understood.
    pub(super) fn are_spent(&self) -> bool {
        self.spent.get()
    }

    /// Looks at so many tokens. `false`: they are too many.
    fn spend(&self, tokens: usize) -> bool {
        count(tokens);
        match self.left.get().checked_sub(tokens) {
            Some(left) => self.left.set(left),
            None => self.spent.set(true),
        }
        !self.spent.get()
    }

    /// The tokens up to the first one that `ends` knows; none without one.
    pub(super) fn until<'t>(&self, tokens: &'t [Token], ends: impl Fn(&Token) -> bool) -> &'t [Token] {
        if self.are_spent() {
            return &[];
        }
        let end = tokens.iter().position(ends);
        self.spend(end.unwrap_or(tokens.len()));
        tokens.get(..end.unwrap_or(0)).unwrap_or_default()
    }

    /// How far the last token that `ends` knows is from the end.
    pub(super) fn back(&self, tokens: &[Token], ends: impl Fn(&Token) -> bool) -> Option<usize> {
        if self.are_spent() {
            return None;
        }
        let back = tokens.iter().rev().position(ends);
        self.spend(back.unwrap_or(tokens.len()));
        back
    }

    /// The same as [`group`]; nothing if that is too far away.
    pub(super) fn group<'t>(&self, tokens: &'t [Token]) -> (&'t [Token], &'t [Token]) {
        if self.are_spent() {
            return (&[], &[]);
        }
        let (inner, behind) = group(tokens);
        if self.spend(inner.len() + 1) { (inner, behind) } else { (&[], &[]) }
    }
}

//! What may come next in a JSON document: a state machine without recursion and with a bounded stack.

/// Documents that nest deeper are read as plain text from there on.
const MAX_DEPTH: usize = 4096;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    Object,
    Array,
}

/// What a string is in its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Key,
    Value,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Punctuation {
    Open(Container),
    Close,
    Comma,
    Colon,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expect {
    Value,
    ValueOrEnd,
    Key,
    KeyOrEnd,
    Colon,
    CommaOrEnd,
    Nothing,
}

/// Where in a document we are. Every method returns `None` where JSON does not allow what it was told.
#[derive(Debug)]
pub(super) struct Grammar {
    open: Vec<Container>,
    expect: Expect,
}

impl Grammar {
    pub(super) fn new() -> Self {
        Self { open: Vec::new(), expect: Expect::Value }
    }

    pub(super) fn restart(&mut self) {
        self.open.clear();
        self.expect = Expect::Value;
    }

    /// The document is complete.
    pub(super) fn is_done(&self) -> bool {
        self.expect == Expect::Nothing
    }

    /// A string begins.
    pub(super) fn string(&mut self) -> Option<Role> {
        if matches!(self.expect, Expect::Key | Expect::KeyOrEnd) {
            self.expect = Expect::Colon;
            return Some(Role::Key);
        }
        self.scalar().map(|()| Role::Value)
    }

    /// A number or a literal stands here.
    pub(super) fn scalar(&mut self) -> Option<()> {
        matches!(self.expect, Expect::Value | Expect::ValueOrEnd).then(|| self.value_is_over())
    }

    pub(super) fn punctuation(&mut self, byte: u8) -> Option<Punctuation> {
        match (byte, self.expect) {
            (b'{', Expect::Value | Expect::ValueOrEnd) => self.enter(Container::Object, Expect::KeyOrEnd),
            (b'[', Expect::Value | Expect::ValueOrEnd) => self.enter(Container::Array, Expect::ValueOrEnd),
            (b'}', Expect::KeyOrEnd | Expect::CommaOrEnd) => self.leave(Container::Object),
            (b']', Expect::ValueOrEnd | Expect::CommaOrEnd) => self.leave(Container::Array),
            (b':', Expect::Colon) => {
                self.expect = Expect::Value;
                Some(Punctuation::Colon)
            }
            (b',', Expect::CommaOrEnd) => {
                let is_object = self.open.last() == Some(&Container::Object);
                self.expect = if is_object { Expect::Key } else { Expect::Value };
                Some(Punctuation::Comma)
            }
            _ => None,
        }
    }

    fn enter(&mut self, container: Container, expect: Expect) -> Option<Punctuation> {
        if self.open.len() >= MAX_DEPTH {
            return None;
        }
        self.open.push(container);
        self.expect = expect;
        Some(Punctuation::Open(container))
    }

    fn leave(&mut self, container: Container) -> Option<Punctuation> {
        if self.open.last() != Some(&container) {
            return None;
        }
        self.open.pop();
        self.value_is_over();
        Some(Punctuation::Close)
    }

    fn value_is_over(&mut self) {
        self.expect = if self.open.is_empty() { Expect::Nothing } else { Expect::CommaOrEnd };
    }
}

/// Whether these bytes, which hold no white space or punctuation, are a number; `None`: nor a literal.
pub(super) fn is_number(token: &[u8]) -> Option<bool> {
    if matches!(token, b"true" | b"false" | b"null") {
        return Some(false);
    }
    let rest = token.strip_prefix(b"-").unwrap_or(token);
    let (whole, rest) = digits(rest)?;
    if whole.len() > 1 && whole.starts_with(b"0") {
        return None;
    }
    let rest = match rest {
        [b'.', fraction @ ..] => digits(fraction)?.1,
        rest => rest,
    };
    let rest = match rest {
        [b'e' | b'E', b'+' | b'-', exponent @ ..] | [b'e' | b'E', exponent @ ..] => digits(exponent)?.1,
        rest => rest,
    };
    rest.is_empty().then_some(true)
}

fn digits(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let count = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    bytes.split_at_checked(count).filter(|(digits, _)| !digits.is_empty())
}

/// What can stand in a number or a literal.
pub(super) fn is_scalar(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
}

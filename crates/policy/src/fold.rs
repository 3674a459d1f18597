//! How a deny compares text: so that no spelling of the same file slips past.

use std::borrow::Cow;

use agent_strace_effects::fold_for_deny;

/// Lower case, composed, without invisible characters and trailing dots; home directories are `~`.
pub(super) fn fold(path: &str) -> Cow<'_, str> {
    match spelling(path) {
        Spelling::Folded => Cow::Borrowed(path),
        Spelling::Capitals => Cow::Owned(path.to_ascii_lowercase()),
        Spelling::Any => Cow::Owned(fold_for_deny(path)),
    }
}

/// Most paths need no more than a glance: relative, of letters that have one spelling, no name ending in a dot.
enum Spelling {
    Folded,
    Capitals,
    Any,
}

fn spelling(path: &str) -> Spelling {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'/' | b'.' | b'*');
    if !path.bytes().all(plain) || path.starts_with('/') || path.ends_with('.') || path.contains("./") {
        Spelling::Any
    } else if path.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Spelling::Capitals
    } else {
        Spelling::Folded
    }
}

//! How a deny compares text: so that no spelling of the same file slips past.

use std::borrow::Cow;

use crate::effects::fold_for_deny;

/// Lower case, composed, without invisible characters and trailing dots; home directories are `~`.
pub(super) fn fold(path: &str) -> Cow<'_, str> {
    if is_folded(path) { Cow::Borrowed(path) } else { Cow::Owned(fold_for_deny(path)) }
}

/// Most paths are: they keep their bytes.
fn is_folded(path: &str) -> bool {
    let plain = path.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'/' | b'.'));
    plain && !path.starts_with('/') && !path.ends_with('.') && !path.contains("./")
}

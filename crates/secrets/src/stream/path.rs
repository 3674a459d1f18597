//! Where in a document a leaf stands: its JSON pointer (RFC 6901), and the key that it is a value of.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hasher};

use super::grammar::{Container, Punctuation};

/// Longer keys are cut where they name something: pointers are for people and programs, keys may be anything.
pub(super) const LONGEST_KEY: usize = 512;
/// A longer pointer ends at the innermost container that fits.
const LONGEST_POINTER: usize = 4096;
/// Keys that are remembered because another one must not become the same.
const MOST_KEYS: usize = 1 << 16;

#[derive(Debug)]
enum Frame {
    Object {
        /// Where its current key begins in `names`.
        name: usize,
        /// The key as it may be shown, where that is something else.
        shown: Option<String>,
    },
    Array {
        index: u64,
    },
}

#[derive(Debug, Default)]
pub(super) struct Path {
    frames: Vec<Frame>,
    /// Current keys of all open objects, one behind the other.
    names: Vec<u8>,
    taken: Taken,
}

impl Path {
    pub(super) fn restart(&mut self) {
        self.frames.clear();
        self.names.clear();
        self.taken.keys.clear();
    }

    pub(super) fn step(&mut self, punctuation: Punctuation) {
        match punctuation {
            Punctuation::Open(Container::Object) => {
                self.frames.push(Frame::Object { name: self.names.len(), shown: None });
            }
            Punctuation::Open(Container::Array) => self.frames.push(Frame::Array { index: 0 }),
            Punctuation::Close => {
                if let Some(Frame::Object { name, .. }) = self.frames.pop() {
                    self.names.truncate(name);
                    self.taken.forget(self.frames.len() + 1);
                }
            }
            Punctuation::Comma => {
                if let Some(Frame::Array { index }) = self.frames.last_mut() {
                    *index += 1;
                }
            }
            Punctuation::Colon => {}
        }
    }

    /// The object's next key; `shown` is what may be said of it, where it holds something private.
    pub(super) fn key(&mut self, key: &str, redacted: Option<String>) {
        self.clean_key(cut(key).as_bytes());
        if let Some(Frame::Object { shown, .. }) = self.frames.last_mut() {
            *shown = redacted;
        }
    }

    /// One that is short, is text, and may be shown.
    #[inline]
    pub(super) fn clean_key(&mut self, key: &[u8]) {
        let Some(Frame::Object { name, shown }) = self.frames.last_mut() else { return };
        self.names.truncate(*name);
        self.names.extend_from_slice(key);
        *shown = None;
    }

    /// The current key may not be shown as it is.
    pub(super) fn is_key_private(&self) -> bool {
        matches!(self.frames.last(), Some(Frame::Object { shown: Some(_), .. }))
    }

    /// The key that a value here belongs to, also through lists.
    pub(super) fn name(&self) -> Option<&str> {
        std::str::from_utf8(self.name_bytes()?).ok()
    }

    #[inline]
    pub(super) fn name_bytes(&self) -> Option<&[u8]> {
        let object = self.frames.iter().rev().find_map(|frame| match frame {
            Frame::Object { name, .. } => Some(*name),
            Frame::Array { .. } => None,
        });
        self.names.get(object?..)
    }

    pub(super) fn pointer(&self) -> String {
        let mut pointer = String::new();
        let mut frames = self.frames.iter().peekable();
        while let Some(frame) = frames.next() {
            let before = pointer.len();
            match frame {
                Frame::Array { index } => {
                    let _ = write!(pointer, "/{index}");
                }
                Frame::Object { name, shown } => {
                    let next = frames.clone().find_map(|frame| match frame {
                        Frame::Object { name, .. } => Some(*name),
                        Frame::Array { .. } => None,
                    });
                    let key = self.names.get(*name..next.unwrap_or(self.names.len())).unwrap_or_default();
                    let key = shown.as_deref().map_or_else(|| String::from_utf8_lossy(key), Cow::Borrowed);
                    let key = cut(&key);
                    pointer.push('/');
                    pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
                }
            }
            if pointer.len() > LONGEST_POINTER {
                pointer.truncate(before);
                break;
            }
        }
        pointer
    }

    /// What a key that was rewritten is called, so that no two members of its object have one name.
    pub(super) fn distinct(&mut self, key: &str, is_rewritten: bool) -> Option<u32> {
        self.taken.number(self.frames.len(), key, is_rewritten)
    }
}

fn cut(key: &str) -> &str {
    key.get(..key.floor_char_boundary(LONGEST_KEY)).unwrap_or(key)
}

/// Keys of open objects that marks stand in.
#[derive(Debug, Default)]
struct Taken {
    /// Depth and digest of the key → the last number it was given, and whether a key was rewritten to it.
    keys: BTreeMap<(usize, u64), (u32, bool)>,
    /// For keys of objects with more of them than are remembered.
    beyond: u32,
}

impl Taken {
    fn number(&mut self, depth: usize, key: &str, is_rewritten: bool) -> Option<u32> {
        if self.keys.len() >= MOST_KEYS {
            self.beyond = self.beyond.saturating_add(1);
            return is_rewritten.then(|| self.beyond.saturating_add(1 << 16));
        }
        let id = (depth, digest(key));
        let Some((last, was_rewritten)) = self.keys.get(&id).copied() else {
            self.keys.insert(id, (1, is_rewritten));
            return None;
        };
        // Two keys that were the same before are none of our business.
        if !is_rewritten && !was_rewritten {
            return None;
        }
        let mut number = last.saturating_add(1);
        while self.keys.contains_key(&(depth, digest(&format!("{key}-{number}")))) {
            number = number.saturating_add(1);
        }
        self.keys.insert(id, (number, true));
        self.keys.insert((depth, digest(&format!("{key}-{number}"))), (1, true));
        Some(number)
    }

    fn forget(&mut self, depth: usize) {
        if !self.keys.is_empty() {
            drop(self.keys.split_off(&(depth, 0)));
        }
    }
}

fn digest(key: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(key.as_bytes());
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::super::grammar::{Container, Punctuation};
    use super::Path;

    #[test]
    fn pointers_and_names_follow_the_document() {
        let mut path = Path::default();
        path.step(Punctuation::Open(Container::Object));
        path.key("a/b~", None);
        assert_eq!((path.pointer().as_str(), path.name()), ("/a~1b~0", Some("a/b~")));
        path.step(Punctuation::Open(Container::Array));
        path.step(Punctuation::Comma);
        assert_eq!((path.pointer().as_str(), path.name()), ("/a~1b~0/1", Some("a/b~")));
        path.step(Punctuation::Open(Container::Object));
        path.key("secret", Some("mark".to_owned()));
        assert_eq!((path.pointer().as_str(), path.name()), ("/a~1b~0/1/mark", Some("secret")));
        path.step(Punctuation::Close);
        path.step(Punctuation::Close);
        path.step(Punctuation::Comma);
        path.key("", None);
        assert_eq!((path.pointer().as_str(), path.name()), ("/", Some("")));
    }

    #[test]
    fn pointers_are_bounded() {
        let mut path = Path::default();
        for _ in 0..3_000 {
            path.step(Punctuation::Open(Container::Array));
        }
        assert_eq!(path.pointer().len(), 4096);
    }
}

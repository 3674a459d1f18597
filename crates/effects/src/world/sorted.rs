//! A map in the order of its keys that its copies share until they change it.
//!
//! A refused call runs in a copy of the world, and so does what may still run in the background. A change copies one chunk of
//! the map and the list of chunks, not all that the session wrote.

use std::sync::Arc;

#[cfg(test)]
use agent_strace_testing::work::count;

/// Entries and chunks that are copied are counted for the tests.
#[cfg(not(test))]
const fn count(_: usize) {}

/// Entries of a chunk. A change copies so many entries, and as many chunks as the map has: both are small.
const CHUNK: usize = 128;

#[derive(Debug, Clone)]
pub(super) struct Sorted<V> {
    /// None of them is empty.
    chunks: Arc<Vec<Arc<Chunk<V>>>>,
    len: usize,
}

type Chunk<V> = Vec<(Arc<str>, V)>;

impl<V> Default for Sorted<V> {
    fn default() -> Self {
        Self { chunks: Arc::default(), len: 0 }
    }
}

impl<V: Clone> Sorted<V> {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether one of the two is a copy of the other, and neither has changed since.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.chunks, &other.chunks)
    }

    pub(super) fn get(&self, key: &str) -> Option<&V> {
        let chunk = self.chunks.get(self.chunk_of(key))?;
        let at = place(chunk, key).ok()?;
        chunk.get(at).map(|(_, value)| value)
    }

    pub(super) fn contains_key(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    pub(super) fn insert(&mut self, key: &str, value: V) {
        let at = self.chunk_of(key);
        let chunks = unshared(&mut self.chunks);
        let Some(chunk) = chunks.get_mut(at).map(unshared) else {
            chunks.push(Arc::new(vec![(key.into(), value)]));
            self.len += 1;
            return;
        };
        match place(chunk, key) {
            Ok(known) => {
                if let Some((_, known)) = chunk.get_mut(known) {
                    *known = value;
                }
            }
            Err(new) => {
                chunk.insert(new, (key.into(), value));
                self.len += 1;
                if chunk.len() > CHUNK {
                    let rest = chunk.split_off(CHUNK / 2);
                    chunks.insert(at + 1, Arc::new(rest));
                }
            }
        }
    }

    pub(super) fn remove(&mut self, key: &str) -> Option<V> {
        let at = self.chunk_of(key);
        let place = place(self.chunks.get(at)?, key).ok()?;
        let chunks = unshared(&mut self.chunks);
        let chunk = unshared(chunks.get_mut(at)?);
        let (_, value) = chunk.remove(place);
        if chunk.is_empty() {
            chunks.remove(at);
        }
        self.len -= 1;
        Some(value)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &V)> {
        self.chunks.iter().flat_map(|chunk| entries(chunk))
    }

    /// Entries whose keys start with `prefix`.
    pub(super) fn starting_with<'m>(&'m self, prefix: &'m str) -> impl Iterator<Item = (&'m str, &'m V)> {
        let chunks = self.chunks.get(self.chunk_of(prefix)..).unwrap_or_default();
        let from = chunks.iter().flat_map(|chunk| entries(chunk)).skip_while(move |(key, _)| *key < prefix);
        from.take_while(move |(key, _)| key.starts_with(prefix))
    }

    /// Entries in chunks that are not those of `before`: all that changed since, and some that did not.
    pub(super) fn near_changes<'m>(&'m self, before: &'m Self) -> impl Iterator<Item = (&'m str, &'m V)> {
        let is_known = |chunk: &Arc<Chunk<V>>| {
            let first = chunk.first().map_or("", |(key, _)| key);
            before.chunks.get(before.chunk_of(first)).is_some_and(|known| Arc::ptr_eq(known, chunk))
        };
        self.chunks.iter().filter(move |chunk| !is_known(chunk)).flat_map(|chunk| entries(chunk))
    }

    /// The index of the chunk that holds `key`, or would.
    fn chunk_of(&self, key: &str) -> usize {
        let behind = self.chunks.partition_point(|chunk| chunk.first().is_some_and(|(first, _)| **first <= *key));
        behind.saturating_sub(1)
    }
}

/// A list for its owner to change: copied, if other maps share it.
fn unshared<T: Clone>(list: &mut Arc<Vec<T>>) -> &mut Vec<T> {
    if Arc::strong_count(list) > 1 {
        count(list.len());
    }
    Arc::make_mut(list)
}

fn place<V>(chunk: &Chunk<V>, key: &str) -> Result<usize, usize> {
    chunk.binary_search_by(|(own, _)| (**own).cmp(key))
}

fn entries<V>(chunk: &Chunk<V>) -> impl Iterator<Item = (&str, &V)> {
    chunk.iter().map(|(key, value)| (&**key, value))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use agent_strace_testing::work::{assert_linear, count};
    use proptest::prelude::*;

    use super::{CHUNK, Sorted};

    #[test]
    fn copies_cost_what_they_change() {
        assert_linear("copies", 500, |size| {
            let mut map = Sorted::default();
            (0..size).for_each(|number| map.insert(&number.to_string(), number));
            for number in 0..size {
                map.clone().insert(&number.to_string(), 0);
                count(1);
            }
        });
    }

    proptest! {
        /// It holds what a plain map holds, and its copies keep what they held.
        #[test]
        fn it_is_a_map(changes in proptest::collection::vec((0..600_u32, any::<bool>()), 0..1_500)) {
            let (mut sorted, mut plain) = (Sorted::default(), BTreeMap::new());
            let (mut copy, mut kept) = (sorted.clone(), plain.clone());
            for (at, (number, adds)) in changes.into_iter().enumerate() {
                let key = format!("k{number}");
                if adds {
                    sorted.insert(&key, at);
                    plain.insert(key, at);
                } else {
                    prop_assert_eq!(sorted.remove(&key), plain.remove(&key));
                }
                if at == CHUNK * 5 {
                    (copy, kept) = (sorted.clone(), plain.clone());
                }
            }
            for (sorted, plain) in [(&sorted, &plain), (&copy, &kept)] {
                prop_assert_eq!(sorted.len(), plain.len());
                let all: Vec<(&str, usize)> = plain.iter().map(|(key, value)| (key.as_str(), *value)).collect();
                prop_assert_eq!(sorted.iter().map(|(key, value)| (key, *value)).collect::<Vec<_>>(), all.clone());
                for prefix in ["", "k", "k1", "k59", "l"] {
                    let found: Vec<&str> = sorted.starting_with(prefix).map(|(key, _)| key).collect();
                    let expected = all.iter().map(|(key, _)| *key).filter(|key| key.starts_with(prefix));
                    prop_assert_eq!(found, expected.collect::<Vec<_>>());
                }
                prop_assert!(all.iter().all(|(key, value)| sorted.get(key) == Some(value)));
            }
            let changed: Vec<&str> = sorted.near_changes(&copy).map(|(key, _)| key).collect();
            let differs = |key: &&String| kept.get(*key) != plain.get(*key);
            prop_assert!(plain.keys().filter(differs).all(|key| changed.contains(&key.as_str())));
        }
    }
}

//! What was worked out before, as much of it as is kept: what was asked for lately stays.

use std::collections::HashMap;

/// By the hash of what was asked. Who looks something up compares the question: hashes may meet.
#[derive(Debug)]
pub struct LruCache<T> {
    most: usize,
    recent: HashMap<u64, T>,
    /// Recent once; what is asked for becomes so again, what is not is gone with the next turn.
    earlier: HashMap<u64, T>,
}

impl<T> LruCache<T> {
    /// `most`: entries that are kept at any time.
    pub fn new(most: usize) -> Self {
        Self { most: most.div_ceil(2), recent: HashMap::new(), earlier: HashMap::new() }
    }

    pub fn get(&mut self, hash: u64) -> Option<&mut T> {
        if let Some(entry) = self.earlier.remove(&hash) {
            self.put(hash, entry);
        }
        self.recent.get_mut(&hash)
    }

    pub fn put(&mut self, hash: u64, entry: T) {
        if self.recent.len() >= self.most && !self.recent.contains_key(&hash) {
            self.earlier = std::mem::take(&mut self.recent);
        }
        self.recent.insert(hash, entry);
    }
}

#[test]
fn what_is_asked_for_stays() {
    let mut shelf = LruCache::new(4);
    for number in 0..100_u64 {
        shelf.put(number, number);
        assert_eq!(shelf.get(0), Some(&mut 0));
        assert!(shelf.recent.len() + shelf.earlier.len() <= 4);
    }
    assert_eq!(shelf.get(99), Some(&mut 99));
    assert_eq!(shelf.get(50), None);
}

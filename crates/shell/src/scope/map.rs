//! A map by name that its copies share until they change it.
//!
//! A subshell starts as a copy of its shell, each branch of an `if` does, and most of them change little. A copy costs nothing
//! here, a change copies the path to what it changes, and comparing two copies looks only at what one of them changed.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use super::count;

/// Bits of a name's hash that choose among the children of a branch.
const BITS: u32 = 4;
const WIDTH: usize = 1 << BITS;

#[derive(Debug, Clone)]
pub(super) struct Map<V> {
    root: Tree<V>,
    len: usize,
}

type Tree<V> = Option<Arc<Node<V>>>;

#[derive(Debug, Clone)]
enum Node<V> {
    /// Names with one hash.
    Leaf {
        hash: u64,
        entries: Vec<(Arc<str>, V)>,
    },
    Branch([Tree<V>; WIDTH]),
}

/// A name whose values are not the same one in two maps.
#[derive(Debug)]
pub(super) struct Difference<'m, V> {
    pub(super) name: &'m Arc<str>,
    pub(super) here: Option<&'m V>,
    pub(super) there: Option<&'m V>,
}

impl<V> Default for Map<V> {
    fn default() -> Self {
        Self { root: None, len: 0 }
    }
}

impl<V: Clone> Map<V> {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        match (&self.root, &other.root) {
            (None, None) => true,
            (Some(here), Some(there)) => Arc::ptr_eq(here, there),
            _ => false,
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&V> {
        find(self.root.as_ref(), 0, hash_of(name), name)
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    pub(super) fn get_mut(&mut self, name: &str) -> Option<&mut V> {
        if !self.contains(name) {
            return None;
        }
        let hash = hash_of(name);
        let (mut node, mut depth) = (self.root.as_mut()?, 0);
        loop {
            count(1);
            match Arc::make_mut(node) {
                Node::Branch(children) => node = children.get_mut(slot(hash, depth))?.as_mut()?,
                Node::Leaf { entries, .. } => {
                    return entries.iter_mut().find(|(own, _)| **own == *name).map(|(_, value)| value);
                }
            }
            depth += 1;
        }
    }

    pub(super) fn insert(&mut self, name: Arc<str>, value: V) {
        let is_new = put(&mut self.root, 0, hash_of(&name), name, value);
        self.len += usize::from(is_new);
    }

    pub(super) fn remove(&mut self, name: &str) -> Option<V> {
        if !self.contains(name) {
            return None;
        }
        let removed = take(&mut self.root, 0, hash_of(name), name);
        self.len -= usize::from(removed.is_some());
        removed
    }

    /// A map of the same names with changed values, without the names that `change` drops.
    pub(super) fn changed(&self, change: &mut impl FnMut(&str, &V) -> Option<V>) -> Self {
        let mut len = 0;
        let root = changed(self.root.as_ref(), &mut |name, value| change(name, value).inspect(|_| len += 1));
        Self { root, len }
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = (&Arc<str>, &V)> {
        entries(self.root.as_ref()).into_iter().map(|(_, name, value)| (name, value))
    }

    /// The names that one of the two maps changed since they were one.
    pub(super) fn differences<'m>(&'m self, other: &'m Self) -> Vec<Difference<'m, V>> {
        let mut found = Vec::new();
        differ(self.root.as_ref(), other.root.as_ref(), 0, &mut found);
        found
    }
}

fn hash_of(name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}

/// The index of the child of a branch that holds the names with this hash.
fn slot(hash: u64, depth: u32) -> usize {
    let part = hash.checked_shr(depth * BITS).unwrap_or(0) % WIDTH as u64;
    usize::try_from(part).unwrap_or(0)
}

fn find<'m, V>(tree: Option<&'m Arc<Node<V>>>, depth: u32, hash: u64, name: &str) -> Option<&'m V> {
    let (mut node, mut depth) = (tree?, depth);
    loop {
        match &**node {
            Node::Branch(children) => node = children.get(slot(hash, depth))?.as_ref()?,
            Node::Leaf { entries, .. } => {
                return entries.iter().find(|(own, _)| **own == *name).map(|(_, value)| value);
            }
        }
        depth += 1;
    }
}

/// Returns whether the name is new.
fn put<V: Clone>(tree: &mut Tree<V>, depth: u32, hash: u64, name: Arc<str>, value: V) -> bool {
    count(1);
    if let Some(Node::Leaf { hash: own, .. }) = tree.as_deref()
        && *own != hash
    {
        // Two hashes differ in one of their parts: the leaf moves down.
        let mut children: [Tree<V>; WIDTH] = Default::default();
        let own = slot(*own, depth);
        if let Some(child) = children.get_mut(own) {
            *child = tree.take();
        }
        *tree = Some(Arc::new(Node::Branch(children)));
    }
    let Some(node) = tree else {
        *tree = Some(Arc::new(Node::Leaf { hash, entries: vec![(name, value)] }));
        return true;
    };
    match Arc::make_mut(node) {
        Node::Branch(children) => {
            children.get_mut(slot(hash, depth)).is_some_and(|child| put(child, depth + 1, hash, name, value))
        }
        Node::Leaf { entries, .. } => {
            let known = entries.iter_mut().find(|(own, _)| *own == name);
            if let Some((_, known)) = known {
                *known = value;
                return false;
            }
            entries.push((name, value));
            true
        }
    }
}

fn take<V: Clone>(tree: &mut Tree<V>, depth: u32, hash: u64, name: &str) -> Option<V> {
    count(1);
    let (removed, is_empty) = match Arc::make_mut(tree.as_mut()?) {
        Node::Branch(children) => {
            let removed = take(children.get_mut(slot(hash, depth))?, depth + 1, hash, name);
            (removed, children.iter().all(Option::is_none))
        }
        Node::Leaf { entries, .. } => {
            let at = entries.iter().position(|(own, _)| **own == *name);
            (at.map(|at| entries.swap_remove(at).1), entries.is_empty())
        }
    };
    if is_empty {
        *tree = None;
    }
    removed
}

fn changed<V, W>(tree: Option<&Arc<Node<V>>>, change: &mut impl FnMut(&str, &V) -> Option<W>) -> Tree<W> {
    count(1);
    match &**tree? {
        Node::Branch(children) => {
            let children = children.each_ref().map(|child| changed(child.as_ref(), change));
            children.iter().any(Option::is_some).then(|| Arc::new(Node::Branch(children)))
        }
        Node::Leaf { hash, entries } => {
            let entries = entries.iter().filter_map(|(name, value)| Some((Arc::clone(name), change(name, value)?)));
            let entries: Vec<_> = entries.collect();
            (!entries.is_empty()).then(|| Arc::new(Node::Leaf { hash: *hash, entries }))
        }
    }
}

fn differ<'m, V>(
    here: Option<&'m Arc<Node<V>>>,
    there: Option<&'m Arc<Node<V>>>,
    depth: u32,
    found: &mut Vec<Difference<'m, V>>,
) {
    if let (Some(here), Some(there)) = (here, there)
        && Arc::ptr_eq(here, there)
    {
        return;
    }
    count(1);
    if let (Some(Node::Branch(ours)), Some(Node::Branch(theirs))) = (here.map(Arc::as_ref), there.map(Arc::as_ref)) {
        for (here, there) in ours.iter().zip(theirs) {
            differ(here.as_ref(), there.as_ref(), depth + 1, found);
        }
        return;
    }
    for (hash, name, value) in entries(here) {
        let there = find(there, depth, hash, name);
        found.push(Difference { name, here: Some(value), there });
    }
    for (hash, name, value) in entries(there) {
        if find(here, depth, hash, name).is_none() {
            found.push(Difference { name, here: None, there: Some(value) });
        }
    }
}

/// All entries below a node, with their hashes.
fn entries<V>(tree: Option<&Arc<Node<V>>>) -> Vec<(u64, &Arc<str>, &V)> {
    let mut open: Vec<&Node<V>> = tree.map(|node| &**node).into_iter().collect();
    let mut found = Vec::new();
    while let Some(node) = open.pop() {
        count(1);
        match node {
            Node::Branch(children) => open.extend(children.iter().flatten().map(|child| &**child)),
            Node::Leaf { hash, entries } => found.extend(entries.iter().map(|(name, value)| (*hash, name, value))),
        }
    }
    found
}

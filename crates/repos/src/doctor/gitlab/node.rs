//! The files of a pipeline as one: values that know their file, and how GitLab lays one over another.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::repo_audit::Document;
use agent_strace_policy::json::{Data, Value};

/// A key, with its place.
#[derive(Debug, Clone)]
pub(super) struct Key {
    pub(super) name: String,
    pub(super) place: Place,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) file: Rc<str>,
    pub(super) line: u32,
}

#[derive(Debug, Clone)]
pub(super) enum Content {
    Other,
    Bool(bool),
    Text(String),
    List(Vec<Node>),
    Map(Vec<(Key, Node)>),
}

#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) place: Place,
    pub(super) content: Content,
}

impl Node {
    pub(super) fn read(file: &Rc<str>, document: &Document<'_>) -> Self {
        // Lines are counted once for all values.
        let breaks: Vec<usize> = memchr::memchr_iter(b'\n', document.text.as_bytes()).collect();
        let line = |at: usize| u32::try_from(breaks.partition_point(|end| *end < at)).unwrap_or(u32::MAX - 1) + 1;
        Self::of(file, &document.root, &line)
    }

    fn of(file: &Rc<str>, value: &Value, line: &dyn Fn(usize) -> u32) -> Self {
        let place = |at: usize| Place { file: Rc::clone(file), line: line(at) };
        let content = match &value.data {
            Data::Null => Content::Other,
            Data::Bool(value) => Content::Bool(*value),
            Data::Number(text) | Data::Text(text) => Content::Text(text.clone()),
            Data::List(items) => Content::List(items.iter().map(|item| Self::of(file, item, line)).collect()),
            Data::Object(members) => {
                let mut map: Vec<(Key, Self)> = Vec::with_capacity(members.len());
                let mut known: BTreeMap<&str, usize> = BTreeMap::new();
                for (key, value) in members {
                    let node = Self::of(file, value, line);
                    // The last of two equal keys counts.
                    if let Some((_, earlier)) = known.get(key.name.as_str()).and_then(|at| map.get_mut(*at)) {
                        *earlier = node;
                    } else {
                        known.insert(&key.name, map.len());
                        map.push((Key { name: key.name.clone(), place: place(key.span.start) }, node));
                    }
                }
                Content::Map(map)
            }
        };
        Self { place: place(value.span.start), content }
    }

    pub(super) fn members(&self) -> &[(Key, Self)] {
        match &self.content {
            Content::Map(members) => members,
            _ => &[],
        }
    }

    pub(super) fn member(&self, name: &str) -> Option<&Self> {
        self.members().iter().find(|(key, _)| key.name == name).map(|(_, node)| node)
    }

    pub(super) fn items(&self) -> &[Self] {
        match &self.content {
            Content::List(items) => items,
            _ => &[],
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        match &self.content {
            Content::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn is_false(&self) -> bool {
        matches!(self.content, Content::Bool(false)) || self.text() == Some("false")
    }

    /// The texts of a list, or the one text.
    pub(super) fn texts(&self) -> Vec<&str> {
        self.items().iter().filter_map(Self::text).chain(self.text()).collect()
    }

    /// Lays another value over this one: objects are joined, everything else is replaced.
    pub(super) fn lay(&mut self, over: Self) {
        let (Content::Map(members), Content::Map(others)) = (&mut self.content, over.content.clone()) else {
            *self = over;
            return;
        };
        let known: BTreeMap<String, usize> =
            members.iter().enumerate().map(|(at, (key, _))| (key.name.clone(), at)).collect();
        for (key, node) in others {
            match known.get(&key.name).and_then(|at| members.get_mut(*at)) {
                Some((_, earlier)) => earlier.lay(node),
                None => members.push((key, node)),
            }
        }
    }

    pub(super) fn without(mut self, name: &str) -> Self {
        if let Content::Map(members) = &mut self.content {
            members.retain(|(key, _)| key.name != name);
        }
        self
    }
}

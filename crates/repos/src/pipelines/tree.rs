//! One state of a repository, and text as CI systems read it.

/// The content of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    Missing,
    Text(String),
    /// Why it can't be read, in one line.
    Unreadable(String),
}

/// The contents of the files of one commit.
pub trait Contents {
    fn read(&self, path: &str) -> Content;
}

/// The files of one commit.
pub trait Tree: Contents {
    /// All paths from the top, sorted.
    fn paths(&self) -> &[String];
}

pub(super) fn holds(tree: &dyn Tree, path: &str) -> bool {
    tree.paths().binary_search_by(|known| known.as_str().cmp(path)).is_ok()
}

/// The files directly in a folder.
pub(super) fn files_in<'t>(tree: &'t dyn Tree, folder: &str) -> impl Iterator<Item = &'t str> {
    let below = format!("{folder}/");
    let start = tree.paths().partition_point(|path| path.as_str() < below.as_str());
    let paths = tree.paths().get(start..).unwrap_or_default().iter();
    let inside = paths.map(String::as_str).take_while({
        let below = below.clone();
        move |path| path.starts_with(&below)
    });
    inside.filter(move |path| path.get(below.len()..).is_some_and(|rest| !rest.contains('/')))
}

/// Text of a file: UTF-8, or UTF-16 with a byte order mark, which readers of YAML have to understand, too.
pub fn text_of(bytes: Vec<u8>) -> Content {
    let units = |rest: &[u8], unit: fn([u8; 2]) -> u16| -> Content {
        let units: Vec<u16> = rest.chunks_exact(2).filter_map(|pair| pair.try_into().ok()).map(unit).collect();
        match String::from_utf16(&units).ok().filter(|_| rest.len().is_multiple_of(2)) {
            Some(text) => Content::Text(text),
            None => Content::Unreadable("it begins like UTF-16 text, but it is not valid UTF-16".to_owned()),
        }
    };
    match bytes.as_slice() {
        [0xff, 0xfe, rest @ ..] => units(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => units(rest, u16::from_be_bytes),
        _ => match String::from_utf8(bytes) {
            Ok(text) => Content::Text(text),
            Err(_) => Content::Unreadable("it is not UTF-8 text".to_owned()),
        },
    }
}

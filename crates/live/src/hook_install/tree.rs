//! JSON with comments, parsed, with the place of each value in its text.

use std::collections::HashSet;

use jsonc_parser::ast::{Array, Object, ObjectProp, Value as Node};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};
use serde_json::Value;

use super::brackets::{Brackets, Comments};

/// Real ones nest less deep; the library's functions call themselves.
const DEEPEST: usize = 100;
/// Programs on Windows begin files with it. It is no part of the text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The byte order mark of a text, and the text.
pub(super) fn without_mark(text: &str) -> (&'static str, &str) {
    text.strip_prefix(BYTE_ORDER_MARK).map_or(("", text), |text| ("\u{feff}", text))
}

/// Reads a text that has each name on a path once. The error says why it can't be read.
pub(super) fn value_with(text: &str, path: &[&str]) -> Result<Value, String> {
    let root = parse(without_mark(text).1)?;
    match twice(&root, path) {
        Some(name) => Err(format!("it has `{}` more than once, and agents read one of them", name.escape_default())),
        None => Ok(Value::from(root)),
    }
}

/// Why it can't be parsed, with line and column.
pub(super) fn parse(text: &str) -> Result<Node<'_>, String> {
    if depth(text) > DEEPEST {
        return Err(format!("it nests more than {DEEPEST} deep"));
    }
    let collect = CollectOptions { comments: CommentCollectionStrategy::Off, tokens: false };
    let parsed = parse_to_ast(text, &collect, &options()).map_err(|error| {
        let (line, column) = (error.line_display(), error.column_display());
        format!("it is no JSON: {} on line {line}, column {column}", error.kind())
    })?;
    parsed.value.ok_or_else(|| "it holds no JSON value".to_owned())
}

/// JSON with comments and commas at the end of lists, and nothing else.
fn options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// At least as deep as the text nests: brackets in strings and comments count, too.
pub(super) fn depth(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

pub(super) fn of_object<'t>(text: &'t str, object: &Object<'_>) -> Brackets<'t> {
    let elements = object.properties.iter().map(|property| property.range.start..property.range.end).collect();
    Brackets { text, comments: Comments::Slashes, range: object.range.start..object.range.end, elements }
}

pub(super) fn of_array<'t>(text: &'t str, array: &Array<'_>) -> Brackets<'t> {
    let elements = array.elements.iter().map(|element| element.start()..element.end()).collect();
    Brackets { text, comments: Comments::Slashes, range: array.range.start..array.range.end, elements }
}

/// All members of this name, of which agents read one.
pub(super) fn members<'o, 't>(
    object: &'o Object<'t>,
    name: &str,
) -> impl DoubleEndedIterator<Item = &'o ObjectProp<'t>> {
    object.properties.iter().filter(move |property| property.name.as_str() == name)
}

pub(super) fn serde(node: &Node<'_>) -> Value {
    Value::from(node.clone())
}

/// A name that the objects on a path have more than once, or any object at its end.
pub(super) fn twice(node: &Node<'_>, path: &[&str]) -> Option<String> {
    let Some((name, deeper)) = path.split_first() else { return twice_within(node) };
    let found: Vec<&ObjectProp<'_>> = node.as_object().into_iter().flat_map(|object| members(object, name)).collect();
    match found.as_slice() {
        [] => None,
        [only] => twice(&only.value, deeper),
        _ => Some((*name).to_owned()),
    }
}

fn twice_within(node: &Node<'_>) -> Option<String> {
    match node {
        Node::Object(object) => {
            let mut names = HashSet::new();
            let double = object.properties.iter().find(|property| !names.insert(property.name.as_str()));
            let within = || object.properties.iter().find_map(|property| twice_within(&property.value));
            double.map(|property| property.name.as_str().to_owned()).or_else(within)
        }
        Node::Array(array) => array.elements.iter().find_map(twice_within),
        _ => None,
    }
}

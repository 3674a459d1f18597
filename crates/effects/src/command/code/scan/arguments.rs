//! The arguments of a call: by position, by name, and one for each element of a loop.

use super::Value;

/// The most values of a loop that a call is followed with; of a loop with more, the value is not known.
pub(super) const ELEMENTS: usize = 256;

/// Returns the arguments by position. Where all are named, those that mostly come first come first.
pub(super) fn positional(arguments: &[Value]) -> Vec<&Value> {
    const FIRST: &[&str] =
        &["command", "cmd", "args", "file", "filename", "path", "name", "url", "src", "source", "host"];
    let plain: Vec<&Value> = arguments.iter().filter(|value| !matches!(value, Value::Named(..))).collect();
    if !plain.is_empty() {
        return plain;
    }
    let named = |first: bool| {
        arguments.iter().filter_map(move |value| match value {
            Value::Named(name, value) if FIRST.contains(&name.as_str()) == first => Some(value.as_ref()),
            _ => None,
        })
    };
    named(true).chain(named(false)).collect()
}

/// Returns the values once for each element of the one that has several. Returns `None` where not exactly one has several,
/// and where they are too many.
pub(super) fn once_each(values: &[Value]) -> Option<Vec<Vec<Value>>> {
    let several = |value: &&Value| matches!(value, Value::Each(_));
    let at = values.iter().position(|value| several(&value))?;
    let Some(Value::Each(elements)) = values.get(at).filter(|_| values.iter().filter(several).count() == 1) else {
        return None;
    };
    if elements.len().max(values.len()) > ELEMENTS || elements.iter().any(|element| several(&element)) {
        return None;
    }
    let with = |element: &Value| {
        let mut all = values.to_vec();
        if let Some(place) = all.get_mut(at) {
            *place = element.clone();
        }
        all
    };
    Some(elements.iter().map(with).collect())
}

/// Whether the list is an object of options and no list of words.
pub(super) fn is_options(list: &[Value]) -> bool {
    list.iter().all(|value| matches!(value, Value::Named(..)))
}

/// Finds the value of `name=value` among the arguments, or in an object of options that is one of them.
pub(super) fn named_argument<'v>(arguments: &'v [Value], name: &str) -> Option<&'v Value> {
    arguments.iter().find_map(|value| match value {
        Value::Named(own, value) if own == name => Some(value.as_ref()),
        Value::List(list) => list.iter().find_map(|value| match value {
            Value::Named(own, value) if own == name => Some(value.as_ref()),
            _ => None,
        }),
        _ => None,
    })
}

/// Finds the list that an object of options has under a name.
pub(super) fn named_list<'v>(options: &'v [Value], name: &str) -> Option<&'v [Value]> {
    options.iter().find_map(|value| match value {
        Value::Named(own, value) if own == name => match value.as_ref() {
            Value::List(list) => Some(list.as_slice()),
            _ => None,
        },
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::{ELEMENTS, Value, once_each};

    #[test]
    fn a_loop_over_too_many_values_has_none_that_are_known() {
        let values = |count: usize| [Value::Number(1), Value::Each(vec![Value::Number(2); count])];
        assert_eq!(once_each(&values(ELEMENTS)).map(|all| all.len()), Some(ELEMENTS));
        assert_eq!(once_each(&values(ELEMENTS + 1)), None);
    }
}

//! Scripts in whose output only the host can have written the words of a message.

/// A call of a tool in the code of a script; its arguments follow.
pub(super) const CALL: &str = "$call(";

/// Names through which a script could raise an error in its own words.
const RAISES: [&str; 19] = [
    "throw",
    "Error",
    "Exception",
    "reject",
    "raise",
    "assert",
    "Promise",
    "then",
    "catch",
    "mcp__",
    "=>",
    "function",
    "class",
    "new ",
    "get ",
    "Symbol",
    "import",
    "eval",
    "toString",
];

/// Returns whether errors of a script can only be those that the host raises.
pub(super) fn host_raises(source: &str) -> bool {
    !RAISES.iter().any(|name| source.contains(name))
}

/// Names that no variable of such a script may have.
const TAKEN: [&str; 4] = ["text", "JSON", "String", "tools"];

/// Returns whether a script does nothing but call tools with literal arguments, one after the other, and print each result
/// as JSON, which begins with no word of a message, or the error of the call. `code`: without its texts.
pub(super) fn host_speaks(code: &str) -> bool {
    let code: String = code.chars().filter(|character| !character.is_whitespace()).collect();
    let mut rest = code.trim_start_matches(';');
    let mut results = Vec::new();
    while !rest.is_empty() {
        let Some(after) = statement(rest, &mut results) else { return false };
        rest = after.trim_start_matches(';');
    }
    true
}

/// The code after a statement that is understood. `results`: variables that hold results.
fn statement<'c>(code: &'c str, results: &mut Vec<&'c str>) -> Option<&'c str> {
    if let Some(after) = code.strip_prefix("await$call()").or_else(|| code.strip_prefix(PRINTED)) {
        return Some(after);
    }
    if let Some(tried) = code.strip_prefix("try{").and_then(|code| code.strip_prefix(PRINTED)) {
        return caught(tried.trim_start_matches(';').strip_prefix("}catch(")?);
    }
    if let Some(printed) = code.strip_prefix("text(JSON.stringify(") {
        let (name, after) = name(printed)?;
        return after.strip_prefix("))").filter(|_| results.contains(&name));
    }
    let (result, after) = name(code.strip_prefix("const")?)?;
    results.push(result);
    after.strip_prefix("=await$call()")
}

/// A call whose result is printed.
const PRINTED: &str = "text(JSON.stringify(await$call()))";

/// The code after the rest of a `catch` that prints the error.
fn caught(code: &str) -> Option<&str> {
    let (error, after) = name(code)?;
    let after = after.strip_prefix("){")?;
    let printed = [format!("text(String({error}))"), format!("text({error})")];
    let after = printed.iter().find_map(|printed| after.strip_prefix(printed.as_str()))?;
    after.trim_start_matches(';').strip_prefix('}')
}

fn name(code: &str) -> Option<(&str, &str)> {
    let end = code.find(|character: char| !super::is_word(character)).unwrap_or(code.len());
    let (name, after) = code.split_at_checked(end)?;
    (!name.is_empty() && !TAKEN.contains(&name)).then_some((name, after))
}

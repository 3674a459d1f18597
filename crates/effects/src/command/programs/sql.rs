//! Statements of SQL that only ask.

/// Functions that read no file and change nothing, sorted.
const PURE: &[&str] = &[
    "abs",
    "all",
    "and",
    "any",
    "array_agg",
    "as",
    "avg",
    "by",
    "cast",
    "ceil",
    "coalesce",
    "concat",
    "count",
    "current_database",
    "current_schema",
    "date",
    "date_trunc",
    "distinct",
    "exists",
    "extract",
    "floor",
    "from",
    "greatest",
    "in",
    "join",
    "json_agg",
    "jsonb_agg",
    "least",
    "left",
    "length",
    "lower",
    "max",
    "min",
    "not",
    "now",
    "nullif",
    "on",
    "or",
    "over",
    "pg_database_size",
    "pg_size_pretty",
    "pg_total_relation_size",
    "round",
    "row_number",
    "row_to_json",
    "select",
    "string_agg",
    "substring",
    "sum",
    "to_char",
    "trim",
    "upper",
    "using",
    "values",
    "version",
    "where",
];

/// Returns true if each statement selects rows, and names no function but those known to change nothing.
pub(super) fn only_selects(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    // Comments, commands of the client and other quotes may hide anything.
    if lower.contains(['\\', '`', '$'])
        || ["--", "/*", "into", "for update", "for share"].iter().any(|part| lower.contains(part))
    {
        return false;
    }
    let Some(plain) = without_texts(&lower) else { return false };
    let mut statements = plain.split(';').map(str::trim).filter(|statement| !statement.is_empty()).peekable();
    statements.peek().is_some() && statements.all(selects)
}

fn selects(statement: &str) -> bool {
    let first = statement.split(|character: char| !character.is_ascii_alphanumeric()).next().unwrap_or_default();
    let calls = statement.match_indices('(').map(|(at, _)| {
        let before = statement.get(..at).unwrap_or_default().trim_end();
        before
            .rsplit(|character: char| !(character.is_ascii_alphanumeric() || character == '_'))
            .next()
            .unwrap_or_default()
    });
    let mut calls = calls.filter(|name| !name.is_empty());
    matches!(first, "select" | "show") && calls.all(|name| PURE.binary_search(&name).is_ok())
}

/// The statements without their texts; `None`: a text does not end.
fn without_texts(text: &str) -> Option<String> {
    let parts: Vec<&str> = text.split('\'').collect();
    (parts.len() % 2 == 1).then(|| parts.iter().step_by(2).copied().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::{PURE, only_selects};

    #[test]
    fn statements_that_may_change_something_are_told_apart() {
        assert!(PURE.is_sorted());
        for text in [
            "select count(*) from users",
            "SELECT id, lower(name) FROM users WHERE name = 'a;b(c)' LIMIT 5;",
            "select 1; show search_path",
        ] {
            assert!(only_selects(text), "{text}");
        }
        for text in [
            "",
            "delete from users",
            "select pg_read_file('/etc/passwd')",
            "select * into other from users",
            "select f('x')",
            "select 1; drop table users",
            "select 1 \\g /tmp/x",
            "select 'a",
            "select 1 -- x\n; drop table users",
            "with x as (delete from users returning 1) select * from x",
        ] {
            assert!(!only_selects(text), "{text}");
        }
    }
}

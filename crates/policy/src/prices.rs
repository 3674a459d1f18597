//! Price tables: a file with locations → rows, or everything that is wrong with it.

use std::sync::{Arc, LazyLock};

use super::json::{self, Data, Value};
use super::parse::{Parser, is_usual, money};
use super::{Diagnostics, quoted};
use crate::grammar;
use agent_strace_model::prices::{Rates, Row, TABLE, Table};

pub(crate) const RATES: &[&str] = &["input", "output", "cache_read", "cache_write", "cache_write_1h"];

static SHIPPED: LazyLock<Arc<Table>> = LazyLock::new(|| {
    // A test holds that it can be read; without it every model would be unknown, and no cost complete.
    Arc::new(read("table.json", TABLE.as_bytes()).unwrap_or_default())
});

/// The table of this build.
pub fn shipped() -> &'static Arc<Table> {
    &SHIPPED
}

/// Dollars for a million tokens.
pub fn amount(text: &str) -> Option<u128> {
    money(text)
}

/// A file of prices. `file`: as users know it.
pub fn read(file: &str, bytes: &[u8]) -> Result<Table, Diagnostics> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let message = format!("byte {} is not UTF-8 text", error.valid_up_to() + 1);
        Diagnostics::whole_file(file, message, Some("save it as UTF-8".to_owned()))
    })?;
    let mut parser = Parser::of_configuration(file, text);
    let mut table = Table::default();
    match json::read(text) {
        Ok(document) => rows(&mut parser, &document.root, &mut table),
        Err(error) => parser.refuse(error),
    }
    parser.finish(table)
}

fn rows(parser: &mut Parser<'_>, root: &Value, table: &mut Table) {
    if !matches!(root.data, Data::Object(_)) {
        let help = Some("write `{\"version\": 1, \"models\": […]}`".to_owned());
        return parser.fault(root, "", format!("the table is {}, not an object", root.data.name()), help);
    }
    let Some(members) = parser.members(root, "", &grammar::PRICES) else { return };
    let version = members.iter().find(|(key, _)| key.name == "version").map(|(_, value)| *value);
    if !matches!(version.map(|value| &value.data), Some(Data::Number(number)) if number == "1") {
        let help = Some("write `\"version\": 1`".to_owned());
        parser.fault(version.unwrap_or(root), "/version", "this is no price table of version 1".to_owned(), help);
    }
    let Some((_, models)) = members.iter().find(|(key, _)| key.name == "models") else {
        let help = Some("write `\"models\": [{\"model\": \"…\", \"window\": 200000, …}]`".to_owned());
        return parser.fault(root, "/models", "the table has no `models`".to_owned(), help);
    };
    let Data::List(models) = &models.data else {
        return parser.wrong_type(models, "/models", "a list of models");
    };
    for (index, value) in models.iter().enumerate() {
        row(parser, value, &format!("/models/{index}"), table);
    }
}

fn row(parser: &mut Parser<'_>, value: &Value, pointer: &str, table: &mut Table) {
    let Some(members) = parser.members(value, pointer, &grammar::MODEL) else { return };
    for key in grammar::MODEL.required().iter().filter(|key| !members.iter().any(|(known, _)| known.name == **key)) {
        parser.fault(value, pointer, format!("the model has no `{key}`"), Some(wanted(key).to_owned()));
    }
    let mut read = Row {
        model: String::new(),
        window: 0,
        rates: Rates::default(),
        over: None,
        source: String::new(),
        date: String::new(),
    };
    let (mut also, mut short) = (Vec::new(), None);
    for (key, value) in members {
        let below = format!("{pointer}/{}", key.name);
        match key.name.as_str() {
            "model" => read.model = name(parser, value, &below, table).unwrap_or_default(),
            "source" => read.source = text(parser, value, &below).unwrap_or_default(),
            "date" => read.date = day(parser, value, &below).unwrap_or_default(),
            "short" => short = name(parser, value, &below, table),
            "also" => also = names(parser, value, &below, table),
            "window" => read.window = count(parser, value, &below).unwrap_or_default(),
            "over" => read.over = over(parser, value, &below),
            name => rate(parser, name, value, &below, &mut read.rates),
        }
    }
    for rates in read.over.iter_mut().map(|(_, rates)| rates).chain([&mut read.rates]) {
        // Who asks nothing else for tokens of a cache asks for them what any other token costs.
        rates.cache_read.get_or_insert(rates.input);
        rates.cache_write.get_or_insert(rates.input);
    }
    table.add(read, &also, short.as_deref());
}

/// What to write for a key that every row needs.
fn wanted(key: &str) -> &'static str {
    match key {
        "model" => "name it as logs do: \"claude-opus-4-6\"",
        "window" => "state the most tokens that a prompt may have: 200000",
        "source" => "say where the prices are from: \"contract 17\"",
        "date" => "say when they held: \"2026-07-02\"",
        _ => "state what a million tokens cost, in dollars; write 0 for tokens that cost nothing",
    }
}

fn over(parser: &mut Parser<'_>, value: &Value, pointer: &str) -> Option<(u64, Rates)> {
    let members = parser.members(value, pointer, &grammar::OVER)?;
    for key in ["tokens", "input", "output"] {
        if !members.iter().any(|(known, _)| known.name == key) {
            let help = "other prices of long prompts need `tokens`, `input` and `output`".to_owned();
            parser.fault(value, pointer, format!("`over` has no `{key}`"), Some(help));
        }
    }
    let (mut tokens, mut rates) = (0, Rates::default());
    for (key, value) in members {
        let below = format!("{pointer}/{}", key.name);
        match key.name.as_str() {
            "tokens" => tokens = count(parser, value, &below).unwrap_or_default(),
            name => rate(parser, name, value, &below, &mut rates),
        }
    }
    Some((tokens, rates))
}

fn rate(parser: &mut Parser<'_>, name: &str, value: &Value, pointer: &str, rates: &mut Rates) {
    if !RATES.contains(&name) {
        return;
    }
    let Data::Number(text) = &value.data else { return parser.wrong_type(value, pointer, "a number of dollars") };
    let Some(amount) = money(text) else {
        let help = "write a number from 0 on with at most six decimals".to_owned();
        return parser.fault(value, pointer, format!("{} is no price", quoted(text)), Some(help));
    };
    match name {
        "input" => rates.input = amount,
        "output" => rates.output = amount,
        "cache_read" => rates.cache_read = Some(amount),
        "cache_write" => rates.cache_write = Some(amount),
        _ => rates.cache_write_1h = Some(amount),
    }
}

fn count(parser: &mut Parser<'_>, value: &Value, pointer: &str) -> Option<u64> {
    if let Data::Number(text) = &value.data
        && let Some(count) = text.parse().ok().filter(|count| *count > 0)
    {
        return Some(count);
    }
    parser.wrong_type(value, pointer, "a whole number from 1 on");
    None
}

fn text(parser: &mut Parser<'_>, value: &Value, pointer: &str) -> Option<String> {
    match &value.data {
        Data::Text(text) if !text.trim().is_empty() && !text.contains(char::is_control) => Some(text.clone()),
        Data::Text(_) => {
            parser.fault(value, pointer, "this text is empty or not one line".to_owned(), None);
            None
        }
        _ => {
            parser.wrong_type(value, pointer, "a string");
            None
        }
    }
}

/// A name of a model that no row above has: of two prices for one name nobody could say which one counts.
fn name(parser: &mut Parser<'_>, value: &Value, pointer: &str, table: &Table) -> Option<String> {
    let name = text(parser, value, pointer)?;
    if let Some(row) = table.named(&name) {
        let message = format!("{} is a name of the row of {}, too", quoted(&name), quoted(&row.model));
        parser.fault(value, pointer, message, Some("keep one row for each model, and one name for one row".to_owned()));
    }
    Some(name)
}

fn names(parser: &mut Parser<'_>, value: &Value, pointer: &str, table: &Table) -> Vec<String> {
    let Data::List(items) = &value.data else {
        parser.wrong_type(value, pointer, "a list of names");
        return Vec::new();
    };
    let items = items.iter().enumerate();
    items.filter_map(|(index, item)| name(parser, item, &format!("{pointer}/{index}"), table)).collect()
}

fn day(parser: &mut Parser<'_>, value: &Value, pointer: &str) -> Option<String> {
    let day = text(parser, value, pointer)?;
    if !day.parse::<jiff::civil::Date>().is_ok_and(|read| is_usual(&day, read)) {
        let help = "write it as \"2026-07-02\"".to_owned();
        parser.fault(value, pointer, format!("{} is no day", quoted(&day)), Some(help));
    }
    Some(day)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::read;
    use agent_strace_model::prices::TABLE;

    #[test]
    fn the_table_of_this_build_can_be_read() {
        let table = read("table.json", TABLE.as_bytes()).unwrap_or_else(|faults| panic!("{faults}"));
        assert!(table.names().count() > 100);
        assert_eq!(&table, &**super::shipped());
    }

    #[test]
    fn a_model_is_found_by_its_own_name_only() {
        let table = super::shipped();
        let found = |name: &str| table.find(name).map(|row| row.model.as_str());
        for (name, model) in [
            ("claude-opus-4-6", Some("claude-opus-4-6")),
            ("claude-sonnet-4-5-20250929", Some("claude-sonnet-4-5")),
            ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", Some("claude-sonnet-4-5")),
            ("copilot/claude-sonnet-4", Some("claude-sonnet-4-20250514")),
            ("claude-haiku-4.5", Some("claude-haiku-4-5")),
            ("gpt-4.1", Some("gpt-4.1")),
            ("gpt-4", Some("gpt-4")),
            ("gpt-4-1106-preview", None),
            ("gpt-5-2025-08-07", Some("gpt-5")),
            ("gpt-4o-2024-08-06", Some("gpt-4o")),
            ("openai/gpt-4o-2024-05-13", Some("gpt-4o-2024-05-13")),
            ("gpt-5.4-mini", Some("gpt-5.4-mini")),
            ("c", None),
            ("", None),
            ("sonnet", None),
            ("openai/gpt", None),
            ("claude-opus-4-6-fast", Some("claude-opus-4-6-fast")),
            ("claude-opus-4-6-slow", None),
        ] {
            assert_eq!(found(name), model, "{name}");
        }
        assert_eq!(table.choose("sonnet").map(|row| row.model.as_str()), Some("claude-sonnet-5-5"));
        assert!(table.choose("gpt").is_none());
    }

    #[test]
    fn a_row_of_a_file_counts_under_every_name_of_its_model() {
        let found = |rows: &[&str], name: &str| {
            let own = read("prices.json", table(rows).as_bytes()).unwrap_or_else(|faults| panic!("{faults}"));
            let table = super::shipped().as_ref().clone().with(own);
            table.choose(name).map_or_else(|| "none".to_owned(), |row| format!("{} of {}", row.model, row.source))
        };
        for (own, name, wanted) in [
            (r#""model": "claude-sonnet-4""#, "claude-sonnet-4-20250514", "claude-sonnet-4 of s"),
            (r#""model": "claude-sonnet-4-20250514""#, "claude-sonnet-4", "claude-sonnet-4-20250514 of s"),
            (r#""model": "claude-4-sonnet""#, "us.anthropic.claude-sonnet-4-20250514-v1:0", "claude-4-sonnet of s"),
            (r#""model": "claude-sonnet-4-5""#, "claude-4.5-sonnet", "claude-sonnet-4-5 of s"),
            (r#""model": "claude-sonnet-5-5""#, "sonnet", "claude-sonnet-5-5 of s"),
            (r#""model": "house", "short": "gpt-5""#, "gpt-5", "house of s"),
            (r#""model": "house", "also": ["gpt-5"]"#, "openai/gpt-5-2025-08-07", "house of s"),
            (r#""model": "gpt-4o""#, "gpt-4o-2024-05-13", "gpt-4o of s"),
            (r#""model": "gpt-4o-2024-05-13""#, "gpt-4o", "gpt-4o of models.dev"),
            (r#""model": "gpt-4o""#, "gpt-4o-mini", "gpt-4o-mini of models.dev"),
        ] {
            assert_eq!(found(&[own], name), wanted, "{own}: {name}");
        }
        let two = [r#""model": "claude-4-sonnet""#, r#""model": "claude-sonnet-4-20250514""#];
        assert_eq!(found(&two, "claude-sonnet-4-0"), "claude-sonnet-4-20250514 of s");
    }

    #[test]
    fn a_name_that_stands_for_two_rows_is_a_fault() {
        let twice = |one: &str, other: &str| {
            let read = read("prices.json", table(&[one, other]).as_bytes());
            read.map_or_else(|faults| faults.to_string(), |_| String::new())
        };
        for (one, other, said) in [
            (r#""model": "a""#, r#""model": "a""#, "`a` is a name of the row of `a`, too"),
            (r#""model": "gpt-4.1""#, r#""model": " GPT-4-1""#, "is a name of the row of `gpt-4.1`, too"),
            (r#""model": "a""#, r#""model": "b", "also": ["c", "a"]"#, "`a` is a name of the row of `a`, too"),
            (r#""model": "a", "also": ["b"]"#, r#""model": "b""#, "`b` is a name of the row of `a`, too"),
            (r#""model": "a", "short": "b""#, r#""model": "b""#, "`b` is a name of the row of `a`, too"),
            (r#""model": "a", "short": "c""#, r#""model": "b", "short": "c""#, "`c` is a name of the row of `a`, too"),
        ] {
            let faults = twice(one, other);
            assert!(faults.contains(said) && faults.contains("prices.json:3:"), "{one} {other}: {faults}");
        }
        for (one, other) in [
            // A day of its own, and who offers it, may have a price of their own.
            (r#""model": "gpt-4o""#, r#""model": "gpt-4o-2024-05-13""#),
            (r#""model": "claude-opus-4-6""#, r#""model": "us.anthropic.claude-opus-4-6-v1""#),
            (r#""model": "gpt-4.1", "also": ["gpt-4-1"], "short": "gpt-4.1""#, r#""model": "a""#),
        ] {
            assert_eq!(twice(one, other), "", "{one} {other}");
        }
    }

    /// A table with one row a line.
    fn table(rows: &[&str]) -> String {
        let rest = r#""window": 5, "input": 1, "output": 1, "source": "s", "date": "2026-01-01""#;
        let rows: Vec<String> = rows.iter().map(|row| format!("{{{row}, {rest}}}")).collect();
        format!("{{\"version\": 1, \"models\": [\n{}\n]}}", rows.join(",\n"))
    }

    #[test]
    fn what_is_wrong_with_a_table_is_told_with_its_place() {
        let cases = [
            ("[]", "the table is a list, not an object"),
            (r#"{"models": []}"#, "this is no price table of version 1"),
            (r#"{"version": 1}"#, "the table has no `models`"),
            (r#"{"version": 1, "models": [{"model": "a"}]}"#, "the model has no `window`"),
            (r#"{"version": 1, "models": [{"modle": "a"}]}"#, "did you mean `model`?"),
            (&row(r#""input": "3""#), "`models[0].input` is a string, not a number of dollars"),
            (&row(r#""input": -3"#), "`-3` is no price"),
            (&row(r#""input": 3.1234567"#), "`3.1234567` is no price"),
            (&row(r#""window": 0"#), "not a whole number from 1 on"),
            (&row(r#""date": "today""#), "`today` is no day"),
            (&row(r#""over": {"tokens": 5}"#), "`over` has no `input`"),
        ];
        for (text, said) in cases {
            let mut faults = String::new();
            let Err(read) = read("prices.json", text.as_bytes()) else { panic!("{text} was read") };
            write!(faults, "{read}").unwrap();
            assert!(faults.contains(said), "{text}: {faults}");
            assert!(faults.contains("prices.json"), "{faults}");
        }
    }

    /// A row in which one member is another one.
    fn row(member: &str) -> String {
        let key = member.split(':').next().unwrap();
        let all = [
            r#""model": "a""#,
            r#""window": 5"#,
            r#""input": 1"#,
            r#""output": 1"#,
            r#""source": "s""#,
            r#""date": "2026-01-01""#,
        ];
        let mut members: Vec<&str> = all.into_iter().filter(|other| !other.starts_with(key)).collect();
        members.push(member);
        format!(r#"{{"version": 1, "models": [{{{}}}]}}"#, members.join(", "))
    }
}

//! A session in one of the formats.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::failure::Failure;
use super::manifest::Manifest;
use super::trace::Cleaned;
use super::{ExportArgs, ExportFormat};
use agent_strace_store::indented;

/// Of the columns of the Python tool.
const COLUMNS: &str = "timestamp,event_type,event_id,parent_id,duration_ms,data\r\n";

pub(super) fn document(args: &ExportArgs, cleaned: &Cleaned<'_>, manifest: &Manifest) -> Result<String, Failure> {
    let json = match args.format {
        ExportFormat::Csv => return csv(cleaned),
        // Traces are made from what is read again of it (`telemetry`).
        ExportFormat::Ndjson | ExportFormat::Otlp | ExportFormat::OtlpGenai => {
            return Ok(cleaned.events.iter().flat_map(|event| [*event, "\n"]).collect());
        }
        ExportFormat::Json if args.anonymize => anonymized(cleaned, manifest),
        ExportFormat::Json => format!("[{}]", cleaned.events.join(",")),
    };
    Ok(indented(&json) + "\n")
}

/// Whoever anonymises what is anonymised gets what he had, with what it said of itself.
fn anonymized(cleaned: &Cleaned<'_>, manifest: &Manifest) -> String {
    let said = cleaned.header.anonymization.filter(|_| manifest.is_empty()).map(|said| said.get().to_owned());
    let said = said.unwrap_or_else(|| manifest.json());
    let id = serde_json::Value::from(cleaned.header.session_id.as_str());
    let (meta, events) = (cleaned.header.meta.get(), cleaned.events.join(","));
    format!(
        "{{\"session_id\":{id},\"meta\":{meta},\"anonymized\":true,\"anonymization\":{said},\"events\":[{events}]}}"
    )
}

/// The name of a file for it, of signs that every system takes.
pub(super) fn file_name(cleaned: &Cleaned<'_>, format: ExportFormat) -> String {
    let id = cleaned.header.session_id.chars().take(12);
    let id: String = id
        .map(|letter| if letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.') { letter } else { '-' })
        .collect();
    format!("session-{id}-anon.{}", format.ending())
}

#[derive(Deserialize)]
struct Row<'a> {
    #[serde(borrow)]
    timestamp: Option<&'a RawValue>,
    #[serde(borrow)]
    event_type: Option<&'a RawValue>,
    #[serde(borrow)]
    event_id: Option<&'a RawValue>,
    #[serde(borrow)]
    parent_id: Option<&'a RawValue>,
    #[serde(borrow)]
    duration_ms: Option<&'a RawValue>,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
}

fn csv(cleaned: &Cleaned<'_>) -> Result<String, Failure> {
    let mut text = COLUMNS.to_owned();
    for (at, event) in cleaned.events.iter().enumerate() {
        let row: Row<'_> = serde_json::from_str(event).map_err(|error| {
            Failure::new(format!("event {} has no columns: {error}", at + 1)).hint("`--format ndjson` takes any event")
        })?;
        // The Python tool leaves out a duration of nothing.
        let duration = row.duration_ms.filter(|json| json.get().parse::<f64>().ok() != Some(0.0));
        let cells = [row.timestamp, row.event_type, row.event_id, row.parent_id, duration, row.data];
        let cells: Vec<String> = cells.into_iter().map(|json| json.map_or_else(String::new, cell)).collect();
        text.push_str(&cells.join(","));
        text.push_str("\r\n");
    }
    Ok(text)
}

/// Text as it is, everything else as JSON, quoted where it has to be (RFC 4180). Programs that calculate take what
/// begins with one of these signs for a formula: an apostrophe makes it text.
fn cell(json: &RawValue) -> String {
    let text = match serde_json::from_str(json.get()) {
        Ok(serde_json::Value::String(text)) => text,
        Ok(serde_json::Value::Null) => return String::new(),
        Ok(serde_json::Value::Number(_)) => return json.get().to_owned(),
        _ => json.get().to_owned(),
    };
    let first = text.trim_start_matches([' ', '\u{a0}', '\u{feff}', '\0']).chars().next();
    let is_formula = matches!(first, Some('=' | '+' | '-' | '@' | '\t' | '\r' | '\n' | '＝' | '＋' | '－' | '＠'));
    let text = if is_formula { format!("'{text}") } else { text };
    if text.contains(['"', ',', '\n', '\r', ';', '\t']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::cell;

    #[test]
    fn no_cell_is_a_formula_or_breaks_its_row() {
        for (json, expected) in [
            ("\"tool_call\"", "tool_call"),
            ("\"=1+1\"", "'=1+1"),
            ("\" @SUM(A1)\"", "' @SUM(A1)"),
            ("\"-2+3\"", "'-2+3"),
            ("\"\\t=1\"", "\"'\t=1\""),
            ("\"＝1\"", "'＝1"),
            ("-1.5", "-1.5"),
            ("null", ""),
            ("{\"a\":\"b,\\n\"}", "\"{\"\"a\"\":\"\"b,\\n\"\"}\""),
            ("\"a,b\"", "\"a,b\""),
        ] {
            let json = serde_json::value::RawValue::from_string(json.to_owned()).unwrap();
            assert_eq!(cell(&json), expected, "{json}");
        }
    }
}

//! The published JSON Schemas are generated from the types that read and write our files; a test keeps each in step.

use std::borrow::Cow;
use std::fs;
use std::path::Path;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

/// Of what is written.
pub fn written<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>()
}

/// `schemas/NAME.schema.json` has to be this one; `UPDATE_SPECS=1` writes it.
pub fn keep(name: &str, schema: &Schema) {
    let text = serde_json::to_string_pretty(schema).unwrap() + "\n";
    keep_text(&format!("schemas/{name}.schema.json"), &text);
}

/// A file of the repository that is generated has to be this one; `UPDATE_SPECS=1` writes it.
pub fn keep_text(path: &str, text: &str) {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(path);
    if std::env::var_os("UPDATE_SPECS").is_some() {
        fs::write(&path, text).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found, text, "{} is not what it is generated from", path.display());
}

/// An id in the form of a UUID.
pub struct Id(());

/// A moment in UTC (RFC 3339).
pub struct Time(());

/// Whatever a log recorded.
pub struct AnyJson(());

impl JsonSchema for Id {
    fn schema_name() -> Cow<'static, str> {
        "Id".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "uuid" })
    }
}

impl JsonSchema for Time {
    fn schema_name() -> Cow<'static, str> {
        "Time".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time" })
    }
}

impl JsonSchema for AnyJson {
    fn schema_name() -> Cow<'static, str> {
        "AnyJson".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!(true)
    }
}

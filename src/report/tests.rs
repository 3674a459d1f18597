use std::fs;
use std::path::Path;

use schemars::generate::SchemaSettings;

use super::{effects, json};

/// `schemas/*.json` are generated from the types that are written; `UPDATE_SPECS=1` writes them.
#[test]
fn schemas_are_those_of_the_types() {
    let generator = || SchemaSettings::draft2020_12().for_serialize().into_generator();
    let schemas = [
        ("report", generator().into_root_schema_for::<json::Document<'static>>()),
        ("effects", generator().into_root_schema_for::<effects::Document<'static>>()),
    ];
    for (name, schema) in schemas {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("schemas/{name}.v1.schema.json"));
        let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        if std::env::var_os("UPDATE_SPECS").is_some() {
            fs::write(&path, &text).unwrap();
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), text, "{} is not what the types say", path.display());
    }
}

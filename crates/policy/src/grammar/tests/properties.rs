//! The schema refuses nothing that the reader takes.

use std::sync::LazyLock;

use jsonschema::Validator;
use proptest::prelude::*;
use serde_json::json;

use super::{FORMATS, validator};

static POLICY: LazyLock<Validator> = LazyLock::new(|| validator(&FORMATS[0]));

fn refuses_nothing_that_is_read(file: &serde_json::Value) -> Result<(), TestCaseError> {
    let is_read = crate::parse::parse("policy", &file.to_string(), None).is_ok();
    prop_assert!(!is_read || POLICY.is_valid(file), "{file}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn of_paths(text in r#"[!]?[ ]?(//|/|~/|\./|\.\./)?([ab.*?/|$"'{},\[\]^!\\: -]|\.\.|[а]|re:|Read|builtin:secrets|HOME){0,7}"#, version in 1..=2) {
        refuses_nothing_that_is_read(&json!({"version": version, "files": {"read": {"allow": ["x", text]}}}))?;
    }

    #[test]
    fn of_commands(text in r#"([a-c*! ;|&<>='"\\$`(){},.:/@^-]|git |--|&&|[с]|mcp__|\[ |npm:|builtin:viewers){0,7}"#, version in 1..=2) {
        refuses_nothing_that_is_read(&json!({"version": version, "commands": {"deny": [text]}}))?;
    }

    #[test]
    fn of_hosts(text in r"[*]?[.]?([a-c0-9.*:/@, +\[\]_-]|registry:npm|remote:|origin|127\.0\.0\.1|/8|::1|:443|[ü]){0,6}", version in 1..=2) {
        refuses_nothing_that_is_read(&json!({"version": version, "network": {"deny_all": true, "allow": [text]}}))?;
    }

    #[test]
    fn of_variables_and_steps(variable in r"[A-C_$={}() *?\[\]!%.:-]{0,5}", step in r"(read|exec|net|mcp|env|list)?[ ]{0,2}[ab*./: !-]{0,4}") {
        refuses_nothing_that_is_read(&json!({"version": 2, "env": {"deny_set": [variable]}}))?;
        refuses_nothing_that_is_read(&json!({"version": 2, "sequences": [{"id": "a", "deny": [step, "net"]}]}))?;
    }

    #[test]
    fn of_durations_and_days(duration in r"[ +-]?[0-9]{0,2}[ ]?(h|m|s|d|hours|PT|:|[.])?[0-9]{0,2}[HMSs]?", day in r"[0-9]{3,5}-[0-3][0-9]-[0-3][0-9]") {
        refuses_nothing_that_is_read(&json!({"version": 2, "budgets": {"duration": duration}}))?;
        let exception = json!({"rule": "scope/network", "reason": "a", "owner": "b", "until": day});
        refuses_nothing_that_is_read(&json!({"version": 2, "exceptions": [exception]}))?;
    }
}

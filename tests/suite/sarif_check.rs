//! What makes code scanning refuse a file, in our own words: schemas and validators catch only part of it.

use serde_json::Value;

/// Every reason why `sarif` would be refused or shown wrongly.
pub(crate) fn problems(sarif: &str) -> Vec<String> {
    let Ok(log) = serde_json::from_str::<Value>(sarif) else { return vec!["not JSON".to_owned()] };
    let mut problems = Vec::new();
    if log["version"] != "2.1.0" || log["$schema"].as_str().is_none_or(str::is_empty) {
        problems.push("version or schema".to_owned());
    }
    let runs = log["runs"].as_array().cloned().unwrap_or_default();
    if runs.len() != 1 {
        problems.push("not exactly one run".to_owned());
    }
    for run in &runs {
        rules(run, &mut problems);
        let Some(results) = run["results"].as_array() else {
            problems.push("no `results`".to_owned());
            continue;
        };
        if results.len() > 5_000 {
            problems.push("too many results".to_owned());
        }
        for result in results {
            check_result(run, result, &mut problems);
        }
    }
    problems
}

fn rules(run: &Value, problems: &mut Vec<String>) {
    let rules = run["tool"]["driver"]["rules"].as_array().cloned().unwrap_or_default();
    if rules.is_empty() {
        problems.push("no rules".to_owned());
    }
    let mut ids: Vec<&str> = rules.iter().filter_map(|rule| rule["id"].as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    if ids.len() != rules.len() {
        problems.push("a rule is listed twice or has no id".to_owned());
    }
    for rule in &rules {
        let id = rule["id"].to_string();
        let texts = [(&rule["shortDescription"]["text"], 1_024), (&rule["fullDescription"]["text"], 1_024)];
        let texts = texts.into_iter().chain([(&rule["name"], 255), (&rule["help"]["text"], usize::MAX)]);
        for (text, limit) in texts.chain([(&rule["help"]["markdown"], usize::MAX)]) {
            if text.as_str().is_none_or(|text| text.is_empty() || text.chars().count() > limit) {
                problems.push(format!("{id}: a description is missing or too long"));
            }
        }
        let severity = rule["properties"]["security-severity"].as_str().and_then(|text| text.parse::<f64>().ok());
        if severity.is_none_or(|severity| severity <= 0.0 || severity > 10.0) {
            problems.push(format!("{id}: security-severity"));
        }
        let tags = rule["properties"]["tags"].as_array().cloned().unwrap_or_default();
        if tags.len() > 10 || tags.iter().enumerate().any(|(at, tag)| tags[..at].contains(tag)) {
            problems.push(format!("{id}: tags"));
        }
    }
}

fn check_result(run: &Value, result: &Value, problems: &mut Vec<String>) {
    let id = result["ruleId"].to_string();
    let index = result["ruleIndex"].as_u64().and_then(|index| usize::try_from(index).ok());
    if index.is_none_or(|index| run["tool"]["driver"]["rules"][index]["id"] != result["ruleId"]) {
        problems.push(format!("{id}: ruleIndex"));
    }
    if !matches!(result["level"].as_str(), Some("error" | "warning" | "note")) {
        problems.push(format!("{id}: level"));
    }
    let text = result["message"]["text"].as_str().unwrap_or_default();
    if text.is_empty() || text.chars().count() > 1_024 {
        problems.push(format!("{id}: message"));
    }
    let related = result["relatedLocations"].as_array().cloned().unwrap_or_default();
    for target in links(text) {
        if !related.iter().any(|location| location["id"].as_u64().is_some_and(|id| target.parse() == Ok(id))) {
            problems.push(format!("{id}: the message links to nothing: {target}"));
        }
    }
    let locations = result["locations"].as_array().cloned().unwrap_or_default();
    if locations.len() != 1 {
        problems.push(format!("{id}: not exactly one location"));
    }
    for location in locations.iter().chain(&related) {
        check_location(&id, &location["physicalLocation"], problems);
    }
    let fingerprints = result["partialFingerprints"].as_object().cloned().unwrap_or_default();
    if fingerprints.is_empty() || fingerprints.values().any(|value| value.as_str().is_none_or(str::is_empty)) {
        problems.push(format!("{id}: fingerprints"));
    }
}

fn check_location(id: &str, physical: &Value, problems: &mut Vec<String>) {
    let uri = physical["artifactLocation"]["uri"].as_str().unwrap_or_default();
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/%".contains(&byte);
    if uri.is_empty() || uri.starts_with('/') || uri.split('/').any(|part| part == "..") || !uri.bytes().all(plain) {
        problems.push(format!("{id}: uri {uri}"));
    }
    let (start, end) = (physical["region"]["startLine"].as_u64(), physical["region"]["endLine"].as_u64());
    if start.is_none_or(|start| start == 0) || start != end {
        problems.push(format!("{id}: region"));
    }
}

/// Targets of `[text](target)`, brackets that are escaped left out.
fn links(text: &str) -> Vec<&str> {
    let plain = text.match_indices("](").filter(|(at, _)| !text[..*at].ends_with('\\'));
    plain.filter_map(|(at, _)| text[at + 2..].split(')').next()).collect()
}

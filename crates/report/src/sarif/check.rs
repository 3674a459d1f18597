//! What makes code scanning refuse a file, or take it for something else, in our own words: schemas and validators catch
//! only part of it. The suite reads this very file and holds every SARIF it makes against it.

use std::collections::BTreeSet;

use serde_json::Value;

/// Code scanning shows no more results, and drops the rest by a rule of its own.
const RESULTS: usize = 5_000;
const TAGS: usize = 10;
const NAME: usize = 255;
const TEXT: usize = 1_024;
const STEPS: usize = 100;

/// Every reason why `sarif` would be refused or shown wrongly.
pub(super) fn problems(sarif: &str) -> Vec<String> {
    let Ok(log) = serde_json::from_str::<Value>(sarif) else { return vec!["not JSON".to_owned()] };
    let mut problems = Vec::new();
    let version = log["version"] == "2.1.0" && is_text(&log["$schema"]);
    expect(version, "version or schema", &mut problems);
    let runs = list(&log["runs"]);
    expect(runs.len() == 1, "not exactly one run", &mut problems);
    for run in runs {
        check_run(run, &mut problems);
    }
    check_times_and_ids(&log, &mut problems);
    problems
}

fn expect(holds: bool, problem: &str, problems: &mut Vec<String>) {
    if !holds {
        problems.push(problem.to_owned());
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn is_text(value: &Value) -> bool {
    is_short(value, usize::MAX)
}

/// A text that is there and not too long.
fn is_short(value: &Value, most: usize) -> bool {
    value.as_str().is_some_and(|text| !text.is_empty() && text.chars().count() <= most)
}

fn check_run(run: &Value, problems: &mut Vec<String>) {
    let category = run["automationDetails"]["id"].as_str().unwrap_or_default();
    expect(category.ends_with('/') && category.len() > 1, "no category", problems);
    let rules = list(&run["tool"]["driver"]["rules"]);
    expect(!rules.is_empty(), "no rules", problems);
    let ids: BTreeSet<&str> = rules.iter().filter_map(|rule| rule["id"].as_str()).collect();
    expect(ids.len() == rules.len(), "a rule is listed twice or has no id", problems);
    for rule in rules {
        check_rule(rule, problems);
    }
    for provenance in list(&run["versionControlProvenance"]) {
        let uri = provenance["repositoryUri"].as_str().unwrap_or_default();
        expect(uri.starts_with("https://") && uri.bytes().all(is_plain), "repositoryUri", problems);
    }
    let Some(results) = run["results"].as_array() else {
        problems.push("no `results`".to_owned());
        return;
    };
    expect(results.len() <= RESULTS, "too many results", problems);
    let mut seen = BTreeSet::new();
    for result in results {
        check_result(rules, result, problems);
        let location = &result["locations"][0]["physicalLocation"];
        let key = (result["ruleId"].as_str(), location["artifactLocation"]["uri"].as_str());
        // Of two that differ in nothing that identifies an alert, one is lost.
        let once = seen.insert((key, result["partialFingerprints"]["primaryLocationLineHash"].as_str()));
        expect(once, &format!("{}: a result stands twice", result["ruleId"]), problems);
    }
}

fn check_rule(rule: &Value, problems: &mut Vec<String>) {
    let id = &rule["id"];
    let described = is_short(&rule["name"], NAME)
        && is_short(&rule["shortDescription"]["text"], TEXT)
        && is_short(&rule["fullDescription"]["text"], TEXT)
        && is_text(&rule["help"]["text"])
        && is_text(&rule["help"]["markdown"]);
    expect(described, &format!("{id}: a description is missing or too long"), problems);
    let address = &rule["helpUri"];
    let linked = address.as_str().is_some_and(|uri| uri.starts_with("https://") && uri.len() <= 2_048);
    expect(address.is_null() || linked, &format!("{id}: helpUri"), problems);
    let properties = &rule["properties"];
    let severity = &properties["security-severity"];
    // One number that is none, or that is no text, and the whole file is refused.
    let number = severity.as_str().and_then(|text| text.parse::<f64>().ok());
    let rated = number.is_some_and(|number| number > 0.0 && number <= 10.0);
    expect(severity.is_null() || rated, &format!("{id}: security-severity"), problems);
    let problem = matches!(properties["problem.severity"].as_str(), Some("error" | "warning" | "recommendation"));
    expect(problem, &format!("{id}: problem.severity"), problems);
    let precision = matches!(properties["precision"].as_str(), Some("very-high" | "high" | "medium" | "low"));
    expect(precision, &format!("{id}: precision"), problems);
    let tags = list(&properties["tags"]);
    let known: BTreeSet<&str> = tags.iter().filter_map(Value::as_str).collect();
    expect(known.len() == tags.len() && tags.len() <= TAGS, &format!("{id}: tags"), problems);
    expect(known.contains("security") != severity.is_null(), &format!("{id}: tag `security`"), problems);
}

fn check_result(rules: &[Value], result: &Value, problems: &mut Vec<String>) {
    let id = &result["ruleId"];
    let index = result["ruleIndex"].as_u64().and_then(|index| usize::try_from(index).ok());
    let rule = index.and_then(|index| rules.get(index));
    expect(rule.is_some_and(|rule| rule["id"] == *id), &format!("{id}: ruleIndex"), problems);
    let level = matches!(result["level"].as_str(), Some("error" | "warning" | "note"));
    expect(level, &format!("{id}: level"), problems);
    // Alerts that are suppressed are shown as open ones.
    expect(result["suppressions"].is_null(), &format!("{id}: suppressed"), problems);
    let message = &result["message"]["text"];
    expect(is_short(message, TEXT), &format!("{id}: message"), problems);
    let related = list(&result["relatedLocations"]);
    for target in links(message.as_str().unwrap_or_default()) {
        let known = related.iter().any(|location| location["id"].as_u64().is_some_and(|id| target.parse() == Ok(id)));
        expect(known, &format!("{id}: the message links to nothing: {target}"), problems);
    }
    let locations = list(&result["locations"]);
    expect(locations.len() == 1, &format!("{id}: not exactly one location"), problems);
    for location in locations.iter().chain(related) {
        check_location(id, location, problems);
    }
    let fingerprints = result["partialFingerprints"].as_object();
    let prints = fingerprints.is_some_and(|prints| !prints.is_empty() && prints.values().all(is_text));
    expect(prints, &format!("{id}: fingerprints"), problems);
    // Without it the upload step takes a hash of the line, which other acts have, too.
    let hash = result["partialFingerprints"]["primaryLocationLineHash"].as_str().and_then(|hash| hash.split_once(':'));
    let hashed = hash.is_some_and(|(hash, count)| {
        !hash.is_empty() && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) && count == "1"
    });
    expect(hashed, &format!("{id}: primaryLocationLineHash"), problems);
    check_flows(id, list(&result["codeFlows"]), problems);
}

fn check_flows(id: &Value, flows: &[Value], problems: &mut Vec<String>) {
    let mut steps = 0;
    for flow in flows {
        let threads = list(&flow["threadFlows"]);
        expect(threads.len() == 1, &format!("{id}: not exactly one thread in a flow"), problems);
        for step in threads.iter().flat_map(|thread| list(&thread["locations"])) {
            steps += 1;
            check_location(id, &step["location"], problems);
            let told = is_short(&step["location"]["message"]["text"], TEXT);
            expect(told, &format!("{id}: a step says nothing"), problems);
        }
        let empty = threads.iter().any(|thread| list(&thread["locations"]).is_empty());
        expect(!empty, &format!("{id}: a flow without steps"), problems);
    }
    expect(steps <= STEPS, &format!("{id}: too many steps"), problems);
}

fn check_location(id: &Value, location: &Value, problems: &mut Vec<String>) {
    let physical = &location["physicalLocation"];
    let uri = physical["artifactLocation"]["uri"].as_str().unwrap_or_default();
    let relative = !uri.is_empty() && !uri.starts_with('/') && !uri.contains(':');
    let below = uri.split('/').all(|part| !matches!(part, ".." | "." | ""));
    expect(relative && below && is_encoded(uri), &format!("{id}: uri {uri}"), problems);
    let (start, end) = (physical["region"]["startLine"].as_u64(), physical["region"]["endLine"].as_u64());
    // An alert is shown in a change only where all its lines are part of it.
    expect(start.is_some_and(|start| start > 0) && start == end, &format!("{id}: region"), problems);
}

/// Every byte stands for itself or is encoded, by two digits.
fn is_encoded(uri: &str) -> bool {
    let unreserved = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let mut parts = uri.split('%');
    let first = parts.next().is_none_or(|part| part.bytes().all(unreserved));
    first
        && parts.all(|part| {
            let (digits, rest) = part.split_at_checked(2).unwrap_or(("", part));
            digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) && rest.bytes().all(unreserved)
        })
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_graphic() && !b"<>\"\\^`{|}".contains(&byte)
}

/// Times are RFC 3339 in UTC, GUIDs are UUIDs, wherever they stand.
fn check_times_and_ids(value: &Value, problems: &mut Vec<String>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| check_times_and_ids(value, problems)),
        Value::Object(members) => {
            for (key, value) in members {
                if key.ends_with("TimeUtc") {
                    expect(value.as_str().is_some_and(is_time), &format!("{key}: {value}"), problems);
                } else if key.ends_with("guid") || key.ends_with("Guid") {
                    expect(value.as_str().is_some_and(is_uuid), &format!("{key}: {value}"), problems);
                } else if key != "properties" {
                    check_times_and_ids(value, problems);
                }
            }
        }
        _ => {}
    }
}

/// `2026-03-01T12:00:00.000Z`, with milliseconds at most.
fn is_time(text: &str) -> bool {
    let shape: String =
        text.chars().map(|character| if character.is_ascii_digit() { '0' } else { character }).collect();
    let fraction = shape.strip_prefix("0000-00-00T00:00:00").and_then(|rest| rest.strip_suffix('Z'));
    fraction.is_some_and(|fraction| matches!(fraction, "" | ".0" | ".00" | ".000"))
}

fn is_uuid(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    let digits = text.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit());
    let version = parts.get(2).is_some_and(|part| part.starts_with(['1', '2', '3', '4', '5']));
    lengths == [8, 4, 4, 4, 12] && digits && version
}

/// Targets of `[text](target)`, brackets that are escaped left out.
fn links(text: &str) -> Vec<&str> {
    let mut rest = text;
    let mut targets = Vec::new();
    while let Some((before, after)) = rest.split_once("](") {
        if !before.ends_with('\\') {
            targets.extend(after.split(')').next());
        }
        rest = after;
    }
    targets
}

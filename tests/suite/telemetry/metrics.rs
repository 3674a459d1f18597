//! What sessions add up to, as gauges.

use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use serde_json::{Value, json};

use super::server::{Server, strict};
use super::{attribute, session};
use crate::world::World;

const NOW: &[&str] = &["--now", "2026-09-25T00:00:00Z"];

fn points(document: &Value) -> Vec<(String, &Value)> {
    let metrics = document["resourceMetrics"][0]["scopeMetrics"][0]["metrics"].as_array().unwrap();
    let of = |metric: &'_ Value| metric["name"].as_str().unwrap().to_owned();
    metrics
        .iter()
        .flat_map(|metric| {
            metric["gauge"]["dataPoints"].as_array().unwrap().iter().map(move |point| (of(metric), point))
        })
        .collect()
}

#[test]
fn gauges_stand_at_the_time_of_their_session() {
    let world = session();
    world.write(".agent-evals.yaml", "scorers:\n  - type: no_errors\n");
    let answer = world.run(&[&["export", "--metrics", "--since", "30d"], NOW].concat());
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let _: ExportMetricsServiceRequest = strict(&answer.stdout);
    let document: Value = serde_json::from_str(&answer.stdout).unwrap();
    let points = points(&document);
    let value = |name: &str| {
        let found: Vec<_> = points.iter().filter(|(known, _)| known == name).collect();
        assert_eq!(found.len(), 1, "{name}");
        let point = found[0].1;
        assert_eq!(point["timeUnixNano"], "1790000010000000000", "{name}");
        assert_eq!(attribute(point, "session_id"), Some(&json!("0a11ce0a11ce")));
        assert_eq!(attribute(point, "agent_name"), Some(&json!("claude-code")));
        point["asDouble"].as_f64().unwrap()
    };
    assert_eq!(value("agent_strace.session.error_rate").to_bits(), 0.25_f64.to_bits());
    assert_eq!(value("agent_strace.session.retry_rate").to_bits(), 0.0_f64.to_bits());
    assert_eq!(value("agent_strace.session.blast_radius").to_bits(), 1.0_f64.to_bits());
    assert_eq!(value("agent_strace.session.duration_s").to_bits(), 10.0_f64.to_bits());
    assert!(value("agent_strace.session.cost_usd") > 0.0);
    let score = points.iter().find(|(name, _)| name == "agent_strace.eval.score").unwrap().1;
    assert_eq!(attribute(score, "judge"), Some(&json!("no_errors")));
    // The same numbers as everywhere else.
    let cost = world.run(&["cost", "0a11ce", "--format", "json"]);
    assert!(cost.stdout.contains("cost"), "{}", cost.stdout);
}

#[test]
fn they_are_sent_where_the_environment_says_if_that_is_asked_for() {
    let (world, server) = (World::demo(), Server::taking());
    let variables = [("OTEL_EXPORTER_OTLP_ENDPOINT", server.address.as_str())];
    let args = [&["export", "--metrics", "--backend", "otlp", "--since", "900d"], NOW].concat();
    let answer = world.run_with(&args, &variables, "");
    assert_eq!((answer.code, answer.stdout.as_str()), (0, ""), "{}", answer.stderr);
    let requests = server.requests();
    let [request] = requests.as_slice() else { panic!("{requests:?}") };
    assert_eq!(request.path, "/v1/metrics");
    assert!(!request.metrics().resource_metrics.is_empty());
    assert!(answer.stderr.contains("points of 2 sessions to"), "{}", answer.stderr);
    // Without an address it is printed.
    let answer = world.run(&args);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(answer.stdout.starts_with('{'));
    let refusing = Server::answering(|_, _| {
        let body = "{\"partialSuccess\":{\"rejectedDataPoints\":\"3\"}}";
        (200, "content-type: application/json\r\n".to_owned(), body.to_owned())
    });
    let answer = world.run_with(&args, &[("OTEL_EXPORTER_OTLP_ENDPOINT", &refusing.address)], "");
    assert_eq!(answer.code, 3, "{}", answer.stderr);
}

#[test]
fn a_session_without_a_price_has_no_cost() {
    let world = World::empty();
    let usage = json!({"model": "no-such-model", "usage": {"input_tokens": 10, "output_tokens": 7}});
    world.session("b0b0b0b0b0b0b0b0", 1_790_000_000, &[("llm_response", usage)]);
    let answer = world.run(&["export", "--metrics"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(!answer.stdout.contains("cost_usd") && !answer.stdout.contains("error_rate"), "{}", answer.stdout);
    assert!(answer.stderr.contains("not everything has a price"), "{}", answer.stderr);
}

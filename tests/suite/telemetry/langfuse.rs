//! Traces and scores for Langfuse, to a server that takes what its interface says and nothing else.

use serde_json::Value;

use super::server::Server;
use super::{hex, session};
use crate::world::{Answer, World};

const KEYS: &[(&str, &str)] = &[("LANGFUSE_PUBLIC_KEY", "pk-lf-public"), ("LANGFUSE_SECRET_KEY", "sk-lf-very-secret")];

fn run(world: &World, server: &Server) -> Answer {
    let variables = [KEYS, &[("LANGFUSE_HOST", server.address.as_str())]].concat();
    world.run_with(&["export", "--scores", "--backend", "langfuse"], &variables, "")
}

fn strict() -> Server {
    let json = "content-type: application/json\r\n";
    Server::answering(move |path, _| match path {
        "/api/public/otel/v1/traces" => (200, json.to_owned(), "{}".to_owned()),
        "/api/public/scores" => (200, json.to_owned(), "{\"id\":\"x\"}".to_owned()),
        _ => (404, json.to_owned(), "{\"message\":\"not found\"}".to_owned()),
    })
}

#[test]
fn a_session_is_a_trace_and_scores_are_at_it() {
    let (world, server) = (session(), strict());
    world.write(".agent-evals.yaml", "scorers:\n  - type: no_errors\n  - {type: duration_under, max_seconds: 60}\n");
    let answer = run(&world, &server);
    assert_eq!((answer.code, answer.stdout.as_str()), (0, ""), "{}", answer.stderr);
    assert!(answer.stderr.contains("sent 2 scores"), "{}", answer.stderr);
    let requests = server.requests();
    let [traces, scores @ ..] = requests.as_slice() else { panic!() };
    assert_eq!(traces.header("x-langfuse-ingestion-version"), Some("4"));
    let trace = &traces.traces().resource_spans[0].scope_spans[0].spans;
    assert!(trace.iter().any(|span| span.name == "gen_ai.client.operation"), "no generation");
    let id = hex(&trace[0].trace_id);
    assert_eq!(scores.len(), 2);
    for (score, name) in scores.iter().zip(["no_errors", "duration_under"]) {
        // base64 of `pk-lf-public:sk-lf-very-secret`
        assert_eq!(score.header("authorization"), Some("Basic cGstbGYtcHVibGljOnNrLWxmLXZlcnktc2VjcmV0"));
        let body: Value = serde_json::from_str(&score.body).unwrap();
        let keys: Vec<&str> = body.as_object().unwrap().keys().map(String::as_str).collect();
        let known = ["comment", "dataType", "id", "name", "traceId", "value"];
        assert!(keys.iter().all(|key| known.contains(key)), "{keys:?}");
        assert_eq!((body["name"].as_str(), body["dataType"].as_str()), (Some(name), Some("NUMERIC")));
        assert_eq!(body["traceId"].as_str(), Some(id.as_str()));
        assert!((0.0..=1.0).contains(&body["value"].as_f64().unwrap()));
    }
    for part in ["sk-lf", "cGst"] {
        assert!(!answer.stderr.contains(part), "{}", answer.stderr);
    }
}

/// Its older interface answers 207 and tells of failures in the body.
#[test]
fn failures_in_a_body_are_failures() {
    let server = Server::answering(|path, _| {
        let json = "content-type: application/json\r\n".to_owned();
        if path.ends_with("/traces") {
            return (200, json, "{}".to_owned());
        }
        let body =
            "{\"successes\":[],\"errors\":[{\"id\":\"1\",\"status\":401,\"message\":\"sk-lf-very-secret is no key\"}]}";
        (207, json, body.to_owned())
    });
    let answer = run(&session(), &server);
    assert_eq!(answer.code, 2, "{}", answer.stderr);
    assert!(answer.stderr.contains("1 of it was refused"), "{}", answer.stderr);
}

#[test]
fn a_host_that_is_named_counts_before_that_of_the_environment() {
    let (world, server) = (session(), strict());
    let variables = [KEYS, &[("LANGFUSE_HOST", "http://127.0.0.1:9")]].concat();
    let args = ["export", "--since", "2026-01-01", "--now", "2026-12-01T00:00:00Z", "--backend", "langfuse"];
    let answer = world.run_with(&[&args[..], &["--langfuse-host", &server.address]].concat(), &variables, "");
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert_eq!(server.requests().len(), 1, "without --scores there are none");
}

//! What goes over the wire, where to, and what becomes of the answer.

use super::server::Server;
use super::{named, session, spans};

const KEY: &str = "hcaik-7f3kq9zz81";

#[test]
fn a_trace_is_posted_with_its_headers_and_nothing_is_printed() {
    let (world, server) = (session(), Server::taking());
    let header = format!("x-honeycomb-team: {KEY}");
    let args = ["export", "0a11ce", "--format", "otlp", "--endpoint", &server.address, "--header", &header];
    let answer = world.run(&[&args[..], &["--service-name", "my-agent"]].concat());
    assert_eq!((answer.code, answer.stdout.as_str()), (0, ""), "{}", answer.stderr);
    assert!(answer.stderr.contains("sent 1 session (6 spans) to http://127.0.0.1:"), "{}", answer.stderr);
    assert!(!answer.stderr.contains(KEY));
    let requests = server.requests();
    let [request] = requests.as_slice() else { panic!("{requests:?}") };
    assert_eq!(request.path, "/v1/traces");
    assert_eq!(request.header("x-honeycomb-team"), Some(KEY));
    assert_eq!(request.header("content-type"), Some("application/json"));
    let service = request.traces().resource_spans[0].resource.clone().unwrap().attributes[0].clone();
    assert_eq!((service.key.as_str(), format!("{:?}", service.value).contains("my-agent")), ("service.name", true));
    // What is sent is what is printed.
    let printed = world.run(&["export", "0a11ce", "--format", "otlp", "--service-name", "my-agent"]);
    let printed: serde_json::Value = serde_json::from_str(&printed.stdout).unwrap();
    assert_eq!(serde_json::from_str::<serde_json::Value>(&request.body).unwrap(), printed);
    assert!(!request.body.contains("ghp_"), "a secret was sent");
    named(&spans(&printed), "tool/Bash");
}

#[test]
fn nothing_is_sent_without_an_address() {
    let (world, server) = (session(), Server::taking());
    let variables = [("OTEL_EXPORTER_OTLP_ENDPOINT", server.address.as_str()), ("LANGFUSE_HOST", &server.address)];
    let answer = world.run_with(&["export", "0a11ce", "--format", "otlp"], &variables, "");
    assert_eq!(answer.code, 0);
    assert!(answer.stdout.starts_with('{'));
    assert_eq!(server.requests().len(), 0);
    // Asked for, the environment says where to.
    let encoded = ("OTEL_EXPORTER_OTLP_HEADERS", "x-team=a%20b,x-other=c");
    let variables = [variables[0], encoded];
    let answer = world.run_with(&["export", "0a11ce", "--format", "otlp", "--backend", "otlp"], &variables, "");
    assert_eq!((answer.code, answer.stdout.as_str()), (0, ""), "{}", answer.stderr);
    let requests = server.requests();
    assert_eq!((requests[0].header("x-team"), requests[0].header("x-other")), (Some("a b"), Some("c")));
}

#[test]
fn what_is_not_taken_whole_is_no_success() {
    let json = "content-type: application/json\r\n";
    let cases = [
        (
            400,
            json,
            "{\"message\":\"bad hcaik-7f3kq9zz81 key\"}",
            2,
            "status 400: {\"message\":\"bad [REDACTED:header] key\"}",
        ),
        (401, json, "", 2, "it wants other credentials"),
        (404, "content-type: text/html\r\n", "<html>no</html>", 2, "is that an OTLP endpoint?"),
        (503, json, "", 2, "try again later"),
        (200, "content-type: text/html\r\n", "<html>hello</html>", 2, "a page for people"),
        (
            200,
            json,
            "{\"partialSuccess\":{\"rejectedSpans\":\"2\",\"errorMessage\":\"too old\"}}",
            3,
            "took all but 2 of 6: too old",
        ),
        (200, json, "{\"partialSuccess\":{\"rejectedSpans\":1}}", 3, "took all but 1 of 6"),
        (200, json, "{\"partialSuccess\":{\"errorMessage\":\"\\u001b[31mslow\"}}", 0, "took everything and says"),
        (200, json, "{\"partialSuccess\":[", 2, "can't be read"),
        (207, json, "{\"successes\":[],\"errors\":[{\"status\":400,\"message\":\"no\"}]}", 2, "1 of it was refused"),
        (200, json, "{}", 0, "sent 1 session"),
        (202, "", "ok", 0, "sent 1 session"),
        (204, "", "", 0, "sent 1 session"),
    ];
    let world = session();
    for (status, headers, body, code, said) in cases {
        let server = Server::answering(move |_, _| (status, headers.to_owned(), body.to_owned()));
        let header = format!("x-key: {KEY}");
        let args = ["export", "0a11ce", "--format", "otlp", "--endpoint", &server.address, "--header", &header];
        let answer = world.run(&args);
        assert_eq!(answer.code, code, "{status} {body}: {}", answer.stderr);
        assert!(answer.stderr.contains(said), "{status} {body}: {}", answer.stderr);
        assert!(!answer.stderr.contains(KEY) && !answer.stderr.contains('\u{1b}'), "{}", answer.stderr);
        assert_eq!(answer.stdout, "");
    }
}

/// Headers are meant for one host.
#[test]
fn redirects_are_not_followed() {
    let other = Server::taking();
    let there = other.address.clone();
    for status in [301, 302, 307, 308] {
        let to = format!("location: {there}/v1/traces\r\n");
        let server = Server::answering(move |_, _| (status, to.clone(), String::new()));
        let header = format!("x-key: {KEY}");
        let args = ["--format", "otlp", "--endpoint", &server.address, "--header", &header];
        let answer = session().run(&[&["export", "0a11ce"], &args[..]].concat());
        assert_eq!(answer.code, 2, "{}", answer.stderr);
        assert!(answer.stderr.contains("sends on to another address"), "{}", answer.stderr);
    }
    assert_eq!(other.requests().len(), 0);
}

#[test]
fn an_address_or_a_header_that_is_none_is_told_without_what_is_secret() {
    let world = session();
    let with = |more: &[&str]| world.run(&[&["export", "0a11ce", "--format", "otlp"], more].concat());
    for (args, said) in [
        (&["--endpoint", "localhost:4318"][..], "no address of http or https"),
        (&["--endpoint", "not an address"], "can't be used"),
        (&["--endpoint", "https://dana:s3cretpassword@collector.example.com"], "credentials belong in a `--header`"),
        (&["--endpoint", "http://localhost:1", "--header", "s3cretpassword"], "it has no `:`"),
        (&["--endpoint", "http://localhost:1", "--header", "a b: s3cretpassword"], "no name of a header"),
        (&["--endpoint", "http://localhost:1", "--header", "x: s3cretpassword\u{7f}\n"], "what no header can"),
        (&["--endpoint", "http://localhost:1", "--header", "Host: s3cretpassword"], "is set by the request itself"),
        (&["--header", "x: s3cretpassword"], "nothing is sent"),
        (&["--langfuse-host", "http://localhost:1"], "`--backend langfuse`"),
        (&["--anonymize", "--key-file", "k", "--reversible"], "`--vault FILE`"),
        (&["--scores"], "`--backend langfuse`"),
        (&["--metrics", "--backend", "langfuse"], "no metrics"),
        (&["--backend", "langfuse"], "`LANGFUSE_PUBLIC_KEY` is not set"),
        (&["--backend", "langfuse", "--endpoint", "http://localhost:1"], "no address of Langfuse"),
    ] {
        let answer = with(args);
        assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{args:?}: {}", answer.stderr);
        assert!(answer.stderr.contains(said), "{args:?}: {}", answer.stderr);
        assert!(!answer.stderr.contains("s3cretpassword"), "{args:?}: {}", answer.stderr);
    }
    // Nobody listens there.
    let answer = with(&["--endpoint", "http://127.0.0.1:9/?key=s3cretpassword"]);
    assert_eq!(answer.code, 2, "{}", answer.stderr);
    assert!(answer.stderr.contains("nothing was accepted by http://127.0.0.1:9/v1/traces"), "{}", answer.stderr);
    assert!(!answer.stderr.contains("s3cretpassword"), "{}", answer.stderr);
    // Other formats are no telemetry.
    let answer = world.run(&["export", "0a11ce", "--endpoint", "http://127.0.0.1:9"]);
    assert_eq!(answer.code, 2);
    assert!(answer.stderr.contains("`--format otlp`"), "{}", answer.stderr);
}

/// A session of many spans goes in several requests, and none is lost.
#[test]
fn a_large_session_is_sent_in_pieces() {
    let world = crate::world::World::empty();
    let call = |at: usize| {
        let arguments = serde_json::json!({"file_path": format!("src/{at}.rs"), "content": "x".repeat(3_000)});
        ("tool_call", serde_json::json!({"tool_name": "Write", "arguments": arguments}))
    };
    let events: Vec<_> = (0..1_500).map(call).collect();
    world.session("1a46e00000000000", 1_790_000_000, &events);
    let server = Server::taking();
    let answer = world.run(&["export", "1a46e", "--format", "otlp-genai", "--endpoint", &server.address]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(answer.stderr.contains("(1501 spans)"), "{}", answer.stderr);
    let requests = server.requests();
    assert!(requests.len() > 1, "{} requests", requests.len());
    let mut ids = std::collections::BTreeSet::new();
    for request in &requests {
        assert!(request.body.len() < 10 << 20);
        let spans = &request.traces().resource_spans[0].scope_spans[0].spans;
        ids.extend(spans.iter().map(|span| span.span_id.clone()));
    }
    assert_eq!(ids.len(), 1_501);
}

//! `record-http` between a client and a server of our own.

use std::io::Write as _;
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use super::http_world::{Proxy, Server, chunk, hang_up, head, say, send, whole};
use super::{call, events, stored, types};
use crate::world::World;

const RESULT: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"ok"}]}}"#;
const JSON: (&str, &str) = ("content-type", "application/json");

fn url(server: &Server, path: &str) -> String {
    format!("http://127.0.0.1:{}{path}", server.port)
}

#[test]
fn requests_are_passed_on_with_all_that_is_in_them() {
    let server = Server::start(|_, stream| {
        let headers =
            [JSON, ("mcp-session-id", "s-1"), ("x-any", "a"), ("x-any", "b"), ("connection", "x-hop"), ("x-hop", "1")];
        say(stream, "200 OK", &headers, RESULT.as_bytes());
    });
    let world = World::empty();
    let proxy = Proxy::start(&world, &url(&server, "/base"), &["--name", "remote"]);
    let body = call("1", "read_file", r#"{"path":"a"}"#);
    let headers = [
        ("Mcp-Session-Id", "s-1"),
        ("Authorization", "Bearer tOken-7Kq2Lm9Zt4Rv8Wc1"),
        ("X-Api-Key", "kEy-7Kq2Lm9Zt4Rv8Wc1"),
        ("MCP-Protocol-Version", "2025-06-18"),
        ("Accept", "application/json, text/event-stream"),
        ("Cookie", "a=1"),
        ("Cookie", "b=2"),
        ("Connection", "keep-alive, X-Secret-Hop"),
        ("X-Secret-Hop", "1"),
    ];
    let answer = proxy.ask("POST /mcp?x=1&y=%20z", &headers, body.as_bytes());
    assert_eq!(answer.start, "HTTP/1.1 200 OK");
    assert_eq!(answer.text(), RESULT);
    assert_eq!((answer.header("mcp-session-id"), answer.header("x-hop")), (Some("s-1"), None));
    assert_eq!(answer.headers["x-any"], ["a", "b"]);

    for (start, body) in [("DELETE /base", ""), ("OPTIONS /", ""), ("PUT /other", "{}"), ("GET /", "")] {
        proxy.ask(start, &[], body.as_bytes());
    }
    let seen = server.seen.lock().unwrap().clone();
    let starts: Vec<&str> = seen.iter().map(|request| request.start.as_str()).collect();
    let wanted = ["POST /base/mcp?x=1&y=%20z", "DELETE /base", "OPTIONS /base", "PUT /base/other", "GET /base"];
    assert_eq!(starts, wanted.map(|start| format!("{start} HTTP/1.1")));
    let request = &seen[0];
    assert_eq!(request.text(), body);
    for (name, value) in &headers[..5] {
        assert_eq!(request.header(&name.to_ascii_lowercase()), Some(*value), "{name}");
    }
    assert_eq!(request.headers["cookie"], ["a=1", "b=2"]);
    assert_eq!(request.headers["host"], [format!("127.0.0.1:{}", server.port)]);
    assert_eq!(request.header("x-secret-hop"), None);

    let (code, said) = proxy.end("TERM");
    assert_eq!(code, 0, "{said}");
    let recorded = events(&world);
    let found = types(&recorded);
    assert_eq!(
        (found[0], found[1], found[2], *found.last().unwrap()),
        ("session_start", "tool_call", "tool_result", "session_end")
    );
    assert_eq!(recorded[1]["data"]["tool_name"], "mcp__remote__read_file");
    assert_eq!(recorded[2]["parent_id"], recorded[1]["event_id"]);
    let text = stored(&world.path().join(".agent-traces"));
    assert!(!text.contains("tOken") && !text.contains("kEy-"));
    assert_eq!(world.run(&["effects"]).code, 3, "a body that is no message is a gap");
}

#[test]
fn streams_pass_as_they_come_and_are_recorded() {
    let (go, wait) = mpsc::channel::<()>();
    let wait = Arc::new(Mutex::new(wait));
    let server = Server::start(move |request, stream| {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
        stream.write_all(head.as_bytes()).unwrap();
        let mut piece = |text: &str| stream.write_all(format!("{:x}\r\n{text}\r\n", text.len()).as_bytes()).unwrap();
        if request.start.starts_with("GET") {
            piece(
                "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"sampling/createMessage\",\"params\":{\"messages\":[]}}\n\n",
            );
            // It stays open.
            std::thread::sleep(Duration::from_secs(20));
        } else {
            piece("id: 1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\n");
            wait.lock().unwrap().recv().unwrap();
            let (one, two) = RESULT.split_at(20);
            piece(&format!("data: {one}"));
            piece(&format!("{two}\n\n"));
            piece("");
        }
    });
    let world = World::empty();
    let proxy = Proxy::start(&world, &url(&server, "/mcp"), &["--quiet"].map(|_| "--verbose"));
    // A stream that is open keeps nobody from anything.
    let mut open = proxy.connect();
    send(&mut open, proxy.port, "GET /mcp", &[("Accept", "text/event-stream")], b"");
    assert_eq!(head(&mut open).unwrap().header("content-type"), Some("text/event-stream"));
    assert!(String::from_utf8(chunk(&mut open)).unwrap().contains("sampling"));

    let mut post = proxy.connect();
    send(&mut post, proxy.port, "POST /mcp", &[], call("1", "a", "{}").as_bytes());
    assert_eq!(head(&mut post).unwrap().start, "HTTP/1.1 200 OK");
    // The first event is here before the server goes on.
    assert!(String::from_utf8(chunk(&mut post)).unwrap().contains("progress"));
    go.send(()).unwrap();
    let mut rest = String::new();
    loop {
        let bytes = chunk(&mut post);
        if bytes.is_empty() {
            break;
        }
        rest += std::str::from_utf8(&bytes).unwrap();
    }
    assert_eq!(rest, format!("data: {RESULT}\n\n"));
    let (code, _) = proxy.end("INT");
    assert_eq!(code, 0);
    let recorded = events(&world);
    let found = types(&recorded);
    for kind in ["llm_request", "tool_call", "tool_result", "session_end"] {
        assert!(found.contains(&kind), "{kind}: {found:?}");
    }
}

#[test]
fn the_older_transport_is_followed() {
    let (answers, stream) = mpsc::channel::<String>();
    let stream = Arc::new(Mutex::new(stream));
    let server = Server::start(move |request, connection| {
        if request.start.starts_with("GET") {
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\nevent: endpoint\ndata: /api/messages?sessionId=7\n\n";
            connection.write_all(head.as_bytes()).unwrap();
            while let Ok(answer) = stream.lock().unwrap().recv() {
                connection.write_all(format!("event: message\ndata: {answer}\n\n").as_bytes()).unwrap();
            }
        } else {
            assert_eq!(request.start, "POST /api/messages?sessionId=7 HTTP/1.1");
            say(connection, "202 Accepted", &[], b"Accepted");
            answers.send(RESULT.to_owned()).unwrap();
        }
    });
    let world = World::empty();
    let proxy = Proxy::start(&world, &url(&server, "/api/sse"), &["--verbose"]);
    let mut open = proxy.connect();
    send(&mut open, proxy.port, "GET /", &[], b"");
    head(&mut open).unwrap();
    chunk(&mut open);
    let answer = proxy.ask("POST /api/messages?sessionId=7", &[], call("1", "a", "{}").as_bytes());
    assert_eq!((answer.start.as_str(), answer.text()), ("HTTP/1.1 202 Accepted", "Accepted"));
    assert!(String::from_utf8(chunk(&mut open)).unwrap().contains("\"ok\""));
    assert_eq!(proxy.end("TERM").0, 0);
    assert_eq!(types(&events(&world)), ["session_start", "tool_call", "tool_result", "session_end"]);
}

#[test]
fn redirects_and_failures_are_passed_on() {
    let server = Server::start(|request, stream| match request.start.split(' ').nth(1) {
        Some("/moved") => say(stream, "307 Temporary Redirect", &[("location", "http://127.0.0.1:1/x")], b""),
        Some("/closed") => {
            say(stream, "401 Unauthorized", &[("www-authenticate", "Bearer"), JSON], b"{\"error\":\"invalid_token\"}");
        }
        _ => say(stream, "500 Internal Server Error", &[], b"broken"),
    });
    let world = World::empty();
    let proxy = Proxy::start(&world, &url(&server, ""), &[]);
    let body = call("1", "a", "{}");
    let moved = proxy.ask("POST /moved", &[], body.as_bytes());
    assert!(moved.start.contains("307") && moved.header("location") == Some("http://127.0.0.1:1/x"), "{moved:?}");
    let closed = proxy.ask("POST /closed", &[], body.as_bytes());
    assert!(closed.start.contains("401") && closed.header("www-authenticate") == Some("Bearer"));
    assert_eq!(proxy.ask("POST /other", &[], body.as_bytes()).text(), "broken");
    assert_eq!(proxy.end("TERM").0, 0);
    assert_eq!(world.run(&["check", "--allow-no-policy"]).code, 0, "failures of HTTP are no gaps");

    // Nobody is there.
    let world = World::empty();
    let proxy = Proxy::start(&world, "http://127.0.0.1:1/mcp", &[]);
    let answer = proxy.ask("POST /", &[], body.as_bytes());
    assert!(answer.start.contains("502") && answer.text().contains("can't be reached"), "{answer:?}");
    assert_eq!(proxy.end("TERM").0, 0);
}

#[test]
fn compressed_answers_are_read_and_passed_as_they_are() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(RESULT.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    let bytes = packed.clone();
    let server = Server::start(move |request, stream| {
        assert_eq!(request.header("accept-encoding"), Some("gzip"));
        say(stream, "200 OK", &[JSON, ("content-encoding", "gzip")], &bytes);
    });
    let world = World::empty();
    let proxy = Proxy::start(&world, &url(&server, ""), &[]);
    let answer = proxy.ask("POST /", &[("Accept-Encoding", "gzip, br")], call("1", "a", "{}").as_bytes());
    assert_eq!(answer.body, packed);
    assert_eq!(proxy.end("TERM").0, 0);
    assert_eq!(types(&events(&world)), ["session_start", "tool_call", "tool_result", "session_end"]);
}

#[test]
fn only_this_machine_is_let_in() {
    let server = Server::start(|_, stream| say(stream, "200 OK", &[JSON], RESULT.as_bytes()));
    let world = World::empty();
    let proxy = Proxy::start(&world, &url(&server, ""), &[]);
    let body = call("1", "a", "{}");
    for headers in [[("Host", "evil.example")], [("Origin", "https://evil.example")], [("Origin", "null")]] {
        let answer = proxy.ask("POST /", &headers, body.as_bytes());
        assert!(answer.start.contains("403"), "{headers:?}: {answer:?}");
    }
    for headers in [[("Host", "localhost:1")], [("Origin", "http://localhost:6274")]] {
        assert!(proxy.ask("POST /", &headers, body.as_bytes()).start.contains("200"), "{headers:?}");
    }
    assert_eq!(server.seen.lock().unwrap().len(), 2);
    assert_eq!(proxy.end("TERM").0, 0);
}

#[test]
fn denied_calls_never_reach_the_server() {
    let server = Server::start(|_, stream| say(stream, "200 OK", &[JSON], RESULT.as_bytes()));
    let world = World::empty();
    world.write(".agent-scope.json", r#"{"files": {"read": {"deny": ["secrets/**"]}}}"#);
    let proxy = Proxy::start(&world, &url(&server, ""), &["--enforce", "--fail-closed"]);
    let answer = proxy.ask("POST /", &[], call("1", "read_file", r#"{"path":"secrets/a"}"#).as_bytes());
    assert_eq!((answer.start.as_str(), answer.header("content-type")), ("HTTP/1.1 200 OK", Some("application/json")));
    let refused: Value = serde_json::from_str(answer.text()).unwrap();
    assert_eq!((&refused["id"], &refused["result"]["isError"]), (&json!(1), &json!(true)));
    assert!(refused["result"]["content"][0]["text"].as_str().unwrap().contains("[scope/read]"));
    assert!(proxy.ask("POST /", &[], b"{broken").text().contains("-32700"));
    assert_eq!(server.seen.lock().unwrap().len(), 0);
    assert_eq!(proxy.ask("POST /", &[], call("1", "read_file", r#"{"path":"src/a"}"#).as_bytes()).text(), RESULT);
    assert_eq!(server.seen.lock().unwrap().len(), 1);
    assert_eq!(proxy.end("TERM").0, 0);
}

#[test]
fn clients_that_go_away_and_servers_that_hang_stop_nobody() {
    let server = Server::start(|request, stream| {
        if request.start.contains("/hang") {
            std::thread::sleep(Duration::from_secs(20));
        }
        say(stream, "200 OK", &[JSON], RESULT.as_bytes());
    });
    let world = World::empty();
    let proxy = Proxy::start(&world, &url(&server, ""), &[]);
    let body = call("1", "a", "{}");
    let mut waiting = proxy.connect();
    send(&mut waiting, proxy.port, "POST /hang", &[], body.as_bytes());
    let mut gone = proxy.connect();
    send(&mut gone, proxy.port, "POST /hang", &[], body.as_bytes());
    hang_up(&gone);
    // Two requests on one connection.
    let mut twice = proxy.connect();
    for _ in 0..2 {
        send(&mut twice, proxy.port, "POST /", &[], body.as_bytes());
        assert_eq!(whole(&mut twice).unwrap().text(), RESULT);
    }
    let (code, said) = proxy.end("TERM");
    assert_eq!(code, 0, "{said}");
    let recorded = events(&world);
    assert_eq!(types(&recorded).iter().filter(|kind| **kind == "tool_result").count(), 2);
    assert_eq!(types(&recorded).last(), Some(&"session_end"));
}

#[test]
fn addresses_and_ports_that_can_not_be_used_are_failures() {
    let world = World::empty();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let cases: [(&[&str], &str); 5] = [
        (&["record-http", "http://127.0.0.1:9", "--port", &port], "can't listen on 127.0.0.1:"),
        (&["record-http", "mcp.example.com"], "an address begins with `https://`"),
        (&["record-http", "https://user:pw@mcp.example.com"], "does not belong in an address"),
        (&["record-http"], "required"),
        (&["record-http", "https://a.example", "--url", "https://b.example"], "cannot be used with"),
    ];
    for (args, wanted) in cases {
        let answer = world.run(args);
        assert_eq!(answer.code, 2, "{args:?}");
        assert!(answer.stderr.contains(wanted), "{args:?}: {}", answer.stderr);
        assert!(!answer.stderr.contains("pw@"), "{}", answer.stderr);
    }
    assert!(!world.path().join(".agent-traces").exists());
}

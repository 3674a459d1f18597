//! Events and alerts that are sent to an address.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};

use serde_json::{Value, json};

use super::PATIENCE;
use crate::world::World;

/// The content type and the body of a request.
type Request = (String, String);

/// Answers every request with this status.
fn server(status: u16) -> (String, Receiver<Request>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/events", listener.local_addr().unwrap());
    let (send, receive) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let (mut kind, mut length) = (String::new(), 0);
            loop {
                let mut line = String::new();
                if reader.read_line(&mut line).unwrap_or(0) == 0 || line.trim().is_empty() {
                    break;
                }
                let (name, value) = line.split_once(':').unwrap_or((&line, ""));
                match name.to_ascii_lowercase().as_str() {
                    "content-type" => value.trim().clone_into(&mut kind),
                    "content-length" => length = value.trim().parse().unwrap(),
                    _ => {}
                }
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            let answer = format!("HTTP/1.1 {status} X\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            stream.write_all(answer.as_bytes()).unwrap();
            if send.send((kind, String::from_utf8(body).unwrap())).is_err() {
                return;
            }
        }
    });
    (address, receive)
}

fn session(world: &World) {
    let secret = json!({"prompt": "use AKIAQ3EGRT4BXZ7NWLPK"});
    let mut events = vec![("user_prompt", secret)];
    events.extend((0..4).map(|at| ("assistant_response", json!({"text": format!("answer {at}")}))));
    events.push(("session_end", json!({})));
    world.session("abc123", 1_790_000_000, &events);
}

#[test]
fn events_are_sent_in_batches_without_secrets() {
    let world = World::empty();
    session(&world);
    let (address, requests) = server(200);
    let args =
        ["watch", "--stream-to", &address, "--stream-batch-size", "4", "--stream-flush-interval", "5.0", "abc123"];
    let answer = world.run(&args);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let batches: Vec<Request> = [(), ()].iter().map(|()| requests.recv_timeout(PATIENCE).unwrap()).collect();
    assert!(batches.iter().all(|(kind, _)| kind == "application/x-ndjson"), "{batches:?}");
    let lines: Vec<Vec<Value>> = batches
        .iter()
        .map(|(_, body)| body.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
        .collect();
    assert_eq!(lines.iter().map(Vec::len).collect::<Vec<_>>(), [4, 2]);
    assert_eq!(lines[0][0]["event_type"], "user_prompt");
    assert_eq!(lines[1][1]["event_type"], "session_end");
    assert!(!batches[0].1.contains("AKIAQ3EGRT4BXZ7NWLPK"), "{}", batches[0].1);
}

#[test]
fn alerts_are_sent_as_json() {
    let world = World::empty();
    session(&world);
    let (address, requests) = server(200);
    let answer = world.run(&["watch", "--timeout", "1s", "--webhook", &address, "abc123"]);
    assert_eq!(answer.code, 1, "{}", answer.stderr);
    let (kind, body) = requests.recv_timeout(PATIENCE).unwrap();
    assert_eq!(kind, "application/json");
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(body, json!({"text": "DurationWatcher: 1s elapsed", "source": "agent-strace watch"}));
}

/// What is wrong there is told, and changes nothing here.
#[test]
fn failures_are_told_and_not_in_the_way() {
    let (refusing, _requests) = server(503);
    let closed = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}/", listener.local_addr().unwrap())
    };
    for (address, said) in [(&refusing, "it answered 503"), (&closed, "nothing listens there")] {
        let world = World::empty();
        session(&world);
        let answer = world.run(&["watch", "--stream-to", address, "abc123"]);
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        assert!(answer.stderr.contains(said), "{}", answer.stderr);
    }
}

#[test]
fn an_address_that_is_none_is_refused() {
    let world = World::empty();
    session(&world);
    for address in ["collector", "ftp://example.com", "file:///etc/passwd"] {
        for option in ["--stream-to", "--webhook"] {
            let answer = world.run(&["watch", option, address, "abc123"]);
            assert_eq!(answer.code, 2, "{option} {address}: {}", answer.stderr);
        }
    }
}

//! A collector of our own: it reads requests of HTTP/1.1, keeps them, and answers what it is told to.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};

use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// What a client sent.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) path: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: String,
}

impl Request {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let found: Vec<_> = self.headers.iter().filter(|(known, _)| known == name).collect();
        assert!(found.len() < 2, "{name} occurs twice");
        found.first().map(|(_, value)| value.as_str())
    }

    pub(super) fn traces(&self) -> ExportTraceServiceRequest {
        strict(&self.body)
    }

    pub(super) fn metrics(&self) -> ExportMetricsServiceRequest {
        strict(&self.body)
    }
}

/// As the protocol's own types read it, and nothing that they do not know: written again it is the same.
pub(super) fn strict<T: DeserializeOwned + Serialize>(body: &str) -> T {
    let read: T = serde_json::from_str(body).unwrap();
    let again = serde_json::to_value(&read).unwrap();
    assert_eq!(again, serde_json::from_str::<Value>(body).unwrap());
    read
}

pub(super) struct Server {
    pub(super) address: String,
    requests: Receiver<Request>,
}

impl Server {
    /// Answers each request by its path and number, from 0: status, further header lines, body.
    pub(super) fn answering(answer: impl Fn(&str, usize) -> (u16, String, String) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (send, requests) = channel();
        std::thread::spawn(move || {
            let mut count = 0;
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { continue };
                let Some(request) = read(&mut stream) else { continue };
                let (status, headers, body) = answer(&request.path, count);
                count += 1;
                let length = body.len();
                let head =
                    format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n");
                // The request is kept before it is answered: the test asks for it as soon as the client has the answer.
                let unread = send.send(request).is_err();
                let _ = stream.write_all((head + &body).as_bytes());
                if unread {
                    break;
                }
            }
        });
        Self { address, requests }
    }

    /// Takes everything, as a collector says so.
    pub(super) fn taking() -> Self {
        Self::answering(|_, _| {
            (200, "content-type: application/json\r\n".to_owned(), "{\"partialSuccess\":{}}".to_owned())
        })
    }

    /// All that came so far.
    pub(super) fn requests(&self) -> Vec<Request> {
        self.requests.try_iter().collect()
    }
}

fn read(stream: &mut TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut parts = line.split(' ');
    assert_eq!(parts.next()?, "POST", "{line}");
    let path = parts.next()?.to_owned();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(": ")?;
        headers.push((name.to_ascii_lowercase(), value.to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length")?.1.parse().ok()?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Request { path, headers, body: String::from_utf8(body).unwrap() })
}

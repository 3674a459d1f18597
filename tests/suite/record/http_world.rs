//! A server that speaks HTTP, which remembers what it was sent, and a client for it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::Child;
use std::sync::{Arc, Mutex};
use std::thread;

use super::command;
use crate::world::World;

/// A request as it arrived, or an answer.
#[derive(Debug, Clone, Default)]
pub(super) struct Message {
    /// The first line.
    pub(super) start: String,
    /// In lower case; of one that stands several times, all values.
    pub(super) headers: BTreeMap<String, Vec<String>>,
    pub(super) body: Vec<u8>,
}

impl Message {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|values| values[0].as_str())
    }

    pub(super) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }
}

/// Reads the head of a message; `None`: the connection ended.
pub(super) fn head(stream: &mut BufReader<TcpStream>) -> Option<Message> {
    let mut message = Message::default();
    stream.read_line(&mut message.start).ok().filter(|length| *length > 0)?;
    message.start.truncate(message.start.trim_end().len());
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).ok()?;
        let line = line.trim_end();
        let Some((name, value)) = line.split_once(':') else { return Some(message) };
        message.headers.entry(name.to_ascii_lowercase()).or_default().push(value.trim().to_owned());
    }
}

/// One piece of a chunked body; empty at its end.
pub(super) fn chunk(stream: &mut BufReader<TcpStream>) -> Vec<u8> {
    let mut line = String::new();
    stream.read_line(&mut line).unwrap();
    let length = usize::from_str_radix(line.trim(), 16).unwrap_or(0);
    let mut bytes = vec![0; length + 2];
    stream.read_exact(&mut bytes).unwrap();
    bytes.truncate(length);
    bytes
}

pub(super) fn whole(stream: &mut BufReader<TcpStream>) -> Option<Message> {
    let mut message = head(stream)?;
    if let Some(length) = message.header("content-length").map(|length| length.parse().unwrap()) {
        message.body = vec![0; length];
        stream.read_exact(&mut message.body).ok()?;
    } else if message.header("transfer-encoding").is_some() {
        loop {
            let bytes = chunk(stream);
            if bytes.is_empty() {
                break;
            }
            message.body.extend(bytes);
        }
    }
    Some(message)
}

type Answer = dyn Fn(&Message, &mut TcpStream) + Send + Sync;

/// A server; it answers each request as it is told.
pub(super) struct Server {
    pub(super) port: u16,
    pub(super) seen: Arc<Mutex<Vec<Message>>>,
}

impl Server {
    pub(super) fn start(answer: impl Fn(&Message, &mut TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (seen, answer): (Arc<Mutex<Vec<Message>>>, Arc<Answer>) = (Arc::default(), Arc::new(answer));
        let log = Arc::clone(&seen);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (mut stream, answer, log) = (stream.unwrap(), Arc::clone(&answer), Arc::clone(&log));
                thread::spawn(move || {
                    let mut reader = BufReader::new(stream.try_clone().unwrap());
                    while let Some(request) = whole(&mut reader) {
                        log.lock().unwrap().push(request.clone());
                        answer(&request, &mut stream);
                    }
                });
            }
        });
        Self { port, seen }
    }
}

/// Writes a whole answer.
pub(super) fn say(stream: &mut TcpStream, status: &str, headers: &[(&str, &str)], body: &[u8]) {
    let mut text = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers {
        write!(text, "{name}: {value}\r\n").unwrap();
    }
    text += "\r\n";
    let _ = stream.write_all(&[text.as_bytes(), body].concat());
}

/// `record-http`, running.
pub(super) struct Proxy {
    pub(super) child: Child,
    pub(super) port: u16,
    errors: thread::JoinHandle<String>,
}

impl Proxy {
    pub(super) fn start(world: &World, url: &str, options: &[&str]) -> Self {
        let mut args = vec!["record-http", url, "--port", "0"];
        args.extend(options);
        let mut child = command(world, &args).spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let (mut said, mut port) = (String::new(), None);
        while port.is_none() {
            let mut line = String::new();
            assert!(stderr.read_line(&mut line).unwrap() > 0, "{said}");
            let address = line.split_once("http://127.0.0.1:").map(|(_, rest)| rest);
            port = address.and_then(|rest| rest.split_once(',')?.0.parse().ok());
            said += &line;
        }
        let errors = thread::spawn(move || {
            let _ = stderr.read_to_string(&mut said);
            said
        });
        Self { child, port: port.unwrap(), errors }
    }

    pub(super) fn connect(&self) -> BufReader<TcpStream> {
        BufReader::new(TcpStream::connect(("127.0.0.1", self.port)).unwrap())
    }

    /// Sends a request on a connection of its own, and reads the whole answer.
    pub(super) fn ask(&self, start: &str, headers: &[(&str, &str)], body: &[u8]) -> Message {
        let mut stream = self.connect();
        send(&mut stream, self.port, start, headers, body);
        whole(&mut stream).expect("no answer")
    }

    /// Ends it by a signal: its exit code and what it said.
    pub(super) fn end(mut self, signal: &str) -> (i32, String) {
        super::signals::kill(signal, &self.child);
        let status = super::signals::wait(&mut self.child);
        (status.code().expect("ended by a signal"), self.errors.join().unwrap())
    }
}

pub(super) fn send(stream: &mut BufReader<TcpStream>, port: u16, start: &str, headers: &[(&str, &str)], body: &[u8]) {
    let mut text = format!("{start} HTTP/1.1\r\n");
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
        write!(text, "Host: 127.0.0.1:{port}\r\n").unwrap();
    }
    if !body.is_empty() {
        write!(text, "Content-Length: {}\r\nContent-Type: application/json\r\n", body.len()).unwrap();
    }
    for (name, value) in headers {
        write!(text, "{name}: {value}\r\n").unwrap();
    }
    text += "\r\n";
    stream.get_mut().write_all(&[text.as_bytes(), body].concat()).unwrap();
}

/// Nothing more comes from this client.
pub(super) fn hang_up(stream: &BufReader<TcpStream>) {
    let _ = stream.get_ref().shutdown(Shutdown::Both);
}

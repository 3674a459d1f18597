//! One request after the other, and many at once.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use url::Url;

use super::super::super::failure::Failure;
use super::super::LARGEST;
use super::super::judge::Verdict;
use super::super::message_loop::MessageLoop;
use super::body::{Body, Collected, collect, tapped, whole};
use super::client::{self, Sender};
use super::tap::{Kind, MessageSink, Tap};
use super::target::Target;
use super::{guard, headers};
use agent_strace_live::proxy::framing::{Frame, Framing, TOO_LARGE};
use agent_strace_live::proxy::message::Side;
use agent_strace_live::proxy::talk::Way;

pub(super) struct Proxy {
    send: Sender,
    target: Target,
    messages: MessageLoop,
    exchanges: AtomicU64,
}

/// Connections that can't be taken now may be later.
const PAUSE: Duration = Duration::from_millis(50);

/// Takes connections for ever.
pub(super) async fn accept(listener: TcpListener, proxy: Arc<Proxy>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let _ = stream.set_nodelay(true);
        let proxy = Arc::clone(&proxy);
        tokio::spawn(async move {
            let service = service_fn(|request| {
                let proxy = Arc::clone(&proxy);
                async move { Ok::<_, Infallible>(proxy.handle(request).await) }
            });
            let mut server = http1::Builder::new();
            // A client that goes away in the middle is no fault of ours.
            let _ = server.preserve_header_case(true).serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

impl Proxy {
    pub(super) fn new(url: &Url, messages: MessageLoop) -> Result<Arc<Self>, Failure> {
        let (send, target) = (client::sender(url.scheme())?, Target::new(url));
        Ok(Arc::new(Self { send, target, messages, exchanges: AtomicU64::new(0) }))
    }

    async fn handle(&self, request: Request<Incoming>) -> Response<Body> {
        if let Some(reason) = guard::refusal(&request) {
            self.messages.status.note(&format!("a request was refused: {reason}"));
            return plain(StatusCode::FORBIDDEN, reason);
        }
        let query = request.uri().query().filter(|_| request.method() == Method::POST).map(str::to_owned);
        let way = Way {
            session: headers::session(request.headers()).or(query),
            exchange: Some(self.exchanges.fetch_add(1, Ordering::Relaxed)),
        };
        match self.request(request, &way).await {
            Err(answer) => answer,
            Ok(request) => self.pass(request, way).await,
        }
    }

    /// The request to the server, or the answer of one that stays here.
    async fn request(&self, request: Request<Incoming>, way: &Way) -> Result<Request<Body>, Response<Body>> {
        let (mut parts, body) = request.into_parts();
        parts.uri =
            self.target.of(parts.uri.path_and_query()).map_err(|_| plain(StatusCode::BAD_REQUEST, "no path"))?;
        let body = if self.messages.enforces {
            self.judged(&parts.headers, body, way).await?
        } else {
            // What authorizes an agent is asked for by forms. A message that calls itself one is a message.
            let kind = if headers::is_form(&parts.headers) { Kind::Perhaps } else { Kind::Message };
            let sink = self.sink(Side::Client, way.clone());
            tapped(body, Some(Tap::new(kind, headers::encoding(&parts.headers), sink)))
        };
        headers::to_server(&mut parts.headers);
        parts.version = hyper::Version::HTTP_11;
        Ok(Request::from_parts(parts, body))
    }

    fn sink(&self, side: Side, way: Way) -> MessageSink {
        MessageSink { messages: self.messages.clone(), side, way, target: self.target.clone() }
    }

    /// The body, if it may be passed on.
    async fn judged(&self, headers: &hyper::HeaderMap, body: Incoming, way: &Way) -> Result<Body, Response<Body>> {
        let collected = collect(body, LARGEST).await;
        let collected = collected.map_err(|_| plain(StatusCode::BAD_REQUEST, "the body of the request was cut off"))?;
        let (piece, body) = match collected {
            Collected::Whole(bytes) if bytes.trim_ascii().is_empty() => return Ok(whole(bytes)),
            Collected::Whole(bytes) if headers::is_form(headers) && !looks_like_json(&bytes) => {
                return Ok(whole(bytes));
            }
            Collected::Whole(bytes) if headers::encoding(headers).is_none_or(|encoding| encoding == "identity") => {
                (Frame::Message { body: bytes.to_vec(), framing: Framing::Line }, whole(bytes))
            }
            Collected::Whole(bytes) => (Frame::Lost("is encoded in a way that nobody judges"), whole(bytes)),
            Collected::TooLarge(body) => (Frame::Lost(TOO_LARGE), body),
        };
        let (give, get) = oneshot::channel();
        self.messages.judge(Side::Client, way, piece, move |verdict| drop(give.send(verdict)));
        let verdict = match get.await {
            Ok(verdict) => verdict,
            Err(_) if self.messages.fail_closed => {
                return Err(plain(StatusCode::INTERNAL_SERVER_ERROR, "nobody judges any more"));
            }
            Err(_) => Verdict::Pass,
        };
        match verdict {
            Verdict::Pass => Ok(body),
            Verdict::Refuse(answer) if answer.is_empty() => Err(empty(StatusCode::ACCEPTED)),
            Verdict::Refuse(answer) => {
                let mut response = Response::new(whole(answer));
                response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
                Err(response)
            }
        }
    }

    async fn pass(&self, request: Request<Body>, way: Way) -> Response<Body> {
        let is_post = request.method() == Method::POST;
        let answer = match (self.send)(request).await {
            Ok(answer) => answer,
            Err(error) => {
                let reason = format!("the server can't be reached: {}", client::why(&error));
                self.messages.status.warn(&reason);
                return plain(StatusCode::BAD_GATEWAY, &reason);
            }
        };
        let (mut parts, body) = answer.into_parts();
        let media = headers::media_type(&parts.headers);
        let kind = match media.as_deref() {
            Some("text/event-stream") => Some(Kind::Events),
            // Other documents of the server are none of ours.
            _ if !is_post => None,
            Some("application/json") if parts.status.is_success() => Some(Kind::Message),
            _ => Some(Kind::Perhaps),
        };
        let tap = kind.map(|kind| Tap::new(kind, headers::encoding(&parts.headers), self.sink(Side::Server, way)));
        headers::keep_what_is_passed_on(&mut parts.headers);
        parts.version = hyper::Version::HTTP_11;
        Response::from_parts(parts, tapped(body, tap))
    }
}

fn looks_like_json(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    matches!(bytes.trim_ascii_start().first(), Some(b'{' | b'['))
}

/// An answer of our own.
fn plain(status: StatusCode, text: &str) -> Response<Body> {
    let mut response = Response::new(whole(format!("agent-strace: {text}\n")));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

fn empty(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(whole(""));
    *response.status_mut() = status;
    response
}

//! Requests to the server: by TLS where its address says so, and never to where an answer redirects.

use std::pin::Pin;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::{Request, Response};
use hyper_util::client::legacy::connect::{Connect, HttpConnector};
use hyper_util::client::legacy::{Client, Error};
use hyper_util::rt::{TokioExecutor, TokioTimer};

use super::super::super::failure::{Failure, reason};
use super::body::Body;

type Answer = Pin<Box<dyn Future<Output = Result<Response<Incoming>, Error>> + Send>>;

/// Sends one request.
pub(super) type Sender = Box<dyn Fn(Request<Body>) -> Answer + Send + Sync>;

const CONNECT: Duration = Duration::from_secs(30);

pub(super) fn sender(scheme: &str) -> Result<Sender, Failure> {
    let mut connector = HttpConnector::new();
    connector.set_connect_timeout(Some(CONNECT));
    connector.set_nodelay(true);
    if scheme == "http" {
        return Ok(by(connector));
    }
    connector.enforce_http(false);
    let secure = hyper_rustls::HttpsConnectorBuilder::new().with_native_roots().map_err(|error| {
        Failure::new(format!("the certificates of this machine can't be read: {}", reason(&error)))
            .hint("`SSL_CERT_FILE` names a file with those that are trusted")
    })?;
    Ok(by(secure.https_only().enable_http1().wrap_connector(connector)))
}

fn by<C: Connect + Clone + Send + Sync + 'static>(connector: C) -> Sender {
    let mut builder = Client::builder(TokioExecutor::new());
    builder.http1_preserve_header_case(true).pool_timer(TokioTimer::new());
    let client: Client<C, Body> = builder.build(connector);
    Box::new(move |request| Box::pin(client.request(request)))
}

/// Why a request came to nothing, without its address.
pub(super) fn why(error: &Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

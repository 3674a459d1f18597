//! Who may speak to the proxy: programs of this machine. A page of the web may not, by whatever name it reaches us.

use hyper::header::{HOST, HeaderMap, HeaderValue, ORIGIN};
use hyper::{Request, Uri};
use url::{Host, Url};

/// Why a request is not let in.
pub(super) fn refusal<B>(request: &Request<B>) -> Option<&'static str> {
    let headers = request.headers();
    if !one(headers, &HOST).is_some_and(is_this_machine) || !request.uri().host().is_none_or(is_this_machine_by_uri) {
        return Some("only the name of this machine reaches the proxy: connect to http://127.0.0.1");
    }
    if headers.contains_key(ORIGIN) && !one(headers, &ORIGIN).is_some_and(is_own_origin) {
        return Some("only pages of this machine may use the proxy");
    }
    None
}

/// A header that stands once.
fn one<'h>(headers: &'h HeaderMap<HeaderValue>, name: &hyper::header::HeaderName) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

fn is_this_machine(host: &str) -> bool {
    host.parse::<Uri>().ok().and_then(|uri| uri.host().map(is_this_machine_by_uri)) == Some(true)
}

fn is_this_machine_by_uri(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || host == "127.0.0.1" || host == "[::1]"
}

fn is_own_origin(origin: &str) -> bool {
    let Ok(url) = Url::parse(origin) else { return false };
    let is_local = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    is_local && matches!(url.scheme(), "http" | "https")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_let_in() {
        let ask = |uri: &str, headers: &[(&str, &str)]| {
            let mut request = Request::builder().uri(uri);
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            refusal(&request.body(()).unwrap()).is_none()
        };
        for host in ["127.0.0.1:3100", "localhost", "LOCALHOST:3100", "[::1]:3100"] {
            assert!(ask("/", &[("host", host)]), "{host}");
        }
        for host in
            ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:3100", "", "a@127.0.0.1@evil", "0.0.0.0"]
        {
            assert!(!ask("/", &[("host", host)]), "{host}");
        }
        assert!(!ask("/", &[]));
        assert!(!ask("/", &[("host", "localhost"), ("host", "evil.example")]));
        assert!(!ask("http://evil.example/", &[("host", "localhost")]));
        for origin in ["http://localhost:6274", "http://127.0.0.1", "https://[::1]:1"] {
            assert!(ask("/", &[("host", "localhost"), ("origin", origin)]), "{origin}");
        }
        for origin in
            ["null", "https://evil.example", "http://localhost.evil.example", "file://", "chrome-extension://abc", ""]
        {
            assert!(!ask("/", &[("host", "localhost"), ("origin", origin)]), "{origin}");
        }
    }
}

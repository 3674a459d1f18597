//! Headers that belong to one connection stay there; all others are passed on, whatever they are.

use hyper::header::{
    ACCEPT_ENCODING, CONNECTION, CONTENT_ENCODING, CONTENT_TYPE, EXPECT, HOST, HeaderMap, HeaderName, HeaderValue,
};

const SESSION: &str = "mcp-session-id";
const OF_ONE_CONNECTION: &[&str] = &[
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Takes out what belongs to the connection that it came by.
pub(super) fn keep_what_is_passed_on(headers: &mut HeaderMap<HeaderValue>) {
    let named: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in named {
        headers.remove(name);
    }
    for name in OF_ONE_CONNECTION {
        headers.remove(*name);
    }
}

/// Makes the headers of a request those of one to the server: its name is another, and what it sends has to be read here.
pub(super) fn to_server(headers: &mut HeaderMap<HeaderValue>) {
    keep_what_is_passed_on(headers);
    headers.remove(HOST);
    // Whoever waits for leave to send its body got it here.
    headers.remove(EXPECT);
    if let Some(accepted) = headers.remove(ACCEPT_ENCODING) {
        let takes_gzip = accepted.to_str().is_ok_and(|value| value.split([',', ';', ' ']).any(|name| name == "gzip"));
        let value = if takes_gzip { "gzip" } else { "identity" };
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(value));
    }
}

pub(super) fn session(headers: &HeaderMap<HeaderValue>) -> Option<String> {
    Some(headers.get(SESSION)?.to_str().ok()?.to_owned())
}

/// The media type, without its parameters, in lower case.
pub(super) fn media_type(headers: &HeaderMap<HeaderValue>) -> Option<String> {
    let value = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    Some(value.split(';').next()?.trim().to_ascii_lowercase())
}

pub(super) fn is_form(headers: &HeaderMap<HeaderValue>) -> bool {
    media_type(headers).is_some_and(|media| media == "application/x-www-form-urlencoded")
}

pub(super) fn encoding(headers: &HeaderMap<HeaderValue>) -> Option<&str> {
    // One that can't be read is none that we know.
    headers.get(CONTENT_ENCODING).map(|value| value.to_str().unwrap_or("?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_one_connection_are_not_passed_on() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("connection", "close, X-Hop"),
            ("x-hop", "1"),
            ("te", "trailers"),
            ("host", "127.0.0.1:3100"),
            ("authorization", "Bearer x"),
            ("x-api-key", "k"),
            ("mcp-session-id", "s"),
            ("accept-encoding", "br, gzip;q=0.5"),
            ("cookie", "a=1"),
            ("cookie", "b=2"),
        ] {
            headers.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        to_server(&mut headers);
        let kept: Vec<String> =
            headers.iter().map(|(name, value)| format!("{name}={}", value.to_str().unwrap())).collect();
        let mut kept: Vec<&str> = kept.iter().map(String::as_str).collect();
        kept.sort_unstable();
        let wanted = [
            "accept-encoding=gzip",
            "authorization=Bearer x",
            "cookie=a=1",
            "cookie=b=2",
            "mcp-session-id=s",
            "x-api-key=k",
        ];
        assert_eq!(kept, wanted);
        assert_eq!(session(&headers).as_deref(), Some("s"));
    }
}

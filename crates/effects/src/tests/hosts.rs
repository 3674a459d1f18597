//! Tables of URLs and hosts as written, with the connection that clients make of them.

use crate::{Certainty, hosts};

/// Text (leading `*` → pattern) → expected connection (`?` suffix: pattern; `-`: none).
const HOSTS: &[(&str, &str)] = &[
    ("https://example.com/x", "https://example.com:443"),
    ("HTTPS://EXAMPLE.com", "https://example.com:443"),
    ("http://localhost:8080/health", "http://localhost:8080"),
    ("http://localhost?x=1", "http://localhost:80"),
    ("http://localhost:80@evil.example/x", "http://evil.example:80"),
    ("https://good.example:x@evil.example/", "https://evil.example:443"),
    ("https://a@b@evil.example/", "https://evil.example:443"),
    ("https://evil.example?https://good.example/", "https://evil.example:443"),
    ("https://evil.example#@good.example/", "https://evil.example:443"),
    (r"http://good.example\@evil.example", "http://<host>:80?"),
    ("http:/evil.example/x", "http://evil.example:80"),
    ("http:///evil.example/x", "http://evil.example:80"),
    ("evil.example", "evil.example"),
    ("evil.example.", "evil.example"),
    ("evil.example:8443/x", "evil.example:8443"),
    ("evil.example/x:y", "evil.example"),
    ("user:pw@evil.example", "evil.example"),
    ("http://2130706433/", "http://127.0.0.1:80"),
    ("http://0x7f.1/", "http://127.0.0.1:80"),
    ("http://0177.0.0.1/", "http://127.0.0.1:80"),
    ("http://[::ffff:a00:1]/", "http://10.0.0.1:80"),
    ("http://[::1]:8080/", "http://[::1]:8080"),
    ("http://[fe80::1%25eth0]/", "http://[fe80::1]:80"),
    ("http://bücher.example", "http://xn--bcher-kva.example:80"),
    ("http://ｅvil.example", "http://evil.example:80"),
    ("git@evil.example:org/r.git", "ssh://evil.example:22"),
    ("evil.example:", "ssh://evil.example:22"),
    ("evil.example:/srv/x", "ssh://evil.example:22"),
    ("ssh://git@evil.example:2222/r", "ssh://evil.example:2222"),
    ("git+ssh://git@evil.example/r", "git+ssh://evil.example:22"),
    ("TCP:evil.example:80", "tcp://evil.example:80"),
    ("TCP4-CONNECT:evil.example:80,retry", "tcp4-connect://evil.example:80"),
    ("openssl:evil.example:443", "openssl://evil.example:443"),
    ("s3://bucket/x", "s3://bucket"),
    ("file:///etc/passwd", "-"),
    ("data:text/plain,x", "-"),
    ("about:blank", "-"),
    ("http://my_host/x", "http://my_host:80"),
    ("http://${HOST}/x", "http://<host>:80?"),
    ("https://{a,b}.example/", "https://<host>:443?"),
    ("", "<host>?"),
    ("https://", "https://<host>:443?"),
    ("*https://**/x", "https://<host>:443?"),
    ("*https://good.example**", "https://<host>:443?"),
    ("*https://good.example/**", "https://good.example:443"),
    ("*https://**.evil.example/", "https://<host>:443?"),
    ("*https://*.evil.example:8443/", "https://*.evil.example:8443?"),
];

#[test]
fn hosts_are_what_clients_connect_to() {
    let mut wrong = Vec::new();
    for (text, expected) in HOSTS {
        let (input, certainty) = match text.strip_prefix('*') {
            Some(glob) => (glob, Certainty::Pattern),
            None => (*text, Certainty::Exact),
        };
        let got = hosts::connection(input, certainty).map_or("-".to_owned(), |(connection, certainty)| {
            format!("{connection}{}", if certainty == Certainty::Pattern { "?" } else { "" })
        });
        if got != *expected {
            wrong.push(format!("{text:?}: {got:?}, not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn bare_hosts_keep_their_known_part() {
    for (text, certainty, expected) in [
        ("evil.example", Certainty::Exact, "evil.example"),
        ("::1", Certainty::Exact, "[::1]"),
        ("**.evil.example", Certainty::Pattern, "**.evil.example"),
        ("**", Certainty::Pattern, "<host>"),
        ("0x7f000001", Certainty::Exact, "127.0.0.1"),
    ] {
        assert_eq!(hosts::host(text, certainty).0.to_string(), expected);
    }
}

#[test]
fn urls_in_prose_are_found() {
    let shown = |text| hosts::url_in_text(text).iter().map(|(found, _)| found.to_string()).collect::<Vec<_>>();
    assert_eq!(
        shown("read https://a.example/x, (HTTP://b.example:81) and \"https://a.example/y\"."),
        ["https://a.example:443", "http://b.example:81"]
    );
    assert_eq!(shown("see http://good.example,x@evil.example/"), ["http://evil.example:80"]);
    assert_eq!(shown("r https://a.example/?u=http://b.example"), ["https://a.example:443", "http://b.example:80"]);
    assert!(shown("no links: http, https:// nowhere").iter().all(|found| found.contains("<host>")));
}

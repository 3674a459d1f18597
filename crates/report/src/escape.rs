//! One function per target. Log text passes exactly one of them on its way out.

use std::fmt::Write as _;

/// Text for a terminal or a build log.
///
/// Controls, escape sequences, direction marks and zero-width characters become visible; a line break becomes `␤`, so
/// one value stays on one line. GitHub's runner takes `::name …::` at the start of a line and `##[name]` anywhere for
/// commands: both are broken up by a visible mark.
pub fn terminal(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' => shown.push('␤'),
            '\t' => shown.push(' '),
            '\r' => shown.push_str("\\r"),
            _ if is_invisible(character) => push_code(character, &mut shown),
            _ => shown.push(character),
        }
    }
    break_commands(&shown)
}

/// One value inside Markdown or HTML: plain text, never markup, mention, link or command.
///
/// An entity keeps a character from being markup. What GitHub looks for in the finished document sees the character all
/// the same: there, a zero-width space ends mentions, issue numbers and links, and names of commits are code.
pub(crate) fn markdown(text: &str) -> String {
    within(text, Element::Prose)
}

/// A text that is put between `<code>` and `</code>`: GitHub looks for no references there, and readers copy it.
pub(crate) fn markdown_code(text: &str) -> String {
    within(text, Element::Code)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Element {
    Prose,
    Code,
}

fn within(text: &str, element: Element) -> String {
    let text = terminal(text);
    let mut shown = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(character) = rest.chars().next() {
        let may_refer = element == Element::Prose;
        let commit = if !may_refer || shown.ends_with(is_word) { 0 } else { commit_name(rest) };
        if let Some((name, behind)) = rest.split_at_checked(commit).filter(|_| commit > 0) {
            let _ = write!(shown, "<code>{name}</code>");
            rest = behind;
            continue;
        }
        let next = rest.get(character.len_utf8()..).unwrap_or_default();
        match character {
            '&' => shown.push_str("&amp;"),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '"' => shown.push_str("&quot;"),
            '|' | '`' | '*' | '_' | '[' | ']' | '(' | ')' | '!' | '#' | '@' | '~' | ':' | '$' | '\\' | '{' | '}' => {
                let _ = write!(shown, "&#{};", u32::from(character));
            }
            // `www.` becomes a link, too.
            '.' if ends_with(&shown, "www") => shown.push_str("&#46;"),
            _ => shown.push(character),
        }
        if may_refer && refers(&shown, character, next) {
            shown.push_str("&#8203;");
        }
        rest = next;
    }
    shown
}

/// Whether GitHub takes a character and what follows it for a reference: `@name`, `#1`, `GH-1`, `https://`, `www.`
fn refers(shown: &str, character: char, next: &str) -> bool {
    let starts = |is: fn(&char) -> bool| next.chars().next().is_some_and(|first| is(&first));
    match character {
        '@' => starts(|first| first.is_alphanumeric()),
        '#' => starts(char::is_ascii_digit),
        '-' => ends_with(shown, "gh-") && starts(char::is_ascii_digit) && !within_word(shown, "gh-".len()),
        ':' => next.starts_with("//"),
        '.' => shown.ends_with("&#46;"),
        _ => false,
    }
}

/// Whether a word goes on before the last bytes of a text.
fn within_word(text: &str, last: usize) -> bool {
    text.len().checked_sub(last).and_then(|at| text.get(..at)).is_some_and(|before| before.ends_with(is_word))
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// How long the name of a commit is that a text starts with, abbreviated or not; 0: it starts with none.
fn commit_name(text: &str) -> usize {
    let length = text.bytes().take_while(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')).count();
    let ends = !text.get(length..).unwrap_or_default().starts_with(is_word);
    if (7..=40).contains(&length) && ends { length } else { 0 }
}

/// One value in the text or in a quoted attribute of an HTML document: plain text, never markup.
pub(crate) fn html(text: &str) -> String {
    entities(&terminal(text))
}

/// What would be markup or end an attribute, as entities that HTML and XML know.
fn entities(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => shown.push_str("&amp;"),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '"' => shown.push_str("&quot;"),
            '\'' => shown.push_str("&#39;"),
            _ => shown.push(character),
        }
    }
    shown
}

/// Whether a text ends with some letters, small or capital.
fn ends_with(text: &str, letters: &str) -> bool {
    let tail = text.len().checked_sub(letters.len()).and_then(|at| text.get(at..));
    tail.is_some_and(|tail| tail.eq_ignore_ascii_case(letters))
}

/// Text of a SARIF message: `[text](1)` is a link there, so brackets are escaped; no line breaks, no controls.
pub(crate) fn sarif(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in terminal(text).chars() {
        if matches!(character, '[' | ']' | '\\') {
            shown.push('\\');
        }
        shown.push(character);
    }
    shown
}

/// The message of a workflow command; what [`terminal`] left of line breaks and `%` would end or change it.
pub(crate) fn github_text(shown: &str) -> String {
    shown.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property of a workflow command.
pub(crate) fn github_property(text: &str) -> String {
    github_text(&terminal(text)).replace(':', "%3A").replace(',', "%2C")
}

/// Text or an attribute of XML 1.0: markup is none, and what a document must not hold is shown by its number.
pub(crate) fn xml(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in terminal(text).chars() {
        match character {
            '\u{fffe}' | '\u{ffff}' => push_code(character, &mut shown),
            _ => shown.push(character),
        }
    }
    entities(&shown)
}

/// JSON text: the same document with nothing in it that a terminal or a build log would obey. What is replaced can only
/// stand in strings, and its escape means the same there.
pub fn json(text: String) -> String {
    // Documents are long, and most of them need nothing.
    let is_clean = text.as_bytes().chunks(64).all(|bytes| bytes.iter().fold(true, |all, byte| all & is_plain(*byte)));
    let text = if is_clean { text } else { visible(&text) };
    if text.contains("##[") { text.replace("##[", "#\\u0023[") } else { text }
}

/// A JSON document inside of a `<script>` that browsers don't run: nothing in it ends its element or begins a comment. What
/// is replaced can only stand in strings, and its escape means the same there.
pub(crate) fn script(document: String) -> String {
    let document = json(document);
    let mut shown = String::with_capacity(document.len() + document.len() / 16);
    for character in document.chars() {
        match character {
            '<' => shown.push_str("\\u003c"),
            '>' => shown.push_str("\\u003e"),
            '&' => shown.push_str("\\u0026"),
            _ => shown.push(character),
        }
    }
    shown
}

/// What nobody would see, by its number.
fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((plain, other)) =
        rest.bytes().position(|byte| !is_plain(byte)).and_then(|at| rest.split_at_checked(at))
    {
        shown.push_str(plain);
        let mut characters = other.chars();
        let Some(character) = characters.next() else { break };
        if is_invisible(character) {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units).iter() {
                let _ = write!(shown, "\\u{unit:04x}");
            }
        } else {
            shown.push(character);
        }
        rest = characters.as_str();
    }
    shown.push_str(rest);
    shown
}

fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\n')
}

/// A path as a relative URI reference: everything but unreserved characters and `/` is percent-encoded.
pub(crate) fn uri(path: &str) -> String {
    let mut shown = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            shown.push(char::from(byte));
        } else {
            let _ = write!(shown, "%{byte:02X}");
        }
    }
    shown
}

/// At most `limit` characters; what is cut shows.
pub(crate) fn shorten(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or("")),
    }
}

fn break_commands(text: &str) -> String {
    // Nothing in a report starts a line with log text, but a value that is alone on a line would.
    let text = text.replace(" ::", " \\u003a:").replace("##[", "#\\u0023[");
    match text.strip_prefix("::") {
        Some(rest) => format!("\\u003a:{rest}"),
        None => text,
    }
}

fn push_code(character: char, shown: &mut String) {
    match u32::from(character) {
        code @ 0..=0xff => {
            let _ = write!(shown, "\\x{code:02x}");
        }
        code => {
            let _ = write!(shown, "\\u{{{code:x}}}");
        }
    }
}

/// Characters that change what a reader sees without being seen.
fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::{github_property, github_text, html, json, markdown, sarif, script, shorten, terminal, uri, xml};

    #[test]
    fn hostile_text_is_harmless_in_every_target() {
        for (text, expected) in [
            ("a\u{1b}[2Jb", "a\\x1b[2Jb"),
            ("a\n::error ::x", "a␤::error \\u003a:x"),
            ("::error ::x", "\\u003a:error \\u003a:x"),
            ("  ::error x", "  \\u003a:error x"),
            ("a ##[error]x", "a #\\u0023[error]x"),
            ("a\u{202e}b\u{200b}c\u{feff}", "a\\u{202e}b\\u{200b}c\\u{feff}"),
            ("\r\u{9b}", "\\r\\x9b"),
            ("grüße 日本 std::io", "grüße 日本 std::io"),
        ] {
            assert_eq!(terminal(text), expected);
        }
        for (text, expected) in [
            ("a|`<b>`@me", "a&#124;&#96;&lt;b&gt;&#96;&#64;&#8203;me"),
            ("[x](https://e.com)", "&#91;x&#93;&#40;https&#58;&#8203;//e.com&#41;"),
            ("WWW.e.com", "WWW&#46;&#8203;e.com"),
            ("@org/team a@b.c @ x", "&#64;&#8203;org/team a&#64;&#8203;b.c &#64; x"),
            ("#1 o/r#23 # x", "&#35;&#8203;1 o/r&#35;&#8203;23 &#35; x"),
            ("GH-2 gh-3 high-4", "GH-&#8203;2 gh-&#8203;3 high-4"),
            ("at 0123abc, xabc1234 abc1234x", "at <code>0123abc</code>, xabc1234 abc1234x"),
            ("o/r@0123abc", "o/r&#64;&#8203;<code>0123abc</code>"),
            ("0123456789012345678901234567890123456789f", "0123456789012345678901234567890123456789f"),
        ] {
            assert_eq!(markdown(text), expected);
        }
        assert_eq!(html("<b class='a' x=\"&\">"), "&lt;b class=&#39;a&#39; x=&quot;&amp;&quot;&gt;");
        assert_eq!(html("a\u{202e}\u{1b}[2J\n::error x"), "a\\u{202e}\\x1b[2J␤::error x");
        assert_eq!(sarif("see [x](1)\n"), "see \\[x\\](1)␤");
        assert_eq!(json("{\n\"a ##[x] \u{9b}\u{e0041}\"}".to_owned()), "{\n\"a #\\u0023[x] \\u009b\\udb40\\udc41\"}");
        assert_eq!(github_text(&terminal("100%\n::x")), "100%25␤::x");
        assert_eq!(github_property("a,b:c%\r.rs"), "a%2Cb%3Ac%25\\r.rs");
        assert_eq!(
            xml("a<b attr=\"'&'\">\0\u{ffff}]]>"),
            "a&lt;b attr=&quot;&#39;&amp;&#39;&quot;&gt;\\x00\\u{ffff}]]&gt;"
        );
        assert_eq!(uri("a b/ü:c.json"), "a%20b/%C3%BC%3Ac.json");
        assert_eq!(shorten("äöü", 2), "äö…");
        assert_eq!(shorten("äö", 2), "äö");
    }

    #[test]
    fn nothing_in_a_script_ends_it() {
        for (text, expected) in [
            ("</script><img onerror=x>", r"\u003c/script\u003e\u003cimg onerror=x\u003e"),
            ("<!--<script>", r"\u003c!--\u003cscript\u003e"),
            ("]]>&amp;", r"]]\u003e\u0026amp;"),
            ("a\u{2028}b\u{2029}c\u{202e}d", r"a\u2028b\u2029c\u202ed"),
            ("##[error]", r"#\u0023[error]"),
        ] {
            let document = serde_json::to_string(text).unwrap();
            let shown = script(document);
            assert_eq!(shown, format!("\"{expected}\""));
            assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), text);
        }
    }

    proptest::proptest! {
        #[test]
        fn a_document_is_escaped_character_by_character(text in "[ -~\n\té漢\u{202e}\u{1b}\u{e0001}😀]{0,40}") {
            let escaped: String = text.chars().map(|character| {
                let shown = character == '\n' || !super::is_invisible(character);
                let code = |unit: &u16| format!("\\u{unit:04x}");
                if shown { character.to_string() } else { character.encode_utf16(&mut [0; 2]).iter().map(code).collect() }
            }).collect();
            proptest::prop_assert_eq!(json(text), escaped.replace("##[", "#\\u0023["));
        }
    }
}

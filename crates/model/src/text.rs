//! Text of a log that is decoded only when somebody looks at it.

use std::borrow::Cow;

/// A piece of log text: either plain, or the JSON string literal it was recorded as.
#[derive(Debug, Clone)]
pub enum RawText<'a> {
    Plain(Cow<'a, str>),
    /// JSON text: a string literal, or any other value whose JSON is the text.
    Json(&'a str),
}

impl RawText<'_> {
    /// The decoded text. A literal that holds a lone surrogate, which no Rust string can, decodes lossily.
    pub fn decode(&self) -> Cow<'_, str> {
        match self {
            Self::Plain(text) => Cow::Borrowed(text),
            Self::Json(json) => decode_json(json),
        }
    }
}

/// Bytes that are enough to tell what a text begins with.
const START: usize = 64;

impl RawText<'_> {
    /// What the text begins with, or all of it. Long texts are looked at without being decoded.
    pub fn start(&self) -> Cow<'_, str> {
        let Self::Json(json) = self else { return self.decode() };
        let plain = json.strip_prefix('"').and_then(|rest| {
            let (plain, _) = rest.split_at_checked(rest.find(['\\', '"'])?)?;
            (plain.len() >= START).then_some(plain)
        });
        plain.map_or_else(|| self.decode(), Cow::Borrowed)
    }

    /// How many characters the decoded text has, without decoding it. Half of a character that is cut in two counts.
    pub fn characters(&self) -> usize {
        match self {
            Self::Plain(text) => characters(text),
            Self::Json(json) => match json.strip_prefix('"').and_then(|json| json.strip_suffix('"')) {
                Some(literal) => characters_of(literal),
                None => characters(json),
            },
        }
    }
}

/// The characters of the inside of a string literal. An escape is one; two halves of one are two escapes.
fn characters_of(literal: &str) -> usize {
    let mut escapes = 0;
    let mut rest = literal.as_bytes();
    while let Some(at) = memchr::memchr(b'\\', rest) {
        // What follows the backslash is not counted by itself: `\n` has one byte more than it means, `\u0041` five.
        let unicode = rest.get(at + 1) == Some(&b'u');
        let half = unicode && rest.get(at + 2..at + 4).is_some_and(is_second_half);
        escapes += if half {
            6
        } else if unicode {
            5
        } else {
            1
        };
        rest = rest.get(at + 2..).unwrap_or_default();
    }
    characters(literal).saturating_sub(escapes)
}

/// How many characters a text has: its bytes without those that continue a character. Blocks of so many bytes are
/// summed up in bytes, which processors do many of at once.
pub fn characters(text: &str) -> usize {
    const BLOCK: usize = 255;
    let begins = |byte: &u8| u8::from(byte & 0b1100_0000 != 0b1000_0000);
    text.as_bytes().chunks(BLOCK).map(|block| usize::from(block.iter().map(begins).sum::<u8>())).sum()
}

/// `DC` to `DF`: it belongs to the escape before it.
fn is_second_half(digits: &[u8]) -> bool {
    matches!(digits, [b'd' | b'D', b'c'..=b'f' | b'C'..=b'F'])
}

/// Decodes a JSON string literal, lossily where it holds a lone surrogate; any other JSON is its own text.
pub fn decode_json(json: &str) -> Cow<'_, str> {
    if let Some(text) = unescaped(json) {
        return Cow::Borrowed(text);
    }
    match serde_json::from_str::<Cow<'_, str>>(json) {
        Ok(text) => Cow::Owned(text.into_owned()),
        // Not a string, or one with a lone surrogate: `\ud83d` as WTF-8 is what serde hands to a byte buffer.
        Err(_) => match serde_json::from_str::<Bytes>(json) {
            Ok(Bytes(bytes)) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
            Err(_) => Cow::Borrowed(json),
        },
    }
}

/// The inside of a string literal that means what it says.
fn unescaped(json: &str) -> Option<&str> {
    let text = json.strip_prefix('"')?.strip_suffix('"')?;
    let is_plain = memchr::memchr2(b'\\', b'"', text.as_bytes()).is_none();
    is_plain.then_some(text)
}

struct Bytes(Vec<u8>);

impl<'de> serde::Deserialize<'de> for Bytes {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Bytes;
            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("a string")
            }
            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.to_vec()))
            }
        }
        deserializer.deserialize_bytes(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_of_a_text_is_that_of_the_decoded_one() {
        let long = format!("\"{}\\n{}\"", "a".repeat(START), "b".repeat(9));
        for json in [long.as_str(), "\"a\\\"b\"", "\"\\u00e9 and so on\"", "\"\"", "5", "\"unfinished"] {
            let text = RawText::Json(json);
            assert!(text.decode().starts_with(&*text.start()), "{json}");
            assert!(text.start().len() >= START.min(text.decode().len()), "{json}");
        }
        assert!(matches!(RawText::Json(&long).start(), Cow::Borrowed(start) if start.len() == START));
    }

    #[test]
    fn characters_are_counted_as_they_decode() {
        for json in [
            r#""""#,
            r#""abc""#,
            r#""a\nb\"c\\d""#,
            r#""\u0041\u00e9 é 漢""#,
            r#""\ud83d\ude00 😀""#,
            r#""\\u0041""#,
            r#"[{"type":"text"}]"#,
            "12",
        ] {
            let text = RawText::Json(json);
            assert_eq!(text.characters(), text.decode().chars().count(), "{json}");
        }
        assert_eq!(RawText::Plain("aé漢".into()).characters(), 3);
    }

    #[test]
    fn what_is_no_literal_is_its_own_text() {
        for json in ["\"", "\"a\"b\"", "5", "\"a\\\""] {
            assert_eq!(decode_json(json), json);
        }
        assert!(matches!(decode_json("\"plain\""), Cow::Borrowed("plain")));
        assert_eq!(decode_json("\"one\ntwo\""), "one\ntwo");
    }

    proptest::proptest! {
        #[test]
        fn any_text_decodes_as_it_was_written(text in ".*") {
            let json = serde_json::to_string(&text).unwrap();
            proptest::prop_assert_eq!(decode_json(&json), text);
        }

        #[test]
        fn any_text_is_counted_as_it_decodes(text in ".*") {
            let json = serde_json::to_string(&text).unwrap();
            proptest::prop_assert_eq!(RawText::Json(&json).characters(), text.chars().count());
        }
    }
}

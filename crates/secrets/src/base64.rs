//! Base64 (RFC 4648): the library's, and leniently where a text may hold any form of it.

use std::borrow::Cow;

use base64::Engine as _;
use base64::alphabet::STANDARD as ALPHABET;
use base64::engine::general_purpose::{GeneralPurpose, NO_PAD, STANDARD};

/// Ignores the bits that are left over at the end, as most readers do.
const LENIENT: GeneralPurpose = GeneralPurpose::new(&ALPHABET, NO_PAD.with_decode_allow_trailing_bits(true));

/// Encodes with the standard alphabet and with padding.
pub fn encode(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Decodes both alphabets, with and without padding.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let body = text.trim_end_matches('=');
    let body = if body.contains(['-', '_']) {
        Cow::Owned(body.replace('-', "+").replace('_', "/"))
    } else {
        Cow::Borrowed(body)
    };
    LENIENT.decode(body.as_bytes()).ok()
}

/// The six bits of a digit of either alphabet.
pub(crate) fn sextet(byte: u8) -> Option<u8> {
    Some(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{decode, encode};

    #[test]
    fn encoded_text_is_that_of_the_rfc() {
        let texts = ["", "f", "fo", "foo", "foob", "fooba", "foobar"];
        let encoded = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
        assert_eq!(texts.map(|text| encode(text.as_bytes())), encoded);
        for (text, encoded) in texts.iter().zip(encoded) {
            assert_eq!(decode(encoded).as_deref(), Some(text.as_bytes()));
            assert_eq!(decode(encoded.trim_end_matches('=')).as_deref(), Some(text.as_bytes()));
        }
        assert_eq!(decode("-_8"), decode("+/8="));
        assert_eq!(decode("Zh"), Some(b"f".to_vec()), "bits are left over");
        assert_eq!([decode("Zg=Zg"), decode("Zm9vY"), decode("Zm9 v")], [None, None, None]);
    }
}

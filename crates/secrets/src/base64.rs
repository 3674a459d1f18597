//! Base64 (RFC 4648).

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Encodes with the standard alphabet and with padding.
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let value = usize::try_from(bits >> (18 - 6 * digit) & 63).unwrap_or(0);
            let character = DIGITS.get(value).map_or('=', |byte| char::from(*byte));
            text.push(if digit <= chunk.len() { character } else { '=' });
        }
    }
    text
}

/// Decodes both alphabets, with and without padding.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let body = text.trim_end_matches('=');
    if body.len() % 4 == 1 {
        return None;
    }
    let mut bytes = Vec::with_capacity(body.len() * 3 / 4 + 2);
    let (mut held, mut bits) = (0_u32, 0);
    for byte in body.bytes() {
        let value = sextet(byte)?;
        held = held << 6 | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(held >> bits & 0xff).unwrap_or(0));
        }
    }
    Some(bytes)
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
        assert_eq!(decode("Zg=Zg"), None);
    }
}

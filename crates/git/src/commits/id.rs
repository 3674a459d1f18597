//! Names of objects: SHA-1 and SHA-256.

use std::fmt;

/// The longest name has 32 bytes (SHA-256).
const LONGEST: usize = 32;

/// The name of an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id {
    bytes: [u8; LONGEST],
    length: u8,
}

impl Id {
    /// 20 or 32 bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let length = match bytes.len() {
            20 => 20,
            32 => 32,
            _ => return None,
        };
        let mut id = Self { bytes: [0; LONGEST], length };
        id.bytes.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(id)
    }

    /// 40 or 64 hexadecimal digits.
    pub(crate) fn from_hex(digits: &[u8]) -> Option<Self> {
        let length = match digits.len() {
            40 => 20,
            64 => 32,
            _ => return None,
        };
        let mut id = Self { bytes: [0; LONGEST], length };
        for (byte, pair) in id.bytes.iter_mut().zip(digits.chunks_exact(2)) {
            let [high, low] = pair else { return None };
            *byte = digit(*high)? << 4 | digit(*low)?;
        }
        Some(id)
    }

    /// The name that stands for "no object".
    pub fn zero() -> Self {
        Self { bytes: [0; LONGEST], length: 20 }
    }

    #[cfg(test)]
    pub fn is_zero(&self) -> bool {
        self.bytes.iter().all(|byte| *byte == 0)
    }

    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.length)).unwrap_or(&self.bytes)
    }

    /// Appends the name in hex.
    pub(super) fn write_hex(&self, out: &mut Vec<u8>) {
        for byte in self.as_bytes() {
            out.extend([byte >> 4, byte & 15].map(|half| if half < 10 { b'0' + half } else { b'a' + half - 10 }));
        }
    }
}

fn digit(character: u8) -> Option<u8> {
    match character {
        b'0'..=b'9' => Some(character - b'0'),
        b'a'..=b'f' => Some(character - b'a' + 10),
        b'A'..=b'F' => Some(character - b'A' + 10),
        _ => None,
    }
}

impl fmt::Display for Id {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_bytes().iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self}")
    }
}

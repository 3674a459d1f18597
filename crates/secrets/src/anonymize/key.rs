//! The key of pseudonyms: without it nobody can find what one stood for, not even by trying.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::class::Class;
use super::token;

/// Bytes of a key.
pub const LENGTH: usize = 32;

/// Secret bytes, and what is derived from them: one purpose never shows anything of another.
#[derive(Clone)]
pub struct Key {
    pseudonyms: [u8; LENGTH],
    vault: [u8; 64],
    id: String,
}

impl Key {
    pub fn new(secret: &[u8; LENGTH]) -> Self {
        let derived = |purpose: &str| mac(secret, &[purpose.as_bytes()]);
        let mut vault = [0; 64];
        let halves = [derived("agent-strace vault 1 first half"), derived("agent-strace vault 1 second half")];
        for (byte, derived) in vault.iter_mut().zip(halves.iter().flatten()) {
            *byte = *derived;
        }
        let id = derived("agent-strace key id 1");
        let id = id.first_chunk::<8>().map_or(0, |bytes| u64::from_be_bytes(*bytes));
        Self { pseudonyms: derived("agent-strace pseudonyms 1"), vault, id: format!("{id:016x}") }
    }

    /// Tells keys apart and says nothing about them.
    pub fn id(&self) -> &str {
        &self.id
    }

    pub(super) fn vault(&self) -> &[u8; 64] {
        &self.vault
    }

    /// The pseudonym of a value in its canonical form. `scope`: within which equal values have equal ones.
    pub(super) fn pseudonym(&self, scope: &str, class: Class, canonical: &str) -> String {
        let name = class.name();
        let code = mac(&self.pseudonyms, &[scope.as_bytes(), name.as_bytes(), canonical.as_bytes()]);
        token::write(name, &code)
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Key").field("id", &self.id).finish_non_exhaustive()
    }
}

/// HMAC-SHA-256 of parts, each behind its length: no two lists of parts are the same text.
fn mac(key: &[u8; LENGTH], parts: &[&[u8]]) -> [u8; LENGTH] {
    // A shorter key is filled up with zeros by HMAC itself (RFC 2104): a whole block can't be refused.
    let mut block = [0; 64];
    for (byte, secret) in block.iter_mut().zip(key) {
        *byte = *secret;
    }
    let mut mac = Hmac::<Sha256>::new(&block.into());
    for part in parts {
        mac.update(&(part.len() as u64).to_be_bytes());
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

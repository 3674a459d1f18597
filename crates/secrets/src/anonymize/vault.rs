//! What pseudonyms stand for, sealed: only who has the key reads it.
//!
//! AES-256 in SIV mode (RFC 5297) needs no nonce: the same vault gives the same bytes, and a changed byte or another key
//! is refused, never read as something else.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::{Mutex, PoisonError};

use aes_siv::KeyInit;
use aes_siv::siv::Aes256Siv;
use serde::{Deserialize, Serialize};

use super::key::Key;
use super::spellings::hexadecimal;
use super::token;
use crate::stream::{self, Detector, Finding, Sink};
use crate::{Confidence, Hit};

const VERSION: u32 = 1;
const HEADER: &[u8] = b"agent-strace vault 1";

/// What each pseudonym stands for.
#[derive(Debug, Default)]
pub struct Vault {
    originals: BTreeMap<String, String>,
}

/// The file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    agent_strace_vault: u32,
    /// The id of the key that opens it.
    key_id: String,
    /// Hex.
    sealed: String,
}

#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    #[error("it is no vault of this program")]
    NoVault,
    #[error("it belongs to the key {wanted}, and this is the key {given}")]
    OtherKey { wanted: String, given: String },
    #[error("this key does not open it, or it was changed")]
    Sealed,
}

impl Vault {
    pub fn new(originals: BTreeMap<String, String>) -> Self {
        Self { originals }
    }

    /// Takes in what another vault holds.
    pub fn extend(&mut self, other: Self) {
        for (token, original) in other.originals {
            self.originals.entry(token).or_insert(original);
        }
    }

    pub fn seal(&self, key: &Key) -> Result<String, VaultError> {
        let plain = serde_json::to_vec(&self.originals).map_err(|_| VaultError::Sealed)?;
        let mut cipher = Aes256Siv::new(key.vault().into());
        let sealed = cipher.encrypt([HEADER], &plain).map_err(|_| VaultError::Sealed)?;
        let sealed = hexadecimal(&sealed);
        let file = File { agent_strace_vault: VERSION, key_id: key.id().to_owned(), sealed };
        serde_json::to_string(&file).map(|text| text + "\n").map_err(|_| VaultError::Sealed)
    }

    pub fn open(bytes: &[u8], key: &Key) -> Result<Self, VaultError> {
        let file: File = serde_json::from_slice(bytes).map_err(|_| VaultError::NoVault)?;
        if file.agent_strace_vault != VERSION {
            return Err(VaultError::NoVault);
        }
        if file.key_id != key.id() {
            // What a file says of itself is shown only in the form that this program writes.
            let is_id = file.key_id.len() == 16 && file.key_id.bytes().all(|byte| byte.is_ascii_hexdigit());
            let wanted = if is_id { file.key_id } else { return Err(VaultError::NoVault) };
            return Err(VaultError::OtherKey { wanted, given: key.id().to_owned() });
        }
        let pairs = file.sealed.as_bytes().chunks(2).map(|pair| {
            let text = std::str::from_utf8(pair).ok().filter(|text| text.len() == 2)?;
            u8::from_str_radix(text, 16).ok()
        });
        let sealed: Vec<u8> = pairs.collect::<Option<_>>().ok_or(VaultError::NoVault)?;
        let mut cipher = Aes256Siv::new(key.vault().into());
        let plain = cipher.decrypt([HEADER], &sealed).map_err(|_| VaultError::Sealed)?;
        let originals = serde_json::from_slice(&plain).map_err(|_| VaultError::NoVault)?;
        Ok(Self { originals })
    }

    /// Bytes of any format with what their pseudonyms stand for.
    pub fn reveal(&self, bytes: &[u8]) -> io::Result<Revealed> {
        let reveal = Reveal { vault: self, unknown: Mutex::default() };
        let mut revealed = Revealed::default();
        stream::rewrite(&mut &*bytes, &reveal, &mut revealed)?;
        revealed.unknown = reveal.unknown.into_inner().unwrap_or_else(PoisonError::into_inner).len();
        Ok(revealed)
    }
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Revealed {
    pub bytes: Vec<u8>,
    /// Places.
    pub known: usize,
    /// Pseudonyms that the vault does not hold.
    pub unknown: usize,
}

impl Sink for Revealed {
    fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn found(&mut self, _: &Finding<'_>) -> io::Result<()> {
        self.known += 1;
        Ok(())
    }
}

struct Reveal<'v> {
    vault: &'v Vault,
    unknown: Mutex<BTreeSet<String>>,
}

impl Reveal<'_> {
    /// The domain that was kept stands behind the pseudonym and in the original.
    fn kept_domain(text: &str, end: usize, original: &str) -> usize {
        let Some((_, domain)) = original.rsplit_once('@') else { return 0 };
        let rest = text.get(end..).and_then(|rest| rest.strip_prefix('@'));
        let is_kept =
            rest.and_then(|rest| rest.get(..domain.len())).is_some_and(|rest| rest.eq_ignore_ascii_case(domain));
        if is_kept { 1 + domain.len() } else { 0 }
    }
}

impl Detector for Reveal<'_> {
    fn find(&self, _: Option<&str>, text: &str) -> Vec<Hit> {
        let mut hits = Vec::new();
        for found in token::all(text) {
            let written = text.get(found.range.clone()).unwrap_or_default();
            let Some(original) = self.vault.originals.get(written) else {
                self.unknown.lock().unwrap_or_else(PoisonError::into_inner).insert(written.to_owned());
                continue;
            };
            let end = found.range.end + Self::kept_domain(text, found.range.end, original);
            let (rule, kind) = ("anonymize/revealed", "pseudonym");
            hits.push(Hit { start: found.range.start, end, rule, kind, confidence: Confidence::High });
        }
        hits
    }

    fn private(&self, _: &str) -> Vec<Hit> {
        Vec::new()
    }

    fn fingerprint(&self, _: &Hit, _: &str) -> String {
        String::new()
    }

    fn replacement(&self, _: &Hit, value: &str) -> String {
        let written = token::all(value).into_iter().next().and_then(|token| value.get(token.range));
        written.and_then(|token| self.vault.originals.get(token)).cloned().unwrap_or_else(|| value.to_owned())
    }
}

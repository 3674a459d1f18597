//! The members of an archive, and their bytes on demand.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

use super::{HEAD, Method, Output, Packing, Room, Unpacked, member, tar, zip};
use crate::discover::MAX_FILE;
use crate::discover::load::unreadable;
use agent_strace_model::GapKind;

/// Members of one archive. Artifacts of CI have a few hundred.
pub(super) const MAX_MEMBERS: usize = 100_000;
/// All members of one archive together, unpacked.
const MAX_TOTAL: u64 = 4 * MAX_FILE;

/// Bytes that can be read from any place.
#[derive(Debug, Clone)]
pub(in crate::discover) enum Store {
    File { file: Arc<Mutex<File>>, length: u64 },
    Memory(Arc<Vec<u8>>),
}

impl Store {
    pub(in crate::discover) fn file(file: File) -> Result<Self, GapKind> {
        let length = file.metadata().map_err(|error| unreadable(&error))?.len();
        Ok(Self::File { file: Arc::new(Mutex::new(file)), length })
    }

    pub(in crate::discover) fn memory(bytes: Vec<u8>) -> Self {
        Self::Memory(Arc::new(bytes))
    }

    pub(in crate::discover) fn length(&self) -> u64 {
        match self {
            Self::File { length, .. } => *length,
            Self::Memory(bytes) => bytes.len() as u64,
        }
    }

    /// A reader from `offset` to the end.
    pub(in crate::discover) fn from(&self, offset: u64) -> StoreReader<'_> {
        StoreReader { store: self, offset }
    }

    /// Up to `length` bytes at `offset`; fewer where it ends before.
    pub(in crate::discover) fn at(&self, offset: u64, length: usize) -> Result<Vec<u8>, GapKind> {
        let mut bytes = Vec::new();
        let reader = self.from(offset).take(length as u64).read_to_end(&mut bytes);
        reader.map(|_| bytes).map_err(|error| unreadable(&error))
    }

    pub(in crate::discover) fn packing(&self) -> Result<Option<Packing>, GapKind> {
        self.at(0, HEAD).map(|head| Packing::of(&head))
    }
}

/// Reads a [`Store`] onwards from a place.
#[derive(Debug)]
pub(in crate::discover) struct StoreReader<'s> {
    store: &'s Store,
    offset: u64,
}

impl Read for StoreReader<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = match self.store {
            Store::File { file, .. } => {
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                file.seek(SeekFrom::Start(self.offset))?;
                file.read(into)?
            }
            Store::Memory(bytes) => {
                let mut cursor = Cursor::new(bytes.as_slice());
                cursor.set_position(self.offset);
                cursor.read(into)?
            }
        };
        self.offset += length as u64;
        Ok(length)
    }
}

/// An archive whose list of members was read.
#[derive(Debug)]
pub(in crate::discover) struct Archive {
    store: Store,
    pub(in crate::discover) members: Vec<Member>,
    /// Why the list may not be all.
    pub(in crate::discover) flaws: Vec<GapKind>,
}

/// One file of an archive, or something that was listed and can't be read.
#[derive(Debug)]
pub(in crate::discover) struct Member {
    /// Relative, `/` between components, none of them `..`.
    pub(in crate::discover) name: String,
    /// Unpacked, as the archive says.
    pub(in crate::discover) size: u64,
    /// Where its bytes lie, or why they can't be had.
    pub(super) data: Result<Data, GapKind>,
}

#[derive(Debug, Clone)]
pub(super) struct Data {
    pub(super) offset: u64,
    /// Packed.
    pub(super) length: u64,
    pub(super) method: Method,
    pub(super) crc: Option<u32>,
}

impl Archive {
    pub(in crate::discover) fn list(store: Store, packing: Packing) -> Self {
        let mut archive = Self { store, members: Vec::new(), flaws: Vec::new() };
        let listed = match packing {
            Packing::Zip => zip::list(&mut archive),
            _ => tar::list(&mut archive),
        };
        if let Err(reason) = listed {
            archive.flaws.push(reason);
        }
        let total = archive.members.iter().fold(0_u64, |total, member| total.saturating_add(member.size));
        if total > MAX_TOTAL {
            archive.members.clear();
            archive
                .flaws
                .push(GapKind::limit(format!("its entries unpack to more than {} GiB: not read", MAX_TOTAL >> 30)));
        }
        archive
    }

    pub(super) fn store(&self) -> Store {
        self.store.clone()
    }

    /// Adds a member under a name as archives have it. `false`: there are too many.
    pub(super) fn add(&mut self, name: &str, size: u64, data: Result<Data, GapKind>) -> bool {
        if self.members.len() >= MAX_MEMBERS {
            self.flaws.push(GapKind::limit(format!("more than {MAX_MEMBERS} entries: the rest is not read")));
            return false;
        }
        let (name, inside) = clean(name);
        let data = if inside { data } else { Err(GapKind::unreadable("its name leads out of the archive: not read")) };
        self.members.push(Member { name, size, data });
        true
    }

    /// Why a member can't be read at all.
    pub(in crate::discover) fn refusal(&self, at: usize) -> Option<&GapKind> {
        self.members.get(at)?.data.as_ref().err()
    }

    /// The bytes of a member.
    pub(in crate::discover) fn read(&self, at: usize, room: &mut Room<'_>) -> Result<Unpacked, GapKind> {
        let Some(member) = self.members.get(at) else { return Err(GapKind::unreadable("not in the archive")) };
        let data = member.data.as_ref().map_err(Clone::clone)?;
        let mut unpacked = self.unpack(data, Output::whole(room));
        if unpacked.flaws.is_empty() {
            check(&mut unpacked, member.size, data.crc);
        }
        Ok(unpacked)
    }

    /// The beginning of a member.
    pub(in crate::discover) fn peek(&self, at: usize, limit: u64) -> Result<Vec<u8>, GapKind> {
        let Some(member) = self.members.get(at) else { return Err(GapKind::unreadable("not in the archive")) };
        let data = member.data.as_ref().map_err(Clone::clone)?;
        Ok(self.unpack(data, Output::beginning(limit, &mut |_| {})).bytes)
    }

    fn unpack(&self, data: &Data, mut output: Output<'_, '_>) -> Unpacked {
        let reader = BufReader::with_capacity(64 << 10, self.store.from(data.offset).take(data.length));
        member(reader, data.method, &mut output);
        output.unpacked
    }
}

/// What an archive says about a member against what was unpacked.
fn check(unpacked: &mut Unpacked, size: u64, crc: Option<u32>) {
    let length = unpacked.bytes.len() as u64;
    if length < size {
        unpacked.flaws.push(GapKind::unreadable("the entry is cut off: the archive says it is longer"));
    } else if length > size {
        unpacked.flaws.push(GapKind::unreadable("the entry is longer than the archive says"));
    } else if let Some(told) = crc {
        let mut found = flate2::Crc::new();
        found.update(&unpacked.bytes);
        if found.sum() != told {
            unpacked.flaws.push(GapKind::unreadable("the checksum of the entry is wrong: it was damaged or changed"));
        }
    }
}

/// A name with `/` between components and without `.`; whether it stays in the archive.
fn clean(name: &str) -> (String, bool) {
    let name = name.replace('\\', "/");
    let absolute = name.starts_with('/') || name.get(1..3) == Some(":/");
    let parts: Vec<&str> = name.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let inside = !absolute && !parts.contains(&"..") && !name.contains('\0');
    (parts.join("/"), inside && !parts.is_empty())
}

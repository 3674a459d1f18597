//! Where the bytes of a file lie: on disk, in an archive, in a git repository.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::load::{open, unreadable};
use super::packed::{self, Archive, Packing, Room, Store, Unpacked};
use agent_strace_model::GapKind;

/// A place that bytes can be had from, whenever they are needed.
#[derive(Debug, Clone)]
pub(super) enum Origin {
    /// A file, all links resolved. It must still lie in `within` when it is opened.
    File { path: PathBuf, within: PathBuf },
    /// A member of an archive.
    Member { archive: Arc<Archive>, at: usize },
    /// An object of the repository around a folder.
    Object { folder: Arc<Path>, id: String },
    /// Already in memory.
    Memory(Store),
}

impl Origin {
    /// Equal for what is certainly the same file.
    pub(super) fn identity(&self) -> Option<String> {
        match self {
            Self::File { path, .. } => Some(path.to_string_lossy().into_owned()),
            Self::Object { id, .. } => Some(format!("object {id}")),
            Self::Member { .. } | Self::Memory(_) => None,
        }
    }

    /// The directory of the project that Gemini CLI names in a file beside the folder of its logs.
    pub(super) fn project(&self) -> Option<String> {
        /// No system has longer paths.
        const LONGEST: u64 = 4096;
        let Self::File { path, .. } = self else { return None };
        let chats =
            path.ancestors().skip(1).take(3).find(|folder| folder.file_name().is_some_and(|name| name == "chats"))?;
        let beside = chats.with_file_name(".project_root");
        beside.symlink_metadata().ok().filter(|found| found.is_file() && found.len() <= LONGEST)?;
        let named = std::fs::read_to_string(beside).ok()?;
        let named = named.trim();
        (Path::new(named).is_absolute() && named.lines().count() == 1).then(|| named.to_owned())
    }

    /// The bytes as they are stored, and what is wrong with them. `room` is asked for what lies in memory.
    pub(super) fn store(&self, room: &mut Room<'_>) -> Result<(Store, Vec<GapKind>), GapKind> {
        match self {
            Self::File { path, within } => Ok((Store::file(open(path, within)?)?, Vec::new())),
            Self::Member { archive, at } => {
                let Unpacked { bytes, flaws } = archive.read(*at, room)?;
                Ok((Store::memory(bytes), flaws))
            }
            Self::Object { folder, id } => {
                let bytes =
                    agent_strace_git::object(folder, id).map_err(|error| GapKind::unreadable(error.to_string()))?;
                room(bytes.len() as u64);
                Ok((Store::memory(bytes), Vec::new()))
            }
            Self::Memory(store) => Ok((store.clone(), Vec::new())),
        }
    }

    /// Up to `limit` bytes of the beginning, unpacked where they are compressed, and how they are packed.
    pub(super) fn peek(&self, limit: u64) -> Result<(Vec<u8>, Option<Packing>), GapKind> {
        let head = self.head(limit)?;
        match Packing::of(&head) {
            Some(packing) if !packing.is_archive() => {
                let inner = packed::peek(BufReader::new(head.as_slice()), packing, limit);
                let packing = if Packing::of(&inner) == Some(Packing::Tar) { Packing::Tar } else { packing };
                Ok((inner, Some(packing)))
            }
            packing => Ok((head, packing)),
        }
    }

    fn head(&self, limit: u64) -> Result<Vec<u8>, GapKind> {
        match self {
            Self::File { path, within } => {
                let file: File = open(path, within)?;
                let mut head = Vec::new();
                file.take(limit).read_to_end(&mut head).map_err(|error| unreadable(&error))?;
                Ok(head)
            }
            Self::Member { archive, at } => archive.peek(*at, limit),
            Self::Object { folder, id } => {
                let mut bytes =
                    agent_strace_git::object(folder, id).map_err(|error| GapKind::unreadable(error.to_string()))?;
                bytes.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
                Ok(bytes)
            }
            Self::Memory(store) => store.at(0, usize::try_from(limit).unwrap_or(usize::MAX)),
        }
    }
}

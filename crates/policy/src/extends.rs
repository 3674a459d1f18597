//! A policy with the files that it extends.
//!
//! A **floor** judges beside the policy: of all answers the strictest counts, so a floor can only be narrowed. What
//! programs do is worked out once, so beside a floor only the floor may describe programs. A **base** stands in for what
//! the policy does not state: list by list, rule by rule; what the policy states replaces it.
//!
//! Both are files of the same repository, read from where the policy is read from (disk, or the same revision) and
//! pinned by their digest: a change of one of them has to be taken over by a change of the policy. So a file can't extend
//! itself, over whichever way, and only how many there are has to be bounded.

use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::diagnostics::quoted;
use super::parse::{self, Document, Role, Version};
use super::{Diagnostics, hex, load};

/// Files that one policy extends, over all levels.
const MOST: usize = 32;

/// Reads a file by its path, or says why it can't be had.
pub(crate) type Reader<'a> = &'a dyn Fn(&str) -> Result<Vec<u8>, String>;

/// A file that a policy extends.
#[derive(Debug, Clone)]
pub struct Extended {
    pub path: String,
    /// Hex digest of its bytes.
    pub sha256: String,
    pub role: Role,
}

impl Extended {
    /// The file judges beside the policy. A base only states what the policy leaves out.
    pub fn is_floor(&self) -> bool {
        self.role == Role::Floor
    }
}

/// A policy and what it extends.
#[derive(Debug)]
pub(super) struct Assembled {
    /// What the file and its bases state.
    pub(super) own: Document,
    pub(super) floors: Vec<Document>,
    /// In the order in which they were read.
    pub(super) extended: Vec<Extended>,
}

pub(super) fn assemble(file: &str, bytes: &[u8], read_file: Reader<'_>) -> Result<Assembled, Diagnostics> {
    let mut assembly = Assembly { read_file, extended: Vec::new() };
    let (own, floors) = assembly.read(file, bytes, None)?;
    Ok(Assembled { own, floors, extended: assembly.extended })
}

struct Assembly<'a> {
    read_file: Reader<'a>,
    extended: Vec<Extended>,
}

impl Assembly<'_> {
    /// The document of one file with its bases, and all floors below it. `named`: how locations name the file, where it is
    /// not the policy itself.
    fn read(
        &mut self,
        file: &str,
        bytes: &[u8],
        named: Option<Arc<str>>,
    ) -> Result<(Document, Vec<Document>), Diagnostics> {
        let text = load::text(file, bytes)?;
        let mut document = parse::parse(file, text, named)?;
        let (mut base, mut floors) = (None, Vec::new());
        for extension in std::mem::take(&mut document.extends) {
            let fault = |span: &std::ops::Range<usize>, key: &str, message: String, help: &str| {
                let mut faults = Diagnostics::new(file, text);
                let help = (!help.is_empty()).then(|| help.to_owned());
                faults.push(span.clone(), &format!("{}/{key}", extension.pointer), message, help);
                faults
            };
            if self.extended.len() >= MOST {
                let message = format!("more than {MOST} files are extended");
                return Err(fault(&extension.path_span, "path", message, ""));
            }
            let path = beside(file, &extension.path);
            let bytes = (self.read_file)(&path).map_err(|reason| {
                let message = format!("{} can't be read: {reason}", quoted(&path));
                fault(&extension.path_span, "path", message, "paths are relative to the file that names them")
            })?;
            let digest = hex(&Sha256::digest(&bytes));
            if digest != extension.sha256 {
                let message = format!("{} is another file than the one that was pinned", quoted(&path));
                let help = format!("its digest is {digest}: look at what has changed, then write it here");
                return Err(fault(&extension.digest_span, "sha256", message, &help));
            }
            self.extended.push(Extended { path: path.clone(), sha256: digest, role: extension.role });
            let (extended, below) = self.read(&path, &bytes, Some(path.as_str().into()))?;
            if extension.role == Role::Base && extended.version == Version::One {
                let message = format!("{} is a policy of version 1, whose patterns mean something else", quoted(&path));
                return Err(fault(
                    &extension.role_span,
                    "role",
                    message,
                    "make it a `floor`, or write it in version 2",
                ));
            }
            floors.extend(below);
            match extension.role {
                Role::Floor => floors.push(extended),
                Role::Base => base = Some((extended, extension)),
            }
        }
        let told = document.programs_span.clone().map(|span| (span, "/programs".to_owned()));
        let told = told.or_else(|| {
            let (_, extension) = base.as_ref().filter(|(base, _)| base.programs.has_overrides())?;
            Some((extension.role_span.clone(), format!("{}/role", extension.pointer)))
        });
        if let Some((span, pointer)) = told.filter(|_| !floors.is_empty()) {
            let mut faults = Diagnostics::new(file, text);
            let message = "`programs` can't stand beside a floor, here or in a base".to_owned();
            let help = "what a program does is worked out once for all: describe it in the floor".to_owned();
            faults.push(span, &pointer, message, Some(help));
            return Err(faults);
        }
        if let Some((base, _)) = base {
            document.inherit(base);
        }
        Ok((document, floors))
    }
}

/// `path` as it is named from where `file` is named.
fn beside(file: &str, path: &str) -> String {
    let anchored = file.starts_with('/');
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if anchored && parts.is_empty() => {}
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    if anchored { format!("/{joined}") } else { joined }
}

//! Subcommands that show files or revisions, and the top of a repository.

use super::super::files::searched;
use super::Sub;
use super::pathspec::{excludes, is_whole};
use crate::command::argument::Arg;
use crate::command::knowledge::Role;
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::{About, Certainty, Purpose, Reason};

/// Options that ask for names or numbers in place of content.
const NAMES_ONLY: &[&str] = &[
    "--name-only",
    "--name-status",
    "--stat",
    "--numstat",
    "--shortstat",
    "--oneline",
    "-s",
    "--summary",
    "--no-patch",
];

/// Subcommands that put whole files into what they make.
const PACKING: &[&str] = &["archive", "blame", "annotate", "cat-file", "fast-export"];

/// How a subcommand that shows files or revisions reads its operands.
#[derive(Debug, Clone, Copy)]
struct Reading {
    content: Content,
    operands: Operands,
    /// With an option that asks for names, its output is one name a line.
    prints_names: bool,
}

/// Whether a subcommand shows what files hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    Shown,
    /// With `--patch` and the like.
    OnRequest,
    Never,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operands {
    RevisionsAndPaths,
    Files,
    Revisions,
    /// The first one is what to pack, the others are paths in it.
    Archive,
}

impl Reading {
    fn of(subcommand: &str) -> Self {
        let plain = Self { content: Content::OnRequest, operands: Operands::RevisionsAndPaths, prints_names: false };
        match subcommand {
            "blame" | "annotate" => Self { content: Content::Shown, operands: Operands::Files, ..plain },
            "archive" => Self { content: Content::Shown, operands: Operands::Archive, ..plain },
            "cat-file" | "difftool" | "fast-export" => Self { content: Content::Shown, ..plain },
            "diff" | "show" => Self { content: Content::Shown, prints_names: true, ..plain },
            "diff-tree" => Self { prints_names: true, ..plain },
            "ls-tree" => Self { content: Content::Never, prints_names: true, ..plain },
            "format-patch" => Self { content: Content::Shown, operands: Operands::Revisions, ..plain },
            _ => plain,
        }
    }
}

impl Machine<'_> {
    pub(super) fn git_difftool(&mut self, sub: &Sub<'_>, io: &mut Io<'_>) {
        for text in sub.arguments.values(&["-x", "--extcmd"]) {
            self.command_text(text, io);
            self.opaque(About::Anything, Reason::ComparedFiles, &[]);
        }
        for _ in sub.arguments.values(&["-t", "--tool"]) {
            self.opaque(About::Anything, Reason::ConfiguredTool, &[]);
        }
    }

    pub(super) fn git_reads(&mut self, sub: &Sub<'_>) -> Stream {
        let reading = Reading::of(sub.name);
        let outside = sub.arguments.has(&["--no-index"]);
        let patch = sub.arguments.has(&["-p", "--patch", "-u"]);
        let names_only = reading.content == Content::Never || sub.arguments.has(NAMES_ONLY) && !patch;
        let shows = reading.content == Content::Shown || patch || sub.arguments.has(&["-L", "-G", "-S", "--cc", "-c"]);
        let role = if names_only || !shows { Role::List } else { Role::ReadTree };
        if !PACKING.contains(&sub.name) {
            // The subcommand shows the lines of tracked files that differ.
            self.context.purpose = Purpose::Search;
        }
        // All but what is excluded: that is less than what no path at all shows.
        let excluded = sub.arguments.operands.iter().chain(sub.paths).any(excludes);
        for word in sub.arguments.values(&["-L"]) {
            if let Some((_, path)) = word.text.rsplit_once(':') {
                self.path(Role::Read, &word.with(path));
            }
        }
        let named = sub.arguments.operands.iter().enumerate().filter(|(_, word)| !(excluded && is_whole(word)));
        for (at, word) in named {
            if reading.operands == Operands::Archive && at > 0 {
                self.pathspec(role, word);
            } else if let Some(path) = revision_path(word) {
                let packs = reading.operands == Operands::Archive;
                self.at_root(if packs { Role::ReadTree } else { Role::Read }, &path);
            } else if outside || reading.operands == Operands::Files && !sub.has_dashes {
                self.path(if outside { Role::ReadTree } else { Role::Read }, word);
            } else if !sub.has_dashes && reading.operands != Operands::Revisions {
                match likeness(&word.text) {
                    Likeness::Path => self.pathspec(role, word),
                    // A branch, or a file or directory of that name: git takes what there is.
                    Likeness::Either if shows => self.possible_path(role, word),
                    Likeness::Either | Likeness::Revision => {}
                }
            }
        }
        for path in sub.paths.iter().filter(|path| !(excluded && is_whole(path))) {
            self.pathspec(role, path);
        }
        match sub.arguments.operands.as_slice() {
            // What the session wrote there and may have committed.
            [file] if sub.paths.is_empty() => match revision_path(file).filter(Arg::is_exact) {
                Some(path) => self.world.content_of(&path).doubted(),
                None if names_only && reading.prints_names => Stream::Names(vec![Arg::glob("**")]),
                None => Stream::Unknown,
            },
            _ if names_only && reading.prints_names => Stream::Names(vec![Arg::glob("**")]),
            _ => Stream::Unknown,
        }
    }

    /// `git format-patch` writes a file for each commit.
    pub(super) fn git_patches(&mut self, sub: &Sub<'_>) {
        if !sub.arguments.has(&["--stdout"]) {
            let directory = sub.arguments.values(&["-o", "--output-directory"]).next();
            let glob = directory.map_or_else(|| "*.patch".to_owned(), |word| format!("{}/*.patch", word.text));
            self.path(Role::Write, &Arg::glob(glob));
        }
    }

    pub(super) fn git_grep(&mut self, sub: &Sub<'_>, io: &mut Io<'_>) -> Stream {
        for option in &sub.arguments.options {
            let pager = option.name.strip_prefix("--open-files-in-pager").map(|_| option.value.clone());
            if let Some(pager) = pager.or_else(|| (option.name == "-O").then(|| option.value.clone())) {
                match pager {
                    Some(text) => {
                        self.command_text(&text, io);
                        self.opaque(About::Anything, Reason::FoundFiles, &[]);
                    }
                    None => self.opaque(About::Anything, Reason::ConfiguredPager, &[]),
                }
            }
        }
        let has_pattern = sub.arguments.has(&["-e", "-f"]);
        self.context.purpose = searched(&sub.arguments, has_pattern);
        let mut targets: Vec<Arg> = sub
            .arguments
            .operands
            .iter()
            .skip(usize::from(!has_pattern))
            .filter(|word| match likeness(&word.text) {
                Likeness::Path => true,
                Likeness::Either => word.text.contains('/'),
                Likeness::Revision => false,
            })
            .cloned()
            .collect();
        targets.extend_from_slice(sub.paths);
        for file in sub.arguments.values(&["-f"]) {
            self.path(Role::Read, file);
        }
        if targets.is_empty() {
            self.path(Role::ReadTree, &Arg::exact("."));
        }
        self.pathspecs(Role::ReadTree, &targets);
        if sub.arguments.has(&["-l", "--files-with-matches", "--name-only"]) {
            return Stream::Names(vec![Arg::glob("**")]);
        }
        Stream::Unknown
    }

    /// `git cat-file --batch` reads the names of objects from its input.
    pub(super) fn git_batch(&mut self, io: &Io<'_>) {
        match io.input.text() {
            Some(text) => {
                for line in text.lines() {
                    if let Some(path) = revision_path(&Arg::exact(line)) {
                        self.at_root(Role::Read, &path);
                    }
                }
            }
            None => self.opaque(About::Reads, Reason::ObjectsOfInput, &["git", "cat-file"]),
        }
    }

    /// A path that starts at the top of the repository: the workspace, or the directory itself where that is elsewhere.
    pub(in crate::command::programs) fn at_root(&mut self, role: Role, word: &Arg) {
        let relative = word.text.starts_with("./") || word.text.starts_with("../");
        let cwd = self.world.cwd().map(str::to_owned);
        let (here, _) = self.world.locate(".", Certainty::Exact);
        let elsewhere = cwd.is_some() && here.path.starts_with(['/', '~']);
        if !relative && !elsewhere {
            let root = self.world.root().map_or_else(|| ".".to_owned(), str::to_owned);
            self.world.set_cwd(Some(root));
        }
        self.path(role, word);
        self.world.set_cwd(cwd);
    }
}

/// `REV:path`; `:0:path` and `:path` name the index.
pub(in crate::command::programs) fn revision_path(word: &Arg) -> Option<Arg> {
    let text = word.text.as_str();
    if text.contains("://")
        || text.starts_with(":/")
        || text.starts_with(":(")
        || text.starts_with(":!")
        || text.starts_with(":^")
        || text.contains("^{/")
    {
        return None;
    }
    let (_, path) = text.split_once(':')?;
    let path = path.strip_prefix(|c: char| c.is_ascii_digit()).and_then(|path| path.strip_prefix(':')).unwrap_or(path);
    Some(word.with(if path.is_empty() { "." } else { path }))
}

/// Names and expressions that are hardly ever files.
fn looks_like_revision(text: &str) -> bool {
    let hash = text.len() >= 7 && text.chars().all(|character| character.is_ascii_hexdigit());
    let common = matches!(
        text,
        "main" | "master" | "develop" | "trunk" | "HEAD" | "FETCH_HEAD" | "ORIG_HEAD" | "MERGE_HEAD" | "stash"
    );
    let version = text.strip_prefix('v').unwrap_or(text).starts_with(|character: char| character.is_ascii_digit());
    hash || common || version || text.contains(['~', '^', '@', ':'])
}

/// What a word is that stands where git takes revisions and paths, without `--` between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Likeness {
    Path,
    Revision,
    /// `topic/name`: a branch or a directory.
    Either,
}

pub(super) fn likeness(text: &str) -> Likeness {
    if text.starts_with('-') || text.contains("..") && !text.starts_with("../") {
        return Likeness::Revision;
    }
    let name = text.rsplit('/').next().unwrap_or(text);
    let versioned = text.starts_with('v') && text.contains(|c: char| c.is_ascii_digit()) && !text.contains('/');
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    let dotted = !versioned && extension.is_some_and(|extension| !extension.starts_with(|c: char| c.is_ascii_digit()));
    let reference = ["origin/", "upstream/", "refs/", "remotes/", "heads/"].iter().any(|start| text.starts_with(start));
    if reference {
        Likeness::Revision
    } else if dotted || text.starts_with(['.', '/', ':']) || text.ends_with('/') || text.contains(['*', '?']) {
        Likeness::Path
    } else if looks_like_revision(text) {
        Likeness::Revision
    } else {
        Likeness::Either
    }
}

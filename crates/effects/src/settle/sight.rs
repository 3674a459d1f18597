//! Decides what a look at the work tree proves about the files that a program gathers.

use std::cell::OnceCell;
use std::sync::Arc;
use std::time::SystemTime;

use agent_strace_model::ToolCall;

use super::tracked::Search;
use super::work_tree::{ExistingFile, Look, WorkTree};
use crate::{Certainty, Effect, Execution, Kind, PathTarget, Purpose, Repository};

/// Programs that take every file below a directory, unless an option says otherwise.
const TAKING_ALL: &[&str] = &["cp", "diff", "rsync", "scp", "tar", "zip"];

/// The starts of their options that leave files out.
const LEAVING_OUT: &[&str] = &["--exclude", "--filter", "--include", "-X", "-i", "-x", "-f", "-F"];

/// Formatters, and the endings of the files that they change.
const FORMATTED: &[(&[&str], &[&str])] = &[
    (&["autopep8", "black", "isort", "ruff", "yapf"], &[".py", ".pyi", ".ipynb"]),
    (&["gofmt", "gofumpt", "goimports"], &[".go"]),
    (&["rustfmt"], &[".rs"]),
    (&["shfmt"], &[".sh", ".bash", ".bats"]),
    (&["rubocop", "standardrb"], &[".rb", ".rake", ".gemspec"]),
];

/// The moment of a look, and so what it proves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// The call is about to run, and nothing makes files before it does: it reads what is there, and nothing else.
    Everything,
    /// The same, as long as no link leads out of the directory: something may make files elsewhere.
    EverythingWithoutLinks,
    /// The call is about to run: it reads what is there, and perhaps more.
    Presence,
    /// The call ran at this time: it read what was there before, and perhaps more.
    PresenceBefore(SystemTime),
}

/// Whether the user of the agent can be asked for an approval of the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approval {
    Possible,
    Impossible,
}

/// A look at the files of one effect.
#[derive(Debug)]
pub struct Sight<'a> {
    tree: &'a dyn WorkTree,
    /// The directory from which paths of the session count, from the top of the work tree.
    root: String,
    proof: Proof,
    approval: Approval,
    effect: &'a Effect,
    effects: &'a [Effect],
    text: Option<&'a str>,
    parent: Option<&'a Execution>,
    call: Option<&'a ToolCall<'a>>,
    repository: &'a Repository,
    search: OnceCell<Option<Search>>,
}

/// The effects of a call, and the one among them that is looked at.
#[derive(Debug, Clone, Copy)]
pub struct Sighted<'a> {
    pub effect: &'a Effect,
    pub effects: &'a [Effect],
    /// The text in which spans of the effects are counted.
    pub text: Option<&'a str>,
    pub call: Option<&'a ToolCall<'a>>,
    pub repository: &'a Repository,
}

impl<'a> Sight<'a> {
    /// `root`: the directory from which paths of the session count. `None`: the effect is no set of files that are read or
    /// changed, or the session ran elsewhere.
    pub fn of(tree: &'a dyn WorkTree, root: &str, sighted: Sighted<'a>, proof: Proof) -> Option<Self> {
        let Sighted { effect, effects, text, call, repository } = sighted;
        let is_set =
            effect.gathered.is_some() && matches!(effect.kind, Kind::Read(_) | Kind::Write(_)) && !effect.origin.named;
        let root = tree.tops().iter().find_map(|top| below(top, root)).filter(|_| is_set)?.to_owned();
        let parent = effect.origin.parent.and_then(|parent| effects.get(parent as usize));
        let parent = parent.and_then(|parent| match &parent.kind {
            Kind::Execute(execution) => Some(execution),
            _ => None,
        });
        // Git reads its own objects, whatever is in the work tree.
        let program = parent.and_then(|parent| parent.argv.first()).map(|word| word.text.as_str());
        if program.and_then(|program| program.rsplit('/').next()) == Some("git") {
            return None;
        }
        let (approval, search) = (Approval::Impossible, OnceCell::new());
        Some(Self { tree, root, proof, approval, effect, effects, text, parent, call, repository, search })
    }

    /// The user can be asked, or can't.
    #[must_use]
    pub fn with_approval(self, approval: Approval) -> Self {
        Self { approval, ..self }
    }

    pub fn approval(&self) -> Approval {
        self.approval
    }

    /// The files are read, and not changed.
    pub fn is_of_reads(&self) -> bool {
        matches!(self.effect.kind, Kind::Read(_))
    }

    /// The program may change a file of this name.
    pub fn may_change(&self, name: &str) -> bool {
        let program = self.parent.and_then(|parent| parent.argv.first()).map(|word| word.text.as_str());
        let program = program.and_then(|program| program.rsplit('/').next()).unwrap_or_default();
        let known = FORMATTED.iter().find(|(programs, _)| programs.contains(&program));
        known.is_none_or(|(_, endings)| endings.iter().any(|ending| name.ends_with(ending)))
    }

    /// The program gets the names of files that exist, and changes no others.
    pub fn changes_existing(&self) -> bool {
        self.effect.kind.path().is_some_and(|target| self.named_by(target) != Namer::Program)
    }

    /// The files of the work tree that may be among those of the effect. `None`: they may lie anywhere.
    pub fn look(&self) -> Option<Arc<Look>> {
        let folder = self.effect.folder().filter(|folder| !folder.starts_with(['/', '~']) && !folder.contains(':'))?;
        let path = [self.root.as_str(), folder].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
        Some(self.tree.look(&path.join("/")))
    }

    /// The path of the file, as the session counts.
    pub fn name<'f>(&self, file: &'f ExistingFile) -> Option<&'f str> {
        if self.root.is_empty() { Some(&file.path) } else { below(&self.root, &file.path) }
    }

    /// No other file is read than those that exist.
    pub fn is_settled_by(&self, look: &Look) -> bool {
        match self.proof {
            Proof::Everything => look.is_complete,
            Proof::EverythingWithoutLinks => look.is_complete && !look.has_links,
            Proof::Presence | Proof::PresenceBefore(_) => false,
        }
    }

    /// The program reads the file, which is one of the set, for sure: it was there in time, and the program leaves out no such
    /// file.
    pub fn is_read(&self, file: &ExistingFile, name: &str) -> bool {
        let is_old = match self.proof {
            Proof::PresenceBefore(time) => self.tree.changed(&file.path).is_some_and(|changed| changed <= time),
            Proof::Everything | Proof::EverythingWithoutLinks | Proof::Presence => true,
        };
        is_old && self.is_taken(file, name)
    }

    fn is_taken(&self, file: &ExistingFile, name: &str) -> bool {
        let Some(target) = self.effect.kind.path() else { return false };
        // A search reads many files and shows lines of few: the pattern decides.
        if self.effect.gathered != Some(Purpose::Whole) {
            return false;
        }
        let namer = self.named_by(target);
        // Programs that find files themselves follow no links unless they are asked to.
        if namer != Namer::Shell && file.leads_to.is_some() {
            return false;
        }
        if namer != Namer::Program {
            return true;
        }
        match self.search.get_or_init(|| Search::of(self.parent, self.call)) {
            Some(search) => {
                let is_kept = !search.skips_ignored || self.repository.has_file(&file.path);
                is_kept && search.looks_into(&target.path, name)
            }
            None => self.effect.gathered == Some(Purpose::Whole) && self.parent.is_some_and(takes_all),
        }
    }

    /// The shell puts the names of the files that exist into the command, or `find` does. What else prints names may leave some
    /// out.
    fn named_by(&self, target: &PathTarget) -> Namer {
        let is_glob = self.effect.certainty == Certainty::Pattern && !target.subtree;
        let word = self.effect.origin.span.zip(self.text).filter(|_| is_glob);
        let Some((word, text)) = word.and_then(|(span, text)| Some((span.slice(text)?, text))) else {
            return Namer::Program;
        };
        if word == "{}" {
            let is_found =
                self.effects.iter().any(|effect| matches!(&effect.kind, Kind::Execute(find) if finds_all(find)));
            return if is_found { Namer::Find } else { Namer::Program };
        }
        if word.contains('$') {
            let is_computed = ["$(", "`", "<("].iter().any(|start| text.contains(start));
            return if !is_computed && spells(text, target) { Namer::Shell } else { Namer::Program };
        }
        let word = word.trim_start_matches(|first: char| first == '<' || first.is_ascii_digit()).trim_start();
        let is_plain = word.contains(['*', '?', '[']) && !word.contains(['`', '(', ' ']);
        if is_plain { Namer::Shell } else { Namer::Program }
    }
}

/// Who puts the names of the files into a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Namer {
    Shell,
    /// `find`, for the command behind `-exec`.
    Find,
    /// The program that reads them looks for them, or nobody knows.
    Program,
}

/// A word of the text ends as the pattern does: `for f in config/*`.
fn spells(text: &str, target: &PathTarget) -> bool {
    let last = target.path.rsplit('/').next().unwrap_or_default();
    let mut words = text.split([' ', ';', '\n', '\t']).map(|word| word.trim_matches('"'));
    words.any(|word| word.rsplit('/').next().is_some_and(|end| end == last))
}

/// `find` with nothing but tests of names and kinds.
fn finds_all(execution: &Execution) -> bool {
    const TESTS: &[&str] = &["-exec", "-execdir", "-iname", "-name", "-print", "-print0", "-type"];
    let Some((program, words)) = execution.argv.split_first() else { return false };
    let own = words.iter().map(|word| word.text.as_str()).take_while(|word| !matches!(*word, "-exec" | "-execdir"));
    let is_plain = |word: &str| match word.strip_prefix('-') {
        Some(_) => TESTS.contains(&word),
        None => !matches!(word, "!" | "(" | ")"),
    };
    program.text.rsplit('/').next() == Some("find") && own.into_iter().all(is_plain)
}

impl Effect {
    /// The directory below which all files of a set lie. `None`: they may lie anywhere.
    pub fn folder(&self) -> Option<&str> {
        self.kind.path()?.folder(self.certainty, self.inside)
    }
}

fn takes_all(execution: &Execution) -> bool {
    let Some((program, words)) = execution.argv.split_first() else { return false };
    let name = program.text.rsplit('/').next().unwrap_or_default();
    let leaves_out = |text: &str| LEAVING_OUT.iter().any(|start| text.starts_with(start));
    // `tar -cf x.tgz` names its archive by that option.
    let is_archive = |text: &str| name == "tar" && matches!(text, "-f" | "-cf" | "-czf");
    let is_plain = |word: &crate::Argument| word.known && (!leaves_out(&word.text) || is_archive(&word.text));
    TAKING_ALL.contains(&name) && words.iter().all(is_plain)
}

/// The path from the outer directory: empty for itself.
fn below<'p>(outer: &str, path: &'p str) -> Option<&'p str> {
    let rest = path.strip_prefix(outer.trim_end_matches('/'))?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

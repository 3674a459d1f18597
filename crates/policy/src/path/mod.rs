//! Path entries against the files an effect names.

mod grade;
mod own;
mod pattern;
mod seen;

use std::borrow::Cow;
use std::cell::OnceCell;

use agent_strace_effects::{Certainty, PathTarget, Purpose, Repository, Roots, Sight, TrackedSearch, escaped};
use agent_strace_model::finding::PolicyLocation;

use super::Context;
use super::fold::fold;
use super::glob::{Answer, Glob, Pairs};

pub(super) use grade::{Grade, Member, Met};
pub(super) use own::{Entry, OwnRule, without_wildcards};
pub(super) use pattern::{Anchor, PathList, PathPattern, PathRule, PathSet};
pub(super) use seen::Seen;

/// `/x`, `~/x`, `~user/x` or `C:/x`.
pub(crate) fn is_anchored(path: &str) -> bool {
    let mut characters = path.chars();
    match characters.next() {
        Some('/' | '~') => true,
        Some(drive) if drive.is_ascii_alphabetic() => path.get(1..3) == Some(":/"),
        _ => false,
    }
}

/// The files an effect names, prepared for many comparisons.
#[derive(Debug)]
pub(super) struct Files<'a> {
    target: &'a PathTarget,
    certainty: Certainty,
    root: Option<&'a str>,
    own: Form<'a>,
    /// As denies and the product's own tables compare it, where that is another spelling.
    folded: OnceCell<Option<Form<'a>>>,
    /// The same as absolute paths, where they are relative and somebody asks.
    own_below: OnceCell<Option<Names<'a>>>,
    folded_below: OnceCell<Option<Names<'a>>>,
    anchored: bool,
    /// The files are known by their directory alone: no part of a name is spelled.
    nameless: bool,
    /// A program gathered the files that exist, for this purpose.
    gathered: Option<Purpose>,
    /// The names as relative paths, if a program gathered the files below a directory of the workspace.
    relative: OnceCell<Names<'a>>,
    is_placed: bool,
    /// The program changes files, and the judged change shows which of them stayed changed.
    is_shown_by_change: bool,
    /// The log does not say where the session ran.
    is_rootless: bool,
    /// The judged repository, where the files count from its most likely root.
    repository: Option<&'a Repository>,
    /// The search that gathers them, where the contents of committed files are known.
    search: Option<&'a TrackedSearch<'a>>,
    /// A look at those that exist in the work tree.
    sight: Option<&'a Sight<'a>>,
    below: OnceCell<Glob>,
    /// A pattern that crosses directories, without those that it may cross.
    crossed: OnceCell<Option<Names<'a>>>,
    /// The same files under the most likely root, where that is another one: exceptions of a deny count there, too.
    first: Option<Box<Self>>,
}

/// What files are called under the most likely root.
#[derive(Debug, Clone, Copy)]
pub struct FirstName<'a> {
    pub target: &'a PathTarget,
    pub certainty: Certainty,
    pub root: Option<&'a str>,
}

/// One spelling of the files.
#[derive(Debug)]
struct Form<'a> {
    path: Cow<'a, str>,
    names: Names<'a>,
}

#[derive(Debug)]
enum Names<'a> {
    One(Cow<'a, str>, Pairs),
    Many(Glob),
}

impl<'a> Names<'a> {
    fn new(path: Cow<'a, str>, target: &PathTarget, certainty: Certainty) -> Self {
        match (certainty, target.subtree) {
            (Certainty::Pattern, false) => Self::Many(Glob::shell(&path)),
            (Certainty::Pattern, true) => Self::Many(Glob::subtree(&Glob::shell(path.trim_end_matches('/')))),
            (_, true) if path == "." => Self::Many(Glob::anything_relative()),
            (_, true) => Self::Many(Glob::folder(path.trim_end_matches('/'))),
            (_, false) => {
                let pairs = Pairs::of_text(&path);
                Self::One(path, pairs)
            }
        }
    }

    #[inline]
    fn meets(&self, glob: &Glob) -> bool {
        match self {
            Self::One(path, pairs) => glob.matches_text(path, *pairs),
            Self::Many(paths) => paths.meets(glob) != Answer::No,
        }
    }

    /// It is among them.
    fn has(&self, name: &str) -> bool {
        match self {
            Self::One(path, _) => path == name,
            Self::Many(paths) => paths.matches(name),
        }
    }

    fn within<'g>(&self, mut globs: impl Iterator<Item = &'g Glob>) -> bool {
        match self {
            Self::One(path, pairs) => globs.any(|glob| glob.matches_text(path, *pairs)),
            Self::Many(paths) => {
                let globs: Vec<&Glob> = globs.collect();
                !globs.is_empty() && paths.within(&globs) == Answer::Yes
            }
        }
    }
}

impl<'a> Form<'a> {
    fn new(path: Cow<'a, str>, target: &PathTarget, certainty: Certainty) -> Self {
        Self { names: Names::new(path.clone(), target, certainty), path }
    }

    /// Below `root`; `None` for a path that is not relative.
    fn below(&self, root: Option<&str>, target: &PathTarget, certainty: Certainty) -> Option<Names<'a>> {
        let root = root.filter(|_| !is_anchored(&self.path))?.trim_end_matches('/');
        let root = if certainty == Certainty::Pattern { escaped(root) } else { root.to_owned() };
        let joined = if self.path == "." { root } else { format!("{root}/{}", self.path) };
        Some(Names::new(Cow::Owned(joined), target, certainty))
    }
}

impl<'a> Files<'a> {
    pub(super) fn new(target: &'a PathTarget, certainty: Certainty, context: &Context<'a>) -> Self {
        Self {
            target,
            certainty,
            root: context.root,
            own: Form::new(Cow::Borrowed(&target.path), target, certainty),
            folded: OnceCell::new(),
            own_below: OnceCell::new(),
            folded_below: OnceCell::new(),
            nameless: match certainty {
                Certainty::Pattern if target.subtree => !spells_a_dot(&target.path),
                Certainty::Pattern => !spells_a_name(&target.path) && !spells_a_dot(&target.path),
                Certainty::Exact | Certainty::Possible => target.subtree,
            },
            gathered: None,
            relative: OnceCell::new(),
            is_placed: false,
            is_shown_by_change: false,
            is_rootless: context.root.is_none() && context.roots.is_some_and(|roots| roots.first().is_none()),
            repository: context.roots.map(Roots::repository),
            search: context.search,
            sight: context.sight,
            anchored: is_anchored(&target.path),
            below: OnceCell::new(),
            crossed: OnceCell::new(),
            first: context.first.map(|first| {
                let context = Context { root: first.root, ..Context::default() };
                Box::new(Self::new(first.target, first.certainty, &context))
            }),
        }
    }

    /// The files that exist of those, gathered by a program.
    pub(super) fn gathered_for(self, purpose: Option<Purpose>) -> Self {
        Self { gathered: purpose, ..self }
    }

    /// The program gathered the files below a directory of the workspace, so that a wildcard matches no other place.
    pub(super) fn in_workspace(self) -> Self {
        Self { is_placed: self.gathered.is_some() && !self.anchored, ..self }
    }

    /// The files are changed, and the change shows what the session left of that.
    pub(super) fn shown_by_change(self) -> Self {
        Self { is_shown_by_change: true, ..self }
    }

    /// The names of the files as an allow compares them.
    fn own_names(&self) -> &Names<'a> {
        match &self.own.names {
            Names::Many(paths) if self.is_placed => self.relative.get_or_init(|| Names::Many(paths.relative())),
            names => names,
        }
    }

    /// Of a pattern that crosses directories (`src/**/*.ts`), the directories that it spells: any other may not exist.
    fn crossed(&self) -> Option<&Names<'a>> {
        let crosses = self.certainty == Certainty::Pattern && !self.target.subtree && !self.nameless;
        let crossed = || {
            let path = &self.folded().path;
            let spelled = path.contains("**").then(|| path.replace("**/", "").replace("**", "*"))?;
            Some(Names::new(Cow::Owned(spelled), self.target, self.certainty))
        };
        if crosses { self.crossed.get_or_init(crossed).as_ref() } else { None }
    }

    #[inline]
    fn folded(&self) -> &Form<'a> {
        let other = self.folded.get_or_init(|| match fold(&self.target.path) {
            Cow::Borrowed(_) => None,
            folded @ Cow::Owned(_) => Some(Form::new(folded, self.target, self.certainty)),
        });
        other.as_ref().unwrap_or(&self.own)
    }

    fn folded_below(&self) -> Option<&Names<'a>> {
        let below = || self.folded().below(self.root.map(fold).as_deref(), self.target, self.certainty);
        self.folded_below.get_or_init(below).as_ref()
    }

    fn own_below(&self) -> Option<&Names<'a>> {
        self.own_below.get_or_init(|| self.own.below(self.root, self.target, self.certainty)).as_ref()
    }

    /// Nothing is known about the path.
    pub(super) fn is_unknown(&self) -> bool {
        self.certainty == Certainty::Pattern && matches!(self.target.path.as_str(), "**" | "**/**")
    }

    /// Whether the entry speaks of any of the files, as a deny reads it: folded, and wherever the root may be.
    ///
    /// A bare name counts in every directory. For files that are known by their directory alone (`grep -r x src`) it
    /// counts at the root only, where people keep such files: else `.env` would forbid to search anything.
    fn touched_by(&self, rule: &PathPattern) -> bool {
        let is_named_at_root = self.nameless && self.gathered.is_none();
        let entry = if is_named_at_root { rule.at_root.as_ref().unwrap_or(&rule.folded) } else { &rule.folded };
        // As version 1 compared: folding turns a negated class around.
        let as_written = || !self.nameless && self.own.names.meets(&rule.exact);
        // An entry for whole home directories (`~/**`) speaks of places outside of the root, and under the most likely one the
        // file lies inside.
        if rule.is_whole_home() && self.is_inside_first() {
            return false;
        }
        let meets = || match (&rule.itself, self.crossed()) {
            (Some(itself), Some(crossed)) => self.folded().names.meets(itself) || crossed.meets(entry),
            _ => self.folded().names.meets(entry),
        };
        // The wildcards of files below a directory of the workspace match no place outside of it.
        let is_elsewhere = self.is_placed && rule.anchored;
        if !is_elsewhere && (meets() || as_written()) {
            return true;
        }
        if rule.anchored && self.in_reach_of(rule) && self.folded_below().is_some_and(|names| names.meets(entry)) {
            return true;
        }
        self.anchored && self.touched_in_place(rule, entry)
    }

    /// The files are looked at as those of any directory, and lie inside the most likely root.
    fn is_inside_first(&self) -> bool {
        self.root.is_none() && self.anchored && self.first.as_ref().is_some_and(|first| !first.anchored)
    }

    /// Whether an anchored entry can speak of files inside the root. A home directory is a name for places outside of the
    /// root, so an entry below `~/` does not, unless the root is the home directory itself and the entry names something
    /// in it.
    fn in_reach_of(&self, rule: &PathPattern) -> bool {
        match &rule.below_home {
            Some(_) => self.root.is_some_and(|root| is_home(&fold(root))) && !rule.is_whole_home(),
            None => true,
        }
    }

    /// An absolute path, or a pattern that may reach into the root or into a home directory.
    fn touched_in_place(&self, rule: &PathPattern, entry: &Glob) -> bool {
        match (&self.folded().names, self.root) {
            (Names::One(path, _), None) if !rule.anchored => {
                path.match_indices('/').any(|(at, _)| path.get(at + 1..).is_some_and(|rest| entry.matches(rest)))
            }
            (Names::One(..), _) => false,
            (Names::Many(paths), root) => {
                let elsewhere = match (&rule.below_home, rule.anchored, root) {
                    (Some(_), _, _) if self.is_of_the_system(paths) => return false,
                    (Some(below), _, _) => Glob::after("/", &Glob::anywhere(below)),
                    (None, true, _) => return false,
                    (None, false, Some(root)) => Glob::after(&format!("{}/", fold(root).trim_end_matches('/')), entry),
                    (None, false, None) => Glob::anywhere(entry),
                };
                paths.meets(&elsewhere) != Answer::No
            }
        }
    }

    /// The files lie in a directory of the system.
    fn is_of_the_system(&self, paths: &Glob) -> bool {
        let start = if self.target.subtree && self.certainty != Certainty::Pattern {
            Cow::Owned(format!("{}/", self.folded().path.trim_end_matches('/')))
        } else {
            self.spelled_start(paths)
        };
        SYSTEM.iter().any(|directory| start.starts_with(directory)) && !leads_to_homes(&start)
    }

    /// The first rule of the list that speaks of any of the files. What the list leaves out counts only where it is all
    /// of the files, as they are written.
    pub(super) fn denied_by<'r>(&self, list: &'r PathList) -> Option<&'r PathRule> {
        self.forbidden_by(list, |_| true)
    }

    /// The same of entries that spell what they name.
    pub(super) fn named_by<'r>(&self, list: &'r PathList) -> Option<&'r PathRule> {
        self.forbidden_by(list, |pattern| pattern.spelled)
    }

    fn is_excepted(&self, except: &[PathPattern]) -> bool {
        // A home directory has many names (`/Users/dana`, `~`).
        let at_home =
            || except.iter().filter(|pattern| pattern.below_home.is_some()).filter_map(|one| one.itself.as_ref());
        self.within(except.iter())
            || at_home().next().is_some() && self.folded().names.within(at_home())
            || self.first.as_ref().is_some_and(|first| first.within(except.iter()))
    }

    fn forbidden_by<'r>(&self, list: &'r PathList, counts: impl Fn(&PathPattern) -> bool) -> Option<&'r PathRule> {
        let speaks = |rule: &&PathRule| {
            rule.set.any_of.iter().any(|pattern| counts(pattern) && self.touched_by(pattern))
                && !self.is_excepted(&rule.set.except)
        };
        let listed = list.rules.iter().find(speaks).filter(|_| !self.is_excepted(&list.except));
        let named = list.named.iter().find(speaks);
        // Of equals, the one that says why.
        match (listed, named) {
            (Some(listed), Some(named)) if listed.stated.level > named.stated.level => Some(listed),
            (listed, named) => named.or(listed),
        }
    }

    /// The entry that allows the files, or the list when its entries do so together. What is left out, by the list or by
    /// a label in it, counts wherever any of the files may be meant.
    pub(super) fn allowed_by<'r>(&self, list: &'r PathList) -> Option<(Option<&'r PathRule>, &'r PolicyLocation)> {
        let is_out = |except: &[PathPattern]| except.iter().any(|pattern| self.touched_by(pattern));
        let fits = |rule: &&PathRule| self.within(rule.set.any_of.iter()) && !is_out(&rule.set.except);
        if let Some(rule) = list.named.iter().find(fits) {
            return Some((Some(rule), &rule.stated.location));
        }
        if is_out(&list.except) {
            return None;
        }
        if let Some(rule) = list.rules.iter().find(fits) {
            return Some((Some(rule), &rule.stated.location));
        }
        if !matches!(self.own.names, Names::Many(_)) {
            return None;
        }
        let whole: Vec<&PathRule> =
            list.rules.iter().chain(&list.named).filter(|rule| !is_out(&rule.set.except)).collect();
        let together = whole.len() > 1 && self.within(whole.iter().flat_map(|rule| &rule.set.any_of));
        let (first, location) = (whole.first()?, list.list_location());
        together.then(|| (None, location.unwrap_or(&first.stated.location)))
    }

    fn within<'r>(&self, patterns: impl Iterator<Item = &'r PathPattern> + Clone) -> bool {
        // A path on a drive begins like one below the root.
        let on_drive = self.anchored && !self.target.path.starts_with(['/', '~']);
        let patterns = patterns.filter(|pattern| !(on_drive && pattern.rooted));
        if self.own_names().within(patterns.clone().map(PathPattern::exact)) {
            return true;
        }
        let in_reach = patterns.filter(|pattern| pattern.anchored && self.in_reach_of(pattern));
        let mut anchored = in_reach.map(PathPattern::exact).peekable();
        anchored.peek().is_some() && self.own_below().is_some_and(|names| names.within(anchored))
    }

    /// Whether they may be of a pattern whose texts have these pairs.
    pub(super) fn may_be_of(&self, pairs: Pairs) -> bool {
        match &self.folded().names {
            Names::One(_, own) => pairs.all_in(*own),
            Names::Many(_) => true,
        }
    }

    /// Whether the effect aims at the entry: it names the file, or a pattern spells part of its name and may be what the
    /// entry spells, or it spells the hidden directory that the entry is in, or the directory is all about it. A subtree
    /// somewhere above does not.
    pub(super) fn aims_at(&self, entry: &impl Entry) -> bool {
        match &self.folded().names {
            Names::One(path, pairs) => entry.anywhere().matches_text(path, *pairs),
            Names::Many(paths) => {
                if self.target.subtree {
                    return self.below().within(&[entry.anywhere()]) == Answer::Yes;
                }
                let start = self.spelled_start(paths);
                let spells = || spells_part_of_a_name(&start) && paths.meets(entry.spelled()) != Answer::No;
                let is_in_it = || match hidden_directory(&start) {
                    Some((above, inside)) => inside.is_empty() && meets_below(paths, above, entry.in_place()),
                    None => false,
                };
                paths.meets(entry.anywhere()) != Answer::No
                    && (paths.within(&[entry.anywhere()]) == Answer::Yes || spells() || is_in_it())
            }
        }
    }

    /// Whether a pattern spells a hidden directory, or one inside it, but no name in it, and may be what the entry names
    /// there: `rm -r .claude/*`.
    pub(super) fn sweeps(&self, own: &OwnRule) -> bool {
        let Names::Many(paths) = &self.folded().names else { return false };
        if !self.nameless {
            return false;
        }
        let start = self.spelled_start(paths);
        hidden_directory(&start).is_some_and(|(above, _)| meets_below(paths, above, &own.at_root))
    }

    /// The literal start of a pattern. `build/**` is `build` as well, but spells no part of a name in it.
    fn spelled_start<'p>(&self, paths: &'p Glob) -> Cow<'p, str> {
        let prefix = paths.prefix();
        let is_directory = self.folded().path.strip_suffix("/**") == Some(prefix);
        if is_directory { Cow::Owned(format!("{prefix}/")) } else { Cow::Borrowed(prefix) }
    }

    /// Whether all of the files are of the glob's.
    pub(super) fn all_in(&self, glob: &Glob) -> bool {
        self.folded().names.within([glob].into_iter())
    }

    /// What lies in the effect's directory, without the directory itself.
    fn below(&self) -> &Glob {
        self.below.get_or_init(|| {
            let folder = fold(&self.target.path);
            Glob::after(&format!("{}/", folder.trim_end_matches('/')), &Glob::effect("**"))
        })
    }
}

/// The folded directory is somebody's home directory.
fn is_home(directory: &str) -> bool {
    directory.starts_with('~') && !directory.trim_end_matches('/').contains('/')
}

/// Directories of the system, which hold no home directory but `leads_to_homes`. `/var/root` is one.
const SYSTEM: &[&str] = &[
    "/tmp/",
    "/private/tmp/",
    "/usr/",
    "/etc/",
    "/opt/",
    "/proc/",
    "/sys/",
    "/dev/",
    "/bin/",
    "/sbin/",
    "/lib/",
    "/run/",
    "/var/tmp/",
    "/var/folders/",
    "/private/var/folders/",
    "/var/log/",
    "/var/cache/",
    "/var/run/",
];

/// Some systems keep home directories in a directory of the system. A pattern may spell only the start of its name.
fn leads_to_homes(start: &str) -> bool {
    const HOMES: &str = "/usr/home/";
    start.starts_with(HOMES) || start.len() > "/usr/".len() && HOMES.starts_with(start)
}

/// The literal start of a pattern ends inside a file name.
fn spells_part_of_a_name(start: &str) -> bool {
    let name = start.rsplit('/').next().unwrap_or(start);
    name.chars().count() >= 2
}

/// The last hidden directory of a pattern's literal start: what is above it, and what follows it.
fn hidden_directory(start: &str) -> Option<(&str, &str)> {
    let (directories, _) = start.rsplit_once('/')?;
    let at = if directories.starts_with('.') { Some(0) } else { None };
    let at = directories.rfind("/.").map(|slash| slash + 1).or(at)?;
    let inside = directories.get(at..)?.split_once('/').map_or("", |(_, inside)| inside);
    Some((start.get(..at)?, inside))
}

fn meets_below(paths: &Glob, above: &str, in_place: &Glob) -> bool {
    paths.meets(&Glob::after(above, in_place)) != Answer::No
}

/// The last component of an effect's pattern asks for names that start with a dot.
fn spells_a_dot(pattern: &str) -> bool {
    let name = pattern.rsplit('/').next().unwrap_or(pattern);
    name.starts_with('.') && name.len() > 1
}

/// The last component of an effect's pattern has a literal letter or digit.
fn spells_a_name(pattern: &str) -> bool {
    let name = pattern.rsplit('/').next().unwrap_or(pattern);
    let mut in_class = false;
    name.chars().any(|character| {
        in_class = match character {
            '[' => true,
            ']' => false,
            _ => in_class,
        };
        !in_class && character.is_alphanumeric()
    })
}

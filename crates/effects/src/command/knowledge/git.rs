//! The options of git's subcommands: `git_options.tsv` has them as `git SUBCOMMAND -h` prints them, `=` behind those that
//! take the next word as their value, `?` behind those whose value is only ever attached
//! (`crates/effects/options/generate.py` writes the file).

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::{Entry, Listed, OperandRole, OptionRole, Role, names};

const OPTIONS: &str = include_str!("git_options.tsv");

/// Subcommands whose usage leaves out the options that they share with `git diff` and `git log`.
const OF_HISTORY: &[&str] = &[
    "blame",
    "annotate",
    "diff",
    "diff-files",
    "diff-index",
    "diff-tree",
    "difftool",
    "format-patch",
    "log",
    "range-diff",
    "reflog",
    "rev-list",
    "shortlog",
    "show",
    "stash",
    "stash list",
    "stash show",
    "whatchanged",
];

/// Those of the shared options that take the next word as their value.
const HISTORY: &str = "--grep= --since= --until= --after= --before= --author= --committer= --max-count= --skip= --format= \
    --output= --date= --encoding= --anchored= --inter-hunk-context= --word-diff-regex= --diff-filter= --src-prefix= \
    --dst-prefix= --line-prefix= --min-parents= --max-parents= --glob= --diff-merges= --ws-error-highlight= --skip-to= \
    --rotate-to= --output-directory= --extcmd= --tool= --exclude= -n= -L= -S= -G= -O= -l= -o= -x= -t=";

/// Subcommands without a usage of that form, and what takes a value.
const OTHERS: &[(&str, &str)] = &[
    ("bisect", "--term-old= --term-new= --term-good= --term-bad="),
    ("config", "--file= -f= --blob= --type= --default= --comment="),
    ("fast-import", "--date-format= --depth= --active-branches= --export-pack-edges= --import-marks= --export-marks="),
    (
        "filter-branch",
        "--env-filter= --tree-filter= --index-filter= --msg-filter= --parent-filter= --commit-filter= --tag-name-filter= \
         --subdirectory-filter= --setup= --original= --state-branch= -d=",
    ),
    ("mailsplit", "-o= -b -f -d? --keep-cr --mboxrd"),
    ("instaweb", "--httpd= -d= --module-path= -m= --browser= -b= --port= -p="),
    ("notes", "--ref= --message= --file= --reuse-message= --reedit-message= -m= -F= -C= -c="),
    ("stash", "--message= --pathspec-from-file= -m="),
    ("submodule", "--branch= -b= --reference= --name= --depth= --jobs= -j= --summary-limit="),
    ("subtree", "--prefix= -P= --message= -m= --branch= -b= --onto= --annotate="),
    ("worktree", "-b= -B= --reason="),
];

/// Short options whose value is a message, a pattern or a name. `names::holds_text` knows the long ones.
const TEXTS: &[&str] = &["-m", "-S", "-G", "-x", "-e"];

/// Subcommands whose operands are text, or names that are matched.
const OF_TEXT: &[&str] = &["check-attr", "check-ignore", "check-mailmap", "check-ref-format", "stash save"];

/// The options of a subcommand, or of its own subcommand where the word behind it names one.
pub(crate) fn options(sub: &str, next: Option<&str>) -> &'static Entry {
    static ENTRIES: OnceLock<BTreeMap<&'static str, Entry>> = OnceLock::new();
    static NOTHING: OnceLock<Entry> = OnceLock::new();
    let entries = ENTRIES.get_or_init(entries);
    let nested = next.and_then(|word| entries.get(format!("{sub} {word}").as_str()));
    nested.or_else(|| entries.get(sub)).unwrap_or_else(|| NOTHING.get_or_init(Entry::default))
}

fn entries() -> BTreeMap<&'static str, Entry> {
    let listed = OPTIONS.lines().filter_map(|line| line.split_once('\t'));
    let mut texts: BTreeMap<&str, Vec<&str>> = listed.map(|(sub, options)| (sub, vec![options])).collect();
    for sub in OF_HISTORY {
        texts.entry(sub).or_default().push(HISTORY);
    }
    for (sub, options) in OTHERS {
        texts.entry(sub).or_default().push(options);
    }
    let is_whole = |sub: &str| !OF_HISTORY.contains(&sub) && OTHERS.iter().all(|(other, _)| *other != sub);
    let entry = |sub: &str, texts: &[&str]| {
        let operands = OF_TEXT.contains(&sub).then_some(OperandRole { role: Role::Text, many: true });
        Entry { operands: operands.into_iter().collect(), ..entry(&texts.join(" "), is_whole(sub)) }
    };
    texts.into_iter().map(|(sub, texts)| (sub, entry(sub, &texts))).collect()
}

fn entry(text: &str, is_whole: bool) -> Entry {
    let mut entry = Entry::default();
    let mut names = Vec::new();
    let (mut values, mut texts, mut attached) = (Vec::new(), Vec::new(), Vec::new());
    for option in text.split(' ').filter(|option| !option.is_empty()) {
        let name = option.trim_end_matches(['=', '?']);
        names.push(name.to_owned());
        match option.strip_prefix(name) {
            Some("=") if TEXTS.contains(&name) || names::holds_text(name) => texts.push(name),
            Some("=") => values.push(name),
            Some("?") => attached.push(name),
            _ => {}
        }
    }
    for (names, role, attached) in
        [(values, Role::Value, false), (texts, Role::Text, false), (attached, Role::Value, true)]
    {
        entry.options.insert(names.join(" ").into(), OptionRole { role, attached });
    }
    if is_whole {
        entry.listed = Listed::of(names);
    }
    entry
}

/// Git's own commands: an alias can't replace them.
pub(super) const COMMANDS: &str = "add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore checkout \
    checkout-index cherry cherry-pick clean clone commit commit-tree config count-objects describe diff diff-files diff-index \
    diff-tree difftool fast-export fast-import fetch fetch-pack filter-branch for-each-ref format-patch fsck gc grep \
    hash-object help hook init log ls-files ls-remote ls-tree maintenance merge merge-base merge-file merge-tree mergetool mktree \
    mv name-rev notes pack-objects pack-refs prune pull push range-diff read-tree rebase reflog remote repack replace rerere \
    reset restore rev-list rev-parse revert rm send-pack shortlog show show-branch show-ref sparse-checkout stage stash status \
    submodule switch symbolic-ref tag update-index update-ref var verify-commit version whatchanged worktree write-tree";

pub(crate) fn is_builtin(sub: &str) -> bool {
    COMMANDS.split_whitespace().any(|command| command == sub)
}

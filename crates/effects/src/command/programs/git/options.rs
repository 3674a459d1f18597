//! Which options of which subcommand take a value.

use crate::command::knowledge::{Entry, OptionRole, Role};

/// Long options of any subcommand that take their value as the next word.
const LONG_VALUES: &str = "--message --file --template --author --date --reuse-message --reedit-message --fixup --squash --grep \
    --since --until --after --before --committer --max-count --skip --format --output --branch --depth --reference --origin \
    --output-directory --upload-pack --receive-pack --exec --extcmd --tool --pathspec-from-file --onto --strategy --strategy-option \
    --orphan --config --jobs --env-filter --tree-filter --index-filter --msg-filter --parent-filter --commit-filter --tag-name-filter \
    --directory --exclude --separate-git-dir --repo --push-option --server-option --shallow-since --source --conflict --prefix \
    --whitespace --reason --trailer --cleanup --open-files-in-pager-with --local-user --create --force-create --initial-branch --remote \
    --exclude-from --exclude-per-directory --blob --stage --to-cmd --cc-cmd --sendmail-cmd --smtp-server --httpd --browser --contents \
    --ignore-revs-file --add-file --add-virtual-file --index-output --temp --refs --upload-archive";

/// Short options that take their value as the next word: most letters mean different things in different subcommands.
fn short_values(sub: &str) -> &'static str {
    match sub {
        "clone" => "-b -o -c -u -j",
        "commit" => "-m -F -C -c -t",
        "log" | "show" | "diff" | "whatchanged" | "rev-list" | "shortlog" | "difftool" | "format-patch" => {
            "-n -L -S -G -O -l -o -x -t"
        }
        "blame" | "annotate" => "-L -S",
        "grep" => "-e -f -m -A -B -C",
        "ls-files" => "-x -X",
        "rebase" => "-x -s -X -C",
        "merge" | "cherry-pick" | "revert" | "pull" => "-m -s -X -F -j",
        "tag" => "-m -F -u -n",
        "notes" => "-m -F -C -c",
        "stash" => "-m",
        "push" | "fetch" | "ls-remote" => "-o -j",
        "worktree" | "checkout" => "-b -B",
        "switch" => "-c -C",
        "branch" => "-u",
        "archive" => "-o",
        "init" => "-b --object-format --ref-format --initial-branch --separate-git-dir",
        "submodule" => "-b",
        "restore" => "-s",
        "apply" | "am" => "-p -C",
        "clean" => "-e",
        _ => "",
    }
}

pub(super) fn options(sub: &str) -> Entry {
    let mut entry = Entry::default();
    let value = OptionRole { role: Role::Value, attached: false };
    entry.options.insert(LONG_VALUES.into(), value);
    entry.options.insert(short_values(sub).into(), value);
    if sub == "grep" {
        entry.options.insert("-O --open-files-in-pager".into(), OptionRole { role: Role::Value, attached: true });
    }
    entry
}

/// Git's own commands: an alias can't replace them.
const COMMANDS: &str = "add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore checkout \
    checkout-index cherry cherry-pick clean clone commit commit-tree config count-objects describe diff diff-files diff-index \
    diff-tree difftool fast-export fast-import fetch fetch-pack filter-branch for-each-ref format-patch fsck gc grep \
    hash-object help hook init log ls-files ls-remote ls-tree maintenance merge merge-base merge-file merge-tree mergetool mktree \
    mv name-rev notes pack-objects pack-refs prune pull push range-diff read-tree rebase reflog remote repack replace rerere \
    reset restore rev-list rev-parse revert rm send-pack shortlog show show-branch show-ref sparse-checkout stage stash status \
    submodule switch symbolic-ref tag update-index update-ref var verify-commit version whatchanged worktree write-tree";

pub(super) fn is_builtin(sub: &str) -> bool {
    COMMANDS.split_whitespace().any(|command| command == sub)
}

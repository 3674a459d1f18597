//! Which options of which subcommand take a value.

use crate::effects::command::knowledge::{Entry, OptionRole, Role};

/// Long options of any subcommand that take their value as the next word.
const LONG_VALUES: &str = "--message --file --template --author --date --reuse-message --reedit-message --fixup --squash --grep \
    --since --until --after --before --committer --max-count --skip --format --output --branch --depth --reference --origin \
    --output-directory --upload-pack --receive-pack --exec --extcmd --tool --pathspec-from-file --onto --strategy --strategy-option \
    --orphan --config --jobs --env-filter --tree-filter --index-filter --msg-filter --parent-filter --commit-filter --tag-name-filter \
    --directory --exclude --separate-git-dir --repo --push-option --server-option --shallow-since --source --conflict --prefix \
    --whitespace --reason --trailer --cleanup --open-files-in-pager-with --local-user --create --force-create --initial-branch --remote";

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
        "init" | "submodule" => "-b",
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

//! git: global options, subcommands with path specifications, revisions with paths, remotes.

use crate::effects::About;
use crate::effects::command::argument::{Arg, Arguments};
use crate::effects::command::knowledge::{Entry, OptionRole, Role};
use crate::effects::command::machine::Machine;
use crate::effects::command::simple::Io;
use crate::effects::command::stream::Stream;

use super::Call;

/// One git command behind its global options.
#[derive(Debug)]
struct Sub<'a> {
    name: &'a str,
    /// Words behind the subcommand.
    words: &'a [Arg],
    /// Divided with the options that take values.
    arguments: Arguments,
    /// Words behind `--`.
    paths: &'a [Arg],
    has_dashes: bool,
}

impl Machine<'_> {
    pub(super) fn git(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let cwd = self.world.cwd().map(str::to_owned);
        let output = self.git_globals(call, io);
        self.world.set_cwd(cwd);
        output
    }

    fn git_globals(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let mut left = call.rest;
        let mut aliases = Vec::new();
        while let Some((word, rest)) = left.split_first() {
            left = rest;
            let mut value = || {
                let (value, rest) = left.split_first()?;
                left = rest;
                Some(value.clone())
            };
            match word.text.as_str() {
                "-C" => {
                    if let Some(directory) = value() {
                        self.enter(&directory);
                    }
                }
                "-c" | "--config-env" => {
                    if let Some(setting) = value() {
                        self.git_setting(&setting, &mut aliases, io);
                    }
                }
                "--git-dir" | "--work-tree" => {
                    let directory = value();
                    self.git_elsewhere(directory.as_ref());
                }
                "--namespace" | "--super-prefix" | "--attr-source" | "--list-cmds" => {
                    value();
                }
                "--exec-path" => return Stream::Unknown,
                text if text.starts_with("--git-dir=") || text.starts_with("--work-tree=") => {
                    let directory = word.after('=').map(|(_, directory)| directory);
                    self.git_elsewhere(directory.as_ref());
                }
                text if text.starts_with("--exec-path=") => {
                    self.opaque(About::Anything, "takes git's programs from another directory", &[]);
                }
                text if text.starts_with("-c") && text.len() > 2 => {
                    self.git_setting(&word.with(text.trim_start_matches("-c")), &mut aliases, io);
                }
                text if text.starts_with('-') && word.is_exact() => {}
                _ => return self.git_command(word, rest, &aliases, call, io),
            }
        }
        Stream::Unknown
    }

    fn git_elsewhere(&mut self, directory: Option<&Arg>) {
        if let Some(directory) = directory {
            self.path(Role::ListTree, directory);
            self.opaque(About::Anything, "uses another repository's configuration", &[]);
        }
    }

    fn git_command(
        &mut self,
        name: &Arg,
        words: &[Arg],
        aliases: &[(String, Arg)],
        call: Call<'_>,
        io: &mut Io<'_>,
    ) -> Stream {
        let Some(sub) = name.literal() else {
            self.opaque(About::Anything, "the subcommand is not known", &[]);
            return Stream::Unknown;
        };
        let known = aliases.iter().find(|(alias, _)| alias == sub).map(|(_, value)| value.clone());
        if let Some(value) = known.or_else(|| self.git_aliases.get(sub).map(|text| Arg::exact(text.as_str()))) {
            return self.git_alias(&value, words, call, io);
        }
        let dashes = words.iter().position(|word| word.literal() == Some("--"));
        let paths = dashes.and_then(|at| words.get(at + 1..)).unwrap_or_default();
        let before = dashes.and_then(|at| words.get(..at)).unwrap_or(words);
        let arguments = Arguments::divide(&options(sub), before);
        let sub = Sub { name: sub, words, arguments, paths, has_dashes: dashes.is_some() };
        self.git_sub(&sub, io)
    }

    fn git_alias(&mut self, value: &Arg, words: &[Arg], call: Call<'_>, io: &mut Io<'_>) -> Stream {
        if let Some(text) = value.literal() {
            if let Some(command) = text.strip_prefix('!') {
                let rest: Vec<&str> = words.iter().map(Arg::best).collect();
                self.command_text(&Arg::exact(format!("{command} {}", rest.join(" "))), io)
            } else {
                let program = call.words.first().cloned().unwrap_or_else(|| Arg::exact("git"));
                let expanded = std::iter::once(program).chain(text.split_whitespace().map(Arg::exact));
                let all: Vec<Arg> = expanded.chain(words.iter().cloned()).collect();
                self.command(&all, io)
            }
        } else {
            self.opaque(About::Anything, "an alias that is not known", &[]);
            Stream::Unknown
        }
    }

    fn git_sub(&mut self, sub: &Sub<'_>, io: &mut Io<'_>) -> Stream {
        for file in sub.arguments.values(&["--output"]) {
            self.path(Role::Write, file);
        }
        match sub.name {
            "push" | "fetch" | "pull" | "ls-remote" | "send-pack" | "fetch-pack" | "request-pull"
            | "fetch-pack-remote" => {
                self.git_remote(sub);
            }
            "clone" => self.git_clone(sub, io),
            "remote" | "submodule" => self.git_remotes(sub, io),
            "archive" if sub.arguments.has(&["--remote"]) => self.connect_to(None, Some("git")),
            "diff" | "log" | "show" | "blame" | "annotate" | "whatchanged" | "cat-file" | "grep" | "archive"
            | "shortlog" | "difftool" | "diff-tree" | "diff-index" | "diff-files" | "range-diff" | "format-patch"
            | "ls-tree" | "show-branch" | "rev-list" => return self.git_reads(sub, io),
            "checkout" | "restore" | "checkout-index" => self.git_restores(sub),
            "reset" => {
                if sub.arguments.has(&["--hard", "--merge", "--keep"]) {
                    self.git_rewrites();
                } else {
                    self.git_index(sub);
                }
            }
            "add" | "stage" | "update-index" | "hash-object" => self.git_adds(sub),
            "rm" => {
                for path in operands(sub) {
                    let cached = sub.arguments.has(&["--cached"]);
                    if !cached && !sub.arguments.has(&["-n", "--dry-run"]) {
                        self.path(if sub.arguments.has(&["-r"]) { Role::DeleteTree } else { Role::Delete }, &path);
                    }
                }
            }
            "mv" => self.git_moves(sub),
            "clean" => self.git_cleans(sub),
            "apply" | "am" => self.git_applies(sub, io),
            "stash" => self.git_stash(sub),
            "merge" | "rebase" | "cherry-pick" | "revert" | "switch" | "bisect" | "read-tree" | "sparse-checkout"
            | "filter-branch" | "mergetool" => self.git_switches(sub, io),
            "worktree" => self.git_worktree(sub),
            "config" => self.git_config(sub.words, io),
            "init" => {
                let directory = sub.arguments.operands.first().cloned().unwrap_or_else(|| Arg::exact("."));
                if directory.text != "." {
                    self.path(Role::Write, &directory);
                }
                self.path(Role::WriteTree, &Arg { text: format!("{}/.git", directory.text), ..directory });
            }
            "commit" | "tag" | "notes" | "merge-base" => self.git_messages(sub),
            "bundle" => {
                for file in sub.arguments.operands.iter().skip(1).take(1) {
                    self.path(Role::Write, file);
                }
            }
            "ls-files" => return self.git_names(sub),
            "status" | "branch" | "rev-parse" | "describe" | "reflog" | "name-rev" | "symbolic-ref"
            | "for-each-ref" | "show-ref" | "check-ignore" | "check-attr" | "var" | "version" | "help"
            | "count-objects" | "fsck" | "gc" | "prune" | "repack" | "pack-refs" | "maintenance" | "update-ref"
            | "write-tree" | "commit-tree" | "cherry" | "verify-commit" | "verify-tag" | "stripspace"
            | "interpret-trailers" | "column" | "check-ref-format" | "merge-tree" | "merge-file" | "patch-id"
            | "mktree" | "rerere" | "replace" | "lfs" => {}
            "p4" | "svn" | "send-email" | "imap-send" | "instaweb" | "daemon" | "gui" | "citool" | "web--browse" => {
                self.opaque(About::Anything, "runs another program over the network", &[]);
            }
            other => {
                self.opaque(About::Anything, "a subcommand or alias that is not known", &["git", other]);
            }
        }
        Stream::Unknown
    }

    /// Where a remote operation goes: a URL as operand, or a name that the repository's configuration resolves.
    fn git_remote(&mut self, sub: &Sub<'_>) {
        for option in &sub.arguments.options {
            if matches!(option.name.as_str(), "--upload-pack" | "--receive-pack" | "--exec") {
                self.opaque(About::Commands, "runs a program on the other side", &[]);
            }
        }
        match sub.arguments.operands.first() {
            Some(word) if is_location(&word.text) => self.git_location(word),
            _ => self.connect_to(None, Some("git")),
        }
        if sub.name == "pull" {
            self.opaque(About::Writes, "writes files of the fetched revision", &["git", "pull"]);
        }
    }

    fn git_location(&mut self, word: &Arg) {
        let text = word.text.as_str();
        if let Some(command) = text.strip_prefix("ext::") {
            self.opaque(About::Commands, "a remote that runs a command", &[]);
            let words: Vec<Arg> = command.split_whitespace().map(Arg::exact).collect();
            self.execute(&words, false, false);
        } else if text.contains("://") || text.contains(':') && !text.starts_with(['/', '.']) {
            self.connect(word);
        } else {
            self.path(Role::ReadTree, word);
        }
    }

    fn git_clone(&mut self, sub: &Sub<'_>, io: &mut Io<'_>) {
        let mut aliases = Vec::new();
        for setting in sub.arguments.values(&["-c", "--config"]) {
            self.git_setting(setting, &mut aliases, io);
        }
        if sub.arguments.has(&["-u", "--upload-pack", "--template"]) {
            self.opaque(About::Commands, "runs a program on the other side", &[]);
        }
        let mut operands = sub.arguments.operands.iter().chain(sub.paths);
        let Some(location) = operands.next() else { return };
        if location.is_exact() && !is_location(&location.text) {
            self.path(Role::ReadTree, location);
        } else {
            self.git_location(location);
        }
        let directory = operands.next().cloned().unwrap_or_else(|| {
            let name = location.text.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or_default();
            location.with(name.trim_end_matches(".git"))
        });
        self.path(Role::WriteTree, &directory);
    }

    fn git_remotes(&mut self, sub: &Sub<'_>, io: &mut Io<'_>) {
        let action = sub.arguments.operands.first().map_or("", |word| word.text.as_str());
        match action {
            "update" | "prune" | "show" | "add" | "set-url" | "set-head" => {
                match sub.arguments.operands.iter().find(|word| is_location(&word.text)) {
                    Some(url) if matches!(action, "add" | "set-url") => {
                        self.path(Role::Write, &Arg::exact(".git/config"));
                        if sub.name == "submodule"
                            || sub.arguments.has(&["-f", "--fetch"])
                            || url.text.starts_with("ext::")
                        {
                            self.git_location(url);
                        }
                    }
                    _ if sub.name == "submodule" || action != "add" => self.connect_to(None, Some("git")),
                    _ => {}
                }
                if sub.name == "submodule" {
                    self.opaque(About::Writes, "writes files of a submodule", &["git", "submodule"]);
                }
            }
            "foreach" => {
                let rest = sub.arguments.operands.get(1..).unwrap_or_default();
                self.joined(rest, io);
            }
            "remove" | "rm" | "rename" => self.path(Role::Write, &Arg::exact(".git/config")),
            _ => {}
        }
    }

    fn git_reads(&mut self, sub: &Sub<'_>, io: &mut Io<'_>) -> Stream {
        if sub.name == "grep" {
            return self.git_grep(sub, io);
        }
        for (names, command) in [(&["-x", "--extcmd"][..], true), (&["-t", "--tool"][..], false)] {
            if sub.name == "difftool" {
                for text in sub.arguments.values(names) {
                    if command {
                        self.command_text(text, io);
                    } else {
                        self.opaque(About::Commands, "runs a configured tool", &[]);
                    }
                }
            }
        }
        let outside = sub.arguments.has(&["--no-index"]);
        let names_only = sub.name == "ls-tree"
            || sub.arguments.has(&[
                "--name-only",
                "--name-status",
                "--stat",
                "--numstat",
                "--shortstat",
                "--oneline",
                "-s",
                "--summary",
                "--no-patch",
            ]) && !sub.arguments.has(&["-p", "--patch", "-u"]);
        let always = matches!(sub.name, "blame" | "annotate" | "cat-file" | "show" | "diff" | "difftool" | "archive");
        let shows = always || sub.arguments.has(&["-p", "--patch", "-u", "-L", "-G", "-S", "--cc", "-c"]);
        let role = if names_only || !shows { Role::List } else { Role::ReadTree };
        for word in sub.arguments.values(&["-L"]) {
            if let Some((_, path)) = word.text.rsplit_once(':') {
                self.path(Role::Read, &word.with(path));
            }
        }
        for word in &sub.arguments.operands {
            if let Some(path) = revision_path(word) {
                self.at_root(Role::Read, &path);
            } else if outside || matches!(sub.name, "blame" | "annotate") && !sub.has_dashes {
                self.path(if outside { Role::ReadTree } else { Role::Read }, word);
            } else if !sub.has_dashes && looks_like_path(&word.text) && sub.name != "format-patch" {
                self.pathspec(role, word);
            }
        }
        for path in sub.paths {
            self.pathspec(role, path);
        }
        if sub.name == "archive" {
            for file in sub.arguments.values(&["-o"]) {
                self.path(Role::Write, file);
            }
        }
        if sub.name == "format-patch" && !sub.arguments.has(&["--stdout"]) {
            let directory = sub.arguments.values(&["-o", "--output-directory"]).next();
            let glob = directory.map_or_else(|| "*.patch".to_owned(), |word| format!("{}/*.patch", word.text));
            self.path(Role::Write, &Arg::glob(glob));
        }
        if names_only && matches!(sub.name, "diff" | "ls-tree" | "show" | "diff-tree") {
            return Stream::Names(vec![Arg::glob("**")]);
        }
        Stream::Unknown
    }

    fn git_grep(&mut self, sub: &Sub<'_>, io: &mut Io<'_>) -> Stream {
        for option in &sub.arguments.options {
            let pager = option.name.strip_prefix("--open-files-in-pager").map(|_| option.value.clone());
            if let Some(pager) = pager.or_else(|| (option.name == "-O").then(|| option.value.clone())) {
                match pager {
                    Some(text) => {
                        self.command_text(&text, io);
                    }
                    None => self.opaque(About::Commands, "runs the configured pager", &[]),
                }
            }
        }
        let has_pattern = sub.arguments.has(&["-e", "-f"]);
        let mut places: Vec<Arg> = sub
            .arguments
            .operands
            .iter()
            .skip(usize::from(!has_pattern))
            .filter(|word| looks_like_path(&word.text))
            .cloned()
            .collect();
        places.extend_from_slice(sub.paths);
        for file in sub.arguments.values(&["-f"]) {
            self.path(Role::Read, file);
        }
        if places.is_empty() {
            self.path(Role::ReadTree, &Arg::exact("."));
        }
        for place in &places {
            self.pathspec(Role::ReadTree, place);
        }
        if sub.arguments.has(&["-l", "--files-with-matches", "--name-only"]) {
            return Stream::Names(vec![Arg::glob("**")]);
        }
        Stream::Unknown
    }

    /// `:(top)x`, `:/x`, `:!x`, `dir`, `*.rs`.
    fn pathspec(&mut self, role: Role, word: &Arg) {
        let text = word.text.as_str();
        if text.starts_with(":!") || text.starts_with(":^") || text.starts_with(":(exclude") {
            return;
        }
        if let Some(path) = text
            .strip_prefix(":/")
            .or_else(|| text.split_once(')').filter(|_| text.starts_with(":(")).map(|(_, path)| path))
        {
            let path = if path.is_empty() { "." } else { path };
            self.at_root(role, &word.with(path));
        } else if word.is_exact() && text.contains(['*', '?', '[']) {
            self.path(role, &Arg::glob(text.replace('*', "**")));
        } else {
            self.path(role, word);
        }
    }

    /// A path that starts at the top of the repository, taken to be the workspace.
    fn at_root(&mut self, role: Role, word: &Arg) {
        let relative = word.text.starts_with("./") || word.text.starts_with("../");
        let cwd = self.world.cwd().map(str::to_owned);
        if !relative {
            let root = self.world.root().map_or_else(|| ".".to_owned(), str::to_owned);
            self.world.set_cwd(Some(root));
        }
        self.path(role, word);
        self.world.set_cwd(cwd);
    }

    fn git_restores(&mut self, sub: &Sub<'_>) {
        let staged_only = sub.name == "restore"
            && sub.arguments.has(&["--staged", "-S"])
            && !sub.arguments.has(&["--worktree", "-W"]);
        if sub.arguments.has(&["-b", "-B", "--orphan"]) && sub.arguments.operands.is_empty() {
            return;
        }
        let mut paths = sub.paths.to_vec();
        if sub.name == "restore" || sub.name == "checkout-index" {
            paths.extend(sub.arguments.operands.iter().cloned());
        } else if !sub.has_dashes {
            paths.extend(sub.arguments.operands.iter().filter(|word| looks_like_path(&word.text)).cloned());
        }
        for path in &paths {
            if !staged_only {
                self.pathspec(Role::WriteTree, path);
            }
        }
        for file in sub.arguments.values(&["--pathspec-from-file"]) {
            self.path(Role::Read, file);
            self.opaque(About::Writes, "writes files of another revision", &[]);
        }
        if paths.is_empty() && !sub.arguments.operands.is_empty() {
            self.opaque(About::Writes, "writes files of another revision", &["git", sub.name]);
        }
    }

    fn git_rewrites(&mut self) {
        self.opaque(About::Writes, "writes files of another revision", &["git", "reset"]);
    }

    fn git_index(&mut self, sub: &Sub<'_>) {
        for path in sub.paths {
            self.pathspec(Role::List, path);
        }
    }

    fn git_adds(&mut self, sub: &Sub<'_>) {
        for path in operands(sub) {
            // A file that is named is read; of a directory, what is tracked and not ignored, which is not known.
            let directory = matches!(path.text.as_str(), "." | ".." | "*")
                || path.text.ends_with('/')
                || path.text.starts_with(':');
            self.pathspec(if directory { Role::List } else { Role::Read }, &path);
        }
    }

    fn git_moves(&mut self, sub: &Sub<'_>) {
        let operands = operands(sub);
        let Some((last, sources)) = operands.split_last() else { return };
        for source in sources {
            self.path(Role::DeleteTree, source);
        }
        self.path(Role::WriteTree, last);
        if let ([source], true) = (sources, last.is_exact()) {
            let (original, _) = self.locate(source);
            let (alias, _) = self.locate(last);
            self.world.copied(&alias, &original);
        }
    }

    fn git_cleans(&mut self, sub: &Sub<'_>) {
        if sub.arguments.has(&["-n", "--dry-run"]) {
            return;
        }
        let places = operands(sub);
        if places.is_empty() {
            self.path(Role::DeleteTree, &Arg::exact("."));
        }
        for place in &places {
            self.path(Role::DeleteTree, place);
        }
    }

    fn git_applies(&mut self, sub: &Sub<'_>, io: &mut Io<'_>) {
        let files = operands(sub);
        if sub.arguments.has(&["--abort", "--skip", "--quit", "--show-current-patch"]) {
            return;
        }
        let only_reads = sub.arguments.has(&["--check", "--stat", "--numstat", "--summary"]);
        let strip = sub.arguments.values(&["-p"]).next().and_then(|word| word.text.parse().ok());
        let mut texts: Vec<Stream> = Vec::new();
        for file in &files {
            if file.text == "-" {
                texts.push(io.input.clone());
            } else {
                self.path(Role::Read, file);
                texts.push(self.content(file));
            }
        }
        if files.is_empty() {
            texts.push(io.input.clone());
        }
        for text in texts.iter().filter(|_| !only_reads) {
            match text.text() {
                Some(text) => self.patched(text, strip),
                None => self.opaque(About::Writes, "writes files that a patch names", &[]),
            }
        }
    }

    fn git_stash(&mut self, sub: &Sub<'_>) {
        match sub.arguments.operands.first().map(|word| word.text.as_str()) {
            Some("list" | "show" | "drop" | "clear" | "create" | "store") => {}
            Some("pop" | "apply" | "branch") => self.opaque(About::Writes, "writes files of a stash", &[]),
            _ => self.opaque(About::Writes, "puts changed files back", &["git", "stash"]),
        }
    }

    fn git_switches(&mut self, sub: &Sub<'_>, io: &mut Io<'_>) {
        if sub.arguments.has(&["--abort", "--quit", "--skip"])
            || sub.name == "switch" && sub.arguments.has(&["-c", "-C", "--create", "--orphan"])
        {
            return;
        }
        if sub.name == "rebase" {
            for text in sub.arguments.values(&["-x", "--exec"]) {
                self.command_text(text, io);
            }
        }
        let filters: Vec<Arg> = sub
            .arguments
            .options
            .iter()
            .filter(|option| option.name.ends_with("-filter"))
            .filter_map(|option| option.value.clone())
            .collect();
        for text in &filters {
            self.command_text(text, io);
        }
        let mut operands = sub.arguments.operands.iter();
        if sub.name == "bisect" && operands.next().is_some_and(|word| word.text == "run") {
            let words: Vec<Arg> = operands.cloned().collect();
            self.command(&words, io);
        }
        self.opaque(About::Writes, "writes files of another revision", &["git", sub.name]);
    }

    fn git_worktree(&mut self, sub: &Sub<'_>) {
        let mut operands = sub.arguments.operands.iter();
        match (operands.next().map(|word| word.text.as_str()), operands.next()) {
            (Some("add" | "move"), Some(directory)) => self.path(Role::WriteTree, directory),
            (Some("remove"), Some(directory)) => self.path(Role::DeleteTree, directory),
            _ => {}
        }
    }

    fn git_messages(&mut self, sub: &Sub<'_>) {
        for file in sub.arguments.values(&["-F", "--file", "-t", "--template", "--pathspec-from-file"]) {
            self.path(Role::Read, file);
        }
        if sub.name == "commit" {
            for path in sub.paths.iter().chain(&sub.arguments.operands) {
                self.path(Role::List, path);
            }
        }
    }

    fn git_names(&mut self, sub: &Sub<'_>) -> Stream {
        let places = operands(sub);
        let mut names = Vec::new();
        for place in &places {
            self.pathspec(Role::List, place);
            let text = place.text.replace('*', "**");
            names.push(Arg::glob(text.clone()));
            names.push(Arg::glob(format!("{text}/**")));
        }
        if names.is_empty() {
            names.push(Arg::glob("**"));
        }
        Stream::Names(names)
    }

    pub(super) fn other_vcs(&mut self, call: Call<'_>) -> Stream {
        let sub = call.rest.iter().find(|word| !word.text.starts_with('-')).map_or("", |word| word.text.as_str());
        if matches!(
            sub,
            "status" | "log" | "diff" | "info" | "st" | "show" | "branch" | "op" | "root" | "help" | "version" | "list"
        ) {
            return Stream::Unknown;
        }
        if matches!(
            sub,
            "push"
                | "pull"
                | "fetch"
                | "clone"
                | "checkout"
                | "co"
                | "update"
                | "commit"
                | "ci"
                | "incoming"
                | "outgoing"
                | "git"
        ) {
            match call.rest.iter().find(|word| is_location(&word.text)) {
                Some(url) => self.connect(url),
                None => self.connect_to(None, None),
            }
        }
        let program = call.words.first().map_or("", |word| word.text.as_str());
        self.opaque(About::Writes, "writes files of another revision", &[program, sub]);
        Stream::Unknown
    }
}

/// Operands before and behind `--`.
fn operands(sub: &Sub<'_>) -> Vec<Arg> {
    sub.arguments.operands.iter().chain(sub.paths).cloned().collect()
}

/// A URL, `host:path`, or a path: not the name of a configured remote.
pub(super) fn is_location(text: &str) -> bool {
    text.contains("://") || text.contains(':') && !text.starts_with('-') || text.starts_with(['/', '.', '~'])
}

/// `REV:path`; `:0:path` and `:path` name the index.
fn revision_path(word: &Arg) -> Option<Arg> {
    let text = word.text.as_str();
    if text.contains("://")
        || text.starts_with(":/")
        || text.starts_with(":(")
        || text.starts_with(":!")
        || text.contains("^{/")
    {
        return None;
    }
    let (_, path) = text.split_once(':')?;
    let path = path.strip_prefix(|c: char| c.is_ascii_digit()).and_then(|path| path.strip_prefix(':')).unwrap_or(path);
    Some(word.with(if path.is_empty() { "." } else { path }))
}

/// Without `--`, git takes words that name no revision for paths.
fn looks_like_path(text: &str) -> bool {
    if text.starts_with('-') || text.contains("..") && !text.starts_with("../") {
        return false;
    }
    let name = text.rsplit('/').next().unwrap_or(text);
    let versioned = text.starts_with('v') && text.contains(|c: char| c.is_ascii_digit()) && !text.contains('/');
    let dotted = name.contains('.') && !versioned;
    let reference = ["origin/", "upstream/", "refs/", "remotes/", "heads/"].iter().any(|start| text.starts_with(start));
    !reference
        && (dotted
            || text.starts_with(['.', '/', ':'])
            || text.ends_with('/')
            || text.contains(['*', '?'])
            || (text.contains('/') && !text.contains(['~', '^', '@'])))
}

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

fn options(sub: &str) -> Entry {
    let mut entry = Entry::default();
    let value = OptionRole { role: Role::Value, attached: false };
    entry.options.insert(LONG_VALUES, value);
    entry.options.insert(short_values(sub), value);
    if sub == "grep" {
        entry.options.insert("-O --open-files-in-pager", OptionRole { role: Role::Value, attached: true });
    }
    entry
}

//! Clients of hosting services: they talk to their service and read or write the local files they name.

use crate::command::argument::{Arg, Arguments};
use crate::command::knowledge::{Entry, OptionRole, Role};
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::{About, Reason};

use super::Call;
use super::git::is_location;

impl Machine<'_> {
    pub(super) fn cloud(&mut self, call: Call<'_>) -> Stream {
        let endpoint = call.rest.windows(2).find_map(|pair| match pair {
            [option, url] if matches!(option.literal(), Some("--endpoint-url" | "--endpoint")) => Some(url),
            _ => None,
        });
        match endpoint {
            Some(url) => self.connect(url),
            None if call.entry.connect.is_empty() => self.connect_to(None, Some("https")),
            None => {
                for host in &call.entry.connect {
                    self.connect_to(Some(host), Some("https"));
                }
            }
        }
        let transfers = call.rest.iter().any(|word| {
            matches!(
                word.literal(),
                Some("cp" | "mv" | "sync" | "rsync" | "upload" | "download" | "copy" | "put-object" | "get-object")
            )
        });
        for word in call.rest {
            let file = word.text.strip_prefix("fileb://").or_else(|| word.text.strip_prefix("file://"));
            if let Some(file) = file {
                self.path(Role::Read, &word.with(file));
            }
        }
        if transfers {
            self.transferred(call.rest);
            self.downloaded(call);
        }
        let subs = verbs(call.rest);
        let reads = subs.iter().any(|sub| {
            matches!(
                *sub,
                "ls" | "list" | "describe" | "get" | "show" | "status" | "whoami" | "logs" | "info" | "version"
            ) || sub.starts_with("describe-")
                || sub.starts_with("list-")
                || sub.starts_with("get-")
        });
        let transfers = transfers && !subs.contains(&"deploy");
        if !(reads || transfers) {
            let program = call.words.first().map_or("", |word| word.text.as_str());
            let mut vouchers = vec![program];
            vouchers.extend(subs.first());
            self.opaque(About::Anything, Reason::HostingService, &vouchers);
            self.started(call.rest);
        }
        Stream::Unknown
    }

    /// `railway run COMMAND`, `aws … --parameters command=TEXT`
    fn started(&mut self, words: &[Arg]) {
        for (at, word) in words.iter().enumerate() {
            match word.literal() {
                Some("run" | "exec" | "--" | "-C") => self.guess_argv(words.get(at + 1..).unwrap_or_default()),
                Some(text) if text.contains(char::is_whitespace) => self.guess_commands(word),
                _ => {}
            }
        }
    }

    /// `az … download --file FILE`, `az … upload --file FILE`
    fn downloaded(&mut self, call: Call<'_>) {
        let fetches = call.rest.iter().any(|word| word.text == "download");
        let role = if fetches { Role::Write } else { Role::Read };
        for (at, word) in call.rest.iter().enumerate() {
            let (name, value) = match word.after('=') {
                Some((name, value)) => (name, Some(value)),
                None => (word.text.clone(), call.rest.get(at + 1).cloned()),
            };
            if matches!(name.as_str(), "-f" | "--file" | "--file-path" | "--dest" | "-d" | "--destination")
                && call.name == "az"
                && let Some(file) = value
            {
                self.path(role, &file);
            }
        }
    }

    fn transferred(&mut self, words: &[Arg]) {
        let verb = words.iter().position(|word| {
            matches!(
                word.literal(),
                Some(
                    "cp" | "mv"
                        | "sync"
                        | "rsync"
                        | "upload"
                        | "download"
                        | "copy"
                        | "deploy"
                        | "put-object"
                        | "get-object"
                )
            )
        });
        let operands: Vec<&Arg> =
            words.iter().skip(verb.map_or(0, |at| at + 1)).filter(|word| !word.text.starts_with('-')).collect();
        let moves = verb.and_then(|at| words.get(at)).is_some_and(|word| word.text == "mv");
        let last = operands.len().saturating_sub(1);
        for (at, word) in operands.iter().enumerate() {
            if word.text.contains("://") || word.text == "-" {
                continue;
            }
            let writes = at == last && last > 0;
            self.path(if writes { Role::WriteTree } else { Role::ReadTree }, word);
            if moves && !writes {
                self.path(Role::DeleteTree, word);
            }
        }
    }

    /// A client of a hosting service changes git's remotes. Its words do not name the host to which they lead then.
    fn gh_remotes(&mut self, first: &str, second: &str, words: &[Arg]) {
        let asks = |names: &[&str]| words.iter().any(|word| names.contains(&word.text.split('=').next().unwrap_or("")));
        match (first, second) {
            ("repo", "fork") if asks(&["--remote"]) => self.gh_remote_made("--remote-name", words),
            ("repo", "create") if asks(&["-s", "--source"]) => self.gh_remote_made("--remote", words),
            ("pr" | "mr", "checkout") => {
                self.git_takes_proposal();
                self.git_branch_of_proposal();
            }
            _ => {}
        }
    }

    /// An option names the remote, which is `origin` otherwise.
    fn gh_remote_made(&mut self, option: &str, words: &[Arg]) {
        let attached = words.iter().find_map(|word| word.after('=').filter(|(name, _)| name == option));
        let next = || words.iter().skip_while(|word| word.text != option).nth(1).cloned();
        let named = attached.map(|(_, value)| value).or_else(next);
        let names = named.as_ref().and_then(Arg::literal).into_iter().chain(["origin"]);
        names.for_each(|name| self.git_remotes_lost(&Arg::exact("."), name));
    }

    pub(super) fn gh(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        // `hub` hands on to git what it does not do itself.
        let own = ["api", "browse", "ci-status", "compare", "create", "delete", "fork", "gist", "issue", "pr"];
        let own = own.iter().chain(&["pull-request", "release", "sync", "help", "version", "alias", "merge", "am"]);
        if call.name == "hub"
            && let Some(first) = call.rest.iter().find(|word| !word.text.starts_with('-'))
            && own.into_iter().all(|name| *name != first.text)
        {
            let command: Vec<Arg> = std::iter::once(Arg::exact("git")).chain(call.rest.iter().cloned()).collect();
            return self.command(&command, io);
        }
        let chosen = |at: usize| {
            let option = at.checked_sub(1).and_then(|at| call.rest.get(at)).and_then(Arg::literal);
            matches!(option, Some("-R" | "--repo" | "--hostname"))
        };
        let words = call.rest.iter().enumerate().filter(|(at, word)| !word.text.starts_with('-') && !chosen(*at));
        let words: Vec<&Arg> = words.map(|(_, word)| word).collect();
        let first = words.first().map_or("", |word| word.text.as_str());
        let second = words.get(1).map_or("", |word| word.text.as_str());
        let local = matches!(first, "help" | "version" | "completion" | "config" | "extension" | "alias" | "");
        if !local {
            match gh_host(call.rest) {
                Some(host) => self.connect_host(&host, None, Some("https")),
                None => {
                    for host in &call.entry.connect {
                        self.connect_to(Some(host), Some("https"));
                    }
                }
            }
        }
        self.gh_files(call.rest);
        self.gh_remotes(first, second, call.rest);
        match (first, second) {
            ("gist", "create") => {
                self.connect_to(Some("gist.github.com"), Some("https"));
                for file in words.iter().skip(2).filter(|word| word.text != "-") {
                    self.path(Role::Read, file);
                }
            }
            ("gist", _) => self.connect_to(Some("gist.github.com"), Some("https")),
            ("release", "upload") => {
                for file in words.iter().skip(3) {
                    self.path(Role::Read, file);
                }
            }
            ("release" | "run", "download") => self.path(Role::WriteTree, &Arg::exact(".")),
            ("repo", "clone" | "sync" | "fork") | ("pr" | "mr", "checkout") => {
                let (program, host) = if call.name == "glab" { ("glab", "gitlab.com") } else { ("gh", "github.com") };
                self.connect_to(Some(host), Some("https"));
                self.opaque(About::Writes, Reason::FetchedRevision, &[program, first, second]);
                if second == "clone"
                    && let Some(name) = words.get(2)
                {
                    let own = name.with(name.text.rsplit('/').next().unwrap_or_default());
                    let directory = words.get(3).copied().unwrap_or(&own).clone();
                    self.world.fetched_directory(&directory);
                    self.git_remotes_lost(&directory, "origin");
                }
                if let Some(at) = call.rest.iter().position(|word| word.text == "--") {
                    let clone = [Arg::exact("git"), Arg::exact("clone")];
                    let given = call.rest.get(at + 1..).unwrap_or_default();
                    self.guess_argv(&[&clone[..], given, &[Arg::exact(".")]].concat());
                }
            }
            ("extension", "install" | "exec" | "upgrade")
            | ("alias", "set" | "import")
            | ("codespace" | "copilot", _) => {
                self.opaque(About::Anything, Reason::OtherPrograms, &["gh", first]);
                for text in words.iter().skip(2).filter_map(|word| word.text.strip_prefix('!')) {
                    self.guess_text(text);
                }
            }
            ("config", "set") => {
                let mut config = Entry::default();
                config.options.insert("-h --host".into(), OptionRole { role: Role::Value, attached: false });
                let set = call.rest.iter().skip_while(|word| word.text != "set").skip(1).cloned();
                if let [name, value, ..] = Arguments::divide(&config, &set.collect::<Vec<_>>()).operands.as_slice()
                    && matches!(name.text.as_str(), "editor" | "pager" | "browser")
                    && !value.text.is_empty()
                {
                    self.command_text(value, io);
                }
            }
            ("api", _) => {
                if let Some(url) = words.get(1).filter(|word| is_location(&word.text) && word.text.contains("://")) {
                    self.connect(url);
                }
                self.gh_request(call.rest);
            }
            ("repo", "delete" | "edit" | "archive" | "unarchive" | "rename")
            | ("secret" | "variable", "set" | "delete" | "remove")
            | ("release", "delete" | "edit" | "delete-asset")
            | ("workflow", "disable" | "enable")
            | ("ruleset", "delete" | "create" | "edit")
            | ("ssh-key" | "gpg-key" | "deploy-key", "add" | "delete")
            | ("auth", "login" | "logout" | "switch" | "setup-git") => {
                self.opaque(About::Anything, Reason::HostingService, &["gh", first, second]);
            }
            _ => {}
        }
        Stream::Unknown
    }

    /// `gh api` with a method that changes something: of a file in a repository it is a write.
    fn gh_request(&mut self, words: &[Arg]) {
        let Request { method, endpoint, mutates } = Request::read(words);
        let changes = if endpoint == "graphql" { mutates } else { !matches!(method.as_str(), "GET" | "HEAD") };
        let is_named = |word: &Arg| word.literal().is_some_and(|text| text.trim_matches('/') == endpoint);
        // A file that is sent is found where it stands behind an option of its own.
        let is_attached = |word: &Arg| {
            let is_short = word.text.len() > 2 && (word.text.starts_with("-F") || word.text.starts_with("-f"));
            !word.is_exact() || is_short || word.text.starts_with("--") && word.text.contains("=@")
        };
        let is_plain =
            |word: &Arg| !is_attached(word) && !APPROVALS.iter().any(|approval| word.text.contains(approval));
        let is_discussion = || discusses(&endpoint) && words.iter().any(is_named) && words.iter().all(is_plain);
        if !changes || is_discussion() {
            return;
        }
        let file = words.iter().find_map(|word| {
            let (_, file) = word.text.split_once("/contents/")?;
            Some(word.with(file.split('?').next().unwrap_or(file)))
        });
        if let Some(file) = file {
            let role = if method == "DELETE" { Role::Delete } else { Role::Write };
            self.guessed(|machine| machine.at_root(role, &file));
        }
        self.opaque(About::Anything, Reason::HostingService, &["gh", "api"]);
    }

    fn gh_files(&mut self, words: &[Arg]) {
        for pair in words.windows(2) {
            let [option, value] = pair else { continue };
            match option.literal() {
                Some("-F" | "--body-file" | "--notes-file" | "--input" | "--template") => match value.after('@') {
                    Some((name, file)) if name.ends_with('=') => self.path(Role::Read, &file),
                    _ if value.text.contains('=') || value.text == "-" => {}
                    _ => self.path(Role::Read, value),
                },
                Some("-f" | "--field" | "--raw-field") => {
                    if let Some((name, file)) = value.after('@')
                        && name.ends_with('=')
                    {
                        self.path(Role::Read, &file);
                    }
                }
                Some("-D" | "--dir" | "-O" | "--output") => self.path(Role::WriteTree, value),
                _ => {}
            }
        }
    }
}

/// Parts of a request that let a change pass: an approval, the label of reviewed changes, and a text that is in a file.
const APPROVALS: &[&str] = &["APPROVE", "gate-reviewed", "--input"];

/// Endpoints of comments, labels and reviews. `gh issue comment` and similar commands change them, too.
const DISCUSSIONS: &[&str] = &[
    "issues",
    "issues/*",
    "issues/*/comments",
    "issues/*/labels",
    "issues/*/labels/*",
    "issues/*/assignees",
    "issues/*/reactions",
    "issues/comments/*",
    "issues/comments/*/reactions",
    "pulls/*/comments",
    "pulls/*/comments/*/replies",
    "pulls/*/reviews",
    "pulls/*/reviews/*/comments",
    "pulls/*/requested_reviewers",
    "pulls/comments/*",
    "pulls/comments/*/reactions",
    "commits/*/comments",
];

/// The endpoint is one of a discussion: `repos/OWNER/NAME/issues/1/comments`.
fn discusses(endpoint: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.{}:".contains(letter);
    let parts: Vec<&str> = endpoint.split('/').collect();
    let ["repos", _, _, what @ ..] = parts.as_slice() else { return false };
    let is_part = |part: &&str| !part.is_empty() && !part.starts_with('.') && part.chars().all(is_plain);
    let is_like = |shape: &&&str| {
        let shape: Vec<&str> = shape.split('/').collect();
        shape.len() == what.len() && shape.iter().zip(what).all(|(shape, part)| *shape == "*" || shape == part)
    };
    parts.iter().all(is_part) && DISCUSSIONS.iter().any(|shape| is_like(&shape))
}

/// A request of `gh api`.
struct Request {
    method: String,
    endpoint: String,
    /// A query that is not known to only ask.
    mutates: bool,
}

impl Request {
    fn read(words: &[Arg]) -> Self {
        const VALUED: &[&str] = &[
            "-X",
            "--method",
            "-f",
            "-F",
            "--field",
            "--raw-field",
            "--input",
            "-H",
            "--header",
            "-q",
            "--jq",
            "-t",
            "--template",
            "--hostname",
            "-p",
            "--preview",
            "--cache",
            "-R",
            "--repo",
        ];
        let (mut method, mut endpoint, mut sends, mut mutates) = (None, None, false, false);
        let mut left = words.iter().skip_while(|word| word.text != "api").skip(1);
        while let Some(word) = left.next() {
            let text = word.text.as_str();
            let (name, value) = match text.split_once('=').filter(|_| text.starts_with("--")) {
                Some((name, value)) => (name, Some(value)),
                None if text.starts_with("-X") && text.len() > 2 => ("-X", text.get(2..)),
                None if VALUED.contains(&text) => (text, left.next().map(|value| value.text.as_str())),
                None => (text, None),
            };
            match name {
                "-X" | "--method" => method = value.map(|value| value.trim_start_matches('=').to_uppercase()),
                "-f" | "-F" | "--field" | "--raw-field" | "--input" => {
                    sends = true;
                    let asks =
                        |value: &str| value.split_once('=').is_some_and(|(_, query)| !query.contains("mutation"));
                    mutates |= !value.is_some_and(|value| asks(value) && !value.contains("=@"));
                }
                _ if name.starts_with('-') => {}
                _ => endpoint = endpoint.or(Some(text)),
            }
        }
        let method = method.unwrap_or_else(|| if sends { "POST" } else { "GET" }.to_owned());
        Self { method, endpoint: endpoint.unwrap_or_default().trim_matches('/').to_owned(), mutates }
    }
}

/// The host that a call of `gh` names: `--hostname h`, `-R h/owner/name`.
fn gh_host(words: &[Arg]) -> Option<Arg> {
    words.iter().enumerate().find_map(|(at, word)| {
        let (name, value) = match word.after('=').filter(|_| word.text.starts_with("--")) {
            Some((name, value)) => (name, value),
            None => (word.text.clone(), words.get(at + 1)?.clone()),
        };
        match name.as_str() {
            "--hostname" | "-h" => Some(value),
            "-R" | "--repo" if value.text.split('/').count() == 3 => {
                Some(value.with(value.text.split('/').next().unwrap_or_default()))
            }
            _ => None,
        }
    })
}

/// Words that name what a client does: what follows an option may be its value, and names nothing.
fn verbs(words: &[Arg]) -> Vec<&str> {
    let mut before: Option<&Arg> = None;
    let mut verbs = Vec::new();
    for word in words {
        let is_value = before.is_some_and(|option| option.text.starts_with("--") && !option.text.contains('='));
        if !word.text.starts_with('-') && !is_value {
            verbs.push(word.text.as_str());
        }
        before = Some(word);
    }
    verbs
}

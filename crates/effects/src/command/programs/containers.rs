//! Containers: files are theirs, except where a mount makes them ours.

use crate::command::argument::{Arg, Arguments};
use crate::command::knowledge::{Entry, OptionRole, Role};
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::{About, Reason};

use super::Call;
use super::find::escaped;
use super::images::options_with_values;
use super::mounts::Mount;

impl Machine<'_> {
    /// `helm template [NAME] CHART`, `helm lint [CHART…]`: a chart that is a directory or an archive here is only read.
    pub(super) fn chart(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        let is_lint = call.words.iter().any(|word| word.text == "lint");
        let current = Arg::exact(".");
        let charts: Vec<&Arg> = match arguments.operands.as_slice() {
            [] if is_lint => vec![&current],
            all if is_lint => all.iter().collect(),
            all => all.last().into_iter().collect(),
        };
        // A name alone is never looked for anywhere else, unless a repository is named.
        let is_here = |chart: &&Arg| {
            let text = chart.text.as_str();
            chart.is_exact() && !text.contains("://") && (text.starts_with(['.', '/', '~']) || !text.contains('/'))
        };
        let reaches =
            ["--repo", "--dependency-update", "--validate", "--dry-run", "--post-renderer", "--verify", "--enable-dns"];
        let is_helm = call.words.first().is_some_and(|word| word.text.ends_with("helm"));
        let is_local = is_helm && !charts.is_empty() && charts.iter().all(is_here) && !arguments.has(&reaches);
        if !is_local {
            return self.given(call.entry, call.words, &arguments, io);
        }
        for chart in charts {
            self.read_for_build(chart);
        }
        self.options(&arguments, io);
        Stream::Unknown
    }

    pub(super) fn docker(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let mut globals = Entry { stops: true, ..Entry::default() };
        globals.options.insert(
            "-H --host --context -c --config -l --log-level --tlscacert --tlscert --tlskey".into(),
            OptionRole { role: Role::Value, attached: false },
        );
        let outer = Arguments::divide(&globals, call.rest);
        for host in outer.values(&["-H", "--host"]) {
            self.connect(host);
        }
        let program = call.words.first().map_or("docker", |word| word.text.as_str()).to_owned();
        let Some((sub, rest)) = outer.operands.split_first() else { return Stream::Unknown };
        let (sub, rest) = match (sub.text.as_str(), rest.split_first()) {
            ("container" | "image", Some((sub, rest))) => (sub, rest),
            _ => (sub, rest),
        };
        match sub.literal() {
            Some("run" | "create") => self.docker_run(&program, &sub.text, rest, io),
            Some("exec") => {
                let arguments = Arguments::divide(run_options(), rest);
                self.with_terminal_of(&arguments, |machine| {
                    machine.contained(arguments.operands.get(1..).unwrap_or_default(), io);
                });
            }
            Some("cp") => self.copied_to_container(rest),
            Some("compose") => self.compose(&program, rest),
            Some(name) if self.image_command(&program, name, rest, io) => {}
            Some(name) => self.engine_command(&program, name, rest),
            None => self.opaque(About::Anything, Reason::UnknownSubcommand, &[&program, &sub.text]),
        }
        Stream::Unknown
    }

    /// `cp FILE CONTAINER:PATH` or the other way round.
    fn copied_to_container(&mut self, words: &[Arg]) {
        for (at, word) in words.iter().filter(|word| !word.text.starts_with('-')).enumerate() {
            if !word.text.contains(':') {
                self.path(if at == 0 { Role::ReadTree } else { Role::WriteTree }, word);
            }
        }
    }

    /// Handles the subcommands that change the engine, or that show its state.
    fn engine_command(&mut self, program: &str, sub: &str, rest: &[Arg]) {
        match sub {
            "secret" | "config" if rest.first().is_some_and(|word| word.text == "create") => {
                let arguments = Arguments::divide(
                    &options_with_values("-d --driver -l --label --template-driver"),
                    rest.get(1..).unwrap_or_default(),
                );
                for file in arguments.operands.iter().skip(1).filter(|file| file.text != "-") {
                    self.path(Role::Read, file);
                }
                self.opaque(About::Anything, Reason::ContainerEngine, &[program, sub]);
            }
            "swarm" | "node" | "service" | "secret" | "stack" | "config" | "plugin" | "machine" | "trust" | "pod"
            | "kube" | "generate" | "play" | "scout" | "desktop" | "model" | "mcp" | "checkpoint" | "update" => {
                let reads = rest.first().and_then(Arg::literal);
                if !matches!(
                    reads,
                    Some("ls" | "ps" | "list" | "inspect" | "logs" | "info" | "status" | "top" | "stats")
                ) {
                    self.opaque(About::Anything, Reason::ContainerEngine, &[program, sub]);
                }
            }
            "ps" | "images" | "ls" | "logs" | "inspect" | "version" | "info" | "stats" | "top" | "port" | "diff"
            | "history" | "events" | "context" | "df" | "search-local" | "stop" | "start" | "restart" | "kill"
            | "rm" | "rmi" | "rename" | "wait" | "pause" | "unpause" | "network" | "volume" | "system"
            | "container" | "image" | "--version" | "help" | "completion" | "prune" | "commit" | "attach" => {}
            _ => self.opaque(About::Anything, Reason::UnknownSubcommand, &[program, sub]),
        }
    }

    /// `compose -f FILE COMMAND …`: looking on runs nothing of the file.
    fn compose(&mut self, program: &str, words: &[Arg]) {
        let mut globals = Entry { stops: true, ..Entry::default() };
        globals.options.insert("-f --file --env-file".into(), OptionRole { role: Role::Read, attached: false });
        let value = OptionRole { role: Role::Value, attached: false };
        globals
            .options
            .insert("-p --project-name --profile --project-directory --ansi --progress --parallel".into(), value);
        let arguments = Arguments::divide(&globals, words);
        for file in arguments.options.iter().filter(|option| option.role == Some(Role::Read)) {
            file.value.iter().for_each(|file| self.path(Role::Read, file));
        }
        let sub = arguments.operands.first().and_then(Arg::literal);
        if !matches!(
            sub,
            Some("ps" | "logs" | "ls" | "images" | "top" | "port" | "version" | "events" | "stats" | "volumes")
        ) {
            self.opaque(About::Anything, Reason::RunsComposeFile, &[program, "compose"]);
        }
    }

    fn docker_run(&mut self, program: &str, sub: &str, words: &[Arg], io: &mut Io<'_>) {
        let arguments = Arguments::divide(run_options(), words);
        let mut mounts = Vec::new();
        mounts.extend(arguments.values(&["-v", "--volume"]).filter_map(volume));
        for mount in arguments.values(&["--mount"]) {
            let host = field(mount, &["source", "src"]);
            let binds = field(mount, &["type"]).is_some_and(|kind| kind.text == "bind");
            if let (Some(host), Some(inside)) = (host, field(mount, &["target", "dst", "destination"])) {
                let named = binds && !host.text.starts_with(['/', '.', '~', '*']);
                let host = if named { host.with(format!("./{}", host.text)) } else { host };
                mounts.push(Mount { host, inside: inside.text });
            }
        }
        mounts.retain(|mount| mount.host.text.starts_with(['/', '.', '~', '*']) || mount.host.text.contains(":\\"));
        for file in arguments.values(&["--env-file"]) {
            self.path(Role::Read, file);
        }
        for file in arguments.values(&["--cidfile", "--iidfile"]) {
            self.path(Role::Write, file);
        }
        let Some((image, command)) = arguments.operands.split_first() else { return };
        let is_known = !command.is_empty() && !arguments.has(&["--entrypoint"]);
        if !mounts.is_empty() && is_known {
            let working = arguments.values(&["-w", "--workdir"]).next().cloned();
            self.with_terminal_of(&arguments, |machine| machine.mounted(command, &mounts, working.as_ref(), io));
        } else if !mounts.is_empty() {
            self.possible_mounts(&mounts);
        } else if !command.is_empty() {
            self.with_terminal_of(&arguments, |machine| machine.contained(command, io));
        }
        self.opaque(About::Anything, Reason::ContainerImage, &[program, sub]);
        self.possible_image(image);
    }

    /// A command inside a container without our files.
    fn contained(&mut self, command: &[Arg], io: &mut Io<'_>) {
        let text: Vec<String> = command.iter().map(|word| quoted(word.best())).collect();
        if !text.is_empty() {
            self.remote_text(&text.join(" "), io);
        }
    }

    /// Files and directories that options name: `-f FILE`, `--from-file=KEY=FILE`.
    fn cluster_files(&mut self, words: &[Arg]) {
        const FILES: &[&str] =
            &["-f", "--filename", "--kubeconfig", "--values", "-k", "--kustomize", "--from-env-file", "--set-file"];
        let mut left = words.iter().peekable();
        while let Some(word) = left.next() {
            let (name, attached) = match word.after('=').filter(|_| word.text.starts_with("--")) {
                Some((name, value)) => (name, Some(value)),
                None => (word.text.clone(), None),
            };
            let has_key = matches!(name.as_str(), "--from-file" | "--set-file");
            if !has_key && !FILES.contains(&name.as_str()) {
                continue;
            }
            let Some(file) = attached.or_else(|| left.peek().map(|next| (*next).clone())) else { break };
            let file = file.after('=').filter(|_| has_key).map_or(file.clone(), |(_, file)| file);
            match file.text.as_str() {
                "-" => {}
                text if text.contains("://") => self.connect(&file),
                _ if matches!(name.as_str(), "-f" | "--filename") => self.manifests(&file, words),
                _ => self.path(Role::ReadTree, &file),
            }
        }
    }

    /// A manifest, or a directory: of it only files with the endings of manifests are read, and those below it only where the
    /// words ask for them.
    fn manifests(&mut self, place: &Arg, words: &[Arg]) {
        if !place.is_exact() || MANIFESTS.iter().any(|ending| place.text.ends_with(ending)) {
            return self.path(Role::ReadTree, place);
        }
        let is_deep = words.iter().any(|word| matches!(word.text.as_str(), "-R" | "--recursive" | "--recursive=true"));
        self.possible_path(Role::Read, place);
        let start = format!("{}/", escaped(place.text.trim_end_matches('/')));
        let names: &[&str] = if is_deep { &["**"] } else { &["*", ".*"] };
        for ending in MANIFESTS {
            for name in names {
                let glob = Arg::glob(format!("{start}{name}{ending}"));
                self.path(Role::Read, &Arg { tilde: place.tilde, span: place.span, ..glob });
            }
        }
    }

    pub(super) fn kubectl(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let program = call.words.first().map_or("kubectl", |word| word.text.as_str()).to_owned();
        self.connect_to(None, Some("https"));
        self.cluster_files(call.rest);
        let mut globals = Entry { stops: true, ..Entry::default() };
        let value = OptionRole { role: Role::Value, attached: false };
        globals.options.insert(
            "-n --namespace --context --cluster --user --kubeconfig -s --server --token --as --as-group --request-timeout -f --filename"
                .into(),
            value,
        );
        let outer = Arguments::divide(&globals, call.rest);
        let sub = outer.operands.first().map_or("", |word| word.text.as_str());
        if sub == "exec" {
            let at = call.rest.iter().position(|word| word.literal() == Some("--"));
            let before = at.map_or(call.rest, |at| call.rest.get(..at).unwrap_or_default());
            // Options may follow the pod.
            let options: Vec<Arg> = before.iter().filter(|word| word.text.starts_with('-')).cloned().collect();
            let arguments = Arguments::divide(run_options(), &options);
            self.with_terminal_of(&arguments, |machine| {
                machine.contained(at.and_then(|at| call.rest.get(at + 1..)).unwrap_or_default(), io);
            });
        }
        if sub == "cp" {
            for word in call.rest.iter().skip(1).filter(|word| !word.text.starts_with('-') && !word.text.contains(':'))
            {
                self.path(Role::Edit, word);
            }
        }
        let reads = matches!(
            sub,
            "get"
                | "describe"
                | "logs"
                | "top"
                | "version"
                | "explain"
                | "api-resources"
                | "cluster-info"
                | "list"
                | "status"
                | "history"
                | "exec"
                | "template"
                | "lint"
                | "show"
                | "diff"
                | "auth"
                | "config"
        );
        if !reads {
            self.opaque(About::Anything, Reason::Cluster, &[&program, sub]);
        }
        Stream::Unknown
    }
}

/// The endings of manifests in a directory.
const MANIFESTS: &[&str] = &[".json", ".yaml", ".yml"];

/// `HOST:INSIDE[:OPTIONS]`; the letter of a drive may stand before the first colon.
fn volume(word: &Arg) -> Option<Mount> {
    let drive = match word.text.as_bytes() {
        [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic() => 2,
        _ => 0,
    };
    let end = word.text.get(drive..)?.find(':')? + drive;
    let (host, inside) = word.text.split_at_checked(end)?;
    let inside = inside.trim_start_matches(':').split(':').next().unwrap_or_default();
    Some(Mount { host: word.with(host), inside: inside.to_owned() })
}

/// The value of one of these names in `name=value,name=value`.
pub(super) fn field(word: &Arg, names: &[&str]) -> Option<Arg> {
    word.text.split(',').find_map(|field| {
        let (name, value) = field.split_once('=')?;
        names.contains(&name).then(|| word.with(value))
    })
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn run_options() -> &'static Entry {
    static ENTRY: std::sync::OnceLock<Entry> = std::sync::OnceLock::new();
    ENTRY.get_or_init(|| {
        let entry = options_with_values(
            "-v --volume --mount -e --env --env-file -w --workdir -u --user --name -p --publish --network --net --entrypoint -m \
             --memory --memory-reservation --memory-swap --memory-swappiness --cpus -c --cpu-shares --cpu-period --cpu-quota \
             --cpu-rt-period --cpu-rt-runtime --cpuset-cpus --cpuset-mems --platform -h --hostname --domainname -l --label \
             --label-file --annotation --add-host --cap-add --cap-drop --device --device-cgroup-rule --device-read-bps \
             --device-read-iops --device-write-bps --device-write-iops --blkio-weight --blkio-weight-device --dns --dns-option \
             --dns-search --gpus --ipc --isolation --pid --pids-limit --pull --restart --runtime --security-opt --shm-size \
             --storage-opt --sysctl --tmpfs --ulimit --volume-driver --volumes-from --cidfile -a --attach --link --link-local-ip \
             --log-driver --log-opt --mac-address --ip --ip6 --network-alias --oom-score-adj --expose --group-add --health-cmd \
             --health-interval --health-retries --health-start-interval --health-start-period --health-timeout --stop-signal \
             --stop-timeout --userns --uts --cgroupns --cgroup-parent --detach-keys --index",
        );
        Entry { stops: true, ..entry }
    })
}

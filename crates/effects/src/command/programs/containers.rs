//! Containers: files are theirs, except where a mount makes them ours.

use agent_strace_shell::Provenance;

use crate::command::argument::{Arg, Arguments};
use crate::command::knowledge::{Entry, OptionRole, Role};
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::{About, Reason};

use super::Call;
use super::mounts::Mount;

impl Machine<'_> {
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
                self.contained(arguments.operands.get(1..).unwrap_or_default(), io);
            }
            Some("buildx" | "builder")
                if !matches!(rest.first().and_then(Arg::literal), Some("build" | "bake" | "b" | "f")) =>
            {
                let reads = rest.first().and_then(Arg::literal);
                if !matches!(reads, None | Some("ls" | "du" | "inspect" | "version" | "imagetools" | "history")) {
                    self.opaque(About::Anything, Reason::ImageBuilder, &[&program, &sub.text]);
                }
            }
            Some("build" | "buildx" | "builder" | "bake") => {
                let arguments = Arguments::divide(build_options(), rest);
                for file in arguments.values(&["-f", "--file"]) {
                    self.path(Role::Read, file);
                }
                self.build_sources(&arguments);
                for target in
                    arguments.operands.iter().filter(|word| !matches!(word.text.as_str(), "build" | "bake" | "b" | "f"))
                {
                    if target.text.contains("://") || target.text.starts_with("git@") {
                        self.connect(target);
                        self.foreign_code(Provenance::Network);
                    } else {
                        self.path(Role::ReadTree, target);
                    }
                }
                self.opaque(About::Anything, Reason::RunsBuild, &[&program, "build"]);
                self.dockerfile(io);
            }
            Some("cp") => {
                for (at, word) in rest.iter().filter(|word| !word.text.starts_with('-')).enumerate() {
                    if !word.text.contains(':') {
                        self.path(if at == 0 { Role::ReadTree } else { Role::WriteTree }, word);
                    }
                }
            }
            Some("login" | "logout") => match rest.iter().rfind(|word| !word.text.starts_with('-')) {
                Some(host) if is_host(host.text.split('/').next().unwrap_or_default()) => {
                    self.connect_host(&host.with(host.text.split('/').next().unwrap_or_default()), None, Some("https"));
                }
                _ => self.connect_to(Some("registry:docker"), None),
            },
            Some("tag") => rest.iter().for_each(|image| self.possible_image(image)),
            Some("secret" | "config") if rest.first().is_some_and(|word| word.text == "create") => {
                let arguments = Arguments::divide(run_options(), rest.get(1..).unwrap_or_default());
                for file in arguments.operands.iter().skip(1).filter(|file| file.text != "-") {
                    self.path(Role::Read, file);
                }
                self.opaque(About::Anything, Reason::ContainerEngine, &[&program, &sub.text]);
            }
            Some("pull" | "push" | "search") => match rest.iter().find(|word| !word.text.starts_with('-')) {
                Some(image) => self.image(image),
                None => self.connect_to(Some("registry:docker"), None),
            },
            Some("compose") => self.compose(&program, rest),
            Some(
                "swarm" | "node" | "service" | "secret" | "stack" | "config" | "plugin" | "machine" | "trust" | "pod"
                | "kube" | "generate" | "play" | "scout" | "desktop" | "model" | "mcp" | "checkpoint" | "update",
            ) => {
                let reads = rest.first().and_then(Arg::literal);
                if !matches!(
                    reads,
                    Some("ls" | "ps" | "list" | "inspect" | "logs" | "info" | "status" | "top" | "stats")
                ) {
                    self.opaque(About::Anything, Reason::ContainerEngine, &[&program, &sub.text]);
                }
            }
            Some("save" | "export") => {
                for file in Arguments::divide(run_options(), rest).values(&["-o", "--output"]) {
                    self.path(Role::Write, file);
                }
            }
            Some("load" | "import") => {
                let arguments = Arguments::divide(run_options(), rest);
                for file in arguments.values(&["-i", "--input"]) {
                    self.path(Role::Read, file);
                }
                let source = arguments.operands.first().filter(|_| sub.text == "import");
                if let Some(file) = source {
                    self.role(Role::Source, file, io);
                }
            }
            Some(
                "ps" | "images" | "ls" | "logs" | "inspect" | "version" | "info" | "stats" | "top" | "port" | "diff"
                | "history" | "events" | "context" | "df" | "search-local" | "stop" | "start" | "restart" | "kill"
                | "rm" | "rmi" | "rename" | "wait" | "pause" | "unpause" | "network" | "volume" | "system"
                | "container" | "image" | "--version" | "help" | "completion" | "prune" | "commit" | "attach"
                | "manifest",
            ) => {}
            _ => self.opaque(About::Anything, Reason::UnknownSubcommand, &[&program, &sub.text]),
        }
        Stream::Unknown
    }

    /// The recipe that `build -` reads from standard input.
    fn dockerfile(&mut self, io: &mut Io<'_>) {
        const LINES: usize = 1_000;
        let Some(text) = io.input.text().map(str::to_owned) else { return };
        for line in self.at_most(LINES, text.lines()) {
            let (name, rest) = line.trim().split_once(char::is_whitespace).unwrap_or_default();
            self.base_image(line);
            if name.eq_ignore_ascii_case("run") {
                self.remote_text(rest, io);
            }
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

    fn image(&mut self, image: &Arg) {
        let first = image.text.split('/').next().unwrap_or_default();
        if image.text.contains('/') && is_host(first) {
            self.connect_host(&image.with(first), None, Some("https"));
        } else {
            self.connect_to(Some("registry:docker"), None);
        }
    }

    /// An image that may be there already.
    pub(in crate::command) fn possible_image(&mut self, image: &Arg) {
        let first = image.text.split('/').next().unwrap_or_default();
        if image.text.contains('/') && is_host(first) && !image.text.contains("//") {
            self.guessed(|machine| machine.image(image));
        }
    }

    /// Directories and files that a build gets besides its context, and the images that a known recipe starts from.
    fn build_sources(&mut self, arguments: &Arguments) {
        const LINES: usize = 1_000;
        for context in arguments.values(&["--build-context"]) {
            let Some((_, context)) = context.after('=').filter(|(_, place)| !place.text.contains("://")) else {
                continue;
            };
            self.path(Role::ReadTree, &context);
        }
        for secret in arguments.values(&["--secret"]) {
            if let Some(file) = field(secret, &["src", "source"]) {
                self.path(Role::Read, &file);
            }
        }
        let mut files: Vec<Arg> = arguments.values(&["-f", "--file"]).cloned().collect();
        if files.is_empty() {
            let places =
                arguments.operands.iter().filter(|word| !matches!(word.text.as_str(), "build" | "bake" | "b" | "f"));
            files.extend(places.flat_map(|place| {
                let place = place.with(place.text.trim_end_matches('/'));
                ["Dockerfile", "Containerfile"].map(|name| place.with(format!("{}/{name}", place.text)))
            }));
        }
        for file in files {
            let Some(text) = self.world.content_of(&file).text().map(str::to_owned) else { continue };
            for line in self.at_most(LINES, text.lines()) {
                self.base_image(line);
            }
        }
    }

    /// `FROM [--platform=…] IMAGE`, `COPY --from=IMAGE …`
    fn base_image(&mut self, line: &str) {
        let mut words = line.split_whitespace();
        let name = words.next().unwrap_or_default();
        let image = if name.eq_ignore_ascii_case("from") {
            words.find(|word| !word.starts_with("--"))
        } else if name.eq_ignore_ascii_case("copy") {
            words.find_map(|word| word.strip_prefix("--from="))
        } else {
            None
        };
        if let Some(image) = image {
            self.possible_image(&Arg::exact(image));
        }
    }

    fn docker_run(&mut self, program: &str, sub: &str, words: &[Arg], io: &mut Io<'_>) {
        let arguments = Arguments::divide(run_options(), words);
        let mut mounts = Vec::new();
        for volume in arguments.values(&["-v", "--volume"]) {
            if let Some((host, inside)) = volume.text.split_once(':') {
                mounts.push(Mount {
                    host: volume.with(host),
                    inside: inside.split(':').next().unwrap_or(inside).to_owned(),
                });
            }
        }
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
            self.mounted(command, &mounts, working.as_ref(), io);
        } else if !mounts.is_empty() {
            self.possible_mounts(&mounts);
        } else if !command.is_empty() {
            self.contained(command, io);
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
                _ => self.path(Role::ReadTree, &file),
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
            self.contained(at.and_then(|at| call.rest.get(at + 1..)).unwrap_or_default(), io);
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

/// The value of one of these names in `name=value,name=value`.
fn field(word: &Arg, names: &[&str]) -> Option<Arg> {
    word.text.split(',').find_map(|field| {
        let (name, value) = field.split_once('=')?;
        names.contains(&name).then(|| word.with(value))
    })
}

/// The first part of an image's name is a host.
fn is_host(first: &str) -> bool {
    first.contains(['.', ':']) || first == "localhost"
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// `--pull` is a flag here.
fn build_options() -> &'static Entry {
    static ENTRY: std::sync::OnceLock<Entry> = std::sync::OnceLock::new();
    ENTRY.get_or_init(|| {
        let mut entry = Entry::default();
        entry.options.insert(
            "-f --file -t --tag --build-arg --build-context --target --progress --secret --ssh --cache-from --cache-to --output -o \
             --iidfile --metadata-file --platform --network --add-host --label --shm-size --ulimit --cgroup-parent -m --memory \
             --memory-swap -c --cpu-shares --cpuset-cpus --cpuset-mems --cpu-period --cpu-quota --isolation --attest --allow \
             --annotation --builder --no-cache-filter --call --set"
                .into(),
            OptionRole { role: Role::Value, attached: false },
        );
        entry
    })
}

fn run_options() -> &'static Entry {
    static ENTRY: std::sync::OnceLock<Entry> = std::sync::OnceLock::new();
    ENTRY.get_or_init(|| {
        let mut entry = Entry { stops: true, ..Entry::default() };
        entry.options.insert(
            "-v --volume --mount -e --env --env-file -w --workdir -u --user --name -p --publish --network --net --entrypoint -m --memory \
             --cpus --platform -h --hostname -l --label --add-host --cap-add --cap-drop --device --dns --gpus --ipc --pid --pull --restart \
             --runtime --security-opt --shm-size --tmpfs --ulimit --volumes-from --cidfile -a --attach --link --log-driver --expose --group-add \
             -f --file -t --tag --build-arg --build-context --target --progress --secret --cache-from --cache-to --output -o -i-file --input --stop-signal --userns --detach-keys --index".into(),
            OptionRole { role: Role::Value, attached: false },
        );
        entry
    })
}

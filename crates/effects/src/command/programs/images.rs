//! Images of containers: where they come from and go to, and what building one reads.

use agent_strace_shell::Provenance;

use crate::command::argument::{Arg, Arguments};
use crate::command::knowledge::{Entry, OptionRole, Role};
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::{About, Reason};

use super::containers::field;

impl Machine<'_> {
    /// Handles the subcommands of `docker` that work on images; returns `false` for the others.
    pub(super) fn image_command(&mut self, program: &str, sub: &str, rest: &[Arg], io: &mut Io<'_>) -> bool {
        match sub {
            "build" | "buildx" | "builder" | "bake" => self.image_build(program, sub, rest, io),
            "login" | "logout" => match Arguments::divide(login_options(), rest).operands.first() {
                Some(host) if is_host(host.text.split('/').next().unwrap_or_default()) => {
                    self.connect_host(&host.with(host.text.split('/').next().unwrap_or_default()), None, Some("https"));
                }
                _ => self.connect_to(Some("registry:docker"), None),
            },
            "tag" => rest.iter().for_each(|image| self.possible_image(image)),
            "pull" | "push" | "search" => {
                self.image_transfer(program, sub, &Arguments::divide(transfer_options(), rest).operands);
            }
            // `inspect NAME`, `create LIST NAME…`, `push LIST`
            "manifest" => {
                if let Some(act @ ("inspect" | "create" | "push")) = rest.first().and_then(Arg::literal) {
                    let operands = Arguments::divide(transfer_options(), rest).operands;
                    self.image_transfer(program, act, operands.get(1..).unwrap_or_default());
                }
            }
            "save" | "export" => {
                for file in Arguments::divide(&options_with_values("-o --output --format --platform"), rest)
                    .values(&["-o", "--output"])
                {
                    self.path(Role::Write, file);
                }
            }
            "load" => {
                for file in
                    Arguments::divide(&options_with_values("-i --input --platform"), rest).values(&["-i", "--input"])
                {
                    self.path(Role::Read, file);
                }
            }
            "import" => {
                if let Some(file) = Arguments::divide(import_options(), rest).operands.first() {
                    self.role(Role::Source, file, io);
                }
            }
            _ => return false,
        }
        true
    }

    /// Images that are fetched or sent; a place with a transport is where they come from or go to.
    fn image_transfer(&mut self, program: &str, act: &str, images: &[Arg]) {
        if images.is_empty() {
            self.connect_to(Some("registry:docker"), None);
        }
        for (at, image) in images.iter().enumerate() {
            let role = if act == "push" && at > 0 { Role::WriteTree } else { Role::ReadTree };
            match place(image) {
                _ if !has_transports(program) => self.image(image),
                Place::Registry(image) => self.image(&image),
                _ => self.image_operand(role, image),
            }
        }
    }

    fn image_build(&mut self, program: &str, sub: &str, rest: &[Arg], io: &mut Io<'_>) {
        let act = rest.first().and_then(Arg::literal);
        if matches!(sub, "buildx" | "builder") && !matches!(act, Some("build" | "bake" | "b" | "f")) {
            match act {
                Some("imagetools") => {
                    let arguments = Arguments::divide(transfer_options(), rest.get(2..).unwrap_or_default());
                    let tags = arguments.values(&["-t", "--tag"]);
                    let images: Vec<Arg> = arguments.operands.iter().chain(tags).cloned().collect();
                    self.image_transfer(program, "imagetools", &images);
                }
                None | Some("ls" | "du" | "inspect" | "version" | "history") => {}
                Some(_) => self.opaque(About::Anything, Reason::ImageBuilder, &[program, sub]),
            }
            return;
        }
        let arguments = Arguments::divide(build_options(), rest);
        for file in arguments.values(&["-f", "--file"]) {
            self.path(Role::Read, file);
        }
        for directory in arguments.values(&["--cert-dir"]) {
            self.path(Role::ReadTree, directory);
        }
        self.build_sources(&arguments);
        self.build_results(&arguments);
        for target in build_operands(&arguments) {
            let is_remote =
                ["git@", "github.com/", "gist.github.com/"].iter().any(|start| target.text.starts_with(start));
            if is_remote || target.text.contains("://") {
                self.connect(target);
                self.foreign_code(Provenance::Network);
            } else {
                self.read_for_build(target);
            }
        }
        match self.foreign_project(rest) {
            Some(foreign) => self.opaque(About::Anything, foreign, &[]),
            None => self.opaque(About::Anything, Reason::RunsBuild, &[program, "build"]),
        }
        self.dockerfile(io);
    }

    /// Files that a build leaves here.
    fn build_results(&mut self, arguments: &Arguments) {
        for file in arguments.values(&["--iidfile", "--metadata-file"]) {
            self.path(Role::Write, file);
        }
        for output in arguments.values(&["-o", "--output"]) {
            match field(output, &["dest"]) {
                Some(place) => self.path(Role::WriteTree, &place),
                None if output.text.contains('=') || output.text == "-" => {}
                None => self.path(Role::WriteTree, output),
            }
        }
        for cache in arguments.values(&["--cache-to"]) {
            if let Some(place) = field(cache, &["dest"]) {
                self.path(Role::WriteTree, &place);
            }
        }
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

    /// An image in a registry, a directory or a file, or in a store of its own; the files are there in this role.
    pub(in crate::command) fn image_operand(&mut self, role: Role, word: &Arg) {
        match place(word) {
            Place::Registry(image) if image.text == word.text => {
                self.possible_operand(word);
                self.possible_image(word);
            }
            Place::Registry(image) => self.guessed(|machine| machine.image(&image)),
            Place::Files(path) => self.possible_path(role, &path),
            Place::Store => {}
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
            let places = build_operands(arguments);
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
}

/// The place of an image.
enum Place {
    Registry(Arg),
    /// A file or a directory.
    Files(Arg),
    /// A store of the engine.
    Store,
}

/// `docker://HOST/NAME`, `dir:PATH`, `oci:PATH:NAME`, `docker-daemon:NAME`, or a name alone.
fn place(image: &Arg) -> Place {
    let Some((transport, rest)) = image.after(':') else { return Place::Registry(image.clone()) };
    match transport.as_str() {
        "docker" => Place::Registry(rest.with(rest.text.trim_start_matches('/'))),
        "dir" | "sif" | "tarball" => Place::Files(rest),
        "oci" | "oci-archive" | "docker-archive" | "ocidir" | "ostree" => {
            let path = rest.text.strip_prefix("//").unwrap_or(&rest.text);
            Place::Files(rest.with(path.split(':').next().unwrap_or_default()))
        }
        "containers-storage" | "docker-daemon" | "podman-daemon" => Place::Store,
        _ => Place::Registry(image.clone()),
    }
}

/// Names of images may begin with `dir:`, `oci:` and the like. To `docker`, those are names in its registry.
fn has_transports(program: &str) -> bool {
    matches!(program.rsplit('/').next(), Some("podman" | "podman-remote" | "buildah"))
}

fn build_operands(arguments: &Arguments) -> impl Iterator<Item = &Arg> {
    arguments.operands.iter().filter(|word| !matches!(word.text.as_str(), "build" | "bake" | "b" | "f"))
}

/// The first part of an image's name is a host.
fn is_host(first: &str) -> bool {
    first.contains(['.', ':']) || first == "localhost"
}

pub(super) fn options_with_values(names: &'static str) -> Entry {
    let mut entry = Entry::default();
    entry.options.insert(names.into(), OptionRole { role: Role::Value, attached: false });
    entry
}

fn login_options() -> &'static Entry {
    static ENTRY: std::sync::OnceLock<Entry> = std::sync::OnceLock::new();
    ENTRY.get_or_init(|| {
        options_with_values("-u --username -p --password --authfile --cert-dir --secret --compat-auth-file")
    })
}

fn transfer_options() -> &'static Entry {
    static ENTRY: std::sync::OnceLock<Entry> = std::sync::OnceLock::new();
    ENTRY.get_or_init(|| {
        options_with_values(
            "--platform --arch --os --os-version --os-features --variant --authfile --creds --cert-dir --retry --retry-delay --format \
             --filter -f --file --limit -t --tag --annotation --compression-format --compression-level --digestfile --sign-by \
             --sign-passphrase-file --encryption-key --encrypt-layer --decryption-key --builder --progress",
        )
    })
}

fn import_options() -> &'static Entry {
    static ENTRY: std::sync::OnceLock<Entry> = std::sync::OnceLock::new();
    ENTRY.get_or_init(|| options_with_values("-c --change -m --message --platform --arch --os --variant"))
}

/// `--pull` is a flag here.
fn build_options() -> &'static Entry {
    static ENTRY: std::sync::OnceLock<Entry> = std::sync::OnceLock::new();
    ENTRY.get_or_init(|| {
        options_with_values(
            "-f --file -t --tag --build-arg --build-arg-file --build-context --target --progress --secret --ssh --cache-from \
             --cache-to --output -o --iidfile --metadata-file --platform --network --add-host --label --shm-size --ulimit \
             --cgroup-parent -m --memory --memory-swap -c --cpu-shares --cpuset-cpus --cpuset-mems --cpu-period --cpu-quota \
             --isolation --attest --allow --annotation --builder --no-cache-filter --call --set --security-opt --volume -v --env \
             -e --authfile --creds --cert-dir --format --from --ignorefile --jobs --logfile --runtime --dns --device --cap-add \
             --cap-drop --userns --pid --ipc --arch --os --variant --manifest --timestamp --retry --retry-delay --unsetenv",
        )
    })
}

//! Secrets and personal data in files, by the detectors that judge sessions.

use std::io;

use super::file;
use super::hit::{Location, RepositoryHit};
use agent_strace_model::finding::{Family, Level, RuleId};
use agent_strace_secrets::stream::{self, Detector, Finding, Sink};
use agent_strace_secrets::{Confidence, Hit};

/// What one file is told of; more of it says nothing new.
const MOST: usize = 20;

/// What is certain enough to be a finding.
struct Wanted {
    personal: bool,
}

impl Detector for Wanted {
    fn find(&self, name: Option<&str>, text: &str) -> Vec<Hit> {
        let mut hits = if self.personal {
            agent_strace_secrets::find(name, text)
        } else {
            agent_strace_secrets::secrets(name, text)
        };
        hits.retain(|hit| hit.confidence > Confidence::Low);
        hits
    }

    fn private(&self, text: &str) -> Vec<Hit> {
        agent_strace_secrets::find(None, text)
    }

    fn fingerprint(&self, hit: &Hit, value: &str) -> String {
        agent_strace_secrets::fingerprint(None, hit.rule, value)
    }
}

struct Found<'p> {
    location: &'p Location,
    /// The file is there to hold settings, as environment files, CI and agents' settings are.
    configures: bool,
    hits: Vec<RepositoryHit>,
}

impl Sink for Found<'_> {
    fn bytes(&mut self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn found(&mut self, finding: &Finding<'_>) -> io::Result<()> {
        let Some(rule) = agent_strace_rules::find(finding.hit.rule).filter(|_| self.hits.len() < MOST) else {
            return Ok(());
        };
        let Some(noun) = agent_strace_rules::private::noun(rule) else { return Ok(()) };
        let secret = rule.id.family() == Family::Secret;
        let location = Location { line: u32::try_from(finding.line).ok(), ..self.location.clone() };
        let message = match (secret, &location.origin) {
            (true, super::hit::Origin::Commit(_)) => {
                format!("the history holds {noun}: revoke it; whoever has the repository has it")
            }
            (true, _) => format!("the file holds {noun}: revoke it, and take it out"),
            (false, _) => format!("the file holds {noun}: whose it is did not agree to stand in a repository"),
        };
        // In source, a name alone makes many values look like secrets: texts of forms, test data, colours.
        let by_name = matches!(rule.id, RuleId::SecretKeyedSecret | RuleId::SecretPassword) && !self.configures;
        let is_sure = finding.hit.confidence == Confidence::High && !by_name;
        // Keys of tests open nothing, as a rule.
        let is_test = self.location.file.as_deref().is_some_and(is_test);
        let level = match (secret, is_sure, is_test) {
            (true, true, false) => Level::Error,
            (true, true, true) | (true, false, false) | (false, _, false) => Level::Warning,
            _ => Level::Note,
        };
        self.hits.push(RepositoryHit::new(rule, location, message).at(level).about("value", finding.fingerprint));
        Ok(())
    }
}

/// What a file holds that nobody else should know.
pub(super) fn hits(location: &Location, path: &str, bytes: &[u8]) -> io::Result<Vec<RepositoryHit>> {
    if !is_searched(path) {
        return Ok(Vec::new());
    }
    let configures = file::is_worth_reading(path);
    let mut found = Found { location, configures, hits: Vec::new() };
    let wanted = Wanted { personal: holds_records(path) };
    stream::search(&mut io::Cursor::new(bytes), &wanted, &mut found)?;
    Ok(found.hits)
}

/// Folders of such files, separated by blanks.
const FOLDERS: &str = "test tests testdata fixtures __tests__ __fixtures__ spec specs e2e mocks __mocks__ testing examples \
     example samples docs vendor node_modules third_party";

/// Whether a file is there for tests, shows how something is done, or is somebody else's.
fn is_test(path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let name = parts.next().unwrap_or(path).to_ascii_lowercase();
    let is_named = [".test.", ".spec.", "_test.", "test_", ".example", ".sample", ".template"]
        .iter()
        .any(|part| name.contains(part))
        || name.starts_with("test.")
        || name.starts_with("tests.");
    is_named || parts.any(|part| FOLDERS.split(' ').any(|folder| part.eq_ignore_ascii_case(folder)))
}

/// Names of lockfiles, separated by blanks.
const LOCKS: &str = "package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock deno.lock Cargo.lock \
     poetry.lock uv.lock pdm.lock Pipfile.lock composer.lock Gemfile.lock go.sum flake.lock \
     packages.lock.json gradle.lockfile mix.lock pubspec.lock Podfile.lock go.mod";

/// Whether a file is text that people write: lockfiles are digests of packages, line by line.
pub(super) fn is_searched(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    !LOCKS.split(' ').any(|lock| lock == name) && !is_media(path)
}

/// Extensions, separated by blanks.
const MEDIA: &str = "png jpg jpeg gif webp ico bmp tif tiff mp3 mp4 mov avi webm wav ogg flac woff woff2 ttf otf eot zip gz \
                     xz bz2 zst 7z tar tgz jar war exe dll so dylib a o class wasm pyc pdf psd node onnx safetensors parquet";

/// Pictures, sound, fonts, archives and programs, by their names.
pub(super) fn is_media(path: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    MEDIA.split(' ').any(|media| extension.eq_ignore_ascii_case(media))
}

/// Files of data. Code, prose and manifests name their authors, and the owners of a file are there to be asked.
fn holds_records(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let is_manifest = matches!(
        name.as_str(),
        "package.json" | "package-lock.json" | "composer.json" | "composer.lock" | "codemeta.json"
    );
    !is_manifest
        && matches!(
            extension,
            "csv" | "tsv" | "jsonl" | "ndjson" | "json" | "sql" | "log" | "dump" | "xlsx" | "vcf" | "ldif" | "env"
        )
}

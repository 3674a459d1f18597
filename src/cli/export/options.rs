//! What was asked for, with what the configuration and this machine add.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::super::configuration;
use super::super::environment::{Environment, IdentityKind};
use super::super::failure::{Failure, reason};
use super::super::output;
use super::{ExportArgs, key_file};
use agent_strace_policy::config::anonymize::Anonymizing;
use agent_strace_secrets::anonymize::{Class, Key, MOST_RULES, Options, Pseudonyms, Rule, Vault};

#[derive(Default)]
pub(super) struct Prepared {
    pub(super) options: Options,
    /// What rules of the configuration are called.
    pub(super) descriptions: Vec<Option<String>>,
    /// There is a key file: the key has a name.
    pub(super) is_kept: bool,
    /// The key file was made for this export.
    pub(super) is_new: bool,
}

pub(super) fn prepare(args: &ExportArgs, environment: Environment) -> Result<Prepared, Failure> {
    let mut prepared = Prepared::default();
    if !args.anonymize {
        return Ok(prepared);
    }
    let Anonymizing { rules, identities, keep } =
        configuration::anonymizing(args.anonymize_config.as_deref(), environment.colour)?;
    prepared.descriptions = rules.iter().map(|rule| rule.description.clone()).collect();
    let options = &mut prepared.options;
    options.rules = rules
        .into_iter()
        .take(MOST_RULES)
        .map(|rule| Rule { pattern: rule.pattern, replacement: rule.replacement })
        .collect();
    options.keep = keep;
    options.keep_domains.clone_from(&args.keep_domains);
    let class = |name: &str| Class::of_name(name).unwrap_or(Class::Named);
    options.identities.extend(identities.iter().map(|identity| (class(&identity.class), identity.value.clone())));
    options.identities.extend(of_machine(environment));
    prepared.is_kept = args.key_file.is_some();
    let key = match &args.key_file {
        Some(path) if args.dry_run => key_file::read_if_there(path)?.map_or_else(key_file::random, Ok)?,
        Some(path) => {
            let (key, is_new) = key_file::read_or_make(path)?;
            prepared.is_new = is_new;
            key
        }
        None => key_file::random()?,
    };
    prepared.options.pseudonyms = Some(Pseudonyms { key, scope: String::new() });
    Ok(prepared)
}

impl Prepared {
    /// Pseudonyms are those of one session.
    pub(super) fn of_session(&mut self, session: Option<&str>) {
        if let (Some(pseudonyms), Some(session)) = (&mut self.options.pseudonyms, session) {
            session.clone_into(&mut pseudonyms.scope);
        }
    }

    pub(super) fn key(&self) -> Option<&Key> {
        self.options.pseudonyms.as_ref().map(|pseudonyms| &pseudonyms.key)
    }

    /// Adds what pseudonyms stand for to a vault.
    pub(super) fn keep_originals(&self, path: &Path, originals: &BTreeMap<String, String>) -> Result<(), Failure> {
        let Some(key) = self.key() else { return Ok(()) };
        let mut vault = match path.symlink_metadata() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vault::default(),
            _ => open_vault(path, key)?,
        };
        vault.extend(Vault::new(originals.clone()));
        let sealed = vault.seal(key).map_err(|error| unusable(path, &error.to_string()))?;
        output::write(path, &sealed)
    }
}

pub(super) fn open_vault(path: &Path, key: &Key) -> Result<Vault, Failure> {
    const LARGEST: u64 = 1 << 30;
    let found = path.symlink_metadata().map_err(|error| unusable(path, &reason(&error)))?;
    if !found.is_file() || found.len() > LARGEST {
        return Err(unusable(path, "it is no plain file, or too large for one"));
    }
    let bytes = std::fs::read(path).map_err(|error| unusable(path, &reason(&error)))?;
    Vault::open(&bytes, key).map_err(|error| unusable(path, &error.to_string()))
}

fn unusable(path: &Path, why: &str) -> Failure {
    Failure::new(format!("the vault `{}` can't be used: {why}", path.display()))
}

/// Where what pseudonyms stand for goes, if anywhere.
pub(super) fn vault_path(args: &ExportArgs, output: &Path) -> Option<PathBuf> {
    let beside = || args.reversible.then(|| beside(output));
    args.vault.clone().or_else(beside)
}

pub(super) fn beside(output: &Path) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(".vault");
    PathBuf::from(name)
}

fn of_machine(environment: Environment) -> Vec<(Class, String)> {
    let people = environment.machine.map(|machine| machine.people.as_slice()).unwrap_or_default();
    let class = |named: IdentityKind| match named {
        IdentityKind::Home => Class::Home,
        IdentityKind::User => Class::User,
        IdentityKind::Host => Class::Host,
    };
    people.iter().map(|(named, value)| (class(*named), value.clone())).collect()
}

//! The packages of the repository for cargo.

use std::collections::{BTreeMap, BTreeSet};

use super::Repository;

/// Manifests that are read, and bytes of them.
const MANIFESTS: usize = 1000;
const BYTES: usize = 8 << 20;

impl Repository {
    /// The manifests of the package of this name at the base and at the head. `None`: it is not known which manifests have the name.
    pub(crate) fn manifests_of(&self, package: &str) -> Option<&BTreeSet<String>> {
        self.crates.get_or_init(|| self.crates_by_name().unwrap_or_default()).get(package)
    }

    fn crates_by_name(&self) -> Option<BTreeMap<String, BTreeSet<String>>> {
        let (contents, mut left) = (self.contents()?, BYTES);
        let mut crates: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let is_manifest = |file: &&str| *file == "Cargo.toml" || file.ends_with("/Cargo.toml");
        let files = self.tracked_below("").map(|(_, file)| file).filter(is_manifest);
        for (at, file) in files.enumerate() {
            for content in contents.of(file) {
                left = left.checked_sub(content.len()).filter(|_| at < MANIFESTS)?;
                if let Some(name) = package_name(&String::from_utf8_lossy(&content)) {
                    crates.entry(name).or_default().insert(file.to_owned());
                }
            }
        }
        Some(crates)
    }
}

/// The `name` of the table `[package]`.
fn package_name(manifest: &str) -> Option<String> {
    let mut lines = manifest.lines().map(str::trim).skip_while(|line| *line != "[package]").skip(1);
    let line = lines.by_ref().take_while(|line| !line.starts_with('[')).find_map(|line| line.strip_prefix("name"))?;
    let value = line.trim_start().strip_prefix('=')?.trim();
    let quote = value.chars().next().filter(|first| matches!(first, '"' | '\''))?;
    value.get(1..)?.split(quote).next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::package_name;

    #[test]
    fn a_package_is_called_as_its_manifest_says() {
        for (manifest, expected) in [
            ("[package]\nversion = \"1.0.0\"\nname = \"core-rates\"\n", Some("core-rates")),
            ("[workspace]\nmembers = []\n\n[package]\nname='a'\n", Some("a")),
            ("[workspace]\nmembers = []\n\n[lib]\nname = \"a\"\n", None),
            ("[package]\n\n[lib]\nname = \"a\"\n", None),
        ] {
            assert_eq!(package_name(manifest).as_deref(), expected, "{manifest}");
        }
    }
}

//! Manifests and lockfiles of lines, and files that are not what their name says.

use super::super::tables::Ecosystem;
use super::{List, Reference};

/// Lines with the byte at which each starts.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line)
    })
}

/// Whatever in a text looks like a name of a package, with or without a version: `"@scope/name@1.2.3":`, `/name/1.2.3`.
pub(super) fn tokens(ecosystem: Ecosystem, list: &mut List<'_>) {
    let is_end = |character: char| character.is_whitespace() || "\"'`,:;()[]{}<>=|".contains(character);
    let text = list.text;
    for (start, line) in lines(text) {
        let mut last = "";
        for token in line.split(is_end) {
            let name = without_version(token.trim_start_matches('/'));
            let name = name.rsplit_once("node_modules/").map_or(name, |(_, name)| name);
            if name.len() > 1 && name != last {
                list.package(ecosystem, name, start);
                last = name;
            }
        }
    }
}

/// `name@version` → `name`, `@scope/name@version` → `@scope/name`; an alias is what it stands for.
pub(in crate::repo_audit) fn without_version(token: &str) -> &str {
    let token = token.rsplit_once("@npm:").map_or(token, |(_, name)| name);
    let token = token.strip_prefix("npm:").unwrap_or(token);
    match token.char_indices().skip(1).find(|(_, character)| *character == '@') {
        Some((at, _)) => token.get(..at).unwrap_or(token),
        None => token,
    }
}

/// The name in a requirement of Python: `name[extra]>=1; python_version > "3"`.
pub(super) fn requirement(line: &str) -> Option<&str> {
    let line = line.trim();
    let is_name = |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.');
    let end = line.find(|character: char| !is_name(character)).unwrap_or(line.len());
    line.get(..end).filter(|name| name.starts_with(|first: char| first.is_ascii_alphanumeric()))
}

pub(super) fn requirements(list: &mut List<'_>) {
    for (start, line) in lines(list.text) {
        if let Some(name) = requirement(line) {
            list.package(Ecosystem::Pypi, name, start);
        }
    }
}

/// Module paths of `go.mod`, in and outside of blocks.
pub(super) fn go_module(list: &mut List<'_>) {
    for (start, line) in lines(list.text) {
        let line = line.split("//").next().unwrap_or(line);
        for word in line.split_whitespace().filter(|word| word.contains('/')) {
            list.package(Ecosystem::Go, word, start);
        }
    }
}

/// `gem "name"`, and names alone, as lockfiles have them.
pub(super) fn quoted_after(keyword: &str, ecosystem: Ecosystem, list: &mut List<'_>) {
    for (start, line) in lines(list.text) {
        let line = line.trim();
        let name = match line.strip_prefix(keyword) {
            Some(rest) => rest.trim_start_matches([' ', '(']).split(['"', '\'']).nth(1),
            None => line.split([' ', '(']).next(),
        };
        if let Some(name) = name.filter(|name| !name.is_empty()) {
            list.package(ecosystem, name, start);
        }
    }
}

/// `brew "name"`, `cask "name"`, `npm "name"`.
pub(super) fn brew(list: &mut List<'_>) {
    for (start, line) in lines(list.text) {
        let (word, rest) = line.trim().split_once(' ').unwrap_or_default();
        let Some(name) = rest.split(['"', '\'']).nth(1) else { continue };
        match word {
            "brew" | "cask" => list.package(Ecosystem::Brew, name, start),
            "npm" => list.package(Ecosystem::Npm, name, start),
            "vscode" => list.add(Reference::Extension(name.to_ascii_lowercase()), start),
            _ => {}
        }
    }
}

/// `<PackageReference Include="Name" …>`: attributes are all that counts of the XML.
pub(super) fn dot_net(list: &mut List<'_>) {
    for (start, line) in lines(list.text) {
        let names = line.split("Include=\"").skip(1).filter_map(|rest| rest.split('"').next());
        for name in names {
            list.package(Ecosystem::Nuget, name, start);
        }
    }
}

/// Tools of a version manager: `npm:@openai/codex = "latest"`, `pipx:aider-chat 0.8`.
pub(super) fn versions(list: &mut List<'_>) {
    for (start, line) in lines(list.text) {
        let name = line.trim().trim_start_matches(['"', '\'']);
        let end = name.find(|character: char| character.is_whitespace() || "\"'=".contains(character));
        let name = name.get(..end.unwrap_or(name.len())).unwrap_or(name);
        match name.split_once(':') {
            Some(("npm", name)) => list.package(Ecosystem::Npm, without_version(name), start),
            Some(("pipx", name)) => list.package(Ecosystem::Pypi, name, start),
            Some(("cargo", name)) => list.package(Ecosystem::Cargo, name, start),
            Some(("go", name)) => list.package(Ecosystem::Go, name, start),
            // A tool that is called like its program.
            None if !name.is_empty() && !name.starts_with(['#', '[']) => {
                list.add(Reference::Command(vec![name.to_owned()]), start);
            }
            _ => {}
        }
    }
}

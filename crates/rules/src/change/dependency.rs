//! Lines of manifests that say nothing but which package is wanted in which version.

/// Marks before and between versions: `>= 1.2 < 2`, `^1 || ^2`, `1.0 - 2.0`.
const MARKS: [char; 9] = ['^', '~', '=', '>', '<', '!', '|', ',', ' '];

/// Endings of a number that name a release before or after it: `1.0rc1`, `2.0.post1`.
const RELEASES: &[&str] = &["a", "alpha", "b", "beta", "rc", "pre", "dev", "post", "x", "*"];

/// Words that begin the line of a dependency: in `go.mod`, in a `Gemfile`.
const STATEMENTS: &[&str] = &["require", "gem"];

/// Lists and tables of dependencies begin so, or are empty.
const BEGINS: &[&str] = &["{", "[", "[]", "{}"];

/// Whether a line names a package and its version, or holds no word at all.
pub(super) fn is_dependency(line: &str) -> bool {
    let bare = line.trim().trim_end_matches(',');
    let bare = STATEMENTS.iter().find_map(|word| bare.strip_prefix(word)?.strip_prefix(' ')).unwrap_or(bare);
    if !bare.contains(|each: char| each.is_alphanumeric()) {
        return true;
    }
    let Some((name, version)) = bare.split_once(['=', ':', ' ']) else { return false };
    let version = unquoted(version.trim_start_matches(['=', ' ']));
    let version = version.strip_suffix("// indirect").unwrap_or(version).trim_end();
    let version = version.strip_prefix('(').and_then(|version| version.strip_suffix(')')).unwrap_or(version);
    let name = name.trim_end_matches(['~', '>', '<', '!', '^', ',']);
    is_name(unquoted(name)) && (is_version(version) || BEGINS.contains(&version))
}

fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(['"', '\''])
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|each| each.is_ascii_alphanumeric() || "@/._-[]".contains(each))
}

/// Each part has to be a version: a package manager runs `"postinstall": "1 || npx evil"`.
fn is_version(text: &str) -> bool {
    if let Some(text) = text.strip_prefix("workspace:") {
        return matches!(text, "*" | "^" | "~") || is_version(text);
    }
    if let Some(catalog) = text.strip_prefix("catalog:") {
        return catalog.is_empty() || is_name(catalog);
    }
    let mut parts = text.split(MARKS).filter(|part| !part.is_empty() && *part != "-").peekable();
    parts.peek().is_some() && parts.all(is_one_version)
}

/// `1.2.3`, `v0.1.0-rc.1+build.5`, `1.x`, `2.0b1`, `*`.
fn is_one_version(part: &str) -> bool {
    let (number, release) = part.split_once(['-', '+']).unwrap_or((part, "0"));
    let number = number.strip_prefix('v').unwrap_or(number);
    let is_segment = |segment: &str| {
        let letters = segment.trim_start_matches(|each: char| each.is_ascii_digit());
        let release = letters.trim_end_matches(|each: char| each.is_ascii_digit());
        !segment.is_empty() && (release.is_empty() || RELEASES.contains(&release))
    };
    let starts = number == "*" || number.starts_with(|first: char| first.is_ascii_digit());
    starts
        && number.split('.').all(is_segment)
        && release.chars().all(|each| each.is_ascii_alphanumeric() || ".-+~".contains(each))
}

#[cfg(test)]
mod tests {
    use super::is_dependency;

    #[test]
    fn a_line_names_a_package_and_its_version_or_it_is_none_of_a_dependency() {
        let dependencies = [
            r#""left-pad": "^1.3.0","#,
            r#""a": ">=1.2 <2.0.0-0","#,
            r#""a": "1.x || 2.*","#,
            r#""a": "1.0.0 - 2.0.0""#,
            r#""@types/node": "~20.1","#,
            r#""a": "workspace:*","#,
            r#"serde = "1""#,
            r#"serde = "1.0.0-rc.1+build.5""#,
            "requests==2.31.0",
            "black==24.1b1",
            "a~=1.0.post1",
            r#""fastapi[standard]>=0.115","#,
            "golang.org/x/net v0.17.0 // indirect",
            "golang.org/x/net v0.0.0-20230101000000-abcdef123456",
            r#""dependencies": {"#,
            "dependencies = []",
            r#""a": "workspace:^","#,
            r#""a": "catalog:""#,
            r#""requests (>=2.31.0,<3.0.0)","#,
            r#"gem "rails", "~> 7.1""#,
            "require golang.org/x/net v0.17.0",
            "require (",
            "},",
        ];
        let others = [
            r#""postinstall": "1 || npx evil""#,
            r#""postinstall": "1|evil""#,
            r#""postinstall": "1, evil""#,
            r#""start": "7z x.zip""#,
            r#""start": "7z""#,
            r#""start": "node evil.js""#,
            r#""start": "evil""#,
            r#""a": "npm:evil@1""#,
            r#""a": "||""#,
            r#""postinstall": "(1; evil)""#,
            r#"gem "evil", git: "https://evil.example/x""#,
            "require evil",
            "evil",
        ];
        for line in dependencies {
            assert!(is_dependency(line), "{line}");
        }
        for line in others {
            assert!(!is_dependency(line), "{line}");
        }
    }
}

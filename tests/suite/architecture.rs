//! Arrows between modules go one way: this table is the architecture, the test reads the sources.

use std::fs;
use std::path::{Path, PathBuf};

/// Module → what it may use. `lib.rs` and `main.rs` may use anything.
const ALLOWED: &[(&str, &[&str])] = &[
    // What only tests need.
    ("schemas", &[]),
    ("model", &[]),
    ("finding", &[]),
    ("shell", &[]),
    ("privacy", &[]),
    ("scrub", &["privacy"]),
    ("proxy", &[]),
    ("anonymize", &["privacy", "scrub"]),
    ("git", &[]),
    ("change", &["git"]),
    ("ingest", &["model", "git"]),
    ("triage", &["model", "schemas"]),
    ("effects", &["model", "shell", "finding"]),
    ("config", &["policy", "finding", "schemas"]),
    ("prices", &["model"]),
    ("policy", &["effects", "finding", "git", "prices", "schemas"]),
    ("measures", &["model", "effects", "prices"]),
    (
        "rules",
        &[
            "model", "effects", "policy", "config", "finding", "measures", "prices", "privacy", "scrub", "schemas",
            "git", "change",
        ],
    ),
    ("eval", &["model", "effects", "policy", "rules", "finding", "measures", "prices", "config", "schemas"]),
    ("compare", &["measures", "schemas"]),
    ("engine", &["model", "effects", "policy", "config", "rules", "finding", "measures", "eval", "change"]),
    ("lab", &["model", "effects", "policy", "engine", "finding"]),
    ("backtest", &["model", "effects", "policy", "rules", "engine", "finding"]),
    (
        "report",
        &[
            "schemas", "model", "finding", "policy", "rules", "engine", "lab", "privacy", "backtest", "eval", "config",
            "compare", "measures", "prices", "sweep", "change", "doctor", "triage",
        ],
    ),
    ("generate", &["model", "finding", "effects", "policy", "privacy"]),
    ("export", &["model", "shell", "effects", "policy", "engine", "finding"]),
    ("store", &["model", "privacy", "schemas"]),
    ("capture", &["model", "store"]),
    ("setup", &["capture"]),
    ("sweep", &["config", "effects", "finding", "git", "model", "policy", "privacy", "rules", "scrub"]),
    ("doctor", &["policy", "sweep"]),
    ("telemetry", &["model", "measures", "prices"]),
    ("watch", &["model", "effects", "policy", "config", "finding", "measures", "prices", "schemas"]),
    (
        "cli",
        &[
            "model",
            "finding",
            "shell",
            "privacy",
            "git",
            "ingest",
            "effects",
            "policy",
            "rules",
            "engine",
            "report",
            "store",
            "telemetry",
            "triage",
            "config",
            "lab",
            "generate",
            "schemas",
            "backtest",
            "export",
            "measures",
            "prices",
            "eval",
            "compare",
            "scrub",
            "anonymize",
            "sweep",
            "doctor",
            "change",
            "capture",
            "setup",
            "proxy",
            "watch",
        ],
    ),
];

#[test]
fn modules_only_use_what_the_table_allows() {
    let mut wrong = Vec::new();
    for file in sources(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        let module = module_of(&file);
        if module == "lib" || module == "main" {
            continue;
        }
        let (_, allowed) = ALLOWED
            .iter()
            .find(|(name, _)| *name == module)
            .unwrap_or_else(|| panic!("module `{module}` is not in the table"));
        let text = fs::read_to_string(&file).unwrap();
        for used in used_modules(&text) {
            if used != module && !allowed.contains(&used.as_str()) {
                wrong.push(format!("{} uses `{used}`", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "arrows that the table does not allow:\n{}", wrong.join("\n"));
}

#[test]
fn every_module_of_the_table_exists() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (module, allowed) in ALLOWED {
        for name in allowed.iter().chain([module]) {
            let here = src.join(name).join("mod.rs").exists() || src.join(format!("{name}.rs")).exists();
            assert!(here, "`{name}` is in the table but not in src/");
        }
    }
}

fn sources(folder: PathBuf) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(path));
        } else if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("tests.rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn module_of(file: &Path) -> String {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let first = file.strip_prefix(src).unwrap().components().next().unwrap();
    first.as_os_str().to_string_lossy().trim_end_matches(".rs").to_owned()
}

/// Names after `crate::` outside comments, also in `use crate::{a::B, c}`.
fn used_modules(text: &str) -> Vec<String> {
    let code: String = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let mut used = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        if let Some(group) = rest.strip_prefix('{') {
            used.extend(top_level_names(group));
        } else {
            used.push(identifier(rest));
        }
    }
    used
}

fn top_level_names(group: &str) -> Vec<String> {
    let (mut depth, mut start, mut names) = (0_u32, true, Vec::new());
    for (at, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => start = true,
            _ if start && !character.is_whitespace() => {
                names.push(identifier(&group[at..]));
                start = false;
            }
            _ => {}
        }
    }
    names
}

fn identifier(text: &str) -> String {
    text.chars().take_while(|character| character.is_alphanumeric() || *character == '_').collect()
}

//! `extends`: files of the same repository that this policy builds on, each pinned by its digest.

use std::ops::Range;

use super::{Data, Key, Parser, Value, nearest, quoted};
use crate::grammar;

pub(crate) const ROLES: &[&str] = &["floor", "base"];

/// One file, and what it is to this one.
#[derive(Debug, Clone)]
pub(crate) struct Extension {
    /// Relative to the folder of the file that names it, `/` between components.
    pub path: String,
    /// 64 hex digits, in lower case.
    pub sha256: String,
    pub role: Role,
    pub pointer: String,
    /// Where the three stand in the file.
    pub(crate) path_span: Range<usize>,
    pub(crate) digest_span: Range<usize>,
    pub(crate) role_span: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It judges beside this policy, and the stricter one counts.
    Floor,
    /// What this policy does not state is what that one states.
    Base,
}

impl Role {
    pub fn name(self) -> &'static str {
        match self {
            Self::Floor => "floor",
            Self::Base => "base",
        }
    }
}

impl Parser<'_> {
    pub(super) fn extends(&mut self, value: &Value) -> Vec<Extension> {
        let Data::List(items) = &value.data else {
            let path = if let Data::Text(path) = &value.data { path.as_str() } else { "org-scope.json" };
            let message = format!("`extends` is {}, not a list of objects", value.data.name());
            let example = serde_json::json!([{ "path": path, "sha256": "…", "role": "base" }]);
            let help =
                format!("write {example} with the digest that `sha256sum` prints; a `floor` can only be narrowed");
            self.fault(value, "/extends", message, Some(help));
            return Vec::new();
        };
        let mut extensions: Vec<Extension> = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let Some(extension) = self.extension(item, &format!("/extends/{index}")) else { continue };
            let twice = extensions.iter().any(|other| other.path == extension.path);
            let second_base = extension.role == Role::Base && extensions.iter().any(|other| other.role == Role::Base);
            if twice {
                let message = format!("{} is extended twice", quoted(&extension.path));
                let help = Some("name it once".to_owned());
                self.faults.push(extension.path_span, &format!("{}/path", extension.pointer), message, help);
            } else if second_base {
                let message = "a policy has one base: of two, the order would decide".to_owned();
                let help = Some("let the base extend the other one, or make this one a `floor`".to_owned());
                self.faults.push(extension.role_span, &format!("{}/role", extension.pointer), message, help);
            } else {
                extensions.push(extension);
            }
        }
        extensions
    }

    fn extension(&mut self, value: &Value, pointer: &str) -> Option<Extension> {
        let members = self.members(value, pointer, &grammar::EXTENSION)?;
        let (path, path_span) = self.member(value, &members, pointer, "path")?;
        let (sha256, digest_span) = self.member(value, &members, pointer, "sha256")?;
        let (role, role_span) = self.member(value, &members, pointer, "role")?;
        let path = match local(&path) {
            Ok(path) => Some(path),
            Err((message, help)) => {
                self.faults.push(path_span.clone(), &format!("{pointer}/path"), message, Some(help));
                None
            }
        };
        let sha256 = sha256.to_ascii_lowercase();
        let is_digest = sha256.len() == 64 && sha256.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_digest {
            let message = format!("{} is no SHA-256 digest of 64 hex digits", quoted(&sha256));
            let help = Some("`sha256sum FILE` prints it".to_owned());
            self.faults.push(digest_span.clone(), &format!("{pointer}/sha256"), message, help);
        }
        let role = match role.as_str() {
            "floor" => Some(Role::Floor),
            "base" => Some(Role::Base),
            other => {
                let help = nearest(other, ROLES).map_or_else(
                    || {
                        "`floor`: it judges, too, and the stricter one counts; `base`: this file may replace its lists"
                            .to_owned()
                    },
                    |near| format!("did you mean `{near}`?"),
                );
                let message = format!("{} is no role", quoted(other));
                self.faults.push(role_span.clone(), &format!("{pointer}/role"), message, Some(help));
                None
            }
        };
        let pointer = pointer.to_owned();
        let (path, role) = path.zip(role).filter(|_| is_digest)?;
        Some(Extension { path, sha256, role, pointer, path_span, digest_span, role_span })
    }

    /// A text that has to stand there.
    fn member(
        &mut self,
        value: &Value,
        members: &[(&Key, &Value)],
        pointer: &str,
        key: &str,
    ) -> Option<(String, Range<usize>)> {
        let Some((_, found)) = members.iter().find(|(name, _)| name.name == key) else {
            let message = format!("`{key}` is missing");
            let help = "write `{\"path\": …, \"sha256\": …, \"role\": \"floor\"}`".to_owned();
            self.faults.push(value.span.start..value.span.start + 1, pointer, message, Some(help));
            return None;
        };
        let Data::Text(text) = &found.data else {
            self.wrong_type(found, &format!("{pointer}/{key}"), "a string");
            return None;
        };
        Some((text.clone(), found.span.clone()))
    }
}

/// A file that is there wherever the repository is.
fn local(path: &str) -> Result<String, (String, String)> {
    let shown = quoted(path);
    let path = path.replace('\\', "/");
    if path.contains("://") {
        let help = "copy it into the repository: nothing is fetched while a change is judged".to_owned();
        return Err((format!("{shown} is no file"), help));
    }
    if path.trim().is_empty() || path.contains(char::is_control) {
        return Err((format!("{shown} names no file"), "write a path such as `.github/org-scope.json`".to_owned()));
    }
    if super::super::path::is_anchored(&path) {
        let help = "name a file of the repository, relative to this one: others are not there in CI".to_owned();
        return Err((format!("{shown} is not a relative path"), help));
    }
    Ok(path)
}

//! The use that programs make of the files which they gather below a directory or by a glob.

use super::index;
use crate::Purpose;

/// Families of programs that check, format, compile or test what they gather.
const CHECKING: &[&str] = &["build", "compilers", "linters", "tests"];

/// Programs of other families that do so, or fill a directory with what they bring.
const ALSO_CHECKING: &[&str] = &["terraform", "terragrunt", "tofu", "venv", "virtualenv"];

/// Programs that show numbers, digests or kinds of what they read, and none of its content, sorted.
pub const COUNTING: &[&str] = &[
    "b2sum",
    "b3sum",
    "cksum",
    "cloc",
    "crc32",
    "file",
    "gocloc",
    "hashdeep",
    "loc",
    "md5",
    "md5sum",
    "rhash",
    "scc",
    "sha1sum",
    "sha224sum",
    "sha256sum",
    "sha384sum",
    "sha512sum",
    "shasum",
    "sum",
    "tokei",
    "wc",
    "xxhsum",
];

/// Programs that look for a pattern, and show little of what they read, sorted.
const SEARCHING: &[&str] = &[
    "ack", "ag", "ast-grep", "cmp", "ctags", "egrep", "etags", "fgrep", "ggrep", "grep", "pdfgrep", "rg", "rga",
    "ripgrep", "sg", "test", "ug", "ugrep", "zgrep",
];

/// The use that a program makes of files, by its bare name.
pub(crate) fn purpose_of(program: &str) -> Purpose {
    if [SEARCHING, COUNTING].iter().any(|names| names.binary_search(&program).is_ok()) {
        return Purpose::Search;
    }
    if ALSO_CHECKING.contains(&program) {
        return Purpose::Check;
    }
    match index::find(program) {
        Some(builtin) if CHECKING.contains(&builtin.family) => Purpose::Check,
        _ => Purpose::Whole,
    }
}

#[cfg(test)]
mod tests {
    use super::{COUNTING, Purpose, SEARCHING, index, purpose_of};

    #[test]
    fn searching_programs_are_known_and_sorted() {
        assert!(SEARCHING.is_sorted() && COUNTING.is_sorted());
        for name in SEARCHING.iter().chain(COUNTING) {
            assert!(index::find(name).is_some(), "{name}");
        }
    }

    #[test]
    fn programs_gather_files_for_a_purpose() {
        for (program, purpose) in [
            ("rg", Purpose::Search),
            ("wc", Purpose::Search),
            ("eslint", Purpose::Check),
            ("terraform", Purpose::Check),
            ("cat", Purpose::Whole),
            ("tar", Purpose::Whole),
            ("a-program-of-somebody", Purpose::Whole),
        ] {
            assert_eq!(purpose_of(program), purpose, "{program}");
        }
    }
}

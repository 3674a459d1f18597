use agent_strace_testing::work::assert_linear;

use super::{Answer, Glob};

#[test]
fn path_patterns_of_version_1() {
    let cases: &[(&str, &[&str], &[&str])] = &[
        ("src/**", &["src", "src/a.py", "src/a/b/c.py"], &["srcx", "lib/src/a", "src2/a"]),
        (".env", &[".env", "config/.env", "/etc/.env"], &[".envx", "env", ".env/x"]),
        ("*.md", &["README.md", "docs/a/b.md", ".md"], &["README.mdx"]),
        ("docs/*", &["docs/a", "docs/a/b/c"], &["docs", "doc/a"]),
        ("**/*.rs", &["a.rs", "src/a.rs", "src/x/y.rs"], &["a.rst"]),
        ("a/**/b", &["a/b", "a/x/b", "a/x/y/b"], &["a/xb", "ab", "xa/b"]),
        ("**", &["", "a", "a/b", "/etc/passwd", "~/x"], &[]),
        ("[!a]bc", &["xbc", "q/xbc"], &["abc"]),
        ("a[]]b", &["a]b"], &["ab"]),
        ("a[b", &["a[b"], &["ab"]),
        ("a{b,c}", &["a{b,c}"], &["ab"]),
        ("[z-a]", &[], &["z", "a", ""]),
        ("file?.txt", &["file1.txt", "fileé.txt"], &["file.txt", "file12.txt"]),
        ("src/**/", &[], &["src"]),
        ("x**y", &["xy", "xaby", "x/y"], &["x"]),
        ("**/**/**/a", &["a", "b/a", "b/c/d/a"], &["ab"]),
    ];
    for (pattern, matching, others) in cases {
        let glob = Glob::path(pattern);
        for text in *matching {
            assert!(glob.matches(text), "`{pattern}` must match `{text}`");
            assert_eq!(glob.meets(&Glob::literal(text)), Answer::Yes, "`{pattern}` meets `{text}`");
            assert_eq!(Glob::literal(text).within(&[&glob]), Answer::Yes, "`{text}` within `{pattern}`");
        }
        for text in *others {
            assert!(!glob.matches(text), "`{pattern}` must not match `{text}`");
            assert_eq!(glob.meets(&Glob::literal(text)), Answer::No, "`{pattern}` meets `{text}`");
            assert_eq!(Glob::literal(text).within(&[&glob]), Answer::No, "`{text}` within `{pattern}`");
        }
    }
}

#[test]
fn patterns_of_effects_against_patterns_of_policies() {
    // Effect, policy pattern, whether they meet, whether the effect is included.
    let cases = [
        ("src/*.rs", "src/**", Answer::Yes, Answer::Yes),
        ("src/*", "src/**", Answer::Yes, Answer::Yes),
        ("src/*.rs", "*.rs", Answer::Yes, Answer::Yes),
        ("s*/x", "src/**", Answer::Yes, Answer::No),
        (".e*", ".env", Answer::Yes, Answer::No),
        (".e?v", ".env", Answer::Yes, Answer::No),
        ("[.]env", ".env", Answer::Yes, Answer::Yes),
        ("src/**", ".env", Answer::Yes, Answer::No),
        ("src/*", "secrets/**", Answer::No, Answer::No),
        ("**", "src/**", Answer::Yes, Answer::No),
        ("**", "**", Answer::Yes, Answer::Yes),
        ("a[*]b", "a[*]b", Answer::Yes, Answer::Yes),
        ("src/**.rs", "src/**", Answer::Yes, Answer::Yes),
        (".e[[:alpha:]]v", ".env", Answer::Yes, Answer::No),
        (".e[[=n=]]v", ".env", Answer::Yes, Answer::No),
        (".e[[.n.]]v", ".env", Answer::Yes, Answer::Yes),
        (".e[![:digit:]]v", ".env", Answer::Yes, Answer::No),
        (".e[[:digit:]]v", ".env", Answer::No, Answer::No),
        (".gith[^x]b/x", ".github/**", Answer::Yes, Answer::No),
        // Dots in first place.
        ("*", ".env", Answer::No, Answer::No),
        ("*.ts", ".env.*", Answer::No, Answer::No),
        ("src/*.ts", "*.ts", Answer::Yes, Answer::Yes),
        ("*.ts", "[!.]*.ts", Answer::Yes, Answer::Yes),
        ("*.ts", ".ts", Answer::No, Answer::No),
        ("?env", ".env", Answer::No, Answer::No),
        ("[!a]env", ".env", Answer::No, Answer::No),
        ("*nv", "nv", Answer::Yes, Answer::No),
        ("*/*", ".git/x", Answer::No, Answer::No),
        ("**/*", "a/.env", Answer::No, Answer::No),
        ("config/.*", "config/.env", Answer::Yes, Answer::No),
        ("**.ts", ".env.*", Answer::Yes, Answer::No),
    ];
    for (effect, policy, meets, within) in cases {
        let (inner, outer) = (Glob::shell(effect), Glob::path(policy));
        assert_eq!(inner.meets(&outer), meets, "`{effect}` meets `{policy}`");
        assert_eq!(inner.within(&[&outer]), within, "`{effect}` within `{policy}`");
    }
}

#[test]
fn inclusion_looks_at_all_patterns_together() {
    let (low, high) = (Glob::path("src/[a-m]*"), Glob::path("src/[!a-m]*"));
    let inner = Glob::effect("src/?");
    assert_eq!(inner.within(&[&low]), Answer::No);
    assert_eq!(inner.within(&[&high]), Answer::No);
    assert_eq!(inner.within(&[&low, &high]), Answer::Yes);
    assert_eq!(inner.within(&[]), Answer::No);
}

#[test]
fn subtrees_cover_the_directory_and_all_below() {
    let tree = Glob::folder("src");
    assert!(tree.matches("src") && tree.matches("src/a/b") && !tree.matches("srcx"));
    assert_eq!(tree.within(&[&Glob::path("src/**")]), Answer::Yes);
    assert_eq!(tree.within(&[&Glob::path("src/*")]), Answer::No);
    assert_eq!(tree.meets(&Glob::path("src/secret/*.key")), Answer::Yes);
    let all = Glob::anything_relative();
    assert_eq!(all.meets(&Glob::path("~/.ssh/**")), Answer::No);
    assert_eq!(all.meets(&Glob::path(".ssh/**")), Answer::Yes);
    assert_eq!(all.within(&[&Glob::path("**")]), Answer::Yes);
    assert!(Glob::anywhere(&Glob::path("a/*")).matches("x/y/a/b"));
    assert!(Glob::after("/repo/", &Glob::path("a/*")).matches("/repo/a/b"));
}

/// A directory is compared without a search where it can be; the search is the referee.
#[test]
fn a_directory_is_within_what_the_search_says() {
    let folders = ["src", "src/a", "s", "srcx", ".", "a b/é"];
    let others =
        ["src/**", "src", "src/*", "**", "s*/**", "src/a/**", "**/a/**", "*", "./**", "a b/**", "src/a/", "src/"];
    for folder in folders {
        let tree = Glob::folder(folder);
        for other in others.iter().flat_map(|other| [Glob::path(other), Glob::effect(other), Glob::fnmatch(other)]) {
            let said = tree.within(&[&other]);
            assert_eq!(said, super::search::within(&tree, &[&other]), "{folder} in {other:?}");
        }
    }
}

/// The peer needs 46 seconds for this one.
#[test]
fn many_double_stars_stay_linear() {
    let pattern = "**/a/".repeat(9) + "b";
    // Texts that the start, the end and the pairs of characters do not settle.
    let open = "**/a/".repeat(9) + "b*";
    let text = |size: usize| "a/".repeat(size) + "c";
    let (glob, open) = (Glob::path(&pattern), Glob::path(&open));
    assert!(!glob.matches(&text(27)));
    assert_eq!(glob.meets(&Glob::literal(&text(27))), Answer::No);
    assert_linear("open", 1_000, |size| {
        let _ = open.matches(&("a/b/".repeat(size) + "c"));
    });
}

#[test]
fn a_folder_is_the_subtree_of_its_name() {
    for name in ["src", "a/b", "ä/[x]*", "/etc", "", "."] {
        let (folder, subtree) = (Glob::folder(name), Glob::subtree(&Glob::literal(name)));
        assert_eq!(folder.steps, subtree.steps, "{name}");
        assert_eq!((&folder.prefix, &folder.suffix), (&subtree.prefix, &subtree.suffix), "{name}");
        assert_eq!((folder.pairs, &folder.below), (subtree.pairs, &subtree.below), "{name}");
    }
}

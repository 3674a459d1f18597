//! Domains and local parts of addresses that belong to nobody in particular.

use std::sync::LazyLock;

use super::text::{has, rows};

static TOP_LEVEL: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| rows(include_str!("tables/top_level_domains.txt")).collect());

static EXEMPT: LazyLock<Exempt> = LazyLock::new(Exempt::read);

#[derive(Default)]
struct Exempt {
    domains: Vec<&'static str>,
    suffixes: Vec<&'static str>,
    locals: Vec<&'static str>,
    internal: Vec<&'static str>,
    code: Vec<&'static str>,
}

impl Exempt {
    fn read() -> Self {
        let mut exempt = Self::default();
        for (what, words) in rows(include_str!("tables/addresses.tsv")).filter_map(|row| row.split_once('\t')) {
            let list = match what {
                "domain" => &mut exempt.domains,
                "suffix" => &mut exempt.suffixes,
                "local" => &mut exempt.locals,
                "internal" => &mut exempt.internal,
                _ => &mut exempt.code,
            };
            list.extend(words.split(' '));
        }
        for list in
            [&mut exempt.domains, &mut exempt.suffixes, &mut exempt.locals, &mut exempt.internal, &mut exempt.code]
        {
            list.sort_unstable();
        }
        exempt
    }
}

/// What the end of a domain says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// The root zone has it, or it is a name of a local network.
    Known,
    /// The root zone has it, and so have names in programs.
    Code,
    /// Only what stands beside the address can tell.
    Unknown,
}

/// What the end of a domain in lower case says.
pub(super) fn ending(domain: &str) -> Ending {
    let last = domain.rsplit('.').next().unwrap_or_default();
    if has(&EXEMPT.code, last) {
        return Ending::Code;
    }
    let known = has(&TOP_LEVEL, last) || has(&EXEMPT.internal, last) || last.starts_with("xn--") || !last.is_ascii();
    if known { Ending::Known } else { Ending::Unknown }
}

/// Whether a domain in lower case is kept free for examples, or names programs.
pub(super) fn is_nobodys(domain: &str) -> bool {
    let mut rest = domain;
    loop {
        if has(&EXEMPT.domains, rest) {
            return true;
        }
        match rest.split_once('.') {
            Some((_, parent)) => rest = parent,
            None => return has(&EXEMPT.suffixes, rest),
        }
    }
}

/// Whether a local part in lower case is one of programs.
pub(super) fn is_program(local: &str) -> bool {
    has(&EXEMPT.locals, local)
        || local.ends_with("-noreply")
        || local.ends_with("+noreply")
        || local.starts_with("noreply")
}

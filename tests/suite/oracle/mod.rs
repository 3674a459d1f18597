//! Truth, not opinion: bash under strace is the referee.
//!
//! Every text runs for real, in a jail that is thrown away. Each file that the kernel saw being read, written or deleted,
//! each host that was connected to and each program that ran must be covered by an effect that the gate reported for the
//! same text, or the gate must have said that it could not resolve the text. A text that wrote nothing must not be said
//! to write.

mod commands;
mod families;
mod ignored;
mod jail;
mod judge;
mod line;
mod reported;
mod sessions;
mod table;
mod trace;

use std::fs;

use agent_strace_testing::corpus::data;
use rayon::prelude::*;

use self::jail::Jail;
use self::judge::{Text, Verdict, judge};
use self::table::Table;
use self::trace::Act;
use crate::world::{project, skipped};

/// The gate may say of this many quiet texts that they write, also where two percent of a small set are fewer.
const FEW: usize = 2;

/// The texts that fail are shown up to this many of a kind.
const SHOWN: usize = 400;

#[test]
fn what_really_happened_is_covered_by_effects() {
    let Some(template) = template() else { return };
    let mut texts = commands::own();
    texts.extend(families::generated(&texts));
    texts.extend(sessions::recorded(&data()));
    if let Some(only) = std::env::var_os("AGENT_STRACE_ORACLE_ONLY").and_then(|only| only.into_string().ok()) {
        texts.retain(|text| text.source.starts_with(&only));
    }
    let verdicts = judged(&texts, &template);
    report(&verdicts);
    let (known, verdicts): (Vec<Verdict>, Vec<Verdict>) = verdicts.into_iter().partition(is_known);
    eprintln!("{} texts are known gaps", known.len());
    let table = Table::of(&verdicts);
    eprintln!("{table}");
    hold(&table);
}

/// The file system every text starts from; `None`, and it says so, where commands can't be jailed or traced.
fn template() -> Option<Jail> {
    let jail = Jail::bare();
    let script = fs::read_to_string(project().join("tests/oracle/template.sh")).unwrap();
    let Err(problem) = Jail::possible() else {
        jail.prepare(&script).unwrap_or_else(|complaint| panic!("the template was not made: {complaint}"));
        return Some(jail);
    };
    let required = std::env::var_os("AGENT_STRACE_ORACLE").is_some_and(|value| value == "required");
    assert!(!required, "commands can't run under strace in a jail: {problem}");
    skipped(&format!("effects are not compared with what really happens: {problem}"));
    None
}

fn judged(texts: &[Text], template: &Jail) -> Vec<Verdict> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
    pool.install(|| texts.par_iter().map(|text| judge(text, template)).collect())
}

/// Gaps that are known, and why they are still there. A text that holds one of these counts in no row.
const KNOWN: &[(&str, &str)] = &[
    ("perl -e 'chmod", "a list that starts with a number"),
    ("getent hosts", "asks a name server, as a lookup of users does not"),
    ("cd linked", "a directory that is a link in the repository, when only a command and no repository is judged"),
];

fn is_known(verdict: &Verdict) -> bool {
    KNOWN.iter().any(|(part, _)| verdict.text.contains(part)) && verdict.source != "sessions"
}

/// What is wrong, text by text.
fn report<'a>(verdicts: &'a [Verdict]) {
    for act in [Act::Write, Act::Delete, Act::Connect, Act::Execute, Act::Read] {
        let first = |verdict: &'a Verdict| Some((verdict, verdict.missed().find(|observed| observed.act == act)?));
        for (verdict, observed) in verdicts.iter().filter_map(first).take(SHOWN) {
            let real = observed.real.as_ref().map(|real| format!(" → {real}")).unwrap_or_default();
            eprintln!(
                "missed {act:?} {}{real} by {} [{}]: {}",
                observed.target, observed.by, verdict.source, verdict.text
            );
        }
    }
    for verdict in verdicts.iter().filter(|verdict| verdict.says_too_much()).take(SHOWN) {
        eprintln!("wrote nothing, but {:?} was claimed [{}]: {}", verdict.claim, verdict.source, verdict.text);
    }
}

/// The goals.
fn hold(table: &Table) {
    let all = &table.all;
    for act in [Act::Write, Act::Delete, Act::Connect, Act::Execute] {
        assert_eq!(all.missed(act), 0, "real acts of the kind {act:?} without an effect");
    }
    let (missed, reads) = (all.missed(Act::Read), all.done(Act::Read));
    assert!(missed * 1000 <= reads * 5, "{missed} of {reads} reads are not covered");
    // What a family hides would be written, were the branch taken: only everyday and real commands have to be quiet.
    let plain = table.rows.iter().filter(|(source, _)| source.starts_with("own") || *source == "sessions");
    let (loud, quiet) = plain.fold((0, 0), |(loud, quiet), (_, row)| (loud + row.loud, quiet + row.quiet));
    assert!(loud * 100 <= (quiet * 2).max(FEW * 100), "{loud} of {quiet} quiet texts are said to write");
}

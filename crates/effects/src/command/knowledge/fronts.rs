//! Programs that run another program with their own arguments, and second names of programs: `fronts.tsv` says for which
//! words each of them stands.

use super::lines;

const FRONTS: &str = include_str!("fronts.tsv");

/// The words that `name` stands for (`curl`, `sudo -e`): its arguments follow them.
pub(crate) fn words(name: &str) -> Option<std::str::SplitWhitespace<'static>> {
    Some(lines::line(FRONTS, name)?.split_once('\t')?.1.split_whitespace())
}

#[cfg(test)]
mod tests {
    use super::super::builtin;
    use super::{FRONTS, words};

    #[test]
    fn every_front_stands_for_a_program_and_has_no_entry_of_its_own() {
        assert!(FRONTS.lines().is_sorted());
        for line in FRONTS.lines() {
            let name = line.split('\t').next().unwrap();
            let program = words(name).and_then(|mut words| words.next()).unwrap();
            assert!(builtin(program).is_some() && builtin(name).is_none(), "{name}");
        }
    }
}

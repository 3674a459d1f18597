//! Names that have one meaning in all programs: `option_names.tsv` gives the role of an option (`--output-file`, `-outfile`,
//! `--outputFile`), `variables.tsv` the role of a variable of the environment and the places that hold without it, and `option_variables.tsv` the program whose
//! options a variable holds. `application_code.tsv` says which subcommands of runners are given code.
//!
//! A family's file decides about the options of its programs. The tables decide about the options that it does not mention.

use super::{Language, Role, lines};

const OPTION_NAMES: &str = include_str!("option_names.tsv");
const VARIABLES: &str = include_str!("variables.tsv");
const OPTION_VARIABLES: &str = include_str!("option_variables.tsv");
const APPLICATION_CODE: &str = include_str!("application_code.tsv");
/// No name of the table is longer.
const LONGEST: usize = 40;

/// Returns the role of an option's value by the name of the option, with or without its dashes.
pub(super) fn option(name: &str) -> Option<Role> {
    let bare = name.trim_start_matches('-');
    if bare.len() < 3 || bare.len() > LONGEST {
        return None;
    }
    role(OPTION_NAMES, &plain(bare))
}

/// The value of an option is data by the option's name, in every program. Without dashes it is the name of a field
/// (`-f title=TEXT`).
pub(crate) fn holds_text(name: &str) -> bool {
    option(name) == Some(Role::Text)
}

/// Returns the role of a variable's value by the name of the variable.
pub(crate) fn variable(name: &str) -> Option<Role> {
    role(VARIABLES, name)
}

/// Returns whether the program that reads the variable keeps its files at this place even if the variable is not set. Homes of
/// users are `~`.
pub(crate) fn is_default(variable: &str, place: &str) -> bool {
    let defaults = lines::line(VARIABLES, variable).and_then(|line| line.split('\t').nth(2));
    defaults.is_some_and(|places| places.split(',').any(|default| default == place))
}

/// Returns the program, with its subcommand, whose options the variable holds.
pub(crate) fn program_of(variable: &str) -> Option<&'static str> {
    Some(lines::line(OPTION_VARIABLES, variable)?.split_once('\t')?.1)
}

/// Returns the language of the code that a subcommand of an application's runner is given, and where the code stands: the
/// names of options, `1` for the first operand, `-` for standard input alone.
pub(crate) fn application_code(program: &str, subcommand: &str) -> Option<(Language, &'static str)> {
    let mut columns = lines::line(APPLICATION_CODE, &format!("{program} {subcommand}"))?.split('\t').skip(1);
    let language = match columns.next()? {
        "javascript" => Language::Javascript,
        "php" => Language::Php,
        "python" => Language::Python,
        "ruby" => Language::Ruby,
        _ => Language::Other,
    };
    Some((language, columns.next()?))
}

fn role(table: &'static str, name: &str) -> Option<Role> {
    Role::named(lines::line(table, name)?.split('\t').nth(1)?)
}

/// `outputFile` and `output_file` are `output-file`.
fn plain(name: &str) -> String {
    let mut plain = String::with_capacity(name.len() + 4);
    let mut after_small = false;
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && after_small {
            plain.push('-');
        }
        after_small = letter.is_ascii_lowercase() || letter.is_ascii_digit();
        plain.push(if letter == '_' { '-' } else { letter.to_ascii_lowercase() });
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_in_order_and_name_roles() {
        for table in [OPTION_NAMES, VARIABLES] {
            let names: Vec<&str> = table.lines().map(lines::name).collect();
            assert!(table.is_ascii());
            assert!(names.is_sorted_by(|one, next| one < next));
            for name in names {
                assert!(role(table, name).is_some_and(|role| !role.is_flag()), "{name}");
            }
        }
        assert!(OPTION_NAMES.lines().all(|line| lines::name(line).len() <= LONGEST));
    }

    #[test]
    fn tables_of_options_and_code_are_in_order() {
        for table in [OPTION_VARIABLES, APPLICATION_CODE] {
            let names: Vec<&str> = table.lines().map(lines::name).collect();
            assert!(table.is_ascii() && names.is_sorted_by(|one, next| one < next));
        }
        for line in OPTION_VARIABLES.lines() {
            let program = line.split(['\t', ' ']).nth(1).unwrap();
            assert!(crate::command::knowledge::builtin(program).is_some(), "{program}");
        }
        assert_eq!(program_of("GOFLAGS"), Some("go build"));
        assert_eq!(application_code("rails", "runner"), Some((Language::Ruby, "1")));
        assert_eq!(application_code("rails", "server"), None);
    }

    #[test]
    fn names_mean_the_same_however_they_are_written() {
        for (name, expected) in [
            ("--output-file", Some(Role::Write)),
            ("--outputFile", Some(Role::Write)),
            ("--output_file", Some(Role::Write)),
            ("-outfile", Some(Role::Write)),
            ("--config-file", Some(Role::Read)),
            ("--outDir", Some(Role::WriteTree)),
            ("--output", None),
            ("-o", None),
            ("--", None),
        ] {
            assert_eq!(option(name), expected, "{name}");
        }
    }
}

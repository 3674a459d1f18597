//! Whether a command works on another place than the directory that it runs in: what its options and operands say.

use super::argument::Arg;
use crate::World;

/// Programs that build and test a project, and where they are told which one.
struct ProjectTool {
    programs: &'static [&'static str],
    /// Options whose value is the directory of a project, or the file that describes it.
    options: &'static [&'static str],
    /// Operands may be paths.
    operands: bool,
}

const PROJECT_TOOLS: &[ProjectTool] = &[
    ProjectTool { programs: &["cargo"], options: &["-C", "--manifest-path"], operands: false },
    ProjectTool {
        programs: &["npm", "pnpm", "yarn", "bun", "npx", "bunx"],
        options: &["-C", "--prefix", "--dir", "--cwd"],
        operands: false,
    },
    ProjectTool {
        programs: &["make", "gmake", "just", "task", "rake", "mage", "invoke"],
        options: &[
            "-C",
            "--directory",
            "-f",
            "--file",
            "--makefile",
            "--justfile",
            "-d",
            "--working-directory",
            "--dir",
        ],
        operands: false,
    },
    ProjectTool {
        programs: &["mvn", "mvnw", "gradle", "gradlew"],
        options: &["-f", "--file", "-p", "--project-dir"],
        operands: false,
    },
    ProjectTool { programs: &["go"], options: &["-C"], operands: true },
    ProjectTool {
        programs: &["pytest", "py.test", "unittest"],
        options: &["--rootdir", "-s", "--start-directory"],
        operands: true,
    },
    ProjectTool {
        programs: &["jest", "vitest"],
        options: &["--rootDir", "--root", "-r", "--dir", "-c", "--config"],
        operands: true,
    },
    ProjectTool { programs: &["ctest"], options: &["--test-dir"], operands: false },
    ProjectTool {
        programs: &["tox", "nox"],
        options: &["-c", "-f", "--conf", "--noxfile", "--root", "--workdir"],
        operands: false,
    },
    ProjectTool {
        programs: &["composer", "swift", "mix", "bazel", "deno"],
        options: &["-d", "--working-dir", "--package-path", "--config", "-c"],
        operands: false,
    },
    ProjectTool { programs: &["dotnet", "phpunit", "rspec"], options: &["-c", "--configuration"], operands: true },
];

impl World {
    /// It is told to work on what is not of the workspace, or on what nobody knows.
    pub(super) fn works_elsewhere(&self, argv: &[Arg]) -> bool {
        let Some((program, words)) = argv.split_first() else { return false };
        let program = name(program);
        // `python -m pytest`
        let module = || words.iter().position(|word| word.text == "-m").and_then(|at| words.get(at + 1)).map(name);
        let program = if program.starts_with("python") { module().unwrap_or(program) } else { program };
        let Some(placed) = PROJECT_TOOLS.iter().find(|placed| placed.programs.contains(&program)) else { return false };
        let mut before = "";
        words.iter().any(|word| {
            let option = std::mem::replace(&mut before, word.text.as_str());
            if placed.options.contains(&option) {
                return !word.is_exact() || self.is_word_outside(word);
            }
            match word.after('=').filter(|_| word.text.starts_with('-')) {
                Some((name, value)) => {
                    placed.options.contains(&name.as_str()) && (!value.is_exact() || self.is_word_outside(&value))
                }
                // What follows a long option is mostly its value.
                None => {
                    placed.operands
                        && !word.text.starts_with('-')
                        && !option.starts_with("--")
                        && self.is_word_outside(word)
                }
            }
        })
    }

    fn is_word_outside(&self, word: &Arg) -> bool {
        self.is_outside(&self.locate_word(word).0.path)
    }
}

/// `./gradlew`, `pytest.exe`
fn name(program: &Arg) -> &str {
    let name = program.text.rsplit(['/', '\\']).next().unwrap_or(&program.text);
    name.strip_suffix(".exe").unwrap_or(name)
}

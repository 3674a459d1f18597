//! Build runners whose operands are goals, all of which they run.

/// How a runner's words are read.
pub(super) struct Runner {
    names: &'static [&'static str],
    /// Options whose value is the next word. It is no goal, and may be one that the runner leaves out or only shows.
    valued: &'static [&'static str],
    options: Options,
    rest: Rest,
}

/// The place of the runner's own options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Options {
    Anywhere,
    /// Behind a goal, they are the goal's.
    InFront,
}

/// The place of a word among the arguments of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// No operand is before it.
    Front,
    Behind,
}

/// The meaning of the words behind `--`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rest {
    Goals,
    /// Words for the commands of a goal.
    Arguments,
}

const RUNNERS: &[Runner] = &[
    Runner {
        names: &["make", "gmake"],
        valued: &[
            "-C",
            "--directory",
            "-f",
            "--file",
            "--makefile",
            "-I",
            "--include-dir",
            "-o",
            "--old-file",
            "--assume-old",
            "-W",
            "--what-if",
            "--new-file",
            "--assume-new",
            "-E",
            "--eval",
        ],
        options: Options::Anywhere,
        rest: Rest::Goals,
    },
    Runner {
        names: &["ninja"],
        valued: &["-C", "-f", "-j", "-k", "-l", "-t", "-d", "-w"],
        options: Options::Anywhere,
        rest: Rest::Goals,
    },
    Runner {
        names: &["rake"],
        valued: &[
            "-f",
            "--rakefile",
            "-C",
            "--directory",
            "-I",
            "--libdir",
            "-r",
            "--require",
            "-R",
            "--rakelibdir",
            "-e",
            "--execute",
            "-E",
            "--execute-continue",
            "-p",
            "--execute-print",
            "-T",
            "--tasks",
            "-D",
            "--describe",
            "-W",
            "--where",
        ],
        options: Options::Anywhere,
        rest: Rest::Goals,
    },
    Runner {
        names: &["gradle", "gradlew"],
        valued: &[
            "-b",
            "--build-file",
            "-c",
            "--settings-file",
            "-g",
            "--gradle-user-home",
            "-I",
            "--init-script",
            "-p",
            "--project-dir",
            "--project-cache-dir",
            "-x",
            "--exclude-task",
            "--include-build",
            "--tests",
            "--args",
            "--task",
            "--configuration",
            "--dependency",
            "--console",
            "--max-workers",
            "--priority",
            "--warning-mode",
            "-F",
            "--dependency-verification",
            "-M",
            "--write-verification-metadata",
        ],
        options: Options::Anywhere,
        rest: Rest::Goals,
    },
    Runner {
        names: &["mvn", "mvnw", "mvnd"],
        valued: &[
            "-f",
            "--file",
            "-s",
            "--settings",
            "-gs",
            "--global-settings",
            "-t",
            "--toolchains",
            "-gt",
            "--global-toolchains",
            "-pl",
            "--projects",
            "-rf",
            "--resume-from",
            "-P",
            "--activate-profiles",
            "-D",
            "--define",
            "-T",
            "--threads",
            "-l",
            "--log-file",
            "-b",
            "--builder",
        ],
        options: Options::Anywhere,
        rest: Rest::Goals,
    },
    Runner {
        names: &["ant"],
        valued: &[
            "-f",
            "-file",
            "-buildfile",
            "-l",
            "-logfile",
            "-logger",
            "-listener",
            "-lib",
            "-propertyfile",
            "-inputhandler",
            "-main",
            "-nice",
        ],
        options: Options::Anywhere,
        rest: Rest::Goals,
    },
    Runner {
        names: &["task", "go-task"],
        valued: &[
            "-d",
            "--dir",
            "-t",
            "--taskfile",
            "-o",
            "--output",
            "-C",
            "--concurrency",
            "-I",
            "--interval",
            "--sort",
            "--summary",
        ],
        options: Options::Anywhere,
        rest: Rest::Arguments,
    },
    Runner {
        names: &["invoke", "inv"],
        valued: &[
            "-c",
            "--collection",
            "-f",
            "--config",
            "-r",
            "--search-root",
            "-D",
            "--list-depth",
            "-F",
            "--list-format",
            "-T",
            "--command-timeout",
            "-h",
            "--help",
        ],
        options: Options::InFront,
        rest: Rest::Arguments,
    },
];

/// The runner that a program is.
pub(super) fn runner(program: &str) -> Option<&'static Runner> {
    RUNNERS.iter().find(|runner| runner.names.contains(&program))
}

impl Runner {
    pub(super) fn takes_value(&self, option: &str, place: Place) -> bool {
        (place == Place::Front || self.options == Options::Anywhere) && self.valued.contains(&option)
    }

    pub(super) fn rest(&self) -> Rest {
        self.rest
    }
}

//! The functions that know a program better than data can, by the names that the data have for them.

use serde::Deserialize;

/// A program's own grammar: `special` in the data, a function in [`crate::command::programs`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Special {
    Agent,
    ApplyPatch,
    Ar,
    Aria2,
    At,
    Attributes,
    Awk,
    Build,
    Bun,
    Cat,
    /// It reads a chart that is a directory, or fetches one.
    Chart,
    Cloud,
    Cmake,
    Cmd,
    /// Its statements are code, not SQL.
    CodeDatabase,
    Compress,
    Compiler,
    Copy,
    CoreDump,
    Cpio,
    Crontab,
    Curl,
    Database,
    Date,
    Dc,
    Dd,
    Debugger,
    Deno,
    Dig,
    Docker,
    Echo,
    Ed,
    Env,
    Fd,
    Ffmpeg,
    Filter,
    Find,
    Flock,
    Gh,
    Git,
    GoModule,
    Graphviz,
    Httpie,
    Hyperfine,
    Imagemagick,
    InPlaceNames,
    Install,
    Interpreter,
    Ip,
    Jar,
    Jq,
    Kubectl,
    Less,
    Link,
    LooseWrapper,
    Macros,
    Man,
    Mkdir,
    Mktemp,
    Move,
    Nc,
    Npx,
    /// It opens a file or a page with another program.
    Opener,
    Openssl,
    OtherVcs,
    /// It packs the project, or fetches a package.
    PackageArchive,
    /// It runs a package, which may be an interpreter.
    PackageRun,
    /// It writes settings of a package manager.
    PackageConfig,
    Parallel,
    Patch,
    Perl,
    Powershell,
    Printf,
    Rpm,
    Rsync,
    Runuser,
    Scp,
    Script,
    Search,
    Sed,
    Session,
    Setup,
    PackageSettings,
    SevenZip,
    Shell,
    Socat,
    Split,
    Sqlite,
    Ssh,
    Sudo,
    SystemdRun,
    Tar,
    Tee,
    Telnet,
    Test,
    Tmux,
    Traced,
    Unzip,
    Vim,
    Watch,
    Websocat,
    Wget,
    Which,
    Xargs,
    Xmllint,
    Yq,
    Zip,
}

impl Special {
    /// Options before the subcommand say what it works on.
    pub(crate) fn takes_global_options(self) -> bool {
        matches!(self, Self::PackageConfig | Self::PackageSettings)
    }

    /// Words of it that its function leaves without an effect are data: names to match, text to print, programs in a
    /// language of its own.
    pub(crate) fn has_data_for_words(self) -> bool {
        matches!(
            self,
            Self::Awk
                | Self::Date
                | Self::Echo
                | Self::Fd
                | Self::Filter
                | Self::Find
                | Self::Jq
                | Self::Perl
                | Self::Printf
                | Self::Search
                | Self::Sed
                | Self::Test
                | Self::Which
        )
    }
}

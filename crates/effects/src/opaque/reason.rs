//! Every reason for which an effect is opaque, with its class and its wording.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};

use agent_strace_shell::{Problem, Provenance};

use super::Class;
use crate::command::knowledge::{Text, Unproven};

/// Makes [`Reason`] of a table: for each class the reasons that name nothing of the call, then those that do.
macro_rules! reasons {
    ($($class:ident { $($reason:ident: $wording:literal,)* })*) => {
        /// Why an effect is opaque. Reasons that read the same are equal: a report shows one of them.
        #[derive(Debug, Clone)]
        pub enum Reason {
            $($(#[doc = $wording] $reason,)*)*
            /// An assignment of this variable decides what later programs run.
            SteeringVariable(String),
            /// There is no entry for a program of this name.
            UnknownProgram(String),
            /// A program of this name reads settings that the session wrote.
            WrittenSettings(String),
            ShellText(Problem),
            /// `command` runs code of this origin.
            ForeignCode { provenance: Provenance, command: String },
            /// The data or the policy say in these words what a program does beyond its arguments.
            Declared { wording: Text, class: Class },
        }

        impl Reason {
            /// The class of effects that are opaque for this reason.
            pub fn class(&self) -> Class {
                match self {
                    $($(Self::$reason)|* => Class::$class,)*
                    Self::WrittenSettings(_) => Class::Changed,
                    // The shell takes the character for part of a word; only a reader may overlook it.
                    Self::ShellText(Problem::ControlCharacter) => Class::Unknown,
                    Self::SteeringVariable(_) | Self::UnknownProgram(_) => Class::Unknown,
                    Self::ShellText(_) | Self::ForeignCode { .. } => Class::Hidden,
                    Self::Declared { class, .. } => *class,
                }
            }

            /// Lower case, one line; names the construct, not the log's text.
            fn wording(&self) -> Cow<'_, str> {
                Cow::Borrowed(match self {
                    $($(Self::$reason => $wording,)*)*
                    Self::SteeringVariable(name) => {
                        return Cow::Owned(format!("the variable {name} changes what programs run"));
                    }
                    Self::UnknownProgram(name) => return Cow::Owned(format!("the program `{name}` is not known")),
                    Self::WrittenSettings(name) => {
                        return Cow::Owned(format!("`{name}` starts with settings that this session wrote"));
                    }
                    Self::ForeignCode { provenance, command } => {
                        let act = match provenance {
                            Provenance::Network => "runs code that comes from another host",
                            Provenance::Decoded => "runs code that was decoded or unpacked",
                            Provenance::Socket => "gives another host a shell",
                        };
                        return Cow::Owned(format!("{act} (`{command}`)"));
                    }
                    Self::ShellText(problem) => {
                        return Cow::Owned(format!("shell text is not understood: {problem}"));
                    }
                    Self::Declared { wording, .. } => wording,
                })
            }
        }
    };
}

reasons! {
    Delegated {
        RunsBuild: "runs the project's build",
        RunsModule: "runs a module",
        InstallsLocked: "installs the packages that the lock file names",
        FetchesPackage: "fetches the package where it is not installed",
        ScriptNotWritten: "runs a script that was not written in this session",
        ScriptEdited: "runs a script that this session edited",
        SedScriptNotWritten: "runs a sed script that was not written in this session",
        UnreadCodeLoaded: "loads code that is not read",
        ProgramNotRead: "runs a program that is not read",
        ModuleNotRead: "calls code of a module that is not read",
        NamesInText: "puts names of files into the text of a shell",
    }
    Changed {
        RunsPackage: "runs a package",
        RunsComposeFile: "runs what the compose file says",
        ScriptContentUnknown: "runs a script whose content in this session is not known",
        ClonedScript: "runs a script of a repository that was cloned in this session",
        ClonedCode: "runs code of a repository that was cloned in this session",
        ForeignRevision: "runs code of a revision that is not known to be the repository's",
        SkillContentUnknown: "runs what a skill says whose content in this session is not known",
        RecipeContentUnknown: "runs recipes whose content in this session is not known",
        UncertainRecipe: "runs a recipe whose name is not known",
        MakefileNotEvaluated: "a makefile with parts that are not evaluated",
        ScriptsUnreadable: "runs scripts that can't be read",
        JustfileNotRead: "a justfile with settings that are not read",
        TaskfileNotRead: "a Taskfile with parts that are not read",
        GitSettingsChanged: "git's settings were changed in this session in a way that is not known",
        HooksDirectoryChanged: "runs hooks from a directory that was set in this session",
    }
    State {
        AnotherRevision: "writes files of another revision",
        FetchedRevision: "writes files of the fetched revision",
        SubmoduleFiles: "writes files of a submodule",
        StashedFiles: "writes files of a stash",
        RestoresFiles: "puts changed files back",
        AnotherRepository: "writes files of another repository",
        SubtreeCommits: "makes commits of a directory's history",
    }
    Unknown {
        UnknownSubcommand: "the subcommand is not known",
        UnknownOption: "an option is not known",
        UnknownGitSubcommand: "a subcommand or alias that is not known",
        UnknownPowerShellCommand: "a PowerShell command that is not known",
        UnknownPowerShellMethod: "a method that is not known",
        UnknownTool: "what this tool does is not known",
        UnknownMcpTool: "what this MCP tool does is not known",
        UnlistedTool: "what this tool does is not known, and no list of tools names it",
        UnknownToolTarget: "what this tool works on is not known",
        SurprisingOption: "an option makes it do more than its arguments say",
        ArbitrarySettings: "settings can make the program do anything",
        OptionsFile: "takes options from a file",
        ProgramNotNamed: "runs a program that is not named",
        OtherPrograms: "runs other programs",
        CommandFile: "runs commands from a file",
        EditorScript: "runs an editor script",
        EditorCommandNotRead: "runs an editor command that is not read",
        DatabaseCommandNotRead: "runs a command that is not read",
        DatabaseCommandFile: "a command of the database's shell reads or writes files",
        DatabaseStatements: "runs database statements",
        StatementFile: "a statement reads or writes files",
        StartUpFile: "runs a start-up file",
        ProgramTextNotRead: "runs program text that is not read",
        LoadsCode: "loads code",
        CodeElsewhere: "runs code from outside of the workspace",
        SettingRunsCommand: "a setting that makes later calls run a command",
        LoadsLibrary: "loads a library",
        LoadsBuiltin: "loads a builtin from a file",
        AliasDefined: "an alias changes what later commands run",
        AnotherAgent: "runs another agent, whose session is not part of this one",
        ContainerImage: "runs a container image",
        ImageBuilder: "changes what builds images",
        ContainerEngine: "changes what the container engine runs",
        Cluster: "changes a cluster",
        HostingService: "changes a hosting service",
        GitPrograms: "takes git's programs from another directory",
        ForeignConfiguration: "uses another repository's configuration",
        ConfiguredRepositories: "runs in repositories that the configuration names",
        GitNetworkProgram: "runs another program over the network",
        ConfiguredTool: "runs a configured tool",
        ConfiguredPager: "runs the configured pager",
        ComparedFiles: "gives the compared files to a command",
        FoundFiles: "gives the found files to a command",
        ArchiveCommand: "gives the archive to a command",
        RemoteProgram: "runs a program on the other side",
        PerhapsHere: "acts on a host that may be this machine",
        CommandRemote: "a remote that runs a command",
        GitRunsPrograms: "a git setting that makes git run other programs",
        GitRunsCommand: "a git setting that makes git run a command",
        ObjectsOfInput: "shows objects that its input names",
        IndexOfInput: "commits what its input names",
        StoredCredentials: "reads or writes stored credentials",
        ListedFiles: "reads files that a list names",
        ListedPacked: "packs files that a list names",
        InputPacked: "packs files that its input names",
        ArchivePaths: "unpacks to paths that the archive names",
        PatchReads: "reads files that a patch names",
        PatchWrites: "writes files that a patch names",
        FilterFiles: "a filter reads or writes a file that it names",
        ProgramReads: "may read files that the program names",
        Environment: "prints the environment",
        Variables: "prints variables",
        WaitsForConnections: "waits for connections",
        ConnectedProgram: "connects a program to another host",
        UnknownFunction: "calls a function that is not known",
        UnknownMethod: "calls a method that is not known",
        LineSeparator: "the text holds a line separator that is none for the shell",
        PageScript: "a script in a web page",
    }
    Hidden {
        UnknownCommandText: "the text of a command is not known",
        ComputedSubcommand: "the subcommand is not known",
        ComputedProgram: "the program's name is not known",
        EvaluatesUnknownText: "evaluates text that is not known",
        UncertainInputCommands: "runs commands from its input, which is not certain",
        UnknownInputCommands: "runs commands from its input, which is not known",
        UncertainInputProgram: "runs a program from its input, which is not certain",
        UnknownInputProgram: "runs a program from its input, which is not known",
        RemoteInputCommands: "runs commands from its input on another host",
        InteractiveClient: "runs an interactive client",
        KeysTyped: "types keys into another program",
        AnotherSession: "runs commands in another session",
        AnotherShell: "runs commands of another shell",
        History: "runs commands from the history",
        EncodedCommands: "runs encoded commands",
        CodeNotRead: "runs a program that is not read",
        MagicCommand: "runs a magic command",
        UnknownProgramText: "the text of a program is not known",
        UnknownCommandRun: "runs a command whose text is not known",
        UnknownCode: "runs code or commands that are not known",
        UnknownModuleRun: "runs a module that is not known",
        UncertainScript: "runs a script that is not certain",
        UnknownScript: "runs a script that is not known",
        PackageFromUrl: "runs what a package brings that comes from a URL",
        ScriptFromCode: "runs a script",
        UnknownRecipes: "runs recipes that are not known",
        UnknownGitAlias: "an alias that is not known",
        UnknownGitSetting: "a git setting that is not known",
        UnknownHooksDirectory: "hooks from a directory that is not known",
        UnknownExpression: "a part of the expression is not known",
        UnknownEditorCommand: "the text of an editor command is not known",
        UnknownStatements: "database statements that are not known",
        UnknownSedScript: "runs a sed script that is not known",
        SedScriptNotUnderstood: "runs a sed script that is not understood",
        SedRunsInput: "sed runs what it makes of its input",
        AwkNotUnderstood: "runs an awk program that is not understood",
        EvaluatesText: "evaluates text",
        CallsValue: "calls a value",
        FunctionPassedOn: "names a function that is called elsewhere",
        EffectfulValue: "uses a function with effects as a value",
        ImportsNotFollowed: "imports names that are not followed",
        AnotherEnvironment: "runs a command in another environment",
        UnknownCodeLoaded: "loads code that is not known",
        UnknownOpened: "opens a file or a command that is not known",
        ReadingDirection: "the text holds marks that change its reading direction",
        UnreadablePatch: "the patch can't be read",
        LanguageNotNamed: "code in a language that is not named",
        CodeMode: "a script in code mode",
        MalformedArguments: "the call's arguments are missing or of the wrong type",
        GateStopped: "stops the program that judges the agent",
        GateReplaced: "puts another command in the place of the program that judges the agent",
        GateCallRemoved: "takes a call of the program that judges the agent out of a file",
        TooManyCommands: "too many commands: the call runs more than 20,000",
        TooManyEffects: "too many effects: the call has more than 50,000",
        TooManyItems: "too many items: a list is longer than what is looked at",
        TooManyWays: "too many combinations: a command may find more than 64 of values and texts",
        TooMuchWork: "too much to work out: the call costs more than 262,144 steps",
        SessionTooMuchWork: "too much to work out: the calls of the session have used up its steps",
        CommandsNestedTooDeeply: "commands nested too deeply: more than 128 levels",
        ProgramNestedTooDeeply: "runs a program that is nested too deeply",
        TooManyLinks: "the session made more links than are followed",
    }
}

impl Reason {
    /// It is an act on the program that judges the agent.
    pub fn is_about_gate(&self) -> bool {
        matches!(self, Self::GateStopped | Self::GateReplaced | Self::GateCallRemoved)
    }

    /// The name of the call that the wording quotes.
    pub(crate) fn quoted_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::SteeringVariable(name) | Self::UnknownProgram(name) | Self::WrittenSettings(name) => Some(name),
            Self::ForeignCode { command, .. } => Some(command),
            _ => None,
        }
    }
}

impl From<&Unproven> for Reason {
    fn from(unproven: &Unproven) -> Self {
        Self::Declared { wording: unproven.reason.clone(), class: unproven.class() }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.wording())
    }
}

impl PartialEq for Reason {
    fn eq(&self, other: &Self) -> bool {
        self.wording() == other.wording()
    }
}

impl Eq for Reason {}

impl Hash for Reason {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.wording().hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::Reason;
    use crate::command::LIMITS;
    use crate::world::STEPS;

    /// `20,000`
    fn shown(number: usize) -> String {
        if number < 1_000 { number.to_string() } else { format!("{},{:03}", number / 1_000, number % 1_000) }
    }

    #[test]
    fn reasons_name_the_limits_that_hold() {
        let limits = [
            (Reason::TooManyCommands, LIMITS.commands),
            (Reason::TooManyEffects, LIMITS.effects),
            (Reason::TooMuchWork, STEPS),
            (Reason::CommandsNestedTooDeeply, LIMITS.depth),
        ];
        for (reason, limit) in limits {
            assert!(reason.to_string().contains(&shown(limit)), "{reason}");
        }
    }
}

//! PowerShell, minimally: the cmdlets that agents use on files and URLs; everything else is opaque.

use crate::effects::About;
use crate::effects::command::argument::Arg;
use crate::effects::command::knowledge::{self, Role};
use crate::effects::command::machine::Machine;
use crate::effects::command::programs::Call;
use crate::effects::command::simple::Io;
use crate::effects::command::stream::Stream;

impl Machine<'_> {
    pub(crate) fn powershell(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let mut left = call.rest.iter();
        while let Some(word) = left.next() {
            let option = word.text.to_ascii_lowercase();
            match option.as_str() {
                "-c" | "-command" | "/c" | "/command" => {
                    let rest: Vec<&str> = left.by_ref().map(Arg::best).collect();
                    self.powershell_text(&rest.join(" "), io);
                    return Stream::Unknown;
                }
                "-e" | "-enc" | "-ec" | "-encodedcommand" | "-encoded" => {
                    self.opaque(About::Anything, "runs encoded commands", &[]);
                    return Stream::Unknown;
                }
                "-f" | "-file" => {
                    if let Some(file) = left.next() {
                        self.path(Role::Read, file);
                        let program = call.words.first().map_or("pwsh", |word| word.text.as_str()).to_owned();
                        return self.run_file(
                            &file.clone(),
                            Some(knowledge::Language::Powershell),
                            &[],
                            &[&program, &file.text],
                            io,
                        );
                    }
                }
                "-executionpolicy" | "-ex" | "-ep" | "-version" | "-windowstyle" | "-inputformat" | "-outputformat"
                | "-configurationname" | "-workingdirectory" | "-wd" => {
                    left.next();
                }
                _ if option.starts_with('-') => {}
                _ => {
                    let rest: Vec<&str> = std::iter::once(word).chain(left.by_ref()).map(Arg::best).collect();
                    self.powershell_text(&rest.join(" "), io);
                    return Stream::Unknown;
                }
            }
        }
        self.unread_input(io)
    }

    /// PowerShell text. Its commands are recorded as written.
    pub(crate) fn powershell_text(&mut self, text: &str, io: &mut Io<'_>) {
        for statement in statements(text) {
            if !self.may_run() {
                return;
            }
            self.powershell_statement(&statement, io);
        }
    }

    fn powershell_statement(&mut self, words: &[Arg], io: &mut Io<'_>) {
        let words = match words {
            [mark, rest @ ..] if matches!(mark.text.as_str(), "&" | ".") => rest,
            words => words,
        };
        let Some(first) = words.first() else { return };
        let name = first.text.to_ascii_lowercase();
        if !first.is_exact() || name.starts_with(['$', '[', '(', '@', '{', '\'', '"']) {
            self.opaque(About::Anything, "a PowerShell expression that is not read", &[]);
            return;
        }
        let (targets, named) = operands(words.get(1..).unwrap_or_default());
        let recursive = named.iter().any(|(option, _)| option.starts_with("-rec") || option == "-r");
        let role = match name.as_str() {
            "remove-item" | "ri" | "del" | "erase" | "rd" | "rmdir" | "rm" | "clear-content" | "clear-item" => {
                if recursive {
                    Role::DeleteTree
                } else {
                    Role::Delete
                }
            }
            "get-content" | "gc" | "type" | "cat" | "select-string" | "sls" | "import-csv" | "get-filehash"
            | "import-clixml" => Role::Read,
            "set-content" | "sc" | "add-content" | "ac" | "out-file" | "new-item" | "ni" | "md" | "mkdir"
            | "tee-object" | "export-csv" | "set-itemproperty" | "export-clixml" => Role::Write,
            "get-childitem" | "gci" | "dir" | "ls" | "test-path" | "resolve-path" | "get-item" | "gi" => {
                if recursive {
                    Role::ListTree
                } else {
                    Role::List
                }
            }
            "set-location" | "sl" | "cd" | "push-location" => {
                self.execute(words, true, false);
                match targets.first() {
                    Some(directory) => self.enter(directory),
                    None => self.world.set_cwd(None),
                }
                return;
            }
            "copy-item" | "cp" | "copy" | "cpi" | "move-item" | "mv" | "move" | "mi" | "rename-item" | "ren" => {
                self.execute(words, false, false);
                let moves = name.starts_with('m') || name.starts_with("ren");
                if let Some((last, sources)) = targets.split_last() {
                    for source in sources {
                        self.path(if moves { Role::DeleteTree } else { Role::ReadTree }, source);
                    }
                    self.path(Role::WriteTree, last);
                }
                return;
            }
            "invoke-webrequest" | "iwr" | "invoke-restmethod" | "irm" | "curl" | "wget" | "start-bitstransfer" => {
                self.execute(words, false, false);
                for target in targets.iter().take(1) {
                    self.connect(target);
                }
                for (option, value) in &named {
                    match option.as_str() {
                        "-uri" | "-proxy" | "-source" => self.connect(value),
                        "-outfile" | "-destination" => self.path(Role::Write, value),
                        "-infile" => self.path(Role::Read, value),
                        _ => {}
                    }
                }
                return;
            }
            "write-host" | "write-output" | "echo" | "get-date" | "get-location" | "pwd" | "select-object"
            | "sort-object" | "format-table" | "format-list" | "out-null" | "measure-object" | "out-string"
            | "get-command" | "get-help" | "write-error" | "ft" | "fl" | "convertto-json" | "convertfrom-json"
            | "start-sleep" | "out-host" | "get-process" | "get-member" | "join-path" | "split-path"
            | "group-object" => {
                self.execute(words, true, false);
                return;
            }
            _ => {
                let known = self.knowledge.entry(&name).is_some() && !name.contains('-');
                if known {
                    self.command(words, io);
                } else {
                    self.execute(words, false, true);
                    self.opaque(About::Anything, "a PowerShell command that is not known", &[&first.text]);
                    self.possible_operands(words);
                }
                return;
            }
        };
        self.execute(words, false, false);
        let mut any = false;
        for (at, target) in targets.iter().enumerate() {
            let is_value = matches!(name.as_str(), "set-content" | "sc" | "add-content" | "ac") && at > 0
                || matches!(name.as_str(), "select-string" | "sls")
                    && at == 0
                    && !named.iter().any(|(option, _)| option == "-pattern");
            if !is_value {
                any = true;
                self.path(role, target);
            }
        }
        for (option, value) in &named {
            if matches!(option.as_str(), "-path" | "-literalpath" | "-filepath" | "-pspath") {
                any = true;
                self.path(role, value);
            }
        }
        if !any && matches!(role, Role::List | Role::ListTree) {
            self.path(role, &Arg::exact("."));
        }
    }
}

/// Values without a name, and options with theirs.
fn operands(words: &[Arg]) -> (Vec<Arg>, Vec<(String, Arg)>) {
    let (mut plain, mut named) = (Vec::new(), Vec::new());
    let mut left = words.iter().peekable();
    while let Some(word) = left.next() {
        let is_option = word.text.starts_with('-') && word.text.len() > 1;
        if !is_option {
            plain.extend(word.text.split(',').filter(|part| !part.is_empty()).map(|part| word.with(part)));
            continue;
        }
        let option = word.text.to_ascii_lowercase();
        let flag = matches!(
            option.as_str(),
            "-recurse"
                | "-rec"
                | "-r"
                | "-force"
                | "-fo"
                | "-verbose"
                | "-raw"
                | "-append"
                | "-whatif"
                | "-confirm"
                | "-usebasicparsing"
                | "-nonewline"
                | "-file"
                | "-directory"
                | "-hidden"
                | "-name"
                | "-allmatches"
                | "-quiet"
                | "-simplematch"
                | "-list"
                | "-passthru"
                | "-notypeinformation"
                | "-wait"
        );
        let value = if flag { None } else { left.next_if(|next| !next.text.starts_with('-')) };
        named.push((option, value.cloned().unwrap_or_else(|| Arg::exact(""))));
    }
    (plain, named)
}

/// Commands between `;`, `|` and line ends, as words.
fn statements(text: &str) -> Vec<Vec<Arg>> {
    let (mut all, mut words, mut word) = (Vec::new(), Vec::new(), String::new());
    let (mut quote, mut known, mut started) = (None, true, false);
    let flush = |word: &mut String, words: &mut Vec<Arg>, known: &mut bool, started: &mut bool| {
        if *started {
            let text = std::mem::take(word);
            words.push(if *known { Arg::exact(text) } else { Arg::unknown(text) });
        }
        *known = true;
        *started = false;
    };
    let mut left = text.chars().peekable();
    while let Some(character) = left.next() {
        match (quote, character) {
            (Some(open), _) if character == open => quote = None,
            (Some('\''), _) => word.push(character),
            (_, '`') => {
                word.extend(left.next());
                started = true;
            }
            (_, '$') => {
                known = false;
                started = true;
                word.push(character);
            }
            (Some(_), _) => word.push(character),
            (None, '\'' | '"') => {
                quote = Some(character);
                started = true;
            }
            (None, '#') if !started => while left.next_if(|c| *c != '\n').is_some() {},
            (None, ';' | '|' | '\n' | '{' | '}' | '(' | ')' | '&') => {
                flush(&mut word, &mut words, &mut known, &mut started);
                if !words.is_empty() {
                    all.push(std::mem::take(&mut words));
                }
            }
            (None, _) if character.is_whitespace() => flush(&mut word, &mut words, &mut known, &mut started),
            (None, _) => {
                started = true;
                word.push(character);
            }
        }
    }
    flush(&mut word, &mut words, &mut known, &mut started);
    if !words.is_empty() {
        all.push(words);
    }
    all
}

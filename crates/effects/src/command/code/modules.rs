//! Modules that programs load by name, and that the session wrote.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::command::argument::Arg;
use crate::command::knowledge::Language;
use crate::command::machine::Machine;
use crate::command::programs::by_extension;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::{About, Reason};

/// Modules of Python's standard library that others of it load: a file of such a name beside a program replaces the module
/// for all of them.
const SHARED: &str = "argparse ast base64 bisect calendar collections contextlib copy csv dataclasses datetime decimal \
    difflib dis email enum fnmatch functools gettext glob hashlib heapq html http inspect json keyword linecache locale \
    logging numbers opcode operator pathlib pickle platform pprint queue random re reprlib secrets select selectors shlex \
    shutil signal socket ssl statistics string struct subprocess tempfile textwrap threading token tokenize traceback \
    typing unittest urllib uuid warnings weakref zipfile sitecustomize usercustomize";

/// These names as a set: each run of a Python program looks up every file that lies beside it.
static SHARED_NAMES: LazyLock<HashSet<&str>> = LazyLock::new(|| SHARED.split_whitespace().collect());

impl Machine<'_> {
    /// Runs the module as the session wrote it; `false`: it did not, or nobody knows what.
    pub(crate) fn written_module(&mut self, language: Language, module: &str, io: &mut Io<'_>) -> bool {
        if !self.world.has_written() {
            return false;
        }
        let beside = self.shell.program_directory.clone();
        let of = |file: &String| beside.iter().map(move |directory| format!("{directory}/{file}")).collect::<Vec<_>>();
        let files = files(language, module);
        let files: Vec<String> = files.iter().flat_map(of).chain(files.iter().cloned()).collect();
        files.iter().any(|file| {
            let file = self.resolved_module(language, &Arg::exact(file.as_str()));
            self.loads_file(language, &file, io)
        })
    }

    fn loads_file(&mut self, language: Language, file: &Arg, io: &mut Io<'_>) -> bool {
        let (target, _) = self.world.locate_word(file);
        match self.world.content_of(file) {
            Stream::Known(text) => {
                if self.emitter.may_load(&target.path, &text) {
                    self.module_text(language, file, &text, io);
                }
            }
            Stream::Foreign(provenance) => self.foreign_code(provenance),
            _ if self.world.is_written(&target) => {
                let is_edited = self.world.is_recorded(&target) && !self.world.is_in_fetched_directory(&target);
                let reason = if is_edited { Reason::ScriptEdited } else { Reason::ScriptContentUnknown };
                self.opaque(About::Anything, reason, &[]);
                self.run_parts(file, Some(language), io);
            }
            _ => return false,
        }
        true
    }

    /// Modules of this name that the session wrote anywhere: variables and programs change where modules are looked for.
    pub(crate) fn modules_elsewhere(&mut self, language: Language, module: &str, io: &mut Io<'_>) {
        let module = module.trim_start_matches(['.', '/']);
        if module.is_empty() || module.contains(['*', '?', '[', '{']) {
            return;
        }
        let patterns = match language {
            Language::Javascript => vec![format!("**/node_modules/{module}/**"), format!("**/{module}.*")],
            _ => files(language, module).into_iter().map(|file| format!("**/{file}")).collect(),
        };
        for pattern in patterns {
            for (path, text) in self.world.written_matching(&pattern) {
                if by_extension(&path) == Some(language) && self.emitter.may_load(&path, &text) {
                    self.guessed(|machine| machine.module_text(language, &Arg::exact(path), &text, io));
                }
            }
        }
    }

    /// Files beside a Python program that replace modules of the standard library.
    pub(crate) fn shadowing_modules(&mut self, directory: &Arg, io: &mut Io<'_>) {
        let directory = self.world.locate_word(directory).0.path;
        for name in self.world.written_in(&directory) {
            if name.strip_suffix(".py").is_some_and(|stem| SHARED_NAMES.contains(stem)) {
                let file = if directory == "." { name } else { format!("{directory}/{name}") };
                self.guessed(|machine| machine.loads_file(Language::Python, &Arg::exact(file), io));
            }
        }
    }

    fn module_text(&mut self, language: Language, file: &Arg, text: &str, io: &mut Io<'_>) {
        let mut run =
            |machine: &mut Self| machine.through_script(file, |machine| machine.code(language, text, &[], io));
        // Python looks for all modules beside the program, others beside the module that loads them.
        if language == Language::Python {
            run(self)
        } else {
            self.in_directory_of(file, run)
        };
    }
}

/// Where a module is, seen from a directory in which it is looked for.
fn files(language: Language, module: &str) -> Vec<String> {
    match language {
        Language::Python => {
            let path = module.trim_start_matches('.').replace('.', "/");
            vec![format!("{path}.py"), format!("{path}/__init__.py")]
        }
        Language::Javascript if module.starts_with(['.', '/']) => vec![module.to_owned()],
        Language::Javascript => vec![format!("node_modules/{module}")],
        Language::Ruby => vec![format!("{module}.rb"), module.to_owned()],
        Language::Perl => vec![format!("{}.pm", module.replace("::", "/")), module.to_owned()],
        _ => vec![module.to_owned()],
    }
}

//! Imports of a program.

use crate::Reason;
use crate::command::argument::Arg;
use crate::command::knowledge::Language;
use crate::command::machine::Machine;
use crate::command::simple::Io;

use super::{Fresh, Scan};

impl Machine<'_> {
    /// Loads what an import names. What is loaded from the session's own files is known.
    pub(super) fn imported<T>(
        &mut self,
        scan: &mut Scan<'_>,
        io: &mut Io<'_>,
        import: impl FnOnce(&mut Scan<'_>) -> T,
    ) -> T {
        let unread = scan.unread.clone();
        scan.fresh = Fresh::default();
        let left = import(scan);
        if !self.world.has_written() {
            return left;
        }
        let Fresh { modules, names } = std::mem::take(&mut scan.fresh);
        // `from module import file`
        let inner = names.into_iter().filter(|full| scan.language == Language::Python && full.contains('.'));
        let inner: Vec<String> = inner.collect();
        let mut known = true;
        for module in &modules {
            known &= self.loads_written(scan, module, io) || scan.calls.modules.contains(module.as_str());
        }
        let mut found = false;
        for module in &inner {
            found |= self.loads_written(scan, module, io);
        }
        if (known || found) && matches!(scan.unread, Some(Reason::ModuleNotRead)) {
            scan.unread = unread;
        }
        left
    }

    /// Modules are looked for in a repository that the session cloned, or in a revision from elsewhere: they are not those of
    /// this one.
    pub(super) fn foreign_modules(&self) -> Option<Reason> {
        let directories = self.shell.program_directory.iter().map(String::as_str).chain(["."]);
        let mut files = directories.map(|directory| Arg::exact(format!("{directory}/module")));
        files.find_map(|file| self.foreign_file(&file))
    }

    /// Runs the module as the session wrote it; `false`: it did not, or nobody knows what.
    pub(super) fn loads_written(&mut self, scan: &Scan<'_>, module: &str, io: &mut Io<'_>) -> bool {
        let loaded = self.written_module(scan.language, module, io);
        if !loaded && self.world.has_written() && !scan.calls.modules.contains(module) {
            self.modules_elsewhere(scan.language, module, io);
        }
        loaded
    }
}

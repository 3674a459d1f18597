//! Modules that a program loads, and that the session wrote.

use crate::Reason;
use crate::command::argument::Arg;
use crate::command::knowledge::Language;
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;

use super::Scan;

impl Machine<'_> {
    /// Loads what an import names. What is loaded from the session's own files is known.
    pub(super) fn imported<T>(
        &mut self,
        scan: &mut Scan<'_>,
        io: &mut Io<'_>,
        import: impl FnOnce(&mut Scan<'_>) -> T,
    ) -> T {
        let (loaded, unread) = (scan.loaded.clone(), scan.unread.clone());
        let names = scan.names.clone();
        let left = import(scan);
        if !self.world.has_written() {
            return left;
        }
        let new: Vec<String> = scan.loaded.difference(&loaded).cloned().collect();
        // `from module import file`
        let inner =
            scan.names.iter().filter(|(name, full)| names.get(*name) != Some(full)).map(|(_, full)| full.clone());
        let inner: Vec<String> = inner.filter(|full| scan.language == Language::Python && full.contains('.')).collect();
        let mut known = true;
        for module in &new {
            known &= self.loads_written(scan, module, io) || scan.calls.modules.contains(module.as_str());
        }
        let mut found = false;
        for module in &inner {
            found |= self.loads_written(scan, module, io);
        }
        if (known || found) && matches!(scan.unread, Some(Reason::UnknownModuleLoaded)) {
            scan.unread = unread;
        }
        left
    }

    /// Runs the module as the session wrote it; `false`: it did not, or nobody knows what.
    pub(super) fn loads_written(&mut self, scan: &Scan<'_>, module: &str, io: &mut Io<'_>) -> bool {
        if !self.world.has_written() {
            return false;
        }
        let candidates = match scan.language {
            Language::Python => {
                let path = module.trim_start_matches('.').replace('.', "/");
                vec![format!("{path}.py"), format!("{path}/__init__.py")]
            }
            Language::Javascript => {
                vec![self.resolved_module(Language::Javascript, &Arg::exact(module)).text]
            }
            Language::Ruby => vec![format!("{module}.rb"), module.to_owned()],
            _ => vec![module.to_owned()],
        };
        candidates.iter().any(|file| self.loads_file(scan.language, &Arg::exact(file.as_str()), io))
    }

    fn loads_file(&mut self, language: Language, file: &Arg, io: &mut Io<'_>) -> bool {
        let (target, _) = self.world.locate_word(file);
        match self.world.content_of(file) {
            Stream::Known(text) => {
                if self.emitter.may_load(&target.path) {
                    self.through_script(file, |machine| machine.code(language, &text, &[], io));
                }
            }
            Stream::Foreign(provenance) => self.foreign_code(provenance),
            _ => return false,
        }
        true
    }
}

//! Expansion with the machine as the one who runs substitutions.

use agent_strace_shell::{Assignment, Direction, Field, Knowledge, Part, Printed, Runner, Scope, Script, Simple, Word};

use super::argument::Arg;
use super::context::Context;
use super::machine::Machine;
use super::outcome::Outcome;
use super::stream::Stream;

/// Process substitutions seem to be at `/dev/fd/` and a number above this.
const PIPES: usize = 1000;

/// A process substitution.
#[derive(Debug)]
pub(crate) struct Pipe {
    /// What it prints.
    output: Stream,
    /// `>(…)`: what runs again once its input is known.
    sink: Option<(Script, Scope)>,
}

impl Machine<'_> {
    pub(crate) fn fields(&mut self, words: &[Word], scope: &mut Scope) -> Vec<Arg> {
        let mut all = Vec::with_capacity(words.len());
        for word in words {
            if !self.may_spend(1) {
                all.push(Arg { span: word.span, ..Arg::unknown(&*word.source) });
                break;
            }
            if let Some(text) = word.literal() {
                self.shell.matches_dots |= matches_dots(&text);
                all.push(Arg { tilde: false, span: word.span, ..Arg::exact(text) });
                continue;
            }
            self.shell.listed = None;
            let fields = agent_strace_shell::expand_word(word, scope, self).into_iter();
            let is_alone = matches!(*word.parts, [Part::Substitution { .. }]) && !self.context.unrolls;
            let listed = self.shell.listed.take().filter(|_| is_alone);
            if let Some(names) = listed {
                // Each of the names is a word.
                all.extend(names.into_iter().map(|name| Arg { span: word.span, ..name }));
                continue;
            }
            let fields = fields.map(|field| Arg { span: word.span, ..Arg::from(field) });
            if self.shell.matches_dots || scope.content("GLOBIGNORE").is_some() {
                all.extend(fields.flat_map(|field| [field.hidden(), Some(field)]).flatten());
            } else {
                all.extend(fields);
            }
        }
        all
    }

    /// The words of a simple command. Where it declares variables, `a=$b` is not split, and its value is kept for it.
    pub(crate) fn words(&mut self, simple: &Simple, scope: &mut Scope) -> Vec<Arg> {
        self.shell.declaring.clear();
        if !simple.declares() {
            return self.fields(&simple.words, scope);
        }
        let mut values = Vec::new();
        let mut all = Vec::with_capacity(simple.words.len());
        for word in &simple.words {
            if !assigns(word) || !self.may_spend(1) {
                all.extend(self.fields(std::slice::from_ref(word), scope));
                continue;
            }
            let whole = agent_strace_shell::expand_value(word, scope, self);
            values.extend(whole.assigned().map(|(name, value)| (name.to_owned(), value)));
            all.push(Arg { span: word.span, ..Arg::from(agent_strace_shell::joined(&whole, &word.source)) });
        }
        self.shell.declaring = values;
        all
    }

    /// One value, without splitting.
    pub(crate) fn scalar(&mut self, word: &Word, scope: &mut Scope) -> Arg {
        Arg { span: word.span, ..Arg::from(agent_strace_shell::expand_text(word, scope, self)) }
    }

    /// The text of a heredoc or here-string.
    pub(crate) fn here(&mut self, word: &Word, scope: &mut Scope) -> Stream {
        let field = agent_strace_shell::expand_text(word, scope, self);
        if let Some(provenance) = field.provenance {
            return Stream::Foreign(provenance);
        }
        match (field.knowledge, field.likely) {
            (Knowledge::Exact, _) => Stream::of(field.text),
            (_, Some(likely)) => Stream::Likely(likely),
            (Knowledge::Pattern | Knowledge::Partly | Knowledge::Unknown, None) => Stream::Unknown,
        }
    }

    pub(crate) fn assign(&mut self, assignment: &Assignment, scope: &mut Scope) {
        agent_strace_shell::assign(assignment, scope, self);
    }

    /// The text that a process substitution prints or a descriptor reads, if `word` stands for one.
    pub(crate) fn process_output(&self, word: &Arg) -> Option<Stream> {
        let path = word.literal()?;
        let open = ["/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"];
        let number = open.iter().find_map(|open| path.strip_prefix(open))?;
        let number: usize = number.parse().ok()?;
        match number.checked_sub(PIPES) {
            Some(at) => self.shell.pipes.get(at).map(|pipe| pipe.output.clone()),
            None => self.descriptor_input(number),
        }
    }

    /// `word` stands for a process substitution that reads: this is what it gets.
    pub(crate) fn feed(&mut self, word: &Arg, text: &Stream) {
        let number = word.literal().and_then(|path| path.strip_prefix("/dev/fd/")).and_then(|text| text.parse().ok());
        let Some(pipe) = number.and_then(|number: usize| self.shell.pipes.get_mut(number.checked_sub(PIPES)?)) else {
            return;
        };
        if text.is_readable()
            && let Some((script, mut scope)) = pipe.sink.take()
        {
            self.nested(Stream::Unknown, |machine| {
                machine.forked(&scope.clone(), |machine, _| machine.script(&script, &mut scope, text))
            });
        }
    }
}

impl Runner for Machine<'_> {
    fn substitute(&mut self, script: &Script, scope: &mut Scope) -> Printed {
        // A substitution reads what the shell around it reads.
        let input = self.input;
        let outcome = self.outcome_of_substitution();
        let mut inner = self.with(Context { outcome, substituted: true, assigned: false, ..self.context });
        let output = inner.nested(Stream::Unknown, |machine| {
            machine.forked(scope, |machine, scope| machine.script(script, scope, input))
        });
        self.shell.listed = None;
        match output {
            Stream::Known(text) => Printed::Text(text),
            Stream::Likely(text) => Printed::Likely(text),
            names @ Stream::Names(_) => {
                let value = names.matching();
                if let (Stream::Names(names), None) = (names, &value) {
                    self.shell.listed = Some(names);
                }
                value.map_or(Printed::Unknown, Printed::Matching)
            }
            Stream::Foreign(provenance) => Printed::Foreign(provenance),
            Stream::Unknown | Stream::Unconnected => Printed::Unknown,
        }
    }

    fn process(&mut self, script: &Script, scope: &mut Scope, direction: Direction) -> Field {
        let input = match direction {
            Direction::Input => &Stream::Unknown,
            Direction::Output => self.input,
        };
        let outcome = Outcome::default();
        let mut inner = self.with(Context { outcome, substituted: true, assigned: false, ..self.context });
        let output = inner.nested(Stream::Unknown, |machine| {
            machine.forked(scope, |machine, scope| machine.script(script, scope, input))
        });
        let sink = (direction == Direction::Input).then(|| (script.clone(), scope.clone()));
        let number = PIPES + self.shell.pipes.len();
        self.shell.pipes.push(Pipe { output, sink });
        let text = format!("/dev/fd/{number}");
        Field::exact(text)
    }

    fn may_spend(&mut self, steps: usize) -> bool {
        self.may_spend(steps)
    }

    fn directory(&mut self) -> Option<String> {
        self.world.cwd().map(str::to_owned)
    }
}

/// An option that lets wildcards match dots in first place, as bash and zsh spell it.
fn matches_dots(word: &str) -> bool {
    let is_like = |name: &str| {
        let letters = word.bytes().filter(|byte| *byte != b'_').map(|byte| byte.to_ascii_lowercase());
        letters.eq(name.bytes())
    };
    word.len() < 16 && (is_like("dotglob") || is_like("globdots"))
}

/// `name=…` with something to expand behind the sign.
fn assigns(word: &Word) -> bool {
    let [Part::Literal(start), _, ..] = word.parts.as_slice() else { return false };
    let Some((name, _)) = start.split_once('=') else { return false };
    !name.starts_with('-') && !word.parts.iter().any(|part| matches!(part, Part::Brace(_)))
}

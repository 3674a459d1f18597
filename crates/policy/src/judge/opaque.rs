//! What could not be resolved.

use crate::command::CommandRule;
use crate::compiled::CompiledLists;
use crate::path::{Files, PathList};
use crate::{ChangeReach, Context, Decision, Judgement};
use agent_strace_effects::{
    About, Certainty, Class, Effect, Kind, Opaque, PathTarget, Provenance, Reason, is_idle_variable,
};
use agent_strace_model::finding::{Level, PolicyLocation, RuleId};

use super::{UNRESOLVED, allowed, denied, unruled};

impl CompiledLists {
    pub(super) fn opaque(&self, opaque: &Opaque, effect: &Effect, context: &Context<'_>) -> Judgement {
        if let Some((provenance, _)) = opaque.foreign_code() {
            return denied(proven(provenance), "no policy allows it, only an exception does", None);
        }
        if opaque.reason.is_about_gate() && !self.without_floor.contains(&RuleId::FloorGate) {
            return denied(RuleId::FloorGate, "built-in floor: nothing is judged without it", None);
        }
        // Hidden code may do things that the author of the entry would not allow.
        if opaque.class != Class::Hidden
            && let Some(found) = self.vouched(opaque, effect, context)
        {
            return found;
        }
        if opaque.reason == Reason::UnlistedTool {
            if context.tool.is_some_and(|(server, tool)| self.tool(server, tool).decision != Decision::Unruled) {
                return unruled(UNRESOLVED, "a list of tools judges the call");
            }
            return self.unresolved_of(opaque.class, Level::Note, &opaque.reason.to_string(), None);
        }
        let connects = opaque.about == About::Network && opaque.reason != Reason::WaitsForConnections;
        if opaque.class == Class::Unknown && connects && self.network.location.is_none() {
            let reason = format!("{} (no network policy)", opaque.reason);
            return self.unresolved_of(opaque.class, Level::Note, &reason, None);
        }
        let location = self.demands(opaque, context);
        // Submodules and other repositories are not of the change.
        let is_of_tree = matches!(
            opaque.reason,
            Reason::AnotherRevision | Reason::FetchedRevision | Reason::StashedFiles | Reason::RestoresFiles
        );
        let is_settled = is_of_tree && context.change == ChangeReach::Writable && !effect.origin.elsewhere;
        let level = match (opaque.class, location) {
            (Class::State, Some(location)) if is_settled => {
                let reason = "the change touches nothing outside of files.write.allow";
                return allowed(UNRESOLVED, reason, Some(location));
            }
            (Class::Delegated, None) if opaque.about != About::Anything => {
                let reason = format!("{} (no allow list says what may run)", opaque.reason);
                return self.unresolved_of(opaque.class, Level::Note, &reason, None);
            }
            (Class::State, None) => Level::Note,
            (Class::State, Some(_)) | (Class::Delegated | Class::Changed | Class::Unknown, None) => Level::Warning,
            // A list that only denies makes an act that the log does not show an error only if the act is hidden.
            (Class::Hidden, _) | (_, Some(_)) => Level::Error,
        };
        self.unresolved_of(opaque.class, level, &opaque.reason.to_string(), location)
    }

    /// Returns the entry that vouches for the act: it allows the command or tool behind it.
    fn vouched(&self, opaque: &Opaque, effect: &Effect, context: &Context<'_>) -> Option<Judgement> {
        if let (Some((server, tool)), "argument", About::Anything) = (context.tool, &*effect.via, opaque.about) {
            let found = self.tool(server, tool);
            if found.decision == Decision::Allowed {
                let reason = format!("vouched for: {}", found.reason);
                return Some(Judgement { rule: UNRESOLVED, reason, ..found });
            }
        }
        let rules = &self.commands.allow.rules;
        // A path in an entry counts from the workspace.
        let is_relative = |word: &String| word.contains('/') && !word.starts_with(['/', '~']) && !word.contains("://");
        let is_misplaced = opaque.about == About::Elsewhere && opaque.vouched_by.iter().any(is_relative);
        let named = rules.iter().find(|rule| !is_misplaced && rule.pattern.vouches_for(opaque));
        let named = named.or_else(|| self.vouches_for_changed(opaque, effect, context));
        let named = named.or_else(|| self.vouches_by_flags(opaque, effect, context));
        let rule = named.or_else(|| {
            let for_all = rules.iter().find(|rule| rule.pattern.is_for_all())?;
            self.leaves_to_commands(opaque, context).then_some(for_all)
        })?;
        let name = rule.stated.policy_rule.as_ref().map_or("commands.allow", |rule| rule.id.as_str());
        let found = allowed(UNRESOLVED, format!("vouched for by {name}"), Some(&rule.stated.location));
        Some(Judgement { policy_rule: rule.stated.policy_rule.clone(), ..found })
    }

    /// Returns the entry that vouches for code which the session changed: it allows a command that led to the act. It speaks of
    /// the repository's own code, and of none that the session cloned or brought from another revision.
    fn vouches_for_changed(&self, opaque: &Opaque, effect: &Effect, context: &Context<'_>) -> Option<&CommandRule> {
        if opaque.class != Class::Changed
            || matches!(opaque.reason, Reason::ClonedScript | Reason::ClonedCode | Reason::ForeignRevision)
        {
            return None;
        }
        let causes = std::iter::successors(Some(effect), |effect| context.effects.get(effect.origin.parent? as usize));
        // A cause stands before what it led to.
        let causes = causes.skip(1).take(context.effects.len()).filter_map(|cause| match &cause.kind {
            Kind::Execute(execution) if cause.certainty == Certainty::Exact => Some(execution),
            _ => None,
        });
        let vouches = |rule: &&CommandRule, execution| rule.pattern.vouches_for_changed(execution);
        causes.into_iter().find_map(|cause| self.commands.allow.rules.iter().find(|rule| vouches(rule, cause)))
    }

    /// Returns the rule that vouches for the command behind the act because it lists all flags that the command may have
    /// (`only_flags`). It speaks of code of this repository that the session did not alter, and of packages by their names. Where
    /// such rules name what started the command (`uv run`), one of them has to allow that, too.
    fn vouches_by_flags(&self, opaque: &Opaque, effect: &Effect, context: &Context<'_>) -> Option<&CommandRule> {
        if opaque.class != Class::Delegated || opaque.about == About::Elsewhere || context.effects.iter().any(redirects)
        {
            return None;
        }
        let cause = context.effects.get(effect.origin.parent? as usize)?;
        let causes = std::iter::successors(Some(cause), |cause| context.effects.get(cause.origin.parent? as usize));
        let mut found = None;
        for (depth, cause) in causes.take(context.effects.len()).enumerate() {
            let Kind::Execute(execution) = &cause.kind else { continue };
            let rules = || self.commands.allow.rules.iter().filter(|rule| rule.pattern.lists_flags_of(execution));
            let allowing = rules().find(|rule| rule.pattern.allows(execution));
            let is_local = !execution.argv.iter().any(|word| leads_elsewhere(&word.text));
            let fits = allowing.is_some() && cause.certainty == Certainty::Exact && is_local;
            if !fits && (depth == 0 || rules().next().is_some()) {
                return None;
            }
            found = found.or(allowing);
        }
        found
    }

    /// Returns true if an entry for all commands (`*`) vouches for the act: the project's code, or an act that no other list judges.
    fn leaves_to_commands(&self, opaque: &Opaque, context: &Context<'_>) -> bool {
        match opaque.class {
            Class::Delegated => true,
            Class::State | Class::Unknown => match opaque.about {
                About::Commands | About::Project => true,
                About::Writes => self.narrows_writes(context).is_none(),
                About::Reads => self.narrows_reads(context).is_none(),
                About::Network => self.rest(self.network.deny_all.as_ref()).is_open(),
                About::Anything | About::Elsewhere => self.narrower(context).is_none(),
            },
            Class::Changed | Class::Hidden => false,
        }
    }

    /// The list that demands of the act that it be allowed.
    fn demands(&self, opaque: &Opaque, context: &Context<'_>) -> Option<&PolicyLocation> {
        let commands = || self.rest(self.commands.allow.list_location()).location();
        let network = || self.rest(self.network.deny_all.as_ref()).location();
        let reads = || self.rest(self.read.allow.list_location()).location();
        let writes = || self.rest(self.write.allow.list_location()).location();
        let anything = || commands().or_else(writes).or_else(reads).or_else(network).or_else(|| self.env.demands());
        match opaque.class {
            Class::Delegated => commands(),
            // Code that the session changed without a record may connect to any host.
            Class::Changed => commands().or_else(network),
            Class::State => self.narrows_writes(context),
            Class::Unknown => match opaque.about {
                About::Reads => reads(),
                About::Writes => writes(),
                About::Commands => commands(),
                About::Network => network(),
                About::Anything | About::Elsewhere | About::Project => anything(),
            },
            Class::Hidden => anything(),
        }
    }

    /// A list that allows less than all of its kind, of any kind but commands.
    fn narrower(&self, context: &Context<'_>) -> Option<&PolicyLocation> {
        self.narrows_writes(context)
            .or_else(|| self.narrows_reads(context))
            .or_else(|| self.rest(self.network.deny_all.as_ref()).location())
            .or_else(|| self.env.demands())
    }

    fn narrows_writes(&self, context: &Context<'_>) -> Option<&PolicyLocation> {
        self.rest(self.write.allow.list_location()).location().filter(|_| !allows_all(&self.write.allow, context))
    }

    fn narrows_reads(&self, context: &Context<'_>) -> Option<&PolicyLocation> {
        self.rest(self.read.allow.list_location()).location().filter(|_| !allows_all(&self.read.allow, context))
    }
}

/// The list allows every file of the workspace.
fn allows_all(list: &PathList, context: &Context<'_>) -> bool {
    let workspace = PathTarget { path: ".".to_owned(), subtree: true };
    Files::new(&workspace, Certainty::Exact, context).allowed_by(list).is_some()
}

/// The rule for acts that are proven, and that no policy wants.
fn proven(provenance: Provenance) -> RuleId {
    match provenance {
        Provenance::Network => RuleId::ScopeRemoteCode,
        Provenance::Decoded => RuleId::ScopeDecodedCode,
        Provenance::Socket => RuleId::ScopeRemoteShell,
    }
}

/// A variable that may make a program take its options, code or packages from another place.
fn redirects(effect: &Effect) -> bool {
    matches!(&effect.kind, Kind::Env { name } if !is_idle_variable(name))
}

/// A word that names something on another host, or a file in a place for temporary files or below the home directory.
fn leads_elsewhere(word: &str) -> bool {
    const PLACES: &[&str] = &["/tmp/", "/var/tmp/", "/dev/shm/", "~", "file:", "git+"];
    word.contains("://") || PLACES.iter().any(|place| word.starts_with(place))
}

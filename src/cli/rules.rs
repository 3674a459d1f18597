//! `rules`: what is checked, from the rules themselves.

use clap::Args;

use super::Streams;
use super::failure::Failure;
use super::output;

#[derive(Debug, Args)]
pub(super) struct RulesArgs {
    /// The rule to show, e.g. `scope/read`.
    #[arg(value_name = "ID")]
    pub(super) id: Option<String>,
}

pub(super) fn run(args: &RulesArgs, streams: &mut Streams<'_>) -> Result<u8, Failure> {
    let Some(id) = &args.id else {
        let head = ["rule", "level", "what it reports"].map(str::to_owned);
        let rows = agent_strace_rules::all()
            .iter()
            .map(|rule| [rule.id.as_str(), rule.level.name(), rule.summary].map(str::to_owned));
        let rows: Vec<_> = std::iter::once(head).chain(rows).collect();
        output::print(streams.stdout, &agent_strace_report::columns(&rows))?;
        return Ok(0);
    };
    let Some(rule) = agent_strace_rules::find(id) else {
        let known: Vec<&str> = agent_strace_rules::all().iter().map(|rule| rule.id.as_str()).collect();
        return Err(Failure::new(format!("there is no rule `{id}`"))
            .did_you_mean(id, &known)
            .hint("`agent-strace rules` lists them"));
    };
    output::print(streams.stdout, rule.spec)?;
    Ok(0)
}

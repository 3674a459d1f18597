//! Rows → all the reports that were asked for, as they come.

use std::io::Write;
use std::path::Path;

use super::super::environment::Environment;
use super::super::failure::Failure;
use super::super::output::{self, Staged};
use super::args::WrittenArgs;
use agent_strace_report::Colour;
use agent_strace_report::repo_audit::{Row, Stated, Summary, SweepFormat, Writer, writer};

/// One report.
struct Report {
    writer: Box<dyn Writer>,
    /// `None`: standard output.
    file: Option<Staged>,
}

/// All of them.
pub(super) struct Reports {
    reports: Vec<Report>,
}

impl Reports {
    /// `single`: there is but one repository.
    pub(super) fn new(
        args: &WrittenArgs,
        stated: &Stated,
        single: bool,
        environment: Environment,
    ) -> Result<Self, Failure> {
        let mut reports = Vec::new();
        let mut add = |format: SweepFormat, file: Option<&Path>, colour: Colour| {
            let file = file.map(Staged::new).transpose()?;
            reports.push(Report { writer: writer(format, stated, single, colour, env!("CARGO_PKG_REPOSITORY")), file });
            Ok(())
        };
        for (format, file) in &args.reports {
            add(*format, Some(file), Colour::Plain)?;
        }
        let colour =
            if environment.colour && !args.no_color && args.output.is_none() { Colour::Ansi } else { Colour::Plain };
        if args.output.is_some() || !args.quiet {
            add(args.format, args.output.as_deref(), colour)?;
        }
        Ok(Self { reports })
    }

    pub(super) fn start(&mut self, stdout: &mut dyn Write) -> Result<(), Failure> {
        self.each(stdout, |writer| writer.start())
    }

    pub(super) fn row(&mut self, row: &Row, stdout: &mut dyn Write) -> Result<(), Failure> {
        self.each(stdout, |writer| writer.row(row))
    }

    /// Files get their names only now: a report that is there is whole.
    pub(super) fn end(mut self, summary: &Summary, stdout: &mut dyn Write) -> Result<(), Failure> {
        self.each(stdout, |writer| writer.end(summary))?;
        self.reports.into_iter().filter_map(|report| report.file).try_for_each(Staged::finish)
    }

    fn each(&mut self, stdout: &mut dyn Write, mut text: impl FnMut(&mut dyn Writer) -> String) -> Result<(), Failure> {
        for report in &mut self.reports {
            let text = text(report.writer.as_mut());
            match &mut report.file {
                Some(file) => file.write(&text)?,
                None => output::print(stdout, &text)?,
            }
        }
        Ok(())
    }
}

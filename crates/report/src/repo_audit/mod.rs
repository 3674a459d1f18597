//! What repositories gave away: one row per repository, and what they add up to.
//!
//! A [`Row`] is the unit of everything: it is what NDJSON streams, what `audit-tools merge` reads back, and what every
//! other format is written from, row by row, so that a fleet takes no more memory than its largest repository. Text of a
//! repository is redacted when a row is made, and escaped when it is written.

mod csv;
mod json;
mod markdown;
mod matrix;
mod row;
mod sarif;
mod summary;
mod text;

#[cfg(test)]
mod tests;

pub use json::{Line, read_line};
pub use row::{FindingRow, Judged, Row, Verdict};
pub use summary::{Shard, Stated, Summary};

use super::{Colour, OutputFormat};

/// The output formats of a repository audit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SweepFormat {
    Text,
    Json,
    Ndjson,
    Sarif,
    Markdown,
    Csv,
}

impl OutputFormat for SweepFormat {
    const ALL: &'static [Self] = &[Self::Text, Self::Json, Self::Ndjson, Self::Sarif, Self::Markdown, Self::Csv];

    fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Ndjson => "ndjson",
            Self::Sarif => "sarif",
            Self::Markdown => "markdown",
            Self::Csv => "csv",
        }
    }
}

/// Writes the rows of a run, the one after the other. What it returns is to be written at once.
pub trait Writer {
    fn start(&mut self) -> String {
        String::new()
    }

    fn row(&mut self, row: &Row) -> String;

    fn end(&mut self, summary: &Summary) -> String;
}

/// `single`: there is but one repository. `home`: the address of this program's own repository, empty as long as it has
/// none.
pub fn writer(
    format: SweepFormat,
    stated: &Stated,
    single: bool,
    colour: Colour,
    home: &'static str,
) -> Box<dyn Writer> {
    match format {
        SweepFormat::Text => Box::new(text::Text::new(stated, single, colour)),
        SweepFormat::Json => Box::new(json::Document::default()),
        SweepFormat::Ndjson => Box::new(json::Lines),
        SweepFormat::Sarif => Box::new(sarif::Results::new(single, home)),
        SweepFormat::Markdown => Box::new(markdown::Markdown::new(stated, single)),
        SweepFormat::Csv => Box::new(csv::Csv),
    }
}

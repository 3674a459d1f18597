//! By what sessions are priced: the table, a file beside it, one model for all, or stated prices.

use std::path::Path;
use std::sync::Arc;

use clap::Args;

use super::super::failure::{Failure, reason};
use super::super::policy_file;
use super::super::trust::TrustBase;
use agent_strace_metrics::Pricing;
use agent_strace_model::prices::{Rates, Row, Table};
use agent_strace_policy::config;
use agent_strace_policy::prices::{self, shipped};

#[derive(Debug, Args)]
pub(in crate::cli) struct PricesArgs {
    /// Prices that count before those of this build: a file of the same shape (`agent-strace schema prices`).
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) prices: Option<String>,

    /// Price everything as this model's (`opus`, `gpt-5.4`), whatever the log says.
    #[arg(long, value_name = "MODEL")]
    pub(in crate::cli) model: Option<String>,

    /// Dollars for a million input tokens; with --output-price.
    #[arg(long, value_name = "USD", value_parser = parse, requires = "output_price", conflicts_with = "model")]
    input_price: Option<u128>,

    /// Dollars for a million output tokens; with --input-price.
    #[arg(long, value_name = "USD", value_parser = parse, requires = "input_price", conflicts_with = "model")]
    output_price: Option<u128>,

    /// Dollars for a million tokens that a cache gave back; with --input-price.
    #[arg(long, value_name = "USD", value_parser = parse, requires = "input_price")]
    cache_read_price: Option<u128>,

    /// Dollars for a million tokens that a cache took in; with --input-price.
    #[arg(long, value_name = "USD", value_parser = parse, requires = "input_price")]
    cache_write_price: Option<u128>,
}

fn parse(text: &str) -> Result<u128, String> {
    let wrong = || "expected dollars for a million tokens with at most six decimals, e.g. `3` or `0.25`".to_owned();
    prices::amount(text).ok_or_else(wrong)
}

/// What was stated.
pub(in crate::cli) struct StatedPrices {
    table: Arc<Table>,
    row: Option<Row>,
    rates: Option<Rates>,
}

impl StatedPrices {
    pub(in crate::cli) fn pricing(&self) -> Pricing<'_> {
        match (&self.row, &self.rates) {
            (_, Some(rates)) => Pricing::Rates(rates),
            (Some(row), None) => Pricing::Model(row),
            (None, None) => Pricing::Table(&self.table),
        }
    }
}

impl PricesArgs {
    /// Of a command that holds requests against limits, not prices.
    pub(in crate::cli) fn of(prices: Option<&str>, model: Option<&str>) -> Self {
        let [prices, model] = [prices, model].map(|text| text.map(str::to_owned));
        Self { prices, model, input_price: None, output_price: None, cache_read_price: None, cache_write_price: None }
    }

    pub(in crate::cli) fn stated(&self, coloured: bool) -> Result<StatedPrices, Failure> {
        let table = match &self.prices {
            Some(file) => table(file, TrustBase::at(None), coloured)?,
            None => Arc::clone(shipped()),
        };
        let row = self.model.as_deref().map(|model| chosen(&table, model)).transpose()?;
        let rates = self.input_price.zip(self.output_price).map(|(input, output)| Rates {
            input,
            output,
            cache_read: self.cache_read_price,
            cache_write: self.cache_write_price,
            cache_write_1h: None,
        });
        Ok(StatedPrices { table, row, rates })
    }
}

fn chosen(table: &Table, model: &str) -> Result<Row, Failure> {
    table.choose(model).cloned().ok_or_else(|| {
        let known: Vec<&str> = table.names().collect();
        Failure::new(format!("there is no price for the model `{model}`"))
            .did_you_mean(&model.to_ascii_lowercase().replace('.', "-"), &known)
            .hint("`--prices FILE` states prices, `--input-price` and `--output-price` do so for one run")
    })
}

/// The table of this build, with the rows of a file before its own.
pub(in crate::cli) fn table(file: &str, trust_base: TrustBase<'_>, coloured: bool) -> Result<Arc<Table>, Failure> {
    let shown = policy_file::shown(file);
    let unusable = |reason: String| Failure::new(format!("the prices `{shown}` can't be read: {reason}"));
    let bytes = match trust_base.revision {
        Some(revision) => {
            trust_base.read(revision, &shown).map(|blob| blob.bytes).map_err(|error| unusable(error.to_string()))?
        }
        None => config::read_bytes(Path::new(&shown)).map_err(|error| unusable(reason(&error)))?,
    };
    if config::is_too_large(&bytes) {
        return Err(unusable("it is larger than 1 MiB".to_owned()));
    }
    let colour = policy_file::colour(coloured);
    let read = prices::read(&shown, &bytes);
    let own = read.map_err(|faults| policy_file::faulty("price table", &shown, &faults, colour))?;
    Ok(Arc::new(Table::clone(shipped()).with(own)))
}

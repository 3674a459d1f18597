//! What models cost and how much they take at once: a dated table, and the row of a model by its name.
//!
//! The table is data ([`TABLE`], read as any file of the same shape is read). A model that has no row has no price:
//! nothing here guesses one, or takes another model's.

use std::collections::BTreeMap;
use std::fmt;

use crate::{Usage, naming};

/// The table of this build: one row for each model, with where its numbers are from and when they held.
pub const TABLE: &str = include_str!("table.json");

/// Parts of a dollar that amounts are counted in: prices have six decimals, and are for a million tokens.
pub const DOLLAR: u128 = 1_000_000_000_000;

/// An amount of money in dollars, to a ten-thousandth, or to a millionth where it has any.
#[derive(Debug, Clone, Copy)]
pub struct Dollars(pub u128);

impl fmt::Display for Dollars {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, millionths) = (self.0 / DOLLAR, self.0 % DOLLAR / (DOLLAR / 1_000_000));
        match millionths % 100 {
            0 => write!(f, "{whole}.{:04}", millionths / 100),
            _ => write!(f, "{whole}.{millionths:06}"),
        }
    }
}

/// An amount in parts of a [`DOLLAR`] as a number of dollars.
#[expect(clippy::cast_precision_loss, reason = "amounts below nine thousand dollars are exact, others to the cent")]
pub fn dollars(amount: u128) -> f64 {
    amount as f64 / DOLLAR as f64
}

/// A number of dollars in parts of a [`DOLLAR`]. Less than nothing is nothing, and what is out of range is the most.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "what is out of range saturates")]
#[expect(clippy::cast_precision_loss, reason = "a power of ten that a double holds exactly")]
pub fn parts(dollars: f64) -> u128 {
    (dollars * DOLLAR as f64).round() as u128
}

/// `$0.0042`: to a ten-thousandth of a dollar.
pub fn rounded(amount: u128) -> String {
    let unit = DOLLAR / 10_000;
    format!("${}", Dollars(amount.saturating_add(unit / 2) / unit * unit))
}

/// What a million tokens of each kind cost, in millionths of a dollar: the parts of a [`DOLLAR`] that one token costs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rates {
    pub input: u128,
    pub output: u128,
    /// `None`: nobody stated it, so tokens of the kind have no price.
    pub cache_read: Option<u128>,
    pub cache_write: Option<u128>,
    /// Of what a cache keeps for an hour; `None`: as any other write.
    pub cache_write_1h: Option<u128>,
}

/// Tokens of a kind that nobody stated a price for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoRate(pub &'static str);

/// The list price of one search of the web: 10 dollars for 1,000 (Anthropic).
const SEARCH: u128 = DOLLAR / 100;

impl Rates {
    /// What these tokens and searches cost, in parts of a [`DOLLAR`].
    pub fn of(&self, usage: &Usage) -> Result<u128, NoRate> {
        let long = usage.cache_write_1h.min(usage.cache_write);
        let parts = [
            ("input", usage.input, Some(self.input)),
            ("output", usage.output, Some(self.output)),
            ("cache reads", usage.cache_read, self.cache_read),
            ("cache writes", usage.cache_write - long, self.cache_write),
            ("cache writes", long, self.cache_write_1h.or(self.cache_write)),
            ("web searches", usage.searches, Some(SEARCH)),
        ];
        parts.into_iter().try_fold(0_u128, |sum, (kind, tokens, rate)| match (tokens, rate) {
            (0, _) => Ok(sum),
            (_, None) => Err(NoRate(kind)),
            (tokens, Some(rate)) => Ok(sum.saturating_add(u128::from(tokens).saturating_mul(rate))),
        })
    }
}

/// What is known of one model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub model: String,
    /// The most tokens that one prompt may have.
    pub window: u64,
    pub rates: Rates,
    /// Other rates of a request whose prompt has more tokens than this.
    pub over: Option<(u64, Rates)>,
    /// Who lists it.
    pub source: String,
    /// The day on which it was listed so, as `2026-07-02`.
    pub date: String,
}

impl Row {
    /// The rates of a request with a prompt of so many tokens.
    pub fn rates_for(&self, prompt: u64) -> &Rates {
        match &self.over {
            Some((most, rates)) if prompt > *most => rates,
            _ => &self.rates,
        }
    }
}

/// The names of rows, in the form of [`naming::plain`] → indices of rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Names {
    told: BTreeMap<String, usize>,
    /// Names that only people use (`sonnet`): no log is priced by them.
    short: BTreeMap<String, usize>,
}

impl Names {
    /// Of a name as a log has it: itself, else the first of its forms that is one of these.
    fn find(&self, model: &str) -> Option<usize> {
        // Most runs state no prices of their own, and a name has many forms.
        if self.told.is_empty() {
            return None;
        }
        let exact = self.told.get(&*naming::plain(model));
        exact.or_else(|| naming::forms(model).find_map(|form| self.told.get(&*form))).copied()
    }

    fn choose(&self, model: &str) -> Option<usize> {
        self.find(model).or_else(|| self.short.get(&*naming::plain(model)).copied())
    }

    fn get(&self, plain: &str) -> Option<usize> {
        self.told.get(plain).or_else(|| self.short.get(plain)).copied()
    }

    fn all(&self) -> impl Iterator<Item = &str> {
        self.told.keys().chain(self.short.keys()).map(String::as_str)
    }

    fn indices(&mut self) -> impl Iterator<Item = &mut usize> {
        self.told.values_mut().chain(self.short.values_mut())
    }
}

/// Rows by the names of their models.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table {
    rows: Vec<Row>,
    names: Names,
    /// Those of the table that was put before this one.
    first: Names,
}

impl Table {
    /// Adds a row. `also`: other names of the same model. `short`: a name for it on the command line.
    pub fn add(&mut self, row: Row, also: &[String], short: Option<&str>) {
        let index = self.rows.len();
        for known in also.iter().chain([&row.model]) {
            self.names.told.insert(naming::plain(known).into_owned(), index);
        }
        if let Some(short) = short {
            self.names.short.insert(naming::plain(short).into_owned(), index);
        }
        self.rows.push(row);
    }

    /// The row that has this very name already.
    pub fn named(&self, name: &str) -> Option<&Row> {
        self.rows.get(self.names.get(&naming::plain(name))?)
    }

    /// The same with the rows of another table before its own. A row of the other counts under every name that either
    /// table knows its model by.
    pub fn with(mut self, other: Self) -> Self {
        let before = self.rows.len();
        let mut replaced: BTreeMap<usize, usize> = BTreeMap::new();
        for (name, index) in &self.names.told {
            let Some(counts) = other.names.find(name) else { continue };
            // The model's own name tells better what stands for it than one of its others.
            if self.rows.get(*index).is_some_and(|row| naming::plain(&row.model) == *name) {
                replaced.insert(*index, before + counts);
            } else {
                replaced.entry(*index).or_insert(before + counts);
            }
        }
        for index in self.names.indices() {
            *index = replaced.get(index).copied().unwrap_or(*index);
        }
        self.first = other.names;
        self.first.indices().for_each(|index| *index += before);
        self.rows.extend(other.rows);
        self
    }

    /// The row of a model as a log names it. Providers put their own words around a name (`us.anthropic.…-v1:0`,
    /// `models/…`) and days behind it; a name that differs in anything else is another model's.
    pub fn find(&self, model: &str) -> Option<&Row> {
        self.rows.get(self.first.find(model).or_else(|| self.names.find(model))?)
    }

    /// The row that somebody asks for by name, which may be a short one.
    pub fn choose(&self, model: &str) -> Option<&Row> {
        self.rows.get(self.first.choose(model).or_else(|| self.names.choose(model))?)
    }

    /// Every name that somebody may ask for.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.first.all().chain(self.names.all())
    }
}

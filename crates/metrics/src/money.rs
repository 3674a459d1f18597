//! What requests cost: recorded usage at the rates of the model that answered.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::request::Request;
use super::series::total_tokens;
use super::{estimate, request};
use agent_strace_model::prices::{NoRate, Rates, Row, Table};
use agent_strace_model::{Session, Spent, Usage};

/// By what requests are priced.
#[derive(Debug, Clone, Copy)]
pub enum Pricing<'t> {
    /// Each by the model that answered.
    Table(&'t Table),
    /// The same by a table that is read when the first price is asked for: most sessions are judged without any.
    Later(fn() -> &'static Table),
    /// All by one model, whatever the log says.
    Model(&'t Row),
    /// All by what somebody states.
    Rates(&'t Rates),
}

/// Why tokens have no price.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unpriced {
    /// The log does not say which model used them.
    NoModel,
    /// The table has no row for the model.
    UnknownModel(String),
    /// The table has no row for the model when it is served so: the model, and how.
    UnknownTier(String, String),
    /// The prompt was longer than what the table has prices for.
    LongPrompt(String),
    /// The log does not tell all tokens.
    Partial,
    /// Prices were stated, and none for tokens of this kind.
    NoRate(&'static str),
    /// Nothing is recorded about usage at all, and nothing to estimate it by.
    NoUsage,
}

impl fmt::Display for Unpriced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoModel => f.write_str("the log does not say which model used the tokens"),
            Self::UnknownModel(model) => write!(f, "there is no price for the model `{model}`"),
            Self::UnknownTier(model, tier) => {
                write!(
                    f,
                    "there is no price for the model `{model}` when it is served as `{tier}` (a row `{model}-{tier}`)"
                )
            }
            Self::LongPrompt(model) => {
                write!(f, "there is no price for prompts of the model `{model}` that are longer than its row says")
            }
            Self::Partial => f.write_str("the log does not tell all tokens of every answer"),
            Self::NoRate(kind) => write!(f, "no price was stated for {kind}"),
            Self::NoUsage => f.write_str("the log records no usage"),
        }
    }
}

/// How well an amount is known, the worst last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Basis {
    /// From the usage that the provider reported.
    Recorded,
    /// From the length of what was said: the log records no usage.
    Estimated,
    /// Some of it has no price: it is more than the amount.
    Incomplete,
}

impl Basis {
    pub fn name(self) -> &'static str {
        match self {
            Self::Recorded => "recorded",
            Self::Estimated => "estimated",
            Self::Incomplete => "incomplete",
        }
    }
}

/// What a session, or a part of it, cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cost {
    /// The cost of everything that has a price, in parts of a dollar ([`agent_strace_model::prices::DOLLAR`]).
    pub amount: u128,
    pub basis: Basis,
    /// Why it is incomplete.
    pub why: BTreeSet<Unpriced>,
    /// Rows that it was priced by: the model, and its source and day.
    pub prices: BTreeMap<String, (String, String)>,
}

impl Cost {
    pub(super) fn nothing() -> Self {
        Self { amount: 0, basis: Basis::Recorded, why: BTreeSet::new(), prices: BTreeMap::new() }
    }

    pub(super) fn add(&mut self, amount: &Result<u128, Unpriced>) {
        match amount {
            Ok(amount) => self.amount = self.amount.saturating_add(*amount),
            Err(why) => {
                self.basis = Basis::Incomplete;
                if !self.why.contains(why) {
                    self.why.insert(why.clone());
                }
            }
        }
    }

    /// What some usage cost. Where the log tells only a part of it, it cost more.
    pub(super) fn charge(&mut self, usage: &Usage, amount: &Result<u128, Unpriced>) {
        self.add(amount);
        if usage.partial {
            self.add(&Err(Unpriced::Partial));
        }
    }

    /// What several cost together. One that is not known whole makes the sum so, too.
    pub fn sum<'c>(costs: impl IntoIterator<Item = &'c Self>) -> Self {
        costs.into_iter().fold(Self::nothing(), |mut sum, cost| {
            sum.amount = sum.amount.saturating_add(cost.amount);
            sum.basis = sum.basis.max(cost.basis);
            sum.why.extend(cost.why.iter().cloned());
            sum.prices.extend(cost.prices.iter().map(|(model, listed)| (model.clone(), listed.clone())));
            sum
        })
    }

    /// The amount, where it is all of it.
    pub fn complete(&self) -> Option<u128> {
        (self.basis != Basis::Incomplete).then_some(self.amount)
    }
}

impl<'t> Pricing<'t> {
    /// What one record of usage stands for.
    pub(super) fn request(&self, session: &Session<'_>, spent: &Spent<'_>) -> Result<u128, Unpriced> {
        let model = model_of(session, spent);
        self.request_by(self.row(model.as_deref()), model.as_deref(), spent)
    }

    /// The same for who knows the model and its row.
    pub(super) fn request_by(
        &self,
        row: Option<&'t Row>,
        model: Option<&str>,
        spent: &Spent<'_>,
    ) -> Result<u128, Unpriced> {
        let usage = &spent.usage;
        // What is told of no single message may be about several, whose prompts add up.
        let is_one = spent.message.is_some();
        let prompt = request::prompt(usage).unwrap_or(0);
        let tier = spent.tier.as_deref();
        let listed = row.filter(|_| self.table().is_some() && total_tokens(usage) > 0);
        let Some(usual) = listed else { return self.price(model, usage, prompt) };
        let row = self
            .served(usual, tier)
            .ok_or_else(|| Unpriced::UnknownTier(usual.model.clone(), tier.unwrap_or_default().to_owned()))?;
        if is_one && row.over.is_none() && prompt > row.window {
            return Err(Unpriced::LongPrompt(row.model.clone()));
        }
        priced(row.rates_for(prompt), usage)
    }

    /// The row of a model when it is served in some way: that of a name of its own (`claude-opus-4-6-fast`).
    fn served(&self, usual: &'t Row, tier: Option<&str>) -> Option<&'t Row> {
        match (self.table(), tier) {
            (Some(_), Some(tier)) => self.row(Some(&format!("{}-{tier}", usual.model))),
            _ => Some(usual),
        }
    }

    /// What the session's total has beyond its requests. How long their prompts were is not known, so no rates of long
    /// ones are taken.
    pub(super) fn rest(&self, session: &Session<'_>) -> (Usage, Result<u128, Unpriced>) {
        let rest = request::rest(session);
        (rest, self.price(only_model(session).as_deref(), &rest, 0))
    }

    fn price(&self, model: Option<&str>, usage: &Usage, prompt: u64) -> Result<u128, Unpriced> {
        if total_tokens(usage) == 0 {
            return Ok(0);
        }
        let rates = match self {
            Self::Rates(rates) => *rates,
            Self::Model(row) => row.rates_for(prompt),
            Self::Table(_) | Self::Later(_) => {
                let model = model.ok_or(Unpriced::NoModel)?;
                let row = self.row(Some(model)).ok_or_else(|| Unpriced::UnknownModel(model.to_owned()))?;
                row.rates_for(prompt)
            }
        };
        priced(rates, usage)
    }

    /// What is known of the model that answered, or of the one that stands for all.
    pub(super) fn row(&self, model: Option<&str>) -> Option<&'t Row> {
        match self {
            Self::Table(_) | Self::Later(_) => self.table()?.find(model?),
            Self::Model(row) => Some(row),
            Self::Rates(_) => None,
        }
    }

    fn table(&self) -> Option<&'t Table> {
        match self {
            Self::Table(table) => Some(table),
            Self::Later(table) => Some(table()),
            Self::Model(_) | Self::Rates(_) => None,
        }
    }

    /// What a whole session cost. Without recorded usage it is estimated from what was said.
    pub(super) fn session(&self, session: &Session<'_>, requests: &[Request]) -> Cost {
        let mut cost = Cost::nothing();
        if !is_recorded(session, requests) {
            return self.said(session, &estimate::session(session));
        }
        let mut noted = None;
        for request in requests {
            cost.charge(&request.usage, &request.cost);
            let by = Some((request.model.as_deref(), request.tier.as_deref()));
            // Most requests of a session are priced by the same row.
            if total_tokens(&request.usage) > 0 && noted != by {
                self.note(&mut cost, request.model.as_deref(), request.tier.as_deref());
                noted = by;
            }
        }
        // What answers used that no record is of.
        for spent in request::untold(session) {
            cost.charge(&spent.usage, &self.request(session, spent));
            self.note(&mut cost, model_of(session, spent).as_deref(), spent.tier.as_deref());
        }
        let (usage, rest) = self.rest(session);
        if rest != Ok(0) {
            self.note(&mut cost, only_model(session).as_deref(), None);
        }
        cost.charge(&usage, &rest);
        cost
    }

    /// What so much would have cost that was said in a session.
    pub(super) fn said(&self, session: &Session<'_>, usage: &Usage) -> Cost {
        let mut cost = Cost::nothing();
        if total_tokens(usage) > 0 {
            cost.basis = Basis::Estimated;
            let model = only_model(session);
            // The log lacks both, and usage is what it should record.
            let price = self.price(model.as_deref(), usage, 0);
            cost.add(&price.map_err(|why| if why == Unpriced::NoModel { Unpriced::NoUsage } else { why }));
            self.note(&mut cost, model.as_deref(), None);
        }
        cost
    }

    /// Says by which row something was priced.
    pub(super) fn note(&self, cost: &mut Cost, model: Option<&str>, tier: Option<&str>) {
        let row = self.row(model).and_then(|usual| self.served(usual, tier));
        if let Some(row) = row.filter(|row| !cost.prices.contains_key(&row.model)) {
            cost.prices.insert(row.model.clone(), (row.source.clone(), row.date.clone()));
        }
    }
}

fn priced(rates: &Rates, usage: &Usage) -> Result<u128, Unpriced> {
    rates.of(usage).map_err(|NoRate(kind)| Unpriced::NoRate(kind))
}

/// Whether the log records any usage.
pub(super) fn is_recorded(session: &Session<'_>, requests: &[Request]) -> bool {
    let tells = |usage: &Usage| total_tokens(usage) > 0 || usage.partial;
    tells(&session.usage) || requests.iter().any(|request| tells(&request.usage))
}

/// The model of a request, where the log says so.
pub(super) fn model_of<'s>(session: &'s Session<'_>, spent: &'s Spent<'_>) -> Option<Cow<'s, str>> {
    let told = spent.model.as_deref().filter(|model| !model.starts_with('<')).map(Cow::Borrowed);
    told.or_else(|| only_model(session))
}

/// The model of the session, where it names just one. Names in angle brackets stand for none.
pub(super) fn only_model<'s>(session: &'s Session<'_>) -> Option<Cow<'s, str>> {
    let mut models = session.attribution.models.iter().filter(|model| !model.starts_with('<'));
    let first = models.next()?;
    models.next().is_none().then_some(Cow::Borrowed(&**first))
}

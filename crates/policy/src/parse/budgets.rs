//! The key `budgets`.

use jiff::SignedDuration;

use crate::budgets::{Budgets, DOLLAR, Limit, Measure};
use crate::grammar;
use agent_strace_model::prices::Rates;

use super::{Data, Key, Parser, Value, escaped, nearest, quoted};

/// Beside the measures.
const PER_SUBAGENT: &str = "per_subagent";
const PRICES: &str = "usd_per_million_tokens";

pub(crate) const RATES: &[&str] = &["input", "output", "cache_read", "cache_write"];

/// Decimals that money may have.
const DECIMALS: usize = 6;

impl Parser<'_> {
    pub(super) fn budgets(&mut self, value: &Value) -> Budgets {
        const POINTER: &str = "/budgets";
        let mut budgets = Budgets::default();
        let known = grammar::BUDGETS.keys(self.version);
        let Some(members) = self.object(value, POINTER, &known) else { return budgets };
        let mut prices = None;
        for (key, value) in &members {
            match key.name.as_str() {
                PER_SUBAGENT => budgets.per_subagent = self.per_subagent(value),
                PRICES => prices = Some((*key, self.prices(value))),
                name if known.contains(&name) => budgets.limits.extend(self.limit(key, value, POINTER)),
                _ => self.unknown_budget(key, POINTER, &known),
            }
        }
        let money = members.iter().find(|(key, _)| key.name == Measure::CostUsd.name());
        match (money, prices) {
            (Some(_), Some((_, prices))) => {
                let of_money = budgets.limits.iter_mut().filter(|limit| limit.measure == Measure::CostUsd);
                of_money.for_each(|limit| limit.prices = Some(prices));
            }
            (None, Some((key, _))) => {
                let message = format!("`budgets.{PRICES}` limits nothing");
                let help = "limit the costs beside it: \"cost_usd\": 5".to_owned();
                self.faults.push(key.span.clone(), &format!("{POINTER}/{PRICES}"), message, Some(help));
            }
            (_, None) => {}
        }
        budgets
    }

    fn per_subagent(&mut self, value: &Value) -> Vec<Limit> {
        const POINTER: &str = "/budgets/per_subagent";
        let known = grammar::SUBAGENT.keys(self.version);
        let mut limits = Vec::new();
        let Some(members) = self.object(value, POINTER, &known) else { return limits };
        for (key, value) in members {
            if known.contains(&key.name.as_str()) {
                limits.extend(self.limit(key, value, POINTER));
            } else if Measure::ALL.iter().any(|measure| measure.name() == key.name) {
                let message = format!("`{}` can't be judged of each sub-agent by itself", key.name);
                let help = format!("limit it for the whole session, in `budgets.{}`", key.name);
                self.faults.push(key.span.clone(), &format!("{POINTER}/{}", key.name), message, Some(help));
            } else {
                self.unknown_budget(key, POINTER, &known);
            }
        }
        limits
    }

    fn limit(&mut self, key: &Key, value: &Value, above: &str) -> Option<Limit> {
        let measure = Measure::ALL.iter().copied().find(|measure| measure.name() == key.name)?;
        let pointer = format!("{above}/{}", key.name);
        let most = match (measure, &value.data) {
            (Measure::Duration, Data::Text(text)) => milliseconds(text),
            (Measure::Duration, _) => return self.no_limit(value, &pointer, "a duration such as \"1h\" or \"90m\""),
            (Measure::CostUsd, Data::Number(text)) => decimal(text).map(|amount| amount * (DOLLAR / 1_000_000)),
            (Measure::CostUsd, _) => return self.no_limit(value, &pointer, "a number of dollars"),
            (_, Data::Number(text)) => text.parse::<u64>().ok().map(u128::from),
            _ => return self.no_limit(value, &pointer, "a whole number"),
        };
        if let Some(most) = most {
            return Some(Limit {
                measure,
                most,
                location: self.locator.location(value.span.start, &pointer),
                prices: None,
            });
        }
        let (shown, help) = match &value.data {
            Data::Text(text) => (quoted(text), "write it as \"1h\", \"90m\", \"1h 30m\" or \"PT1H\""),
            Data::Number(text) if measure == Measure::CostUsd => {
                (quoted(text), "write a number from 0 on with at most six decimals")
            }
            Data::Number(text) => (quoted(text), "write a whole number from 0 on"),
            other => (other.name().to_owned(), "write a number"),
        };
        let message = format!("{shown} is no amount that can be limited");
        self.faults.push(value.span.clone(), &pointer, message, Some(help.to_owned()));
        None
    }

    fn no_limit<T>(&mut self, value: &Value, pointer: &str, wanted: &str) -> Option<T> {
        self.wrong_type(value, pointer, wanted);
        None
    }

    /// All four: a price that is left out would count as none, and the limit would never be reached.
    fn prices(&mut self, value: &Value) -> Rates {
        let pointer = format!("/budgets/{PRICES}");
        let mut prices = Rates::default();
        let Some(members) = self.members(value, &pointer, &grammar::BUDGET_PRICES) else { return prices };
        for rate in RATES.iter().filter(|rate| !members.iter().any(|(key, _)| key.name == **rate)) {
            let message = format!("`budgets.{PRICES}` has no `{rate}`");
            let help = "state all four prices; write 0 for tokens that cost nothing".to_owned();
            self.faults.push(value.span.clone(), &pointer, message, Some(help));
        }
        for (key, value) in members {
            let price = match key.name.as_str() {
                "input" => &mut prices.input,
                "output" => &mut prices.output,
                "cache_read" => prices.cache_read.insert(0),
                "cache_write" => prices.cache_write.insert(0),
                _ => continue,
            };
            let below = format!("{pointer}/{}", key.name);
            match &value.data {
                Data::Number(text) => {
                    if let Some(amount) = decimal(text) {
                        *price = amount;
                    } else {
                        let message = format!("{} is no price", quoted(text));
                        let help = "write a number from 0 on with at most six decimals".to_owned();
                        self.faults.push(value.span.clone(), &below, message, Some(help));
                    }
                }
                _ => self.wrong_type(value, &below, "a number of dollars"),
            }
        }
        prices
    }

    fn unknown_budget(&mut self, key: &Key, pointer: &str, known: &[&str]) {
        // What other tools call the same limits.
        let bare = key.name.strip_prefix("max_").unwrap_or(&key.name);
        let meant = match bare {
            "total_cost_usd" | "cost" | "total_cost" => Some("cost_usd"),
            "delegated_tasks" | "agents" => Some("subagents"),
            "tokens" => Some("total_tokens"),
            "turns" => Some("session_turns"),
            "hosts" => Some("network_hosts"),
            "files" => Some("files_changed"),
            other => known.iter().copied().find(|name| *name == other).or_else(|| nearest(other, known)),
        };
        let help = if let Some(near) = meant.filter(|name| known.contains(name)) {
            format!("did you mean `{near}`?")
        } else {
            let known: Vec<String> = known.iter().map(|key| format!("`{key}`")).collect();
            format!("known here: {}", known.join(", "))
        };
        let message = format!("unknown key {}", quoted(&key.name));
        self.faults.push(key.span.clone(), &format!("{pointer}/{}", escaped(&key.name)), message, Some(help));
    }
}

/// `1h`, `90m`, `1h 30m`, `PT1H`.
fn milliseconds(text: &str) -> Option<u128> {
    let duration: SignedDuration = text.trim().parse().ok()?;
    u128::try_from(duration.as_millis()).ok()
}

/// A decimal number in millionths.
pub(crate) fn decimal(text: &str) -> Option<u128> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || fraction.len() > DECIMALS {
        return None;
    }
    let whole: u32 = whole.parse().ok()?;
    let fraction: u32 = format!("{fraction:0<DECIMALS$}").parse().ok()?;
    Some(u128::from(whole) * 1_000_000 + u128::from(fraction))
}

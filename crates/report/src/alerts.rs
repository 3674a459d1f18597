//! Findings as the formats show them that keep track of alerts over time: one alert for each rule and act,
//! in the order of formats that show a bounded part of them.
//!
//! Code scanning and code quality reports recognise an alert by an identity that we give, and whoever dismisses one hides
//! everything with the same identity, today and later. So an alert is about one act against one rule, wherever and how
//! often it happened: the line of the policy, which many acts violate, is only where it is shown.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::Checkout;
use super::anchor::Anchor;
use super::groups::Group;
use super::order;
use super::view::Report;

/// One act against one rule, in all the sessions and events that did it.
#[derive(Debug)]
pub(super) struct Alert<'a> {
    /// Hex over the rule and the normalised act, as in the JSON report: the same at another line, in another session and
    /// under another policy.
    pub(super) identity: &'a str,
    pub(super) group: Group<'a>,
    /// Alerts of the same rule at the same line, with this one.
    pub(super) beside: usize,
}

impl<'a> AsRef<Group<'a>> for Alert<'a> {
    fn as_ref(&self) -> &Group<'a> {
        &self.group
    }
}

/// All findings that count, in the order of formats that show a bounded part of them; equal ones by rule and location.
pub(super) fn alerts<'r>(report: &'r Report, checkout: &Checkout) -> Vec<Alert<'r>> {
    let mut places: BTreeMap<_, usize> = BTreeMap::new();
    let mut alerts: Vec<Alert<'r>> = Vec::new();
    for (session, finding) in report.findings() {
        let identity = finding.fingerprint.as_str();
        match places.entry((finding.rule, identity)) {
            Entry::Occupied(place) => {
                if let Some(alert) = alerts.get_mut(*place.get()) {
                    alert.group.findings.push((session, finding));
                }
            }
            Entry::Vacant(place) => {
                place.insert(alerts.len());
                let anchor = Anchor::of(report, session, finding, checkout);
                let group = Group { rule: finding.rule, anchor, findings: vec![(session, finding)] };
                alerts.push(Alert { identity, group, beside: 1 });
            }
        }
    }
    let mut at_line: BTreeMap<_, usize> = BTreeMap::new();
    for alert in &alerts {
        *at_line.entry((alert.group.rule, alert.group.anchor.clone())).or_default() += 1;
    }
    for alert in &mut alerts {
        alert.beside = at_line.get(&(alert.group.rule, alert.group.anchor.clone())).copied().unwrap_or(1);
    }
    alerts.sort_by(|one, other| {
        let (one, other) = (&one.group, &other.group);
        one.rule.cmp(&other.rule).then_with(|| one.anchor.cmp(&other.anchor))
    });
    order::arrange(&mut alerts);
    alerts
}

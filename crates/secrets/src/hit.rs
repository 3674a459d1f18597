//! What a detector found.

/// How sure a detector is. The gate counts what is at least `Medium`; everything is redacted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    Low,
    Medium,
    High,
}

/// Something private in a text: byte offsets on character boundaries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    pub start: usize,
    pub end: usize,
    /// The id of the rule: one of `RuleId`, or `secret/…` or `pii/…` for patterns of users.
    pub rule: &'static str,
    /// What it is within the rule, as marks name it: lower case and `-`.
    pub kind: &'static str,
    pub confidence: Confidence,
}

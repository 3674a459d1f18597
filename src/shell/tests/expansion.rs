//! Words → fields.

//! The corpus of real logs.

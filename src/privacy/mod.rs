//! Turns log text into text that may be shown.

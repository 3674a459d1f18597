//! Renders an outcome: one file per format, one escaping step per target.

//! Files of a revision, read as git objects: no checkout, no hooks, no configuration is run.

//! Tests the crate as a whole, and those parts of it that know no commands.

mod hosts;
mod own_code;
mod paths;
mod properties;
mod settling;
mod tracker;
mod windows;
mod world;

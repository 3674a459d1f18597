//! The one integration binary.

mod architecture;
mod bad_input;
mod cases;
mod oracle;

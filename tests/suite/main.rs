//! The one integration binary.

mod architecture;

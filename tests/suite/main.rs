//! The one integration binary.

mod architecture;
mod bad_input;
mod cases;
mod cli;
mod hostile;
mod oracle;
mod peer_defects;
mod readme;
mod sarif;
mod sarif_check;
mod world;

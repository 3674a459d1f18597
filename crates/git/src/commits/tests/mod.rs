//! Both backends on repositories that the git program wrote. Without git these tests fail.

mod hostile;
mod random;
mod strange;
mod world;
mod zoo;

//! What a repository gives away about the AI tools that work in it. Work in progress.
#![allow(dead_code, reason = "it is wired up piece by piece")]

pub(crate) mod document;
mod remark;

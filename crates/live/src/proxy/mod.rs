//! What a proxy between an MCP client and its server sees: bytes → messages → what they mean.
//!
//! It reads a copy. Nothing here writes to either side, and nothing that it can't follow stops the bytes: it becomes a
//! [`Lost`](framing::Frame::Lost) piece, and the recording has a gap there.

pub mod framing;
pub mod message;
pub mod sse;
pub mod talk;

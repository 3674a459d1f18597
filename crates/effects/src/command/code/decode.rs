//! Encodings that programs undo before they run what they hold.

pub(crate) use crate::command::programs::decoding::hexadecimal;
pub(crate) use crate::command::programs::printing::decoded as base64;
pub(crate) use crate::command::programs::printing::decoded_bytes as base64_bytes;

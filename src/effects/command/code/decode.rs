//! Encodings that programs undo before they run what they hold.

pub(crate) use crate::effects::command::programs::decoding::hexadecimal;
pub(crate) use crate::effects::command::programs::printing::{decoded as base64, decoded_bytes as base64_bytes};

//! Bodies that are passed on as they come, while a tap gets a copy.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Body as _, Frame, Incoming, SizeHint};

use super::tap::Tap;

pub(super) type Body = BoxBody<Bytes, hyper::Error>;

/// A body that is all there.
pub(super) fn whole(bytes: impl Into<Bytes>) -> Body {
    Full::new(bytes.into()).map_err(|never| match never {}).boxed()
}

/// A body as it comes.
pub(super) fn tapped(inner: Incoming, tap: Option<Tap>) -> Body {
    let tap = if inner.is_end_stream() { None } else { tap };
    Tapped { inner, tap }.boxed()
}

struct Tapped {
    inner: Incoming,
    tap: Option<Tap>,
}

impl hyper::body::Body for Tapped {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = std::task::ready!(Pin::new(&mut self.inner).poll_frame(context));
        // What is passed on is told first: its answer can't come before it.
        if let (Some(Ok(frame)), Some(tap)) = (&frame, &mut self.tap)
            && let Some(bytes) = frame.data_ref()
        {
            tap.push(bytes);
        }
        match &frame {
            Some(Err(_)) => self.tap.take().into_iter().for_each(Tap::cut_off),
            None => self.tap.take().into_iter().for_each(Tap::finish),
            Some(Ok(_)) if self.inner.is_end_stream() => self.tap.take().into_iter().for_each(Tap::finish),
            Some(Ok(_)) => {}
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

impl Drop for Tapped {
    fn drop(&mut self) {
        self.tap.take().into_iter().for_each(Tap::cut_off);
    }
}

/// What came of a body before it was too large, and the rest of it.
pub(super) enum Collected {
    Whole(Bytes),
    TooLarge(Body),
}

/// Waits for a whole body.
pub(super) async fn collect(mut inner: Incoming, limit: usize) -> Result<Collected, hyper::Error> {
    let mut bytes = Vec::new();
    while let Some(frame) = inner.frame().await {
        let Ok(data) = frame?.into_data() else { continue };
        bytes.extend_from_slice(&data);
        if bytes.len() > limit {
            return Ok(Collected::TooLarge(Prefixed { front: Some(bytes.into()), inner }.boxed()));
        }
    }
    Ok(Collected::Whole(bytes.into()))
}

/// The rest of a body behind what was taken off it.
struct Prefixed {
    front: Option<Bytes>,
    inner: Incoming,
}

impl hyper::body::Body for Prefixed {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        match self.front.take() {
            Some(front) => Poll::Ready(Some(Ok(Frame::data(front)))),
            None => Pin::new(&mut self.inner).poll_frame(context),
        }
    }
}

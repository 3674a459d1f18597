//! `record-http`: a server that is spoken to by HTTP, streams and all, behind an address of this machine.

mod body;
mod client;
mod guard;
mod headers;
mod serve;
mod tap;
mod target;

use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};

use url::Url;

use super::super::failure::{Failure, reason};
use super::message_loop::MessageLoop;
use serve::Proxy;

/// A port of this machine, and of nothing else.
pub(super) fn listen(port: u16) -> Result<TcpListener, Failure> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let listening = TcpListener::bind(address).and_then(|listener| {
        listener.set_nonblocking(true)?;
        Ok(listener)
    });
    listening.map_err(|error| {
        let failure = Failure::new(format!("can't listen on {address}: {}", reason(&error)));
        match error.kind() {
            ErrorKind::AddrInUse => failure.hint("`--port PORT` takes another port, `--port 0` any that is free"),
            _ => failure,
        }
    })
}

/// Serves until a signal ends it.
pub(super) fn serve(listener: TcpListener, url: &Url, messages: &MessageLoop) -> Result<(), Failure> {
    let broken = |error: std::io::Error| Failure::new(format!("can't serve: {}", reason(&error)));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(broken)?;
    let port = listener.local_addr().map_err(broken)?.port();
    let proxy = Proxy::new(url, messages.clone())?;
    let served = runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let end = end()?;
        messages.status.note(&format!("the agent connects to http://127.0.0.1:{port}, which is {url}"));
        tokio::select! {
            () = serve::accept(listener, proxy) => {}
            () = end => {}
        }
        Ok(())
    });
    // Streams that are open may stay so for ever.
    runtime.shutdown_background();
    served.map_err(broken)
}

/// Waits for a signal that ends the program.
#[cfg(unix)]
fn end() -> std::io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let mut hang_up = signal(SignalKind::hangup())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hang_up.recv() => {}
        }
    })
}

#[cfg(not(unix))]
fn end() -> std::io::Result<impl Future<Output = ()>> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}

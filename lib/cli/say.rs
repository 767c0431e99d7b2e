//! Standard streams and exit codes.

use rustix::event::{PollFd, PollFlags, Timespec};
use std::io::{self, IsTerminal, Write};

/// Everything went as it should, whatever the verdict.
pub(crate) const DONE: u8 = 0;
/// Wrong usage, or input that is not understood.
pub(crate) const FAILED: u8 = 1;

/// Writes bytes to standard output in one call. A closed pipe is nobody's fault.
/// Returns whether anybody is still listening.
pub(crate) fn out(bytes: &[u8]) -> bool {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes).and_then(|()| stdout.flush()).is_ok()
}

/// Writes a message to standard error; with nobody there it is lost, and that is all.
pub(crate) fn err(text: &str) {
    let mut line = text.to_owned();
    line.push('\n');
    drop(io::stderr().lock().write_all(line.as_bytes()));
}

/// A message with the program's name.
pub(crate) fn complain(program: &str, text: &str) {
    err(&format!("{program}: {text}"));
}

/// Whether a person sits at standard input.
pub(crate) fn is_terminal() -> bool {
    rustix::stdio::stdin().is_terminal()
}

/// What came on standard input.
pub(crate) struct Input {
    pub bytes: Vec<u8>,
    /// Whether the other side fell silent without closing the pipe.
    pub left_open: bool,
}

/// Standard input to its end, at most `max` bytes, and no longer than `patience` without a byte: a
/// hook that waits for ever is one that is stopped for time, and that lets the call run.
///
/// Read from the descriptor itself: the standard library's buffer in front costs two cold pages.
pub(crate) fn input(max: usize, patience: Option<Timespec>) -> io::Result<Input> {
    let stdin = rustix::stdio::stdin();
    let mut bytes = Vec::with_capacity(4 << 10);
    let mut left_open = false;
    while bytes.len() < max {
        if let Some(limit) = &patience {
            match rustix::event::poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(limit)) {
                Ok(0) => {
                    left_open = true;
                    break;
                }
                Err(rustix::io::Errno::INTR) => continue,
                // What cannot be waited for can still be read.
                Ok(_) | Err(_) => {}
            }
        }
        if bytes.len() == bytes.capacity() {
            // In one large step: pages cost when they are touched, not when they are reserved.
            bytes.reserve(bytes.len().max(1 << 20));
        }
        match rustix::io::read(stdin, rustix::buffer::spare_capacity(&mut bytes)) {
            Ok(0) => break,
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    bytes.truncate(max);
    Ok(Input { bytes, left_open })
}

/// Keeps the default panic message off standard error: a panic becomes a fault, and a host may
/// read anything on standard error as a refusal.
pub(crate) fn quiet_panics() {
    std::panic::set_hook(Box::new(|_| {}));
}

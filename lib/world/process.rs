//! Running a program whose answer is wanted, never longer than a limit.

use std::io::{self, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// What a program prints, if it ends well within the limit.
///
/// Its standard input is empty and its standard error goes nowhere. It is killed at the limit; what it
/// has started meanwhile is not waited for.
///
/// # Errors
/// `NotFound`; `TimedOut`; `FileTooLarge` beyond `max` bytes; `Other` with its exit status.
pub fn output(program: &str, args: &[&str], folder: Option<&Path>, limit: Duration, max: u64) -> io::Result<Vec<u8>> {
    let begun = Instant::now();
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    if let Some(folder) = folder {
        command.current_dir(folder);
    }
    let mut child = command.spawn()?;
    let Some(pipe) = child.stdout.take() else { return Err(io::ErrorKind::BrokenPipe.into()) };
    let (sender, receiver) = channel();
    // The thread ends with the pipe, or with this process.
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = pipe.take(max.saturating_add(1)).read_to_end(&mut bytes);
        let _ = sender.send(read.map(|_| bytes));
    });
    let bytes = match receiver.recv_timeout(limit) {
        Ok(bytes) => bytes,
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Err(io::ErrorKind::TimedOut.into()),
    };
    let too_large = matches!(&bytes, Ok(bytes) if bytes.len() as u64 > max);
    loop {
        if let Some(status) = child.try_wait()? {
            return match bytes {
                Ok(_) if too_large => Err(io::ErrorKind::FileTooLarge.into()),
                Ok(_) if !status.success() => Err(io::Error::other(status.to_string())),
                bytes => bytes,
            };
        }
        if bytes.is_err() || too_large || begun.elapsed() >= limit {
            child.kill()?;
            child.wait()?;
            return Err(if too_large { io::ErrorKind::FileTooLarge } else { io::ErrorKind::TimedOut }.into());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

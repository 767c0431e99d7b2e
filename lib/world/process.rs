//! A program that is waited for, but not for ever.

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, Signal, kill_process_group};
use std::io::{self, ErrorKind, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Runs a program in a process group of its own and takes its standard output, `max` bytes at most. At the
/// end, also where it came in time, nothing of the group is left.
pub(super) fn output(program: &Path, rest: &[&str], limit: Duration, max: usize) -> io::Result<Vec<u8>> {
    let begun = Instant::now();
    let mut child = Command::new(program)
        .args(rest)
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let taken = take(&mut child, begun, limit, max);
    let ended = taken.and_then(|bytes| {
        // What says too much is stopped, and that is no failure of its.
        let ok = bytes.len() >= max || wait(&mut child, begun, limit)?;
        Ok((ok, bytes))
    });
    // Before the child is waited for for good, so that its number is still its own.
    stop(&child);
    let _ = child.wait();
    match ended? {
        (true, bytes) => Ok(bytes),
        (false, _) => Err(io::Error::other("it ended with a code that is not 0")),
    }
}

fn take(child: &mut Child, begun: Instant, limit: Duration, max: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let Some(mut pipe) = child.stdout.take() else { return Ok(bytes) };
    let mut block = [0; 8 << 10];
    while bytes.len() < max {
        let left = limit.checked_sub(begun.elapsed()).ok_or(ErrorKind::TimedOut)?;
        let left = Timespec::try_from(left).map_err(|_| ErrorKind::TimedOut)?;
        match rustix::event::poll(&mut [PollFd::new(&pipe, PollFlags::IN)], Some(&left)) {
            Ok(0) => return Err(ErrorKind::TimedOut.into()),
            Err(rustix::io::Errno::INTR) => continue,
            Ok(_) | Err(_) => {}
        }
        match pipe.read(&mut block)? {
            0 => break,
            n => bytes.extend_from_slice(&block[..n]),
        }
    }
    bytes.truncate(max);
    Ok(bytes)
}

/// Whether it ended with code 0. It has closed its output, so this is mostly at once.
fn wait(child: &mut Child, begun: Instant, limit: Duration) -> io::Result<bool> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.success());
        }
        if begun.elapsed() >= limit {
            return Err(ErrorKind::TimedOut.into());
        }
        std::thread::sleep(Duration::from_micros(200));
    }
}

fn stop(child: &Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // Nobody may be left in it.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

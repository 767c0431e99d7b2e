//! Who is asking: some verbs are for a person at a terminal and refuse an agent.
//!
//! This is no boundary against a program of the same user; it keeps an agent from switching its
//! own guard off by running a command.

use std::fs::{self, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};

/// Variables that agents set for what they run.
pub const MARKS: &[&str] = &[
    "CLAUDECODE",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_ENTRYPOINT",
    "AI_AGENT",
    "CODEX_SANDBOX",
    "CODEX_SANDBOX_NETWORK_DISABLED",
    "CODEX_THREAD_ID",
    "CODEX_SESSION_ID",
    "CODEX_CI",
    "GEMINI_CLI",
    "GEMINI_SESSION_ID",
    "QWEN_CODE",
    "QWEN_CODE_SESSION_ID",
    "COPILOT_CLI",
    "CURSOR_AGENT",
    "OPENCODE",
];

/// How many ancestors are looked at.
const MAX_ANCESTORS: usize = 32;

/// The person at the terminal.
pub trait Person {
    /// An agent's mark on this process or one of its ancestors.
    fn mark(&self) -> Option<String>;

    /// Asks on the terminal.
    ///
    /// # Errors
    /// If there is no terminal.
    fn ask(&mut self, question: &str) -> io::Result<String>;
}

/// The one at this machine.
#[derive(Debug, Default)]
pub struct Here;

impl Person for Here {
    fn mark(&self) -> Option<String> {
        let own = MARKS.iter().find(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()));
        if let Some(name) = own {
            return Some(format!("`{name}` is set"));
        }
        // Only Linux tells the environment of other processes this way; elsewhere the own one must do.
        let stat =
            |pid: &str| fs::read(format!("/proc/{pid}/stat")).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let mut pid = parent(&stat("self").ok()?)?;
        for _ in 0..MAX_ANCESTORS {
            if pid <= 1 {
                break;
            }
            // Another user's process does not show its environment.
            let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            if let Some(name) = marked(&environment) {
                return Some(format!("`{name}` is set in process {pid}, which started this one"));
            }
            pid = parent(&stat(&pid.to_string()).ok()?)?;
        }
        None
    }

    fn ask(&mut self, question: &str) -> io::Result<String> {
        let mut terminal = OpenOptions::new().read(true).write(true).open("/dev/tty")?;
        terminal.write_all(question.as_bytes())?;
        terminal.flush()?;
        let mut answer = String::new();
        BufReader::new(terminal).read_line(&mut answer)?;
        Ok(answer)
    }
}

/// The mark in an environment block of `/proc`.
fn marked(environment: &[u8]) -> Option<&'static str> {
    environment.split(|byte| *byte == 0).find_map(|row| {
        let at = row.iter().position(|byte| *byte == b'=')?;
        let (name, value) = row.split_at(at);
        MARKS.iter().copied().find(|mark| mark.as_bytes() == name && value.len() > 1)
    })
}

/// The parent in a line of `/proc/<pid>/stat`. A program's name may hold blanks and parentheses.
fn parent(stat: &str) -> Option<u32> {
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(1)?.parse().ok()
}

impl super::Desk<'_> {
    /// Makes sure that a person wants this: no agent's mark, and a yes on the terminal.
    ///
    /// # Errors
    /// If the refusal cannot be written.
    pub fn person_wants(&mut self, verb: &str, question: &str) -> io::Result<bool> {
        if let Some(mark) = self.person.mark() {
            self.fail(
                &format!("`kz {verb}` is for a person, and this runs inside an agent ({mark})"),
                "run it yourself, in a terminal of your own",
            )?;
            return Ok(false);
        }
        match self.person.ask(&format!("{question} [y/N] ")) {
            Ok(answer) if matches!(answer.trim(), "y" | "Y" | "yes") => Ok(true),
            Ok(_) => {
                writeln!(self.out, "nothing changed")?;
                Ok(false)
            }
            Err(_) => {
                self.fail(
                    &format!("`kz {verb}` asks on the terminal, and there is none"),
                    "run it yourself, in a terminal of your own",
                )?;
                Ok(false)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_read_from_an_environment_block() {
        assert_eq!(marked(b"HOME=/x\0CLAUDECODE=1\0"), Some("CLAUDECODE"));
        assert_eq!(marked(b"HOME=/x\0CLAUDECODE=\0XCLAUDECODE=1\0NOTE=CLAUDECODE=1"), None);
        assert_eq!(marked(b""), None);
    }

    #[test]
    fn the_parent_stands_behind_the_name() {
        assert_eq!(parent("12 (a) b (c)) S 7 12 12 0"), Some(7));
        assert_eq!(parent("nonsense"), None);
        assert!(Here.mark().is_none_or(|mark| mark.contains("is set")));
    }
}

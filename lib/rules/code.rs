//! What stands in quotes in a piece of program text: paths it may touch, shell lines it may run.
//!
//! No parser of Python or JavaScript: string literals are found, comments skipped, and that is
//! all. It serves one-liners and here-documents; what a program computes stays unknown.

/// Calls that run a shell line or an argument list.
const RUNNERS: &[&str] = &[
    "os.system",
    "subprocess",
    "popen",
    "Popen",
    "execSync",
    "exec(",
    "execFile",
    "spawn",
    "system(",
    "system ",
    "child_process",
    "%x(",
    "`",
    "qx",
    "Kernel.exec",
    "exec ",
    "shell_exec",
    "passthru",
    "run(",
    "sh(",
];

/// The string literals of a program text.
pub(super) fn literals(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut chars = code.char_indices().peekable();
    let mut before = '\n';
    while let Some((at, c)) = chars.next() {
        match c {
            '#' if before.is_whitespace() => while chars.next_if(|(_, c)| *c != '\n').is_some() {},
            '\'' | '"' | '`' => {
                let triple: String = [c, c, c].iter().collect();
                let long = c != '`' && code[at..].starts_with(&triple);
                if long {
                    chars.next();
                    chars.next();
                }
                let mut text = String::new();
                while let Some((at, inner)) = chars.next() {
                    if long && code[at..].starts_with(&triple) {
                        chars.next();
                        chars.next();
                        break;
                    }
                    match inner {
                        '\\' => match chars.next() {
                            Some((_, 'n')) => text.push('\n'),
                            Some((_, 't')) => text.push('\t'),
                            Some((_, other)) => text.push(other),
                            None => {}
                        },
                        _ if inner == c && !long => break,
                        _ => text.push(inner),
                    }
                }
                if !text.is_empty() {
                    found.push(text);
                }
            }
            _ => {}
        }
        before = c;
    }
    found
}

/// A shell line handed to the wrong interpreter is still meant as one.
pub(super) fn mistaken(code: &str) -> bool {
    ["rm ", "git ", "sudo "].iter().any(|word| code.starts_with(word))
}

/// Shell lines that a program text may run: its literals, and the whole list joined, if it runs anything.
pub(super) fn shell_lines(code: &str) -> Vec<String> {
    if mistaken(code) {
        return vec![code.to_owned()];
    }
    if !RUNNERS.iter().any(|runner| code.contains(runner)) {
        return Vec::new();
    }
    let mut lines = literals(code);
    if code.contains('[') && lines.len() > 1 {
        lines.push(lines.join(" "));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_found_and_comments_are_not() {
        assert_eq!(literals("import os # don't\nos.system('rm -rf /')"), ["rm -rf /"]);
        assert_eq!(literals("a(\"x\\\"y\", 'z')"), ["x\"y", "z"]);
        assert_eq!(literals("'''long 'q' text''' 'b'"), ["long 'q' text", "b"]);
        assert_eq!(literals("open('never closed"), ["never closed"]);
    }

    #[test]
    fn only_a_program_that_runs_something_has_shell_lines() {
        assert!(shell_lines("print('rm -rf /')").is_empty());
        assert_eq!(shell_lines("subprocess.run(['rm', '-rf', '/'])").last().map(String::as_str), Some("rm -rf /"));
    }
}

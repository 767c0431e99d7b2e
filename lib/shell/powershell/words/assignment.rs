//! Assignments of PowerShell: which variable is set, and whether its value stays.

use super::super::super::dynamic::Dynamic;
use super::super::super::part::Arg;
use super::{MOST_VALUES, MOST_VARIABLES, Reader, is_name};

impl Reader<'_> {
    /// Passes `$x =`, `[int]$x +=`, `$env:A =`; gives the name and whether it is a plain assignment.
    pub(super) fn assignment(&mut self) -> Option<(String, bool)> {
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        while bytes.get(at) == Some(&b'[') {
            at += bytes.get(at..(at + 128).min(bytes.len()))?.iter().position(|byte| *byte == b']')? + 1;
        }
        if bytes.get(at) != Some(&b'$') {
            return None;
        }
        at += 1;
        let from = at;
        while bytes.get(at).is_some_and(|byte| is_name(*byte) || matches!(byte, b':' | b'.' | b'{' | b'}')) {
            at += 1;
        }
        let name = self.text.get(from..at)?.trim_matches(['{', '}']).to_ascii_lowercase();
        while matches!(bytes.get(at), Some(b' ' | b'\t')) {
            at += 1;
        }
        let op = bytes.get(at)?;
        let plain = *op == b'=';
        if !plain {
            if !matches!(op, b'+' | b'-' | b'*' | b'/' | b'%' | b'?') {
                return None;
            }
            at += if self.text.get(at..)?.starts_with("??") { 2 } else { 1 };
        }
        if bytes.get(at) != Some(&b'=') {
            return None;
        }
        self.at = at + 1;
        Some((name, plain))
    }

    pub(super) fn assign(&mut self, name: String, values: Option<&[Arg]>) {
        let name = name.rsplit(':').next().unwrap_or_default().to_owned();
        let certain = |arg: &Arg| arg.text.len() <= 4096 && arg.dynamic.iter().all(|kind| *kind == Dynamic::Tilde);
        let once = self.depth == 0 && !self.assigned_later(&name);
        let values = values.filter(|values| once && values.iter().all(certain));
        let value = values.and_then(|values| if let [only] = values { Some(only.clone()) } else { None });
        self.lists.retain(|(known, _)| *known != name);
        if let Some(list) = values.filter(|values| values.len() > 1 && values.len() <= MOST_VALUES)
            && self.lists.len() < MOST_VARIABLES
        {
            self.lists.push((name.clone(), list.to_vec()));
        }
        if let Some(known) = self.variables.iter_mut().find(|(known, _)| *known == name) {
            known.1 = value;
        } else if self.variables.len() < MOST_VARIABLES {
            self.variables.push((name, value));
        }
    }

    /// Whether the text assigns a variable once more further on.
    fn assigned_later(&self, name: &str) -> bool {
        let bytes = self.text.as_bytes().get(self.at..).unwrap_or_default();
        memchr::memchr_iter(b'$', bytes).any(|at| {
            let Some(after) = bytes.get(at + 1..) else { return false };
            let named = after.get(..name.len()).is_some_and(|word| word.eq_ignore_ascii_case(name.as_bytes()));
            let Some(after) = after.get(name.len()..).filter(|_| named) else { return false };
            let blanks = after.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            match after.get(blanks..) {
                Some([b'=', ..] | [b'+' | b'-' | b'*' | b'/' | b'?', b'=', ..]) => true,
                Some([b'i', b'n', b' ', ..]) => blanks > 0,
                _ => false,
            }
        })
    }
}

//! Recipes: the shell lines that `make` and `just` run for what they are asked to make, read from
//! the text of their file. Pure functions of texts; which text it is finds the flattener out.

mod just;
mod make;
#[cfg(test)]
mod tests;

use super::dynamic::Dynamic;
use super::part::Arg;

pub use just::just;
pub use make::make;

/// Most lines of recipes that are read.
const MOST_STEPS: usize = 256;
/// Longest text in bytes that the values of variables make of a line.
const LONGEST: usize = 16 * 1024;
/// What stands for a value that nobody knows.
const UNKNOWN: &str = "«var»";

/// What a file of recipes is asked for.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// What is to be made, in order; the file's own choice if there is none.
    pub goals: Vec<String>,
    /// Variables of the command line.
    pub sets: Vec<(String, String)>,
    /// Whether some words are not certain, so that anything may be asked for.
    pub any: bool,
}

/// One line, or one whole recipe that runs as a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The text, with marks.
    pub text: Arg,
    /// The program that runs it, if that is no shell: `python3`.
    pub by: Option<String>,
}

/// The steps in the making.
#[derive(Debug, Default)]
struct Steps(Vec<Step>);

impl Steps {
    /// Adds a text for a shell.
    fn shell(&mut self, text: &str, like: &Arg) {
        self.add(text, like, None);
    }

    fn add(&mut self, text: &str, like: &Arg, by: Option<String>) {
        if self.0.len() >= MOST_STEPS || text.trim().is_empty() {
            return;
        }
        let mut text = Arg { text: text.into(), dynamic: like.dynamic };
        if text.text.contains(UNKNOWN) {
            text.mark(Dynamic::Var);
        }
        self.0.push(Step { text, by });
    }
}

//! What is certain about the shell at one point of a text: its folder and its variables.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use super::super::dynamic::Dynamic;
use super::super::part::Arg;
use super::vars::{Value, Vars};

/// Most parameters that are followed.
const MOST_PARAMS: usize = 256;
/// Most folders that `popd` can come back to.
const MOST_STACK: usize = 16;
/// Longest folder in bytes that is followed; no system takes a longer one.
const LONGEST: usize = 4096;

/// A folder, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Relative to the folder of the call, absolute, or `~/…`; `None` for the call's own.
    pub path: Option<Arc<str>>,
    /// Whether it is unknown; `path` means nothing then.
    pub unknown: bool,
}

/// The state of a shell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Where it is.
    pub place: Place,
    /// Where it was before (`cd -`).
    pub previous: Option<Place>,
    /// `pushd` stack.
    stack: Vec<Place>,
    /// Variables that were assigned here.
    pub vars: Vars,
    /// `$1`, `$2`, …; `None` if nothing is known of them.
    pub params: Option<Rc<Vec<Arg>>>,
    /// Whether braces are expanded.
    pub braces: Braces,
}

/// Whether braces are expanded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Braces {
    /// They are, as ever.
    #[default]
    Expand,
    /// They are text: `set +B`.
    Text,
    /// Nobody knows.
    Either,
}

impl Place {
    /// Nobody knows where.
    pub fn unknown() -> Self {
        Self { path: None, unknown: true }
    }

    /// The folder as a value: `$PWD` is the folder of the call.
    pub fn value(&self) -> Option<Arg> {
        let home = Dynamic::Tilde.into();
        match &self.path {
            _ if self.unknown => None,
            None => Some(Arg { text: "$PWD".into(), dynamic: home }),
            Some(path) if path.starts_with('/') => Some(Arg::literal(&**path)),
            Some(path) if path.starts_with('~') => Some(Arg { text: (&**path).into(), dynamic: home }),
            Some(path) => Some(Arg { text: format!("$PWD/{path}").into(), dynamic: home }),
        }
    }

    /// The folder `to`, seen from here.
    pub fn enter(&self, to: &Arg) -> Self {
        let home = to.dynamic == [Dynamic::Tilde];
        if !(home || to.dynamic.is_empty()) || to.text.len() > LONGEST {
            return Self::unknown();
        }
        let mut target = to.text.as_str();
        let mut text;
        if home {
            if let Some(rest) = target.strip_prefix("$PWD") {
                let path = tidy(rest.trim_start_matches('/'));
                return Self { path: (!path.is_empty()).then_some(path.into()), unknown: false };
            } else if let Some(rest) = target.strip_prefix("$HOME") {
                text = format!("~{rest}");
                target = &text;
            }
        } else if target.starts_with('~') {
            text = format!("./{target}");
            target = &text;
        }
        if target.starts_with('/') || home && target.starts_with('~') {
            return Self { path: Some(tidy(target).into()), unknown: false };
        }
        if self.unknown {
            return Self::unknown();
        }
        text = match &self.path {
            Some(path) => format!("{path}/{target}"),
            None => target.to_owned(),
        };
        if text.len() > LONGEST {
            return Self::unknown();
        }
        let path = tidy(&text);
        Self { path: (!path.is_empty()).then_some(path.into()), unknown: false }
    }
}

/// Takes out `.` and `x/..`; an empty text is the folder itself.
fn tidy(path: &str) -> Cow<'_, str> {
    let root = path.starts_with('/');
    let inner = if root { path.get(1..).unwrap_or_default() } else { path };
    if !inner.split('/').any(|name| matches!(name, "" | "." | "..")) {
        return Cow::Borrowed(path);
    }
    let mut names: Vec<&str> = Vec::new();
    for (number, name) in path.split('/').enumerate() {
        match name {
            "" | "." => {}
            ".." => match names.last() {
                None if root => {}
                None | Some(&"..") => names.push(".."),
                // The parent of `~` is known to nobody.
                Some(last) if last.starts_with('~') && names.len() == 1 && path.starts_with('~') => {
                    names.push("..");
                }
                Some(_) => {
                    names.pop();
                }
            },
            // Only a leading `~` means the home folder.
            name if number > 0 && names.is_empty() && !root && name.starts_with('~') => {
                names.push(".");
                names.push(name);
            }
            name => names.push(name),
        }
    }
    Cow::Owned(format!("{}{}", if root { "/" } else { "" }, names.join("/")))
}

impl State {
    /// What is certain if one of two courses was taken.
    pub fn merge(mut self, other: &Self) -> Self {
        if self == *other {
            return self;
        }
        if self.place != other.place {
            self.place = Place::unknown();
        }
        if self.previous != other.previous {
            self.previous = None;
        }
        if self.stack != other.stack {
            self.stack = Vec::new();
        }
        if self.params != other.params {
            self.params = None;
        }
        if self.braces != other.braces {
            self.braces = Braces::Either;
        }
        self.vars.merge(&other.vars);
        self
    }

    /// Nothing is certain about variables any more.
    pub fn lose(&mut self) {
        self.vars.lose();
        self.params = None;
    }

    /// Sets `$1`, `$2`, …
    pub fn set_params(&mut self, words: &[Arg]) {
        self.params = (words.len() <= MOST_PARAMS).then(|| Rc::new(words.to_vec()));
    }

    /// A new shell started from here: same folder, variables of the environment only.
    pub fn child(&self) -> Self {
        Self { place: self.place.clone(), vars: self.vars.child(), ..Self::default() }
    }

    /// Whether `cd` looks for a folder in `CDPATH`.
    fn searches(&self, word: &Arg) -> bool {
        let plain = word.dynamic.is_empty() && !word.text.starts_with(['/', '.']);
        plain
            && match self.vars.value("CDPATH") {
                Value::Untouched | Value::Unset => false,
                Value::Certain(value) => !value.text.is_empty(),
                _ => self.vars.any(),
            }
    }

    /// `cd`, `pushd`, `popd`; `words` are the arguments.
    pub fn change(&mut self, command: &str, words: &[Arg]) {
        let target = words.iter().find(|word| !(word.text.starts_with('-') && word.text.len() > 1));
        let target = if words.iter().any(|word| word.text == "--") {
            words.iter().skip_while(|word| word.text != "--").nth(1)
        } else {
            target
        };
        let turn = target.is_some_and(|word| word.text.starts_with(['+', '-']) && word.text.len() > 1)
            || words
                .iter()
                .any(|word| word.text.starts_with('-') && word.text.as_bytes().get(1).is_some_and(u8::is_ascii_digit));
        // `pushd -n` and `popd -n` change the list of folders alone.
        if command != "cd" && words.iter().any(|word| word.text == "-n") {
            self.stack.clear();
            return;
        }
        let here = self.place.clone();
        let home = Arg { text: "~".into(), dynamic: Dynamic::Tilde.into() };
        let to = match (command, target) {
            ("cd", Some(word)) if word.text == "-" => self.previous.clone().unwrap_or_else(Place::unknown),
            // A folder below another one may be meant.
            ("cd", Some(word)) if self.searches(word) => Place::unknown(),
            ("cd", Some(word)) => here.enter(word),
            ("cd", None) => match self.vars.value("HOME") {
                Value::Untouched => here.enter(&home),
                Value::Certain(value) => here.enter(value),
                _ => Place::unknown(),
            },
            (_, _) if turn => {
                self.stack.clear();
                Place::unknown()
            }
            ("pushd", Some(word)) => {
                if self.stack.len() >= MOST_STACK {
                    self.stack.remove(0);
                }
                self.stack.push(here.clone());
                here.enter(word)
            }
            ("pushd", None) => match self.stack.pop() {
                Some(place) => {
                    self.stack.push(here.clone());
                    place
                }
                None => Place::unknown(),
            },
            _ => self.stack.pop().unwrap_or_else(Place::unknown),
        };
        self.previous = Some(here);
        self.place = to;
    }
}

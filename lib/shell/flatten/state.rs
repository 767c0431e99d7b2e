//! What is certain about the shell at one point of a text: its folder and its variables.

use super::super::part::{Arg, Dynamic};

/// Variables that are followed; more than any honest line assigns.
const MOST: usize = 64;

/// A folder, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Relative to the folder of the call, absolute, or `~/…`; `None` for the call's own.
    pub path: Option<String>,
    /// Whether it is unknown; `path` means nothing then.
    pub unknown: bool,
}

/// The state of a shell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Where it is.
    pub place: Place,
    /// Where it was before (`cd -`).
    previous: Option<Place>,
    /// `pushd` stack.
    stack: Vec<Place>,
    /// Variables that were assigned here; `None` if the value is not certain.
    vars: Vec<(String, Option<Arg>)>,
    /// Whether any variable may have changed in a way that was not seen.
    lost: bool,
}

/// What is known of a variable.
#[derive(Debug, PartialEq, Eq)]
pub enum Value<'s> {
    /// Assigned here with a certain value.
    Certain(&'s Arg),
    /// Not touched here: what the environment has.
    Untouched,
    /// Not certain.
    Unknown,
}

impl Place {
    /// Nobody knows where.
    pub fn unknown() -> Self {
        Self {
            path: None,
            unknown: true,
        }
    }

    /// The folder as a value: `$PWD` is the folder of the call.
    pub fn value(&self) -> Option<Arg> {
        let home = vec![Dynamic::Tilde];
        match &self.path {
            _ if self.unknown => None,
            None => Some(Arg {
                text: "$PWD".to_owned(),
                dynamic: home,
            }),
            Some(path) if path.starts_with('/') => Some(Arg::literal(path.clone())),
            Some(path) if path.starts_with('~') => Some(Arg {
                text: path.clone(),
                dynamic: home,
            }),
            Some(path) => Some(Arg {
                text: format!("$PWD/{path}"),
                dynamic: home,
            }),
        }
    }

    /// The folder `to`, seen from here.
    pub fn enter(&self, to: &Arg) -> Self {
        let home = to.dynamic == [Dynamic::Tilde];
        if !(home || to.dynamic.is_empty()) || to.text.len() > 4096 {
            return Self::unknown();
        }
        let mut target = to.text.as_str();
        let mut text;
        if home {
            if let Some(rest) = target.strip_prefix("$PWD") {
                let path = tidy(rest.trim_start_matches('/'));
                return Self {
                    path: (!path.is_empty()).then_some(path),
                    unknown: false,
                };
            } else if let Some(rest) = target.strip_prefix("$HOME") {
                text = format!("~{rest}");
                target = &text;
            }
        } else if target.starts_with('~') {
            text = format!("./{target}");
            target = &text;
        }
        if target.starts_with('/') || home && target.starts_with('~') {
            return Self {
                path: Some(tidy(target)),
                unknown: false,
            };
        }
        if self.unknown {
            return Self::unknown();
        }
        text = match &self.path {
            Some(path) => format!("{path}/{target}"),
            None => target.to_owned(),
        };
        let path = tidy(&text);
        Self {
            path: (!path.is_empty()).then_some(path),
            unknown: false,
        }
    }
}

/// Takes out `.` and `x/..`; an empty text is the folder itself.
fn tidy(path: &str) -> String {
    let root = path.starts_with('/');
    let mut names: Vec<&str> = Vec::new();
    for (number, name) in path.split('/').enumerate() {
        match name {
            "" | "." => {}
            ".." => match names.last() {
                None if root => {}
                None | Some(&"..") => names.push(".."),
                // The parent of `~` is known to nobody.
                Some(last)
                    if last.starts_with('~') && names.len() == 1 && path.starts_with('~') =>
                {
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
    format!("{}{}", if root { "/" } else { "" }, names.join("/"))
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
        self.lost |= other.lost;
        for (name, value) in &mut self.vars {
            let theirs = other.vars.iter().find(|(theirs, _)| theirs == name);
            if theirs.is_none_or(|(_, theirs)| theirs != value) {
                *value = None;
            }
        }
        for (name, _) in &other.vars {
            if !self.vars.iter().any(|(ours, _)| ours == name) {
                self.assign(name, None);
            }
        }
        self
    }

    /// Looks a variable up.
    pub fn value(&self, name: &str) -> Value<'_> {
        match self.vars.iter().find(|(known, _)| known == name) {
            Some((_, Some(value))) => Value::Certain(value),
            Some((_, None)) => Value::Unknown,
            None if self.lost => Value::Unknown,
            None => Value::Untouched,
        }
    }

    /// Assigns; `None` for a value that is not certain.
    pub fn assign(&mut self, name: &str, value: Option<Arg>) {
        let value = value.filter(|value| value.text.len() <= 4096);
        if let Some(known) = self.vars.iter_mut().find(|(known, _)| known == name) {
            known.1 = value;
        } else if self.vars.len() < MOST {
            self.vars.push((name.to_owned(), value));
        } else {
            self.lose();
        }
    }

    /// Nothing is certain about variables any more.
    pub fn lose(&mut self) {
        self.vars.clear();
        self.lost = true;
    }

    /// Whether unquoted values are split at blanks as usual.
    pub fn splits_at_blanks(&self) -> bool {
        !self.vars.iter().any(|(name, _)| name == "IFS")
    }

    /// Whether a variable was assigned here.
    pub fn any(&self) -> bool {
        !self.vars.is_empty()
    }

    /// Makes uncertain what `text` may assign: every followed name that stands in it otherwise
    /// than as `$name` or `${name}`.
    pub fn doubt(&mut self, text: &str) {
        if self.vars.is_empty() {
            return;
        }
        if ["eval", "source", ". "]
            .iter()
            .any(|word| text.contains(word))
        {
            self.lose();
            return;
        }
        for (name, value) in &mut self.vars {
            if value.is_some() && assigns(text, name) {
                *value = None;
            }
        }
    }

    /// A new shell started from here: same folder, variables of the environment only.
    pub fn child(&self) -> Self {
        let mut child = Self {
            place: self.place.clone(),
            lost: self.lost,
            ..Self::default()
        };
        for (name, _) in &self.vars {
            child.assign(name, None);
        }
        child
    }

    /// `cd`, `pushd`, `popd`; `words` are the arguments.
    pub fn change(&mut self, command: &str, words: &[Arg]) {
        let target = words
            .iter()
            .find(|word| !(word.text.starts_with('-') && word.text.len() > 1));
        let target = if words.iter().any(|word| word.text == "--") {
            words.iter().skip_while(|word| word.text != "--").nth(1)
        } else {
            target
        };
        let turn = target
            .is_some_and(|word| word.text.starts_with(['+', '-']) && word.text.len() > 1)
            || words.iter().any(|word| {
                word.text.starts_with('-')
                    && word.text.as_bytes().get(1).is_some_and(u8::is_ascii_digit)
            });
        let here = self.place.clone();
        let home = Arg {
            text: "~".to_owned(),
            dynamic: vec![Dynamic::Tilde],
        };
        let to = match (command, target) {
            ("cd", Some(word)) if word.text == "-" => {
                self.previous.clone().unwrap_or_else(Place::unknown)
            }
            ("cd", Some(word)) => here.enter(word),
            ("cd", None) if self.value("HOME") != Value::Untouched => Place::unknown(),
            ("cd", None) => here.enter(&home),
            (_, _) if turn => {
                self.stack.clear();
                Place::unknown()
            }
            ("pushd", Some(word)) => {
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

/// Whether `name` stands in `text` as a word of its own and not after `$` or `${`.
fn assigns(text: &str, name: &str) -> bool {
    let word =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let bytes = text.as_bytes();
    text.match_indices(name).any(|(at, _)| {
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        let after = bytes.get(at + name.len());
        if word(before) || word(after) {
            return false;
        }
        match before {
            Some(b'$') => false,
            Some(b'{') if at >= 2 && bytes.get(at - 2) == Some(&b'$') => after != Some(&b'}'),
            _ => true,
        }
    })
}

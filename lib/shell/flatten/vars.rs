//! The variables of a shell, as far as their values are certain.

use std::rc::Rc;

use ecow::EcoVec;

use super::super::part::Arg;

/// Variables that are followed; more than any honest line assigns.
const MOST: usize = 64;
/// Longest value in bytes.
const LONGEST: usize = 4096;
/// Most elements of an array.
const MOST_ELEMENTS: usize = 256;

/// Names that every environment may hold: whether they reach a child is not said by the line.
const ENVIRONMENT: [&str; 14] = [
    "HOME", "PATH", "PWD", "OLDPWD", "TMPDIR", "TMP", "TEMP", "USER", "LOGNAME", "SHELL", "LANG", "TERM", "EDITOR",
    "CDPATH",
];

/// What a variable holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Known {
    /// Nobody knows.
    Not,
    /// Nobody knows, but a credential of the environment is in it.
    Credential,
    /// It is not set.
    Unset,
    /// This text.
    Text(Rc<Arg>),
    /// This array.
    List(Rc<Vec<Arg>>),
}

/// A variable that was assigned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Var {
    name: String,
    known: Known,
    exported: bool,
    /// Whether what is assigned to it becomes something else (`declare -u`).
    odd: bool,
}

/// What is known of a variable.
#[derive(Debug, PartialEq, Eq)]
pub enum Value<'s> {
    /// Assigned here with a certain value.
    Certain(&'s Arg),
    /// Assigned here with a certain array.
    List(&'s Rc<Vec<Arg>>),
    /// Certainly not set.
    Unset,
    /// Not touched here: what the environment has.
    Untouched,
    /// Not certain.
    Unknown,
}

/// The variables that were assigned. Copies share their memory until one changes.
#[derive(Clone, Debug, Default, Eq)]
pub struct Vars {
    all: EcoVec<Var>,
    /// Whether any variable may have changed in a way that was not seen.
    lost: bool,
    /// Whether all assignments are exported (`set -a`).
    pub exports: bool,
    /// Whether a name may stand for another variable (`declare -n`), which is not followed.
    pub refers: bool,
}

impl Known {
    /// A certain text, or nothing.
    pub fn text(value: Option<Arg>) -> Self {
        value.map_or(Self::Not, |value| Self::Text(Rc::new(value)))
    }

    fn bounded(self) -> Self {
        let fits = match &self {
            Self::Not | Self::Credential | Self::Unset => true,
            Self::Text(text) => text.text.len() <= LONGEST,
            Self::List(list) => {
                list.len() <= MOST_ELEMENTS && list.iter().map(|arg| arg.text.len()).sum::<usize>() <= 4 * LONGEST
            }
        };
        if fits { self } else { Self::Not }
    }
}

impl PartialEq for Vars {
    fn eq(&self, other: &Self) -> bool {
        (self.lost, self.exports, self.refers) == (other.lost, other.exports, other.refers) && self.same(other)
    }
}

impl Vars {
    /// Whether the variables are the same; copies that share their memory are.
    fn same(&self, other: &Self) -> bool {
        std::ptr::eq(self.all.as_slice(), other.all.as_slice()) || self.all == other.all
    }

    fn find(&self, name: &str) -> Option<&Var> {
        self.all.iter().find(|var| var.name == name)
    }

    /// Looks a variable up.
    pub fn value(&self, name: &str) -> Value<'_> {
        match self.find(name).map(|var| &var.known) {
            Some(Known::Text(value)) => Value::Certain(value),
            Some(Known::List(list)) => Value::List(list),
            Some(Known::Unset) => Value::Unset,
            Some(Known::Not | Known::Credential) => Value::Unknown,
            None if self.lost => Value::Unknown,
            None => Value::Untouched,
        }
    }

    /// Whether a credential of the environment was assigned to a variable.
    pub fn is_credential(&self, name: &str) -> bool {
        self.find(name).is_some_and(|var| var.known == Known::Credential)
    }

    /// What is noted of a variable, to be put back by [`Vars::restore`].
    pub fn noted(&self, name: &str) -> Option<Var> {
        let lost = self.lost.then(|| Var { name: name.to_owned(), known: Known::Not, exported: false, odd: false });
        self.find(name).cloned().or(lost)
    }

    /// Puts back what [`Vars::noted`] gave.
    pub fn restore(&mut self, name: &str, noted: Option<Var>) {
        match noted {
            Some(var) => {
                self.change_odd(name, false);
                self.set(name, var.known);
                self.export(name, var.exported);
                self.change_odd(name, var.odd);
            }
            None if self.find(name).is_some() => self.all.retain(|var| var.name != name),
            None => {}
        }
    }

    /// Assigns.
    pub fn set(&mut self, name: &str, known: Known) {
        if self.refers {
            // Another one may be meant, and it is not what it was.
            self.lose();
            self.all.push(Var { name: name.to_owned(), known: Known::Not, exported: false, odd: false });
            return;
        }
        let odd = self.find(name).is_some_and(|var| var.odd);
        let known = match known {
            Known::Text(_) | Known::List(_) if odd => Known::Not,
            known => known.bounded(),
        };
        if self.exports {
            self.export(name, true);
        }
        if self.find(name).is_some_and(|var| var.known == known) {
            return;
        }
        if self.find(name).is_none() && self.all.len() >= MOST {
            self.lose();
            return;
        }
        let exported = self.exports;
        match self.all.iter().position(|var| var.name == name).and_then(|at| self.all.make_mut().get_mut(at)) {
            Some(var) => var.known = known,
            None => self.all.push(Var { name: name.to_owned(), known, exported, odd: false }),
        }
    }

    /// Assigns a text; `None` for one that is not certain.
    ///
    /// Of an array this is the first element.
    pub fn assign(&mut self, name: &str, value: Option<Arg>) {
        match (self.find(name).map(|var| &var.known), value) {
            (Some(Known::List(list)), Some(value)) => {
                let mut list = list.to_vec();
                match list.first_mut() {
                    Some(first) => *first = value,
                    None => list.push(value),
                }
                self.set(name, Known::List(Rc::new(list)));
            }
            (_, value) => self.set(name, Known::text(value)),
        }
    }

    /// Marks a variable as exported, or not.
    pub fn export(&mut self, name: &str, exported: bool) {
        if self.find(name).is_some_and(|var| var.exported != exported) {
            for var in self.all.make_mut().iter_mut().filter(|var| var.name == name) {
                var.exported = exported;
            }
        }
    }

    /// Says that what is assigned to a variable becomes something else, or no longer.
    pub fn change_odd(&mut self, name: &str, odd: bool) {
        if self.find(name).is_some_and(|var| var.odd != odd) {
            for var in self.all.make_mut().iter_mut().filter(|var| var.name == name) {
                var.odd = odd;
            }
        }
    }

    /// Nothing is certain about variables any more.
    pub fn lose(&mut self) {
        if !self.all.is_empty() {
            self.all = EcoVec::new();
        }
        self.lost = true;
    }

    /// The letters at which unquoted values are split, if they are certain.
    pub fn separators(&self) -> Option<&str> {
        match self.find("IFS").map(|var| &var.known) {
            None | Some(Known::Unset) => Some(" \t\n"),
            Some(Known::Text(text)) => text.certain(),
            Some(Known::Not | Known::Credential | Known::List(_)) => None,
        }
    }

    /// Variables with known texts that programs get in their environment.
    pub fn exported(&self) -> impl Iterator<Item = (&str, &Arg)> {
        self.all.iter().filter(|var| var.exported).filter_map(|var| match &var.known {
            Known::Text(text) => Some((var.name.as_str(), &**text)),
            _ => None,
        })
    }

    /// Whether a variable was assigned here.
    pub fn any(&self) -> bool {
        !self.all.is_empty()
    }

    /// Makes uncertain what `text` may assign: every followed name that stands in it otherwise
    /// than as `$name` or `${name}`.
    pub fn doubt(&mut self, text: &str) {
        if self.all.is_empty() {
            return;
        }
        if ["eval", "source", "."].iter().any(|word| runs(text, word)) {
            self.lose();
            return;
        }
        let hit = |var: &Var| var.known != Known::Not && assigns(text, &var.name);
        if self.all.iter().any(hit) {
            for var in self.all.make_mut().iter_mut().filter(|var| hit(var)) {
                var.known = Known::Not;
            }
        }
    }

    /// The variables of a program started from here.
    pub fn child(&self) -> Self {
        let mut all = EcoVec::with_capacity(self.all.len());
        for var in self.all.iter() {
            let known = match &var.known {
                Known::Text(_) if var.exported => var.known.clone(),
                Known::Unset => Known::Unset,
                _ if var.name == "IFS" => continue,
                _ if ENVIRONMENT.contains(&var.name.as_str()) => Known::Not,
                _ if var.exported || self.lost => Known::Not,
                _ => Known::Unset,
            };
            all.push(Var { name: var.name.clone(), known, exported: var.exported, odd: false });
        }
        Self { all, lost: self.lost, exports: false, refers: false }
    }

    /// What is certain if one of two courses was taken.
    pub fn merge(&mut self, other: &Self) {
        self.lost |= other.lost;
        self.exports |= other.exports;
        self.refers |= other.refers;
        if self.same(other) {
            return;
        }
        let mut fresh: EcoVec<Var> = EcoVec::new();
        for var in self.all.iter() {
            let theirs = other.find(&var.name);
            let known = match theirs {
                Some(theirs) if theirs.known == var.known => var.known.clone(),
                Some(theirs) if theirs.known == Known::Credential => Known::Credential,
                _ if var.known == Known::Credential => Known::Credential,
                _ => Known::Not,
            };
            let exported = var.exported || theirs.is_some_and(|theirs| theirs.exported);
            let odd = var.odd || theirs.is_some_and(|theirs| theirs.odd);
            fresh.push(Var { name: var.name.clone(), known, exported, odd });
        }
        for theirs in other.all.iter().filter(|theirs| self.find(&theirs.name).is_none()) {
            let known = if theirs.known == Known::Credential { Known::Credential } else { Known::Not };
            fresh.push(Var { known, ..theirs.clone() });
        }
        let full = fresh.len() > MOST;
        self.all = fresh;
        if full {
            self.lose();
        }
    }
}

/// Whether `name` may stand in `text` as a command, with an argument.
fn runs(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let after = text.get(at + name.len()..).unwrap_or_default();
        let before = text.get(..at).unwrap_or_default();
        let command = before.trim_end_matches([' ', '\t', '\\']);
        let apart = command.len() < before.len();
        after.starts_with([' ', '\t', '"', '\''])
            && (command.is_empty()
                || command.ends_with([';', '&', '|', '(', '{', '\n', '`', '!'])
                || apart && ["do", "then", "else", "builtin", "command"].iter().any(|word| command.ends_with(word)))
    })
}

/// Whether `text` may assign `name`: it stands there as a word of its own, and not to be expanded.
pub fn assigns(text: &str, name: &str) -> bool {
    let word = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let bytes = text.as_bytes();
    text.match_indices(name).any(|(at, _)| {
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        let after = bytes.get(at + name.len());
        if word(before) || word(after) {
            return false;
        }
        let braced = at.checked_sub(2).and_then(|before| bytes.get(before));
        match (before, braced) {
            (Some(b'$'), _) => false,
            // `${x=…}` and `${x:=…}` assign.
            (Some(b'{'), Some(b'$')) => {
                after == Some(&b'=') || after == Some(&b':') && bytes.get(at + name.len() + 1) == Some(&b'=')
            }
            (Some(b'#' | b'!'), Some(b'{')) => false,
            _ => true,
        }
    })
}

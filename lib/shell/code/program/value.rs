//! What is known of the values of a program.

use ecow::EcoString;
use std::rc::Rc;

use super::super::super::dynamic::{Dynamic, Dynamics};
use super::super::super::part::Arg;
use super::tree::{Function, Stmt};

/// Longest text that is put together, in bytes.
const MOST_TEXT: usize = 4096;
/// Most alternatives of a value.
const MOST_WAYS: usize = 8;

/// A value as far as it is known.
#[derive(Clone, Debug)]
pub enum Value<'a> {
    /// Nothing is known.
    Unknown,
    /// A string; with marks or a glob where it is not certain.
    Text(Rc<Arg>),
    /// An object that stands for a path.
    Path(Rc<Arg>),
    /// A whole number.
    Number(i64),
    /// A list whose items are all there.
    List(Rc<Vec<Value<'a>>>),
    /// A list of unknown length with items such as this.
    Each(Rc<Value<'a>>),
    /// One of these.
    Either(Rc<Vec<Value<'a>>>),
    /// A dictionary or object.
    Dict(Rc<Vec<(Rc<str>, Value<'a>)>>),
    /// A module, function or object of a library, by its full name.
    Thing(EcoString),
    /// A function of the program.
    Function(&'a Function<'a>),
    /// A class of the program.
    Class(&'a [Stmt<'a>]),
    /// An object of such a class, by its number.
    Object(&'a [Stmt<'a>], usize),
    /// Something of a module that nobody has read.
    Foreign,
}

/// The arguments of a call.
#[derive(Debug, Default)]
pub struct Args<'a> {
    /// Keyword and value.
    pub items: Vec<(Option<Rc<str>>, Value<'a>)>,
}

impl<'a> Args<'a> {
    /// The argument at a position.
    pub fn at(&self, at: usize) -> Option<&Value<'a>> {
        self.items.iter().filter(|(name, _)| name.is_none()).nth(at).map(|(_, value)| value)
    }

    /// The argument with a keyword.
    pub fn named(&self, wanted: &str) -> Option<&Value<'a>> {
        self.items.iter().find(|(name, _)| name.as_deref() == Some(wanted)).map(|(_, value)| value)
    }

    /// The argument at a position or with a keyword.
    pub fn get(&self, at: usize, name: &str) -> Option<&Value<'a>> {
        self.at(at).or_else(|| self.named(name))
    }

    /// The value of a key in an object among the arguments.
    pub fn option(&self, name: &str) -> Option<&Value<'a>> {
        self.items.iter().find_map(|(_, value)| match value {
            Value::Dict(pairs) => pairs.iter().rev().find(|(key, _)| &**key == name).map(|(_, value)| value),
            _ => None,
        })
    }
}

/// The word for what is not known.
pub fn unknown() -> Rc<Arg> {
    Rc::new(Arg { text: "«var»".into(), dynamic: Dynamic::Var.into() })
}

/// A text with a glob in it.
pub fn glob(text: String) -> Rc<Arg> {
    Rc::new(Arg { text: text.into(), dynamic: Dynamic::Glob.into() })
}

fn both(a: &Arg, b: &Arg) -> Dynamics {
    a.dynamic.with(b.dynamic)
}

/// One text behind another.
pub fn concat(a: &Arg, b: &Arg) -> Option<Arg> {
    if a.text.len() + b.text.len() > MOST_TEXT {
        return None;
    }
    Some(Arg { text: format!("{}{}", a.text, b.text).into(), dynamic: both(a, b) })
}

/// A path below another.
pub fn join(a: &Arg, b: &Arg) -> Option<Arg> {
    if b.text.starts_with('/') || b.dynamic.contains(&Dynamic::Tilde) || a.text.is_empty() || a.text == "." {
        return Some(b.clone());
    }
    let rest = b.text.strip_prefix("./").unwrap_or(&b.text);
    if a.text.len() + rest.len() > MOST_TEXT {
        return None;
    }
    let slash = if a.text.ends_with('/') || rest.is_empty() { "" } else { "/" };
    let rest = if rest == "." { "" } else { rest };
    Some(Arg { text: format!("{}{slash}{rest}", a.text).into(), dynamic: both(a, b) })
}

impl<'a> Value<'a> {
    /// A certain text.
    pub fn text(text: impl Into<EcoString>) -> Self {
        Self::Text(Rc::new(Arg::literal(text)))
    }

    /// Something of a library.
    pub fn thing(name: &str) -> Self {
        Self::Thing(name.into())
    }

    /// A home folder.
    pub fn home() -> Rc<Arg> {
        Rc::new(Arg { text: "~".into(), dynamic: Dynamic::Tilde.into() })
    }

    /// The value if it is one certain text.
    pub fn certain(&self) -> Option<&str> {
        match self {
            Self::Text(arg) | Self::Path(arg) => arg.certain(),
            _ => None,
        }
    }

    /// Whether it is true, if that is known.
    pub fn truth(&self) -> Option<bool> {
        match self {
            Self::Thing(name) if name == "True" => Some(true),
            Self::Thing(name) if matches!(name.as_str(), "False" | "None") => Some(false),
            Self::Number(number) => Some(*number != 0),
            Self::Text(arg) => arg.certain().map(|text| !text.is_empty()),
            _ => None,
        }
    }

    /// It as words: one per alternative, none for what is no path (an open file).
    pub fn words(&self) -> Vec<Rc<Arg>> {
        match self {
            Self::Text(arg) | Self::Path(arg) => vec![Rc::clone(arg)],
            Self::Number(number) => vec![Rc::new(Arg::literal(number.to_string()))],
            Self::Either(all) => all.iter().flat_map(Self::words).collect(),
            Self::Thing(_) | Self::Dict(_) => Vec::new(),
            _ => vec![unknown()],
        }
    }

    /// It as one word.
    pub fn word(&self) -> Rc<Arg> {
        match self {
            Self::Text(arg) | Self::Path(arg) => Rc::clone(arg),
            Self::Number(number) => Rc::new(Arg::literal(number.to_string())),
            _ => unknown(),
        }
    }

    /// Whether it is small and flat enough to be remembered.
    pub fn fits(&self, depth: u32, budget: &mut usize) -> bool {
        let cost = if matches!(self, Self::List(_) | Self::Each(_) | Self::Either(_) | Self::Dict(_)) { 10 } else { 1 };
        match budget.checked_sub(cost) {
            Some(left) => *budget = left,
            None => return false,
        }
        let Some(depth) = depth.checked_sub(u32::from(cost > 1)) else {
            return false;
        };
        match self {
            Self::List(items) | Self::Either(items) => items.iter().all(|item| item.fits(depth, budget)),
            Self::Dict(pairs) => pairs.iter().all(|(_, value)| value.fits(depth, budget)),
            Self::Each(item) => item.fits(depth, budget),
            _ => true,
        }
    }

    /// One of two.
    pub fn either(self, other: Self) -> Self {
        let mut all: Vec<Self> = Vec::new();
        for value in [self, other] {
            match value {
                Self::Either(more) => more.iter().for_each(|value| {
                    if !all.iter().any(|known| known.same(value)) {
                        all.push(value.clone());
                    }
                }),
                value => {
                    if !all.iter().any(|known| known.same(&value)) {
                        all.push(value);
                    }
                }
            }
        }
        if all.len() > MOST_WAYS {
            return Self::Unknown;
        }
        match all.pop() {
            Some(only) if all.is_empty() => only,
            Some(last) => {
                all.push(last);
                Self::Either(Rc::new(all))
            }
            None => Self::Unknown,
        }
    }

    /// Whether two values are known to be the same.
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Unknown, Self::Unknown) | (Self::Foreign, Self::Foreign) => true,
            (Self::Text(a), Self::Text(b)) | (Self::Path(a), Self::Path(b)) => a == b,
            (Self::Number(a), Self::Number(b)) => a == b,
            (Self::Object(_, a), Self::Object(_, b)) => a == b,
            (Self::Thing(a), Self::Thing(b)) => a == b,
            (Self::List(a), Self::List(b)) => Rc::ptr_eq(a, b),
            (Self::Dict(a), Self::Dict(b)) => Rc::ptr_eq(a, b),
            (Self::Function(a), Self::Function(b)) => std::ptr::eq(*a, *b),
            _ => false,
        }
    }

    /// The same done to every alternative.
    pub fn map(&self, each: &mut dyn FnMut(&Self) -> Self) -> Self {
        match self {
            Self::Either(all) => {
                let mut all = all.iter();
                let first = all.next().map_or(Self::Unknown, &mut *each);
                all.fold(first, |sum, value| sum.either(each(value)))
            }
            other => each(other),
        }
    }

    /// Two values put together, for every pair of alternatives.
    pub fn pairs(&self, other: &Self, each: &dyn Fn(&Self, &Self) -> Self) -> Self {
        let ways = |value: &Self| if let Self::Either(all) = value { all.len() } else { 1 };
        // More pairs than values are kept would come to nothing.
        if ways(self) * ways(other) > 2 * MOST_WAYS {
            return Self::Unknown;
        }
        self.map(&mut |a| other.map(&mut |b| each(a, b)))
    }

    /// `a + b`
    pub fn plus(&self, other: &Self) -> Self {
        self.pairs(other, &|a, b| match (a, b) {
            (Self::Number(a), Self::Number(b)) => a.checked_add(*b).map_or(Self::Unknown, Self::Number),
            (Self::List(a), Self::List(b)) if a.len() + b.len() < 1000 => {
                Self::List(Rc::new(a.iter().chain(b.iter()).cloned().collect()))
            }
            (Self::List(_) | Self::Each(_), Self::List(_) | Self::Each(_)) => {
                Self::Each(Rc::new(a.any_item().either(b.any_item())))
            }
            (Self::Text(_) | Self::Path(_), _) | (_, Self::Text(_)) => {
                concat(&a.word(), &b.word()).map_or(Self::Unknown, |text| Self::Text(Rc::new(text)))
            }
            _ => Self::Unknown,
        })
    }

    /// A path below a path.
    pub fn below(&self, other: &Self, path: bool) -> Self {
        self.pairs(other, &|a, b| match (a, b) {
            (Self::Unknown | Self::Foreign, Self::Unknown | Self::Foreign) => Self::Unknown,
            _ => join(&a.word(), &b.word()).map_or(Self::Unknown, |text| match path {
                true => Self::Path(Rc::new(text)),
                false => Self::Text(Rc::new(text)),
            }),
        })
    }

    /// Its items, and whether they are all there; otherwise what each of them is.
    pub fn items(&self) -> (Vec<Self>, bool) {
        match self {
            Self::List(items) => (items.to_vec(), true),
            Self::Each(item) => (vec![(**item).clone()], false),
            Self::Dict(pairs) => (pairs.iter().map(|(key, _)| Self::text(&**key)).collect(), true),
            Self::Foreign => (vec![Self::Foreign], false),
            Self::Either(all) => {
                let items = all.iter().flat_map(|value| value.items().0);
                (
                    vec![
                        items
                            .fold(None, |sum: Option<Self>, item| {
                                Some(match sum {
                                    Some(sum) => sum.either(item),
                                    None => item,
                                })
                            })
                            .unwrap_or(Self::Unknown),
                    ],
                    false,
                )
            }
            _ => (vec![Self::Unknown], false),
        }
    }

    /// What any of its items may be.
    pub fn any_item(&self) -> Self {
        let (items, _) = self.items();
        let mut items = items.into_iter();
        let first = items.next().unwrap_or(Self::Unknown);
        items.fold(first, Self::either)
    }
}

//! Makefiles.
//!
//! Variables, rules and the goals that hang on each other are followed. Of conditionals both sides
//! count; what a function makes is not known, but what `$(shell …)` runs is.

use std::collections::{BTreeMap, BTreeSet};

use super::super::part::Arg;
use super::{Asked, LONGEST, Step, Steps, UNKNOWN};

/// Deepest values in values.
const DEEPEST: usize = 16;
/// Most values that are put in.
const MOST_VALUES: usize = 4096;
/// Most targets that are followed.
const MOST_TARGETS: usize = 512;

/// Variables that make knows by itself.
const KNOWN: [(&str, &str); 8] = [
    ("MAKE", "make"),
    ("RM", "rm -f"),
    ("CC", "cc"),
    ("CXX", "g++"),
    ("AR", "ar"),
    ("LD", "ld"),
    ("SHELL", "/bin/sh"),
    (".SHELLFLAGS", "-c"),
];

/// A rule, as it is written.
#[derive(Debug, Default)]
struct Rule {
    targets: Vec<String>,
    needs: Vec<String>,
    lines: Vec<String>,
}

/// A variable: its text, and whether that is all that it can be.
#[derive(Clone, Debug)]
struct Var {
    text: String,
    sure: bool,
    /// Whether the command line set it, so that the file does not.
    fixed: bool,
}

/// What the file says.
struct File<'t> {
    like: &'t Arg,
    vars: BTreeMap<String, Var>,
    rules: Vec<Rule>,
    /// Whether a recipe is one script.
    whole: bool,
    goal: Option<String>,
    /// How many values were put in.
    values: usize,
    steps: Steps,
}

/// The shell texts that `make` runs, given the text of its makefile.
pub fn make(text: &Arg, asked: &Asked) -> Vec<Step> {
    let mut vars = BTreeMap::new();
    for (name, value) in KNOWN {
        vars.insert(name.to_owned(), Var { text: value.to_owned(), sure: true, fixed: false });
    }
    for (name, value) in &asked.sets {
        vars.insert(name.clone(), Var { text: value.clone(), sure: true, fixed: true });
    }
    let mut file =
        File { like: text, vars, rules: Vec::new(), whole: false, goal: None, values: 0, steps: Steps::default() };
    file.read(&text.text);
    file.run(asked);
    file.steps.0
}

impl File<'_> {
    fn read(&mut self, text: &str) {
        let mut lines = text.split('\n');
        let mut open = false;
        let mut branches = 0_usize;
        let mut indent = "\t".to_owned();
        while let Some(first) = lines.next() {
            let mut line = first.trim_end_matches('\r').to_owned();
            let recipe = open && line.starts_with(&indent);
            while continues(&line) {
                let Some(next) = lines.next() else { break };
                if recipe {
                    line.push('\n');
                    line.push_str(next.strip_prefix(&indent).unwrap_or(next));
                } else {
                    line.pop();
                    line.push(' ');
                    line.push_str(next.trim_start());
                }
            }
            if recipe {
                let line = line.get(indent.len()..).unwrap_or_default().to_owned();
                self.rules.last_mut().into_iter().for_each(|rule| rule.lines.push(line.clone()));
                continue;
            }
            let line = comment_off(&line);
            let line = line.trim();
            let word = line.split([' ', '\t', '(']).next().unwrap_or_default();
            match word {
                "" => {}
                "ifeq" | "ifneq" | "ifdef" | "ifndef" => branches += 1,
                "else" => {}
                "endif" => branches = branches.saturating_sub(1),
                "include" | "-include" | "sinclude" | "vpath" | "unexport" | "undefine" => open = false,
                "define" => {
                    let name = line.get(word.len()..).unwrap_or_default().trim().trim_end_matches(['=', ':', '?', '+']);
                    let body: Vec<&str> = lines.by_ref().take_while(|line| line.trim() != "endef").collect();
                    self.assign(name.trim(), "=", &body.join("\n"), branches > 0);
                }
                _ => {
                    let plain = ["export", "override", "private"].into_iter().fold(line, |line, word| {
                        let rest = line.strip_prefix(word).filter(|rest| rest.starts_with([' ', '\t']));
                        rest.map_or(line, str::trim_start)
                    });
                    if let Some((name, op, value)) = assignment(plain) {
                        if name == ".RECIPEPREFIX" {
                            indent = value.chars().next().map_or_else(|| "\t".to_owned(), String::from);
                        }
                        self.assign(name, op, value, branches > 0);
                        open = false;
                    } else {
                        open = self.rule(line) || open && branches > 0;
                    }
                }
            }
        }
    }

    fn assign(&mut self, name: &str, op: &str, value: &str, perhaps: bool) {
        if name == ".DEFAULT_GOAL" {
            self.goal = Some(value.trim().to_owned());
        }
        if op == "!=" {
            let value = self.expand(value, &[], 0);
            self.steps.shell(&value, self.like);
        }
        let value = match op {
            ":=" | "::=" | ":::=" => self.expand(value, &[], 0),
            "!=" => UNKNOWN.to_owned(),
            _ => value.to_owned(),
        };
        let var = match self.vars.get(name) {
            Some(var) if var.fixed => return,
            // The environment may have set it.
            None if op == "?=" => Var { text: value, sure: false, fixed: false },
            Some(_) if op == "?=" => return,
            Some(var) if op == "+=" => Var { text: format!("{} {value}", var.text), ..var.clone() },
            Some(var) => Var { text: value.clone(), sure: !perhaps || var.sure && var.text == value, fixed: false },
            None => Var { text: value, sure: !perhaps, fixed: false },
        };
        if var.text.len() <= LONGEST {
            self.vars.insert(name.to_owned(), var);
        }
    }

    /// Reads `targets: needs ; line`; whether it is a rule, whose recipe may follow.
    fn rule(&mut self, line: &str) -> bool {
        let Some(colon) = outside(line, ':') else { return false };
        let (targets, rest) = line.split_at(colon);
        let rest = rest.trim_start_matches(':');
        let (needs, first) = match outside(rest, ';') {
            Some(at) => (rest.get(..at).unwrap_or_default(), rest.get(at + 1..)),
            None => (rest, None),
        };
        // `target: NAME = value`
        if let Some((name, op, value)) = assignment(needs.trim()) {
            self.assign(name, op, value, true);
            return false;
        }
        let words = |text: String| text.split_whitespace().filter(|word| *word != "|").map(str::to_owned).collect();
        let targets: Vec<String> = words(self.expand(targets, &[], 0));
        self.whole |= targets.iter().any(|target| target == ".ONESHELL");
        let needs = words(self.expand(needs, &[], 0).replace(':', " "));
        let lines = first.map(|line| vec![line.trim_start().to_owned()]).unwrap_or_default();
        self.rules.push(Rule { targets, needs, lines });
        true
    }

    /// Gathers the steps of what is asked for.
    fn run(&mut self, asked: &Asked) {
        let mut todo: Vec<String> = asked.goals.clone();
        let first = || {
            let targets = self.rules.iter().flat_map(|rule| &rule.targets);
            targets.into_iter().find(|target| !target.starts_with('.') && !target.contains('%')).cloned()
        };
        if todo.is_empty() {
            todo.extend(self.goal.clone().or_else(first));
        }
        let mut any = asked.any;
        let mut seen: BTreeSet<String> = BTreeSet::new();
        let mut taken: BTreeSet<usize> = BTreeSet::new();
        let mut order: Vec<(usize, String)> = Vec::new();
        // What a target needs stands before it: it is come back to when that is done.
        let mut todo: Vec<(String, bool)> = todo.into_iter().rev().map(|goal| (goal, false)).collect();
        while let Some((target, done)) = todo.pop() {
            let rules = self.rules.iter().enumerate();
            let rules = rules.filter(|(_, rule)| rule.targets.iter().any(|wanted| fits(wanted, &target)));
            if done {
                let rules: Vec<usize> = rules.map(|(at, _)| at).collect();
                taken.extend(&rules);
                order.extend(rules.into_iter().map(|at| (at, target.clone())));
                continue;
            }
            any |= target.contains(UNKNOWN);
            if seen.len() >= MOST_TARGETS || !seen.insert(target.clone()) {
                continue;
            }
            let needs: Vec<String> = rules.flat_map(|(_, rule)| rule.needs.iter().cloned()).collect();
            todo.push((target, true));
            todo.extend(needs.into_iter().rev().map(|need| (need, false)));
        }
        if any {
            let others = (0..self.rules.len()).filter(|at| !taken.contains(at));
            order.extend(others.map(|at| (at, UNKNOWN.to_owned())));
        }
        for (at, target) in order {
            self.steps_of(at, &target);
        }
    }

    fn steps_of(&mut self, at: usize, target: &str) {
        let Some(rule) = self.rules.get(at) else { return };
        let (first, all) = (rule.needs.first().cloned().unwrap_or_default(), rule.needs.join(" "));
        let by_pattern = rule.targets.iter().any(|target| target.contains('%'));
        let unknown = |text: String| if by_pattern { UNKNOWN.to_owned() } else { text };
        let auto = [("@", target.to_owned()), ("<", unknown(first)), ("^", unknown(all.clone())), ("+", unknown(all))];
        let lines = rule.lines.clone();
        let texts: Vec<String> = lines.iter().map(|line| self.expand(line, &auto, 0)).collect();
        let bare = |text: &str| text.trim_start_matches(['@', '-', '+', ' ', '\t']).to_owned();
        if self.whole {
            let text = texts.iter().map(|text| bare(text)).collect::<Vec<_>>().join("\n");
            self.steps.shell(&text, self.like);
            return;
        }
        for text in texts {
            // A variable of several lines is that many lines.
            let mut from = 0;
            for (end, _) in text.match_indices('\n').chain([(text.len(), "")]) {
                let line = text.get(from..end).unwrap_or_default();
                if !continues(line) {
                    self.steps.shell(&bare(line), self.like);
                    from = end + 1;
                }
            }
        }
    }

    /// Puts in the values of variables.
    fn expand(&mut self, text: &str, auto: &[(&str, String)], depth: usize) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            out.push_str(rest.get(..at).unwrap_or_default());
            rest = rest.get(at + 1..).unwrap_or_default();
            let Some(sign) = rest.chars().next() else { break };
            let name = match sign {
                '$' => {
                    out.push('$');
                    rest = rest.get(1..).unwrap_or_default();
                    continue;
                }
                '(' | '{' => {
                    let end = closing(rest);
                    let name = rest.get(1..end).unwrap_or_default();
                    rest = rest.get(end + 1..).unwrap_or_default();
                    name
                }
                _ => {
                    let (name, after) = rest.split_at(sign.len_utf8());
                    rest = after;
                    name
                }
            };
            let value = self.value(name, auto, depth);
            out.push_str(&value);
            if out.len() > LONGEST {
                return UNKNOWN.to_owned();
            }
        }
        out.push_str(rest);
        out
    }

    fn value(&mut self, name: &str, auto: &[(&str, String)], depth: usize) -> String {
        self.values += 1;
        if depth >= DEEPEST || self.values > MOST_VALUES {
            return UNKNOWN.to_owned();
        }
        if let Some((_, value)) = auto.iter().find(|(known, _)| *known == name) {
            return value.clone();
        }
        let name = if name.contains('$') { self.expand(name, auto, depth + 1) } else { name.to_owned() };
        if let Some(command) = name.strip_prefix("shell").filter(|rest| rest.starts_with([' ', '\t'])) {
            self.steps.shell(command.trim_start(), self.like);
            return UNKNOWN.to_owned();
        }
        match self.vars.get(&name) {
            Some(Var { text, sure: true, .. }) => {
                let text = text.clone();
                self.expand(&text, auto, depth + 1)
            }
            _ => UNKNOWN.to_owned(),
        }
    }
}

/// Whether a line goes on in the next.
fn continues(line: &str) -> bool {
    line.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

fn comment_off(line: &str) -> &str {
    let bytes = line.as_bytes();
    let mut comments =
        line.match_indices('#').filter(|(at, _)| at.checked_sub(1).and_then(|at| bytes.get(at)) != Some(&b'\\'));
    comments.next().map_or(line, |(at, _)| line.get(..at).unwrap_or_default())
}

/// The place of a letter that stands in no `$(…)`.
fn outside(line: &str, wanted: char) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, letter) in line.char_indices() {
        match letter {
            '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            _ if letter == wanted && depth == 0 => return Some(at),
            _ => {}
        }
    }
    None
}

/// The byte of the bracket that closes the one at the start.
fn closing(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '{' => depth += 1,
            ')' | '}' if depth == 1 => return at,
            ')' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    text.len()
}

/// `NAME := value` in its pieces.
fn assignment(line: &str) -> Option<(&str, &str, &str)> {
    let equals = outside(line, '=')?;
    let (before, value) = (line.get(..equals)?, line.get(equals + 1..)?);
    let name = before.trim_end_matches([':', '?', '+', '!']);
    let op = line.get(name.len()..=equals)?;
    let name = name.trim();
    let plain = !name.is_empty() && !name.contains([' ', '\t', ':', '$', '%']);
    plain.then_some((name, op, value.trim_start()))
}

/// Whether a target is what is wanted; `%` stands for any text.
fn fits(target: &str, wanted: &str) -> bool {
    match target.split_once('%') {
        Some((start, end)) => {
            wanted.len() > start.len() + end.len() && wanted.starts_with(start) && wanted.ends_with(end)
        }
        None => target == wanted,
    }
}

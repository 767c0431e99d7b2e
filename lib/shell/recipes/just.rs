//! Justfiles.

use std::collections::{BTreeMap, BTreeSet};

use super::super::part::Arg;
use super::{Asked, LONGEST, Step, Steps, UNKNOWN};

/// A recipe, as it is written.
#[derive(Debug, Default)]
struct Recipe {
    name: String,
    /// Its parameters, each with its default.
    params: Vec<(String, Option<String>)>,
    needs: Vec<String>,
    lines: Vec<String>,
}

/// The shell texts that `just` runs, given the text of its justfile.
pub fn just(text: &Arg, asked: &Asked) -> Vec<Step> {
    let mut steps = Steps::default();
    let mut vars: BTreeMap<String, String> = asked.sets.iter().cloned().collect();
    let mut names: BTreeMap<&str, &str> = BTreeMap::new();
    let mut recipes: Vec<Recipe> = Vec::new();
    let mut open = false;
    for line in text.text.lines() {
        if line.starts_with([' ', '\t']) || open && line.trim().is_empty() {
            recipes.last_mut().filter(|_| open).into_iter().for_each(|recipe| recipe.lines.push(line.to_owned()));
            continue;
        }
        open = false;
        let line = line.trim_end();
        if line.is_empty() || line.starts_with(['#', '[']) || line.starts_with("set ") {
            continue;
        }
        let line = line.strip_prefix("export ").unwrap_or(line);
        if let Some((name, value)) = line.split_once(":=") {
            let name = name.trim();
            match name.strip_prefix("alias ") {
                Some(name) => {
                    names.insert(name.trim(), value.trim());
                }
                None => {
                    let value = value_of(value.trim(), &vars, text, &mut steps);
                    vars.entry(name.to_owned()).or_insert(value);
                }
            }
        } else if let Some(recipe) = header(line) {
            recipes.push(recipe);
            open = true;
        }
    }
    let mut todo: Vec<(String, Vec<String>)> = Vec::new();
    let mut goals = asked.goals.iter().peekable();
    while let Some(goal) = goals.next() {
        let name = names.get(goal.as_str()).copied().unwrap_or(goal);
        let takes = recipes.iter().find(|recipe| recipe.name == name).map_or(0, |recipe| match recipe.params.last() {
            Some((last, _)) if last.starts_with(['+', '*']) => usize::MAX,
            _ => recipe.params.len(),
        });
        todo.push((name.to_owned(), goals.by_ref().take(takes).cloned().collect()));
    }
    if todo.is_empty() {
        todo.extend(recipes.first().map(|recipe| (recipe.name.clone(), Vec::new())));
    }
    if asked.any {
        todo.extend(recipes.iter().map(|recipe| (recipe.name.clone(), vec![UNKNOWN.to_owned(); recipe.params.len()])));
    }
    todo.reverse();
    let mut seen = BTreeSet::new();
    while let Some((name, args)) = todo.pop() {
        if !seen.insert((name.clone(), args.clone())) {
            continue;
        }
        let Some(recipe) = recipes.iter().find(|recipe| recipe.name == name) else { continue };
        todo.extend(recipe.needs.iter().rev().map(|need| (need.clone(), Vec::new())));
        let mut values = vars.clone();
        let mut args = args.into_iter();
        for (param, default) in &recipe.params {
            let value = match param.strip_prefix(['+', '*']) {
                Some(_) => Some(args.by_ref().collect::<Vec<_>>().join(" ")).filter(|all| !all.is_empty()),
                None => args.next(),
            };
            let default = default.as_deref().map(|default| value_of(default, &vars, text, &mut steps));
            let value = value.or(default).unwrap_or_else(|| UNKNOWN.to_owned());
            values.insert(param.trim_start_matches(['+', '*', '$']).to_owned(), value);
        }
        body(recipe, &values, text, &mut steps);
    }
    steps.0
}

/// `@name a b="x" *c: first second`
fn header(line: &str) -> Option<Recipe> {
    let colon = closing(line)?;
    let (before, after) = (line.get(..colon)?, line.get(colon + 1..)?);
    let mut words = before.split_whitespace();
    let name = words.next()?.trim_start_matches('@').to_owned();
    let params = words.map(|word| match word.split_once('=') {
        Some((param, default)) => (param.to_owned(), Some(default.to_owned())),
        None => (word.to_owned(), None),
    });
    let needs = after.split(['#']).next().unwrap_or_default().replace(['(', ')', '&'], " ");
    let needs = needs.split_whitespace().map(str::to_owned).collect();
    Some(Recipe { name, params: params.collect(), needs, lines: Vec::new() })
}

/// The colon that ends the names of a header.
fn closing(line: &str) -> Option<usize> {
    let mut quote = None;
    for (at, letter) in line.char_indices() {
        match (quote, letter) {
            (None, ':') => return Some(at),
            (None, '"' | '\'' | '`') => quote = Some(letter),
            (Some(open), _) if open == letter => quote = None,
            _ => {}
        }
    }
    None
}

/// The steps of a recipe: its lines each, or all of them if it begins with `#!`.
fn body(recipe: &Recipe, values: &BTreeMap<String, String>, like: &Arg, steps: &mut Steps) {
    let first = recipe.lines.iter().find(|line| !line.trim().is_empty());
    let indent = first.map_or(0, |line| line.len() - line.trim_start().len());
    let lines = recipe.lines.iter().map(|line| line.get(indent..).unwrap_or_default());
    if let Some(by) = first.and_then(|line| line.trim().strip_prefix("#!")) {
        let mut words = by.split_whitespace().filter(|word| !word.starts_with('-'));
        let program = words.next().unwrap_or_default();
        let program = if program.ends_with("/env") { words.next().unwrap_or_default() } else { program };
        let name = program.rsplit('/').next().unwrap_or_default().to_owned();
        let whole = expand(&lines.collect::<Vec<_>>().join("\n"), values, like, steps);
        let by = (!matches!(name.as_str(), "sh" | "bash" | "zsh" | "dash" | "ksh")).then_some(name);
        steps.add(&whole, like, by);
        return;
    }
    let mut lines = lines;
    while let Some(line) = lines.next() {
        let mut line = line.to_owned();
        while line.ends_with('\\') {
            let Some(next) = lines.next() else { break };
            line.push('\n');
            line.push_str(next);
        }
        let text = expand(line.trim_start_matches(['@', '-']), values, like, steps);
        steps.shell(&text, like);
    }
}

/// Puts in what stands in `{{…}}`.
fn expand(text: &str, values: &BTreeMap<String, String>, like: &Arg, steps: &mut Steps) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        if let Some(after) = after.strip_prefix("{{") {
            out.push_str("{{");
            rest = after;
            continue;
        }
        let (inner, after) = after.split_once("}}").unwrap_or((after, ""));
        out.push_str(&value_of(inner.trim(), values, like, steps));
        rest = after;
        if out.len() > LONGEST {
            return UNKNOWN.to_owned();
        }
    }
    out.push_str(rest);
    out
}

/// The value of an expression: a literal, a variable, or nobody knows. What backquotes run is a step.
fn value_of(text: &str, values: &BTreeMap<String, String>, like: &Arg, steps: &mut Steps) -> String {
    for quote in ["'", "\""] {
        let inner = text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote));
        if let Some(inner) = inner.filter(|inner| !inner.contains(quote) && (quote == "'" || !inner.contains('\\'))) {
            return inner.to_owned();
        }
    }
    for (at, command) in text.split('`').enumerate() {
        if at % 2 == 1 {
            steps.shell(command, like);
        }
    }
    values.get(text).cloned().unwrap_or_else(|| UNKNOWN.to_owned())
}

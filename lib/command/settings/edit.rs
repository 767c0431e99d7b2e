//! Edits to the text of a settings file: everything that is not ours keeps its bytes.

use super::scan::{Member, Node, Problem, scan};
use super::{Wanted, pipeline_of, program_of, shape};
use serde_json::{Map, Value, json};
use std::ops::Range;

/// A piece of text and what comes in its place.
struct Edit(Range<usize>, String);

/// The file with our hooks in it. The same text if nothing is to be done.
///
/// # Errors
/// Why the file cannot be edited, and where.
pub fn add(text: &str, wanted: &[Wanted]) -> Result<String, Problem> {
    if text.trim().is_empty() {
        let style = Style { unit: "  ".into(), newline: "\n", inline: false, colon: ": ", comma: ", " };
        return Ok(style.render(&json!({ "hooks": events(wanted.iter()) }), "", false) + "\n");
    }
    let root = scan(text)?;
    shape::check(&root)?;
    let style = Style::of(text, &root);
    let mut edits = Vec::new();
    match root.get("hooks") {
        None => edits.push(append(text, &root, &style, &[(Some("hooks"), events(wanted.iter()))])),
        Some(hooks) => {
            let mut missing = Vec::new();
            for want in wanted {
                match hooks.get(want.event) {
                    None => missing.push(want),
                    Some(groups) => {
                        let found: Vec<_> = handlers(groups).filter(|handler| is_ours(handler)).collect();
                        if found.is_empty() {
                            edits.push(append(text, groups, &style, &[(None, want.group())]));
                        }
                        for handler in found {
                            update(text, handler, want, &style, &mut edits);
                        }
                    }
                }
            }
            let events: Vec<_> = missing.iter().map(|want| (Some(want.event), json!([want.group()]))).collect();
            if !events.is_empty() {
                edits.push(append(text, hooks, &style, &events));
            }
        }
    }
    let new = apply(text, edits);
    // The host must be able to read what we wrote.
    shape::check(&scan(&new)?)?;
    Ok(new)
}

/// The file without our hooks, and without what only held them.
///
/// `before` is the file as it was before we came, if known: containers that it has stay.
///
/// # Errors
/// Why the file cannot be edited, and where.
pub fn remove(text: &str, before: Option<&str>) -> Result<String, Problem> {
    let root = scan(text)?;
    let before = before.and_then(|text| scan(text).ok());
    let old_hooks = before.as_ref().and_then(|root| root.get("hooks"));
    let mut edits = Vec::new();
    let members = root.members().unwrap_or_default();
    let mut gone = vec![false; members.len()];
    for (at, member) in members.iter().enumerate().filter(|(_, member)| member.key == "hooks") {
        gone[at] = strip_hooks(text, &member.value, old_hooks, &mut edits) && old_hooks.is_none();
    }
    cut(&root, &gone, &mut edits);
    let new = apply(text, edits);
    scan(&new)?;
    Ok(new)
}

/// Takes our entries out of `hooks`; true if nothing is left of it.
fn strip_hooks(text: &str, hooks: &Node, old: Option<&Node>, edits: &mut Vec<Edit>) -> bool {
    let events: &[Member] = hooks.members().unwrap_or_default();
    let mut inner = Vec::new();
    let mut gone = Vec::new();
    for event in events {
        let groups = event.value.elements().unwrap_or_default();
        let mut empty = vec![false; groups.len()];
        let mut touched = false;
        for (at, group) in groups.iter().enumerate() {
            let Some(list) = group.get("hooks") else { continue };
            let ours: Vec<bool> = list.elements().unwrap_or_default().iter().map(is_ours).collect();
            if !ours.contains(&true) {
                continue;
            }
            touched = true;
            let only_ours = !ours.contains(&false);
            let bare = group
                .members()
                .unwrap_or_default()
                .iter()
                .all(|member| matches!(member.key.as_str(), "hooks" | "matcher"));
            if only_ours && bare {
                empty[at] = true;
            } else {
                cut(list, &ours, &mut inner);
            }
        }
        let all = touched && !empty.contains(&false) && old.and_then(|old| old.get(&event.key)).is_none();
        gone.push(all);
        if !all {
            cut(&event.value, &empty, &mut inner);
        }
    }
    let whole = !gone.is_empty() && !gone.contains(&false);
    if whole && old.is_none() {
        return true;
    }
    edits.append(&mut inner);
    cut(hooks, &gone, edits);
    let _ = text;
    whole
}

/// Whether any of our hooks is in the file.
pub fn has_ours(text: &str) -> bool {
    scan(text).is_ok_and(|root| !ours(&root).is_empty())
}

/// Our handlers in a file: event, matcher, command, and whether a failure blocks.
pub fn ours(root: &Node) -> Vec<super::Registered> {
    let mut found = Vec::new();
    for event in root.get("hooks").and_then(Node::members).unwrap_or_default() {
        for group in event.value.elements().unwrap_or_default() {
            let list = group.get("hooks").and_then(Node::elements).unwrap_or_default();
            for handler in list.iter().filter(|handler| is_ours(handler)) {
                found.push(super::Registered {
                    event: event.key.clone(),
                    matcher: group.get("matcher").and_then(Node::text).unwrap_or_default().to_owned(),
                    command: handler.get("command").and_then(Node::text).unwrap_or_default().to_owned(),
                    fail_closed: handler.get("onFailure").and_then(Node::text) == Some("block"),
                });
            }
        }
    }
    found
}

fn handlers(groups: &Node) -> impl Iterator<Item = &Node> {
    groups.elements().unwrap_or_default().iter().filter_map(|group| group.get("hooks")?.elements()).flatten()
}

fn is_ours(handler: &Node) -> bool {
    handler.get("command").and_then(Node::text).is_some_and(|command| program_of(command).is_some())
}

/// Brings a handler of ours up to date: another place of the program, a failure that blocks.
fn update(text: &str, handler: &Node, want: &Wanted, style: &Style, edits: &mut Vec<Edit>) {
    if let Some(node) = handler.get("command")
        && let Some(command) = node.text()
        && let Some(word) = program_of(command)
    {
        let mut new = command.to_owned();
        if let Some(pipeline) = &want.pipeline {
            name_pipeline(&mut new, word.end, pipeline);
        }
        new.replace_range(word, &want.command);
        if new != command {
            edits.push(Edit(node.start..node.end, Value::String(new).to_string()));
        }
    }
    if want.fail_closed && handler.get("onFailure").is_none() {
        edits.push(append(text, handler, style, &[(Some("onFailure"), json!("block"))]));
    }
}

/// Puts the name of a pipeline behind the program, in the place of the one that stands there.
fn name_pipeline(command: &mut String, program_end: usize, pipeline: &str) {
    match pipeline_of(command, program_end) {
        Some(old) => command.replace_range(old, pipeline),
        None => command.insert_str(program_end, &format!(" {pipeline}")),
    }
}

fn events<'a>(wanted: impl Iterator<Item = &'a Wanted>) -> Value {
    Value::Object(wanted.map(|want| (want.event.to_owned(), json!([want.group()]))).collect::<Map<_, _>>())
}

/// Adds children behind the last one of a container, in the shape that the others have.
fn append(text: &str, container: &Node, style: &Style, new: &[(Option<&str>, Value)]) -> Edit {
    let child = |indent: &str, inline: bool, (key, value): &(Option<&str>, Value)| {
        let value = style.render(value, indent, inline);
        match key {
            Some(key) => format!("{}{}{value}", Value::from(*key), style.colon),
            None => value,
        }
    };
    if let Some((start, end)) = container.children().last().copied() {
        let line = line_start(text, start);
        let indent = text.get(line..start).unwrap_or_default();
        let own_line = line > container.start && indent.bytes().all(|byte| matches!(byte, b' ' | b'\t'));
        let added: String = new
            .iter()
            .map(|row| {
                if own_line {
                    format!(",{}{indent}{}", style.newline, child(indent, false, row))
                } else {
                    format!("{}{}", style.comma, child("", true, row))
                }
            })
            .collect();
        return Edit(end..end, added);
    }
    let inside = container.start + 1..container.end - 1;
    if style.inline {
        return Edit(inside, new.iter().map(|row| child("", true, row)).collect::<Vec<_>>().join(style.comma));
    }
    let line = line_start(text, container.start);
    let base: String = text[line..].chars().take_while(|letter| matches!(letter, ' ' | '\t')).collect();
    let indent = format!("{base}{}", style.unit);
    let between = format!(",{}{indent}", style.newline);
    let rows = new.iter().map(|row| child(&indent, false, row)).collect::<Vec<_>>().join(&between);
    Edit(inside, format!("{newline}{indent}{rows}{newline}{base}", newline = style.newline))
}

/// Cuts the marked children out of a container, each with the comma that joined it.
fn cut(container: &Node, gone: &[bool], edits: &mut Vec<Edit>) {
    if !gone.contains(&true) {
        return;
    }
    let children: Vec<_> = container.children().into_iter().zip(gone).collect();
    let mut kept_end = None;
    let mut from: Option<usize> = None;
    let mut last_end = container.start;
    for ((start, end), gone) in children {
        if *gone {
            from = from.or(Some(kept_end.unwrap_or(start)));
        } else {
            if let Some(from) = from.take() {
                edits.push(Edit(from..if kept_end.is_some() { last_end } else { start }, String::new()));
            }
            kept_end = Some(end);
        }
        last_end = end;
    }
    match (kept_end, from) {
        (None, _) => edits.push(Edit(container.start + 1..container.end - 1, String::new())),
        (Some(_), Some(from)) => edits.push(Edit(from..last_end, String::new())),
        (Some(_), None) => {}
    }
}

fn apply(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|edit| edit.0.start);
    let mut new = text.to_owned();
    for Edit(range, with) in edits.into_iter().rev() {
        new.replace_range(range, &with);
    }
    new
}

fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1)
}

/// How the file is laid out.
struct Style {
    unit: String,
    newline: &'static str,
    inline: bool,
    colon: &'static str,
    comma: &'static str,
}

impl Style {
    fn of(text: &str, root: &Node) -> Self {
        let first = root.children().first().copied();
        let unit = first.and_then(|(start, _)| {
            let line = line_start(text, start);
            let indent = text.get(line..start)?;
            (line > root.start && !indent.is_empty() && indent.trim().is_empty()).then(|| indent.to_owned())
        });
        let inline = first.is_some() && !text.get(root.start..root.end).is_some_and(|inner| inner.contains('\n'));
        let tight = |mark: u8| {
            // The first member tells whether a blank follows its mark.
            root.members().and_then(<[Member]>::first).is_some_and(|member| match mark {
                b':' => text.as_bytes().get(member.value.start.wrapping_sub(1)) == Some(&b':'),
                _ => text.as_bytes().get(member.value.end + 1).is_some_and(|next| !next.is_ascii_whitespace()),
            })
        };
        Self {
            unit: unit.unwrap_or_else(|| "  ".to_owned()),
            newline: if text.find('\n').is_some_and(|at| text[..at].ends_with('\r')) { "\r\n" } else { "\n" },
            inline,
            colon: if tight(b':') { ":" } else { ": " },
            comma: if inline && tight(b':') && tight(b',') { "," } else { ", " },
        }
    }

    fn render(&self, value: &Value, indent: &str, inline: bool) -> String {
        let rows: Vec<String> = match value {
            Value::Array(list) => list.iter().map(|value| self.render(value, &self.deeper(indent), inline)).collect(),
            Value::Object(map) => map
                .iter()
                .map(|(key, value)| {
                    let value = self.render(value, &self.deeper(indent), inline);
                    format!("{}{}{value}", Value::from(key.as_str()), self.colon)
                })
                .collect(),
            plain => return plain.to_string(),
        };
        let (open, close) = if value.is_array() { ('[', ']') } else { ('{', '}') };
        if inline || rows.is_empty() {
            return format!("{open}{}{close}", rows.join(self.comma));
        }
        let newline = self.newline;
        let inner = self.deeper(indent);
        let rows = rows.join(&format!(",{newline}{inner}"));
        format!("{open}{newline}{inner}{rows}{newline}{indent}{close}")
    }

    fn deeper(&self, indent: &str) -> String {
        format!("{indent}{}", self.unit)
    }
}

#[cfg(test)]
pub(super) fn cut_for_test(text: &str, node: &Node, gone: &[bool]) -> String {
    let mut edits = Vec::new();
    cut(node, gone, &mut edits);
    apply(text, edits)
}

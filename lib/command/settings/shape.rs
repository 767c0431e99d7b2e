//! What the host accepts: one invalid entry makes it drop the whole settings file without a
//! word, ours included. So a file that has one is not written to.

use super::scan::{Kind, Node, Problem};

/// Handlers the host knows.
const TYPES: &[&str] = &["command", "http", "prompt", "agent", "mcp_tool"];

/// Checks a settings file as far as the host's rules are known.
///
/// # Errors
/// The first entry that makes the host drop the file, or that we could not edit safely.
pub fn check(root: &Node) -> Result<(), Problem> {
    let Some(members) = root.members() else {
        return Err(Problem::new(root.start, "the settings are not an object"));
    };
    unique(root, &["hooks"])?;
    for member in members {
        match member.key.as_str() {
            "hooks" => hooks(&member.value)?,
            "permissions" => permissions(&member.value)?,
            "env" if member.value.members().is_none() => {
                return Err(Problem::new(member.value.start, "`env` is not an object: the host drops the whole file"));
            }
            _ => {}
        }
    }
    Ok(())
}

fn permissions(node: &Node) -> Result<(), Problem> {
    let Some(members) = node.members() else {
        return Err(Problem::new(node.start, "`permissions` is not an object: the host drops the whole file"));
    };
    for member in members {
        if matches!(member.key.as_str(), "allow" | "deny" | "ask") && member.value.elements().is_none() {
            let text = format!("`permissions.{}` is not a list: the host drops the whole file", member.key);
            return Err(Problem::new(member.value.start, text));
        }
    }
    Ok(())
}

fn hooks(node: &Node) -> Result<(), Problem> {
    let Some(events) = node.members() else {
        return Err(Problem::new(node.start, "`hooks` is not an object"));
    };
    unique(node, &[])?;
    for event in events {
        let Some(groups) = event.value.elements() else {
            return Err(Problem::new(event.value.start, format!("`hooks.{}` is not a list", event.key)));
        };
        for group in groups {
            let no = |node: &Node, text: &str| {
                Err(Problem::new(
                    node.start,
                    format!("an entry of `{}` {text}: the host drops the whole file", event.key),
                ))
            };
            if group.members().is_none() {
                return no(group, "is not an object");
            }
            unique(group, &[])?;
            if group.get("matcher").is_some_and(|matcher| matcher.text().is_none()) {
                return no(group, "has a `matcher` that is not a text");
            }
            let Some(handlers) = group.get("hooks") else { return no(group, "has no `hooks` list") };
            let Some(handlers) = handlers.elements() else { return no(handlers, "has `hooks` that are not a list") };
            for handler in handlers {
                if let Some(text) = unfit(handler) {
                    return no(handler, text);
                }
                unique(handler, &[])?;
            }
        }
    }
    Ok(())
}

/// Why the host would refuse a handler.
fn unfit(handler: &Node) -> Option<&'static str> {
    if handler.members().is_none() {
        return Some("has a hook that is not an object");
    }
    let Some(kind) = handler.get("type").and_then(Node::text) else { return Some("has a hook without `type`") };
    if !TYPES.contains(&kind) {
        return Some("has a hook of a `type` that the host does not know");
    }
    if kind == "command" && handler.get("command").and_then(Node::text).is_none() {
        return Some("has a hook without `command`");
    }
    if let Some(timeout) = handler.get("timeout")
        && !matches!(timeout.kind, Kind::Number(seconds) if seconds > 0.0)
    {
        return Some("has a hook whose `timeout` is not a number above 0");
    }
    if let Some(failure) = handler.get("onFailure")
        && !matches!(failure.text(), Some("continue" | "block"))
    {
        return Some("has a hook whose `onFailure` is neither `continue` nor `block`");
    }
    None
}

/// No key twice: which of the two counts is not ours to guess. `only` limits the keys looked at.
fn unique(node: &Node, only: &[&str]) -> Result<(), Problem> {
    let members = node.members().unwrap_or_default();
    for (at, member) in members.iter().enumerate() {
        let looked_at = only.is_empty() || only.contains(&member.key.as_str());
        if looked_at && members[..at].iter().any(|earlier| earlier.key == member.key) {
            return Err(Problem::new(member.start, format!("the key `{}` is there twice", member.key)));
        }
    }
    Ok(())
}

//! `kz explain`: what was read in a call, which rules recognised it, who voted, and what decided.

use super::{Desk, Exit};
use crate::call::EventKind;
use crate::config::{Layer, Options};
use crate::envelope::{Envelope, Line, Verdict, decode};
use crate::pipeline::{Pipeline, Trace};
use crate::rules::{self, Class};
use crate::shell::{Arg, Part};
use crate::stage::source::Source;
use crate::stage::{Context, Contexts, Memory, decide};
use crate::state::Store;
use crate::wire::{self, framing::Frames};
use crate::world::World;
use clap::Args;
use std::fmt::Write as _;
use std::io::{self, Read};
use std::path::PathBuf;

/// `kz explain`
#[derive(Args, Debug)]
pub struct Explain {
    /// A shell command; `-` for a hook payload or an envelope on standard input.
    #[arg(required_unless_present = "last")]
    pub what: Option<String>,
    /// The last calls that had a vote, a note or a fault.
    #[arg(long, conflicts_with = "what")]
    pub last: bool,
    /// With `--last`: of this session instead of the newest.
    #[arg(long, value_name = "ID", requires = "last")]
    pub session: Option<String>,
    /// Read this file in place of the user's config.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Set a config key for this run.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

/// Largest text that is explained.
const MAX_TEXT: u64 = 64 << 20;

/// Runs the verb.
///
/// # Errors
/// If the answer cannot be written.
pub fn run(args: &Explain, desk: &mut Desk) -> io::Result<Exit> {
    let subject = match (&args.what, args.last) {
        (_, true) => Subject::Last(args.session.clone()),
        (Some(dash), _) if dash == "-" => {
            let mut text = Vec::new();
            io::stdin().lock().take(MAX_TEXT).read_to_end(&mut text)?;
            Subject::Text(String::from_utf8_lossy(&text).into_owned())
        }
        (Some(command), _) => Subject::Command(command.clone()),
        (None, false) => return desk.fail("nothing to explain", "see `kz explain --help`"),
    };
    let options = Options { file: args.config.clone(), set: args.set.clone() };
    let mut contexts = Contexts::new(desk.world, options);
    match explain(subject, &mut contexts, desk.world) {
        Ok(text) => {
            desk.out.write_all(text.as_bytes())?;
            Ok(Exit::Done)
        }
        Err(text) => desk.fail(&text, ""),
    }
}

/// What to explain.
#[derive(Debug)]
enum Subject {
    /// A shell command, as a Bash call that is about to run here.
    Command(String),
    /// A hook payload or an envelope, as text.
    Text(String),
    /// The last calls of a session that had a vote, a note or a fault; the newest session if `None`.
    Last(Option<String>),
}

/// Explains; nothing is executed and nothing is committed.
///
/// # Errors
/// A sentence that says what is wrong and what to do.
fn explain(subject: Subject, contexts: &mut Contexts<'_>, world: &dyn World) -> Result<String, String> {
    let text = match subject {
        Subject::Last(session) => return last(session, contexts, world),
        Subject::Command(command) => serde_json::json!({
            "session_id": "explain", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command},
            "cwd": world.current_dir().unwrap_or_default(),
        })
        .to_string(),
        Subject::Text(text) => text,
    };
    if let Line::Envelope(envelope) = decode(text.trim()) {
        let cx = contexts.of(&envelope.call.root);
        return Ok(show(&envelope, cx));
    }
    let (pipeline, faults) = Pipeline::find("default", world).map_err(|fault| fault.text)?;
    let mut source = Source::new(world, &pipeline.names());
    let mut out = String::new();
    let mut memory = Memory::default();
    for item in Frames::new(text.into_bytes()) {
        let Some(mut envelope) = source.envelope(item, contexts) else { continue };
        envelope.faults.extend(faults.iter().cloned());
        let cx = contexts.of(&envelope.call.root);
        pipeline.run(&mut envelope, cx, &mut memory, &mut Trace::default());
        decide::prepare(&mut envelope);
        decide::settle(&mut envelope, *cx.config.guard.ask_when_unattended);
        out.push_str(&show(&envelope, cx));
    }
    if out.is_empty() {
        return Err("there is no payload and no envelope in the input".into());
    }
    Ok(out)
}

fn last(session: Option<String>, contexts: &mut Contexts<'_>, world: &dyn World) -> Result<String, String> {
    let (store, faults) = Store::open(world, None);
    if store.folder().is_none() {
        return Err(faults.into_iter().next().map_or("there is no state folder".into(), |fault| fault.text));
    }
    let lines = store.last(session.as_deref(), world).map_err(|fault| fault.text)?;
    if lines.is_empty() {
        return Err("no call with a vote, a note or a fault is remembered".into());
    }
    let mut out = String::new();
    for line in lines {
        match decode(&line) {
            Line::Envelope(envelope) => {
                let cx = contexts.of(&envelope.call.root);
                out.push_str(&show(&envelope, cx));
                out.push('\n');
            }
            Line::Newer(_) | Line::Foreign(_) => out.push_str("(a line that this version does not read)\n"),
        }
    }
    Ok(out)
}

/// Most values of one part that are shown.
const KNOWN: usize = 4;

/// The envelope for people.
fn show(envelope: &Envelope, cx: &Context) -> String {
    let mut out = String::new();
    let call = &envelope.call;
    let what =
        if call.tool.is_empty() { call.host_event.clone() } else { format!("{} {}", call.host_event, call.tool) };
    // Writing to a String cannot fail.
    let _ = writeln!(out, "{} ({}), root {}", what.trim(), call.event.word(), or_dash(&call.root));
    if let Some(mode) = &envelope.facts.mode {
        let _ = writeln!(out, "mode {} (from {})", mode.name, mode.from);
    }
    if !call.command.is_empty() {
        let _ = writeln!(out, "\ncommand");
        underlined(&mut out, &call.command, call.shell.as_ref().map_or(&[], |shell| &shell.parts));
    }
    if let Some(shell) = &call.shell {
        let _ = writeln!(out, "\nparts");
        for part in &shell.parts {
            part_line(&mut out, part);
        }
        for why in &shell.why {
            let _ = writeln!(out, "  not understood: {why}");
        }
    }
    if !call.paths.is_empty() {
        let _ = writeln!(out, "\npaths");
        for path in &call.paths {
            let shown = path.rel.as_deref().unwrap_or(&path.path);
            let shown = if shown.is_empty() { &path.raw } else { shown };
            let op = format!("{:?}", path.op).to_lowercase();
            let sure = if path.sure { "" } else { " (not certain)" };
            let _ = writeln!(out, "  {op:<7}{shown}{sure}");
        }
    }
    section(&mut out, "findings", &envelope.findings, |finding| {
        let part = finding.part.map_or(String::new(), |part| format!(" in part {part}"));
        let offer = match (finding.offer.as_str(), finding.exempt.as_str()) {
            ("", "") => String::new(),
            ("", exempt) => format!(", exempt by `{exempt}`"),
            (offer, _) => format!(", offers {offer}"),
        };
        let rests = if rests(&finding.rule, cx) { ", its pack is off: `[guard] packs`" } else { "" };
        let source = source_of(&finding.rule, cx);
        format!("{}: {} ({}{offer}{rests}){part}{source}", finding.by, finding.rule, finding.class)
    });
    section(&mut out, "votes", &envelope.votes, |vote| {
        let way = if vote.way.is_empty() { String::new() } else { format!(" ({})", vote.way) };
        format!("{}: {} by {}: {}{way}", vote.by, vote.say.word(), vote.rule, vote.reason)
    });
    section(&mut out, "notes", &envelope.notes, |note| format!("{} to the {}: {}", note.by, note.to, note.text));
    section(&mut out, "faults", &envelope.faults, |fault| format!("{} ({}): {}", fault.by, fault.kind, fault.text));
    verdict(&mut out, envelope, cx);
    if let Some(decision) = &envelope.decision {
        let answer = wire::dialect(&call.agent.kind).answer(call, decision);
        let _ = writeln!(out, "\nanswer to the host: {}", answer.as_deref().unwrap_or("(nothing is printed)"));
    }
    out
}

fn verdict(out: &mut String, envelope: &Envelope, cx: &Context) {
    let Some(decision) = &envelope.decision else {
        let _ = writeln!(out, "\nnot decided yet");
        return;
    };
    match decision.say {
        Verdict::None => {
            let _ = writeln!(out, "\ndecision: none, the host's own permissions decide");
        }
        say => {
            let _ = writeln!(out, "\ndecision: {} by {}{}", say.word(), decision.rule, source_of(&decision.rule, cx));
            let _ = writeln!(out, "{}", indent(&decision.reason));
        }
    }
    if !decision.id.is_empty() {
        let _ = writeln!(out, "  a person lets it through once with `kz allow-once {}`", decision.id);
    }
    if let Some(setting) = cx.config.guard.rules.get(&decision.rule) {
        let _ = writeln!(out, "  verdict of the rule set by {}", origin(&setting.origin));
    }
    if let (Some(mode), true) = (&envelope.facts.mode, decision.rule.starts_with("mode/"))
        && let Some(row) = cx.config.modes.get(&mode.name)
    {
        let _ = writeln!(out, "  writable folders of mode {} set by {}", mode.name, origin(&row.writable.origin));
    }
    if envelope.call.event == EventKind::PreTool && envelope.call.unattended {
        let _ = writeln!(
            out,
            "  nobody can answer here: ask becomes {} (guard.ask_when_unattended, set by {})",
            cx.config.guard.ask_when_unattended.word(),
            origin(&cx.config.guard.ask_when_unattended.origin)
        );
    }
}

/// Who set a value, for people.
pub(super) fn origin(origin: &crate::config::Origin) -> String {
    let layer = match origin.layer {
        Layer::Default => return "the built-in defaults".into(),
        Layer::User => "the user's config",
        Layer::Project => "the project's config",
        Layer::Local => "the local config",
        Layer::Environment => "the environment",
        Layer::Flag => "an option",
    };
    match &origin.place {
        Some(place) if origin.line > 0 => format!("{layer}, {}:{}", place.display(), origin.line),
        Some(place) => format!("{layer}, {}", place.display()),
        None => layer.into(),
    }
}

/// Whether a rule casts no vote because its pack is off.
fn rests(id: &str, cx: &Context) -> bool {
    let rule = rules::find(id).or_else(|| cx.rules.find(id).map(|(_, rule)| rule));
    rule.is_some_and(|rule| {
        let guard = &cx.config.guard;
        rule.class == Class::Danger && !guard.is_on(rule.pack(), rule.by_name) && !guard.rules.contains_key(id)
    })
}

fn source_of(rule: &str, cx: &Context) -> String {
    let own = || cx.rules.find(rule).map(|(_, rule)| rule);
    rules::find(rule).or_else(own).map_or(String::new(), |rule| format!("  [{}]", rule.place()))
}

/// The command with the number of each part under its bytes (the last digit of it), parts inside
/// of parts a row lower.
fn underlined(out: &mut String, command: &str, parts: &[Part]) {
    const WIDTH: usize = 200;
    let depth = |part: &Part| {
        let (mut depth, mut at) = (0_usize, part.inside);
        while let Some(outer) = at.and_then(|n| parts.get(n as usize)) {
            depth += 1;
            at = if depth < 6 { outer.inside } else { None };
        }
        depth
    };
    let mut start = 0;
    for line in command.split_inclusive('\n') {
        let text = line.trim_end_matches('\n');
        let _ = writeln!(out, "  {text}");
        let mut rows: Vec<String> = Vec::new();
        if text.chars().count() <= WIDTH {
            for part in parts {
                let (from, to) = (part.span[0] as usize, part.span[1] as usize);
                if from >= start + text.len() || to <= start {
                    continue;
                }
                let row = depth(part);
                rows.resize(rows.len().max(row + 1), String::new());
                let column = |at: usize| text.char_indices().take_while(|(byte, _)| start + byte < at).count();
                let (from, to) = (column(from), column(to));
                let old = rows[row].chars().count();
                if from >= old {
                    rows[row].push_str(&" ".repeat(from - old));
                    rows[row].push_str(&(part.n % 10).to_string().repeat(to.saturating_sub(from)));
                }
            }
        }
        for row in rows.iter().filter(|row| !row.is_empty()) {
            let _ = writeln!(out, "  {row}");
        }
        start += line.len();
    }
}

fn part_line(out: &mut String, part: &Part) {
    let by = if part.by.is_empty() { String::new() } else { format!("{} ", part.by) };
    let ctx = if part.ctx.is_empty() { String::new() } else { format!("  ({})", part.ctx.join(" > ")) };
    let redirs: String =
        part.redirs.iter().map(|redir| format!(" {}{}", redir.op, first_line(&redir.target.text))).collect();
    let text = match (part.argv.is_empty(), part.assign.is_empty()) {
        (false, _) => joined(&part.argv),
        (true, false) => joined(&part.assign),
        (true, true) => "(no command)".to_owned(),
    };
    let _ = writeln!(out, "  {:<3}{by}{}{redirs}{ctx}", part.n, first_line(&text));
    // What it comes to where that is known, and in each turn of a loop.
    let turns = part.turns.iter().filter_map(|turn| turn.known.as_ref());
    let known: Vec<String> =
        part.known.iter().filter(|_| part.turns.is_empty()).chain(turns).map(|argv| joined(argv)).collect();
    for text in known.iter().take(KNOWN) {
        let _ = writeln!(out, "     = {}", first_line(text));
    }
    if known.len() > KNOWN {
        let _ = writeln!(out, "     = … ({} in all)", known.len());
    }
    for host in part.code.iter().flat_map(|code| &code.net) {
        let _ = writeln!(out, "     its program text sends to or fetches from {host}");
    }
    if !part.open.is_empty() {
        let _ = writeln!(out, "     may touch more than is listed: {}", part.open);
    }
}

fn joined(words: &[Arg]) -> String {
    words.iter().map(|arg| arg.text.as_str()).collect::<Vec<_>>().join(" ")
}

fn first_line(text: &str) -> String {
    match text.split_once('\n') {
        Some((line, _)) => format!("{line}…"),
        None => text.to_owned(),
    }
}

fn section<T>(out: &mut String, title: &str, rows: &[T], show: impl Fn(&T) -> String) {
    if rows.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{title}");
    for row in rows {
        let _ = writeln!(out, "  {}", show(row));
    }
}

fn indent(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

fn or_dash(text: &str) -> &str {
    if text.is_empty() { "-" } else { text }
}

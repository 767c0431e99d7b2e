//! `kz install`: hooks into the host's settings, nothing else in the file touched, then fired once.

use super::fire::{Answer, MUST_DENY, MUST_DENY_RULE, fire};
use super::settings::{self, Scope, Target, Wanted};
use super::{Desk, Exit};
use crate::config::{self, Options, Switch, layer};
use crate::pipeline::Pipeline;
use std::io;
use std::path::{Path, PathBuf};

/// Register kz with the coding agent.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Install {
    /// Whose settings.
    #[command(flatten)]
    pub at: At,
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Make NAME the mode that sessions begin in.
    #[arg(long, value_name = "NAME")]
    pub mode: Option<String>,
    /// Run this pipeline, such as `fleet`, and register the events that its stages need.
    #[arg(long, value_name = "NAME")]
    pub pipeline: Option<String>,
    /// Let the host block a call if kz itself fails.
    #[arg(long)]
    pub fail_closed: bool,
}

/// Which settings file is meant.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct At {
    /// The coding agent.
    #[arg(long, default_value = "claude-code", value_parser = ["claude-code"])]
    pub host: String,
    /// Your own settings, for every project (default).
    #[arg(long, group = "scope")]
    pub user: bool,
    /// The project's settings, shared with its people.
    #[arg(long, group = "scope")]
    pub project: bool,
    /// The project's settings for you only.
    #[arg(long, group = "scope")]
    pub local: bool,
}

impl At {
    /// The scope that the options name.
    pub(super) fn scope(&self) -> Scope {
        match (self.project, self.local) {
            (true, _) => Scope::Project,
            (_, true) => Scope::Local,
            _ => Scope::User,
        }
    }
}

/// Runs it.
///
/// # Errors
/// If the answer cannot be written.
pub fn run(args: &Install, desk: &mut Desk) -> io::Result<Exit> {
    let scope = args.at.scope();
    let Some(path) = scope.file(desk.world) else {
        return desk.fail("there is no home folder, so no settings file", "set `HOME`, or use `--project`");
    };
    let shown = desk.show(&path);
    // Shared settings meet other machines: only the name on PATH holds there.
    let command = match scope {
        Scope::Project => "kz-run".to_owned(),
        Scope::User | Scope::Local => shell_words::quote(&desk.kz_run().to_string_lossy()).into_owned(),
    };
    let wanted = match &args.pipeline {
        None => Wanted::all(&command, args.fail_closed),
        Some(name) => match Pipeline::find(name, desk.world) {
            Ok((pipeline, _)) => Wanted::for_pipeline(&command, args.fail_closed, &pipeline),
            Err(fault) => return desk.fail(&fault.text, "nothing was written"),
        },
    };
    let mode = match args.mode.as_deref().map(|name| Mode::plan(name, desk)).transpose() {
        Ok(mode) => mode.flatten(),
        Err(Refused { text, hint }) => return desk.fail(&text, &hint),
    };
    let target = match Target::read(&path) {
        Ok(target) => target,
        Err(why) => return desk.fail(&format!("{shown}: {why}"), "nothing was written"),
    };
    let old = target.text.as_deref().unwrap_or_default();
    let new = match settings::add(old, &wanted) {
        Ok(new) => new,
        Err(problem) => {
            let (line, column) = problem.place(old);
            return desk.fail(
                &format!("{shown}:{line}:{column}: {}", problem.text),
                "nothing was written; put this right and run `kz install` again",
            );
        }
    };
    if args.dry_run {
        diff(desk, &shown, old, &new)?;
        if let Some(mode) = mode {
            diff(desk, &desk.show(&mode.path), &mode.old, &mode.new)?;
        }
        return Ok(Exit::Done);
    }
    if new == old {
        writeln!(desk.out, "already installed in {shown}")?;
    } else {
        let kept = match target.keep().and_then(|kept| target.write(&new).map(|()| kept)) {
            Ok(kept) => kept,
            Err(error) => {
                return desk.fail(&format!("{shown}: cannot be written: {error}"), "nothing was changed in it");
            }
        };
        writeln!(desk.out, "hooks for {} events are in {shown}", wanted.len())?;
        if kept {
            writeln!(desk.out, "the file as it was: {}", desk.show(&target.backup()))?;
        }
    }
    if let Some(mode) = mode {
        if let Err(error) = mode.write() {
            return desk
                .fail(&format!("{}: cannot be written: {error}", desk.show(&mode.path)), "the hooks are in place");
        }
        writeln!(desk.out, "sessions begin in mode `{}` ({})", mode.name, desk.show(&mode.path))?;
    }
    warn(desk, &new)?;
    check(desk, &new)
}

/// What in the file keeps our hooks from being what they seem.
fn warn(desk: &mut Desk, text: &str) -> io::Result<()> {
    let Ok(root) = settings::scan(text) else { return Ok(()) };
    if root.get("disableAllHooks").is_some_and(|node| node.kind == settings::Kind::Flag(true)) {
        writeln!(desk.err, "kz: `disableAllHooks` is on in this file, so no hook runs\n  hint: take it out")?;
    }
    for hook in settings::ours(&root).iter().filter(|hook| !matches!(hook.matcher.as_str(), "" | "*")) {
        writeln!(
            desk.err,
            "kz: the hook of {} is for `{}` only; other tools are not looked at\n  hint: make its `matcher` empty",
            hook.event, hook.matcher
        )?;
    }
    Ok(())
}

/// Fires what was written.
fn check(desk: &mut Desk, text: &str) -> io::Result<Exit> {
    let hooks = settings::scan(text).map(|root| settings::ours(&root)).unwrap_or_default();
    let Some(hook) = hooks.iter().find(|hook| hook.event == "PreToolUse") else { return Ok(Exit::Failed) };
    let (level, told) = verdict(desk, &hook.command);
    if level == Level::Ok {
        writeln!(desk.out, "fired `{MUST_DENY}` at it: {told}")?;
        return Ok(Exit::Done);
    }
    desk.fail(
        &format!("the hook is registered but does not deny `{MUST_DENY}`: {told}"),
        &format!("the registered command is `{}`; see `kz doctor`", hook.command),
    )
}

/// How a check went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// As it should be.
    Ok,
    /// Worth a look.
    Warn,
    /// Broken.
    Fail,
}

/// Fires a hook command and says whether it answers as the config wants.
pub(super) fn verdict(desk: &Desk, command: &str) -> (Level, String) {
    let root = desk.root().or_else(|| desk.world.home()).unwrap_or_else(|| PathBuf::from("/"));
    let config = config::load(desk.world, Some(&root), &Options::default());
    let wanted = config.guard.rules.get(MUST_DENY_RULE).map_or(Switch::Deny, |setting| setting.value);
    match (fire(command, &root), wanted) {
        (Answer::Denied(reason), _) => (Level::Ok, format!("denied: {reason}")),
        (Answer::Asked(reason), Switch::Ask) => (Level::Ok, format!("asks, as your config wants: {reason}")),
        (Answer::Passed(_), Switch::Off) => {
            (Level::Ok, format!("passed, and your config has `{MUST_DENY_RULE}` off, so this proves nothing"))
        }
        (Answer::Asked(reason), _) => (Level::Fail, format!("it only asks: {reason}")),
        (Answer::Passed(seen), _) => (Level::Fail, format!("it let the call pass ({seen})")),
    }
}

/// Writes a unified diff.
pub(super) fn diff(desk: &mut Desk, name: &str, old: &str, new: &str) -> io::Result<()> {
    if old == new {
        return writeln!(desk.out, "nothing to change in {name}");
    }
    let diff = similar::TextDiff::from_lines(old, new);
    write!(desk.out, "{}", diff.unified_diff().context_radius(3).header(name, name))
}

struct Refused {
    text: String,
    hint: String,
}

/// The change to the user's config that `--mode` asks for.
struct Mode {
    name: String,
    path: PathBuf,
    old: String,
    new: String,
}

impl Mode {
    /// What is to be written; nothing if it stands there already.
    fn plan(name: &str, desk: &Desk) -> Result<Option<Self>, Refused> {
        let refused = |text: String, hint: &str| Refused { text, hint: hint.to_owned() };
        let root = desk.root();
        let config = config::load(desk.world, root.as_deref(), &Options::default());
        if !config.modes.contains_key(name) {
            let names: Vec<_> = config.modes.keys().map(|name| format!("`{name}`")).collect();
            return Err(refused(format!("there is no mode `{name}`"), &format!("modes are {}", names.join(", "))));
        }
        let Some(path) = config::user_file(desk.world, root.as_deref()) else {
            return Err(refused("there is no home folder to keep your config in".to_owned(), "set `HOME`"));
        };
        let shown = desk.show(&path);
        let old = match desk.world.read(&path, config::MAX_BYTES) {
            Ok(bytes) => {
                String::from_utf8(bytes).map_err(|_| refused(format!("{shown}: not UTF-8"), "save it as UTF-8"))?
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(refused(format!("{shown}: cannot be read: {}", error.kind()), "see `kz doctor`")),
        };
        let line = format!("default = \"{name}\"");
        let (entries, problems) = layer::read(&old, config::Layer::User);
        if problems.iter().any(|problem| problem.text.starts_with("not readable")) {
            return Err(refused(format!("{shown} is not readable as TOML"), "`kz doctor` says where"));
        }
        if let Some(entry) = entries.iter().find(|entry| entry.key.name == "mode.default") {
            if entry.value == config::keys::Value::Text(name.to_owned()) {
                return Ok(None);
            }
            let at = old[..entry.at].matches('\n').count() + 1;
            let text = format!("{shown}:{at}: sessions begin in mode {} there", entry.value.toml());
            return Err(refused(text, &format!("change that line to `{line}` yourself")));
        }
        let new = insert(&old, &line);
        if !layer::read(&new, config::Layer::User).0.iter().any(|entry| entry.key.name == "mode.default") {
            return Err(refused(
                format!("{shown} has a `mode` that cannot be added to"),
                &format!("write `{line}` into it"),
            ));
        }
        Ok(Some(Self { name: name.to_owned(), path, old, new }))
    }

    fn write(&self) -> io::Result<()> {
        if let Some(folder) = self.path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        // Dotfiles are often links: the file behind it is what changes.
        let real = self.path.canonicalize().unwrap_or_else(|_| self.path.clone());
        let aside = real.with_extension(format!("toml.kz-{}", std::process::id()));
        std::fs::write(&aside, &self.new)?;
        if let Ok(meta) = std::fs::metadata(&real) {
            std::fs::set_permissions(&aside, meta.permissions())?;
        }
        std::fs::rename(&aside, &real)
    }
}

/// The text with a line in its `[mode]` table, which is made if it is not there.
fn insert(old: &str, line: &str) -> String {
    let header = |text: &str| text.split('#').next().is_some_and(|text| text.trim() == "[mode]");
    let mut new = String::new();
    let mut done = false;
    for text in old.split_inclusive('\n') {
        new.push_str(text);
        if !done && header(text) {
            if !text.ends_with('\n') {
                new.push('\n');
            }
            new.push_str(line);
            new.push('\n');
            done = true;
        }
    }
    if !done {
        if !new.is_empty() {
            new.push_str(if new.ends_with('\n') { "\n" } else { "\n\n" });
        }
        new.push_str(&format!("[mode]\n{line}\n"));
    }
    new
}

/// Whether a path is a program of ours that can be started.
pub(super) fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

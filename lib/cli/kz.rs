//! `kz`: the command for people.

use super::say;
use crate::command::explain::{self, Explain};
use crate::command::person::Here;
use crate::command::{
    Desk, Exit, allow, config, doctor, fleet, help, install, ledger, mode, rules, switch, trial, trust, uninstall,
};
use crate::world::Real;
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};
use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;

#[derive(Debug, Parser)]
#[command(
    name = "kz",
    version,
    about = "install, explain and look after the pipeline that judges and teaches coding agents",
    disable_help_subcommand = true,
    allow_external_subcommands = true
)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Show what is read in a command or payload, which rules fit, who votes, and what decides.
    Explain(Explain),
    /// Write the hooks into an agent's settings.
    Install(install::Install),
    /// Take the hooks out again.
    Uninstall(uninstall::Uninstall),
    /// Look whether everything is in place, and fire the hook for real.
    Doctor(doctor::Doctor),
    /// Show what config counts and who set it, check a file, print its schema.
    Config(config::Configs),
    /// List and show rules, and test your own.
    Rules(rules::Rules),
    /// Show the modes, or change the mode of a session.
    Mode(mode::SetMode),
    /// Show what was counted, noted, asked and denied, or count it.
    Ledger(ledger::Ledger),
    /// Run the `[[test]]` rows of config and pipeline files.
    Test(trial::Test),
    /// Show what the agents of a fleet are at, and leave one a message.
    Fleet(fleet::Fleet),
    /// Accept this repo's own config and rules as if they were yours.
    Trust(trust::Trust),
    /// Let a call through once that was stopped; without an id, list those that were.
    AllowOnce(allow::AllowOnce),
    /// Check nothing for a while.
    Off(switch::Off),
    /// Check again.
    On(switch::On),
    /// Explain a topic: config, rules, security.
    Help(help::Help),
    #[command(external_subcommand)]
    External(Vec<OsString>),
}

/// Runs the program.
pub fn main() -> ExitCode {
    let result = catch_unwind(AssertUnwindSafe(program));
    result.unwrap_or_else(|_| {
        say::complain("kz", "stopped by a fault of its own; please report it with what you typed");
        ExitCode::from(say::FAILED)
    })
}

fn program() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return usage(&error),
    };
    let world = Real::new();
    let (mut out, mut err) = (io::stdout().lock(), io::stderr().lock());
    let programs =
        std::env::current_exe().ok().and_then(|path| path.parent().map(Path::to_path_buf)).unwrap_or_default();
    let mut desk = Desk { world: &world, person: &mut Here, programs: &programs, out: &mut out, err: &mut err };
    let ran = match &arguments.verb {
        Verb::Explain(args) => explain::run(args, &mut desk),
        Verb::Install(args) => install::run(args, &mut desk),
        Verb::Uninstall(args) => uninstall::run(args, &mut desk),
        Verb::Doctor(args) => doctor::run(args, &mut desk),
        Verb::Config(args) => config::run(args, &mut desk),
        Verb::Rules(args) => rules::run(args, &mut desk),
        Verb::Mode(args) => mode::run(args, &mut desk),
        Verb::Ledger(args) => ledger::run(args, &mut desk),
        Verb::Test(args) => trial::run(args, &mut desk),
        Verb::Fleet(args) => fleet::run(args, &mut desk),
        Verb::Trust(args) => trust::run(args, &mut desk),
        Verb::AllowOnce(args) => allow::run(args, &mut desk),
        Verb::Off(args) => switch::off(args, &mut desk),
        Verb::On(args) => switch::on(args, &mut desk),
        Verb::Help(args) => help::run(args, &mut desk),
        Verb::External(words) => external(words, &mut desk),
    };
    drop((out, err));
    match ran {
        Ok(exit) => exit.into(),
        // Nobody reads on: that is no failure of the verb.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            say::complain("kz", &format!("cannot write the answer: {error}"));
            ExitCode::from(say::FAILED)
        }
    }
}

/// `kz foo` runs `kz-foo` from the path, as git does.
fn external(words: &[OsString], desk: &mut Desk) -> io::Result<Exit> {
    let Some((verb, rest)) = words.split_first() else { return Ok(Exit::Failed) };
    let name = format!("kz-{}", verb.to_string_lossy());
    if let Some(path) = desk.world.which(&name).filter(|_| !name.contains('/')) {
        let error = std::process::Command::new(&path).args(rest).exec();
        return desk.fail(&format!("cannot run `{}`: {error}", path.display()), "");
    }
    let command = Arguments::command();
    let verbs: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
    let typed = verb.to_string_lossy();
    let hint = format!("did you mean `kz {}`? see `kz --help`", crate::text::nearest(&typed, verbs));
    desk.fail(&format!("there is no verb `{typed}`"), &hint)
}

fn usage(error: &clap::Error) -> ExitCode {
    let text = error.render().to_string();
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        say::out(text.as_bytes());
        return ExitCode::SUCCESS;
    }
    say::complain("kz", text.strip_prefix("error: ").unwrap_or(&text).trim_end());
    ExitCode::from(say::FAILED)
}

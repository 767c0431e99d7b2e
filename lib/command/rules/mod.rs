//! `kz rules`: which rules there are, what one says, and whether yours hold.

mod list;
mod show;
#[cfg(test)]
mod tests;
mod try_out;

use super::{Desk, Exit};
use crate::config::{self, Config, Options, Switch};
use crate::rules::own::Origin;
use crate::rules::{self, Class, Own, Rule};
use clap::Subcommand;
use std::io;

/// `kz rules`
#[derive(clap::Args, Debug)]
pub struct Rules {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// List the rules: kz's, yours and the repo's, with the verdict that holds and who set it.
    List(list::List),
    /// Show one rule: its source, what it says in words, the verdict that holds.
    Show(show::Show),
    /// Check the form of rules and run their examples.
    Test(try_out::Test),
}

/// Runs the verb.
///
/// # Errors
/// If the answer cannot be written.
pub fn run(args: &Rules, desk: &mut Desk) -> io::Result<Exit> {
    match &args.verb {
        Verb::List(args) => list::run(args, desk),
        Verb::Show(args) => show::run(args, desk),
        Verb::Test(args) => try_out::run(args, desk),
    }
}

/// All that is known of the rules here.
struct Known {
    own: Own,
    config: Config,
}

impl Known {
    fn of(desk: &Desk) -> Self {
        let root = desk.root();
        let own = Own::load(desk.world, root.as_deref());
        let config = config::load_with(desk.world, root.as_deref(), &Options::default(), &own);
        Self { own, config }
    }

    /// Every rule with whose it is: kz's first, in order of packs and lines.
    fn rules(&self) -> impl Iterator<Item = (&'static str, &'static Rule)> {
        let built_in = rules::packs().iter().flat_map(|pack| pack.rules).map(|rule| ("built in", rule));
        built_in.chain(self.own.rules().map(|(origin, rule): (Origin, _)| (origin.word(), rule)))
    }

    /// The verdict of a rule as it stands, and who set it; nothing for a rule that does not vote.
    fn verdict(&self, origin: &str, rule: &Rule) -> (&'static str, String) {
        match self.config.guard.rules.get(rule.id) {
            Some(setting) => {
                let word = match setting.value {
                    Switch::Off => "off",
                    Switch::Ask => "ask",
                    Switch::Deny => "deny",
                };
                (word, super::explain::origin(&setting.origin))
            }
            None if rule.class == Class::Danger && !self.config.guard.is_on(rule.pack(), rule.by_name) => {
                let origin = &self.config.guard.packs.origin;
                let by = if rule.by_name && origin.layer == crate::config::Layer::Default {
                    format!("its pack: `[guard] packs = [\"{}\"]` has it vote", rule.pack())
                } else {
                    format!("guard.packs of {}", super::explain::origin(origin))
                };
                ("off", by)
            }
            None if rule.class == Class::Danger => (rule.verdict.word(), origin.to_owned()),
            None => ("", String::new()),
        }
    }

    /// Tells what is wrong with rules and config on standard error: they are not in the answer.
    fn complain(&self, desk: &mut Desk) -> io::Result<()> {
        for fault in self.own.all_faults() {
            writeln!(desk.err, "kz: {fault}")?;
        }
        let about_rules = self.config.faults.iter().filter(|fault| fault.text.contains("there is no rule `"));
        for fault in about_rules {
            writeln!(desk.err, "kz: {}", fault.text)?;
        }
        Ok(())
    }
}

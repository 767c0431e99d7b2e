//! `kz help TOPIC`: topics that are rendered from the tables they are about.

use super::{Desk, Exit};
use crate::config;
use crate::rules;
use crate::stage::guard::coordinator;
use clap::Args;
use std::io;

/// `kz help`
#[derive(Args, Debug)]
pub struct Help {
    /// The topic; none for the list.
    pub topic: Option<String>,
}

const TOPICS: &[(&str, &str)] = &[
    ("config", "every config key: type, default, merge rule and who may set it"),
    ("tests", "test rows of your own: what is given, what is expected"),
    ("shell", "how a shell call is read: parts, words, paths, what is certain, and the programs that are known"),
    ("rules", "the rule language: every key with its words and an example, and a whole pack"),
    ("ladder", "what is counted and taught, the four tiers, rows and exemptions of your own, the log"),
    ("coordinator", "tiers of tools for a main thread that dispatches, overlays, and the policy itself"),
    ("fleet", "agents that hand their work on: health record, operator's messages, documents, what to set"),
    ("security", "what kz promises, and what it does not"),
];

/// Runs the verb.
///
/// # Errors
/// If the answer cannot be written.
pub fn run(args: &Help, desk: &mut Desk) -> io::Result<Exit> {
    match args.topic.as_deref() {
        None => {
            writeln!(desk.out, "usage: kz help TOPIC; of a verb: kz VERB --help; of kz: kz --help\n")?;
            for (name, about) in TOPICS {
                writeln!(desk.out, "  {name:<12} {about}")?;
            }
            Ok(Exit::Done)
        }
        Some("config") => {
            write!(desk.out, "{}", config::reference())?;
            Ok(Exit::Done)
        }
        Some("tests") => {
            write!(desk.out, "{}", include_str!("../help/tests.md"))?;
            Ok(Exit::Done)
        }
        Some("shell") => {
            write!(desk.out, "{}", crate::shell::reference())?;
            Ok(Exit::Done)
        }
        Some("rules") => {
            write!(desk.out, "{}", rules::reference::reference())?;
            Ok(Exit::Done)
        }
        Some("ladder") => {
            write!(desk.out, "{}", include_str!("../help/ladder.md"))?;
            Ok(Exit::Done)
        }
        Some("coordinator") => {
            write!(desk.out, "{}{}", include_str!("../help/coordinator.md"), coordinator::BUILT_IN)?;
            Ok(Exit::Done)
        }
        Some("fleet") => {
            write!(desk.out, "{}", include_str!("../help/fleet.md"))?;
            Ok(Exit::Done)
        }
        Some("security") => {
            write!(desk.out, "{}", include_str!("../help/security.md"))?;
            Ok(Exit::Done)
        }
        Some(other) => {
            let near = crate::text::nearest(other, TOPICS.iter().map(|(name, _)| *name));
            desk.fail(&format!("there is no topic `{other}`"), &format!("did you mean `kz help {near}`?"))
        }
    }
}

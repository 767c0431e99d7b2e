//! The right end: commit, then answer.
//!
//! One process answers its host once, however many payloads it got: two JSON objects on standard
//! output would be no answer at all to a host, so the strictest one is said. With
//! [`Style::Envelope`] every envelope comes out, in order.

use crate::config::Config;
use crate::envelope::{Envelope, Verdict, encode};
use crate::stage::decide;
use crate::state::{Store, stamp};
use crate::wire::{self, matrix};
use crate::world::World;

/// How the decision is said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// The recognised host's JSON, the Claude form if unknown.
    #[default]
    Auto,
    /// JSON, whoever asks.
    Json,
    /// Exit 0 pass, 2 stop with the reason on standard error, 1 not understood.
    Exit,
    /// The whole envelope, one a line.
    Envelope,
}

impl Style {
    /// A style by its name on the command line.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "auto" => Self::Auto,
            "json" => Self::Json,
            "exit" => Self::Exit,
            "envelope" => Self::Envelope,
            _ => return None,
        })
    }

    /// All names, for help and errors.
    pub const NAMES: &'static [&'static str] = &["auto", "json", "exit", "envelope"];
}

/// What goes back to whoever started the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// For standard output, with its newline; may be empty.
    pub out: String,
    /// For standard error, a message a line.
    pub err: Vec<String>,
    /// Exit code of the exit style; 0 otherwise.
    pub code: u8,
}

/// Takes envelopes, commits them, keeps the strictest answer.
pub struct Sink<'w> {
    style: Style,
    dry: bool,
    store: Store,
    world: &'w dyn World,
    answer: Answer,
    strictest: Option<(Verdict, bool)>,
    taken: usize,
}

impl<'w> Sink<'w> {
    /// A sink that commits to `store`, or nowhere if `dry` or without a store.
    pub fn new(style: Style, dry: bool, store: Store, world: &'w dyn World) -> Self {
        Self { style, dry, store, world, answer: Answer::default(), strictest: None, taken: 0 }
    }

    /// How many envelopes it took.
    pub fn taken(&self) -> usize {
        self.taken
    }

    /// Decides, commits and answers one envelope.
    pub fn take(&mut self, mut envelope: Envelope, config: &Config) {
        self.taken += 1;
        decide::prepare(&mut envelope);
        let commits = !self.dry && envelope.facts.off.is_empty();
        if commits {
            for fault in self.store.commit(&mut envelope, config, self.world, &mut decide::settle) {
                self.answer.err.push(fault.text.clone());
                if let Some(decision) = &mut envelope.decision {
                    decision.user.push(format!("kz: {}", fault.text));
                }
                envelope.faults.push(fault);
            }
        } else {
            decide::settle(&mut envelope);
            stamp(&mut envelope);
        }
        self.say(&envelope, *config.guard.ask_when_unattended);
    }

    /// `unattended` is what an ask becomes in the exit style, which has nobody to ask.
    fn say(&mut self, envelope: &Envelope, unattended: Verdict) {
        let Some(decision) = &envelope.decision else { return };
        if self.style == Style::Envelope {
            self.answer.out.push_str(&encode(envelope));
            self.answer.out.push('\n');
            return;
        }
        let said = !decision.notes.is_empty() || !decision.user.is_empty();
        let weight = (decision.say, said);
        if self.strictest.is_some_and(|before| before >= weight) {
            return;
        }
        self.strictest = Some(weight);
        if self.style == Style::Exit {
            let exit = matrix::exit(&envelope.call, decision, unattended);
            self.answer.code = exit.code;
            self.answer.err.extend(Some(exit.stderr).filter(|text| !text.is_empty()));
            return;
        }
        self.answer.out = wire::dialect(&envelope.call.agent.kind)
            .answer(&envelope.call, decision)
            .map(|json| json + "\n")
            .unwrap_or_default();
    }

    /// Adds a message for standard error.
    pub fn complain(&mut self, text: String) {
        self.answer.err.push(text);
    }

    /// What was answered so far; of the envelope style, taken out so that a stream flows.
    pub fn drain(&mut self) -> String {
        match self.style {
            Style::Envelope => std::mem::take(&mut self.answer.out),
            _ => String::new(),
        }
    }

    /// The answer to everything that was taken.
    pub fn finish(self) -> Answer {
        self.answer
    }
}

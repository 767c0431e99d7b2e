//! The right end: commit, then answer.
//!
//! One process answers its host once, however many payloads it got: two JSON objects on standard
//! output would be no answer at all to a host, so the strictest one is said. With
//! [`Style::Envelope`] every envelope comes out, in order.

use crate::call::Call;
use crate::config::Config;
use crate::envelope::{Decision, Envelope, Verdict, encode};
use crate::stage::decide;
use crate::state::{Store, stamp};
use crate::wire::{self, matrix};
use crate::world::World;
use std::path::PathBuf;

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

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Json => "json",
            Self::Exit => "exit",
            Self::Envelope => "envelope",
        }
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
    store: Option<Store>,
    world: &'w dyn World,
    answer: Answer,
    /// The strictest decision so far; of equals the first that says more.
    strictest: Option<(Call, Decision)>,
    /// Texts for the user of all other envelopes: a fault in one of many must not be lost.
    others: Vec<String>,
    taken: usize,
}

impl<'w> Sink<'w> {
    /// A sink that commits to `store`, or nowhere if `dry`. Without a store it opens the one that
    /// the source of its first envelope used.
    pub fn new(style: Style, dry: bool, store: Option<Store>, world: &'w dyn World) -> Self {
        let (answer, strictest, others) = Default::default();
        Self { style, dry, store, world, answer, strictest, others, taken: 0 }
    }

    /// How many envelopes it took.
    pub fn taken(&self) -> usize {
        self.taken
    }

    /// Decides, commits and answers one envelope.
    pub fn take(&mut self, mut envelope: Envelope, config: &Config) {
        self.taken += 1;
        decide::prepare(&mut envelope);
        if self.dry || !envelope.facts.off.is_empty() {
            decide::settle(&mut envelope);
            stamp(&mut envelope);
        } else {
            self.commit(&mut envelope, config);
        }
        let Some(decision) = &envelope.decision else { return };
        match self.style {
            Style::Envelope => {
                self.answer.out.push_str(&encode(&envelope));
                self.answer.out.push('\n');
            }
            Style::Exit => self.exit(&envelope, decision, *config.guard.ask_when_unattended),
            Style::Auto | Style::Json => self.keep(envelope.call.clone(), decision.clone()),
        }
    }

    fn commit(&mut self, envelope: &mut Envelope, config: &Config) {
        let world = self.world;
        let root = PathBuf::from(&envelope.call.root);
        // The faults of opening are the source's too, and stand in the envelope.
        let store =
            self.store.get_or_insert_with(|| Store::open(world, Some(root.as_path()).filter(|at| at.is_absolute())).0);
        for fault in store.commit(envelope, config, world, &mut decide::settle) {
            self.answer.err.push(fault.text.clone());
            if let Some(decision) = &mut envelope.decision {
                decision.user.push(format!("kz: {}", fault.text));
            }
            envelope.faults.push(fault);
        }
    }

    fn keep(&mut self, call: Call, mut decision: Decision) {
        let weight = |decision: &Decision| (decision.say, !decision.notes.is_empty());
        match &mut self.strictest {
            Some((_, before)) if weight(before) >= weight(&decision) => self.others.append(&mut decision.user),
            slot => {
                let before = slot.replace((call, decision));
                self.others.extend(before.into_iter().flat_map(|(_, decision)| decision.user));
            }
        }
    }

    /// `unattended` is what an ask becomes in the exit style, which has nobody to ask.
    fn exit(&mut self, envelope: &Envelope, decision: &Decision, unattended: Verdict) {
        let exit = matrix::exit(&envelope.call, decision, unattended);
        // Nothing of it was understood, not even an event: that is not a pass.
        let foreign =
            envelope.call.host_event.is_empty() && envelope.faults.iter().any(|fault| fault.kind == "payload");
        let code = if foreign { exit.code.max(1) } else { exit.code };
        self.answer.code = self.answer.code.max(code);
        self.answer.err.extend(Some(exit.stderr).filter(|text| !text.is_empty()));
    }

    /// Of the envelope style: what was answered so far, taken out so that a stream flows.
    pub fn drain(&mut self) -> String {
        match self.style {
            Style::Envelope => std::mem::take(&mut self.answer.out),
            Style::Auto | Style::Json | Style::Exit => String::new(),
        }
    }

    /// The answer to everything that was taken.
    pub fn finish(mut self) -> Answer {
        if let Some((call, mut decision)) = self.strictest {
            decision.user.append(&mut self.others);
            let json = wire::dialect(&call.agent.kind).answer(&call, &decision);
            self.answer.out = json.map(|json| json + "\n").unwrap_or_default();
        }
        self.answer
    }
}

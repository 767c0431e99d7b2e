//! The right end: commit, then answer.
//!
//! One process answers its host once, however many payloads it got: two JSON objects on standard
//! output would be no answer at all to a host, so the strictest one is said. With
//! [`Style::Envelope`] every envelope comes out, in order.

use crate::call::{Call, EventKind};
use crate::config::Config;
use crate::envelope::{Decision, Effect, Envelope, Verdict, encode};
use crate::stage::guard::coordinator;
use crate::stage::{decide, source};
use crate::state::{Store, fleet, stamp};
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
    /// What all other envelopes say: neither a note nor a fault in one of many may be lost.
    others: Decision,
    taken: usize,
    later: Later<'w>,
}

/// What is done once the answer is out.
pub struct Later<'w> {
    calls: Vec<(Envelope, Vec<Effect>)>,
    store: Store,
    world: &'w dyn World,
}

impl Later<'_> {
    /// Does it. `heard` says whether somebody took the answer. Each failure is a row of the ledger and a
    /// sentence for standard error; nothing of it changes the answer any more, a panic neither.
    pub fn perform(self, heard: bool) -> Vec<String> {
        let mut said = Vec::new();
        for (envelope, effects) in &self.calls {
            let act = || fleet::perform(effects, envelope.facts.at, heard, self.world);
            let faults = std::panic::catch_unwind(std::panic::AssertUnwindSafe(act))
                .unwrap_or_else(|panic| vec![format!("a panic ({})", crate::text::panic_message(&*panic))]);
            said.extend(self.store.tell_ledger(envelope, &faults, self.world).err().map(|fault| fault.text));
            said.extend(faults.into_iter().map(|text| format!("handoff: {text}")));
        }
        said
    }
}

impl<'w> Sink<'w> {
    /// A sink that commits to `store`, or nowhere if `dry`. Without a store it opens the one that
    /// the source of its first envelope used.
    pub fn new(style: Style, dry: bool, store: Option<Store>, world: &'w dyn World) -> Self {
        let (answer, strictest, others) = Default::default();
        let later = Later { calls: Vec::new(), store: Store::none(), world };
        Self { style, dry, store, world, answer, strictest, others, taken: 0, later }
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
            decide::settle(&mut envelope, *config.guard.ask_when_unattended);
            stamp(&mut envelope);
        } else {
            self.commit(&mut envelope, config);
        }
        if self.style == Style::Envelope {
            self.answer.out.push_str(&encode(&envelope));
            self.answer.out.push('\n');
            return;
        }
        let Some(mut decision) = envelope.decision.take() else { return };
        self.say_ignored(&envelope, &mut decision);
        if self.style == Style::Exit {
            self.exit(&envelope, &decision, *config.guard.ask_when_unattended);
        } else {
            self.keep(envelope.call, decision);
        }
    }

    fn commit(&mut self, envelope: &mut Envelope, config: &Config) {
        let (world, unattended) = (self.world, *config.guard.ask_when_unattended);
        let store = self.store.get_or_insert_with(|| source::store(world));
        let mut faults = store.commit(envelope, config, world, &mut |envelope| decide::settle(envelope, unattended));
        let effects: Vec<Effect> = envelope.effects.iter().filter(|effect| fleet::is_ours(effect)).cloned().collect();
        if !effects.is_empty() {
            // Of the envelope only what a row of the ledger says.
            let mut rest = Envelope { facts: envelope.facts.clone(), ..Envelope::default() };
            rest.call.session.clone_from(&envelope.call.session);
            self.later.store = store.clone();
            self.later.calls.push((rest, effects));
        }
        if decide::is_permitted(envelope) {
            faults.extend(store.permission_used(&envelope.facts.allowed, world).err());
        }
        // One cause mostly fails in several places: the user hears the first, the rest is in the envelope.
        if let (Some(first), Some(decision)) = (faults.first(), &mut envelope.decision) {
            decision.user.push(format!("kz: {}", first.text));
        }
        for fault in faults {
            self.answer.err.push(fault.text.clone());
            envelope.faults.push(fault);
        }
    }

    fn keep(&mut self, call: Call, decision: Decision) {
        let weight = |decision: &Decision| (decision.say, !decision.notes.is_empty());
        let stricter = self.strictest.as_ref().is_none_or(|(_, before)| weight(&decision) > weight(before));
        let other =
            if stricter { self.strictest.replace((call, decision)).map(|(_, before)| before) } else { Some(decision) };
        if let Some(mut other) = other {
            self.others.notes.append(&mut other.notes);
            self.others.user.append(&mut other.user);
        }
    }

    /// What is ignored in the coordinator's files is said on standard error each time, a line each; where
    /// that is what a person reads, the word to the user would only say it again.
    fn say_ignored(&mut self, envelope: &Envelope, decision: &mut Decision) {
        for fault in envelope.faults.iter().filter(|fault| fault.by == coordinator::NAME) {
            self.answer.err.push(fault.text.clone());
            if self.style == Style::Exit {
                let said = format!("kz: {}", fault.text);
                decision.user.retain(|text| !text.starts_with(&said));
            }
        }
    }

    /// `unattended` is what an ask becomes in the exit style, which has nobody to ask.
    fn exit(&mut self, envelope: &Envelope, decision: &Decision, unattended: Verdict) {
        let exit = matrix::exit(&envelope.call, decision, unattended);
        // No JSON to its end, or nothing of it understood, not even an event: that is not a pass.
        let foreign = envelope.call.event == EventKind::Other
            && envelope.call.host_event.is_empty()
            && envelope.faults.iter().any(|fault| fault.kind == "payload");
        let broken = envelope.hook.starts_with('"');
        let code = if foreign || broken { exit.code.max(1) } else { exit.code };
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

    /// The answer to everything that was taken, and what is to be done once it is out.
    pub fn finish(mut self) -> (Answer, Later<'w>) {
        if let Some((call, mut decision)) = self.strictest {
            decision.notes.append(&mut self.others.notes);
            decision.user.append(&mut self.others.user);
            let json = wire::dialect(&call.agent.kind).answer(&call, &decision);
            self.answer.out = json.map(|json| json + "\n").unwrap_or_default();
        }
        (self.answer, self.later)
    }
}

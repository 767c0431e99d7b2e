//! `kz-run`: the stages of a pipeline fused in one process. Small arguments, no clap: it is
//! started for every tool call.

use super::{filter, say};
use crate::config::Options;
use crate::envelope::Fault;
use crate::pipeline::{Pipeline, Sink, Style, Trace};
use crate::stage::source::Source;
use crate::stage::{Contexts, Memory};
use crate::wire::framing::{Frames, LIMIT};
use crate::wire::matrix;
use crate::world::{Real, World};
use rustix::event::Timespec;
use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;

const PROGRAM: &str = "kz-run";

/// How long a host may be silent before its payload is taken as whole.
const PATIENCE: Timespec = Timespec { tv_sec: 10, tv_nsec: 0 };

const HELP: &str = "run the stages of a pipeline over one hook payload, in one process

Usage: kz-run [PIPELINE] [OPTIONS] < payload.json

Arguments:
  [PIPELINE]          name of a pipeline [default: default]

Options:
      --plan              print the stages in order and where each was named, and stop
      --format <FORMAT>   of --plan: text, or shell for the equivalent shell line
      --style <STYLE>     how the decision is said: auto, json, exit, envelope
      --dry               commit nothing
      --config <FILE>     read this file in place of the user's config
      --set <KEY=VALUE>   set a config key for this run
  -h, --help              print help
  -V, --version           print version
";

#[derive(Debug, Default)]
struct Arguments {
    pipeline: Option<String>,
    plan: bool,
    shell: bool,
    style: Style,
    dry: bool,
    options: Options,
}

enum Wanted {
    Run(Arguments),
    Print(String),
}

/// Runs the program.
pub fn main() -> ExitCode {
    say::quiet_panics();
    let result = catch_unwind(AssertUnwindSafe(program));
    ExitCode::from(result.unwrap_or_else(|_| {
        say::complain(PROGRAM, "stopped by a fault of its own; please report it with the input");
        say::out(matrix::nothing_checked("kz-run stopped by a fault of its own").as_bytes());
        say::DONE
    }))
}

fn program() -> u8 {
    let arguments = match parse(std::env::args_os().skip(1)) {
        Ok(Wanted::Run(arguments)) => arguments,
        Ok(Wanted::Print(text)) => {
            say::out(text.as_bytes());
            return say::DONE;
        }
        Err(text) => return refuse(&text),
    };
    let world = Real::new();
    let name = arguments.pipeline.as_deref().unwrap_or("default");
    let (pipeline, mut faults) = match Pipeline::find(name, &world) {
        Ok(found) => found,
        Err(fault) => return refuse(&fault.text),
    };
    if arguments.plan {
        for fault in faults {
            say::complain(PROGRAM, &fault.text);
        }
        let text = if arguments.shell { shell_line(&arguments, &pipeline) } else { pipeline.plan() };
        say::out(text.as_bytes());
        return say::DONE;
    }
    if say::is_terminal() {
        say::complain(PROGRAM, "waiting for a hook payload on standard input (see `kz-run --help`)");
    }
    let patience = (!say::is_terminal()).then_some(PATIENCE);
    let input = match say::input(LIMIT + 1, patience) {
        Ok(input) => input,
        Err(error) => return refuse(&format!("cannot read standard input: {error}")),
    };
    if input.left_open {
        let text = format!("standard input was not closed; after {} s without a byte kz went on", PATIENCE.tv_sec);
        if input.bytes.is_empty() {
            return refuse(&text);
        }
        faults.push(Fault { by: "source".into(), kind: "payload".into(), text, ..Fault::default() });
    }
    judge(&arguments, &pipeline, &faults, Frames::new(input.bytes), &world)
}

/// The line that does the same as this start, its options included.
fn shell_line(arguments: &Arguments, pipeline: &Pipeline) -> String {
    let mut each = String::new();
    if let Some(file) = &arguments.options.file {
        each.push_str(&format!(" --config {}", shell_words::quote(&file.to_string_lossy())));
    }
    for set in &arguments.options.set {
        each.push_str(&format!(" --set {}", shell_words::quote(set)));
    }
    let style = match arguments.style {
        Style::Auto => String::new(),
        style => format!(" --style {}", style.name()),
    };
    let last = format!("{style}{}", if arguments.dry { " --dry" } else { "" });
    pipeline.shell_line(&each, &last) + "\n"
}

fn judge(arguments: &Arguments, pipeline: &Pipeline, faults: &[Fault], frames: Frames, world: &dyn World) -> u8 {
    let mut contexts = Contexts::new(world, arguments.options.clone());
    let mut memory = Memory::default();
    let mut trace = Trace::from_env(world);
    let mut source = Source::new(world, &pipeline.names());
    let mut sink = Sink::new(arguments.style, arguments.dry, Some(source.store().clone()), world);
    for item in frames {
        let Some(mut envelope) = source.envelope(item, &mut contexts) else { continue };
        envelope.faults.extend(faults.iter().cloned());
        let cx = contexts.of(&envelope.call.root);
        pipeline.run(&mut envelope, cx, &mut memory, &mut trace);
        trace.lines.drain(..).for_each(|line| say::err(&line));
        sink.take(envelope, &cx.config);
    }
    filter::finish(PROGRAM, sink, arguments.style, 0)
}

/// Wrong usage from a hook must neither block the call nor pass unseen.
fn refuse(text: &str) -> u8 {
    say::complain(PROGRAM, text);
    if say::is_terminal() {
        return say::FAILED;
    }
    say::out(matrix::nothing_checked(text).as_bytes());
    say::DONE
}

fn parse(mut rest: impl Iterator<Item = OsString>) -> Result<Wanted, String> {
    let mut out = Arguments::default();
    let (mut config, mut set): (Option<PathBuf>, Vec<String>) = (None, Vec::new());
    while let Some(word) = rest.next() {
        let Some(text) = word.to_str() else {
            return Err(format!("`{}` is not UTF-8 text", word.to_string_lossy()));
        };
        let (name, mut glued) = match text.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(value.to_owned())),
            _ => (text, None),
        };
        let mut value = |what: &str| match glued.take() {
            Some(value) => Ok(value),
            None => match rest.next().map(OsString::into_string) {
                Some(Ok(value)) => Ok(value),
                Some(Err(bad)) => Err(format!("`{}` is not UTF-8 text", bad.to_string_lossy())),
                None => Err(format!("`{name}` wants {what}; see `kz-run --help`")),
            },
        };
        match name {
            "-h" | "--help" => return Ok(Wanted::Print(HELP.to_owned())),
            "-V" | "--version" => {
                return Ok(Wanted::Print(format!("kz-run {}\n", env!("CARGO_PKG_VERSION"))));
            }
            "--plan" => out.plan = true,
            "--dry" => out.dry = true,
            "--format" => match value("text or shell")?.as_str() {
                "shell" => out.shell = true,
                "text" => out.shell = false,
                other => return Err(format!("there is no format `{other}`; formats: text, shell")),
            },
            "--style" => {
                let name = value("a style")?;
                out.style = Style::named(&name)
                    .ok_or_else(|| format!("there is no style `{name}`; styles: {}", Style::NAMES.join(", ")))?;
            }
            "--config" => config = Some(value("a file")?.into()),
            "--set" => set.push(value("KEY=VALUE")?),
            other if other.starts_with('-') => {
                return Err(format!("there is no option `{other}`; see `kz-run --help`"));
            }
            _ if out.pipeline.is_none() => out.pipeline = Some(text.to_owned()),
            _ => return Err(format!("one pipeline is enough; `{text}` is one more")),
        }
        if glued.is_some() {
            return Err(format!("`{name}` takes no value"));
        }
    }
    out.options = Options { file: config, set };
    Ok(Wanted::Run(out))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::panic, reason = "tests may fail")]
    use super::*;

    fn arguments(words: &[&str]) -> Result<Arguments, String> {
        match parse(words.iter().map(OsString::from)) {
            Ok(Wanted::Run(arguments)) => Ok(arguments),
            Ok(Wanted::Print(text)) => panic!("{text}"),
            Err(text) => Err(text),
        }
    }

    #[test]
    fn words_and_options_in_any_order_and_spelling() {
        for words in [&["mine", "--style", "exit", "--dry"][..], &["--style=exit", "--dry", "mine"]] {
            let read = arguments(words).unwrap_or_default();
            assert_eq!((read.pipeline.as_deref(), read.style, read.dry), (Some("mine"), Style::Exit, true));
        }
    }

    #[test]
    fn wrong_words_say_what_and_what_to_do() {
        for (words, want) in [
            (&["--styl=exit"][..], "there is no option `--styl`; see `kz-run --help`"),
            (&["--style"], "`--style` wants a style; see `kz-run --help`"),
            (&["--style", "loud"], "there is no style `loud`; styles: auto, json, exit, envelope"),
            (&["--dry=1"], "`--dry` takes no value"),
            (&["a", "b"], "one pipeline is enough; `b` is one more"),
        ] {
            assert_eq!(arguments(words).err().as_deref(), Some(want));
        }
    }
}

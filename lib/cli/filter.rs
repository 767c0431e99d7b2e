//! The main of every stage program: `kz-normalize`, the filters between, `kz-decide`.

use super::say;
use crate::config::Options;
use crate::envelope::{Line, decode, encode};
use crate::pipeline::{Answer, Pipeline, Sink, Style, Trace, run_stage};
use crate::stage::source::Source;
use crate::stage::{self, Contexts, Memory, Stage};
use crate::wire::framing::{Frames, LIMIT};
use crate::wire::matrix;
use crate::world::{Real, World};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command};
use std::io::BufRead;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;

/// Runs the stage program of that name; `normalize` and `decide` are the two ends.
pub fn main(name: &'static str) -> ExitCode {
    say::quiet_panics();
    // Only the end that answers a host must never exit with anything but 0 by accident.
    let answers = name == "decide";
    let result = catch_unwind(AssertUnwindSafe(|| program(name)));
    ExitCode::from(result.unwrap_or_else(|_| {
        say::complain(&format!("kz-{name}"), "stopped by a fault of its own; please report it with the input");
        if answers {
            say::out(matrix::nothing_checked("kz-decide stopped by a fault of its own").as_bytes());
            return say::DONE;
        }
        say::FAILED
    }))
}

fn program(name: &'static str) -> u8 {
    let program = format!("kz-{name}");
    let matches = match command(name).try_get_matches() {
        Ok(matches) => matches,
        Err(error) => return usage(&program, name, &error),
    };
    let options = options(&matches);
    let world = Real::new();
    match (name, stage::find(name)) {
        ("normalize", _) => normalize(&program, &matches, options, &world),
        ("decide", _) => decide(&program, &matches, options, &world),
        (_, Some(stage)) => filter(&program, stage, &matches, options, &world),
        (_, None) => {
            say::complain(&program, "is no stage");
            say::FAILED
        }
    }
}

fn command(name: &'static str) -> Command {
    let about = match name {
        "normalize" => "read hook payloads from standard input and write one envelope a line",
        "decide" => "the strictest vote becomes the answer to the host; events are committed",
        other => stage::find(other).map_or("", |stage| stage.spec().about),
    };
    let mut command = Command::new(format!("kz-{name}"))
        .about(about)
        .version(env!("CARGO_PKG_VERSION"))
        .arg(
            Arg::new("config")
                .long("config")
                .value_name("FILE")
                .value_parser(clap::value_parser!(PathBuf))
                .help("read this file in place of the user's config"),
        )
        .arg(
            Arg::new("set")
                .long("set")
                .value_name("KEY=VALUE")
                .action(ArgAction::Append)
                .help("set a config key for this run"),
        );
    command = match name {
        "normalize" => command.arg(
            Arg::new("for")
                .long("for")
                .value_name("STAGES")
                .value_delimiter(',')
                .help("stages that gather facts (default: those of the default pipeline)"),
        ),
        "decide" => command
            .arg(
                Arg::new("style")
                    .long("style")
                    .value_name("STYLE")
                    .value_parser(clap::builder::PossibleValuesParser::new(Style::NAMES))
                    .default_value("auto")
                    .help("how the decision is said"),
            )
            .arg(Arg::new("dry").long("dry").action(ArgAction::SetTrue).help("commit nothing")),
        _ => command
            .arg(
                Arg::new("closed")
                    .long("closed")
                    .action(ArgAction::SetTrue)
                    .help("a failure of this stage stops the call instead of being passed over"),
            )
            .args(only(name)),
    };
    command
}

/// The option of a stage that has voices which can be heard alone.
fn only(name: &str) -> Option<Arg> {
    let voices = stage::find(name).map_or(&[][..], Stage::voices);
    (!voices.is_empty()).then(|| {
        Arg::new("only")
            .long("only")
            .value_name("VOICE")
            .value_parser(clap::builder::PossibleValuesParser::new(voices))
            .help("hear this voice of the stage alone")
    })
}

fn options(matches: &ArgMatches) -> Options {
    let config = matches.get_one::<PathBuf>("config").cloned();
    let set = matches.get_many::<String>("set").into_iter().flatten().cloned().collect();
    Options { file: config, set }
}

fn usage(program: &str, name: &str, error: &clap::Error) -> u8 {
    let text = error.render().to_string();
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        say::out(text.as_bytes());
        return say::DONE;
    }
    let sentence = text.strip_prefix("error: ").unwrap_or(&text).trim_end().to_owned();
    say::complain(program, &sentence);
    wrong_usage(name)
}

/// A typo in a settings file must not block a call, nor pass unseen.
fn wrong_usage(name: &str) -> u8 {
    if name == "decide" && !say::is_terminal() {
        say::out(matrix::nothing_checked("kz-decide was started with a wrong option").as_bytes());
        return say::DONE;
    }
    say::FAILED
}

fn normalize(program: &str, matches: &ArgMatches, options: Options, world: &dyn World) -> u8 {
    let names: Vec<String> = match matches.get_many::<String>("for") {
        Some(names) => names.cloned().collect(),
        None => Pipeline::default_names().into_iter().map(str::to_owned).collect(),
    };
    for name in &names {
        if stage::find(name).is_none() {
            let known = stage::ALL.iter().map(|stage| stage.spec().name);
            let nearest = crate::text::nearest(name, known);
            say::complain(program, &format!("there is no stage `{name}`; did you mean `{nearest}`?"));
            return say::FAILED;
        }
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let frames = match say::input(LIMIT + 1, None).map(|input| Frames::new(input.bytes)) {
        Ok(frames) => frames,
        Err(error) => {
            say::complain(program, &format!("cannot read standard input: {error}"));
            return say::FAILED;
        }
    };
    let mut contexts = Contexts::new(world, options);
    let mut source = Source::new(world, &names);
    let mut out = String::new();
    for item in frames {
        if let Some(envelope) = source.envelope(item, &mut contexts) {
            out.push_str(&encode(&envelope));
            out.push('\n');
        }
    }
    say::out(out.as_bytes());
    say::DONE
}

fn filter(program: &str, stage: &'static dyn Stage, matches: &ArgMatches, options: Options, world: &dyn World) -> u8 {
    let closed = matches.get_flag("closed");
    let voice = matches.try_get_one::<String>("only").ok().flatten();
    let stage = voice.and_then(|voice| stage.only(voice)).unwrap_or(stage);
    let mut contexts = Contexts::new(world, options);
    let mut memory = Memory::default();
    let mut trace = Trace::from_env(world);
    let mut code = say::DONE;
    lines(program, |line| {
        let out = match decode_line(line) {
            Ok(Line::Envelope(mut envelope)) => {
                let cx = contexts.of(&envelope.call.root);
                run_stage(stage, &mut envelope, cx, &mut memory, &mut trace, closed);
                trace.lines.drain(..).for_each(|line| say::err(&line));
                encode(&envelope).into_bytes()
            }
            Ok(Line::Newer(text)) => text.into_bytes(),
            Ok(Line::Foreign(why)) => {
                if code == say::DONE {
                    say::complain(program, &format!("passed on a line that is no envelope: {why}"));
                }
                code = say::FAILED;
                line.to_owned()
            }
            Err(why) => {
                if code == say::DONE {
                    say::complain(program, why);
                }
                code = say::FAILED;
                line.to_owned()
            }
        };
        say::out(&[&out, b"\n".as_slice()].concat())
    });
    code
}

fn decide(program: &str, matches: &ArgMatches, options: Options, world: &dyn World) -> u8 {
    let style = matches.get_one::<String>("style").and_then(|name| Style::named(name)).unwrap_or_default();
    let mut contexts = Contexts::new(world, options);
    let dry = matches.get_flag("dry");
    let mut sink = Sink::new(style, dry, None, world);
    let mut not_read = 0;
    lines(program, |line| {
        match decode_line(line) {
            Ok(Line::Envelope(envelope)) => {
                let cx = contexts.of(&envelope.call.root);
                sink.take(*envelope, &cx.config);
                return say::out(sink.drain().as_bytes());
            }
            Ok(Line::Newer(text)) => {
                say::complain(program, "an envelope of a newer version was not checked; update kz");
                not_read += 1;
                if style == Style::Envelope {
                    return say::out((text + "\n").as_bytes());
                }
            }
            Ok(Line::Foreign(why)) => {
                say::complain(program, &format!("a line that is no envelope was not checked: {why}"));
                not_read += 1;
            }
            Err(why) => {
                say::complain(program, why);
                not_read += 1;
            }
        }
        true
    });
    finish(program, sink, style, not_read)
}

/// Says the answer of a sink. What was not read is told to the user where nothing else is said.
pub(super) fn finish(program: &str, sink: Sink<'_>, style: Style, not_read: usize) -> u8 {
    let taken = sink.taken();
    let (answer, later) = sink.finish();
    let (code, heard) = answer_with(program, &answer, taken, style, not_read);
    later.perform(heard).iter().for_each(|text| say::complain(program, text));
    code
}

/// Says it; the exit code, and whether somebody heard it.
fn answer_with(program: &str, answer: &Answer, taken: usize, style: Style, not_read: usize) -> (u8, bool) {
    for text in &answer.err {
        if style == Style::Exit {
            say::err(text);
        } else {
            say::complain(program, text);
        }
    }
    let nothing = taken == 0 || (not_read > 0 && answer.out.is_empty());
    match style {
        Style::Exit => {
            if taken == 0 {
                say::complain(program, "nothing was checked: no payload on standard input");
                return (say::FAILED, true);
            }
            (if not_read > 0 { answer.code.max(say::FAILED) } else { answer.code }, true)
        }
        Style::Auto | Style::Json if nothing => {
            (say::DONE, say::out(matrix::nothing_checked("no payload reached the decision").as_bytes()))
        }
        Style::Auto | Style::Json | Style::Envelope => (say::DONE, say::out(answer.out.as_bytes())),
    }
}

/// Calls `each` with every line of standard input that is not blank, until it says that nobody
/// listens any more.
fn lines(program: &str, mut each: impl FnMut(&[u8]) -> bool) {
    let mut input = std::io::stdin().lock();
    let mut line = Vec::new();
    loop {
        line.clear();
        match input.read_until(b'\n', &mut line) {
            Ok(0) => return,
            Ok(_) => {}
            Err(error) => {
                say::complain(program, &format!("cannot read standard input: {error}"));
                return;
            }
        }
        while line.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
            line.pop();
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        if !each(&line) {
            return;
        }
    }
}

fn decode_line(line: &[u8]) -> Result<Line, &'static str> {
    let text = std::str::from_utf8(line).map_err(|_| "passed on a line that is not UTF-8 text, so no envelope")?;
    Ok(decode(text))
}
